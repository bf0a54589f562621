# SPDX-License-Identifier: Apache-2.0
"""A page in Debian's Chromium without a display, over the DevTools protocol on a pipe:
no port, no driver, no package.

    build/venv/bin/python tb/lab/browser.py PAGE.html PICTURE.webp [HEIGHT [SECTION ...]]

makes a picture, 1280 pixels wide, as high as the page or as said, of these sections alone where
some are named.
"""

from __future__ import annotations

import base64
import io
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

CHROMIUM = "/usr/bin/chromium"
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


class Browser:
    """One page. `events` are all that the browser has told, in their order."""

    def __init__(self, width: int = 1280, height: int = 900) -> None:
        self.events: list[dict[str, Any]] = []
        self._size = (width, height)
        self._folder = tempfile.TemporaryDirectory(
            prefix="platter-browser-", ignore_cleanup_errors=True
        )
        command_read, self._to = os.pipe()
        self._from, reply_write = os.pipe()

        def place() -> None:  # the browser reads from descriptor 3 and writes to 4
            low, high = os.dup(command_read), os.dup(reply_write)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self._process = subprocess.Popen(
            [
                CHROMIUM,
                *_OPTIONS,
                f"--user-data-dir={self._folder.name}",
                f"--window-size={width},{height}",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=place,
            close_fds=False,
        )
        os.close(command_read)
        os.close(reply_write)
        self._buffer = b""
        self._number = 0
        self._session = ""
        page = next(
            one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page"
        )
        self._session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def _message(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select.select([self._from], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            read = os.read(self._from, 1 << 20)
            if not read:
                raise EOFError("the browser has ended")
            self._buffer += read
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Its result, within a minute."""
        self._number += 1
        message = {
            "id": self._number,
            "method": method,
            "params": parameters,
            **({"sessionId": self._session} if self._session else {}),
        }
        os.write(self._to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 60
        while True:
            answer = self._message(end)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def value(self, expression: str) -> Any:
        """Of JavaScript."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def wait(self, true: Callable[[], object], seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end:
                raise TimeoutError("the page did not get there")
            time.sleep(0.05)

    def open(self, page: Path) -> None:
        """With all its charts drawn, or failed."""
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.wait(
            lambda: self.value(
                "document.readyState === 'complete' && "
                "[...document.querySelectorAll('.chart')].every("
                "c => c.dataset.drawn || c.classList.contains('error'))"
            )
        )

    def resize(self, width: int, *, printed: bool = False) -> None:
        """The window, or the page's width on paper: there the page is as for a printer."""
        self._size = (width, self._size[1])
        self.call("Emulation.setEmulatedMedia", media="print" if printed else "")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=self._size[1],
            deviceScaleFactor=1,
            mobile=False,
        )

    def printed(self) -> bytes:
        """As PDF, on A4."""
        return base64.b64decode(
            self.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)[
                "data"
            ]
        )

    def picture(self, file: Path, height: int = 0) -> None:
        """With 40 colours, which look the same, without a loss as PNG or WebP."""
        tall = int(self.value("document.documentElement.scrollHeight"))
        height = min(tall, height or 16000)
        clip = {"x": 0, "y": 0, "width": self._size[0], "height": height, "scale": 1}
        taken = self.call(
            "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True
        )["data"]
        with Image.open(io.BytesIO(base64.b64decode(taken))) as image:
            few = image.convert("RGB").quantize(
                40, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
            )
        if file.suffix == ".webp":
            few.convert("RGB").save(file, lossless=True, quality=100, method=6)
        else:
            few.save(file, optimize=True)


if __name__ == "__main__":
    page_, picture_, *rest = sys.argv[1:]
    with Browser() as browser:
        browser.open(Path(page_))
        if rest[1:]:
            browser.value(
                "document.querySelectorAll('section').forEach(s => { "
                f"if (!{json.dumps(rest[1:])}.includes(s.querySelector('h2').textContent)) "
                "s.remove(); })"
            )
        browser.picture(Path(picture_), int(rest[0]) if rest else 0)
