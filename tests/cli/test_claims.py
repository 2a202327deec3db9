# SPDX-License-Identifier: Apache-2.0
"""The claims of the report: test_claims.py DVBENCH SOURCE. Verdicts follow from the numbers of a summary, changed here."""
import csv
import glob
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import csv_files

SOURCE = sys.argv.pop()
PROGRAM = os.path.abspath(sys.argv.pop())
CLAIM = "| callbacks instead of lookups, 0.5 % |"


class Claims(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.run_dir = pathlib.Path(self.folder.name, "run")
        self.run_dir.mkdir()
        reference = sorted(glob.glob(os.path.join(SOURCE, "results", "reference", "*", "*-quick")))[-1]
        for name in ("summary.csv", "run.json"):
            shutil.copy(os.path.join(reference, name), self.run_dir)
        self.rows = csv_files.read(self.run_dir / "summary.csv")
        self.row, = [row for row in self.rows if (row["kernel"], row["sink"], row["axis_value"]) == ("for_each_in_range", "row_ids", "0.005")]

    def report(self, rows):
        csv_files.write(self.run_dir / "summary.csv", rows)
        subprocess.run([PROGRAM, "report", str(self.run_dir)], check=True, stdout=subprocess.PIPE,
                       env=dict(os.environ, DVBENCH_REFERENCE=self.folder.name))
        return (self.run_dir / "report.md").read_text(encoding="utf-8")

    def cells(self, rows, claim=CLAIM):
        line, = [line for line in self.report(rows).splitlines() if line.startswith(claim)]
        return [cell.strip() for cell in line.split("|")[1:-1]]

    def set(self, value, low, high):
        self.row.update(speedup_vs_per_row=value, speedup_low=low, speedup_high=high, noise_floor_pct="5")
        return self.cells(self.rows)

    def test_verdicts(self):
        """Published: 8.56x, within a factor of 2."""
        self.assertEqual(self.set("9", "8", "10")[2:4], ["9.00x (8.00 to 10.0)", "reproduced (factor 2.00)"])
        self.assertTrue(self.set("30", "29", "31")[3].startswith("differs"))
        self.assertTrue(self.set("0.5", "0.4", "0.6")[3].startswith("differs"))
        for value in (("17", "16", "18"), ("1.02", "0.9", "1.2"), ("9", "", "")):
            cells = self.set(*value)
            self.assertTrue(cells[3].startswith("cannot tell"), cells)
            self.assertIn("Cannot tell: ", cells[4])

    def test_not_measured(self):
        rows = [row for row in self.rows if row is not self.row]
        self.assertEqual(self.cells(rows)[2:], ["", "cannot tell", "Not measured: this run lacks the cells."])

    def test_arrays(self):
        claim = "| chunks that are arrays, 6.1 % |"
        self.assertEqual(self.cells(self.rows, claim)[3], "reproduced")
        for row in self.rows:
            if row["axis_value"] == "0.061":
                row["array_containers"], row["bitset_containers"] = "2", "29"
        self.assertEqual(self.cells(self.rows, claim)[3], "differs")

    def test_bytes(self):
        """31 arrays of 20,000 bytes in all against 3 containers of one run each: 18 bytes, 47 with their headers."""
        for bp, length, counts in (("50", "1", ("20276", "31", "0", "0")), ("100", "4096", ("47", "0", "0", "3"))):
            for row in self.rows:
                if (row["kernel"], row["sink"]) == ("per_row", "row_ids") and f":bp={bp}:" in row["dv"]:
                    row.update(dv=f"article:axis=runs:bp=50:file=0:length={length}:rows=2000000:base=0:optimize=1", doubts="")
                    row.update(zip(("dv_bytes", "array_containers", "bitset_containers", "run_containers"), counts))
        cells = self.cells(self.rows, "| bytes of the vector at 0.5 %, single deletes against runs of 4096 |")
        self.assertEqual(cells[2:4], ["1112x", "reproduced (factor 2.00)"])
        self.assertTrue(cells[4].startswith("20008 bytes of containers against 18"), cells)

    def test_the_microbenchmark(self):
        """Its vectors are found by their pattern; a vector of the same rate that is not spread alike is no cell of a claim."""
        for row in self.rows:
            if row is not self.row and (row["kernel"], row["sink"], row["axis_value"]) == ("for_each_in_range", "row_ids", "0.001"):
                row.update(mode="replay", speedup_vs_per_row="50", speedup_low="49", speedup_high="51", doubts="")
                block = row["dv"]
        for row in self.rows:
            if row["dv"] == block and row["sink"] == "row_ids":
                row.update(dv="microbench:pattern=run_partial:rows=65536:base=0:optimize=1", recipe="microbench", mode="replay")
        cells = self.cells(self.rows, "| microbenchmark, 51 runs of 64: callbacks instead of lookups |")
        self.assertEqual(cells[2:4], ["50.0x (49.0 to 51.0)", "reproduced (factor 2.00)"])
        for row in self.rows:
            if row["dv"] == self.row["dv"]:
                row.update(dv="clustered:rate=0.005:fill=0.9:rows=2000000:seed=1:base=0:optimize=1", recipe="clustered")
        self.assertEqual(self.cells(self.rows)[2:], ["", "cannot tell", "Not measured: this run lacks the cells."])

    def test_branch_misses(self):
        """0.05 misses more at 20 cycles each are 1 of 50 cycles: 2 %; simulated or without a penalty there is no share."""
        claim = "| share of the extra cycles that branch misses explain, microbenchmark, array of 3,276 against bitset of 7,864 |"
        for bp, pattern, cycles, misses in ((500, "medium_5", 70, 0.08), (1200, "dense_12", 20, 0.03)):
            for row in self.rows:
                if (row["kernel"], row["sink"]) == ("per_row", "row_ids") and f":bp={bp}:" in row["dv"]:
                    row.update(dv=f"microbench:pattern={pattern}:rows=65536:base=0:optimize=1", recipe="microbench", mode="replay", doubts="",
                               counter_source="pmu", core_cycles_per_row=str(cycles), branch_misses_per_row=str(misses))
        cells = self.cells(self.rows, claim)
        self.assertEqual(cells[2:4], ["", "cannot tell"])
        self.assertTrue(cells[4].startswith("Not measured: the cost of a branch miss was not measured"), cells)
        names = "schema,run,cell,event,encoding,source,pass,value_per_row,status".split(",")
        with open(self.run_dir / "counters.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names, lineterminator="\n")
            writer.writeheader()
            for event, value in (("miss_penalty", 20), ("miss_penalty_low", 15), ("miss_penalty_high", 25)):
                writer.writerow(dict(schema="2", run=self.row["run"], cell="calibration", event=event, source="pmu", value_per_row=value, status="ok"))
        self.assertEqual(self.cells(self.rows, claim)[2:4], ["2.00 % (1.50 to 2.50)", "reproduced (factor 2.00)"])
        for row in self.rows:
            if row["recipe"] == "microbench":
                row["counter_source"] = "sim"
        self.assertIn("the misses are simulated", self.cells(self.rows, claim)[4])

    def test_the_code(self):
        """What `asm` finds in this program, for a run of the same compiler; of another one nothing is known."""
        claim = "| the code of lookups that do not branch, into row_ids |"
        self.rows = [dict(row, compiler="another 1.0") for row in self.rows]
        self.assertTrue(self.cells(self.rows, claim)[3:][1].startswith("Not read: the run's program is of another 1.0"))
        version = subprocess.run([PROGRAM, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
        compiler, = re.findall(r"^ *compiler +(.*\S)", version, re.M)
        cells = self.cells([dict(row, compiler=compiler) for row in self.rows], claim)
        asm = subprocess.run([PROGRAM, "asm", "per_row_branchless/row_ids", "--no-source"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        found = re.search("^after the test of a bitset's bit: (\\w+), (a|no) branch on the answer$", asm.stdout, re.M)
        if not found:
            self.assertEqual((cells[2], cells[3]), ("", "cannot tell"))
            self.assertTrue(cells[4].startswith("Not read: "), cells)
        else:
            self.assertEqual(cells[2:4], ["no branch", "reproduced"] if found[2] == "no" else ["a branch", "differs"])
            self.assertIn(f"followed by {found[1]}:", cells[4])

    def test_scans(self):
        """Each row has its numbers in a sentence; a query that is not in the run cannot be told."""
        scan = sorted(glob.glob(os.path.join(SOURCE, "results", "reference", "*", "*-scan")))[0]
        run = pathlib.Path(self.folder.name, "scan")
        run.mkdir()
        shutil.copy(os.path.join(scan, "scan.csv"), run)
        subprocess.run([PROGRAM, "report", str(run)], check=True, stdout=subprocess.PIPE)
        lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in (run / "report.md").read_text(encoding="utf-8").splitlines()]
        rows = {line[0]: line[1:] for line in lines if len(line) == 6}
        row, = [row for row in csv_files.read(run / "scan.csv") if (row["query"], row["columns"], row["dv"], row["kernel"], row["files"]) ==
                ("scan", "1int", "uniform:rate=0.061", "per_row", "4")]
        share, whole = float(row["dv_share_pct"]), float(row["ns_per_row"])
        why = rows["share of a scan of 1 column, 6.1 %"][4]
        took, of = re.fullmatch(r"The vectors took ([0-9.]+) of ([0-9.]+) ns per row\.", why).groups()
        self.assertAlmostEqual(float(of), whole, delta=whole / 100)
        self.assertAlmostEqual(float(took), whole * share / 100, delta=whole / 100)
        self.assertEqual(rows["share of a scan of 20 columns of several types, 6.1 %"][1:],
                         ["", "", "cannot tell", "Not measured: this run lacks the blocks."])
        claims = {row["claim"]: row for row in csv_files.read(run / "claims.csv")}
        self.assertEqual(set(claims), {name for name in rows if name != "what" and not name.startswith("-")})
        self.assertEqual(float(claims["share of a scan of 1 column, 6.1 %"]["ours"]), share)
        self.assertEqual(claims["share of a scan of 1 column, 6.1 %"]["reason"], why)

    def test_a_scan_opens_with_the_answer(self):
        """The numbers of the three sentences are those of scan.csv; then the figure, the contents, the claims."""
        scan = sorted(glob.glob(os.path.join(SOURCE, "results", "reference", "*", "*-scan")))[0]
        run = pathlib.Path(self.folder.name, "opens")
        shutil.copytree(scan, run)
        subprocess.run([PROGRAM, "report", str(run)], check=True, stdout=subprocess.PIPE)
        text = (run / "report.md").read_text(encoding="utf-8")
        rows = csv_files.read(run / "scan.csv")
        shares = [float(row["dv_share_pct"]) for row in rows if row["kernel"] == "per_row"]
        cost, = re.findall(r"^What it costs here: .* take from ([0-9.]+) % .* to ([0-9.]+) % .*over (\d+) queries", text, re.M)
        self.assertEqual(int(cost[2]), len(shares))
        for said, measured in zip(cost, (min(shares), max(shares))):
            self.assertAlmostEqual(float(said), measured, delta=measured / 100)
        kernel, least, most = re.findall(r"^What to use: (\w+) leaves .* makes the query ([0-9.]+) to ([0-9.]+) % shorter", text, re.M)[0]
        gains = [float(row["gain_vs_per_row"]) for row in rows if row["kernel"] == kernel]
        self.assertEqual(len(gains), len(shares))
        for said, gain in ((least, min(gains)), (most, max(gains))):
            self.assertAlmostEqual(float(said), 100 - 100 / gain, delta=0.5)
        told, of = map(int, re.findall(r"^How sure: the intervals of (\d+) of (\d+) gains", text, re.M)[0])
        vectors = [row for row in rows if row["kernel"] not in ("none", "function", "engine", "per_row")]
        self.assertEqual(of, len(vectors))
        self.assertEqual(told, sum(float(row["gain_low"]) > 1 or float(row["gain_high"]) < 1 for row in vectors))
        most_row = max((row for row in rows if row["kernel"] == "per_row"), key=lambda row: float(row["dv_share_pct"]))
        number = 1 + list(dict.fromkeys(row["dv"] for row in rows)).index(most_row["dv"])
        places = [text.index(part) for part in ("\nHow sure: ", f"(plots/scan_custom.{number}.svg)", "[The article's claims about whole scans](#",
                                                "\n## The article's claims about whole scans", "\n## What does the vector cost in a scan?",
                                                "\n## The numbers as CSV", "(plots/scan_custom.1.csv)")]
        self.assertEqual(places, sorted(places))
        self.assertEqual(text.count(f"(plots/scan_custom.{number}.svg)"), 1)

    def test_csv(self):
        """A row per claim and machine, with what the report's table says."""
        others = [dict(row, machine="another machine", run="another") for row in self.rows]
        self.report(self.rows + others)
        rows = csv_files.read(self.run_dir / "claims.csv")
        found = [row for row in rows if row["claim"] == "callbacks instead of lookups, 0.5 %"]
        self.assertEqual([row["machine"] for row in found], [self.row["machine"], "another machine"])
        for row in found:
            self.assertEqual(row["published_value"], "8.56")
            self.assertEqual([float(row[name]) for name in ("ours", "low", "high")],
                             [float(self.row[name]) for name in ("speedup_vs_per_row", "speedup_low", "speedup_high")])
            self.assertIn(row["verdict"], ("reproduced", "differs", "cannot tell"))
            self.assertIn("times the published ratio", row["reason"])
        self.assertTrue(all(row["reason"] for row in rows))

    def test_mixture(self):
        """Half arrays of 20 ns, half bitsets of 6: 13 ns are as its containers say, 26 are twice that."""
        claim = "| lookups at 6.25 % against the mixture of arrays and bitsets that is in it |"
        for bp, other, cost in (("500", "590", "20"), ("700", "660", "6"), ("625", "625", "13")):
            for row in self.rows:
                if (row["kernel"], row["sink"]) == ("per_row", "row_ids") and f":bp={bp}:" in row["dv"]:
                    row.update(dv=row["dv"].replace(f":bp={bp}:", f":bp={other}:"), noise_floor_pct="5", chunks="30", array_containers="15", doubts="")
                    row.update({name: cost for name in ("ns_per_row", "ns_per_row_low", "ns_per_row_high")})
                    middle = row
        self.assertEqual(self.cells(self.rows, claim)[2:4], ["1.00x (1.00 to 1.00)", "reproduced (factor 1.20)"])
        middle.update({name: "26" for name in ("ns_per_row", "ns_per_row_low", "ns_per_row_high")})
        self.assertTrue(self.cells(self.rows, claim)[3].startswith("differs"))

    def test_a_number_without_one_published(self):
        cells = self.cells(self.rows, "| a new iterator per batch against one kept for the file, 0.5 % |")
        self.assertEqual(cells[3], "cannot tell")
        self.assertTrue(cells[2] and cells[4].endswith("nothing was published to compare with."), cells)

    def test_a_column_per_machine(self):
        self.set("9", "8", "10")
        others = [dict(row, machine="another machine", run="another") for row in self.rows]
        other, = [row for row in others if row["cell"] == self.row["cell"]]
        other.update(speedup_vs_per_row="40", speedup_low="39", speedup_high="41")
        self.assertEqual(self.cells(self.rows + others)[2:], ["reproduced: 9.00x (8.00 to 10.0)", "differs: 40.0x (39.0 to 41.0)"])

    def test_the_answer_comes_first(self):
        """Of the kernels that ran on all vectors the one with the lowest geometric mean is named; contents and links lead somewhere."""
        lines = self.report(self.rows).split("\n\n")
        self.assertEqual([line.split(":")[0] for line in lines[1:4]], ["What it costs here", "What to use", "How sure"])
        same = {key: self.rows[0][key] for key in ("sink", "mode", "batch_rows")}
        logs = {}
        for row in self.rows:
            if row["verdict"] == "ok" and not row["doubts"] and same == {key: row[key] for key in same}:
                cost = row["total_ns_per_row" if row["works_at_open"] == "1" else "ns_per_row"]
                logs.setdefault(row["kernel"], []).append(math.log(float(cost)))
        whole = {kernel: sum(found) for kernel, found in logs.items() if len(found) == len(logs["per_row"])}
        self.assertTrue(lines[2].startswith(f"What to use: {min(whole, key=whole.get)} takes "), lines[2])
        page = (self.run_dir / "report.html").read_text(encoding="utf-8")
        anchors = re.findall('href="#([^"]*)"', page)
        self.assertIn("the-articles-claims-and-this-run", anchors)
        self.assertTrue(set(anchors) <= set(re.findall('id="([^"]*)"', page)))
        files = [link for link in re.findall('href="([^"#]*)"', page) if ":" not in link]
        self.assertIn("summary.csv", files)
        self.assertTrue(all((self.run_dir / name).exists() for name in files), files)

    def test_cost_model(self):
        """What is linear in its features is fitted exactly, and a kernel without any order is not used."""
        for number, row in enumerate(self.rows):
            rate = float(row["deleted"]) / int(row["rows"])
            row["ns_per_row"] = row["total_ns_per_row"] = f"{2 + 3 * rate:.9g}" if row["kernel"] == "per_row" else f"{10 ** (number % 7)}"
        text = self.report(self.rows)
        line, = re.findall(r"^\| per_row \| (.*) \|$", text[text.index("## A cost model"):], re.M)
        n, median, worst, used = line.split(" | ")
        self.assertTrue(int(n) >= 9 and float(worst.split()[0]) < 0.01 and used == "yes", line)
        line, = re.findall(r"^\| per_row_raw \| (.*) \|$", text[text.index("## A cost model"):], re.M)
        self.assertTrue(line.endswith("| no"), line)


if __name__ == "__main__":
    unittest.main()
