# SPDX-License-Identifier: Apache-2.0
"""`platter-lab guest zones`: a drive with zones held against Linux's `scsi_debug`.

The guest has both as SCSI disks with the same zones. A program in it sends the same seeded random
commands to both and prints what they answer. Every difference must be one of `DIFFERENCES`, each of
which says what the standard has to say of it. Programs for zoned drives then use the drive.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from platter_lab import StudyFailed
from platter_lab.executable import ROOT, find_platter
from platter_lab.guest import image, machine, packages, script

SOFTWARE = ("util-linux", "zonefs-tools")
MODULES = ("crc32c_generic", "virtio_pci", "virtio_scsi", "sd_mod", "sg", "zonefs", "scsi_debug")
PROGRAM = ROOT / "tb/clients/zone_commands.c"

# What the programs for zoned drives must say.
EXPECTED = {
    "disks": ("host-managed, 64 zones of 2048 sectors, 8 open, 4096-byte physical blocks",),
    "blkzone": ("wptr 0x000100", "3(oe)", "4(cl)", "14(fu)", "refused: ", "not empty: 0"),
    "fio": ("err= 0",),
    "zonefs": ("3 conventional, 60 sequential", "read what was written", "/mnt/seq/3 0"),
}
DRIVE_MIB, ZONE_MIB, CONVENTIONAL, OPEN = 64, 1, 4, 8
KEYS = (
    "engine=firmware",
    "drive=wd22tb_zoned",
    "drive.zones.model={model}",
    f"drive.geometry.blocks={DRIVE_MIB * 2048}",
    f"drive.zones.zone_mib={ZONE_MIB}",
    f"drive.zones.conventional={CONVENTIONAL}",
    f"drive.zones.max_open={OPEN}",
)
REFEREE = (
    f"zbc={{model}} dev_size_mb={DRIVE_MIB} zone_size_mb={ZONE_MIB} zone_nr_conv={CONVENTIONAL} "
    f"zone_max_open={OPEN} sector_size=512 physblk_exp=3 delay=0"
)


@dataclass(frozen=True)
class Answer:
    """What a drive has answered to a command."""

    status: str
    sense: str
    rest: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Answer:
        status, sense, *rest = text.split(":")
        return cls(status, sense, tuple(rest))


@dataclass(frozen=True)
class Command:
    """A command, what both drives have answered, and which zones differ after it."""

    number: int
    operation: str
    lba: int
    blocks: int
    option: int
    condition: str  #: of the zone of `lba`, before the command; hexadecimal
    referee: Answer
    drive: Answer
    #: condition and write pointer of a zone: the referee's, and the drive's
    zones: tuple[tuple[str, int, str, int], ...] = ()

    @property
    def differs(self) -> bool:
        return self.referee != self.drive or bool(self.zones)

    def refusals(self, referee: str, drive: str) -> bool:
        """Whether the answers have these sense data; "good" is none."""
        found = [
            "good" if answer.status == "00" else answer.sense
            for answer in (self.referee, self.drive)
        ]
        return found == [referee, drive]


def read(lines: Iterable[str]) -> list[Command]:
    """The commands of the program's output."""
    commands: list[Command] = []
    for line in lines:
        word = line.split()
        if line.startswith("C ") and len(word) == 9:
            commands.append(
                Command(
                    int(word[1]),
                    word[2],
                    int(word[3]),
                    int(word[4]),
                    int(word[5], 16),
                    word[6],
                    Answer.of(word[7]),
                    Answer.of(word[8]),
                )
            )
        elif line.startswith("Z ") and len(word) == 7:
            # The lines of its command's zones; between them are commands that make them equal.
            at = next(i for i in reversed(range(len(commands))) if commands[i].operation != "even")
            found = (word[3], int(word[4]), word[5], int(word[6]))
            was = commands[at]
            commands[at] = Command(
                **{**was.__dict__, "zones": (*was.zones, found)}  # the others stay
            )
    return commands


