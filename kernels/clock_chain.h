/* SPDX-License-Identifier: Apache-2.0 */
/* A calibration loop of known length in core cycles: a chain of dependent adds, one cycle each.
 *
 * Place in the data flow: bench/ times clock_chain_run around a sample; adds / ns is the effective clock
 * (column mhz). */
#ifndef DVBENCH_CLOCK_CHAIN_H
#define DVBENCH_CLOCK_CHAIN_H

#include <stdint.h>

/* Runs n_adds adds, each of which needs the result of the one before: n_adds core cycles, plus a few for the
 * call, on every CPU whose add has a latency of one cycle (all that this project knows). Returns n_adds,
 * which only the adds themselves can know, so that no compiler can shorten the chain. */
uint64_t clock_chain_run(uint64_t n_adds);

#endif
