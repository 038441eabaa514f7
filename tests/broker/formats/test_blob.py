"""The BLOB domain: bytes pass unchanged, and a leaf can be replaced."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats import Context, format_of
from flintmq.broker.formats.blob import blob_folder
from flintmq.broker.tree.element import check_tree, copy_element

BLOB = format_of("BLOB")


@given(st.binary(max_size=50))
@settings(max_examples=30, deadline=None)
def test_any_bytes_pass_as_they_came_touched_or_not(body: bytes) -> None:
    """B253."""
    folder = BLOB.parse(body, Context())
    assert BLOB.write(folder, Context()) == body
    assert folder.get("BLOB") == body
    assert [child.name for child in folder.children()] == ["UnknownParserName", "BLOB"]
    check_tree(folder)
    assert BLOB.write(copy_element(folder), Context()) == body


def test_a_changed_leaf_is_written() -> None:
    folder = BLOB.parse(b"old", Context())
    folder.put("BLOB", b"new")
    assert BLOB.write(folder, Context()) == b"new"
    folder.put("BLOB", "ü")
    assert BLOB.write(folder, Context(ccsid=819)) == b"\xfc"
    folder.put("BLOB", None)
    assert BLOB.write(folder, Context()) == b""


def test_a_number_is_refused_with_what_to_do() -> None:
    folder = blob_folder(b"x", "NEON")
    assert folder.get("UnknownParserName") == "NEON"
    folder.put("BLOB", 5)
    with pytest.raises(BrokerError, match="CAST"):
        BLOB.write(folder, Context())
