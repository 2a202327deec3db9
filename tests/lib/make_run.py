#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a synthetic run folder for the tests of figures, report, compare and merge. Nothing in it was measured: the
values follow the shape of published ones (a cliff at 6.25 %, costs that differ by two orders of magnitude)."""
import argparse
import csv
import hashlib
import json
import math
import os
import random
import re

RATES = [0.001, 0.005, 0.01, 0.03, 0.05, 0.061, 0.0625, 0.064, 0.07, 0.12, 0.25, 0.5]
# Nanoseconds per row into row_ids at the rates above, and the fixed cost of a batch in nanoseconds.
KERNELS = {
    "per_row": ([8.37, 10.0, 11.1, 13.6, 15.2, 15.9, 9.9, 6.1, 4.98, 5.66, 7.6, 10.1], "generic", 20),
    "per_row_raw": ([7.2, 8.7, 9.6, 11.9, 13.2, 13.9, 8.3, 4.9, 3.9, 4.6, 6.6, 9.1], "generic", 10),
    "per_row_branchless": ([8.3, 9.8, 10.9, 13.4, 14.9, 15.5, 9.2, 5.1, 3.6, 3.7, 3.8, 3.9], "generic", 20),
    "per_row_bulk": ([5.99, 6.13, 6.71, 9.0, 10.7, 11.7, 6.9, 4.0, 2.75, 3.24, 5.0, 6.98], "generic", 20),
    "per_row_roaring64": ([9.6, 11.4, 12.6, 15.1, 16.8, 17.6, 11.2, 7.2, 6.0, 6.7, 8.7, 11.3], "generic", 25),
    "batch_iterator": ([0.09, 0.16, 0.26, 0.62, 0.95, 1.12, 1.2, 1.25, 1.3, 1.8, 3.2, 5.2], "generic", 130),
    "batch_iterator_file": ([0.06, 0.13, 0.22, 0.58, 0.9, 1.06, 1.15, 1.2, 1.25, 1.7, 3.1, 5.1], "generic", 30),
    "for_each_in_range": ([0.05, 0.13, 0.23, 0.63, 0.98, 1.16, 1.2, 1.25, 1.32, 1.9, 3.3, 5.0], "generic", 30),
    "for_each_in_range_inline": ([0.04, 0.11, 0.19, 0.5, 0.8, 0.87, 0.7, 0.55, 0.45, 0.6, 1.1, 1.9], "generic", 25),
    "for_each_in_range_inline_avx2": ([0.035, 0.07, 0.13, 0.36, 0.58, 0.7, 0.6, 0.5, 0.43, 0.55, 0.9, 1.6], "avx2", 25),
    "for_each_in_range_inline_avx512": ([0.03, 0.06, 0.11, 0.3, 0.5, 0.6, 0.55, 0.47, 0.41, 0.5, 0.8, 1.5], "avx512", 25),
    "for_all_in_range": ([0.05, 0.14, 0.25, 0.7, 1.1, 1.3, 1.35, 1.4, 1.5, 2.2, 3.9, 5.9], "generic", 30),
    "for_all_in_range_inline": ([0.04, 0.1, 0.18, 0.5, 0.78, 0.86, 0.8, 0.75, 0.7, 1.0, 1.8, 2.6], "generic", 25),
    "range_cardinality_first": ([0.07, 0.16, 0.26, 0.66, 1.02, 1.2, 1.24, 1.3, 1.37, 1.95, 3.35, 5.1], "generic", 60),
    "expand_positions": ([0.03, 0.06, 0.1, 0.27, 0.43, 0.52, 0.54, 0.55, 0.6, 1.0, 2.0, 3.4], "generic", 15),
    "expand_bits": ([0.26, 0.27, 0.28, 0.3, 0.33, 0.34, 0.34, 0.35, 0.36, 0.42, 0.6, 0.9], "generic", 10),
    "direct_scalar": ([0.028, 0.06, 0.1, 0.26, 0.41, 0.48, 0.44, 0.41, 0.39, 0.39, 0.4, 0.4], "generic", 20),
    "direct_bmi2": ([0.026, 0.055, 0.09, 0.23, 0.36, 0.42, 0.36, 0.31, 0.28, 0.28, 0.29, 0.29], "bmi2", 20),
    "direct_avx2": ([0.024, 0.036, 0.042, 0.07, 0.09, 0.095, 0.075, 0.063, 0.058, 0.058, 0.059, 0.059], "avx2", 20),
    "direct_avx512_base": ([0.023, 0.032, 0.036, 0.05, 0.066, 0.085, 0.083, 0.082, 0.081, 0.08, 0.08, 0.08], "avx512", 20),
    "direct_avx512": ([0.0215, 0.028, 0.031, 0.038, 0.045, 0.048, 0.035, 0.028, 0.0245, 0.0242, 0.0242, 0.0243], "avx512_vbmi2", 18),
    "direct_neon": (None, "neon", 0),
}
SINK_FACTOR = {"row_ids": 1.0, "is_deleted": 0.62}
BOUND = {"row_ids": 0.0155, "is_deleted": 0.0042}
STATEFUL = {"batch_iterator_file": 2000, "expand_positions": 900000, "expand_bits": 350000}

WORKS_AT_OPEN = ("expand_positions", "expand_bits")


def technique(kernel):
    """As kernels.def has it: the id without its instruction set; all direct kernels are one technique."""
    return "direct" if kernel.startswith("direct") else re.sub(r"_(avx2|avx512|neon)$", "", kernel)


def columns(path):
    """The schema's columns, from bench/results/columns.def, so that this file keeps no list of its own."""
    text = open(path, encoding="utf-8").read()
    found = {}
    for file, name in re.findall(r"^COLUMN\((\w+), (\w+),", text, re.M):
        found.setdefault(file, []).append(name)
    return found, re.search(r'COLUMNS_SCHEMA "([^"]*)"', text).group(1)


