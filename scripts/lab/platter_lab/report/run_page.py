# SPDX-License-Identifier: Apache-2.0
"""The report of one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from platter_lab.model import Run
from platter_lab.report import charts, look
from platter_lab.report.inputs import RunInput, warmup_ps
from platter_lab.report.page import Page, Raw, number, table, text
from platter_lab.report.shape import (
    PARTS,
    classes_in,
    completions,
    finite,
    has_parts,
    has_responses,
    jobs_in,
    of_host,
)
from platter_lab.report.statistics_table import Schema, settings, statistics
from platter_lab.statistics import ABSENT

SLOWEST = 20
# Of a decision, as `platter explain` names them (docs/reference/explain.md).
WHY = {
    "hazard": "it waited for an older command",
    "stuck": "a fault kept it stuck",
    "zone": "it was changing zones",
    "buffer": "the buffer had to write blocks first",
    "no_entry": "it had no queue entry in the engine yet",
    "placed": "the policy chooses the place of a write itself",
    "arm": "the policy moved the arm or waited",
    "limit": "it was held back until shortly before its duration limit",
    "priority": "a command with priority went first",
    "deadline": "a command went first because of its own deadline or duration limit",
    "batch": "its stream was held back for a batch of other commands",
    "age": "the age limit put another command first",
    "stream": "a sequential stream went first",
    "forced": "the guard let only the sweep go on",
    "guard": "the guard refused it",
    "nearer": "another access could begin sooner",
    "policy": "the policy preferred another command",
}
# Of `errors` in a result (docs/reference/statistics.md), in the order of the page.
ERRORS = {
    "retried": "accesses that needed recovery",
    "retry_turns": "turns of their retries",
    "recovered": "accesses that recovery saved",
    "uncorrectable": "accesses that ended at a block that cannot be read",
    "write_errors": "writes that found no spare",
    "lost_destages": "of them, writes that the buffer had answered",
    "pending": "sectors that could not be read and were not written since, at the end",
    "reallocated": "sectors on spares, at the end",
    "reallocations": "attempts to put a sector on a spare",
    "detours": "ways to spares",
    "read_ahead_stops": "read-aheads that ended before a bad block",
    "timeouts": "commands that were never answered",
    "late": "answers that came later",
    "resets": "restarts of the firmware",
    "link_drops": "losses of the link",
    "silent_writes": "sectors whose write was lost or went elsewhere, silently",
    "silent_reads": "reads that returned wrong data, silently",
    "scrubbed_blocks": "blocks that scrubbing and self-tests read",
    "wait_blocks": "blocks that were read in rotational waits",
    "scrub_errors": "bad sectors that scrubbing and self-tests found",
}
ERRORS_OF_ARRAY = {
    "redirected": "reads that the array repeated on the other copy",
    "unreadable": "reads that no copy could answer",
    "repaired": "units or blocks that the array wrote again from another copy",
    "lost_sectors": "sectors that a rebuild could not read",
}


def what_ran(configuration: Mapping[str, Any]) -> str:
    """In a line."""
    drive = configuration.get("drive", {})
    words = [
        str(drive.get("name", "")) if isinstance(drive, dict) else "",
        f"policy {configuration.get('policy', '?')}",
        f"engine {configuration.get('engine', '?')}",
        f"host {configuration['host']['kind']}",
    ]
    return ", ".join(word for word in words if word)


def statistics_markup(result: dict[str, Any], schema: Schema | None) -> str:
    found = statistics(result, schema)
    rows = [
        [name, ABSENT if one.value is None else one.value, one.unit, one.meaning]
        for name, one in found.items()
    ]
    return table(["statistic", "value", "unit", "meaning"], rows, name="statistics")


def no_schema(page: Page, schema: Schema | None) -> None:
    if schema is None:
        page.note(
            "Units and descriptions are missing, because no platter executable was found when "
            "this report was made (option --platter)."
        )


def configuration_markup(configuration: dict[str, Any]) -> str:
    return table(
        ["key", "value"],
        [[key, value] for key, value in settings(configuration).items()],
        name="keys",
    )


def _classes(result: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """With response times, in the order of all charts."""
    there = classes_in(result)
    return {name: there[name] for name in look.CLASSES if has_responses(there.get(name))}


def nothing_completed(result: Mapping[str, Any]) -> list[str]:
    """A line for each class of requests of which none has completed in the measured time."""
    lines = []
    for name, one in classes_in(result).items():
        if has_responses(one):
            continue
        waiting = one.get("waiting") or {}
        count = waiting.get("requests", one.get("outstanding", 0))
        oldest = (
            f", the oldest for {number(waiting['oldest_ms'], 4)} ms"
            if finite(waiting.get("oldest_ms"))
            else ""
        )
        issued = f" of {number(one['issued'])} issued in it" if one.get("issued") else ""
        lines.append(
            f"{name}: nothing completed in the measured time{issued}; {number(count)} requests "
            f"wait at its end{oldest}."
        )
    return lines


def _tiles(page: Page, result: Mapping[str, Any]) -> None:
    for name, one in _classes(result).items():
        page.tiles.append(
            (
                f"{name}: p99 response",
                f"{number(one['response_ms']['p99'], 3)} ms",
                f"mean {number(one['response_ms']['mean'], 3)} ms, {number(completions(one))} "
                "requests",
            )
        )
    for line in nothing_completed(result):
        name, _, said = line.partition(": ")
        page.tiles.append((f"{name}: p99 response", ABSENT, said.rstrip(".")))
    if "throughput" in result:
        page.tiles.append(
            (
                "throughput",
                f"{number(result['throughput']['requests_per_s'], 3)} /s",
                "requests completed",
            )
        )
    if finite(result.get("utilisation")):
        page.tiles.append(
            ("utilisation", f"{result['utilisation']:.1%}", "of the measured time in an access")
        )
    if "queue_depth" in result:
        page.tiles.append(
            ("queue depth", number(result["queue_depth"]["mean"], 3), "tags in use, mean")
        )
    if "hiccups" in result:
        page.tiles.append(("hiccups", number(result["hiccups"]), "late continuous requests"))
    page.tiles.append(
        ("measured", f"{number(result['measured_s'])} s", f"simulated, seed {result['seed']}")
    )


def _cdf_title(classes: Mapping[str, Mapping[str, Any]]) -> str:
    return "; ".join(
        (
            f"{name}: half within {number(one['response_ms']['p50'], 3)} ms, 99% within "
            f"{number(one['response_ms']['p99'], 3)} ms"
        )
        for name, one in classes.items()
    ).capitalize()


def _responses(page: Page, given: RunInput, classes: Mapping[str, Mapping[str, Any]]) -> None:
    page.section("Response times")
    for line in nothing_completed(given.run.result):
        page.note(line)
    if given.run.requests is None:
        page.figure(
            _cdf_title(classes),
            charts.percentiles(given.run),
            "Percentiles of the result. The whole distribution needs the run's log of requests.",
        )
        return
    count = charts.served(given.run).height
    how = (
        (
            f"Exact points of the distributions: at most {charts.CDF_POINTS} of each class's are "
            "drawn, finer in the upper tail."
        )
        if count > charts.CDF_POINTS
        else "Every request is drawn."
    )
    page.figure(
        _cdf_title(classes),
        charts.responses(given.run),
        f"{number(count)} requests that completed in the measured time. {how}",
        half=True,
    )
    if count < 2:
        return
    worst = max(classes.items(), key=lambda one: one[1]["response_ms"]["max"] or 0.0)
    page.figure(
        f"The slowest request is {worst[0]} and took {number(worst[1]['response_ms']['max'], 3)} "
        "ms",
        charts.responses(given.run, tail=True),
        "The same distributions from above: the share of requests that took longer than a time.",
        half=True,
    )


def _where(page: Page, given: RunInput, classes: Mapping[str, Mapping[str, Any]]) -> None:
    page.section("Where the time went")
    parts = []
    for name, one in classes.items():
        if not has_parts(one):
            continue
        largest = max(PARTS, key=lambda part: one["parts_ms"][part])
        parts.append(
            f"{name} requests spent "
            f"{one['parts_ms'][largest] / (one['response_ms']['mean'] or 1):.0%} of their time in "
            f"{_in_words(largest)}"
        )
    page.figure(
        "; ".join(parts).capitalize() or "Where the time of the mean request went",
        charts.parts(given.run),
        "Means over the requests of the measured time. The parts sum to the mean response time.",
    )
    if given.run.requests is not None:
        page.figure(
            "What makes slow requests slow",
            charts.bands(given.run),
            "Requests of a class by the percentiles of their response time, and where the time of "
            "the mean request in each group went.",
        )


def energy_section(page: Page, runs: Mapping[str, Run]) -> None:
    """Of the runs whose drives have power in their profiles."""
    found = {name: run.result["energy"] for name, run in runs.items() if run.result.get("energy")}
    if not found:
        return
    page.section("Energy")
    titles = []
    for name, one in found.items():
        said = f"{number(one['j'], 4)} J"
        if finite(one["mean_w"]):
            said += f", {number(one['mean_w'], 4)} W in the mean"
        if finite(one["per_request_j"]):
            said += f", {number(one['per_request_j'], 3)} J per request"
        titles.append(f"{name}: {said}" if name else said)
    page.figure(
        "; ".join(titles),
        charts.energy(runs),
        "Energy of the drives in the measured time, by power state. The states sum to the whole.",
    )


def _counts(result: Mapping[str, Any]) -> dict[str, int]:
    """Errors by what they are, without those that did not occur."""
    counted = {words: result["errors"].get(key, 0) for key, words in ERRORS.items()}
    of_array = (result.get("array") or {}).get("errors") or {}
    counted |= {words: of_array.get(key, 0) for key, words in ERRORS_OF_ARRAY.items()}
    return {words: count for words, count in counted.items() if count}


def errors_section(page: Page, runs: Mapping[str, Run]) -> None:
    """Of the runs whose results have errors."""
    found = {name: _counts(run.result) for name, run in runs.items() if run.result.get("errors")}
    if not found:
        return
    page.section("Errors")
    words = list(dict.fromkeys(word for counts in found.values() for word in counts))
    if not words:
        page.note("Faults were planned, and nothing met one.")
        return
    for name, run in runs.items():
        if name in found and charts.has_retries(run):
            turns = number(int(charts.log_of(run)["retry_turns"].sum()))
            page.figure(
                (f"{name}: " if name else "") + f"requests waited for {turns} turns of retries",
                charts.retries(run),
                f"Sums in {charts.TIME_BINS} equal bins over the time that the log covers, by the "
                "end of the request. Accesses of the drive's own are not in the log.",
            )
    page.markup(
        table(
            ["in the whole run", *(name or "count" for name in found)],
            [
                [word.capitalize(), *(counts.get(word, 0) for counts in found.values())]
                for word in words
            ],
            name="errors",
            searched=False,
        )
    )


def _in_words(part: str) -> str:
    return {
        "queue": "the queue",
        "seek": "seeks",
        "bus": "transfer over the bus",
        "transfer": "transfer from or to the media",
    }.get(part, part)


def _over_time(page: Page, given: RunInput) -> None:
    run, result = given.run, given.run.result
    if run.requests is None or run.requests.is_empty():
        return
    drive = given.configuration["host"]["kind"] == "drive"
    page.section("Over time")
    depth = result.get("queue_depth", {}).get("mean")
    backlog = sum(
        (one.get("backlog") or {}).get("mean") or 0.0 for one in classes_in(result).values()
    )
    title = (
        f"{number(backlog, 3)} requests were outstanding in the mean"
        if backlog
        else "Requests outstanding, and in an access"
    )
    if depth is not None and drive and finite(result.get("utilisation")):
        title += (
            f", {number(depth, 3)} of them in the drive's queue; an access ran for "
            f"{result['utilisation']:.0%} of the time"
        )
    seconds = number(charts.end_ps(run.requests) / 1e12, 4)
    warmup = (
        f", of which the first {number(warmup_ps(result) / 1e12)} s are the warm-up"
        if warmup_ps(result)
        else ""
    )
    how = (
        f"Time-weighted means in {charts.TIME_BINS} equal bins over the {seconds} s that the log "
        f"covers{warmup}. Below: seek, settle, rotation and transfer of the logged requests, "
        "without overheads. "
    )
    page.figure(
        title,
        charts.over_time(run),
        how
        + (
            (
                "Accesses of the drive's own (cached writes on their way to the media, read-ahead) "
                "are not in the log."
            )
            if drive
            else (
                "Of a request that an array has split, these are those of the part that ended last."
            )
        )
        + " Drag to move, wheel to zoom, double click to go back.",
    )
    page.section("Arm and requests")
    if charts.one_arm(run) and not (frame := charts.accesses(run)).is_empty():
        first = charts.slowest(run, SLOWEST)["number"].to_list()
        request = next(
            (one for one in first if frame["number"].index_of(one) is not None), frame["number"][-1]
        )
        took = run.requests.row(by_predicate=pl.col("number") == request, named=True)
        meanwhile = (
            frame.filter(
                (pl.col("end") > took["issued_ps"]) & (pl.col("begin") < took["completed_ps"])
            ).height
            - 1
        )
        page.figure(
            f"While request {request}, "
            f"{'the slowest' if request == first[0] else 'one of the slowest'}, waited "
            f"{number(took['queue_ps'] / 1e9, 3)} ms, the arm went to {meanwhile} others",
            charts.arm(run, request),
            "Thin: a request waits at its address. Thick: its rotation and transfer, with the "
            "seek before. The grey line is the arm's way between them; the diamond marks the "
            "request. At most 110 accesses are drawn. Address 0 is at the outer edge. Accesses "
            "without a logged request are not drawn.",
        )
    drawn, all_of = charts.sample(run.requests).height, run.requests.height
    said = (
        (
            f"A sample: {number(drawn)} of {number(all_of)} requests are drawn, chosen by a hash "
            "of their numbers."
        )
        if drawn < all_of
        else f"All {number(all_of)} requests are drawn."
    )
    page.figure(
        "Where requests went, over the whole run",
        charts.requests_over_time(run),
        said + (" The address is the array's." if not drive else ""),
    )


def _jobs(page: Page, result: Mapping[str, Any]) -> None:
    jobs = jobs_in(result)
    if not jobs:
        return
    page.section("Jobs")
    rows: list[list[Any]] = []
    for name, one in jobs.items():
        rates, times = one.get("throughput") or {}, one.get("response_ms") or {}
        megabytes = rates.get("bytes_per_s")
        values = [
            rates.get("requests_per_s"),
            megabytes / 1e6 if finite(megabytes) else None,
            *(times.get(key) for key in ("mean", "p50", "p99", "max")),
            one.get("late"),
            (one.get("waiting") or {}).get("requests"),
        ]
        rows.append(
            [name, completions(one), *(ABSENT if value is None else value for value in values)]
        )
    page.markup(
        table(
            [
                "job",
                "completions",
                "requests/s",
                "MB/s",
                "mean [ms]",
                "p50 [ms]",
                "p99 [ms]",
                "max [ms]",
                "late",
                "waiting",
            ],
            rows,
            name="jobs",
            searched=False,
        )
    )


def _reason(row: Mapping[str, Any], explained: Mapping[str, Any] | None) -> str:
    largest = max(PARTS, key=lambda part: row[f"{part}_ms"])
    reason = f"{row[f'{largest}_ms'] / (row['response_ms'] or 1):.0%} in {_in_words(largest)}"
    if explained is None:
        return reason
    reasons = Counter(one["why"] for one in explained["decisions"] if one["why"])
    if not reasons:
        return f"{reason}; no decision passed it over"
    counted = ", ".join(f"{count} × {WHY.get(why, why)}" for why, count in reasons.most_common())
    return f"{reason}; passed over by {sum(reasons.values())} decisions: {counted}"


def _slowest(page: Page, given: RunInput) -> None:
    if given.run.requests is None:
        return
    frame = charts.slowest(given.run, SLOWEST)
    if frame.is_empty():
        return
    page.section("Slowest requests")
    rows: list[list[Any]] = []
    for row in frame.iter_rows(named=True):
        shares = {part: row[f"{part}_ms"] / (row["response_ms"] or 1) for part in PARTS}
        bar = "".join(
            (
                f'<i title="{part} {row[f"{part}_ms"]:.3f} ms" '
                f'style="width:{share:.2%};background:{look.PARTS[part]}"></i>'
            )
            for part, share in shares.items()
        )
        rows.append(
            [
                Raw(str(row["number"]), row["number"]),
                row["class"],
                {"R": "read", "W": "write"}.get(row["op"], "zone"),
                Raw(f"{row['issued_s']:.6f}", row["issued_s"]),
                Raw(f"{row['response_ms']:.3f}", row["response_ms"]),
                Raw(f'<div class="bar">{bar}</div>', shares["queue"]),
                Raw(text(_reason(row, given.explained.get(row["number"])))),
            ]
        )
    legend = " ".join(
        f'<span class="key"><i style="background:{look.PARTS[part]}"></i> {part}</span>'
        for part in PARTS
    )
    page.markup(
        f'<p class="note">The {len(rows)} slowest of the measured time. Parts: {legend}</p>'
    )
    page.markup(
        table(
            ["request", "class", "op", "issued at [s]", "response [ms]", "parts", "reason"],
            rows,
            name="requests",
        )
    )
    if not given.explained:
        page.note(
            "The decisions are not shown: platter explain SCENARIO --slowest N writes them to "
            "explain.json, which this report takes with --explain."
        )


def run_page(given: RunInput, schema: Schema | None) -> Page:
    result = given.run.result
    log = f"; log {given.log.name}" if given.log else "; without a log of requests"
    page = Page(f"Run {given.file.name}", "Platter · run", what_ran(given.configuration) + log)
    _tiles(page, result)
    if classes := _classes(result):
        _responses(page, given, classes)
        _where(page, given, classes)
        _over_time(page, given)
    elif lines := nothing_completed(result):
        page.section("Response times")
        for line in lines:
            page.note(line)
    elif given.run.requests is not None and not charts.served(given.run).is_empty():
        page.section("Response times")
        page.figure(
            "Distribution of the response times, by class", charts.responses(given.run), half=True
        )
        page.figure(
            "The share of requests that took longer",
            charts.responses(given.run, tail=True),
            half=True,
        )
        page.section("Where the time went")
        page.figure(
            "What makes slow requests slow",
            charts.bands(given.run),
            "Requests of a class by the percentiles of their response time.",
        )
        _over_time(page, given)
    _jobs(page, result)
    energy_section(page, {"": given.run})
    errors_section(page, {"": given.run})
    _slowest(page, given)
    if "streams" in of_host(result).form and result.get("streams"):
        page.section("Bandwidth")
        page.figure(
            "What each stream got",
            charts.bandwidth(given.run),
            "Bytes of commands that ended in each second.",
        )
    page.section("Statistics")
    no_schema(page, schema)
    page.markup(statistics_markup(result, schema))
    page.section("Configuration")
    page.folded(
        "The effective configuration: every key of scenario and drive",
        configuration_markup(given.configuration),
    )
    return page
