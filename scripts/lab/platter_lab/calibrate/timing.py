# SPDX-License-Identifier: Apache-2.0
"""Times of a drive that the trace shows directly: overheads and bus by regression, positioning
times by windows.

A media read says when its first sector was caught. The arm and the electronics were ready for it at
some moment P after the issue: not later than that, and not a whole turn earlier, else the drive
would have caught the sector a turn before. One such window says little, a thousand of them say P as
a function of the distance within some tens of microseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from platter_lab.arrays import Bools, Floats, Ints

FOLDS = 5
FEWEST = 5  # requests behind a value of their own
TRIM_US = 1000.0  # responses further from their median than this waited for something else
STRAY = 0.02  # share of requests that the window model does not explain
PRIOR_US = 300.0  # a correction of the seek curve is expected to be about this large at most
READS_PER_KNOT = 120
# A seek point is refuted if the accesses beside it are so much likelier without it (natural
# logarithm), and it lies so far from the line between its neighbours.
REFUTED_GAIN = 10.0
REFUTED_US = 300.0
REFUTED_SPREAD = 200.0  # of the arrivals, us
MOST_KNOTS = 8


@dataclass(frozen=True)
class Linear:
    """excess = overhead[kind] + block time * blocks, us: what measured times have beyond the
    model's.
    """

    overhead_us: Floats  # (k,); nan for a kind with too few requests
    overhead_error_us: Floats  # (k,)
    block_us: float
    block_error_us: float
    counts: Ints  # (k,) requests behind each overhead


def fit_linear(excess_us: Floats, blocks: Ints, kind: Ints, kinds: int, free_slope: bool) -> Linear:
    """Least squares on what is left after the long waits are cut off.

    Shapes (m,); `kind` from 0 to kinds - 1.
    """
    slope = _robust_slope(blocks, excess_us) if free_slope else 0.0
    rest = excess_us - slope * blocks
    keep = np.zeros(len(blocks), dtype=bool)
    for number in range(kinds):
        of_kind = kind == number
        if of_kind.any():
            keep |= of_kind & (np.abs(rest - np.median(rest[of_kind])) < TRIM_US)
    by_kind = kind[keep, None] == np.arange(kinds)[None, :]
    counts = by_kind.sum(axis=0)
    seen = np.flatnonzero(counts >= FEWEST)
    design = by_kind[:, seen].astype(float)
    if free_slope:
        design = np.hstack([design, blocks[keep, None].astype(float)])
    overhead, error = np.full(kinds, np.nan), np.full(kinds, np.nan)
    if len(seen) == 0:
        return Linear(overhead, error, 0.0, np.nan, counts)
    target = excess_us[keep]
    inverse = np.linalg.pinv(design.T @ design)
    values = inverse @ design.T @ target
    deviation = float((target - design @ values).std()) * np.sqrt(np.diag(inverse))
    overhead[seen], error[seen] = values[: len(seen)], deviation[: len(seen)]
    if not free_slope:
        return Linear(overhead, error, 0.0, 0.0, counts)
    return Linear(overhead, error, float(values[-1]), float(deviation[-1]), counts)


def _robust_slope(blocks: Ints, times_us: Floats) -> float:
    """Slope through the medians of the sizes, weighted by their number; outliers cannot pull it."""
    sizes = np.array([size for size in np.unique(blocks) if (blocks == size).sum() >= FEWEST])
    if len(sizes) < 2:
        return 0.0
    medians = np.array([np.median(times_us[blocks == size]) for size in sizes])
    weights = np.sqrt([(blocks == size).sum() for size in sizes])
    return float(np.polyfit(sizes, medians, 1, w=weights)[0])


def linear_gain(
    excess_us: Floats, blocks: Ints, kind: Ints, kinds: int, free_slope: bool
) -> tuple[float, float]:
    """Mean gain in absolute error (us) over leaving all as it is, on held-out requests, and its
    standard error.
    """
    if len(blocks) < FOLDS * FEWEST:
        return 0.0, 0.0
    fold = (np.arange(len(blocks)) * FOLDS) // len(blocks)
    gains = []
    for held in range(FOLDS):
        train, test = fold != held, fold == held
        fit = fit_linear(excess_us[train], blocks[train], kind[train], kinds, free_slope)
        overhead = np.nan_to_num(fit.overhead_us)
        new = np.abs(excess_us[test] - overhead[kind[test]] - fit.block_us * blocks[test])
        gains.append(np.minimum(np.abs(excess_us[test]), TRIM_US) - np.minimum(new, TRIM_US))
    gain = np.concatenate(gains)
    return float(gain.mean()), float(gain.std() / np.sqrt(len(gain)))


@dataclass(frozen=True)
class Windows:
    """Accesses whose first sector was caught at a known moment; arrays of shape (m,)."""

    caught_us: Floats  # first sector under the head, after the issue
    period_us: float
    distance: Ints  # cylinders from where the arm stood
    other_head: Bools  # the head changes
    after_write: Bools  # the request before was a write
    write: Bools  # this one is a write
    overhead_us: Floats  # what the base profile says for the command overhead
    ready_us: Floats  # and for overhead and positioning together

    def __getitem__(self, index: Ints | Bools) -> Windows:
        return Windows(
            self.caught_us[index],
            self.period_us,
            self.distance[index],
            self.other_head[index],
            self.after_write[index],
            self.write[index],
            self.overhead_us[index],
            self.ready_us[index],
        )

    def __len__(self) -> int:
        return len(self.distance)


@dataclass(frozen=True)
class Positioning:
    """What is added to the base's times, us, with standard errors in the same places."""

    knots: Floats  # cylinders, ascending; empty: the seek curve is left alone
    seek_us: Floats  # at the knots, linear between them, constant beyond
    after_write_us: float  # reads after a write
    write_us: float  # writes: overhead and settling together
    write_after_write_us: float
    deviation_us: float  # spread of the moment of being ready
    errors: Floats  # (len(knots) + 3,): seek, after_write, write, write_after_write

    def correction(self, distance: Ints) -> Floats:
        if len(self.knots) == 0:
            return np.zeros(len(distance))
        return np.interp(np.sqrt(distance), np.sqrt(self.knots), self.seek_us)


