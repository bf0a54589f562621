# SPDX-License-Identifier: Apache-2.0
"""Matplotlib's SVG in a small form that looks the same.

Each style is written once, marks of one kind and lines of one kind are one path, coordinates have a
tenth of a point. Each shape is one line of text, and texts of one kind share lines. Points that lie
on the line between their neighbours are left out. A line with a mark at each of its points is one
path. So are bars with marks at their ends.
"""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
_PLACE, _SHAPE = 1, 2  # decimals of a place, and of the shape of a mark
_COLUMNS = 150  # of a line with several elements
_TEXTS = 3  # neighbours of one style that are written as a group
_STRAIGHT = 0.05  # points that are nearer to a line than this lie on it
_TOKEN = re.compile(r"[A-Za-z]|-?[0-9.]+(?:e-?[0-9]+)?")
_NUMBER = re.compile(r"-?[0-9]+\.[0-9]+(?:e-?[0-9]+)?")
_FAMILY = re.compile(r"font-family:[^;]*;?")
# The widths of the first are those of the layout.
_FONTS = "'DejaVu Sans',Verdana,sans-serif"
# Of the project's figures, for Matplotlib.
STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
}
_TWICE = re.compile(r"#([0-9a-f])\1([0-9a-f])\2([0-9a-f])\3(?![0-9a-f])")
_CIRCLE = re.compile(r"M0 ([0-9.]+)(?:C[^A-Za-z]*){8}z")  # as Matplotlib draws a round mark
_NO_ROTATION = re.compile(r"rotate\(-?0(?:\.0*)? [^)]*\)")


@dataclass
class _Shape:
    """An element with what it holds: shapes, or text."""

    tag: str
    style: str = ""
    clip: str = ""  # the name of what it is cut by
    attributes: dict[str, str] = field(default_factory=dict)
    # Of a path or a mark: its parts, of which each begins with M.
    path: list[str] = field(default_factory=list)
    marks: tuple[str, str] | None = None  # of a line: the mark at its points, and the mark's style
    inner: list[_Shape] = field(default_factory=list)
    text: str = ""


def compact(text: str | bytes) -> str:
    """The same picture in fewer lines."""
    root = ET.fromstring(text)
    shapes = [shape for child in root for shape in _shapes(child)]
    marks = {
        element.get("id", ""): element for element in root.iter(f"{_SVG}path") if element.get("id")
    }
    clips = {element.get("id", ""): element for element in root.iter(f"{_SVG}clipPath")}
    written = "\n".join(_written(root, list(_marked(_joined(shapes))), marks, clips))
    lines = [""]
    for line in written.split("\n"):
        if lines[-1] and len(lines[-1] + line) > _COLUMNS:
            lines.append("")
        lines[-1] += line
    return "\n".join(lines) + "\n"


# --- reading --------------------------------------------------------------------------------------


def _style(element: ET.Element) -> str:
    """Without the font, and with colours of three digits where those are the same."""
    text = _FAMILY.sub("", re.sub(r"\s*([:;])\s*", r"\1", element.get("style", "")))
    return _TWICE.sub(r"#\1\2\3", text).strip("; ")


def _rounded(text: str) -> str:
    """Each number in it as that of a place."""
    return _NUMBER.sub(lambda found: _short(f"{float(found[0]):.{_PLACE}f}"), text)


def _shapes(element: ET.Element) -> Iterator[_Shape]:
    """What an element draws.

    A group that changes nothing is its shapes; an axis has its lines first, then its marks, then
    its texts.
    """
    tag = element.tag.removeprefix(_SVG)
    clip = element.get("clip-path", "").removeprefix("url(#").removesuffix(")")
    if tag in ("defs", "metadata") or "}" in tag:
        return
    kept = {
        key: value
        for key, value in element.attrib.items()
        if key not in ("id", "style", "clip-path", "d")
    }
    kept = {key: value if key == _HREF else _rounded(value) for key, value in kept.items()}
    if "transform" in kept:
        kept["transform"] = _NO_ROTATION.sub("", kept["transform"]).strip()
    kept = {key: value for key, value in kept.items() if value}
    shape = _Shape(tag, _style(element), clip, kept)
    if tag == "path":
        shape.path = [_path(element.get("d", ""), _PLACE)]
    elif tag == "text":
        shape.text = (element.text or "").strip() if len(element) else element.text or ""
        shape.inner = [
            _Shape(
                "tspan",
                _style(span),
                "",
                {key: _rounded(value) for key, value in span.attrib.items() if key != "style"},
                text=span.text or "",
            )
            for span in element
        ]
    elif tag == "use":
        shape.path = [f"M{kept.pop('x', '0')} {kept.pop('y', '0')}"]
    elif tag == "g":
        inner = [one for child in element for one in _shapes(child)]
        if element.get("id", "").startswith("matplotlib.axis"):
            inner.sort(
                key=lambda one: ("path", "use").index(one.tag) if one.tag in ("path", "use") else 2
            )
        if not (shape.style or kept or any(clip and one.clip not in ("", clip) for one in inner)):
            yield from (replace(one, clip=clip or one.clip) for one in inner)
            return
        shape.inner = list(_marked(_joined(inner)))
    yield shape


