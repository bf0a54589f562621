# SPDX-License-Identifier: Apache-2.0
"""`platter-lab report`: its numbers, its errors, and its pages in Debian's Chromium. The model's
executable is in the variable PLATTER."""

import contextlib
import io
import itertools
import json
import math
import os
import random
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
from browser import Browser
from damage import damage_bytes, damage_json, damage_table
from platter_lab import LabError, cli
from platter_lab.executable import ROOT
from platter_lab.model import Run, read_requests
from platter_lab.pareto import undominated
from platter_lab.report import charts, look, run_page
from platter_lab.report.compare_page import mean_difference
from platter_lab.report.inputs import read_inputs
from platter_lab.report.page import mean_and_half, number
from platter_lab.report.shape import OF_HOSTS
from platter_lab.statistics import interval

PLATTER = Path(os.environ["PLATTER"])
CONFIGS = ROOT / "models/configs"
PLAN = f"""
format = 1
scenario = "{CONFIGS}/scenarios/mixed_media.toml"
seeds = 2
set = {{ engine = "firmware", sim.warmup_s = 0, sim.measure_s = 3 }}
compare = {{ axis = "policy", baseline = "SPTF" }}
[[axis]]
key = "policy"
values = ["SPTF", "FCFS"]
[[axis]]
name = "rate"
key = "workload.discrete.rate_per_s"
range = {{ from = 10, to = 30, step = 10 }}
[[axis]]
name = "depth.of[queue]"
key = "drive.queue.depth"
values = [16, 32]
[[metric]]
name = "p99.9 [ms]"
path = "classes.discrete.response_ms.p99_9"
[[metric]]
name = "fairness"
path = "classes.discrete.fairness_index"
"""
HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"


def simulate(folder: Path, name: str, scenario: str = "mixed_media", **settings: object) -> Path:
    """The result; its log lies beside it."""
    words: list[object] = [
        word
        for key, value in settings.items()
        for word in ("--set", f"{key.replace('__', '.')}={value}")
    ]
    result, log = folder / f"{name}.json", folder / f"{name}.csv"
    words += ["--quiet", "--set", "engine=firmware", "--result", result, "--requests", log]
    subprocess.run([PLATTER, "run", CONFIGS / f"scenarios/{scenario}.toml", *words], check=True)
    return result


def explain(folder: Path, *words: str) -> None:
    """Why requests of the mixed media were slow."""
    scenario = CONFIGS / "scenarios/mixed_media.toml"
    words += ("--quiet", "--no-waves", "--set", "engine=firmware", "-o", str(folder))
    subprocess.run([PLATTER, "explain", scenario, *words], check=True)


def study(folder: Path) -> Path:
    """The table of a search, as it is documented."""
    dice = random.Random(1)
    rows = [
        {
            "trial": i,
            "policy": dice.choice(["SPTF", HOSTILE]),
            "lanes": 2 ** dice.randrange(4),
            "p99": dice.uniform(20, 90),
            "fairness": dice.random(),
            "luts": float(dice.randrange(2000, 9000)),
            "hiccups": float(dice.random() < 0.1),
            "luts source": "interpolated",
            "status": "good",
            "message": None,
        }
        for i in range(80)
    ]
    rows[5] |= {"p99": None, "fairness": None, "luts": None, "status": "failed", "message": HOSTILE}

    def beats(a: dict, b: dict) -> bool:
        ours, theirs = ((row["p99"], -row["fairness"], row["luts"]) for row in (a, b))
        return ours != theirs and all(x <= y for x, y in zip(ours, theirs, strict=True))

    good = [row for row in rows if row["status"] == "good" and not row["hiccups"]]
    for row in rows:
        row |= {"p99 low": row["p99"] and row["p99"] - 1, "p99 high": row["p99"] and row["p99"] + 1}
    about = {
        "parameters": ["policy", "lanes"],
        "constraints": [{"name": "hiccups", "unit": "", "at_most": 0, "at_least": None}],
        "objectives": [
            {"name": "p99", "unit": "ms", "direction": "minimize"},
            {"name": "fairness", "unit": "", "direction": "maximize"},
            {"name": "luts", "unit": "LUT", "direction": "minimize"},
        ],
    }
    pl.DataFrame(
        [
            row | {"front": row in good and not any(beats(other, row) for other in good)}
            for row in rows
        ]
    ).write_parquet(folder / "study.parquet", metadata={"platter.optimise": json.dumps(about)})
    return folder / "study.parquet"


POLICIES = [
    "FCFS",
    "SSTF",
    "SCAN",
    "LOOK",
    "C-LOOK",
    "EDF",
    "SPTF",
    "OPS:SLACK(3.4|0.46)",
    "OPS:SCAN/CI-OPT(6)",
]


def many(folder: Path) -> Path:
    """The table of a sweep over as many policies as a legend may have to show, with a metric whose
    values are far apart and large, and one whose are not."""
    dice = random.Random(2)
    rows = []
    for policy, rate in itertools.product(POLICIES, (20, 40, 60)):
        p99 = 16_235.4 if (policy, rate) == ("FCFS", 60) else dice.uniform(30, 700)
        mean = dice.uniform(3, 60)
        rows += [
            {
                "policy": policy,
                "rate": rate,
                "seed": seed,
                "status": "good",
                "message": None,
                "p99": p99,
                "p99 mean": p99,
                "p99 low": p99 - 100.25,
                "p99 high": p99 + 100.25,
                "mean": mean,
                "mean mean": mean,
                "mean low": mean - 0.5,
                "mean high": mean + 0.5,
            }
            for seed in (1, 2)
        ]
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(
        folder / "many.parquet",
        metadata={
            "platter.sweep": json.dumps(
                {
                    "scenario": "mixed_media.toml",
                    "axes": ["policy", "rate"],
                    "units": {"p99": "ms", "mean": "ms"},
                    "compare": None,
                }
            )
        },
    )
    return folder / "many.parquet"


def data_of(spec: dict, part: dict) -> list[dict]:
    """The rows of a chart, or of a part of it."""
    return (
        part["data"]["values"]
        if "values" in part["data"]
        else spec["datasets"][part["data"]["name"]]
    )


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += [(name, value or "") for name, value in attributes]


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="platter-report-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.sptf = simulate(cls.folder, "sptf", sim__measure_s=20)
        cls.slack = simulate(cls.folder, "slack", sim__measure_s=20, policy='"OPS:SLACK(4|0.5)"')
        (cls.folder / "plan.toml").write_text(PLAN)
        with contextlib.redirect_stdout(io.StringIO()):
            assert (
                cli.main(
                    [
                        "sweep",
                        str(cls.folder / "plan.toml"),
                        "--platter",
                        str(PLATTER),
                        "--cache",
                        str(cls.folder / "kept"),
                        "-o",
                        str(cls.folder / "sweep.parquet"),
                    ]
                )
                == 0
            )
        cls.sweep = cls.folder / "sweep.parquet"
        cls.study = study(cls.folder)
        cls.many = many(cls.folder)

    def report(self, *words: object, output: str = "out.html") -> tuple[int, str]:
        err = io.StringIO()
        with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):
            out = str(self.folder / output)
            code = cli.main(["report", *map(str, words), "-o", out, "--platter", str(PLATTER)])
        return code, err.getvalue()

    def page(self, *words: object) -> str:
        code, err = self.report(*words)
        self.assertEqual(code, 0, err)
        return (self.folder / "out.html").read_text()

    def input(self) -> Run:
        given = read_inputs([self.sptf])
        assert isinstance(given, list)
        return given[0].run


