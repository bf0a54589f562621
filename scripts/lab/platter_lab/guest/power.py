# SPDX-License-Identifier: Apache-2.0
"""`platter-lab guest power`: file systems and databases on a drive that loses its power.

A guest writes, synchronises, and only then acknowledges a number on its console. At seeded instants
the drive writes an image: what it would have if the power failed now. Another guest mounts the
images, so that journals are replayed, and checks them: all that was acknowledged before an image
was asked for must be there.
"""

from __future__ import annotations

import csv
import fcntl
import hashlib
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from platter_lab import LabError, StudyFailed
from platter_lab.guest import image, machine, packages, script

SOFTWARE = ("sqlite3", "mdadm")
# Disks of one boot of the judge: functions of the root bus's devices 4 to 29.
MOST_DISKS = 26 * 8
# Keys of the drive. A torn sector has a mixture of bytes, because a disk of QEMU has no sectors
# that cannot be read. The scheduler is the firmware's: QEMU needs the processors.
KEYS = ("engine=firmware", "drive.power_loss.torn_sector=mixed")


@dataclass
class Cut:
    """An image, and what is said of it."""

    number: int
    path: Path
    how: str
    acknowledged: int
    at_ps: int
    found: int = -1
    wrong: list[str] = field(default_factory=list)


