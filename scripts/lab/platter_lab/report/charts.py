# SPDX-License-Identifier: Apache-2.0
"""Charts of runs, for the report and for a notebook.

Each function takes runs as `platter_lab.run` returns them, and returns an Altair chart.

Logs may have any length: a chart draws a bounded number of marks. Deterministic rules choose them,
so that the same run gives the same chart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from platter_lab import LabError
from platter_lab.arrays import Floats
from platter_lab.model import Run
from platter_lab.report import look
from platter_lab.report.inputs import PS_PER_S, measured
from platter_lab.report.shape import PARTS, classes_in, has_parts, has_responses
from platter_lab.report.statistics_table import settings

CDF_POINTS = 400  # a line, at most
TIME_BINS = 240
SCATTER_POINTS = 5000
BANDS = (0, 50, 90, 95, 99, 99.9, 100)  # percentiles of the response time

Runs = Run | Mapping[str, Run]


def log_of(run: Run) -> pl.DataFrame:
    if run.requests is None:
        raise LabError(
            "the run has no log of requests; expected one of a drive, an array or a server of "
            "text and video"
        )
    return run.requests


def served(run: Run) -> pl.DataFrame:
    """The requests that the result's response times are of: they completed in the measured time.

    With times in ms and s as well.
    """
    return measured(log_of(run), run.result).with_columns(
        ((pl.col("completed_ps") - pl.col("issued_ps")) / 1e9).alias("response_ms"),
        (pl.col("issued_ps") / PS_PER_S).alias("issued_s"),
        *((pl.col(f"{part}_ps") / 1e9).alias(f"{part}_ms") for part in PARTS),
    )


def end_ps(requests: pl.DataFrame) -> float:
    """When the last of them was completed; 0 where none was."""
    last = requests["completed_ps"].max()
    return last if isinstance(last, int | float) else 0


def classes_of(frame: pl.DataFrame) -> list[str]:
    """In the order that all charts have."""
    there = set(frame["class"])
    return [name for name in look.CLASSES if name in there]


def _named(runs: Runs) -> dict[str, Run]:
    return {"": runs} if isinstance(runs, Run) else dict(runs)


def cdf_points(samples: Iterable[float]) -> list[tuple[float, float]]:
    """Points of the empirical distribution: value, and the share of samples that are not above it.

    All, or CDF_POINTS of them with one in two in the upper tail, where the shares come near to 1 in
    equal ratios.
    """
    values = np.sort(
        np.asarray(
            list(samples) if not isinstance(samples, pl.Series) else samples.to_numpy(), dtype=float
        )
    )
    count = len(values)
    if not count:
        return []
    ranks = np.arange(1, count + 1)
    if count > CDF_POINTS:
        half = CDF_POINTS // 2
        tail = count - np.floor(np.geomspace(1, count, half)).astype(int) + 1
        ranks = np.unique(np.concatenate((np.linspace(1, count, half).round().astype(int), tail)))
    return [(float(values[rank - 1]), float(rank / count)) for rank in ranks]


def responses(runs: Runs, *, tail: bool = False) -> alt.Chart | alt.HConcatChart:
    """Distribution of the response time by class; of several runs a panel a class.

    `tail`: the share that took longer, on a scale of ratios.
    """
    named = _named(runs)
    rows: list[dict[str, Any]] = []
    for name, run in named.items():
        frame = served(run)
        for cls in classes_of(frame):
            of = frame.filter(pl.col("class") == cls)["response_ms"]
            points = cdf_points(of)
            rows += [
                {
                    "run": name,
                    "class": cls,
                    "ms": max(ms, 1e-3),
                    "share": share,
                    "longer": 1 - share,
                }
                for ms, share in ((points[0][0], 0.0), *points)
            ]
    if tail:
        rows = [row for row in rows if row["longer"] > 1e-9]
    classes = [cls for cls in look.CLASSES if any(row["class"] == cls for row in rows)]

    def panel(title: str, cls: str | None, colour: alt.Color, across: int) -> alt.Chart:
        share = (
            alt.Y(
                field="longer",
                type="quantitative",
                title="share that took longer",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(format="~%", tickCount=5),
            )
            if tail
            else alt.Y(
                field="share",
                type="quantitative",
                title="share of requests",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%"),
            )
        )
        chart = alt.Chart(
            look.data([row for row in rows if cls in (None, row["class"])]),
            width=across,
            height=270,
            name=f"responses{'_tail' * tail}{cls or ''}",
        )
        drawn: alt.Chart = (
            chart.mark_line(
                interpolate="step-before" if tail else "step-after", strokeWidth=2, clip=True
            )
            .encode(
                alt.X(
                    field="ms",
                    type="quantitative",
                    title="response time [ms]",
                    scale=alt.Scale(type="log", nice=False),
                    axis=alt.Axis(format=",~r", tickCount=7),
                ),
                share,
                colour,
                tooltip=[
                    look.word("class"),
                    look.value("ms", "response [ms]"),
                    look.value("share", "share up to it", ".3~%"),
                ],
            )
            .add_params(look.zoom(f"zoom_responses{'_tail' * tail}{cls or ''}", "x"))
            .properties(**({"title": title} if title else {}))
        )
        return drawn

    if len(named) == 1:
        return look.either_scale(
            panel("", None, look.class_colour(classes), look.NARROW), x="response time"
        )
    across = (
        look.NARROW if len(classes) == 1 else (look.WIDE - 90 * (len(classes) - 1)) // len(classes)
    )
    colour = look.series_colour("run", "run", list(named), width=across * len(classes))
    return look.either_scale(
        alt.hconcat(*(panel(cls, cls, colour, across) for cls in classes)), x="response time"
    )


def percentiles(run: Run) -> alt.Chart:
    """What the result itself says of the response times, where there is no log."""
    rows = [
        {"class": cls, "ms": max(one["response_ms"][key], 1e-3), "share": share}
        for cls, one in classes_in(run.result).items()
        if has_responses(one)
        for key, share in (
            ("p50", 0.5),
            ("p90", 0.9),
            ("p95", 0.95),
            ("p99", 0.99),
            ("p99_9", 0.999),
            ("max", 1),
        )
        if one["response_ms"].get(key) is not None
    ]
    chart: alt.Chart = (
        alt.Chart(look.data(rows), width=look.WIDE, height=270, name="percentiles")
        .mark_line(point=True)
        .encode(
            alt.X(
                field="ms",
                type="quantitative",
                title="response time [ms]",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(format=",~r"),
            ),
            alt.Y(
                field="share",
                type="quantitative",
                title="share of requests",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%"),
            ),
            look.class_colour([row["class"] for row in rows]),
        )
    )
    return look.either_scale(chart, x="response time")


def _stacked(
    rows: list[dict[str, Any]],
    order: list[str],
    x: tuple[str, str],
    colour: alt.Color,
    tooltip: list[alt.Tooltip],
    **properties: Any,
) -> alt.Chart:
    """A bar for each value of `of`, in this order, of sections in the order of `rank`; `x` is the
    field of a section's length, and the title of the axis.
    """
    chart: alt.Chart = (
        alt.Chart(look.data(rows), **properties)
        .mark_bar()
        .encode(
            alt.X(field=x[0], type="quantitative", title=x[1], stack="zero"),
            alt.Y(field="of", type="nominal", title=None, sort=order),
            colour,
            alt.Order(field="rank", type="ordinal"),
            tooltip=tooltip,
        )
    )
    return chart


def parts(runs: Runs) -> alt.Chart:
    """Where the time of the mean request went, by class and operation: the parts sum to the mean
    response time.
    """
    named = _named(runs)
    rows, order = [], []
    for cls in look.CLASSES:
        for op in ("reads", "writes"):
            for name, run in named.items():
                one = classes_in(run.result).get(cls, {}).get(op, {})
                if not has_parts(one):
                    continue
                label = " · ".join(word for word in (f"{cls} {op}", name) if word)
                order.append(label)
                rows += [
                    {
                        "of": label,
                        "part": part,
                        "rank": rank,
                        "ms": one["parts_ms"][part],
                        "mean": one["response_ms"]["mean"],
                    }
                    for rank, part in enumerate(PARTS)
                ]
    across = look.WIDE - 110 - 60 * (len(named) > 1)
    step = alt.Step(34 if len(named) == 1 else 24)
    return _stacked(
        rows,
        order,
        ("ms", "mean response time [ms]"),
        look.part_colour(),
        [
            look.word("of", "requests"),
            look.word("part"),
            look.value("ms", "mean [ms]"),
            look.value("mean", "mean response [ms]"),
        ],
        name="parts",
        width=across,
        height=step,
    )


def energy(runs: Runs) -> alt.Chart:
    """Where the energy of the measured time went, by power state: the states sum to the whole."""
    named = _named(runs)
    rows, order = [], []
    for name, run in named.items():
        found = run.result.get("energy")
        if not found:
            continue
        order.append(name or "energy")
        rows += [
            {
                "of": name or "energy",
                "state": state.replace("_", " "),
                "rank": rank,
                "j": found["joules"][state],
                "s": found["seconds"].get(state),
                "w": found["watts"].get(state),
            }
            for rank, state in enumerate(look.POWER)
            if found["joules"].get(state)
        ]
    there = [state for state in look.POWER if state.replace("_", " ") in {r["state"] for r in rows}]
    return _stacked(
        rows,
        order,
        ("j", "energy [J]"),
        look.power_colour(there),
        [
            look.word("of", "run"),
            look.word("state"),
            look.value("j", "energy [J]"),
            look.value("s", "time [s]"),
            look.value("w", "power [W]"),
        ],
        name="energy",
        width=look.WIDE - 110,
        height=alt.Step(34),
    )


def bands(run: Run) -> alt.HConcatChart:
    """Where the time went, by how slow a request was: means over the requests between two
    percentiles of their class.
    """
    frame = served(run)
    classes = classes_of(frame)
    across = (look.WIDE - 70 * len(classes)) // max(len(classes), 1)
    in_two_lines = (
        "[slice(datum.label, 0, indexof(datum.label, '–') + 1), "
        "slice(datum.label, indexof(datum.label, '–') + 1)]"
    )
    charts = []
    for cls in classes:
        of = frame.filter(pl.col("class") == cls).sort("response_ms", maintain_order=True)
        edges = [round(of.height * percent / 100) for percent in BANDS]
        rows, order = [], []
        for low, high, begin, end in zip(BANDS, BANDS[1:], edges, edges[1:], strict=False):
            if end > begin:
                label = f"{low:g}–{high:g}%"
                order.append(label)
                within = of.slice(begin, end - begin)
                rows += [
                    {
                        "band": label,
                        "part": part,
                        "rank": rank,
                        "ms": within[f"{part}_ms"].mean(),
                        "requests": end - begin,
                    }
                    for rank, part in enumerate(PARTS)
                ]
        charts.append(
            alt.Chart(look.data(rows), width=across, height=220, name=f"bands_{cls}", title=cls)
            .mark_bar()
            .encode(
                alt.X(
                    field="band",
                    type="nominal",
                    sort=order,
                    title="percentiles of the response time",
                    axis=alt.Axis(labelAngle=0, labelExpr=in_two_lines),
                ),
                alt.Y(
                    field="ms",
                    type="quantitative",
                    title="mean of these requests [ms]",
                    stack="zero",
                ),
                look.part_colour(),
                alt.Order(field="rank", type="ordinal"),
                tooltip=[
                    look.word("band", "percentiles"),
                    look.value("requests", "requests", ",d"),
                    look.word("part"),
                    look.value("ms", "mean [ms]"),
                ],
            )
        )
    return alt.hconcat(*charts)


def _covered(begins: Floats, ends: Floats, edges: Floats) -> Floats:
    """How many of the intervals are open, as means between each two edges; exact."""

    def integral(starts: Floats) -> Floats:
        starts = np.sort(starts).astype(float)
        sums = np.concatenate(([0.0], np.cumsum(starts)))
        before = np.searchsorted(starts, edges)
        return before * edges - sums[before]

    return np.diff(integral(begins) - integral(ends)) / np.diff(edges)


def over_time(run: Run) -> alt.VConcatChart:
    """Requests outstanding, and in an access, over the whole run: time-weighted means in equal
    bins, stacked by class.
    """
    frame = log_of(run)
    last = int(end_ps(frame) or 1)
    edges = np.linspace(0, last, TIME_BINS + 1)
    mechanical = pl.sum_horizontal(
        f"{part}_ps" for part in ("seek", "settle", "rotation", "transfer")
    )
    frame = frame.with_columns(
        (pl.col("completed_ps") - pl.col("bus_ps")).alias("end"), mechanical.alias("busy")
    )
    rows = []
    for rank, cls in enumerate(classes_of(frame)):
        of = frame.filter(pl.col("class") == cls)
        waiting = _covered(of["issued_ps"].to_numpy(), of["completed_ps"].to_numpy(), edges)
        working = _covered((of["end"] - of["busy"]).to_numpy(), of["end"].to_numpy(), edges)
        rows += [
            {
                "class": cls,
                "rank": rank,
                "from": edges[i] / PS_PER_S,
                "to": edges[i + 1] / PS_PER_S,
                "outstanding": max(waiting[i], 0),
                "busy": max(working[i], 0),
            }
            for i in range(TIME_BINS)
        ]
    classes = classes_of(frame)
    zoom = alt.TopLevelSelectionParameter(
        name="zoom_time",
        bind="scales",
        select={"type": "interval", "encodings": ["x"]},
        views=["outstanding", "busy"],
    )

    def panel(name: str, title: str, axis: alt.Axis, last_one: bool) -> alt.Chart:
        drawn: alt.Chart = (
            alt.Chart(look.data(rows), width=look.WIDE, height=150, name=name)
            .mark_bar(strokeWidth=0, binSpacing=0, clip=True)
            .encode(
                alt.X(
                    field="from",
                    type="quantitative",
                    bin="binned",
                    title="simulated time [s]" if last_one else None,
                    scale=alt.Scale(domain=[0, last / PS_PER_S], nice=False),
                ),
                alt.X2(field="to"),
                alt.Y(field=name, type="quantitative", title=title, stack="zero", axis=axis),
                look.class_colour(classes),
                alt.Order(field="rank", type="ordinal"),
                tooltip=[
                    look.word("class"),
                    look.value("from", "from [s]"),
                    look.value(name, title),
                ],
            )
        )
        return drawn

    busy = (
        panel("busy", "share of time in access", alt.Axis(format="%"), True)
        if one_arm(run)
        else panel("busy", "accesses under way", alt.Axis(), True)
    )
    return alt.vconcat(
        panel("outstanding", "requests outstanding", alt.Axis(), False), busy, params=[zoom]
    )


def has_retries(run: Run) -> bool:
    """Whether the log says how often each request was retried, and one was."""
    frame = run.requests
    if frame is None or frame.is_empty() or "retry_turns" not in frame.columns:
        return False
    return bool((frame["retry_turns"] > 0).any())


def retries(run: Run) -> alt.Chart:
    """Turns of retries over the whole run, in equal bins by the end of their requests, stacked by
    class.
    """
    frame = log_of(run)
    last = int(end_ps(frame) or 1)
    width = last / TIME_BINS
    binned = (
        frame.filter(pl.col("retry_turns") > 0)
        .with_columns(
            (pl.col("completed_ps") / width).floor().clip(0, TIME_BINS - 1).alias("bin"),
            (pl.col("status") != "good").alias("failed"),
        )
        .group_by("bin", "class")
        .agg(
            pl.sum("retry_turns").alias("turns"),
            (pl.sum("recovery_ps") / 1e9).alias("ms"),
            pl.len().alias("requests"),
            pl.sum("failed"),
        )
        .sort("bin", "class")
    )
    classes = classes_of(frame)
    rows = [
        {
            "class": row["class"],
            "rank": classes.index(row["class"]),
            "from": row["bin"] * width / PS_PER_S,
            "to": (row["bin"] + 1) * width / PS_PER_S,
            **{key: row[key] for key in ("turns", "ms", "requests", "failed")},
        }
        for row in binned.iter_rows(named=True)
        if row["class"] in classes
    ]
    drawn: alt.Chart = (
        alt.Chart(look.data(rows), width=look.WIDE, height=150, name="retries")
        .mark_bar(strokeWidth=0, binSpacing=0, clip=True)
        .encode(
            alt.X(
                field="from",
                type="quantitative",
                bin="binned",
                title="simulated time [s]",
                scale=alt.Scale(domain=[0, last / PS_PER_S], nice=False),
            ),
            alt.X2(field="to"),
            alt.Y(field="turns", type="quantitative", title="turns of retries", stack="zero"),
            look.class_colour(classes),
            alt.Order(field="rank", type="ordinal"),
            tooltip=[
                look.word("class"),
                look.value("from", "from [s]"),
                look.value("turns", "turns of retries"),
                look.value("ms", "recovery [ms]"),
                look.value("requests", "requests"),
                look.value("failed", "of them failed"),
            ],
        )
        .add_params(look.zoom("zoom_retries", "x"))
    )
    return drawn


def sample(requests: pl.DataFrame, most: int = SCATTER_POINTS) -> pl.DataFrame:
    """All, or about that many, which a hash of their numbers chooses: the same ones for the same
    log, and without a step that could meet a period of the load.
    """
    if requests.height <= most:
        return requests
    share = most / requests.height
    return requests.filter(
        pl.col("number").cast(pl.UInt64) * 2_654_435_761 % 2**32 < int(share * 2**32)
    )


def requests_over_time(run: Run) -> alt.Chart:
    """Where requests went, over the whole run; a `sample` of many."""
    few = sample(log_of(run)).sort("number")
    rows = [
        {
            "class": cls,
            "op": op,
            "s": when / PS_PER_S,
            "gb": place / 1e9,
            "ms": (end - when) / 1e9,
            "number": number,
        }
        for number, cls, op, when, end, place in few.select(
            "number", "class", "op", "issued_ps", "completed_ps", "offset_bytes"
        ).iter_rows()
    ]
    drawn: alt.Chart = (
        alt.Chart(look.data(rows), width=look.WIDE, height=260, name="requests")
        .mark_circle(size=9, opacity=0.55, clip=True)
        .encode(
            alt.X(
                field="s", type="quantitative", title="issued at [s]", scale=alt.Scale(nice=False)
            ),
            alt.Y(
                field="gb", type="quantitative", title="address [GB]", scale=alt.Scale(nice=False)
            ),
            look.class_colour(classes_of(few)),
            tooltip=[
                look.value("number", "request", ",d"),
                look.word("class"),
                look.word("op"),
                look.value("ms", "response [ms]"),
            ],
        )
        .add_params(look.zoom("zoom_requests", "x", "y"))
    )
    return drawn


def accesses(run: Run) -> pl.DataFrame:
    """Requests that took the arm, in the log's order.

    With `begin` and `end` of the access in ps.
    """
    busy = pl.sum_horizontal(f"{part}_ps" for part in ("seek", "settle", "rotation", "transfer"))
    return (
        log_of(run)
        .with_columns(busy.alias("busy"))
        .filter(pl.col("busy") > 0)
        .with_columns((pl.col("completed_ps") - pl.col("bus_ps")).alias("end"))
        .with_columns((pl.col("end") - pl.col("busy")).alias("begin"))
    )


def one_arm(run: Run) -> bool:
    """Whether the log says what one arm did: it is of a drive with one actuator, and each request
    took one access at most. Of several, the log has the sums, and the waits between them as queue.
    """
    keys = settings(run.result["configuration"])
    if keys.get("host.kind") != "drive" or keys.get("drive.actuators.count", "1") != "1":
        return False
    waited = pl.col("queue_ps") > pl.col("started_ps") - pl.col("issued_ps")
    return log_of(run).filter((pl.col("started_ps") > 0) & waited).is_empty()


def arm(run: Run, request: int | None = None, *, most: int = 110) -> alt.LayerChart:
    """The arm of one drive, access by access, up to a request's (default: the slowest of the
    measured time) and a little beyond: from where to where it went, and since when each request had
    waited.
    """
    if not one_arm(run):
        raise LabError(
            f'found a run of host.kind "{run.result["configuration"]["host"]["kind"]}"; expected '
            "one of a drive with one actuator, in which each request took one access"
        )
    frame = accesses(run)
    if request is None:
        request = slowest(run, 1)["number"][0]
    place = frame["number"].index_of(request)
    if place is None:
        raise LabError(f"request {request} took no access; expected one that did")
    # The log is in the order of responses, which is nearly that of accesses.
    frame = frame.slice(max(0, place - 2 * most), 2 * most + 20 + min(place - 2 * most, 0)).sort(
        "begin", "number"
    )
    place = frame["number"].index_of(request)
    assert place is not None  # among those just before it
    since = frame["issued_ps"][place]
    first = max(0, place - most + 7, int((frame["end"] <= since).sum()) - 4)
    window = frame.slice(first, min(most, place + 7 - first))
    begin_s = window["begin"][0] / PS_PER_S
    rows, path = [], []
    for row in window.iter_rows(named=True):
        low, high = row["offset_bytes"] / 1e9, (row["offset_bytes"] + row["length_bytes"]) / 1e9
        begin, end = row["begin"] / PS_PER_S, row["end"] / PS_PER_S
        arrived = (row["begin"] + row["seek_ps"] + row["settle_ps"]) / PS_PER_S
        path += [{"s": arrived, "gb": low}, {"s": end, "gb": high}]
        rows.append(
            {
                "number": row["number"],
                "class": row["class"],
                "op": row["op"],
                "since": max(row["issued_ps"] / PS_PER_S, begin_s),
                "begin": begin,
                "end": end,
                "gb": low,
                "ms": (row["completed_ps"] - row["issued_ps"]) / 1e9,
                "queue": row["queue_ps"] / 1e9,
                "marked": row["number"] == request,
            }
        )
    base = alt.Chart(look.data(rows))
    y = alt.Y(
        field="gb",
        type="quantitative",
        title="address [GB]",
        scale=alt.Scale(nice=False, padding=12),
    )
    tips = [
        look.value("number", "request", ",d"),
        look.word("class"),
        look.word("op"),
        look.value("ms", "response [ms]"),
        look.value("queue", "in the queue [ms]"),
    ]
    colour = look.class_colour(classes_of(window))
    x: dict[str, Any] = {"type": "quantitative", "title": "simulated time [s]"}
    waits = base.mark_rule(strokeWidth=1.2, opacity=0.4, clip=True).encode(
        alt.X(field="since", scale=alt.Scale(nice=False, zero=False), **x),
        alt.X2(field="begin"),
        y,
        colour,
    )
    moves = (
        alt.Chart(look.data(path))
        .mark_line(color=look.SOFT, strokeWidth=1, opacity=0.8, clip=True)
        .encode(
            alt.X(field="s", **x),
            alt.Y(field="gb", type="quantitative"),
            alt.Order(field="s", type="quantitative"),
        )
    )
    works = base.mark_rule(strokeWidth=6, clip=True).encode(
        alt.X(field="begin", **x), alt.X2(field="end"), y, colour, tooltip=tips
    )
    diamond = base.transform_filter("datum.marked").mark_point(
        shape="diamond", size=170, filled=False, stroke=look.INK, strokeWidth=2, clip=True
    )
    marked = diamond.encode(alt.X(field="end", **x), y, tooltip=tips)
    waits = waits.properties(name="arm").add_params(look.zoom("zoom_arm", "x", "y"))
    return look.layered(waits, moves, works, marked).properties(width=look.WIDE, height=360)


def bandwidth(run: Run) -> alt.Chart:
    """What each stream of an AutoQoS run got, second by second."""
    streams = run.result["streams"]
    names = [f"{i + 1} {one['name']}" for i, one in enumerate(streams)]
    rows = [
        {"stream": name, "s": second, "mb": got / 1e6}
        for name, one in zip(names, streams, strict=True)
        for second, got in enumerate(one["series_bytes_per_s"])
    ]
    drawn: alt.Chart = (
        alt.Chart(look.data(rows), width=look.WIDE, height=260, name="bandwidth")
        .mark_line(strokeWidth=1.8, clip=True)
        .encode(
            alt.X(
                field="s",
                type="quantitative",
                title="simulated time [s]",
                scale=alt.Scale(nice=False),
            ),
            alt.Y(field="mb", type="quantitative", title="bandwidth [MB/s]"),
            look.series_colour("stream", "stream", names),
            tooltip=[
                look.word("stream"),
                look.value("s", "second", ",d"),
                look.value("mb", "MB/s"),
            ],
        )
        .add_params(look.zoom("zoom_bandwidth", "x"))
    )
    return drawn


def slowest(run: Run, count: int) -> pl.DataFrame:
    """Of the measured time, the slowest first."""
    frame = served(run)
    if frame.is_empty():
        return frame
    least = frame["response_ms"].top_k(count).min()
    return (
        frame.filter(pl.col("response_ms") >= least)
        .sort(["response_ms", "number"], descending=[True, False])
        .head(count)
    )


def differences(baseline: Run, other: Run) -> pl.DataFrame:
    """A row a request of both runs: `class`, `op`, `number`, `issued_s`, response times of both,
    and `difference_ms` (other - baseline). LabError where the runs did not have the same requests.
    """
    keys = ["number", "class", "stream", "op", "offset_bytes", "length_bytes"]
    here, there = served(baseline), served(other)
    both = here.select(*keys, "issued_s", "response_ms").join(
        there.select(*keys, "response_ms"),
        on=keys,
        how="inner",
        suffix="_other",
        maintain_order="left",
    )
    same = here.select("number").join(there.select("number"), on="number", how="inner").height
    if both.height < same or not both.height:
        raise LabError(
            f"{same - both.height} of {same} requests with the same number have another class, "
            "operation or place; expected runs of the same load and seed"
        )
    return both.with_columns(
        (pl.col("response_ms_other") - pl.col("response_ms")).alias("difference_ms")
    )


def paired(named: Mapping[str, pl.DataFrame], names: Sequence[str] = ()) -> alt.HConcatChart:
    """Distribution of the `differences` of each run to the baseline, a panel a class.

    `names` of all runs, for the colours that these have elsewhere.
    """
    classes = [
        cls
        for cls in look.CLASSES
        if any((frame["class"] == cls).any() for frame in named.values())
    ]
    across = (look.WIDE - 90 * (len(classes) - 1)) // max(len(classes), 1)
    charts = []
    for cls in classes:
        rows: list[dict[str, Any]] = []
        for name, frame in named.items():
            of = frame.filter(pl.col("class") == cls)["difference_ms"].to_numpy()
            upper = cdf_points(of)
            # The lower tail as fine as the upper.
            lower = [(-ms, 1 - share) for ms, share in cdf_points(-of)]
            both = {
                *(point for point in lower if point[1] < 0.5),
                *(point for point in upper if point[1] >= 0.5),
            }
            rows += [{"run": name, "ms": ms, "share": share} for ms, share in sorted(both)]
        scale = alt.Scale(type="symlog", constant=1)
        most = max(abs(row["ms"]) for row in rows)
        ticks = sorted(
            {
                sign * step
                for step in (0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 100000)
                if step <= most
                for sign in (-1, 1)
            }
        )
        zero = (
            alt.Chart(look.data([{"ms": 0}]))
            .mark_rule(color=look.INK, strokeDash=[4, 3])
            .encode(alt.X(field="ms", type="quantitative", scale=scale))
        )
        line = (
            alt.Chart(look.data(rows), name=f"paired_{cls}")
            .mark_line(interpolate="step-after", strokeWidth=2, clip=True)
            .encode(
                alt.X(
                    field="ms",
                    type="quantitative",
                    title="difference of response times [ms]",
                    scale=scale,
                    axis=alt.Axis(format=",~r", values=ticks),
                ),
                alt.Y(
                    field="share",
                    type="quantitative",
                    title="share of requests",
                    scale=alt.Scale(domain=[0, 1]),
                    axis=alt.Axis(format="%"),
                ),
                look.series_colour("run", "run", list(names or named), list(named)),
                tooltip=[
                    look.word("run"),
                    look.value("ms", "difference [ms]"),
                    look.value("share", "share up to it", ".3~%"),
                ],
            )
            .add_params(look.zoom(f"zoom_paired_{cls}", "x"))
        )
        charts.append(alt.layer(line, zero).properties(width=across, height=260, title=cls))
    return alt.hconcat(*charts)
