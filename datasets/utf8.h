/* SPDX-License-Identifier: Apache-2.0 */
/* Text of unknown origin (paths, names in a footer) made fit for JSON, CSV and terminals.
 *
 * Place in the data flow: a path or a file's own text -> a spec, a cell, a message. */
#ifndef DVBENCH_UTF8_H
#define DVBENCH_UTF8_H

#include <stddef.h>

/* Bytes, 1 to 4, of the character that starts at `text`, which ends with NUL. 0 where no character of UTF-8 (RFC 3629:
 * no overlong form, no surrogate, nothing above U+10FFFF) starts there, and at what a terminal obeys instead of showing:
 * control characters (C0, DEL, C1), the separators U+2028 and U+2029, and the marks that turn the direction of text. */
size_t utf8_visible_bytes(const char *text);

/* A copy in which each byte of which utf8_visible_bytes is 0 is written %XX: one line, always UTF-8, unchanged where the
 * text is both already. malloc'ed; NULL where memory is short. */
char *utf8_visible(const char *text);

#endif
