"""Judge a directory of checked-out flow projects with the broker's readers, one subdirectory per repository.

    python tools/corpus.py DIR                          print progress, the table and every miss
    python tools/corpus.py DIR --json result.json       also write every verdict
    python tools/corpus.py DIR --table docs/x.md        also write the table and the lists as a page of the docs
    python tools/corpus.py DIR --only esql,bar          run some of the checks
    python tools/corpus.py DIR --repository tutorial    judge the repositories whose name contains this

Checks (corpus_checks.py has one function for each):

    flow     `.msgflow`, `.subflow`: read, written back, compared; once with the layout of the file, once from the model
    esql     `.esql`: parsed and compiled to Python
    bar      `.bar`: every member opens, archives inside it too; each override names an existing node and property
    mxml     `.mxml`: a recorded message assembly is read and written back equal
    mset     `messageSet.mset` with its `.mxsd` files: loads, every message can be used in every physical format
    dfdl     `.xsd` with DFDL annotations: loads, every global element can be used as a message

Projects in `.zip` files (project interchange) are unpacked into a temporary directory and judged like the rest. Files
with equal bytes are judged once per repository and counted once: some repositories keep a copy for each release.

A file is left out of the count only for one of these reasons (class Exclusion); each is listed:

    empty           the file has no bytes or only white space, and its kind needs content
    foreign         the file is of another product that uses the same suffix: ES|QL of Elasticsearch (`.esql`), user
                    interfaces of Flex (`.mxml`)
    deliberate      a test file of a syntax checker that is no ESQL: KNOWN_BAD names it and says what is wrong, and the
                    exclusion holds only as long as our parser, too, reports an error
    fragment        a test file of a syntax checker (CHECKERS) that parses but cannot be deployed, because the rest of
                    its application does not exist: every problem is one of FRAGMENT_PROBLEMS, such as a variable that
                    is declared nowhere, which the product refuses with BIP2432
    stale           a BAR file whose deployment descriptor lists nodes that the flows beside it do not have; KNOWN_BAD
                    names it
    generated       a template: the file has marks that a generator replaces before the file is ESQL

Invalid files of real projects are not left out: they are misses, and their reason says what the product refuses.

The exit code is 0 if the bars hold: all flows, 98 % of the ESQL files, all BAR files. Nothing below DIR is changed, and
nothing of it enters this repository: the page holds names, counts, places and our own messages.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
for place in (ROOT, ROOT / "src"):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))

#: The share of files that must pass, by check. The other checks have no bar.
BARS = {"flow": 1.0, "esql": 0.98, "bar": 1.0}

#: What a check looks at, by suffix.
SUFFIXES = {
    ".msgflow": "flow",
    ".subflow": "flow",
    ".esql": "esql",
    ".bar": "bar",
    ".mxml": "mxml",
    ".mset": "mset",
    ".xsd": "dfdl",
}
CHECKS = tuple(dict.fromkeys(SUFFIXES.values()))

#: Limits for archives that hold projects: they come from strangers.
ARCHIVE_BYTES_MAX = 512 << 20
ARCHIVE_MEMBERS_MAX = 20_000


class Outcome(StrEnum):
    """What became of a file."""

    OK = "ok"
    MISS = "miss"
    EXCLUDED = "excluded"


class Exclusion(StrEnum):
    """Why a file is left out of the count."""

    EMPTY = "empty"
    FOREIGN = "foreign"
    DELIBERATE = "deliberate"
    FRAGMENT = "fragment"
    STALE = "stale"
    GENERATED = "generated"


#: Files that are invalid, reviewed one by one: repository, path, class, what is wrong with the file.
KNOWN_BAD: tuple[tuple[str, str, Exclusion, str], ...] = (
    (
        "EXXETA/sonar-esql-plugin",
        "*/src/test/resources/parsingError.esql",
        Exclusion.DELIBERATE,
        "a block has no END",
    ),
    (
        "EXXETA/sonar-esql-plugin",
        "*/src/test/resources/cpd/parsingError.esql",
        Exclusion.DELIBERATE,
        "a stray word, and a module has no END",
    ),
    (
        "EXXETA/sonar-esql-plugin",
        "*/src/test/resources/deleteFrom.esql",
        Exclusion.DELIBERATE,
        "PASSTHRU without an expression",
    ),
    (
        "ot4i/ace-demo-pipeline",
        "extensions/designer/TeaAPI.bar",
        Exclusion.STALE,
        "the descriptor lists the nodes Compute and HTTP Request, and the flows in the BAR have no such nodes",
    ),
)

#: Repositories of syntax checkers: their ESQL is made to be parsed, one construct at a time, not to be deployed.
CHECKERS = ("EXXETA/sonar-esql-plugin",)
#: What the compiler says of ESQL without the rest of its application, or made of pieces that do not belong together.
FRAGMENT_PROBLEMS = re.compile(
    r"is neither a variable nor a correlation name"
    r"|the namespace prefix \S+ is not declared"
    r"|the (module|routine) .* is defined twice"
    r"|there is no loop or block \S+ around this statement"
    r"|EXTERNAL variables stand at module or schema level"
    r"|the index 0 of a path must be 1 or more"
    r"|this statement takes a reference variable"
)

#: The namespace of DFDL annotations begins with this.
DFDL = b"http://www.ogf.org/dfdl/"
#: The namespace of another format with the suffix `.mxml`.
FLEX = b"http://www.adobe.com/2006/mxml"

#: Characters of a reason in the list of files that do not count.
REASON_MAX = 110

BEGIN, END = "<!-- corpus: begin -->", "<!-- corpus: end -->"


@dataclass(frozen=True, slots=True)
class Source:
    """A file to judge. `name` is its path within the repository; a file of an archive has `archive.zip!/path`."""

    repository: str
    name: str
    path: Path
    #: The directory that holds the projects: the repository, or what was in the archive.
    root: Path

    @property
    def kind(self) -> str:
        """The check that this file is for."""
        return SUFFIXES[PurePosixPath(self.name).suffix.lower()]

    def read(self) -> bytes:
        """Return the bytes of the file."""
        return self.path.read_bytes()


@dataclass(slots=True)
class Problem:
    """Something that a check found wrong. Line 0: the file as a whole."""

    reason: str
    line: int = 0


@dataclass(slots=True)
class Verdict:
    """The result for one file."""

    check: str
    repository: str
    file: str
    outcome: Outcome = Outcome.OK
    #: An Exclusion if the file is left out of the count.
    exclusion: str = ""
    problems: list[Problem] = field(default_factory=list)
    #: Node types that the flow uses and the broker does not have.
    unknown_nodes: list[str] = field(default_factory=list)
    milliseconds: float = 0.0

    def place(self, problem: Problem) -> str:
        """Return `repository/file:line`."""
        where = f"{self.repository}/{self.file}"
        return f"{where}:{problem.line}" if problem.line else where


#: Judge the bytes of a source: the problems found, and the node types that the broker does not have.
Check = Callable[[Source, bytes], tuple[list[Problem], list[str]]]


def repositories(directory: Path) -> list[Path]:
    """Return the repositories below a directory, in the order of their names."""
    return sorted((path for path in directory.iterdir() if path.is_dir()), key=lambda path: path.name.lower())


def sources(repository: Path, scratch: Path) -> Iterator[Source]:
    """Yield the files of a repository that a check looks at. Archives of projects are unpacked into `scratch`."""
    name = repository.name.replace("+", "/", 1)
    archives: list[Path] = []
    for base, directories, files in os.walk(repository):
        directories[:] = sorted(each for each in directories if each != ".git")
        for file in sorted(files):
            path = Path(base) / file
            suffix = path.suffix.lower()
            if suffix in SUFFIXES and path.is_file() and (suffix != ".xsd" or is_dfdl(path)):
                yield Source(name, path.relative_to(repository).as_posix(), path, repository)
            elif suffix == ".zip":
                archives.append(path)
    for number, archive in enumerate(archives):
        target = scratch / f"{number}"
        prefix = archive.relative_to(repository).as_posix()
        for member in unpack(archive, target):
            suffix = member.suffix.lower()
            if suffix in SUFFIXES and (suffix != ".xsd" or is_dfdl(target / member)):
                yield Source(name, f"{prefix}!/{member.as_posix()}", target / member, target)


def is_dfdl(path: Path) -> bool:
    """Whether an XML Schema has DFDL annotations."""
    return DFDL in path.read_bytes()


def unpack(archive: Path, target: Path) -> list[PurePosixPath]:
    """Unpack an archive that holds flows, ESQL or message sets. Return its members; none if it holds no project.

    An archive that is damaged, encrypted or too large is left alone: it is no file that the broker reads.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [each for each in opened.infolist() if not each.is_dir()]
            suffixes = {PurePosixPath(each.filename).suffix.lower() for each in members}
            if not suffixes & (SUFFIXES.keys() - {".xsd"}):
                return []
            if len(members) > ARCHIVE_MEMBERS_MAX or sum(each.file_size for each in members) > ARCHIVE_BYTES_MAX:
                return []
            names = []
            for member in members:
                name = PurePosixPath(member.filename.replace("\\", "/"))
                if name.is_absolute() or ".." in name.parts or ":" in name.parts[0]:
                    continue
                place = target / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(opened.read(member))
                names.append(name)
            return names
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError):
        return []


