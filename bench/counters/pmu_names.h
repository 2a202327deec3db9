/* SPDX-License-Identifier: Apache-2.0 */
/* Event names: libpfm4 turns them into what perf_event_open takes.
 *
 * Place in the data flow: struct counter_event -> struct perf_event_attr and the name as encoded -> pmu.h. */
#ifndef DVBENCH_PMU_NAMES_H
#define DVBENCH_PMU_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/perf_event.h>

#include "dv.h"

/* False where this build has no libpfm4. */
bool pmu_names_built(void);

/* As the library states it, "4.0"; "" without libpfm4. */
const char *pmu_names_version(void);

/* Encodes `name` for user mode only: fills type and config of `attr_out` (everything else is pmu.c's) and
 * the canonical name, cut to n_encoding bytes, no comma. DV_ERROR_USAGE with libpfm4's own text for a name it
 * does not know on this CPU, DV_ERROR_UNAVAILABLE where there is no libpfm4 or it finds no /proc. */
int pmu_names_encode(const char *name, struct perf_event_attr *attr_out, char *encoding_out,
                     size_t n_encoding, struct dv_error *error_out);

/* Name and description of the index-th PMU that libpfm4 finds in this machine, false past the last.
 * `description_out` is static. */
bool pmu_names_present(size_t index, const char **name_out, const char **description_out);

#endif
