# SPDX-License-Identifier: Apache-2.0
"""Which part of a wave file a view for GTKWave (a save file) opens with.

    build/venv/bin/python scripts/wave_view.py FILE.fst VIEW.gtkw

prints the view, so that it opens where its line "[*] Opens ..." says in this file.
"""

from __future__ import annotations

import pathlib
import re
import sys

import pywellen

_FRAMES = 23  # pixels beside the tree, the signals and the waves
_TREE = 40  # its least width
_OPENS = re.compile(r"^\[\*\] Opens .+", re.M)


def _number(view: str, key: str) -> int:
    return int(re.search(rf"^\[{key}\] (\d+)", view, re.M)[1])


def window(view: str) -> tuple[int, int]:
    """First and last picosecond that it shows. GTKWave's zoom is the logarithm to base 2 of the
    time of 200 pixels, negative."""
    begin, zoom = _number(view, "timestart"), -float(re.search(r"^\*(-[\d.]+) ", view, re.M)[1])
    pixels = (
        _number(view, "size")
        - max(_number(view, "sst_width"), _TREE)
        - _number(view, "signals_width")
        - _FRAMES
    )
    return begin, begin + round(2**zoom * pixels / 200)


def opened(view: str, waves: pywellen.Waveform) -> str:
    """From shortly before what it asks for, with the marker there. A view that asks for nothing, or
    that in a file without it: as it is."""
    asked = _OPENS.search(view)
    signals = {one.full_name: one for one in waves.all_vars()} if asked else {}
    for before_ns, last, name in (
        re.findall(r"(\d+) ns before (the last rise of )?([^\s.]\S*\w)", asked[0]) if asked else ()
    ):
        rises = (
            [time for time, value in signals[name].tv if time and int(value)]
            if name in signals
            else []
        )
        if rises:
            at = rises[-1 if last else 0]
            view = re.sub(
                r"^\[timestart\] \d+",
                f"[timestart] {max(at - 1000 * int(before_ns), 0)}",
                view,
                flags=re.M,
            )
            return re.sub(r"^(\*-[\d.]+) \d+", rf"\g<1> {at}", view, flags=re.M)
    return view


if __name__ == "__main__":
    file, shipped = sys.argv[1:]
    print(opened(pathlib.Path(shipped).read_text(), pywellen.Waveform(file)), end="")
