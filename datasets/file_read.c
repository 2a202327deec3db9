/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_read.h"

enum { FIRST_ROOM_BYTES = 1 << 16 };

static int fail_errno(struct dv_error *error_out, const char *what)
{
    return dv_fail(error_out, DV_ERROR_INPUT, "%s: %s", what, strerror(errno));
}

static int fail_too_large(struct dv_error *error_out, size_t n_most)
{
    return dv_fail(error_out, DV_ERROR_INPUT, "found more than %zu bytes, the most that is read", n_most);
}

/* Reads to the end of `fd`, whose size is `n_hint` if it is known. */
static int read_all(int fd, size_t n_hint, size_t n_most, uint8_t **bytes_out, size_t *n_out,
                    struct dv_error *error_out)
{
    size_t n_room = n_hint + 2; /* a NUL, and one more: the end is then seen without growing */
    size_t n_bytes = 0;
    uint8_t *bytes = malloc(n_room);
    int status = bytes ? 0 : dv_no_memory(error_out);
    while (status == 0) {
        ssize_t n_read = read(fd, bytes + n_bytes, n_room - 1 - n_bytes);
        if (n_read == 0)
            break;
        if (n_read < 0) {
            status = errno == EINTR ? 0 : fail_errno(error_out, "cannot read");
            continue;
        }
        n_bytes += (size_t)n_read;
        if (n_bytes > n_most) {
            status = fail_too_large(error_out, n_most);
        } else if (n_bytes + 1 == n_room) {
            uint8_t *grown = realloc(bytes, n_room * 2);
            if (!grown)
                status = dv_no_memory(error_out);
            bytes = grown ? grown : bytes;
            n_room *= 2;
        }
    }
    if (status != 0) {
        free(bytes);
        return status;
    }
    bytes[n_bytes] = 0;
    *bytes_out = bytes;
    *n_out = n_bytes;
    return 0;
}

static int read_open(int fd, size_t n_most, uint8_t **bytes_out, size_t *n_out, struct dv_error *error_out)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return fail_errno(error_out, "cannot examine");
    if (S_ISDIR(facts.st_mode))
        return dv_fail(error_out, DV_ERROR_INPUT, "found a directory, expected a file");
    if (S_ISCHR(facts.st_mode) || S_ISBLK(facts.st_mode))
        return dv_fail(error_out, DV_ERROR_INPUT, "found a device, expected a file");
    if (!S_ISREG(facts.st_mode))
        return read_all(fd, FIRST_ROOM_BYTES, n_most, bytes_out, n_out, error_out);
    if ((uint64_t)facts.st_size > n_most)
        return fail_too_large(error_out, n_most);
    return read_all(fd, (size_t)facts.st_size, n_most, bytes_out, n_out, error_out);
}

int file_read(const char *path, size_t n_most, uint8_t **bytes_out, size_t *n_out, struct dv_error *error_out)
{
    *bytes_out = NULL;
    *n_out = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int status =
        fd < 0 ? fail_errno(error_out, "cannot open") : read_open(fd, n_most, bytes_out, n_out, error_out);
    if (fd >= 0)
        close(fd);
    if (status != 0)
        (void)dv_error_set_where(error_out, path);
    return status;
}

char *file_read_text(const char *path, size_t n_most, struct dv_error *error_out)
{
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    if (file_read(path, n_most, &bytes, &n_bytes, error_out) != 0)
        return NULL;
    if (!memchr(bytes, 0, n_bytes))
        return (char *)bytes;
    free(bytes);
    (void)dv_fail(error_out, DV_ERROR_INPUT, "found a NUL byte, expected a text");
    (void)dv_error_set_where(error_out, path);
    return NULL;
}
