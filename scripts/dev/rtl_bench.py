# SPDX-License-Identifier: Apache-2.0
"""Build tb/rtl around a copy of the RTL and run it: what scripts/dev/mutate, scripts/dev/coverage
and tb/rtl/faults_test.py share."""

import hashlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
BENCH = ROOT / "tb" / "rtl"
VERILATOR = str(ROOT / "scripts" / "verilator")


class Configuration:
    """Parameters of sched_top, decisions of the random test,
    seconds of processor time after which the bench counts as hung."""

    def __init__(
        self,
        name,
        parameters,
        decisions,
        timeout,
        only=None,
        order_m=None,
        seed=None,
        top="sched_top",
    ):
        self.name, self.parameters, self.decisions, self.timeout = (
            name,
            parameters,
            decisions,
            timeout,
        )
        # Tried for this file only; sched_order alone with order_test
        self.only, self.order_m = (only, order_m)
        self.seed = seed  # registers and memories hold anything at first
        self.top = top  # of TOPS

    def seq_w(self):
        return self.parameters.get("SeqW", 24)


SMALL = {
    "Entries": 8,
    "Lanes": 2,
    "OrderM": 4,
    "AngleW": 12,
    "CylW": 10,
    "SegM": 2,
    "SegW": 6,
    "SeqW": 6,
    "Features": 15,
}


# The tops of the bench, with what they need beyond files.f; the sources of the package are mutated
# and get faults as the others.
PACKAGE = {"sched_native": "sched_native.sv", "platter_sched_axi": "ip/platter_sched_axi.sv"}
TOPS = {
    "sched_top": [],
    "native_top": [PACKAGE["sched_native"], str(BENCH / "native_top.sv")],
    "axi_top": [PACKAGE["platter_sched_axi"], str(BENCH / "axi_top.sv")],
}
NATIVE = {**SMALL, "OrderM": 0, "Features": 0}
# SeqW is 24
AXI = {
    name: value for name, value in {**SMALL, "OrderM": 0, "Features": 0}.items() if name != "SeqW"
}


def rtl_files(checks=False):
    """The sources in order of compilation."""
    names = [
        line.strip()
        for line in (RTL / "files.f").read_text(encoding="utf-8").splitlines()
        if line.strip().endswith(".sv")
    ]
    return names + (["sched_checks.sv"] if checks else [])


def include_directory():
    found = subprocess.run(
        [VERILATOR, "--getenv", "VERILATOR_ROOT"], stdout=subprocess.PIPE, text=True, check=False
    )
    if found.returncode != 0:
        sys.exit(2)
    return f"{found.stdout.strip()}/include"


def compiler(optimise="-O1", cached=True, name=None):
    cxx = (name or os.environ.get("CXX", "g++")).split()
    names = os.environ.get("PLATTER_RUNTIME_NAMES")
    return (
        (["ccache"] if cached and shutil.which("ccache") else [])
        + cxx
        + ["-std=c++17", optimise, "-g0", "-w"]
        + (["-include", names] if names else [])
    )


def includes(include):
    return [
        "-I",
        str(ROOT / "models"),
        "-I",
        str(BENCH),
        "-isystem",
        include,
        "-isystem",
        include + "/vltstd",
    ]


def build_bench(include, objects, made_before=False):
    """What all variants share: the bench and Verilator's run-time. Returns the object files by
    name. `made_before`: they are there. Where PLATTER_BENCH (sched_test's object and an archive of
    the others) and PLATTER_RUNTIME name them, those are taken. The header PLATTER_RUNTIME_NAMES has
    the names in that run-time."""
    if "PLATTER_BENCH" in os.environ:
        test, rest = os.environ["PLATTER_BENCH"].split()
        verilated, threads = os.environ["PLATTER_RUNTIME"].split()
        return {
            "sched_test": test,
            "golden": rest,
            "sched_bench": rest,
            "verilated": verilated,
            "verilated_threads": threads,
        }
    objects.mkdir(parents=True, exist_ok=True)
    made = {}
    for path in [BENCH / f"{name}.cpp" for name in ("golden", "sched_bench", "sched_test")] + [
        pathlib.Path(include) / f"{name}.cpp"
        for name in ("verilated", "verilated_threads", "verilated_cov")
    ]:
        target = objects / (path.stem + ".o")
        if not made_before:
            subprocess.run(
                compiler() + includes(include) + ["-c", str(path), "-o", str(target)], check=True
            )
        made[path.stem] = str(target)
    return made


# Differs between equal code: comments, white space, and names that hold a hash of their contents
# with a counter behind it.
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
HASHED = re.compile(r"\b(__V\w+?)_h[0-9a-f]{8}(?:__\d+)?\b")


