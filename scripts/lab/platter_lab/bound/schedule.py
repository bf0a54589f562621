# SPDX-License-Identifier: Apache-2.0
"""Schedules of a clairvoyant: good ones, from above, for loads without deadlines."""

from __future__ import annotations

import math
import random

import numpy as np

from platter_lab.arrays import Floats, Ints
from platter_lab.bound.instance import Instance

_WIDTH = 300  # schedules that are kept at each position
_HOT, _COLD = 0.15, 0.005  # temperatures of the annealing, in median costs of a step
_LONGEST_MOVE = 200  # positions


def shortest_first(instance: Instance) -> list[int]:
    """Always the request whose access ends first."""
    known = [one for one in range(instance.n) if instance.order[one] < instance.depth]
    rest = sorted(set(range(instance.n)) - set(known), key=lambda one: int(instance.order[one]))
    schedule: list[int] = []
    times = instance.start
    while len(schedule) < instance.completions:
        chosen = min(known, key=lambda one: int(times[one]))
        schedule.append(chosen)
        known.remove(chosen)
        times = instance.onward[chosen]
        while rest and instance.order[rest[0]] < instance.depth + len(schedule):
            known.append(rest.pop(0))
    return schedule


def _rest(instance: Instance, costs: Floats) -> Floats:
    """From each position and request the least priced way to the end. Shape (completions, n)."""
    rest = np.zeros((instance.completions, instance.n))
    rest[-1] = -instance.lead * 1e-9
    for k in range(instance.completions - 2, -1, -1):
        may = np.flatnonzero(instance.may_serve(k + 1, 0))
        rest[k] = (costs[:, may] + rest[k + 1, may][None, :]).min(1)
    return rest


def beam(instance: Instance, prices: Ints) -> list[int]:
    """Position by position the schedules with the least time, price and priced way to the end."""
    priced = prices * 1e-9
    costs = instance.onward * 1e-9 + priced[None, :]
    np.fill_diagonal(costs, np.inf)
    rest = _rest(instance, costs)
    times = np.zeros(1)
    served = np.zeros((1, instance.n), bool)
    last: Ints = np.zeros(1, np.int64)
    steps: list[tuple[Ints, Ints]] = []
    for k in range(instance.completions):
        part = (costs[last] if k else (instance.start * 1e-9 + priced)[None, :]) + times[:, None]
        part[served] = np.inf
        part[:, ~instance.may_serve(k, 0)] = np.inf
        whole = (part + rest[k][None, :]).ravel()
        width = min(_WIDTH, int(np.isfinite(whole).sum()))
        kept = np.argpartition(whole, width - 1)[:width]
        parents, last = np.divmod(kept, instance.n)
        times = part.ravel()[kept]
        served = served[parents]
        served[np.arange(width), last] = True
        steps.append((parents, last))
    schedule: list[int] = []
    one = int((times - instance.lead[last] * 1e-9).argmin())
    for parents, requests in reversed(steps):
        schedule.append(int(requests[one]))
        one = int(parents[one])
    return schedule[::-1]


def anneal(instance: Instance, schedule: list[int], steps: int, seed: int) -> list[int]:
    """A schedule that is no longer than the given one. A step moves one to three requests together,
    or serves another request instead of one.
    """
    draw = random.Random(seed).random
    n, last, depth = instance.n, len(schedule), instance.depth
    costs = [[*row, 0.0] for row in (instance.onward * 1e-9).tolist()]
    lead = (instance.lead * 1e-9).tolist()
    for row, less in zip(costs, lead, strict=True):
        row[n] = -less  # the end of the schedule
    costs.append([*(instance.start * 1e-9).tolist(), 0.0])  # and its start
    order = [int(one) for one in instance.order]
    now, unserved = list(schedule), sorted(set(range(n)) - set(schedule))
    typical = float(np.median(instance.onward)) * 1e-9
    gained, most, best = 0.0, 0.0, list(schedule)

    def at(position: int) -> int:
        return now[position] if 0 <= position < last else n

    for step in range(steps):
        heat = typical * _HOT * (_COLD / _HOT) ** (step / steps)
        most_loss = -heat * math.log(1 - draw())
        kind = draw()
        if kind < 0.2:
            if not unserved:
                continue
            a, i = int(draw() * last), int(draw() * len(unserved))
            old, new, before, behind = now[a], unserved[i], at(a - 1), at(a + 1)
            if order[new] >= depth + a:
                continue
            loss = costs[before][new] + costs[new][behind] - costs[before][old] - costs[old][behind]
            if loss < most_loss:
                now[a], unserved[i] = new, old
                gained -= loss
        else:
            length = 1 if kind < 0.6 else 2 if kind < 0.8 else 3
            if last <= length:
                continue
            a = int(draw() * (last - length + 1))
            b = a + length
            far = int(min(last, _LONGEST_MOVE) * draw() ** 2) + 1
            first, final, before, behind = now[a], now[b - 1], at(a - 1), at(b)
            out = costs[before][behind] - costs[before][first] - costs[final][behind]
            later = draw() < 0.5
            to = min(b + far, last) if later else max(a - far, 0)
            if to in (a, b):
                continue
            left, right = at(to - 1), at(to)
            loss = out + costs[left][first] + costs[final][right] - costs[left][right]
            if loss >= most_loss:
                continue
            if later:
                if any(order[now[k]] >= depth + k - length for k in range(b, to)):
                    continue
                now[a:to] = now[b:to] + now[a:b]
            else:
                if any(order[now[a + k]] >= depth + to + k for k in range(length)):
                    continue
                now[to:b] = now[a:b] + now[to:a]
            gained -= loss
        if gained > most + 1e-9:
            most, best = gained, list(now)
    return best
