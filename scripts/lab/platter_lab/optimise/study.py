# SPDX-License-Identifier: Apache-2.0
"""The trials of a search, in a journal that several processes and nodes may share."""

from __future__ import annotations

import contextlib
import math
import os
import socket
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, NSGAIISampler, TPESampler
from optuna.storages import BaseStorage, InMemoryStorage, JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileSymlinkLock
from optuna.trial import FrozenTrial, Trial, TrialState

from platter_lab import LabError
from platter_lab.files import expect_writable_folder
from platter_lab.optimise.space import Assignment, Parameter, Range, Sampler, Space

_STUDY = "platter"
_RECORD, _OWNER, _SPACE = "record", "owner", "space"   # attributes of a trial, and of the study
_BEAT_S, _SILENT_S = 5.0, 60.0
_FINISHED = (TrialState.COMPLETE, TrialState.FAIL)

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)


@dataclass(frozen=True)
class Record:
    """What a trial has given. `status`: good, failed (a run failed), refused (by the model), infeasible (shown by its cost, so it was not run), surplus
    (asked for by two processes at the end; it does not count). `samples`: of each quantity, a value a seed; `sources`: of each cost."""

    status: str
    message: str = ""
    samples: Mapping[str, Sequence[float]] | None = None
    sources: Mapping[str, str] | None = None


def _distribution(parameter: Parameter) -> BaseDistribution:
    domain = parameter.domain
    if not isinstance(domain, Range):
        return CategoricalDistribution([step.label for step in domain])
    if domain.whole:
        return IntDistribution(int(domain.low), int(domain.high), log=domain.log, step=int(domain.step or 1))
    return FloatDistribution(domain.low, domain.high, log=domain.log, step=domain.step)


