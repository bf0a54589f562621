# SPDX-License-Identifier: Apache-2.0
"""The spread of the head's arrival, from accesses that come a whole turn earlier or later than in
the model.

A replay at the mean arrival says how long the head would have waited for the first sector: its
leeway. A head that is late by more than this waits a turn more, and one that is early by more than
the rest of the turn waits a turn less. So the turns in a measured time show the distribution of the
arrivals, and what is left beside them the jitter of everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize, special

from platter_lab.arrays import Bools, Floats, Ints

CUT = 4  # the distribution ends at so many deviations
TURNS = (-2, -1, 0, 1, 2)
NEAR_TURN = 0.1  # a time so near to a whole turn, in turns, is that turn
FOLDS = 5
SIGMAS = 2.0  # a richer form must be better by so many standard errors
FEWEST = 50  # accesses that are needed for a deviation of their own
FEWEST_TURNS = 5  # of them, accesses a turn off, for one that depends on the distance
LEAST_US, MOST_US = 5.0, 3000.0
# Priors: of a deviation, as a logarithm, and of a shift of the mean.
USUAL_US, USUAL_FACTOR = 150.0, 1.5
SHIFT_US = 300.0
SHIFTS = 3  # of later_us
PHASE_TURNS = 0.05  # jitter, in turns, from which on the phases are not known


@dataclass(frozen=True)
class Accesses:
    """Accesses to the media, in the model and on the drive; arrays of shape (m,)."""

    period_us: float
    error_us: Floats  # measured time less that of the model
    leeway_us: Floats  # from the mean arrival to the first sector
    arrival_us: Floats  # from the begin of the access to the mean arrival
    distance: Ints  # cylinders
    other_head: Bools  # the head changes
    write: Bools

    def __len__(self) -> int:
        return len(self.error_us)

    def __getitem__(self, index: Ints | Bools) -> Accesses:
        return Accesses(
            self.period_us,
            self.error_us[index],
            self.leeway_us[index],
            self.arrival_us[index],
            self.distance[index],
            self.other_head[index],
            self.write[index],
        )

    def turns(self) -> tuple[Ints, Bools]:
        """The whole turns in the errors, and which errors are whole turns, shape (m,) each."""
        in_turns = self.error_us / self.period_us
        whole = np.rint(in_turns)
        return whole.astype(int), np.abs(in_turns - whole) < NEAR_TURN


@dataclass(frozen=True)
class Spread:
    """Deviations at distances, with straight lines between them, and by how much the mean arrivals
    are later than the model's; us.
    """

    distance: Ints  # (k,), ascending; one entry: at all distances
    deviation_us: Floats  # (k,)
    error_us: Floats  # (k,) standard errors
    jitter_us: float  # deviation of what is left beside the turns
    stray: float  # share of the accesses that no turn explains
    # On one track, after a head switch alone, and over any distance.
    later_us: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def at(self, accesses: Accesses) -> Floats:
        """Deviation of each arrival, shape (m,): at most a share of that time, as in the model."""
        given = np.interp(accesses.distance, self.distance, self.deviation_us)
        return np.minimum(given, accesses.arrival_us / CUT)

    def leeway(self, accesses: Accesses) -> Floats:
        """Of the mean arrival, shape (m,)."""
        track, switch, far = self.later_us
        near = np.where(accesses.other_head, switch, track)
        return accesses.leeway_us - np.where(accesses.distance == 0, near, far)

    def in_phase(self, period_us: float) -> bool:
        """Whether measured and simulated times agree up to turns. Without, the phases of the drive
        are not known, and the deviations are not those of arrivals.
        """
        return self.jitter_us < PHASE_TURNS * period_us

    def points(self) -> list[list[float]]:
        return [
            [int(at), round(float(us), 1)]
            for at, us in zip(self.distance, self.deviation_us, strict=True)
        ]


def turn_probabilities(leeway_us: Floats, deviation_us: Floats, period_us: float) -> Floats:
    """Of each of TURNS, shape (turns, m). An arrival without deviation is at its mean."""
    scale = np.maximum(deviation_us, 1e-6)
    tail = special.ndtr(-CUT)

    def before(limit_us: Floats) -> Floats:
        inside = (special.ndtr(np.clip(limit_us / scale, -CUT, CUT)) - tail) / (1 - 2 * tail)
        return np.asarray(inside)

    # A turn ends where the next one begins.
    limits = [before(leeway_us + turn * period_us) for turn in (TURNS[0] - 1, *TURNS)]
    return np.diff(limits, axis=0)


def log_likelihood(accesses: Accesses, spread: Spread) -> Floats:
    """Of each measured time, per us, shape (m,)."""
    period = accesses.period_us
    turns = turn_probabilities(spread.leeway(accesses), spread.at(accesses), period)
    rest = accesses.error_us[None, :] - np.array(TURNS)[:, None] * period
    density = normal_density(rest, spread.jitter_us)
    return np.asarray(
        np.log((1 - spread.stray) * (turns * density).sum(axis=0) + _stray(spread.stray, period))
    )


def normal_density(error_us: Floats, deviation_us: float) -> Floats:
    scaled = error_us / deviation_us
    return np.asarray(np.exp(-0.5 * scaled**2) / (np.sqrt(2 * np.pi) * deviation_us))


def _stray(share: float, period_us: float) -> float:
    """Density of a time that no turn explains: anywhere within two turns."""
    return share / (4 * period_us) + 1e-300


@dataclass(frozen=True)
class NormalError:
    """The alternative: the model's time plus one normal error, without or with strays."""

    mean_us: float
    deviation_us: float
    stray: float = 0.0

    def log_likelihood(self, accesses: Accesses) -> Floats:
        density = normal_density(accesses.error_us - self.mean_us, self.deviation_us)
        strays = _stray(self.stray, accesses.period_us)
        return np.asarray(np.log((1 - self.stray) * density + strays))


