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

PROGRAM = os.path.abspath(sys.argv.pop(1))
SWEEP = ["--", "--recipe", "uniform:rate=5%:rows=65536", "--kernel", "per_row,for_each_in_range", "--sink", "row_ids",
         "--rounds", "3", "--starts", "2", "--min-time", "100us", "--counters", "none", "--quiet"]


def ab(*words, sweep=SWEEP):
    return subprocess.run([PROGRAM, "ab", *words, *sweep], capture_output=True, text=True, timeout=100)


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

    def test_what_was_measured_is_kept(self):
        with open(self.other, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/sh\n[ -e {self.log} ] || {{ touch {self.log}; exit 130; }}\nexec {PROGRAM} "$@"\n')
        self.assertEqual(ab(PROGRAM, self.other, "--out", self.out).returncode, 130)
        again = ab(PROGRAM, self.other, "--out", self.out)
        self.assertEqual((again.returncode, again.stderr.count("\n")), (2, 1), again.stderr)
        self.assertIn("--resume", again.stderr)
        done = ab(PROGRAM, self.other, "--resume", self.out, "--threshold", "100000")
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        self.assertEqual(self.samples("a"), self.samples("b"))
        self.assertEqual(set(self.samples("a").values()), {1})

    def test_refusals(self):
        for words, sweep, code, text in (((PROGRAM,), [], 2, "2 to"), ((PROGRAM, "/no/such"), [], 3, "/no/such"),
                                         ((PROGRAM, self.folder.name), [], 3, "no program"),
                                         ((PROGRAM, PROGRAM, "--threshold", "x"), [], 2, "--threshold"),
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
