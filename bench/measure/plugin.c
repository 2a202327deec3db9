/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dv_plugin.h"
#include "file_read.h"
#include "kernel.h"

enum { PLUGINS_MOST = 8, PLUGIN_ID_BYTES = 64 };

/* The kernel hooks do not know their kernel: each slot has an `open` of its own, and its state names the plugin. */
struct plugin {
    const struct dv_plugin *table;
    char technique[32];
    struct kernel kernel;
};

struct plugin_state {
    const struct dv_plugin *table;
    void *own;
};

static struct plugin plugins[PLUGINS_MOST];
static size_t n_plugins;
static uint64_t digest_of_all;

static int open_slot(size_t slot, const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    struct plugin_state *opened = calloc(1, sizeof *opened);
    if (!opened)
        return dv_no_memory(error_out);
    opened->table = plugins[slot].table;
    const int refusal = opened->table->open(dv->bytes, dv->n_bytes, &opened->own);
    if (refusal != 0) {
        free(opened);
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "the plugin's open returned %d", refusal);
    }
    *state = (struct kernel_state){.data = opened, .n_bytes = sizeof *opened};
    return 0;
}

static void close_state(struct kernel_state *state)
{
    struct plugin_state *opened = state->data;
    opened->table->close(opened->own);
    free(opened);
}

#define FOR_EACH_SLOT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define SLOT_OPEN(n)                                                                                         \
    static int open_##n(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)         \
    {                                                                                                        \
        return open_slot(n, dv, state, error_out);                                                           \
    }
FOR_EACH_SLOT(SLOT_OPEN)
#define SLOT_ADDRESS(n) open_##n,
static int (*const opens[PLUGINS_MOST])(const struct dv *, struct kernel_state *,
                                        struct dv_error *) = {FOR_EACH_SLOT(SLOT_ADDRESS)};

