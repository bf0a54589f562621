# SPDX-License-Identifier: Apache-2.0
"""What the optional parts of the accelerator buy, on every shipped drive: each part against the
accelerator without it and against firmware.

A drive's load is derived from the drive: as many streams as keep it busy for two fifths of the time
(25 at most), and Poisson requests at two shares of the rate at which a full queue of 32 is served
beside them.
"""

import concurrent.futures
import csv
import gzip
import hashlib
import io
import os
import re
import statistics

from . import drive, page
from .flows import ROOT, Failure, step

DRIVES = sorted(
    path.stem
    for path in (ROOT / "models" / "configs" / "drives").glob("*.toml")
    if not path.stem.endswith(("_calibrated", "_spread", "_zoned"))
)
SHARES = (0.6, 0.9)  # of the rate of a full queue
DEPTHS = (32, 64, 256)
HORIZON_DEPTH = 64
ACCESSES = (0, 1, 2, 3, 4)
CANDIDATES = (2, 4, 8, 16, 32, 64)
FIRMWARE_MHZ = 200
ACCELERATOR_MHZ = 100
SLACK = "OPS:SLACK(3.4|0.46)"
BUSY = 0.4  # share of the time that the streams take
MOST_STREAMS = 25
DEADLINE_TURNS = 40  # of the discrete requests, where they have one
COLUMNS = [
    "study",
    "drive",
    "streams",
    "discrete_per_s",
    "load",
    "depth",
    "variant",
    "policy",
    "accesses",
    "candidates",
    "seeds",
    "seconds",
    "mean_ms",
    "p99_ms",
    "fairness",
    "late_discrete",
    "late_continuous",
    "completed_per_s",
    "cycles_per_decision",
    "latency_us",
]

# name: engine, policy, keys
VARIANTS = {
    "firmware, SPTF": ("firmware", "SPTF", {}),
    "firmware, SLACK": ("firmware", SLACK, {}),
    "accelerator, SPTF": ("model", "SPTF", {"accelerator.features": []}),
    "accelerator, SPTF, zero latency": (
        "model",
        "SPTF",
        {"accelerator.features": ["zero_latency"]},
    ),
    "accelerator, SLACK": ("model", SLACK, {"accelerator.features": ["ageing", "zero_latency"]}),
    "accelerator, SLACK, look-ahead": (
        "model",
        SLACK,
        {"accelerator.features": ["ageing", "look_ahead", "zero_latency"]},
    ),
}
DEADLINES = {
    "firmware, deadlines": ("firmware", "SPTF", {}),
    "accelerator, deadlines ignored": ("model", "SPTF", {"accelerator.features": ["zero_latency"]}),
    "accelerator, limits": ("model", "SPTF", {"accelerator.features": ["limits", "zero_latency"]}),
}


class Bench:
    def __init__(self, platter, seconds):
        self.platter = platter.resolve() if platter else drive.program()
        self.digest = hashlib.sha256(self.platter.read_bytes()).hexdigest()
        self.seconds = seconds
        self.base, self.candidate, self.order = drive.firmware_cost()
        self.text = (ROOT / "models" / "configs" / "scenarios" / "mixed_media.toml").read_text(
            encoding="utf-8"
        )

    def scenario(self, name):
        text = re.sub(
            r"(?m)^file = .*$",
            f'file = "{ROOT / "models" / "configs" / "drives" / name}.toml"',
            self.text,
            count=1,
        )
        return text.replace('"../streams/', f'"{ROOT / "models" / "configs" / "streams"}/')

    def run(self, name, keys):
        keys = {
            "drive.controller.clock_mhz": FIRMWARE_MHZ,
            "drive.controller.firmware_base_cycles": self.base,
            "drive.controller.firmware_candidate_cycles": self.candidate,
            "drive.controller.firmware_order_cycles": self.order,
            "accelerator.clock_mhz": ACCELERATOR_MHZ,
            "sim.measure_s": self.seconds,
            **keys,
        }

        def work(out):
            (out / "scenario.toml").write_text(self.scenario(name), encoding="utf-8")
            try:
                result = drive.run(self.platter, out / "scenario.toml", keys, out)
            except Failure as failure:
                raise Failure(f"{name}: {failure}") from failure
            return {
                "classes": {
                    cls: {
                        key: of[key]
                        for key in (
                            "response_ms",
                            "fairness_index",
                            "late",
                            "throughput",
                            "completed",
                        )
                    }
                    for cls, of in result["classes"].items()
                    if cls in ("continuous", "discrete")
                },
                "scheduler": result["scheduler"],
                "utilisation": result["utilisation"],
            }

        text = hashlib.sha256(
            self.text.encode()
            + (ROOT / "models" / "configs" / "drives" / f"{name}.toml").read_bytes()
        ).hexdigest()
        return step(
            "features", {"platter": self.digest, "scenario": text, "drive": name, **keys}, work
        )[0]

    def load(self, name):
        """Streams, and discrete requests a second that a full queue is served at beside them."""
        least, most = 1, MOST_STREAMS
        while least < most:
            streams = (least + most + 1) // 2
            busy = self.run(
                name,
                {
                    "engine": "model",
                    "workload.continuous.streams": streams,
                    "workload.discrete.rate_per_s": 0.1,
                },
            )
            if busy["utilisation"] <= BUSY:
                least = streams
            else:
                most = streams - 1
        full = self.run(
            name,
            {
                "engine": "model",
                "workload.continuous.streams": least,
                "workload.discrete.source": "closed",
                "workload.discrete.outstanding": 32,
                "drive.queue.depth": 64,
            },
        )
        return least, full["classes"]["discrete"]["throughput"]["requests_per_s"]


