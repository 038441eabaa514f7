"""Log nodes: what they write."""

from __future__ import annotations

from pathlib import Path

from tests.broker.flow.flows import flow_of

LOG = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: JSON}}
  Log:
    type: Log
    properties: {logLevel: Warning, logMessage: Got it}
    tables:
      mappingInput:
        - {inputName: InputRoot, inputLocation: "$InputRoot/JSON"}
        - {inputName: None, inputLocation: "$Environment/none"}
      requestMap:
        - map: 'MAP'
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Log.in}
  - {from: Log.out, to: Out.in}
"""
MAP = (
    '{"mappings":[{"customMessages":{"mappings":[{"Input":{"expression":"$mappingInput_InputRoot "}},'
    '{"Empty":{"expression":"$mappingInput_None"}},{"Sum":{"expression":"1 + 1"}}]}}]}'
)


def test_a_log_node_writes_its_text_and_the_trees_that_its_map_names(tmp_path: Path) -> None:
    result = flow_of(tmp_path, LOG.replace("MAP", MAP))({"a": 1})

    label, text = result.traces[0]
    assert label == "F.Log"
    assert text.startswith("Warning: Got it\nInput: (\n")
    assert "a = 1 (INTEGER)" in text
    assert text.endswith("Empty: NULL\nSum: (1 + 1 is not evaluated)")
    assert list(result.out) == ["OUT"]


def test_a_map_that_cannot_be_read_leaves_the_text(tmp_path: Path) -> None:
    for number, text in enumerate(["{", "[]", '{"mappings": 5}', '{"mappings":[{"customMessages":[]}]}', "[" * 50_000]):
        result = flow_of(tmp_path / str(number), LOG.replace("MAP", text))({})
        assert result.traces == [("F.Log", "Warning: Got it")]
