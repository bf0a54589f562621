# SPDX-License-Identifier: Apache-2.0
"""Where runs are carried out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

from tqdm import tqdm

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
        bar = tqdm(total=len(items), unit=" " + what, disable=True if not items else None, file=sys.stderr, leave=False)
        with bar, ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(work, item) for item in items]
            for future in futures:
                future.add_done_callback(lambda _: bar.update())
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
                failed = next((future for future in futures if future.done() and future.exception()), None)
                if failed:
                    raise failed.exception()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
            return [future.result() for future in futures]
