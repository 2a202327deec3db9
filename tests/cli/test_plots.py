#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plot, report, compare, gate and merge on synthetic runs, through the program. argv: dvbench, the source tree, and `all`
to draw every figure in every test: without it, each is drawn once and a test draws only those that it looks into.
Exits 77 where gnuplot is missing."""
import csv
import html
import os
import re
import shutil
import subprocess
import sys
import time

import csv_files
import folder_tests

PROGRAM = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])
DRAWS_ALL = sys.argv[3:] == ["all"]
MAKE_RUN = os.path.join(SOURCE, "tests", "lib", "make_run.py")


def make_run(path, *options):
    subprocess.run([sys.executable, MAKE_RUN, path, *options], check=True)
    return path


def dvbench(*arguments, env=None, expect=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env=dict(os.environ, **(env or {})))
    assert done.returncode == expect, (arguments, done.returncode, done.stdout, done.stderr)
    # With Debian 12's CRoaring every sweep warns of it.
    done.stderr = "".join(line for line in done.stderr.splitlines(True) if "warning: CRoaring 0.2.66" not in line)
    assert done.stderr.count("\n") <= 1, done.stderr
    return done


def only(*figures):
    """The options that draw these figures and no others, unless all are to be drawn."""
    return [] if DRAWS_ALL else [word for figure in figures for word in ("--figure", figure)]


def drew_enough(paths, n_chosen):
    return len(paths) > 10 if DRAWS_ALL else len(paths) >= n_chosen


def pictures(output):
    return [line for line in output.splitlines() if line and not line.startswith("note: ")]


def test_every_figure_is_drawn(folder):
    run = make_run(os.path.join(folder, "full"), "--full", "--counters", "pmu")
    done = dvbench("plot", run)
    drawn = {os.path.basename(path).split(".")[0] for path in pictures(done.stdout)}
    scripts = {name[:-3] for name in os.listdir(os.path.join(SOURCE, "plots")) if name.endswith(".gp")}
    assert drawn == scripts - {"common", "lines", "rate_axis", "density_map", "scan_cost", "scan_share", "deletes", "cost_by_machine", "versions"}, drawn ^ scripts
    assert "note:" not in done.stdout, done.stdout
    for path in pictures(done.stdout):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        assert text.rstrip().endswith("</svg>") and len(text) > 5000, path
        for wanted in ("AMD EPYC 9R14", "CRoaring 4.6.1", "counters: PMU"):
            assert wanted in text, (path, wanted)
    cost = open(os.path.join(run, "plots", "cost_over_rate.row_ids.svg"), encoding="utf-8").read()
    for wanted in ("6.25 %", "per_row", "for_each_in_range", "direct_avx512", "nanoseconds per row", "store bound"):
        assert wanted in cost, wanted
    assert not any(".part" in name for name in os.listdir(os.path.join(run, "plots")))
    # A phone gets a variant with larger words of each figure that is in the open; no heading is without its figure.
    dvbench("report", run)
    with open(os.path.join(run, "report.html"), encoding="utf-8") as file:
        page = file.read()
    narrow = [name for name in os.listdir(os.path.join(run, "plots")) if name.endswith(".narrow.svg")]
    shown = re.sub(r"<details>.*?</details>", "", page, flags=re.S)
    assert page.count("<source media=") == shown.count("</picture>") == shown.count("<img ") == len(narrow) > 10, (narrow, shown.count("<img "))
    assert re.search(r'<svg[^>]*width="336"', open(os.path.join(run, "plots", "cliff.row_ids.narrow.svg"), encoding="utf-8").read())
    questions = shown[shown.index('id="figures"'):].split("</h3>")[1:]
    assert len(questions) == len(narrow) and all("<img " in part.split("<h2")[0] or "at the top" in part for part in questions)
    for wanted in ("What does every kernel cost, in nanoseconds per row? The lowest ns_per_row is ", " have no clear winner, direct_avx512 wins ",
                   "arrays against bitsets: time "):
        assert wanted in shown, wanted


def test_simulated_counts_are_labelled(folder):
    run = make_run(os.path.join(folder, "sim"))
    done = dvbench("plot", run, *only("misses_over_rate", "ipc_over_rate"))
    misses = open(os.path.join(run, "plots", "misses_over_rate.row_ids.svg"), encoding="utf-8").read()
    assert "branch misses per row, simulated" in misses
    assert re.search(r"^note: ipc_over_rate: not drawn", done.stdout, re.M)


def test_png_and_its_fallback(folder):
    run = make_run(os.path.join(folder, "png"))
    chosen = only("cost_over_rate.row_ids", "cliff")
    for path in pictures(dvbench("plot", run, "--format", "png", *chosen).stdout):
        with open(path, "rb") as file:
            assert path.endswith(".png") and file.read(4) == b"\x89PNG"
    scripts = os.path.join(folder, "scripts")
    shutil.copytree(os.path.join(SOURCE, "plots"), scripts)
    common = os.path.join(scripts, "common.gp")
    text = open(common, encoding="utf-8").read()
    open(common, "w", encoding="utf-8").write(re.sub(r"^has_terminal\(name\) = .*$", "has_terminal(name) = 0", text, flags=re.M))
    done = dvbench("plot", run, "--format", "png", *chosen, env={"DVBENCH_PLOTS": scripts})
    assert all(path.endswith(".svg") for path in pictures(done.stdout)), done.stdout
    assert "no terminal for png" in done.stdout
    assert "expected svg, png or pdf" in dvbench("plot", run, "--format", "bmp", expect=2).stderr


def test_names_are_never_commands(folder):
    run = make_run(os.path.join(folder, "a 'b' \"c\" $(touch pwned) `touch pwned` é; x"), "--machine", "M$(touch pwned)`touch pwned`")
    done = dvbench("plot", run, *only("cost_over_rate.row_ids", "cliff"))
    assert drew_enough(pictures(done.stdout), 2), done.stdout
    assert not os.path.exists("pwned") and not os.path.exists(os.path.join(folder, "pwned"))
    text = open(os.path.join(run, "plots", "cost_over_rate.row_ids.svg"), encoding="utf-8").read()
    assert "M$(touch pwned)" in text


def test_vectors_of_odd_files_have_their_column(folder):
    for i, name in enumerate(("two words and 'more'.bin", "50%25%0Afull%d.bin")):
        def change(row):
            row["dv"], row["axis"], row["axis_value"] = name, "", ""
            return row

        run = make_run(os.path.join(folder, f"odd{i}"))
        csv_files.rewrite(os.path.join(run, "summary.csv"), change)
        done = dvbench("plot", run)
        assert any("cost_table" in path for path in pictures(done.stdout)), done.stdout
        table = open(os.path.join(run, "plots", "cost_table_vectors.row_ids.svg"), encoding="utf-8").read()
        assert name[-8:] in html.unescape(table).replace("\u00a0", " "), name


def test_empty_cells_and_zeros(folder):
    def change(row):
        if row["kernel"] == "per_row_raw":
            row["ns_per_row"] = row["speedup_vs_per_row"] = ""
        if row["axis_value"] == "0.001":
            row["rate"] = "0"
        row["branch_misses_per_row"] = "0" if row["branch_misses_per_row"] else ""
        return row

    run = make_run(os.path.join(folder, "holes"))
    csv_files.rewrite(os.path.join(run, "summary.csv"), change)
    done = dvbench("plot", run, *only("cost_over_rate", "misses_over_rate"))
    assert not [line for line in done.stdout.splitlines() if "gnuplot" in line], done.stdout
    cost = open(os.path.join(run, "plots", "cost_over_rate.row_ids.svg"), encoding="utf-8").read()
    assert "at a rate of 0 have no place on a log axis" in cost
    assert "per_row_raw" not in cost
    assert os.path.exists(os.path.join(run, "plots", "misses_over_rate.row_ids.svg"))


def test_scripts_run_by_hand_in_any_locale(folder):
    run = make_run(os.path.join(folder, "hand"))
    dvbench("plot", run, *only("cost_over_rate.row_ids"))
    script = os.path.join(SOURCE, "plots", "cost_over_rate.gp")
    outputs = []
    for locale in ("C", "de_DE.UTF-8"):
        env = dict(os.environ, LC_ALL=locale, DVBENCH_DATA=os.path.join(run, "plots", "cost_over_rate.row_ids.csv"))
        subprocess.run(["gnuplot", script], check=True, cwd=folder, env=env)
        outputs.append(open(os.path.join(folder, "cost_over_rate.svg"), encoding="utf-8").read())
    assert outputs[0] == outputs[1] and "6.25 %" in outputs[0]


def test_what_goes_wrong_is_said(folder):
    run = make_run(os.path.join(folder, "bad"))
    done = dvbench("plot", run, env={"PATH": "/nonexistent"}, expect=4)
    assert "gnuplot is not installed" in done.stderr, done.stderr
    scripts = os.path.join(folder, "broken")
    shutil.copytree(os.path.join(SOURCE, "plots"), scripts)
    open(os.path.join(scripts, "cliff.gp"), "w", encoding="utf-8").write("this is no gnuplot\n")
    done = dvbench("plot", run, *only("cliff", "cost_over_rate"), env={"DVBENCH_PLOTS": scripts})
    assert re.search(r"^note: cliff\.row_ids: not drawn, .*gnuplot failed", done.stdout, re.M), done.stdout
    assert "one run folder" in dvbench("plot", expect=2).stderr
    assert "summary.csv" in dvbench("plot", folder + "/absent", expect=3).stderr
    csv_files.rewrite(os.path.join(run, "summary.csv"), lambda row: dict(row, schema="99"))
    done = dvbench("report", run, expect=3)
    assert "99" in done.stderr and "summary.csv" in done.stderr, done.stderr


def test_report(folder):
    def change(row):
        if row["verdict"] != "ok":
            row["reason"] = "<script>alert(1)</script>"
        elif row["kernel"] == "per_row":
            row["doubts"] = "below the store bound"
        disturbed = row["axis_value"] == "0.5" and {"direct_scalar": "12", "direct_bmi2": "11"}.get(row["kernel"])
        return dict(row, samples="23", tainted_samples=disturbed or None)

    run = make_run(os.path.join(folder, "report"))
    dvbench("report", run)
    assert "Disturbed" not in open(os.path.join(run, "report.md"), encoding="utf-8").read()
    csv_files.rewrite(os.path.join(run, "summary.csv"), change)
    dvbench("report", run)
    markdown = open(os.path.join(run, "report.md"), encoding="utf-8").read()
    assert "No pictures were drawn" in markdown
    assert "Times to doubt" in markdown and "per_row" in markdown.split("below the store bound: ")[1].split("\n")[0], markdown[:2000]
    summary = csv_files.read(os.path.join(run, "summary.csv"))
    touched = [row for row in summary if row["tainted_samples"]]
    half = [row for row in touched if row["kernel"] == "direct_scalar"]
    section = re.search(r"## Disturbed cells\n(.*?)\n## ", markdown, re.S)[1]
    assert 0 < len(half) < len(touched) and f"In {len(touched)} cells" in section and f"in {len(half)} of them" in section, section
    assert section.count("\n- 12 of 23 samples: ") == min(len(half), 20), section
    assert section.count("direct") == min(len(half), 20) and "bmi2" not in section, section
    dvbench("plot", run, *only("cost_over_rate", "cliff", "cost_table"))
    dvbench("report", run)
    markdown = open(os.path.join(run, "report.md"), encoding="utf-8").read()
    page = open(os.path.join(run, "report.html"), encoding="utf-8").read()
    for text in (markdown, page):
        assert "<script" not in text and "&lt;script" in text
        for wanted in ("Noise floor: 3.40 %", "synthetic: made by", "AMD EPYC 9R14", "Key numbers", "2.22x", "direct_avx512"):
            assert wanted in text, wanted
    links = re.findall(r"!\[[^]]*\]\((plots/[^)]*)\)", markdown)
    assert drew_enough(links, 3) and all(os.path.exists(os.path.join(run, link)) for link in links)
    sources = re.findall(r'src="([^"]*)"', page)
    assert len(sources) == len(links) and all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    alternatives = re.findall(r'<img alt="([^"]*)"', page)
    costs = [(float(row["ns_per_row"]), row["kernel"]) for row in csv_files.read(os.path.join(run, "summary.csv"))
             if row["verdict"] == "ok" and row["axis"] == "rate" and row["sink"] == "row_ids" and row["batch_rows"] == "5000"]
    drawn = next(words for words in alternatives if words.startswith("What does every kernel cost"))
    least, kernel = min(costs)
    assert f"The lowest ns_per_row is {least:.4f} of {kernel} where" in drawn and f" of {max(costs)[1]} where" in drawn, drawn
    for wanted in ("prefers-color-scheme:dark", "@media print", "@media screen and (max-width:"):
        assert wanted in page, wanted
    # Each table is a file, too.
    tables = page.count("<table>")
    links = re.findall(r'</table>\n<p><a href="(tables/[^"]*\.csv)">', page)
    assert tables == len(set(links)) == markdown.count("[this table as CSV](tables/") > 3 and sorted(os.listdir(os.path.join(run, "tables"))) == sorted(map(os.path.basename, links))
    key = next(link for link in links if "row-ids" in link)
    with open(os.path.join(run, key), encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:2] == ["deleted", "per_row, ns"] and all(len(row) == len(rows[0]) for row in rows), rows[0]
    cells = "".join(f"<td>{html.escape(cell)}</td>" for cell in rows[-1])
    assert f"<tr>{cells}</tr>\n</table>\n<p><a href=\"{key}\">" in page, rows[-1]
    assert "http://" not in re.sub(r'src="[^"]*"', "", page) and "https://" not in page


def test_look_and_choice(folder):
    run = make_run(os.path.join(folder, "look"), "--full")
    out = os.path.join(folder, "out")
    summary = os.path.join(run, "summary.csv")
    rows = csv_files.read(summary)
    # The longest name that a kernel has.
    csv_files.write(summary, [{**row, "kernel": "range_cardinality_first_avx512"} if row["kernel"] == "range_cardinality_first" else row
                              for row in rows])
    column = pictures(dvbench("plot", run, "--size", "column", "--out", out, *only("cost_over_rate", "cost_table", "winner_map")).stdout)
    csv_files.write(summary, rows)
    assert drew_enough(column, 3) and not os.path.exists(os.path.join(run, "plots"))
    for path in column:
        text = open(path, encoding="utf-8").read()
        assert re.search(r'<svg[^>]*width="31[67]" height="336"', text), text[:300]
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', text)]
        assert sizes and min(sizes) >= 7.99, (path, min(sizes))  # 6 points
        if "cost_over_rate" in path:  # a legend that lacks room drops its last entries without a word
            kernels = {row["kernel"].replace("_in_range", "") for row in csv_files.read(path[:-3] + "csv")}
            assert len(kernels) == 15 and "range_cardinality_first_avx512" in kernels, kernels
            assert all(name in text for name in kernels | {"store bound"}) and "not named" not in text, path
    chosen = pictures(dvbench("plot", run, "--figure", "cliff", "--figure", "cost_over_rate.row_ids", "--kernel", "per_row*,direct_scalar",
                              "--title", "Own <title>", "--font", "Courier New,9", "--out", out + "2").stdout)
    assert {os.path.basename(path).split(".")[0] for path in chosen} == {"cliff", "cost_over_rate"}, chosen
    assert [path for path in chosen if "cost_over_rate" in path] == [os.path.join(out + "2", "cost_over_rate.row_ids.svg")]
    text = open(os.path.join(out + "2", "cost_over_rate.row_ids.svg"), encoding="utf-8").read()
    assert "Own &lt;title>" in text and "Courier New" in text and "direct_scalar" in text and "for_each" not in text
    dvbench("plot", run, "--figure", "cliff.row_ids", "--title", "none", "--out", out + "3")
    assert "What happens" not in open(os.path.join(out + "3", "cliff.row_ids.svg"), encoding="utf-8").read()
    for bad in (("--size", "3.3"), ("--size", "0x3"), ("--font", "A"), ("--font", "A';B,9"), ("--font", "A,99")):
        assert "expected" in dvbench("plot", run, *bad, expect=2).stderr
    assert "no rows" in dvbench("plot", run, "--kernel", "nosuch", expect=1).stderr


def test_pdf_of_the_same_run_has_the_same_bytes(folder):
    run = make_run(os.path.join(folder, "pdf"))
    drawn = []
    for out in ("a", "b"):
        if drawn:
            time.sleep(1.1)  # a date would differ
        done = dvbench("plot", run, "--format", "pdf", "--figure", "cost_over_rate.row_ids", "--out", os.path.join(folder, out))
        [path] = pictures(done.stdout)
        if not path.endswith(".pdf"):
            return  # a gnuplot without cairo
        drawn.append(open(path, "rb").read())
    assert all(bytes_.startswith(b"%PDF") for bytes_ in drawn)
    assert drawn[0] == drawn[1] and b"CreationDate" not in drawn[0]


# Draws nothing: leaves a PDF of the shape of cairo 1.18, the Info dictionary in a compressed object stream, the time of
# now in it. Its stream object has zeros in it, which a reader of text would stop at.
PDF_OF_CAIRO_1_18 = r"""#!/usr/bin/env python3
import os, time, zlib
objects = {5: b"<< /Type /Catalog /Pages 1 0 R >>", 1: b"<< /Type /Pages /Kids [ 7 0 R ] /Count 1 >>",
           7: b"<< /Type /Page /Parent 1 0 R /MediaBox [ 0 0 99 99 ] /Contents 2 0 R >>",
           6: b"<< /Producer (cairo 1.18.0 (https://cairographics.org))\n   /CreationDate (D:%d+00'00)\n>>" % time.time_ns()}
