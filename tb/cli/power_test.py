# SPDX-License-Identifier: Apache-2.0
"""Losses of power from outside: `platter crash`, the disks of `platter serve`, logs of writes.

Environment: PLATTER (the executable), PLATTER_SEEDED (that with seeded bugs), PLATTER_SOURCE.
"""

import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from serve_test import FLUSH, READ, WRITE, Nbd

PLATTER = os.environ["PLATTER"]
SEEDED = os.environ.get("PLATTER_SEEDED", "")
SOURCE = pathlib.Path(os.environ["PLATTER_SOURCE"])
SCENARIO = str(SOURCE / "models/configs/scenarios/crash.toml")
EAGER = ("eager.enabled=true", "policy=SATF-EW", "drive.cache.segments=0",
         "drive.cache.write_back=off", "drive.cache.write_segments=0",
         "drive.cache.destage_entries=0", "drive.cache.read_ahead=none")  # fmt: skip
ARRAY = ("host.kind=array", "array.kind=striped", "array.drives=2", "array.copies=2",
         "array.unit_bytes=65536")  # fmt: skip
NO_CACHE = EAGER[2:]
SAVED = ("drive.power_loss.cache=saved",)
MIXED = ("drive.power_loss.torn_sector=mixed",)
SECTORS_512E = ("drive.geometry.physical_sector_bytes=4096",)
SECTORS_4KN = ("drive.geometry.sector_bytes=4096", "workload.job.0.bssplit=4k/70:16k/30")

# Each seeded bug, and the keys of a load that shows it.
BUGS = {
    "flush_early": (),
    "fua_cached": (),
    "flush_passes_writes": (*NO_CACHE, "drive.queue.depth=8"),
    "destage_lost": ("drive.queue.depth=2",),
    "destage_misdirected": (),
    "torn_readable": (),
    "neighbour_zeroed": (*MIXED, *SECTORS_512E),
    "saved_in_part": SAVED,
    "map_before_data": EAGER,
    "oldest_copy": EAGER,
    "sequence_repeats": EAGER,
    "stale_copy_read": ARRAY,
    "copies_cached": ARRAY,
    "doubt_forgotten": ARRAY,
}


def arguments(keys):
    return [word for key in keys for word in ("--set", key)]


