/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include <jansson.h>

#include "inspect.h"
#include "run_json.h"

/* An object being filled; a member that could not be made or added is remembered. */
struct builder {
    json_t *object;
    bool is_failed;
};

static void put(struct builder *builder, const char *name, json_t *value)
{
    builder->is_failed |= json_object_set_new(builder->object, name, value) != 0;
}

static json_t *number(uint64_t value)
{
    char text[24];
    if (value <= INT64_MAX)
        return json_integer((json_int_t)value);
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

static json_t *by_kind(const struct inspect_summary *summary, size_t member_offset)
{
    json_t *object = json_object();
    for (int kind = 0; kind < DV_N_KINDS; kind++) {
        const char *counts = (const char *)&summary->kinds[kind];
        uint64_t value;
        memcpy(&value, counts + member_offset, sizeof value);
        json_object_set_new(object, inspect_kind_id((enum dv_kind)kind), number(value));
    }
    return object;
}

static json_t *chunks_by_deletes(const struct inspect_summary *summary)
{
    json_t *array = json_array();
    for (int i = 0; i < INSPECT_N_CLASSES; i++)
        json_array_append_new(
            array, json_pack("{s:I, s:I, s:o}", "least", (json_int_t)inspect_classes[i].least, "most",
                             (json_int_t)inspect_classes[i].most, "chunks", number(summary->n_chunks[i])));
    return array;
}

static json_t *crc(const struct format_vector *vector)
{
    char text[12];
    if (!vector || !vector->has_crc)
        return json_null();
    snprintf(text, sizeof text, "%08" PRIx32, vector->crc_stored);
    return json_string(text);
}

static void add_summary(struct builder *builder, const struct inspect_summary *summary)
{
    bool is_empty = summary->cardinality == 0;
    put(builder, "cardinality", number(summary->cardinality));
    put(builder, "first", is_empty ? json_null() : number(summary->first));
    put(builder, "last", is_empty ? json_null() : number(summary->last));
    put(builder, "keys", number(summary->n_keys));
    put(builder, "buckets", number(summary->n_buckets));
    put(builder, "containers", by_kind(summary, offsetof(struct inspect_kind, n_containers)));
    put(builder, "container_bytes", by_kind(summary, offsetof(struct inspect_kind, n_bytes)));
    put(builder, "container_positions", by_kind(summary, offsetof(struct inspect_kind, n_positions)));
    put(builder, "runs",
        json_pack("{s:o, s:o, s:o}", "total", number(summary->n_runs), "least", number(summary->least_runs),
                  "most", number(summary->most_runs)));
    put(builder, "chunks_by_deletes", chunks_by_deletes(summary));
    put(builder, "near_cliff",
        json_pack("{s:o, s:o, s:o, s:o}", "below", number(summary->n_near_below), "above",
                  number(summary->n_near_above), "nearest_below", number(summary->nearest_below),
                  "nearest_above", number(summary->nearest_above)));
    put(builder, "oddities",
        json_pack("{s:o, s:o, s:o}", "empty_buckets", number(summary->n_buckets - summary->n_keys),
                  "touching_runs", number(summary->n_touching_runs), "bytes_to_save",
                  number(summary->n_body_bytes - summary->n_optimized_bytes)));
    char rows[INSPECT_ROWS_CHARS];
    put(builder, "rows",
        summary->n_rows < UINT64_MAX ? number(summary->n_rows)
                                     : json_string(inspect_rows_text(summary, rows)));
    put(builder, "deleted_rows", number(summary->n_deleted_rows));
    put(builder, "beyond_rows", number(summary->cardinality - summary->n_deleted_rows));
}

static void add_frame(struct builder *builder, const struct inspect_subject *subject)
{
    const struct format_vector *vector = subject->vector;
    put(builder, "number", vector ? number(vector->index) : json_null());
    put(builder, "frame",
        vector ? json_pack("{s:o, s:o}", "offset", number(vector->frame_offset), "bytes",
                           number(vector->n_frame_bytes))
               : json_null());
    put(builder, "data_file", run_json_text(vector ? vector->data_file : NULL));
    put(builder, "stated_cardinality",
        vector && vector->has_stated_cardinality ? number(vector->stated_cardinality) : json_null());
    put(builder, "created_by", run_json_text(subject->file ? subject->file->created_by : NULL));
    put(builder, "favoured_kernel", run_json_text(subject->fastest ? subject->fastest->kernel : NULL));
    put(builder, "repaired", json_boolean(vector && vector->is_repaired));
    json_t *warnings = json_array();
    for (size_t i = 0; subject->file && i < subject->file->n_warnings; i++)
        builder->is_failed |= json_array_append_new(warnings, run_json_text(subject->file->warnings[i])) != 0;
    put(builder, "warnings", warnings);
}

int inspect_print_json(FILE *out, const struct inspect_subject *subject, struct dv_error *error_out)
{
    struct builder made = {.object = json_object()};
    struct builder *builder = &made;
    put(builder, "schema", json_integer(1));
    put(builder, "spec", run_json_text(subject->spec));
    put(builder, "format", json_string(subject->format));
    put(builder, "bytes", number(subject->n_payload_bytes));
    put(builder, "crc", crc(subject->vector));
    add_summary(builder, &subject->summary);
    put(builder, "rows_stated", json_boolean(subject->has_stated_rows));
    add_frame(builder, subject);
    int status = 0;
    if (made.is_failed)
        status = dv_no_memory(error_out);
    else if (json_dumpf(made.object, out, JSON_COMPACT | JSON_ENSURE_ASCII) != 0 || putc('\n', out) == EOF)
        status = dv_fail(error_out, DV_ERROR_IO, "cannot write to standard output");
    json_decref(made.object);
    return status;
}
