# SPDX-License-Identifier: Apache-2.0
"""What `platter-lab calibrate` does with its arguments: input, fit, scores, files."""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from platter_lab import LabError, __version__
from platter_lab.calibrate.fit import Calibration, calibrate, media_accesses
from platter_lab.calibrate.pattern_fit import (
    FITTED_SHARE,
    PatternCalibration,
    agreement,
    calibrate_patterns,
)
from platter_lab.calibrate.pattern_tree import KINDS, PatternTree
from platter_lab.calibrate.phase import Places
from platter_lab.calibrate.profile import Change, Place, Profile, format_value, place
from platter_lab.calibrate.replay import Answers, Model
from platter_lab.calibrate.spread import scores as spread_scores
from platter_lab.calibrate.trace import Reading, Trace, read_trace
from platter_lab.executable import call_platter, find_platter
from platter_lab.files import expect_files_apart, write_whole

SCORES = (
    ("demerit_exact_percent", "exact demerit %"),
    ("within_0_5_ms", "within 0.5 ms"),
    ("rms_error_ms", "rms error ms"),
)


def header(result: Calibration, base: Path, trace: Path, requests: int) -> str:
    """What stands on top of a calibrated profile."""
    half = requests // 2
    lines = [
        f"Calibrated by `platter drive calibrate` (platter-lab {__version__}) from {base.name}.",
        f"Trace {trace.name}, {requests} requests; the pause {result.reading.value} its request.",
        f"Fitted to requests 1 to {half}, scored on the rest. A value that was fitted says so, "
        "with its standard",
        "error; all others are those of the base.",
    ]
    lines += [f"Note: {note}." for note in result.notes]
    return "".join(f"# {line}\n" for line in lines)


def _plain(value: Any) -> Any:
    """Values as JSON has them: no nan."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def report(
    result: Calibration,
    base: Path,
    trace: Path,
    requests: int,
    before: dict[str, Any],
    after: dict[str, Any],
    arrivals: dict[str, Any] | None,
) -> dict[str, Any]:
    out: dict[str, Any] = {
        "base": base.name,
        "trace": trace.name,
        "requests": requests,
        "reading": result.reading.value,
        "fitted_lines": [1, requests // 2],
        "scored_lines": [requests // 2 + 1, requests],
        "same_track_coherence": {name: round(value, 4) for name, value in result.coherence.items()},
        "notes": result.notes,
        "parameters": [
            {
                "name": value.name,
                "group": group,
                "value": value.value,
                "uncertainty": _plain(value.error),
                "base": value.base,
                "unit": value.unit,
            }
            for group, values in result.values.items()
            for value in values
        ],
        "layout": [
            {
                "group": choice.group,
                "chosen": choice.chosen,
                "pairs": choice.pairs,
                "score": {name: round(value, 4) for name, value in choice.scores.items()},
                "behind_best_error": {
                    name: round(value, 4) for name, value in choice.margins.items()
                },
            }
            for choice in result.choices
        ],
        "second_half": {"before": before, "after": after, "arrivals": arrivals},
    }
    if result.spindle is not None and result.joint is not None:
        joint = result.joint
        out["spindle"] = {
            "period_us": result.spindle.period_us,
            "pairs": result.spindle.pairs,
            "followed_us": result.spindle.horizon_us,
            "noise_us": joint.noise_turns / joint.turns_per_us,
            "outliers": joint.outliers,
            "drift_turns": joint.drift_turns,
        }
    return out


def arrival_scores(
    result: Calibration, trace: Trace, first: Places, last: Places, profile: Profile, whole: Answers
) -> dict[str, Any] | None:
    """How well the spread predicts the second half's times; None without a spread."""
    if result.spreads is None:
        return None
    seen = len(trace) // 2
    accesses = media_accesses(trace, first, last, profile, whole, seen)
    spreads = result.spreads
    scores: dict[str, Any] = {}
    for kind, spread in (("reads", spreads.reads), ("writes", spreads.writes)):
        chosen = accesses[accesses.write == (kind == "writes")]
        if spread is not None and len(chosen) > 0:
            scores[kind] = spread_scores(chosen, spread, spreads.rivals)
    return scores


