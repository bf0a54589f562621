# SPDX-License-Identifier: Apache-2.0
"""What `platter-lab reproduce` does with its arguments."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

from platter_lab import LabError
from platter_lab.executable import find_platter
from platter_lab.files import write_whole
from platter_lab.reproduce import KEPT, STUDIES
from platter_lab.reproduce.bench import Bench, Results
from platter_lab.reproduce.page import files, terminal
from platter_lab.reproduce.study import PAPERS, Plan, Study


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def reproduce(study: Study, arguments: argparse.Namespace) -> None:
    plan = study.plan(arguments.quick)
    most = study.most(arguments.quick) if study.most else None
    bench = Bench(find_platter(arguments.platter), arguments.cache, arguments.jobs)
    output = arguments.output or (KEPT / f"{study.name}-quick" if arguments.quick else PAPERS / study.name)
    if output.exists() and not output.is_dir():
        raise LabError(f"{output}: is a file; expected a folder for the study's page")
    if arguments.estimate:
        print(f"{study.name}: {bench.estimate(plan.batches).text(arguments.jobs)}")
        if most:
            print(f"{study.name}, at most: {bench.estimate(most.batches).text(arguments.jobs)}")
        return
    if not arguments.quick:
        _say(f"{study.name}: {bench.estimate(plan.batches).text(arguments.jobs)}")
    start = time.monotonic()
    plan, results = run_plan(study, plan, bench, arguments.quick)
    _say(f"{study.name}: {plan.runs} runs at hand after {time.monotonic() - start:.0f} s")
    report = study.report(results, arguments.quick)
    texts = files(study, plan, report, arguments.quick)
    write_whole({output / name: text for name, text in texts.items()})
    print(terminal(report))
    print(f"{output / 'README.md'}: written, with {len(texts) - 1} files of figures and data beside it")


def run_plan(study: Study, plan: Plan, bench: Bench, quick: bool) -> tuple[Plan, Results]:
    """The results of the plan; of a study in stages, of all the plans that follow, with the last of them."""
    if study.follow is None:
        return plan, bench.results(plan.batches)
    results = Results({})
    while not results.has((plan := study.follow(results, quick)).batches):
        results = bench.results(plan.batches)
        _say(f"{study.name}: {plan.runs} runs at hand")
    return plan, results


def run(arguments: argparse.Namespace) -> int:
    if arguments.output and len(arguments.study) > 1:
        raise LabError("--output: one folder for several studies; expected one study")
    try:
        for name in STUDIES:
            if name in arguments.study:
                module = importlib.import_module(f"platter_lab.reproduce.{name.replace('-', '_')}")
                reproduce(module.STUDY, arguments)
    except KeyboardInterrupt:
        _say("platter-lab: interrupted; the runs that finished are kept")
        return 130
    return 0
