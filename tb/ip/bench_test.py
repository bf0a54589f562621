# SPDX-License-Identifier: Apache-2.0
"""The bench that is there to be copied: a copy of it runs with what `cmake --install` leaves,
and with that alone.

Environment: PLATTER_SOURCE (the tree), PLATTER_BUILD (the build), CMAKE.
"""

import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

from tools import RTL, empty_folder, environment


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = empty_folder("bench")
        subprocess.run(
            [
                os.environ.get("CMAKE", "cmake"),
                "--install",
                os.environ["PLATTER_BUILD"],
                "--component",
                "accelerator",
                "--prefix",
                cls.folder / "usr",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        cls.installed = cls.folder / "usr" / "share" / "platter" / "rtl"

    def test_all_is_installed(self):
        """Every file of rtl/ but the build's and those of Platter's own simulation."""
        there = {
            file.relative_to(self.installed) for file in self.installed.rglob("*") if file.is_file()
        }
        documents = {file for file in there if file.parts[0] == "docs"}
        self.assertEqual(
            {file.stem for file in documents if file.parent.name == "reference"},
            {"scheduler_accelerator", "accelerator_integration", "cluster_order"},
        )
        there -= documents
        git = subprocess.run(
            ["git", "ls-files"], cwd=RTL, capture_output=True, text=True, check=False
        )
        if git.returncode == 0:
            # The template of an engine of one's own is of the command, not of the accelerator.
            others = ("simulation/", "own_engine/")
            ours = {file for file in git.stdout.split() if not file.startswith(others)}
            self.assertEqual(
                {str(file) for file in there} ^ ours,
                {"CMakeLists.txt", "LICENSE", "install_docs.cmake"},
            )
        self.assertFalse(
            [
                file
                for file in (self.folder / "usr").rglob("*")
                if file.is_file() and self.installed not in file.parents
            ]
        )

    def test_what_is_pointed_to_is_installed(self):
        """Each link of the documents, and each document that a source or the README names."""
        for file in self.installed.rglob("*"):
            if not file.is_file():
                continue
            text = file.read_text(encoding="utf-8")
            if file.suffix == ".md":
                for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
                    self.assertTrue(
                        (file.parent / target).is_file(), f"{file.name} points to {target}"
                    )
            if "docs" not in file.relative_to(self.installed).parts:
                for target in re.findall(r"\bdocs/[\w/]+(?:\.md)?", text):
                    self.assertTrue(
                        (self.installed / target).exists(), f"{file.name} names {target}"
                    )

    def test_a_copy_runs(self):
        self.run_copy("my_bench")

    def test_a_copy_runs_without_optional_parts(self):
        self.run_copy("plain_bench", "Features=0", "Entries=4", "Lanes=1")

    def test_no_simulation_of_parameters_that_the_design_refuses(self):
        result, _ = self.make_copy("odd_bench", "Entries=7")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("%Error-USERERROR", result.stderr)

    def make_copy(self, name, *parameters):
        copy = self.folder / name
        shutil.copytree(self.installed / "ip" / "bench", copy)
        child = environment(self.folder / "bin")
        child.update(
            COCOTB_RANDOM_SEED=os.environ.get("PLATTER_RTL_SEED", "1"), PYTHONDONTWRITEBYTECODE="1"
        )
        result = subprocess.run(
            [
                "make",
                f"RTL={self.installed}",
                *parameters,
                "BUILD_ARGS=-j2 OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O1",
            ],
            cwd=copy,
            env=child,
            capture_output=True,
            text=True,
            check=False,
        )
        return result, copy

    def run_copy(self, name, *parameters):
        result, copy = self.make_copy(name, *parameters)
        text = result.stdout[-6000:] + result.stderr[-3000:]
        self.assertEqual(result.returncode, 0, text)
        results = xml.etree.ElementTree.parse(copy / "results.xml")
        cases = {
            case.get("name"): case.find("failure") is None and case.find("error") is None
            for case in results.iter("testcase")
        }
        self.assertEqual(
            cases,
            dict.fromkeys(("after_reset", "values_are_kept", "protection", "decisions"), True),
            text,
        )


if __name__ == "__main__":
    unittest.main()
