/* SPDX-License-Identifier: Apache-2.0 */
#include "report_text.h"

#include <ctype.h>
#include <glob.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_dir.h"

/* Pictures are drawn on white and keep it in the dark; one without a variant for phones scrolls there. A wide table
 * scrolls, its shaded edge shows that there is more; on paper it wraps instead. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#222;--page:#fff;--line:#ddd;--link:#0072B2;--edge:rgba(0,0,0,.25)}"
    "@media(prefers-color-scheme:dark){:root{--ink:#ddd;--page:#181818;--line:#444;--link:#6cb8e6;"
    "--edge:rgba(255,255,255,.3)}}"
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:72rem;"
    "margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}"
    "a{color:var(--link)}h1{font-size:1.7rem}h2{font-size:1.3rem;margin-top:2.5rem;border-bottom:1px solid "
    "var(--line)}"
    "h3{font-size:1.05rem;margin-top:2rem}"
    "table{border-collapse:collapse;font-size:.9rem;display:block;overflow-x:auto;overflow-wrap:normal;"
    "background:linear-gradient(to right,var(--page) 30%,transparent) left/3rem 100% no-repeat local,"
    "linear-gradient(to left,var(--page) 30%,transparent) right/3rem 100% no-repeat local,"
    "linear-gradient(to right,var(--edge),transparent) left/.8rem 100% no-repeat scroll,"
    "linear-gradient(to left,var(--edge),transparent) right/.8rem 100% no-repeat scroll}"
    "th,td{padding:.25rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;"
    "font-variant-numeric:tabular-nums}"
    "img{max-width:100%;height:auto;background:#fff}summary{cursor:pointer;color:var(--link);margin:.7rem 0}"
    "@media screen and (max-width:600px){body{margin:1rem auto}picture>img{width:100%}"
    "p:has(>img){overflow-x:auto}p>img{max-width:none;width:760px}}"
    "@media print{:root{--ink:#000;--page:#fff;--line:#bbb}body{margin:0;max-width:none;font-size:10pt}"
    "table{display:table;width:100%;font-size:8pt;overflow:visible;overflow-wrap:break-word;background:none}"
    "h2,h3,summary,h3+p,p:has(+table),p:has(img){break-after:avoid}tr,img,p:has(img){break-inside:avoid}"
    "details::details-content{content-visibility:visible;display:block;height:auto}summary{list-style:none}}";

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void put_html(FILE *file, const char *words)
{
    for (; *words; words++) {
        switch (*words) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        case '\'':
            fputs("&#39;", file);
            break;
        default:
            fputc((unsigned char)*words < ' ' ? ' ' : *words, file);
        }
    }
}

/* An underscore inside a word (per_row) needs no backslash and is easier to read without. */
static void put_markdown(FILE *file, const char *words)
{
    for (const char *c = words; *c; c++) {
        bool is_inside = *c == '_' && c > words && is_word_character(c[-1]) && is_word_character(c[1]);
        if (*c == '<' || *c == '&') {
            fputs(*c == '<' ? "&lt;" : "&amp;", file);
            continue;
        }
        if (strchr("\\`*_[]|~", *c) && !is_inside)
            fputc('\\', file);
        fputc((unsigned char)*c < ' ' ? ' ' : *c, file);
    }
}

static void put(const struct report_text *text, const char *words)
{
    if (text->form == REPORT_HTML)
        put_html(text->file, words);
    else
        put_markdown(text->file, words);
}

void report_begin(const struct report_text *text, const char *title)
{
    if (text->form == REPORT_HTML) {
        fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
              text->file);
        put(text, title);
        fprintf(text->file, "</title>\n<style>%s</style>\n</head>\n<body>\n", style);
    }
    report_heading(text, 1, title);
}

/* As GitHub makes it of a heading: lower case, dashes for blanks, else only letters, digits and dashes. */
static void put_anchor(FILE *file, const char *words)
{
    for (; *words; words++)
        if (isalnum((unsigned char)*words) || strchr(" -_", *words))
            fputc(*words == ' ' ? '-' : tolower((unsigned char)*words), file);
}

void report_heading(const struct report_text *text, int level, const char *words)
{
    if (text->tables)
        snprintf(text->tables->section, sizeof text->tables->section, "%s", words);
    if (text->headings && level == 2)
        (void)strings_add(text->headings, words, strlen(words)); /* without memory it lacks in the contents */
    if (text->form == REPORT_HTML) {
        fprintf(text->file, "<h%d id=\"", level);
        put_anchor(text->file, words);
        fputs("\">", text->file);
    } else
        fprintf(text->file, "%.*s ", level, "######");
    put(text, words);
    if (text->form == REPORT_HTML)
        fprintf(text->file, "</h%d>\n", level);
    else
        fputs("\n\n", text->file);
}

