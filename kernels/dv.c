/* SPDX-License-Identifier: Apache-2.0 */
#include "dv.h"
#include "dv_intervals.h"
#include "dv_roaring.h"

static int add_roaring(struct dv *dv, struct dv_error *error_out)
{
#if DVBENCH_HAVE_ROARING
    return dv->roaring ? 0 : dv_roaring_new(&dv->roaring, dv, error_out);
#else
    (void)dv;
    return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "built without CRoaring");
#endif
}

static int add_roaring64(struct dv *dv, struct dv_error *error_out)
{
#if DVBENCH_HAVE_ROARING64
    return dv->roaring64 ? 0 : dv_roaring64_new(&dv->roaring64, dv, error_out);
#else
    (void)dv;
    return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "built without CRoaring's 64-bit bitmap");
#endif
}

static void drop_roaring(struct dv *dv)
{
#if DVBENCH_HAVE_ROARING
    dv_roaring_free(dv->roaring);
#endif
    dv->roaring = NULL;
}

static void drop_roaring64(struct dv *dv)
{
#if DVBENCH_HAVE_ROARING64
    dv_roaring64_free(dv->roaring64);
#endif
    dv->roaring64 = NULL;
}

int dv_add(struct dv *dv, unsigned needs, struct dv_error *error_out)
{
    int status = 0;
    if (needs & DV_NEEDS_ROARING)
        status = add_roaring(dv, error_out);
    if (!status && needs & DV_NEEDS_ROARING64)
        status = add_roaring64(dv, error_out);
    if (!status && needs & DV_NEEDS_INTERVALS && !dv->intervals.items)
        status = dv_intervals_new(&dv->intervals, dv->bytes, dv->n_bytes, error_out);
    return status;
}

int dv_open(struct dv *dv_out, const uint8_t *bytes, size_t n_bytes, unsigned needs,
            struct dv_error *error_out)
{
    *dv_out = (struct dv){.bytes = bytes, .n_bytes = n_bytes};
    int status = dv_view_index(&dv_out->view, bytes, n_bytes, error_out);
    if (!status)
        status = dv_view_validate(&dv_out->view, bytes, error_out);
    if (!status)
        status = dv_add(dv_out, needs, error_out);
    if (status)
        dv_close(dv_out);
    return status;
}

void dv_drop(struct dv *dv, unsigned needs)
{
    if (needs & DV_NEEDS_ROARING)
        drop_roaring(dv);
    if (needs & DV_NEEDS_ROARING64)
        drop_roaring64(dv);
    if (needs & DV_NEEDS_INTERVALS)
        dv_intervals_free(&dv->intervals);
}

size_t dv_state_bytes(const struct dv *dv, unsigned needs)
{
    if (needs == DV_NEEDS_VIEW)
        return dv->view.n_containers * sizeof *dv->view.containers;
    size_t n_bytes = 0;
#if DVBENCH_HAVE_ROARING
    if (needs & DV_NEEDS_ROARING && dv->roaring)
        n_bytes += dv_roaring_bytes(dv);
#endif
#if DVBENCH_HAVE_ROARING64
    if (needs & DV_NEEDS_ROARING64 && dv->roaring64)
        n_bytes += dv_roaring64_bytes(dv);
#endif
    if (needs & DV_NEEDS_INTERVALS)
        n_bytes += dv->intervals.n_items * sizeof *dv->intervals.items;
    return n_bytes;
}

void dv_close(struct dv *dv)
{
    dv_drop(dv, DV_NEEDS_ROARING | DV_NEEDS_ROARING64 | DV_NEEDS_INTERVALS);
    dv_view_free(&dv->view);
    *dv = (struct dv){0};
}

const char *dv_croaring_version(void)
{
    return DVBENCH_ROARING_VERSION;
}