class Numbers(Case):
    def test_points_of_a_distribution_are_exact(self) -> None:
        for count in (1, 7, charts.CDF_POINTS, 5000):
            dice = random.Random(count)
            samples = [dice.expovariate(1) for _ in range(count)]
            points = charts.cdf_points(samples)
            self.assertLessEqual(len(points), charts.CDF_POINTS)
            self.assertEqual(points[-1], (max(samples), 1.0))
            for value, share in points[::11]:
                self.assertAlmostEqual(share, sum(one <= value for one in samples) / count)
        # The tail is there one by one
        self.assertGreaterEqual(charts.cdf_points(range(5000))[-2][1], 1 - 2 / 5000)

    def test_bins_hold_all_of_the_time(self) -> None:
        run = self.input()
        requests = run.requests
        spec = charts.over_time(run).to_dict(validate=False)
        rows = pl.DataFrame(
            data_of(spec, spec["vconcat"][0] if "data" in spec["vconcat"][0] else spec)
        )
        width = (rows["to"] - rows["from"]).max()
        for cls in ("continuous", "discrete"):
            of = requests.filter(pl.col("class") == cls)
            binned = rows.filter(pl.col("class") == cls)
            self.assertAlmostEqual(
                binned["outstanding"].sum() * width,
                (of["completed_ps"] - of["issued_ps"]).sum() / 1e12,
                places=6,
            )
            busy = (
                sum(of[f"{part}_ps"].sum() for part in ("seek", "settle", "rotation", "transfer"))
                / 1e12
            )
            self.assertAlmostEqual(binned["busy"].sum() * width, busy, places=6)
        # One arm
        self.assertLessEqual(
            rows.group_by("from").agg(pl.col("busy").sum())["busy"].max(), 1 + 1e-9
        )

    def test_parts_are_the_result_and_sum_to_the_response(self) -> None:
        run = self.input()
        spec = charts.parts(run).to_dict(validate=False)
        rows = pl.DataFrame(data_of(spec, spec))
        self.assertEqual(set(rows["of"]), {"continuous reads", "discrete reads", "discrete writes"})
        for one in rows.partition_by("of"):
            self.assertAlmostEqual(one["ms"].sum(), one["mean"][0], places=6)
        self.assertEqual(
            charts.served(run).height,
            sum(one["completed"] for one in run.result["classes"].values()),
        )

    def test_the_energy_of_the_states_is_the_whole(self) -> None:
        power = {"drive__power__spindle_w": 6, "drive__power__electronics_w": 2}
        file = simulate(self.folder, "power", sim__measure_s=3, **power, drive__power__coil_w=6)
        given = read_inputs([file])
        assert isinstance(given, list)
        run = given[0].run
        spec = charts.energy({"with": run, "without": self.input()}).to_dict(validate=False)
        rows = pl.DataFrame(data_of(spec, spec))
        self.assertEqual(set(rows["of"]), {"with"})
        self.assertAlmostEqual(rows["j"].sum(), run.result["energy"]["j"], places=6)
        self.assertIn("accelerate", set(rows["state"]))
        # No state of a result is left out.
        self.assertEqual(set(look.POWER), set(run.result["energy"]["joules"]))
        self.assertIn(">Energy<", self.page(file))
        self.assertIn(">Energy<", self.page(file, self.sptf))
        self.assertNotIn(">Energy<", self.page(self.sptf))

    def test_errors_are_counted_in_words_and_over_time(self) -> None:
        bad = {
            "sim__measure_s": 20,
            "fault_process__population": "nearline",
            "fault_process__age_months": 32,
            "fault_process__rate_factor": 10_000,
        }
        file = simulate(self.folder, "bad", **bad)
        given = read_inputs([file])
        assert isinstance(given, list)
        run = given[0].run
        errors = run.result["errors"]
        self.assertLessEqual(set(errors), set(run_page.ERRORS), "every counter has its words")
        spec = charts.retries(run).to_dict(validate=False)
        rows = pl.DataFrame(data_of(spec, spec))
        log = charts.log_of(run)
        self.assertGreater(errors["uncorrectable"], 0)
        self.assertEqual(rows["turns"].sum(), log["retry_turns"].sum())
        self.assertEqual(rows["failed"].sum(), (log["status"] != "good").sum())
        self.assertAlmostEqual(rows["ms"].sum(), log["recovery_ps"].sum() / 1e9, places=6)
        text = self.page(file)
        self.assertIn(">Errors<", text)
        self.assertIn("Accesses that ended at a block that cannot be read", text)
        self.assertNotIn("Losses of the link", text)
        self.assertIn(">Errors<", self.page(file, self.sptf))
        self.assertNotIn(">Errors<", self.page(self.sptf))
        never = simulate(self.folder, "never", **{**bad, "fault_process__rate_factor": 0.001})
        self.assertIn("Faults were planned, and nothing met one.", self.page(never))

    def test_errors_of_a_mirror(self) -> None:
        file = simulate(
            self.folder,
            "mirror",
            scenario="mirrored_array",
            sim__measure_s=5,
            failure__fails_at_s=0,
            failure__revives_at_s=0,
            drive__recovery__limit_ms=50,
            fault_process__population="nearline",
            fault_process__age_months=32,
            fault_process__rate_factor=30_000,
        )
        self.assertGreater(json.loads(file.read_text())["array"]["errors"]["redirected"], 0)
        self.assertIn("Reads that the array repeated on the other copy", self.page(file))

    def test_slowest_and_the_arm(self) -> None:
        run = self.input()
        slowest = charts.slowest(run, 20)
        self.assertEqual(
            slowest["response_ms"].to_list(),
            sorted(charts.served(run)["response_ms"], reverse=True)[:20],
        )
        for name in slowest["number"][:5]:
            drawn = charts.arm(run, name).to_dict(validate=False)
            works = data_of(
                drawn,
                next(layer for layer in drawn["layer"] if layer["mark"].get("strokeWidth") == 6),
            )
            self.assertEqual(sum(row["marked"] for row in works), 1)
            # One arm does one thing at a time
            self.assertTrue(
                all(
                    before["end"] <= after["begin"] + 1e-9
                    for before, after in itertools.pairwise(works)
                )
            )

    def test_no_arm_where_the_log_does_not_say_what_it_did(self) -> None:
        """Of two actuators, and of requests that take several accesses."""
        short = {"sim__measure_s": 2, "sim__warmup_s": 0, "workload__discrete__mean_bytes": 16384}
        for scenario in ("two_actuators", "eager_writing"):
            file = simulate(self.folder, scenario, scenario, **short)
            given = read_inputs([file])
            assert isinstance(given, list)
            self.assertRaisesRegex(LabError, "one actuator", charts.arm, given[0].run)
            page = self.page(file)
            self.assertIn("accesses under way", page)
            self.assertNotIn("share of time in access", page)
            self.assertNotIn("the arm went to", page)

    def test_paired_differences(self) -> None:
        runs = read_inputs([self.sptf, self.slack])
        frame = charts.differences(runs[0].run, runs[1].run)
        by_number = [
            {row["number"]: row for row in one.run.requests.iter_rows(named=True)} for one in runs
        ]
        for row in frame.filter(pl.col("class") == "discrete").head(50).iter_rows(named=True):
            here, there = (
                one[row["number"]]["completed_ps"] - one[row["number"]]["issued_ps"]
                for one in by_number
            )
            self.assertAlmostEqual(row["difference_ms"], (there - here) / 1e9)
        continuous = frame.filter(pl.col("class") == "continuous")
        means = [one.run.result["classes"]["continuous"]["response_ms"]["mean"] for one in runs]
        self.assertAlmostEqual(continuous["difference_ms"].mean(), means[1] - means[0])
        known = mean_difference(continuous)
        self.assertLess(known.low, means[1] - means[0])
        self.assertGreater(known.high, means[1] - means[0])
        # As if the requests of a round were independent
        apart = interval(continuous["difference_ms"].to_list())
        self.assertNotAlmostEqual(known.high - known.low, apart.high - apart.low, places=3)
        self.assertTrue(math.isinf(mean_difference(continuous.head(15)).high))

    def test_other_loads_are_not_paired(self) -> None:
        other = simulate(self.folder, "seed2", sim__measure_s=20, sim__seed=2)
        runs = read_inputs([self.sptf, other])
        with self.assertRaisesRegex(LabError, "expected runs of the same load and seed"):
            charts.differences(runs[0].run, runs[1].run)
        self.assertIn("no paired difference", self.page(self.sptf, other))

    def test_fronts(self) -> None:
        dice = random.Random(5)
        for _ in range(30):
            points = [
                (
                    float(dice.randrange(8)),
                    float(dice.randrange(8)) if dice.random() < 0.95 else math.nan,
                )
                for _ in range(40)
            ]

            def beaten(a: tuple[float, float], points: list[tuple[float, float]] = points) -> bool:
                return any(b != a and b[0] <= a[0] and b[1] <= a[1] for b in points)

            self.assertEqual(
                undominated(points, [False, False]),
                [not math.isnan(a[1]) and not beaten(a) for a in points],
            )

    def test_numbers_have_sensible_digits(self) -> None:
        for value, words in (
            (16_235.4, "16\u202f235"),
            (1234.56, "1235"),
            (9.99996, "10"),
            (0.000012345, "0.00001234"),
            (-0.5, "\u22120.5"),
            (3, "3"),
            (math.nan, "–"),
            (2.5e-12, "2.5e\u221212"),
            (1e18, "1e+18"),
        ):
            self.assertEqual(number(value), words)
        for mean, half, words in (
            (12_472.3, 3219, "12\u202f500 ± 3200"),
            (449.02, 4.3, "449.0 ± 4.3"),
            (0.12, 0.00741, "0.1200 ± 0.0074"),
            (36.04, 1.26, "36.0 ± 1.3"),
            (1, 0, "1 ± 0"),
            (99.6, 0.996, "99.6 ± 1.0"),
            (-3.21, 0.45, "\u22123.21 ± 0.45"),
            (-0.3, 12.0, "0 ± 12"),
        ):
            self.assertEqual(mean_and_half(mean, half), words)


