# SPDX-License-Identifier: Apache-2.0
"""The fits of `platter-lab calibrate` on a made-up drive whose layout, speed and times are known.

Needs the lab's packages (numpy, scipy) and nothing else:
python -m unittest, with scripts/lab on PYTHONPATH.
"""

import contextlib
import errno
import io
import json
import os
import stat
import subprocess
import sys
import tempfile
import tomllib
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import ClassVar
from unittest import mock

import numpy as np
from platter_lab import LabError, StudyFailed, cli
from platter_lab.calibrate import timing
from platter_lab.calibrate.fit import Calibration, Value, decide_reading, fit_writes, layout_values
from platter_lab.calibrate.layout import Layout, fit_jointly, fit_layout, frame_of
from platter_lab.calibrate.phase import (
    Bus,
    Places,
    fit_speed,
    hit_threshold_us,
    media_reads,
    read_delay_us,
    wrap,
)
from platter_lab.calibrate.profile import Change, Profile, place
from platter_lab.calibrate.replay import Model
from platter_lab.calibrate.trace import Reading, Trace, read_trace, trace_text
from platter_lab.executable import call_platter
from platter_lab.files import write_whole

PERIOD_US = 8333.0  # what the profile says
TRUE_PERIOD_US = 8300.0  # 0.4 % faster
OVERHEAD_US, HIT_US, BLOCK_US = 500.0, 150.0, 100.0
SAME_TRACK_US, HEAD_SWITCH_US = 700.0, 900.0
SURFACES, RANGE = 4, 6
SECTORS = np.array([240, 200, 160])
CYLINDERS = np.array([600, 500, 400])
FIRST = np.array([0, 600, 1110])  # ten cylinders between the last two zones hold nothing

PROFILE = """# The made-up drive.
format = 1
name = "made up"
source = "a test"

[geometry]
cylinders = 1510
surfaces = 4
spare_unit = "range"
range_cylinders = 6

[[geometry.zone]]
first_cylinder = 0
last_cylinder = 599
sectors_per_track = 240
track_skew_sectors = 30.0  # in whole sectors, as a file has it
cylinder_skew_sectors = 17.0

[[geometry.zone]]
first_cylinder = 600
last_cylinder = 1099
sectors_per_track = 200
track_skew_sectors = 25.0
cylinder_skew_sectors = 15.0

[[geometry.zone]]
first_cylinder = 1110
last_cylinder = 1509
sectors_per_track = 160
track_skew_sectors = 20.0
cylinder_skew_sectors = 11.0

[seek]
model = "table"
points_us = [
  [1, 1000.0], [100, 2500.0],  # two lines
  [1500, 9000.0],
]

[mechanics]
rpm = 7200.288

[bus]
read_block_us = 100.0

[cache]
segments = 4
segment_blocks = 64
write_back = "interleaved"
"""


def true_layout(**changes) -> Layout:
    layout = Layout(
        offset=np.array([0.10, 0.62, 0.35]),
        track=np.full(3, 0.1907),
        cylinder=np.full(3, 0.047619),
        range=np.array([0.61, 0.57, 0.33]),
        heads=np.array([0.0, 0.012, -0.004, 0.021]),
        first_cylinder=FIRST,
        cylinders=CYLINDERS,
        range_cylinders=RANGE,
    )
    return replace(layout, **changes)


def seek_us(distance: np.ndarray) -> np.ndarray:
    return np.interp(distance, [1, 100, 1500], [1000.0, 2500.0, 9000.0])


