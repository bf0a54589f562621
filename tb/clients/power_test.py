# SPDX-License-Identifier: Apache-2.0
"""Losses of power under software that nobody here wrote: fio's verification across the end of a
server, file systems of a Linux, faults under a Linux.

Environment: PLATTER (the executable), PLATTER_SEEDED (that with seeded bugs), PLATTER_SOURCE (the
tree), PLATTER_FIO_KILLS (how often fio's server is killed; once by default).
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE / "tb/cli"))
os.environ["PLATTER_SOURCE"] = str(SOURCE)

from serve_test import FLUSH, Nbd  # noqa: E402 - needs the path

SEEDED = os.environ.get("PLATTER_SEEDED", "")
SCENARIO = str(SOURCE / "models/configs/scenarios/guest_drive.toml")
JOB = """[job]
thread
ioengine=nbd
uri=nbd+unix:///disk?socket={socket}
rw=randwrite
bsrange=512-32k
bs_unaligned=0
size=64m
iodepth=2
thinktime=2000
randseed={seed}
verify=crc32c
verify_fatal=1
"""


class Disk(unittest.TestCase):
    """A server of a disk file."""

    platter = os.environ["PLATTER"]
    bug = None
    seed = 1  # of fio's writes, and of how many there are before the kill

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="platter-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.disk, self.socket = self.folder / "disk", self.folder / "socket"

    def serve(self):
        environment = {**os.environ, **({"PLATTER_SEEDED_BUG": self.bug} if self.bug else {})}
        process = subprocess.Popen(
            [self.platter, "serve", SCENARIO, "--nbd", str(self.socket), "--disk", str(self.disk),
             "--pacing", "asap", "--set", "engine=firmware"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)  # fmt: skip
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        self.assertIn(" at ", process.stdout.readline())
        return process

    def fio(self, name, options, *arguments):
        (self.folder / name).write_text(JOB.format(socket=self.socket, seed=self.seed) + options)
        return subprocess.Popen(
            ["fio", name, "--output-format=json", f"--output={name}.json", *arguments],
            cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip

    def write_and_kill(self):
        """fio writes. In mid-run it saves what it knows to be written; then everything is flushed,
        and the server is killed."""
        server = self.serve()
        act = self.folder / "act"
        # The trigger's command runs when the state is saved; fio's writes go on until it has ended.
        (self.folder / "on_trigger").write_text(
            f"#!/bin/sh\ntouch {act}\nwhile [ -f {act} ]; do sleep 0.01; done\n"
        )
        (self.folder / "on_trigger").chmod(0o755)
        writing = self.fio(
            "write.fio",
            "time_based\nruntime=60\n",
            f"--trigger-file={self.folder}/trigger",
            f"--trigger={self.folder}/on_trigger",
            f"--aux-path={self.folder}",
        )
        most = 3 + self.seed % 5  # MiB
        self.wait_for(lambda: self.disk.stat().st_blocks * 512 > most << 20)
        (self.folder / "trigger").touch()
        self.wait_for(act.exists)
        client = Nbd(str(self.socket))
        self.assertEqual(client.ask(FLUSH)[0], 0)
        server.send_signal(signal.SIGKILL)
        server.wait()
        client.close()
        writing.kill()
        act.unlink()
        writing.communicate()
        state = next(self.folder.glob("*verify.state"))
        self.assertGreater(state.stat().st_size, 50)

    def wait_for(self, condition):
        for _ in range(3000):
            if condition():
                return
            time.sleep(0.02)
        self.fail("waited for too long")

    def verify(self):
        """fio reads what the saved state says; its error and the number of its reads."""
        self.socket.unlink(missing_ok=True)
        server = self.serve()
        # The state has the name of the job and of its file; these options must stand in the file.
        reading = self.fio(
            "verify.fio", "verify_only=1\nverify_state_load=1\n", f"--aux-path={self.folder}"
        )
        said, _ = reading.communicate(timeout=120)
        server.kill()
        text = (self.folder / "verify.fio.json").read_text()
        job = json.loads(text[text.index("{") :])["jobs"][0]
        return job["error"], job["read"]["total_ios"], said + text


class Fio(Disk):
    def test_what_was_flushed_verifies_after_a_kill(self):
        kills = int(os.environ.get("PLATTER_FIO_KILLS", "1"))
        total = 0
        for self.seed in range(1, kills + 1):
            for path in self.folder.iterdir():
                path.unlink()
            self.write_and_kill()
            error, reads, said = self.verify()
            self.assertEqual(error, 0, f"kill {self.seed}: {said}")
            self.assertGreater(reads, 100)
            total += reads
        print(f"{kills} kills: fio verified {total} writes")
        # The check checks: what was written first is zeroed.
        with self.disk.open("r+b") as file:
            file.write(bytes(4 << 20))
        error, _, said = self.verify()
        self.assertNotEqual(error, 0, said)


class FioSeeded(Disk):
    platter = SEEDED
    bug = "flush_early"

    def test_fio_finds_a_flush_that_is_answered_early(self):
        self.write_and_kill()
        self.bug = None
        error, _, said = self.verify()
        self.assertNotEqual(error, 0, said)


def lab(*words, platter=None, bug=None):
    """`platter-lab guest`."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "scripts/lab")}
    if platter:
        environment["PLATTER"] = platter
    if bug:
        environment["PLATTER_SEEDED_BUG"] = bug
    return subprocess.run(
        [sys.executable, "-m", "platter_lab.cli", "guest", *words],
        env=environment, capture_output=True, text=True, check=False)  # fmt: skip


class Guests(unittest.TestCase):
    def ran(self, done, code):
        if "no QEMU here" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done


class Ext4(Guests):
    def test_what_fsync_acknowledged_is_there_after_losses_of_power(self):
        done = lab("power", "ext4", "--cuts", "2", "--every", "1")
        self.ran(done, 0)
        self.assertRegex(done.stdout, r"ext4 +3 +\d+ +\d+ +0")


class Faults(Guests):
    def test_linux_meets_faults(self):
        self.ran(lab("faults", "--limit", "120"), 0)


class Seeded(Guests):
    def test_a_flush_that_is_answered_early_is_found(self):
        # A drive that is slower than the guest still has much in its cache at each instant.
        done = lab("power", "ext4", "--cuts", "30", "--pacing", "realtime:10", platter=SEEDED,
                   bug="flush_early")  # fmt: skip
        self.ran(done, 1)
        self.assertRegex(done.stderr, r"ext4, seed 1, cut \d+ ")


if __name__ == "__main__":
    unittest.main()
