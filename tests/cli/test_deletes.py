# SPDX-License-Identifier: Apache-2.0
"""`deletes` from the outside, with the real engine on small tables. Skips (77) where DuckDB's library cannot be had."""
import csv
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

from duckdb_library import find_library

PROGRAM, SOURCE, BUILD = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
WAYS = ["cow", "v2", "v2_compact", "v3"]
N_KILLS = 25
PRIME = 2147483647
LIBRARY, REASON = find_library(SOURCE, BUILD)


def rows(folder, name="deletes.csv"):
    """The last line of a run that was killed may be half a row."""
    with open(folder + "/" + name, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if None not in row.values()]


def n_deleted(n_rows, rate, n_batches, batch, seed=1):
    """How many random keys the first batches delete, as METHODOLOGY says that they are chosen."""
    def spread(key):
        x = (key * 1103515245 + seed) % PRIME
        return (x * x % PRIME * x + key) % PRIME
    bound = int(rate * PRIME) * batch // n_batches
    return sum(spread(key) < bound for key in range(n_rows))


class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.data = os.path.join(cls.folder.name, "data")
        cls.environment = {**os.environ, "DVBENCH_DUCKDB": LIBRARY or ""}

    def words(self, name, *words):
        self.out = os.path.join(self.folder.name, name)
        return [PROGRAM, "deletes", *words, "--quiet", "--data", self.data, "--out", self.out]

    def run_words(self, words, code=0):
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240,
                                env=self.environment, check=False)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def points(self, names):
        points = {}
        for name in names:
            with open(f"{self.out}/plots/{name}.csv", newline="", encoding="utf-8") as file:
                for point in csv.DictReader(file):
                    points[name.split(".")[0], point["kernel"], float(point["x"])] = float(point["y"])
        return points

    def n_in_vectors(self, files):
        """Deleted rows by the vectors of Puffin files, each read in full by the strict reader."""
        lines = self.run_words([PROGRAM, "inspect", "--json", *files]).stdout.splitlines()
        return sum(json.loads(line)["cardinality"] for line in lines)


