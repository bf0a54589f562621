# SPDX-License-Identifier: Apache-2.0
"""Where runs are carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

Item = TypeVar("Item")
Result = TypeVar("Result")


class ExecutorIf(Protocol):
    """Carries work out for many items, some at a time."""

    jobs: int

    def map(self, work: Callable[[Item], Result], items: Sequence[Item], what: str) -> list[Result]:
        """The work's results in the order of the items, whatever order they finish in. `what` the items are, for a progress bar. Raises what the
        first work that fails raises; what has begun then still ends, the rest is not begun."""


class LocalProcesses:
    """On this machine: each work item waits for a process that it has started."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def map(self, work: Callable[[Item], Result], items: Sequence[Item], what: str) -> list[Result]:
        console = Console(stderr=True)
        bar = Progress(BarColumn(), TaskProgressColumn(show_speed=True), MofNCompleteColumn(), TextColumn(what + "{task.fields[failed]}"),
                       TimeRemainingColumn(), console=console, transient=True, disable=not items or not console.is_terminal)
        task = bar.add_task(what, total=len(items), failed="")
        failures = 0

        def tell(future: Future[Result]) -> None:
            nonlocal failures
            failures += not future.cancelled() and (future.exception() is not None or getattr(future.result(), "failed", False))
            bar.update(task, advance=1, failed=f", {failures} failed" if failures else "")

        with bar, ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(work, item) for item in items]
            for future in futures:
                future.add_done_callback(tell)
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
                failed = next((future for future in futures if future.done() and future.exception()), None)
                if failed:
                    raise failed.exception()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
            return [future.result() for future in futures]
