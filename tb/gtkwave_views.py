# SPDX-License-Identifier: Apache-2.0
"""Views for GTKWave (save files) held against wave files."""
import re


def named(view):
    """The signals that a view names: (name, highest bit or None for a signal without a range)."""
    lines = [line for line in view.splitlines() if re.match(r"[a-z]", line)]
    matches = [re.fullmatch(r"([^\[]+)(?:\[(\d+):0\])?", line) for line in lines]
    assert all(matches), [line for line, match in zip(lines, matches) if not match]
    return [(match[1], None if match[2] is None else int(match[2])) for match in matches]


def misfits(view, waves):
    """What a view names and the waves (a pywellen.Waveform) do not have with this range of bits: by both GTKWave finds a signal."""
    widths = {v.full_name: v.bitwidth for v in waves.all_vars()}
    return [f"{name}[{highest}:0]" for name, highest in named(view)
            if name not in widths or (widths[name] or 1) != (1 if highest is None else highest + 1)]
