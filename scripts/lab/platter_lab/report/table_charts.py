# SPDX-License-Identifier: Apache-2.0
"""Charts of tables: of a sweep's configurations, of a study's trials.

Columns of a table have any names, and Vega reads dots and brackets in them: rows of charts have
columns `a0`, `a1`, … instead (`Column.key`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from platter_lab.report import look
from platter_lab.report.page import number

Row = Mapping[str, Any]
MOST_COLOURS = len(look.SERIES)
MOST_LINES = 1000  # of parallel coordinates
HALF = {"width": look.NARROW, "height": 280}


@dataclass(frozen=True)
class Column:
    """Of a table: what is drawn of it."""

    key: str
    name: str
    unit: str
    values: tuple[Any, ...]  # different ones, in the order of the table

    @property
    def title(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    @property
    def numeric(self) -> bool:
        return all(
            isinstance(value, int | float) and not isinstance(value, bool) for value in self.values
        )

    @property
    def finite(self) -> list[float]:
        return [
            value
            for value in self.values
            if isinstance(value, int | float) and math.isfinite(value)
        ]

    @property
    def positive(self) -> bool:
        """A logarithmic scale can show it."""
        return self.numeric and min(self.finite, default=0) > 0

    @property
    def logarithmic(self) -> bool:
        """It is shown so unless the reader wants it otherwise: its values are far apart."""
        return self.positive and max(self.finite) / min(self.finite) >= 30

    def scale(self, **more: Any) -> alt.Scale:
        """As a page's boxes make it, too."""
        return (
            alt.Scale(type="log", nice=False, **more)
            if self.logarithmic
            else alt.Scale(type="linear", zero=False, **more)
        )

    def axis_scale(self) -> alt.Scale:
        return self.scale(padding=8) if self.logarithmic else self.scale()

    @property
    def type(self) -> Literal["quantitative", "nominal"]:
        return "quantitative" if self.numeric else "nominal"


def column(key: str, name: str, unit: str, values: Sequence[Any]) -> Column:
    return Column(
        key, name, unit, tuple(dict.fromkeys(value for value in values if value is not None))
    )


def tips(columns: Sequence[Column]) -> list[alt.Tooltip]:
    return [
        look.value(one.key, one.title, ",.5~r") if one.numeric else look.word(one.key, one.title)
        for one in columns
    ]


def _only_chosen(others: Sequence[Column], name: str) -> str:
    """A condition on rows: the values that are chosen below the chart."""
    return " && ".join(f"datum.{one.key} === {name}_{one.key}" for one in others) or "true"


def _with_interval(
    base: alt.Chart, rows: Sequence[Row], one: Column, channel: str
) -> tuple[alt.Chart, str]:
    """The rows that have an interval, and the field of its lower end.

    The parameter `log_y` (or x) says that the axis is logarithmic: on it an interval that begins
    below 0 begins at the end of the axis.
    """
    low = f"datum.{one.key}_low"
    chart = base.transform_filter(f"isValid({low})")
    if not one.positive:
        return chart, f"{one.key}_low"
    least = min(
        value
        for row in rows
        for value in (row[one.key], row.get(f"{one.key}_low"))
        if value is not None and value > 0
    )
    return chart.transform_calculate(
        **{f"low_{channel}": f"log_{channel} ? max({low}, {least!r}) : {low}"}
    ), f"low_{channel}"


def _finished(chart: alt.LayerChart, **channels: Column) -> alt.LayerChart:
    """With its size, and a choice of linear or logarithmic axes where values are above 0."""
    either = {channel: one for channel, one in channels.items() if one.positive}
    chart = chart.add_params(
        *(
            alt.param(name=f"log_{channel}", value=one.logarithmic)
            for channel, one in either.items()
        )
    )
    return look.either_scale(
        chart.properties(**HALF), **{channel: one.title for channel, one in either.items()}
    )


