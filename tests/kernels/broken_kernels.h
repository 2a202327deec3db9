/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels broken on purpose, one mistake each, and one that is right: what the checker is checked with.
 *
 * They answer from dv->intervals; a row's `sinks` are those whose answer its mistake spoils. */
#ifndef DVBENCH_BROKEN_KERNELS_H
#define DVBENCH_BROKEN_KERNELS_H

#include <stddef.h>

#include "kernel.h"

const struct kernel *right_kernel(void);
size_t broken_kernels_count(void);
const struct kernel *broken_kernel_at(size_t index);

#endif
