"""A headless Chromium for tests, driven over its debugging pipe: no port, no driver program, no library.

Messages are JSON, ended by a zero byte: written to file descriptor 3 of the browser, read from its 4. A script that is
evaluated this way runs whatever the page forbids itself, and sees the page as a reader does.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE_S = 60.0


def program() -> str | None:
    """Return the path of a Chromium, None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One browser with one page. `problems` has errors of its console; `requests` all addresses that it asked for."""

    def __init__(self, profile: Path) -> None:
        path = program()
        assert path is not None
        reading, self._to = os.pipe()
        self._from, writing = os.pipe()
        # The browser has its ends as 3 and 4 whatever they are here.
        command = [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        command += ["--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        words = " ".join(f"'{word}'" for word in command)
        shell = f"exec 3<&{reading} 4>&{writing}; exec {words}"
        self._process = subprocess.Popen(
            ["bash", "-c", shell],
            pass_fds=(reading, writing),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(reading)
        os.close(writing)
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self.requests: list[str] = []

    def __enter__(self) -> Browser:
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._to)
        self._process.terminate()
        self._process.wait(10)
        os.close(self._from)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(until - time.monotonic(), 0))
            read = os.read(self._from, 1 << 20) if ready else b""
            if not read:
                raise AssertionError(f"the browser did not answer within {PATIENCE_S:g} s")
            self._buffer += read
        line, _, self._buffer = self._buffer.partition(b"\0")
        made: dict[str, Any] = json.loads(line)
        return made

    def _note(self, event: dict[str, Any]) -> None:
        method, fields = event.get("method", ""), event.get("params", {})
        self.events.append(event)
        if method == "Network.requestWillBeSent":
            self.requests.append(fields["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.problems.append(str(fields["exceptionDetails"].get("text")))
        elif method == "Log.entryAdded" and fields["entry"]["level"] in ("error", "warning"):
            self.problems.append(fields["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and fields["type"] in ("error", "warning", "assert"):
            self.problems.append(str(fields["args"]))

    def open(self, file: Path, width: int, height: int, dark: bool = False) -> None:
        """Open a file as a reader with this window and this setting of the system would."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=features)
        self.events.clear()
        self.ask("Page.navigate", url=file.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self._note(self._next())

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def picture(self, file: Path, whole: bool = False) -> None:
        """Write a picture of the window as PNG, or of the whole page."""
        found = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(found["data"]))
