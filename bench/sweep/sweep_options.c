/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "plan_text.h"
#include "sweep_flags.h"

const char *sweep_options_help(void)
{
    return "usage: dvbench sweep [options] [FILE...]\n"
           "\n"
           "Times the kernels over a plan, after comparing each answer with the oracle (worked out row by "
           "row from the\n"
           "deleted positions). Leaves CSV, figures and a report in results/."
           " Without options it runs the plan `quick`.\n"
           "\n"
           "what to measure\n"
           "  --plan NAME|FILE       quick (default), article, full (see `list plans`), or a file with the "
           "options of one\n"
           "  --recipe SPEC          recipe:key=value:... (see `list recipes`); may be repeated\n"
           "  --vary KEY=V1,V2,...   one deletion vector (DV) for each value of that key of the recipe; may "
           "be repeated\n"
           "  --rates R1,R2,...      one DV for each deletion rate: 0.061 or 6.1%\n"
           "  --dv FILE...           deletion vectors from files (every vector in a file), or specs\n"
           "  --rows N|FILE=N        rows of the data file: for a recipe, and for a DV file, which does not "
           "state it\n"
           "  --kernel A,B,...       ids or patterns; `best` (default): plain, and with the best gap fill; "
           "`all`: every one\n"
           "  --sink A,B,...|all     forms of the answer (see `list sinks`), default row_ids,is_deleted\n"
           "  --batch N,N,...        rows per batch, default 5000\n"
           "  --mode M,...           stream (default): batches in order; replay: one again and again; cold: "
           "vectors in no cache\n"
           "  --max-batches N        most batches in one pass over the file, evenly spaced, default 1600\n"
           "how\n"
           "  --rounds N             samples per kernel, one per round, default 9 (intervals need 6)\n"
           "  --min-time T           shortest time of a sample: 10ms (default), 0.5s, or seconds as a bare "
           "number\n"
           "  --starts N             process starts, each with all rounds, default 1\n"
           "  --seed N               seed of the order of the kernels within a round\n"
           "  --cpu N|none           CPU to pin to, default the last one allowed\n"
           "  --threads N,N,...      also with so many threads at once, each on its own CPU (1 is always "
           "among "
           "them): threads.csv\n"
           "  --share-dv             they read one DV; default, and always in cold: a copy each\n"
           "  --counters MODE        auto (default), pmu, sim (callgrind; kernels that it cannot run are "
           "single-stepped), none\n"
           "  --events SET|A,B,...   what a PMU counts: see `list counters`\n"
           "  --shard I/N            the I-th of N parts of about the same time; `merge` joins the runs\n"
           "output\n"
           "  --out DIR              default results/<date>-<plan>\n"
           "  --resume DIR           continues a run;"
           " with --replace it measures again what another program, machine,\n"
           "                         CRoaring or setting measured\n"
           "  --figures svg|png|pdf  default svg;  --no-plots;  --quiet\n"
           "  --benchmark_filter=REGEX  only cells whose name KERNEL/SINK@DV,batch=N,mode=M matches (per_row "
           "stays:\n"
           "                         ratios need it)\n"
           "  --benchmark_out=FILE   Google Benchmark's JSON of all samples, for compare.py\n"
           "  --benchmark_list_tests, --benchmark_context=K=V, --benchmark_min_time, "
           "--benchmark_repetitions\n";
}

