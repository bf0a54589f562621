# SPDX-License-Identifier: Apache-2.0
"""Multipliers of a bound. Whatever they are, what `check` makes of them is a bound; here they are
made good ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment, minimize

from platter_lab.arrays import Floats, Ints
from platter_lab.bound.check import NEVER
from platter_lab.bound.instance import Instance

# Of the first search: temperatures in mean costs of a step, and iterations at each.
_TEMPERATURES = ((0.1, 50), (0.03, 60), (0.01, 100))
_MEMORY = 20  # of L-BFGS
# Of the second search.
_FIRST_STEP, _SHORTER, _PATIENCE, _NEW = 0.1, 0.7, 12, 0.25


def _milliseconds(times: Ints) -> Floats:
    return times.astype(np.float64) * 1e-9


def assignment_duals(instance: Instance) -> Ints:
    """Of the least assignment of successors, rows first. Shape (2 n + 2,)."""
    n = instance.n
    costs = instance.table.copy()
    costs[:, n] *= -1
    costs[0, n] = NEVER
    costs[np.arange(1, n + 1), np.arange(n)] = NEVER
    # The library counts in doubles, which hold these times exactly.
    _, chosen = linear_sum_assignment(np.minimum(costs, np.int64(1) << 50).astype(float))
    own = costs[np.arange(n + 1), chosen]
    columns = costs.min(0)
    for _ in range(n + 2):  # shortest ways over the rows; ends when nothing becomes shorter
        rows = np.empty(n + 1, np.int64)
        rows[:] = own - columns[chosen]
        shorter = np.minimum(columns, (costs - rows[:, None]).min(0))
        if (shorter == columns).all():
            break
        columns = shorter
    rows = (costs - columns[None, :]).min(1)
    return np.concatenate([rows, columns])


class _Layers:
    """Which requests each position may serve, with the requests sorted by their first position.

    Positions have `width` requests at most, which are the first of the sorted ones.
    """

    def __init__(self, instance: Instance) -> None:
        count = range(instance.completions)
        self.phases = [instance.phases(k) for k in count]
        allowed = [{q: instance.may_serve(k, q) for q in self.phases[k]} for k in count]
        earliest = np.full(instance.n, instance.completions)
        for k in reversed(count):
            for may in allowed[k].values():
                earliest[may] = k
        self.sorted = np.argsort(earliest, kind="stable")
        self.width = np.searchsorted(earliest[self.sorted], count, side="right")
        self.allowed = [
            {q: np.flatnonzero(~may[self.sorted][: self.width[k]]) for q, may in allowed[k].items()}
            for k in count
        ]  # those that it may not serve
        self.ends = [
            np.flatnonzero(instance.round_of[self.sorted] != q) for q in range(instance.rounds)
        ]  # behind these no phase begins


class Walks:
    """Walks of an instance, in ms, with the requests sorted by the first position that may serve
    them.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.layers = _Layers(instance)
        order = self.layers.sorted
        self.onward = instance.onward[np.ix_(order, order)] * 1e-9
        np.fill_diagonal(self.onward, np.inf)
        self.start = instance.start[order] * 1e-9
        self.lead = instance.lead[order] * 1e-9
        self._ends = np.full(instance.completions, -np.inf)

    def sources(self, values: Floats, phase: int) -> Floats:
        """What leads to a phase: it, or the end of the one before. `values`: (rounds, n) of the
        position before.
        """
        own: Floats = values[phase]
        if phase == 0:
            return own
        ended = values[phase - 1].copy()
        ended[self.layers.ends[phase - 1]] = 0
        together: Floats = own + ended
        return together

    def smooth(self, prices: Floats, temperature: float) -> tuple[float, Floats]:
        """Soft minimum of all walks, less the sum of the prices, and the mean number of visits of
        each request. Shape (n,).
        """
        layers, last, rounds = self.layers, self.instance.completions, self.instance.rounds
        n = self.instance.n
        weight = np.exp(-(self.onward + prices[None, :]) / temperature)
        first = self.start + prices
        least = first[: layers.width[0]].min()
        forward = np.zeros((last, rounds, n))
        logarithm = -least / temperature
        for k in range(last):
            width = layers.width[k]
            for q in layers.phases[k]:
                if k == 0:
                    forward[0, q, :width] = np.exp(-(first[:width] - least) / temperature)
                else:
                    came = layers.width[k - 1]
                    source = self.sources(forward[k - 1], q)[:came]
                    forward[k, q, :width] = source @ weight[:came, :width]
                forward[k, q, layers.allowed[k][q]] = 0
            if k == last - 1:
                forward[k, : rounds - 1] = 0
                forward[k, rounds - 1] *= np.exp(np.minimum(self.lead / temperature, 600))
            total = forward[k].sum()
            if not 0 < total < np.inf:
                return -np.inf, np.ones(n)
            forward[k] /= total
            logarithm += np.log(total)
        visits = forward[last - 1, rounds - 1].copy()
        behind = np.zeros((rounds, n))
        behind[rounds - 1] = 1
        for k in range(last - 2, -1, -1):
            width, came = layers.width[k + 1], layers.width[k]
            before = np.zeros((rounds, n))
            for q in layers.phases[k + 1]:
                goes = behind[q, :width].copy()
                goes[layers.allowed[k + 1][q]] = 0
                part = weight[:came, :width] @ goes
                if q in layers.phases[k]:
                    before[q, :came] += part
                if q > 0 and q - 1 in layers.phases[k]:
                    part[layers.ends[q - 1][layers.ends[q - 1] < came]] = 0
                    before[q - 1, :came] += part
            behind = before / max(before.max(), np.finfo(float).tiny)
            share = (forward[k] * behind).sum(0)
            if not share.sum() > 0:  # the weights that lead to the end are too small for a double
                return -np.inf, np.ones(n)
            visits += share / share.sum()
        return float(-temperature * logarithm - prices.sum()), visits

    def best(self, prices: Floats) -> tuple[float, list[int]]:
        """The least walk that never returns at the next position but one: its value less the sum of
        the prices, and its requests (as sorted).
        """
        layers, last, n = self.layers, self.instance.completions, self.instance.n
        to = np.ascontiguousarray((self.onward + prices[None, :]).T, np.float32)  # [to, from]
        buffers = [np.empty((n, n), np.float32), np.empty((n, n), np.float32)]
        labels: dict[int, Any] = {}
        taken: list[dict[int, Any]] = []
        for k in range(last):
            fresh: dict[int, Any] = {}
            back: dict[int, Any] = {}
            width, came = layers.width[k], layers.width[max(0, k - 1)]
            for q in layers.phases[k]:
                if k == 0:
                    value = (self.start + prices)[:width].astype(np.float32)
                    value[layers.allowed[0][q]] = np.inf
                    none = np.full(width, np.inf, np.float32)
                    fresh[q] = value, none, np.full(width, -1)
                    continue
                parts: list[tuple[int, Any]] = []
                for source in (q, q - 1):
                    if source not in labels:
                        continue
                    one, two, behind = labels[source]
                    if source < q:
                        one, two = one.copy(), two.copy()
                        closed = layers.ends[source][layers.ends[source] < came]
                        one[closed] = two[closed] = np.inf
                    part = buffers[len(parts)][:width, :came]
                    np.add(to[:width, :came], one[None, :], out=part)
                    known = np.flatnonzero(behind >= 0)
                    part[behind[known], known] = to[behind[known], known] + two[known]
                    parts.append((source, part))
                total = parts[0][1]
                crossed = None
                if len(parts) > 1:
                    crossed = parts[1][1] < total
                    np.minimum(total, parts[1][1], out=total)
                at = np.arange(width)
                nearest = total.argmin(1)
                value = total[at, nearest]
                total[at, nearest] = np.inf
                other = total.argmin(1)
                second = total[at, other]
                value[layers.allowed[k][q]] = second[layers.allowed[k][q]] = np.inf
                fresh[q] = value, second, nearest
                if crossed is None:
                    phases = np.full((2, width), parts[0][0])
                else:
                    phases = np.where([crossed[at, nearest], crossed[at, other]], q - 1, q)
                back[q] = nearest, other, phases
            labels = fresh
            taken.append(back)
            if self.instance.rounds - 1 in fresh:
                reached = fresh[self.instance.rounds - 1][0] - self.lead[:width]
                self._ends[k] = float(reached.min() - prices.sum())
        q = self.instance.rounds - 1
        ends = labels[q][0] - self.lead[: layers.width[last - 1]]
        request = int(ends.argmin())
        total_value = float(ends[request] - prices.sum())
        walk, after = [request], -1
        for k in range(last - 1, 0, -1):
            nearest, other, phases = taken[k][q]
            which = 0 if nearest[request] != after else 1
            before = int((nearest, other)[which][request])
            q = int(phases[which][request])
            after, request = request, before
            walk.append(request)
        return total_value, walk[::-1]

    def best_exact(self, prices: Ints) -> tuple[int, list[int]]:
        """The same of prices in ps, in the order of the instance; the value is rounded to about
        1 us.
        """
        value, walk = self.best(_milliseconds(prices[self.layers.sorted]))
        return round(value * 1e9), [int(self.layers.sorted[one]) for one in walk]

    def curve(self, prices: Ints) -> Floats:
        """The same value after each number of completions, from 1 on, in ps; -inf where not all
        requests of rounds can have been served.
        """
        self._ends[:] = -np.inf
        self.best_exact(prices)
        return np.round(self._ends * 1e9)