def chosen(chart: alt.Chart, others: Sequence[Column], name: str) -> alt.Chart:
    """With a list to choose from, for each of the axes that the chart does not show."""
    for one in others:
        parameter = alt.param(
            name=f"{name}_{one.key}",
            bind=alt.binding_select(options=list(one.values), name=f"{one.name}: "),
            value=one.values[0],
        )
        chart = chart.add_params(parameter)
    return chart.transform_filter(_only_chosen(others, name))


def against(
    rows: Sequence[Row],
    x: Column,
    y: Column,
    colour: Column | None,
    others: Sequence[Column],
    *,
    level: float | None = None,
) -> alt.LayerChart:
    """A metric (`y`, with its interval in y_low and y_high) against an axis.

    `level` is a line to compare with.
    """
    name = f"against_{y.key}"
    base = alt.Chart(look.data([dict(row) for row in rows if row[y.key] is not None]))
    flat = x.numeric or max(len(str(value)) for value in x.values) * len(x.values) < 50
    ordered: dict[str, Any] = {"scale": x.axis_scale()} if x.numeric else {"sort": list(x.values)}
    across = alt.X(
        field=x.key,
        type=x.type,
        title=x.title,
        axis=alt.Axis(labelAngle=0 if flat else -25),
        **ordered,
    )
    shade = (
        look.series_colour(colour.key, colour.name, list(colour.values), width=look.NARROW)
        if colour
        else alt.ColorValue(look.SERIES[0])
    )
    up = alt.Y(field=y.key, type="quantitative", title=y.title, scale=y.axis_scale())
    about = tips([one for one in (x, colour, *others) if one])
    about += [
        look.value(f"{y.key}{end}", f"{y.name}{' ' * bool(end)}{end.strip('_')}", ",.5~r")
        for end in ("", "_low", "_high")
    ]
    bars, low = _with_interval(base, rows, y, "y")
    bars = bars.mark_rule(strokeWidth=1.6).encode(
        across,
        alt.Y(field=low, type="quantitative", title=y.title, scale=y.axis_scale()),
        alt.Y2(field=f"{y.key}_high"),
        shade,
    )
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        across, up, shade, tooltip=about
    )
    beneath = [bars] if any(row[f"{y.key}_low"] is not None for row in rows) else []
    if x.numeric:
        beneath.append(base.mark_line(strokeWidth=2).encode(across, up, shade))
    layers = [
        *(layer.transform_filter(_only_chosen(others, name)) for layer in beneath),
        chosen(points.properties(name=name), others, name),
    ]
    if level is not None:
        line = alt.Chart(look.data([{"level": level}])).mark_rule(color=look.INK, strokeDash=[4, 3])
        layers.insert(
            0,
            line.encode(
                alt.Y(field="level", type="quantitative", title=y.title, scale=y.axis_scale())
            ),
        )
    return _finished(look.layered(*layers), **({"x": x} if x.numeric else {}), y=y)


def heat(
    rows: Sequence[Row], x: Column, y: Column, metric: Column, others: Sequence[Column]
) -> alt.LayerChart:
    """A metric over two axes. Each value has a cell of its own, so the axes are not to scale."""
    name = f"heat_{metric.key}"
    base = alt.Chart(look.data([dict(row) for row in rows if row[metric.key] is not None]))
    encoded = base.encode(
        alt.X(
            field=x.key,
            type="ordinal",
            title=x.title,
            sort=list(x.values),
            axis=alt.Axis(labelAngle=0 if x.numeric else -25, labelLimit=110),
        ),
        alt.Y(
            field=y.key,
            type="ordinal",
            title=y.title,
            sort=list(y.values),
            axis=alt.Axis(labelLimit=150),
        ),
    )
    cells = encoded.mark_rect(stroke="#fff").encode(
        alt.Color(
            field=metric.key,
            type="quantitative",
            title=metric.title,
            scale=metric.scale(scheme="blues"),
            legend=alt.Legend(gradientLength=200, format=",.3~r"),
        ),
        tooltip=tips([x, y, *others, metric]),
    )
    layers = [chosen(cells.properties(name=name), others, name)]
    if len(x.values) * len(y.values) <= 70 and len(x.values) <= 9:
        dark = f"luminance(scale('color', datum.{metric.key})) < 0.22"
        words = encoded.mark_text(fontSize=12).encode(
            alt.Text(field=metric.key, type="quantitative", format=",.3~r"),
            color=alt.condition(dark, alt.value("#fff"), alt.value(look.INK)),
        )
        layers.append(words.transform_filter(_only_chosen(others, name)))
    chart = look.layered(*layers).properties(
        width=look.NARROW - 130, height=max(120, min(34 * len(y.values), 420))
    )
    return look.either_scale(chart, **({"color": metric.title} if metric.positive else {}))


