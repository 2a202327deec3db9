/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that knows DuckDB. Its types are opaque pointers here; the functions used are declared once, in
 * FOR_EACH_SYMBOL, with the signatures of duckdb.h. All of them are in the list of functions that DuckDB keeps stable since
 * 1.2.0; what asks for 1.3 is SQL: the virtual columns file_index and file_row_number, and the setting in REQUIRED. */
#include "duckdb.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef uint64_t index_t;

/* duckdb_result: five deprecated fields, then the library's own pointer. Passed by value to duckdb_fetch_chunk. */
struct duck_result {
    index_t deprecated_counts[3];
    void *deprecated_columns;
    char *deprecated_message;
    void *internal_data;
};

enum { DUCK_SUCCESS = 0 };
enum duck_type { DUCK_BOOLEAN = 1, DUCK_BIGINT = 5, DUCK_UBIGINT = 9, DUCK_DOUBLE = 11 };

typedef void duck_function(void *info, void *input, void *output);

#define FOR_EACH_SYMBOL(X)                                                                                   \
    X(const char *, library_version, (void))                                                                 \
    X(int, create_config, (void **config))                                                                   \
    X(int, set_config, (void *config, const char *name, const char *value))                                  \
    X(void, destroy_config, (void **config))                                                                 \
    X(int, open_ext, (const char *path, void **database, void *config, char **message))                      \
    X(int, connect, (void *database, void **connection))                                                     \
    X(void, disconnect, (void **connection))                                                                 \
    X(void, close, (void **database))                                                                        \
    X(void, free, (void *memory))                                                                            \
    X(int, query, (void *connection, const char *sql, struct duck_result *result))                           \
    X(const char *, result_error, (struct duck_result * result))                                             \
    X(void, destroy_result, (struct duck_result * result))                                                   \
    X(index_t, row_count, (struct duck_result * result))                                                     \
    X(index_t, column_count, (struct duck_result * result))                                                  \
    X(int, column_type, (struct duck_result * result, index_t column))                                       \
    X(char *, value_varchar, (struct duck_result * result, index_t column, index_t row))                     \
    X(void *, fetch_chunk, (struct duck_result result))                                                      \
    X(void, destroy_data_chunk, (void **chunk))                                                              \
    X(index_t, data_chunk_get_size, (void *chunk))                                                           \
    X(void *, data_chunk_get_vector, (void *chunk, index_t column))                                          \
    X(void *, vector_get_data, (void *vector))                                                               \
    X(uint64_t *, vector_get_validity, (void *vector))                                                       \
    X(void *, create_logical_type, (int type))                                                               \
    X(void, destroy_logical_type, (void **type))                                                             \
    X(void *, create_scalar_function, (void))                                                                \
    X(void, destroy_scalar_function, (void **function))                                                      \
    X(void, scalar_function_set_name, (void *function, const char *name))                                    \
    X(void, scalar_function_add_parameter, (void *function, void *type))                                     \
    X(void, scalar_function_set_return_type, (void *function, void *type))                                   \
    X(void, scalar_function_set_volatile, (void *function))                                                  \
    X(void, scalar_function_set_extra_info, (void *function, void *user, void (*free_user)(void *)))         \
    X(void, scalar_function_set_function, (void *function, duck_function *call))                             \
    X(void *, scalar_function_get_extra_info, (void *info))                                                  \
    X(void, scalar_function_set_error, (void *info, const char *message))                                    \
    X(int, register_scalar_function, (void *connection, void *function))                                     \
    X(void, interrupt, (void *connection))

/* The functions of the library once it is loaded. One for the process: DuckDB hands on_call nothing from which a table
 * of ours could be reached without calling the library first. */
static struct {
#define SYMBOL(type, name, arguments) type(*name) arguments;
    FOR_EACH_SYMBOL(SYMBOL)
#undef SYMBOL
} api;

enum { MAX_FUNCTIONS = 4 };

struct duckdb {
    struct engine engine; /* first: what the rest holds is a pointer to it */
    void *library;
    void *database;
    void *connection;
    struct called { /* what DuckDB hands back to on_call */
        engine_function *function;
        void *user;
    } functions[MAX_FUNCTIONS];
    size_t n_functions;
};

static int unavailable(struct dv_error *error_out, const char *place, const char *reason)
{
    return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                   "no engine: %s: %s; this needs DuckDB's library (libduckdb 1.3 or later): give it by "
                   "--duckdb=FOLDER, install it, or start ./dvbench where npm is installed, which fetches it",
                   place, reason);
}

/* --- results --- */

/* Of the engine's message the first line: the rest quotes our own SQL. */
static int fail_query(struct duckdb *duckdb, struct duck_result *result, struct dv_error *error_out)
{
    const char *message = api.result_error(result);
    message = message ? message : "no reason given";
    return dv_fail(error_out, DV_ERROR_IO, "%s: %.*s", duckdb->engine.name, (int)strcspn(message, "\r\n"),
                   message);
}

