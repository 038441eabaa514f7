"""The message of the WMQI report and its complex Compute, in words of our own.

The message has twenty elements, whatever its size; a larger one has more data in each. A complex flow runs START and
LOOP; a very complex one runs START and LOOP five times.
"""

from __future__ import annotations

ELEMENTS = 20

LOOP = """
SET I = 1;
WHILE I <= C DO
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[I].Name =
      OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[I].COMPONENT;
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[I].Transport.(XML.attr)Type = 'A';
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[I].Transport.Queue =
      OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[I].QUEUE;
  SET I = I + 1;
END WHILE;
"""
START = """
SET OutputRoot = InputRoot;
DECLARE I INTEGER;
DECLARE C INTEGER;
SET C = CARDINALITY(OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[]);
"""


def order(size: int) -> bytes:
    """Return a message of about `size` bytes: one attribute and three leaves in each of the twenty elements."""
    return _order(max(0, (size - len(_order(0))) // ELEMENTS))


def _order(padding: int) -> bytes:
    elements = "".join(
        f'<Element Seq="{number}"><COMPONENT>Component{number:04d}</COMPONENT><QUEUE>QUEUE.NUMBER.{number:04d}</QUEUE>'
        f"<DATA>{'d' * padding}</DATA></Element>"
        for number in range(1, ELEMENTS + 1)
    )
    path = f"<ProcessingPath>{elements}</ProcessingPath>"
    return f"<CSIM><TestCase><Name>case</Name><Stack>{path}</Stack></TestCase></CSIM>".encode()
