# SPDX-License-Identifier: Apache-2.0
"""What `platter-lab bound` does with its arguments."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from platter_lab import LabError, StudyFailed
from platter_lab.bound.check import MOST_REQUESTS, Refused, check
from platter_lab.bound.load import Load
from platter_lab.bound.outcome import POLICIES, Outcome, of_closed_load, of_recorded, of_rounds
from platter_lab.executable import find_platter
from platter_lab.files import expect_files_apart, write_whole


def text_of(outcome: Outcome) -> str:
    """For the screen."""
    lines = [f"{outcome.drive}, {outcome.depth} requests known at a time"]
    if outcome.most is not None:
        lines.append(
            f"at most {outcome.most} requests beside the streams in {outcome.rounds} rounds"
        )
        lines += [
            f"  {one.policy:<28}{one.value:>9.0f}{one.distance:>9.1f} % below"
            + (f", {one.late} late" if one.late else "")
            for one in outcome.policies
        ]
    else:
        bound = outcome.bound_ps * 1e-9
        lines.append(f"at least {bound:.3f} ms for {outcome.completions} requests")
        rows = [(one.policy, one.value, one.distance) for one in outcome.policies]
        if outcome.best_ps is not None:
            best = outcome.best_ps
            share = 100 * (best / outcome.bound_ps - 1)
            rows.insert(0, ("best schedule found", best * 1e-9, share))
        lines += [f"  {name:<28}{ms:>12.3f} ms{more:>8.1f} % above" for name, ms, more in rows]
    lines += [f"  {policy:<28}not with this load" for policy in outcome.unmet]
    return "\n".join(lines)


def check_file(path: Path, platter: Path) -> int:
    """Exit code 0 if the certificate proves its bound, 1 if not."""
    try:
        certificate = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}; expected a certificate (JSON)") from error
    except ValueError as error:
        raise LabError(f"{path}: {error}; expected a certificate (JSON)") from error
    try:
        proven = check(certificate, str(platter))
    except Refused as error:
        raise StudyFailed(f"{path}: {error}") from error
    print(f"{path}: proven: at least {proven} ps for {certificate['completions']} requests")
    return 0


def _depth(text: str | None) -> int | None:
    if text is None:
        return None
    if text == "all":
        return 0
    if not text.isdecimal() or not 1 <= int(text) <= 100_000:
        raise LabError(f"--depth: found {text}, expected a number of requests, or all")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    platter = find_platter(arguments.platter)
    if arguments.check is not None:
        return check_file(arguments.check, platter)
    if arguments.study is not None:
        from platter_lab.bound import study

        return study.run(arguments.study, platter)
    least = {"completions": 2, "rounds": 1, "iterations": 0, "annealing": 0}
    for option, low in least.items():
        most = MOST_REQUESTS if option in ("completions", "rounds") else 10**9
        if not low <= getattr(arguments, option) <= most:
            raise LabError(
                f"--{option}: found {getattr(arguments, option)}, expected {low} to {most}"
            )
    expect_files_apart(
        {"the load": arguments.load, "--scenario": arguments.scenario},
        ("-o", arguments.output, "the certificate"),
        ("--result", arguments.result, "the numbers"),
    )
    listed = arguments.policies.split(",")
    policies = list(POLICIES) if arguments.policies == "all" else [one.strip() for one in listed]
    iterations, steps = arguments.iterations, arguments.annealing
    depth = _depth(arguments.depth)
    if arguments.load.suffix == ".csv":
        if arguments.scenario is None:
            raise LabError(f"{arguments.load}: a log of requests needs --scenario with its drive")
        load = Load(platter, arguments.scenario, arguments.set)
        outcome = of_recorded(load, arguments.load, depth, iterations, steps)
    else:
        for name in ("scenario", "depth"):
            if getattr(arguments, name) is not None:
                raise LabError(f"--{name}: found with a scenario, expected with a log (.csv) only")
        load = Load(platter, arguments.load, arguments.set)
        load.expect_closed()
        option, known = "completions", arguments.completions
        if load.streams:
            option, known = "rounds", load.streams * arguments.rounds
        if load.depth + known > MOST_REQUESTS:
            raise LabError(f"--{option}: with the depth more than {MOST_REQUESTS} requests")
        if arguments.policies != "all":
            for policy in policies:
                load.expect_policy(policy)
        if load.streams:
            outcome = of_rounds(load, arguments.rounds, policies, iterations)
        else:
            outcome = of_closed_load(load, arguments.completions, policies, iterations, steps)
    files: dict[Path, str | bytes] = {}
    if arguments.output is not None:
        files[arguments.output] = json.dumps(outcome.certificate) + "\n"
    if arguments.result is not None:
        files[arguments.result] = json.dumps(outcome.numbers(), indent=2) + "\n"
    if files:
        write_whole(files)
    print(text_of(outcome))
    return 0
