/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "benchmark_join.h"

static int append_part(json_t *joined, const char *part, struct dv_error *error_out)
{
    json_error_t error;
    json_t *root = json_load_file(part, 0, &error);
    json_t *benchmarks = json_object_get(root, "benchmarks");
    if (!json_is_array(benchmarks)) {
        json_decref(root);
        return dv_fail(error_out, DV_ERROR_IO, "%s: no benchmarks in it", part);
    }
    if (!json_object_get(joined, "context"))
        json_object_set(joined, "context", json_object_get(root, "context"));
    json_array_extend(json_object_get(joined, "benchmarks"), benchmarks);
    json_decref(root);
    return 0;
}

int benchmark_join(const char *path, char *const *parts, size_t n_parts, struct dv_error *error_out)
{
    json_t *joined = json_object();
    json_object_set_new(joined, "benchmarks", json_array());
    int status = 0;
    for (size_t i = 0; status == 0 && i < n_parts; i++)
        status = append_part(joined, parts[i], error_out);
    if (status == 0 && json_dump_file(joined, path, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) != 0)
        status = dv_fail(error_out, DV_ERROR_IO, "--benchmark_out=%s: %s", path, strerror(errno));
    json_decref(joined);
    for (size_t i = 0; status == 0 && i < n_parts; i++)
        unlink(parts[i]);
    return status;
}
