"""The name of a channel in a TLS handshake: the mapping that MQ documents, and the way back."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.wire.mq.server_name import SUFFIX, channel_of, name_of

CHARACTERS = string.ascii_letters + string.digits + "./_%-"


@pytest.mark.parametrize(
    ("channel", "coded"),
    [
        ("TO.QMGR1", "to2e-qmgr1"),
        ("to.qmgr1", "74-6f-2e-71-6d-67-72-1"),
        ("SYSTEM.ADMIN.SVRCONN", "system2e-admin2e-svrconn"),
        ("A%B/C_D-2E", "a25-b2f-c5f-d2d-2e"),
    ],
)
def test_a_channel_is_named_as_mq_documents_it(channel: str, coded: str) -> None:
    assert name_of(channel) == coded + SUFFIX
    assert channel_of(coded.upper() + SUFFIX) == channel


@given(st.text(CHARACTERS, min_size=1, max_size=20))
def test_every_channel_is_found_by_its_name(channel: str) -> None:
    name = name_of(channel)
    assert channel_of(name) == channel
    assert all(len(label) <= 63 for label in name.split("."))
    assert name.encode("idna").decode() == name  # What `ssl` does with it.


@pytest.mark.parametrize(
    "name",
    ["", "localhost", "127.0.0.1", SUFFIX, "a.b" + SUFFIX, "-" + SUFFIX, "2-" + SUFFIX, "zz-" + SUFFIX, "ä" + SUFFIX,
     "a b" + SUFFIX, "to2e-qmgr1" + SUFFIX + ".org"],
)  # fmt: skip
def test_what_is_no_name_of_a_channel_names_none(name: str) -> None:
    assert channel_of(name) == ""


@given(st.text(max_size=300))
def test_whatever_a_client_asks_for_is_read(text: str) -> None:
    channel_of(text)
    channel_of(text + SUFFIX)
