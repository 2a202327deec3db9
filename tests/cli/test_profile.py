#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`loop` and `asm`: one cell for a profiler, and its code. argv: dvbench."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
CELL = "for_each_in_range/row_ids@uniform:rate=5%:rows=100000"


def run(*words, code=0, **kwargs):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120, **kwargs)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    assert code == 0 or done.stderr.count("\n") == 1, done.stderr
    return done


class Loop(unittest.TestCase):
    def test_runs_and_says_what(self):
        for cell, batches, rows in ((CELL, 20, 100000), (CELL + ",batch=1000", 100, 100000),
                                    (CELL + ",batch=1000,mode=replay", 64, 64000)):
            passes, time = run("loop", cell, "--seconds", "1").stdout.splitlines()
            self.assertRegex(passes, rf"^[0-9]+ passes of {batches} batches, {rows} rows each pass$")
            self.assertRegex(time, r"^[0-9.e-]+ ns per row")
        self.assertIn(" of 7 batches", run("loop", CELL, "--seconds", "1", "--max-batches", "7").stdout)

    def test_ready_fd(self):
        read_end, write_end = os.pipe()
        with subprocess.Popen([PROGRAM, "loop", CELL, "--seconds", "1", "--ready-fd", str(write_end)],
                              pass_fds=[write_end], stdout=subprocess.DEVNULL) as process:
            os.close(write_end)
            with open(read_end, encoding="utf-8") as pipe:
                self.assertEqual(pipe.read(), f"ready {process.pid}\ndone\n")
        self.assertEqual(process.returncode, 0)
        self.assertIn("no such open descriptor", run("loop", CELL, "--ready-fd", "77", code=2).stderr)

    def test_perf_control(self):
        """The other end, as perf plays it: both fifos held open, each command answered."""
        with tempfile.TemporaryDirectory() as folder:
            control, ack = folder + "/ctl", folder + "/ack"
            os.mkfifo(control)
            os.mkfifo(ack)
            self.assertIn("no perf reads", run("loop", CELL, "--perf-ctl", control, code=1).stderr)
            ends = [os.open(name, os.O_RDWR) for name in (control, ack)]
            seen = []

            def perf():
                for _ in range(2):
                    seen.append(os.read(ends[0], 64))
                    os.write(ends[1], b"ack\n\0")

            thread = threading.Thread(target=perf, daemon=True)
            thread.start()
            run("loop", CELL, "--seconds", "1", "--perf-ctl", f"fifo:{control},{ack}")
            thread.join(30)
            self.assertEqual(seen, [b"enable\n", b"disable\n"])
            for end in ends:
                os.close(end)

    def test_refusals(self):
        for cell, code, words in (("per_row", 2, "not a cell"), ("nobody/row_ids@none", 2, "unknown kernel"),
                                  ("oracle/nothing@none", 2, "unknown kernel"), ("direct_scalar/x@none", 2, "unknown sink"),
                                  (CELL + ",mode=cold", 4, "mode=cold"), (CELL + ",mode=x", 2, "mode=x"),
                                  (CELL + ",batch=0", 2, "batch"), ("direct_scalar/row_ids@/no/such/file", 3, "/no/such/file")):
            self.assertIn(words, run("loop", cell, code=code).stderr)
        run("loop", code=2)
        self.assertIn("mkfifo", run("loop", "--help").stdout)


@unittest.skipUnless(shutil.which("objdump"), "no objdump")
class Asm(unittest.TestCase):
    def test_instance(self):
        text = run("asm", "for_each_in_range/row_ids").stdout
        first, second, *rest = text.splitlines()
        match = re.match(r"for_each_in_range_row_ids: (\d+) bytes, (\d+) instructions in \d+ function", first)
        code = [line for line in rest if re.match(r"^\s*[0-9a-f]+:\t", line)]
        self.assertEqual(len(code), int(match[2]))
        self.assertGreaterEqual(int(match[1]), len(code))
        self.assertIn("instruction set of the registry: generic", second)
        self.assertRegex(rest[0], r"^[0-9a-f]+ <for_each_in_range_row_ids")
        self.assertGreater(len(rest), len(run("asm", "for_each_in_range/row_ids", "--no-source").stdout.splitlines()) - 2)

    @unittest.skipUnless(os.uname().machine == "x86_64", "not x86-64")
    def test_instruction_sets(self):
        second = run("asm", "direct_avx512_base/row_ids").stdout.splitlines()[1]
        self.assertRegex(second, r"avx512; found in the code: [0-9]+ with zmm")
        second = run("asm", "direct_bmi2/row_ids").stdout.splitlines()[1]
        self.assertIn("with BMI instructions", second)
        self.assertNotIn("zmm", second)

    def test_refusals(self):
        for words, code in ((["asm"], 2), (["asm", "x/row_ids"], 2), (["asm", "per_row/x"], 2)):
            run(*words, code=code)
        self.assertIn("objdump", run("asm", "direct_scalar/row_ids", code=4, env={"PATH": "/nonexistent"}).stderr)


unittest.main()
