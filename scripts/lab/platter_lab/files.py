# SPDX-License-Identifier: Apache-2.0
"""Files of a study, whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from platter_lab import LabError


def write_whole(files: dict[Path, str]) -> None:
    """All files or none: each is written beside its place and moved there when all are complete."""
    made: list[tuple[Path, Path]] = []
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_name(f".{path.name}.{os.getpid()}.part")
            made.append((beside, path))
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
            beside.write_text(text, encoding="utf-8")
        for beside, path in made:
            beside.replace(path)
    except OSError as error:
        raise LabError(f"{error.filename}: {error.strerror}") from error
    finally:
        for beside, _ in made:
            beside.unlink(missing_ok=True)
