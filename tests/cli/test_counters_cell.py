#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`counters --cell` on made-up runs: what follows from the counts of one cell. argv: dvbench, the source tree."""
import csv
import io
import os
import subprocess
import sys

import csv_files
import folder_tests

PROGRAM = os.path.abspath(sys.argv[1])
MAKE_RUN = os.path.join(os.path.abspath(sys.argv[2]), "tests", "lib", "make_run.py")
CELL = "per_row/%s@article:bp=1200"


def counters(*arguments, expect=0):
    done = subprocess.run([PROGRAM, "counters", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == expect, (done.returncode, arguments, done.stdout, done.stderr)
    return done


def metrics(run, cell):
    rows = csv.DictReader(io.StringIO(counters("--cell", cell, run, "--format", "csv").stdout))
    return {(row["metric"], row["unit"]): row["value"] for row in rows}


def near(found, expected):
    assert abs(float(found) / expected - 1) < 0.01, (found, expected)


def the_cell(run):
    return next(row for row in csv_files.read(os.path.join(run, "summary.csv"))
                if row["kernel"] == "per_row" and row["sink"] == "row_ids" and ":bp=1200:" in row["dv"])


def add_counts(run, cell, values):
    path = os.path.join(run, "counters.csv")
    with open(path, newline="", encoding="utf-8") as file:
        names = csv.DictReader(file).fieldnames
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
        for event, (value, status) in values.items():
            writer.writerow({"schema": "2", "cell": cell, "event": event, "source": "pmu", "pass": 1, "value_per_row": value,
                             "status": status})


def test_metrics_of_a_pmu(folder):
    run = os.path.join(folder, "pmu")
    subprocess.run([sys.executable, MAKE_RUN, run, "--counters", "pmu"], check=True)
    row = the_cell(run)
    add_counts(run, row["cell"], {"perf::L1-DCACHE-LOADS": (8, "ok"), "perf::L1-DCACHE-LOAD-MISSES": (0.5, "ok"),
                                  "perf::CACHE-REFERENCES": ("", "not-scheduled"), "perf::CACHE-MISSES": (0.25, "ok")})
    found = metrics(run, CELL % "row_ids")
    near(found["time", "ns per row"], float(row["ns_per_row"]))
    near(found["instructions per cycle", ""], float(row["ipc"]))
    near(found["branch misses", "% of branches"], 100 * float(row["branch_misses_per_row"]) / float(row["branches_per_row"]))
    near(found["first-level cache misses", "% of loads"], 6.25)
    near(found["clock", "core cycles per ns"], 3.7)
    near(found["answer written", "bytes per cycle"], 4 * 0.88 / float(row["core_cycles_per_row"]))
    near(found["vector", "bytes per ns"], int(row["dv_bytes"]) / int(row["rows"]) / float(row["ns_per_row"]))
    near(metrics(run, CELL % "is_deleted")["answer written", "bytes per ns"],
         1 / float(metrics(run, CELL % "is_deleted")["time", "ns per row"]))
    # What was not counted has a reason, and nothing follows from it.
    assert found["perf::CACHE-REFERENCES", "not-scheduled"] == ""
    assert not any(metric == "last-level cache misses" for metric, _ in found)
    text = counters("--cell", row["cell"], run).stdout
    assert text.startswith("per_row/row_ids@article") and "counted by pmu" in text and text.count("\n") < 30, text
    assert "not counted: not-scheduled" in text, text


def test_simulated_and_uncounted_cells_have_no_cycles(folder):
    for source in ("sim", "none"):
        run = os.path.join(folder, source)
        subprocess.run([sys.executable, MAKE_RUN, run, "--counters", source], check=True)
        found = metrics(run, CELL % "row_ids")
        assert ("instructions per cycle", "") not in found and ("clock", "core cycles per ns") not in found
        assert (("branch misses", "% of branches") in found) == (source == "sim")
    counters("--cell", "per_row", run, expect=2)
    counters("--cell", CELL % "row_ids", expect=2)
    counters("--cell", CELL % "row_ids", os.path.join(folder, "absent"), expect=3)


folder_tests.run(globals())
