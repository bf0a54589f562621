#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A test of the tests: with each fault of seeded_faults.toml, in a copy of its module, the bench of
a small configuration must fail.

Usage: faults_test.py WORK_DIRECTORY objects      what all parts share; and whether each module has
                                                  a fault
       faults_test.py WORK_DIRECTORY PART/PARTS   the faults of one part
       faults_test.py WORK_DIRECTORY [MODULE ...] those of some modules, or all
"""

import pathlib
import shutil
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts" / "dev"))
from rtl_bench import (  # noqa: E402
    AXI,
    NATIVE,
    PACKAGE,
    RTL,
    SMALL,
    Configuration,
    build_bench,
    compile_and_link,
    include_directory,
    rtl_files,
    run_bench,
    verilate,
)

PACKAGES = {"sched_pkg", "sched_reg_pkg"}
CONFIGURATIONS = {
    "8x2": Configuration("8x2", SMALL, 500, 60),
    "24x4": Configuration("24x4", dict(SMALL, Entries=24, Lanes=4), 500, 60),
    "sched_native": Configuration("sched_native", NATIVE, 100, 60, top="native_top"),
    "platter_sched_axi": Configuration("platter_sched_axi", AXI, 100, 60, top="axi_top"),
}


def main():
    work = pathlib.Path(sys.argv[1]).resolve()
    only = sys.argv[2:]
    faults = tomllib.loads((HERE / "seeded_faults.toml").read_text(encoding="utf-8"))["fault"]
    problems = []
    include = include_directory()
    objects = build_bench(include, work / "objects", only != [] and "/" in only[0])
    if not only or only == ["objects"]:
        modules = {name.removesuffix(".sv") for name in rtl_files()} - PACKAGES | PACKAGE.keys()
        problems += [
            f"{module}: no fault is seeded"
            for module in sorted(modules - {fault["module"] for fault in faults})
        ]
    part, parts = map(int, only.pop().split("/")) if only and "/" in only[0] else (1, 1)
    if only == ["objects"]:
        faults = []
    for number, fault in enumerate(faults):
        module = fault["module"]
        if (only and module not in only) or number % parts != part - 1:
            continue
        configuration = CONFIGURATIONS[
            fault.get("configuration", module if module in PACKAGE else "8x2")
        ]
        directory = work / f"{module}_{number}"
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(RTL, directory / "rtl")
        path = directory / "rtl" / PACKAGE.get(module, f"{module}.sv")
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        count = text.count(fault["before"])
        if count == 0 or (count > 1 and not fault.get("everywhere")):
            problems.append(f"{module}: {fault['before']!r} occurs {count} times")
            continue
        path.write_text(text.replace(fault["before"], fault["after"]), encoding="utf-8")
        built = verilate(configuration, directory / "rtl", directory / "code")
        if built.returncode == 0:
            built = compile_and_link(
                configuration, directory, include, objects, cached=False, briefly=True
            )
        if built.returncode != 0:
            problems.append(f"{module}: does not build: {(built.stderr or built.stdout)[-500:]}")
            continue
        ended, test = run_bench(configuration, directory, True)
        print(f"{module}: {fault['what']}: {ended or 'not found'} {test}", flush=True)
        if ended is None:
            problems.append(f"{module}: the bench did not find it: {fault['what']}")
        shutil.rmtree(directory)
    for problem in problems:
        print(f"faults_test: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
