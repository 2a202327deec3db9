/* SPDX-License-Identifier: Apache-2.0 */
/* samples.csv: every sample of a run, written as it ends, read back by --resume and by later process starts.
 *
 * Place in the data flow: measure -> samples.csv and memory -> summary.h takes medians and ratios, noise.h
 * the noise floor. */
#ifndef DVBENCH_SAMPLES_H
#define DVBENCH_SAMPLES_H

#include "csv.h"
#include "measure.h"
#include "plan.h"

#define CELL_HASH_CHARS 16

/* One row of samples.csv. */
struct sample_row {
    char cell[CELL_HASH_CHARS + 1];
    char *dv;     /* owned by struct samples */
    char *kernel; /* owned by struct samples: an id, an id with SAMPLES_TWIN_SUFFIX, or SAMPLES_BOUND */
    enum sink_kind sink;
    uint32_t batch_rows;
    enum sweep_mode mode;
    int start;
    int round;
    int order;
    struct measure_sample sample;
    size_t n_before; /* place + 1 of the cell's sample before, 0: none; of struct samples */
};

/* The second registration of a block's slowest and fastest kernel: the A/A pairs. */
#define SAMPLES_TWIN_SUFFIX "_aa"
/* The store bound, measured in the same rounds. */
#define SAMPLES_BOUND "bound"

struct samples {
    struct sample_row *rows; /* owned */
    size_t n_rows;
    size_t capacity;
    size_t n_loaded;       /* the first of them were in the file */
    bool is_stale;         /* the file has rows that are dropped: see samples_tidy */
    struct json_t *loaded; /* owned: the blocks of those, by name */
    size_t *slots;         /* owned: hash table by cell */
    size_t n_slots;
    struct csv_writer *writer;
    char *path;      /* owned */
    const char *run; /* borrowed: name of the run */
};

/* Opens DIR/samples.csv: loads what is there (a torn last line is cut off; of two samples of one start, round, cell and
 * kernel the later one counts), else writes the header. */
int samples_open(struct samples *samples_out, const char *dir, const char *run, struct dv_error *error_out);

/* Appends one row, to the file and to memory, flushed. The row's strings are copied. */
int samples_add(struct samples *samples, const struct sample_row *row, struct dv_error *error_out);

/* Place + 1 of the last row of a cell, 0: none. Its others follow by `n_before`. */
size_t samples_last_of(const struct samples *samples, const char *cell);

/* Number of rows of one cell and one start (start < 0: of all). */
size_t samples_count(const struct samples *samples, const char *cell, int start);

/* The cell of a twin: its kernel's with another first digit. Returns `twin_out`. */
const char *samples_twin_hash(const char *cell, char twin_out[CELL_HASH_CHARS + 1]);

/* A twin's row: its kernel is an id with SAMPLES_TWIN_SUFFIX. */
bool samples_is_twin(const struct sample_row *row);

/* The rows [*first_out, *end_out) around rows[row] of the same block and start. One process start measures a
 * block in one go, so that they stand together. */
void samples_stretch(const struct samples *samples, size_t row, size_t *first_out, size_t *end_out);

/* Takes out the rows of a DV, sink, batch size and mode, of one start, from memory and, by a new file in the old one's
 * place, from the disk: a block that was cut short begins again. Only rows that were in the file when it was opened.
 * With start < 0 those of all starts, from memory: all blocks of a run may be replaced, one after the other, and
 * samples_tidy takes them from the disk. */
int samples_drop_block(struct samples *samples, const char *dv, const struct plan_block *block, int start,
                       struct dv_error *error_out);

/* Makes the file what memory is. To be called before the summary is written, so that a killed run still has the old
 * rows in the summary for as long as they are among the samples; samples_close calls it too. */
int samples_tidy(struct samples *samples, struct dv_error *error_out);

/* The same for one cell, which turned out wrong, and its twin. */
int samples_drop_cell(struct samples *samples, const char *cell, struct dv_error *error_out);

int samples_close(struct samples *samples, struct dv_error *error_out);

#endif
