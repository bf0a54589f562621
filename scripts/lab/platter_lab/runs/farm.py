# SPDX-License-Identifier: Apache-2.0
"""Runs that Dask workers on other machines execute.

The workers belong to a running scheduler, or to Slurm jobs of this process.

Workers see the folder of kept runs, the executable and the scenarios under the same names (a shared
file system). A worker keeps each run as soon as it has ended. A worker that is lost therefore loses
only the runs that it was executing, and the scheduler gives them to other workers.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib.util
import json
import logging
import os
import queue
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from platter_lab import LabError, StudyFailed, __version__
from platter_lab.executable import end_calls, how_to_install, owned_by
from platter_lab.runs.executor import has_failed, progress
from platter_lab.runs.job import digest_of

Item = TypeVar("Item")
Result = TypeVar("Result")

_CONNECT_S = 5.0
_SILENCE_S = 1.0  # between looks at whether there still are workers
_MOST_HANDSHAKE = 1 << 20  # bytes


@dataclass(frozen=True)
class Shared:
    """What workers must see as this process does. `token` is a file in the folder of kept runs."""

    platter: Path
    digest: str
    token: Path
    version: str = __version__  # of this package


def unlike(shared: Shared) -> str:
    """What this process does not see as the study does; empty where it sees all."""
    where = socket.gethostname()
    if not shared.token.is_file():
        return (
            f"{shared.token.parent}: a worker on {where} does not see what the study writes "
            "there; expected a folder for kept runs (--cache) on a file system that all workers "
            "share"
        )
    try:
        digest = digest_of(shared.platter)
    except LabError as error:
        return f"a worker on {where}: {error}, the executable, under the same name on all workers"
    if digest != shared.digest:
        return (
            f"{shared.platter}: a worker on {where} has another content of it; expected the same "
            "executable on all workers"
        )
    return (
        ""
        if shared.version == __version__
        else (
            f"a worker on {where}: found platter_lab {__version__}, expected {shared.version}, as "
            "where the study runs"
        )
    )


@functools.cache
def _unlike(shared: Shared) -> str:
    """Once in a worker's life."""
    return unlike(shared)


def _carry_out(item: Any, work: Callable[[Any], Any], shared: Shared, owner: str) -> Any:
    """In a worker."""
    if wrong := _unlike(shared):
        raise LabError(wrong)
    with owned_by(owner):
        return work(item)


class SupplyIf(Protocol):
    """Where workers come from."""

    address: str
    wait_s: float  # for the first worker, and for another when none is left
    name: str  # for messages

    def begin(self) -> None:
        """Asks for workers, where there are none yet."""

    def seen(self) -> str:
        """What can be said of workers that do not come."""

    def give_up(self) -> bool:
        """Whether it is known that the first worker will not come."""


class _Gone(StudyFailed):
    """There is no scheduler any more: nobody can be told to stop."""

    def __init__(self, supply: SupplyIf) -> None:
        super().__init__(
            f"{supply.name}: the scheduler at {supply.address} is gone; the runs that finished "
            "are kept"
        )


@contextlib.contextmanager
def _answers(supply: SupplyIf) -> Iterator[None]:
    """Around what the scheduler is asked."""
    try:
        yield
    except (OSError, TimeoutError) as error:
        raise _Gone(supply) from error