def exclusion_of(source: Source, data: bytes) -> Exclusion | None:
    """Return why a file is left out before anything is read, or None."""
    if not data.strip() and source.kind != "esql":
        return Exclusion.EMPTY
    if source.kind == "mxml" and FLEX in data[:4096]:
        return Exclusion.FOREIGN
    if source.kind != "esql":
        return None
    text = data.decode("utf-8", "replace")
    words = text.split(None, 1)
    if words and words[0].upper() in ("FROM", "ROW", "SHOW", "TS") and "|" in text:
        return Exclusion.FOREIGN
    if "<%" in text and "%>" in text:
        return Exclusion.GENERATED
    return None


def known_bad(source: Source) -> str:
    """Return class and fault of a file that is known to be invalid, or nothing."""
    for repository, pattern, exclusion, fault in KNOWN_BAD:
        if source.repository == repository and fnmatch(source.name, pattern):
            return f"{exclusion.value}: {fault}"
    return ""


def judge(source: Source, data: bytes, check: Check) -> Verdict:
    """Run a check on a file. An exception that the check did not expect is a problem of ours, and named so."""
    verdict = Verdict(source.kind, source.repository, source.name)
    exclusion = exclusion_of(source, data)
    if exclusion is not None:
        verdict.outcome, verdict.exclusion = Outcome.EXCLUDED, exclusion.value
        return verdict
    started = time.perf_counter()
    try:
        verdict.problems, verdict.unknown_nodes = check(source, data)
    except Exception as error:  # A reader that raises what it does not declare is a finding.
        verdict.problems = [Problem(f"unexpected {type(error).__name__}: {first_line(str(error))}")]
    verdict.milliseconds = round((time.perf_counter() - started) * 1000, 2)
    if verdict.problems:
        verdict.outcome = Outcome.MISS
        reason = known_bad(source)
        if reason:
            verdict.outcome, verdict.exclusion = Outcome.EXCLUDED, reason
        elif source.repository in CHECKERS and all(FRAGMENT_PROBLEMS.search(each.reason) for each in verdict.problems):
            verdict.outcome, verdict.exclusion = Outcome.EXCLUDED, Exclusion.FRAGMENT.value
    return verdict


