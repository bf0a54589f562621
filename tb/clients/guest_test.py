# SPDX-License-Identifier: Apache-2.0
"""A Linux boots on a served drive, uses it, and has nothing to complain of.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import os
import pathlib
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))


def everything(*options: str) -> subprocess.CompletedProcess[str]:
    """Boots a guest that uses the disk in every way."""
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "platter_lab.cli",
            "guest",
            "everything",
            "--no-waves",
            "--fio-size",
            "4m",
            "--limit",
            "240",
            *options,
        ],
        env={**os.environ, "PYTHONPATH": str(SOURCE / "scripts/lab")},
        capture_output=True,
        text=True,
        check=False,
    )


class Guest(unittest.TestCase):
    def test_linux_uses_the_disk_in_lockstep(self):
        done = everything()
        if "no QEMU here" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        if "instead" in done.stdout:  # why it is not by vfio-user
            print(
                "\n".join(line for line in done.stdout.splitlines() if line.startswith("guest:")),
                file=sys.stderr,
            )
        self.assertIn("read what was written", done.stdout)
        self.assertIn(" 0 mismatches", done.stdout)
        if "QEMU by vfio-user" in done.stdout:
            self.assertIn("PLATTER Seagate Cheetah 9LP", done.stdout)
            self.assertIn("NCQ (depth 32)", done.stdout)


class Scsi(unittest.TestCase):
    def test_linux_and_scsi_programs_use_the_disk_by_iscsi(self):
        done = everything("--door", "iscsi")
        if "no QEMU here" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("QEMU by iscsi", done.stdout)
        self.assertIn("PLATTER", done.stdout)
        self.assertIn("read what was written", done.stdout)
        self.assertIn("Elements in grown defect list: 0", done.stdout)
        self.assertIn(" 0 mismatches", done.stdout)


if __name__ == "__main__":
    unittest.main()
