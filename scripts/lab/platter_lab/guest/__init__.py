# SPDX-License-Identifier: Apache-2.0
"""`platter-lab guest`: an unmodified Linux in a virtual machine, whose disk is a served drive."""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import time
from collections.abc import Callable
from pathlib import Path

from platter_lab import LabError, StudyFailed
from platter_lab.executable import ROOT, add_platter, expect_tree
from platter_lab.guest import (
    actuators,
    faults,
    image,
    machine,
    open_iscsi,
    packages,
    power,
    script,
    starvation,
    zones,
)

LINUX = (
    "linux-image-amd64",
    "busybox-static",
    "kmod",
    "e2fsprogs",
    "xfsprogs",
    "btrfs-progs",
    "fio",
    "hdparm",
    "smartmontools",
    "blktrace",
)
# A QEMU that takes a device by vfio-user, and one that does not.
NEW, OLD = ("trixie", "trixie-backports"), ("bookworm",)


def add_command(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("guest", help="boot Linux on a drive, in QEMU")
    parser.add_argument(
        "what",
        nargs="?",
        default="everything",
        choices=(
            "everything",
            "load",
            "file-systems",
            "firmware",
            "power",
            "faults",
            "starvation",
            "zones",
            "actuators",
            "open-iscsi",
            "fetch",
        ),
        help=(
            "everything: the disk as Linux sees it, ext4, fio and blktrace; load: random requests "
            "at depth 32; file-systems: ext4, xfs and btrfs, each checked; firmware: SeaBIOS, "
            "U-Boot and EDK2, and a system that boots from the disk; power: what losses of power "
            "leave of file systems and databases; faults: errors of the media and lost commands, "
            "smartctl, and RAID-1 of two drives; starvation: random reads beside a stream under "
            "Linux's schedulers; zones: random commands to a drive with zones and to Linux's "
            "scsi_debug or tcmu-runner, blkzone, fio and zonefs; actuators: the disks of a drive "
            "with two actuators; open-iscsi: Linux's own initiator logs in to the target; fetch: "
            "download the packages only"
        ),
    )
    parser.add_argument(
        "kinds",
        nargs="*",
        metavar="KIND",
        help=(
            f"of power: {', '.join(script.POWER_KINDS)}; default: all of them. Of zones: managed "
            "(default), aware, or tcmu-runner. Of actuators: lun (default), a disk for each, or "
            "address, one disk"
        ),
    )
    parser.add_argument("--cuts", type=int, default=20, help="number of images of a kind (power)")
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="seed of the instants (power), or of the commands (zones)",
    )
    parser.add_argument(
        "--every", type=float, default=0.3, metavar="SECONDS", help="mean between two (power)"
    )
    parser.add_argument(
        "--batch", type=int, default=100, help="number of images that one guest judges (power)"
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep the images without a violation too (power)"
    )
    add_platter(parser)
    parser.add_argument(
        "--scenario",
        type=Path,
        help=(
            "scenario of the drive; default: guest_drive.toml, of starvation "
            "docs/results/starvation/guest.toml, and of actuators two_actuators.toml"
        ),
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override a key of the scenario",
    )
    parser.add_argument(
        "--pacing",
        help="as in `platter serve`; default: lockstep with the depth of the queue minus one",
    )
    parser.add_argument(
        "--door",
        choices=("vfio-user", "iscsi", "nbd"),
        default="vfio-user",
        help=(
            "how the guest finds the drive: the AHCI adapter by vfio-user; the SCSI target by "
            "iSCSI; or QEMU's own adapter, which accesses the drive by NBD. Default: vfio-user, "
            "or iscsi where there is no QEMU with vfio-user"
        ),
    )
    parser.add_argument(
        "--commands",
        type=int,
        help="number of requests of the load (default 100,000), or of commands (zones; 10,000)",
    )
    parser.add_argument(
        "--fio-size", default="16m", help="size of the file that fio verifies (everything)"
    )
    parser.add_argument("--no-waves", action="store_true", help="write no waves")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build/guest", help="folder of packages and results"
    )
    parser.add_argument(
        "--limit",
        type=float,
        metavar="SECONDS",
        help=(
            "longest time of the guest; default: 280 s (580 s for zones), and up to four times as "
            "long on a busy machine"
        ),
    )
    parser.set_defaults(run=run)


