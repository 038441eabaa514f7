"""MQHeader: adds, changes, carries forward or deletes the MQMD and the MQDLH of a message.

The option of each header is "Carry forward header", "Add header", "Modify header" or "Delete header". A field is a
constant of the MQI (`MQFMT_STRING`), a literal, or an XPath that starts with `$`.
"""

from __future__ import annotations

from typing import Final

from flintmq.broker.esql.names import mq_constants
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import Expression
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.types import NAME

OPTIONS: Final = ("Carry forward header", "Add header", "Modify header", "Delete header")
#: Header folder, prefix of its properties, and its fields with how a literal is read.
HEADERS: Final = {
    "MQMD": (
        "mqmd",
        {
            "CodedCharSetId": int,
            "Format": str,
            "Version": int,
            "MsgType": int,
            "Expiry": int,
            "Feedback": int,
            "Priority": int,
            "Persistence": int,
            "MsgId": bytes,
            "CorrelId": bytes,
            "ReplyToQ": str,
            "ReplyToQMgr": str,
        },
    ),
    "MQDLH": (
        "mqdlh",
        {
            "CodedCharSetId": int,
            "Format": str,
            "Reason": int,
            "DestQName": str,
            "DestQMgrName": str,
            "PutApplType": int,
            "PutApplName": str,
            "PutDate": str,
            "PutTime": str,
        },
    ),
}


@runs
class MQHeader(RuntimeNode):
    """MQHeader: changes headers without code."""

    types = ("ComIbmMQHeader.msgnode",)

    def prepare(self) -> None:
        self.fields: dict[str, list[tuple[str, object]]] = {}
        self.options: dict[str, str] = {}
        for header, (prefix, fields) in HEADERS.items():
            option = self.text(f"{prefix}AAAOptions", OPTIONS[0])
            if option not in OPTIONS:
                raise NodeProblem(f"{self.label}: {prefix}AAAOptions is {option!r}; known: {', '.join(OPTIONS)}")
            self.options[header] = option
            self.fields[header] = []
            for name, kind in fields.items():
                text = self.text(prefix + name)
                if text:
                    self.fields[header].append((name, self._value(prefix + name, text, kind)))

    def _value(self, name: str, text: str, kind: type) -> object:
        """Return a constant, or the expression that gives the value for each message."""
        if text.startswith("$"):
            try:
                return Expression(text)
            except ValueError as error:
                raise NodeProblem(f"{self.label}: {name} is {text!r}, which is no path: {error}") from None
        constant = mq_constants().get(text.upper())
        if constant is not None:
            return constant
        try:
            if kind is int:
                return int(text)
            if kind is bytes:
                return bytes.fromhex(text.removeprefix("X'").rstrip("'")).ljust(24, b"\0")
        except ValueError:
            raise NodeProblem(f"{self.label}: {name} is {text!r}, which is no value of this field") from None
        return text

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        root = copy_element(assembly.message)
        for header, option in self.options.items():
            folder = root.child(header)
            if option == "Delete header":
                if folder is not None:
                    folder.detach()
            elif option in ("Add header", "Modify header"):
                if folder is None and option == "Modify header":
                    continue
                if folder is None:
                    folder = self._new(root, header)
                elif option == "Add header" and header == "MQMD":
                    folder.clear()
                for name, value in self.fields[header]:
                    folder.put(name, value.value(assembly) if isinstance(value, Expression) else value)
        self.send("out", invocation, assembly.replace(root))

    def _new(self, root: Element, header: str) -> Element:
        """Put a new header folder where its kind stands: MQMD behind Properties, others behind the MQMD."""
        folder = Element(header, None, NAME)
        folder.domain = header
        before = root.child("MQMD") if header != "MQMD" else None
        before = before or root.child("Properties")
        return root.prepend(folder) if before is None else before.insert_after(folder)
