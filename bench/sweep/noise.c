/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"
#include "stats.h"

/* One sample of a twin and its kernel's in the same round of the same start. */
struct twin {
    size_t pair;
    double ns_per_row;
    double original_ns_per_row;
};

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

/* The pair that the row belongs to, a new one where there is none; the latest are the likeliest. */
static size_t pair_of(struct noise *noise, const struct sample_row *twin)
{
    for (size_t i = noise->n_pairs; i > 0; i--)
        if (strcmp(noise->pairs[i - 1].like->kernel, twin->kernel) == 0 &&
            samples_same_block(noise->pairs[i - 1].like, twin))
            return i - 1;
    noise->pairs[noise->n_pairs].like = twin;
    return noise->n_pairs++;
}

static size_t collect_twins(struct noise *noise, const struct samples *samples, struct twin *twins_out)
{
    size_t n_twins = 0;
    for (size_t i = 0; i < samples->n_rows; i++) {
        const struct sample_row *row = &samples->rows[i];
        const struct sample_row *original = samples_is_twin(row) ? original_of(samples, i) : NULL;
        if (original)
            twins_out[n_twins++] =
                (struct twin){pair_of(noise, row), row->sample.ns_per_row, original->sample.ns_per_row};
    }
    return n_twins;
}

static int measure_pair(struct noise *noise, size_t pair, const struct twin *twins, size_t n_twins)
{
    double *times = calloc(n_twins, sizeof *times), *originals = calloc(n_twins, sizeof *originals);
    size_t n = 0;
    struct stats_summary ratio = {0};
    int status = times && originals ? 0 : DV_ERROR_MEMORY;
    for (size_t i = 0; status == 0 && i < n_twins; i++)
        if (twins[i].pair == pair) {
            times[n] = twins[i].ns_per_row;
            originals[n++] = twins[i].original_ns_per_row;
        }
    if (status == 0)
        status = stats_summarise_ratios(&ratio, times, originals, n);
    noise->pairs[pair].ns_per_row = stats_median(originals, n);
    noise->pairs[pair].deviation_pct = 100 * fabs(ratio.median - 1);
    free(times);
    free(originals);
    return status;
}

static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

/* A block with only one kernel has one pair: it is slow and fast at once. */
static void classify(struct noise *noise)
{
    noise->slow_pct = noise->fast_pct = NAN;
    for (size_t i = 0; i < noise->n_pairs; i++) {
        struct noise_pair *pair = &noise->pairs[i];
        bool has_slower = false, has_faster = false;
        for (size_t j = 0; j < noise->n_pairs; j++)
            if (j != i && samples_same_block(noise->pairs[j].like, pair->like)) {
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
    *noise_out = (struct noise){.pairs = calloc(samples->n_rows + 1, sizeof(struct noise_pair))};
    struct twin *twins = calloc(samples->n_rows + 1, sizeof *twins);
    int status = noise_out->pairs && twins ? 0 : DV_ERROR_MEMORY;
    const size_t n_twins = status == 0 ? collect_twins(noise_out, samples, twins) : 0;
    for (size_t pair = 0; status == 0 && pair < noise_out->n_pairs; pair++)
        status = measure_pair(noise_out, pair, twins, n_twins);
    free(twins);
    if (status < 0) {
        noise_free(noise_out);
        return dv_fail(error_out, status, "no memory for the noise floor");
    }
    classify(noise_out);
    return 0;
}

double noise_floor_pct(const struct noise *noise, const char *dv, const char *sink, uint32_t batch_rows,
                       const char *mode, double ns_per_row)
{
    double nearest = INFINITY, floor_pct = NAN;
    for (size_t i = 0; i < noise->n_pairs; i++) {
        const struct noise_pair *pair = &noise->pairs[i];
        if (strcmp(pair->like->dv, dv) != 0 || strcmp(sink_id(pair->like->sink), sink) != 0 ||
            pair->like->batch_rows != batch_rows || strcmp(mode_id(pair->like->mode), mode) != 0)
            continue;
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
