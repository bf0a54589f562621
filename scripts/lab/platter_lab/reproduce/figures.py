# SPDX-License-Identifier: Apache-2.0
"""Line charts as SVG, the same bytes from the same data."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib
from matplotlib.figure import Figure

from platter_lab.reproduce.statistics import Interval

_STYLE = {"svg.hashsalt": "platter", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
          "axes.grid": True, "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False,
          "figure.constrained_layout.use": True}
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


def svg(chart: Chart) -> str:
    """The chart as SVG text. Bars are the 95 % intervals; a line is broken where there is no value."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(6.4, 4.2))
        axes = figure.add_subplot()
        for number, series in enumerate(chart.series):
            means = [math.nan if y is None else y.mean for y in series.y]
            half = [0.0 if y is None or not math.isfinite(y.high) else (y.high - y.low) / 2 for y in series.y]
            axes.errorbar(series.x, means, yerr=half, color=f"C{number}", marker=_MARKERS[number % len(_MARKERS)],
                          markersize=4, linewidth=1, capsize=2, label=series.label)
        axes.set(title=chart.title, xlabel=chart.x, ylabel=chart.y)
        if chart.log_x:
            ticks = sorted({x for series in chart.series for x in series.x})
            axes.set_xscale("log")
            axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
            axes.minorticks_off()
        if chart.log_y:
            axes.set_yscale("log")
        elif not any(y is not None and y.mean < 0 for series in chart.series for y in series.y):
            axes.set_ylim(0, None)
        if chart.series:
            axes.legend(fontsize=8)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"