static struct sweep_group *add_group(struct sweep_options *options)
{
    struct sweep_group *grown = realloc(options->groups, (options->n_groups + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    options->groups = grown;
    grown[options->n_groups] = (struct sweep_group){0};
    return &grown[options->n_groups++];
}

static void group_free(struct sweep_group *group)
{
    strings_free(&group->recipes);
    strings_free(&group->files);
    strings_free(&group->kernels);
    for (size_t i = 0; i < group->n_axes; i++) {
        free(group->axes[i].key);
        strings_free(&group->axes[i].values);
    }
    free(group->rows);
}

#define MAX_PLAN_WORDS 128

static int parse_plan_line(struct sweep_options *options, char *line, int n_line, struct dv_error *error_out)
{
    char name[] = "sweep";
    char *words[MAX_PLAN_WORDS] = {name};
    int n_words = 1;
    for (char *rest = line, *word; (word = strtok_r(rest, " \t\r", &rest)) != NULL;) {
        if (*word == '#') /* within a word it numbers a file's vector */
            break;
        if (n_words == MAX_PLAN_WORDS - 1)
            return dv_fail(error_out, DV_ERROR_INPUT, "more than %d words in a line", MAX_PLAN_WORDS - 2);
        words[n_words++] = word;
    }
    if (n_words == 1)
        return 0;
    struct sweep_group *group = add_group(options);
    if (!group)
        return dv_no_memory(error_out);
    group->n_line = n_line;
    int status = sweep_flags_parse(options, group, n_words, words, NULL, error_out);
    if (status == 0 && group->recipes.n_items + group->files.n_items == 0) {
        group_free(group);
        options->n_groups--;
    }
    return status;
}

static int parse_plan(struct sweep_options *options, const char *name, struct dv_error *error_out)
{
    char *text = NULL;
    int status = plan_text_load(name, &text, error_out);
    int n_line = 0;
    const size_t n_mark = text && strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of an editor */
    for (char *rest = text ? text + n_mark : NULL, *line;
         status == 0 && (line = strsep(&rest, "\n")) != NULL;) {
        n_line++;
        status = parse_plan_line(options, line, n_line, error_out);
    }
    if (status < 0 && text) {
        char where[192];
        snprintf(where, sizeof where, "plan %s, line %d", name, n_line);
        (void)dv_error_set_where(error_out, where);
    }
    if (status == 0 && options->n_groups == 0)
        status = dv_fail(error_out, DV_ERROR_INPUT, "plan %s: no line with --recipe or --dv", name);
    free(text);
    return status;
}

/* A plan sets defaults; what the user says by hand besides it goes over every group. */
static int narrow_groups(struct sweep_options *options, const struct sweep_group *by_hand,
                         struct dv_error *error_out)
{
    for (size_t g = 0; g < options->n_groups; g++) {
        struct sweep_group *group = &options->groups[g];
        group->sinks = by_hand->sinks ? by_hand->sinks : group->sinks;
        group->modes = by_hand->modes ? by_hand->modes : group->modes;
        if (by_hand->n_batch_rows) {
            memcpy(group->batch_rows, by_hand->batch_rows, sizeof group->batch_rows);
            group->n_batch_rows = by_hand->n_batch_rows;
        }
        if (by_hand->kernels.n_items) {
            strings_free(&group->kernels);
            for (size_t i = 0; i < by_hand->kernels.n_items; i++)
                if (strings_add(&group->kernels, by_hand->kernels.items[i],
                                strlen(by_hand->kernels.items[i])))
                    return DV_ERROR_MEMORY;
        }
        if (by_hand->rows && sweep_flags_replace(&group->rows, by_hand->rows, error_out))
            return DV_ERROR_MEMORY;
    }
    return 0;
}

static bool names_a_dv(const struct sweep_group *group)
{
    return group->recipes.n_items || group->files.n_items;
}

int sweep_options_parse(struct sweep_options *options_out, int argc, char **argv, struct dv_error *error_out)
{
    *options_out = (struct sweep_options){.rounds = 9,
                                          .starts = 1,
                                          .start = -1,
                                          .lock_fd = -1,
                                          .min_time_ns = 10e6,
                                          .max_batches = 1600,
                                          .seed = 1,
                                          .cpu = SWEEP_CPU_DEFAULT,
                                          .plots = true,
                                          .plan_name = "custom"};
    struct sweep_group by_hand = {0};
    const char *plan = NULL;
    int status = sweep_flags_parse(options_out, &by_hand, argc, argv, &plan, error_out);
    if (status == 0 && !options_out->help && plan && names_a_dv(&by_hand))
        status = dv_fail(error_out, DV_ERROR_USAGE, "--plan and --recipe or --dv exclude each other");
    if (status == 0 && !options_out->help && by_hand.n_axes && by_hand.recipes.n_items == 0)
        status = dv_fail(error_out, DV_ERROR_USAGE, "--rates and --vary need a --recipe");
    if (status == 0 && !options_out->help && options_out->share_dv && options_out->n_threads == 0)
        status = dv_fail(error_out, DV_ERROR_USAGE, "--share-dv needs --threads");
    if (status == 0 && options_out->events && options_out->counters &&
        strcmp(options_out->counters, "none") == 0)
        status = dv_fail(error_out, DV_ERROR_USAGE, "--events %s: nothing is counted with --counters none",
                         options_out->events);
    if (status == 0 && !options_out->help) /* here, else a plan's line is blamed */
        status = plan_check_kernels(&by_hand.kernels, error_out);
    if (status < 0 || options_out->help)
        goto out;
    if (names_a_dv(&by_hand)) {
        struct sweep_group *group = add_group(options_out);
        if (!group) {
            status = dv_no_memory(error_out);
            goto out;
        }
        *group = by_hand;
        return 0;
    }
    options_out->plan_name = plan ? plan : "quick";
    status = parse_plan(options_out, options_out->plan_name, error_out);
    if (status == 0) /* once more: what is said by hand overrides what the plan's lines set */
        status = narrow_groups(options_out, &by_hand, error_out);
    if (status == 0) {
        struct sweep_group again = {0};
        free(options_out->benchmark_context); /* its values add up */
        options_out->benchmark_context = NULL;
        status = sweep_flags_parse(options_out, &again, argc, argv, &plan, error_out);
        group_free(&again);
    }
out:
    group_free(&by_hand);
    if (status < 0)
        sweep_options_free(options_out);
    return status;
}

void sweep_options_free(struct sweep_options *options)
{
    for (size_t i = 0; i < options->n_groups; i++)
        group_free(&options->groups[i]);
    free(options->groups);
    char *const texts[] = {options->out_dir,          options->resume_dir,    options->counters,
                           options->events,           options->shard,         options->figures,
                           options->benchmark_filter, options->benchmark_out, options->benchmark_context};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    vector_options_free(&options->vectors);
    *options = (struct sweep_options){0};
}
