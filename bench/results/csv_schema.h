/* SPDX-License-Identifier: Apache-2.0 */
/* What the writer and the reader of CSV share and nobody else needs.
 *
 * Place in the data flow: csv_writer.c, csv_reader.c. */
#ifndef DVBENCH_CSV_SCHEMA_H
#define DVBENCH_CSV_SCHEMA_H

#include <stddef.h>

#include "csv.h"

/* The column `schema` of a file. */
enum csv_column csv_schema_column(enum csv_file file);

#endif
