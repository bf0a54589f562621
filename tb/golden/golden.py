# SPDX-License-Identifier: Apache-2.0
"""Runs the golden runs, and keeps or compares what they give (README.md).

Environment: PLATTER (the command) and GOLDEN_COMMANDS (the program of the runs of single commands),
by default those of build/release.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from typing import Any

import kept
import pywellen

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXPECTED = kept.Expected(HERE / "expected")
RENAMES = tomllib.loads((HERE / "renames.toml").read_text())
used: set[tuple[int, str, str]] = set()  # of renames.toml: table (by identity), path, value
MOST_DIFFERENCES = 12  # of one run, printed
LONG_LIST = 8  # a list of so many elements is kept as their number and a digest
DIGITS = 6  # of a number that are kept


def program(variable: str, default: str) -> pathlib.Path:
    return pathlib.Path(os.environ.get(variable) or ROOT / "build" / "release" / default).absolute()


class Run:
    """One run: what is called, and which of its outputs count."""

    def __init__(self, group: str, name: str, table: dict[str, Any], settings: list[str]) -> None:
        self.name = f"{group}.{name}"
        self.keeps = table.get("keeps", [])
        self.scenario: pathlib.Path | None = None
        self.settings: list[str] = []
        if "cases" in table:
            self.call = [program("GOLDEN_COMMANDS", "tb/golden/golden_commands"), name]
            return
        self.scenario = HERE / "scenarios" / table["scenario"]
        self.settings = [*table.get("set", []), *settings]
        self.call = [program("PLATTER", "models/platter"), "run", self.scenario, "--quiet"]
        for setting in self.settings:
            self.call += ["--set", setting]

    def give(self, folder: pathlib.Path) -> dict[str, Any]:
        """Runs it in `folder`; its outputs by kind, as they are compared."""
        files = {kind: folder / kind for kind in self.keeps}
        call = [*self.call, *(word for kind, file in files.items() for word in (f"--{kind}", file))]
        done = subprocess.run(
            call,
            cwd=HERE / "scenarios",
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "SC_COPYRIGHT_MESSAGE": "DISABLE"},
        )
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}: exit code {done.returncode}: {done.stderr.strip()}")
        read = {"result": result_of, "requests": table_of, "waves": waves_of}
        given = {kind: read[kind](file) for kind, file in files.items()}
        return given if given else {"requests": table_of(done.stdout)}


def digest(data: str) -> str:
    return hashlib.sha256(data.encode()).hexdigest()[:6]


def result_of(file: pathlib.Path) -> dict[str, Any]:
    """Without what tells of the machine and the release; in the short form (README.md).
    A number is a string in Python, as the text has it."""
    result: dict[str, Any] = json.loads(file.read_text(), parse_int=str, parse_float=str)
    for key in ("host", "version"):
        del result[key]
    rounded: list[str] = []
    result = shortened(result, rounded)
    # Sorted by their text, because a value may get another name.
    result["rounded"] = counted(rounded, "\n".join(sorted(rounded)))
    return result


def counted(elements: list[Any], text: str) -> str:
    """What is kept of elements that are too many."""
    return f"{len(elements)}, {digest(text)}"


def shortened(value: Any, rounded: list[str]) -> Any:
    """Long lists as number and digest, numbers with few digits.
    A number that loses digits is added to `rounded`."""
    if isinstance(value, dict):
        return {key: shortened(inner, rounded) for key, inner in value.items()}
    if isinstance(value, list):
        if len(value) >= LONG_LIST:
            return counted(value, json.dumps(value, sort_keys=True))
        return [shortened(inner, rounded) for inner in value]
    if not (isinstance(value, str) and kept.NUMBER.fullmatch(value)) or "." not in value:
        return value
    short = f"{float(value):.{DIGITS}g}"
    if float(short) == float(value):
        return value
    rounded.append(value)
    return short


def cell_before(text: str) -> str:
    """What stood there before it was renamed.
    What stands there still is marked, and so is a difference."""
    for old, new in RENAMES.get("cells", {}).items():
        if text == old:
            return f"{text}, which has another name"
        if text == new:
            used.add((id(RENAMES["cells"]), old, repr(new)))
            return old
    return text


def table_of(source: pathlib.Path | str) -> dict[str, Any]:
    """A digest for each column of a CSV table: a column may get another name."""
    rows = list(
        csv.reader((source if isinstance(source, str) else source.read_text()).splitlines())
    )
    columns = {
        column: digest("\n".join(cell_before(row[i]) for row in rows[1:]))
        for i, column in enumerate(rows[0])
    }
    return {"rows": str(len(rows) - 1), "columns": columns}


def waves_of(file: pathlib.Path) -> dict[str, Any]:
    """A digest of each signal's value changes, or of all signals of an instance of the RTL."""
    return by_instance(
        {
            v.full_name: digest("\n".join(f"{time} {value}" for time, value in v.tv))
            for v in pywellen.Waveform(str(file)).all_vars()
        }
    )


