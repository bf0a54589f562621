#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each module refuses parameters that it cannot have, with a message: Verilator and slang (pyosys)
read it alone, as the top, and must fail with that message. The table below must reach every message
of the sources, and each module's defaults must be accepted.

Usage: parameters_test.py [MODULE ...]
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RTL = ROOT / "rtl"
sys.path.insert(0, str(ROOT / "scripts" / "dev"))
from rtl_bench import VERILATOR, rtl_files  # noqa: E402

# Parameters, and the beginning of what is said about them
ENTRIES = [({"Entries": 3}, "Entries must"), ({"Entries": 257}, "Entries must")]
ANGLE = [({"AngleW": 11}, "AngleW must"), ({"AngleW": 21}, "AngleW must")]
SEEK = [
    ({"CylW": 7}, "CylW must"),
    ({"CylW": 21}, "CylW must"),  # more cells than segments
    ({"CylW": 22, "SegW": 10}, "CylW must"),
    ({"SegM": 1}, "CylW must"),
    ({"SegM": 6}, "CylW must"),
    ({"SegW": 8}, "CylW must"),
    ({"SegW": 11}, "CylW must"),
]
CYLINDERS = [({"CylW": 0}, "CylW must"), ({"CylW": 22}, "CylW must")]
SEQ = [({"SeqW": 1}, "SeqW must"), ({"SeqW": 25}, "SeqW must")]
ORDER = [({"OrderM": 1}, "OrderM must"), ({"OrderM": 13}, "OrderM must")]
LANES = [({"Lanes": 3}, "Lanes must"), ({"Lanes": 32}, "Lanes must")]
FEATURES = [({"Features": 16}, "Features must")]
CORE = [
    *ENTRIES,
    ({"Entries": 30}, "Entries must"),
    *LANES,
    *ORDER,
    ({"Entries": 4, "OrderM": 6}, "OrderM must"),
    *ANGLE,
    *SEEK,
    *SEQ,
    *FEATURES,
]
BAD = {
    "sched_reg": [({"Width": 0}, "Width must")],
    "sched_reg_file": [*ENTRIES, *LANES, *ORDER, *ANGLE, *SEEK, *FEATURES],
    "sched_regs": [*ENTRIES, *LANES, *ORDER, *ANGLE, *SEEK, *SEQ, *FEATURES],
    "sched_table": [
        ({"Rows": 0}, "Rows must"),
        ({"Rows": 257}, "Rows must"),
        *ANGLE,
        ({"CylW": 7}, "CylW must"),
        ({"CylW": 22}, "CylW must"),
        *SEQ,
        *FEATURES,
    ],
    "sched_seek": [*ANGLE, *SEEK],
    "sched_hop": [*ANGLE, *SEEK, *FEATURES],
    "sched_lane": [
        ({"Rows": 0}, "Lanes must"),
        ({"Rows": 65}, "Lanes must"),
        ({"Lanes": 3}, "Lanes must"),
        ({"Lane": 4}, "Lane must"),
        *ANGLE,
        *SEEK,
        *SEQ,
        *FEATURES,
    ],
    "sched_min_tree": [*LANES, ({"KeyW": 1}, "KeyW must"), ({"RankW": 0}, "KeyW must")],
    "sched_decide": [
        ({"Rows": 0}, "Lanes must"),
        ({"Rows": 65}, "Lanes must"),
        ({"Lanes": 3}, "Lanes must"),
        ({"KeyW": 1}, "KeyW must"),
        ({"RankW": 0}, "KeyW must"),
        ({"TotalW": 1}, "TotalW must"),
        *FEATURES,
    ],
    "sched_ahead": [*ENTRIES, *ANGLE],
    "sched_order": [
        ({"M": 1}, "M must"),
        ({"M": 13}, "M must"),
        ({"CostW": 0}, "CostW must"),
        ({"CostW": 25}, "CostW must"),
    ],
    "sched_rows": [*ENTRIES, *ANGLE, *CYLINDERS],
    "sched_sums": [*ENTRIES, *ANGLE, *CYLINDERS],
    "sched_collect": [*ENTRIES, *CYLINDERS, *ORDER, ({"Entries": 4, "OrderM": 6}, "OrderM must")],
    "sched_matrix": [*ENTRIES, *ANGLE, *ORDER, ({"Entries": 4, "OrderM": 6}, "OrderM must")],
    "sched_list": [
        *ENTRIES,
        *ANGLE,
        *CYLINDERS,
        *ORDER,
        ({"Entries": 4, "OrderM": 6}, "OrderM must"),
    ],
    "sched_core": CORE,
    "sched_native": CORE,
    "sched_top": CORE,
}
PLAIN = {"sched_clock_gate", "sched_join", "sched_axil", "sched_control"}  # no parameters
# Whose parameters are checked by a module inside
HANDS_DOWN = {"sched_native": "sched_core", "sched_top": "sched_core"}
# Two constants
NOT_REACHED = {"decision_latency in registers.toml differs from the depth of the pipeline"}

