# SPDX-License-Identifier: Apache-2.0
"""The platter command as its users see it: exit codes, messages, results, waves.

Environment: PLATTER (the executable), PLATTER_FAULTY (the same around RTL with a seeded fault),
PLATTER_SOURCE (the tree).
"""

import bisect
import collections
import csv
import functools
import gzip
import hashlib
import itertools
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import pywellen

PLATTER = os.environ["PLATTER"]
SOURCE = pathlib.Path(os.environ["PLATTER_SOURCE"])
sys.path.insert(0, str(SOURCE / "tb"))
import gtkwave_views  # noqa: E402

SCENARIOS = SOURCE / "models/configs/scenarios"
MIXED = SCENARIOS / "mixed_media.toml"
PIPED = ["--set", "workload.discrete.source=trace", "--set", "workload.discrete.trace=-"]
JOBS = SCENARIOS / "jobs.toml"
EAGER = SCENARIOS / "eager_writing.toml"
LOAD = '[[job]]\nname = "a"\nrw = "randrw"\niodepth = 64\n'
NO_LOOK_AHEAD = ["Look-ahead"]  # what SPTF leaves flat in waves/rtl_decision.gtkw
# A run of which its views show all: with a short look-ahead, and limits.
RTL_VIEWS = [
    "engine=rtl",
    "policy=OPS:SLACK(3.4|0.46)",
    "accelerator.ahead_candidates=3",
    "accelerator.ahead_accesses=1",
    "workload.discrete.rate_per_s=100",
    "workload.discrete.deadline_ms=60",
    "sim.warmup_s=0",
    "sim.measure_s=1",
]


def platter(*arguments, program=PLATTER):
    return subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )


