# SPDX-License-Identifier: Apache-2.0
"""One version: the file VERSION, and what cannot read it says the same.

Environment: PLATTER (the command), PLATTER_SOURCE (the tree), PLATTER_BUILD (the build folder).
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
VERSION = (SOURCE / "VERSION").read_text().strip()
NUMBER = r"(\d+\.\d+\.\d+)"


def said(command, **variables):
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **variables}
    ).stdout.strip()


class Version(unittest.TestCase):
    def test_it_has_three_parts(self):
        self.assertRegex(VERSION, f"^{NUMBER}$")

    def test_the_command_and_the_library_have_it(self):
        self.assertEqual(said([os.environ["PLATTER"], "--version"]), f"platter {VERSION}")
        cache = pathlib.Path(os.environ["PLATTER_BUILD"], "CMakeCache.txt").read_text()
        self.assertIn(f"CMAKE_PROJECT_VERSION:STATIC={VERSION}\n", cache)
        header = pathlib.Path(
            os.environ["PLATTER_BUILD"], "models/generated/platter/version.h"
        ).read_text()
        self.assertIn(f'#define PLATTER_VERSION "{VERSION}"\n', header)
        parts = [
            re.search(rf"#define PLATTER_VERSION_{part} (\d+)\b", header)[1]
            for part in ("MAJOR", "MINOR", "PATCH")
        ]
        self.assertEqual(".".join(parts), VERSION)

    def test_the_python_package_has_it(self):
        self.assertEqual(
            said(
                [sys.executable, "-m", "platter_lab.cli", "--version"],
                PYTHONPATH=str(SOURCE / "scripts/lab"),
            ),
            f"platter-lab {VERSION}",
        )
        self.assertEqual(
            (SOURCE / "scripts/lab/platter_lab/VERSION").resolve(), (SOURCE / "VERSION").resolve()
        )

    def test_the_package_of_the_rtl_has_it(self):
        self.assertEqual(
            re.findall(
                rf"^name: platter::sched:{NUMBER}$",
                (SOURCE / "rtl/platter_sched.core").read_text(),
                re.M,
            ),
            [VERSION],
        )

    def test_the_pages_have_it(self):
        found = [
            (str(page.relative_to(SOURCE)), number)
            for page in sorted((SOURCE / "docs").rglob("*.md"))
            for number in re.findall(
                rf"(?:platter::sched:|--name sched --version |: PLATTER .*, ){NUMBER}",
                page.read_text(),
            )
        ]
        self.assertGreaterEqual(len(found), 2)
        self.assertEqual([place for place in found if place[1] != VERSION], [])


if __name__ == "__main__":
    unittest.main()
