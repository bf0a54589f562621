# SPDX-License-Identifier: Apache-2.0
"""Long runs of drives with faults, every request of which is checked: see scripts/dev/soak."""

import argparse
import concurrent.futures
import contextlib
import csv
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PLATTER = os.environ.get("PLATTER", str(SOURCE / "build/release/models/platter"))
STREAMS = SOURCE / "models/configs/streams"
PAGE = SOURCE / "docs/reference/reliability.md"
BEGIN, END = "<!-- soak:begin -->\n", "<!-- soak:end -->"
PS = 10**12

# Resident memory may grow by this much after the first hour: the pages of the log's buffers and of
# the table of faults, and the holes that growing lists leave. Besides, the statistics keep each
# response time twice, for percentiles: in a list of its class, and in one of its class's reads or
# writes (up to 4,194,304 each).
GROWTH_KIB = 8192
SAMPLE_BYTES = 2 * 8
MOST_SAMPLES = 2 * 4_194_304  # of two classes; a list of the statistics has no more
MOST_AFTER_S = 60.0  # rounds of a second that lateness may last when its cause has ended

SCENARIO = """format = 1
engine = "{engine}"
policy = "SPTF"

[drive]
file = "atlas10k"
bus.read_block_us = 6.4
bus.write_block_us = 6.4
bus.overlap = true
queue.depth = 32
recovery.scrub_after_ms = {scrub}
# Without a write cache no access is made that is not in the log of requests.
cache.write_back = "off"
cache.write_segments = 0
cache.destage_entries = 0

{host}
[workload.continuous]
streams = 25
round_s = 1.0
placement = "random"
tables = ["{streams}/bigbuckbunny_mpeg1_1150k.csv", "{streams}/bikes_mpeg2_2000k.csv"]

[workload.discrete]
source = "poisson"
rate_per_s = 30.0
read_fraction = 0.6
size = "normal"
mean_bytes = 70_000
deviation_bytes = 20_000

[sim]
seed = {seed}
warmup_s = 0
measure_s = {seconds}
"""

ARRAY = """[host]
kind = "array"

[array]
kind = "striped"
drives = 2
copies = 2
unit_bytes = 262144
"""

PROCESS = """
[fault_process]
population = "nearline"
age_months = 32
rate_factor = 100
"""


@dataclass
class Event:
    """A disturbance of the plan: what, and during which simulated time (s)."""

    kind: str
    begin: float
    end: float


@dataclass
class Plan:
    text: str = ""
    events: list[Event] = field(default_factory=list)


def plan_of(seed: int, seconds: float, every: float, drives: int) -> Plan:
    """A seeded plan of faults. A restart frees a stuck command, as a host would do."""
    draw = random.Random(seed)
    plan = Plan()

    def add(kind: str, at: float, **keys: object) -> None:
        rows = "".join(f"{key} = {value}\n" for key, value in keys.items())
        plan.text += f'\n[[fault]]\nkind = "{kind}"\ndrive = {drive}\nat_s = {at:.3f}\n{rows}'

    cut = seconds / 2
    plan.text += f"\n[power_cut]\nat_s = {cut}\noff_s = 5.0\n"
    plan.events.append(Event("power_cut", cut, cut + 5))
    at = 0.0
    while True:
        at = round(at + draw.uniform(0.5, 1.5) * every, 3)
        if at > seconds - 1:
            break
        drive = draw.randrange(drives)
        kind = draw.choice(KINDS)
        if kind in ("unreadable", "permanent", "write_fault"):
            add(kind, at, drawn="true", blocks=draw.randrange(1, 400))
        elif kind == "retries":
            add(kind, at, drawn="true", blocks=2000, tries=draw.randrange(1, 30))
        elif kind == "slow":
            add(kind, at, drawn="true", blocks=20000, turns=draw.randrange(1, 10))
        elif kind == "off_track":
            add(kind, at, turns=2, for_s=3.0)
            plan.events.append(Event(kind, at, at + 3))
        elif kind == "late":
            delay = draw.choice((5, 50, 1500))
            add(kind, at, delay_ms=delay, for_s=2.0)
            plan.events.append(Event(kind, at, at + 2 + delay / 1000))
        elif kind == "link_drop":
            add(kind, at)
            plan.events.append(Event(kind, at, at))
        elif kind == "reset":
            delay = draw.choice((20, 300, 2500))
            add(kind, at, delay_ms=delay)
            plan.events.append(Event(kind, at, at + delay / 1000))
        else:
            add("stuck", at, count=draw.randrange(1, 4), for_s=2.0)
            add("reset", at + 3, delay_ms=100)
            plan.events.append(Event(kind, at, at + 3.1))
    return plan


KINDS = (
    "unreadable",
    "permanent",
    "write_fault",
    "retries",
    "slow",
    "off_track",
    "late",
    "link_drop",
    "reset",
    "stuck",
)


class Failure(Exception):
    pass


