# SPDX-License-Identifier: Apache-2.0
"""One run as a job, which can be sent to another process or machine.

That one executes the job and keeps its result.
"""

from __future__ import annotations

import functools
import glob
import hashlib
import json
import os
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platter_lab import LabError, StudyFailed
from platter_lab.executable import call_platter, no_model
from platter_lab.files import write_parquet
from platter_lab.model import read_requests
from platter_lab.runs.store import Store

if TYPE_CHECKING:
    import polars as pl

Places = Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Failure:
    """A run that has no result."""

    message: str


@dataclass(frozen=True)
class Outcome:
    """Of a job, by its key."""

    key: str
    result: dict[str, Any] | Failure

    @property
    def failed(self) -> bool:
        return isinstance(self.result, Failure)


@dataclass(frozen=True)
class Inputs:
    """Digests of what a result depends on beside the seed, as they were when the key was made: of
    the executable, of the effective configuration without its seed, and of the contents that it
    names, by absolute name (`content_of`).
    """

    program: str
    configuration: str
    files: Mapping[str, str]


@dataclass(frozen=True)
class Job:
    """`scenario` is a scenario's file and what is overridden in it, as words of a command;
    `command` repeats the run by hand. `folder` is where it runs (None: this process's). With `logs`
    the log of requests is kept too; `summary` makes further values of it. All of the result is
    kept; with `places`, ways through its JSON, only what stands there is handed back.
    """

    key: str
    platter: Path
    folder: Path | None
    scenario: tuple[str, ...]
    seed: int
    command: str
    inputs: Inputs
    store: Store
    summary: Callable[[Path], dict[str, Any]] | None = None
    limit_s: float | None = None
    tries: int = 1
    logs: bool = False
    places: Places = ()

    def lost(self, message: str) -> Outcome:
        """Where whoever carried it out ended, each time that it was tried."""
        return Outcome(self.key, Failure(f"{self.command}\n{message}"))


def digest_of(file: Path) -> str:
    """Of a file's content; read only if it was written since this process has read it.

    LabError where it cannot be read.
    """
    try:
        status = file.stat()
        return _digest(
            file,
            (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns),
        )
    except OSError as error:
        raise LabError(f"{file}: {error.strerror}; expected a file that can be read") from error


