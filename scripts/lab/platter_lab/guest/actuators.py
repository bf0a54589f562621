# SPDX-License-Identifier: Apache-2.0
"""`platter-lab guest actuators`: Linux on a drive with two actuators, by iSCSI.

The drive is one disk with two ranges of addresses, or a logical unit for each actuator. Linux then
has two disks, which are written and read at the same time.
"""

from __future__ import annotations

from platter_lab import StudyFailed
from platter_lab.executable import ROOT
from platter_lab.guest import image, machine, packages, script

SCENARIO = ROOT / "models/configs/scenarios/two_actuators.toml"
PROGRAMS = ("sg_inq", "sg_vpd")
MODULES = ("crc32c_generic", "virtio_pci", "virtio_scsi", "sd_mod", "sg")
HALF = 17_578_000_000  # sectors of an actuator of SCENARIO
HALVES = {"lun": (("sda", 0), ("sdb", 0)), "address": (("sda", 0), ("sda", HALF))}
CPR = "Concurrent positioning ranges"

# What each part must say, and how often.
EXPECTED = {
    "lun": {
        "disks": ((f"{HALF} sectors, rotational 1, 0 ranges", 2),),
        "pages": ((CPR, 0), ("Seagate Exos X180001", 1), ("Seagate Exos X180002", 1)),
        "fio": (("err= 0", 2),),
        "data": (("read what was written", 4),),
    },
    "address": {
        "disks": (
            (f"{2 * HALF} sectors, rotational 1, 2 ranges", 1),
            (f"range 0: 0 {HALF}", 1),
            (f"range 1: {HALF} {HALF}", 1),
        ),
        "pages": ((CPR, 2), (f"Number of LBAs: {HALF:#x}", 2)),
        "fio": (("err= 0", 2),),
        "data": (("read what was written", 4),),
    },
}


def missing(by: str, parts: dict[str, str]) -> list[str]:
    """What the guest of a kind should have said, and has not."""
    wrong = []
    for name, texts in EXPECTED[by].items():
        body = parts.get(name, "")
        for text, count in texts:
            if (found := body.count(text)) != count:
                wrong.append(f'{name}: found "{text}" {found} times, expected {count}')
    wrong += [f"dmesg: {line}" for line in parts.get("complaints", "").splitlines() if line.strip()]
    return wrong + [
        line for body in parts.values() for line in body.splitlines() if line.startswith("FAILED")
    ]


def run(bench: machine.Bench) -> int:
    arguments, folder, linux = bench.arguments, bench.folder, bench.linux
    by = arguments.kinds[0] if arguments.kinds else "lun"
    tools = packages.Tree(folder / "scsi", script.SCSI_PACKAGES, linux.suites)
    tools.make()
    initrd = folder / "actuators.gz"
    image.make(
        linux,
        initrd,
        script.actuators(HALVES[by], HALF, arguments.fio_size),
        programs=("usr/bin/fio",),
        with_modules=MODULES,
        more=[(tools, f"usr/bin/{name}") for name in PROGRAMS],
    )
    server = bench.server("asap", keys=(f"drive.actuators.by={by}",), scenario=SCENARIO)
    with server.listen(bench.kind):
        parts = bench.boot(initrd, folder / "actuators.log", *server.addresses)
        result, said = server.end()
    for name, body in parts.items():
        if name != "end":
            print(f"\n== {name}\n{body.strip()}")
    print(f"\n== the drive\n{said.strip()}")
    wrong = missing(by, parts)
    accesses = result.get("actuators", {}).get("accesses", [])
    print(f"accesses of the actuators: {accesses}")
    if len(accesses) != 2 or min(accesses) == 0:
        wrong.append(f"found accesses {accesses}, expected some of each of two actuators")
    if wrong:
        raise StudyFailed("\n".join(wrong))
    return 0
