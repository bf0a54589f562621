# SPDX-License-Identifier: Apache-2.0
"""Writes the files of a study completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from platter_lab import LabError, StudyFailed

if TYPE_CHECKING:
    import polars as pl

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_TRIES = 20  # where other processes make and remove the same folders


def is_full(error: OSError) -> bool:
    """Whether there was no room on the disk.

    Then the study has failed, and its input may be good.
    """
    return error.errno in _FULL


def _refusal(error: OSError, message: str) -> LabError:
    return StudyFailed(message) if is_full(error) else LabError(message)


def write_bytes(path: Path, content: bytes) -> None:
    """As `write_whole`, of one file that is no text."""
    write_whole({path: content})


def write_parquet(
    frame: pl.DataFrame, path: Path, metadata: Mapping[str, str] | None = None
) -> None:
    """As `write_bytes`."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata=dict(metadata or {}))
    write_bytes(path, buffer.getvalue())


def write_whole(files: Mapping[Path, str | bytes], *, sync: bool = True) -> None:
    """All files or none: each is written beside its place, under a name that nothing else has, and
    moved there when all are complete.

    A file that is replaced gives its mode to the new one, and its owner and group as far as this
    process may do that. With `sync` files are on the disk before they get their names. Of a
    symbolic link the target is written, the link stays. What is no file (a pipe, a device) and what
    this process holds open (`/dev/stdout`, `/dev/fd/3`) is written into as it is, before anything
    is moved. Errors are a LabError with the output's name.
    """
    made: dict[Path, Path] = {}  # what is written, by where it goes
    folders: list[Path] = []
    streams: list[tuple[Path, bytes]] = []
    done = False
    path = Path()
    try:
        for path, text in files.items():
            content = text if isinstance(text, bytes) else text.encode()
            if _is_stream(path):
                streams.append((path, content))
                continue
            target = Path(os.path.realpath(path))
            if target in made:
                raise LabError(
                    f"{path}: is the file of two outputs; expected a separate file for each"
                )
            _make_folder(target.parent, folders)
            beside = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
            made[target] = beside
            with os.fdopen(
                os.open(
                    beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _first_mode(target)
                ),
                "wb",
            ) as file:
                file.write(content)
                file.flush()
                _take_mode(target, file.fileno())
                if sync:
                    _sync(file.fileno())
        for path, content in streams:
            _write_stream(path, content)
        for path, beside in made.items():
            beside.replace(path)
        done = True
    except OSError as error:
        raise _refusal(error, f"{path}: {error.strerror}") from error
    finally:
        for beside in made.values():
            beside.unlink(missing_ok=True)
        if not done:
            _remove_empty(folders)


def expect_writable_file(path: Path, what: str) -> None:
    """LabError where write_whole() could not write this file, as far as that shows beforehand.

    `what` is it for.
    """
    try:
        if _is_stream(path):
            if _descriptor(path) is None and not os.access(path, os.W_OK):
                raise LabError(
                    f"{path}: {os.strerror(errno.EACCES)}; expected {what} that can be written"
                )
            return
    except IsADirectoryError as error:
        raise LabError(f"{path}: is a folder; expected a file for {what}") from error
    except OSError as error:
        raise _refusal(error, f"{path}: {error.strerror}; expected a file for {what}") from error
    expect_writable_folder(Path(os.path.realpath(path)).parent, what)


def expect_files_apart(
    inputs: Mapping[str, Path | None], *outputs: tuple[str, Path | None, str]
) -> None:
    """LabError where an output cannot be written, or is the file of an input or of another output.
    Inputs by their option; of an output its option, the file, what it is for. None: not given.
    """
    taken = dict(inputs)
    for option, file, what in outputs:
        if file is None:
            continue
        for other, its in taken.items():
            if its is not None and _same(file, its):
                raise LabError(
                    f"{file}: {option} names the same file as {other}; expected another file for "
                    f"{what}"
                )
        expect_writable_file(file, what)
        taken[option] = file