# Each command has a process of its own, a copy of this one: the first error ends a process.
SLANG = """
import os, sys
from pyosys import libyosys as y
for number, command in enumerate(sys.argv[2:]):
    child = os.fork()
    if child == 0:
        os.dup2(os.open(f"{sys.argv[1]}/{number}", os.O_WRONLY | os.O_CREAT), 1)
        os.dup2(1, 2)
        y.run_pass(command, y.Design())
        sys.exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def python_with_pyosys():
    for python in (sys.executable, str(ROOT / "build" / "venv" / "bin" / "python")):
        if (
            pathlib.Path(python).exists()
            and subprocess.run(
                [python, "-c", "import pyosys"], capture_output=True, check=False
            ).returncode
            == 0
        ):
            return python
    sys.exit("parameters_test: the Python package pyosys was not found; run scripts/setup")


def run(command):
    result = subprocess.run(
        command, cwd=RTL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return result.returncode, result.stdout


def files_of(module, files):
    """Those of the files that a module needs: the packages, and what names lead to."""
    texts = {name: (RTL / name).read_text(encoding="utf-8") for name in files}
    needed, todo = set(), [name for name in files if name.endswith("_pkg.sv")] + [f"{module}.sv"]
    while todo:
        if (name := todo.pop()) not in needed:
            needed.add(name)
            todo += [
                f"{word}.sv"
                for word in re.findall(r"\bsched_\w+", texts[name])
                if f"{word}.sv" in texts
            ]
    return [name for name in files if name in needed]


def main():
    only = sys.argv[1:]
    python = python_with_pyosys()
    files = [*rtl_files(), "sched_native.sv"]
    modules = [name.removesuffix(".sv") for name in files if not name.endswith("_pkg.sv")]
    problems = [
        f"{module}: the table has no bad parameters"
        for module in modules
        if module not in BAD and module not in PLAIN
    ]

    # Verilator says what a module refuses while it elaborates. The export of the elaborated design
    # ends there, so bad parameters cost no optimisation and no scheduling. Defaults go all the way.
    elaborate = ["--json-only", "--json-only-output", os.devnull]
    elaborate += ["--json-only-meta-output", os.devnull]

    def verilate(module, parameters):
        return run(
            [
                VERILATOR,
                *(elaborate if parameters else ["--lint-only"]),
                "--quiet",
                "-Wno-lint",
                "-Wno-style",
                "-Wno-WIDTH",
                "--top-module",
                module,
                *[f"-G{name}={value}" for name, value in parameters.items()],
                "lint.vlt",
                *files_of(module, files),
            ]
        )

    def slang(module, every):
        commands = [
            f"read_slang --threads 1 --error-limit 0 --top {module} "
            + " ".join(f"-G {name}={value}" for name, value in parameters.items())
            + " "
            + " ".join(files_of(module, files))
            for parameters in every
        ]
        with tempfile.TemporaryDirectory() as folder:
            code, said = run([python, "-c", SLANG, folder, *commands])
            codes = said.split()
            if code != 0 or len(codes) != len(commands):
                sys.exit(f"parameters_test: pyosys: exit code {code}, {said[-400:]}")
            outputs = [
                (pathlib.Path(folder) / str(number)).read_text(encoding="utf-8")
                for number in range(len(commands))
            ]
        return list(zip(map(int, codes), outputs, strict=True))

    messages = {
        module: set(
            re.findall(
                r'\$error\("(\w+): ([^"]*)"\);', (RTL / f"{module}.sv").read_text(encoding="utf-8")
            )
        )
        for module in modules
    }
    for module in modules:
        for owner, _ in messages[module]:
            if owner != module:
                problems.append(f"{module}: a message names {owner}")
    reached = set()
    for module in modules:
        if only and module not in only:
            continue
        owner = HANDS_DOWN.get(module, module)
        by_slang = iter(slang(module, [{}, *(parameters for parameters, _ in BAD.get(module, []))]))
        for reader in ("Verilator", "slang"):
            # slang has read all already, in the same order.
            read = verilate if reader == "Verilator" else lambda *_, found=by_slang: next(found)
            code, output = read(module, {})
            if code != 0:
                problems.append(f"{module}: {reader} refuses the defaults: {output[-400:]}")
            seen = set()
            for parameters, text in BAD.get(module, []):
                # One of each kind, since Verilator takes long for these: it has judged all in the
                # module that they hand them to.
                if reader == "Verilator" and module in HANDS_DOWN and text in seen:
                    continue
                seen.add(text)
                code, output = read(module, parameters)
                found = [
                    message
                    for name, message in messages[owner]
                    if name == owner
                    and message.startswith(text)
                    and f"{owner}: {message}" in output
                ]
                if code == 0 or not found:
                    problems.append(
                        f'{module} {parameters}: {reader} does not say "{owner}: {text} ...": '
                        f"exit code {code}, {output[-300:]}"
                    )
                reached.update((owner, message) for message in found)
        print(f"{module}: {len(BAD.get(module, []))} bad sets of parameters", flush=True)
    if not only:
        for module in modules:
            for _, message in sorted(messages[module]):
                if (module, message) not in reached and message not in NOT_REACHED:
                    problems.append(f'{module}: nothing reaches "{message}"')
    for problem in problems:
        print(f"parameters_test: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
