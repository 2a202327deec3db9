/* SPDX-License-Identifier: Apache-2.0 */
/* DuckDB as an engine, through the stable C API of a library that is loaded when it is asked for.
 *
 * Place in the data flow: --duckdb, DVBENCH_DUCKDB or the system's loader -> libduckdb -> struct engine. Nothing is
 * built against it. */
#ifndef DVBENCH_DUCKDB_H
#define DVBENCH_DUCKDB_H

#include "engine.h"

/* Loads libduckdb and opens a database in memory. `place`: the library's file, or a folder that holds it; NULL: what
 * the environment variable DVBENCH_DUCKDB names, else what the system's loader finds. `temp_dir`: where it may spill,
 * or NULL. Closed by engine_close. Returns 0, DV_ERROR_UNAVAILABLE with how to get it, DV_ERROR_IO, DV_ERROR_MEMORY. */
int duckdb_engine_open(struct engine **engine_out, const char *place, const char *temp_dir,
                       struct dv_error *error_out);

#endif
