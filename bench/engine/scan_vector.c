/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_vector.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <zlib.h>

#include "digest.h"
#include "dv_intervals.h"
#include "file_read.h"
#include "file_write.h"
#include "format_write.h"
#include "recipe.h"
#include "source.h"
#include "stats.h"

int scan_vector_open(struct scan_open_vector *open_out, const struct scan_vector *vector, unsigned needs,
                     struct dv_error *error_out)
{
    const struct format_options options = {.has_blob = true, .blob = vector->index};
    *open_out = (struct scan_open_vector){0};
    if (vector->payload)
        return dv_open(&open_out->dv, vector->payload, vector->n_bytes, needs, error_out);
    int status = format_open(&open_out->file, vector->path, &options, error_out);
    if (status < 0)
        return status;
    /* The file's own view moves on: it is indexed and validated, and no reader pays for validating twice. */
    struct format_vector *found = &open_out->file.vectors[0];
    open_out->dv =
        (struct dv){.bytes = found->payload, .n_bytes = found->n_payload_bytes, .view = found->view};
    found->view = (struct dv_view){0};
    status = dv_add(&open_out->dv, needs, error_out);
    if (status < 0)
        scan_vector_close(open_out);
    return status;
}

void scan_vector_close(struct scan_open_vector *open)
{
    dv_close(&open->dv);
    format_close(&open->file);
    *open = (struct scan_open_vector){0};
}

static uint64_t end_of(const struct dv_intervals *intervals)
{
    return intervals->n_items ? intervals->items[intervals->n_items - 1].end : 0;
}

int scan_vector_read(struct scan_vector *vector_out, const char *path, uint64_t index, uint64_t n_rows,
                     const char *data_file, struct dv_error *error_out)
{
    struct scan_open_vector open;
    *vector_out = (struct scan_vector){.path = strdup(path), .index = index, .n_rows = n_rows};
    if (!vector_out->path)
        return dv_no_memory(error_out);
    int status = scan_vector_open(&open, vector_out, DV_NEEDS_INTERVALS, error_out);
    if (status < 0)
        return dv_error_set_where(error_out, path);
    vector_out->cardinality = open.dv.view.cardinality;
    vector_out->n_bytes = open.dv.n_bytes;
    vector_out->digest = digest_bytes(open.dv.bytes, open.dv.n_bytes);
    memcpy(vector_out->n_kind, open.dv.view.n_kind, sizeof vector_out->n_kind);
    vector_out->intervals = open.dv.intervals;
    open.dv.intervals = (struct dv_intervals){0};
    vector_out->spec = format_vector_spec(&open.file, path, &open.file.vectors[0]);
    scan_vector_close(&open);
    if (!vector_out->spec)
        return dv_no_memory(error_out);
    if (end_of(&vector_out->intervals) <= n_rows)
        return 0;
    status = dv_fail(error_out, DV_ERROR_INPUT,
                     "deletes row %" PRIu64 ", but the data file %s has %" PRIu64
                     " rows: is this the vector of another file?",
                     end_of(&vector_out->intervals) - 1, data_file, n_rows);
    return dv_error_set_where(error_out, path);
}

int scan_vector_none(struct scan_vector *vector_out, uint64_t n_rows, struct dv_error *error_out)
{
    static const uint8_t no_chunks[8] = {0}; /* a 64-bit bitmap's count of them */
    *vector_out = (struct scan_vector){
        .payload = no_chunks, .n_bytes = sizeof no_chunks, .spec = strdup("none"), .n_rows = n_rows};
    return vector_out->spec ? 0 : dv_no_memory(error_out);
}

static bool spec_has(const char *spec, const char *key)
{
    const size_t n_key = strlen(key);
    for (const char *at = strchr(spec, ':'); at; at = strchr(at + 1, ':'))
        if (strncmp(at + 1, key, n_key) == 0 && at[1 + n_key] == '=')
            return true;
    return false;
}

/* Files differ in their seeds, or in what the recipe calls a file. */
static char *spec_of_file(const char *spec, size_t file, uint64_t n_rows)
{
    char id[32], *full = NULL, seed[48] = "", number[48] = "";
    snprintf(id, sizeof id, "%.*s", (int)strcspn(spec, ":"), spec);
    const struct recipe *recipe = recipe_find(id);
    if (recipe && recipe_find_param(recipe, "seed") && !spec_has(spec, "seed"))
        snprintf(seed, sizeof seed, ":seed=%zu", file + 1);
    if (recipe && recipe_find_param(recipe, "file") && !spec_has(spec, "file"))
        snprintf(number, sizeof number, ":file=%zu", file % 4);
    if (asprintf(&full, "%s%s%s:rows=%" PRIu64, spec, number, seed, n_rows) < 0)
        return NULL;
    return full;
}

