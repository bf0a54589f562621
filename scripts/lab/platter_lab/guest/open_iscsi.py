# SPDX-License-Identifier: Apache-2.0
"""`platter-lab guest open-iscsi`: Linux's own iSCSI initiator logs in to a served drive.

The guest reaches the server over TCP, through QEMU's user network. Debian's open-iscsi discovers
the target, logs in and out twice, the second time with digests, and fio verifies what it writes.
"""

from __future__ import annotations

from platter_lab import StudyFailed
from platter_lab.guest import image, machine, packages, script

MODULES = ("crc32c_generic", "virtio_pci", "virtio_net", "iscsi_tcp", "sd_mod", "sg")
PROGRAMS = ("usr/sbin/iscsid", "usr/sbin/iscsiadm")
HOST = "10.0.2.2"  # the host in QEMU's user network
DEPTH = 128  # of the drive's queue

# What each part must say.
EXPECTED = {
    "discovery": (",1 iqn.",),
    "login": ("successful.", "LOGGED IN", "PLATTER", "queue depth 128"),
    "fio": ("err= 0",),
    "logout": ("successful.", "no disk"),
    "again": ("successful.", "HeaderDigest: CRC32C", "DataDigest: CRC32C", "err= 0"),
}


def run(bench: machine.Bench) -> int:
    arguments, folder, linux = bench.arguments, bench.folder, bench.linux
    software = packages.Tree(folder / "open-iscsi", ("open-iscsi",), linux.suites)
    software.make()
    server = bench.server("asap", keys=("engine=firmware", f"drive.queue.depth={DEPTH}"))
    with server.listen("iscsi"):
        portal, target = server.address.removeprefix("iscsi://").split("/")[:2]
        initrd = folder / "open-iscsi.gz"
        image.make(
            linux,
            initrd,
            script.open_iscsi(portal, target, DEPTH, arguments.fio_size),
            programs=("usr/bin/fio",),
            with_modules=MODULES,
            files=[
                ("etc/hosts", f"{HOST} {portal.rsplit(':', 1)[0]}\n".encode()),
                ("etc/iscsi/iscsid.conf", (software.root / "etc/iscsi/iscsid.conf").read_bytes()),
                (
                    "etc/iscsi/initiatorname.iscsi",
                    b"InitiatorName=iqn.2026-01.example.guest:linux\n",
                ),
            ],
            more=[(software, program) for program in PROGRAMS],
        )
        network = ["-machine", "q35", "-netdev", "user,id=n0"]
        network += ["-device", "virtio-net-pci,netdev=n0,romfile="]
        parts = machine.run_to_end(
            machine.linux_machine(bench.qemu, linux, initrd, network),
            folder / "open-iscsi.log",
            arguments.limit,
        )
        result, said = server.end()
    for name, body in parts.items():
        if name != "end":
            print(f"\n== {name}\n{body.strip()}")
    print(f"\n== the drive\n{said.strip()}")
    if result["serving"]["window"] is not None:
        print(f"\nmean window {result['serving']['window']:.1f}")
    wrong = [f"dmesg: {line}" for line in parts.get("complaints", "").splitlines() if line.strip()]
    for name, texts in EXPECTED.items():
        body = parts.get(name, "")
        wrong += [f'{name}: no "{text}"' for text in texts if text not in body]
    wrong += [line for body in parts.values() for line in body.splitlines() if "FAILED" in line[:7]]
    if wrong:
        raise StudyFailed("\n".join(wrong))
    return 0
