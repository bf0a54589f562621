# SPDX-License-Identifier: Apache-2.0
"""The studies of `platter-lab reproduce`: statistics, verdicts, what is run and what is kept,
pages and figures.

Runs of the model are made up, but for the last suite,
which needs its executable in the variable PLATTER.
"""

import contextlib
import csv
import functools
import gc
import gzip
import io
import itertools
import json
import math
import os
import re
import stat
import subprocess
import tempfile
import threading
import tomllib
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import ClassVar
from unittest import mock

import jsonschema
import numpy as np
import scipy.stats
from platter_lab import LabError, StudyFailed, cli, reproduce, statistics
from platter_lab.guest import starvation as guest_starvation
from platter_lab.reproduce import (
    autoqos,
    beyond_clusters,
    clusters,
    differences,
    drive_that_misses,
    eager_writing,
    ew_array,
    faults,
    integrated_servers,
    mixed_media,
    on_real_drives,
    page,
    random_reads,
    replicated_striping,
    spread_claims,
    starvation,
    text_and_video,
    varying_loads,
)
from platter_lab.reproduce.claims import (
    Claim,
    Criterion,
    Grid,
    Part,
    Unit,
    Verdict,
    above,
    below,
    combined,
    deciding,
    near,
)
from platter_lab.reproduce.figures import Chart, Map, Series, apart, drawn, svg
from platter_lab.reproduce.interpretations import (
    DEFAULT,
    Factor,
    Interpretation,
    Judged,
    Together,
    combinations,
    judge,
)
from platter_lab.reproduce.mixed_load import (
    CI_OPT,
    CLUST,
    CLUST_REQ,
    COMBINATIONS,
    FACTORS,
    SPTF,
    TPS_OPT,
    TPS_SCAN,
    Load,
    Opponents,
    View,
    fairness,
    response_s,
)
from platter_lab.reproduce.study import Plan, Report, Study, Table
from platter_lab.reproduce.turning_points import Turn, grid_table, where
from platter_lab.runs.executor import LocalProcesses
from platter_lab.runs.point import ROOT, Point, probes_of
from platter_lab.runs.results import Results
from platter_lab.runs.runner import Runner
from platter_lab.runs.store import Store
from platter_lab.statistics import (
    Interval,
    Trend,
    exact,
    growth,
    interval,
    interval_of_known,
    paired_ratio,
    slope,
    trend,
)

gc.set_threshold(100_000, 20, 20)  # results are many objects, and hardly any of them is garbage

STUDIES = (
    mixed_media,
    beyond_clusters,
    on_real_drives,
    eager_writing,
    ew_array,
    replicated_striping,
    autoqos,
    integrated_servers,
    drive_that_misses,
    faults,
    starvation,
)


class Statistics(unittest.TestCase):
    def test_interval_is_students(self) -> None:
        # Deviation sqrt(10), t(0.975, 4) = 2.77645
        value = interval([10.0, 12.0, 14.0, 16.0, 18.0])
        self.assertAlmostEqual(value.mean, 14.0)
        self.assertAlmostEqual(value.high - value.mean, 2.7764451 * math.sqrt(10 / 5), places=5)
        self.assertAlmostEqual(value.mean - value.low, value.high - value.mean)

    def test_intervals_of_any_number_of_runs(self) -> None:
        source = np.random.default_rng(11)
        for runs in (2, 5, 7, 8, 10, 20, 40, 200):
            for scale in (1e-3, 1.0, 1e6):
                with self.subTest(runs=runs, scale=scale):
                    samples = scale * (3 + source.standard_normal(runs))
                    half = (
                        scipy.stats.t.ppf(0.975, runs - 1)
                        * np.std(samples, ddof=1)
                        / math.sqrt(runs)
                    )
                    value = interval(list(samples))
                    self.assertEqual(value.runs, runs)
                    for found, expected in (
                        (value.mean, np.mean(samples)),
                        (value.high, np.mean(samples) + half),
                        (value.low, np.mean(samples) - half),
                    ):
                        self.assertAlmostEqual(found / scale, expected / scale, delta=1e-12)

    def test_what_a_result_does_not_have_is_no_data(self) -> None:
        for value in (
            interval([1.0, None]),
            paired_ratio([1.0, None], [1.0, 2.0]),
            paired_ratio([1.0, 2.0], [1.0, None]),
            growth([[1.0] * 19 + [None], [1.0] * 20]),
        ):
            self.assertTrue(math.isnan(value.mean))
            self.assertEqual(value.runs, 2)
            self.assertIs(above(0).judge(value), Verdict.OPEN)
        self.assertIs(trend(growth([[None] * 20] * 3)), Trend.OPEN)

    def test_a_ratio_to_nothing_is_no_data(self) -> None:
        self.assertTrue(math.isnan(paired_ratio([1.0, 2.0], [1.0, 0.0]).mean))
        self.assertTrue(math.isnan(paired_ratio([0.0, 0.0], [0.0, 0.0]).mean))
        self.assertEqual(paired_ratio([0.0, 0.0], [1.0, 2.0]).high, 0.0)

    def test_one_run_says_nothing_of_the_spread(self) -> None:
        self.assertEqual(interval([3.0]), Interval(3.0, -math.inf, math.inf, 1))

    def test_what_is_no_number_is_no_data(self) -> None:
        self.assertTrue(math.isnan(interval([1.0, math.nan]).mean))
        self.assertTrue(math.isnan(interval([]).mean))

    def test_pairs_take_the_load_out(self) -> None:
        load = [1.0, 5.0, 2.0, 9.0, 4.0]
        self.assertAlmostEqual(paired_ratio([2.1 * x for x in load], load).high, 2.1)
        self.assertGreater(interval([2.1 * x for x in load]).high - interval(load).low, 1.0)
        with self.assertRaises(ValueError):
            paired_ratio([1.0, 2.0], [1.0])


def queue(
    source: np.random.Generator, load: float, seconds: float, service_s: float = 0.01
) -> list[float]:
    """A single server with Poisson arrivals and gamma-distributed service, its deviation 0.7 of its
    mean: the mean number there in each of twenty parts of the time, after a warm-up of 100 s that
    begins with none."""
    number = source.poisson(load / service_s * (seconds + 100))
    # As uniform ones in order, which sorting takes longer for
    arrives = np.cumsum(source.standard_exponential(number + 1))
    arrives = arrives[:-1] * ((seconds + 100) / arrives[-1])
    service = (
        service_s / 2 * (source.standard_exponential(number) + source.standard_exponential(number))
    )
    work = np.cumsum(service)
    leaves = work + np.maximum.accumulate(arrives - (work - service))

    def until(times: np.ndarray, end: float) -> float:
        """The sum of the times, each one cut at the end."""
        earlier = np.searchsorted(times, end)
        return times[:earlier].sum() + end * (number - earlier)

    bounds = np.linspace(100, 100 + seconds, 21)
    return list(
        np.diff([until(leaves, end) - until(arrives, end) for end in bounds]) / (seconds / 20)
    )


class MeansOfPoints(unittest.TestCase):
    def test_a_jackknife_of_a_mean_is_students_t(self) -> None:
        samples = [1.0, 2.0, 4.0, 8.0]
        found, exactly = statistics.jackknife([samples], lambda means: means[0]), interval(samples)
        for one, other in zip(
            (found.mean, found.low, found.high),
            (exactly.mean, exactly.low, exactly.high),
            strict=True,
        ):
            self.assertAlmostEqual(one, other)
        self.assertEqual(found.runs, 4)

    def test_a_jackknife_covers_what_it_estimates(self) -> None:
        source = np.random.default_rng(5)
        true = np.array([1.0, 2.0, 1.5, 3.0])
        mirror = -true + np.array([0.0, 0.1, 0.0, -0.1])
        wanted = statistics.correlated(true, mirror)
        covered = 0
        for _ in range(200):
            points = [value + 0.1 * source.normal(size=12) for value in (*true, *mirror)]
            found = statistics.jackknife(
                points, lambda means: statistics.correlated(means[:4], means[4:])
            )
            covered += found.low < wanted < found.high
        self.assertGreater(covered, 170)

    def test_no_data_and_no_variation(self) -> None:
        self.assertTrue(
            math.isnan(statistics.jackknife([[1.0, None]], lambda means: means[0]).mean)
        )
        self.assertTrue(math.isnan(statistics.jackknife([[1.0]], lambda means: means[0]).mean))
        self.assertTrue(math.isnan(statistics.correlated([1, 1], [1, 2])))
        self.assertAlmostEqual(statistics.correlated([1, 2, 3], [5, 3, 1]), -1)


class Stability(unittest.TestCase):
    """The trend of a backlog, on queues of which the answer is known."""

    def test_a_slope_is_what_a_line_rises_by(self) -> None:
        self.assertAlmostEqual(slope([i / 19 for i in range(20)]), 20 / 19)
        self.assertAlmostEqual(slope([5.0] * 20), 0.0)
        self.assertAlmostEqual(growth([[i + 0.5 for i in range(20)]] * 3).mean, 2.0, places=9)
        self.assertEqual(trend(growth([[0.0] * 20] * 2)), Trend.STEADY)
        self.assertEqual(
            trend(growth([[1.0] * 20])), Trend.OPEN, "one run says nothing of the spread"
        )

    def verdicts(self, load: float, seconds: float, times: int) -> list[Trend]:
        source = np.random.default_rng(round(1000 * load + seconds))
        return [
            trend(growth([queue(source, load, seconds) for _ in range(5)])) for _ in range(times)
        ]

    def test_stable_queues_are_not_called_unstable_however_short_the_runs(self) -> None:
        for load, seconds, times in (
            (0.5, 400, 10),
            (0.9, 400, 10),
            (0.97, 400, 20),
            (0.99, 800, 10),
            (0.97, 10_000, 2),
        ):
            with self.subTest(load=load, seconds=seconds):
                self.assertNotIn(Trend.UNSTABLE, self.verdicts(load, seconds, times))

    def test_stable_queues_are_shown_to_be_steady(self) -> None:
        for load, seconds, times in (
            (0.5, 800, 5),
            (0.9, 800, 10),
            (0.97, 4000, 5),
            (0.97, 20_000, 2),
        ):
            with self.subTest(load=load, seconds=seconds):
                self.assertGreaterEqual(
                    self.verdicts(load, seconds, times).count(Trend.STEADY), 0.9 * times
                )

    def test_an_overloaded_queue_is_unstable(self) -> None:
        for seconds, times in ((4000, 5), (10_000, 2)):
            with self.subTest(seconds=seconds):
                self.assertEqual(set(self.verdicts(1.02, seconds, times)), {Trend.UNSTABLE})
        self.assertNotIn(Trend.STEADY, self.verdicts(1.02, 800, 10), "and never steady")

    def test_the_share_unserved_at_the_end_could_not_tell(self) -> None:
        # Half a hundredth more than it can do: far below a hundredth of what came is left at the
        # end.
        source = np.random.default_rng(3)
        over = [queue(source, 1.005, 20_000) for _ in range(5)]
        self.assertLess(max(parts[-1] for parts in over) / (100.5 * 20_000), 0.01)
        self.assertIs(trend(growth(over)), Trend.UNSTABLE)


def part(low: float, high: float, criterion: Criterion, label: str = "a") -> Part:
    return Part(label, Interval((low + high) / 2, low, high, 5), criterion)


def claim(*parts: Part, **interpretations: Part) -> Claim:
    return Claim(
        "name",
        "text",
        "published",
        Unit.RATIO,
        "ratio",
        parts,
        {name: (p,) for name, p in interpretations.items()},
    )


def of_a_number(
    policies: set[str], *alternatives: tuple[str, Callable[[float], list[Part]]]
) -> Judged[float]:
    """That a number, which is the whole view, lies below 1."""
    return Judged(
        "n",
        "t",
        "p",
        Unit.RATIO,
        "q",
        frozenset(policies),
        lambda view: [Part("x", exact(view, 5), below(1))],
        alternatives,
    )


class Verdicts(unittest.TestCase):
    def test_each_verdict(self) -> None:
        for low, high, criterion, expected in (
            (0.7, 0.9, below(1), Verdict.HOLDS),
            (1.1, 1.2, below(1), Verdict.FAILS),
            (0.9, 1.1, below(1), Verdict.OPEN),
            (1.1, 1.2, above(1), Verdict.HOLDS),
            (0.7, 0.9, above(1), Verdict.FAILS),
            (0.9, 1.1, above(1), Verdict.OPEN),
            (0.43, 0.46, near(0.45, 0.025), Verdict.HOLDS),
            (0.30, 0.40, near(0.45, 0.025), Verdict.FAILS),
            (0.50, 0.60, near(0.45, 0.025), Verdict.FAILS),
            (0.42, 0.46, near(0.45, 0.025), Verdict.OPEN),
            (1.0, 1.0, below(1), Verdict.FAILS),
            (1.0, 1.0, above(1), Verdict.FAILS),
            (0.0, 0.0, below(1), Verdict.HOLDS),
            (math.nan, math.nan, below(1), Verdict.OPEN),
            (-math.inf, math.inf, below(1), Verdict.OPEN),
        ):
            with self.subTest(low=low, high=high, criterion=criterion):
                self.assertIs(part(low, high, criterion).verdict, expected)
        self.assertIs(criterion.judge(exact(math.inf, 5)), Verdict.FAILS)
        self.assertIs(above(1).judge(exact(math.inf, 5)), Verdict.HOLDS)

    def test_a_claim_is_all_its_parts(self) -> None:
        good, bad, unsure = part(0.1, 0.2, below(1)), part(2, 3, below(1)), part(0.9, 1.1, below(1))
        self.assertIs(combined([good, good]), Verdict.HOLDS)
        self.assertIs(combined([good, unsure]), Verdict.OPEN)
        self.assertIs(combined([good, unsure, bad]), Verdict.FAILS)
        self.assertIs(combined([]), Verdict.OPEN)
        self.assertIn("no data", claim().ours())

    def test_the_deciding_part_is_the_nearest_to_its_bound_or_farthest_beyond(self) -> None:
        parts = [part(0.1, 0.2, below(1), "far"), part(0.8, 0.9, below(1), "near")]
        self.assertEqual(deciding(parts).label, "near")
        parts += [part(1.1, 1.2, below(1), "beyond"), part(3, 4, below(1), "far beyond")]
        self.assertEqual(deciding(parts).label, "far beyond")
        self.assertIn("2 of 4 comparisons hold", claim(*parts).ours())

    def test_what_was_not_measured_decides_nothing_and_is_said(self) -> None:
        nothing = Part("nothing", interval([1.0, None, 2.0]), below(100))
        parts = [part(0.1, 0.2, below(1), "good"), part(0.9, 1.1, below(1), "unsure"), nothing]
        self.assertIs(nothing.verdict, Verdict.OPEN)
        for one in (parts, parts[::-1]):
            self.assertEqual(deciding(one).label, "nothing")
            self.assertIs(combined(one), Verdict.OPEN)
            self.assertIn("no data (nothing)", claim(*one).ours())
        self.assertIs(combined([part(0.1, 0.2, below(1), "good"), nothing]), Verdict.OPEN)
        for given in (
            paired_ratio([1.0, None], [2.0, 2.0]),
            paired_ratio([1.0, 1.0], [2.0, None]),
            growth([[1.0, None], [1.0, 2.0]]),
        ):
            self.assertTrue(math.isnan(given.mean))
        known = interval_of_known([None, 3.0, math.nan, 5.0])
        self.assertEqual(known, interval([3.0, 5.0]))
        self.assertTrue(math.isnan(interval_of_known([None, None]).mean))

    def test_an_interpretation_that_turns_the_verdict_round_is_named(self) -> None:
        good, bad, unsure = part(0.1, 0.2, below(1)), part(2, 3, below(1)), part(0.9, 1.1, below(1))
        turned = claim(good, alternating=good, upward=bad, idle=unsure)
        self.assertIs(turned.verdict, Verdict.DEPENDS)
        self.assertEqual(
            turned.verdict_text(), "depends on: upward (does not hold; by default holds)"
        )
        self.assertIs(claim(bad, upward=good).verdict, Verdict.DEPENDS)
        self.assertIs(claim(good, idle=unsure).verdict, Verdict.HOLDS)
        self.assertIs(claim(unsure, upward=bad, idle=good).verdict, Verdict.OPEN)

    def test_interpretations_are_judged_where_they_touch(self) -> None:
        views = {"default": 0.5, "one": 2.0, "other": 2.0}
        elsewhere = ("elsewhere", lambda view: [Part("x", exact(view + 1, 5), below(1))])
        judged = of_a_number({"A"}, elsewhere)
        interpretations = {
            Interpretation("one", "", affects=frozenset({"A"})): views["one"],
            Interpretation("other", "", affects=frozenset({"B"})): views["other"],
        }
        self.assertEqual(
            judge(judged, views["default"], interpretations).contrary(), ["one", "elsewhere"]
        )

    def test_a_grid_alone_turns_no_verdict(self) -> None:
        judged = of_a_number({"A"})
        interpretation = Interpretation("r", "", affects=frozenset({"A"}))
        # At the interpretation's points the default does not hold either.
        found = judge(judged, 0.9, {interpretation: 1.2}, bases={interpretation: 1.1})
        self.assertIs(found.verdict, Verdict.HOLDS)
        found = judge(judged, 1.1, {interpretation: 1.2}, bases={interpretation: 0.9})
        self.assertIs(found.verdict, Verdict.DEPENDS)
        self.assertEqual(
            found.verdict_text(),
            "depends on: r (does not hold; by default, at the same points, holds, "
            "at all does not hold)",
        )
        self.assertIs(
            judge(judged, 0.9, {interpretation: 1.2}, bases={interpretation: 0.8}).verdict,
            Verdict.DEPENDS,
        )
        self.assertEqual(
            judge(judged, 0.9, {}, bases={}).bases,
            {},
            "without an interpretation nothing is compared",
        )
        rows = page.parts_table([found]).rows
        self.assertEqual([row[1] for row in rows], ["default", "default, at the points of r", "r"])
        # Each interpretation is held against the default at its own points.
        other = Interpretation("other", "", affects=frozenset({"A"}))
        found = judge(
            judged, 1.1, {interpretation: 1.2, other: 1.2}, bases={interpretation: 1.1, other: 0.9}
        )
        self.assertEqual(
            found.verdict_text(),
            "depends on: other (does not hold; by default, at the same points, holds, "
            "at all does not hold)",
        )

    def test_questions_are_answered_in_every_combination(self) -> None:
        a, b = (
            Factor(
                name,
                "",
                (
                    Interpretation(f"{name}0", "", affects=frozenset()),
                    Interpretation(f"{name}1", "", ((name, "1"),), affects=frozenset({policy})),
                ),
            )
            for name, policy in (("a", "A"), ("b", "B"))
        )
        every = combinations((a, b))
        self.assertEqual([one.name for one in every], ["a0, b0", "a0, b1", "a1, b0", "a1, b1"])
        self.assertEqual(
            every[3].applied("B"),
            ("B", (("b", "1"),)),
            "what touches another policy changes nothing",
        )
        self.assertFalse(every[0].touches("A", "B"))
        both = Together(
            (
                Interpretation("x", "", (("k", "1"),), (("A", "A'"),)),
                Interpretation("y", "", (("l", "2"),)),
            )
        )
        self.assertEqual(both.applied("A"), ("A'", (("k", "1"), ("l", "2"))))

        judged = of_a_number({"A", "B"})
        # Only b turns it, and only together with a1.
        found = judge(judged, 0.5, {}, (a, b), dict(zip(every, (0.5, 0.6, 0.7, 2.0), strict=True)))
        self.assertEqual(found.grid.turning(), ["a", "b"])
        found = judge(judged, 0.5, {}, (a, b), dict(zip(every, (0.5, 2.0, 0.5, 2.0), strict=True)))
        self.assertEqual(found.turning(), ["b"])
        self.assertIs(found.verdict, Verdict.DEPENDS)
        self.assertEqual(
            found.verdict_text(),
            "depends on: b (holds in 2, does not hold in 2 of 4 combinations; by default holds)",
        )
        self.assertIsNone(
            judge(
                replace(judged, policies=frozenset({"C"})),
                0.5,
                {},
                (a, b),
                dict.fromkeys(every, 2.0),
            ).grid
        )
        whole = judge(judged, 0.5, {}, (a, b), dict.fromkeys(every, 0.5))
        self.assertEqual((whole.verdict, whole.verdict_text()), (Verdict.HOLDS, "holds"))
        self.assertEqual(
            Grid(("a",), {("a0",): (part(0.1, 0.2, below(1)),), ("a1",): ()}).turning(),
            [],
            "nothing to compare turns nothing",
        )


