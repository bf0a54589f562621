# SPDX-License-Identifier: Apache-2.0
"""`platter-lab guest zones`: a drive with zones held against Linux's `scsi_debug` or `tcmu-runner`.

The guest has both as SCSI disks with the same zones. A program in it sends the same seeded random
commands to both and prints what they answer. Every difference must be one of `DIFFERENCES`, each of
which says what the standard has to say of it. Programs for zoned drives then use the drive.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from platter_lab import StudyFailed
from platter_lab.executable import ROOT
from platter_lab.guest import image, machine, packages, script

SOFTWARE = ("util-linux", "zonefs-tools")
MODULES = ("crc32c_generic", "virtio_pci", "virtio_scsi", "sd_mod", "sg")
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
    f"drive.geometry.blocks={DRIVE_MIB * 2048}",
    f"drive.zones.zone_mib={ZONE_MIB}",
    f"drive.zones.conventional={CONVENTIONAL}",
    f"drive.zones.max_open={OPEN}",
)
SCSI_DEBUG = (
    f"dev_size_mb={DRIVE_MIB} zone_size_mb={ZONE_MIB} zone_nr_conv={CONVENTIONAL} "
    f"zone_max_open={OPEN} sector_size=512 physblk_exp=3 delay=0"
)
TCMU_RUNNER = f"zbc/model-HM/lba-512/zsize-{ZONE_MIB}/conv-{CONVENTIONAL}/open-{OPEN}@/tmp/zones"
TCMU_HANDLER = "usr/lib/x86_64-linux-gnu/tcmu-runner/handler_file_zbc.so"
# Everyone may do everything.
DBUS = b"""<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=/run/dbus/system_bus_socket</listen>
<auth>EXTERNAL</auth><policy context="default"><allow user="*"/><allow own="*"/>
<allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
"""


@dataclass(frozen=True)
class Referee:
    """The other drive with zones, and what the served one is like beside it."""

    modules: tuple[str, ...]
    keys: tuple[str, ...]  #: of the served drive
    parameters: Mapping[str, str] = field(default_factory=dict)  #: of modules
    set_up: str = ""  #: the guest's commands before its disks appear
    without: str = ""  #: an operation that the referee does not have
    programs: bool = False  #: programs for zoned drives then use the drive


REFEREES = {
    "managed": Referee(
        ("zonefs", "scsi_debug"),
        ("drive.zones.model=managed",),
        {"scsi_debug": f"zbc=managed {SCSI_DEBUG}"},
        programs=True,
    ),
    "aware": Referee(
        ("scsi_debug",), ("drive.zones.model=aware",), {"scsi_debug": f"zbc=aware {SCSI_DEBUG}"}
    ),
    # It has no physical sectors of several blocks.
    "tcmu-runner": Referee(
        ("target_core_user", "tcm_loop"),
        ("drive.zones.model=managed", "drive.geometry.physical_sector_bytes=512"),
        set_up=script.tcmu_runner(TCMU_RUNNER, DRIVE_MIB << 20),
        without="same",
    ),
}


def _tcmu_files(
    folder: Path, linux: packages.Tree
) -> tuple[list[tuple[packages.Tree, str]], list[tuple[str, bytes]]]:
    """Programs and files for `tcmu-runner`. It asks libkmod for the kernel's module, and loads
    libgcc when a thread ends."""
    tree = packages.Tree(folder / "tcmu-runner", ("tcmu-runner", "dbus"), linux.suites)
    tree.make()
    modules = next((linux.root / "usr/lib/modules").iterdir())
    libgcc = "usr/lib/x86_64-linux-gnu/libgcc_s.so.1"
    return [
        (tree, each) for each in ("usr/bin/tcmu-runner", "usr/bin/dbus-daemon", TCMU_HANDLER)
    ], [
        ("etc/dbus.conf", DBUS),
        ("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n"),
        ("etc/group", b"root:x:0:\n"),
        ("etc/tcmu/tcmu.conf", b""),
        (libgcc, (linux.root / libgcc).read_bytes()),
        *(
            (f"lib/modules/{modules.name}/{name}", (modules / name).read_bytes())
            for name in ("modules.dep.bin", "modules.builtin.bin", "modules.symbols.bin")
        ),
        (f"lib/modules/{modules.name}/modules.alias.bin", b""),
    ]


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
    #: of the data of a read: sectors that differ, those of them that are zeros on the referee and
    #: on the drive, and bytes that differ in the others
    data: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def differs(self) -> bool:
        return self.referee != self.drive or bool(self.zones)

    @property
    def crosses(self) -> bool:
        """Whether it reaches from one zone into another."""
        length = ZONE_MIB * 2048
        return self.lba // length != (self.lba + self.blocks - 1) // length

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
        elif line.startswith("D ") and len(word) == 6:
            found = (int(word[2]), int(word[3]), int(word[4]), int(word[5]))
            commands[-1] = replace(commands[-1], data=found)
        elif line.startswith("Z ") and len(word) == 7:
            # The lines of its command's zones; between them are commands that make them equal.
            at = next(i for i in reversed(range(len(commands))) if commands[i].operation != "even")
            zone = (word[3], int(word[4]), word[5], int(word[6]))
            commands[at] = replace(commands[at], zones=(*commands[at].zones, zone))
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


def _beyond(command: Command) -> bool:
    return (
        command.operation in ("open", "close", "finish", "reset")
        and command.condition == "-"
        and command.refusals("5/24/00", "5/21/00")
        and not command.zones
    )


def _behind_and_across(command: Command) -> bool:
    """The write is not at the write pointer, and not in one zone."""
    return (
        command.operation == "write"
        and command.crosses
        and command.refusals("5/21/04", "5/21/05")
        and not command.zones
    )


def _unwritten(command: Command) -> bool:
    """Of a zone that FINISH has made full: the drive has zeros where nothing was written."""
    return (
        command.operation == "read"
        and command.condition == "e"
        and command.refusals("good", "good")
        and command.data[0] == command.data[2] > 0
    )


def _second_zone(command: Command) -> bool:
    """The referee has zeros from the write pointer of the first zone on, also in the second one."""
    return (
        command.operation == "read"
        and command.crosses
        and command.condition in ("1", "2", "3", "4")
        and command.refusals("good", "good")
        and command.data[0] == command.data[1] > 0
    )


def _last_bytes(command: Command) -> bool:
    """Of a long read across the end of a full zone the referee leaves out the last 64 bytes."""
    sectors, _, zeros, count = command.data
    return (
        command.operation == "read"
        and command.crosses
        and command.condition == "e"
        and command.refusals("good", "good")
        and sectors - zeros == 1
        and 0 < count <= 64
    )


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
# Of `tcmu-runner` besides. They would hide faults of a drive beside `scsi_debug`.
TCMU_DIFFERENCES: Sequence[Difference] = (
    Difference("zone management past the end", _beyond),
    Difference("write behind the write pointer and across the end of the zone", _behind_and_across),
    Difference("read of what was not written before FINISH", _unwritten),
    Difference("read from behind a write pointer into the next zone", _second_zone),
    Difference("last bytes of a long read across the end of a full zone", _last_bytes),
)


def judge(
    commands: Iterable[Command], also: Sequence[Difference] = ()
) -> tuple[Counter[str], list[Command]]:
    """How often each known difference occurs, and the commands with another one. `also`: known
    besides DIFFERENCES."""
    known: Counter[str] = Counter()
    others = []
    for command in commands:
        if not command.differs:
            continue
        name = next((each.name for each in (*DIFFERENCES, *also) if each.is_it(command)), None)
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


def run(bench: machine.Bench) -> int:
    arguments, folder, linux = bench.arguments, bench.folder, bench.linux
    who = arguments.kinds[0] if arguments.kinds else "managed"
    referee = REFEREES[who]
    expected = EXPECTED if referee.programs else {}
    more: list[tuple[packages.Tree, str]] = []
    files = [("bin/zone_commands", _compiled(folder))]
    if referee.programs:
        software = packages.Tree(folder / "zones", SOFTWARE, linux.suites)
        software.make()
        more += [(software, "usr/sbin/blkzone"), (software, "usr/sbin/mkfs.zonefs")]
    if who == "tcmu-runner":
        more, more_files = _tcmu_files(folder, linux)
        files += more_files
    initrd = folder / "zones.gz"
    image.make(
        linux,
        initrd,
        script.zones(
            arguments.commands or 10_000,
            arguments.seed,
            referee.set_up,
            referee.without,
            referee.programs,
        ),
        programs=("usr/bin/fio",) if referee.programs else (),
        with_modules=(*MODULES, *referee.modules),
        files=files,
        more=more,
        parameters=referee.parameters,
    )
    server = bench.server("asap", keys=(*KEYS, *referee.keys))
    with server.listen(bench.kind):
        parts = bench.boot(initrd, folder / "zones.log", server.address)
        server.end()
    said = parts.pop("commands", "")
    for name, body in parts.items():
        if name != "end":
            print(f"\n== {name}\n{body.strip()}")
    commands = read(said.splitlines())
    known, others = judge(commands, TCMU_DIFFERENCES if who == "tcmu-runner" else ())
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
