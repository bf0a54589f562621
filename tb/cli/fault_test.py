# SPDX-License-Identifier: Apache-2.0
"""Scenarios with faults: what they do to a run, how they are refused, and the control socket.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import csv
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import unittest

PLATTER = os.environ["PLATTER"]
SOURCE = pathlib.Path(os.environ["PLATTER_SOURCE"])

HEAD = """format = 1
drive = "cheetah9lp"
engine = "firmware"
policy = "SPTF"

[workload.discrete]
source = "closed"
outstanding = 4
size = "fixed"
mean_bytes = 4096

[sim]
seed = 1
measure_s = 20.0
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="platter-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def scenario(self, text):
        file = self.folder / "scenario.toml"
        file.write_text(HEAD + text)
        return file

    def platter(self, *arguments):
        return subprocess.run(
            [PLATTER, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd=self.folder,
        )

    def result_of(self, text, *arguments):
        out = self.folder / "result.json"
        done = self.platter("run", self.scenario(text), "--quiet", "--result", out, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(out.read_text())


class Plan(Case):
    def test_unreadable_blocks_fail_requests_and_are_counted(self):
        plan = '[[fault]]\nkind = "unreadable"\nblock = 100\nblocks = 400000\n'
        log = self.folder / "requests.csv"
        result = self.result_of(plan, "--requests", log)
        discrete = result["classes"]["discrete"]
        self.assertGreater(discrete["failed"], 0)
        self.assertEqual(
            discrete["issued"],
            discrete["completed"] + discrete["failed"] + discrete["outstanding"],
        )
        self.assertEqual(result["errors"]["uncorrectable"], discrete["failed"])
        self.assertGreater(result["errors"]["pending"], 0)
        with log.open() as file:
            rows = list(csv.DictReader(file))
        bad = [row for row in rows if row["status"] == "a sector cannot be read"]
        self.assertEqual(len(bad), discrete["failed"])
        for row in bad:
            self.assertGreater(int(row["retry_turns"]), 300, "the ladder of the Cheetah 15K.5")
            self.assertGreater(int(row["transfer_ps"]), int(row["recovery_ps"]))

    def test_a_run_without_faults_says_nothing_of_them(self):
        log = self.folder / "requests.csv"
        result = self.result_of("", "--requests", log)
        self.assertNotIn("errors", result)
        self.assertNotIn("fault", result["configuration"])
        self.assertNotIn("retry_turns", log.read_text().partition("\n")[0])

    def test_a_plan_that_never_begins_changes_no_time(self):
        logs = []
        for text in (
            "",
            '[[fault]]\nkind = "unreadable"\nblock = 0\nblocks = 2000\nat_s = 1000.0\n',
        ):
            log = self.folder / "requests.csv"
            self.result_of(text, "--requests", log)
            with log.open() as file:
                logs.append([row["completed_ps"] for row in csv.DictReader(file)])
        self.assertEqual(logs[0], logs[1])

    def test_every_kind_runs(self):
        for kind, rest in (
            ("unreadable", "block = 8"),
            ("permanent", "block = 8"),
            ("retries", "block = 8\ntries = 2"),
            ("slow", "block = 8\nblocks = 100\nturns = 3"),
            ("write_fault", "block = 8"),
            ("off_track", "turns = 1\nat_s = 1.0\nfor_s = 1.0"),
            ("surface", "surface = 0"),
            ("silent_bit", "block = 8\nbit = 4095"),
            ("silent_stale", "block = 8"),
            ("silent_misdirected", "block = 8\nother_block = 9999"),
            ("stuck", "at_command = 100\ncount = 1"),
            ("late", "delay_ms = 5.0\nat_s = 1.0\nfor_s = 1.0"),
            ("link_drop", "at_s = 1.0"),
            ("reset", "at_command = 50\ndelay_ms = 100.0"),
        ):
            with self.subTest(kind):
                result = self.result_of(
                    f'[[fault]]\nkind = "{kind}"\n{rest}\n',
                    "--set",
                    "workload.discrete.read_fraction=0.5",
                    "--set",
                    "sim.measure_s=10",
                )
                self.assertIn("errors", result)
                self.assertGreater(result["classes"]["discrete"]["completed"], 0)

    def test_drawn_faults_are_of_the_seed(self):
        process = (
            '[fault_process]\npopulation = "nearline"\nage_months = 24.0\nrate_factor = 5000.0\n'
        )
        first = self.result_of(process)
        second = self.result_of(process)
        other = self.result_of(process, "--set", "sim.seed=2")
        self.assertGreater(first["errors"]["uncorrectable"], 0)
        self.assertEqual(first["errors"], second["errors"])
        self.assertNotEqual(first["errors"], other["errors"])

    def test_explain_tells_of_retries(self):
        file = self.scenario(
            '[[fault]]\nkind = "retries"\nblock = 64\nblocks = 400000\ntries = 3\n'
        )
        done = self.platter("explain", file, "--when", "retry_turns > 0", "--no-waves")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("retried 51 turns", done.stdout)

    def test_explain_tells_of_a_stuck_command(self):
        file = self.scenario(
            '[[fault]]\nkind = "stuck"\ncount = 1\nat_s = 0.5\n'
            '[[fault]]\nkind = "reset"\nat_s = 1.0\n'
        )
        done = self.platter("explain", file, "--slowest", 1, "--no-waves")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\d\d  a fault kept it stuck\n")
        self.assertNotIn("the buffer had written", done.stdout)

    def test_scrubbing_finds_bad_blocks(self):
        result = self.result_of(
            '[[fault]]\nkind = "unreadable"\nblock = 5000\n',
            "--set",
            "drive.recovery.scrub_after_ms=20",
            "--set",
            "workload.discrete.source=poisson",
            "--set",
            "workload.discrete.rate_per_s=1",
        )
        self.assertGreater(result["errors"]["scrubbed_blocks"], 100_000)
        self.assertEqual(result["errors"]["scrub_errors"], 1)
        self.assertEqual(result["classes"]["discrete"]["failed"], 0)

    def test_an_array_reads_the_other_copy(self):
        result = self.result_of(
            '[array]\ndrives = 2\nkind = "striped"\ncopies = 2\n'
            '[[fault]]\nkind = "unreadable"\nblock = 256\nblocks = 400000\ndrive = 0\n',
            "--set",
            "host.kind=array",
        )
        self.assertEqual(result["classes"]["discrete"]["failed"], 0)
        self.assertGreater(result["array"]["errors"]["redirected"], 0)
        self.assertGreater(result["array"]["errors"]["repaired"], 0)


class Refusals(Case):
    def refused(self, text, *parts, options=()):
        file = self.scenario(text)
        done = self.platter("run", file, "--quiet", "--result", self.folder / "r.json", *options)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertFalse((self.folder / "r.json").exists())
        for part in parts:
            self.assertIn(part, done.stderr)
        return done.stderr

    def test_messages_have_file_line_and_key(self):
        lines = HEAD.count("\n")
        blocks = 17_783_240  # of the cheetah9lp, or fewer
        for text, key, message, line in (
            ('[[fault]]\nkind = "unknown"\n', "fault.0.kind", "unreadable", 2),
            ('[[fault]]\nkind = "unreadable"\n', "fault.0.block", "is missing", 2),
            (
                f'[[fault]]\nkind = "unreadable"\nblock = {blocks * 10}\n',
                "fault.0.block",
                "within the",
                3,
            ),
            (
                '[[fault]]\nkind = "unreadable"\nplace = "99999/0/0"\n',
                "fault.0.place",
                "no block",
                3,
            ),
            ('[[fault]]\nkind = "unreadable"\nplace = "1/2"\n', "fault.0.place", "CYLINDER", 3),
            ('[[fault]]\nkind = "retries"\nblock = 1\n', "fault.0.tries", "is missing", 2),
            ('[[fault]]\nkind = "surface"\n', "fault.0.surface", "is missing", 2),
            (
                '[[fault]]\nkind = "silent_misdirected"\nblock = 5\n',
                "fault.0.other_block",
                "is missing",
                2,
            ),
            (
                '[[fault]]\nkind = "slow"\nblock = 1\nturns = 1\nat_s = 1.0\nat_command = 3\n',
                "fault.0.at_s",
                "more than one",
                2,
            ),
            (
                '[[fault]]\nkind = "slow"\nblock = 1\nturns = 1\nblok = 2\n',
                "fault.0.blok",
                "block",
                5,
            ),
            (
                '[[fault]]\nkind = "unreadable"\nblock = 1\nblocks = 9\n'
                '[[fault]]\nkind = "slow"\nblock = 4\nturns = 1\n',
                "fault.1.block",
                "fault.0",
                7,
            ),
            (
                '[[fault]]\nkind = "off_track"\nturns = 1\ndrive = 1\n',
                "fault.0.drive",
                "1 drive",
                4,
            ),
        ):
            with self.subTest(text):
                self.refused(text, f"scenario.toml:{lines + line}:", key, message)

    def test_a_ladder_ascends(self):
        for steps in ("[30.0, 20.0]", "[10.0, 10.0]", "[0.0]"):
            self.refused(
                "", "drive.recovery.read_ms", options=("--set", f"drive.recovery.read_ms={steps}")
            )


class Control(Case):
    def test_faults_at_run_time(self):
        path = self.folder / "control"
        process = subprocess.Popen(
            [
                PLATTER,
                "serve",
                str(self.scenario("")),
                "--nbd",
                str(self.folder / "nbd"),
                "--control",
                str(path),
                "--quiet",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.settimeout(30)
        for _ in range(3000):
            try:
                client.connect(str(path))
                break
            except OSError:
                time.sleep(0.01)
        lines = client.makefile("r")

        def tell(**arguments):
            client.sendall(json.dumps(arguments).encode() + b"\n")
            return json.loads(lines.readline())

        added = tell(command="add_fault", kind="unreadable", block=7, blocks=2)
        self.assertTrue(added["ok"], added)
        number = added["fault"]
        listed = tell(command="faults")
        self.assertEqual([f["kind"] for f in listed["faults"]], ["unreadable"])
        self.assertEqual(listed["faults"][0]["block"], 7)
        placed = tell(command="add_fault", kind="retries", tries=2, place="0/0/40", at_s=0.5)
        self.assertTrue(placed["ok"], placed)
        self.assertEqual(tell(command="faults")["faults"][1]["block"], 40)
        self.assertTrue(tell(command="clear_fault", fault=placed["fault"])["ok"])
        for wrong, message in (
            ({"kind": "slow", "turns": 1, "place": "0/99/0"}, "place: found"),
            ({"kind": "slow", "turns": 1, "place": "0/0"}, "place: found"),
            ({"kind": "slow", "turns": 1, "place": "0/0/1", "block": 1}, "block: found more"),
            ({"kind": "slow", "turns": 1, "drawn": True}, "drawn"),
            ({"kind": "slow", "turns": [1], "block": 3}, "turns: found [1]"),
            ({"kind": "slow", "turns": None, "block": 3}, "turns: found null"),
            ({"kind": "slow", "turns": 1, "block": 3, "drive": 7}, "drive: found 7"),
            ({"kind": "nothing"}, "expected one of"),
            ({"kind": "unreadable"}, "block"),
            ({"kind": "unreadable", "block": 10**12}, "block"),
            ({"kind": "unreadable", "block": 1, "blok": 2}, "no such argument"),
        ):
            told = tell(command="add_fault", **wrong)
            self.assertFalse(told["ok"])
            self.assertIn(message, told["error"])
        self.assertEqual(len(tell(command="faults")["faults"]), 1)
        self.assertFalse(tell(command="clear_fault", fault=number + 1)["ok"])
        self.assertTrue(tell(command="clear_fault", fault=number)["ok"])
        self.assertEqual(tell(command="faults")["faults"], [])
        self.assertEqual(tell(command="statistics")["errors"]["pending"], 0)
        self.assertTrue(tell(command="stop")["ok"])
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
