# SPDX-License-Identifier: Apache-2.0
"""The tables and figures of docs/reference/accelerator_ppa.md and accelerator_features.md, and the
table of configurations of accelerator_integration.md, from the files in docs/reference/data and the
list of simulated configurations in tb/rtl alone."""

import csv
import gzip
import importlib.util
import io
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA = ROOT / "docs" / "reference" / "data"
FIGURES = ROOT / "docs" / "reference" / "figures"
PAGE = ROOT / "docs" / "reference" / "accelerator_ppa.md"
CONTRACT = ROOT / "docs" / "reference" / "scheduler_accelerator.md"
INTEGRATION = ROOT / "docs" / "reference" / "accelerator_integration.md"
PARTS = ROOT / "docs" / "reference" / "accelerator_features.md"
BENCHES = ROOT / "tb" / "rtl" / "CMakeLists.txt"
FPGA, ASIC = DATA / "accelerator_ppa.csv", DATA / "accelerator_ppa_asic.csv"
CYCLES, STUDY, FIRMWARE = (
    DATA / "accelerator_cycles.csv",
    DATA / "accelerator_study.csv",
    DATA / "firmware_cost.csv",
)
FEATURES, POWER = DATA / "accelerator_features.csv.gz", DATA / "accelerator_power.csv"
PRICES = DATA / "accelerator_parts.csv"
WIDTHS = DATA / "accelerator_cylinders.csv"

# Entries, lanes, orderer, parts of sched_top's defaults
DEFAULT = (32, 4, 6, 0)
LATENCY_OF_GUARD = "sptf_guard"


def read(path):
    if not path.is_file():
        return []
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


# --- tables ---------------------------------------------------------------------------------------


def show(value):
    """Numbers with thousands separators, an empty cell as it is."""
    text = str(value)
    return f"{int(text):,}" if re.fullmatch(r"-?\d+", text) else text


def table(head, rows):
    if not rows:
        return "(no configuration has been measured)"
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(show(cell) for cell in row) + " |" for row in rows])


def features(row):
    """Optional parts of a measured configuration;
    rows of a time before there were any have none."""
    return int(row.get("features") or 0)


def newest_rtl():
    """Of which state of the sources the point 32 x 4 without orderer and parts is."""
    return next(
        (
            r["rtl"]
            for r in read(FPGA)
            if r["device"].startswith("ecp5")
            and (r["entries"], r["lanes"], r["order_m"], r["seg_w"], features(r))
            == ("32", "4", "0", "9", 0)
        ),
        None,
    )


def stale(row):
    """The mark of what was measured of an earlier state of the sources."""
    return " *" if "rtl" in row and row["rtl"] != newest_rtl() else ""


def name(row):
    return (
        f"{row['entries']} x {row['lanes']}"
        + (f", parts {features(row)}" if features(row) else "")
        + stale(row)
    )


def orderer(row):
    return "" if row["order_m"] == "0" else row["order_m"]


def order_of(row):
    return int(row["order_m"]), int(row["entries"]), int(row["lanes"]), features(row)


def tools_of(rows):
    return "; ".join(sorted({tool for row in rows for tool in row["tools"].split("; ")}))


def clock(row):
    """The fastest placement's clock, and the median where there were several."""
    return row["fmax_mhz"] + (
        f" (median of {row['seeds']}: {row['fmax_median_mhz']})"
        if row["seeds"] not in ("", "1")
        else ""
    )


# One word for each of the three counts of LUT4 on an ECP5. Every table has these.
LOGIC, WITH_CARRY, PLACED = "logic LUT4", "LUT4 with carry", "placed LUT4"


def with_carry(row):
    return int(row["lut4"]) + 2 * int(row["carry"])


def area_words():
    """What they mean, with the numbers of one configuration."""
    row = next(
        (
            r
            for r in read(FPGA)
            if size_of(r) == (64, 4, 0, 5, 9, 0) and r["device"].startswith("ecp5")
        ),
        None,
    )
    if row is None:
        return "(no configuration has been measured)"
    return table(
        ["term", "what it counts", "64 x 4 without orderer"],
        [
            [
                LOGIC,
                "LUT4 of the logic after synthesis, without those of carry chains and memories",
                row["lut4"],
            ],
            [WITH_CARRY, f"{LOGIC}, and two for each CCU2C", with_carry(row)],
            [
                PLACED,
                (
                    f"sites (TRELLIS_COMB) in use after place and route: {WITH_CARRY}, distributed "
                    "RAM, and sites through which a signal only passes"
                ),
                row["cells"],
            ],
        ],
    )


def default_flip_flops():
    """Of the default parameters, in standard cells:
    the number that no mapper to an FPGA has changed."""
    row = next(
        (
            r
            for r in read(ASIC)
            if (int(r["entries"]), int(r["lanes"]), int(r["order_m"]), features(r)) == DEFAULT
        ),
        None,
    )
    return (
        (
            f"The default parameters have {show(row['flip_flops'])} flip-flops{stale(row)} in "
            "standard cells, of which the orderer's matrix is a large part."
        )
        if row
        else "(no configuration has been measured)"
    )


