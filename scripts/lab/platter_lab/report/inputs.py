# SPDX-License-Identifier: Apache-2.0
"""Reads the inputs of a report, recognises them by their content, and checks the values on which a
figure depends.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from platter_lab import LabError
from platter_lab.model import Run, read_requests
from platter_lab.report.shape import (
    PARTS,
    Anything,
    List,
    Named,
    Number,
    Optional,
    Table,
    Text,
    completions,
    expect,
    expect_result,
    has_responses,
    of_host,
    shown,
)

PS_PER_S = 10**12
_LOG = (
    "number",
    "class",
    "stream",
    "op",
    "offset_bytes",
    "length_bytes",
    "issued_ps",
    "accepted_ps",
    "started_ps",
    "completed_ps",
    *(f"{part}_ps" for part in PARTS),
    "deadline_ps",
    "late",
    "status",
)
# Of a run with media faults.
_LOG_OF_FAULTS = ("retry_turns", "recovery_ps")
_SCHEMA = 2
_KINDS = "a result of `platter run` (JSON), or the table of a sweep or of a search (Parquet)"


@dataclass(frozen=True)
class RunInput:
    """A result, with what belongs to it."""

    file: Path
    run: Run
    log: Path | None
    # By the request's number, as `platter explain` has it.
    explained: Mapping[int, Mapping[str, Any]]

    @property
    def configuration(self) -> dict[str, Any]:
        configuration: dict[str, Any] = self.run.result["configuration"]
        return configuration


@dataclass(frozen=True)
class TableInput:
    """A table and what its metadata says of it."""

    file: Path
    frame: pl.DataFrame
    about: Mapping[str, Any]


@dataclass(frozen=True)
class SweepInput(TableInput):
    """A row a run."""


@dataclass(frozen=True)
class StudyInput(TableInput):
    """A row a trial."""


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise LabError(f"{file}: {error.strerror}; expected {_KINDS}") from error


def _read_json(file: Path, content: bytes, expected: str) -> dict[str, Any]:
    def no_number(text: str) -> float:
        raise LabError(f"{file}: found {text}, which is not JSON; expected {expected}")

    try:
        value = json.loads(content, parse_constant=no_number)
    except json.JSONDecodeError as error:
        raise LabError(
            f"{file}:{error.lineno}:{error.colno}: {error.msg}; expected {expected}"
        ) from error
    except (
        ValueError,
        RecursionError,
    ) as error:  # no text, a number of thousands of digits, or nested without end
        raise LabError(f"{file}: no JSON; expected {expected}") from error
    if not isinstance(value, dict):
        raise LabError(f"{file}: found a JSON {type(value).__name__}; expected {expected}")
    return value


def _read_result(file: Path, content: bytes) -> dict[str, Any]:
    result = _read_json(file, content, _KINDS)
    if "requests" in result and "matched" in result:
        raise LabError(
            f"{file}: found what `platter explain` writes; expected {_KINDS}; name this file with "
            "--explain"
        )
    host = (
        result.get("configuration", {}).get("host")
        if isinstance(result.get("configuration"), dict)
        else None
    )
    missing = [
        key for key in ("schema", "configuration", "measured_s", "seed") if key not in result
    ]
    if missing or not isinstance(host, dict) or not isinstance(host.get("kind"), str):
        raise LabError(
            f"{file}: found a JSON without {', '.join(missing) or 'configuration.host.kind'}; "
            f"expected {_KINDS}"
        )
    if result["schema"] != _SCHEMA or isinstance(result["schema"], bool):
        raise LabError(
            f"{file}: schema: found {shown(result['schema'])}, expected {_SCHEMA}: made by "
            "another version of Platter"
        )
    expect_result(file, result, "a result of `platter run`")
    return result


def log_beside(file: Path) -> Path | None:
    """RESULT.csv beside RESULT.json, and requests.csv beside result.json, as scripts/run names
    them.
    """
    for candidate in (
        file.with_suffix(".csv"),
        *([file.with_name("requests.csv")] if file.name == "result.json" else []),
    ):
        if candidate.is_file():
            return candidate
    return None


def _read_log(file: Path) -> pl.DataFrame:
    expected = "a log of requests, as `platter run --requests` writes it"
    try:
        with file.open("rb") as opened:
            parquet = opened.read(4) == b"PAR1"
    except OSError as error:
        raise LabError(f"{file}: {error.strerror}; expected {expected}") from error
    frame = _read_parquet(file, _read(file), expected)[0] if parquet else read_requests(file)
    if missing := [name for name in _LOG if name not in frame.columns]:
        raise LabError(f"{file}: has no column {missing[0]}; expected {expected}")
    whole = [name for name in _LOG if name not in ("class", "op", "status", "deadline_ps")]
    whole += [name for name in _LOG_OF_FAULTS if name in frame.columns]
    for name in whole:
        if not frame.is_empty() and not frame[name].dtype.is_integer():
            raise LabError(
                f"{file}: column {name}: found {frame[name].dtype}, expected whole numbers"
            )
    if wrong := next(
        (
            name
            for name in ("class", "op", "status")
            if not frame.is_empty() and frame[name].dtype != pl.String
        ),
        None,
    ):
        raise LabError(f"{file}: column {wrong}: found {frame[wrong].dtype}, expected texts")
    ragged = frame.with_row_index("row", 2).filter(
        pl.any_horizontal(pl.col(*whole, "class", "op", "status").is_null())
    )
    if not ragged.is_empty():
        raise LabError(f"{file}:{ragged['row'][0]}: the row is cut off; expected {expected}")
    off = frame.with_row_index("row", 2).filter(
        pl.sum_horizontal(f"{part}_ps" for part in PARTS)
        != pl.col("completed_ps") - pl.col("issued_ps")
    )
    if not off.is_empty():
        raise LabError(
            f"{file}:{off['row'][0]}: the parts of the response time do not add up to "
            f"completed_ps - issued_ps; expected {expected}"
        )
    return frame


def warmup_ps(result: Mapping[str, Any]) -> int:
    """The measured time begins then."""
    warmup_s: float = result["configuration"].get("sim", {}).get("warmup_s", 0)
    return round(warmup_s * PS_PER_S)


def measured(requests: pl.DataFrame, result: Mapping[str, Any]) -> pl.DataFrame:
    """The requests of a log that the response times in the result are of: they completed in the
    measured time, which begins after the events of its first instant.
    """
    begin = warmup_ps(result)
    return requests.filter(
        (pl.col("status") == "good")
        & ((pl.col("issued_ps") >= begin) | (pl.col("completed_ps") > begin))
    )


def _expect_of_run(
    log: Path, requests: pl.DataFrame, file: Path, result: Mapping[str, Any]
) -> None:
    """LabError where the log's counts, or its longest response times, are not the result's."""
    host = of_host(result)
    if not host.classes:
        kind = result["configuration"]["host"]["kind"]
        raise LabError(
            f'{log}: cannot belong to a run of host.kind "{kind}", which writes no log; expected '
            f"{file} alone"
        )
    classes: Mapping[str, Any] = result
    for name in host.classes:
        classes = classes.get(name, {})
    good = (
        measured(requests, result) if host.measured else requests.filter(pl.col("status") == "good")
    )
    here = {
        row[0]: row[1:]
        for row in good.group_by("class")
        .agg(pl.len(), (pl.col("completed_ps") - pl.col("issued_ps")).max())
        .iter_rows()
    }
    for name in sorted({*here, *(name for name, one in classes.items() if completions(one))}):
        count, longest_ps = here.get(name, (0, 0))
        wanted = completions(classes.get(name, {}))
        if count != wanted:
            raise LabError(
                f"{log}: found {count} {name} requests completed, where {file} has {wanted}; "
                "expected the log of the same run"
            )
        longest_ms = (
            classes[name].get("response_ms", {}).get("max")
            if has_responses(classes[name])
            else None
        )
        if longest_ms is not None and abs(longest_ms - longest_ps / 1e9) > 1e-6 * max(
            longest_ms, 1
        ):
            raise LabError(
                f"{log}: the longest {name} request took {longest_ps / 1e9:.6f} ms, where {file} "
                f"has {longest_ms:.6f} ms; expected the log of the same run"
            )


_PS = Number(null=False, whole=True, least=-(2**63))
_EXPLAINED = Table(
    {
        "requests": List(
            Table(
                {
                    "number": Number(null=False, whole=True, least=0),
                    "issued_ps": _PS,
                    "completed_ps": _PS,
                    "decisions": List(Table({"why": Optional(Text())})),
                }
            )
        )
    }
)


def _read_explained(file: Path, requests: pl.DataFrame | None) -> dict[int, Mapping[str, Any]]:
    expected = "explain.json, as `platter explain` writes it, of the same scenario"
    content = _read_json(file, _read(file), expected)
    found = content.get("requests")
    if content.get("schema") != 1 or not isinstance(found, list):
        raise LabError(f"{file}: found a JSON without schema = 1 and requests; expected {expected}")
    expect(file, content, _EXPLAINED, expected)
    if requests is None:
        raise LabError(
            f"{file}: needs the run's log of requests, which is not given; expected it with "
            "--requests"
        )
    explained = {one["number"]: one for one in found}
    times = {number: (one["issued_ps"], one["completed_ps"]) for number, one in explained.items()}
    there = requests.filter(pl.col("number").is_in(list(times)))
    logged = {
        row[0]: row[1:] for row in there.select("number", "issued_ps", "completed_ps").iter_rows()
    }
    for number, when in times.items():
        if logged.get(number) != when:
            raise LabError(
                f"{file}: request {number} is not in the log of requests, or is a different one "
                f"there; expected {expected}"
            )
    return explained


def _read_parquet(file: Path, content: bytes, expected: str) -> tuple[pl.DataFrame, dict[str, str]]:
    """A frame and its metadata.

    LabError for what is damaged: polars reports some of that as an error, and some as a panic of
    its own, which it prints too.
    """
    try:
        with _without_stderr():
            return pl.read_parquet(content), pl.read_parquet_metadata(content)
    except (
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
        OSError,
        ValueError,
        OverflowError,
        MemoryError,
    ) as error:
        said = str(error).splitlines()
        raise LabError(
            f"{file}: damaged, or no Parquet file: {said[0] if said else type(error).__name__}; "
            f"expected {expected}"
        ) from error


@contextlib.contextmanager
def _without_stderr() -> Iterator[None]:
    """Whatever a library writes to standard error meanwhile is dropped."""
    sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # there is none
        yield
        return
    try:
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _read_table(file: Path, content: bytes) -> TableInput:
    frame, metadata = _read_parquet(file, content, _KINDS)
    for name, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype in (pl.String, pl.Boolean, pl.Null)):
            raise LabError(
                f"{file}: column {name}: found {dtype}, expected numbers, texts, true or false in "
                f"{_KINDS}"
            )
    for key, kind, columns in (
        ("platter.sweep", SweepInput, ("axes",)),
        ("platter.optimise", StudyInput, ("parameters", "objectives")),
    ):
        if key not in metadata:
            continue
        about = _read_json(
            file,
            metadata[key].encode(),
            f"the table of `platter-lab {key.removeprefix('platter.')}`",
        )
        if missing := [name for name in columns if not isinstance(about.get(name), list)]:
            raise LabError(
                f"{file}: metadata {key}: found no {missing[0]}; expected the table of "
                f"`platter-lab {key.removeprefix('platter.')}`"
            )
        expect(file, about, _ABOUT[key], f"metadata {key}")
        return kind(file, frame, about)
    raise LabError(
        f"{file}: a Parquet file without the metadata platter.sweep or platter.optimise; expected "
        f"{_KINDS}"
    )


_ABOUT = {
    "platter.sweep": Table(
        {"axes": List(Text())},
        {
            "units": Table(others=Optional(Text())),
            "compare": Table({"axis": Text(), "baseline": Anything()}, null=True),
        },
    ),
    "platter.optimise": Table(
        {
            "parameters": List(Named()),
            "objectives": List(
                Table({"name": Text(), "direction": Text()}, {"unit": Optional(Text())})
            ),
        },
        {"constraints": List(Named())},
    ),
}


def expect_columns(
    given: TableInput, *, numbers: Iterable[str] = (), texts: Iterable[str] = ()
) -> None:
    """LabError where a column that is there has another type. One without any value has any."""

    def is_number(dtype: pl.DataType | type[pl.DataType]) -> bool:
        return dtype.is_numeric() or dtype == pl.Boolean

    def is_text(dtype: pl.DataType | type[pl.DataType]) -> bool:
        return dtype == pl.String

    for names, what, fits in ((numbers, "numbers", is_number), (texts, "texts", is_text)):
        for name in names:
            dtype = given.frame.schema.get(name, pl.Null)
            if dtype != pl.Null and not fits(dtype):
                raise LabError(f"{given.file}: column {name}: found {dtype}, expected {what}")


def read_inputs(
    files: Sequence[Path], logs: Sequence[Path] = (), explain: Path | None = None
) -> list[RunInput] | SweepInput | StudyInput:
    """Runs, or one table. LabError for what is none of it, and for mixtures."""
    contents = {file: _read(file) for file in files}
    if len(contents) < len(files):
        raise LabError(
            f"{next(file for file in files if list(files).count(file) > 1)}: is given twice; "
            "expected each result only once"
        )
    tables = [file for file, content in contents.items() if content.startswith(b"PAR1")]
    if tables:
        table = _read_table(tables[0], contents[tables[0]])
        if len(files) > 1:
            raise LabError(
                f"{tables[0]}: a table, with {next(file for file in files if file != tables[0])}; "
                "expected one table alone, or results of runs"
            )
        if logs or explain:
            raise LabError(
                f"{(*logs, explain)[0]}: found with a table; expected --requests and --explain "
                "with results of runs"
            )
        assert isinstance(table, SweepInput | StudyInput)
        return table
    if logs and len(logs) != len(files):
        raise LabError(
            f"--requests: found {len(logs)} logs for {len(files)} results; expected one each, in "
            "their order"
        )
    if explain and len(files) > 1:
        raise LabError(f"{explain}: found --explain with {len(files)} results; expected one")
    runs = []
    for number, (file, content) in enumerate(contents.items()):
        result = _read_result(file, content)
        log = logs[number] if logs else log_beside(file)
        requests = None
        if log:
            requests = _read_log(log)
            _expect_of_run(log, requests, file, result)
        runs.append(
            RunInput(
                file,
                Run(result, requests),
                log,
                _read_explained(explain, requests) if explain else {},
            )
        )
    return runs
