# SPDX-License-Identifier: Apache-2.0
"""Where the model's executable is."""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from platter_lab import LabError, StudyFailed

# From here up to the project's root: platter_lab, lab, scripts.
ROOT = Path(__file__).resolve().parents[3]


def find_platter(given: Path | None) -> Path:
    """The model's executable: as given, as the variable PLATTER says, the project's release build, or the path's."""
    candidates = [given] if given else [Path(os.environ["PLATTER"])] if os.environ.get("PLATTER") else [
        ROOT / "build" / "release" / "models" / "platter", Path(shutil.which("platter") or "platter")]
    for candidate in candidates:
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate.resolve()
    raise LabError(f"{candidates[0]}: no such executable; build it with scripts/build release platter, or name it "
                   "with --platter")


@functools.cache
def _dies_with_us(platter: Path) -> tuple[str, ...]:
    """The beginning of a command that is killed when the thread that has started it ends, however that ends (util-linux). None for what cannot be
    started at all: so the system's own message comes."""
    setpriv = shutil.which("setpriv")
    try:
        with platter.open("rb") as file:
            starts = file.read(4)
    except OSError:
        return ()
    return (setpriv, "--pdeathsig", "KILL") if setpriv and starts.startswith((b"\x7fELF", b"#!")) else ()


def call_platter(platter: Path, arguments: list[str], *, folder: Path | None = None, stdin: str | None = None, command: str = "",
                 limit_s: float | None = None) -> str:
    """Standard output of the executable, run in a folder (default: this process's). LabError, with the `command` that repeats it by hand
    (default: what was run), if it refuses its input or cannot be run; StudyFailed if it fails, or takes longer than `limit_s`, when it is killed. It
    does not outlive this process."""
    command = command or shlex.join([str(platter), *arguments])
    try:
        done = subprocess.run([*_dies_with_us(platter), str(platter), *arguments], cwd=folder, input=stdin, capture_output=True, text=True, check=False,
                              timeout=limit_s)
    except subprocess.TimeoutExpired as error:
        raise StudyFailed(f"{command}\ntook longer than {limit_s:g} s") from error
    except OSError as error:
        raise LabError(f"{command}\n{platter}: {error.strerror}; expected the model's executable") from error
    except UnicodeDecodeError as error:
        raise LabError(f"{command}\n{platter}: its output is no text; expected the model's executable") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise (LabError if done.returncode == 2 else StudyFailed)(f"{command}\nfailed with exit code {done.returncode}: {said}")
    return done.stdout
