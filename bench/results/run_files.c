/* SPDX-License-Identifier: Apache-2.0 */
#include "run_files.h"

#include <stdio.h>
#include <stdlib.h>

const char *run_files_name(enum csv_file file)
{
    static const char *const names[] = {[CSV_FILE_summary] = "summary.csv",
                                        [CSV_FILE_samples] = "samples.csv",
                                        [CSV_FILE_counters] = "counters.csv"};
    return names[file];
}

int run_files_load(struct csv_table **table_out, const char *run_dir, enum csv_file file,
                   struct dv_error *error_out)
{
    char *path = NULL;
    *table_out = NULL;
    if (asprintf(&path, "%s/%s", run_dir, run_files_name(file)) < 0)
        return dv_no_memory(error_out);
    int status = csv_load(table_out, path, file, error_out);
    free(path);
    return status;
}