def longest_wait(entries, lanes, order_m, parts):
    """Most cycles for which a write to the accelerator waits: of a DECIDE with everything stale and
    a whole look-ahead, or of a CLUSTER with the longest order."""
    one = entries // lanes + decision_latency()
    decide = 2 * one + 2 * entries + 15
    if parts & 2:
        decide += 2 + entries * (2 + 4 * (one + 5)) + entries * (one + 1)
    order = {0: 0, 1: 9}.get(order_m, 2**order_m + 8 * order_m - 8)
    return max(decide, entries + 2 + (order_m**2 + 13 + order if order_m else 0))


def ecp5_table():
    rows = sorted((r for r in read(FPGA) if r["device"].startswith("ecp5")), key=order_of)
    text = table(
        [
            "Entries x Lanes",
            "OrderM",
            LOGIC,
            "CCU2C",
            WITH_CARRY,
            "FF",
            "DPR16X4",
            "DP16KD",
            "MULT18",
            PLACED,
            "Fmax (MHz)",
            "cycles of a decision",
            "time of a decision (ns)",
        ],
        [
            [
                name(r),
                orderer(r),
                r["lut4"],
                r["carry"],
                with_carry(r),
                r["ff"],
                r["ram_lut"],
                r["ram_block"],
                r["mult"],
                r["cells"] if r["status"] != "does not fit" else "does not fit",
                clock(r),
                r["cycles"],
                r["decision_ns"] and round(float(r["decision_ns"])),
            ]
            for r in rows
        ],
    )
    large = sorted(
        {
            f"{name(r)}{' with orderer ' + r['order_m'] if r['order_m'] != '0' else ''}"
            for r in rows
            if r["device"] == "ecp5-85f"
        }
    )
    return (
        f"{text}\n\n"
        + (
            f"On an LFE5U-85F: {', '.join(large)}; the others on an LFE5U-45F. "
            if large
            else "On an LFE5U-45F. "
        )
        + f"{tools_of(rows)}."
    )


def ice40_table():
    rows = sorted((r for r in read(FPGA) if r["device"].startswith("ice40")), key=order_of)
    return table(
        [
            "Entries x Lanes",
            "seek table (cells, segments)",
            "SB_LUT4",
            "SB_CARRY",
            "SB_DFF",
            "RAM blocks (of 32)",
            "logic cells (of 7,680)",
            "result",
            "Fmax (MHz)",
            "time of a decision (ns)",
        ],
        [
            [
                name(r),
                f"{(18 - int(r['seg_m']) + 1) << int(r['seg_m'])}, {1 << int(r['seg_w'])}",
                r["lut4"],
                r["carry"],
                r["ff"],
                r["ram_block"],
                r["cells"],
                r["status"],
                r["fmax_mhz"],
                r["decision_ns"] and round(float(r["decision_ns"])),
            ]
            for r in rows
        ],
    )


def asic_table():
    rows, power = sorted(read(ASIC), key=order_of), power_means()
    text = table(
        [
            "Entries x Lanes",
            "OrderM",
            "logic (kGE)",
            "flip-flops in it (kGE)",
            "number of flip-flops",
            "memory (bits)",
            "longest path (ns)",
            "slack at the period (ns)",
            "power without clock gates (mW)",
            "power with clock gates (mW)",
            "path begins at",
            "path ends at",
        ],
        [
            [
                name(r),
                orderer(r),
                r["kge"],
                r["flip_flop_kge"],
                r["flip_flops"],
                r["memory_bits"],
                r["arrival_ns"],
                r["slack_ns"],
                *milliwatts(power, size_of(r)),
                f"`{r['path_from']}`",
                f"`{r['path_to']}`",
            ]
            for r in rows
        ],
    )
    periods = ", ".join(sorted({r["period_ns"] for r in rows}))
    return f"{text}\n\nPeriod {periods} ns. {tools_of(rows)}." if rows else text


# --- power ----------------------------------------------------------------------------------------

# Of processors like the small core, without memories, in 0.18 um: Cortex-M0+ and Cortex-M0
# (accelerator_ppa.md has the source).
CORE_PJ_PER_CYCLE = (52, 73)


def size_of(row):
    return (
        *(int(row[column]) for column in ("entries", "lanes", "order_m", "seg_m", "seg_w")),
        features(row),
    )


def power_rows():
    """{(size, gates): rows of its windows}."""
    found = {}
    for row in sorted(read(POWER), key=order_of):
        found.setdefault((size_of(row), row["gates"]), []).append(row)
    return found


def mean(rows, column):
    return statistics.fmean(float(r[column]) for r in rows)


def power_means():
    return {key: mean(rows, "power_mw") for key, rows in power_rows().items()}


def milliwatts(power, size):
    """Without and with clock gates."""
    return [f"{power[size, gates]:.1f}" if (size, gates) in power else "" for gates in "01"]