def summary(
    result: Calibration,
    before: dict[str, Any],
    after: dict[str, Any],
    arrivals: dict[str, Any] | None,
) -> str:
    lines = [
        f"reading: the pause {result.reading.value} its request (coherence on one track: "
        + ", ".join(f"{name} {value:.2f}" for name, value in result.coherence.items())
        + ")"
    ]
    lines += [f"{choice.group}: {choice.chosen}" for choice in result.choices]
    lines += [
        f"{value.name} = {format_value(value.value)}"
        + (f" +- {value.error:.2g} {value.unit}" if math.isfinite(value.error) else "")
        for values in result.values.values()
        for value in values
        if value.zone is None and not isinstance(value.value, list)
    ]
    lines += [f"note: {note}" for note in result.notes]
    lines.append("second half, before -> after:")
    for group in ("all", "reads", "writes"):
        if group in before and before[group].get("n"):
            lines.append(
                f"  {group}: "
                + "; ".join(
                    f"{label} {before[group][key]:.3f} -> {after[group][key]:.3f}"
                    for key, label in SCORES
                )
            )
    for kind, scores in (arrivals or {}).items():
        lines.append(
            f"  arrivals of {kind}: log likelihood {scores['log_likelihood']:.3f}, "
            + ", ".join(
                f"{gain['mean']:+.3f} +- {gain['error']:.3f} over {name.replace('_', ' ')}"
                for name, gain in scores["gain_over"].items()
            )
        )
        lines.append(
            "    "
            + "; ".join(
                f"{name.replace('_', ' ')}: {turn['measured']} measured, "
                f"{turn['expected']:.1f} +- {turn['sampling_error']:.1f} expected"
                for name, turn in scores.items()
                if name.startswith("turn_")
            )
        )
    return "\n".join(lines)


def _shown(platter: Path, drive: str) -> str:
    """All values of a profile, as the model reads it."""
    return call_platter(platter, ["drive", "show", drive, "--json"])


def _base_name(platter: Path, profile: Path, out: Path) -> str:
    """What the base is called in a profile: by its name if it ships, else by its file, from the
    profile's folder if that is one.
    """
    try:
        shipped = _shown(platter, profile.stem) == _shown(platter, str(profile))
    except LabError:
        shipped = False
    if shipped:
        return profile.stem
    if out.exists() and not out.is_file():
        return str(profile.resolve())
    name = os.path.relpath(profile.resolve(), out.resolve().parent)
    return name if "/" in name or name.endswith(".toml") else f"./{name}"


def run(arguments: argparse.Namespace) -> int:
    trace: Trace = read_trace(arguments.trace)
    platter = find_platter(arguments.platter)
    base = Profile.read(
        arguments.profile, lambda: json.loads(_shown(platter, str(arguments.profile)))
    )
    expect_files_apart(
        {"--trace": arguments.trace, "--profile": arguments.profile},
        ("--out", arguments.out, "the profile"),
        ("--report", arguments.report, "the report"),
    )
    if not base.is_tree and base.get("geometry.layout", "cylinders") != "cylinders":
        raise LabError(
            f"{arguments.profile}:{base.line_of('geometry.layout')}: geometry.layout is "
            f'"{base.get("geometry.layout")}", expected "cylinders" or "tree"'
        )
    given = None if arguments.reading == "auto" else Reading(arguments.reading)
    fitted = trace.head(int(len(trace) * FITTED_SHARE)) if base.is_tree else trace.first_half()
    with tempfile.TemporaryDirectory(prefix="platter-calibrate-") as name:
        model = Model(platter, Path(name), arguments.trace, trace, len(fitted))
        # Of all requests, so that one beyond the drive is refused before anything is fitted.
        last = model.locate(arguments.profile, trace.lba + trace.blocks - 1)
        if base.is_tree:
            return run_patterns(arguments, trace, fitted, model, base, given)
        first = model.locate(arguments.profile, trace.lba)
        result = calibrate(
            fitted,
            base,
            first[: len(fitted)],
            last[: len(fitted)],
            lambda reading: lambda text: model.first_half(text, reading),
            given,
        )
        changes = result.changes()
        source = base.get("source", "")
        fitted_to = f"calibrated to the first half of {arguments.trace.name}"
        changes[place("source")] = Change(f"{source}; {fitted_to}" if source else fitted_to)
        if arguments.name:
            changes[place("name")] = Change(arguments.name)
        before = model.second_half(base.text, result.reading)[1]
        calibrated = Profile(base.changed(changes), base.path)
        answers, after = model.second_half(calibrated.text, result.reading)
        arrivals = arrival_scores(result, trace, first, last, calibrated, answers)
        runs = model.runs
    files = {
        arguments.out: base.derived(
            _base_name(platter, arguments.profile, arguments.out),
            changes,
            header(result, arguments.profile, arguments.trace, len(trace)),
        )
    }
    if arguments.report:
        document = report(
            result, arguments.profile, arguments.trace, len(trace), before, after, arrivals
        )
        files[arguments.report] = json.dumps(document, indent=1) + "\n"
    write_whole(files)
    print(summary(result, before, after, arrivals))
    print(f"{arguments.out}: written after {runs} replays")
    return 0


# Layouts of patterns.


