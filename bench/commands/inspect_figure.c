/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_write.h"
#include "gnuplot.h"
#include "inspect.h"
#include "options.h"

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
        return dv_fail(error_out, DV_ERROR_USAGE, "--figure: the vector has no rows; pass --rows");
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

static int draw(const struct inspect_subject *subject, const struct bins *bins, const char *folder,
                const char *extension, struct dv_error *error_out)
{
    char script[4096], data[4200], stem[4200], said[200], title[200];
    int status = gnuplot_find_scripts(script, sizeof script - sizeof "/density_map.gp", error_out);
    if (status != 0)
        return status;
    strcat(script, "/density_map.gp");
    snprintf(data, sizeof data, "%s/data.csv", folder);
    snprintf(stem, sizeof stem, "%s/picture", folder);
    snprintf(title, sizeof title, "%" PRIu64 " of %" PRIu64 " rows deleted, %" PRIu64 " chunk%s per bar",
             subject->summary.n_deleted_rows, subject->summary.n_rows, bins->n_chunks_a_bin,
             bins->n_chunks_a_bin == 1 ? "" : "s");
    const struct gnuplot_variable variables[] = {{"DVBENCH_DATA", data},
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

/* Draws in `folder` and moves picture and numbers to where they belong, or leaves nothing. */
static int draw_in(const char *folder, const struct inspect_subject *subject, const struct bins *bins,
                   const char *path, const char *extension, struct dv_error *error_out)
{
    char data[4200], picture[4200], data_end[4200];
    size_t n_bytes = 0;
    char *csv = bins_csv(bins, &subject->summary, &n_bytes);
    snprintf(data, sizeof data, "%s/data.csv", folder);
    snprintf(picture, sizeof picture, "%s/picture.%s", folder, extension);
    snprintf(data_end, sizeof data_end, "%s.csv", path);
    int status = csv ? file_write(data, csv, n_bytes, error_out) : dv_no_memory(error_out);
    free(csv);
    if (status == 0)
        status = draw(subject, bins, folder, extension, error_out);
    if (status == 0 && (rename(picture, path) != 0 || rename(data, data_end) != 0))
        status = dv_fail(error_out, DV_ERROR_IO, "%s: cannot write: %s", path, strerror(errno));
    unlink(data);
    unlink(picture);
    return status;
}

int inspect_figure(const struct inspect_subject *subject, const char *path, struct dv_error *error_out)
{
    static const char *const extensions[] = {"svg", "png", "pdf", NULL};
    const char *dot = strrchr(path, '.');
    if (!dot || option_choice("figure", dot + 1, extensions, NULL) < 0)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--figure: found \"%s\", expected a name that ends in .svg, .png or .pdf", path);
    char folder[4096];
    struct bins bins = {0};
    int n_chars = snprintf(folder, sizeof folder, "%s.XXXXXX", path);
    if (n_chars < 0 || (size_t)n_chars >= sizeof folder)
        return dv_fail(error_out, DV_ERROR_USAGE, "--figure: the path is longer than %zu bytes",
                       sizeof folder);
    int status = count_bins(&bins, subject, error_out);
    if (status == 0 && !mkdtemp(folder))
        status = dv_fail(error_out, DV_ERROR_IO, "%s: cannot write: %s", path, strerror(errno));
    else if (status == 0) {
        status = draw_in(folder, subject, &bins, path, dot + 1, error_out);
        rmdir(folder);
    }
    free(bins.items);
    return status;
}
