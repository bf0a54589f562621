# SPDX-License-Identifier: Apache-2.0
"""`platter-lab sweep`: its plans, and runs of the model,
whose executable is in the variable PLATTER."""

import csv
import json
import math
import signal
import struct
import subprocess
import sys
import time
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

import numpy as np
import platter_lab as platter
import polars as pl
import scipy.stats
from lab_case import PLATTER, LabCase
from platter_lab import LabError, StudyFailed
from platter_lab.executable import ROOT, call_platter
from platter_lab.runs.executor import LocalProcesses
from platter_lab.runs.job import content_of, parts_of, value_at
from platter_lab.runs.point import Point
from platter_lab.runs.runner import Runner
from platter_lab.runs.store import Store
from platter_lab.settings import text
from platter_lab.sweep.plan import read_plan
from platter_lab.sweep.table import Table

SCENARIO = ROOT / "models/configs/scenarios/mixed_media.toml"
PLAN = f"""
format = 1
scenario = "{SCENARIO}"
seeds = 3
[set]
engine = "firmware"
sim.warmup_s = 0
sim.measure_s = 3
[[axis]]
key = "policy"
values = ["SPTF", "FCFS"]
[[axis]]
name = "rate"
key = "workload.discrete.rate_per_s"
range = {{ from = 10, to = 30, step = 20 }}
[[metric]]
name = "mean"
path = "classes.discrete.response_ms.mean"
[compare]
axis = "policy"
baseline = "FCFS"
"""


