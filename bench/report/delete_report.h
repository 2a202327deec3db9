/* SPDX-License-Identifier: Apache-2.0 */
/* What three ways to delete cost, from deletes.csv: tables, and after how many scans rewriting pays.
 *
 * Place in the data flow: rows of deletes.csv -> the sections of report.md and report.html. */
#ifndef DVBENCH_DELETE_REPORT_H
#define DVBENCH_DELETE_REPORT_H

#include "csv.h"
#include "report_text.h"

void delete_report_write(const struct report_text *text, const struct csv_table *deletes);

#endif