class Pages(Case):
    def test_nothing_refers_to_the_outside_and_bytes_repeat(self) -> None:
        for words in ((self.sptf,), (self.sptf, self.slack), (self.sweep,), (self.study,)):
            page = self.page(*words)
            self.assertEqual(page, self.page(*words))
            elements = Elements()
            elements.feed(page)
            self.assertEqual(
                [
                    (name, value)
                    for name, value in elements.attributes
                    if name in ("src", "href", "action", "data", "srcset")
                    and not value.startswith("#")
                ],
                [],
            )
            self.assertNotIn("link", elements.names)
            self.assertNotRegex(re.search(r"<style>(.*?)</style>", page, re.S)[1], r"@import|url\(")
            self.assertNotIn(
                "$schema",
                "".join(
                    re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S)
                ),
            )
            self.assertLess(len(page), 3e6)

    def test_a_run_says_what_it_is(self) -> None:
        page = self.page(self.sptf).replace("<wbr>", "")
        for words in (
            "Quantum Atlas 10K, policy SPTF, engine firmware, host drive",
            "time-weighted mean",
            "drive.queue.depth",
            "All ",
        ):
            self.assertIn(words, page)
        self.assertIn("Jain&#x27;s index of the response times: 1 if all are equal", page)

    def test_reasons(self) -> None:
        explain(self.folder / "why", "--set", "sim.measure_s=20", "--slowest", "3")
        why = self.folder / "why/explain.json"
        page = self.page(self.sptf, "--explain", why)
        explained = json.loads(why.read_text())["requests"]
        schema = json.loads((ROOT / "docs/reference/explain.schema.json").read_text())
        reasons = schema["$defs"]["decision"]["properties"]["why"]["enum"]
        self.assertEqual({*run_page.WHY, None}, set(reasons))
        for one in explained:
            passed = sum(bool(decision["why"]) for decision in one["decisions"])
            self.assertRegex(
                page, rf'data-key="{one["number"]}">.*passed over by {passed} decisions: '
            )
        code, err = self.report(self.slack, "--explain", why, output="never.html")
        self.assertEqual(code, 2)
        told = r"explain.json: request \d+ is not in the log of requests, or is a different one"
        self.assertRegex(err, told)

    def test_a_long_log_is_bounded_and_said(self) -> None:
        long = simulate(self.folder, "long", "random_4k", sim__measure_s=600)
        page = self.page(long)
        self.assertLess(len(page), 4e6)
        sample = re.search(r"A sample: (\d+) of ([\d\u202f]+) requests are drawn", page)
        self.assertLess(abs(int(sample[1]) - charts.SCATTER_POINTS), charts.SCATTER_POINTS / 10)
        self.assertEqual(
            int(sample[2].replace("\u202f", "")),
            (self.folder / "long.csv").read_bytes().count(b"\n") - 1,
        )
        self.assertRegex(page, r"Exact points of the distributions: at most \d+ of each")

    def test_hosts(self) -> None:
        array = simulate(self.folder, "array", "mirrored_array", sim__measure_s=5, sim__warmup_s=1)
        self.assertIn("the part that ended last", self.page(array))
        subprocess.run(
            [
                PLATTER,
                "run",
                ROOT / "docs/papers/autoqos/figure4.toml",
                "--quiet",
                "--result",
                self.folder / "qos.json",
            ],
            check=True,
        )
        self.assertIn("What each stream got", self.page(self.folder / "qos.json"))
        subprocess.run(
            [
                PLATTER,
                "run",
                ROOT / "docs/papers/integrated-servers/server.toml",
                "--quiet",
                "--set",
                "sim.measure_s=3",
                "--set",
                "sim.warmup_s=1",
                "--result",
                self.folder / "server.json",
                "--requests",
                self.folder / "server.csv",
            ],
            check=True,
        )
        self.assertIn("What makes slow requests slow", self.page(self.folder / "server.json"))
        code, err = self.report(self.sptf, array, output="never.html")
        self.assertEqual(code, 2)
        self.assertIn("array.json: host.kind: found array, expected drive, as in", err)

    def test_without_a_log_and_without_an_executable(self) -> None:
        alone = self.folder / "alone.json"
        shutil.copy(self.sptf, alone)
        page = self.page(alone)
        self.assertIn("without a log of requests", page)
        self.assertIn("The whole distribution needs", page)
        shutil.copy(self.folder / "sptf.csv", self.folder / "elsewhere.csv")
        self.assertIn(
            "log elsewhere.csv", self.page(alone, "--requests", self.folder / "elsewhere.csv")
        )
        environment = {key: value for key, value in os.environ.items() if key != "PLATTER"} | {
            "PATH": "/nowhere"
        }
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                (
                    "import platter_lab.executable as e; e.HAS_TREE = False\n"
                    "from platter_lab import cli; import sys; sys.exit(cli.main(sys.argv[1:]))"
                ),
                "report",
                str(alone),
                "-o",
                "/dev/stdout",
            ],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no platter executable was found", done.stdout)

    def test_outputs_may_be_pipes_and_links(self) -> None:
        page = self.page(self.sweep)
        command = [sys.executable, "-m", "platter_lab.cli", "report", str(self.sweep), "-o"]
        piped = subprocess.run(
            [*command, "/dev/stdout"], capture_output=True, text=True, check=True
        )
        self.assertEqual(piped.stdout, page)
        with (self.folder / "redirected.html").open("w") as file:
            subprocess.run(
                [*command, "/dev/stdout"], stdout=file, stderr=subprocess.DEVNULL, check=True
            )
        self.assertEqual((self.folder / "redirected.html").read_text(), page)
        (self.folder / "link.html").symlink_to(self.folder / "target.html")
        self.assertEqual(self.report(self.sweep, output="link.html")[0], 0)
        self.assertTrue((self.folder / "link.html").is_symlink())
        self.assertEqual((self.folder / "target.html").read_text(), page)