def power_table():
    rows = power_rows()
    lines = []
    for (_, gates), windows in rows.items():

        def spread(column, windows=windows):
            values = [float(r[column]) for r in windows]
            return f"{mean(windows, column):.1f} ({min(values):.1f} to {max(values):.1f})"

        lines.append(
            [
                name(windows[0]),
                "yes" if gates == "1" else "",
                windows[0]["kge"],
                windows[0]["clock_buffers"],
                f"{mean(windows, 'power_mw'):.2f}",
                f"{mean(windows, 'idle_mw'):.2f}",
                f"{1000 * (mean(windows, 'power_mw') - mean(windows, 'idle_mw')):.1f}",
                f"{mean(windows, 'register_mw') + mean(windows, 'logic_mw'):.2f}",
                f"{mean(windows, 'leakage_uw'):.1f}",
                spread("nj_beyond_idle"),
                spread("nj_with_clock"),
                spread("nj_with_glitches"),
            ]
        )
    text = table(
        [
            "Entries x Lanes",
            "clock gates",
            "area with clock buffers (kGE)",
            "number of clock buffers",
            "power (mW)",
            "power at rest (mW)",
            "power beyond rest (uW)",
            "registers and logic (mW)",
            "leakage (uW)",
            "operation: energy beyond rest (nJ)",
            "operation: with the clock (nJ)",
            "operation: with the clock and glitches (nJ)",
        ],
        lines,
    )
    every = [r for windows in rows.values() for r in windows]
    if not every:
        return text
    compared = [r for r in every if r["sta_switching"]]
    ranges = {
        column: (min(float(r[column]) for r in compared), max(float(r[column]) for r in compared))
        for column in ("sta_switching", "sta_internal")
    }
    operations, accesses, busy = (
        sum(int(r[c]) for r in every) for c in ("decisions", "accesses", "busy_cycles")
    )
    seconds = sum(float(r["to_s"]) - float(r["from_s"]) for r in every)
    return (
        f"{text}\n\n{every[0]['clock_mhz']} MHz; {operations / seconds:.0f} operations/s, "
        f"each with {accesses / operations:.1f} register accesses and {busy / operations:.0f} "
        "busy cycles, insertions and services included. "
        f"Ratio of OpenSTA's power to this sum: switching {ranges['sta_switching'][0]:.4f} to "
        f"{ranges['sta_switching'][1]:.4f}, internal {ranges['sta_internal'][0]:.3f} to "
        f"{ranges['sta_internal'][1]:.3f}. {tools_of(every)}."
    )


def energy_table():
    """An operation of 32 entries and 4 lanes without optional parts,
    against the firmware's cycles."""
    rows, lines = power_rows(), []
    firmware = {
        int(r["n"]): int(r["cycles"])
        for r in read(FIRMWARE)
        if r["opt"] == "O2" and r["kernel"] == LATENCY_OF_GUARD
    }
    for gates in "01":
        windows = rows.get(((32, 4, 0, 5, 9, 0), gates))
        if windows is None:
            continue
        energy = mean(windows, "nj_with_clock")
        for n in (16, 32):
            low, high = (firmware[n] * pj / 1000 for pj in CORE_PJ_PER_CYCLE)
            lines.append(
                [
                    "yes" if gates == "1" else "",
                    f"{energy:.0f}",
                    n,
                    firmware[n],
                    f"{low:.0f} to {high:.0f}",
                    f"{1000 * energy / firmware[n]:.0f}",
                ]
            )
    return table(
        [
            "clock gates",
            "accelerator: energy of an operation (nJ)",
            "commands in the queue",
            "firmware: cycles",
            "firmware: energy of a decision (nJ)",
            "break-even energy of a core's cycle (pJ)",
        ],
        lines,
    )


def cycles_table():
    """A line each kind of work; a column each configuration; the orders apart."""
    rows = read(CYCLES)
    if not rows:
        return "(no configuration has been measured)"
    variants = list(dict.fromkeys((r["entries"], r["lanes"]) for r in rows))
    cell = {
        (
            (r["entries"], r["lanes"]),
            r["work"],
            r["c"] if r["work"].startswith("cluster") else "",
        ): r
        for r in rows
    }

    def entry(key):
        r = cell.get(key)
        return (
            ""
            if r is None
            else show(r["cycles"])
            + ("" if r["cycles"] == r["formula"] else f" (page: {show(r['formula'])})")
        )

    head = [f"{e} x {lanes}" for e, lanes in variants]
    formulas = {
        "decide": "Rows + latency",
        "decide; guard": "Rows + latency",
        "decide; guard; debts stale": "2 (Rows + latency + 2)",
        "decide; guard; sums stale": "2 (Rows + latency + 2) + n + c + 11",
        "serve": "n + 1",
        "insert last": "2",
        "insert first": "n + 1",
    }
    works = table(
        ["work (table full, a quarter of the entries continuous)", "formula", *head],
        [
            [work, formula, *(entry((v, work, "")) for v in variants)]
            for work, formula in formulas.items()
        ],
    )
    sizes = sorted({int(r["c"]) for r in rows if r["work"] == "cluster; ordered"})
    ordered = [
        v
        for v in variants
        if any(r["work"] == "cluster; ordered" and (r["entries"], r["lanes"]) == v for r in rows)
    ]
    orders = table(
        ["CLUSTER with ORDER", *(f"c = {c}" for c in sizes)],
        [
            [f"{e} x {lanes}", *(entry(((e, lanes), "cluster; ordered", str(c))) for c in sizes)]
            for e, lanes in ordered
        ],
    )
    wrong = sum(r["cycles"] != r["formula"] for r in rows)
    return f"{works}\n\n{orders}\n\n{len(rows)} counts; {wrong} of them differ from the formula."