@dataclass
class Account:
    """What the log of requests says."""

    rows: int = 0
    failed: int = 0
    late: int = 0
    unexplained: list[dict[str, str]] = field(default_factory=list)
    longest_after: int = 0  # ps from the end of a cause to the end of the last request late for it
    # simulated s, KiB, requests that have ended
    resident: list[tuple[float, int, int]] = field(default_factory=list)

    def memory(self, seconds: float) -> tuple[int, int, int] | None:
        """Of a run of more than two hours, in KiB: the most of its first hour, the least of its
        last hour (a list that grows is there twice for a moment), and what the statistics keep
        more at the end of the run than in its first hour."""
        first = [(kib, rows) for time, kib, rows in self.resident if time <= 3600]
        last = [kib for time, kib, _ in self.resident if time > seconds - 3600]
        if seconds <= 7200 or not first or not last:
            return None
        return (
            max(kib for kib, _ in first),
            min(last),
            max(0, min(self.rows, MOST_SAMPLES) - first[-1][1]) * SAMPLE_BYTES // 1024,
        )


class Check:
    """Judges the requests in the order in which they ended.

    A continuous request is late for a reason if, between its issue and its end, something went
    wrong: a request was recovered or failed, an event of the plan took place, or another request
    was late for a reason, so that this one had to wait for it. What has gone wrong does not explain
    lateness for ever: at most MOST_AFTER_S behind the last cause that is no late request.
    """

    def __init__(self, events: list[Event]) -> None:
        self.events = sorted(events, key=lambda event: event.begin)
        self.first = 0  # events before it have ended long ago
        self.disturbed_until = -1
        self.cause_until = 0
        self.seen = bytearray()
        self.account = Account()

    def _event(self, begin: int, end: int) -> bool:
        while self.first < len(self.events) and self.events[self.first].end * PS < begin - 60 * PS:
            self.first += 1
        for event in self.events[self.first :]:
            if round(event.begin * PS) > end:
                return False
            if round(event.end * PS) >= begin:
                return True
        return False

    def row(self, row: dict[str, str]) -> None:
        account = self.account
        account.rows += 1
        number = int(row["number"])
        if number >= len(self.seen):
            self.seen.extend(bytes(number + 1 - len(self.seen)))
        if self.seen[number]:
            raise Failure(f"request {number} has ended twice")
        self.seen[number] = 1
        if row["status"] == "good" and row["late"] == "0" and row["recovery_ps"] == "0":
            return
        begin, end = int(row["issued_ps"]), int(row["completed_ps"])
        good = row["status"] == "good"
        recovered = row["recovery_ps"] != "0" or row["reallocated"] == "1"
        explained = recovered or self._event(begin, end)
        if not good:
            account.failed += 1
            if not explained:
                raise Failure(f"request {number} has failed for no reason: {row['status']}")
        late = good and row["late"] == "1" and row["class"] == "continuous"
        if late:
            account.late += 1
            if not explained and begin < self.disturbed_until:
                after = end - self.cause_until
                explained = after <= MOST_AFTER_S * PS
                account.longest_after = max(account.longest_after, after)
            if not explained:
                account.unexplained.append(row)
        if recovered or not good or (late and self._event(begin, end)):
            self.cause_until = max(self.cause_until, end)
        if (late and explained) or recovered or not good:
            self.disturbed_until = max(self.disturbed_until, end)


def resident_kib(process: int) -> int:
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def rows_of(log: pathlib.Path) -> Iterator[dict[str, str]]:
    with log.open(newline="") as file:
        yield from csv.DictReader(file)


@dataclass
class Run:
    name: str
    engine: str = "firmware"
    seconds: float = 0
    every: float = 300
    faults: bool = True
    drives: int = 1
    scrub: int = 0
    judged: bool = True  # every cause of a late request is in the log


def run(what: Run, seed: int) -> tuple[dict[str, Any], Account]:
    """Runs it and checks its requests as they end. Raises Failure."""
    plan = plan_of(seed, what.seconds, what.every, what.drives) if what.faults else Plan()
    text = SCENARIO.format(
        engine=what.engine,
        host=ARRAY if what.drives > 1 else "",
        streams=STREAMS,
        seed=seed,
        seconds=what.seconds,
        scrub=what.scrub,
    )
    text += (
        PROCESS + plan.text
        if what.faults
        else '\n[[fault]]\nkind = "late"\ndelay_ms = 1.0\nat_s = 1e6\n'
    )
    with tempfile.TemporaryDirectory(prefix="platter-soak-") as name:
        folder = pathlib.Path(name)
        scenario, result, log = folder / "soak.toml", folder / "result.json", folder / "log"
        scenario.write_text(text)
        os.mkfifo(log)
        command = [PLATTER, "run", str(scenario), "--quiet", "--result", str(result)]
        process = subprocess.Popen(
            [*command, "--requests", str(log)], stderr=subprocess.PIPE, text=True
        )
        # A process that refuses its scenario never opens the log.
        threading.Thread(target=open_if_refused, args=(process, log), daemon=True).start()
        check = Check(plan.events)
        next_sample = 0.0
        for row in rows_of(log):
            check.row(row)
            if (
                check.account.rows % 1000 == 0
                and (now := int(row["completed_ps"]) / PS) >= next_sample
            ):
                account = check.account
                account.resident.append((now, resident_kib(process.pid), account.rows))
                next_sample = now + what.seconds / 500
        _, errors = process.communicate()
        if process.returncode != 0:
            raise Failure(f"platter ended with {process.returncode}: {errors}")
        found = json.loads(result.read_text())
    judge(what, found, check)
    return found, check.account


