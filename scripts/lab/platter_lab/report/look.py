# SPDX-License-Identifier: Apache-2.0
"""Colours and sizes of all charts."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import altair as alt
from altair.utils.schemapi import debug_mode

Chart = TypeVar("Chart", bound=alt.TopLevelMixin)

CLASSES = {"continuous": "#2f6db5", "discrete": "#e07b39", "background": "#7a8b3c"}
PARTS = {
    "queue": "#b9c0cb",
    "overhead": "#8e6bbf",
    "seek": "#cf4b4b",
    "settle": "#f0a878",
    "rotation": "#e9bf45",
    "transfer": "#3b9c78",
    "bus": "#4a90c2",
}
# Of the states of `energy` in a result: rest, then what an access does.
POWER = {
    "off": "#e3e6eb",
    "standby": "#d3d9e2",
    "idle_c": "#c3ccd9",
    "idle_b": "#b2bfd0",
    "idle_a": "#a1b1c7",
    "idle": "#8fa3bd",
    "load": "#c79fb0",
    "start": "#a0526f",
    "overhead": "#8e6bbf",
    "accelerate": "#cf4b4b",
    "coast": "#e58f86",
    "settle": "#f0a878",
    "rotation": "#e9bf45",
    "read": "#3b9c78",
    "write": "#27705a",
    "read_ahead": "#8cc7ac",
}
SERIES = (
    "#2f6db5",
    "#e07b39",
    "#3b9c78",
    "#b04aa0",
    "#c9a227",
    "#5b5fc7",
    "#cf4b4b",
    "#6b7a8c",
    "#2aa5b8",
    "#8c6239",
)
INK = "#1d2530"
SOFT = "#5a6675"
WIDE = 1050  # pixels of a chart that has the page's width, without its axis
NARROW = 440  # of one of two side by side

_FONT = 'system-ui, "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif'
CONFIG: dict[str, Any] = {
    "font": _FONT,
    "numberFormat": ",~r",  # of axes
    "background": "transparent",
    "view": {"stroke": "#dde2e9"},
    "axis": {
        "labelColor": SOFT,
        "titleColor": INK,
        "titleFontWeight": 500,
        "gridColor": "#edf0f4",
        "domainColor": "#b9c2ce",
        "tickColor": "#b9c2ce",
        "labelFontSize": 11.5,
        "titleFontSize": 12.5,
        "titlePadding": 8,
        "labelLimit": 260,
        "labelSeparation": 5,
    },
    "legend": {
        "orient": "top",
        "labelColor": INK,
        "titleColor": SOFT,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "symbolStrokeWidth": 2.5,
        "labelLimit": 340,
    },
    "header": {
        "labelColor": INK,
        "labelFontSize": 12.5,
        "labelFontWeight": 600,
        "titleColor": SOFT,
    },
    "title": {"fontSize": 13, "fontWeight": 600, "color": INK, "anchor": "start"},
    "range": {"category": list(SERIES)},
}


def data(rows: list[dict[str, Any]]) -> alt.InlineData:
    """In the chart itself, however many rows, which Altair would check one by one."""
    with debug_mode(False):
        return alt.InlineData(values=rows)


def _legend(labels: list[Any], width: int) -> alt.Legend:
    """With as many of these labels in a row as there is room for in a chart of that width."""
    longest = max((len(str(label)) for label in labels), default=0)
    return alt.Legend(values=labels, columns=max(1, width // (30 + 8 * longest)))


def _fixed_colour(field: str, title: str, colours: dict[str, str], width: int) -> alt.Color:
    """Of a field whose values have colours of their own; all of them are in the legend."""
    return alt.Color(
        field=field,
        type="nominal",
        title=title,
        legend=_legend(list(colours), width),
        scale=alt.Scale(domain=list(colours), range=list(colours.values())),
    )


def class_colour(classes: list[str]) -> alt.Color:
    """The same colour for a class in each chart."""
    there = {name: colour for name, colour in CLASSES.items() if name in classes}
    return _fixed_colour("class", "class", there, NARROW)


def power_colour(states: list[str]) -> alt.Color:
    there = {state.replace("_", " "): POWER[state] for state in states}
    return _fixed_colour("state", "power state", there, WIDE)


def part_colour() -> alt.Color:
    return _fixed_colour("part", "part of the response time", PARTS, WIDE)


def series_colour(
    field: str, title: str, values: list[Any], shown: list[Any] | None = None, *, width: int = WIDE
) -> alt.Color:
    """In the order of the values, which is the input's; the legend has those that are `shown`."""
    colours = [SERIES[i % len(SERIES)] for i in range(len(values))]
    return alt.Color(
        field=field,
        type="nominal",
        title=title,
        legend=_legend(shown or values, width),
        scale=alt.Scale(domain=values, range=colours),
    )


def either_scale(chart: Chart, **titles: str) -> Chart:
    """The page has a box below the chart for each of these channels, by which its scale is
    logarithmic or linear.
    """
    return chart.properties(usermeta={"scales": titles})


def layered(*charts: alt.Chart) -> alt.LayerChart:
    """One over the other, the last on top; none of them has facets."""
    chart = alt.layer(*charts)
    assert isinstance(chart, alt.LayerChart)
    return chart


def zoom(name: str, *encodings: Literal["x", "y"]) -> alt.Parameter:
    """Drag and wheel move and scale these axes; a double click puts them back."""
    return alt.selection_interval(name=name, bind="scales", encodings=list(encodings))


def word(field: str, title: str = "") -> alt.Tooltip:
    """Of a mark that is pointed at."""
    return alt.Tooltip(field=field, type="nominal", title=title or field)


def value(field: str, title: str, form: str = ",.4~r") -> alt.Tooltip:
    """As `word`, of a number; `form` as D3 formats numbers."""
    return alt.Tooltip(field=field, type="quantitative", title=title, format=form)