def by_instance(signals: dict[str, str]) -> dict[str, str]:
    """The signals inside the RTL, of which there are thousands, as one value of each instance of a
    module: their number, and a digest of their names and digests. The pins keep theirs."""
    shown: dict[str, str] = {}
    inside: dict[str, list[str]] = {}
    for name, value in signals.items():
        scope = name.rpartition(".")[0]
        if not scope.startswith("sched."):
            shown[name] = value
            continue
        # To the last instance (u_NAME) of the path; of the top module and packages two steps
        instance = re.match(r"sched\.(?:.*\.)?u_[^.]*|sched\.[^.]*", scope)
        assert instance is not None
        inside.setdefault(instance[0], []).append(f"{name} {value}")
    return shown | {
        instance: counted(some, "\n".join(sorted(some))) for instance, some in inside.items()
    }


def runs() -> dict[str, Run]:
    found: dict[str, Run] = {}
    with (HERE / "runs.toml").open("rb") as file:
        for group, table in tomllib.load(file).items():
            members = table.get("runs") or {case: [] for case in table["cases"]}
            for name, settings in members.items():
                run = Run(group, name, table, settings)
                found[run.name] = run
    return found


# --- comparison -----------------------------------------------------------------------------------


def renamed(path: str, names: dict[str, str]) -> str:
    """The longest prefix of whole steps that the table has."""
    steps = path.split("/")
    for length in range(len(steps), 0, -1):
        old = "/".join(steps[:length])
        if old in names:
            used.add((id(names), old, repr(names[old])))
            return "/".join([names[old], *steps[length:]])
    return path


def differences(
    expected: Any, given: Any, names: dict[str, str], added: dict[str, Any], removed: dict[str, Any]
) -> list[str]:
    """Names of `expected` are renamed; what is added or removed must have a value that the tables
    allow."""
    old = {renamed(path, names): value for path, value in kept.leaves(expected)}
    new = dict(kept.leaves(given))
    lines = []
    for path, wanted in old.items():
        if path not in new:
            if not allows(removed, path, wanted):
                lines.append(f"{path}: expected {wanted}, is missing")
        elif new[path] != wanted:
            lines.append(f"{path}: expected {wanted}, is {new[path]}")
    for path, value in new.items():
        if path not in old and not allows(added, path, value):
            lines.append(f"{path}: {value}, was not there")
    return lines


def values(entry: Any) -> list[Any]:
    return entry if isinstance(entry, list) else [entry]


def allows(table: dict[str, Any], path: str, value: Any) -> bool:
    """May a path without a partner have this value?"""
    if path not in table or value not in values(table[path]):
        return False
    used.add((id(table), path, repr(value)))
    return True


def unused(renames: dict[str, Any]) -> list[str]:
    """Entries of renames.toml that no run needed."""
    nested = [
        table if any(isinstance(v, dict) for v in table.values()) else {"": table}
        for table in renames.values()
    ]
    return [
        f"{path} = {value!r}"
        for tables in nested
        for table in tables.values()
        for path, entry in table.items()
        for value in values(entry)
        if (id(table), path, repr(value)) not in used
    ]


