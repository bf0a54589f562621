# SPDX-License-Identifier: Apache-2.0
"""The report of a search for the best configurations."""

from __future__ import annotations

import itertools
import math
from typing import Any

import polars as pl

from platter_lab import LabError
from platter_lab.pareto import front_of
from platter_lab.report import table_charts
from platter_lab.report.inputs import StudyInput, expect_columns
from platter_lab.report.page import Page, Raw, number, table

MOST_ROWS = 5000
MOST_OBJECTIVES = 4  # with fronts of their own


def _cell(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def study_page(given: StudyInput) -> Page:
    frame, about = given.frame, given.about
    expected = "the table of `platter-lab optimise`"
    try:
        objectives = [
            (str(one["name"]), str(one.get("unit") or ""), str(one["direction"]))
            for one in about["objectives"]
        ]
        parameters = [
            str(one["name"] if isinstance(one, dict) else one) for one in about["parameters"]
        ]
        constraints = [
            str(one["name"] if isinstance(one, dict) else one)
            for one in about.get("constraints", [])
        ]
        units = {
            str(one["name"]): str(one.get("unit") or "")
            for one in (*about["objectives"], *about.get("constraints", []))
            if isinstance(one, dict)
        }
    except (KeyError, TypeError) as error:
        raise LabError(
            f"{given.file}: metadata platter.optimise: an entry has no {error}; expected {expected}"
        ) from error
    wanted = [*parameters, *(name for name, _, _ in objectives), *constraints, "status", "front"]
    if missing := [name for name in wanted if name not in frame.columns]:
        raise LabError(f"{given.file}: has no column {missing[0]}; expected {expected}")
    expect_columns(
        given,
        texts=("status", "message"),
        numbers=(
            "trial",
            *(f"{name}{end}" for name, _, _ in objectives for end in ("", " low", " high")),
        ),
    )
    if frame.is_empty() or not objectives:
        raise LabError(
            f"{given.file}: has no {'trial' if objectives else 'objective'}; expected {expected}"
        )
    if frame["front"].dtype != pl.Boolean:
        raise LabError(
            f"{given.file}: column front: found {frame['front'].dtype}, expected true or false; "
            f"expected {expected}"
        )
    directions = {
        name: "more" if direction.startswith("max") else "less" for name, _, direction in objectives
    }

    keys = {name: f"a{i}" for i, name in enumerate(dict.fromkeys(wanted))}
    ends = {
        f"{keys[name]}_{end}": f"{name} {end}"
        for name, _, _ in objectives
        for end in ("low", "high")
        if f"{name} {end}" in frame.columns
    }
    # Of costs: measured or interpolated.
    sources = [name for name in frame.columns if name.endswith(" source")]
    rows = [
        {
            "trial": one.get("trial", i),
            "message": one.get("message"),
            "sources": [one[name] for name in sources],
            **{keys[name]: _cell(one[name]) for name in keys},
            **{key: _cell(one[name]) for key, name in ends.items()},
        }
        for i, one in enumerate(frame.iter_rows(named=True))
    ]
    columns = {
        name: table_charts.column(key, name, units.get(name, ""), [row[key] for row in rows])
        for name, key in keys.items()
    }
    front_key = keys["front"]
    on = [bool(row[front_key]) for row in rows]
    done = [row for row in rows if all(row[keys[name]] is not None for name, _, _ in objectives)]
    page = Page(
        f"Study {given.file.name}",
        "Platter · search",
        "objectives: "
        + ", ".join(f"{directions[name]} {name}" for name, _, _ in objectives)
        + (f"; constraints: {', '.join(constraints)}" if constraints else ""),
    )
    page.tiles += [
        ("trials", number(len(rows)), f"{len(done)} with all objectives"),
        ("on the front", number(sum(on)), "trials"),
        ("parameters", number(len(parameters)), "searched"),
    ]
    for name, unit, _ in objectives:
        if columns[name].values:
            best = (max if directions[name] == "more" else min)(columns[name].values)
            page.tiles.append(
                (
                    f"{'highest' if directions[name] == 'more' else 'lowest'} {name}",
                    f"{number(best, 3)} {unit}",
                    "of any trial, constraints or not" if constraints else "",
                )
            )

    if len(objectives) > 1:
        page.section("Pareto fronts")
        drawn = objectives[:MOST_OBJECTIVES]
        if len(drawn) < len(objectives):
            page.note(f"Pairs of the first {len(drawn)} of {len(objectives)} objectives are drawn.")
        for (a, _, _), (b, _, _) in itertools.combinations(drawn, 2):
            candidates = [row if row[front_key] else {**row, keys[a]: None} for row in rows]
            joined = front_of(
                candidates, (keys[a], directions[a] == "more"), (keys[b], directions[b] == "more")
            )
            chart = table_charts.fronts(
                rows,
                columns[a],
                columns[b],
                on,
                joined,
                [columns[name] for name in (*parameters, *constraints, "status")],
            )
            page.figure(
                f"{a} and {b}: {sum(joined)} of the {sum(on)} trials on the front are not beaten "
                "in these two",
                chart,
                (
                    f"{directions[a].capitalize()} {a} and {directions[b]} {b} is better. The "
                    f"front is that of all {len(objectives)} objectives"
                )
                + (" under the constraints." if constraints else ".")
                + " The line joins the trials that are not beaten in these two.",
                half=True,
            )
    dimensions = [
        columns[name]
        for name in (*parameters, *(name for name, _, _ in objectives))
        if len(columns[name].values) > 1
    ]
    if len(dimensions) > 1:
        page.section("Parallel coordinates")
        chart, lines = table_charts.parallel(done, dimensions, dimensions[-1], front=front_key)
        page.figure(
            f"The {sum(on)} trials on the front, before all others",
            chart,
            "Each line is a trial"
            + (
                f"; {lines} of {len(done)} are drawn, in equal steps, and the whole front"
                if lines < len(done)
                else ""
            )
            + ". Point at a line to see its values.",
        )
    page.section("Front")
    shown = list(dict.fromkeys((*parameters, *(name for name, _, _ in objectives), *constraints)))
    headings = ["trial", *(columns[name].title for name in shown), *sources]

    def cells(row: dict[str, Any]) -> list[Any]:
        return [
            Raw(str(row["trial"]), row["trial"]),
            *(row[keys[name]] for name in shown),
            *row["sources"],
        ]

    page.markup(
        table(headings, [cells(row) for row in rows if row[front_key]], name="trials on the front")
    )
    page.section("Trials")
    page.markup(
        table(
            [*headings, "status", "front"],
            [
                [*cells(row), row[keys["status"]], "front" if row[front_key] else ""]
                for row in rows[:MOST_ROWS]
            ],
            name="trials",
        )
    )
    if len(rows) > MOST_ROWS:
        page.note(f"The first {MOST_ROWS} of {len(rows)} trials.")
    if failed := [row for row in rows if row["message"]]:
        page.section("Failed, refused and infeasible trials")
        page.markup(
            table(
                ["trial", "status", "message"],
                [
                    [Raw(str(row["trial"]), row["trial"]), row[keys["status"]], row["message"]]
                    for row in failed[:MOST_ROWS]
                ],
                name="messages",
            )
        )
    return page
