/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV files of a run, RFC 4180 with the columns of columns.def, and nothing that depends on the locale.
 *
 * Place in the data flow: measured cells -> csv_writer -> summary.csv, samples.csv, counters.csv ->
 * csv_table -> explain, report, compare. Numbers that are not known are empty cells, never 0. */
#ifndef DVBENCH_CSV_H
#define DVBENCH_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dv.h"

/* One constant a column: CSV_<file>_<column>, such as CSV_summary_ns_per_row. */
enum csv_column {
#define COLUMN(file, name, kind, meaning) CSV_##file##_##name,
#include "columns.def"
#undef COLUMN
    CSV_N_COLUMNS
};

/* The files. */
enum csv_file {
    CSV_FILE_summary,
    CSV_FILE_samples,
    CSV_FILE_counters,
    CSV_FILE_threads,
    CSV_FILE_scan,
    CSV_FILE_deletes,
    CSV_FILE_explain,
    CSV_FILE_claims,
    CSV_FILE_versions
};

enum csv_kind { CSV_KIND_text, CSV_KIND_integer, CSV_KIND_real };

/* Messages of functions that take a path begin with it. */

/* A column as columns.def states it; static. */
struct csv_column_info {
    enum csv_file file;
    enum csv_kind kind;
    const char *name;
    bool is_later; /* files of the same schema may lack it */
};

const struct csv_column_info *csv_column_info(enum csv_column column);

/* --- writing --- */

struct csv_writer; /* one open file and the row being filled */

/* Creates (truncates) the file and writes the header. Returns 0, DV_ERROR_IO or DV_ERROR_MEMORY. */
int csv_create(struct csv_writer **writer_out, const char *path, enum csv_file file,
               struct dv_error *error_out);

/* Opens a file of this schema to add rows, or creates it where it is missing or empty. A last line without
 * line end, as a killed run leaves it, is cut off first. Returns also DV_ERROR_INPUT: another schema, or
 * other columns than this build writes. */
int csv_append(struct csv_writer **writer_out, const char *path, enum csv_file file,
               struct dv_error *error_out);

/* Fill one cell of the current row. The column must be of the writer's file and of the function's kind
 * (asserted). NULL text, NaN and infinities give the empty cell, which is also what a cell holds that is
 * not filled. Reals are written with nine significant digits. The column `schema` fills itself. */
void csv_set_text(struct csv_writer *writer, enum csv_column column, const char *text);
void csv_set_integer(struct csv_writer *writer, enum csv_column column, int64_t value);
void csv_set_unsigned(struct csv_writer *writer, enum csv_column column, uint64_t value);
void csv_set_real(struct csv_writer *writer, enum csv_column column, double value);

/* Hands the row to the operating system in one write, so that a killed process loses none that ended, and
 * empties the cells. Returns 0, DV_ERROR_IO or DV_ERROR_MEMORY (of a csv_set too). */
int csv_end_row(struct csv_writer *writer, struct dv_error *error_out);

/* Closes and frees; a row that was not ended is lost. NULL is fine. Returns 0 or DV_ERROR_IO. */
int csv_close(struct csv_writer *writer, struct dv_error *error_out);

/* --- reading --- */

struct csv_table; /* all rows of one file in memory */

/* Reads a whole file. Columns are found by name in any order, unknown ones are passed over; LF and CRLF,
 * quotes and a UTF-8 byte order mark are understood. Returns 0, DV_ERROR_MEMORY, or DV_ERROR_INPUT: cannot be
 * read; with the offset, no such header, a column missing, a row with another number of cells or of another schema;
 * with line and column, a cell of a number that holds none, or one below 0 (counters.csv and explain.csv may have them); a last line
 * without line end, which may be half of what was meant. */
int csv_load(struct csv_table **table_out, const char *path, enum csv_file file, struct dv_error *error_out);

/* The same for a file that a run is to continue: a last line without line end is left out, a file without a whole
 * line has no rows, and of one that does not exist `table_out` is NULL. */
int csv_load_begun(struct csv_table **table_out, const char *path, enum csv_file file,
                   struct dv_error *error_out);

/* The same for `n_bytes` of memory, which are copied. */
int csv_parse(struct csv_table **table_out, const char *bytes, size_t n_bytes, enum csv_file file,
              struct dv_error *error_out);

size_t csv_n_rows(const struct csv_table *table);

/* Leaves only the rows for which `keep` is true, in their order. */
void csv_keep(struct csv_table *table,
              bool (*keep)(const struct csv_table *, size_t row, const void *context), const void *context);

/* A cell's text without quotes, "" where empty; lives as long as the table. `row` < csv_n_rows, `column` of
 * the table's file (asserted). */
const char *csv_text(const struct csv_table *table, size_t row, enum csv_column column);

/* Whether the header has the column. Where not, its cells are empty. */
bool csv_has(const struct csv_table *table, enum csv_column column);

/* NaN where the cell is empty. */
double csv_real(const struct csv_table *table, size_t row, enum csv_column column);

/* False where the cell is empty or not a count in 64 bits; then `value_out` is 0. */
bool csv_unsigned(const struct csv_table *table, size_t row, enum csv_column column, uint64_t *value_out);

/* Places the row in the writer's current row, cell by cell: for merging and copying. Both must be of the
 * same file. */
void csv_copy_row(struct csv_writer *writer, const struct csv_table *table, size_t row);

/* NULL is fine. */
void csv_free(struct csv_table *table);

#endif
