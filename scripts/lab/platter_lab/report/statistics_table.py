# SPDX-License-Identifier: Apache-2.0
"""The numbers of results with units and meanings from the model's schema, and the configurations
key by key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platter_lab import LabError
from platter_lab.executable import find_platter, result_schema, schema_of_kind
from platter_lab.report.page import number

Schema = dict[str, Any]


@dataclass(frozen=True)
class Statistic:
    value: float | str | bool | None
    unit: str = ""
    meaning: str = ""


def read_schema(platter: Path | None) -> Schema | None:
    """The executable's, of results; None where there is no executable, unless one was named."""
    try:
        executable = find_platter(platter)
    except LabError:
        if platter:
            raise
        return None
    return result_schema(executable)


def _below(node: Schema, part: str) -> Schema:
    found = node.get("properties", {}).get(
        part, node.get("items" if part.isdigit() else "additionalProperties")
    )
    return found if isinstance(found, dict) else {}


def statistics(result: dict[str, Any], schema: Schema | None) -> dict[str, Statistic]:
    """By name. A list of numbers is one value, as text; the configuration is left out."""
    return dict(
        _walk(
            {key: value for key, value in result.items() if key != "configuration"},
            "",
            schema_of_kind(schema or {}, result["configuration"]["host"]["kind"]),
        )
    )


def _walk(value: Any, name: str, node: Schema) -> Iterator[tuple[str, Statistic]]:
    if isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(one, dict | list) for one in value)
    ):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _walk(one, f"{name}.{key}" if name else str(key), _below(node, str(key)))
        return
    said = re.fullmatch(r"(.*?)\s*(?:\[([^]]*)\])?", str(node.get("description", "")), re.S)
    meaning, unit = (said[1], said[2] or "") if said else ("", "")
    yield (
        name,
        Statistic(_listed(value, number) if isinstance(value, list) else value, unit, meaning),
    )


def _listed(values: list[Any], shown: Callable[[Any], str]) -> str:
    return ", ".join(shown(one) if isinstance(one, float) else str(one) for one in values[:24]) + (
        f", … ({len(values)} values)" if len(values) > 24 else ""
    )


def settings(configuration: dict[str, Any]) -> dict[str, str]:
    """Every key of scenario and drive."""
    return dict(_settings(configuration, ""))


def _settings(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(one, dict) for one in value)
    ):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _settings(one, f"{name}.{key}" if name else str(key))
    else:
        yield (
            name,
            _listed(value, str)
            if isinstance(value, list)
            else json.dumps(value, ensure_ascii=False).strip('"'),
        )
