# SPDX-License-Identifier: Apache-2.0
"""`platter-lab guest starvation`: random reads beside a sequential stream under Linux's own
schedulers, on a drive whose firmware lets the stream go first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from platter_lab import StudyFailed
from platter_lab.executable import ROOT
from platter_lab.guest import image, machine, script

SCENARIO = ROOT / "docs/results/starvation/guest.toml"
MODULES = ("crc32c_generic", "ahci", "sd_mod", "mq-deadline", "bfq")
SECONDS = 20
BOOT_S = 120  # on a busy machine


@dataclass(frozen=True)
class Case:
    """A scheduler, what is set besides, and options of the stream's and the random job of fio."""

    scheduler: str
    what: str = ""
    settings: str = ":"
    stream: str = "--iodepth=4"
    random: str = ""


REALTIME = "--prioclass=1"
CASES = (
    Case("none"),
    Case("mq-deadline"),
    Case("bfq"),
    Case("mq-deadline", "random reads of the class realtime", random=REALTIME),
    Case("bfq", "random reads of the class realtime", random=REALTIME),
    Case(
        "bfq",
        "`strict_guarantees`",
        settings="must echo_to 1 /sys/block/sda/queue/iosched/strict_guarantees",
    ),
    Case("none", "one read of the stream at a time", stream="--iodepth=1"),
    Case("none", "`queue_depth` 2", settings="must echo_to 2 /sys/block/sda/device/queue_depth"),
    Case("none", "`queue_depth` 1", settings="must echo_to 1 /sys/block/sda/device/queue_depth"),
)


def text(cases: Sequence[Case] = CASES, seconds: int = SECONDS) -> str:
    """The guest's script."""
    return script.starvation(
        [(case.scheduler, case.settings, case.stream, case.random) for case in cases], seconds
    )


def row(case: Case, said: str) -> tuple[str, ...]:
    """A row of the table from fio's output. StudyFailed if it is not that of the two jobs."""
    try:
        found = json.loads(said[said.index("{") : said.rindex("}") + 1])
        jobs: dict[str, dict[str, Any]] = {job["jobname"]: job for job in found["jobs"]}
        stream, random = (jobs[name]["read"] for name in ("stream", "random"))
        wrong = [name for name, job in jobs.items() if job["error"]]
    except (ValueError, KeyError) as error:
        raise StudyFailed(f"guest starvation: {case.scheduler}: fio said: {said[:200]}") from error
    if wrong:
        raise StudyFailed(f"guest starvation: {case.scheduler}: fio's job {wrong[0]} has an error")
    if random["total_ios"] == 0:
        times = ["–"] * 4
    else:
        shares = random["clat_ns"]["percentile"]
        times = [
            f"{ns / 1e6:,.0f}"
            for ns in (
                random["lat_ns"]["mean"],
                shares["50.000000"],
                shares["99.000000"],
                random["lat_ns"]["max"],
            )
        ]
    return (
        case.scheduler,
        case.what,
        f"{random['total_ios']:,}",
        *times,
        f"{stream['bw_bytes'] / 1e6:.1f}",
    )


HEADER = (
    "scheduler",
    "besides",
    "random reads",
    "mean (ms)",
    "p50 (ms)",
    "p99 (ms)",
    "longest (ms)",
    "stream (MB/s)",
)


def run(bench: machine.Bench) -> int:
    if bench.kind != "vfio-user":
        raise StudyFailed("guest starvation: there is no QEMU here that uses Platter's own adapter")
    initrd = bench.folder / "starvation.gz"
    image.make(bench.linux, initrd, text(), programs=("usr/bin/fio",), with_modules=MODULES)
    limit_s = BOOT_S + 1.5 * len(CASES) * SECONDS
    log = bench.folder / "starvation.log"
    server = bench.server("realtime", scenario=SCENARIO)
    with server.listen(bench.kind):
        parts = bench.boot(initrd, log, server.address, limit_s=limit_s)
        result, _ = server.end()
    wrong = [
        line for body in parts.values() for line in body.splitlines() if line.startswith("FAILED")
    ]
    if wrong:
        raise StudyFailed(f"guest starvation: {wrong[0]}; see {log}")
    rows = [row(case, parts[f"case{number}"]) for number, case in enumerate(CASES)]
    print("\n".join(f"| {' | '.join(cells)} |" for cells in (HEADER, ["---"] * len(HEADER), *rows)))
    late = result["serving"]["late_ms"]
    print(
        f"\nthe drive was late by {late['mean']:.1f} ms on average, and at most {late['max']:.0f}"
    )
    return 0
