/* SPDX-License-Identifier: Apache-2.0 */
#include "table_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_dir.h"

#define PART ".part-"

void table_folder_remove(const char *dir)
{
    DIR *folder = opendir(dir);
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    rmdir(dir);
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Whether `path` is still the folder that is open: who waited for a lock may hold that of a folder removed since. */
static bool is_at(int folder, const char *path)
{
    struct stat opened, found;
    return fstat(folder, &opened) == 0 && stat(path, &found) == 0 && opened.st_dev == found.st_dev &&
           opened.st_ino == found.st_ino;
}

int table_folder_make(struct table_folder *folder_out, const char *table_dir, struct dv_error *error_out)
{
    *folder_out = (struct table_folder){.lock = -1};
    if (asprintf(&folder_out->path, "%s" PART "%ld", table_dir, (long)getpid()) < 0) {
        folder_out->path = NULL;
        return dv_no_memory(error_out);
    }
    for (;;) {
        if (mkdir(folder_out->path, 0777) != 0 && errno != EEXIST)
            return dv_fail(error_out, DV_ERROR_IO, "cannot make the folder %s: %s", folder_out->path,
                           strerror(errno));
        folder_out->lock = open_folder(folder_out->path);
        if (folder_out->lock >= 0)
            (void)flock(folder_out->lock, LOCK_EX); /* without locks nobody removes what is left */
        if (folder_out->lock >= 0 ? is_at(folder_out->lock, folder_out->path) : errno != ENOENT)
            return 0;
        if (folder_out->lock >= 0)
            close(folder_out->lock);
        folder_out->lock = -1;
    }
}

void table_folder_close(struct table_folder *folder)
{
    if (folder->path)
        table_folder_remove(folder->path);
    if (folder->lock >= 0)
        close(folder->lock);
    free(folder->path);
    *folder = (struct table_folder){.lock = -1};
}

static void remove_if_left(const char *data_dir, const char *name)
{
    char *path = run_dir_file(data_dir, name);
    const int folder = path ? open_folder(path) : -1;
    if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) == 0 && is_at(folder, path))
        table_folder_remove(path);
    if (folder >= 0)
        close(folder);
    free(path);
}

void table_folder_remove_left(const char *data_dir)
{
    DIR *data = opendir(data_dir);
    if (!data)
        return;
    for (const struct dirent *entry; (entry = readdir(data));)
        if (strncmp(entry->d_name, "table-", 6) == 0 && strstr(entry->d_name, PART))
            remove_if_left(data_dir, entry->d_name);
    closedir(data);
}
