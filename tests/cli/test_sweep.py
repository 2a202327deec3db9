# SPDX-License-Identifier: Apache-2.0
"""`sweep` and `list` from the outside, as a user types them: files, columns, exit codes, interruption and resumption."""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from csv_files import read as rows

PROGRAM = os.path.abspath(sys.argv.pop(1))

SUMMARY = """schema,run,machine,cpu,croaring,compiler,cell,dv,dv_bytes,dv_digest,recipe,axis,axis_value,rows,rate,deleted,chunks,
array_containers,bitset_containers,run_containers,seed,kernel,isa,technique,works_at_open,sink,batch_rows,batches,mode,verdict,reason,doubts,samples,tainted_samples,ns_per_row,
ns_per_row_mad,ns_per_row_low,ns_per_row_high,us_per_batch,speedup_vs_per_row,speedup_low,speedup_high,bound_ns_per_row,
pct_of_bound,open_ns,validate_ns,crc_ns,state_bytes,total_ns_per_row,noise_floor_pct,counter_source,counter_status,
instructions_per_row,branches_per_row,branch_misses_per_row,core_cycles_per_row,ipc""".replace("\n", "").split(",")
SAMPLES = "schema,run,cell,dv,kernel,sink,batch_rows,mode,start,round,order,iterations,ns_per_row,page_faults,cpu_migrations,mhz,taint".split(",")

QUICKLY = ["--rounds", "6", "--min-time", "200us", "--counters", "none", "--no-plots", "--quiet"]
SMALL = ["--recipe", "uniform:rows=200000", "--rates", "0.01,0.07", "--sink", "row_ids", "--kernel", "per_row,direct_scalar"]


