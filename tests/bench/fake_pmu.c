/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "fake_pmu.h"

static uint64_t count_by_config(const struct fake_pmu *fake, uint32_t type, uint64_t config, size_t stretch)
{
    (void)fake, (void)type, (void)stretch;
    return 1000 * config;
}

void fake_pmu_init(struct fake_pmu *fake_out)
{
    *fake_out = (struct fake_pmu){
        .read_bytes = -1, .running_pct = 100, .level = 2, .next_id = 100, .count = count_by_config};
}

static size_t group_size(const struct fake_pmu *fake, int leader)
{
    size_t n_events = 0;
    for (int i = 0; i < FAKE_FDS; i++)
        n_events += fake->fds[i].is_open && fake->fds[i].leader == leader;
    return n_events;
}

static int fake_open(void *user, struct perf_event_attr *attr, int group_fd)
{
    struct fake_pmu *fake = user;
    bool is_chosen = fake->open_errno_at
                         ? (size_t)fake->open_errno_at == fake->n_opened + 1
                         : fake->open_errno_config == 0 || fake->open_errno_config == attr->config;
    if (fake->open_errno && is_chosen)
        return -fake->open_errno;
    /* What pmu.h promises of every event: only the leader waits, user mode only, no pinning, no
     * inheritance. */
    if (attr->disabled != (group_fd < 0) || !attr->exclude_kernel || attr->pinned || attr->inherit ||
        attr->size != sizeof *attr)
        return -EINVAL;
    if (group_fd >= 0 && fake->n_counters_refused && group_size(fake, group_fd) >= fake->n_counters_refused)
        return -EINVAL;
    for (int i = 0; i < FAKE_FDS; i++) {
        struct fake_fd *fd = &fake->fds[i];
        if (fd->is_open)
            continue;
        *fd = (struct fake_fd){
            true, attr->type, attr->config, group_fd < 0 ? i : group_fd, fake->next_id++, fake->start_value};
        fake->n_opened++;
        return i;
    }
    return -EMFILE;
}

static bool fits(const struct fake_pmu *fake, int leader)
{
    return fake->n_counters == 0 || group_size(fake, leader) <= fake->n_counters;
}

static int fake_control(void *user, int fd, unsigned long request)
{
    struct fake_pmu *fake = user;
    if (fd < 0 || fd >= FAKE_FDS || !fake->fds[fd].is_open || fake->fds[fd].leader != fd)
        return -EBADF;
    if (request == PERF_EVENT_IOC_ENABLE) {
        fake->is_enabled = true;
        return 0;
    }
    if (request != PERF_EVENT_IOC_DISABLE || !fake->is_enabled)
        return -EINVAL;
    fake->is_enabled = false;
    fake->enabled_ns += 1000000 + fake->switch_ns;
    if (fits(fake, fd))
        fake->running_ns += 10000 * fake->running_pct;
    for (int i = 0; i < FAKE_FDS; i++)
        if (fake->fds[i].is_open && fake->fds[i].leader == fd && fits(fake, fd) && fake->running_pct)
            fake->fds[i].value +=
                fake->count(fake, fake->fds[i].type, fake->fds[i].config, fake->n_stretches);
    fake->n_stretches++;
    return 0;
}

static int fake_id(void *user, int fd, uint64_t *id_out)
{
    struct fake_pmu *fake = user;
    *id_out = fake->fds[fd].id;
    return -fake->id_errno;
}

static ssize_t fake_read(void *user, int fd, void *buffer, size_t n_bytes)
{
    struct fake_pmu *fake = user;
    uint64_t words[3 + 2 * FAKE_FDS] = {0, fake->enabled_ns, fake->running_ns};
    if (fake->read_errno)
        return -fake->read_errno;
    for (int n = 0; n < FAKE_FDS; n++) {
        int i = fake->is_reversed ? FAKE_FDS - 1 - n : n;
        if (!fake->fds[i].is_open || fake->fds[i].leader != fd)
            continue;
        words[3 + 2 * words[0]] = fake->fds[i].value;
        words[4 + 2 * words[0]] = fake->fds[i].id;
        words[0]++;
    }
    size_t n_all = (3 + 2 * words[0]) * sizeof words[0];
    if (fake->read_bytes >= 0)
        n_all = (size_t)fake->read_bytes;
    if (n_all > n_bytes)
        return -ENOSPC;
    memcpy(buffer, words, n_all);
    return (ssize_t)n_all;
}

static void fake_kinds(void *user, struct cpu_kinds *kinds_out)
{
    *kinds_out = ((struct fake_pmu *)user)->kinds;
}

static void fake_close(void *user, int fd)
{
    struct fake_pmu *fake = user;
    fake->n_closed += fake->fds[fd].is_open;
    fake->fds[fd].is_open = false;
}

static int fake_level(void *user)
{
    return ((const struct fake_pmu *)user)->level;
}

struct pmu_system fake_pmu_system(struct fake_pmu *fake)
{
    return (struct pmu_system){fake_open,  fake_control, fake_id,    fake_read,
                               fake_close, fake_level,   fake_kinds, fake};
}
