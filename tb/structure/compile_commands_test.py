# SPDX-License-Identifier: Apache-2.0
"""Every source file has one compile command for an editor, and the commands compile.

Environment: PLATTER_SOURCE (the tree), PLATTER_BUILD (the build folder).
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
# Compiled by CMake together with others; with a header of Verilator's; with one of a test's
# library; of another project; of another processor.
COMPILED = (
    "models/platter/core/nearest.cpp",
    "models/platter/accelerator/rtl_pins.cpp",
    "tb/unit/token_bucket_test.cpp",
    "tb/consumer/main.cpp",
    "tb/ip/driver/firmware.c",
)


class CompileCommands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="platter-commands-")
        cls.addClassCleanup(folder.cleanup)
        file = pathlib.Path(folder.name, "compile_commands.json")
        subprocess.run(
            [SOURCE / "scripts/compile-commands", os.environ["PLATTER_BUILD"], file], check=True
        )
        cls.entries = json.loads(file.read_text())

    def test_every_file_has_one(self):
        files = [entry["file"] for entry in self.entries]
        self.assertEqual(len(files), len(set(files)))
        wanted = {
            str(file)
            for folder in ("models", "rtl", "scripts", "tb")
            for end in ("*.c", "*.cpp")
            for file in (SOURCE / folder).rglob(end)
        }
        self.assertGreater(len(wanted), 250)
        self.assertEqual(wanted - set(files), set())

    def test_a_build_writes_it(self):
        self.assertIn("    platter_compile_commands\n", self.ninja("query", "all"))
        made = [
            line.removesuffix(": CUSTOM_COMMAND")
            for line in self.ninja("targets", "all").splitlines()
            if line.endswith("compile_commands.json: CUSTOM_COMMAND")
        ]
        self.assertEqual(made, [str(SOURCE / "build/compile_commands.json")])

    def ninja(self, *tool):
        return subprocess.run(
            ["ninja", "-C", os.environ["PLATTER_BUILD"], "-t", *tool],
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def test_they_compile(self):
        for name in COMPILED:
            with self.subTest(file=name):
                entry = next(entry for entry in self.entries if entry["file"] == str(SOURCE / name))
                self.assertFalse([word for word in entry["arguments"] if "pch" in word])
                done = subprocess.run(
                    [*entry["arguments"], "-fsyntax-only"],
                    cwd=entry["directory"],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
