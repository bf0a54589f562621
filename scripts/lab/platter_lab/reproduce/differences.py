# SPDX-License-Identifier: Apache-2.0
"""Where the criterion of a claim asks for something else than the sentence of the paper. The words
are a study's fixed text, and the numbers come from its files of means. So a page in the tree can be
compared with its means."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

TITLE = "Where a criterion and its sentence differ"
INTRODUCTION = """Some criteria are stricter or laxer than the paper's sentence, or judge another \
quantity. The verdicts above follow the criteria. The last
column gives what the means of the runs say of the sentence itself, without intervals. Its ratios \
are ratios of means."""
HEADER = ("claim", "the sentence", "the criterion", "the means")
NO_DATA = "no data"


class Means:
    """The rows of a study's files of means (`page.means_table`), by the name of the file. A row has
    its cells by their columns."""

    def __init__(self, files: Mapping[str, Sequence[Mapping[str, str]]]) -> None:
        self._rows = files

    def rows(self, file: str = "means.csv.gz", **where: object) -> list[Mapping[str, str]]:
        """The rows in which the named columns have these values."""
        wanted = {column: str(value) for column, value in where.items()}
        return [
            row
            for row in self._rows[file]
            if all(row[column] == value for column, value in wanted.items())
        ]

    def value(self, column: str, file: str = "means.csv.gz", **where: object) -> float:
        """The mean in the only such row; not a number if there is none, or if it has no data.

        Raises ValueError if more than one row has these values."""
        found = self.rows(file, **where)
        if len(found) > 1:
            raise ValueError(f"{len(found)} rows of {file} have {where}")
        return float(found[0][column] or "nan") if found else math.nan


@dataclass(frozen=True)
class Difference:
    """The claims that are concerned, what the sentence says, what the criterion asks for, and what
    the means say of the sentence."""

    claims: str
    sentence: str
    criterion: str
    means: str


@dataclass(frozen=True)
class Differences:
    """`further` are remarks on what is not judged, on loads and on seeds; each may have several
    sentences."""

    rows: tuple[Difference, ...]
    further: tuple[str, ...]


Differing = Callable[[Means], Differences]


def decimals(value: float, digits: int = 2) -> str:
    """With this many digits behind the point."""
    return f"{value:,.{digits}f}" if math.isfinite(value) else NO_DATA


def percent(value: float, digits: int = 1) -> str:
    """A share, without its unit."""
    return decimals(100 * value, digits)


def listed(values: Iterable[str]) -> str:
    """In a sentence: a, b and c."""
    *first, last = values
    return f"{', '.join(first)} and {last}" if first else last