def check(name: str, given: dict[str, Any], renames: dict[str, Any]) -> list[str]:
    expected = EXPECTED.run(name)
    if expected is None:
        return ["there is no expected result; `scripts/golden make` writes it"]
    lines = [f"{kind}: was not there" for kind in given if kind not in expected]
    for kind, value in expected.items():
        lines += [
            f"{kind} {line}"
            for line in differences(
                value,
                given.get(kind, {}),
                renames.get(kind, {}),
                renames.get("added", {}).get(kind, {}),
                renames.get("removed", {}).get(kind, {}),
            )
        ]
    return lines


def policies_without_a_run(every: dict[str, Run]) -> list[str]:
    """Policies of `platter list policies` that no expected result has. Parameters of a name, single
    letters, stand for any value."""
    listed = subprocess.run(
        [program("PLATTER", "models/platter"), "list", "policies", "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    had = {
        value
        for name in every
        for path, value in kept.leaves(EXPECTED.run(name) or {})
        if path.endswith("/policy")
    }
    patterns = {
        policy["name"]: "[^|()]+".join(
            re.escape(part) for part in re.split(r"(?<=[(|])[A-Za-z](?=[|)])", policy["name"])
        )
        for policy in json.loads(listed.stdout)
    }
    return [
        name
        for name, pattern in patterns.items()
        if not any(re.fullmatch(pattern, policy) for policy in had)
    ]


def carry_out(chosen: dict[str, Run], judge: Callable[[str, dict[str, Any]], bool]) -> int:
    """How many gave what `judge` does not take, or nothing. An interruption leaves no temporary
    folder, and waits for those runs only that have begun."""
    with (
        tempfile.TemporaryDirectory() as top,
        concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        try:
            given = {}
            for name, run in chosen.items():
                folder = pathlib.Path(top) / name
                folder.mkdir()
                given[name] = pool.submit(run.give, folder)
            return sum(not ended(name, future, judge) for name, future in given.items())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def ended(
    name: str,
    future: concurrent.futures.Future[dict[str, Any]],
    judge: Callable[[str, dict[str, Any]], bool],
) -> bool:
    """Whether a run ended, and `judge` takes what it gave."""
    try:
        outputs = future.result()
    except RuntimeError as error:
        print(error)
        return False
    return judge(name, outputs)


def is_expected(name: str, outputs: dict[str, Any]) -> bool:
    """Prints where it is not."""
    lines = check(name, outputs, RENAMES)
    for line in lines[:MOST_DIFFERENCES]:
        print(f"{name}: {line}")
    if len(lines) > MOST_DIFFERENCES:
        print(f"{name}: and {len(lines) - MOST_DIFFERENCES} more")
    return not lines


def main() -> int:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    every = runs()
    parser = argparse.ArgumentParser(
        prog="golden", description="small runs of everything, held against what they gave before"
    )
    parser.add_argument("action", choices=("check", "make", "list"))
    parser.add_argument("run", nargs="*", help="only these, or all of a group")
    options = parser.parse_args()
    chosen = [
        name
        for name in every
        if not options.run or name in options.run or name.split(".")[0] in options.run
    ]
    for wanted in options.run:
        if not any(wanted in (name, name.split(".")[0]) for name in every):
            parser.error(f'there is no run or group "{wanted}"; `golden list` has them')
    if options.action == "list":
        print("\n".join(chosen))
        return 0
    made: dict[str, dict[str, Any]] = {}

    def take(name: str, outputs: dict[str, Any]) -> bool:
        made[name] = outputs
        return True

    try:
        different = carry_out(
            {name: every[name] for name in chosen},
            take if options.action == "make" else is_expected,
        )
    except KeyboardInterrupt:
        print("golden: interrupted", file=sys.stderr)
        return 130
    if options.action == "make":
        EXPECTED.keep(made, list(every))
        print(f"golden: {len(chosen) - different} runs kept")
    else:
        print(f"golden: {len(chosen)} runs, {different} different")
        if len(chosen) == len(every) and (idle := unused(RENAMES)):
            print(f"golden: nothing needs {', '.join(idle)} in renames.toml")
            different += 1
    missing = policies_without_a_run(every)
    if missing:
        print(f"golden: no run has the policies {', '.join(missing)}")
    return 1 if different or missing else 0


if __name__ == "__main__":
    sys.exit(main())
