# SPDX-License-Identifier: Apache-2.0
"""The process that the program starts for a policy in Python (platter_lab.policy)."""

from __future__ import annotations

import ctypes
import importlib.util
import inspect
import mmap
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from platter_lab.policy import COLUMNS, Head, Policy, Queue

_MOST_CYCLES = 10**9
_PR_SET_PDEATHSIG = 1  # of Linux's prctl()
_WORDS = 8  # before the columns, as in models/platter/scheduling/python_policy.cpp


def load(file: Path) -> type[Policy]:
    """The class of a file. ValueError if it has none, or several; what the file itself raises."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ValueError(f"{file}: expected a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.parent))
    spec.loader.exec_module(module)
    found = [
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and issubclass(value, Policy)
        and value is not Policy
        and value.__module__ == module.__name__
    ]
    if len(found) != 1:
        names = ", ".join(one.__name__ for one in found) or "none"
        raise ValueError(
            f"{file}: found {names}, expected one class that derives from platter_lab.policy.Policy"
        )
    return found[0]


def described(policy: type[Policy]) -> str:
    """Lines of fields: description and cycles, then name, meaning and range of each parameter."""
    if not 0 <= policy.cycles <= _MOST_CYCLES:
        raise ValueError(f"found cycles = {policy.cycles}, expected 0 to {_MOST_CYCLES}")
    rows = [(policy.description or policy.__name__, str(int(policy.cycles)))]
    lines = ["\t".join(rows[0])]
    for name, (meaning, least, most) in policy.parameters.items():
        lines.append("\t".join((name, meaning, repr(float(least)), repr(float(most)))))
    texts = (
        rows[0][0],
        *(text for name, row in policy.parameters.items() for text in (name, row[0])),
    )
    if any("\n" in text or "\t" in text for text in texts):
        raise ValueError("a description, a name or a meaning has a tab or several lines")
    return "\n".join(lines) + "\n"


def serve(file: Path, capacity: int, values: Sequence[float], connection: int, memory: int) -> None:
    """Decides until there is nothing more to read from the descriptor `connection`."""
    kind = load(file)
    policy = kind()
    for name, value in zip(kind.parameters, values, strict=True):
        setattr(policy, name, value)
    size = (_WORDS + len(COLUMNS) * capacity) * 8
    shared = np.frombuffer(mmap.mmap(memory, size), dtype=np.int64)
    words = shared[:_WORDS]
    queue = Queue(shared[_WORDS:].reshape(len(COLUMNS), capacity))
    head = Head()
    try:
        os.write(connection, b".")
    except BrokenPipeError:  # it was never asked
        return
    while os.read(connection, 1):
        count, now, head.cylinder, head.head, last_was_write = words[:5].tolist()
        head.last_was_write = last_was_write != 0
        queue.hold(count)
        tag = policy.pick(queue, head, now)
        if tag is None:
            words[5] = -1
        else:
            is_number = type(tag) is int or isinstance(tag, np.integer)
            if not is_number or tag not in queue.tag:
                raise ValueError(
                    f"{kind.__name__}.pick returned {tag!r}, expected None or one of the tags "
                    f"{queue.tag.tolist()}"
                )
            words[5] = tag
        os.write(connection, b".")


def main(words: Sequence[str]) -> int:
    """Of the process that the program starts."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # also out of an endless call
    try:
        if words[0] == "describe":
            # What the file prints while it is loaded does not belong to the answer.
            output = os.dup(1)
            os.dup2(2, 1)
            os.write(output, described(load(Path(words[1]))).encode())
        else:
            sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)  # nothing is lost
            serve(Path(words[1]), int(words[2]), [float(word) for word in words[3:]], 3, 4)
    except KeyboardInterrupt:
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