class Hosts(unittest.TestCase):
    def test_those_with_an_account_by_class_are_those_that_keep_logs(self):
        table = json.loads(
            subprocess.run(
                [PLATTER, "list", "hosts", "--json"], check=True, capture_output=True
            ).stdout
        )
        self.assertLessEqual(set(OF_HOSTS), {row["name"] for row in table})
        self.assertEqual(
            {name for name, host in OF_HOSTS.items() if host.classes},
            {row["name"] for row in table if row["keeps_logs"]},
        )


class NothingMeasured(Case):
    """A statistic without a sample is null in a result.
    A page shows that it is none, and never 0."""

    def starved(self, name: str) -> Path:
        """A result in which no discrete request has completed."""
        result = json.loads(self.sptf.read_text())
        one = result["classes"]["discrete"]
        for key in ("response_ms", "parts_ms"):
            one[key] = dict.fromkeys(one[key])
        for op in ("reads", "writes"):
            one[op] |= {
                "completed": 0,
                "response_ms": dict.fromkeys(one[op]["response_ms"]),
                "parts_ms": dict.fromkeys(one[op]["parts_ms"]),
            }
        one |= {
            "fairness_index": None,
            "completed": 0,
            "completions": 0,
            "outstanding": one["issued"],
            "waiting": {"requests": 431, "oldest_ms": 1234.5},
        }
        result["classes"]["continuous"]["completions"] = result["classes"]["continuous"][
            "completed"
        ]
        result["queue_depth"]["mean"] = None
        result["utilisation"] = None
        (self.folder / name).write_text(json.dumps(result))
        return self.folder / name

    def test_a_class_without_completions_has_a_line(self) -> None:
        page = self.page(self.starved("starved.json"))
        self.assertRegex(
            page,
            r"discrete: nothing completed in the measured time of [\d\u202f]+ issued in it; "
            r"431 requests wait at its end, the oldest for 123[45] ms\.",
        )
        self.assertIn(
            "<td>classes.discrete.response_ms.p99</td><td>–</td>", page.replace("<wbr>", "")
        )
        self.assertIn(
            "<td>classes.discrete.fairness_index</td><td>–</td>", page.replace("<wbr>", "")
        )
        self.assertIn("continuous: half within", page.replace("Continuous", "continuous"))
        result = json.loads((self.folder / "starved.json").read_text())
        result["classes"] = {"discrete": result["classes"]["discrete"]}
        (self.folder / "alone.json").write_text(json.dumps(result))
        self.assertIn("discrete: nothing completed", self.page(self.folder / "alone.json"))

    def test_jobs_have_a_table_in_the_order_of_the_scenario(self) -> None:
        result = json.loads(self.sptf.read_text())
        job = result["classes"]["discrete"]
        none = {"completed": 0, "completions": 0, "response_ms": dict.fromkeys(job["response_ms"])}
        result["jobs"] = {"a<b": none, "z": job}
        result["configuration"]["workload"]["job"] = [{"name": "z"}, {"name": "a<b"}]
        (self.folder / "jobs.json").write_text(json.dumps(result))
        page = self.page(self.folder / "jobs.json")
        rows = page[page.index('data-name="jobs"') :].split("</table>")[0].split("<tr>")[2:]
        self.assertEqual(len(rows), 2)
        self.assertTrue(rows[0].startswith("<td>z</td>"), rows[0])
        self.assertIn("a&lt;b", rows[1])
        self.assertIn("–", rows[1])
        self.assertNotIn('data-name="jobs"', self.page(self.sptf))

    def test_a_comparison_has_it_too(self) -> None:
        page = self.page(self.sptf, self.starved("starved.json"))
        self.assertIn("starved, discrete: nothing completed in the measured time", page)
        row = re.search(
            r"<tr><td>classes.discrete.response_ms.p99</td>(.*?)</tr>", page.replace("<wbr>", "")
        )[1]
        self.assertRegex(row, r'^<td class="number"[^>]*>[\d.]+</td><td>–</td><td></td><td></td>')
        self.page(self.folder / "starved.json", self.sptf)

    def test_a_sweep_and_a_search_show_what_is_missing(self) -> None:
        frame, metadata = pl.read_parquet(self.sweep), pl.read_parquet_metadata(self.sweep)
        metric = "p99.9 [ms]"
        gone = (pl.col("policy") == "FCFS") & (pl.col("rate") == 10)
        columns = [
            metric,
            *(
                f"{metric} {what}"
                for what in ("mean", "low", "high", "ratio", "ratio low", "ratio high")
            ),
        ]
        frame = frame.with_columns(
            *(pl.when(gone).then(None).otherwise(pl.col(name)).alias(name) for name in columns),
            pl.when(gone)
            .then(2)
            .when(pl.col("rate") == 20)
            .then(1)
            .otherwise(0)
            .alias(f"{metric} none"),
        )
        frame.write_parquet(
            self.folder / "nulls.parquet", metadata={"platter.sweep": metadata["platter.sweep"]}
        )
        page = self.page(self.folder / "nulls.parquet")
        self.assertIn(
            "p99.9 [ms]: 2 of 12 configurations have no value, since nothing was measured in any "
            "run or all failed; 4 have one over some of their seeds",
            page,
        )
        self.assertEqual(page.count("<td>–</td>"), 4)  # metric and ratio, two configurations
        self.assertEqual(page.count(" (1 none)"), 4)
        self.assertIn("Failed, refused and infeasible trials", self.page(self.study))

    def test_the_log_belongs_to_what_completed_in_the_measured_time(self) -> None:
        file = simulate(self.folder, "warm", sim__warmup_s=3, sim__measure_s=6)
        result, log = json.loads(file.read_text()), read_requests(file.with_suffix(".csv"))
        done = log.filter((pl.col("status") == "good") & (pl.col("completed_ps") > 3 * 10**12))
        self.assertGreater(done.filter(pl.col("issued_ps") < 3 * 10**12).height, 0)
        for name, one in result["classes"].items():
            of = done.filter(pl.col("class") == name)
            one |= {
                "completions": of.height,
                "response_ms": {
                    **one["response_ms"],
                    "max": (of["completed_ps"] - of["issued_ps"]).max() / 1e9,
                },
            }
        file.write_text(json.dumps(result))
        given = read_inputs([file])
        assert isinstance(given, list)
        self.assertEqual(charts.served(given[0].run).height, done.height)
        self.assertIn(
            f"{done.height} requests that completed in the measured time", self.page(file)
        )
        result["classes"]["discrete"]["completions"] += 1
        file.write_text(json.dumps(result))
        code, err = self.report(file)
        self.assertEqual(code, 2)
        self.assertIn("expected the log of the same run", err)