pairs, texts = b"", b""
for number, text in objects.items():
    pairs += b"%d %d " % (number, len(texts))
    texts += text + b"\n"
packed = zlib.compress(pairs + texts)
pdf, at = b"%PDF-1.7\n%\xb5\xed\xae\xfb\n", {}
def put(number, text):
    global pdf
    at[number] = len(pdf)
    pdf += b"%d 0 obj\n%s\nendobj\n" % (number, text)
content = b"\0\0stream\n0 0 9 9 re f"
put(2, b"<< /Length 3 0 R\n>>\nstream\n%s\nendstream" % content)
put(3, b"   %d" % len(content))
put(4, b"<< /Type /ObjStm\n   /Length 9 0 R\n   /N %d\n   /First %d\n   /Filter /FlateDecode\n>>\nstream\n%s\nendstream"
    % (len(objects), len(pairs), packed))
put(9, b"   %d" % len(packed))
at[8] = len(pdf)
rows = b""
for number in range(10):
    if number in objects:
        rows += b"\2" + (4).to_bytes(2, "big") + list(objects).index(number).to_bytes(2, "big")
    else:
        rows += (b"\1" if number in at else b"\0") + at.get(number, 0).to_bytes(2, "big") + b"\0\0"
table = zlib.compress(rows)
put(8, b"<< /Type /XRef\n   /Length %d\n   /Filter /FlateDecode\n   /Size 10\n   /W [1 2 2]\n   /Root 5 0 R\n   /Info 6 0 R\n>>"
    b"\nstream\n%s\nendstream" % (len(table), table))
