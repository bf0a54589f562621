# SPDX-License-Identifier: Apache-2.0
"""`platter-lab sweep`: its plans, and runs of the model, whose executable is in the variable PLATTER."""
import contextlib
import csv
import io
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import polars as pl
import scipy.stats

import platter_lab as platter
from platter_lab import LabError, cli
from platter_lab.executable import ROOT
from platter_lab.sweep.plan import read_plan

PLATTER = Path(os.environ["PLATTER"])
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


class Sweeps(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="platter-sweep-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def plan(self, *changes: tuple[str, str], text: str = PLAN) -> Path:
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        path = self.folder / "plan.toml"
        path.write_text(text)
        return path

    def executable(self, script: str) -> Path:
        """Python that may call the model's executable as `PLATTER`, with its arguments in sys.argv[1:]."""
        path = self.folder / "platter"
        path.write_text(f"#!{sys.executable}\nimport os, sys, time\nfrom pathlib import Path\nPLATTER = {str(PLATTER)!r}\nFOLDER = Path({str(self.folder)!r})\n"
                        f"{script}\nos.execv(PLATTER, [PLATTER, *sys.argv[1:]])\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    COUNTS = "if sys.argv[1] == 'run': (FOLDER / f'ran-{os.getpid()}').touch()"

    def runs(self) -> int:
        return len(list(self.folder.glob("ran-*")))

    def sweep(self, plan: Path, *options: str, output: str = "out.parquet", platter: Path = PLATTER) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(["sweep", str(plan), "--platter", str(platter), "--cache", str(self.folder / "kept"), "-o", str(self.folder / output), *options])
        return code, out.getvalue(), err.getvalue()

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
        subprocess.run([PLATTER, "run", SCENARIO, "--quiet", "--set", "engine=firmware", "--set", "sim.warmup_s=0", "--set", "sim.measure_s=3", "--set",
                        "policy=SPTF", "--set", "workload.discrete.rate_per_s=30", "--set", "sim.seed=2", "--result", result], check=True)
        self.assertEqual(one["mean"], json.loads(result.read_text())["classes"]["discrete"]["response_ms"]["mean"])
        samples = frame.filter(policy="SPTF", rate=30)["mean"].to_list()
        low, high = scipy.stats.t.interval(0.95, 2, scipy.stats.tmean(samples), scipy.stats.sem(samples))
        self.assertAlmostEqual(one["mean low"], low)
        self.assertAlmostEqual(one["mean high"], high)
        others = frame.filter(policy="FCFS", rate=30).sort("seed")["mean"].to_list()
        ratios = [a / b for a, b in zip(frame.filter(policy="SPTF", rate=30).sort("seed")["mean"].to_list(), others, strict=True)]
        self.assertAlmostEqual(one["mean ratio"], sum(ratios) / 3)
        self.assertEqual(set(frame.filter(policy="FCFS")["mean ratio"]), {1.0})
        metadata = json.loads(pl.read_parquet_metadata(self.folder / "out.parquet")["platter.sweep"])
        self.assertEqual(metadata["units"], {"mean": "ms"})

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
        counting = self.executable(self.COUNTS + "\nif sys.argv[1] == 'run': time.sleep(0.3)")
        plan = self.plan(("measure_s = 3", "measure_s = 41"))
        command = [sys.executable, "-m", "platter_lab.cli", "sweep", str(plan), "--platter", str(counting), "--cache", str(self.folder / "kept"),
                   "-o", str(self.folder / "out.parquet"), "--jobs", "2"]
        sweep = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        kept = self.folder / "kept"
        end = time.monotonic() + 60
        while len(list(kept.glob("*/*.json"))) < 3 and time.monotonic() < end:
            time.sleep(0.01)
        sweep.send_signal(signal.SIGKILL)
        sweep.wait()
        time.sleep(0.1)
        alive = [process.name for process in Path("/proc").iterdir() if process.name.isdigit() and b"sim.measure_s=41" in self._command_line(process)]
        self.assertEqual(alive, [])
        there = len(list(kept.glob("*/*.json")))
        self.assertIn(there, range(3, 12))
        before = self.runs()
        code, _, err = self.sweep(plan, platter=counting)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.runs() - before, 12 - there)
        self.assertEqual(self.frame().height, 12)

    @staticmethod
    def _command_line(process: Path) -> bytes:
        try:
            return (process / "cmdline").read_bytes()
        except OSError:
            return b""

    def test_a_run_that_fails_once_is_tried_again(self) -> None:
        flaky = self.executable(self.COUNTS + "\nif sys.argv[1] == 'run' and 'sim.seed=2' in sys.argv and not (FOLDER / 'once').exists():\n"
                                "  (FOLDER / 'once').touch(); os.kill(os.getpid(), 9)")
        code, _, err = self.sweep(self.plan(), platter=flaky)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.runs(), 13)
        self.assertEqual(set(self.frame()["status"]), {"good"})

    def test_a_run_that_always_fails_is_listed_and_the_others_go_on(self) -> None:
        broken = self.executable(self.COUNTS + "\nif sys.argv[1] == 'run' and 'sim.seed=2' in sys.argv and 'policy=SPTF' in sys.argv:\n"
                                 "  sys.stderr.write('it is broken'); sys.exit(1)")
        code, out, err = self.sweep(self.plan(), platter=broken)
        self.assertEqual(code, 1)
        self.assertIn("12 runs, 2 failed", out)
        self.assertIn("it is broken", err)
        self.assertEqual(self.runs(), 14)
        frame = self.frame()
        self.assertEqual(frame.filter(status="failed").select("policy", "seed").unique().rows(), [("SPTF", 2)])
        self.assertIn("it is broken", frame.filter(status="failed")["message"][0])
        good = frame.filter(policy="SPTF", rate=10, status="good")["mean"].to_list()
        self.assertAlmostEqual(frame.filter(policy="SPTF", rate=10)["mean mean"][0], sum(good) / 2)

    def test_a_run_that_hangs_is_ended(self) -> None:
        hangs = self.executable("if sys.argv[1] == 'run' and 'sim.seed=3' in sys.argv and 'policy=FCFS' in sys.argv: time.sleep(1000)")
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
            log = pl.read_parquet(row["requests"]).filter(pl.col("class") == "discrete", pl.col("status") == "good")
            self.assertAlmostEqual((log["completed_ps"] - log["issued_ps"]).mean() / 1e9, row["mean"], places=6)
        self.assertEqual(self.sweep(plan, platter=counting)[0], 0)
        self.assertEqual(self.runs(), 24)

    def test_a_policy_that_the_engine_does_not_know_is_refused_before_anything_runs(self) -> None:
        counting = self.executable(self.COUNTS)
        code, _, err = self.sweep(self.plan(('engine = "firmware"', 'engine = "lockstep"')), platter=counting)
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
        cases = [
            ((('key = "policy"', 'key = "polcy"'),), "polcy"),
            ((('values = ["SPTF", "FCFS"]', "values = []"),), "empty axis policy"),
            ((("from = 10, to = 30", "from = 30, to = 10"),), "empty range"),
            ((("response_ms.mean", "response_ms.meen"),), '"meen"; expected mean'),
            ((("response_ms.mean", "response_ms"),), "no number"),
            ((('"SPTF", "FCFS"', '"SPTF", "SPTF"'),), "same value twice"),
            ((('baseline = "FCFS"', 'baseline = "SCAN"'),), "'SCAN', which the axis does not have"),
            ((("seeds = 3", "seeds = 0"),), "how many, or a list of different seeds"),
            ((("seeds = 3", "sedes = 3"),), "sedes: found in the plan a key that does not exist"),
            ((("mixed_media.toml", "nothing.toml"),), "no file"),
            ((("format = 1", "format = 2"),), "expected 1"),
            ((('"FCFS"]', '"FCFSX"]'),), "FCFSX"),
            ((('key = "workload.discrete.rate_per_s"', 'key = "policy"'),), "each key in one axis"),
            ((("[compare]", '[[filter]]\nonly = { policy = "SPTF", rat = 10 }\n[compare]'),), "expected one of policy, rate"),
            ((("[compare]", '[[filter]]\nexclude = { rate = [10, 30] }\n[compare]'),), "filters that leave nothing"),
            ((("step = 20", "points = 1"),), "2 to 1000000 points"),
            ((("measure_s = 3", "measure_s = 'x'"),), "sim.measure_s"),
        ]
        for changes, expected in cases:
            with self.subTest(expected=expected):
                code, _, err = self.sweep(self.plan(*changes), platter=counting)
                self.assertEqual(code, 2, err)
                self.assertIn(expected, err)
        self.assertEqual(self.runs(), 0)
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), ["plan.toml", "platter"])
        with self.assertRaisesRegex(LabError, r"plan.toml:4: seeds: found 0"):
            read_plan(self.plan(("seeds = 3", "seeds = 0")))

    def test_axes_may_be_ranges_and_keys_that_move_together(self) -> None:
        plan = read_plan(self.plan(("range = { from = 10, to = 30, step = 20 }", "range = { from = 1, to = 100, points = 3, scale = 'log' }"), ("[compare]", """[[axis]]
name = "size"
points = [{ label = "small", drive.queue.depth = 8 }, { label = "large", "drive.queue.depth" = 32, "b" = true }]
[[filter]]
exclude = { policy = "FCFS", rate = [1.0, 10.0] }
[compare]""")))
        self.assertEqual([step.label for step in plan.axes[1].steps], [1.0, 10.0, 100.0])
        self.assertEqual(len(plan.configurations), 2 * 3 * 2 - 4)
        self.assertEqual(plan.configurations[1].settings[-3:], (("workload.discrete.rate_per_s", "1.0"), ("drive.queue.depth", "32"), ("b", "true")))


class FromPython(unittest.TestCase):
    def test_a_run_gives_its_result_and_its_requests(self) -> None:
        settings = {"policy": "SPTF", "engine": "firmware", "sim": {"warmup_s": 0, "measure_s": 5}}
        got = platter.run(SCENARIO, settings, platter=PLATTER)
        self.assertEqual(got.result["configuration"]["policy"], "SPTF")
        discrete = got.requests.filter(pl.col("class") == "discrete", pl.col("status") == "good")
        self.assertEqual(discrete.height, got.result["classes"]["discrete"]["completed"])
        self.assertAlmostEqual((discrete["completed_ps"] - discrete["issued_ps"]).mean() / 1e9, got.result["classes"]["discrete"]["response_ms"]["mean"], places=6)
        named = dict(got.statistics().iter_rows())
        self.assertEqual(named["classes.discrete.completed"], discrete.height)
        self.assertEqual(platter.run(SCENARIO, settings, platter=PLATTER).requests.equals(got.requests), True)

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
