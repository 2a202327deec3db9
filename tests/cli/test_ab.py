#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ab`: the accounting of alternated runs; no time is asserted. argv: dvbench."""
import collections
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM = os.path.abspath(sys.argv.pop(1))
SWEEP = ["--", "--recipe", "uniform:rate=5%:rows=65536", "--kernel", "per_row,for_each_in_range", "--sink", "row_ids",
         "--rounds", "3", "--starts", "2", "--min-time", "100us", "--quiet"]


def ab(*words, sweep=SWEEP):
    return subprocess.run([PROGRAM, "ab", *words, *sweep], capture_output=True, text=True, timeout=200)


class Ab(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = self.folder.name + "/run"
        self.other = self.folder.name + "/other"
        self.log = self.folder.name + "/log"
        with open(self.other, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/sh\necho "$*" >>{self.log}\nexec {PROGRAM} "$@"\n')
        os.chmod(self.other, 0o755)

    def samples(self, side):
        with open(f"{self.out}/{side}/samples.csv", encoding="utf-8") as file:
            return collections.Counter((r["kernel"], r["start"], r["round"]) for r in csv.DictReader(file))

    def test_every_side_has_the_same_samples(self):
        done = ab(PROGRAM, self.other, "--out", self.out, "--all", "--threshold", "100000")
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        self.assertIn("gate: passed", done.stdout)
        self.assertIn("for_each_in_range/row_ids", done.stdout)
        samples = self.samples("a")
        self.assertEqual({key[1:] for key in samples}, {(s, r) for s in "01" for r in "012"})
        self.assertEqual(set(samples.values()), {1})
        self.assertEqual(samples, self.samples("b"))
        self.assertEqual(samples, self.samples("a-again"))
        order = re.findall(r"^process start \d of 2: (\S+)$", done.stderr, re.M)
        self.assertEqual(sorted(order[:3]), ["a", "a-again", "b"])
        self.assertEqual(order[3:], order[2::-1])
        with open(self.log, encoding="utf-8") as log:
            self.assertEqual(len(log.readlines()), 2)  # only b is the other program
        gate = subprocess.run([PROGRAM, "gate", self.out + "/a", self.out + "/b", "--baseline-again", self.out + "/a-again",
                               "--format", "json", "--by", "time"], capture_output=True, text=True, timeout=60)
        self.assertIsNotNone(json.loads(gate.stdout)["baseline_again_pct"])

    def test_events_are_counted_only_where_asked_for(self):
        for words, source in (([], {"none"}), (["--counters", "sim"], {"sim"})):
            out = f"{self.folder.name}/{len(words)}"
            done = ab(PROGRAM, PROGRAM, "--out", out, "--threshold", "100000", sweep=SWEEP + words)
            self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
            with open(out + "/b/summary.csv", encoding="utf-8") as file:
                self.assertEqual({r["counter_source"] for r in csv.DictReader(file) if r["kernel"] == "per_row"}, source)

    def test_what_was_measured_is_kept(self):
        with open(self.other, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/sh\n[ -e {self.log} ] || {{ touch {self.log}; exit 130; }}\nexec {PROGRAM} "$@"\n')
        self.assertEqual(ab(PROGRAM, self.other, "--out", self.out, "--threshold", "100000").returncode, 130)
        again = ab(PROGRAM, self.other, "--out", self.out)
        self.assertEqual((again.returncode, again.stderr.count("\n")), (2, 1), again.stderr)
        self.assertIn("--resume", again.stderr)
        before = self.samples("a")
        done = ab("--resume", self.out, sweep=[])  # programs, threshold and sweep's options are in run.json
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        self.assertLessEqual(before, self.samples("a"))
        self.assertEqual(self.samples("a"), self.samples("b"))
        self.assertEqual(set(self.samples("a").values()), {1})

    def slow_program(self, where):
        """One that makes its own samples slower a hundredfold, in folders whose path matches `where`."""
        with open(self.other, "w", encoding="utf-8") as script:
            script.write(f"""#!{sys.executable}
import csv, re, subprocess, sys
words = sys.argv[1:]
code = subprocess.run(["{PROGRAM}", *words]).returncode
out, start = (words[words.index(name) + 1] for name in ("--out", "--start"))
if code == 0 and re.search({where!r}, out):
    with open(out + "/samples.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["start"] == start:
            row["ns_per_row"] = str(100 * float(row["ns_per_row"]))
    with open(out + "/samples.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\\n")
        writer.writeheader()
        writer.writerows(rows)
sys.exit(code)
""")

    def test_slower_is_what_is_so_both_times(self):
        self.slow_program("/(again-b/)?b$")
        done = ab(PROGRAM, self.other, "--out", self.out, "--threshold", "1000", "--format", "json")
        self.assertEqual(done.returncode, 1, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual([cell["verdict"] for cell in found["cells"]], ["slower"] * 2)
        self.assertIn("measured again: 2 cells that were slower or too noisy; 2 slower both times", found["trust"])
        self.assertIn(self.other, found["differences"][0])
        again = self.samples("again-b/b")
        self.assertEqual({key[1] for key in again}, set("0123"))
        self.assertEqual(again, self.samples("again-b/a"))
        self.assertEqual(again, self.samples("again-b/a-again"))

    def test_slower_once_is_not_slower(self):
        self.slow_program("(?<!again-b)/b$")
        done = ab(PROGRAM, self.other, "--out", self.out, "--threshold", "1000", "--format", "md")
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        self.assertTrue(done.stdout.startswith("# dvbench gate: passed\n"), done.stdout)
        self.assertIn("0 slower both times", done.stdout)
        junit = ab("--resume", self.out, "--format", "junit", sweep=[])
        suite = xml.etree.ElementTree.fromstring(junit.stdout).find("testsuite")
        self.assertEqual((junit.returncode, suite.get("tests"), suite.get("failures")), (0, "3", "0"))

    def test_refusals(self):
        for words, sweep, code, text in (((PROGRAM,), [], 2, "2 to"), ((PROGRAM, "/no/such"), [], 3, "/no/such"),
                                         ((PROGRAM, self.folder.name), [], 3, "no program"),
                                         ((PROGRAM, PROGRAM, "--threshold", "x"), [], 2, "--threshold"),
                                         ((PROGRAM, PROGRAM, PROGRAM, "--format", "md"), [], 2, "two programs"),
                                         (("--resume", self.folder.name), [], 3, "run.json"),
                                         ((PROGRAM, PROGRAM), ["--", "--out", "x"], 2, "--out"),
                                         ((PROGRAM, PROGRAM), ["--", "--rounds", "x"], 2, "--rounds")):
            done = ab(*words, sweep=sweep)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1), done.stderr)
            self.assertIn(text, done.stderr)
        with open(self.other, "w", encoding="utf-8") as script:
            script.write("#!/bin/sh\nexit 7\n")
        done = ab(PROGRAM, self.other, "--out", self.out)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("exit code 7", done.stderr)


if __name__ == "__main__":
    unittest.main()
