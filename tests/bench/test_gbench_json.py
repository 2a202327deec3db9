#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON file that stays open over many runs: valid at every moment, and paired by Google Benchmark's own compare.py.

usage: test_gbench_json.py json WRITER       the file itself
       test_gbench_json.py compare WRITER    compare.py on two of them; exit 77 where it or scipy is missing
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

NAMES = ["per_row/row_ids", "for_each_in_range/row_ids", "per_row/touch"]
ROUNDS = 9
KILLED_ROUNDS = 6


def write(writer, path, *more):
    return subprocess.run([writer, path, *more]).returncode


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def check_file(writer, folder):
    path = os.path.join(folder, "a.json")
    assert write(writer, path) == 0
    document = load(path)
    assert document["context"]["croaring"] == "4.6.1", document["context"]
    runs = document["benchmarks"]
    assert len(runs) == ROUNDS * len(NAMES), len(runs)
    for name in NAMES:
        mine = [run for run in runs if run["name"] == name]
        assert [run["repetition_index"] for run in mine] == list(range(ROUNDS)), mine
        assert all(run["run_name"] == name and run["run_type"] == "iteration" for run in mine), mine
        assert len({run["family_index"] for run in mine}) == 1, mine
        assert mine[0]["iterations"] == 4 and mine[0]["time_unit"] == "ns", mine[0]


def check_killed(writer, folder):
    path = os.path.join(folder, "killed.json")
    assert write(writer, path, "kill") == -9
    assert len(load(path)["benchmarks"]) == KILLED_ROUNDS * len(NAMES)


def check_unwritable(writer, folder):
    assert write(writer, os.path.join(folder, "none", "a.json")) == 1
    if os.path.exists("/dev/full"):
        assert write(writer, "/dev/full") == 1


def check_pipe(writer, folder):
    done = subprocess.run([writer, "/dev/stdout"], stdout=subprocess.PIPE)
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["benchmarks"]) == ROUNDS * len(NAMES)


def check_environment(writer, folder):
    """The environment can make the library exit, print, or open files; the binding does not let it."""
    other = os.path.join(folder, "other.json")
    odd = dict(BENCHMARK_OUT=other, BENCHMARK_FORMAT="xml", BENCHMARK_OUT_FORMAT="xml", BENCHMARK_TIME_UNIT="h",
               BENCHMARK_MIN_TIME="5q", BENCHMARK_COLOR="", BENCHMARK_FILTER="(", BENCHMARK_LIST_TESTS="true")
    path = os.path.join(folder, "environment.json")
    done = subprocess.run([writer, path], env=dict(os.environ, **odd), capture_output=True, text=True)
    assert done.returncode == 0 and len(load(path)["benchmarks"]) == ROUNDS * len(NAMES), done.stderr
    assert not os.path.exists(other) and done.stdout == "", done.stdout


def find_python():
    """An interpreter that has scipy: the distribution's package belongs to the distribution's python."""
    for python in [sys.executable, "/usr/bin/python3"]:
        if os.path.exists(python) and subprocess.run([python, "-c", "import scipy, numpy"],
                                                     stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


def write_timed(writer, path, factor):
    """The file with times that are known, so that what compare.py makes of them is."""
    assert write(writer, path) == 0
    document = load(path)
    for run in document["benchmarks"]:
        place = NAMES.index(run["name"]) + 1
        run["real_time"] = run["cpu_time"] = 100 * factor * place * (1 + run["repetition_index"] / 1000)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)


def check_compare(writer, folder):
    tools = sorted(glob.glob("/usr/share/benchmark*/compare.py"))
    python = find_python()
    if not tools or not python:
        print("compare.py of libbenchmark-tools or python3-scipy is not installed")
        sys.exit(77)
    old, new = os.path.join(folder, "old.json"), os.path.join(folder, "new.json")
    write_timed(writer, old, 1.0)
    write_timed(writer, new, 0.5)
    done = subprocess.run([python, tools[0], "--no-color", "benchmarks", old, new], capture_output=True, text=True)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    for name in NAMES:
        paired = re.findall(rf"^{re.escape(name)}\s+-0\.5000\s", done.stdout, re.M)
        assert len(paired) == ROUNDS, (name, len(paired))
        assert re.search(rf"^{re.escape(name)}_pvalue\s+0\.00\d\d\s.*U Test, Repetitions: 9 vs 9", done.stdout, re.M), name


def main():
    what, writer = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        checks = {"json": [check_file, check_killed, check_unwritable, check_pipe, check_environment], "compare": [check_compare]}
        for check in checks[what]:
            check(writer, folder)


if __name__ == "__main__":
    main()
