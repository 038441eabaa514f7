"""Structures: lengths of a 64-bit C program; text is taken where characters go."""

from __future__ import annotations

import pytest

from flintmq import ibmmq
from flintmq.ibmmq import CMQC, CMQXC
from flintmq.ibmmq.opts import Structure

#: Structure to its length in MQ's own headers.
SIZES = {
    ibmmq.GMO: CMQC.MQGMO_LENGTH_4, ibmmq.PMO: CMQC.MQPMO_LENGTH_3, ibmmq.OD: CMQC.MQOD_LENGTH_4,
    ibmmq.MD: CMQC.MQMD_LENGTH_2, ibmmq.SD: CMQC.MQSD_LENGTH_1, ibmmq.SRO: CMQC.MQSRO_LENGTH_1,
    ibmmq.STS: CMQC.MQSTS_LENGTH_2, ibmmq.CNO: CMQC.MQCNO_LENGTH_8, ibmmq.CSP: CMQC.MQCSP_LENGTH_3,
    ibmmq.BNO: CMQC.MQBNO_LENGTH_1, ibmmq.CD: CMQXC.MQCD_LENGTH_13, ibmmq.SCO: CMQC.MQSCO_LENGTH_7,
    ibmmq.CBD: CMQC.MQCBD_LENGTH_1, ibmmq.CBC: CMQC.MQCBC_LENGTH_2, ibmmq.CTLO: CMQC.MQCTLO_LENGTH_1,
    ibmmq.CMHO: CMQC.MQCMHO_LENGTH_1, ibmmq.DMHO: CMQC.MQDMHO_LENGTH_1, ibmmq.SMPO: CMQC.MQSMPO_LENGTH_1,
    ibmmq.IMPO: CMQC.MQIMPO_LENGTH_1, ibmmq.DMPO: CMQC.MQDMPO_LENGTH_1, ibmmq.PD: CMQC.MQPD_LENGTH_1,
    ibmmq.DLH: CMQC.MQDLH_LENGTH_1, ibmmq.MDE: CMQC.MQMDE_LENGTH_2, ibmmq.IIH: CMQC.MQIIH_LENGTH_1,
    ibmmq.CIH: CMQC.MQCIH_LENGTH_2, ibmmq.TM: CMQC.MQTM_LENGTH_1, ibmmq.TMC2: CMQC.MQTMC2_LENGTH_2,
}  # fmt: skip


@pytest.mark.parametrize("kind", SIZES, ids=lambda kind: kind.__name__)
def test_a_structure_has_the_length_that_a_c_program_sees(kind: type[Structure]) -> None:
    made = kind()
    assert made.get_length() == len(made.pack()) == SIZES[kind]
    assert kind().unpack(made.pack()).pack() == made.pack()


def test_text_is_taken_where_characters_go() -> None:
    od = ibmmq.OD(ObjectName="ORDERS")
    od.DynamicQName = "MINE.*"
    assert od.pack()[12:18] == b"ORDERS" and b"MINE.*" in od.pack()
    od.set_vs("SelectionString", "a = 1")
    assert od.get_vs("SelectionString") == b"a = 1"


def test_text_is_refused_where_bytes_go() -> None:
    with pytest.raises(TypeError, match="MsgId must be a byte array"):
        ibmmq.MD(MsgId="1")
    md = ibmmq.MD()
    md.CorrelId = "1"
    with pytest.raises(TypeError, match="CorrelId must be a byte array"):
        md.pack()
    md = ibmmq.MD()
    md.ReplyToQ = None
    with pytest.raises(TypeError, match="Class:MD Field:ReplyToQ must not be None"):
        md.pack()


def test_character_members_become_text() -> None:
    md = ibmmq.MD().unpack(ibmmq.MD(Format="MQSTR   ", MsgId=b"1").pack()).to_string()
    assert (md.Format, md.ReplyToQ, md.MsgId) == ("MQSTR", "", b"1".ljust(24, b"\0"))
    assert ibmmq.to_string(b"QM1   \0rest") == "QM1" and ibmmq.to_string(5) == 5


def test_a_pointer_to_text_is_given_as_text() -> None:
    csp = ibmmq.CSP(CSPUserId="app", CSPPassword="secret")
    back = ibmmq.CSP().unpack(csp.pack())
    assert (back._CSPUserIdLength, back._CSPPasswordLength, csp.CSPUserId) == (3, 6, b"app")


def test_headers_are_read_from_the_beginning_of_a_message() -> None:
    message = ibmmq.DLH(Reason=2053, DestQName="ORDERS", Format="MQSTR").pack() + b"body"
    dlh = ibmmq.DLH().get_header(message).to_string()
    assert (dlh.Reason, dlh.DestQName, dlh.Format) == (2053, "ORDERS", "MQSTR")
    message = ibmmq.XQH(RemoteQName="FAR").pack() + ibmmq.MD(Priority=4).pack()[:324] + b"body"
    assert ibmmq.XQH().get_header(message).to_string().RemoteQName == "FAR"
    md = ibmmq.XQH().get_embedded_md(message)
    assert md.Priority == 4 and not hasattr(md, "GroupId")


def test_initial_values_are_those_of_ibmmq() -> None:
    assert (ibmmq.MD().Version, ibmmq.GMO().Version, ibmmq.PMO().Version, ibmmq.OD().Version) == (2, 4, 3, 4)
    assert (ibmmq.PMO().PubLevel, ibmmq.SD().SubLevel, ibmmq.CD().Version, ibmmq.CNO().Version) == (9, 1, 11, 5)


def test_an_rfh2_of_java_is_read() -> None:
    made = ibmmq.RFH2()
    made.add_folder(b"<usr><a xsi:nil='true'/><b dt='i4'>5</b></usr>")
    made.add_folder(b"<broken><a></broken>")
    back = ibmmq.RFH2()
    back.unpack(made.pack(273), 273)
    assert back.get_folders() == ["usr", "broken"] and back.is_big_endian(273) and not back.is_big_endian(546)
    with pytest.raises(ibmmq.PYIFError, match="PYIBMMQ Error: RFH2 - XML Folder not well formed"):
        back.add_folder(b"text")


def test_names_are_found_by_number() -> None:
    assert ibmmq.CMQSTRC.MQRC_DICT[2033] == "MQRC_NO_MSG_AVAILABLE"
    assert ibmmq.CMQSTRC.MQCBCT_DICT[CMQC.MQCBCT_MSG_REMOVED] == "MQCBCT_MSG_REMOVED"
    assert ibmmq.CMQSTRC.MQAT_DICT[6] == "MQAT_UNIX" and ibmmq.CMQSTRC.MQQA_SHAREABLE_DICT[0] == "MQQA_NOT_SHAREABLE"
    assert str(ibmmq.MQMIError(2, 2085)) == "MQI Error. Comp 2, Reason 2085: FAILED: MQRC_UNKNOWN_OBJECT_NAME"
    assert ibmmq.MQMIError(1, 2079, message=b"1").get("message") == b"1"
