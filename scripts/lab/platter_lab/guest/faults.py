# SPDX-License-Identifier: Apache-2.0
"""`platter-lab guest faults`: Linux on drives with faults.

Three drives are served. The guest asks for faults on its console, and the host makes them at the
control socket.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from platter_lab import StudyFailed
from platter_lab.guest import image, machine, packages, script
from platter_lab.guest.power import SOFTWARE

PROGRAMS = ("usr/sbin/smartctl",)
MODULES = ("crc32c_generic", "ahci", "sd_mod", "raid1")
KEYS = ("engine=firmware", "host.kind=array", "array.kind=striped", "array.drives=3")
BLOCK = 8  # sectors of a block of the guest's script
MIRROR = 2048  # first sector of the mirror's data

# What the guest asks for, by name: the arguments of add_fault.
FAULTS: dict[str, tuple[dict[str, Any], ...]] = {
    "medium": ({"drive": 1, "kind": "unreadable", "block": 10000 * BLOCK, "blocks": BLOCK},),
    "permanent": ({"drive": 1, "kind": "permanent", "block": 20000 * BLOCK, "blocks": 1},),
    "lost": ({"drive": 1, "kind": "stuck", "block": 30000 * BLOCK, "blocks": BLOCK, "count": 1},),
    "ageing": tuple(
        {"drive": 0, "kind": "retries", "block": block * BLOCK, "blocks": BLOCK, "tries": tries}
        for block, tries in ((40000, 1), (40001, 3), (40002, 8))
    ),
    "failing": ({"drive": 1, "kind": "unreadable", "block": 50000 * BLOCK, "blocks": 1},),
    "mirror": tuple(
        {"drive": 1, "kind": "unreadable", "block": MIRROR + block, "blocks": BLOCK}
        for block in (4000, 20000)
    ),
    "broken": ({"drive": 1, "kind": "permanent", "block": MIRROR + 12000, "blocks": 16},),
}


def run(bench: machine.Bench) -> int:
    folder, linux = bench.folder, bench.linux
    if bench.kind != "vfio-user":
        raise StudyFailed("guest faults: there is no QEMU here that uses Platter's own adapter")
    software = packages.Tree(folder / "software", SOFTWARE, linux.suites)
    software.make()
    initrd = folder / "faults.gz"
    image.make(
        linux,
        initrd,
        script.faults(),
        programs=PROGRAMS,
        with_modules=MODULES,
        more=[(software, "usr/sbin/mdadm")],
    )
    server = bench.server("realtime:0.25", keys=KEYS)
    with server.listen(bench.kind):
        disks = machine.disk_options(bench.kind, server.address)
        command = machine.linux_machine(bench.qemu, linux, initrd, disks)
        with machine.Guest(command, folder / "faults.log") as guest:
            done = 0
            while True:
                said = guest.wait_for(r"^(HOST \w+|== end)$", bench.arguments.limit, after=done)
                asked = re.findall(r"^HOST (\w+)$", said[done:], flags=re.M)
                done = len(said)
                for name in asked:
                    for fault in FAULTS[name]:
                        server.ask("add_fault", **fault)
                    guest.enter()
                if "\n== end\n" in said:
                    break
        server.end()
    parts = machine.parts_of(said)
    for name, body in parts.items():
        if name != "end":
            lines = [line for line in body.splitlines() if line.strip()]
            print(f"\n== {name}\n" + "\n".join(lines[:24]))
    wrong = [line for body in parts.values() for line in body.splitlines() if "FAILED" in line[:7]]
    for name, check in CHECKS.items():
        wrong += [f"{name}: {text}" for text in check(parts.get(name, ""))]
    if wrong:
        raise StudyFailed("\n".join(wrong))
    return 0


def _missing(body: str, *patterns: str) -> list[str]:
    return [f'no "{pattern}"' for pattern in patterns if not re.search(pattern, body, flags=re.M)]


def _times(body: str, begin: str, end: str) -> Iterable[float]:
    """The guest's times from each line with `begin` to the next one with `end`."""
    at = None
    for line in body.splitlines():
        stamp = re.match(r"\[ *(\d+\.\d+)\]", line)
        if stamp and begin in line:
            at = float(stamp[1])
        elif stamp and end in line and at is not None:
            yield float(stamp[1]) - at
            at = None


