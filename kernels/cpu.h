/* SPDX-License-Identifier: Apache-2.0 */
/* What this CPU can run, asked in one place. The environment variable DVBENCH_CPU_MASK lowers it: a comma list of ISA ids to
 * keep ("avx2,bmi2"; "generic" keeps nothing more), read once. */
#ifndef DVBENCH_CPU_H
#define DVBENCH_CPU_H

#include <stdbool.h>

#include "kernel.h"

bool cpu_has(enum isa isa);

#endif
