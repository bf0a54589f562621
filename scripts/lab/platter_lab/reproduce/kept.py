# SPDX-License-Identifier: Apache-2.0
"""Answers that are computed only once, because many claims need the same runs. `functools.cache` keeps the answers of a function, and `kept` those of a
method. Many callers share a kept answer, so nobody may change it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Answer = TypeVar("Answer")


def kept(method: Callable[..., Answer]) -> Callable[..., Answer]:
    """A method of which each instance keeps the answers by their arguments, so what it looks at must not change, and it may do nothing but
    answer."""
    name = f"_kept_{method.__name__}"

    @wraps(method)
    def answer(self: object, *arguments: object) -> Answer:
        answers = self.__dict__.setdefault(name, {})
        try:
            return answers[arguments]
        except KeyError:
            answers[arguments] = found = method(self, *arguments)
            return found

    return answer
