#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`versions`: what alternated runs become; no time is asserted. argv: dvbench."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import csv_files

PROGRAM = os.path.abspath(sys.argv.pop(1))
SWEEP = ["--", "--recipe", "uniform:rate=5%:rows=65536", "--kernel", "per_row,for_each_in_range", "--sink", "row_ids,is_deleted",
         "--rounds", "3", "--starts", "2", "--min-time", "100us", "--counters", "none", "--quiet"]


def versions(*words, sweep=SWEEP):
    return subprocess.run([PROGRAM, "versions", *words, *sweep], capture_output=True, text=True, timeout=200)


class Versions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = self.folder.name + "/run"
        self.other = self.folder.name + "/other"
        with open(self.other, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/sh\nexec {PROGRAM} "$@"\n')
        os.chmod(self.other, 0o755)

    def rows(self):
        return csv_files.read(self.out + "/versions.csv")

    def report(self):
        with open(self.out + "/report.md", encoding="utf-8") as file:
            return file.read()

    def test_a_program_against_itself(self):
        done = versions(PROGRAM, self.other, "--out", self.out, "--no-plots", "--threshold", "100000")
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        rows = self.rows()
        self.assertEqual([row["side"] for row in rows], ["b"] * 4 + ["a-again"] * 4)
        self.assertEqual({(row["kernel"], row["sink"]) for row in rows[:4]}, {(row["kernel"], row["sink"]) for row in rows[4:]})
        self.assertEqual({row["verdict"] for row in rows}, {"cannot_tell"})
        for row in rows:
            self.assertEqual((row["samples"], row["noise_floor_pct"]), ("6", "100000"))
            self.assertEqual(row["version"].split("/"), [row["base"].split("/")[0], row["side"]])
            self.assertLessEqual(float(row["ratio_low"]), float(row["ratio"]))
            self.assertLessEqual(float(row["ratio"]), float(row["ratio_high"]))
        times = {(row["kernel"], row["sink"]): row["ns_per_row"] for row in csv_files.read(self.out + "/b/summary.csv")}
        self.assertEqual({(row["kernel"], row["sink"]): row["ns_per_row"] for row in rows[:4]}, times)
        report = self.report()
        self.assertIn("of 4 cells 0 are faster, 0 slower", report)
        self.assertEqual(report.count("| per_row |"), 2)  # a row per sink; a-again only in the noise floor
        self.assertTrue(os.path.exists(self.out + "/report.html"))
        if shutil.which("gnuplot"):
            subprocess.run([PROGRAM, "plot", self.out, "--figure", "versions.2"], check=True, capture_output=True, timeout=100)
            self.assertEqual([name for name in os.listdir(self.out + "/plots") if name.endswith(".svg")], ["versions.2.svg"])
            drawn = subprocess.run([PROGRAM, "plot", self.out], capture_output=True, text=True, timeout=100)
            self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
            for number in "12":
                with open(f"{self.out}/plots/versions.{number}.svg", encoding="utf-8") as file:
                    picture = file.read()
                self.assertIn("/a-again", picture)
                self.assertIn("for_each_in_range", picture)
            subprocess.run([PROGRAM, "report", self.out], check=True, capture_output=True, timeout=100)
            self.assertIn("plots/versions.2.svg", self.report())

    def test_slower_and_continued(self):
        with open(self.other, "w", encoding="utf-8") as script:
            script.write("#!/bin/sh\nexit 130\n")
        first = versions(PROGRAM, self.other, "--out", self.out, "--no-plots", "--threshold", "90")
        self.assertEqual(first.returncode, 130, first.stderr)
        self.assertIn("versions --resume", first.stderr)
        with open(self.other, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/sh\nexec {PROGRAM} "$@"\n')
        done = versions("--resume", self.out, sweep=[])
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        csv_files.rewrite(self.out + "/b/samples.csv", lambda row: dict(row, ns_per_row=str(
            float(row["ns_per_row"]) * (100 if row["kernel"] == "per_row" else 0.01))))
        done = versions("--resume", self.out, sweep=[])  # nothing is left to measure: judged once more
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        verdicts = {(row["side"], row["kernel"]): row["verdict"] for row in self.rows()}
        self.assertEqual(verdicts, {("b", "per_row"): "slower", ("b", "for_each_in_range"): "faster",
                                    ("a-again", "per_row"): "cannot_tell", ("a-again", "for_each_in_range"): "cannot_tell"})
        self.assertIn("of 4 cells 2 are faster, 2 slower", self.report())
        refused = subprocess.run([PROGRAM, "ab", "--resume", self.out], capture_output=True, text=True, timeout=60)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("a run of versions, not of ab", refused.stderr)

    def test_refusals(self):
        for words, sweep, code, text in (((PROGRAM,), [], 2, "2 to"), ((PROGRAM, "system"), [], 3, "system"),
                                         ((PROGRAM, PROGRAM, "--threshold", "-1"), [], 2, "--threshold"),
                                         ((PROGRAM, PROGRAM), ["--", "--resume", "x"], 2, "--resume")):
            done = versions(*words, sweep=sweep)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1), done.stderr)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
