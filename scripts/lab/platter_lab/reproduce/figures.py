# SPDX-License-Identifier: Apache-2.0
"""Line charts and maps as SVG, the same bytes from the same data."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import CenteredNorm, LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from matplotlib.transforms import Bbox

from platter_lab.statistics import Interval
from platter_lab.svg import compact

_STYLE = matplotlib.RcParams(
    {
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 9,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.constrained_layout.use": True,
    }
)
_MARKERS = "os^vDXP*"


@dataclass(frozen=True)
class Series:
    """A line: an interval at each x, or None where there is no value."""

    label: str
    x: Sequence[float]
    y: Sequence[Interval | None]


@dataclass(frozen=True)
class Chart:
    file: str
    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    marks: bool = True  # at each point; without, for lines of very many


@dataclass(frozen=True)
class Map:
    """A colour at each x and y, shape of `values` (y, x), on both sides of `center`; without one,
    on a logarithmic scale."""

    file: str
    title: str
    x: str
    y: str
    value: str
    xs: Sequence[float]
    ys: Sequence[float]
    values: Sequence[Sequence[float]]
    center: float | None = None


_CHARACTER = 0.016  # of a label, part of the axis
_NUMBERS = 200  # a map of at most so many cells has their values in them


def svg(chart: Chart | Map) -> str:
    """As SVG text."""
    with matplotlib.rc_context(_STYLE):
        figure, _ = _drawn(chart)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg")
    return compact(buffer.getvalue())


def _leading_digit(value: float) -> int:
    return int(f"{value:e}"[0])


def drawn(chart: Chart) -> list[Bbox]:
    """Where the labels of the x axis come to lie, in pixels."""
    with matplotlib.rc_context(_STYLE):
        figure, axes = _drawn(chart)
        FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]  # matplotlib gives no types
        return [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]


def _drawn(chart: Chart | Map) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(6.4, 4.2))
    axes = figure.add_subplot()
    if isinstance(chart, Map):
        _map(axes, chart)
    else:
        _lines(axes, chart)
    axes.set(title=chart.title, xlabel=chart.x, ylabel=chart.y)
    return figure, axes


def _lines(axes: Axes, chart: Chart) -> None:
    """Bars are the 95 % intervals; a line is broken where there is no value."""
    for number, series in enumerate(chart.series):
        means = [math.nan if y is None else y.mean for y in series.y]
        half = [
            0.0 if y is None or not math.isfinite(y.high) else (y.high - y.low) / 2
            for y in series.y
        ]
        axes.errorbar(
            series.x,
            means,
            yerr=half if chart.marks else None,
            color=f"C{number}",
            marker=_MARKERS[number % len(_MARKERS)] if chart.marks else None,
            markersize=4,
            linewidth=1,
            capsize=2,
            label=series.label,
        )
    if chart.log_x:
        ticks = sorted({x for series in chart.series for x in series.x})
        axes.set_xscale("log")
        axes.set_xticks(ticks, apart(ticks))
        axes.minorticks_off()
    if chart.log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        axes.yaxis.set_minor_formatter(
            FuncFormatter(lambda y, _: f"{y:g}" if _leading_digit(y) in (2, 5) else "")
        )
    elif not any(y is not None and y.mean < 0 for series in chart.series for y in series.y):
        axes.set_ylim(0, None)
    if chart.series:
        axes.legend(fontsize=8)


def apart(ticks: Sequence[float]) -> list[str]:
    """Labels of ticks on a logarithmic axis; empty where one would overprint the one before it, or
    the last."""
    labels = [f"{x:,.10g}" for x in ticks]
    length = math.log(ticks[-1] / ticks[0]) if len(ticks) > 1 else 1.0
    at = [math.log(x / ticks[0]) / length for x in ticks]

    def clear(one: int, other: int) -> bool:
        return (
            abs(at[one] - at[other]) > _CHARACTER * (len(labels[one]) + len(labels[other]) + 1) / 2
        )

    shown = [len(ticks) - 1]
    for tick in range(len(ticks) - 1):
        if clear(tick, len(ticks) - 1) and (len(shown) == 1 or clear(tick, shown[-1])):
            shown.append(tick)
    return [label if tick in shown else "" for tick, label in enumerate(labels)]


def _map(axes: Axes, chart: Map) -> None:
    norm = LogNorm() if chart.center is None else CenteredNorm(chart.center)
    cells = axes.pcolormesh(
        range(len(chart.xs)),
        range(len(chart.ys)),
        chart.values,
        norm=norm,
        shading="nearest",
        cmap="viridis" if chart.center is None else "RdBu_r",
        rasterized=False,
    )
    axes.grid(False)
    for ticks, labels, put in (
        (len(chart.xs), chart.xs, axes.set_xticks),
        (len(chart.ys), chart.ys, axes.set_yticks),
    ):
        every = range(0, ticks, max(1, ticks // 12))
        put(list(every), [f"{labels[i]:g}" for i in every])
    if len(chart.xs) * len(chart.ys) <= _NUMBERS:
        for row, values in enumerate(chart.values):
            for column, value in enumerate(values):
                dark = abs(norm(value) - 0.5) > 0.35
                axes.text(
                    column,
                    row,
                    f"{value:.2g}",
                    ha="center",
                    va="center",
                    fontsize=6,
                    color="white" if dark else "black",
                )
    axes.figure.colorbar(cells, ax=axes, label=chart.value)
