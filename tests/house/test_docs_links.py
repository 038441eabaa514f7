"""Links between the Markdown files of the tree lead somewhere, headings included."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("changes/*.md"), *ROOT.glob("benchmarks/**/*.md")]
)


def without_blocks(text: str) -> str:
    """Code blocks go; inline code stays, because a link's text is often code."""
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def anchors_of(page: Path) -> set[str]:
    """The anchors that Markdown viewers make of headings."""
    headings = re.findall(r"^#+ +(.+)$", without_blocks(page.read_text()), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> list[str]:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        place = (page.parent / name).resolve() if name else page
        if not place.exists() or (anchor and anchor not in anchors_of(place)):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_every_page_can_be_reached_from_the_index() -> None:
    """A page that nobody links to is a page that nobody reads."""
    start = ROOT / "docs" / "index.md"
    seen, waiting = {start}, [start]
    while waiting:
        page = waiting.pop()
        for target in re.findall(r"\]\(([^)\s#]+\.md)", without_blocks(page.read_text())):
            place = (page.parent / target).resolve()
            if place.exists() and place not in seen:
                seen.add(place)
                waiting.append(place)
    assert [str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").rglob("*.md")) if page not in seen] == []