class Farm:
    """An `ExecutorIf`. Nothing is asked of workers, nor waited for, before the first work."""

    def __init__(self, client: Any, supply: SupplyIf, shared: Shared, jobs: int) -> None:
        self.jobs = jobs
        self._client = client
        self._supply = supply
        self._shared = shared
        self._ready = False

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        what: str,
        lost: Callable[[Item, str], Result] | None = None,
    ) -> list[Result]:
        """What has begun when one fails, or when this is interrupted, is killed."""
        if not items:
            return []
        self._prepare()
        owner = f"platter-{secrets.token_hex(8)}"
        done: queue.SimpleQueue[int] = queue.SimpleQueue()
        results: dict[int, Result] = {}
        futures: dict[int, Any] = {}
        alone = time.monotonic()
        with progress(len(items), what) as tell:
            try:
                # Keys in the order of the items: the scheduler begins with the first.
                submitted = self._client.map(
                    _carry_out,
                    list(items),
                    work=work,
                    shared=self._shared,
                    owner=owner,
                    pure=False,
                    retries=0,
                    batch_size=1000,
                    key=[f"{owner}-{number:07}" for number in range(len(items))],
                )
                futures.update(enumerate(submitted))
                del submitted
                for number, future in futures.items():
                    future.add_done_callback(lambda _, number=number: done.put(number))
                while futures:
                    try:
                        number = done.get(timeout=_SILENCE_S)
                        results[number] = self._result(futures[number], items[number], lost)
                    except (queue.Empty, TimeoutError) as silence:
                        if isinstance(silence, TimeoutError):
                            # Its worker was lost with the result, which is looked up or made again.
                            done.put(number)
                        alone = time.monotonic() if self._workers() else alone
                        if time.monotonic() - alone > self._supply.wait_s:
                            raise StudyFailed(
                                f"{self._supply.name}: no worker is left; the runs that finished "
                                f"are kept. {self._supply.seen()}"
                            ) from None
                        continue
                    futures.pop(number).release()
                    alone = time.monotonic()
                    tell(has_failed(results[number]))
            except _Gone:
                raise
            except BaseException:
                self._stop(owner, list(futures.values()))
                raise
        return [results[number] for number in range(len(items))]

    def _result(
        self, future: Any, item: Item, lost: Callable[[Item, str], Result] | None
    ) -> Result:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            result: Result = future.result(timeout=3 * _SILENCE_S)
            return result
        except KilledWorker as error:
            message = (
                f"{self._supply.name}: {error.allowed_failures + 1} workers ended while they "
                f"carried this out, the last was {error.last_worker.address}"
            )
            if lost is None:
                raise StudyFailed(message) from error
            return lost(item, message)
        except CancelledError as error:
            raise _Gone(self._supply) from error
        except (LabError, TimeoutError):
            raise
        except Exception as error:  # of Dask itself, or of a worker that is unlike this process
            raise StudyFailed(f"{self._supply.name}: {type(error).__name__}: {error}") from error

    def _workers(self) -> int:
        with _answers(self._supply):
            return len(self._client.nthreads())

    def _prepare(self) -> None:
        """StudyFailed where no worker comes in time, LabError where one is unlike this process."""
        if self._ready:
            return
        self._supply.begin()
        begin = time.monotonic()
        while not self._workers():
            if time.monotonic() - begin > self._supply.wait_s or self._supply.give_up():
                raise StudyFailed(
                    f"{self._supply.name}: no worker within {time.monotonic() - begin:.0f} s. "
                    f"{self._supply.seen()}"
                )
            time.sleep(0.1)
        try:
            with _answers(self._supply):
                expect_same_versions(self._client.get_versions())
                wrong = next(filter(None, self._client.run(unlike, self._shared).values()), "")
        except ImportError as error:
            raise LabError(
                f"{self._supply.name}: a worker: {error}; expected workers whose Python has "
                "platter_lab"
            ) from error
        if wrong:
            raise LabError(wrong)
        self._ready = True

    def _stop(self, owner: str, futures: list[Any]) -> None:
        """Cancels what has not begun, and kills what has."""
        with contextlib.suppress(Exception):  # what has led here is what is raised
            self._client.cancel(futures, force=True)
            self._client.run(end_calls, owner, on_error="ignore")


def expect_same_versions(versions: Mapping[str, Any]) -> None:
    """Of what Dask's `get_versions` gives: LabError where scheduler or a worker has another Dask or
    Python than this process.
    """

    def of(one: Any) -> dict[str, str]:
        return {
            "Dask": one["packages"]["distributed"],
            "Python": ".".join(one["packages"]["python"].split(".")[:2]),
        }

    here = of(versions["client"])
    for name, other in {
        "the scheduler": versions["scheduler"],
        **{f"worker {address}": one for address, one in versions["workers"].items()},
    }.items():
        for what, version in of(other).items() if other else ():
            if version != here[what]:
                raise LabError(
                    f"{name}: found {what} {version}, expected {here[what]}, as in this process"
                )


class _Given:
    """Workers of a scheduler that others have started."""

    def __init__(self, address: str, wait_s: float) -> None:
        self.address = f"tcp://{address}"
        self.name = f"dask://{address}"
        self.wait_s = wait_s

    def begin(self) -> None:
        """They are there, or come of themselves."""

    def seen(self) -> str:
        return (
            f"The scheduler is there and has no worker; expected `dask worker {self.address}` on "
            "some machine"
        )

    def give_up(self) -> bool:
        return False


