"""The known faults of the reference formatter (section 12 of the SMF reference), each with the value that is right."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from flintmq.telemetry.smf.layouts.q5st import Q5ST
from flintmq.telemetry.smf.layouts.qesd import QESD
from flintmq.telemetry.smf.layouts.qpst import QPST
from flintmq.telemetry.smf.layouts.qqst import QQST
from flintmq.telemetry.smf.layouts.qsgm import QSGM
from flintmq.telemetry.smf.layouts.qsrs import QSRS
from flintmq.telemetry.smf.layouts.qwac import QWAC
from flintmq.telemetry.smf.layouts.wq import WQ
from flintmq.telemetry.smf.layouts.wtid import WTID
from flintmq.telemetry.smf.pack import pack
from tests.telemetry.builder import NOON, Record, dump
from tests.telemetry.conftest import Read
from tests.telemetry.samples import TESTCHL, WHY_NOT


def test_1_encrypted_is_bit_0_of_the_flag_word(read: Read) -> None:
    sections = [pack_qesd(True), pack_qesd(False)]
    rows = read(dump(Record(115, 2, {8: sections}).packed()))["QESD"]
    assert [row["Encrypted"] for row in rows] == [True, False]


def pack_qesd(encrypted: bool) -> bytes:
    return pack(QESD, {"QESDENCF": encrypted, "QESDBFBT": 7_000_123, "QESDSTR": "APP1"})


def test_2_buffer_wait_time_is_the_whole_duration(read: Read) -> None:
    rows = read(dump(Record(115, 2, {8: [pack_qesd(False)]}).packed()))["QESD"]
    assert rows[0]["Buffer_Wait_Time_US"] == 7_000_123


def test_3_gets_and_browses_are_not_exchanged(read: Read) -> None:
    values = {"QQSTPDG": 1, "QQSTNPDG": 2, "QQSTPBR": 3, "QQSTNPBR": 4}
    row = read(dump(Record(115, 216, {1: [pack(QQST, values)]}).packed()))["QQST"][0]
    assert (row["Get_P"], row["Get_NP"], row["Browse_P"], row["Browse_NP"]) == (1, 2, 3, 4)


def test_4_the_times_of_sskt_deletes_are_called_so(read: Read) -> None:
    row = read(dump(Record(115, 2, {5: [pack(Q5ST, {"SSKDTCUW": 5, "SSKDSMXW": 6})]}).packed()))["Q5ST"][0]
    assert (row["SSKT_Thread_Delete_Elapsed_US"], row["SSKT_SQL_Delete_Max_US"]) == (5, 6)
    assert not [name for name in row if name.startswith("SSKT") and "Update" in name]


@pytest.mark.skipif(not TESTCHL.present, reason=WHY_NOT)
def test_5_the_dns_task_is_there_although_qwhsnsda_does_not_count_it(read: Read) -> None:
    rows = read(TESTCHL.dump.read_bytes())["QCTDNS"]
    assert len(rows) == 16
    # In every sample elapsed and wait time of a task make up the interval.
    for row in rows:
        total = row["Task_Elapsed_Time_US"] + row["Task_Wait_Time_US"]
        assert abs(total - row["Interval_Duration_US"]) < 1_000_000


def test_6_storage_records_of_10_0_have_no_interval_of_another_record(read: Read) -> None:
    first = Record(115, 216, {1: [pack(QQST, {"QQSTQNAM": "A"})]}, long_release="100000").packed()
    storage = Record(115, 6, {1: [pack(QSGM, {"QSGMCOUNT": 3})]}, long_release="100000", group="QSG1").packed()
    row = read(dump(first, storage))["QSGM"][0]
    assert (row["Interval_Start"], row["Interval_Duration"]) == (None, None)
    assert (row["MQ_Version"], row["QSG"], row["Requests"]) == ("100000", "QSG1", 3)


def test_7_rows_with_and_without_interval_share_a_table(read: Read) -> None:
    queue = {1: [pack(QQST, {"QQSTQNAM": "A"})]}
    rows = read(dump(Record(115, 216, queue, interval=None).packed(), Record(115, 216, queue).packed()))["QQST"]
    assert [row["Interval_Duration"] for row in rows] == [None, 60]
    assert rows[1]["Interval_Start"] == datetime.fromtimestamp(NOON / 1e6 - 60, UTC)


def test_8_buffer_pools_are_found_in_115_2_of_old_releases_and_in_115_215(read: Read) -> None:
    pools = [pack(QPST, {"QPSTPOOL": number}) for number in range(3)]
    rows = read(dump(Record(115, 2, {3: pools[:2]}, release="710").packed(), Record(115, 215, {1: pools[2:]}).packed()))
    assert [row["BufferPool"] for row in rows["QPST"]] == [0, 1, 2]


def test_9_one_byte_codes_above_x7f_are_small_numbers(read: Read) -> None:
    rows = read(
        dump(
            Record(115, 6, {1: [pack(QSGM, {"QSGMSCLS": 0xFE})]}).packed(),
            Record(115, 7, {1: [pack(QSRS, {"QSRSMEMLIMS": 0x80})]}).packed(),
        )
    )
    assert (rows["QSGM"][0]["Storage_Class"], rows["QSRS"][0]["MemLimit_Source"]) == (254, 128)


def test_12_qwac_is_a_table_of_its_own(read: Read) -> None:
    values = {"QWACBSC": NOON, "QWACESC": None, "QWACEJST": 1_500, "QWACCOMM": 4}
    row = read(dump(Record(116, 0, {1: [pack(QWAC, values)]}).packed()))["QWAC"][0]
    assert row["Start_Time"] == datetime.fromtimestamp(NOON / 1e6, UTC)
    assert (row["End_Time"], row["Job_Step_CPU_End_US"], row["Commits"]) == (None, 1_500, 4)


@pytest.mark.parametrize(("version", "length", "there"), [(6, 2752, False), (8, 2792, True), (9, 2800, True)])
def test_13_topic_times_are_null_where_the_block_ends_before_them(
    read: Read, version: int, length: int, there: bool
) -> None:
    block = pack(WQ, {"WQVER": version, "TOPICPUTSRB": 77, "PUTN": 3}, length)
    row = read(dump(Record(116, 2, {1: [pack(WTID, {})], 2: [block]}).packed()))["WQ"][0]
    assert row["TopicOnSRB_Put_US"] == (77 if there else None)
    assert row["Put_Count"] == 3
