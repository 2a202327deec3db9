/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins: kernels from shared objects, registered next to the built-in ones.
 *
 * Place in the data flow: --plugin FILE -> dlopen -> kernel_add -> every command that asks the registry. */
#ifndef DVBENCH_PLUGIN_H
#define DVBENCH_PLUGIN_H

#include "dv.h"
#include "run_json.h" /* PLUGIN_ENVIRONMENT */

/* Loads a shared object, for the life of the process, and registers its kernel; its technique is
 * `plugin_<digest of the file>`. Returns 0, DV_ERROR_USAGE where the file is not a plugin of this version, with what is
 * wrong, or DV_ERROR_MEMORY. */
int plugin_load(const char *path, struct dv_error *error_out);

/* Loads what PLUGIN_ENVIRONMENT names. */
int plugin_load_inherited(struct dv_error *error_out);

/* Of all files loaded, in their order; 0 where there is none. */
uint64_t plugin_digest(void);

#endif
