"""XSLTransform and Validate.

A style sheet comes from the application (`stylesheetName`, looked for among its resources). It may include and import
resources of the application; it reads nothing else: no network, no files, no `document()` outside, and it writes
nothing.
"""

from __future__ import annotations

import json
from typing import Any

from lxml import etree

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.nodes.http_common import find_body
from flintmq.broker.flow.nodes.inputs import parser_options
from flintmq.broker.formats.json_validate import JsonSchema, SchemaProblem, validation_error
from flintmq.broker.formats.registry import (
    VALIDATE_CONTENT,
    VALIDATE_EXCEPTION,
    VALIDATE_VALUE,
    Context,
    format_of,
    known,
)
from flintmq.broker.formats.xml_validate import validate_tree
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.headers import context_of_root

_NOTHING = etree.XSLTAccessControl(
    read_file=False, write_file=False, create_dir=False, read_network=False, write_network=False
)
_SCHEME = "app:///"


@runs
class XSLTransform(RuntimeNode):
    """XSLTransform: replaces an XML body by the result of a style sheet."""

    types = ("ComIbmXslMqsi.msgnode",)

    def prepare(self) -> None:
        self.name_of_sheet = self.text("stylesheetName")
        if not self.name_of_sheet:
            raise NodeProblem(f"{self.label}: the property stylesheetName is empty")
        try:
            self.sheet = self._compiled(self.name_of_sheet)
        except (etree.LxmlError, OSError) as error:
            raise NodeProblem(f"{self.label}: the style sheet {self.name_of_sheet} cannot be used: {error}") from None
        self.domain = self.text("messageDomainProperty", "BLOB")
        if not known(self.domain):
            raise NodeProblem(f"{self.label}: there is no parser {self.domain!r}")

    def _compiled(self, name: str) -> Any:
        resource = self.flow.settings.resource

        class Application(etree.Resolver):  # type: ignore[misc]  # lxml is untyped
            """Finds style sheets and documents among the resources of the application, and nowhere else."""

            def resolve(self, url: str, public_id: str, context: object) -> object:
                found = resource(url.removeprefix(_SCHEME).rpartition("/")[2])
                if found is None:
                    raise OSError(f"{url} is not part of the application")
                return self.resolve_string(found, context, base_url=url)

        parser = etree.XMLParser(no_network=True, resolve_entities=False, load_dtd=False, huge_tree=False)
        parser.resolvers.add(Application())
        text = resource(name)
        if text is None:
            raise NodeProblem(f"{self.label}: the style sheet {name} is not part of the application")
        return etree.XSLT(etree.fromstring(text, parser, base_url=_SCHEME + name), access_control=_NOTHING)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        body = find_body(assembly.message)
        if body is None:
            raise parser_error(5010, self.label, text="the message has no body to transform")
        context = context_of_root(assembly.message, self.flow.models, self.flow.switches)
        data = format_of(body.domain or body.name).write(body, context)
        parser = etree.XMLParser(no_network=True, resolve_entities=False, load_dtd=False, huge_tree=False)
        try:
            result = self.sheet(etree.fromstring(data, parser))
        except etree.XMLSyntaxError as error:
            raise parser_error(5009, str(error), text=f"the body is not XML: {error}") from None
        except etree.LxmlError as error:
            raise BrokerError(
                3202, f"the style sheet {self.name_of_sheet} failed: {error}", inserts=(self.name_of_sheet, str(error))
            ) from None
        written = bytes(result)
        if result.getroot() is not None:
            # lxml ends a document with a new line, which no style sheet asked for.
            written = written.removesuffix(b"\n")
        root = copy_element(assembly.message)
        last = find_body(root)
        assert last is not None
        last.detach()
        made = context_of_root(root, self.flow.models, self.flow.switches)
        made.ccsid = 1208
        made.parser_options = parser_options(self)
        root.append(format_of(self.domain).parse(written, made))
        properties = root.child("Properties")
        if properties is not None:
            properties.put("CodedCharSetId", 1208)
        descriptor = root.child("MQMD")
        if descriptor is not None:
            descriptor.put("CodedCharSetId", 1208)
        self.send("out", invocation, assembly.replace(root))


@runs
class Validate(RuntimeNode):
    """Validate: checks domain, message set and type, and the body by its schema."""

    types = ("ComIbmValidate.msgnode",)

    def prepare(self) -> None:
        self.master = self.text("validateMaster", "none")
        self._schema: JsonSchema | None = None

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        message = assembly.message
        body = find_body(message)
        if body is None:
            raise parser_error(5010, self.label, text="the message has no body to validate")
        for flag, wanted, found in (
            ("checkDomain", self.text("domain"), body.domain or body.name),
            ("checkSet", self.text("set"), _property(message, "MessageSet")),
            ("checkType", self.text("type"), _property(message, "MessageType")),
        ):
            if self.flag(flag) and wanted and wanted != found:
                raise BrokerError(
                    4804,
                    f"{flag.removeprefix('check').lower()} of the message is {found!r}, not {wanted!r}",
                    inserts=(wanted, found),
                )
        if self.master in ("content", "contentAndValue"):
            context = context_of_root(message, self.flow.models, self.flow.switches)
            if (body.domain or body.name) == "JSON":
                self._validate_json(body, context)
                self.send("match", invocation, assembly)
                return
            context.options = VALIDATE_EXCEPTION | VALIDATE_CONTENT
            if self.master == "contentAndValue":
                context.options |= VALIDATE_VALUE
            validate_tree(body, context)
        self.send("match", invocation, assembly)

    def _validate_json(self, body: Element, context: Context) -> None:
        """Hold a body against the JSON schema that the message set names."""
        name = (self.text("set") or context.message_set).rpartition("}")[2]
        data = self.flow.settings.resource(name) if name else None
        if data is None:
            raise parser_error(5025, name, text=f"there is no JSON schema {name!r} in the application")
        try:
            if self._schema is None:
                self._schema = JsonSchema(data, name, self.flow.settings.resource)
            text = format_of("JSON").write(body, context)
            found = self._schema.violations(json.loads(text))
        except SchemaProblem as error:
            raise parser_error(5025, name, text=str(error)) from None
        except (ValueError, RecursionError) as error:
            raise parser_error(5705, text=f"the body is not JSON: {error}") from None
        if found:
            raise validation_error(found, self.text("validateFailureAction", "exception") == "exception")


def _property(message: Element, name: str) -> str:
    value = message.get(f"Properties.{name}")
    return value if isinstance(value, str) else ""
