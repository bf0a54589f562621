# SPDX-License-Identifier: Apache-2.0
"""FuseSoC runs the targets of rtl/platter_sched.core, and slang reads what it hands out.

Environment: PLATTER_SOURCE (the tree), PLATTER_BUILD (the build).
"""

import re
import shutil
import subprocess
import sys
import unittest

import yaml
from tools import RTL, SOURCE, empty_folder, environment

SLANG = """
import sys
from pyosys import libyosys
design = libyosys.Design()
libyosys.run_pass(
    "read_slang --threads 1 -D SYNTHESIS --top platter_sched_axi " + " ".join(sys.argv[1:]), design
)
libyosys.run_pass("hierarchy -check -top platter_sched_axi", design)
"""


class FuseSoC(unittest.TestCase):
    def setUp(self):
        self.folder = empty_folder(f"fusesoc/{self._testMethodName}")
        self.environment = environment(self.folder / "bin")
        self.environment["HOME"] = str(self.folder)  # no settings of the user's

    def fusesoc(self, *arguments, root=RTL):
        command = [
            "fusesoc",
            "--cores-root",
            root,
            "run",
            "--build-root",
            self.folder / "build",
            *arguments,
        ]
        result = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return result.returncode, result.stdout + result.stderr

    def core(self):
        return yaml.safe_load(
            (RTL / "platter_sched.core").read_text(encoding="utf-8").split("\n", 1)[1]
        )

    def files(self):
        return self.core()["filesets"]["rtl"]["files"]

    def test_files_are_those_of_the_design(self):
        listed = [
            line.strip()
            for line in (RTL / "files.f").read_text(encoding="utf-8").splitlines()
            if line.strip().endswith(".sv")
        ]
        self.assertEqual(self.files(), [*listed, "ip/platter_sched_axi.sv"])

    def test_version_is_the_projects(self):
        version = (SOURCE / "VERSION").read_text(encoding="utf-8").strip()
        self.assertEqual(self.core()["name"], f"platter::sched:{version}")

    def test_slang_reads_the_files(self):
        for parameters in (
            [],
            [
                "-G",
                "PrivilegedWrites=1",
                "-G",
                "SecureWrites=1",
                "-G",
                "OrderM=0",
                "-G",
                "Features=15",
            ],
        ):
            result = subprocess.run(
                [sys.executable, "-c", SLANG, *parameters, *self.files()],
                cwd=RTL,
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("Build succeeded: 0 errors, 0 warnings", result.stdout.splitlines())

    def test_lint(self):
        code, text = self.fusesoc(
            "--target",
            "lint",
            "platter::sched",
            "--PrivilegedWrites",
            "1",
            "--Entries",
            "64",
            "--Features",
            "15",
            "--AngleW",
            "12",
        )
        self.assertEqual(code, 0, text)
        self.assertNotIn("%Warning", text)

    def test_rules_are_known_to_an_older_verilator(self):
        """One that it does not know is an error. These are of 5.006."""
        known = {
            "BLKANDNBLK",
            "CMPCONST",
            "DECLFILENAME",
            "SYMRSVDWORD",
            "UNOPTFLAT",
            "UNUSEDPARAM",
            "UNUSEDSIGNAL",
        }
        for file in RTL.glob("*.vlt"):
            self.assertLessEqual(
                set(re.findall(r"-rule (\w+)", file.read_text(encoding="utf-8"))), known, file.name
            )

    def test_lint_can_fail(self):
        copy = self.folder / "rtl"
        shutil.copytree(RTL, copy)
        file = copy / "ip" / "platter_sched_axi.sv"
        file.write_text(
            file.read_text(encoding="utf-8").replace(
                "logic        refused, ", "logic        refused, nothing, "
            ),
            encoding="utf-8",
        )
        code, text = self.fusesoc("--target", "lint", "platter::sched", root=copy)
        self.assertNotEqual(code, 0)
        self.assertIn("UNUSEDSIGNAL", text)

    def test_simulation(self):
        code, text = self.fusesoc("--target", "sim", "platter::sched", "--Features", "15")
        self.assertEqual(code, 0, text)
        self.assertIn("platter_sched_tb: passed", text)

    def test_no_simulation_of_parameters_that_the_design_refuses(self):
        code, text = self.fusesoc("--target", "sim", "platter::sched", "--Entries", "7")
        self.assertNotEqual(code, 0)
        self.assertIn("%Error-USERERROR", text)


if __name__ == "__main__":
    unittest.main()
