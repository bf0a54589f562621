# SPDX-License-Identifier: Apache-2.0
"""Results of runs, each kept under a key of all that it depends on."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from platter_lab.files import write_whole

_FORMAT = 2   # of a kept result


class Store:
    """One file a run, whole or not there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    def key(*parts: Any) -> str:
        """Of everything that a result depends on, as JSON."""
        return hashlib.sha256(json.dumps([_FORMAT, *parts], sort_keys=True).encode()).hexdigest()

    def _file(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"

    def read(self, key: str) -> dict[str, Any] | None:
        """None where there is no result, or half of one."""
        try:
            return json.loads(self._file(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def write(self, key: str, result: dict[str, Any]) -> None:
        write_whole({self._file(key): json.dumps(result, sort_keys=True)})
