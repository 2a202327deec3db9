# SPDX-License-Identifier: Apache-2.0
"""`scan` from the outside, with the real engine on small tables. Skips (77) where DuckDB's library cannot be had."""
import csv
import fcntl
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import csv_files
from duckdb_library import find_library

PROGRAM, SOURCE, BUILD = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))

QUICKLY = ["--rounds", "6", "--no-plots", "--quiet"]
SMALL = ["--rows", "60000", "--files", "2", "--rates", "0.061", "--kernel", "per_row,direct_scalar"]
LIBRARY, REASON = find_library(SOURCE, BUILD)


class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.data = os.path.join(cls.folder.name, "data")
        cls.n_runs = 0

    def run_program(self, *words, **kwargs):
        environment = {**os.environ, "DVBENCH_DUCKDB": LIBRARY, **kwargs.pop("env", {})}
        return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240,
                              env=environment, check=False, **kwargs)

    def scan(self, *words, code=0):
        """Runs it into a new folder and returns the rows."""
        self.__class__.n_runs += 1
        self.out = os.path.join(self.folder.name, f"run{self.n_runs}")
        result = self.run_program("scan", *words, *QUICKLY, "--data", self.data, "--out", self.out)
        self.assertEqual(result.returncode, code, result.stderr)
        self.stderr = result.stderr
        return csv_files.read(self.out + "/scan.csv") if code == 0 else result


