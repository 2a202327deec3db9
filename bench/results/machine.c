/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"
#include "cpu_kinds.h"

#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define LINE_BYTES 4096

/* Copies `text` without what a CSV cell would need quotes for, runs of blanks as one; "unknown" where
 * nothing is left. */
static void set_text(char *to, size_t to_bytes, const char *text)
{
    size_t n = 0;
    for (; *text && n + 1 < to_bytes; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool is_blank = c <= ' ' || c == 0x7f || c == ',' || c == '"' || c == '\'' || c == ';';
        if (!is_blank)
            to[n++] = (char)c;
        else if (n > 0 && to[n - 1] != ' ')
            to[n++] = ' ';
    }
    while (n > 0 && to[n - 1] == ' ')
        n--;
    to[n] = 0;
    if (n == 0)
        snprintf(to, to_bytes, MACHINE_UNKNOWN);
}

/* Reads the first line of the file below `root`, without its end. False where there is none. */
__attribute__((format(printf, 3, 4))) static bool read_line(char line[LINE_BYTES], const char *root,
                                                            const char *format, ...)
{
    char path[512];
    va_list arguments;
    int n = snprintf(path, sizeof path, "%s", root);
    va_start(arguments, format);
    vsnprintf(path + n, sizeof path - (size_t)n, format, arguments);
    va_end(arguments);
    line[0] = 0;
    FILE *stream = fopen(path, "re");
    if (!stream)
        return false;
    const bool is_read = fgets(line, LINE_BYTES, stream) != NULL;
    fclose(stream);
    line[strcspn(line, "\r\n")] = 0;
    return is_read && *line;
}

static void read_text(char *to, size_t to_bytes, const char *root, const char *path)
{
    char line[LINE_BYTES];
    (void)read_line(line, root, "%s", path);
    set_text(to, to_bytes, line);
}

