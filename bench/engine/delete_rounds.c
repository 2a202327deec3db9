/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_rounds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delete_batch.h"
#include "random.h"
#include "run_dir.h"
#include "table_folder.h"

enum { READ_ALL_BATCHES = 20 };

struct round {
    struct delete_job *job;
    enum delete_pattern pattern;
    uint64_t number;                /* from 1 */
    struct scan_expected *expected; /* owned: after each number of batches, the same in all rounds */
    struct delete_state states[DELETE_N_WAYS];
};

/* --- rows --- */

static bool has_number(const struct delete_job *job, size_t row, enum csv_column column, uint64_t wanted)
{
    uint64_t found = 0;
    return csv_unsigned(job->done, row, column, &found) && found == wanted;
}

static bool is_done(const struct round *round, int way, uint64_t batch)
{
    const struct delete_job *job = round->job;
    for (size_t row = 0; job->done && row < csv_n_rows(job->done); row++)
        if (has_number(job, row, CSV_deletes_rows, job->options->n_rows) &&
            strcmp(csv_text(job->done, row, CSV_deletes_pattern), delete_pattern_ids[round->pattern]) == 0 &&
            strcmp(csv_text(job->done, row, CSV_deletes_way), delete_way_ids[way]) == 0 &&
            has_number(job, row, CSV_deletes_round, round->number) &&
            has_number(job, row, CSV_deletes_batch, batch))
            return true;
    return false;
}

static bool has_way(const struct delete_job *job, int way)
{
    return job->options->ways >> way & 1;
}

static bool is_round_done(const struct round *round)
{
    for (int way = 0; way < DELETE_N_WAYS; way++)
        if (has_way(round->job, way) && !is_done(round, way, round->job->options->n_batches))
            return false;
    return true;
}

/* All of a few; of many 0, 1, 2, 5, 10, 20, 50 ... and the last. */
static bool is_read(const struct delete_options *options, uint64_t batch)
{
    uint64_t digits = batch;
    while (digits >= 10 && digits % 10 == 0)
        digits /= 10;
    return options->n_batches <= READ_ALL_BATCHES || batch == options->n_batches || digits <= 2 ||
           digits == 5;
}

static void set_run(const struct round *round, int way)
{
    const struct delete_job *job = round->job;
    const struct delete_options *options = job->options;
    struct csv_writer *writer = job->writer;
    char engine[80];
    snprintf(engine, sizeof engine, "%s %s", job->run->engine->name, job->run->engine->version);
    csv_set_text(writer, CSV_deletes_run, run_dir_name(job->run->dir));
    csv_set_text(writer, CSV_deletes_machine, job->machine);
    csv_set_text(writer, CSV_deletes_engine, engine);
    csv_set_unsigned(writer, CSV_deletes_threads, options->n_threads);
    csv_set_text(writer, CSV_deletes_study, delete_study_ids[options->study]);
    csv_set_text(writer, CSV_deletes_table, job->table.name);
    csv_set_unsigned(writer, CSV_deletes_files, options->n_files);
    csv_set_unsigned(writer, CSV_deletes_rows, options->n_rows);
    csv_set_real(writer, CSV_deletes_rate, options->rate);
    csv_set_unsigned(writer, CSV_deletes_batches, options->n_batches);
    csv_set_text(writer, CSV_deletes_pattern, delete_pattern_ids[round->pattern]);
    csv_set_text(writer, CSV_deletes_way, delete_way_ids[way]);
    csv_set_text(writer, CSV_deletes_kernel, way == DELETE_COW ? NULL : options->kernel->id);
    csv_set_unsigned(writer, CSV_deletes_round, round->number);
}

static void set_costs(struct csv_writer *writer, const struct delete_costs *costs)
{
    csv_set_real(writer, CSV_deletes_delete_ms,
                 costs->find_ms + costs->write_ms + costs->fsync_ms + costs->commit_ms);
    csv_set_real(writer, CSV_deletes_find_ms, costs->find_ms);
    csv_set_real(writer, CSV_deletes_write_ms, costs->write_ms);
    csv_set_real(writer, CSV_deletes_fsync_ms, costs->fsync_ms);
    csv_set_real(writer, CSV_deletes_commit_ms, costs->commit_ms);
    csv_set_unsigned(writer, CSV_deletes_bytes_written, costs->n_bytes);
}