def _towards(walks: Walks, prices: Floats, bounds: list[tuple[float | None, None]]) -> Floats:
    """Multipliers of the soft minimum, colder and colder."""
    step = float(np.median(walks.onward[np.isfinite(walks.onward)]))
    for share, iterations in _TEMPERATURES:

        def less(x: Floats, temperature: float = share * step) -> tuple[float, Floats]:
            value, visits = walks.smooth(x, temperature)
            return -value, 1 - visits

        found = minimize(
            less,
            prices,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": iterations, "maxcor": _MEMORY},
        )
        if not np.isfinite(found.fun) or not np.isfinite(found.x).all():
            break  # too cold for a double
        prices = found.x
    return prices


def walk_prices(
    instance: Instance, above: float, iterations: int, prices: Ints | None = None
) -> Ints:
    """Multipliers of the walk, in ps. Shape (n,).

    First those of the soft minimum over all walks, then by `iterations` steps along deflected
    subgradients of the walks that do not return at once. `above`: a time, in ms, that some schedule
    reaches. `prices`: to begin with, instead of the first search.
    """
    walks = Walks(instance)
    order = walks.layers.sorted
    free = instance.round_of[order] >= 0
    if prices is None:
        now = _towards(walks, np.zeros(instance.n), [(None if one else 0, None) for one in free])
    else:
        now = _milliseconds(prices[order])
    least = np.where(free, -np.inf, 0)
    best, kept, length, idle = -np.inf, now, _FIRST_STEP, 0
    way: Floats = np.zeros(0)
    for _ in range(iterations + 1):
        value, walk = walks.best(now)
        idle = 0 if value > best + 1e-4 * abs(best) or best == -np.inf else idle + 1
        if value > best:
            best, kept = value, now
        if idle > _PATIENCE:
            length, idle = length * _SHORTER, 0
        slope: Floats = np.bincount(walk, minlength=instance.n).astype(np.float64) - 1.0
        slope[(now <= least) & (slope < 0)] = 0
        way = slope if not way.size else _NEW * slope + (1 - _NEW) * way
        norm = float((way**2).sum())
        if norm == 0:
            break
        now = np.maximum(least, now + length * max(above - value, 1e-3 * above) / norm * way)
    exact = np.empty(instance.n, np.int64)
    exact[order] = np.round(kept * 1e9).astype(np.int64)
    return exact
