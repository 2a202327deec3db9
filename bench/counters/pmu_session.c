/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "pmu_names.h"
#include "pmu_selftest.h"
#include "pmu_session.h"

/* Something else may hold the counters for a moment; who holds them for three stretches keeps them. */
#define COUNT_ATTEMPTS 3

static int event_encode(struct pmu_event *event, bool strict, struct dv_error *error_out)
{
    struct dv_error error = {0};
    event->verdict = PMU_NOT_RUN;
    int code =
        pmu_names_encode(event->event.name, &event->attr, event->encoding, sizeof event->encoding, &error);
    if (code == 0)
        return 0;
    event->status = code == DV_ERROR_USAGE ? COUNTER_UNKNOWN_EVENT : COUNTER_NO_LIBPFM;
    if (code != DV_ERROR_USAGE || !strict)
        return 0;
    if (error_out)
        *error_out = error;
    return code;
}

/* Which PMU of a hybrid CPU counts: the generic events name it in the upper half of `config`
 * (linux/perf_event.h, PERF_PMU_TYPE_SHIFT), without which the kernel takes the first. */
static int event_direct(struct pmu_event *event, const struct cpu_kinds *kinds, int cpu, bool strict,
                        struct dv_error *error_out)
{
    const struct cpu_kind *own = cpu_kinds_find(kinds, cpu);
    const size_t n_encoding = strlen(event->encoding);
    if (!own || event->status != COUNTER_OK)
        return 0;
    if (event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE) {
        event->attr.config |= (uint64_t)own->perf_type << 32;
        snprintf(event->encoding + n_encoding, sizeof event->encoding - n_encoding, "@%s", own->pmu);
        return 0;
    }
    for (size_t i = 0; i < kinds->n_items; i++) {
        const struct cpu_kind *kind = &kinds->items[i];
        if (kind == own || kind->perf_type != event->attr.type)
            continue;
        event->status = COUNTER_OTHER_PMU;
        if (strict)
            return dv_fail(error_out, DV_ERROR_USAGE,
                           "event '%s' is of the PMU %s (CPUs %s), and CPU %d has %s (CPUs %s): --cpu, or "
                           "another event",
                           event->event.name, kind->pmu, kind->list, cpu, own->pmu, own->list);
    }
    return 0;
}

static enum counter_status attempt(const struct pmu_system *system, const struct perf_event_attr *attrs,
                                   size_t n_events, void (*stretch)(void *user), void *user,
                                   uint64_t *values_out, int *refused_out)
{
    struct pmu_group group;
    enum counter_status status = pmu_group_open(&group, system, attrs, n_events, refused_out);
    if (status != COUNTER_OK)
        return status;
    status = pmu_group_begin(&group);
    if (status == COUNTER_OK) {
        stretch(user);
        status = pmu_group_end(&group, values_out);
    }
    pmu_group_close(&group);
    return status;
}

enum counter_status pmu_session_count(const struct pmu_session *session, size_t group,
                                      void (*stretch)(void *user), int (*again)(void *user), void *user,
                                      uint64_t *values_out)
{
    struct perf_event_attr attrs[PMU_GROUP_MAX];
    enum counter_status status = COUNTER_NOT_SCHEDULED;
    for (size_t i = 0; i < session->group_size[group]; i++)
        attrs[i] = session->events[session->group_events[group][i]].attr;
    for (int i = 0; i < COUNT_ATTEMPTS && status == COUNTER_NOT_SCHEDULED; i++) {
        if (again && again(user) != 0)
            return COUNTER_READ_FAILED;
        status = attempt(session->system, attrs, session->group_size[group], stretch, user, values_out, NULL);
    }
    return status;
}

/* Whether these events run together: opening a group proves nothing, a group that is too large opens and never
 * runs. */
static bool group_fits(const struct pmu_session *session, const size_t *events, size_t n_events)
{
    struct perf_event_attr attrs[PMU_GROUP_MAX];
    uint64_t values[PMU_GROUP_MAX];
    if (n_events > PMU_GROUP_MAX)
        return false;
    for (size_t i = 0; i < n_events; i++)
        attrs[i] = session->events[events[i]].attr;
    for (int i = 0; i < COUNT_ATTEMPTS; i++)
        if (attempt(session->system, attrs, n_events, pmu_selftest_short_loop, NULL, values, NULL) ==
            COUNTER_OK)
            return true;
    return false;
}

/* Halves a set until its parts fit; the rows' order keeps instructions next to cycles. */
static void group_events(struct pmu_session *session, const size_t *events, size_t n_events)
{
    if (n_events == 0)
        return;
    if (n_events == 1 || group_fits(session, events, n_events)) {
        size_t group = session->n_groups++;
        session->group_size[group] = n_events;
        memcpy(session->group_events[group], events, n_events * sizeof *events);
        return;
    }
    group_events(session, events, n_events / 2);
    group_events(session, events + n_events / 2, n_events - n_events / 2);
}

int pmu_session_open(struct pmu_session *session_out, const struct pmu_system *system,
                     const struct counter_events *events, int cpu, bool strict, struct dv_error *error_out)
{
    struct pmu_session *session = session_out;
    size_t usable[COUNTER_EVENTS_MAX];
    size_t n_usable = 0;
    struct cpu_kinds kinds;
    system->kinds(system->user, &kinds);
    *session = (struct pmu_session){.system = system, .n_events = events->n_items};
    for (size_t i = 0; i < events->n_items; i++) {
        struct pmu_event *event = &session->events[i];
        event->event = events->items[i];
        int code = event_encode(event, strict, error_out);
        if (code == 0)
            code = event_direct(event, &kinds, cpu, strict, error_out);
        if (code != 0)
            return code;
        if (event->status == COUNTER_OK)
            pmu_selftest_event(event, system);
        if (event->status == COUNTER_OK)
            usable[n_usable++] = i;
    }
    group_events(session, usable, n_usable);
    return 0;
}

int pmu_session_find(const struct pmu_session *session, enum counter_role role)
{
    for (size_t i = 0; i < session->n_events; i++)
        if (session->events[i].event.role == role && session->events[i].status == COUNTER_OK)
            return (int)i;
    return -1;
}

/* Instructions speak for the session; a set without them (only software events) is judged by its first
 * event. */
enum counter_status pmu_session_status(const struct pmu_session *session)
{
    for (size_t i = 0; i < session->n_events; i++)
        if (session->events[i].event.role == ROLE_instructions)
            return session->events[i].status;
    for (size_t i = 0; i < session->n_events; i++)
        if (session->events[i].status == COUNTER_OK)
            return COUNTER_OK;
    return session->n_events != 0 ? session->events[0].status : COUNTER_NOT_ASKED;
}