def _trees(folder: Path, door: str) -> tuple[packages.Tree, packages.Tree, str]:
    """QEMU, Linux and its programs, and how the disk is attached."""
    linux = packages.Tree(folder / "linux", LINUX, NEW[:1])
    if door == "vfio-user":
        qemu = packages.Tree(folder / "qemu", ("qemu-system-x86",), NEW)
        try:
            qemu.make()
            linux.make()
            return qemu, linux, "vfio-user"
        except packages.Unavailable as reason:
            print(
                f"guest: there is no QEMU with vfio-user here: {reason}\n"
                "guest: iSCSI is used instead"
            )
            door = "iscsi"
    try:
        qemu = packages.Tree(folder / "qemu-old", ("qemu-system-x86", "qemu-block-extra"), OLD)
        qemu.make()
        try:
            linux.make()
        except packages.Unavailable:
            linux = packages.Tree(folder / "linux-old", LINUX, OLD)
            linux.make()
    except packages.Unavailable as reason:
        raise StudyFailed(f"there is no QEMU here: {reason}") from reason
    return qemu, linux, door


def _slowest(requests: Path) -> tuple[dict[str, str], int]:
    """And when the last request of all ended."""
    with requests.open() as file:
        rows = list(csv.DictReader(file))
    return max(rows, key=lambda row: int(row["completed_ps"]) - int(row["issued_ps"])), max(
        int(row["completed_ps"]) for row in rows
    )


def _shown(text: str, lines: int) -> str:
    """The first lines of a part."""
    all_of = [line for line in text.strip().splitlines() if line.strip()]
    return "\n".join(
        all_of[:lines] + ([f"  … {len(all_of) - lines} more lines"] if len(all_of) > lines else [])
    )


def _fio(text: str) -> str:
    job = json.loads(text[text.index("{") : text.rindex("}") + 1])["jobs"][0]
    lines = []
    for direction in ("read", "write"):
        of = job[direction]
        if of["total_ios"] > 0:
            lines.append(
                f"{direction}: {of['total_ios']} requests, {of['iops']:.0f} a second, mean "
                f"{of['lat_ns']['mean'] / 1e6:.2f} ms (the guest's clock)"
            )
    lines.append(f"errors: {job['error']}")
    return "\n".join(lines)


FIRMWARE = ("u-boot-qemu", "ovmf", "extlinux", "syslinux-common")


def _check(parts: dict[str, str], kind: str) -> list[str]:
    """What a guest's output complains of; not of QEMU's own adapter."""
    wrong = [
        line
        for body in parts.values()
        for line in body.splitlines()
        if line.startswith("FAILED") or "verify: bad" in line
    ]
    if kind == "nbd":
        return wrong
    return wrong + [
        f"dmesg: {line}" for line in parts.get("complaints", "").splitlines() if line.strip()
    ]