class Deletes(Base):
    def test_all_ways_and_patterns_agree(self):
        self.run_words(self.words("all", "--rows", "20001", "--batches", "3", "--files", "3", "--rounds", "2", "--no-plots"))
        table = rows(self.out)
        self.assertEqual(len(table), 2 * 3 * 4 * 4)
        self.assertEqual({row["verdict"] for row in table}, {"ok"})
        for row in table:
            parts = [row[part + "_ms"] for part in ("find", "write", "fsync", "commit")]
            if row["batch"] == "0":
                self.assertEqual((row["deleted"], parts, row["delete_ms"]), ("0", [""] * 4, ""))
                continue
            self.assertAlmostEqual(sum(map(float, parts)), float(row["delete_ms"]), places=3)
            self.assertGreater(int(row["bytes_written"]), 0)
            for read in ("count_ms", "scan1_ms", "scan3_ms", "scan9_ms"):
                self.assertGreater(float(row[read]), 0)
            if row["pattern"] == "uniform":
                self.assertEqual(int(row["deleted"]), n_deleted(20001, 0.1, 3, int(row["batch"])))
            self.assertEqual(row["load_ms"] != "", row["way"] in ("v2", "v2_compact"))
        last = {row["way"]: row for row in table if row["pattern"] == "uniform" and row["batch"] == "3"}
        self.assertEqual({way: int(last[way]["table_files"]) for way in WAYS},
                         {"cow": 3, "v2": 3 + 9, "v2_compact": 3 + 3, "v3": 3 + 1})
        self.assertEqual({row["deleted"] for row in table if row["batch"] == "3" and row["pattern"] == "prefix"}, {"2000"})
        self.check_rounds(table)

    def check_rounds(self, table):
        """Each begins with the table without deletes and writes the same bytes; the ways are in other orders."""
        key = ("pattern", "way", "batch", "deleted", "bytes_written", "table_files", "data_bytes", "delete_bytes")
        of_round = {number: [row for row in table if row["round"] == number] for number in ("1", "2")}
        facts = {number: sorted(tuple(row[name] for name in key) for row in part) for number, part in of_round.items()}
        self.assertEqual(facts["1"], facts["2"])
        orders = {tuple(row["way"] for row in table if (row["pattern"], row["round"], row["batch"]) == turn)
                  for turn in {(row["pattern"], row["round"], row["batch"]) for row in table}}
        self.assertEqual({tuple(sorted(order)) for order in orders}, {tuple(WAYS)})
        self.assertGreater(len(orders), 6)

    def test_cpu(self):
        for cpu, pinned in (("0", 0), ("none", None)):
            self.run_words(self.words("cpu_" + cpu, "--rows", "900", "--batches", "1", "--way", "v3", "--pattern", "hot", "--cpu", cpu,
                                      "--rounds", "1", "--no-plots"))
            self.assertEqual(json.loads(pathlib.Path(self.out, "run.json").read_text(encoding="utf-8"))["held"]["pinned_cpu"], pinned)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_figures(self):
        self.run_words(self.words("figures", "--rows", "20000", "--batches", "3", "--pattern", "hot", "--rounds", "3"))
        table = rows(self.out)
        names = ["deletes_" + kind + ".hot" for kind in ("bytes", "scan", "time", "total1", "total9")]
        self.assertEqual(sorted(path.stem for path in pathlib.Path(self.out, "plots").glob("*.svg") if ".narrow" not in path.name), names)
        points = self.points(names)

        def total(row, n):
            return float(row["delete_ms"]) + n * float(row["scan9_ms"])
        for way in WAYS:
            def median(column, batches):
                return statistics.median(float(row[column]) for row in table if row["way"] == way and int(row["batch"]) in batches)
            for n in (0.1, 1, 1000):
                wanted = statistics.median(total(row, n) / total(next(cow for cow in table if cow["way"] == "cow" and all(
                    cow[name] == row[name] for name in ("round", "batch"))), n) for row in table if row["way"] == way and row["batch"] != "0")
                self.assertAlmostEqual(points["deletes_total9", way, n], wanted, places=6)
            for batch in (1, 2, 3):
                self.assertAlmostEqual(points["deletes_bytes", way, batch] * 1e3, median("bytes_written", (batch,)))
                self.assertAlmostEqual(points["deletes_time", way, batch], median("delete_ms", (batch,)), places=6)
            self.assertEqual([key[2] for key in points if key[:2] == ("deletes_scan", way)], [0, 1, 2, 3])
        text = pathlib.Path(self.out, "report.md").read_text(encoding="utf-8")
        for name in names:
            self.assertRegex(text, rf"!\[[^]]*Pattern hot[^]]* cow [0-9.,]+ at [^]]*\]\(plots/{name}.svg\)")
        self.run_words([PROGRAM, "plot", self.out, "--figure", "deletes_time", "--format", "pdf", "--out", self.out + "/again"])
        self.assertEqual([path.stem for path in pathlib.Path(self.out, "again").glob("*.csv")], ["deletes_time.hot"])

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_sizes(self):
        """Six files, the smallest of 1/512 of the rows; figures over their megabytes."""
        self.run_words(self.words("sizes", "--study", "sizes", "--rows", "25600", "--rounds", "1"))
        table = rows(self.out)
        self.assertEqual([row["rows"] for row in table if (row["way"], row["batch"]) == ("cow", "1")], ["50", "200", "800", "3200", "12800", "25600"])
        self.assertEqual({(row["way"], row["verdict"], row["files"]) for row in table}, {(way, "ok", "1") for way in ("cow", "v2", "v3")})
        points = self.points(["deletes_time.uniform", "deletes_bytes.uniform"])
        for row in table:
            if row["batch"] == "1" and row["way"] == "cow":
                before, = (other for other in table if (other["rows"], other["way"], other["batch"]) == (row["rows"], "cow", "0"))
                x, = (x for kind, way, x in points if (kind, way) == ("deletes_bytes", "cow") and abs(x - int(before["data_bytes"]) / 1e6) < 1e-9)
                self.assertAlmostEqual(points["deletes_bytes", "cow", x] * 1e3, int(row["bytes_written"]), places=3)
        text = pathlib.Path(self.out, "report.md").read_text(encoding="utf-8")
        self.assertEqual(sum(line.startswith("| 25600 |") for line in text.splitlines()), 1)
        self.assertEqual(rows(self.out, "claims.csv"), [])

    def test_resumed(self):
        """Killed within the second round: every row is there once, and the last round's tables are kept."""
        words = self.words("resumed", "--rows", "9000", "--batches", "6", "--pattern", "prefix", "--rounds", "2", "--keep", "--no-plots")
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
        self.addCleanup(process.kill)
        while process.poll() is None and not (os.path.exists(self.out + "/deletes.csv") and len(rows(self.out)) > 33):
            time.sleep(0.01)
        process.kill()
        process.wait()
        self.assertLess(len(rows(self.out)), 2 * 4 * 7)
        self.run_words([PROGRAM, "deletes", "--resume", self.out])
        table = rows(self.out)
        self.assertEqual(len(table), 2 * 4 * 7)
        self.assertEqual(len({(row["round"], row["way"], row["batch"]) for row in table}), len(table))
        self.assertEqual({row["verdict"] for row in table}, {"ok"})
        kept = os.listdir(os.path.join(self.data, "deletes-resumed"))
        self.assertEqual(sorted(kept), sorted(f"prefix-{way}-9000-2" for way in WAYS))

    def test_vectors_are_what_inspect_accepts(self):
        self.run_words(self.words("v3", "--rows", "9000", "--batches", "2", "--way", "v3", "--pattern", "uniform,hot", "--rounds", "1", "--keep", "--no-plots"))
        deleted = {row["pattern"]: int(row["deleted"]) for row in rows(self.out)}
        for pattern in ("uniform", "hot"):
            files = sorted(pathlib.Path(self.data, "deletes-v3", pattern + "-v3-9000-1").glob("*.puffin"))
            self.assertEqual([path.name for path in files], ["b00002-0.puffin"])
            self.run_words([PROGRAM, "check", str(files[0])])
            self.assertEqual(self.n_in_vectors([str(files[0])]), deleted[pattern])

    def test_tables_go_unless_kept_and_many_batches_are_read_at_some(self):
        self.run_words(self.words("many", "--study", "batches", "--rows", "2000", "--batches", "25", "--way", "v2", "--files", "4",
                                  "--pattern", "prefix", "--no-plots"))
        self.assertFalse(os.path.exists(self.data + "/deletes-many"))
        table = rows(self.out)
        self.assertEqual([int(row["batch"]) for row in table if row["scan9_ms"]], [0, 1, 2, 5, 10, 20, 25])
        self.assertEqual({row["verdict"] for row in table}, {"ok"})
        self.assertEqual([int(row["table_files"]) for row in table][:4], [4, 5, 6, 7])

    def test_usage(self):
        for words, text in ((["--rate", "0"], "--rate"), (["--way", "v4"], "v4"), (["--pattern", "cold"], "cold"),
                            (["--rate", "0.5"], "one of 4 files"), (["more"], "more"), (["--study", "way"], "way"), (["--cpu", "x"], "cpu"), (["--kernel", "no"], 'unknown kernel "no"')):
            result = self.run_words(self.words("usage", *words), code=2)
            self.assertIn(text, result.stderr)
            self.assertFalse(os.path.exists(self.out))


