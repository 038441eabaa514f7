"""Errors of the broker: the entries of an ExceptionList.

A `BrokerError` is one entry of the ExceptionList (MF 1.8): a kind such as `ParserException`, a BIP number, inserts, and
the place: file and line of ESQL, type, name and label of the node. Its `cause_entry` is the entry below it; the
innermost entry is the root cause. A node wraps errors that pass through it in number 2230, a statement of ESQL in 2488.

Nothing else leaves the broker as an exception: a format, a function or a node that fails raises this class, so a flow
can route the failure and a test can read it. An error that is ours (a bug) stays a Python exception and is wrapped at
the node that met it, with number 2111 and the Python type in an insert; the traceback is its `__cause__`.
"""

from __future__ import annotations

from collections.abc import Iterator

#: Types of inserts in an ExceptionList.
INSERT_INTEGER = 2
INSERT_STRING = 5
INSERT_LABEL = 14

#: Numbers that wrap a cause and say where it passed.
NODE_RETHROW = 2230
FAILURE_PATH_FAILED = 2232
STATEMENT = 2488
EXPRESSION = 2439
INTERNAL = 2111

KINDS = (
    "RecoverableException",
    "ParserException",
    "ConversionException",
    "UserException",
    "DatabaseException",
    "CastException",
    "MessageException",
    "SqlException",
    "SocketException",
    "SocketTimeoutException",
    "UnknownException",
    "ConfigurationException",
    "SecurityException",
    "FatalException",
)


class BrokerError(Exception):
    """One entry of an ExceptionList, raised. `str()` is one line: the root cause, and where it arose."""

    def __init__(
        self,
        number: int,
        text: str,
        *,
        inserts: tuple[object, ...] = (),
        kind: str = "RecoverableException",
        cause: BrokerError | None = None,
        sqlstate: str = "",
        sqlcode: int = -1,
        severity: int = 3,
        catalog: str = "BIPmsgs",
        file: str = "",
        line: int = 0,
        function: str = "",
        node_type: str = "",
        node_name: str = "",
        node_label: str = "",
    ) -> None:
        super().__init__(text)
        self.number = number
        self.text = text
        self.inserts = inserts
        self.kind = kind
        self.cause_entry = cause
        #: What a handler compares: `S` and five for errors of the broker, `D` and the state of a database, `U` and a
        #: number for user exceptions.
        self.sqlstate = sqlstate
        self.sqlcode = sqlcode
        #: The code that a database itself gave (SQLNATIVEERROR).
        self.native_error = 0
        #: Causes beside the last one, where several things were wrong at once. They have no causes of their own.
        self.beside: list[BrokerError] = []
        self.severity = severity
        self.catalog = catalog
        self.file = file
        self.line = line
        self.function = function
        self.node_type = node_type
        self.node_name = node_name
        self.node_label = node_label
        #: The node that last sent a message below which the error arose: its failure terminal is not asked (F2).
        self.below: object = None

    def chain(self) -> Iterator[BrokerError]:
        """Yield this entry and its causes, outermost first."""
        entry: BrokerError | None = self
        while entry is not None:
            yield entry
            entry = entry.cause_entry

    def root_cause(self) -> BrokerError:
        """Return the innermost entry."""
        entry = self
        while entry.cause_entry is not None:
            entry = entry.cause_entry
        return entry

    def __str__(self) -> str:
        """Return the root cause with the innermost node and statement that the error passed."""
        label = file = ""
        line = 0
        for entry in self.chain():
            label = entry.node_label or label
            if entry.line:
                file, line = entry.file, entry.line
        cause = self.root_cause()
        text = f"BIP{cause.number}: {cause.text}"
        if label:
            text += f" [{label}]"
        if line:
            text += f" ({file}:{line})" if file else f" (line {line})"
        return text


def esql_error(
    number: int, *inserts: object, text: str, sqlstate: str = "S22018", kind: str = "RecoverableException"
) -> BrokerError:
    """Return the error of an ESQL operation; the statement and the node add where it happened."""
    return BrokerError(number, text, inserts=inserts, kind=kind, sqlstate=sqlstate)


def parser_error(number: int, *inserts: object, text: str, cause: BrokerError | None = None) -> BrokerError:
    """Return the error of a format that could not read or write a message."""
    return BrokerError(number, text, inserts=inserts, kind="ParserException", sqlstate="S22000", cause=cause)


def internal_error(error: BaseException) -> BrokerError:
    """Return an entry for an exception that is our own bug, with the exception as its `__cause__`."""
    entry = BrokerError(
        INTERNAL,
        f"internal error: {type(error).__name__}: {error}",
        inserts=(type(error).__name__, str(error)),
        kind="FatalException",
    )
    entry.__cause__ = error
    return entry