def first_line(text: str) -> str:
    """Return the first line of a message, cut to a length that fits a table."""
    line = (text.strip().splitlines() or [""])[0]
    return line if len(line) <= 300 else line[:297] + "..."


def judge_repository(repository: Path, checks: dict[str, Check]) -> list[Verdict]:
    """Judge every file of a repository; files with equal bytes and equal name once."""
    verdicts = []
    seen: set[tuple[str, str, bytes]] = set()
    with tempfile.TemporaryDirectory(prefix="corpus-") as scratch:
        for source in sources(repository, Path(scratch)):
            check = checks.get(source.kind)
            if check is None:
                continue
            data = source.read()
            if source.kind not in ("mset", "dfdl"):  # A message model is more than this one file.
                key = (source.kind, PurePosixPath(source.name).name, hashlib.sha256(data).digest())
                if key in seen:
                    continue
                seen.add(key)
            verdicts.append(judge(source, data, check))
    return verdicts


def share(verdicts: Sequence[Verdict], check: str) -> tuple[int, int]:
    """Return how many files of a check passed, and how many counted."""
    counted = [each for each in verdicts if each.check == check and each.outcome is not Outcome.EXCLUDED]
    return sum(each.outcome is Outcome.OK for each in counted), len(counted)


def below_bars(verdicts: Sequence[Verdict], checks: Sequence[str]) -> list[str]:
    """Return a sentence for each bar that does not hold."""
    sentences = []
    for check, bar in BARS.items():
        passed, counted = share(verdicts, check)
        if check in checks and counted and passed < bar * counted:
            sentences.append(
                f"{check}: {passed} of {counted} files pass ({passed / counted:.2%}); the bar is {bar:.0%}"
            )
    return sentences


