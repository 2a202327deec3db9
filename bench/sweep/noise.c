/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"
#include "stats.h"

/* One sample of a twin and its kernel's in the same round of the same start. */
struct twin {
    const struct sample_row *row; /* of the twin, borrowed */
    double original_ns_per_row;
};

/* By block: all pairs of one stand together, whatever the starts between them. */
static int compare_blocks(const struct sample_row *a, const struct sample_row *b)
{
    const int64_t by_shape[] = {(int64_t)a->batch_rows - b->batch_rows, (int64_t)a->sink - (int64_t)b->sink,
                                (int64_t)a->mode - (int64_t)b->mode};
    for (size_t i = 0; i < sizeof by_shape / sizeof *by_shape; i++)
        if (by_shape[i])
            return by_shape[i] < 0 ? -1 : 1;
    return strcmp(a->dv, b->dv);
}

static int compare_twins(const void *a, const void *b)
{
    const struct sample_row *one = ((const struct twin *)a)->row, *other = ((const struct twin *)b)->row;
    const int by_block = compare_blocks(one, other);
    return by_block ? by_block : strcmp(one->kernel, other->kernel);
}

static const struct sample_row *original_of(const struct samples *samples, size_t row)
{
    const struct sample_row *twin = &samples->rows[row];
    const size_t n_id = strlen(twin->kernel) - strlen(SAMPLES_TWIN_SUFFIX);
    size_t first, end;
    samples_stretch(samples, row, &first, &end);
    for (size_t i = first; i < end; i++)
        if (samples->rows[i].round == twin->round && strlen(samples->rows[i].kernel) == n_id &&
            strncmp(samples->rows[i].kernel, twin->kernel, n_id) == 0)
            return &samples->rows[i];
    return NULL;
}

static size_t collect_twins(const struct samples *samples, struct twin *twins_out)
{
    size_t n_twins = 0;
    for (size_t i = 0; i < samples->n_rows; i++) {
        const struct sample_row *row = &samples->rows[i];
        const struct sample_row *original = samples_is_twin(row) ? original_of(samples, i) : NULL;
        if (original)
            twins_out[n_twins++] = (struct twin){row, original->sample.ns_per_row};
    }
    qsort(twins_out, n_twins, sizeof *twins_out, compare_twins);
    return n_twins;
}

static int measure_pair(struct noise_pair *pair_out, const struct twin *twins, size_t n_twins)
{
    double *times = calloc(n_twins, sizeof *times), *originals = calloc(n_twins, sizeof *originals);
    struct stats_summary ratio = {0};
    int status = times && originals ? 0 : DV_ERROR_MEMORY;
    for (size_t i = 0; status == 0 && i < n_twins; i++) {
        times[i] = twins[i].row->sample.ns_per_row;
        originals[i] = twins[i].original_ns_per_row;
    }
    if (status == 0)
        status = stats_summarise_ratios(&ratio, times, originals, n_twins);
    if (status == 0)
        *pair_out = (struct noise_pair){.like = twins[0].row,
                                        .ns_per_row = stats_median(originals, n_twins),
                                        .deviation_pct = 100 * fabs(ratio.median - 1)};
    free(times);
    free(originals);
    return status;
}

/* The twins of one pair stand together. */
static int measure_pairs(struct noise *noise, const struct twin *twins, size_t n_twins)
{
    int status = 0;
    for (size_t first = 0, end; status == 0 && first < n_twins; first = end) {
        for (end = first + 1; end < n_twins && compare_twins(&twins[first], &twins[end]) == 0;)
            end++;
        status = measure_pair(&noise->pairs[noise->n_pairs++], &twins[first], end - first);
    }
    return status;
}

static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

/* End of the pairs of the block that begins at `first`. */
static size_t end_of_block(const struct noise *noise, size_t first)
{
    size_t end = first + 1;
    while (end < noise->n_pairs && compare_blocks(noise->pairs[first].like, noise->pairs[end].like) == 0)
        end++;
    return end;
}

/* A block with only one kernel has one pair: it is slow and fast at once. */
static void classify_block(struct noise *noise, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct noise_pair *pair = &noise->pairs[i];
        bool has_slower = false, has_faster = false;
        for (size_t j = first; j < end; j++) {
            has_slower |= noise->pairs[j].ns_per_row > pair->ns_per_row;
            has_faster |= noise->pairs[j].ns_per_row < pair->ns_per_row;
        }
        pair->is_slow = !has_slower;
        if (isnan(pair->deviation_pct))
            continue;
        if (!has_slower)
            noise->slow_pct = larger(noise->slow_pct, pair->deviation_pct);
        if (!has_faster)
            noise->fast_pct = larger(noise->fast_pct, pair->deviation_pct);
    }
}

int noise_measure(struct noise *noise_out, const struct samples *samples, struct dv_error *error_out)
{
    *noise_out = (struct noise){
        .pairs = calloc(samples->n_rows + 1, sizeof(struct noise_pair)), .slow_pct = NAN, .fast_pct = NAN};
    struct twin *twins = calloc(samples->n_rows + 1, sizeof *twins);
    int status = noise_out->pairs && twins ? 0 : DV_ERROR_MEMORY;
    if (status == 0)
        status = measure_pairs(noise_out, twins, collect_twins(samples, twins));
    free(twins);
    if (status < 0) {
        noise_free(noise_out);
        return dv_fail(error_out, status, "no memory for the noise floor");
    }
    for (size_t first = 0, end; first < noise_out->n_pairs; first = end) {
        end = end_of_block(noise_out, first);
        classify_block(noise_out, first, end);
    }
    return 0;
}

/* The first pair whose block is not before that of `like`. */
static size_t first_of_block(const struct noise *noise, const struct sample_row *like)
{
    size_t low = 0, high = noise->n_pairs;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_blocks(noise->pairs[middle].like, like) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double noise_floor_pct(const struct noise *noise, const char *dv, const char *sink, uint32_t batch_rows,
                       const char *mode, double ns_per_row)
{
    double nearest = INFINITY, floor_pct = NAN;
    const int sink_kind = sink_find(sink), sweep_mode = mode_find(mode);
    if (sink_kind < 0 || sweep_mode < 0)
        return NAN;
    const struct sample_row like = {.dv = (char *)dv, /* only read */
                                    .sink = (enum sink_kind)sink_kind,
                                    .batch_rows = batch_rows,
                                    .mode = (enum sweep_mode)sweep_mode};
    for (size_t i = first_of_block(noise, &like);
         i < noise->n_pairs && compare_blocks(noise->pairs[i].like, &like) == 0; i++) {
        const struct noise_pair *pair = &noise->pairs[i];
        const double distance = fabs(log(ns_per_row / pair->ns_per_row));
        if (distance < nearest) {
            nearest = distance;
            floor_pct = pair->is_slow ? noise->slow_pct : noise->fast_pct;
        }
    }
    return floor_pct;
}

void noise_free(struct noise *noise)
{
    free(noise->pairs);
    *noise = (struct noise){0};
}
