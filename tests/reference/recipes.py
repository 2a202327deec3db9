#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipes a second time: a slow, plain implementation to hold the program's against.

Written from the descriptions in datasets/recipes.def and datasets/recipe_random.h, with Python's integers and lists, a Roaring
writer and a murmur3 of its own. A spec must be canonical (every parameter written out): defaults are the program's business.

  recipes.py SPEC...                 a line for each: spec, cardinality, array/bitset/run containers, bytes, FNV-1a digest
  recipes.py --check FILE MAX_ROWS   recomputes the lines of FILE whose rows do not pass MAX_ROWS (0: all); exit 1 where one differs
  recipes.py --update FILE           recomputes the lines of FILE, of which only the first column is read
  recipes.py --against PROGRAM N     compares N random specs with what PROGRAM prints for them; exit 1 where one differs
"""
import itertools
import random
import struct
import subprocess
import sys

MASK = 2**64 - 1
CHUNK = 65536
ONE = 2**64


# ---- random numbers ----

class Xoshiro:
    def __init__(self, seed):
        self.s = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & MASK
            z = seed
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            self.s.append(z ^ (z >> 31))

    @staticmethod
    def rotl(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    def next(self):
        s0, s1, s2, s3 = self.s
        result = (self.rotl((s1 * 5) & MASK, 7) * 9) & MASK
        s2 ^= s0
        s3 ^= s1
        self.s = [s0 ^ s3, s1 ^ s2, s2 ^ ((s1 << 17) & MASK), self.rotl(s3, 45)]
        return result

    def below(self, n):
        while True:
            product = self.next() * n
            if product % ONE >= ONE % n:
                return product // ONE


class Geometric:
    """Failures before a success of probability numerator / denominator."""

    def __init__(self, numerator, denominator):
        q = (denominator - numerator) * ONE // denominator
        self.digits = []
        while q and len(self.digits) < 63:
            self.digits.append(q * ONE // (ONE + q))
            q = q * q // ONE

    def next(self, rng):
        return sum((rng.next() < p) << k for k, p in enumerate(self.digits))


def subset(rng, n, k):
    taken = set()
    for j in range(n - k, n):
        t = rng.below(j + 1)
        taken.add(j if t in taken else t)
    return sorted(taken)


# ---- recipes: each yields half-open ranges of rows ----

def rate_of(text):
    whole, _, decimals = text.partition(".")
    return int(whole + decimals), 10 ** len(decimals)


class Spec:
    def __init__(self, text):
        self.text = text
        self.id, *pairs = text.split(":")
        self.values = dict(pair.split("=") for pair in pairs)
        self.rows = self.count("rows")
        self.base = self.count("base")
        self.rng = Xoshiro(self.count("seed")) if "seed" in self.values else None

    def count(self, name):
        return int(self.values[name])

    def rate(self, name="rate"):
        return rate_of(self.values[name])

    def chunks(self):
        """Rows [start, end) of each chunk of positions."""
        first, last = self.base // CHUNK, (self.base + self.rows - 1) // CHUNK
        return [(max(c * CHUNK, self.base) - self.base, min((c + 1) * CHUNK, self.base + self.rows) - self.base)
                for c in range(first, last + 1)]


def uniform_rows(spec, start, end, gap):
    row = start + gap.next(spec.rng)
    while row < end:
        yield row, row + 1
        row += 1 + gap.next(spec.rng)


def uniform(spec):
    numerator, denominator = spec.rate()
    if numerator:
        yield from uniform_rows(spec, 0, spec.rows, Geometric(numerator, denominator))


def random_rows(spec, rows, count):
    for offset in subset(spec.rng, rows[1] - rows[0], count):
        yield rows[0] + offset, rows[0] + offset + 1


def exact(spec):
    count = spec.count("count")
    for rows in spec.chunks():
        yield from random_rows(spec, rows, min(count, rows[1] - rows[0]))


def murmur3(data, seed):
    h = seed
    for (word,) in struct.iter_unpack("<I", data):
        word = (word * 0xCC9E2D51) % 2**32
        word = ((word << 15 | word >> 17) * 0x1B873593) % 2**32
        h ^= word
        h = ((h << 13 | h >> 19) % 2**32 * 5 + 0xE6546B64) % 2**32
    h ^= len(data)
    h ^= h >> 16
    h = (h * 0x85EBCA6B) % 2**32
    h ^= h >> 13
    h = (h * 0xC2B2AE35) % 2**32
    return h ^ h >> 16


def spark_pmod(key, salt):
    h = murmur3(struct.pack("<i", salt), murmur3(struct.pack("<q", key), 42))
    return (h - 2**32 if h >= 2**31 else h) % 10000


def article(spec):
    axis, bp = spec.values["axis"], spec.count("bp")
    last_key, is_deleted = None, False
    for row in range(spec.rows):
        if axis == "occupancy" and spark_pmod(row // CHUNK, 20260818) >= 100 * spec.count("percent"):
            continue
        key = {"rate": spec.count("file") * 2000000 + row, "runs": row // int(spec.values.get("length", 1)),
               "occupancy": row}[axis]
        if key != last_key:
            last_key, is_deleted = key, spark_pmod(key, 20260817) < bp
        if is_deleted:
            yield row, row + 1


def java_random(cardinality):
    state, rows = 20260817 ^ 0x5DEECE66D, set()
    while len(rows) < cardinality:
        state = (state * 0x5DEECE66D + 0xB) % 2**48
        rows.add((65536 * (state >> 17)) >> 31)
    return [(row, row + 1) for row in sorted(rows)]


def microbench(spec):
    return {"sparse_0_5": lambda: java_random(327), "medium_5": lambda: java_random(3276),
            "dense_12": lambda: java_random(7864), "run_contig": lambda: [(22937, 42598)],
            "run_partial": lambda: [(start, start + 64) for start in range(0, 51 * 1285, 1285)],
            "empty_batch": lambda: [(0, 30268)]}[spec.values["pattern"]]()


def gap_of(spec):
    numerator, denominator = spec.rate()
    return Geometric(numerator, spec.count("length") * (denominator - numerator))


def runs(spec):
    if spec.rate()[0] == 0:
        return
    gap, length = gap_of(spec), spec.count("length")
    start = gap.next(spec.rng)
    while start < spec.rows:
        yield start, start + length
        start += length + 1 + gap.next(spec.rng)


def bursts(spec):
    if spec.rate()[0] == 0:
        return
    gap, more = gap_of(spec), Geometric(1, spec.count("length"))
    start = gap.next(spec.rng)
    while start < spec.rows:
        end = start + 1 + more.next(spec.rng)
        yield start, end
        start = end + 1 + gap.next(spec.rng)


def chosen_chunks(spec, wanted):
    chunks = spec.chunks()
    for i, rows in enumerate(chunks):
        if wanted == 0:
            return
        if spec.rng.below(len(chunks) - i) < wanted:
            yield rows, wanted
            wanted -= 1


def occupancy(spec):
    numerator, denominator = spec.rate()
    if numerator == 0:
        return
    gap = Geometric(numerator, denominator)
    wanted = -(-len(spec.chunks()) * spec.count("percent") // 100)
    for rows, _ in chosen_chunks(spec, wanted):
        yield from uniform_rows(spec, *rows, gap)


def clustered(spec):
    (rate, rate_one), (fill, fill_one) = spec.rate(), spec.rate("fill")
    left, per_chunk = spec.rows * rate // rate_one, CHUNK * fill // fill_one
    for rows, n_chunks in chosen_chunks(spec, -(-left // per_chunk) if left else 0):
        count = min(-(-left // n_chunks), rows[1] - rows[0])
        yield from random_rows(spec, rows, count)
        left -= count


def zipf(spec):
    numerator, denominator = spec.rate()
    chunks = spec.chunks()
    total, exponent = spec.rows * numerator // denominator, spec.count("exponent")
    order = list(range(len(chunks)))
    for i in range(len(order) - 1, 0, -1):
        j = spec.rng.below(i + 1)
        order[i], order[j] = order[j], order[i]
    weights = [2**40 // (r + 1)**exponent for r in range(len(order))]
    marks = [total * sum(weights[:r]) // sum(weights) for r in range(len(order) + 1)]
    counts, over = [0] * len(chunks), 0
    shares = [after - before for before, after in zip(marks, marks[1:])]
    for chunk, share in list(zip(order, shares)) + [(chunk, 0) for chunk in order]:
        more = min(share + over, chunks[chunk][1] - chunks[chunk][0] - counts[chunk])
        over += share - more
        counts[chunk] += more
    for rows, count in zip(chunks, counts):
        yield from random_rows(spec, rows, count)


def stride(spec):
    for row in range(spec.count("offset"), spec.rows, spec.count("step")):
        yield row, row + 1


def alternating(spec):
    length = spec.count("length")
    for start in range(length, spec.rows, 2 * length):
        yield start, start + length


# Each gives the half-open ranges [start, end) of the rows that it deletes, ascending.
RECIPES = {
    "uniform": uniform, "exact": exact, "article": article, "runs": runs, "occupancy": occupancy,
    "clustered": clustered, "bursts": bursts, "microbench": microbench, "stride": stride, "alternating": alternating, "zipf": zipf,
    "prefix": lambda spec: [(0, spec.count("count"))],
    "suffix": lambda spec: [(max(0, spec.rows - spec.count("count")), spec.rows)],
    "none": lambda spec: [],
    "one": lambda spec: [(spec.count("row"), spec.count("row") + 1)],
    "all": lambda spec: [(0, spec.rows)],
}


# ---- Roaring ----

def container(values, optimize):
    """Kind and bytes of the container of sorted 16-bit values."""
    kind, data = "array", struct.pack("<%dH" % len(values), *values)
    if len(values) > 4096:
        kind, data = "bitset", sum(1 << v for v in values).to_bytes(8192, "little")
    if optimize:
        starts = [v for v, before in zip(values, [-2] + values) if v != before + 1]
        lasts = [v for v, after in zip(values, values[1:] + [CHUNK + 1]) if v != after - 1]
        if 2 + 4 * len(starts) < len(data):
            kind, data = "run", struct.pack("<H", len(starts))
            data += b"".join(struct.pack("<HH", a, b - a) for a, b in zip(starts, lasts))
    return kind, data


def bitmap32(chunks, optimize, kinds):
    made = [(chunk, len(values), *container(values, optimize)) for chunk, values in chunks]
    for _, _, kind, _ in made:
        kinds[kind] += 1
    n = len(made)
    has_runs = any(kind == "run" for _, _, kind, _ in made)
    if has_runs:
        flags = sum(1 << i for i, one in enumerate(made) if one[2] == "run")
        head = struct.pack("<HH", 12347, n - 1) + flags.to_bytes((n + 7) // 8, "little")
    else:
        head = struct.pack("<II", 12346, n)
    head += b"".join(struct.pack("<HH", chunk, cardinality - 1) for chunk, cardinality, _, _ in made)
    if not has_runs or n >= 4:
        at = len(head) + 4 * n
        for _, _, _, data in made:
            head += struct.pack("<I", at)
            at += len(data)
    return head + b"".join(data for _, _, _, data in made)


def payload(positions, optimize):
    kinds = {"array": 0, "bitset": 0, "run": 0}
    keys = {}
    for position in positions:
        keys.setdefault(position >> 32, {}).setdefault(position >> 16 & 0xFFFF, []).append(position & 0xFFFF)
    data = struct.pack("<Q", len(keys))
    for key in sorted(keys):
        data += struct.pack("<I", key) + bitmap32(sorted(keys[key].items()), optimize, kinds)
    return data, kinds


def fnv1a(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & MASK
    return h


def line(text):
    spec = Spec(text)
    if spec.id not in RECIPES:
        sys.exit("no recipe %s in %s: write it a second time as a function, from its description in "
                 "datasets/recipes.def, and name it in RECIPES and random_spec" % (spec.id, __file__))
    positions = [spec.base + row for start, end in RECIPES[spec.id](spec) for row in range(start, min(end, spec.rows))]
    data, kinds = payload(positions, spec.count("optimize"))
    return "%s %d %d/%d/%d %d %016x" % (text, len(positions), kinds["array"], kinds["bitset"], kinds["run"], len(data),
                                        fnv1a(data))


# ---- comparing ----

def random_spec(rng, recipe):
    rows = rng.choice([1, 2, 100, 65535, 65536, 65537, 200000, rng.randrange(1, 300000)])
    # Few decimals make rates that recur; many make odd fractions.
    rate = rng.choice(["0", "0.001", "0.05", "0.5", "0.0%d" % rng.randrange(1, 10**9)]).rstrip("0") or "0"
    rate = "0" if rate == "0." else rate
    length = rng.choice([1, 2, 64, 5000, rng.randrange(1, 70000)])
    count = rng.choice([0, 1, 4095, 4096, 4097, 40000, 65536])
    own = {
        "uniform": "rate=" + rng.choice([rate, "1", "0.999"]), "exact": "count=%d" % count,
        "runs": "rate=%s:length=%d" % (rate, length), "bursts": "rate=%s:length=%d" % (rate, length),
        "occupancy": "rate=%s:percent=%d" % (rate, rng.choice([0, 1, 25, 50, 100])),
        "clustered": "rate=%s:fill=%s" % (rate, rng.choice(["0.5", "0.9", "1", "0.7123"])),
        "stride": "step=%d:offset=%d" % (length, rng.choice([0, 1, 70000])), "alternating": "length=%d" % length,
        "prefix": "count=%d" % count, "suffix": "count=%d" % count,
        "zipf": "rate=%s:exponent=%d" % (rng.choice([rate, "0.9", "1"]), rng.randrange(5)),
        "one": "row=%d" % rng.randrange(rows),
        "article": rng.choice(["axis=rate:bp=500:file=%d" % rng.randrange(4), "axis=runs:bp=5000:file=0:length=%d" % length,
                               "axis=occupancy:bp=50:file=0:percent=%d" % rng.choice([0, 50, 100])]),
    }
    own["microbench"] = "pattern=" + rng.choice(["sparse_0_5", "medium_5", "dense_12", "run_contig", "run_partial", "empty_batch"])
    base = rng.choice([0, 1, 30268, 65535, 2**32 - 70000, 2**32 - 1, 2**47 + 5, 0x7FFFFFFE80000001 - rows])
    seed = "" if recipe in ("article", "microbench") else "seed=%d:" % rng.choice([0, 1, 2**64 - 1, rng.randrange(2**64)])
    parts = [recipe] + ([own[recipe]] if recipe in own else [])
    return ":".join(parts) + ":rows=%d:%sbase=%d:optimize=%d" % (rows, seed, base, rng.randrange(2))


def report(pairs):
    """Prints the lines that differ; 1 if any, as an exit code."""
    different = [(mine, theirs) for mine, theirs in pairs if mine != theirs]
    for mine, theirs in different:
        print("reference: %s\nfound:     %s" % (mine, theirs))
    print("%d specs compared, %d differ" % (len(pairs), len(different)))
    return 1 if different or not pairs else 0


def check(path, max_rows):
    with open(path) as file:
        lines = [text.rstrip("\n") for text in file if not text.startswith("#")]
    chosen = [text for text in lines if max_rows == 0 or Spec(text.split()[0]).rows <= max_rows]
    return report([(line(text.split()[0]), text) for text in chosen])


def update(path):
    with open(path) as file:
        lines = [text.rstrip("\n") for text in file]
    with open(path, "w") as file:
        for text in lines:
            file.write((text if text.startswith("#") else line(text.split()[0])) + "\n")
    return 0


def against(program, n_specs):
    rng = random.Random(20260817)
    specs = [random_spec(rng, recipe) for _, recipe in zip(range(n_specs), itertools.cycle(sorted(RECIPES)))]
    assert n_specs >= len(RECIPES), "%d specs for %d recipes: some are never compared" % (n_specs, len(RECIPES))
    found = subprocess.run([program] + specs, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    assert len(found) == len(specs), "%d lines for %d specs" % (len(found), len(specs))
    for spec, read_as in zip(specs, (text.split()[0] for text in found)):
        if spec != read_as:
            sys.exit("%s is read as %s: random_spec in %s must give all parameters of the recipe, in the order of "
                     "datasets/recipes.def" % (spec, read_as, __file__))
    return report([(line(spec), theirs) for spec, theirs in zip(specs, found)])


def main(arguments):
    if arguments[0] == "--check":
        return check(arguments[1], int(arguments[2]))
    if arguments[0] == "--update":
        return update(arguments[1])
    if arguments[0] == "--against":
        return against(arguments[1], int(arguments[2]))
    for spec in arguments:
        print(line(spec))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
