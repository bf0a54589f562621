# SPDX-License-Identifier: Apache-2.0
"""The same register script on our AHCI adapter and on QEMU's: every difference stands in
differences.toml, with its reason.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree). Without a QEMU (packages that
cannot be had) the comparison is skipped, with the reason.
"""

import os
import pathlib
import re
import sys
import tomllib
import unittest

import adapters
import register_script

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE / "scripts/lab"))
from platter_lab import guest  # noqa: E402
from platter_lab.guest import machine, packages  # noqa: E402

SCENARIO = str(SOURCE / "models/configs/scenarios/guest_drive.toml")
SECTORS = 17_918_387  # of its drive


def text(value):
    return hex(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)


class Differential(unittest.TestCase):
    def test_every_difference_from_qemus_adapter_has_its_reason(self):
        trees = packages.Tree(SOURCE / "build/guest/qemu", ("qemu-system-x86",), guest.NEW)
        try:
            trees.make()
        except packages.Unavailable as reason:
            print(f"no QEMU here: {reason}", file=sys.stderr)
            self.skipTest(f"no QEMU here: {reason}")
        with adapters.Ours(os.environ["PLATTER"], SCENARIO) as adapter:
            ours = register_script.play(adapter, SECTORS)
        with adapters.Qemus(machine.qemu_program(trees), SECTORS) as adapter:
            theirs = register_script.play(adapter, SECTORS)
        self.assertEqual(ours.keys(), theirs.keys())
        known = tomllib.loads((pathlib.Path(__file__).parent / "differences.toml").read_text())[
            "difference"
        ]
        used = set()
        unknown = []
        for item in ours:
            if ours[item] == theirs[item]:
                continue
            matching = [entry["items"] for entry in known if re.fullmatch(entry["items"], item)]
            used.update(matching)
            if not matching:
                unknown.append(f"{item}: {text(ours[item])}, QEMU's {text(theirs[item])}")
        self.assertEqual(unknown, [])
        self.assertEqual(
            [entry["items"] for entry in known if entry["items"] not in used],
            [],
            "differences that are none",
        )

    def test_the_script_reads_what_it_wrote(self):
        with adapters.Ours(os.environ["PLATTER"], SCENARIO) as adapter:
            said = register_script.play(adapter, SECTORS)
        for item, value in said.items():
            if item.endswith((": data", ": parts", ": capacity", ": ended")):
                self.assertIs(value, True, item)
        self.assertEqual(said["IDENTIFY: depth"], 31)
        self.assertEqual(said["log 10h: tag"], 5)
        self.assertEqual(said["log 10h: checksum"], 0)


if __name__ == "__main__":
    unittest.main()