def interpolate(table, rate):
    rate = min(max(rate, RATES[0]), RATES[-1])
    for i in range(len(RATES) - 1):
        if rate <= RATES[i + 1]:
            t = math.log(rate / RATES[i]) / math.log(RATES[i + 1] / RATES[i])
            return math.exp(math.log(table[i]) * (1 - t) + math.log(table[i + 1]) * t)
    return table[-1]


def cost(kernel, sink, rate, batch_rows, run_length, share):
    """Model of ns per row. `run_length` shortens the work of callback kernels, `share` is the part of chunks with deletes."""
    table, _, per_batch = KERNELS[kernel]
    base = interpolate(table, rate)
    if kernel.startswith("per_row"):
        base = base * (0.3 + 0.7 * share) / (1 + 0.25 * math.log2(run_length))
    elif kernel.startswith("direct"):
        base = 0.021 + (base - 0.021) * share / math.sqrt(run_length)
    else:
        base = 0.021 + (base - 0.021) * share / run_length ** 0.8
    return base * SINK_FACTOR[sink] + per_batch * (1 / batch_rows - 1 / 5000)


def blocks(full):
    """(axis, axis_value, recipe, dv, rows, rate, run_length, share, batch_rows, sink, mode)"""
    for rate in RATES:
        for sink in SINK_FACTOR:
            dv = "article:axis=rate:bp=%d:file=0" % round(rate * 10000)
            yield "rate", "%g" % rate, "article", dv, 2000000, rate, 1, 1.0, 5000, sink, "stream"
    if not full:
        return
    for rate in RATES:
        dv = "article:axis=rate:bp=%d:file=0" % round(rate * 10000)
        yield "rate", "%g" % rate, "article", dv, 2000000, rate, 1, 1.0, 5000, "row_ids", "replay"
    for length in (1, 2, 4, 8, 64, 512, 4096):
        yield ("length", str(length), "article", "article:axis=runs:length=%d:bp=50:file=0" % length, 2000000, 0.005,
               length, 1.0, 5000, "row_ids", "stream")
    for percent in (10, 25, 50, 100):
        yield ("percent", str(percent), "article", "article:axis=occupancy:percent=%d:bp=50:file=0" % percent, 8000000,
               0.005 * percent / 100, 1, percent / 100, 5000, "row_ids", "stream")
    for batch_rows in (64, 256, 1024, 2048, 5000, 16384, 65536):
        for rate in (0.005, 0.061, 0.12):
            yield ("batch_rows", str(batch_rows), "article", "article:axis=rate:bp=%d:file=0" % round(rate * 10000), 2000000,
                   rate, 1, 1.0, batch_rows, "row_ids", "stream")
    for chunks in (1, 31, 122, 1000, 10000):
        yield ("chunks", str(chunks), "uniform", "uniform:rate=0.05:rows=%d:seed=1" % (chunks * 65536), chunks * 65536,
               0.05, 1, 1.0, 5000, "row_ids", "stream")
    for rate in (0.001, 0.005, 0.02, 0.05, 0.12, 0.5):
        for length in (1, 4, 16, 64, 256, 1024):
            yield ("length", str(length), "runs", "runs:length=%d:rate=%g:rows=2000000:seed=1" % (length, rate), 2000000,
                   rate, length, 1.0, 5000, "row_ids", "stream")


