# SPDX-License-Identifier: Apache-2.0
"""`platter serve` from outside, without clients of others:
its options, its images, its memory, its end.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

PLATTER = os.environ["PLATTER"]
SOURCE = pathlib.Path(os.environ["PLATTER_SOURCE"])
SCENARIO = str(SOURCE / "models/configs/scenarios/guest_drive.toml")
ARRAY = ("--set", "host.kind=array", "--set", "array.drives=2")
READ, WRITE, FLUSH = 0, 1, 3


def command(folder, *options, address=None):
    return [
        PLATTER,
        "serve",
        SCENARIO,
        "--nbd",
        address or f"{folder}/socket",
        "--pacing",
        "asap",
        "--quiet",
        "--set",
        "engine=firmware",
        "--set",
        "drive=barracuda",
        *options,
    ]


class Nbd:
    """A client."""

    def __init__(self, address, export="disk", family=socket.AF_UNIX):
        self.socket = socket.socket(family)
        self.socket.settimeout(30)
        self.socket.connect(address)
        self.get(18)
        name = export.encode()
        self.socket.sendall(
            struct.pack(">I", 3)
            + b"IHAVEOPT"
            + struct.pack(">III", 7, 6 + len(name), len(name))
            + name
            + b"\0\0"
        )
        reply = 0
        while reply != 1:
            _, _, reply, length = struct.unpack(">QIII", self.get(20))
            assert reply < 1 << 31, reply
            self.get(length)

    def get(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError("closed")
            data += part
        return bytes(data)

    def send(self, kind, offset=0, length=0, data=b"", cookie=1, flags=0):
        self.socket.sendall(
            struct.pack(">IHHQQI", 0x25609513, flags, kind, cookie, offset, length) + data
        )

    def ask(self, kind, offset=0, length=0, data=b""):
        """The error number, and what was read."""
        self.send(kind, offset, length, data)
        _, error, _ = struct.unpack(">IIQ", self.get(16))
        return error, self.get(length) if kind == READ and error == 0 else b""

    def close(self):
        self.socket.close()


class ServeCase(unittest.TestCase):
    def connect(self, *address, **options):
        client = Nbd(*address, **options)
        self.addCleanup(client.close)
        return client

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="platter-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = f"{folder.name}/socket"

    def serve(self, *options, address=None):
        process = subprocess.Popen(
            command(self.folder, *options, address=address),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        self.line = process.stdout.readline()
        return process

    def refused(self, *options, address=None):
        done = subprocess.run(
            command(self.folder, *options, address=address),
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr

    def end(self, process):
        """The wall time from the signal to the end [s]."""
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)
        return time.monotonic() - begin


class Options(ServeCase):
    def test_an_image_is_a_file_with_an_end(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        for image, told in (
            (str(fifo), "expected a regular file or a block device"),
            ("/dev/zero", "expected a regular file or a block device"),
            (str(self.folder), "is a folder, expected a file"),
        ):
            begin = time.monotonic()
            self.assertIn(told, self.refused("--image", image), image)
            self.assertLess(time.monotonic() - begin, 5)
        good = self.folder / "image"
        good.write_bytes(bytes(range(256)) * 4)
        process = self.serve("--image", str(good))
        self.assertEqual(self.connect(self.path).ask(READ, 0, 1024), (0, good.read_bytes()))
        self.assertLess(self.end(process), 1)

    def test_a_signal_ends_it_while_it_reads_an_image(self):
        image = self.folder / "image"
        with image.open("wb") as file:
            for _ in range(64):
                file.write(b"\1" * (1 << 20))
        for delay in (0.02, 0.1, 0.2):
            process = subprocess.Popen(
                command(self.folder, "--image", str(image)),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            time.sleep(delay)
            begin = time.monotonic()
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
            self.assertLess(time.monotonic() - begin, 3, "1 s on a quiet machine")

    def test_ports(self):
        for address in (":65536", "localhost:70000", "127.0.0.1:100000", ":4294977296"):
            self.assertRegex(self.refused(address=address), r"found port \d+, expected 0 to 65535")
        self.assertEqual(os.listdir(self.folder), [])
        process = self.serve(address=":0")
        port = int(re.search(r":(\d+)/", self.line)[1])
        families = [(socket.AF_INET, ("127.0.0.1", port))]
        try:
            with socket.socket(socket.AF_INET6) as probe:
                probe.bind(("::1", 0))
            families.append((socket.AF_INET6, ("::1", port)))
        except OSError:
            pass  # this machine has none
        for family, address in families:
            client = self.connect(address, family=family)
            self.assertEqual(client.ask(READ, 0, 512), (0, bytes(512)))
            client.close()
        self.end(process)

    def test_memory_has_a_least_size(self):
        self.assertIn(
            "--nbd-memory: found 1048576 bytes, expected at least 67108864",
            self.refused("--nbd-memory", "1MiB"),
        )

    def test_a_drive_of_an_array_fails_and_returns(self):
        fault = (
            "--set",
            "array.kind=striped",
            "--set",
            "failure.fails_at_s=1",
            "--set",
            "failure.drive=1",
            "--set",
            "failure.revives_at_s=3",
        )
        self.assertIn(
            "failure.replaced", self.refused(*ARRAY, *fault, "--set", "failure.replaced=true")
        )
        self.serve(*ARRAY, *fault)
        lives, fails = self.connect(self.path, "disk0"), self.connect(self.path, "disk1")

        def pass_time(seconds):
            """In `asap` time passes only while a command is outstanding:
            about 10 ms for a random read."""
            for i in range(int(seconds * 100)):
                self.assertEqual(lives.ask(READ, (i * 7919 % 4_000_000) * 512, 512)[0], 0)

        self.assertEqual(fails.ask(READ, 0, 512)[0], 0)
        errors = []
        for _ in range(60):
            errors.append(fails.ask(READ, 4096, 512)[0])
            pass_time(0.2)
            if errors[-1] == 0 and 5 in errors:
                break
        self.assertEqual(errors[0], 0)
        self.assertIn(5, errors, "EIO while it has failed")
        self.assertEqual(errors[-1], 0, "it has returned")


class Control(ServeCase):
    """The control socket: one JSON object a line, and one as the answer to each."""

    def control(self):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(30)
        self.addCleanup(client.close)
        for _ in range(3000):
            try:
                client.connect(f"{self.folder}/control")
                break
            except OSError:
                time.sleep(0.01)
        return client, client.makefile("r")

    def tell(self, client, text):
        connection, lines = client
        connection.sendall(text.encode() + b"\n")
        return json.loads(lines.readline())

    def test_commands(self):
        process = self.serve("--control", f"{self.folder}/control")
        disk = self.connect(self.path)
        client = self.control()
        known = self.tell(client, '{"command": "help"}')
        self.assertTrue(known["ok"])
        self.assertIn("statistics", known["commands"])
        self.assertEqual(disk.ask(READ, 0, 4096)[0], 0)
        counted = self.tell(client, '{"command": "statistics", "drive": 0}')
        self.assertEqual(counted["classes"]["discrete"]["read_bytes"], 4096)
        self.assertTrue(self.tell(client, '{"command": "fail"}')["ok"])
        self.assertEqual(disk.ask(READ, 1 << 20, 4096)[0], 5)
        self.assertTrue(self.tell(client, '{"command": "revive"}')["ok"])
        self.assertEqual(disk.ask(READ, 1 << 20, 4096)[0], 0)
        deep = self.tell(client, '{"command": ' + "[" * 300_000)
        self.assertIn("values within", deep["error"], "and the server goes on")
        other = self.control()  # several clients, and several commands in one message
        other[0].sendall(b'{"command": "help"}\n{"command": "stop"}\n')
        self.assertEqual([json.loads(other[1].readline())["ok"] for _ in range(2)], [True, True])
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)
        self.assertFalse((self.folder / "control").exists())

    def test_what_is_wrong_has_an_answer(self):
        process = self.serve("--control", f"{self.folder}/control")
        client = self.control()
        for line, answer in (
            ("no JSON", "no JSON"),
            ("[1]", "expected a JSON object"),
            ("{}", "command: is missing"),
            ('{"command": 1}', "command: found 1, expected a text"),
            ('{"command": "unknown"}', "there is no"),
            ('{"command": "statistics", "drive": 1}', "drive: found 1, expected 0 to 0"),
            ('{"command": "statistics", "drive": -1}', "at least 0"),
            ('{"command": "fail", "other": 1}', "other: this command has no such argument"),
            ('{"command": "\u00e9\\ud800"}', ""),
        ):
            told = self.tell(client, line)
            self.assertFalse(told["ok"], line)
            self.assertIn(answer, told["error"])
        self.assertEqual(self.connect(self.path).ask(READ, 0, 512)[0], 0, "nothing has failed")
        self.end(process)

    def test_a_client_without_an_end_of_line_is_dropped(self):
        process = self.serve("--control", f"{self.folder}/control")
        connection, _ = self.control()
        with contextlib.suppress(OSError):
            connection.sendall(b"x" * (3 << 20))
            self.assertEqual(connection.recv(1), b"")
        self.assertTrue(self.tell(self.control(), '{"command": "help"}')["ok"])
        self.end(process)

    def test_the_address_is_a_path(self):
        self.assertIn("expected the path", self.refused("--control", "localhost:0"))


class Memory(ServeCase):
    LARGE = 32 << 20
    LIMIT = 64 << 20
    SLACK = 48 << 20  # frames, buffers of connections, the allocator's rest

    def resident(self, process):
        return (
            int(
                re.search(
                    r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{process.pid}/status").read_text()
                )[1]
            )
            << 10
        )

    def server(self):
        process = self.serve("--nbd-memory", "64MiB")
        other = self.connect(self.path)
        self.assertEqual(other.ask(READ, 0, 512)[0], 0)
        return process, other, self.resident(process)

    def test_headers_without_data_take_none(self):
        process, other, before = self.server()
        clients = [self.connect(self.path) for _ in range(100)]
        for client in clients:
            client.send(WRITE, 0, self.LARGE)
        self.assertEqual(other.ask(WRITE, 0, 1 << 20, bytes(1 << 20))[0], 0)
        self.assertLess(self.resident(process) - before, 32 << 20)
        self.end(process)

    def test_readers_that_are_gone_leave_none(self):
        process, other, before = self.server()
        for _ in range(40):
            client = self.connect(self.path)
            for i in range(16):
                client.send(READ, i * 4096, self.LARGE // 8)
            client.close()
        end = time.monotonic() + 20
        while True:  # until the drive has carried out what it had got
            self.assertEqual(other.ask(READ, 0, 512)[0], 0)
            taken = self.resident(process) - before
            self.assertLess(taken, self.LIMIT + self.SLACK)
            if taken < self.SLACK or time.monotonic() > end:
                break
            time.sleep(0.1)
        self.assertLess(taken, self.SLACK)
        self.end(process)

    def test_readers_that_do_not_read_are_no_bar(self):
        process, other, before = self.server()
        idle = [self.connect(self.path) for _ in range(20)]
        for client in idle:
            for i in range(8):
                client.send(READ, i * 4096, self.LARGE // 8)
        begin = time.monotonic()
        self.assertEqual(other.ask(READ, 0, 4096)[0], 0)
        self.assertLess(time.monotonic() - begin, 10, "a small request needs nobody else's memory")
        self.assertLess(self.resident(process) - before, self.LIMIT + self.SLACK)
        other.socket.settimeout(60)
        self.assertEqual(other.ask(READ, 0, self.LARGE // 4)[0], 0)
        self.assertLess(self.resident(process) - before, self.LIMIT + self.SLACK)
        self.assertLess(self.end(process), 2)


if __name__ == "__main__":
    unittest.main()
