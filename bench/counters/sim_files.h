/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that the simulator and its children share: payload, jobs, dumps.
 *
 * Place in the data flow: sim.c writes jobs here and finds dumps here; it is gone after each block, and where
 * this process is killed a moment later: a watcher process outlives it for that. */
#ifndef DVBENCH_SIM_FILES_H
#define DVBENCH_SIM_FILES_H

#include <stddef.h>
#include <sys/types.h>

#include "batches.h"
#include "counters.h"
#include "dv.h"
#include "sim_parse.h"

#define SIM_FILES_CHILDREN_MAX 2

struct sim_files {
    char root[256];                                /* of mkdtemp below TMPDIR or /tmp; "" where not open */
    char directories[SIM_FILES_CHILDREN_MAX][288]; /* one a child: its working directory */
    size_t n_children;
    int watcher_fd; /* its closing, by this process's end at the latest, lets the watcher remove the folder */
    pid_t watcher;  /* 0: none */
};

int sim_files_open(struct sim_files *files_out, size_t n_children, struct dv_error *error_out);

/* The payload that all children read. */
int sim_files_write_payload(const struct sim_files *files, const struct dv *dv, struct dv_error *error_out);

/* The job of a child: the job's sink, the batches and those before them, the kernels of those indices. Older dumps of this child
 * are removed. */
int sim_files_write_job(const struct sim_files *files, size_t child, const struct counters_job *job,
                        const struct batches *batches, const struct batches *before, const size_t *kernels,
                        size_t n_kernels, struct dv_error *error_out);
int sim_files_write_calibration(const struct sim_files *files, struct dv_error *error_out);

/* A file of the child's folder as text, free() it; NULL where there is none. */
char *sim_files_read(const struct sim_files *files, size_t child, const char *name,
                     struct dv_error *error_out);

/* The child's dump of that label: 0, or DV_ERROR_INPUT where there is none or it counted nothing. */
int sim_files_find_dump(const struct sim_files *files, size_t child, const char *label,
                        struct sim_dump *dump_out);

/* Removes the folder and all in it. */
void sim_files_close(struct sim_files *files);

#endif