def firmware_table():
    rows = {
        (r["kernel"], int(r["n"])): int(r["cycles"]) for r in read(FIRMWARE) if r["opt"] == "O2"
    }
    latency = decision_latency()
    accesses = [
        float(r["access_cycles_per_decision"])
        for r in read(STUDY)
        if r["engine"] == "model" and r["accelerator_mhz"] != "10000"
    ]
    most = round(max(accesses)) if accesses else None
    lines = []

    def line(what, firmware, hardware, target):
        ratio = firmware / hardware
        lines.append(
            [
                what,
                firmware,
                hardware,
                f"{ratio:.0f}",
                f"{target}" if target else "",
                ("yes" if ratio >= target else "**no**") if target else "",
                f"{firmware / (hardware + most):.0f}" if most else "",
            ]
        )

    for entries, lanes, target in ((32, 4, 50), (256, 4, 150), (256, 8, 150)):
        hardware = entries // lanes + latency
        line(
            f"decision over {entries}, {lanes} lanes; guard refuses a quarter",
            rows["sptf_guard", entries],
            hardware,
            target,
        )
        line("the same, no guard", rows["sptf", entries], hardware, target)
        line(
            "the same, no guard, firmware with a table of every distance",
            rows["sptf_direct_table", entries],
            hardware,
            target,
        )
        line(
            "the same, guard refuses all entries (worst case)",
            rows["sptf_guard_worst", entries],
            hardware,
            None,
        )
    orders = {
        int(r["c"]): int(r["cycles"]) for r in read(CYCLES) if r["work"] == "cluster; ordered"
    }
    for n, target in ((6, None), (8, None), (10, 100), (12, None)):
        hardware = orders.get(n)
        if hardware is None:
            continue
        line(
            f"exact order of {n}, costs included",
            rows["cost_matrix", n] + rows["held_karp", n],
            hardware,
            target,
        )
    note = (
        (
            f"\n\nThe last column adds {most} cycles to each operation of the accelerator, "
            "for the register accesses of a decision, inserts included. This is the highest mean "
            "of all runs of the study."
        )
        if most
        else ""
    )
    return (
        table(
            [
                "work",
                "firmware (cycles)",
                "accelerator (cycles)",
                "ratio",
                "target: ratio at least",
                "target met",
                "ratio with register accesses",
            ],
            lines,
        )
        + note
    )


def decision_latency():
    import tomllib

    return tomllib.loads((ROOT / "rtl" / "registers.toml").read_text(encoding="utf-8"))[
        "decision_latency"
    ]


def register_address(name):
    import tomllib

    return next(
        r["offset"]
        for r in tomllib.loads((ROOT / "rtl" / "registers.toml").read_text(encoding="utf-8"))[
            "register"
        ]
        if r["name"] == name
    )


def engine_name(row):
    if row["controller_mhz"] == "10000":
        return f"{'firmware' if row['engine'] == 'firmware' else 'accelerator'}, no time"
    if row["engine"] == "firmware":
        return f"firmware, {row['controller_mhz']} MHz"
    return f"{'RTL' if row['engine'] == 'rtl' else 'accelerator'}"


def study_table():
    rows = read(STUDY)
    if not rows:
        return "(no configuration has been measured)"
    return table(
        [
            "load",
            "engine",
            "depth",
            "clock (MHz)",
            "requests/s",
            "mean (ms)",
            "range of the mean (ms)",
            "p95 (ms)",
            "fairness",
            "latency (us)",
            "stall (us)",
            "missed deadlines",
        ],
        [
            [
                r["load"],
                engine_name(r),
                r["depth"],
                r["accelerator_mhz"] or r["controller_mhz"],
                r["discrete_per_s"],
                r["mean_ms"],
                f"{r['mean_ms_least']} to {r['mean_ms_most']}",
                r["p95_ms"],
                r["fairness"],
                r["latency_us"],
                r["stall_us"],
                r["hiccups"],
            ]
            for r in rows
        ],
    )


