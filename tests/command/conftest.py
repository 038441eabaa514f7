"""A queue manager for the tests of commands: the real catalogue, with depths and handles that a test can set.

It has no messages and no log, but it answers every method of Administration with the reasons that the engine gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from flintmq.catalogue.attributes import default_attributes
from flintmq.catalogue.authorities import WORDS, words_of
from flintmq.command.administration import Administration, Row
from flintmq.command.defaults import default_objects, q_mgr_attributes
from flintmq.command.display import render
from flintmq.command.execute import execute
from flintmq.command.reply import Reply
from flintmq.mqi.pcf import Parameter
from flintmq.mqi.pcf_constants import (
    MQRCCF_CHLAUTH_NOT_FOUND,
    MQRCCF_CONNECTION_ID_ERROR,
    MQRCCF_OBJECT_ALREADY_EXISTS,
    MQRCCF_OBJECT_OPEN_FORCE,
    MQRCCF_OBJECT_WRONG_TYPE,
    MQRCCF_SUB_ALREADY_EXISTS,
)
from flintmq.mqi.reason import (
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_NO_SUBSCRIPTION,
    MQRC_OBJECT_IN_USE,
    MQRC_Q_NOT_EMPTY,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from flintmq.qmgr import chlauth
from flintmq.qmgr.authority_records import record_name
from flintmq.qmgr.catalogue import Catalogue, MQObject, check_catalogue


class CatalogueAdministration:
    """Administration over a catalogue in memory."""

    def __init__(self, name: str = "QM1") -> None:
        self.catalogue = Catalogue()
        self.catalogue.add("QMGR", name, q_mgr_attributes(name))
        for row in default_objects():
            self.catalogue.add(row.kind, row.name, row.attributes)
        #: What a test sets: messages on a queue, open handles, connections, and a reason to give to every change.
        self.depths: dict[str, int] = {}
        self.handles: dict[str, list[Row]] = {}
        self.connected: list[Row] = []
        self.connection_objects: dict[str, list[Row]] = {}
        self.reason = 0
        #: How many messages a MOVE manages to move, None all; objects that the issuer may not touch; what was asked.
        self.movable: int | None = None
        self.forbidden: set[str] = set()
        self.asked: list[tuple[str, str, str]] = []
        self.resets: list[str] = []
        #: Commands that did what was asked, and that were refused.
        self.done: list[tuple[str, int, str]] = []
        self.refused_commands: list[int] = []
        self.subscribed: list[Row] = []
        self.instances: list[Row] = []
        self.listening: list[Row] = []
        self.services: list[Row] = []
        self.log = default_attributes("LOG")
        self.system = default_attributes("SYSTEM")
        self.tracing: list[Row] = []
        self.kept_security = default_attributes("SECURITY")

    @property
    def name(self) -> str:
        return self.catalogue.q_mgr().name

    def define(self, kind: str, name: str, attributes: Row, replace: bool) -> int:
        taken = self.catalogue.taken(kind, name)
        if self.reason:
            return self.reason
        if taken is None:
            self.stamp(self.catalogue.add(kind, name, attributes), created=True)
        elif not replace:
            return MQRCCF_OBJECT_ALREADY_EXISTS
        elif taken.kind != kind:
            return MQRCCF_OBJECT_WRONG_TYPE
        else:
            taken.change(attributes)
            self.stamp(taken, created=False)
        check_catalogue(self.catalogue)
        return 0

    def alter(self, kind: str, name: str, changes: Row, force: bool) -> int:
        found = self.catalogue.find(kind, name)
        if self.reason:
            return self.reason
        if found is None:
            return MQRC_UNKNOWN_OBJECT_NAME
        if self.handles.get(name) and "SHARE" in changes and not force:
            return MQRCCF_OBJECT_OPEN_FORCE
        found.change(changes)
        self.stamp(found, created=False)
        return 0

    def delete(self, kind: str, name: str, purge: bool) -> int:
        found = self.catalogue.find(kind, name)
        if self.reason:
            return self.reason
        if found is None:
            return MQRC_UNKNOWN_OBJECT_NAME
        if self.handles.get(name):
            return MQRC_OBJECT_IN_USE
        if self.depths.get(name) and not purge:
            return MQRC_Q_NOT_EMPTY
        self.catalogue.remove(found)
        return 0

    def clear(self, name: str) -> int:
        if self.catalogue.find("QLOCAL", name) is None:
            return MQRC_UNKNOWN_OBJECT_NAME
        if self.handles.get(name):
            return MQRC_OBJECT_IN_USE
        self.depths.pop(name, None)
        return 0

    def move(self, source: str, target: str, add: bool) -> tuple[int, int]:
        if not self.catalogue.find("QLOCAL", source) or not self.catalogue.find("QLOCAL", target):
            return MQRC_UNKNOWN_OBJECT_NAME, 0
        if self.handles.get(source):
            return MQRC_OBJECT_IN_USE, 0
        if self.depths.get(target) and not add:
            return MQRC_Q_NOT_EMPTY, 0
        wanted = self.depths.get(source, 0)
        moved = wanted if self.movable is None else self.movable
        self.depths[target] = self.depths.get(target, 0) + moved
        self.depths[source] = wanted - moved
        return (MQRC_MSG_TOO_BIG_FOR_Q if moved < wanted else 0), moved

    def set_authority(
        self, object_type: str, profile: str, entity_type: str, entity: str, add: int, remove: int
    ) -> int:
        name = record_name(object_type, profile, entity_type, entity)
        found = self.catalogue.find("AUTHREC", name)
        if found is None:
            found = self.catalogue.add(
                "AUTHREC",
                name,
                {"OBJTYPE": object_type, "PROFILE": profile, "ENTTYPE": entity_type, "ENTITY": entity},
            )
        given = sum(WORDS[word] for word in found.names("AUTHLIST"))
        found.attributes["AUTHLIST"] = words_of(given & ~remove | add)
        return self.reason

    def knows_entity(self, entity_type: str, entity: str) -> bool:
        return entity != "nobody.knows"

    def delete_authority(self, object_type: str, profile: str, entity_type: str, entity: str) -> int:
        found = self.catalogue.find("AUTHREC", record_name(object_type, profile, entity_type, entity))
        if found is None:
            return MQRC_UNKNOWN_OBJECT_NAME
        self.catalogue.remove(found)
        return self.reason

    def delete_authorities_of(self, kind: str, name: str) -> None:
        self.resets.append(f"AUTHREC {kind} {name}")

    def entity_authority(self, object_type: str, name: str, entity_type: str, entity: str) -> list[str]:
        found = self.catalogue.find("AUTHREC", record_name(object_type, name, entity_type, entity))
        return [] if found is None else found.names("AUTHLIST")

    def set_chlauth(self, values: Row, action: str) -> int:
        name = chlauth.record_name(values)
        found = self.catalogue.find("CHLAUTH", name)
        if found is not None and action == "REMOVE":
            self.catalogue.remove(found)
        elif found is not None:
            found.change(values)
        elif action == "REMOVE":
            return MQRCCF_CHLAUTH_NOT_FOUND
        else:
            self.catalogue.add("CHLAUTH", name, values)
        return self.reason

    def check_chlauth(self, client: chlauth.Client) -> MQObject | None:
        return chlauth.deciding_map(self.catalogue, client)

    def security(self) -> Row:
        return self.kept_security

    def alter_security(self, changes: Row) -> int:
        self.kept_security.update(changes)
        return self.reason

    def refresh_security(self, user: str) -> int:
        self.resets.append(f"SECURITY {user}")
        return self.reason

    def may(self, verb: str, kind: str, name: str) -> bool:
        self.asked.append((verb, kind, name))
        return name not in self.forbidden

    def command_done(self, verb: str, command: int, text: str, parameters: list[Parameter]) -> None:
        self.done.append((verb, command, text))

    def command_refused(self, command: int, kind: str, name: str) -> None:
        self.refused_commands.append(command)

    def objects_called(self, kind: str, name: str) -> Iterator[MQObject]:
        for definition in self.catalogue.match(kind, name):
            if self.catalogue.find(definition.kind, definition.name) is definition:
                yield self.copied(definition)

    def objects(self, kind: str) -> list[MQObject]:
        return [self.copied(definition) for definition in self.catalogue.match(kind)]

    def copied(self, definition: MQObject) -> MQObject:
        copy = definition.copy()
        if copy.kind == "QLOCAL":
            copy.attributes["CURDEPTH"] = self.depths.get(copy.name, 0)
            copy.attributes["IPPROCS"] = 0
            copy.attributes["OPPROCS"] = len(self.handles.get(copy.name, []))
        return copy

    def subscriptions(self) -> list[Row]:
        return self.subscribed

    def define_subscription(self, name: str, attributes: Row, replace: bool) -> int:
        if any(row["SUB"] == name for row in self.subscribed) and not replace:
            return MQRCCF_SUB_ALREADY_EXISTS
        number = len(self.subscribed) + 1
        row = {**default_attributes("SUB"), **attributes, "SUB": name, "SUBID": f"{number:048X}"}
        self.subscribed = [each for each in self.subscribed if each["SUB"] != name] + [row]
        return self.reason

    def alter_subscription(self, name: str, sub_id: str, changes: Row) -> int:
        for row in self.subscribed:
            if row["SUB"] == name or row["SUBID"] == sub_id:
                row.update(changes)
                return self.reason
        return MQRC_NO_SUBSCRIPTION

    def delete_subscription(self, name: str, sub_id: str) -> int:
        for row in self.subscribed:
            if row["SUB"] == name or row["SUBID"] == sub_id:
                self.subscribed.remove(row)
                return self.reason
        return MQRC_NO_SUBSCRIPTION

    def subscription_status(self) -> list[Row]:
        return [{**row, "NUMMSGS": 3} for row in self.subscribed]

    def topic_status(self, topic_string: str, kind: str) -> list[Row]:
        return []

    def clear_retained(self, topic_string: str) -> int:
        return self.reason

    def pubsub_status(self) -> Row:
        return {"STATUS": "ACTIVE", "SUBCOUNT": len(self.subscribed), "TPCOUNT": 1}

    def queue_status(self, name: str) -> Row:
        row: Row = {"CURDEPTH": self.depths.get(name, 0), "CURFSIZE": 1, "CURMAXFS": 2088960, "IPPROCS": 0}
        row |= {"LGETDATE": "", "LGETTIME": "", "LPUTDATE": "", "LPUTTIME": "", "MEDIALOG": "", "MONQ": "OFF"}
        return row | {"MSGAGE": "", "OPPROCS": len(self.handles.get(name, [])), "QTIME": ["", ""], "UNCOM": "NO"}

    def queue_handles(self, name: str) -> list[Row]:
        return self.handles.get(name, [])

    def connections(self) -> list[Row]:
        return self.connected

    def connection_handles(self, connection: str) -> list[Row]:
        return self.connection_objects.get(connection, [])

    def stop_connection(self, connection: str) -> int:
        for row in self.connected:
            if row["CONN"] == connection:
                self.connected.remove(row)
                return 0
        return MQRCCF_CONNECTION_ID_ERROR

    def channel_status(self) -> list[Row]:
        return self.instances

    def start_channel(self, name: str) -> int:
        self.resets.append(f"start {name}")
        return self.reason

    def stop_channel(self, name: str, mode: str, address: str, status: str) -> int:
        self.resets.append(f"stop {name} {mode} {address} {status}")
        return self.reason

    def listener_status(self) -> list[Row]:
        return self.listening

    def start_listener(self, name: str) -> int:
        return self.start_channel(name)

    def stop_listener(self, name: str) -> int:
        self.resets.append(f"stop {name}")
        return self.reason

    def service_status(self) -> list[Row]:
        return self.services

    def start_service(self, name: str) -> int:
        return self.start_channel(name)

    def stop_service(self, name: str) -> int:
        return self.stop_listener(name)

    def page_set_usage(self) -> list[Row]:
        return [
            {"PSID": int(each.name), "BUFFPOOL": each.number("BUFFPOOL"), "TOTAL": each.number("PAGES"), "UNUSED": 100}
            for each in self.catalogue.match("PSID")
        ]

    def buffer_pool_usage(self) -> list[Row]:
        return [
            {"BUFFPOOL": int(each.name), "BUFFERS": each.number("BUFFERS"), "FREE": 7}
            for each in self.catalogue.match("BUFFPOOL")
        ]

    def log_status(self) -> Row:
        return {**self.log, "LOGTYPE": "CIRCULAR", "LOGPRIM": 3, "LOGSEC": 2}

    def set_log(self, changes: Row) -> int:
        self.log.update(changes)
        return self.reason

    def archive_log(self) -> int:
        self.resets.append("ARCHIVE")
        return self.reason

    def system_status(self) -> Row:
        return self.system

    def set_system(self, changes: Row) -> int:
        for keyword, value in changes.items():
            waits = keyword in ("STATIME", "ACCTIME")
            self.system["NEW" + keyword if waits else keyword] = value
        return self.reason

    def end_interval(self) -> None:
        for keyword in ("STATIME", "ACCTIME"):
            self.system[keyword] = self.system.pop("NEW" + keyword, self.system[keyword])

    def start_trace(self, kind: str, classes: tuple[int, ...], destination: str, with_data: bool) -> int:
        number = len(self.tracing) + 1
        shown = [str(each) for each in classes]
        self.tracing.append({"TNO": number, "TYPE": kind, "CLASS": shown, "DEST": destination, "USERID": "me"})
        return number

    def stop_trace(self, kind: str, classes: tuple[int, ...], number: int) -> list[int]:
        stopped = self.traces(kind, classes, number)
        self.tracing = [row for row in self.tracing if row not in stopped]
        return [each for row in stopped if isinstance(each := row["TNO"], int)]

    def traces(self, kind: str, classes: tuple[int, ...], number: int) -> list[Row]:
        wanted = [str(each) for each in classes]
        return [
            row
            for row in self.tracing
            if kind in ("*", row["TYPE"]) and number in (-1, row["TNO"]) and (not wanted or row["CLASS"] == wanted)
        ]

    def qmgr_status(self) -> Row:
        return {"STATUS": "RUNNING", "CMDSERV": "RUNNING", "CONNS": len(self.connected), "LOGTYPE": "CIRCULAR"}

    def refresh_qmgr(self, kind: str, name: str) -> int:
        self.resets.append(f"{kind} {name}")
        return self.reason

    def reset_qmgr(self, kind: str) -> int:
        self.resets.append(kind)
        return self.reason

    def reset_queue_statistics(self, name: str) -> Row:
        return {"HIQDEPTH": 9, "MSGSIN": 12, "MSGSOUT": 3, "RESETINT": 60}

    def stamp(self, definition: MQObject, created: bool) -> None:
        changes: Row = {}
        if "ALTDATE" in definition.attributes:
            changes |= {"ALTDATE": "2026-01-31", "ALTTIME": "12.30.00"}
        if created and "CRDATE" in definition.attributes:
            changes |= {"CRDATE": "2026-01-30", "CRTIME": "09.00.00"}
        definition.change(changes)


@pytest.fixture
def administration() -> CatalogueAdministration:
    """A queue manager QM1 with its default objects."""
    return CatalogueAdministration()


@pytest.fixture
def run(administration: CatalogueAdministration) -> Callable[[str], Reply]:
    """Run one command on `administration`."""

    def run_command(text: str) -> Reply:
        queue_manager: Administration = administration
        return execute(text, queue_manager)

    return run_command


@pytest.fixture
def text(run: Callable[[str], Reply]) -> Callable[[str], str]:
    """Run one command on `administration` and give the lines of its answer as one text."""

    def run_and_render(command: str) -> str:
        return "\n".join(render(run(command)))

    return run_and_render
