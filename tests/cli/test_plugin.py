#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--plugin: kernels from shared objects. argv: dvbench, source folder, C compiler, C++ compiler, CRoaring's arguments..."""
import os
import subprocess
import sys
import tempfile
import unittest

import csv_files

PROGRAM, SOURCE, CC, CXX, *ROARING = sys.argv[1:]
PROGRAM = os.path.abspath(PROGRAM)
QUICK = ["--rounds", "6", "--min-time", "100us", "--counters", "none", "--no-plots", "--quiet"]


class Plugin(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def compile(self, name, *arguments, compiler=CC):
        out = os.path.join(self.folder.name, "plugin%d.so" % len(os.listdir(self.folder.name)))
        subprocess.run([*compiler.split(), "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-I", SOURCE + "/kernels",
                        SOURCE + "/tests/plugins/" + name, "-o", out, *arguments], check=True)
        return out

    def run_program(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def sweep(self, plugin, recipe, kernel, sink, code=0):
        out = os.path.join(self.folder.name, "run%d" % len(os.listdir(self.folder.name)))
        self.run_program("sweep", "--plugin", plugin, "--dv", recipe, "--kernel", kernel, "--sink", sink, *QUICK, "--out", out, code=code)
        return {row["kernel"]: row for row in csv_files.read(out + "/summary.csv")}

    @unittest.skipUnless(ROARING, "built without CRoaring")
    def test_c_over_croaring(self):
        plugin = self.compile("per_row.c", *ROARING)
        self.assertIn("mine_per_row", self.run_program("list", "kernels", "--plugin", plugin).stdout)
        self.assertNotIn("mine_per_row", self.run_program("list", "kernels").stdout)
        rows = self.sweep(plugin, "uniform:rate=0.07:rows=200000", "mine_*", "row_ids")
        self.assertEqual(rows["mine_per_row"]["verdict"], "ok", rows["mine_per_row"]["reason"])
        self.assertRegex(rows["mine_per_row"]["technique"], "^plugin_[0-9a-f]{16}$")
        self.assertGreater(float(rows["mine_per_row"]["ns_per_row"]), 0)
        text = self.run_program("check", "uniform:rate=0.02:rows=200000", "--kernel", "mine_*", "--plugin=" + plugin).stdout
        self.assertIn("1 verifications ok, 0 wrong", text)

    def test_cxx(self):
        plugin = self.compile("positions.cc", compiler=CXX)
        rows = self.sweep(plugin, "uniform:rate=0.07:rows=100000:optimize=0", "mine_*,direct_scalar", "is_deleted")
        for kernel in ("mine_positions", "direct_scalar"):
            self.assertEqual(rows[kernel]["verdict"], "ok", rows[kernel]["reason"])

    def test_broken_ones_are_wrong_and_the_sweep_goes_on(self):
        for broken, reason in ((1, "is_deleted[4999] = 1; oracle 0"), (2, "wrote"), (3, "signal 11"), (4, "exit code 7"), (5, "signal 11")):
            plugin = self.compile("broken.c", f"-DBROKEN={broken}")
            rows = self.sweep(plugin, "none:rows=50000", "mine_*,direct_scalar", "is_deleted", code=1)
            self.assertEqual(rows["mine_broken"]["verdict"], "wrong", broken)
            self.assertIn(reason, rows["mine_broken"]["reason"])
            self.assertEqual(rows["mine_broken"]["ns_per_row"], "")
            self.assertEqual(rows["direct_scalar"]["verdict"], "ok")

    def test_resume_loads_the_plugins_of_the_run(self):
        plugin, out = self.compile("broken.c", "-DBROKEN=6"), os.path.join(self.folder.name, "run")
        begun = ["sweep", "--plugin", plugin, "--dv", "none:rows=50000", "--kernel", "mine_*,direct_scalar", "--sink", "is_deleted"]
        self.run_program(*begun, *QUICK, "--out", out)
        before = csv_files.read(out + "/samples.csv")
        csv_files.rewrite(out + "/samples.csv", lambda row: row)
        os.remove(out + "/summary.csv")
        self.run_program("sweep", "--resume", out)
        self.assertEqual(csv_files.read(out + "/samples.csv"), before)
        self.assertEqual({r["verdict"] for r in csv_files.read(out + "/summary.csv") if r["kernel"] == "mine_broken"}, {"ok"})
        moved = plugin + ".moved"
        os.rename(plugin, moved)
        self.assertIn(plugin, self.run_program("sweep", "--resume", out, code=2).stderr)
        self.run_program("sweep", "--resume", out, "--plugin", moved)

    def test_refusals(self):
        other = self.compile("broken.c", "-DBROKEN=6", "-DABI=99")
        table = self.compile("broken.c", "-DBROKEN=6", "-Ddvbench_plugin=another_name")
        for file, words in ((other, "version 99"), (table, "exports no dvbench_plugin"), ("/no/such.so", "no such file"),
                            (__file__, "cannot be loaded")):
            error = self.run_program("list", "kernels", "--plugin", file, code=2).stderr
            self.assertIn(words, error)
            self.assertEqual(error.count("\n"), 1, error)
        self.assertIn("-shared", self.run_program("--help").stdout)


unittest.main(argv=sys.argv[:1])
