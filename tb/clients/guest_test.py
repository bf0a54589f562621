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


class Guest(unittest.TestCase):
    def test_linux_uses_the_disk_in_lockstep(self):
        done = subprocess.run(
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
            ],
            env={**os.environ, "PYTHONPATH": str(SOURCE / "scripts/lab")},
            capture_output=True,
            text=True,
            check=False,
        )
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


if __name__ == "__main__":
    unittest.main()
