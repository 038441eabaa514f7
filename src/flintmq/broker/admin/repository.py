"""The repository of a broker: its configuration and deployments, in a database.

    table         holds                                                                   key
    flint_schema  magic and version of these tables                                       one row
    broker        name, uuid, queue manager                                               name
    grp           execution groups: uuid, started or stopped, order of creation           broker, name
    content       BAR files and directories that were deployed, packed                    broker, digest
    deployed      applications: content, file, kind, time, user, started or stopped       broker, grp, application
    flow_state    flows that were started or stopped one by one                           ... application, flow
    setting       everything else, a value each                                           ... section, object, name

Sections of `setting` (a group of "" is the broker):

    override      object: application; name: URI (`Flow#Node.property`, `Flow#property`)
    policy        object: `{Project}:Policy`; name: property
    property      object: HTTPConnector, ExecutionGroup; name: property
    datasource    object: name of the data source; name: a key of data_sources.py
    statistics, trace, monitoring, profile   object: "" or "Application/Flow"; names are those of the commands

SQLite is a file in the broker's directory, PostgreSQL is a URL that mqsicreatebroker was given; several brokers may
share one database. A database of a later version is refused; tables of an earlier one are changed by MIGRATIONS when
they are opened. Every method is one transaction. Data of contents is read only by `content`.
"""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    RowMapping,
    String,
    Table,
    Text,
    create_engine,
    delete,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from flintmq.broker.admin.refusal import Refused
from flintmq.host.private import FILE_MODE

MAGIC: Final = "flintmq-broker-repository"
VERSION: Final = 1

STARTED: Final = "started"
STOPPED: Final = "stopped"

