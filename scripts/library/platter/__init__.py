# SPDX-License-Identifier: Apache-2.0
"""Simulated hard-disk drives, by the library libplatter (docs/reference/c_library.md).

All devices of a process share one simulated time. Make them before the first `run()`. Times are
absolute simulated times in picoseconds.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cffi

__all__ = ["FOREVER", "Completion", "Device", "PlatterError", "now", "run", "version"]

FOREVER = 2**63 - 1
_OPERATIONS = {"read": 0, "write": 1, "flush": 2}
_CLASSES = {"discrete": 0, "continuous": 1, "background": 2}


class PlatterError(Exception):
    """A call failed; `code` is one of the codes of platter.h."""

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
    """A request that has ended. Times in ps; the parts from `queue` to `bus` sum to
    `completed - issued`.
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

    `scenario`: text of a TOML file; or its keys, as `Device(drive="wd22tb", policy="SPTF")`.
    """

    def __init__(
        self,
        scenario: str | None = None,
        *,
        name: str = "",
        disk: str | Path | None = None,
        **keys: str | float | bool,
    ) -> None:
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
        data: bytes | bool | None = None,
        cls: str = "discrete",
        deadline: int = FOREVER,
        stream: int = 0,
        fua: bool = False,
    ) -> int:
        """Issues a request now, and returns its number. `data`: the bytes of a write; True: a read
        that brings its bytes; None: times only.
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
        buffer = None
        if isinstance(data, bytes):
            if len(data) != blocks * self.block_bytes:
                raise ValueError(
                    f"data: found {len(data)} bytes, expected {blocks * self.block_bytes}"
                )
            buffer = _ffi.from_buffer(data)
        elif data:
            buffer = _ffi.new("char[]", blocks * self.block_bytes)
        if buffer is not None:
            request.data = _ffi.cast("void*", buffer)
        number = _ffi.new("uint64_t*")
        _checked(_lib.platter_submit(self._handle, request, number))
        if operation == "read" and buffer is not None:
            self._buffers[number[0]] = buffer
        return int(number[0])

    def cancel(self, number: int) -> bool:
        """Withdraws a request that waits. True if it was; it then completes as aborted."""
        done = _ffi.new("int*")
        _checked(_lib.platter_cancel(self._handle, number, done))
        return bool(done[0])

    def cut_power(self) -> None:
        """The power fails now."""
        _checked(_lib.platter_cut_power(self._handle))

    def restore_power(self) -> None:
        """The power returns now."""
        _checked(_lib.platter_restore_power(self._handle))

    def power_image(self, path: str | Path, drive: int = 0) -> None:
        """Writes what the drive would hold if its power failed now into a new disk file."""
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
        """Gives the device up. Its requests that have not completed get no completion."""
        _lib.platter_destroy(self._handle)
        _devices.pop(self._handle, None)

    def _data(self, number: int) -> bytes | None:
        buffer = self._buffers.pop(number, None)
        return None if buffer is None else bytes(_ffi.buffer(buffer))


_devices: dict[Any, Device] = {}


def _toml(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else json.dumps(value)


def run(until: int = FOREVER) -> Iterator[Completion]:
    """Simulates until a time, or until nothing is left to do. Yields each completion when it
    happens: what the caller submits meanwhile is issued at that time.
    """
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
                data=device._data(int(done.request)),
                first_bad=int(done.first_bad),
            )  # fmt: skip
        if not found:
            return
