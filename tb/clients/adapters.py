# SPDX-License-Identifier: Apache-2.0
"""AHCI adapters by their registers and the memory that they reach:
ours by vfio-user, and QEMU's ich9-ahci by qtest."""

import array
import fcntl
import mmap
import os
import pathlib
import socket
import struct
import subprocess
import tempfile
import time

MEMORY = 16 << 20


class Adapter:
    """`read` and `write` reach the registers (4 bytes),
    `get` and `put` the memory from 0 to MEMORY."""

    def close(self):
        raise NotImplementedError

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Ours(Adapter):
    """`platter serve --vfio-user`, and a client of it."""

    VERSION, DMA_MAP, REGION_READ, REGION_WRITE, SET_IRQS = 1, 2, 9, 10, 8

    def __init__(self, platter, scenario, *options):
        self._folder = tempfile.TemporaryDirectory(prefix="platter-")
        path = pathlib.Path(self._folder.name) / "socket"
        self._server = subprocess.Popen(
            [
                platter,
                "serve",
                scenario,
                "--vfio-user",
                str(path),
                "--pacing",
                "asap",
                "--quiet",
                *options,
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert " at " in self._server.stdout.readline()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(20)
        self._socket.connect(str(path))
        self._number = 0
        self._ask(self.VERSION, struct.pack("<HH", 0, 0) + b'{"capabilities":{}}\0')
        self._ask(self.REGION_WRITE, struct.pack("<QIIH", 4, 7, 2, 6))  # memory, bus master
        memory = os.memfd_create("guest", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(memory, MEMORY)
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        self._memory = mmap.mmap(memory, MEMORY)
        self._ask(self.DMA_MAP, struct.pack("<IIQQQ", 32, 3, 0, 0, MEMORY), [memory])
        os.close(memory)
        self.event = os.eventfd(0, os.EFD_NONBLOCK)
        self._ask(self.SET_IRQS, struct.pack("<IIIII", 20, 0x24, 1, 0, 1), [self.event])

    def _ask(self, command, body, files=()):
        self._number = (self._number + 1) & 0xFFFF
        message = struct.pack("<HHIII", self._number, command, 16 + len(body), 0, 0) + body
        ancillary = (
            [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        )
        self._socket.sendmsg([message], ancillary)
        number, _, size, flags, error = struct.unpack("<HHIII", self._receive(16))
        assert number == self._number and flags == 1, (command, flags, error)
        return self._receive(size - 16)

    def _receive(self, count):
        data = b""
        while len(data) < count:
            part = self._socket.recv(count - len(data))
            assert part, "the server has closed the connection"
            data += part
        return data

    def read(self, offset):
        return struct.unpack(
            "<I", self._ask(self.REGION_READ, struct.pack("<QII", offset, 5, 4))[16:]
        )[0]

    def write(self, offset, value):
        self._ask(self.REGION_WRITE, struct.pack("<QIII", offset, 5, 4, value))

    def get(self, address, count):
        return self._memory[address : address + count]

    def put(self, address, data):
        self._memory[address : address + len(data)] = bytes(data)

    def close(self):
        self._socket.close()
        os.close(self.event)
        self._server.terminate()
        self._server.stdout.close()
        assert self._server.wait(timeout=60) == 0, "platter serve failed"
        self._memory.close()
        self._folder.cleanup()


class Qemus(Adapter):
    """QEMU's ich9-ahci with one hard disk, by the qtest protocol, without a processor that runs."""

    BAR = 0xE000_0000
    DEVICE = 4 << 11  # device 4 of bus 0

    def __init__(self, command, sectors):
        """`command`: the beginning of QEMU's command line."""
        self._folder = tempfile.TemporaryDirectory(prefix="platter-")
        folder = pathlib.Path(self._folder.name)
        with open(folder / "disk", "wb") as disk:
            disk.truncate(sectors * 512)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(folder / "qtest"))
        listener.listen()
        self._qemu = subprocess.Popen(
            [
                *command,
                "-machine",
                "q35,sata=off",
                "-accel",
                "tcg",
                "-S",
                "-m",
                "64",
                "-display",
                "none",
                "-nodefaults",
                "-qtest",
                f"unix:{folder / 'qtest'}",
                "-device",
                "ich9-ahci,id=ahci,addr=4",
                "-drive",
                f"if=none,id=disk,format=raw,file={folder / 'disk'}",
                "-device",
                "ide-hd,drive=disk,bus=ahci.0",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        listener.settimeout(60)
        connection, _ = listener.accept()
        listener.close()
        connection.settimeout(60)
        self._lines = connection.makefile("rw", newline="\n")
        connection.close()
        self._config(0x24, self.BAR)
        self._config(0x04, 7)

    def _ask(self, line):
        self._lines.write(line + "\n")
        self._lines.flush()
        while True:
            said = self._lines.readline().split()
            assert said, "QEMU has ended"
            if said[0] == "OK":
                return said[1:]
            assert said[0] == "IRQ", said

    def _config(self, offset, value):
        self._ask(f"outl 0xcf8 {0x8000_0000 | self.DEVICE | offset:#x}")
        self._ask(f"outl 0xcfc {value:#x}")

    def read(self, offset):
        return int(self._ask(f"readl {self.BAR + offset:#x}")[0], 16)

    def write(self, offset, value):
        self._ask(f"writel {self.BAR + offset:#x} {value:#x}")

    def get(self, address, count):
        return bytes.fromhex(self._ask(f"read {address:#x} {count:#x}")[0][2:])

    def put(self, address, data):
        self._ask(f"write {address:#x} {len(data):#x} 0x{bytes(data).hex()}")

    def close(self):
        self._lines.close()
        self._qemu.terminate()
        self._qemu.wait(timeout=60)
        self._folder.cleanup()


def patiently(condition, limit_s=20):
    """Waits until the condition holds; whether it does."""
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.0005)
    return True
