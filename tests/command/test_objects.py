"""DEFINE, ALTER, DELETE and DISPLAY of objects, and the messages they answer with."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from flintmq.catalogue.attribute import ENUM, FLAG, INT, LIST, NAME, STRING, Attribute
from flintmq.catalogue.attributes import ATTRIBUTES
from flintmq.catalogue.rules import OBJECT_TYPES
from flintmq.command.display import item_lines
from flintmq.command.execute import execute
from flintmq.command.reply import HIDDEN, Reply
from flintmq.mqi import reason as rc
from flintmq.mqi.pcf_constants import MQRCCF_ATTR_VALUE_ERROR, MQRCCF_OBJECT_IN_USE, MQRCCF_SERV_STATUS_NOT_FOUND
from flintmq.qmgr.catalogue import MQObject

if TYPE_CHECKING:
    from tests.command.conftest import CatalogueAdministration

Run = Callable[[str], Reply]
Text = Callable[[str], str]


def numbers(reply: Reply) -> list[str]:
    return [answer.number for answer in reply.responses]


@pytest.mark.parametrize(
    ("noun", "name", "created", "changed", "shown", "deleted"),
    [
        ("QLOCAL", "A", "AMQ8006I", "AMQ8008I", "AMQ8409I", "AMQ8007I"),
        ("QALIAS", "A", "AMQ8006I", "AMQ8008I", "AMQ8409I", "AMQ8007I"),
        ("QREMOTE", "A", "AMQ8006I", "AMQ8008I", "AMQ8409I", "AMQ8007I"),
        ("QMODEL", "A", "AMQ8006I", "AMQ8008I", "AMQ8409I", "AMQ8007I"),
        ("PROCESS", "A", "AMQ8010I", "AMQ8012I", "AMQ8407I", "AMQ8011I"),
        ("NAMELIST", "A", "AMQ8552I", "AMQ8551I", "AMQ8550I", "AMQ8553I"),
        ("STGCLASS", "A", "CSQ9022I", "CSQ9022I", "CSQM201I", "CSQ9022I"),
        ("BUFFPOOL", "9", "CSQ9022I", "CSQ9022I", "CSQM201I", "CSQ9022I"),
        ("PSID", "9", "CSQ9022I", "CSQ9022I", "CSQM201I", "CSQ9022I"),
    ],
)
def test_the_life_of_an_object_and_its_message_numbers(
    run: Run, noun: str, name: str, created: str, changed: str, shown: str, deleted: str
) -> None:
    assert numbers(run(f"DISPLAY {noun}({name})")) == ["AMQ8147E"]
    assert numbers(run(f"ALTER {noun}({name})")) == ["AMQ8147E"]
    assert numbers(run(f"DELETE {noun}({name})")) == ["AMQ8147E"]
    assert numbers(run(f"DEFINE {noun}({name})")) == [created]
    assert numbers(run(f"DEFINE {noun}({name})")) == ["AMQ8150E"]
    assert numbers(run(f"DEFINE {noun}({name}) REPLACE")) == [created]
    assert numbers(run(f"ALTER {noun}({name})")) == [changed]
    assert numbers(run(f"DISPLAY {noun}({name})")) == [shown]
    assert numbers(run(f"DELETE {noun}({name})")) == [deleted]
    assert numbers(run(f"DELETE {noun}({name}) IGNSTATE(YES)")) == [deleted]


def test_every_attribute_of_a_local_queue_is_shown_in_two_columns(text: Text) -> None:
    text("DEFINE QLOCAL(ORDERS.IN) DESCR('Orders') TRIGGER NOHARDENBO INDXTYPE(CORRELID)")
    assert text("DISPLAY QLOCAL(ORDERS.IN)") == LOCAL_QUEUE.strip("\n")


LOCAL_QUEUE = """
AMQ8409I: Display Queue details.
   QUEUE(ORDERS.IN)                        TYPE(QLOCAL)
   ACCTQ(QMGR)                             ALTDATE(2026-01-31)
   ALTTIME(12.30.00)                       BOQNAME( )
   BOTHRESH(0)                             CAPEXPRY(NOLIMIT)
   CLUSNL( )                               CLUSTER( )
   CLCHNAME( )                             CLWLPRTY(0)
   CLWLRANK(0)                             CLWLUSEQ(QMGR)
   CRDATE(2026-01-30)                      CRTIME(09.00.00)
   CURDEPTH(0)                             CUSTOM( )
   DEFBIND(OPEN)                           DEFPRTY(0)
   DEFPSIST(NO)                            DEFPRESP(SYNC)
   DEFREADA(NO)                            DEFSOPT(SHARED)
   DEFTYPE(PREDEFINED)                     DESCR(Orders)
   DISTL(NO)                               GET(ENABLED)
   NOHARDENBO                              IMGRCOVQ(QMGR)
   INDXTYPE(CORRELID)                      INITQ( )
   IPPROCS(0)                              MAXDEPTH(5000)
   MAXFSIZE(DEFAULT)                       MAXMSGL(4194304)
   MONQ(QMGR)                              MSGDLVSQ(PRIORITY)
   TRIGGER                                 NPMCLASS(NORMAL)
   OPPROCS(0)                              PROCESS( )
   PUT(ENABLED)                            PROPCTL(COMPAT)
   QDEPTHHI(80)                            QDEPTHLO(20)
   QDPHIEV(DISABLED)                       QDPLOEV(DISABLED)
   QDPMAXEV(ENABLED)                       QSVCIEV(NONE)
   QSVCINT(999999999)                      RETINTVL(999999999)
   SCOPE(QMGR)                             SHARE
   STATQ(QMGR)                             STGCLASS(DEFAULT)
   STREAMQ( )                              STRMQOS(BESTEF)
   TRIGDATA( )                             TRIGDPTH(1)
   TRIGMPRI(0)                             TRIGTYPE(FIRST)
   USAGE(NORMAL)