static void set_sizes(struct csv_writer *writer, const struct delete_state *state)
{
    const struct delete_sizes sizes = delete_state_sizes(state);
    csv_set_unsigned(writer, CSV_deletes_table_files, sizes.n_files);
    csv_set_unsigned(writer, CSV_deletes_data_bytes, sizes.data_bytes);
    csv_set_unsigned(writer, CSV_deletes_delete_bytes, sizes.delete_bytes);
}

/* --- one way, one batch --- */

/* Each kind once; a wrong answer ends it with its reason. A batch that is not timed is counted all the same:
 * what is wrong is found where it began. */
static int read_all(struct round *round, const struct delete_state *state, struct dv_error *error_out)
{
    static const enum csv_column columns[DELETE_N_READS] = {CSV_deletes_count_ms, CSV_deletes_scan1_ms,
                                                            CSV_deletes_scan3_ms, CSV_deletes_scan9_ms};
    struct delete_job *job = round->job;
    const bool is_timed = is_read(job->options, state->batch);
    struct delete_read read = {.is_right = true};
    int status = 0;
    for (size_t kind = 0; status == 0 && read.is_right && kind < (is_timed ? DELETE_N_READS : 1); kind++) {
        status = delete_read(&job->reader, state, delete_read_columns[kind], &round->expected[state->batch],
                             &read, error_out);
        if (status < 0 || !read.is_right || !is_timed)
            continue;
        csv_set_real(job->writer, columns[kind], read.wall_ms);
        if (kind == 0 && read.load_ms > 0)
            csv_set_real(job->writer, CSV_deletes_load_ms, read.load_ms);
    }
    csv_set_text(job->writer, CSV_deletes_verdict, read.is_right ? "ok" : "wrong");
    csv_set_text(job->writer, CSV_deletes_reason, read.is_right ? NULL : read.reason);
    job->run->n_wrong_out += status == 0 && !read.is_right;
    return status;
}

/* The state is that of `batch` already where a run was killed between the commit and its row. */
static int run_batch(struct round *round, int way, uint64_t batch, struct dv_error *error_out)
{
    struct delete_job *job = round->job;
    struct delete_state *state = &round->states[way];
    struct delete_costs costs;
    const bool deletes = state->batch < batch;
    char *condition = deletes ? delete_batch_sql(job->options, round->pattern, batch - 1) : NULL;
    int status = deletes && !condition ? dv_no_memory(error_out) : 0;
    if (status == 0 && deletes)
        status = delete_batch(state, (enum delete_way)way, job->run->engine, condition, &costs, error_out);
    free(condition);
    if (status < 0)
        return status;
    set_run(round, way);
    csv_set_unsigned(job->writer, CSV_deletes_batch, batch);
    csv_set_unsigned(job->writer, CSV_deletes_deleted,
                     round->expected[0].n_rows - round->expected[batch].n_rows);
    if (deletes)
        set_costs(job->writer, &costs);
    set_sizes(job->writer, state);
    status = read_all(round, state, error_out);
    return status < 0 ? status : csv_end_row(job->writer, error_out);
}

/* --- one round --- */

/* "uniform-v3-10000000-1": pattern, way, rows, round. */
static char *state_dir(const struct round *round, int way)
{
    char *dir = NULL;
    return asprintf(&dir, "%s/%s-%s-%" PRIu64 "-%" PRIu64, round->job->tables,
                    delete_pattern_ids[round->pattern], delete_way_ids[way], round->job->options->n_rows,
                    round->number) < 0
               ? NULL
               : dir;
}

