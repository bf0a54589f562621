# SPDX-License-Identifier: Apache-2.0
"""What tests of the lab's commands share."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from platter_lab import cli

PLATTER = Path(os.environ["PLATTER"])


class LabCase(unittest.TestCase):
    """A folder a test."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="platter-lab-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, text: str, *changes: tuple[str, str]) -> Path:
        """A file of the text, after replacements."""
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        path = self.folder / name
        path.write_text(text)
        return path

    def executable(self, script: str) -> Path:
        """Python that may call the model's executable as `PLATTER`, with its arguments in
        sys.argv[1:]. It begins once for each run, so it has neither site packages nor pathlib."""
        path = self.folder / "platter"
        path.write_text(
            f"#!{sys.executable} -IS\nimport os, sys, time\n"
            f"PLATTER = {str(PLATTER)!r}\nFOLDER = {str(self.folder)!r}\n"
            "def there(name): return [one for one in os.listdir(FOLDER) if one.startswith(name)]\n"
            "def note(name, text=''):\n"
            "  with open(os.path.join(FOLDER, name), 'w') as file: file.write(text)\n"
            f"{script}\nos.execv(PLATTER, [PLATTER, *sys.argv[1:]])\n"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    @staticmethod
    def nothing_measured(when: str, without: str = "response_ms fairness_index") -> str:
        """A script for `executable`: of a run in which `when` holds, a discrete class in which no
        request has completed. `without` are the statistics that have no sample then."""
        return (
            f"if sys.argv[1] == 'run' and ({when}):\n"
            "  import json, subprocess\n  from pathlib import Path\n"
            "  code = subprocess.call([PLATTER, *sys.argv[1:]])\n"
            "  file = Path(sys.argv[sys.argv.index('--result') + 1])\n"
            "  result = json.loads(file.read_text())\n"
            "  one = result['classes']['discrete']\n"
            f"  for key in {without.split()!r}: "
            "one[key] = dict.fromkeys(one[key]) if isinstance(one[key], dict) else None\n"
            "  one |= {'completed': 0, 'outstanding': one['issued'], 'completions': 0, "
            "'waiting': {'requests': one['issued'], 'oldest_ms': 1234.5}}\n"
            "  file.write_text(json.dumps(result)); sys.exit(code)"
        )

    COUNTS = "if sys.argv[1] == 'run': note(f'ran-{os.getpid()}-{time.time_ns()}')"

    def runs(self) -> int:
        """Of an executable that COUNTS."""
        return len(list(self.folder.glob("ran-*")))

    def wait(self, what: Callable[[], object], seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not what() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertTrue(what())

    def words(
        self,
        command: str,
        file: Path,
        *options: str,
        output: str = "out.parquet",
        platter: Path = PLATTER,
    ) -> list[str]:
        """Of a sweep or a search, with the folder's cache and table."""
        places = ["--platter", str(platter), "--cache", str(self.folder / "kept")]
        return [command, str(file), *places, "-o", str(self.folder / output), *options]

    def process(
        self,
        command: str,
        file: Path,
        *options: str,
        stdout: Any = subprocess.DEVNULL,
        stderr: Any = subprocess.DEVNULL,
        **places: Any,
    ) -> subprocess.Popen[bytes]:
        """As `words`, begun as a process of its own."""
        words = self.words(command, file, *options, **places)
        command_line = [sys.executable, "-m", "platter_lab.cli", *words]
        return subprocess.Popen(command_line, stdout=stdout, stderr=stderr)

    def lab(self, *words: object) -> tuple[int, str, str]:
        """Exit code and what the command has printed."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main([str(word) for word in words])
        return code, out.getvalue(), err.getvalue()
