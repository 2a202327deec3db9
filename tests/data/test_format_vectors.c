/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other writers, as their MANIFEST says: read to the stated counts and checksums, or refused; and
 * the same positions written anew give the same bytes. The folder comes from DVBENCH_VECTORS; without it the
 * test is skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "format.h"
#include "format_write.h"
#include "payload_ranges.h"
#include "payload_writer.h"

enum { EXIT_SKIP = 77, N_FIELDS = 4 };

/* How the manifest's last column starts, by format. */
static const struct {
    const char *prefix;
    enum format_kind format;
} prefixes[] = {
    {"roaring64 portable", FORMAT_ROARING64},
    {"roaring32 portable", FORMAT_ROARING32},
    {"delta dv file v1", FORMAT_DELTA},
    {"deletion-vector-v1 blob", FORMAT_BLOB},
    {"puffin", FORMAT_PUFFIN},
};

static void check_format(const char *path, const char *content, enum format_kind found)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(content, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0) {
            if (found != prefixes[i].format)
                fail_msg("%s: read as %s", path, format_id(found));
            return;
        }
    fail_msg("%s: the manifest names no format: %s", path, content);
}

/* The column is cut at 300 characters, so that it may name fewer vectors than the file has, never more. */
static size_t check_counts(const char *path, const char *content, const struct format_file *file)
{
    size_t i = 0;
    for (const char *at = content; (at = strstr(at, "card=")); i++) {
        at += strlen("card=");
        if (i >= file->n_vectors)
            fail_msg("%s: %zu vectors, the manifest has more", path, file->n_vectors);
        if (file->vectors[i].view.cardinality != strtoull(at, NULL, 10))
            fail_msg("%s: vector %zu has %" PRIu64 " positions", path, i, file->vectors[i].view.cardinality);
    }
    return i;
}

static void check_crcs(const char *path, const char *content, const struct format_file *file)
{
    size_t i = 0;
    for (const char *at = content; (at = strstr(at, "crc=")) && i < file->n_vectors; i++) {
        at += strlen("crc=");
        if (file->vectors[i].crc_stored != strtoull(at, NULL, 16))
            fail_msg("%s: vector %zu has CRC %08" PRIx32, path, i, file->vectors[i].crc_stored);
    }
}

static void check_containers(const char *path, const char *content, const struct format_file *file)
{
    static const char *const names[DV_N_KINDS] = {
        [DV_ARRAY] = "'array': ", [DV_BITSET] = "'bitset': ", [DV_RUN] = "'run': "};
    const char *end = strchr(content, '}');
    if (!end || file->n_vectors == 0)
        return;
    for (int kind = 0; kind < DV_N_KINDS; kind++) {
        const char *at = strstr(content, names[kind]);
        size_t n_stated = at && at < end ? strtoul(at + strlen(names[kind]), NULL, 10) : 0;
        if (strstr(content, "puffin") != content && file->vectors[0].view.n_kind[kind] != n_stated)
            fail_msg("%s: %zu containers of kind %s", path, file->vectors[0].view.n_kind[kind], names[kind]);
    }
}

/* Whether one of the ways of writing, which the file's name does not tell, gives the file's bytes. */
static void check_rewrite(const char *path, const struct format_vector *vector)
{
    bool is_met = false;
    for (unsigned options = 0; options < 4 && !is_met; options++) {
        struct dv_error error;
        uint8_t *bytes = NULL;
        size_t n_bytes = 0;
        unsigned writer_options =
            (options & 1 ? 0 : PAYLOAD_OPTIMIZE) | (options & 2 ? PAYLOAD_DENSE_KEYS : 0);
        assert_int_equal(payload_rewrite(&vector->view, writer_options, &bytes, &n_bytes, &error), 0);
        is_met = n_bytes == vector->n_payload_bytes && memcmp(bytes, vector->payload, n_bytes) == 0;
        free(bytes);
    }
    if (!is_met)
        fail_msg("%s: vector %" PRIu64 " written anew differs", path, vector->index);
}

/* roaring-format's 64-bit files were built container by container, some larger than another kind would be. */
static bool is_built_by_hand(const char *path)
{
    return strstr(path, "bitmap64.bin") != NULL;
}

static void check_file(const char *path, const char *content)
{
    struct format_options options = {0};
    struct format_file file;
    struct dv_error error = {0};
    int code = format_open(&file, path, &options, &error);
    if (strncmp(content, "strict parser rejects", strlen("strict parser rejects")) == 0) {
        if (code != DV_ERROR_INPUT || strcmp(error.where, path) != 0)
            fail_msg("%s: code %d: %s", path, code, error.message);
        return;
    }
    if (code != 0)
        fail_msg("%s", error.message);
    check_format(path, content, file.format);
    size_t n_counts = check_counts(path, content, &file);
    if (n_counts == 0 && file.n_vectors != 0)
        fail_msg("%s: %zu vectors, the manifest has none", path, file.n_vectors);
    check_crcs(path, content, &file);
    check_containers(path, content, &file);
    for (size_t i = 0; i < file.n_vectors && !is_built_by_hand(path); i++)
        check_rewrite(path, &file.vectors[i]);
    format_close(&file);
}

/* Cuts a line at its tabs, in place. */
static size_t split_line(char *line, char *fields[N_FIELDS])
{
    size_t n_fields = 0;
    char *rest = line;
    line[strcspn(line, "\n")] = '\0';
    while (rest && n_fields < N_FIELDS)
        fields[n_fields++] = strsep(&rest, "\t");
    return n_fields;
}

static void reads_all_of_the_manifest(void **state)
{
    const char *folder = *state;
    char path[4096];
    char line[4096];
    size_t n_files = 0;
    snprintf(path, sizeof path, "%s/MANIFEST.tsv", folder);
    FILE *manifest = fopen(path, "r");
    assert_non_null(manifest);
    assert_non_null(fgets(line, sizeof line, manifest)); /* the header */
    while (fgets(line, sizeof line, manifest)) {
        char *fields[N_FIELDS] = {0};
        assert_int_equal(split_line(line, fields), N_FIELDS);
        snprintf(path, sizeof path, "%s/%s", folder, fields[0]);
        check_file(path, fields[3]);
        n_files++;
    }
    fclose(manifest);
    assert_true(n_files >= 30);
}

int main(void)
{
    char path[4096];
    char *folder = getenv("DVBENCH_VECTORS");
    snprintf(path, sizeof path, "%s/MANIFEST.tsv", folder ? folder : "");
    if (!folder || access(path, R_OK) != 0) {
        printf("no vectors of other writers at %s\n", folder ? folder : "DVBENCH_VECTORS");
        return EXIT_SKIP;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(reads_all_of_the_manifest, folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
