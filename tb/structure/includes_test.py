# SPDX-License-Identifier: Apache-2.0
"""Includes run downwards: no room includes one that stands above it, and no file itself,
by whatever way.

Environment: PLATTER_SOURCE (the tree).
"""

import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
MODELS = SOURCE / "models"

# From the bottom up. A room includes itself and those before it;
# rooms of one line know nothing of each other.
ROOMS = (
    ("core",),
    ("params",),
    ("command",),
    ("profile",),
    ("mechanics",),
    ("import", "sheet", "buffer", "media", "scheduling"),
    ("mapping",),
    ("engine",),
    ("axi",),
    ("accelerator",),
    ("drive",),
    ("workload",),
    ("host/array",),
    ("host/ew_array", "host/media_server", "host/mixed_server", "host/autoqos"),
    ("front/ahci", "front/scsi", "front/serving"),
    ("front/iscsi", "front/nbd", "front/vfio_user"),
    ("front/exec",),
    ("observe",),
    ("validation", "crash"),
    ("system",),
    ("cli", "exec", "libplatter"),
)
GENERATED = ("platter/version.h", "platter/own_policy_abi.h")  # by CMake, for all rooms
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}


def room_of(path):
    """The room of a file below models/, or of one that an include names."""
    parts = path.removeprefix("platter/").split("/")
    return "/".join(parts[:2]) if parts[0] in ("host", "front") and len(parts) > 2 else parts[0]


def includes():
    """Pairs of files, below models/."""
    for file in sorted([*MODELS.rglob("*.h"), *MODELS.rglob("*.cpp")]):
        name = file.relative_to(MODELS).as_posix()
        for included in re.findall(r'^#include "(.*)"', file.read_text(), flags=re.M):
            if included in GENERATED:
                continue
            local = file.parent / included
            yield name, local.relative_to(MODELS).as_posix() if local.is_file() else included


class Includes(unittest.TestCase):
    def test_every_file_is_in_a_room_and_every_room_has_files(self):
        self.assertEqual({room_of(file) for pair in includes() for file in pair}, set(LEVEL))

    def test_no_room_includes_what_stands_above_it(self):
        upwards = [
            f"{name} includes {included}"
            for name, included in includes()
            if room_of(name) in LEVEL
            and room_of(included) in LEVEL
            and room_of(name) != room_of(included)
            and LEVEL[room_of(included)] >= LEVEL[room_of(name)]
        ]
        self.assertEqual(upwards, [])

    def test_no_file_includes_itself(self):
        below = {}
        for name, included in includes():
            below.setdefault(name, []).append(included)
        done, under_way = set(), []

        def visit(name):
            if name in done:
                return
            self.assertNotIn(name, under_way, "a circle of includes")
            under_way.append(name)
            for included in below.get(name, ()):
                visit(included)
            under_way.pop()
            done.add(name)

        for name in list(below):
            visit(name)


if __name__ == "__main__":
    unittest.main()
