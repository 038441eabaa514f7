"""MQMD: defaults of the manual, shared "none" objects, copies of contexts, recorded bytes."""

from flintmq.mqi import MQGMO, MQMD, MQOD, MQPMO
from flintmq.mqi.md import NO_ACCOUNTING_TOKEN, NO_ID

RECORDED_ID = bytes.fromhex("414d5120514d312020202020202020206445ea5d04b59424")


def test_defaults_are_those_of_the_manual() -> None:
    md = MQMD()
    assert (md.version, md.report, md.msg_type, md.expiry, md.feedback) == (1, 0, 8, -1, 0)
    assert (md.encoding, md.coded_char_set_id, md.format, md.priority, md.persistence) == (546, 0, "", -1, 2)
    assert (md.msg_seq_number, md.offset, md.msg_flags, md.original_length) == (1, 0, 0, -1)
    assert (md.put_appl_type, md.put_appl_name, md.put_date, md.put_time) == (0, "", "", "")


def test_defaults_of_the_other_call_structures() -> None:
    gmo, pmo, od = MQGMO(), MQPMO(), MQOD()
    assert (gmo.version, gmo.options, gmo.wait_interval, gmo.match_options, gmo.returned_length) == (1, 0, 0, 3, -1)
    assert (gmo.group_status, gmo.segment_status, gmo.segmentation) == (" ", " ", " ")
    assert (pmo.version, pmo.options, pmo.timeout, pmo.pub_level) == (1, 0, -1, 9)
    assert (od.version, od.object_type, od.dynamic_q_name) == (1, 1, "AMQ.*")


def test_identifiers_that_are_none_are_one_object() -> None:
    one, two = MQMD(), MQMD()
    assert one.msg_id is two.correl_id is one.group_id is NO_ID
    assert one.accounting_token is two.accounting_token is NO_ACCOUNTING_TOKEN


def test_a_copy_has_every_value_and_is_independent() -> None:
    md = MQMD()
    md.version, md.format, md.msg_id, md.user_identifier, md.msg_flags = 2, "MQSTR", RECORDED_ID, "app", 8
    copy = md.copy()
    assert copy.pack() == md.pack()
    copy.format = "MQHRF2"
    assert md.format == "MQSTR"


def test_contexts_are_copied_separately() -> None:
    md, identity, origin = MQMD(), MQMD(), MQMD()
    md.user_identifier, md.appl_identity_data, md.accounting_token = "mike", "data", b"\x06" * 32
    md.put_appl_type, md.put_appl_name, md.put_date, md.put_time, md.appl_origin_data = (
        28,
        "jms",
        "20240101",
        "12000000",
        "x",
    )

    md.copy_identity_context_to(identity)
    md.copy_origin_context_to(origin)

    assert (identity.user_identifier, identity.appl_identity_data, identity.put_appl_name) == ("mike", "data", "")
    assert (origin.user_identifier, origin.put_appl_type, origin.put_appl_name, origin.put_date) == (
        "",
        28,
        "jms",
        "20240101",
    )


def test_a_descriptor_as_a_java_client_sends_it() -> None:
    """Big-endian integers, CCSID 1208, recorded message identifier."""
    md = MQMD()
    md.version = 2
    md.encoding, md.coded_char_set_id, md.format = 273, 1208, "MQHRF2"
    md.priority, md.persistence, md.msg_id, md.put_appl_type = 4, 1, RECORDED_ID, 28
    raw = md.pack(big_endian=True)
    assert raw[:8] == b"MD  \0\0\0\2"
    assert raw[24:48].hex() == "00000111000004b84d514852463220200000000400000001"
    assert raw[48:72] == RECORDED_ID
    assert raw[272:276] == b"\0\0\0\x1c"


def test_lengths_of_recorded_segments_follow_from_the_structures() -> None:
    """An MQPUT reply is 52 bytes of headers, a handle or options word, MQMD version 1 and MQPMO version 2."""
    md, pmo, od = MQMD(), MQPMO(), MQOD()
    pmo.version = od.version = 2
    assert 52 + 4 + len(md.pack()) + len(pmo.pack()) == 532
    assert 52 + 4 + len(od.pack()) + 84 == 340
