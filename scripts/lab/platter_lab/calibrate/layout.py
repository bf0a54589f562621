# SPDX-License-Identifier: Apache-2.0
"""The angular layout of a drive, fitted to the phases of its media reads.

An angle in turns is

    offset[zone] + track[zone] * order + heads[head] + cylinder[zone] * c
    + range[zone] * floor(c / R) + sector part

for cylinder c of the zone, place `order` of the head in the mapping, R cylinders of a range. Three
groups are fitted one after the other, because each can be seen without the next: the heads from
reads of one cylinder, the cylinders from reads of one zone, the zones from all. In each group
several forms compete; `choose` takes the simplest that predicts reads it was not fitted to as well
as the best one does. The profile's own values are always among them, and count as the simplest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.polynomial import chebyshev

from platter_lab.arrays import Bools, Floats, Ints
from platter_lab.calibrate.phase import MediaReads, group_pairs, resultant, wrap

FOLDS = 5
# So many standard errors a form may lie behind the best one and be taken for its simplicity.
SIGMAS = 2.0
OUTLIERS = 0.02  # share of reads whose phase says nothing (retries, host pauses)
# Turns: residuals within these take part in the first and the last rounds of a fit, at least.
WIDE, NARROW = 0.1, 0.03
DRIFT_DEGREE = 8  # of the polynomial that takes up the spindle's slow drift, in the joint fit only
FEWEST_READS = 12  # a zone with fewer does not get values of its own


@dataclass(frozen=True)
class Layout:
    """Angles in turns. Shapes: zones (z,), heads (surfaces,)."""

    offset: Floats
    track: Floats
    cylinder: Floats  # advance per cylinder, head 0 to head 0
    range: Floats  # extra advance at each range boundary
    heads: Floats
    first_cylinder: Ints
    cylinders: Ints
    range_cylinders: int

    def before_rest(self, reads: Frame) -> Floats:
        """All but the sector part, shape (m,)."""
        return self.offset[reads.zone] + self.track_part(reads) + self.cylinder_part(reads)

    def track_part(self, reads: Frame) -> Floats:
        return self.track[reads.zone] * reads.order + self.heads[reads.head]

    def cylinder_part(self, reads: Frame) -> Floats:
        return self.cylinder[reads.zone] * reads.cylinder + self.range[reads.zone] * (
            reads.cylinder // self.range_cylinders
        )


@dataclass(frozen=True)
class Frame:
    """Media reads as the layout sees them; arrays of shape (m,), in order of time."""

    time_us: Floats
    sector_part: Floats  # turns: sector and slips, which the profile knows
    zone: Ints
    cylinder: Ints  # of the zone
    head: Ints
    order: Ints
    blocks: Ints
    # Turns: standard deviation of one read's phase, as pairs on one track show it.
    noise: float = 0.0

    def __getitem__(self, index: Ints) -> Frame:
        return Frame(
            self.time_us[index],
            self.sector_part[index],
            self.zone[index],
            self.cylinder[index],
            self.head[index],
            self.order[index],
            self.blocks[index],
            self.noise,
        )

    @property
    def wide(self) -> float:
        return float(np.clip(5 * self.noise, WIDE, 0.3))

    @property
    def narrow(self) -> float:
        return float(np.clip(3.5 * self.noise, NARROW, 0.25))

    @property
    def widths(self) -> tuple[float, ...]:
        """One for each round of a robust fit."""
        return self.wide, self.wide, self.narrow, self.narrow, self.narrow

    def __len__(self) -> int:
        return len(self.zone)


def frame_of(reads: MediaReads, base: Layout, noise: float = 0.0) -> Frame:
    """The profile's own angle less its own skews leaves sector and slips."""
    places = reads.places
    bare = Frame(
        reads.start_us,
        places.angle,
        places.zone,
        places.cylinder - base.first_cylinder[places.zone],
        places.head,
        places.order,
        reads.blocks,
        noise,
    )
    return replace(bare, sector_part=wrap(places.angle - base.before_rest(bare)))