def window_log_likelihood(late_us: Floats, period_us: float, deviation_us: float) -> Floats:
    """Of a first sector caught `late_us` after the arm should have been ready, shape (m,)."""
    inside = special.ndtr(late_us / deviation_us) - special.ndtr(
        (late_us - period_us) / deviation_us
    )
    return np.log((1 - STRAY) * inside + STRAY / 4)


def refuted_points(windows: Windows, points: Floats) -> tuple[Ints, Floats]:
    """Points of a seek table, shape (p, 2), that measured accesses refute: which, in the order in
    which they fell, and by how much the log likelihood of the accesses rises without each.

    Without a point the curve is the line between its neighbours. Accesses that are faster than the
    seek alone speak against a point that is too high, those that come a turn later than the curve
    allows against one that is too low.
    """
    kept = list(range(len(points)))
    refuted: list[int] = []
    gains: list[float] = []
    moved = windows[windows.distance > 0]

    def seek(chosen: list[int]) -> Floats:
        return np.asarray(np.interp(moved.distance, points[chosen, 0], points[chosen, 1]))

    given = seek(kept)
    by_curve = np.abs(moved.ready_us - moved.overhead_us - given) < 1.0  # not by a head switch
    while True:
        now = seek(kept)
        best: tuple[float, int] | None = None
        for at in range(1, len(kept) - 1):
            point = kept[at]
            rest = kept[:at] + kept[at + 1 :]
            line = float(np.interp(points[point, 0], points[rest, 0], points[rest, 1]))
            span = by_curve & (moved.distance > points[kept[at - 1], 0])
            span &= moved.distance < points[kept[at + 1], 0]
            if abs(line - points[point, 1]) < REFUTED_US or span.sum() < FEWEST:
                continue
            late = moved.caught_us[span] - moved.ready_us[span] + given[span]
            gain = float(
                (
                    window_log_likelihood(late - seek(rest)[span], moved.period_us, REFUTED_SPREAD)
                    - window_log_likelihood(late - now[span], moved.period_us, REFUTED_SPREAD)
                ).sum()
            )
            if gain > REFUTED_GAIN and (best is None or gain > best[0]):
                best = (gain, at)
        if best is None:
            return np.array(refuted, dtype=np.int64), np.array(gains)
        refuted.append(kept.pop(best[1]))
        gains.append(best[0])