class Sweeps(LabCase):
    def plan(self, *changes: tuple[str, str], text: str = PLAN) -> Path:
        return self.write("plan.toml", text, *changes)

    def sweep(
        self, plan: Path, *options: str, output: str = "out.parquet", platter: Path = PLATTER
    ) -> tuple[int, str, str]:
        return self.lab(*self.words("sweep", plan, *options, output=output, platter=platter))

    def frame(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "out.parquet")

    def test_a_row_is_a_run_and_its_intervals_are_students(self) -> None:
        code, out, err = self.sweep(self.plan())
        self.assertEqual(code, 0, err)
        self.assertIn("4 configurations, 12 runs, 0 failed", out)
        frame = self.frame()
        self.assertEqual(frame.height, 12)
        self.assertEqual(frame.select("policy", "rate", "seed").unique().height, 12)
        self.assertEqual(frame["rate"].dtype, pl.Int64)
        one = frame.filter(policy="SPTF", rate=30, seed=2).row(0, named=True)
        result = self.folder / "by_hand.json"
        words = (
            "--quiet --set engine=firmware --set sim.warmup_s=0 --set sim.measure_s=3 "
            "--set policy=SPTF --set workload.discrete.rate_per_s=30 --set sim.seed=2 --result"
        )
        subprocess.run([PLATTER, "run", SCENARIO, *words.split(), result], check=True)
        self.assertEqual(
            one["mean"],
            json.loads(result.read_text())["classes"]["discrete"]["response_ms"]["mean"],
        )
        samples = frame.filter(policy="SPTF", rate=30)["mean"].to_list()
        low, high = scipy.stats.t.interval(
            0.95, 2, scipy.stats.tmean(samples), scipy.stats.sem(samples)
        )
        self.assertAlmostEqual(one["mean low"], low)
        self.assertAlmostEqual(one["mean high"], high)
        others = frame.filter(policy="FCFS", rate=30).sort("seed")["mean"].to_list()
        ours = frame.filter(policy="SPTF", rate=30).sort("seed")["mean"].to_list()
        ratios = [a / b for a, b in zip(ours, others, strict=True)]
        self.assertAlmostEqual(one["mean ratio"], sum(ratios) / 3)
        self.assertEqual(set(frame.filter(policy="FCFS")["mean ratio"]), {1.0})
        metadata = json.loads(
            pl.read_parquet_metadata(self.folder / "out.parquet")["platter.sweep"]
        )
        self.assertEqual(metadata["units"], {"mean": "ms"})

    def test_what_was_not_measured_is_not_zero(self) -> None:
        fair = 'name = "fair"\npath = "classes.discrete.fairness_index"'
        starved = self.executable(
            self.nothing_measured(
                "'policy=FCFS' in sys.argv or ('sim.seed=2' in sys.argv and "
                "'workload.discrete.rate_per_s=10' in sys.argv)"
            )
        )
        code, out, err = self.sweep(
            self.plan(("[[metric]]", f"[[metric]]\n{fair}\n[[metric]]")), platter=starved
        )
        self.assertEqual(code, 0, err)
        frame = self.frame()
        columns = [
            f"{metric}{what}"
            for metric in ("mean", "fair")
            for what in ("", " mean", " low", " high", " ratio", " ratio low", " ratio high")
        ]
        for name in columns:
            self.assertEqual(
                (frame[name].dtype, set(frame.filter(policy="FCFS")[name])),
                (pl.Float64, {None}),
                name,
            )
        self.assertEqual(set(frame["mean ratio"]), {None})  # the baseline has no value
        some = frame.filter(policy="SPTF", rate=10).sort("seed")
        self.assertEqual([value is None for value in some["mean"]], [False, True, False])
        samples = [some["mean"][0], some["mean"][2]]
        low, high = scipy.stats.t.interval(
            0.95, 1, scipy.stats.tmean(samples), scipy.stats.sem(samples)
        )
        self.assertAlmostEqual(some["mean mean"][0], sum(samples) / 2)
        self.assertAlmostEqual(some["mean low"][0], low)
        self.assertAlmostEqual(some["mean high"][0], high)
        self.assertEqual(set(some["mean none"]), {1})
        self.assertEqual(set(frame.filter(policy="FCFS")["mean none"]), {3})
        self.assertEqual(set(frame.filter(policy="SPTF", rate=30)["mean none"]), {0})
        shown = {
            tuple(line.split()[:2]): line
            for line in out.splitlines()
            if line.startswith(("SPTF", "FCFS"))
        }
        self.assertEqual(shown["FCFS", "10"].split()[2:], ["–"] * 4)
        self.assertIn("(1 none)", shown["SPTF", "10"])
        self.assertNotIn("none", shown["SPTF", "30"])
        self.assertIn("mean: 7 runs have no value", out)

    def test_a_metric_may_be_a_cost_of_the_engine(self) -> None:
        cost = '[[metric]]\nname = "energy"\ncost = "decision_nj"\n[compare]'
        fixed = (
            "[set]\n",
            "[set]\ndrive.controller.firmware_base_cycles = 600\n"
            "drive.controller.firmware_candidate_cycles = 100\n",
        )
        code, _, error = self.sweep(self.plan(("[compare]", cost), fixed))
        self.assertEqual((code, error), (0, ""))
        table = pl.read_parquet(self.folder / "out.parquet")
        depth = 32  # of the drive
        self.assertEqual(set(table["energy"]), {(600 + 100 * depth) * 0.0625})
        code, _, error = self.sweep(
            self.plan(
                ("[compare]", cost),
                ('"firmware"', '"model"'),
                ("sim.warmup_s = 0", "sim.warmup_s = 0\naccelerator.entries = 64"),
                ('["SPTF", "FCFS"]', '["SPTF", "LOOK"]'),
                ('baseline = "FCFS"', 'baseline = "LOOK"'),
            )
        )
        self.assertEqual(code, 2)
        self.assertRegex(error, r"plan.toml:\d+: cost decision_nj: 64 x .*was not measured")

    def test_both_ends_of_a_range_are_in_it(self) -> None:
        for given, values in (
            ("{ from = 10, to = 30, step = 20 }", [10, 30]),
            ("{ from = 0.1, to = 0.7, step = 0.2 }", [0.1, 0.3, 0.5, 0.7]),
            ("{ from = 30, to = 10, step = -10 }", [30, 20, 10]),
            ("{ from = 5, to = 5, step = 1 }", [5]),
        ):
            plan = read_plan(self.plan(("{ from = 10, to = 30, step = 20 }", given)))
            self.assertEqual([step.label for step in plan.axes[1].steps], values)
        for given, expected in (
            (
                "{ from = 10, to = 25, step = 10 }",
                (
                    "from 10 in steps of 10, which do not reach to = 25, expected to = 20 or 30, "
                    "or step = 15: both"
                ),
            ),
            ("{ from = 1, to = 100, step = 30 }", "expected to = 91 or 121, or step = 33: both"),
            (
                "{ from = 0.1, to = 1.0, step = 0.2 }",
                "to = 0.9 or 1.1, or step = 0.225 or 0.18: both",
            ),
            ("{ from = 30, to = 5, step = -10 }", "to = 10 or 0: both"),  # no whole step fits
            ("{ from = 10, to = 15, step = 10 }", "to = 10 or 20, or step = 5"),
        ):
            with self.subTest(given=given):
                code, _, err = self.sweep(self.plan(("{ from = 10, to = 30, step = 20 }", given)))
                self.assertEqual(code, 2)
                self.assertIn("plan.toml:15: range: found ", err)
                self.assertIn(expected, err)

    def test_only_what_changed_is_run_again(self) -> None:
        counting = self.executable(self.COUNTS)
        self.assertEqual(self.sweep(self.plan(), platter=counting)[0], 0)
        self.assertEqual(self.runs(), 12)
        first = (self.folder / "out.parquet").read_bytes()
        self.assertEqual(self.sweep(self.plan(), platter=counting)[0], 0)
        self.assertEqual(self.runs(), 12)
        self.assertEqual((self.folder / "out.parquet").read_bytes(), first)
        self.assertEqual(self.sweep(self.plan(("to = 30", "to = 50")), platter=counting)[0], 0)
        self.assertEqual(self.runs(), 18)

    def test_a_sweep_that_was_killed_goes_on_and_leaves_no_simulator(self) -> None:
        # Once three runs are kept, each further one hangs.
        counting = self.executable(
            self.COUNTS + "\nimport glob\nif sys.argv[1] == 'run' and not there('again') "
            "and len(glob.glob(f'{FOLDER}/kept/*/*.json')) >= 3:\n"
            "  note(f'hangs-{os.getpid()}'); time.sleep(1000)"
        )
        plan = self.plan()
        sweep = self.process("sweep", plan, "--jobs", "2", platter=counting)
        self.wait(lambda: len(list(self.folder.glob("hangs-*"))) == 2)
        sweep.send_signal(signal.SIGKILL)
        sweep.wait()
        self.wait(
            lambda: (
                not any(
                    b"platter" in self._command_line(Path("/proc", file.name[6:]))
                    for file in self.folder.glob("hangs-*")
                )
            )
        )
        (self.folder / "again").touch()
        kept = self.folder / "kept"
        there = len(list(kept.glob("*/*.json")))
        self.assertIn(there, range(3, 12))
        before = self.runs()
        code, _, err = self.sweep(plan, platter=counting)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.runs() - before, 12 - there)
        self.assertEqual(self.frame().height, 12)

    def test_a_sweep_that_is_asked_to_end_does_not_wait_for_its_simulators(self) -> None:
        hangs = self.executable(
            "if sys.argv[1] == 'run': note(f'pid-{os.getpid()}'); time.sleep(1000)"
        )
        sweep = self.process("sweep", self.plan(), "--jobs", "2", platter=hangs)
        self.addCleanup(sweep.wait)
        self.addCleanup(sweep.kill)
        self.wait(lambda: len(list(self.folder.glob("pid-*"))) == 2)
        sweep.send_signal(signal.SIGTERM)
        self.assertEqual(sweep.wait(20), 128 + signal.SIGTERM)
        self.assertEqual(
            [
                file.name
                for file in self.folder.glob("pid-*")
                if Path("/proc", file.name[4:]).exists()
            ],
            [],
        )

    def test_sweeps_that_begin_together_share_a_folder_that_is_not_there_yet(self) -> None:
        code = (
            "import sys\nfrom pathlib import Path\n"
            "from platter_lab.files import expect_writable_folder, write_whole\n"
            "for i in range(400):\n"
            "  expect_writable_folder(Path(sys.argv[1], 'a', 'b', str(i % 3)), 'runs')\n"
        )
        begun = [
            subprocess.Popen(
                [sys.executable, "-c", code, str(self.folder)], stderr=subprocess.PIPE, text=True
            )
            for _ in range(3)
        ]
        for process in begun:
            self.assertEqual(process.communicate(timeout=120)[1], "")
        self.assertEqual([file for file in self.folder.rglob("*") if not file.is_dir()], [])

    def test_the_model_is_called_once_a_configuration_and_once_a_run(self) -> None:
        counting = self.executable("note(f'ran-{os.getpid()}', ' '.join(sys.argv[1:3]))")
        self.assertEqual(self.sweep(self.plan(), platter=counting)[0], 0)
        called = [file.read_text() for file in self.folder.glob("ran-*")]
        self.assertEqual(
            sorted(called),
            sorted(["config schema"] + ["config dump"] * 5 + [f"run {SCENARIO}"] * 12),
        )

    def test_lengths_are_exact(self) -> None:
        point = Point(SCENARIO, (), 0.0, 1234567.5)
        self.assertIn("sim.measure_s=1234567.5", point.overrides())
        self.assertIn("sim.measure_s=600", Point(SCENARIO, (), 0.0, 600.0).overrides())
        plan = self.plan(
            ('key = "policy"', 'key = "sim.measure_s"'),
            ("sim.measure_s = 3\n", ""),
            ('["SPTF", "FCFS"]', "[3.0000001, 3.0000002]"),
            ('"policy"\nbaseline = "FCFS"', '"sim.measure_s"\nbaseline = 3.0000001'),
        )
        self.assertEqual(self.sweep(plan)[0], 0)
        self.assertEqual(len(list((self.folder / "kept").glob("*/*.json"))), 12)

    def test_a_recorded_trace_of_several_files_is_part_of_the_key(self) -> None:
        def events(sector: int) -> bytes:
            rest = (4096, 1 | 0x11 << 16, 1, 8 << 20, 0, 0, 0)
            return b"".join(
                struct.pack("<IIQQIIIIIHH", 0x65617407, 1, i * 10**8, sector + 8 * i, *rest)
                for i in range(9)
            )

        name = self.folder / "sda"
        (self.folder / "sda.blktrace.0").write_bytes(events(0))
        (self.folder / "sda.blktrace.1").write_bytes(b"")
        text = PLAN.replace(
            "workload.discrete.rate_per_s", "workload.discrete.trace_speed"
        ).replace(
            "sim.warmup_s = 0",
            f'''sim.warmup_s = 0
workload.discrete.source = "trace"
workload.discrete.trace = "{name}"''',
        )
        counting = self.executable(self.COUNTS)
        self.assertEqual(self.sweep(self.plan(text=text), platter=counting)[0], 0)
        self.assertEqual(self.runs(), 12)
        first = self.frame()["mean"].to_list()
        self.assertEqual(self.sweep(self.plan(text=text), platter=counting)[0], 0)
        self.assertEqual(self.runs(), 12)
        (self.folder / "sda.blktrace.1").write_bytes(events(10**6))
        self.assertEqual(self.sweep(self.plan(text=text), platter=counting)[0], 0)
        self.assertEqual(self.runs(), 24)
        self.assertNotEqual(self.frame()["mean"].to_list(), first)

    def test_an_own_policy_that_was_built_again_runs_again(self) -> None:
        source = Path(__file__).resolve().parents[1] / "own_policy" / "nearest.cpp"
        file = self.folder / "nearest.so"

        def build(text: str) -> None:
            (self.folder / "nearest.cpp").write_text(text)
            command = [PLATTER, "policy", "build", self.folder / "nearest.cpp", "-o", file]
            subprocess.run(command, check=True, capture_output=True)

        def plan(gain: int) -> Path:
            policies = f"[\"FCFS\", 'own:{file}({gain})']"
            return self.plan(text=PLAN.replace('["SPTF", "FCFS"]', policies))

        build(source.read_text())
        counting = self.executable(self.COUNTS)
        self.assertEqual(self.sweep(plan(1), platter=counting)[0], 0)
        self.assertEqual(self.runs(), 12)
        self.assertEqual(self.sweep(plan(2), platter=counting)[0], 0)
        self.assertEqual(self.runs(), 18)
        self.assertEqual(self.sweep(plan(1), platter=counting)[0], 0)
        self.assertEqual(self.runs(), 18)
        build(source.read_text().replace("cost < best_cost", "cost <= best_cost"))
        self.assertEqual(self.sweep(plan(1), platter=counting)[0], 0)
        self.assertEqual(self.runs(), 24)

    def test_a_kept_result_that_is_damaged_is_made_again(self) -> None:
        counting = self.executable(self.COUNTS)
        self.assertEqual(self.sweep(self.plan(), platter=counting)[0], 0)
        first = self.frame()
        for file, content in zip(
            sorted((self.folder / "kept").glob("*/*.json")),
            ("", "{", "{}", "[]", "null", "\udcff"),
            strict=False,
        ):
            file.write_text(content, errors="surrogateescape")
        self.assertEqual(self.sweep(self.plan(), platter=counting)[0], 0)
        self.assertEqual(self.runs(), 18)
        self.assertTrue(self.frame().equals(first))

    def test_a_scenario_may_be_a_link(self) -> None:
        (self.folder / "there").mkdir()
        (self.folder / "link.toml").symlink_to(SCENARIO)
        plan = self.plan((str(SCENARIO), "there/../link.toml"))
        self.assertEqual(read_plan(plan).scenario, self.folder.resolve() / "link.toml")

    def test_no_more_of_a_result_is_held_than_the_table_needs(self) -> None:
        result = {
            "a": {"b": 1, "c": None, "d": {"e": 2}},
            "list": [{"x": 3.5}, {"x": 4}],
            "much": list(range(1000)),
        }
        places = [
            ("a", "b"),
            ("a", "b", "z"),
            ("a", "c"),
            ("a", "c", "z"),
            ("a", "d"),
            ("list", "1", "x"),
            ("list", "7", "x"),
            ("no",),
        ]
        parts = parts_of(result, places)
        self.assertEqual(parts, {"a": {"b": 1}, "list": {"1": {"x": 4}}})
        self.assertEqual(
            [value_at(parts, place) for place in places], [1, None, None, None, None, 4, None, None]
        )
        self.assertEqual(parts_of(result, ()), result)

    def test_an_estimate_of_many_points_looks_at_some(self) -> None:
        counting = self.executable(self.COUNTS)
        with unittest.mock.patch("platter_lab.runs.runner._MOST_PROBED", 2):
            code, out, err = self.sweep(self.plan(), "--estimate", platter=counting)
        self.assertEqual(code, 0, err)
        self.assertIn(
            "about, from 2 of the points: 4 points, 12 runs, 0 of them kept; 12 to do", out
        )
        self.assertEqual(self.runs(), 4)

    def test_a_table_may_be_written_to_what_is_open(self) -> None:
        link = self.folder / "open.csv"
        link.symlink_to("/dev/stdout")
        with (self.folder / "told").open("w") as told:
            done = self.process(
                "sweep", self.plan(), output=link.name, stdout=told, stderr=subprocess.PIPE
            )
            self.assertEqual((done.communicate()[1], done.returncode), (b"", 0))
        self.assertTrue((self.folder / "told").read_text().startswith("policy,rate,seed,"))

    @staticmethod
    def _command_line(process: Path) -> bytes:
        try:
            return (process / "cmdline").read_bytes()
        except OSError:
            return b""

    def test_a_run_that_fails_once_is_tried_again(self) -> None:
        flaky = self.executable(
            self.COUNTS + "\nif sys.argv[1] == 'run' and 'sim.seed=2' in sys.argv "
            "and not there('once'):\n"
            "  note('once'); os.kill(os.getpid(), 9)"
        )
        code, _, err = self.sweep(self.plan(), platter=flaky)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.runs(), 13)
        self.assertEqual(set(self.frame()["status"]), {"good"})

    def test_a_run_that_always_fails_is_listed_and_the_others_go_on(self) -> None:
        broken = self.executable(
            self.COUNTS + "\nif sys.argv[1] == 'run' and 'sim.seed=2' in sys.argv "
            "and 'policy=SPTF' in sys.argv:\n"
            "  sys.stderr.write('it is broken'); sys.exit(1)"
        )
        code, out, err = self.sweep(self.plan(), platter=broken)
        self.assertEqual(code, 1)
        self.assertIn("12 runs, 2 failed", out)
        self.assertIn("it is broken", err)
        self.assertEqual(self.runs(), 14)
        frame = self.frame()
        self.assertEqual(
            frame.filter(status="failed").select("policy", "seed").unique().rows(), [("SPTF", 2)]
        )
        self.assertIn("it is broken", frame.filter(status="failed")["message"][0])
        good = frame.filter(policy="SPTF", rate=10, status="good")["mean"].to_list()
        self.assertAlmostEqual(frame.filter(policy="SPTF", rate=10)["mean mean"][0], sum(good) / 2)

    def test_a_run_that_hangs_is_ended(self) -> None:
        hangs = self.executable(
            "if sys.argv[1] == 'run' and 'sim.seed=3' in sys.argv "
            "and 'policy=FCFS' in sys.argv: time.sleep(1000)"
        )
        begin = time.monotonic()
        code, out, err = self.sweep(self.plan(), "--limit", "2", platter=hangs)
        self.assertEqual(code, 1)
        self.assertIn("took longer than 2 s", err)
        self.assertIn("2 failed", out)
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_table_may_be_csv(self) -> None:
        self.assertEqual(self.sweep(self.plan(), output="out.csv")[0], 0)
        with (self.folder / "out.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 12)
        self.assertEqual(list(rows[0])[:3], ["policy", "rate", "seed"])

    def test_logs_of_requests_are_kept_where_asked_for(self) -> None:
        counting = self.executable(self.COUNTS)
        self.assertEqual(self.sweep(self.plan(), platter=counting)[0], 0)
        plan = self.plan(("seeds = 3", "seeds = 3\nrequests = true"))
        code, _, err = self.sweep(plan, platter=counting)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.runs(), 24, "the results were kept, without logs")
        for row in self.frame().iter_rows(named=True):
            log = pl.read_parquet(row["requests"]).filter(
                pl.col("class") == "discrete", pl.col("status") == "good"
            )
            self.assertAlmostEqual(
                (log["completed_ps"] - log["issued_ps"]).mean() / 1e9, row["mean"], places=6
            )
        self.assertEqual(self.sweep(plan, platter=counting)[0], 0)
        self.assertEqual(self.runs(), 24)

    def test_logs_of_a_host_without_one_are_refused_at_the_start(self) -> None:
        server = ROOT / "docs/papers/replicated-striping/server.toml"
        counting = self.executable(self.COUNTS)
        for change in (
            (f'"{SCENARIO}"', f'"{server}"'),
            (
                'key = "workload.discrete.rate_per_s"\nrange = { from = 10, to = 30, step = 20 }',
                'key = "host.kind"\nvalues = ["drive", "media_server"]',
            ),
        ):
            plan = self.plan(("seeds = 3", "seeds = 3\nrequests = true"), change)
            code, _, err = self.sweep(plan, platter=counting)
            self.assertEqual(code, 2, err)
            self.assertIn(
                f'{plan}:5: requests: found true with host.kind = "media_server", which keeps no '
                "log of requests, expected false, or one of the hosts drive, array, ",
                err,
            )
        self.assertEqual(self.runs(), 0)

    NAMES = """
named = os.path.join(FOLDER, 'named.txt')
if sys.argv[1:3] == ['config', 'dump']: print(f'name = "{named}"'); sys.exit()
if there('change'): note('named.txt', 'changed')
if there('fail'): sys.exit(1)
import json
content = open(named).read()
result = {'configuration': {'name': named}, 'from': content, 'host': {'cpu_s': 0.1}}
open(sys.argv[sys.argv.index('--result') + 1], 'w').write(json.dumps(result))
if '--requests' in sys.argv:
  note(sys.argv[sys.argv.index('--requests') + 1], f'number,class\\n1,{content}\\n')
sys.exit()"""

    def test_nothing_is_kept_of_a_run_whose_input_changes(self) -> None:
        fake, point = self.executable(self.NAMES), Point(SCENARIO, (), 0.0, 1.0)
        named = self.write("named.txt", "original")

        def runner() -> Runner:
            return Runner(fake, Store(self.folder / "kept"), LocalProcesses(1))

        def outcome(**options: bool) -> Any:
            return runner().outcomes([(point, (1,))], **options)[point][0]

        outcome()
        for more in ((), ("fail",)):  # what fails may have failed because of the change
            for name in ("change", *more):
                self.write(name, "")
            with self.assertRaisesRegex(StudyFailed, f"{named}: changed while the study ran"):
                outcome(logs=True)
            for name in ("change", *more):
                (self.folder / name).unlink()
            named.write_text("original")
        self.assertEqual(runner().estimate([(point, (1,))]).kept, 1)
        self.assertEqual(runner().estimate([(point, (1,))], logs=True).kept, 0)
        result = outcome(logs=True)
        self.assertEqual(result["from"], "original")
        self.assertEqual(pl.read_parquet(result["requests"])["class"].to_list(), ["original"])
        self.assertEqual(runner().estimate([(point, (1,))], logs=True).kept, 1)

    def test_an_own_policy_is_looked_for_where_the_runs_are(self) -> None:
        self.write("policy.py", "import parts")
        (self.folder / "parts").mkdir()
        before = content_of("own:policy.py(1)", self.folder)
        self.assertNotIn(before, ("", content_of("own:policy.py(1)")))
        self.write("parts/__init__.py", "")
        self.assertNotEqual(content_of("own:policy.py(1)", self.folder), before)

    def test_a_baseline_of_0_has_no_ratio(self) -> None:
        plan = read_plan(
            self.plan(("[[axis]]\nname", "[[filter]]\nonly = { rate = 10 }\n[[axis]]\nname"))
        )
        values = {"SPTF": (4, 2, 0), "FCFS": (2, 1, 0)}
        for last in (0, 3):
            values["FCFS"] = (2, 1, last)
            table = Table(
                plan,
                {
                    one: [
                        {"classes": {"discrete": {"response_ms": {"mean": mean}}}}
                        for mean in values[one.labels[0]]
                    ]
                    for one in plan.configurations
                },
            )
            self.assertEqual(table.zeros, {"mean": 2 if last == 0 else 0})
            self.assertEqual(set(table.frame()["mean ratio"]), {None} if last == 0 else {4 / 3, 1})

    def test_a_limit_may_be_longer_than_the_system_can_wait(self) -> None:
        for limit_s in (3e6, math.inf):
            self.assertEqual(call_platter(Path("/bin/true"), [], limit_s=limit_s), "")

    def test_a_policy_that_the_engine_does_not_know_is_refused_before_anything_runs(self) -> None:
        counting = self.executable(self.COUNTS)
        code, _, err = self.sweep(
            self.plan(('engine = "firmware"', 'engine = "lockstep"')), platter=counting
        )
        self.assertEqual(code, 2)
        self.assertIn("engine lockstep does not support policy FCFS", err)
        self.assertEqual(self.runs(), 0)

    def test_an_estimate_runs_little_and_writes_nothing(self) -> None:
        code, out, _ = self.sweep(self.plan(), "--estimate")
        self.assertEqual(code, 0)
        self.assertIn("4 points, 12 runs, 0 of them kept; 12 to do", out)
        self.assertFalse((self.folder / "out.parquet").exists())

    def test_bad_plans_say_what_was_expected_before_anything_runs(self) -> None:
        counting = self.executable(self.COUNTS)
        another = '[[metric]]\nname = "mean high"\npath = "hiccups"\n[[metric]]'
        cases = [
            ((('key = "policy"', 'key = "polcy"'),), "polcy"),
            ((('values = ["SPTF", "FCFS"]', "values = []"),), "empty axis policy"),
            ((("from = 10, to = 30", "from = 30, to = 10"),), "empty range"),
            ((("response_ms.mean", "response_ms.meen"),), '"meen"; expected mean'),
            ((("response_ms.mean", "response_ms"),), "not a number"),
            ((('"SPTF", "FCFS"', '"SPTF", "SPTF"'),), "same value twice"),
            ((('baseline = "FCFS"', 'baseline = "SCAN"'),), "'SCAN', which the axis does not have"),
            ((("seeds = 3", "seeds = 0"),), "how many, or a list of different seeds"),
            ((("seeds = 3", "sedes = 3"),), "sedes: found in the plan a key that does not exist"),
            ((("mixed_media.toml", "nothing.toml"),), "which is not a file"),
            ((("format = 1", "format = 2"),), "expected 1"),
            ((('"FCFS"]', '"FCFSX"]'),), "FCFSX"),
            ((('key = "workload.discrete.rate_per_s"', 'key = "policy"'),), "each key in one axis"),
            (
                (("[compare]", '[[filter]]\nonly = { policy = "SPTF", rat = 10 }\n[compare]'),),
                "expected one of policy, rate",
            ),
            (
                (("[compare]", "[[filter]]\nexclude = { rate = [10, 30] }\n[compare]"),),
                "filters that remove every configuration",
            ),
            ((("step = 20", "points = 1"),), "2 to 1000000 points"),
            ((("measure_s = 3", "seed = 3"),), "plan.toml:8: sim.seed: found a key that `seeds`"),
            ((("measure_s = 3", "measure_s = 'x'"),), "sim.measure_s"),
            ((("step = 20", "step = 1e-320"),), "at most 1000000 values"),
            ((("to = 30", f"to = 1{400 * '0'}"),), "expected a number"),
            ((("seeds = 3", "seeds = 1000000000"),), "at most 1000000"),
            ((("seeds = 3", "seeds = 300000"),), "more than a million runs of 4 configurations"),
            ((("seeds = 3", "seeds = [1, 9200000000000000001]"),), "from 0 up to 9.2e+18"),
            ((("[[metric]]", another),), "another metric or a column of the table has"),
            ((('name = "rate"', 'name = "mean low"'),), "or a column of the table has"),
            (
                (
                    (
                        'path = "classes.discrete.response_ms.mean"',
                        'path = "scheduler.decisions_compared"',
                    ),
                ),
                "scheduler.decisions_compared; its name is scheduler.operations_compared now",
            ),
            ((('"SPTF", "FCFS"', '"SPTF", "FCFS", nan'),), "neither text nor a number"),
            (
                (("[compare]", '[[filter]]\nexclude = { policy = "FCFS" }\n[compare]'),),
                "'FCFS', whose configurations the filters all remove",
            ),
            ((('baseline = "FCFS"', 'baseline = ["FCFS"]'),), "baseline: found ['FCFS']"),
        ]
        for changes, expected in cases:
            with self.subTest(expected=expected):
                code, _, err = self.sweep(self.plan(*changes), platter=counting)
                self.assertEqual(code, 2, err)
                self.assertIn(expected, err)
        code, _, err = self.sweep(self.plan(), "--on", "dask://here:1", "--jobs", "2")
        self.assertEqual((code, "found 2 with --on dask://here:1" in err), (2, True))
        self.assertEqual(self.runs(), 0)
        self.assertEqual(
            sorted(file.name for file in self.folder.iterdir()), ["plan.toml", "platter"]
        )
        for changes, place in (
            (
                (('key = "policy"', 'name = "policy"\nkey = "polcy"'),),
                "plan.toml:11: polcy: there is no such key (did you mean policy?)",
            ),
            ((("measure_s = 3", "measure_s = -3"),), "plan.toml:8: sim.measure_s: found -3"),
            (
                (("[compare]", '[[axis]]\nkey = "drive.queue.dept"\nvalues = [1]\n[compare]'),),
                "plan.toml:20: drive.queue.dept: ",
            ),
        ):
            for options in ((), ("--estimate",)):
                self.assertIn(place, self.sweep(self.plan(*changes), *options)[2])
        with self.assertRaisesRegex(LabError, r"plan.toml:4: seeds: found 0"):
            read_plan(self.plan(("seeds = 3", "seeds = 0")))

    JOBS = f"""
format = 1
scenario = "{ROOT / "models/configs/scenarios/jobs.toml"}"
seeds = 1
[set]
sim.warmup_s = 0
sim.measure_s = 2
[[axis]]
key = "policy"
values = ["SPTF", "FCFS"]
[[axis]]
key = "drive.power.spindle_w"
values = [0, 5]
[[metric]]
name = "metric"
path = "jobs.database.response_ms.mean"
"""

    def test_a_metric_that_no_result_has_is_refused_before_anything_runs(self) -> None:
        counting = self.executable(self.COUNTS)
        path, powers = "jobs.database.response_ms.mean", "values = [0, 5]"
        for new, expected in (
            ("jobs.databse.completed", 'where jobs has no "databse"; expected database ('),
            ("jobs.x.completed", 'where jobs has no "x"; expected backup, database, log ('),
            ("classes.discreet.completed", 'where classes has no "discreet"; expected discrete ('),
            (
                "energy.j",
                "which a result has only with drive.power.spindle_w or "
                "drive.power.electronics_w; expected one of these keys",
            ),
            ("eager.placed", 'where eager has no "placed"'),
            ("eager.writes", "which a result has only with eager.enabled; expected"),
            ("text.completions", 'where a result has no "text"; expected '),
        ):
            with self.subTest(path=new):
                plan = self.plan((path, new), (powers, "values = [0]"), text=self.JOBS)
                for options in ((), ("--estimate",)):
                    code, _, err = self.sweep(plan, *options, platter=counting)
                    self.assertEqual(code, 2, err)
                    self.assertIn(f"plan.toml:16: metric metric: found {new}, {expected}", err)
        self.assertEqual(self.runs(), 0)

    def test_a_metric_may_be_in_the_results_of_some_configurations(self) -> None:
        for path in ("jobs.database.response_ms.mean", "energy.j"):
            with self.subTest(path=path):
                plan = self.plan(("jobs.database.response_ms.mean", path), text=self.JOBS)
                code, _, err = self.sweep(plan)
                self.assertEqual(code, 0, err)
                table = self.frame()
                there = table.filter(pl.col("metric").is_not_null())["drive.power.spindle_w"]
                self.assertEqual(set(there), {0, 5} if path.startswith("jobs") else {5})

    def test_axes_may_be_ranges_and_keys_that_move_together(self) -> None:
        plan = read_plan(
            self.plan(
                (
                    "range = { from = 10, to = 30, step = 20 }",
                    "range = { from = 1, to = 100, points = 3, scale = 'log' }",
                ),
                (
                    "[compare]",
                    """[[axis]]
name = "size"
points = [
  { label = "small", drive.queue.depth = 8 },
  { label = "large", "drive.queue.depth" = 32, "b" = true },
]
[[filter]]
exclude = { policy = "FCFS", rate = [1, 10] }
[compare]""",
                ),
            )
        )
        self.assertEqual(
            [(step.label, step.settings[0][1]) for step in plan.axes[1].steps],
            [(1, "1"), (10, "10"), (100, "100")],
        )
        self.assertEqual(len(plan.configurations), 2 * 3 * 2 - 4)
        self.assertEqual(
            plan.configurations[1].settings[-3:],
            (("workload.discrete.rate_per_s", "1"), ("drive.queue.depth", "32"), ("b", "true")),
        )

    def test_ranges_have_the_values_that_they_say(self) -> None:
        for given, expected in (
            ("from = 10, to = 10.3, step = 0.1", [10.0, 10.1, 10.2, 10.3]),
            ("from = 0, to = 1, points = 5", [0.0, 0.25, 0.5, 0.75, 1.0]),
            ("from = 8, to = 32, points = 4", [8, 16, 24, 32]),
            ("from = 1, to = 1024, points = 11, scale = 'log'", [2**i for i in range(11)]),
            ("from = 1.0, to = 3.0, points = 3", [1.0, 2.0, 3.0]),
            ("from = 3, to = 1, step = -1", [3, 2, 1]),
            ("from = 1e-300, to = 1e300, points = 3, scale = 'log'", [1e-300, 1.0, 1e300]),
            ("from = -1.7e308, to = 1.7e308, points = 3", [-1.7e308, 0.0, 1.7e308]),
        ):
            found = [
                step.label
                for step in read_plan(self.plan(("from = 10, to = 30, step = 20", given)))
                .axes[1]
                .steps
            ]
            self.assertEqual(found, expected)
            self.assertEqual([type(value) for value in found], [type(value) for value in expected])


