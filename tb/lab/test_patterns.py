# SPDX-License-Identifier: Apache-2.0
"""Calibration of layouts of patterns on a made-up drive whose angles and times are known.

Needs the lab's packages (numpy, scipy) and nothing else:
python -m unittest, with scripts/lab on PYTHONPATH.
"""

import unittest
from pathlib import Path

import numpy as np
from platter_lab import LabError
from platter_lab.calibrate.pattern_fit import PatternFit, calibrate_patterns, first_turns
from platter_lab.calibrate.pattern_tree import KINDS, BlockMap, PatternTree, steps_between
from platter_lab.calibrate.profile import Profile
from platter_lab.calibrate.trace import Reading, Trace

TRUE_TURNS = np.array([0.1417, 0.192, 0.371, 0.0])
TRUE_RPM, PROFILE_RPM = 10002.5, 10000.0
BAND = 20  # tracks
GROUPS = (24, 20, 12)  # pairs of groups of bands in each zone
SECTORS = (120, 100, 80)
ZONE_TURNS = np.array([0.0, 0.43, 0.81])  # where each zone begins, besides its tracks' skews
OVERHEADS_US = {True: 100.0, False: 400.0}  # of reads and writes

HEAD = f"""format = 1
name = "made up"
source = "a test"
[geometry]
layout = "tree"
cylinders = {sum(2 * BAND * groups for groups in GROUPS)}
surfaces = 2
slips = [[3, 0, 7, 1], [100, 1, 0, 5]]
[seek]
model = "table"
points_us = [[1, 500.0], [100, 1000.0], [2000, 5000.0]]
[mechanics]
rpm = {PROFILE_RPM}
head_switch_us = 500.0
"""