@dataclass(frozen=True)
class Form:
    """One way to fill a group of values.

    `fit` gets reads with their phases (turns) and the layout so far.
    """

    name: str
    parameters: int
    fit: Callable[[Frame, Floats, Layout], Layout | None]


@dataclass(frozen=True)
class Choice:
    """What cross-validation made of one group."""

    group: str
    chosen: str
    scores: dict[str, float]  # mean log likelihood of a held-out pair
    margins: dict[str, float]  # its standard error against the best form
    layout: Layout
    pairs: int


def log_likelihood(errors: Floats, deviation: float) -> Floats:
    """Of wrapped errors in turns, shape (p,).

    A normal one, or with a small probability anything.
    """
    inside = np.exp(-0.5 * (errors / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))
    likelihood: Floats = np.log((1 - OUTLIERS) * inside + OUTLIERS)
    return likelihood


def spread(errors: Floats) -> float:
    """Robust standard deviation of wrapped errors, turns."""
    return float(np.clip(1.4826 * np.median(np.abs(errors)), 2e-4, 0.3)) if len(errors) else 0.3


def pair_errors(
    frame: Frame, phase: Floats, layout: Layout, pairs: tuple[Ints, Ints], part: str
) -> Floats:
    """Observed less predicted phase differences; `part` says how much of the layout the pairs can
    tell apart.
    """
    if part == "heads":
        angle = layout.track_part(frame)
    elif part == "cylinders":
        angle = layout.track_part(frame) + layout.cylinder_part(frame)
    else:
        angle = layout.before_rest(frame)
    rest = phase - angle
    return wrap(rest[pairs[1]] - rest[pairs[0]])


def pairs_for(frame: Frame, part: str) -> tuple[Ints, Ints]:
    """Pairs of reads (earlier, later) in which only `part` of the layout shows."""
    if part == "heads":
        earlier, later = group_pairs(frame.zone * 2**20 + frame.cylinder, 6)
        differ = frame.head[earlier] != frame.head[later]
        return earlier[differ], later[differ]
    if part == "cylinders":
        earlier, later = group_pairs(frame.zone, 3)
        differ = frame.cylinder[earlier] != frame.cylinder[later]
        return earlier[differ], later[differ]
    later = np.arange(1, len(frame))
    return later - 1, later


def choose(
    group: str, forms: Sequence[Form], frame: Frame, phase: Floats, layout: Layout
) -> Choice:
    """The form with the best score on reads that it was not fitted to, or a simpler one within
    SIGMAS standard errors of it.

    Folds are stretches of time, so that a fit cannot lean on a neighbour of the read it is tested
    on.
    """
    fold = (np.arange(len(frame)) * FOLDS) // max(len(frame), 1)
    values: dict[str, Floats] = {}
    for form in forms:
        parts = []
        for held in range(FOLDS):
            train, test = np.flatnonzero(fold != held), np.flatnonzero(fold == held)
            fitted = form.fit(frame[train], phase[train], layout)
            if fitted is None:
                break
            inner = frame[train]
            deviation = spread(
                pair_errors(inner, phase[train], fitted, pairs_for(inner, group), group)
            )
            inner = frame[test]
            errors = pair_errors(inner, phase[test], fitted, pairs_for(inner, group), group)
            parts.append(log_likelihood(errors, deviation))
        if len(parts) == FOLDS:
            values[form.name] = np.concatenate(parts)
    count = len(next(iter(values.values())))
    best = max(values, key=lambda name: values[name].mean() if count else 0.0)
    scores = {name: float(value.mean()) if count else 0.0 for name, value in values.items()}
    margins = {
        name: float((values[best] - value).std() / np.sqrt(max(count, 1)))
        for name, value in values.items()
    }
    simplest_first = [
        form for form in sorted(forms, key=lambda form: form.parameters) if form.name in values
    ]
    chosen = next(
        form
        for form in simplest_first
        if scores[best] - scores[form.name] <= SIGMAS * margins[form.name]
    )
    fitted = chosen.fit(frame, phase, layout)
    assert fitted is not None
    return Choice(group, chosen.name, scores, margins, fitted, count)


