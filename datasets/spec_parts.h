/* SPDX-License-Identifier: Apache-2.0 */
/* Single parts of a spec, `recipe:key=value:...`, without opening it: what a figure's title says, and which vectors
 * differ in one parameter only. Any text is taken; a file's name has no parts.
 *
 * Place in the data flow: the column `dv` of summary.csv -> figures, report, claims. */
#ifndef DVBENCH_SPEC_PARTS_H
#define DVBENCH_SPEC_PARTS_H

/* `spec` without the parts `:key=value` of the keys (a comma list). Owned by the caller, NULL without
 * memory. */
char *spec_without(const char *spec, const char *keys);

/* The same without base=0 and optimize=1, which every recipe takes and few plans change: for titles. */
char *spec_without_defaults(const char *spec);

/* The value of `key` in the spec, or NaN. */
double spec_value(const char *spec, const char *key);

/* The rate that the spec asks for: `rate`, or the article's `bp` in basis points; NaN where it has
 * neither. */
double spec_rate(const char *spec);

#endif
