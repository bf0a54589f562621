# SPDX-License-Identifier: Apache-2.0
"""A TOML file that is read strictly."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from platter_lab import LabError


class TomlFile:
    """A TOML file, and errors that name it, the line and the key."""

    def __init__(self, path: Path, what: str) -> None:
        """`what` is expected of the file."""
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
            self.content = tomllib.loads(self.text)
        except OSError as error:
            raise LabError(f"{path}: {error.strerror}; expected {what}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise LabError(f"{path}: {error}; expected TOML") from error

    def wrong(
        self, key: str, found: str, expected: str, table: Mapping[str, Any] | None = None
    ) -> LabError:
        """`key` is the last part of what is wrong, as the file spells it, behind its table:
        "axis.key". `table`, if it is an element of an array of tables, is where the line is looked
        for.
        """
        return LabError(
            f"{self.path}:{self.line(key, table) or ' '}{key}: found {found}, expected {expected}"
        )

    def line(self, key: str, table: Mapping[str, Any] | None = None) -> str:
        """ "12: ", where the key first stands in the file or table; of a key that stands nowhere,
        where the table begins, or "".
        """
        begin, end = self._lines_of(table)
        last = key.rsplit(".", 1)[-1] if key not in self.text else key
        named = re.compile(rf"(?<![\w.-])[\"']?{re.escape(last)}[\"']?(?![\w-])")
        lines = self.text.splitlines()
        there = next(
            (number for number in range(begin, end) if named.search(lines[number].split("#")[0])),
            begin if table is not None else -1,
        )
        return f"{there + 1}: " if there >= 0 else ""

    def _lines_of(self, table: Mapping[str, Any] | None) -> tuple[int, int]:
        """From the header of an element of an array of tables to that of the next one; the whole
        file for any other table.
        """
        lines = self.text.splitlines()
        for name, value in self.content.items():
            number = (
                next((i for i, one in enumerate(value) if one is table), None)
                if isinstance(value, list)
                else None
            )
            if number is not None and table is not None:
                heads = [
                    i
                    for i, line in enumerate(lines)
                    if re.match(rf"\s*\[\[\s*{re.escape(name)}\s*\]\]", line)
                ]
                if number < len(heads):  # not in an inline array
                    return heads[number], heads[number + 1] if number + 1 < len(heads) else len(
                        lines
                    )
        return 0, len(lines)

    def only(self, table: Mapping[str, Any], where: str, known: Sequence[str]) -> None:
        for key in table:
            if key not in known:
                raise self.wrong(
                    key,
                    f"in {where} a key that does not exist",
                    "one of " + ", ".join(known),
                    table,
                )
