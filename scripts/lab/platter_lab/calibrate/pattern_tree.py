# SPDX-License-Identifier: Apache-2.0
"""The tree of patterns of a profile (`geometry.layout = "tree"`): its tracks one by one, and the
same tree with other angles.

The tracks of a drive follow each other by steps of a few kinds. On the drives measured here the
angle of a step depends on its kind alone: it is the same in every zone. So the angle of a track is
a sum of these angles, counted from the begin of its part of the layout.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from platter_lab import LabError
from platter_lab.arrays import Floats, Ints

# A step to the next track on the same surface; to another surface near the same cylinder; far away
# on the same surface; far away on another surface.
KINDS = ("track", "head", "band", "turn")
NEAR = 4  # cylinders that count as near; tracks without blocks may lie between two tracks
MOST_TRACKS = 1 << 23

Row = list[float]


@dataclass(frozen=True)
class Run:
    """Instances of a pattern, as a row of `geometry.node`."""

    count: int
    cylinder: int
    step: int
    angle: float
    angle_step: float
    node: int = -1  # of the pattern; -1: a track
    head: int = 0
    sectors: int = 0  # of the whole track
    first: int = 0
    blocks: int = 0

    @classmethod
    def of(cls, row: Row) -> Run:
        count, cylinder, step = (int(value) for value in row[:3])
        if len(row) == 6:
            return cls(count, cylinder, step, row[3], row[4], node=int(row[5]))
        head, sectors = int(row[5]), int(row[6])
        first, blocks = (int(row[7]), int(row[8])) if len(row) == 9 else (0, sectors)
        return cls(count, cylinder, step, row[3], row[4], -1, head, sectors, first, blocks)

    def row(self, angle: float, angle_step: float) -> Row:
        turns = [round(angle % 1.0, 9), round(angle_step % 1.0, 9)]
        row: Row = [self.count, self.cylinder, self.step, *turns]
        if self.node >= 0:
            return [*row, self.node]
        row += [self.head, self.sectors]
        return row if self.blocks == self.sectors else [*row, self.first, self.blocks]

    @property
    def last_cylinder(self) -> int:
        return self.cylinder + (self.count - 1) * self.step


def steps_between(head: int, cylinder: int, to_head: int, to_cylinder: int) -> Ints:
    """How many steps of each kind lead from one track to the next, shape (k,)."""
    steps = np.zeros(len(KINDS), dtype=np.int64)
    distance = abs(to_cylinder - cylinder)
    near = distance <= NEAR
    if head == to_head:
        steps[0 if near else 2] = distance if near else 1
    else:
        steps[1 if near else 3] = 1
    return steps


@dataclass(frozen=True)
class Tracks:
    """Tracks, or parts of them, in the order of the mapping; arrays of shape (n,)."""

    cylinder: Ints
    head: Ints
    sectors: Ints  # of the whole track
    first: Ints  # first sector with a block
    blocks: Ints
    angle: Floats  # of the first one, in turns, as the profile has it
    steps: Ints  # shape (n, k): from the first track
    root_run: Ints  # number of the root's run

    def __len__(self) -> int:
        return len(self.cylinder)

    @property
    def begin(self) -> Ints:
        """Number of each one's first sector in the order of the mapping."""
        return np.concatenate(([0], np.cumsum(self.blocks)[:-1]))


@dataclass
class _Node:
    tracks: Tracks
    # For each run: steps to its first track, and from one instance to the next.
    starts: list[Ints] = field(default_factory=list)
    strides: list[Ints] = field(default_factory=list)


def _merged(runs: list[Run]) -> list[Run]:
    """Runs of tracks that continue each other as one run; their angles are lost."""
    out: list[Run] = []
    for run in runs:
        last = out[-1] if out else None
        if last is not None and last.node < 0 and run.node < 0:
            step = run.cylinder - last.last_cylinder
            same = (last.head, last.sectors, last.first, last.blocks) == (
                run.head,
                run.sectors,
                run.first,
                run.blocks,
            )
            goes_on = all(one.count == 1 or one.step == step for one in (last, run))
            if same and goes_on and abs(step) == 1:
                out[-1] = Run(
                    last.count + run.count,
                    last.cylinder,
                    step,
                    0.0,
                    0.0,
                    -1,
                    run.head,
                    run.sectors,
                    run.first,
                    run.blocks,
                )
                continue
        out.append(run)
    return out


