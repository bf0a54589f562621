# SPDX-License-Identifier: Apache-2.0
"""libplatter: a program in C, the Python package, and the same requests as a run of the command.

PLATTER is the command, PLATTER_LIBRARY the library, C_TEST and QUEUEING are programs in C.
"""

import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["PLATTER_SOURCE"])
LIBRARY = pathlib.Path(os.environ["PLATTER_LIBRARY"])
SCENARIOS = SOURCE / "models/configs/scenarios"


def run(*command, **options):
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True, text=True, timeout=300, check=False, **options,
    )  # fmt: skip


class Library(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def python(self, text, **variables):
        """Runs a program with the package in a process of its own, because one has one kernel."""
        done = run(
            sys.executable, "-c", text, cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(SOURCE / "scripts/library"), **variables},
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_program_in_c(self):
        done = run(os.environ["C_TEST"], self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "all is well\n"), done.stderr)

    def test_transactions_take_longer_where_more_of_them_arrive(self):
        means = []
        for rate in (0.5, 20, 30):
            done = run(os.environ["QUEUEING"], rate)
            self.assertEqual(done.returncode, 0, done.stderr)
            means.append(float(done.stdout.split()[-2]))
        self.assertEqual(means, sorted(means))
        # Alone, a transaction waits for four random reads and computes three times.
        self.assertTrue(4 * 7 + 3 * 2 < means[0] < 4 * 11 + 3 * 2, means)

    def test_the_programs_of_the_page_run_as_they_stand_there(self):
        page = (SOURCE / "docs/reference/c_library.md").read_text(encoding="utf-8")
        found = dict(re.findall(r"<!-- example -->\n```(c|python)\n(.*?)```", page, re.DOTALL))
        (self.folder / "program.c").write_text(found["c"])
        program = self.folder / "program"
        done = run(
            "cc", "-Wall", "-Wextra", "-Werror", self.folder / "program.c", "-o", program,
            "-I", SOURCE / "models/libplatter", LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}",
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^\d{9,} ps\n$")
        self.assertEqual(self.python(found["python"]), done.stdout)

    def test_nothing_but_the_functions_of_the_header_is_visible(self):
        names = run("nm", "-D", "--defined-only", "--format=posix", LIBRARY).stdout.split("\n")
        found = {line.split()[0] for line in names if line}
        header = (SOURCE / "models/libplatter/platter.h").read_text(encoding="utf-8")
        self.assertEqual({name for name in found if f"{name}(" not in header}, {"sc_main"})
        self.assertEqual(len(found), 22 + 1)

    def object_of(self, name, header):
        """A shared object with the types and functions of a header."""

        def defined(found):
            body = "" if found[1] == "void" else "return 0;"
            return f"{found[1]} {found[2]} {{ {body} }}"

        types = r"int|int64_t|uint32_t|uint64_t|const char\*|void"
        text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
        text = re.sub(rf"^({types}) (platter_\w+\([^;]*\));", defined, text, flags=re.MULTILINE)
        code = self.folder / f"{name}.c"
        code.write_text(text)
        done = run("cc", "-g", "-shared", "-fPIC", code, "-o", code.with_suffix(".so"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return code.with_suffix(".so")

    def test_engines_of_a_users_own_are_refused(self):
        done = run(os.environ["PLATTER"], "engine", "new", "near", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = """
import platter
try:
    platter.Device(drive="atlas10k", engine="own:near")
except platter.PlatterError as error:
    print(error.code, error)
"""
        self.assertRegex(
            self.python(text), r"^1 device0:\d+:\d+: engine: .*own:near cannot be loaded"
        )

    def test_shared_objects_of_policies_are_refused(self):
        """They need functions that the library does not export."""
        (self.folder / "own.c").write_text("int needed(void); int own(void) { return needed(); }")
        done = run("cc", "-shared", "-fPIC", "own.c", "-o", "own.so", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = """
import platter
for file in ("own.so", "none.so"):
    try:
        platter.Device(drive="atlas10k", policy="own:" + file)
    except platter.PlatterError as error:
        print(error.code, error)
"""
        expected = "expected a file in Python, because this library or program takes no shared"
        lines = self.python(text).splitlines()
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], f"^1 .*own.so: it cannot be loaded; {expected} objects")
        self.assertRegex(lines[1], f"^1 .*none.so: No such file or directory; {expected} objects")

    @unittest.skipUnless(shutil.which("abidiff"), "abidiff is not installed")
    def test_the_interface_is_that_of_its_number(self):
        """Programs that were compiled with the header of this number work with the library."""
        header = (SOURCE / "models/libplatter/platter.h").read_text(encoding="utf-8")
        number = re.search(r"#define PLATTER_ABI (\d+)", header)[1]
        first = SOURCE / f"tb/libplatter/platter_abi_{number}.h"
        kept = self.object_of("kept", first.read_text(encoding="utf-8"))
        done = run("abidiff", "--no-added-syms", kept, self.object_of("now", header))
        self.assertEqual(done.returncode & 8, 0, done.stdout)  # an incompatible change
        self.assertEqual(done.returncode, 0, done.stdout)
        for old, new in (
            ("  uint64_t block;", "  uint32_t block;"),
            ("  int64_t completed; ", "  int64_t more, completed; "),
            ("int platter_run(int64_t until);", ""),
        ):
            self.assertIn(old, header)
            changed = self.object_of("changed", header.replace(old, new))
            self.assertNotEqual(run("abidiff", kept, changed).returncode, 0, old)

    def test_requests_of_a_run_have_the_same_times(self):
        log = self.folder / "requests.csv"
        scenario = self.folder / "load.toml"
        scenario.write_text(
            'format = 1\ndrive = "atlas10k"\npolicy = "SPTF"\nengine = "firmware"\n'
            "[workload.discrete]\nsource = 'poisson'\nrate_per_s = 90\nread_fraction = 0.7\n"
            "[sim]\nwarmup_s = 0\nmeasure_s = 30\n"
        )
        done = run(os.environ["PLATTER"], "run", scenario, "--quiet", "--requests", log)
        self.assertEqual(done.returncode, 0, done.stderr)
        with log.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertGreater(len(rows), 2000)
        text = f"""
import csv, platter
rows = sorted(csv.DictReader(open({str(log)!r})), key=lambda row: int(row["issued_ps"]))
disk = platter.Device(drive="atlas10k", policy="SPTF", engine="firmware")
bytes_ = disk.block_bytes
found, numbers = {{}}, {{}}
for row in rows:
    for done in platter.run(int(row["issued_ps"])):
        found[done.request] = done
    number = disk.submit("write" if row["op"] == "W" else "read",
                         int(row["offset_bytes"]) // bytes_, int(row["length_bytes"]) // bytes_)
    numbers[number] = row
for done in platter.run():
    found[done.request] = done
differ = [n for n, row in numbers.items() if found[n].completed != int(row["completed_ps"])]
assert all(done.good for done in found.values())
print(len(numbers), len(differ))
"""
        self.assertEqual(self.python(text).split(), [str(len(rows)), "0"])

    def test_the_package_refuses_data_that_a_request_cannot_have(self):
        text = """
import platter
disk = platter.Device(drive="atlas10k")
block = disk.block_bytes
given = bytes(block)
for operation, data in (("write", True), ("write", False), ("write", "x" * block), ("write", 3),
                        ("write", b"x"), ("read", given), ("read", 1), ("flush", True)):
    try:
        print(disk.submit(operation, 0, 1, data=data))
    except ValueError as error:
        print(error)
for i, data in enumerate((bytearray(b"a" * block), memoryview(b"b" * 2 * block)[::2])):
    disk.submit("write", i, data=data)
    disk.submit("read", i, data=True)
print([done.data and done.data[:2] for done in platter.advance() if done.data])
try:
    platter.Device('format = 1\\ndrive = "atlas10k"\\n', policy="NONSENSE")
except ValueError as error:
    print(error)
"""
        lines = self.python(text).splitlines()
        self.assertEqual(
            lines,
            [
                *["data of a write: found bool, expected 512 bytes or None"] * 2,
                "data of a write: found str, expected 512 bytes or None",
                "data of a write: found int, expected 512 bytes or None",
                "data of a write: found 1 bytes, expected 512 bytes or None",
                "data of a read: found bytes, expected True or None",
                "data of a read: found int, expected True or None",
                "data of a flush: found bool, expected None",
                "[b'aa', b'bb']",
                "found a scenario and the keys ['policy'], expected one of them",
            ],
        )

    def test_a_read_that_fails_brings_no_data(self):
        text = """
import platter
fault = "[[fault]]\\nkind = 'unreadable'\\nblock = 101\\n"
disk = platter.Device("format = 1\\ndrive = 'atlas10k'\\n" + fault)
disk.submit("read", 100, 2, data=True)
disk.submit("read", 200, 2, data=True)
for done in platter.run():
    print(done.status, done.data and len(done.data), done.first_bad)
"""
        self.assertEqual(
            self.python(text).splitlines(), ["a sector cannot be read None 101", "good 1024 0"]
        )

    def test_time_passes_in_a_run_that_is_iterated_and_others_are_a_warning(self):
        text = """
import platter, warnings
disk = platter.Device(drive="atlas10k")
disk.submit("read")
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    platter.run(10**9)
    print(platter.now(), [one.category.__name__ for one in found])
    done = platter.advance(10**11)
    print(platter.now(), [one.request for one in done])
    print(list(platter.run(2 * 10**11)), platter.now(), len(found))
"""
        self.assertEqual(
            self.python(text).splitlines(),
            ["0 ['RuntimeWarning']", f"{10**11} [1]", f"[] {2 * 10**11} 1"],
        )

    def test_simulated_time_has_an_end(self):
        text = """
import platter
disk = platter.Device(drive="atlas10k")
disk.submit("read")
for until in (2**62 + 1, 2**62 - 10, None):
    try:
        print(len(platter.advance() if until is None else platter.advance(until)))
    except platter.PlatterError as error:
        print(error)
    if until == 2**62 - 10:
        disk.submit("read")
"""
        self.assertEqual(
            self.python(text).splitlines(),
            [
                f"platter_run: found the time {2**62 + 1} ps, "
                f"expected at most {2**62} ps or PLATTER_FOREVER",
                "1",
                "simulated time has come to its end",
            ],
        )

    def test_the_package_reads_what_it_wrote_and_says_what_is_wrong(self):
        text = """
import platter
disk = platter.Device(drive="atlas10k", policy="SPTF", name="mine", disk="disk.img")
try:
    platter.Device('format = 1\\ndrive = "wd22t"\\n', name="other")
except platter.PlatterError as error:
    print(error.code, error)
block = disk.block_bytes
disk.submit("write", 100, 2, data=b"ab" * block, fua=True)
disk.submit("read", 100, 2, data=True)
answers = list(platter.run())
print([(done.status, done.data == b"ab" * block) for done in answers])
for done in answers:
    parts = (done.queue, done.overhead, done.seek, done.settle, done.rotation, done.transfer)
    assert sum(parts) + done.bus == done.completed - done.issued
disk.power_image("lost.img")
print(disk.statistics()["classes"]["discrete"]["completed"], platter.version())
disk.close()
"""
        version = (SOURCE / "VERSION").read_text().strip()
        lines = self.python(text).splitlines()
        self.assertIn("1 other:2:9: drive: there is no drive", lines[0])
        self.assertIn("did you mean wd22tb?", lines[0])
        self.assertEqual(lines[1:], ["[('good', False), ('good', True)]", f"2 {version}"])
        again = """
import platter
disk = platter.Device(drive="atlas10k", policy="SPTF", disk="lost.img")
disk.submit("read", 100, 2, data=True)
print([done.data == b"ab" * disk.block_bytes for done in platter.run()])
"""
        self.assertEqual(self.python(again), "[True]\n")


if __name__ == "__main__":
    unittest.main()
