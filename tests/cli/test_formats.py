# SPDX-License-Identifier: Apache-2.0
"""gen, convert, inspect on the command line: test_formats.py DVBENCH

Each recipe through each format and back; options, messages and exit codes; what is written appears whole or not at all.
"""
import csv
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

DVBENCH = os.path.abspath(sys.argv.pop(1))
COMMANDS = [line.split()[0] for line in subprocess.run([DVBENCH, "--help"], stdout=subprocess.PIPE, text=True).stdout.splitlines()
            if re.match("  [a-z]", line)]
FORMATS = ["puffin", "blob", "delta", "roaring32", "roaring64"]
# More rows than a chunk, few enough to print.
SMALL = {"all": "all:rows=200000", "alternating": "alternating:rows=150000"}


def run(*arguments, code=0, text=True, cwd=None):
    done = subprocess.run([DVBENCH, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=text, cwd=cwd)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: exit {done.returncode}, expected {code}: {done.stderr}")
    return done


def error_of(*arguments, code=3):
    """The one line on standard error of a command that fails; it starts with the program's name and ends there."""
    line = run(*arguments, code=code).stderr
    assert line.startswith("dvbench: ") and line.count("\n") == 1 and line.endswith("\n"), line
    return line


def frame(payload):
    data = b"\xd1\xd3\x39\x64" + payload
    return struct.pack(">I", len(data)) + data + struct.pack(">I", zlib.crc32(data))


def array_payload(*values, key=0):
    head = struct.pack("<QIIIHHI", 1, key, 12346, 1, 0, len(values) - 1, 16)
    return head + b"".join(struct.pack("<H", value) for value in values)


class Formats(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def inspect(self, *arguments):
        return [json.loads(line) for line in run("inspect", "--json", *arguments).stdout.splitlines()]

    def test_every_recipe_through_every_format(self):
        recipes = [line.split(",")[0] for line in run("list", "recipes", "--format", "csv").stdout.splitlines()[1:]]
        self.assertGreater(len(recipes), 10)
        for recipe in recipes:
            spec = SMALL.get(recipe, f"{recipe}:rows=300000" if recipe != "article" else "article:bp=50")
            run("gen", "--recipe", spec, "--format", "puffin", "-o", self.path("first.puffin"))
            ranges = run("inspect", "--dump=ranges", self.path("first.puffin")).stdout
            self.assertEqual(ranges, run("inspect", "--dump=ranges", spec).stdout)
            run("convert", self.path("first.puffin"), self.path("first.blob"), "--to", "blob")
            for name in FORMATS:
                out, back = self.path("v." + name), self.path("back.puffin")
                run("convert", self.path("first.puffin"), out, "--to", name)
                self.assertEqual(run("inspect", "--dump=ranges", out).stdout, ranges, f"{spec} as {name}")
                run("convert", out, back, "--to", "blob")
                self.assertEqual(self.read("back.puffin"), self.read("first.blob"), f"{spec} from {name}")

    def test_inline(self):
        text = run("gen", "--recipe", "exact:count=3:rows=50", "--format", "inline", "-o", "-").stdout.strip()
        (vector,) = self.inspect("--inline", text)
        self.assertEqual((vector["spec"], vector["format"], vector["cardinality"], vector["crc"]), ("inline", "inline", 3, None))
        run("convert", "--inline", text, self.path("a.bin"), "--to", "delta", "--cardinality", "3")
        self.assertEqual(self.inspect(self.path("a.bin"))[0]["cardinality"], 3)
        # A text that no argument holds, through a file and back.
        spec = "uniform:rate=0.3:rows=2000000"
        run("gen", "--recipe", spec, "--format", "inline", "-o", self.path("long"))
        self.assertGreater(os.path.getsize(self.path("long")), 300000)
        (vector,) = self.inspect(self.path("long"), "--format", "inline")
        self.assertEqual((vector["spec"], vector["format"], vector["cardinality"]),
                         (self.path("long"), "inline", self.inspect(spec)[0]["cardinality"]))
        run("convert", self.path("long"), self.path("long.blob"), "--format", "inline", "--to", "blob")
        run("convert", self.path("long.blob"), self.path("again"), "--to", "inline")
        self.assertEqual(self.read("again"), self.read("long"))
        self.write("cut", self.read("long")[:1000])
        self.assertIn("cut: byte 272: truncated", error_of("inspect", self.path("cut"), "--format", "inline"))
        self.assertIn("big-endian", error_of("inspect", "--inline", "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"))

    def test_json_says_what_the_design_promises(self):
        path = self.write("a.bin", frame(array_payload(1, 3, 5, 7, 9)))
        (vector,) = self.inspect(path, "--rows", "8")
        expected = {"spec": path, "format": "blob", "crc": "b3fb20be", "cardinality": 5, "first": 1, "last": 9, "keys": 1,
                    "containers": {"array": 1, "bitset": 0, "run": 0}, "bytes": 38, "rows": 8, "deleted_rows": 4,
                    "beyond_rows": 1, "runs": {"total": 5, "least": 5, "most": 5}}
        self.assertEqual({key: vector[key] for key in expected}, expected)

    def test_several_vectors(self):
        frames = [frame(array_payload(value)) for value in (1, 2, 3)]
        path = self.write("three, of.bin", b"\x01" + b"".join(frames))
        vectors = self.inspect(path)
        self.assertEqual([vector["first"] for vector in vectors], [1, 2, 3])
        # Each spec, comma escaped, gives its vector again.
        for vector in vectors:
            self.assertNotIn(",", vector["spec"])
            self.assertEqual(self.inspect(vector["spec"]), [vector])
        self.assertEqual(self.inspect(path, "--offset", "43", "--length", "34")[0]["first"], 2)
        self.assertIn("holds one", error_of("convert", path, self.path("x"), "--to", "blob", code=2))
        run("convert", path, self.path("three.puffin"), "--to", "puffin")
        self.assertEqual(len(self.inspect(self.path("three.puffin"))), 3)
        run("convert", self.path("three.puffin"), self.path("again.bin"), "--to", "delta")
        self.assertEqual(self.read("again.bin"), self.read("three, of.bin"))
        self.assertIn("choose", error_of("inspect", path, "--cardinality", "1", code=2))
        # A plan's line ends at a #, but not at the one of a vector's number.
        plan = self.write("plan", b"--rounds 1 --min-time 1ms # quick\n--dv three.bin#1 --kernel per_row --sink row_ids\n#--dv three.bin\n")
        os.rename(path, self.path("three.bin"))
        run("sweep", "--plan", plan, "--counters", "none", "--no-plots", "--quiet", "--out", self.path("run"), cwd=self.folder.name)
        with open(self.path("run/summary.csv"), encoding="utf-8") as file:
            self.assertEqual({row["dv"] for row in csv.DictReader(file)}, {"three.bin#1"})

    def test_no_vector(self):
        path = self.write("empty.puffin", bytes.fromhex("50464131504641317b22626c6f6273223a5b5d7d0c0000000000000050464131"))
        self.assertEqual(self.inspect(path), [])
        run("inspect", path)
        self.assertIn("no deletion vector", error_of("convert", path, self.path("x"), "--to", "blob"))

    def test_bad_input_is_one_line_with_file_and_byte(self):
        good = frame(array_payload(5))
        path = self.write("bad.bin", good[:-1] + bytes([good[-1] ^ 1]))
        self.assertEqual(error_of("inspect", path),
                         f"dvbench: {path}: byte 38: found CRC 8ad140f1 stored, expected 8ad140f0 as computed over magic "
                         "and vector\n")
        for command in (["convert", path, self.path("x"), "--to", "delta"], ["check", path], ["sweep", "--dv", path, "--out",
                        self.path("run"), "--no-plots", "--quiet"]):
            self.assertIn("byte 38: found CRC", error_of(*command))
        self.assertFalse(os.path.exists(self.path("x")))
        self.assertIn("cannot open", error_of("inspect", self.path("nowhere")))
        self.assertIn("found a directory", error_of("inspect", self.folder.name))
        self.assertIn("found a device", error_of("inspect", "/dev/zero"))
        hole = self.write("hole.bin", b"")
        os.truncate(hole, 1 << 40)
        self.assertIn("the most that is read", error_of("check", hole))

    def test_dump_takes_its_form_as_a_word_too(self):
        path = self.write("a", frame(array_payload(5, 6, 7)))
        for form in (["--dump=ranges"], ["--dump", "ranges"]):
            self.assertEqual(run("inspect", path, *form).stdout, "5 8\n")
        for form in (["--dump"], ["--dump", "positions"]):
            self.assertEqual(run("inspect", *form, path).stdout, "5\n6\n7\n")

    def test_lists_of_several_vectors_are_kept_apart(self):
        path = self.write("two", b"\x01" + frame(array_payload(5, 6)) + frame(array_payload(9)))
        self.assertEqual(run("inspect", "--dump", path).stdout, f"# {path}#0\n5\n6\n# {path}#1\n9\n")
        self.assertEqual(run("inspect", "--dump", path + "#1").stdout, "9\n")
        self.assertEqual(run("inspect", "--dump=ranges", path + "#1", path + "#0").stdout, f"# {path}#1\n9 10\n# {path}#0\n5 7\n")

    def test_standard_input_and_names_of_nothing(self):
        data = frame(array_payload(5))
        for command in (["inspect", "--dump", "-"], ["check", "-", "--kernel", "per_row"], ["convert", "-", "-", "--to", "blob"]):
            done = subprocess.run([DVBENCH, *command], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stderr), (0, b""), command)
        self.assertEqual(done.stdout, data)
        for command in (["inspect"], ["check"], ["convert", "--to", "blob", self.path("x")], ["sweep", "--out", self.path("x")]):
            self.assertEqual(error_of(*command[:1], "nofile", *command[1:], code=3 if command[0] == "convert" else 2)[:39],
                             "dvbench: nofile: cannot open: No such f" if command[0] == "convert" else
                             "dvbench: no file and no recipe named no")
            for name in ("s3://bucket/a.puffin", "file:///tmp/a.puffin"):
                self.assertIn(f"{name}: only local paths are read", error_of(*command[:1], name, *command[1:], code=2))
        self.assertFalse(os.path.exists(self.path("x")))

    def test_the_last_position(self):
        path = self.write("top", struct.pack("<QIIIHHIH", 1, 2**32 - 1, 12346, 1, 65535, 0, 16, 65535))
        (vector,) = self.inspect(path, "--format", "roaring64")
        self.assertEqual((vector["last"], vector["rows"], vector["deleted_rows"], vector["beyond_rows"]),
                         (str(2**64 - 1), str(2**64), 1, 0))
        self.assertIn("rows           18446744073709551616 (last position + 1", run("inspect", path, "--format", "roaring64").stdout)
        self.assertEqual(error_of("convert", path, self.path("x"), "--format", "roaring64", "--to", "roaring32"),
                         f"dvbench: {path}: found key 4294967295 (positions from 18446744069414584320 on), expected at most 0 in "
                         "format roaring32\n")

    def test_what_a_terminal_obeys_is_escaped(self):
        for text in ("\x9b31m", "\x85", "\u2028", "\u2029", "\u202e", "\u2066", "\u200f", "\u061c", "\x7f", "\x1b["):
            path = self.write("a" + text, b"no vector")
            line = error_of("inspect", path)
            self.assertNotIn(text[0], line)
            self.assertIn("/a" + "".join(f"%{byte:02X}" for byte in text[0].encode()), line)
            path = self.write("a" + text, frame(array_payload(5)))
            for form in ([], ["--json"]):
                self.assertNotIn(text[0], run("inspect", *form, path).stdout)
            self.assertEqual(self.inspect(self.inspect(path)[0]["spec"])[0]["first"], 5)
        path = self.write("\u00e9\u4e2d", b"no vector")
        self.assertIn("\u00e9\u4e2d: byte 0", error_of("inspect", path))

    def test_a_conversion_says_what_it_drops(self):
        frames = frame(array_payload(5))
        footer = json.dumps({"properties": {"created-by": "x", "owner": "y"}, "blobs": [
            {"type": "theta", "fields": [1], "snapshot-id": 1, "sequence-number": 1, "offset": 4, "length": 6},
            {"type": "deletion-vector-v1", "fields": [], "snapshot-id": -1, "sequence-number": -1, "offset": 10, "length": len(frames),
             "properties": {"cardinality": "1", "referenced-data-file": "f", "more": "z"}}]}).encode()
        path = self.write("a.puffin", b"PFA1sketch" + frames + b"PFA1" + footer + struct.pack("<iI", len(footer), 0) + b"PFA1")
        lost = "1 blob of another type, 2 properties"
        for to, more in (("puffin", ""), ("delta", ", 1 name of a data file")):
            self.assertEqual(run("convert", path, self.path("out"), "--to", to).stderr,
                             f"dvbench: warning: {path}: not copied: {lost}{more}\n")
        self.assertEqual(run("convert", self.path("out"), self.path("again"), "--to", "puffin").stderr, "")
        self.assertEqual(run("convert", self.path("again"), self.path("out"), "--to", "delta").stderr,
                         f"dvbench: warning: {self.path('again')}: not copied: 1 name of a data file\n")

    def test_inspect_goes_on_after_a_bad_file(self):
        good, bad = self.write("good", frame(array_payload(5))), self.write("bad", b"nothing known")
        done = run("inspect", "--json", bad, good, self.path("nowhere"), "one", code=3)
        self.assertEqual([json.loads(line)["cardinality"] for line in done.stdout.splitlines()], [1, 1])
        errors = done.stderr.splitlines()
        self.assertEqual(len(errors), 2)
        self.assertIn("bad: byte 0: found no magic", errors[0])
        self.assertIn("nowhere: cannot open", errors[1])

    def test_numbers_that_inspect_lists_choose_the_vector(self):
        blob = {"type": "deletion-vector-v1", "fields": [], "snapshot-id": -1, "sequence-number": -1}
        other = {"type": "apache-datasketches-theta-v1", "fields": [1], "snapshot-id": 1, "sequence-number": 1}
        blobs = [other | {"offset": 4, "length": 6}]
        for i, name in enumerate(("a\n\x1b[31m", "b")):
            properties = {"cardinality": "1", "referenced-data-file": name}
            blobs.append(blob | {"offset": 10 + 42 * i, "length": 42, "properties": properties})
        footer = json.dumps({"blobs": blobs}).encode()
        data = b"PFA1sketch" + frame(array_payload(5)) + frame(array_payload(7)) + b"PFA1" + footer
        path = self.write("three.puffin", data + struct.pack("<iI", len(footer), 0) + b"PFA1")
        vectors = self.inspect(path)
        self.assertEqual([vector["number"] for vector in vectors], [0, 1])
        for vector in vectors:
            self.assertEqual(self.inspect(path, "--blob", str(vector["number"])), [vector])
        self.assertIn("the file has 2, numbered from 0", error_of("inspect", path, "--blob", "2"))
        text = run("inspect", path).stdout
        self.assertIn("theta-v1, offset 4, 6 bytes, not compressed: not a deletion vector, not numbered\n", text)
        self.assertIn("number         1 of 2, from 0 (--blob 1)\n", text)
        self.assertIn("data file      a%0A%1B[31m\n", text)
        self.assertIsNone(self.inspect("one")[0]["number"])

    def test_names_of_any_bytes(self):
        path = os.path.join(os.fsencode(self.folder.name), b"a\xff\n,b")
        with open(path, "wb") as file:
            file.write(frame(array_payload(5)))
        (vector,) = self.inspect(path)
        self.assertTrue(vector["spec"].endswith("/a%FF%0A%2Cb"), vector["spec"])
        self.assertEqual(self.inspect(vector["spec"]), [vector])
        self.assertIn("a%FF%0A,b: byte 0: found 1 positions", error_of("inspect", path, "--cardinality", "2"))
        quick = ["--kernel", "per_row", "--sink", "row_ids", "--rounds", "1", "--min-time", "1ms", "--counters", "none", "--no-plots"]
        run("sweep", "--dv", path, *quick, "--quiet", "--out", self.path("run"))
        with open(self.path("run/summary.csv"), encoding="utf-8") as file:
            self.assertEqual({row["dv"] for row in csv.DictReader(file)}, {vector["spec"]})
        with open(self.path("run/run.json"), encoding="utf-8") as file:
            self.assertIn(self.folder.name + "/a%FF%0A,b", json.load(file)["arguments"])
        error_of("sweep", "--dv", path, "--out", os.path.join(os.fsencode(self.folder.name), b"run\xff"), code=2)

    def test_rows_are_positions(self):
        path = self.write("a", frame(array_payload(5)))
        for command in (["inspect", path], ["check", path], ["convert", path, self.path("x"), "--to", "delta"]):
            self.assertIn("from 0 to 9223372036854775808", error_of(*command, "--rows", "18446744073709551615", code=2))
        self.assertEqual(self.inspect(path, "--rows", str(2**63))[0]["rows"], str(2**63))

    def test_lenient_mends_and_warns(self):
        payload = array_payload(5)
        path = self.write("offset.bin", frame(payload[:24] + struct.pack("<I", 0) + payload[28:]))
        error_of("inspect", path)
        warning = f"dvbench: warning: {path}: byte "
        for command in (["inspect", path], ["inspect", "--json", path], ["inspect", "--dump", path], ["check", path, "--kernel", "per_row"],
                        ["convert", path, self.path("x.bin"), "--to", "blob"], ["convert", path, "-", "--to", "blob"]):
            stderr = run(*command, "--lenient", text=False).stderr.decode()
            self.assertTrue(stderr.startswith(warning) and stderr.count("\n") == 1, stderr)
        (vector,) = self.inspect(path, "--lenient")
        self.assertEqual((vector["cardinality"], vector["repaired"], len(vector["warnings"])), (1, True, 1))
        run("convert", path, self.path("good.bin"), "--to", "blob", "--lenient")
        self.assertEqual(self.read("good.bin"), frame(payload))

    def test_an_empty_file_is_called_so_whatever_the_format(self):
        for form in ([], ["--format", "delta"]):
            self.assertIn("found an empty file", error_of("inspect", *form, self.write("nothing", b"")))

    def test_two_forms_of_the_answer_are_refused(self):
        self.assertIn("--json and --dump", error_of("inspect", "--json", "--dump", self.write("a", frame(array_payload(5))), code=2))

    def test_advise_warns_of_a_file_of_several_vectors_once(self):
        frames = frame(array_payload(5)) + frame(array_payload(6))
        blobs = [{"type": "deletion-vector-v1", "fields": [], "snapshot-id": -1, "sequence-number": -1, "offset": 4 + i * len(frames) // 2,
                  "length": len(frames) // 2, "properties": {"cardinality": "1", "referenced-data-file": "f"}} for i in range(2)]
        footer = json.dumps({"blobs": blobs}).encode()
        path = self.write("a.puffin", b"PFA1" + frames + b"PFA1" + footer + struct.pack("<iI", len(footer), 0) + b"PFA1")
        for command in (["inspect", "--dump", path], ["advise", path]):
            warnings = run(*command).stderr
            self.assertEqual(warnings.count("several vectors of data file f"), 1, warnings)

    def test_advise_takes_a_file_by_its_format(self):
        run("gen", "--recipe", "uniform:rows=2000000:rate=0.01", "--format", "inline", "-o", self.path("text"))
        said = run("advise", "--format", "inline", self.path("text")).stdout
        self.assertIn("What it costs", said)
        self.assertIn("--format", error_of("inspect", "--format", "inline", "one", code=2))

    def test_sweep_takes_the_same_options(self):
        text = run("gen", "--recipe", "one", "--format", "inline", "-o", "-").stdout.strip()
        padded = self.write("padded.bin", b"\x01" + frame(array_payload(5)) + frame(array_payload(6)) + b"\0")
        run("sweep", "--inline", text, "--dv", padded, "--offset", "43", "--lenient", "--kernel", "per_row", "--sink", "row_ids",
            "--rounds", "1", "--min-time", "1ms", "--counters", "none", "--no-plots", "--quiet", "--out", self.path("run"),
            code=3)  # an inline vector has no offset
        run("sweep", "--dv", padded, "--offset", "43", "--lenient", "--kernel", "per_row", "--sink", "row_ids",
            "--rounds", "1", "--min-time", "1ms", "--counters", "none", "--no-plots", "--quiet", "--out", self.path("a"))
        run("sweep", "--inline", text, "--kernel", "per_row", "--sink", "row_ids", "--rounds", "1", "--min-time", "1ms",
            "--counters", "none", "--no-plots", "--quiet", "--out", self.path("b"))
        specs = []
        for name in ("a", "b"):
            with open(self.path(name + "/summary.csv"), encoding="utf-8") as file:
                specs += sorted({row["dv"] for row in csv.DictReader(file)})
        self.assertEqual(specs, [padded + "#1", "inline"])
        with open(self.path("a/run.json"), encoding="utf-8") as file:
            self.assertIn(padded + ": byte 85: found 1 bytes after the last vector: ignored", json.load(file)["warnings"])

    def test_writing_anew(self):
        spec = "runs:rate=0.1:length=1000:rows=200000:base=4294900000"
        run("gen", "--recipe", spec, "--format", "blob", "-o", self.path("a"), "--dense-keys")
        run("gen", "--recipe", spec, "--format", "blob", "-o", self.path("b"), "--no-optimize")
        dense, plain = self.inspect(self.path("a"))[0], self.inspect(self.path("b"))[0]
        self.assertEqual(dense["containers"]["bitset"], 0)
        self.assertEqual(plain["containers"]["run"], 0)
        run("convert", self.path("b"), self.path("c"), "--to", "blob", "--optimize")
        run("gen", "--recipe", spec, "--format", "blob", "-o", self.path("d"))
        self.assertEqual(self.read("c"), self.read("d"))
        run("gen", "--recipe", "one:row=0:base=21474836480:rows=1", "--format", "roaring64", "-o", self.path("e"))
        run("convert", self.path("e"), self.path("f"), "--to", "roaring64", "--dense-keys")
        self.assertEqual(self.inspect(self.path("f"))[0]["buckets"], 6)
        run("convert", self.path("f"), self.path("g"), "--to", "roaring64", "--sparse-keys")
        self.assertEqual(self.read("g"), self.read("e"))
        self.assertIn("found key 5 (positions from 21474836480 on), expected at most 0 in format roaring32",
                      error_of("gen", "--recipe", "one:base=21474836480", "--format", "roaring32", "-o", self.path("x"), code=2))
        self.assertIn("expected at most 0 in format roaring32",
                      error_of("convert", self.path("e"), self.path("x"), "--to", "roaring32"))

    def test_usage(self):
        for command in (["inspect"], ["inspect", "--nonsense"], ["inspect", "x", "--offset", "-1"], ["inspect", "x", "--blob", "1x"],
                        ["inspect", "x", "--length", "010"], ["inspect", "x", "--format", "zip"], ["inspect", "x", "--dump=all"],
                        ["convert", "a"], ["convert", "a", "b"], ["convert", "a", "b", "--to", "zip"], ["gen"],
                        ["gen", "--recipe", "uniform"], ["gen", "--recipe", "nonsense", "--format", "blob", "-o", "x"],
                        ["gen", "--recipe", "uniform", "--length", "3", "--format", "blob", "-o", "x"],
                        ["inspect", "uniform:rate=0.1", "--offset", "3"]):
            error_of(*command, code=2)
        self.assertIn("found --recipe twice", error_of("gen", "--recipe", "one", "--recipe", "none", "--format", "blob", "-o",
                                                       self.path("x"), code=2))
        self.assertFalse(os.path.exists(self.path("x")))

    def test_positions_beyond_the_rows_are_a_warning_everywhere(self):
        path = self.path("hundred.bin")
        run("gen", "--recipe", "prefix:count=100:rows=1000", "--format", "blob", "-o", path)
        for words in (["inspect", path], ["convert", path, self.path("out.puffin"), "--to", "puffin"], ["check", path]):
            self.assertIn("positions up to 99 lie beyond the 10 rows of --rows", run(*words, "--rows", "10").stderr, words)

    def test_a_path_is_read_as_it_is_written_first(self):
        escaped, plain = self.path("a%2Cb.bin"), self.path("a,b.bin")
        run("gen", "--recipe", "prefix:count=7:rows=1000", "--format", "blob", "-o", escaped)
        run("gen", "--recipe", "prefix:count=9:rows=1000", "--format", "blob", "-o", plain)
        for kept in (7, 9):
            self.assertEqual(json.loads(run("inspect", "--json", escaped + "#0").stdout)["cardinality"], kept)
            if kept == 7:
                os.unlink(escaped)

    def test_every_command_refuses_in_the_same_words(self):
        for command in COMMANDS:
            see = f" (see dvbench {command} --help)\n"
            self.assertIn("usage: dvbench " + command, run(command, "--help").stdout)
            for option, named in ((["--nonsense=1"], "--nonsense"), (["-zq"], "-z"), (["file", "-zq"], "-z")):
                self.assertEqual(error_of(command, *option, code=2), f"dvbench: {command}: unknown option {named}{see}")
            self.assertEqual(error_of(command, "--help=1", code=2), f"dvbench: {command}: --help takes no value{see}")
        for command, option in (("gen", "out"), ("sweep", "kernel"), ("check", "batch"), ("inspect", "figure"), ("convert", "to"),
                                ("list", "format"), ("counters", "events"), ("compare", "threshold"), ("gate", "threshold")):
            self.assertEqual(error_of(command, "--" + option, code=2),
                             f"dvbench: {command}: --{option} needs a value (see dvbench {command} --help)\n")
        for command, option, value, valid in (
                ("counters", "format", "json", "text or csv"), ("list", "format", "xml", "table, csv or json"),
                ("convert", "to", "zip", "puffin, blob, delta, inline, roaring32 or roaring64"),
                ("sweep", "mode", "fast", "stream, replay or cold"), ("sweep", "counters", "x", "auto, pmu, sim or none"),
                ("check", "max-batches", "0", "a whole number from 1 to 10000000"),
                ("sweep", "batch", "64,0", "a whole number from 1 to 16777216"),
                ("check", "batch", "64,0", "a whole number from 1 to 16777216"), ("inspect", "dump", "x", "positions or ranges")):
            found = value.split(",")[-1]
            self.assertEqual(error_of(command, f"--{option}={value}", code=2),
                             f'dvbench: --{option}: found "{found}", expected {valid}\n')

    def test_files_appear_whole(self):
        path = self.write("old", b"old")
        os.chmod(path, 0o640)
        run("gen", "--recipe", "one", "--format", "blob", "-o", path)
        self.assertEqual(len(self.read("old")), 42)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        os.symlink("old", self.path("link"))
        run("gen", "--recipe", "none", "--format", "blob", "-o", self.path("link"))
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(len(self.read("old")), 20)
        error_of("gen", "--recipe", "one", "--format", "blob", "-o", self.path("no/where"), code=1)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["link", "old"])

    def test_a_full_disk_is_said(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        self.assertIn("cannot write", error_of("gen", "--recipe", "one", "--format", "blob", "-o", "/dev/full", code=1))
        for command in (["inspect", "one"], ["inspect", "--json", "one"], ["inspect", "--dump", "one"],
                        ["gen", "--recipe", "one", "--format", "delta", "-o", "-"], ["--help"], ["--version"], ["list", "--help"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([DVBENCH, *command], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr), (1, "dvbench: cannot write to standard output\n"))

    def test_four_billion_positions_in_memory_of_the_file(self):
        run("gen", "--recipe", "all:rows=4294967296", "--format", "blob", "-o", self.path("full"))
        self.assertEqual(os.path.getsize(self.path("full")), 12 + 12 + 925700)  # frame, bucket, bitmap
        command = [DVBENCH, "inspect", "--json", self.path("full")]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        output = child.stdout.read()
        child.stdout.close()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        self.assertEqual(json.loads(output)["cardinality"], 2**32)
        self.assertLess(usage.ru_maxrss, 64 * 1024)  # KiB; the file has 0.9 MB, its index 2 MB

    def test_figure(self):
        if subprocess.run(["sh", "-c", "command -v gnuplot"], stdout=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no gnuplot")
        run("inspect", "clustered", "--figure", self.path("map.svg"))
        self.assertIn(b"</svg>", self.read("map.svg"))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["map.svg", "map.svg.csv"])
        if subprocess.run([DVBENCH, "inspect", "clustered", "--figure", self.path("map.pdf")], capture_output=True).returncode == 0:
            self.assertNotIn(b"CreationDate", self.read("map.pdf"))  # the same bytes at any time; a gnuplot may lack cairo
            os.remove(self.path("map.pdf"))
            os.remove(self.path("map.pdf.csv"))
        two = self.write("two", b"\x01" + frame(array_payload(5)) * 2)
        empty = dict(os.environ, PATH=self.folder.name)
        for arguments, environment, code in ((["clustered", "--figure", self.path("a.jpg")], None, 2),
                                             ([two, "--figure", self.path("a.svg")], None, 2),
                                             (["one", "none", "--figure", self.path("a.svg")], None, 2),
                                             (["one", "--figure", self.path("no/a.svg")], None, 1),
                                             (["one", "--figure", self.path("map.svg")], empty, 4)):
            before = self.read("map.svg")
            done = subprocess.run([DVBENCH, "inspect", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=environment)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertEqual(sorted(os.listdir(self.folder.name)), ["map.svg", "map.svg.csv", "two"])
            self.assertEqual(self.read("map.svg"), before)


if __name__ == "__main__":
    unittest.main()