static void put_link(const struct report_text *text, const char *words, const char *path, const char *anchor)
{
    fputs(text->form == REPORT_HTML ? "<a href=\"" : "[", text->file);
    if (text->form == REPORT_MARKDOWN) {
        put(text, words);
        fputs("](", text->file);
    }
    fputs(anchor ? "#" : "", text->file);
    if (anchor)
        put_anchor(text->file, anchor);
    else
        put_html(text->file, path);
    fputs(text->form == REPORT_HTML ? "\">" : ")", text->file);
    if (text->form == REPORT_HTML) {
        put(text, words);
        fputs("</a>", text->file);
    }
}

void report_contents(const struct report_text *text, const char *const *headings, size_t n_headings)
{
    fputs(text->form == REPORT_HTML ? "<nav>" : "", text->file);
    for (size_t i = 0; i < n_headings; i++) {
        fputs(i ? " · " : "", text->file);
        put_link(text, headings[i], NULL, headings[i]);
    }
    fputs(text->form == REPORT_HTML ? "</nav>\n" : "\n\n", text->file);
}

void report_links(const struct report_text *text, const char *const *paths_in_run, size_t n_paths)
{
    const bool is_html = text->form == REPORT_HTML;
    fputs(is_html ? "<ul>\n" : "", text->file);
    for (size_t i = 0; i < n_paths; i++) {
        fputs(is_html ? "<li>" : "- ", text->file);
        put_link(text, paths_in_run[i], paths_in_run[i], NULL);
        fputs(is_html ? "</li>\n" : "\n", text->file);
    }
    fputs(is_html ? "</ul>\n" : "\n", text->file);
}

void report_paragraph(const struct report_text *text, const char *format, ...)
{
    char *words = NULL;
    va_list arguments;
    va_start(arguments, format);
    int n = vasprintf(&words, format, arguments);
    va_end(arguments);
    if (n < 0)
        return;
    fputs(text->form == REPORT_HTML ? "<p>" : "", text->file);
    put(text, words);
    fputs(text->form == REPORT_HTML ? "</p>\n" : "\n\n", text->file);
    free(words);
}

void report_list(const struct report_text *text, const char *const *items, size_t n_items)
{
    bool is_html = text->form == REPORT_HTML;
    if (n_items == 0)
        return;
    fputs(is_html ? "<ul>\n" : "", text->file);
    for (size_t i = 0; i < n_items; i++) {
        fputs(is_html ? "<li>" : "- ", text->file);
        put(text, items[i]);
        fputs(is_html ? "</li>\n" : "\n", text->file);
    }
    fputs(is_html ? "</ul>\n" : "\n", text->file);
}

static void put_cells(const struct report_text *text, const char *const *cells, size_t n_columns,
                      const char *tag)
{
    bool is_html = text->form == REPORT_HTML;
    fputs(is_html ? "<tr>" : "|", text->file);
    for (size_t i = 0; i < n_columns; i++) {
        if (is_html)
            fprintf(text->file, "<%s>", tag);
        else
            fputc(' ', text->file);
        put(text, cells[i] ? cells[i] : "");
        if (is_html)
            fprintf(text->file, "</%s>", tag);
        else
            fputs(" |", text->file);
    }
    fputs(is_html ? "</tr>\n" : "\n", text->file);
}

/* "tables/03-key-numbers.csv" */
static void name_table(const struct report_tables *tables, char name_out[64])
{
    int n = snprintf(name_out, 64, "tables/%02u-", tables->n);
    for (const char *c = tables->section; *c && n < 64 - 5; c++)
        if (isalnum((unsigned char)*c) || name_out[n - 1] != '-')
            name_out[n++] = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
    snprintf(name_out + n - (name_out[n - 1] == '-'), 5, ".csv");
}

static char *table_path(const struct report_tables *tables)
{
    char name[64];
    name_table(tables, name);
    return run_dir_file(tables->run_dir, name);
}

/* Without its file a table has no link. */
static void begin_table_file(struct report_tables *tables, enum report_form form)
{
    tables->n++;
    char *folder = run_dir_file(tables->run_dir, "tables"), *path = table_path(tables);
    if (form == REPORT_MARKDOWN && folder && path) {
        (void)mkdir(folder, 0777);
        tables->file = fopen(path, "w");
    }
    free(folder);
    free(path);
}

static void put_csv(const struct report_text *text, const char *const *cells, size_t n_columns)
{
    FILE *file = text->tables ? text->tables->file : NULL;
    for (size_t i = 0; file && i < n_columns; i++) {
        fputs(i ? ",\"" : "\"", file);
        for (const char *c = cells[i] ? cells[i] : ""; *c; c++)
            fputs(*c == '"' ? "\"\"" : (char[2]){*c, '\0'}, file);
        fputs(i + 1 < n_columns ? "\"" : "\"\n", file);
    }
}

