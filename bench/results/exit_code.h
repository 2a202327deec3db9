/* SPDX-License-Identifier: Apache-2.0 */
/* What a process of this program ends with.
 *
 * Place in the data flow: main and the commands -> the shell, and a sweep that starts this program again. */
#ifndef DVBENCH_EXIT_CODE_H
#define DVBENCH_EXIT_CODE_H

enum exit_code {
    EXIT_FINE = 0,
    EXIT_CHECK_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_BAD_INPUT = 3,
    EXIT_UNAVAILABLE = 4,
    EXIT_TOO_NOISY = 5, /* of a gate: neither passed nor failed */
    EXIT_INTERRUPTED = 130,
};

#endif