"""


def test_a_generic_name_shows_name_and_type_only_unless_all_is_said(text: Text) -> None:
    text("DEFINE QLOCAL(ORDERS.B)")
    text("DEFINE QALIAS(ORDERS.A) TARGET(ORDERS.B)")
    assert text("DISPLAY QUEUE(ORDERS.*)").splitlines() == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(ORDERS.A)                         TYPE(QALIAS)",
        "AMQ8409I: Display Queue details.",
        "   QUEUE(ORDERS.B)                         TYPE(QLOCAL)",
    ]
    assert "MAXDEPTH(5000)" in text("DISPLAY QUEUE(ORDERS.*) ALL")
    assert "ORDERS.A" not in text("DISPLAY QLOCAL(ORDERS.*)")
    assert "ORDERS.A" not in text("DISPLAY QUEUE(ORDERS.*) TYPE(QLOCAL)")
    assert "ORDERS.B" not in text("DISPLAY Q(ORDERS.*) QTYPE(QALIAS)")


def test_named_attributes_are_shown_where_the_object_has_them(text: Text) -> None:
    text("DEFINE QLOCAL(ORDERS.B)")
    text("DEFINE QALIAS(ORDERS.A) TARGET(ORDERS.B)")
    shown = text("DISPLAY QUEUE(ORDERS.*) TYPE TARGQ CURDEPTH SHARE")
    assert shown.splitlines() == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(ORDERS.A)                         TYPE(QALIAS)",
        "   TARGET(ORDERS.B)",
        "AMQ8409I: Display Queue details.",
        "   QUEUE(ORDERS.B)                         TYPE(QLOCAL)",
        "   CURDEPTH(0)                             SHARE",
    ]


def test_what_define_leaves_out_comes_from_the_default_object(text: Text) -> None:
    text("ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(7)")
    text("DEFINE QLOCAL(A)")
    assert "MAXDEPTH(7)" in text("DISPLAY QLOCAL(A) MAXDEPTH")


def test_without_the_default_object_the_defaults_are_built_in(text: Text) -> None:
    text("DELETE QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE)")
    text("DEFINE QLOCAL(A)")
    assert "MAXDEPTH(5000)" in text("DISPLAY QLOCAL(A) MAXDEPTH")


def test_like_copies_another_object_and_the_command_goes_over_it(text: Text) -> None:
    text("DEFINE QLOCAL(A) MAXDEPTH(7) DESCR('first') NOSHARE")
    text("DEFINE QLOCAL(B) LIKE(A) DESCR('second')")
    shown = text("DISPLAY QLOCAL(B) MAXDEPTH DESCR SHARE")
    assert "MAXDEPTH(7)" in shown and "DESCR(second)" in shown and "NOSHARE" in shown
    assert text("DEFINE QLOCAL(C) LIKE(NOTHING)") == "AMQ8147E: Object NOTHING not found."
    text("DEFINE QALIAS(D) TARGET(A)")
    assert text("DEFINE QLOCAL(E) LIKE(D)") == "AMQ8147E: Object D not found."


def test_replace_sets_everything_that_is_not_named_to_its_default(
    text: Text, administration: CatalogueAdministration
) -> None:
    text("DEFINE QLOCAL(A) MAXDEPTH(7) DESCR('first')")
    before = administration.catalogue.find("QLOCAL", "A")
    text("DEFINE QLOCAL(A) DESCR('second') REPLACE")
    after = administration.catalogue.find("QLOCAL", "A")
    assert before is not None and after is not None and after.object_id == before.object_id
    assert after.number("MAXDEPTH") == 5000 and after.text("DESCR") == "second"


def test_a_queue_of_another_kind_is_not_replaced(text: Text) -> None:
    text("DEFINE QLOCAL(A)")
    assert text("DEFINE QALIAS(A) TARGET(B)") == "AMQ8150E: Object A already exists."
    assert text("DEFINE QALIAS(A) TARGET(B) REPLACE") == "AMQ8150E: Object A already exists."
    assert text("ALTER QALIAS(A) TARGET(B)") == "AMQ8147E: Object A not found."


def test_alter_changes_only_what_is_named(text: Text) -> None:
    text("DEFINE QLOCAL(A) MAXDEPTH(7) DESCR('first')")
    text("ALTER QLOCAL(A) PUT(DISABLED) NOSHARE")
    shown = text("DISPLAY QLOCAL(A)")
    assert all(part in shown for part in ("MAXDEPTH(7)", "DESCR(first)", "PUT(DISABLED)", "NOSHARE"))


def test_force_is_for_queues_that_are_open(text: Text, administration: CatalogueAdministration) -> None:
    text("DEFINE QLOCAL(A)")
    administration.handles["A"] = [{"INPUT": "SHARED"}]
    assert text("ALTER QLOCAL(A) NOSHARE") == "AMQ8148E: Object A is in use."
    assert text("ALTER QLOCAL(A) NOSHARE NOFORCE").startswith("AMQ8148E")
    assert text("ALTER QLOCAL(A) NOSHARE FORCE").startswith("AMQ8008I")
    assert text("DELETE QLOCAL(A)").startswith("AMQ8148E")


def test_a_queue_with_messages_is_deleted_only_with_purge(text: Text, administration: CatalogueAdministration) -> None:
    text("DEFINE QLOCAL(A)")
    administration.depths["A"] = 1
    assert text("DELETE QLOCAL(A)") == "AMQ8143E: Queue A is not empty."
    assert text("DELETE QLOCAL(A) NOPURGE").startswith("AMQ8143E")
    assert text("DELETE QLOCAL(A) PURGE AUTHREC(NO)").startswith("AMQ8007I")


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        (rc.MQRC_NOT_AUTHORIZED, "AMQ8135E: Not authorized."),
        (rc.MQRC_CONNECTION_BROKEN, "AMQ8145E: The connection to the queue manager is broken."),
        (rc.MQRC_Q_MGR_NOT_AVAILABLE, "AMQ8146E: Queue manager QM1 is not available."),
        (MQRCCF_OBJECT_IN_USE, "AMQ8148E: Object A is in use."),
        (rc.MQRC_OBJECT_DAMAGED, "AMQ8149S: Object A is damaged."),
        (rc.MQRC_Q_MGR_QUIESCING, "AMQ8156E: Queue manager QM1 is quiescing."),
    ],
)
def test_a_reason_has_its_message(text: Text, administration: CatalogueAdministration, reason: int, line: str) -> None:
    administration.reason = reason
    assert text("DEFINE QLOCAL(A)") == line


def test_a_reason_without_a_message_is_told_by_number_and_name(
    text: Text, administration: CatalogueAdministration
) -> None:
    administration.reason = MQRCCF_ATTR_VALUE_ERROR
    assert text("ALTER QLOCAL(A)").startswith("AMQ8101S: The command failed with reason 4005 (MQRCCF_ATTR_VALUE_ERROR)")


def test_the_queue_manager_is_altered_and_shown(text: Text) -> None:
    assert text("ALTER QMGR DEADQ(DLQ) MAXHANDS(512) FORCE") == "AMQ8005I: Queue manager changed."
    assert text("DISPLAY QMGR DEADQ MAXHANDS SYNCPT").splitlines() == [
        "AMQ8408I: Display Queue Manager details.",
        "   QMNAME(QM1)                             DEADQ(DLQ)",
        "   MAXHANDS(512)                           SYNCPT",
    ]
    whole = text("DISPLAY QMGR")
    assert whole == text("DISPLAY QMGR ALL")
    assert "   CERTLABL(ibmwebspheremqqm1)             CERTVPOL(ANY)" in whole.splitlines()
    assert whole.splitlines()[-1] == "   XRCAP(NO)"


def test_a_password_is_stored_and_never_shown(text: Text, administration: CatalogueAdministration) -> None:
    assert "KEYRPWD( )" in text("DISPLAY QMGR KEYRPWD")
    text("ALTER QMGR KEYRPWD('open sesame')")
    assert f"KEYRPWD({HIDDEN})" in text("DISPLAY QMGR ALL") and "sesame" not in text("DISPLAY QMGR ALL")
    assert administration.catalogue.q_mgr().text("KEYRPWD") == "open sesame"


def test_page_sets_and_buffer_pools_are_named_by_number(text: Text) -> None:
    text("DEFINE PSID(10) BUFFPOOL(3)")
    text("DEFINE PSID(07) DSN('MY.PAGE.SET')")
    names = re.findall(r"^   PSID\((\d+)\)", text("DISPLAY PSID(*) ALL"), re.MULTILINE)
    assert names == ["0", "1", "2", "3", "4", "7", "10"]
    assert text("ALTER PSID(7) DSN('OTHER')").startswith("AMQ8405I")
    assert text("DEFINE PSID(100)").splitlines()[2] == "   PSID takes a number from 0 to 99."


# -- what is shown can be fed back -----------------------------------------------------------------------------------


def changed_value(attribute: Attribute) -> str:
    """KEYWORD(value) with a value that is not the default."""
    if attribute.kind in (ENUM, FLAG):
        word = next(each for each in attribute.words if each != attribute.default)
        return word if attribute.kind == FLAG else f"{attribute.keyword}({word})"
    samples = {INT: str(attribute.low + 2), STRING: "'It''s (a) b,c'", NAME: "X.1", LIST: "A,'b'"}
    return f"{attribute.keyword}({samples[attribute.kind]})"


def as_command(kind: str, definition: MQObject) -> str:
    """DEFINE with every settable attribute as DISPLAY tells it, quoted as dmpmqcfg quotes."""
    parts = [f"DEFINE {kind}({definition.name})"]
    for attribute in ATTRIBUTES[kind]:
        value = definition.attributes[attribute.keyword] if not attribute.live else ""
        if attribute.read_only:
            continue
        if attribute.kind == FLAG:
            parts.append(str(value))
        else:
            words = value if isinstance(value, list) else [str(value)]
            quoted = ["'" + word.replace("'", "''") + "'" for word in words]
            parts.append(f"{attribute.keyword}({','.join(quoted)})")
    return " ".join(parts)


KINDS = ["QLOCAL", "QALIAS", "QREMOTE", "QMODEL", "PROCESS", "NAMELIST", "STGCLASS", "BUFFPOOL", "PSID"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("changed", [False, True], ids=["defaults", "changed"])
def test_define_display_define_gives_the_same_object(
    run: Run, administration: CatalogueAdministration, kind: str, changed: bool
) -> None:
    name = "9" if kind in ("PSID", "BUFFPOOL") else "SAME"
    settable = [each for each in ATTRIBUTES[kind] if not each.read_only]
    parameters = " ".join(changed_value(each) for each in settable) if changed else ""
    assert not run(f"DEFINE {kind}({name}) {parameters}").failed
    (first,) = (each for each in administration.objects(kind) if each.name == name)
    if changed:
        assert all(first.attributes[each.keyword] != each.default for each in settable)

    assert not run(f"DELETE {kind}({name})").failed
    assert not run(as_command(kind, first)).failed
    (second,) = (each for each in administration.objects(kind) if each.name == name)
    assert second.attributes == first.attributes


@pytest.mark.parametrize("kind", KINDS)
def test_the_items_that_display_prints_can_be_given_to_alter(
    run: Run, administration: CatalogueAdministration, kind: str
) -> None:
    """The very text that `DISPLAY ... ALL` prints of a new object, given to ALTER, alters nothing."""
    name = "9" if kind in ("PSID", "BUFFPOOL") else "SAME"
    run(f"DEFINE {kind}({name})")
    before = administration.objects(kind)
    (answer,) = run(f"DISPLAY {kind}({name}) ALL").responses
    by_keyword = {each.keyword: each for each in ATTRIBUTES[kind]}
    parameters: list[str] = []
    for item in answer.items:
        attribute = by_keyword.get(item.keyword)
        if attribute is not None and not attribute.read_only and not attribute.fixed:
            parameters.append("".join(item_lines(item)))
    reply = execute(f"ALTER {kind}({name}) {' '.join(parameters)}", administration)
    assert not reply.failed, reply
    assert [each.attributes for each in administration.objects(kind)] == [each.attributes for each in before]


def test_channels_and_authentication_are_chosen_by_their_type(text: Text) -> None:
    assert "CHANNEL(SYSTEM.DEF.SVRCONN)" in text("DISPLAY CHANNEL(*) CHLTYPE(SVRCONN)")
    assert "CHANNEL(SYSTEM.DEF.SVRCONN)" in text("DISPLAY CHANNEL(SYSTEM.DEF*) TYPE(ALL) MCAUSER")
    assert text("DISPLAY CHANNEL(*) CHLTYPE(SDR)").startswith("AMQ8147E")
    assert "CHLTYPE(SVRCONN)" in text("DISPLAY CHANNEL(*) CHLTYPE")
    assert "AUTHTYPE(IDPWOS)" in text("DISPLAY AUTHINFO(*) AUTHTYPE(IDPWOS)")
    assert text("DISPLAY AUTHINFO(*) AUTHTYPE(OCSP)").startswith("AMQ8147E")


# -- what scripts of MQ say -------------------------------------------------------------------------------------------


def test_display_conn_takes_every_type_of_mq(run: Run, administration: CatalogueAdministration) -> None:
    """Issue 14, item 13: DISPLAY CONN TYPE(*) is TYPE(ALL)."""
    administration.connected = [{"CONN": "6147BA6800DD0740", "EXTCONN": "41", "APPLTAG": "orders"}]
    administration.connection_objects = {"6147BA6800DD0740": [{"OBJNAME": "ORDERS.IN", "OBJTYPE": "QUEUE"}]}
    kinds = {
        kind: [answer.items[2].value for answer in run(f"DISPLAY CONN(*) TYPE({kind}) EXTCONN").responses]
        for kind in ("CONN", "HANDLE", "ALL", "*")
    }
    assert kinds == {"CONN": ["CONN"], "HANDLE": ["HANDLE"], "ALL": ["CONN", "HANDLE"], "*": ["CONN", "HANDLE"]}


def test_display_qmgr_takes_qmname(run: Run) -> None:
    """Issue 14, item 13: the name is shown anyhow, and can be asked for."""
    (answer,) = run("DISPLAY QMGR QMNAME DEADQ").responses
    assert [(item.keyword, item.value) for item in answer.items] == [("QMNAME", "QM1"), ("DEADQ", "")]
    assert [item.keyword for item in run("DISPLAY QMGR QMNAME").responses[0].items] == ["QMNAME"]
    assert [item.keyword for item in run("DISPLAY QMSTATUS QMNAME").responses[0].items][0] == "QMNAME"


def test_display_qmgr_takes_the_groups_of_mq(run: Run) -> None:
    """Issue 14, item 13: EVENT, CHINIT, CLUSTER, PUBSUB and SYSTEM each ask for several attributes."""
    every = {attribute.keyword for attribute in ATTRIBUTES["QMGR"]}
    shown = {
        word: {item.keyword for item in run(f"DISPLAY QMGR {word}").responses[0].items} - {"QMNAME"}
        for word in ("EVENT", "CHINIT", "CLUSTER", "PUBSUB", "SYSTEM")
    }
    assert "AUTHOREV" in shown["EVENT"] and "PSMODE" in shown["PUBSUB"] and "DEADQ" in shown["SYSTEM"]
    assert set().union(*shown.values()) == every and sum(len(group) for group in shown.values()) == len(every)


def test_authinfo_keeps_authenmd(run: Run) -> None:
    """Issue 14, item 13."""
    assert not run("DEFINE AUTHINFO(A) AUTHTYPE(IDPWOS) AUTHENMD(PAM) CHCKCLNT(OPTIONAL)").failed
    (answer,) = run("DISPLAY AUTHINFO(A) AUTHENMD").responses
    assert {item.keyword: item.value for item in answer.items}["AUTHENMD"] == "PAM"
    assert not run("ALTER AUTHINFO(A) AUTHTYPE(IDPWOS) AUTHENMD(OS)").failed


@pytest.mark.parametrize("object_type", OBJECT_TYPES)
def test_authority_keywords_for_several_are_taken_for_every_type(run: Run, object_type: str) -> None:
    """Issue 14, item 13: SET AUTHREC OBJTYPE(RQMNAME) AUTHADD(ALLADM,CRT), and its siblings."""
    profile = "" if object_type == "QMGR" else "PROFILE('**') "
    for words in ("ALL", "ALLADM,CRT", "ALLMQI", "NONE", "CHG,CRT,DLT,DSP"):
        reply = run(f"SET AUTHREC {profile}OBJTYPE({object_type}) PRINCIPAL('alice') AUTHADD({words})")
        assert not reply.failed, (object_type, words)
    wrong = "CONNECT" if object_type != "QMGR" else "GET"
    assert run(f"SET AUTHREC {profile}OBJTYPE({object_type}) PRINCIPAL('alice') AUTHADD({wrong})").failed


# -- services and communication information ---------------------------------------------------------------------------


def test_a_service_is_defined_altered_shown_and_deleted(run: Run) -> None:
    """Issue 14, item 13."""
    define = "DEFINE SERVICE(S) CONTROL(QMGR) SERVTYPE(SERVER) STARTCMD('/bin/sleep') STARTARG('60') STDOUT('/tmp/o')"
    assert run(define).responses[0].number == "AMQ8625I"
    assert run("ALTER SERVICE(S) STOPCMD('/bin/kill') STOPARG('+MQ_SERVER_PID+')").responses[0].number == "AMQ8624I"
    (answer,) = run("DISPLAY SERVICE(S)").responses
    shown = {item.keyword: item.value for item in answer.items}
    assert answer.number == "AMQ8629I" and shown["STARTCMD"] == "/bin/sleep" and shown["STOPARG"] == "+MQ_SERVER_PID+"
    assert shown["CONTROL"] == "QMGR" and shown["SERVTYPE"] == "SERVER" and shown["STDERR"] == ""
    assert run("START SERVICE(S)").responses[0].number == "AMQ8733I"
    assert run("STOP SERVICE(S)").responses[0].number == "AMQ8732I"
    assert run("DISPLAY SVSTATUS(S)").reason == MQRCCF_SERV_STATUS_NOT_FOUND
    assert run("DELETE SERVICE(S)").responses[0].number == "AMQ8627I"
    assert run("DISPLAY SERVICE(S)").failed


def test_communication_information_is_kept(run: Run) -> None:
    """Issue 14, item 13."""
    assert not run("DEFINE COMMINFO(C) TYPE(MULTICAST) GRPADDR('239.1.1.1') PORT(1515) CCSID(1208)").failed
    assert not run("ALTER COMMINFO(C) TYPE(MULTICAST) MCPROP(REPLY) NSUBHIST(ALL) ENCODING(REVERSED)").failed
    (answer,) = run("DISPLAY COMMINFO(C)").responses
    shown = {item.keyword: item.value for item in answer.items}
    assert shown["TYPE"] == "MULTICAST" and shown["GRPADDR"] == "239.1.1.1" and shown["PORT"] == 1515
    assert (shown["CCSID"], shown["MCPROP"], shown["NSUBHIST"]) == (1208, "REPLY", "ALL")
    assert not run("DELETE COMMINFO(C)").failed