# Heads.


def _head_step(turns: Floats, steps: Floats, widths: tuple[float, ...], grid: int = 1440) -> float:
    """One angle per head order: scan of [0, 1), then least squares on what fits. turns, steps:
    shape (p,).
    """
    # Pairs with as many steps between them turn alike, so the scan needs one phasor for each number
    # of steps. It tells the best ones but for rounding, which then decides between them as it does
    # in the sum over all pairs.
    tried = np.arange(grid) / grid
    numbers, number = np.unique(steps, return_inverse=True)
    phasors = np.zeros(len(numbers), dtype=complex)
    np.add.at(phasors, number, np.exp(2j * np.pi * turns))
    score = np.abs(np.exp(-2j * np.pi * np.outer(tried, numbers)) @ phasors)
    best = tried[score > score.max() - 1e-9 * len(turns)]
    step = float(max(best, key=lambda one: abs(np.exp(2j * np.pi * (turns - one * steps)).sum())))
    for width in widths:
        rest = wrap(turns - step * steps)
        good = np.abs(rest) < width
        if good.any():
            step += float((rest * steps)[good].sum() / (steps[good] ** 2).sum())
    return step % 1.0


def _observed(frame: Frame, phase: Floats) -> tuple[Ints, Ints, Floats]:
    """(earlier, later, phase differences) of reads on different heads of one cylinder."""
    earlier, later = pairs_for(frame, "heads")
    return earlier, later, wrap(phase[later] - phase[earlier])


def heads_as_given(frame: Frame, phase: Floats, layout: Layout) -> Layout:
    del frame, phase
    return layout


def heads_one_step(frame: Frame, phase: Floats, layout: Layout) -> Layout | None:
    earlier, later, turns = _observed(frame, phase)
    if len(turns) < FEWEST_READS:
        return None
    step = _head_step(
        turns, (frame.order[later] - frame.order[earlier]).astype(float), frame.widths
    )
    return replace(
        layout, track=np.full_like(layout.track, step), heads=np.zeros_like(layout.heads)
    )


def heads_step_by_zone(frame: Frame, phase: Floats, layout: Layout) -> Layout | None:
    shared = heads_one_step(frame, phase, layout)
    if shared is None or len(layout.track) < 2:
        return None
    earlier, later, turns = _observed(frame, phase)
    steps = (frame.order[later] - frame.order[earlier]).astype(float)
    track = shared.track.copy()
    for zone in range(len(track)):
        of_zone = frame.zone[earlier] == zone
        if of_zone.sum() >= FEWEST_READS:
            track[zone] = _head_step(turns[of_zone], steps[of_zone], frame.widths)
    return replace(shared, track=track)