def median(values):
    values = sorted(values)
    n = len(values)
    return values[n // 2] if n % 2 else (values[n // 2 - 1] + values[n // 2]) / 2


def interval(values):
    values = sorted(values)
    if len(values) < 6:
        return "", ""
    k = {6: 0, 7: 0, 8: 0, 9: 1, 10: 1, 11: 1, 12: 2}.get(len(values), max(0, len(values) // 2 - 4))
    return values[k], values[-1 - k]


def number(value):
    return "" if value == "" else "%.9g" % value


def write_block(block, args, rng, writers, run):
    axis, axis_value, recipe, dv, rows, rate, length, share, batch_rows, sink, mode = block
    chunks = max(1, round(rows / 65536 * share))
    arrays = 0 if length > 2 else round(chunks / (1 + math.exp(min(99, (rate / share - 0.0625) / 0.0006))))
    deleted = round(rows * rate)
    bound = BOUND[sink] * (1 + 60 / batch_rows)
    samples = {}
    for kernel in KERNELS:
        if KERNELS[kernel][0] is None:
            continue
        true = cost(kernel, sink, rate, batch_rows, length, share) * args.slow.get(kernel, 1.0)
        true *= 0.5 if mode == "replay" else 1.0
        samples[kernel] = [true * (1 + abs(rng.gauss(0, args.noise))) for _ in range(args.rounds)]
    for kernel, (table, isa, _) in KERNELS.items():
        cell = hashlib.sha1(("%s %s %s %d %s %s" % (dv, kernel, sink, batch_rows, mode, run)).encode()).hexdigest()[:16]
        row = dict(run=run, machine=args.machine, cpu=args.machine.split(" 2 ")[0], croaring=args.croaring,
                   compiler="gcc 12.2.0", cell=cell, dv=dv, dv_bytes=deleted * 2 + 20,
                   dv_digest=hashlib.sha1(dv.encode()).hexdigest()[:16], recipe=recipe, axis=axis, axis_value=axis_value,
                   rows=rows, rate="%.9g" % rate, deleted=deleted, chunks=chunks, array_containers=arrays,
                   bitset_containers=0 if length > 2 else chunks - arrays, run_containers=chunks if length > 2 else 0, seed=1,
                   kernel=kernel, isa=isa, technique=technique(kernel), works_at_open=int(kernel in WORKS_AT_OPEN), sink=sink,
                   batch_rows=batch_rows, batches=min(1600, -(-rows // batch_rows)), mode=mode, counter_source=args.counters)
        if table is None:
            row.update(verdict="unavailable", reason="needs an AArch64 CPU", samples=0, counter_status="not-asked")
            writers["summary"].writerow(row)
            continue
        values = samples[kernel]
        middle = median(values)
        opening = STATEFUL.get(kernel, 800) * rows / 2000000
        charge = opening / rows if kernel in WORKS_AT_OPEN else 0
        ratios = [a / (b + charge) for a, b in zip(samples["per_row"], values)]
        low, high = interval(values)
        fast, slow = interval(ratios)
        row.update(verdict="ok", samples=len(values), ns_per_row=number(middle),
                   ns_per_row_mad=number(median([abs(v - middle) for v in values])), ns_per_row_low=number(low),
                   ns_per_row_high=number(high), us_per_batch=number(middle * batch_rows / 1000),
                   speedup_vs_per_row=number(median(ratios)), speedup_low=number(fast), speedup_high=number(slow),
                   bound_ns_per_row=number(bound), pct_of_bound=number(100 * bound / middle), open_ns=number(opening),
                   validate_ns=9000, crc_ns=150000, state_bytes=round(opening),
                   total_ns_per_row=number(middle + opening / rows), noise_floor_pct=number(2.1 if middle > 1 else 3.4))
        add_counters(row, args, kernel, middle, rate, writers["counters"], run)
        writers["summary"].writerow(row)
        for round_number, value in enumerate(values):
            writers["samples"].writerow(dict(run=run, cell=cell, dv=dv, kernel=kernel, sink=sink, batch_rows=batch_rows,
                                             mode=mode, start=0, round=round_number, order=rng.randrange(20),
                                             iterations=400, ns_per_row=number(value), page_faults=0, cpu_migrations=0,
                                             mhz=number(3700 + rng.gauss(0, 10))))


def add_counters(row, args, kernel, ns, rate, writer, run):
    if args.counters == "none":
        row["counter_status"] = "not-asked"
        return
    if args.counters == "sim" and "avx512" in kernel:
        row["counter_status"] = "cannot-simulate"
        return
    instructions = ns * 3.7 * (4.6 if kernel.startswith("per_row") else 2.5)
    misses = 0 if kernel == "expand_bits" else min(rate, 1 - rate) * (0.4 if ns > 0.2 else 0.02)
    values = dict(instructions=instructions, branches=instructions / 4, branch_misses=misses)
    if args.counters == "pmu":
        values["core_cycles"] = ns * 3.7
        row["ipc"] = number(instructions / (ns * 3.7))
    else:
        row["counter_status"] = "core_cycles=no-pmu"
    for event, value in values.items():
        row[event + "_per_row"] = number(value)
        writer.writerow(dict(run=run, cell=row["cell"], event=event, encoding=event, source=args.counters, value_per_row=number(value),
                             status="ok", **{"pass": 0}))


def factors(texts):
    return {name: float(value) for name, value in (text.split("=") for text in texts)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--columns", default=os.path.join(os.path.dirname(__file__), "..", "..", "bench", "results", "columns.def"))
    parser.add_argument("--full", action="store_true", help="every axis, not the rates alone")
    parser.add_argument("--counters", choices=("pmu", "sim", "none"), default="sim")
    parser.add_argument("--machine", default="AMD EPYC 9R14 2 vCPUs KVM")
    parser.add_argument("--croaring", default="4.6.1")
    parser.add_argument("--slow", nargs="*", default=[], metavar="KERNEL=FACTOR")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--noise", type=float, default=0.012)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.slow = factors(args.slow)
    names, schema = columns(args.columns)
    os.makedirs(args.out, exist_ok=True)
    run = os.path.basename(os.path.abspath(args.out))
    rng = random.Random(args.seed)
    files, writers = [], {}
    for file in ("summary", "samples", "counters"):
        files.append(open(os.path.join(args.out, file + ".csv"), "w", newline="", encoding="utf-8"))
        writers[file] = SchemaWriter(files[-1], names[file], schema)
    for block in blocks(args.full):
        write_block(block, args, rng, writers, run)
    for file in files:
        file.close()
    with open(os.path.join(args.out, "run.json"), "w", encoding="utf-8") as file:
        json.dump(dict(schema=schema, run=run, machine=args.machine, croaring=args.croaring, plan="quick",
                       warnings=["synthetic: made by tests/lib/make_run.py, not measured"]), file, indent=1)


class SchemaWriter(csv.DictWriter):
    """A DictWriter that writes the header and fills in the schema's version."""

    schema = None

    def __init__(self, file, names, schema):
        super().__init__(file, names, restval="", lineterminator="\n")
        self.writeheader()
        self.schema = schema

    def writerow(self, row):
        return super().writerow(dict(row, schema=self.schema) if self.schema else row)


if __name__ == "__main__":
    main()
