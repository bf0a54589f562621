# SPDX-License-Identifier: Apache-2.0
"""`platter serve --iscsi` with programs that nobody here wrote: libiscsi's test suite and tools.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE / "scripts/lab"))

from platter_lab.guest import packages  # noqa: E402

PLATTER = os.environ["PLATTER"]
SCENARIO = str(SOURCE / "models/configs/scenarios/guest_drive.toml")


class Served:
    """`platter serve --iscsi` at a free port."""

    def __init__(self, *options: str, scenario: str = SCENARIO, address: str = ":0") -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="platter-")
        self.result = pathlib.Path(self._folder.name) / "result.json"
        self.process = subprocess.Popen(
            [
                PLATTER,
                "serve",
                scenario,
                "--iscsi",
                address,
                "--result",
                str(self.result),
                *options,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.first = self.process.stdout.readline().strip()
        self.url = self.first.rpartition(" at ")[2].replace("localhost", "127.0.0.1")

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self._folder.cleanup()

    def end(self) -> dict:
        self.process.send_signal(signal.SIGTERM)
        _, complained = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, complained
        return json.loads(self.result.read_text())


class Iscsi(unittest.TestCase):
    tools: packages.Tree

    @classmethod
    def setUpClass(cls) -> None:
        cls.tools = packages.Tree(SOURCE / "build/clients/iscsi", ("libiscsi-bin",), ("bookworm",))
        try:
            cls.tools.make()
        except packages.Unavailable as reason:
            raise unittest.SkipTest(f"there is no libiscsi here: {reason}") from reason

    def run_tool(self, program: str, *arguments: str, limit_s: float = 240) -> str:
        done = subprocess.run(
            [*self.tools.command(f"usr/bin/{program}"), *arguments],
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_the_test_suite_passes(self) -> None:
        with Served("--pacing", "asap", "--set", "engine=firmware") as served:
            said = self.run_tool("iscsi-test-cu", "-d", "-n", "-t", "ALL", served.url)
            served.end()
        failed = re.findall(r"Suite (\S+), Test (\S+) had failures", said)
        self.assertEqual(failed, [])
        found = re.search(r"tests +(\d+) +(\d+) +(\d+) +(\d+)", said)
        assert found is not None, said
        self.assertEqual([int(number) for number in found.groups()], [230, 230, 230, 0])

    def test_two_paths_reach_the_same_unit(self) -> None:
        with Served("--pacing", "asap", "--set", "engine=firmware") as served:
            said = self.run_tool(
                "iscsi-test-cu", "-d", "-n", "-t", "ALL.MultipathIO", served.url, served.url
            )
            served.end()
        self.assertNotIn("had failures", said)
        self.assertNotIn("Multipath unavailable", said)

    def test_the_tools_see_what_is_served(self) -> None:
        with Served("--pacing", "asap", "--set", "engine=firmware") as served:
            listed = self.run_tool("iscsi-ls", "-s", served.url.rsplit("/", 2)[0])
            inquiry = self.run_tool("iscsi-inq", served.url)
            capacity = self.run_tool("iscsi-readcapacity16", served.url)
            result = served.end()
        self.assertIn("Lun:0    Type:DIRECT_ACCESS", listed)
        self.assertIn("Vendor:PLATTER", inquiry)
        self.assertIn("RETURNED LOGICAL BLOCK ADDRESS:17918386", capacity)
        self.assertGreaterEqual(result["serving"]["clients"], 3)

    def test_the_queue_may_be_128_deep(self) -> None:
        options = ("--pacing", "lockstep:127", "--set", "drive.queue.depth=128")
        with Served(*options, "--set", "engine=firmware") as served:
            self.run_tool("iscsi-perf", "-m", "128", "-r", "-t", "3", served.url)
            result = served.end()
        self.assertGreater(result["serving"]["commands"], 1000)
        self.assertGreater(result["serving"]["window"], 60)


class Endings(unittest.TestCase):
    def refused(self, *options: str) -> str:
        done = subprocess.run(
            [PLATTER, "serve", SCENARIO, *options],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        return done.stderr

    def test_an_address_that_others_reach_needs_a_word(self) -> None:
        self.assertIn("add --iscsi-remote", self.refused("--iscsi", "0.0.0.0:0"))
        with Served("--iscsi-remote", "--quiet", address="0.0.0.0:0") as served:
            self.assertIn(" at iscsi://0.0.0.0:", served.first)
            served.process.send_signal(signal.SIGTERM)
            _, complained = served.process.communicate(timeout=60)
        self.assertIn("any machine that reaches this address", complained)

    def test_other_addresses_and_other_doors_are_refused(self) -> None:
        self.assertIn("expected HOST:PORT", self.refused("--iscsi", "/tmp/platter-no-port"))
        self.assertIn("expected one of them", self.refused("--iscsi", ":0", "--nbd", ":0"))


if __name__ == "__main__":
    unittest.main()
