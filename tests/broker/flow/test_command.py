"""`flint flow convert` and `flint flow bar`, through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker.flow import xmi, yaml_form
from flintmq.broker.flow.bar import read_bar
from flintmq.cli import main
from tests.broker.flow.sample_flows import ORDERS
from tests.broker.flow.sample_projects import bar_bytes
from tests.broker.flow.test_cmf import CMF


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "Orders.msgflow").write_bytes(ORDERS)
    (tmp_path / "orders.bar").write_bytes(bar_bytes())
    return tmp_path


def flint(*words: object) -> int:
    return main.main(["flow", *map(str, words)])


def test_a_flow_is_printed_as_yaml(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flint("convert", place / "Orders.msgflow") == 0
    assert yaml_form.read(capsys.readouterr().out.encode()) == xmi.read(ORDERS)


def test_a_flow_is_converted_there_and_back(place: Path) -> None:
    assert flint("convert", place / "Orders.msgflow", "-o", place / "o.yaml") == 0
    assert flint("convert", place / "o.yaml", "-o", place / "New.msgflow") == 0
    assert xmi.read_file(place / "New.msgflow") == xmi.read(ORDERS)


def test_a_compiled_flow_is_converted_to_a_flow_file(place: Path) -> None:
    (place / "old.Flow.cmf").write_bytes(CMF)
    assert flint("convert", place / "old.Flow.cmf", "-o", place / "Flow.msgflow") == 0
    assert xmi.read_file(place / "Flow.msgflow").qualified_name == "old.Flow"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["convert", "{}/Orders.msgflow", "-o", "{}/Orders.msgflow"], "is the file to convert"),
        (["convert", "{}/none.msgflow"], "No such file"),
        (["convert", "{}/none.yaml"], "No such file"),
        (["convert", "{}/orders.bar"], "is no flow"),
        (["bar", "read", "{}/Orders.msgflow"], "is no zip archive"),
        (["bar", "read", "{}/orders.bar", "-k", "Nope"], "has no container Nope; it has: Shop, Shop/Common"),
        (["bar", "override", "{}/orders.bar", "-o", "{}/new.bar"], "say what to override"),
        (["bar", "override", "{}/orders.bar", "-m", "no=1", "-o", "{}/new.bar"], "1 of 1 lines address nothing"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(
    place: Path, words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flint(*(word.format(place) for word in words)) in (1, 2)
    shown = capsys.readouterr()
    assert text in shown.err and shown.out == "" and not (place / "new.bar").exists()


def test_reading_editing_and_applying_is_a_round_trip(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flint("bar", "read", place / "orders.bar") == 0
    text = capsys.readouterr().out
    (place / "o.properties").write_text(text.replace("=TEST.", "=PROD."))
    assert flint("bar", "override", place / "orders.bar", place / "o.properties", "-o", place / "new.bar") == 0
    assert flint("bar", "read", place / "new.bar") == 0
    assert capsys.readouterr().out == text.replace("=TEST.", "=PROD.")


def test_only_what_is_overridden_is_printed_on_demand(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flint("bar", "read", place / "orders.bar", "--set", "-k", "Shop", "-y", "Common") == 0
    assert capsys.readouterr().out == "[Shop/Common]\nshop.Audit#Keep copy.queueName=TEST.AUDIT\n"


def test_lines_may_come_from_the_command_from_a_bar_and_from_a_descriptor(place: Path) -> None:
    line = "shop.Orders#Put order.queueName=A=B"
    assert flint("bar", "override", place / "orders.bar", "-m", line, "-o", place / "one.bar") == 0
    assert flint("bar", "override", place / "orders.bar", place / "one.bar", "-o", place / "two.bar") == 0
    assert read_bar(place / "two.bar").render() == read_bar(place / "one.bar").render()
    shop = read_bar(place / "one.bar").container("Shop")
    assert shop is not None
    (place / "broker.xml").write_bytes(shop.archive.read("META-INF/broker.xml"))
    assert flint("bar", "override", place / "orders.bar", place / "broker.xml", "-o", place / "three.bar") == 0
    assert read_bar(place / "three.bar").render() == read_bar(place / "one.bar").render()


def test_a_lenient_override_writes_what_it_can_and_says_the_rest(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "o.properties").write_text("# two\nno.Flow#x=1\nshop.Orders#inQueue=Q\n")
    words = ["bar", "override", place / "orders.bar", place / "o.properties", "-o", place / "new.bar", "--lenient"]
    assert flint(*words) == 0
    assert "o.properties:2: no deployment descriptor has what this line is about" in capsys.readouterr().err
    assert "shop.Orders#inQueue=Q\n" in read_bar(place / "new.bar").render()
