/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "random.h"
#include "scan_block.h"

static double clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Compressed bytes of the column chunks that the query reads, as the files' footers state them. What an engine maps into
 * memory no counter of read calls sees. */
static int find_bytes(struct scan_cell *cell, struct dv_error *error_out)
{
    struct engine_answer answer = {0};
    char *files = scan_table_list(&cell->table->files), *names = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&names, &n);
    for (size_t i = 0; stream && i < cell->query.n_columns; i++) {
        char *name = engine_quote(cell->query.columns[i]->name, '\'');
        fprintf(stream, ",%s", name ? name : "''");
        free(name);
    }
    int status = files && stream && fclose(stream) == 0 ? 0 : dv_no_memory(error_out);
    if (status == 0)
        status = engine_query(
            cell->run->engine, &answer, error_out,
            "SELECT sum(total_compressed_size) FROM parquet_metadata(%s) WHERE path_in_schema IN (''%s)",
            files, names);
    const char *sum = status == 0 ? engine_value(&answer, 0, 0) : NULL;
    cell->n_bytes = sum ? strtoull(sum, NULL, 10) : 0;
    engine_answer_free(&answer);
    free(files);
    free(names);
    return status;
}

/* One query, timed, its answer compared. The verdict is the competitor's; a failed query is an error. */
static int run_query(struct scan_cell *cell, struct scan_competitor *competitor,
                     struct scan_sample *sample_out, struct dv_error *error_out)
{
    const struct scan_run *run = cell->run;
    struct engine_answer answer = {0};
    char reason[160];
    scan_function_begin(run->function, cell->vectors, cell->n_vectors, competitor->kernel, competitor->sink);
    const double cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID), wall = clock_ns(CLOCK_MONOTONIC);
    const int status = run->engine->query(run->engine, competitor->sql, &answer, error_out);
    sample_out->wall_ns = clock_ns(CLOCK_MONOTONIC) - wall;
    sample_out->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    sample_out->counts = scan_function_end(run->function);
    if (status == 0 &&
        !scan_answer_is_right(&cell->query, competitor->deletes ? &cell->expected : &cell->expected_without,
                              &answer, reason, sizeof reason)) {
        competitor->verdict = VERDICT_WRONG;
        snprintf(competitor->reason, sizeof competitor->reason, "%s", reason);
        progress_note(run->progress, "WRONG: %s: %s", competitor->id, reason);
    }
    engine_answer_free(&answer);
    return status;
}

/* Who is asked first also pays for what the system has not read yet. */
static int check_all(struct scan_cell *cell, struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < cell->n_competitors && !*cell->run->interrupted; i++) {
        struct scan_sample ignored;
        if (cell->competitors[i].verdict == VERDICT_OK)
            status = run_query(cell, &cell->competitors[i], &ignored, error_out);
    }
    return status;
}

static int run_rounds(struct scan_cell *cell, struct dv_error *error_out)
{
    size_t order[SCAN_MAX_COMPETITORS];
    int status = 0;
    for (size_t i = 0; i < cell->n_competitors; i++)
        order[i] = i;
    for (int round = 0; status == 0 && round < cell->n_rounds; round++) {
        char step[48];
        snprintf(step, sizeof step, "round %d of %d", round + 1, cell->n_rounds);
        progress_step(cell->run->progress, step, 0.2 + 0.8 * round / cell->n_rounds);
        random_shuffle(order, cell->n_competitors, sizeof *order,
                       cell->run->options->seed * 1000003u + cell->digest + (uint64_t)round * 131071u);
        for (size_t i = 0; status == 0 && i < cell->n_competitors && !*cell->run->interrupted; i++) {
            struct scan_competitor *competitor = &cell->competitors[order[i]];
            if (competitor->verdict == VERDICT_OK)
                status = run_query(cell, competitor, &competitor->samples[round], error_out);
        }
    }
    return status;
}

/* The positions as a table: what an engine without deletion vectors would join with. The function finds them, whose
 * answers the join's sums then confirm. */
static int make_positions(const struct scan_cell *cell, struct dv_error *error_out)
{
    struct engine *engine = cell->run->engine;
    scan_function_begin(cell->run->function, cell->vectors, cell->n_vectors, kernel_find("direct_scalar"),
                        SINK_is_deleted);
    const int status =
        engine_query(engine, NULL, error_out,
                     "CREATE OR REPLACE TEMP TABLE " SCAN_POSITIONS " AS SELECT file_index AS file, "
                     "file_row_number AS pos FROM " SCAN_VIEW " WHERE " SCAN_FUNCTION_NAME
                     "(file_index, file_row_number)");
    (void)scan_function_end(cell->run->function);
    return status;
}

static int expect_both(struct scan_cell *cell, struct dv_error *error_out)
{
    const int status = scan_expect(&cell->expected, cell->run->engine, cell->table, &cell->query,
                                   cell->vectors, cell->n_vectors, error_out);
    return status < 0 ? status
                      : scan_expect(&cell->expected_without, cell->run->engine, cell->table, &cell->query,
                                    NULL, 0, error_out);
}

static int measure(struct scan_cell *cell, struct dv_error *error_out)
{
    int status = find_bytes(cell, error_out);
    if (status == 0)
        status = scan_vectors_cost(&cell->open_cost, cell->vectors, cell->n_vectors, error_out);
    if (status == 0)
        status = expect_both(cell, error_out);
    if (status == 0 && !*cell->run->interrupted)
        status = make_positions(cell, error_out);
    if (status == 0)
        status = check_all(cell, error_out);
    if (status == 0)
        status = run_rounds(cell, error_out);
    if (status == 0 && !*cell->run->interrupted)
        status = scan_block_write(cell, error_out);
    return status;
}

int scan_run_block(struct scan_run *run, const struct scan_block *block, const struct scan_table *table,
                   const struct scan_vector *vectors, size_t n_vectors, struct dv_error *error_out)
{
    struct scan_cell cell;
    char title[160];
    snprintf(title, sizeof title, "%s: %zu files, %.70s, %s, %s", block->study, table->files.n_items,
             *block->vector ? block->vector : "given", scan_kind_id(block->kind), block->columns);
    progress_block(run->progress, title);
    int status = scan_block_open(&cell, run, block, table, vectors, n_vectors, error_out);
    const bool is_done = status == 0 && scan_block_is_done(&cell);
    if (status == 0 && !is_done)
        status = measure(&cell, error_out);
    for (size_t i = 0; i < cell.n_competitors; i++)
        run->n_wrong_out += cell.competitors[i].verdict == VERDICT_WRONG;
    scan_block_close(&cell);
    progress_block_done(run->progress, !is_done);
    return *run->interrupted ? 0 : status; /* the interrupted query is not a failure */
}
