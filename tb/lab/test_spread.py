# SPDX-License-Identifier: Apache-2.0
"""The spread of arrivals and the refuted seek points of `platter-lab calibrate`, on made-up
accesses whose spread is known.

Needs the lab's packages (numpy, scipy) and nothing else:
python -m unittest, with scripts/lab on PYTHONPATH.
"""

import unittest
from pathlib import Path

import numpy as np
from platter_lab.calibrate import spread, timing
from platter_lab.calibrate.fit import Calibration, fit_curve
from platter_lab.calibrate.profile import Profile
from platter_lab.calibrate.timing import Windows
from platter_lab.calibrate.trace import Reading

PERIOD_US = 6000.0
JITTER_US = 20.0


def made_up(deviation_us, count=3000, seed=1, mean_us=0.0, stray=0.01) -> spread.Accesses:
    """Accesses whose head is late by a normal lateness; `deviation_us` by distance."""
    random = np.random.default_rng(seed)
    distance = np.where(random.random(count) < 0.2, 0, random.integers(1, 6000, count))
    leeway = random.uniform(0, PERIOD_US, count)
    deviation = deviation_us(distance)
    late = random.normal(size=count)
    while (np.abs(late) > spread.CUT).any():
        late = np.where(np.abs(late) > spread.CUT, random.normal(size=count), late)
    turns = np.ceil((late * deviation + mean_us - leeway) / PERIOD_US)
    error = turns * PERIOD_US + random.normal(0, JITTER_US, count)
    strays = random.random(count) < stray
    error = np.where(strays, random.uniform(-2, 2, count) * PERIOD_US, error)
    no = np.zeros(count, dtype=bool)
    switch = random.random(count) < 0.5
    return spread.Accesses(PERIOD_US, error, leeway, np.full(count, 5000.0), distance, switch, no)


class Fit(unittest.TestCase):
    def test_a_deviation_is_found_within_its_error(self):
        for deviation in (100.0, 300.0):
            accesses = made_up(lambda d, of=deviation: np.full(len(d), of))
            found = spread.fit(accesses, np.array([0]))
            self.assertLess(found.error_us[0], 0.1 * deviation)
            self.assertAlmostEqual(found.deviation_us[0], deviation, delta=4 * found.error_us[0])
            self.assertAlmostEqual(found.jitter_us, JITTER_US, delta=1)
            self.assertAlmostEqual(found.stray, 0.01, delta=0.005)

    def test_probabilities_are_a_distribution_and_symmetric(self):
        leeway = np.linspace(0, PERIOD_US, 61)
        for deviation in (1e-9, 100.0, 900.0):
            turns = spread.turn_probabilities(leeway, np.full(61, deviation), PERIOD_US)
            np.testing.assert_allclose(turns.sum(axis=0), 1, atol=1e-9)
            late, early = (turns[spread.TURNS.index(turn)] for turn in (1, -1))
            np.testing.assert_allclose(late, early[::-1], atol=1e-9)

    def test_the_form_follows_the_drive(self):
        form, _ = spread.choose(made_up(lambda d: np.where(d > 0, 200.0, 40.0)))
        self.assertEqual(form, "near and far")
        rising = made_up(lambda d: np.where(d > 0, 50.0 + 0.1 * d, 40.0))
        form, gains = spread.choose(rising)
        self.assertEqual(form, "near and a line")
        self.assertGreater(gains[form], 0)
        points = spread.fit(rising, spread.forms(rising)[form]).points()
        self.assertEqual([point[0] for point in points[:2]], [0, 1])
        self.assertLess(points[1][1], 0.5 * points[-1][1])
        still = made_up(lambda d: np.full(len(d), 200.0), count=500)
        still = still[still.distance > 0]
        self.assertEqual(spread.choose(still)[0], "one")

    def test_a_shifted_mean_is_found(self):
        accesses = made_up(lambda d: np.full(len(d), 200.0), mean_us=150.0)
        found, gain, error = spread.shift(accesses)
        self.assertGreater(gain, 2 * error)
        for later in found.later_us:
            self.assertAlmostEqual(later, 150, delta=60)
        _, gain, error = spread.shift(made_up(lambda d: np.full(len(d), 200.0)))
        self.assertLess(gain, 2 * error)

    def test_a_spread_beats_a_normal_error_on_accesses_it_has_not_seen(self):
        seen, unseen = (made_up(lambda d: np.full(len(d), 200.0), 4000, seed) for seed in (1, 2))
        found = spread.fit(seen, np.array([0]))
        rivals = {
            "normal": spread.fit_normal(seen),
            "normal_with_strays": spread.fit_normal_with_strays(seen),
        }
        scores = spread.scores(unseen, found, rivals)
        for gain in scores["gain_over"].values():
            self.assertGreater(gain["mean"], 4 * gain["error"])
        for turn in ("turn_later", "turn_earlier"):
            self.assertGreater(scores[turn]["measured"], 20)
            self.assertLess(
                abs(scores[turn]["measured"] - scores[turn]["expected"]),
                3 * scores[turn]["sampling_error"],
            )

    def test_the_time_of_an_arrival_bounds_its_deviation(self):
        accesses = made_up(lambda d: np.full(len(d), 200.0), 10)
        near = spread.Accesses(
            accesses.period_us,
            accesses.error_us,
            accesses.leeway_us,
            np.full(10, 400.0),
            accesses.distance,
            accesses.other_head,
            accesses.write,
        )
        found = spread.Spread(np.array([0]), np.array([200.0]), np.array([1.0]), 20.0, 0.01)
        np.testing.assert_allclose(found.at(near), 100.0)
        np.testing.assert_allclose(found.at(accesses), 200.0)