class PatternTree:
    """The nodes of a profile."""

    def __init__(self, nodes: list[dict[str, Any]]) -> None:
        self.nodes = [[Run.of([float(v) for v in row]) for row in node["runs"]] for node in nodes]
        self.tracks = self._expand(self.nodes)[-1].tracks

    @staticmethod
    def _expand(nodes: list[list[Run]]) -> list[_Node]:
        known: list[_Node] = []
        for runs in nodes:
            pieces: list[Tracks] = []
            node = _Node(_no_tracks())
            at = np.zeros(len(KINDS), dtype=np.int64)
            before: tuple[int, int] | None = None
            for number, run in enumerate(runs):
                pattern = known[run.node].tracks if run.node >= 0 else _one_track(run)
                if run.count * len(pattern) > MOST_TRACKS:
                    raise LabError(
                        f"the layout has more than {MOST_TRACKS} tracks, which is more than can be "
                        "calibrated"
                    )
                first = (int(pattern.head[0]), int(pattern.cylinder[0]) + run.cylinder)
                last = (int(pattern.head[-1]), int(pattern.cylinder[-1]) + run.cylinder)
                if before is not None:
                    at = at + steps_between(*before, *first)
                between = steps_between(*last, first[0], first[1] + run.step)
                stride = pattern.steps[-1] + (between if run.count > 1 else 0)
                node.starts.append(at)
                node.strides.append(stride)
                i = np.arange(run.count)[:, None]

                def spread(values: Ints, times: int = run.count) -> Ints:
                    return np.tile(values, times)

                pieces.append(
                    Tracks(
                        (pattern.cylinder[None, :] + run.cylinder + i * run.step).ravel(),
                        spread(pattern.head),
                        spread(pattern.sectors),
                        spread(pattern.first),
                        spread(pattern.blocks),
                        (pattern.angle[None, :] + run.angle + i * run.angle_step).ravel(),
                        (at + i[:, :, None] * stride + pattern.steps[None, :, :]).reshape(
                            -1, len(KINDS)
                        ),
                        np.full(run.count * len(pattern), number),
                    )
                )
                at = pieces[-1].steps[-1]
                before = (last[0], last[1] + (run.count - 1) * run.step)
            node.tracks = Tracks(
                *(
                    np.concatenate([getattr(piece, name) for piece in pieces])
                    for name in Tracks.__dataclass_fields__
                )
            )
            known.append(node)
        return known

    def rows(self, turns: Floats, offsets: Floats) -> list[list[Row]]:
        """The nodes with the angles that follow from the `turns` of each kind of step, shape (k,);
        `offsets`: added to the root's runs, shape (r,). Runs that continue each other become one.
        """
        merged = [_merged(runs) for runs in self.nodes[:-1]] + [self.nodes[-1]]
        out: list[list[Row]] = []
        for index, (node, runs) in enumerate(zip(self._expand(merged), merged, strict=True)):
            rows: list[Row] = []
            for number, run in enumerate(runs):
                angle = float(node.starts[number] @ turns)
                if run.node < 0:
                    angle += run.first / run.sectors
                if index + 1 == len(merged):
                    angle += float(offsets[number])
                rows.append(run.row(angle, float(node.strides[number] @ turns)))
            out.append(rows)
        return out


def _no_tracks() -> Tracks:
    none = np.zeros(0, dtype=np.int64)
    return Tracks(none, none, none, none, none, np.zeros(0), np.zeros((0, len(KINDS)), int), none)


def _one_track(run: Run) -> Tracks:
    def one(value: int) -> Ints:
        return np.array([value], dtype=np.int64)

    return Tracks(
        one(0),
        one(run.head),
        one(run.sectors),
        one(run.first),
        one(run.blocks),
        np.zeros(1),
        np.zeros((1, len(KINDS)), dtype=np.int64),
        one(0),
    )


@dataclass(frozen=True)
class Blocks:
    """Places of blocks; arrays of shape (n,)."""

    track: Ints  # number among the tracks
    sector: Ints  # on its track
    share: Floats  # of a turn, from the track's first sector with a block


class BlockMap:
    """Where the blocks of a profile are; remapped blocks are where they were before."""

    def __init__(self, tracks: Tracks, slips: list[list[int]]) -> None:
        self._tracks = tracks
        self._begin = tracks.begin
        key = tracks.cylinder * 64 + tracks.head
        order = np.argsort(key, kind="stable")
        numbers: list[tuple[int, int]] = []
        for cylinder, head, sector, count in slips:
            at = int(np.searchsorted(key[order], cylinder * 64 + head))
            while at < len(order) and key[order[at]] == cylinder * 64 + head:
                track = order[at]
                within = sector - int(tracks.first[track])
                if 0 <= within < tracks.blocks[track]:
                    numbers.append((int(self._begin[track]) + within, count))
                    break
                at += 1
        numbers.sort()
        first = np.array([number for number, _ in numbers], dtype=np.int64)
        counts = np.array([count for _, count in numbers], dtype=np.int64)
        self._passed = np.concatenate(([0], np.cumsum(counts)))
        self._keys = first - self._passed[:-1]
        self.blocks = int(tracks.blocks.sum() - self._passed[-1])

    def find(self, lba: Ints) -> Blocks:
        number = lba + self._passed[np.searchsorted(self._keys, lba, side="right")]
        track = np.searchsorted(self._begin, number, side="right") - 1
        within = number - self._begin[track]
        return Blocks(
            track, within + self._tracks.first[track], within / self._tracks.sectors[track]
        )