def faster_than_seek(windows: Windows, margin_us: float) -> Bools:
    """Accesses whose first sector was caught so much before the head can have been there."""
    return np.asarray(windows.caught_us < windows.ready_us - margin_us)


def knots_for(distance: Ints, most: int = MOST_KNOTS) -> Floats:
    """Distances at which the seek curve is corrected: as many as there are reads to support them,
    `most` at most.
    """
    moved = np.sort(distance[distance > 0])
    count = min(most, len(moved) // READS_PER_KNOT)
    if count < 1:
        return np.empty(0)
    return np.unique(np.quantile(moved, (np.arange(count) + 0.5) / count).round()).astype(float)


def _unpack(values: Floats, knots: int) -> tuple[Floats, float, float, float, float]:
    return (
        values[:knots],
        values[knots],
        values[knots + 1],
        values[knots + 2],
        float(np.exp(values[knots + 3])),
    )


def _late(windows: Windows, values: Floats, hat: Floats) -> Floats:
    seek, after_write, write, write_after_write, _ = _unpack(values, hat.shape[1])
    ready = windows.ready_us + hat @ seek
    ready = ready + np.where(
        windows.write,
        write + write_after_write * windows.after_write,
        after_write * windows.after_write,
    )
    return windows.caught_us - ready


def _hat(distance: Ints, knots: Floats) -> Floats:
    """Linear interpolation as a matrix, shape (m, k); over the square root of the distance."""
    columns = [np.interp(np.sqrt(distance), np.sqrt(knots), unit) for unit in np.eye(len(knots))]
    return np.stack(columns, axis=1) if columns else np.zeros((len(distance), 0))


def fit_positioning(windows: Windows, knots: Floats) -> Positioning:
    """Maximum likelihood with a weak prior around the base, over accesses that moved the arm.

    The spread of the moment of being ready is wide at first and then narrows, so that the search
    cannot stick to the edge of a window.
    """
    moved = windows[windows.distance > 0]
    count = len(knots)
    hat = _hat(moved.distance, knots)
    free = np.array(
        [True] * count
        + [
            bool((moved.after_write & ~moved.write).any() and (~moved.write).any()),
            bool(moved.write.any()),
            bool((moved.after_write & moved.write).any()),
            True,
        ]
    )

    def cost(values: Floats) -> float:
        seek, *others, deviation = _unpack(values, count)
        likelihood = window_log_likelihood(
            _late(moved, values, hat), moved.period_us, deviation
        ).sum()
        prior = (
            0.5 * (seek**2).sum() / PRIOR_US**2
            + 0.5 * sum(other**2 for other in others) / PRIOR_US**2
        )
        prior += 0.5 * (np.diff(seek) ** 2).sum() / (PRIOR_US / 2) ** 2 if count > 1 else 0.0
        return float(prior - likelihood)

    values = np.zeros(count + 4)
    for deviation in (500.0, 250.0, 120.0, 60.0):
        values[-1] = np.log(deviation)
        vary = np.flatnonzero(free[:-1])
        values[vary] = _minimise(cost, values, vary)
    vary = np.flatnonzero(free)
    bounds_low, bounds_high = np.log(15.0), np.log(400.0)
    values[vary] = _minimise(
        lambda v: cost(np.append(v[:-1], np.clip(v[-1], bounds_low, bounds_high))), values, vary
    )
    values[-1] = np.clip(values[-1], bounds_low, bounds_high)
    errors = np.full(count + 3, np.nan)
    vary = np.flatnonzero(free[:-1])
    errors[vary] = _standard_errors(cost, values, vary)
    seek, after_write, write, write_after_write, deviation = _unpack(values, count)
    return Positioning(
        knots, seek, float(after_write), float(write), float(write_after_write), deviation, errors
    )


def _minimise(cost: Callable[[Floats], float], values: Floats, vary: Ints) -> Floats:
    scale = np.where(vary == len(values) - 1, 0.3, 50.0)

    def scaled(part: Floats) -> float:
        trial = values.copy()
        trial[vary] = values[vary] + scale * part
        return cost(trial)

    if len(vary) == 0:
        return values[vary]
    found = optimize.minimize(
        scaled,
        np.zeros(len(vary)),
        method="Powell",
        options={"xtol": 1e-2, "ftol": 1e-6, "maxiter": 30},
    )
    best: Floats = values[vary] + scale * np.atleast_1d(found.x)
    return best


def _standard_errors(
    cost: Callable[[Floats], float], values: Floats, vary: Ints, step_us: float = 10.0
) -> Floats:
    """From the curvature of the negative log likelihood, by central differences."""
    size = len(vary)
    hessian = np.zeros((size, size))
    at = cost(values)
    for i in range(size):
        for j in range(i + 1):
            a, b = np.zeros(len(values)), np.zeros(len(values))
            a[vary[i]], b[vary[j]] = step_us, step_us
            if i == j:
                hessian[i, i] = (cost(values + a) - 2 * at + cost(values - a)) / step_us**2
            else:
                mixed = (
                    cost(values + a + b)
                    - cost(values + a - b)
                    - cost(values - a + b)
                    + cost(values - a - b)
                )
                hessian[i, j] = hessian[j, i] = mixed / (4 * step_us**2)
    eigenvalues, vectors = np.linalg.eigh(hessian)
    # Flat directions: no more than the prior allows.
    eigenvalues = np.maximum(eigenvalues, 1 / (4 * PRIOR_US**2))
    return np.sqrt(np.diag(vectors / eigenvalues @ vectors.T))


def positioning_gain(windows: Windows, knots: Floats) -> tuple[float, float]:
    """Mean gain in log likelihood over the base on held-out accesses, and its standard error."""
    moved = windows[windows.distance > 0]
    fold = (np.arange(len(moved)) * FOLDS) // max(len(moved), 1)
    gains = []
    for held in range(FOLDS):
        fit = fit_positioning(moved[fold != held], knots)
        test = moved[fold == held]
        values = np.concatenate(
            (fit.seek_us, [fit.after_write_us, fit.write_us, fit.write_after_write_us, 0.0])
        )
        deviation = max(fit.deviation_us, 40.0)
        new = window_log_likelihood(
            _late(test, values, _hat(test.distance, knots)), test.period_us, deviation
        )
        old = window_log_likelihood(test.caught_us - test.ready_us, test.period_us, deviation)
        gains.append(new - old)
    gain = np.concatenate(gains)
    return float(gain.mean()), float(gain.std() / np.sqrt(max(len(gain), 1)))


def fit_shortest(windows: Windows, overhead_us: Floats) -> tuple[float, float, int]:
    """Shortest time after the overhead (us) until a sector can be caught without moving the arm;
    error and count.

    The likelihood of the windows over a grid; a sector that comes earlier is caught a turn later.
    The error is the half width at which the log likelihood has fallen by 1/2, at least one step of
    the grid.
    """
    count = len(windows)
    if count < 15:
        return np.nan, np.nan, count
    step = 10.0
    tried = np.arange(0.0, 0.75 * windows.period_us, step)
    late = windows.caught_us[None, :] - overhead_us[None, :] - tried[:, None]
    score = window_log_likelihood(late, windows.period_us, 40.0).sum(axis=1)
    best = int(np.argmax(score))
    # A flat top (no sector came within it) has no best point: its middle.
    top = np.flatnonzero(score > score[best] - 0.5)
    top = top[(top >= _run_start(score, best)) & (top <= _run_end(score, best))]
    middle = float((tried[top[0]] + tried[top[-1]]) / 2)
    return middle, max(step, float(tried[top[-1]] - tried[top[0]]) / 2), count


def _run_start(score: Floats, best: int) -> int:
    while best > 0 and score[best - 1] > score.max() - 0.5:
        best -= 1
    return best


def _run_end(score: Floats, best: int) -> int:
    while best + 1 < len(score) and score[best + 1] > score.max() - 0.5:
        best += 1
    return best
