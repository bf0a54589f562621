# SPDX-License-Identifier: Apache-2.0
"""Studies around the Platter hard-disk model."""

__version__ = "0.1.0"


class LabError(Exception):
    """A study cannot go on because of its input or a missing tool; the message says which."""


class StudyFailed(LabError):
    """A study cannot go on though its input is good: a run of the model failed, or what it runs on changed meanwhile."""


from platter_lab.model import Run, run  # noqa: E402 - needs the errors

__all__ = ["LabError", "Run", "StudyFailed", "run"]
