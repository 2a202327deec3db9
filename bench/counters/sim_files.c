/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "file_read.h"
#include "sim_files.h"

#define PATH_BYTES 600

/* Removes the files whose names start with `prefix`; folders stay. */
static void remove_files(const char *directory, const char *prefix)
{
    DIR *dir = opendir(directory);
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
}

static void remove_all(const struct sim_files *files)
{
    for (size_t i = 0; i < files->n_children; i++) {
        remove_files(files->directories[i], "");
        rmdir(files->directories[i]);
    }
    remove_files(files->root, "");
    rmdir(files->root);
}

/* In a session of its own, so that what kills the program's process group leaves it; holds nothing of the
 * program open. Children of a killed program may still be writing: it tries for two seconds. */
static void __attribute__((noreturn)) watch(const struct sim_files *files, int fd)
{
    char byte;
    const struct timespec pause = {.tv_nsec = 20000000};
    setsid();
    prctl(PR_SET_NAME, "dvbench-watch");
    if (dup2(fd, 0) < 0)
        _exit(1);
    close_range(1, ~0u, 0);
    while (read(0, &byte, 1) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < 100 && access(files->root, F_OK) == 0; i++) {
        remove_all(files);
        nanosleep(&pause, NULL);
    }
    _exit(0);
}

/* Without one (no process or descriptor left) only what is killed leaves its folder. */
static void start_watcher(struct sim_files *files)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return;
    const pid_t pid = fork();
    if (pid == 0)
        watch(files, fds[0]);
    close(fds[0]);
    if (pid < 0) {
        close(fds[1]);
        return;
    }
    files->watcher = pid;
    files->watcher_fd = fds[1];
}

int sim_files_open(struct sim_files *files_out, size_t n_children, struct dv_error *error_out)
{
    const char *folder = getenv("TMPDIR");
    *files_out = (struct sim_files){.n_children = n_children};
    int n = snprintf(files_out->root, sizeof files_out->root, "%s/dvbench-XXXXXX",
                     folder && *folder ? folder : "/tmp");
    if (n < 0 || (size_t)n >= sizeof files_out->root || !mkdtemp(files_out->root)) {
        int status = dv_fail(error_out, DV_ERROR_IO, "cannot create a folder in %s: %s",
                             folder && *folder ? folder : "/tmp", strerror(errno));
        files_out->root[0] = '\0';
        return status;
    }
    for (size_t i = 0; i < n_children; i++) {
        snprintf(files_out->directories[i], sizeof files_out->directories[i], "%s/%zu", files_out->root, i);
        if (mkdir(files_out->directories[i], 0700) != 0) {
            int status = dv_fail(error_out, DV_ERROR_IO, "cannot make %s: %s", files_out->directories[i],
                                 strerror(errno));
            sim_files_close(files_out);
            return status;
        }
    }
    start_watcher(files_out);
    return 0;
}

void sim_files_close(struct sim_files *files)
{
    if (files->root[0] == '\0')
        return;
    remove_all(files);
    files->root[0] = '\0';
    if (files->watcher == 0)
        return;
    close(files->watcher_fd);
    while (waitpid(files->watcher, NULL, 0) < 0 && errno == EINTR)
        ;
    files->watcher = 0;
}

static FILE *create(const char *directory, const char *name, struct dv_error *error_out)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "we");
    if (!file)
        dv_fail(error_out, DV_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    return file;
}

static int finish(FILE *file, const char *what, struct dv_error *error_out)
{
    int has_failed = ferror(file);
    if (fclose(file) != 0 || has_failed)
        return dv_fail(error_out, DV_ERROR_IO, "cannot write the %s of a simulation: disk full?", what);
    return 0;
}

int sim_files_write_payload(const struct sim_files *files, const struct dv *dv, struct dv_error *error_out)
{
    FILE *file = create(files->root, "payload", error_out);
    if (!file)
        return DV_ERROR_IO;
    fwrite(dv->bytes, 1, dv->n_bytes, file);
    return finish(file, "payload", error_out);
}

int sim_files_write_job(const struct sim_files *files, size_t child, const struct counters_job *job,
                        const struct batches *batches, const struct batches *before, const size_t *kernels,
                        size_t n_kernels, struct dv_error *error_out)
{
    remove_files(files->directories[child], "dump");
    FILE *file = create(files->directories[child], "job", error_out);
    if (!file)
        return DV_ERROR_IO;
    fprintf(file, "kind kernels\nsink %s\nreplay %d\nvisits %zu\npayload ../payload\n", sink_id(job->sink),
            job->replay, job->replay ? (size_t)COUNTERS_SIM_BATCHES : batches->n_items);
    for (size_t i = 0; i < batches->n_items; i++)
        fprintf(file, "batch %llu %u before %llu %u\n", (unsigned long long)batches->items[i].start,
                batches->items[i].n_rows, (unsigned long long)before->items[i].start,
                before->items[i].n_rows);
    for (size_t i = 0; i < n_kernels; i++)
        fprintf(file, "kernel %s\n", job->kernels[kernels[i]]->id);
    return finish(file, "job", error_out);
}

int sim_files_write_calibration(const struct sim_files *files, struct dv_error *error_out)
{
    FILE *file = create(files->directories[0], "job", error_out);
    if (!file)
        return DV_ERROR_IO;
    fprintf(file, "kind calibration\n");
    return finish(file, "job", error_out);
}

char *sim_files_read(const struct sim_files *files, size_t child, const char *name,
                     struct dv_error *error_out)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", files->directories[child], name);
    return file_read_text(path, FILE_READ_MOST, error_out);
}

int sim_files_find_dump(const struct sim_files *files, size_t child, const char *label,
                        struct sim_dump *dump_out)
{
    DIR *dir = opendir(files->directories[child]);
    int status = DV_ERROR_INPUT;
    if (!dir)
        return status;
    for (struct dirent *entry; status != 0 && (entry = readdir(dir)) != NULL;) {
        if (strncmp(entry->d_name, "dump", 4) != 0)
            continue;
        char *text = sim_files_read(files, child, entry->d_name, NULL);
        if (!text)
            continue;
        int parsed = sim_parse(dump_out, text, NULL);
        if (strcmp(dump_out->label, label) == 0 && parsed == 0)
            status = 0;
        free(text);
    }
    closedir(dir);
    return status;
}
