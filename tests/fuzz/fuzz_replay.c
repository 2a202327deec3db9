/* SPDX-License-Identifier: Apache-2.0 */
/* Drives a fuzz target without libFuzzer, as an ordinary test: every seed, every cut of it, and every byte of
 * it changed in a few ways; then the files given, such as earlier findings.
 *
 *   fuzz_replay_FORMAT [FILE...]       FILE...: inputs to run too; a folder that is missing or empty is fine
 *   fuzz_replay_FORMAT --write DIR     writes the seeds into DIR, for libFuzzer to start from */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"

/* Beyond it a seed is too long to change each of its bytes in an ordinary test. */
enum { LONG_BYTES = 600, STRIDE = 97 };

struct replay {
    const char *folder; /* to write seeds to, NULL: run them */
    size_t n_seeds;
    size_t n_runs;
};

static void write_seed(struct replay *replay, const uint8_t *bytes, size_t n_bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/seed-%zu", replay->folder, replay->n_seeds);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, n_bytes, file) != n_bytes || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static void run_mutations(struct replay *replay, const uint8_t *bytes, size_t n_bytes)
{
    static const uint8_t flips[] = {0x01, 0x80, 0xff, 0x10};
    size_t step = n_bytes > LONG_BYTES ? STRIDE : 1;
    uint8_t *copy = malloc(n_bytes + 1);
    memcpy(copy, bytes, n_bytes);
    for (size_t at = 0; at < n_bytes; at += step) {
        LLVMFuzzerTestOneInput(copy, at); /* a cut */
        for (size_t i = 0; i < sizeof flips; i++) {
            copy[at] ^= flips[i];
            LLVMFuzzerTestOneInput(copy, n_bytes);
            copy[at] ^= flips[i];
        }
        replay->n_runs += 1 + sizeof flips;
    }
    free(copy);
}

static void take_seed(void *user, const uint8_t *bytes, size_t n_bytes)
{
    struct replay *replay = user;
    if (replay->folder) {
        write_seed(replay, bytes, n_bytes);
    } else {
        LLVMFuzzerTestOneInput(bytes, n_bytes);
        run_mutations(replay, bytes, n_bytes);
    }
    replay->n_seeds++;
}

static void run_file(struct replay *replay, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    uint8_t *bytes = malloc(1 << 20);
    size_t n_bytes = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, n_bytes);
    free(bytes);
    replay->n_runs++;
}

static void run_path(struct replay *replay, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        run_file(replay, path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char inner[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        run_file(replay, inner);
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    struct replay replay = {0};
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        replay.folder = argv[2];
    fuzz_seeds(fuzz_format, take_seed, &replay);
    for (int i = 1; !replay.folder && i < argc; i++)
        run_path(&replay, argv[i]);
    printf("%s: %zu seeds, %zu inputs made of them\n", format_id(fuzz_format), replay.n_seeds, replay.n_runs);
    return replay.n_seeds > 0 ? 0 : 1;
}
