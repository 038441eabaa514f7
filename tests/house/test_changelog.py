"""News fragments are well named, and folding them makes a section and takes them away."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import changelog

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "README.md").write_text("for whom\n")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{changelog.MARK}\n\n## 0.1.0 (2026-01-01)\n\n- first\n")
    return tmp_path


def test_the_fragments_of_the_tree_can_be_folded() -> None:
    changelog.fragments(ROOT / "changes")
    assert changelog.MARK in (ROOT / "CHANGELOG.md").read_text()


def test_fragments_become_a_section_above_the_older_ones_and_go(tree: Path) -> None:
    (tree / "changes" / "7.fixed.md").write_text("DISPLAY QSTATUS now\ncounts browsers.\n")
    (tree / "changes" / "torn-tail.safety.md").write_text("A torn tail is cut.\n")
    changelog.fold(tree, "0.2.0", "2026-02-01")
    assert (tree / "CHANGELOG.md").read_text() == (
        f"# Changelog\n\n{changelog.MARK}\n\n"
        "## 0.2.0 (2026-02-01)\n\n### Safety\n\n- A torn tail is cut.\n\n"
        "### Fixed\n\n- DISPLAY QSTATUS now\n  counts browsers.\n\n"
        "## 0.1.0 (2026-01-01)\n\n- first\n"
    )
    assert [path.name for path in (tree / "changes").iterdir()] == ["README.md"]


def test_a_version_is_folded_only_once(tree: Path) -> None:
    with pytest.raises(changelog.BadFragment, match="has a section 0.1.0 already"):
        changelog.fold(tree, "0.1.0", "2026-02-01")


@pytest.mark.parametrize("name", ["7.md", "7.news.md", "7.fixed.txt", "A B.fixed.md"])
def test_a_file_that_is_no_fragment_is_named(tree: Path, name: str) -> None:
    (tree / "changes" / name).write_text("text\n")
    with pytest.raises(changelog.BadFragment, match=r"<issue-or-slug>\.<kind>\.md"):
        changelog.fragments(tree / "changes")


def test_an_empty_fragment_is_named(tree: Path) -> None:
    (tree / "changes" / "7.fixed.md").write_text("\n")
    with pytest.raises(changelog.BadFragment, match="7.fixed.md is empty"):
        changelog.fragments(tree / "changes")