# Entries, lanes, orderers and parts that an integrator chooses from: sizes without orderer, one
# with all parts, one with each orderer.
OFFERED = (
    (16, 1, 0, 0),
    (32, 1, 0, 0),
    (32, 4, 0, 0),
    (32, 4, 0, 15),
    (64, 4, 0, 0),
    (64, 8, 0, 0),
    (128, 4, 0, 0),
    (256, 4, 0, 0),
    (256, 8, 0, 0),
    (32, 4, 6, 0),
    (32, 4, 8, 0),
    (32, 4, 10, 0),
    (32, 4, 12, 0),
)


def offered():
    """Of each configuration offered that was placed and routed: its size (entries, lanes, orderer,
    parts), its row of the FPGA and of the standard cells (None where it was not run), and the name
    of the test that simulates this number of entries and lanes (or None)."""
    fpga = {
        size_of(r): r
        for r in [*read(PRICES), *read(FPGA)]
        if r["device"].startswith("ecp5") and r["status"] == "routed"
    }
    cells = {size_of(r): r for r in read(ASIC)}
    benches = {
        (int(e), int(lanes)): name
        for name, e, lanes in re.findall(
            r"^\s*platter_sched_variant\((sched_(\d+)x(\d+)) ",
            BENCHES.read_text(encoding="utf-8"),
            re.M,
        )
    }
    for size in OFFERED:
        key = (*size[:3], 5, 9, size[3])
        if key in fpga:
            yield size, fpga[key], cells.get(key), benches.get(size[:2])


def point(entries, lanes, order_m, parts):
    return f"`{entries}x{lanes}x{order_m}{f'f{parts}' if parts else ''}`"


def configurations_table():
    """A row a configuration that was placed and routed."""
    latency, power, rows, used = decision_latency(), power_means(), [], []
    for (entries, lanes, order_m, parts), r, c, bench in offered():
        used += [r, c] if c else [r]
        rows.append(
            [
                f"{entries}{stale(r)}",
                lanes,
                order_m or "",
                parts or "",
                r["cells"],
                r["ff"],
                r["ram_block"],
                r["mult"],
                clock(r),
                *((c["kge"] + stale(c), c["arrival_ns"]) if c else ("", "")),
                *milliwatts(power, size_of(r)),
                entries // lanes + latency,
                longest_wait(entries, lanes, order_m, parts),
                f"`rtl.{bench}`" if bench else "",
                point(entries, lanes, order_m, parts),
            ]
        )
    text = table(
        [
            "Entries",
            "Lanes",
            "OrderM",
            "Features",
            PLACED,
            "FF",
            "DP16KD",
            "MULT18",
            "Fmax (MHz)",
            "area (kGE)",
            "longest path (ns)",
            "power without clock gates (mW)",
            "power with clock gates (mW)",
            "cycles of a decision",
            "longest wait (cycles)",
            "simulated by",
            "POINT",
        ],
        rows,
    )
    return f"{text}\n\n{tools_of(used)}." if rows else text


# --- the optional parts ---------------------------------------------------------------------------

PART_NAMES = {1: "ageing", 2: "look-ahead", 4: "limits", 8: "zero latency", 15: "all four"}


def prices_table():
    rows = {features(r): r for r in read(PRICES)}
    base = rows.get(0)
    if base is None:
        return "(no configuration has been measured)"

    def more(row, column):
        return f"{int(row[column]):,} ({int(row[column]) - int(base[column]):+,})"

    return table(
        ["parts", "`Features`", LOGIC, "CCU2C", "FF", "DPR16X4", "MULT18", "Fmax (MHz)"],
        [
            [
                "none" if not f else PART_NAMES.get(f, f),
                f,
                *(more(r, column) for column in ("lut4", "carry", "ff", "ram_lut", "mult")),
                clock(r) if r["fmax_mhz"] else "",
            ]
            for f, r in sorted(rows.items())
        ],
    ) + (f"\n\n32 entries, 4 lanes, no orderer, ECP5. {tools_of(rows.values())}.")


def cylinders_table():
    rows = sorted(read(WIDTHS), key=lambda r: (features(r), int(r["cyl_w"])))
    base = {features(r): r for r in rows if r["cyl_w"] == "18"}

    def more(row, column):
        of = base[features(row)]
        return f"{int(row[column]):,} ({int(row[column]) - int(of[column]):+,})"

    return table(
        ["parts", "`CylW`", "largest number", LOGIC, "CCU2C", "FF", "DPR16X4", "DP16KD", "MULT18"],
        [
            [
                "none" if not features(r) else PART_NAMES[features(r)],
                r["cyl_w"],
                (1 << int(r["cyl_w"])) - 1,
                *(
                    more(r, column)
                    for column in ("lut4", "carry", "ff", "ram_lut", "ram_block", "mult")
                ),
            ]
            for r in rows
        ],
    ) + (
        f"\n\n32 entries, 4 lanes, no orderer, ECP5, synthesized. {tools_of(rows)}." if rows else ""
    )


