/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of `sweep`, one table for the command line and for the lines of plans.
 *
 * Place in the data flow: words -> struct sweep_options and one struct sweep_group; sweep_options.c puts
 * groups and plans together. */
#ifndef DVBENCH_SWEEP_FLAGS_H
#define DVBENCH_SWEEP_FLAGS_H

#include "sweep_options.h"

/* Reads one command line, or one line of a plan, into the options and `group`. `plan_out`: set to the plan
 * that --plan names (borrowed from argv); NULL for a plan's line, where neither --plan nor options of the
 * output are allowed. */
int sweep_flags_parse(struct sweep_options *options, struct sweep_group *group, int argc, char **argv,
                      const char **plan_out, struct dv_error *error_out);

/* Sets an owned text to a copy of `value`. */
int sweep_flags_replace(char **text, const char *value, struct dv_error *error_out);

#endif
