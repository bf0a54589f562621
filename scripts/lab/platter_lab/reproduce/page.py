# SPDX-License-Identifier: Apache-2.0
"""A study's report as files: a page in Markdown, figures as SVG, data as compressed CSV, and
what is behind them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path

from platter_lab.reproduce import differences
from platter_lab.reproduce.claims import Claim, Part, Unit, combined, deciding
from platter_lab.reproduce.figures import Chart, Map, svg
from platter_lab.reproduce.study import Plan, Report, Study, Table
from platter_lab.statistics import interval

INTERVALS = """A value is the mean over the seeds with its 95 % confidence interval (Student's \
t). A ratio is taken run by run, between runs of the same seed,
which have the same load. A claim rests on one or more comparisons, and its verdict follows from \
their intervals:

- *Holds*: the whole interval of every comparison meets the criterion.
- *Does not hold*: the interval of at least one comparison lies wholly on the other side of a \
bound.
- *Not decided*: neither of these. An interval straddles a bound, or has no data.
- *Depends on* an interpretation: this interpretation alone reverses the verdict. If it has runs \
at fewer points than the default, the default is
  judged at these points for the comparison.
- *Depends on* a question that the paper leaves open: another answer to this question alone \
reverses the verdict, under some combination of
  answers to the other questions.

The table shows the comparison that decides. It is the one nearest to its bound, or the one \
farthest beyond it."""


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return "\n".join([line(header), line(["---"] * len(header)), *map(line, rows)])


def csv_text(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return out.getvalue()


CLAIM_HEADER = ("claim", "published", "criterion", "ours", "verdict")


def claim_row(claim: Claim) -> tuple[str, ...]:
    return (claim.text, claim.published, claim.criterion_text(), claim.ours(), claim.verdict_text())


def parts_table(claims: Sequence[Claim]) -> Table:
    """Every comparison behind the verdicts, for a CSV file."""
    rows = []
    for claim in claims:
        grid = (
            {", ".join(answers): parts for answers, parts in claim.grid.parts.items()}
            if claim.grid
            else {}
        )
        bases: dict[tuple[Part, ...], list[str]] = {}
        for interpretation, parts in claim.bases.items():
            bases.setdefault(parts, []).append(interpretation)
        for interpretation, parts in (
            ("default", claim.parts),
            *(
                (f"default, at the points of {', '.join(names)}", parts)
                for parts, names in bases.items()
            ),
            *claim.interpretations.items(),
            *grid.items(),
        ):
            for part in parts:
                value = part.value
                rows.append(
                    (
                        claim.name,
                        interpretation,
                        part.label,
                        number(value.mean),
                        number(value.low),
                        number(value.high),
                        part.criterion.text(
                            Unit.RATIO if claim.unit is Unit.PERCENT else claim.unit
                        ),
                        str(part.verdict),
                    )
                )
    return Table(
        "Comparisons",
        ("claim", "interpretation", "comparison", "value", "low", "high", "criterion", "verdict"),
        tuple(rows),
        "comparisons.csv",
    )


def means_table(runs: Table) -> Table:
    """Of each configuration the number of its runs, and of each value the mean and half the width
    of its interval; empty where a run has none. A value that is a word is the same in all runs of a
    configuration."""
    seed = runs.header.index("seed")
    by_configuration: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
    for row in runs.rows:
        rows = by_configuration.setdefault(row[:seed], {})
        if rows.setdefault(row[seed], row[seed + 1 :]) != row[seed + 1 :]:
            raise ValueError(
                f"{runs.file}: two runs of seed {row[seed]} of {', '.join(row[:seed])}"
            )
    values = runs.header[seed + 1 :]
    words = [
        any(not _is_number(row[seed + 1 + column]) for row in runs.rows)
        for column in range(len(values))
    ]
    header = [*runs.header[:seed], "runs"]
    for name, word in zip(values, words, strict=True):
        header += [name] if word else [name, f"{name}_half"]
    means = []
    for configuration, rows in by_configuration.items():
        cells = [*configuration, str(len(rows))]
        for word, column in zip(words, zip(*rows.values(), strict=True), strict=True):
            cells += [" or ".join(dict.fromkeys(column))] if word else _mean(column)
        means.append(tuple(cells))
    return Table(
        f"{runs.title}: means",
        tuple(header),
        tuple(means),
        runs.file.replace("runs", "means") + ".gz",
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


def _mean(cells: Sequence[str]) -> list[str]:
    value = interval([float(cell or "nan") for cell in cells])
    if math.isnan(value.mean):
        return ["", ""]
    half = value.high - value.mean
    if not math.isfinite(half):
        return [number(value.mean), ""]
    return [_to_place(value.mean, half), f"{half:.2g}"]


def _to_place(mean: float, half: float) -> str:
    """The mean to the second digit of half its interval."""
    if half == 0 or mean == 0:
        return number(mean)
    digits = math.floor(math.log10(abs(mean))) - math.floor(math.log10(half)) + 2
    return min(f"{mean:.{min(max(digits, 1), 6)}g}", number(mean), key=len)


def number(value: float) -> str:
    return f"{value:.6g}"


def chart_table(chart: Chart | Map) -> Table:
    file = chart.file.removesuffix(".svg") + ".csv"
    if isinstance(chart, Map):
        cells = [
            (f"{x:g}", f"{y:g}", number(value))
            for y, values in zip(chart.ys, chart.values, strict=True)
            for x, value in zip(chart.xs, values, strict=True)
        ]
        return Table(chart.title, (chart.x, chart.y, chart.value), tuple(cells), file)
    rows = [
        (
            series.label,
            f"{x:g}",
            *(("", "", "") if y is None else (number(y.mean), number(y.low), number(y.high))),
        )
        for series in chart.series
        for x, y in zip(series.x, series.y, strict=True)
    ]
    return Table(chart.title, ("series", chart.x, chart.y, "low", "high"), tuple(rows), file)


def interpretations_section(report: Report) -> str:
    """What the interpretations are, and the verdicts under each."""
    names = list(dict.fromkeys(name for claim in report.claims for name in claim.interpretations))
    if not names:
        return ""
    rows = [
        (
            claim.name,
            str(claim.plain_verdict),
            *(
                str(combined(claim.interpretations[name])) if name in claim.interpretations else ""
                for name in names
            ),
        )
        for claim in report.claims
    ]
    return "\n".join(
        [
            "## Interpretations\n",
            "Where the paper is silent, each of these interpretations replaces the default, one "
            "at a time:\n",
            *(f"- *{name}*: {text}" for name, text in report.interpretations),
            "",
            "The verdicts follow. A cell is empty where the interpretation does not affect the "
            "claim.\n",
            markdown(("claim", "default", *names), rows),
            "",
        ]
    )


def summary_section(report: Report) -> str:
    if not report.summary:
        return ""
    return "\n".join(["## In short\n", *map(_bullet, report.summary), ""])


def _bullet(text: str) -> str:
    return textwrap.fill(
        text,
        150,
        initial_indent="- ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def differences_section(study: Study, means: differences.Means) -> str:
    """Where a criterion and its sentence differ, if the study says so."""
    if study.differences is None:
        return ""
    found = study.differences(means)
    rows = [(row.claims, row.sentence, row.criterion, row.means) for row in found.rows]
    return "\n".join(
        [
            f"## {differences.TITLE}\n",
            differences.INTRODUCTION + "\n",
            markdown(differences.HEADER, rows) + "\n",
            *map(_bullet, found.further),
            "",
        ]
    )


def page(study: Study, plan: Plan, report: Report, quick: bool) -> str:
    scale = (
        "a **quick** run, shorter than the one behind the project's page"
        if quick
        else "the full study"
    )
    command = f"scripts/platter reproduce {study.name}{' --quick' if quick else ''}"
    seeds, others = (
        f"{len(plan.seeds)} seeds",
        sorted({len(seeds) for _, seeds in plan.further} - {len(plan.seeds)}),
    )
    if others:
        seeds += f" ({' or '.join(map(str, others))} for some points)"
    means = [means_table(runs) for runs in report.runs]
    parts = [
        f"# {study.title}\n",
        study.introduction.strip() + "\n",
        "The [glossary](../../reference/glossary.md) explains the terms.\n",
        f"Made by `{command}`: {scale}, {plan.runs} runs with {seeds}. This command repeats one "
        "of them:\n",
        f"```\n{plan.points[0].command(plan.seeds[0])}\n```\n",
        summary_section(report),
        *(f"## {table.title}\n\n{markdown(table.header, table.rows)}\n" for table in report.first),
        "## Claims\n",
        INTERVALS + "\n",
        markdown(("", *CLAIM_HEADER), [(claim.name, *claim_row(claim)) for claim in report.claims])
        + "\n",
        differences_section(
            study,
            differences.Means(
                {
                    table.file: [dict(zip(table.header, row, strict=True)) for row in table.rows]
                    for table in means
                }
            ),
        ),
        interpretations_section(report),
    ]
    for table in report.tables:
        parts += [f"## {table.title}\n", markdown(table.header, table.rows) + "\n"]
    if report.charts:
        parts += ["## Figures\n"]
    for chart in report.charts:
        parts += [f"![{chart.title}]({chart.file})\n"]
    parts += [data_section([table.file for table in means], list(details(report)), command)]
    return "\n".join(part for part in parts if part) + "\n"


def data_section(shown: Sequence[str], behind: Sequence[str], command: str) -> str:
    """The files of data, and how those that are not in the folder are made."""
    return "\n".join(
        [
            "## Data\n",
            ", ".join(f"[{file}]({file})" for file in shown) + ".\n",
            (
                "Each row of a file of means is one configuration. It has the number of its runs, "
                "the mean of each value, and half the width of that mean's 95 %"
            ),
            (
                "confidence interval (`_half`). The file is compressed by gzip: `zcat` prints it, "
                "and pandas and R read it as it is."
            ),
            f"`{command}` also writes every run, every comparison and the points of every figure",
            "([where](../../reference/reproduce.md#interface)): "
            f"{', '.join(f'`{file}`' for file in behind)}.",
        ]
    )


def details(report: Report) -> dict[str, str]:
    """File name to text of what is behind the page: every run, the claims, every comparison,
    further tables, and the points of the figures."""
    claims = Table(
        "Claims",
        ("name", *CLAIM_HEADER),
        tuple((claim.name, *claim_row(claim)) for claim in report.claims),
        "claims.csv",
    )
    return {
        table.file: csv_text(table.header, table.rows)
        for table in (
            *report.runs,
            claims,
            parts_table(report.claims),
            *report.details,
            *map(chart_table, report.charts),
        )
    }


def files(study: Study, plan: Plan, report: Report, quick: bool) -> dict[str, str | bytes]:
    """File name to content of the study's folder."""
    contents: dict[str, str | bytes] = {"README.md": page(study, plan, report, quick)}
    contents.update({chart.file: svg(chart) for chart in report.charts})
    for table in map(means_table, report.runs):
        text = csv_text(table.header, table.rows)
        # Without the time, so that the same means give the same bytes.
        contents[table.file] = gzip.compress(text.encode(), mtime=0)
    return contents


def claims_json(study: Study, report: Report, folder: Path, behind: Path) -> str:
    """The claims, and where the figures and their points are, for a program
    (docs/reference/claims.schema.json)."""

    def finite(value: float) -> float | None:
        return value if math.isfinite(value) else None

    claims = []
    for claim in report.claims:
        part = deciding(claim.parts)
        claims.append(
            {
                "id": claim.name,
                "text": claim.text,
                "published": claim.published,
                "measured": finite(part.value.mean) if part else None,
                "ci95": [finite(part.value.low), finite(part.value.high)] if part else None,
                "verdict": str(claim.verdict),
                "why": f"{claim.verdict_text()}; {claim.criterion_text()}; {claim.ours()}",
            }
        )
    figures = [
        {
            "id": chart.file.removesuffix(".svg"),
            "data": str(behind / chart_table(chart).file),
            "image": str(folder / chart.file),
        }
        for chart in report.charts
    ]
    return (
        json.dumps(
            {"schema": 1, "study": study.name, "claims": claims, "figures": figures}, indent=2
        )
        + "\n"
    )


def terminal(report: Report) -> str:
    """The claims for the terminal."""
    lines = []
    for claim in report.claims:
        lines += [
            f"{claim.verdict_text()}: {claim.text}",
            f"    published {claim.published}; {claim.criterion_text()}; ours {claim.ours()}",
        ]
    return "\n".join(lines)
