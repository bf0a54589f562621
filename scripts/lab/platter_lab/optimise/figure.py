# SPDX-License-Identifier: Apache-2.0
"""A picture of a search: the first objective against each other one."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from platter_lab.files import write_bytes
from platter_lab.optimise.space import Space
from platter_lab.optimise.table import Row
from platter_lab.svg import compact


def draw(space: Space, units: Mapping[str, str], rows: Sequence[Row], path: Path) -> None:
    """SVG or PNG by the name's end."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    names = [one.quantity.name for one in space.objectives]
    others = names[1:] or names
    with mpl.rc_context({"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9}):
        figure, axes = pyplot.subplots(
            1,
            len(others),
            figsize=(3.6 * len(others), 3.4),
            squeeze=False,
            sharey=True,
            layout="constrained",
        )
        for axis, name in zip(axes[0], others, strict=True):
            for front, colour, size, label in (
                (False, "#b8bec6", 10, "dominated"),
                (True, "#c0392b", 18, "front"),
            ):
                chosen = [row for row in rows if row.feasible and row.front == front]
                axis.scatter(
                    [row.values[name].mean for row in chosen],
                    [row.values[names[0]].mean for row in chosen],
                    s=size,
                    c=colour,
                    label=label,
                    linewidths=0,
                    zorder=2 + front,
                )
            axis.set_xlabel(f"{name} ({units[name]})" if units[name] else name)
            axis.set_yscale(
                "log"
                if min((row.values[names[0]].mean for row in rows if row.feasible), default=0) > 0
                else "linear"
            )
            axis.grid(alpha=0.3)
        axes[0][0].set_ylabel(f"{names[0]} ({units[names[0]]})" if units[names[0]] else names[0])
        axes[0][0].legend(fontsize=8)
        buffer = io.BytesIO()
        kind = path.suffix.removeprefix(".")
        figure.savefig(buffer, format=kind)
        pyplot.close(figure)
    write_bytes(path, compact(buffer.getvalue()).encode() if kind == "svg" else buffer.getvalue())
