/* SPDX-License-Identifier: Apache-2.0 */
/* `simulate JOB`: the program's own child under callgrind; not listed, of no use by hand. */
#include "command.h"
#include "sim_child.h"

int command_simulate(int argc, char **argv, struct dv_error *error_out)
{
    return argc == 2 ? sim_child_run(argv[1], error_out)
                     : dv_fail(error_out, DV_ERROR_USAGE, "simulate: one job file is expected");
}
