# SPDX-License-Identifier: Apache-2.0
"""What the drive gains: response time and fairness against queue depth,
by `platter run` with each engine."""

import csv
import hashlib
import json
import subprocess
import sys

from . import page
from .flows import ROOT, Failure, step

SCENARIOS = ROOT / "models" / "configs" / "scenarios"
DEPTHS = (16, 32, 64, 128, 256)
RTL_ENTRIES = 32  # of the RTL that platter is built with
COLUMNS = [
    "load",
    "policy",
    "engine",
    "controller_mhz",
    "accelerator_mhz",
    "depth",
    "seconds",
    "seeds",
    "discrete_per_s",
    "mean_ms",
    "mean_ms_least",
    "mean_ms_most",
    "p95_ms",
    "fairness",
    "hiccups",
    "decisions",
    "cycles_per_decision",
    "access_cycles_per_decision",
    "latency_us",
    "stall_us",
    "stalls",
]

# name: scenario, policy, requests that its orderer takes, further keys; {depth} is the queue's. A
# closed load keeps the queue full.
CLOSED = {"workload.discrete.source": "closed", "workload.discrete.outstanding": "{depth}"}
LOADS = {
    "mixed": ("mixed_media", "SPTF", 0, {}),
    "mixed, full queue": ("mixed_media", "SPTF", 0, CLOSED),
    "random 4 KB": ("random_4k", "SPTF", 0, CLOSED),
    "mixed, exact orders": ("mixed_media", "OPS:SCAN/CLUST-REQ(10)", 10, CLOSED),
}


def firmware_cost():
    """Cycles of a decision, a candidate and a step of an exact order: lines through the counts of
    docs/reference/firmware_cost.md."""
    rows = {
        (row["kernel"], int(row["n"])): int(row["cycles"])
        for row in page.read(page.FIRMWARE)
        if row["opt"] == "O2"
    }
    few, many = rows["sptf_guard", 32], rows["sptf_guard", 256]
    candidate = (many - few) / (256 - 32)
    order = (rows["cost_matrix", 10] + rows["held_karp", 10]) / (10 * 10 * 2**10)
    return round(few - 32 * candidate), round(candidate), round(order)


def accelerator_mhz(depth, order_m):
    """The clock at which the accelerator with that many entries, four lanes and that orderer was
    placed on an ECP5; whole MHz. Where it was not, that of the slower one without orderer or with
    fewer entries."""

    def placed(orderer):
        return {
            int(row["entries"]): float(row["fmax_mhz"])
            for row in page.read(page.FPGA)
            if row["device"].startswith("ecp5")
            and row["fmax_mhz"]
            and (row["lanes"], row["order_m"]) == ("4", str(orderer))
        }

    plain, own = placed(0), placed(order_m)
    if not plain or not own:
        raise Failure(
            "no placed configuration with four lanes in the data; run scripts/ppa ecp5 first"
        )
    return int(
        own[depth]
        if depth in own
        else min(min(own.values()), plain.get(depth, min(plain.values())))
    )


NO_TIME = 10000  # MHz; a clock at which no decision takes any time to speak of


def variants(engines):
    """Engine, clock of the controller, clock of the accelerator (0: as placed), depths."""
    if "firmware" in engines:
        yield "firmware", 100, 0, DEPTHS
        yield "firmware", 400, 0, DEPTHS
        yield "firmware", NO_TIME, 0, (RTL_ENTRIES,)
    if "model" in engines:
        yield "model", 100, 0, DEPTHS
        yield "model", NO_TIME, NO_TIME, (RTL_ENTRIES,)
    if (
        "rtl" in engines
    ):  # for longer queues the model stands for it: the lock-step engine holds the two together
        yield "rtl", 100, 0, [depth for depth in DEPTHS if depth <= RTL_ENTRIES]


def program():
    if (
        subprocess.run([ROOT / "scripts" / "build", "release", "platter"], check=False).returncode
        != 0
    ):
        raise Failure("platter could not be built")
    return ROOT / "build" / "release" / "models" / "platter"


