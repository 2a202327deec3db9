/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of the formats share; nothing outside datasets/format_*.c includes this.
 *
 * Place in the data flow: format.c picks a reader -> the reader cuts frames -> format_add_vector validates
 * each payload. */
#ifndef DVBENCH_FORMAT_INTERNAL_H
#define DVBENCH_FORMAT_INTERNAL_H

#include "dv.h"
#include "format.h"
#include "format_words.h"

/* Bytes around the payload in a deletion-vector-v1 blob and in a Delta file: u32 BE length, magic, ..., u32
 * BE CRC-32. */
enum {
    FRAME_LENGTH_BYTES = 4,
    FRAME_MAGIC_BYTES = 4,
    FRAME_CRC_BYTES = 4,
    FRAME_BYTES = FRAME_LENGTH_BYTES + FRAME_MAGIC_BYTES + FRAME_CRC_BYTES,
    /* What Iceberg's content_size_in_bytes counts and Delta's sizeInBytes does not. */
    FRAME_OUTER_BYTES = FRAME_LENGTH_BYTES + FRAME_CRC_BYTES,
};

#define MAGIC_VECTOR       1681511377u /* D1 D3 39 64, read little-endian */
#define MAGIC_DELTA_NATIVE 1681511376u /* Delta's layout before the portable one */
#define MAGIC_PAIMON       1581511376u /* 5E 43 F2 D0, big-endian: Paimon's bitmaps of 32 bits */
#define COOKIE_NO_RUNS     12346u
#define COOKIE_RUNS        12347u
#define COOKIE_FROZEN      13766u

/* Readers: each takes file->bytes apart. Return 0 or a negative code. */
int format_read_puffin(struct format_file *file, const struct format_options *options,
                       struct dv_error *error_out);
int format_read_blob(struct format_file *file, const struct format_options *options,
                     struct dv_error *error_out);
int format_read_delta(struct format_file *file, const struct format_options *options,
                      struct dv_error *error_out);
int format_read_inline(struct format_file *file, const struct format_options *options,
                       struct dv_error *error_out);
int format_read_roaring32(struct format_file *file, const struct format_options *options,
                          struct dv_error *error_out);
int format_read_roaring64(struct format_file *file, const struct format_options *options,
                          struct dv_error *error_out);

/* Recognises the bytes by their magic. FORMAT_AUTO where nothing fits; then `error_out` says what the bytes
 * look like. */
enum format_kind format_recognise(const uint8_t *bytes, size_t n_bytes, struct dv_error *error_out);

/* Checks length word, magic and CRC of the frame at [offset, offset + n_bytes) of the file, a range inside
 * it, and sets where the payload of `vector` is. */
int format_check_frame(const struct format_file *file, uint64_t offset, uint64_t n_bytes,
                       struct format_vector *vector, struct dv_error *error_out);

/* Appends an empty vector numbered `index`, owned by `file`; NULL with `error_out` filled where memory is
 * short. */
struct format_vector *format_add_vector(struct format_file *file, uint64_t index, struct dv_error *error_out);

/* Validates the payload of `vector`, whose region, CRC and stated cardinality are set: structure, key bounds
 * of the file's format, stated counts; with options->lenient repairs what is harmless. Offsets in errors are
 * the file's. */
int format_check_vector(struct format_file *file, struct format_vector *vector,
                        const struct format_options *options, struct dv_error *error_out);

/* Whether the options keep the vector numbered `index` with this data file (NULL where the format names
 * none). */
bool format_is_kept(const struct format_options *options, uint64_t index, const char *data_file);

/* Adds a line to file->warnings; one that does not fit into memory is lost. */
void format_warn(struct format_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What following the headers of a payload shows, offset tables ignored. */
struct format_extent {
    size_t n_bytes;       /* of the payload */
    uint32_t last_key;    /* of the last bucket, empty or not; 0 where there is none */
    uint64_t last_key_at; /* its byte offset in the payload */
};

/* Follows the headers of the payload that starts at `bytes`. False where they run past n_bytes; then
 * `extent_out` says how far it came. */
bool format_payload_extent(const uint8_t *bytes, size_t n_bytes, struct format_extent *extent_out);

/* The greatest key that a format allows: Iceberg's Java reader takes keys up to 2^31 - 2 (an array index),
 * Delta's protocol wants the top bit clear, Roaring has no bound. */
uint32_t format_greatest_key(enum format_kind format);

/* Repairs a copy of the payload: offset tables and run cardinalities set to what the containers say, trailing
 * bytes dropped. Returns malloc'ed bytes, or NULL where the headers run past n_bytes or memory is short. */
uint8_t *format_payload_repair(const uint8_t *bytes, size_t n_bytes, size_t *n_out);

#endif