class _ByNumber(BaseSampler):
    """The sampler that is asked for, with a seed of its own for each trial: what a trial tries depends on the trials before it alone, not on where a search
    was interrupted."""

    def __init__(self, sampler: Sampler) -> None:
        self._what = sampler
        self._inner = self._made(0)

    def _made(self, number: int) -> BaseSampler:
        seed = (self._what.seed * 1_000_003 + number) % (1 << 32)
        if self._what.name == "TPE":
            return TPESampler(seed=seed, n_startup_trials=self._what.startup)
        return NSGAIISampler(seed=seed, population_size=self._what.population)

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        self._inner = self._made(trial.number)
        self._inner.before_trial(study, trial)

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        return self._inner.infer_relative_search_space(study, trial)

    def sample_relative(self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        return self._inner.sample_relative(study, trial, search_space)

    def sample_independent(self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        return self._inner.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        self._inner.after_trial(study, trial, state, values)


def _process_start(pid: int) -> str:
    """When a process of this machine has started; "" where there is none, or it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def _machine() -> str:
    """In which process numbers mean the same."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return f"{socket.gethostname()} {boot.read_text().strip() if boot.exists() else ''} {os.readlink('/proc/self/ns/pid')}"


class _Owner:
    """This process as the owner of trials. Others on this machine see it by its number; those elsewhere by a file that it touches while it lives."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = {"machine": _machine(), "pid": os.getpid(), "start": _process_start(os.getpid())}
        self._beat_file = self._file(self.name)

    def _file(self, owner: Mapping[str, Any]) -> Path:
        return self._folder / f"{str(owner['machine']).split()[0]}-{owner['pid']}-{owner['start']}"

    @contextlib.contextmanager
    def alive(self) -> Iterator[None]:
        expect_writable_folder(self._folder, "signs of life of the searching processes")
        self._folder.mkdir(parents=True, exist_ok=True)
        ended = threading.Event()

        def beat() -> None:
            while not ended.wait(_BEAT_S):
                with contextlib.suppress(OSError):   # the next one may succeed
                    self._beat_file.touch()

        self._beat_file.touch()
        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            self._beat_file.unlink(missing_ok=True)
            with contextlib.suppress(OSError):   # others live
                self._folder.rmdir()

    def is_dead(self, owner: Mapping[str, Any] | None, begun: float) -> bool:
        """Of a trial's owner, None where that was killed before it had said so."""
        if owner is None:
            return time.time() - begun > _SILENT_S
        if owner["machine"] == self.name["machine"]:
            return _process_start(owner["pid"]) != owner["start"]
        try:
            self._beat_file.touch()   # by the clock of the file system
            return self._beat_file.stat().st_mtime - self._file(owner).stat().st_mtime > _SILENT_S
        except FileNotFoundError:
            return True

    def forget(self, owner: Mapping[str, Any] | None) -> None:
        """Of a dead one nothing is left."""
        if owner is not None:
            self._file(owner).unlink(missing_ok=True)


class Study:
    """Trials are numbered in the order in which they are begun, over all processes."""

    def __init__(self, space: Space, journal: Path | None, identity: Mapping[str, str]) -> None:
        """Without a journal nothing is kept. `identity`: what has to be the same for trials of several calls to be of one search. LabError where the journal
        is no journal, or of another search."""
        self._space = space
        self._distributions = {parameter.name: _distribution(parameter) for parameter in space.parameters}
        self._owner = _Owner(journal.with_name(journal.name + ".alive")) if journal else None
        storage = _storage(journal)
        try:
            self._study = optuna.create_study(storage=storage, study_name=_STUDY, load_if_exists=True, sampler=_ByNumber(space.sampler),
                                              directions=["maximize" if one.maximise else "minimize" for one in space.objectives])
            there = self._study.user_attrs.get(_SPACE)
        except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
            raise LabError(f"{journal}: {error}; expected a journal of a search, or no file") from error
        if there is None:
            self._study.set_user_attr(_SPACE, dict(identity))
        elif there != identity:
            others = [name for name in identity if there.get(name) != identity[name]]
            raise LabError(f"{journal}: holds a search with other {', '.join(others)}; expected the same, or another --journal")

    @contextlib.contextmanager
    def alive(self) -> Iterator[None]:
        """While this process begins trials."""
        with self._owner.alive() if self._owner else contextlib.nullcontext():
            yield

    def _trials(self) -> list[FrozenTrial]:
        return self._study.get_trials(deepcopy=False)

    def records(self) -> dict[int, tuple[Assignment, Record]]:
        """Of the trials that have ended, by number; one whose process was killed has none."""
        return {trial.number: (self.values_of(trial), record) for trial in self._trials()
                if trial.state in _FINISHED and (record := _record(trial)) and record.status != "surplus"}

    def left(self, goal: int) -> int:
        """How many trials are still to be begun, of `goal` in all."""
        return goal - sum(_counts(trial) for trial in self._trials() if trial.state != TrialState.WAITING)

    def values_of(self, trial: Trial | FrozenTrial) -> dict[str, Any]:
        return {parameter.name: parameter.domain.tidy(trial.params[parameter.name]) if isinstance(parameter.domain, Range) else trial.params[parameter.name]
                for parameter in self._space.parameters}

    def ask(self, goal: int) -> tuple[Trial, dict[str, Any]] | None:
        """The next trial, with the values of all parameters; None where others have begun all of `goal` meanwhile."""
        trial = self._study.ask(fixed_distributions=self._distributions)
        if self._owner:
            trial.set_user_attr(_OWNER, self._owner.name)
        before = sum(_counts(one) for one in self._trials() if one.number < trial.number)
        if before >= goal:
            self.tell(trial, Record("surplus"))
            return None
        return trial, self.values_of(trial)

    def tell(self, trial: Trial, record: Record) -> None:
        """Each objective's value is its mean over the seeds, to its resolution."""
        trial.set_user_attr(_RECORD, asdict(record))
        if record.status != "good":
            self._study.tell(trial, state=TrialState.FAIL)
            return
        assert record.samples is not None
        for constraint in self._space.constraints:
            trial.set_constraint(constraint.quantity.name, constraint.violation(record.samples[constraint.quantity.name]))
        samples = [(one, record.samples[one.quantity.name]) for one in self._space.objectives]
        self._study.tell(trial, [one.coarse(math.fsum(values) / len(values)) for one, values in samples])

    def take_over(self) -> int:
        """Ends the trials of processes that were killed, and has their configurations tried again first. How many."""
        count = 0
        for trial in self._trials():
            if trial.state != TrialState.RUNNING or self._owner is None or trial.user_attrs.get(_OWNER) == self._owner.name:
                continue
            begun = trial.datetime_start.timestamp() if trial.datetime_start else 0.0
            if self._owner.is_dead(trial.user_attrs.get(_OWNER), begun):
                try:
                    self._study.tell(trial.number, state=TrialState.FAIL)
                except (ValueError, optuna.exceptions.UpdateFinishedTrialError):   # another process was first
                    continue
                self._study.enqueue_trial(trial.params)
                self._owner.forget(trial.user_attrs.get(_OWNER))
                count += 1
        return count


def _record(trial: FrozenTrial) -> Record | None:
    kept = trial.user_attrs.get(_RECORD)
    return Record(**kept) if kept else None


def _counts(trial: FrozenTrial) -> bool:
    """Towards the number of trials that is asked for: not one whose process was killed, which is tried again under another number."""
    if trial.state in (TrialState.RUNNING, TrialState.WAITING):
        return True
    record = _record(trial)
    return record is not None and record.status != "surplus"


def _storage(journal: Path | None) -> BaseStorage:
    if journal is None:
        return InMemoryStorage()
    expect_writable_folder(journal.parent, "the journal of a search")
    journal.parent.mkdir(parents=True, exist_ok=True)
    try:
        _mend(journal)
        return JournalStorage(JournalFileBackend(str(journal)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise LabError(f"{journal}: {error}; expected a journal of a search, or no file") from error


def _mend(journal: Path) -> None:
    """Takes away half a line at the end, of a process that was killed while it wrote."""
    if not journal.exists() or _is_whole(journal):
        return
    lock = JournalFileSymlinkLock(str(journal))
    lock.acquire()
    try:
        content = journal.read_bytes()
        if not content.startswith(b'{"op_code":'):
            raise ValueError("does not begin as a journal")
        os.truncate(journal, content.rfind(b"\n") + 1)
    finally:
        lock.release()


def _is_whole(journal: Path) -> bool:
    with journal.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
