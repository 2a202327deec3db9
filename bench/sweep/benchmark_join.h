/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the JSON files of several process starts into one, as compare.py wants it.
 *
 * Place in the data flow: --benchmark_out of every start -> one file. */
#ifndef DVBENCH_BENCHMARK_JOIN_H
#define DVBENCH_BENCHMARK_JOIN_H

#include "dv.h"

/* Writes `path` with the context of the first part and the benchmarks of all, then removes the parts. */
int benchmark_join(const char *path, char *const *parts, size_t n_parts, struct dv_error *error_out);

#endif
