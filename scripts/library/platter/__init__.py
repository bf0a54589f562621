# SPDX-License-Identifier: Apache-2.0
"""Simulated hard-disk drives, by the library libplatter (docs/reference/c_library.md).

All devices of a process share one simulated time. Make them before the first `run()`, and use them
from one thread. Times are absolute simulated times in picoseconds.

A value that the package itself refuses is a ValueError, and an integer that C cannot hold an
OverflowError. All other errors are a PlatterError with the library's text. The import raises
OSError if it cannot load the library, which the variable PLATTER_LIBRARY may name.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cffi

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "FOREVER", "Completion", "Device", "PlatterError", "advance", "now", "run", "version",
]  # fmt: skip

FOREVER = 2**63 - 1
_OPERATIONS = {"read": 0, "write": 1, "flush": 2}
_CLASSES = {"discrete": 0, "continuous": 1, "background": 2}


class PlatterError(Exception):
    """A call of the library failed.

    `code`: 1: a configuration or a file is wrong; 2: a wrong argument; 3: not possible now, for
    example a device after the first `run()`; 4: the simulation stopped.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def _find(name: str, tree: str) -> Path:
    """A file of the package; in the source tree where it is made."""
    here = Path(__file__).resolve().parent
    return here / name if (here / name).exists() else here.parents[2] / tree


def _load() -> tuple[cffi.FFI, Any]:
    header = _find("platter.h", "models/libplatter/platter.h").read_text(encoding="utf-8")
    header = re.sub(r"/\*.*?\*/|#ifdef __cplusplus.*?#endif", "", header, flags=re.DOTALL)
    ffi = cffi.FFI()
    ffi.cdef("\n".join(line for line in header.splitlines() if not line.startswith("#")))
    path = os.environ.get("PLATTER_LIBRARY") or _find(
        "libplatter.so", "build/release/models/libplatter.so"
    )
    return ffi, ffi.dlopen(str(path))


_ffi, _lib = _load()


def _checked(code: int) -> None:
    if code != 0:
        raise PlatterError(code, _ffi.string(_lib.platter_error()).decode())


def version() -> str:
    """Version of the library."""
    return str(_ffi.string(_lib.platter_version()).decode())


def now() -> int:
    """The present time, ps."""
    return int(_lib.platter_now())


@dataclass(frozen=True)
class Completion:
    """A request that has ended.

    device, request: the device, and the number that its `submit()` returned.
    status: "good", or a few words that say why the request failed, as "a sector cannot be read".
    issued, started, completed: absolute times in ps of `submit()`, of the drive's decision for the
        request, and of the response. Where nothing was decided, `started` is 0: for a request that
        failed, except on sectors that cannot be read or written.
    queue, overhead, seek, settle, rotation, transfer, bus: where the time went, in ps. They sum to
        `completed - issued`.
    data: the bytes of a read with `data=True` that was good; otherwise None.
    first_bad: the first block that could not be read or written, if that was the reason; else 0.
    """

    device: Device
    request: int
    status: str
    issued: int
    started: int
    completed: int
    queue: int
    overhead: int
    seek: int
    settle: int
    rotation: int
    transfer: int
    bus: int
    data: bytes | None
    first_bad: int

    @property
    def good(self) -> bool:
        """It has succeeded."""
        return self.status == "good"