def generated(directory):
    """Digest of the generated code in a canonical form."""
    digest = hashlib.sha256()
    for path in sorted(directory.glob("*")):
        if path.suffix in (".cpp", ".h"):
            names = {}
            text = HASHED.sub(
                lambda m, names=names: names.setdefault(m.group(0), f"{m.group(1)}_{len(names)}"),
                NOISE.sub(" ", path.read_text(encoding="utf-8")),
            )
            digest.update(path.name.encode() + " ".join(text.split()).encode())
    return digest.hexdigest()


def compiled(directory):
    """Digest of the object that compile_and_link made of it:
    what the compiler finds to be the same is the same."""
    return hashlib.sha256((directory / "unit.o").read_bytes()).hexdigest()


def verilate(configuration, rtl, into, *arguments):
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    top = "sched_order" if configuration.order_m else configuration.top
    files = (
        ["sched_order.sv"]
        if configuration.order_m
        else ["lint.vlt"] + rtl_files(checks=True) + TOPS[configuration.top]
    )
    command = [
        VERILATOR,
        "--cc",
        "--prefix",
        "Vbench",
        "--top-module",
        top,
        "--Mdir",
        str(into),
        "--assert",
        "-Wno-fatal",
        "-Wno-lint",
        "-Wno-style",
        "-O3",
        *arguments,
    ]
    if configuration.seed is not None:
        command += ["--x-initial", "unique", "--x-assign", "unique"]
    command += [f"-G{name}={value}" for name, value in configuration.parameters.items()] + files
    return subprocess.run(command, cwd=rtl, capture_output=True, text=True, check=False)


def defines(configuration):
    result = [
        '-DPLATTER_DUT_HEADER="Vbench.h"',
        "-DPLATTER_DUT_CLASS=Vbench",
        f"-DPLATTER_DUT_SEQ_W={configuration.seq_w()}",
    ]
    return result + ([f"-DPLATTER_DUT_M={configuration.order_m}"] if configuration.order_m else [])


def compile_and_link(configuration, directory, include, objects, cached=True, briefly=False):
    """directory/test from the generated code in directory/code. What is compiled only once is
    better not cached, what runs briefly not optimised: by Clang, where there is one, in less than
    half of GCC's time."""
    code = directory / "code"
    unit = directory / "unit.cpp"
    # One unit, since the run-time's headers take longer than the design.
    names = sorted(path.name for path in code.glob("*.cpp"))
    wrapper = BENCH / ("order_test.cpp" if configuration.order_m else "dut.cpp")
    unit.write_text(
        "".join(f'#include "{name}"\n' for name in names) + f'#include "{wrapper}"\n',
        encoding="utf-8",
    )
    result = subprocess.run(
        (compiler("-O0", cached, shutil.which("clang++")) if briefly else compiler(cached=cached))
        + defines(configuration)
        + [f"-ffile-prefix-map={directory}=."]
        + ["-I", str(code), *includes(include), "-c", str(unit), "-o", str(directory / "unit.o")],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        return result
    return link(configuration, [str(directory / "unit.o")], directory / "test", objects)


def link(configuration, units, target, objects, *more):
    parts = ["verilated", "verilated_threads", *more]
    if not configuration.order_m:
        parts += ["sched_test", "sched_bench", "golden"]
    return subprocess.run(
        [
            *os.environ.get("CXX", "g++").split(),
            *units,
            *[objects[p] for p in parts],
            "-o",
            str(target),
            "-lgtest_main",
            "-lgtest",
            "-lpthread",
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def limit_resources(seconds):
    """Limit the memory and the processor time (which other load does not lengthen) of a process."""
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


FAILED = re.compile(r"^\[  FAILED  \] (\S+) \(", re.M)


def run_bench(configuration, directory, assertions):
    """(what ended it or None, the test in which)"""
    environment = dict(
        os.environ,
        PLATTER_RTL_DECISIONS=str(configuration.decisions),
        PLATTER_RTL_ASSERT=str(int(assertions)),
    )
    environment.pop("PLATTER_RTL_COVER", None)
    if configuration.seed is not None:
        environment["PLATTER_RTL_SEED"] = str(configuration.seed)
    try:
        result = subprocess.run(
            [str(directory / "test"), "--gtest_fail_fast"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20 * configuration.timeout,  # a process that waits uses no processor time
            check=False,
            env=environment,
            preexec_fn=lambda: limit_resources(configuration.timeout),
        )
    except subprocess.TimeoutExpired as expired:
        output = (expired.stdout or b"").decode(errors="replace")
        running = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
        return "hang", running[-1] if running else ""
    output = result.stdout + result.stderr
    running = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    if result.returncode == -signal.SIGXCPU:
        return "hang", running[-1] if running else ""
    failed = FAILED.findall(output)
    if result.returncode == 0:
        return None, ""
    test = failed[0] if failed else running[-1] if running else ""
    if failed:
        return "comparison", test
    if "Assertion failed" in output or re.search(r"%Error: sched_\w+\.sv:\d+", output):
        return "assertion", test
    if "did not converge" in output or "DIDNOTCONVERGE" in output:
        return "no settling", test
    return "crash", test
