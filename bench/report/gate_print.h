/* SPDX-License-Identifier: Apache-2.0 */
/* A gate's result for people and for machines: text, Markdown, JSON (datasets/FORMATS.md) and JUnit's XML.
 *
 * Place in the data flow: struct gate -> standard output -> a terminal, a comment, a CI's test report. */
#ifndef DVBENCH_GATE_PRINT_H
#define DVBENCH_GATE_PRINT_H

#include "gate.h"

enum gate_format { GATE_TEXT, GATE_MARKDOWN, GATE_JSON, GATE_JUNIT };

/* `with_all`: lists the cells without a difference in text and Markdown too; the other forms always have all cells.
 * Returns 0 or DV_ERROR_MEMORY. */
int gate_print(const struct gate *gate, enum gate_format format, bool with_all, struct dv_error *error_out);

#endif
