"""DFDL schemas: from annotated XML Schema to messages of the physical model.

    reader = SchemaReader(opener, paths)
    message = reader.message("orders.xsd", "Order")     raises DefinitionError; notices in message.notices

The subset: elements, sequences, choices, groups, simple and complex types by name or in place, references, hidden
groups, formats with references, escape schemes, variables, asserts and discriminators; short form, attribute form and
element form of properties. An unsupported feature is a notice with file and line (`docs/broker/dfdl.md` lists it); what
is not valid DFDL is a DefinitionError.

A message is built from its element down, so a library with hundreds of messages costs only those that are used.
Components are built once; recursion, which DFDL forbids, is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from lxml import etree

from flintmq.broker.formats.dfdl_documents import Document, Documents, statements
from flintmq.broker.formats.dfdl_properties import XS, DefinitionError, Properties
from flintmq.broker.formats.dfdl_types import INTEGERS, LOGICAL, SimpleType, TypeReader, named_scope, scope_at
from flintmq.broker.formats.model.charsets import charset_of
from flintmq.broker.formats.model.codecs import logical_value, make_codec
from flintmq.broker.formats.model.layout import computed_properties
from flintmq.broker.formats.model.schema import (
    UNBOUNDED,
    Alignment,
    Assertion,
    BinaryNumber,
    CharacterClass,
    Choice,
    Composition,
    Element,
    Expression,
    Length,
    LengthKind,
    LengthUnits,
    Logical,
    Member,
    Message,
    OccursKind,
    Representation,
    SeparatorPosition,
    SeparatorSuppression,
    Sequence,
    Text,
    Variable,
)

Node = Any
_GROUPS = ("sequence", "choice", "group")
_DEPTH_MAX = 200
_SUPPRESSION = {
    "never": SeparatorSuppression.NEVER,
    "trailingEmpty": SeparatorSuppression.TRAILING_EMPTY,
    "trailingEmptyStrict": SeparatorSuppression.TRAILING_EMPTY_STRICT,
    "anyEmpty": SeparatorSuppression.ANY_EMPTY,
    # Old names of dfdl:separatorPolicy.
    "required": SeparatorSuppression.NEVER,
    "suppressed": SeparatorSuppression.ANY_EMPTY,
    "suppressedAtEndLax": SeparatorSuppression.TRAILING_EMPTY,
    "suppressedAtEndStrict": SeparatorSuppression.TRAILING_EMPTY_STRICT,
}


class SchemaReader:
    """Builds messages of DFDL schemas."""

    def __init__(self, opener: Callable[[str], bytes | None], paths: Iterable[str] = ()) -> None:
        self.opener = opener
        self.paths = list(paths)
        self._loaded: dict[str, Documents] = {}

    def documents(self, path: str) -> Documents:
        """Return the documents of a schema. Raises DefinitionError."""
        found = self._loaded.get(path)
        if found is None:
            found = Documents(self.opener, self.paths)
            found.load(path)
            self._loaded[path] = found
        return found

    def roots(self, path: str) -> list[tuple[str, str]]:
        """Return namespace and name of the global elements of a document."""
        documents = self.documents(path)
        return [
            (namespace, name)
            for (kind, namespace, name), (document, _) in documents.components.items()
            if kind == "element" and document.path == path
        ]

    def message(self, path: str, name: str, namespace: str | None = None) -> tuple[Message, list[str]]:
        """Return the message of a global element, and notices of unsupported features. Raises DefinitionError."""
        documents = self.documents(path)
        matches = [
            found
            for (kind, space, local), found in documents.components.items()
            if kind == "element" and local == name and (namespace is None or space == namespace)
        ]
        if not matches:
            raise DefinitionError(f"{path}: there is no element {name}")
        document, node = matches[0]
        if len(matches) > 1:
            document, node = next((found for found in matches if found[0].path == path), matches[0])
        return _MessageBuilder(documents).build(document, node)


_PACKED = (BinaryNumber.PACKED, BinaryNumber.BCD, BinaryNumber.IBM4690)


class _MessageBuilder(TypeReader):
    """Builds one message."""

    def __init__(self, documents: Documents) -> None:
        super().__init__(documents)
        #: Contents of complex types by the id of their node. The node is kept: lxml makes a new one otherwise.
        self.types: dict[int, tuple[Node, Sequence | Choice]] = {}
        self.open: list[Node] = []
        self.variables: list[Variable] = []

    def build(self, document: Document, node: Node) -> tuple[Message, list[str]]:
        element = self.element(document, node, True)
        self.all_variables()
        encoding = element.text.encoding
        message = Message(
            element=element,
            default_encoding=encoding if isinstance(encoding, str) else "",
            variables=tuple(self.variables),
            family="DFDL",
        )
        return message, self.notices

    # Elements.

    def element(self, document: Document, node: Node, top: bool) -> Element:
        """Return an element from its declaration or reference."""
        if len(self.open) > _DEPTH_MAX:
            raise self.error(document, node, f"components are nested deeper than {_DEPTH_MAX}")
        chain = [(document, node)]
        declaration_document, declaration = document, node
        reference = node.get("ref")
        if reference is not None:
            declaration_document, declaration = self.documents.component("element", document, node, reference)
            chain.append((declaration_document, declaration))
        name = declaration.get("name")
        if not name:
            raise self.error(document, node, "an element needs a name or a ref")
        is_global = top or reference is not None
        form = declaration.get("form")
        qualified = is_global or form == "qualified" or form is None and declaration_document.qualified
        namespace = declaration_document.namespace if qualified else ""
        if declaration in self.open:
            raise self.error(document, node, f"the element {name} contains itself; DFDL has no recursion")
        self.open.append(declaration)
        least, most = self.occurs(document, node, top)
        content, simple = self.type_of(declaration_document, declaration)
        if simple is not None:
            chain.extend(simple.chain)
        properties = self.properties(chain)
        made = Element(
            name=name,
            namespace=namespace,
            logical=simple.logical if simple is not None else None,
            content=content,
            min_occurs=least,
            max_occurs=most,
            nillable=declaration.get("nillable") in ("true", "1"),
            place=document.place(node),
        )
        self.statements(chain, made)
        if least != 1 or most != 1:
            self.occurrences(properties, made)
        if properties.get("floating") == "yes":
            properties.notice("dfdl:floating='yes'")
        if simple is not None:
            self.simple(properties, made, simple, chain)
        else:
            self.complex(properties, made, chain)
        self.absence(properties, made, declaration, simple, document, node)
        self.calculated(properties, made)
        if properties.get("choiceBranchKey"):
            made.branch_keys = self.branch_keys(properties)
        self.open.pop()
        return made

    def absence(
        self,
        properties: Properties,
        made: Element,
        declaration: Node,
        simple: SimpleType | None,
        document: Document,
        node: Node,
    ) -> None:
        """Set the meaning of an empty element, its default and fixed value."""
        policy = properties.get("emptyElementParsePolicy")
        made.empty_is_absent = policy in ("treatAsAbsent", "treatAsMissing")
        if made.content is not None and policy is None:
            # As IBM's processor does, which never knew the property: an optional structure without content is absent.
            made.empty_is_absent = True
        default = declaration.get("default")
        if declaration.get("fixed") is not None:
            default = declaration.get("fixed")
            made.fixed = True
        if default is not None and simple is not None:
            try:
                logical_value(default, simple.logical)
            except ValueError as error:
                raise self.error(document, node, f"the default: {error}") from None
            made.default = default
        if made.nillable:
            made.nil_for_default = properties.get("useNilForDefault") == "yes"

    def branch_keys(self, properties: Properties) -> tuple[str, ...]:
        """Return the keys of a branch."""
        keys = properties.texts("choiceBranchKey")
        if isinstance(keys, Expression):
            raise properties.error("dfdl:choiceBranchKey is an expression")
        return keys

    def occurs(self, document: Document, node: Node, top: bool) -> tuple[int, int]:
        """Return minOccurs and maxOccurs."""
        if top:
            return 1, 1
        least, most = node.get("minOccurs", "1").strip(), node.get("maxOccurs", "1").strip()
        if not least.isdigit() or not (most.isdigit() or most == "unbounded") or len(least) + len(most) > 20:
            raise self.error(document, node, f"minOccurs '{least}' or maxOccurs '{most}' is not a number")
        bound = UNBOUNDED if most == "unbounded" else int(most)
        if bound != UNBOUNDED and int(least) > bound:
            raise self.error(document, node, f"minOccurs {least} is more than maxOccurs {most}")
        return int(least), bound

    def occurrences(self, properties: Properties, made: Element) -> None:
        """Set how the number of occurrences is found."""
        text = properties.need("occursCountKind")
        try:
            made.occurs_kind = OccursKind(text)
        except ValueError:
            raise properties.error(f"dfdl:occursCountKind='{text}' is not a kind") from None
        if made.occurs_kind is OccursKind.EXPRESSION:
            found = properties.expression("occursCount")
            made.occurs_count = (
                found if isinstance(found, Expression) else Expression("{" + found + "}", (), properties.place)
            )
        elif made.occurs_kind is OccursKind.STOP_VALUE:
            made.stop_values = tuple(properties.need("occursStopValue").split())
        elif made.occurs_kind is OccursKind.FIXED:
            if made.max_occurs == UNBOUNDED:
                raise properties.error("dfdl:occursCountKind='fixed' and maxOccurs unbounded")
            if made.min_occurs != made.max_occurs:
                raise properties.error("dfdl:occursCountKind='fixed' needs equal minOccurs and maxOccurs")

    def calculated(self, properties: Properties, made: Element) -> None:
        """Set inputValueCalc and outputValueCalc."""
        for name in ("inputValueCalc", "outputValueCalc"):
            if properties.get(name) is None:
                continue
            text = properties.need(name).strip()
            if not text.startswith("{") or not text.endswith("}"):
                raise properties.error(f"dfdl:{name} is not an expression")
            if made.content is not None:
                raise properties.error(f"dfdl:{name} on a complex element")
            properties.compiled(text, name, properties.scope_of(name))
            expression = Expression(text, tuple(sorted(properties.scope_of(name).items())), properties.place)
            if name == "inputValueCalc":
                if made.min_occurs != 1 or made.max_occurs != 1:
                    raise properties.error("dfdl:inputValueCalc on an element that is optional or repeats")
                made.input_value = expression
            else:
                if made.min_occurs != 1 or made.max_occurs != 1:
                    raise properties.error("dfdl:outputValueCalc on an element that is optional or repeats")
                made.output_value = expression
        if made.input_value is not None and made.output_value is not None:
            raise properties.error("dfdl:inputValueCalc and dfdl:outputValueCalc on one element")

    def simple(
        self, properties: Properties, made: Element, simple: SimpleType, chain: list[tuple[Document, Node]]
    ) -> None:
        """Set the representation of a simple element."""
        logical = simple.logical
        made.facets = simple.facets
        if properties.get("inputValueCalc") is not None:
            # Not in the data: it needs no other property.
            return
        if made.nillable:
            made.nil = properties.nil(logical)
        made.markup = properties.markup(True, made.nillable)
        if logical is Logical.HEX_BINARY:
            made.representation = Representation.BINARY
            properties.bit_order()
        elif logical is not Logical.STRING:
            made.representation = properties.enumerated("representation", Representation)
        is_text = made.representation is Representation.TEXT
        made.alignment = properties.alignment(True)
        made.length = self.length(properties, chain)
        made.text = properties.text(logical, is_text, self.scheme(properties, chain) if is_text else None)
        if properties.get("textBidi") == "yes" and is_text:
            properties.notice("dfdl:textBidi='yes'")
        if logical is Logical.BOOLEAN:
            made.boolean = properties.boolean(is_text)
            if not is_text:
                made.number = properties.binary_number(logical, made.length.kind)
        elif logical in (Logical.DATE, Logical.TIME, Logical.DATE_TIME):
            if not is_text:
                made.number = properties.binary_number(logical, made.length.kind)
            made.calendar = properties.calendar(logical, is_text, made.number.binary)
        elif logical not in (Logical.STRING, Logical.HEX_BINARY):
            if is_text:
                made.number = properties.text_number(logical)
            else:
                made.number = properties.binary_number(logical, made.length.kind)
        self.check_lengths(properties, made, is_text)
        if not computed_properties(made):
            _check_codec(properties, made)
        if made.length.kind is LengthKind.DELIMITED and made.alignment.trailing_skip and not made.markup.terminator:
            raise properties.error("dfdl:trailingSkip on a delimited element needs a terminator")

    def check_lengths(self, properties: Properties, made: Element, is_text: bool) -> None:
        """Check that length, units and representation fit together."""
        length = made.length
        if is_text:
            if length.units is LengthUnits.BITS and length.kind in (LengthKind.EXPLICIT, LengthKind.PREFIXED):
                properties.notice("text with dfdl:lengthUnits='bits'")
            if made.text.encoding in ("utf-16", "UTF-16") and properties.get("utf16Width") == "variable":
                properties.notice("dfdl:utf16Width='variable'")
            return
        if length.units is LengthUnits.CHARACTERS and length.kind in (LengthKind.EXPLICIT, LengthKind.PREFIXED):
            raise properties.error("a binary field has no length in characters")
        if made.logical is Logical.HEX_BINARY:
            facets = made.facets
            if length.kind is LengthKind.IMPLICIT and facets.min_length != facets.max_length:
                raise properties.error("a hexBinary of implicit length needs equal minLength and maxLength")
        else:
            self.check_binary_kind(properties, made)
        if length.kind is LengthKind.EXPLICIT and isinstance(length.value, int):
            self.check_binary_size(properties, made, length.value * (1 if length.units is LengthUnits.BITS else 8))

    def check_binary_kind(self, properties: Properties, made: Element) -> None:
        """Check that a binary number can have its kind of length."""
        logical = made.logical
        length = made.length
        assert logical is not None
        packed = made.number.binary in _PACKED
        if length.kind is LengthKind.DELIMITED and not packed:
            raise properties.error(f"a binary {logical.value} cannot be delimited")
        if length.kind is LengthKind.PATTERN:
            raise properties.error("a binary field has no dfdl:lengthKind='pattern'")
        if length.kind is LengthKind.EXPLICIT and isinstance(length.value, Expression):
            if logical in (Logical.FLOAT, Logical.DOUBLE):
                raise properties.error(f"a binary {logical.value} has a computed length")
        if length.kind is LengthKind.IMPLICIT and (packed or logical in (Logical.INTEGER, Logical.DECIMAL)):
            raise properties.error(f"a binary {logical.value} has no implicit length")

    def check_binary_size(self, properties: Properties, made: Element, bits: int) -> None:
        """Check that a binary field can have a length of `bits` bits."""
        logical = made.logical
        assert logical is not None
        packed = made.number.binary in _PACKED
        number = logical not in (Logical.HEX_BINARY, Logical.BOOLEAN, Logical.FLOAT, Logical.DOUBLE)
        if logical in (Logical.FLOAT, Logical.DOUBLE) and bits != (32 if logical is Logical.FLOAT else 64):
            raise properties.error(f"a binary {logical.value} of {bits} bits")
        if number and not packed and bits == 0:
            raise properties.error("a binary number of no bits")
        limit = {"byte": 8, "short": 16, "int": 32, "long": 64}.get(logical.value.replace("unsigned", "").lower())
        if limit is not None and not packed and bits > limit:
            raise properties.error(f"a binary {logical.value} of {bits} bits; it has at most {limit}")
        if packed and bits % 4:
            raise properties.error(f"a packed number of {bits} bits")

    def length(self, properties: Properties, chain: list[tuple[Document, Node]]) -> Length:
        """Return the length of an element, with the prefix of a prefixed length."""
        length = properties.length()
        if length.kind is not LengthKind.PREFIXED:
            return length
        name = properties.need("prefixLengthType")
        scope = properties.scope_of("prefixLengthType")
        document = chain[0][0]
        prefix_name, colon, local = name.strip().rpartition(":")
        namespace = scope.get(prefix_name, "") if colon else scope.get("", document.namespace)
        if namespace == XS:
            raise properties.error(f"dfdl:prefixLengthType='{name}' has no DFDL properties")
        found = self.documents.components.get(("simpleType", namespace, local))
        if found is None and not colon:
            found = self.documents.components.get(("simpleType", document.namespace, local))
        if found is None:
            raise properties.error(f"there is no simpleType {name}")
        simple = self.simple_type(found[0], found[1], 0)
        inner = self.properties(simple.chain)
        if inner.get("initiator") or inner.get("terminator"):
            raise inner.error("a prefix length has an initiator or a terminator")
        prefix = Element(name="length", logical=simple.logical, place=inner.place)
        for banned in ("inputValueCalc", "outputValueCalc"):
            if inner.get(banned) is not None:
                raise inner.error(f"a prefix length has dfdl:{banned}")
        inner.own.setdefault("initiator", ("", {}))
        inner.own.setdefault("terminator", ("", {}))
        kind = inner.need("lengthKind")
        if kind in ("delimited", "endOfParent", "pattern"):
            raise inner.error(f"a prefix length has dfdl:lengthKind='{kind}'")
        if kind == "prefixed" and inner.get("prefixLengthType") == name:
            raise inner.error("the length of a prefix length has itself as prefix")
        if simple.logical not in INTEGERS:
            raise inner.error(f"a prefix length is an xs:{simple.logical.value}, not an integer")
        if kind == "explicit" and inner.need("length").strip().startswith("{"):
            raise inner.error("the length of a prefix length is an expression")
        self.simple(inner, prefix, simple, simple.chain)
        includes = properties.yes("prefixIncludesPrefixLength")
        if (
            includes
            and prefix.length.units is not length.units
            and LengthUnits.CHARACTERS
            in (
                prefix.length.units,
                length.units,
            )
        ):
            raise properties.error("the prefix that is included in a length has other units than the length")
        return replace(length, prefix=prefix, includes_prefix=includes)

    def complex(self, properties: Properties, made: Element, chain: list[tuple[Document, Node]]) -> None:
        """Set framing and length of a complex element."""
        if made.nillable:
            made.nil = properties.nil(None)
        made.markup = properties.markup(False, made.nillable)
        made.alignment = properties.alignment(False)
        made.length = self.length(properties, chain)
        encoding: str | Expression = ""
        if properties.get("encoding") is not None:
            encoding = properties.encoding()
        made.text = Text(encoding=encoding, output_new_line=properties.new_line())

    # Types.

    def type_of(self, document: Document, node: Node) -> tuple[Sequence | Choice | None, SimpleType | None]:
        """Return the content of a complex type, or the simple type, of an element declaration."""
        named = node.get("type")
        inline = [
            child
            for child in node
            if isinstance(child.tag, str) and child.tag in (f"{{{XS}}}complexType", f"{{{XS}}}simpleType")
        ]
        if named is None and not inline:
            raise self.error(document, node, f"the element {node.get('name')} has no type")
        if named is not None and inline:
            raise self.error(document, node, f"the element {node.get('name')} has two types")
        if named is None:
            if inline[0].tag == f"{{{XS}}}simpleType":
                return None, self.simple_type(document, inline[0], 0)
            return self.complex_type(document, inline[0]), None
        namespace, local = self.documents.qname(document, node, named)
        if namespace == XS:
            return None, self.primitive(document, node, local)
        found = self.documents.components.get(("complexType", namespace, local))
        if found is None and ":" not in named:
            found = self.documents.components.get(("complexType", document.namespace, local))
        if found is not None:
            return self.complex_type(*found), None
        target = self.documents.component("simpleType", document, node, named)
        return None, self.simple_type(target[0], target[1], 0)

    def complex_type(self, document: Document, node: Node) -> Sequence | Choice:
        """Return the content of a complex type."""
        found = self.types.get(id(node))
        if found is not None:
            return found[1]
        if node in self.open:
            raise self.error(document, node, "a complex type contains itself; DFDL has no recursion")
        if node.get("mixed") in ("true", "1"):
            raise self.error(document, node, "mixed content is not part of DFDL")
        self.open.append(node)
        groups: list[Node] = []
        for child in node:
            if not isinstance(child.tag, str):
                continue
            kind = etree.QName(child).localname
            if kind in _GROUPS:
                groups.append(child)
            elif kind != "annotation":
                raise self.error(document, child, f"xs:{kind} is not part of DFDL")
        if len(groups) > 1:
            raise self.error(document, node, "a complex type has more than one group")
        if not groups:
            raise self.error(document, node, "a complex type needs a sequence, a choice or a group")
        if self.hidden_reference(document, groups[0]) is not None:
            raise self.error(document, node, "the group of a complex type has dfdl:hiddenGroupRef")
        made = self.group(document, groups[0])
        self.types[id(node)] = (node, made)
        self.open.pop()
        return made

    # Groups.

    def term(self, document: Document, node: Node) -> Member:
        """Return a member of a group."""
        kind = etree.QName(node).localname
        if kind == "element":
            return self.element(document, node, False)
        if kind in _GROUPS:
            return self.group(document, node)
        raise self.error(document, node, f"xs:{kind} is not part of DFDL")

    def group(self, document: Document, node: Node) -> Sequence | Choice:
        """Return a sequence, a choice, or the group that a reference names."""
        if len(self.open) > _DEPTH_MAX:
            raise self.error(document, node, f"components are nested deeper than {_DEPTH_MAX}")
        if node.get("minOccurs", "1") != "1" or node.get("maxOccurs", "1") != "1":
            raise self.error(document, node, "a group must occur once")
        kind = etree.QName(node).localname
        chain = [(document, node)]
        body_document, body = document, node
        hidden = self.hidden_reference(document, node)
        if hidden is not None:
            return self.hidden(document, node, hidden)
        if kind == "group":
            reference = node.get("ref")
            if reference is None:
                raise self.error(document, node, "a group needs a ref")
            body_document, body = self.group_body(document, node, reference)
            chain.append((body_document, body))
            kind = etree.QName(body).localname
        if body in self.open:
            raise self.error(document, node, "a group contains itself; DFDL has no recursion")
        self.open.append(body)
        properties = self.properties(chain)
        members: list[Member] = []
        for child in body:
            if isinstance(child.tag, str) and etree.QName(child).localname != "annotation":
                members.append(self.term(body_document, child))
        made = (
            self.sequence(properties, members, chain) if kind == "sequence" else self.choice(properties, members, chain)
        )
        self.open.pop()
        return made

    def hidden_reference(self, document: Document, node: Node) -> str | None:
        """Return the group that a sequence hides; None if it hides none."""
        if etree.QName(node).localname != "sequence":
            return None
        found = self.documents.component_properties(document, node).get("hiddenGroupRef")
        return None if found is None else found[0]

    def group_body(self, document: Document, node: Node, reference: str) -> tuple[Document, Node]:
        """Return the sequence or choice of a global group."""
        target_document, target = self.documents.component("group", document, node, reference)
        bodies = [
            child
            for child in target
            if isinstance(child.tag, str) and etree.QName(child).localname in ("sequence", "choice")
        ]
        if len(bodies) != 1:
            raise self.error(target_document, target, "a global group needs one sequence or choice")
        if self.hidden_reference(target_document, bodies[0]) is not None:
            raise self.error(target_document, target, "the sequence of a global group has dfdl:hiddenGroupRef")
        return target_document, bodies[0]

    def hidden(self, document: Document, node: Node, name: str) -> Sequence:
        """Return a hidden group."""
        if not name.strip():
            raise self.error(document, node, "dfdl:hiddenGroupRef is empty")
        for child in node:
            if isinstance(child.tag, str) and etree.QName(child).localname != "annotation":
                raise self.error(document, node, "a sequence with dfdl:hiddenGroupRef has members")
        body_document, body = self.group_body(document, node, name)
        if body in self.open:
            raise self.error(document, node, "a group contains itself; DFDL has no recursion")
        inner = self.group(body_document, body)
        anywhere = Alignment(1, units=LengthUnits.BITS)
        return Sequence(members=[inner], hidden=True, alignment=anywhere, place=document.place(node))

    def framing(self, properties: Properties, made: Sequence | Choice) -> None:
        """Set the properties that sequences and choices share."""
        made.markup = properties.markup(False, False)
        made.alignment = properties.alignment(False)
        if not made.markup.initiator and not made.markup.terminator and not properties.get("separator"):
            made.text = Text()
            if properties.get("encoding") is None:
                return
        made.text = properties.group_text()
        key = properties.get("choiceBranchKey")
        if key:
            made.branch_keys = self.branch_keys(properties)

    def sequence(self, properties: Properties, members: list[Member], chain: list[tuple[Document, Node]]) -> Sequence:
        """Return a sequence."""
        made = Sequence(members=members, place=properties.place)
        self.statements(chain, made)
        self.framing(properties, made)
        made.initiated_content = properties.yes("initiatedContent", False if not members else None)
        if made.initiated_content:
            self.check_initiated(properties, members)
        if not members and properties.get("sequenceKind") == "unordered":
            raise properties.error("an unordered sequence has no members")
        if members and properties.either("sequenceKind", "ordered", "unordered") == "unordered":
            made.composition = Composition.UNORDERED_SET
            self.check_unordered(properties, members)
        made.separator = properties.delimiters("separator")
        if made.separator:
            properties.check_delimiters("separator", made.separator, True)
            terminator = made.markup.terminator
            if isinstance(made.separator, tuple) and isinstance(terminator, tuple):
                if len(made.separator) + len(terminator) > 2 and set(made.separator) & set(terminator):
                    raise properties.error("the alternatives of separator and terminator are not distinct")
            made.separator_position = SeparatorPosition(
                properties.either("separatorPosition", "infix", "prefix", "postfix")
            )
            policy = properties.get("separatorSuppressionPolicy")
            if policy is None and properties.get("separatorPolicy") is not None:
                policy = properties.get("separatorPolicy")
            if policy is None:
                policy = properties.need("separatorSuppressionPolicy")
            if policy not in _SUPPRESSION:
                raise properties.error(f"dfdl:separatorSuppressionPolicy='{policy}' is not a policy")
            made.separator_suppression = _SUPPRESSION[policy]
            made.final_separator_may_be_missing = properties.yes("documentFinalSeparatorCanBeMissing", False)
            self.check_separated(properties, made)
        return made

    def check_initiated(self, properties: Properties, members: list[Member]) -> None:
        """Check that every member of initiated content has an initiator."""
        for member in members:
            if isinstance(member, Element) and member.input_value is not None:
                continue
            initiator = member.markup.initiator
            if not initiator:
                raise properties.error("dfdl:initiatedContent='yes' and a member has no initiator")
            if isinstance(initiator, tuple) and any(
                all(part in (CharacterClass.EMPTY, CharacterClass.WHITE_SPACE_ANY) for part in one.parts)
                for one in initiator
            ):
                raise properties.error("dfdl:initiatedContent='yes' and an initiator that may have no length")

    def check_unordered(self, properties: Properties, members: list[Member]) -> None:
        """Check the members of an unordered sequence."""
        names: set[tuple[str, str]] = set()
        for member in members:
            if not isinstance(member, Element):
                raise properties.error("an unordered sequence has a member that is not an element")
            if (member.namespace, member.name) in names:
                raise properties.error(f"an unordered sequence has two members {member.name}")
            names.add((member.namespace, member.name))
            repeats = member.min_occurs != 1 or member.max_occurs != 1
            if repeats and member.occurs_kind not in (OccursKind.PARSED, OccursKind.IMPLICIT):
                raise properties.error("members of an unordered sequence have occursCountKind parsed or implicit")

    def check_separated(self, properties: Properties, made: Sequence) -> None:
        """Check that members of a separated sequence can be told apart by position."""
        if made.separator_suppression is not SeparatorSuppression.NEVER:
            # IBM's HL7 schemas have unbounded members before others with trailingEmpty.
            return
        for member in made.members:
            if isinstance(member, Element) and member.occurs_kind is OccursKind.IMPLICIT:
                if member.max_occurs == UNBOUNDED:
                    raise properties.error(f"{member.name} is unbounded: its separators cannot all be written")

    def choice(self, properties: Properties, members: list[Member], chain: list[tuple[Document, Node]]) -> Choice:
        """Return a choice."""
        made = Choice(members=members, place=properties.place)
        self.statements(chain, made)
        self.framing(properties, made)
        if not members:
            raise properties.error("a choice has no members")
        for member in members:
            if isinstance(member, Element) and member.min_occurs == 0:
                raise properties.error(f"{member.name} is optional in a choice")
            if isinstance(member, Element) and member.input_value is not None:
                raise properties.error(f"{member.name} has dfdl:inputValueCalc in a choice")
        if properties.either("choiceLengthKind", "implicit", "explicit") == "explicit":
            made.length = properties.number("choiceLength")
        dispatch = properties.get("choiceDispatchKey")
        if dispatch:
            found = properties.expression("choiceDispatchKey")
            made.dispatch = (
                found
                if isinstance(found, Expression)
                else Expression("{'" + found.replace("'", "''") + "'}", (), properties.place)
            )
            if properties.get("initiatedContent") == "yes":
                raise properties.error("dfdl:choiceDispatchKey and dfdl:initiatedContent='yes'")
            keys: set[str] = set()
            for member in members:
                if not member.branch_keys:
                    raise properties.error("a branch has no dfdl:choiceBranchKey")
                for key in member.branch_keys:
                    if key in keys:
                        raise properties.error(f"two branches have the dfdl:choiceBranchKey '{key}'")
                    keys.add(key)
        made.initiated_content = properties.yes("initiatedContent")
        if made.initiated_content:
            self.check_initiated(properties, members)
        return made

    # Statements.

    def statements(self, chain: list[tuple[Document, Node]], made: Member) -> None:
        """Set asserts, discriminators and variables of a component."""
        assertions: list[Assertion] = []
        for document, node in chain:
            for statement in statements(node):
                kind = etree.QName(statement).localname
                if kind in ("assert", "discriminator"):
                    assertions.append(self.assertion(document, statement, kind == "discriminator"))
                elif kind == "setVariable":
                    made.set_variables += (self.set_variable(document, statement),)
                elif kind == "newVariableInstance":
                    if isinstance(made, Element):
                        raise self.error(document, statement, "dfdl:newVariableInstance on an element")
                    instance = self.new_variable(document, statement)
                    if any(known == instance[0] for known, _ in made.new_variables):
                        raise self.error(document, statement, f"a second instance of the variable {instance[0]}")
                    made.new_variables += (instance,)
                else:
                    raise self.error(document, statement, f"dfdl:{kind} on a component")
        discriminators = [assertion for assertion in assertions if assertion.discriminator]
        if len(discriminators) > 1:
            raise self.error(*chain[0], "a component has more than one discriminator")
        if discriminators and len(assertions) > 1:
            raise self.error(*chain[0], "a component has a discriminator and asserts")
        made.assertions = tuple(assertions)

    def assertion(self, document: Document, node: Node, discriminator: bool) -> Assertion:
        """Return an assert or a discriminator."""
        text = "".join(node.itertext()).strip()
        test = node.get("test")
        pattern = node.get("testPattern")
        kind = node.get("testKind", "expression")
        for attribute in node.attrib:
            if attribute not in ("test", "testKind", "testPattern", "message", "failureType"):
                raise self.error(document, node, f"'{attribute}' on an assert or discriminator")
        given = [value for value in (text, test, pattern) if value]
        if len(given) != 1:
            raise self.error(document, node, "an assert or discriminator needs one test")
        message: str | Expression = node.get("message", "")
        if isinstance(message, str) and message.strip().startswith("{"):
            message = self.compiled(document, node, message)
        recoverable = node.get("failureType", "processingError") == "recoverableError"
        if kind == "pattern":
            if test:
                raise self.error(document, node, "testKind 'pattern' with a test")
            return Assertion(None, pattern or text, message, discriminator, recoverable)
        if kind != "expression" or pattern:
            raise self.error(document, node, "testPattern needs testKind 'pattern'")
        expression = self.compiled(document, node, test or text)
        return Assertion(expression, "", message, discriminator, recoverable)

    def compiled(self, document: Document, node: Node, text: str) -> Expression:
        """Return an expression, checked."""
        stripped = text.strip()
        if not stripped.startswith("{") or not stripped.endswith("}"):
            raise self.error(document, node, f"'{stripped[:40]}' is not an expression in braces")
        properties = Properties(document.place(node), named_scope(scope_at(node)), self.notices)
        properties.compiled(stripped, etree.QName(node).localname, named_scope(scope_at(node)))
        return Expression(stripped, tuple(sorted(named_scope(scope_at(node)).items())), document.place(node))

    def variable_name(self, document: Document, node: Node) -> str:
        """Return `{namespace}name` of the variable that a statement refers to."""
        reference = node.get("ref")
        if not reference:
            raise self.error(document, node, "a variable statement needs a ref")
        namespace, local = self.documents.qname(document, node, reference)
        if (namespace, local) not in self.documents.variables:
            if (document.namespace, local) in self.documents.variables and ":" not in reference:
                namespace = document.namespace
            else:
                raise self.error(document, node, f"there is no variable {reference}")
        return f"{{{namespace}}}{local}"

    def set_variable(self, document: Document, node: Node) -> tuple[str, Expression]:
        name = self.variable_name(document, node)
        if node.get("value") is not None and "".join(node.itertext()).strip():
            raise self.error(document, node, "a variable gets a value twice: as attribute and as content")
        text = node.get("value") or "".join(node.itertext())
        if not text.strip().startswith("{"):
            text = "{'" + text.strip().replace("'", "''") + "'}"
        return name, self.compiled(document, node, text)

    def new_variable(self, document: Document, node: Node) -> tuple[str, str | Expression | None]:
        name = self.variable_name(document, node)
        if node.get("defaultValue") is not None and "".join(node.itertext()).strip():
            raise self.error(document, node, "a variable has two defaults: as attribute and as content")
        text = node.get("defaultValue") or "".join(node.itertext()).strip() or None
        if text is None:
            return name, None
        if text.strip().startswith("{"):
            return name, self.compiled(document, node, text)
        return name, text

    def all_variables(self) -> None:
        """Collect the variables of all documents."""
        for (namespace, name), (document, node) in self.documents.variables.items():
            namespace_of_type, local = self.documents.qname(document, node, node.get("type", "xs:string"))
            logical = LOGICAL.get(local)
            if logical is None or namespace_of_type not in (XS, ""):
                raise self.error(document, node, f"a variable of type {node.get('type')}")
            external = node.get("external", "false") in ("true", "1")
            default: str | Expression | None = node.get("defaultValue")
            if default is not None and "".join(node.itertext()).strip():
                raise self.error(document, node, f"the variable {name} has two defaults")
            if any("direction" in attribute for attribute in node.attrib):
                self.notice(document, node, "dfdlx:direction")
            if default is None:
                default = "".join(node.itertext()).strip() or None
            if default is not None and isinstance(default, str) and default.strip().startswith("{"):
                default = self.compiled(document, node, default)
            self.variables.append(Variable(name, namespace, logical, default, external))


def _check_codec(properties: Properties, made: Element) -> None:
    """Check that patterns and representation of a field fit its type. Raises DefinitionError."""
    try:
        make_codec(made, charset_of("utf-8"), 273)
    except ValueError as error:
        raise properties.error(str(error)) from None
