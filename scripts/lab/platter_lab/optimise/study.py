# SPDX-License-Identifier: Apache-2.0
"""The trials of a search, in a journal that several processes and nodes may share."""

from __future__ import annotations

import contextlib
import math
import os
import random
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, NSGAIISampler, RandomSampler, TPESampler
from optuna.storages import BaseStorage, InMemoryStorage, JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileSymlinkLock
from optuna.trial import FrozenTrial, Trial, TrialState

from platter_lab import LabError
from platter_lab.files import expect_writable_folder
from platter_lab.optimise.space import Assignment, Parameter, Range, Sampler, Space

_STUDY = "platter"
_RECORD, _OWNER, _SPACE = "record", "owner", "space"  # attributes of a trial, and of the study
_BEAT_S, _SILENT_S = 5.0, 60.0
_FINISHED = (TrialState.COMPLETE, TrialState.FAIL)
_UNCOUNTED = ("surplus", "repeated")
_DRAWS = 20  # by the sampler, until one is new
_RANDOM_DRAWS = 1000  # then, uniformly, where not all configurations can be listed
NOTHING_MEASURED = "nothing was measured"  # a record's message begins so

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)


@dataclass(frozen=True)
class Record:
    """What a trial has given.

    `status`: good, failed (a run failed), refused (by the model), infeasible (shown by its cost, so
    it was not run; or a run has no value of an objective or a constraint); surplus (asked for by
    two processes at the end) and repeated (two processes have chosen the same configuration at
    once) do not count. `samples`: of each quantity that every run has a value of, a value a seed;
    `sources`: of each cost.
    """

    status: str
    message: str = ""
    samples: Mapping[str, Sequence[float]] | None = None
    sources: Mapping[str, str] | None = None


def _distribution(parameter: Parameter) -> BaseDistribution:
    domain = parameter.domain
    if not isinstance(domain, Range):
        return CategoricalDistribution([step.label for step in domain])
    if domain.whole:
        return IntDistribution(
            int(domain.low), int(domain.high), log=domain.log, step=int(domain.step or 1)
        )
    return FloatDistribution(domain.low, domain.high, log=domain.log, step=domain.step)


# Of a configuration: the parameters that count, with their values.
_Key = tuple[tuple[str, Any], ...]


class _ByNumber(BaseSampler):
    """The sampler that is asked for, with a seed of its own for each trial: what a trial tries
    depends on the trials before it alone, not on where a search was interrupted. A configuration
    that has been tried is drawn again; after `_DRAWS` of them the choice is uniform among those
    that are left.
    """

    def __init__(
        self,
        sampler: Sampler,
        distributions: Mapping[str, BaseDistribution],
        key: Callable[[Mapping[str, Any]], _Key],
        tried: Callable[[FrozenTrial], set[_Key]],
        listed: Callable[[], Sequence[Mapping[str, Any]] | None],
    ) -> None:
        """`tried`: the configurations of the trials before one.

        `listed`: all configurations, or None.
        """
        self._what = sampler
        self._distributions = dict(distributions)
        self._key = key
        self._tried = tried
        self._listed = listed
        self._inner = self._made(0)
        self._chosen: dict[str, Any] = {}

    def _made(self, seed: int) -> BaseSampler:
        if self._what.name == "TPE":
            return TPESampler(seed=seed, n_startup_trials=self._what.startup)
        return NSGAIISampler(seed=seed, population_size=self._what.population)

    def _seed(self, number: int, draw: int) -> int:
        if draw == 0:
            return (self._what.seed * 1_000_003 + number) % (1 << 32)
        return int(np.random.SeedSequence((self._what.seed, number, draw)).generate_state(1)[0])

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        if "fixed_params" in trial.system_attrs:  # of one whose process was killed
            self._inner = self._made(self._seed(trial.number, 0))
            self._inner.before_trial(study, trial)
            self._chosen = {}
            return
        tried = self._tried(trial)
        for draw in range(_DRAWS):
            self._inner = self._made(self._seed(trial.number, draw))
            self._inner.before_trial(study, trial)
            self._chosen = self._drawn(self._inner, study, trial)
            if self._key(self._chosen) not in tried:
                return
        new = self._any_new(study, trial, tried)
        self._chosen = self._chosen if new is None else new

    def _drawn(
        self, sampler: BaseSampler, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, Any]:
        """As Optuna asks a sampler, which it does not ask for a value without alternative."""
        together = sampler.sample_relative(
            study, trial, sampler.infer_relative_search_space(study, trial)
        )
        drawn = {}
        for name, one in self._distributions.items():
            if isinstance(one, CategoricalDistribution) and one.single():
                drawn[name] = one.choices[0]
            elif isinstance(one, IntDistribution | FloatDistribution) and one.single():
                drawn[name] = one.low
            else:
                drawn[name] = (
                    together[name]
                    if name in together
                    else sampler.sample_independent(study, trial, name, one)
                )
        return drawn

    def _any_new(
        self, study: optuna.Study, trial: FrozenTrial, tried: set[_Key]
    ) -> dict[str, Any] | None:
        seed = self._seed(trial.number, _DRAWS)
        if (listed := self._listed()) is not None:
            left = [values for values in listed if self._key(values) not in tried]
            return dict(random.Random(seed).choice(left)) if left else None
        uniform = RandomSampler(seed=seed)
        drawn = (self._drawn(uniform, study, trial) for _ in range(_RANDOM_DRAWS))
        return next((values for values in drawn if self._key(values) not in tried), None)

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        return (
            self._distributions
            if self._chosen
            else self._inner.infer_relative_search_space(study, trial)
        )

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        return self._chosen or self._inner.sample_relative(study, trial, search_space)

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        return self._inner.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
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
    return (
        f"{socket.gethostname()} {boot.read_text().strip() if boot.exists() else ''} "
        f"{os.readlink('/proc/self/ns/pid')}"
    )