def overrides(settings):
    """`settings`: a list, or words of a text."""
    each = settings.split() if isinstance(settings, str) else settings
    return [word for setting in each for word in ("--set", setting)]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_good(self, *arguments):
        done = platter(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def result_of(self, *arguments):
        out = self.folder / "result.json"
        self.run_good("run", *arguments, "--result", out)
        return json.loads(out.read_text())

    def result_by(self, command, file, *settings):
        """The result of a command (words of the command line) with some keys overridden."""
        out = self.folder / "result.json"
        self.run_good(*command, file, *overrides(settings), "--quiet", "--result", out)
        return json.loads(out.read_text())

    def refused_by(self, command, file, *settings):
        """What it says when it refuses a file or a key; nothing is written."""
        out = self.folder / "out" / "result.json"
        done = platter(*command, file, *overrides(settings), "--result", out)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertFalse(out.parent.exists())
        return done.stderr

    def write(self, name, text):
        file = self.folder / name
        file.write_text(text)
        return file

    def assert_view_fits(self, view, waves, at_least=10):
        self.assertGreaterEqual(len(gtkwave_views.named(view)), at_least)
        self.assertEqual(gtkwave_views.misfits(view, waves), [])

    def assert_refused(self, done, *patterns):
        """Exit code 2, a message with each pattern, and nothing written."""
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for pattern in patterns:
            self.assertRegex(done.stderr, pattern)
        self.assertEqual(
            [p.name for p in self.folder.iterdir() if p.suffix not in (".toml", ".trace")], []
        )


class Lists(Case):
    def test_lists_name_what_ships(self):
        drives = self.run_good("list", "drives").stdout
        for name in ("atlas10k", "cheetah9lp", "balafoutis_table1", "elite3", "cheetah_st34501n"):
            self.assertRegex(drives, rf"(?m)^{name} ")
        policies = [
            row["name"] for row in json.loads(self.run_good("list", "policies", "--json").stdout)
        ]
        for name in (
            "FCFS",
            "SSTF",
            "SCAN",
            "LOOK",
            "C-LOOK",
            "SPTF",
            "SPTF(next-C)",
            "SPTF(unguarded)",
            "ASPTF(w)",
            "OPS:SCAN/CI-SPTF",
            "OPS:SCAN/CI-OPT(M)",
            "OPS:SCAN/CLUST-REQ(M)",
            "OPS:SCAN/CLUST-CYL(M|T)",
            "SATF-EW",
            "FreeBW-SATF",
            "FreeBW-SCAN",
            "FreeBW-Hybrid",
            "Read-First",
            "Credit-EW",
        ):
            self.assertIn(name, policies)
        formats = self.run_good("list", "trace-formats").stdout
        for name in (
            "blkparse",
            "fio",
            "disksim",
            "blktrace",
            "vscsi",
            "spc",
            "msr",
            "systor",
            "alibaba",
            "tencent",
            "fiu",
        ):
            self.assertIn(name, formats)

    def test_hosts_tell_whether_they_keep_logs(self):
        hosts = {
            row["name"]: row["keeps_logs"]
            for row in json.loads(self.run_good("list", "hosts", "--json").stdout)
        }
        self.assertEqual(
            hosts,
            {
                "drive": True,
                "array": True,
                "media_server": False,
                "mixed_server": True,
                "autoqos": False,
            },
        )

    def test_policies_name_the_engines_that_run_them(self):
        engines = {
            row["name"]: row["description"].rpartition("[")[2]
            for row in json.loads(self.run_good("list", "policies", "--json").stdout)
        }
        self.assertEqual(engines["FCFS"], "firmware]")
        self.assertEqual(engines["SPTF"], "firmware, model, rtl, lockstep; program sptf]")
        self.assertEqual(engines["SATF-EW"], "firmware, eager writing]")

        programs = {name for name, text in engines.items() if "; program " in text}
        readme = (SOURCE / "README.md").read_text()
        self.assertIn(f"shows the {len(engines)} policies", readme)
        self.assertIn(f"runs {len(programs)} of the {len(engines)} policies", readme)
        page = (SOURCE / "docs/reference/policies.md").read_text()
        table = page.partition("| program | policies |")[2].partition("\n\n")[0]
        cells = [row.replace("\\|", "¦").split("|")[2] for row in table.splitlines()[2:]]
        named = {name.replace("¦", "|") for cell in cells for name in re.findall("`([^`]+)`", cell)}
        self.assertEqual(named, programs)

    def test_the_page_of_traces_has_every_format_with_its_units(self):
        rows = re.findall(
            r"(?m)^\| `([\w-]+)` \| (time in [^|]*) \|",
            (SOURCE / "docs/reference/traces.md").read_text(),
        )
        formats = json.loads(self.run_good("list", "trace-formats", "--json").stdout)
        self.assertEqual(
            rows, [(row["name"], row["description"].rpartition("(")[2][:-1]) for row in formats]
        )

    def test_unknown_list_is_a_usage_error(self):
        self.assertEqual(platter("list", "disks").returncode, 2)

    def test_a_bare_command_prints_its_help(self):
        for words in ((), ("drive",), ("trace",), ("config",)):
            with self.subTest(words=words):
                bare = self.run_good(*words)
                self.assertEqual(bare.stdout, self.run_good(*words, "--help").stdout)
                self.assertEqual(bare.stderr, "")
        self.assertIn("platter-lab", self.run_good().stdout)
        self.assertEqual(
            platter("sweep", "plan.toml").stderr,
            "platter: sweep is a command of the Python package: platter-lab sweep\n",
        )
        for words in (
            ("drive", "shw"),
            ("--json",),
            ("run",),
            ("list",),
            ("drive", "show"),
        ):  # what is no command, or lacks something
            self.assertEqual(platter(*words).returncode, 2, words)

    def test_drive_show(self):
        text = self.run_good("drive", "show", "atlas10k").stdout
        self.assertIn("17966953 blocks", text)
        self.assertIn("24 zones", text)
        self.assertRegex(
            text, r"sequential +[\d.]+ MB/s at the outer edge, [\d.]+ at the inner one"
        )
        # What it says that the drive reaches is what a simulation of that load finds,
        # within the chance of the places.
        scenario = self.write(
            "random.toml",
            'format = 1\ndrive = "atlas10k"\nengine = "firmware"\n'
            'workload.discrete = { source = "closed", mean_bytes = 4096 }\n'
            "[sim]\nwarmup_s = 2\nmeasure_s = 60\n",
        )
        said = re.search(
            r"random +([\d.]+) reads/s of 4 KiB at uniform places in their order \(FCFS\), "
            r"([\d.]+) with 32 waiting \(SPTF\)",
            text,
        )
        for policy, waiting, rate in (("FCFS", 1, said[1]), ("SPTF", 32, said[2])):
            ran = json.loads(
                self.run_good(
                    "run",
                    scenario,
                    "--quiet",
                    *overrides(f"policy={policy} workload.discrete.outstanding={waiting}"),
                    "--result",
                    "/dev/stdout",
                ).stdout
            )
            self.assertAlmostEqual(float(rate) / ran["throughput"]["requests_per_s"], 1, delta=0.04)
        missing = platter("drive", "show", "atlas11k")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("did you mean atlas10k?", missing.stderr)


class TraceInfo(Case):
    def test_guest_trace_agrees_with_its_own_trailer(self):
        info = json.loads(
            self.run_good(
                "trace",
                "info",
                SOURCE / "models/configs/traces/guest_ext4.blkparse.txt.xz",
                "--json",
            ).stdout
        )
        self.assertEqual(info["reads"], 3918)
        self.assertEqual(info["read_bytes"], 32287 * 1024)
        text = self.run_good(
            "trace", "info", SOURCE / "models/configs/traces/guest_ext4.blkparse.txt.xz"
        ).stdout
        for word in ("span", "requests/s", "reads", "mean", "largest address"):
            self.assertIn(word, text)

    def test_the_standard_input_is_a_trace(self):
        text = "0.0 3 100 8 1\n1.0 3 100 8 0\n"
        done = subprocess.run(
            [PLATTER, "trace", "info", "-", "--json"],
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        self.assertEqual(json.loads(done.stdout)["records"], 2)
        packed = subprocess.run(
            [PLATTER, "trace", "convert", "-", "--to", "msr", "-o", "/dev/stdout"],
            input=gzip.compress(text.encode()),
            capture_output=True,
            timeout=60,
            check=True,
        )
        self.assertEqual(len(packed.stdout.splitlines()), 2)
        bad = subprocess.run(
            [PLATTER, "trace", "info", "-"],
            input="hello\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assert_refused(bad, "standard input:1: ")

    def test_what_is_left_out_is_told(self):
        trace = self.write("t.trace", "0.0 3 100 8 1\n1.0 3 100 0 0\n2.0 3 100 8 1")
        self.assert_refused(platter("trace", "info", trace), "--skip-empty")
        self.assert_refused(
            platter("trace", "info", trace, "--skip-empty"), "--last-line keep|drop"
        )
        text = self.run_good("trace", "info", trace, "--skip-empty", "--last-line", "drop").stdout
        self.assertIn("left out         1 requests of size 0", text)
        self.assertIn("left out         the last line", text)
        told = json.loads(
            self.run_good(
                "trace", "info", trace, "--skip-empty", "--last-line", "keep", "--json"
            ).stdout
        )
        self.assertEqual((told["records"], told["empty"], told["cut_short"]), (2, 1, 0))

    def trace_scenario(self, requests=50, streams=0):
        self.write("t.trace", "".join(f"{200 * i}.0 0 {i * 7919} 8 1\n" for i in range(requests)))
        continuous = (
            '[workload.continuous]\nstreams = 4\nsize = "gamma"\nmean_bytes = 20000\n'
            if streams
            else ""
        )
        return self.write(
            "trace.toml",
            'format = 1\ndrive = "atlas10k"\n'
            + continuous
            + '[workload.discrete]\nsource = "trace"\ntrace = "t.trace"\n',
        )

    def result_and_text(self, scenario, *words):
        file = self.folder / "r.json"
        text = self.run_good("run", scenario, "--result", file, *words).stdout
        return json.loads(file.read_text()), text

    def test_a_run_is_as_long_as_its_trace(self):
        for streams in (0, 4):
            scenario = self.trace_scenario(streams=streams)
            result, text = self.result_and_text(scenario)
            discrete = result["classes"]["discrete"]
            self.assertEqual(
                (discrete["issued"], discrete["completed"], discrete["outstanding"]), (50, 50, 0)
            )
            self.assertEqual(
                result["trace"],
                {
                    "requests": 50,
                    "left_out": 0,
                    "out_of_order": 0,
                    "remaining": 0,
                    "remaining_all": True,
                },
            )
            self.assertNotIn("goes on", text)
            # The end is that of the last request, whoever watches.
            log = self.folder / "log.csv"
            watched, _ = self.result_and_text(
                scenario,
                "--requests",
                log,
                "--timeline",
                self.folder / "t.json",
                "--waves",
                self.folder / "w.fst",
            )
            last = max(
                int(row["completed_ps"])
                for row in csv.DictReader(log.read_text().splitlines())
                if row["class"] == "discrete"
            )
            self.assertAlmostEqual(result["measured_s"], last * 1e-12, 9)
            for each in (result, watched):
                del each["host"]
            if not streams:
                self.assertEqual(result, watched)
            dumped = self.run_good("config", "dump", scenario, "--json").stdout
            self.assertEqual(json.loads(dumped)["sim"]["measure_s"], 0)

    def test_a_run_that_is_shorter_says_what_remains(self):
        scenario = self.trace_scenario()
        for measured, remaining in (("2.0", 40), ("9.8", 1), ("9.801", 0), ("30.0", 0)):
            result, text = self.result_and_text(scenario, "--set", f"sim.measure_s={measured}")
            self.assertEqual(result["trace"]["remaining"], remaining)
            self.assertEqual(result["trace"]["requests"], 50 - remaining)
            self.assertTrue(result["trace"]["remaining_all"])
            self.assertEqual(
                (
                    f"the trace goes on: {remaining} requests come after the end of "
                    "the run (sim.measure_s)"
                )
                in text,
                remaining > 0,
            )
            self.assertEqual(result["measured_s"], float(measured))
        # Closed: each slot has a request that would be issued after the end.
        closed = overrides(["workload.pace=closed", "workload.discrete.outstanding=4"])
        for think in (0, 10**6):
            more = overrides([f"workload.thinktime_us={think}", "sim.measure_s=0.1"])
            result, text = self.result_and_text(scenario, *closed, *more)
            issued = result["classes"]["discrete"]["issued"]
            self.assertEqual(result["trace"]["requests"], issued)
            self.assertEqual(result["trace"]["remaining"], 50 - issued)
            self.assertTrue(result["trace"]["remaining_all"])
            self.assertIn(f"the trace goes on: {50 - issued} requests come after the end", text)
        # Requests that fail are replaced, unless they fail at once or with their drive.
        with scenario.open("a") as file:
            file.write('[[fault]]\nkind = "unreadable"\nblock = 0\nblocks = 3_000_000\n')
        result, text = self.result_and_text(scenario, *closed)
        self.assertEqual(result["classes"]["discrete"]["issued"], 50)
        self.assertGreater(result["classes"]["discrete"]["failed"], 4)
        self.assertNotIn("goes on", text)
        result, text = self.result_and_text(scenario, *closed, "--set", "failure.fails_at_s=0.05")
        self.assertGreater(result["trace"]["remaining"], 20)
        self.assertIn("one that fails at once or with its drive is not replaced", text)
        scenario = self.trace_scenario()
        # A pipe is not read on.
        done = subprocess.run(
            [
                PLATTER,
                "run",
                scenario,
                *overrides("workload.discrete.trace=- sim.measure_s=2"),
            ],
            input=(self.folder / "t.trace").read_text(),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        self.assertIn("the trace goes on: at least 1 requests", done.stdout)
        # What is wrong behind the end is no error of the run.
        with (self.folder / "t.trace").open("a") as file:
            file.write("what is this\n")
        result, text = self.result_and_text(scenario, "--set", "sim.measure_s=2")
        self.assertEqual(
            (result["trace"]["remaining"], result["trace"]["remaining_all"]), (40, False)
        )
        (self.folder / "r.json").unlink()
        self.assert_refused(platter("run", scenario), r"t.trace:51: ")

    def test_lengths_that_measure_nothing_are_refused(self):
        scenario = self.trace_scenario()
        self.assert_refused(
            platter("run", scenario, "--set", "sim.warmup_s=20"),
            "sim.warmup_s: found 20, expected less than .* at which the last "
            "request of the load has ended",
        )
        self.assert_refused(
            platter("run", scenario, "--set", "sim.measure_s=1e-7"),
            "sim.measure_s: found 1e-07, expected at least 1e-06, or 0",
        )
        self.assert_refused(
            platter("run", MIXED, "--set", "sim.measure_s=0"),
            "sim.measure_s: found 0, expected at least 1e-06; "
            "0 is allowed with a trace, or with a job that ends, only",
        )

    def test_several_devices_are_listed(self):
        trace = self.write("two.trace", "0.0 3 100 8 1\n1.0 5 100 8 0\n2.0 5 300 16 1\n")
        text = self.run_good("trace", "info", trace).stdout
        self.assertRegex(text, r"devices +3: 1  5: 2")
        one = json.loads(self.run_good("trace", "info", trace, "--device", "5", "--json").stdout)
        self.assertEqual((one["reads"], one["writes"]), (1, 1))

    def test_errors(self):
        self.assertEqual(platter("trace", "info", self.folder / "none").returncode, 2)
        bad = self.write("bad.trace", "0.0 0 100 8 1\n1.0 0 100\n")
        done = platter("trace", "info", bad)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"bad\.trace:2: .*expected 5")
        self.assertEqual(platter("trace", "info", bad, "--format", "blkparze").returncode, 2)
        good = self.write("good.trace", "0.0 0 100 8 1\n")
        for option, value in (
            ("--capacity", "-5"),
            ("--capacity", "0"),
            ("--span", "-5"),
            ("--spread", "nan"),
        ):
            with self.subTest(option=option, value=value):
                capacity = ["--capacity", "1000000"] if option == "--span" else []
                done = platter(
                    "trace",
                    "convert",
                    good,
                    "--to",
                    "msr",
                    "-o",
                    self.folder / "out.csv",
                    *capacity,
                    option,
                    value,
                )
                self.assertEqual(done.returncode, 2)
                self.assertIn(option, done.stderr)
        self.assertFalse((self.folder / "out.csv").exists())

    def test_recorded_response_times(self):
        trace = self.write(
            "t.csv",
            "100,h,0,Read,0,512,10000\n200,h,0,Write,512,512,30000\n300,h,0,Write,512,512,\n",
        )
        info = json.loads(self.run_good("trace", "info", trace, "--json").stdout)
        self.assertEqual(info["recorded_response"]["count"], 2)
        self.assertEqual(
            (
                info["recorded_response"]["mean_ms"],
                info["recorded_response"]["p50_ms"],
                info["recorded_response"]["max_ms"],
            ),
            (2, 1, 3),
        )
        self.assertIn(
            "response time    recorded: mean 2.000 ms", self.run_good("trace", "info", trace).stdout
        )
        result, requests = self.folder / "r.json", self.folder / "r.csv"
        scenario = self.write(
            "s.toml",
            'format = 1\ndrive = "atlas10k"\npolicy = "FCFS"\nengine = "firmware"\n'
            f'[workload.discrete]\nsource = "trace"\ntrace = "{trace}"\n[sim]\nmeasure_s = 1.0\n',
        )
        shown = self.run_good("run", scenario, "--result", result, "--requests", requests).stdout
        self.assertRegex(shown, r"(?m)^as recorded +mean ms .*\ndiscrete +2\.00 ")
        self.assertEqual(
            json.loads(result.read_text())["classes"]["discrete"]["recorded_ms"]["mean"], 2
        )
        with requests.open() as rows:
            self.assertEqual(
                {row["number"]: row["recorded_ps"] for row in csv.DictReader(rows)},
                {"0": "1000000000", "1": "3000000000", "2": ""},
            )

    def test_files_of_processors(self):
        whole = (SOURCE / "tb/golden/traces/small.blktrace").read_bytes()
        for processor in (0, 1):
            (self.folder / f"sda.blktrace.{processor}").write_bytes(whole)
        self.assertEqual(
            json.loads(self.run_good("trace", "info", self.folder / "sda", "--json").stdout)[
                "records"
            ],
            6,
        )
        scenario = self.write(
            "s.toml",
            'format = 1\ndrive = "atlas10k"\npolicy = "FCFS"\nengine = "firmware"\n'
            '[workload.discrete]\nsource = "trace"\ntrace = "sda"\npast_end = "scale"\n'
            "[sim]\nmeasure_s = 1.0\n",
        )
        self.assertEqual(self.result_of(scenario, "--quiet")["classes"]["discrete"]["completed"], 6)
        refused = platter(
            "run", scenario, "--set", f"workload.discrete.trace={self.folder / 'sdb'}"
        )
        self.assertEqual(refused.returncode, 2)
        self.assertIn('there is no file "', refused.stderr)

    def test_options_of_the_order(self):
        trace = self.write("t.csv", "1538323201,0,8,0,7\n1538323200,8,8,1,7\n1538323201,16,8,1,7\n")
        info = json.loads(self.run_good("trace", "info", trace, "--json", "--spread", "1").stdout)
        self.assertEqual((info["out_of_order"], info["span_s"]), (1, 1.5))
        done = platter("trace", "info", trace, "--sort-window", "0")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"t\.csv:2: time goes back")
        for arguments in (
            ("--sort-window", "-1"),
            ("--time-unit", "h"),
            ("--lba-unit", "0"),
            ("--spread", "-1"),
            ("--action", "X"),
        ):
            self.assertEqual(platter("trace", "info", trace, *arguments).returncode, 2, arguments)


class TraceConvert(Case):
    TEXT = "0.5 0 100 8 1\n1.0 0 1000 8 0\n3.25 0 0 1 1\n"

    def convert(self, trace, output, to, *arguments):
        return platter("trace", "convert", trace, "-o", output, "--to", to, *arguments)

    def test_there_and_back(self):
        trace = self.write("a.trace", self.TEXT)
        for to in ("fio-iolog", "msr", "blktrace"):
            other, back = self.folder / to, self.folder / f"{to}.back"
            self.assertEqual(self.convert(trace, other, to).returncode, 0)
            self.assertEqual(
                json.loads(self.run_good("trace", "info", other, "--json").stdout)["format"], to
            )
            self.assertEqual(self.convert(other, back, "disksim-ascii").returncode, 0)
            self.assertEqual(
                back.read_text(),
                "0.000000000 0 100 8 1\n0.500000000 0 1000 8 0\n2.750000000 0 0 1 1\n",
            )

    def test_whole_or_nothing(self):
        trace = self.write("a.trace", self.TEXT + "4.0 0 x 8 1\n")
        self.assert_refused(
            self.convert(trace, self.folder / "out" / "b", "msr"), r"a\.trace:4:7: block is \"x\""
        )
        self.assert_refused(
            self.convert(trace, trace, "msr"),
            r"a\.trace: cannot be written: it is an input of this run",
        )
        self.assert_refused(
            self.convert(trace, self.folder / "b", "mssr"),
            r'--to: there is no output format "mssr" .did you mean msr\?.; '
            r"expected one of fio-iolog",
        )
        self.assert_refused(
            self.convert(trace, self.folder / "b", "msr", "--name", "a b"), '--name: found "a b"'
        )
        self.assert_refused(
            self.convert(trace, self.folder / "b", "msr", "--past-end", "wrap"), "capacity"
        )

    def test_a_pipe_is_written_into(self):
        trace = self.write("a.trace", self.TEXT)
        self.assertEqual(
            self.convert(trace, "/dev/stdout", "msr").stdout.splitlines()[0],
            "0,trace,0,Read,51200,4096,",
        )

    def test_places(self):
        trace = self.write("a.trace", self.TEXT)

        def blocks(*arguments):
            done = self.convert(
                trace, "/dev/stdout", "disksim-ascii", "--capacity", 504 * 512, *arguments
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            return [int(line.split()[2]) for line in done.stdout.splitlines()]

        self.assertEqual(blocks("--past-end", "wrap"), [100, 496, 0])
        self.assertEqual(blocks("--past-end", "clip"), [100, 0])
        self.assertEqual(blocks("--past-end", "scale"), [50, 496, 0])
        self.assertEqual(blocks("--past-end", "scale", "--span", 2016 * 512), [25, 250, 0])
        self.assert_refused(
            self.convert(trace, self.folder / "b", "msr", "--capacity", 504 * 512),
            r"a\.trace:2: found a write of bytes 512000 to 516095",
        )


class BadInput(Case):
    def run_bad(self, scenario, *arguments):
        return platter(
            "run",
            scenario,
            "--result",
            self.folder / "out" / "result.json",
            "--requests",
            self.folder / "out.csv",
            "--waves",
            self.folder / "out.fst",
            *arguments,
        )

    def test_misspelt_key(self):
        text = (
            MIXED.read_text()
            .replace("rate_per_s", "rate_per_sec")
            .replace("../streams", str(MIXED.parent / "../streams"))
        )
        scenario = self.write("s.toml", text)
        line = 1 + text[: text.index("rate_per_sec")].count("\n")
        self.assert_refused(
            self.run_bad(scenario),
            rf"s\.toml:{line}:\d+: workload\.discrete\.rate_per_sec: there is no "
            r"such key \(did you mean workload\.discrete\.rate_per_s\?\)",
        )

    def test_missing_drive(self):
        scenario = self.write("s.toml", 'format = 1\ndrive = "atlas10kk"\n[sim]\nmeasure_s = 1.0\n')
        self.assert_refused(
            self.run_bad(scenario),
            r"s\.toml:2:\d+: drive: there is no drive \"atlas10kk\" "
            r"\(did you mean atlas10k\?\)",
        )
        scenario = self.write("s.toml", "format = 1\n[sim]\nmeasure_s = 1.0\n")
        self.assert_refused(self.run_bad(scenario), r"s\.toml: drive: is missing")

    def test_several_problems_at_once(self):
        scenario = self.write(
            "s.toml",
            'format = 2\ndrive = "atlas10k"\nengine = "rlt"\n[sim]\nmeasure_s = -1\nseed = "a"\n',
        )
        done = self.run_bad(scenario)
        self.assert_refused(
            done,
            r"s\.toml:1:\d+: format: found 2",
            r"s\.toml:3:\d+: engine: .*did you mean rtl",
            r"s\.toml:5:\d+: sim\.measure_s",
            r"s\.toml:6:\d+: sim\.seed",
        )

    def trace_scenario(self, trace, extra=""):
        return self.write(
            "s.toml",
            'format = 1\ndrive = "atlas10k"\n[workload.discrete]\nsource = "trace"\n'
            f'trace = "{trace}"\n{extra}[sim]\nmeasure_s = 10.0\n',
        )

    def test_truncated_trace(self):
        self.write("t.trace", "0.5 0 100 8 1\n1.5 0 2000 8\n")
        self.assert_refused(
            self.run_bad(self.trace_scenario("t.trace")), r"t\.trace:2: .*expected 5"
        )

    def test_missing_trace(self):
        self.assert_refused(
            self.run_bad(self.trace_scenario("none.trace")),
            r"s\.toml:5:\d+: workload\.discrete\.trace: there is no file",
        )

    def test_address_past_the_end(self):
        self.write("t.trace", "0.5 0 100 8 1\n1.5 0 17966950 8 1\n")
        scenario = self.trace_scenario("t.trace")
        self.assert_refused(self.run_bad(scenario), r"t\.trace:2: ", r"9199079936")
        for policy in ("wrap", "clip"):
            result = self.result_of(scenario, "--set", f"workload.discrete.past_end={policy}")
            self.assertEqual(result["classes"]["discrete"]["completed"], 2)

    def test_unknown_command_or_result_without_a_place(self):
        self.assert_refused(platter("frobnicate"), "there is no command frobnicate")
        papers = SOURCE / "docs/papers"
        for scenario in (
            MIXED,
            papers / "autoqos/figure4.toml",
            papers / "replicated-striping/server.toml",
            papers / "integrated-servers/server.toml",
        ):
            done = platter("run", scenario, "--result", self.folder)
            self.assert_refused(done, "cannot be written: it is a folder")
            self.assertEqual(done.stdout, "", "before the run")
        same = self.folder / "same"
        self.assert_refused(
            platter("run", MIXED, "--result", same, "--requests", same),
            "same: cannot be written: it is another output of this run",
        )

    def test_33rd_outstanding_command(self):
        scenario = self.write(
            "s.toml",
            'format = 1\n[drive]\nfile = "atlas10k"\nqueue.reject_when_full = true\n'
            '[workload.discrete]\nsource = "closed"\noutstanding = 33\n[sim]\nmeasure_s = 1.0\n',
        )
        self.assert_refused(
            self.run_bad(scenario),
            r"s\.toml: the drive refused request 32 \(discrete read of 4096 bytes at "
            r"byte \d+\): queue full",
        )
        result = self.result_of(scenario, "--set", "workload.discrete.outstanding=32")
        self.assertGreater(result["classes"]["discrete"]["completed"], 100)

    def test_policy_that_the_accelerator_does_not_carry(self):
        self.assert_refused(
            self.run_bad(MIXED, "--set", "policy=FCFS"),
            "engine: engine lockstep does not support policy FCFS",
        )
        self.assert_refused(
            self.run_bad(MIXED, "--set", "policy=SPTT"),
            r"there is no policy \"SPTT\" \(did you mean SPTF\?\)",
        )
        self.assert_refused(
            self.run_bad(MIXED, "--set", 'policy="OPS:SCAN/CI-OPT(13)"'),
            r"expected OPS:SCAN/CI-OPT\(M\), M from 1 to 12",
        )
        self.assert_refused(
            self.run_bad(MIXED, "--set", "drive.queue.depth=64", "--set", "accelerator.entries=32"),
            "accelerator.entries=32: accelerator.entries: found 32, expected at least the 64 of "
            "drive.queue.depth, or 0",
        )

    def test_a_fault_of_the_accelerator_is_told_where_it_stands(self):
        def with_lines(*lines):
            return self.write(
                "s.toml",
                "\n".join(
                    (
                        "format = 1",
                        'engine = "model"',
                        'policy = "SPTF"',
                        "[drive]",
                        'file = "atlas10k"',
                        "[accelerator]",
                        *lines,
                    )
                )
                + "\n",
            )

        for lines, setting, told in (
            (
                ["lanes = 3"],
                None,
                r"s\.toml:7:9: accelerator\.lanes: found 3, expected 1, 2, 4, 8 or 16",
            ),
            (
                ['features = ["look_ahead", "limits"]'],
                'policy="OPS:SLACK(3.4|0.46)"',
                (
                    r's\.toml:7:12: accelerator\.features: found \["look_ahead", "limits"\], '
                    r'expected "ageing" among them, which policy'
                ),
            ),
            (
                ["features = 6"],
                None,
                (
                    r"s\.toml:7:12: accelerator\.features: found 6, expected an array of names of "
                    r"ageing, look_ahead, limits, zero_latency"
                ),
            ),
            (
                ['features = ["aging"]'],
                None,
                (
                    r's\.toml:7:12: accelerator\.features: found "aging", expected one of ageing, '
                    r"look_ahead, limits, zero_latency \(did you mean ageing\?\)"
                ),
            ),
            (
                ["order_m = 4"],
                "policy=OPS:SCAN/CI-OPT(5)",
                r"s\.toml:7:11: accelerator\.order_m: found 4, expected at least 5: policy",
            ),
            ([], "engine=rtl", None),
            (
                [],
                "drive.queue.depth=300",
                "drive.queue.depth=300: drive.queue.depth: found 300, expected at most 256",
            ),
            (
                ["lanes = 4"],
                "accelerator.lanes=6",
                "accelerator.lanes=6: accelerator.lanes: found 6",
            ),
        ):
            with self.subTest(lines=lines, setting=setting):
                run = platter(
                    "run",
                    with_lines(*lines),
                    "--set",
                    "sim.measure_s=0.1",
                    *(["--set", setting] if setting else []),
                )
                if told is None:
                    self.assertEqual(run.returncode, 0, run.stderr)
                else:
                    self.assert_refused(run, told)

    def test_a_margin_beyond_a_turn_is_the_longest(self):
        def digest(margin):
            log = self.folder / f"requests_{margin}.csv"
            run = platter(
                "run",
                MIXED,
                *overrides(
                    f"engine=model accelerator.angle_bits=12 accelerator.margin_ticks={margin} "
                    "sim.measure_s=20"
                ),
                "--requests",
                log,
            )
            self.assertEqual(run.returncode, 0, run.stderr)
            return log.read_bytes()

        none, longest, wrapped, beyond = (digest(margin) for margin in (0, 4093, 4094, 8192))
        self.assertNotEqual(none, longest)
        self.assertEqual(longest, wrapped)
        self.assertEqual(longest, beyond)

    def test_a_drive_too_slow_for_the_accelerator_is_refused(self):
        slow = (
            "drive.seek.model=three-point",
            "drive.seek.points_us=[]",
            "drive.seek.single_us=5000",
            "drive.mechanics.rpm=7200",
            "drive.seek.average_us=60000",
        )
        keys = [word for key in slow for word in ("--set", key)]
        for engine in ("model", "lockstep"):
            self.assert_refused(
                self.run_bad(
                    MIXED, "--set", f"engine={engine}", *keys, "--set", "drive.seek.full_us=116000"
                ),
                f"engine={engine}: engine: engine {engine} can count less than 16 turns",
            )
        run = platter(
            "run",
            MIXED,
            *keys,
            *overrides("engine=firmware drive.seek.full_us=116000 sim.measure_s=1"),
        )
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_not_toml(self):
        self.assert_refused(
            self.run_bad(self.write("s.toml", "format = \n")), r"s\.toml:1:\d+: not valid TOML"
        )


class Configuration(Case):
    def test_dump_is_a_scenario_with_the_same_meaning(self):
        self.run_good("config", "check", MIXED)
        dump = self.write("dump.toml", self.run_good("config", "dump", MIXED).stdout)
        first = json.loads(self.run_good("config", "dump", MIXED, "--json").stdout)
        second = json.loads(self.run_good("config", "dump", dump, "--json").stdout)
        for configuration in (first, second):
            tables = configuration["workload"]["continuous"]["tables"]
            configuration["workload"]["continuous"]["tables"] = [
                pathlib.Path(name).name for name in tables
            ]
        self.assertEqual(first, second)

    def test_schemas_accept_what_the_loader_accepts(self):
        import tomllib

        schema = json.loads(self.run_good("config", "schema", "scenario").stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        for scenario in SCENARIOS.glob("*.toml"):
            jsonschema.validate(tomllib.loads(scenario.read_text()), schema)
        docs = SOURCE / "docs"
        for scenario in (*docs.glob("papers/*/*.toml"), *docs.glob("results/*/*.toml")):
            if "drive" in tomllib.loads(scenario.read_text()):
                if scenario.name != "clusters.toml":  # its trace is the study's
                    self.run_good("config", "check", scenario)
                jsonschema.validate(tomllib.loads(scenario.read_text()), schema)
        drive_schema = json.loads(self.run_good("config", "schema", "drive").stdout)
        for profile in (SOURCE / "models/configs/drives").glob("*.toml"):
            jsonschema.validate(tomllib.loads(profile.read_text()), drive_schema)
        for good in (
            {"workload": "load.toml", "sim": "sim.toml"},
            {"workload": {"discrete": "d.toml"}},
            {"drive": {"file": "atlas10k", "bus": {"overlap": True}}},
            {"host": {"kind": "array"}, "array": {"drives": 3}},
        ):
            jsonschema.validate({"format": 1, "drive": "a", **good}, schema)
        for bad in (
            {"format": 2},
            {"drive": 5},
            {"polic": "SPTF"},
            {"engine": "fast"},
            {"sim": {"seed": 1.5}},
            {"sim": {"measure_s": -1}},
            {"sim": {"sed": 1}},
            {"drive": {"queue": {"depth": 1025}}},
            {"array": {"drives": 3}},
            {"host": {"kind": "arrays"}},
            {"host": {"kind": "array"}, "server": {"disks": 3}},
        ):
            with self.subTest(bad=bad), self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate({"format": 1, "drive": "a", **bad}, schema)
        for missing in ({"format": 1}, {"drive": "a"}):
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(missing, schema)

    def test_a_server_that_cannot_run_is_not_good(self):
        server = SOURCE / "docs/papers/integrated-servers/server.toml"
        partitioned = overrides(["server.architecture=partitioned"])
        self.assertRegex(
            self.run_good("config", "check", server, *partitioned).stdout,
            r"policies \S+ and \S+, engine",
        )
        self.assert_refused(
            platter("config", "check", server, "--set", "text.set_bytes=1000000000004096"),
            "text.set_bytes",
        )

    def test_a_quoted_name_is_no_way_into_a_section(self):
        file = self.write(
            "quoted.toml", '"host.kind" = "media_server"\nformat = 1\ndrive = "atlas10k"\n'
        )
        self.assert_refused(
            platter("config", "check", file),
            r"quoted.toml:1:\d+: host.kind: found a dot in the quoted name",
        )

    def test_committed_schemas_and_pages_are_what_the_rows_say(self):
        for words, file in (
            (("schema", "scenario"), "models/configs/schema/scenario.schema.json"),
            (("schema", "drive"), "models/configs/schema/drive.schema.json"),
            (("schema", "result"), "models/configs/schema/result.schema.json"),
            (("reference",), "docs/reference/configuration.md"),
            (("statistics",), "docs/reference/statistics.md"),
        ):
            self.assertEqual(
                (SOURCE / file).read_text(),
                self.run_good("config", *words).stdout,
                f"write it with: platter config {' '.join(words)} > {file}",
            )
        jsonschema.Draft202012Validator.check_schema(
            json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        )


class Runs(Case):
    def test_mixed_media_in_lockstep(self):
        """Ten simulated minutes: no mismatch, no hiccup, conservation,
        and the result is what its schema says."""
        result = self.result_of(MIXED)
        jsonschema.validate(
            result, json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        )
        scheduler = result["scheduler"]
        self.assertEqual(scheduler["engine"], "lockstep")
        self.assertGreaterEqual(scheduler["operations_compared"], 30000)
        self.assertEqual(scheduler["mismatches"], 0)
        self.assertGreater(scheduler["cycles_per_decision"], 20)
        self.assertLess(scheduler["cycles_per_decision"], 100)
        self.assertLess(scheduler["stall_us"], scheduler["latency_us"] / 20)
        self.assertLess(scheduler["stalls"], scheduler["decisions"] / 20)
        self.assertGreater(scheduler["idle_decisions"], 0)
        self.assertEqual(result["hiccups"], 0)
        for cls in ("continuous", "discrete"):
            c = result["classes"][cls]
            self.assertGreater(c["completed"], 10000)
            self.assertEqual(c["issued"], c["completed"] + c["failed"] + c["outstanding"])
            self.assertAlmostEqual(sum(c["parts_ms"].values()), c["response_ms"]["mean"], places=6)
            backlog = c["backlog"]  # Little's law
            self.assertAlmostEqual(
                backlog["mean"]
                / (c["throughput"]["requests_per_s"] * c["response_ms"]["mean"] / 1000),
                1,
                places=2,
            )
            self.assertAlmostEqual(
                sum(backlog["parts"]) / len(backlog["parts"]), backlog["mean"], places=6
            )
        self.assertEqual(result["classes"]["continuous"]["issued"], 25 * 600)

    def test_engines_agree(self):
        short = ("--set", "sim.measure_s=60")
        results = {
            e: self.result_of(MIXED, *short, "--set", f"engine={e}")
            for e in ("model", "rtl", "lockstep")
        }
        self.assertEqual(results["model"]["classes"], results["rtl"]["classes"])
        self.assertEqual(results["model"]["classes"], results["lockstep"]["classes"])
        # The accelerator knows sectors in order only;
        # without zero-latency access it decides as exact arithmetic does.
        in_order = (
            *overrides(
                "drive.mechanics.zero_latency_read=false drive.mechanics.zero_latency_write=false"
            ),
        )
        mean = [
            self.result_of(MIXED, *short, *in_order, "--set", f"engine={e}")["classes"]["discrete"][
                "response_ms"
            ]["mean"]
            for e in ("firmware", "model")
        ]
        self.assertAlmostEqual(mean[0] / mean[1], 1, delta=0.03)

    def test_same_seed_same_bytes(self):
        digests = []
        for name in ("a", "b"):
            result, log = self.folder / f"{name}.json", self.folder / f"{name}.csv"
            self.run_good(
                "run", MIXED, "--set", "sim.measure_s=30", "--result", result, "--requests", log
            )
            content = json.loads(result.read_text())
            del content["host"]
            digests.append((json.dumps(content), hashlib.sha256(log.read_bytes()).hexdigest()))
        self.assertEqual(*digests)
        other = self.result_of(MIXED, "--set", "sim.measure_s=30", "--set", "sim.seed=2")
        self.assertNotEqual(other["classes"], json.loads(digests[0][0])["classes"])

    def test_a_block_trace_is_in_order_and_agrees_with_the_log(self):
        log, trace = self.folder / "requests.csv", self.folder / "sda.blktrace.0"
        media = SOURCE / "docs/papers/replicated-striping/server.toml"
        self.assert_refused(platter("run", media, "--blktrace", trace), "block trace")
        sectors = platter(
            "run",
            MIXED,
            *overrides("drive.geometry.sector_bytes=520 sim.measure_s=1"),
            "--blktrace",
            trace,
        )
        self.assert_refused(
            sectors, r"drive.geometry.sector_bytes: found 520, expected a multiple of 512 bytes"
        )
        self.run_good(
            "run", MIXED, "--set", "sim.measure_s=20", "--requests", log, "--blktrace", trace
        )
        rows = list(csv.DictReader(log.read_text().splitlines()))
        records = list(struct.iter_unpack("<IIQQIIIIIHH", trace.read_bytes()))
        self.assertEqual(len(records), 5 * len(rows))
        self.assertEqual({r[0] for r in records}, {0x65617407})
        self.assertEqual([r[1] for r in records], list(range(1, len(records) + 1)))
        self.assertEqual([r[2] for r in records], sorted(r[2] for r in records))
        for action, column, category in (
            (1, "issued_ps", 0x10),
            (7, "accepted_ps", 0x40),
            (8, "completed_ps", 0x80),
        ):
            ours = sorted(
                (r[2], r[3], r[4], r[5] >> 16) for r in records if r[5] & 0xFFFF == action
            )
            theirs = sorted(
                (
                    int(row[column]) // 1000,
                    int(row["offset_bytes"]) // 512,
                    int(row["length_bytes"]),
                    category | (2 if row["op"] == "W" else 1),
                )
                for row in rows
            )
            self.assertEqual(ours, theirs)

    def explained(self, *arguments):
        out = self.folder / "why"
        self.run_good("explain", *arguments, "--quiet", "-o", out)
        told = json.loads((out / "explain.json").read_text())
        jsonschema.validate(
            told, json.loads((SOURCE / "docs/reference/explain.schema.json").read_text())
        )
        return told

    def test_explain_agrees_with_the_log_and_with_the_policy(self):
        log = self.folder / "requests.csv"
        for engine, load in (("firmware", "SPTF"), ("model", "SPTF"), ("firmware", "FCFS")):
            settings = overrides(
                f"engine={engine} policy={load} sim.warmup_s=0 sim.measure_s=40 "
                "drive.queue.depth=64 workload.discrete.rate_per_s=45"
            )
            self.run_good("run", MIXED, *settings, "--quiet", "--requests", log)
            rows = [
                row
                for row in csv.DictReader(log.read_text().splitlines())
                if row["class"] == "discrete" and row["op"] == "R"
            ]
            slowest = sorted(
                rows,
                key=lambda row: (
                    int(row["issued_ps"]) - int(row["completed_ps"]),
                    int(row["number"]),
                ),
            )[:5]
            told = self.explained(
                MIXED, *settings, "--slowest", 5, "--when", "discrete && reads", "--no-waves"
            )
            self.assertEqual(
                [one["number"] for one in told["requests"]], [int(row["number"]) for row in slowest]
            )
            for one, row in zip(told["requests"], slowest, strict=True):
                for key in (
                    "issued",
                    "accepted",
                    "started",
                    "completed",
                    "queue",
                    "seek",
                    "rotation",
                ):
                    self.assertEqual(one[f"{key}_ps"], int(row[f"{key}_ps"]))
                seen = one["decisions"]
                self.assertEqual(
                    [d["effective_ps"] for d in seen], sorted(d["effective_ps"] for d in seen)
                )
                self.assertEqual(
                    [d["effective_ps"] for d in seen if d["served"]], [one["started_ps"]]
                )
                self.assertTrue(seen[-1]["served"])
                for d in seen[:-1]:
                    if load == "SPTF":  # what was passed over was dearer, or the guard refused it
                        self.assertTrue(
                            d["own"]["cost_ps"] >= d["chosen"]["cost_ps"]
                            or d["own"].get("guard") == "refuses",
                            (engine, d),
                        )
                    elif d["why"] in ("nearer", "policy"):
                        self.assertLessEqual(d["chosen"]["arrival_ps"], d["own"]["arrival_ps"])

    def test_explain_what_the_guard_refuses(self):
        settings = overrides(
            "policy=SPTF sim.measure_s=60 workload.continuous.streams=52 drive.queue.depth=128"
        )
        when = ("--slowest", 20, "--when", "discrete == 1 && reads >= 1 && response_ms != 0")
        told = self.explained(MIXED, *settings, "--set", "engine=firmware", *when, "--no-waves")
        refused = [d for one in told["requests"] for d in one["decisions"] if d["why"] == "guard"]
        self.assertTrue(refused)
        for d in refused:
            self.assertLess(d["own"]["sweep_spare_ps"], 0)
            self.assertGreaterEqual(d["chosen"]["sweep_spare_ps"], 0)

    def test_explain_writes_waves_around_each_moment(self):
        for engine in ("firmware", "lockstep"):
            settings = overrides([f"engine={engine}", "sim.measure_s=60"])
            told = self.explained(MIXED, *settings, "--before", 5, "--after", 7)
            ends = {}
            for one in told["requests"]:
                begin, end = ends.get(one["waves"], (one["issued_ps"], one["completed_ps"]))
                ends[one["waves"]] = min(begin, one["issued_ps"]), max(end, one["completed_ps"])
            for name, (begin, end) in ends.items():
                waves = pywellen.Waveform(str(self.folder / "why" / name))
                times = [time for v in waves.all_vars() for time, _ in v.tv]
                turn = 10**12 * 60 // 10000
                self.assertLess(abs(min(times) - (begin - 5 * 10**9)), turn)
                self.assertLess(abs(max(times) - (end + 7 * 10**9)), turn)
                view = (self.folder / "why" / name).with_suffix(".gtkw").read_text()
                self.assertIn(f" {begin} ", view)
                names = {v.full_name for v in waves.all_vars()}
                self.assert_view_fits(view, waves)
                self.assertEqual(gtkwave_views.cut_values(view, waves), [])
                self.assertNotIn("disk", gtkwave_views.flat_groups(view, waves))
                seen = gtkwave_views.wave_view.window(view)  # all of the moment
                self.assertLessEqual(seen[0], begin)
                self.assertGreaterEqual(seen[1], end)
                # Without it GTKWave looks for the waves in its own folder
                self.assertIn(f'[savefile] "{pathlib.Path(name).with_suffix(".gtkw")}"\n', view)
                self.assertEqual("sched.busy_o" in names, engine == "lockstep")
                if engine == "lockstep":  # each decision while the request waits is the RTL's
                    states = {v.full_name: v for v in waves.all_vars()}[
                        "sched.sched_top.u_core.u_control.state_name"
                    ]
                    deciding = next(
                        int(bits, 2) for bits, state in states.enum_type[1] if state == "Decide"
                    )
                    decided = [
                        time
                        for time, value in states.tv
                        if int(value) == deciding and begin <= time <= end
                    ]
                    one = next(one for one in told["requests"] if one["waves"] == name)
                    self.assertGreaterEqual(len(decided), len(one["decisions"]))

    def test_explain_follows_the_parts_that_an_array_makes_of_a_request(self):
        """And no other request of its stream, though all of a client's units are asked for at one
        time."""
        server = SOURCE / "docs/papers/integrated-servers/server.toml"
        words = overrides(["sim.warmup_s=2", "sim.measure_s=5"])
        words += ["--slowest", "5", "--when", "continuous", "--no-waves"]
        told = self.explained(server, *words)
        for one in told["requests"]:
            self.assertEqual(len({(d["drive"], d["own"]["tag"]) for d in one["decisions"]}), 1)
            self.assertEqual(sum(d["served"] for d in one["decisions"]), 1)
            self.assertEqual({d["own"]["number"] for d in one["decisions"]}, {one["number"]})
        told = self.explained(
            SCENARIOS / "mirrored_array.toml", *overrides(["sim.measure_s=10"]), "--slowest", 1
        )
        (one,) = told["requests"]
        blocks = {
            (d["drive"], d["own"]["first_block"]): d["own"]["blocks"]
            for d in one["decisions"]
            if d["served"]
        }
        self.assertEqual(sum(blocks.values()) * 512, one["length_bytes"])
        waves = pywellen.Waveform(str(self.folder / "why" / one["waves"]))
        view = (self.folder / "why" / one["waves"]).with_suffix(".gtkw").read_text()
        self.assert_view_fits(view, waves)
        for d in one["decisions"]:
            self.assertIn(f"{d['drive']}.tags.tag{d['own']['tag']}[", view)
            self.assertIn(f"array.{d['drive']}.in_drive[", view)

    def test_explain_says_which_writes_the_policy_places(self):
        words = ["--slowest", "1", "--when", "reads", "--no-waves", "--set", "sim.measure_s=3"]
        told = self.explained(SCENARIOS / "eager_writing.toml", *words)
        placed = [d for d in told["requests"][0]["decisions"] if d["why"] == "placed"]
        self.assertTrue(placed)
        for d in placed:
            self.assertEqual(d["chosen"]["op"], "write")
            self.assertNotIn("cylinder", d["chosen"])
            self.assertGreater(d["own"]["cost_ps"], 0)

    def test_explain_refuses_what_it_cannot(self):
        out = self.folder / "why"
        for words, told in (
            (["--when", "respons_ms > 3"], "response_ms"),
            (["--when", "late &&"], "Expected an expression"),
            (["--when", "response_ms = 3"], 'Found a single "=", expected "=="'),
            (PIPED, "standard input: is not a regular file, but this command"),
            (["--slowest", "0"], "slowest"),
            (["--set", "polcy=SPTF"], "polcy"),
        ):
            done = platter("explain", MIXED, "--set", "sim.measure_s=5", *words, "-o", out)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(told, done.stderr)
            self.assertFalse(out.exists())
        done = platter(
            "explain", MIXED, "--set", "sim.measure_s=5", "--when", "response_ms > 1e9", "-o", out
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("none of", done.stderr)
        self.assertFalse(out.exists())
        done = platter("explain", SOURCE / "docs/papers/replicated-striping/server.toml", "-o", out)
        self.assertEqual(done.returncode, 2)
        short = overrides(["engine=firmware", "sim.measure_s=5"])
        for words, told in (
            (
                ["--request", "7", "--request", "77777777"],
                (
                    r"no request 77777777 has ended; "
                    r"the requests that ended have numbers from 0 to \d+"
                ),
            ),
            (
                ["--late"],
                r"none of the \d+ requests that ended and were issued after the warm-up is late",
            ),
            (["--late", "--request", "7"], r"none of the \d+ requests that ended is 7 and late"),
        ):
            done = platter("explain", MIXED, *short, *words, "-o", out)
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr, told)
            self.assertFalse(out.exists())
        self.assert_refused(
            platter("explain", MIXED, "--request", "-1"), "expected the number of a request"
        )
        # Before anything is simulated: the scenario has ten minutes.
        file = self.write("file.toml", "")
        for folder in (file, "/dev/full"):
            done = platter("explain", MIXED, "-o", folder)
            self.assert_refused(done, "explain.json: cannot be written: Not a directory")
            self.assertEqual(done.stdout, "")
        # One of the warm-up, since it is named.
        self.assertLess(
            self.explained(MIXED, *short, "--request", 7, "--no-waves")["requests"][0]["issued_ps"],
            5 * 10**12,
        )

    def test_explain_of_requests_that_failed(self):
        words = overrides(
            "workload.discrete.source=poisson workload.discrete.rate_per_s=80 "
            "workload.discrete.deadline_ms=30 failure.fails_at_s=1.5 sim.warmup_s=0 "
            "sim.measure_s=2"
        )
        words += ["--request", "140", "--request", "141", "--no-waves", "-o", self.folder / "why"]
        text = self.run_good("explain", SCENARIOS / "random_4k.toml", *words).stdout
        self.assertEqual(text.count("no decision saw it: it failed before one"), 2)
        self.assertEqual(text.count(": failed before it by 30.000 ms"), 2)
        text = self.run_good("explain", SCENARIOS / "random_4k.toml", *words, "--slowest", 1).stdout
        self.assertEqual(text.count("no decision saw it"), 1)

    def test_waves_when(self):
        waves = self.folder / "waves.fst"
        settings = overrides(["engine=firmware", "sim.warmup_s=0", "sim.measure_s=60"])
        log = self.folder / "requests.csv"
        when = ("--wave-when", "discrete && response_ms > 300")
        self.run_good("run", MIXED, *settings, "--waves", waves, *when, "--requests", log)
        windows = [
            (int(r["issued_ps"]) - 10**10, int(r["completed_ps"]) + 10**10)
            for r in csv.DictReader(log.read_text().splitlines())
            if r["class"] == "discrete"
            and int(r["completed_ps"]) - int(r["issued_ps"]) > 300 * 10**9
        ]
        self.assertTrue(windows)
        angle = next(
            v for v in pywellen.Waveform(str(waves)).all_vars() if v.full_name == "disk.mech.angle"
        )
        times = [time for time, _ in angle.tv][1:]
        for time in times:
            self.assertTrue(
                any(begin - 10**9 <= time <= end + 10**9 for begin, end in windows), time
            )
        for begin, end in windows:
            self.assertGreater(
                sum(begin <= time <= end for time in times), (end - begin) // (6 * 10**9) * 32
            )
        words = [*settings, "--waves", waves, "--wave-when", "discrete", "--wave-from", "0.1"]
        self.run_good("run", MIXED, *words, "--wave-to", "0.2", "--set", "sim.measure_s=1")
        times = [t for v in pywellen.Waveform(str(waves)).all_vars() for t, _ in v.tv]
        self.assertLess(10**11 - 10**9, min(times))
        self.assertLess(max(times), 2 * 10**11 + 10**9)
        waves.unlink()
        log.unlink()
        self.assert_refused(platter("run", MIXED, *words, *PIPED), "reads it more than once")
        done = platter("run", MIXED, "--wave-when", "late")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--waves", done.stderr)

    def timeline_of(self, *words):
        """Events with times in ps, and the rows of the log."""
        timeline, log = self.folder / "timeline.json", self.folder / "requests.csv"
        self.run_good("run", *words, "--requests", log, "--timeline", timeline)
        jsonschema.validate(
            json.loads(timeline.read_text()),
            json.loads((SOURCE / "docs/reference/timeline.schema.json").read_text()),
        )
        events = json.loads(
            timeline.read_text(), parse_float=lambda text: int(text.replace(".", ""))
        )["traceEvents"]
        return events, list(csv.DictReader(log.read_text().splitlines()))

    def spans_of(self, events, thread):
        """Of all drives' threads of this name, in the order of the file:
        process, begin, end, name."""
        threads = {
            (e["pid"], e["tid"])
            for e in events
            if e["name"] == "thread_name" and e["args"]["name"] == thread
        }
        return [
            (e["pid"], e["ts"], e["ts"] + e["dur"], e["name"])
            for e in events
            if e["ph"] == "X" and (e["pid"], e["tid"]) in threads
        ]

    def assert_nested(self, spans):
        """No span ends behind one that it begins in. `spans`: of one thread."""
        open_ends = []
        for _, begin, end, name in sorted(spans, key=lambda span: (span[1], -span[2])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if open_ends:
                self.assertLessEqual(end, open_ends[-1], name)
            open_ends.append(end)

    PHASES = ("OVERHEAD", "SEEK", "SETTLE", "ROTATE", "TRANSFER", "MISSED")

    def accesses_of(self, events):
        """Accesses and movements, each with its phases, which fill it without a gap and follow it
        in the file: viewers nest spans that begin together by this order."""
        accesses, at = [], {}
        for span in self.spans_of(events, "actuator"):
            pid, begin, end, name = span
            self.assertLess(begin, end, name)
            if name in self.PHASES:
                own = accesses[-1]
                self.assertEqual((pid, begin), (own[0], at[pid]), name)
                self.assertLessEqual(end, own[2], name)
                own[4].append(span)
            else:
                self.assertRegex(
                    name, r"^(tag \d+ (discrete|continuous|background) (read|write)|move)$"
                )
                accesses.append((*span, []))
            at[pid] = end if name in self.PHASES else begin
        for _, _, end, name, phases in accesses:
            self.assertEqual(phases[-1][2], end, name)
        return accesses

    def test_a_timeline_nests_and_agrees_with_the_log(self):
        """With every engine. An access begins when the decision takes effect,
        and lasts as long as the log says."""
        for engine in ("firmware", "model", "rtl", "lockstep"):
            with self.subTest(engine):
                events, log = self.timeline_of(
                    MIXED,
                    *overrides(
                        f"engine={engine} sim.warmup_s=0 sim.measure_s=4 observe.wave_from_s=0 "
                        "observe.wave_to_s=4"
                    ),
                )
                self.assertGreater(
                    min(
                        number for e in events for key, number in e.items() if key in ("pid", "tid")
                    ),
                    0,
                )
                decisions = self.spans_of(events, "engine")
                for thread in ("engine", "actuator", "channel", "bus, reads", "bus, writes"):
                    self.assertTrue(self.spans_of(events, thread), thread)
                    self.assert_nested(self.spans_of(events, thread))
                accesses = self.accesses_of(events)
                begun = {begin: (end - begin, name) for _, begin, end, name, _ in accesses}
                reads = [r for r in log if r["op"] == "R" and int(r["transfer_ps"]) > 0]
                self.assertGreater(len(reads), 150)
                for r in reads:
                    length = sum(
                        int(r[f"{part}_ps"])
                        for part in ("overhead", "seek", "settle", "rotation", "transfer")
                    )
                    self.assertEqual(begun[int(r["started_ps"])][0], length, r)
                    self.assertIn(f"{r['class']} read", begun[int(r["started_ps"])][1])
                self.assertEqual(
                    [
                        (pid, begin, end, name)
                        for pid, _, _, name, phases in accesses
                        for _, begin, end, phase in phases
                        if phase == "TRANSFER"
                    ],
                    self.spans_of(events, "channel"),
                )
                arrows = [
                    (begin["ts"], end["ts"])
                    for begin, end in zip(
                        [e for e in events if e["ph"] == "s"],
                        [e for e in events if e["ph"] == "f"],
                        strict=True,
                    )
                ]
                self.assertEqual(
                    [end for _, end in arrows], [begin for _, begin, _, name, _ in accesses]
                )
                chosen = {begin: (end, name) for _, begin, end, name in decisions}
                for begin, end in arrows:
                    self.assertLessEqual(chosen[begin][0] - 1000, end)
                    self.assertEqual(chosen[begin][1], " ".join(begun[end][1].split()[:2]))
                self.assertGreater(len(arrows), 150)

    def test_the_window_of_a_timeline(self):
        events, log = self.timeline_of(
            MIXED,
            *overrides(["engine=model", "sim.warmup_s=0", "sim.measure_s=10"]),
            *["--wave-from", "2", "--wave-to", "5"],
        )
        rows = [
            r
            for r in log
            if int(r["completed_ps"]) >= 2 * 10**12 and int(r["issued_ps"]) <= 5 * 10**12
        ]
        spans = {(e["id"], e["ph"]): e["ts"] for e in events if e["ph"] in "be"}
        self.assertEqual(
            spans,
            {
                (int(r["number"]), phase): int(r[f"{column}_ps"])
                for r in rows
                for phase, column in (("b", "issued"), ("e", "completed"))
            },
        )
        for thread in ("engine", "actuator", "channel", "bus, reads", "bus, writes"):
            for _, begin, end, name in self.spans_of(events, thread):
                self.assertTrue(begin <= 5 * 10**12 and end >= 2 * 10**12, name)
        arrows = {e["id"]: e["ts"] for e in events if e["ph"] == "s"}
        ends = {e["id"]: e["ts"] for e in events if e["ph"] == "f"}
        self.assertEqual(arrows.keys(), ends.keys())
        self.assertGreater(len(arrows), 100)
        self.assertTrue(all(arrows[i] <= ends[i] for i in arrows))

    def test_timeline_and_waves_show_what_the_end_cuts_and_are_busy_as_the_result(self):
        result, waves = self.folder / "result.json", self.folder / "waves.fst"
        words = overrides(
            "engine=firmware sim.warmup_s=0 sim.measure_s=1 observe.wave_to_s=1 "
            "workload.discrete.outstanding=8 drive.controller.firmware_base_cycles=200000"
        )
        load = (SCENARIOS / "random_4k.toml", *words, "--result", result, "--waves", waves)
        events, log = self.timeline_of(*load)
        begun, ended = ({e["id"] for e in events if e["ph"] == phase} for phase in "be")
        self.assertEqual(ended, {int(row["number"]) for row in log})
        self.assertEqual(begun - ended, set(range(len(begun))) - ended)
        self.assertEqual(len(begun - ended), 8)
        utilisation = json.loads(result.read_text())["utilisation"]
        self.assertLess(utilisation, 0.95)
        accesses = sum(end - begin for _, begin, end, _, _ in self.accesses_of(events))
        self.assertAlmostEqual(accesses / 10**12, utilisation, places=9)
        signals = {v.full_name: v for v in pywellen.Waveform(str(waves)).all_vars()}
        changes = [(time, int(value)) for time, value in signals["disk.controller.busy"].tv]
        busy = sum(
            (end - begin) * value
            for (begin, value), (end, _) in itertools.pairwise([*changes, (10**12, 0)])
        )
        self.assertAlmostEqual(busy / 10**12, utilisation, places=9)

    def test_windows_of_a_closed_load_agree_with_the_log(self):
        """Throughput and response times are of what completes in the window;
        a deeper queue is not slower in a short one."""
        load, schema = (
            SCENARIOS / "random_4k.toml",
            json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text()),
        )
        throughput = []
        for depth in (1, 32, 256):
            log = self.folder / "requests.csv"
            result = self.result_of(
                load,
                "--requests",
                log,
                *overrides(
                    f"workload.discrete.outstanding={depth} drive.queue.depth=256 sim.warmup_s=5 "
                    "sim.measure_s=2"
                ),
            )
            jsonschema.validate(result, schema)
            discrete = result["classes"]["discrete"]
            rows = [
                (int(row["issued_ps"]), int(row["completed_ps"]))
                for row in csv.DictReader(log.read_text().splitlines())
            ]
            begin, end = 5 * 10**12, 7 * 10**12
            within = [completed - issued for issued, completed in rows if begin < completed <= end]
            self.assertEqual(discrete["completions"], len(within))
            self.assertAlmostEqual(
                discrete["response_ms"]["mean"], sum(within) / len(within) * 1e-9, places=6
            )
            self.assertEqual(discrete["response_ms"]["max"], max(within) * 1e-9)
            self.assertEqual(result["throughput"]["requests_per_s"], len(within) / 2)
            self.assertEqual(discrete["waiting"]["requests"], depth)
            self.assertEqual(
                discrete["issued"],
                discrete["completed"] + discrete["failed"] + discrete["outstanding"],
            )
            throughput.append(len(within))
        self.assertEqual(throughput, sorted(throughput))

    def test_what_was_not_measured_is_null(self):
        short = [SCENARIOS / "random_4k.toml", "--set", "sim.measure_s=0.0001"]
        result = self.result_of(*short)
        jsonschema.validate(
            result, json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        )
        discrete = result["classes"]["discrete"]
        self.assertEqual((discrete["completions"], discrete["waiting"]["requests"]), (0, 32))
        self.assertEqual(
            {
                *discrete["response_ms"].values(),
                *discrete["parts_ms"].values(),
                discrete["fairness_index"],
            },
            {None},
        )
        shown = self.run_good("run", *short).stdout.splitlines()
        self.assertEqual(
            next(line.split()[5:11] for line in shown if line.startswith("discrete")), ["–"] * 6
        )

    POWER = overrides(
        "drive.power.spindle_w=6.12 drive.power.electronics_w=1.85 "
        "drive.power.active_w=0.65 drive.power.read_w=1.58 drive.power.coil_w=6.48"
    )

    def test_the_energy_of_adjacent_windows_adds_up(self):
        schema = json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        for name in ("mixed_media.toml", "mirrored_array.toml"):
            found = []
            for warmup, measured in ((1, 2), (1, 0.7), (1.7, 1.3)):
                result = self.result_of(
                    SCENARIOS / name,
                    *self.POWER,
                    *overrides(
                        ["engine=firmware", f"sim.warmup_s={warmup}", f"sim.measure_s={measured}"]
                    ),
                )
                jsonschema.validate(result, schema)
                energy = result["energy"]
                drives = len(energy["drives_w"])
                self.assertAlmostEqual(sum(energy["seconds"].values()), drives * measured, 9)
                self.assertAlmostEqual(sum(energy["joules"].values()), energy["j"], 9)
                self.assertAlmostEqual(sum(energy["drives_w"]) * measured, energy["j"], 9)
                self.assertAlmostEqual(energy["mean_w"] * measured, energy["j"], 9)
                for state, watts in energy["watts"].items():
                    self.assertAlmostEqual(
                        energy["joules"][state], energy["seconds"][state] * watts, 9
                    )
                self.assertGreater(energy["per_request_j"], energy["per_request_above_idle_j"])
                found.append(energy)
            whole, first, second = found
            self.assertAlmostEqual(whole["j"], first["j"] + second["j"], 9)
            for state, seconds in whole["seconds"].items():
                self.assertAlmostEqual(
                    seconds, first["seconds"][state] + second["seconds"][state], 9, state
                )
        self.assertNotIn(
            "energy", self.result_of(SCENARIOS / "random_4k.toml", "--set", "sim.measure_s=1")
        )

    def test_power_changes_no_time(self):
        def times(*more):
            result = self.result_of(
                SCENARIOS / "mixed_media.toml", "--set", "sim.measure_s=5", *more
            )
            return {key: result[key] for key in ("classes", "scheduler", "utilisation")}

        self.assertEqual(times(), times(*self.POWER))

    def test_power_of_zero_is_absent(self):
        """Byte for byte."""
        results = [
            self.result_of(
                SCENARIOS / "mirrored_array.toml", *overrides(["sim.measure_s=2", *zeros])
            )
            for zeros in ([], ["drive.power.spindle_w=0", "drive.power.electronics_w=0.0"])
        ]
        for result in results:
            del result["host"]
        self.assertEqual(results[0], results[1])

    def test_power_keys_that_contradict_each_other(self):
        for keys, key, said in (
            (["drive.power.coil_w=3"], "drive.power.coil_w", "expected 0"),
            (["drive.power.idle_a_s=3"], "drive.power.idle_a_s", "expected 0"),
            (
                ["drive.power.spindle_w=3", "drive.power.spindle_unloaded_w=4"],
                "drive.power.spindle_unloaded_w",
                "expected at most 3",
            ),
            (
                ["drive.power.spindle_w=3", "drive.power.idle_b_s=4", "drive.power.idle_c_s=2"],
                "drive.power.idle_c_s",
                "expected at least 4",
            ),
            (["drive.power.spindle_w=-1"], "drive.power.spindle_w", "0 to 1000"),
            (
                ["drive.controller.stream_first=true"],
                "drive.controller.stream_first",
                "age_limit_s",
            ),
            (["drive.controller.age_limit_s=2"], "drive.controller.age_limit_s", "engine model"),
            (["drive.cache.destage_entries=9"], "drive.cache.destage_entries", "engine model"),
            (
                ["drive.cache.destage_entries=9", 'drive.cache.write_back="off"'],
                "drive.cache.destage_entries",
                "caches no writes",
            ),
        ):
            with self.subTest(keys=keys):
                run = platter("run", SCENARIOS / "random_4k.toml", *overrides(keys))
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn(f"{key}: ", run.stderr)
                self.assertIn(said, run.stderr)

    def waits_beyond(self, limit_s, log):
        """How much longer each discrete request waited than the limit and what may go before it:
        the access under way, the one that was chosen ahead, older requests, and continuous ones.
        """
        limit = round(limit_s * 1e12)
        rows = [
            {key: int(row[key]) for key in ("accepted_ps", "started_ps", "completed_ps")}
            | {
                "discrete": row["class"] == "discrete",
                "work": sum(
                    int(row[f"{part}_ps"])
                    for part in ("overhead", "seek", "settle", "rotation", "transfer")
                ),
            }
            for row in csv.DictReader(log.read_text().splitlines())
        ]
        rows.sort(key=lambda row: row["started_ps"])
        starts = [row["started_ps"] for row in rows]
        longest = max(row["completed_ps"] - row["started_ps"] for row in rows)
        beyond = []
        for row in rows:
            due = row["accepted_ps"] + limit
            if row["discrete"] and row["started_ps"] > due:
                between = rows[
                    bisect.bisect_right(starts, due) : bisect.bisect_left(starts, row["started_ps"])
                ]
                before = sum(
                    other["work"]
                    for other in between
                    if not other["discrete"] or other["accepted_ps"] <= row["accepted_ps"]
                )
                beyond.append(row["started_ps"] - due - 2 * longest - before)
        return beyond

    def test_the_rules_of_the_firmware_keep_the_rounds(self):
        """The oldest requests go first within the guard, and none waits longer beyond the limit
        than what was chosen before, what is older and the rounds take. The eight streams leave
        the guard so much time that it refuses no aged request."""
        load = [SCENARIOS / "mixed_media.toml", "--requests", self.folder / "log.csv"]
        load += overrides(
            "engine=firmware policy=SPTF sim.measure_s=60 workload.continuous.streams=8 "
            "workload.discrete.rate_per_s=80"
        )
        limit_s = 0.25
        self.assertEqual(self.result_of(*load)["hiccups"], 0)
        without = self.waits_beyond(limit_s, self.folder / "log.csv")
        within = self.result_of(*load, "--set", f"drive.controller.age_limit_s={limit_s}")
        self.assertEqual(within["hiccups"], 0)
        aged = self.waits_beyond(limit_s, self.folder / "log.csv")
        self.assertGreater(len(aged), 100)
        self.assertLessEqual(max(aged), 0)
        self.assertGreater(max(without), 0)

    def jobs_beside_a_stream(self, *more):
        """Twelve random readers, a sequential stream, and continuous requests with a deadline."""
        scenario = self.folder / "stream.toml"
        scenario.write_text(
            """
format = 1
engine = "firmware"
policy = "LOOK"
[drive]
file = "cheetah9lp"
controller.age_limit_s = 0.5
[[workload.job]]
name = "random"
rw = "randread"
iodepth = 12
[[workload.job]]
name = "stream"
rw = "read"
bs = "64k"
iodepth = 2
[[workload.job]]
name = "rounds"
rw = "randread"
bs = "64k"
rate_iops = 4.0
class = "continuous"
deadline_ms = 1000.0
[sim]
measure_s = 60.0
"""
        )
        return [scenario, *overrides(more)]

    def test_no_request_waits_much_longer_than_the_age_limit(self):
        """Under policies that know deadlines, none is missed; under others, continuous requests
        have an age as well. 16 commands of at most 40 ms go before."""
        known = ["EDF", "SCAN-EDF", "GSS(2)", "TPS:SCAN/SCAN", "CELLO(1|1|1)", "SPTF"]
        for policy in (*known, "SSTF", "LOOK", "SPTF(unguarded)", "FCFS", "RR", "SFQ(1|1|1)"):
            for first in ("false", "true"):
                with self.subTest(policy=policy, stream_first=first):
                    result = self.result_of(
                        *self.jobs_beside_a_stream(
                            f"policy={policy}", f"drive.controller.stream_first={first}"
                        )
                    )
                    longest = {
                        name: job["response_ms"]["max"] for name, job in result["jobs"].items()
                    }
                    if policy in known:
                        self.assertEqual(result["hiccups"], 0)
                        del longest["rounds"]
                    self.assertLess(max(longest.values()), 500 + 16 * 40, longest)

    def test_a_stream_first_puts_the_stream_before_the_others(self):
        rates = [
            self.result_of(
                *self.jobs_beside_a_stream(
                    "policy=SCAN-EDF", f"drive.controller.stream_first={first}"
                )
            )["jobs"]["stream"]["throughput"]["bytes_per_s"]
            for first in ("false", "true")
        ]
        self.assertGreater(rates[1], 2 * rates[0])

    def writes_to_the_cache(self, segments, *more):
        scenario = self.folder / "writes.toml"
        scenario.write_text(
            """
format = 1
engine = "firmware"
policy = "SPTF"
[drive]
file = "cheetah9lp"
queue.depth = 64
cache.segment_blocks = 128
cache.write_back = "interleaved"
[sim]
measure_s = 40.0
"""
        )
        keys = ("segments", "write_segments", "destage_entries")
        cache = [f"drive.cache.{key}={segments}" for key in keys]
        return [scenario, *overrides([*cache, *more])]

    def test_an_age_limit_bounds_the_wait_of_reads_beside_destages(self):
        """Nobody waits for a destage, so it has no age, and the writes stay as fast."""
        jobs = (
            'workload.job=[{name="writes",rw="randwrite",iodepth=32},'
            '{name="read",rw="randread",iodepth=1}]'
        )
        load = self.writes_to_the_cache(1000, jobs)
        without = self.result_of(*load)["jobs"]
        for first in ("false", "true"):
            within = self.result_of(
                *load,
                *overrides(
                    ["drive.controller.age_limit_s=0.5", f"drive.controller.stream_first={first}"]
                ),
            )["jobs"]
            self.assertGreater(without["read"]["response_ms"]["max"], 1000)
            self.assertLess(within["read"]["response_ms"]["max"], 600)
            self.assertGreater(within["writes"]["completed"], 0.9 * without["writes"]["completed"])

    def test_a_stream_of_writes_is_as_fast_with_the_rules(self):
        """The policy orders the stream, and destages are in no stream."""
        for cached in ("off", "interleaved"):
            for depth in (1, 4, 32):
                with self.subTest(cached=cached, depth=depth):
                    load = self.writes_to_the_cache(
                        32,
                        f'workload.job=[{{name="s",rw="write",bs="16k",iodepth={depth}}}]',
                        "sim.measure_s=10",
                        "drive.bus.write_block_us=20",
                        f"drive.cache.write_back={cached}",
                        *(["drive.cache.destage_entries=0"] if cached == "off" else []),
                    )
                    rates = [
                        self.result_of(*load, *overrides(keys))["jobs"]["s"]["throughput"][
                            "bytes_per_s"
                        ]
                        for keys in (
                            [],
                            ["drive.controller.age_limit_s=1"],
                            [
                                "drive.controller.age_limit_s=1",
                                "drive.controller.stream_first=true",
                            ],
                        )
                    ]
                    self.assertGreater(min(rates[1:]), 0.97 * rates[0], rates)

    def test_explain_says_which_rule_of_the_firmware_went_first(self):
        limit = 500 * 10**9
        load = self.jobs_beside_a_stream("drive.controller.stream_first=true", "sim.measure_s=20")
        seen = collections.Counter()
        for job in ("discrete && length_bytes < 8192", "length_bytes > 8192 && discrete"):
            told = self.explained(*load, "--slowest", 10, "--when", job, "--no-waves")
            for one in told["requests"]:
                for d in one["decisions"]:
                    seen[d["why"]] += 1
                    if d["why"] in ("age", "stream"):
                        self.assertEqual(d["rule"], d["why"])
                    if d["rule"] == "age":
                        self.assertGreaterEqual(
                            d["effective_ps"] - d["chosen"]["arrival_ps"], limit
                        )
                    if d["rule"] == "stream":
                        self.assertEqual(d["chosen"]["blocks"], 128)
                    if d["why"] == "batch":  # it is the stream's
                        self.assertEqual(one["length_bytes"], 65536)
                        self.assertNotEqual(d["rule"], "stream")
        for why in ("age", "stream", "batch"):
            self.assertGreater(seen[why], 0, seen)

    def test_explain_says_that_a_deadline_outside_the_sweep_went_first(self):
        """No continuous request waits, so no sweep goes on."""
        told = self.explained(
            SCENARIOS / "random_4k.toml",
            *overrides(
                "engine=firmware policy=SPTF sim.warmup_s=0 sim.measure_s=20 "
                "workload.discrete.outstanding=8 workload.discrete.deadline_ms=100"
            ),
            *["--slowest", "10", "--when", "discrete", "--no-waves"],
        )
        seen = collections.Counter(d["why"] for one in told["requests"] for d in one["decisions"])
        self.assertGreater(seen["deadline"], 0)
        self.assertEqual(seen["forced"], 0)
        for one in told["requests"]:
            for d in one["decisions"]:
                self.assertEqual(d["rule"] == "deadline", d["forced"])

    def test_explain_says_what_limits_and_priority_do(self):
        """Jobs with priority, with a guideline, and with a limit that ends commands, also while
        a decision is made."""
        load = self.folder / "limits.toml"
        load.write_text(
            'format = 1\nengine = "firmware"\npolicy = "LSPTF(0)"\nsim.measure_s = 2.0\n[drive]\n'
            'file = "cheetah9lp"\ncontroller.firmware_base_cycles = 200000\n'
            "[[drive.duration_limits.read]]\nguideline_ms = 500.0\n"
            '[[drive.duration_limits.read]]\ninactive_ms = 25.5\ninactive_policy = "abort"\n'
            + "".join(
                f'[[workload.job]]\nname = "{bs}"\nrw = "randread"\nbs = "{bs}"\n{more}\n'
                for bs, more in (
                    ("4k", "iodepth = 2\nhigh_priority = true"),
                    ("8k", "iodepth = 4\npriohint = 1"),
                    ("12k", "iodepth = 2\npriohint = 2"),
                )
            )
        )
        seen = collections.Counter()
        for words in ([], ["--when", "failed"]):
            told = self.explained(load, "--slowest", 20, "--no-waves", *words)
            for one in told["requests"]:
                for d in one["decisions"]:
                    seen[one["length_bytes"], d["why"]] += 1
                    self.assertLessEqual(d["effective_ps"], one["completed_ps"])
                    if d["rule"] == "priority":
                        self.assertEqual(d["chosen"]["blocks"], 8)
                    if d["rule"] == "deadline":
                        self.assertGreater(d["chosen"]["blocks"], 8)
        for reason in ((8192, "limit"), (12288, "limit"), (8192, "priority"), (4096, "deadline")):
            self.assertGreater(seen[reason], 0, seen)
        self.assertEqual(seen[4096, "limit"], 0)

    def test_a_timeline_names_the_rule_of_a_decision(self):
        events, _ = self.timeline_of(
            *self.jobs_beside_a_stream(
                "drive.controller.stream_first=true",
                "sim.measure_s=5",
                "observe.wave_from_s=0",
                "observe.wave_to_s=5",
            )
        )
        rules = collections.Counter(
            e["args"].get("rule") for e in events if "forced" in e.get("args", {})
        )
        for rule in (None, "age", "stream"):
            self.assertGreater(rules[rule], 0, rules)

    def test_destages_by_positioning_time_are_faster_with_entries(self):
        load = [SCENARIOS / "random_4k.toml", "--set", "engine=firmware"]
        load += overrides(
            "sim.warmup_s=20 sim.measure_s=60 workload.discrete.read_fraction=0 "
            "drive.cache.segments=1024 drive.cache.segment_blocks=16 "
            'drive.cache.write_segments=1000 drive.cache.write_back="interleaved" '
            "drive.controller.firmware_candidate_cycles=0"
        )
        rates = [
            self.result_of(*load, "--set", f"drive.cache.destage_entries={entries}")["throughput"][
                "requests_per_s"
            ]
            for entries in (0, 200, 1000)
        ]
        self.assertGreater(rates[1], 1.1 * rates[0])
        self.assertGreater(rates[2], 1.1 * rates[1])

    def test_a_timeline_of_an_array_with_a_failure(self):
        events, _ = self.timeline_of(
            SOURCE / "models/configs/scenarios/mirrored_array.toml",
            *overrides(
                "engine=model sim.warmup_s=0 sim.measure_s=4 failure.fails_at_s=1 "
                "failure.revives_at_s=2 observe.wave_from_s=0 observe.wave_to_s=4"
            ),
        )
        drives = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        self.assertEqual(len(set(drives.values())), len(drives))
        self.assertEqual(drives[min(drives)], "host")
        self.assertGreater(min(drives), 0)
        for pid in drives:
            for thread in ("engine", "actuator", "channel", "bus, reads", "bus, writes"):
                self.assert_nested(
                    [span for span in self.spans_of(events, thread) if span[0] == pid]
                )

    def test_a_stream_beside_requests_with_deadlines_is_not_slower_for_its_queue(self):
        """Bursts of sequential reads just before each round: where the drive may not read on for
        them, the policy sees them all."""
        trace, scenario = self.folder / "bursts.ascii", self.folder / "bursts.toml"
        trace.write_text(
            "".join(
                f"{450 * burst - 2:.3f} 0 {2_000_000 + 256 * (14 * burst + i)} 256 1\n"
                for burst in range(1, 40)
                for i in range(14)
            )
        )
        tables = ", ".join(
            f'"{SOURCE}/models/configs/streams/{name}_mpeg1_1150k.csv"'
            for name in ("bigbuckbunny", "bikes", "carphone")
        )
        scenario.write_text(
            'format = 1\nengine = "firmware"\npolicy = "SPTF"\n[drive]\nfile = "cheetah9lp"\n'
            "[drive.bus]\nread_block_us = 6.4\nwrite_block_us = 6.4\n"
            "[workload.continuous]\nstreams = 16\nround_s = 0.45\n"
            f'size = "tables"\ntables = [{tables}]\n'
            f'[workload.discrete]\nsource = "trace"\ntrace = "{trace}"\n[sim]\nmeasure_s = 18\n'
        )
        with_it, without = (
            self.result_of(scenario, "--set", f"drive.cache.almost_read_hits={key}")
            for key in ("true", "false")
        )
        self.assertEqual((with_it["hiccups"], without["hiccups"]), (0, 0))
        self.assertGreater(with_it["classes"]["discrete"]["completions"], 500)
        self.assertLess(
            with_it["classes"]["discrete"]["response_ms"]["mean"],
            1.02 * without["classes"]["discrete"]["response_ms"]["mean"],
        )

    def test_request_log_agrees_with_result(self):
        log = self.folder / "requests.csv"
        result = self.result_of(
            MIXED, "--set", "sim.measure_s=20", "--set", "sim.warmup_s=0", "--requests", log
        )
        rows = list(csv.DictReader(log.read_text().splitlines()))
        for cls in ("continuous", "discrete"):
            own = [r for r in rows if r["class"] == cls]
            self.assertEqual(len(own), result["classes"][cls]["completed"])
            mean = sum(int(r["completed_ps"]) - int(r["issued_ps"]) for r in own) / len(own) * 1e-9
            self.assertAlmostEqual(mean, result["classes"][cls]["response_ms"]["mean"], places=6)
        for r in rows:
            parts = sum(
                int(r[f"{p}_ps"])
                for p in ("queue", "overhead", "seek", "settle", "rotation", "transfer", "bus")
            )
            self.assertEqual(parts, int(r["completed_ps"]) - int(r["issued_ps"]))

    def test_every_policy_runs_the_same_requests(self):
        parameters = {
            "(w)": "(0.01)",
            "(R)": "(0.2)",
            "(g)": "(5)",
            "(M)": "(6)",
            "(M|T)": "(6|1000)",
            "(c|w)": "(4|0.47)",
            "(C|D|B)": "(8|2|1)",
        }
        names = [
            functools.reduce(
                lambda name, letters: name.replace(*letters), parameters.items(), row["name"]
            )
            for row in json.loads(self.run_good("list", "policies", "--json").stdout)
            if "eager writing]" not in row["description"]
        ]
        results = {
            n: self.result_of(
                MIXED,
                *overrides(f'sim.measure_s=20 engine=firmware policy="{n}"'),
            )
            for n in names
        }
        issued = {r["classes"]["discrete"]["issued"] for r in results.values()}
        self.assertEqual(len(issued), 1)
        mean = {n: r["classes"]["discrete"]["parts_ms"] for n, r in results.items()}
        positioning = {n: p["seek"] + p["rotation"] for n, p in mean.items()}
        self.assertLess(positioning["SPTF"], positioning["FCFS"])
        self.assertLess(mean["SSTF"]["seek"], mean["FCFS"]["seek"])

    def test_eager_writing_serves_a_closed_queue(self):
        """The relations of Zhang et al. that do not depend on a detail:
        all equal without reads or in a queue of one."""
        names = [
            row["name"]
            for row in json.loads(self.run_good("list", "policies", "--json").stdout)
            if "eager writing]" in row["description"]
        ]
        self.assertEqual(len(names), 6)
        schema = json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        short = overrides("sim.warmup_s=1 sim.measure_s=5 eager.ageing_turnovers=0.05")
        for outstanding, reads in ((64, 0.5), (1, 0.5), (64, 0)):
            results = {}
            for name in names:
                result = self.result_of(
                    EAGER,
                    *short,
                    *overrides(
                        f'policy="{name}" workload.discrete.outstanding={outstanding} '
                        f"workload.discrete.read_fraction={reads}"
                    ),
                )
                jsonschema.validate(result, schema)
                load = result["classes"]["discrete"]
                self.assertEqual(load["issued"], load["completed"] + load["outstanding"], name)
                self.assertEqual(load["failed"], 0, name)
                self.assertEqual(result["eager"]["read_first"], 0, name)
                self.assertGreater(result["eager"]["writes"], 100, name)
                for key in ("issued", "completed", "outstanding", "bytes"):
                    self.assertEqual(
                        sum(
                            load.get(operation, {key: 0})[key] for operation in ("reads", "writes")
                        ),
                        load[key],
                        name,
                    )
                gaps = result["eager"]["gaps"]
                self.assertEqual(
                    [sum(gaps["sizes"]), sum(gaps["writes"])], 2 * [gaps["reads"]], name
                )
                self.assertEqual(sum(gaps["writes"][1:]), gaps["filled"], name)
                self.assertEqual(gaps["reads"] > 0, reads > 0, name)
                results[name] = result
            served = {name: r["throughput"]["requests_per_s"] for name, r in results.items()}
            hidden = {name: r["eager"]["hidden"] for name, r in results.items()}
            if (outstanding, reads) == (64, 0.5):
                self.assertLess(served["Read-First"], 0.6 * served["SATF-EW"])
                self.assertGreater(served["Credit-EW"], served["SATF-EW"])
                self.assertEqual(
                    [name for name in names if hidden[name] == 0], ["SATF-EW", "Read-First"]
                )
                in_place = self.result_of(
                    EAGER, *short, "--set", "policy=SPTF", "--set", "eager.enabled=false"
                )
                self.assertNotIn("eager", in_place)
                self.assertLess(in_place["throughput"]["requests_per_s"], served["SATF-EW"])
            else:
                self.assertEqual(len(set(served.values())), 1, served)
                self.assertEqual(set(hidden.values()), {0})

    def test_a_queue_of_two_leaves_a_choice_of_two(self):
        """Without a bus each answer comes as its access ends, and the replacement is in time for
        the next decision; decisions take time then."""
        served = {}
        for outstanding in (1, 2):
            result = self.result_of(
                EAGER,
                *overrides(
                    "sim.warmup_s=1 sim.measure_s=20 drive.bus.read_block_us=0 "
                    f"drive.bus.write_block_us=0 workload.discrete.outstanding={outstanding} "
                    "eager.ageing_turnovers=0.05"
                ),
            )
            served[outstanding] = result["throughput"]["requests_per_s"]
            self.assertEqual(result["scheduler"]["stalls"] > 1000, outstanding == 2)
        self.assertGreater(served[2], 1.12 * served[1])

    def test_free_space_is_aged(self):
        """Aged or at random, the same load gets something else; the default is a turnover."""
        self.assert_refused(
            platter("run", EAGER, "--set", "eager.ageing_turnovers=-1"),
            "eager.ageing_turnovers: found -1, expected 0 to 100",
        )
        short = ("--set", "sim.warmup_s=0", "--set", "sim.measure_s=5")
        by_age = {
            age: self.result_of(EAGER, *short, "--set", f"eager.ageing_turnovers={age}")["classes"]
            for age in (0, 1)
        }
        self.assertNotEqual(by_age[0], by_age[1])
        self.assertEqual(self.result_of(EAGER, *short)["classes"], by_age[1])

    def test_an_array_of_eager_writing_drives(self):
        """Twice the drives without copies serve about twice as much; a copy costs writes, which the
        answer to the first one hides."""
        schema = json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        short = (
            *overrides(
                "sim.warmup_s=1 sim.measure_s=10 workload.discrete.outstanding=8 "
                "eager.ageing_turnovers=0.05"
            ),
        )

        def array(drives, copies, answer="all"):
            layout = (
                (
                    "host.kind=array",
                    f"array.drives={drives}",
                    f"array.copies={copies}",
                    f"array.answer={answer}",
                )
                if drives > 1
                else ()
            )
            result = self.result_of(EAGER, *short, *overrides(layout))
            jsonschema.validate(result, schema)
            load = result["classes"]["discrete"]
            self.assertEqual(load["issued"], load["completed"] + load["outstanding"])
            self.assertEqual(load["failed"], 0)
            if drives > 1:
                self.assertEqual(len(result["array"]["commands"]), drives)
                self.assertAlmostEqual(
                    sum(result["array"]["utilisation"]) / drives, result["utilisation"]
                )
                least, most = min(result["array"]["commands"]), max(result["array"]["commands"])
                self.assertGreater(least, 0.8 * most)
            return result

        results = {
            "alone": array(1, 1),
            "striped": array(2, 1),
            "all": array(2, 2),
            "first": array(2, 2, "first"),
        }
        self.assertNotIn("array", results["alone"])
        rate = {name: result["throughput"]["requests_per_s"] for name, result in results.items()}
        self.assertGreater(rate["striped"], 1.5 * rate["alone"])
        self.assertLess(rate["all"], rate["striped"])
        self.assertGreater(rate["first"], rate["all"])
        # Half are writes; a read is sent to one drive, a write to both.
        for name, share in (("striped", 1 / 2), ("all", 2 / 3), ("first", 2 / 3)):
            self.assertAlmostEqual(
                results[name]["eager"]["writes"] / sum(results[name]["array"]["commands"]),
                share,
                delta=0.03,
            )

    def test_eager_writing_is_refused_where_it_cannot_be(self):
        for settings, pattern in (
            (
                ["policy=SPTF"],
                "policy: policy SPTF writes in place; with eager.enabled expected one of SATF-EW",
            ),
            (
                ["eager.enabled=false"],
                r"eager_writing.toml:\d+:\d+: policy: policy SATF-EW writes to free blocks",
            ),
            (
                ["engine=rtl"],
                "engine: engine rtl does not support policy SATF-EW; use engine firmware",
            ),
            (["drive=cheetah9lp"], "eager.enabled: found a buffer, expected cache.segments = 0"),
            (
                ["eager.block_bytes=200000"],
                "eager.block_bytes: found 200000, expected a multiple of the sector",
            ),
            (
                ["eager.block_bytes=262144"],
                "eager.block_bytes: a block of 262144 bytes, expected at most the 193536 of the",
            ),
            (
                ["host.kind=array", "array.copies=3"],
                "array.copies: found 3, expected at most array.drives, which is 2",
            ),
            (
                ["host.kind=array", "failure.fails_at_s=1"],
                (
                    "failure.fails_at_s: found a drive that fails, expected 0 .never. "
                    "with array.kind = .ew."
                ),
            ),
            (
                ["host.kind=array", "array.kind=striped"],
                "array.kind: found striped, expected ew with eager.enabled = true",
            ),
            (["host.kind=array", "array.drives=33"], "array.drives: found 33, expected 1 to 32"),
            (
                ["host.kind=array", "array.tags=8"],
                'array.tags: is a key of striped arrays, expected array.kind = "striped"',
            ),
            (["eager.dilution=1"], "eager.dilution: found 1, expected 1.001 to 1000"),
            (
                ["eager.dilutoin=2"],
                r"eager.dilutoin: there is no such key \(did you mean eager.dilution",
            ),
            (
                ["workload.discrete.align_bytes=100"],
                "align_bytes: found 100, expected a multiple of the sector",
            ),
        ):
            flags = [f for s in settings for f in ("--set", s)]
            self.assert_refused(
                platter("run", EAGER, *flags, "--result", self.folder / "result.json"), pattern
            )
        for setting, found in (
            ("drive.zones.model=managed", "eager.enabled: found zones"),
            ("drive.actuators.count=2", "eager.enabled: found 2 actuators"),
            ("eager.block_bytes=194048", "eager.block_bytes: a block of 194048 bytes"),
        ):
            checked = platter("config", "check", EAGER, "--set", setting)
            self.assert_refused(checked, f"{found}, expected")
        checked = platter("config", "check", EAGER, "--set", "eager.block_bytes=193536")
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def striped(self, drives, copies, *settings):
        """A result and its part on the array, every request of which is accounted for."""
        schema = json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        flags = [
            f
            for s in (
                "engine=firmware",
                "host.kind=array",
                "array.kind=striped",
                f"array.drives={drives}",
                f"array.copies={copies}",
                "sim.warmup_s=0",
                "sim.measure_s=60",
                *settings,
            )
            for f in ("--set", s)
        ]
        result = self.result_of(MIXED, *flags)
        jsonschema.validate(result, schema)
        self.assertEqual(len(result["array"]["commands"]), drives)
        self.assertAlmostEqual(sum(result["array"]["utilisation"]) / drives, result["utilisation"])
        for name, load in result["classes"].items():
            self.assertEqual(
                load["issued"], load["completed"] + load["failed"] + load["outstanding"]
            )
            served = result["array"]["classes"][name]
            self.assertEqual(
                (served["completed"], served["failed"]), (load["completed"], load["failed"])
            )
        return result

    def test_a_striped_array_serves_through_a_failure(self):
        """With a copy nothing fails, and the drive that is revived is rebuilt;
        without one, what it held fails until then."""
        failure = ("failure.fails_at_s=20.5", "failure.drive=2", "failure.revives_at_s=29.5")
        whole = self.striped(4, 2)
        self.assertEqual(whole["array"]["failures"], [0, 0, 0, 0])
        mirrored = self.striped(4, 2, *failure)
        self.assertEqual(mirrored["array"]["failures"], [0, 0, 1, 0])
        self.assertEqual(sum(load["failed"] for load in mirrored["classes"].values()), 0)
        self.assertEqual(mirrored["classes"]["continuous"]["completed"], 25 * 60)
        self.assertEqual(mirrored["hiccups"], 0)
        self.assertGreater(mirrored["array"]["rebuilt_units"][2], 0)
        self.assertEqual(mirrored["array"]["stale_units"], [0, 0, 0, 0])
        fresh = mirrored["array"]["fresh_since_s"]
        self.assertEqual(fresh[:2] + fresh[3:], [0, 0, 0])
        self.assertGreater(fresh[2], 29.5)
        self.assertLess(fresh[2], 60)
        stays_away = self.striped(4, 2, *failure[:2])
        self.assertGreater(
            stays_away["array"]["stale_units"][2], mirrored["array"]["rebuilt_units"][2]
        )
        self.assertIsNone(stays_away["array"]["fresh_since_s"][2])
        self.assertEqual(
            self.striped(4, 2, *failure, "array.rebuild_outstanding=0")["array"]["rebuilt_units"],
            [0, 0, 0, 0],
        )
        alone = self.striped(4, 1, *failure)
        log = self.folder / "log.csv"
        flags = [
            f
            for s in (
                "engine=firmware",
                "host.kind=array",
                "array.kind=striped",
                "array.drives=4",
                "sim.warmup_s=0",
                "sim.measure_s=60",
                *failure,
            )
            for f in ("--set", s)
        ]
        self.result_of(MIXED, *flags, "--requests", log)
        failed = [
            row for row in csv.DictReader(log.read_text().splitlines()) if row["status"] != "good"
        ]
        self.assertEqual(len(failed), sum(load["failed"] for load in alone["classes"].values()))
        self.assertGreater(len(failed), 50)
        self.assertEqual({row["status"] for row in failed}, {"no working drive holds it"})
        for row in failed:
            self.assertGreaterEqual(int(row["completed_ps"]), 20_500_000_000_000)
            self.assertLess(int(row["issued_ps"]), 29_500_000_000_000)
            first, last = (
                int(row["offset_bytes"]) // 65536,
                (int(row["offset_bytes"]) + int(row["length_bytes"]) - 1) // 65536,
            )
            # A unit of the failed drive's
            self.assertIn(2, {unit % 4 for unit in range(first, min(last, first + 3) + 1)})

    def test_the_mirrored_array_keeps_its_streams(self):
        """The shipped scenario: nothing fails or is late while a drive is away or rebuilt."""
        result = self.result_of(SCENARIOS / "mirrored_array.toml")
        self.assertEqual(result["array"]["failures"], [0, 0, 0, 1, 0, 0, 0, 0])
        self.assertEqual(result["array"]["stale_units"], [0] * 8)
        self.assertGreater(result["array"]["rebuilt_units"][3], 100)
        self.assertEqual(result["hiccups"], 0)
        self.assertEqual([load["failed"] for load in result["classes"].values()], [0, 0])
        self.assertEqual(result["classes"]["continuous"]["completed"], 160 * 290)

    def test_a_striped_arrays_buffers_and_cache(self):
        """Streams that read on find each round fetched in the round before; a cache serves what has
        been read; tags bound the drives' queues."""
        streams = ("workload.continuous.placement=contiguous", "workload.discrete.source=none")
        buffered = self.striped(4, 1, *streams, "array.stream_buffer_units=8")
        buffers = buffered["array"]["stream_buffers"]
        # A stream's first two reads, and where a file starts again, are not from a buffer.
        self.assertGreater(buffers["hits"], 25 * 55)
        self.assertEqual(buffers["underruns"], 0)
        self.assertLessEqual(buffers["memory_bytes"], 25 * 2 * 8 * 65536)
        self.assertEqual(self.striped(4, 1, *streams)["array"]["stream_buffers"]["hits"], 0)
        small = (
            "workload.continuous.streams=0",
            "workload.discrete.span_bytes=0",
            "workload.discrete.size=fixed",
            "workload.discrete.mean_bytes=8192",
            "workload.discrete.align_bytes=8192",
            "workload.discrete.source=closed",
            "workload.discrete.outstanding=32",
            "workload.discrete.read_fraction=1",
        )
        plain = self.striped(2, 1, *small)["array"]["classes"]["discrete"]
        held = self.striped(2, 1, *small, "array.tags=4")["array"]["classes"]["discrete"]
        # Each drive takes all
        self.assertEqual((plain["cache_hits"], plain["host_queue_ms"]), (0, 0))
        self.assertGreater(held["host_queue_ms"], 50)
        # Of longer queues the scheduler makes more
        self.assertGreater(plain["completed"], held["completed"])
        cached = self.striped(2, 1, *small, "array.cache_bytes=100000000000")["array"]["classes"][
            "discrete"
        ]
        # No block is thrown out: hits are the reads of a block that has been read,
        # by the rule of birthdays.
        blocks = 2 * int(9_000_000_000 / 8192)
        expected = cached["completed"] ** 2 / 2 / blocks
        self.assertGreater(cached["cache_hits"], 0.5 * expected)
        self.assertLess(cached["cache_hits"], 2 * expected)

    def test_a_striped_array_is_refused_where_it_cannot_be(self):
        for settings, pattern in (
            (["array.copies=3"], "array.copies: found 3, expected 1 or 2 in a striped array"),
            (
                ["array.unit_bytes=1000"],
                "array.unit_bytes: found 1000, expected a multiple of the 512 bytes of a sector",
            ),
            (
                ["array.tags=33"],
                "array.tags: found 33, expected at most drive.queue.depth, which is 32",
            ),
            (["array.answer=first"], "array.answer: found first, expected all in a striped array"),
            (
                ["failure.drive=4"],
                "failure.drive: found 4, expected one of the host's 4 drives, from 0",
            ),
            (
                ["failure.fails_at_s=6", "failure.revives_at_s=5"],
                (
                    "failure.revives_at_s: found 5, expected a time after "
                    "failure.fails_at_s, which is 6"
                ),
            ),
            (
                ["array.cache_bytes=100"],
                (
                    "array.cache_bytes: found 100, expected 0 or at least "
                    "array.cache_block_bytes, which is 8192"
                ),
            ),
            (
                ["array.kind=ew", "failure.fails_at_s=1", "failure.revives_at_s=5"],
                (
                    "failure.revives_at_s: found a drive that is revived, "
                    'expected array.kind = "striped"'
                ),
            ),
            (
                ["array.cache_bytes=1000000", "array.cache_block_bytes=3072"],
                "array.unit_bytes: found 65536, expected a multiple of the 3072 bytes of a block",
            ),
            (
                ["array.cache_bytes=1000000000000", "array.cache_block_bytes=512"],
                "array.cache_bytes: found 1000000000000, expected at most 16777216 blocks",
            ),
            (
                ["failure.revives_at_s=5"],
                (
                    "failure.revives_at_s: found a drive that is revived, expected a failure "
                    "before it .failure.fails_at_s."
                ),
            ),
            (
                ["array.cache_bytes=1000000", "array.stream_buffer_units=2"],
                "array.stream_buffer_units: found stream buffers, expected 0 together with",
            ),
            (
                ["array.unit_bytes=1000000000", "array.stream_buffer_units=2"],
                (
                    "array.stream_buffer_units: found 2 units of 1000000000 bytes, "
                    "expected at most 1073741824 bytes in all"
                ),
            ),
            (
                ["array.unit_bytes=67109376", "array.copies=2"],
                (
                    "array.unit_bytes: found 67109376, "
                    "expected at most 67108864 with array.copies = 2"
                ),
            ),
            (["array.knid=ew"], r"array.knid: there is no such key \(did you mean array.kind"),
        ):
            flags = [
                f
                for s in ["host.kind=array", "array.kind=striped", "array.drives=4", *settings]
                for f in ("--set", s)
            ]
            self.assert_refused(
                platter("run", MIXED, *flags, "--result", self.folder / "result.json"), pattern
            )

    def test_a_drive_that_dies_fails_the_rest(self):
        """What comes before is served as ever, what comes after is answered by an error,
        and all of it is accounted for."""

        def requests(*settings):
            log = self.folder / "log.csv"
            self.result_of(
                MIXED,
                *overrides("engine=firmware sim.warmup_s=0 sim.measure_s=40"),
                *settings,
                "--requests",
                log,
            )
            return list(csv.DictReader(log.read_text().splitlines()))

        whole = requests()
        result = self.result_of(
            MIXED,
            *overrides("engine=firmware sim.warmup_s=0 sim.measure_s=40 failure.fails_at_s=20"),
        )
        for load in result["classes"].values():
            self.assertEqual(
                load["issued"], load["completed"] + load["failed"] + load["outstanding"]
            )
            self.assertGreater(load["failed"], 0)
        for end, notice in (
            (20, "no drive failed: failure.fails_at_s is 20 s, which is after the end of the run"),
            (21, "the drive failed at 20 s"),
        ):
            shown = self.run_good(
                "run",
                MIXED,
                *overrides(
                    f"engine=firmware sim.warmup_s=0 sim.measure_s={end} failure.fails_at_s=20"
                ),
            )
            self.assertIn(notice, shown.stdout)
        failed = [
            row for row in requests("--set", "failure.fails_at_s=20") if row["status"] == "good"
        ]
        self.assertGreater(len(failed), 900)
        self.assertEqual([row for row in whole if int(row["completed_ps"]) <= 20 * 10**12], failed)

    def test_the_token_bucket_holds_best_effort_alone(self):
        """A closed queue of discrete requests gets the bucket's rate and its first fill,
        to within a request."""
        rate, depth, seconds = 400_000, 65536, 30
        result = self.result_of(
            MIXED,
            *overrides(
                "engine=firmware workload.discrete.source=closed "
                f"workload.discrete.outstanding=4 sim.warmup_s=0 sim.measure_s={seconds} "
                f"drive.port.token_rate_bytes_per_s={rate} "
                f"drive.port.token_depth_bytes={depth} workload.discrete.size=fixed "
                "workload.discrete.mean_bytes=16384"
            ),
        )
        self.assertLess(
            abs(result["classes"]["discrete"]["bytes"] - (rate * seconds + depth)), 5 * 16384
        )
        self.assertEqual(result["hiccups"], 0)
        self.assertEqual(result["classes"]["continuous"]["completed"], 25 * seconds)

    def test_clustered_policies_keep_every_round(self):
        """Sixty rounds: no hiccup, and every request is completed or still on its way."""
        for policy in (
            "ASPTF(0.01)",
            "OPS:SCAN/CI-SPTF",
            "OPS:SCAN/CI-OPT(6)",
            "OPS:SCAN/CLUST-REQ(6)",
            "OPS:SCAN/CLUST-CYL(6|1000)",
        ):
            result = self.result_of(
                MIXED,
                *overrides(f'sim.measure_s=60 engine=firmware policy="{policy}"'),
            )
            self.assertEqual(result["hiccups"], 0, policy)
            self.assertEqual(result["classes"]["continuous"]["completed"], 25 * 60, policy)
            discrete = result["classes"]["discrete"]
            self.assertEqual(discrete["failed"], 0, policy)
            self.assertEqual(
                discrete["issued"], discrete["completed"] + discrete["outstanding"], policy
            )
            self.assertGreater(discrete["completed"], 1500, policy)

    def test_a_deeper_queue_changes_nothing_while_it_is_not_filled(self):
        """At most 64 commands are outstanding, on a drive that cannot serve them all:
        the guard refuses all the time."""
        load = (
            "engine=firmware",
            "sim.measure_s=8",
            "sim.warmup_s=1",
            "workload.discrete.rate_per_s=150",
            "workload.discrete.max_outstanding=39",
            "drive.controller.firmware_base_cycles=120",
            "drive.controller.firmware_candidate_cycles=600",
        )
        for policy in (
            "SPTF",
            "OPS:SCAN/CI-OPT(6)",
            "OPS:SCAN/CLUST-REQ(6)",
            "OPS:FAMISH",
            "OPS:SLACK(4|0.5)",
            "CELLO(8|2|1)",
        ):
            runs = []
            for depth in (64, 1024):
                log = self.folder / f"{depth}.csv"
                result = self.result_of(
                    MIXED,
                    *overrides((*load, f'policy="{policy}"', f"drive.queue.depth={depth}")),
                    "--requests",
                    log,
                )
                del result["host"]
                self.assertEqual(result["configuration"]["drive"]["queue"].pop("depth"), depth)
                self.assertGreater(result["queue_depth"]["mean"], 30, policy)
                runs.append(
                    hashlib.sha256(json.dumps(result).encode() + log.read_bytes()).hexdigest()
                )
            self.assertEqual(*runs, policy)

    def test_aged_sptf_shortens_the_longest_waits(self):
        results = {
            p: self.result_of(
                MIXED,
                *overrides(f'sim.measure_s=60 engine=firmware policy="{p}"'),
            )
            for p in ("SPTF", "ASPTF(0)", "ASPTF(0.1)")
        }
        self.assertEqual(results["ASPTF(0)"]["classes"], results["SPTF"]["classes"])
        longest = {p: r["classes"]["discrete"]["response_ms"]["max"] for p, r in results.items()}
        self.assertLess(longest["ASPTF(0.1)"], longest["SPTF"])

    def test_recorded_trace_as_load(self):
        result = self.result_of(SCENARIOS / "guest_trace.toml")
        self.assertEqual(result["classes"]["discrete"]["completed"], 4656)
        self.assertGreater(result["classes"]["continuous"]["completed"], 0)
        self.assertEqual(result["hiccups"], 0)


ZONES = SOURCE / "models/configs/scenarios/zones.toml"
# Small zones, so that a short run fills them often.
SMALL_ZONES = overrides(
    "drive.geometry.blocks=8388608 drive.zones.zone_mib=4 workload.zones.zones=48 "
    "sim.warmup_s=1 sim.measure_s=3 observe.wave_from_s=1.7"
)


class Zones(Case):
    def requests(self, *words):
        """The result of a run, the rows of the log by number, and the events of the timeline."""
        log, timeline = self.folder / "requests.csv", self.folder / "timeline.json"
        result = self.result_of(
            ZONES, *SMALL_ZONES, *words, "--quiet", "--requests", log, "--timeline", timeline
        )
        rows = sorted(
            csv.DictReader(log.read_text().splitlines()), key=lambda row: int(row["number"])
        )
        events = json.loads(timeline.read_text())
        jsonschema.validate(
            events, json.loads((SOURCE / "docs/reference/timeline.schema.json").read_text())
        )
        return result, rows, events["traceEvents"]

    def assert_in_order(self, rows):
        """Every write begins at the pointer of its zone, and every read is of what was written."""
        zone_bytes, pointers, counts = 4 << 20, collections.Counter(), collections.Counter()
        for row in rows:
            zone, at = divmod(int(row["offset_bytes"]), zone_bytes)
            counts[row["op"]] += 1
            if row["op"] == "Z":
                self.assertEqual(pointers.pop(zone), zone_bytes, "a zone is reset when it is full")
            elif row["op"] == "W":
                self.assertEqual(at, pointers[zone], row)
                pointers[zone] += int(row["length_bytes"])
            else:
                self.assertLess(at, pointers[zone], row)
        return counts

    def test_a_log_is_written_in_order_and_cleaned(self):
        result, rows, events = self.requests()
        counts = self.assert_in_order(rows)
        self.assertGreater(counts["Z"], 50)
        zones, load = result["zones"], result["zone_load"]
        self.assertEqual(
            [zones[f"refused_{what}"] for what in ("reads", "writes", "actions")], [0, 0, 0]
        )
        self.assertEqual(set(result["jobs"]), {"zones", "cleaner"})
        self.assertGreater(load["write_amplification"], 1.2)
        self.assertAlmostEqual(
            load["write_amplification"], 1 + load["copied_bytes"] / load["written_bytes"], places=9
        )
        self.assertLess(load["live_share"], 0.75)
        begun = [event for event in events if event["ph"] == "b"]
        conditions = {event["args"]["condition"] for event in begun}
        self.assertTrue({"implicitly open", "full", "empty"} <= conditions, conditions)
        self.assertIn("discrete reset", {event["name"] for event in begun})
        opened = [event["args"]["zones"] for event in events if event["name"] == "open zones"]
        self.assertEqual(max(opened), 2)

    def test_writers_fill_zones_of_their_own(self):
        words = {"source": "ring", "writers": 5, "read_fraction": 0.5}
        sets = overrides(f"workload.zones.{key}={value}" for key, value in words.items())
        result, rows, events = self.requests(*sets)
        self.assert_in_order(rows)
        self.assertEqual(result["zones"]["refused_writes"], 0)
        self.assertEqual(result["zones"]["implicit_closes"], 0)
        self.assertEqual(set(result["jobs"]), {"zones"})
        self.assertEqual(result["zone_load"]["write_amplification"], 1)
        self.assertEqual(
            max(event["args"]["zones"] for event in events if event["name"] == "open zones"), 5
        )

    def test_the_class_of_the_cleaner(self):
        result, rows, _ = self.requests("--set", "workload.zones.cleaner_class=background")
        self.assert_in_order(rows)
        self.assertEqual(
            result["jobs"]["cleaner"]["completions"], result["classes"]["background"]["completions"]
        )
        self.assertEqual(result["zones"]["refused_writes"], 0)

    def test_what_does_not_fit_is_refused(self):
        for keys, text in (
            ({"drive": "cheetah9lp"}, "workload.zones.source: expected a drive with zones"),
            ({"host.kind": "array"}, "workload.zones.source"),
            ({"workload.zones.bytes": 1000}, "expected whole physical sectors"),
            ({"workload.zones.bytes": 12288}, "expected a divisor of a zone's 268435456 bytes"),
            ({"workload.zones.zones": 10**7}, "whole zones that are written in order"),
            ({"workload.zones.zones": 0}, "use fewer zones"),
            ({"workload.zones.utilisation": 0.95}, "without live data"),
            ({"workload.zones.sourse": "log"}, "workload.zones.source"),
            (
                {"workload.zones.source": "ring", "workload.zones.writers": 129},
                "needs 129 open zones, and the drive has 128",
            ),
        ):
            with self.subTest(keys=keys):
                settings = [f"{key}={value}" for key, value in keys.items()]
                said = self.refused_by(("run",), ZONES, *settings)
                self.assertIn(text, said)


class Jobs(Case):
    def test_the_example_has_an_account_of_each_job(self):
        log = self.folder / "log.csv"
        result = self.result_of(JOBS, "--quiet", "--requests", log)
        jobs, classes = result["jobs"], result["classes"]
        self.assertEqual(set(jobs), {"database", "log", "backup"})
        for name, job in jobs.items():
            with self.subTest(job=name):
                self.assertEqual(
                    job["issued"], job["completed"] + job["failed"] + job["outstanding"]
                )
                outstanding = job["throughput"]["requests_per_s"] * job["response_ms"]["mean"] / 1e3
                self.assertAlmostEqual(
                    outstanding, job["backlog"]["mean"], delta=0.02 * outstanding
                )
        for count in ("issued", "completions", "late"):
            self.assertEqual(
                sum(job[count] for job in jobs.values()),
                sum(one[count] for one in classes.values()),
            )
        self.assertEqual(jobs["backup"]["completions"], classes["background"]["completions"])
        rows = list(csv.DictReader(log.read_text().splitlines()))
        self.assertEqual({row["job"] for row in rows}, set(jobs))
        reads = [row for row in rows if row["job"] == "database" and row["op"] == "R"]
        urgent = [row for row in reads if row["deadline_ps"]]
        self.assertAlmostEqual(len(urgent) / len(reads), 0.05, delta=0.02)
        self.assertTrue(
            all(int(row["deadline_ps"]) - int(row["issued_ps"]) == 200 * 10**9 for row in urgent)
        )
        self.assertGreaterEqual(
            min(int(row["issued_ps"]) for row in rows if row["job"] == "backup"), 30 * 10**12
        )
        entries = [row for row in rows if row["job"] == "log"]
        self.assertTrue(
            all(
                int(b["offset_bytes"]) - int(a["offset_bytes"]) in (16384, 16384 - 64 * 2**20)
                for a, b in itertools.pairwise(entries)
            )
        )
        self.assertTrue(
            all(
                int(b["issued_ps"]) - int(a["completed_ps"]) == 50 * 10**9
                for a, b in itertools.pairwise(entries)
            )
        )

    def test_same_seed_same_bytes(self):
        logs = [self.folder / f"{i}.csv" for i in range(3)]
        for log, seed in zip(logs, (1, 1, 2), strict=True):
            self.run_good(
                "run",
                JOBS,
                "--quiet",
                "--requests",
                log,
                *overrides(f"sim.measure_s=5 sim.seed={seed}"),
            )
        self.assertEqual(logs[0].read_bytes(), logs[1].read_bytes())
        self.assertNotEqual(logs[0].read_bytes(), logs[2].read_bytes())

    def test_what_was_not_measured_is_null(self):
        result = self.result_of(JOBS, "--quiet", "--set", "sim.measure_s=2")
        backup = result["jobs"]["backup"]
        self.assertEqual(
            (backup["issued"], backup["completions"], backup["throughput"]["requests_per_s"]),
            (0, 0, 0),
        )
        self.assertEqual(set(backup["response_ms"].values()), {None})

    def test_a_run_is_as_long_as_its_jobs(self):
        scenario = self.write(
            "s.toml",
            'format = 1\ndrive = "atlas10k"\n[sim]\nmeasure_s = 0\n'
            + "".join(
                f'[[workload.job]]\nname = "{name}"\nrw = "randread"\n{more}\n'
                for name, more in (
                    ("ends", 'io_size = "400k"'),
                    ("timed", "startdelay = 2.0\nruntime = 1.0\niodepth = 3"),
                    ("goes_on", "thinktime = 1e5"),
                )
            ),
        )
        log = self.folder / "log.csv"
        result = self.result_of(scenario, "--quiet", "--requests", log)
        rows = list(csv.DictReader(log.read_text().splitlines()))
        self.assertEqual(result["jobs"]["ends"]["completed"], 100)
        self.assertAlmostEqual(
            result["measured_s"],
            max(int(row["completed_ps"]) for row in rows if row["job"] == "timed") * 1e-12,
            9,
        )
        self.assertNotIn("backlog", result["jobs"]["ends"])

    def test_an_array_takes_jobs(self):
        result = self.result_of(
            SCENARIOS / "bench_array.toml",
            "--quiet",
            *overrides("array.drives=4 sim.measure_s=3"),
            "--set",
            f"workload={self.write('load.toml', LOAD)}",
        )
        self.assertGreater(result["jobs"]["a"]["completions"], 500)
        self.assertEqual(result["jobs"]["a"]["backlog"]["mean"], 64)

    def test_a_trace_in_a_closed_loop(self):
        trace = self.write(
            "t.trace", "".join(f"{1000 * i}.0 0 {i * 7919 % 100000 * 8} 8 1\n" for i in range(60))
        )
        scenario = self.write(
            "s.toml",
            f'''format = 1
drive = "atlas10k"
[workload]
pace = "closed"
thinktime_us = 2000.0
[workload.discrete]
source = "trace"
trace = "{trace}"
outstanding = 4
''',
        )
        log = self.folder / "log.csv"
        result = self.result_of(scenario, "--quiet", "--requests", log)
        self.assertLess(result["measured_s"], 1)
        self.assertEqual(result["classes"]["discrete"]["completed"], 60)
        rows = sorted(
            csv.DictReader(log.read_text().splitlines()), key=lambda row: int(row["number"])
        )
        ends = sorted(int(row["completed_ps"]) for row in rows)
        self.assertEqual(
            [int(row["issued_ps"]) for row in rows],
            [0] * 4 + [end + 2 * 10**9 for end in ends[:-4]],
        )

    def test_refusals(self):
        self.assert_refused(
            platter("run", JOBS, "--set", "workload.job.1.size=90g"),
            r"--set workload.job.1.size=90g: workload.job.1.size: found 90g from byte",
        )
        self.assert_refused(
            platter("config", "check", JOBS, "--set", "workload.job.1.size=90g"),
            "workload.job.1.size: found 90g",
        )
        self.assert_refused(
            platter("config", "check", JOBS, "--set", "workload.job.3.bs=4k"),
            "there is no job 3, expected 0 to 2",
        )

    def test_a_job_file_of_fio(self):
        jobs = self.write(
            "a.fio",
            "[global]\nioengine=libaio\ndirect=1\nfilename=/dev/sdb\ntime_based\nruntime=3\n[r]\nrw=randread\niodepth=8\n[w]\nrw=write\nbs=64k\n",
        )
        made = self.folder / "made.toml"
        self.run_good("config", "from-fio", jobs, "-o", made)
        result = self.result_of(made, "--quiet")
        self.assertEqual((result["measured_s"], set(result["jobs"])), (3, {"r", "w"}))
        self.assertEqual(result["configuration"]["workload"]["job"][0]["iodepth"], 8)
        bad = self.write("b.fio", "[r]\nrw=randread\nverify=md5\nrw=trim\n")
        done = platter("config", "from-fio", bad, "-o", self.folder / "none.toml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("b.fio:3:1: verify: has no equivalent", done.stderr)
        self.assertIn("b.fio:4:1: rw: found", done.stderr)
        self.assertFalse((self.folder / "none.toml").exists())
        self.assertEqual(platter("config", "from-fio", self.folder / "none.fio").returncode, 2)


class Fault(Case):
    def test_seeded_fault_is_caught_and_reported(self):
        out = self.folder / "result.json"
        done = platter("run", MIXED, "--result", out, program=os.environ["PLATTER_FAULTY"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("model and RTL differ", done.stderr)
        self.assertFalse(out.exists())
        report = (self.folder / "lockstep_mismatch.txt").read_text()
        for part in (
            "seed 1 drive disk\n",
            "model's registers",
            "RTL's registers",
            "RESULT_KEY",
            "model's table",
        ):
            self.assertIn(part, report)
        waves = pywellen.Waveform(str(self.folder / "lockstep_mismatch.fst"))
        variables = {v.full_name: v for v in waves.all_vars()}
        starts = [value for _, value in variables["sched.busy_o"].tv]
        self.assertIn(1, [int(v) for v in starts])


class Waves(Case):
    def variables(self, *arguments):
        file = self.folder / "waves.fst"
        log = self.folder / "requests.csv"
        self.run_good(
            "run",
            MIXED,
            *overrides("sim.measure_s=3 sim.warmup_s=0"),
            "--waves",
            file,
            "--requests",
            log,
            *arguments,
        )
        waves = pywellen.Waveform(str(file))
        return {v.full_name: v for v in waves.all_vars()}, list(
            csv.DictReader(log.read_text().splitlines())
        )

    def test_known_values(self):
        """Each completed request of the log is found in the waves:
        its tag's transfer ends when the log says."""
        v, rows = self.variables()
        self.assertEqual(v["disk.controller.state"].enum_type[1][3], ("0011", "SEEK"))
        states = list(v["disk.controller.state"].tv)
        transfer_ends = {
            t for (_, before), (t, _) in itertools.pairwise(states) if int(before) == 6
        }
        reads = [r for r in rows if r["op"] == "R" and int(r["completed_ps"]) < 0.99e12]
        self.assertGreater(len(reads), 30)
        for r in reads:
            end = sum(
                int(r[f"{p}_ps"]) for p in ("overhead", "seek", "settle", "rotation", "transfer")
            ) + int(r["started_ps"])
            self.assertIn(end, transfer_ends)
        # 25 fragments are in the queue when the first round begins;
        # the spindle's ramp runs from 0 to 1 every 5.985 ms.
        self.assertEqual(int(v["disk.queue.occupancy"].signal.value_at(0)), 25)
        self.assertAlmostEqual(
            float(v["disk.mech.angle"].signal.value_at(2_992_518_703)), 0.5, delta=0.02
        )
        # The tag that the controller serves is the RTL's last result.
        served = [(t, int(x)) for t, x in v["disk.controller.tag"].tv if t > 0]
        self.assertGreater(len(served), 20)
        for time, tag in served:
            self.assertEqual(
                int(v["sched.sched_top.u_core.result_tag"].signal.value_at(time + 20_000)), tag
            )

    def test_window(self):
        v, _ = self.variables("--wave-from", "1.5", "--wave-to", "1.6")
        times = [t for t, _ in v["disk.mech.cylinder"].tv]
        self.assertGreater(len(times), 100)
        inside = [t for t in times if t > 0]
        self.assertGreaterEqual(min(inside), 1.5e12)
        self.assertLessEqual(max(inside), 1.6e12)

    def test_without_rtl(self):
        v, _ = self.variables("--set", "engine=firmware")
        self.assertFalse(any(name.startswith("sched.") for name in v))
        self.assertGreater(len(list(v["disk.mech.cylinder"].tv)), 1000)

    def test_decisions_overlap_with_accesses(self):
        v, _ = self.variables(
            *overrides(
                "engine=firmware drive.controller.firmware_base_cycles=120 "
                "drive.controller.firmware_candidate_cycles=60"
            ),
        )
        states = [(t, int(x)) for t, x in v["disk.controller.state"].tv]
        prepared = v["disk.controller.decision_prepared"].signal
        stall = v["disk.controller.scheduler_stall"].signal
        transfer = 6
        ends = [
            t for (_, before), (t, x) in itertools.pairwise(states) if before == transfer and x > 1
        ]
        waited = [
            t for (_, before), (t, x) in itertools.pairwise(states) if before == transfer and x == 1
        ]
        self.assertGreater(len(ends), 20)
        for time in ends:
            self.assertEqual(int(prepared.value_at(time - 1)), 1)
            self.assertEqual(int(stall.value_at(time)), 0)
        for time in waited:
            self.assertEqual(int(stall.value_at(time)), 1)
        self.assertLess(len(waited), len(ends))

    ARRAY = ("host.kind=array", "array.kind=striped", "array.drives=3", "array.copies=2")

    def test_an_array_has_each_drive_with_its_rtl(self):
        v, _ = self.variables(*overrides(self.ARRAY), "--wave-to", "0.4")
        for drive in range(3):
            self.assertGreater(len(list(v[f"disk{drive}.mech.cylinder"].tv)), 100)
            self.assertGreater(len(list(v[f"disk{drive}.controller.tag"].tv)), 3)
            self.assertGreater(len(list(v[f"disk{drive}_sched.sched_top.u_core.result_tag"].tv)), 3)
            self.assertEqual(v[f"disk{drive}.controller.state"].enum_type[1][3], ("0011", "SEEK"))
        self.assertNotEqual(list(v["disk0.mech.cylinder"].tv), list(v["disk1.mech.cylinder"].tv))

    def test_a_window_that_opens_late_begins_with_what_is(self):
        failure = ("engine=firmware", "failure.fails_at_s=1", "failure.drive=1")
        v, _ = self.variables(
            *overrides((*self.ARRAY, *failure)), "--wave-from", "1.5", "--wave-to", "1.6"
        )
        first = {
            drive: v[f"array.disk{drive}.alive"].signal.value_at(1_500_000_000_000)
            for drive in range(3)
        }
        self.assertEqual([int(alive) for alive in first.values()], [1, 0, 1])
        self.assertGreater(int(v["array.disk1.stale_units"].signal.value_at(1_500_000_000_000)), 0)

    def test_commands_by_tag(self):
        """Each completed request of the log has a tag whose text names it from when the drive took
        it until its end."""
        v, rows = self.variables("--set", "engine=firmware")
        said = {}
        for name, signal in v.items():
            if re.fullmatch(r"disk\.tags\.tag\d+", name):
                changes = [
                    (time, int(value).to_bytes(signal.bitwidth // 8, "big").lstrip(b"\0").decode())
                    for time, value in signal.tv
                ]
                for (begin, command), (end, _) in zip(
                    changes, [*changes[1:], (None, "")], strict=True
                ):
                    if command:
                        said[int(command.split("#")[1])] = (name, begin, end, command)
        rows = [r for r in rows if int(r["completed_ps"]) < 0.99e12]
        self.assertGreater(len(rows), 30)
        for r in rows:
            name, begin, end, command = said[int(r["number"])]
            stream = f" {r['stream']}" if r["class"] == "continuous" else ""
            op = "write" if r["op"] == "W" else "read"
            self.assertEqual(
                command,
                f"{op} {int(r['offset_bytes']) // 512}+{int(r['length_bytes']) // 512} "
                f"{r['class']}{stream} #{r['number']}",
            )
            self.assertEqual((begin, end), (int(r["accepted_ps"]), int(r["completed_ps"])))
            if r["op"] == "R":  # a cached write ends before its access
                stage = v[f"{name}_stage"]
                named = {int(bits, 2): text for bits, text in stage.enum_type[1]}
                self.assertEqual(named[int(stage.signal.value_at(int(r["started_ps"])))], "access")
                self.assertIn(
                    named[int(stage.signal.value_at(end - 1))], ("access", "done", "answered")
                )

    def test_states_have_names(self):
        v, _ = self.variables("--wave-to", "0.2")
        for name in (
            "disk.controller.state",
            "disk.controller.class",
            "disk.engine.state",
            "disk.tags.tag2_stage",
            "sched.sched_top.u_core.u_control.state_name",
            "sched.sched_top.u_core.u_list.state_name",
            "sched.sched_top.u_core.u_list.hop_kind",
        ):
            names = {int(bits, 2) for bits, _ in v[name].enum_type[1]}
            self.assertLessEqual({int(value) for _, value in v[name].tv}, names, name)
            self.assertGreater(
                len({int(value) for _, value in v[name].tv}), 1 if "class" not in name else 0, name
            )
        state = list(v["disk.engine.state"].tv)
        stall = v["disk.controller.scheduler_stall"].signal
        for time, value in state:  # LATE while the actuator waits for the engine
            self.assertEqual(int(value) == 3, int(stall.value_at(time)) == 1, time)

    def test_shipped_views_show_what_happens(self):
        """Each signal is there with its range of bits, by which GTKWave finds it, its values have
        room, and in the part that is seen first something changes below each heading. Views of an
        AHCI adapter: tb/clients/ahci_waves_test.py; of an engine of one's own:
        own_engine_test.py."""
        self.variables("--wave-to", "0.1")
        drive, array = self.folder / "waves.fst", self.folder / "array.fst"
        self.run_good(
            "run",
            SCENARIOS / "mirrored_array.toml",
            *overrides(["sim.warmup_s=0", "sim.measure_s=1", "observe.wave_to_s=0.1"]),
            "--waves",
            array,
        )
        views = {
            "mixed_media": drive,
            "drive": drive,
            "rtl_decision": drive,
            "rtl_pass": drive,
            "array": array,
        }
        shipped = {view.stem for view in (SOURCE / "waves").glob("*.gtkw")}
        self.assertEqual(shipped, set(views) | {"guest", "ahci_port", "own_engine"})
        for name, file in views.items():
            view, waves = (SOURCE / f"waves/{name}.gtkw").read_text(), pywellen.Waveform(str(file))
            self.assertRegex(view, r"^\[\*\] \w.*\.\n")
            self.assert_view_fits(view, waves, at_least=15)
            self.assertEqual(
                gtkwave_views.flat_groups(view, waves),
                NO_LOOK_AHEAD if name == "rtl_decision" else [],
                name,
            )
            self.assertEqual(gtkwave_views.cut_values(view, waves), [], name)
            # It is shipped as it opens with the first decision
            self.assertEqual(gtkwave_views.wave_view.opened(view, waves), view, name)

    def test_a_view_of_a_decision_opens_at_one(self):
        """In any file: here in one of which the limits and the look-ahead are seen,
        and in one that begins late."""
        ahead, late = self.folder / "ahead.fst", self.folder / "waves.fst"
        self.run_good("run", MIXED, *overrides(RTL_VIEWS), "--waves", ahead, "--wave-to", "0.1")
        self.variables("--wave-from", "0.05", "--wave-to", "0.1")
        for name in ("rtl_decision", "rtl_pass"):
            view = (SOURCE / f"waves/{name}.gtkw").read_text()
            for file, absent in (
                (ahead, []),
                (late, NO_LOOK_AHEAD if name == "rtl_decision" else []),
            ):
                waves = pywellen.Waveform(str(file))
                opened = gtkwave_views.wave_view.opened(view, waves)
                self.assertEqual(gtkwave_views.flat_groups(opened, waves), absent, file.name)
                self.assertEqual(gtkwave_views.cut_values(opened, waves), [], file.name)
            self.assertGreater(len(gtkwave_views.flat_groups(view, waves)), 3)
            begin, end = gtkwave_views.wave_view.window(
                gtkwave_views.wave_view.opened(view, pywellen.Waveform(str(ahead)))
            )
            signals = {v.full_name: v for v in pywellen.Waveform(str(ahead)).all_vars()}
            for seen in ("entry_due", "g_lane[0].u_lane.key_o", "candidate", "u_decide.done_o"):
                self.assertGreater(
                    len(
                        [
                            time
                            for time, _ in signals[f"sched.sched_top.u_core.{seen}"].tv
                            if begin < time < end
                        ]
                    ),
                    1,
                    (name, seen),
                )

    def test_the_script_opens_files_of_the_callers_folder(self):
        self.variables("--wave-to", "0.02")
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "gtkwave").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\ncat "$2"\n')
        (tools / "gtkwave").chmod(0o755)

        def waves(*arguments):
            return subprocess.run(
                [SOURCE / "scripts/waves", *arguments],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
                cwd=self.folder,
                env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
            )

        for name in ("drive", "drive.gtkw", "waves/drive.gtkw", SOURCE / "waves/drive.gtkw"):
            done = waves("waves.fst", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(
                done.stdout,
                f"waves.fst\n{SOURCE}/waves/drive.gtkw\n"
                f"{(SOURCE / 'waves/drive.gtkw').read_text()}",
            )
        moved = waves("waves.fst", "rtl_pass").stdout.partition("[*]")
        self.assertEqual(
            moved[1] + moved[2],
            gtkwave_views.wave_view.opened(
                (SOURCE / "waves/rtl_pass.gtkw").read_text(),
                pywellen.Waveform(str(self.folder / "waves.fst")),
            ),
        )
        self.assertFalse(pathlib.Path(moved[0].splitlines()[1]).exists())
        for refused, said in (
            (["none.fst"], "there is no file none.fst"),
            (
                ["waves.fst", "none"],
                "there is no view none; scripts/waves --list shows those that ship",
            ),
        ):
            done = waves(*refused)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)
        self.assertEqual(
            len(waves("--list").stdout.splitlines()), len(list((SOURCE / "waves").glob("*.gtkw")))
        )

    def test_a_run_names_a_view_that_is_there(self):
        for folder in (self.folder, SOURCE):
            done = subprocess.run(
                [
                    PLATTER,
                    "run",
                    MIXED,
                    *overrides(["engine=firmware", "sim.warmup_s=0", "sim.measure_s=0.1"]),
                    "--waves",
                    self.folder / "here.fst",
                ],
                capture_output=True,
                text=True,
                timeout=60,
                check=True,
                cwd=folder,
            )
            view = re.search(r"open with: gtkwave \S+ (\S+)\n", done.stdout)[1]
            self.assertTrue(os.path.samefile(folder / view, SOURCE / "waves/drive.gtkw"))
            self.assertEqual(os.path.isabs(view), folder != SOURCE)


if __name__ == "__main__":
    unittest.main()