class Scan(Base):
    def parts(self):
        """The data files of a table that an earlier test or this call made."""
        self.scan(*SMALL, "--columns", "0")
        table = csv_files.read(self.out + "/scan.csv")[0]["table"]
        return sorted(str(path) for path in pathlib.Path(self.data, table).glob("*.parquet"))

    def vector(self, spec, name="dv.puffin", *words):
        path = os.path.join(self.folder.name, name)
        result = self.run_program("gen", "--recipe", spec, "-o", path, *(words or ("--format", "puffin")))
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def test_figures_that_all_fail_are_a_failure(self):
        fake = pathlib.Path(self.folder.name, "bin", "gnuplot")
        fake.parent.mkdir()
        fake.write_text("#!/bin/sh\n[ \"$1\" = --version ] && { echo gnuplot 6.0 patchlevel 0; exit 0; }\necho broken >&2\nexit 1\n")
        fake.chmod(0o755)
        out = os.path.join(self.folder.name, "no-figures")
        done = self.run_program("scan", *SMALL, "--columns", "0", "--rounds", "1", "--quiet", "--data", self.data, "--out", out,
                                env={"PATH": f"{fake.parent}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no figures: gnuplot failed", done.stderr)
        self.assertTrue(os.path.exists(out + "/report.md"))

    def test_columns_and_numbers(self):
        table = self.scan(*SMALL, "--columns", "0,1", "--types", "int,double,timestamp,md5")
        self.assertEqual([row["columns"] for row in table][::5], ["count", "1int", "1double", "1timestamp", "1md5"])
        self.assertEqual([row["kernel"] for row in table[:5]], ["none", "function", "per_row", "direct_scalar", "engine"])
        for row in table:
            self.assertEqual((row["verdict"], row["samples"], row["rows"], row["files"]), ("ok", "6", "60000", "2"), row)
            low, median, high = (float(row["ns_per_row" + end]) for end in ("_low", "", "_high"))
            self.assertTrue(0 < low <= median <= high)
            self.assertGreater(float(row["slowdown_vs_none"]), 0)
            self.assertEqual(int(row["bytes_read"]) > 0, row["columns"] != "count")
            is_kernel = row["kernel"] in ("per_row", "direct_scalar")
            self.assertEqual(row["sink"], "is_deleted" if is_kernel else "")
            if is_kernel:
                self.assertEqual((row["rows_asked"], row["vectors"]), ("60000", row["pieces"]))
                self.assertTrue(0 < float(row["dv_share_pct"]) <= 100)
                self.assertGreater(float(row["open_us_per_file"]), 0)
                for part in ("read", "checksum", "index"):
                    self.assertGreater(float(row[part + "_us_per_file"]), 0)
            if row["kernel"] == "per_row":
                self.assertEqual(row["gain_vs_per_row"], "1")
        run = json.loads(pathlib.Path(self.out, "run.json").read_text(encoding="utf-8"))
        self.assertEqual((run["status"], run["settings"]["engine"], run["settings"]["threads"]), ("complete", "duckdb", "1"))
        self.assertTrue(run["settings"]["engine_version"].startswith("v"))

    def test_columns_of_several_types(self):
        table = self.scan(*SMALL, "--columns", "6", "--types", "mixed")
        self.assertEqual({(row["columns"], row["n_columns"], row["verdict"]) for row in table}, {("6mixed", "6", "ok")})

    def test_every_kernel_kind_of_query_and_type(self):
        table = self.scan("--rows", "50000", "--files", "1", "--rates", "0.3", "--kernel", "all", "--columns", "2int+1md5",
                          "--query", "scan,small,large,equality")
        self.assertEqual({row["verdict"] for row in table} - {"unavailable"}, {"ok"})
        self.assertIn("row_ids", {row["sink"] for row in table})
        self.assertEqual({row["query"] for row in table}, {"scan", "small", "large", "equality"})

    def test_threads_hold_readers_of_their_own(self):
        table = self.scan("--rows", "500000", "--files", "3", "--rates", "0.061", "--columns", "1", "--threads", "3",
                          "--kernel", "per_row,batch_iterator_file,direct_scalar")
        self.assertEqual({(row["verdict"], row["threads"]) for row in table}, {("ok", "3")})
        for row in table:  # more threads than CPUs, maybe: one that waits does not work
            self.assertLessEqual(float(row["dv_share_pct"] or 0), 100, row)

    def test_a_table_is_made_once_and_never_half_trusted(self):
        self.parts()
        folder = pathlib.Path(self.data, csv_files.read(self.out + "/scan.csv")[0]["table"])
        before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.parquet")}
        self.parts()
        self.assertEqual(before, {path.name: path.stat().st_mtime_ns for path in folder.glob("*.parquet")})
        (folder / "complete").unlink()
        (folder / "part-00001.parquet").write_bytes(b"half")
        self.parts()
        self.assertNotEqual(before, {path.name: path.stat().st_mtime_ns for path in folder.glob("*.parquet")})
        self.assertEqual(list(pathlib.Path(self.data).glob("*.part-*")), [])

    def test_what_killed_writers_left_is_removed(self):
        """By the next run, whatever table it makes or finds; a folder that is being written in is left alone."""
        self.scan(*SMALL, "--columns", "0")
        left, held, other = (pathlib.Path(self.data, name) for name in
                             ("table-0123456789abcdef.part-1", "table-0123456789abcdef.part-2", "table-of-mine"))
        for folder in (left, held, other):
            folder.mkdir()
            (folder / "part-00000.parquet").write_bytes(b"PAR1")
        descriptor = os.open(held, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self.scan(*SMALL, "--columns", "0")
            self.assertEqual([folder.exists() for folder in (left, held, other)], [False, True, True])
        finally:
            os.close(descriptor)
        self.scan(*SMALL, "--columns", "0")
        self.assertEqual([folder.exists() for folder in (left, held, other)], [False, False, True])
        shutil.rmtree(other)

    def test_a_writer_that_is_killed_held_its_folder(self):
        data = os.path.join(self.folder.name, "killed")
        words = ["--rows", "3000000", "--files", "1", "--columns", "0", "--kernel", "per_row", *QUICKLY, "--data", data]
        process = subprocess.Popen([PROGRAM, "scan", *words, "--out", data + "-out"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={**os.environ, "DVBENCH_DUCKDB": LIBRARY})
        left = []
        while not left and process.poll() is None:
            left = list(pathlib.Path(data).glob("table-*.part-*/part-*"))
        process.send_signal(signal.SIGSTOP)
        descriptor = os.open(left[0].parent, os.O_RDONLY)
        try:
            with self.assertRaises(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(descriptor)
            process.kill()
            process.wait(timeout=100)
        result = self.run_program("scan", "--rows", "9000", *words[2:], "--out", data + "-out2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([path for path in pathlib.Path(data).glob("table-*") if ".part-" in path.name], [])

    def test_own_files(self):
        parts = self.parts()
        dvs = [self.vector(f"uniform:rate=0.2:rows=30000:seed={seed}", f"{seed}.puffin") for seed in (5, 6)]
        words = [word for part in parts for word in ("--parquet", part)]
        table = self.scan(*words, "--dv", dvs[0], "--dv", dvs[1], "--columns", "key", "--kernel", "per_row")
        self.assertEqual({(row["table"], row["verdict"]) for row in table}, {("parquet", "ok")})
        self.assertTrue(11000 < int(table[0]["deleted"]) < 13000)

    def puffin_of(self, name, *vectors):
        """A Puffin file with several vectors: of each its frame, from a file that `gen` wrote, and its data file."""
        data, blobs = b"PFA1", []
        for spec, data_file in vectors:
            path = self.vector(spec, "one.blob", "--format", "blob")
            frame, n_positions = pathlib.Path(path).read_bytes(), self.count(path)
            blobs.append({"type": "deletion-vector-v1", "fields": [], "snapshot-id": -1, "sequence-number": -1,
                          "offset": len(data), "length": len(frame),
                          "properties": {"cardinality": str(n_positions), "referenced-data-file": data_file}})
            data += frame
        footer = json.dumps({"blobs": blobs}).encode()
        path = pathlib.Path(self.folder.name, name)
        path.write_bytes(data + b"PFA1" + footer + struct.pack("<iI", len(footer), 0) + b"PFA1")
        return str(path)

    def count(self, path):
        return json.loads(self.run_program("inspect", "--json", path).stdout)["cardinality"]

    def test_one_puffin_by_the_names_of_data_files(self):
        parts, words = self.parts(), ["--columns", "key", "--kernel", "per_row"]
        few, many, other = ("prefix:rows=30000:count=" + count for count in ("100", "7000", "9"))
        both = ["--parquet", *parts, "--dv"]
        moved = [(other, "s3://b/t/other.parquet"), (many, "s3://b/t/part-00001.parquet"), (few, "s3://b/t/part-00000.parquet")]
        table = self.scan(*both, self.puffin_of("moved.puffin", *moved), *words)
        self.assertEqual({(row["verdict"], row["deleted"], row["files"]) for row in table}, {("ok", "7100", "2")})
        # One data file, too, has its own vector and not the first one; a path as written goes before only a name.
        table = self.scan("--parquet", parts[0], "--dv", self.puffin_of("moved.puffin", *moved), *words)
        self.assertEqual({(row["verdict"], row["deleted"]) for row in table}, {("ok", "100")})
        alike = [(other, "old/part-00000.parquet"), (few, parts[0]), (many, parts[1])]
        table = self.scan(*both, self.puffin_of("alike.puffin", *alike), *words)
        self.assertEqual({(row["verdict"], row["deleted"]) for row in table}, {("ok", "7100")})
        # A table's file of vectors names only the data files that have deletes; with none of these it is of another table.
        table = self.scan(*both, self.puffin_of("some.puffin", moved[0], moved[1]), *words)
        self.assertIn("some.puffin: no vector for 1 of 2 data files", self.stderr)
        self.assertIn(parts[0], self.stderr)
        self.assertEqual({(row["verdict"], row["deleted"], row["files"]) for row in table}, {("ok", "7000", "2")})
        self.assertIn("some.puffin", table[0]["dv"])
        cases = [("none of its vectors is of the data file", [moved[0]]),
                 ("2 of its 3 vectors", [alike[0], moved[1], moved[2]]),
                 ("deletes row 39999, but", [(few, parts[0]), ("prefix:rows=40000:count=40000", parts[1])])]
        for said, vectors in cases:
            result = self.scan(*both, self.puffin_of("bad.puffin", *vectors), *words, code=3)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(said, result.stderr)
            self.assertIn("bad.puffin", result.stderr)

    def test_bad_input(self):
        parts = self.parts()
        text = os.path.join(self.folder.name, "text.parquet")
        pathlib.Path(text).write_text("no parquet", encoding="utf-8")
        fine, late = self.vector("uniform:rows=30000"), self.vector("all:rows=90000", "late.puffin")
        cases = [(3, "text.parquet", ["--parquet", text, "--dv", fine]),
                 (3, "gone.parquet", ["--parquet", "gone.parquet", "--dv", fine]),
                 (3, f"late.puffin: deletes row 89999, but the data file {parts[0]} has 30000 rows",
                  ["--parquet", parts[0], "--dv", late, "--columns", "0"]),
                 (3, "none of its", ["--parquet", parts[0], "--parquet", parts[1], "--dv", fine, "--columns", "0"]),
                 (3, "nocolumn", ["--parquet", parts[0], "--dv", fine, "--columns", "nocolumn"]),
                 (3, "3md5", ["--parquet", parts[0], "--dv", fine, "--columns", "3md5"]),
                 (3, "text.parquet", ["--parquet", parts[0], "--dv", text]),
                 (2, "--dv", ["--dv", fine]), (2, "unknown", ["--study", "nothing"]), (2, "--rounds", ["--rounds", "0"]),
                 (2, "--files", ["--files", "0"]), (2, "--query", ["--query", "x"]), (2, "--kernel", ["--kernel", "x"]),
                 (2, "unifrom", ["--recipe", "unifrom", "--rows", "1000", "--columns", "0"])]
        for code, said, words in cases:
            result = self.scan(*words, code=code)
            self.assertEqual(len(result.stderr.splitlines()), 1, (words, result.stderr))
            self.assertIn(said, result.stderr)
            self.assertFalse(os.path.exists(self.out))

    def test_report_and_figures(self):
        self.scan(*SMALL, "--columns", "0,1")
        text = pathlib.Path(self.out, "report.md").read_text(encoding="utf-8")
        for said in ("shorter by", "| scan, 1int |", "Asked per row", "Break-even of per_row", "share of a scan of 1 column, 6.1 %"):
            self.assertIn(said, text)
        if shutil.which("gnuplot"):
            self.assertEqual(self.run_program("plot", self.out).returncode, 0)
            self.assertIn("direct_scalar", pathlib.Path(self.out, "plots", "scan_custom.1.svg").read_text(encoding="utf-8"))
            self.assertEqual(self.run_program("report", self.out).returncode, 0)
            self.assertIn("plots/scan_custom.1.svg", pathlib.Path(self.out, "report.md").read_text(encoding="utf-8"))

    def claim(self, what):
        """The cells of a claim's row in the report of the run before: published, measured, here / published, verdict."""
        text = pathlib.Path(self.out, "report.md").read_text(encoding="utf-8")
        found = [line for line in text.splitlines() if line.startswith(f"| {what}")]
        self.assertEqual(len(found), 1, found)
        return [cell.strip() for cell in found[0].split("|")[2:6]]

    def test_claims_of_bytes_and_of_equality_deletes(self):
        table = self.scan("--study", "clustering", "--rows", "200000", "--kernel", "per_row")
        at_random, in_runs = (int(next(row["dv_bytes"] for row in table if row["dv"].startswith(dv))) for dv in ("uniform", "runs"))
        measured, _, verdict = self.claim("bytes of the vectors")[1:]
        self.assertAlmostEqual(float(measured.rstrip("x")), at_random / in_runs, delta=0.01 * at_random / in_runs)
        self.assertEqual(verdict, "reproduced" if 306.9 < at_random / in_runs < 375.3 else "differs")
        self.scan("--study", "equality", "--rows", "200000", "--kernel", "per_row")
        self.assertRegex(self.claim("equality deletes change")[1], r"^-?[0-9.]+ %")
        self.assertEqual(self.claim("share of a scan of 20 columns")[1:], ["", "", "cannot tell"])
        # The same block of another study, measured at another time, is not what it is held against.
        table, said = csv_files.read(self.out + "/scan.csv"), self.claim("equality deletes change")
        elsewhere = [{**row, "study": "columns", "ns_per_row": str(9 * float(row["ns_per_row"]))} for row in table if row["query"] == "scan"]
        csv_files.write(self.out + "/scan.csv", elsewhere + table)
        self.assertEqual(self.run_program("report", self.out).returncode, 0)
        self.assertEqual(self.claim("equality deletes change"), said)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_a_wrong_answer_has_no_time_and_is_exit_1(self):
        plugin = os.path.join(self.folder.name, "broken.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-DBROKEN=1", "-I", SOURCE + "/kernels", SOURCE + "/tests/plugins/broken.c",
                        "-o", plugin], check=True)
        result = self.scan("--plugin", plugin, "--recipe", "none", "--rows", "60000", "--files", "1", "--columns", "0,1",
                           "--kernel", "mine_*", code=1)
        self.assertIn("answers are wrong", result.stderr)
        found = {(row["kernel"], row["verdict"]): row for row in csv_files.read(self.out + "/scan.csv")}
        self.assertEqual(found["mine_broken", "wrong"]["ns_per_row"], "")
        self.assertNotEqual(found["mine_broken", "wrong"]["reason"], "")
        self.assertGreater(float(found["per_row", "ok"]["ns_per_row"]), 0)

    def test_openings_of_many_files(self):
        self.scan("--rows", "60000", "--files", "2,30", "--columns", "1", "--rates", "0.061", "--kernel", "per_row")
        text = pathlib.Path(self.out, "report.md").read_text(encoding="utf-8")
        self.assertIn("opening, us per file", text)

    def test_break_even_and_verdicts(self):
        """From shares put in by hand: 42 % of a column and 10.5 % of three are 21 % at the square root of three."""
        table = self.scan("--rows", "8000", "--files", "4", "--rates", "0.061", "--columns", "3,1", "--kernel", "per_row")
        for row in table:
            if row["kernel"] == "per_row":
                row.update({"dv_share" + end: "42" if row["columns"] == "1int" else "10.5" for end in ("_low", "_pct", "_high")})
        csv_files.write(self.out + "/scan.csv", table)
        self.assertEqual(self.run_program("report", self.out).returncode, 0)
        text = pathlib.Path(self.out, "report.md").read_text(encoding="utf-8")
        self.assertIn("under 21 % of the query from 1.73 on, under 10 % at no width measured", text)
        csv_files.rewrite(self.out + "/scan.csv", lambda row: row if row["columns"] == "3int" else {**row, "dv_share_pct": "9"})
        self.assertEqual(self.run_program("report", self.out).returncode, 0)
        self.assertIn("under 21 % of the query at all measured, from 1 on", pathlib.Path(self.out, "report.md").read_text(encoding="utf-8"))
        csv_files.write(self.out + "/scan.csv", table)
        self.assertEqual(self.run_program("report", self.out).returncode, 0)
        self.assertEqual(self.claim("number of columns from which")[1:], ["1.73", "0.247", "differs"])
        self.assertEqual(self.claim("share of a scan of 1 column, 6.1 %")[1:], ["42.0 %", "0.850", "differs"])
        self.assertEqual(self.claim("share of a scan of 1 column, 50 %")[1:], ["", "", "cannot tell"])
        self.assertRegex(text, r"Of \d+ claims 0 are reproduced, 4 differ")

    def test_no_space_is_seen_before_writing(self):
        result = self.scan("--rows", str(1 << 40), "--columns", "0", code=1)
        self.assertIn("MB free", result.stderr)

    def test_a_table_that_does_not_fit_is_removed(self):
        """As on a disk that fills while the table is written: no file may grow past 1 MB."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        data, out = os.path.join(self.folder.name, "small"), os.path.join(self.folder.name, "none")
        result = self.run_program("scan", "--rows", "400000", "--files", "1", *QUICKLY, "--data", data, "--out", out,
                                  preexec_fn=limit, restore_signals=False)
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 1), result.stderr)
        self.assertIn("part-00000.parquet", result.stderr)
        self.assertEqual((os.listdir(data), os.path.exists(out)), ([], False))

    def test_no_library(self):
        for words in (["--duckdb", "/nonexistent/folder"], ["--duckdb=" + __file__]):
            result = self.scan(*words, code=4)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn("--duckdb=FOLDER", result.stderr)

    def test_interrupted_and_resumed(self):
        for number in (signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number):
                self.interrupt_and_resume(number, os.path.join(self.folder.name, f"stopped{number}"))

    def interrupt_and_resume(self, number, out):
        words = [*SMALL, "--columns", "0,1,2,3,4,5,6,7,8", "--no-plots", "--quiet", "--data", self.data, "--out", out]
        process = subprocess.Popen([PROGRAM, "scan", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "DVBENCH_DUCKDB": LIBRARY},
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))  # nohup ignores it
        path = pathlib.Path(out, "scan.csv")
        while not (path.exists() and len(path.read_bytes().splitlines()) > 5) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)
        result = self.run_program("scan", "--resume", out)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("another process is writing this run", result.stderr)
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        said = process.communicate(timeout=100)[1]
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("--resume", said)
        kept = csv_files.read(path)
        self.assertTrue(0 < len(kept) < 45 and len(kept) % 5 == 0, len(kept))
        result = self.run_program("scan", "--resume", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        whole = csv_files.read(path)
        self.assertEqual((len(whole), whole[:len(kept)]), (45, kept))
        self.assertEqual(json.loads(pathlib.Path(out, "run.json").read_text(encoding="utf-8"))["status"], "complete")


class KilledOften(Base):
    """Ended at random moments, the writing of the table among them, and continued as the program says."""
    N_MOMENTS = 26
    WORDS = [*SMALL, "--columns", "0,1,2", *QUICKLY]
    # What a row is, as opposed to what a clock said of it.
    SAME = ("cell", "columns", "rows", "files", "dv", "deleted", "kernel", "verdict", "samples", "vectors", "pieces", "rows_asked", "bytes_read")

    def run_to_its_end(self, out, data):
        """Goes on where something was recorded, else begins again."""
        options = ["--resume", out] if os.path.exists(out + "/run.json") else [*self.WORDS, "--data", data, "--out", out]
        done = self.run_program("scan", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(pathlib.Path(out, "run.json").read_text(encoding="utf-8"))["status"], "complete")
        return csv_files.read(out + "/scan.csv")

    def kill(self, out, data, seconds):
        """Returns the rows that are whole then."""
        process = subprocess.Popen([PROGRAM, "scan", *self.WORDS, "--data", data, "--out", out], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={**os.environ, "DVBENCH_DUCKDB": LIBRARY})
        time.sleep(random.uniform(0, seconds))
        process.send_signal(random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
        process.wait(timeout=100)
        path = pathlib.Path(out, "scan.csv")
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        return list(csv.DictReader(text[:text.rfind("\n") + 1].splitlines()))

    def test_random_moments(self):
        began = time.monotonic()
        whole = self.run_to_its_end(os.path.join(self.folder.name, "whole"), self.data)
        seconds = time.monotonic() - began
        wanted = [{column: row[column] for column in self.SAME} for row in whole]
        for moment in range(self.N_MOMENTS):
            with self.subTest(moment=moment):
                out, data = (os.path.join(self.folder.name, f"{name}{moment}") for name in ("out", "data"))
                kept = self.kill(out, data, seconds)
                table = self.run_to_its_end(out, data)
                self.assertEqual([{column: row[column] for column in self.SAME} for row in table], wanted)
                self.assertEqual([row for row in kept[:len(kept) // 5 * 5] if row not in table], [])
                self.assertEqual(list(pathlib.Path(data).glob("*.part-*")), [])


class Killed(KilledOften):
    N_MOMENTS = 3


if __name__ == "__main__":
    if not LIBRARY:
        print("skipped:", REASON)
        sys.exit(77)
    unittest.main()