static int keep_answer(struct duck_result *result, struct engine_answer *answer_out,
                       struct dv_error *error_out)
{
    answer_out->n_columns = api.column_count(result);
    const size_t n_rows = api.row_count(result);
    answer_out->values = calloc(n_rows * answer_out->n_columns + 1, sizeof *answer_out->values);
    if (!answer_out->values)
        return dv_no_memory(error_out);
    for (; answer_out->n_rows < n_rows; answer_out->n_rows++)
        for (size_t column = 0; column < answer_out->n_columns; column++) {
            char *value = api.value_varchar(result, column, answer_out->n_rows);
            answer_out->values[answer_out->n_rows * answer_out->n_columns + column] =
                value ? strdup(value) : NULL;
            api.free(value);
        }
    return 0;
}

static int query(struct engine *engine, const char *sql, struct engine_answer *answer_out,
                 struct dv_error *error_out)
{
    struct duckdb *duckdb = (struct duckdb *)engine;
    struct duck_result result = {0};
    int status = 0;
    if (api.query(duckdb->connection, sql, &result) != DUCK_SUCCESS)
        status = fail_query(duckdb, &result, error_out);
    else if (answer_out)
        status = keep_answer(&result, answer_out, error_out);
    api.destroy_result(&result);
    return status;
}

enum { MAX_STREAM_COLUMNS = 128 };

static int hand_over(struct duck_result *result, void *chunk, size_t n_columns, engine_part_fn *part,
                     void *user, struct dv_error *error_out)
{
    struct engine_column columns[MAX_STREAM_COLUMNS];
    for (size_t i = 0; i < n_columns; i++) {
        void *vector = api.data_chunk_get_vector(chunk, i);
        const void *data = api.vector_get_data(vector);
        const bool is_real = api.column_type(result, i) == DUCK_DOUBLE;
        columns[i] = (struct engine_column){is_real ? NULL : data, is_real ? data : NULL,
                                            api.vector_get_validity(vector)};
    }
    return part(user, columns, n_columns, api.data_chunk_get_size(chunk), error_out);
}

/* Of types other than these two the bytes would be misread. */
static int check_types(struct duck_result *result, struct dv_error *error_out)
{
    const size_t n_columns = api.column_count(result);
    if (n_columns > MAX_STREAM_COLUMNS)
        return dv_fail(error_out, DV_ERROR_USAGE, "at most %d columns at once", MAX_STREAM_COLUMNS);
    for (size_t i = 0; i < n_columns; i++) {
        const int type = api.column_type(result, i);
        if (type != DUCK_BIGINT && type != DUCK_DOUBLE)
            return dv_fail(error_out, DV_ERROR_IO, "column %zu of a result is neither BIGINT nor DOUBLE", i);
    }
    return 0;
}

static int stream(struct engine *engine, const char *sql, engine_part_fn *part, void *user,
                  struct dv_error *error_out)
{
    struct duckdb *duckdb = (struct duckdb *)engine;
    struct duck_result result = {0};
    int status = 0;
    if (api.query(duckdb->connection, sql, &result) != DUCK_SUCCESS)
        status = fail_query(duckdb, &result, error_out);
    else
        status = check_types(&result, error_out);
    while (status == 0) {
        void *chunk = api.fetch_chunk(result);
        if (!chunk)
            break;
        status = hand_over(&result, chunk, api.column_count(&result), part, user, error_out);
        api.destroy_data_chunk(&chunk);
    }
    api.destroy_result(&result);
    return status;
}

/* --- functions --- */

/* Arguments arrive as flat vectors; one that may hold NULL has no place here, since both name a row that was read. */
static void on_call(void *info, void *input, void *output)
{
    const struct called *called = api.scalar_function_get_extra_info(info);
    const struct engine_rows rows = {
        .file = api.vector_get_data(api.data_chunk_get_vector(input, 0)),
        .row = api.vector_get_data(api.data_chunk_get_vector(input, 1)),
        .n_rows = api.data_chunk_get_size(input),
    };
    struct dv_error error = {0};
    char text[DV_ERROR_TEXT_BYTES];
    if (called->function(called->user, &rows, api.vector_get_data(output), &error) < 0)
        api.scalar_function_set_error(info, dv_error_text(&error, text));
}

static void set_type(void (*set)(void *function, void *type), void *function, int type)
{
    void *logical = api.create_logical_type(type);
    set(function, logical);
    api.destroy_logical_type(&logical);
}

static int add_function(struct engine *engine, const char *name, engine_function *function, void *user,
                        struct dv_error *error_out)
{
    struct duckdb *duckdb = (struct duckdb *)engine;
    if (duckdb->n_functions == MAX_FUNCTIONS)
        return dv_fail(error_out, DV_ERROR_USAGE, "more than %d functions in an engine", MAX_FUNCTIONS);
    struct called *called = &duckdb->functions[duckdb->n_functions++];
    *called = (struct called){function, user};
    void *scalar = api.create_scalar_function();
    api.scalar_function_set_name(scalar, name);
    set_type(api.scalar_function_add_parameter, scalar, DUCK_UBIGINT);
    set_type(api.scalar_function_add_parameter, scalar, DUCK_BIGINT);
    set_type(api.scalar_function_set_return_type, scalar, DUCK_BOOLEAN);
    api.scalar_function_set_volatile(scalar);
    api.scalar_function_set_extra_info(scalar, called, NULL);
    api.scalar_function_set_function(scalar, on_call);
    const int state = api.register_scalar_function(duckdb->connection, scalar);
    api.destroy_scalar_function(&scalar);
    return state == DUCK_SUCCESS
               ? 0
               : dv_fail(error_out, DV_ERROR_IO, "%s refuses the function %s", engine->name, name);
}