class MadeUpDrive:
    """A trace of `count` requests as a drive with the given layout would answer them,
    and the places of its blocks."""

    def __init__(
        self,
        layout: Layout,
        base: Layout,
        count: int = 3000,
        seed: int = 7,
        reading: Reading = Reading.PRECEDES,
    ) -> None:
        random = np.random.default_rng(seed)
        zone = random.integers(0, 3, count)
        track = random.integers(0, CYLINDERS[zone] * SURFACES)
        blocks = random.choice([4, 8, 12], count)
        near = random.random(count) < 0.3
        for k in np.flatnonzero(near)[1:]:  # near the request before
            zone[k] = zone[k - 1]
            track[k] = np.clip(
                track[k - 1] + random.integers(-2, 3), 0, CYLINDERS[zone[k]] * SURFACES - 1
            )
        cylinder, order = track // SURFACES, track % SURFACES
        sector = random.integers(0, SECTORS[zone] - blocks)
        read = random.random(count) < 0.8
        hit = read & (random.random(count) < 0.25)
        self.first = self._places(base, zone, cylinder, order, sector)
        self.last = self._places(base, zone, cylinder, order, sector + blocks - 1)
        angle = self._angle(layout, zone, cylinder, order, sector)
        pause = random.uniform(5e3, 6e4, count)
        bus = Bus(BLOCK_US)
        delay = read_delay_us(blocks, SECTORS[zone], TRUE_PERIOD_US, bus)
        response = (
            np.where(hit, HIT_US, 2 * HIT_US) + blocks * BLOCK_US + random.uniform(-3, 3, count)
        )
        now, arm = 0.0, (0, 0)
        for k in range(count):
            if k > 0:
                now += pause[k - 1] if reading is Reading.FOLLOWS else pause[k]
            at = (int(FIRST[zone[k]] + cylinder[k]), int(order[k]))
            if read[k] and not hit[k]:
                distance = abs(at[0] - arm[0])
                ready = (
                    now
                    + OVERHEAD_US
                    + (
                        seek_us(np.array(distance))
                        if distance
                        else SAME_TRACK_US
                        if at[1] == arm[1]
                        else HEAD_SWITCH_US
                    )
                )
                start = (
                    ready
                    + (angle[k] - ready / TRUE_PERIOD_US) % 1.0 * TRUE_PERIOD_US
                    + random.normal(0, 20)
                )
                response[k] = start + delay[k] - now
            if not hit[k]:
                arm = at
            now += response[k]
        lba = np.arange(count) * 100
        self.trace = Trace(read, lba, blocks, response, pause)
        self.hit = hit

    @staticmethod
    def _angle(layout: Layout, zone, cylinder, order, sector) -> np.ndarray:
        return (
            layout.offset[zone]
            + layout.track[zone] * order
            + layout.heads[order]
            + layout.cylinder[zone] * cylinder
            + layout.range[zone] * (cylinder // RANGE)
            + sector / SECTORS[zone]
        ) % 1.0

    def _places(self, base: Layout, zone, cylinder, order, sector) -> Places:
        return Places(
            zone,
            FIRST[zone] + cylinder,
            order,
            order,
            sector,
            SECTORS[zone],
            self._angle(base, zone, cylinder, order, sector),
        )

    def reads(self, reading: Reading = Reading.PRECEDES):
        return media_reads(self.trace, reading, self.first, self.last, Bus(BLOCK_US), PERIOD_US)


class PhaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.base = Profile(PROFILE, Path("base.toml"))
        cls.drive = MadeUpDrive(true_layout(), cls.base.layout())

    def test_hits_are_told_from_media_reads(self) -> None:
        excess = self.drive.trace.response_us - self.drive.trace.blocks * BLOCK_US
        threshold = hit_threshold_us(excess[self.drive.trace.is_read], PERIOD_US)
        wrong = (excess <= threshold) != self.drive.hit
        self.assertEqual(wrong[self.drive.trace.is_read].sum(), 0)

    def test_the_reading_is_found(self) -> None:
        for truth in Reading:
            drive = MadeUpDrive(true_layout(), self.base.layout(), reading=truth)
            reading, spindles = decide_reading(
                drive.trace, drive.first, drive.last, self.base, None
            )
            self.assertEqual(reading, truth)
            self.assertGreater(spindles[truth.value].coherence, 0.95)

    def test_a_trace_without_phase_is_not_coherent(self) -> None:
        drive = MadeUpDrive(true_layout(), self.base.layout())
        noise = np.random.default_rng(1).uniform(0, TRUE_PERIOD_US, len(drive.trace))
        trace = replace(
            drive.trace, response_us=drive.trace.response_us + np.where(drive.hit, 0, noise)
        )
        _, spindles = decide_reading(trace, drive.first, drive.last, self.base, None)
        self.assertFalse(any(spindle.coherent for spindle in spindles.values()))

    def test_the_speed_is_found(self) -> None:
        spindle = fit_speed(self.drive.reads(), PERIOD_US)
        self.assertTrue(spindle.coherent)
        self.assertAlmostEqual(spindle.period_us / TRUE_PERIOD_US, 1.0, delta=1e-6)


class LayoutTest(unittest.TestCase):
    """Each layout is fitted from a base whose skews are whole sectors and wrong."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.by_range = cls.fit(true_layout())

    @staticmethod
    def fit(truth: Layout, seed: int = 7):
        base = Profile(PROFILE, Path("base.toml"))
        drive = MadeUpDrive(truth, base.layout(), seed=seed)
        reads = drive.reads()
        speed = fit_speed(reads, PERIOD_US).turns_per_us
        frame = frame_of(reads, base.layout())
        joint = fit_jointly(frame, speed, fit_layout(frame, speed, base.layout()))
        # All places of the drive by both layouts: they may differ by one angle common to all.
        random = np.random.default_rng(99)
        places = random.integers(0, 3, 5000)
        cylinder = random.integers(0, CYLINDERS[places])
        order = random.integers(0, SURFACES, 5000)
        difference = drive._angle(joint.layout, places, cylinder, order, 0) - drive._angle(
            truth, places, cylinder, order, 0
        )
        common = np.angle(np.exp(2j * np.pi * difference).mean()) / (2 * np.pi)
        return joint, np.abs(wrap(difference - common))

    def test_range_skews_by_zone_and_angles_per_head(self) -> None:
        joint, error = self.by_range
        self.assertEqual(
            joint.chosen,
            {
                "heads": "angle per head",
                "cylinders": "one advance, per range by zone",
                "zones": "per zone",
            },
        )
        self.assertLess(error.max(), 0.004)
        self.assertAlmostEqual(
            joint.turns_per_us * TRUE_PERIOD_US,
            1.0,
            delta=3 * joint.speed_error * TRUE_PERIOD_US + 1e-8,
        )
        self.assertLess(abs(wrap(joint.layout.range - true_layout().range)).max(), 0.002)

    def test_one_step_and_one_advance(self) -> None:
        truth = true_layout(range=np.zeros(3), heads=np.zeros(4), offset=np.full(3, 0.3))
        joint, error = self.fit(truth)
        self.assertEqual(joint.chosen["heads"], "one step")
        self.assertEqual(joint.chosen["cylinders"], "one advance")
        self.assertIn(joint.chosen["zones"], ("as given", "common"))
        self.assertLess(error.max(), 0.003)
        self.assertLess(abs(joint.layout.track[0] - 0.1907), 5 * joint.errors.track[0])
        self.assertLess(
            abs(wrap(joint.layout.cylinder[0] - 0.047619)), 5 * joint.errors.cylinder[0]
        )

    def test_skews_that_run_on_over_the_zones(self) -> None:
        before = np.concatenate(([0], np.cumsum(CYLINDERS)[:-1]))
        truth = true_layout(
            range=np.zeros(3), heads=np.zeros(4), offset=(0.2 + 0.047619 * before) % 1.0
        )
        joint, error = self.fit(truth)
        self.assertEqual(joint.chosen["zones"], "run on")
        self.assertLess(error.max(), 0.003)

    def test_advance_by_zone(self) -> None:
        truth = true_layout(
            range=np.zeros(3), heads=np.zeros(4), cylinder=np.array([0.21, 0.35, 0.08])
        )
        joint, error = self.fit(truth)
        self.assertEqual(joint.chosen["cylinders"], "advance per zone")
        self.assertLess(error.max(), 0.005)

    def test_a_right_base_is_kept(self) -> None:
        joint, error = self.fit(Profile(PROFILE, Path("base.toml")).layout())
        self.assertEqual(set(joint.chosen.values()), {"as given"})
        self.assertLess(error.max(), 1e-9)

    def test_values_are_in_sectors_and_give_the_angles_back(self) -> None:
        base = Profile(PROFILE, Path("base.toml"))
        joint, _ = self.by_range
        result = Calibration(Reading.PRECEDES, {})
        for value in layout_values(joint, base):
            result.set("rotation", value)
        written = Profile(base.changed(result.changes()), Path("new.toml")).layout()
        for name in ("offset", "track", "cylinder", "range", "heads"):
            difference = wrap(getattr(written, name) - getattr(joint.layout, name))
            self.assertLess(np.abs(difference).max(), 1e-4, name)


class TimingTest(unittest.TestCase):
    def test_overheads_and_block_time(self) -> None:
        random = np.random.default_rng(3)
        blocks = random.choice([4, 8, 16], 600)
        kind = random.integers(0, 2, 600)
        excess = np.array([20.0, -35.0])[kind] + 2.5 * blocks + random.normal(0, 5, 600)
        excess[::50] += 8000  # waited for something else
        fit = timing.fit_linear(excess, blocks, kind, 2, free_slope=True)
        self.assertLess(abs(fit.overhead_us[0] - 20), 5 * fit.overhead_error_us[0])
        self.assertLess(abs(fit.overhead_us[1] + 35), 5 * fit.overhead_error_us[1])
        self.assertAlmostEqual(fit.block_us, 2.5, delta=5 * fit.block_error_us)
        better, error = timing.linear_gain(excess, blocks, kind, 2, free_slope=True)
        self.assertGreater(better, 5 * error)

    @staticmethod
    def windows(
        count: int, distance: np.ndarray, ready_us: np.ndarray, assumed_us: np.ndarray
    ) -> timing.Windows:
        """Sectors at random angles, caught as soon as the arm is ready."""
        random = np.random.default_rng(5)
        caught = ready_us + random.normal(0, 30, count) + random.uniform(0, PERIOD_US, count)
        nothing = np.zeros(count, dtype=bool)
        return timing.Windows(
            caught,
            PERIOD_US,
            distance,
            nothing,
            nothing,
            nothing,
            np.full(count, OVERHEAD_US),
            assumed_us,
        )

    def test_seek_curve_is_corrected(self) -> None:
        distance = np.random.default_rng(4).integers(1, 1500, 2500)
        ready = OVERHEAD_US + seek_us(distance)
        windows = self.windows(2500, distance, ready, ready - 400)
        knots = timing.knots_for(distance)
        fit = timing.fit_positioning(windows, knots)
        self.assertLess(np.abs(fit.correction(distance) - 400).mean(), 60)
        better, error = timing.positioning_gain(windows, knots)
        self.assertGreater(better, 2 * error)

    def test_shortest_time(self) -> None:
        count = 400
        distance = np.zeros(count, dtype=int)
        windows = self.windows(
            count,
            distance,
            np.full(count, OVERHEAD_US + SAME_TRACK_US),
            np.full(count, OVERHEAD_US),
        )
        value, error, used = timing.fit_shortest(windows, windows.overhead_us)
        self.assertEqual(used, count)
        self.assertLess(abs(value - SAME_TRACK_US), max(3 * error, 60))


@unittest.skipUnless("PLATTER" in os.environ, "PLATTER names no executable")
class WritesTest(unittest.TestCase):
    """Cached writes in bursts, answered by the model with known settings:
    which of them had to wait tells these."""

    CACHE = """segments = 8
segment_blocks = 64
write_segments = {count}
write_back = "{kind}"
"""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def profile(self, count: int, kind: str = "interleaved") -> Profile:
        file = self.folder / f"{kind}{count}.toml"
        file.write_text(
            PROFILE[: PROFILE.index("segments = 4")].replace(
                "[cache]", "write_block_us = 90.0\n\n[cache]"
            )
            + self.CACHE.format(count=count, kind=kind),
            encoding="utf-8",
        )
        return Profile.read(file, dict)

    def trace(self, pause_ms: tuple[float, float], count: int = 1600) -> Trace:
        random = np.random.default_rng(5)
        pause = np.where(random.random(count) < 0.5, random.uniform(*pause_ms, count), 60.0) * 1000
        blocks = random.choice([4, 8, 12], count)
        return Trace(
            random.random(count) < 0.3,
            random.integers(0, 10**6, count),
            blocks,
            np.full(count, 1000.0),
            pause,
        )

    def model(self, trace: Trace) -> Model:
        file = self.folder / f"{len(list(self.folder.iterdir()))}.trace"
        file.write_text(trace_text(trace), encoding="ascii")
        return Model(
            Path(os.environ["PLATTER"]),
            self.folder / f"{file.stem}_runs",
            file,
            trace,
            len(trace) // 2,
        )

    def answered(self, trace: Trace, real: Profile) -> Trace:
        """As the drive `real` answers it, some microseconds later or sooner,
        and one write in 300 a lot later."""
        whole = self.model(trace)._validate(real.text, Reading.FOLLOWS, "whole", "all")[0]
        random = np.random.default_rng(6)
        response = whole.simulated_us + random.uniform(0, 15, len(trace)).round()
        return replace(
            trace,
            response_us=response + 2000 * (~trace.is_read & (random.random(len(trace)) < 1 / 300)),
        )

    def fitted(self, trace: Trace, base: Profile) -> tuple[Calibration, dict, dict]:
        model = self.model(trace)
        result = Calibration(Reading.FOLLOWS, {})
        fit_writes(
            result, trace.first_half(), base, lambda text: model.first_half(text, Reading.FOLLOWS)
        )
        return (
            result,
            model.second_half(base.text, Reading.FOLLOWS)[1]["writes"],
            model.second_half(base.changed(result.changes()), Reading.FOLLOWS)[1]["writes"],
        )

    def test_segments_are_found_by_the_writes_that_wait(self) -> None:
        for real, base in (
            (self.profile(1), self.profile(4)),
            (self.profile(3), self.profile(1)),
            (self.profile(4, "append"), self.profile(4)),
        ):
            with self.subTest(real=real.path.name, base=base.path.name):
                trace = self.answered(self.trace((1.0, 4.0)), real)
                result, before, after = self.fitted(trace, base)
                self.assertTrue(result.values["writes"])
                self.assertLess(
                    after["demerit_exact_percent"], 0.5 * before["demerit_exact_percent"]
                )
                self.assertGreater(after["within_0_5_ms"], 0.97)

    def test_where_no_write_waits_nothing_is_changed(self) -> None:
        trace = self.answered(self.trace((60.0, 80.0)), self.profile(4))
        result, before, after = self.fitted(trace, self.profile(1))
        self.assertEqual(result.values["writes"], [])
        self.assertEqual(before, after)
        self.assertIn("kept", result.notes[0])

    def test_a_right_base_is_kept(self) -> None:
        trace = self.answered(self.trace((1.0, 4.0)), self.profile(2))
        self.assertEqual(self.fitted(trace, self.profile(2))[0].values["writes"], [])


class FilesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_first_half_does_not_hold_the_second(self) -> None:
        drive = MadeUpDrive(true_layout(), Profile(PROFILE, Path("base.toml")).layout(), count=401)
        half = drive.trace.first_half()
        self.assertEqual(len(half), 200)
        file = self.folder / "half.trace"
        file.write_text(trace_text(half), encoding="ascii")
        again = read_trace(file)
        self.assertEqual(len(again), 200)
        np.testing.assert_allclose(again.response_us, drive.trace.response_us[:200], atol=1e-5)

    def test_bad_traces_are_told_by_line(self) -> None:
        good = "R Hit 100 4 663.0 45422.0\n"
        for bad, said in (
            ("R Hit 100 4 663.0\n", "5 fields, expected 6"),
            ("X Hit 100 4 663.0 1\n", "expected R or W"),
            ("R Hit a 4 663.0 1\n", "two whole numbers"),
            ("R Hit 1 4 six 1\n", "two numbers"),
            ("R Hit 1 0 663.0 1\n", "1 to 65535 blocks"),
            ("R Hit 1 65536 663.0 1\n", "1 to 65535 blocks"),
            (f"R Hit {1 << 63} 4 663.0 1\n", "a first block from 0 up to"),
            ("R Hit 1 4 1e-7 1\n", "expected above 0"),
            ("R Hit 1 4 -3 1\n", "expected above 0"),
        ):
            file = self.folder / "bad.trace"
            file.write_text(good * 2 + bad + good, encoding="ascii")
            with self.assertRaisesRegex(LabError, rf"bad\.trace:3: .*{said}"):
                read_trace(file)
        (self.folder / "short.trace").write_text(good, encoding="ascii")
        with self.assertRaisesRegex(LabError, "found 1 requests, expected at least 200"):
            read_trace(self.folder / "short.trace")
        with self.assertRaisesRegex(LabError, "No such file"):
            read_trace(self.folder / "none.trace")

    def test_a_profile_keeps_what_is_not_changed(self) -> None:
        base = Profile(PROFILE, Path("base.toml"))
        changes = {
            place("mechanics.rpm"): Change(7228.9, "+- 0.1"),
            place("mechanics.same_track_us"): Change(700.0),
            place("overhead.read_miss_after_read_us"): Change(12.5),
            place("offset_sectors", 1): Change(3.25, "new"),
            place("track_skew_sectors", 0): Change(45.8),
            place("seek.points_us"): Change([[1, 900.0], [1500, 8e3]]),
            place("geometry.head_offsets_turns"): Change([0.0, 0.01, 0.02, 0.03], "table"),
        }
        text = base.changed(changes, "# header\n")
        new = tomllib.loads(text)
        old = tomllib.loads(PROFILE)
        self.assertTrue(text.startswith("# header\n# The made-up drive.\n"))
        self.assertIn("rpm = 7228.9  # +- 0.1", text)
        self.assertEqual(new["mechanics"], {"rpm": 7228.9, "same_track_us": 700.0})
        self.assertEqual(new["overhead"], {"read_miss_after_read_us": 12.5})
        self.assertEqual(new["seek"]["points_us"], [[1, 900.0], [1500, 8000.0]])
        self.assertEqual(
            new["geometry"]["zone"][1], {**old["geometry"]["zone"][1], "offset_sectors": 3.25}
        )
        self.assertEqual(new["geometry"]["zone"][2], old["geometry"]["zone"][2])
        self.assertEqual(new["geometry"]["head_offsets_turns"], [0.0, 0.01, 0.02, 0.03])
        self.assertEqual(new["cache"], old["cache"])

    def test_a_drive_that_never_disconnects_sends_its_first_sector_at_once(self) -> None:
        file = self.folder / "profile.toml"
        bus = "reselect_us = 40.0\npreparation_us = 30.0\nread_watermark = 0.5\nnever_disconnect = "
        for never, watermark, begin in (("false", 0.5, 70.0), ("true", 0.0, 0.0)):
            file.write_text(
                PROFILE.replace("[cache]", bus + never + "\n\n[cache]"), encoding="utf-8"
            )
            found = Profile.read(file, dict).bus()
            self.assertEqual((found.watermark, found.begin_us), (watermark, begin))

    def test_profiles_in_other_forms_are_written_out(self) -> None:
        dotted = PROFILE.replace("[mechanics]\nrpm = 7200.288\n", "")
        dotted = dotted.replace("format = 1", "format = 1\nmechanics.rpm = 7200.288")
        base = Profile(dotted, Path("base.toml"))
        new = tomllib.loads(
            base.changed(
                {place("mechanics.rpm"): Change(7000.5), place("offset_sectors", 2): Change(1.5)}
            )
        )
        self.assertEqual(new["mechanics"]["rpm"], 7000.5)
        self.assertEqual(new["geometry"]["zone"][2]["offset_sectors"], 1.5)
        self.assertEqual(new["seek"], tomllib.loads(PROFILE)["seek"])

    def test_bad_profiles_are_told(self) -> None:
        line = PROFILE.splitlines().index("rpm = 7200.288") + 1
        for text, said in (
            (
                PROFILE.replace("rpm = 7200.288", 'rpm = "fast"'),
                rf"base\.toml:{line}: mechanics\.rpm is 'fast', expected",
            ),
            (PROFILE.replace("surfaces = 4\n", ""), r"geometry\.surfaces is missing"),
            ("a = [", "not valid TOML"),
            (PROFILE.replace("[[geometry.zone]]", "[[geometry.zones]]"), "zone"),
        ):
            with self.assertRaisesRegex(LabError, said):
                Profile(text, Path("base.toml"))

    def test_files_appear_together_or_not_at_all(self) -> None:
        (self.folder / "taken").mkdir()
        with self.assertRaises(LabError):
            write_whole({self.folder / "one.toml": "a", self.folder / "taken": "b"})
        self.assertEqual([entry.name for entry in self.folder.iterdir()], ["taken"])
        write_whole({self.folder / "one.toml": "a", self.folder / "two.json": "b"})
        self.assertEqual(
            sorted(entry.name for entry in self.folder.iterdir()), ["one.toml", "taken", "two.json"]
        )

    def test_nothing_is_left_of_files_that_were_not_completed(self) -> None:
        below = self.folder / "made" / "for it"
        for raised, expected in (
            (OSError(28, "No space left on device"), LabError),
            (KeyboardInterrupt(), KeyboardInterrupt),
        ):
            with (
                mock.patch.object(Path, "replace", side_effect=raised),
                self.assertRaises(expected),
            ):
                write_whole({below / "one": "a", self.folder / "two": "b"})
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_writers_of_one_file_do_not_meet(self) -> None:
        file, texts = self.folder / "file", [str(digit) * 10_000 for digit in range(10)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda text: write_whole({file: text}), texts * 20))
        self.assertIn(file.read_text(), texts)
        self.assertEqual(list(self.folder.iterdir()), [file])

    def test_a_file_gets_the_rights_that_new_files_have(self) -> None:
        (self.folder / "plain").write_text("")
        write_whole({self.folder / "whole": ""})
        self.assertEqual(
            *(stat.S_IMODE((self.folder / name).stat().st_mode) for name in ("plain", "whole"))
        )

    def test_a_replaced_file_keeps_its_rights_and_is_on_the_disk_first(self) -> None:
        file = self.folder / "file"
        for mode in (0o600, 0o640, 0o444, 0o755):
            file.write_text("old")
            file.chmod(mode)
            if os.geteuid() == 0:
                os.chown(file, 12345, 12346)
            before = file.stat()
            synced: list[int] = []

            def sync(
                descriptor: int, synced: list[int] = synced, before: os.stat_result = before
            ) -> None:
                self.assertEqual(
                    file.stat().st_ino, before.st_ino, "it has its name only afterwards"
                )
                synced.append(os.fstat(descriptor).st_ino)

            with mock.patch("os.fsync", sync):
                write_whole({file: "new"})
            after = file.stat()
            self.assertEqual(
                (after.st_mode, after.st_uid, after.st_gid),
                (before.st_mode, before.st_uid, before.st_gid),
            )
            self.assertEqual(synced, [after.st_ino])
            file.unlink()

    def test_a_full_disk_is_no_bad_input(self) -> None:
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with (
            mock.patch("os.fsync", side_effect=full),
            self.assertRaisesRegex(StudyFailed, "No space left on device"),
        ):
            write_whole({self.folder / "file": "text"})
        self.assertEqual(list(self.folder.iterdir()), [])
        with self.assertRaisesRegex(StudyFailed, "No space left on device"):
            write_whole({Path("/dev/full"): "text"})
        with self.assertRaises(LabError) as refused:
            write_whole({self.folder: "text"})
        self.assertNotIsInstance(refused.exception, StudyFailed)

    def test_a_pipe_and_an_open_descriptor_are_written_into(self) -> None:
        pipe, behind, file = self.folder / "pipe", self.folder / "behind", self.folder / "file"
        os.mkfifo(pipe)
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reading)
        write_whole({pipe: "through it"})
        self.assertEqual(os.read(reading, 100), b"through it")
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        behind.symlink_to(pipe)
        write_whole({behind: "again"})
        self.assertEqual(os.read(reading, 100), b"again")
        self.assertTrue(behind.is_symlink())
        with (
            file.open("w") as out
        ):  # as the shell does for `3>file`; it is not replaced, and what follows goes on behind
            write_whole({Path(f"/dev/fd/{out.fileno()}"): "first\n"})
            out.write("second\n")
        self.assertEqual(file.read_text(), "first\nsecond\n")
        program = (
            "import pathlib, platter_lab.files as f; print('before'); "
            "f.write_whole({pathlib.Path('/dev/stdout'): 'it\\n'}); print('after')"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        self.assertEqual(done.stdout, "before\nit\nafter\n")
        self.assertEqual(sorted(self.folder.iterdir()), [behind, file, pipe])

    def test_a_pipe_that_breaks_writes_no_file(self) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        self.addCleanup(os.close, writing)
        with self.assertRaisesRegex(LabError, f"/dev/fd/{writing}: Broken pipe"):
            write_whole({self.folder / "one": "a", Path(f"/dev/fd/{writing}"): "b"})
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_of_a_link_the_target_is_written(self) -> None:
        target, link = self.folder / "there" / "target", self.folder / "link"
        target.parent.mkdir()
        link.symlink_to("there/target")
        for text in ("not there yet", "there"):
            write_whole({link: text})
            self.assertTrue(link.is_symlink())
            self.assertEqual(target.read_text(), text)
            self.assertEqual(list(target.parent.iterdir()), [target])
        with self.assertRaisesRegex(LabError, "link: is the file of two outputs"):
            write_whole({target: "a", link: "b"})
        self.assertEqual(target.read_text(), "there")
        circle = self.folder / "circle"
        circle.symlink_to("circle")
        with self.assertRaisesRegex(LabError, "circle: Too many levels of symbolic links"):
            write_whole({circle: "a"})

    def test_a_value_names_its_place(self) -> None:
        self.assertEqual(
            Value("offset_sectors", 3, 1.0, 0.1, 0.0, "sectors").name,
            "geometry.zone.3.offset_sectors",
        )

    CHANGES: ClassVar = {
        place("name"): Change("made up, calibrated"),
        place("mechanics.rpm"): Change(7201.25, "+- 0.01 1/min"),
        place("seek.points_us"): Change([[1, 1100.0], [1500, 9100.0]], "+- 10 us each"),
        place("track_skew_sectors", 1): Change(24.5),
        place("cache.write_back"): Change("off"),
        place("overhead.write_after_write_us"): Change(250.0),
    }

    def test_a_profile_with_a_base_has_the_changes_alone(self) -> None:
        text = Profile(PROFILE, Path("base.toml")).derived("base.toml", self.CHANGES, "# Fitted.\n")
        self.assertEqual(
            text,
            """# Fitted.
format = 1
base = "base.toml"
name = "made up, calibrated"

[[geometry.zone]]  # cylinders 0 to 599

[[geometry.zone]]  # cylinders 600 to 1099
track_skew_sectors = 24.5

[[geometry.zone]]  # cylinders 1110 to 1509

[seek]
# +- 10 us each
points_us = [[1, 1100.0], [1500, 9100.0]]

[mechanics]
rpm = 7201.25  # +- 0.01 1/min

[cache]
write_back = "off"

[overhead]
write_after_write_us = 250.0
""",
        )

    @unittest.skipUnless("PLATTER" in os.environ, "PLATTER names no executable")
    def test_a_profile_with_a_base_is_the_same_drive(self) -> None:
        def shown(name: str) -> dict:
            return json.loads(
                call_platter(
                    Path(os.environ["PLATTER"]),
                    ["drive", "show", str(self.folder / name), "--json"],
                )
            )

        base = Profile(PROFILE, Path("base.toml"))
        for name, text in (
            ("base.toml", PROFILE),
            ("whole.toml", base.changed(self.CHANGES)),
            ("derived.toml", base.derived("base.toml", self.CHANGES)),
        ):
            (self.folder / name).write_text(text, encoding="utf-8")
        self.assertEqual(shown("derived.toml"), shown("whole.toml"))
        read = Profile.read(self.folder / "derived.toml", lambda: shown("derived.toml"))
        self.assertEqual(
            (
                read.number("mechanics.rpm"),
                read.get("cache.write_back"),
                read.number("geometry.cylinders"),
            ),
            (7201.25, "off", 1510),
        )
        self.assertEqual(read.zone_values("track_skew_sectors").tolist(), [30.0, 24.5, 20.0])
        again = read.derived("derived.toml", {place("mechanics.rpm"): Change(7300.0)})
        (self.folder / "again.toml").write_text(again, encoding="utf-8")
        self.assertEqual(
            shown("again.toml"),
            {
                **shown("whole.toml"),
                "mechanics": {**shown("whole.toml")["mechanics"], "rpm": 7300.0},
            },
        )

    def test_an_executable_that_is_no_model_is_said(self) -> None:
        trace = MadeUpDrive(
            true_layout(), Profile(PROFILE, Path("base.toml")).layout(), count=400
        ).trace
        file = self.folder / "a.trace"
        file.write_text(trace_text(trace), encoding="ascii")
        for platter in ("/bin/echo", "/bin/true"):
            model = Model(Path(platter), self.folder, file, trace, len(trace) // 2)
            with self.assertRaisesRegex(
                LabError, f"{platter} drive locate p.toml\n.*did not give the places of 400 blocks"
            ):
                model.locate(Path("p.toml"), trace.lba)
            with self.assertRaisesRegex(
                LabError, f"{platter} validate .*\n.*did not give answers to a trace"
            ):
                model.second_half(PROFILE, Reading.FOLLOWS)


class CommandTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        drive = MadeUpDrive(true_layout(), Profile(PROFILE, Path("base.toml")).layout(), count=400)
        self.base, self.trace = self.folder / "base.toml", self.folder / "drive.trace"
        self.base.write_text(PROFILE, encoding="utf-8")
        self.trace.write_text(trace_text(drive.trace), encoding="ascii")

    def test_a_trace_that_the_model_refuses_is_refused_before_the_fit(self) -> None:
        lines = self.trace.read_text().splitlines()
        lines[300] = "R Hit 999999999 8 5000.0 1000.0"  # in the second half
        self.trace.write_text("\n".join(["# A remark.", *lines]))
        words = ("--trace", self.trace, "--profile", self.base, "--out", self.folder / "out.toml")
        command = ["calibrate", *map(str, words), "--platter", os.environ["PLATTER"]]
        profile = PROFILE.replace("segments = 4\n", "segments = 4\nwrite_segments = 1\n")
        self.base.write_text(profile, encoding="utf-8")
        unfit = unittest.mock.patch("platter_lab.calibrate.command.calibrate", side_effect=OSError)
        with unfit, contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertEqual(cli.main(command), 2)
        self.assertRegex(err.getvalue(), r"drive\.trace: request 301: ")
        lines[300] = lines[0]
        self.trace.write_text("\n".join(["# A remark.", *lines]))
        model = Model(
            Path(os.environ["PLATTER"]), self.folder, self.trace, read_trace(self.trace), 200
        )
        self.assertEqual(len(model.whole(profile, Reading.FOLLOWS).is_read), 400)

    def test_outputs_are_files_of_their_own(self) -> None:
        link, out = self.folder / "link.toml", self.folder / "out.toml"
        link.symlink_to("base.toml")
        for given, said in (
            (("--out", self.base), r"--out names the same file as --profile"),
            (("--out", link), r"--out names the same file as --profile"),
            (("--out", self.trace), r"--out names the same file as --trace"),
            (("--out", out, "--report", self.base), r"--report names the same file as --profile"),
            (("--out", out, "--report", self.trace), r"--report names the same file as --trace"),
            (
                ("--out", out, "--report", self.folder / "." / "out.toml"),
                r"--report names the same file as --out",
            ),
            (
                ("--out", out, "--report", self.folder),
                r"is a folder; expected a file for the report",
            ),
            (("--out", self.base / "below"), r"expected a file for the profile"),
        ):
            with self.subTest(given=given), contextlib.redirect_stderr(io.StringIO()) as err:
                # An executable that answers nothing: the outputs are looked at before it is asked.
                code = cli.main(
                    [
                        "calibrate",
                        "--trace",
                        str(self.trace),
                        "--profile",
                        str(self.base),
                        *map(str, given),
                        "--platter",
                        "/bin/false",
                    ]
                )
                self.assertEqual(code, 2)
                self.assertRegex(err.getvalue(), said)
        self.assertEqual(self.base.read_text(), PROFILE)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
