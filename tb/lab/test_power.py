# SPDX-License-Identifier: Apache-2.0
"""`platter-lab power`: the fit over published currents, its sections, and its page."""

import tomllib
import unittest
from dataclasses import replace

from lab_case import LabCase
from platter_lab.executable import ROOT
from platter_lab.power import validation
from platter_lab.power.model import CURRENT_SHARE, STATES, Drive, Model, published, section


def obeying(discs: float, diameter_mm: float, rpm: float = 7200) -> Drive:
    """A drive whose currents have the forms of the fit."""
    drive = Drive("", "", discs, diameter_mm, rpm, {})
    spindle = 0.1 + 0.08 * drive.windage
    moved = {"random_read": 0.25 * drive.size, "random_write": 0.1 * drive.size}
    added = {
        "random_read": 0.1,
        "random_write": 0.2,
        "sequential_read": 0.4,
        "sequential_write": 0.5,
    }
    currents = {
        state: (0.3 + at_5, spindle + moved.get(state, 0.02)) for state, at_5 in added.items()
    }
    currents |= {
        "idle": (0.3, spindle),
        "idle_a": (0.29, spindle),
        "idle_b": (0.25, 0.8 * spindle),
        "idle_c": (0.24, 0.5 * spindle),
        "standby": (0.23, 0.01),
        "start": (0.9, 2.5 * drive.size),
    }
    return replace(drive, currents=currents)


class Power(LabCase):
    def test_a_fit_finds_what_obeys_its_forms(self) -> None:
        model = Model.fitted([obeying(2, 95), obeying(5, 95), obeying(3, 65), obeying(1, 80)])
        for wanted in (obeying(9, 95), obeying(4, 65, 10000)):
            found = model.predicted(wanted)
            for state in STATES:
                self.assertAlmostEqual(found.watts(state), wanted.watts(state), 9, state)
            by_idle = model.predicted(wanted, wanted.currents["idle"])
            self.assertAlmostEqual(by_idle.watts("random_read"), wanted.watts("random_read"), 9)

    def test_a_section_adds_up_to_the_published_powers(self) -> None:
        for drive in published():
            keys = section(drive)
            ready = keys["spindle_w"] + keys["electronics_w"]
            self.assertAlmostEqual(ready, drive.watts("idle"), 2)
            self.assertAlmostEqual(
                keys["spindle_unloaded_w"] + keys["electronics_idle_b_w"], drive.watts("idle_b"), 2
            )
            self.assertAlmostEqual(
                ready + keys["active_w"] + CURRENT_SHARE * keys["coil_w"],
                drive.watts("random_read"),
                2,
            )
            self.assertAlmostEqual(
                ready + keys["active_w"] + keys["read_w"], drive.watts("sequential_read"), 2
            )

    def test_a_section_is_one_of_a_profile(self) -> None:
        for words in (
            ["section", "ES.3 4 TB"],
            ["predict", "--discs", "9"],
            ["predict", "--discs", "9", "--idle-5v", "0.3", "--idle-12v", "0.4"],
        ):
            code, out, error = self.lab("power", *words)
            self.assertEqual((code, error), (0, ""))
            power = tomllib.loads(out)["power"]
            self.assertGreaterEqual(power["spindle_w"], power["spindle_unloaded_w"])
        self.assertEqual(power["spindle_w"], 4.8)

    def test_bad_input(self) -> None:
        for words, said in (
            (["section", "X"], 'found "X", expected one of "ES.3 4 TB"'),
            (["predict", "--discs", "0"], "above 0"),
            (["predict", "--discs", "nan"], "above 0"),
            (["predict", "--discs", "5", "--rpm", "inf"], "above 0"),
            (["predict", "--discs", "5", "--rpm", "1e308"], "at most 1e+06"),
            (["predict", "--discs", "5", "--idle-5v", "nan", "--idle-12v", "1"], "from 0"),
            (["predict", "--discs", "5", "--idle-5v", "1"], "belong together"),
        ):
            code, _, error = self.lab("power", *words)
            self.assertEqual(code, 2)
            self.assertIn(said, error)

    def test_the_page_has_the_errors_of_the_fit(self) -> None:
        page = (ROOT / "docs/reference/power.md").read_text(encoding="utf-8")
        self.assertIn(f"<!-- power:begin -->\n{validation()}\n<!-- power:end -->", page)


if __name__ == "__main__":
    unittest.main()
