/* SPDX-License-Identifier: Apache-2.0 */
#include "report_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "run_dir.h"

/* Pictures are drawn on white and keep it in the dark. A wide table scrolls, its shaded edge shows that there is more;
 * on paper it wraps instead. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#222;--page:#fff;--line:#ddd;--link:#0072B2;--edge:rgba(0,0,0,.25)}"
    "@media(prefers-color-scheme:dark){:root{--ink:#ddd;--page:#181818;--line:#444;--link:#6cb8e6;"
    "--edge:rgba(255,255,255,.3)}}"
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:72rem;"
    "margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}"
    "h1{font-size:1.7rem}h2{font-size:1.3rem;margin-top:2.5rem;border-bottom:1px solid var(--line)}"
    "h3{font-size:1.05rem;margin-top:2rem}"
    "table{border-collapse:collapse;font-size:.9rem;display:block;overflow-x:auto;overflow-wrap:normal;"
    "background:linear-gradient(to right,var(--page) 30%,transparent) left/3rem 100% no-repeat local,"
    "linear-gradient(to left,var(--page) 30%,transparent) right/3rem 100% no-repeat local,"
    "linear-gradient(to right,var(--edge),transparent) left/.8rem 100% no-repeat scroll,"
    "linear-gradient(to left,var(--edge),transparent) right/.8rem 100% no-repeat scroll}"
    "th,td{padding:.25rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;"
    "font-variant-numeric:tabular-nums}"
    "img{max-width:100%;height:auto;background:#fff}summary{cursor:pointer;color:var(--link);margin:.7rem 0}"
    "@media(max-width:600px){body{margin:1rem "
    "auto}p:has(>img){overflow-x:auto}p>img{max-width:none;width:760px}}"
    "@media print{:root{--ink:#000;--page:#fff;--line:#bbb}body{margin:0;max-width:none;font-size:10pt}"
    "table{display:table;width:100%;font-size:8pt;overflow:visible;overflow-wrap:break-word;background:none}"
    "h2,h3{break-after:avoid}tr,img{break-inside:avoid}p:has(>img){break-inside:avoid}"
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

void report_table_begin(const struct report_text *text, const char *const *headers, size_t n_columns)
{
    fputs(text->form == REPORT_HTML ? "<table>\n" : "", text->file);
    put_cells(text, headers, n_columns, "th");
    if (text->form == REPORT_HTML)
        return;
    fputc('|', text->file);
    for (size_t i = 0; i < n_columns; i++)
        fputs("---|", text->file);
    fputc('\n', text->file);
}

void report_table_row(const struct report_text *text, const char *const *cells, size_t n_columns)
{
    put_cells(text, cells, n_columns, "td");
}

void report_table_end(const struct report_text *text)
{
    fputs(text->form == REPORT_HTML ? "</table>\n" : "\n", text->file);
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

bool report_picture(const struct report_text *text, const char *run_dir, const char *path_in_run,
                    const char *alternative)
{
    char *path = run_dir_file(run_dir, path_in_run);
    FILE *picture = path ? fopen(path, "rb") : NULL;
    free(path);
    if (!picture)
        return false;
    if (text->form == REPORT_HTML) {
        const char *extension = strrchr(path_in_run, '.');
        bool is_svg = extension && strcmp(extension, ".svg") == 0,
             is_pdf = extension && strcmp(extension, ".pdf") == 0;
        fprintf(text->file,
                is_pdf ? "<p><embed width=\"1100\" height=\"680\" type=\"%s\" title=\"" : "<p><img alt=\"",
                "application/pdf");
        put(text, alternative);
        fprintf(text->file, "\" src=\"data:%s;base64,",
                is_svg   ? "image/svg+xml"
                : is_pdf ? "application/pdf"
                         : "image/png");
        put_base64(text->file, picture);
        fputs("\"></p>\n", text->file);
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
