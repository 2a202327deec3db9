/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu_names.h"

#ifdef DVBENCH_HAVE_PFM

#include <perfmon/pfmlib_perf_event.h>

bool pmu_names_built(void)
{
    return true;
}

const char *pmu_names_version(void)
{
    /* Is 4.0 in every release: the distribution's package version says more, but not to a program. */
    return "4.0";
}

static int library_open(struct dv_error *error_out)
{
    int status = pfm_initialize(); /* may be called again and again */
    if (status == PFM_SUCCESS)
        return 0;
    return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "libpfm4: %s; it needs /proc and /sys mounted",
                   pfm_strerror(status));
}

int pmu_names_encode(const char *name, struct perf_event_attr *attr_out, char *encoding_out,
                     size_t n_encoding, struct dv_error *error_out)
{
    char *canonical = NULL;
    memset(attr_out, 0, sizeof *attr_out);
    attr_out->size = sizeof *attr_out;
    snprintf(encoding_out, n_encoding, "%s", "");
    int status = library_open(error_out);
    if (status != 0)
        return status;
    pfm_perf_encode_arg_t arg = {.attr = attr_out, .fstr = &canonical, .size = sizeof arg};
    int result = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
    if (result != PFM_SUCCESS) {
        free(canonical);
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "libpfm4 says of event '%s': %s; see what `dvbench list counters` has for this CPU",
                       name, pfm_strerror(result));
    }
    snprintf(encoding_out, n_encoding, "%s", canonical ? canonical : name);
    free(canonical);
    return 0;
}

bool pmu_names_present(size_t index, const char **name_out, const char **description_out)
{
    if (library_open(NULL) != 0)
        return false;
    for (int pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) != PFM_SUCCESS || !info.is_present)
            continue;
        if (index-- != 0)
            continue;
        *name_out = info.name;
        *description_out = info.desc;
        return true;
    }
    return false;
}

#else

bool pmu_names_built(void)
{
    return false;
}

const char *pmu_names_version(void)
{
    return "";
}

int pmu_names_encode(const char *name, struct perf_event_attr *attr_out, char *encoding_out,
                     size_t n_encoding, struct dv_error *error_out)
{
    memset(attr_out, 0, sizeof *attr_out);
    snprintf(encoding_out, n_encoding, "%s", "");
    return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                   "event '%s': built without libpfm4; install libpfm4-dev and build again", name);
}

bool pmu_names_present(size_t index, const char **name_out, const char **description_out)
{
    (void)index;
    *name_out = *description_out = "";
    return false;
}

#endif
