"""Nodes with transaction=commit in a flow: their work stays when the flow fails later (MF 3.5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker import load
from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.run import DataSource
from flintmq.broker.flow.services import NodeTransactions, Recorder
from flintmq.broker.runtime.data_sources import InstanceSources, read_settings

FLOW = """
flow: Audit.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: JSON}}
  Log: {type: Compute, properties: {computeExpression: "esql://routine/#Log.Main", dataSource: DB, transaction: commit}}
  Work: {type: Compute, properties: {computeExpression: "esql://routine/#Work.Main", dataSource: DB}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Log.in}
  - {from: Log.out, to: Work.in}
  - {from: Work.out, to: Out.in}
"""
ESQL = """
CREATE COMPUTE MODULE Log
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    INSERT INTO Database.AUDIT(ID) VALUES (InputRoot.JSON.Data.id);
    IF InputRoot.JSON.Data.bad = 'log' THEN
      THROW USER EXCEPTION VALUES('bad');
    END IF;
    SET OutputRoot = InputRoot;
    RETURN TRUE;
  END;
END MODULE;
CREATE COMPUTE MODULE Work
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    IF InputRoot.JSON.Data.bad = 'work' THEN
      THROW USER EXCEPTION VALUES('bad');
    END IF;
    SET OutputRoot = InputRoot;
    RETURN TRUE;
  END;
END MODULE;
"""


class NodeRecorder(Recorder):
    """A recorder with transactions of nodes."""

    sources: InstanceSources

    def node_data_source(self, name: str) -> DataSource:
        return self.sources.source(name, own_transaction=True)

    def end_node(self, failed: bool) -> None:
        self.sources.end_node(failed)


def test_the_work_of_a_committing_node_stays_and_that_of_a_failing_one_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Audit.msgflow.yaml").write_text(FLOW)
    (tmp_path / "Audit.esql").write_text(ESQL)
    sources = InstanceSources(read_settings({"DB": {"url": f"sqlite:///{tmp_path / 'a.db'}"}}))
    source = sources.source("DB")
    source.execute("CREATE TABLE AUDIT (ID INTEGER)", [])
    source.commit()
    NodeRecorder.sources = sources
    assert isinstance(NodeRecorder(), NodeTransactions) and not isinstance(Recorder(), NodeTransactions)
    monkeypatch.setattr("flintmq.broker.flow.function.Recorder", NodeRecorder)
    flow = load(tmp_path).flow("Audit")

    assert flow({"id": 1}).out["OUT"]
    for number, bad in ((2, "work"), (3, "log")):
        with pytest.raises(BrokerError, match="bad"):
            flow({"id": number, "bad": bad})

    assert source.execute("SELECT ID FROM AUDIT ORDER BY ID", []).rows == [(1,), (2,)]
    sources.close()
