/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_write.h"

enum { DEFAULT_MODE = 0666, PERMISSION_BITS = 07777 };

static int fail_errno(struct dv_error *error_out, const char *path, const char *what)
{
    return dv_fail(error_out, DV_ERROR_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static int write_all(int fd, const uint8_t *bytes, size_t n_bytes)
{
    for (size_t n_done = 0; n_done < n_bytes;) {
        ssize_t n_written = write(fd, bytes + n_done, n_bytes - n_done);
        if (n_written < 0 && errno != EINTR)
            return -1;
        if (n_written > 0)
            n_done += (size_t)n_written;
    }
    return 0;
}

static int write_in_place(const char *path, const void *bytes, size_t n_bytes, struct dv_error *error_out)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(error_out, path, "open");
    int status = write_all(fd, bytes, n_bytes) == 0 ? 0 : fail_errno(error_out, path, "write");
    if (close(fd) != 0 && status == 0)
        status = fail_errno(error_out, path, "write");
    return status;
}

/* The rename is on the disk once the folder is; a file system that cannot flush folders is not a failure. */
static void flush_folder(const char *path)
{
    char *copy = strdup(path);
    int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(copy);
}

static int put_in_place(const char *path, const char *part, struct dv_error *error_out)
{
    if (rename(part, path) != 0)
        return fail_errno(error_out, path, "rename into place");
    flush_folder(path);
    return 0;
}

/* mkstemp makes files for the owner only; give the permissions that a plain creation would have given. */
static mode_t permissions_for(const struct stat *existing)
{
    if (existing)
        return existing->st_mode & PERMISSION_BITS;
    mode_t mask = umask(0);
    umask(mask);
    return DEFAULT_MODE & ~mask;
}

static int write_beside(const char *path, const struct stat *existing, const void *bytes, size_t n_bytes,
                        struct dv_error *error_out)
{
    char *beside = NULL;
    if (asprintf(&beside, "%s.XXXXXX", path) < 0)
        return dv_no_memory(error_out);
    int status = 0;
    int fd = mkstemp(beside);
    if (fd < 0) {
        status = fail_errno(error_out, path, "create a file next to it");
        goto out;
    }
    if (write_all(fd, bytes, n_bytes) != 0 || fchmod(fd, permissions_for(existing)) != 0 || fsync(fd) != 0)
        status = fail_errno(error_out, path, "write");
    if (close(fd) != 0 && status == 0)
        status = fail_errno(error_out, path, "write");
    if (status == 0)
        status = put_in_place(path, beside, error_out);
    if (status != 0)
        unlink(beside);
out:
    free(beside);
    return status;
}

int file_replace(const char *path, const char *part, struct dv_error *error_out)
{
    int fd = open(part, O_RDONLY | O_CLOEXEC);
    int status = fd >= 0 && fsync(fd) == 0 ? 0 : fail_errno(error_out, part, "write");
    if (fd >= 0)
        close(fd);
    return status == 0 ? put_in_place(path, part, error_out) : status;
}

int file_write(const char *path, const void *bytes, size_t n_bytes, struct dv_error *error_out)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode))
        return write_in_place(path, bytes, n_bytes, error_out);
    char *followed = exists ? realpath(path, NULL) : NULL;
    int code = write_beside(followed ? followed : path, exists ? &status : NULL, bytes, n_bytes, error_out);
    free(followed);
    return code;
}