/* The value of `key` in a line "key<blanks>: value", or NULL. */
static const char *value_of(const char *line, const char *key)
{
    const size_t n = strlen(key);
    if (strncmp(line, key, n) != 0)
        return NULL;
    line += n + strspn(line + n, " \t");
    return *line == ':' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

/* ARM gives numbers instead of names. */
static const char *arm_part_name(unsigned implementer, unsigned part)
{
    static const struct {
        unsigned implementer, part;
        const char *name;
    } rows[] = {
        {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd07, "Cortex-A57"},  {0x41, 0xd08, "Cortex-A72"},
        {0x41, 0xd0b, "Cortex-A76"},  {0x41, 0xd0c, "Neoverse N1"}, {0x41, 0xd40, "Neoverse V1"},
        {0x41, 0xd49, "Neoverse N2"}, {0x41, 0xd4f, "Neoverse V2"}, {0x41, 0xd84, "Neoverse V3"},
        {0x41, 0xd8e, "Neoverse N3"}, {0xc0, 0xac3, "Ampere-1"},    {0x46, 0x001, "A64FX"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].implementer == implementer && rows[i].part == part)
            return rows[i].name;
    return NULL;
}

static void set_arm_model(struct machine *machine, unsigned implementer, unsigned part)
{
    const char *name = arm_part_name(implementer, part);
    char numbers[64];
    snprintf(numbers, sizeof numbers, "implementer 0x%02x part 0x%03x", implementer, part);
    set_text(machine->cpu_model, sizeof machine->cpu_model, name ? name : numbers);
    snprintf(machine->cpu_vendor, sizeof machine->cpu_vendor, implementer == 0x41 ? "ARM" : "0x%02x",
             implementer);
}

/* The first CPU of /proc/cpuinfo. Returns whether it says that a hypervisor is below. */
static bool read_cpuinfo(struct machine *machine, const char *root)
{
    char path[512], line[LINE_BYTES];
    unsigned implementer = 0, part = 0;
    bool is_guest = false;
    const char *value;
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    FILE *stream = fopen(path, "re");
    while (stream && fgets(line, sizeof line, stream) && *line != '\n') {
        line[strcspn(line, "\n")] = 0;
        if ((value = value_of(line, "model name")))
            set_text(machine->cpu_model, sizeof machine->cpu_model, value);
        else if ((value = value_of(line, "vendor_id")))
            set_text(machine->cpu_vendor, sizeof machine->cpu_vendor, value);
        else if ((value = value_of(line, "microcode")))
            set_text(machine->microcode, sizeof machine->microcode, value);
        else if ((value = value_of(line, "cpu family")))
            machine->family = atoi(value);
        else if ((value = value_of(line, "model")))
            machine->model = atoi(value);
        else if ((value = value_of(line, "stepping")))
            machine->stepping = atoi(value);
        else if ((value = value_of(line, "flags")))
            is_guest = strstr(value, " hypervisor") != NULL;
        else if ((value = value_of(line, "CPU implementer")))
            implementer = (unsigned)strtoul(value, NULL, 0);
        else if ((value = value_of(line, "CPU part")))
            part = (unsigned)strtoul(value, NULL, 0);
    }
    if (stream)
        fclose(stream);
    if (implementer && strcmp(machine->cpu_model, MACHINE_UNKNOWN) == 0)
        set_arm_model(machine, implementer, part);
    return is_guest;
}

/* What a text that names a hypervisor stands for: cpuid leaf 0x40000000, DMI and device-tree texts. */
static const char *hypervisor_name(const char *text)
{
    static const struct {
        const char *part, *name;
    } rows[] = {
        {"KVM", "kvm"},
        {"VMware", "vmware"},
        {"Microsoft", "hyperv"},
        {"Xen", "xen"},
        {"xen", "xen"},
        {"TCG", "qemu"},
        {"VBox", "virtualbox"},
        {"VirtualBox", "virtualbox"},
        {"bhyve", "bhyve"},
        {"BHYVE", "bhyve"},
        {"QEMU", "qemu"},
        {"Google Compute", "kvm"},
        {"Amazon EC2", "kvm"},
        {"Firecracker", "kvm"},
        {"linux,kvm", "kvm"},
        {"OpenStack", "kvm"},
        {"Parallels", "parallels"},
        {" lrpepyh vr", "parallels"},
        {"ACRN", "acrn"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(text, rows[i].part))
            return rows[i].name;
    return NULL;
}

/* The hypervisor's signature as cpuid gives it, "" where there is none or no cpuid. */
static void read_cpuid_signature(char signature_out[13])
{
    memset(signature_out, 0, 13);
#if defined(__x86_64__) || defined(__i386__)
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
        return;
    __cpuid(0x40000000, a, b, c, d);
    memcpy(signature_out, &b, 4);
    memcpy(signature_out + 4, &c, 4);
    memcpy(signature_out + 8, &d, 4);
#endif
}

static void read_virtualisation(struct machine *machine, const char *root, bool is_guest)
{
    char texts[5][LINE_BYTES] = {0};
    if (*root == 0)
        read_cpuid_signature(texts[0]);
    (void)read_line(texts[1], root, "/sys/hypervisor/type");
    (void)read_line(texts[2], root, "/proc/device-tree/hypervisor/compatible");
    (void)read_line(texts[3], root, "/sys/class/dmi/id/product_name");
    (void)read_line(texts[4], root, "/sys/class/dmi/id/sys_vendor");
    const bool may_be_metal = strstr(texts[3], ".metal") != NULL;
    for (size_t i = 0; i < 5 && !may_be_metal; i++) {
        const char *name = hypervisor_name(texts[i]);
        /* Microsoft sells hardware too: its vendor text counts only where the CPU says that it is a
         * guest's. */
        if (!name || (i == 4 && !is_guest))
            continue;
        set_text(machine->virtualisation, sizeof machine->virtualisation, name);
        return;
    }
    const bool is_x86 =
        machine->family >= 0; /* only x86 has the flag, so only there its absence says something */
    snprintf(machine->virtualisation, sizeof machine->virtualisation, "%s",
             is_guest                 ? "virtual"
             : is_x86 || may_be_metal ? "none"
                                      : MACHINE_UNKNOWN);
}

static uint64_t parse_bytes(const char *text)
{
    char *end;
    const uint64_t n = strtoull(text, &end, 10);
    return *end == 'K' ? n << 10 : *end == 'M' ? n << 20 : *end == 'G' ? n << 30 : n;
}

static void read_caches(struct machine *machine, const char *root)
{
    char level[LINE_BYTES], type[LINE_BYTES], size[LINE_BYTES];
    for (int i = 0; i < 16; i++) {
        static const char base[] = "/sys/devices/system/cpu/cpu0/cache/index";
        if (!read_line(level, root, "%s%d/level", base, i))
            break;
        if (!read_line(type, root, "%s%d/type", base, i) || !read_line(size, root, "%s%d/size", base, i) ||
            strcmp(type, "Instruction") == 0)
            continue;
        if (*level == '1')
            machine->l1d_bytes = parse_bytes(size);
        else if (*level == '2')
            machine->l2_bytes = parse_bytes(size);
        else if (*level == '3')
            machine->l3_bytes = parse_bytes(size);
    }
}

static void read_turbo(struct machine *machine, const char *root)
{
    char line[LINE_BYTES];
    if (read_line(line, root, "/sys/devices/system/cpu/intel_pstate/no_turbo"))
        set_text(machine->turbo, sizeof machine->turbo, *line == '0' ? "on" : "off");
    else if (read_line(line, root, "/sys/devices/system/cpu/cpufreq/boost"))
        set_text(machine->turbo, sizeof machine->turbo, *line == '1' ? "on" : "off");
}

static void read_aslr(struct machine *machine, const char *root)
{
    char line[LINE_BYTES];
    if (*root == 0) {
        const int persona = personality(0xffffffff);
        if (persona != -1 && (persona & ADDR_NO_RANDOMIZE)) {
            set_text(machine->aslr, sizeof machine->aslr, "off for this process");
            return;
        }
    }
    if (read_line(line, root, "/proc/sys/kernel/randomize_va_space"))
        set_text(machine->aslr, sizeof machine->aslr,
                 *line == '2'   ? "full"
                 : *line == '1' ? "partial"
                                : "off");
}

/* The word in brackets of "always [madvise] never". */
static void read_thp(struct machine *machine, const char *root)
{
    char line[LINE_BYTES];
    char *open;
    if (!read_line(line, root, "/sys/kernel/mm/transparent_hugepage/enabled") || !(open = strchr(line, '[')))
        return;
    open[strcspn(open, "]")] = 0;
    set_text(machine->thp, sizeof machine->thp, open + 1);
}

static void read_load_and_memory(struct machine *machine, const char *root)
{
    char line[LINE_BYTES], *end;
    const char *value;
    if (read_line(line, root, "/proc/loadavg")) {
        const double load = strtod(line, &end);
        machine->load_1min = end == line ? NAN : load;
    }
    if (read_line(line, root, "/proc/meminfo") && (value = value_of(line, "MemTotal")))
        machine->memory_bytes = strtoull(value, NULL, 10) << 10;
}

/* CPUs that /sys lists as online, "0-3,8"; 0 where it does not say. */
static int count_online(const char *root)
{
    char line[LINE_BYTES];
    int n_cpus = 0;
    (void)read_line(line, root, "/sys/devices/system/cpu/online");
    for (char *at = line; *at;) {
        const long first = strtol(at, &at, 10);
        const long last = *at == '-' ? strtol(at + 1, &at, 10) : first;
        n_cpus += last >= first ? (int)(last - first + 1) : 0;
        if (*at != ',')
            break;
        at++;
    }
    return n_cpus;
}

static void read_process(struct machine *machine)
{
    struct utsname names;
    cpu_set_t allowed;
    if (uname(&names) == 0) {
        char kernel[sizeof names.sysname + sizeof names.release + 1];
        snprintf(kernel, sizeof kernel, "%s %s", names.sysname, names.release);
        set_text(machine->kernel, sizeof machine->kernel, kernel);
        set_text(machine->architecture, sizeof machine->architecture, names.machine);
    }
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        machine->n_cpus_allowed = CPU_COUNT(&allowed);
    const long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (machine->n_cpus == 0 && n_cpus > 0)
        machine->n_cpus = (int)n_cpus;
}

int64_t machine_throttles_below(const char *root)
{
    char line[LINE_BYTES];
    int64_t n = -1;
    const int n_cpus = count_online(root);
    for (int cpu = 0; cpu < n_cpus; cpu++)
        if (read_line(line, root, "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count", cpu))
            n = (n < 0 ? 0 : n) + atoll(line);
    return n;
}

void machine_read_below(struct machine *machine_out, const char *root)
{
    *machine_out = (struct machine){.family = -1, .model = -1, .stepping = -1, .load_1min = NAN};
    char *const texts[] = {machine_out->cpu_model, machine_out->cpu_vendor, machine_out->architecture,
                           machine_out->microcode, machine_out->kernel,     machine_out->turbo,
                           machine_out->aslr,      machine_out->thp};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        strcpy(texts[i], MACHINE_UNKNOWN);
    const bool is_guest = read_cpuinfo(machine_out, root);
    read_virtualisation(machine_out, root, is_guest);
    read_caches(machine_out, root);
    read_text(machine_out->governor, sizeof machine_out->governor, root,
              "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    read_text(machine_out->smt, sizeof machine_out->smt, root, "/sys/devices/system/cpu/smt/control");
    read_turbo(machine_out, root);
    read_aslr(machine_out, root);
    read_thp(machine_out, root);
    read_load_and_memory(machine_out, root);
    struct cpu_kinds kinds;
    cpu_kinds_read_below(&kinds, root);
    cpu_kinds_text(&kinds, machine_out->cpu_kinds, sizeof machine_out->cpu_kinds);
    machine_out->n_cpus = count_online(root);
    if (*root == 0)
        read_process(machine_out);
    if (machine_out->n_cpus == 0)
        machine_out->n_cpus = 1;
}

void machine_read(struct machine *machine_out)
{
    machine_read_below(machine_out, "");
}

void machine_id(const struct machine *machine, char *id_out, size_t id_bytes)
{
    snprintf(id_out, id_bytes, "%s; %d vCPU%s; %s", machine->cpu_model, machine->n_cpus,
             machine->n_cpus == 1 ? "" : "s", machine->virtualisation);
}

void machine_folder(const struct machine *machine, char *folder_out, size_t folder_bytes)
{
    char id[256];
    size_t n = 0;
    machine_id(machine, id, sizeof id);
    for (const char *at = id; *at && n + 1 < folder_bytes; at++) {
        const bool is_plain = isalnum((unsigned char)*at) || strchr(".-_", *at);
        const char c = is_plain ? *at : *at == ';' ? '_' : '-';
        if (is_plain || (n > 0 && folder_out[n - 1] != '-' && folder_out[n - 1] != '_'))
            folder_out[n++] = c;
    }
    folder_out[n] = 0;
}
