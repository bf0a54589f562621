# SPDX-License-Identifier: Apache-2.0
"""Means over independent runs and how well they are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student_t

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean over `runs` independent runs and its 95 % confidence interval."""

    mean: float
    low: float
    high: float
    runs: int


def interval(samples: Sequence[float]) -> Interval:
    """Student's t over the samples, shape (runs,). Of a single run nothing is known but its value."""
    values = np.asarray(samples, dtype=float)
    if values.size == 0 or not np.isfinite(values).all():
        return Interval(math.nan, math.nan, math.nan, values.size)
    mean = float(np.mean(values))
    if values.size == 1:
        return Interval(mean, -math.inf, math.inf, 1)
    half = float(student_t.ppf((1 + CONFIDENCE) / 2, values.size - 1) * np.std(values, ddof=1) / math.sqrt(values.size))
    return Interval(mean, mean - half, mean + half, values.size)


def exact(value: float, runs: int) -> Interval:
    """A value that is no estimate: a count, or the limit of a ratio."""
    return Interval(value, value, value, runs)


def paired_ratio(numerator: Sequence[float], denominator: Sequence[float]) -> Interval:
    """The mean of the ratios of runs with the same seed, hence the same load."""
    above, below = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    if above.shape != below.shape:
        raise ValueError(f"{above.size} runs against {below.size}")
    with np.errstate(divide="ignore", invalid="ignore"):
        return interval(above / below)


def interval_text(value: Interval, digits: int = 3) -> str:
    """As a table has it: the mean and half the interval."""
    return f"{value.mean:.{digits}g} ± {(value.high - value.low) / 2:.2g}"
