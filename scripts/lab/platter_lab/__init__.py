# SPDX-License-Identifier: Apache-2.0
"""Studies around the Platter hard-disk model."""

import pathlib

__version__ = pathlib.Path(__file__).with_name("VERSION").read_text(encoding="utf-8").strip()


class LabError(Exception):
    """A study cannot go on because of its input or a missing tool; the message says which."""


class StudyFailed(LabError):
    """A study cannot go on though its input is good: a run of the model failed, or what it runs on
    changed meanwhile.
    """


from platter_lab.model import Run, run  # noqa: E402 - needs the errors

__all__ = ["LabError", "Run", "StudyFailed", "run"]
