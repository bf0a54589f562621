# SPDX-License-Identifier: Apache-2.0
"""`platter-lab optimise`: its spaces, prices and trials, and runs of the model,
whose executable is in the variable PLATTER."""

import csv
import itertools
import json
import os
import signal
import subprocess
import time
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import scipy.stats
from lab_case import PLATTER, LabCase
from platter_lab import LabError
from platter_lab.cost import prices
from platter_lab.cost.prices import COSTS, Engine, NoPriceError, Source
from platter_lab.executable import ROOT
from platter_lab.optimise.space import Range, read_space
from platter_lab.optimise.study import Record, Study
from platter_lab.pareto import undominated
from platter_lab.runs.point import Scenario

SCENARIO = ROOT / "models/configs/scenarios/mixed_media.toml"
SPACE = f"""
format = 1
scenario = "{SCENARIO}"
seeds = 2
trials = 10
[search]
population = 4
seed = 5
[set]
sim.warmup_s = 0
sim.measure_s = 2
accelerator.order_m = 0
accelerator.features = []
accelerator.entries = "{{drive.queue.depth}}"
accelerator.clock_mhz = "{{cost.fmax_mhz}}"
[[parameter]]
name = "engine"
key = "engine"
values = ["firmware", "model"]
[[parameter]]
name = "policy"
points = [{{ label = "SPTF", policy = "SPTF" }}, {{ label = "aged", policy = "ASPTF({{weight}})" }}]
[[parameter]]
name = "weight"
range = {{ from = 0.1, to = 2.0, scale = "log" }}
when = {{ policy = "aged" }}
[[parameter]]
name = "depth"
key = "drive.queue.depth"
range = {{ from = 16, to = 64, step = 8 }}
[[parameter]]
name = "lanes"
key = "accelerator.lanes"
values = [1, 2, 4, 8]
when = {{ engine = "model" }}
[[objective]]
name = "p99"
path = "classes.discrete.response_ms.p99"
[[objective]]
name = "fairness"
path = "classes.discrete.fairness_index"
direction = "maximise"
[[objective]]
name = "LUTs"
cost = "luts"
[[constraint]]
name = "hiccups"
path = "hiccups"
at_most = 0
[[check]]
name = "other seeds"
seeds = [11, 12, 13]
[[check]]
name = "another drive"
set = {{ "drive" = "cheetah9lp", "drive.bus.read_block_us" = 6.4 }}
"""


