# SPDX-License-Identifier: Apache-2.0
"""A served drive, and a virtual machine that uses it."""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from typing import Any

from platter_lab.guest.packages import Tree


class Failed(Exception):
    """The machine or the drive did not do what was asked; the text says what."""


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
        self._log = self.folder / "serve.log"
        self._command = [
            str(platter),
            "serve",
            str(scenario),
            "--result",
            str(self.result),
            *options,
        ]

    def listen(self, option: str) -> Server:
        """`option`: --nbd or --vfio-user."""
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [*self._command, option, str(self.socket)], stdout=log, stderr=subprocess.STDOUT
            )
        for _ in range(300):
            if self._process.poll() is not None:
                raise Failed(
                    f"platter serve ended with exit code {self._process.returncode}: "
                    f"{self._log.read_text().strip()}"
                )
            if " at " in self._log.read_text():
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

    def end(self) -> tuple[dict[str, Any], str]:
        """Ends it; its result and what it said."""
        self.__exit__()
        said = self._log.read_text()
        if self._process.returncode != 0:
            raise Failed(
                f"platter serve ended with exit code {self._process.returncode}: {said.strip()}"
            )
        return json.loads(self.result.read_text()), said


def disk_options(kind: str, socket: pathlib.Path, shared: bool = True) -> list[str]:
    """QEMU's options for the disk at a socket: by vfio-user, or QEMU's own adapter in front of NBD.
    Not `shared`: the drive reaches the guest's memory by messages. It must where the guest executes
    what the drive has put there over other code, as a boot sector: QEMU's translator does not see
    that shared memory has changed."""
    if kind == "vfio-user":
        device = {"driver": "vfio-user-pci", "socket": {"path": str(socket), "type": "unix"}}
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
    return [
        "-machine",
        "q35",
        "-drive",
        f"driver=nbd,server.type=unix,server.path={socket},if=none,id=d0,cache.direct=on",
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


def boot(
    tree: Tree,
    linux: Tree,
    initrd: pathlib.Path,
    kind: str,
    socket: pathlib.Path,
    log: pathlib.Path,
    limit_s: float,
) -> dict[str, str]:
    """Boots Linux with an initial file system and waits until it has powered itself off. Its
    output, by part."""
    return run_to_end(
        qemu(
            tree,
            *disk_options(kind, socket),
            "-kernel",
            str(kernel(linux)),
            "-initrd",
            str(initrd),
            "-append",
            "console=ttyS0 panic=-1 mitigations=off loglevel=4",
        ),
        log,
        limit_s,
    )


def boot_from_disk(
    tree: Tree, kind: str, socket: pathlib.Path, log: pathlib.Path, limit_s: float
) -> dict[str, str]:
    """Boots what is on the disk, by SeaBIOS. The output as above."""
    return run_to_end(
        qemu(
            tree,
            *disk_options(kind, socket, shared=False),
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
    socket: pathlib.Path,
    options: Sequence[str],
    commands: Iterable[bytes],
    until: str,
    limit_s: float,
) -> str:
    """Runs a machine with other firmware, whose console gets `commands`, one a second; its output,
    until a text has come or the time is over."""
    process = subprocess.Popen(
        qemu(tree, *disk_options(kind, socket, shared=False), *options),
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
                f"the guest has not ended within {limit_s} s; its console is in {log}"
            ) from late
    text = pathlib.Path(log).read_text(errors="replace").replace("\r", "")
    parts = dict(re.findall(r"^== (\w+)\n(.*?)(?=^== |\Z)", text, flags=re.M | re.S))
    if done.returncode != 0 or "end" not in parts:
        raise Failed(
            f"the guest ended early (QEMU: exit code {done.returncode}); its console is in {log}"
        )
    return parts
