"""A process that has one more kind of object, and uses it everywhere. See ../test_new_kind.py.

`kinds/gadget.py` is found as if it were in flintmq/catalogue/kinds/. Prints, as JSON, the name of each check with "" or
the traceback of its failure.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
import traceback
from pathlib import Path


def add_gadget() -> None:
    """Import the package of kinds with a further directory for its modules."""
    spec = importlib.util.find_spec("flintmq.catalogue.kinds")
    assert spec is not None and spec.loader is not None and spec.name not in sys.modules
    package = importlib.util.module_from_spec(spec)
    package.__path__ = [*package.__path__, str(Path(__file__).with_name("kinds"))]
    sys.modules[spec.name] = package
    spec.loader.exec_module(package)


add_gadget()

import flintmq  # noqa: E402
from flintmq.cli import _authority  # noqa: E402
from flintmq.command import pcf_execute  # noqa: E402
from flintmq.command.dump import TYPES, Dump, dump  # noqa: E402
from flintmq.mqi import constants as mq  # noqa: E402
from flintmq.mqi import pcf_constants as pcf  # noqa: E402
from flintmq.mqi.od import MQOD  # noqa: E402
from flintmq.mqi.pcf import MQCFIN, MQCFSL, MQCFST, Parameter, PCFMessage, parse  # noqa: E402
from flintmq.mqi.reason import MQCC_FAILED  # noqa: E402
from flintmq.qmgr.admin_hooks import HOOKS, Hooks  # noqa: E402
from flintmq.qmgr.admin_rows import Row  # noqa: E402
from flintmq.qmgr.catalogue import MQObject  # noqa: E402
from flintmq.qmgr.queue_manager import QueueManager  # noqa: E402
from tests.catalogue.new_kind.kinds import gadget  # noqa: E402
from tests.qmgr.test_authority import World  # noqa: E402


def mqsc_defines_alters_shows_and_deletes(qm: flintmq.QueueManager) -> None:
    assert str(qm.mqsc("DEF GDG(TOOL) SIZE(7) PARTS(A,B)")).startswith("AMQ9901I: Gadget created.")
    assert str(qm.mqsc("ALTER GADGET(TOOL) COLOUR(BLUE)")).startswith("AMQ9902I: Gadget changed.")
    shown = qm.mqsc("DISPLAY GADGET(TOOL) SIZE COLOUR PARTCNT")
    assert shown.rows == [{"GADGET": "TOOL", "SIZE": 7, "COLOUR": "BLUE", "PARTCNT": 2}], shown.rows
    assert "AMQ9904I: Display gadget details." in shown.text
    assert [row["GADGET"] for row in qm.mqsc("DISPLAY GADGET(*) WHERE(SIZE GT 5)").rows] == ["TOOL"]
    assert qm.mqsc("DEFINE GADGET(BAD) SIZE(100)", check=False).reason
    assert qm.mqsc("DEFINE GADGET(TOOL)", check=False).reason == pcf.MQRCCF_OBJECT_ALREADY_EXISTS
    assert qm.mqsc("DELETE GADGET(NONE)", check=False).reason == 2085
    assert str(qm.mqsc("DELETE GADGET(TOOL)")).startswith("AMQ9903I: Gadget deleted.")
    assert qm.mqsc("DISPLAY GADGET(TOOL)", check=False).rows == []


def the_default_object_gives_defaults(qm: flintmq.QueueManager) -> None:
    qm.mqsc("ALTER GADGET(SYSTEM.DEFAULT.GADGET) SIZE(33)")
    qm.mqsc("DEFINE GADGET(OTHER)\nDEFINE GADGET(THIRD) LIKE(OTHER) COLOUR(BLUE)")
    rows = {str(row["GADGET"]): row for row in qm.mqsc("DISPLAY GADGET(*) SIZE COLOUR").rows}
    assert rows["OTHER"]["SIZE"] == 33 and rows["THIRD"]["SIZE"] == 33 and rows["THIRD"]["COLOUR"] == "BLUE"
    qm.mqsc("ALTER GADGET(SYSTEM.DEFAULT.GADGET) SIZE(1)\nDELETE GADGET(OTHER)\nDELETE GADGET(THIRD)")


def _pcf(qm: flintmq.QueueManager, command: int, *parameters: Parameter) -> list[PCFMessage]:
    made = PCFMessage()
    made.header.command = command
    made.parameters = list(parameters)
    return pcf_execute.run(made.pack(False, 1208), False, 1208, qm._host.admin).responses


def pcf_creates_copies_inquires_and_deletes(qm: flintmq.QueueManager) -> None:
    name = MQCFST(gadget.MQCA_GADGET_NAME, "PCF.ONE".ljust(48))
    parts = MQCFSL(gadget.MQCA_PARTS, ["A".ljust(48), "B".ljust(48)])
    (created,) = _pcf(qm, gadget.MQCMD_CREATE, name, MQCFIN(gadget.MQIA_SIZE, 9), parts)
    assert created.header.comp_code == 0, created.header.reason
    source, target = MQCFST(gadget.MQCACF_FROM, "PCF.ONE"), MQCFST(gadget.MQCACF_TO, "PCF.TWO")
    (copied,) = _pcf(qm, gadget.MQCMD_COPY, source, target)
    assert copied.header.comp_code == 0, copied.header.reason
    (changed,) = _pcf(qm, gadget.MQCMD_CHANGE, name, MQCFIN(gadget.MQIA_COLOUR, 2))
    assert changed.header.comp_code == 0, changed.header.reason
    answers = _pcf(qm, gadget.MQCMD_INQUIRE, MQCFST(gadget.MQCA_GADGET_NAME, "PCF.*"))
    found = [{each.parameter: each for each in answer.parameters} for answer in answers]
    values = [(each[gadget.MQIA_SIZE], each[gadget.MQIA_COLOUR], each[gadget.MQIA_PART_COUNT]) for each in found]
    numbers = [[one.value for one in row if isinstance(one, MQCFIN)] for row in values]
    assert numbers == [[9, 2, 2], [9, 1, 2]], numbers
    (listed,) = _pcf(qm, gadget.MQCMD_INQUIRE_NAMES, MQCFST(gadget.MQCA_GADGET_NAME, "PCF.*"))
    (names,) = listed.parameters
    assert isinstance(names, MQCFSL) and [each.rstrip() for each in names.strings] == ["PCF.ONE", "PCF.TWO"]
    refused = _pcf(qm, gadget.MQCMD_CREATE, name, MQCFIN(gadget.MQIA_SIZE, 100))
    assert refused[0].header.comp_code == MQCC_FAILED
    for one in ("PCF.ONE", "PCF.TWO"):
        (deleted,) = _pcf(qm, gadget.MQCMD_DELETE, MQCFST(gadget.MQCA_GADGET_NAME, one))
        assert deleted.header.comp_code == 0


def a_dump_makes_the_same_definition(qm: flintmq.QueueManager) -> None:
    qm.mqsc("DEFINE GADGET(DUMPED) SIZE(5) DESCR('it''s')")
    text = "\n".join(dump(qm._host.admin, Dump(kinds=TYPES["gadget"], layout="1line")))
    assert "DEFINE GADGET('DUMPED') DESCR('it''s') SIZE(5) REPLACE" in text, text
    assert "GADGET" in TYPES["all"] and TYPES["gdg"] == ("GADGET",)
    qm.mqsc("DELETE GADGET(DUMPED)")
    qm.mqsc(text)
    assert qm.mqsc("DISPLAY GADGET(DUMPED) SIZE").rows == [{"GADGET": "DUMPED", "SIZE": 5}]


def mqinq_answers_for_an_open_gadget(qm: flintmq.QueueManager) -> None:
    qm.mqsc("DEFINE GADGET(ASKED) SIZE(8) DESCR('seen')")
    mqi = qm.connect("asking").mqi
    od = MQOD()
    od.object_type, od.object_name = gadget.MQOT_GADGET, "ASKED"
    handle = mqi.open(od, mq.MQOO_INQUIRE)
    asked = mqi.inq(handle, [gadget.MQIA_SIZE, gadget.MQCA_GADGET_NAME, gadget.MQCA_GADGET_DESC])
    assert asked.integers == [8] and asked.characters == ["ASKED".ljust(48), "seen".ljust(64)]
    rows = qm.mqsc("DISPLAY CONN(*) TYPE(HANDLE) OBJNAME WHERE(OBJTYPE EQ GADGET)").rows
    assert [row["OBJNAME"] for row in rows] == ["ASKED"], rows
    assert qm.mqsc("DELETE GADGET(ASKED)", check=False).reason == 2042
    mqi.close(handle)
    qm.mqsc("DELETE GADGET(ASKED)")


def authority_is_asked(qm: flintmq.QueueManager) -> None:
    world = World()
    world.qm.catalogue.add("GADGET", "TOOL", {})
    assert world.reason("TOOL", mq.MQOO_INQUIRE, object_type=gadget.MQOT_GADGET) == 2035
    world.grant("GADGET", "TOOL", "INQ")
    assert world.reason("TOOL", mq.MQOO_INQUIRE, object_type=gadget.MQOT_GADGET) == 0
    assert not world.authority.may_command("joe", "ALTER", "GADGET", "TOOL")
    world.grant("GADGET", "TOOL", "CHG")
    assert world.authority.may_command("joe", "ALTER", "GADGET", "TOOL")
    qm.mqsc("SET AUTHREC PROFILE(TOOL) OBJTYPE(GADGET) GROUP('nobody') AUTHADD(INQ,DSP)")
    (row,) = qm.mqsc("DISPLAY AUTHREC PROFILE(TOOL) OBJTYPE(GADGET)").rows
    assert row["AUTHLIST"] == ["DSP", "INQ"], row
    assert qm.mqsc("SET AUTHREC PROFILE(TOOL) OBJTYPE(GADGET) GROUP('nobody') AUTHADD(PUT)", check=False).reason
    assert _authority.object_type("gdg") == "GADGET"


def a_configuration_event_shows_it(qm: flintmq.QueueManager) -> None:
    qm.mqsc("ALTER QMGR CONFIGEV(ENABLED)\nDEFINE GADGET(EVENTFUL)\nALTER QMGR CONFIGEV(DISABLED)")
    queue = qm.queue("SYSTEM.ADMIN.CONFIG.EVENT")
    found = [parse(message.data) for message in queue.browse()]
    texts = [one.text().rstrip() for event in found for one in event.parameters if isinstance(one, MQCFST)]
    assert "EVENTFUL" in texts, texts
    numbers = [one.value for event in found for one in event.parameters if isinstance(one, MQCFIN)]
    assert gadget.MQOT_GADGET in numbers


def a_hook_can_refuse(qm: flintmq.QueueManager) -> None:
    class Fixed(Hooks):
        def may_change(self, qm: QueueManager, definition: MQObject, changes: Row, force: bool) -> int:
            return 0 if force else pcf.MQRCCF_OBJECT_OPEN_FORCE

    qm.mqsc("DEFINE GADGET(HOOKED)")
    HOOKS["GADGET"] = Fixed()
    try:
        assert qm.mqsc("ALTER GADGET(HOOKED) SIZE(2)", check=False).reason == pcf.MQRCCF_OBJECT_OPEN_FORCE
    finally:
        del HOOKS["GADGET"]
    qm.mqsc("ALTER GADGET(HOOKED) SIZE(2)\nDELETE GADGET(HOOKED)")


CHECKS = (
    mqsc_defines_alters_shows_and_deletes,
    the_default_object_gives_defaults,
    pcf_creates_copies_inquires_and_deletes,
    a_dump_makes_the_same_definition,
    mqinq_answers_for_an_open_gadget,
    authority_is_asked,
    a_configuration_event_shows_it,
    a_hook_can_refuse,
)


def main() -> None:
    results: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory) / "QM1"
        with flintmq.open(place) as qm:
            for check in CHECKS:
                try:
                    check(qm)
                    results[check.__name__] = ""
                except Exception:
                    results[check.__name__] = traceback.format_exc()
            qm.mqsc("DEFINE GADGET(KEPT) SIZE(44)")
        with flintmq.open(place) as qm:
            kept = qm.mqsc("DISPLAY GADGET(KEPT) SIZE").rows
            results["a_definition_survives_a_restart"] = "" if kept == [{"GADGET": "KEPT", "SIZE": 44}] else str(kept)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
