# SPDX-License-Identifier: Apache-2.0
"""`platter crash` over kinds of cache, mappings and sectors: see scripts/dev/crash."""

import argparse
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PLATTER = os.environ.get("PLATTER", str(SOURCE / "build/release/models/platter"))
SCENARIO = "models/configs/scenarios/crash.toml"
PAGE = SOURCE / "docs/reference/power_loss.md"
BEGIN, END = "<!-- crash:begin -->\n", "<!-- crash:end -->"

NO_WRITE_BACK = (
    "drive.cache.write_back=off",
    "drive.cache.write_segments=0",
    "drive.cache.destage_entries=0",
)
NO_CACHE = (*NO_WRITE_BACK, "drive.cache.segments=0", "drive.cache.read_ahead=none")
APPEND = ("drive.cache.write_back=append", "drive.cache.write_segments=1")
CACHES: dict[str, tuple[str, ...]] = {
    "none": NO_CACHE,
    "read only": NO_WRITE_BACK,
    "append": APPEND,
    "interleaved": (),
    "interleaved, saved": ("drive.power_loss.cache=saved",),
}
MAPPINGS: dict[str, tuple[str, ...]] = {
    "identity": (),
    "mirrored array": (
        "host.kind=array",
        "array.kind=striped",
        "array.drives=2",
        "array.copies=2",
        "array.unit_bytes=65536",
    ),
    "eager": ("eager.enabled=true", "policy=SATF-EW"),
}
SECTORS: dict[str, tuple[str, ...]] = {
    "512n": (),
    "512e": ("drive.geometry.physical_sector_bytes=4096",),
    "512e, mixed": (
        "drive.geometry.physical_sector_bytes=4096",
        "drive.power_loss.torn_sector=mixed",
    ),
    "4Kn": ("drive.geometry.sector_bytes=4096", "workload.job.0.bssplit=4k/70:16k/30"),
}
EAGER_4KN = ("eager.block_bytes=8192",)


def cells() -> list[tuple[str, str, str, list[str]]]:
    """Mapping, cache, sectors, and the keys of each cell. A drive that writes eagerly has no
    cache."""
    found = []
    for mapping, cache, sectors in itertools.product(MAPPINGS, CACHES, SECTORS):
        if mapping == "eager" and cache != "none":
            continue
        if sectors == "512e, mixed" and cache not in ("none", "interleaved"):
            continue
        keys = [*MAPPINGS[mapping], *CACHES[cache], *SECTORS[sectors]]
        if mapping == "eager" and sectors == "4Kn":
            keys += EAGER_4KN
        found.append((mapping, cache, sectors, keys))
    return found


def run(keys: list[str], cuts: int, seed: int) -> tuple[dict, str]:
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder, "crash.json")
        command = [PLATTER, "crash", SCENARIO, "--quiet", "--result", str(result)]
        command += ["--cuts", str(cuts), "--seed", str(seed)]
        command += [word for key in keys for word in ("--set", key)]
        done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
        if done.returncode > 1 or not result.exists():
            sys.exit(f"crash: {' '.join(command)}\n{done.stderr}")
        return json.loads(result.read_text()), done.stderr


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/dev/crash")
    parser.add_argument("--cuts", type=int, default=0, help="cuts of each cell; 0: 10,000 in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--page", action="store_true", help="write the table in the page")
    options = parser.parse_args()
    matrix = cells()
    cuts = options.cuts or -(-10_000 // len(matrix))
    lines = [
        "| mapping | cache | sectors | cuts | with a second cut | cuts with writes not durable | "
        "torn blocks | answered writes lost | violations |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    total = violations = 0
    wall = 0.0
    for mapping, cache, sectors, keys in matrix:
        found, told = run(keys, cuts, options.seed)
        total += found["cuts"]
        violations += len(found["violations"])
        wall += found["host"]["wall_s"]
        cell = (
            f"| {mapping} | {cache} | {sectors} | {found['cuts']} | {found['second_cuts']} | "
            f"{found['with_open_writes']} | {found['torn']} | {found['lost']} | "
            f"{len(found['violations'])} |"
        )
        print(cell, flush=True)
        lines.append(cell)
        if told:
            print(told, file=sys.stderr)
    print(f"{total} cuts, {violations} violations, {wall:.0f} s, {total / wall:.0f} cuts a second")
    if options.page:
        text = PAGE.read_text()
        head, rest = text.split(BEGIN)
        tail = rest.split(END)[1]
        table = "\n".join(lines)
        text = f"{total:,} cuts, seed {options.seed}: {violations} violations."
        PAGE.write_text(f"{head}{BEGIN}{text}\n\n{table}\n{END}{tail}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