def _medium(body: str) -> list[str]:
    """EIO for one block, and for no other; the port works again within 100 ms, or up to twice that
    on a busy machine."""
    wrong = _missing(
        body,
        r"^data before block 10000 good$",
        r"^block 10000: failed, .*(Input/output error|No data available)$",
        "Medium Error",
        "Unrecovered read error",
        r"^pending [1-8]$",
        r"^uncorrectable [1-9]",
        r"^written, block 10000: $",
        r"^pending 0$",
        *(rf"^block {block}: $" for block in (9998, 9999, 10001, 10002)),
    )
    times = list(_times(body, "exception Emask", "EH complete"))
    # The guest's clock goes on while the guest waits for a processor.
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    limit = 0.1 * min(max(busy, 1.0), 2.0)
    if not times or min(times) > limit:
        wrong.append(f"found {times} s until the port worked again, expected at most {limit:.2f}")
    elif limit > 0.1:
        print(f"guest: the machine is busy: {limit:.2f} s, not 0.10, for the port to work again")
    return wrong


def _reallocated(body: str) -> list[str]:
    return _missing(
        body,
        r"^block 20000: failed, .*(Input/output error|No data available)$",
        r"^written, block 20000: $",
        r"^reallocated [1-9]",
        r"^pending 0$",
    )


def _lost(body: str) -> list[str]:
    """A timeout, a reset, and a retry that succeeds."""
    wrong = _missing(
        body,
        r"^block 30000: $",
        r"^timeouts [1-9]",
        "frozen",
        "hard resetting link",
        "EH complete",
        r"^again, block 30000: $",
        r"^again, block 30001: $",
    )
    times = re.search(r"^from ([\d.]+) to ([\d.]+)$", body, flags=re.M)
    if not times or not 3 <= float(times[2]) - float(times[1]) <= 15:
        wrong.append(f"found {times and times[0]}, expected 3 s of timeout and a retry")
    return wrong


def _ageing(body: str) -> list[str]:
    """Reads that need retries are no errors."""
    return _missing(
        body,
        *(rf"^block {block}: $" for block in (40000, 40001, 40002, 40003)),
        r"Read: +70 \(7.0 seconds\)",
        r"Write: +70 \(7.0 seconds\)",
        "self-assessment test result: PASSED",
        r"Short offline +Completed without error",
        "No Errors Logged",
    )


def _failing(body: str) -> list[str]:
    return _missing(
        body,
        r"^block 50000: failed, .*(Input/output error|No data available)$",
        rf"Short offline +Completed: read failure +.*{50000 * BLOCK}",
        r"Current_Pending_Sector .* [1-9]\d*$",
        r"Reallocated_Sector_Ct .* [1-9]\d*$",
        "Error: UNC",
    )


def _mirror(body: str) -> list[str]:
    """A scrub rewrites what one drive cannot read."""
    return _missing(
        body,
        "Unrecovered read error",
        r"^pending 1$",  # the failing block, outside of the mirror
        r"^second scrub: mismatches 0, errors 0$",
        r"^data good$",
    )


def _replaced(body: str) -> list[str]:
    return _missing(body, r"active sync +A$", r"active sync +C$", r"^data good$")


CHECKS: dict[str, Callable[[str], list[str]]] = {
    "medium": _medium,
    "reallocated": _reallocated,
    "lost": _lost,
    "ageing": _ageing,
    "failing": _failing,
    "errors": lambda body: _missing(body, "Error: UNC"),
    "mirror": _mirror,
    "replaced": _replaced,
}