@dataclass(frozen=True)
class Difference:
    """A difference from the referee that is not a fault of the drive. The page
    docs/verification/clients.md says what the standard has to say of each."""

    name: str
    is_it: Callable[[Command], bool]


def _other_victims(command: Command, but: bool = False) -> bool:
    """Whether the zones differ only in which of the implicitly open ones was closed. `but`: in
    another zone too, the one that is written."""
    others = [
        zone
        for zone in command.zones
        if (zone[0], zone[2]) not in (("2", "4"), ("4", "2")) or zone[1] != zone[3]
    ]
    return len(others) <= but


def _victim(command: Command) -> bool:
    return (
        command.operation in ("write", "same", "open")
        and command.refusals("good", "good")
        and _other_victims(command)
    )


def _open_all(command: Command) -> bool:
    """The referee has opened zones that it had closed to make room. It has more explicitly open
    zones."""
    return (
        (command.operation, command.option) == ("open", 1)
        and command.refusals("good", "good")
        and all(a == "3" or {a, c} == {"2", "4"} for a, _, c, _ in command.zones)
        and all(b == d for _, b, _, d in command.zones)
    )


def _finish(command: Command) -> bool:
    """The referee needs no open zone. The drive refuses, or closes an implicitly open zone."""
    if command.operation != "finish" or command.condition not in ("1", "4"):
        return False
    if command.refusals("good", "7/55/0e"):
        return [(a, c) for a, _, c, _ in command.zones] == [("e", command.condition)]
    return command.refusals("good", "good") and [(a, c) for a, _, c, _ in command.zones] == [
        ("2", "4")
    ]


def _full(command: Command) -> bool:
    return (
        command.operation in ("write", "same")
        and command.condition == "e"
        and command.refusals("5/21/05", "5/24/00")
        and not command.zones
    )


def _sectors(command: Command) -> bool:
    return (
        command.operation in ("write", "same")
        and command.blocks % 8 != 0
        and (command.refusals("good", "5/21/04") or command.refusals("7/55/0e", "5/21/04"))
        and _other_victims(command, but=True)
    )


def _nothing(command: Command) -> bool:
    return (
        command.operation in ("read", "write")
        and command.blocks == 0
        and command.drive.status == "00"
        # A host-aware referee opens the zone.
        and (not command.zones or _opened_by_nothing(command))
    )


def _opened_by_nothing(command: Command) -> bool:
    return command.operation == "write" and [(a, c, b == d) for a, b, c, d in command.zones] == [
        ("2", "1", True)
    ]


def _across(command: Command) -> bool:
    """Of a write across the end of a zone of a host-aware drive: the referee writes the second zone
    without opening it, so an empty zone has a write pointer behind its start."""
    end = command.lba + command.blocks
    return (
        command.operation in ("write", "same")
        and command.refusals("good", "good")
        and [(a, c) for a, b, c, d in command.zones if b == d == end] == [("1", "2")]
        and _other_victims(command, but=True)
    )


def _types(command: Command) -> bool:
    return command.operation == "read" and command.refusals("5/21/06", "5/21/07")


def _report(command: Command) -> bool:
    return command.operation == "report" and not command.zones


def _part(command: Command) -> bool:
    """The referee counts the descriptor of which there is a part."""
    return (
        _report(command)
        and command.option & 0x80 != 0
        and command.blocks % 64 != 0
        and command.refusals("good", "good")
        and int(command.referee.rest[0]) == int(command.drive.rest[0]) + 64
        and int(command.drive.rest[0]) == command.blocks // 64 * 64 - 64
    )


def _same(command: Command) -> bool:
    return (
        _report(command)
        and command.refusals("good", "good")
        and command.referee.rest[::2] == command.drive.rest[::2]
        and command.referee.rest[1] == "0"
    )


def _order(command: Command) -> bool:
    return _report(command) and command.refusals("5/21/00", "5/24/00")


def _no_gaps(command: Command) -> bool:
    return (
        _report(command) and command.option & 0x3F == 0x3E and command.refusals("good", "5/24/00")
    )