def parallel(
    rows: Sequence[Row], columns: Sequence[Column], colour: Column, *, front: str = ""
) -> tuple[alt.LayerChart, int]:
    """A line a row, over an upright for each column; how many lines are drawn.

    With `front`, the lines are those of the rows that have it.
    """
    every = max(1, -(-len(rows) // MOST_LINES))
    drawn = [row for i, row in enumerate(rows) if i % every == 0 or (front and row[front])]
    order = [one.title for one in columns]
    lines, labels = [], []
    for one in columns:
        finite = sorted(one.finite) if one.numeric else []
        if len(finite) > 1:
            to, back = (math.log, math.exp) if one.logarithmic else (float, float)
            low, high = to(finite[0]), to(finite[-1])
            places = {value: (to(value) - low) / (high - low) for value in finite}
            ticks = (
                list(places.items())
                if len(finite) <= 5
                else [(back(low + (high - low) * step / 4), step / 4) for step in range(5)]
            )
        else:
            spread = max(len(one.values) - 1, 1)
            places = {value: i / spread for i, value in enumerate(one.values)}
            ticks = list(places.items())
        labels += [
            {
                "column": one.title,
                "at": at,
                "label": number(value, 3) if isinstance(value, int | float) else str(value),
            }
            for value, at in ticks[:40]
        ]
        lines += [
            {
                "id": i,
                "column": one.title,
                "at": places.get(row[one.key]),
                "c": row[colour.key],
                "front": bool(front and row[front]),
                **{col.key: row[col.key] for col in columns},
            }
            for i, row in enumerate(drawn)
        ]
    # The front is drawn over the others.
    lines = sorted(
        (line for line in lines if line["at"] is not None), key=lambda line: line["front"]
    )
    hover = alt.selection_point(
        name="hover", fields=["id"], on="pointerover", empty=False, clear="pointerout"
    )
    room = alt.expr(f"width / {len(columns)} - 8")
    x = alt.X(
        field="column",
        type="nominal",
        sort=order,
        title=None,
        scale=alt.Scale(type="point", padding=0.35),
        axis=alt.Axis(
            labelAngle=0,
            orient="top",
            labelFontWeight=600,
            labelColor=look.INK,
            domain=False,
            ticks=False,
            labelLimit=room,
            offset=10,
        ),
    )
    y = alt.Y(field="at", type="quantitative", axis=None, scale=alt.Scale(domain=[0, 1]))
    few = len(colour.values) <= MOST_COLOURS
    shade = (
        look.series_colour("c", colour.name, list(colour.values))
        if few and not front
        else alt.Color(
            field="c",
            type="quantitative",
            title=colour.title,
            scale=alt.Scale(scheme="viridis"),
            legend=alt.Legend(gradientLength=220),
        )
    )
    base = (
        alt.Chart(look.data(lines), name="parallel")
        .mark_line()
        .encode(
            x,
            y,
            detail=alt.Detail(field="id", type="nominal"),
            color=alt.condition("datum.front", alt.value(look.SERIES[1]), alt.value("#a9b4c2"))
            if front
            else shade,
            tooltip=tips(columns),
            opacity=alt.when(hover)
            .then(alt.value(1))
            .when("datum.front")
            .then(alt.value(0.9))
            .otherwise(alt.value(0.25 if front else 0.55)),
            strokeWidth=alt.condition(hover, alt.value(4), alt.value(1.5)),
        )
        .add_params(hover)
    )
    at = alt.X(field="column", type="nominal", sort=order)
    uprights = (
        alt.Chart(look.data([{"column": title} for title in order]))
        .mark_rule(color="#8a95a3")
        .encode(at)
    )
    text: dict[str, Any] = {
        "align": "left",
        "dx": 5,
        "fontSize": 11,
        "color": look.INK,
        "limit": room,
    }
    halo = {**text, "stroke": "white", "strokeWidth": 3, "strokeOpacity": 0.9}
    words = [
        alt.Chart(look.data(labels))
        .mark_text(**style)
        .encode(at, y, alt.Text(field="label", type="nominal"))
        for style in (halo, text)
    ]
    chart = look.layered(base, uprights, *words).properties(width=look.WIDE, height=330)
    return chart, len(drawn)


def fronts(
    rows: Sequence[Row],
    x: Column,
    y: Column,
    on: Sequence[bool],
    joined: Sequence[bool],
    about: Sequence[Column],
    label: str = "",
) -> alt.LayerChart:
    """Two metrics of each row; those that are `on` the Pareto front stand out, and those that are
    on that of these two alone are `joined`. With intervals where the rows have x_low, ... A few are
    labelled by the column `label`.
    """
    points = [
        {**row, "on": is_on}
        for row, is_on in zip(rows, on, strict=True)
        if row[x.key] is not None and row[y.key] is not None
    ]
    points.sort(key=lambda row: row["on"])
    here = [row for row in points if row["on"]]
    base = alt.Chart(look.data(points))
    across = alt.X(field=x.key, type="quantitative", title=x.title, scale=x.axis_scale())
    up = alt.Y(field=y.key, type="quantitative", title=y.title, scale=y.axis_scale())
    shade = alt.Color(
        field="on",
        type="nominal",
        title=None,
        scale=alt.Scale(domain=[True, False], range=[look.SERIES[1], "#9aa6b5"]),
        legend=alt.Legend(labelExpr="datum.value ? 'on the Pareto front' : 'others'"),
    )
    layers = []
    for one, other, begin, end in ((x, up, alt.X, alt.X2), (y, across, alt.Y, alt.Y2)):
        if any(row.get(f"{one.key}_low") is not None for row in points):
            bars, low = _with_interval(base, points, one, "x" if one is x else "y")
            layers.append(
                bars.mark_rule(opacity=0.6).encode(
                    begin(field=low, type="quantitative", title=one.title, scale=one.axis_scale()),
                    end(field=f"{one.key}_high"),
                    other,
                    shade,
                )
            )
    ends = sorted(
        (row[x.key], row[y.key]) for row, is_joined in zip(rows, joined, strict=True) if is_joined
    )
    if len(ends) > 1:
        line = alt.Chart(look.data([{x.key: first, y.key: second} for first, second in ends]))
        layers.append(
            line.mark_line(color=look.SERIES[1], strokeWidth=1.5, opacity=0.7).encode(
                across, up, alt.Order(field=x.key, type="quantitative")
            )
        )
    dots = base.mark_point(filled=True, size=60, opacity=0.9).encode(
        across, up, shade, tooltip=tips([*about, x, y])
    )
    layers.append(
        dots.properties(name=f"front_{x.key}_{y.key}").add_params(
            look.zoom(f"zoom_{x.key}_{y.key}", "x", "y")
        )
    )
    if label and 0 < len(here) <= 8:
        words = alt.Chart(look.data(here)).mark_text(
            align="left", dx=8, dy=-7, fontSize=11, color=look.INK, limit=220
        )
        layers.append(words.encode(across, up, alt.Text(field=label, type="nominal")))
    return _finished(look.layered(*layers), x=x, y=y)