@functools.lru_cache(maxsize=4096)
def _digest(file: Path, stamp: tuple[int, ...]) -> str:
    """`stamp`: where and when it was written."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def configuration_of(
    platter: Path, scenario: tuple[str, ...], folder: Path | None, command: str
) -> dict[str, Any]:
    """The effective one, as it is now. LabError where it cannot run."""
    try:
        configuration = tomllib.loads(
            call_platter(
                platter, ["config", "dump", *scenario, "--check"], folder=folder, command=command
            )
        )
    except ValueError as error:
        raise no_model(platter, command, "a configuration") from error
    if not configuration:
        raise no_model(platter, command, "a configuration")
    return configuration


# Of an engine: its sources, its list of files, and what $readmemh reads.
_RTL = (".sv", ".svh", ".v", ".vh", ".vlt", ".cpp", ".h", ".hpp", ".f", ".hex", ".mem")


def _files_of(name: str, folder: Path | None) -> list[str]:
    """What an absolute name in a configuration stands for: a file, or NAME.blktrace.0, .1, ... of a
    recorded trace; nothing for other texts. A policy of a user's own (`own:FILE.so(0.5)`) stands
    for its shared object, and an engine of a user's own (`own:DIR`, `lockstep:own:DIR`) for the
    sources in its folder and beside the files of its list. Their names count from the folder where
    the command runs.
    """
    if own := re.fullmatch(r"(?:lockstep:)?own:(.+?)(\([^()]*\))?", name):
        path = os.path.abspath(os.path.join(folder or "", own[1]))
        if os.path.isdir(path):
            return sorted(_sources(path))
        if not os.path.isfile(path):
            return []
        return sorted({path, *(_modules(os.path.dirname(path)) if path.endswith(".py") else ())})
    if not os.path.isabs(name) or os.path.isfile(name):
        return [name] if os.path.isabs(name) else []
    return sorted(
        part
        for part in glob.glob(f"{glob.escape(name)}.blktrace.*")
        if part.rpartition(".")[2].isdigit()
    )


def _sources(engine: str) -> set[str]:
    """What a run of the engine in this folder depends on."""
    names = Path(engine, "files.f")
    lines = names.read_text(errors="replace").split("\n") if names.is_file() else []
    listed = {os.path.normpath(os.path.join(engine, line.strip())) for line in lines}
    files = set(filter(os.path.isfile, listed))
    for folder in {engine, *map(os.path.dirname, files)}:
        files |= {
            file.path for file in os.scandir(folder) if file.is_file() and file.name.endswith(_RTL)
        }
    return files


def _modules(folder: str) -> Iterator[str]:
    """What a policy in Python may import from its folder: modules, and packages with all theirs."""
    for one in os.scandir(folder):
        if one.is_file() and one.name.endswith(".py"):
            yield one.path
        elif one.is_dir(follow_symlinks=False) and os.path.isfile(f"{one.path}/__init__.py"):
            yield from _modules(one.path)


def content_of(name: str, folder: Path | None = None) -> str:
    """Digest of what a text in a configuration names for a command that runs in `folder` (None:
    this process's); empty where it names no file.
    """
    files = _files_of(name, folder)
    return (
        digest_of(Path(name))
        if files == [name]
        else Store.key(name, *((file, digest_of(Path(file))) for file in files))
        if files
        else ""
    )


def but_seed(configuration: dict[str, Any], scenario: Path) -> str:
    """Digest of a configuration without its seed: a run has its own.

    Names of files may count from the scenario's folder, as they do in a result.
    """
    folder = os.path.abspath(scenario.parent)

    def absolute(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: absolute(item) for key, item in value.items()}
        if isinstance(value, list):
            return [absolute(item) for item in value]
        name = (
            os.path.normpath(os.path.join(folder, value))
            if isinstance(value, str) and value
            else ""
        )
        return name if _files_of(name, None) else value

    sim = {key: value for key, value in configuration.get("sim", {}).items() if key != "seed"}
    return Store.key(absolute({**configuration, "sim": sim}))


def value_at(result: dict[str, Any], place: Sequence[str]) -> Any:
    """None where it has nothing there."""
    value: Any = result
    for part in place:
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def parts_of(result: dict[str, Any], places: Places) -> dict[str, Any]:
    """A result with no more than what stands at these places; without places, all of it."""
    if not places:
        return result
    parts: dict[str, Any] = {}
    for place in places:
        value = value_at(result, place)
        if value is not None and not isinstance(value, dict | list):
            below = parts
            for part in place[:-1]:
                below = below.setdefault(part, {})
            below[place[-1]] = value
    return parts


def carry_out(job: Job) -> Outcome:
    """A result that is kept, or why there is none.

    What the model refuses is tried once, what fails `tries` times. StudyFailed where an input is no
    longer what the key was made of; LabError where the result cannot be kept.
    """
    if kept := _found(job):
        return kept
    for left in reversed(range(job.tries)):
        try:
            ran = _run(job)
            break
        except LabError as error:
            if left and isinstance(error, StudyFailed):
                continue
            failure = Outcome(job.key, Failure(str(error)))
        _expect_unchanged(job, _changed(job))  # the run may have failed because of that
        return failure
    return _keep(job, *ran)


def carry_out_or_raise(job: Job) -> Outcome:
    """As `carry_out`, but one try, and what it fails with is raised."""
    return _found(job) or _keep(job, *_run(job))


def _found(job: Job) -> Outcome | None:
    """What another has kept since the job was made.

    One whose worker was lost, or a second study.
    """
    result = job.store.read(job.key)
    return (
        None
        if result is None or (job.logs and not job.store.log(job.key).is_file())
        else Outcome(job.key, parts_of(result, job.places))
    )


def _run(job: Job) -> tuple[dict[str, Any], pl.DataFrame | None, list[str]]:
    """The result, the log of requests, and what has changed since the key was made."""
    with tempfile.TemporaryDirectory(prefix="platter-runs-") as name:
        result_file, log = Path(name) / "result.json", Path(name) / "requests.csv"
        words = ["run", *job.scenario, "--quiet", "--set", f"sim.seed={job.seed}"]
        words += ["--result", str(result_file)]
        call_platter(
            job.platter,
            [*words, *(["--requests", str(log)] if job.summary or job.logs else [])],
            folder=job.folder,
            command=job.command,
            limit_s=job.limit_s,
        )
        try:
            result = json.loads(result_file.read_text(encoding="utf-8"))
            ran_with = result.pop("configuration")  # is in the key
        except (FileNotFoundError, ValueError, KeyError, AttributeError) as error:
            raise no_model(job.platter, job.command, "a result") from error
        if job.summary:
            result["summary"] = job.summary(log)
        frame = read_requests(log) if job.logs else None
    return result, frame, _changed(job, ran_with)


def _changed(job: Job, ran_with: dict[str, Any] | None = None) -> list[str]:
    """What is not as it was when the job's key was made, by name.

    `ran_with` is the configuration in its result, None where it has none.
    """
    then = job.inputs
    changed = [str(job.platter)] if digest_of(job.platter) != then.program else []
    scenario = Path(job.folder or "", job.scenario[0])
    # What the result says tells that nothing has changed; where it has another form than the dump,
    # a second dump tells.
    if ran_with is None or but_seed(ran_with, scenario) != then.configuration:
        try:
            now = configuration_of(job.platter, job.scenario, job.folder, job.command)
            same = but_seed(now, scenario) == then.configuration
        except LabError as error:  # one that fails again says nothing of the configuration
            if isinstance(error, StudyFailed) and ran_with is not None:
                raise
            same = isinstance(error, StudyFailed)
        if not same:
            changed.append(f"the configuration of {job.scenario[0]}")
    return changed + [
        name for name, digest in then.files.items() if content_of(name, job.folder) != digest
    ]


def _expect_unchanged(job: Job, changed: list[str]) -> None:
    if changed:
        raise StudyFailed(
            f"{job.command}\n{', '.join(changed)}: changed while the study ran, so the result is "
            "not kept; start the study again"
        )


def _keep(
    job: Job, result: dict[str, Any], frame: pl.DataFrame | None, changed: list[str]
) -> Outcome:
    _expect_unchanged(job, changed)
    if frame is not None:
        write_parquet(frame, job.store.log(job.key))
    job.store.write(job.key, result)
    return Outcome(job.key, parts_of(result, job.places))
