/* SPDX-License-Identifier: Apache-2.0 */
/* Modes: in which order a cell's batches are visited. Their ids are the values of --mode and of the column `mode`.
 *
 * Place in the data flow: sweep options -> plan, block, samples.csv, summary.csv -> figures. */
#ifndef DVBENCH_MODE_H
#define DVBENCH_MODE_H

/* stream: the batches of the file in order; replay: one batch again and again; cold: one pass over each of many
 * copies of the vector whose bytes exceed the last-level cache. */
#define FOR_EACH_MODE(X) X(stream) X(replay) X(cold)

#define MODE_ENUMERATOR(id) MODE_##id,
enum sweep_mode { FOR_EACH_MODE(MODE_ENUMERATOR) N_MODES };
#undef MODE_ENUMERATOR

const char *mode_id(enum sweep_mode mode);

/* The mode of an id, or -1. */
int mode_find(const char *id);

#endif
