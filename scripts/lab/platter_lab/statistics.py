# SPDX-License-Identifier: Apache-2.0
"""Means over independent runs, and how accurate they are."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.special import stdtrit

from platter_lab.arrays import Floats

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean over `runs` independent runs and its 95 % confidence interval."""

    mean: float
    low: float
    high: float
    runs: int


@functools.cache
def _quantile(confidence: float, runs: int) -> float:
    return float(stdtrit(runs - 1, (1 + confidence) / 2))


def _number(value: float | None) -> float:
    """What a result does not have is nan."""
    return math.nan if value is None else float(value)


def interval(samples: Sequence[float | None]) -> Interval:
    """Student's t over the samples, shape (runs,).

    Of a single run nothing is known but its value; where a sample is no finite number or None,
    there is no data (nan).
    """
    values = [_number(value) for value in samples]
    runs = len(values)
    if runs == 0 or not all(map(math.isfinite, values)):
        return Interval(math.nan, math.nan, math.nan, runs)
    mean = math.fsum(values) / runs
    if runs == 1:
        return Interval(mean, -math.inf, math.inf, 1)
    apart = [value - mean for value in values]
    deviation = math.sqrt(math.fsum(one * one for one in apart) / (runs - 1))
    half = _quantile(CONFIDENCE, runs) * deviation / math.sqrt(runs)
    return Interval(mean, mean - half, mean + half, runs)


def interval_of_known(samples: Sequence[float | None]) -> Interval:
    """As `interval`, over the samples that are numbers: None and nan are left out, and `runs`
    counts the others. No data (nan) where there are none.
    """
    return interval([value for sample in samples if not math.isnan(value := _number(sample))])


def widened(value: Interval, confidence: float) -> Interval:
    """The same estimate with another confidence."""
    if value.runs < 2 or value.low == value.high:
        return value
    half = (
        (value.high - value.low)
        / 2
        * _quantile(confidence, value.runs)
        / _quantile(CONFIDENCE, value.runs)
    )
    return Interval(value.mean, value.mean - half, value.mean + half, value.runs)


def exact(value: float, runs: int) -> Interval:
    """A value that is no estimate: a count, or the limit of a ratio."""
    return Interval(value, value, value, runs)


def paired_ratio(
    numerator: Sequence[float | None], denominator: Sequence[float | None]
) -> Interval:
    """The mean of the ratios of runs with the same seed, hence the same load.

    No data where one has none, or a denominator is 0.
    """
    if len(numerator) != len(denominator):
        raise ValueError(f"{len(numerator)} runs against {len(denominator)}")
    return interval(
        [
            _number(above) / float(below) if below else math.nan
            for above, below in zip(numerator, denominator, strict=True)
        ]
    )


def jackknife(
    points: Sequence[Sequence[float | None]], statistic: Callable[[Sequence[float]], float]
) -> Interval:
    """A smooth statistic of the means of several points, shape (points, runs), which have the same
    runs: Student's t over the pseudo-values that leaving out one run at a time gives. No data where
    a point has none.
    """
    samples = np.array([[_number(value) for value in runs] for runs in points])
    runs = samples.shape[1]
    if runs < 2 or not np.isfinite(samples).all():
        return interval([math.nan] * runs)
    whole = statistic(samples.mean(axis=1))
    without = [statistic(np.delete(samples, run, axis=1).mean(axis=1)) for run in range(runs)]
    return interval([runs * whole - (runs - 1) * one for one in without])


def correlated(one: Sequence[float], other: Sequence[float]) -> float:
    """Pearson's correlation; NaN if one of them does not vary."""
    x, y = (np.asarray(values, dtype=float) - np.mean(values) for values in (one, other))
    squares = float(x @ x) * float(y @ y)
    return float(x @ y) / math.sqrt(squares) if squares > 0 else math.nan


class Trend(StrEnum):
    """Whether a queue is stable, as far as runs of a given length show it."""

    STEADY = "steady"
    UNSTABLE = "unstable"
    OPEN = "not shown to be steady"


# A backlog that grows in proportion to time from nothing grows by twice its mean; that of a queue
# with exactly as much work as it can do (a reflected random walk, in proportion to the root of
# time) by 1.2 times. That of a stable queue grows by nothing, however long the run.
GROWS = 1.0


def slope(parts: Sequence[float | None]) -> float:
    """By how much a line through the means over equal parts of a run's time rises from the run's
    begin to its end.
    """
    at, squares = _times(len(parts))
    return float(at @ np.asarray(parts, dtype=float) / squares * len(parts))


@functools.cache
def _times(parts: int) -> tuple[Floats, float]:
    """The middle of each part about the middle of the time, and the sum of their squares."""
    at = np.arange(parts, dtype=float) - (parts - 1) / 2
    at.setflags(write=False)
    return at, float(at @ at)


def growth(runs: Sequence[Sequence[float | None]]) -> Interval:
    """What a backlog grows by over the measured time, over its mean, from its means over equal
    parts of that time, shape (runs, parts). A part that is None is no data, of the whole.

    One slope a run, and Student's t over the runs: these are independent, so it makes no difference
    how the parts of one run hang together.
    """
    mean = float(np.mean(np.asarray(runs, dtype=float)))
    return exact(0.0, len(runs)) if mean <= 0 else interval([slope(parts) / mean for parts in runs])


def trend(grown: Interval) -> Trend:
    """The whole interval on one side of `GROWS` decides."""
    if grown.high < GROWS:
        return Trend.STEADY
    return Trend.UNSTABLE if grown.low > GROWS else Trend.OPEN


ABSENT = "–"  # on a screen: there is no value, which is another thing than 0


def interval_text(value: Interval, digits: int = 3) -> str:
    """As a table has it: the mean and half the interval; `ABSENT` where there is no data."""
    if math.isnan(value.mean):
        return ABSENT
    return f"{value.mean:.{digits}g} ± {(value.high - value.low) / 2:.2g}"