/* Files are known by their content, so that one of the same name and size is the same. */
static int write_puffin(const struct dv_source *source, const char *data_file, const char *dir, size_t file,
                        char **path_out, struct dv_error *error_out)
{
    struct dv_view view = {0};
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    struct stat facts;
    *path_out = NULL;
    int status = dv_view_index(&view, source->payload, source->n_payload_bytes, error_out);
    const struct format_output output = {source->payload, source->n_payload_bytes, view.cardinality,
                                         data_file};
    const struct format_write_options options = {.format = FORMAT_PUFFIN};
    dv_view_free(&view);
    if (status == 0 && asprintf(path_out, "%s/dv-%zu-%016" PRIx64 ".puffin", dir, file, source->digest) < 0)
        status = dv_no_memory(error_out);
    if (status == 0)
        status = format_encode(&output, 1, &options, &bytes, &n_bytes, error_out);
    if (status == 0 && (stat(*path_out, &facts) != 0 || (uint64_t)facts.st_size != n_bytes))
        status = file_write(*path_out, bytes, n_bytes, error_out);
    free(bytes);
    return status;
}

int scan_vector_make(struct scan_vector *vector_out, const char *spec, size_t file, uint64_t n_rows,
                     const char *data_file, const char *dir, struct dv_error *error_out)
{
    struct dv_source source = {0};
    char *full = spec_of_file(spec, file, n_rows), *path = NULL;
    *vector_out = (struct scan_vector){0};
    int status = full ? source_open_spec(&source, full, error_out) : dv_no_memory(error_out);
    free(full);
    if (status < 0)
        return status;
    status = write_puffin(&source, data_file, dir, file, &path, error_out);
    if (status == 0)
        status = scan_vector_read(vector_out, path, 0, n_rows, data_file, error_out);
    if (status == 0) {
        free(vector_out->spec);
        vector_out->spec = source.spec;
        source.spec = NULL;
    }
    free(path);
    source_free(&source);
    return status;
}

void scan_vector_free(struct scan_vector *vector)
{
    free(vector->path);
    free(vector->spec);
    dv_intervals_free(&vector->intervals);
    *vector = (struct scan_vector){0};
}

/* --- what opening consists of --- */

enum { N_COSTED = 32, N_TRIES = 5 };

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void keep_least(double *least, double begin)
{
    const double took = now_us() - begin;
    *least = isnan(*least) || took < *least ? took : *least;
}

/* The steps of format_open one by one, on the bytes that it would see. */
static int cost_once(struct scan_open_cost *least, const struct scan_vector *vector, const struct dv *dv,
                     struct dv_error *error_out)
{
    struct dv_view view = {0};
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    volatile uLong checksum; /* nobody else reads it */
    double begin = now_us();
    int status = file_read(vector->path, FILE_READ_MOST, &bytes, &n_bytes, error_out);
    keep_least(&least->read_us, begin);
    free(bytes);
    begin = now_us();
    checksum = crc32_z(0, dv->bytes, dv->n_bytes);
    (void)checksum;
    keep_least(&least->checksum_us, begin);
    begin = now_us();
    if (status == 0)
        status = dv_view_index(&view, dv->bytes, dv->n_bytes, error_out);
    if (status == 0)
        status = dv_view_validate(&view, dv->bytes, error_out);
    keep_least(&least->index_us, begin);
    dv_view_free(&view);
    return status;
}

static int cost_of(struct scan_open_cost *least, const struct scan_vector *vector, struct dv_error *error_out)
{
    struct scan_open_vector open;
    int status = scan_vector_open(&open, vector, 0, error_out);
    if (status < 0)
        return status;
    *least = (struct scan_open_cost){NAN, NAN, NAN};
    for (int i = 0; status == 0 && i < N_TRIES; i++)
        status = cost_once(least, vector, &open.dv, error_out);
    scan_vector_close(&open);
    return status;
}

int scan_vectors_cost(struct scan_open_cost *cost_out, const struct scan_vector *vectors, size_t n_vectors,
                      struct dv_error *error_out)
{
    const size_t n = n_vectors < N_COSTED ? n_vectors : N_COSTED;
    double reads[N_COSTED], checksums[N_COSTED], indexes[N_COSTED];
    size_t n_read = 0;
    for (size_t i = 0; i < n; i++) {
        struct scan_open_cost cost;
        const struct scan_vector *vector = &vectors[i * n_vectors / n];
        const int status = vector->path ? cost_of(&cost, vector, error_out) : 0;
        if (status < 0)
            return status;
        if (!vector->path)
            continue;
        reads[n_read] = cost.read_us;
        checksums[n_read] = cost.checksum_us;
        indexes[n_read++] = cost.index_us;
    }
    *cost_out = n_read ? (struct scan_open_cost){stats_median(reads, n_read), stats_median(checksums, n_read),
                                                 stats_median(indexes, n_read)}
                       : (struct scan_open_cost){NAN, NAN, NAN};
    return 0;
}
