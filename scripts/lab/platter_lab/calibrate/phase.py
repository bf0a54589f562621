# SPDX-License-Identifier: Apache-2.0
"""Rotational phase of a trace: which reads came from the media, which reading of the pause is
right, how fast the spindle turns.

The trace's clock is exact (one request at a time, response times and pauses in whole numbers of one
clock), so the moment at which a media read caught its first sector is known, and with the right
speed and the right layout all of these moments fall on one spindle. Everything here looks at
differences of phases, in turns, wrapped to [-1/2, 1/2).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from platter_lab.arrays import Bools, Floats, Ints
from platter_lab.calibrate.trace import Reading, Trace

# Windows of time over which the speed is refined, in turns: each is short enough that the one
# before tells the peaks apart.
HORIZONS_TURNS = (6, 25, 100, 400, 2000, 8000, 32000)
SPEED_SPAN = 0.02  # the search goes so far to both sides of the base's speed
COHERENT = 0.5  # resultant length from which same-track reads count as coherent
PAIR_NEIGHBOURS = 8  # a read is paired with so many later reads of its track


def wrap(turns: Floats) -> Floats:
    """Angles to [-1/2, 1/2)."""
    return (turns + 0.5) % 1.0 - 0.5


def resultant(turns: Floats) -> float:
    """Length of the mean of unit vectors: 1 all equal, 0 no preferred direction."""
    return float(abs(np.exp(2j * np.pi * turns).mean())) if len(turns) else 0.0


@dataclass(frozen=True)
class Places:
    """Where blocks lie, as the profile lays them out; arrays of shape (n,)."""

    zone: Ints
    cylinder: Ints  # of the drive
    head: Ints  # physical
    order: Ints  # place of the head in the mapping of its cylinder
    sector: Ints
    sectors: Ints  # of the track
    angle: Floats  # turns, of the sector's start

    def __getitem__(self, index: Ints | slice) -> Places:
        return Places(*(getattr(self, one.name)[index] for one in fields(self)))

    def same_track(self, other: Places) -> Bools:
        same: Bools = (self.cylinder == other.cylinder) & (self.head == other.head)
        return same


@dataclass(frozen=True)
class Bus:
    """How a read reaches the host, from the profile."""

    read_block_us: float
    watermark: float = 0.0  # share of a read that must be in the buffer first
    begin_us: float = 0.0  # before the first block
    completion_us: float = 0.0  # after a read's last block
    write_status_us: float = 0.0  # after the last block of a write is on the media
    cached: bool = True  # the drive has a cache: some reads are hits


def hit_threshold_us(excess_us: Floats, period_us: float) -> float:
    """Reads whose response less their time on the bus is below this were served from the buffer.

    Hits stand in narrow peaks at short times; media reads spread over a turn and more. The last
    dense bin of 20 us before half a turn ends the hits; the threshold goes into the middle of the
    widest gap that follows.
    """
    bin_us = 20.0
    lowest = np.floor(excess_us.min() / bin_us) * bin_us
    edges = np.arange(lowest, 1.2 * period_us + bin_us, bin_us)
    counts, _ = np.histogram(excess_us, edges)
    level = counts[edges[:-1] > period_us / 2].mean()
    dense = np.flatnonzero((counts > 4 * level + 4) & (edges[:-1] < period_us / 2))
    if len(dense) == 0:
        return float(lowest)
    end = edges[dense[-1] + 1]
    near = np.sort(excess_us[(excess_us >= end) & (excess_us < end + 0.15 * period_us)])
    near = np.concatenate(([end], near, [end + 0.15 * period_us]))
    widest = int(np.argmax(np.diff(near)))
    return float((near[widest] + near[widest + 1]) / 2)


def read_delay_us(blocks: Ints, sectors: Ints, period_us: float, bus: Bus) -> Floats:
    """From the start of a read's first sector to its completion, for reads of one track; shape
    (n,).

    Block i is in the buffer after i sectors; the transfer starts when the share `watermark` is
    there, and the last block leaves no earlier than all before it allow. The same rule as the drive
    model's.
    """
    sector_us = period_us / sectors
    mark = np.maximum(1, np.ceil(bus.watermark * blocks - 1e-6))
    on_bus = blocks * bus.read_block_us
    last: Floats = np.maximum.reduce(
        [
            sector_us + on_bus,
            mark * sector_us + bus.begin_us + on_bus,
            blocks * sector_us + bus.read_block_us,
        ]
    )
    return bus.completion_us + last


@dataclass(frozen=True)
class MediaReads:
    """Reads from the media that stay on one track, in the order of the trace.

    Arrays of shape (m,).
    """

    index: Ints  # line of the trace, from 0
    start_us: Floats  # when the first sector came under the head, on the trace's clock
    blocks: Ints
    places: Places

    def __len__(self) -> int:
        return len(self.index)


def media_reads(
    trace: Trace, reading: Reading, first: Places, last: Places, bus: Bus, period_us: float
) -> MediaReads:
    media = trace.is_read & first.same_track(last)
    if bus.cached:
        excess = trace.response_us - trace.blocks * bus.read_block_us
        media &= excess > hit_threshold_us(excess[trace.is_read], period_us)
    index = np.flatnonzero(media)
    places = first[index]
    start = trace.completions_us(reading)[index] - read_delay_us(
        trace.blocks[index], places.sectors, period_us, bus
    )
    return MediaReads(index, start, trace.blocks[index], places)


def track_pairs(reads: MediaReads) -> tuple[Ints, Ints]:
    """Pairs of reads of the same track, (earlier, later), shape (p,) each."""
    key = reads.places.cylinder * 256 + reads.places.head
    return group_pairs(key)


def group_pairs(key: Ints, neighbours: int = PAIR_NEIGHBOURS) -> tuple[Ints, Ints]:
    """Pairs of entries with the same key, each with up to `neighbours` - 1 later ones: (earlier,
    later), (p,) each.
    """
    by_key = np.argsort(key, kind="stable")
    sorted_key = key[by_key]
    earlier, later = [], []
    for step in range(1, neighbours):
        same = sorted_key[step:] == sorted_key[:-step]
        earlier.append(by_key[:-step][same])
        later.append(by_key[step:][same])
    return np.concatenate(earlier), np.concatenate(later)


@dataclass(frozen=True)
class Spindle:
    """Speed of the spindle as the trace shows it."""

    turns_per_us: float
    coherence: float  # of pairs on the same track within the shortest windows
    pairs: int
    horizon_us: float  # over which the phase was followed
    significant: bool
    # Turns: robust standard deviation of one read's phase within the shortest windows.
    noise: float = 0.0

    @property
    def period_us(self) -> float:
        return 1.0 / self.turns_per_us

    @property
    def coherent(self) -> bool:
        return self.significant and self.coherence >= COHERENT


def scan_speed(
    delta_us: Floats, turns: Floats, center: float, span: float, horizon_us: float
) -> tuple[float, float, int]:
    """Speed (turns/us) in center (1 +- span) at which time differences agree best with angle
    differences.

    delta_us, turns: shape (p,). Also the resultant length there and the number of independent
    speeds that were tried.
    """
    step = 0.05 / (horizon_us * center)
    speeds = center * (1 + np.arange(-span, span + step / 2, step))
    best, best_length = center, -1.0
    rest = np.exp(-2j * np.pi * turns)
    for start in range(0, len(speeds), 512):
        part = speeds[start : start + 512]
        lengths = np.abs(np.exp(2j * np.pi * np.outer(part, delta_us)) @ rest) / len(turns)
        peak = int(np.argmax(lengths))
        if lengths[peak] > best_length:
            best, best_length = float(part[peak]), float(lengths[peak])
    return best, best_length, max(1, int(2 * span * horizon_us * center))


def fit_speed(reads: MediaReads, period_us: float, span: float = SPEED_SPAN) -> Spindle:
    """The spindle's speed from pairs of reads of the same track, whose angle difference no skew
    enters.

    A scan over base (1 +- span) with pairs at most a few turns apart, then windows that grow while
    the phase holds.
    """
    earlier, later = track_pairs(reads)
    delta = reads.start_us[later] - reads.start_us[earlier]
    turns = reads.places.angle[later] - reads.places.angle[earlier]
    speed, span_now = 1 / period_us, span
    coherence, pairs, followed, significant, first_horizon = 0.0, 0, 0.0, False, 0.0
    for horizon_turns in HORIZONS_TURNS:
        horizon = horizon_turns * period_us
        within = (delta > 0) & (delta <= horizon)
        count = int(within.sum())
        if count < 30:
            continue
        found, length, tried = scan_speed(delta[within], turns[within], speed, span_now, horizon)
        # The longest of `tried` random resultants exceeds this in less than a thousandth of all
        # cases.
        chance = np.sqrt((np.log(max(tried, 2)) + 7) / count)
        if length < max(chance, 0.8 * coherence):
            if followed > 0:
                break
            continue
        if followed == 0:
            coherence, pairs, significant, first_horizon = length, count, True, horizon
        speed, followed = found, horizon
        span_now = 0.6 / (horizon * speed)
    if not significant:
        return Spindle(1 / period_us, coherence, pairs, 0.0, False)
    within = (delta > 0) & (delta <= followed)
    d, t = delta[within], turns[within]
    for _ in range(5):  # straight line through what is left
        rest = wrap(d * speed - t)
        good = np.abs(rest) < 0.1
        speed -= float((d * rest)[good].sum() / (d[good] ** 2).sum())
    near = np.abs(wrap(delta * speed - turns)[(delta > 0) & (delta <= first_horizon)])
    noise = float(1.4826 * np.median(near) / np.sqrt(2)) if len(near) else 0.0
    return Spindle(speed, coherence, pairs, followed, True, noise)