class Optimising(LabCase):
    def space(self, *changes: tuple[str, str], text: str = SPACE) -> Path:
        return self.write("space.toml", text, *changes)

    WAITS = (
        "\nwhile sys.argv[1] == 'run' and not there('go') and "
        "len(there('ran-')) > {after}: time.sleep(0.05)"
    )

    def search(
        self, space: Path, *options: str, journal: str = "journal", **places: Any
    ) -> list[str]:
        journal_of = ("--journal", str(self.folder / journal))
        return self.words("optimise", space, *journal_of, *options, **places)

    def optimise(self, space: Path, *options: str, **places: Any) -> tuple[int, str, str]:
        return self.lab(*self.search(space, *options, **places))

    def begun(self, space: Path, *options: str, **places: Any) -> subprocess.Popen:
        journal_of = ("--journal", str(self.folder / "journal"))
        return self.process("optimise", space, *journal_of, *options, **places)

    def frame(self, name: str = "out.parquet") -> pl.DataFrame:
        return pl.read_parquet(self.folder / name)

    def trials(self) -> list:
        import optuna
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        storage = JournalStorage(JournalFileBackend(str(self.folder / "journal")))
        return optuna.load_study(study_name="platter", storage=storage).trials

    def running(self) -> int:
        """Trials that somebody has begun; 0 where nothing can be read yet."""
        try:
            return sum(
                trial.state.name == "RUNNING" and "owner" in trial.user_attrs
                for trial in self.trials()
            )
        except (KeyError, FileNotFoundError, ValueError):
            return 0

    def test_a_row_is_a_trial_with_what_its_runs_and_the_measurements_say(self) -> None:
        code, out, err = self.optimise(self.space())
        self.assertEqual(code, 0, err)
        self.assertIn("10 trials, 10 keep all constraints", out)
        frame = self.frame()
        self.assertEqual(frame["trial"].to_list(), list(range(10)))
        self.assertEqual(set(frame["status"]), {"good"})
        self.assertEqual(set(frame.filter(engine="firmware")["LUTs"]), {0.0})
        self.assertEqual(set(frame.filter(engine="firmware")["lanes"]), {None})
        self.assertEqual(set(frame.filter(policy="SPTF")["weight"]), {None})
        self.assertTrue(frame.filter(policy="aged")["weight"].is_between(0.1, 2.0).all())
        row = frame.filter(engine="model").row(0, named=True)
        samples = []
        for seed in (1, 2):
            result = self.folder / "by_hand.json"
            engine = Engine(True, row["depth"], row["depth"], row["lanes"], 0, 16, 0, 1, 0, 0)
            settings = {
                "sim.warmup_s": 0,
                "sim.measure_s": 2,
                "engine": "model",
                "policy": f"ASPTF({row['weight']})" if row["policy"] == "aged" else "SPTF",
                "drive.queue.depth": row["depth"],
                "accelerator.entries": row["depth"],
                "accelerator.lanes": row["lanes"],
                "accelerator.order_m": 0,
                "accelerator.features": "[]",
                "accelerator.clock_mhz": f"{COSTS['fmax_mhz'].of(engine).value:.9g}",
                "sim.seed": seed,
            }
            words = [
                word for key, value in settings.items() for word in ("--set", f"{key}={value}")
            ]
            subprocess.run(
                [PLATTER, "run", SCENARIO, "--quiet", *words, "--result", result], check=True
            )
            samples.append(
                json.loads(result.read_text())["classes"]["discrete"]["response_ms"]["p99"]
            )
        self.assertAlmostEqual(row["p99"], sum(samples) / 2)
        low, high = scipy.stats.t.interval(
            0.95, 1, scipy.stats.tmean(samples), scipy.stats.sem(samples)
        )
        self.assertAlmostEqual(row["p99 low"], low)
        self.assertAlmostEqual(row["p99 high"], high)
        self.assertEqual(row["LUTs"], COSTS["luts"].of(engine).value)
        self.assertEqual(row["LUTs source"], COSTS["luts"].of(engine).source)
        self.assertEqual((row["LUTs low"], row["LUTs high"]), (row["LUTs"], row["LUTs"]))

    def test_the_front_is_what_nothing_is_better_than(self) -> None:
        self.assertEqual(self.optimise(self.space())[0], 0)
        rows = self.frame().filter("feasible").to_dicts()
        points = [(row["p99"], row["fairness"], row["LUTs"]) for row in rows]
        for number, (row, point) in enumerate(zip(rows, points, strict=True)):
            better = [
                other
                for other in points
                if other[0] <= point[0]
                and other[1] >= point[1]
                and other[2] <= point[2]
                and other != point
            ]
            self.assertEqual(row["front"], not better and point not in points[:number], row)
        about = json.loads(
            pl.read_parquet_metadata(self.folder / "out.parquet")["platter.optimise"]
        )
        self.assertEqual(about["parameters"], ["engine", "policy", "weight", "depth", "lanes"])
        self.assertEqual(
            about["objectives"],
            [
                {"name": "p99", "unit": "ms", "direction": "minimise"},
                {"name": "fairness", "unit": "", "direction": "maximise"},
                {"name": "LUTs", "unit": "LUT", "direction": "minimise"},
            ],
        )
        self.assertEqual([one["name"] for one in about["constraints"]], ["hiccups"])
        self.assertEqual(
            undominated([(1, 1), (1, 1), (2, 0), (2, 2)], [False, False]), [True, True, True, False]
        )
        self.assertEqual(undominated([(1, 1), (1, 2)], [False, True]), [False, True])

    def test_differences_below_the_resolution_are_none(self) -> None:
        space = self.space(
            (
                'path = "classes.discrete.response_ms.p99"',
                'path = "classes.discrete.response_ms.p99"\nresolution = 10000',
            ),
            ('direction = "maximise"', 'direction = "maximise"\nresolution = 10'),
            (
                '[[check]]\nname = "other',
                (
                    '[[constraint]]\nname = "area"\ncost = "luts"\nat_most = 6000\n'
                    '[[check]]\nname = "other'
                ),
            ),
        )
        code, _, err = self.optimise(space)
        self.assertEqual(code, 0, err)
        frame = self.frame().filter("feasible")
        self.assertLess(frame.height, 10)
        self.assertEqual(
            frame.filter("front")["trial"].to_list(),
            [frame.filter(LUTs=frame["LUTs"].min())["trial"].min()],
        )

    STARVES = "'engine=firmware' in sys.argv and 'policy=SPTF' in sys.argv"

    def test_a_trial_in_which_nothing_was_measured_is_infeasible(self) -> None:
        starved = self.executable(self.nothing_measured(self.STARVES))
        # More is better, and next to nothing is little enough: what is not there must be neither.
        bounded = self.space(
            (
                'name = "hiccups"\npath = "hiccups"\nat_most = 0',
                'name = "bound"\npath = "classes.discrete.response_ms.p99"\nat_most = 1000000',
            )
        )
        code, out, err = self.optimise(bounded, platter=starved)
        self.assertEqual(code, 0, err)
        frame = self.frame()
        without = frame.filter(engine="firmware", policy="SPTF")
        self.assertGreater(without.height, 0)
        self.assertEqual(set(without["status"]), {"infeasible"})
        self.assertFalse(without["feasible"].any() or without["front"].any())
        for name in ("p99", "p99 low", "p99 high", "fairness", "fairness low", "bound"):
            self.assertEqual(set(without[name]), {None}, name)
            self.assertFalse(frame[name].is_nan().any())
        self.assertEqual(
            set(without["message"]),
            {
                "nothing was measured: p99 has no value in 2 of 2 runs (seed 1, 2); fairness has "
                "no value in 2 of 2 runs (seed 1, 2); "
                "bound has no value in 2 of 2 runs (seed 1, 2)"
            },
        )
        self.assertIn(
            f"trial {without['trial'][0]} is infeasible: nothing was measured: p99 has no value",
            err,
        )
        self.assertIn(f"{without.height} infeasible", out)
        rest = frame.filter(status="good")
        self.assertEqual(rest.height + without.height, 10)
        self.assertGreater(rest.filter("front").height, 0)
        # In one run of two.
        code, _, err = self.optimise(
            self.space(),
            platter=self.executable(
                self.nothing_measured(self.STARVES + " and 'sim.seed=2' in sys.argv")
            ),
            output="some.parquet",
            journal="some",
        )
        self.assertEqual(code, 0, err)
        some = self.frame("some.parquet").filter(status="infeasible")
        self.assertGreater(some.height, 0)
        self.assertIn("p99 has no value in 1 of 2 runs (seed 2)", some["message"][0])

    def test_a_check_says_where_nothing_was_measured(self) -> None:
        here = self.executable(self.nothing_measured("'sim.seed=12' in sys.argv"))
        self.assertEqual(self.optimise(self.space(), platter=here)[0], 0)
        code, out, err = self.optimise(
            self.space(), "--check", output="check.parquet", platter=here
        )
        self.assertEqual(code, 0, err)
        checked = self.frame("check.parquet").filter(check="other seeds")
        self.assertEqual((set(checked["status"]), set(checked["front"])), ({"infeasible"}, {False}))
        self.assertIn("–", out)
        self.assertIn("p99 has no value in 1 of 3 runs (seed 12)", err)

    FEW = (
        SPACE[SPACE.index("[[parameter]]") : SPACE.index("[[objective]]")],
        """[[parameter]]
name = "engine"
key = "engine"
values = ["firmware", "model"]
[[parameter]]
name = "depth"
key = "drive.queue.depth"
range = { from = 16, to = 64, step = 16 }
[[parameter]]
name = "lanes"
key = "accelerator.lanes"
values = [1, 2]
when = { engine = "model" }
""",
    )  # 4 of firmware, 8 of the model

    def test_no_configuration_is_tried_twice_and_a_space_that_is_exhausted_ends_the_search(
        self,
    ) -> None:
        for sampler in ("population = 4\n", 'sampler = "TPE"\nstartup = 3\n'):
            for trials in (11, 30):
                with self.subTest(sampler=sampler, trials=trials):
                    space = self.space(
                        self.FEW,
                        ("trials = 10", f"trials = {trials}"),
                        ("seeds = 2", "seeds = 1"),
                        ("measure_s = 2", "measure_s = 1"),
                        ("population = 4\n", sampler),
                    )
                    name = f"{trials}{len(sampler)}"
                    code, out, err = self.optimise(space, output=f"{name}.parquet", journal=name)
                    self.assertEqual(code, 0, err)
                    frame = self.frame(f"{name}.parquet")
                    self.assertEqual(frame.height, min(trials, 12))
                    self.assertEqual(
                        frame.select("engine", "depth", "lanes").unique().height, frame.height
                    )
                    self.assertEqual(
                        (
                            "space.toml: all 12 configurations of the space were tried, "
                            "fewer than 30 trials"
                        )
                        in out,
                        trials == 30,
                    )
        code, out, _ = self.optimise(space, "--estimate", output="30.parquet", journal="new")
        self.assertIn("12 trials of 1 runs, 0 of them done; 12 to do, 12 runs", out)

    def test_a_search_that_was_killed_after_any_record_has_all_of_its_trials(self) -> None:
        space = self.space(self.FEW, ("trials = 10", "trials = 3"), ("seeds = 2", "seeds = 1"))
        self.assertEqual(self.optimise(space)[0], 0)
        whole = self.frame()
        lines = (self.folder / "journal").read_text().splitlines(keepends=True)
        dead = subprocess.Popen(["true"])
        dead.wait()
        for count in range(2, len(lines)):
            with self.subTest(records=count):
                (self.folder / "cut").write_text(
                    "".join(lines[:count])
                    .replace(f'"pid": {os.getpid()}', f'"pid": {dead.pid}')
                    .replace(f'"pid":{os.getpid()}', f'"pid":{dead.pid}')
                )
                code, out, err = self.optimise(space, output="cut.parquet", journal="cut")
                self.assertEqual(code, 0, err)
                frame = self.frame("cut.parquet")
                self.assertEqual(frame.height, 3)
                self.assertEqual(set(frame["status"]), {"good"})
                self.assertEqual(frame.select("engine", "depth", "lanes").unique().height, 3)
                self.assertIn("cut.parquet: 3 trials", out)
        self.assertEqual(
            frame.drop("trial").sort("p99").rows(), whole.drop("trial").sort("p99").rows()
        )

    def test_the_same_seed_gives_the_same_trials_wherever_it_was_interrupted(self) -> None:
        for sampler in ("", 'sampler = "TPE"\nstartup = 3'):
            with self.subTest(sampler=sampler):
                space = self.space(
                    ("population = 4\n", sampler + "\n" if sampler else "population = 4\n")
                )
                tag = "t" if sampler else "n"
                self.assertEqual(
                    self.optimise(space, output=f"{tag}1.parquet", journal=f"{tag}1")[0], 0
                )
                self.assertEqual(
                    self.optimise(
                        space, "--trials", "3", output=f"{tag}2.parquet", journal=f"{tag}2"
                    )[0],
                    0,
                )
                self.assertEqual(self.frame(f"{tag}2.parquet").height, 3)
                self.assertEqual(
                    self.optimise(space, output=f"{tag}2.parquet", journal=f"{tag}2")[0], 0
                )
                self.assertEqual(
                    (self.folder / f"{tag}1.parquet").read_bytes(),
                    (self.folder / f"{tag}2.parquet").read_bytes(),
                )
        other = self.space(("seed = 5", "seed = 6"))
        self.assertEqual(self.optimise(other, output="other.parquet", journal="other")[0], 0)
        self.assertNotEqual(
            (self.folder / "other.parquet").read_bytes(), (self.folder / "n1.parquet").read_bytes()
        )

    def test_what_has_run_is_not_run_again(self) -> None:
        counting = self.executable(self.COUNTS)
        space = self.space(("trials = 10", "trials = 6"))
        self.assertEqual(self.optimise(space, platter=counting)[0], 0)
        first = self.runs()
        different = (
            self.frame().select("engine", "policy", "weight", "depth", "lanes").unique().height
        )
        self.assertEqual(first, 2 * different)
        self.assertEqual(self.optimise(space, platter=counting)[0], 0)
        self.assertEqual(self.optimise(space, platter=counting, journal="new")[0], 0)
        self.assertEqual(self.runs(), first)
        self.assertEqual(self.optimise(space, "--trials", "7", platter=counting)[0], 0)
        self.assertLessEqual(self.runs(), first + 2)

    def test_a_search_that_was_killed_goes_on_and_leaves_no_simulator(self) -> None:
        slow = self.executable(self.COUNTS + self.WAITS.format(after=2))
        space = self.space(("measure_s = 2", "measure_s = 2.5"), ("trials = 10", "trials = 5"))
        process = self.begun(space, platter=slow)
        self.wait(lambda: self.runs() > 2 and self.running())
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.wait(
            lambda: (
                not any(
                    b"sim.measure_s=2.5" in self._command_line(one)
                    for one in Path("/proc").iterdir()
                    if one.name.isdigit()
                )
            ),
            10,
        )
        dead = [trial for trial in self.trials() if trial.state.name == "RUNNING"]
        self.assertEqual(len(dead), 1)
        (self.folder / "go").touch()
        code, out, err = self.optimise(space, platter=slow)
        self.assertEqual(code, 0, err)
        self.assertIn("5 trials", out)
        self.assertEqual([trial.state.name for trial in self.trials()].count("RUNNING"), 0)
        again = next(trial for trial in self.trials() if trial.number > dead[0].number)
        self.assertEqual(again.params, dead[0].params)
        self.assertEqual(
            self.frame()["trial"].to_list(),
            [number for number in range(6) if number != dead[0].number],
        )
        self.assertFalse((self.folder / "journal.alive").exists())

    def test_processes_search_together_and_one_takes_over_from_one_that_is_killed(self) -> None:
        slow = self.executable(self.COUNTS + self.WAITS.format(after=0))
        space = self.space(("trials = 10", "trials = 12"))
        first, second = (
            self.begun(space, output="1.parquet", platter=slow),
            self.begun(space, output="2.parquet", platter=slow),
        )
        self.wait(lambda: self.running() == 2)
        first.send_signal(signal.SIGKILL)
        first.wait()
        (self.folder / "go").touch()
        self.assertEqual(second.wait(180), 0)
        states = [trial.state.name for trial in self.trials()]
        self.assertEqual(states.count("COMPLETE"), 12)
        self.assertEqual(states.count("RUNNING") + states.count("WAITING"), 0)
        self.assertFalse((self.folder / "1.parquet").exists())
        self.assertEqual(self.frame("2.parquet").height, 12)
        self.assertEqual(self.frame("2.parquet")["trial"].n_unique(), 12)

    def test_two_processes_do_not_begin_more_than_is_asked_for(self) -> None:
        space = self.space()
        both = [self.begun(space, output=f"{number}.parquet") for number in (1, 2)]
        self.assertEqual([process.wait(180) for process in both], [0, 0])
        owners = {
            trial.user_attrs["owner"]["pid"]
            for trial in self.trials()
            if trial.state.name == "COMPLETE"
        }
        self.assertEqual(len(owners), 2)
        self.assertEqual(self.optimise(space)[0], 0)
        self.assertEqual(self.frame().height, 10)

    def test_a_range_has_the_values_of_its_steps_and_its_ends(self) -> None:
        self.assertEqual(Range(1000.5, 1001.5, 0.5, False, False).all(), [1000.5, 1001.0, 1001.5])
        tidied = map(Range(1.23449, 5.67851, None, False, False).tidy, (1.23449, 1.98765, 5.67851))
        self.assertEqual([*tidied], [1.23449, 1.988, 5.67851])

    def test_conditions_of_conditions_keep_a_key_apart(self) -> None:
        def read(last: str) -> int:
            table = "[[parameter]]\nname = '{}'\nkey = 'sim.key'\nvalues = [1, 2]\nwhen = {}\n"
            tables = table.format("c", "{ lanes = 1 }") + table.format("d", last)
            objective = '[[objective]]\nname = "p99"'
            return len(read_space(self.space((objective, tables + objective))).parameters)

        self.assertEqual([read('{ engine = "firmware" }'), read("{ lanes = 2 }")], [7, 7])
        with self.assertRaisesRegex(LabError, "a key that c sets too"):
            read('{ engine = "model" }')

    def test_a_trial_that_two_begin_as_the_last_one_counts_once(self) -> None:
        space = read_space(self.space())
        first, second = (Study(space, self.folder / "journal", {"of": "both"}) for _ in range(2))
        trial, _ = first.ask(2)
        self.assertEqual(second.left(2), 1)
        self.assertIsNotNone(first.ask(2))  # between second's look and its ask
        self.assertIsNone(second.ask(2))
        self.assertEqual((first.left(2), second.left(3)), (0, 1))
        first.tell(trial, Record("failed", "for a test", {}, {}))
        self.assertEqual(list(second.records()), [0])

    def test_a_trial_of_another_machine_is_taken_over_when_that_is_silent(self) -> None:
        space = self.space(("trials = 10", "trials = 3"))
        self.assertEqual(self.optimise(space, "--trials", "2")[0], 0)
        study = self._study()
        trial = study.ask(fixed_distributions=study.trials[0].distributions)
        trial.set_user_attr("owner", {"machine": "elsewhere x y", "pid": 1, "start": "7"})
        alive = self.folder / "journal.alive" / "elsewhere-1-7"
        alive.parent.mkdir()
        alive.touch()
        os.utime(alive, (time.time() + 1000, time.time() + 1000))  # also after a pause of this one
        self.assertEqual(self.optimise(space)[0], 0)
        self.assertEqual(self.frame().height, 2, "the third one is at work elsewhere")
        os.utime(alive, (time.time() - 1000, time.time() - 1000))
        self.assertEqual(self.optimise(space)[0], 0)
        self.assertEqual(self.frame()["trial"].to_list(), [0, 1, 3])
        self.assertEqual(self.trials()[3].params, self.trials()[2].params)

    def _study(self):
        import optuna
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        return optuna.load_study(
            study_name="platter",
            storage=JournalStorage(JournalFileBackend(str(self.folder / "journal"))),
        )

    @staticmethod
    def _command_line(process: Path) -> bytes:
        try:
            return (process / "cmdline").read_bytes()
        except OSError:
            return b""

    def test_half_a_line_of_a_journal_is_taken_away_and_a_file_that_is_none_is_left(self) -> None:
        space = self.space(("trials = 10", "trials = 2"))
        self.assertEqual(self.optimise(space)[0], 0)
        journal = self.folder / "journal"
        whole = journal.read_bytes()
        journal.write_bytes(whole + b'{"op_code":4,"wor')
        self.assertEqual(self.optimise(space, "--trials", "3")[0], 0)
        self.assertEqual(self.frame().height, 3)
        self.assertTrue(journal.read_bytes().startswith(whole))
        for content in (b"my notes", b"my notes\nof today\n", b"{}\n"):
            journal.write_bytes(content)
            code, _, err = self.optimise(space)
            self.assertEqual(code, 2, err)
            self.assertIn("expected a journal of a search", err)
            self.assertEqual(journal.read_bytes(), content)

    def test_another_space_is_another_search(self) -> None:
        self.assertEqual(self.optimise(self.space(("trials = 10", "trials = 2")))[0], 0)
        for change, what in (
            (("to = 64", "to = 56"), "parameters"),
            (("seeds = 2", "seeds = 3"), "seeds"),
            (("measure_s = 2", "measure_s = 3"), "executable"),
            (("at_most = 0", "at_most = 1"), "constraints"),
            (('cost = "luts"', 'cost = "ff"'), "objectives"),
        ):
            with self.subTest(what=what):
                code, _, err = self.optimise(self.space(change))
                self.assertEqual(code, 2)
                self.assertIn("holds a search with different", err)
                self.assertIn(what, err)
        self.assertEqual(
            self.optimise(
                self.space(
                    ("format = 1", "# a remark moves the lines\nformat = 1"),
                    ("trials = 10", "trials = 2"),
                )
            )[0],
            0,
        )

    def test_a_search_ends_where_a_file_of_some_value_has_changed(self) -> None:
        drive = (ROOT / "models/configs/drives/cheetah9lp.toml").read_text()
        files = [self.write(f"{name}.toml", drive) for name in "ab"]
        parameter = (
            self.FEW[0],
            f'[[parameter]]\nname = "drive"\nkey = "drive"\nvalues = {[*map(str, files)]}\n',
        )
        fewer = (("trials = 10", "trials = 2"), ("seeds = 2", "seeds = 1"), ("= 2\n", "= 1\n"))
        space = self.space(parameter, ('"{drive.queue.depth}"', "32"), *fewer)
        code, _, err = self.optimise(space)
        self.assertEqual(code, 0, err)
        for file in files:
            file.write_text(drive.replace("rpm = 10", "rpm = 11"))
            code, _, err = self.optimise(space)
            self.assertEqual(code, 2)
            self.assertIn("holds a search with different executable, scenario or files that", err)
            file.write_text(drive)
        self.assertEqual(self.optimise(space)[0], 0)

    def test_a_scenario_may_be_a_link(self) -> None:
        (self.folder / "link.toml").symlink_to(SCENARIO)
        space = self.space((str(SCENARIO), "link.toml"))
        self.assertEqual(read_space(space).scenario, self.folder.resolve() / "link.toml")

    def test_what_a_constraint_forbids_is_not_on_the_front_and_a_cost_too_high_is_not_run(
        self,
    ) -> None:
        counting = self.executable(self.COUNTS)
        space = self.space(
            (
                'path = "hiccups"\nat_most = 0',
                'path = "classes.discrete.response_ms.p99"\nat_most = 345\n'
                '[[constraint]]\nname = "area"\ncost = "luts"\nat_most = 5000',
            ),
            ("trials = 10", "trials = 16"),
        )
        code, out, err = self.optimise(space, platter=counting)
        self.assertEqual(code, 0, err)
        frame = self.frame()
        large = frame.filter(pl.col("area") > 5000)
        self.assertGreater(large.height, 0)
        self.assertEqual(set(large["status"]), {"infeasible"})
        self.assertIn(f"{large.height} infeasible", out)
        ran = frame.filter(pl.col("area") <= 5000)
        self.assertEqual(
            self.runs(),
            2 * ran.select("engine", "policy", "weight", "depth", "lanes").unique().height,
        )
        self.assertEqual(ran["feasible"].to_list(), [worst <= 345 for worst in ran["hiccups"]])
        self.assertEqual({True, False}, set(ran["feasible"]))
        self.assertTrue(frame.filter("front")["feasible"].all())
        self.assertGreater(frame.filter("front").height, 0)

    def test_a_run_that_always_fails_is_listed_and_the_others_go_on(self) -> None:
        broken = self.executable(
            self.COUNTS + "\nif sys.argv[1] == 'run' and 'sim.seed=2' in sys.argv "
            "and 'engine=model' in sys.argv:\n"
            "  sys.stderr.write('it is broken'); sys.exit(1)"
        )
        code, out, err = self.optimise(self.space(), platter=broken)
        self.assertEqual(code, 1)
        frame = self.frame()
        self.assertEqual(frame.height, 10)
        self.assertEqual(set(frame.filter(engine="model")["status"]), {"failed"})
        self.assertEqual(set(frame.filter(engine="firmware")["status"]), {"good"})
        self.assertIn("it is broken", frame.filter(status="failed")["message"][0])
        self.assertIn("it is broken", err)
        self.assertIn(f"{frame.filter(status='failed').height} failed", out)
        self.assertTrue((frame.filter("front")["engine"] == "firmware").all())

    def test_a_run_that_hangs_is_ended(self) -> None:
        hangs = self.executable(
            "if sys.argv[1] == 'run' and 'sim.seed=2' in sys.argv: time.sleep(1000)"
        )
        code, _, err = self.optimise(
            self.space(("trials = 10", "trials = 1")), "--limit", "1", platter=hangs
        )
        self.assertEqual(code, 1)
        self.assertIn("took longer than 1 s", err)

    def test_a_combination_that_the_model_refuses_is_a_row(self) -> None:
        space = self.space(
            ('values = ["firmware", "model"]', 'values = ["model"]'),
            ("to = 64", "to = 32"),
            ("trials = 10", "trials = 16"),
            (
                '{ label = "SPTF", policy = "SPTF" }',
                (
                    '{ label = "SPTF", policy = "SPTF" }, { label = "exact", '
                    'policy = "OPS:SCAN/CLUST-REQ(8)" }'
                ),
            ),
            (
                '[[parameter]]\nname = "depth"',
                (
                    '[[parameter]]\nname = "order"\nkey = "accelerator.order_m"\nvalues = [8, 6]\n'
                    '[[parameter]]\nname = "depth"'
                ),
            ),
        )
        code, out, err = self.optimise(space)
        self.assertEqual(code, 0, err)
        frame = self.frame()
        refused = frame.filter(status="refused")
        self.assertGreater(refused.height, 0)
        self.assertEqual(
            refused["trial"].to_list(), frame.filter(policy="exact", order=6)["trial"].to_list()
        )
        self.assertIn(
            "policy OPS:SCAN/CLUST-REQ(8) makes exact orders of 8 requests", refused["message"][0]
        )
        self.assertIn(f"{refused.height} refused", out)

    def test_a_check_tries_the_front_again(self) -> None:
        counting = self.executable(self.COUNTS)
        self.assertEqual(self.optimise(self.space(), "--check", platter=counting)[0], 2)
        self.assertEqual(self.optimise(self.space(), platter=counting)[0], 0)
        front = self.frame().filter("front")
        before = self.runs()
        code, out, err = self.optimise(
            self.space(), "--check", output="check.parquet", platter=counting
        )
        self.assertEqual(code, 0, err)
        self.assertEqual(self.runs() - before, front.height * (3 + 2))
        checked = self.frame("check.parquet")
        self.assertEqual(checked.height, 2 * front.height)
        self.assertEqual(
            checked["check"].unique(maintain_order=True).to_list(), ["other seeds", "another drive"]
        )
        for name, rows in checked.group_by("check"):
            self.assertEqual(rows.sort("trial")["trial"].to_list(), front["trial"].to_list(), name)
            points = [tuple(row) for row in rows.select("p99", "fairness", "LUTs").rows()]
            self.assertEqual(rows["front"].to_list(), undominated(points, [False, True, False]))
        self.assertNotEqual(
            checked.filter(check="another drive")["p99"].to_list(), front["p99"].to_list()
        )
        self.assertIn("stay undominated", out)
        without = self.space((SPACE[SPACE.index("[[check]]") :], ""))
        code, _, err = self.optimise(without, "--check")
        self.assertEqual(code, 2)
        self.assertIn("tables [[check]]", err)

    def test_a_table_may_be_csv_hold_the_front_only_and_have_a_picture(self) -> None:
        drawn = (self.space(), "--front", "--figure", str(self.folder / "front.svg"))
        self.assertEqual(self.optimise(*drawn, output="out.csv")[0], 0)
        with (self.folder / "out.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["front"] for row in rows}, {"true"})
        self.assertEqual(list(rows[0])[:3], ["trial", "engine", "policy"])
        picture = (self.folder / "front.svg").read_bytes()
        self.assertIn(b"fairness", picture)
        self.assertEqual(self.optimise(*drawn, output="out.csv")[0], 0)
        self.assertEqual((self.folder / "front.svg").read_bytes(), picture)

    def test_an_estimate_runs_little_and_writes_nothing(self) -> None:
        code, out, err = self.optimise(self.space(), "--estimate")
        self.assertEqual(code, 0, err)
        self.assertIn("10 trials of 2 runs, 0 of them done; 10 to do, 20 runs", out)
        self.assertFalse((self.folder / "out.parquet").exists())
        self.assertFalse((self.folder / "journal").exists())
        self.assertEqual(self.optimise(self.space(), "--trials", "4")[0], 0)
        self.assertIn("4 of them done; 6 to do", self.optimise(self.space(), "--estimate")[1])

    def test_bad_spaces_say_what_was_expected_before_anything_runs(self) -> None:
        counting = self.executable(self.COUNTS)
        cases = [
            (
                ('key = "accelerator.lanes"', 'key = "accelerator.lane"'),
                (
                    r"space.toml:33: accelerator.lane: found 1, which the model refuses: "
                    r"(.|\n)*no such key"
                ),
            ),
            (
                ('key = "drive.queue.depth"', 'key = "drive.queue.dept"'),
                r"space.toml:14: accelerator.entries: .*whose {drive.queue.depth} has no value",
            ),
            (
                ("response_ms.p99", "response_ms.p98"),
                r'space.toml:38: ?metric p99: .* no "p98"; expected p99',
            ),
            (
                ("classes.discrete.response_ms.p99", "host.requests_per_cpu_s"),
                r"space.toml:38: ?metric p99: .*; its name is host.decisions_per_cpu_s now",
            ),
            (("response_ms.p99", "response_ms"), "not a number"),
            (
                ("classes.discrete.response_ms.p99", "classes.discreet.response_ms.p99"),
                r'space.toml:38: ?metric p99: .*where classes has no "discreet"; expected discrete',
            ),
            (
                ("classes.discrete.response_ms.p99", "jobs.database.response_ms.p99"),
                r"space.toml:38: ?metric p99: .*which a result has only with workload.job;",
            ),
            (
                ('path = "hiccups"', 'path = "energy.mean_w"'),
                r"space.toml:48: ?metric hiccups: .*only with drive.power.spindle_w or drive",
            ),
            (
                ('cost = "luts"', 'cost = "lutz"'),
                r"space.toml:45: cost: found lutz, expected one of luts",
            ),
            (
                ("{ from = 16, to = 64, step = 8 }", "{ from = 64, to = 16, step = 8 }"),
                r"space.toml:30: range: found an empty range from 64 to 16",
            ),
            (("step = 8", "step = 0"), "step = 0 from 16 to 64"),
            (
                ("to = 64, step = 8", "to = 60, step = 8"),
                (
                    r"space.toml:30: range: found from 16 in steps of 8, "
                    r"which do not reach to = 60, expected to = 56 or 64: both ends"
                ),
            ),
            (("from = 0.1, to = 2.0", "from = 0, to = 2.0"), "log with both ends above 0"),
            (
                ('direction = "maximise"', 'direction = "maximize"'),
                r"space.toml:42: direction: found 'maximize', expected minimise or maximise",
            ),
            (
                ("values = [1, 2, 4, 8]", "values = []"),
                r"space.toml:34: values: found an empty parameter lanes",
            ),
            (
                ("values = [1, 2, 4, 8]", "values = [1, 2, 16]"),
                (
                    r"not known: 16 x 16, orderer none, angles of 16 bits, cylinders of 18 bits, "
                    r"optional parts none: "
                    r"outside the measured points"
                ),
            ),
            (
                ("to = 64", "to = 512"),
                r"luts of engine = model, depth = 264, lanes = 1, which are not known",
            ),
            (("accelerator.order_m = 0", "accelerator.order_m = 4"), "outside the measured points"),
            (
                ("accelerator.order_m = 0", "accelerator.order_m = 0\naccelerator.angle_bits = 12"),
                "only angles of 16 bits were measured",
            ),
            (
                ("accelerator.order_m = 0", "accelerator.order_m = 6"),
                r"depth = 40, lanes = 1.*32 x 1\|2\|4\|8|fmax_mhz.* are not known",
            ),
            (
                ('when = { engine = "model" }', 'when = { engin = "model" }'),
                r"in a condition engin, expected an earlier parameter",
            ),
            (
                ('when = { engine = "model" }', 'when = { engine = "modl" }'),
                r"'modl', which the parameter does not have, expected one of firmware, model",
            ),
            (
                ("ASPTF({weight})", "ASPTF({weight}{wait})"),
                r"whose {wait} has no value with engine = firmware, policy = aged",
            ),
            (
                ('when = { policy = "aged" }', 'when = { engine = "model" }'),
                r"whose {weight} has no value with",
            ),
            (("cost.fmax_mhz", "cost.fmax"), r"a placeholder {cost.fmax}"),
            (
                ("ASPTF({weight})", "ASPTFX({weight})"),
                r"policy: found 'aged', which the model refuses: (.|\n)*ASPTFX",
            ),
            (
                ('"drive" = "cheetah9lp"', '"drive" = "cheetah9l"'),
                (
                    r"space.toml:55: set: found keys that the model refuses in "
                    r"'another drive': (.|\n)*cheetah9l"
                ),
            ),
            (("to = 64, step = 8", "to = 1000000000"), "more than 200000 combinations of .*depth"),
            (
                (
                    (
                        'name = "depth"\nkey = "drive.queue.depth"\n'
                        "range = { from = 16, to = 64, step = 8 }"
                    ),
                    'name = "depth"\nkey = "drive.queue.depth"\nrange = { from = 16.0, to = 64.0 }',
                ),
                "a continuous range of a parameter on which costs depend",
            ),
            (
                ("trials = 10", "trials = 0"),
                r"trials: found 0, expected a whole number, at least 1",
            ),
            (("trials = 10\n", ""), r"trials: found nothing"),
            (
                ("trials = 10", "trails = 10"),
                r"trails: found in the space a key that does not exist",
            ),
            (("seeds = 2", "seeds = 0"), "how many, or a list of different seeds"),
            (("population = 4", 'sampler = "NSGA"'), "found 'NSGA', expected NSGA-II or TPE"),
            (("population = 4", "startup = 4"), "expected sampler TPE"),
            (("at_most = 0", ""), "neither at_most nor at_least"),
            (
                ('name = "fairness"', 'name = "p99"'),
                "p99, a name that another entry or a column of the table has",
            ),
            (
                ('name = "fairness"', 'name = "status"'),
                "status, a name that another entry or a column of the table has",
            ),
            (
                ('key = "accelerator.lanes"', 'key = "drive.queue.depth"'),
                "a key that depth sets too",
            ),
            (("mixed_media.toml", "nothing.toml"), "which is not a file"),
            (
                ("sim.warmup_s", "sim.seed"),
                "space.toml:10: sim.seed: found a key that `seeds` sets",
            ),
            (('"drive" = "cheetah9lp"', "sim.seed = 7"), "sim.seed: found a key that `seeds` sets"),
            (("measure_s = 2", "measure_s = 'x'"), "sim.measure_s"),
            (
                ('cost = "luts"', 'parameter = "weight"'),
                "a parameter of numbers, without a condition",
            ),
            (
                ('cost = "luts"', 'parameter = "policy"'),
                "a parameter of numbers, without a condition",
            ),
        ]
        for change, expected in cases:
            with self.subTest(change=change[1]):
                code, _, err = self.optimise(self.space(change), platter=counting)
                self.assertEqual(code, 2, err)
                self.assertRegex(err, expected)
                self.assertIn("space.toml", err)
        for options, expected in (
            (("--trials", "0"), "--trials: found 0"),
            (("--jobs", "0"), "--jobs"),
            (("--on", "mars"), "--on"),
            (("--figure", "x.gif"), "a picture that ends in"),
            (("--check", "--figure", "x.svg"), "--figure: found with --check"),
            (("--check", "--front"), "--front: found with --check"),
        ):
            code, _, err = self.optimise(self.space(), *options, platter=counting)
            self.assertEqual(code, 2)
            self.assertIn(expected, err)
        self.assertEqual(self.optimise(self.space(), output="out.txt", platter=counting)[0], 2)
        self.assertEqual(self.runs(), 0)
        self.assertEqual(
            sorted(file.name for file in self.folder.iterdir() if file.name != "kept"),
            ["platter", "space.toml"],
        )

    def test_the_shipped_search_is_good(self) -> None:
        space = read_space(ROOT / "models/configs/searches/controller.toml")
        self.assertEqual(
            [one.quantity.name for one in space.objectives],
            ["p99", "fairness", "streams served", "LUTs"],
        )
        code, _, err = self.optimise(space.file, "--trials", "1")
        self.assertEqual(code, 0, err)


def engine(
    entries: int = 32,
    lanes: int = 4,
    order_m: int = 0,
    angle_bits: int = 16,
    features: int = 0,
    *,
    accelerated: bool = True,
) -> Engine:
    return Engine(accelerated, 32, entries, lanes, order_m, angle_bits, features, 100, 600, 100)


class Prices(unittest.TestCase):
    def rows(self) -> list[dict[str, str]]:
        with (ROOT / "docs/reference/data/accelerator_ppa.csv").open() as file:
            return list(csv.DictReader(file))

    def test_a_measured_point_has_its_own_value(self) -> None:
        for row in self.rows():
            at = engine(int(row["entries"]), int(row["lanes"]), int(row["order_m"]))
            for column in ("lut4", "carry", "ff", "ram_lut", "ram_block", "mult"):
                self.assertEqual(
                    COSTS[column].of(at), prices.Price(float(row[column]), Source.MEASURED)
                )
            self.assertEqual(
                COSTS["luts"].of(at).value, float(row["lut4"]) + 2 * float(row["carry"])
            )
            self.assertEqual(COSTS["decision_cycles"].of(at).value, float(row["cycles"]))
            if row["fmax_mhz"]:
                self.assertEqual(
                    COSTS["fmax_mhz"].of(at), prices.Price(float(row["fmax_mhz"]), Source.MEASURED)
                )

    def test_optional_parts_have_their_price_where_they_were_measured(self) -> None:
        with (ROOT / "docs/reference/data/accelerator_parts.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["features"] for row in rows}, {"0", "1", "2", "4", "8", "15"})
        for row in rows:
            at = engine(features=int(row["features"]))
            self.assertEqual(
                COSTS["luts"].of(at),
                prices.Price(float(row["lut4"]) + 2 * float(row["carry"]), Source.MEASURED),
            )
            self.assertEqual(
                COSTS["mult"].of(at), prices.Price(float(row["mult"]), Source.MEASURED)
            )
        self.assertNotEqual(
            COSTS["fmax_mhz"].of(engine(features=15)), COSTS["fmax_mhz"].of(engine())
        )
        for at, name in (
            (engine(features=3), "luts"),
            (engine(64, features=15), "luts"),
            (engine(features=1), "fmax_mhz"),
            (engine(features=4), "kge"),
        ):
            with (
                self.subTest(at=at.text(), name=name),
                self.assertRaisesRegex(
                    NoPriceError, r"accelerator.features = \[\], there are more"
                ),
            ):
                COSTS[name].of(at)
        with (ROOT / "docs/reference/data/accelerator_ppa_asic.csv").open() as file:
            [bits] = [
                int(row["memory_bits"]) for row in csv.DictReader(file) if row["features"] == "15"
            ]
        # Counted in the netlist
        self.assertEqual(
            COSTS["memory_bits"].of(engine(features=15)), prices.Price(bits, Source.FORMULA)
        )

    def test_wider_cylinder_numbers_have_their_price_where_they_were_measured(self) -> None:
        with (ROOT / "docs/reference/data/accelerator_cylinders.csv").open() as file:
            rows = [row for row in csv.DictReader(file) if row["cyl_w"] != "18"]
        self.assertIn("21", {row["cyl_w"] for row in rows})
        for row in rows:
            at = replace(engine(features=int(row["features"])), cylinder_bits=int(row["cyl_w"]))
            for column in ("lut4", "ff", "ram_block"):
                self.assertEqual(
                    COSTS[column].of(at), prices.Price(float(row[column]), Source.MEASURED)
                )
        wide = [replace(engine(), cylinder_bits=bits) for bits in range(14, 22)]
        bits = [COSTS["memory_bits"].of(at).value for at in wide]
        self.assertEqual(bits, sorted(set(bits)))
        for at, name in (
            (replace(engine(64), cylinder_bits=20), "luts"),
            (replace(engine(), cylinder_bits=20), "fmax_mhz"),
            (replace(engine(), cylinder_bits=20), "decision_nj"),
        ):
            with (
                self.subTest(at=at.text(), name=name),
                self.assertRaisesRegex(NoPriceError, "cylinders of 20 bits"),
            ):
                COSTS[name].of(at)

    def test_the_width_of_cylinder_numbers_is_that_of_the_drive(self) -> None:
        scenario = Scenario(PLATTER, SCENARIO)
        for settings, bits in (
            (dict[str, str](), 18),
            ({"drive": "atlas10k"}, 18),
            ({"drive": "wd22tb"}, 20),
            ({"drive.file": "wd22tb"}, 20),
            ({"drive": "wd22tb", "accelerator.cylinder_bits": "21"}, 21),
            ({"drive.geometry.cylinders": "262145"}, 19),
        ):
            with self.subTest(settings=settings):
                found = Engine.configured(scenario.with_drive_of(settings), settings)
                self.assertEqual(found.cylinder_bits, bits)

    def test_the_energy_of_a_decision_is_that_of_the_measured_accelerators(self) -> None:
        with (ROOT / "docs/reference/data/accelerator_power.csv").open() as file:
            rows = [row for row in csv.DictReader(file) if row["gates"] == "1"]
        for features in ("0", "15"):
            windows = [float(r["nj_with_clock"]) for r in rows if r["features"] == features]
            price = COSTS["decision_nj"].of(engine(features=int(features)))
            self.assertEqual(price.source, Source.MEASURED)
            self.assertAlmostEqual(price.value, sum(windows) / len(windows))
        for at in (engine(64), engine(order_m=6), engine(features=1), engine(angle_bits=20)):
            with self.subTest(at=at.text()), self.assertRaisesRegex(NoPriceError, "not measured"):
                COSTS["decision_nj"].of(at)
        firmware = engine(accelerated=False)  # 600 + 32 * 100 cycles
        self.assertEqual(
            COSTS["decision_nj"].of(firmware), prices.Price(3800 * 0.0625, Source.FIRMWARE)
        )
        self.assertEqual(COSTS["rest_mw"].of(firmware), prices.Price(0.0, Source.FIRMWARE))

    def test_between_measured_points_it_lies_between_them(self) -> None:
        for low, high, between in (
            ((32, 4, 0), (64, 4, 0), (48, 4, 0)),
            ((32, 4, 6), (32, 4, 8), (32, 4, 7)),
            ((128, 2, 10), (256, 4, 10), (192, 3, 10)),
        ):
            values = [COSTS["ff"].of(engine(*place)) for place in (low, between, high)]
            self.assertEqual(values[1].source, Source.INTERPOLATED)
            self.assertLess(values[0].value, values[1].value)
            self.assertLess(values[1].value, values[2].value)
        table = {(16, 1, 0): 1.0, (64, 1, 0): 3.0}
        self.assertEqual(
            prices.interpolated(table, (32, 1, 0)), prices.Price(2.0, Source.INTERPOLATED)
        )
        self.assertIsNone(prices.interpolated(table, (32, 2, 0)))
        self.assertIsNone(
            prices.interpolated({**table, (16, 2, 0): 1.0}, (32, 2, 0)), "a corner was not measured"
        )

    def test_nothing_is_extrapolated(self) -> None:
        outside = [
            engine(8),
            engine(300),
            engine(lanes=16),
            engine(order_m=2),
            engine(order_m=5),
            engine(angle_bits=12),
            engine(angle_bits=20),
        ]
        for at, name in itertools.product(outside, ("luts", "ff", "fmax_mhz", "cells")):
            with self.subTest(at=at.text(), name=name), self.assertRaises(NoPriceError):
                COSTS[name].of(at)
        for at in (
            engine(64, 4, 6),
            engine(48, 4, 6),
            engine(32, 2, 12),
        ):  # synthesized, but not placed
            COSTS["luts"].of(at)
            with self.assertRaises(NoPriceError):
                COSTS["fmax_mhz"].of(at)
        COSTS["kge"].of(engine())
        with self.assertRaises(NoPriceError):
            COSTS["kge"].of(engine(lanes=2))

    def test_formulas_are_those_of_the_contract(self) -> None:
        self.assertEqual(
            COSTS["memory_bits"].of(engine(order_m=6)), prices.Price(164_224, Source.FORMULA)
        )
        # A row a lane, from `scripts/synth`
        self.assertEqual(COSTS["memory_bits"].of(engine(16, 16)).value, 594_784)
        with (ROOT / "docs/reference/data/accelerator_cycles.csv").open() as file:
            for row in csv.DictReader(file):
                if row["work"] == "decide":
                    self.assertEqual(
                        COSTS["decision_cycles"]
                        .of(engine(int(row["entries"]), int(row["lanes"])))
                        .value,
                        float(row["cycles"]),
                    )
        self.assertEqual(COSTS["decision_ns"].of(engine()).value, 200)
        self.assertEqual(
            COSTS["order_cycles"].of(engine(order_m=10)), prices.Price(1221, Source.MEASURED)
        )

    def test_firmware_costs_no_area_but_time(self) -> None:
        for name in ("luts", "ff", "kge", "memory_bits", "order_cycles"):
            self.assertEqual(
                COSTS[name].of(engine(accelerated=False)), prices.Price(0, Source.FIRMWARE)
            )
        self.assertEqual(
            COSTS["decision_cycles"].of(engine(accelerated=False)).value, 600 + 100 * 32
        )
        with self.assertRaises(LabError):
            COSTS["fmax_mhz"].of(engine(accelerated=False))


class CommittedFront(unittest.TestCase):
    """docs/reference/optimise.md shows what docs/reference/data holds."""

    POLICIES: ClassVar = {
        "SPTF": "SPTF",
        "ASPTF": "ASPTF({weight})",
        "SLACK": "OPS:SLACK({patience}\\|{ageing})",
        "CI-SPTF": "OPS:SCAN/CI-SPTF",
        "CLUST": "OPS:SCAN/CLUST-REQ({order})",
    }
    CHECKS = ("seeds not seen", "drive not seen", "drive not seen, fewer requests")

    def setUp(self) -> None:
        self.page = (ROOT / "docs/reference/optimise.md").read_text(encoding="utf-8")
        with (ROOT / "docs/reference/data/controller_front.csv").open() as file:
            self.front = list(csv.DictReader(file))
        with (ROOT / "docs/reference/data/controller_check.csv").open() as file:
            self.checked = {(row["check"], row["trial"]): row for row in csv.DictReader(file)}

    def verdict(self, check: str, trial: str) -> str:
        row = self.checked[check, trial]
        if row["feasible"] != "true":
            return "over 1 s" if float(row["worst p99"]) > 1000 else "hiccups"
        return "yes" if row["front"] == "true" else "dominated"

    def row(self, row: dict[str, str]) -> str:
        engine, policy = row["controller"].split()
        entries, lanes = (
            row["size"].split(" x ")
            if row["size"]
            else (row["depth"] or row["clustered depth"], row["lanes"])
        )
        cells = [
            f"{engine}, `{self.POLICIES[policy].format(**row)}`",
            entries,
            lanes,
            row["streams"],
            f"{float(row['p99']):.0f} ± {(float(row['p99 high']) - float(row['p99 low'])) / 2:.2g}",
            f"{float(row['fairness']):.2f}",
            f"{float(row['LUTs']):,.0f}"
            + (" (interpolated)" if row["LUTs source"] == "interpolated" else ""),
            *(self.verdict(check, row["trial"]) for check in self.CHECKS),
        ]
        return f"| {' | '.join(cells)} |"

    def test_the_table_is_the_front(self) -> None:
        self.assertEqual(
            set(self.checked),
            {(check, row["trial"]) for check in self.CHECKS for row in self.front},
        )
        shown = [
            line
            for line in self.page.splitlines()
            if line.startswith(("| firmware,", "| accelerator,"))
        ]
        self.assertEqual(
            shown, [self.row(row) for row in sorted(self.front, key=lambda row: float(row["p99"]))]
        )

    def test_the_text_counts_right(self) -> None:
        kept, best = (
            {
                check: sum(
                    row[column] == "true"
                    for (name, _), row in self.checked.items()
                    if name == check
                )
                for check in self.CHECKS
            }
            for column in ("feasible", "front")
        )
        text, of = " ".join(self.page.split()), len(self.front)
        seeds, drive, fewer = self.CHECKS
        for words in (
            f"{of} are on the front",
            (
                f"{kept[seeds]} of {of} keep all constraints, "
                f"and {best[seeds]} of these stay undominated"
            ),
            f"{kept[drive]} of {of} keep all constraints and stay undominated",
            f"{kept[fewer]} keep the constraints, {best[fewer]} stay undominated",
        ):
            self.assertIn(words, text)
        self.assertEqual(kept[drive], best[drive])


if __name__ == "__main__":
    unittest.main()
