/* SPDX-License-Identifier: Apache-2.0 */
/* Which program measured: a cell of another one is another cell.
 *
 * Place in the data flow: /proc/self/exe and CRoaring's version -> hash of a cell. */
#ifndef DVBENCH_PROGRAM_DIGEST_H
#define DVBENCH_PROGRAM_DIGEST_H

#include <stdint.h>

#include "dv.h"

int program_digest(uint64_t *digest_out, struct dv_error *error_out);

#endif