def parts_rows():
    rows = [r for r in read(FEATURES) if r["study"] == "parts"]
    by = {(r["drive"], r["load"], r["depth"], r["variant"]): r for r in rows}
    return rows, by


def change(new, old, column):
    """In percent."""
    was = float(old[column])
    return f"{100 * (float(new[column]) / was - 1):+.1f} %" if was else ""


def compared(part, against, columns=("mean_ms", "p99_ms", "fairness")):
    """A row a drive and load: what a variant gives and how that differs from another one,
    at the depths of the study."""
    rows, by = parts_rows()
    lines = []
    for drive, load in dict.fromkeys((r["drive"], r["load"]) for r in rows):
        line = [drive, f"{round(100 * float(load))} %"]
        for depth in dict.fromkeys(r["depth"] for r in rows):
            new, old = by[drive, load, depth, part], by[drive, load, depth, against]
            line += [f"{float(new['mean_ms']):,.1f}"] + [
                change(new, old, column) for column in columns
            ]
        lines.append(line)
    depths = list(dict.fromkeys(r["depth"] for r in rows))
    names = {"mean_ms": "mean, change", "p99_ms": "p99, change", "fairness": "index, change"}
    return table(
        [
            "drive",
            "load",
            *(
                head
                for d in depths
                for head in (f"{d}: mean (ms)", *(f"{d}: {names[c]}" for c in columns))
            ),
        ],
        lines,
    )


def loads_table():
    rows, _ = parts_rows()
    return table(
        [
            "drive",
            "streams",
            *(
                f"discrete requests/s at {round(100 * float(load))} %"
                for load in dict.fromkeys(r["load"] for r in rows)
            ),
        ],
        [
            [
                drive,
                next(r["streams"] for r in rows if r["drive"] == drive),
                *dict.fromkeys(r["discrete_per_s"] for r in rows if r["drive"] == drive),
            ]
            for drive in dict.fromkeys(r["drive"] for r in rows)
        ],
    )


def firmware_parts_table():
    return compared("accelerator, SLACK", "firmware, SLACK")


def slack_table():
    return compared("accelerator, SLACK", "accelerator, SPTF, zero latency")


def ahead_table():
    return compared("accelerator, SLACK, look-ahead", "accelerator, SLACK")


def zero_latency_table():
    """Of the drives on which it makes any difference."""
    _, by = parts_rows()
    fields = ("mean_ms", "p99_ms", "fairness")
    lines = []
    for (drive, load, depth, variant), new in by.items():
        if variant != "accelerator, SPTF, zero latency":
            continue
        old, exact = (
            by[drive, load, depth, "accelerator, SPTF"],
            by[drive, load, depth, "firmware, SPTF"],
        )
        if all(new[f] == old[f] for f in fields):
            continue
        lines.append(
            [
                drive,
                f"{round(100 * float(load))} %",
                depth,
                exact["mean_ms"],
                old["mean_ms"],
                new["mean_ms"],
                change(new, old, "mean_ms"),
                change(new, exact, "mean_ms"),
                change(new, old, "fairness"),
            ]
        )
    return table(
        [
            "drive",
            "load",
            "depth",
            "mean, firmware (ms)",
            "mean, without the part (ms)",
            "mean, with the part (ms)",
            "mean, change against without the part",
            "mean, change against firmware",
            "index, change against without the part",
        ],
        lines,
    )


def deadlines_table():
    rows = [r for r in read(FEATURES) if r["study"] == "deadlines"]
    by = {(r["drive"], r["load"], r["variant"]): r for r in rows}
    lines = []
    for drive, load in dict.fromkeys((r["drive"], r["load"]) for r in rows):
        line = [drive, f"{round(100 * float(load))} %"]
        for variant in (
            "accelerator, deadlines ignored",
            "accelerator, limits",
            "firmware, deadlines",
        ):
            r = by[drive, load, variant]
            issued = float(r["completed_per_s"]) * float(r["seconds"]) * int(r["seeds"])
            line += [
                f"{100 * int(r['late_discrete']) / issued:.2f} %" if issued else "",
                f"{float(r['mean_ms']):,.1f}",
            ]
        line.append(
            sum(
                int(by[drive, load, v]["late_continuous"])
                for v in ("accelerator, limits", "firmware, deadlines")
            )
        )
        lines.append(line)
    return table(
        [
            "drive",
            "load",
            "ignored: late",
            "ignored: mean (ms)",
            "limits: late",
            "limits: mean (ms)",
            "firmware: late",
            "firmware: mean (ms)",
            "late continuous requests",
        ],
        lines,
    )


def horizon_rows():
    return [r for r in read(FEATURES) if r["study"] == "horizon"]