pdf += b"startxref\n%d\n%%%%EOF\n" % at[8]
open(os.environ["DVBENCH_OUT"] + ".pdf", "wb").write(pdf)
"""


def test_a_pdf_with_compressed_objects_carries_no_date(folder):
    run = make_run(os.path.join(folder, "run"))
    os.mkdir("bin")
    with open("bin/gnuplot", "w", encoding="utf-8") as file:
        file.write(PDF_OF_CAIRO_1_18)
    os.chmod("bin/gnuplot", 0o755)
    drawn = []
    for out in ("a", "b", "c"):
        [path] = pictures(dvbench("plot", run, "--format", "pdf", "--figure", "cost_over_rate.row_ids", "--out", os.path.join(folder, out),
                                  env={"PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"]}).stdout)
        drawn.append(open(path, "rb").read())
    assert drawn[0] == drawn[1] == drawn[2]
    assert b"CreationDate" not in drawn[0] and b"Producer (cairo" in drawn[0]
    table = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", drawn[0]).group(1))
    lines = drawn[0][table:].split(b"\n")
    assert lines[:2] == [b"xref", b"0 8"] and all(len(line) == 19 for line in lines[2:10]), lines
    assert b"/Root 5 0 R /Info 6 0 R" in lines[11], lines
    used = {number for number in range(8) if lines[2 + number].endswith(b"n ")}
    assert used == {1, 2, 3, 5, 6, 7}, lines
    for number in used:
        assert drawn[0][int(lines[2 + number][:10]):].startswith(b"%d 0 obj\n" % number), (number, lines)
    assert b"\0\0stream\n0 0 9 9 re f\nendstream" in drawn[0]


def test_a_committed_run_stays_as_it_is(folder):
    run = make_run(os.path.join(folder, "results", "reference", "machine", "run"))
    assert "committed run" in dvbench("plot", run, expect=2).stderr
    assert not os.path.exists(os.path.join(run, "plots"))
    assert pictures(dvbench("plot", run, "--out", os.path.join(run, "plots"), "--figure", "cliff").stdout)


def test_many_vectors_keep_what_tells_them_apart(folder):
    names = [f"warehouse/table/part-{i:02d}-0123456789abcdef-0123456789-same-end-deletes.puffin" for i in range(50)]
    run = make_run(os.path.join(folder, "many"))
    rows = [row for row in csv_files.read(os.path.join(run, "summary.csv")) if row["axis"] == "rate" and row["axis_value"] == "0.01" and row["sink"] == "row_ids"]
    csv_files.write(os.path.join(run, "summary.csv"),
                    [dict(row, dv=name, axis="", axis_value="") for name in names for row in rows])
    dvbench("plot", run, "--figure", "cost_table")
    text = open(os.path.join(run, "plots", "cost_table_vectors.row_ids.svg"), encoding="utf-8").read()
    labels = {label for label in re.findall(r">\s*(part-[^<]*?)\s*<", text)}
    assert len(labels) == 50, labels
    assert not re.search(r">\s*0\.\d\d\d?\s*<", text), "digits that do not fit their cells"


def test_the_winners_have_a_map_whichever_axis_came_first(folder):
    def change(row):
        if row["axis"] == "length":
            row["axis"], row["axis_value"] = "rate", row["rate"]
        return row

    run = make_run(os.path.join(folder, "grid"), "--full")
    dvbench("plot", run, "--figure", "winner_map", "--figure", "explain", "--out", os.path.join(folder, "a"))
    csv_files.rewrite(os.path.join(run, "summary.csv"), change)
    dvbench("plot", run, "--figure", "winner_map", "--out", os.path.join(folder, "b"))
    a, b = (open(os.path.join(folder, out, "winner_map.row_ids.svg"), encoding="utf-8").read() for out in "ab")
    assert a == b
    # By how much a kernel wins is seen where one wins everywhere: many strengths of its colour.
    assert len(set(re.findall(r"fill\s*=\s*'(rgb\([^']*\))'|fill = '(#[0-9a-fA-F]{6})'", a))) > 6, "one colour"
    assert "#E4E4E4" not in open(os.path.join(folder, "a", "explain.row_ids.svg"), encoding="utf-8").read().upper(), "lines through words"


def test_report_of_files(folder):
    """A run over files: per vector the fastest kernel, its gain with the interval, and the next technique."""
    rates = {}

    def change(row):
        if row["axis"] != "rate" or row["batch_rows"] != "5000" or row["mode"] != "stream":
            return None
        row["dv"] = rates.setdefault(row["axis_value"], f"part-{len(rates)}.bin")
        row["axis"] = row["axis_value"] = ""
        return row

    run = make_run(os.path.join(folder, "files"))
    csv_files.rewrite(os.path.join(run, "summary.csv"), change)
    done = dvbench("plot", run)
    assert len([line for line in done.stdout.splitlines() if line.startswith("note: ")]) == 1, done.stdout
    dvbench("report", run)
    markdown = open(os.path.join(run, "report.md"), encoding="utf-8").read()
    rows = [row for row in csv_files.read(os.path.join(run, "summary.csv")) if row["verdict"] == "ok" and row["sink"] == "row_ids"]
    for name in rates.values():
        def cost(row):
            return float(row["total_ns_per_row" if row["works_at_open"] == "1" else "ns_per_row"])

        of_vector = [row for row in rows if row["dv"] == name]
        best = min(of_vector, key=cost)
        next_one = min((row for row in of_vector if row["technique"] != best["technique"]), key=cost)
        cells = re.search(rf"^\| {re.escape(name)} \|(.*)\|$", markdown, re.M).group(1).split("|")
        assert cells[2].strip().startswith(best["kernel"] + ", "), (name, cells)
        gain, low, high = map(float, re.match(r" ([\d.]+)x \(([\d.]+) to ([\d.]+)\)", cells[3]).groups())
        assert low <= gain <= high and abs(gain / float(best["speedup_vs_per_row"]) - 1) < 0.01, (name, cells)
        assert cells[4].strip().startswith(next_one["kernel"] + ", "), (name, cells, next_one["kernel"])


def test_only_pictures_of_now_are_listed(folder):
    run = make_run(os.path.join(folder, "again"))
    chosen = only("cliff", "cost_over_rate")
    assert any("cliff" in path for path in pictures(dvbench("plot", run, *chosen).stdout))
    scripts = os.path.join(folder, "scripts")
    shutil.copytree(os.path.join(SOURCE, "plots"), scripts)
    open(os.path.join(scripts, "cliff.gp"), "w", encoding="utf-8").write("this is no gnuplot\n")
    assert not any("cliff" in path for path in pictures(dvbench("plot", run, *chosen, env={"DVBENCH_PLOTS": scripts}).stdout))
    open(os.path.join(scripts, "common.gp"), "w", encoding="utf-8").write("this is no gnuplot\n")
    done = dvbench("plot", run, *chosen, env={"DVBENCH_PLOTS": scripts}, expect=1)
    assert pictures(done.stdout) == [] and "gnuplot failed" in done.stderr, (done.stdout, done.stderr)
    done = dvbench("plot", run, *chosen, "--out", os.path.join(scripts, "common.gp", "folder"), expect=1)
    assert pictures(done.stdout) == [] and "cannot make the folder" in done.stderr, (done.stdout, done.stderr)
    swept = ("sweep", "--recipe", "uniform:rows=200000", "--rates", "0.01,0.07", "--sink", "row_ids", "--kernel", "per_row",
             "--rounds", "6", "--min-time", "200us", "--quiet", "--counters", "none", "--out", os.path.join(folder, "swept"))
    assert "no figures: gnuplot failed" in dvbench(*swept, env={"DVBENCH_PLOTS": scripts}, expect=1).stderr


def test_axes_are_those_of_the_data(folder):
    def change(row):
        row["run_containers"] = row["chunks"]
        row["array_containers"] = row["bitset_containers"] = "0"
        if row["batch_rows"] == "16384":
            row["batch_rows"] = "12345"
        return row

    run = make_run(os.path.join(folder, "runs"), "--full", "--counters", "none")
    csv_files.rewrite(os.path.join(run, "summary.csv"), change)
    assert "gnuplot" not in dvbench("plot", run, *only("cost_over_rate", "cliff", "cost_over_batch")).stdout
    for figure in ("cost_over_rate", "cliff"):
        text = open(os.path.join(run, "plots", figure + ".row_ids.svg"), encoding="utf-8").read()
        assert "array | bitset" not in text and "bitset containers" not in text, figure
    whole = make_run(os.path.join(folder, "whole"), "--full", "--counters", "none")
    dvbench("plot", whole, "--figure", "cliff.row_ids")

    def n_paths(of):
        return open(os.path.join(of, "plots", "cliff.row_ids.svg"), encoding="utf-8").read().count("<path")

    assert n_paths(whole) > n_paths(run), "array and bitset containers are joined by a line"
    batch = open(os.path.join(run, "plots", "cost_over_batch.row_ids.svg"), encoding="utf-8").read()
    assert ">12,345<" in batch.replace(" ", "") and "16,384" not in batch


def test_lines_are_named_at_their_ends_where_there_is_room(folder):
    run = make_run(os.path.join(folder, "ends"), "--full", "--counters", "none")
    for figure in ("cost_over_rate", "bound_by_isa", "cost_over_batch"):
        [path] = pictures(dvbench("plot", run, "--figure", figure + ".row_ids").stdout)
        with open(path, encoding="utf-8") as file:
            text = html.unescape(file.read())
        kernels = {row["kernel"] for row in csv_files.read(path[:-3] + "csv")}
        found = re.findall(r'translate\([\d.]+,([\d.]+)\)"[^>]*>\s*<text>(?:<tspan[^>]*>)?([^<]*)<', text)
        at = sorted((float(y), name) for y, name in ((y, name.split(",")[0].strip()) for y, name in found) if name in kernels)
        assert sorted(name for _, name in at) == sorted(kernels), (figure, found)
        gaps = [b[0] - a[0] for a, b in zip(at, at[1:])]
        # Below each other, and not evenly as a legend's are.
        assert min(gaps) > 8 and max(gaps) > 1.5 * min(gaps), (figure, at)


def test_partial_run(folder):
    run = make_run(os.path.join(folder, "partial"))
    summary = os.path.join(run, "summary.csv")
    text = open(summary, encoding="utf-8").read()
    end = text.rfind("\n", 0, len(text) // 2) + 1
    open(summary, "w", encoding="utf-8").write(text[: end - 9])
    assert "no line end" in dvbench("report", run, expect=3).stderr
    open(summary, "w", encoding="utf-8").write(text[:end])
    os.remove(os.path.join(run, "run.json"))
    os.remove(os.path.join(run, "counters.csv"))
    assert pictures(dvbench("plot", run, *only("cost_over_rate")).stdout)
    dvbench("report", run)
    report = open(os.path.join(run, "report.md"), encoding="utf-8").read()
    assert "run.json is missing" in report
    with open(summary, "w", encoding="utf-8") as file:
        file.write(text.split("\n")[0] + "\n")
    assert "no rows" in dvbench("plot", run, expect=1).stderr
    dvbench("report", run)


def test_compare_and_gate(folder):
    a = make_run(os.path.join(folder, "a"), "--seed", "1")
    b = make_run(os.path.join(folder, "b"), "--seed", "2")
    slow = make_run(os.path.join(folder, "slow"), "--seed", "3", "--slow", "direct_avx512=1.3", "per_row_bulk=0.7")
    same = dvbench("compare", a, b).stdout
    assert "0 slower, 0 faster" in same, same
    changed = dvbench("compare", a, slow).stdout
    assert "24 slower, 24 faster" in changed, changed
    assert re.search(r"^slower +direct_avx512/row_ids@article\S+,batch=5000,mode=stream  1\.\d+ \(1\.\d+ to 1\.\d+\)", changed, re.M)
    assert "gate: passed" in dvbench("gate", a, b).stdout
    assert "gate: stopped" in dvbench("gate", a, slow, expect=1).stdout
    dvbench("gate", a, slow, "--threshold", "50%")
    assert dvbench("gate", "--self-test").stdout.count("ok: ") == 3
    assert dvbench("gate", "--self-test", a).stdout.count("ok: ") == 3
    dvbench("gate", a, b, "--threshold", "x", expect=2)
    dvbench("gate", a, expect=2)
    dvbench("compare", a, os.path.join(folder, "absent"), expect=3)


def copy_run(source, target, change=None):
    shutil.copytree(source, target)
    if change:
        csv_files.rewrite(os.path.join(target, "summary.csv"), change)
    return target


def test_the_gate_passes_only_what_it_judged(folder):
    a = make_run(os.path.join(folder, "a"), "--counters", "none")
    other = copy_run(a, os.path.join(folder, "other"), lambda row: dict(row, dv_digest="0" * 16))
    done = dvbench("gate", a, other, expect=1).stdout
    assert "no cell was judged" in done and "other bytes" in done, done
    assert "no cell was judged" in dvbench("compare", a, other, expect=1).stdout
    longer = copy_run(a, os.path.join(folder, "longer"), lambda row: dict(row, rows=2 * int(row["rows"])))
    assert "other rows or batches" in dvbench("gate", a, longer, expect=1).stdout
    renamed = copy_run(a, os.path.join(folder, "renamed"), lambda row: dict(row, dv="file" + row["dv_digest"] + ".bin"))
    assert "gate: passed" in dvbench("gate", a, renamed).stdout
    few = make_run(os.path.join(folder, "few"), "--rounds", "5", "--slow", "per_row=10", "--counters", "none")
    done = dvbench("gate", a, few, expect=1).stdout
    assert "fewer than 6 common samples" in done and " 0 slower" in done, done
    quiet = copy_run(a, os.path.join(folder, "quiet"), lambda row: dict(row, noise_floor_pct=""))
    assert "no noise floor" in dvbench("gate", a, quiet, expect=1).stdout
    empty = copy_run(a, os.path.join(folder, "empty"))
    with open(os.path.join(empty, "samples.csv"), "r+", encoding="utf-8") as file:
        file.readline()
        file.truncate(file.tell())
    assert "not judgeable" in dvbench("gate", a, empty, expect=1).stdout
    wrong = copy_run(a, os.path.join(folder, "wrong"), lambda row: dict(row, verdict="wrong", ns_per_row=""))
    assert "wrong in B" in dvbench("gate", wrong, wrong, expect=1).stdout


def test_what_else_differs_is_said_first(folder):
    a = make_run(os.path.join(folder, "a"))
    b = make_run(os.path.join(folder, "b"), "--croaring", "4.7.0")
    assert dvbench("compare", a, b).stdout.startswith("the runs differ in CRoaring: A 4.6.1, B 4.7.0\n")
    assert "different machines or builds" in dvbench("gate", a, b, expect=1).stdout
    assert "gate: passed" in dvbench("gate", a, b, "--allow-differences").stdout
    dvbench("merge", os.path.join(folder, "both"), a, make_run(os.path.join(folder, "c"), "--machine", "M"))
    assert "B AMD EPYC 9R14 2 vCPUs KVM + M" in dvbench("compare", a, os.path.join(folder, "both")).stdout
    for path, of in ((a, "A"), (b, "B")):
        os.rename(os.path.join(path, "run.json"), os.path.join(path, "run.json.away"))
        assert f"run.json of {of} cannot be read" in dvbench("gate", a, b, expect=1).stdout


def test_merge(folder):
    a = make_run(os.path.join(folder, "m1"), "--machine", "CPU one")
    b = make_run(os.path.join(folder, "m2"), "--machine", "CPU two")
    out = os.path.join(folder, "merged")
    dvbench("merge", out, a, b)
    rows = csv_files.read(os.path.join(out, "summary.csv"))
    assert {row["run"] for row in rows} == {"m1", "m2"}
    assert len(rows) == 2 * len(csv_files.read(os.path.join(a, "summary.csv")))
    chosen = only("cost_over_rate", "cliff")
    drawn = [path for path in pictures(dvbench("plot", out, *chosen).stdout) if "cost_by_machine" not in path]
    assert len(drawn) == 2 * len(pictures(dvbench("plot", a, *chosen).stdout)) > 0 and len(set(drawn)) == len(drawn)
    dvbench("report", out)
    with open(os.path.join(out, "report.md"), encoding="utf-8") as file:
        text = file.read()
    assert "Machine: CPU one; and CPU two." in text, text[:1900]
    assert "The noise floor of each row is that of the run that measured it" in text, text[:1900]
    dvbench("merge", out, a, expect=2)
    assert "compare them" in dvbench("merge", out + "2", a, a, expect=2).stderr
    assert not os.path.exists(out + "2")
    open(os.path.join(b, "samples.csv"), "w", encoding="utf-8").write("no samples\n")
    dvbench("merge", out + "3", a, b, expect=3)
    assert not os.path.exists(out + "3")


def test_machines_side_by_side(folder):
    """Two runs of one machine and one of another: a panel and a column per machine; a claim is answered by one run."""
    one = make_run(os.path.join(folder, "m1"), "--machine", "CPU one")
    faster = copy_run(make_run(os.path.join(folder, "full"), "--machine", "CPU two", "--slow", "per_row=0.5"),
                      os.path.join(folder, "m2"), lambda row: dict(row, run="m2"))
    other = make_run(os.path.join(folder, "m3"), "--machine", "CPU two")
    out = os.path.join(folder, "sides")
    dvbench("merge", out, one, faster, other)
    [path, *_] = pictures(dvbench("plot", out, "--figure", "cost_by_machine").stdout)
    with open(path, encoding="utf-8") as file:
        picture = file.read()
    for wanted in ("CPU one; CRoaring 4.6.1", "CPU two; CRoaring 4.6.1", "Runs: m1, m2, m3"):
        assert wanted in html.unescape(picture), wanted
    dvbench("report", out)
    with open(os.path.join(out, "report.md"), encoding="utf-8") as file:
        text = file.read()
    assert text.startswith("# dvbench: sides: CPU one (m1); CPU two (m2, m3)\n"), text[:200]
    assert text.count("\nWhat it costs here: ") == text.count("\nWhat to use: ") == text.count("\nHow sure: ") == 2
    assert text.index("(plots/cost_by_machine.row_ids.svg)") < text.index("## The article's claims")
    assert "| claim | published | CPU one (m1) | CPU two (m2, m3) |" in text
    line, = [line for line in text.splitlines() if line.startswith("| callbacks instead of lookups, 0.5 % |")]
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    assert cells[1] == "8.56x (Spark profile, one column; factor 2.00)", cells
    claims = [row for row in csv_files.read(os.path.join(out, "claims.csv")) if row["claim"] == "callbacks instead of lookups, 0.5 %"]
    assert [(row["machine"], row["run"]) for row in claims] == [("CPU one", "m1"), ("CPU two", "m2")], claims
    for row, cell in zip(claims, cells[2:]):
        assert cell.startswith(f"{row['verdict']}: {float(row['ours']):.3g}"[:20]), (row, cell)
    assert 1.8 < float(claims[0]["ours"]) / float(claims[1]["ours"]) < 2.2, claims
    warnings = [line for line in text.splitlines() if line.startswith("- m") and "not measured" in line]
    assert [line.split(":")[0] for line in warnings] == ["- m1", "- m2", "- m3"], warnings
    for run in ("m1", "full", "m3"):
        assert f"everything that run.json says of {run}" in text, run


def main():
    if not shutil.which("gnuplot"):
        print("gnuplot is not installed")
        return 77
    folder_tests.run(globals())
    return 0


if __name__ == "__main__":
    sys.exit(main())