# An executable that stands for the model: it notes each run, and answers from its arguments. A
# shell script starts fastest.
FAKE = r"""#!/bin/sh
set -eu
command=$1 scenario=$2 settings= table= tables=[]
[ "$command" = run ] || scenario=$3   # config dump SCENARIO
while [ $# -gt 0 ]; do
  case $1 in
    --result) out=$2 ;;
    --set)
      case $2 in
        table=/*) table=${2#*=} ;;
        table=*) table=${0%/*}/${2#*=} ;;
        tables=*) tables=${2#*=} ;;
        *) settings="$settings '$2'," ;;
      esac
      case $2 in
        bad=*) echo "bad: there is no such key" >&2; exit 2 ;;
        policy=*) policy=${2#*=} ;;
        sim.seed=*) seed=${2#*=} ;;
        sim.measure_s=*) measure_s=${2#*=} ;;
      esac ;;
  esac
  shift
done
if [ "$command" = config ]; then
  echo "scenario = '$(cksum <"$scenario")'"
  echo "settings = [$settings]"
  echo "table = '$table'"
  echo "tables = $tables"
  echo "policy = '$policy'"
  exit
fi
echo "$policy $seed" >>"${0%/*}/log"
if [ "$policy" = broken ]; then
  echo "simulation failed" >&2
  exit 1
fi
echo "{\"configuration\": {}, \"seed\": $seed, \"value\": ${#policy}, \
\"host\": {\"cpu_s\": $((2 * measure_s)).5}}" >"$out"
"""


def first_summary(log: Path) -> dict:
    return {"which": 1}


def second_summary(log: Path) -> dict:
    return {"which": 2}


class Keeping(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.platter = self.folder / "platter"
        self.platter.write_text(FAKE)
        self.platter.chmod(self.platter.stat().st_mode | stat.S_IXUSR)
        self.scenario = self.folder / "scenario.toml"
        self.scenario.write_text("format = 1\n")

    def point(self, policy: str, *settings: tuple[str, str]) -> Point:
        return Point(self.scenario, (("policy", policy), *settings), 0.0, 10.0)

    def run_all(self, *points: Point, jobs: int = 2, seeds=(1, 2)) -> Results:
        return Runner(self.platter, Store(self.folder / "kept"), LocalProcesses(jobs)).results(
            [(point, seeds) for point in points]
        )

    def ran(self) -> list[str]:
        """The runs since the last call, in order of name."""
        log = self.folder / "log"
        lines = sorted(log.read_text().split("\n")[:-1]) if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    def test_a_second_call_runs_nothing(self) -> None:
        first = self.run_all(self.point("A"), self.point("BB"))
        self.assertEqual(self.ran(), ["A 1", "A 2", "BB 1", "BB 2"])
        second = self.run_all(self.point("A"), self.point("BB"))
        self.assertEqual(self.ran(), [])
        for point in (self.point("A"), self.point("BB")):
            self.assertEqual(first[point], second[point])
        self.assertEqual(second.samples(self.point("BB"), lambda result: result["seed"]), [1, 2])

    def test_only_what_changed_is_run(self) -> None:
        self.run_all(self.point("A"), self.point("B"))
        self.ran()
        self.run_all(self.point("A"), self.point("B", ("key", "1")), self.point("C"))
        self.assertEqual(self.ran(), ["B 1", "B 2", "C 1", "C 2"])
        self.run_all(self.point("A"), seeds=(1, 2, 3))
        self.assertEqual(self.ran(), ["A 3"])
        self.scenario.write_text("format = 1\n# other\n")
        self.run_all(self.point("A"))
        self.assertEqual(self.ran(), ["A 1", "A 2"])

    def test_the_executable_and_the_files_named_are_in_the_key(self) -> None:
        table = self.folder / "table.csv"
        table.write_text("1\n")
        # As a scenario names it, from its own folder
        point = self.point("A", ("table", "table.csv"))
        self.run_all(point)
        self.ran()
        table.write_text("2\n")
        self.run_all(point)
        self.assertEqual(self.ran(), ["A 1", "A 2"])
        self.platter.write_text(FAKE + "# another build\n")
        self.run_all(point)
        self.assertEqual(self.ran(), ["A 1", "A 2"])
        moved = self.folder / "moved.csv"
        moved.write_text("2\n")
        self.run_all(self.point("A", ("table", str(moved))))
        self.assertEqual(self.ran(), [], "the same content under another name")

    def test_only_files_by_their_absolute_names_are_looked_into(self) -> None:
        (self.folder / "A").write_text("1\n")
        with contextlib.chdir(self.folder):
            self.run_all(self.point("A"))
            self.assertEqual(self.ran(), ["A 1", "A 2"])
            (self.folder / "A").write_text("2\n")
            self.run_all(self.point("A"))
        self.assertEqual(self.ran(), [], "a policy, whatever file has its name")

    def test_every_table_of_a_list_is_in_the_key(self) -> None:
        tables = [self.folder / f"{name}.csv" for name in "ab"]
        for table in tables:
            table.write_text("1\n")
        point = self.point("A", ("tables", str([str(table) for table in tables])))
        self.run_all(point)
        self.ran()
        for table in tables:
            table.write_text("2\n")
            self.run_all(point)
            self.assertEqual(self.ran(), ["A 1", "A 2"], table)

    def test_the_source_of_a_summary_is_in_the_key(self) -> None:
        point = replace(self.point("A"), summary=first_summary)
        self.run_all(point)
        self.ran()
        self.run_all(point)
        self.assertEqual(self.ran(), [])
        with mock.patch("inspect.getsource", lambda module: "other"):
            self.run_all(point)
        self.assertEqual(self.ran(), ["A 1", "A 2"])

    def test_what_finished_before_a_failure_is_kept(self) -> None:
        with self.assertRaisesRegex(
            LabError, r"policy=broken.*sim.seed=1\nfailed with exit code 1: simulation failed"
        ):
            self.run_all(
                self.point("A"),
                self.point("broken"),
                *(self.point(f"later {i}") for i in range(50)),
                jobs=1,
            )
        ran = self.ran()
        self.assertEqual(ran[:3], ["A 1", "A 2", "broken 1"])
        self.assertLess(len(ran), 50)
        self.run_all(self.point("A"))
        self.assertEqual(self.ran(), [])
        self.assertEqual(
            [file for file in (self.folder / "kept").rglob("*") if file.name.endswith(".part")], []
        )

    def test_points_of_one_content_are_run_once(self) -> None:
        copy = self.folder / "copy.toml"
        copy.write_text(self.scenario.read_text())
        points = [
            self.point("A"),
            replace(self.point("A"), least_s=1.0),
            replace(self.point("A"), scenario=copy),
        ]
        results = self.run_all(*points, jobs=8)
        self.assertEqual(self.ran(), ["A 1", "A 2"])
        self.assertEqual([results[point] for point in points], [results[points[0]]] * 3)
        estimate = Runner(
            self.platter, Store(self.folder / "elsewhere"), LocalProcesses(2)
        ).estimate([(point, (1, 2)) for point in points])
        self.assertAlmostEqual(estimate.cpu_s, 2 * (0.5 + 2 * 10.0))

    def test_two_summaries_of_one_log_are_two_contents(self) -> None:
        points = [
            replace(self.point("A"), summary=summary) for summary in (first_summary, second_summary)
        ]
        results = self.run_all(*points, seeds=(1,))
        self.assertEqual(
            [results[point][0]["summary"] for point in points], [{"which": 1}, {"which": 2}]
        )

    def test_what_changes_while_it_is_used_is_not_kept(self) -> None:
        table = self.folder / "table.csv"
        changes = {
            "platter": lambda: self.platter.write_text(FAKE + "# another build\n"),
            "configuration": lambda: self.scenario.write_text("format = 1\n# other\n"),
            "table.csv": lambda: table.write_text("2\n"),
        }
        for name, change in changes.items():
            with self.subTest(changed=name):
                self.platter.write_text(FAKE)
                table.write_text("1\n")
                kept = self.folder / f"kept {name}"
                runner = Runner(self.platter, Store(kept), LocalProcesses(1))
                point = self.point("A", ("table", str(table)), ("unlike", name))
                runner.estimate([(point, (1,))])  # has seen it
                self.assertTrue(any(kept.rglob("*.json")))
                probes = set(kept.rglob("*.json"))
                change()
                with self.assertRaisesRegex(StudyFailed, f"{name}.*: changed while the study ran"):
                    runner.results([(point, (1,))])
                self.assertEqual(set(kept.rglob("*.json")), probes)

    def test_half_a_result_is_run_again(self) -> None:
        self.run_all(self.point("A"), seeds=(1,))
        kept = next((self.folder / "kept").rglob("*.json"))
        kept.write_text(kept.read_text()[:20])
        self.ran()
        self.run_all(self.point("A"), seeds=(1,))
        self.assertEqual(self.ran(), ["A 1"])

    def test_a_key_that_does_not_exist_stops_before_any_run(self) -> None:
        with self.assertRaisesRegex(LabError, "bad: there is no such key"):
            self.run_all(self.point("A"), self.point("A", ("bad", "1")))
        self.assertEqual(self.ran(), [])

    def test_an_estimate_is_the_cost_at_once_and_by_length(self) -> None:
        runner = Runner(self.platter, Store(self.folder / "kept"), LocalProcesses(2))
        estimate = runner.estimate([(self.point("A"), (1, 2, 3)), (self.point("B"), (1,))])
        self.assertEqual((estimate.points, estimate.runs, estimate.kept), (2, 4, 0))
        self.assertAlmostEqual(estimate.cpu_s, 4 * (0.5 + 2 * 10.0))
        self.ran()
        self.run_all(self.point("A"), self.point("B"), seeds=(1,))
        self.assertEqual(
            runner.estimate([(self.point("A"), (1,)), (self.point("B"), (1,))]).cpu_s, 0.0
        )

    def test_a_command_names_files_as_the_projects_folder_does(self) -> None:
        point = Point(ROOT / "docs" / "x.toml", (("policy", "OPS:SCAN/CI-OPT(6)"),), 1.0, 2.0)
        self.assertEqual(
            point.command(3),
            "scripts/platter run docs/x.toml --set 'policy=OPS:SCAN/CI-OPT(6)' "
            "--set sim.warmup_s=1 --set sim.measure_s=2 --set sim.seed=3",
        )

    def tiny(self) -> Study:
        points = (self.point("A"), self.point("BBB"))

        def report(results: Results, quick: bool) -> Report:
            values = [
                interval(results.samples(point, lambda r: r["value"] + r["seed"]))
                for point in points
            ]
            ratio = paired_ratio(
                *(
                    results.samples(point, lambda r: r["value"] + r["seed"])
                    for point in reversed(points)
                )
            )
            return Report(
                (
                    Claim(
                        "more",
                        "BBB is more",
                        "2",
                        Unit.RATIO,
                        "ratio",
                        (Part("BBB / A", ratio, above(1)),),
                    ),
                ),
                (Chart("one.svg", "One", "x", "y", (Series("value", (1, 2), values),)),),
                (Table("Shown", ("a",), (("1|2",),)),),
                runs=(
                    Table(
                        "Every run",
                        ("policy", "seed", "value"),
                        tuple(
                            (policy, str(r["seed"]), f"{r['value']:g}")
                            for policy, point in zip(("A", "B,B"), points, strict=True)
                            for r in results[point]
                        ),
                        "runs.csv",
                    ),
                ),
                details=(Table("Data", ("a", "b"), (("1", "x,y"),), "data.csv"),),
            )

        return Study(
            "tiny", "Tiny", "Nothing but a test.", lambda quick: Plan(points, (1, 2, 3)), report
        )

    def reproduce(self, *arguments: str, studies=("tiny",)) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        module = mock.Mock(STUDY=self.tiny())
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            mock.patch.dict(reproduce.STUDIES, {"tiny": "a test"}),
            mock.patch.dict("sys.modules", {"platter_lab.reproduce.tiny": module}),
        ):
            try:
                code = cli.main(
                    [
                        "reproduce",
                        *studies,
                        "--platter",
                        str(self.platter),
                        "--cache",
                        str(self.folder / "kept"),
                        *arguments,
                    ]
                )
            except SystemExit as left:
                code = left.code
        return code, out.getvalue(), err.getvalue()

    def test_a_tiny_study_from_end_to_end(self) -> None:
        code, out, err = self.reproduce("--jobs", "1", "--output", str(self.folder / "a"))
        self.assertEqual(code, 0, err)
        self.assertIn("holds: BBB is more", out)
        self.assertEqual(self.reproduce("--jobs", "4", "--output", str(self.folder / "b"))[0], 0)
        files, others = (
            {
                str(file.relative_to(self.folder / name)): file.read_bytes()
                for file in (self.folder / name).rglob("*.*")
            }
            for name in "ab"
        )
        self.assertEqual(files, others)
        means_text = gzip.decompress(files.pop("means.csv.gz")).decode()
        texts = {name: content.decode() for name, content in files.items()}
        self.assertEqual(
            sorted(texts),
            [
                "README.md",
                "details/claims.csv",
                "details/comparisons.csv",
                "details/data.csv",
                "details/one.csv",
                "details/runs.csv",
                "one.svg",
            ],
        )
        for expected in (
            "# Tiny",
            "Nothing but a test.",
            "| more | BBB is more | 2 | ratio: above 1.000 |",
            "| 1\\|2 |",
            "(one.svg)",
            "(means.csv.gz)",
            "`runs.csv`, `claims.csv`, `comparisons.csv`, `data.csv`, `one.csv`",
        ):
            self.assertIn(expected, texts["README.md"])
        self.assertEqual(texts["details/data.csv"], 'a,b\n1,"x,y"\n')
        runs = list(csv.reader(texts["details/runs.csv"].splitlines()))
        self.assertEqual(
            [row[:2] for row in runs],
            [
                ["policy", "seed"],
                *([policy, str(seed)] for policy in ("A", "B,B") for seed in (1, 2, 3)),
            ],
        )
        means = list(csv.DictReader(means_text.splitlines()))
        self.assertEqual(
            [(row["policy"], row["runs"]) for row in means], [("A", "3"), ("B,B", "3")]
        )

    def test_means_of_runs(self) -> None:
        runs = Table(
            "Every run",
            ("policy", "rate", "seed", "ms", "gap", "trend"),
            (
                ("A", "5", "1", "10", "", "steady"),
                ("A", "5", "2", "14", "", "steady"),
                ("A", "5", "1", "10", "", "steady"),
                ("B", "5", "1", "3", "nan", "unstable"),
                ("A", "6", "1", "7.5", "2", "steady"),
            ),
            "runs.csv",
        )
        found = page.means_table(runs)
        self.assertEqual(
            (found.file, found.header),
            (
                "means.csv.gz",
                ("policy", "rate", "runs", "ms", "ms_half", "gap", "gap_half", "trend"),
            ),
        )
        # Of 10 and 14: the deviation is the root of 8, and so is that of two means
        half = scipy.stats.t.ppf(0.975, 1) * 2
        self.assertEqual(
            found.rows,
            (
                ("A", "5", "2", "12", f"{half:.2g}", "", "", "steady"),
                ("B", "5", "1", "3", "", "", "", "unstable"),
                ("A", "6", "1", "7.5", "", "2", "", "steady"),
            ),
        )
        with self.assertRaisesRegex(ValueError, "runs.csv: two runs of seed 1 of A, 5"):
            page.means_table(replace(runs, rows=(*runs.rows, ("A", "5", "1", "11", "", "steady"))))

    def test_claims_for_a_program(self) -> None:
        result = self.folder / "claims.json"
        self.assertEqual(
            self.reproduce("--output", str(self.folder / "a"), "--result", str(result))[0], 0
        )
        claims = json.loads(result.read_text())
        jsonschema.validate(
            claims, json.loads((ROOT / "docs/reference/claims.schema.json").read_text())
        )
        self.assertEqual(
            [(claim["id"], claim["verdict"], claim["published"]) for claim in claims["claims"]],
            [("more", "holds", "2")],
        )
        low, high = claims["claims"][0]["ci95"]
        self.assertTrue(low < claims["claims"][0]["measured"] < high)
        for figure in claims["figures"]:
            self.assertTrue(Path(figure["data"]).is_file() and Path(figure["image"]).is_file())
        code, _, err = self.reproduce("--result", str(self.folder))
        self.assertEqual((code, "expected a file" in err), (2, True), err)

    def test_the_order_of_finishing_changes_nothing(self) -> None:
        self.assertEqual(self.reproduce("--jobs", "4", "--output", str(self.folder / "a"))[0], 0)
        for file in (self.folder / "kept").rglob("*.json"):
            if hash(file.name) % 2:
                file.unlink()
        self.assertEqual(self.reproduce("--jobs", "1", "--output", str(self.folder / "b"))[0], 0)
        for file in (self.folder / "a").rglob("*.*"):
            self.assertEqual(
                file.read_bytes(),
                (self.folder / "b" / file.relative_to(self.folder / "a")).read_bytes(),
            )

    def test_the_claims_go_into_a_pipe_and_through_a_link(self) -> None:
        pipe, link, target = (
            self.folder / "pipe",
            self.folder / "link.json",
            self.folder / "there" / "claims.json",
        )
        os.mkfifo(pipe)
        target.parent.mkdir()
        link.symlink_to(Path("there") / "claims.json")  # of what is not there yet
        reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(reader.kill)
        self.assertEqual(
            self.reproduce("--output", str(self.folder / "a"), "--result", str(pipe))[0], 0
        )
        said = reader.communicate(timeout=30)[0]
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        self.assertEqual(
            self.reproduce("--output", str(self.folder / "a"), "--result", str(link))[0], 0
        )
        self.assertTrue(link.is_symlink())
        self.assertEqual(target.read_text(), said)
        self.assertEqual(json.loads(said)["study"], "tiny")

    def test_what_is_no_model_is_said(self) -> None:
        junk = self.folder / "junk"
        junk.write_bytes(b"\0\1\2")
        no_result = self.folder / "no_result"
        no_result.write_text("#!/bin/sh\n[ $1 = run ] || echo 'format = 1'\n")
        for file in (junk, no_result):
            file.chmod(0o755)
        for platter, said in (
            ("/bin/echo", "did not give a configuration"),
            ("/bin/true", "did not give a configuration"),
            (junk, "Exec format error"),
            (no_result, "did not give a result"),
        ):
            with self.subTest(platter=platter):
                code, _, err = self.reproduce(
                    "--platter", str(platter), "--output", str(self.folder / "a")
                )
                self.assertEqual(code, 2, err)
                self.assertIn("platter run", err)
                self.assertIn(said, err)
                self.assertIn("expected the model's executable", err)
                self.assertNotIn("Traceback", err)
                self.assertFalse((self.folder / "a").exists())

    def test_a_run_that_fails_is_another_exit_code_than_bad_input(self) -> None:
        for settings, expected in (("policy=broken", 1), ("bad=1", 2)):
            key, value = settings.split("=")
            self.tiny = lambda pair=(key, value), tiny=self.tiny: replace(
                tiny(),
                plan=lambda quick: Plan(
                    (Point(self.scenario, (("policy", "A"), pair), 0.0, 10.0),), (1,)
                ),
            )
            code, _, err = self.reproduce("--output", str(self.folder / "a"))
            self.assertEqual(code, expected, err)
            self.assertIn(settings, err)
            del self.tiny

    def test_a_result_that_cannot_be_looked_for_is_an_error(self) -> None:
        kept = self.folder / "kept"
        store = Store(kept)
        key = Store.key("x")
        self.assertIsNone(store.read(key))
        kept.mkdir()
        (kept / key[:2]).write_text("no folder")
        with self.assertRaisesRegex(
            LabError, f"{key[2:]}.json: Not a directory; expected a kept result"
        ):
            store.read(key)

    def test_bad_input_is_said_and_writes_nothing(self) -> None:
        taken = self.folder / "taken"
        taken.write_text("")
        for arguments, said in (
            (("--jobs", "0"), "expected a whole number from 1"),
            (("--jobs", "two"), "expected a whole number"),
            (("--output", str(taken)), "expected a folder"),
            (("--output", str(taken / "below")), "is a file; expected a folder"),
            (("--output", "/proc/none"), "/proc/none: cannot be written"),
            (("--cache", "/proc/none"), "/proc/none: cannot be written"),
            (("--cache", str(taken)), "is a file; expected a folder for results of runs"),
            (("--result", str(taken / "below")), "Not a directory; expected a file for the claims"),
            (("--result", "/proc/none/claims.json"), "/proc/none: cannot be written"),
            (("--platter", str(self.folder / "none")), "no such executable"),
        ):
            with self.subTest(arguments=arguments):
                code, _, err = self.reproduce(*arguments)
                self.assertEqual(code, 2)
                self.assertIn(said, err)
        code, _, err = self.reproduce(studies=("tiny", "nonesuch"))
        self.assertEqual(code, 2)
        self.assertIn("invalid choice: 'nonesuch'", err)
        code, _, err = self.reproduce(
            "--output", str(self.folder / "o"), studies=("tiny", "mixed-media")
        )
        self.assertEqual(code, 2)
        self.assertIn("expected one study", err)
        self.assertEqual(self.ran(), [])
        self.assertFalse((self.folder / "o").exists())


