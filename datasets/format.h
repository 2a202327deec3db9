/* SPDX-License-Identifier: Apache-2.0 */
/* Files of deletion vectors: recognised, checked in full, and taken apart into vectors.
 *
 * Place in the data flow: file -> struct format_file (everything the file says) -> struct dv_source, one
 * per vector.
 *
 * Layouts: Puffin and deletion-vector-v1 (Iceberg's puffin-spec.md), Delta (PROTOCOL.md, "Deletion vector
 * format"), Roaring (RoaringFormatSpec). All of them carry the same payload, see dv.h, in other frames.
 *
 * What the specifications leave open, and what is decided here: touching runs, empty buckets and run
 * containers larger than another kind are accepted. A count that is stated and wrong, an offset table or a
 * checksum that does not fit, trailing bytes, or a vector that the manifest's offset and length do not meet
 * are refused. Properties that are missing are accepted with a warning. `lenient` also accepts, with a
 * warning, what leaves the set of positions beyond doubt: wrong offset tables, wrong cardinalities in the
 * headers of run containers, trailing bytes. */
#ifndef DVBENCH_FORMAT_H
#define DVBENCH_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dv.h"
#include "source.h"

/* X(enumerator, id, description) */
#define FOR_EACH_FORMAT(X)                                                                                   \
    X(FORMAT_PUFFIN, "puffin", "Iceberg's Puffin file with blobs of type deletion-vector-v1")                \
    X(FORMAT_BLOB, "blob", "one bare deletion-vector-v1 blob: length, magic, vector, CRC")                   \
    X(FORMAT_DELTA, "delta", "Delta deletion vector file: a version byte and any number of vectors")         \
    X(FORMAT_DELTA_INLINE, "inline", "Delta inline vector: Z85 text of magic and vector")                    \
    X(FORMAT_ROARING32, "roaring32", "Roaring portable, 32-bit")                                             \
    X(FORMAT_ROARING64, "roaring64", "Roaring portable, 64-bit")

enum format_kind {
    FORMAT_AUTO, /* found by magic */
#define FORMAT_ROW(enumerator, id, description) enumerator,
    FOR_EACH_FORMAT(FORMAT_ROW)
#undef FORMAT_ROW
        N_FORMATS
};

/* "puffin", ...; "auto" for FORMAT_AUTO. Static. */
const char *format_id(enum format_kind kind);

/* One line, static. */
const char *format_description(enum format_kind kind);

/* What the caller knows of the file, usually from a manifest or a descriptor. Zero-initialised: nothing. */
struct format_options {
    enum format_kind format;
    bool has_offset, has_length, has_blob, has_cardinality, has_rows;
    bool lenient;
    uint64_t offset_bytes; /* where the vector starts in the file, as the format's metadata counts it */
    uint64_t length_bytes; /* as metadata counts it: Puffin and blob the whole frame, Delta 8 bytes less */
    uint64_t blob;         /* keep only the vector with this number, from 0 */
    const char *data_file; /* borrowed or NULL: keep only the vector with exactly this referenced-data-file */
    uint64_t cardinality;  /* the vector kept must have it; 0 is a value */
    uint64_t n_rows;       /* rows of the data file, which no format states */
};

/* One vector of a file, validated. */
struct format_vector {
    uint64_t index;          /* N of `path#N`: its place among the vectors of the file */
    uint64_t frame_offset;   /* first byte of its frame in the file, as a manifest or descriptor counts it */
    uint64_t n_frame_bytes;  /* whole frame, length word and CRC included */
    uint64_t payload_offset; /* where in the file byte 0 of the payload would be; roaring32 lacks 12 bytes
                                before it */
    const uint8_t *payload;  /* canonical, see dv.h; in the file's bytes or in `owned` */
    size_t n_payload_bytes;
    uint8_t *owned;   /* NULL where the payload is the file's own bytes */
    bool is_repaired; /* `lenient` had to repair it: payload differs from the file */
    bool has_crc;     /* then crc_stored is also what was computed */
    uint32_t crc_stored;
    bool has_stated_cardinality;
    uint64_t stated_cardinality; /* by Puffin's property */
    char *data_file;             /* owned or NULL: Puffin's referenced-data-file */
    struct dv_view view;         /* indexed and validated */
};

/* One blob of a Puffin file, whatever its type. */
struct format_blob {
    char *type;  /* owned */
    char *codec; /* owned, NULL: not compressed */
    uint64_t offset_bytes;
    uint64_t length_bytes;
    int64_t vector; /* index into the vectors of the file, -1 where it is none or was not asked for */
};

struct format_file {
    enum format_kind format;
    uint8_t *bytes; /* owned: the file, or the decoded inline text */
    size_t n_bytes;
    char *created_by;   /* owned or NULL: Puffin's writer */
    bool is_footer_lz4; /* Puffin's footer was compressed */
    struct format_blob *blobs;
    size_t n_blobs;
    struct format_vector *vectors; /* those that the options keep, in the file's order */
    size_t n_vectors;
    uint64_t n_vectors_in_file;
    uint64_t
        n_other_properties; /* of a Puffin: those of the file and of its vectors that nothing here reads */
    char **warnings;        /* owned, one line each, without the file's name */
    size_t n_warnings;
};

/* Takes `bytes` apart as the options say and validates every vector kept: frame, CRC, structure, key bounds,
 * every count stated anywhere. Takes over `bytes` (malloc'ed), on failure too. A file without a vector is
 * fine (n_vectors 0) unless the options choose one. Returns 0, or a negative code with `error_out` filled,
 * offsets counted in the file, and an empty `file_out`. */
int format_parse(struct format_file *file_out, uint8_t *bytes, size_t n_bytes,
                 const struct format_options *options, struct dv_error *error_out);

/* Reads the file at `path` whole and parses it; of FORMAT_DELTA_INLINE, which only the caller can know, its text.
 * Errors name the path as their place. */
int format_open(struct format_file *file_out, const char *path, const struct format_options *options,
                struct dv_error *error_out);

/* The same for the text of a Delta inline vector; errors name "inline vector" as their place. */
int format_open_inline(struct format_file *file_out, const char *text, const struct format_options *options,
                       struct dv_error *error_out);

void format_close(struct format_file *file);

/* The spec of a vector: the escaped name, and `#N` where the file has more than one. malloc'ed; NULL where
 * memory is short. */
char *format_vector_spec(const struct format_file *file, const char *name,
                         const struct format_vector *vector);

/* Turns the vectors of `file` into sources, an array that the caller frees together with each source
 * (source_free). `name` is the path, escaped here; `name#N` where the file has more than one vector.
 * Positions of 2^63 and above, and n_rows that do not fit, are refused: no data file has such rows. No vector
 * at all is DV_ERROR_INPUT. */
int format_sources(const struct format_file *file, const char *name, const struct format_options *options,
                   struct dv_source **sources_out, size_t *n_out, struct dv_error *error_out);

/* Frees an array of sources. */
void format_free_sources(struct dv_source *sources, size_t n_sources);

#endif
