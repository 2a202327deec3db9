/* SPDX-License-Identifier: Apache-2.0 */
/* Counter sets: which events a set names and what each is for. counter_sets.def has a row for each.
 *
 * Place in the data flow: --events -> list of events -> pmu.h opens them. */
#ifndef DVBENCH_COUNTER_SETS_H
#define DVBENCH_COUNTER_SETS_H

#include <stddef.h>

#include "dv.h"

/* Which column an event fills, and by which known count the self-test judges it. */
enum counter_role {
    ROLE_instructions,
    ROLE_core_cycles,
    ROLE_branches,
    ROLE_branch_misses,
    ROLE_other,
    N_ROLES
};

const char *counter_role_id(enum counter_role role); /* "instructions", ... "other" */

struct counter_event {
    const char *set; /* the set's id, static; "" for a name that no set has */
    enum counter_role role;
    char name[96];       /* libpfm4's */
    const char *meaning; /* static */
};

#define COUNTER_SET_DEFAULT "portable"
#define COUNTER_EVENTS_MAX  32

struct counter_events {
    struct counter_event items[COUNTER_EVENTS_MAX];
    size_t n_items;
};

/* Fills `events_out` from a comma list of sets and libpfm4 names, each event once; NULL is the default set. A name
 * that a set knows has the role of its row; any other is ROLE_other. Empty, too many, too long: DV_ERROR_USAGE. Does
 * not ask libpfm4. */
int counter_events_parse(struct counter_events *events_out, const char *text, struct dv_error *error_out);

/* All rows of counter_sets.def in file order, for `list counters` and the tests: NULL past the last. */
const struct counter_event *counter_set_row(size_t index);

#endif