def heads_table(frame: Frame, phase: Floats, layout: Layout) -> Layout | None:
    """One angle per head, beside one step per order.

    Start: the principal eigenvector of the matrix of mean phasors between heads (angular
    synchronisation), which needs no first guess. With the heads always in the same order, step and
    table say the same thing, so the step is then the mean one; else it is scanned.
    """
    earlier, later, turns = _observed(frame, phase)
    if len(turns) < 3 * FEWEST_READS or len(layout.heads) < 3:
        return None
    surfaces = len(layout.heads)
    from_head, to_head = frame.head[earlier], frame.head[later]
    steps = (frame.order[later] - frame.order[earlier]).astype(float)
    plain = bool((frame.head == frame.order).all())

    def synchronised(step: float) -> tuple[float, Floats]:
        matrix = np.zeros((surfaces, surfaces), dtype=complex)
        np.add.at(matrix, (to_head, from_head), np.exp(2j * np.pi * (turns - step * steps)))
        matrix = matrix + matrix.conj().T
        values, vectors = np.linalg.eigh(matrix)
        return float(values[-1]), np.angle(vectors[:, -1] * np.conj(vectors[0, -1])) / (2 * np.pi)

    step = _head_step(turns, steps, frame.widths)
    if not plain:
        step = max(
            np.concatenate(([step], np.arange(720) / 720)), key=lambda tried: synchronised(tried)[0]
        )
    table = synchronised(step)[1]
    seen = np.bincount(np.concatenate((from_head, to_head)), minlength=surfaces) > 0
    # Head 0 is the reference; the last column is the step.
    columns = surfaces if plain else surfaces + 1
    for width in (*frame.widths, frame.narrow):
        rest = wrap(turns - step * steps - table[to_head] + table[from_head])
        good = np.flatnonzero(np.abs(rest) < width)
        design = np.zeros((len(good), columns))
        np.add.at(design, (np.arange(len(good)), to_head[good]), 1.0)
        np.add.at(design, (np.arange(len(good)), from_head[good]), -1.0)
        if not plain:
            design[:, -1] = steps[good]
        change = np.linalg.lstsq(design[:, 1:], rest[good], rcond=None)[0]
        table[1:] += change[: surfaces - 1]
        if not plain:
            step += change[-1]
    table = np.where(seen, wrap(table - table[0]), 0.0)
    return replace(layout, track=np.full_like(layout.track, step % 1.0), heads=table)


# Cylinders.


def _power(c: Ints, turns: Floats, length: int) -> Floats:
    """Squared resultant over all advances k / length per cylinder, shape (length,)."""
    row = np.zeros(length, dtype=complex)
    np.add.at(row, c, np.exp(2j * np.pi * turns))
    return np.abs(np.fft.fft(row)) ** 2


def _zone_center(turns: Floats, widths: tuple[float, ...]) -> float:
    """Direction of shape (m,) turns, outliers left aside."""
    center = float(np.angle(np.exp(2j * np.pi * turns).mean()) / (2 * np.pi))
    for width in widths:
        rest = wrap(turns - center)
        good = np.abs(rest) < width
        if good.any():
            center += float(rest[good].mean())
    return center % 1.0


def _refine(frame: Frame, turns: Floats, start: Layout, columns: Floats) -> Floats:
    """Least squares in `columns` (shape (m, k)) beside one offset per zone, on residuals that fit;
    values, shape (k,).

    The offsets are taken out zone by zone (means of what takes part), so that only the k values are
    solved for.
    """
    values = np.zeros(columns.shape[1])
    base = turns - start.cylinder_part(frame)
    offset = np.zeros(len(start.offset))
    for zone in np.unique(frame.zone):
        offset[zone] = _zone_center(base[frame.zone == zone], frame.widths)
    for step in range(8):
        rest = wrap(base - columns @ values - offset[frame.zone])
        good = np.abs(rest) < (frame.wide if step < 3 else frame.narrow)
        if good.sum() <= columns.shape[1] + len(offset):
            break
        zone, rest, part = frame.zone[good], rest[good], columns[good]
        count = np.maximum(np.bincount(zone, minlength=len(offset)), 1)
        rest_mean = np.bincount(zone, rest, len(offset)) / count
        part_mean = np.stack(
            [np.bincount(zone, column, len(offset)) / count for column in part.T], axis=1
        )
        part = part - part_mean[zone]
        change = np.linalg.lstsq(part, rest - rest_mean[zone], rcond=None)[0]
        values += change
        offset += rest_mean - part_mean @ change
    return values


def _length(layout: Layout) -> int:
    return int(2 ** np.ceil(np.log2(4 * max(int(layout.cylinders.max()), 2))))


def cylinders_as_given(frame: Frame, phase: Floats, layout: Layout) -> Layout:
    del frame, phase
    return layout


