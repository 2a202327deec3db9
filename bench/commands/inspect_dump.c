/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "inspect_print.h"
#include "payload_ranges.h"

struct dumper {
    FILE *out;
    bool is_open;
    uint64_t first; /* the range not printed yet, both ends included */
    uint64_t last;
};

static int fail_output(struct dv_error *error_out)
{
    return dv_fail(error_out, DV_ERROR_IO, "cannot write to standard output");
}

static int dump_positions(void *user, uint64_t first, uint64_t last, struct dv_error *error_out)
{
    struct dumper *dumper = user;
    for (uint64_t i = 0; i <= last - first; i++)
        if (fprintf(dumper->out, "%" PRIu64 "\n", first + i) < 0)
            return fail_output(error_out);
    return 0;
}

/* The end of a range with position 2^64 - 1 is written as what it is, 2^64. */
static int print_range(const struct dumper *dumper, struct dv_error *error_out)
{
    int n_chars = dumper->last == UINT64_MAX
                      ? fprintf(dumper->out, "%" PRIu64 " 18446744073709551616\n", dumper->first)
                      : fprintf(dumper->out, "%" PRIu64 " %" PRIu64 "\n", dumper->first, dumper->last + 1);
    return n_chars < 0 ? fail_output(error_out) : 0;
}

static int dump_ranges(void *user, uint64_t first, uint64_t last, struct dv_error *error_out)
{
    struct dumper *dumper = user;
    if (dumper->is_open && first == dumper->last + 1) {
        dumper->last = last;
        return 0;
    }
    int status = dumper->is_open ? print_range(dumper, error_out) : 0;
    dumper->is_open = true;
    dumper->first = first;
    dumper->last = last;
    return status;
}

int inspect_dump(FILE *out, const struct dv_view *view, enum inspect_dump form, struct dv_error *error_out)
{
    struct dumper dumper = {.out = out};
    if (form == INSPECT_DUMP_POSITIONS)
        return payload_ranges(view, dump_positions, &dumper, error_out);
    int status = payload_ranges(view, dump_ranges, &dumper, error_out);
    if (status == 0 && dumper.is_open)
        status = print_range(&dumper, error_out);
    return status;
}
