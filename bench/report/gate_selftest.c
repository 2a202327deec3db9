/* SPDX-License-Identifier: Apache-2.0 */
#include "gate_selftest.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "run_dir.h"

#define MADE_ROUNDS    9
#define MADE_NOISE_PCT 2.0

/* Copies one file of a run; the times of samples of `kernel` are multiplied. */
static int copy_file(const char *from, const char *to, enum csv_file file, const char *kernel, double factor,
                     struct dv_error *error_out)
{
    struct csv_table *table;
    struct csv_writer *writer = NULL;
    int status = run_dir_load(&table, from, file, error_out);
    if (status == 0)
        status = run_dir_create_csv(&writer, to, file, error_out);
    for (size_t row = 0; status == 0 && row < csv_n_rows(table); row++) {
        csv_copy_row(writer, table, row);
        if (file == CSV_FILE_samples && strcmp(csv_text(table, row, CSV_samples_kernel), kernel) == 0)
            csv_set_real(writer, CSV_samples_ns_per_row,
                         factor * csv_real(table, row, CSV_samples_ns_per_row));
        status = csv_end_row(writer, error_out);
    }
    int closed = csv_close(writer, status < 0 ? NULL : error_out);
    csv_free(table);
    return status < 0 ? status : closed;
}

/* A run of one block: two kernels, nine rounds that scatter by a per cent around a fixed time. */
static int make_run(const char *folder, struct dv_error *error_out)
{
    static const char *const kernels[] = {"per_row", "for_each_in_range"};
    static const double scatter[MADE_ROUNDS] = {1.000, 1.004, 0.997, 1.008, 1.002,
                                                0.999, 1.011, 1.001, 1.005};
    struct csv_writer *summary = NULL, *samples = NULL;
    int status = run_dir_create_csv(&summary, folder, CSV_FILE_summary, error_out);
    if (status == 0)
        status = run_dir_create_csv(&samples, folder, CSV_FILE_samples, error_out);
    for (int k = 0; status == 0 && k < 2; k++) {
        csv_set_text(summary, CSV_summary_cell, kernels[k]);
        csv_set_text(summary, CSV_summary_dv, "made");
        csv_set_text(summary, CSV_summary_dv_digest, "made");
        csv_set_text(summary, CSV_summary_kernel, kernels[k]);
        csv_set_text(summary, CSV_summary_sink, "row_ids");
        csv_set_text(summary, CSV_summary_verdict, "ok");
        csv_set_real(summary, CSV_summary_ns_per_row, 10.0);
        csv_set_real(summary, CSV_summary_noise_floor_pct, MADE_NOISE_PCT);
        status = csv_end_row(summary, error_out);
        for (int round = 0; status == 0 && round < MADE_ROUNDS; round++) {
            csv_set_text(samples, CSV_samples_cell, kernels[k]);
            csv_set_text(samples, CSV_samples_kernel, kernels[k]);
            csv_set_integer(samples, CSV_samples_start, 0);
            csv_set_integer(samples, CSV_samples_round, round);
            csv_set_real(samples, CSV_samples_ns_per_row, 10.0 * scatter[(round + 4 * k) % MADE_ROUNDS]);
            status = csv_end_row(samples, error_out);
        }
    }
    int closed_summary = csv_close(summary, status < 0 ? NULL : error_out);
    int closed_samples = csv_close(samples, status < 0 ? NULL : error_out);
    return status < 0 ? status : closed_summary < 0 ? closed_summary : closed_samples;
}

/* Compares the run with a copy in which `kernel` takes `factor` times as long. Returns 1 where the gate did
 * not do as it must. */
static int try_copy(const char *run_dir, const char *folder, const char *kernel, double factor,
                    bool must_stop, double threshold_pct, struct dv_error *error_out)
{
    struct comparisons comparisons;
    int status = copy_file(run_dir, folder, CSV_FILE_summary, kernel, factor, error_out);
    if (status == 0)
        status = copy_file(run_dir, folder, CSV_FILE_samples, kernel, factor, error_out);
    if (status == 0)
        status = compare_runs(&comparisons, run_dir, folder, threshold_pct, error_out);
    if (status < 0)
        return status;
    bool is_stopped = comparisons.n_verdict[COMPARE_SLOWER] > 0;
    bool is_right = is_stopped == must_stop;
    printf("%s: %s made %.2f times as slow: %zu slower, %zu cannot tell; the gate %s\n",
           is_right ? "ok" : "FAILED", kernel, factor, comparisons.n_verdict[COMPARE_SLOWER],
           comparisons.n_verdict[COMPARE_CANNOT_TELL], is_stopped ? "stops it" : "lets it pass");
    compare_free(&comparisons);
    return is_right ? 0 : 1;
}

static int try_copies(const char *run_dir, const char *folder, double threshold_pct,
                      struct dv_error *error_out)
{
    struct csv_table *summary;
    int status = run_dir_load(&summary, run_dir, CSV_FILE_summary, error_out);
    if (status < 0)
        return status;
    const char *kernel = NULL;
    double counts_pct = threshold_pct;
    for (size_t row = 0; row < csv_n_rows(summary); row++) {
        if (strcmp(csv_text(summary, row, CSV_summary_verdict), "ok") != 0)
            continue;
        kernel = kernel ? kernel : csv_text(summary, row, CSV_summary_kernel);
        counts_pct = fmax(counts_pct, csv_real(summary, row, CSV_summary_noise_floor_pct));
    }
    if (!kernel)
        status = dv_fail(error_out, DV_ERROR_INPUT, "%s: no measured cell to test the gate with", run_dir);
    if (status == 0)
        status = try_copy(run_dir, folder, kernel, 1.0, false, threshold_pct, error_out);
    if (status == 0)
        status = try_copy(run_dir, folder, kernel, 1 + threshold_pct / 200, false, threshold_pct, error_out);
    if (status == 0)
        status = try_copy(run_dir, folder, kernel, 1 + 2 * fmax(counts_pct, 1) / 100, true, threshold_pct,
                          error_out);
    csv_free(summary);
    return status;
}

static void remove_folder(const char *folder)
{
    static const enum csv_file files[] = {CSV_FILE_summary, CSV_FILE_samples};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = run_dir_file(folder, run_dir_csv_name(files[i]));
        if (path)
            unlink(path);
        free(path);
    }
    rmdir(folder);
}

static int make_folder(char *path_out, size_t n_path, struct dv_error *error_out)
{
    const char *place = getenv("TMPDIR");
    int n = snprintf(path_out, n_path, "%s/dvbench-gate-XXXXXX", place && place[0] ? place : "/tmp");
    if (n >= (int)n_path || !mkdtemp(path_out))
        return dv_fail(error_out, DV_ERROR_IO, "cannot make a folder for copies of the run: %s",
                       strerror(errno));
    return 0;
}

int gate_selftest(const char *run_dir, double threshold_pct, struct dv_error *error_out)
{
    char made[512] = "", copy[512] = "";
    int status = 0;
    if (!run_dir) {
        status = make_folder(made, sizeof made, error_out);
        if (status == 0)
            status = make_run(made, error_out);
        run_dir = made;
    }
    if (status == 0)
        status = make_folder(copy, sizeof copy, error_out);
    if (status == 0)
        status = try_copies(run_dir, copy, threshold_pct, error_out);
    if (copy[0] != '\0')
        remove_folder(copy);
    if (made[0] != '\0')
        remove_folder(made);
    return status;
}
