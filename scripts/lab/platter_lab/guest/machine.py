# SPDX-License-Identifier: Apache-2.0
"""A served drive, and a virtual machine that uses it."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from platter_lab.executable import ROOT, find_platter
from platter_lab.guest.packages import Tree

SCENARIO = ROOT / "models/configs/scenarios/guest_drive.toml"


class Failed(Exception):
    """The machine or the drive did not do what was asked; the text says what."""


def patience(seconds: float) -> float:
    """A time limit for what takes less than `seconds` on an idle machine: longer by the load, at
    most four times. A guest is slow where others use the processors too."""
    return seconds * min(max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0), 4.0)


class Server:
    """`platter serve`, as long as the context lasts."""

    def __init__(
        self, platter: pathlib.Path, scenario: pathlib.Path, folder: pathlib.Path, *options: str
    ) -> None:
        self.folder = pathlib.Path(folder)
        self.result = self.folder / "result.json"
        # A Unix socket's name must be short.
        self._sockets = tempfile.TemporaryDirectory(prefix="platter-")
        self.socket = pathlib.Path(self._sockets.name) / "socket"
        self.address = ""  #: where a machine finds the drive: the socket, or an iSCSI URL
        self.addresses: list[str] = []  #: of all drives; by iSCSI, a URL for each logical unit
        self._control = pathlib.Path(self._sockets.name) / "control"
        self._log = self.folder / "serve.log"
        self._command = [
            str(platter),
            "serve",
            str(scenario),
            "--result",
            str(self.result),
            *options,
        ]

    def listen(self, door: str) -> Server:
        """`door`: nbd, vfio-user or iscsi."""
        at = "localhost:0" if door == "iscsi" else str(self.socket)
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [*self._command, f"--{door}", at, "--control", str(self._control)],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        for _ in range(1200):
            if self._process.poll() is not None:
                raise Failed(
                    f"platter serve ended with exit code {self._process.returncode}: "
                    f"{self._log.read_text().strip()}"
                )
            found = re.findall(r" at (\S+?),?(?: as .*)?$", self._log.read_text(), flags=re.M)
            if found and self._control.exists():
                self.addresses = found if door == "iscsi" else [at]
                self.address = self.addresses[0]
                return self
            time.sleep(0.05)
        raise Failed("platter serve does not listen")

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=120)
        self._sockets.cleanup()

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a command of the control socket."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(60)
            client.connect(str(self._control))
            client.sendall(json.dumps({"command": command, **arguments}).encode() + b"\n")
            line = client.makefile().readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "no answer"}
        if not answer.get("ok"):
            raise Failed(f"platter serve: {command}: {answer['error']}")
        return answer

    def kill(self) -> None:
        """Ends it at once, by SIGKILL. It then has no result."""
        self._process.kill()
        self._process.wait()
        for file in self.folder.glob(f".platter-{self._process.pid}-*.partial"):
            file.unlink()

    def end(self) -> tuple[dict[str, Any], str]:
        """Ends it; its result and what it said."""
        self.__exit__()
        said = self._log.read_text()
        if self._process.returncode != 0:
            raise Failed(
                f"platter serve ended with exit code {self._process.returncode}: {said.strip()}"
            )
        return json.loads(self.result.read_text()), said


@dataclass(frozen=True)
class Bench:
    """What the guests of one command have in common."""

    arguments: argparse.Namespace  #: of the command line
    folder: pathlib.Path  #: of packages and results
    qemu: Tree
    linux: Tree  #: and its programs
    kind: str  #: how the disk is attached: `vfio-user`, `iscsi` or `nbd`

    def server(
        self,
        pacing: str,
        *options: str,
        keys: Iterable[str] = (),
        scenario: pathlib.Path = SCENARIO,
        folder: pathlib.Path | None = None,
    ) -> Server:
        """A server, with this pacing, keys and scenario unless the command line says otherwise."""
        given = self.arguments
        overrides = [part for key in (*keys, *given.set) for part in ("--set", key)]
        return Server(
            find_platter(given.platter),
            given.scenario or scenario,
            folder or self.folder,
            *("--pacing", given.pacing or pacing, *options, *overrides),
        )

    def boot(
        self, initrd: pathlib.Path, log: pathlib.Path, *addresses: str, limit_s: float = 0
    ) -> dict[str, str]:
        """Boots Linux with an initial file system and waits until it has powered itself off. Its
        output, by part. `addresses`: of its disks. `limit_s`: as long as this at least."""
        command = linux_machine(self.qemu, self.linux, initrd, disk_options(self.kind, *addresses))
        return run_to_end(command, log, max(limit_s, self.arguments.limit))


def disk_options(kind: str, address: str, *others: str, shared: bool = True) -> list[str]:
    """QEMU's options for the disk at an address: by vfio-user, QEMU's own adapter in front of NBD,
    or a SCSI adapter that passes the guest's commands on by iSCSI. `others`: addresses of more
    disks, by iSCSI only.
    Not `shared`: the drive reaches the guest's memory by messages. It must where the guest executes
    what the drive has put there over other code, as a boot sector: QEMU's translator does not see
    that shared memory has changed."""
    if kind == "vfio-user":
        device = {"driver": "vfio-user-pci", "socket": {"path": address, "type": "unix"}}
        if not shared:
            return ["-machine", "q35,sata=off", "-device", json.dumps(device)]
        return [
            "-machine",
            "q35,sata=off",
            "-object",
            "memory-backend-memfd,id=m,size=1024M,share=on",
            "-numa",
            "node,memdev=m",
            "-device",
            json.dumps(device),
        ]
    if kind == "iscsi":
        options = ["-machine", "q35", "-nodefaults", "-device", "virtio-scsi-pci"]
        for number, each in enumerate((address, *others)):
            options += ["-drive", f"file={each},if=none,id=d{number},format=raw"]
            options += ["-device", f"scsi-generic,drive=d{number}"]
        return options
    return [
        "-machine",
        "q35",
        "-drive",
        f"driver=nbd,server.type=unix,server.path={address},if=none,id=d0,cache.direct=on",
        "-device",
        "ide-hd,drive=d0,bus=ide.0",
    ]


def qemu_program(tree: Tree) -> list[str]:
    """The beginning of QEMU's command line."""
    share = tree.root / "usr/share"
    modules = tree.root / "usr/lib/x86_64-linux-gnu/qemu"
    return [
        "env",
        f"QEMU_MODULE_DIR={modules}",
        *tree.command("usr/bin/qemu-system-x86_64"),
        "-L",
        str(share / "qemu"),
        "-L",
        str(share / "seabios"),
    ]


