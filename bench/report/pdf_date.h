/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the time of drawing out of a PDF that cairo wrote, so that the same run gives the same bytes.
 *
 * Place in the data flow: a picture of gnuplot -> the same picture without a date. */
#ifndef DVBENCH_PDF_DATE_H
#define DVBENCH_PDF_DATE_H

#include "dv_error.h"

/* Puts blanks in the place of the date. From 1.18 on cairo compresses the object that holds it, with a length that
 * depends on the date: such a file is written again with these objects plain and a plain table of offsets. Returns 0,
 * DV_ERROR_INPUT where the file is not a PDF of cairo's shape, DV_ERROR_IO, DV_ERROR_MEMORY; then the file is as it
 * was. */
int pdf_date_remove(const char *path, struct dv_error *error_out);

#endif
