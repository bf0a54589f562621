# SPDX-License-Identifier: Apache-2.0
"""Answers that are computed only once, because many claims need the same runs. `functools.cache`
keeps the answers of a function, and `kept` those of a method. Many callers share a kept answer, so
nobody may change it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def kept(method: Method) -> Method:
    """A method of which each instance keeps the answers by their arguments, which a call gives by
    their places. What it looks at must not change, and it may do nothing but answer."""
    name = f"_kept_{method.__name__}"

    @wraps(method)
    def answer(self: object, *arguments: object) -> object:
        answers = self.__dict__.setdefault(name, {})
        try:
            return answers[arguments]
        except KeyError:
            answers[arguments] = found = method(self, *arguments)
            return found

    return cast(Method, answer)
