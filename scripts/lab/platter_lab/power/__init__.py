# SPDX-License-Identifier: Apache-2.0
"""`platter-lab power`: the [power] section of a drive profile, from published currents or from a
drive's construction, and how well the latter predicts drives that it has not seen.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from platter_lab import LabError
from platter_lab.power.model import STATES, Drive, Model, published, section

_BEGIN, _END = "<!-- power:begin -->", "<!-- power:end -->"
# The worst error of a published model, Dempsey (Zedlewski et al., FAST 2003), on two drives.
_DEMPSEY_PERCENT = 7.5
_LARGEST = 1e6  # of any number on the command line
_WAYS = ("construction", "construction and idle currents")


def _predictions(drives: Sequence[Drive]) -> dict[str, list[Drive]]:
    """Each drive from the other ones, by what is known of it."""
    models = [Model.fitted([other for other in drives if other is not one]) for one in drives]
    return {
        _WAYS[0]: [m.predicted(one) for m, one in zip(models, drives, strict=True)],
        _WAYS[1]: [
            m.predicted(one, one.currents["idle"]) for m, one in zip(models, drives, strict=True)
        ],
    }


def _error(found: Drive, drive: Drive, state: str) -> float:
    return 100 * (found.watts(state) / drive.watts(state) - 1)


def validation() -> str:
    """Markdown: the error of every state of every drive, predicted from the other four."""
    drives = published()
    ways = _predictions(drives)
    lines = []
    for way, found in ways.items():
        lines += [
            f"Known of a drive: {way}.",
            "",
            "| drive | " + " | ".join(state.replace("_", " ") for state in STATES) + " |",
            "| --- " * (1 + len(STATES)) + "|",
        ]
        for drive, one in zip(drives, found, strict=True):
            cells = [
                f"{drive.watts(state):.2f} → {one.watts(state):.2f} "
                f"({_error(one, drive, state):+.0f} %)"
                for state in STATES
            ]
            lines.append(f"| {drive.name} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += [
        "| known of a drive | states | mean of the absolute errors (%) | worst (%) | of it | "
        f"errors of at most {_DEMPSEY_PERCENT} % |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for way, found in ways.items():
        states = STATES if way == _WAYS[0] else STATES[1:]
        for drive_set in ("all five", "the four of 95 mm"):
            errors = [
                (abs(_error(one, drive, state)), f"{drive.name}, {state.replace('_', ' ')}")
                for drive, one in zip(drives, found, strict=True)
                for state in states
                if drive_set == "all five" or drive.size == 1
            ]
            worst, where = max(errors)
            within = sum(error <= _DEMPSEY_PERCENT for error, _ in errors)
            mean = sum(error for error, _ in errors) / len(errors)
            lines.append(
                f"| {way}, {drive_set} | {len(errors)} | {mean:.1f} | {worst:.1f} | {where} | "
                f"{within} |"
            )
    return "\n".join(lines)


def _section_text(drive: Drive, how: str) -> str:
    keys = "\n".join(f"{key} = {value:g}" for key, value in section(drive).items())
    return f"[power]  # {how}\n{keys}"


def _run(arguments: argparse.Namespace) -> int:
    drives = published()
    if arguments.action == "list":
        for one in drives:
            print(f"{one.name}: {one.discs:g} discs of {one.diameter_mm:g} mm; {one.source}")
    elif arguments.action == "section":
        drive = next((one for one in drives if one.name == arguments.name), None)
        if drive is None:
            names = ", ".join(f'"{one.name}"' for one in drives)
            raise LabError(f'found "{arguments.name}", expected one of {names}')
        print(_section_text(drive, f"{drive.name}: {drive.source}"))
    elif arguments.action == "predict":
        currents = (arguments.idle_5v or 0, arguments.idle_12v or 0)
        sizes = (arguments.discs, arguments.diameter_mm, arguments.rpm)
        if not all(0 < size <= _LARGEST for size in sizes):
            raise LabError(f"discs, diameter and speed must be above 0, and at most {_LARGEST:g}")
        if not all(0 <= current <= _LARGEST for current in currents):
            raise LabError(f"currents must be from 0 to {_LARGEST:g}")
        drive = Drive("", "", arguments.discs, arguments.diameter_mm, arguments.rpm, {})
        idle = None
        if arguments.idle_5v is not None or arguments.idle_12v is not None:
            if None in (arguments.idle_5v, arguments.idle_12v):
                raise LabError("--idle-5v and --idle-12v belong together")
            idle = (arguments.idle_5v, arguments.idle_12v)
        print(
            _section_text(
                Model.fitted(drives).predicted(drive, idle),
                f"assumed: a fit over {len(drives)} drives, for {arguments.discs:g} discs of "
                f"{arguments.diameter_mm:g} mm at {arguments.rpm:g} /min",
            )
        )
    else:
        text = validation()
        if arguments.page is None:
            print(text)
        else:
            page = arguments.page.read_text(encoding="utf-8")
            marked = re.compile(f"{_BEGIN}.*{_END}", re.DOTALL)
            if not marked.search(page):
                raise LabError(f"{arguments.page}: has no {_BEGIN} … {_END}")
            arguments.page.write_text(
                marked.sub(lambda _: f"{_BEGIN}\n{text}\n{_END}", page), encoding="utf-8"
            )
    return 0


def add_command(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("power", help="the [power] section of a drive profile")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="the drives with published currents")
    one = actions.add_parser("section", help="the [power] section of one of them")
    one.add_argument("name")
    predict = actions.add_parser("predict", help="the section of another drive, by the fit")
    predict.add_argument("--discs", type=float, required=True)
    predict.add_argument("--diameter-mm", type=float, default=95.0)
    predict.add_argument("--rpm", type=float, default=7200.0)
    predict.add_argument("--idle-5v", type=float, metavar="A", help="its own idle current at 5 V")
    predict.add_argument("--idle-12v", type=float, metavar="A", help="the same at 12 V")
    validate = actions.add_parser("validate", help="each published drive from the other four")
    validate.add_argument("--page", type=Path, metavar="FILE.md", help="write it into this page")
    parser.set_defaults(run=_run)
