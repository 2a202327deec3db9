/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "recipe_line.h"
#include "source.h"

int recipe_line(char *line_out, size_t n_line_bytes, const char *spec, struct dv_error *error_out)
{
    struct dv_source source;
    struct dv_view view = {0};
    int code = source_open_spec(&source, spec, error_out);
    if (code)
        return code;
    code = dv_view_index(&view, source.payload, source.n_payload_bytes, error_out);
    if (!code)
        code = dv_view_validate(&view, source.payload, error_out);
    if (!code)
        snprintf(line_out, n_line_bytes, "%s %" PRIu64 " %zu/%zu/%zu %zu %016" PRIx64, source.spec,
                 view.cardinality, view.n_kind[DV_ARRAY], view.n_kind[DV_BITSET], view.n_kind[DV_RUN],
                 source.n_payload_bytes, source.digest);
    dv_view_free(&view);
    source_free(&source);
    return code;
}
