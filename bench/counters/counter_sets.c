/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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

/* Adds an event unless it is there already. False where there is no place. */
static bool add_event(struct counter_events *events, const struct counter_event *event)
{
    for (size_t i = 0; i < events->n_items; i++)
        if (strcmp(events->items[i].name, event->name) == 0)
            return true;
    if (events->n_items == COUNTER_EVENTS_MAX)
        return false;
    events->items[events->n_items++] = *event;
    return true;
}

/* A generic event is also known by perf's name: instructions, branch-misses. */
static bool is_named(const struct counter_event *row, const char *word)
{
    static const char generic[] = "perf::";
    const size_t n = sizeof generic - 1;
    return strcmp(row->name, word) == 0 ||
           (strncmp(row->name, generic, n) == 0 && strcasecmp(row->name + n, word) == 0);
}

/* All events of a set, or the one event of that name. False where there is no place. */
static bool add_word(struct counter_events *events, const char *word)
{
    struct counter_event event = {.set = "", .role = ROLE_other, .meaning = "as asked for"};
    bool is_set = false;
    bool has_place = true;
    for (size_t i = 0; i < N_ROWS; i++) {
        if (strcmp(rows[i].set, word) == 0) {
            is_set = true;
            has_place = has_place && add_event(events, &rows[i]);
        }
        if (is_named(&rows[i], word))
            event = rows[i];
    }
    if (!*event.name)
        snprintf(event.name, sizeof event.name, "%s", word);
    return is_set ? has_place : add_event(events, &event);
}

/* A name ends up in a CSV cell and in `event=word;...`: what would break either is refused here. */
static int check_name(const char *name, size_t n_bytes, struct dv_error *error_out)
{
    if (n_bytes == 0 || n_bytes >= sizeof(((struct counter_event *)0)->name))
        return dv_fail(error_out, DV_ERROR_USAGE, "an event's name has %zu characters, 1 to %zu expected",
                       n_bytes, sizeof(((struct counter_event *)0)->name) - 1);
    for (size_t i = 0; i < n_bytes; i++)
        if (name[i] <= ' ' || name[i] > '~' || name[i] == '"' || name[i] == ';')
            return dv_fail(error_out, DV_ERROR_USAGE, "event name '%.*s' contains an invalid character",
                           (int)n_bytes, name);
    return 0;
}

int counter_events_parse(struct counter_events *events_out, const char *text, struct dv_error *error_out)
{
    *events_out = (struct counter_events){0};
    if (!text)
        text = COUNTER_SET_DEFAULT;
    for (const char *name = text;; name++) {
        char word[sizeof events_out->items[0].name] = "";
        size_t n_bytes = strcspn(name, ",");
        int status = check_name(name, n_bytes, error_out);
        if (status != 0)
            return status;
        memcpy(word, name, n_bytes);
        if (!add_word(events_out, word))
            return dv_fail(error_out, DV_ERROR_USAGE, "more than %d events", COUNTER_EVENTS_MAX);
        name += n_bytes;
        if (*name == '\0')
            return 0;
    }
}
