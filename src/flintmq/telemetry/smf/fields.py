"""The notation of SMF layouts, and the columns that they become. A layout is a text with one field a line:

    offset  type            field        column                 meaning
    0       u2              QMSTID       -                      Identifier X'D40F'
    72      i8              QMSTSPP      PersPuts               Persistent puts (9.0.3)
    264     4x72            QJSTIO       1.1,1.2,2.1,2.2        a group: four entries of 72 bytes, with their labels
                                                                (`@`: they are given beside the layout)
    +8      dur8            QJSTIOTOTIO  IO_Total_Time          in each entry, from its start

    type        meaning                                                as a value             as a column
    uN iN       unsigned or signed integer of N bytes, big-endian      int                    integer
    cN          text, EBCDIC, blank padded; X'00' where never set      str, None              string
    xN          bytes                                                  bytes                  string, in hexadecimal
    tod8        store clock, UTC unless the layout says local          microseconds, None     timestamp
    dur8        duration in store-clock units                          microseconds           integer NAME_US
    bitN        bit N from the field's first byte; 0 is the highest    bool                   boolean
    bitN:F/T    a bit with a word for off and one for on               bool                   string
    -N          reserved, N bytes                                      zero                   none

After a type may stand `[n]` (an array; its labels are 1 to n, or the column has n names), `:codes` (a code table of
codes.py) and `!hex` or `!hex=value` (the pattern that says "none", and the value of the column then: null, or `value`).
A column `-` is none. A line `length > 48 (7.0)` or `version >= 5 (7.1)` heads the fields that older records lack: by
their length, and by the version that the structure itself carries.

Never here: NumPy. Reading in bulk is columns/; the writer packs field by field from the same layouts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property

_TYPE = re.compile(
    r"(?P<kind>u|i|c|x|tod|dur|bit|-)(?P<size>\d+)(?:\[(?P<count>\d+)\])?(?::(?P<codes>[\w/]+))?"
    r"(?:!(?P<none>[0-9A-F]+)(?:=(?P<shown>\d+))?)?"
)
_GROUP = re.compile(r"(?P<count>\d+)x(?P<size>\d+)")
_SECTION = re.compile(r"(?P<what>length >|version >=) (?P<number>\d+)(?: \((?P<release>[\w., ]+)\))?")


class BadLayout(Exception):
    """A layout that contradicts itself: our own mistake, found on import. The text names structure and line."""


@dataclass(frozen=True, eq=False)
class Field:
    """One value of a structure, at a fixed place."""

    name: str
    offset: int
    #: u, i, c, x, tod, dur or bit.
    kind: str
    #: In bytes; for a bit, 1.
    size: int
    #: The name in the reference CSV without (S), (US), (DATE) and (TIME); empty if it is not shown.
    title: str = ""
    meaning: str = ""
    #: The name of a code table, or for a bit its two words.
    codes: str = ""
    #: The mask of a bit within its byte.
    mask: int = 0
    #: The pattern that stands for "none"; -1 if there is no such pattern.
    none: int = -1
    #: The value of the column then; -1 for nothing.
    shown: int = -1
    #: Only a structure longer than this has the field, and one of at least this version.
    beyond: int = 0
    version: int = 0

    @property
    def end(self) -> int:
        return self.offset + self.size

    @cached_property
    def column(self) -> str:
        """Return the name of the column in our tables."""
        return column_name(self.title) + ("_US" if self.kind == "dur" and self.title else "")


@dataclass(frozen=True, eq=False)
class Structure:
    """A structure of SMF 115 or 116: its fields, and how to know it."""

    name: str
    title: str
    fields: tuple[Field, ...]
    #: Eye-catcher at +4 with identifier at +0 and length at +2; empty for the blocks that have none.
    eye: str = ""
    ident: int = 0
    #: Every length there was, oldest first: (release, length).
    lengths: tuple[tuple[str, int], ...] = ()
    #: The field that holds the structure's version, if it has one.
    version_field: str = ""
    #: Field -> the bit that must be on for it to mean anything.
    only_if: dict[str, str] = field(default_factory=dict)
    #: One row per entry instead of per structure: (offset, size of an entry, number of entries). An entry is in use
    #: when its first byte is not X'00'. The fields are then those of an entry.
    entries: tuple[int, int, int] | None = None
    #: Columns that are sums of durations, in microseconds: column -> (meaning, fields). They are added in store-clock
    #: units, so that rounding to a whole microsecond happens once, not eight times.
    sums: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """Return the newest length."""
        return self.lengths[-1][1]

    @property
    def longest(self) -> int:
        return max(length for _, length in self.lengths)

    def length_at(self, release: str) -> int:
        """Return the length of the structure in a release: "9.3.0", "10.0"."""
        wanted = release_number(release)
        fitting = [length for since, length in self.lengths if release_number(since) <= wanted]
        return fitting[-1] if fitting else self.lengths[0][1]

    @cached_property
    def shown(self) -> list[Field]:
        """Return the fields that are columns, in the order of the layout."""
        return [item for item in self.fields if item.title]

    def find(self, name: str) -> Field:
        for item in self.fields:
            if item.name == name:
                return item
        raise KeyError(f"{self.name} has no field {name}")


def release_number(release: str) -> tuple[int, ...]:
    """Return a release as a tuple that can be compared: "9.3.1" is before "10.0"."""
    return tuple(int(part) for part in release.split("."))


def column_name(title: str) -> str:
    """Return a column of the reference CSV as a name that needs no quoting: `IO_Count {1.1}` is IO_Count_1_1."""
    return re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", title)).rstrip("_")


def structure(
    name: str,
    title: str,
    layout: str,
    *,
    eye: str = "",
    ident: int = 0,
    lengths: str,
    version_field: str = "",
    only_if: dict[str, str] | None = None,
    entries: tuple[int, int, int] | None = None,
    labels: dict[str, list[str]] | None = None,
    sums: dict[str, tuple[str, tuple[str, ...]]] | None = None,
) -> Structure:
    """Make a structure from its layout. `lengths` is `7.0:72 9.0.3:104`."""
    releases = tuple((pair.partition(":")[0], int(pair.partition(":")[2])) for pair in lengths.split())
    made = Structure(
        name,
        title,
        tuple(fields_of(name, layout, labels or {})),
        eye,
        ident,
        releases,
        version_field,
        dict(only_if or {}),
        entries,
        dict(sums or {}),
    )
    check_structure(made)
    return made


def check_structure(made: Structure) -> None:
    """Check that names and columns are unique (Spark ignores case), and that no field ends beyond the newest length."""
    limit = made.entries[1] if made.entries else made.longest
    for item in made.fields:
        if item.end > limit:
            raise BadLayout(f"{made.name}: {item.name} ends at {item.end}, after {limit}")
    for what, names in (
        ("field", [item.name for item in made.fields]),
        ("column", [item.lower() for item in [*(each.column for each in made.shown), *made.sums]]),
    ):
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise BadLayout(f"{made.name}: {what} {', '.join(twice)} is there twice")
    if made.version_field:
        made.find(made.version_field)
    for column, (_, parts) in made.sums.items():
        strange = [name for name in parts if made.find(name).kind != "dur"]
        if strange:
            raise BadLayout(f"{made.name}: {column} adds {', '.join(strange)}, which is no duration")
    for name, bit in made.only_if.items():
        made.find(name)
        made.find(bit)


@dataclass
class _Group:
    """The group that lines with `+` belong to."""

    offset: int
    size: int
    labels: list[str]


def fields_of(name: str, layout: str, labels_of: dict[str, list[str]]) -> list[Field]:
    """Parse the fields of a layout: arrays and groups are taken apart, reserved bytes left out."""
    made: list[Field] = []
    beyond = version = 0
    group: _Group | None = None
    for line in (line.strip() for line in layout.splitlines() if line.strip()):
        section = _SECTION.fullmatch(line)
        if section:
            if section["what"].startswith("version"):
                version = int(section["number"])
            else:
                beyond = int(section["number"])
            continue
        words = line.split(None, 4)
        if len(words) < 3:
            raise BadLayout(f"{name}: {line!r} is not a line of a layout")
        grouped = _GROUP.fullmatch(words[1])
        if grouped:
            labels = labels_of[words[2]] if words[3] == "@" else words[3].split(",")
            if len(labels) != int(grouped["count"]):
                raise BadLayout(f"{name}: {words[2]} has {len(labels)} labels for {grouped['count']} entries")
            group = _Group(int(words[0]), int(grouped["size"]), labels)
            continue
        inside = words[0].startswith("+")
        if inside and group is None:
            raise BadLayout(f"{name}: {line!r} belongs to no group")
        parsed = [replace(item, beyond=beyond, version=version) for item in _fields_of_line(name, words)]
        if inside and group is not None:
            made += _in_group(parsed, group)
        else:
            made += parsed
    return sorted(made, key=lambda item: (item.offset, item.name)) if group else made


def _fields_of_line(name: str, words: list[str]) -> list[Field]:
    match = _TYPE.fullmatch(words[1])
    if match is None:
        raise BadLayout(f"{name}: {words[1]!r} is not a type")
    kind, size, offset = match["kind"], int(match["size"]), int(words[0])
    if kind == "-":
        return []
    title = "" if len(words) < 4 or words[3] == "-" else words[3]
    base = Field(
        words[2],
        offset,
        kind,
        size,
        title,
        words[4] if len(words) > 4 else "",
        match["codes"] or "",
        none=int(match["none"], 16) if match["none"] else -1,
        shown=int(match["shown"]) if match["shown"] else -1,
    )
    if kind == "bit":
        return [replace(base, offset=offset + size // 8, size=1, mask=0x80 >> size % 8)]
    if match["count"] is None:
        return [replace(base, title=csv_title(title, kind, ""))]
    return _in_array(base, int(match["count"]))


def _in_array(base: Field, count: int) -> list[Field]:
    """Return the elements of an array: `A,B,C` names each column, one name gets the numbers 1 to n."""
    titles = base.title.split(",")
    made = []
    for number in range(count):
        label = str(number + 1)
        title = titles[number] if len(titles) == count else csv_title(base.title, base.kind, label)
        made.append(replace(base, name=f"{base.name}_{label}", offset=base.offset + number * base.size, title=title))
    return made


def _in_group(parsed: list[Field], group: _Group) -> list[Field]:
    """Return a group's fields once per entry; an entry with the label `-` is not used and has no columns."""
    made = []
    for number, label in enumerate(group.labels):
        for item in parsed:
            title = "" if label == "-" else csv_title(item.title, item.kind, label)
            name = f"{item.name}_{number if label == '-' else column_name(label)}"
            made.append(replace(item, name=name, offset=group.offset + number * group.size + item.offset, title=title))
    return made


def csv_title(title: str, kind: str, label: str) -> str:
    """Return the name in the reference CSV: `IO_Count {1.1}`, but `IO_Total_Time{1.1}` before (S) and (US)."""
    if not title or not label:
        return title
    marked = title if "*" in title else title + "{*}"
    shown = marked.replace("*", label)
    return shown if kind in ("tod", "dur") else shown.replace("{", " {")
