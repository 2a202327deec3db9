#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `ab` finds on a machine with as many busy loops as CPUs: gates of a plugin against itself, which have to pass, and
against one that does a tenth of its rows twice, which is to be found in that kernel and in no other. Times decide here, so
it is no test: meson test -C build --benchmark 'gate power'. argv: how many of each, dvbench, source folder, C compiler,
CRoaring's arguments..."""
import json
import os
import subprocess
import sys
import tempfile
import time

N, PROGRAM, SOURCE, CC, *ROARING = sys.argv[1:]
SWEEP = ["--recipe", "uniform:rate=1%:rows=200000", "--recipe", "uniform:rate=10%:rows=200000", "--sink", "row_ids",
         "--kernel", "mine_per_row,for_each_in_range,direct_scalar", "--starts", "6", "--rounds", "20",
         "--min-time", "500us", "--counters", "none", "--quiet"]


def program_of(folder, slower_pct):
    """A program whose plugin mine_per_row is slower by so much."""
    plugin, script = f"{folder}/slower{slower_pct}.so", f"{folder}/program{slower_pct}"
    subprocess.run([*CC.split(), "-shared", "-fPIC", "-O2", f"-DSLOWER_PCT={slower_pct}", "-I", SOURCE + "/kernels",
                    SOURCE + "/tests/plugins/slower.c", "-o", plugin, *ROARING], check=True)
    with open(script, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nDVBENCH_PLUGINS={plugin} exec {os.path.abspath(PROGRAM)} "$@"\n')
    os.chmod(script, 0o755)
    return script


def gate(folder, name, a, b, seed):
    """The exit code, and the kernels that are slower."""
    began = time.monotonic()
    done = subprocess.run([PROGRAM, "ab", a, b, "--out", f"{folder}/{name}-{seed}", "--format", "json", "--", *SWEEP,
                           "--seed", str(seed)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    cells = json.loads(done.stdout)["cells"]
    slower = {cell["cell"].split("/")[0] for cell in cells if cell["verdict"] == "slower"}
    print(name, seed, "exit", done.returncode, "slower:", ", ".join(sorted(slower)) or "none",
          f"{time.monotonic() - began:.0f} s, load {os.getloadavg()[0]:.1f}", flush=True)
    return done.returncode, slower


def main():
    n = int(N)
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            same, slower = program_of(folder, 0), program_of(folder, 10)
            n_passed = sum(gate(folder, "same", same, same, seed) == (0, set()) for seed in range(n))
            n_found = sum(gate(folder, "slower", same, slower, seed) == (1, {"mine_per_row"}) for seed in range(n))
    finally:
        for loop in loops:
            loop.kill()
    print(f"{n_passed} of {n} gates of a program against itself passed; 10 % of one kernel was found in {n_found} of {n}")
    return n_passed < n or n_found < 0.9 * n


sys.exit(main())
