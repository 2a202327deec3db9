/* SPDX-License-Identifier: Apache-2.0 */
/* The description of a machine from made-up trees of /proc and /sys, and that the real one reads at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "cpu_kinds.h"
#include "machine.h"

static char root[] = "/tmp/dvbench-machine-XXXXXX";

static int make_root(void **state)
{
    (void)state;
    strcpy(root + sizeof root - 7, "XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void put(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        (void)mkdir(path, 0777);
        *slash = '/';
    }
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

#define CPU "sys/devices/system/cpu/"

static void test_server(void **state)
{
    (void)state;
    struct machine machine;
    char id[256], folder[256];
    put("proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
        "model name\t: Intel(R) Xeon(R) Platinum 8488C,  \"odd\"\nstepping\t: 8\nmicrocode\t: 0x2b\n"
        "flags\t\t: fpu hypervisor avx2\n\nprocessor\t: 1\nmodel name\t: second\n");
    put("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
    put("sys/class/dmi/id/product_name", "m7i.large\n");
    put(CPU "online", "0-2,5\n");
    put(CPU "cpu0/cpufreq/scaling_governor", "powersave\n");
    put(CPU "smt/control", "on\n");
    put(CPU "intel_pstate/no_turbo", "0\n");
    static const char *const caches[4][3] = {{"1", "Data", "48K"},
                                             {"1", "Instruction", "32K"},
                                             {"2", "Unified", "2048K"},
                                             {"3", "Unified", "105M"}};
    for (int i = 0; i < 4; i++) {
        static const char *const names[3] = {"level", "type", "size"};
        for (int k = 0; k < 3; k++) {
            char name[128];
            snprintf(name, sizeof name, CPU "cpu0/cache/index%d/%s", i, names[k]);
            put(name, caches[i][k]);
        }
    }
    put("proc/sys/kernel/randomize_va_space", "2\n");
    put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    assert_int_equal(machine_throttles_below(root), -1);
    put(CPU "cpu0/thermal_throttle/core_throttle_count", "7\n");
    put(CPU "cpu2/thermal_throttle/core_throttle_count", "5\n");
    assert_int_equal(machine_throttles_below(root), 12);
    put("proc/loadavg", "3.50 0.20 0.10 1/100 4242\n");
    put("proc/meminfo", "MemTotal:        8000000 kB\nMemFree: 1 kB\n");
    machine_read_below(&machine, root);
    assert_string_equal(machine.cpu_model, "Intel(R) Xeon(R) Platinum 8488C odd");
    assert_string_equal(machine.cpu_vendor, "GenuineIntel");
    assert_string_equal(machine.microcode, "0x2b");
    assert_string_equal(machine.virtualisation, "kvm");
    assert_int_equal(machine.family, 6);
    assert_int_equal(machine.model, 143);
    assert_int_equal(machine.stepping, 8);
    assert_int_equal(machine.n_cpus, 4);
    assert_int_equal(machine.l1d_bytes, 48 << 10);
    assert_int_equal(machine.l2_bytes, 2 << 20);
    assert_int_equal(machine.l3_bytes, 105 << 20);
    assert_true(machine.memory_bytes == UINT64_C(8000000) << 10);
    assert_string_equal(machine.governor, "powersave");
    assert_string_equal(machine.turbo, "on");
    assert_string_equal(machine.smt, "on");
    assert_string_equal(machine.aslr, "full");
    assert_string_equal(machine.thp, "madvise");
    assert_true(machine.load_1min == 3.5);
    machine_id(&machine, id, sizeof id);
    assert_string_equal(id, "Intel(R) Xeon(R) Platinum 8488C odd; 4 vCPUs; kvm");
    assert_null(strpbrk(id, ",\"\r\n"));
    machine_folder(&machine, folder, sizeof folder);
    assert_string_equal(folder, "Intel-R-Xeon-R-Platinum-8488C-odd_4-vCPUs_kvm");
}

/* An efficiency core has the last number; a PMU of the uncore has no `cpus`, and one kind is no choice. */
static void test_hybrid(void **state)
{
    (void)state;
    struct cpu_kinds kinds;
    struct machine machine;
    cpu_set_t allowed;
    put("sys/bus/event_source/devices/cpu_atom/cpus", "4-5,7\n");
    put("sys/bus/event_source/devices/cpu_atom/type", "10\n");
    put("sys/bus/event_source/devices/uncore_imc/cpumask", "0\n");
    put("sys/bus/event_source/devices/uncore_imc/type", "21\n");
    cpu_kinds_read_below(&kinds, root);
    assert_int_equal(kinds.n_items, 0);
    put("sys/bus/event_source/devices/cpu_core/cpus", "0-3\n");
    put("sys/bus/event_source/devices/cpu_core/type", "4\n");
    cpu_kinds_read_below(&kinds, root); /* without speeds: by its name */
    assert_int_equal(kinds.n_items, 2);
    assert_string_equal(kinds.items[0].pmu, "cpu_core");
    assert_string_equal(cpu_kinds_find(&kinds, 7)->pmu, "cpu_atom");
    assert_int_equal(cpu_kinds_find(&kinds, 7)->perf_type, 10);
    assert_null(cpu_kinds_find(&kinds, 6));
    CPU_ZERO(&allowed);
    for (int cpu = 1; cpu < 8; cpu++)
        CPU_SET(cpu, &allowed);
    assert_int_equal(cpu_kinds_choose(&kinds, &allowed), 3);
    put(CPU "cpu1/cpufreq/cpuinfo_max_freq", "3000000\n");
    put(CPU "cpu5/cpufreq/cpuinfo_max_freq", "3100000\n");
    cpu_kinds_read_below(&kinds, root);
    assert_int_equal(cpu_kinds_choose(&kinds, &allowed), 7);
    for (int cpu = 4; cpu < 8; cpu++)
        CPU_CLR(cpu, &allowed);
    assert_int_equal(cpu_kinds_choose(&kinds, &allowed), 3);
    machine_read_below(&machine, root);
    assert_string_equal(machine.cpu_kinds, "cpu_atom 4-5,7 | cpu_core 0-3");
}

