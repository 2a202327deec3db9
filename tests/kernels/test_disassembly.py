#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the compiler made of the hot loops: no calls in them, and the instructions that the kernels' essays promise.

test_disassembly.py ARCHIVE...   the libraries of kernels/; exit 77 where there is no objdump or another CPU's code
"""
import re
import shutil
import subprocess
import sys

# Instances whose loops must not call: the direct kernels and those with the consumer inlined.
CALL_FREE = re.compile(r"^(direct_(scalar|bmi2|avx2|avx512|avx512_base)|\w+_inline(_avx2|_avx512)?)_"
                       r"(row_ids|is_deleted|live_mask|deleted_offsets|live_runs|touch)(_segments)?(\.\w+)*$")

# (instance, mnemonic): must be in the instance or in what it is split into.
PROMISED = [
    ("direct_bmi2_row_ids", "pext"), ("direct_bmi2_row_ids", "pdep"), ("direct_bmi2_is_deleted", "pdep"),
    ("direct_bmi2_touch", "tzcnt"), ("direct_bmi2_touch", "blsr"),
    ("direct_avx2_row_ids", "vpmovzxbd"), ("direct_avx2_row_ids", "vpmovmskb"), ("direct_avx2_is_deleted", "vpshufb"),
    ("direct_avx512_base_row_ids", "vpcompressd"),
    ("direct_avx512_row_ids", "vpcompressb"),
    ("direct_avx512_deleted_offsets", "vpcompressb"), ("direct_avx512_live_runs", "vpcompressb"),
    ("direct_avx512_touch", "vpcompressb"), ("direct_avx512_live_mask", "vpopcntq"),
    ("for_each_in_range_inline_avx2_row_ids", "vpaddd"), ("for_each_in_range_inline_avx512_row_ids", "vpaddd"),
]


def functions(archives):
    """name -> [(address, mnemonic, operands)] of every function in the archives."""
    found, body = {}, None
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-M", "att", *archives], check=True,
                          capture_output=True, text=True).stdout
    if "x86-64" not in text:
        print("skip: not x86-64 code")
        sys.exit(77)
    for line in text.splitlines():
        if match := re.match(r"^[0-9a-f]+ <(.+)>:$", line):
            body = found.setdefault(match[1], [])
        elif match := re.match(r"^\s*([0-9a-f]+):\s+(?:(?:rep|lock|notrack|cs|data16)\s+)*(\S+)\s*(.*)$", line):
            body.append((int(match[1], 16), match[2], match[3]))
    return found


def calls_in_loops(body):
    """The calls from which control can come back to the same call: those that some loop repeats."""
    addresses = [address for address, _, _ in body]
    after = dict(zip(addresses, addresses[1:]))
    edges = {}
    for address, mnemonic, operands in body:
        target = re.match(r"^([0-9a-f]+)( <|$)", operands)
        edges[address] = []
        if mnemonic.startswith("j") and target:
            edges[address].append(int(target[1], 16))
        if mnemonic not in ("jmp", "ret", "ud2") and address in after:
            edges[address].append(after[address])

    def comes_back(start):
        seen, todo = set(), list(edges[start])
        while todo:
            address = todo.pop()
            if address == start:
                return True
            if address not in seen:
                seen.add(address)
                todo += edges.get(address, [])
        return False

    return [address for address, mnemonic, _ in body if mnemonic.startswith("call") and comes_back(address)]


def check(found):
    failures = []
    hot = {name: body for name, body in found.items() if CALL_FREE.match(name)}
    for name, body in hot.items():
        failures += [f"{name}: a loop calls at {address:x}" for address in calls_in_loops(body)]
        failures += [f"{name}: {mnemonic} stores to memory, which is microcode on Zen 4"
                     for _, mnemonic, operands in body if re.match(r"vpcompress[bdwq]$", mnemonic) and
                     re.search(r"\)(\{%k\d\})?$", operands)]
    for instance, mnemonic in PROMISED:
        parts = [body for name, body in hot.items() if name == instance or name.startswith(instance + "_segments")]
        if not parts:
            failures.append(f"{instance}: no such function")
        elif not any(found_mnemonic == mnemonic for body in parts for _, found_mnemonic, _ in body):
            failures.append(f"{instance}: no {mnemonic}")
    return hot, failures


def self_test():
    """The finder must find: a call inside a loop and none outside of one."""
    body = [(0, "call", "90 <f>"), (4, "add", "%rax,%rax"), (8, "call", "90 <f>"), (12, "jne", "4 <x+0x4>")]
    assert calls_in_loops(body) == [8]
    _, failures = check({"direct_avx2_touch": body})
    assert sum("a loop calls" in failure for failure in failures) == 1
    assert any("no such function" in failure for failure in failures)


def main():
    if not shutil.which("objdump"):
        print("skip: no objdump")
        return 77
    self_test()
    hot, failures = check(functions(sys.argv[1:]))
    print(f"{len(hot)} hot functions, {len(PROMISED)} promises")
    for failure in failures:
        print(failure)
    return 1 if failures or len(hot) < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