static void end_table_file(const struct report_text *text)
{
    struct report_tables *tables = text->tables;
    char name[64], *path = table_path(tables);
    const bool is_broken = tables->file && (ferror(tables->file) | fclose(tables->file));
    tables->file = NULL;
    if (path && is_broken)
        unlink(path);
    name_table(tables, name);
    if (path && access(path, R_OK) == 0) {
        fputs(text->form == REPORT_HTML ? "<p>" : "", text->file);
        put_link(text, "this table as CSV", name, NULL);
        fputs(text->form == REPORT_HTML ? "</p>\n" : "\n\n", text->file);
    }
    free(path);
}

void report_tables_remove(const char *run_dir)
{
    glob_t found;
    char *pattern = run_dir_file(run_dir, "tables/[0-9][0-9]*-*.csv");
    if (pattern && glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
        globfree(&found);
    }
    free(pattern);
}

void report_table_begin(const struct report_text *text, const char *const *headers, size_t n_columns)
{
    if (text->tables)
        begin_table_file(text->tables, text->form);
    put_csv(text, headers, n_columns);
    fputs(text->form == REPORT_HTML ? "<table>\n<thead>" : "", text->file);
    put_cells(text, headers, n_columns, "th");
    if (text->form == REPORT_HTML) {
        fputs("</thead>\n", text->file);
        return;
    }
    fputc('|', text->file);
    for (size_t i = 0; i < n_columns; i++)
        fputs("---|", text->file);
    fputc('\n', text->file);
}

void report_table_row(const struct report_text *text, const char *const *cells, size_t n_columns)
{
    put_csv(text, cells, n_columns);
    put_cells(text, cells, n_columns, "td");
}

void report_table_end(const struct report_text *text)
{
    fputs(text->form == REPORT_HTML ? "</table>\n" : "\n", text->file);
    if (text->tables)
        end_table_file(text);
}

void report_fold_begin(const struct report_text *text, const char *summary)
{
    fputs("<details><summary>", text->file);
    put_html(text->file, summary);
    fputs("</summary>\n\n", text->file);
}

void report_fold_end(const struct report_text *text)
{
    fputs("</details>\n\n", text->file);
}

static void put_base64(FILE *out, FILE *in)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[3];
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;) {
        uint32_t bits =
            (uint32_t)bytes[0] << 16 | (n > 1 ? (uint32_t)bytes[1] << 8 : 0) | (n > 2 ? bytes[2] : 0);
        fputc(digits[bits >> 18], out);
        fputc(digits[bits >> 12 & 63], out);
        fputc(n > 1 ? digits[bits >> 6 & 63] : '=', out);
        fputc(n > 2 ? digits[bits & 63] : '=', out);
    }
}

static FILE *open_in_run(const char *run_dir, const char *path_in_run)
{
    char *path = run_dir_file(run_dir, path_in_run);
    FILE *file = path ? fopen(path, "rb") : NULL;
    free(path);
    return file;
}

/* A picture for phones, whose words are larger, where there is one. */
static bool put_narrow(const struct report_text *text, const char *run_dir, const char *path_in_run,
                       const char *extension)
{
    char *narrow_in_run = NULL;
    if (asprintf(&narrow_in_run, "%.*s.narrow%s", (int)(extension - path_in_run), path_in_run, extension) < 0)
        return false;
    FILE *narrow = open_in_run(run_dir, narrow_in_run);
    free(narrow_in_run);
    if (!narrow)
        return false;
    fputs("<picture><source media=\"screen and (max-width:600px)\" srcset=\"data:image/svg+xml;base64,",
          text->file);
    put_base64(text->file, narrow);
    fputs("\">", text->file);
    fclose(narrow);
    return true;
}

/* Pictures are data, not parts of the page: so no script in one can run, and equal names in two of them do not meet. */
bool report_picture(const struct report_text *text, const char *run_dir, const char *path_in_run,
                    const char *alternative)
{
    FILE *picture = open_in_run(run_dir, path_in_run);
    if (!picture)
        return false;
    if (text->form == REPORT_HTML) {
        const char *extension = strrchr(path_in_run, '.');
        bool is_svg = extension && strcmp(extension, ".svg") == 0,
             is_pdf = extension && strcmp(extension, ".pdf") == 0;
        fputs("<p>", text->file);
        const bool has_narrow = is_svg && put_narrow(text, run_dir, path_in_run, extension);
        fprintf(text->file,
                is_pdf ? "<embed width=\"1100\" height=\"680\" type=\"%s\" title=\"" : "<img alt=\"",
                "application/pdf");
        put(text, alternative);
        fprintf(text->file, "\" src=\"data:%s;base64,",
                is_svg   ? "image/svg+xml"
                : is_pdf ? "application/pdf"
                         : "image/png");
        put_base64(text->file, picture);
        fputs(has_narrow ? "\"></picture></p>\n" : "\"></p>\n", text->file);
    } else {
        fputs("![", text->file);
        put(text, alternative);
        fprintf(text->file, "](%s)\n\n", path_in_run);
    }
    fclose(picture);
    return true;
}

void report_end(const struct report_text *text)
{
    fputs(text->form == REPORT_HTML ? "</body>\n</html>\n" : "", text->file);
}
