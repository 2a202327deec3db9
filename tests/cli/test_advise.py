# SPDX-License-Identifier: Apache-2.0
"""`advise` from the outside: test_advise.py DVBENCH. No time is asserted, only what is said of which numbers."""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
SMALL = "uniform:rate=0.05:rows=200000"


class Advise(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = dict(os.environ, TMPDIR=self.folder.name)

    def advise(self, *words, code=0):
        done = subprocess.run([PROGRAM, "advise", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=self.environment, timeout=240)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_one_vector(self):
        """The numbers are those of the sweep that --out keeps; the deletes are arranged, not more or fewer."""
        out = os.path.join(self.folder.name, "kept")
        answer = json.loads(self.advise(SMALL, "--batch", "4000", "--sink", "live_mask", "--out", out, "--json").stdout)
        with open(os.path.join(out, "summary.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({(row["sink"], row["batch_rows"], row["mode"]) for row in rows}, {("live_mask", "4000", "stream")})
        vector, = answer["vectors"]
        costs = {row["kernel"]: float(row["total_ns_per_row" if row["works_at_open"] == "1" else "ns_per_row"])
                 for row in rows if row["dv"] == vector["spec"] and row["verdict"] == "ok" and not row["doubts"]}
        self.assertIn("per_row", costs)
        self.assertEqual(vector["use"]["kernel"], min(costs, key=costs.get))
        self.assertAlmostEqual(answer["total"]["per_row_ms"], costs["per_row"] * 200000 / 1e6, places=6)
        self.assertEqual(vector["containers"]["array"] + vector["containers"]["bitset"], 4)
        deleted = {row["dv"]: int(row["deleted"]) for row in rows}
        self.assertEqual(deleted[vector["sorted"]["spec"]], vector["deleted_rows"])
        for start in ("What it is: ", "The cliff at 6.25 %", "What it costs: ", "What to use: ", "Sorted "):
            self.assertTrue(any(sentence.startswith(start) for sentence in vector["says"]), start)

    def test_a_table(self):
        """More than ten vectors: ten are described, the most costly first, and the sum is over all."""
        specs = [f"uniform:rate=0.05:rows={1000 * (i + 1)}" for i in range(11)]
        text = self.advise(*specs, "--batch", "20000").stdout
        self.assertIn("and 1 more, each less costly", text)
        self.assertIn("The table, 11 of 11 vectors measured", text)
        self.assertEqual(text.count("What to use: "), 10)
        self.assertIn("cannot tell: not measured where there are more than 10", text)
        listed = [float(line.split()[3]) for line in text.splitlines() if "seed=1:base=0" in line and not line.startswith("uniform")]
        self.assertEqual(listed, sorted(listed, reverse=True))
        self.assertEqual(len(listed), 10)

    def test_what_cannot_be_told(self):
        empty = os.path.join(self.folder.name, "empty.bin")
        subprocess.run([PROGRAM, "gen", "--recipe", "none", "--format", "roaring64", "-o", empty], check=True, stdout=subprocess.PIPE)
        vector, = json.loads(self.advise(empty, "--json").stdout)["vectors"]
        self.assertIsNone(vector["use"])
        self.assertTrue(any("cannot tell: no batch of it could be measured" in sentence for sentence in vector["says"]))
        os.remove(empty)
        text = self.advise(SMALL, "--scan-columns", "3").stdout
        self.assertIn("Rewriting the data file: cannot tell: no scan of 3 columns", text)
        self.assertEqual(os.listdir(self.folder.name), [], "the sweep's folder is removed")

    def test_wrong_use(self):
        for words, code, said in (([], 2, "give a file"), (["--sink", "all", SMALL], 2, "--sink"), (["--mode", "replay", SMALL], 2, "--mode"),
                                  (["--batch", "0", SMALL], 2, "--batch"), (["missing.bin"], 3, "missing.bin")):
            done = self.advise(*words, code=code)
            self.assertIn(said, done.stderr)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))


if __name__ == "__main__":
    unittest.main()