def _same(one: Path, other: Path) -> bool:
    """Whether both name one file that is replaced, by whatever links; not yet there counts, too."""
    try:
        return one.samefile(other) and not _is_stream(one)
    except OSError:
        return one.resolve() == other.resolve()


def expect_writable_folder(folder: Path, what: str) -> None:
    """LabError where no file can be made in this folder, which need not exist yet; tries, and
    leaves nothing. `what` is it for.
    """
    made: list[Path] = []
    try:
        for left in reversed(range(_TRIES)):
            try:
                _make_folder(folder, made)
                with tempfile.TemporaryFile(dir=folder):
                    break
            except (
                FileNotFoundError
            ):  # another process tries the same, and has removed what it made
                if not left:
                    raise
    except NotADirectoryError as error:
        raise LabError(
            f"{folder}: the path, or a folder in it, is a file; expected a folder for {what}"
        ) from error
    except OSError as error:
        raise _refusal(
            error, f"{folder}: cannot be written: {error.strerror}; expected a folder for {what}"
        ) from error
    finally:
        _remove_empty(made)


def _first_mode(target: Path) -> int:
    """Of a file that is still being written: nobody may read it who may not read the one that it
    replaces.
    """
    try:
        return target.stat().st_mode & 0o666 | stat.S_IRUSR | stat.S_IWUSR
    except FileNotFoundError:
        return 0o666


def _take_mode(target: Path, descriptor: int) -> None:
    """Mode, owner and group of the file that is replaced, if there is one; the rights of one group
    are not another's.
    """
    try:
        replaced = target.stat()
    except FileNotFoundError:
        return
    own = os.fstat(descriptor)
    mode = stat.S_IMODE(replaced.st_mode)
    for differs, ids, lost in (
        (own.st_uid != replaced.st_uid, (replaced.st_uid, -1), stat.S_ISUID),
        (own.st_gid != replaced.st_gid, (-1, replaced.st_gid), stat.S_ISGID | stat.S_IRWXG),
    ):
        try:
            if differs:
                os.fchown(descriptor, *ids)
        except OSError:
            mode &= ~lost
    with contextlib.suppress(OSError):  # a file system without modes
        os.fchmod(descriptor, mode)


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system without this call
            raise


def _is_stream(path: Path) -> bool:
    """Whether it is written into as it is.

    Raises OSError where it is a folder, or cannot be reached.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return not stat.S_ISREG(mode) or _descriptor(path) is not None


def _descriptor(path: Path) -> int | None:
    """The descriptor of this process that a name, or a link behind it, stands for.

    Precondition: the name exists.
    """
    own = {os.path.realpath("/dev/fd"), f"/proc/{os.getpid()}/fd"}
    while path.is_symlink():
        if os.path.realpath(path.parent) in own:
            return int(path.name)
        path = path.parent / path.readlink()
    return None


def _write_stream(path: Path, content: bytes) -> None:
    descriptor = _descriptor(path)
    if descriptor is not None:
        sys.stdout.flush()  # what was printed before comes before
        sys.stderr.flush()
    with path.open("wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(content)


def _make_folder(folder: Path, made: list[Path]) -> None:
    """With all that it stands in; what there was not yet goes to `made`, the outermost first."""
    for left in reversed(range(_TRIES)):
        missing = []
        above = folder
        while not above.exists():
            missing.append(above)
            above = above.parent
        try:
            for one in reversed(missing):
                with contextlib.suppress(
                    FileExistsError
                ):  # by another thread, which may remove it only when it is empty
                    one.mkdir()
                    made.append(one)
            return
        except FileNotFoundError:  # another process has removed what it made, and found empty
            if not left:
                raise


def _remove_empty(folders: list[Path]) -> None:
    """The innermost first; one in which others have written stays."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            folder.rmdir()