class _Slurm:
    """Jobs of this study alone, as many as there is work for; one that is lost is replaced."""

    def __init__(self, cluster: Any, jobs: int, wait_s: float) -> None:
        self.name = "slurm"
        self.address = cluster.scheduler_address
        self.wait_s = wait_s
        self._cluster = cluster
        self._logs = Path(cluster._dummy_job.log_directory)
        self._begin = time.time()
        self._looked = 0.0
        self._most = max(1, jobs // cluster._dummy_job.worker_process_threads)

    def begin(self) -> None:
        self._begin = time.time()
        # A run takes long for a task: as many workers as there are runs, at once.
        self._cluster.adapt(minimum=1, maximum=self._most, target_duration="100ms")

    def _errors(self) -> list[Path]:
        """Standard error of each job that has begun, the last first."""
        files = [
            file for file in self._logs.glob("*.err") if file.stat().st_mtime >= self._begin - 1
        ]
        return sorted(files, key=lambda file: file.stat().st_mtime, reverse=True)

    def _states(self) -> str:
        jobs = _call(
            "squeue",
            "--noheader",
            "--me",
            f"--name={self._cluster._dummy_job.job_name}",
            "--format=job %i %T %r",
        ).stdout
        return "; ".join(jobs.split("\n")[:-1])

    def seen(self) -> str:
        lines = [f"squeue: {self._states() or 'no job'}"]
        errors = self._errors()
        if errors:
            words = errors[0].read_text(encoding="utf-8", errors="replace").strip()
            lines.append(f"{errors[0]}:\n{words[-1500:]}")
        else:
            lines.append(
                f"{self._logs}: no job has begun, so none has written its standard error here"
            )
        return "\n".join(lines)

    def give_up(self) -> bool:
        """The job has begun, and is no more."""
        if time.monotonic() - self._looked < 2 * _SILENCE_S:
            return False
        self._looked = time.monotonic()
        return bool(self._errors()) and not self._states()


def _call(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def slurm_options(given: Sequence[str], known: Sequence[str]) -> dict[str, Any]:
    """KEY=VALUE, as in `jobqueue.slurm` of Dask's configuration; VALUE is JSON, or else text.

    LabError where it has no such key.
    """
    options: dict[str, Any] = {}
    for one in given:
        key, equals, value = one.partition("=")
        key = {"partition": "queue"}.get(key, key).replace("-", "_")
        if not equals or key not in known:
            raise LabError(
                f"--slurm: found {one}, expected KEY=VALUE with one of {', '.join(sorted(known))}"
            )
        try:
            options[key] = json.loads(value)
        except ValueError:
            options[key] = value
    return options


def _dask(with_queue: bool) -> None:
    """LabError where the packages are not installed."""
    for package in ("distributed", *(["dask_jobqueue"] if with_queue else [])):
        if importlib.util.find_spec(package) is None:
            raise LabError(
                f"--on: the Python package {package} is not installed; install it with: "
                f"{how_to_install('farm')}"
            )
    import distributed  # noqa: F401 - makes its loggers

    for name in (
        "distributed",
        *(name for name in logging.root.manager.loggerDict if name.startswith("distributed.")),
    ):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is said by the study


_SCHEDULER = (
    "expected the address of a Dask scheduler, as `dask scheduler` prints it "
    '("Scheduler at: tcp://HOST:PORT")'
)


def _first_words(address: str) -> bytes:
    """What listens at HOST:PORT says first; what a client of the web gets, if it says nothing.

    OSError where nothing answers in some seconds.
    """
    host, _, port = address.rpartition(":")
    at = (host.removeprefix("[").removesuffix("]"), int(port))
    begin = time.monotonic()
    while True:  # one that has just been started does not listen yet
        try:
            socket.create_connection(at, timeout=_CONNECT_S).close()
            break
        except ConnectionRefusedError:
            if time.monotonic() - begin > _CONNECT_S:
                raise
            time.sleep(0.1)
    for asked in (b"", b"GET / HTTP/1.0\r\n\r\n"):
        with socket.create_connection(at, timeout=_CONNECT_S) as connection:
            connection.settimeout(_CONNECT_S if asked else _SILENCE_S)
            try:
                connection.sendall(asked)
                if words := connection.recv(200):
                    return words
            except TimeoutError:
                continue
    raise TimeoutError


async def _identity(address: str) -> Any:
    """What a part of Dask says of itself."""
    from distributed.comm.core import connect

    comm: Any = await connect(  # type: ignore[no-untyped-call]  # Dask has no types there
        f"tcp://{address}", timeout=_CONNECT_S
    )
    try:
        await comm.write({"op": "identity", "reply": True})
        return await comm.read()
    finally:
        comm.abort()


def expect_scheduler(address: str) -> None:
    """LabError where what answers at HOST:PORT is no scheduler of Dask: a Client would wait for its
    part of the handshake without end.
    """
    try:
        words = _first_words(address)
    except (OSError, OverflowError, UnicodeError) as error:
        raise LabError(f"dask://{address}: no Dask scheduler answers; {_SCHEDULER}") from error
    if words.startswith(b"HTTP/"):
        raise LabError(
            f"dask://{address}: a web server answers ({words.splitlines()[0].decode('latin-1')}), "
            f"such as the dashboard of a scheduler; {_SCHEDULER}"
        )
    # A message of Dask begins with its length; text would be more than the largest handshake.
    if len(words) < 8 or int.from_bytes(words[:8], "little") > _MOST_HANDSHAKE:
        raise LabError(
            f"dask://{address}: found something that is not a Dask scheduler and answers "
            f"{words[:40]!r}; {_SCHEDULER}"
        )
    try:
        found = asyncio.run(asyncio.wait_for(_identity(address), 2 * _CONNECT_S))
    except (OSError, TimeoutError, ValueError) as error:
        raise LabError(f"dask://{address}: no Dask scheduler answers; {_SCHEDULER}") from error
    kind = found.get("type") if isinstance(found, dict) else None
    if kind != "Scheduler":
        raise LabError(
            f"dask://{address}: found a Dask {kind or 'process'}, which is not a scheduler; "
            f"{_SCHEDULER}"
        )


@contextlib.contextmanager
def _client(supply: SupplyIf, cluster: Any = None) -> Iterator[Any]:
    """LabError where no scheduler answers within some seconds."""
    import warnings

    from distributed import Client

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other versions are refused below
        try:
            client: Any = Client(  # type: ignore[no-untyped-call]  # Dask has no types there
                cluster or supply.address, timeout=_CONNECT_S, set_as_default=False
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise LabError(f"{supply.name}: no Dask scheduler answers; {_SCHEDULER}") from error
        try:
            yield client
        finally:
            client.close(timeout=_CONNECT_S)


@contextlib.contextmanager
def _token(folder: Path) -> Iterator[Path]:
    """A file that was not there before, while the block runs."""
    folder.mkdir(parents=True, exist_ok=True)
    token = folder / f".seen-{secrets.token_hex(8)}"
    token.touch()
    try:
        yield token
    finally:
        token.unlink(missing_ok=True)


@contextlib.contextmanager
def dask_farm(address: str, platter: Path, kept: Path, wait_s: float | None) -> Iterator[Farm]:
    """Workers of the scheduler at HOST:PORT. `wait_s` (default 60) for the first of them."""
    _dask(with_queue=False)
    supply = _Given(address, 60.0 if wait_s is None else wait_s)
    expect_scheduler(address)
    with _client(supply) as client, _token(kept.resolve()) as token:
        with _answers(supply):
            versions = client.get_versions()
            threads = sum(client.nthreads().values())
        expect_same_versions({**versions, "workers": {}})
        yield Farm(client, supply, Shared(platter, digest_of(platter), token), threads or 1)


@contextlib.contextmanager
def slurm_farm(
    options: Sequence[str], platter: Path, kept: Path, jobs: int, wait_s: float | None
) -> Iterator[Farm]:
    """Jobs of Slurm, at most so many runs at a time; `options` over Dask's own configuration.

    `wait_s` (default 600) in the queue for the first job.
    """
    _dask(with_queue=True)
    if not shutil.which("sbatch"):
        raise LabError(
            "--on slurm: found no sbatch on this machine; expected a machine from which Slurm "
            "takes jobs"
        )
    import dask.config
    from dask_jobqueue.slurm import SLURMCluster

    configured = dask.config.get("jobqueue.slurm")
    known = [key.replace("-", "_") for key in configured]
    chosen: dict[str, Any] = {
        key: value
        for key, value in {
            "cores": 1,
            "processes": 1,
            "memory": "2GB",
            "log_directory": str(kept.resolve() / "slurm"),
        }.items()
        if configured.get(key.replace("_", "-")) is None
    } | slurm_options(options, known)
    if "DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT" not in os.environ:
        # Until a lost job is replaced.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "5s"})
    chosen["job_name"] = f"{chosen.pop('name', 'platter')}-{secrets.token_hex(4)}"
    chosen["scheduler_options"] = {
        "dashboard": False,
        "dashboard_address": ":0",
        **chosen.get("scheduler_options", configured["scheduler-options"]),
    }
    try:
        cluster: Any = SLURMCluster(**chosen)
    except (ValueError, TypeError, OSError, RuntimeError) as error:
        raise LabError(f"--slurm: {error}; expected values that dask-jobqueue accepts") from error
    with cluster, tempfile.TemporaryDirectory(prefix="platter-farm-") as name:
        script = Path(name) / "job.sh"
        script.write_text(cluster.job_script())
        tried = _call("sbatch", "--test-only", str(script))
        if tried.returncode != 0:
            raise LabError(
                f"--on slurm: sbatch refuses the job: {tried.stderr.strip()}; expected a "
                "partition, an account and limits that Slurm knows (--slurm KEY=VALUE)"
            )
        supply = _Slurm(cluster, jobs, 600.0 if wait_s is None else wait_s)
        with _client(supply, cluster) as client, _token(kept.resolve()) as token:
            yield Farm(client, supply, Shared(platter, digest_of(platter), token), jobs)