def pattern_changes(found: PatternCalibration, base: Profile, trace: Trace) -> dict[Place, Change]:
    """The calibrated profile's values that differ from the base's."""
    tree = PatternTree(base.get("geometry.node"))
    changes: dict[Place, Change] = {
        place("mechanics.rpm"): Change(round(float(found.rpm), 4), "1/min (fitted)")
    }
    for number, rows in enumerate(tree.rows(found.turns, found.offsets)):
        changes["geometry.node", number, "runs"] = Change(rows)
    for key, us in found.overheads_us.items():
        changes[place(key)] = Change(us, "us (fitted)")
    writes = trace.response_us[~trace.is_read]
    if base.writes_are_cached and len(writes) and float(np.median(writes)) > base.period_us / 2:
        changes[place("cache.write_back")] = Change(
            "off", "chosen, the real drive's writes wait for the media"
        )
    return changes


def pattern_header(found: PatternCalibration, base: Path, trace: Path, fitted: int) -> str:
    steps = ", ".join(
        f"{name} {value:.6f} +- {error:.1g}"
        for name, value, error in zip(KINDS, found.turns, found.errors, strict=True)
        if math.isfinite(error)
    )
    lines = [
        f"Calibrated by `platter drive calibrate` (platter-lab {__version__}) from {base.name}.",
        f"Trace {trace.name}; the pause {found.reading.value} its request. Fitted to requests 1 to",
        f"{fitted}, scored once on the rest.",
        f"Skews in turns, the same in the whole layout: {steps}.",
        f"{found.parts} parts of the layout begin at angles of their own.",
    ]
    lines += [f"Note: {note}." for note in found.notes]
    return "".join(f"# {line}\n" for line in lines)


def run_patterns(
    arguments: argparse.Namespace,
    trace: Trace,
    part: Trace,
    model: Model,
    base: Profile,
    given: Reading | None,
) -> int:
    """Calibrates a layout of patterns: `part` of the trace is fitted, the rest is scored."""
    fitted = len(part)
    found = calibrate_patterns(part, base, given)
    changes = pattern_changes(found, base, part)
    cached = {key: change for key, change in changes.items() if key[2] == "write_back"}
    source = base.get("source", "")
    fitted_to = f"calibrated to the first {fitted} requests of {arguments.trace.name}"
    changes[place("source")] = Change(f"{source}; {fitted_to}" if source else fitted_to)
    if arguments.name:
        changes[place("name")] = Change(arguments.name)
    scores = {}
    for which, text in (("before", base.changed(cached)), ("after", base.changed(changes))):
        answers = model.whole(text, found.reading)[fitted:]
        scores[which] = {
            group: agreement(answers.measured_us[rows], answers.simulated_us[rows])
            for group, rows in (
                ("all", slice(None)),
                ("reads", answers.is_read),
                ("writes", ~answers.is_read),
            )
            if len(answers.measured_us[rows])
        }
    header_text = pattern_header(found, arguments.profile, arguments.trace, fitted)
    files = {arguments.out: base.changed(changes, header_text)}
    if arguments.report:
        document = {
            "base": arguments.profile.name,
            "trace": arguments.trace.name,
            "requests": len(trace),
            "reading": found.reading.value,
            "fitted_lines": [1, fitted],
            "scored_lines": [fitted + 1, len(trace)],
            "coherence": {name: round(value, 4) for name, value in found.coherence.items()},
            "rpm": found.rpm,
            "skews_turns": {
                name: {"value": float(value), "uncertainty": _plain(float(error))}
                for name, value, error in zip(KINDS, found.turns, found.errors, strict=True)
            },
            "offsets_turns": [round(float(value), 6) for value in found.offsets],
            "noise_us": found.noise_us,
            "overheads_us": found.overheads_us,
            "notes": found.notes,
            "last_fifth": scores,
        }
        files[arguments.report] = json.dumps(document, indent=1) + "\n"
    write_whole(files)
    print(f"reading: the pause {found.reading.value} its request")
    for kind, value, error in zip(KINDS, found.turns, found.errors, strict=True):
        if math.isfinite(error):
            print(f"skew of a step of kind {kind}: {value:.6f} +- {error:.1g} turns")
    print(f"noise of an access: {found.noise_us:.1f} us")
    print("last fifth, before -> after:")
    for group, after in scores["after"].items():
        before = scores["before"][group]
        print(
            f"  {group}: within 0.15 ms {before['within_0_15_ms']:.3f} -> "
            f"{after['within_0_15_ms']:.3f}; rms error ms {before['rms_error_ms']:.3f} -> "
            f"{after['rms_error_ms']:.3f}"
        )
    print(f"{arguments.out}: written")
    return 0