#define SINK_RUN(argument, id, type, text)                                                                   \
    static uint32_t run_##id(const struct dv *dv, struct kernel_state *state, uint64_t start,                \
                             uint32_t n_rows, struct sink *sink)                                             \
    {                                                                                                        \
        const struct plugin_state *opened = state->data;                                                     \
        (void)dv;                                                                                            \
        return opened->table->run(opened->own, SINK_##id, start, n_rows, sink);                              \
    }
FOR_EACH_SINK(SINK_RUN, )
#define SINK_ADDRESS(argument, id, type, text) run_##id,
static kernel_fn *const runs[N_SINKS] = {FOR_EACH_SINK(SINK_ADDRESS, )};

static const char *id_problem(const char *id)
{
    if (!id || id[0] < 'a' || id[0] > 'z' || strlen(id) >= PLUGIN_ID_BYTES ||
        id[strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0')
        return "its id is not [a-z][a-z0-9_]* of at most 63 bytes";
    return kernel_find(id) ? "its id is that of another kernel" : NULL;
}

static int find_isa(const char *id)
{
    for (int isa = 0; id && isa < N_ISAS; isa++)
        if (strcmp(isa_id((enum isa)isa), id) == 0)
            return isa;
    return -1;
}

/* What is wrong with a table, NULL where nothing is. */
static const char *table_problem(const struct dv_plugin *table)
{
    if (table->sinks == 0 || table->sinks > SINK_ALL)
        return "its mask of sinks is empty or names unknown ones";
    if (!table->open || !table->run || !table->close || !table->description)
        return "one of description, open, run, close is NULL";
    if (strpbrk(table->description, "\r\n"))
        return "its description is more than one line";
    return find_isa(table->isa) < 0 ? "its isa is unknown" : id_problem(table->id);
}

static int register_table(const struct dv_plugin *table, uint64_t digest, struct dv_error *error_out)
{
    struct plugin *plugin = &plugins[n_plugins];
    plugin->table = table;
    snprintf(plugin->technique, sizeof plugin->technique, "plugin_%016" PRIx64, digest);
    plugin->kernel = (struct kernel){.id = table->id,
                                     .technique = plugin->technique,
                                     .stands_for = "a plugin",
                                     .description = table->description,
                                     .isa = (enum isa)find_isa(table->isa),
                                     .sinks = table->sinks,
                                     .flags = KERNEL_IS_FOREIGN,
                                     .open = opens[n_plugins],
                                     .close = close_state};
    for (int sink = 0; sink < N_SINKS; sink++)
        plugin->kernel.run[sink] = table->sinks >> sink & 1 ? runs[sink] : NULL;
    if (kernel_add(&plugin->kernel) != 0)
        return dv_no_memory(error_out);
    n_plugins++;
    digest_of_all = digest_of_all * 1099511628211u ^ digest;
    return 0;
}

static int digest_file(const char *path, uint64_t *digest_out, struct dv_error *error_out)
{
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    int status = file_read(path, FILE_READ_MOST, &bytes, &n_bytes, error_out);
    *digest_out = 14695981039346656037u;
    for (size_t i = 0; status == 0 && i < n_bytes; i++)
        *digest_out = (*digest_out ^ bytes[i]) * 1099511628211u;
    free(bytes);
    return status;
}

/* Children and process starts load it again: the absolute path, since they may stand in another folder. */
static int pass_on(const char *path, struct dv_error *error_out)
{
    const char *before = getenv(PLUGIN_ENVIRONMENT);
    char *all = NULL;
    if (asprintf(&all, "%s%s%s", before ? before : "", before ? "\n" : "", path) < 0)
        return dv_no_memory(error_out);
    int status = setenv(PLUGIN_ENVIRONMENT, all, 1) == 0 ? 0 : dv_no_memory(error_out);
    free(all);
    return status;
}

static int load(const char *path, struct dv_error *error_out)
{
    uint64_t digest;
    int status = digest_file(path, &digest, error_out);
    if (status < 0)
        return status;
    if (n_plugins == PLUGINS_MOST)
        return dv_fail(error_out, DV_ERROR_USAGE, "--plugin %s: more than %d plugins", path, PLUGINS_MOST);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return dv_fail(error_out, DV_ERROR_USAGE, "--plugin: cannot be loaded: %.300s", dlerror());
    const struct dv_plugin *table = dlsym(library, DV_PLUGIN_SYMBOL);
    const char *problem = NULL;
    if (!table)
        status = dv_fail(error_out, DV_ERROR_USAGE, "--plugin %s: exports no %s (see dv_plugin.h)", path,
                         DV_PLUGIN_SYMBOL);
    else if (table->abi != DV_PLUGIN_ABI)
        status =
            dv_fail(error_out, DV_ERROR_USAGE,
                    "--plugin %s: made for version %u of dv_plugin.h, this program has %d: compile it again",
                    path, table->abi, DV_PLUGIN_ABI);
    else if ((problem = table_problem(table)) != NULL)
        status = dv_fail(error_out, DV_ERROR_USAGE, "--plugin %s: %s", path, problem);
    else
        status = register_table(table, digest, error_out);
    if (status != 0)
        dlclose(library);
    return status;
}

int plugin_load(const char *path, struct dv_error *error_out)
{
    char *whole = realpath(path, NULL);
    if (!whole)
        return dv_fail(error_out, DV_ERROR_USAGE, "--plugin %s: no such file", path);
    int status = load(whole, error_out);
    if (status == 0)
        status = pass_on(whole, error_out);
    free(whole);
    return status;
}

int plugin_load_inherited(struct dv_error *error_out)
{
    const char *names = getenv(PLUGIN_ENVIRONMENT);
    char *copy = names ? strdup(names) : NULL, *rest;
    int status = names && !copy ? dv_no_memory(error_out) : 0;
    for (char *name = copy ? strtok_r(copy, "\n", &rest) : NULL; name && status == 0;
         name = strtok_r(NULL, "\n", &rest))
        status = load(name, error_out);
    free(copy);
    return status;
}

uint64_t plugin_digest(void)
{
    return digest_of_all;
}
