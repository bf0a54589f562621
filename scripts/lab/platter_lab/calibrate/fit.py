# SPDX-License-Identifier: Apache-2.0
"""The calibration itself: from a trace's first half and a base profile to new values, group by
group.

Nothing here is given the second half: it gets a trace that ends before it, and a model that replays
that trace.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import optimize

from platter_lab import LabError
from platter_lab.arrays import Bools, Floats, Ints
from platter_lab.calibrate import spread, timing
from platter_lab.calibrate.layout import (
    Choice,
    Frame,
    JointFit,
    Layout,
    fit_jointly,
    fit_layout,
    frame_of,
)
from platter_lab.calibrate.phase import (
    MediaReads,
    Places,
    Spindle,
    fit_speed,
    hit_threshold_us,
    media_reads,
    resultant,
    wrap,
)
from platter_lab.calibrate.profile import Change, Place, Profile, format_value, place, rounded
from platter_lab.calibrate.replay import Answers, demerit_percent
from platter_lab.calibrate.timing import Windows
from platter_lab.calibrate.trace import Reading, Trace

GROUPS = ("rotation", "curve", "buffer", "writes", "overheads", "positioning", "spread")
OTHER_WRITE = "overhead.write_after_other_write_us"  # not all models have it
READ_AHEAD = (
    "none",
    "track",
    "cylinder",
    "segment",
    "next-track",
    "whole-track",
    "whole-track-next",
)
# Switches that a profile need not carry; those it does carry are found in it.
SWITCHES = (
    "keep_passing_sectors",
    "keep_read_blocks",
    "read_ahead_on_hit",
    "read_ahead_sequential",
    "write_discards_reads",
    "write_updates_reads",
)
WRITE_BACK = ("append", "interleaved")
# A cached write that waits for the media takes more than that longer than one that does not.
WAITS_US = 300.0
SAME_US = 0.1  # times of one profile value
FEWEST_ACCESSES = 100  # to the media, for a spread of their arrivals
BUFFER_STEPS = 6  # settings of the buffer that may be changed
BUFFER_SIGMAS = 3.0
OUTSIDE_US = 1000.0  # errors of single requests count up to this in the score of a replay
BOOTSTRAP_BLOCK = 50  # requests
BOOTSTRAPS = 60
DEMERIT_SLACK = 0.02  # percent
SURE = 2.0  # standard errors by which a replay must be better for a value to be taken
KNOTS = (1, 3, timing.MOST_KNOTS)
POLISH_STEP_US = 60.0  # first steps of the search on replays
POLISH_RUNS = 120  # replays it may take
# Where the score is looked at to both sides of what the search found, for its error.
ERROR_STEPS_US = np.array(
    [-300.0, -200.0, -130.0, -80.0, -40.0, -20.0, 0.0, 20.0, 40.0, 80.0, 130.0, 200.0, 300.0]
)

Replay = Callable[[str], Answers]


@dataclass(frozen=True)
class Value:
    """One fitted value. `base` is None where the base profile had none."""

    key: str
    zone: int | None
    value: float | list[float] | list[list[float]] | bool | str
    error: float  # standard error in the unit of the value; nan: not known
    base: float | list[float] | list[list[float]] | bool | str | None
    unit: str

    @property
    def where(self) -> Place:
        return place(self.key, self.zone)

    @property
    def name(self) -> str:
        return self.key if self.zone is None else f"geometry.zone.{self.zone}.{self.key}"


@dataclass(frozen=True)
class Spreads:
    """The spread of arrivals, and what it is compared with."""

    reads: spread.Spread
    writes: spread.Spread | None  # of writes that are not cached
    rivals: dict[str, spread.NormalError]


@dataclass
class Calibration:
    """What came out: values by group, and why."""

    reading: Reading
    coherence: dict[str, float]
    spindle: Spindle | None = None
    joint: JointFit | None = None
    spreads: Spreads | None = None
    choices: list[Choice] = field(default_factory=list)
    values: dict[str, list[Value]] = field(default_factory=lambda: {group: [] for group in GROUPS})
    notes: list[str] = field(default_factory=list)

    def changes(self, without: str | None = None) -> dict[Place, Change]:
        return {
            value.where: Change(value.value, remark(value))
            for group in GROUPS
            if group != without
            for value in self.values[group]
        }

    def set(self, group: str, value: Value) -> None:
        """Adds a value, or puts it in place of the one of the same key."""
        values = [old for old in self.values[group] if old.where != value.where]
        self.values[group] = [*values, value]

    def find(self, where: Place) -> Value | None:
        return next(
            (value for values in self.values.values() for value in values if value.where == where),
            None,
        )


def remark(value: Value) -> str:
    if isinstance(value.value, bool | str) or value.where[0] == "cache":
        was = (
            "base had no value"
            if value.base is None
            else f"base value was {format_value(value.base)}"
        )
        return f"chosen, the real drive's hits and misses speak for it ({was})"
    error = (
        f"+- {value.error:.2g} {value.unit}"
        if np.isfinite(value.error)
        else f"{value.unit}, no error of its own"
    )
    if value.base is None:
        return f"{error} (fitted; base had no value)"
    if isinstance(value.base, list):
        return f"{error} each (fitted; base had {len(value.base)} values)"
    return f"{error} (fitted; base value was {value.base:g})"


def decide_reading(
    trace: Trace, first: Places, last: Places, base: Profile, given: Reading | None
) -> tuple[Reading, dict[str, Spindle]]:
    """Which reading of the pause keeps reads of one track in phase.

    Where neither does: that the pause follows.
    """
    found = {}
    for reading in Reading:
        reads = media_reads(trace, reading, first, last, base.bus(), base.period_us)
        found[reading.value] = fit_speed(reads, base.period_us)
    if given is not None:
        return given, found
    best = max(
        Reading,
        key=lambda reading: (found[reading.value].significant, found[reading.value].coherence),
    )
    return (best if found[best.value].coherent else Reading.FOLLOWS), found


# Rotation: speed, layout, and what each block adds to a read.


def fit_rotation(
    result: Calibration, trace: Trace, first: Places, last: Places, base: Profile
) -> MediaReads:
    """Fills the group `rotation`.

    Two rounds: the bus time found in the first one moves the starts of the second.
    """
    assert result.spindle is not None
    bus, given = base.bus(), base.layout()
    spindle = result.spindle
    for _ in range(2):
        reads = media_reads(trace, result.reading, first, last, bus, spindle.period_us)
        frame = frame_of(reads, given, spindle.noise)
        result.choices = fit_layout(frame, spindle.turns_per_us, given)
        joint = fit_jointly(frame, spindle.turns_per_us, result.choices)
        slope, error = joint.block_slope_us, joint.block_slope_error_us
        spindle = replace(spindle, turns_per_us=joint.turns_per_us)
        if abs(slope) < 3 * error or bus.read_block_us + slope <= 0:
            break
        bus = replace(bus, read_block_us=bus.read_block_us + slope)
    result.spindle, result.joint = spindle, joint
    rpm = 60e6 * joint.turns_per_us
    rpm_error = 60e6 * joint.speed_error
    result.set(
        "rotation",
        Value(
            "mechanics.rpm",
            None,
            rounded(rpm, rpm_error),
            rpm_error,
            base.number("mechanics.rpm"),
            "1/min",
        ),
    )
    if bus.read_block_us != base.bus().read_block_us:
        error = joint.block_slope_error_us
        result.set(
            "rotation",
            Value(
                "bus.read_block_us",
                None,
                rounded(bus.read_block_us, error),
                error,
                base.number("bus.read_block_us"),
                "us",
            ),
        )
    for value in layout_values(joint, base):
        result.set("rotation", value)
    for choice in result.choices:
        if choice.chosen == "as given":
            result.notes.append(
                f"{choice.group}: the base's own layout predicts as well as any fit; kept"
            )
    return reads


def layout_values(joint: JointFit, base: Profile) -> list[Value]:
    """The layout's angles in the profile's unit, sectors of the zone; only of groups that are not
    as given.
    """
    values: list[Value] = []
    layout, errors = joint.layout, joint.errors
    surfaces = len(layout.heads)
    heads_new, cylinders_new = (
        joint.chosen["heads"] != "as given",
        joint.chosen["cylinders"] != "as given",
    )
    error_of = np.nan_to_num

    def add(zone: int, key: str, turns: float, error: float) -> None:
        sectors = float(base.zones[zone]["sectors_per_track"])
        error *= sectors
        # A skew adds up over hundreds of cylinders, and its error is shared with others': rounding
        # must not show.
        value = rounded(turns % 1.0 * sectors, (error if error > 0 else 1e-2) / 1000)
        old = base.zones[zone].get(key)
        values.append(
            Value(
                key,
                zone,
                value % sectors,
                error if error > 0 else np.nan,
                None if old is None else float(old),
                "sectors",
            )
        )

    for zone in range(len(base.zones)):
        if joint.chosen["zones"] != "as given":
            add(zone, "offset_sectors", layout.offset[zone], error_of(errors.offset[zone]))
        if heads_new:
            add(zone, "track_skew_sectors", layout.track[zone], error_of(errors.track[zone]))
        if (
            heads_new or cylinders_new
        ):  # the advance per cylinder is this skew and those of the heads together
            step = layout.cylinder[zone] - (surfaces - 1) * layout.track[zone]
            error = np.hypot(
                error_of(errors.cylinder[zone]), (surfaces - 1) * error_of(errors.track[zone])
            )
            add(zone, "cylinder_skew_sectors", step, float(error))
        if cylinders_new and (
            layout.range[zone] != 0 or base.zones[zone].get("range_skew_sectors")
        ):
            add(zone, "range_skew_sectors", layout.range[zone], error_of(errors.range[zone]))
    old_heads = base.get("geometry.head_offsets_turns")
    if heads_new and (layout.heads.any() or old_heads):
        deviation = float(np.nanmax(errors.heads)) if np.isfinite(errors.heads).any() else np.nan
        table = [rounded(float(turns), deviation) for turns in wrap(layout.heads)]
        values.append(
            Value("geometry.head_offsets_turns", None, table, deviation, old_heads, "turns")
        )
    return values


# The buffer, by which reads the real drive answered from it.


def served_from_buffer(trace: Trace, base: Profile) -> Bools:
    """Reads that the real drive answered from its buffer, shape (n,)."""
    if base.number("cache.segments") <= 0:
        return np.zeros(len(trace), dtype=bool)
    excess = trace.response_us - trace.blocks * base.number("bus.read_block_us")
    return trace.is_read & (excess <= hit_threshold_us(excess[trace.is_read], base.period_us))


def buffer_options(base: Profile) -> list[tuple[str, bool | str | int]]:
    """Other settings of the buffer than the base's, one key each: switches the other way, counts
    smaller and larger.
    """
    options: list[tuple[str, bool | str | int]] = []
    cache = base.get("cache", {})
    switches = dict.fromkeys(SWITCHES, False) | {
        key: value for key, value in cache.items() if isinstance(value, bool)
    }
    options += [(f"cache.{key}", not cache.get(key, default)) for key, default in switches.items()]
    options.append(
        ("mechanics.zero_latency_read", not base.get("mechanics.zero_latency_read", False))
    )
    options += [
        ("cache.read_ahead", kind) for kind in READ_AHEAD if kind != cache.get("read_ahead", "none")
    ]
    for key, factors in (
        ("segments", (0.5, 2)),
        ("segment_blocks", (0.5, 0.75, 1.25, 1.5, 2, 3, 4)),
        ("read_ahead_blocks", (0.25, 0.5, 0.75, 1.5, 2, 4)),
    ):
        value = cache.get(key, 0)
        if value > 0:
            numbers = {max(1, round(value * factor)) for factor in factors}
            options += [(f"cache.{key}", number) for number in sorted(numbers - {value})]
    return options


def fit_buffer(result: Calibration, trace: Trace, base: Profile, replay: Replay) -> None:
    """Changes settings of the buffer as long as hits and misses of reads come out better."""
    if base.number("cache.segments") <= 0:
        return
    real = served_from_buffer(trace, base)[trace.is_read]
    if real.mean() < 0.01:
        return
    start, wrong = choose_settings(
        result,
        "buffer",
        base,
        replay,
        buffer_options,
        lambda answers: ~answers.from_media[trace.is_read] == real,
    )
    if result.values["buffer"]:
        result.notes.append(
            f"buffer: reads told wrongly as hit or miss, of {len(real)}: {start} with the base's "
            f"settings, {wrong} with the chosen ones"
        )


def choose_settings(
    result: Calibration,
    group: str,
    base: Profile,
    replay: Replay,
    options: Callable[[Profile], list[tuple[str, bool | str | int]]],
    told_right: Callable[[Answers], Bools],
    harmless: Callable[[Answers, Answers], bool] = lambda before, after: True,
) -> tuple[int, int]:
    """Changes one of `options` after the other, as long as requests come out right that did not
    before.

    Of the requests which two settings tell differently, so many more must come out right that
    chance is out of the question (McNemar's test, BUFFER_SIGMAS standard deviations). `harmless`
    may refuse what a setting does elsewhere. Returns how many came out wrong before and after.
    """

    def answers_with(changes: dict[Place, Change]) -> Answers | None:
        try:
            return replay(base.changed(changes))
        except LabError:  # settings that do not go together
            return None

    answers = answers_with(result.changes())
    if answers is None:
        return 0, 0
    now = told_right(answers)
    start = int((~now).sum())
    current = Profile(base.changed(result.changes()), base.path)
    for _ in range(BUFFER_STEPS):
        if now.all():
            break
        best: tuple[int, str, bool | str | int, Bools, Answers] | None = None
        for key, value in options(current):
            trial = answers_with({**result.changes(), place(key): Change(value)})
            if trial is None:
                continue
            right = told_right(trial)
            gained, lost = int((right & ~now).sum()), int((now & ~right).sum())
            if (
                gained - lost > BUFFER_SIGMAS * np.sqrt(gained + lost)
                and (best is None or gained - lost > best[0])
                and harmless(answers, trial)
            ):
                best = (gained - lost, key, value, right, trial)
        if best is None:
            break
        _, key, value, now, answers = best
        result.set(group, Value(key, None, value, np.nan, base.get(key), ""))
        current = Profile(base.changed(result.changes()), base.path)
    return start, int((~now).sum())


# The segments of cached writes, by which writes had to wait for one.


def write_options(base: Profile) -> list[tuple[str, bool | str | int]]:
    """Other settings than the base's of what decides whether a cached write finds room, one key
    each.
    """
    cache = base.get("cache", {})
    segments, given = int(cache.get("segments", 0)), int(cache.get("write_segments", 0))
    counts = {1, 2, 3, 4, 6, 8, segments // 2, segments - 1, segments, given - 1, given + 1}
    options: list[tuple[str, bool | str | int]] = [
        ("cache.write_segments", count)
        for count in sorted(counts - {given})
        if 1 <= count <= segments
    ]
    options += [
        ("cache.write_back", kind) for kind in WRITE_BACK if kind != cache.get("write_back")
    ]
    options.append(
        ("cache.separate_write_segments", not cache.get("separate_write_segments", False))
    )
    size = int(cache.get("segment_blocks", 0))
    options += [("cache.segment_blocks", round(size * factor)) for factor in (0.5, 2) if size > 1]
    return options


def fit_writes(result: Calibration, trace: Trace, base: Profile, replay: Replay) -> None:
    """Changes what decides whether a cached write finds a segment, as long as the writes that wait
    come out better.

    A write waits where it takes longer than all but a thin tail of writes of its length do. Both
    the drive's and the model's times are taken from their own median, since overheads are fitted
    later.
    """
    writes = ~trace.is_read
    if base.number("cache.segments") <= 0 or not base.writes_are_cached or not writes.any():
        return
    blocks = trace.blocks[writes] * base.number("bus.write_block_us")

    def excess(times_us: Floats) -> Floats:
        rest: Floats = times_us[writes] - blocks
        return rest - float(np.median(rest))

    measured = excess(trace.response_us)
    limit = max(WAITS_US, hit_threshold_us(measured, base.period_us))
    real = measured > limit

    def reads_no_worse(before: Answers, after: Answers) -> bool:
        better, error = gain(before[trace.is_read], after[trace.is_read])
        return better > -error

    start, wrong = choose_settings(
        result,
        "writes",
        base,
        replay,
        write_options,
        lambda answers: (excess(answers.simulated_us) > limit) == real,
        reads_no_worse,
    )
    result.notes.append(
        (
            f"cached writes: {int(real.sum())} of {len(real)} waited for a segment; told wrongly: "
            f"{start} with the base's settings"
        )
        + (
            f", {wrong} with the chosen ones"
            if result.values["writes"]
            else ", and no other setting tells them surely better; kept"
        )
    )


# Overheads, by what measured times have beyond the model's.


def fit_overheads(result: Calibration, trace: Trace, base: Profile, replay: Replay) -> None:
    answers = replay(base.changed(result.changes()))
    excess = answers.measured_us - answers.simulated_us
    after_write = np.concatenate(([False], ~trace.is_read[:-1]))
    goes_on = np.concatenate(([False], trace.lba[1:] == (trace.lba + trace.blocks)[:-1]))
    hits = served_from_buffer(trace, base) & ~answers.from_media
    bus_fitted = result.find(place("bus.read_block_us")) is not None or result.joint is not None
    _overhead_group(
        result,
        base,
        "reads from the buffer",
        hits,
        excess,
        trace.blocks,
        after_write.astype(int),
        ("overhead.read_hit_after_read_us", "overhead.read_hit_after_write_us"),
        None if bus_fitted else "bus.read_block_us",
    )
    if base.writes_are_cached:
        keys = ["overhead.write_after_read_us", "overhead.write_after_write_us"]
        kind = after_write.astype(int)
        if (
            base.get(OTHER_WRITE) is not None
        ):  # a write that goes on where the last one ended is another kind
            keys.append(OTHER_WRITE)
            kind = np.where(after_write & ~goes_on, 2, kind)
        _overhead_group(
            result,
            base,
            "writes into the buffer",
            ~trace.is_read & ~answers.from_media,
            excess,
            trace.blocks,
            kind,
            tuple(keys),
            "bus.write_block_us",
        )


def _overhead_group(
    result: Calibration,
    base: Profile,
    what: str,
    chosen: Bools,
    excess: Floats,
    blocks: Ints,
    kind: Ints,
    keys: tuple[str, ...],
    slope_key: str | None,
) -> None:
    excess, blocks, kind = excess[chosen], blocks[chosen], kind[chosen]
    better, error = timing.linear_gain(excess, blocks, kind, len(keys), slope_key is not None)
    if better <= error:
        result.notes.append(
            f"{what}: the base's overheads predict as well as a fit ({len(blocks)} requests); kept"
        )
        return
    fit = timing.fit_linear(excess, blocks, kind, len(keys), slope_key is not None)
    for number, key in enumerate(keys):
        old = base.get(key)
        if np.isnan(fit.overhead_us[number]):
            continue
        # 0 stands for "as after any other write".
        start = (
            base.number("overhead.write_after_write_us")
            if key == OTHER_WRITE and not old
            else base.number(key)
        )
        value = max(0.0, start + float(fit.overhead_us[number]))
        deviation = float(fit.overhead_error_us[number])
        result.set("overheads", Value(key, None, rounded(value, deviation), deviation, old, "us"))
    if slope_key is not None:
        deviation = fit.block_error_us
        value = max(0.0, base.number(slope_key) + fit.block_us)
        result.set(
            "overheads",
            Value(slope_key, None, rounded(value, deviation), deviation, base.get(slope_key), "us"),
        )


# Positioning.


def make_windows(
    result: Calibration, trace: Trace, first: Places, last: Places, reads: MediaReads, base: Profile
) -> Windows:
    """Media accesses with the moment at which their first sector was caught; reads, and writes that
    are not cached.
    """
    assert result.joint is not None
    speed = result.joint.turns_per_us
    completion = trace.completions_us(result.reading)
    issue = completion - trace.response_us
    hit = served_from_buffer(trace, base)
    moves = trace.is_read & ~hit | ~trace.is_read
    # Where the arm stands at the issue: at the last block of the last request that moved it.
    latest = np.where(moves, np.arange(len(trace)), -1)
    latest = np.concatenate(([-1], np.maximum.accumulate(latest)[:-1]))
    index, caught = reads.index, reads.start_us - issue[reads.index]
    writes = np.empty(0, dtype=int)
    if not base.writes_are_cached:
        writes = np.flatnonzero(~trace.is_read & first.same_track(last))
        media = trace.blocks[writes] / first.sectors[writes] / speed
        start = completion[writes] - base.bus().write_status_us - media
        frame = frame_of(
            MediaReads(writes, start, trace.blocks[writes], first[writes]), base.layout()
        )
        level = _level(result.joint.layout, frame_of(reads, base.layout()), speed)
        rest = wrap(
            start * speed - frame.sector_part - result.joint.layout.before_rest(frame) - level
        )
        if resultant(rest) >= 0.5:
            shift = float(np.angle(np.exp(2j * np.pi * rest).mean()) / (2 * np.pi)) / speed
            index = np.concatenate((index, writes))
            caught = np.concatenate((caught, start - shift - issue[writes]))
        else:
            writes = writes[:0]
    known = latest[index] >= 0
    index, caught = index[known], caught[known]
    order = np.argsort(index, kind="stable")
    index, caught = index[order], caught[order]
    arm = latest[index]
    after_write = ~trace.is_read[index - 1]
    distance = np.abs(first.cylinder[index] - last.cylinder[arm])
    other_head = first.head[index] != last.head[arm]
    write = ~trace.is_read[index]
    overhead = np.where(
        write,
        np.where(
            after_write,
            base.number("overhead.write_after_write_us"),
            base.number("overhead.write_after_read_us"),
        ),
        np.where(
            after_write,
            base.number("overhead.read_miss_after_write_us"),
            base.number("overhead.read_miss_after_read_us"),
        ),
    )
    seek = base.seek_us(distance)
    moving = np.maximum(seek, np.where(other_head, base.number("mechanics.head_switch_us"), 0.0))
    moving = np.where(
        write, np.maximum(moving + base.number("mechanics.write_settle_us"), 0.0), moving
    )
    return Windows(
        caught, 1 / speed, distance, other_head, after_write, write, overhead, overhead + moving
    )


def _level(layout: Layout, frame: Frame, speed: float) -> float:
    rest = wrap(frame.time_us * speed - frame.sector_part - layout.before_rest(frame))
    return float(np.angle(np.exp(2j * np.pi * rest).mean()) / (2 * np.pi))


def fit_curve(result: Calibration, windows: Windows, base: Profile) -> Profile:
    """Fills the group `curve`: replaces points of the base's seek table that measured accesses
    refute by the line between their neighbours. Returns the base with that curve.
    """
    if base.get("seek.model") != "table":
        return base
    given = base.get("seek.points_us")
    points = np.array(given, dtype=float).reshape(-1, 2)
    refuted, gains = timing.refuted_points(windows, points)
    margin = 4 * timing.REFUTED_SPREAD
    faster = int(timing.faster_than_seek(windows, margin).sum())
    if len(refuted) == 0:
        result.notes.append(
            f"seek table: no point is refuted; {faster} of {len(windows)} accesses are more than "
            f"{margin / 1e3:.1f} ms faster than the seek alone"
        )
        return base
    kept = np.setdiff1d(np.arange(len(points)), refuted)
    for number, rise in zip(refuted, gains, strict=True):
        distance, time = points[number]
        line = float(np.interp(distance, points[kept, 0], points[kept, 1]))
        result.notes.append(
            f"seek table: {time:g} us at {distance:.0f} cylinders is refuted by the accesses "
            f"beside it (log likelihood {rise:+.1f} without it); replaced by {line:.0f} us, the "
            "line between its neighbours"
        )
        points[number, 1] = round(line, 1)
    table = [[int(distance), float(time)] for distance, time in points]
    value = Value("seek.points_us", None, table, np.nan, given, "us")
    result.set("curve", value)
    return Profile(base.changed({value.where: Change(table)}), base.path)


def fit_positioning(
    result: Calibration, windows: Windows, base: Profile, curved: Profile, replay: Replay
) -> None:
    """Fills the group `positioning` from the windows: seek curve, differences of overheads,
    shortest times.

    The windows take the arm to be where the last access ended, which read-ahead and partial hits
    make untrue now and then; a replay of the first half knows better. So pieces are added to the
    base one by one as long as the replay gains by it, and, from the other end, taken away from all
    of them together as long as it does not lose by it (two pieces may help only together). The
    second way is taken only if it is clearly better.
    """
    found = Calibration(result.reading, {})
    _window_values(found, windows, curved)
    result.notes += found.notes
    values = found.values["positioning"]
    pieces = [
        [value for value in values if value.key.startswith("seek.")],
        [value for value in values if value.key.startswith("overhead.read")],
        [
            value
            for value in values
            if value.key.startswith("overhead.write") or "settle" in value.key
        ],
    ]
    pieces += [[value] for value in values if not any(value in piece for piece in pieces)]
    pieces = [piece for piece in pieces if piece]

    def answers_with(chosen: list[int]) -> Answers:
        changes = result.changes()
        for number in chosen:
            changes |= {value.where: Change(value.value, remark(value)) for value in pieces[number]}
        return replay(base.changed(changes))

    forward: list[int] = []
    forward_answers = answers_with(forward)
    while True:
        trials = [
            (score(answers), number, answers)
            for number in range(len(pieces))
            if number not in forward
            and improves(forward_answers, answers := answers_with([*forward, number]), SURE)
        ]
        if not trials:
            break
        _, number, forward_answers = min(trials, key=lambda trial: trial[0])
        forward.append(number)
    backward = list(range(len(pieces)))
    backward_answers = answers_with(backward)
    while backward:
        trials = []
        for number in backward:
            answers = answers_with([other for other in backward if other != number])
            trials.append((score(answers), number, answers))
        best, number, answers = min(trials, key=lambda trial: trial[0])
        if best > score(backward_answers):
            break
        backward_answers = answers
        backward.remove(number)
    chosen = backward if improves(forward_answers, backward_answers, 1.0) else forward
    for number, piece in enumerate(pieces):
        if number in chosen:
            for value in piece:
                result.set("positioning", value)
        else:
            names = ", ".join(value.name for value in piece)
            result.notes.append(
                f"{names}: the first half is not replayed better with what the windows say; kept "
                "as the base has it"
            )


def _window_values(result: Calibration, windows: Windows, base: Profile) -> None:
    overheads = {
        key: base.number(f"overhead.{key}_us")
        for key in (
            "read_miss_after_read",
            "read_miss_after_write",
            "write_after_read",
            "write_after_write",
        )
    }
    # One shift for all distances, or a curve: what predicts accesses best that it was not fitted
    # to.
    tried = {
        most: timing.positioning_gain(windows, timing.knots_for(windows.distance, most))
        for most in KNOTS
    }
    most = max(tried, key=lambda number: tried[number][0])
    better, error = tried[most]
    result.notes.append(
        f"seek times: a correction at {most} distance{'s' if most > 1 else ''} gains "
        f"{better:+.4f} +- {error:.4f} in the log likelihood of an access it was not fitted to"
    )
    if better > 0:
        fit = timing.fit_positioning(windows, timing.knots_for(windows.distance, most))
        _seek_values(result, fit, base)
        count = len(fit.knots)
        if fit.after_write_us != 0:
            value = overheads["read_miss_after_write"] + fit.after_write_us
            _set_overhead(
                result, base, overheads, "read_miss_after_write", value, float(fit.errors[count])
            )
        if windows.write.any():
            _set_settle(result, base, fit.write_us, float(fit.errors[count + 1]))
            value = overheads["write_after_write"] + fit.write_after_write_us
            _set_overhead(
                result, base, overheads, "write_after_write", value, float(fit.errors[count + 2])
            )
    overhead = np.where(
        windows.write,
        np.where(
            windows.after_write, overheads["write_after_write"], overheads["write_after_read"]
        ),
        np.where(
            windows.after_write,
            overheads["read_miss_after_write"],
            overheads["read_miss_after_read"],
        ),
    )
    still = windows.distance == 0
    for key, chosen, least in (
        ("mechanics.same_track_us", still & ~windows.other_head & ~windows.write, 0.0),
        ("mechanics.same_track_write_us", still & ~windows.other_head & windows.write, 0.0),
        ("mechanics.head_switch_us", still & windows.other_head & ~windows.write, 0.0),
    ):
        index = np.flatnonzero(chosen)
        value, error, _ = timing.fit_shortest(windows[index], overhead[index])
        if np.isfinite(value):
            old = base.get(key)
            result.set(
                "positioning", Value(key, None, rounded(max(least, value), error), error, old, "us")
            )


def _set_overhead(
    result: Calibration,
    base: Profile,
    overheads: dict[str, float],
    key: str,
    value: float,
    error: float,
) -> None:
    """A value below zero cannot be: it stops there."""
    overheads[key] = max(0.0, value)
    name = f"overhead.{key}_us"
    result.set(
        "positioning",
        Value(name, None, rounded(overheads[key], error), error, base.get(name), "us"),
    )


def _set_settle(result: Calibration, base: Profile, added: float, error: float) -> None:
    value = base.number("mechanics.write_settle_us") + added
    result.set(
        "positioning",
        Value(
            "mechanics.write_settle_us",
            None,
            rounded(value, error),
            error,
            base.get("mechanics.write_settle_us"),
            "us",
        ),
    )


def _seek_values(result: Calibration, fit: timing.Positioning, base: Profile) -> None:
    if len(fit.knots) == 0:
        return
    old = base.get("seek.points_us")
    if base.get("seek.model") == "table":
        distances = np.array([point[0] for point in old], dtype=int)
    else:
        # A formula cannot take a correction: it becomes a table, close enough to be drawn with
        # straight lines.
        most = int(base.get("geometry.cylinders")) - 1
        distances = np.unique(
            np.concatenate(
                (np.arange(1, min(most, 20) + 1), np.geomspace(min(20, most), most, 60).round())
            )
        ).astype(int)
        result.set("positioning", Value("seek.model", None, "table", np.nan, None, ""))
    new = np.maximum(base.seek_us(distances) + fit.correction(distances), 0.0)
    error = float(np.median(fit.errors[: len(fit.knots)]))
    points = [
        [int(distance), round(float(time), 1)]
        for distance, time in zip(distances, new, strict=True)
    ]
    result.set("positioning", Value("seek.points_us", None, points, error, old, "us"))


# The spread of the arrivals.


def media_accesses(
    trace: Trace, first: Places, last: Places, base: Profile, answers: Answers, begin: int = 0
) -> spread.Accesses:
    """Accesses that both the model and the drive made to the media, from line `begin` on; reads,
    and writes that are not cached; none that continues the access before it.
    """
    hit = served_from_buffer(trace, base)
    moves = answers.from_media | (trace.is_read & ~hit) | ~trace.is_read
    latest = np.where(moves, np.arange(len(trace)), -1)
    latest = np.concatenate(([-1], np.maximum.accumulate(latest)[:-1]))
    chosen = answers.from_media & ~hit & (latest >= 0)
    chosen &= np.arange(len(trace)) >= begin
    # A read that continues the last access finds the drive reading ahead: no arrival decides there.
    chosen &= trace.lba != (trace.lba + trace.blocks)[latest]
    if base.writes_are_cached:
        chosen &= trace.is_read
    index = np.flatnonzero(chosen)
    period = base.period_us
    leeway = answers.rotation_us[index]
    move = answers.move_us[index]
    distance = np.abs(first.cylinder[index] - last.cylinder[latest[index]])
    # A read-ahead may have moved the arm: what the access took tells whether it had to move.
    switched = np.abs(move - base.number("mechanics.head_switch_us")) < SAME_US
    still = switched | (np.abs(move - base.number("mechanics.same_track_us")) < SAME_US)
    distance = np.where((distance == 0) & trace.is_read[index] & ~still, 1, distance)
    # Zero latency: the access began in the middle of its sectors. The first one comes again after
    # hardly less than a turn.
    part = trace.blocks[index] / first.sectors[index]
    began_late = (answers.transfer_us[index] > period - 0.01) & (part < 0.5)
    began_late &= first.same_track(last)[index]
    leeway = np.where(began_late, period * (1 - part / 2), leeway)
    return spread.Accesses(
        period,
        answers.measured_us[index] - answers.simulated_us[index],
        leeway,
        answers.overhead_us[index] + move,
        distance,
        switched,
        ~trace.is_read[index],
    )


def fit_spread(
    result: Calibration, trace: Trace, first: Places, last: Places, base: Profile, replay: Replay
) -> None:
    """Fills the group `spread`, on a replay with everything else that was found."""

    def replayed() -> tuple[Profile, Answers, spread.Accesses]:
        now = Profile(base.changed(result.changes()), base.path)
        answers = replay(now.text)
        return now, answers, media_accesses(trace, first, last, now, answers)

    now, answers, accesses = replayed()
    if (~accesses.write).sum() < FEWEST_ACCESSES:
        result.notes.append(f"spread of arrivals: {len(accesses)} accesses are too few; none")
        return
    if fit_mean_arrivals(result, now, answers, accesses, base, replay):
        _, _, accesses = replayed()
    found: dict[str, spread.Spread] = {}
    for what, key, chosen in (
        ("reads", "mechanics.arrival_spread_us", accesses[~accesses.write]),
        ("writes", "mechanics.arrival_spread_write_us", accesses[accesses.write]),
    ):
        if len(chosen) < FEWEST_ACCESSES:
            continue
        form, gains = spread.choose(chosen)
        fit = spread.fit(chosen, spread.forms(chosen)[form])
        found[what] = fit
        error = float(np.nanmax(fit.error_us)) if np.isfinite(fit.error_us).any() else np.nan
        if fit.in_phase(chosen.period_us):
            result.set("spread", Value(key, None, fit.points(), error, base.get(key), "us"))
        else:
            result.notes.append(
                f"spread of arrivals of {what}: {fit.deviation_us.max():.0f} us is that of unknown "
                "phases, not of arrivals; the profile gets none"
            )
        others = ", ".join(f"{name} {gain:+.4f}" for name, gain in list(gains.items())[1:])
        result.notes.append(
            f"spread of arrivals of {what}: form {form}"
            + (f" (gain in the log likelihood of an access: {others})" if others else "")
            + f", jitter {fit.jitter_us:.0f} us, {100 * fit.stray:.1f} % strays"
        )
    result.spreads = Spreads(
        found["reads"],
        found.get("writes"),
        {
            "normal": spread.fit_normal(accesses),
            "normal_with_strays": spread.fit_normal_with_strays(accesses),
        },
    )


def fit_mean_arrivals(
    result: Calibration,
    now: Profile,
    answers: Answers,
    accesses: spread.Accesses,
    base: Profile,
    replay: Replay,
) -> bool:
    """Moves the seek curve and the shortest times so that as many reads come a turn later as their
    spread says, and as many earlier. Undone if the first half is replayed worse. True if it stays.
    """
    fit, better, error = spread.shift(accesses[~accesses.write])
    track, switch, far = fit.later_us
    text = (
        f"mean arrivals: {track:+.0f} us on one track, {switch:+.0f} us after a head switch and "
        f"{far:+.0f} us beyond gain {better:+.4f} +- {error:.4f} in the log likelihood of an "
        "access they were not fitted to"
    )
    if better <= error or not fit.in_phase(accesses.period_us):
        result.notes.append(text + "; not used")
        return False
    before = list(result.values["positioning"])
    shifted = timing.Positioning(
        np.array([1.0]), np.array([far]), 0.0, 0.0, 0.0, 0.0, np.full(4, np.nan)
    )
    _seek_values(result, shifted, now)
    for key, later in (("mechanics.same_track_us", track), ("mechanics.head_switch_us", switch)):
        value = round(max(0.0, now.number(key) + later), 1)
        result.set("positioning", Value(key, None, value, np.nan, base.get(key), "us"))
    if improves(replay(base.changed(result.changes())), answers, SURE):
        result.values["positioning"] = before
        result.notes.append(text + "; not used, because the first half is surely replayed worse")
        return False
    result.notes.append(text)
    return True


# Whole replays.


def score(answers: Answers) -> float:
    """What replays are judged by: the demerit, and the mean error with single ones cut at
    OUTSIDE_US, all in percent.

    The demerit alone would reward errors that cancel in the distribution, single requests alone
    errors that add up in it.
    """
    error = np.minimum(np.abs(answers.simulated_us - answers.measured_us), OUTSIDE_US)
    return (
        demerit_percent(answers.measured_us, answers.simulated_us)
        + 100 * float(error.mean()) / OUTSIDE_US
    )


def gain(before: Answers, after: Answers) -> tuple[float, float]:
    """How much better the score got, and the standard error of that, by a bootstrap over blocks of
    neighbouring requests.

    Blocks, because a request that goes wrong takes the phase of the next ones with it. The seed is
    fixed.
    """
    count = len(before.measured_us)
    blocks = np.array_split(np.arange(count), max(2, count // BOOTSTRAP_BLOCK))
    random = np.random.default_rng(1)
    samples = []
    for _ in range(BOOTSTRAPS):
        drawn = np.concatenate(
            [blocks[number] for number in random.integers(0, len(blocks), len(blocks))]
        )
        samples.append(score(before[drawn]) - score(after[drawn]))
    return score(before) - score(after), float(np.std(samples))


def improves(before: Answers, after: Answers, sigmas: float) -> bool:
    """The score is better by so many standard errors, and in neither half of the lines the demerit
    pays for it.
    """
    better, error = gain(before, after)
    if better <= sigmas * error:
        return False
    middle = len(before.measured_us) // 2
    for part in (slice(0, middle), slice(middle, None)):
        old = demerit_percent(before.measured_us[part], before.simulated_us[part])
        if demerit_percent(after.measured_us[part], after.simulated_us[part]) > old + DEMERIT_SLACK:
            return False
    return True


POLISHED = (
    "mechanics.same_track_us",
    "mechanics.same_track_write_us",
    "mechanics.head_switch_us",
    "mechanics.write_settle_us",
    "overhead.read_miss_after_read_us",
    "overhead.read_miss_after_write_us",
)


def polish(result: Calibration, base: Profile, replay: Replay) -> None:
    """Nelder-Mead over the shortest times and the overheads of reads, on whole replays.

    What the windows cannot see takes part here: read-ahead that is under way, requests over several
    tracks. The search is made on each quarter of the trace that may be fitted and tested on the
    other; only if it gains there, one on both is used.
    """
    keys = [
        key
        for key in POLISHED
        if result.find(place(key)) is not None or key.startswith("overhead.read_miss")
    ]
    if base.writes_are_cached:
        keys = [key for key in keys if "track_write" not in key and "settle" not in key]

    def current(key: str) -> float:
        value = result.find(place(key))
        if value is None:
            return base.number(key)
        return float(value.value)  # type: ignore[arg-type]

    start = np.array([current(key) for key in keys])

    def text_of(values: Floats) -> str:
        changes = result.changes()
        for key, value in zip(keys, values, strict=True):
            changes[place(key)] = Change(round(float(value), 1))
        return base.changed(changes)

    def valid(values: Floats) -> bool:
        return all(
            value >= 0 or key == "mechanics.write_settle_us"
            for key, value in zip(keys, values, strict=True)
        )

    known: dict[tuple[float, ...], Answers] = {}

    def answers_at(values: Floats) -> Answers:
        at = tuple(np.round(values, 1))
        if at not in known:
            known[at] = replay(text_of(values))
        return known[at]

    quarter = len(answers_at(start).measured_us) // 2

    def search(part: slice, begin: Floats) -> Floats:
        def cost(values: Floats) -> float:
            return score(answers_at(values)[part]) if valid(values) else 1e3

        simplex = np.vstack([begin, begin + POLISH_STEP_US * np.eye(len(begin))])
        found = optimize.minimize(
            cost,
            begin,
            method="Nelder-Mead",
            options={
                "initial_simplex": simplex,
                "maxfev": POLISH_RUNS,
                "xatol": 2.0,
                "fatol": 0.002,
            },
        )
        return np.round(found.x, 1)

    quarters = (slice(0, quarter), slice(quarter, None))
    trials = [search(part, start) for part in quarters]
    held = [
        gain(answers_at(start)[other], answers_at(trial)[other])
        for trial, other in zip(trials, reversed(quarters), strict=True)
    ]
    better, error = (
        sum(entry[0] for entry in held) / 2,
        float(np.hypot(held[0][1], held[1][1])) / 2,
    )
    found = search(slice(None), min(trials, key=lambda trial: score(answers_at(trial))))
    result.notes.append(
        f"search on replays: gains {better:+.2f} +- {error:.2f} on lines it had not seen"
        + ("" if better > error else "; not used")
    )
    if better <= error:
        return
    for number, (key, value) in enumerate(zip(keys, found, strict=True)):
        old = result.find(place(key))
        if old is None and abs(value - base.number(key)) < 1:
            continue
        offsets = ERROR_STEPS_US[found[number] + ERROR_STEPS_US >= 0]
        along = [answers_at(found + offset * np.eye(len(found))[number]) for offset in offsets]
        error = max(_bootstrap_error(along, offsets), old.error if old is not None else 0.0)
        result.set("positioning", Value(key, None, float(value), error, base.get(key), "us"))


def _bootstrap_error(along: list[Answers], offsets: Floats) -> float:
    """Standard error of the best of `offsets` (us), by the bootstrap of `gain`; at least half of
    the smallest step.
    """
    blocks = np.array_split(
        np.arange(len(along[0].measured_us)), max(2, len(along[0].measured_us) // BOOTSTRAP_BLOCK)
    )
    random = np.random.default_rng(2)
    best = []
    for _ in range(BOOTSTRAPS):
        drawn = np.concatenate(
            [blocks[number] for number in random.integers(0, len(blocks), len(blocks))]
        )
        best.append(offsets[int(np.argmin([score(answers[drawn]) for answers in along]))])
    return max(float(np.std(best)), float(np.diff(offsets).min()) / 2)


def keep_what_helps(result: Calibration, base: Profile, replay: Replay) -> None:
    """Takes back a whole group if the first half is replayed better without it."""
    for group in GROUPS:
        if not result.values[group]:
            continue
        with_it = score(replay(base.changed(result.changes())))
        without = score(replay(base.changed(result.changes(without=group))))
        if without < with_it:
            result.values[group] = []
            result.notes.append(
                f"{group}: the first half is replayed better with the base's values "
                f"({without:.3f} against {with_it:.3f}); kept"
            )


def calibrate(
    trace: Trace,
    base: Profile,
    first: Places,
    last: Places,
    replay_as: Callable[[Reading], Replay],
    given: Reading | None,
) -> Calibration:
    """`trace`, `first` and `last` hold the lines that may be fitted, and no others."""
    reading, spindles = decide_reading(trace, first, last, base, given)
    result = Calibration(reading, {name: spindle.coherence for name, spindle in spindles.items()})
    spindle = spindles[reading.value]
    replay = replay_as(reading)
    if spindle.coherent:
        result.spindle = spindle
        reads = fit_rotation(result, trace, first, last, base)
        fit_buffer(result, trace, base, replay)
        fit_writes(result, trace, base, replay)
        fit_overheads(result, trace, base, replay)
        curved = fit_curve(result, make_windows(result, trace, first, last, reads, base), base)
        windows = make_windows(result, trace, first, last, reads, curved)
        fit_positioning(result, windows, base, curved, replay)
        polish(result, base, replay)
    else:
        result.notes.append(
            f"reads of one track are not in phase (coherence {spindle.coherence:.2f} if the pause "
            f"{reading.value}); speed, layout and positioning are the base's"
        )
        fit_buffer(result, trace, base, replay)
        fit_writes(result, trace, base, replay)
        fit_overheads(result, trace, base, replay)
    keep_what_helps(result, base, replay)
    fit_spread(result, trace, first, last, base, replay)
    return result
