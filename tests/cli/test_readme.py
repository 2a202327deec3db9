# SPDX-License-Identifier: Apache-2.0
"""The numbers of README are those of the recorded runs that it links to: test_readme.py DVBENCH SOURCE. Where one differs,
the message has the line as it should be."""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop())
PROGRAM = os.path.abspath(sys.argv.pop())
TEXT = (SOURCE / "README.md").read_text(encoding="utf-8")
# The claims of README's table, in its order, in the words of claims.csv.
CLAIMS = [
    "lookups just below the cliff against just above: 6.1 % / 7 %",
    "chunks that are arrays, 6.25 %",
    "callbacks instead of lookups, 6.1 %",
    "callbacks instead of lookups, 0.5 %",
    "callbacks instead of lookups, 0.5 %, one batch again and again",
    "a new iterator per batch against callbacks, 5 %",
    "lookups at 0.5 %, single deletes against runs of 4096",
    "lookups, deletes in all chunks against in 10 % of them",
    "lookups without a branch, bitsets half full against 8 %",
    "share of the extra cycles that branch misses explain, microbenchmark, array of 3,276 against bitset of 7,864",
]


def run_of(kind):
    """The folder of the recorded run whose report README links to."""
    found = set(re.findall(r"\((results/reference/[^/)]+/[^/)]+-%s)/report\.md\)" % kind, TEXT))
    assert len(found) == 1, found
    return SOURCE / found.pop()


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(first):
    """The rows of the table whose head begins with this cell, as lists of cells, and its head."""
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in TEXT[TEXT.index("| " + first):].split("\n\n")[0].splitlines()]
    return lines[0], lines[2:]


def digits(value, like):
    """The value with as many digits as `like` has."""
    after = len(like.split(".")[1]) if "." in like else 0
    return f"{value:.{after}f}"