/* Cores before the second threads of cores, of one kind, from the last one down. */
static void test_workers(void **state)
{
    (void)state;
    struct cpu_kinds kinds;
    struct cpu_workers workers;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    for (int cpu = 0; cpu < 7; cpu++)
        CPU_SET(cpu, &allowed);
    for (int cpu = 0; cpu < 6; cpu++) {
        char name[128], list[16];
        snprintf(name, sizeof name, CPU "cpu%d/topology/thread_siblings_list", cpu);
        snprintf(list, sizeof list, "%d-%d\n", cpu - cpu % 2, cpu - cpu % 2 + 1);
        put(name, list);
    }
    cpu_kinds_read_below(&kinds, root);
    cpu_kinds_workers(&workers, &kinds, &allowed, 4, root);
    static const int all[] = {4, 6, 3, 1, 5, 2, 0};
    assert_int_equal(workers.n_items, 7);
    assert_int_equal(workers.n_cores, 4); /* nothing is known of 6 */
    assert_memory_equal(workers.cpus, all, sizeof all);
    put("sys/bus/event_source/devices/cpu_atom/cpus", "4-7\n");
    put("sys/bus/event_source/devices/cpu_atom/type", "10\n");
    put("sys/bus/event_source/devices/cpu_core/cpus", "0-3\n");
    put("sys/bus/event_source/devices/cpu_core/type", "4\n");
    cpu_kinds_read_below(&kinds, root);
    cpu_kinds_workers(&workers, &kinds, &allowed, 2, root);
    static const int of_kind[] = {2, 1, 3, 0};
    assert_int_equal(workers.n_items, 4);
    assert_int_equal(workers.n_cores, 2);
    assert_memory_equal(workers.cpus, of_kind, sizeof of_kind);
}

static void count_warning(const char *text, void *user)
{
    char(*texts)[200] = user;
    while (**texts)
        texts++;
    snprintf(*texts, sizeof *texts, "%s", text);
}

