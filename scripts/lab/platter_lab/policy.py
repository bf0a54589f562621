# SPDX-License-Identifier: Apache-2.0
"""Scheduling policies in Python, for experiments and prototypes.

A file with one class of `Policy` is a policy of one's own: `platter run ... --set engine=firmware
--set 'policy="own:FILE.py(0.5)"'`. Only the engine `firmware` runs it. The program starts it as a
process (platter_lab.policy_process), which decides on numpy views of the queue in a memory that
both share.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

# In the order of models/platter/scheduling/python_policy.cpp
COLUMNS = (
    "tag",
    "arrival",
    "deadline",
    "cls",
    "stream",
    "write",
    "block",
    "blocks",
    "cylinder",
    "head",
    "positioning",
)

DISCRETE, CONTINUOUS, BACKGROUND = range(3)  # values of `Queue.cls`, those of core::RequestClass
NO_DEADLINE = np.iinfo(np.int64).max  # value of `Queue.deadline`


class Queue:
    """The commands that wait, the oldest first. Each member is an array of 64-bit integers with a
    number for each command, valid during one `pick`. Times are absolute, in ps.

    tag: what `pick` returns; arrival; deadline (or NO_DEADLINE); cls: DISCRETE, CONTINUOUS or
    BACKGROUND; stream; write (1 or 0); block, blocks: on the media; cylinder, head: of the first
    sector; positioning: time in ps until the access would begin if it were served now.
    """

    tag: NDArray[np.int64]
    arrival: NDArray[np.int64]
    deadline: NDArray[np.int64]
    cls: NDArray[np.int64]
    stream: NDArray[np.int64]
    write: NDArray[np.int64]
    block: NDArray[np.int64]
    blocks: NDArray[np.int64]
    cylinder: NDArray[np.int64]
    head: NDArray[np.int64]
    positioning: NDArray[np.int64]

    def __init__(self, columns: NDArray[np.int64]) -> None:
        """`columns`: one row for each member, as long as the largest queue."""
        self._columns = columns
        self._count = 0

    def hold(self, count: int) -> None:
        """Takes in the first commands of the columns."""
        self._count = count
        self.__dict__.update(zip(COLUMNS, self._columns[:, :count], strict=True))

    def __len__(self) -> int:
        return self._count


class Head:
    """Where the arm is, and what it did last."""

    cylinder: int
    head: int
    last_was_write: bool


class Policy:
    """Base of a policy. A derived class has `pick`, and may have the rest.

    Each scheduler of a run has an instance of its own, in a process of its own. `parameters` are
    the numbers of the notation, which become members: a meaning and the smallest and largest value
    of each. There are at most 8, and the smallest value is below the largest. The members are set
    after `__init__`, which therefore cannot read them. `cycles`, from 0 to 10^9, are those of the
    firmware's processor for a decision, besides a search through the queue. `random` gives the same
    numbers in every run. A class with an `__init__` of its own calls `super().__init__()`, because
    that makes `random`. An exception ends the run with its traceback and exit code 1.
    """

    description: ClassVar[str] = ""
    parameters: ClassVar[dict[str, tuple[str, float, float]]] = {}
    cycles: ClassVar[int] = 0

    def __init__(self) -> None:
        self.random = np.random.default_rng(0)

    def pick(self, queue: Queue, head: Head, now: int) -> int | None:
        """The tag of the command that is served next; None to wait for another one.

        The queue is not empty. `now` is in ps.
        """
        raise NotImplementedError