class _Owner:
    """This process as the owner of trials.

    Others on this machine see it by its number; those elsewhere by a file that it touches while it
    lives.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = {
            "machine": _machine(),
            "pid": os.getpid(),
            "start": _process_start(os.getpid()),
        }
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
                with contextlib.suppress(OSError):  # the next one may succeed
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
            with contextlib.suppress(OSError):  # others live
                self._folder.rmdir()

    def is_dead(self, owner: Mapping[str, Any] | None, begun: float) -> bool:
        """Of a trial's owner, None where that was killed before it had said so."""
        if owner is None:
            return time.time() - begun > _SILENT_S
        if owner["machine"] == self.name["machine"]:
            return bool(_process_start(owner["pid"]) != owner["start"])
        try:
            self._beat_file.touch()  # by the clock of the file system
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
        """Without a journal nothing is kept.

        `identity`: what has to be the same for trials of several calls to be of one search.
        LabError where the journal is no journal, or of another search.
        """
        self._space = space
        self._keys: dict[int, _Key | None] = {}
        self._distributions = {
            parameter.name: _distribution(parameter) for parameter in space.parameters
        }
        self._owner = _Owner(journal.with_name(journal.name + ".alive")) if journal else None
        storage = _storage(journal, self._owner.name if self._owner else {})
        try:
            sampler = _ByNumber(
                space.sampler, self._distributions, self._key, self._tried, lambda: space.listed
            )
            self._study = optuna.create_study(
                storage=storage,
                study_name=_STUDY,
                load_if_exists=True,
                sampler=sampler,
                directions=["maximize" if one.maximise else "minimize" for one in space.objectives],
            )
            there = self._study.user_attrs.get(_SPACE)
        except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
            raise LabError(
                f"{journal}: {error}; expected a journal of a search, or no file"
            ) from error
        if there is None:
            self._study.set_user_attr(_SPACE, dict(identity))
        elif there != identity:
            others = [name for name in identity if there.get(name) != identity[name]]
            raise LabError(
                f"{journal}: holds a search with different {', '.join(others)}; expected the same "
                "ones, or another --journal"
            )

    @contextlib.contextmanager
    def alive(self) -> Iterator[None]:
        """While this process begins trials."""
        with self._owner.alive() if self._owner else contextlib.nullcontext():
            yield

    def _trials(self) -> list[FrozenTrial]:
        return self._study.get_trials(deepcopy=False)

    def records(self) -> dict[int, tuple[Assignment, Record]]:
        """Of the trials that have ended, by number; one whose process was killed has none."""
        return {
            trial.number: (self.values_of(trial), record)
            for trial in self._trials()
            if trial.state in _FINISHED
            and (record := _record(trial))
            and record.status not in _UNCOUNTED
        }

    def left(self, goal: int) -> int:
        """How many configurations are still to be begun, of `goal` different ones in all."""
        return goal - self._different(
            trial for trial in self._trials() if trial.state != TrialState.WAITING
        )

    def exhausted(self) -> bool:
        """Whether every configuration of the space has been begun; False where these cannot be
        listed.
        """
        listed = self._space.listed
        return listed is not None and self._different(self._trials()) >= len(listed)

    def values_of(self, trial: Trial | FrozenTrial) -> dict[str, Any]:
        return self._tidy(trial.params)

    def _tidy(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return {
            parameter.name: parameter.domain.tidy(params[parameter.name])
            if isinstance(parameter.domain, Range)
            else params[parameter.name]
            for parameter in self._space.parameters
        }

    def _key(self, params: Mapping[str, Any]) -> _Key:
        return tuple(self._space.active(self._tidy(params)).items())

    def _key_of(self, trial: FrozenTrial) -> _Key | None:
        """None of a trial that does not count, or of which not all parameters are known yet."""
        if trial.number in self._keys:
            return self._keys[trial.number]
        params = trial.system_attrs.get("fixed_params", trial.params)
        key = (
            self._key(params)
            if _counts(trial) and all(name in params for name in self._distributions)
            else None
        )
        if trial.state in _FINISHED:  # nothing of it changes any more
            self._keys[trial.number] = key
        return key

    def _tried(self, trial: FrozenTrial) -> set[_Key]:
        return {
            key
            for one in self._trials()
            if one.number != trial.number and (key := self._key_of(one)) is not None
        }

    def _different(self, trials: Iterable[FrozenTrial]) -> int:
        """How many configurations they try; one of which not all parameters are known yet counts as
        a new one.
        """
        counted = [self._key_of(one) for one in trials if _counts(one)]
        return len(set(counted) - {None}) + counted.count(None)

    def ask(self, goal: int) -> tuple[Trial, dict[str, Any]] | None:
        """The next trial, whose configuration has not been tried yet, with the values of all
        parameters; None where others have begun all of `goal` meanwhile, or where no new
        configuration was found.
        """
        for _ in range(_DRAWS):
            if self.exhausted() and not any(
                one.state == TrialState.WAITING for one in self._trials()
            ):
                return None
            trial = self._study.ask(fixed_distributions=self._distributions)
            if self._owner and trial.user_attrs.get(_OWNER) != self._owner.name:
                trial.set_user_attr(_OWNER, self._owner.name)
            before = [one for one in self._trials() if one.number < trial.number]
            if self._different(before) >= goal:
                self.tell(trial, Record("surplus"))
                return None
            if self._key(trial.params) not in {self._key_of(one) for one in before}:
                return trial, self.values_of(trial)
            self.tell(trial, Record("repeated"))  # another process was first
        return None

    def tell(self, trial: Trial, record: Record) -> None:
        """Each objective's value is its mean over the seeds, to its resolution."""
        if record.status == "good":
            assert record.samples is not None
            for constraint in self._space.constraints:
                trial.set_constraint(
                    constraint.quantity.name,
                    constraint.violation(record.samples[constraint.quantity.name]),
                )
        # All that is needed to end it, should this process be killed here.
        trial.set_user_attr(_RECORD, asdict(record))
        self._end(trial, record)

    def _end(self, trial: Trial | int, record: Record) -> None:
        if record.status != "good":
            self._study.tell(trial, state=TrialState.FAIL)
            return
        assert record.samples is not None
        samples = [(one, record.samples[one.quantity.name]) for one in self._space.objectives]
        self._study.tell(
            trial, [one.coarse(math.fsum(values) / len(values)) for one, values in samples]
        )

    def under_way(self) -> int:
        """Trials that processes have begun and not ended."""
        return sum(trial.state == TrialState.RUNNING for trial in self._trials())

    def take_over(self) -> int:
        """Ends the trials of processes that were killed.

        Those without a record have their configurations tried again first. How many these are.
        """
        count = 0
        for trial in self._trials():
            if (
                trial.state != TrialState.RUNNING
                or self._owner is None
                or trial.user_attrs.get(_OWNER) == self._owner.name
            ):
                continue
            begun = trial.datetime_start.timestamp() if trial.datetime_start else 0.0
            if self._owner.is_dead(trial.user_attrs.get(_OWNER), begun):
                record = _record(trial)
                try:
                    self._end(trial.number, record or Record("killed"))
                except (
                    ValueError,
                    optuna.exceptions.UpdateFinishedTrialError,
                ):  # another process was first
                    continue
                if record is None and all(name in trial.params for name in self._distributions):
                    self._study.enqueue_trial(trial.params)
                    count += 1
                self._owner.forget(trial.user_attrs.get(_OWNER))
        return count


def _record(trial: FrozenTrial) -> Record | None:
    kept = trial.user_attrs.get(_RECORD)
    return Record(**kept) if kept else None


def _counts(trial: FrozenTrial) -> bool:
    """Towards the number of trials that is asked for: not one whose process was killed, which is
    tried again under another number.
    """
    if trial.state in (TrialState.RUNNING, TrialState.WAITING):
        return True
    record = _record(trial)
    return record is not None and record.status not in _UNCOUNTED


class _OwnedStorage(JournalStorage):
    """A trial has its owner from the record on that begins it: a process may be killed after any
    record.
    """

    def __init__(self, backend: JournalFileBackend, owner: Mapping[str, Any]) -> None:
        super().__init__(backend)
        self._owner = dict(owner)

    def create_new_trial(self, study_id: int, template_trial: FrozenTrial | None = None) -> int:
        return super().create_new_trial(
            study_id,
            template_trial
            or optuna.trial.create_trial(
                state=TrialState.RUNNING, user_attrs={_OWNER: self._owner}
            ),
        )

    def set_trial_state_values(
        self, trial_id: int, state: TrialState, values: Sequence[float] | None = None
    ) -> bool:
        if state == TrialState.RUNNING and self.get_trial(trial_id).state == TrialState.WAITING:
            self.set_trial_user_attr(trial_id, _OWNER, self._owner)
        return super().set_trial_state_values(trial_id, state, values)


def _storage(journal: Path | None, owner: Mapping[str, Any]) -> BaseStorage:
    if journal is None:
        return InMemoryStorage()
    expect_writable_folder(journal.parent, "the journal of a search")
    journal.parent.mkdir(parents=True, exist_ok=True)
    try:
        _mend(journal)
        return _OwnedStorage(JournalFileBackend(str(journal)), owner)
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
