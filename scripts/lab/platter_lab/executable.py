# SPDX-License-Identifier: Apache-2.0
"""Finds the model's executable and runs it."""

from __future__ import annotations

import argparse
import contextvars
import functools
import json
import os
import shlex
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from platter_lab import LabError, StudyFailed

# From here up to the project's root: platter_lab, lab, scripts. There is no project around a
# package that was installed from a wheel.
ROOT = Path(__file__).resolve().parents[3]
HAS_TREE = (ROOT / "models" / "configs").is_dir() and (ROOT / "scripts" / "lab").is_dir()


def expect_tree(command: str) -> None:
    """LabError where the package is installed without the project's source tree."""
    if not HAS_TREE:
        raise LabError(
            f"{command}: needs files of the project's source tree, but this package is installed "
            f"without it ({Path(__file__).parent}); expected a call of scripts/platter-lab "
            f"{command} in a source tree"
        )


def how_to_install(group: str) -> str:
    """What brings the packages of a group: in the source tree, or of this package as it is
    installed.
    """
    return f"scripts/setup {group}" if HAS_TREE else f"pip install 'platter-lab[{group}]'"


def kept_folder(command: str) -> Path:
    """Where a command keeps what it may make again: in the tree's build folder; without a tree in
    the user's cache (XDG).
    """
    if HAS_TREE:
        return ROOT / "build" / command
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if os.path.isabs(cache) else Path.home() / ".cache") / "platter" / command


def add_platter(parser: argparse.ArgumentParser) -> None:
    """The option whose value find_platter takes."""
    parser.add_argument(
        "--platter",
        type=Path,
        help="the model's executable; default: $PLATTER, the release build, or the one on the path",
    )


def find_platter(given: Path | None) -> Path:
    """The model's executable: as given, as the variable PLATTER says, the project's release build,
    or the path's.
    """
    candidates = (
        [given]
        if given
        else [Path(os.environ["PLATTER"])]
        if os.environ.get("PLATTER")
        else [
            *([ROOT / "build" / "release" / "models" / "platter"] if HAS_TREE else []),
            Path(shutil.which("platter") or "platter"),
        ]
    )
    for candidate in candidates:
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate.resolve()
    how = "build it with scripts/build release platter" if HAS_TREE else "install it on the path"
    raise LabError(f"{candidates[0]}: no such executable; {how}, or name it with --platter")


def no_model(platter: Path, command: str, what: str) -> LabError:
    """That an executable which ran without a failure cannot be the model's."""
    return LabError(f"{command}\n{platter}: did not give {what}; expected the model's executable")


@functools.cache
def _dies_with_us(platter: Path) -> tuple[str, ...]:
    """The beginning of a command that is killed when the thread that has started it ends, however
    that ends (util-linux). None for what cannot be started at all: so the system's own message
    comes.
    """
    setpriv = shutil.which("setpriv")
    try:
        with platter.open("rb") as file:
            starts = file.read(4)
    except OSError:
        return ()
    return (
        (setpriv, "--pdeathsig", "KILL")
        if setpriv and starts.startswith((b"\x7fELF", b"#!"))
        else ()
    )


_LONGEST_S = 2e6  # that the system's poll() can wait for

_owner: contextvars.ContextVar[str] = contextvars.ContextVar("owner", default="")
_lock = threading.Lock()
_running: dict[subprocess.Popen[str], str] = {}  # calls under way that have an owner
_ended: set[str] = set()


@contextmanager
def owned_by(owner: str) -> Iterator[None]:
    """What this thread calls meanwhile belongs to `owner`, so that another thread can end it."""
    token = _owner.set(owner)
    try:
        yield
    finally:
        _owner.reset(token)


def end_calls(owner: str) -> None:
    """Kills the owner's calls under way in this process; later ones are refused.

    Each raises StudyFailed.
    """
    with _lock:
        _ended.add(owner)
        for process in [one for one, whose in _running.items() if whose == owner]:
            process.kill()


@contextmanager
def _started(
    command: list[str], folder: Path | None, gives_input: bool
) -> Iterator[subprocess.Popen[str]]:
    """A process that is killed where the block is left while it runs.

    StudyFailed where its owner has been ended.
    """
    owner = _owner.get()
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.PIPE if gives_input else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            if owner:
                with _lock:
                    _running[process] = owner
                    if owner in _ended:
                        process.kill()
                        raise StudyFailed("the study was stopped")
            yield process
        finally:
            process.kill()  # nothing where it has ended and been waited for
            with _lock:
                _running.pop(process, None)


def result_schema(platter: Path) -> dict[str, Any]:
    """The executable's schema of results, without references."""
    schema: dict[str, Any] = json.loads(call_platter(platter, ["config", "schema", "result"]))
    definitions = schema.pop("$defs", {})

    def whole(node: Any) -> Any:
        if isinstance(node, list):
            return [whole(one) for one in node]
        if not isinstance(node, dict):
            return node
        name = str(node.get("$ref", "")).removeprefix("#/$defs/")
        return whole(definitions[name]) if name else {k: whole(one) for k, one in node.items()}

    found: dict[str, Any] = whole(schema)
    return found


def schema_of_kind(schema: Any, kind: str) -> dict[str, Any]:
    """What the schema of results says of those of this host.kind."""
    while isinstance(schema, dict) and "if" in schema:
        node = schema["if"]
        for key in ("configuration", "host", "kind"):
            node = node.get("properties", {}).get(key, {})
        schema = schema.get("then" if node.get("const") == kind else "else") or {}
    return schema if isinstance(schema, dict) else {}


def call_platter(
    platter: Path,
    arguments: list[str],
    *,
    folder: Path | None = None,
    stdin: str | None = None,
    command: str = "",
    limit_s: float | None = None,
) -> str:
    """Standard output of the executable, run in a folder (default: this process's).

    LabError, with the `command` that repeats it by hand (default: what was run), if it refuses its
    input or cannot be run; StudyFailed if it fails, or takes longer than `limit_s`, when it is
    killed. From 2,000,000 s on there is no limit. It does not outlive this process.
    """
    limit_s = limit_s if limit_s is not None and limit_s < _LONGEST_S else None
    command = command or shlex.join([str(platter), *arguments])
    try:
        with _started(
            [*_dies_with_us(platter), str(platter), *arguments], folder, stdin is not None
        ) as process:
            out, err = process.communicate(stdin, limit_s)
    except subprocess.TimeoutExpired as error:
        raise StudyFailed(f"{command}\ntook longer than {limit_s:g} s") from error
    except OSError as error:
        raise LabError(
            f"{command}\n{platter}: {error.strerror}; expected the model's executable"
        ) from error
    except UnicodeDecodeError as error:
        raise LabError(
            f"{command}\n{platter}: its output is not text; expected the model's executable"
        ) from error
    if process.returncode != 0:
        said = (err or out).strip()[-2000:]
        raise (LabError if process.returncode == 2 else StudyFailed)(
            f"{command}\nfailed with exit code {process.returncode}: {said}"
        )
    return out
