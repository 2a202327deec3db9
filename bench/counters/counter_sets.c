/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "counter_sets.h"

#define COUNTER(set, role, name, meaning) {#set, ROLE_##role, name, meaning},
static const struct counter_event rows[] = {
#include "counter_sets.def"
};
#undef COUNTER

#define N_ROWS (sizeof rows / sizeof rows[0])

const char *counter_role_id(enum counter_role role)
{
    static const char *const ids[N_ROLES] = {"instructions", "core_cycles", "branches", "branch_misses",
                                             "other"};
    return ids[role];
}

const struct counter_event *counter_set_row(size_t index)
{
    return index < N_ROWS ? &rows[index] : NULL;
}

static void add_set(struct counter_events *events, const char *set)
{
    for (size_t i = 0; i < N_ROWS && events->n_items < COUNTER_EVENTS_MAX; i++)
        if (strcmp(rows[i].set, set) == 0)
            events->items[events->n_items++] = rows[i];
}

static void add_name(struct counter_events *events, const char *name, size_t n_bytes)
{
    struct counter_event *event = &events->items[events->n_items++];
    *event = (struct counter_event){.set = "", .role = ROLE_other, .meaning = "as asked for"};
    memcpy(event->name, name, n_bytes);
    for (size_t i = 0; i < N_ROWS; i++)
        if (strcmp(rows[i].name, event->name) == 0)
            *event = rows[i];
}

/* A name ends up in a CSV cell and in `event=word;...`: what would break either is refused here. */
static int check_name(const char *name, size_t n_bytes, struct dv_error *error_out)
{
    if (n_bytes == 0 || n_bytes >= sizeof(((struct counter_event *)0)->name))
        return dv_fail(error_out, DV_ERROR_USAGE, "an event's name has %zu characters, 1 to %zu expected",
                       n_bytes, sizeof(((struct counter_event *)0)->name) - 1);
    for (size_t i = 0; i < n_bytes; i++)
        if (name[i] <= ' ' || name[i] > '~' || name[i] == '"' || name[i] == ';')
            return dv_fail(error_out, DV_ERROR_USAGE, "event name '%.*s' has a character that none has",
                           (int)n_bytes, name);
    return 0;
}

int counter_events_parse(struct counter_events *events_out, const char *text, struct dv_error *error_out)
{
    *events_out = (struct counter_events){0};
    if (!text)
        text = COUNTER_SET_DEFAULT;
    add_set(events_out, text);
    if (events_out->n_items != 0)
        return 0;
    for (const char *name = text;; name++) {
        size_t n_bytes = strcspn(name, ",");
        int status = check_name(name, n_bytes, error_out);
        if (status != 0)
            return status;
        if (events_out->n_items == COUNTER_EVENTS_MAX)
            return dv_fail(error_out, DV_ERROR_USAGE, "more than %d events", COUNTER_EVENTS_MAX);
        add_name(events_out, name, n_bytes);
        name += n_bytes;
        if (*name == '\0')
            return 0;
    }
}
