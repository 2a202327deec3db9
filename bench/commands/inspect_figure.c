/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_write.h"
#include "gnuplot.h"
#include "inspect_figure.h"

enum { N_BINS_MOST = 1024 };

/* Chunks [i * n_chunks_a_bin, ...) of the rows. */
struct bin {
    uint64_t n_deleted[DV_N_KINDS];
};

struct bins {
    struct bin *items; /* owned */
    uint64_t n_items;
    uint64_t first_chunk; /* position >> 16 */
    uint64_t n_chunks_a_bin;
};

static int count_bins(struct bins *bins, const struct inspect_subject *subject, struct dv_error *error_out)
{
    const struct inspect_summary *summary = &subject->summary;
    if (summary->n_rows == 0)
        return dv_fail(error_out, DV_ERROR_USAGE, "--figure: the vector has no rows; state them by --rows");
    bins->first_chunk = summary->base / DV_CHUNK_ROWS;
    uint64_t n_chunks = (summary->base + summary->n_rows - 1) / DV_CHUNK_ROWS - bins->first_chunk + 1;
    bins->n_chunks_a_bin = (n_chunks + N_BINS_MOST - 1) / N_BINS_MOST;
    bins->n_items = (n_chunks + bins->n_chunks_a_bin - 1) / bins->n_chunks_a_bin;
    bins->items = calloc(bins->n_items, sizeof *bins->items);
    if (!bins->items)
        return dv_no_memory(error_out);
    for (size_t i = 0; i < subject->view->n_containers; i++) {
        const struct dv_container *container = &subject->view->containers[i];
        uint64_t bin =
            (dv_container_start(container) / DV_CHUNK_ROWS - bins->first_chunk) / bins->n_chunks_a_bin;
        if (bin < bins->n_items) /* what lies beyond the rows, or before them, is not drawn */
            bins->items[bin].n_deleted[container->kind] += container->cardinality;
    }
    return 0;
}

/* Bars from `first_row` to `end_row`; shares of the rows that a bin has, the last one shorter. */
static char *bins_csv(const struct bins *bins, const struct inspect_summary *summary, size_t *n_out)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, n_out);
    if (!out)
        return NULL;
    fputs("first_row,end_row,array_pct,bitset_pct,run_pct\n", out);
    uint64_t end = summary->base + summary->n_rows;
    for (uint64_t i = 0; i < bins->n_items; i++) {
        const struct bin *bin = &bins->items[i];
        uint64_t first_row = (bins->first_chunk + i * bins->n_chunks_a_bin) * DV_CHUNK_ROWS;
        uint64_t n_rows = bins->n_chunks_a_bin * DV_CHUNK_ROWS;
        if (n_rows > end - first_row)
            n_rows = end - first_row;
        fprintf(out, "%" PRIu64 ",%" PRIu64 ",%.6g,%.6g,%.6g\n", first_row, first_row + n_rows,
                100.0 * (double)bin->n_deleted[DV_ARRAY] / (double)n_rows,
                100.0 * (double)bin->n_deleted[DV_BITSET] / (double)n_rows,
                100.0 * (double)bin->n_deleted[DV_RUN] / (double)n_rows);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static int draw(const struct inspect_subject *subject, const struct bins *bins, const char *data_path,
                const char *stem, const char *extension, struct dv_error *error_out)
{
    char script[4096];
    char said[200];
    char title[200];
    int status = gnuplot_find_scripts(script, sizeof script - sizeof "/density_map.gp", error_out);
    if (status != 0)
        return status;
    strcat(script, "/density_map.gp");
    snprintf(title, sizeof title, "%" PRIu64 " of %" PRIu64 " rows deleted, %" PRIu64 " chunk%s a bar",
             subject->summary.n_deleted_rows, subject->summary.n_rows, bins->n_chunks_a_bin,
             bins->n_chunks_a_bin == 1 ? "" : "s");
    const struct gnuplot_variable variables[] = {{"DVBENCH_DATA", data_path},
                                                 {"DVBENCH_OUT", stem},
                                                 {"DVBENCH_FORMAT", extension},
                                                 {"DVBENCH_TITLE", subject->spec},
                                                 {"DVBENCH_SUBTITLE", title}};
    status =
        gnuplot_run(script, variables, sizeof variables / sizeof *variables, said, sizeof said, error_out);
    /* gnuplot also warns of what does no harm, such as characters that a locale lacks. */
    if (status == 0 && strncmp(said, "no terminal", strlen("no terminal")) == 0)
        status = dv_fail(error_out, DV_ERROR_UNAVAILABLE, "--figure: gnuplot said: %s", said);
    return status;
}

int inspect_figure(const struct inspect_subject *subject, const char *path, struct dv_error *error_out)
{
    const char *dot = strrchr(path, '.');
    const char *extension = dot ? dot + 1 : "";
    if (strcmp(extension, "svg") != 0 && strcmp(extension, "png") != 0 && strcmp(extension, "pdf") != 0)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--figure: found \"%s\", expected a name that ends in .svg, .png or .pdf", path);
    struct bins bins = {0};
    size_t n_bytes = 0;
    char *stem = strndup(path, (size_t)(dot - path));
    char *data_path = NULL;
    char *csv = NULL;
    int status = count_bins(&bins, subject, error_out);
    if (status != 0)
        goto out;
    csv = bins_csv(&bins, &subject->summary, &n_bytes);
    if (!csv || !stem || asprintf(&data_path, "%s.csv", path) < 0) {
        status = dv_no_memory(error_out);
        goto out;
    }
    status = file_write(data_path, csv, n_bytes, error_out);
    if (status == 0)
        status = draw(subject, &bins, data_path, stem, extension, error_out);
    if (status != 0)
        unlink(data_path);
out:
    free(data_path);
    free(stem);
    free(csv);
    free(bins.items);
    return status;
}
