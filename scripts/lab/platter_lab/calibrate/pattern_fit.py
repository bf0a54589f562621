# SPDX-License-Identifier: Apache-2.0
"""Calibration of a layout of patterns: the angles of its steps, of its parts, and the overheads.

Four fifths of the trace are fitted. The last fifth is scored once, at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from platter_lab import LabError
from platter_lab.arrays import Bools, Floats, Ints
from platter_lab.calibrate.pattern_tree import KINDS, BlockMap, Blocks, PatternTree, Tracks
from platter_lab.calibrate.phase import wrap
from platter_lab.calibrate.profile import Profile
from platter_lab.calibrate.replay import demerit_percent
from platter_lab.calibrate.trace import Reading, Trace

FITTED_SHARE = 0.8
WITHIN_US = 150.0
# Pairs of accesses at most so many tracks apart, in turn: each step's fit tells the next one's
# turns apart.
WINDOWS_TRACKS = (100, 300, 1000, 3000, 10000)
HORIZONS_TURNS = (60, 250, 1000, 4000, 16000, 64000)
SPEED_SPAN = 0.01
LEAST_STEPS = 30  # of a kind, for its angle to be fitted
LEAST_OF_PART = 10  # accesses with which a part of the layout gets an angle of its own
SIGMAS = 4.0  # by which two parts' angles must differ
OUTLIER_TURNS = 0.1
COHERENT = 0.7
OVERHEADS_US = np.arange(-200.0, 1000.0, 20.0)
PAIRS = 40000


@dataclass(frozen=True)
class Accesses:
    """The requests of a trace on the tracks of a layout; arrays of shape (n,)."""

    first: Blocks
    last: Blocks
    is_read: Bools
    media_end_us: Floats  # on the trace's clock

    def __getitem__(self, index: Ints | slice) -> Accesses:
        def pick(blocks: Blocks) -> Blocks:
            return Blocks(blocks.track[index], blocks.sector[index], blocks.share[index])

        return Accesses(
            pick(self.first), pick(self.last), self.is_read[index], self.media_end_us[index]
        )


@dataclass
class PatternCalibration:
    """What came out."""

    reading: Reading
    coherence: dict[str, float]
    turns_per_us: float
    turns: Floats  # of each kind of step
    errors: Floats
    offsets: Floats  # of the root's runs
    parts: int
    noise_us: float
    overheads_us: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def rpm(self) -> float:
        return 60e6 * self.turns_per_us


def first_turns(tracks: Tracks) -> Floats:
    """The angle of each kind of step as most of the layout's tracks have it; 0 does not count."""
    turns = np.zeros(len(KINDS))
    whole = tracks.blocks == tracks.sectors
    change = np.diff(tracks.steps, axis=0)
    angle = np.diff(tracks.angle) % 1.0
    for kind in range(len(KINDS)):
        of_kind = (change[:, kind] == 1) & (change.sum(axis=1) == 1) & whole[1:] & whole[:-1]
        seen = angle[of_kind]
        seen = seen[seen > 1e-9]
        if len(seen) == 0:
            continue
        counts, edges = np.histogram(seen, bins=400, range=(0.0, 1.0))
        peak = edges[int(np.argmax(counts))]
        near = seen[np.abs(wrap(seen - peak)) < 0.006]
        turns[kind] = (peak + float(np.median(wrap(near - peak)))) % 1.0
    return turns