def _firmware(bench: machine.Bench) -> int:
    """The firmwares of three projects identify and read the disk, and a system starts from it."""
    arguments, folder = bench.arguments, bench.folder
    qemu, linux, kind = bench.qemu, bench.linux, bench.kind
    tree = packages.Tree(folder / "firmware", FIRMWARE, NEW[:1])
    tree.make()
    boot = [
        ("boot/vmlinuz", machine.kernel(linux).read_bytes()),
        ("boot/extlinux.conf", script.EXTLINUX.encode()),
        ("boot/mbr.bin", (tree.root / "usr/lib/EXTLINUX/mbr.bin").read_bytes()),
    ]
    small = folder / "initrd-disk.gz"
    image.make(linux, small, script.install(), programs=())
    initrd = folder / "initrd.gz"
    image.make(
        linux,
        initrd,
        script.install(),
        programs=("usr/sbin/mkfs.ext4",),
        files=[
            *boot,
            ("boot/initrd.gz", small.read_bytes()),
            ("system", script.SYSTEM.encode()),
            ("usr/bin/extlinux", (tree.root / "usr/bin/extlinux").read_bytes()),
            *(
                (f"usr/lib/x86_64-linux-gnu/{file.name}", file.read_bytes())
                for file in tree.libraries("usr/bin/extlinux")
            ),
        ],
    )
    wrong: list[str] = []

    def expect(name: str, said: str, *texts: str) -> None:
        lines = [line for line in said.splitlines() if any(text in line for text in texts)]
        print(f"\n== {name}\n" + "\n".join(lines[:12]), flush=True)
        wrong.extend(
            f'{name}: no "{text}" in {folder / "console.log"}' for text in texts if text not in said
        )
        (folder / f"{name}.log").write_text(said)

    with bench.server("asap").listen(kind) as server:
        parts = bench.boot(initrd, folder / "console.log", server.address)
        expect("install", parts["install"], "55 aa")
        wrong += _check(parts, kind)
        parts = machine.boot_from_disk(
            qemu, kind, server.address, folder / "console.log", arguments.limit
        )
        expect(
            "SeaBIOS",
            (folder / "console.log").read_text(errors="replace").replace("\r", ""),
            "Booting from Hard Disk",
        )
        expect("system", parts.get("system", ""), "/dev/sda1 / ext4", "from_disk", "vmlinuz")
        wrong += _check(parts, kind)
        said = machine.firmware(
            qemu,
            kind,
            server.address,
            ["-bios", str(tree.root / "usr/lib/u-boot/qemu-x86/u-boot.rom")],
            [b"\n"] * 6
            + [
                b"scsi scan\n",
                b"\n",
                b"scsi info\n",
                b"scsi read 1000000 0 1\n",
                b"md.b 10001f0 10\n",
                b"\n",
            ],
            r"010001f0: .* 55 aa",
            60,
        )
        expect("U-Boot", said, "PLATTER", "1 blocks read: OK", "55 aa")
        code = tree.root / "usr/share/OVMF/OVMF_CODE_4M.fd"
        variables = folder / "OVMF_VARS.fd"
        variables.write_bytes((tree.root / "usr/share/OVMF/OVMF_VARS_4M.fd").read_bytes())
        said = machine.firmware(
            qemu,
            kind,
            server.address,
            [
                "-drive",
                f"if=pflash,format=raw,readonly=on,file={code}",
                "-drive",
                f"if=pflash,format=raw,file={variables}",
            ],
            [b"\x1b"] * 40,
            r"Shell> |BLK0|UEFI PLATTER",
            90,
        )
        expect("EDK2", said, "PLATTER")
        result, _ = server.end()
    print(
        f"\nlock-step: {result['scheduler']['operations_compared']} operations compared, "
        f"{result['scheduler']['mismatches']} mismatches"
    )
    if wrong:
        raise StudyFailed("\n".join(wrong))
    return 0


COMMANDS: dict[str, Callable[[machine.Bench], int]] = {
    "firmware": _firmware,
    "power": power.run,
    "faults": faults.run,
    "starvation": starvation.run,
    "zones": zones.run,
    "actuators": actuators.run,
    "open-iscsi": open_iscsi.run,
}


def run(arguments: argparse.Namespace) -> int:
    expect_tree("guest")
    if arguments.what == "zones":
        if arguments.kinds and (
            len(arguments.kinds) > 1 or arguments.kinds[0] not in zones.REFEREES
        ):
            raise LabError(
                f"guest zones: found {' '.join(arguments.kinds)}, expected one of "
                f"{', '.join(zones.REFEREES)}"
            )
    elif arguments.what == "actuators":
        if arguments.kinds not in ([], ["lun"], ["address"]):
            raise LabError(f"guest actuators: found {arguments.kinds[0]}, expected lun or address")
    elif arguments.kinds and arguments.what != "power":
        raise LabError(f"guest {arguments.what}: found {arguments.kinds[0]}, expected nothing more")
    if arguments.limit is None:
        arguments.limit = machine.patience(580 if arguments.what == "zones" else 280)
    begin = time.monotonic()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.what in ("zones", "actuators", "open-iscsi"):
        arguments.door = "iscsi"  # the guest's own commands reach the drive
    bench = machine.Bench(arguments, folder, *_trees(folder, arguments.door))
    try:
        if arguments.what == "fetch":
            return 0
        if arguments.what in COMMANDS:
            return COMMANDS[arguments.what](bench)
        return _linux(bench, begin)
    except (machine.Failed, packages.Unavailable) as reason:
        raise StudyFailed(str(reason)) from reason


