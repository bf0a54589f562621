# SPDX-License-Identifier: Apache-2.0
"""Whoever watches a run changes nothing in it: the result (without `host`) and the request log have
the same bytes with no observer, with each one, and with all together.

    observers.py            the scenarios of arrays and of servers, shortened; the golden runs of
                            the same; every tenth golden run
    observers.py all        all golden runs
    observers.py RUN ...    these golden runs

Exit code 1 if an observer has changed a run.
Environment: PLATTER (the command), by default that of build/release.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import csv
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import golden

# Every observer of `platter run`, with its files; the log itself is one.
OBSERVERS = {
    "requests": [],
    "timeline": ["timeline"],
    "waves": ["waves"],
    "wave-when": ["waves"],
    "blktrace": ["blktrace"],
    "all": ["timeline", "waves", "blktrace"],
}
# A drive is watched in windows only: probes come and go
WORDS = {"wave-when": ["--wave-when", "response_ms >= 0"]}
WINDOW = ["observe.wave_from_s=0", "observe.wave_to_s=1e3", "observe.wave_angle_samples=4"]
SHORT = ["sim.warmup_s=1", "sim.measure_s=4"]
FAILURE = ["failure.fails_at_s=2", "failure.revives_at_s=3"]
MOST_ROWS = 3  # of a log, printed
EXPLAINED = "26"  # requests, the most of `platter explain`


@functools.cache
def watchable_hosts() -> frozenset[str]:
    """The others' runs refuse every observer."""
    done = subprocess.run(
        [golden.program("PLATTER", "models/platter"), "list", "hosts", "--json"],
        check=True,
        capture_output=True,
        env={**os.environ, "SC_COPYRIGHT_MESSAGE": "DISABLE"},
    )
    return frozenset(row["name"] for row in json.loads(done.stdout) if row["keeps_logs"])


class Watched:
    """A scenario with its settings."""

    def __init__(self, name: str, file: pathlib.Path, settings: list[str]) -> None:
        self.name = name
        kind = tomllib.loads(file.read_text()).get("host", {}).get("kind", "drive")
        self.watchable = kind in watchable_hosts()
        self.words = [
            str(file),
            *(word for setting in [*settings, *WINDOW] for word in ("--set", setting)),
        ]

    def call(self, command: str, words: list[str | pathlib.Path]) -> None:
        call = [
            golden.program("PLATTER", "models/platter"),
            command,
            *self.words,
            "--quiet",
            *words,
        ]
        done = subprocess.run(
            call,
            cwd=golden.HERE / "scenarios",
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "SC_COPYRIGHT_MESSAGE": "DISABLE"},
        )
        if done.returncode != 0:
            raise RuntimeError(
                f"{self.name}: {command} {' '.join(map(str, words))}: exit code {done.returncode}: "
                f"{done.stderr.strip()}"
            )

    def differences(self, folder: pathlib.Path) -> list[str]:
        """What an observer has changed."""
        self.call("run", ["--result", folder / "result"])
        result = golden.result_of(folder / "result")
        log = folder / "requests.log"
        lines = []
        for observer, kinds in OBSERVERS.items():
            files = [
                word
                for kind in ["result", "requests", *kinds]
                for word in (f"--{kind}", folder / f"{observer}.{kind}")
            ]
            self.call("run", [*files, *WORDS.get(observer, [])])
            given = golden.result_of(folder / f"{observer}.result")
            lines += [
                f"{observer}: result {line}"
                for line in golden.differences(result, given, {}, {}, {})
            ]
            if observer == "requests":
                (folder / "requests.requests").rename(log)
            else:
                lines += [
                    f"{observer}: {line}"
                    for line in rows_that_differ(log, folder / f"{observer}.requests")
                ]
        return lines + self.explained(folder, log)

    def explained(self, folder: pathlib.Path, log: pathlib.Path) -> list[str]:
        """What the decision log has changed, by the times of the slowest requests that `platter
        explain` reports."""
        with log.open(newline="") as file:
            rows = {row["number"]: row for row in csv.DictReader(file)}
        self.call(
            "explain",
            ["--slowest", EXPLAINED, "--when", "response_ms >= 0", "--no-waves", "-o", folder],
        )
        told = json.loads((folder / "explain.json").read_text())["requests"]
        times = [key for key in told[0] if key.endswith("_ps")]
        if "missed" not in next(iter(rows.values())):  # arrivals have no spread
            times.remove("missed_by_ps")
        return [
            f"explain: request {one['number']}: {key} is {one[key]}"
            for one in told
            for key in times
            if ("" if one[key] is None else str(one[key])) != rows[str(one["number"])][key]
        ]


def rows_that_differ(expected: pathlib.Path, given: pathlib.Path) -> list[str]:
    if expected.read_bytes() == given.read_bytes():
        return []
    lines = (file.read_text().splitlines() for file in (expected, given))
    pairs = list(zip(*lines, strict=False))
    rows = [f"log: expected {a}, is {b}" for a, b in pairs if a != b]
    return [f"log: {len(rows)} of {len(pairs)} rows differ", *rows[:MOST_ROWS]]


def scenarios() -> list[Watched]:
    """The shipped scenarios and those of the papers that have several drives, shortened."""
    found = []
    for file in sorted(
        [
            *golden.ROOT.glob("models/configs/scenarios/*.toml"),
            *golden.ROOT.glob("docs/papers/*/*.toml"),
        ]
    ):
        table = tomllib.loads(file.read_text())
        if table.get("host", {}).get("kind") not in ("array", "mixed_server"):
            continue
        found.append(
            Watched(
                file.relative_to(golden.ROOT).as_posix(),
                file,
                [*SHORT, *(FAILURE if "failure" in table else [])],
            )
        )
    return found


def golden_runs() -> dict[str, Watched]:
    """Those that an observer may watch: of scenarios, not of single commands."""
    found = {
        name: Watched(name, run.scenario, run.settings)
        for name, run in golden.runs().items()
        if run.scenario is not None
    }
    return {name: run for name, run in found.items() if run.watchable}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="observers", description="runs without an observer, with each, and with all"
    )
    parser.add_argument("run", nargs="*", help="golden runs, or `all`; by default a choice")
    options = parser.parse_args()
    every = golden_runs()
    if options.run == ["all"]:
        chosen = list(every.values())
    elif options.run:
        for wanted in options.run:
            if wanted not in every:
                parser.error(
                    f'there is no run "{wanted}" that takes an observer; '
                    "`scripts/golden list` has all runs"
                )
        chosen = [every[name] for name in options.run]
    else:
        several = {
            name for name in every if name.startswith(("array.", "eager.array", "mixed-server."))
        }
        chosen = scenarios() + [
            run for i, (name, run) in enumerate(every.items()) if i % 10 == 0 or name in several
        ]
    changed = 0
    with (
        tempfile.TemporaryDirectory() as top,
        concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool,
    ):

        def watch(item: tuple[int, Watched]) -> tuple[str, list[str]]:
            folder = pathlib.Path(top) / str(item[0])
            folder.mkdir()
            try:
                return item[1].name, item[1].differences(folder)
            except RuntimeError as error:
                return item[1].name, [str(error)]

        try:
            for name, lines in pool.map(watch, enumerate(chosen)):
                changed += bool(lines)
                for line in lines[: golden.MOST_DIFFERENCES]:
                    print(f"{name}: {line}")
                if len(lines) > golden.MOST_DIFFERENCES:
                    print(f"{name}: and {len(lines) - golden.MOST_DIFFERENCES} more")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    print(f"observers: {len(chosen)} runs, {changed} changed by an observer")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