class Errors(Case):
    def refused(self, message: str, *words: object) -> None:
        before = sorted(self.folder.rglob("*"))
        code, err = self.report(*words, output="refused.html")
        self.assertEqual(code, 2, err)
        self.assertRegex(err, message)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def file(self, name: str, content: bytes | str) -> Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.addCleanup(path.unlink)
        return path

    def test_what_is_no_input(self) -> None:
        self.refused("nothing.json: No such file", self.folder / "nothing.json")
        self.refused(
            r"plan.toml:2:1: Expecting value; expected a result", self.folder / "plan.toml"
        )
        self.refused("list; expected a result", self.file("list.json", "[1]"))
        self.refused(
            "without schema, configuration, measured_s, seed", self.file("empty.json", "{}")
        )
        self.refused(r"cut.json:\d+:\d+: ", self.file("cut.json", self.sptf.read_bytes()[:5000]))
        self.refused("cut.parquet: ", self.file("cut.parquet", self.sweep.read_bytes()[:-300]))
        self.refused(
            "without the metadata platter.sweep or platter.optimise",
            self._parquet("plain.parquet", pl.DataFrame({"a": [1]}), {}),
        )
        self.refused(
            "schema: found 3, expected 2: made by another version",
            self.file("new.json", json.dumps(json.loads(self.sptf.read_text()) | {"schema": 3})),
        )
        self.refused(
            "expected .* name this file with --explain",
            self.file("explain.json", '{"schema": 1, "requests": [], "matched": 1, "ended": 1}'),
        )

    def test_mixtures(self) -> None:
        self.refused("a table, with .*sptf.json; expected one table alone", self.sptf, self.sweep)
        self.refused("expected one table alone", self.sweep, self.study)
        self.refused("is given twice", self.sptf, self.sptf)
        self.refused(
            "found 1 logs for 2 results",
            self.sptf,
            self.slack,
            "--requests",
            self.folder / "sptf.csv",
        )
        self.refused("found with a table", self.sweep, "--requests", self.folder / "sptf.csv")
        self.refused(
            "expected the table of a sweep with these options", self.sptf, "--maximise", "fairness"
        )
        self.refused(
            "--pareto: found p98, expected one of the sweep's metrics: p99.9",
            self.sweep,
            "--pareto",
            "p98",
            "fairness",
        )
        self.refused("found fairness twice", self.sweep, "--pareto", "fairness", "fairness")

    def test_logs_that_do_not_belong(self) -> None:
        log = (self.folder / "sptf.csv").read_text()
        alone = self.file("lone.json", self.sptf.read_bytes())
        self.refused(
            r"expected the log of the same run", alone, "--requests", self.folder / "slack.csv"
        )
        self.refused(
            r"completed, where .* has",
            alone,
            "--requests",
            self.file("short.csv", log[: log.rindex("\n", 0, len(log) // 2) + 1]),
        )
        self.refused(
            r"half.csv:\d+: the row is cut off",
            alone,
            "--requests",
            self.file("half.csv", log[: log.rindex(",", 0, len(log) // 2)]),
        )
        self.refused(
            r"off.csv:\d+: the parts of the response time do not add up",
            alone,
            "--requests",
            self.file(
                "off.csv",
                re.sub(r",(\d+),,0,good|,(\d+),(\d+),0,good\n", r",7,\3,0,good\n", log, count=1),
            ),
        )
        self.refused("has no column number", alone, "--requests", self.file("no.csv", "a,b\n1,2\n"))
        self.refused(
            "words.csv: ",
            alone,
            "--requests",
            self.file("words.csv", log.replace("\n12,", "\ntwelve,", 1)),
        )

    def test_tables_that_lack_something(self) -> None:
        frame, metadata = pl.read_parquet(self.sweep), pl.read_parquet_metadata(self.sweep)
        self.refused(
            "has no column fairness mean",
            self._parquet("lacks.parquet", frame.drop("fairness mean"), metadata),
        )
        self.refused("has no row", self._parquet("norow.parquet", frame.head(0), metadata))
        self.refused(
            "found no axes", self._parquet("noaxes.parquet", frame, {"platter.sweep": "{}"})
        )
        frame, metadata = pl.read_parquet(self.study), pl.read_parquet_metadata(self.study)
        self.refused(
            "has no column front", self._parquet("nofront.parquet", frame.drop("front"), metadata)
        )
        self.refused(
            "objectives.0.name: is missing",
            self._parquet(
                "noname.parquet",
                frame,
                {"platter.optimise": '{"parameters": [], "objectives": [{"unit": ""}]}'},
            ),
        )

    def _parquet(self, name: str, frame: pl.DataFrame, metadata: dict[str, str]) -> Path:
        frame.write_parquet(
            self.folder / name,
            metadata={key: value for key, value in metadata.items() if key.startswith("platter")},
        )
        self.addCleanup((self.folder / name).unlink)
        return self.folder / name

    @unittest.skipUnless(Path("/dev/full").exists(), "no /dev/full here")
    def test_a_full_disk_is_a_failure_of_the_run_not_of_the_input(self) -> None:
        code, err = self.report(self.sptf, output="/dev/full")
        self.assertEqual(code, 1, err)
        self.assertEqual(err, "platter-lab: /dev/full: No space left on device\n")
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "platter_lab.cli", "report", "--help"],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
            self.assertNotEqual(done.returncode, 0)
            words = [
                "sweep",
                self.folder / "plan.toml",
                "--platter",
                PLATTER,
                "--cache",
                self.folder / "kept",
                "-o",
                self.folder / "again.parquet",
            ]
            done = subprocess.run(
                [sys.executable, "-m", "platter_lab.cli", *map(str, words)],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        self.assertEqual(
            (done.returncode, done.stderr),
            (1, "platter-lab: standard output: No space left on device\n"),
        )

    def test_a_replaced_report_keeps_its_mode(self) -> None:
        output = self.folder / "mine.html"
        output.write_text("old")
        output.chmod(0o640)
        self.assertEqual(self.report(self.sptf, output="mine.html")[0], 0)
        self.assertEqual(stat.S_IMODE(output.stat().st_mode), 0o640)
        self.assertNotEqual(output.read_text(), "old")

    def test_outputs(self) -> None:
        code, err = self.report(self.sptf, output="sptf.json")
        self.assertEqual(code, 2)
        self.assertIn("names the same file as the input", err)
        json.loads(self.sptf.read_text())
        code, err = self.report(self.sptf, output="sptf.json/deeper.html")
        self.assertEqual(code, 2)


class Damaged(Case):
    """What a crash, a bad disk or an editor leaves: a report or a message, never a traceback.
    PLATTER_MUTATIONS says how many of each kind."""

    COUNT = int(os.environ.get("PLATTER_MUTATIONS", "25"))

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.short = simulate(cls.folder, "short", sim__measure_s=2)
        cls.explained = cls.folder / "why/explain.json"
        explain(cls.folder / "why", "--set", "sim.measure_s=2")

    def good_or_said(self, file: Path, how: str, *words: object) -> bool:
        output = self.folder / "damaged.html"
        output.unlink(missing_ok=True)
        try:
            code, err = self.report(*words, output=output.name)
        except BaseException as error:
            raise AssertionError(f"{file.name}: {how}: {type(error).__name__}: {error}") from error
        self.assertIn(code, (0, 2), f"{how}: {err}")
        self.assertEqual(output.exists(), code == 0, how)
        if code:
            self.assertRegex(err, r"^platter-lab: ", how)
            self.assertIn(file.name, err, how)
            self.assertLess(len(err), 1000, how)
            self.assertIn("expected", err, how)
        return code == 0

    def tried(
        self, change: Callable[[random.Random], tuple[bytes, str]], name: str, *words: object
    ) -> None:
        """Files of that name, each the first of the report's inputs that is new;
        both outcomes must occur."""
        outcomes, failures = set(), []
        for seed in range(self.COUNT):
            content, how = change(random.Random(f"{name} {seed}"))
            file = self.folder / name
            file.write_bytes(content)
            try:
                outcomes.add(self.good_or_said(file, f"seed {seed}, {how}", *(words or (file,))))
            except AssertionError as error:
                failures.append(str(error))
        self.assertFalse(failures, f"{len(failures)} of {self.COUNT}: " + "\n".join(failures[:40]))
        self.assertIn(False, outcomes)

    def test_results(self) -> None:
        result = json.loads(self.short.read_text())
        shutil.copy(self.short.with_suffix(".csv"), self.folder / "hurt.csv")

        def change(dice: random.Random) -> tuple[bytes, str]:
            if dice.random() < 0.3:
                return damage_bytes(self.short.read_bytes(), dice)
            some = (
                {
                    **result,
                    "configuration": {
                        key: result["configuration"][key]
                        for key in ("host", "sim", "policy", "engine", "drive")
                    },
                }
                if dice.random() < 0.8
                else result
            )
            text, how = damage_json(some, dice)
            return text.encode(), how

        self.tried(change, "hurt.json")
        self.tried(change, "second.json", self.short, self.folder / "second.json")

    def test_logs_and_explanations(self) -> None:
        log = self.short.with_suffix(".csv")
        self.tried(
            lambda dice: damage_bytes(log.read_bytes(), dice),
            "log.csv",
            self.short,
            "--requests",
            self.folder / "log.csv",
        )
        frame = read_requests(log)
        self.tried(
            lambda dice: damage_table(frame, {"a": '{"b": 1}'}, dice),
            "log.parquet",
            self.short,
            "--requests",
            self.folder / "log.parquet",
        )
        explained = json.loads(self.explained.read_text())

        def change(dice: random.Random) -> tuple[bytes, str]:
            text, how = damage_json(explained, dice)
            return text.encode(), how

        self.tried(change, "explain.json", self.short, "--explain", self.folder / "explain.json")

    def test_tables(self) -> None:
        for table in (self.sweep, self.study):
            content, frame, metadata = (
                table.read_bytes(),
                pl.read_parquet(table),
                pl.read_parquet_metadata(table),
            )
            metadata = {key: value for key, value in metadata.items() if key.startswith("platter")}
            self.tried(
                lambda dice, content=content: damage_bytes(content, dice), f"bytes-{table.name}"
            )
            self.tried(
                lambda dice, frame=frame, metadata=metadata: damage_table(frame, metadata, dice),
                f"columns-{table.name}",
            )


class InChromium(Case):
    """No script error, no request, no empty chart."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.browser = cls.enterClassContext(Browser())

    def seen(self, browser: Browser) -> tuple[list[str], list[str]]:
        """Errors, and addresses that were asked for, since the last look."""
        errors, asked = [], []
        for event in browser.events:
            method, told = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                errors.append(json.dumps(told["exceptionDetails"])[:500])
            elif (
                method == "Runtime.consoleAPICalled"
                and told["type"] in ("error", "warning", "assert")
            ) or (method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning")):
                errors.append(json.dumps(told)[:500])
            elif method == "Network.requestWillBeSent":
                asked.append(told["request"]["url"])
        browser.events.clear()
        return errors, asked

    def look(self, *words: object, charts_there: int) -> Browser:
        self.page(*words)
        browser = self.browser
        browser.events.clear()
        browser.open(self.folder / "out.html")
        errors, asked = self.seen(browser)
        self.assertEqual(errors, [])
        self.assertEqual(asked, [(self.folder / "out.html").as_uri()])
        marks = browser.value(
            "[...document.querySelectorAll('.chart')].map(c => "
            "[...c.querySelectorAll('g.role-mark:not(.role-axis-grid) path, g.role-mark text, "
            "g.role-mark line, g.role-mark rect')]"
            ".filter(m => !m.closest('.role-axis, .role-legend') "
            "&& (m.getBBox().width + m.getBBox().height > 0)).length)"
        )
        self.assertEqual(len(marks), charts_there)
        self.assertNotIn(0, marks)
        self.assertIsNone(browser.value("window.hacked"))
        self.assertEqual(browser.value("document.querySelectorAll('img').length"), 0)
        wide = browser.value(
            "[...document.querySelectorAll('figure')]"
            ".filter(f => f.scrollWidth > f.clientWidth + 1)"
            ".map(f => f.querySelector('h3').textContent)"
        )
        self.assertEqual(wide, [], "charts that are wider than their place")
        return browser

    def shown(self, name: str) -> list[str]:
        """First cells of the rows of a table that are seen."""
        return self.browser.value(
            f"[...document.querySelectorAll('.table[data-name=\"{name}\"] tbody tr')]"
            ".filter(r => r.offsetParent).map(r => r.cells[0].textContent)"
        )

    def type(self, name: str, words: str) -> None:
        self.browser.value(
            "(f => { f.value = ''; f.focus(); f.dispatchEvent(new Event('input')); "
            f"}})(document.querySelector('.table[data-name=\"{name}\"] input'))"
        )
        self.browser.call("Input.insertText", text=words)

    def test_the_guard_sees_what_it_guards_against(self) -> None:
        (self.folder / "bad.html").write_text(
            '<img src="http://127.0.0.1:9/x.png">'
            '<script>setTimeout(() => { throw new Error("thrown"); }); '
            'console.error("told")</script>'
        )
        self.browser.events.clear()
        self.browser.open(self.folder / "bad.html")
        self.browser.value("new Promise(done => setTimeout(done, 300))")
        errors, asked = self.seen(self.browser)
        self.assertIn("http://127.0.0.1:9/x.png", asked)
        self.assertTrue(any("thrown" in one for one in errors))
        self.assertTrue(any("told" in one for one in errors))

    def test_a_run(self) -> None:
        result = json.loads(self.sptf.read_text())
        result["configuration"]["drive"]["name"] = HOSTILE
        hostile = self.folder / "hostile.json"
        hostile.write_text(json.dumps(result))
        browser = self.look(hostile, "--requests", self.folder / "sptf.csv", charts_there=7)
        self.assertIn(HOSTILE, browser.value("document.querySelector('header').textContent"))
        everything = self.shown("statistics")
        self.type("statistics", "p99 discrete")
        few = self.shown("statistics")
        self.assertTrue(few)
        self.assertEqual(few, [name for name in everything if "p99" in name and "discrete" in name])
        self.assertIn(
            f"{len(few)} of {len(everything)} statistics",
            browser.value("document.body.textContent"),
        )
        longest = self.shown("requests")
        browser.value(
            "[...document.querySelectorAll('.table[data-name=requests] th')].find(h => "
            "h.textContent.startsWith('response')).click()"
        )
        self.assertEqual(self.shown("requests"), longest[::-1])
        browser.value(
            "document.body.append(Object.assign(document.createElement('script'), {textContent: "
            "'window.hacked = 1'}))"
        )
        self.assertIsNone(
            browser.value("window.hacked"), "the page's policy lets other scripts run"
        )

    def test_two_runs(self) -> None:
        self.look(self.sptf, self.slack, charts_there=3)

    def test_a_sweep(self) -> None:
        frame = pl.read_parquet(self.sweep).with_columns(
            pl.when(pl.col("seed") == 2, pl.col("policy") == "FCFS")
            .then(pl.lit("failed"))
            .otherwise("status")
            .alias("status"),
            pl.when(pl.col("seed") == 2, pl.col("policy") == "FCFS")
            .then(pl.lit(HOSTILE))
            .otherwise("message")
            .alias("message"),
            pl.when(pl.col("policy") == "FCFS")
            .then(pl.lit(HOSTILE))
            .otherwise("policy")
            .alias("policy"),
        )
        metadata = {
            key: value
            for key, value in pl.read_parquet_metadata(self.sweep).items()
            if key.startswith("platter")
        }
        frame.write_parquet(self.folder / "hostile.parquet", metadata=metadata)
        browser = self.look(
            self.folder / "hostile.parquet", "--maximise", "fairness", charts_there=8
        )
        self.assertEqual(len(self.shown("failed runs")), 6)
        self.assertEqual(len(self.shown("configurations")), 12)
        self.type("configurations", "policy=sptf rate>=20")
        self.assertEqual(self.shown("configurations"), ["SPTF"] * 4)
        self.type("configurations", '"depth.of[queue]=16" rate<20')
        self.assertEqual(sorted(self.shown("configurations")), sorted(["SPTF", HOSTILE]))
        before = browser.value("document.getElementById('chart-1').querySelector('svg').outerHTML")
        browser.value(
            "(s => { s.selectedIndex = 1; s.dispatchEvent(new Event('input', {bubbles: true})); "
            "s.dispatchEvent(new Event('change', {bubbles: true})); "
            "})(document.querySelector('#chart-1 select'))"
        )
        browser.wait(
            lambda: (
                browser.value("document.getElementById('chart-1').querySelector('svg').outerHTML")
                != before
            ),
            10,
        )

    def test_small_inputs(self) -> None:
        """Where a figure has nothing to draw, it is left out."""
        few = [
            simulate(self.folder, f"few{i}", sim__warmup_s=0, sim__measure_s=0.05, policy=policy)
            for i, policy in enumerate(("SPTF", "FCFS"))
        ]
        self.look(*few, charts_there=3)
        self.look(
            simulate(self.folder, "one", sim__warmup_s=0, sim__measure_s=0.01), charts_there=6
        )
        self.look(
            simulate(self.folder, "none", sim__warmup_s=1, sim__measure_s=0.0001), charts_there=0
        )
        frame = pl.read_parquet(self.sweep)
        about = json.loads(pl.read_parquet_metadata(self.sweep)["platter.sweep"])
        one_axis = self.folder / "one_axis.parquet"
        frame.filter(seed=1, rate=10, **{"depth.of[queue]": 16}).with_columns(
            pl.col("^.* low$").fill_null(0) * 0 - math.inf, pl.col("^.* high$") * 0 + math.inf
        ).write_parquet(
            one_axis,
            metadata={"platter.sweep": json.dumps(about | {"axes": ["policy"], "compare": None})},
        )
        self.look(one_axis, charts_there=4)
        self.assertIn(
            "One seed: no confidence intervals", one_axis.with_name("out.html").read_text()
        )
        failed = self.folder / "failed.parquet"
        frame.with_columns(
            pl.lit("failed").alias("status"), pl.col("^(p99.9|fairness).*$") * math.nan
        ).write_parquet(failed, metadata={"platter.sweep": json.dumps(about)})
        self.look(failed, charts_there=1)
        self.assertEqual(len(self.shown("failed runs")), frame.height)

    def test_a_study(self) -> None:
        self.look(self.study, charts_there=4)
        frame = pl.read_parquet(self.study)
        self.assertEqual(len(self.shown("trials on the front")), frame["front"].sum())
        self.assertEqual(self.shown("messages"), ["5"])
        self.type("trials", "luts<4000 status=good")
        self.assertEqual(
            sorted(map(int, self.shown("trials"))),
            frame.filter(pl.col("luts") < 4000)["trial"].to_list(),
        )

    def test_charts_keep_within_their_cards(self) -> None:
        """With all that they have: axes, legends, menus, at any width of the window and in print.
        Tables are wider in a narrow window, where they scroll."""
        browser = self.browser
        self.addCleanup(browser.resize, 1280)
        for words in ((self.sptf,), (self.sptf, self.slack), (self.many,), (self.study,)):
            browser.resize(1280)
            self.page(*words)
            browser.open(self.folder / "out.html")
            for width, printed in ((1400, False), (900, False), (420, False), (718, True)):
                browser.resize(width, printed=printed)
                if printed:
                    browser.value("dispatchEvent(new Event('beforeprint'))")
                # A new width is waited for
                browser.value("new Promise(done => setTimeout(done, 400))")
                browser.value(
                    "document.querySelectorAll('.chart details').forEach(d => d.open = true)"
                )
                out = browser.value("""[...document.querySelectorAll('figure')].flatMap(card => {
                    const room = card.getBoundingClientRect();
                    const name = card.querySelector('h3').textContent;
                    return [...card.querySelectorAll('svg.marks, svg.marks text, .vega-actions, '
                                                     + 'summary, h3, figcaption, .scales')]
                    .filter(one => {
                        const box = one.getBoundingClientRect();
                        const below = box.bottom > room.bottom && !one.matches('.vega-actions');
                        return box.width && (box.left < room.left || box.right > room.right
                                             || box.top < room.top || below);
                    }).map(one => name + ': ' + (one.textContent || one.tagName).slice(0, 40));
                })""")
                self.assertEqual(out, [], f"{words[0].name}, {width}")
                cut = browser.value("""[...document.querySelectorAll('svg.marks')].flatMap(svg => {
                    const room = svg.getBoundingClientRect();
                    return [...svg.querySelectorAll('.role-axis text, .role-legend text')]
                    .filter(text => {
                        const box = text.getBoundingClientRect();
                        return Number(getComputedStyle(text).opacity)
                            && (box.left < room.left - 1 || box.right > room.right + 1);
                    }).map(text => text.textContent); })""")
                self.assertEqual(cut, [], f"{words[0].name}, {width}")
                self.assertLessEqual(browser.value("document.documentElement.scrollWidth"), width)
                if printed:
                    self.assertEqual(
                        browser.value(
                            "[...document.querySelectorAll('.scroll')]"
                            ".filter(s => s.scrollWidth > s.clientWidth + 1)"
                            ".map(s => s.closest('.table').dataset.name)"
                        ),
                        [],
                    )

    def test_paper_gets_charts_of_its_width(self) -> None:
        self.page(self.sptf)
        self.browser.open(self.folder / "out.html")
        widths = (
            "[...document.querySelectorAll('svg.marks')]"
            ".map(svg => Number(svg.getAttribute('width')))"
        )
        before = self.browser.value(widths)
        # After the page's own
        self.browser.value(f"addEventListener('beforeprint', () => window.onPaper = {widths})")
        self.assertTrue(self.browser.printed().startswith(b"%PDF"))
        on_paper = self.browser.value("window.onPaper")
        self.assertLess(max(on_paper), 700)  # pixels, of A4 and of letter paper
        self.assertLess(max(on_paper[:2]), 340)  # side by side
        self.browser.wait(lambda: self.browser.value(widths) == before, 10)

    def test_a_legend_has_all_entries(self) -> None:
        self.page(self.many)
        for width in (1400, 900, 420):
            self.browser.resize(width)
            self.addCleanup(self.browser.resize, 1280)
            self.browser.open(self.folder / "out.html")
            legends = self.browser.value("""
            [...document.querySelectorAll('#chart-1, #chart-2')].map(chart => {
                const rooms = [chart.closest('figure'), chart.querySelector('svg.marks')]
                    .map(one => one.getBoundingClientRect());
                return [...chart.querySelectorAll('.role-legend-label text')].filter(text => {
                    const box = text.getBoundingClientRect();
                    return rooms.every(room => box.left >= room.left && box.right <= room.right
                                               && box.top >= room.top && box.bottom <= room.bottom);
                }).map(text => text.textContent); })""")
            self.assertEqual(legends, [POLICIES, POLICIES], width)

    def test_scales_can_be_logarithmic_and_linear(self) -> None:
        self.page(self.many)
        self.browser.open(self.folder / "out.html")
        self.browser.events.clear()

        def ticks(chart: str) -> list[str]:
            return self.browser.value(
                f"[...document.querySelectorAll('#{chart} .role-axis-label, "
                f"#{chart} .role-legend-gradient + g')]"
                ".flatMap(a => [...a.querySelectorAll('text')]).map(t => t.textContent)"
            )

        def click(chart: str, channel: str) -> None:
            before = ticks(chart)
            self.browser.value(
                f"document.querySelector('#{chart} ~ .scales [data-channel={channel}]').click()"
            )
            self.browser.wait(lambda: ticks(chart) != before, 10)

        def numbers(chart: str) -> list[float]:
            """Of the upright axis."""
            words = self.browser.value(
                f"[...document.querySelectorAll('#{chart} .role-axis')].map(a => "
                "[...a.querySelectorAll('.role-axis-label text')]"
                ".map(t => t.textContent).filter(t => t)).filter(a => a.length)"
            )
            return [
                float(word.replace("\u202f", "").replace(",", "").replace("\u2212", "-"))
                for word in words[1]
            ]

        def equal_steps(values: list[float]) -> bool:
            steps = [b - a for a, b in itertools.pairwise(values)]
            return max(steps) - min(steps) < 1e-6 * max(map(abs, values))

        self.assertFalse(equal_steps(numbers("chart-1")), "values that are far apart")
        click("chart-1", "y")
        self.assertTrue(equal_steps(numbers("chart-1")))
        click("chart-1", "y")
        self.assertFalse(equal_steps(numbers("chart-1")))
        self.assertTrue(equal_steps(numbers("chart-2")))
        click("chart-2", "y")
        self.assertFalse(equal_steps(numbers("chart-2")))
        choice = "document.querySelector('#chart-1 select')"
        self.assertIsNone(self.browser.value(choice))
        self.assertEqual(self.seen(self.browser)[0], [])

        self.page(self.sweep)  # a choice below the chart stays
        self.browser.open(self.folder / "out.html")
        self.browser.value(
            "(s => { s.selectedIndex = 1; s.dispatchEvent(new Event('input', {bubbles: true})); "
            f"s.dispatchEvent(new Event('change', {{bubbles: true}})); }})({choice})"
        )
        click("chart-1", "y")
        self.assertEqual(self.browser.value(f"{choice}.selectedIndex"), 1)
        self.assertEqual(self.seen(self.browser)[0], [])

    def test_no_number_has_an_exponent(self) -> None:
        for words in ((self.sptf, self.slack), (self.many,), (self.study,)):
            self.page(*words)
            self.browser.open(self.folder / "out.html")
            texts = self.browser.value(
                "[...document.querySelectorAll('svg.marks text, h3, .tile, td.number')]"
                ".map(t => t.textContent)"
            )
            self.assertEqual([one for one in texts if re.search(r"\de[+\u2212-]?\d", one)], [])
        self.page(self.many)
        self.browser.open(self.folder / "out.html")
        self.assertIn(
            "16\u202f200",
            self.browser.value(
                "[...document.querySelectorAll('.mark-text.role-mark text')]"
                ".map(t => t.textContent)"
            ),
        )
        self.browser.value("document.getElementById('chart-1').scrollIntoView()")
        x, y = self.browser.value(
            "(b => [b.left + b.width / 2, b.top + b.height / 2])"
            "([...document.querySelectorAll('#chart-1 .mark-symbol.role-mark path')].sort("
            "(a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0]"
            ".getBoundingClientRect())"
        )
        self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.browser.wait(
            lambda: self.browser.value(
                "document.querySelector('#vg-tooltip-element.visible')?.textContent"
            ),
            10,
        )
        said = self.browser.value("document.querySelector('#vg-tooltip-element').textContent")
        self.assertIn("16\u202f235", said)
        self.assertNotRegex(said, r"\de[+\u2212-]?\d|\d\.\d{5}")


class InANotebook(unittest.TestCase):
    def test_the_tutorial_runs(self) -> None:
        import nbformat
        from nbclient import NotebookClient

        path = ROOT / "docs/tutorials/explore_in_a_notebook.ipynb"
        notebook = nbformat.read(path, as_version=4)
        self.assertEqual(
            [
                cell.outputs
                for cell in notebook.cells
                if cell.cell_type == "code" and (cell.outputs or cell.execution_count)
            ],
            [],
            "is kept without outputs",
        )
        with tempfile.TemporaryDirectory(prefix="platter-notebook-") as folder:
            os.environ["IPYTHONDIR"] = folder
            NotebookClient(
                notebook,
                timeout=300,
                kernel_name="python3",
                resources={"metadata": {"path": str(ROOT / "docs/tutorials")}},
            ).execute()
        outputs = [
            output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
        ]
        pictures = [
            output["data"]["image/svg+xml"]
            for output in outputs
            if "image/svg+xml" in output.get("data", {})
        ]
        self.assertGreaterEqual(len(pictures), 3)
        self.assertTrue(all("<path" in picture for picture in pictures))
        self.assertTrue(
            any(
                "shape:" in str(output.get("data", {}).get("text/plain", "")) for output in outputs
            ),
            "no table is shown",
        )


if __name__ == "__main__":
    unittest.main()