def cylinders_shared(frame: Frame, phase: Floats, layout: Layout) -> Layout:
    """One advance per cylinder for all zones."""
    turns = phase - layout.track_part(frame)
    length = _length(layout)
    power = np.zeros(length)
    for zone in np.unique(frame.zone):
        of_zone = frame.zone == zone
        power += _power(frame.cylinder[of_zone], turns[of_zone], length)
    start = replace(
        layout,
        cylinder=np.full_like(layout.cylinder, np.argmax(power) / length),
        range=np.zeros_like(layout.range),
    )
    change = _refine(frame, turns, start, frame.cylinder[:, None].astype(float))
    return replace(start, cylinder=(start.cylinder + change[0]) % 1.0)


def cylinders_by_zone(frame: Frame, phase: Floats, layout: Layout) -> Layout | None:
    if len(layout.cylinder) < 2:
        return None
    shared = cylinders_shared(frame, phase, layout)
    turns = phase - layout.track_part(frame)
    length = _length(layout)
    cylinder = shared.cylinder.copy()
    for zone in np.unique(frame.zone):
        of_zone = np.flatnonzero(frame.zone == zone)
        if len(of_zone) < FEWEST_READS:
            continue
        cylinder[zone] = np.argmax(_power(frame.cylinder[of_zone], turns[of_zone], length)) / length
        start = replace(shared, cylinder=cylinder)
        change = _refine(
            frame[of_zone], turns[of_zone], start, frame.cylinder[of_zone, None].astype(float)
        )
        cylinder[zone] = (cylinder[zone] + change[0]) % 1.0
    return replace(shared, cylinder=cylinder)


