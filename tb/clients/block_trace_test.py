# SPDX-License-Identifier: Apache-2.0
"""Block traces of a run, read by blkparse, btt, iowatcher and fio.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
SCENARIO = SOURCE / "models/configs/scenarios/mixed_media.toml"


class BlockTrace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="platter-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.call(
            os.environ["PLATTER"],
            "run",
            SCENARIO,
            "--quiet",
            "--set",
            "engine=firmware",
            "--set",
            "sim.warmup_s=0",
            "--set",
            "sim.measure_s=30",
            "--result",
            "result.json",
            "--blktrace",
            "sda.blktrace.0",
        )
        self.classes = json.loads((self.folder / "result.json").read_text())["classes"]

    def call(self, *command):
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def completed(self):
        return sum(of["completed"] for of in self.classes.values())

    def test_blkparse_and_btt_take_it(self):
        text = self.call("blkparse", "-i", "sda", "-d", "merged.bin")
        lines = [line.split() for line in text.splitlines() if re.match(r"\s*8,0 ", line)]
        self.assertEqual(len([line for line in lines if line[5] == "C"]), self.completed())
        self.assertEqual({line[5] for line in lines}, set("QGIDC"))
        self.assertNotIn("skipped", text.replace("Skips: 0", ""))
        reads = sum(of["reads"]["completed"] for of in self.classes.values())
        self.assertRegex(text, rf"Reads Completed:\s+{reads},")
        said = self.call("btt", "-i", "merged.bin")
        mean_s, count = re.search(r"^Q2C\s+\S+\s+(\S+)\s+\S+\s+(\d+)", said, re.M).groups()
        self.assertEqual(int(count), self.completed())
        mean_ms = (
            sum(of["response_ms"]["mean"] * of["completed"] for of in self.classes.values())
            / self.completed()
        )
        self.assertAlmostEqual(float(mean_s) * 1e3, mean_ms, delta=0.001)

    def test_iowatcher_draws_it(self):
        self.call("iowatcher", "-t", "sda.blktrace.0", "-o", "seeks.svg")
        self.assertGreater((self.folder / "seeks.svg").stat().st_size, 10_000)

    def test_fio_replays_it(self):
        self.call("blkparse", "-q", "-i", "sda", "-d", "merged.bin", "-O")
        with open(self.folder / "disk", "wb") as disk:
            disk.truncate(10 << 30)
        said = self.call(
            "fio",
            "--name=replay",
            "--read_iolog=merged.bin",
            "--replay_redirect=disk",
            "--replay_no_stall=1",
            "--ioengine=null",
            "--thread",
            "--output-format=json",
        )
        job = json.loads(said[said.index("{") :])["jobs"][0]
        self.assertEqual(job["read"]["total_ios"] + job["write"]["total_ios"], self.completed())


if __name__ == "__main__":
    unittest.main()
