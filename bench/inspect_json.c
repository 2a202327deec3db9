/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "inspect_print.h"

/* NULL gives null; a path that is no UTF-8 has its high bytes percent-encoded. */
static json_t *text_or_null(const char *text)
{
    if (!text)
        return json_null();
    json_t *json = json_string(text);
    if (json)
        return json;
    char *encoded = malloc(3 * strlen(text) + 1);
    if (!encoded)
        return NULL;
    size_t n_chars = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        n_chars += (size_t)sprintf(encoded + n_chars, *at < 0x80 ? "%c" : "%%%02X", *at);
    encoded[n_chars] = '\0';
    json = json_string(encoded);
    free(encoded);
    return json;
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

static void add_summary(json_t *object, const struct inspect_summary *summary)
{
    bool is_empty = summary->cardinality == 0;
    json_object_set_new(object, "cardinality", number(summary->cardinality));
    json_object_set_new(object, "first", is_empty ? json_null() : number(summary->first));
    json_object_set_new(object, "last", is_empty ? json_null() : number(summary->last));
    json_object_set_new(object, "keys", number(summary->n_keys));
    json_object_set_new(object, "buckets", number(summary->n_buckets));
    json_object_set_new(object, "containers", by_kind(summary, offsetof(struct inspect_kind, n_containers)));
    json_object_set_new(object, "container_bytes", by_kind(summary, offsetof(struct inspect_kind, n_bytes)));
    json_object_set_new(object, "container_positions",
                        by_kind(summary, offsetof(struct inspect_kind, n_positions)));
    json_object_set_new(object, "runs",
                        json_pack("{s:o, s:o, s:o}", "total", number(summary->n_runs), "least",
                                  number(summary->least_runs), "most", number(summary->most_runs)));
    json_object_set_new(object, "chunks_by_deletes", chunks_by_deletes(summary));
    json_object_set_new(object, "near_cliff",
                        json_pack("{s:o, s:o, s:o, s:o}", "below", number(summary->n_near_below), "above",
                                  number(summary->n_near_above), "nearest_below",
                                  number(summary->nearest_below), "nearest_above",
                                  number(summary->nearest_above)));
    json_object_set_new(object, "rows", number(summary->n_rows));
    json_object_set_new(object, "deleted_rows", number(summary->n_deleted_rows));
    json_object_set_new(object, "beyond_rows", number(summary->cardinality - summary->n_deleted_rows));
}

static void add_frame(json_t *object, const struct inspect_subject *subject)
{
    const struct format_vector *vector = subject->vector;
    json_object_set_new(object, "frame",
                        vector ? json_pack("{s:o, s:o}", "offset", number(vector->frame_offset), "bytes",
                                           number(vector->n_frame_bytes))
                               : json_null());
    json_object_set_new(object, "data_file", text_or_null(vector ? vector->data_file : NULL));
    json_object_set_new(object, "stated_cardinality",
                        vector && vector->has_stated_cardinality ? number(vector->stated_cardinality)
                                                                 : json_null());
    json_object_set_new(object, "created_by", text_or_null(subject->file ? subject->file->created_by : NULL));
    json_object_set_new(object, "favoured_kernel", text_or_null(subject->favoured));
    json_object_set_new(object, "mended", json_boolean(vector && vector->is_repaired));
    json_t *warnings = json_array();
    for (size_t i = 0; subject->file && i < subject->file->n_warnings; i++)
        json_array_append_new(warnings, text_or_null(subject->file->warnings[i]));
    json_object_set_new(object, "warnings", warnings);
}

/* jansson's setters fail quietly where a value could not be made; what is missing then is seen by the count.
 */
enum { N_MEMBERS = 25 };

int inspect_print_json(FILE *out, const struct inspect_subject *subject, struct dv_error *error_out)
{
    json_t *object = json_object();
    json_object_set_new(object, "schema", json_integer(1));
    json_object_set_new(object, "spec", text_or_null(subject->spec));
    json_object_set_new(object, "format", json_string(subject->format));
    json_object_set_new(object, "bytes", number(subject->n_payload_bytes));
    json_object_set_new(object, "crc", crc(subject->vector));
    add_summary(object, &subject->summary);
    json_object_set_new(object, "rows_stated", json_boolean(subject->has_stated_rows));
    add_frame(object, subject);
    int code = 0;
    if (json_object_size(object) != N_MEMBERS)
        code = dv_fail(error_out, DV_ERROR_MEMORY, DV_NO_OFFSET, "no memory for a JSON object");
    else if (json_dumpf(object, out, JSON_COMPACT) != 0 || putc('\n', out) == EOF)
        code = dv_fail(error_out, DV_ERROR_IO, DV_NO_OFFSET, "cannot write to standard output");
    json_decref(object);
    return code;
}
