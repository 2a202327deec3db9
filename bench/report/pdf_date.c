/* SPDX-License-Identifier: Apache-2.0 */
#include "pdf_date.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "file_read.h"
#include "file_write.h"

#define MOST_BYTES   (256U << 20)
#define MOST_OBJECTS 100000U

/* One object of the file: `N 0 obj ... endobj`, its line end included. */
struct object {
    const char *text;
    size_t n_bytes;
    unsigned long number;
};

struct pdf {
    const char *at, *end;  /* what is not read yet */
    const char *catalogue; /* the dictionary with /Root and /Info */
    size_t n_catalogue;
    size_t *offsets; /* of the objects in the new file, by number; 0: none */
    bool *is_dropped;
    unsigned long n_numbers;
    FILE *out;
};

static const char *find(const char *text, size_t n_bytes, const char *word)
{
    return memmem(text, n_bytes, word, strlen(word));
}

/* The text is followed by a NUL, at the file's end at the latest. */
static unsigned long number_after(const char *text, size_t n_bytes, const char *key)
{
    const char *at = find(text, n_bytes, key);
    return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

/* The part of an object before its stream. */
static size_t dictionary_bytes(const struct object *object)
{
    const char *stream = find(object->text, object->n_bytes, "stream\n");
    return stream ? (size_t)(stream - object->text) : object->n_bytes;
}

static bool is_type(const struct object *object, const char *type)
{
    return find(object->text, dictionary_bytes(object), type) != NULL;
}

static bool next_object(struct pdf *pdf, struct object *object_out)
{
    static const char last[] = "endobj\n";
    const char *end = find(pdf->at, (size_t)(pdf->end - pdf->at), last);
    if (!end)
        return false;
    end += strlen(last);
    *object_out = (struct object){pdf->at, (size_t)(end - pdf->at), strtoul(pdf->at, NULL, 10)};
    pdf->at = end;
    return object_out->number > 0 && object_out->number < MOST_OBJECTS;
}

static void put(struct pdf *pdf, unsigned long number, const char *text, size_t n_bytes, bool is_plain)
{
    pdf->offsets[number] = (size_t)ftello(pdf->out);
    if (number >= pdf->n_numbers)
        pdf->n_numbers = number + 1;
    if (!is_plain)
        fprintf(pdf->out, "%lu 0 obj\n", number);
    fwrite(text, 1, n_bytes, pdf->out);
    if (!is_plain)
        fputs("\nendobj\n", pdf->out);
}

/* The bytes of an object's stream, with a NUL after them; NULL where they are not whole. */
static char *inflate_stream(const struct object *object, size_t *n_out)
{
    char *bytes = NULL, part[4096];
    const size_t start = dictionary_bytes(object) + strlen("stream\n");
    z_stream zip = {0};
    FILE *out = open_memstream(&bytes, n_out);
    int status = out && start < object->n_bytes ? inflateInit(&zip) : Z_MEM_ERROR;
    zip.next_in = (Bytef *)(uintptr_t)(object->text + start);
    zip.avail_in = start < object->n_bytes ? (uInt)(object->n_bytes - start) : 0;
    while (status == Z_OK && zip.total_out < MOST_BYTES) {
        zip.next_out = (Bytef *)part;
        zip.avail_out = sizeof part;
        status = inflate(&zip, Z_NO_FLUSH);
        fwrite(part, 1, sizeof part - zip.avail_out, out);
    }
    inflateEnd(&zip);
    if (out && fclose(out) == 0 && status == Z_STREAM_END)
        return bytes;
    free(bytes);
    return NULL;
}

/* The stream begins with pairs of number and offset; the offsets count from /First. */
static bool put_compressed(struct pdf *pdf, const struct object *object)
{
    const size_t n_dictionary = dictionary_bytes(object);
    const unsigned long n_objects = number_after(object->text, n_dictionary, "/N "),
                        first = number_after(object->text, n_dictionary, "/First ");
    size_t n_bytes = 0;
    char *bytes = inflate_stream(object, &n_bytes), *pair = bytes;
    bool is_fine = bytes && first <= n_bytes && n_objects < MOST_OBJECTS;
    for (unsigned long i = 0; is_fine && i < n_objects; i++) {
        const unsigned long number = strtoul(pair, &pair, 10), offset = strtoul(pair, &pair, 10);
        char *after = pair;
        strtoul(after, &after, 10);
        const unsigned long next = i + 1 < n_objects ? strtoul(after, NULL, 10) : n_bytes - first;
        is_fine = number > 0 && number < MOST_OBJECTS && offset <= next && next <= n_bytes - first;
        if (is_fine)
            put(pdf, number, bytes + first + offset, next - offset, false);
    }
    free(bytes);
    return is_fine;
}

/* The length of a compressed stream is an object of its own, which depends on the date as well. */
static void note_dropped(struct pdf *pdf, const struct object *object)
{
    const bool is_table = is_type(object, "/XRef");
    if (!is_table && !is_type(object, "/ObjStm"))
        return;
    const char *length = find(object->text, dictionary_bytes(object), "/Length ");
    char *rest = NULL;
    const unsigned long number = length ? strtoul(length + strlen("/Length "), &rest, 10) : 0;
    if (number < MOST_OBJECTS && rest && strncmp(rest, " 0 R", 4) == 0)
        pdf->is_dropped[number] = true;
    if (is_table) {
        pdf->catalogue = object->text;
        pdf->n_catalogue = dictionary_bytes(object);
    }
}

static void put_table(struct pdf *pdf)
{
    const off_t start = ftello(pdf->out);
    fprintf(pdf->out, "xref\n0 %lu\n0000000000 65535 f \n", pdf->n_numbers);
    for (unsigned long i = 1; i < pdf->n_numbers; i++)
        fprintf(pdf->out, "%010zu %s \n", pdf->offsets[i], pdf->offsets[i] > 0 ? "00000 n" : "65535 f");
    fprintf(pdf->out, "trailer\n<< /Size %lu /Root %lu 0 R /Info %lu 0 R >>\nstartxref\n%lld\n%%%%EOF\n",
            pdf->n_numbers, number_after(pdf->catalogue, pdf->n_catalogue, "/Root "),
            number_after(pdf->catalogue, pdf->n_catalogue, "/Info "), (long long)start);
}

static bool put_objects(struct pdf *pdf, const char *first)
{
    struct object object;
    bool is_fine = true;
    for (pdf->at = first; next_object(pdf, &object);)
        note_dropped(pdf, &object);
    for (pdf->at = first; is_fine && next_object(pdf, &object);)
        if (is_type(&object, "/ObjStm"))
            is_fine = put_compressed(pdf, &object);
        else if (!is_type(&object, "/XRef") && !pdf->is_dropped[object.number])
            put(pdf, object.number, object.text, object.n_bytes, true);
    return is_fine && pdf->catalogue;
}

/* Replaces *bytes by the same PDF with all objects plain. False where its shape is not cairo's. */
static bool make_plain(char **bytes, size_t *n_bytes)
{
    char *made = NULL;
    size_t n_made = 0;
    const char *first = find(*bytes, *n_bytes, " 0 obj");
    while (first && first > *bytes && first[-1] != '\n')
        first--;
    struct pdf pdf = {.end = *bytes + *n_bytes,
                      .offsets = calloc(MOST_OBJECTS, sizeof *pdf.offsets),
                      .is_dropped = calloc(MOST_OBJECTS, sizeof *pdf.is_dropped),
                      .out = open_memstream(&made, &n_made)};
    bool is_fine = first && pdf.offsets && pdf.is_dropped && pdf.out;
    if (is_fine) {
        fwrite(*bytes, 1, (size_t)(first - *bytes), pdf.out);
        is_fine = put_objects(&pdf, first);
    }
    if (is_fine)
        put_table(&pdf);
    if (pdf.out && fclose(pdf.out) != 0)
        is_fine = false;
    free(pdf.offsets);
    free(pdf.is_dropped);
    if (is_fine) {
        free(*bytes);
        *bytes = made;
        *n_bytes = n_made;
    } else {
        free(made);
    }
    return is_fine;
}

int pdf_date_remove(const char *path, struct dv_error *error_out)
{
    uint8_t *read = NULL;
    size_t n_bytes = 0;
    int status = file_read(path, MOST_BYTES, &read, &n_bytes, error_out);
    if (status < 0)
        return status;
    char *bytes = (char *)read;
    if (find(bytes, n_bytes, "/ObjStm") && !make_plain(&bytes, &n_bytes)) {
        free(bytes);
        return dv_fail(error_out, DV_ERROR_INPUT,
                       "%s: cannot take the date out: its compressed objects are not of the known shape",
                       path);
    }
    char *date = memmem(bytes, n_bytes, "/CreationDate (", strlen("/CreationDate ("));
    char *end = date ? memchr(date, ')', (size_t)(bytes + n_bytes - date)) : NULL;
    if (end)
        memset(date, ' ', (size_t)(end + 1 - date));
    status = file_write(path, bytes, n_bytes, error_out);
    free(bytes);
    return status;
}