class FromPython(unittest.TestCase):
    def test_a_run_gives_its_result_and_its_requests(self) -> None:
        settings = {"policy": "SPTF", "engine": "firmware", "sim": {"warmup_s": 0, "measure_s": 5}}
        got = platter.run(SCENARIO, settings, platter=PLATTER)
        self.assertEqual(got.result["configuration"]["policy"], "SPTF")
        discrete = got.requests.filter(pl.col("class") == "discrete", pl.col("status") == "good")
        self.assertEqual(discrete.height, got.result["classes"]["discrete"]["completed"])
        self.assertAlmostEqual(
            (discrete["completed_ps"] - discrete["issued_ps"]).mean() / 1e9,
            got.result["classes"]["discrete"]["response_ms"]["mean"],
            places=6,
        )
        named = dict(got.statistics().iter_rows())
        self.assertEqual(named["classes.discrete.completed"], discrete.height)
        self.assertEqual(
            platter.run(SCENARIO, settings, platter=PLATTER).requests.equals(got.requests), True
        )

    def test_values_may_be_numpys(self) -> None:
        settings = {
            "engine": "firmware",
            "sim.warmup_s": np.int64(0),
            "sim.measure_s": np.float64(2.0),
            "workload.discrete.rate_per_s": np.float32(20.5),
            "drive.queue.depth": np.array([8])[0],
        }
        configuration = platter.run(SCENARIO, settings, platter=PLATTER).result["configuration"]
        self.assertEqual(
            (
                configuration["sim"]["measure_s"],
                configuration["workload"]["discrete"]["rate_per_s"],
            ),
            (2, 20.5),
        )
        self.assertEqual(
            [text(value) for value in (np.bool_(True), np.array([1.5, 2.5]), np.str_("a"))],
            ["true", "[1.5, 2.5]", "a"],
        )

    def test_a_server_has_no_log(self) -> None:
        server = ROOT / "docs/papers/replicated-striping/server.toml"
        self.assertIsNone(platter.run(server, {"disks.simulated": False}, platter=PLATTER).requests)

    def test_bad_input_is_the_models_message(self) -> None:
        with self.assertRaisesRegex(LabError, "polcy"):
            platter.run(SCENARIO, {"polcy": "SPTF"}, platter=PLATTER)
        with self.assertRaisesRegex(LabError, "nowhere.toml"):
            platter.run("nowhere.toml", platter=PLATTER)


if __name__ == "__main__":
    unittest.main()
