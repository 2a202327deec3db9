/* SPDX-License-Identifier: Apache-2.0 */
/* The two forms of a report: escaping above all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report_numbers.h"
#include "report_text.h"

static char *write_all(enum report_form form, void (*write)(const struct report_text *text))
{
    char *bytes = NULL;
    size_t n_bytes;
    FILE *file = open_memstream(&bytes, &n_bytes);
    assert_non_null(file);
    const struct report_text text = {.file = file, .form = form};
    write(&text);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void expect(enum report_form form, void (*write)(const struct report_text *text), const char *wanted)
{
    char *bytes = write_all(form, write);
    assert_string_equal(bytes, wanted);
    free(bytes);
}

static void write_hostile(const struct report_text *text)
{
    report_paragraph(text, "%s", "<script>alert(\"1\")</script> & 'x' | *b* `c` [d](e)\nper_row _f_");
}

static void write_table(const struct report_text *text)
{
    static const char *const headers[] = {"a", "b"}, *const cells[] = {"1|2", NULL};
    report_table_begin(text, headers, 2);
    report_table_row(text, cells, 2);
    report_table_end(text);
}

static void values_are_escaped(void **state)
{
    (void)state;
    expect(REPORT_HTML, write_hostile,
           "<p>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; | *b* `c` [d](e) per_row "
           "_f_</p>\n");
    expect(
        REPORT_MARKDOWN, write_hostile,
        "&lt;script>alert(\"1\")&lt;/script> &amp; 'x' \\| \\*b\\* \\`c\\` \\[d\\](e) per_row \\_f\\_\n\n");
}

static void tables_keep_their_columns(void **state)
{
    (void)state;
    expect(REPORT_HTML, write_table,
           "<table>\n<thead><tr><th>a</th><th>b</th></tr>\n</thead>\n<tr><td>1|2</td><td></td></tr>\n</"
           "table>\n");
    expect(REPORT_MARKDOWN, write_table, "| a | b |\n|---|---|\n| 1\\|2 |  |\n\n");
}

/* Markdown writes the table's file, both link it. */
static void tables_are_files(void **state)
{
    char run[] = "/tmp/dvbench-tables-XXXXXX", path[128], bytes[64] = "";
    (void)state;
    assert_non_null(mkdtemp(run));
    snprintf(path, sizeof path, "%s/tables/01-a-b-c.csv", run);
    for (int form = REPORT_MARKDOWN; form <= REPORT_HTML; form++) {
        struct report_tables tables = {.run_dir = run};
        char *written = NULL;
        size_t n_bytes;
        const struct report_text text = {open_memstream(&written, &n_bytes), form, NULL, &tables};
        static const char *const headers[] = {"a", "b"}, *const cells[] = {"1,\"2\"", NULL};
        assert_non_null(text.file);
        report_heading(&text, 2, "A, b/c?");
        report_table_begin(&text, headers, 2);
        report_table_row(&text, cells, 2);
        report_table_end(&text);
        assert_int_equal(fclose(text.file), 0);
        assert_non_null(strstr(written, form == REPORT_HTML ? "</table>\n<p><a href=\"tables/01-a-b-c.csv\">"
                                                            : "](tables/01-a-b-c.csv)"));
        free(written);
    }
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes - 1, file), 21);
    fclose(file);
    assert_string_equal(bytes, "\"a\",\"b\"\n\"1,\"\"2\"\"\",\"\"\n");
    report_tables_remove(run);
    assert_int_not_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/tables", run);
    rmdir(path);
    rmdir(run);
}

static char folder[] = "/tmp/dvbench-report-XXXXXX";

static void write_picture(const struct report_text *text)
{
    assert_true(report_picture(text, folder, "p.svg", "what?"));
    assert_false(report_picture(text, folder, "absent.svg", "what?"));
}

static void pictures_are_inside_html(void **state)
{
    char path[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/p.svg", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("<svg/>\n", file); /* seven bytes: padding of two */
    assert_int_equal(fclose(file), 0);
    expect(REPORT_HTML, write_picture,
           "<p><img alt=\"what?\" src=\"data:image/svg+xml;base64,PHN2Zy8+Cg==\"></p>\n");
    char narrow[64];
    snprintf(narrow, sizeof narrow, "%s/p.narrow.svg", folder);
    assert_non_null(file = fopen(narrow, "w"));
    fputs("<g/>", file);
    assert_int_equal(fclose(file), 0);
    expect(REPORT_HTML, write_picture,
           "<p><picture><source media=\"screen and (max-width:600px)\" "
           "srcset=\"data:image/svg+xml;base64,PGcvPg==\">"
           "<img alt=\"what?\" src=\"data:image/svg+xml;base64,PHN2Zy8+Cg==\"></picture></p>\n");
    unlink(narrow);
    expect(REPORT_MARKDOWN, write_picture, "![what?](p.svg)\n\n");
    unlink(path);
    rmdir(folder);
}

static void numbers_have_three_digits(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{15.94, "15.9"}, {0.0242, "0.0242"}, {1.5, "1.50"},     {149.7, "150"},
                 {0, "0"},        {0.5, "0.500"},     {(double)NAN, ""}, {0.00003814, "0.0000381"}};
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(report_number(cases[i].value, text, sizeof text), cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_escaped),        cmocka_unit_test(tables_keep_their_columns),
        cmocka_unit_test(tables_are_files),          cmocka_unit_test(pictures_are_inside_html),
        cmocka_unit_test(numbers_have_three_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
