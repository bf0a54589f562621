# SPDX-License-Identifier: Apache-2.0
"""Runs the tutorials: each block of `sh`, in one shell a page from the project's folder, must end
well and print the lines of the `text` behind it, in their order.

Environment: PLATTER_SOURCE (the tree).
"""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
STEP = re.compile(r"^```sh\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", re.M | re.S)
MARK = "== the end of a step"


class Tutorials(unittest.TestCase):
    def test_every_page(self):
        shutil.rmtree(
            SOURCE / "build" / "tutorial", ignore_errors=True
        )  # a search is not continued by another executable
        # A guest's numbers differ from run to run:
        # tb/clients/guest_test.py runs what that page shows.
        pages = sorted(
            set((SOURCE / "docs/tutorials").glob("*.md"))
            - {SOURCE / "docs/tutorials/a_computer_on_the_drive.md"}
        )
        self.assertGreaterEqual(len(pages), 3)
        for page in pages:
            with self.subTest(page=page.name):
                text = page.read_text()
                steps = STEP.findall(text)
                # Every block is a step or what a step prints.
                self.assertEqual(
                    len(re.findall(r"^```", text, re.M)),
                    2 * sum(1 + bool(shown) for _, shown in steps),
                )
                self.follow(steps)

    def follow(self, steps):
        self.assertGreater(sum(bool(text) for _, text in steps), 0, "nothing is shown")
        script = "set -euo pipefail\n" + "".join(
            f"{commands}\necho '{MARK}'\n" for commands, _ in steps
        )
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=SOURCE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        # Behind the last mark there is one more piece, an empty line.
        for (commands, text), output in zip(steps, done.stdout.split(MARK), strict=False):
            printed = iter(output.splitlines())
            for line in text.splitlines():
                self.assertIn(
                    line, printed, f"{commands}\nprints no line {line!r} at its place in\n{output}"
                )


if __name__ == "__main__":
    unittest.main()