def fit_normal(accesses: Accesses) -> NormalError:
    """Maximum likelihood."""
    return NormalError(float(accesses.error_us.mean()), float(accesses.error_us.std()))


def fit_normal_with_strays(accesses: Accesses) -> NormalError:
    def of(values: Floats) -> NormalError:
        return NormalError(float(values[0]), float(np.exp(values[1])), _share(values[2]))

    width = float(np.median(np.abs(accesses.error_us))) + 20
    start = np.array([0.0, np.log(width), -2.0])

    def cost(values: Floats) -> float:
        return -float(of(values).log_likelihood(accesses).sum())

    found = _minimise(cost, start, np.array([30.0, 1.0, 1.0]))
    return of(found.x)


def _share(value: float) -> float:
    return float(0.001 + 0.6 * special.expit(value))


def forms(accesses: Accesses) -> dict[str, Ints]:
    """Distances at which the deviation may be fitted, by name, the simplest first. A deviation
    needs accesses, and one of longer distances accesses a turn off.
    """
    moved = accesses.distance > 0
    if min(moved.sum(), (~moved).sum()) < FEWEST:
        return {"one": np.array([0])}
    found = {"near and far": np.array([0, 1])}
    turns, whole = accesses.turns()
    off = accesses.distance[moved & whole & (np.abs(turns) == 1)]
    if len(off) < 2 * FEWEST_TURNS:
        return found
    ends = np.unique(np.quantile(accesses.distance[moved], (0.15, 0.85)).round())
    if len(ends) == 2:
        found["near and a line"] = np.array([0, *ends]).astype(int)
    return found


def fit(accesses: Accesses, distance: Ints, shifted: bool = False) -> Spread:
    """Maximum likelihood over deviations, jitter and the share of strays; with `shifted` over the
    means of the arrivals, too. Weak priors keep deviations finite and shifts small where the
    accesses say nothing.
    """
    size = len(distance)
    # A deviation at distance 0 beside others is that of distance 0 alone.
    at = np.sort([*distance, 1]) if size > 1 and distance[1] > 1 else distance

    def of(values: Floats) -> Spread:
        deviations = np.exp(np.clip(values[:size], np.log(LEAST_US), np.log(MOST_US)))
        if len(at) > size:
            deviations = np.insert(deviations, 1, deviations[1])
        later = values[size + 2 :] if shifted else np.zeros(SHIFTS)
        return Spread(
            at,
            deviations,
            np.full(len(at), np.nan),
            float(np.exp(values[size])),
            _share(values[size + 1]),
            (float(later[0]), float(later[1]), float(later[2])),
        )

    def cost(values: Floats) -> float:
        prior = (((values[:size] - np.log(USUAL_US)) / USUAL_FACTOR) ** 2).sum() / 2
        prior += ((values[size + 2 :] / SHIFT_US) ** 2).sum() / 2
        return float(prior - log_likelihood(accesses, of(values)).sum())

    turns, whole = accesses.turns()
    rest = accesses.error_us[whole] - accesses.period_us * turns[whole]
    jitter = float(np.median(np.abs(rest))) * 1.48 + 5 if len(rest) else 100.0
    best: optimize.OptimizeResult | None = None
    for usual in (50.0, 150.0, 400.0):
        begin = np.zeros(size + 2 + SHIFTS * shifted)
        begin[: size + 2] = [*[np.log(usual)] * size, np.log(jitter), -2.0]
        scale = np.array([*[1.0] * (size + 2), *[100.0] * (SHIFTS * shifted)])
        found = _minimise(cost, begin, scale)
        if best is None or found.fun < best.fun:
            best = found
    assert best is not None
    spread = of(best.x)
    errors = _errors(cost, best.x, size)
    if len(at) > size:
        errors = np.insert(errors, 1, errors[1])
    return replace(spread, error_us=errors)