class Reports(Base):
    """Of made-up times: what `report` says of them is known. Needs no engine."""
    N_BATCHES, N_ROUNDS = 10, 3

    def write(self, name, change):
        """`change(row)` of the usual run, in which v3 deletes in 100 ms and counts in 20, and every way does the same before that."""
        with open(os.path.join(SOURCE, "bench", "results", "columns.def"), encoding="utf-8") as file:
            columns = [line.split(",")[1].strip() for line in file if line.startswith("COLUMN(deletes,")]
        usual = {"cow": (1000, 10, 10), "v2": (200, 60, 45), "v2_compact": (220, 30, 25), "v3": (100, 20, 14)}
        self.out = os.path.join(self.folder.name, name)
        os.makedirs(self.out)
        with open(self.out + "/deletes.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
            writer.writeheader()
            for number in range(1, self.N_ROUNDS + 1):
                for batch in range(self.N_BATCHES + 1):
                    for way, (delete, count, scan) in usual.items():
                        row = dict(schema=2, run=name, machine="made up", engine="none", threads=1, study="ways", files=4, rows=1000, rate=0.1,
                                   batches=self.N_BATCHES, pattern="uniform", way=way, batch=batch, round=number, verdict="ok", table_files=4)
                        row.update(count_ms=count if batch else 5, scan1_ms=scan if batch else 5, scan3_ms=count if batch else 5,
                                   scan9_ms=count if batch else 5)
                        if batch:
                            row.update(delete_ms=delete, find_ms=50, bytes_written=1000)
                        change(row)
                        writer.writerow(row)
        self.run_words([PROGRAM, "report", self.out])
        self.text = pathlib.Path(self.out, "report.md").read_text(encoding="utf-8")
        return {row["claim"]: row for row in rows(self.out, "claims.csv")}

    def verdicts(self, claims):
        return {name[len("uniform: "):]: row["verdict"] for name, row in claims.items() if "seconds" not in name}

    def test_the_report_opens_with_the_answer(self):
        """900 ms more to delete by cow, 4 ms less per scan: 225 scans."""
        self.write("opens", lambda row: None)
        head = self.text[:self.text.index("\n## ")]
        for said in ("cow 10000 ms and 10.0 ms; v2 2000 ms and 45.0 ms; v2_compact 2200 ms and 25.0 ms; v3 1000 ms and 14.0 ms",
                     "What to use: deletion vectors (v3) where fewer than 225 scans of one column follow a batch of deletes",
                     "is the median of 30 pairs of the same batch and round and lies between 225 and 225", "do the same work was 0 %",
                     "](#after-how-many-scans-does-rewriting-pay-off)"):
            self.assertIn(said, head)
        for name, cost, said in (("never", {"scan1_ms": 50}, "so that it never pays off"), ("at once", {"delete_ms": 90}, "is cheaper than deletion vectors (v3) at once")):
            self.write(name, lambda row: row["way"] == "cow" and row["batch"] and row.update(cost))
            self.assertIn(said, self.text[:self.text.index("\n## ")])
        self.write("without", lambda row: row.update(verdict="unavailable") if row["way"] == "cow" else None)
        self.assertIn("What to use: cannot tell", self.text)

    def test_directions(self):
        claims = self.write("usual", lambda row: None)
        self.assertEqual(set(self.verdicts(claims).values()), {"reproduced"})
        self.assertEqual(len(self.verdicts(claims)), 5)
        row = claims["uniform: deleting: v3 is cheaper than cow"]
        self.assertEqual([float(row[name]) for name in ("ours", "low", "high")], [0.1] * 3)
        self.assertAlmostEqual(float(row["published_value"]), 13.89 / 27.75, places=6)
        seconds = claims["uniform: seconds of all deletes: cow"]
        self.assertEqual((seconds["verdict"], float(seconds["ours"]), float(seconds["published_value"])), ("cannot tell", 10.0, 27.75))
        self.assertIn("overhead of a cluster's jobs", seconds["reason"])
        for line in ("| published (a cluster) | v2 | 27.8 | 2.00 | 1.20 | 1.67 |", "| uniform | cow | 10.0 | 10.0 | 0.0100 | 0.500 |"):
            self.assertIn(line, self.text)

    def test_directions_that_differ_or_cannot_be_told(self):
        def turn(row):
            if row["way"] == "cow" and row["batch"]:
                row["delete_ms"] = 50
            if row["way"] == "v2" and row["batch"]:
                row["delete_ms"] = 80 if row["batch"] % 2 else 120
        verdicts = self.verdicts(self.write("turned", turn))
        self.assertEqual(verdicts["deleting: v3 is cheaper than cow"], "differs")
        self.assertEqual(verdicts["deleting: v3 is cheaper than v2"], "cannot tell")
        self.assertEqual(verdicts["counting: v3 is cheaper than v2"], "reproduced")

    def test_noise_is_what_ways_differ_by_at_the_same_work(self):
        """By 60 % in finding and before the first delete: half the time is no direction, a tenth is."""
        def disturb(row):
            factor = 1.6 if row["way"] == "v3" else 1
            if row["batch"]:
                row["find_ms"] = 50 * factor
            else:
                row.update({name: 5 * factor for name in ("count_ms", "scan1_ms", "scan3_ms", "scan9_ms")})
        claims = self.write("noisy", disturb)
        self.assertEqual(self.verdicts(claims), {"deleting: v3 is cheaper than cow": "reproduced", "deleting: v3 is cheaper than v2": "cannot tell",
                                                 "counting: cow is cheaper than v3": "cannot tell", "counting: cow is cheaper than v2": "reproduced",
                                                 "counting: v3 is cheaper than v2": "reproduced"})
        self.assertIn("differed by 60.0 %", claims["uniform: counting: v3 is cheaper than v2"]["reason"])

    def test_few_pairs_and_missing_ways(self):
        few = self.verdicts(self.write("few", lambda row: row.update(verdict="wrong") if row["batch"] > 1 else None))
        self.assertEqual(set(few.values()), {"cannot tell"})
        claims = self.write("alone", lambda row: row.update(verdict="wrong") if row["way"] != "v3" else None)
        self.assertEqual(set(self.verdicts(claims).values()), {"cannot tell"})
        self.assertIn("lacks", claims["uniform: deleting: v3 is cheaper than cow"]["reason"])

    def test_crossovers(self):
        """Rewriting costs 900 ms more and saves 10 ms per count, 4 per scan of one column, 6 of nine in even batches and none else."""
        def widths(row):
            if row["batch"]:
                row["scan9_ms"] = 20 if row["way"] != "cow" else 14 if row["batch"] % 2 == 0 else 21
        self.write("crossing", widths)
        self.assertRegex(self.text, r"\| uniform \| 90\.0 \| 225 \| 90\.0 \| never \(150 to never\) \|")
        self.assertIn("with fewer than 90.0 scans per batch of deletes leave the vectors. Rewriting did not pay", self.text)
        self.write("even", lambda row: None)
        self.assertIn("with fewer than 90.0 scans per batch of deletes leave the vectors, with more than 225 rewrite", self.text)

    def test_where_compacting_pays(self):
        """Loading takes 2 ms per file; compacting costs 20 ms more per batch: 2 x 11 - 2 are as many."""
        def load(row):
            if row["batch"] and row["way"] in ("v2", "v2_compact"):
                row["load_ms"] = 2 * row["batch"] if row["way"] == "v2" else 2
                row["scan1_ms"] = 10 + row["load_ms"]
        self.N_BATCHES = 15
        self.write("compacting", lambda row: (load(row), row.update(study="batches")))
        self.assertEqual(rows(self.out, "claims.csv"), [])
        opening = self.text[:self.text.index("\n## ")]
        self.assertIn("took 2.00 ms after one batch and 30.0 ms after 15, 2.00 ms more per batch", opening)
        self.assertIn("from 11 batches on, compacting (v2_compact) pays off within one scan", opening)
        self.assertNotIn("cannot tell", opening)
        self.assertRegex(self.text, r"\| 6 \| 12\.0 \| 2\.00 \|.*\| 2\.00 \|")

    def test_sizes_open_with_both_ends(self):
        def sizes(row):
            row.update(study="sizes", rows=1000 if row["batch"] < 5 else 50000, data_bytes=50000 if row["batch"] < 5 else 2200000)
            if row["way"] == "cow" and row["batch"] >= 5:
                row["delete_ms"] = 5000
        self.write("sizes", sizes)
        opening = self.text[:self.text.index("\n## ")]
        self.assertIn("From a file of 0.0500 MB: cow deletes in 1000 ms, v3 in 100 ms, 10.0 times less", opening)
        self.assertIn("From a file of 2.20 MB: cow deletes in 5000 ms, v3 in 100 ms, 50.0 times less", opening)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_crossing_is_marked(self):
        self.write("marked", lambda row: None)
        self.run_words([PROGRAM, "plot", self.out, "--figure", "deletes_total1"])
        self.assertIn("cow pays from 225 on", pathlib.Path(self.out, "plots", "deletes_total1.uniform.svg").read_text(encoding="utf-8"))
        below = {scans: cost < 1 for (_, way, scans), cost in self.points(["deletes_total1.uniform"]).items() if way == "v3"}
        self.assertEqual((below[200], below[500]), (True, False))


class Killed(Base):
    def manifest(self, way):
        """Its batch and the files that it names, which must be there."""
        path = pathlib.Path(self.data, "deletes-" + os.path.basename(self.out), "uniform-" + way + "-8000-1", "manifest")
        lines = path.read_text(encoding="utf-8").splitlines()
        self.assertEqual((lines[0], lines[-1]), ("dvbench deletes 1", "end"))
        files = [line.split(" ", 2)[2] for line in lines[2:-1]]
        for file in files:
            self.assertTrue(os.path.getsize(file) > 0, file)
        return int(lines[1].split()[1]), files

    def start_and_wait(self, words):
        """Until it has written a row more than there was."""
        path = self.out + "/deletes.csv"
        before = os.path.getsize(path) if os.path.exists(path) else 0
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.environment)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        while process.poll() is None and (not os.path.exists(path) or os.path.getsize(path) <= max(before, 600)):
            time.sleep(0.002)
        self.assertIsNone(process.poll(), process.stderr.read() if process.poll() is not None else "")
        return process

    def kill_often(self, way):
        moments = random.Random(way)
        words = self.words("kill_" + way, "--rows", "8000", "--files", "2", "--rate", "0.5", "--batches", "2000",
                           "--way", way, "--pattern", "uniform", "--rounds", "1", "--no-plots")
        for _ in range(N_KILLS):
            process = self.start_and_wait(words)
            time.sleep(moments.uniform(0, 0.06))
            process.kill()
            process.wait()
            batch, files = self.manifest(way)
            self.assertIn(batch - int(rows(self.out)[-1]["batch"]), (0, 1))
            if batch > 0 and way == "v3":
                vectors = sorted({file for file in files if file.endswith(".puffin")})
                if len(vectors) == 1: # of two, the older one may hold a vector that the other supersedes
                    self.assertEqual(self.n_in_vectors(vectors), n_deleted(8000, 0.5, 2000, batch))
            words = [PROGRAM, "deletes", "--resume", self.out]
        process = self.start_and_wait(words)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)
        table = rows(self.out)
        self.assertEqual([int(row["batch"]) for row in table], list(range(len(table))))
        self.assertEqual({row["verdict"] for row in table}, {"ok"})
        self.assertEqual(int(table[-1]["deleted"]), n_deleted(8000, 0.5, 2000, len(table) - 1))

    def test_a_killed_delete_is_before_or_after(self):
        for way in WAYS:
            with self.subTest(way=way):
                self.kill_often(way)


if __name__ == "__main__":
    if not LIBRARY and "Reports" not in sys.argv:
        print("skipped:", REASON)
        sys.exit(77)
    unittest.main()
