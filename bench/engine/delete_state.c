/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_state.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_write.h"
#include "run_dir.h"

#define MANIFEST   "manifest"
#define FIRST_LINE "dvbench deletes 1"

void delete_state_free(struct delete_state *state)
{
    for (size_t i = 0; i < state->n_files; i++) {
        free(state->files[i].path);
        free(state->files[i].vector);
        strings_free(&state->files[i].deletes);
    }
    free(state->files);
    free(state->dir);
    *state = (struct delete_state){0};
}

static int add_file(struct delete_state *state, const char *path, uint64_t n_rows, struct dv_error *error_out)
{
    struct delete_file *longer = realloc(state->files, (state->n_files + 1) * sizeof *longer);
    if (!longer)
        return dv_no_memory(error_out);
    state->files = longer;
    longer[state->n_files] = (struct delete_file){.path = strdup(path), .n_rows = n_rows};
    return longer[state->n_files++].path ? 0 : dv_no_memory(error_out);
}

/* --- the manifest --- */

/* One line, `word number text`; the last line is "end", so that half a manifest is none. */
static int read_line(struct delete_state *state, const char *line, bool *is_whole, struct dv_error *error_out)
{
    char word[16] = "";
    uint64_t number = 0;
    int n_read = 0;
    struct delete_file *last = state->n_files ? &state->files[state->n_files - 1] : NULL;
    if (strcmp(line, "end") == 0) {
        *is_whole = true;
        return 0;
    }
    if (sscanf(line, "%15s %" SCNu64 " %n", word, &number, &n_read) < 2)
        return dv_fail(error_out, DV_ERROR_INPUT, "unknown line \"%s\"", line);
    const char *text = line + n_read;
    if (strcmp(word, "batch") == 0)
        state->batch = number;
    else if (strcmp(word, "data") == 0)
        return add_file(state, text, number, error_out);
    else if (last && strcmp(word, "positions") == 0)
        return strings_add(&last->deletes, text, strlen(text)) < 0 ? dv_no_memory(error_out) : 0;
    else if (last && !last->vector && strcmp(word, "vector") == 0) {
        last->vector = strdup(text);
        last->vector_index = number;
        return last->vector ? 0 : dv_no_memory(error_out);
    } else
        return dv_fail(error_out, DV_ERROR_INPUT, "unknown line \"%s\"", line);
    return 0;
}