/* --- opening --- */

static void interrupt(struct engine *engine)
{
    api.interrupt(((struct duckdb *)engine)->connection);
}

/* The library stays loaded: it has threads and exit handlers of its own. */
static void close_duckdb(struct engine *engine)
{
    struct duckdb *duckdb = (struct duckdb *)engine;
    if (duckdb->connection)
        api.disconnect(&duckdb->connection);
    if (duckdb->database)
        api.close(&duckdb->database);
    free(duckdb);
}

static int load_symbols(void *library, const char *place, struct dv_error *error_out)
{
    static const char *const names[] = {
#define SYMBOL(type, name, arguments) "duckdb_" #name,
        FOR_EACH_SYMBOL(SYMBOL)
#undef SYMBOL
    };
    void **const slots = (void **)&api;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char reason[96];
        slots[i] = dlsym(library, names[i]);
        snprintf(reason, sizeof reason, "it has no %s", names[i]);
        if (!slots[i])
            return unavailable(error_out, place, reason);
    }
    return 0;
}

/* A folder stands for the library in it. */
static void find_library(char *path_out, size_t n_path, const char *place)
{
    struct stat facts;
    if (!place || !*place)
        place = getenv("DVBENCH_DUCKDB");
    if (!place || !*place)
        place = "libduckdb.so";
    const bool is_folder = strchr(place, '/') && stat(place, &facts) == 0 && S_ISDIR(facts.st_mode);
    if (is_folder)
        snprintf(path_out, n_path, "%s/libduckdb.so", place);
    else if (!strchr(place, '/') && stat(place, &facts) == 0)
        snprintf(path_out, n_path, "./%s%s", place, S_ISDIR(facts.st_mode) ? "/libduckdb.so" : "");
    else
        snprintf(path_out, n_path, "%s", place);
}

static int open_database(struct duckdb *duckdb, const char *temp_dir, struct dv_error *error_out)
{
    void *config = NULL;
    char *message = NULL;
    api.create_config(&config);
    if (temp_dir)
        api.set_config(config, "temp_directory", temp_dir);
    int status = 0;
    if (api.open_ext(":memory:", &duckdb->database, config, &message) != DUCK_SUCCESS)
        status = dv_fail(error_out, DV_ERROR_IO, "cannot open a database of DuckDB: %s",
                         message ? message : "no reason given");
    else if (api.connect(duckdb->database, &duckdb->connection) != DUCK_SUCCESS)
        status = dv_fail(error_out, DV_ERROR_IO, "cannot connect to a database of DuckDB");
    api.destroy_config(&config);
    api.free(message);
    return status;
}

/* A copy of the files in the engine's own memory would hide what reading them costs. The cache came with 1.3.0, as did the
 * columns that say which row of which file a row is: a library that does not know the one lacks the others. */
#define REQUIRED "SET enable_external_file_cache = false"

static int set_up(struct duckdb *duckdb, struct dv_error *error_out)
{
    struct engine *engine = &duckdb->engine;
    char reason[96];
    snprintf(engine->version, sizeof engine->version, "%s", api.library_version());
    if (query(engine, REQUIRED, NULL, NULL) == 0)
        return 0;
    snprintf(reason, sizeof reason, "version %s is too old", engine->version);
    return unavailable(error_out, engine->library, reason);
}

int duckdb_engine_open(struct engine **engine_out, const char *place, const char *temp_dir,
                       struct dv_error *error_out)
{
    *engine_out = NULL;
    struct duckdb *duckdb = calloc(1, sizeof *duckdb);
    if (!duckdb)
        return dv_no_memory(error_out);
    struct engine *engine = &duckdb->engine;
    *engine = (struct engine){.name = "duckdb",
                              .query = query,
                              .stream = stream,
                              .add_function = add_function,
                              .interrupt = interrupt,
                              .close = close_duckdb};
    find_library(engine->library, sizeof engine->library, place);
    duckdb->library = dlopen(engine->library, RTLD_NOW | RTLD_LOCAL);
    int status = duckdb->library ? load_symbols(duckdb->library, engine->library, error_out)
                                 : unavailable(error_out, engine->library, dlerror());
    if (status == 0)
        status = open_database(duckdb, temp_dir, error_out);
    if (status == 0)
        status = set_up(duckdb, error_out);
    if (status == 0)
        *engine_out = engine;
    else
        close_duckdb(engine);
    return status;
}
