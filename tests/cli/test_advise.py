# SPDX-License-Identifier: Apache-2.0
"""`advise` from the outside: test_advise.py DVBENCH SOURCE. No time is asserted, only what is said of which numbers."""
import csv
import glob
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = sys.argv.pop()
PROGRAM = os.path.abspath(sys.argv.pop())
SMALL = "uniform:rate=0.05:rows=200000"


class Advise(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = dict(os.environ, TMPDIR=self.folder.name, DVBENCH_REFERENCE=os.path.join(self.folder.name, "recorded"))

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
        self.assertEqual([pay["scans"] for pay in vector["sorted"]["pays"]], [None, None], "nothing was recorded")
        self.assertIsNone(vector["clustered"], "too few chunks")
        for start in ("What it is: ", "The cliff at 6.25 %", "What it costs: ", "What to use: ", "Sorted ", "Rewriting "):
            self.assertTrue(any(sentence.startswith(start) for sentence in vector["says"]), start)

    def test_what_rewriting_saves(self):
        """By the recorded scan of 3 columns, and by a run of `deletes` that wrote 1,000 rows in 0.3 ms and flushed them in 0.1."""
        runs = glob.glob(os.path.join(SOURCE, "results", "reference", "*", "*-scan"))
        with open(os.path.join(SOURCE, "bench", "results", "columns.def"), encoding="utf-8") as file:
            columns = re.findall(r"^(?:LATER_)?COLUMN\(deletes, (\w+)", file.read(), re.M)
        written = dict(dict.fromkeys(columns, ""), schema="2", run="copied", rows="1000", pattern="uniform", way="cow", batch="1",
                       verdict="ok", write_ms="0.3", fsync_ms="0.1")
        deletes = pathlib.Path(self.folder.name, "deletes")
        deletes.mkdir()
        with open(deletes / "deletes.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerow(written)
        with open(os.path.join(runs[0], "scan.csv"), newline="", encoding="utf-8") as file:
            scan = next(float(row["cpu_ns_per_row"]) for row in csv.DictReader(file) if (row["query"], row["n_columns"], row["kernel"]) == ("scan", "3", "none"))
        answer = self.advise(SMALL, "--scan-columns", "3", "--scan-run", runs[0], "--deletes-run", str(deletes), "--json")
        vector, = json.loads(answer.stdout)["vectors"]
        cost = {kernel["kernel"]: kernel["ns_per_row"] for kernel in vector["kernels"]}
        rewritten = {pay["kernel"]: pay for pay in vector["rewritten"]}
        self.assertEqual(set(rewritten), {"per_row", vector["use"]["kernel"]})
        for kernel, pay in rewritten.items():
            saves = cost[kernel] + scan * vector["deleted_rows"] / vector["rows"]
            self.assertAlmostEqual(pay["saves_ns_per_row"], saves, places=6)
            self.assertAlmostEqual(pay["costs_ns_per_row"], 400)
            self.assertEqual(pay["scans"], math.ceil(400 / saves))
        then = {kernel["kernel"]: kernel for kernel in vector["sorted"]["kernels"]}
        for pay in vector["sorted"]["pays"]:
            kernel = then[pay["kernel"]]
            self.assertAlmostEqual(pay["costs_ns_per_row"], 400 * 1.63)
            if kernel["doubts"]:  # a time below the store bound, as a sanitizer makes it: nothing is built on it
                self.assertIsNone(pay["saves_ns_per_row"])
                self.assertIsNone(pay["scans"])
                continue
            saves = cost[pay["kernel"]] - kernel["ns_per_row"]
            self.assertAlmostEqual(pay["saves_ns_per_row"], saves, places=6)
            self.assertEqual(pay["scans"], math.ceil(400 * 1.63 / saves) if saves > 0 else None)
        said = " ".join(vector["says"])
        for part in ("3int of run ", "run copied", "that sorting added in the article", f"it pays off after {rewritten['per_row']['scans']:.0f} scan"):
            self.assertIn(part, said)

    def test_a_table(self):
        """More than ten vectors: ten are described, the most costly first, and the sum is over all."""
        specs = [f"uniform:rate=0.05:rows={1000 * (i + 1)}" for i in range(11)]
        text = self.advise(*specs, "--batch", "20000").stdout
        self.assertIn("and 1 more, each less costly", text)
        self.assertIn("The table, 11 of 11 vectors measured", text)
        self.assertEqual(text.count("What to use: "), 10)
        self.assertEqual(len(re.findall("^  per_row  ", text, re.M)), 10, "a table per vector")
        self.assertIn("cannot tell: not measured where there are more than 10", text)
        listed = [float(line.split()[3]) for line in text.splitlines() if "seed=1:base=0" in line and not line.startswith("uniform")]
        self.assertEqual(listed, sorted(listed, reverse=True))
        self.assertEqual(len(listed), 10)

    def record(self, like, change):
        """A reference run of this machine: the vectors of the quick run, their costs changed."""
        quick = sorted(glob.glob(os.path.join(SOURCE, "results", "reference", "*", "*-quick", "summary.csv")))[-1]
        with open(quick, newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["sink"] == "row_ids"]
        for row in rows:
            row.update(machine=like["machine"], croaring=like["croaring"], run="recorded", verdict="ok")
            row["ns_per_row"] = row["total_ns_per_row"] = f"{change(row):.9g}"
        run = pathlib.Path(self.environment["DVBENCH_REFERENCE"], like["machine"].replace("; ", "_").replace(" ", "-"), "run")
        run.mkdir(parents=True)
        with open(run / "summary.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def test_the_cost_model(self):
        """A cost linear in the deletion rate is predicted exactly, on a vector that the recorded run does not have; the
        error is that against the time measured; what lies outside, and a file of less than a batch, cannot be told."""
        out = os.path.join(self.folder.name, "kept")
        given = ["uniform:rate=0.05:rows=2000000:seed=9", "uniform:rate=0.05:rows=20000", "uniform:rate=0.05:rows=4000"]
        answer = json.loads(self.advise(given[2], "--out", os.path.join(self.folder.name, "first"), "--json").stdout)
        self.assertEqual(answer["models"], [], "nothing is recorded yet")
        with open(os.path.join(self.folder.name, "first", "summary.csv"), newline="", encoding="utf-8") as file:
            like = next(csv.DictReader(file))
        order = {"per_row": lambda rate: 2 + 3 * rate}
        self.record(like, lambda row: order.get(row["kernel"], lambda rate: 10 ** (int(rate * 1e4) % 7))(int(row["deleted"]) / int(row["rows"])))
        answer = json.loads(self.advise(*given, "--out", out, "--json").stdout)
        vectors = {vector["spec"].split(":base")[0]: vector for vector in answer["vectors"]}
        kernels = {kernel["kernel"]: kernel for kernel in vectors[given[0]]["kernels"]}
        rate = vectors[given[0]]["deleted_rows"] / 2000000
        with open(os.path.join(out, "summary.csv"), newline="", encoding="utf-8") as file:
            deleted = {row["dv"]: int(row["deleted"]) for row in csv.DictReader(file)}
        for how in ("sorted", "clustered"):
            self.assertEqual(deleted[vectors[given[0]][how]["spec"]], vectors[given[0]]["deleted_rows"])
        self.assertAlmostEqual(kernels["per_row"]["predicted_ns_per_row"], 2 + 3 * rate, places=3)
        self.assertIsNone(kernels["per_row_raw"]["predicted_ns_per_row"], "off by more than 20 % in the median")
        model, = [model for model in answer["models"] if model["kernel"] == "per_row"]
        self.assertTrue(model["used"] and model["left_out"]["worst_pct"] < 1)
        self.assertEqual((model["given"]["vectors"], model["given"]["cannot_tell"]), (1, 2))
        self.assertAlmostEqual(model["given"]["worst_pct"], 100 * abs((2 + 3 * rate) / kernels["per_row"]["ns_per_row"] - 1), places=2)
        said = " ".join(sentence for vector in answer["vectors"] for sentence in vector["says"])
        self.assertIn("The cost model of per_row predicts ", said)
        self.assertIn("fewer rows than a batch", said)
        self.assertIn("outside of what it was fitted to", said)
        self.assertIn("not used: it is off by more than 20 %", said)
        with open(os.path.join(out, "report.md"), encoding="utf-8") as file:
            report = file.read()
        tried = report[report.index("The models fitted to run recorded"):]
        line, = [line for line in tried.splitlines() if line.startswith("| per_row |")]
        self.assertEqual(line.split(" | ")[1], "1", "the sorted ones are of fewer containers than any recorded")
        error, used = float(line.split(" | ")[2].split()[0]), line.split(" | ")[-1]
        self.assertEqual(used, "yes |" if error <= 20 else "no |", line)

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