/* How many batches of the way have rows; a resumed run's table must be there, or one batch further. */
static int check_state(const struct round *round, int way, struct dv_error *error_out)
{
    const struct delete_state *state = &round->states[way];
    uint64_t next = 0;
    while (next <= round->job->options->n_batches && is_done(round, way, next))
        next++;
    if (state->batch == next || state->batch + 1 == next)
        return 0;
    return dv_fail(error_out, DV_ERROR_INPUT,
                   "%s is at batch %" PRIu64 ", deletes.csv has %" PRIu64
                   " rows of it: this is not the table of this run; start a new run",
                   state->dir, state->batch, next);
}

static int open_state(struct round *round, int way, struct dv_error *error_out)
{
    const struct scan_table *table = &round->job->table;
    struct delete_state *state = &round->states[way];
    char *dir = state_dir(round, way);
    int status = dir ? delete_state_read(state, dir, error_out) : dv_no_memory(error_out);
    if (status == 1) {
        delete_state_free(state);
        status = delete_state_create(state, dir, &table->files, table->n_rows, error_out);
    }
    if (status == 0)
        status = delete_state_clean(state, error_out);
    free(dir);
    return status < 0 ? status : check_state(round, way, error_out);
}

/* Also what a run that was killed while it removed them has left. */
static void remove_states(const struct round *round)
{
    for (int way = 0; way < DELETE_N_WAYS; way++) {
        char *dir = has_way(round->job, way) ? state_dir(round, way) : NULL;
        if (dir)
            table_folder_remove(dir);
        free(dir);
    }
}

/* The ways take turns within a batch, in a random order: what changes on the machine meets all of them. */
static int run_turn(struct round *round, uint64_t batch, struct dv_error *error_out)
{
    struct delete_job *job = round->job;
    int ways[DELETE_N_WAYS], status = 0;
    for (int i = 0; i < DELETE_N_WAYS; i++)
        ways[i] = i;
    random_shuffle(ways, DELETE_N_WAYS, sizeof *ways,
                   job->options->seed + (round->number << 32) + batch * DELETE_N_PATTERNS + round->pattern);
    for (int i = 0; status == 0 && i < DELETE_N_WAYS && !*job->run->interrupted; i++) {
        const int way = ways[i];
        char title[160];
        if (!has_way(job, way))
            continue;
        const bool was_done = is_done(round, way, batch);
        snprintf(title, sizeof title, "%s, round %" PRIu64 ", batch %" PRIu64 ", %s",
                 delete_pattern_ids[round->pattern], round->number, batch, delete_way_ids[way]);
        progress_block(job->progress, title);
        if (!was_done)
            status = run_batch(round, way, batch, error_out);
        progress_block_done(job->progress, !was_done);
    }
    return status;
}

static int run_round(struct round *round, struct dv_error *error_out)
{
    const struct delete_job *job = round->job;
    const bool is_kept = job->options->keep && round->number == job->options->rounds;
    int status = 0;
    for (int way = 0; status == 0 && way < DELETE_N_WAYS; way++)
        if (has_way(job, way))
            status = open_state(round, way, error_out);
    for (uint64_t batch = 0; status == 0 && batch <= job->options->n_batches && !*job->run->interrupted;
         batch++)
        status = run_turn(round, batch, error_out);
    for (int way = 0; way < DELETE_N_WAYS; way++)
        delete_state_free(&round->states[way]);
    if (status == 0 && !*job->run->interrupted && !is_kept)
        remove_states(round);
    return status;
}

int delete_rounds_run(struct delete_job *job, enum delete_pattern pattern, struct dv_error *error_out)
{
    struct round round = {.job = job, .pattern = pattern};
    int status = 0;
    for (uint64_t i = 1; status == 0 && i <= job->options->rounds && !*job->run->interrupted; i++) {
        round.number = i;
        if (is_round_done(&round)) {
            if (!job->options->keep || i < job->options->rounds)
                remove_states(&round);
            continue;
        }
        if (!round.expected)
            status = delete_expect(&round.expected, job->run->engine, &job->table, job->options, pattern,
                                   error_out);
        if (status == 0)
            status = run_round(&round, error_out);
    }
    free(round.expected);
    return *job->run->interrupted ? 0 : status;
}