def qemu(tree: Tree, *options: str) -> list[str]:
    """The command line of a virtual machine without a screen; its console is the standard
    output."""
    return [
        *qemu_program(tree),
        "-accel",
        "tcg",
        "-m",
        "1024",
        "-display",
        "none",
        "-monitor",
        "none",
        "-serial",
        "stdio",
        "-no-reboot",
        "-nic",
        "none",
        *options,
    ]


def kernel(linux: Tree) -> pathlib.Path:
    """The kernel of a tree."""
    return next((linux.root / "boot").glob("vmlinuz-*"))


class Guest:
    """A virtual machine that runs; its console can be read meanwhile. The context kills it."""

    def __init__(self, command: Sequence[str], log: pathlib.Path) -> None:
        self.log = log
        self._kept = log.open("wb")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._keyboard, self._console = self.process.stdin, self.process.stdout
        os.set_blocking(self._console.fileno(), False)
        self._said = bytearray()

    def __enter__(self) -> Guest:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.console()
        self._keyboard.close()
        self._console.close()
        self._kept.close()

    def enter(self) -> None:
        """Sends an empty line to its console."""
        self._keyboard.write(b"\n")
        self._keyboard.flush()

    def console(self) -> str:
        """What it has said so far, up to the last whole line."""
        while part := self._console.read():
            self._kept.write(part)
            self._said += part
        whole = self._said[: self._said.rfind(b"\n") + 1]
        return whole.decode(errors="replace").replace("\r", "")

    def wait_for(self, pattern: str, limit_s: float, after: int = 0) -> str:
        """Its console, as soon as the pattern is found after this many characters of it. Failed if
        it ends before, or after `limit_s`.
        """
        end = time.monotonic() + limit_s
        while True:
            ended = self.process.poll() is not None
            said = self.console()
            if re.search(pattern, said[after:], flags=re.M):
                return said
            if ended:
                raise Failed(f"the guest ended early; its console is in {self.log}")
            if time.monotonic() > end:
                raise Failed(
                    f'the guest has not said "{pattern}" within {limit_s:g} s; its console is in '
                    f"{self.log}"
                )
            select.select([self._console], [], [], 0.2)


