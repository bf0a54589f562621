# SPDX-License-Identifier: Apache-2.0
"""Includes run downwards: no room includes one that stands above it. No file includes itself, and
no module of the lab imports itself, by whatever way.

Environment: PLATTER_SOURCE (the tree).
"""

import ast
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


def imports():
    """Pairs of modules of the lab. A package's own file is its face, and none of them."""
    files = {
        ".".join(file.relative_to(SOURCE / "scripts/lab").with_suffix("").parts): file
        for file in (SOURCE / "scripts/lab/platter_lab").rglob("*.py")
        if file.stem != "__init__"
    }
    for name, file in files.items():
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom):
                used = [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
                yield from ((name, one) for one in used if one in files)
            elif isinstance(node, ast.Import):
                yield from ((name, one.name) for one in node.names if one.name in files)


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

    def expect_no_circle(self, pairs):
        below = {}
        for name, used in pairs:
            below.setdefault(name, []).append(used)
        done, under_way = set(), []

        def visit(name):
            if name in done:
                return
            self.assertNotIn(name, under_way, "a circle")
            under_way.append(name)
            for used in below.get(name, ()):
                visit(used)
            under_way.pop()
            done.add(name)

        for name in list(below):
            visit(name)

    def test_no_file_includes_itself(self):
        self.expect_no_circle(includes())

    def test_no_module_of_the_lab_imports_itself(self):
        self.expect_no_circle(imports())


if __name__ == "__main__":
    unittest.main()
