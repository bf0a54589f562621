# SPDX-License-Identifier: Apache-2.0
"""What the guests' judges know of two drives with zones, and of disks of two actuators; and which
loader starts a program of another Debian.

Needs no package: python -m unittest, with scripts/lab on PYTHONPATH.
"""

import pathlib
import tempfile
import unittest

from platter_lab.guest import actuators, packages, zones

GOOD = "00:0/00/00"


class Loader(unittest.TestCase):
    def test_it_is_that_of_the_tree(self) -> None:
        for top in ("lib", "usr/lib"):  # Debian 12, Debian 13
            with self.subTest(top=top), tempfile.TemporaryDirectory() as folder:
                tree = packages.Tree(pathlib.Path(folder), ("libc6",), ("bookworm",))
                loader = tree.root / top / "x86_64-linux-gnu/ld-linux-x86-64.so.2"
                loader.parent.mkdir(parents=True)
                loader.touch()
                link = tree.root / "lib64/ld-linux-x86-64.so.2"
                link.parent.mkdir()
                link.symlink_to(f"/{top}/x86_64-linux-gnu/ld-linux-x86-64.so.2")
                self.assertEqual(tree.command("usr/bin/qemu")[0], str(loader))


class Zones(unittest.TestCase):
    def judged(self, *lines: str) -> tuple[dict[str, int], int]:
        """The known differences from tcmu-runner, and how many others there are."""
        known, others = zones.judge(zones.read(lines), zones.TCMU_DIFFERENCES)
        return dict(known), len(others)

    def test_equal_answers_are_no_difference(self) -> None:
        self.assertEqual(self.judged(f"C 1 write 8192 8 00 1 {GOOD} {GOOD}"), ({}, 0))

    def test_zeros_are_right_only_where_nothing_was_written(self) -> None:
        name = "read of what was not written before FINISH"
        full = f"C 7 read 16572 512 00 e {GOOD}:b5c637a5 {GOOD}:f5ec9dc5"
        self.assertEqual(self.judged(full, "D 7 40 0 40 0"), ({name: 1}, 0))
        self.assertEqual(self.judged(full, "D 7 40 0 39 512"), ({}, 1))
        self.assertEqual(self.judged(full.replace(" e ", " 2 "), "D 7 40 0 40 0"), ({}, 1))

    def test_beside_scsi_debug_all_data_must_be_the_same(self) -> None:
        full = f"C 7 read 16572 512 00 e {GOOD}:b5c637a5 {GOOD}:f5ec9dc5"
        known, others = zones.judge(zones.read([full, "D 7 40 0 40 0"]))
        self.assertEqual((dict(known), len(others)), ({}, 1))

    def test_a_read_into_the_next_zone_has_the_data_of_that_zone(self) -> None:
        name = "read from behind a write pointer into the next zone"
        across = f"C 9 read 14328 32 00 1 {GOOD}:38699dc5 {GOOD}:70739c08"
        self.assertEqual(self.judged(across, "D 9 24 24 0 0"), ({name: 1}, 0))
        self.assertEqual(self.judged(across, "D 9 24 0 24 0"), ({}, 1))
        within = across.replace("14328", "12288")
        self.assertEqual(self.judged(within, "D 9 24 24 0 0"), ({}, 1))

    def test_only_the_last_bytes_may_be_lost_by_the_referee(self) -> None:
        name = "last bytes of a long read across the end of a full zone"
        across = f"C 9 read 30440 288 00 e {GOOD}:f8081ae7 {GOOD}:e766fbb1"
        self.assertEqual(self.judged(across, "D 9 140 0 139 64"), ({name: 1}, 0))
        self.assertEqual(self.judged(across, "D 9 140 0 139 512"), ({}, 1))

    def test_a_refusal_is_known_by_both_senses(self) -> None:
        name = "zone management past the end"
        line = "C 4 open 131072 0 00 - 02:5/24/00 02:5/21/00"
        self.assertEqual(self.judged(line), ({name: 1}, 0))
        self.assertEqual(self.judged(line.replace("5/21/00", "5/20/00")), ({}, 1))
        self.assertEqual(self.judged(line.replace(" - ", " 1 ")), ({}, 1))


class Actuators(unittest.TestCase):
    def test_a_missing_disk_and_a_failed_command_are_told(self) -> None:
        size = f"Exos, {actuators.HALF} sectors, rotational 1, 0 ranges"
        said = {
            "disks": f"sda: {size}\nsdb: {size}\n",
            "pages": "Seagate Exos X180001\nSeagate Exos X180002\n",
            "fio": "err= 0\nerr= 0\n",
            "data": "read what was written\n" * 4,
        }
        self.assertEqual(actuators.missing("lun", said), [])
        one = {**said, "disks": f"sda: {size}\n", "data": said["data"] + "FAILED: sdb:0\n"}
        wrong = actuators.missing("lun", one)
        self.assertEqual(len(wrong), 2, wrong)
        self.assertIn("FAILED: sdb:0", wrong)


if __name__ == "__main__":
    unittest.main()
