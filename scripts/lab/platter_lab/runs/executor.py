# SPDX-License-Identifier: Apache-2.0
"""The places where runs are executed."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from platter_lab.executable import end_calls, owned_by

Item = TypeVar("Item")
Result = TypeVar("Result")


class ExecutorIf(Protocol):
    """Carries work out for many items, some at a time."""

    jobs: int

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        what: str,
        lost: Callable[[Item, str], Result] | None = None,
    ) -> list[Result]:
        """The work's results in the order of the items, whatever order they finish in.

        `what` the items are, for a progress bar. Raises what the first work that fails raises; the
        rest is not begun. An executor that sends work elsewhere expects a module's function and
        items that can be pickled; `lost` gives the result of an item that ended, with a message,
        whoever worked at it, each time (without it: StudyFailed).
        """


_quiet = threading.local()


@contextmanager
def without_bars() -> Iterator[None]:
    """What this thread maps meanwhile shows no bar: it has one of its own."""
    _quiet.on = True
    try:
        yield
    finally:
        _quiet.on = False


@contextmanager
def progress(count: int, what: str) -> Iterator[Callable[[bool], None]]:
    """A bar of that many items on a terminal; call once an item, with whether it failed.

    Any thread may.
    """
    console = Console(stderr=True)
    bar = Progress(
        BarColumn(),
        TaskProgressColumn(show_speed=True),
        MofNCompleteColumn(),
        TextColumn(what + "{task.fields[failed]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not count or not console.is_terminal or getattr(_quiet, "on", False),
    )
    task = bar.add_task(what, total=count, failed="")
    failures = 0

    def tell(failed: bool) -> None:
        nonlocal failures
        failures += failed
        bar.update(task, advance=1, failed=f", {failures} failed" if failures else "")

    with bar:
        yield tell


def has_failed(result: Any) -> bool:
    """Whether a result says so of itself."""
    return bool(getattr(result, "failed", False))


class LocalProcesses:
    """On this machine: each work item waits for a process that it has started."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        what: str,
        lost: Callable[[Item, str], Result] | None = None,
    ) -> list[Result]:
        """Nothing is lost here.

        What has begun when one fails still ends; what has begun when a signal ends this process is
        killed.
        """
        owner = f"here-{secrets.token_hex(8)}"

        def owned(item: Item) -> Result:
            with owned_by(owner):
                return work(item)

        with progress(len(items), what) as tell, ThreadPoolExecutor(self.jobs) as pool:

            def done(future: Future[Result]) -> None:
                tell(
                    not future.cancelled()
                    and (future.exception() is not None or has_failed(future.result()))
                )

            try:
                futures = [pool.submit(owned, item) for item in items]
                for future in futures:
                    future.add_done_callback(done)
                wait(futures, return_when=FIRST_EXCEPTION)
                failed = next(
                    (
                        error
                        for future in futures
                        if future.done() and (error := future.exception())
                    ),
                    None,
                )
                if failed:
                    raise failed
            except BaseException as error:
                if not isinstance(error, Exception):  # a signal
                    end_calls(owner)
                pool.shutdown(cancel_futures=True)
                raise
            return [future.result() for future in futures]
