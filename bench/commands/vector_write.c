/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_write.h"
#include "options.h"
#include "vector_write.h"

#define FORMAT_ID(enumerator, id, description) id,
static const char *const ids[] = {FOR_EACH_FORMAT(FORMAT_ID) NULL};
#undef FORMAT_ID

int vector_write_format(const char *name, const char *id, enum format_kind *format_out,
                        struct dv_error *error_out)
{
    int index = option_choice(name, id, ids, error_out);
    if (index >= 0)
        *format_out = (enum format_kind)(FORMAT_AUTO + 1 + index);
    return index;
}

static int write_stdout(const uint8_t *bytes, size_t n_bytes, struct dv_error *error_out)
{
    if (fwrite(bytes, 1, n_bytes, stdout) != n_bytes || fflush(stdout) != 0)
        return dv_fail(error_out, DV_ERROR_IO, "cannot write to standard output");
    return 0;
}

/* The text of an inline vector is for people's terminals and descriptors: it ends its line. */
static int end_line(uint8_t **bytes, size_t *n_bytes, struct dv_error *error_out)
{
    uint8_t *grown = realloc(*bytes, *n_bytes + 1);
    if (!grown)
        return dv_no_memory(error_out);
    grown[(*n_bytes)++] = '\n';
    *bytes = grown;
    return 0;
}

int vector_write(const char *path, const struct format_output *outputs, size_t n_outputs,
                 const struct format_write_options *options, struct dv_error *error_out)
{
    bool is_stdout = strcmp(path, "-") == 0;
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    uint64_t n_positions = 0;
    for (size_t i = 0; i < n_outputs; i++)
        n_positions += outputs[i].cardinality;
    int status = format_encode(outputs, n_outputs, options, &bytes, &n_bytes, error_out);
    if (status == 0 && options->format == FORMAT_DELTA_INLINE)
        status = end_line(&bytes, &n_bytes, error_out);
    if (status == 0)
        status =
            is_stdout ? write_stdout(bytes, n_bytes, error_out) : file_write(path, bytes, n_bytes, error_out);
    free(bytes);
    if (status == 0 && !is_stdout)
        printf("%s: %s, %zu bytes, %zu vector%s, %" PRIu64 " positions\n", path, format_id(options->format),
               n_bytes, n_outputs, n_outputs == 1 ? "" : "s", n_positions);
    return status;
}

void vector_write_print_formats(void)
{
    puts("formats:");
    for (int kind = FORMAT_AUTO + 1; kind < N_FORMATS; kind++)
        printf("  %-18s %s\n", format_id((enum format_kind)kind), format_description((enum format_kind)kind));
}
