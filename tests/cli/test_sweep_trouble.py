# SPDX-License-Identifier: Apache-2.0
"""`sweep` where something gets in its way: signals, full disks, other programs' rows, wrong kernels, files without rows."""
import csv
import ctypes
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from csv_files import read as rows

PROGRAM = os.path.abspath(sys.argv.pop(1))
QUICKLY = ["--rounds", "6", "--min-time", "200us", "--counters", "none", "--no-plots", "--quiet"]
SMALL = ["--recipe", "uniform:rows=200000", "--rates", "0.01,0.07", "--sink", "row_ids", "--kernel", "per_row,direct_scalar"]
EMPTY = bytes(8)  # a portable 64-bit bitmap of no buckets


class Trouble(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "run")

    def sweep(self, *words, code=0, **kwargs):
        result = subprocess.run([PROGRAM, "sweep", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **kwargs)
        self.assertEqual(result.returncode, code, result.stderr)
        # With Debian 12's CRoaring every sweep warns of it.
        result.stderr = "".join(line for line in result.stderr.splitlines(True) if "warning: CRoaring 0.2.66" not in line)
        return result

    def samples_of_cells(self, out=None):
        return [row["samples"] for row in rows((out or self.out) + "/summary.csv")]

    def run_json(self):
        with open(self.out + "/run.json", encoding="utf-8") as file:
            return json.load(file)

    def state(self):
        """Bytes and times of all files of the run."""
        return {name: (pathlib.Path(self.out, name).read_bytes(), os.stat(os.path.join(self.out, name)).st_mtime_ns)
                for name in sorted(os.listdir(self.out)) if os.path.isfile(os.path.join(self.out, name))}

    def begin(self, *words):
        """Starts a sweep of six cells; returns when its first samples are there."""
        process = subprocess.Popen([PROGRAM, "sweep", "--recipe", "uniform:rows=1000000", "--rates", "0.01,0.02,0.03", "--sink", "row_ids",
                                    "--kernel", "per_row,direct_scalar", "--rounds", "8", "--counters", "none", "--no-plots", "--out", self.out, *words],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))  # nohup ignores it
        samples = pathlib.Path(self.out, "samples.csv")
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not (samples.exists() and len(samples.read_text().splitlines()) > 4):
            time.sleep(0.01)
        return process

    @unittest.skipUnless(shutil.which("valgrind"), "no valgrind")
    def test_counts_are_taken_by_the_first_start(self):
        """A later process start of the same program would find the same: it does not run the simulator again."""
        found = subprocess.run([PROGRAM, "counters", "--format", "csv"], stdout=subprocess.PIPE, text=True, timeout=300).stdout
        if not any(row["source"] == "sim" and row["status"] == "ok" for row in csv.DictReader(found.splitlines())):
            self.skipTest("no simulator for this program, as for a sanitizer's build")
        log, tools = pathlib.Path(self.folder.name, "log"), pathlib.Path(self.folder.name, "tools")
        tools.mkdir()
        (tools / "valgrind").write_text(f'#!/bin/sh\ncase "$*" in *callgrind*) echo x >> {log};; esac\nexec {shutil.which("valgrind")} "$@"\n')
        (tools / "valgrind").chmod(0o755)
        found = []
        for starts in ("1", "2"):
            log.write_text("")
            out = self.out + starts
            self.sweep(*SMALL, *QUICKLY, "--counters", "sim", "--starts", starts, "--out", out, env=dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}"))
            events = sorted((row["cell"], row["event"], row["value_per_row"]) for row in rows(out + "/counters.csv"))
            found.append(([row["instructions_per_row"] for row in rows(out + "/summary.csv")], events))
            found[-1] += (len([line for line in log.read_text().splitlines()]),)
        once, twice = found
        self.assertTrue(all(once[0]) and once[1], once)
        self.assertEqual(once[:2], twice[:2])
        # Each process tries the simulator once; the four cells are counted by the first.
        self.assertGreaterEqual(once[2], 4)
        self.assertLess(twice[2] - once[2], 3)

    def interrupt(self, send, *words):
        """Starts a sweep of six cells, sends it a signal in its first block, and lets it go on to its end."""
        process = self.begin(*words)
        send(process)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("--resume", errors.splitlines()[-1])
        self.assertEqual(self.run_json()["status"], "interrupted")
        self.assertEqual(len(rows(self.out + "/summary.csv")), 2)  # of the block in flight, with what was measured
        self.sweep("--resume", self.out, "--quiet")
        self.assertEqual(self.run_json()["status"], "complete")
        self.assertNotIn("--resume", self.run_json()["arguments"])

    def test_terminate(self):
        self.interrupt(lambda process: process.terminate())
        self.assertEqual(self.samples_of_cells(), ["8"] * 6)

    def test_hang_up(self):
        self.interrupt(lambda process: process.send_signal(signal.SIGHUP))
        self.assertEqual(self.samples_of_cells(), ["8"] * 6)

    def test_one_process_writes_a_run(self):
        process = self.begin("--starts", "2")
        errors = self.sweep("--resume", self.out, code=4).stderr
        self.assertIn("another process is writing this run", errors)
        self.sweep(*SMALL, *QUICKLY, "--start", "0", "--out", self.out, code=4)
        process.kill()  # its child ends with it
        process.communicate(timeout=60)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            again = subprocess.run([PROGRAM, "sweep", "--resume", self.out, "--quiet"], stderr=subprocess.PIPE, text=True, timeout=300)
            if again.returncode != 4:
                break
            time.sleep(0.05)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.samples_of_cells(), ["16"] * 6)
        keys = [(row["cell"], row["start"], row["round"]) for row in rows(self.out + "/samples.csv")]
        self.assertEqual(len(keys), len(set(keys)))

    def test_a_complete_run_is_left_alone(self):
        self.sweep(*SMALL, *QUICKLY, "--starts", "2", "--out", self.out)
        before = self.state()
        self.sweep("--resume", self.out)
        self.assertEqual(self.state(), before)

    def test_another_machine_is_refused(self):
        self.sweep(*SMALL, *QUICKLY, "--out", self.out)
        path = pathlib.Path(self.out, "run.json")
        for key in ("program", "croaring", "machine"):
            other = dict(self.run_json(), **{key: "another"})
            path.write_text(json.dumps(other))
            errors = self.sweep("--resume", self.out, code=2).stderr
            self.assertIn("measured with " + key + " another", errors)
            path.write_text(json.dumps(dict(other, **{key: None})))

    def test_a_run_without_its_record_goes_on(self):
        self.sweep(*SMALL, *QUICKLY, "--out", self.out)
        for text in ("", "garbage"):
            pathlib.Path(self.out, "run.json").write_text(text)
            self.assertIn("give the run's options again", self.sweep("--resume", self.out, code=2).stderr)
            self.sweep("--resume", self.out, *SMALL, *QUICKLY)
            self.assertEqual(self.samples_of_cells(), ["6"] * 4)

    def test_samples_of_the_bound_are_missed(self):
        self.sweep(*SMALL, *QUICKLY, "--out", self.out)
        samples = pathlib.Path(self.out, "samples.csv")
        whole = samples.read_text().splitlines(keepends=True)
        for kernel in (",bound,", "_aa,"):
            samples.write_text("".join(line for line in whole if kernel not in line or ",5," not in line))
            self.sweep("--resume", self.out)
            self.assertEqual(len(samples.read_text().splitlines()), len(whole))

    def test_samples_without_their_rows_are_kept(self):
        self.sweep(*SMALL, *QUICKLY, "--starts", "2", "--out", self.out)
        samples, summary = pathlib.Path(self.out, "samples.csv"), pathlib.Path(self.out, "summary.csv")
        whole, lines = samples.read_bytes(), summary.read_text().splitlines(keepends=True)
        summary.write_text("".join(lines[:-2]))  # as a process leaves it that is killed before it writes the last block
        self.sweep("--resume", self.out)
        self.assertEqual(samples.read_bytes(), whole)
        self.assertEqual(self.samples_of_cells(), ["12"] * 4)
        self.assertTrue(all(float(row["open_ns"]) > 0 and row["ns_per_row"] for row in rows(summary)))

    def test_closed_standard_streams(self):
        self.sweep(*SMALL, *QUICKLY[:-1], "--out", self.out, preexec_fn=lambda: [os.close(fd) for fd in (0, 1, 2)])
        self.assertTrue(all(None not in row and None not in row.values() for row in rows(self.out + "/samples.csv")))
        self.assertEqual(self.samples_of_cells(), ["6"] * 4)

    def test_a_signal_before_anything_is_measured(self):
        plan = os.path.join(self.folder.name, "plan")
        os.mkfifo(plan)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([PROGRAM, "sweep", "--plan", plan, "--out", self.out], stderr=subprocess.PIPE, text=True)
            writer = None
            while writer is None:  # until the program waits for the plan's text
                try:
                    writer = os.open(plan, os.O_WRONLY | os.O_NONBLOCK)
                except OSError:
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.communicate(timeout=60)[1], "dvbench: interrupted before measuring began\n")
            os.close(writer)
            self.assertEqual(process.returncode, 130)

    def test_a_report_that_cannot_be_written_is_not_listed(self):
        os.makedirs(os.path.join(self.out, "report.md"))
        result = self.sweep(*SMALL, *[word for word in QUICKLY if word != "--quiet"], "--out", self.out, code=1)
        self.assertIn("no report: ", result.stderr)
        self.assertNotIn("report.md", result.stdout)
        self.assertIn("summary.csv", result.stdout)

    def test_ctrl_c_while_figures_are_drawn(self):
        fake = pathlib.Path(self.folder.name, "bin", "gnuplot")
        fake.parent.mkdir()
        fake.write_text("#!/bin/sh\ncase \"$*\" in *version*) echo gnuplot 6.0 patchlevel 0 ;; *) : >drawing; exec sleep 20 ;; esac\n")
        fake.chmod(0o755)
        self.sweep(*SMALL[:3], "0.01,0.07,0.2", *SMALL[4:], *QUICKLY, "--out", self.out)
        process = subprocess.Popen([PROGRAM, "plot", self.out], cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True, env=dict(os.environ, PATH=f"{fake.parent}:{os.environ['PATH']}"))
        while process.poll() is None and not list(pathlib.Path(self.folder.name).rglob("drawing")):
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("draws what is missing: cost_over_rate.row_ids", said)

    def test_a_pipe_is_no_file_of_a_sweep(self):
        pipe = os.path.join(self.folder.name, "pipe")
        os.mkfifo(pipe)
        self.assertIn("found a pipe", self.sweep("--dv", pipe, "--out", self.out, code=3).stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_a_run_that_cannot_start_leaves_no_folder(self):
        self.sweep(*SMALL, *QUICKLY, "--cpu", "4095", "--out", self.out, code=2)
        self.assertFalse(os.path.exists(self.out))
        os.mkdir(self.out)
        self.sweep(*SMALL, *QUICKLY, "--cpu", "4095", "--out", self.out, code=2)
        self.assertEqual(os.listdir(self.out), [])

    def test_ctrl_c_reaches_all_process_starts(self):
        self.interrupt(lambda process: os.killpg(process.pid, signal.SIGINT), "--starts", "2")
        self.assertEqual(self.samples_of_cells(), ["16"] * 6)

    def test_terminate_reaches_the_process_start(self):
        self.interrupt(lambda process: process.terminate(), "--starts", "2")
        self.assertEqual(self.samples_of_cells(), ["16"] * 6)

    def test_resume_measures_missing_starts_alone(self):
        self.sweep(*SMALL, *QUICKLY, "--starts", "2", "--out", self.out)
        samples = pathlib.Path(self.out, "samples.csv")
        whole = samples.read_text().splitlines(keepends=True)
        first = [line for line in whole if line.split(",")[8] == "0"]
        samples.write_text("".join(whole[:len(whole) - 3]))  # torn in the last start
        self.sweep("--resume", self.out)
        self.assertEqual(self.samples_of_cells(), ["12"] * 4)
        again = samples.read_text().splitlines(keepends=True)
        self.assertEqual(len(again), len(whole))
        self.assertEqual([line for line in again if line.split(",")[8] == "0"], first)

    def test_costs_that_an_interruption_took_are_measured_again(self):
        self.sweep(*SMALL, *QUICKLY, "--out", self.out)
        summary = pathlib.Path(self.out, "summary.csv")
        table = [line.split(",") for line in summary.read_text().splitlines()]
        table[1][table[0].index("open_ns")] = ""
        summary.write_text("".join(",".join(row) + "\n" for row in table))
        self.sweep("--resume", self.out)
        self.assertTrue(all(row["open_ns"] for row in rows(summary)))

    def test_rows_of_another_program_do_not_stay_beside(self):
        self.sweep(*SMALL, *QUICKLY, "--out", self.out)
        cells = {row["cell"] for row in rows(self.out + "/samples.csv")}
        for name in ("samples.csv", "summary.csv"):  # as another program would have hashed them
            path = pathlib.Path(self.out, name)
            text = path.read_text()
            for cell in cells:
                text = text.replace(cell, cell[::-1])
            path.write_text(text)
        before = self.state()
        self.assertIn("--replace", self.sweep("--resume", self.out, code=2).stderr)
        self.assertEqual(self.state(), before)
        errors = self.sweep("--resume", self.out, "--replace").stderr
        self.assertIn("4 rows of another program", errors)
        self.assertNotIn("--replace", self.run_json()["arguments"])
        self.assertIn("4 rows of another program", " ".join(self.run_json()["warnings"]))
        self.assertEqual(self.samples_of_cells(), ["6"] * 4)
        self.assertEqual({row["cell"] for row in rows(self.out + "/samples.csv")}, cells)

    def test_rows_outside_the_plan_are_kept_and_said(self):
        self.sweep("--recipe", "none:rows=50000", "--sink", "row_ids", "--kernel", "per_row", *QUICKLY, "--out", self.out)
        errors = self.sweep("--resume", self.out, "--sink", "touch", "--recipe", "one:rows=50000").stderr
        self.assertEqual(errors, "")  # two recipes and two sinks: all of the old plan is in the new one
        errors = self.sweep(*SMALL, *QUICKLY, "--start", "0", "--out", self.out).stderr
        self.assertIn("4 rows that the plan does not name", errors)

    def test_a_wrong_cell_stays_wrong(self):
        self.sweep(*SMALL, *QUICKLY, "--out", self.out)
        summary = pathlib.Path(self.out, "summary.csv")
        table = [line.split(",") for line in summary.read_text().splitlines()]
        table[1][table[0].index("verdict")] = "wrong"
        table[1][table[0].index("reason")] = "seen before"
        summary.write_text("".join(",".join(row) + "\n" for row in table))
        self.assertIn("1 cells are wrong", self.sweep("--resume", self.out, code=1).stderr)
        self.sweep("--resume", self.out, "--starts", "2", code=1)
        by_kernel = {(row["kernel"], row["axis_value"]): row for row in rows(summary)}
        wrong = by_kernel["per_row", "0.01"]
        self.assertEqual((wrong["verdict"], wrong["reason"], wrong["ns_per_row"]), ("wrong", "seen before", ""))
        self.assertEqual(by_kernel["direct_scalar", "0.01"]["speedup_vs_per_row"], "")  # its baseline has no time
        self.assertEqual(by_kernel["direct_scalar", "0.01"]["samples"], "12")

    def test_benchmark_out_fails_before_anything_is_measured(self):
        errors = self.sweep(*SMALL, *QUICKLY, "--benchmark_out=/nonexistent/x.json", "--out", self.out, code=1).stderr
        self.assertEqual(len(errors.splitlines()), 1)
        self.assertIn("/nonexistent/x.json", errors)
        self.assertFalse(os.path.exists(self.out))

    def test_out_that_cannot_be_made(self):
        pathlib.Path(self.folder.name, "file").write_text("")
        errors = self.sweep(*SMALL, *QUICKLY, "--out", self.folder.name + "/file/run", code=1).stderr
        self.assertEqual(len(errors.splitlines()), 1)
        self.assertIn("/file/run", errors)

    def test_out_is_not_the_root_folder(self):
        for path in ("/", "//"):
            self.assertIn("--out", self.sweep(*SMALL, *QUICKLY, "--out", path, code=2).stderr)

    def test_full_disk_is_an_error_and_the_run_goes_on_later(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # write fails instead
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        for starts, most in (("1", 5000), ("2", 5000), ("1", 3500)):  # the last one within the first block
            self.out = os.path.join(self.folder.name, "starts%s-%d" % (starts, most))
            errors = self.sweep(*SMALL, *QUICKLY, "--starts", starts, "--out", self.out, code=1, preexec_fn=limit).stderr
            self.assertIn("samples.csv", errors)
            self.assertEqual(len(errors.splitlines()), int(starts), errors)
            self.assertIn("sweep --resume " + self.out + " continues it", errors)
            self.sweep("--resume", self.out)
            self.assertEqual(self.samples_of_cells(), [str(6 * int(starts))] * 4)
        self.out, most = os.path.join(self.folder.name, "summary"), 5000
        errors = self.sweep(*SMALL, *QUICKLY, "--kernel", "best", "--rounds", "1", "--out", self.out, code=1, preexec_fn=limit).stderr
        self.assertIn("summary.csv", errors)
        self.assertNotIn("summary.csv.part", os.listdir(self.out))  # it would keep the last bytes

    def test_read_only_results_are_an_error_and_the_run_goes_on_later(self):
        def obey_permissions():  # root, too
            for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
                ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
        self.sweep(*SMALL, *QUICKLY, "--out", self.out)
        before = self.state()
        os.chmod(self.out, 0o555)
        errors = self.sweep("--resume", self.out, "--rounds", "7", code=1, preexec_fn=obey_permissions).stderr
        self.assertIn("Permission denied", errors)
        self.assertIn("sweep --resume " + self.out + " continues it", errors)
        self.assertEqual({name: old for name, old in before.items() if name != "samples.csv"},
                         {name: new for name, new in self.state().items() if name != "samples.csv"})
        errors = self.sweep(*SMALL, *QUICKLY, "--out", self.out + "/run", code=1, preexec_fn=obey_permissions).stderr
        self.assertIn("cannot make the folder " + self.out + "/run", errors)
        os.chmod(self.out, 0o755)
        self.sweep("--resume", self.out, "--rounds", "7")
        self.assertEqual(self.samples_of_cells(), ["7"] * 4)
        self.sweep("--resume", self.out, "--rounds", "3")  # more than that are there
        self.assertEqual(self.samples_of_cells(), ["7"] * 4)

    def test_gnuplot_vanishes(self):
        fake = pathlib.Path(self.folder.name, "bin", "gnuplot")
        fake.parent.mkdir()
        fake.write_text("#!/bin/sh\n/bin/rm -f \"$0\"\necho gnuplot 6.0 patchlevel 0\n")
        fake.chmod(0o755)
        environment = dict(os.environ, PATH=str(fake.parent))
        errors = self.sweep(*SMALL, *[word for word in QUICKLY if word != "--no-plots"], "--out", self.out, env=environment).stderr
        self.assertFalse(fake.exists())
        self.assertIn("`dvbench plot` draws the figures later", errors)
        self.assertTrue(os.path.exists(self.out + "/report.md"))
        self.assertEqual(self.run_json()["status"], "complete")

    def test_folder_with_spaces(self):
        self.out = os.path.join(self.folder.name, "my run's (1) &c")
        self.sweep(*SMALL, *[word for word in QUICKLY if word != "--no-plots"], "--out", self.out)
        self.assertEqual({row["run"] for row in rows(self.out + "/summary.csv")}, {"my run's (1) &c"})
        self.assertTrue(os.path.exists(self.out + "/report.md"))
        if any(os.path.exists(os.path.join(part, "gnuplot")) for part in os.environ["PATH"].split(":")):
            self.assertIn("cost_over_rate.row_ids.svg", os.listdir(self.out + "/plots"))

    def test_shards_merge_to_the_whole_plan(self):
        plan = os.path.join(self.folder.name, "plan")
        pathlib.Path(plan).write_text("--recipe uniform:rows=100000 --vary rate=0.01,0.02 --sink row_ids --kernel per_row\n"
                                      "--recipe uniform:rows=100000:rate=0.01 --batch 64,5000 --sink row_ids --kernel per_row,direct_scalar\n")
        parts = [os.path.join(self.folder.name, "part" + str(i)) for i in (1, 2)]
        for i, part in enumerate(parts):
            self.sweep("--plan", plan, *QUICKLY, "--shard", f"{i + 1}/2", "--out", part)
        result = subprocess.run([PROGRAM, "merge", self.out, *parts], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        cells = {(row["dv"], row["batch_rows"], row["kernel"]) for row in rows(self.out + "/summary.csv")}
        self.assertEqual(len(cells), 5)  # per_row thrice, direct_scalar on two batch sizes
        self.assertEqual(len(rows(self.out + "/summary.csv")), 5)

    def test_file_without_rows(self):
        path = os.path.join(self.folder.name, "empty.bin")
        pathlib.Path(path).write_bytes(EMPTY)
        errors = self.sweep("--dv", path, "--sink", "row_ids", "--kernel", "per_row", *QUICKLY, "--out", self.out, code=4).stderr
        self.assertIn("nothing to measure", errors)
        self.assertIn("no cell was measured", errors)
        row, = rows(self.out + "/summary.csv")
        self.assertEqual((row["verdict"], row["ns_per_row"], row["samples"]), ("unavailable", "", ""))
        self.assertIn("--rows", row["reason"])
        self.sweep("--dv", path, "--rows", "20000", "--sink", "row_ids", "--kernel", "per_row", "--mode", "stream,replay,cold", *QUICKLY,
                   "--out", self.out + "2")
        self.assertEqual(self.samples_of_cells(self.out + "2"), ["6"] * 3)


if __name__ == "__main__":
    unittest.main()