def run(*words, **kwargs):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **kwargs)


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "run")

    def sweep(self, *words, code=0):
        result = run("sweep", *words)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def test_columns_and_numbers(self):
        self.sweep(*SMALL, *QUICKLY, "--out", self.out)
        with open(self.out + "/summary.csv", encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.splitlines()[0].split(","), SUMMARY)
        self.assertNotIn('"', text)
        summary = rows(self.out + "/summary.csv")
        self.assertEqual([(row["kernel"], row["axis"], row["axis_value"]) for row in summary],
                         [(kernel, "rate", rate) for rate in ("0.01", "0.07") for kernel in ("per_row", "direct_scalar")])
        for row in summary:
            self.assertEqual((row["verdict"], row["samples"], row["counter_status"]), ("ok", "6", "not-asked"))
            low, median, high = (float(row["ns_per_row" + end]) for end in ("_low", "", "_high"))
            self.assertTrue(0 < low <= median <= high)
            self.assertAlmostEqual(float(row["us_per_batch"]), median * 5, delta=median * 5e-6)
            self.assertAlmostEqual(float(row["total_ns_per_row"]), median + float(row["open_ns"]) / 200000, delta=median * 1e-6)
            self.assertEqual(row["instructions_per_row"], "")
            self.assertTrue(float(row["noise_floor_pct"]) >= 0)
        samples = rows(self.out + "/samples.csv")
        self.assertEqual(list(samples[0]), SAMPLES)
        for row in summary:
            self.assertEqual(int(row["tainted_samples"]), sum(one["cell"] == row["cell"] and one["taint"] != "" for one in samples))
        # two kernels, their twins and the bound, six rounds, two blocks; every round is a permutation
        self.assertEqual(len(samples), 2 * 6 * 5)
        for number in range(6):
            orders = sorted(int(row["order"]) for row in samples if row["round"] == str(number) and ":rate=0.01:" in row["dv"])
            self.assertEqual(orders, list(range(5)))
        with open(self.out + "/run.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["status"], "complete")

    def test_speedup_is_the_median_of_paired_ratios(self):
        self.sweep(*SMALL, *QUICKLY, "--out", self.out)
        samples = rows(self.out + "/samples.csv")
        for row in rows(self.out + "/summary.csv"):
            pairs = sorted(float(base["ns_per_row"]) / float(own["ns_per_row"])
                           for own in samples if own["cell"] == row["cell"]
                           for base in samples
                           if base["kernel"] == "per_row" and base["dv"] == own["dv"] and base["round"] == own["round"])
            self.assertEqual(len(pairs), 6)
            self.assertAlmostEqual(float(row["speedup_vs_per_row"]), (pairs[2] + pairs[3]) / 2, delta=pairs[3] * 1e-6)

    def test_interrupt_keeps_and_resume_goes_on(self):
        words = [PROGRAM, "sweep", "--recipe", "uniform:rows=1000000", "--rates", "0.01,0.02,0.03", "--sink", "row_ids", "--kernel", "per_row",
                 "--rounds", "8", "--counters", "none", "--no-plots", "--out", self.out]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        samples = pathlib.Path(self.out, "samples.csv")
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not (samples.exists() and len(samples.read_text().splitlines()) > 4):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("--resume", errors)
        kept = samples.read_text()
        self.assertTrue(kept.endswith("\n") and len(kept.splitlines()) > 4)
        with open(self.out + "/run.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["status"], "interrupted")
        self.sweep("--resume", self.out)
        summary = rows(self.out + "/summary.csv")
        self.assertEqual([row["samples"] for row in summary], ["8"] * 3)
        self.assertEqual(len(rows(samples)), 3 * 8 * 3)  # per_row, its twin, the bound
        before = samples.read_bytes()
        self.sweep("--resume", self.out)
        self.assertEqual(samples.read_bytes(), before)  # nothing is measured twice

    def test_killed_run_goes_on(self):
        self.sweep(*SMALL, *QUICKLY, "--out", self.out)
        samples = pathlib.Path(self.out, "samples.csv")
        whole = samples.read_text().splitlines(keepends=True)
        samples.write_text("".join(whole[:40]) + whole[40][:17])  # torn in the second block
        summary = pathlib.Path(self.out, "summary.csv")
        summary.write_text("".join(summary.read_text().splitlines(keepends=True)[:3]))
        self.sweep("--resume", self.out)
        self.assertEqual(len(rows(samples)), len(whole) - 1)
        self.assertEqual([row["samples"] for row in rows(summary)], ["6"] * 4)

    def test_starts_add_up(self):
        out_json = os.path.join(self.folder.name, "out.json")
        self.sweep(*SMALL, *QUICKLY, "--starts", "2", "--benchmark_out=" + out_json, "--out", self.out)
        self.assertEqual([row["samples"] for row in rows(self.out + "/summary.csv")], ["12"] * 4)
        self.assertEqual({row["start"] for row in rows(self.out + "/samples.csv")}, {"0", "1"})
        with open(out_json, encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["benchmarks"]), 2 * 2 * 6 * 5)
        self.assertEqual(os.listdir(self.folder.name).count("out.json.start0"), 0)

    def test_benchmark_flags(self):
        listed = self.sweep(*SMALL, "--benchmark_list_tests", "--benchmark_filter=direct").stdout.splitlines()
        self.assertEqual(len(listed), 4)  # per_row stays: ratios need it
        self.assertIn("direct_scalar/row_ids@uniform:rate=0.01:rows=200000:seed=1:base=0:optimize=1,batch=5000,mode=stream", listed)
        out_json = os.path.join(self.folder.name, "out.json")
        self.sweep(*SMALL, *QUICKLY, "--benchmark_filter=^per_row/", "--benchmark_out=" + out_json, "--out", self.out)
        self.assertEqual({row["kernel"] for row in rows(self.out + "/summary.csv")}, {"per_row"})
        with open(out_json, encoding="utf-8") as file:
            names = {entry["name"] for entry in json.load(file)["benchmarks"]}
            self.assertIn(listed[0], names)
        for words in (["--benchmark_list_tests"], ["--out", self.out + "2"]):
            self.assertIn("matches no cell", self.sweep(*SMALL, *QUICKLY, "--benchmark_filter=nomatch", *words, code=2).stderr)
        self.assertFalse(os.path.exists(self.out + "2"))

    def test_benchmark_context(self):
        out_json = os.path.join(self.folder.name, "out.json")
        self.sweep(*SMALL, *QUICKLY, "--benchmark_context=commit=abc,by=me", "--benchmark_context=of=us", "--benchmark_out=" + out_json, "--out", self.out)
        with open(out_json, encoding="utf-8") as file:
            context = json.load(file)["context"]
        self.assertEqual((context["commit"], context["by"], context["of"]), ("abc", "me", "us"))
        for text in ("abc", "=abc", "a=b,c"):
            self.assertIn("KEY=VALUE", self.sweep(*SMALL, *QUICKLY, "--benchmark_context=" + text, "--out", self.out + "2", code=2).stderr)

    def test_deleted_counts_rows_of_the_file(self):
        path = os.path.join(self.folder.name, "hundred.bin")
        subprocess.run([PROGRAM, "gen", "--recipe", "prefix:rows=200:count=100", "--format", "roaring64", "-o", path], check=True, timeout=60,
                       stdout=subprocess.DEVNULL)
        errors = self.sweep("--dv", path, "--rows", "10", "--sink", "row_ids", "--kernel", "per_row", *QUICKLY, "--out", self.out).stderr
        self.assertIn("positions up to 99 lie beyond the 10 rows of --rows", errors)
        row, = rows(self.out + "/summary.csv")
        self.assertEqual((row["rows"], row["deleted"], row["rate"]), ("10", "10", "1"))

    def test_plan_with_a_byte_order_mark(self):
        path = os.path.join(self.folder.name, "plan")
        with open(path, "w", encoding="utf-8-sig") as file:
            file.write("--recipe none:rows=1000 --sink row_ids --kernel per_row\n--recipe none:rows=x\n")
        errors = self.sweep("--plan", path, *QUICKLY, "--out", self.out, code=2).stderr
        self.assertIn("plan " + path + ", line 2: none: rows=x", errors)

    def test_modes_and_sinks(self):
        self.sweep("--recipe", "uniform:rows=100000:rate=0.02", "--sink", "all", "--mode", "stream,replay,cold", "--kernel", "per_row,direct_scalar",
                   *QUICKLY, "--out", self.out)
        summary = rows(self.out + "/summary.csv")
        self.assertEqual(len(summary), 6 * 3 * 2)
        self.assertEqual({row["verdict"] for row in summary}, {"ok"})
        for row in summary:
            self.assertEqual(row["pct_of_bound"] == "", row["sink"] in ("touch", "deleted_offsets", "live_runs"), row["sink"])

    def test_plan_file(self):
        plan = os.path.join(self.folder.name, "my plan")
        pathlib.Path(plan).write_text("# two lines\n--rounds 6 --min-time 200us\n"
                                      "--recipe prefix:rows=20000:count=10000 --sink touch --kernel per_row # one block\n")
        self.sweep("--plan", plan, "--counters", "none", "--no-plots", "--quiet", "--out", self.out)
        self.assertEqual([row["sink"] for row in rows(self.out + "/summary.csv")], ["touch"])
        pathlib.Path(plan).write_text("--recipe none\n--sink nothing\n")
        self.assertIn("line 2", self.sweep("--plan", plan, "--out", self.out + "2", code=2).stderr)
        pathlib.Path(plan).write_text("--out somewhere --recipe none\n")
        self.sweep("--plan", plan, "--out", self.out + "3", code=2)
        pathlib.Path(plan).write_text("--recipe none\n")  # what is wrong by hand is not the plan's line
        for words in (["--kernel", "nosuch"], ["--sink", "nosuch"], ["--batch", "x"]):
            self.assertNotIn("line", self.sweep("--plan", plan, *words, "--out", self.out + "4", code=2).stderr)

    def test_errors_are_one_line(self):
        bad = os.path.join(self.folder.name, "bad.bin")
        pathlib.Path(bad).write_bytes(b"\x3a\x30\x00\x00\xff\xff\xff\xff")
        cases = [(2, ["sweep", "--nonsense"]), (2, ["sweep", "--recipe", "unifrom"]), (2, ["sweep", "--recipe", "uniform:rate=2"]),
                 (2, ["sweep", "--resume", self.folder.name]), (2, ["nonsense"]), (2, ["list"]), (2, ["list", "nonsense"]),
                 (2, ["sweep", "--shard", "1/99999999999999999999"]), (2, ["sweep", "--recipe", "none", "--shard", "9/9"]),
                 *((3, [command, "missing"]) for command in ("plot", "report", "explain")),
                 *((3, [command, "missing", "gone"]) for command in ("compare", "gate")), (3, ["merge", "new", "missing"]),
                 *((2, [*command, "--out", root]) for root in ("/", "/.", "//", "/tmp/..")
                   for command in (["sweep", "--recipe", "none"], ["plot", "missing"])),
                 (3, ["sweep", "--dv", bad]), (3, ["sweep", "--dv", "/nonexistent/file"])]
        for code, words in cases:
            result = run(*words, cwd=self.folder.name)
            self.assertEqual(result.returncode, code, (words, result.stderr))
            self.assertEqual(len(result.stderr.splitlines()), 1, (words, result.stderr))
            self.assertTrue(result.stderr.startswith("dvbench: "), result.stderr)
            self.assertEqual(result.stdout, "")

    def test_a_run_is_never_overwritten(self):
        self.sweep(*SMALL, *QUICKLY, "--out", self.out)
        before = pathlib.Path(self.out, "samples.csv").read_bytes()
        self.assertIn("--resume", self.sweep(*SMALL, *QUICKLY, "--out", self.out, code=2).stderr)
        self.assertEqual(pathlib.Path(self.out, "samples.csv").read_bytes(), before)


class List(unittest.TestCase):
    def test_formats_agree(self):
        for registry in ("kernels", "sinks", "recipes", "plans", "counters"):
            text = run("list", registry, "--format", "csv")
            self.assertEqual(text.returncode, 0)
            table = list(csv.DictReader(text.stdout.splitlines()))
            self.assertEqual(list(table[0]), ["id", "available", "reason", "description"])
            entries = json.loads(run("list", registry, "--format=json").stdout)
            self.assertEqual([row["id"] for row in table], [entry["id"] for entry in entries])
            lines = [line for line in run("list", registry).stdout.splitlines() if not line.startswith(" ")]
            self.assertEqual([line.split()[0] for line in lines], [row["id"] for row in table])
            for row in table:
                self.assertEqual(row["available"] == "no", row["reason"] != "", row)

    def test_cpu_mask_lists_with_the_reason(self):
        result = run("list", "kernels", "--format", "csv", env={**os.environ, "DVBENCH_CPU_MASK": "generic"})
        table = {row["id"]: row for row in csv.DictReader(result.stdout.splitlines())}
        self.assertEqual(table["direct_scalar"]["available"], "yes")
        self.assertEqual((table["direct_avx2"]["available"], table["direct_avx2"]["reason"] != ""), ("no", True))

    def test_cpu_mask_with_an_unknown_word(self):
        for mask, word in (("avx-2", "'avx-2'"), ("avx2,neo", "'neo'"), ("avx2,,bmi2", "''")):
            result = run("list", "kernels", env={**os.environ, "DVBENCH_CPU_MASK": mask})
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(f"unknown word {word}; known: generic, bmi2, avx2,", result.stderr)

    def test_help_and_version(self):
        self.assertIn("usage", run("--help").stdout)
        self.assertIn("dvbench ", run("--version").stdout)
        self.assertIn("--rounds", run("sweep", "--help").stdout)
        self.assertEqual(run().returncode, 2)

    def test_doctor(self):
        done = subprocess.run([PROGRAM, "doctor", "--seconds", "1"], stdout=subprocess.PIPE, text=True, check=True, timeout=120)
        for name in ("frequency governor", "turbo", "SMT", "transparent huge pages", "ASLR", "load", "steal", "throttling", "migrations"):
            self.assertRegex(done.stdout, "(?m)^" + name)
        self.assertRegex(done.stdout, r"A/A: [1-9][0-9]* pairs of the same work differ by [0-9.]+ % \(median\)")
        self.assertEqual(subprocess.run([PROGRAM, "doctor", "--seconds", "0"], stderr=subprocess.DEVNULL).returncode, 2)


class Threads(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "run")

    def test_refused(self):
        most = len(os.sched_getaffinity(0))
        for words, code, text in ((["--threads", str(most + 1)], 4, f"this process may use {most}"), (["--threads", "3,2"], 2, "ascending"),
                                  (["--threads", "0"], 2, "from 1 to"), (["--share-dv"], 2, "needs --threads")):
            result = run("sweep", *SMALL, *QUICKLY, "--out", self.out, *words)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(text, result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)
            self.assertFalse(os.path.exists(self.out))

    def test_rows_and_report(self):
        """With two process starts only the first measures threads; a resumed run that lacks them measures nothing but them."""
        counts = [1, 2][:len(os.sched_getaffinity(0))]
        threads = ["--threads", ",".join(map(str, counts)), "--share-dv"]
        result = run("sweep", *SMALL, *QUICKLY, "--mode", "stream,cold", "--starts", "2", "--out", self.out, *threads)
        self.assertEqual(result.returncode, 0, result.stderr)
        table = rows(self.out + "/threads.csv")
        self.assertEqual(sorted((row["mode"], row["vectors"], row["kernel"], row["dv"].split(":")[1], row["threads"]) for row in table),
                         sorted((mode, vectors, kernel, rate, str(count)) for mode, vectors in (("stream", "shared"), ("cold", "own"))
                                for kernel in ("per_row", "direct_scalar", "bound") for rate in ("rate=0.01", "rate=0.07") for count in counts))
        for row in table:
            self.assertEqual((row["verdict"], row["samples"]), ("ok", "6"))
            self.assertTrue(1 <= int(row["cores"]) <= int(row["threads"]))
        with open(self.out + "/report.md", encoding="utf-8") as file:
            report = file.read()
        self.assertIn("## Several threads at once", report)
        self.assertIn("](threads.csv)", report)
        if len(counts) == 2:
            self.assertRegex(report, r"stream, all threads read one vector: the median of 4 cells (scales to 2 threads|stops scaling after 1 thread): "
                                     r"[0-9.]+ times the rows per second of one thread at 2 threads \(least: ")
        os.unlink(self.out + "/threads.csv")
        with open(self.out + "/samples.csv", encoding="utf-8") as file:
            samples = file.read()
        result = run("sweep", "--resume", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(rows(self.out + "/threads.csv")), len(table))
        with open(self.out + "/samples.csv", encoding="utf-8") as file:
            self.assertEqual(file.read(), samples)
        merged = os.path.join(self.folder.name, "merged")
        self.assertEqual(run("merge", merged, self.out).returncode, 0)
        self.assertEqual(rows(merged + "/threads.csv"), rows(self.out + "/threads.csv"))


if __name__ == "__main__":
    unittest.main()
