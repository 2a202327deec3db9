/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program_digest.h"
#include "source.h"

int program_digest(uint64_t *digest_out, struct dv_error *error_out)
{
    struct stat info;
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0)
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return dv_fail(error_out, DV_ERROR_IO, "cannot read this program: %s", strerror(errno));
    const char *const version = dv_croaring_version();
    const uint64_t parts[2] = {source_digest(bytes, (size_t)info.st_size),
                               source_digest((const uint8_t *)version, strlen(version))};
    *digest_out = source_digest((const uint8_t *)parts, sizeof parts);
    munmap(bytes, (size_t)info.st_size);
    return 0;
}