static int read_lines(struct delete_state *state, FILE *file, struct dv_error *error_out)
{
    char *line = NULL;
    size_t n_allocated = 0, n_lines = 0;
    ssize_t n;
    bool is_whole = false;
    int status = 0;
    while (status == 0 && (n = getline(&line, &n_allocated, file)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (n_lines++ > 0)
            status = read_line(state, line, &is_whole, error_out);
        else if (strcmp(line, FIRST_LINE) != 0)
            status = dv_fail(error_out, DV_ERROR_INPUT, "its first line is not \"" FIRST_LINE "\"");
    }
    free(line);
    if (status == 0 && !is_whole)
        status = dv_fail(error_out, DV_ERROR_INPUT, "it is cut off");
    return status;
}

int delete_state_read(struct delete_state *state_out, const char *dir, struct dv_error *error_out)
{
    *state_out = (struct delete_state){.dir = strdup(dir)};
    char *path = run_dir_file(dir, MANIFEST);
    FILE *file = path ? fopen(path, "re") : NULL;
    int status = path && state_out->dir ? 0 : dv_no_memory(error_out);
    if (status == 0 && !file)
        status = errno == ENOENT
                     ? 1
                     : dv_fail(error_out, DV_ERROR_INPUT, "cannot read %s: %s", path, strerror(errno));
    if (status == 0) {
        status = read_lines(state_out, file, error_out);
        if (status < 0)
            (void)dv_error_set_where(error_out, path);
    }
    if (file)
        fclose(file);
    free(path);
    return status;
}

static void write_lines(const struct delete_state *state, FILE *out)
{
    fprintf(out, FIRST_LINE "\nbatch %" PRIu64 "\n", state->batch);
    for (size_t i = 0; i < state->n_files; i++) {
        const struct delete_file *file = &state->files[i];
        fprintf(out, "data %" PRIu64 " %s\n", file->n_rows, file->path);
        for (size_t j = 0; j < file->deletes.n_items; j++)
            fprintf(out, "positions %zu %s\n", j, file->deletes.items[j]);
        if (file->vector)
            fprintf(out, "vector %" PRIu64 " %s\n", file->vector_index, file->vector);
    }
    fputs("end\n", out);
}

int delete_state_commit(const struct delete_state *state, struct dv_error *error_out)
{
    char *text = NULL, *path = run_dir_file(state->dir, MANIFEST);
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    int status = out && path ? 0 : dv_no_memory(error_out);
    if (out)
        write_lines(state, out);
    if (out && fclose(out) != 0 && status == 0)
        status = dv_no_memory(error_out);
    if (status == 0)
        status = file_write(path, text, n, error_out);
    free(text);
    free(path);
    return status;
}

int delete_state_create(struct delete_state *state_out, const char *dir, const struct strings *files,
                        const uint64_t *n_rows, struct dv_error *error_out)
{
    *state_out = (struct delete_state){.dir = strdup(dir)};
    int status = state_out->dir ? 0 : dv_no_memory(error_out);
    if (status == 0 && mkdir(dir, 0777) != 0 && errno != EEXIST)
        status = dv_fail(error_out, DV_ERROR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
    for (size_t i = 0; status == 0 && i < files->n_items; i++)
        status = strchr(files->items[i], '\n')
                     ? dv_fail(error_out, DV_ERROR_USAGE,
                               "a path that contains a line break cannot be written into a manifest")
                     : add_file(state_out, files->items[i], n_rows[i], error_out);
    return status < 0 ? status : delete_state_commit(state_out, error_out);
}

/* --- the folder --- */

static bool names(const char *path, const char *name)
{
    return path && strcmp(run_dir_name(path), name) == 0;
}

static bool is_named(const struct delete_state *state, const char *name)
{
    for (size_t i = 0; i < state->n_files; i++) {
        const struct delete_file *file = &state->files[i];
        if (names(file->path, name) || names(file->vector, name))
            return true;
        for (size_t j = 0; j < file->deletes.n_items; j++)
            if (names(file->deletes.items[j], name))
                return true;
    }
    return strcmp(name, MANIFEST) == 0;
}

int delete_state_clean(const struct delete_state *state, struct dv_error *error_out)
{
    DIR *folder = opendir(state->dir);
    if (!folder)
        return dv_fail(error_out, DV_ERROR_IO, "cannot list %s: %s", state->dir, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && !is_named(state, entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    return 0;
}

uint64_t delete_file_bytes(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

/* A Puffin file holds vectors of several data files, and is counted once. */
static bool is_first_with_vector(const struct delete_state *state, size_t file)
{
    for (size_t i = 0; i < file; i++)
        if (state->files[i].vector && strcmp(state->files[i].vector, state->files[file].vector) == 0)
            return false;
    return true;
}

struct delete_sizes delete_state_sizes(const struct delete_state *state)
{
    struct delete_sizes sizes = {0};
    for (size_t i = 0; i < state->n_files; i++) {
        const struct delete_file *file = &state->files[i];
        const bool has_vector = file->vector && is_first_with_vector(state, i);
        sizes.n_files += 1 + file->deletes.n_items + has_vector;
        sizes.data_bytes += delete_file_bytes(file->path);
        sizes.delete_bytes += has_vector ? delete_file_bytes(file->vector) : 0;
        for (size_t j = 0; j < file->deletes.n_items; j++)
            sizes.delete_bytes += delete_file_bytes(file->deletes.items[j]);
    }
    return sizes;
}