class Device:
    """A drive, or an array of drives, that a scenario describes.

    `scenario`: text of a TOML file (docs/reference/configuration.md). Without it, the keywords are
    the scenario's keys, as `Device(drive="wd22tb", policy="SPTF")`. `name`: in messages and waves;
    empty: "device" with a number. `disk`: file that keeps the contents
    (docs/reference/power_loss.md), for one drive only; None: they are in memory.

    ValueError for a scenario and keys together. PlatterError for a wrong scenario or disk file, and
    after the first `run()`.
    """

    def __init__(
        self,
        scenario: str | None = None,
        *,
        name: str = "",
        disk: str | Path | None = None,
        **keys: str | float | bool,
    ) -> None:
        if scenario is not None and keys:
            raise ValueError(f"found a scenario and the keys {[*keys]}, expected one of them")
        if scenario is None:
            values = {"format": 1, **keys}
            scenario = "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())
        handle = _ffi.new("platter_device**")
        file = _ffi.NULL if disk is None else str(disk).encode()
        _checked(_lib.platter_create(scenario.encode(), name.encode(), file, handle))
        self._handle = handle[0]
        self._buffers: dict[int, Any] = {}
        _devices[self._handle] = self

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return int(_lib.platter_blocks(self._handle))

    @property
    def block_bytes(self) -> int:
        """Bytes of a block."""
        return int(_lib.platter_block_bytes(self._handle))

    def submit(
        self,
        operation: str,
        block: int = 0,
        blocks: int = 1,
        *,
        data: Buffer | bool | None = None,
        cls: str = "discrete",
        deadline: int = FOREVER,
        stream: int = 0,
        fua: bool = False,
    ) -> int:
        """Issues a request now, and returns its number, from 1.

        operation: "read", "write" or "flush". block, blocks: the first block and how many; a flush
        ignores them. data: of a write its bytes, as bytes, bytearray, memoryview or a numpy array;
        of a read True, and its completion brings the bytes; None: times only. cls: "discrete",
        "continuous" or "background". deadline: absolute time in ps. stream: number of the stream of
        a continuous request. fua: a write completes when it is on the media, and a read comes from
        there. ValueError for an unknown word and for other data, PlatterError for a wrong number.
        """
        if operation not in _OPERATIONS or cls not in _CLASSES:
            raise ValueError(
                f"found {operation!r}, {cls!r}; expected {[*_OPERATIONS]}, {[*_CLASSES]}"
            )
        request = _ffi.new("platter_request*")
        _lib.platter_request_init(request)
        request.operation = _OPERATIONS[operation]
        request.cls = _CLASSES[cls]
        request.block, request.blocks = (0, 0) if operation == "flush" else (block, blocks)
        request.stream, request.deadline, request.fua = stream, deadline, int(fua)
        buffer = self._buffer(operation, blocks * self.block_bytes, data)
        if buffer is not None:
            request.data = _ffi.cast("void*", buffer)
        number = _ffi.new("uint64_t*")
        _checked(_lib.platter_submit(self._handle, request, number))
        if operation == "read" and buffer is not None:
            self._buffers[number[0]] = buffer
        return int(number[0])

    def cancel(self, number: int) -> bool:
        """Withdraws a request that waits. True if it was withdrawn; it completes as aborted. False
        if its access has begun, or if no such request is outstanding. PlatterError for an array.
        """
        done = _ffi.new("int*")
        _checked(_lib.platter_cancel(self._handle, number, done))
        return bool(done[0])

    def cut_power(self) -> None:
        """The power of all drives of the device fails now."""
        _checked(_lib.platter_cut_power(self._handle))

    def restore_power(self) -> None:
        """The power of all drives of the device returns now."""
        _checked(_lib.platter_restore_power(self._handle))

    def power_image(self, path: str | Path, drive: int = 0) -> None:
        """Writes what the drive would hold if its power failed now into a new disk file.

        drive: its number in an array. PlatterError if the file exists, and for eager writing.
        """
        _checked(_lib.platter_power_image(self._handle, drive, str(path).encode()))

    def statistics(self) -> dict[str, Any]:
        """Statistics of all requests so far (docs/reference/statistics.md)."""
        text = _ffi.new("char**")
        _checked(_lib.platter_statistics(self._handle, _ffi.cast("const char**", text)))
        result: dict[str, Any] = json.loads(_ffi.string(text[0]))
        return result

    def waves(self, path: str | Path) -> None:
        """Records waves into an FST file until `end_waves()`; before the first `run()`."""
        _checked(_lib.platter_waves_begin(self._handle, str(path).encode()))

    def end_waves(self) -> None:
        """Completes the file."""
        _checked(_lib.platter_waves_end(self._handle))

    def close(self) -> None:
        """Gives the device up. `run()` yields no more completions of it, whether they have happened
        or not. The device takes no further calls.
        """
        _lib.platter_destroy(self._handle)
        _devices.pop(self._handle, None)

    def _buffer(self, operation: str, size: int, data: Buffer | bool | None) -> Any:
        """Memory for the bytes of a request, or None. ValueError for data that it cannot have."""
        if data is None or (operation == "read" and data is False):
            return None
        if operation == "read" and data is True:
            return _ffi.new("char[]", size)
        expected = {"read": "True or None", "write": f"{size} bytes or None", "flush": "None"}
        found = type(data).__name__
        if operation == "write" and not isinstance(data, bool):
            try:
                view = memoryview(data)
                # platter_submit() copies the bytes
                content = _ffi.from_buffer(data if view.c_contiguous else view.tobytes())
            except (TypeError, ValueError):
                content = None
            if content is not None and len(content) == size:
                return content
            if content is not None:
                found = f"{len(content)} bytes"
        raise ValueError(f"data of a {operation}: found {found}, expected {expected[operation]}")

    def _data(self, number: int, good: bool) -> bytes | None:
        buffer = self._buffers.pop(number, None)
        return bytes(_ffi.buffer(buffer)) if good and buffer is not None else None


_devices: dict[Any, Device] = {}


def _toml(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else json.dumps(value)


def run(until: int = FOREVER) -> Iterator[Completion]:
    """Simulates until a time, or until nothing is left to do. Yields each completion when it
    happens: what the caller submits meanwhile is issued at that time.

    The simulation advances while the caller iterates. `advance()` does both at once. A run that
    nobody iterates is a RuntimeWarning. PlatterError for a time that has passed.
    """
    return _Run(until)


def advance(until: int = FOREVER) -> list[Completion]:
    """Simulates until a time, or until nothing is left to do. Returns the completions meanwhile."""
    return list(_completions(until))


class _Run(Iterator[Completion]):
    """The completions of a run. It warns if nobody has asked for one."""

    def __init__(self, until: int) -> None:
        self._completions = _completions(until)
        self._asked = False

    def __next__(self) -> Completion:
        self._asked = True
        return next(self._completions)

    def __del__(self) -> None:
        if not self._asked:
            warnings.warn(
                "platter.run() was not iterated, so no time has passed; expected a loop over it, "
                "or platter.advance()",
                RuntimeWarning,
                stacklevel=2,
            )


def _completions(until: int) -> Iterator[Completion]:
    done = _ffi.new("platter_completion*")
    while True:
        _checked(_lib.platter_run(until))
        found = False
        while _lib.platter_next(done):
            found = True
            device = _devices[done.device]
            status = _ffi.string(_lib.platter_status_text(done.status)).decode()
            yield Completion(
                device,
                int(done.request),
                status,
                *(
                    int(getattr(done, part))
                    for part in (
                        "issued", "started", "completed", "queue", "overhead", "seek", "settle",
                        "rotation", "transfer", "bus",
                    )
                ),
                data=device._data(int(done.request), done.status == _lib.PLATTER_GOOD),
                first_bad=int(done.first_bad),
            )  # fmt: skip
        if not found:
            return
