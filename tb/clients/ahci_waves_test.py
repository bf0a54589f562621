# SPDX-License-Identifier: Apache-2.0
"""Waves of an AHCI adapter that a driver uses:
the shipped views of them, and the queued commands by tag.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import os
import pathlib
import sys
import tempfile
import unittest

import pywellen
from adapters import Ours
from register_script import GHC, Driver, queued

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE / "tb"))
import gtkwave_views  # noqa: E402

TAGS = range(8)


def lba(tag):
    return 1000 + 1_500_000 * (tag * 5 % 8)


def sectors(tag):
    return 16 + tag


def use(waves):
    """Eight queued reads at once, by a driver of the adapter."""
    with Ours(
        os.environ["PLATTER"],
        SOURCE / "models/configs/scenarios/guest_drive.toml",
        "--waves",
        waves,
    ) as adapter:
        driver = Driver(adapter)
        adapter.write(GHC, 0x8000_0000)
        driver.start()
        for tag in TAGS:
            driver.issue(
                queued(False, lba(tag), sectors(tag), tag),
                slot=tag,
                size=512 * sectors(tag),
                tag=tag,
            )
        for tag in TAGS:
            assert driver.ended(tag, tag)


class AhciWaves(unittest.TestCase):
    def test_views_fit_and_a_tag_is_the_hosts(self):
        with tempfile.TemporaryDirectory(prefix="platter-") as folder:
            file = pathlib.Path(folder) / "waves.fst"
            use(file)
            waves = pywellen.Waveform(str(file))
        for name in ("ahci_port", "guest"):
            view = (SOURCE / f"waves/{name}.gtkw").read_text()
            self.assertGreater(len(gtkwave_views.named(view)), 15)
            self.assertEqual(gtkwave_views.misfits(view, waves), [], name)
            self.assertEqual(gtkwave_views.flat_groups(view, waves), [], name)
            self.assertEqual(gtkwave_views.cut_values(view, waves), [], name)
        signals = {v.full_name: v for v in waves.all_vars()}
        in_drive = signals["ahci.port0.in_drive"].signal
        for tag in TAGS:
            text = signals[f"disk.tags.tag{tag}"]
            changes = [
                (time, int(value).to_bytes(text.bitwidth // 8, "big").lstrip(b"\0").decode())
                for time, value in text.tv
            ]
            (_, command), (end, after) = changes[-2:]
            self.assertRegex(command, rf"^read {lba(tag)}\+{sectors(tag)} discrete #\d+$")
            self.assertEqual(after, "")
            self.assertEqual(
                [int(in_drive.value_at(time)) >> tag & 1 for time in (end - 1, end)], [1, 0]
            )


if __name__ == "__main__":
    if (
        len(sys.argv) == 3 and sys.argv[1] == "--keep"
    ):  # the waves, to look at: docs/reference/waves.md
        use(sys.argv[2])
    else:
        unittest.main()
