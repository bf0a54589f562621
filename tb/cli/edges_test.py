# SPDX-License-Identifier: Apache-2.0
"""Hostile input, places where nothing can be written, and ends by a signal.
Environment as for cli_test.py."""

import gzip
import json
import os
import pathlib
import resource
import signal
import stat
import subprocess
import threading
import time
import unittest

from cli_test import MIXED, PLATTER, SOURCE, Case, platter

SMALL = """format = 1
policy = "SPTF"
drive = "cheetah9lp"
[workload.discrete]
source = "poisson"
rate_per_s = 60.0
[sim]
measure_s = 1.0
"""
DRIVE = (SOURCE / "tb/fuzz/seeds/drive/small.toml").read_text()


class Edge(Case):
    def setUp(self):
        super().setUp()
        self.scenario = self.write("s.toml", SMALL)

    def names(self):
        return sorted(p.name for p in self.folder.iterdir())

    def run_small(self, *arguments):
        return platter("run", self.scenario, "--quiet", *arguments)

    def refused(self, *arguments):
        """Exit code 2, nothing new in the folder; the message."""
        before = self.names()
        done = self.run_small(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(self.names(), before)
        return done.stderr


class Outputs(Edge):
    OPTIONS = ("--result", "--requests", "--waves")

    def test_a_device_stays_and_a_full_one_is_an_error(self):
        device = self.folder / "full"
        try:
            os.mknod(device, stat.S_IFCHR | 0o666, os.stat("/dev/full").st_rdev)
        except PermissionError:
            device = pathlib.Path("/dev/full")
        for option in self.OPTIONS:
            other = self.folder / "other.json"
            done = self.run_small(
                option, device, *(("--result", other) if option != "--result" else ())
            )
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("No space left on device", done.stderr)
            self.assertTrue(stat.S_ISCHR(device.stat().st_mode))
            self.assertFalse(other.exists(), "all or none")

    def test_a_full_disk_leaves_nothing(self):
        def limited():  # by a signal, unless that is ignored
            resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))

        for option in self.OPTIONS:
            before = self.names()
            done = subprocess.run(
                [
                    PLATTER,
                    "run",
                    self.scenario,
                    "--quiet",
                    "--set",
                    "sim.measure_s=60",
                    option,
                    self.folder / "out",
                ],
                preexec_fn=limited,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            if option != "--result":  # which is shorter
                self.assertEqual(done.returncode, 1, f"{option}: {done.stderr}")
                self.assertRegex(done.stderr, "File too large|could not be written whole")
                self.assertNotIn("uncaught", done.stderr)
                self.assertEqual(self.names(), before, option)

    def test_a_full_file_system_is_the_same_error_everywhere(self):
        """Without room for the contents, or for a file at all (one inode is the root's)."""
        for limits in ("size=16k", "nr_inodes=1", "nr_inodes=2"):
            for option in self.OPTIONS:
                place = self.folder / "small"
                place.mkdir(exist_ok=True)
                deep = place / ("deep/out" if limits == "nr_inodes=2" else "out")
                script = f'mount -t tmpfs -o {limits} tmpfs "$0" || exit 77; shift; exec "$@"'
                done = subprocess.run(
                    [
                        "unshare",
                        "--mount",
                        "sh",
                        "-c",
                        script,
                        place,
                        "",
                        PLATTER,
                        "run",
                        self.scenario,
                        "--quiet",
                        "--set",
                        "sim.measure_s=60",
                        option,
                        deep,
                    ],
                    capture_output=True,
                    text=True,
                    timeout=120,
                    check=False,
                )
                if done.returncode == 77 or "unshare" in done.stderr:
                    self.skipTest(f"no file system of our own can be mounted here: {done.stderr}")
                if (limits, option) == ("size=16k", "--result"):  # there is room for it
                    continue
                self.assertEqual(done.returncode, 1, (limits, option, done.stderr))
                self.assertRegex(done.stderr, "No space left on device|could not be written whole")

    def test_replaced_files_keep_their_mode(self):
        for option in self.OPTIONS:
            for mode in (0o600, 0o664):
                target = self.folder / "out"
                target.write_text("old")
                target.chmod(mode)
                self.assertEqual(self.run_small(option, target).returncode, 0)
                self.assertEqual(stat.S_IMODE(target.stat().st_mode), mode, option)
                target.unlink()

    def test_a_long_unknown_key_is_refused_at_once(self):
        key = "k" * 400_000
        scenario = self.write("long.toml", SMALL + f"{key} = 1\n")
        begin = time.monotonic()
        done = platter("run", scenario, "--quiet")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no such key", done.stderr)
        self.assertLess(len(done.stderr), 2000, "the message is shortened")
        self.assertLess(time.monotonic() - begin, 2)

    def test_pipes_and_links_stay(self):
        for option in self.OPTIONS:
            plain, pipe = self.folder / "plain", self.folder / "pipe"
            self.assertEqual(self.run_small(option, plain).returncode, 0)
            os.mkfifo(pipe)
            read = []
            reader = threading.Thread(
                target=lambda pipe=pipe, read=read: read.append(pipe.read_bytes())
            )
            reader.start()
            done = self.run_small(option, pipe)
            reader.join(60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
            if option != "--result":  # which holds the host's times
                self.assertEqual(read[0], plain.read_bytes())
            link = self.folder / "link"
            link.symlink_to("target")
            self.assertEqual(self.run_small(option, link).returncode, 0)
            self.assertTrue(link.is_symlink())
            self.assertGreater((self.folder / "target").stat().st_size, 0)
            for file in (plain, pipe, link, self.folder / "target"):
                file.unlink()

    def test_runs_with_one_target_leave_a_whole_file(self):
        target = self.folder / "r.json"
        for _ in range(4):
            runs = [
                subprocess.Popen(
                    [
                        PLATTER,
                        "run",
                        self.scenario,
                        "--quiet",
                        "--result",
                        target,
                        "--requests",
                        self.folder / "r.csv",
                        "--set",
                        f"sim.measure_s={5 + i}",
                    ],
                    stderr=subprocess.DEVNULL,
                )
                for i in range(6)
            ]
            self.assertEqual([run.wait(120) for run in runs], [0] * 6)
            json.loads(target.read_text())
            self.assertTrue((self.folder / "r.csv").read_text().endswith("good\n"))
        self.assertEqual(self.names(), ["r.csv", "r.json", "s.toml"])

    def test_an_input_or_another_output_is_refused(self):
        for option in self.OPTIONS:
            self.assertRegex(
                self.refused(option, self.scenario), r"s\.toml: cannot be written: it is an input"
            )
        self.assertEqual(self.scenario.read_text(), SMALL)
        link = self.folder / "link"
        link.symlink_to("s.toml")
        self.assertIn("is an input", self.refused("--result", link))
        for first in self.OPTIONS:
            for second in self.OPTIONS:
                if first < second:
                    self.assertIn(
                        "another output",
                        self.refused(first, self.folder / "a", second, f"{self.folder}/./a"),
                    )
        profile = self.write("d.toml", DRIVE)
        self.assertIn("is an input", self.refused("--set", f"drive={profile}", "--result", profile))
        folder = self.folder / "import"
        folder.mkdir()
        for name in ("small.model", "parts/small.seek"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text((SOURCE / "tb/fuzz/seeds/import" / name).read_text())
            text = (folder / name).read_text()
        for name in ("small.model", "parts/small.seek"):
            done = platter("drive", "import", folder / "small.model", "-o", folder / name)
            self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual((folder / "parts/small.seek").read_text(), text)

    def test_names_that_cannot_be(self):
        loop = self.folder / "loop"
        loop.symlink_to("loop")
        long = self.folder / ("x" * 300)
        for name in (loop, long):
            for option in self.OPTIONS:
                self.assertIn("cannot be written", self.refused(option, name))
            for command in (
                ("run", name),
                ("config", "check", name),
                ("drive", "show", name),
                ("drive", "show", f"{name}.toml"),
                ("trace", "info", name),
                ("drive", "import", name),
                ("validate", name),
                ("run", self.scenario, "--set", f"workload.discrete.trace={name}"),
                ("run", self.scenario, "--set", f"drive={name}"),
            ):
                done = platter(*command)
                self.assertEqual(done.returncode, 2, f"{command}: {done.stderr}")
                self.assertIn(str(name), done.stderr)
        self.assertEqual(self.run_small("--result", self.folder / ("x" * 255)).returncode, 0)

    def test_a_folder_that_is_not_there_is_no_file(self):
        for option in self.OPTIONS:
            other = ("--requests", self.folder / "o.csv") if option != "--requests" else ()
            self.assertIn("it is a folder", self.refused(option, f"{self.folder}/new/", *other))

    def test_two_outputs_do_not_share_a_pipe(self):
        os.mkfifo(self.folder / "pipe")
        reader = threading.Thread(target=lambda: (self.folder / "pipe").read_bytes(), daemon=True)
        reader.start()
        self.assertIn(
            "another output",
            self.refused("--result", self.folder / "pipe", "--requests", self.folder / "pipe"),
        )
        reader.join(10)

    def test_a_closed_standard_output_gets_into_no_file(self):
        folder = self.folder / "many"
        folder.mkdir()
        for i in range(40):  # a table of more than what is buffered
            (folder / f"{i:02}.trace").write_text(MeasuredTraces.GOOD * 4)
        result = self.folder / "v.json"
        command = [
            PLATTER,
            "validate",
            folder,
            "--profile",
            self.write("d.toml", DRIVE),
            "--result",
            result,
        ]
        done = subprocess.run(
            command,
            preexec_fn=lambda: os.close(1),
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertFalse(result.exists())
        done = subprocess.run(
            [*command, "--quiet"],
            preexec_fn=lambda: os.close(1),
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(json.loads(result.read_text())["drives"]), 40)

    def test_a_full_standard_output_is_an_error(self):
        for command in (
            ("run", self.scenario),
            ("--help",),
            ("list", "drives"),
            ("config", "reference"),
            ("drive", "show", "elite3"),
        ):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [PLATTER, *command],
                    stdout=full,
                    stderr=subprocess.PIPE,
                    text=True,
                    timeout=60,
                    check=False,
                )
            self.assertEqual(done.returncode, 1, command)
            self.assertRegex(done.stderr, "(?i)output|write|space")

    def test_same_seed_same_waves(self):
        files = [self.folder / "a.fst", self.folder / "b.fst"]
        for file in files:
            self.assertEqual(
                platter(
                    "run",
                    MIXED,
                    "--quiet",
                    "--set",
                    "sim.measure_s=0.5",
                    "--set",
                    "sim.warmup_s=0",
                    "--waves",
                    file,
                ).returncode,
                0,
            )
            time.sleep(1.1)
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())


class Inputs(Edge):
    def test_a_scenario_through_a_pipe(self):
        for name in ("/dev/stdin", "/dev/fd/0"):
            done = subprocess.run(
                [PLATTER, "config", "check", name],
                input=SMALL,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
        wrong = subprocess.run(
            [PLATTER, "config", "check", "/dev/stdin"],
            input=SMALL + "x = 1\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertRegex(wrong.stderr, r"/dev/stdin:9:5: sim\.x")

    def test_override_of_more_than_a_line(self):
        self.assertRegex(
            self.refused("--set", 'policy="FCFS"\nsim.seed=1'), "--set policy.*one KEY=VALUE"
        )
        self.assertEqual(
            self.run_small("--set", "drive.seek.points_us=[[1, 500.0],\n[100, 2000.0]]").returncode,
            0,
            "an array over two lines is one value",
        )

    def test_integers_that_a_real_does_not_hold(self):
        for key, value in (
            ("drive.seek.a_us", "9007199254740993"),
            ("drive.seek.c_us", "-9223372036854775808"),
            ("drive.seek.points_us", "[[1, 9007199254740993], [2, 5]]"),
            ("sim.measure_s", "9223372036854775807"),
        ):
            self.assertRegex(self.refused("--set", f"{key}={value}"), rf"{key}: found")
        file = self.write(
            "t.toml", SMALL.replace("rate_per_s = 60.0", "rate_per_s = 9007199254740993")
        )
        done = platter("run", file)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(
            done.stderr, r"t\.toml:6:14: workload\.discrete\.rate_per_s: found 9007199254740993"
        )

    def test_times_that_do_not_fit(self):
        for key, value in (
            ("workload.discrete.rate_per_s", "1e-7"),
            ("workload.discrete.rate_per_s", "5e-324"),
            ("workload.discrete.trace_speed", "1e-9"),
            ("drive.controller.firmware_order_cycles", "4294967295"),
            ("sim.measure_s", "nan"),
            ("sim.measure_s", "inf"),
            ("observe.wave_to_s", "-1"),
        ):
            self.assertRegex(self.refused("--set", f"{key}={value}"), rf"{key}: found")
        profile = self.write(
            "slow.toml",
            DRIVE.replace("rpm = 6000", "rpm = 100")
            .replace("cylinders = 100", "cylinders = 262144")
            .replace("last_cylinder = 99", "last_cylinder = 262143")
            .replace("surfaces = 2", "surfaces = 64")
            .replace("head_offsets_turns = [0.0, 0.25]", "")
            .replace("sectors_per_track = 90", "sectors_per_track = 8")
            .replace("[99, 8000.0]", "[300000, 8000.0]")
            .replace("slips = [17, 300]", "slips = []")
            .replace("remaps = [[5, 239]]", ""),
        )
        self.assertRegex(self.refused("--set", f"drive={profile}"), r"longest request")
        qos = SOURCE / "docs/papers/autoqos/figure4.toml"
        text = qos.read_text()
        low = self.write(
            "q.toml",
            SMALL.split("[workload")[0]
            + 'host.kind = "autoqos"\n[application]\ncommand_bytes = 16777216\n'
            'commands_per_period = 10000\n[[stream]]\nname = "a"\n'
            "rate_bytes_per_s = 1\n[files]\nbytes = 16777216\n",
        )
        done = platter("run", low)
        self.assertEqual(done.returncode, 2, text)
        self.assertRegex(done.stderr, "rate_bytes_per_s of .*period")
        mixed = SOURCE / "docs/papers/integrated-servers/server.toml"
        self.assertRegex(
            self.refused_by(("run",), mixed, "text.interval_s=1e6", "text.clients=1"),
            r"text\.interval_s: found",
        )
        self.assertRegex(
            self.refused_by(("run",), mixed, "video.bits_per_s=[1e300, 1, 1, 1]"),
            r"video\.bits_per_s: found",
        )

    def test_a_trace_that_is_too_slow_names_key_and_line(self):
        trace = self.write("t.trace", "0.0 0 8 8 1\n100000000.0 0 16 8 1\n")
        message = self.refused(
            "--set",
            f"workload.discrete.trace={trace}",
            "--set",
            'workload.discrete.source="trace"',
            "--set",
            "workload.discrete.trace_speed=1e-6",
        )
        self.assertRegex(message, r"t\.trace:2: .*workload\.discrete\.trace_speed")

    def test_waves_window(self):
        for arguments in (
            ("--wave-from", "5", "--wave-to", "1"),
            ("--wave-from", "nan"),
            ("--wave-to", "nan"),
            ("--wave-to", "inf"),
            ("--wave-from", "-1"),
            ("--wave-to", "1e7"),
            ("--wave-from", "soon"),
        ):
            self.assertIn(
                "observe.wave_", self.refused("--waves", self.folder / "w.fst", *arguments)
            )

    def test_seek_models_without_times(self):
        for model in ("three-point", "sqrt-linear"):
            self.assertRegex(
                self.refused("--set", f"drive.seek.model={model}"), r"drive\.seek: .*time"
            )

    def test_remaps_that_overlap(self):
        for remaps in ("[[5, 239], [6, 239]]", "[[5, 239], [5, 238]]", "[[5, 30]]"):
            profile = self.write("d.toml", DRIVE.replace("[[5, 239]]", remaps))
            done = platter("drive", "show", profile)
            self.assertEqual(done.returncode, 2, remaps)
            self.assertRegex(done.stderr, r"d\.toml: geometry: zone 0: sector")

    def test_options_without_a_sign(self):
        for arguments in (
            ("bench", "--seed", "-1"),
            ("bench", "--requests", "-1"),
            ("bench", "--requests", "1e30"),
            ("validate", self.folder, "--jobs", "-1"),
        ):
            done = platter(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(arguments[-2], done.stderr)

    def test_keys_without_end(self):
        for text in (
            SMALL + "a." * 100_000 + "b = 1\n",
            SMALL + "[" + "a." * 100_000 + "b]\n",
            SMALL + "a . " * 300 + "b = 1\n",
        ):
            file = self.write("deep.toml", text)
            for command in (("config", "check"), ("run",), ("drive", "show")):
                done = platter(*command, file)
                self.assertEqual(done.returncode, 2, f"{command}: {done.returncode}")
                self.assertRegex(done.stderr, r"deep\.toml:9:1: found a key of more than 256 parts")

    def test_writes_that_have_no_segment(self):
        for settings in (
            ("drive.cache.write_segments=0", "drive.cache.separate_write_segments=true"),
            ("drive.cache.segments=1", "drive.cache.separate_write_segments=true"),
        ):
            for command in ("check", "run"):
                done = platter(
                    *(("config", "check") if command == "check" else ("run",)),
                    self.scenario,
                    *(word for setting in settings for word in ("--set", setting)),
                )
                self.assertEqual(done.returncode, 2, f"{command} {settings}: {done.stderr}")
                self.assertIn("drive.cache.write_segments", done.stderr)

    def test_block_numbers_that_cannot_be_read(self):
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            done = subprocess.run(
                [PLATTER, "drive", "locate", "atlas10k"],
                stdin=descriptor,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        finally:
            os.close(descriptor)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard input: cannot be read", done.stderr)

    def test_blank_lines_take_no_memory(self):
        file = self.folder / "blank.trace"
        with gzip.open(file, "wb") as out:
            for _ in range(30):
                out.write(b"\n" * 1_000_000)
        process = subprocess.Popen(
            [PLATTER, "trace", "info", file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(os.waitstatus_to_exitcode(status), 2)
        self.assertLess(usage.ru_maxrss, 300_000)

    def test_a_name_that_is_not_utf_8_in_the_result(self):
        folder = os.fsencode(self.folder) + b"/\xff"
        os.mkdir(folder)
        with open(folder + b"/s.toml", "w", encoding="utf-8") as out:
            out.write(SMALL)
        out = self.folder / "r.json"
        done = subprocess.run(
            [
                PLATTER,
                "run",
                folder + b"/s.toml",
                "--quiet",
                "--set",
                b"drive.name=\xff",
                "--result",
                out,
            ],
            capture_output=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        json.loads(out.read_text())


class MeasuredTraces(Edge):
    GOOD = "R Hit 0 8 5000.0 1000.0\n"

    def validate(self, text, profile=DRIVE):
        folder = self.folder / "drive"
        folder.mkdir(exist_ok=True)
        (folder / "d.trace").write_bytes(text if isinstance(text, bytes) else text.encode())
        return platter(
            "validate",
            folder,
            "--profile",
            self.write("d.toml", profile),
            "--result",
            self.folder / "r.json",
        )

    def test_what_cannot_be_is_refused_with_its_line(self):
        self.assertEqual(self.validate(self.GOOD).returncode, 0)
        (self.folder / "r.json").unlink()
        for text in (
            "R Hit 18446744073709551615 8 5000.0 1000.0\n",
            "R Hit 18446744073709551610 8 5000.0 1000.0\n",
            "R Hit 1000000 8 5000.0 1000.0\n",
            "R Hit 0 8 5000.0 9000000000000.0\n",
            "R Hit 0 8 0.0 1000.0\n",
            "W Hit 0 8 0 0\n",
            "R Hit 0 8 9223372036854.0 0\n",
            b"R\xff Hit 0 8 5000.0 1000.0\n",
            b"R Hit \xff 8 5000.0 1000.0\n",
            b"R Hit 0 8 5000.0 \xc3\n",
        ):
            both = self.GOOD.encode() + (text if isinstance(text, bytes) else text.encode())
            done = self.validate(both)
            self.assertEqual(done.returncode, 2, f"{text}: {done.stdout}{done.stderr}")
            self.assertRegex(done.stderr, r"d\.trace:2(:\d+)?: ")
            self.assertFalse((self.folder / "r.json").exists())

    def test_pauses_that_add_up_to_too_much(self):
        done = self.validate("R Hit 0 8 5000.0 4000000000000.0\n" * 3)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"d\.trace:2:\d+: ")

    def test_half_of_one_request(self):
        for half, code in (("first", 2), ("second", 0), ("all", 0)):
            folder = self.folder / "drive"
            folder.mkdir(exist_ok=True)
            (folder / "d.trace").write_text(self.GOOD)
            done = platter(
                "validate", folder, "--profile", self.write("d.toml", DRIVE), "--half", half
            )
            self.assertEqual(done.returncode, code, done.stderr)

    def test_plots_are_there_when_all_is(self):
        folder = self.folder / "drives"
        folder.mkdir()
        for name in ("a", "b", "c"):
            (folder / f"{name}.trace").write_text(self.GOOD * (3 if name == "b" else 2000))
        command = (
            "validate",
            folder,
            "--profile",
            self.write("d.toml", DRIVE),
            "--jobs",
            "1",
            "--plots",
            self.folder / "new" / "plots",
        )
        before = self.names()
        (folder / "b.trace").write_text(self.GOOD + "garbage\n")
        self.assertEqual(platter(*command).returncode, 2)
        self.assertEqual(self.names(), before)
        (folder / "b.trace").write_text(self.GOOD)
        self.assertEqual(platter(*command, "--result", "/dev/full").returncode, 1)
        self.assertEqual(self.names(), before)
        self.assertEqual(platter(*command).returncode, 0)
        plots = sorted(p.name for p in self.folder.glob("new/**/*.svg"))
        self.assertEqual(plots, ["a.svg", "b.svg", "c.svg"])

    def test_sectors_that_are_not_the_traces_blocks(self):
        done = self.validate(
            self.GOOD, DRIVE.replace("surfaces = 2", "surfaces = 2\nsector_bytes = 4096")
        )
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"d\.trace:1: .*512.*4096")


class Signals(Edge):
    """SIGINT and SIGTERM: no partial file, no child, exit code 128 + signal."""

    def children(self, pid):
        return (
            (pathlib.Path("/proc") / str(pid) / "task" / str(pid) / "children").read_text().split()
        )

    def ended_by(self, number, command, ready):
        process = subprocess.Popen(
            [PLATTER, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            end = time.monotonic() + 60
            while not ready(process) and time.monotonic() < end:
                self.assertIsNone(process.poll(), "it ended by itself")
                time.sleep(0.02)
            children = self.children(process.pid)
            process.send_signal(number)
            self.assertEqual(process.wait(20), 128 + number)
        finally:
            process.kill()
            process.wait()
        return children

    def assert_gone(self, children):
        for child in children:
            end = time.monotonic() + 10
            while pathlib.Path("/proc", child).exists() and time.monotonic() < end:
                time.sleep(0.02)
            self.assertFalse(pathlib.Path("/proc", child).exists())

    def test_run_leaves_no_partial_file(self):
        before = self.names()
        for number in (
            signal.SIGINT,
            signal.SIGTERM,
            signal.SIGHUP,
            signal.SIGQUIT,
            signal.SIGXCPU,
        ):
            out = self.folder / "deep" / "er"
            command = (
                "run",
                MIXED,
                "--quiet",
                "--set",
                "sim.measure_s=100000",
                "--result",
                out / "r.json",
                "--requests",
                out / "r.csv",
                "--waves",
                out / "w.fst",
                "--wave-to",
                "100000",
            )
            self.ended_by(
                number,
                command,
                lambda process, out=out: out.exists() and len(list(out.iterdir())) >= 3,
            )
            self.assertEqual(self.names(), before, f"after {number}")

    def test_folders_in_folders_go(self):
        before = self.names()
        out = self.folder / "one"
        command = (
            "run",
            MIXED,
            "--quiet",
            "--set",
            "sim.measure_s=100000",
            "--result",
            out / "r.json",
            "--requests",
            out / "two" / "r.csv",
        )
        self.ended_by(
            signal.SIGTERM,
            command,
            lambda process: (out / "two").exists() and len(list(out.rglob(".*"))) >= 2,
        )
        self.assertEqual(self.names(), before)

    def test_bench_and_validate_end_their_children(self):
        folder = self.folder / "drive"
        folder.mkdir()
        (folder / "d.trace").write_text(MeasuredTraces.GOOD * 2_000_000)
        profile = self.write("d.toml", DRIVE)
        commands = (
            ("bench", "--requests", "1000000000", "--result", self.folder / "b.json"),
            (
                "validate",
                folder,
                "--profile",
                profile,
                "--result",
                self.folder / "v.json",
                "--plots",
                self.folder / "plots",
            ),
        )
        for command in commands:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                if number == signal.SIGKILL:
                    process = subprocess.Popen(
                        [PLATTER, *map(str, command)],
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                    )
                    while not (children := self.children(process.pid)):
                        time.sleep(0.02)
                    time.sleep(0.2)
                    process.kill()
                    process.wait()
                    self.assert_gone(children)
                    continue
                before = self.names()
                children = self.ended_by(
                    number, command, lambda process: self.children(process.pid)
                )
                self.assertTrue(children)
                self.assert_gone(children)
                self.assertEqual(self.names(), before)

    def test_a_closed_pipe_leaves_no_partial_file(self):
        before = self.names()
        process = subprocess.Popen(
            [PLATTER, "run", self.scenario, "--result", self.folder / "r.json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        process.stdout.close()
        self.assertIn(process.wait(60), (1, 128 + signal.SIGPIPE))
        self.assertEqual([n for n in self.names() if n not in before and n != "r.json"], [])


class Scripts(Case):
    """scripts/build and scripts/lint in a tree of their own,
    with stand-ins for the tools that they call."""

    def setUp(self):
        super().setUp()
        self.tree = self.folder / "tree"
        for name in ("build", "lint"):
            self.script(f"scripts/{name}", (SOURCE / "scripts" / name).read_text())
        self.environment = {
            **os.environ,
            "PATH": f"{self.tree / 'bin'}:{os.environ['PATH']}",
            "GIT_CEILING_DIRECTORIES": str(self.folder),
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org",
        }

    def script(self, name, text):
        file = self.tree / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def call(self, *command):
        return subprocess.run(
            command,
            cwd=self.tree,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def test_a_long_build_says_where_it_is(self):
        self.script(
            "bin/cmake",
            "#!/bin/sh\necho '[1/3] one'\nsleep 11\necho '[2/3] two'\necho '[3/3] three'\n"
            "exit ${FAILS:-0}\n",
        )
        (self.tree / "build/release").mkdir(parents=True)
        (self.tree / "build/release/build.ninja").touch()
        done = self.call("scripts/build", "release")
        self.assertEqual((done.returncode, done.stdout), (0, "build: release [2/3]\n"), done.stderr)
        self.environment["FAILS"] = "3"
        done = self.call("scripts/build", "release")
        self.assertEqual(done.returncode, 1)
        self.assertIn("[3/3] three", done.stderr)

    def commit(self, *names):
        for name in names:
            file = self.tree / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a") as out:
                out.write("// a line\n")
        self.assertEqual(self.call("git", "add", "-A").returncode, 0)
        self.assertEqual(self.call("git", "commit", "-qm", "change").returncode, 0)

    def test_lint_of_recent_changes(self):
        for name in ("setup", "build"):
            self.script(f"scripts/{name}", "#!/bin/sh\n")
        self.script(
            "build/venv/bin/clang-tidy",
            "#!/bin/sh\nfor word; do\n  case $word in *.cpp) echo tidy $word ;; esac\n"
            "  case $word in *bad*) bad=1 ;; esac\ndone\nexit ${bad:-0}\n",
        )
        self.script(
            "build/venv/bin/clang-format",
            "#!/bin/sh\nfor word; do\n  case $word in *ugly*) exit 1 ;; esac\ndone\n",
        )
        done = self.call("scripts/lint", "--recent")
        self.assertEqual(done.returncode, 77, "no repository: " + done.stdout + done.stderr)
        self.assertEqual(self.call("git", "init", "-q").returncode, 0)
        self.commit("models/old.cpp", "tb/test.h")
        for i in range(19):
            self.commit("README", *(("models/first.cpp", "models/gone.cpp") if i == 0 else ()))
        (self.tree / "models/gone.cpp").unlink()
        self.commit("models/second.cpp", "models/second.h", "models/alone.h")
        done = self.call("scripts/lint", "--recent")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(
            [line for line in done.stdout.splitlines() if line.startswith("tidy")],
            ["tidy models/second.cpp", "tidy models/first.cpp"],
        )
        self.assertIn("lint: 2 files", done.stdout)
        self.assertIn("lint: clean", done.stdout)
        self.commit("models/bad.cpp")
        self.assertEqual(self.call("scripts/lint", "--recent").returncode, 1)
        self.commit(*(f"models/more{i}.cpp" for i in range(10)))
        done = self.call("scripts/lint", "--recent")
        self.assertEqual(done.returncode, 0, "the four that were touched last")
        self.assertIn("lint: 4 files", done.stdout)
        self.commit("tb/ugly.h")
        self.assertEqual(
            self.call("scripts/lint", "--recent").returncode, 1, "every file has the format"
        )
        self.assertEqual(self.call("scripts/lint", "--recently").returncode, 2)


if __name__ == "__main__":
    unittest.main()
