"""The fixtures `flow` and `flow_loader` and the assertions for recorded assemblies, as a user's tests have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker.databases import FakeDatabase
from flintmq.broker.flow.testing import FlowUnderTest, assembly_of
from flintmq.broker.tree.mxml import write_mxml
from flintmq.testing import FlowLoader, assert_recorded
from tests.broker.flow.flows import compute, write_application

pytest_plugins = ["pytester"]

FLOW = """flow: F.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: JSON}}
  Ask: {type: HTTPRequest, properties: {URLSpecifier: "http://host/price", messageDomainProperty: JSON}}
  Look: {type: Compute, properties: {computeExpression: "esql://routine/#L.Main", dataSource: SHOP}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Ask.in}
  - {from: Ask.out, to: Look.in}
  - {from: Look.out, to: Out.in}
"""
LOOKS = compute(
    "L",
    "SET OutputRoot = InputRoot; "
    "SET OutputRoot.JSON.Data.stock = (SELECT MAX(T.STOCK) FROM Database.ITEMS AS T); RETURN TRUE;",
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_application(tmp_path / "Shop", {"F.msgflow.yaml": FLOW, "F.esql": LOOKS})


def test_fakes_hold_for_every_call_and_can_be_replaced_for_one(shop: Path) -> None:
    flow = FlowUnderTest(FlowLoader(shop.parent)("Shop").flow("F"))
    flow.http["Ask"] = {"price": 3}
    flow.databases["SHOP"] = FakeDatabase({"SELECT MAX*": [{"M": 12}]})

    assert flow({"id": 7}).out["OUT"][0].tree.JSON.Data.to_dict() == {"price": 3, "stock": 12}
    assert flow({"id": 7}, http={"Ask": {"price": 4}}).out["OUT"][0].tree.JSON.Data.price == 4
    assert flow.name == "F"


def test_a_node_is_compared_with_a_recording(shop: Path, tmp_path: Path) -> None:
    flow = FlowUnderTest(FlowLoader(tmp_path)("Shop").flow())
    flow.databases["SHOP"] = FakeDatabase({"SELECT MAX*": [{"M": 12}]})
    given = tmp_path / "input.mxml"
    given.write_bytes(write_mxml(assembly_of(b'{"price": 3}', "JSON")))
    sent = flow.node("Look", given).one()
    recorded = tmp_path / "output.mxml"
    recorded.write_bytes(write_mxml(sent))

    assert_recorded(recorded, flow.node("Look", given).one())

    flow.databases["SHOP"] = FakeDatabase({"SELECT MAX*": [{"M": 13}]})
    with pytest.raises(AssertionError, match="message/JSON/Data/stock: INTEGER 13, expected INTEGER 12"):
        assert_recorded(recorded, flow.node("Look", given).one())
    assert_recorded(recorded, flow.node("Look", given).one(), ignore=["*/stock"])


TESTS = """
import pytest

@pytest.mark.flow("Shop", "F")
def test_the_flow_of_the_mark(flow):
    flow.http["Ask"] = {"price": 3}
    flow.databases["SHOP"] = Fake()
    assert flow({}).out["OUT"][0].tree.JSON.Data.stock == 12

def test_a_path_beside_the_file(flow_loader):
    assert flow_loader("Shop").flow_names == ["F"]

def test_without_a_mark(flow):
    pass

class Fake:
    def execute(self, sql, values):
        from flintmq.broker.esql.run import Rows
        return Rows(["M"], [(12,)])
    def commit(self): pass
    def rollback(self): pass
"""


def test_the_fixtures_work_in_the_tests_of_a_user(shop: Path, pytester: pytest.Pytester) -> None:
    (pytester.path / "Shop").symlink_to(shop)
    pytester.makepyfile(TESTS)
    loaded = pytester.plugins
    result = pytester.runpytest_inprocess("-p", "flintmq.testing", "--strict-markers", "-p", "no:cacheprovider")
    assert loaded == []
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*the fixture flow needs a mark*"])


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "broker" / "flow-tests.md").read_text()
ORDERS = """flow: Orders.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Ask price: {type: HTTPRequest, properties: {URLSpecifier: "http://host/price", messageDomainProperty: JSON,
    replaceInputMsgWithWSResponse: "false", responseMsgLocationInTree: OutputLocalEnvironment.Price}}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", dataSource: SHOP}}
  Out: {type: MQOutput, properties: {queueName: ORDERS.GOLD}}
wires:
  - {from: In.out, to: Ask price.in}
  - {from: Ask price.out, to: Compute.in}
  - {from: Compute.out, to: Out.in}
"""
PRICES = compute(
    "M",
    """SET OutputRoot = InputRoot;
    IF InputLocalEnvironment.Price.Data.price IS NOT NULL THEN
      SET Environment.row = THE(SELECT C.CLASS FROM Database.CUSTOMERS AS C);
      SET OutputRoot.XMLNSC.Order.Price = InputLocalEnvironment.Price.Data.price;
    END IF;
    RETURN TRUE;""",
)


def test_the_tests_of_the_page_pass(pytester: pytest.Pytester) -> None:
    """docs/broker/flow-tests.md, with an application that has the nodes of which it speaks."""
    block = PAGE.split("```py\n")[1].split("```")[0]
    files: dict[str, str | bytes] = {"Orders.msgflow.yaml": ORDERS, "Orders.esql": PRICES}
    files |= {"tests/a/input.xml": "<Order/>", "tests/a/out/ORDERS.GOLD.xml": "<Order><Price>7</Price></Order>"}
    files["tests/a/case.yaml"] = (
        "http: {Ask price: {body: {price: 7}}}\ndatabases: {SHOP: {answers: {'SELECT*': []}}}\n"
    )
    write_application(pytester.path / "Shop", files)
    recorded = write_mxml(assembly_of(b"<Order/>", "XMLNSC"))
    write_application(pytester.path / "recorded", {"input.mxml": recorded, "output.mxml": recorded})
    pytester.makepyfile(block.replace("SELECT * FROM", "SELECT C.CLASS FROM"))
    result = pytester.runpytest_inprocess("-p", "flintmq.testing", "--strict-markers", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=3)
