#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""counters, sweep --counters and explain through the program. argv: dvbench."""
import csv
import glob
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import csv_files

PROGRAM = os.path.abspath(sys.argv[1])
WORDS = {"ok", "no-pmu", "paranoid", "seccomp", "not-scheduled", "unknown-event", "self-test-failed", "file-limit", "busy", "refused",
         "read-failed", "no-libpfm", "no-valgrind", "cannot-simulate", "sim-isa-differs", "other-pmu", "step-refused", "step-too-long", "not-asked",
         "interrupted"}


def dvbench(*arguments, env=None, expect=(0,)):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env=dict(os.environ, **(env or {})))
    assert done.returncode in expect, (arguments, done.returncode, done.stdout, done.stderr)
    # With Debian 12's CRoaring every sweep warns of it, in a line of its own.
    assert len([line for line in done.stderr.splitlines() if "warning: CRoaring 0.2.66" not in line]) <= 1, done.stderr
    return done


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_counters_command():
    rows = rows_of(dvbench("counters", "--format", "csv").stdout)
    assert {row["source"] for row in rows} == {"pmu", "sim", "step"}
    for row in rows:
        assert row["status"] in WORDS, row
        # A number stands only where something was counted.
        assert row["verdict"] != "not run" or row["counted"] == row["expected"] == "", row
        assert row["status"] != "ok" or row["verdict"] in ("pass", "bias", "unverified"), row
    text = dvbench("counters").stdout
    assert "perf_event_paranoid" in text and "--counters=auto uses " in text
    takes = text.split("--counters=auto uses ")[1].split()[0]
    pmu = next(row for row in rows if row["event"] == "perf::INSTRUCTIONS")
    assert (takes == "pmu") == (pmu["status"] == "ok"), text
    # Where there is none, asking for it is exit 4 and says what would change it.
    done = dvbench("counters", "--counters", "pmu", expect=(0, 4))
    assert (done.returncode == 0) == (pmu["status"] == "ok")
    assert done.returncode == 0 or done.stderr.startswith("dvbench: " + pmu["status"] + ": "), done.stderr
    assert "unknown" not in dvbench("counters", "--events", "software").stdout
    # What the simulator lacks is a row and a warning, by set and by name.
    for events in ("caches", "perf::L1-DCACHE-LOADS"):
        done = dvbench("counters", "--counters", "sim", "--events", events, "--format", "csv", expect=(0, 4))
        if done.returncode == 0:
            row = next(row for row in rows_of(done.stdout) if row["source"] == "sim" and row["event"] == "perf::L1-DCACHE-LOADS")
            assert row["status"] == "cannot-simulate" and row["counted"] == "", row
            assert "warning: the simulator has no " in done.stderr and "perf::L1-DCACHE-LOADS" in done.stderr, done.stderr
    return rows


def test_usage():
    for arguments in (["counters", "--events", "perf::CYCLES,"], ["counters", "--counters", "some"], ["counters", "x"],
                      ["explain"], ["explain", "a", "b", "c", "d"], ["explain", "run", "--penalty", "-3"], ["simulate"]):
        dvbench(*arguments, expect=(2,))
    dvbench("simulate", "/nonexistent/job", expect=(3,))
    assert "simulate" not in dvbench("--help").stdout


def test_no_valgrind(folder):
    env = {"PATH": "/nonexistent"}
    rows = rows_of(dvbench("counters", "--format", "csv", env=env).stdout)
    assert {row["status"] for row in rows if row["source"] == "sim"} == {"no-valgrind"}
    done = dvbench("counters", "--counters", "sim", env=env, expect=(4,))
    assert "no-valgrind" in done.stderr and "install valgrind" in done.stderr
    done = sweep(os.path.join(folder, "never"), "sim", env=env, expect=(4,))
    assert "valgrind" in done.stderr, done.stderr


def sweep(path, mode, env=None, expect=(0,), kernels="expand_positions,direct_scalar", events=None):
    return dvbench("sweep", "--recipe", "uniform:rows=131072:seed=1", "--rates", "5%,12%", "--kernel", kernels,
                   "--sink", "row_ids", "--rounds", "6", "--min-time", "1us", "--counters", mode, *(["--events", events] if events else []), "--no-plots", "--quiet",
                   "--out", path, env=env, expect=expect)