def _linux(bench: machine.Bench, begin: float) -> int:
    arguments, folder, linux, kind = bench.arguments, bench.folder, bench.linux, bench.kind
    texts: dict[str, Callable[[], str]] = {
        "everything": lambda: script.everything(arguments.fio_size, kind == "iscsi"),
        "file-systems": script.file_systems,
        "load": lambda: script.load(arguments.commands or 100_000, 128 if kind == "iscsi" else 32),
    }
    initrd = folder / "initrd.gz"
    more: list[tuple[packages.Tree, str]] = []
    if kind == "iscsi" and arguments.what == "everything":
        tools = packages.Tree(folder / "scsi", script.SCSI_PACKAGES, linux.suites)
        tools.make()
        more = [(tools, f"usr/bin/{name}") for name in script.SCSI_PROGRAMS]
    image.make(linux, initrd, texts[arguments.what](), more=more)
    print(
        f"packages and initial file system: {time.monotonic() - begin:.0f} s; QEMU by {kind}",
        flush=True,
    )

    requests, waves = folder / "requests.csv", folder / "waves.fst"
    options = ["--requests", str(requests)]
    with_waves = arguments.what == "everything" and not arguments.no_waves
    if with_waves:
        options += ["--waves", str(waves), "--wave-to", "1000"]
    pacing = "lockstep:15" if kind == "nbd" else "lockstep:31"
    with bench.server(pacing, *options).listen(kind) as server:
        parts = bench.boot(initrd, folder / "console.log", server.address)
        result, said = server.end()
    for name, body in parts.items():
        body = _fio(body) if name == "fio" else body
        if name != "end":
            print(f"\n== {name}\n{_shown(body, 26)}")
    print(f"\n== the drive\n{said.strip()}")
    slow, last = _slowest(requests)
    issued, completed = int(slow["issued_ps"]), int(slow["completed_ps"])
    print(
        "\n== the slowest request\n"
        f"number {slow['number']}, {slow['op']} of {slow['length_bytes']} bytes at byte "
        f"{slow['offset_bytes']}: {(completed - issued) / 1e9:.2f} ms, "
        f"from {issued / 1e12:.6f} s on"
    )
    if with_waves:
        _save_file(folder / "waves.gtkw", waves, issued, completed, last)
        print(
            f"waves: {os.path.relpath(waves)}; open with: gtkwave {os.path.relpath(waves)} "
            f"{os.path.relpath(folder / 'waves.gtkw')}"
        )
    scheduler = result["scheduler"]
    print(
        f"\nlock-step: {scheduler['operations_compared']} operations compared, "
        f"{scheduler['mismatches']} mismatches; mean window {result['serving']['window']:.1f}; "
        f"{time.monotonic() - begin:.0f} s in all"
    )
    wrong = _check(parts, kind)
    if scheduler["mismatches"] > 0:
        wrong.append("the RTL differs from its reference")
    if wrong:
        raise StudyFailed("\n".join(wrong))
    return 0


def _save_file(path: Path, waves: Path, begin: int, end: int, last: int) -> None:
    """GTKWave's save file: the shipped view, with markers at both ends of a request and the time
    around it, which GTKWave shows only where the waves do not end in it (`last`: they end
    later)."""
    view = (ROOT / "waves/guest.gtkw").read_text()
    lines = [
        line
        for line in view.splitlines()
        if not line.startswith(("[timestart]", "*", "[dumpfile]"))
    ]
    margin = (end - begin) // 10
    first = max(begin - margin, 0)
    # The time of 200 pixels, of about 1120
    frame = max((min(end + margin, last) - first) * 200 // 1120, 1)
    path.write_text(
        "\n".join(
            [
                f'[dumpfile] "{waves.name}"',
                f'[savefile] "{path.name}"',
                f"[timestart] {first}",
                f"*-{math.log2(frame):.6f} {begin} {begin} {end} " + " ".join(["-1"] * 25),
                *lines,
            ]
        )
        + "\n"
    )


__all__ = ["LabError", "add_command"]
