"""Nodes of files: FileInput, FileOutput, FileRead.

FileInput sends each record of a file as a message, then an empty message to `EOD`. The file is disposed of as
processedFileAction or, after an error that no catch path handled, failedFileAction says; records after the one that
failed are not processed. In the local environment:

    File.Directory, .Name, .LastModified, .TimeStamp, .Size, .Offset, .Record, .Delimiter, .IsEmpty
    Wildcard.WildcardMatch   text for `*` of filenamePattern

FileOutput writes a file per message (recordDefinition wholeFile), or adds records until a message comes to its terminal
`EOD` (Finish File). Directory and name come from the places that requestDirectoryLocation and requestNameLocation name,
else from the properties; `*` in the name is the match of the input.

FileRead reads a file, or its first record that fits, in the middle of a flow.

A name of a file that comes from a message is a plain name: one with a path in it is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import clock
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import Location, namespaces_of, text_of, trees_of
from flintmq.broker.flow.nodes.http_common import find_body
from flintmq.broker.flow.nodes.http_request import location_of, place_content, template_of, write_part
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode
from flintmq.broker.flow.nodes.records import Record, RecordRules, hex_bytes, joined, records, rules_of
from flintmq.broker.flow.patterns import Xpath
from flintmq.broker.flow.services import FileWrite
from flintmq.broker.formats.blob import blob_folder
from flintmq.broker.formats.registry import Context, format_of
from flintmq.broker.tree.assembly import Assembly, new_root
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.headers import Template, context_of_root, domain_named, parse_message
from flintmq.broker.tree.types import NAME
from flintmq.broker.values import timestamp_from_python

_ENCODING: Final = 546
_CCSID: Final = 1208
_NO_NAME: Final = 3308


@dataclass(slots=True)
class FileSource:
    """A file that a node reads."""

    directory: str
    name: str
    data: bytes
    match: str = ""
    #: When it was changed, in UTC; None = now.
    modified: datetime | None = None


def wildcard_match(pattern: str, name: str) -> str | None:
    """Return the texts for the wildcards of a pattern in a name; None if the name does not fit.

    Each `*` stands for as little as possible. There is no backtracking, so no pattern takes long.
    """
    first, *others = re.split(r"\*+", pattern)
    if not others:
        return _questions(first, name) if len(first) == len(name) else None
    found = _questions(first, name[: len(first)])
    if found is None:
        return None
    matched = [found]
    place = len(first)
    for chunk in others[:-1]:
        start = place
        while (found := _questions(chunk, name[place : place + len(chunk)])) is None:
            place += 1
            if place + len(chunk) > len(name):
                return None
        matched += [name[start:place], found]
        place += len(chunk)
    end = len(name) - len(others[-1])
    found = _questions(others[-1], name[end:]) if end >= place else None
    return None if found is None else "".join([*matched, name[place:end], found])


def _questions(chunk: str, text: str) -> str | None:
    """Return the characters for `?` if a text is a part of a pattern without `*`; None if it is not."""
    if len(chunk) != len(text):
        return None
    found = []
    for wanted, letter in zip(chunk, text, strict=True):
        if wanted == "?":
            found.append(letter)
        elif wanted != letter:
            return None
    return "".join(found)


def describe_file(folder: Element, source: FileSource, record: Record | None, number: int) -> None:
    """Fill LocalEnvironment.File, or File.Read."""
    moment = source.modified or datetime.now(UTC)
    folder.add("Directory", source.directory)
    folder.add("Name", source.name)
    folder.add("LastModified", clock.to_local(timestamp_from_python(moment)))
    folder.add("TimeStamp", moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
    folder.add("Size", len(source.data))
    folder.add("Offset", len(source.data) if record is None else record.offset)
    folder.add("Record", number)
    folder.add("Delimiter", b"" if record is None else record.delimiter)
    folder.add("IsEmpty", not source.data)


def byte_properties(node: RuntimeNode) -> tuple[int, int]:
    """Return encoding and CCSID that a node names for files; 0 is the default of the broker."""
    encoding = int(node.number("messageEncodingProperty", 0)) or _ENCODING
    return encoding, int(node.number("messageCodedCharSetIdProperty", 0)) or _CCSID


def record_message(node: RuntimeNode, template: Template, data: bytes) -> Element:
    """Return the message of a record."""
    encoding, ccsid = byte_properties(node)
    return parse_message(
        None,
        data,
        template,
        reply_protocol="",
        encoding=encoding,
        ccsid=ccsid,
        models=node.flow.models,
        switches=node.flow.switches,
    )


def record_context(node: RuntimeNode, template: Template) -> Context:
    """Return how a parser finds the end of a record."""
    encoding, ccsid = byte_properties(node)
    return Context(
        ccsid,
        encoding,
        template.message_set,
        template.message_type,
        template.message_format,
        parser_options=template.parser_options,
        models=node.flow.models,
        switches=node.flow.switches,
    )


@runs
class FileInput(InputNode):
    """FileInput: sends the records of a file through the flow."""

    types = ("ComIbmFileInput.msgnode",)

    def prepare(self) -> None:
        super().prepare()
        self.rules = rules_of(self, "recordDetection", self.properties)
        self.pattern = self.text("filenamePattern", "*")

    def take(self, invocation: Invocation, incoming: Incoming) -> None:
        """Send the records of one file. Raise exceptions that the flow does not handle."""
        invocation.transactional = False
        path = incoming.source.replace("\\", "/")
        directory, _, name = path.rpartition("/")
        name = name or self.pattern.replace("*", "file").replace("?", "1")
        match = wildcard_match(self.pattern, name)
        excluded = self.text("excludePattern")
        if match is None or excluded and wildcard_match(excluded, name) is not None:
            invocation.note(self, "ignored", detail=f"{name} does not fit {self.pattern}")
            return
        source = FileSource(directory or self.text("inputDirectory"), name, incoming.data, match)
        try:
            self._send_records(invocation, incoming, source)
        except BrokerError:
            action = self.text("failedFileAction", "moveToBackout")
            invocation.services.dispose_file(self.label, source.directory, name, action)
            raise
        action = self.text("processedFileAction", "delete")
        invocation.services.dispose_file(self.label, source.directory, name, action)

    def _send_records(self, invocation: Invocation, incoming: Incoming, source: FileSource) -> None:
        domain = domain_named(self.template.domain) or self.template.domain
        number = 0
        last: Record | None = None
        if incoming.root is not None:
            self._send(invocation, incoming, source, Record(b"", 0), 1)
            return
        context = record_context(self, self.template)
        found = records(self.rules, source.data, domain, context)
        while True:
            try:
                record = next(found, None)
            except BrokerError as error:
                # A record whose end cannot be found goes to the failure path with the rest of the file.
                start = 0 if last is None else last.offset + len(last.data) + len(last.delimiter)
                self._send(invocation, incoming, source, Record(source.data[start:], start), number + 1, error)
                return
            if record is None:
                break
            number += 1
            last = record
            self._send(invocation, incoming, source, record, number)
        if self.wired("EOD"):
            local = self._local(incoming, source, None, number + 1)
            self.send_caught(invocation, Assembly(self._empty(), local, incoming.environment), "EOD")

    def _local(self, incoming: Incoming, source: FileSource, record: Record | None, number: int) -> Element:
        given = incoming.local_environment
        local = Element("LocalEnvironment", None, NAME) if given is None else copy_element(given)
        describe_file(local.folder("File"), source, record, number)
        local.put("Wildcard.WildcardMatch", source.match)
        return local

    def _empty(self) -> Element:
        root = record_message(self, Template(), b"")
        root.append(blob_folder(b""))
        return root

    def _send(
        self,
        invocation: Invocation,
        incoming: Incoming,
        source: FileSource,
        record: Record,
        number: int,
        error: BrokerError | None = None,
    ) -> None:
        def read() -> Element:
            if error is not None:
                raise error
            return record_message(self, self.template, record.data)

        def unread() -> Element:
            return record_message(self, Template("BLOB"), record.data)

        one = Incoming(
            record.data,
            root=incoming.root,
            local_environment=self._local(incoming, source, record, number),
            environment=incoming.environment,
        )
        self.run(invocation, one, read, unread)


@runs
class FileOutput(RuntimeNode):
    """FileOutput: writes messages, or records, to files."""

    types = ("ComIbmFileOutput.msgnode",)

    def prepare(self) -> None:
        self.rules = rules_of(self, "recordDefinition", self.properties)
        self.padding = hex_bytes(self, "paddingBytes", self.text("paddingBytes", "20"))
        base = "$LocalEnvironment/Destination/File"
        self.directory_at = location_of(self, "requestDirectoryLocation", f"{base}/Directory")
        self.name_at = location_of(self, "requestNameLocation", f"{base}/Name")
        self.data_at = location_of(self, "dataLocation", "$Body")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        directory, name = self._target(assembly)
        whole = self.rules.detection == "wholeFile"
        local = copy_element(assembly.local_environment)
        if terminal == "EOD":
            if not whole:
                self._write(invocation, directory, name, b"", None, finish=True)
            _written(local, directory, name, "FINISH")
            self.send("EOD", invocation, assembly.replace(local_environment=local))
            return
        data = joined(self.rules, self._data(assembly), self.padding, self.label)
        append = not whole or self.text("outputMode") == "append"
        self._write(invocation, directory, name, data, assembly.message, append=append)
        _written(local, directory, name, "APPEND" if append else self.text("outputMode", "replace").upper())
        self.send("out", invocation, assembly.replace(local_environment=local))

    def _write(
        self,
        invocation: Invocation,
        directory: str,
        name: str,
        data: bytes,
        root: Element | None,
        append: bool = False,
        finish: bool = False,
    ) -> None:
        infix = self.rules.detection == "delimited" and self.rules.infix
        invocation.services.write_file(
            FileWrite(
                self.label,
                directory,
                name,
                data,
                root,
                self.text("outputMode", "replace"),
                append,
                finish,
                self.rules.separator if infix else b"",
                self.text("writeMode", "stage") == "writeInPlace",
            )
        )

    def _target(self, assembly: Assembly) -> tuple[str, str]:
        trees = trees_of(assembly)
        directory = self.directory_at.value(trees)
        name = self.name_at.value(trees)
        folder = text_of(directory) if directory not in (None, "") else self.text("outputDirectory")
        file = text_of(name).strip() if name not in (None, "") else self.text("outputFilename")
        if "*" in file:
            match = assembly.local_environment.get("Wildcard.WildcardMatch")
            file = file.replace("*", "" if match is None else text_of(match))
        if not file:
            raise BrokerError(
                _NO_NAME,
                f"the node knows no file name; set outputFilename or {self.name_at.text}",
                inserts=(self.label,),
            )
        return folder, plain_name(self.label, file)

    def _data(self, assembly: Assembly) -> bytes:
        if self.data_at.tree in ("BODY", "INPUTBODY") and not self.data_at.steps:
            part = find_body(assembly.message)
            if part is None:
                return b""
            context = context_of_root(assembly.message, self.flow.models, self.flow.switches)
            domain = part.domain or part.name
            return format_of(domain_named(domain) or domain).write(part, context)
        found = self.data_at.find(trees_of(assembly))
        if found is None:
            raise BrokerError(3156, f"there is nothing at {self.data_at.text} to write", inserts=(self.label,))
        if found.first_child() is None and isinstance(found.value, bytes):
            return found.value
        return write_part(self, assembly.message, found)[0]


def plain_name(label: str, name: str) -> str:
    """Return a file name; raise 3308 if it leads to another directory."""
    if "/" in name or "\\" in name or "\0" in name or name in (".", ".."):
        raise BrokerError(
            _NO_NAME, f"{name!r} is not a plain file name; set the directory on its own", inserts=(label, name)
        )
    return name


def _written(local: Element, directory: str, name: str, action: str) -> None:
    folder = local.folder("WrittenDestination").folder("File")
    folder.put("Directory", directory)
    folder.put("Name", name)
    folder.put("Action", action)


@runs
class FileRead(RuntimeNode):
    """FileRead: reads a file, or one of its records, in the middle of a flow."""

    types = ("ComIbmFileRead.msgnode",)

    def prepare(self) -> None:
        self.rules: RecordRules = rules_of(self, "recordDetection", self.properties)
        self.template = template_of(self)
        base = "$LocalEnvironment/Destination/File"
        self.directory_at = location_of(self, "requestDirectoryLocation", f"{base}/Directory")
        self.name_at = location_of(self, "requestNameLocation", f"{base}/Name")
        self.offset_at: Location = location_of(self, "requestOffsetLocation", f"{base}/Offset")
        self.output_at = location_of(self, "outputDataLocation", "$OutputRoot")
        self.result_at = location_of(self, "resultDataLocation", "$ResultRoot")
        text = self.text("recordSelectionExpression")
        try:
            self.selection = None if text in ("", "true()") else _Selection(text, self)
        except ValueError as error:
            raise NodeProblem(f"{self.label}: recordSelectionExpression is {text!r}: {error}") from None

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        trees = trees_of(assembly)
        directory, pattern = self.directory_at.value(trees), self.name_at.value(trees)
        folder = text_of(directory) if directory not in (None, "") else self.text("inputDirectory")
        wanted = text_of(pattern).strip() if pattern not in (None, "") else self.text("filenamePattern")
        if not wanted:
            raise BrokerError(
                _NO_NAME,
                f"the node knows no file name; set filenamePattern or {self.name_at.text}",
                inserts=(self.label,),
            )
        found = invocation.services.read_file(self.label, folder, plain_name(self.label, wanted))
        if found is None:
            self.send("noMatch", invocation, assembly)
            return
        name, data = found
        source = FileSource(folder, name, data, wildcard_match(wanted, name) or "")
        record, number, following = self._select(assembly, source)
        if record is None:
            self.send("noMatch", invocation, assembly)
            return
        action = self.text("fileDispositionAction", "noAction")
        if action != "noAction":
            invocation.services.dispose_file(self.label, folder, name, action)
        outgoing = self._outgoing(assembly, source, record, number, following)
        self.send("out", invocation, outgoing)
        if following is None and self.rules.detection != "wholeFile":
            self.send("finishFile", invocation, assembly)

    def _select(self, assembly: Assembly, source: FileSource) -> tuple[Record | None, int, Record | None]:
        """Return the record that is wanted, its number, and the one behind it."""
        domain = domain_named(self.template.domain) or self.template.domain
        found = records(self.rules, source.data, domain, record_context(self, self.template))
        start = self.offset_at.value(trees_of(assembly))
        first = start if isinstance(start, int) and not isinstance(start, bool) else 0
        for number, record in enumerate(found, 1):
            if record.offset < first:
                continue
            if self.selection is None or self.selection.holds(self, assembly, record):
                return record, number, next(found, None)
        return None, 0, None

    def _outgoing(
        self, assembly: Assembly, source: FileSource, record: Record, number: int, following: Record | None
    ) -> Assembly:
        result = record_message(self, self.template, record.data)
        local = copy_element(assembly.local_environment) if self.flag("copyLocalEnvironment", True) else None
        local = Element("LocalEnvironment", None, NAME) if local is None else local
        folder = local.folder("File").append(Element("Read", None, NAME))
        describe_file(folder, source, record, number)
        folder.add("NoMoreRecords", following is None)
        folder.add("NextRecordOffset", len(source.data) if following is None else following.offset)
        local.put("Wildcard.WildcardMatch", source.match)
        part = self.result_at.find({**trees_of(assembly), "RESULTROOT": result})
        if self.output_at.tree == "OUTPUTROOT" and not self.output_at.steps:
            if part is result or part is None:
                return assembly.replace(result, local)
            root = new_root()
            for child in result.children()[:1]:
                root.append(copy_element(child))
            root.append(copy_element(part))
            return assembly.replace(root, local)
        output = assembly.replace(copy_element(assembly.message), local)
        if part is not None:
            target = self.output_at.create(trees_of(assembly, output))
            if part is result:
                for child in result.children():
                    target.append(copy_element(child))
                target.type = NAME
            else:
                place_content(target, part)
        return output


class _Selection:
    """recordSelectionExpression: XPath over the record as `$ResultRoot`."""

    def __init__(self, text: str, node: RuntimeNode) -> None:
        namespaces = namespaces_of(node.tables.get("nsMappingTable", []))
        self.expression = Xpath(text.replace("$ResultRoot", "$Root"), namespaces)

    def holds(self, node: FileRead, assembly: Assembly, record: Record) -> bool:
        """Return whether a record is wanted."""
        result = record_message(node, node.template, record.data)
        return self.expression.holds(assembly.replace(result))
