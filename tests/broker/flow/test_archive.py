"""Archives from strangers: names, limits, damage."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.flow.archive import Budget, normal_name, open_archive, rewrite
from flintmq.broker.flow.model import FlowFileError


def archive_of(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as output:
        for name, data in files.items():
            output.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), data, compression)
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a\\b\\F.msgflow", "a/b/F.msgflow"),
        ("./a//b", "a/b"),
        ("../a", None),
        ("a\\..\\..\\b", None),
        ("/etc/passwd", None),
        ("\\\\server\\x", None),
        ("C:\\x", None),
        (".", None),
    ],
)
def test_names_have_slashes_and_never_leave_the_archive(name: str, expected: str | None) -> None:
    assert normal_name(name) == expected


def test_members_are_read_under_their_normal_name_and_bad_names_are_notes() -> None:
    data = archive_of({"a\\b.txt": b"one", "../x": b"two", "folder/": b""})
    archive = open_archive(data, "x.bar")
    assert list(archive.members) == ["a/b.txt"]
    assert archive.read("a/b.txt") == b"one"
    assert ["leaves the archive" in note.reason for note in archive.notes] == [True]


def test_a_name_that_is_there_twice_is_a_note_and_the_first_counts() -> None:
    archive = open_archive(archive_of({"a/b": b"1", "a\\b": b"2"}), "x.bar")
    assert archive.read("a/b") == b"1" and len(archive.notes) == 1


def test_an_archive_that_lost_its_end_is_not_taken_for_the_one_inside_it() -> None:
    """A stored archive has its own end record; zipfile takes it and calls all that stands before it a prefix."""
    inner = archive_of({"inner.txt": b"inside"})
    data = archive_of({"first.txt": b"1", "in.appzip": inner}, zipfile.ZIP_STORED)
    assert list(open_archive(data, "x.bar").members) == ["first.txt", "in.appzip"]
    with pytest.raises(FlowFileError, match="damaged zip archive: .* before its first member"):
        open_archive(data[:-30], "x.bar")
    assert list(open_archive(b"PK00" + data, "x.bar").members) == ["first.txt", "in.appzip"]


def test_archives_are_opened_inside_archives_up_to_a_depth() -> None:
    data = archive_of({"x.txt": b"deep"})
    for _ in range(6):
        data = archive_of({"in.appzip": data})
    archive = open_archive(data, "x.bar", Budget(depth=3))
    for _ in range(3):
        archive = archive.open("in.appzip")
    with pytest.raises(FlowFileError, match="nested more than 3 deep"):
        archive.open("in.appzip")


def test_a_bomb_is_refused_by_ratio_and_by_size() -> None:
    data = archive_of({"zeros": bytes(8 << 20), "noise": bytes(range(256)) * 64})
    with pytest.raises(FlowFileError, match="compressed more than 200 to 1"):
        open_archive(data, "x.bar").read("zeros")
    with pytest.raises(FlowFileError, match="the limit is 1000"):
        open_archive(data, "x.bar", Budget(member_bytes=1000)).read("noise")


def test_a_size_that_lies_does_not_let_more_through() -> None:
    """The directory says ten bytes; the member is a megabyte."""
    data = bytearray(archive_of({"liar": b"x" * (1 << 20)}, zipfile.ZIP_DEFLATED))
    place = data.rindex(b"PK\x01\x02")
    data[place + 24 : place + 28] = (10).to_bytes(4, "little")
    with pytest.raises(FlowFileError):
        assert len(open_archive(bytes(data), "x.bar").read("liar")) <= 10
        raise FlowFileError("", "the member was cut at the size that the directory says")


def test_the_sum_of_what_is_read_is_limited_and_a_second_reading_is_free() -> None:
    archive = open_archive(archive_of({"a": b"x" * 600, "b": b"y" * 600}), "x.bar", Budget(bytes=1000))
    assert archive.read("a") == archive.read("a")
    with pytest.raises(FlowFileError, match="the limit is 400"):
        archive.read("b")


def test_the_number_of_members_is_limited_over_all_levels() -> None:
    inner = archive_of({str(number): b"" for number in range(8)})
    archive = open_archive(archive_of({"a.libzip": inner, "b.libzip": inner}), "x.bar", Budget(entries=12))
    archive.open("a.libzip")
    with pytest.raises(FlowFileError, match="has 8 members; the limit is 2"):
        archive.open("b.libzip")


@pytest.mark.parametrize("data", [b"", b"no zip", archive_of({"a": b"b"})[:-10], b"PK\x05\x06" + bytes(18) + b"x"])
def test_what_is_no_archive_is_refused_with_its_name(data: bytes) -> None:
    with pytest.raises(FlowFileError, match="x.bar"):
        open_archive(data, "x.bar").read("a")


def test_a_missing_member_is_named() -> None:
    with pytest.raises(FlowFileError, match="x.bar!none: there is no such member"):
        open_archive(archive_of({}), "x.bar").read("none")


def test_an_encrypted_member_is_refused() -> None:
    data = bytearray(archive_of({"a": b"b"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    with pytest.raises(FlowFileError, match="is encrypted"):
        open_archive(bytes(data), "x.bar").read("a")


def test_rewriting_replaces_members_and_keeps_the_others_in_order() -> None:
    data = archive_of({"b\\c": b"1", "a": b"2", "d/": b"", "../bad": b"3"})
    new = rewrite(open_archive(data, "x.bar"), {"a": b"new", "z": b"added"})
    with zipfile.ZipFile(io.BytesIO(new)) as content:
        assert content.namelist() == ["b\\c", "a", "d/", "z"]
        assert [content.read(name) for name in ("b\\c", "a", "z")] == [b"1", b"new", b"added"]


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_damaged_archive_is_read_or_refused_but_never_a_crash(data: st.DataObject) -> None:
    content = bytearray(archive_of({"a/b.txt": b"text" * 50, "in.appzip": archive_of({"x": b"y"})}))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        archive = open_archive(bytes(content), "x.bar")
    except FlowFileError:
        return
    for name in archive.members:
        try:
            archive.open(name) if name.endswith("zip") else archive.read(name)
        except FlowFileError as error:
            assert "x.bar" in error.file
