/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run_dir.h"
#include "summary_fixture.h"

static struct csv_writer *create(const char *folder, enum csv_file file)
{
    struct csv_writer *writer;
    assert_int_equal(run_dir_create_csv(&writer, folder, file, NULL), 0);
    return writer;
}

static void write_samples(struct csv_writer *samples, const struct fixture_row *row, const char *cell)
{
    for (int round = 0; round < row->n_samples; round++) {
        csv_set_text(samples, CSV_samples_cell, cell);
        csv_set_text(samples, CSV_samples_kernel, row->kernel);
        csv_set_integer(samples, CSV_samples_start, 0);
        csv_set_integer(samples, CSV_samples_round, round);
        csv_set_real(samples, CSV_samples_ns_per_row, row->ns_per_row * (1 + 0.0005 * (round % 3)));
        assert_int_equal(csv_end_row(samples, NULL), 0);
    }
}

static void write_times(struct csv_writer *summary, double ns_per_row)
{
    csv_set_real(summary, CSV_summary_ns_per_row, ns_per_row);
    csv_set_real(summary, CSV_summary_ns_per_row_low, ns_per_row * 0.999);
    csv_set_real(summary, CSV_summary_ns_per_row_high, ns_per_row * 1.001);
}

char *fixture_make(const struct fixture_row *rows, size_t n_rows)
{
    char *folder = strdup("/tmp/dvbench-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    struct csv_writer *summary = create(folder, CSV_FILE_summary),
                      *samples = create(folder, CSV_FILE_samples);
    for (size_t i = 0; i < n_rows; i++) {
        const struct fixture_row *row = &rows[i];
        char cell[32];
        snprintf(cell, sizeof cell, "cell%zu", i);
        csv_set_text(summary, CSV_summary_cell, cell);
        csv_set_text(summary, CSV_summary_dv, row->dv);
        csv_set_text(summary, CSV_summary_dv_digest, row->digest ? row->digest : "d");
        csv_set_integer(summary, CSV_summary_batches, row->batches ? row->batches : 200);
        csv_set_integer(summary, CSV_summary_rows, row->rows ? row->rows : 1000000);
        csv_set_text(summary, CSV_summary_axis, row->axis);
        csv_set_text(summary, CSV_summary_axis_value, row->axis_value);
        csv_set_real(summary, CSV_summary_rate, row->rate);
        csv_set_text(summary, CSV_summary_kernel, row->kernel);
        csv_set_text(summary, CSV_summary_technique, row->technique ? row->technique : row->kernel);
        csv_set_text(summary, CSV_summary_isa, row->isa ? row->isa : "generic");
        csv_set_text(summary, CSV_summary_sink, row->sink ? row->sink : "row_ids");
        csv_set_integer(summary, CSV_summary_batch_rows, 5000);
        csv_set_text(summary, CSV_summary_mode, "stream");
        csv_set_text(summary, CSV_summary_verdict, row->verdict ? row->verdict : "ok");
        csv_set_real(summary, CSV_summary_noise_floor_pct, row->noise_pct);
        if (!row->verdict || strcmp(row->verdict, "ok") == 0)
            write_times(summary, row->ns_per_row);
        assert_int_equal(csv_end_row(summary, NULL), 0);
        write_samples(samples, row, cell);
    }
    assert_int_equal(csv_close(summary, NULL), 0);
    assert_int_equal(csv_close(samples, NULL), 0);
    return folder;
}

void fixture_remove(char *folder)
{
    static const enum csv_file files[] = {CSV_FILE_summary, CSV_FILE_samples};
    for (size_t i = 0; i < 2; i++) {
        char *path = run_dir_file(folder, run_dir_csv_name(files[i]));
        assert_non_null(path);
        unlink(path);
        free(path);
    }
    rmdir(folder);
    free(folder);
}

struct csv_table *fixture_load(const char *folder)
{
    struct csv_table *table;
    assert_int_equal(run_dir_load(&table, folder, CSV_FILE_summary, NULL), 0);
    return table;
}