def horizon_table():
    """Geometric means over the drives, relative to no look-ahead."""
    rows = horizon_rows()
    if not rows:
        return "(no configuration has been measured)"
    base = {r["drive"]: r for r in rows if r["accesses"] == "0"}
    groups = {}
    for r in rows:
        groups.setdefault((int(r["accesses"]), int(r["candidates"])), []).append(r)

    def ratio(group, column):
        return math.exp(
            statistics.fmean(
                math.log(float(r[column]) / float(base[r["drive"]][column])) for r in group
            )
        )

    lines = []
    for (accesses, candidates), group in sorted(groups.items()):
        means = [float(r["mean_ms"]) / float(base[r["drive"]]["mean_ms"]) for r in group]
        lines.append(
            [
                accesses,
                candidates if accesses else "",
                f"{ratio(group, 'mean_ms'):.3f}",
                f"{ratio(group, 'p99_ms'):.3f}",
                f"{ratio(group, 'fairness'):.3f}",
                f"{min(means):.3f} to {max(means):.3f}",
                f"{statistics.fmean(float(r['cycles_per_decision']) for r in group):,.0f}",
            ]
        )
    return table(
        [
            "accesses ahead",
            "candidates",
            "mean response",
            "p99",
            "index",
            "mean response, range over the drives",
            "cycles of a decision",
        ],
        lines,
    )


TABLES = {
    CONTRACT: {"flip-flops": default_flip_flops},
    PAGE: {
        "words": area_words,
        "ecp5": ecp5_table,
        "cylinders": cylinders_table,
        "ice40": ice40_table,
        "asic": asic_table,
        "power": power_table,
        "energy": energy_table,
        "cycles": cycles_table,
        "firmware": firmware_table,
        "study": study_table,
    },
    INTEGRATION: {"words": area_words, "configurations": configurations_table},
    PARTS: {
        "prices": prices_table,
        "loads": loads_table,
        "zero-latency": zero_latency_table,
        "slack": slack_table,
        "firmware": firmware_parts_table,
        "ahead": ahead_table,
        "horizon": horizon_table,
        "deadlines": deadlines_table,
    },
}


# --- figures --------------------------------------------------------------------------------------


