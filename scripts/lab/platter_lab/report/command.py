# SPDX-License-Identifier: Apache-2.0
"""What `platter-lab report` does with its arguments."""

from __future__ import annotations

import argparse
import sys

from platter_lab import LabError
from platter_lab.files import expect_files_apart, write_bytes
from platter_lab.report.compare_page import compare_page
from platter_lab.report.inputs import StudyInput, SweepInput, read_inputs
from platter_lab.report.page import Page
from platter_lab.report.run_page import run_page
from platter_lab.report.statistics_table import read_schema
from platter_lab.report.study_page import study_page
from platter_lab.report.sweep_page import sweep_page


def _page(arguments: argparse.Namespace) -> Page:
    given = read_inputs(arguments.input, arguments.requests, arguments.explain)
    if isinstance(given, SweepInput):
        return sweep_page(given, [tuple(pair) for pair in arguments.pareto], arguments.maximise)
    if arguments.pareto or arguments.maximise:
        raise LabError(
            f"{arguments.input[0]}: found --pareto or --maximise; expected the table of a sweep "
            "with these options"
        )
    if isinstance(given, StudyInput):
        return study_page(given)
    schema = read_schema(arguments.platter)
    return run_page(given[0], schema) if len(given) == 1 else compare_page(given, schema)


def run(arguments: argparse.Namespace) -> int:
    output = arguments.output
    given = (*arguments.input, *arguments.requests, arguments.explain)
    inputs = {f"the input {file}": file for file in given if file}
    expect_files_apart(inputs, ("-o", output, "the report"))
    content = _page(arguments).render().encode()
    write_bytes(output, content)
    print(f"{output}: {len(content) / 1e6:.1f} MB", file=sys.stderr)
    return 0
