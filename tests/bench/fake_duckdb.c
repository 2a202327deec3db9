/* SPDX-License-Identifier: Apache-2.0 */
/* A library with DuckDB's names that refuses every statement, as one refuses a setting that is newer than it is.
 *
 * Place in the data flow: test_duckdb.c -> duckdb_engine_open -> this, loaded in place of libduckdb. */

const char *duckdb_library_version(void);
const char *duckdb_library_version(void)
{
    return "v1.2.2";
}

int duckdb_query(void);
int duckdb_query(void)
{
    return 1;
}

/* The loader only asks for the address of these; those that are called on the way to the first statement succeed. */
#define NOTHING(name)                                                                                        \
    int duckdb_##name(void);                                                                                 \
    int duckdb_##name(void)                                                                                  \
    {                                                                                                        \
        return 0;                                                                                            \
    }

NOTHING(create_config)
NOTHING(set_config)
NOTHING(destroy_config)
NOTHING(open_ext)
NOTHING(connect)
NOTHING(disconnect)
NOTHING(close)
NOTHING(free)
NOTHING(destroy_result)
NOTHING(row_count)
NOTHING(column_count)
NOTHING(column_type)
NOTHING(value_varchar)
NOTHING(fetch_chunk)
NOTHING(destroy_data_chunk)
NOTHING(data_chunk_get_size)
NOTHING(data_chunk_get_vector)
NOTHING(vector_get_data)
NOTHING(vector_get_validity)
NOTHING(create_logical_type)
NOTHING(destroy_logical_type)
NOTHING(create_scalar_function)
NOTHING(destroy_scalar_function)
NOTHING(scalar_function_set_name)
NOTHING(scalar_function_add_parameter)
NOTHING(scalar_function_set_return_type)
NOTHING(scalar_function_set_volatile)
NOTHING(scalar_function_set_extra_info)
NOTHING(scalar_function_set_function)
NOTHING(scalar_function_get_extra_info)
NOTHING(scalar_function_set_error)
NOTHING(register_scalar_function)
#ifndef LACKS_INTERRUPT
NOTHING(interrupt)
#endif

const char *duckdb_result_error(void);
const char *duckdb_result_error(void)
{
    return "unrecognized configuration parameter";
}
