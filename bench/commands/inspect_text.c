/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"
#include "payload_ranges.h"
#include "utf8.h"

enum { BAR_CHARS = 40 };

/* A label of a fixed width, then the rest by printf. */
#define LABEL "  %-14s "

/* Text of a file or a path, which may hold what a terminal obeys. */
static void print_visible(FILE *out, const char *before, const char *text, const char *after)
{
    char *visible = utf8_visible(text);
    fprintf(out, "%s%s%s", before, visible ? visible : "(no memory)", after);
    free(visible);
}

void inspect_print_file(FILE *out, const char *name, const struct format_file *file)
{
    print_visible(out, "", name, ": ");
    fprintf(out, "%s, %zu bytes, %" PRIu64 " vector%s", format_id(file->format), file->n_bytes,
            file->n_vectors_in_file, file->n_vectors_in_file == 1 ? "" : "s");
    if (file->created_by)
        print_visible(out, ", written by ", file->created_by, "");
    if (file->is_footer_lz4)
        fputs(", footer compressed (lz4)", out);
    putc('\n', out);
    for (size_t i = 0; i < file->n_blobs; i++) {
        const struct format_blob *blob = &file->blobs[i];
        if (strcmp(blob->type, "deletion-vector-v1") == 0)
            continue;
        fprintf(out, LABEL, "blob");
        print_visible(out, "", blob->type, "");
        fprintf(out, ", offset %" PRIu64 ", %" PRIu64 " bytes, ", blob->offset_bytes, blob->length_bytes);
        print_visible(out, "", blob->codec ? blob->codec : "not compressed",
                      ": not a deletion vector, not numbered\n");
    }
}

static void print_frame(FILE *out, const struct inspect_subject *subject)
{
    const struct format_vector *vector = subject->vector;
    if (!vector) {
        fprintf(out, LABEL "recipe\n", "format");
        return;
    }
    fprintf(out, LABEL "%" PRIu64 " of %" PRIu64 ", from 0 (--blob %" PRIu64 ")\n", "number", vector->index,
            subject->file->n_vectors_in_file, vector->index);
    fprintf(out, LABEL "%s, offset %" PRIu64 ", %" PRIu64 " bytes\n", "format", subject->format,
            vector->frame_offset, vector->n_frame_bytes);
    if (vector->has_crc)
        fprintf(out, LABEL "%08" PRIx32 ", correct\n", "crc", vector->crc_stored);
    else
        fprintf(out, LABEL "none in this format\n", "crc");
    if (vector->data_file) {
        fprintf(out, LABEL, "data file");
        print_visible(out, "", vector->data_file, "\n");
    }
}

static void print_containers(FILE *out, const struct inspect_summary *summary)
{
    for (int kind = 0; kind < DV_N_KINDS; kind++) {
        const struct inspect_kind *counts = &summary->kinds[kind];
        if (counts->n_containers)
            fprintf(out, LABEL "%" PRIu64 " containers, %" PRIu64 " bytes, %" PRIu64 " positions\n",
                    inspect_kind_id((enum dv_kind)kind), counts->n_containers, counts->n_bytes,
                    counts->n_positions);
    }
}

static void print_histogram(FILE *out, const struct inspect_summary *summary)
{
    uint64_t most = 1;
    for (int i = 0; i < INSPECT_N_CLASSES; i++)
        if (summary->n_chunks[i] > most)
            most = summary->n_chunks[i];
    fprintf(out, LABEL "by deleted rows of 65,536\n", "chunks");
    for (int i = 0; i < INSPECT_N_CLASSES; i++) {
        if (summary->n_chunks[i] == 0)
            continue;
        /* At least one mark for a chunk that is there; n_chunks stays under 2^48, so the product fits. */
        int n_marks = (int)((summary->n_chunks[i] * BAR_CHARS + most - 1) / most);
        fprintf(out, "    %5" PRIu32 " to %5" PRIu32 " |%.*s %" PRIu64 "\n", inspect_classes[i].least,
                inspect_classes[i].most, n_marks, "########################################",
                summary->n_chunks[i]);
    }
}