static void test_warnings(void **state)
{
    (void)state;
    struct machine machine;
    char texts[8][200] = {""};
    machine_read_below(&machine, root); /* empty: one CPU and nothing known */
    machine.n_cpus = 2;
    assert_int_equal(machine_warnings(&machine, count_warning, texts), 0);
    strcpy(machine.virtualisation, "kvm");
    strcpy(machine.governor, "powersave");
    strcpy(machine.turbo, "on");
    strcpy(machine.thp, "always");
    machine.load_1min = 1.75;
    assert_int_equal(machine_warnings(&machine, count_warning, texts), 5);
    assert_non_null(strstr(texts[0], "virtual machine"));
    assert_string_equal(texts[4], "load average 1.75 on 2 CPUs when the run began");
    strcpy(machine.virtualisation, "none");
    strcpy(machine.governor, "performance");
    strcpy(machine.turbo, "off");
    strcpy(machine.thp, "madvise");
    machine.load_1min = 0.1;
    assert_int_equal(machine_warnings(&machine, count_warning, texts), 0);
}

static void test_absent_is_unknown(void **state)
{
    (void)state;
    struct machine machine;
    char folder[256];
    machine_read_below(&machine, root);
    assert_string_equal(machine.cpu_model, MACHINE_UNKNOWN);
    assert_string_equal(machine.governor, MACHINE_UNKNOWN);
    assert_string_equal(machine.turbo, MACHINE_UNKNOWN);
    assert_string_equal(machine.smt, MACHINE_UNKNOWN);
    assert_string_equal(machine.aslr, MACHINE_UNKNOWN);
    assert_string_equal(machine.thp, MACHINE_UNKNOWN);
    assert_string_equal(machine.virtualisation, MACHINE_UNKNOWN);
    assert_int_equal(machine.family, -1);
    assert_int_equal(machine.l3_bytes, 0);
    assert_true(isnan(machine.load_1min));
    machine_folder(&machine, folder, sizeof folder);
    assert_string_equal(folder, "unknown_1-vCPU_unknown");
    machine_folder(&machine, folder, 6); /* a short buffer is filled, not overrun */
    assert_string_equal(folder, "unkno");
}