def open_if_refused(process: subprocess.Popen[str], log: pathlib.Path) -> None:
    if process.wait() != 0:
        with contextlib.suppress(OSError):
            os.close(os.open(log, os.O_WRONLY | os.O_NONBLOCK))


def judge(what: Run, result: dict[str, Any], check: Check) -> None:
    account = check.account
    classes = result["classes"].values()
    issued = sum(each["issued"] for each in classes)
    ended = sum(each["completed"] + each["failed"] for each in classes)
    outstanding = sum(each["outstanding"] for each in classes)
    if issued != ended + outstanding:
        raise Failure(f"{issued} issued, {ended} ended, {outstanding} outstanding")
    if account.rows != ended or account.failed != sum(each["failed"] for each in classes):
        raise Failure(f"the log has {account.rows} requests, the result {ended}")
    missing = issued - sum(check.seen)
    if missing != outstanding or outstanding > 1000:
        raise Failure(f"{missing} requests have not ended, {outstanding} outstanding")
    if result["scheduler"]["mismatches"] != 0:
        raise Failure(f"{result['scheduler']['mismatches']} mismatches")
    if account.unexplained and what.judged:
        raise Failure(
            f"{len(account.unexplained)} requests are late for no reason: {account.unexplained[0]}"
        )
    if memory := account.memory(what.seconds):
        first, last, samples = memory
        if last > first + samples + GROWTH_KIB:
            raise Failure(
                f"resident memory grew from {first} to {last} KiB, of which {samples} are samples"
            )


COLUMNS = (
    "run",
    "simulated time",
    "requests",
    "failed",
    "late",
    "late for no reason",
    "longest lateness after its cause (s)",
    "retried accesses",
    "uncorrectable",
    "reallocated sectors",
    "restarts",
    "stuck commands",
    "resident memory, first hour (MiB)",
    "resident memory, last hour (MiB)",
    "samples kept after the first hour (MiB)",
    "decisions compared",
)


def line(what: Run, result: dict[str, Any], account: Account) -> list[str]:
    errors = result.get("errors") or result.get("array", {}).get("errors") or {}
    scheduler = result["scheduler"]
    memory = account.memory(what.seconds)
    return [
        what.name,
        f"{what.seconds / 3600:g} h" if what.seconds >= 3600 else f"{what.seconds:g} s",
        f"{account.rows:,}",
        f"{account.failed:,}",
        f"{account.late:,}",
        f"{len(account.unexplained):,}" if what.judged else "not checked",
        f"{account.longest_after / PS:.1f}" if what.judged else "not checked",
        f"{errors.get('retried', 0):,}",
        f"{errors.get('uncorrectable', 0):,}",
        f"{errors.get('reallocated', 0):,}",
        f"{errors.get('resets', 0):,}",
        f"{errors.get('timeouts', 0):,}",
        *([f"{kib / 1024:.1f}" for kib in memory] if memory else ["", "", ""]),
        f"{scheduler['decisions']:,}" if what.engine == "lockstep" else "",
    ]


def table(lines: list[list[str]], options: argparse.Namespace) -> str:
    out = f"Seed {options.seed}: every check holds.\n\n"
    for number, row in enumerate(zip(COLUMNS, *lines, strict=True)):
        out += "| " + " | ".join(row) + " |\n"
        if number == 0:
            out += "| --- |" + " ---: |" * len(lines) + "\n"
    return out


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak")
    parser.add_argument("--hours", type=float, default=24)
    parser.add_argument("--lockstep-s", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=300)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    long = options.hours * 3600
    runs = [
        Run("one drive, no fault", seconds=long, faults=False),
        Run("one drive", seconds=long, every=options.every),
        Run("one drive, scrubbing", seconds=long, every=options.every, scrub=20, judged=False),
        Run("mirrored array", seconds=long, every=options.every, drives=2, judged=False),
        Run("one drive, lock-step", "lockstep", options.lockstep_s, options.lockstep_s / 60),
    ]
    lines = []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        done = [(what, pool.submit(run, what, options.seed)) for what in runs if what.seconds > 0]
        for what, future in done:
            try:
                result, account = future.result()
                if not what.faults and account.late > 0:
                    raise Failure(f"{account.late} requests are late without a fault")
            except Failure as failure:
                print(f"soak: {what.name}: {failure}", file=sys.stderr)
                pool.shutdown(cancel_futures=True)
                return 1
            lines.append(line(what, result, account))
            print(
                "; ".join(
                    f"{name} {value}"
                    for name, value in zip(COLUMNS, lines[-1], strict=True)
                    if value
                ),
                flush=True,
            )
    if options.page:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text(before + BEGIN + table(lines, options) + END + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
