/* SPDX-License-Identifier: Apache-2.0 */
/* run.json of a sweep: what was measured on, with and how, written when the run begins and again when it
 * ends.
 *
 * Place in the data flow: machine, build, options, counters -> run.json; and the columns that all rows
 * share. */
#ifndef DVBENCH_RUN_RECORD_H
#define DVBENCH_RUN_RECORD_H

#include "counters.h"
#include "machine.h"
#include "summary.h"
#include "sweep_options.h"

struct run_record;

/* Reads the machine, pins the process and fixes malloc; writes nothing yet. `argc`, `argv`: of the command, what stands
 * before --start is recorded for --resume; `program`: of program_digest. DV_ERROR_USAGE where DIR holds a run of
 * another program, CRoaring or machine and --replace was not given. */
int run_record_begin(struct run_record **record_out, const struct sweep_options *options, const char *dir,
                     int argc, char **argv, const struct counters *counters, uint64_t program,
                     struct dv_error *error_out);

/* Writes DIR/run.json: from here on the run is not complete. */
int run_record_write(struct run_record *record, struct dv_error *error_out);

/* Borrowed from the record. */
struct summary_facts run_record_facts(const struct run_record *record);
uint64_t run_record_llc_bytes(const struct run_record *record);

/* Adds a warning; without memory there is none. */
void run_record_warn(struct run_record *record, const char *text);

/* Writes DIR/run.json again, with the end, the steal time and whether it was interrupted; nothing where the run was
 * complete before and nothing was measured. */
int run_record_end(struct run_record *record, bool was_interrupted, struct dv_error *error_out);

void run_record_free(struct run_record *record);

/* The words that the run in DIR was started with, "sweep" first. DV_ERROR_INPUT where its run.json does not say. */
int run_record_arguments(const char *dir, struct strings *words_out, struct dv_error *error_out);

/* Which program measures: a digest of this executable and of CRoaring's version. A cell of another one is another
 * cell. Returns 0 or DV_ERROR_IO. */
int program_digest(uint64_t *digest_out, struct dv_error *error_out);

#endif
