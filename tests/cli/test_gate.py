#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`gate` on made-up runs: what it judges by, when it cannot judge, and its forms of output. argv: dvbench, the source tree."""
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import csv_files
import folder_tests

PROGRAM = os.path.abspath(sys.argv[1])
MAKE_RUN = os.path.join(os.path.abspath(sys.argv[2]), "tests", "lib", "make_run.py")


def make_run(folder, name, *options):
    path = os.path.join(folder, name)
    subprocess.run([sys.executable, MAKE_RUN, path, *options], check=True)
    return path


def copy_run(source, name, file, change):
    target = os.path.join(os.path.dirname(source), name)
    shutil.copytree(source, target)
    csv_files.rewrite(os.path.join(target, file + ".csv"), change)
    return target


def gate(*arguments, expect=0):
    done = subprocess.run([PROGRAM, "gate", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == expect, (done.returncode, arguments, done.stdout[-2000:], done.stderr)
    return done.stdout if expect != 2 else done.stderr


def slower(row, kernel, column, factor):
    return dict(row, **{column: str(factor * float(row[column]))}) if row["kernel"] == kernel and row[column] else row


def test_instructions_are_judged_where_both_runs_counted_them(folder):
    a = make_run(folder, "a")
    more = copy_run(a, "more", "summary", lambda row: slower(row, "per_row", "instructions_per_row", 1.1))
    said = gate(a, more, expect=1)
    assert "gate: 24 cells slower in B" in said and "1.1000 by instructions" in said, said
    assert "gate: passed" in gate(a, more, "--by", "time")
    # The same instructions in more time: listed, not counted, unless time is asked for.
    late = copy_run(a, "late", "samples", lambda row: slower(row, "per_row", "ns_per_row", 1.5))
    said = gate(a, late)
    assert said.count("by instructions, but slower in time") == 24 and "24 of them slower only in time" in said, said
    assert "gate: 24 cells slower in B" in gate(a, late, "--by", "time", expect=1)
    # Counted over other batches, or by another source: not comparable, so the time decides.
    for name, file, change in (("batches", "counters", lambda row: dict(row, encoding="single steps: batches=2")),
                               ("source", "summary", lambda row: dict(row, counter_source="pmu"))):
        other = copy_run(more, name, file, change)
        assert "by instructions" not in gate(a, other), name


def test_noise_that_hides_a_regression_has_an_exit_of_its_own(folder):
    a = make_run(folder, "a", "--counters", "none")
    loud = copy_run(a, "loud", "summary", lambda row: dict(row, noise_floor_pct="40"))
    shutil.copy(os.path.join(make_run(folder, "slow", "--counters", "none", "--slow", *(
        f"{kernel}=1.2" for kernel in ("per_row", "per_row_raw", "per_row_bulk", "per_row_branchless"))), "samples.csv"), loud)
    csv_files.rewrite(os.path.join(loud, "summary.csv"), lambda row: row)
    cells = {row["kernel"] + row["dv"] + row["sink"]: row["cell"] for row in rows_of(a, "summary")}
    csv_files.rewrite(os.path.join(loud, "samples.csv"), lambda row: dict(row, cell=cells[row["kernel"] + row["dv"] + row["sink"]]))
    said = gate(a, loud, expect=5)
    assert "96 of 504 cells are too noisy to judge" in said and "gate: too noisy to judge" in said, said
    assert gate(a, loud, "--threshold", "30").endswith("gate: passed\n")
    # Where something is wrong as well, that is the answer.
    csv_files.rewrite(os.path.join(loud, "summary.csv"),
            lambda row: dict(row, verdict="wrong") if row["kernel"] == "direct_avx512" else row)
    assert "gate: stopped" in gate(a, loud, expect=1)
    # A single noisy kernel of 21 is not enough.
    one = copy_run(a, "one", "samples", lambda row: slower(row, "per_row", "ns_per_row", 1.2))
    csv_files.rewrite(os.path.join(one, "summary.csv"), lambda row: dict(row, noise_floor_pct="40"))
    said = gate(a, one)
    assert "24 too noisy" in said and "gate: passed" in said, said


def rows_of(run, file):
    return csv_files.read(os.path.join(run, file + ".csv"))


def test_a_noise_floor_that_is_not_known_has_no_number(folder):
    a = make_run(folder, "a", "--counters", "none")
    csv_files.rewrite(os.path.join(a, "summary.csv"), lambda row: dict(row, noise_floor_pct=""))
    said = gate(a, a, expect=1)
    assert "not judgeable" in said and "nan" not in said, said


def test_counters_that_cannot_be_read_are_not_none(folder):
    a = make_run(folder, "a")
    with open(os.path.join(a, "counters.csv"), "w", encoding="utf-8") as file:
        file.write("not,a,header\n")
    for command in (["report", a], ["plot", a, "--figure", "cliff"], ["explain", a], ["gate", a, a], ["counters", "--cell", "per_row", a]):
        done = subprocess.run([PROGRAM, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 3 and "counters.csv" in done.stderr, (command, done)


def test_a_second_baseline_is_the_floor(folder):
    a = make_run(folder, "a", "--counters", "none")
    again = copy_run(a, "again", "samples", lambda row: slower(row, "per_row", "ns_per_row", 1.25))
    b = copy_run(a, "b", "samples", lambda row: slower(row, "direct_avx512", "ns_per_row", 1.2))
    said = gate(a, b, expect=1)
    assert "--baseline-again RUN" in said and "24 cells slower" in said, said
    # One kernel of 21 that differs is its own floor and nobody else's.
    said = gate(a, b, "--baseline-again", again, expect=1)
    floor, largest = map(float, re.search(r"by up to (\S+) % in nine cells of ten and by up to (\S+) % in one", said).groups())
    assert floor < 5 and 20 < largest <= 25 and "24 cells slower" in said, said
    late = copy_run(a, "late", "samples", lambda row: slower(row, "per_row", "ns_per_row", 1.2))
    assert "24 too noisy" in gate(a, late, "--baseline-again", again)
    worse = copy_run(a, "worse", "samples", lambda row: slower(row, "per_row", "ns_per_row", 1.4))
    assert "24 cells slower" in gate(a, worse, "--baseline-again", again, expect=1)
    # It need not be slower in one direction.
    fast = copy_run(a, "fast", "samples", lambda row: slower(row, "per_row", "ns_per_row", 0.8))
    assert "24 too noisy" in gate(a, late, "--baseline-again", fast)
    # Where more than a tenth of the cells differ, that is the floor of all.
    other_day = copy_run(a, "other_day", "samples", lambda row: dict(row, ns_per_row=str(1.25 * float(row["ns_per_row"])))
                         if row["kernel"] > "e" else row)
    assert "24 too noisy" in gate(a, b, "--baseline-again", other_day)
    # A run without a noise floor of its own has this one.
    quiet = copy_run(a, "quiet", "summary", lambda row: dict(row, noise_floor_pct=""))
    gate(a, quiet, expect=1)
    gate(a, quiet, "--baseline-again", again)
    assert "own samples" in gate(a, b, "--baseline-again", a, expect=2)
    other = make_run(folder, "other", "--counters", "none", "--seed", "2", "--croaring", "4.7.0")
    assert "second run is from another machine or build" in gate(a, b, "--baseline-again", other, "--threshold", "50", expect=1)


def test_every_form_says_the_same(folder):
    a = make_run(folder, "a", "--counters", "none")
    csv_files.rewrite(os.path.join(a, "summary.csv"), lambda row: dict(row, dv='a<b>&"c|\x01\ufffe.bin' + row["axis_value"])
            if row["kernel"] == "per_row" else row)
    b = copy_run(a, "b", "samples", lambda row: slower(row, "per_row_bulk", "ns_per_row", 1.5))
    with open(os.path.join(b, "run.json"), encoding="utf-8") as file:
        run = json.load(file)
    with open(os.path.join(b, "run.json"), "w", encoding="utf-8") as file:
        json.dump(dict(run, croaring="4.7 <&>"), file)
    tree = xml.etree.ElementTree.fromstring(gate(a, b, "--format", "junit", expect=1).encode())
    suite = tree.find("testsuite")
    assert int(suite.get("tests")) == len(suite.findall("testcase")) == 1 + 21 * 24
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure")) == 1 + 24
    assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))
    assert any('@a<b>&"c|%01' in case.get("name") for case in suite.iter("testcase"))
    assert any("4.7 <&>" in found.get("value") for found in suite.iter("property"))
    found = json.loads(gate(a, b, "--format", "json", expect=1))
    assert found["result"] == "stopped" and found["counts"]["slower"] == 24 and len(found["cells"]) == 21 * 24
    assert sum(cell["verdict"] == "slower" and cell["low"] > 1.4 for cell in found["cells"]) == 24
    assert "4.7 <&>" in found["differences"][0] and len(found["reasons"]) == 2 and found["baseline_again_pct"] is None
    assert {cell["by"] for cell in found["cells"]} == {"time"}
    text = gate(a, b, "--format", "md", expect=1)
    assert text.startswith("# dvbench gate: stopped\n") and len(re.findall(r"^\| slower ", text, re.M)) == 24, text[:3000]
    assert "24 cells slower in B" in text
    assert "gate: passed" in gate(a, b, "--threshold", "60", "--allow-differences")
    passed = xml.etree.ElementTree.fromstring(gate(a, a, "--format", "junit").encode())
    assert passed.find("testsuite").get("failures") == "0"
    noisy = copy_run(b, "noisy", "summary", lambda row: dict(row, noise_floor_pct="80"))
    for kernel in ("per_row_raw", "direct_avx2"):
        csv_files.rewrite(os.path.join(noisy, "samples.csv"), lambda row, k=kernel: slower(row, k, "ns_per_row", 1.5))
    noisy_xml = xml.etree.ElementTree.fromstring(
        gate(a, noisy, "--allow-differences", "--format", "junit", expect=5).encode()).find("testsuite")
    assert noisy_xml.get("failures") == "0" and int(noisy_xml.get("skipped")) == 1 + 3 * 24
    assert len(noisy_xml.findall("testcase/skipped")) == 1 + 3 * 24
    gate(a, b, "--format", "html", expect=2)


def test_the_first_lines_say_what_differs(folder):
    a = make_run(folder, "a")
    b = shutil.copytree(a, os.path.join(folder, "b"))
    for run, commit, flags, load in ((a, "aaa1", "-O2", 0.1), (b, "bbb2", "-O3", 3.5)):
        path = os.path.join(run, "run.json")
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        facts.update(builds={"dvbench": {"git_commit": commit, "flags": flags}}, machine_details={"load_1min": load})
        with open(path, "w", encoding="utf-8") as file:
            json.dump(facts, file)
    lines = gate(a, b, expect=1).splitlines()
    assert lines[:3] == ["the runs differ in the compiler flags: A -O2, B -O3", "the runs differ in the commit: A aaa1, B bbb2",
                         "the runs differ in the load of the machine: A 0.1, B 3.5"], lines[:4]
    assert "gate: the runs are from different machines or builds" in "\n".join(lines)
    assert json.loads(gate(a, b, "--allow-differences", "--format", "json"))["differences"] == lines[:3]


folder_tests.run(globals())