def table(verdicts: Sequence[Verdict]) -> str:
    """Return the table: a row per repository, passed of counted for each check; the last row is the sum."""
    lines = [
        "| repository | flows | ESQL | BAR | assemblies | message sets | DFDL schemas |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    names = sorted({each.repository for each in verdicts}, key=str.lower)
    for name in [*names, ""]:
        rows = [each for each in verdicts if not name or each.repository == name]
        cells = []
        for check in CHECKS:
            passed, counted = share(rows, check)
            cells.append(f"{passed} / {counted}" if counted else "")
        lines.append(f"| {name or '**all**'} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Return a text as a cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def misses(verdicts: Sequence[Verdict]) -> str:
    """Return the table of the misses: place and the first reason of each file, and how many more it has."""
    rows = [each for each in verdicts if each.outcome is Outcome.MISS]
    if not rows:
        return "None."
    lines = ["| check | place | reason |", "|---|---|---|"]
    for each in rows:
        first = each.problems[0]
        more = f" (and {len(each.problems) - 1} more)" if len(each.problems) > 1 else ""
        lines.append(f"| {each.check} | {escaped(each.place(first))} | {escaped(first.reason)}{more} |")
    return "\n".join(lines)


def exclusions(verdicts: Sequence[Verdict]) -> str:
    """Return the table of the files that are left out of the count."""
    rows = [each for each in verdicts if each.outcome is Outcome.EXCLUDED]
    if not rows:
        return "None."
    counts = Counter(each.exclusion.partition(":")[0] for each in rows)
    lines = [", ".join(f"{name} {count}" for name, count in sorted(counts.items())) + ".", ""]
    lines += ["| file | why it does not count | what our reader says |", "|---|---|---|"]
    for each in rows:
        said = ""
        if each.problems:
            first = each.problems[0]
            said = f"line {first.line}: {first.reason}" if first.line else first.reason
            said = said if len(said) <= REASON_MAX else said[: REASON_MAX - 3] + "..."
        lines.append(
            f"| {escaped(each.repository)}/{escaped(each.file)} | {escaped(each.exclusion)} | {escaped(said)} |"
        )
    return "\n".join(lines)


def unknown_nodes(verdicts: Sequence[Verdict]) -> str:
    """Return the table of the node types that flows use and the broker does not have."""
    flows = Counter(node for each in verdicts for node in set(each.unknown_nodes))
    if not flows:
        return "None."
    lines = ["| node type | flows |", "|---|---:|"]
    lines += [f"| `{node}` | {count} |" for node, count in sorted(flows.items(), key=lambda item: (-item[1], item[0]))]
    return "\n".join(lines)


def page(verdicts: Sequence[Verdict]) -> str:
    """Return the result as Markdown."""
    parts = [
        ("Result", table(verdicts)),
        ("Misses", misses(verdicts)),
        ("Files that do not count", exclusions(verdicts)),
        ("Node types that the broker does not have", unknown_nodes(verdicts)),
    ]
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in parts) + "\n"


def write_page(path: Path, verdicts: Sequence[Verdict]) -> None:
    """Write the result into a page: between the marks of an existing page, or as the whole page."""
    body = f"{BEGIN}\n\n{page(verdicts)}\n{END}\n"
    if path.exists():
        text = path.read_text(encoding="utf-8")
        before, begin, rest = text.partition(BEGIN)
        _, end, after = rest.partition(END)
        if not begin or not end:
            raise SystemExit(f"{path} exists and has no lines {BEGIN} and {END}; add them where the table belongs")
        path.write_text(before + body.rstrip("\n") + after, encoding="utf-8")
    else:
        path.write_text(f"# Public flow projects as judges\n\n{body}", encoding="utf-8")


def document(verdicts: Sequence[Verdict]) -> str:
    """Return every verdict as JSON."""
    return json.dumps([asdict(each) for each in verdicts], indent=1) + "\n"


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(description="Judge checked-out flow projects with the broker's readers.")
    parser.add_argument("directory", type=Path, metavar="DIR", help="one subdirectory per repository")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every verdict")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the result as a Markdown page")
    parser.add_argument("--only", default=",".join(CHECKS), metavar="CHECKS", help="comma-separated checks")
    parser.add_argument("--repository", default="", metavar="TEXT", help="judge repositories whose name contains this")
    parsed = parser.parse_args(argv)
    parsed.only = [each.strip() for each in parsed.only.split(",") if each.strip()]
    for each in parsed.only:
        if each not in CHECKS:
            parser.error(f"there is no check {each}; the checks are {', '.join(CHECKS)}")
    if not parsed.directory.is_dir():
        parser.error(f"{parsed.directory} is no directory; give the one that holds the checkouts")
    return parsed


