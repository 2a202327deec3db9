#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the consoles of the three boots: check.py WORK_DIR [HOST_SUMMARY]

What is known beforehand: QEMU's INST_RETIRED is exact, a cycle is 2^shift of an instruction's nanoseconds under -icount, so
that IPC is 2^-shift; branch events are not emulated: the generic ones do not open, the raw ones open and count 0 for ever.
HOST_SUMMARY is a summary.csv of the same cells counted by callgrind."""
import csv
import io
import os
import re
import sys

FAILURES = []


def expect(what, got, wanted):
    if got != wanted:
        FAILURES.append(f"{what}: {got!r}, expected {wanted!r}")


def sections(path):
    """{name: (lines, exit code)} of a console log."""
    found, name, lines = {}, None, []
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log.read().replace("\r", "").split("\n"):
            begin = re.match(r"=== begin (\S+)$", line)
            end = re.match(r"=== end (\S+) (\d+)$", line)
            if begin:
                name, lines = begin.group(1), []
            elif end and end.group(1) == name:
                found[name] = (lines, int(end.group(2)))
                name = None
            elif name:
                lines.append(line)
    return found


def rows(lines):
    # The kernel's own messages may stand between the lines of a console.
    return list(csv.DictReader(io.StringIO("\n".join(line for line in lines if line.count(",") > 3))))


def section(log, name):
    if name not in log:
        FAILURES.append(f"no output of '{name}'")
        return [], -1
    return log[name]


def check_self_test(log, shift):
    lines, code = section(log, "counters")
    events = {row["event"]: row for row in rows(lines) if row["source"] == "pmu"}
    expect("counters exits", code, 0)
    instructions = events["perf::INSTRUCTIONS"]
    expect("instructions", (instructions["status"], instructions["verdict"]), ("ok", "pass"))
    expect("instructions of the calibration loop", instructions["counted"], instructions["expected"])
    cycles = events["perf::CYCLES"]
    expect("cycles of the calibration loop", int(cycles["counted"]), int(instructions["counted"]) << shift)
    for name in ("perf::BRANCHES", "perf::BRANCH-MISSES"):
        expect(name, events[name]["status"], "no-pmu")


def check_quiet_events(log):
    lines, code = section(log, "native")
    events = {row["event"]: row for row in rows(lines) if row["source"] == "pmu"}
    expect("counters of neoverse_n1 exits", code, 0)
    expect("arm_n1::INST_RETIRED", events["arm_n1::INST_RETIRED"]["verdict"], "pass")
    for name in ("arm_n1::BR_RETIRED", "arm_n1::BR_MIS_PRED_RETIRED"):
        expect(name, (events[name]["status"], events[name]["counted"]), ("self-test-failed", "0"))


def check_sweep(log, shift):
    lines, code = section(log, "sweep")
    expect(f"sweep exits ({' '.join(lines)})", code, 0)
    summary = rows(section(log, "summary")[0])
    counted = {}
    for row in summary:
        name = row["kernel"] + " " + row["dv"]
        if row["verdict"] != "ok":
            expect(f"{name}: why it did not run", row["verdict"], "unavailable")
            continue
        expect(f"{name}: source", row["counter_source"], "pmu")
        expect(f"{name}: status", row["counter_status"], "branches=no-pmu;branch_misses=no-pmu")
        expect(f"{name}: branch cells", (row["branches_per_row"], row["branch_misses_per_row"]), ("", ""))
        expect(f"{name}: IPC", float(row["ipc"]), 2.0 ** -shift)
        counted[row["kernel"], row["dv"]] = float(row["instructions_per_row"])
    expect("direct_neon runs", any(kernel == "direct_neon" for kernel, _ in counted), True)
    events = rows(section(log, "counters_csv")[0])
    for row in events:
        expect(f"{row['event']} of {row['cell']}: a value or a reason", row["value_per_row"] != "", row["status"] == "ok")
    return counted


def check_without_pmu(log):
    for name in ("counters", "native"):
        lines, code = section(log, name)
        expect(f"pmu=off: {name} exits", code, 4)
        for row in rows(lines):
            if row["source"] == "pmu":
                expect(f"pmu=off: {row['event']}", row["status"], "no-pmu")
    lines, code = section(log, "sweep")
    expect("pmu=off: sweep --counters pmu exits", code, 4)
    expect("pmu=off: and says", "no-pmu" in " ".join(lines), True)
    lines, code = section(log, "check")
    expect(f"every kernel agrees with the oracle on aarch64 ({' '.join(lines[-3:])})", code, 0)
    expect("direct_neon was checked", any("direct_neon" in line for line in lines), True)


def check_against_callgrind(counted, path):
    """Two instruction sets, one algorithm: within a factor of two."""
    with open(path, newline="", encoding="utf-8") as file:
        host = {(row["kernel"], row["dv"]): row["instructions_per_row"] for row in csv.DictReader(file)}
    n_compared = 0
    for cell, aarch64 in counted.items():
        if host.get(cell):
            n_compared += 1
            ratio = aarch64 / float(host[cell])
            print(f"{cell[0]:24} {cell[1]:60.60} aarch64 {aarch64:9.4f}  callgrind {float(host[cell]):9.4f}  {ratio:.2f}")
            expect(f"{cell}: instructions within a factor of two of callgrind's", 0.5 <= ratio <= 2, True)
    expect("cells compared with callgrind", n_compared > 0, True)


def main():
    work = sys.argv[1]
    logs = {name: sections(os.path.join(work, name + ".log")) for name in ("shift0", "shift2", "no_pmu")}
    counted = {}
    for name, shift in (("shift0", 0), ("shift2", 2)):
        check_self_test(logs[name], shift)
        check_quiet_events(logs[name])
        for test in ("tests_pmu", "tests_session"):
            lines, code = section(logs[name], test)
            expect(f"{test} exits ({' '.join(line for line in lines if 'FAILED' in line)})", code, 0)
        counted[name] = check_sweep(logs[name], shift)
    expect("cells counted", sorted(counted["shift0"]), sorted(counted["shift2"]))
    for cell, first in counted["shift0"].items():
        # Two boots place the heap differently, and the C library's copies take other paths: not more than that.
        second = counted["shift2"].get(cell, 0)
        expect(f"{cell}: {first} and {second} instructions at two shifts", abs(first - second) <= 0.001 * first, True)
    check_without_pmu(logs["no_pmu"])
    if len(sys.argv) > 2:
        check_against_callgrind(counted["shift0"], sys.argv[2])
    for failure in FAILURES:
        print("failed:", failure)
    print(f"{len(counted['shift0'])} cells counted exactly under QEMU" if not FAILURES else f"{len(FAILURES)} failures")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