class Readme(unittest.TestCase):
    def same(self, said, texts):
        """The numbers of a cell of README, and what was recorded."""
        shown = re.findall(r"[0-9][0-9.]*[0-9]|[0-9]", said)
        self.assertEqual(len(shown), len(texts), (said, texts))
        self.assertEqual(shown, [digits(value, like) for value, like in zip(texts, shown)], said)

    def said(self, *parts):
        """The text says each of them, in whatever words around it."""
        words = " ".join(TEXT.split())
        self.assertEqual([part for part in parts if part not in words], [])

    def test_pictures_and_links(self):
        links = re.findall(r"\]\((?!http)([^)#]+)\)", TEXT)
        self.assertGreater(len(links), 8)
        self.assertEqual([link for link in links if not (SOURCE / link).exists()], [])
        self.assertEqual(len(re.findall(r"^!\[", TEXT, re.M)), 2)

    def test_cost_over_rate(self):
        rows = [row for row in read(run_of("quick") / "summary.csv") if row["sink"] == "row_ids" and row["verdict"] == "ok"]

        def value(kernel, rate, column="ns_per_row"):
            found, = [row for row in rows if row["kernel"] == kernel and f":bp={round(10000 * rate)}:" in row["dv"]]
            return float(found[column])

        head, lines = table("nanoseconds per row, deleted:")
        rates = [float(cell.split()[0]) / 100 for cell in head[1:]]
        for line in lines:
            kernel = re.search(r"`(\w+)`", line[0])[1]
            for rate, cell in zip(rates, line[1:]):
                self.same(cell, [value("per_row", rate, "bound_ns_per_row") if kernel == "bound" else value(kernel, rate)])
        self.assertEqual(len(lines), 4)
        direct = [row for row in rows if row["kernel"] == "direct_avx512"]
        direct_gain = value("direct_avx512", 0.061, "speedup_vs_per_row")
        gains = [value("for_each_in_range", rate, "speedup_vs_per_row") for rate in (0.005, 0.061, 0.5)]
        ns, bound = ([end(float(row[column]) for row in direct) for end in (min, max)] for column in ("ns_per_row", "pct_of_bound"))
        self.said(f"{value('per_row', 0.061) / value('per_row', 0.07):.1f} times", f"{value('per_row', 0.061, 'instructions_per_row'):.0f} instructions",
                  f"{value('per_row', 0.07, 'instructions_per_row'):.0f}", f"{gains[0]:.0f} times", f"{gains[1]:.0f} times", f"{gains[2]:.1f} times",
                  f"{ns[0]:.2f} to {ns[1]:.2f} ns", f"{round(direct_gain, -1):.0f} times",
                  f"{bound[0]:.0f} to {bound[1]:.0f} %")
        self.assertIn(f"Medians of {direct[0]['samples']} samples", TEXT)

    def test_share_of_a_scan(self):
        rows = [row for row in read(run_of("scan") / "scan.csv") if row["dv"] == "uniform:rate=0.061"]

        def row_of(columns, kernel):
            found, = [row for row in rows if row["columns"] == columns and row["kernel"] == kernel]
            return found

        _, lines = table("ns per row of the query, 6.1 % deleted")
        self.assertEqual(len(lines), 5)
        for line in lines:
            number = re.search(r"[0-9]+", line[0])
            columns = "count" if "count" in line[0] else number[0] + ("md5" if "md5" in line[0] else "int")
            none, per_row, direct = (row_of(columns, kernel) for kernel in ("none", "per_row", "direct_avx512"))
            self.same(line[1], [float(none["ns_per_row"])])
            for cell, row in ((line[2], per_row), (line[3], direct)):
                self.same(cell, [float(row["ns_per_row"]), float(row["dv_share_pct"])])
            self.same(line[4], [100 - 100 / float(direct[column]) for column in ("gain_vs_per_row", "gain_low", "gain_high")])
        some = [(row_of(columns, "per_row"), row_of(columns, "direct_avx512")) for columns in ("count", "1int", "9int")]
        self.said(*(f"{float(row['dv_share_pct']):.0f} %" for row, _ in some))
        left = [f"{float(row['dv_share_pct']):.1f}" for _, row in some]
        shorter = [f"{100 - 100 / float(row['gain_vs_per_row']):.0f}" for _, row in some]
        self.said(*(f"{a}, {b} and {c} %" for a, b, c in (left, shorter)))
        self.assertIn(f"Medians of {rows[0]['samples']} rounds", TEXT)

    def test_ways_to_delete(self):
        report = (run_of("deletes") / "report.md").read_text(encoding="utf-8")

        def rows_after(text):
            """The first table after that text: its rows by their first cell, as lists of texts."""
            lines = report[report.index(text):].split("\n| ", 1)[1].split("\n\n")[0].splitlines()[2:]
            return {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines)}

        recorded = rows_after("## Deletes of pattern uniform")
        _, lines = table("way | all deletes, s")
        self.assertEqual([re.search(r"`(\w+)`", line[0])[1] for line in lines], list(recorded))
        for line, (all_ms, written, _, _, _, count, one, _, nine) in zip(lines, recorded.values()):
            for said, value in zip(line[1:], (float(all_ms) / 1000, written, count, one, nine)):
                self.same(said, [float(value)])
        self.said(f"{float(recorded['cow'][0]) / float(recorded['v3'][0]):.0f} times what vectors cost")
        pays = {pattern: [f"{float(cell.split()[0]):.0f}" for cell in cells] for pattern, cells in rows_after("## After how many scans").items()}
        self.said("{0} counts per batch on, {1} scans of one column or {3} of nine".format(*pays["uniform"]), "from {0}, {1} and {3}".format(*pays["prefix"]))

    def test_claims(self):
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "run")
            shutil.copytree(run_of("article"), run)
            subprocess.run([PROGRAM, "report", run], check=True, stdout=subprocess.PIPE, env=dict(os.environ, DVBENCH_REFERENCE=folder))
            claims = {row["claim"]: row for row in read(os.path.join(run, "claims.csv"))}
        _, lines = table("claim | published")
        self.assertEqual(len(lines), len(CLAIMS))
        for claim, (name, published, here, verdict) in zip(CLAIMS, lines):
            row = claims[claim]
            self.assertEqual(re.search("[0-9.]+", published)[0], re.search("[0-9.]+", row["published"])[0], name)
            self.assertTrue(verdict.startswith(row["verdict"]), (name, verdict, row))
            if row["ours"]:
                self.same(here, [float(row[column]) for column in ("ours", "low", "high")])
            if row["factor"] and "factor" in verdict:
                self.same(re.search("factor [0-9.]+", verdict)[0], [float(row["factor"])])


unittest.main()