def _range_spectra(
    frame: Frame, turns: Floats, layout: Layout
) -> tuple[list[int], Floats, int, int]:
    """Squared resultant over (advance per range, advance per cylinder within it), one array per
    zone seen.
    """
    size = layout.range_cylinders
    ranges = int(2 ** np.ceil(np.log2(4 * (int(layout.cylinders.max()) // size + 1))))
    inside = int(2 ** np.ceil(np.log2(32 * size)))
    zones, spectra = [], []
    for zone in np.unique(frame.zone):
        of_zone = frame.zone == zone
        table = np.zeros((ranges, inside), dtype=complex)
        np.add.at(
            table,
            (frame.cylinder[of_zone] // size, frame.cylinder[of_zone] % size),
            np.exp(2j * np.pi * turns[of_zone]),
        )
        zones.append(int(zone))
        spectra.append(np.abs(np.fft.fft2(table)) ** 2)
    return zones, np.array(spectra), ranges, inside


def _with_ranges(frame: Frame, phase: Floats, layout: Layout, by_zone: bool) -> Layout | None:
    size = layout.range_cylinders
    if size < 2 or (by_zone and len(layout.cylinder) < 2):
        return None
    turns = phase - layout.track_part(frame)
    zones, spectra, ranges, inside = _range_spectra(frame, turns, layout)
    if by_zone:  # each zone its own advance per range, all one advance per cylinder
        inner = int(np.argmax(spectra.max(axis=1).sum(axis=0)))
        outer = {zone: int(np.argmax(spectra[i][:, inner])) for i, zone in enumerate(zones)}
    else:
        peak = np.unravel_index(int(np.argmax(spectra.sum(axis=0))), spectra.shape[1:])
        inner = int(peak[1])
        outer = {zone: int(peak[0]) for zone in zones}
    most = max(zones, key=lambda zone: int((frame.zone == zone).sum()))
    per_cylinder = inner / inside
    per_range = np.array(
        [outer.get(zone, outer[most]) / ranges for zone in range(len(layout.range))]
    )
    start = replace(
        layout,
        cylinder=np.full_like(layout.cylinder, per_cylinder),
        range=(per_range - size * per_cylinder) % 1.0,
    )
    number = (frame.cylinder // size).astype(float)
    if by_zone:
        columns = np.hstack(
            [
                frame.cylinder[:, None].astype(float),
                (frame.zone[:, None] == np.array(zones)[None, :]) * number[:, None],
            ]
        )
    else:
        columns = np.stack([frame.cylinder.astype(float), number], axis=1)
    change = _refine(frame, turns, start, columns)
    added = start.range.copy()
    if by_zone:
        added[zones] += change[1:]
    else:
        added += change[1]
    return replace(start, cylinder=(start.cylinder + change[0]) % 1.0, range=added % 1.0)


def cylinders_shared_range(frame: Frame, phase: Floats, layout: Layout) -> Layout | None:
    return _with_ranges(frame, phase, layout, by_zone=False)


def cylinders_range_by_zone(frame: Frame, phase: Floats, layout: Layout) -> Layout | None:
    return _with_ranges(frame, phase, layout, by_zone=True)


# Zones.


def _common(frame: Frame, phase: Floats, layout: Layout, shape: Floats) -> Layout:
    """Offsets of a given shape (z,) and one angle common to all."""
    turns = phase - layout.track_part(frame) - layout.cylinder_part(frame) - shape[frame.zone]
    return replace(layout, offset=(shape + _zone_center(turns, frame.widths)) % 1.0)


def zones_as_given(frame: Frame, phase: Floats, layout: Layout) -> Layout:
    return _common(frame, phase, layout, layout.offset)


def zones_common(frame: Frame, phase: Floats, layout: Layout) -> Layout:
    """Every zone begins at the same angle."""
    return _common(frame, phase, layout, np.zeros_like(layout.offset))


def _run_on(frame: Frame, phase: Floats, layout: Layout, before: Floats) -> Layout:
    """Skews that run on over the zones' borders, `before` (shape (z,)) cylinders before each zone
    counting.

    Over the whole stroke an advance common to all zones shows far more finely than within a zone,
    so it is fitted again.
    """
    if np.ptp(layout.cylinder) > 0 or layout.range.any():
        over = layout.cylinder * layout.cylinders + layout.range * (
            layout.cylinders // layout.range_cylinders
        )
        gaps = layout.cylinder[:-1] * (np.diff(before) - layout.cylinders[:-1])
        return _common(frame, phase, layout, np.concatenate(([0.0], np.cumsum(over[:-1] + gaps))))
    number = (before[frame.zone] + frame.cylinder).astype(float)
    turns = phase - layout.track_part(frame)
    step = 0.25 / max(number.max(), 1.0)
    tried = layout.cylinder[0] + step * np.arange(-100, 101)
    advance = float(max(tried, key=lambda value: resultant(turns - value * number)))
    offset = _zone_center(turns - advance * number, frame.widths)
    design = np.stack([number, np.ones_like(number)], axis=1)
    for width in frame.widths:
        rest = wrap(turns - advance * number - offset)
        good = np.abs(rest) < width
        if good.sum() > 2:
            change = np.linalg.lstsq(design[good], rest[good], rcond=None)[0]
            advance, offset = advance + float(change[0]), offset + float(change[1])
    return replace(
        layout,
        cylinder=np.full_like(layout.cylinder, advance % 1.0),
        offset=(offset + advance * before) % 1.0,
    )


def mapped_before(layout: Layout) -> Floats:
    """Cylinders of the zones before each zone, shape (z,)."""
    return np.concatenate(([0], np.cumsum(layout.cylinders)[:-1]))


def zones_run_on(frame: Frame, phase: Floats, layout: Layout) -> Layout:
    """The skews run on over the zones' borders; cylinders between zones do not count."""
    return _run_on(frame, phase, layout, mapped_before(layout))


def zones_run_on_all(frame: Frame, phase: Floats, layout: Layout) -> Layout | None:
    """The same, with the cylinders between zones."""
    before = layout.first_cylinder - layout.first_cylinder[0]
    if (before == mapped_before(layout)).all():
        return None
    return _run_on(frame, phase, layout, before)


def zones_free(frame: Frame, phase: Floats, layout: Layout) -> Layout | None:
    if len(layout.offset) < 2:
        return None
    turns = phase - layout.track_part(frame) - layout.cylinder_part(frame)
    common = zones_common(frame, phase, layout)
    offset = common.offset.copy()
    for zone in np.unique(frame.zone):
        of_zone = frame.zone == zone
        if of_zone.sum() >= 3:
            offset[zone] = _zone_center(turns[of_zone], frame.widths)
    return replace(layout, offset=offset)


def forms_for(group: str, layout: Layout) -> tuple[Form, ...]:
    zones, surfaces = len(layout.offset), len(layout.heads)
    if group == "heads":
        return (
            Form("as given", 0, heads_as_given),
            Form("one step", 1, heads_one_step),
            Form("step per zone", zones, heads_step_by_zone),
            Form("angle per head", surfaces, heads_table),
        )
    if group == "cylinders":
        return (
            Form("as given", 0, cylinders_as_given),
            Form("one advance", 1, cylinders_shared),
            Form("one advance, one per range", 2, cylinders_shared_range),
            Form("advance per zone", zones, cylinders_by_zone),
            Form("one advance, per range by zone", zones + 1, cylinders_range_by_zone),
        )
    return (
        Form("as given", 0, zones_as_given),
        Form("common", 1, zones_common),
        Form("run on", 1, zones_run_on),
        Form("run on over unmapped cylinders", 1, zones_run_on_all),
        Form("per zone", zones, zones_free),
    )


def fit_layout(frame: Frame, turns_per_us: float, base: Layout) -> list[Choice]:
    """One choice per group, each built on the one before. `base` is the profile's own layout."""
    phase = frame.time_us * turns_per_us - frame.sector_part
    choices, layout = [], base
    for group in ("heads", "cylinders", "zones"):
        choice = choose(group, forms_for(group, layout), frame, phase, layout)
        choices.append(choice)
        layout = choice.layout
    return choices


@dataclass(frozen=True)
class Column:
    """A value of the layout that the joint fit changes: d(phase)/d(value) for each read, and where
    the change goes.
    """

    group: str
    member: str  # of Layout; "" for what is not part of it
    index: Ints  # entries of the member that it moves
    factor: Floats  # by how much, per unit
    design: Floats  # shape (m,)


@dataclass(frozen=True)
class JointFit:
    """All values of the chosen forms fitted together, with their standard errors."""

    layout: Layout
    errors: Layout  # standard errors in the same shapes; nan where nothing was fitted
    turns_per_us: float
    speed_error: float  # standard error, turns/us
    block_slope_us: float  # completion's delay per block beyond what the profile's bus time says
    block_slope_error_us: float
    noise_turns: float  # standard deviation of a read's phase, outliers left aside
    outliers: float  # share of reads that took no part in the last round
    drift_turns: float  # range of the slow drift of the spindle
    chosen: dict[str, str] = field(default_factory=dict)


def _layout_columns(chosen: dict[str, str], layout: Layout, frame: Frame) -> list[Column]:
    zones = np.arange(len(layout.offset))
    every, ones = zones, np.ones(len(zones))
    result: list[Column] = []

    def add(
        group: str, member: str, index: Ints, factor: Floats, design: Floats | Ints | Bools
    ) -> None:
        if np.abs(design).sum() > 0:
            result.append(Column(group, member, index, factor, design.astype(float)))

    order, number = frame.order, frame.cylinder // layout.range_cylinders
    if chosen["heads"] == "one step" or (
        chosen["heads"] == "angle per head" and (frame.head != order).any()
    ):
        add("heads", "track", every, ones, order)
    if chosen["heads"] == "step per zone":
        for zone in zones:
            add("heads", "track", np.array([zone]), np.ones(1), order * (frame.zone == zone))
    if chosen["heads"] == "angle per head":
        for head in range(1, len(layout.heads)):
            add("heads", "heads", np.array([head]), np.ones(1), frame.head == head)
    runs_on = chosen["zones"].startswith("run on")
    if chosen["cylinders"].startswith("one advance"):
        before = np.zeros(len(zones))
        if runs_on:
            before = (
                mapped_before(layout)
                if chosen["zones"] == "run on"
                else layout.first_cylinder - layout.first_cylinder[0]
            ).astype(float)
        add("cylinders", "cylinder", every, ones, frame.cylinder + before[frame.zone])
    if chosen["cylinders"] == "advance per zone":
        for zone in zones:
            add(
                "cylinders",
                "cylinder",
                np.array([zone]),
                np.ones(1),
                frame.cylinder * (frame.zone == zone),
            )
    if chosen["cylinders"] == "one advance, one per range":
        add("cylinders", "range", every, ones, number)
    if chosen["cylinders"] == "one advance, per range by zone":
        for zone in zones:
            add("cylinders", "range", np.array([zone]), np.ones(1), number * (frame.zone == zone))
    if chosen["zones"] == "per zone":
        for zone in zones:
            add("zones", "offset", np.array([zone]), np.ones(1), frame.zone == zone)
    else:
        add("zones", "offset", every, ones, np.ones(len(frame)))
    return result


def fit_jointly(frame: Frame, turns_per_us: float, choices: Sequence[Choice]) -> JointFit:
    """Least squares in all values that the choices left free, the speed, the slow drift of the
    spindle and the bus.

    Linear, because every residual that takes part is far below half a turn. Standard errors from
    the residuals and the design matrix.
    """
    layout = choices[-1].layout
    chosen = {choice.group: choice.chosen for choice in choices}
    columns = _layout_columns(chosen, layout, frame)
    span = max(float(frame.time_us[-1] - frame.time_us[0]), 1.0)
    when = 2 * (frame.time_us - frame.time_us[0]) / span - 1
    degree = int(np.clip(len(frame) // 100, 1, DRIFT_DEGREE))
    drift = chebyshev.chebvander(when, degree)[:, 1:]  # its linear part is the speed
    blocks = (frame.blocks - frame.blocks.mean())[:, None].astype(float)
    design = np.hstack([drift, blocks, np.array([column.design for column in columns]).T])
    fixed = drift.shape[1]
    values = np.zeros(design.shape[1])
    start = wrap(frame.time_us * turns_per_us - frame.sector_part - layout.before_rest(frame))
    good = np.abs(start) < frame.wide
    # Zones, heads that were hardly seen would make the system singular: a little damping leaves
    # them where they are.
    damping = 1e-6 * np.eye(design.shape[1])
    for step in range(10):
        rest = wrap(start - design @ values)
        good = np.abs(rest) < (frame.wide if step < 3 else frame.narrow)
        normal = design[good].T @ design[good] + damping
        values = values + np.linalg.solve(normal, design[good].T @ rest[good])
    rest = wrap(start - design @ values)
    good = np.abs(rest) < frame.narrow
    noise = float(rest[good].std()) if good.any() else 0.3
    error = noise * np.sqrt(np.diag(np.linalg.inv(design[good].T @ design[good] + damping)))
    members = {
        name: getattr(layout, name).astype(float).copy()
        for name in ("offset", "track", "cylinder", "range", "heads")
    }
    errors = {name: np.full_like(value, np.nan) for name, value in members.items()}
    for column, value, deviation in zip(
        columns, values[fixed + 1 :], error[fixed + 1 :], strict=True
    ):
        members[column.member][column.index] += value * column.factor
        errors[column.member][column.index] = deviation * np.abs(column.factor)
    if chosen["zones"].startswith("run on") and chosen["cylinders"] == "one advance":
        before = (
            mapped_before(layout)
            if chosen["zones"] == "run on"
            else layout.first_cylinder - layout.first_cylinder[0]
        )
        members["offset"] += (members["cylinder"] - layout.cylinder) * before
    for name in ("offset", "track", "cylinder", "range"):
        members[name] %= 1.0
    curve = drift @ values[:fixed]
    curve = curve - when * values[0]
    speed = turns_per_us - 2 * values[0] / span
    return JointFit(
        replace(layout, **members),
        replace(layout, **errors),
        float(speed),
        float(2 * error[0] / span),
        float(values[fixed] / speed),
        float(error[fixed] / speed),
        noise,
        float(1 - good.mean()),
        float(np.ptp(curve)),
        chosen,
    )
