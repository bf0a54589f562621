# SPDX-License-Identifier: Apache-2.0
"""What the pages show is what happens.

Pages are followed from the project's folder, in one shell a page: each block of `sh` must end well
and print the lines of the `text` below it, in their order. On other pages only the blocks of `text`
are compared. A line before a block says what differs from that:

    <!-- output: COMMAND -->     this command prints it, on a page that is not followed
    <!-- file: PATH -->          the reader has written the block to that file
    <!-- not run: REASON -->     the block is neither run nor compared

Environment: PLATTER_SOURCE (the tree).
"""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
FOLLOWED = [
    *sorted((SOURCE / "docs/tutorials").glob("*.md")),
    SOURCE / "docs/how_to/from_a_live_machine.md",
]
OTHERS = sorted({SOURCE / "README.md", *(SOURCE / "docs").rglob("*.md")} - set(FOLLOWED))
BLOCK = re.compile(
    r"^(?:<!-- (output|file|not run): ([^\n]*) -->\n)?```(\w*)\n(.*?)^```$", re.M | re.S
)
SPEED = re.compile(r"^(simulated s per wall s|decisions per CPU second) .*")  # of the machine
END = "== the end of a step"


def blocks(page):
    """Of each: (number of its first line, mark or None, what the mark says, language, contents)."""
    text = page.read_text()
    return [
        (text.count("\n", 0, block.start()) + 1, *block.groups()) for block in BLOCK.finditer(text)
    ]


def lines(text):
    return [SPEED.sub(r"\1", line.rstrip()) for line in text.splitlines()]


def run(commands, built="1"):
    return subprocess.run(
        ["bash", "-c", f"set -euo pipefail\n{commands}"],
        cwd=SOURCE,
        env={**os.environ, "PLATTER_BUILT": built},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


class Tutorials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Installs and builds as the first command of a reader does. The others find it done."""
        done = run("scripts/setup sweep search report\nscripts/platter --version", built="")
        if done.returncode != 0:
            raise AssertionError(done.stdout)

    def test_every_page(self):
        for name in ("tutorial", "live"):  # a search is not continued by another executable
            shutil.rmtree(SOURCE / "build" / name, ignore_errors=True)
        self.assertGreaterEqual(len(FOLLOWED), 4)
        for page in FOLLOWED:
            with self.subTest(page=page.name):
                self.follow(page)

    def test_every_block_is_read(self):
        for page in (*FOLLOWED, *OTHERS):
            fences = re.findall(r"^ *```", page.read_text(), re.M)
            self.assertEqual(len(fences), 2 * len(blocks(page)), page)

    def test_output_on_other_pages(self):
        compared = 0
        for page in OTHERS:
            for number, mark, said, language, shown in blocks(page):
                place = f"{page.relative_to(SOURCE)}:{number}"
                with self.subTest(place=place):
                    self.assertIn(mark, (None, "output", "not run"), place)
                    self.assertEqual(
                        mark is not None,
                        language == "text",
                        f"{place}: expected `<!-- output: COMMAND -->` before `text`, "
                        "and before it only",
                    )
                    if mark == "output":
                        compared += 1
                        done = run(said)
                        self.assertEqual(done.returncode, 0, done.stdout)
                        self.compare(place, said, shown, done.stdout)
        self.assertGreater(compared, 0)

    def test_tables_have_the_headings_of_today(self):
        """Also those in blocks that are not compared."""
        headings = next(
            line.split()
            for line in run(
                "scripts/platter run models/configs/scenarios/random_4k.toml --set sim.measure_s=1"
            ).stdout.splitlines()
            if line.startswith("classes ")
        )
        for page in (*FOLLOWED, *OTHERS):
            for number, line in enumerate(page.read_text().splitlines(), 1):
                if line.startswith("classes  "):
                    self.assertEqual(line.split(), headings, f"{page.relative_to(SOURCE)}:{number}")

    def follow(self, page):
        steps = []
        for number, mark, said, language, contents in blocks(page):
            place = f"{page.relative_to(SOURCE)}:{number}"
            if mark == "not run" or language in ("c", "cpp"):  # quotes_test compares it
                continue
            if mark == "file":
                (SOURCE / said).parent.mkdir(parents=True, exist_ok=True)
                (SOURCE / said).write_text(contents)
            elif language == "sh":
                steps.append((contents, place, ""))
            else:
                self.assertTrue(
                    language == "text" and steps and not steps[-1][2],
                    f"{place}: neither a step nor what a step prints",
                )
                steps[-1] = (steps[-1][0], place, contents)
        self.assertEqual(any(text for _, _, text in steps), bool(steps), "nothing is shown")
        done = run("".join(f"{commands}\necho '{END}'\n" for commands, _, _ in steps))
        self.assertEqual(done.returncode, 0, done.stdout)
        for (commands, place, text), output in zip(steps, done.stdout.split(END), strict=False):
            self.compare(place, commands, text, output)

    def compare(self, place, commands, shown, output):
        printed = iter(lines(output))
        for line in lines(shown):
            self.assertIn(
                line,
                printed,
                f"{place}: {commands}\nprints no line {line!r} at its place in\n{output}",
            )


if __name__ == "__main__":
    unittest.main()
