"""Read zip archives inside zip archives, in memory, from strangers.

A BAR is a zip that holds zips (`App.appzip`, `Lib.libzip`, `Lib.shlibzip`), which hold zips again. Nothing is unpacked
to disk. One Budget limits a whole file with everything inside it:

    entries     number of members, at all levels
    bytes       sum of the sizes after decompression, of all entries that are read
    member      size of one member after decompression
    ratio       compressed to decompressed, for members that are larger than RATIO_FREE_BYTES
    depth       archives inside archives

Names are normalised: archives made on Windows have backslashes. A name that leaves the archive (`..`, absolute, with a
drive letter) is left out and reported in `notes`; so is a second member with a name that is already there.

An archive begins with its first member. Bytes before it mean that the end of the file is missing, and that zipfile has
found the end of an archive inside: its content is not that of the file.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import Final

from flintmq.broker.flow.model import FlowFileError, LoadNote

#: Members that are archives themselves.
ARCHIVE_SUFFIXES: Final = (".appzip", ".libzip", ".shlibzip", ".appdomainzip", ".restapizip", ".servicezip")
RATIO_FREE_BYTES: Final = 1 << 20

#: What some tools write before the first member of an archive that could have been split.
SPLIT_MARK: Final = b"PK00"

_DRIVE: Final = re.compile(r"[A-Za-z]:")


@dataclass(slots=True)
class Budget:
    """The remaining allowance for reading one file. Exceeding it is a FlowFileError that names the limit."""

    entries: int = 50_000
    bytes: int = 1 << 30
    member_bytes: int = 256 << 20
    ratio: int = 200
    depth: int = 4


@dataclass(slots=True)
class Member:
    """One file of an archive: the name as written, and the normalised name."""

    info: zipfile.ZipInfo
    name: str
    #: Whether its bytes are already counted: reading it again costs nothing more.
    counted: bool = False

    @property
    def is_archive(self) -> bool:
        return self.name.lower().endswith(ARCHIVE_SUFFIXES)


@dataclass(slots=True)
class Archive:
    """A zip in memory. `name` is its path for messages: `orders.bar!App.appzip`."""

    name: str
    data: bytes
    members: dict[str, Member]
    budget: Budget
    depth: int = 0
    notes: list[LoadNote] = field(default_factory=list)
    _zip: zipfile.ZipFile | None = None

    def read(self, name: str) -> bytes:
        """Return a member decompressed. Raise FlowFileError if it is not there, damaged or too large."""
        member = self.members.get(name)
        place = f"{self.name}!{name}"
        if member is None:
            raise FlowFileError(place, "there is no such member in the archive")
        info = member.info
        budget = self.budget
        limit = budget.member_bytes if member.counted else min(budget.member_bytes, budget.bytes)
        if info.file_size > limit:
            raise FlowFileError(place, f"is {info.file_size} bytes long; the limit is {limit}")
        if info.file_size > RATIO_FREE_BYTES and info.file_size > info.compress_size * budget.ratio:
            raise FlowFileError(place, f"is compressed more than {budget.ratio} to 1, as no real archive is")
        if info.flag_bits & 0x1:
            raise FlowFileError(place, "is encrypted")
        assert self._zip is not None
        try:
            with self._zip.open(info) as stream:
                data = stream.read(limit + 1)  # The size in the directory may be a lie.
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
            raise FlowFileError(place, f"cannot be decompressed: {error}") from None
        except RuntimeError as error:  # Encrypted after all, or a method that this Python was built without.
            raise FlowFileError(place, f"cannot be decompressed: {error}") from None
        if len(data) > limit:
            raise FlowFileError(place, f"is longer than the limit of {limit} bytes")
        if not member.counted:
            member.counted = True
            budget.bytes -= len(data)
        return data

    def open(self, name: str) -> Archive:
        """Return a member that is an archive. Raise FlowFileError if it is none, or nested too deep."""
        place = f"{self.name}!{name}"
        if self.depth + 1 > self.budget.depth:
            raise FlowFileError(place, f"archives are nested more than {self.budget.depth} deep")
        return open_archive(self.read(name), place, self.budget, self.depth + 1)


def open_archive(data: bytes, name: str, budget: Budget | None = None, depth: int = 0) -> Archive:
    """Return a zip as an Archive. Raise FlowFileError if it is no zip or exceeds the budget."""
    budget = budget or Budget()
    try:
        content = zipfile.ZipFile(io.BytesIO(data))
        infos = content.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError, OverflowError) as error:
        reason = "the file is empty" if not data else f"is no zip archive, or a damaged one: {error}"
        raise FlowFileError(name, reason) from None
    first = min((info.header_offset for info in infos), default=0)
    if first > len(SPLIT_MARK) or (first and not data.startswith(SPLIT_MARK)):
        raise FlowFileError(name, f"is a damaged zip archive: {first} bytes stand before its first member")
    if len(infos) > budget.entries:
        raise FlowFileError(name, f"has {len(infos)} members; the limit is {budget.entries}")
    budget.entries -= len(infos)
    archive = Archive(name, data, {}, budget, depth, _zip=content)
    for info in infos:
        if info.filename.endswith(("/", "\\")):
            continue
        path = normal_name(info.filename)
        if path is None:
            archive.notes.append(LoadNote(f"{name}!{info.filename}", "the name leaves the archive: member left out"))
        elif path in archive.members:
            archive.notes.append(LoadNote(f"{name}!{path}", "the name is there twice: the first member is used"))
        else:
            archive.members[path] = Member(info, path)
    return archive


def normal_name(name: str) -> str | None:
    """Return a member's name with slashes and without `.` parts; None if it leaves the archive."""
    path = name.replace("\\", "/")
    if path.startswith("/") or _DRIVE.match(path) or "\0" in path:
        return None
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return None if ".." in parts or not parts else "/".join(parts)


def rewrite(archive: Archive, changes: dict[str, bytes]) -> bytes:
    """Return the archive with some members replaced or added. All others keep name, date, order and compression."""
    waiting = dict(changes)
    target = io.BytesIO()
    source = archive._zip
    assert source is not None
    by_raw_name = {member.info.filename: member.name for member in archive.members.values()}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as output:
        for info in source.infolist():
            copy = zipfile.ZipInfo(info.filename, info.date_time)
            copy.external_attr, copy.create_system = info.external_attr, info.create_system
            copy.compress_type = (
                info.compress_type if info.compress_type == zipfile.ZIP_STORED else zipfile.ZIP_DEFLATED
            )
            copy.comment, copy.extra = info.comment, b""
            if info.is_dir():
                output.writestr(copy, b"")
                continue
            name = by_raw_name.pop(info.filename, None)
            if name is None:  # It was left out when the archive was read.
                continue
            output.writestr(copy, waiting.pop(name) if name in waiting else archive.read(name))
        for name, data in waiting.items():
            output.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
        output.comment = source.comment
    return target.getvalue()
