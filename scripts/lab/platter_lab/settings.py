# SPDX-License-Identifier: Apache-2.0
"""Keys of a scenario and their values, as `platter run --set KEY=VALUE` takes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def text(value: Any) -> str:
    if hasattr(value, "tolist"):  # of numpy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return (
            "["
            + ", ".join(f'"{item}"' if isinstance(item, str) else text(item) for item in value)
            + "]"
        )
    return repr(value) if isinstance(value, float) else str(value)


def flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """The keys of a table; one that stands in it is part of its keys' names."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{above}{key}.")
        else:
            yield above + key, text(value)
