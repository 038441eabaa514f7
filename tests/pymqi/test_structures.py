"""Structures: the bytes of a 64-bit C program, the initial values of pymqi."""

from __future__ import annotations

import pytest

from flintmq import pymqi
from flintmq.pymqi import CMQC, MQOpts

#: Lengths that MQ's own headers give for the versions that are here.
SIZES = {
    pymqi.GMO: 112, pymqi.PMO: 184, pymqi.OD: 424, pymqi.MD: 364, pymqi.SD: 344, pymqi.SRO: 16, pymqi.CD: 1988,
    pymqi.SCO: 628, pymqi.CMHO: 12, pymqi.PD: 24, pymqi.SMPO: 20, pymqi.IMPO: 64, pymqi.TM: 684, pymqi.TMC2: 732,
    pymqi.XQH: 104, pymqi.RFH2: 36, pymqi.CFH: 36,
}  # fmt: skip


@pytest.mark.parametrize("kind", SIZES, ids=lambda kind: kind.__name__)
def test_a_structure_has_the_length_that_a_c_program_sees(kind: type[MQOpts]) -> None:
    made = kind()  # type: ignore[call-arg]
    assert made.get_length() == len(made.pack()) == SIZES[kind]


@pytest.mark.parametrize("kind", SIZES, ids=lambda kind: kind.__name__)
def test_what_is_packed_is_unpacked(kind: type[MQOpts]) -> None:
    packed = kind().pack()  # type: ignore[call-arg]
    assert kind().unpack(packed).pack() == packed  # type: ignore[call-arg]


def test_members_are_attributes_items_and_keywords() -> None:
    md = pymqi.MD(MsgId=b"1", Priority=3)
    md.Format = CMQC.MQFMT_STRING
    md["Expiry"] = 50
    md.set(Persistence=1)
    assert (md["Format"], md.Expiry, md.Priority, md.Persistence) == (b"MQSTR   ", 50, 3, 1)
    assert md.get()["MsgId"] == b"1" and list(md.get())[:2] == ["StrucId", "Version"]
    assert "Priority: 3" in str(md).splitlines() and repr(md) == str(md.pack())


def test_a_member_that_is_not_there_is_refused() -> None:
    with pytest.raises(AttributeError):
        pymqi.MD(NoSuchMember=1)
    with pytest.raises(AttributeError):
        pymqi.MD()["NoSuchMember"] = 1


def test_text_is_refused_where_bytes_go() -> None:
    with pytest.raises(TypeError, match="Convert to bytes"):
        pymqi.MD(Format="MQSTR")
    md = pymqi.MD()
    md.Format = "MQSTR"
    with pytest.raises(TypeError, match="Convert to bytes"):
        md.pack()


def test_a_short_buffer_is_filled_up() -> None:
    md = pymqi.MD()
    md.unpack(pymqi.MD(Priority=7).pack()[:48])
    assert (md.Priority, md.MsgId, md.OriginalLength) == (7, bytes(24), 0)


def test_a_string_of_variable_length_is_written_and_read() -> None:
    od = pymqi.OD()
    od.set_vs("ObjectString", "a/b")
    assert (od.get_vs("ObjectString"), od.get_vs("ObjectStringVSPtr"), od.ObjectStringVSLength) == (b"a/b", b"a/b", 3)
    assert od.get_vs("SelectionString") is None
    with pytest.raises(TypeError):
        od.set_vs("SelectionString", "a = 1")
    od.set_vs("SelectionString", b"a = 1", vs_ccsid=1208)
    assert (od.get_vs("SelectionString"), od.SelectionStringVSCCSID) == (b"a = 1", 1208)


def test_the_lists_of_a_channel_definition_come_back() -> None:
    cd = pymqi.CD(MsgCompList=[1, 2] + 14 * [-1])
    back = pymqi.CD().unpack(cd.pack())
    assert (back.MsgCompList, back.HdrCompList, back.SharingConversations) == ([1, 2] + 14 * [-1], [0, -1], 10)


def test_a_structure_of_a_programs_own_can_be_made() -> None:
    made = MQOpts([["Id", b"ABCD", "4s"], ["Numbers", [1, 2], "i", 2], ["More", [3, 4, 5], "3h"]], Id=b"X")
    assert made.pack() == b"X\0\0\0" + b"\1\0\0\0\2\0\0\0" + b"\3\0\4\0\5\0"
    assert made.unpack(made.pack()).get() == {"Id": b"X\0\0\0", "Numbers": [1, 2], "More": [3, 4, 5]}


def test_old_names_are_the_same_classes() -> None:
    old = (pymqi.gmo, pymqi.pmo, pymqi.od, pymqi.md, pymqi.cd, pymqi.sco)
    assert old == (pymqi.GMO, pymqi.PMO, pymqi.OD, pymqi.MD, pymqi.CD, pymqi.SCO)


def test_initial_values_are_those_of_pymqi() -> None:
    gmo, sd, pmo = pymqi.GMO(), pymqi.SD(), pymqi.PMO()
    assert (gmo.MatchOptions, gmo.GroupStatus, gmo.ReturnedLength) == (3, 32, -1)
    assert (sd.SubLevel, sd.PubPriority, sd.SubExpiry) == (0, -1, -1)
    assert (pmo.PubLevel, pmo.Timeout) == (0, -1)
    assert (pymqi.SCO().Version, pymqi.CD().Version, pymqi.OD().DynamicQName) == (5, 6, b"AMQ.*")
