# SPDX-License-Identifier: Apache-2.0
"""`deletes` from the outside, with the real engine on small tables. Skips (77) where DuckDB's library cannot be had."""
import csv
import json
import os
import pathlib
import random
import shutil
import signal
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


def rows(folder):
    with open(folder + "/deletes.csv", newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["bytes_written"] is not None]


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
        cls.environment = {**os.environ, "DVBENCH_DUCKDB": LIBRARY}

    def words(self, name, *words):
        self.out = os.path.join(self.folder.name, name)
        return [PROGRAM, "deletes", *words, "--quiet", "--data", self.data, "--out", self.out]

    def run_words(self, words, code=0):
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240,
                                env=self.environment, check=False)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def n_in_vectors(self, files):
        """Deleted rows by the vectors of Puffin files, each read in full by the strict reader."""
        lines = self.run_words([PROGRAM, "inspect", "--json", *files]).stdout.splitlines()
        return sum(json.loads(line)["cardinality"] for line in lines)


class Deletes(Base):
    def test_all_ways_and_patterns_agree(self):
        self.run_words(self.words("all", "--rows", "20001", "--batches", "3", "--files", "3", "--keep"))
        table = rows(self.out)
        self.assertEqual(len(table), 3 * 4 * 4)
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
            if row["pattern"] == "random":
                self.assertEqual(int(row["deleted"]), n_deleted(20001, 0.1, 3, int(row["batch"])))
            self.assertEqual(row["load_ms"] != "", row["way"] in ("v2", "v2_compact"))
        last = {row["way"]: row for row in table if row["pattern"] == "random" and row["batch"] == "3"}
        self.assertEqual({way: int(last[way]["table_files"]) for way in WAYS},
                         {"cow": 3, "v2": 3 + 9, "v2_compact": 3 + 3, "v3": 3 + 1})
        self.assertEqual({row["deleted"] for row in table if row["batch"] == "3" and row["pattern"] == "range"}, {"2000"})

    def test_report(self):
        self.run_words(self.words("report", "--rows", "20000", "--batches", "2", "--pattern", "hot", "--keep"))
        text = pathlib.Path(self.out, "report.md").read_text(encoding="utf-8")
        table = {(row["way"], row["batch"]): row for row in rows(self.out)}
        for said in ("## Deletes of pattern hot", "| deleting: v3 before cow | 13.89 and 27.75 s |", "Rewriting (cow) pays off"):
            self.assertIn(said, text)
        cow = [cell.strip() for cell in next(line for line in text.splitlines() if line.startswith("| cow |")).split("|")]
        written = sum(int(table["cow", batch]["bytes_written"]) for batch in ("1", "2"))
        self.assertAlmostEqual(float(cow[3]), written / 1e6, delta=0.01 * written / 1e6)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_figures(self):
        self.run_words(self.words("figures", "--rows", "20000", "--batches", "3", "--pattern", "hot"))
        table = {(row["way"], int(row["batch"])): row for row in rows(self.out)}
        names = ["deletes_" + kind + ".hot" for kind in ("bytes", "scan", "time", "total1", "total9")]
        self.assertEqual(sorted(path.stem for path in pathlib.Path(self.out, "plots").glob("*.svg")), names)
        points = {}
        for name in names:
            with open(f"{self.out}/plots/{name}.csv", newline="", encoding="utf-8") as file:
                for point in csv.DictReader(file):
                    points[name.split(".")[0], point["kernel"], float(point["x"])] = float(point["y"])
        for way in WAYS:
            deleting = sum(float(table[way, batch]["delete_ms"]) for batch in (1, 2, 3)) / 3
            for n in (0.1, 1, 1000):
                wanted = deleting + n * float(table[way, 3]["scan9_ms"])
                self.assertAlmostEqual(points["deletes_total9", way, n] / wanted, 1, places=6)
            for batch in (1, 2, 3):
                self.assertAlmostEqual(points["deletes_bytes", way, batch] * 1e3, int(table[way, batch]["bytes_written"]))
                self.assertAlmostEqual(points["deletes_time", way, batch], float(table[way, batch]["delete_ms"]), places=6)
            self.assertEqual([key[2] for key in points if key[:2] == ("deletes_scan", way)], [0, 1, 2, 3])
        text = pathlib.Path(self.out, "report.md").read_text(encoding="utf-8")
        for name in names:
            self.assertRegex(text, rf"!\[[^]]*Pattern hot[^]]* cow [0-9.,]+ at [^]]*\]\(plots/{name}.svg\)")
        self.run_words([PROGRAM, "plot", self.out, "--figure", "deletes_time", "--format", "pdf", "--out", self.out + "/again"])
        self.assertEqual([path.stem for path in pathlib.Path(self.out, "again").glob("*.csv")], ["deletes_time.hot"])

    def test_vectors_are_what_inspect_accepts(self):
        self.run_words(self.words("v3", "--rows", "9000", "--batches", "2", "--way", "v3", "--pattern", "random,hot", "--keep"))
        deleted = {row["pattern"]: int(row["deleted"]) for row in rows(self.out)}
        for pattern in ("random", "hot"):
            files = sorted(pathlib.Path(self.data, "deletes-v3", pattern + "-v3").glob("*.puffin"))
            self.assertEqual([path.name for path in files], ["b00002-0.puffin"])
            self.run_words([PROGRAM, "check", str(files[0])])
            self.assertEqual(self.n_in_vectors([str(files[0])]), deleted[pattern])

    def test_tables_go_unless_kept_and_many_batches_are_read_at_some(self):
        self.run_words(self.words("many", "--rows", "2000", "--batches", "25", "--way", "v2", "--pattern", "range"))
        self.assertFalse(os.path.exists(self.data + "/deletes-many"))
        table = rows(self.out)
        self.assertEqual([int(row["batch"]) for row in table if row["scan9_ms"]], [0, 1, 2, 5, 10, 20, 25])
        self.assertEqual({row["verdict"] for row in table}, {"ok"})
        self.assertEqual([int(row["table_files"]) for row in table][:4], [4, 5, 6, 7])

    def test_usage(self):
        for words, text in ((["--rate", "0"], "--rate"), (["--way", "v4"], "v4"), (["--pattern", "cold"], "cold"),
                            (["--rate", "0.5"], "one of 4 files"), (["more"], "more"), (["--kernel", "no"], "no such")):
            result = self.run_words(self.words("usage", *words), code=2)
            self.assertIn(text, result.stderr)
            self.assertFalse(os.path.exists(self.out))


class Killed(Base):
    def manifest(self, way):
        """Its batch and the files that it names, which must be there."""
        path = pathlib.Path(self.data, "deletes-" + os.path.basename(self.out), "random-" + way, "manifest")
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
                           "--way", way, "--pattern", "random")
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
    if not LIBRARY:
        print("skipped:", REASON)
        sys.exit(77)
    unittest.main()
