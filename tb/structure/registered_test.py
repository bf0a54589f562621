# SPDX-License-Identifier: Apache-2.0
"""Every test class of every Python test is run by CTest.

Environment: PLATTER_SOURCE (the tree), PLATTER_BUILD (a preset's build folder).
"""

import ast
import json
import os
import pathlib
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ["PLATTER_BUILD"])


def suites_of(file):
    """The names of the classes that have tests."""
    return {
        node.name
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(one, ast.FunctionDef) and one.name[:5] == "test_" for one in node.body)
    }


def registered():
    """The classes with which CTest calls each file; None for a call that runs all of them."""
    done = subprocess.run(
        ["ctest", "--test-dir", BUILD, "--show-only=json-v1"],
        capture_output=True,
        text=True,
        check=True,
    )
    calls = {}
    for test in json.loads(done.stdout)["tests"]:
        command = test.get("command", [])
        for at, word in enumerate(command):
            if word.endswith(".py"):
                calls.setdefault(pathlib.Path(word), set()).update(command[at + 1 :] or [None])
    return calls


class Registered(unittest.TestCase):
    @unittest.skipIf(BUILD.name != "release", "the release build has all tests")
    def test_every_class_of_tests_is_run(self):
        calls = registered()
        files = [
            file
            for file in sorted((SOURCE / "tb").rglob("*.py"))
            if "unittest.main()" in file.read_text()
        ]
        self.assertGreater(len(files), 20)
        self.assertEqual(
            [
                f"{file.relative_to(SOURCE)}: {suite}"
                for file in files
                for suite in sorted(suites_of(file))
                if not {suite, None} & calls.get(file, set())
            ],
            [],
        )


if __name__ == "__main__":
    unittest.main()