def turn_ms(name):
    text = (ROOT / "models" / "configs" / "drives" / f"{name}.toml").read_text(encoding="utf-8")
    return 60_000 / float(re.search(r"(?m)^rpm = ([\d_.]+)", text).group(1).replace("_", ""))


def points(name):
    """Study, variant, engine, policy, share of the load, depth, keys."""
    for share in SHARES:
        for depth in DEPTHS:
            for variant, (engine, policy, keys) in VARIANTS.items():
                yield "parts", variant, engine, policy, share, depth, keys
    for accesses in ACCESSES:
        for candidates in CANDIDATES if accesses else (CANDIDATES[0],):
            yield (
                "horizon",
                "accelerator, SLACK, look-ahead",
                "model",
                SLACK,
                SHARES[-1],
                HORIZON_DEPTH,
                {
                    "accelerator.features": ["ageing", "look_ahead", "zero_latency"],
                    "accelerator.ahead_accesses": accesses,
                    "accelerator.ahead_candidates": candidates,
                },
            )
    deadline = round(DEADLINE_TURNS * turn_ms(name), 1)
    for share in SHARES:
        for variant, (engine, policy, keys) in DEADLINES.items():
            yield (
                "deadlines",
                variant,
                engine,
                policy,
                share,
                64,
                {**keys, "workload.discrete.deadline_ms": deadline},
            )


def row_of(bench, name, streams, full, seeds, point):
    study, variant, engine, policy, share, depth, keys = point
    rate = round(share * full, 1)
    runs = [
        bench.run(
            name,
            {
                "engine": engine,
                "policy": policy,
                "workload.continuous.streams": streams,
                "workload.discrete.rate_per_s": rate,
                "drive.queue.depth": depth,
                "sim.seed": seed,
                **keys,
            },
        )
        for seed in range(1, seeds + 1)
    ]

    def mean(get, digits):
        return round(statistics.fmean(get(run) for run in runs), digits)

    def discrete(key):
        return lambda run: run["classes"]["discrete"]["response_ms"][key]

    ahead = study == "horizon" or variant == "accelerator, SLACK, look-ahead"
    return {
        "study": study,
        "drive": name,
        "streams": streams,
        "discrete_per_s": rate,
        "load": share,
        "depth": depth,
        "variant": variant,
        "policy": policy,
        "accesses": keys.get("accelerator.ahead_accesses", 4 if ahead else 0),
        "candidates": keys.get("accelerator.ahead_candidates", 8 if ahead else 0),
        "seeds": seeds,
        "seconds": f"{bench.seconds:g}",
        "mean_ms": mean(discrete("mean"), 2),
        "p99_ms": mean(discrete("p99"), 1),
        "fairness": mean(lambda run: run["classes"]["discrete"]["fairness_index"], 4),
        "late_discrete": sum(run["classes"]["discrete"]["late"] for run in runs),
        "late_continuous": sum(run["classes"]["continuous"]["late"] for run in runs),
        "completed_per_s": mean(
            lambda run: run["classes"]["discrete"]["throughput"]["requests_per_s"], 2
        ),
        "cycles_per_decision": mean(lambda run: run["scheduler"]["cycles_per_decision"], 1),
        "latency_us": mean(lambda run: run["scheduler"]["latency_us"], 2),
    }


def study(platter, seconds, seeds, drives):
    bench = Bench(platter, seconds)
    rows = (
        [row for row in page.read(page.FEATURES) if row["drive"] not in drives]
        if page.FEATURES.is_file()
        else []
    )

    def one(name):
        streams, full = bench.load(name)
        return name, [row_of(bench, name, streams, full, seeds, point) for point in points(name)]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, found in pool.map(one, drives):
            rows += found
            rows.sort(key=lambda row: row["drive"])
            stream = io.StringIO(newline="")
            writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
            page.FEATURES.write_bytes(gzip.compress(stream.getvalue().encode(), mtime=0))
            print(
                f"{name}: {found[0]['streams']} streams, {found[0]['discrete_per_s']} to "
                f"{found[-1]['discrete_per_s']} discrete requests a second, {len(found)} points",
                flush=True,
            )
    return 0
