# SPDX-License-Identifier: Apache-2.0
"""The `platter-lab` command: one subcommand per study, each module adds its own."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from platter_lab import (
    LabError,
    StudyFailed,
    __version__,
    bound,
    calibrate,
    guest,
    optimise,
    power,
    report,
    reproduce,
    stream_tables,
    sweep,
)
from platter_lab.executable import how_to_install
from platter_lab.files import is_full

# Every module here has add_command(subparsers), which sets `run` to a function of the parsed
# arguments.
COMMANDS = (stream_tables, calibrate, reproduce, sweep, optimise, power, report, guest, bound)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="platter-lab",
        description=(
            "Studies with the Platter hard-disk model: sweeps, searches, reports, calibration and "
            "papers' experiments."
        ),
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add_command(subparsers)
    return parser


def _end(number: int, _frame: object) -> None:
    """As an exception, so that temporary folders go."""
    sys.exit(128 + number)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes as in `platter`: 0 good, 1 the study failed or what it checks differs, 2 usage or
    input, 128 + signal.
    """
    parser = build_parser()
    if not (sys.argv[1:] if argv is None else argv):
        parser.print_help()
        return 0
    arguments = parser.parse_args(argv)
    os.environ.setdefault("PLATTER_PYTHON", sys.executable)  # for policies in Python
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - what is left goes nowhere
        return 128 + signal.SIGPIPE
    except ModuleNotFoundError as error:  # of this package's own there is none missing
        group = {"optimise": "search"}.get(arguments.command, arguments.command)
        print(
            f"platter-lab: {arguments.command}: the Python package {error.name} is not installed; "
            f"install it with: {how_to_install(group)}",
            file=sys.stderr,
        )
        return 2
    except LabError as error:
        print(f"platter-lab: {error}", file=sys.stderr)
        return 1 if isinstance(error, StudyFailed) else 2
    except OSError as error:
        if not is_full(error):
            raise
        if not error.filename:
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        print(
            f"platter-lab: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr
        )
        return 1
    except KeyboardInterrupt:
        print("platter-lab: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
