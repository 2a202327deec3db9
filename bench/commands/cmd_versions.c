/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench versions: the same cells on several builds of CRoaring. The launcher makes a program of each. */
#include <stdio.h>

#include "alternate.h"
#include "command.h"
#include "report.h"
#include "summary.h"
#include "versions.h"
#include "versions_report.h"

struct versions {
    struct alternate alternate;
    double threshold_pct;
    bool plots;
};

#define VERSIONS_THRESHOLD_PCT 5.0

enum { OPTION_NO_PLOTS = 256, OPTION_THRESHOLD };

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct versions *versions = context;
    if (value == ALTERNATE_OUT)
        versions->alternate.out_dir = argument;
    else if (value == ALTERNATE_RESUME)
        versions->alternate.resume_dir = argument;
    else if (value == OPTION_NO_PLOTS)
        versions->plots = false;
    else
        return command_threshold(argument, &versions->threshold_pct, error_out);
    return 0;
}

static const char help[] =
    "usage: dvbench versions CROARING CROARING ... [options] [-- SWEEP OPTIONS]\n"
    "       dvbench versions --resume DIR\n"
    "Measures the same cells with several builds of CRoaring, each in a build of this program. In every\n"
    "process start each one runs once, the first one twice (a and a-again), in a shuffled order and in the\n"
    "next start backwards. Ratios are against the first, paired by process start and round; what a and\n"
    "a-again differ by beyond their intervals is noise. Answers that are wrong are exit 1, differences are "
    "not.\n"
    "  CROARING          the launcher ./dvbench builds a program for each of these words, in a build folder\n"
    "                    of its own below its build folder (about a minute each when new):\n"
    "                      system    the installed one (Debian's package is 0.2.66 on Debian 12)\n"
    "                      archive   4 or later from Debian's testing suite, unpacked only\n"
    "                      PREFIX    one that you installed: PREFIX/include, PREFIX/lib\n"
    "                                from CRoaring's sources: cmake -S SOURCE -B B -DBUILD_SHARED_LIBS=ON\n"
    "                                -DCMAKE_INSTALL_PREFIX=PREFIX && cmake --install B after cmake --build "
    "B\n"
    "                    Also, and without the launcher only: programs dvbench and folders of builds\n"
    "  --out DIR         one run folder for each in it (a, b, ..., a-again), versions.csv, plots/ and a\n"
    "                    report; default results/<date>-versions\n"
    "  --resume DIR      continues with the programs and options that the run was started with\n"
    "  --threshold PERCENT  differences up to this many per cent do not count; default 5\n"
    "  --no-plots        draws nothing\n"
    "  SWEEP OPTIONS     see sweep --help; --starts where it is above 1, else 4, is how often each starts\n";

/* False where figures or report failed, as in sweep; that gnuplot is not installed is not a failure. */
static bool show(const struct versions *versions)
{
    const char *dir = versions->alternate.dir;
    const struct figure_style style = {0};
    struct dv_error error = {0};
    bool is_fine = true;
    if (versions->plots && versions_figures_draw(dir, &style, &error) < 0) {
        fprintf(stderr, "dvbench: no figures: %s\n", error.message);
        is_fine = error.code == DV_ERROR_UNAVAILABLE;
    }
    const bool has_report = report_write(dir, &error) == 0;
    if (!has_report)
        fprintf(stderr, "dvbench: no report: %s\n", error.message);
    printf("%s/versions.csv\n", dir);
    if (has_report)
        printf("%s/report.md\n%s/report.html\n", dir, dir);
    return is_fine && has_report;
}

static int run(struct versions *versions, struct dv_error *error_out)
{
    struct alternate *alternate = &versions->alternate;
    struct versions_side sides[ALTERNATE_SIDES_LIMIT + 1];
    size_t n_wrong = 0;
    int code = alternate_run(alternate, error_out);
    if (code != EXIT_FINE)
        return code;
    for (size_t i = 0; i < alternate->n_sides; i++) {
        sides[i] = (struct versions_side){alternate->sides[i].name, alternate->sides[i].dir};
        n_wrong += summary_count_verdict(alternate->sides[i].dir, "wrong");
    }
    code = versions_write(alternate->dir, sides, alternate->n_sides, versions->threshold_pct, error_out);
    if (code < 0)
        return code;
    const bool is_shown = show(versions);
    if (n_wrong)
        fprintf(stderr, "dvbench: %zu cells are wrong: verdict and reason stand in the sides' summary.csv\n",
                n_wrong);
    return n_wrong || !is_shown ? EXIT_CHECK_FAILED : EXIT_FINE;
}

int command_versions(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {ALTERNATE_OPTIONS,
                                          {"threshold", required_argument, NULL, OPTION_THRESHOLD},
                                          {"no-plots", no_argument, NULL, OPTION_NO_PLOTS},
                                          OPTIONS_END};
    struct versions versions = {
        .alternate = {.command = "versions"}, .threshold_pct = VERSIONS_THRESHOLD_PCT, .plots = true};
    int code = alternate_read(&versions.alternate, argc, argv, table, take_option, &versions, error_out);
    if (code == 0)
        fputs(help, stdout);
    else if (code > 0)
        code = run(&versions, error_out);
    alternate_close(&versions.alternate);
    return code;
}