def content(number: int) -> bytes:
    """Of the file with this number, as the guest's script makes it."""
    line = b"platter %d\n" % number
    size = 512 * (1 + number * 7 % 40) + number % 512
    return (line * (size // len(line) + 1))[:size]


def log_line(number: int) -> bytes:
    """What the guest's script appends for this number."""
    return b"line %d\n" % number * (number % 60 + 1)


def expected_files(most: int) -> list[tuple[int, str]]:
    """Number and line of md5sum for each file that stays as it is."""
    folders = {1: "new", 2: "moved"}
    return [
        (n, f"{hashlib.md5(content(n)).hexdigest()}  {folders[n % 4]}/{n}")
        for n in range(1, most + 1)
        if n % 4 in folders
    ]


def expected_log(most: int) -> bytes:
    return b"".join(log_line(n) for n in range(3, most + 1, 4))


def run(bench: machine.Bench) -> int:
    arguments, linux = bench.arguments, bench.linux
    kinds = arguments.kinds or list(script.POWER_KINDS)
    for name in kinds:
        if name not in script.POWER_KINDS:
            raise LabError(
                f'guest power: there is no kind "{name}"; expected some of '
                + ", ".join(script.POWER_KINDS)
            )
    if arguments.cuts < 1:
        raise LabError(f"--cuts: found {arguments.cuts}, expected at least 1")
    software = packages.Tree(bench.folder / "software", SOFTWARE, linux.suites)
    if any(script.POWER_KINDS[name].database for name in kinds):
        software.make()
    rows, wrong = [], []
    for name in kinds:
        run = PowerRun(bench, bench.folder / "power" / name, script.POWER_KINDS[name])
        begin = time.monotonic()
        cuts = run.cut(software)
        cut_s = time.monotonic() - begin
        run.judge(software, cuts)
        bad = [cut for cut in cuts if cut.wrong]
        wrong += [
            f"{name}, seed {arguments.seed}, cut {cut.number} ({cut.path}): {text}"
            for cut in bad
            for text in cut.wrong
        ]
        rows.append(
            (
                name,
                len(cuts),
                cuts[-1].acknowledged,
                sum(cut.found > cut.acknowledged for cut in cuts),
                len(bad),
                f"{cut_s:.0f}",
                f"{time.monotonic() - begin - cut_s:.0f}",
            )
        )
        print(f"guest: {name}: {len(cuts)} images, {len(bad)} with violations", flush=True)
    heads = ("kind", "images", "acknowledged", "newer", "violations", "cut s", "judged s")
    print(_table(heads, rows))
    if wrong:
        raise StudyFailed("\n".join(wrong))
    return 0


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    cells = [heads, *(tuple(str(cell) for cell in row) for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


class PowerRun:
    """The images of one kind."""

    def __init__(self, bench: machine.Bench, folder: Path, kind: script.PowerKind) -> None:
        self._bench = bench
        self._folder = folder
        self._kind = kind
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = (folder / "lock").open("w")  # until the process ends
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as busy:
            raise LabError(
                f"guest power: another run writes images into {folder}, expected one at a time"
            ) from busy
        for old in (*folder.glob("cut*.img"), folder / "disk"):
            old.unlink(missing_ok=True)

    def _initrd(
        self, software: packages.Tree, name: str, text: str, files: list[tuple[str, bytes]]
    ) -> Path:
        path = self._folder / name
        image.make(
            self._bench.linux,
            path,
            text,
            programs=self._kind.programs(),
            files=files,
            with_modules=self._kind.modules(),
            more=[(software, "usr/bin/sqlite3")] if self._kind.database else [],
        )
        return path

    def cut(self, software: packages.Tree) -> list[Cut]:
        """Runs the guest, and lets the drive write an image at each instant. The last image is the
        disk file itself, after the server was killed."""
        bench, arguments, folder = self._bench, self._bench.arguments, self._folder
        initrd = self._initrd(software, "work.gz", self._kind.work(), [])
        draw = random.Random(f"{arguments.seed} {self._kind.name}")
        cuts: list[Cut] = []
        disk = str(folder / "disk")
        server = bench.server("realtime", "--disk", disk, keys=KEYS, folder=folder)
        with server.listen(bench.kind):
            disks = machine.disk_options(bench.kind, server.address)
            command = machine.linux_machine(bench.qemu, bench.linux, initrd, disks)
            with machine.Guest(command, folder / "work.log") as guest:
                said = guest.wait_for(r"^ACK [1-9]", arguments.limit)
                if "FAILED" in said or "\nwrite back\n" not in said:
                    raise machine.Failed(
                        "the guest has no file system, or a drive without a write cache; its "
                        f"console is in {guest.log}"
                    )
                while len(cuts) < arguments.cuts:
                    time.sleep(draw.uniform(0, 2 * arguments.every))
                    how = draw.choice(("acknowledged", "any"))
                    if how == "acknowledged":  # at once after the next acknowledgement
                        guest.wait_for(r"^ACK ", 60, after=len(guest.console()))
                    cuts.append(self._image(server, len(cuts), how, _acknowledged(guest)))
                acknowledged = _acknowledged(guest)
                server.kill()
                (folder / "disk").rename(folder / "cut_killed.img")
                killed = Cut(len(cuts), folder / "cut_killed.img", "killed", acknowledged, -1)
                cuts.append(killed)
        return cuts

    def _image(self, server: machine.Server, number: int, how: str, acknowledged: int) -> Cut:
        """Precondition: the console was read before, and not after."""
        path = self._folder / f"cut{number:03}.img"
        answer = server.ask("power_image", path=str(path))
        return Cut(number, path, how, acknowledged, answer["time_ps"])

    def judge(self, software: packages.Tree, cuts: list[Cut]) -> None:
        """Boots guests that check all images. Images without a violation are removed."""
        most = max(cut.acknowledged for cut in cuts)
        files = expected_files(most)
        expected = "".join(f"{line}\n" for _, line in files)
        batch = max(1, min(self._bench.arguments.batch, MOST_DISKS))
        for begin in range(0, len(cuts), batch):
            part = cuts[begin : begin + batch]
            lines = "".join(
                f"{cut.number} cut{cut.number} "
                f"{sum(n <= cut.acknowledged for n, _ in files)} "
                f"{len(expected_log(cut.acknowledged))}\n"
                for cut in part
            )
            initrd = self._initrd(
                software,
                "judge.gz",
                self._kind.judge(),
                [("cuts", lines.encode()), ("expected", expected.encode())],
            )
            parts = machine.run_to_end(
                machine.linux_machine(self._bench.qemu, self._bench.linux, initrd, _disks(part)),
                self._folder / f"judge{begin // batch}.log",
                self._bench.arguments.limit + 20 * len(part),
            )
            for cut in part:
                self._verdict(cut, parts["judge"])
                if not cut.wrong and not self._bench.arguments.keep:
                    cut.path.unlink()
            self._keep(cuts[: begin + batch])

    def _keep(self, cuts: list[Cut]) -> None:
        """Writes what is known so far."""
        with (self._folder / "cuts.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(("cut", "how", "at_ps", "acknowledged", "found", "violations"))
            for cut in cuts:
                rows.writerow(
                    (
                        cut.number,
                        cut.how,
                        cut.at_ps,
                        cut.acknowledged,
                        cut.found,
                        "; ".join(cut.wrong),
                    )
                )

    def _verdict(self, cut: Cut, said: str) -> None:
        found = re.search(rf"^CUT {cut.number}\n(.*?)^DONE {cut.number}$", said, re.M | re.S)
        if not found:
            cut.wrong.append("the judge says nothing of it")
            return
        body = found[1]
        cut.wrong += [line[4:] for line in body.splitlines() if line.startswith("BAD ")]
        cut.wrong += (_database if self._kind.database else _files)(cut, body)


def _acknowledged(guest: machine.Guest) -> int:
    said = guest.console()
    return int(said[said.rfind("\nACK ") + 5 :].split("\n", 1)[0])


def _disks(cuts: list[Cut]) -> list[str]:
    """QEMU's options for the images; what the guest writes is not kept."""
    options = ["-machine", "q35,sata=off", "-vga", "none"]
    for i, cut in enumerate(cuts):
        options += [
            "-drive",
            f"file={cut.path},format=raw,if=none,id=i{i},snapshot=on,cache=unsafe",
            "-device",
            f"virtio-blk-pci,drive=i{i},serial=cut{cut.number},num-queues=1,"
            f"addr={4 + i // 8:x}.{i % 8},multifunction=on",
        ]
    return options


def _files(cut: Cut, body: str) -> list[str]:
    """What is wrong with files that take the place of others, and with the log."""
    wrong = []
    slots = {slot: md5 for md5, slot in re.findall(r"^(\w{32})  slot/(\d)$", body, re.M)}
    newest = cut.acknowledged
    for slot in range(8):
        last = max((n for n in range(4, cut.acknowledged + 1, 4) if n // 4 % 8 == slot), default=0)
        # The next ones of the slot may be there already.
        may = {
            hashlib.md5(content(n)).hexdigest(): n
            for n in range(last or slot * 4, last + 256, 32)
            if n
        }
        if slots.get(str(slot)) in may:
            newest = max(newest, may[slots[str(slot)]])
        elif last or str(slot) in slots:
            wrong.append(f"slot/{slot} has neither {last} nor a later number")
    log = hashlib.md5(expected_log(cut.acknowledged)).hexdigest()
    if f"LOG {log}" not in body:
        wrong.append(f"log is not that of {cut.acknowledged}")
    cut.found = newest
    return wrong


def _database(cut: Cut, body: str) -> list[str]:
    wrong = []
    if "INTEGRITY ok\n" not in body or body.count("INTEGRITY") != 1:
        wrong.append("integrity_check: " + "; ".join(re.findall(r"^INTEGRITY (.*)", body, re.M)))
    found = re.search(r"^LAST (\d+) (\d+) (\d+)$", body, re.M)
    if not found:
        return [*wrong, "the database has no answer"]
    last, count, most = (int(number) for number in found.groups())
    cut.found = last
    if last < cut.acknowledged:
        wrong.append(f"transaction {cut.acknowledged} was acknowledged, the last one is {last}")
    if count != last or most != last:
        wrong.append(f"transaction {last} is the last one, but there are {count} rows up to {most}")
    if "WRONG 0\n" not in body:
        wrong.append("a row has another content")
    return wrong