def nodes(turns: np.ndarray) -> list[list[list[float]]]:
    """Two groups of bands make a pattern: heads 0, 1, then 1, 0."""
    track, head, band, _ = (float(value) for value in turns)
    rows: list[list[list[float]]] = []
    root: list[list[float]] = []
    cylinder, angle = 0, 0.0
    for zone, (groups, sectors) in enumerate(zip(GROUPS, SECTORS, strict=True)):
        runs, at = [], 0.0
        for number, (surface, inward) in enumerate(((0, 1), (1, -1), (1, 1), (0, -1))):
            first = BAND * (number // 2) + (0 if inward > 0 else BAND - 1)
            runs.append([BAND, first, inward, at % 1, track, surface, sectors])
            at += (BAND - 1) * track + (band if number % 2 else head)
        rows.append(runs)
        start = angle + float(ZONE_TURNS[zone])
        root.append([groups, cylinder, 2 * BAND, start % 1, at % 1, zone])
        cylinder += 2 * BAND * groups
        angle += groups * at
    return [*rows, root]


def profile(turns: np.ndarray = TRUE_TURNS) -> Profile:
    text = HEAD
    for runs in nodes(turns):
        text += "[[geometry.node]]\nruns = [\n"
        text += "".join(f"  {row},\n" for row in runs) + "]\n"
    return Profile(text, Path("made_up.toml"))


def made_up_trace(count: int, seed: int) -> Trace:
    """What the drive would do with random requests; the pause follows its request."""
    random = np.random.default_rng(seed)
    drive = profile()
    tree = PatternTree(drive.get("geometry.node"))
    places = BlockMap(tree.tracks, drive.get("geometry.slips"))
    lba = random.integers(0, places.blocks - 8, count)
    is_read = random.random(count) < 0.7
    blocks = np.full(count, 4)
    pause = random.choice([10.0, 15000.0], count) + random.integers(0, 50, count).astype(float)
    first, last = places.find(lba), places.find(lba + blocks - 1)
    period = 60e6 / TRUE_RPM
    angle = tree.tracks.angle
    response = np.zeros(count)
    now, cylinder, head = 0.0, 0, 0
    for i in range(count):
        at = int(first.track[i])
        distance = abs(int(tree.tracks.cylinder[at]) - cylinder)
        seek = float(drive.seek_us(np.array([distance]))[0])
        if int(tree.tracks.head[at]) != head:
            seek = max(seek, 500.0)
        ready = now + OVERHEADS_US[bool(is_read[i])] + seek
        start = float(angle[at] + first.share[i]) * period
        begins = ready + (start - ready) % period
        to = int(last.track[i])
        end = float(angle[to] + last.share[i] + 1 / tree.tracks.sectors[to]) * period
        done = begins + (end - start) % period + random.normal(0, 15 if is_read[i] else 5)
        response[i] = round(done - now)
        now += response[i] + float(pause[i])
        cylinder, head = int(tree.tracks.cylinder[to]), int(tree.tracks.head[to])
    return Trace(is_read, lba, blocks, response, pause)


class PatternTreeTest(unittest.TestCase):
    def test_steps_between_tracks_are_of_four_kinds(self) -> None:
        self.assertEqual(steps_between(0, 5, 0, 6).tolist(), [1, 0, 0, 0])
        self.assertEqual(steps_between(0, 5, 0, 3).tolist(), [2, 0, 0, 0])
        self.assertEqual(steps_between(0, 5, 1, 5).tolist(), [0, 1, 0, 0])
        self.assertEqual(steps_between(0, 5, 0, 25).tolist(), [0, 0, 1, 0])
        self.assertEqual(steps_between(0, 5, 1, 25).tolist(), [0, 0, 0, 1])

    def test_rows_with_the_true_angles_give_the_same_tree(self) -> None:
        tree = PatternTree(profile().get("geometry.node"))
        tracks = tree.tracks
        self.assertEqual(len(tracks), 2 * sum(2 * BAND * groups for groups in GROUPS))
        rest = tracks.angle - tracks.steps @ TRUE_TURNS
        offsets = np.array([rest[tracks.root_run == run][0] for run in range(len(GROUPS))])
        again = PatternTree([{"runs": rows} for rows in tree.rows(TRUE_TURNS, offsets)])
        self.assertTrue((again.tracks.cylinder == tracks.cylinder).all())
        self.assertTrue((again.tracks.head == tracks.head).all())
        wrong = np.abs((again.tracks.angle - tracks.angle + 0.5) % 1.0 - 0.5)
        self.assertLess(wrong.max(), 1e-5)

    def test_single_tracks_that_continue_each_other_become_one_run(self) -> None:
        rows = [[1, n, 1, 0.1 * n, 0.0, 0, 50] for n in range(7)]
        rows += [[1, 6 - n, 1, 0.3, 0.0, 1, 50] for n in range(7)]
        tree = PatternTree([{"runs": rows}, {"runs": [[3, 0, 7, 0.0, 0.0, 0]]}])
        turns = np.array([0.1, 0.2, 0.3, 0.4])
        new = tree.rows(turns, np.zeros(1))
        self.assertEqual(new[0], [[7, 0, 1, 0.0, 0.1, 0, 50], [7, 6, -1, 0.8, 0.1, 1, 50]])
        self.assertEqual(new[1][0][:3], [3, 0, 7])

    def test_slips_are_passed_over(self) -> None:
        drive = profile()
        tree = PatternTree(drive.get("geometry.node"))
        places = BlockMap(tree.tracks, drive.get("geometry.slips"))
        self.assertEqual(places.blocks, int(tree.tracks.blocks.sum()) - 6)
        found = places.find(np.array([3 * 120 + 6, 3 * 120 + 7]))
        self.assertEqual(found.track.tolist(), [3, 3])
        self.assertEqual(found.sector.tolist(), [6, 8])


class PatternFitTest(unittest.TestCase):
    def test_the_true_angles_speed_and_overheads_are_found(self) -> None:
        # The base knows the angles of half of the tracks only, and those not well.
        base = profile(TRUE_TURNS + np.array([4e-4, 3e-3, -4e-3, 0.0]))
        found = calibrate_patterns(made_up_trace(2500, 1), base, None)
        self.assertEqual(found.reading, Reading.FOLLOWS)
        self.assertAlmostEqual(found.rpm, TRUE_RPM, delta=0.02)
        for kind in range(3):
            error = found.turns[kind] - TRUE_TURNS[kind]
            self.assertLess(abs(error), 4 * found.errors[kind] + 1e-6, KINDS[kind])
            self.assertLess(found.errors[kind], 2e-3)
        self.assertEqual(found.parts, 3)
        self.assertLess(found.noise_us, 30)
        for key, us in found.overheads_us.items():
            self.assertAlmostEqual(us, OVERHEADS_US["read" in key.split("_after_")[0]], delta=60)

    def test_the_usual_angle_of_a_step_is_that_of_most_tracks(self) -> None:
        base = profile()
        for run in base.get("geometry.node")[0]["runs"]:
            run[4] = 0.0
        turns = first_turns(PatternTree(base.get("geometry.node")).tracks)
        self.assertAlmostEqual(float(turns[0]), float(TRUE_TURNS[0]), delta=1e-3)

    def test_a_trace_of_another_drive_is_refused(self) -> None:
        trace = made_up_trace(600, 2)
        random = np.random.default_rng(3)
        other = Trace(
            trace.is_read,
            trace.lba,
            trace.blocks,
            trace.response_us + random.integers(0, 6000, len(trace)),
            trace.pause_us,
        )
        with self.assertRaisesRegex(LabError, "not in phase with this layout"):
            calibrate_patterns(other, profile(), None)
        beyond = Trace(
            trace.is_read, trace.lba + 10**9, trace.blocks, trace.response_us, trace.pause_us
        )
        tree = PatternTree(profile().get("geometry.node"))
        with self.assertRaisesRegex(LabError, "request 1 of the trace is beyond the"):
            PatternFit(tree, profile()).accesses(beyond, Reading.FOLLOWS)


if __name__ == "__main__":
    unittest.main()