DIFFERENCES: Sequence[Difference] = (
    Difference("implicitly open zone that is closed for another one", _victim),
    Difference("OPEN ALL opens zones that it has closed", _open_all),
    Difference("FINISH of a zone that is not open needs an open zone", _finish),
    Difference("write past the end of a full zone", _full),
    Difference("write of a part of a physical sector", _sectors),
    Difference("read or write of no blocks", _nothing),
    Difference("write across the end of a host-aware zone", _across),
    Difference("read across zones of two types", _types),
    Difference("SAME", _same),
    Difference("PARTIAL, with room for a part of a descriptor", _part),
    Difference("report past the end with an unknown option", _order),
    Difference("report of all zones but gap zones", _no_gaps),
)


def judge(commands: Iterable[Command]) -> tuple[Counter[str], list[Command]]:
    """How often each known difference occurs, and the commands with another one."""
    known: Counter[str] = Counter()
    others = []
    for command in commands:
        if not command.differs:
            continue
        name = next((each.name for each in DIFFERENCES if each.is_it(command)), None)
        if name is None:
            others.append(command)
        else:
            known[name] += 1
    return known, others


def _compiled(folder: Path) -> bytes:
    """The guest's program."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise StudyFailed("guest zones: found no C compiler `cc`")
    made = folder / "zone_commands"
    done = subprocess.run(
        [compiler, "-O2", "-static", "-o", str(made), str(PROGRAM)], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise StudyFailed(f"guest zones: {compiler}: {done.stderr.strip()}")
    return made.read_bytes()


def run(
    arguments: argparse.Namespace,
    folder: Path,
    qemu: packages.Tree,
    linux: packages.Tree,
    kind: str,
) -> int:
    model = arguments.kinds[0] if arguments.kinds else "managed"
    expected = EXPECTED if model == "managed" else {}
    software = packages.Tree(folder / "zones", SOFTWARE, linux.suites)
    software.make()
    initrd = folder / "zones.gz"
    image.make(
        linux,
        initrd,
        script.zones(arguments.commands or 10_000, arguments.seed, model == "managed"),
        programs=("usr/bin/fio",),
        with_modules=MODULES,
        files=[("bin/zone_commands", _compiled(folder))],
        more=[(software, "usr/sbin/blkzone"), (software, "usr/sbin/mkfs.zonefs")],
        parameters={"scsi_debug": REFEREE.format(model=model)},
    )
    options = ["--pacing", arguments.pacing or "asap"]
    for key in (*KEYS, *arguments.set):
        options += ["--set", key.format(model=model)]
    server = machine.Server(find_platter(arguments.platter), arguments.scenario, folder, *options)
    with server.listen(kind):
        log = folder / "zones.log"
        parts = machine.boot(qemu, linux, initrd, kind, server.address, log, arguments.limit)
        server.end()
    said = parts.pop("commands", "")
    for name, body in parts.items():
        if name != "end":
            print(f"\n== {name}\n{body.strip()}")
    commands = read(said.splitlines())
    known, others = judge(commands)
    print("\n== commands")
    _table(commands, known)
    wrong = [line for line in said.splitlines() if line.startswith("FAILED")]
    for name, texts in expected.items():
        body = parts.get(name, "")
        wrong += [f'{name}: no "{text}"' for text in texts if text not in body]
    wrong += [line for body in parts.values() for line in body.splitlines() if "FAILED" in line[:7]]
    wrong += [f"another difference: {command}" for command in others[:20]]
    if len(others) > 20:
        wrong.append(f"and {len(others) - 20} more")
    if wrong:
        raise StudyFailed("\n".join(wrong))
    return 0


def _table(commands: Sequence[Command], known: Counter[str]) -> None:
    sent = Counter(command.operation for command in commands)
    good = Counter(command.operation for command in commands if command.drive.status == "00")
    print("operation   sent    good  refused")
    for name, count in sorted(sent.items()):
        print(f"{name:9} {count:6}  {good[name]:6}   {count - good[name]:6}")
    print("differences from the referee:")
    for name, count in sorted(known.items()):
        print(f"{count:6}  {name}")