def _minimise(
    cost: Callable[[Floats], float], begin: Floats, scale: Floats
) -> optimize.OptimizeResult:
    """Steps along the gradient, then a simplex from there: the cut of the distribution makes the
    cost uneven.
    """

    def scaled(values: Floats) -> float:
        return cost(values * scale)

    near = optimize.minimize(
        scaled, begin / scale, method="L-BFGS-B", options={"eps": 1e-3, "maxiter": 60}
    )
    simplex = near.x + np.vstack((np.zeros(len(begin)), 0.2 * np.eye(len(begin))))
    found = optimize.minimize(
        scaled,
        near.x,
        method="Nelder-Mead",
        options={"maxfev": 600, "xatol": 1e-3, "fatol": 1e-3, "initial_simplex": simplex},
    )
    found.x = found.x * scale
    return found


def _errors(
    cost: Callable[[Floats], float], values: Floats, size: int, step: float = 0.05
) -> Floats:
    """Standard errors of the deviations, from the curvature along each of them; us."""
    errors = np.full(size, np.nan)
    at = cost(values)
    for number in range(size):
        offset = step * np.eye(len(values))[number]
        curvature = (cost(values + offset) - 2 * at + cost(values - offset)) / step**2
        if curvature > 0:
            errors[number] = np.exp(values[number]) / np.sqrt(curvature)
    return errors


def held_out(accesses: Accesses, distance: Ints, shifted: bool = False) -> Floats:
    """Log likelihood of each access under a fit to the other folds, in time order, shape (m,)."""
    fold = (np.arange(len(accesses)) * FOLDS) // max(len(accesses), 1)
    return np.concatenate(
        [
            log_likelihood(accesses[fold == test], fit(accesses[fold != test], distance, shifted))
            for test in range(FOLDS)
        ]
    )


def choose(accesses: Accesses) -> tuple[str, dict[str, float]]:
    """The simplest form whose held-out log likelihood is within SIGMAS standard errors of the best
    form's, and the mean gain of each form over the simplest.
    """
    tried = forms(accesses)
    if len(tried) == 1:
        return next(iter(tried)), {}
    held = {name: held_out(accesses, distance) for name, distance in tried.items()}
    simplest = next(iter(held.values()))
    gains = {name: float((values - simplest).mean()) for name, values in held.items()}
    best = max(gains, key=lambda name: gains[name])
    for name, values in held.items():  # the simplest first
        lead = held[best] - values
        if lead.mean() <= SIGMAS * lead.std() / np.sqrt(len(lead)):
            return name, gains
    return best, gains


def shift(accesses: Accesses) -> tuple[Spread, float, float]:
    """A fit in which the mean arrivals are free, and what that gains in the log likelihood of a
    held-out access, with its standard error.
    """
    distance = next(iter(forms(accesses).values()))
    gain = held_out(accesses, distance, True) - held_out(accesses, distance)
    error = float(gain.std() / np.sqrt(max(len(gain), 1)))
    return fit(accesses, distance, True), float(gain.mean()), error


@dataclass(frozen=True)
class Counts:
    """Accesses a turn earlier or later than at the mean arrival: measured, and as the spread
    says.
    """

    accesses: int
    measured_late: int
    measured_early: int
    expected_late: float
    expected_early: float
    error_late: float  # standard deviations of the expected counts
    error_early: float


def count(accesses: Accesses, spread: Spread) -> Counts:
    turns, whole = accesses.turns()
    chosen = accesses[whole & (np.abs(turns) <= 1)]
    turns = turns[whole & (np.abs(turns) <= 1)]
    probability = turn_probabilities(spread.leeway(chosen), spread.at(chosen), chosen.period_us)
    late, early = probability[TURNS.index(1)], probability[TURNS.index(-1)]
    return Counts(
        len(chosen),
        int((turns == 1).sum()),
        int((turns == -1).sum()),
        float(late.sum()),
        float(early.sum()),
        float(np.sqrt((late * (1 - late)).sum())),
        float(np.sqrt((early * (1 - early)).sum())),
    )


def scores(accesses: Accesses, spread: Spread, rivals: dict[str, NormalError]) -> dict[str, object]:
    """What the report has of accesses that the fit has not seen."""
    counts = count(accesses, spread)
    own = log_likelihood(accesses, spread)
    return {
        "accesses": len(accesses),
        "log_likelihood": float(own.mean()),
        "gain_over": {
            name: {
                "mean": float((own - (other := rival.log_likelihood(accesses))).mean()),
                "error": float((own - other).std() / np.sqrt(max(len(own), 1))),
            }
            for name, rival in rivals.items()
        },
        "turn_later": {
            "measured": counts.measured_late,
            "expected": round(counts.expected_late, 1),
            "sampling_error": round(counts.error_late, 1),
        },
        "turn_earlier": {
            "measured": counts.measured_early,
            "expected": round(counts.expected_early, 1),
            "sampling_error": round(counts.error_early, 1),
        },
    }
