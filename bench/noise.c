/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"
#include "stats.h"

static bool is_twin(const struct sample_row *row)
{
    const size_t n = strlen(row->kernel), n_suffix = strlen(SAMPLES_TWIN_SUFFIX);
    return n > n_suffix && strcmp(row->kernel + n - n_suffix, SAMPLES_TWIN_SUFFIX) == 0;
}

static bool same_block(const struct sample_row *a, const struct sample_row *b)
{
    return a->sink == b->sink && a->batch_rows == b->batch_rows && a->mode == b->mode &&
           strcmp(a->dv, b->dv) == 0;
}

/* The twin's samples over those of its kernel in the same round of the same start. */
static int measure_pair(struct noise_pair *pair, const struct samples *samples, const struct sample_row *twin)
{
    const size_t n_id = strlen(twin->kernel) - strlen(SAMPLES_TWIN_SUFFIX);
    double *twins = calloc(samples->n_rows, sizeof *twins),
           *originals = calloc(samples->n_rows, sizeof *originals);
    size_t n = 0;
    struct stats_summary ratio = {0};
    int status = twins && originals ? 0 : DV_ERROR_MEMORY;
    for (size_t i = 0; status == 0 && i < samples->n_rows; i++) {
        const struct sample_row *a = &samples->rows[i];
        if (strcmp(a->kernel, twin->kernel) != 0 || !same_block(a, twin))
            continue;
        for (size_t j = 0; j < samples->n_rows; j++) {
            const struct sample_row *b = &samples->rows[j];
            if (b->start == a->start && b->round == a->round && strlen(b->kernel) == n_id &&
                strncmp(b->kernel, a->kernel, n_id) == 0 && same_block(a, b)) {
                twins[n] = a->sample.ns_per_row;
                originals[n++] = b->sample.ns_per_row;
                break;
            }
        }
    }
    if (status == 0)
        status = stats_summarise_ratios(&ratio, twins, originals, n);
    *pair = (struct noise_pair){.like = twin,
                                .ns_per_row = stats_median(originals, n),
                                .deviation_pct = 100 * fabs(ratio.median - 1)};
    free(twins);
    free(originals);
    return status;
}

static bool is_known(const struct noise *noise, const struct sample_row *twin)
{
    for (size_t i = 0; i < noise->n_pairs; i++)
        if (strcmp(noise->pairs[i].like->kernel, twin->kernel) == 0 && same_block(noise->pairs[i].like, twin))
            return true;
    return false;
}

static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

/* A block with one kernel alone has one pair: it is slow and fast at once. */
static void classify(struct noise *noise)
{
    noise->slow_pct = noise->fast_pct = NAN;
    for (size_t i = 0; i < noise->n_pairs; i++) {
        struct noise_pair *pair = &noise->pairs[i];
        bool has_slower = false, has_faster = false;
        for (size_t j = 0; j < noise->n_pairs; j++)
            if (j != i && same_block(noise->pairs[j].like, pair->like)) {
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
    int status = noise_out->pairs ? 0 : DV_ERROR_MEMORY;
    for (size_t i = 0; status == 0 && i < samples->n_rows; i++)
        if (is_twin(&samples->rows[i]) && !is_known(noise_out, &samples->rows[i]))
            status = measure_pair(&noise_out->pairs[noise_out->n_pairs++], samples, &samples->rows[i]);
    if (status < 0) {
        noise_free(noise_out);
        return dv_fail(error_out, status, DV_NO_OFFSET, "no memory for the noise floor");
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
