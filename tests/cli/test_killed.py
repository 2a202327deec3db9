# SPDX-License-Identifier: Apache-2.0
"""Real sweeps, ended at random moments and resumed: each has in the end the cells and samples of one that nobody disturbed."""
import csv
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
TINY = ["--recipe", "uniform:rows=50000", "--rates", "0.01,0.07", "--sink", "row_ids,is_deleted", "--kernel", "per_row,direct_scalar",
        "--rounds", "6", "--min-time", "100us", "--no-plots", "--quiet"]
SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP]
# What a cell is, as opposed to what a clock said of it.
SAME = ("dv", "dv_digest", "rows", "deleted", "kernel", "sink", "batch_rows", "batches", "mode", "verdict", "reason", "samples", "state_bytes",
        "counter_source", "counter_status", "instructions_per_row", "branches_per_row")


def rows(path):
    """The rows of a CSV; none of a file that is not there. A last line without its end was cut by the kill."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return list(csv.DictReader(text[:text.rfind("\n") + 1].splitlines()))


def cells(run):
    return {row["cell"]: {column: row[column] for column in SAME} for row in rows(run / "summary.csv")}


def keys(run):
    """Which samples there are. Which kernel of a block is timed twice depends on the clock; that one is, does not."""
    samples = rows(run / "samples.csv")
    found = [("twin of " + row["dv"] if row["kernel"].endswith("_aa") else row["cell"], row["sink"], row["start"], row["round"]) for row in samples]
    assert len({(row["cell"], row["start"], row["round"]) for row in samples}) == len(samples), "a sample twice"
    return sorted(found)


class Killed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.chance = random.Random()

    def sweep(self, run, *words):
        return subprocess.Popen([PROGRAM, "sweep", *TINY, *words, "--out", str(run)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def resume(self, run, words):
        """Goes on as the program's messages say; where nothing was recorded yet, with the options given again."""
        deadline = time.monotonic() + 120
        while True:
            options = ["--resume", str(run)] if run.exists() else [*TINY, *words, "--out", str(run)]
            done = subprocess.run([PROGRAM, "sweep", *options], stderr=subprocess.PIPE, text=True, timeout=300)
            if "give the run's options again" in done.stderr:
                done = subprocess.run([PROGRAM, "sweep", *options, *TINY, *words], stderr=subprocess.PIPE, text=True, timeout=300)
            if done.returncode != 4 or time.monotonic() > deadline:
                return done
            time.sleep(0.05)  # the children of what was killed end a moment later

    def check_what_is_left(self, run, n_samples):
        """All that was written can be read. Returns the samples of the blocks that are done: these stay as they are."""
        if (run / "run.json").exists():
            self.assertIn(json.loads((run / "run.json").read_text())["status"], ("running", "interrupted", "complete"))
        summary = rows(run / "summary.csv")
        open_blocks = {(row["dv"], row["sink"]) for row in summary if row["samples"] != n_samples or not row["open_ns"]}
        finished = {row["cell"] for row in summary if (row["dv"], row["sink"]) not in open_blocks}
        return [row for row in rows(run / "samples.csv") if row["cell"] in finished]

    def disturb(self, run, words, seconds):
        process = self.sweep(run, *words)
        time.sleep(self.chance.uniform(0, seconds))
        number = self.chance.choice(SIGNALS)
        process.send_signal(number)
        process.communicate(timeout=120)
        return number

    def check_moments(self, n_moments, *words):
        whole = self.folder / "whole"
        began = time.monotonic()
        process = self.sweep(whole, *words)
        said = process.communicate(timeout=300)[1]
        self.assertEqual(process.returncode, 0, said)
        seconds = time.monotonic() - began
        n_samples = rows(whole / "summary.csv")[0]["samples"]
        for moment in range(n_moments):
            run = self.folder / str(moment)
            number = self.disturb(run, words, seconds)
            with self.subTest(moment=moment, signal=number, words=words):
                before = self.check_what_is_left(run, n_samples)
                done = self.resume(run, words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads((run / "run.json").read_text())["status"], "complete")
                self.assertEqual(cells(run), cells(whole))
                self.assertEqual(keys(run), keys(whole))
                after = rows(run / "samples.csv")
                self.assertEqual([row for row in before if row not in after], [])

    def test_without_counters(self):
        self.check_moments(26, "--counters", "none")

    def test_process_starts(self):
        self.check_moments(18, "--counters", "none", "--starts", "2")

    def test_with_simulated_counters(self):
        source = subprocess.run([PROGRAM, "counters", "--counters", "sim"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if source.returncode == 4:
            self.skipTest(source.stderr)
        self.check_moments(6, "--counters", "sim")


if __name__ == "__main__":
    unittest.main()
