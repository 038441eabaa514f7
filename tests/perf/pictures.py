"""Take the pictures of a report that are kept beside it: a chart with its table, light, dark and on a telephone.

    ./flint python -m tests.perf.pictures docs/report                       of docs/report/report.html
    ./flint python -m tests.perf.pictures docs/report --of streaming-queues-set
    ./flint python -m tests.perf.pictures docs/report --print               paper.pdf, too

Needs Chromium. The part to show is a section of the page by its id; without one it is the first that has charts and a
table. A picture ends where its section does, at most HEIGHT_MAX pixels below its heading.
"""

from __future__ import annotations

import argparse
import base64
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from flintmq.perf.report.document import HTML
from tests.perf.browser import Browser, program

#: Name, width of the window, dark.
PICTURES = (("light.png", 1280, False), ("dark.png", 1280, True), ("phone.png", 390, False))
#: Sections that are shown if they are there: the first one.
WANTED = ("streaming-queues-set", "persistent-messaging-single", "broker-flows-and-formats-single")
HEIGHT_MAX = 1400

_FIRST = """(wanted => {
  const whole = part => part && part.querySelector("figure") && part.querySelector("table");
  const named = wanted.map(name => document.getElementById(name)).find(whole);
  return (named || [...document.querySelectorAll(".part")].find(whole) || {id: ""}).id;
})"""
_BOX = """(name => {
  const box = document.getElementById(name).getBoundingClientRect();
  return [box.left, box.top + scrollY, box.width, box.height];
})"""


def take(place: Path, of: str = "", paper: bool = False) -> list[Path]:
    """Take the pictures of the report in `place`; return their paths."""
    made = []
    with tempfile.TemporaryDirectory(prefix="flint-pictures-") as profile, Browser(Path(profile)) as browser:
        for name, width, dark in PICTURES:
            browser.open(place / HTML, width, 900, dark)
            part = of or browser.evaluate(f"{_FIRST}({list(WANTED)!r})")
            if not part or not browser.evaluate(f"document.getElementById({part!r}) !== null"):
                raise SystemExit(f"{place / HTML}: there is no section {part or 'with a chart'}")
            left, top, across, height = browser.evaluate(f"{_BOX}({part!r})")
            margin = 16
            clip = {
                "x": max(left - margin, 0),
                "y": max(top - margin, 0),
                "width": min(across + 2 * margin, width),
                "height": min(height, HEIGHT_MAX) + margin,
                "scale": 1,
            }
            found = browser.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
            (place / name).write_bytes(base64.b64decode(found["data"]))
            made.append(place / name)
        if paper:
            found = browser.ask("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
            (place / "paper.pdf").write_bytes(base64.b64decode(found["data"]))
            made.append(place / "paper.pdf")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Take the pictures of a performance report.")
    parser.add_argument("place", type=Path, help=f"directory with {HTML}")
    parser.add_argument("--of", default="", metavar="ID", help="section to show")
    parser.add_argument("--print", action="store_true", dest="paper", help="the report as it is printed, as PDF")
    given = parser.parse_args(arguments)
    if program() is None:
        print("no Chromium is installed", file=sys.stderr)
        return 2
    if not (given.place / HTML).is_file():
        print(f"{given.place / HTML}: there is no such file", file=sys.stderr)
        return 2
    for path in take(given.place, given.of, given.paper):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
