# SPDX-License-Identifier: Apache-2.0
"""The RTL of any size: compiled once, kept, shared, made again when damaged, refused with a reason.
Environment as for cli_test.py."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import pywellen
from cli_test import MIXED, PLATTER, Case, platter

# The smallest that is quick to compile.
SIZE = (
    "accelerator.entries=8",
    "accelerator.lanes=2",
    "accelerator.features=[]",
    "accelerator.order_m=0",
    "accelerator.angle_bits=14",
    "accelerator.cylinder_bits=21",
    "drive.queue.depth=8",
    "sim.warmup_s=0",
    "sim.measure_s=2",
)
WHAT = "platter: the RTL of 8 entries x 2 lanes: "


class Sizes(Case):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"

    def command(self, engine="lockstep", *arguments, program=PLATTER):
        return [
            str(program),
            "run",
            str(MIXED),
            "--quiet",
            *(f"--set={key}" for key in (f"engine={engine}", *SIZE)),
            *map(str, arguments),
        ]

    def environment(self, **settings):
        return {**os.environ, "PLATTER_RTL_CACHE": str(self.cache), **settings}

    def run_it(self, *arguments, program=PLATTER, **settings):
        return subprocess.run(
            self.command(*arguments, program=program),
            env=self.environment(**settings),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def entries(self):
        return sorted(path for path in self.cache.iterdir() if path.is_dir())

    def test_a_size_is_compiled_once_and_shared_and_made_again_when_damaged(self):
        first = self.run_it()
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertRegex(
            first.stderr, re.escape(WHAT) + r"is made once, in about \d+ s, and kept in "
        )
        self.assertIn("Verilator has ended after", first.stderr)
        self.assertIn("compiled after", first.stderr)
        (entry,) = self.entries()
        self.assertEqual(
            entry.name.rsplit("-", 1)[0],
            "8x2-order0-angle14-cylinder21-segments5.10-features0-checked",
        )
        self.assertEqual(sorted(path.name for path in entry.iterdir()), ["complete", "sched.so"])

        second = self.run_it("lockstep", "--result", self.folder / "second.json")
        self.assertEqual((second.returncode, second.stderr), (0, ""))

        self.runs_a_drive_of_more_cylinders_than_the_default_size()
        self.assertEqual(self.entries(), [entry])

        # A damaged entry, the rest of one that was not finished, and three runs at once
        kept = (entry / "sched.so").read_bytes()
        (entry / "sched.so").write_bytes(kept[: len(kept) // 2])
        rest = pathlib.Path(f"{entry}.part")
        rest.mkdir()
        (rest / "sched.so").write_bytes(b"half")
        runs = [
            subprocess.Popen(
                self.command("lockstep", "--result", self.folder / f"{number}.json"),
                env=self.environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for number in range(3)
        ]
        told = [run.communicate(timeout=300)[1] for run in runs]
        self.assertEqual([run.returncode for run in runs], [0, 0, 0], told)
        self.assertEqual(sum("is made once" in text for text in told), 1, told)
        self.assertEqual(sum("its entry in the cache is damaged" in text for text in told), 1, told)
        self.assertEqual(
            sum(bool(re.search(r"waiting for process \d+, which makes it", text)) for text in told),
            2,
            told,
        )
        self.assertEqual(self.entries(), [entry])
        for number in range(3):
            result, expected = (
                self.without_host(self.folder / f"{name}.json") for name in (number, "second")
            )
            self.assertEqual(result, expected)

        # What was made can be used where nothing can be written.
        if os.geteuid() != 0:
            self.cache.chmod(0o555)
            self.assertEqual(self.run_it().returncode, 0)
            self.cache.chmod(0o755)
        entry.joinpath("complete").unlink()
        self.assert_told(
            self.run_it(PLATTER_VERILATOR="/nowhere/verilator"), "its entry in the cache is damaged"
        )

    def runs_a_drive_of_more_cylinders_than_the_default_size(self):
        """The main job on the drive of 22 TB, whose cylinder numbers have 20 bits."""
        file = self.folder / "large.json"
        done = subprocess.run(
            [
                *(str(PLATTER), "run", str(MIXED), "--quiet", "--set=drive=wd22tb"),
                *(f"--set={key}" for key in ("engine=lockstep", *SIZE, "sim.measure_s=30")),
                *("--result", str(file)),
            ],
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads(file.read_text())
        drive = result["configuration"]["drive"]
        self.assertGreater(drive["geometry"]["cylinders"], 1 << 18)
        scheduler = result["scheduler"]
        self.assertEqual(scheduler["mismatches"], 0)
        self.assertGreater(scheduler["operations_compared"], 1000)
        self.assertEqual(result["hiccups"], 0)

    def without_host(self, file):
        result = json.loads(file.read_text())
        result.pop("host", None)
        return result

    def assert_told(self, done, *texts):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertEqual(list(self.cache.glob("*.part")) if self.cache.is_dir() else [], [])

    def test_waves_have_the_signals_of_that_size(self):
        waves = self.folder / "w.fst"
        done = self.run_it("rtl", "--waves", waves)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {v.full_name for v in pywellen.Waveform(str(waves)).all_vars()}
        lanes = {
            match[1]
            for name in names
            if (match := re.search(r"^sched\.sched_top\.u_core\.g_lane\[(\d+)\]", name))
        }
        self.assertEqual(lanes, {"0", "1"})
        self.assertTrue(any(name.startswith("disk.") for name in names))

    def test_another_source_is_another_entry(self):
        # As an installed program, which takes the sources beside it.
        program = self.folder / "bin/platter"
        program.parent.mkdir()
        shutil.copy(PLATTER, program)
        build = pathlib.Path(PLATTER).resolve().parent.parent
        sources = self.folder / "share/platter/rtl_sources"
        shutil.copytree(build / "rtl_sources", sources)

        def entry():
            done = self.run_it(program=program, PLATTER_VERILATOR="/nowhere/verilator")
            self.assertEqual(done.returncode, 1, done.stderr)
            return re.search(r"kept in (\S+)", done.stderr)[1]

        before = entry()
        self.assertEqual(entry(), before)
        for file in ("plain/sched_list.sv", "both_edges/sched_list.sv"):
            if (sources / file).exists():
                with (sources / file).open("a") as text:
                    text.write("// another\n")
        after = entry()
        self.assertNotEqual(after, before)
        self.assertEqual(after.rsplit("-", 1)[0], before.rsplit("-", 1)[0])

        # An installed program keeps what it makes in the user's folder.
        without = {"PLATTER_RTL_CACHE": "", "PLATTER_VERILATOR": "/nowhere/verilator"}
        done = self.run_it(program=program, XDG_CACHE_HOME=str(self.folder / "caches"), **without)
        self.assertIn(f"kept in {self.folder}/caches/platter/8x2-", done.stderr)
        done = self.run_it(
            program=program, XDG_CACHE_HOME="", HOME=str(self.folder / "home"), **without
        )
        self.assertIn(f"kept in {self.folder}/home/.cache/platter/8x2-", done.stderr)
        done = self.run_it(program=program, XDG_CACHE_HOME="", HOME="", **without)
        self.assert_told(
            done,
            "there is no folder for the RTL of 8 entries x 2 lanes; set PLATTER_RTL_CACHE to one "
            "that can be written",
        )

    def test_what_is_missing_is_named(self):
        self.assert_told(
            self.run_it(PLATTER_VERILATOR="/nowhere/verilator"),
            "was not found, which this size of the RTL needs; PLATTER_VERILATOR "
            "(/nowhere/verilator): does not run",
            "or use engine model",
        )
        self.assert_told(
            self.run_it(PLATTER_VERILATOR="/bin/true"),
            "PLATTER_VERILATOR (/bin/true): Verilator of unknown version",
        )
        self.assert_told(
            self.run_it(CXX="/nowhere/c++"),
            "a C++ compiler was not found, which this size of the RTL needs (tried /nowhere/c++)",
        )
        self.assert_told(
            self.run_it(CXX="/bin/false"), "the compiler failed on this size of the RTL:"
        )
        blocked = self.folder / "file"
        blocked.write_text("")
        self.assert_told(
            self.run_it(PLATTER_RTL_CACHE=str(blocked / "cache")),
            f"the RTL of 8 entries x 2 lanes cannot be kept in {blocked}/cache: "
            "Not a directory; set PLATTER_RTL_CACHE to a folder that can be written",
        )

    def test_sizes_that_no_rtl_has_are_refused_where_they_stand(self):
        for lines, told in (
            (["lanes = 3"], r"s\.toml:6:9: accelerator\.lanes: found 3, expected 1, 2, 4, 8 or 16"),
            (
                ["entries = 34"],
                r"s\.toml:6:11: accelerator\.entries: found 34, expected a multiple of the 4 lanes "
                r"from 4 to 256, or 0",
            ),
            (
                ["order_m = 1"],
                r"s\.toml:6:11: accelerator\.order_m: found 1, expected 0 \(no orderer\) or 2 "
                r"to 12",
            ),
            (
                ["cylinder_bits = 7"],
                r"s\.toml:6:17: accelerator\.cylinder_bits: found 7, expected 8 to 21, or 0",
            ),
            (["cylinder_bits = 22"], r"s\.toml:6:17: accelerator\.cylinder_bits: found 22"),
            (
                ["cylinder_bits = 12"],
                r"s\.toml:6:17: accelerator\.cylinder_bits: found 12, expected at "
                r"least 13 for the drive's 6962 cylinders, or 0",
            ),
        ):
            for engine in ("lockstep", "rtl", "model"):
                with self.subTest(lines=lines, engine=engine):
                    scenario = self.write(
                        "s.toml",
                        "\n".join(
                            (
                                "format = 1",
                                f'engine = "{engine}"',
                                'policy = "SPTF"',
                                'drive = "cheetah9lp"',
                                "[accelerator]",
                                *lines,
                            )
                        )
                        + "\n",
                    )
                    done = platter("run", scenario)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertRegex(done.stderr, told)


if __name__ == "__main__":
    unittest.main()
