/* SPDX-License-Identifier: Apache-2.0 */
#include "csv.h"

#include <assert.h>

static const struct csv_column_info columns[] = {
#define COLUMN(file, name, kind, meaning) {CSV_FILE_##file, CSV_KIND_##kind, #name, meaning},
#include "columns.def"
#undef COLUMN
};

const struct csv_column_info *csv_column_info(enum csv_column column)
{
    assert((unsigned)column < CSV_N_COLUMNS);
    return &columns[column];
}