class StreamTables(unittest.TestCase):
    def test_tables_are_written_together_or_not_at_all(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "tables"
            (folder / "b.csv").mkdir(parents=True)
            with mock.patch(
                "platter_lab.stream_tables.make_tables",
                lambda wheel: {"a.csv": "1\n", "b.csv": "2\n"},
            ):
                for expected in (2, 0):
                    with (
                        contextlib.redirect_stderr(io.StringIO()),
                        contextlib.redirect_stdout(io.StringIO()),
                    ):
                        self.assertEqual(
                            cli.main(["stream-tables", "--output", str(folder)]), expected
                        )
                    self.assertEqual(
                        {
                            file.name: file.read_text()
                            for file in folder.iterdir()
                            if file.is_file()
                        },
                        {} if expected else {"a.csv": "1\n", "b.csv": "2\n"},
                    )
                    if expected:
                        (folder / "b.csv").rmdir()


def places_of(line: str) -> list[tuple[float, float]]:
    """Of a path of lines, which are relative but for the first."""
    x = y = 0.0
    places = []
    data = line.split(' d="')[1].split('"')[0]
    for command, numbers in re.findall(r"([Mmhvl])([^Mmhvlz]*)", data):
        ways = [float(one) for one in re.findall(r"-?[0-9.]+", numbers)]
        steps = {"h": [(way, 0.0) for way in ways], "v": [(0.0, way) for way in ways]}.get(
            command, list(zip(ways[::2], ways[1::2], strict=False))
        )
        for across, down in steps:
            x, y = (across, down) if command == "M" else (x + across, y + down)
            places.append((x, y))
    return places


def marked_places(text: str) -> list[list[tuple[float, float]]]:
    """Of each path with marks at its points."""
    styles = dict(re.findall(r"\.(s[0-9]+)\{(.*?)\}", text))
    return [
        places_of(path)
        for path in re.findall("<path.*?>", text)
        if "marker:" in path
        or any("marker:" in styles[name] for name in re.findall(r'class="(s[0-9]+)"', path))
    ]


class Figures(unittest.TestCase):
    def test_the_same_data_gives_the_same_bytes(self) -> None:
        chart = Chart(
            "f.svg",
            "λ & co",
            "x",
            "y",
            (Series("a", (1, 2, 4), (interval([1, 2]), None, interval([3, 4]))),),
            True,
            True,
        )
        first = svg(chart)
        self.assertEqual(first, svg(chart))
        self.assertNotIn("<dc:date>", first)
        self.assertNotEqual(
            first,
            svg(replace(chart, series=(Series("a", (1, 2, 4), (None, None, interval([3, 4]))),))),
        )
        self.assertIn("λ &amp; co", first)

    def test_a_figure_is_small_and_whole(self) -> None:
        x = range(200)
        wave = [exact(2 + math.sin(one / 10), 5) for one in x]
        marked = Chart(
            "f.svg",
            "F",
            "x",
            "y",
            (Series("a", x, wave), Series("b", x, [interval([y.mean - 1, y.mean]) for y in wave])),
        )
        text = svg(marked)
        self.assertLess(text.count("\n"), 100)
        # Each series has a mark at each point, and at both ends of the interval there.
        self.assertEqual(sorted(map(len, marked_places(text)))[-4:], [200, 200, 400, 400])
        # A line goes by the points at which it bends,
        # and is nowhere far from those that it leaves out.
        line = max(re.findall("<path.*?>", svg(replace(marked, marks=False))), key=len)
        kept_x, kept_y = np.array(places_of(line)).T
        self.assertTrue(30 < len(kept_x) < 150, len(kept_x))
        along = np.linspace(kept_x[0], kept_x[-1], 20_000)
        drawn_line = along + 1j * np.interp(along, kept_x, kept_y)
        middle, height = (kept_y.max() + kept_y.min()) / 2, (kept_y.max() - kept_y.min()) / 2
        points = np.linspace(kept_x[0], kept_x[-1], 200) + 1j * (
            middle - height * np.sin(np.linspace(0, 19.9, 200))
        )
        self.assertLess(max(np.abs(drawn_line - point).min() for point in points), 0.3)

    def test_a_line_and_its_marks_are_one_path(self) -> None:
        x = range(20)
        straight = Series("straight", x, [exact(1.0 + one, 5) for one in x])
        broken = Series("broken", x, [None if one == 9 else exact(30.0 - one, 5) for one in x])
        text = svg(Chart("f.svg", "F", "x", "y", (straight, broken)))
        # Only the ticks of the axes are marks without a line.
        self.assertEqual(text.count('class="marks"'), 2)
        marked = [len(places) for places in marked_places(text)]
        self.assertEqual(sorted(marked)[-4:], [19, 20, 38, 40])

    def test_a_logarithmic_axis_has_plain_numbers(self) -> None:
        chart = Chart(
            "a.svg",
            "A",
            "x",
            "ms",
            (Series("one", [1, 2, 3], [exact(30.0, 5), exact(200.0, 5), exact(4000.0, 5)]),),
            log_y=True,
        )
        text = svg(chart)
        for number in ("50", "100", "200", "1000"):
            self.assertIn(f">{number}</text>", text)
        self.assertNotIn("mathdefault", text)
        self.assertNotIn("10^", text)

    def test_labels_of_a_logarithmic_axis_do_not_overprint(self) -> None:
        blocks = [blocks * 16 for blocks in replicated_striping.FRAGMENT_BLOCKS]
        for ticks in (
            blocks,
            [16 * x for x in blocks],
            [1024 * x for x in blocks],
            [4, 8, 16, 32],
            [1, 2, 4, 8, 16, 32, 64, 128],
            [10],
        ):
            labels = apart(ticks)
            self.assertEqual((len(labels), labels[-1]), (len(ticks), f"{ticks[-1]:,}"))
            chart = Chart(
                "f.svg",
                "t",
                "x",
                "y",
                (Series("a", ticks, [interval([1, 2])] * len(ticks)),),
                log_x=True,
            )
            boxes = sorted((box.x0, box.x1) for box in drawn(chart))
            self.assertEqual(len(boxes), sum(map(bool, labels)))
            for (_, end), (begin, _) in itertools.pairwise(boxes):
                self.assertGreater(begin, end, f"{ticks}: {labels}")
        self.assertNotIn("", apart([4, 8, 16, 32]))

    def test_a_map_is_its_values(self) -> None:
        values = [[1.0, 2.0, 4.0], [0.5, 1.5, 1.0]]
        chart = Map("m.svg", "Map", "x", "y", "ratio", (10, 20, 30), (1, 2), values, 1.0)
        first = svg(chart)
        self.assertEqual(first, svg(chart))
        self.assertNotEqual(first, svg(replace(chart, values=[[1.0, 2.0, 4.0], [0.5, 1.5, 1.1]])))
        self.assertIn("<svg", svg(replace(chart, center=None)))
        self.assertEqual(
            page.chart_table(chart),
            Table(
                "Map",
                ("x", "y", "ratio"),
                (
                    ("10", "1", "1"),
                    ("20", "1", "2"),
                    ("30", "1", "4"),
                    ("10", "2", "0.5"),
                    ("20", "2", "1.5"),
                    ("30", "2", "1"),
                ),
                "m.csv",
            ),
        )


class LoadsThatVary(unittest.TestCase):
    def test_a_distribution_has_the_mean_the_peak_and_the_share_that_are_asked_for(self) -> None:
        for mean, peak, over in ((48.4, 244, 0.01), (64.7, 333, 0.03), (76.9, 401, 0.05)):
            spread = varying_loads.exponential(mean, peak, over, 200)
            self.assertEqual(spread.peak, peak)
            self.assertAlmostEqual(spread.share.sum(), 1)
            self.assertAlmostEqual(spread.mean, mean, places=6)
            self.assertAlmostEqual(spread.over, over)
            self.assertAlmostEqual(
                spread.share[50] / spread.share[40], spread.share[190] / spread.share[180]
            )

    def test_a_cascades_rates(self) -> None:
        # 2^11 intervals: as exact as the normal distribution is for eleven halvings.
        peak_to_mean, levels = 12.51, 11
        p = peak_to_mean ** (1 / levels) / 2
        exact_mean = (
            sum(math.comb(levels, j) * p ** (levels - j) * (1 - p) ** j for j in range(levels + 1))
            / (2 * p) ** levels
        )
        for over in (0.01, 0.05):
            spread = varying_loads.cascade(peak_to_mean, levels, over, 200)
            self.assertAlmostEqual(spread.share.sum(), 1)
            self.assertAlmostEqual(spread.over, over, delta=0.02 * over)
            self.assertAlmostEqual(spread.mean / spread.peak, exact_mean, delta=0.02 * exact_mean)
        self.assertGreater(
            varying_loads.cascade(peak_to_mean, levels, 0.05, 200).peak,
            varying_loads.cascade(peak_to_mean, levels, 0.01, 200).peak,
        )

    def test_what_is_above_capacity_waits_there(self) -> None:
        spread = varying_loads.exponential(48.4, 244, 0.01, 200)
        cut = spread.cut()
        self.assertEqual(cut.over, 0)
        self.assertAlmostEqual(cut.share[200], spread.share[200] + 0.01)
        self.assertAlmostEqual(cut.share.sum(), 1)

    def test_the_gain_is_the_sum_over_both_loads(self) -> None:
        spread = varying_loads.exponential(5, 30, 0.05, 20)
        some = 1 - spread.share[0]
        rows = (((0, 50), (6.0, 6.0)),) * 2
        even = varying_loads.expected_gain(spread, 50, (1, 30), (10.0, 10.0), rows)
        self.assertAlmostEqual(even.ms, 4 * some)
        self.assertAlmostEqual(even.share, 0.4)
        self.assertAlmostEqual(even.mean_share, 0.4)
        # The partitioned server's response 10 t, the integrated one's 4 t + 2 v,
        # with v of the same law over 50 clients.
        rows = (((0, 50), (4.0, 104.0)), ((0, 50), (120.0, 220.0)))
        linear = varying_loads.expected_gain(spread, 50, (1, 30), (10.0, 300.0), rows)
        self.assertAlmostEqual(linear.ms, 6 * spread.mean - 2 * 50 / 30 * spread.mean * some)
        self.assertAlmostEqual(linear.share, linear.ms / (10 * spread.mean))

    def test_a_clips_rate_is_the_one_asked_for(self) -> None:
        table, rate = integrated_servers.VIDEO[0]
        lines = (text_and_video.SERVER.parent / table).read_text().splitlines()
        frames = sum(line[0].isdigit() for line in lines)
        # The clip has 25 frames a second. It does not last whole seconds, but 25 loops do.
        loop_s = frames // 25
        rates = integrated_servers.video_rates(table, rate, 0.3, 25 * loop_s + frames % 25)
        self.assertAlmostEqual(8 * rates.mean(), rate, delta=1e-6 * rate)
        self.assertGreater(rates.max(), 1.2 * rates.min())


class TextAndVideo(unittest.TestCase):
    INTERPRETATIONS: ClassVar = {
        interpretation.name: interpretation for interpretation in integrated_servers.INTERPRETATIONS
    }

    def settings(self, point: Point) -> dict[str, str]:
        return dict(point.settings)

    def view(
        self, interpretation: str = "", results: Results | None = None, quick: bool = True
    ) -> text_and_video.View:
        return text_and_video.View(
            quick, results, self.INTERPRETATIONS.get(interpretation, DEFAULT)
        )

    def test_where_a_curve_crosses_a_level(self) -> None:
        self.assertEqual(text_and_video.crossing((10, 20, 30), (1.0, 3.0, 9.0), 6.0), 25.0)
        self.assertEqual(text_and_video.crossing((0, 20), (5.0, 6.0), 2.0), 0)
        self.assertTrue(math.isnan(text_and_video.crossing((10, 20), (1.0, 2.0), 3.0)))
        # Somewhere below: no capacity is known
        self.assertEqual(text_and_video.crossing((10, 20), (5.0, 6.0), 2.0), -math.inf)

    def test_loads_are_parts_of_our_own_capacities(self) -> None:
        # A response that is longer by a ninth: our T is nine tenths of the paper's.
        _, results = whole(integrated_servers, partitioned=1 / 0.9)
        view = self.view("", results)
        self.assertAlmostEqual(view.text_unit, 0.9, delta=0.0051)  # whole clients
        self.assertAlmostEqual(view.video_unit, 1.0, delta=0.01)
        point = self.settings(view.point(text_and_video.INTEGRATED, 100, 102))
        self.assertEqual(
            (point["text.clients"], point["video.clients"]),
            tuple(
                str(round(load * unit))
                for load, unit in ((100, view.text_unit), (102, view.video_unit))
            ),
        )
        self.assertEqual(
            [
                part.verdict
                for part in next(
                    one for one in integrated_servers.claims() if one.name == "t-calibrated"
                ).parts(view)
            ],
            [Verdict.FAILS],
        )
        # Each interpretation has its own V: client-rounds are violated by fewer clients here.
        rounds = whole(integrated_servers, rounds=2.0)[1]
        late, by_round = self.view("", rounds), self.view("client-rounds", rounds)
        self.assertLess(by_round.video_unit, 0.98 * late.video_unit)
        heavy = [
            self.settings(v.point(text_and_video.INTEGRATED, 200, 102))["video.clients"]
            for v in (late, by_round)
        ]
        self.assertEqual(heavy, [str(round(102 * v.video_unit)) for v in (late, by_round)])
        self.assertNotEqual(*heavy)

    def test_nothing_is_asked_for_before_the_units_are_known(self) -> None:
        first = integrated_servers.follow(Results({}), False)
        self.assertEqual(
            {
                self.settings(point)["server.architecture"]
                for point, _ in first.batches
                if point.measure_s == text_and_video.MEASURE_S
            },
            {"partitioned"},
        )
        self.assertLess(len(first.batches), 200)

    def test_a_point_that_is_asked_for_again_is_asked_for(self) -> None:
        view = self.view()
        point = view.point(text_and_video.INTEGRATED, 50, 80)
        view.points.clear()
        self.assertIs(view.point(text_and_video.INTEGRATED, 50, 80), point)
        self.assertEqual(list(view.points), [point])

    def test_what_many_look_at_cannot_be_changed(self) -> None:
        spread = varying_loads.exponential(5, 30, 0.05, 20)
        self.assertIs(spread.cut(), spread.cut())
        for shared in (
            spread.share,
            spread.cut().share,
            integrated_servers.video_rates(*integrated_servers.VIDEO[0], 0.3, 10),
        ):
            with self.assertRaises(ValueError):
                shared[0] = 1.0

    def test_units_are_of_all_seeds_and_whole_clients(self) -> None:
        """T and V are what so many clients are, not a part of one more;
        a seed beyond the first ones counts too."""
        _, results = whole(integrated_servers)
        view = self.view("", results)
        self.assertEqual({len(view.own_text()), len(view.own_video())}, {len(view.seeds.most)})
        self.assertGreater(len(view.seeds.most), len(view.seeds.first))
        self.assertEqual(view.text_unit * 200, math.floor(np.mean(view.own_text())))
        self.assertEqual(text_and_video.supported([102.1, 102.9]), 102)
        self.assertTrue(math.isnan(text_and_video.supported([102.0, math.nan])))

    def test_what_was_not_measured_is_no_data(self) -> None:
        """A result without samples has None there:
        no data for a claim, nothing in a table, and no capacity that hangs on it."""
        _, results = whole(integrated_servers)
        view = self.view("", results)
        self.assertTrue(
            all(
                math.isnan(value)
                for value in view.samples(text_and_video.response, text_and_video.INTEGRATED, 0, 50)
            )
        )
        self.assertTrue(
            math.isnan(
                view.value(
                    text_and_video.queueing_share, text_and_video.INTEGRATED, 0, 50, below(1)
                ).value.mean
            )
        )
        self.assertTrue(
            all(
                math.isnan(value)
                for value in view.samples(
                    text_and_video.late_units, text_and_video.INTEGRATED, 50, 0
                )
            )
        )
        self.assertTrue(
            all(
                math.isfinite(value)
                for value in view.text_capacity(text_and_video.INTEGRATED, 0, (0, 400, 450))
            )
        )
        rows = [
            dict(zip(integrated_servers.RUN_HEADER, row, strict=True))
            for row in integrated_servers._rows(results)
        ]
        columns = next(
            row
            for row in rows
            if (row["server"], row["text_clients"], row["bursty_load"]) == ("integrated", "0", "")
            and row["video_clients"] != "0"
        )
        self.assertEqual((columns["response_ms"], columns["unit_queue_ms"]), ("", ""))
        self.assertNotEqual(columns["late_unit_share"], "")

    def test_a_share_of_comparisons_has_an_interval(self) -> None:
        points = [frozenset({name}) for name in "abcd"]
        parts = [
            Part(name, Interval(mean, mean - 1, mean + 1, 5), below(0), at)
            for name, mean, at in zip("abcd", (-5.0, -0.5, 0.5, 5.0), points, strict=True)
        ]
        share = text_and_video.share_of(parts, "4 points", above(0.5))
        self.assertEqual(
            (share.value.mean, share.value.low, share.value.high, share.value.runs),
            (0.5, 0.25, 0.75, 5),
        )
        self.assertEqual(share.points, points[1] | points[2], "more seeds of these would decide it")
        self.assertIs(text_and_video.share_of(parts[:1], "", above(0.5)).verdict, Verdict.HOLDS)
        self.assertIs(text_and_video.share_of(parts[3:], "", above(0.5)).verdict, Verdict.FAILS)
        none = Part("e", exact(math.nan, 5), below(0))
        self.assertTrue(
            math.isnan(text_and_video.share_of([*parts, none], "", above(0.5)).value.mean)
        )

    def test_what_may_be_holds_somewhere(self) -> None:
        failing, open_part, holding = (
            part(0.0, 0.1, above(1), "f"),
            part(0.9, 1.2, above(1), "o"),
            part(1.1, 1.2, above(1), "h"),
        )
        self.assertIs(
            text_and_video.somewhere([failing, open_part, holding]).verdict, Verdict.HOLDS
        )
        self.assertIs(text_and_video.somewhere([failing, open_part]).verdict, Verdict.OPEN)
        self.assertIs(text_and_video.somewhere([failing, failing]).verdict, Verdict.FAILS)
        self.assertRegex(text_and_video.somewhere([failing, holding]).label, "^h; of 2 ")

    def test_combinations_are_judged_together(self) -> None:
        self.assertEqual(len(integrated_servers._combinations(False)), 3 * 2 * 3 * 2)
        self.assertLess(len(integrated_servers._combinations(True)), 6)
        _, report = unchanged(integrated_servers)
        for one in report.claims:
            self.assertEqual(
                one.grid is not None, one.name in integrated_servers.TOGETHER, one.name
            )
        (turning,) = [
            table for table in report.tables if table.title == "Where these verdicts turn"
        ]
        self.assertEqual(
            turning.header,
            ("interval", "rotation", "areas", "rounds", *integrated_servers.TOGETHER),
        )
        self.assertEqual(len(turning.rows), len(integrated_servers._combinations(True)))
        both = integrated_servers.merged(integrated_servers._combinations(False)[-1])
        self.assertEqual(
            dict(both.settings),
            {
                "scheduling.budget_interval_s": "1",
                "scheduling.cello_rotation": "half-turn",
                "server.areas": "spread",
                "video.rounds": "staggered",
            },
        )

    def test_units_late_of_units_due(self) -> None:
        result = {"video": {"violation_share": 0.5, "late_unit_share": 0.05}}
        self.assertEqual(self.view().violations(result), 0.05)
        self.assertEqual(self.view("client-rounds").violations(result), 0.5)

    def test_only_what_is_not_decided_has_more_seeds(self) -> None:
        # The integrated server as fast as the partitioned one, give or take a tenth
        plan, _ = whole(integrated_servers, sway=0.1)
        seeds = dict(plan.batches)
        view = self.view("", made_up(plan, sway=0.1))
        first, most = view.seeds.first, view.seeds.most
        # worse-corner
        self.assertEqual(seeds[view.point(text_and_video.INTEGRATED, 20, 102)], most)
        # heavy-text
        self.assertEqual(seeds[view.point(text_and_video.INTEGRATED, 200, 50)], most)
        # light-no-violations
        self.assertEqual(seeds[view.point(text_and_video.INTEGRATED, 0, 50)], first)
        # V, in the grid of the calibration: always
        self.assertEqual(seeds[view._point(text_and_video.PARTITIONED, 0, 87)], most)
        self.assertEqual(seeds[view._point(text_and_video.PARTITIONED, 170, 0)], most)
        decided, _ = whole(integrated_servers, integrated=0.5)
        self.assertEqual(
            dict(decided.batches)[view.point(text_and_video.INTEGRATED, 200, 50)], first
        )
        self.assertEqual(decided.runs, sum(len(own) for _, own in decided.batches))
        self.assertGreaterEqual(text_and_video.WHOLE.most, tuple(range(1, 21)))
        whole_seeds, short = (
            text_and_video.WHOLE,
            replace(view.point(text_and_video.INTEGRATED, 0, 50), measure_s=57.0),
        )
        self.assertEqual(
            [
                len(whole_seeds.after(view.point(text_and_video.INTEGRATED, 0, 50), n))
                for n in (0, 5, 20, 40)
            ],
            [5, 10, 40, 40],
        )
        self.assertEqual(
            [len(whole_seeds.after(short, n)) for n in (5, 40, 80, 160)], [10, 80, 160, 160]
        )

    def test_a_claim_that_one_part_refutes_needs_no_more_seeds(self) -> None:
        open_part, failing = part(0.9, 1.1, below(1)), part(1.5, 1.6, below(1))
        self.assertEqual(len(integrated_servers._needs_seeds([open_part])), 1)
        self.assertEqual(integrated_servers._needs_seeds([open_part, failing]), [])
        self.assertEqual(integrated_servers._needs_seeds([part(math.nan, math.nan, below(1))]), [])
        # Decided by its 95 %, but not by its 99 % interval.
        self.assertEqual(len(integrated_servers._needs_seeds([part(0.8, 0.99, below(1))])), 1)

    def test_an_interpretation_changes_what_it_interprets_otherwise(self) -> None:
        scan = self.view("SCAN to the edge")
        self.assertEqual(
            self.settings(scan.point(text_and_video.ELEVATOR, 50, 80))["policy"], "SCAN"
        )
        both, apart = (
            self.settings(scan.point(server, 50, 80))
            for server in (text_and_video.INTEGRATED, text_and_video.PARTITIONED)
        )
        self.assertNotIn("policy", both)
        self.assertEqual(
            (both["scheduling.cello_elevator"], apart["server.text_policy"]),
            ("scan", "SCAN"),
            "one SCAN, on both sides",
        )
        self.assertEqual(
            self.settings(scan.point(text_and_video.FAIR, 50, 80))["policy"], "SFQ(1|1|0)"
        )
        self.assertEqual(
            self.view("client-rounds").point(text_and_video.INTEGRATED, 50, 80),
            self.view().point(text_and_video.INTEGRATED, 50, 80),
        )

    def test_what_an_interpretation_cannot_touch_is_the_defaults_point(self) -> None:
        both, text, video = (50, 80), (50, 0), (0, 80)
        for interpretation, server, load, touched in (
            ("no budgets", text_and_video.INTEGRATED, both, True),
            ("no budgets", text_and_video.INTEGRATED, text, False),
            ("no budgets", text_and_video.INTEGRATED, video, False),
            ("no budgets", text_and_video.PARTITIONED, both, False),
            ("no budgets", text_and_video.FAIR, both, False),
            ("C-LOOK", text_and_video.INTEGRATED, both, True),
            ("C-LOOK", text_and_video.INTEGRATED, text, True),
            ("C-LOOK", text_and_video.INTEGRATED, video, False),
            ("C-LOOK", text_and_video.FAIR, both, False),
            ("burst through cache", text_and_video.INTEGRATED, both, False),
            ("C-LOOK", text_and_video.PARTITIONED, text, True),
            ("C-LOOK", text_and_video.PARTITIONED, video, False),
            ("long files", text_and_video.INTEGRATED, text, False),
            ("long files", text_and_video.INTEGRATED, both, True),
            ("no cache", text_and_video.INTEGRATED, video, False),
            ("no cache", text_and_video.INTEGRATED, text, True),
            ("interval 0.5 s", text_and_video.INTEGRATED, both, True),
            ("half a turn", text_and_video.INTEGRATED, both, True),
            ("half a turn", text_and_video.INTEGRATED, video, False),
            ("half a turn", text_and_video.FAIR, both, False),
            ("areas apart", text_and_video.INTEGRATED, both, True),
            ("areas apart", text_and_video.INTEGRATED, text, False),
            ("areas apart", text_and_video.PARTITIONED, video, False),
            ("areas spread", text_and_video.PARTITIONED, video, True),
            ("areas spread", text_and_video.PARTITIONED, text, True),
            ("staggered rounds", text_and_video.PARTITIONED, video, True),
            ("staggered rounds", text_and_video.INTEGRATED, text, False),
            ("SCAN to the edge", text_and_video.INTEGRATED, video, True),
            ("burst peak 5.1", text_and_video.INTEGRATED, both, False),
        ):
            with self.subTest(interpretation=interpretation, server=server, load=load):
                own, other = (
                    view.point(server, *load) for view in (self.view(), self.view(interpretation))
                )
                self.assertEqual(own != other, touched)

    def test_every_cell_of_the_verdicts_can_differ(self) -> None:
        """An interpretation that touches a claim has other points, another T or V,
        or counts violations in another way."""
        for one in integrated_servers.claims():
            for interpretation in integrated_servers.INTERPRETATIONS:
                if (
                    interpretation.touches(*one.policies)
                    and interpretation is not text_and_video.CLIENT_ROUNDS
                ):
                    with self.subTest(claim=one.name, interpretation=interpretation.name):
                        self.assertTrue(
                            self.looked_at(one, interpretation) - self.looked_at(one, DEFAULT)
                        )

    def test_no_claim_that_an_interpretation_can_change_is_left_out(self) -> None:
        """Whatever a claim looks at, under an interpretation that is not judged, is the default's,
        and so are the units of its loads."""
        for one in integrated_servers.claims():
            for interpretation in integrated_servers.INTERPRETATIONS:
                if not interpretation.touches(*one.policies):
                    with self.subTest(claim=one.name, interpretation=interpretation.name):
                        asked = [
                            text_and_video.View(True, None, kind)
                            for kind in (interpretation, DEFAULT)
                        ]
                        for view in asked:
                            one.parts(view)
                        self.assertEqual(*(view.points.keys() for view in asked))
        touched = {
            one.name: {
                interpretation.name
                for interpretation in integrated_servers.INTERPRETATIONS
                if interpretation.touches(*one.policies)
            }
            for one in integrated_servers.claims()
        }
        everywhere = {
            "client-rounds",
            "SCAN to the edge",
            "C-LOOK",
            "no budgets",
            "long files",
            "no cache",
            "interval 0.5 s",
            "half a turn",
            "areas apart",
            "areas spread",
            "staggered rounds",
        }
        for name in (
            "bursty-faster",
            "bursty-factor",
            "bursty-none",
            "bursty-violations-integrated",
            "bursty-no-effect",
            "expected-gain",
            "expected-share",
            "expected-grows",
            "joint-text",
            "joint-video",
            "joint-loss",
            "grows-with-video",
            "heavy-video",
            "heavy-both",
            "light-no-violations",
            "marginal",
            "worse-corner",
        ):
            self.assertLessEqual(everywhere, touched[name], name)
        self.assertEqual(
            touched["bursty-violations-partitioned"],
            {"client-rounds", "long files", "areas spread", "staggered rounds"},
        )
        self.assertEqual(
            touched["t-calibrated"], {"SCAN to the edge", "C-LOOK", "no cache", "areas spread"}
        )

    def test_an_interpretation_is_compared_with_the_default_at_its_own_points(self) -> None:
        default, coarse, *interpretations = integrated_servers._views(False, None)
        for one in integrated_servers.claims():
            one.parts(default)
            one.parts(coarse)
        integrated_servers._charts(default)
        self.assertLessEqual(
            coarse.points.keys(), default.points.keys(), "nothing more is run for it"
        )
        for view in interpretations:
            self.assertEqual(
                (
                    coarse.text,
                    coarse.video,
                    coarse.overload,
                    coarse.beside_overload,
                    coarse.capacity_text,
                    coarse.capacity_video,
                ),
                (
                    view.text,
                    view.video,
                    view.overload,
                    view.beside_overload,
                    view.capacity_text,
                    view.capacity_video,
                ),
            )

    def test_twice_the_text_is_twice_the_interpretations(self) -> None:
        self.assertEqual(
            integrated_servers.as_full(self.view("SCAN to the edge")),
            {"text__set_bytes": 2 * (226 << 20), "text__cache_bytes": 2 * (64 << 20)},
        )
        self.assertEqual(integrated_servers.as_full(self.view("no cache"))["text__cache_bytes"], 0)

    def looked_at(self, one: Judged, interpretation: Interpretation) -> set[Point]:
        """The points of a claim, and one of those that T and V are made of."""
        view = text_and_video.View(True, None, interpretation)
        one.parts(view)
        units = [view.point(text_and_video.PARTITIONED, *load) for load in ((100, 0), (0, 100))]
        return {*view.points, *units}

    def test_an_estimate_measures_no_less_than_a_peak_takes(self) -> None:
        for interpretation, load, least in (
            ("", 3_072_000, 1),
            ("", 1_024_000, 2),
            ("burst intensity", 3_072_000, 16),
        ):
            view = self.view(interpretation)
            view.bursty(text_and_video.response, text_and_video.INTEGRATED, load, 50)
            (point,) = [
                point
                for point in view.points
                if self.settings(point).get("text.arrivals") == "bursty"
            ]
            short, longer = probes_of(point)
            self.assertEqual(point.least_s, least)
            self.assertGreaterEqual(short.measure_s, least)
            self.assertGreater(longer.measure_s, short.measure_s)

    def test_bursts_are_the_whole_trace_at_any_load(self) -> None:
        # Table 3: 2,048 s at 83.91 KB/s; its 218.64 KB/s are 2,048.22 bytes every 9.14 ms,
        # so that a KB has 1,024 bytes.
        self.assertAlmostEqual(
            text_and_video.TRACE_BYTES_PER_S, 83.91 / 218.64 * 2048.22 / 9.14e-3, delta=100
        )
        self.assertEqual(integrated_servers.BURSTY_LOADS[-1], 3000 * 1024)
        for interpretation, load, seconds in (
            ("", 3_072_000, 57),
            ("", 1_024_000, 172),
            ("burst intensity", 3_072_000, 512),
        ):
            view = self.view(interpretation)
            view.bursty(text_and_video.response, text_and_video.INTEGRATED, load, 50)
            (point,) = [
                point
                for point in view.points
                if self.settings(point).get("text.arrivals") == "bursty"
            ]
            self.assertEqual(
                (point.measure_s, self.settings(point)["text.load_bytes_per_s"]),
                (seconds, str(load)),
            )
            self.assertEqual(self.settings(point)["text.cache_bytes"], "0")
        self.assertEqual(self.settings(point)["text.burst_scaling"], "intensity")


class Clusters(unittest.TestCase):
    PROFILE = (
        "[geometry]\ncylinders = 1000\nsurfaces = 4\n[[geometry.zone]]\nsectors_per_track = 100\n"
    )

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.profile = self.folder / "drive.toml"
        self.profile.write_text(self.PROFILE)

    def test_clusters_keep_to_their_cylinders(self) -> None:
        lines = [line.split() for line in clusters.trace(self.profile, 3, 50, 200).splitlines()]
        self.assertEqual(len(lines), 200 * 4)
        for number in range(200):
            group = lines[4 * number : 4 * number + 4]
            cylinders = [int(line[2]) // 400 for line in group]
            self.assertEqual(cylinders[0], min(cylinders))
            self.assertLess(max(cylinders) - min(cylinders), 50)
            self.assertTrue(
                all(int(line[2]) % 400 + int(line[3]) <= 400 for line in group),
                "within one cylinder",
            )
            self.assertLess(max(cylinders), 1000)
        self.assertEqual(
            clusters.trace(self.profile, 3, 50, 200), clusters.trace(self.profile, 3, 50, 200)
        )

    def test_a_drive_with_zones_is_refused(self) -> None:
        self.profile.write_text(self.PROFILE + "[[geometry.zone]]\nsectors_per_track = 90\n")
        with self.assertRaisesRegex(LabError, "expected a drive with one zone"):
            clusters.trace(self.profile, 3, 50, 2)
        self.profile.write_text("geometry = ")
        with self.assertRaises(LabError):
            clusters.trace(self.profile, 3, 50, 2)
        self.profile.write_text(self.PROFILE)
        with self.assertRaisesRegex(
            LabError, "2000 cylinders, expected at most the 1000 cylinders"
        ):
            clusters.trace(self.profile, 3, 2000, 2)

    def log(self, rows) -> Path:
        file = self.folder / "log.csv"
        with file.open("w", newline="") as out:
            csv.writer(out).writerows([("number", "issued_ps", "completed_ps", "status"), *rows])
        return file

    def test_times_run_from_the_end_of_the_request_before_the_cluster(self) -> None:
        rows, ms = [], 10**9
        for number in range(10):
            at = number * 1000 * ms
            rows += [
                (0, at + ms // 10, at + (4 + number) * ms, "good"),
                (0, at, at + 2 * ms, "good"),
                (0, at + ms // 10, at + 8 * ms, "good"),
            ]
        summary = clusters.batch_means(self.log(rows))
        self.assertEqual(summary["clusters"], 10)
        self.assertEqual(summary["batch_means_ms"], [(2 + 6 + 3 + 6) / 4 + i for i in range(5)])

    def test_a_cluster_that_was_not_seen_whole_is_an_error(self) -> None:
        with self.assertRaisesRegex(LabError, "not served after"):
            clusters.batch_means(
                self.log([(0, 0, 9 * 10**9, "good"), (0, 10**8, 8 * 10**9, "good")])
            )
        with self.assertRaisesRegex(LabError, "request 7 failed"):
            clusters.batch_means(self.log([(7, 0, 9, "error")]))


@functools.cache
def quick_plan(module) -> Plan:
    return module.plan(True)


@functools.cache
def wanted_by_streams(scenario: Path, seconds: int) -> tuple[tuple[str, str, np.ndarray], ...]:
    """Name, label, and what each stream wants second by second."""
    streams = []
    for stream in tomllib.loads(scenario.read_text())["stream"]:
        changes = [
            (0, stream.get("rate_bytes_per_s", 4e6)),
            *zip(
                stream.get("change_at_s", ()), stream.get("change_to_bytes_per_s", ()), strict=True
            ),
        ]
        there = range(int(stream.get("enters_s", 0)), int(stream.get("leaves_s", seconds)))
        wanted = [
            next(rate for at, rate in reversed(changes) if at <= second) if second in there else 0
            for second in range(seconds)
        ]
        streams.append(
            (stream["name"], stream.get("label", "best-effort"), np.array(wanted, dtype=float))
        )
    return tuple(streams)


def streams_of(scenario: Path, seconds: int, on: bool, seed: int, change: dict[str, float]) -> dict:
    """Streams above one drive that get, second by second,
    what they want times `change` of their name and load."""
    streams = []
    minute = np.array([change.get(f"from {second // 60 * 60} s", 1.0) for second in range(seconds)])
    for name, label, wanted in wanted_by_streams(scenario, seconds):
        factor = change.get(f"{label} {'with' if on else 'without'}", 1.0) * (1 + 1e-5 * seed)
        got = factor * minute * wanted
        streams.append(
            {
                "name": name,
                "label": label,
                "bytes_per_s": got.mean(),
                "wanted_bytes_per_s": wanted.mean(),
                "series_bytes_per_s": got.tolist(),
                "series_wanted_bytes_per_s": wanted.tolist(),
                "commands": 100,
                "periods": 1000,
                "missed_periods": 1 if on else 900,
                "multimedia_commands": 100 if label == "multimedia" else 0,
            }
        )
    together = sum(stream["bytes_per_s"] for stream in streams) or 1e6 * (
        1 + 1e-5 * seed
    ) * change.get("alone", 1.0)
    return {
        "seed": seed,
        "streams": streams,
        "aggregate_bytes_per_s": together,
        "classes": {"multimedia_bytes_per_s": 1e6, "best_effort_bytes_per_s": 1e6},
        **(
            {
                "autoqos": {
                    "windows": [
                        {
                            "limit_bytes_per_s": 5e6
                            if second >= change.get("limited from", 30)
                            else 0
                        }
                        for second in range(seconds)
                    ]
                }
            }
            if on
            else {}
        ),
    }


OFFERED = [1000.0, 12510.0] * 1024  # bytes per second of the bursty trace


def jobs_of(settings: dict[str, str], change: dict[str, float]) -> dict:
    """A stream, and random reads that wait for the age limit, or without end if there is none."""
    depth = settings.get("workload.job.0.iodepth", "4")
    limit = 1000 * float(settings.get("drive.controller.age_limit_s", "0"))
    took = change.get(f"random at depth {depth}", change.get("over the limit", 1.02) * limit)
    took = float(settings.get("workload.job.1.deadline_ms", took))
    ended = 20 * (took > 0)
    bins = [0] * random_reads.BINS
    bins[min(int(took).bit_length(), random_reads.BINS - 1)] = ended
    return {
        "log": {"ended": ended, "slow": ended * (took > 1000), "bins": bins},
        "jobs": {
            "random": {
                "response_ms": dict.fromkeys(
                    ("mean", "p50", "p99", "max"), took if ended else None
                ),
                "waiting": {"oldest_ms": 0.5 * took if ended else 65_000.0},
                "late": change.get("late reads", 0),
                "throughput": {"requests_per_s": ended / 60},
            },
            "stream": {
                "throughput": {
                    "bytes_per_s": 1e6
                    * change.get(f"stream at depth {depth}", 280.0)
                    * (1 - 10 / (took + 40))
                }
            },
        },
    }


def made_up(plan: Plan, before: Results | None = None, **change: float) -> Results:
    """Results in which mean response, fairness and throughput are as a rule of the policy's name,
    times `change`. `before` are those of an earlier stage of the study, with the same change."""
    # The same under all interpretations
    streams = functools.cache(functools.partial(streams_of, change=change))

    def result(point: Point, settings: dict[str, str], seed: int) -> dict:
        if "autoqos.enabled" in settings:
            return streams(
                point.scenario, int(point.simulated_s), settings["autoqos.enabled"] == "true", seed
            )
        policy = settings.get(
            "server.architecture", settings.get("reservation.scheme", settings.get("policy"))
        )
        factor = change.get(policy, 1.0) * (1 + 0.001 * seed)
        if policy == "integrated":
            factor *= 1 + change.get("sway", 0.0) * (-1) ** seed
        # Servers of text and video: a response as the load, violations that begin at 102 video
        # clients, or at 204 of the integrated server.
        text = (
            int(settings.get("text.clients", 0)) / 200
            if settings.get("text.arrivals") != "bursty"
            else 1.0
        )
        late = (
            change.get("late", 0) / 1000
            + 0.01
            * (
                int(settings.get("video.clients", 0))
                / (change.get("integrated video", 204) if policy == "integrated" else 102)
            )
            ** 20
        )
        if policy == "integrated":
            late += change.get("more late", 0) + (
                change.get(f"bursts under {settings.get('policy', 'CELLO')}", 0)
                if settings.get("text.arrivals") == "bursty"
                else 0
            )
        # Blocks
        larger = math.log2(int(settings.get("replication.decluster_bytes", 1 << 27)) / 16384)
        whole_late = {"violation_share": change.get("rounds", 1.0) * late, "late_unit_share": late}
        if (
            "text.clients" in settings
            and settings["text.clients"] == "0"
            and settings.get("text.arrivals") != "bursty"
        ):
            text = None  # no request, so nothing was measured
        if settings.get("video.clients") == "0":
            whole_late = dict.fromkeys(whole_late)
        return {
            "seed": seed,
            "utilisation": 0.45,
            "hiccups": change.get(f"hiccups at {settings.get('drive.recovery.limit_ms')} ms", 0)
            * ("fault_process.population" not in settings),
            "errors": {"retried": change.get("errors", 10), "recovered": 4},
            "throughput": {"requests_per_s": 100 * factor},
            "classes": {
                "discrete": {
                    "response_ms": {"mean": 100 * factor, "p99": 300 * factor},
                    "reads": {"response_ms": {"mean": 50.0}},
                    "writes": {"response_ms": {"mean": 100 * factor}},
                    "fairness_index": 0.5 * factor,
                    "backlog": {
                        "mean": 10.0 * change.get(f"waits under {policy}", 1.0),
                        "parts": [10.0 + 0.01 * (i * (seed + 3) % 7) for i in range(20)],
                    },
                    "outstanding": 1,
                    "issued": 1000,
                    "late": 10 + seed,
                    "completed": 1000,
                },
                "continuous": {
                    "completed": 1000,
                    "issued": 1000,
                    "failed": change.get("failed", 0),
                },
            },
            "arrivals": {
                "classes": {
                    "continuous": {
                        kind: {"accesses": 100, "missed": 7} for kind in ("reads", "writes")
                    }
                }
            },
            "eager": {
                "writes": 100,
                "hidden": change.get("hidden", 95) * (1 - 1e-4 * seed),
                "gaps": {"reads": 50, "mean_ms": 2 * factor},
            },
            "streams": {
                "mean_active": 100
                * factor
                * (1 - change.get("per block", 0.0) * larger)
                * (
                    change.get(
                        f"{settings.get('replication.placement')} at "
                        f"{settings.get('server.disks')}",
                        1.0,
                    )
                )
            },
            "requests": {"arrived": 300, "accepted": 280},
            "disk_time": {
                "reserved_share": 0.9
                * (
                    change.get("mirroring random", 1.0)
                    if settings.get("replication.placement") == "random"
                    else 1.0
                ),
                "reserved_for_failure_share": 0.2
                * factor
                * change.get(f"for failure at {settings.get('server.disks')}", 1.0),
                "most_loaded_share": 0.99,
                "least_loaded_share": 0.85 - change.get("per block", 0.0) * larger,
            },
            "text": {
                "response_ms": {"mean": None if text is None else 100 * factor * text},
                "unfinished": 0,
                "unit_queue_ms": None if text is None else 5.0,
                "unit_service_ms": None if text is None else 8.0 * factor,
                "bursts": {"offered_bytes_per_s": change.get("offered", OFFERED)},
            },
            "video": whole_late,
            "disks": {"mean_utilisation": 0.5, "utilisation": [0.5] * 16},
            "failure": {
                "streams_hit": 1,
                "lost": 0,
                "late": change.get("late", 0),
                "stream_rounds": 1000,
                "used_share": 0.7,
                "reserved_share": 0.9,
            },
            "simulated": {
                phase: {
                    "busy_share": change.get("busy", 0.5),
                    "accounted_share": 0.534,
                    "reserved_share": change.get("reserved after", 0.594),
                    "lost": 0,
                    "late": change.get("late", 0),
                }
                for phase in ("before", "after")
            },
            "summary": {
                "batch_means_ms": [10.0 * factor + i for i in range(5)],
                **jobs_of(settings, change)["log"],
            },
            "jobs": jobs_of(settings, change)["jobs"],
        }

    def runs(point: Point, seeds: tuple[int, ...]) -> list[dict]:
        kept = before[point] if before is not None and point in before else ()
        if [one["seed"] for one in kept[: len(seeds)]] == list(seeds):
            return list(kept[: len(seeds)])
        settings = dict(point.settings)
        return [result(point, settings, seed) for seed in seeds]

    return Results({point: runs(point, seeds) for point, seeds in plan.batches})


def whole(module, **change: float) -> tuple[Plan, Results]:
    """The quick study's last plan, and made-up results of it."""
    plan = quick_plan(module)
    if module.STUDY.follow is None:
        return plan, made_up(plan, **change)
    results = Results({})
    while not results.has((plan := module.STUDY.follow(results, True)).batches):
        results = made_up(plan, results, **change)
    return plan, results


@functools.cache
def unchanged(module) -> tuple[Plan, Report]:
    """The last plan and the report of results in which nothing is changed."""
    plan, results = whole(module)
    return plan, module.report(results, True)


@functools.cache
def page_of(module) -> str:
    """The page of results in which nothing is changed."""
    return page.files(module.STUDY, *unchanged(module), True)["README.md"]


def claims_of(module, **change: float) -> dict[str, Claim]:
    if not change:
        claims = unchanged(module)[1].claims
    elif module is mixed_media:  # figures and tables take half of the time
        claims = mixed_media.claims(whole(module, **change)[1], True)
    else:
        claims = module.report(whole(module, **change)[1], True).claims
    return {claim.name: claim for claim in claims}


@functools.cache
def verdicts_of(module, **change: float) -> dict[str, Verdict]:
    """By default, by the claim's name."""
    return {name: claim.plain_verdict for name, claim in claims_of(module, **change).items()}


class ADriveThatMisses(unittest.TestCase):
    """The verdicts on gains, which are paired by seed."""

    Fate = drive_that_misses.Fate
    PERFECT: ClassVar = [0.40, 0.41, 0.39, 0.42, 0.38]

    def fate(self, *misses: float) -> drive_that_misses.Fate:
        return drive_that_misses.fate(self.PERFECT, list(misses))

    def scaled(self, share: float, noise: float = 0.0) -> drive_that_misses.Fate:
        return self.fate(*(share * gain + noise * (-1) ** i for i, gain in enumerate(self.PERFECT)))

    def test_the_share_of_a_gain_that_is_left_decides(self) -> None:
        for share, expected in (
            (1.2, self.Fate.SURVIVES),
            (0.76, self.Fate.SURVIVES),
            (0.74, self.Fate.SHRINKS),
            (0.26, self.Fate.SHRINKS),
            (0.24, self.Fate.ARTEFACT),
            (-0.5, self.Fate.ARTEFACT),
        ):
            self.assertIs(self.scaled(share), expected, share)

    def test_an_interval_that_contains_a_bound_decides_nothing(self) -> None:
        for share in (0.74, 0.76, 0.24, 0.26):
            self.assertIs(self.scaled(share, noise=0.05), self.Fate.OPEN, share)

    def test_runs_are_paired(self) -> None:
        """The gains of both drives overlap, but each seed loses a half."""
        perfect = [0.1, 0.2, 0.3, 0.4, 0.5]
        halves = [value / 2 for value in perfect]
        self.assertGreater(interval(halves).high, interval(perfect).low)
        self.assertIs(drive_that_misses.fate(perfect, halves), self.Fate.SHRINKS)
        self.assertIs(drive_that_misses.fate(perfect, halves[::-1]), self.Fate.OPEN)

    def test_what_is_no_gain_on_the_perfect_drive(self) -> None:
        none = [0.0] * 5
        for perfect, misses, expected in (
            (none, none, self.Fate.NONE),
            (none, [0.02, 0.021, 0.019, 0.02, 0.02], self.Fate.APPEARS),
            ([-0.1, -0.11, -0.1, -0.09, -0.1], none, self.Fate.NONE),
            (none, [-0.1, -0.11, -0.1, -0.09, -0.1], self.Fate.LOSES),
            (none, [0.02, -0.02, 0.02, -0.02, 0.01], self.Fate.NONE),
            ([0.02, -0.02, 0.02, -0.02, 0.01], none, self.Fate.NONE),
            ([math.nan] * 5, none, self.Fate.UNSTEADY),
            (none, [math.nan] * 5, self.Fate.UNSTEADY),
        ):
            self.assertIs(drive_that_misses.fate(perfect, misses), expected)

    def test_gains_of_what_is_good_and_of_what_is_bad(self) -> None:
        self.assertAlmostEqual(drive_that_misses.more(150, 100), 0.5)
        self.assertAlmostEqual(drive_that_misses.less(50, 100), 0.5)
        self.assertTrue(math.isnan(drive_that_misses.less(1, 0)))

    def test_a_bound_of_a_probability_from_a_count(self) -> None:
        """None of n: the rule of three. Else the probability at which so few are 5 % likely."""
        self.assertAlmostEqual(drive_that_misses.most_likely(0, 1000), -math.log(0.05) / 1000)
        bound = drive_that_misses.most_likely(2, 10_000)
        self.assertAlmostEqual(scipy.stats.poisson.cdf(2, 10_000 * bound), 0.05)

    def test_both_drives_have_the_same_runs_but_for_the_spread(self) -> None:
        """Each gain is of two variants under one load; with the same seeds on both drives."""
        plan = quick_plan(drive_that_misses)
        shapes = {suffix: set() for suffix in (drive_that_misses.PERFECT, drive_that_misses.MISSES)}
        for point in plan.points:
            drive = dict(point.settings).get("drive", "")
            swept = ("drive.mechanics.arrival_spread_us", "workload.discrete.rate_per_s")
            guard = dict(point.settings).get(swept[1]) == drive_that_misses.GUARD_RATE
            for suffix, found in shapes.items():
                if drive.endswith(suffix) and swept[0] not in dict(point.settings) and not guard:
                    other = tuple(
                        (key, value.removesuffix(suffix) if key == "drive" else value)
                        for key, value in point.settings
                    )
                    found.add((point.scenario, other, point.warmup_s, point.measure_s))
        one, other = shapes.values()
        self.assertEqual(one, other)
        self.assertGreater(len(one), 100)

    def test_the_report_follows_the_data(self) -> None:
        report = unchanged(drive_that_misses)[1]
        claims = {claim.name: claim for claim in report.claims}
        self.assertEqual(report.first[0].header[-3:], tuple(drive_that_misses.DRIVES))
        slower = claims_of(drive_that_misses, LOOK=0.5)
        self.assertIs(slower["sptf-look"].plain_verdict, Verdict.HOLDS)
        self.assertIs(claims["sptf-look"].plain_verdict, Verdict.FAILS)  # all policies are alike
        plan, results = whole(drive_that_misses, LOOK=0.5)
        text = page.page(
            drive_that_misses.STUDY, plan, drive_that_misses.report(results, True), True
        )
        self.assertIn(
            "| SPTF over LOOK | Random reads of 4 KB | throughput | 100.0 to 100.0 % "
            "| 100.0 to 100.0 % | survives | survives | survives |",
            text,
        )
        self.assertLess(text.index("## Which gains survive"), text.index("## Claims"))

    def found(self, name: str, *points: list[float]) -> list[drive_that_misses.Found]:
        """A gain at some points, the same on both drives but for the points' own values."""
        gain = next(one for one in drive_that_misses.GAINS if one.name == name)
        return [
            drive_that_misses.Found(gain, "Atlas 10K", str(depth), [0.0] * 5, values)
            for depth, values in zip((8, 32, 128), points, strict=False)
        ]

    def gain_claim(self, name: str, *points: list[float]) -> Claim:
        claims = drive_that_misses.gain_claims(self.found(name, *points))
        return next(claim for claim in claims if claim.name == name)

    GAIN: ClassVar = [0.05, 0.051, 0.049, 0.05, 0.05]
    LOSS: ClassVar = [-0.05, -0.051, -0.049, -0.05, -0.05]

    def test_a_gain_is_judged_at_every_steady_point_whatever_comes_out(self) -> None:
        """Of variants that are the same on the perfect drive, too."""
        open_point, unsteady = [0.02, -0.02, 0.02, -0.02, 0.01], [math.nan] * 5
        for points, expected, parts in (
            ((self.GAIN, self.GAIN), Verdict.HOLDS, 2),
            ((self.GAIN, self.LOSS), Verdict.FAILS, 2),
            ((self.GAIN, [0.0] * 5), Verdict.FAILS, 2),
            ((self.GAIN, open_point), Verdict.OPEN, 2),
            ((self.GAIN, unsteady), Verdict.HOLDS, 1),
            ((unsteady,), Verdict.OPEN, 0),
        ):
            claim = self.gain_claim("risk-sptf", *points)
            self.assertIs(claim.plain_verdict, expected, points)
            self.assertEqual(len(claim.parts), parts)
            self.assertIn(f"at {parts} steady points of {len(points)}", claim.quantity)

    def test_the_points_that_lose_are_named(self) -> None:
        rows = drive_that_misses.lost(self.found("risk-sptf", self.GAIN, self.LOSS)).rows
        self.assertEqual(
            [(row[3], row[4], row[-1]) for row in rows], [("Atlas 10K", "depth 32", "loses")]
        )

    def test_the_words_follow_the_data(self) -> None:
        _, results = whole(drive_that_misses)
        papers = spread_claims.paper_claims(results, True)

        def words(*points: list[float], kept: int = 0) -> str:
            with mock.patch.object(
                drive_that_misses, "_guard_counts", return_value=(1000, 70, kept)
            ):
                return "\n".join(
                    drive_that_misses.findings(
                        self.found("risk-sptf", *points), papers, results, True
                    )
                )

        self.assertIn("**Losses on the drives that miss**, 0 points: none.", words(self.GAIN))
        self.assertIn("Atlas 10K at depth 8: -5.0 ± 0.1 %", words(self.LOSS))
        self.assertIn("keeps every deadline of 1,000 requests", words(self.GAIN))
        self.assertIn("Of 1,000 requests of the streams 3 are late", words(self.GAIN, kept=3))
        self.assertIn("SATF-risk over SPTF (throughput)", words(self.GAIN))

    def test_no_outcome_is_in_the_fixed_text(self) -> None:
        """Each gain is named in the tables and in the computed words only."""
        text = drive_that_misses.INTRODUCTION
        for gain in drive_that_misses.GAINS:
            self.assertNotIn(gain.text, text)
        for word in ("keeps all", "survive:", "about half", "wins"):
            self.assertNotIn(word, text)

    def test_every_gain_rests_on_one_thing(self) -> None:
        listed = [name for names in drive_that_misses.RESTS_ON.values() for name in names]
        self.assertEqual(sorted(listed), sorted(gain.name for gain in drive_that_misses.GAINS))
        self.assertEqual(len(set(listed)), len(listed))

    def test_numbers_come_from_their_files(self) -> None:
        self.assertEqual(spread_claims.fitted_points("cheetah9lp"), "[[0, 49.9], [1, 116.7]]")
        for drive in spread_claims.MEASURED.values():
            points = json.loads(spread_claims.fitted_points(drive.profile))
            self.assertEqual([point[0] for point in points], [0, 1])
        self.assertLess(0.999, drive_that_misses.default_quantile())
        self.assertLess(drive_that_misses.default_quantile(), 1)
        self.assertEqual(drive_that_misses.ZERO_LATENCY_DRIVES, ("Atlas 10K",))

    def test_all_claims_of_the_papers_but_those_that_the_page_names(self) -> None:
        claims = unchanged(drive_that_misses)[1].claims
        found = {
            study: {claim.name.partition(": ")[2] for claim in own}
            for study, own in spread_claims.by_study(
                [claim for claim in claims if ": " in claim.name]
            ).items()
        }
        papers = {
            "mixed-media": mixed_media.paper_claims(),
            "on-real-drives": [
                one for one in on_real_drives._general() if one.name != "several-hundred-percent"
            ],
            "eager-writing": eager_writing.paper_claims(),
            "ew-array": [
                one for one in eager_writing.paper_claims() if not one.name.startswith("credit")
            ],
            "replicated-striping": replicated_striping.paper_claims(),
            "autoqos": [
                one for one in autoqos.claims(Results({})) if one.published != "not in the paper"
            ],
        }
        out = {spread_claims.NEAR_SATURATION}
        self.assertEqual(
            found.pop("integrated-servers"),
            {
                *("t-calibrated", "v", "heavy-text", "worse-corner", "twice"),
                *("bursty-faster", "bursty-factor"),
            },
        )
        self.assertEqual(
            found, {study: {one.name for one in own} - out for study, own in papers.items()}
        )
        for name in out:
            self.assertIn(name, drive_that_misses.INTRODUCTION)

    def test_every_claim_of_a_paper_has_runs_with_and_without_a_spread(self) -> None:
        """On the same load, but for the servers, whose load is a part of what they support."""
        claims = spread_claims.paper_claims(whole(drive_that_misses)[1], True)
        for claim in claims:
            self.assertTrue(claim.interpretations, claim.name)
            if claim.parts:  # where something is steady
                for parts in claim.interpretations.values():
                    self.assertEqual(len(parts), len(claim.parts), claim.name)

    def test_what_becomes_of_a_verdict(self) -> None:
        holds, fails, undecided = (
            part(low, high, below(1)) for low, high in ((0.5, 0.6), (1.5, 1.6), (0.9, 1.1))
        )
        for before, after, expected in (
            (holds, holds, (False, False, False)),
            (holds, fails, (True, False, False)),
            (fails, undecided, (False, True, False)),
            (undecided, holds, (False, False, True)),
            (undecided, undecided, (False, False, False)),
        ):
            found = spread_claims.change(claim(before, spread=after))
            self.assertEqual((bool(found.reversed_by), found.opened, found.decided), expected)
            self.assertEqual(found.none, not any(expected))

    def test_a_spread_touches_every_load_of_the_servers(self) -> None:
        (default, spread) = spread_claims._server_views(None)
        for view in (default, spread):
            view.samples(text_and_video.response, text_and_video.PARTITIONED, 100, 0)
            view.samples(text_and_video.late_units, text_and_video.INTEGRATED, 0, 50)
        settings = [dict(point.settings) for point in spread.points]
        self.assertEqual(len(settings), len(default.points))
        for one in settings:
            self.assertIn("drive.mechanics.arrival_spread_us", one)

    def test_the_front_is_that_of_the_controllers_that_keep_the_constraints(self) -> None:
        points = [(40.0, 0.7, 25.0, 0.0), (80.0, 0.7, 25.0, 0.0), (30.0, 0.7, 25.0, 0.0)]
        on_front = drive_that_misses.on_front
        self.assertEqual(on_front(points, [True, True, True]), [False, False, True])
        self.assertEqual(on_front(points, [True, True, False]), [True, False, False])
        stored = drive_that_misses.controllers()
        with drive_that_misses.FRONT.open(encoding="utf-8", newline="") as file:
            trials = [row["trial"] for row in csv.DictReader(file)]
        self.assertCountEqual([one.trial for one in stored], trials)
        self.assertTrue(all(dict(one.settings)["accelerator.clock_mhz"] for one in stored))


class Faults(unittest.TestCase):
    """What an error costs, as sums over sums."""

    def test_hiccups_per_error(self) -> None:
        _, results = whole(faults, **{"hiccups at 0 ms": 30, "hiccups at 1000 ms": 5})
        for system in faults.SYSTEMS:
            for limit, expected in (("0", 3.0), ("1000", 0.5), ("1", 0.0)):
                value = faults.cost(results, system, "light", limit, True)
                self.assertAlmostEqual(value.mean, expected)
                self.assertAlmostEqual(value.high, expected)  # every run is the same
        point = faults._point(faults.DRIVE, "heavy", "0", 100, True)
        self.assertEqual(faults.per_million(results, point, faults.hiccups).mean, 30_000)

    def test_without_errors_there_is_no_cost(self) -> None:
        _, results = whole(faults, errors=0)
        value = faults.cost(results, faults.DRIVE, "light", "0", True)
        self.assertTrue(math.isnan(value.mean))
        self.assertIs(verdicts_of(faults, errors=0)["no-limit"], Verdict.OPEN)
        self.assertIn("none: no data", "".join(faults.findings(results, True)))

    def test_verdicts_follow_the_data(self) -> None:
        late = {"hiccups at 0 ms": 30}
        self.assertIs(verdicts_of(faults, **late)["no-limit"], Verdict.HOLDS)
        self.assertIs(verdicts_of(faults)["no-limit"], Verdict.FAILS)
        self.assertIs(verdicts_of(faults, **late)["short-limit"], Verdict.HOLDS)
        self.assertIs(
            verdicts_of(faults, **late, **{"hiccups at 250 ms": 20})["short-limit"], Verdict.FAILS
        )
        self.assertIs(verdicts_of(faults, **{"hiccups at 1 ms": 1})["one-turn"], Verdict.FAILS)
        # None seen in n errors bounds them by 3 in n only.
        self.assertIs(verdicts_of(faults, errors=1)["one-turn"], Verdict.OPEN)
        self.assertIs(verdicts_of(faults, errors=100)["one-turn"], Verdict.HOLDS)
        self.assertIs(verdicts_of(faults)["mirror-reads"], Verdict.HOLDS)
        self.assertIs(verdicts_of(faults, failed=1)["mirror-reads"], Verdict.FAILS)

    def test_no_outcome_is_in_the_fixed_text(self) -> None:
        for word in ("hiccups per error are", "wins", "costs about", "of 10^6 continuous requests"):
            self.assertNotIn(word, faults.INTRODUCTION)


class Starvation(unittest.TestCase):
    """Random reads of which none may have ended."""

    def test_reads_of_a_log_are_counted_by_powers_of_two(self) -> None:
        took_ms = (0.5, 1, 3.9, 4, 999, 1000, 1001, 4096, 60_000)
        rows = [(6.0, took, "random") for took in took_ms]
        rows += [(4.9, 2000, "random"), (6.0, 2000, "stream")]  # in the warm-up, and another job's
        with tempfile.TemporaryDirectory() as name:
            log = Path(name) / "requests.csv"
            log.write_text(
                "number,issued_ps,completed_ps,job,late\n"
                + "".join(
                    f"{number},{at * 1e12:.0f},{at * 1e12 + took * 1e9:.0f},{job},0\n"
                    for number, (at, took, job) in enumerate(rows)
                )
            )
            found = random_reads.histogram(log)
        self.assertEqual((found["ended"], found["slow"]), (9, 3))
        expected = {0: 1, 1: 1, 2: 1, 3: 1, 10: 3, 13: 2}
        self.assertEqual(
            {number: count for number, count in enumerate(found["bins"]) if count}, expected
        )

    def test_points_are_distinct_and_set_a_key_once(self) -> None:
        for quick in (True, False):
            plan = starvation.plan(quick)
            self.assertEqual(len(plan.points), len(set(plan.points)))
            for point in plan.points:
                keys = [key for key, _ in point.settings]
                self.assertEqual(len(keys), len(set(keys)), point.settings)

    def test_a_read_that_never_ends_has_waited_for_the_run(self) -> None:
        _, results = whole(starvation)
        point = starvation.closed(starvation.TODAY, "4", starvation.NONE, True)
        run = results[point][0]
        self.assertTrue(math.isnan(starvation.p99(run)))
        self.assertEqual(starvation.longest_s(run), 65.0)
        self.assertTrue(math.isnan(starvation.slow_share(run)))
        self.assertEqual(starvation._cells(results, point)[1:6], ("–", "–", "–", "65", "–"))
        runs = 2 * len(list(starvation._waiting(True)))
        self.assertEqual(starvation.starved_runs(results, True), (runs, runs))
        self.assertEqual(starvation.bin_shares(results, point), [])

    def test_verdicts_follow_the_data(self) -> None:
        found = verdicts_of(starvation)
        for name in ("no-rule", "half-wait-for-the-limit", "limit-bounds", "depth-one"):
            self.assertIs(found[name], Verdict.HOLDS, name)
        self.assertIs(found["one-tag"], Verdict.FAILS)
        self.assertIs(found["two-tags"], Verdict.HOLDS)
        self.assertIs(found["deadline-kept"], Verdict.HOLDS)
        quick = verdicts_of(starvation, **{"random at depth 1": 30, "random at depth 4": 20})
        for name in ("no-rule", "half-wait-for-the-limit", "depth-one", "rule-before-policy"):
            self.assertIs(quick[name], Verdict.FAILS, name)
        self.assertIs(quick["one-tag"], Verdict.HOLDS)
        self.assertIs(quick["slower-stream"], Verdict.HOLDS)
        beyond = verdicts_of(starvation, **{"over the limit": 1.6})
        self.assertIs(beyond["limit-bounds"], Verdict.FAILS)
        self.assertIs(verdicts_of(starvation, **{"late reads": 1})["deadline-kept"], Verdict.FAILS)
        for rate, verdict in ((30, Verdict.HOLDS), (250, Verdict.FAILS)):
            self.assertIs(
                verdicts_of(starvation, **{"stream at depth 1": rate})["depth-one-price"], verdict
            )

    def test_the_words_and_the_table_of_reports_follow_the_data(self) -> None:
        _, results = whole(starvation, **{"random at depth 1": 30})
        best = starvation.fastest_stream(results, True)
        self.assertEqual(best[50], starvation.SHALLOW[0])  # the deadline of 50 ms ends at 50 ms
        self.assertEqual(best[100].keys, starvation.DEADLINES[0].keys)
        report = starvation.report(results, True)
        self.assertIn(
            "none of the measures", "".join(starvation.findings(whole(starvation)[1], True))
        )
        verdicts = {claim.name: claim.verdict_text() for claim in report.claims}
        table = report.first[-1]
        self.assertEqual(len(table.rows), len(starvation.REPORTS))
        for row in table.rows:
            self.assertEqual(row[-1], verdicts[row[2].strip("`")])

    def test_a_row_of_a_guest_is_what_fio_measured(self) -> None:
        def said(random_ios: int, error: int = 0) -> str:
            times = {"mean": 956e6, "max": 1_076e6}
            shares = {"50.000000": 1_036_000_000, "99.000000": 1_082_000_000}
            return "fio: a note\n" + json.dumps(
                {
                    "jobs": [
                        {
                            "jobname": name,
                            "error": error,
                            "read": {
                                "total_ios": ios,
                                "bw_bytes": 20_200_000,
                                "lat_ns": times,
                                "clat_ns": {"percentile": shares} if ios else {},
                            },
                        }
                        for name, ios in (("stream", 391), ("random", random_ios))
                    ]
                }
            )

        case = guest_starvation.CASES[1]
        times = ("956", "1,036", "1,082", "1,076")
        self.assertEqual(
            guest_starvation.row(case, said(21)), ("mq-deadline", "", "21", *times, "20.2")
        )
        self.assertEqual(guest_starvation.row(case, said(0))[2:7], ("0", *"––––"))
        for wrong in (said(21, error=5), "FAILED: fio", '{"jobs": []}'):
            with self.assertRaises(StudyFailed):
                guest_starvation.row(case, wrong)

    def test_the_guest_runs_each_case_under_its_scheduler(self) -> None:
        text = guest_starvation.text(seconds=7)
        for number, case in enumerate(guest_starvation.CASES):
            part = text[text.index(f"part case{number}\n") :].split("cat /tmp/fio")[0]
            self.assertIn(f"echo {case.scheduler} > /sys/block/sda/queue/scheduler", part)
            self.assertIn(f"grep -q '\\[{case.scheduler}\\]'", part)
            self.assertIn(f"--iodepth=1 {case.random}", part)
            self.assertIn(f"--size=20% {case.stream}", part)
            self.assertIn("--runtime=7", part)

    def test_no_outcome_is_in_the_fixed_text(self) -> None:
        for word in ("MB/s instead", "does not hold", "median", "no random read ends"):
            self.assertNotIn(word, starvation.INTRODUCTION)


class Studies(unittest.TestCase):
    def test_every_study_writes_a_page_and_all_it_names(self) -> None:
        for module in STUDIES:
            with self.subTest(study=module.STUDY.name):
                report = unchanged(module)[1]
                for claim in report.claims:
                    self.assertIn(f"| {claim.name} |", page_of(module))
                for chart in report.charts:
                    self.assertIn(f"({chart.file})", page_of(module))
                self.assertEqual(len({claim.name for claim in report.claims}), len(report.claims))

    def test_the_pages_in_the_project_have_the_words_of_the_studies(self) -> None:
        for module in STUDIES:
            text = (module.STUDY.folder / "README.md").read_text(encoding="utf-8")
            self.assertTrue(
                module.STUDY.introduction.strip() in text,
                f"{module.STUDY.name}: another introduction",
            )
            self.assertTrue(
                page.INTERVALS in text, f"{module.STUDY.name}: another explanation of intervals"
            )

    def test_the_pages_say_where_a_criterion_and_its_sentence_differ(self) -> None:
        """As the study writes it from the means beside the page."""
        for module in (
            mixed_media,
            eager_writing,
            replicated_striping,
            autoqos,
            integrated_servers,
        ):
            with self.subTest(study=module.STUDY.name):
                files = {}
                for file in module.STUDY.folder.glob("*means.csv.gz"):
                    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
                        files[file.name] = list(csv.DictReader(lines))
                means = differences.Means(files)
                text = (module.STUDY.folder / "README.md").read_text(encoding="utf-8")
                section = page.differences_section(module.STUDY, means)
                self.assertTrue(f"\n{section}\n## Interpretations\n" in text, "another section")
                self.assertNotIn(differences.NO_DATA, section)
                self.assertLessEqual(len(section.splitlines()), 45)
                for row in module.STUDY.differences(means).rows:
                    for name in row.claims.split("; "):
                        self.assertIn(f"| {name} |", text)

    def test_a_mean_is_that_of_one_row(self) -> None:
        rows = [{"policy": "a", "load": "1", "x": "2.5"}, {"policy": "a", "load": "2", "x": ""}]
        means = differences.Means({"means.csv.gz": rows})
        self.assertEqual(means.value("x", policy="a", load=1), 2.5)
        for load in (2, 3):
            self.assertEqual(
                differences.decimals(means.value("x", policy="a", load=load)), differences.NO_DATA
            )
        with self.assertRaisesRegex(ValueError, "2 rows"):
            means.value("x", policy="a")

    def test_interpretations_with_fewer_runs_than_the_default_are_judged(self) -> None:
        """Points that both have are compared over the runs that both have.
        Quick plans have as many of each."""
        claims = replicated_striping.report(made_up(replicated_striping.plan(False)), False).claims
        claim = next(claim for claim in claims if claim.name == "mirroring-halves")
        self.assertEqual(
            {part.value.runs for part in claim.parts}, {len(replicated_striping.SEEDS)}
        )
        self.assertEqual(
            {part.value.runs for part in claim.interpretations["ascending"]},
            {len(replicated_striping.INTERPRETED_SEEDS)},
        )

    def test_a_failure_is_judged_by_what_is_to_be_expected_of_it(self) -> None:
        """One run in which nothing is late refutes no sentence on what a failure does; one in which
        something is late refutes "never"."""
        plan = replicated_striping.plan(False)
        by_seed = {late: made_up(plan, late=late) for late in (0, 3)}
        mixed = Results(
            {
                point: [by_seed[0 if i == 0 else 3][point][i] for i in range(len(seeds))]
                for point, seeds in plan.batches
            }
        )
        verdicts = {
            claim.name: claim.plain_verdict
            for claim in replicated_striping.report(mixed, False).claims
        }
        for name in ("disks-unguarded", "failure-unguarded"):
            self.assertIs(verdicts[name], Verdict.HOLDS)
        for name in ("disks-guarded", "failure-guarded"):
            self.assertIs(verdicts[name], Verdict.FAILS)

    def test_pages_list_their_papers_sentences(self) -> None:
        for module, claims in (
            (integrated_servers, integrated_servers.claims()),
            (replicated_striping, replicated_striping.paper_claims()),
        ):
            listed = {name for names, _, _ in module.SENTENCES for name in names.split("; ")}
            self.assertEqual(
                listed, {claim.name for claim in claims if not claim.name.startswith("own-")}
            )
            for _, _, sentence in (*module.SENTENCES, *module.NOT_JUDGED):
                self.assertIn(sentence, page_of(module))

    def test_the_names_in_the_table_are_the_studies(self) -> None:
        self.assertEqual({module.STUDY.name for module in STUDIES}, set(reproduce.STUDIES))

    def verdict(self, module, name: str, **change: float) -> Verdict:
        return verdicts_of(module, **change)[name]

    def test_verdicts_on_servers_follow_the_data(self) -> None:
        self.assertIs(self.verdict(integrated_servers, "heavy-text", integrated=0.5), Verdict.HOLDS)
        self.assertIs(self.verdict(integrated_servers, "heavy-text", integrated=1.5), Verdict.FAILS)
        self.assertIs(
            self.verdict(integrated_servers, "bursty-factor", integrated=1 / 6), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(integrated_servers, "bursty-factor", integrated=0.5), Verdict.FAILS
        )
        self.assertIs(
            self.verdict(integrated_servers, "significantly-better", integrated=0.5), Verdict.HOLDS
        )
        self.assertIs(self.verdict(integrated_servers, "significantly-better"), Verdict.FAILS)
        self.assertIs(self.verdict(integrated_servers, "slightly-worse"), Verdict.HOLDS)
        self.assertIs(
            self.verdict(integrated_servers, "slightly-worse", integrated=1.5), Verdict.FAILS
        )
        self.assertIs(self.verdict(integrated_servers, "elevator-video"), Verdict.FAILS)
        self.assertIs(self.verdict(integrated_servers, "satf-video"), Verdict.FAILS)
        self.assertIs(self.verdict(integrated_servers, "cello-isolates"), Verdict.HOLDS)
        mean = 83.91 * 1024
        harmful = {
            f"bursts under {policy}": 0.002 for policy in ("LOOK", "SPTF(unguarded)", "CELLO")
        }
        harmful["integrated video"] = 102.0  # late as the partitioned server's
        harmful["offered"] = (12.51 * mean, *[mean * (2048 - 12.51) / 2047] * 2047)  # as recorded
        self.assertIs(self.verdict(integrated_servers, "elevator-video", **harmful), Verdict.HOLDS)
        self.assertIs(self.verdict(integrated_servers, "satf-video", **harmful), Verdict.HOLDS)
        self.assertIs(self.verdict(integrated_servers, "cello-isolates", **harmful), Verdict.FAILS)
        self.assertIs(
            self.verdict(integrated_servers, "elevator-video", late=5.0),
            Verdict.FAILS,
            "what is late without text is not the bursts' doing",
        )
        self.assertIs(self.verdict(integrated_servers, "satf-text", integrated=1.5), Verdict.HOLDS)
        self.assertIs(self.verdict(integrated_servers, "satf-text", integrated=0.5), Verdict.FAILS)
        self.assertIs(self.verdict(integrated_servers, "heavy-video", **harmful), Verdict.HOLDS)
        self.assertIs(
            self.verdict(integrated_servers, "heavy-video"),
            Verdict.FAILS,
            "none late is not comparable with 1 %",
        )
        self.assertIs(self.verdict(integrated_servers, "marginal", **harmful), Verdict.HOLDS)
        self.assertIs(
            self.verdict(integrated_servers, "marginal"),
            Verdict.FAILS,
            "a whole point follows from what V is",
        )
        self.assertEqual(
            [
                self.verdict(
                    integrated_servers,
                    "heavy-both",
                    **{"integrated video": 102.0, "more late": more},
                )
                for more in (0.004, 0.02)
            ],
            [Verdict.HOLDS, Verdict.FAILS],
        )
        self.assertIs(
            self.verdict(integrated_servers, "text-gains-more", integrated=0.5), Verdict.HOLDS
        )
        self.assertIs(self.verdict(integrated_servers, "text-gains-more"), Verdict.FAILS)
        self.assertIs(
            self.verdict(integrated_servers, "larger-differences", integrated=0.5), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(integrated_servers, "larger-differences", integrated=1.5), Verdict.FAILS
        )
        self.assertIs(self.verdict(integrated_servers, "trace-peak"), Verdict.FAILS)
        for name in ("trace-mean", "trace-peak"):
            self.assertIs(self.verdict(integrated_servers, name, **harmful), Verdict.HOLDS)
        region = {claim.name: claim for claim in unchanged(integrated_servers)[1].claims}
        for name in (
            "most-of-the-region",
            "significantly-better",
            "slightly-worse",
            "marginal",
            "text-gains-more",
        ):
            self.assertTrue(
                all(one.value.runs > 1 for one in region[name].parts), f"{name}: no interval"
            )
        self.assertIs(
            self.verdict(integrated_servers, "joint-loss", integrated=1.05), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(integrated_servers, "joint-loss", integrated=0.995),
            Verdict.FAILS,
            "no loss",
        )
        self.assertIs(
            self.verdict(integrated_servers, "text-near-ideal", integrated=1.05 / 2), Verdict.HOLDS
        )
        self.assertIs(self.verdict(integrated_servers, "text-near-ideal"), Verdict.FAILS)
        self.assertIs(self.verdict(integrated_servers, "twice", integrated=1.05 / 2), Verdict.HOLDS)
        self.assertIs(self.verdict(integrated_servers, "heavy-both"), Verdict.FAILS)
        for server in ("integrated", "partitioned"):
            self.assertIs(
                self.verdict(integrated_servers, f"bursty-violations-{server}"), Verdict.HOLDS
            )
            self.assertIs(
                self.verdict(integrated_servers, f"bursty-violations-{server}", late=5.0),
                Verdict.FAILS,
            )
        self.assertIs(
            self.verdict(integrated_servers, "partition-size", integrated=0.5), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(integrated_servers, "partition-size", integrated=1.5), Verdict.FAILS
        )
        self.assertIs(self.verdict(integrated_servers, "service-independent"), Verdict.HOLDS)
        self.assertIs(self.verdict(integrated_servers, "queueing-governs"), Verdict.FAILS)
        self.assertIs(
            self.verdict(integrated_servers, "expected-gain", integrated=0.5), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(integrated_servers, "expected-gain", integrated=1.5), Verdict.FAILS
        )
        self.assertIs(
            self.verdict(integrated_servers, "expected-share", integrated=0.5), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(integrated_servers, "expected-share", integrated=1.5), Verdict.FAILS
        )
        self.assertIs(self.verdict(integrated_servers, "own-slack"), Verdict.FAILS)

    def test_verdicts_follow_the_data(self) -> None:
        self.assertIs(self.verdict(mixed_media, "sptf-faster", SPTF=0.8), Verdict.HOLDS)
        self.assertIs(self.verdict(mixed_media, "sptf-faster", SPTF=1.2), Verdict.FAILS)
        self.assertIs(self.verdict(mixed_media, "c-share"), Verdict.HOLDS)
        self.assertIs(self.verdict(mixed_media, "projected-c-share"), Verdict.FAILS)
        self.assertIs(self.verdict(mixed_media, "no-hiccup"), Verdict.HOLDS)
        self.assertIs(self.verdict(mixed_media, "tps-clustered", **{TPS_OPT: 0.94}), Verdict.HOLDS)
        self.assertIs(self.verdict(mixed_media, "tps-clustered", **{TPS_OPT: 0.997}), Verdict.FAILS)
        self.assertIs(self.verdict(mixed_media, "opt-over-greedy", **{CI_OPT: 0.98}), Verdict.HOLDS)
        self.assertIs(self.verdict(mixed_media, "opt-over-greedy", **{CI_OPT: 1.1}), Verdict.FAILS)
        self.assertIs(self.verdict(mixed_media, "steady-state"), Verdict.HOLDS)
        self.assertIs(self.verdict(mixed_media, "longer-clusters"), Verdict.HOLDS)
        self.assertIs(
            self.verdict(mixed_media, "longer-clusters", **{"OPS:SCAN/CLUST-REQ(10)": 0.9}),
            Verdict.FAILS,
        )
        self.assertIs(self.verdict(mixed_media, "sptf-best-flat", SPTF=0.9), Verdict.HOLDS)
        self.assertIs(
            self.verdict(mixed_media, "sptf-best-flat", SPTF=0.9, LOOK=0.8), Verdict.FAILS
        )
        self.assertIs(
            self.verdict(mixed_media, "sptf-best-flat", SPTF=0.9, RR=0.8),
            Verdict.HOLDS,
            "the paper knows no round robin of the classes",
        )
        self.assertIn(
            "round robin, too",
            claims_of(mixed_media, SPTF=0.9, RR=0.8)["sptf-best-flat"].contrary(),
        )
        self.assertIs(
            self.verdict(mixed_media, "n15"),
            Verdict.OPEN,
            "nothing is improved, so nothing can be at the cost of fairness",
        )
        self.assertIs(self.verdict(mixed_media, "n15", **{TPS_OPT: 0.97}), Verdict.HOLDS)
        self.assertIs(self.verdict(mixed_media, "fairness-kept", **{TPS_OPT: 0.97}), Verdict.HOLDS)
        self.assertIs(self.verdict(mixed_media, "fairness-kept", **{TPS_OPT: 0.94}), Verdict.FAILS)
        self.assertIs(
            self.verdict(mixed_media, "fairness-kept", **{TPS_OPT: 1.2}),
            Verdict.OPEN,
            "where the mean is not lower there is nothing to judge",
        )
        self.assertEqual(
            claims_of(mixed_media, **{TPS_OPT: 0.97, CI_OPT: 0.9})["fairness-kept"].contrary(),
            ["one phase over two"],
        )
        self.assertIs(
            self.verdict(mixed_media, "several-hundred-percent", **{TPS_SCAN: 3.3}), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(mixed_media, "several-hundred-percent", **{TPS_SCAN: 2.9}), Verdict.FAILS
        )
        self.assertIs(
            self.verdict(mixed_media, "scan-in-intervals", **{mixed_media.CI_SCAN: 1.1}),
            Verdict.HOLDS,
        )
        self.assertIs(self.verdict(mixed_media, "scan-in-intervals"), Verdict.FAILS)
        self.assertIs(
            self.verdict(mixed_media, "intervals-larger"),
            Verdict.FAILS,
            "with ten that wait a cluster reaches over 5 * 26 / 36 intervals",
        )
        self.assertIs(
            self.verdict(mixed_media, "intervals-larger", **{f"waits under {CLUST_REQ}": 11.0}),
            Verdict.HOLDS,
        )
        self.assertIs(
            self.verdict(mixed_media, "famish-unserved"),
            Verdict.FAILS,
            "as many wait as under the others",
        )
        self.assertIs(
            self.verdict(mixed_media, "famish-unserved", **{"waits under OPS:FAMISH": 1.2}),
            Verdict.HOLDS,
        )
        self.assertIs(
            self.verdict(mixed_media, "projected-faster-by", **{CLUST_REQ: 0.7}),
            Verdict.HOLDS,
            "more than the paper's gain",
        )
        self.assertIs(
            self.verdict(mixed_media, "projected-faster-by", **{CLUST_REQ: 0.95}), Verdict.FAILS
        )
        self.assertIs(
            self.verdict(mixed_media, "projected-fairer-by", **{CLUST_REQ: 1.6}), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(mixed_media, "projected-fairer-by", **{CLUST_REQ: 1.2}), Verdict.FAILS
        )
        self.assertIs(self.verdict(mixed_media, "fairer-by", **{CLUST_REQ: 1.6}), Verdict.HOLDS)
        self.assertIs(
            self.verdict(mixed_media, "projected-better", **{CLUST_REQ: 0.7}),
            Verdict.FAILS,
            "not better, the same",
        )
        both = beyond_clusters.BOTH
        better = {both: 0.3, beyond_clusters.FAST: 0.9}
        for disk in ("table1", "projected"):
            self.assertIs(self.verdict(beyond_clusters, f"{disk}-light"), Verdict.FAILS)
            self.assertIs(self.verdict(beyond_clusters, f"{disk}-light", **better), Verdict.HOLDS)
            self.assertIs(
                self.verdict(beyond_clusters, f"{disk}-light-fair", **{both: 1.5}), Verdict.HOLDS
            )
            # Cello and aged SPTF are opponents, too:
            # the best of each, and for fairness if it is no slower than clusters.
            self.assertIs(
                self.verdict(beyond_clusters, f"{disk}-light", **better, **{"CELLO(1|4|0)": 0.2}),
                Verdict.FAILS,
            )
            self.assertIs(
                self.verdict(beyond_clusters, f"{disk}-light", **better, **{"ASPTF(0.3)": 0.2}),
                Verdict.FAILS,
            )
            self.assertIs(
                self.verdict(
                    beyond_clusters, f"{disk}-light-fair", **{both: 1.5, "CELLO(1|4|0)": 1.6}
                ),
                Verdict.HOLDS,
            )
            self.assertIs(
                self.verdict(beyond_clusters, f"{disk}-light-index", **{both: 1.5}), Verdict.HOLDS
            )
            self.assertIs(
                self.verdict(beyond_clusters, f"{disk}-middle-fair", **better), Verdict.FAILS
            )
            self.assertIs(self.verdict(beyond_clusters, f"{disk}-heavy", **better), Verdict.HOLDS)
            self.assertIs(self.verdict(beyond_clusters, f"{disk}-heavy", SPTF=0.8), Verdict.FAILS)
            # The opponent is the faster one of two SPTFs and the clusters.
            self.assertIs(
                self.verdict(beyond_clusters, f"{disk}-heavy", **better, **{"SPTF(next-C)": 0.8}),
                Verdict.FAILS,
            )
            self.assertIs(
                self.verdict(beyond_clusters, f"{disk}-heavy", **better, **{CLUST_REQ: 0.8}),
                Verdict.FAILS,
            )
        self.assertIs(self.verdict(beyond_clusters, "engine-response"), Verdict.HOLDS)
        hybrid = {"FreeBW-Hybrid": 1.05}
        self.assertIs(self.verdict(eager_writing, "hybrid-best", **hybrid), Verdict.HOLDS)
        self.assertIs(self.verdict(eager_writing, "hybrid-slightly", **hybrid), Verdict.HOLDS)
        self.assertIs(self.verdict(eager_writing, "hybrid-best", **{"SATF-EW": 1.1}), Verdict.FAILS)
        for name in ("modest-reads", "modest-reads-throughout"):
            self.assertIs(self.verdict(eager_writing, name, **hybrid), Verdict.HOLDS)
            self.assertIs(self.verdict(eager_writing, name, **{"SATF-EW": 1.1}), Verdict.FAILS)
        for name, factor in (("penalizes-writes", 1.2), ("little-free-bandwidth", 0.8)):
            self.assertIs(
                self.verdict(eager_writing, name, **{"FreeBW-SATF": factor}), Verdict.HOLDS
            )
            self.assertIs(
                self.verdict(eager_writing, name, **{"FreeBW-SATF": 1 / factor}), Verdict.FAILS
            )
        # Throughput and a write's response are as the factor: with so many more writes a second
        # FreeBW-SATF is not similar by throughput.
        between = {"FreeBW-SATF": 4.0, "FreeBW-SCAN": 0.5, "Read-First": 8.0}
        self.assertIs(self.verdict(eager_writing, "freebw-satf-read-first"), Verdict.HOLDS)
        self.assertIs(
            self.verdict(eager_writing, "freebw-satf-read-first", **between), Verdict.FAILS
        )
        self.assertEqual(
            claims_of(eager_writing, **between)["freebw-satf-read-first"].contrary(),
            ["by what reads and writes get"],
        )
        self.assertEqual(
            claims_of(eager_writing, **{**between, "FreeBW-SATF": 1.0})[
                "freebw-satf-read-first"
            ].contrary(),
            [],
        )
        self.assertIs(
            self.verdict(eager_writing, "better-balanced", **{"FreeBW-SCAN": 0.8}), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(eager_writing, "better-balanced", **{"FreeBW-SCAN": 0.2}),
            Verdict.FAILS,
            "a read waits longer than a write",
        )
        self.assertIs(self.verdict(eager_writing, "little-rotational-time"), Verdict.FAILS)
        self.assertIs(self.verdict(eager_writing, "hybrid-masks"), Verdict.HOLDS)
        self.assertIs(self.verdict(eager_writing, "hybrid-masks", hidden=80), Verdict.FAILS)
        self.assertIs(
            self.verdict(ew_array, f"{ew_array.TWO_COPIES}: hybrid-best", **hybrid), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(ew_array, f"{ew_array.TWO_COPIES}: hybrid-best", **{"SATF-EW": 1.1}),
            Verdict.FAILS,
        )
        self.assertIs(
            self.verdict(on_real_drives, "atlas10k: sptf-faster", SPTF=0.8), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(replicated_striping, "mirroring-halves", mirroring=0.5), Verdict.HOLDS
        )
        self.assertIs(self.verdict(replicated_striping, "mirroring-halves"), Verdict.FAILS)
        self.assertIs(
            self.verdict(replicated_striping, "minimum-below-20", minimum=0.85), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(replicated_striping, "minimum-below-20", minimum=0.75), Verdict.FAILS
        )
        self.assertIs(
            self.verdict(replicated_striping, "balancing-gain", **{"dynamic-balancing": 1.07}),
            Verdict.HOLDS,
        )
        self.assertIs(self.verdict(replicated_striping, "threshold"), Verdict.HOLDS)
        self.assertIs(self.verdict(replicated_striping, "failure-guarded"), Verdict.HOLDS)
        self.assertIs(self.verdict(replicated_striping, "failure-guarded", late=1), Verdict.FAILS)
        self.assertIs(self.verdict(replicated_striping, "failure-unguarded", late=1), Verdict.HOLDS)
        self.assertIs(self.verdict(replicated_striping, "failure-unguarded"), Verdict.FAILS)
        self.assertIs(
            self.verdict(replicated_striping, "unguarded-capacity", late=1), Verdict.FAILS
        )
        self.assertIs(
            self.verdict(replicated_striping, "unguarded-capacity", late=200), Verdict.HOLDS
        )
        self.assertIs(self.verdict(replicated_striping, "third-at-4", minimum=5 / 3), Verdict.HOLDS)
        self.assertIs(self.verdict(replicated_striping, "third-at-4"), Verdict.FAILS)
        self.assertIs(self.verdict(replicated_striping, "fraction-drops"), Verdict.FAILS)
        self.assertIs(
            self.verdict(
                replicated_striping,
                "fraction-drops",
                **{"for failure at 8": 0.8, "for failure at 16": 0.6},
            ),
            Verdict.HOLDS,
        )
        self.assertIs(self.verdict(replicated_striping, "gap-grows"), Verdict.HOLDS)
        self.assertIs(
            self.verdict(replicated_striping, "gap-grows", **{"reserved after": 0.534}),
            Verdict.FAILS,
        )
        for name in ("larger-blocks", "larger-blocks-balance", "figure-12-mirrors-11"):
            self.assertIs(
                self.verdict(replicated_striping, name, **{"per block": 0.01}), Verdict.HOLDS, name
            )
            self.assertIs(
                self.verdict(replicated_striping, name, **{"per block": -0.01}),
                Verdict.HOLDS if "mirrors" in name else Verdict.FAILS,
                name,
            )
        self.assertIs(
            self.verdict(replicated_striping, "figure-12-mirrors-11"),
            Verdict.OPEN,
            "without any variation",
        )
        self.assertIs(self.verdict(replicated_striping, "measured-normal"), Verdict.HOLDS)
        self.assertIs(self.verdict(replicated_striping, "measured-failed"), Verdict.HOLDS)
        for name in (
            "measured-normal",
            "measured-failed",
        ):  # all that the disks are busy is compared with all that is reserved on them
            self.assertEqual(
                {*claims_of(replicated_striping)[name].interpretations}
                - {interpretation.name for interpretation in replicated_striping.INTERPRETATIONS},
                {"without full seeks"},
            )
        self.assertAlmostEqual(replicated_striping.FULL_SEEKS, 2 * 0.0182)
        self.assertIs(
            self.verdict(replicated_striping, "measured-failed", busy=0.48), Verdict.HOLDS
        )
        self.assertIs(
            self.verdict(replicated_striping, "measured-failed", busy=0.46), Verdict.FAILS
        )
        # Under mirroring what counts is what simulated disks are busy,
        # not what the formula says of the reads.
        self.assertIs(
            self.verdict(replicated_striping, "failure-mirroring-unused", busy=0.36), Verdict.HOLDS
        )
        self.assertIs(self.verdict(replicated_striping, "failure-mirroring-unused"), Verdict.FAILS)
        unused = claims_of(replicated_striping, busy=0.36)["failure-mirroring-unused"]
        self.assertAlmostEqual(unused.interpretations["by formula"][0].value.mean, 0.2)
        self.assertAlmostEqual(unused.interpretations["without full seeks"][0].value.mean, 0.234)
        self.assertAlmostEqual(
            unused.interpretations["of what is reserved"][0].value.mean, 0.2704 / 0.6304
        )
        self.assertEqual(unused.contrary(), ["by formula", "of what is reserved"])
        self.assertIs(
            self.verdict(replicated_striping, "mirroring-reserved", **{"mirroring random": 0.8}),
            Verdict.HOLDS,
        )
        self.assertIs(self.verdict(replicated_striping, "mirroring-reserved"), Verdict.FAILS)
        self.assertIs(self.verdict(replicated_striping, "declustering-best"), Verdict.HOLDS)
        self.assertIs(
            self.verdict(replicated_striping, "declustering-best", **{"random at 8": 0.9}),
            Verdict.FAILS,
        )
        self.assertIs(
            self.verdict(
                replicated_striping,
                "minimum-placement",
                **{"random at 4": 1 / 1.15, "random at 32": 1 / 1.03},
            ),
            Verdict.HOLDS,
        )
        self.assertIs(self.verdict(replicated_striping, "minimum-placement"), Verdict.FAILS)
        drops = claims_of(replicated_striping)["minimum-placement"].parts[-1]
        self.assertEqual((drops.label, drops.verdict), ("4 disks less 32", Verdict.FAILS))
        even = {"deterministic at 32": 1.005, "random at 32": 1.005}
        self.assertIs(
            self.verdict(replicated_striping, "balancing-more-disks", **even),
            Verdict.FAILS,
            "half a percent is a tie",
        )
        self.assertIs(
            self.verdict(
                replicated_striping,
                "balancing-more-disks",
                **{"deterministic at 32": 1.05, "random at 32": 1.05},
            ),
            Verdict.HOLDS,
        )
        self.assertIs(self.verdict(autoqos, "inherited-rate"), Verdict.FAILS)
        self.assertIs(
            self.verdict(integrated_servers, "smaller-increase", integrated=0.995), Verdict.FAILS
        )
        self.assertIs(
            self.verdict(integrated_servers, "smaller-increase", integrated=0.5), Verdict.HOLDS
        )
        self.assertIs(self.verdict(replicated_striping, "disks-guarded"), Verdict.HOLDS)
        self.assertIs(self.verdict(replicated_striping, "disks-guarded", late=1), Verdict.FAILS)
        self.assertIs(self.verdict(replicated_striping, "disks-unguarded", late=1), Verdict.HOLDS)
        self.assertIs(self.verdict(autoqos, "sequential", alone=27.6), Verdict.HOLDS)
        self.assertIs(self.verdict(autoqos, "sequential", alone=25.0), Verdict.FAILS)
        self.assertIs(self.verdict(autoqos, "default-inactive"), Verdict.HOLDS)
        self.assertIs(
            self.verdict(autoqos, "default-inactive", **{"limited from": 20}), Verdict.FAILS
        )
        self.assertIs(self.verdict(autoqos, "default-unchanged"), Verdict.HOLDS)
        self.assertIs(
            self.verdict(autoqos, "default-unchanged", **{"best-effort with": 0.9}), Verdict.FAILS
        )
        self.assertIs(self.verdict(autoqos, "half-without"), Verdict.FAILS)
        self.assertIs(
            self.verdict(
                autoqos, "half-without", **{"multimedia without": 0.5, "best-effort without": 0.5}
            ),
            Verdict.HOLDS,
        )
        self.assertIs(
            self.verdict(
                autoqos, "half-without", **{"multimedia without": 0.5, "best-effort without": 0.4}
            ),
            Verdict.FAILS,
        )
        self.assertIs(self.verdict(autoqos, "multimedia-8"), Verdict.HOLDS)
        self.assertIs(
            self.verdict(autoqos, "multimedia-8", **{"multimedia with": 0.9}), Verdict.FAILS
        )
        self.assertIs(
            self.verdict(autoqos, "best-effort-2.5", **{"best-effort with": 2.5 / 8}), Verdict.HOLDS
        )
        self.assertIs(self.verdict(autoqos, "rate-again"), Verdict.HOLDS)
        self.assertIs(self.verdict(autoqos, "rate-again", **{"from 120 s": 0.5}), Verdict.FAILS)
        self.assertIs(
            self.verdict(autoqos, "short-adjustment", **{"from 120 s": 0.5}), Verdict.FAILS
        )
        self.assertIs(self.verdict(autoqos, "slack"), Verdict.FAILS)
        self.assertIs(self.verdict(autoqos, "slack", **{"from 60 s": 1.2}), Verdict.HOLDS)
        self.assertIs(self.verdict(autoqos, "regain", **{"from 120 s": 0.8}), Verdict.FAILS)

    def test_an_unstable_point_has_neither_mean_nor_ratio(self) -> None:
        load = Load(Path("x.toml"), (5, 65), 10)
        plan = Plan(tuple(load.points((SPTF, TPS_SCAN))), (1, 2))
        results = made_up(plan)
        for result in results[load.point(TPS_SCAN, 65)]:
            result["classes"]["discrete"]["backlog"]["parts"] = [10.0 * i for i in range(20)]
        view = View(results, load, (SPTF, TPS_SCAN))
        self.assertIs(view.trend(TPS_SCAN, 65), Trend.UNSTABLE)
        self.assertEqual(view.heaviest((SPTF,)), 65)
        self.assertEqual(view.heaviest((SPTF, TPS_SCAN)), 5)
        for one, other in ((SPTF, TPS_SCAN), (TPS_SCAN, SPTF)):
            self.assertEqual(
                [part.label for part in view.response(one, other, below(1))],
                [f"{one} / {other}, λ = 5"],
            )
        self.assertEqual(len(view.fairness(SPTF, TPS_SCAN, above(1))), 1)
        self.assertIsNone(view.series((TPS_SCAN,), lambda result: 1.0)[0].y[1])
        self.assertEqual(view.table("t").rows[1][2], "unstable: 20.0 % never served")
        # Held against it, another one has a ratio only where both are steady, at the rates of both.
        other = Load(Path("y.toml"), (5, 35, 65), 10)
        beside = View(
            made_up(Plan(tuple(other.points((SPTF, TPS_SCAN))), (1, 2))), other, (SPTF, TPS_SCAN)
        ).beside(view)
        self.assertEqual(beside.rates, (5, 65))
        self.assertEqual(
            [part.label for part in beside.response(SPTF, TPS_SCAN, below(1))],
            [f"{SPTF} / {TPS_SCAN}, λ = 5"],
        )
        self.assertEqual(beside.heaviest((SPTF,)), 65)
        for seed, result in enumerate(results[load.point(SPTF, 65)]):
            result["classes"]["discrete"]["backlog"]["parts"] = (
                [10.0 * i for i in range(20)] if seed else [10.0] * 20
            )
        view = View(results, load, (SPTF, TPS_SCAN))
        self.assertEqual(view.table("t").rows[1][1], "not shown to be steady")
        self.assertIsNone(view.steady(SPTF, 65, lambda result: 1.0))

    def test_steady_state_is_asked_for_where_there_is_one(self) -> None:
        def steady_state(parts: list[list[float]]) -> Claim:
            results = whole(mixed_media)[1]
            for seed, result in enumerate(
                results[mixed_media.papers_loads(True)["table1"].point(TPS_SCAN, 65)]
            ):
                result["classes"]["discrete"]["backlog"]["parts"] = parts[seed % len(parts)]
            return next(
                claim for claim in mixed_media.claims(results, True) if claim.name == "steady-state"
            )

        grows, even = [10.0 * i for i in range(20)], [10.0] * 20
        self.assertEqual(
            (steady_state([grows]).plain_verdict, steady_state([grows]).contrary()),
            (Verdict.HOLDS, ["overloaded points too"]),
        )
        self.assertIs(steady_state([grows, even]).plain_verdict, Verdict.FAILS)
        self.assertIs(steady_state([even]).verdict, Verdict.HOLDS)

    def test_beside_fewer_continuous_requests_loads_are_parts_of_what_is_left(self) -> None:
        self.assertEqual([mixed_media.low_and_medium(streams) for streams in (25, 15)], [35, 46])
        claims = {one.name: one for one in mixed_media.paper_claims(46)}
        load = Load(Path("x.toml"), (35, 46, 47), 10)
        view = View(
            made_up(Plan(tuple(load.points((TPS_OPT, CI_OPT))), (1, 2))), load, (TPS_OPT, CI_OPT)
        )
        self.assertEqual(
            [part.label.split()[-1] for part in claims["tps-comparable"].parts({"table1": view})],
            ["35", "46"],
        )

    def test_figures_6_and_7_reach_to_the_capacity(self) -> None:
        charts = {chart.file: chart for chart in unchanged(mixed_media)[1].charts}
        for file in ("figure6.svg", "figure7.svg"):
            lines = {series.label: series for series in charts[file].series}
            self.assertEqual(
                tuple(lines[SPTF].x), (*mixed_media.papers_loads(True)["projected"].rates, 130)
            )
            self.assertEqual(
                tuple(lines["SPTF(next-C)"].x), mixed_media.heavy_loads(True)["projected"].rates
            )
        self.assertIn("(ms)", charts["figure6.svg"].y)

    def test_parameters_of_an_opponent_are_chosen_in_runs_of_their_own(self) -> None:
        plan, results = whole(
            beyond_clusters,
            **{"CELLO(1|1|0)": 0.5, "CELLO(4|1|0)": 0.4, "ASPTF(0.1)": 0.9, "ASPTF(0.3)": 2.0},
        )
        load, rate = beyond_clusters._tuning(True)["table1"], 30

        def late(policy: str, interpretation: Interpretation = DEFAULT) -> None:
            for result in results[load.point(policy, rate, interpretation)]:
                result["hiccups"] = 1

        self.assertEqual(
            [policy for policy, _ in beyond_clusters.chosen(results, load, rate)[0]],
            ["CELLO(4|1|0)", "ASPTF(0.1)"],
        )
        for interpretation in (DEFAULT, beyond_clusters.BUDGETS):
            late("CELLO(4|1|0)", interpretation)
        fastest, fairest = beyond_clusters.chosen(results, load, rate)
        self.assertEqual(
            [policy for policy, _ in fastest],
            ["CELLO(1|1|0)", "ASPTF(0.1)"],
            "one that is late with a C is out",
        )
        self.assertEqual(
            [policy for policy, _ in fairest],
            ["CELLO(1|4|0)", "ASPTF(0.01)"],
            "and for fairness one that is slower than clusters",
        )
        tuned = [seeds for point, seeds in plan.batches if point.measure_s == load.rounds]
        self.assertEqual(set(tuned), {beyond_clusters.TUNING_SEEDS})
        for point, seeds in plan.batches:
            self.assertTrue(
                point.measure_s == load.rounds
                or not set(seeds) & {*range(1, 6), *beyond_clusters.TUNING_SEEDS},
                point,
            )

    def test_a_statistic_without_samples_is_no_data(self) -> None:
        load = Load(Path("x.toml"), (5,), 10)
        plan = Plan(tuple(load.points((SPTF, TPS_SCAN))), (1, 2))
        results = made_up(plan)
        nothing = results[load.point(SPTF, 5)][0]
        nothing["classes"]["discrete"] |= {
            "response_ms": {"mean": None},
            "fairness_index": None,
            "issued": 0,
        }
        view = View(results, load, (SPTF, TPS_SCAN))
        for part in (
            *view.response(SPTF, TPS_SCAN, below(1)),
            *view.fairness(SPTF, TPS_SCAN, above(1)),
        ):
            self.assertIs(part.verdict, Verdict.OPEN)
        self.assertEqual(len(view.rows("x")), 4)
        self.assertEqual(len(view.table("t").rows), 1)
        for metric in (
            eager_writing.reads_ms,
            eager_writing.writes_ms,
            eager_writing.penalty,
            eager_writing.imbalance,
        ):
            self.assertTrue(
                math.isnan(
                    metric(
                        {
                            "classes": {
                                "discrete": {
                                    "reads": {"response_ms": {"mean": None}},
                                    "writes": {"response_ms": {"mean": None}},
                                }
                            }
                        }
                    )
                )
            )
        self.assertTrue(math.isnan(eager_writing.gap_ms({"eager": {"gaps": {"mean_ms": None}}})))

    def test_an_opponent_is_the_best_of_its_interpretations(self) -> None:
        load = Load(Path("x.toml"), (5, 65), 10)
        kinds = combinations(FACTORS[1:])
        points = load.points((SPTF,)) + [
            point for kind in kinds for point in load.points(CLUST, kind)
        ]
        results = made_up(Plan(tuple(points), (1, 2)))
        fair, unstable = kinds[5], kinds[6]
        for result in results[load.point(CLUST_REQ, 65, fair)]:
            result["classes"]["discrete"]["fairness_index"] *= 1.3
        for result in results[load.point(CLUST_REQ, 65, unstable)]:
            result["classes"]["discrete"]["fairness_index"] *= 2
            result["classes"]["discrete"]["backlog"]["parts"] = [10.0 * i for i in range(20)]
        opponents = Opponents(
            [(View(results, load, CLUST, kind), policy) for kind in kinds for policy in CLUST]
        )
        best = opponents.best(65, fairness, True)
        self.assertEqual(best.name, f"{CLUST_REQ} ({fair.name})")
        self.assertAlmostEqual(
            best.samples[0]
            / results[load.point(SPTF, 65)][0]["classes"]["discrete"]["fairness_index"],
            1.3,
        )
        view = View(results, load, (SPTF,))
        ours = opponents.against(view, SPTF, fairness, True, above(1), (5, 65))
        self.assertEqual([round(one.value.mean, 6) for one in ours], [1.0, round(1 / 1.3, 6)])
        self.assertAlmostEqual(
            opponents.against(view, SPTF, fairness, True, above(1), (65,), over=True)[0].value.mean,
            1.3,
        )
        self.assertIsNone(
            Opponents([(View(results, load, CLUST, unstable), CLUST_REQ)]).best(
                65, response_s, False
            )
        )
        # One that is not shown to be steady, and would be the best, leaves it open.
        for seed, result in enumerate(results[load.point(CLUST_REQ, 65, unstable)]):
            result["classes"]["discrete"]["backlog"]["parts"] = (
                [10.0 * i for i in range(20)] if seed else [10.0] * 20
            )
        opponents = Opponents(
            [(View(results, load, CLUST, kind), policy) for kind in kinds for policy in CLUST]
        )
        self.assertIs(
            opponents.against(view, SPTF, fairness, True, above(1), (65,))[0].verdict, Verdict.OPEN
        )
        # So does one of ours that is not steady.
        for result in results[load.point(SPTF, 5)]:
            result["classes"]["discrete"]["backlog"]["parts"] = [10.0 * i for i in range(20)]
        ours = opponents.against(
            View(results, load, (SPTF,)), SPTF, response_s, False, below(2), (5,)
        )
        self.assertEqual([part.verdict for part in ours], [Verdict.OPEN])

    def test_where_a_claim_turns(self) -> None:
        holds, fails, undecided = Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN
        for found, said in (
            ((holds, holds, holds), "at all from 5 to 65"),
            ((fails, fails, None), "at none up to 35"),
            ((fails, undecided, holds), "from 65"),
            ((holds, fails, fails), "up to 5"),
            ((holds, fails, holds), "at 5, 65"),
            ((undecided, None, None), "not decided"),
        ):
            self.assertEqual(where((5, 35, 65), found, str), said)
        load = Load(Path("x.toml"), (5, 65), 10)
        every = combinations(FACTORS[:1])
        results = made_up(
            Plan(
                tuple(
                    dict.fromkeys(
                        point for one in every for point in load.points((SPTF, CLUST_REQ), one)
                    )
                ),
                (1, 2),
            ),
            SPTF=0.8,
        )
        turn = Turn(
            "t", "SPTF faster", lambda view, rate: view.response(SPTF, CLUST_REQ, below(1), [rate])
        )
        table = grid_table(
            "Turns",
            (turn,),
            FACTORS[:1],
            {one: View(results, load, (SPTF, CLUST_REQ), one) for one in every},
        )
        self.assertEqual(
            table.rows,
            (
                ("pooled", "at all from 5 (45 %) to 65 (45 %)"),
                ("next-C", "at none up to 65 (45 %)"),
            ),
        )

    def test_every_claim_of_the_paper_has_its_sentence(self) -> None:
        report = unchanged(mixed_media)[1]
        self.assertEqual(
            [claim.name for claim in report.claims], [name for name, _, _ in mixed_media.SENTENCES]
        )
        self.assertLessEqual(
            {turn.name for turn in (*mixed_media.turns(), *mixed_media.other_turns())},
            {claim.name for claim in report.claims},
        )
        by_name = {claim.name: claim for claim in report.claims}
        for name in (
            "sptf-faster",
            "clusters-fairer",
            "fairer-by",
            "projected-faster",
            "clusters-beat-intervals",
        ):
            self.assertEqual(len(by_name[name].grid.parts), len(COMBINATIONS))
        self.assertIsNone(by_name["famish-fairest"].grid)

    def test_every_page_lists_its_papers_sentences(self) -> None:
        for module, rows in (
            (mixed_media, (*mixed_media.SENTENCES, *mixed_media.NOT_JUDGED)),
            (eager_writing, eager_writing.SENTENCES),
            (autoqos, autoqos.SENTENCES),
        ):
            with self.subTest(study=module.STUDY.name):
                claims = unchanged(module)[1].claims
                named = {name for names, _, _ in rows for name in names.split(", ") if name}
                papers = {
                    claim.name
                    for claim in claims
                    if claim.published != "not in the paper"
                    and not claim.name.startswith("credit-")
                }
                self.assertEqual(papers - named, set(), "claims without a sentence")
                self.assertEqual(
                    named - {claim.name for claim in claims}, set(), "sentences of no claim"
                )
                for name, _, sentence in rows:
                    self.assertTrue(
                        name or "not judged" in sentence or "again)" in sentence, sentence
                    )

    def test_a_verdict_depends_on_what_the_paper_leaves_open(self) -> None:
        def claim(name: str, **change: float) -> Claim:
            return claims_of(mixed_media, **change)[name]

        self.assertEqual(claim("sptf-faster", SPTF=0.8).turning(), ["SPTF"])
        intervals = claim("sptf-faster", **{SPTF: 0.8, "SPTF(next-C)": 0.8, CI_OPT: 0.5})
        self.assertIs(intervals.plain_verdict, Verdict.FAILS, "C-intervals are clusters, too")
        self.assertEqual(intervals.contrary(), ["clusters alone"])
        fewer = claim("n15")
        self.assertTrue(any(part.label.startswith("opt-over-greedy:") for part in fewer.parts))
        for name in ("clusters-beat-intervals", "intervals-less-fair", "projected-similar"):
            self.assertTrue(
                any(
                    interpretation in ("the fastest clusters", "the fairest clusters")
                    for interpretation in claim(name).interpretations
                ),
                name,
            )
        fairer = claim("clusters-fairer", **{SPTF: 0.8, "SPTF(next-C)": 0.8})
        self.assertEqual((fairer.plain_verdict, fairer.turning()), (Verdict.HOLDS, []))
        self.assertIs(
            claim("clusters-fairer", **{SPTF: 0.97, "SPTF(next-C)": 0.97}).plain_verdict,
            Verdict.FAILS,
            "significantly is more than better",
        )

    def test_an_interpretation_changes_only_what_it_touches(self) -> None:
        load = Load(Path("x.toml"), (5,), 10)
        interpretation = Interpretation(
            "r", "", (("a", "b"),), ((SPTF, "SPTF(next-C)"),), frozenset({SPTF})
        )
        self.assertEqual(load.point(TPS_SCAN, 5, interpretation), load.point(TPS_SCAN, 5, DEFAULT))
        settings = load.point(SPTF, 5, interpretation).settings
        self.assertIn(("policy", "SPTF(next-C)"), settings)
        self.assertIn(("a", "b"), settings)

    def test_the_claims_turn_where_the_verdicts_change(self) -> None:
        good, bad, unsure = (Part("x", interval([x, x + 0.1]), below(1)) for x in (0.1, 5.0, 0.95))
        made = Claim(
            "c",
            "",
            "",
            Unit.RATIO,
            "",
            (good,),
            {"overhead 0.0 ms": (bad,), "overhead 1.5 ms": (unsure,)},
        )
        self.assertEqual(
            eager_writing.turning([made], (0.0, 0.8, 1.5)).rows[0],
            ("c", "does not hold", "holds", "not decided", "between 0.0 and 0.8 ms"),
        )


@unittest.skipUnless(os.environ.get("PLATTER"), "the variable PLATTER names no executable")
class WithTheModel(unittest.TestCase):
    LOAD: ClassVar = {
        "workload.discrete.rate_per_s",
        "workload.discrete.outstanding",
        "workload.discrete.read_fraction",
        "workload.discrete.trace",
        "server.disks",
        "streams.content",
        "replication.decluster_bytes",
        "failure.disk",
        "drive.port.token_rate_bytes_per_s",
        "array.answer",
        "text.clients",
        "video.clients",
        "text.load_bytes_per_s",
        "workload.job.0.bs",
        "workload.job.0.iodepth",
        "workload.job.0.rate_iops",
        "workload.job.0.startdelay",
        "workload.job.1.deadline_ms",
        "workload.job.1.rate_iops",
        "workload.job.1.startdelay",
        "drive.controller.age_limit_s",
        "drive.queue.depth",
    }

    def shapes(self, plan: Plan) -> list[Point]:
        """A point of each scenario, policy and interpretation, whatever the load."""
        return list(
            {
                (
                    point.scenario,
                    *(pair for pair in point.settings if pair[0] not in self.LOAD),
                ): point
                for point, _ in plan.batches
            }.values()
        )

    @staticmethod
    def young(point: Point) -> tuple[tuple[str, str], ...]:
        """What shortens the ageing of a drive that writes eagerly. It takes longer than the run."""
        eager = "eager" in tomllib.loads(point.scenario.read_text(encoding="utf-8"))
        return (("eager.ageing_turnovers", "0.05"),) if eager else ()

    def pairs(self, point: Point) -> set[tuple]:
        """Each setting of a point beside each other one, in its scenario."""
        settings = sorted(pair for pair in point.settings if pair[0] not in self.LOAD)
        return set(itertools.product([point.scenario], settings, settings)) | {(point.scenario,)}

    def test_the_model_takes_every_policy_under_every_interpretation(self) -> None:
        """It accepts every point. It runs so many of them that each setting has run beside each
        other one, in each scenario where they meet."""
        policies = subprocess.run(
            [os.environ["PLATTER"], "list", "policies"], capture_output=True, text=True, check=True
        ).stdout
        of_study = {
            point: module.STUDY.name
            for module in STUDIES
            if module is not eager_writing or eager_writing.SATF_EW in policies
            for point in self.shapes(quick_plan(module))
        }
        # Points with more settings first, since fewer of them have all pairs.
        missing = set().union(*map(self.pairs, of_study))
        todo = []
        for point in sorted(of_study, key=lambda point: -len(point.settings)):
            runs = not missing.isdisjoint(self.pairs(point))
            missing -= self.pairs(point)
            todo.append((point, runs))
        with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            found = pool.map(lambda one: self.called(*one, Path(name)), todo)
            for (point, runs), (code, said, result) in zip(todo, found, strict=True):
                with self.subTest(study=of_study[point]):
                    self.assertEqual(code, 0, f"{point.command(1)}\n{said}")
                    if not runs or result.get("errors"):
                        continue  # the guard does not count on recovery
                    policy = dict(point.settings).get("policy", "")
                    # Neither flat policies nor Cello nor aged SPTF have a guard.
                    if policy not in (
                        *mixed_media.FLAT,
                        mixed_media.ROUND_ROBIN,
                    ) and not policy.startswith(("CELLO", "ASPTF")):
                        self.assertEqual(result.get("hiccups", 0), 0, point.command(1))

    def called(self, point: Point, runs: bool, folder: Path) -> tuple[int, str, dict]:
        """Of a short run, or of a look at the scenario: exit code, messages, and the result."""
        short = replace(
            point,
            warmup_s=0.0,
            measure_s=max(5.0, point.least_s),
            settings=(*point.settings, *self.young(point)),
        )
        words = [str(point.scenario), *short.overrides(), "--set", "sim.seed=1"]
        file = folder / f"{threading.get_ident()}.json"
        file.unlink(missing_ok=True)
        done = subprocess.run(
            [
                os.environ["PLATTER"],
                *(["run", *words, "--quiet", "--result", str(file)] if runs else []),
                *(["config", "check", *words] if not runs else []),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        good = runs and done.returncode == 0
        return done.returncode, done.stderr, json.loads(file.read_text()) if good else {}

    def test_a_table_that_a_scenario_names_from_its_own_folder_is_in_the_key(self) -> None:
        frames = (
            "# frame_rate: 25\n# duration_us: 80000\nframe,pts_us,type,bytes\n0,0,I,{bytes}\n"
            "1,40000,P,2000\n"
        )
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "streams").mkdir()
            tables = [folder / "streams" / f"{number}.csv" for number in range(2)]
            scenario = folder / "server.toml"
            scenario.write_text(
                'format = 1\npolicy = "CELLO(1|1|0)"\nhost.kind = "mixed_server"\n'
                'drive = "elite3"\n[text]\nclients = 0\n'
                '[video]\nclients = 1\nfile_s = 4\ntables = ["streams/0.csv", "streams/1.csv"]\n'
            )
            point = Point(scenario, (), 1.0, 2.0)

            def kept() -> int:
                Runner(
                    Path(os.environ["PLATTER"]), Store(folder / "kept"), LocalProcesses(1)
                ).results([(point, (1,))])
                return len(list((folder / "kept").rglob("*.json")))

            for table in tables:
                table.write_text(frames.format(bytes=9000))
            self.assertEqual((kept(), kept()), (1, 1))
            for number, table in enumerate(tables):
                table.write_text(frames.format(bytes=8000))
                self.assertEqual((kept(), kept()), (2 + number, 2 + number), table)

    def test_figure_3s_clusters_are_served_whole(self) -> None:
        point = next(
            point
            for point in quick_plan(mixed_media).once
            if dict(point.settings)["policy"] == mixed_media.SCAN_ORDER
        )
        with tempfile.TemporaryDirectory() as name:
            runner = Runner(Path(os.environ["PLATTER"]), Store(Path(name)), LocalProcesses(1))
            summary = runner.results([(point, (1,))])[point][0]["summary"]
        self.assertEqual(summary["clusters"], point.measure_s / clusters.PERIOD_S)
        self.assertTrue(all(5 < mean < 60 for mean in summary["batch_means_ms"]), summary)


if __name__ == "__main__":
    unittest.main()
