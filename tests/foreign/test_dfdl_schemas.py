"""Public DFDL schemas with data and infosets: EDIFACT, IBM 4690 transaction logs, ISO 8583, vCard.

Every message is read, compared with the infoset beside it, written, and read again. ISO 8583 is written byte for byte,
transaction logs as bytes that give the same tree. The schemas of EDIFACT and vCard lose something by themselves: their
number pattern rounds to one decimal, and they drop separators of absent members. The checkout is DIR/DFDLSchemas.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flintmq.broker.formats.dfdl_schema import SchemaReader
from flintmq.broker.formats.model.plan import Plan, plan_of
from flintmq.broker.formats.model.read import read_message
from flintmq.broker.formats.model.write import write_message
from flintmq.broker.tree.element import Element
from tools.tdml import difference

etree = pytest.importorskip("lxml.etree", reason="lxml reads schemas and infosets")

#: Directory, schema, folder of data, folder of infosets, and what is the same after writing: bytes, tree or nothing.
LIBRARIES = [
    (
        "EDIFACT",
        "EDIFACT-SupplyChain-D03B/EDIFACT-SupplyChain-Messages-D.03B.xsd",
        "EDIFACT-SupplyChain-D03B/TestData",
        "EDIFACT-SupplyChain-D03B/TestInfosets",
        "nothing",
    ),
    ("IBM4690-TLOG", "ACE/TlogAce.xsd", "ACE/TestData_ACE", "ACE/TestInfosets_ACE", "tree"),
    ("IBM4690-TLOG", "SA/TlogSA.xsd", "SA/TestData_SA", "SA/TestInfosets_SA", "tree"),
    ("ISO8583", "1987/ISO8583_1987{unpacked}.xsd", "1987/TestData_1987", "1987/TestInfosets_1987", "bytes"),
    ("ISO8583", "1993/ISO8583_1993{unpacked}.xsd", "1993/TestData_1993", "1993/TestInfosets_1993", "bytes"),
    ("vCard", "2.1/vCard_2.1.xsd", "2.1/TestData_2.1", "2.1/TestInfosets_2.1", "nothing"),
]
#: Infosets that do not fit their schema: this one has an element in another spelling.
WRONG = {"ace_80-01_98_13_97-13.xml"}


def plan_for(root: Path, path: str, name: str) -> Plan:
    """Return the plan of a message of a library."""
    documents = {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*.xsd")}
    message, notices = SchemaReader(documents.get, documents).message(path, name)
    assert notices == []
    return plan_of(message, 1208, 273)


def read(plan: Plan, data: bytes) -> Element:
    """Read a message and return its element."""
    holder = Element("")
    read_message(plan, data, holder)
    top = holder.first
    assert top is not None
    return top.detach()


@pytest.mark.parametrize(("library", "schema", "data", "infosets", "same"), LIBRARIES)
def test_messages_of_public_schemas_are_read_as_their_infosets_say(
    foreign: Callable[[str], Path], library: str, schema: str, data: str, infosets: str, same: str
) -> None:
    root = foreign("DFDLSchemas") / library
    judged = 0
    for infoset in sorted((root / infosets).glob("*.xml")):
        file = next(found for found in (root / data).iterdir() if found.stem == infoset.stem)
        expected = etree.parse(str(infoset)).getroot()
        path = schema.format(unpacked="_Unpacked" if "Unpacked" in file.name else "")
        plan = plan_for(root, path, etree.QName(expected).localname)
        content = file.read_bytes()
        if library == "vCard":
            # The checkout has turned the line ends of the standard into those of Unix.
            content = content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        top = read(plan, content)
        if infoset.name not in WRONG:
            assert difference(expected, top) == "", file.name
        written = write_message(plan, top)
        again = read(plan, written)
        if same == "bytes":
            assert written == content, file.name
        elif same == "tree" and infoset.name not in WRONG:
            assert difference(expected, again) == "", f"{file.name}, written and read again"
        judged += 1
    assert judged
