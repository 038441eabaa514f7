"""dmpmqcfg: what it writes, runmqsc takes back, and the next dump is the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flintmq

Run = Callable[..., Any]
SMALL = flintmq.LogConfig(file_pages=64)

SCRIPT = """
ALTER QMGR DEADQ(DLQ) DESCR('it''s the + one -')
DEFINE BUFFPOOL(7) BUFFERS(1000)
DEFINE PSID(7) BUFFPOOL(7) EXPAND(NONE)
DEFINE STGCLASS(BIG) PSID(7) DESCR('big; bigger')
ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(77) BOTHRESH(3)
DEFINE QLOCAL(DLQ) MAXDEPTH(5000)
DEFINE QLOCAL('lower.Case') STGCLASS(BIG) NOSHARE TRIGGER DESCR('* not a comment')
DEFINE QALIAS(ALIAS) TARGET('lower.Case')
DEFINE QREMOTE(FAR) RNAME('x y') RQMNAME(QM9) XMITQ(XMIT)
DEFINE NAMELIST(EMPTY)
DEFINE PROCESS(P) APPLICID('/bin/x -a ''b''') APPLTYPE(CICS)
"""


def definitions(text: str) -> list[str]:
    """A dump without its comments."""
    return [line for line in text.splitlines() if not line.startswith("*")]


def make(name: str, script: str = "") -> None:
    with flintmq.open(name, log=SMALL) as qm:
        qm.mqsc(script)


def test_a_dump_makes_the_same_queue_manager_again(run: Run) -> None:
    make("QM1", SCRIPT)
    names = ",".join(f"'a.rather.long.name.for.a.namelist.{number:03d}'" for number in range(256))
    make("QM1", "DEFINE NAMELIST(LONG) +\n NAMES(" + names.replace(",", ",+\n") + ")")
    for options in (["-a"], [], ["-a", "-o", "1line"], ["-o", "1line"], ["-o", "2line"], ["-a", "-o", "2line"]):
        first = run("dmpmqcfg", "-m", "QM1", *options)
        assert first.code == 0 and first.err == ""
        make("COPY")
        taken = run("runmqsc", "-e", "COPY", text=first.out)
        assert taken.code == 0, taken.out
        assert definitions(run("dmpmqcfg", *options, "COPY").out) == definitions(first.out)
        whole = [line for line in definitions(run("dmpmqcfg", "-a", "QM1").out) if "CERTLABL" not in line]
        again = [line for line in definitions(run("dmpmqcfg", "-a", "COPY").out) if "CERTLABL" not in line]
        assert again == whole  # The default of CERTLABL has the queue manager's name in it.
        assert run("dltmqm", "COPY").code == 0


def test_only_what_differs_unless_asked_for_all(run: Run) -> None:
    make("QM1", "DEFINE QLOCAL(A) MAXDEPTH(7)\nDEFINE QLOCAL(B)")
    assert definitions(run("dmpmqcfg", "-m", "QM1", "-n", "A").out)[-3:] == [
        "DEFINE QLOCAL('A') +",
        "   MAXDEPTH(7) +",
        "   REPLACE",
    ]
    whole = run("dmpmqcfg", "-m", "QM1", "-n", "A", "-a").out
    assert "   BOQNAME(' ') +" in whole and "   SHARE +" in whole and "CURDEPTH" not in whole
    one = definitions(run("dmpmqcfg", "-m", "QM1", "-t", "qlocal", "-n", "B", "-o", "1line").out)
    assert one == ["DEFINE QLOCAL('B') REPLACE"]


def test_an_attribute_that_equals_the_products_default_is_said_when_the_default_object_differs(run: Run) -> None:
    make("QM1", SCRIPT)
    dumped = run("dmpmqcfg", "-m", "QM1", "-t", "queue", "-o", "1line").out
    assert "DEFINE QLOCAL('DLQ') BOTHRESH(3) MAXDEPTH(5000) REPLACE" in dumped
    assert dumped.index("SYSTEM.DEFAULT.LOCAL.QUEUE") < dumped.index("'DLQ'")


def test_types_names_and_what_cannot_be_asked_for(run: Run) -> None:
    make("QM1", SCRIPT)
    out = run("dmpmqcfg", "-m", "QM1", "-t", "qalias", "-n", "AL*").out
    assert [line for line in out.splitlines() if "DEFINE" in line] == ["DEFINE QALIAS('ALIAS') +"]
    assert definitions(run("dmpmqcfg", "-m", "QM1", "-t", "clntconn").out) == []
    assert definitions(run("dmpmqcfg", "-m", "QM1", "-x", "authrec").out) == []
    out = run("dmpmqcfg", "-t", "qmgr", "-o", "1line", "QM1").out
    assert [line.partition("(")[0] for line in definitions(out)] == ["ALTER QMGR DEADQ"]
    for words in (["-t", "rubbish"], ["-x", "rubbish"], ["-o", "rubbish"], ["-m", "QM2"]):
        ended = run("dmpmqcfg", *words, "QM1")
        assert ended.code == 10 and ended.out == "" and ended.err.count("\n") == 1
    assert run("dmpmqcfg", "-m", "NO.SUCH").code == 20
    with flintmq.open("QM1"):
        ended = run("dmpmqcfg", "-m", "QM1")
        assert ended.code == 20 and ended.err.startswith("AMQ8146E")


def test_channels_and_who_may_use_what_are_written_and_taken_back(run: Run) -> None:
    """A queue manager that is made from the dump has the same records."""
    make(
        "QM1",
        "DEFINE CHANNEL(APP) CHLTYPE(SVRCONN) MCAUSER('joe')\n"
        "DEFINE LISTENER(ONE) TRPTYPE(TCP) PORT(1515)\n"
        "DEFINE AUTHINFO(CHECKED) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED)\n"
        "SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) PRINCIPAL('joe') GROUP('clerks') AUTHADD(PUT,GET)\n"
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('joe') AUTHADD(CONNECT)\n"
        "SET AUTHREC PROFILE('X') OBJTYPE(TOPIC) GROUP('clerks') AUTHADD(NONE)\n"
        "SET CHLAUTH('APP') TYPE(USERMAP) CLNTUSER('joe') ADDRESS('10.*') MCAUSER('ann') CHCKCLNT(REQUIRED)\n"
        "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.1','10.9.*')",
    )
    first = definitions(run("dmpmqcfg", "-m", "QM1", "-o", "1line").out)
    for wanted in (
        "DEFINE CHANNEL('APP') CHLTYPE(SVRCONN) MCAUSER('joe') TRPTYPE(TCP) REPLACE",
        "SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) GROUP('clerks') AUTHADD(GET,PUT)",
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('joe') AUTHADD(CONNECT)",
        "SET AUTHREC PROFILE('X') OBJTYPE(TOPIC) GROUP('clerks') AUTHADD(NONE)",
        "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.1','10.9.*') ACTION(REPLACE)",
    ):
        assert wanted in first
    make("QM2", "\n".join(first).replace("QM1", "QM2").replace("ibmwebspheremqqm1", "ibmwebspheremqqm2"))
    second = definitions(run("dmpmqcfg", "-m", "QM2", "-o", "1line").out)
    assert [line for line in second if "QMGR" not in line] == [line for line in first if "QMGR" not in line]
    rules = definitions(run("dmpmqcfg", "-m", "QM1", "-x", "chlauth", "-o", "1line").out)
    assert rules and all(line.startswith("SET CHLAUTH") for line in rules)
    records = definitions(run("dmpmqcfg", "-m", "QM1", "-x", "authrec", "-o", "1line").out)
    assert len(records) == 4 and all(line.startswith("SET AUTHREC") for line in records)


def test_the_heading_and_the_end_are_comments(run: Run) -> None:
    make("QM1")
    lines = run("dmpmqcfg", "-m", "QM1", "-t", "clntconn").out.splitlines()
    assert all(line.startswith("*") for line in lines)
    assert "* Queue manager name: QM1" in lines
    assert lines[-2].startswith("* Script ended on ")


def test_passwords_and_dynamic_queues_that_go_by_themselves_are_not_written(run: Run) -> None:
    from flintmq.mqi.constants import MQOO_INPUT_EXCLUSIVE
    from flintmq.mqi.od import MQOD

    make("QM1", "ALTER QMGR KEYRPWD('secret')\nDEFINE QMODEL(PERM) DEFTYPE(PERMDYN)")
    with flintmq.open("QM1") as qm:
        od = MQOD()
        od.object_name, od.dynamic_q_name = "PERM", "KEPT.*"
        qm.mqi.close(qm.mqi.open(od, MQOO_INPUT_EXCLUSIVE))
    out = run("dmpmqcfg", "-m", "QM1", "-a").out
    assert "secret" not in out and "KEYRPWD" not in out and "INITKEY" not in out
    assert "DEFINE QLOCAL('KEPT." in out
