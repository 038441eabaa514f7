"""MQCSP and MQCNO: credentials behind the structure, never in repr."""

import pytest

from flintmq.mqi import MQCNO, MQCSP, StructureError


def credentials(version: int) -> MQCSP:
    csp = MQCSP()
    csp.version = version
    csp.authentication_type = 1
    csp.csp_user_id, csp.csp_password = "app", "pässword"
    if version >= 2:
        csp.initial_key = "key"
    if version >= 3:
        csp.token = "eyJhbGciOi"
    return csp


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("ccsid", [1208, 500])
def test_round_trip(version: int, big_endian: bool, ccsid: int) -> None:
    csp = credentials(version)
    back = MQCSP.unpack(b"..." + csp.pack(big_endian, ccsid), 3, big_endian, ccsid)
    assert (back.csp_user_id, back.csp_password, back.initial_key, back.token) == (
        csp.csp_user_id, csp.csp_password, csp.initial_key, csp.token,
    )  # fmt: skip


def test_sizes() -> None:
    for version, size in ((1, 48), (2, 68), (3, 88)):
        csp = MQCSP()
        csp.version = version
        assert len(csp.pack()) == size


def test_secrets_are_not_shown() -> None:
    shown = repr(credentials(3))
    assert "app" in shown and "pässword" not in shown and "eyJ" not in shown and "key'" not in shown


def test_text_outside_the_data_is_refused() -> None:
    raw = bytearray(credentials(1).pack())
    raw[20:24] = (4000).to_bytes(4, "little")
    with pytest.raises(StructureError, match="CSPUserId") as caught:
        MQCSP.unpack(bytes(raw))
    assert caught.value.reason == 2595


def test_connect_options_carry_what_their_pointers_point_to() -> None:
    cno = MQCNO()
    cno.version = 5
    cno.security_parms = credentials(1)
    assert len(cno.pack()) == 188 and MQCNO.unpack(cno.pack()).security_parms is None
