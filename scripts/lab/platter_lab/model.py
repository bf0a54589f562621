# SPDX-License-Identifier: Apache-2.0
"""A run of the model from Python."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platter_lab import LabError
from platter_lab.executable import call_platter, find_platter
from platter_lab.settings import flat

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Run:
    """`result` as `platter run --result` writes it.

    `requests`: a row a request that has ended, in the order of their ends, warm-up included, with
    times in picoseconds; None of a host that keeps no log of requests. Charts of it:
    `platter_lab.report.charts`.
    """

    result: dict[str, Any]
    requests: pl.DataFrame | None

    def statistics(self) -> pl.DataFrame:
        """The result's numbers: `name` (its way through the result, joined by dots) and `value`,
        which is null where nothing was measured.
        """
        import polars as pl

        return pl.DataFrame(
            list(_numbers(self.result, "")),
            schema={"name": pl.String, "value": pl.Float64},
            orient="row",
        )


def run(
    scenario: str | Path,
    settings: Mapping[str, Any] | None = None,
    *,
    platter: Path | None = None,
    limit_s: float | None = None,
) -> Run:
    """Runs a scenario with some of its keys set: {"policy": "SPTF", "sim.seed": 2}, or tables in a
    table.

    `platter`: the executable; default: as the variable PLATTER says, the project's release build,
    or the path's. Raises LabError for bad input, with the model's message, and StudyFailed where
    the run fails or takes longer than `limit_s`. Polars is needed (`scripts/setup sweep`).
    """
    executable = find_platter(platter)
    overrides = [
        word for key, value in flat(settings or {}) for word in ("--set", f"{key}={value}")
    ]
    logs = keeps_log(executable, scenario, overrides)
    with tempfile.TemporaryDirectory(prefix="platter-run-") as name:
        result, log = Path(name) / "result.json", Path(name) / "requests.csv"
        call_platter(
            executable,
            [
                "run",
                str(scenario),
                "--quiet",
                *overrides,
                "--result",
                str(result),
                *(["--requests", str(log)] if logs else []),
            ],
            limit_s=limit_s,
        )
        return Run(
            json.loads(result.read_text(encoding="utf-8")), read_requests(log) if logs else None
        )


def keeps_log(platter: Path, scenario: str | Path, overrides: list[str]) -> bool:
    """Whether the scenario's host keeps a log of its requests."""
    import tomllib

    text = call_platter(platter, ["config", "dump", str(scenario), *overrides])
    return bool(log_keepers(platter)[tomllib.loads(text)["host"]["kind"]])


def log_keepers(platter: Path) -> dict[str, bool]:
    """Of each kind of host whether it keeps a log of its requests."""
    hosts = json.loads(call_platter(platter, ["list", "hosts", "--json"]))
    return {host["name"]: host["keeps_logs"] for host in hosts}


def read_requests(log: Path) -> pl.DataFrame:
    """A log of requests (CSV, as `platter run --requests` writes it). LabError where it is none."""
    import polars as pl

    whole = (
        "number",
        "stream",
        "offset_bytes",
        "length_bytes",
        "late",
        *(
            f"{name}_ps"
            for name in (
                "issued",
                "accepted",
                "started",
                "completed",
                "queue",
                "overhead",
                "seek",
                "settle",
                "rotation",
                "transfer",
                "bus",
                "deadline",
                "recorded",
            )
        ),
    )
    try:
        return pl.read_csv(
            log,
            schema_overrides=dict.fromkeys(whole, pl.Int64)
            | {"class": pl.String, "op": pl.String, "status": pl.String, "job": pl.String},
            null_values="",
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        raise LabError(f"{log}: {error}; expected a log of requests (CSV)") from error


def _numbers(value: Any, name: str) -> Any:
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if (name, key) != ("", "configuration"):
                yield from _numbers(item, f"{name}.{key}" if name else str(key))
    elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield name, None if value is None else float(value)
