# SPDX-License-Identifier: Apache-2.0
"""A page of figures and tables as one HTML file without any reference to the outside."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from platter_lab.report import look
from platter_lab.statistics import ABSENT

_HERE = Path(__file__).parent
_NAME = re.compile(r"\w+(\.\w*[a-z]\w*)+")  # of a statistic, of a key: paper is narrower than some


@dataclass(frozen=True)
class Raw:
    """HTML that is put into the page as it is, beside its text (for a table's filter and order)."""

    markup: str
    key: float | None = None


Cell = str | int | float | bool | Raw | None


def text(value: object) -> str:
    """Escaped."""
    return html.escape(str(value))


def _exponent(value: float, digits: int) -> int:
    """Of 10, in the value rounded to so many digits."""
    return int(f"{value:.{digits - 1}e}".partition("e")[2])


def _in_words(value: float, after: int) -> str:
    """With so many digits after the point, and thousands apart from 10 000 on."""
    words = f"{value:,.{after}f}" if abs(value) >= 10_000 else f"{value:.{after}f}"
    return words.replace(",", "\u202f").replace("-", "\u2212")


def number(value: float | None, digits: int = 4) -> str:
    """As a reader wants it: so many significant digits, and all of those before the point; `ABSENT`
    for what is no number. An exponent only where there would be many zeros.
    """
    if value is None or not math.isfinite(value):
        return ABSENT
    if value and not 1e-9 <= abs(value) < 1e15:
        return f"{value:.{digits}g}".replace("-", "\u2212")
    after = 0 if value == int(value) else max(digits - 1 - _exponent(value, digits), 0)
    words = _in_words(value, after)
    return words.rstrip("0").rstrip(".") if "." in words else words


def mean_and_half(mean: float, half: float) -> str:
    """A mean and the half of its confidence interval, both to the second digit of the latter."""
    if not 1e-9 <= half < 1e15 or abs(mean) >= 1e15:
        return f"{number(mean)} ± {number(half, 2)}"
    last = 1 - _exponent(half, 2)
    after = max(last, 0)
    return f"{_in_words(round(mean, last) + 0.0, after)} ± {_in_words(round(half, last), after)}"


def _cell(value: Cell) -> str:
    if isinstance(value, Raw):
        order = "" if value.key is None else f' data-key="{value.key:.12g}"'
        return f"<td{order}>{value.markup}</td>"
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "<td></td>"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<td class="number" data-key="{value:.12g}">{number(value)}</td>'
    words = text(value)
    return f"<td>{words.replace('.', '.<wbr>') if _NAME.fullmatch(words) else words}</td>"


def table(
    columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, name: str, searched: bool = True
) -> str:
    """With a field that filters its rows (`searched`); a click on a column's heading orders them.

    `name` says what its rows are.
    """
    lines = [f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in rows]
    search = (
        (
            '<div class="search"><input type="search"'
            ' placeholder="filter: words, column&lt;5, column=text"'
            f' aria-label="filter of {text(name)}">'
            f'<span class="shown">{len(lines)} {text(name)}</span></div>'
        )
        if searched
        else ""
    )
    head = "".join(f"<th>{text(column)}</th>" for column in columns)
    return (
        f'<div class="table{" many" * (len(columns) > 12)}" data-name="{text(name)}">{search}'
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n'
        + "\n".join(lines)
        + "\n</tbody></table></div></div>"
    )


@functools.cache
def _bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed."""
    return vl_convert.javascript_bundle(  # type: ignore[call-arg]  # the snippet has a default
        vl_version=".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    )


def _brief(value: Any) -> Any:
    """Numbers to the seven digits that a figure can show: a third of the file."""
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _brief(one) for key, one in value.items()}
    return [_brief(one) for one in value] if isinstance(value, list) else value


def _json(value: Any) -> str:
    """For a script element, which "</script>" in a text would end."""
    return json.dumps(
        _brief(value), sort_keys=True, allow_nan=False, separators=(",", ":")
    ).replace("<", "\\u003c")


@dataclass
class Page:
    """Sections of figures, tables and notes.

    Texts are escaped, only what is called markup is not.
    """

    title: str
    kind: str
    about: str = ""
    tiles: list[tuple[str, str, str]] = field(default_factory=list)  # name, value, unit or remark
    _sections: list[tuple[str, list[str]]] = field(default_factory=list)
    _charts: int = 0

    def section(self, title: str) -> None:
        self._sections.append((title, []))

    def markup(self, markup: str) -> None:
        self._sections[-1][1].append(markup)

    def note(self, words: str) -> None:
        self.markup(f'<p class="note">{text(words)}</p>')

    def figure(
        self, title: str, chart: alt.TopLevelMixin, caption: str = "", *, half: bool = False
    ) -> None:
        """`title` is what the figure tells, `caption` how it was made.

        Two that are `half` stand side by side.
        """
        self._charts += 1
        spec = chart.to_dict(validate=False)  # tests draw them
        spec.pop("$schema", None)  # an address, though nothing asks for it
        spec["config"] = look.CONFIG
        self.markup(
            f"<figure{' class=half' if half else ''}><h3>{text(title)}</h3>"
            f'<div class="chart" id="chart-{self._charts}"></div>'
            f'<script type="application/json" data-chart="chart-{self._charts}">'
            f"{_json(spec)}</script>"
            + (f"<figcaption>{text(caption)}</figcaption>" if caption else "")
            + "</figure>"
        )

    def folded(self, title: str, markup: str) -> None:
        self.markup(f"<details><summary>{text(title)}</summary>{markup}</details>")

    def render(self) -> str:
        """The same bytes for the same page.

        The policy lets no script run but the page's own, and nothing be loaded from anywhere.
        """
        scripts = [_bundle(), (_HERE / "page.js").read_text(encoding="utf-8")]
        digests = " ".join(
            f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
            for script in scripts
        )
        policy = (
            f"default-src 'none'; script-src {digests} 'unsafe-eval'; "
            "style-src 'unsafe-inline'; img-src data:"
        )
        style = (_HERE / "page.css").read_text(encoding="utf-8")
        links = "".join(
            f'<a href="#section-{number}">{text(title)}</a>'
            for number, (title, _) in enumerate(self._sections, 1)
        )
        tiles = "".join(
            f'<div class="tile"><span>{text(name)}</span><b>{text(value)}</b>'
            f"<i>{text(remark)}</i></div>"
            for name, value, remark in self.tiles
        )
        body = "".join(
            f'<section id="section-{number}"><h2>{text(title)}</h2>'
            f'<div class="parts">{"".join(parts)}</div></section>\n'
            for number, (title, parts) in enumerate(self._sections, 1)
        )
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
            '<meta name="viewport" content="width=device-width">'
            f"<title>{text(self.title)}</title>\n<style>{style}</style></head>\n"
            f'<body><header><p class="kind">{text(self.kind)}</p><h1>{text(self.title)}</h1>'
            f"<p>{text(self.about)}</p></header>\n<nav>{links}</nav>\n"
            f'<main><div class="tiles">{tiles}</div>\n{body}</main>\n'
            + "".join(f"<script>{script}</script>\n" for script in scripts)
            + "</body></html>\n"
        )