static void test_virtualisation(void **state)
{
    (void)state;
    static const struct {
        const char *cpuinfo, *vendor, *product, *expected;
    } rows[] = {
        {"cpu family\t: 25\nflags\t: fpu\n", "Dell Inc.", "PowerEdge", "none"},
        {"cpu family\t: 25\nflags\t: fpu hypervisor\n", "", "", "virtual"},
        {"cpu family\t: 25\nflags\t: fpu hypervisor\n", "VMware, Inc.", "VMware7,1", "vmware"},
        {"cpu family\t: 6\nflags\t: fpu\n", "Microsoft Corporation", "Surface", "none"},
        {"cpu family\t: 6\nflags\t: fpu hypervisor\n", "Microsoft Corporation", "Virtual Machine", "hyperv"},
        {"cpu family\t: 6\nflags\t: fpu\n", "Amazon EC2", "c6i.metal", "none"},
        {"cpu family\t: 6\nflags\t: fpu hypervisor\n", "Google", "Google Compute Engine", "kvm"},
        {"CPU implementer\t: 0x41\nCPU part\t: 0xd40\n", "QEMU", "QEMU Virtual Machine", "qemu"},
        {"CPU implementer\t: 0x41\nCPU part\t: 0xd40\n", "", "", "unknown"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine machine;
        put("proc/cpuinfo", rows[i].cpuinfo);
        put("sys/class/dmi/id/sys_vendor", rows[i].vendor);
        put("sys/class/dmi/id/product_name", rows[i].product);
        machine_read_below(&machine, root);
        assert_string_equal(machine.virtualisation, rows[i].expected);
    }
}

static void test_arm_numbers_become_names(void **state)
{
    (void)state;
    struct machine machine;
    put("proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
    machine_read_below(&machine, root);
    assert_string_equal(machine.cpu_model, "Neoverse N1");
    assert_string_equal(machine.cpu_vendor, "ARM");
    put("proc/cpuinfo", "CPU implementer\t: 0x61\nCPU part\t: 0x022\n");
    machine_read_below(&machine, root);
    assert_string_equal(machine.cpu_model, "implementer 0x61 part 0x022");
    assert_string_equal(machine.cpu_vendor, "0x61");
}

/* A folder's name must be safe and must not name this host. */
static void test_this_machine(void **state)
{
    (void)state;
    struct machine machine;
    char folder[256], id[256];
    machine_read(&machine);
    assert_true(machine.n_cpus >= 1);
    assert_int_equal(strncmp(machine.kernel, "Linux ", 6), 0);
    machine_id(&machine, id, sizeof id);
    assert_null(strpbrk(id, ",\"\r\n"));
    machine_folder(&machine, folder, sizeof folder);
    assert_true(*folder);
    for (const char *at = folder; *at; at++)
        assert_true(isalnum((unsigned char)*at) || strchr(".-_", *at));
}

static void test_pinning(void **state)
{
    (void)state;
    struct dv_error error = {0};
    cpu_set_t before, after;
    assert_int_equal(machine_pin_cpu(-1, &error), DV_ERROR_USAGE);
    assert_int_equal(machine_pin_cpu(1 << 20, &error), DV_ERROR_USAGE);
    if (sched_getaffinity(0, sizeof before, &before) != 0)
        skip();
    const int cpu = machine_default_cpu();
    assert_true(cpu >= 0);
    assert_int_equal(machine_pin_cpu(cpu, &error), 0);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_int_equal(CPU_COUNT(&after), 1);
    assert_true(CPU_ISSET(cpu, &after));
    assert_int_equal(sched_getcpu(), cpu);
    if (CPU_COUNT(&before) > 1) { /* as taskset left it: what is not allowed is not taken */
        assert_int_equal(machine_pin_cpu(cpu == 0 ? 1 : 0, &error), DV_ERROR_UNAVAILABLE);
        assert_non_null(strstr(error.message, "is not allowed for this process"));
        assert_int_equal(sched_getcpu(), cpu);
    }
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void test_usage_counts_page_faults(void **state)
{
    (void)state;
    struct machine_usage before, after;
    const size_t n_bytes = 64 << 20;
    const uint64_t trim_bytes = machine_fix_malloc(); /* 0 under a sanitizer's allocator */
    assert_true(trim_bytes == 0 || trim_bytes >= 1 << 20);
    machine_usage_read(&before);
    machine_usage_read(&before); /* the second one without what the first read faulted in */
    volatile char *bytes = malloc(n_bytes);
    assert_non_null((char *)bytes);
    for (size_t i = 0; i < n_bytes; i += 4096)
        bytes[i] = 1;
    machine_usage_read(&after);
    free((char *)bytes);
    const struct machine_usage usage = machine_usage_since(&before, &after);
    assert_true(usage.page_faults >= 32); /* 16,384 small pages, or 32 huge ones */
    assert_true(usage.page_faults < 100000);
    assert_true(usage.cpu_migrations >= -1);
    int64_t least = INT64_MAX; /* reading costs none itself; of some tries, since the kernel may take a page
                                  at any time */
    for (int i = 0; i < 5; i++) {
        machine_usage_read(&before);
        machine_usage_read(&after);
        const int64_t n_faults = machine_usage_since(&before, &after).page_faults;
        least = n_faults < least ? n_faults : least;
    }
    assert_int_equal(least, 0);
    const struct machine_usage unknown = {-1, -1, -1};
    assert_int_equal(machine_usage_since(&unknown, &after).page_faults, -1);
}

static void test_steal(void **state)
{
    (void)state;
    struct machine_ticks ticks;
    const struct machine_ticks before = {.steal = 10, .total = 1000, .is_known = true},
                               after = {.steal = 15, .total = 1200, .is_known = true}, unknown = {0};
    assert_true(machine_steal_pct(&before, &after) == 2.5);
    assert_true(isnan(machine_steal_pct(&before, &before)));
    assert_true(isnan(machine_steal_pct(&unknown, &after)));
    machine_ticks_read(&ticks, -1);
    if (!ticks.is_known)
        skip();
    assert_true(ticks.total > 0 && ticks.steal <= ticks.total);
    machine_ticks_read(&ticks, 1 << 20);
    assert_false(ticks.is_known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_server, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_hybrid, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_workers, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_warnings, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_absent_is_unknown, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_virtualisation, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_arm_numbers_become_names, make_root, remove_root),
        cmocka_unit_test(test_this_machine),
        cmocka_unit_test(test_pinning),
        cmocka_unit_test(test_usage_counts_page_faults),
        cmocka_unit_test(test_steal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