def main(argv: Sequence[str] | None = None) -> int:
    """Judge, print, write; return 0 if the bars hold."""
    chosen = arguments(argv)
    from tools.corpus_checks import CHECKS_BY_KIND  # Needs the path to src, which is set above.

    checks = {kind: CHECKS_BY_KIND[kind] for kind in chosen.only}
    verdicts: list[Verdict] = []
    for repository in repositories(chosen.directory):
        if chosen.repository not in repository.name:
            continue
        started = time.perf_counter()
        found = judge_repository(repository, checks)
        verdicts += found
        counts = [
            f"{kind} {passed}/{counted}" for kind in chosen.only for passed, counted in [share(found, kind)] if counted
        ]
        seconds = time.perf_counter() - started
        print(f"{repository.name}: {', '.join(counts) or 'nothing to judge'} ({seconds:.1f} s)", flush=True)
    print()
    print(page(verdicts))
    if chosen.json is not None:
        chosen.json.write_text(document(verdicts), encoding="utf-8")
    if chosen.table is not None:
        write_page(chosen.table, verdicts)
    sentences = below_bars(verdicts, chosen.only)
    if not verdicts:
        sentences = [f"nothing to judge below {chosen.directory}"]
    for sentence in sentences:
        print(f"below the bar: {sentence}", file=sys.stderr)
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