class PatternFit:
    """The fit to some accesses of a trace."""

    def __init__(self, tree: PatternTree, profile: Profile) -> None:
        self.tree = tree
        self.tracks = tree.tracks
        self.profile = profile
        self.map = BlockMap(self.tracks, profile.get("geometry.slips", []))
        self.free = [k for k in range(len(KINDS)) if int(self.tracks.steps[-1][k]) >= LEAST_STEPS]

    def accesses(self, trace: Trace, reading: Reading) -> Accesses:
        bus = self.profile.bus()
        late = np.where(trace.is_read, bus.read_block_us + bus.completion_us, bus.write_status_us)
        beyond = np.flatnonzero(trace.lba + trace.blocks > self.map.blocks)
        if len(beyond):
            raise LabError(
                f"request {beyond[0] + 1} of the trace is beyond the {self.map.blocks} blocks of "
                f"{self.profile.path}"
            )
        return Accesses(
            self.map.find(trace.lba),
            self.map.find(trace.lba + trace.blocks - 1),
            trace.is_read,
            trace.completions_us(reading) - late,
        )

    # Phases: what is left is the angle of a track, up to a constant of its part.

    def _phase(self, accesses: Accesses, turns_per_us: float) -> Floats:
        end = accesses.last.share + 1 / self.tracks.sectors[accesses.last.track]
        return np.asarray(accesses.media_end_us * turns_per_us - end)

    def _pairs(self, accesses: Accesses, tracks: int, horizon_us: float) -> tuple[Ints, Ints]:
        """Pairs of accesses of one kind in one part of the layout, near each other."""
        track = accesses.last.track
        order = np.lexsort((track, accesses.is_read, self._part(track)))
        one: list[Ints] = []
        other: list[Ints] = []
        for lag in range(1, 60):
            i, j = order[:-lag], order[lag:]
            good = (
                (accesses.is_read[i] == accesses.is_read[j])
                & (self._part(track[i]) == self._part(track[j]))
                & (np.abs(track[i] - track[j]) <= tracks)
                & (np.abs(accesses.media_end_us[i] - accesses.media_end_us[j]) <= horizon_us)
            )
            one.append(i[good])
            other.append(j[good])
            if sum(len(found) for found in one) > PAIRS:
                break
        return np.concatenate(one), np.concatenate(other)

    def _part(self, track: Ints) -> Ints:
        """Number of the zone: neighbouring runs of the root whose densest tracks are alike."""
        return self._zones[self.tracks.root_run[track]]

    @property
    def _zones(self) -> Ints:
        if not hasattr(self, "_zone_of_run"):
            runs = int(self.tracks.root_run[-1]) + 1
            most = np.zeros(runs, dtype=np.int64)
            np.maximum.at(most, self.tracks.root_run, self.tracks.sectors)
            changes = np.concatenate(([0], np.cumsum(np.diff(most) != 0)))
            self._zone_of_run: Ints = changes
        return self._zone_of_run

    def _rest(
        self, accesses: Accesses, pairs: tuple[Ints, Ints], turns_per_us: float, turns: Floats
    ) -> Floats:
        i, j = pairs
        phase = self._phase(accesses, turns_per_us) - self.tracks.steps[accesses.last.track] @ turns
        return phase[j] - phase[i]

    def speed(self, accesses: Accesses, turns: Floats) -> tuple[float, float]:
        """Turns per us, and the coherence that it reaches."""
        period = self.profile.period_us
        best, span = 1 / period, SPEED_SPAN
        coherence = 0.0
        for horizon in HORIZONS_TURNS:
            pairs = self._pairs(accesses, WINDOWS_TRACKS[1], horizon * period)
            if len(pairs[0]) < 20:
                continue
            rest = self._rest(accesses, pairs, best, turns)
            gap = accesses.media_end_us[pairs[1]] - accesses.media_end_us[pairs[0]]
            tried = best * np.arange(-span, span, 0.05 / horizon)
            scores = [float(np.cos(2 * np.pi * (rest + gap * t)).mean()) for t in tried]
            best += float(tried[int(np.argmax(scores))])
            coherence = max(scores)
            span = 0.5 / horizon
        return best, coherence

    def step_turns(self, accesses: Accesses, turns_per_us: float, turns: Floats) -> Floats:
        """Angles of the kinds of steps, from pairs that are farther and farther apart."""
        for window in WINDOWS_TRACKS:
            pairs = self._pairs(accesses, window, np.inf)
            if len(pairs[0]) < 20:
                continue
            steps = (
                self.tracks.steps[accesses.last.track[pairs[1]]]
                - self.tracks.steps[accesses.last.track[pairs[0]]]
            )
            for _ in range(3):
                for kind in self.free:
                    rest = self._rest(accesses, pairs, turns_per_us, turns)
                    most = max(1, int(np.abs(steps[:, kind]).max()))
                    tried = np.linspace(-0.5, 0.5, 101) * min(0.1, 2.0 / most)
                    scores = [
                        float(np.cos(2 * np.pi * (rest - steps[:, kind] * t)).mean()) for t in tried
                    ]
                    turns = turns.copy()
                    turns[kind] += float(tried[int(np.argmax(scores))])
        return turns

    # Parts of the layout, and the last refinement.

    def _centers(self, rest: Floats, part: Ints, number: int) -> tuple[Floats, Ints]:
        center = np.zeros(number)
        seen = np.zeros(number, dtype=np.int64)
        for one in range(number):
            of_part = rest[part == one]
            seen[one] = len(of_part)
            if len(of_part):
                middle = float(np.angle(np.exp(2j * np.pi * of_part).mean())) / (2 * np.pi)
                center[one] = middle + float(np.median(wrap(of_part - middle)))
        return center, seen

    def parts(self, rest: Floats, runs: Ints) -> Ints:
        """Which part each run of the root belongs to: parts of one zone whose angles differ."""
        zones = self._zones
        spreads = [
            np.median(np.abs(wrap(here - np.median(here))))
            for here in (rest[runs == run] for run in range(len(zones)))
            if len(here) >= LEAST_OF_PART
        ]
        noise = max(1e-4, 1.5 * float(np.median(spreads))) if spreads else 0.5
        part = np.zeros(len(zones), dtype=np.int64)
        current = 0
        last: Floats | None = None  # phases of the part so far
        for run, zone in enumerate(zones):
            here = rest[runs == run]
            starts = run > 0 and zone != zones[run - 1]
            if not starts and last is not None and len(here) >= LEAST_OF_PART:
                both = [
                    float(np.angle(np.exp(2j * np.pi * some).mean())) / (2 * np.pi)
                    for some in (last, here)
                ]
                error = noise * np.sqrt(1 / len(last) + 1 / len(here))
                starts = bool(abs(wrap(np.array(both[1] - both[0]))) > max(SIGMAS * error, 0.01))
            if starts:
                current += 1
                last = None
            if len(here) >= LEAST_OF_PART or (last is None and len(here) > 0):
                last = here if last is None else np.concatenate([last, here])
            part[run] = current
        return part

    def refine(self, accesses: Accesses, found: PatternCalibration) -> PatternCalibration:
        """All angles and the speed by least squares, outliers aside."""
        track = accesses.last.track
        runs = self.tracks.root_run[track]
        steps = self.tracks.steps[track]
        turns, speed = found.turns.copy(), found.turns_per_us
        delay = 0.0
        for _ in range(6):
            rest = self._phase(accesses, speed) - steps @ turns - delay * ~accesses.is_read
            part = self.parts(wrap(rest), runs)
            number = int(part[-1]) + 1
            center, _ = self._centers(wrap(rest), part[runs], number)
            left = wrap(rest - center[part[runs]])
            good = np.abs(left) < OUTLIER_TURNS
            which = np.zeros((len(track), number))
            which[np.arange(len(track)), part[runs]] = 1.0
            when = accesses.media_end_us - accesses.media_end_us.mean()
            scale = np.abs(when).max()
            columns = [
                steps[:, self.free],
                which,
                (~accesses.is_read)[:, None],
                (when / scale)[:, None],
            ]
            design = np.hstack([np.asarray(column, dtype=float) for column in columns])
            # A read's moment is known less well than a write's.
            weight = np.zeros(len(track))
            for kind in (accesses.is_read, ~accesses.is_read):
                spread = 1.5 * float(np.median(np.abs(left[kind & good]))) if kind.any() else 1.0
                weight[kind & (np.abs(left) < 4 * spread + 1e-4)] = 1 / (spread + 1e-4)
            size = np.linalg.norm(design * weight[:, None], axis=0) + 1e-12
            scaled = design * weight[:, None] / size
            inverse = np.linalg.pinv(scaled, rcond=1e-12)
            change = inverse @ (left * weight) / size
            error = np.sqrt((inverse**2).sum(axis=1)) / size
            turns[self.free] += change[: len(self.free)]
            delay += float(change[-2])
            speed -= float(change[-1]) / scale
        rest = self._phase(accesses, speed) - steps @ turns - delay * ~accesses.is_read
        center, _ = self._centers(wrap(rest), part[runs], number)
        left = wrap(rest - center[part[runs]])
        good = np.abs(left) < OUTLIER_TURNS
        noise = float(left[good].std())
        errors = np.full(len(KINDS), np.nan)
        errors[self.free] = error[: len(self.free)]
        return replace(
            found,
            turns=turns % 1.0,
            errors=errors,
            turns_per_us=speed,
            offsets=center[part] % 1.0,
            parts=number,
            noise_us=noise / speed,
        )

    # Overheads, from the turns that an access takes too many or too few.

    def _too_late_us(self, trace: Trace, accesses: Accesses, found: PatternCalibration) -> Floats:
        """Error of the response for each tried overhead, shape (overheads, n - 1)."""
        tracks, period = self.tracks, 1 / found.turns_per_us
        angle = tracks.steps @ found.turns + found.offsets[tracks.root_run]
        before, to = accesses.last.track[:-1], accesses.first.track[1:]
        distance = np.abs(tracks.cylinder[to] - tracks.cylinder[before])
        seek = self.profile.seek_us(distance)
        writes = np.array(self.profile.get("seek.write_points_us", []), dtype=float)
        read = trace.is_read[1:]
        if len(writes):
            of_write = np.interp(distance, writes[:, 0], writes[:, 1])
            seek = np.where(read | (distance == 0), seek, of_write)
        switch = tracks.head[to] != tracks.head[before]
        seek = np.where(
            switch, np.maximum(seek, self.profile.number("mechanics.head_switch_us")), seek
        )
        pause = trace.pause_us[:-1] if found.reading is Reading.FOLLOWS else trace.pause_us[1:]
        completed = accesses.media_end_us[1:] - trace.response_us[1:] - pause  # of the one before
        issued = completed + pause
        start = angle[to] + accesses.first.share[1:]
        end_track = accesses.last.track[1:]
        end = angle[end_track] + accesses.last.share[1:] + 1 / tracks.sectors[end_track]
        media = (end - start) % 1.0 * period
        ready = issued + seek + OVERHEADS_US[:, None]
        wait = (start * period - ready) % period
        return np.asarray(ready + wait + media - issued - trace.response_us[1:])

    def overheads(
        self, trace: Trace, accesses: Accesses, found: PatternCalibration
    ) -> dict[str, float]:
        """The overheads with which most accesses take their measured time."""
        late = self._too_late_us(trace, accesses, found)
        read, after_read = trace.is_read[1:], trace.is_read[:-1]
        names = {
            "overhead.read_miss_after_read_us": read & after_read,
            "overhead.read_miss_after_write_us": read & ~after_read,
            "overhead.write_after_read_us": ~read & after_read,
            "overhead.write_after_write_us": ~read & ~after_read,
        }
        result: dict[str, float] = {}
        for name, which in names.items():
            if which.sum() < 50:
                continue
            good = (np.abs(late[:, which]) < WITHIN_US).mean(axis=1)
            smooth = np.convolve(np.pad(good, 2, mode="edge"), np.ones(5) / 5, mode="valid")
            smooth[OVERHEADS_US < 0] = -1.0
            result[name] = float(OVERHEADS_US[int(np.argmax(smooth))])
        return result


