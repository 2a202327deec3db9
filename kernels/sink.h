/* SPDX-License-Identifier: Apache-2.0 */
/* What each sink is called and how large its elements are.
 *
 * Place in the data flow: dv_sink.h, the form of a kernel's answer -> names for CSV, options and messages. */
#ifndef DVBENCH_SINK_H
#define DVBENCH_SINK_H

#include "dv_sink.h"

size_t sink_element_bytes(enum sink_kind kind);
const char *sink_id(enum sink_kind kind);
const char *sink_description(enum sink_kind kind);
/* The kind of that id, or -1. */
int sink_find(const char *id);

#endif