def linux_machine(tree: Tree, linux: Tree, initrd: pathlib.Path, disks: Sequence[str]) -> list[str]:
    """The command line of a virtual machine that boots Linux with an initial file system. `disks`:
    QEMU's options for them."""
    return qemu(
        tree,
        *disks,
        "-kernel",
        str(kernel(linux)),
        "-initrd",
        str(initrd),
        "-append",
        # On a busy machine the kernel may find no ticks of the timer, and panics without the last.
        "console=ttyS0 panic=-1 mitigations=off loglevel=4 no_timer_check",
    )


def boot_from_disk(
    tree: Tree, kind: str, address: str, log: pathlib.Path, limit_s: float
) -> dict[str, str]:
    """Boots what is on the disk, by SeaBIOS. Its output, by part."""
    return run_to_end(
        qemu(
            tree,
            *disk_options(kind, address, shared=False),
            "-machine",
            "graphics=off",
            "-boot",
            "c",
        ),
        log,
        limit_s,
    )


def firmware(
    tree: Tree,
    kind: str,
    address: str,
    options: Sequence[str],
    commands: Iterable[bytes],
    until: str,
    limit_s: float,
) -> str:
    """Runs a machine with other firmware, whose console gets `commands`, one a second; its output,
    until a text has come or the time is over."""
    process = subprocess.Popen(
        qemu(tree, *disk_options(kind, address, shared=False), *options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdin is not None and process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    said, end = "", time.monotonic() + limit_s
    left = list(commands)
    try:
        while time.monotonic() < end and not re.search(until, said) and process.poll() is None:
            time.sleep(1)
            said += (process.stdout.read() or b"").decode(errors="replace").replace("\r", "")
            if left:
                process.stdin.write(left.pop(0))
                process.stdin.flush()
    finally:
        process.kill()
        process.wait()
    return re.sub(r"\x1b\[[0-9;?=]*[A-Za-z]", "", said)


def parts_of(said: str) -> dict[str, str]:
    """The parts of a guest's output, by name."""
    return dict(re.findall(r"^== (\w+)\n(.*?)(?=^== |\Z)", said, flags=re.M | re.S))


def run_to_end(command: Sequence[str], log: pathlib.Path, limit_s: float) -> dict[str, str]:
    """Runs a machine until it has powered itself off; the parts of its output."""
    with open(log, "wb") as console:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                timeout=limit_s,
            )
        except subprocess.TimeoutExpired as late:
            raise Failed(
                f"the guest has not ended within {limit_s:.0f} s; its console is in {log}"
            ) from late
    parts = parts_of(pathlib.Path(log).read_text(errors="replace").replace("\r", ""))
    if done.returncode != 0 or "end" not in parts:
        raise Failed(
            f"the guest ended early (QEMU: exit code {done.returncode}); its console is in {log}"
        )
    return parts