def study(platter, seconds, seeds, engines):
    platter = platter.resolve() if platter else program()
    digest = hashlib.sha256(platter.read_bytes()).hexdigest()
    base, candidate, order = firmware_cost()
    rows, status = [], 0
    for load, (scenario, policy, order_m, more) in LOADS.items():
        for engine, mhz, given, depths in variants(engines):
            for depth in depths:
                clock = (
                    given or accelerator_mhz(max(depth, RTL_ENTRIES), order_m)
                    if engine != "firmware"
                    else ""
                )
                keys = {
                    "engine": engine,
                    "policy": policy,
                    "sim.measure_s": seconds,
                    "drive.queue.depth": depth,
                    "drive.controller.clock_mhz": mhz,
                    "drive.controller.firmware_base_cycles": base,
                    "drive.controller.firmware_candidate_cycles": candidate,
                    "drive.controller.firmware_order_cycles": order,
                    **({"accelerator.clock_mhz": clock} if clock else {}),
                    **{key: value.format(depth=depth) for key, value in more.items()},
                }

                def work(out, keys=keys, scenario=scenario):
                    command = [
                        platter,
                        "run",
                        SCENARIOS / f"{scenario}.toml",
                        "--quiet",
                        "--result",
                        out / "run.json",
                    ]
                    for key, value in keys.items():
                        command += ["--set", f"{key}={value}"]
                    done = subprocess.run(command, text=True, capture_output=True, check=False)
                    if done.returncode != 0:
                        raise Failure((done.stderr.strip().splitlines() or ["platter failed"])[-1])
                    return json.loads((out / "run.json").read_text(encoding="utf-8"))

                text = (SCENARIOS / f"{scenario}.toml").read_text(encoding="utf-8")
                runs = []
                try:
                    for seed in range(1, seeds + 1):
                        keys["sim.seed"] = seed
                        runs.append(
                            step(
                                "study",
                                {
                                    "platter": digest,
                                    "scenario": hashlib.sha256(text.encode()).hexdigest(),
                                    **keys,
                                },
                                work,
                            )[0]
                        )
                except Failure as failure:
                    print(
                        f"scripts/ppa: {load}, {engine}, depth {depth}: {failure}", file=sys.stderr
                    )
                    status = 1
                    break  # the other depths fail alike
                rows.append(
                    {
                        "load": load,
                        "policy": policy,
                        "engine": engine,
                        "controller_mhz": mhz,
                        "accelerator_mhz": clock,
                        "depth": depth,
                        "seconds": f"{seconds:g}",
                        "seeds": seeds,
                        **figures_of(runs),
                    }
                )
                write(rows)
                row = rows[-1]
                print(
                    f"{load:20} {engine:8} {mhz} MHz  depth {depth:3}  mean {row['mean_ms']} ms "
                    f"({row['mean_ms_least']} to {row['mean_ms_most']})  p95 {row['p95_ms']} ms  "
                    f"{row['discrete_per_s']}/s  stall {row['stall_us']} us",
                    flush=True,
                )
    return status


def write(rows):
    with open(page.STUDY, "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def figures_of(runs):
    """Means over the runs; the least and the most of the mean response times beside theirs."""

    def mean(get, digits):
        return round(sum(get(run) for run in runs) / len(runs), digits)

    def response(run):
        return run["classes"]["discrete"]["response_ms"]["mean"]

    return {
        "discrete_per_s": mean(
            lambda run: run["classes"]["discrete"]["throughput"]["requests_per_s"], 2
        ),
        "mean_ms": mean(response, 2),
        "mean_ms_least": round(min(map(response, runs)), 2),
        "mean_ms_most": round(max(map(response, runs)), 2),
        "p95_ms": mean(lambda run: run["classes"]["discrete"]["response_ms"]["p95"], 2),
        "fairness": mean(lambda run: run["classes"]["discrete"]["fairness_index"], 4),
        "hiccups": sum(run["hiccups"] for run in runs),
        "decisions": sum(run["scheduler"]["decisions"] for run in runs),
        "cycles_per_decision": mean(lambda run: run["scheduler"]["cycles_per_decision"], 1),
        "access_cycles_per_decision": mean(
            lambda run: run["scheduler"]["access_cycles_per_decision"], 1
        ),
        "latency_us": mean(lambda run: run["scheduler"]["latency_us"], 3),
        "stall_us": mean(lambda run: run["scheduler"].get("stall_us", 0.0), 3),
        "stalls": sum(run["scheduler"].get("stalls", 0) for run in runs),
    }