CURVE = """format = 1
name = "made up"
source = "a test"

[geometry]
cylinders = 6001
surfaces = 2

[[geometry.zone]]
first_cylinder = 0
last_cylinder = 6000
sectors_per_track = 200

[mechanics]
rpm = 10000

[seek]
model = "table"
points_us = [[1, 1000.0], [1000, 4000.0], [1400, POINT], [1800, 5000.0], [6000, 9000.0]]
"""
TRUE = [[1, 1000.0], [1000, 4000.0], [1800, 5000.0], [6000, 9000.0]]


class Curve(unittest.TestCase):
    def windows(self, table, count=4000):
        """Accesses of a drive with the curve TRUE, under a profile with another table."""
        random = np.random.default_rng(3)
        distance = random.integers(1, 6000, count)
        true = np.interp(distance, *np.array(TRUE).T)
        late = random.normal(0, 150, count)
        caught = 500 + true + late + random.uniform(0, PERIOD_US, count)
        given = np.interp(distance, *np.array(table).T)
        no = np.zeros(count, dtype=bool)
        overhead = np.full(count, 500.0)
        return Windows(caught, PERIOD_US, distance, no, no, no, overhead, overhead + given)

    def fitted(self, point):
        profile = Profile(CURVE.replace("POINT", str(point)), Path("made_up.toml"))
        result = Calibration(Reading.PRECEDES, {})
        table = profile.get("seek.points_us")
        return result, fit_curve(result, self.windows(table), profile).get("seek.points_us")

    def test_a_point_that_reads_refute_is_replaced_with_a_remark(self):
        for point in (7500.0, 1100.0):  # reads are faster than the seek alone; reads are later
            result, table = self.fitted(point)
            self.assertEqual(table[2], [1400, 4500.0])
            self.assertEqual([row for row in table if row[0] != 1400], TRUE)
            note = next(note for note in result.notes if "refuted" in note)
            self.assertRegex(note, rf"{point:g} us at 1400 cylinders is refuted .* by 4500 us")
            self.assertEqual(result.values["curve"][0].key, "seek.points_us")

    def test_points_that_are_right_stay(self):
        for point in (4500.0, 4650.0):
            result, table = self.fitted(point)
            self.assertEqual(table[2], [1400, point])
            self.assertEqual(result.values["curve"], [])
            self.assertRegex(result.notes[-1], "no point is refuted; 0 of 4000 accesses")

    def test_faster_accesses_are_counted(self):
        windows = self.windows([*TRUE[:2], [1400, 7500.0], *TRUE[2:]])
        self.assertGreater(timing.faster_than_seek(windows, 800.0).sum(), 20)


if __name__ == "__main__":
    unittest.main()