def test_killed(folder):
    """A simulation that is killed with its program leaves nothing in the temporary folder."""
    temporary = os.path.join(folder, "tmp")
    os.mkdir(temporary)
    process = subprocess.Popen([PROGRAM, "counters", "--counters", "sim"], stdout=subprocess.DEVNULL, env=dict(os.environ, TMPDIR=temporary),
                               start_new_session=True)
    while process.poll() is None and not glob.glob(os.path.join(temporary, "*", "0", "job")):
        time.sleep(0.002)
    assert process.poll() is None, "it ended before it was killed"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for _ in range(1000):
        if not os.listdir(temporary):
            return
        time.sleep(0.01)
    assert not os.listdir(temporary)


def check_cells(rows, source):
    counted = ("instructions_per_row", "branches_per_row", "branch_misses_per_row", "core_cycles_per_row", "ipc")
    n_counted = 0
    for row in rows:
        empty = [name for name in counted if row[name] == ""]
        n_counted += len(counted) - len(empty)
        assert row["counter_source"] in (source, "step" if source == "sim" else source) or row["verdict"] != "ok", row
        assert (row["counter_status"] == "") == (not empty), row
        for part in filter(None, row["counter_status"].split(";")):
            assert part.split("=")[-1] in WORDS, row
    return n_counted


def test_sweeps(folder, sim_works):
    run = os.path.join(folder, "none")
    sweep(run, "none")
    rows = csv_files.read(os.path.join(run, "summary.csv"))
    assert check_cells(rows, "none") == 0
    assert {row["counter_status"] for row in rows} == {"not-asked"}
    text = explain(run)
    assert "no share of branch misses" in text and "instructions                          -" in text, text
    if not sim_works:
        return
    runs = [os.path.join(folder, name) for name in ("sim1", "sim2")]
    for run in runs:
        sweep(run, "sim")
    first, second = (csv_files.read(os.path.join(run, "counters.csv")) for run in runs)
    assert check_cells(csv_files.read(os.path.join(runs[0], "summary.csv")), "sim") > 0
    assert len(first) == len(second) > 0
    for a, b in zip(first, second):
        assert (a["cell"], a["event"], a["value_per_row"], a["status"]) == (b["cell"], b["event"], b["value_per_row"], b["status"])
        assert (a["value_per_row"] == "") == (a["status"] != "ok"), a
    assert "simulated" in explain(runs[0])
    # An event that only a PMU has is a row that says so, not a missing one.
    run = os.path.join(folder, "caches")
    sweep(run, "sim", events="caches")
    rows = [row for row in csv_files.read(os.path.join(run, "counters.csv")) if row["event"] == "perf::CACHE-MISSES"]
    assert rows and {(row["status"], row["value_per_row"]) for row in rows} == {("cannot-simulate", "")}, rows
    for name, warns in ((run, True), (runs[0], False)):
        with open(os.path.join(name, "run.json"), encoding="utf-8") as file:
            assert any("not counted" in text and "perf::CACHE-MISSES" in text for text in json.load(file)["warnings"]) == warns, name


def test_stepped(folder):
    """A kernel that callgrind cannot run has instructions, and nothing else; explain takes it beside a simulated one."""
    run = os.path.join(folder, "stepped")
    sweep(run, "auto", kernels="direct_avx512_base,direct_scalar")
    stepped = [row for row in csv_files.read(os.path.join(run, "summary.csv")) if row["kernel"] == "direct_avx512_base" and row["verdict"] == "ok"]
    if not stepped or stepped[0]["counter_source"] == "pmu":
        return  # no AVX-512, or a better source
    for row in stepped:
        assert row["counter_source"] == "step" and 0.3 < float(row["instructions_per_row"]) < 5, row
        assert all(row[name] == "" for name in ("branches_per_row", "branch_misses_per_row", "core_cycles_per_row", "ipc")), row
        assert row["counter_status"].startswith("branches=cannot-simulate;branch_misses=cannot-simulate;core_cycles="), row
    events = [row for row in csv_files.read(os.path.join(run, "counters.csv")) if row["source"] == "step"]
    assert {row["event"] for row in events} == {"instructions"} and len(events) == len(stepped), events
    for row in events:
        assert row["encoding"].startswith("single steps: batches=") and row["status"] == "ok", row
    cell = "direct_avx512_base/row_ids@uniform:rate="
    text = dvbench("explain", run, cell + "0.05", cell + "0.12").stdout
    assert "A runs" in text or "fewer instructions" in text, text
    assert "no share of branch misses: core cycles were not counted" in text, text
    text = dvbench("explain", run, "direct_scalar/row_ids@uniform:rate=0.05", cell + "0.05").stdout
    assert "counters: step (only instructions" in text and "times the instructions of B" in text, text
    row = csv_files.read(os.path.join(run, "explain.csv"))[0]
    assert row["source"] == "sim+step" and row["share_pct"] == "" and float(row["instructions_ratio"]) > 1, row
    assert row["delta_branches"] == "" and row["delta_branch_misses"] == "", row
    with open(dvbench("report", run).stdout.split("\n")[0].split()[-1], encoding="utf-8") as file:
        assert "step where a kernel cannot be simulated" in file.read()