def crash(*options, keys=(), program=PLATTER, bug=None):
    environment = dict(os.environ)
    if bug:
        environment["PLATTER_SEEDED_BUG"] = bug
    return subprocess.run(
        [program, "crash", SCENARIO, *arguments(keys), *options],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
        env=environment,
    )


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="platter-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Crash(Folder):
    def test_no_promise_is_broken(self):
        for keys in ((), SAVED, (*MIXED, *SECTORS_512E), SECTORS_4KN, NO_CACHE, EAGER, ARRAY):
            result = self.folder / "crash.json"
            done = crash("--cuts", "60", "--result", str(result), keys=keys)
            self.assertEqual(done.returncode, 0, f"{keys}: {done.stdout}{done.stderr}")
            found = json.loads(result.read_text())
            self.assertEqual(found["cuts"], 60)
            self.assertEqual(found["violations"], [])
            self.assertGreater(found["with_open_writes"], 20, keys)

    def test_the_seed_decides_everything(self):
        def outcome(*options):
            result = self.folder / "crash.json"
            done = crash("--cuts", "40", "--result", str(result), *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(result.read_text())
            del found["host"]
            return found

        one = outcome("--seed", "5", "--jobs", "1")
        self.assertEqual(outcome("--seed", "5", "--jobs", "2"), one)
        self.assertEqual(outcome("--seed", "5", "--method", "restart"), one)
        self.assertNotEqual(outcome("--seed", "6"), one)

    def test_a_cut_is_replayed_with_waves(self):
        waves = self.folder / "crash.fst"
        done = crash("--cuts", "40", "--replay", "17", "--waves", str(waves))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cut 17 at", done.stdout)
        self.assertGreater(waves.stat().st_size, 1000)

    def test_bad_input(self):
        for options, keys, told in (
            (("--replay", "40", "--cuts", "40"), (), "expected a cut below 40"),
            (("--waves", "x.fst"), (), "expected --replay CUT too"),
            ((), ("power_cut.at_s=1",), "power_cut.at_s: found 1, expected 0"),
            ((), ("sim.measure_s=0",), "sim.measure_s"),
            ((), ("host.kind=array", "array.kind=ew", *EAGER), "expected a load on a drive or"),
        ):
            done = crash(*options, keys=keys)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(told, done.stderr)


class Seeded(Folder):
    def test_every_bug_is_found(self):
        for bug, keys in BUGS.items():
            with self.subTest(bug=bug):
                result = self.folder / f"{bug}.json"
                options = ("--cuts", "1000", "--result", str(result))
                done = crash(*options, keys=keys, program=SEEDED, bug=bug)
                self.assertEqual(done.returncode, 1, f"{done.stdout}{done.stderr}")
                first = json.loads(result.read_text())["violations"][0]
                self.assertIn(f"--replay {first['cut']} --waves", done.stderr)
                again = crash("--cuts", "1000", "--replay", str(first["cut"]),
                              keys=keys, program=SEEDED, bug=bug)  # fmt: skip
                self.assertEqual(again.returncode, 1, again.stdout)
                self.assertIn(first["violation"], again.stderr)

    def test_without_a_bug_the_program_is_the_shipped_one(self):
        done = crash("--cuts", "40", program=SEEDED)
        self.assertEqual(done.returncode, 0, done.stderr)


class Served(Folder):
    """A server of the scenario's drive."""

    def start(self, *options, keys=(), pacing="asap"):
        path = self.folder / "socket"
        path.unlink(missing_ok=True)
        process = subprocess.Popen(
            [PLATTER, "serve", SCENARIO, "--nbd", str(path), "--pacing", pacing, "--quiet",
             *arguments(keys), *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        line = process.stdout.readline()
        if not line:
            return process, process.communicate()[1]
        return process, line

    def client(self):
        client = Nbd(str(self.folder / "socket"))
        self.addCleanup(client.close)
        return client

    def stop(self, process, how=signal.SIGTERM):
        process.send_signal(how)
        process.communicate(timeout=30)
        return process.returncode


class Disk(Served):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"

    def test_what_was_flushed_survives_a_kill(self):
        for keys in ((), EAGER, SAVED):
            with self.subTest(keys=keys):
                self.disk.unlink(missing_ok=True)
                process, _ = self.start("--disk", str(self.disk), keys=keys)
                client = self.client()
                for block in range(40):
                    data = bytes([block + 1]) * 4096
                    self.assertEqual(client.ask(WRITE, block * 40960, 4096, data)[0], 0)
                self.assertEqual(client.ask(FLUSH)[0], 0)
                for block in range(20):
                    self.assertEqual(client.ask(WRITE, block * 40960, 4096, b"\xff" * 4096)[0], 0)
                self.stop(process, signal.SIGKILL)
                self.assertLess(self.disk.stat().st_blocks * 512, 8 << 20, "it is sparse")
                process, _ = self.start("--disk", str(self.disk), keys=keys)
                client = self.client()
                for block in range(40):
                    error, data = client.ask(READ, block * 40960, 4096)
                    self.assertEqual(error, 0)
                    kept = (bytes([block + 1]) * 4096,)
                    if block < 20:
                        new = b"\xff" * 4096
                        kept = (new,) if keys in (SAVED, EAGER) else (*kept, new)
                    self.assertIn(data, kept, block)
                self.assertEqual(self.stop(process), 0)

    def test_kills_at_any_moment_leave_a_disk(self):
        for keys in ((), EAGER):
            self.disk.unlink(missing_ok=True)
            for round_ in range(1, 6):
                process, _ = self.start("--disk", str(self.disk), keys=keys)
                client = self.client()
                for block in range(16):
                    error, data = client.ask(READ, block << 16, 4096)
                    self.assertEqual(error, 0)
                    self.assertGreaterEqual(data[0], round_ - 1, "flushed in the last round")
                    self.assertEqual(set(data), {data[0]})
                for block in range(16):
                    client.ask(WRITE, block << 16, 4096, bytes([round_]) * 4096)
                client.ask(FLUSH)
                for i in range(200):
                    client.send(WRITE, (i % 16) << 16, 4096, bytes([round_ + 1]) * 4096)
                time.sleep(0.002 * round_)
                self.stop(process, signal.SIGKILL)

    def test_an_image_has_what_a_loss_of_power_would_leave_now(self):
        control = self.folder / "control"
        process, _ = self.start("--disk", str(self.disk), "--control", str(control))
        client = self.client()

        def image(**arguments):
            with socket.socket(socket.AF_UNIX) as to:
                to.connect(str(control))
                to.sendall(json.dumps({"command": "power_image", **arguments}).encode() + b"\n")
                return json.loads(to.makefile().readline())

        self.assertEqual(client.ask(WRITE, 4096, 4096, b"\1" * 4096)[0], 0)
        self.assertEqual(client.ask(FLUSH)[0], 0)
        self.assertEqual(client.ask(WRITE, 4096, 4096, b"\2" * 4096)[0], 0)  # in the cache
        cached, flushed = self.folder / "cached", self.folder / "flushed"
        answer = image(path=str(cached))
        self.assertEqual((answer["ok"], answer["unreadable"]), (True, []))
        self.assertEqual(client.ask(FLUSH)[0], 0)
        self.assertTrue(image(path=str(flushed), drive=0)["ok"])
        for arguments, told in (
            ({"path": str(cached)}, "exists"),
            ({"path": str(self.folder / "no/such")}, "cannot be created"),
            ({}, "path: is missing"),
            ({"path": str(self.folder / "x"), "drive": 1}, "drive: found 1"),
        ):
            answer = image(**arguments)
            self.assertFalse(answer["ok"])
            self.assertIn(told, answer["error"])
        self.assertEqual(self.stop(process), 0)
        self.assertLess(cached.stat().st_blocks * 512, 1 << 20, "it is sparse")
        for disk, value in ((cached, b"\1"), (flushed, b"\2")):
            process, _ = self.start("--disk", str(disk))
            self.assertEqual(self.client().ask(READ, 4096, 4096), (0, value * 4096))
            self.assertEqual(self.stop(process), 0)
        process, _ = self.start("--control", str(control), keys=EAGER)
        self.assertIn("eager writing", image(path=str(self.folder / "x"))["error"])
        self.assertEqual(self.stop(process), 0)

    def test_what_the_drive_knows_of_bad_sectors_survives_a_kill(self):
        control = self.folder / "control"

        def ask(**command):
            with socket.socket(socket.AF_UNIX) as to:
                to.connect(str(control))
                to.sendall(json.dumps(command).encode() + b"\n")
                answer = json.loads(to.makefile().readline())
                self.assertTrue(answer["ok"], answer)

        process, _ = self.start("--disk", str(self.disk), "--control", str(control))
        client = self.client()
        ask(command="add_fault", kind="unreadable", block=800)
        ask(command="add_fault", kind="write_fault", block=1600)
        self.assertNotEqual(client.ask(READ, 800 * 512, 4096)[0], 0)
        self.assertEqual(client.ask(WRITE, 1600 * 512, 4096, b"\7" * 4096)[0], 0)
        self.assertEqual(client.ask(FLUSH)[0], 0)
        self.stop(process, signal.SIGKILL)
        for life in range(2):
            result = self.folder / "result.json"
            process, _ = self.start("--disk", str(self.disk), "--result", str(result))
            client = self.client()
            self.assertEqual(client.ask(READ, 1600 * 512, 4096), (0, b"\7" * 4096))
            self.assertEqual(self.stop(process), 0)
            errors = json.loads(result.read_text())["errors"]
            self.assertEqual(errors["pending"], 1)
            self.assertEqual(errors["reallocated"], 1)
            self.assertEqual(errors["uncorrectable"], 1)
            self.assertEqual(errors["detours"], life + 1)

    def test_another_drive_and_a_second_server_are_refused(self):
        process, _ = self.start("--disk", str(self.disk))
        path = self.folder / "socket"
        path.rename(self.folder / "first")
        second, told = self.start("--disk", str(self.disk))
        self.assertIn("another device or process uses this disk", told)
        self.assertEqual(second.wait(), 2)
        self.assertEqual(self.stop(process), 0)
        for keys, told in (
            (("drive.name=another",), 'expected "another"'),
            (("drive.geometry.surfaces=4",), "cut short, or of another drive"),
            (EAGER, "eager block size"),
        ):
            other, line = self.start("--disk", str(self.disk), keys=keys)
            self.assertIn(told, line)
            self.assertEqual(other.wait(), 2)
        os.truncate(self.disk, self.disk.stat().st_size - 4096)
        other, line = self.start("--disk", str(self.disk))
        self.assertIn("cut short", line)
        self.assertEqual(other.wait(), 2)
        image = self.folder / "image"
        image.write_bytes(bytes(4096))
        other, line = self.start("--disk", str(self.disk), "--image", str(image))
        self.assertIn("expected one of them", line)
        self.assertEqual(sorted(os.listdir(self.folder)), ["disk", "first", "image"])

    def test_a_cut_by_the_scenario_is_seen_and_over(self):
        keys = ("power_cut.at_flush=2", "power_cut.off_s=0.1", "drive.mechanics.spin_up_s=0.1")
        process, _ = self.start("--disk", str(self.disk), keys=keys, pacing="realtime:0.1")
        client = self.client()
        self.assertEqual(client.ask(WRITE, 0, 4096, b"\1" * 4096)[0], 0)
        self.assertEqual(client.ask(FLUSH)[0], 0)
        self.assertEqual(client.ask(WRITE, 8192, 4096, b"\2" * 4096)[0], 0)
        self.assertEqual(client.ask(FLUSH)[0], 0)
        errors = [client.ask(READ, 0, 4096)[0]]
        for _ in range(200):
            if errors[-1] == 0:
                break
            time.sleep(0.01)
            errors.append(client.ask(READ, 0, 4096)[0])
        self.assertEqual(errors[-1], 0, errors)
        self.assertEqual(client.ask(READ, 0, 4096), (0, b"\1" * 4096))
        self.assertEqual(client.ask(READ, 8192, 4096), (0, b"\2" * 4096))
        self.assertEqual(self.stop(process), 0)


class Control(Served):
    """The power by the control socket."""

    def ask(self, **command):
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(30)
            control.connect(str(self.folder / "control"))
            control.sendall(json.dumps(command).encode() + b"\n")
            return json.loads(control.makefile().readline())

    def test_the_power_is_cut_and_restored(self):
        log = self.folder / "log"
        process, _ = self.start(
            "--control", str(self.folder / "control"), "--write-log", str(log),
            keys=("drive.mechanics.spin_up_s=0.1",))  # fmt: skip
        client = self.client()
        self.assertEqual(client.ask(WRITE, 0, 4096, b"\1" * 4096)[0], 0)
        self.assertEqual(client.ask(FLUSH)[0], 0)
        self.assertEqual(self.ask(command="mark", text="before the cut"), {"ok": True})
        self.assertEqual(client.ask(WRITE, 0, 4096, b"\2" * 4096)[0], 0)
        self.assertEqual(self.ask(command="cut_power"), {"ok": True, "losses": 1})
        self.assertNotEqual(client.ask(READ, 0, 4096)[0], 0)
        self.assertFalse(self.ask(command="statistics")["power"])
        self.assertEqual(self.ask(command="cut_power"), {"ok": True, "losses": 1})
        self.assertTrue(self.ask(command="restore_power")["ok"])
        statistics = self.ask(command="statistics")
        self.assertTrue(statistics["power"])
        self.assertFalse(statistics["ready"])
        error, data = client.ask(READ, 0, 4096)
        self.assertEqual(error, 0)
        self.assertIn(data[:1], (b"\1", b"\2"))
        self.assertTrue(self.ask(command="statistics")["ready"])
        self.assertFalse(self.ask(command="cut_power", off_s=-1)["ok"])
        self.assertEqual(self.stop(process), 0)
        _, found = entries(log.read_bytes())
        self.assertIn((0, 8, b"before the cut"), found)


class Runs(Folder):
    def run_with(self, *keys):
        result = self.folder / "result.json"
        done = subprocess.run(
            [PLATTER, "run", SCENARIO, "--quiet", "--result", str(result), *arguments(keys)],
            capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(result.read_text())

    def test_an_open_load_meets_a_loss_of_power(self):
        whole = self.run_with()["classes"]["discrete"]
        self.assertEqual(whole["failed"], 0)
        cut = self.run_with(
            "power_cut.at_s=2", "power_cut.off_s=0.5", "drive.mechanics.spin_up_s=0.2"
        )
        cut = cut["classes"]["discrete"]
        self.assertGreater(cut["failed"], 20)
        self.assertGreater(cut["completed"], whole["completed"] / 2)
        for key in ("power_cut.at_write=100", "power_cut.at_s=2"):
            gone = self.run_with(key)["classes"]["discrete"]
            self.assertLess(gone["completed"], cut["completed"], key)


def entries(log):
    """The entries of a log in the format of dm-log-writes: sector, flags, data or mark."""
    magic, version, count, sector_bytes = struct.unpack_from("<QQQI", log)
    assert (magic, version) == (0x6A736677736872, 1)
    at = sector_bytes
    found = []
    for _ in range(count):
        sector, sectors, flags, length = struct.unpack_from("<QQQQ", log, at)
        inside = log[at + 32 : at + 32 + length]
        at += sector_bytes
        found.append(
            (sector, flags, inside if flags & 8 else log[at : at + sectors * sector_bytes])
        )
        at += sectors * sector_bytes
    assert at == len(log)
    return sector_bytes, found


class WriteLog(Served):
    def test_a_log_replays_to_the_same_disk(self):
        disk = self.folder / "disk"
        log = self.folder / "log"
        process, _ = self.start("--disk", str(disk), "--write-log", str(log))
        client = self.client()
        for i in range(60):
            place = (i * 7) % 40 * 4096
            self.assertEqual(client.ask(WRITE, place, 4096, bytes([i + 1]) * 4096)[0], 0)
            if i % 10 == 9:
                self.assertEqual(client.ask(FLUSH)[0], 0)
        # A write with FUA over a part of one that no flush has covered
        self.assertEqual(client.ask(WRITE, 0, 4096, b"\x70" * 4096)[0], 0)
        client.send(WRITE, 1024, 512, b"\x71" * 512, flags=1)
        self.assertEqual(struct.unpack(">IIQ", client.get(16))[1], 0)
        self.assertEqual(client.ask(FLUSH)[0], 0)
        self.assertEqual(self.stop(process), 0)
        sector_bytes, found = entries(log.read_bytes())
        self.assertEqual(sector_bytes, 512)
        image = bytearray(16 << 20)
        for sector, flags, data in found:
            if not flags & 8:
                image[sector * 512 : sector * 512 + len(data)] = data
        self.assertEqual(bytes(image), disk.read_bytes()[: len(image)])
        self.assertEqual([flags for _, flags, _ in found].count(1), 7)
        self.assertEqual(found[-1], (0, 8, b"end"))
        # Between two flushes stand the writes that the second one made durable.
        first = [flags for _, flags, _ in found].index(1)
        self.assertEqual(first, 10)
        last = [(sector, flags, len(data)) for sector, flags, data in found[-5:-1]]
        self.assertEqual(last, [(2, 2, 512), (0, 0, 1024), (3, 0, 2560), (0, 1, 0)])

    def test_a_run_has_one(self):
        log = self.folder / "log"
        done = subprocess.run(
            [PLATTER, "run", SCENARIO, "--quiet", "--write-log", str(log)],
            capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        _, found = entries(log.read_bytes())
        self.assertGreater(len(found), 300)
        for sector, flags, data in found[:-1]:
            self.assertEqual(flags, 0, "the load has neither flushes nor FUA")
            self.assertEqual(struct.unpack_from("<Q", data)[0], sector)


if __name__ == "__main__":
    unittest.main()
