/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmu.h"

static int kernel_open(void *user, struct perf_event_attr *attr, int group_fd)
{
    (void)user;
    long fd;
    do
        fd = syscall(SYS_perf_event_open, attr, 0, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : (int)fd;
}

static int kernel_control(void *user, int fd, unsigned long request)
{
    (void)user;
    return ioctl(fd, request, 0) < 0 ? -errno : 0;
}

static int kernel_id(void *user, int fd, uint64_t *id_out)
{
    (void)user;
    return ioctl(fd, PERF_EVENT_IOC_ID, id_out) < 0 ? -errno : 0;
}

static ssize_t kernel_read(void *user, int fd, void *buffer, size_t n_bytes)
{
    (void)user;
    ssize_t n_read;
    do
        n_read = read(fd, buffer, n_bytes);
    while (n_read < 0 && errno == EINTR);
    return n_read < 0 ? -errno : n_read;
}

static void kernel_close(void *user, int fd)
{
    (void)user;
    close(fd);
}

static int kernel_paranoid_level(void *user)
{
    (void)user;
    int level = INT_MIN;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (!file)
        return level;
    if (fscanf(file, "%d", &level) != 1)
        level = INT_MIN;
    fclose(file);
    return level;
}

static void kernel_kinds(void *user, struct cpu_kinds *kinds_out)
{
    (void)user;
    cpu_kinds_read_below(kinds_out, "");
}

const struct pmu_system *pmu_system_kernel(void)
{
    static const struct pmu_system kernel = {
        .open = kernel_open,
        .control = kernel_control,
        .id = kernel_id,
        .read = kernel_read,
        .close = kernel_close,
        .paranoid_level = kernel_paranoid_level,
        .kinds = kernel_kinds,
    };
    return &kernel;
}

/* Between enabling a group and starting it the kernel may take this long, before a single instruction of the
 * stretch. Whoever loses its counter to another loses it for a tick of the clock, a thousand times as
 * long. */
#define SWITCH_NS 2000

/* What read() gives for a group with PERF_FORMAT_GROUP | ID | TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING. */
struct group_read {
    uint64_t n_events;
    uint64_t enabled_ns;
    uint64_t running_ns;
    struct {
        uint64_t value;
        uint64_t id;
    } events[PMU_GROUP_MAX];
};

static struct perf_event_attr complete(const struct perf_event_attr *attr, int is_leader)
{
    struct perf_event_attr whole = *attr;
    whole.size = sizeof whole;
    /* Leader disabled, siblings not, and only the leader is ever switched: kernels 6.12 and 6.18 leave
     * software siblings of a clock leader stopped after a disable with PERF_IOC_FLAG_GROUP, without an
     * error. */
    whole.disabled = is_leader;
    whole.exclude_kernel = 1;
    whole.exclude_hv = 1;
    whole.inherit = 0;
    whole.pinned = 0;
    whole.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return whole;
}

enum counter_status pmu_group_open(struct pmu_group *group_out, const struct pmu_system *system,
                                   const struct perf_event_attr *attrs, size_t n_events, int *refused_out)
{
    struct pmu_group *group = group_out;
    *group = (struct pmu_group){.system = system};
    if (refused_out)
        *refused_out = 0;
    for (size_t i = 0; i < n_events; i++) {
        struct perf_event_attr attr = complete(&attrs[i], i == 0);
        int fd = system->open(system->user, &attr, i == 0 ? -1 : group->fds[0]);
        int error = fd < 0 ? -fd : 0;
        if (fd >= 0) {
            group->fds[group->n_events++] = fd;
            error = -system->id(system->user, fd, &group->ids[i]);
        }
        if (error != 0) {
            int level = system->paranoid_level(system->user);
            pmu_group_close(group);
            if (refused_out)
                *refused_out = error == EINVAL;
            return counter_status_of_errno(error, level);
        }
    }
    return COUNTER_OK;
}

static enum counter_status group_read(const struct pmu_group *group, uint64_t *values_out,
                                      uint64_t *enabled_out, uint64_t *running_out)
{
    struct group_read got;
    memset(&got, 0, sizeof got);
    size_t n_expected = 3 * sizeof(uint64_t) + group->n_events * sizeof got.events[0];
    ssize_t n_read = group->system->read(group->system->user, group->fds[0], &got, sizeof got);
    /* 0 bytes: the event is in its error state. Fewer than the group needs: not our group. */
    if (n_read < 0 || (size_t)n_read != n_expected || got.n_events != group->n_events)
        return COUNTER_READ_FAILED;
    for (size_t i = 0; i < group->n_events; i++) {
        size_t at = 0;
        while (at < group->n_events && got.events[at].id != group->ids[i])
            at++;
        if (at == group->n_events)
            return COUNTER_READ_FAILED;
        values_out[i] = got.events[at].value;
    }
    *enabled_out = got.enabled_ns;
    *running_out = got.running_ns;
    return COUNTER_OK;
}

enum counter_status pmu_group_begin(struct pmu_group *group)
{
    /* RESET would not clear the times, so values and times are both differenced. */
    enum counter_status status =
        group_read(group, group->before, &group->enabled_before, &group->running_before);
    if (status != COUNTER_OK)
        return status;
    if (group->system->control(group->system->user, group->fds[0], PERF_EVENT_IOC_ENABLE) < 0)
        return COUNTER_READ_FAILED;
    return COUNTER_OK;
}

enum counter_status pmu_group_end(struct pmu_group *group, uint64_t *values_out)
{
    uint64_t after[PMU_GROUP_MAX];
    uint64_t enabled_ns;
    uint64_t running_ns;
    if (group->system->control(group->system->user, group->fds[0], PERF_EVENT_IOC_DISABLE) < 0)
        return COUNTER_READ_FAILED;
    enum counter_status status = group_read(group, after, &enabled_ns, &running_ns);
    if (status != COUNTER_OK)
        return status;
    enabled_ns -= group->enabled_before;
    running_ns -= group->running_before;
    if (running_ns == 0 || running_ns + SWITCH_NS < enabled_ns)
        return COUNTER_NOT_SCHEDULED;
    for (size_t i = 0; i < group->n_events; i++)
        values_out[i] = after[i] - group->before[i]; /* modulo 2^64: right across a wrap */
    return COUNTER_OK;
}

void pmu_group_close(struct pmu_group *group)
{
    for (size_t i = group->n_events; i > 0; i--)
        group->system->close(group->system->user, group->fds[i - 1]);
    group->n_events = 0;
}
