#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program takes as its inputs grow, as a table in Markdown: CPU seconds (user + system, so that what else runs
does not count) and the largest resident set. Numbers decide nothing here, so it is no test:
meson test -C build --benchmark scale. argv: dvbench, source folder; a third one makes the largest sizes smaller by so many
powers of ten."""
import csv
import hashlib
import json
import os
import subprocess
import sys
import tempfile

PROGRAM, SOURCE, *REST = sys.argv[1:]
LESS = int(REST[0]) if REST else 0
sys.path.insert(0, SOURCE + "/tests/lib")
import make_run  # pylint: disable=wrong-import-position

SWEEP = ["--rounds", "1", "--min-time", "1us", "--counters", "none", "--no-plots", "--quiet"]


def row(what, size, *words):
    """One row of the table; a command that fails ends the benchmark."""
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen([PROGRAM, *words], stdout=said, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        assert child.returncode == 0, (words, child.returncode, said.read()[-2000:])
    seconds, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    print(f"| {what} | {size} | {seconds:.2f} | {megabytes:.0f} |", flush=True)


def powers(first, last):
    return range(first, last - LESS + 1)


def vectors(folder):
    """Vectors by what grows: rows at 10,000 deletes, deletes in 10^9 rows, bytes of bitsets."""
    for power in powers(8, 10):
        yield f"{folder}/rows{power}", "rows of the file", f"10^{power}", f"uniform:rate={10 ** (4 - power):.12f}:rows={10 ** power}"
    for power in powers(6, 8):
        yield f"{folder}/deletes{power}", "deletes in 10^9 rows", f"10^{power}", f"uniform:rate={10 ** (power - 9):.3f}:rows={10 ** 9}"
    for power in powers(0, 2):
        yield f"{folder}/bytes{power}", "MB of vector", str(10 ** power), f"uniform:rate=0.5:rows={8 * 10 ** (6 + power)}"


def fake_run(folder, n_cells, factor):
    """A run of so many cells that nobody measured: ten for each rate. (Two batch sizes would be a figure for each rate.)"""
    names, schema = make_run.columns(SOURCE + "/bench/results/columns.def")
    os.makedirs(folder)
    run = os.path.basename(folder)
    kernels = ["per_row", "per_row_branchless", "for_each_in_range", "batch_iterator", "direct_scalar"]
    with open(folder + "/summary.csv", "w", encoding="utf-8") as summary, open(folder + "/samples.csv", "w", encoding="utf-8") as samples:
        summary, samples = (make_run.SchemaWriter(file, names[name], schema) for file, name in ((summary, "summary"), (samples, "samples")))
        n_rates = n_cells // 10
        for i in range(n_cells):
            rate = 0.5 * (1 + i // 10) / n_rates
            kernel, sink = kernels[i % 5], ("row_ids", "is_deleted")[i // 5 % 2]
            dv = f"uniform:rate={rate:.9f}:rows=1000000:seed=1:base=0:optimize=1"
            cell = hashlib.sha1(f"{i} {run}".encode()).hexdigest()[:16]
            same = dict(run=run, cell=cell, dv=dv, kernel=kernel, sink=sink, batch_rows=5000, mode="stream")
            ns = factor * (1 + i % 5)
            summary.writerow(dict(
                same, machine=run, cpu="none", croaring="4.6.1", compiler="none", dv_digest=hashlib.sha1(dv.encode()).hexdigest()[:16],
                recipe="uniform", axis="rate", axis_value=f"{rate:.9f}", rows=1000000, rate=f"{rate:.9f}", deleted=1, chunks=16, technique=kernel,
                works_at_open=0, batches=200, verdict="ok", samples=6, ns_per_row=ns, ns_per_row_low=ns, ns_per_row_high=ns, us_per_batch=ns,
                speedup_vs_per_row=1, speedup_low=1, speedup_high=1, pct_of_bound=50, total_ns_per_row=ns, noise_floor_pct=2, counter_source="none"))
            for number in range(6):
                samples.writerow(dict(same, start=0, round=number, order=i % 5, iterations=1, ns_per_row=ns * (1 + 0.001 * number), mhz=3000))
    with open(folder + "/run.json", "w", encoding="utf-8") as file:
        json.dump(dict(schema=schema, run=run, machine=run, croaring="4.6.1", plan="made up", warnings=[]), file)


def main():
    print("| what | size | CPU s | MB |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for path, what, size, recipe in vectors(folder):
            row("gen, " + what, size, "gen", "--recipe", recipe, "--format", "blob", "-o", path)
            row("inspect, " + what, size, "inspect", path)
            row("convert --optimize, " + what, size, "convert", path, path + ".out", "--to", "delta", "--optimize")
            row("check, " + what, size, "check", path, "--kernel", "per_row,direct_scalar", "--sink", "row_ids")
            row("sweep, " + what, size, "sweep", "--dv", path, "--kernel", "per_row,direct_scalar", "--sink", "row_ids", *SWEEP, "--out", path + ".run")
            os.remove(path + ".out")
            os.remove(path)
        for power in powers(2, 4):
            seeds = ",".join(str(seed) for seed in range(1, 10 ** power // 10 + 1))
            row("sweep, cells", f"10^{power}", "sweep", "--recipe", "uniform:rate=0.01:rows=10000", "--vary", "seed=" + seeds, "--kernel",
                "per_row,for_each_in_range,batch_iterator,direct_scalar,expand_bits", "--sink", "row_ids,is_deleted", *SWEEP, "--out",
                f"{folder}/cells{power}")
        for power in powers(4, 6):
            a, b = f"{folder}/a{power}", f"{folder}/b{power}"
            fake_run(a, 10 ** power, 1)
            fake_run(b, 10 ** power, 1.1)
            row("plot --figure cost_over_rate, rows of summary.csv", f"10^{power}", "plot", a, "--figure", "cost_over_rate")
            row("compare, the same", f"10^{power}", "compare", a, b)
            row("merge, the same", f"10^{power}", "merge", f"{folder}/m{power}", a, b)
            subprocess.run(["rm", "-r", a, b, f"{folder}/m{power}"], check=True)


main()
