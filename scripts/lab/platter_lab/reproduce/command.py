# SPDX-License-Identifier: Apache-2.0
"""What `platter-lab reproduce` does with its arguments."""

from __future__ import annotations

import argparse
import importlib
import sys
import time

from platter_lab import LabError
from platter_lab.executable import find_platter
from platter_lab.files import expect_writable_file, expect_writable_folder, write_whole
from platter_lab.reproduce import KEPT, STUDIES
from platter_lab.reproduce.page import claims_json, details, files, terminal
from platter_lab.reproduce.study import Plan, Study
from platter_lab.runs.executor import LocalProcesses
from platter_lab.runs.results import Results
from platter_lab.runs.runner import Runner
from platter_lab.runs.store import Store


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def reproduce(study: Study, arguments: argparse.Namespace) -> None:
    plan = study.plan(arguments.quick)
    most = study.most(arguments.quick) if study.most else None
    output = arguments.output or (KEPT / f"{study.name}-quick" if arguments.quick else study.folder)
    behind = (
        arguments.output / "details"
        if arguments.output
        else KEPT / (f"{study.name}-quick" if arguments.quick else study.name)
    )
    expect_writable_folder(output, "the study's page")
    expect_writable_folder(behind, "what is behind the page")
    if arguments.result:
        expect_writable_file(arguments.result, "the claims")
    runner = Runner(
        find_platter(arguments.platter), Store(arguments.cache), LocalProcesses(arguments.jobs)
    )
    if arguments.estimate:
        print(f"{study.name}: {runner.estimate(plan.batches).text(arguments.jobs)}")
        if most:
            print(f"{study.name}, at most: {runner.estimate(most.batches).text(arguments.jobs)}")
        return
    if not arguments.quick:
        _say(f"{study.name}: {runner.estimate(plan.batches).text(arguments.jobs)}")
    start = time.monotonic()
    plan, results = run_plan(study, plan, runner, arguments.quick)
    _say(f"{study.name}: {plan.runs} runs at hand after {time.monotonic() - start:.0f} s")
    report = study.report(results, arguments.quick)
    contents = files(study, plan, report, arguments.quick)
    more = details(report)
    result = arguments.result
    wanted = {result: claims_json(study, report, output, behind)} if result else {}
    write_whole(
        {
            **{output / name: content for name, content in contents.items()},
            **{behind / name: text for name, text in more.items()},
            **wanted,
        }
    )
    print(terminal(report))
    print(
        f"{output / 'README.md'}: written, with {len(contents) - 1} files of figures and data "
        f"beside it; every run and comparison are in {behind}"
    )


def run_plan(study: Study, plan: Plan, runner: Runner, quick: bool) -> tuple[Plan, Results]:
    """The results of the plan; of a study in stages, of all the plans that follow, with the last of
    them."""
    if study.follow is None:
        return plan, runner.results(plan.batches)
    results = Results({})
    while not results.has((plan := study.follow(results, quick)).batches):
        results = runner.results(plan.batches)
        _say(f"{study.name}: {plan.runs} runs at hand")
    return plan, results


def run(arguments: argparse.Namespace) -> int:
    for option, place in (("--output", arguments.output), ("--result", arguments.result)):
        if place and len(arguments.study) > 1:
            raise LabError(f"{option}: found several studies for one place; expected one study")
    try:
        for name in STUDIES:
            if name in arguments.study:
                module = importlib.import_module(f"platter_lab.reproduce.{name.replace('-', '_')}")
                reproduce(module.STUDY, arguments)
    except KeyboardInterrupt:
        _say("platter-lab: interrupted; the runs that finished are kept")
        return 130
    return 0
