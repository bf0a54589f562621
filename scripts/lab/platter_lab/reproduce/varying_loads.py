# SPDX-License-Identifier: Apache-2.0
"""Varying loads: how often each number of clients is present, and by how much the response times of
two servers differ then (Shenoy, Goyal, Vin, section 3.3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from platter_lab.reproduce.kept import kept


@dataclass(frozen=True, eq=False)
class Spread:
    """Share of the time for which so many text clients are there, shape (peak + 1,), from none to
    the peak. Video clients, independent of them, are distributed in the same way between none and
    as many as are admitted."""

    share: np.ndarray
    capacity: int

    def __post_init__(self) -> None:
        self.share.setflags(write=False)  # many look at one

    @property
    def peak(self) -> int:
        return self.share.size - 1

    @property
    def mean(self) -> float:
        return float(np.arange(self.share.size) @ self.share)

    @property
    def over(self) -> float:
        """Share of the time above capacity."""
        return float(self.share[self.capacity + 1 :].sum())

    @kept
    def cut(self) -> Spread:
        """The same with all that is above capacity at it."""
        share = np.where(np.arange(self.share.size) <= self.capacity, self.share, 0.0)
        share[self.capacity] += self.over
        return Spread(share, self.capacity)


def exponential(mean: float, peak: int, over: float, capacity: int) -> Spread:
    """With this mean, this peak and this share of the time above capacity, and no more assumed (the
    greatest entropy): exponential, with one rate below and above capacity. Precondition: the mean
    is less than without decay."""
    clients = np.arange(peak + 1)
    above = clients > capacity

    def share(rate: float) -> np.ndarray:
        weight = np.exp(-rate * clients)
        shares: np.ndarray = np.where(
            above, over * weight / weight[above].sum(), (1 - over) * weight / weight[~above].sum()
        )
        return shares

    return Spread(
        share(brentq(lambda rate: clients @ share(rate) - mean, 0.0, 1.0, xtol=1e-14)), capacity
    )


def cascade(peak_to_mean: float, levels: int, over: float, capacity: int) -> Spread:
    """The rates of a multiplicative cascade of 2^levels intervals, scaled so that they exceed
    capacity for this share of the time. Of its halves each rate took the lesser a binomial number
    of times, here normal, so that the distribution has no steps."""
    p = peak_to_mean ** (1 / levels) / 2
    step = np.log((1 - p) / p)  # of the logarithm, for one lesser half
    middle, deviation = levels / 2, np.sqrt(levels) / 2
    none = ndtr(-middle / deviation)
    quantile = middle + deviation * ndtri(none + over * (1 - none))
    peak = round(capacity / np.exp(step * quantile))
    bounds = (np.arange(peak) + 0.5) / peak
    below = 1 - (ndtr((np.log(bounds) / step - middle) / deviation) - none) / (1 - none)
    return Spread(np.diff(below, prepend=0.0, append=1.0), capacity)


@dataclass(frozen=True)
class Gain:
    """What the integrated server's text clients gain on average: in ms, of the partitioned one's
    mean response, and as the mean of the gain over the response at each load."""

    ms: float
    share: float
    mean_share: float


Row = tuple[
    tuple[float, ...], tuple[float, ...]
]  # video clients, and the integrated server's response with them


@cache
def expected_gain(
    spread: Spread,
    video_peak: int,
    text: tuple[float, ...],
    partitioned: tuple[float, ...],
    integrated: tuple[Row, ...],
) -> Gain:
    """Equation 1: the sum over text and video clients of difference times probability. Responses in
    ms at each of the text loads; linear between loads, constant beyond them. Without text clients
    there is nothing to gain."""
    clients, present = np.arange(1, spread.share.size), spread.share[1:]
    video = np.arange(spread.share.size) * video_peak / spread.peak
    beside = np.array(
        [_weights(video, loads, spread.share) @ values for loads, values in integrated]
    )
    alone = np.interp(clients, text, partitioned)
    whole, both = float(alone @ present), float(_weights(clients, text, present) @ beside)
    relative = float(_weights(clients, text, present / alone) @ beside)
    return Gain(whole - both, 1 - both / whole, 1 - relative / float(present.sum()))


def _weights(at: np.ndarray, knots: Sequence[float], share: np.ndarray) -> np.ndarray:
    """What each knot's value counts in the sum of the interpolated values times their share, shape
    (knots,)."""
    return np.array([np.interp(at, knots, one) @ share for one in np.eye(len(knots))])
