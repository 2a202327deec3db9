/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that a table is written in: its writer holds a lock, so that what a killed process left can be told from
 * what is being written.
 *
 * Place in the data flow: DIR/table-HASH -> DIR/table-HASH.part-PID while it is written -> renamed to DIR/table-HASH. */
#ifndef DVBENCH_TABLE_FOLDER_H
#define DVBENCH_TABLE_FOLDER_H

#include "dv_error.h"

struct table_folder {
    char *path; /* owned */
    int lock;   /* descriptor of the folder, which holds the lock; -1 where there is none */
};

/* Makes the folder in which `table_dir` is written and locks it; waits while a process of another machine or container
 * that has the same number writes there. Returns 0, DV_ERROR_IO or DV_ERROR_MEMORY. Close on failure too. */
int table_folder_make(struct table_folder *folder_out, const char *table_dir, struct dv_error *error_out);

/* Removes it with all that is in it, unless it was renamed, and gives up the lock. */
void table_folder_close(struct table_folder *folder);

/* Removes such folders below `data_dir` whose writers are gone. Where the file system has no locks they stay. */
void table_folder_remove_left(const char *data_dir);

/* Removes a folder and the files in it; one that holds folders stays. */
void table_folder_remove(const char *dir);

#endif
