# SPDX-License-Identifier: Apache-2.0
"""The files of expected results hold every value,
and a run that is made again changes no other one."""

from __future__ import annotations

import copy
import pathlib
import sys
import tempfile
import unittest
from typing import Any

import kept

FIRST = {
    "result": {
        "configuration": {
            "policy": "SPTF",
            "drive": {
                "zone": [{"first": "0", "slips": ["3", "4"]}, {"first": "9", "slips": []}],
                "name": "5",
            },
            "sim": {"seed": "1"},
        },
        "mean": "0.10",
        "oldest": None,
        "version": "0.1.0",
        "late": False,
    },
    "waves": {"disk.mech.head": "1227e6", "disk.mech.angle": "0 0", "top": "0123"},
}


def changed(**configuration: Any) -> dict[str, Any]:
    run = copy.deepcopy(FIRST)
    run["result"]["configuration"].update(configuration)
    return run


class Kept(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.expected = kept.Expected(self.folder)
        self.runs = {
            "a.first": FIRST,
            "a.policy": changed(policy="FCFS"),
            "a.drive": changed(drive={"zone": [], "name": "6"}),
            "b.other": FIRST,
        }
        self.expected.keep(self.runs, list(self.runs))

    def assert_kept(self) -> None:
        for name, given in self.runs.items():
            self.assertEqual(
                dict(kept.leaves(self.expected.run(name))), dict(kept.leaves(given)), name
            )

    def test_every_value_of_every_run_is_kept(self) -> None:
        self.assert_kept()
        self.assertIsNone(self.expected.run("a.none"))
        self.assertIsNone(self.expected.run("none.first"))

    def test_what_the_first_run_has_is_not_written_again(self) -> None:
        text = (self.folder / "a.json").read_text()
        self.assertEqual(text.count('"result/configuration/sim/": {"seed": 1}'), 1)
        self.assertIn(
            '"result/": {"late": false, "mean": 0.10, "oldest": null, "version": "0.1.0"}', text
        )
        self.assertIn('"result/configuration/drive/zone/1/": null', text)

    def test_names_are_written_once(self) -> None:
        text = (self.folder / "a.json").read_text()
        self.assertIn('"result/configuration/drive/zone/0/": {"first": 0, "slips": [3, 4]}', text)
        self.assertIn('"result/configuration/drive/zone/1/": [9, []]', text)
        self.assertEqual(text.count('"result/": [false, 0.10, null, "0.1.0"]'), 2)

    def test_reads_as_all_requests_are_not_written_again(self) -> None:
        self.runs["a.policy"]["result"]["parts"] = {"reads": {"x": {"n": "1"}}, "x": {"n": "1"}}
        self.expected.keep({"a.policy": self.runs["a.policy"]}, list(self.runs))
        self.assert_kept()
        self.assertIn('"result/parts/reads/x/": "="', (self.folder / "a.json").read_text())

    def test_a_line_of_another_group_is_not_written_again(self) -> None:
        text = (self.folder / "b.json").read_text()
        self.assertIn('"result/configuration/sim/": "a"', text)
        self.assertNotIn("slips", text)

    def test_a_table_with_other_names_has_them(self) -> None:
        self.runs["a.policy"]["result"]["more"] = "1"
        self.expected.keep({"a.policy": self.runs["a.policy"]}, list(self.runs))
        self.assert_kept()
        self.assertIn('"mean": 0.10, "more": 1', (self.folder / "a.json").read_text())

    def test_a_run_that_is_made_again_changes_no_other_one(self) -> None:
        for name in ("a.first", "a.drive"):
            self.runs[name] = changed(policy="EDF", sim={"seed": "2"})
            self.expected.keep({name: self.runs[name]}, list(self.runs))
            self.assert_kept()

    def test_a_run_or_group_that_is_gone_is_not_kept(self) -> None:
        del self.runs["a.policy"], self.runs["b.other"]
        self.expected.keep({"a.first": FIRST}, list(self.runs))
        self.assert_kept()
        self.assertIsNone(self.expected.run("a.policy"))
        self.assertEqual([file.name for file in self.folder.iterdir()], ["a.json"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