def _short(number: str) -> str:
    number = number.rstrip("0").rstrip(".") if "." in number else number
    return "0" if number == "-0" else number


def _path(data: str, decimals: int) -> str:
    """A path with its numbers rounded, without the points that are not seen."""
    tokens = _TOKEN.findall(data)
    texts: list[str] = []
    line: list[tuple[str, str]] = []

    def end_line() -> None:
        if line:
            texts.append("M" + " ".join(f"{x} {y}" for x, y in _bends(line)))
            line.clear()

    at = 0
    while at < len(tokens):
        command = tokens[at]
        count = {"M": 2, "L": 2, "C": 6, "Q": 4, "z": 0, "Z": 0}[command]
        numbers = [_short(f"{float(one):.{decimals}f}") for one in tokens[at + 1 : at + 1 + count]]
        at += 1 + count
        if command == "M":
            end_line()
            line.append((numbers[0], numbers[1]))
        elif command == "L" and line:
            line.append((numbers[0], numbers[1]))
        else:
            end_line()
            texts.append(command.lower() if command in "zZ" else command + " ".join(numbers))
    end_line()
    return "".join(texts)


def _bends(line: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The points at which a line bends, and its ends."""
    points = [point for point, _ in itertools.groupby(line)]
    if len(points) == 1 and len(line) > 1:  # a dot
        points *= 2
    yield points[0]
    last = 0
    for end in range(2, len(points)):
        if not all(_on_line(points[last], point, points[end]) for point in points[last + 1 : end]):
            yield points[end - 1]
            last = end - 1
    if len(points) > 1:
        yield points[-1]


def _on_line(before: tuple[str, str], point: tuple[str, str], after: tuple[str, str]) -> bool:
    (ax, ay), (px, py), (bx, by) = ((float(x), float(y)) for x, y in (before, point, after))
    dx, dy = bx - ax, by - ay
    length = dx * dx + dy * dy
    along = (px - ax) * dx + (py - ay) * dy
    return 0 <= along <= length and abs((px - ax) * dy - (py - ay) * dx) <= _STRAIGHT * length**0.5


def _joined(shapes: Iterable[_Shape]) -> Iterator[_Shape]:
    """Neighbours that are marks of one kind, or lines of one kind, are one shape."""

    def kind(shape: _Shape) -> object:
        one = shape.tag == "use" or (shape.tag == "path" and "fill:none" in shape.style)
        return (
            (shape.tag, shape.style, shape.clip, tuple(sorted(shape.attributes.items())))
            if one
            else id(shape)
        )

    for _, group in itertools.groupby(shapes, kind):
        first, *others = group
        for other in others:
            first.path += other.path
        yield first


def _polylines(parts: Sequence[str]) -> list[list[tuple[str, str]]]:
    """The points of each line, or the places of marks; [] if there is more than lines."""
    data = "".join(parts)
    if not re.fullmatch(r"[ M0-9.-]+", data):
        return []
    lines = [line.split() for line in data.split("M")[1:]]
    return [list(zip(line[::2], line[1::2], strict=True)) for line in lines]


def _marked(shapes: Iterable[_Shape]) -> Iterator[_Shape]:
    """Marks behind the line whose points they mark are the line's."""
    line: _Shape | None = None
    for shape in shapes:
        if line is not None and shape.tag == "use" and shape.clip == line.clip:
            parts = _with_points(line.path, shape.path)
            if parts and shape.attributes.keys() == {_HREF}:
                line.path = parts
                line.marks = (shape.attributes[_HREF].removeprefix("#"), shape.style)
                yield line
                line = None
                continue
        if line is not None:
            yield line
        line = shape if shape.tag == "path" and "fill:none" in shape.style else None
        if line is None:
            yield shape
    if line is not None:
        yield line


def _with_points(parts: Sequence[str], marks: Sequence[str]) -> list[str]:
    """The parts of a line with all points that have marks; [] if the marks are at others."""
    lines = _polylines(parts)
    places = [point for mark in _polylines(marks) for point in mark]
    if min(map(len, lines), default=0) < 2:
        return []
    if sorted(point for line in lines for point in line) == sorted(places):
        return list(parts)
    with_all = []
    for line in lines:
        if places[:1] != line[:1] or line[-1] not in places[1:]:
            return []
        end = places.index(line[-1], 1) + 1
        if list(_bends(places[:end])) != line:
            return []
        with_all.append("M" + " ".join(f"{x} {y}" for x, y in places[:end]))
        places = places[end:]
    return [] if places else with_all


# --- writing --------------------------------------------------------------------------------------


def relative(data: str) -> str:
    """A path of lines alone, each as its way from the point before, in few characters."""
    if not re.fullmatch(r"[ Mz0-9.-]*", data):
        return data
    texts: list[str] = []
    x = y = 0
    begin = (0, 0)
    before = ""
    for command, numbers in re.findall(r"([Mz])([^Mz]*)", data):
        if command == "z":
            texts.append("z")
            before, (x, y) = "z", begin
            continue
        places = [round(float(number) * 10**_PLACE) for number in numbers.split()]
        for at in range(0, len(places), 2):
            across, down = places[at] - x, places[at + 1] - y
            x, y = places[at], places[at + 1]
            if at == 0:
                begin = (x, y)
                to, by = _numbers(x, y), _numbers(across, down)
                step, ways = ("m", by) if texts and len(by) < len(to) else ("M", to)
            elif down == 0:
                step, ways = "h", _numbers(across)
            elif across == 0:
                step, ways = "v", _numbers(down)
            else:
                step, ways = "l", _numbers(across, down)
            # A command that is repeated needs no letter.
            repeated = step == before and at > 0
            texts.append((("" if ways.startswith("-") else " ") if repeated else step) + ways)
            before = step
    return "".join(texts)


def _numbers(*places: int) -> str:
    """Places in units of their last decimal, one behind the other."""
    text = ""
    for place in places:
        number = re.sub(r"^(-?)0\.", r"\1.", _short(f"{place / 10**_PLACE:.{_PLACE}f}"))
        text += f"{'' if not text or number.startswith('-') else ' '}{number}"
    return text


def _tag(name: str, attributes: Mapping[str, str], inner: str = "") -> str:
    text = "".join(
        f' {key.replace(_HREF, "xlink:href")}="{escape(value)}"'
        for key, value in attributes.items()
        if value
    )
    return f"<{name}{text}>{inner}</{name}>" if inner else f"<{name}{text}/>"


def _styles(shapes: Iterable[_Shape]) -> Iterator[str]:
    """Of each element whose style is written at it, or at a group of it and its neighbours."""
    for shape in shapes:
        if shape.style and shape.tag != "use" and not _is_cell(shape):
            yield shape.style
        yield from _styles(shape.inner)


def _is_cell(shape: _Shape) -> bool:
    """Filled in a colour of its own, as the cells of a map."""
    return shape.tag == "path" and shape.style.startswith("fill:#") and ";" not in shape.style


class _Writer:
    """Gives names to styles that are used more than once, to marks and to what cuts."""

    def __init__(self, shapes: Sequence[_Shape], paths: Mapping[str, ET.Element]) -> None:
        self._paths = paths
        self.clips: dict[str, str] = {}
        self.marks: dict[tuple[str, str], str] = {}  # by path and the style of its use
        self.used: set[str] = set()  # names of marks that are not at the points of a path only
        self._name_marks(shapes)
        self.styles = {
            style: f"s{number}"
            for number, style in enumerate(
                style for style, uses in Counter(_styles(shapes)).items() if uses > 1
            )
        }

    def _name_marks(self, shapes: Iterable[_Shape]) -> None:
        """The style of a line has its marks."""
        for shape in shapes:
            if shape.marks:
                shape.style += f";marker:url(#{self._mark(*shape.marks)}s)"
            self._name_marks(shape.inner)

    def _mark(self, path: str, style: str) -> str:
        return self.marks.setdefault((path, style), f"m{len(self.marks)}")

    def lines(self, shapes: Iterable[_Shape]) -> Iterator[str]:
        """One for each shape, one for neighbouring cells."""
        for clip, group in itertools.groupby(shapes, lambda shape: shape.clip):
            lines: list[str] = []
            for _, neighbours in itertools.groupby(group, self._alike):
                lines += self._together(list(neighbours))
            yield from (
                [
                    f'<g clip-path="url(#{self.clips.setdefault(clip, f"c{len(self.clips)}")})">',
                    *lines,
                    "</g>",
                ]
                if clip
                else lines
            )

    @staticmethod
    def _alike(shape: _Shape) -> object:
        """Neighbours of which this is the same are written together."""
        return ("cells" if _is_cell(shape) else shape.style if shape.tag == "text" else id(shape),)

    def _together(self, shapes: Sequence[_Shape]) -> list[str]:
        """Cells in one line; the style of several texts once."""
        if _is_cell(shapes[0]):
            return ["".join(map(self._text, shapes))]
        if len(shapes) < _TEXTS or not shapes[0].style:
            return list(map(self._text, shapes))
        start = _tag("g", self._style(shapes[0])).removesuffix("/>") + ">"
        return [start, *(self._text(replace(shape, style="")) for shape in shapes), "</g>"]

    def _style(self, shape: _Shape) -> dict[str, str]:
        if shape.style in self.styles:
            return {"class": self.styles[shape.style]}
        return {"style": shape.style}

    def _text(self, shape: _Shape) -> str:
        style = self._style(shape)
        if shape.tag == "g":
            return _tag(
                "g", {**style, **shape.attributes}, "\n" + "\n".join(self.lines(shape.inner)) + "\n"
            )
        if shape.tag == "use":
            return self._marks(shape)
        if shape.tag == "path":
            style = {"fill": shape.style.removeprefix("fill:")} if _is_cell(shape) else style
            data = relative("".join(shape.path))
            if _is_cell(shape):  # a filled box needs no last side
                data = re.sub(r"(h([0-9.]+)v-([0-9.]+)h-\2)v\3(?=z|$)", r"\1", data)
            return _tag("path", {**style, **shape.attributes, "d": data})
        return _tag(
            shape.tag,
            {**style, **shape.attributes},
            escape(shape.text, quote=False) + "".join(map(self._text, shape.inner)),
        )

    def _marks(self, shape: _Shape) -> str:
        rest = {key: value for key, value in shape.attributes.items() if key != _HREF}
        mark = self._mark(shape.attributes[_HREF].removeprefix("#"), shape.style)
        places = [one.removeprefix("M") for one in shape.path]
        if len(places) == 1:
            x, y = places[0].split()
            self.used.add(mark)
            return _tag("use", {_HREF: f"#{mark}", "x": x, "y": y, **rest})
        return _tag(
            "path",
            {
                "class": "marks",
                "style": f"marker:url(#{mark}s)",
                **rest,
                "d": relative(f"M{' '.join(places)}"),
            },
        )

    def definitions(self, clips: Mapping[str, ET.Element]) -> Iterator[str]:
        """What the lines name.

        A mark has the style of its use under its own; at the points of a path stands a marker that
        has it.
        """
        for (path, used), name in self.marks.items():
            style = dict(
                one.split(":", 1) for one in f"{used};{_style(self._paths[path])}".split(";") if one
            )
            data = _path(self._paths[path].get("d", ""), _SHAPE)
            circle = _CIRCLE.fullmatch(data)
            shape = _tag(
                "circle" if circle else "path",
                {
                    "id": name if name in self.used else "",
                    "style": ";".join(f"{key}:{value}" for key, value in style.items()),
                    **({"r": circle[1]} if circle else {"d": data}),
                },
            )
            yield _tag("marker", {"id": f"{name}s", "markerUnits": "userSpaceOnUse"}, shape)
        for clip, name in self.clips.items():
            inner = clips[clip][0]
            attributes = {
                key: _path(value, _PLACE) if key == "d" else _rounded(value)
                for key, value in inner.attrib.items()
            }
            yield _tag("clipPath", {"id": name}, _tag(inner.tag.removeprefix(_SVG), attributes))


def _written(
    root: ET.Element,
    shapes: Sequence[_Shape],
    paths: Mapping[str, ET.Element],
    clips: Mapping[str, ET.Element],
) -> Iterator[str]:
    writer = _Writer(shapes, paths)
    lines = list(writer.lines(shapes))
    size = " ".join(f'{key}="{root.get(key)}"' for key in ("width", "height", "viewBox"))
    links = f' xmlns:xlink="{_XLINK}"' if any("xlink:" in line for line in lines) else ""
    yield f'<svg xmlns="http://www.w3.org/2000/svg"{links} {size}>'
    yield "<style>"
    yield (
        f"*{{stroke-linejoin:round;stroke-linecap:butt}} text{{font-family:{_FONTS}}} "
        "marker{overflow:visible} .marks{fill:none;stroke:none}"
    )
    yield from (f".{name}{{{style}}}" for style, name in writer.styles.items())
    yield "</style>"
    yield from writer.definitions(clips)
    yield from lines
    yield "</svg>"
