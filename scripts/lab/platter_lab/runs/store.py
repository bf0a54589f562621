# SPDX-License-Identifier: Apache-2.0
"""Results of runs, each kept under a key of all that it depends on."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from platter_lab import LabError
from platter_lab.files import expect_writable_folder, write_whole

_FORMAT = 2  # of a kept result


class Store:
    """One file a run, whole or not there."""

    def __init__(self, folder: Path) -> None:
        """LabError where nothing can be kept in this folder."""
        expect_writable_folder(folder, "results of runs")
        self._folder = folder.absolute()

    @staticmethod
    def key(*parts: Any) -> str:
        """Of everything that a result depends on, as JSON."""
        return hashlib.sha256(json.dumps([_FORMAT, *parts], sort_keys=True).encode()).hexdigest()

    def _file(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"

    def log(self, key: str) -> Path:
        """The file of the run's log of requests, where one is kept."""
        return self._file(key).with_suffix(".requests.parquet")

    def read(self, key: str) -> dict[str, Any] | None:
        """None where there is no result, or half of one; LabError where it cannot be seen whether
        there is one.
        """
        file = self._file(key)
        try:
            result = json.loads(file.read_text(encoding="utf-8"))
            return result if isinstance(result, dict) and result else None
        except (FileNotFoundError, ValueError):
            return None
        except OSError as error:
            raise LabError(
                f"{file}: {error.strerror}; expected a kept result, or no file"
            ) from error

    def write(self, key: str, result: dict[str, Any]) -> None:
        # Half of one counts as none.
        write_whole({self._file(key): json.dumps(result, sort_keys=True)}, sync=False)
