"""EmailOutput: sends a message as e-mail.

Recipients and subject come from Root.EmailOutputHeader (To, Cc, Bcc, From, Reply-To, Subject), else from properties;
server, content type and attachments from LocalEnvironment.Destination.Email, else from properties. The text is the body
of the message, or the property messageText. `attachment` names the place of one more part.

Addresses that a message gives stay on one line: a line end in them would add headers of its own.
"""

from __future__ import annotations

from typing import Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import Location, namespaces_of, text_of, trees_of
from flintmq.broker.flow.nodes.http_common import find_body, header_text
from flintmq.broker.flow.nodes.http_request import write_part
from flintmq.broker.flow.services import Email
from flintmq.broker.formats.registry import format_of
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Element, Step, find_all
from flintmq.broker.tree.headers import context_of_root, domain_named

_NO_RECIPIENT: Final = 3383
_HEADER: Final = {
    "To": "toAddresses",
    "Cc": "ccAddresses",
    "Bcc": "bccAddresses",
    "From": "fromAddress",
    "Reply-To": "replyTo",
    "Subject": "subject",
}


@runs
class EmailOutput(RuntimeNode):
    """EmailOutput: sends e-mail."""

    types = ("ComIbmEmailOutput.msgnode",)

    def prepare(self) -> None:
        text = self.text("attachment")
        try:
            namespaces = namespaces_of(self.tables.get("nsMappingTable", []))
            self.attachment = Location(text, namespaces) if text else None
        except ValueError as error:
            raise NodeProblem(f"{self.label}: attachment is {text!r}, which is no path: {error}") from None

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        header = assembly.message.child("EmailOutputHeader")
        fields = {name: self._field(header, name, property_) for name, property_ in _HEADER.items()}
        if not fields["To"] and not fields["Cc"] and not fields["Bcc"]:
            raise BrokerError(
                _NO_RECIPIENT,
                "the e-mail has no recipient; set EmailOutputHeader.To or the property toAddresses",
                inserts=(self.label,),
            )
        settings = assembly.local_environment.child("Destination")
        email = None if settings is None else settings.child("Email")
        invocation.services.email(
            Email(
                self.label,
                self._setting(email, "SMTPServer", "smtpServer"),
                _addresses(fields["To"]),
                _addresses(fields["Cc"]),
                _addresses(fields["Bcc"]),
                fields["From"],
                fields["Reply-To"],
                fields["Subject"],
                self._text_of(assembly),
                self._setting(email, "BodyContentType", "bodyContentType", "text/plain"),
                self._attachments(assembly, email),
                assembly.message,
            )
        )
        self.send("out", invocation, assembly)

    def _field(self, header: Element | None, name: str, property_: str) -> str:
        leaf = None if header is None else header.child(name)
        value = self.text(property_) if leaf is None or leaf.value is None else text_of(leaf.value)
        return header_text(value)

    def _setting(self, email: Element | None, name: str, property_: str, default: str = "") -> str:
        value = None if email is None else email.get(name)
        return header_text(self.text(property_, default) if value is None else value)

    def _text_of(self, assembly: Assembly) -> bytes:
        given = self.text("messageText")
        if given:
            return given.encode()
        body = find_body(assembly.message)
        if body is None:
            return b""
        context = context_of_root(assembly.message, self.flow.models, self.flow.switches)
        domain = body.domain or body.name
        return format_of(domain_named(domain) or domain).write(body, context)

    def _attachments(self, assembly: Assembly, email: Element | None) -> list[tuple[str, str, bytes]]:
        """Return name, content type and content of each attachment."""
        found: list[tuple[str, str, bytes]] = []
        if self.attachment is not None:
            part = self.attachment.find(trees_of(assembly))
            if part is not None:
                name = self.text("attachmentName", "attachment")
                found.append((name, self.text("attachmentContentType", "text/plain"), self._content(assembly, part)))
        holder = None if email is None else email.child("Attachments")
        for each in find_all(holder, Step("Attachment")):
            content = each.child("AttachmentContent")
            if content is None:
                continue
            name = header_text(each.get("AttachmentContentName") or "attachment")
            kind = header_text(each.get("AttachmentContentType") or "application/octet-stream")
            found.append((name, kind, self._content(assembly, content)))
        return found

    def _content(self, assembly: Assembly, part: Element) -> bytes:
        if part.first_child() is None:
            value = part.value
            return value if isinstance(value, bytes) else b"" if value is None else text_of(value).encode()
        return write_part(self, assembly.message, part)[0]


def _addresses(text: str) -> list[str]:
    return [each.strip() for each in text.replace(";", ",").split(",") if each.strip()]
