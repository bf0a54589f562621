# SPDX-License-Identifier: Apache-2.0
"""Drives with two actuators, in whole runs.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import csv
import json
import unittest

import pywellen
from cli_test import SOURCE, Case, overrides, platter

TWO = SOURCE / "models/configs/scenarios/two_actuators.toml"
SHORT = ("sim.warmup_s=0", "sim.measure_s=1")


class Outputs(Case):
    def test_each_actuator_has_its_signals_its_process_and_its_statistics(self):
        files = {kind: self.folder / kind for kind in ("waves", "timeline", "requests", "result")}
        self.run_good(
            "run",
            TWO,
            *overrides(SHORT),
            "--quiet",
            *(word for kind, file in files.items() for word in (f"--{kind}", file)),
        )
        changes = {
            v.full_name: len(list(v.tv))
            for v in pywellen.Waveform(str(files["waves"])).all_vars()
            if v.full_name.endswith("mech.cylinder")
        }
        self.assertEqual(set(changes), {"disk.mech.cylinder", "disk_1.mech.cylinder"})
        for name, count in changes.items():
            self.assertGreater(count, 100, name)
        events = json.loads(files["timeline"].read_text())["traceEvents"]
        names = {e["args"]["name"]: e["pid"] for e in events if e["name"] == "process_name"}
        self.assertEqual(set(names), {"host", "disk", "disk_1"})
        result = json.loads(files["result"].read_text())
        half = result["configuration"]["drive"]["geometry"]["blocks"] // 2
        with files["requests"].open() as file:
            log = list(csv.DictReader(file))
        ended = [0, 0]
        for row in log:
            ended[int(row["offset_bytes"]) // 512 >= half] += 1
        for number, name in enumerate(("disk", "disk_1")):
            accesses = sum(
                e.get("pid") == names[name] and e["name"].startswith("tag ") and e.get("tid") == 2
                for e in events
            )
            self.assertGreater(accesses, 50)
            # Those that run at the end have not ended.
            self.assertAlmostEqual(result["actuators"]["accesses"][number], ended[number], delta=1)
            self.assertGreater(result["actuators"]["utilisation"][number], 0.99)

    def test_a_media_server_counts_both(self):
        server = SOURCE / "docs/papers/replicated-striping/server.toml"
        one_disk = ("drive.actuators.count=2", "server.disks=1", "replication.placement=none")
        settings = ("reservation.scheme=primary", "streams.rounds=100", "sim.warmup_s=1000")
        busy = []
        for fill in ("true", "false"):  # the second one leaves an actuator without data
            last = ("sim.measure_s=100", f"streams.fill_disks={fill}")
            result = self.result_by(("run",), server, *one_disk, *settings, *last)
            done, host = result["simulated"]["before"], result["host"]
            self.assertEqual(round(host["decisions_per_cpu_s"] * host["cpu_s"]), done["reads"])
            busy.append(done["busy_share"])
        self.assertGreater(busy[0], busy[1])

    def test_explain_has_the_decisions_of_the_commands_own_actuator(self):
        out = self.folder / "explain"
        options = ("--slowest", "2", "--quiet", "--no-waves", "-o", out)
        self.run_good("explain", TWO, *options, *overrides(SHORT))
        half = 35_156_000_000 // 2
        for request in json.loads((out / "explain.json").read_text())["requests"]:
            of_upper = request["offset_bytes"] // 512 >= half
            self.assertGreater(len(request["decisions"]), 3)
            for decision in request["decisions"]:
                self.assertLessEqual(decision["candidates"], 8)
                self.assertEqual(decision["chosen"]["first_block"] >= half, of_upper)


class Refusals(Case):
    def test_what_a_drive_with_two_cannot_have(self):
        for setting, key, text in (
            ("drive.actuators.count=3", "drive.actuators.count", "1 to 2"),
            ("drive.cache.segments=31", "drive.cache.segments", "multiple of the 2 actuators"),
            ("drive.geometry.blocks=35156000001", "drive.geometry.blocks", "multiple of the 2"),
            ("drive.power.spindle_w=3.0", "drive.power.spindle_w", "no power"),
            ("drive.zones.model=managed", "drive.zones.model", "expected none"),
        ):
            with self.subTest(setting):
                done = platter("run", TWO, "--set", setting)
                self.assertEqual(done.returncode, 2)
                self.assertIn(key, done.stderr)
                self.assertIn(text, done.stderr)
        one = ("--set", "drive.actuators.count=1", "--set", "drive.actuators.by=lun")
        done = platter("run", TWO, *one)
        self.assertEqual(done.returncode, 2)
        self.assertIn("drive.actuators.by", done.stderr)


if __name__ == "__main__":
    unittest.main()