def explain(run, *more):
    return dvbench("explain", run, "direct_scalar/row_ids@uniform:rate=0.05", "direct_scalar/row_ids@uniform:rate=0.12", *more).stdout


def test_article(folder):
    """The article's raw counts in a run's files: the share that it states, with the penalty that it assumes."""
    run = os.path.join(folder, "none")
    summary = os.path.join(run, "summary.csv")
    rows = csv_files.read(summary)
    counts = {"0.05": (393831.4, 1849863, 483228, 381.34), "0.12": (92786.1, 432446, 89198, 145.94)}
    for row in rows:
        rate = "0.05" if "rate=0.05" in row["dv"] else "0.12"
        cycles, instructions, branches, misses = (value / 5000 for value in counts[rate])
        row.update(counter_source="pmu", counter_status="", core_cycles_per_row=cycles, instructions_per_row=instructions,
                   branches_per_row=branches, branch_misses_per_row=misses, ipc=instructions / cycles)
    csv_files.write(summary, rows)
    assert "--penalty CYCLES" in explain(run)
    text = explain(run, "--penalty", "18")
    assert "explain 1.41 % of the difference" in text and "as given" in text, text
    csv_files.write(os.path.join(run, "counters.csv"), [
        dict(schema=rows[0]["schema"], run="none", cell="calibration", event=event, encoding="", source="pmu", value_per_row=value,
             status="ok", **{"pass": 0})
        for event, value in (("miss_penalty", 18), ("miss_penalty_low", 15), ("miss_penalty_high", 20))])
    text = explain(run)
    assert "explain 1.41 % of the difference in core cycles [1.17, 1.56]" in text, text
    assert "marginal IPC 4.71" in text, text
    names = re.findall(r"^  [AB]  (.+)$", text, re.M)
    assert len(names) == 2 and dvbench("explain", run, *names).stdout == text, names
    row = csv_files.read(os.path.join(run, "explain.csv"))[0]
    assert abs(float(row["share_pct"]) - 1.41) < 0.005 and row["source"] == "pmu", row
    assert dvbench("explain", run, row["a"], row["b"], "--csv", "-").stdout == text, row
    assert row["schema"] == rows[0]["schema"] and row["run"] == "none", row
    hashes = [row["cell"] for row in rows if row["kernel"] == "direct_scalar"]
    assert "explain 1.41 %" in dvbench("explain", run, *hashes, "--csv", "-").stdout
    dvbench("explain", run, "direct_scalar/row_ids@uniform", hashes[0], expect=(2,))
    dvbench("explain", os.path.join(folder, "missing"), expect=(1, 3))


def main():
    rows = test_counters_command()
    test_usage()
    with tempfile.TemporaryDirectory() as folder:
        test_no_valgrind(folder)
        works = {source: any(row["source"] == source and row["status"] == "ok" for row in rows) for source in ("sim", "step")}
        test_sweeps(folder, works["sim"])
        test_article(folder)
        if works["sim"]:
            test_killed(folder)
        if works["sim"] and works["step"]:  # steps stand in for the simulator, which cannot run a sanitizer's build
            test_stepped(folder)


if __name__ == "__main__":
    main()