def figures():
    """Four SVGs, the same bytes from the same data."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    from platter_lab.svg import STYLE, compact

    plt.rcParams.update(STYLE)
    FIGURES.mkdir(parents=True, exist_ok=True)

    def save(figure, file):
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg")
        (FIGURES / file).write_text(compact(buffer.getvalue()), encoding="utf-8")
        plt.close(figure)

    placed = [r for r in read(FPGA) if r["device"].startswith("ecp5") and r["fmax_mhz"]]
    placed = [r for r in placed if not features(r)]
    plain = [r for r in placed if r["order_m"] == "0"]
    firmware = {
        int(r["n"]): int(r["cycles"])
        for r in read(FIRMWARE)
        if r["opt"] == "O2" and r["kernel"] == LATENCY_OF_GUARD
    }
    latency = decision_latency()

    figure, axes = plt.subplots(figsize=(6.4, 4.2))
    for mhz, style in ((100, "-"), (400, "--")):
        axes.plot(
            list(firmware),
            [cycles / mhz for cycles in firmware.values()],
            style,
            color="0.4",
            marker="s",
            markersize=4,
            label=f"firmware, {mhz} MHz",
        )
    for i, lanes in enumerate((1, 2, 4, 8)):
        mhz = {int(r["entries"]): float(r["fmax_mhz"]) for r in plain if r["lanes"] == str(lanes)}
        if not mhz:
            continue
        slowest = min(mhz.values())
        axes.plot(
            list(firmware),
            [(n // lanes + latency) / slowest for n in firmware],
            "-",
            color=f"C{i}",
            linewidth=1,
            label=f"{lanes} lane{'s' if lanes > 1 else ''}, {slowest:.0f} MHz",
        )
        axes.plot(
            sorted(mhz),
            [(n // lanes + latency) / mhz[n] for n in sorted(mhz)],
            "o",
            color=f"C{i}",
            markersize=4,
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="commands in the queue",
        ylabel="time of a decision (us)",
        xticks=list(firmware),
        xticklabels=[str(n) for n in firmware],
    )
    axes.minorticks_off()
    axes.legend(fontsize=8)
    save(figure, "ppa_decision.svg")

    figure, axes = plt.subplots(figsize=(6.4, 4.2))
    for i, entries in enumerate(sorted({int(r["entries"]) for r in placed})):
        for with_order, marker in ((False, "o"), (True, "^")):
            points = sorted(
                (int(r["cells"]), float(r["decision_ns"]), r)
                for r in placed
                if int(r["entries"]) == entries and (r["order_m"] != "0") == with_order
            )
            if points:
                axes.plot(
                    [p[0] for p in points],
                    [p[1] for p in points],
                    marker if with_order else f"-{marker}",
                    color=f"C{i}",
                    markersize=5,
                    linewidth=1,
                    label=f"{entries} entries{', with orderer' if with_order else ''}",
                )
            for cells, nanoseconds, row in points:
                axes.annotate(
                    f"M {row['order_m']}" if with_order else f"{row['lanes']}",
                    (cells, nanoseconds),
                    xytext=(4, 4),
                    textcoords="offset points",
                    fontsize=7,
                )
    axes.set(
        xlabel="area on an ECP5 (placed LUT4); beside a point its lanes",
        ylabel="time of a decision (ns)",
        ylim=(0, None),
    )
    if placed:
        axes.legend(fontsize=8)
    save(figure, "ppa_area.svg")

    rows = read(STUDY)
    styles = {"accelerator": "C0o-", "firmware, 100 MHz": "C1v--", "firmware, 400 MHz": "C2s:"}
    loads = list(dict.fromkeys(r["load"] for r in rows))
    for file, column, quantity in (
        ("ppa_response.svg", "mean_ms", "mean response (ms)"),
        ("ppa_fairness.svg", "fairness", "Jain's index of response"),
    ):
        if not loads:
            break
        figure, panels = plt.subplots(
            (len(loads) + 1) // 2, 2, figsize=(7.6, 2.9 * ((len(loads) + 1) // 2)), squeeze=False
        )
        for axes, load in zip(panels.flat, loads, strict=False):
            series = {}
            for r in rows:
                if r["load"] == load and r["engine"] != "rtl" and r["controller_mhz"] != "10000":
                    series.setdefault(engine_name(r), []).append(
                        (int(r["depth"]), float(r[column]))
                    )
            for engine, points in series.items():
                axes.plot(*zip(*points, strict=True), styles[engine], markersize=4, label=engine)
            axes.set(
                title=load, xscale="log", ylim=(0, None), xlabel="queue depth", ylabel=quantity
            )
            depths = sorted({int(r["depth"]) for r in rows})
            axes.set_xticks(depths, [str(depth) for depth in depths])
            axes.minorticks_off()
            axes.legend(fontsize=7)
        for axes in list(panels.flat)[len(loads) :]:
            axes.set_visible(False)
        save(figure, file)

    rows = horizon_rows()
    if not rows:
        return
    base = {r["drive"]: r for r in rows if r["accesses"] == "0"}
    figure, panels = plt.subplots(1, 2, figsize=(7.6, 3.4))
    for axes, column, quantity in (
        (panels[0], "mean_ms", "mean response, relative"),
        (panels[1], "fairness", "Jain's index, relative"),
    ):
        for i, accesses in enumerate(sorted({int(r["accesses"]) for r in rows} - {0})):
            points = {}
            for r in rows:
                if int(r["accesses"]) == accesses:
                    points.setdefault(int(r["candidates"]), []).append(
                        (
                            float(r["cycles_per_decision"]),
                            float(r[column]) / float(base[r["drive"]][column]),
                        )
                    )
            line = [
                (
                    statistics.fmean(c for c, _ in of),
                    math.exp(statistics.fmean(math.log(v) for _, v in of)),
                )
                for _, of in sorted(points.items())
            ]
            axes.plot(
                *zip(*line, strict=True),
                "o-",
                color=f"C{i}",
                markersize=4,
                label=f"{accesses} accesses ahead" if accesses > 1 else "1 access ahead",
            )
        cycles = statistics.fmean(float(r["cycles_per_decision"]) for r in base.values())
        axes.plot([cycles], [1.0], "ks", markersize=5, label="no look-ahead")
        axes.set(xscale="log", xlabel="cycles a decision", ylabel=quantity)
    panels[0].legend(fontsize=7)
    save(figure, "features_horizon.svg")


# --- the page -------------------------------------------------------------------------------------


def filled(page):
    text = page.read_text(encoding="utf-8")
    for key, make in TABLES[page].items():
        pattern = re.compile(rf"(<!-- {key}:begin -->\n).*?(<!-- {key}:end -->)", re.S)
        if not pattern.search(text):
            raise SystemExit(
                f"scripts/ppa: {page.relative_to(ROOT)} has no place for the table {key}"
            )
        body = make()
        text = pattern.sub(
            lambda found, body=body: f"{found.group(1)}{body}\n{found.group(2)}", text
        )
    return text


def report(check):
    new = {page: filled(page) for page in TABLES}
    if check:
        stale = [
            str(page.relative_to(ROOT))
            for page, text in new.items()
            if page.read_text(encoding="utf-8") != text
        ]
        for page in stale:
            print(
                f"scripts/ppa: the tables of {page} are not those of the data; "
                "run scripts/ppa report",
                file=sys.stderr,
            )
        return int(bool(stale))
    if importlib.util.find_spec("matplotlib") is None:
        python = ROOT / "build" / "venv" / "bin" / "python"
        if (
            not python.exists()
            or subprocess.run(
                [python, "-c", "import matplotlib"], capture_output=True, check=False
            ).returncode
            != 0
        ):
            print(
                "scripts/ppa: the Python package matplotlib was not found; run scripts/setup",
                file=sys.stderr,
            )
            return 2
        os.execv(python, [str(python), str(ROOT / "scripts" / "ppa"), "report"])
    figures()
    for page, text in new.items():
        page.write_text(text, encoding="utf-8")
    return 0