_METADATA = MetaData()
_SCHEMA = Table("flint_schema", _METADATA, Column("magic", String(40), primary_key=True), Column("version", Integer))
_BROKER = Table(
    "broker",
    _METADATA,
    Column("name", String(48), primary_key=True),
    Column("uuid", String(36), nullable=False),
    Column("queue_manager", String(48), nullable=False),
    Column("created", String(40), nullable=False),
)
_GROUP = Table(
    "grp",
    _METADATA,
    Column("broker", String(48), primary_key=True),
    Column("name", String(48), primary_key=True),
    Column("uuid", String(36), nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", String(10), nullable=False),
    Column("created", String(40), nullable=False),
)
_CONTENT = Table(
    "content",
    _METADATA,
    Column("broker", String(48), primary_key=True),
    Column("digest", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("data", LargeBinary, nullable=False),
)
_DEPLOYED = Table(
    "deployed",
    _METADATA,
    Column("broker", String(48), primary_key=True),
    Column("grp", String(48), primary_key=True),
    Column("application", String(400), primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("file", Text, nullable=False),
    Column("deployed_at", String(40), nullable=False),
    Column("deployed_by", String(200), nullable=False),
    Column("state", String(10), nullable=False),
)
_FLOW = Table(
    "flow_state",
    _METADATA,
    Column("broker", String(48), primary_key=True),
    Column("grp", String(48), primary_key=True),
    Column("application", String(400), primary_key=True),
    Column("flow", String(400), primary_key=True),
    Column("state", String(10), nullable=False),
)
_SETTING = Table(
    "setting",
    _METADATA,
    Column("broker", String(48), primary_key=True),
    Column("grp", String(48), primary_key=True),
    Column("section", String(40), primary_key=True),
    Column("object", String(500), primary_key=True),
    Column("name", String(700), primary_key=True),
    Column("value", Text, nullable=False),
)

#: Version -> statements that upgrade its tables to the next version.
MIGRATIONS: Final[dict[int, Callable[[Connection], None]]] = {}


@dataclass(frozen=True, slots=True)
class BrokerRow:
    """A broker."""

    name: str
    uuid: str
    queue_manager: str
    created: str


@dataclass(frozen=True, slots=True)
class GroupRow:
    """An execution group."""

    name: str
    uuid: str
    #: Place in the order of creation, from 0; ports count from it.
    number: int
    state: str
    created: str


@dataclass(frozen=True, slots=True)
class DeployedRow:
    """An application, library or policy project that is deployed."""

    application: str
    kind: str
    digest: str
    file: str
    deployed_at: str
    deployed_by: str
    state: str


@dataclass(frozen=True, slots=True)
class ContentRow:
    """A BAR file (`bar`), or a directory that was packed (`directory`)."""

    digest: str
    name: str
    kind: str
    data: bytes


def now() -> str:
    """Return the time as the repository writes it: UTC, to the second."""
    return datetime.now(UTC).replace(tzinfo=None).isoformat(" ", "seconds")


class Repository:
    """The rows of one broker. Raise Refused (8011) if the database fails."""

    def __init__(self, broker: str, url: str) -> None:
        self.broker = broker
        self._sqlite: Path | None = None
        try:
            parsed = make_url(url)
            if parsed.drivername == "postgresql":
                parsed = parsed.set(drivername="postgresql+psycopg")
            if parsed.get_backend_name() == "sqlite" and parsed.database:
                self._sqlite = Path(parsed.database)
                # The file is made before SQLite makes it for everybody.
                os.close(os.open(self._sqlite, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
            self._engine: Engine = create_engine(parsed, poolclass=NullPool)
            self._prepare()
        except (ArgumentError, SQLAlchemyError, ImportError, OSError) as error:
            raise Refused(8011, broker, _reason(error)) from None

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise Refused(8011, self.broker, _reason(error)) from None

    def _prepare(self) -> None:
        """Create the tables, or bring those of an earlier version up to this one."""
        with self._engine.begin() as connection:
            if not inspect(connection).has_table(_SCHEMA.name):
                _METADATA.create_all(connection)
                connection.execute(insert(_SCHEMA).values(magic=MAGIC, version=VERSION))
                return
            row = connection.execute(select(_SCHEMA)).first()
            if row is None or row.magic != MAGIC:
                raise Refused(8011, self.broker, "the database holds something else")
            version = int(row.version)
            if version > VERSION:
                raise Refused(
                    8011, self.broker, f"its version is {version}, and this program knows versions up to {VERSION}"
                )
            while version < VERSION:
                MIGRATIONS[version](connection)
                version += 1
                connection.execute(update(_SCHEMA).values(version=version))

    # The broker.

    def create(self, queue_manager: str) -> None:
        """Add the broker."""
        with self._transaction() as connection:
            connection.execute(
                insert(_BROKER).values(
                    name=self.broker, uuid=str(uuid.uuid4()), queue_manager=queue_manager, created=now()
                )
            )

    def found(self) -> BrokerRow | None:
        """Return the broker; None if the database does not have it."""
        with self._transaction() as connection:
            row = connection.execute(select(_BROKER).where(_BROKER.c.name == self.broker)).mappings().first()
        return None if row is None else BrokerRow(**row)

    def set_queue_manager(self, name: str) -> None:
        """Change the queue manager."""
        with self._transaction() as connection:
            connection.execute(update(_BROKER).where(_BROKER.c.name == self.broker).values(queue_manager=name))

    def drop(self) -> None:
        """Remove the broker with everything that belongs to it."""
        with self._transaction() as connection:
            for table in (_GROUP, _CONTENT, _DEPLOYED, _FLOW, _SETTING):
                connection.execute(delete(table).where(table.c.broker == self.broker))
            connection.execute(delete(_BROKER).where(_BROKER.c.name == self.broker))

    # Groups.

    def groups(self) -> list[GroupRow]:
        """Return the execution groups in the order of their numbers."""
        with self._transaction() as connection:
            rows = connection.execute(
                select(_GROUP).where(_GROUP.c.broker == self.broker).order_by(_GROUP.c.number)
            ).mappings()
            return [_made(GroupRow, row) for row in rows]

    def add_group(self, name: str) -> None:
        """Add a group; it takes the lowest number that is free."""
        taken = {each.number for each in self.groups()}
        number = next(each for each in range(len(taken) + 1) if each not in taken)
        with self._transaction() as connection:
            connection.execute(
                insert(_GROUP).values(
                    broker=self.broker,
                    name=name,
                    uuid=str(uuid.uuid4()),
                    number=number,
                    state=STARTED,
                    created=now(),
                )
            )

    def set_group_state(self, name: str, state: str) -> None:
        """Remember that a group was started or stopped."""
        with self._transaction() as connection:
            connection.execute(
                update(_GROUP).where(_GROUP.c.broker == self.broker, _GROUP.c.name == name).values(state=state)
            )

    def drop_group(self, name: str) -> None:
        """Remove a group with everything that is deployed there."""
        with self._transaction() as connection:
            for table in (_DEPLOYED, _FLOW, _SETTING):
                connection.execute(delete(table).where(table.c.broker == self.broker, table.c.grp == name))
            connection.execute(delete(_GROUP).where(_GROUP.c.broker == self.broker, _GROUP.c.name == name))
            self._drop_unused(connection)

    # Deployments.

    def deployed(self, group: str) -> list[DeployedRow]:
        """Return the deployments of a group, the latest first."""
        with self._transaction() as connection:
            rows = connection.execute(
                select(_DEPLOYED)
                .where(_DEPLOYED.c.broker == self.broker, _DEPLOYED.c.grp == group)
                .order_by(_DEPLOYED.c.deployed_at.desc(), _DEPLOYED.c.application)
            ).mappings()
            return [_made(DeployedRow, row) for row in rows]

    def deploy(
        self,
        group: str,
        contents: list[ContentRow],
        rows: list[DeployedRow],
        overrides: dict[str, dict[str, str]],
        flows: dict[tuple[str, str], str],
        removed: list[str],
    ) -> None:
        """Replace applications, in one transaction.

        `overrides` are the new ones of each application, `flows` states of flows that were not there before, `removed`
        applications that go.
        """
        gone = [*removed, *(row.application for row in rows)]
        with self._transaction() as connection:
            for content in contents:
                there = connection.execute(
                    select(_CONTENT.c.digest).where(
                        _CONTENT.c.broker == self.broker, _CONTENT.c.digest == content.digest
                    )
                ).first()
                if there is None:
                    connection.execute(
                        insert(_CONTENT).values(
                            broker=self.broker,
                            digest=content.digest,
                            name=content.name,
                            kind=content.kind,
                            size=len(content.data),
                            data=content.data,
                        )
                    )
            connection.execute(
                delete(_DEPLOYED).where(
                    _DEPLOYED.c.broker == self.broker, _DEPLOYED.c.grp == group, _DEPLOYED.c.application.in_(gone)
                )
            )
            connection.execute(
                delete(_SETTING).where(
                    _SETTING.c.broker == self.broker,
                    _SETTING.c.grp == group,
                    _SETTING.c.section == "override",
                    _SETTING.c.object.in_(gone),
                )
            )
            connection.execute(
                delete(_FLOW).where(
                    _FLOW.c.broker == self.broker, _FLOW.c.grp == group, _FLOW.c.application.in_(removed)
                )
            )
            for row in rows:
                values = {name: getattr(row, name) for name in row.__slots__}
                connection.execute(insert(_DEPLOYED).values(broker=self.broker, grp=group, **values))
            for application, each in overrides.items():
                for name, value in each.items():
                    self._set(connection, group, "override", application, name, value)
            for (application, flow), state in flows.items():
                self._set_flow(connection, group, application, flow, state)
            self._drop_unused(connection)

    def content(self, digest: str) -> ContentRow | None:
        """Return a content with its data."""
        with self._transaction() as connection:
            row = connection.execute(
                select(_CONTENT).where(_CONTENT.c.broker == self.broker, _CONTENT.c.digest == digest)
            ).first()
        return None if row is None else ContentRow(row.digest, row.name, row.kind, bytes(row.data))

    def contents(self) -> dict[str, tuple[str, str]]:
        """Return name and kind of each content, by digest."""
        with self._transaction() as connection:
            rows = connection.execute(
                select(_CONTENT.c.digest, _CONTENT.c.name, _CONTENT.c.kind).where(_CONTENT.c.broker == self.broker)
            )
            return {row.digest: (row.name, row.kind) for row in rows}

    def _drop_unused(self, connection: Connection) -> None:
        used = select(_DEPLOYED.c.digest).where(_DEPLOYED.c.broker == self.broker)
        connection.execute(
            delete(_CONTENT).where(_CONTENT.c.broker == self.broker, _CONTENT.c.digest.not_in(used.scalar_subquery()))
        )

    # States.

    def set_application_state(self, group: str, application: str, state: str) -> None:
        """Remember that an application was started or stopped."""
        with self._transaction() as connection:
            connection.execute(
                update(_DEPLOYED)
                .where(
                    _DEPLOYED.c.broker == self.broker,
                    _DEPLOYED.c.grp == group,
                    _DEPLOYED.c.application == application,
                )
                .values(state=state)
            )

    def flow_states(self, group: str) -> dict[tuple[str, str], str]:
        """Return the flows that were started or stopped one by one: application and flow to state."""
        with self._transaction() as connection:
            rows = connection.execute(select(_FLOW).where(_FLOW.c.broker == self.broker, _FLOW.c.grp == group))
            return {(row.application, row.flow): row.state for row in rows}

    def set_flow_state(self, group: str, application: str, flow: str, state: str) -> None:
        """Remember that a flow was started or stopped."""
        with self._transaction() as connection:
            self._set_flow(connection, group, application, flow, state)

    def _set_flow(self, connection: Connection, group: str, application: str, flow: str, state: str) -> None:
        here = [
            _FLOW.c.broker == self.broker,
            _FLOW.c.grp == group,
            _FLOW.c.application == application,
            _FLOW.c.flow == flow,
        ]
        connection.execute(delete(_FLOW).where(*here))
        connection.execute(
            insert(_FLOW).values(broker=self.broker, grp=group, application=application, flow=flow, state=state)
        )

    # Settings.

    def settings(self, section: str, group: str = "") -> dict[str, dict[str, str]]:
        """Return the settings of a section: object to name to value."""
        found: dict[str, dict[str, str]] = {}
        with self._transaction() as connection:
            rows = connection.execute(
                select(_SETTING)
                .where(_SETTING.c.broker == self.broker, _SETTING.c.grp == group, _SETTING.c.section == section)
                .order_by(_SETTING.c.object, _SETTING.c.name)
            )
            for row in rows:
                found.setdefault(row.object, {})[row.name] = row.value
        return found

    def change_settings(self, section: str, name: str, values: dict[str, str | None], group: str = "") -> None:
        """Set values of an object; None removes one."""
        with self._transaction() as connection:
            for key, value in values.items():
                self._set(connection, group, section, name, key, value)

    def drop_settings(self, section: str, name: str, group: str = "") -> None:
        """Remove all settings of an object."""
        with self._transaction() as connection:
            connection.execute(delete(_SETTING).where(*self._setting(group, section, name)))

    def _setting(self, group: str, section: str, name: str) -> list[Any]:
        columns = _SETTING.c
        return [
            columns.broker == self.broker,
            columns.grp == group,
            columns.section == section,
            columns.object == name,
        ]

    def _set(self, connection: Connection, group: str, section: str, name: str, key: str, value: str | None) -> None:
        connection.execute(delete(_SETTING).where(*self._setting(group, section, name), _SETTING.c.name == key))
        if value is not None:
            connection.execute(
                insert(_SETTING).values(
                    broker=self.broker, grp=group, section=section, object=name, name=key, value=value
                )
            )

    def tighten(self) -> None:
        """Remove the permissions of other users from the SQLite file."""
        if self._sqlite is not None and stat.S_IMODE(self._sqlite.stat().st_mode) != FILE_MODE:
            self._sqlite.chmod(FILE_MODE)


def _made(kind: Any, row: RowMapping) -> Any:
    return kind(**{name: row[name] for name in kind.__slots__})


def _reason(error: Exception) -> str:
    """Return the reason of the database in one line, without statement, parameters and address."""
    cause = getattr(error, "orig", None) or error
    text = str(cause).strip().splitlines() if not isinstance(error, ArgumentError) else ["the URL is not valid"]
    return text[0][:300] if text else type(cause).__name__
