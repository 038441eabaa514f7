"""Status displays and actions: queues, connections, the queue manager, page sets, the log, system parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from flintmq.command.administration import Row
from flintmq.command.reply import Reply
from flintmq.mqi.pcf_constants import MQRCCF_LOG_TYPE_ERROR

if TYPE_CHECKING:
    from tests.command.conftest import CatalogueAdministration

Run = Callable[[str], Reply]
Text = Callable[[str], str]


def test_the_status_of_a_queue(text: Text, administration: CatalogueAdministration) -> None:
    text("DEFINE QLOCAL(ORDERS.IN)")
    administration.depths["ORDERS.IN"] = 3
    assert text("DISPLAY QSTATUS(ORDERS.IN)").splitlines() == [
        "AMQ8450I: Display queue status details.",
        "   QUEUE(ORDERS.IN)                        TYPE(QUEUE)",
        "   CURDEPTH(3)                             CURFSIZE(1)",
        "   CURMAXFS(2088960)                       IPPROCS(0)",
        "   LGETDATE( )                             LGETTIME( )",
        "   LPUTDATE( )                             LPUTTIME( )",
        "   MEDIALOG( )                             MONQ(OFF)",
        "   MSGAGE( )                               OPPROCS(0)",
        "   QTIME( , )                              UNCOM(NO)",
    ]
    assert text("DIS QS(*) WHERE(CURDEPTH GT 0)").splitlines() == [
        "AMQ8450I: Display queue status details.",
        "   QUEUE(ORDERS.IN)                        TYPE(QUEUE)",
        "   CURDEPTH(3)",
    ]
    assert text("DISPLAY QSTATUS(ORDERS.*)").count("CURDEPTH") == 0


def test_the_handles_of_a_queue(text: Text, administration: CatalogueAdministration) -> None:
    text("DEFINE QLOCAL(A)")
    assert text("DISPLAY QSTATUS(A) TYPE(HANDLE)") == "AMQ8565E: Queue status of A not found."
    reader: Row = {"APPLTAG": "reader", "INPUT": "SHARED", "OUTPUT": "NO", "BROWSE": "NO", "PID": 7}
    writer: Row = {"APPLTAG": "writer", "INPUT": "NO", "OUTPUT": "YES", "BROWSE": "NO", "PID": 8}
    administration.handles["A"] = [reader, writer]
    assert text("DISPLAY QSTATUS(A) TYPE(HANDLE) APPLTAG OPENTYPE(INPUT)").splitlines() == [
        "AMQ8450I: Display queue status details.",
        "   QUEUE(A)                                TYPE(HANDLE)",
        "   APPLTAG(reader)",
    ]
    assert "reader" not in text("DISPLAY QSTATUS(A) TYPE(HANDLE) ALL OPENTYPE(OUTPUT)")
    assert text("DISPLAY QSTATUS(A) TYPE(HANDLE) ALL").count("AMQ8450I") == 2
    assert text("DISPLAY QSTATUS(NOTHING)").startswith("AMQ8565E")


def test_queue_statistics_are_told_and_reset(text: Text) -> None:
    text("DEFINE QLOCAL(A)")
    assert text("RESET QSTATS(A)").splitlines() == [
        "CSQM201I: RESET QSTATS details.",
        "   QUEUE(A)                                HIQDEPTH(9)",
        "   MSGSIN(12)                              MSGSOUT(3)",
        "   RESETINT(60)",
    ]
    assert text("RESET QSTATS(NOTHING)").startswith("AMQ8147E")


def test_a_queue_is_cleared_unless_it_is_in_use(text: Text, administration: CatalogueAdministration) -> None:
    text("DEFINE QLOCAL(A)")
    administration.depths["A"] = 5
    assert text("CLEAR QLOCAL(A)") == "AMQ8022I: Queue cleared." and "A" not in administration.depths
    administration.handles["A"] = [{}]
    assert text("CLEAR QLOCAL(A)") == "AMQ8148E: Object A is in use."
    assert text("CLEAR QLOCAL(NOTHING)").startswith("AMQ8147E")


CONNECTION: Row = {
    "CONN": "6147BA6800DD0740",
    "EXTCONN": "414D5143514D31202020202020202020",
    "PID": 3079,
    "TID": 15,
    "APPLTAG": "orders.py",
    "CONNOPTS": "MQCNO_HANDLE_SHARE_BLOCK,MQCNO_SHARED_BINDING",
    "UOWSTATE": "NONE",
}


def test_connections_and_what_they_have_open(text: Text, administration: CatalogueAdministration) -> None:
    assert text("DISPLAY CONN(*)") == "AMQ8461I: Connection identifier * not found."
    administration.connected.append(dict(CONNECTION))
    administration.connection_objects["6147BA6800DD0740"] = [{"OBJNAME": "ORDERS.IN", "OBJTYPE": "QUEUE"}]
    assert text("DISPLAY CONN(6147ba6800dd0740)").splitlines() == [
        "AMQ8276I: Display Connection details.",
        "   CONN(6147BA6800DD0740)",
        "   EXTCONN(414D5143514D31202020202020202020)",
        "   TYPE(CONN)",
        "   PID(3079)                               TID(15)",
        "   APPLTAG(orders.py)",
        "   CONNOPTS(MQCNO_HANDLE_SHARE_BLOCK,MQCNO_SHARED_BINDING)",
        "   UOWSTATE(NONE)",
    ]
    assert text("DISPLAY CONN(6147*) TYPE(HANDLE) OBJNAME").splitlines() == [
        "AMQ8276I: Display Connection details.",
        "   CONN(6147BA6800DD0740)",
        "   EXTCONN(414D5143514D31202020202020202020)",
        "   TYPE(HANDLE)",
        "   OBJNAME(ORDERS.IN)",
    ]
    assert text("DISPLAY CONN(*) TYPE(ALL) ALL").count("AMQ8276I") == 2
    assert "APPLTAG(orders.py)" in text("DISPLAY CONN(*) WHERE(APPLTAG LK 'orders*')")
    assert text("DISPLAY CONN(*) WHERE(APPLTAG EQ 'other')").startswith("AMQ8461I")
    assert text("DISPLAY CONN(*) EXTCONN('OTHER')").startswith("AMQ8461I")


def test_a_connection_is_stopped(text: Text, administration: CatalogueAdministration) -> None:
    administration.connected.append(dict(CONNECTION))
    assert text("STOP CONN(6147BA6800DD0740)") == "AMQ8457I: Connection stopped." and not administration.connected
    assert text("STOP CONN(6147BA6800DD0740)").startswith("AMQ8461I")
    for wrong in ("6147", "6147*", "X" * 16):
        assert text(f"STOP CONN({wrong})").startswith("AMQ8405I")


def test_the_state_of_the_queue_manager(text: Text) -> None:
    assert text("DISPLAY QMSTATUS").splitlines() == [
        "AMQ8705I: Display Queue Manager Status Details.",
        "   QMNAME(QM1)                             TYPE(QMGR)",
        "   STATUS(RUNNING)",
    ]
    assert "   STATUS(RUNNING)                         CMDSERV(RUNNING)" in text("DIS QMSTATUS ALL").splitlines()
    assert "CONNS(0)" in text("DISPLAY QMSTATUS TYPE(QMGR) CONNS")
    assert text("PING QMGR") == "AMQ8415I: Ping queue manager command complete."


def test_the_queue_manager_is_reset(text: Text, administration: CatalogueAdministration) -> None:
    assert text("RESET QMGR TYPE(ADVANCELOG)").startswith("AMQ8005I")
    assert text("RESET QMGR").splitlines()[2] == "   TYPE is missing."
    administration.reason = MQRCCF_LOG_TYPE_ERROR
    assert "The log is not of the type" in text("RESET QMGR TYPE(ARCHLOG)")
    assert administration.resets == ["ADVANCELOG", "ARCHLOG"]


def test_a_scan_for_expired_messages_is_asked_for(text: Text, administration: CatalogueAdministration) -> None:
    assert text("REFRESH QMGR TYPE(EXPIRY)") == "CSQ9022I: 'REFRESH QMGR' normal completion."
    assert text("REFRESH QMGR TYPE(EXPIRY) NAME(ORDERS.*)").startswith("CSQ9022I")
    assert text("REFRESH QMGR").splitlines()[2] == "   TYPE is missing."
    assert administration.resets == ["EXPIRY *", "EXPIRY ORDERS.*"]


def test_usage_of_page_sets_and_buffer_pools(text: Text) -> None:
    assert text("DISPLAY USAGE TYPE(PAGESET) PSID(4)").splitlines() == [
        "CSQI010I: Page set usage.",
        "   PSID(4)                                 BUFFPOOL(3)",
        "   TOTAL(1048576)                          UNUSED(100)",
    ]
    assert text("DISPLAY USAGE TYPE(BUFFPOOL)").count("CSQP001I") == 4
    whole = text("DISPLAY USAGE")
    assert [whole.count(number) for number in ("CSQI010I", "CSQP001I", "CSQJ322I")] == [5, 4, 1]
    assert text("DISPLAY USAGE PSID(*) TYPE(PAGESET)").count("CSQI010I") == 5
    assert text("DISPLAY USAGE PSID(77)") == "AMQ8147E: Object 77 not found."


def test_log_compression_is_switched_for_the_whole_queue_manager(
    text: Text, administration: CatalogueAdministration
) -> None:
    """B114."""
    assert text("SET LOG COMPLOG(RLE) MAXARCH(100)") == "CSQ9022I: 'SET LOG' normal completion."
    assert text("DISPLAY LOG COMPLOG MAXARCH").splitlines() == [
        "CSQJ322I: DISPLAY LOG report.",
        "   COMPLOG(RLE)                            MAXARCH(100)",
    ]
    assert "LOGTYPE(CIRCULAR)" in text("DISPLAY LOG")
    text("SET LOG DEFAULT WRTHRSH(30)")
    assert (administration.log["COMPLOG"], administration.log["WRTHRSH"]) == ("NONE", 30)
    assert text("ARCHIVE LOG") == "CSQ9022I: 'ARCHIVE LOG' normal completion."
    administration.reason = MQRCCF_LOG_TYPE_ERROR
    assert text("ARCHIVE LOG").startswith("AMQ8101S")


def test_a_new_interval_and_the_old_one_are_both_shown_until_it_begins(
    text: Text, administration: CatalogueAdministration
) -> None:
    """B1, B9, B10, B11."""
    assert text("SET SYSTEM STATIME(1.00) ACCTIME(0.15)") == "CSQ9022I: 'SET SYSTEM' normal completion."
    shown = text("DISPLAY SYSTEM")
    assert "STATIME(30.00)" in shown and "NEWSTATIME(1.00)" in shown
    assert "ACCTIME(-1)" in shown and "NEWACCTIME(0.15)" in shown

    administration.end_interval()

    shown = text("DISPLAY SYSTEM")
    assert "STATIME(1.00)" in shown and "ACCTIME(0.15)" in shown and "NEW" not in shown


@pytest.mark.parametrize("value", [".05", "0.00", "0.60", "1441", "0.005"])
def test_an_interval_that_is_too_short_or_badly_written_is_refused(text: Text, value: str) -> None:
    """B7, B8."""
    lines = text(f"SET SYSTEM ACCTIME({value})").splitlines()
    assert lines[0].startswith("AMQ8405I") and lines[2].startswith("   ACCTIME must be minutes or minutes.seconds")


def test_system_parameters_that_take_effect_at_once(text: Text, administration: CatalogueAdministration) -> None:
    """B153: QINDXBLD."""
    text("SET SYSTEM QINDXBLD(NOWAIT) LOGLOAD(1000) EXCLMSG(X500,X501)")
    assert text("DISPLAY SYSTEM QINDXBLD LOGLOAD EXCLMSG").splitlines() == [
        "CSQJ322I: DISPLAY SYSTEM report.",
        "   EXCLMSG(X500",
        "          ,X501)",
        "   LOGLOAD(1000)                           QINDXBLD(NOWAIT)",
    ]


# -- MOVE and authority -----------------------------------------------------------------------------------------------


def test_move_says_how_many_messages_were_moved(text: Text, administration: CatalogueAdministration) -> None:
    text("DEFINE QLOCAL(A)")
    text("DEFINE QLOCAL(B)")
    administration.depths["A"] = 5
    assert text("MOVE QLOCAL(A) TOQLOCAL(B)").splitlines() == [
        "CSQ9022I: 'MOVE QLOCAL' normal completion.",
        "   5 messages moved to B.",
    ]
    administration.depths["A"] = 1
    assert text("MOVE QL(A) TOQLOCAL(B) TYPE(MOVE)") == "AMQ8143E: Queue B is not empty."
    assert "   1 message moved to B." in text("MOVE QL(A) TOQLOCAL(B) TYPE(ADD)")
    administration.depths["A"] = 9
    administration.movable = 4
    stopped = text("MOVE QL(A) TOQLOCAL(B) TYPE(ADD)").splitlines()
    assert stopped[0].startswith("AMQ8101S: The command failed with reason 2030 (MQRC_MSG_TOO_BIG_FOR_Q)")
    assert stopped[1] == "   4 messages moved to B; the rest are on A."
    assert text("MOVE QL(A) TOQLOCAL(NO)") == "AMQ8147E: Object NO not found."
    assert text("MOVE QL(NO) TOQLOCAL(B)") == "AMQ8147E: Object NO not found."
    administration.handles["A"] = [{}]
    assert text("MOVE QL(A) TOQLOCAL(B) TYPE(ADD)") == "AMQ8148E: Object A is in use."
    assert "TOQLOCAL is missing" in text("MOVE QL(A)")


def test_a_command_on_an_object_that_the_issuer_may_not_touch_is_not_authorized(
    run: Run, text: Text, administration: CatalogueAdministration
) -> None:
    text("DEFINE QLOCAL(MINE)")
    text("DEFINE QLOCAL(YOURS)")
    administration.forbidden = {"YOURS", "QM1"}
    for command in (
        "DISPLAY QLOCAL(YOURS)",
        "DISPLAY QSTATUS(YOURS)",
        "CLEAR QLOCAL(YOURS)",
        "DELETE QLOCAL(YOURS)",
        "MOVE QLOCAL(MINE) TOQLOCAL(YOURS)",
        "ALTER QMGR DESCR(X)",
        "SET LOG COMPLOG(RLE)",
    ):
        assert text(command) == "AMQ8135E: Not authorized.", command
        assert run(command).reason == 2035
    assert ("ALTER", "QMGR", "QM1") in administration.asked
    assert administration.catalogue.find("QLOCAL", "YOURS") is not None


def test_a_generic_name_shows_only_what_the_issuer_may_see(text: Text, administration: CatalogueAdministration) -> None:
    text("DEFINE QLOCAL(Q.MINE)")
    text("DEFINE QLOCAL(Q.YOURS)")
    administration.forbidden = {"Q.YOURS"}
    for command in ("DISPLAY QUEUE(Q.*)", "DISPLAY QSTATUS(Q.*)", "RESET QSTATS(Q.*)"):
        assert "Q.MINE" in text(command) and "Q.YOURS" not in text(command)
    assert text("DISPLAY QUEUE(Q.YOURS*)") == "AMQ8147E: Object Q.YOURS* not found."