def calibrate_patterns(trace: Trace, profile: Profile, given: Reading | None) -> PatternCalibration:
    """Fits the trace, which must not contain what is scored later."""
    tree = PatternTree(profile.get("geometry.node", []))
    fit = PatternFit(tree, profile)
    turns = first_turns(tree.tracks)
    tried: dict[Reading, tuple[float, float]] = {}
    for reading in Reading if given is None else (given,):
        tried[reading] = fit.speed(fit.accesses(trace, reading), turns)
    reading = max(tried, key=lambda one: tried[one][1])
    speed, coherence = tried[reading]
    if coherence < COHERENT:
        raise LabError(
            f"{profile.path}: the accesses of the trace are not in phase with this layout "
            f"(coherence {coherence:.2f}, expected {COHERENT} or more), so it cannot be calibrated"
        )
    accesses = fit.accesses(trace, reading)
    turns = fit.step_turns(accesses, speed, turns)
    found = PatternCalibration(
        reading,
        {one.value: value for one, (_, value) in tried.items()},
        speed,
        turns,
        np.full(len(KINDS), np.nan),
        np.zeros(int(tree.tracks.root_run[-1]) + 1),
        1,
        0.0,
    )
    found = fit.refine(accesses, found)
    for kind, name in enumerate(KINDS):
        if kind not in fit.free and tree.tracks.steps[-1][kind] > 0:
            found.notes.append(
                f"the layout has {tree.tracks.steps[-1][kind]} steps of kind {name}, too few to fit"
            )
    found.overheads_us = fit.overheads(trace, accesses, found)
    return found


def agreement(measured_us: Floats, simulated_us: Floats) -> dict[str, float]:
    """How near simulated times are to measured ones."""
    error = simulated_us - measured_us
    return {
        "n": len(error),
        "within_0_15_ms": float((np.abs(error) <= WITHIN_US).mean()),
        "within_0_5_ms": float((np.abs(error) <= 500.0).mean()),
        "rms_error_ms": float(np.sqrt((error**2).mean())) / 1e3,
        "demerit_exact_percent": demerit_percent(measured_us, simulated_us),
    }
