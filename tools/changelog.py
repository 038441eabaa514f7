"""Folds the news fragments of changes/ into CHANGELOG.md.

    python tools/changelog.py --draft            print what the next version's section would be
    python tools/changelog.py 0.2.0              write the section, remove the fragments

A fragment is `changes/<issue-or-slug>.<kind>.md`; changes/README.md says for whom it is written. The order of the kinds
below is the order in the changelog: what keeps messages safe first.
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Kind in the file name -> heading.
KINDS = {
    "safety": "Safety",
    "added": "Added",
    "changed": "Changed",
    "fixed": "Fixed",
    "performance": "Performance",
    "removed": "Removed",
    "internal": "For developers",
}
#: Sections are added below this line of CHANGELOG.md.
MARK = "<!-- versions, newest first -->"


class BadFragment(Exception):
    """A file in changes/ that cannot be folded; the text says why."""


def fragments(directory: Path) -> dict[str, list[Path]]:
    """Kind -> its files, sorted by name."""
    found: dict[str, list[Path]] = {kind: [] for kind in KINDS}
    for path in sorted(directory.glob("*")):
        if path.name == "README.md":
            continue
        name = re.fullmatch(r"[a-z0-9-]+\.([a-z]+)\.md", path.name)
        if name is None or name[1] not in KINDS:
            raise BadFragment(
                f"{path.name}: the name must be <issue-or-slug>.<kind>.md, kind one of {', '.join(KINDS)}"
            )
        if not path.read_text().strip():
            raise BadFragment(f"{path.name} is empty")
        found[name[1]].append(path)
    return found


def section(version: str, day: str, found: dict[str, list[Path]]) -> str:
    """The changelog section of a version. A fragment of several lines stays one entry."""
    parts = [f"## {version} ({day})"]
    for kind, heading in KINDS.items():
        if found[kind]:
            entries = [path.read_text().strip().replace("\n", "\n  ") for path in found[kind]]
            parts.append(f"### {heading}\n\n" + "\n".join(f"- {entry}" for entry in entries))
    return "\n\n".join(parts) + "\n"


def fold(root: Path, version: str, day: str) -> None:
    """Write the section into CHANGELOG.md, then remove the fragments: a crash in between leaves them to be seen."""
    found = fragments(root / "changes")
    changelog = root / "CHANGELOG.md"
    text = changelog.read_text()
    if MARK not in text:
        raise BadFragment(f"CHANGELOG.md has no line {MARK}")
    if f"\n## {version} " in text:
        raise BadFragment(f"CHANGELOG.md has a section {version} already")
    changelog.write_text(text.replace(MARK, f"{MARK}\n\n{section(version, day, found).rstrip()}", 1))
    for paths in found.values():
        for path in paths:
            path.unlink()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", nargs="?", help="the version to release")
    parser.add_argument("--draft", action="store_true", help="print the section, change nothing")
    options = parser.parse_args(arguments)
    day = datetime.now(UTC).date().isoformat()
    try:
        if options.draft or options.version is None:
            print(section(options.version or "next", day, fragments(ROOT / "changes")), end="")
        else:
            fold(ROOT, options.version, day)
    except BadFragment as error:
        print(f"changelog: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