static void print_cliff(FILE *out, const struct inspect_summary *summary)
{
    fprintf(out, LABEL "%" PRIu64 " chunks up to 5 %% below, %" PRIu64 " above", "cliff of 4,096",
            summary->n_near_below, summary->n_near_above);
    if (summary->nearest_below)
        fprintf(out, "; greatest below %" PRIu32, summary->nearest_below);
    if (summary->nearest_above)
        fprintf(out, "; least above %" PRIu32, summary->nearest_above);
    putc('\n', out);
}

static void print_rows(FILE *out, const struct inspect_subject *subject)
{
    const struct inspect_summary *summary = &subject->summary;
    char rows[INSPECT_ROWS_CHARS];
    fprintf(out, LABEL "%s%s", "rows", inspect_rows_text(summary, rows),
            subject->has_stated_rows ? "" : " (last position + 1; --rows states the file's)");
    if (summary->n_rows)
        fprintf(out, ", %.4g %% deleted", 100.0 * (double)summary->n_deleted_rows / (double)summary->n_rows);
    putc('\n', out);
    if (summary->n_deleted_rows != summary->cardinality)
        fprintf(out, LABEL "%" PRIu64 " positions past the last row\n", "beyond rows",
                summary->cardinality - summary->n_deleted_rows);
}

/* What the formats allow and good writers do not make. */
static void print_oddities(FILE *out, const struct inspect_summary *summary)
{
    if (summary->n_buckets > summary->n_keys)
        fprintf(out, LABEL "%" PRIu64 " empty buckets\n", "note", summary->n_buckets - summary->n_keys);
    if (summary->n_touching_runs)
        fprintf(out, LABEL "%" PRIu64 " runs start where the one before ends\n", "note",
                summary->n_touching_runs);
    if (summary->n_optimized_bytes < summary->n_body_bytes)
        fprintf(out,
                LABEL "rewriting (convert --optimize) would save %" PRIu64 " of %" PRIu64
                      " bytes of containers\n",
                "note", summary->n_body_bytes - summary->n_optimized_bytes, summary->n_body_bytes);
}

void inspect_print_text(FILE *out, const struct inspect_subject *subject)
{
    const struct inspect_summary *summary = &subject->summary;
    fprintf(out, "%s\n", subject->spec);
    print_frame(out, subject);
    fprintf(out, LABEL "%" PRIu64 " bytes%s\n", "payload", subject->n_payload_bytes,
            subject->vector && subject->vector->is_repaired ? ", repaired" : "");
    fprintf(out, LABEL "%" PRIu64 "%s\n", "cardinality", summary->cardinality,
            subject->vector && subject->vector->has_stated_cardinality ? ", as the footer states" : "");
    if (summary->cardinality)
        fprintf(out, LABEL "%" PRIu64 " to %" PRIu64 "\n", "positions", summary->first, summary->last);
    fprintf(out, LABEL "%" PRIu64 " in %" PRIu64 " buckets\n", "keys", summary->n_keys, summary->n_buckets);
    print_rows(out, subject);
    if (summary->cardinality) {
        uint64_t n_containers = 0;
        for (int kind = 0; kind < DV_N_KINDS; kind++)
            n_containers += summary->kinds[kind].n_containers;
        print_containers(out, summary);
        fprintf(out, LABEL "%" PRIu64 ", %" PRIu64 " to %" PRIu64 " per container, mean %.1f\n", "runs",
                summary->n_runs, summary->least_runs, summary->most_runs,
                (double)summary->n_runs / (double)n_containers);
        print_histogram(out, summary);
        print_cliff(out, summary);
    }
    print_oddities(out, summary);
    if (subject->fastest)
        fprintf(out, LABEL "%s, %.3g ns per row into row_ids on %s (reference runs of this machine)\n",
                "fastest kernel", subject->fastest->kernel, subject->fastest->ns_per_row,
                subject->fastest->dv);
    else if (summary->cardinality)
        fprintf(out, LABEL "unknown: no reference run of this machine measured a vector like this one\n",
                "fastest kernel");
}

/* --- positions --- */

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
