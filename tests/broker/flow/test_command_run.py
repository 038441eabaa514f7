"""flint flow run, test, esql and lint: what they print, and their exit codes."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from flintmq.cli.main import main
from tests.broker.flow.flows import compute, write_application

FLOW = """flow: F.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", dataSource: SHOP}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Compute.in}
  - {from: Compute.out, to: Out.in}
"""
HALVES = compute(
    "M",
    """SET OutputRoot = InputRoot;
  SET OutputRoot.XMLNSC.a.n = 100 / CAST(InputRoot.XMLNSC.a.n AS INTEGER);
  IF InputRoot.XMLNSC.a.n = '7' THEN
    SET OutputRoot.XMLNSC.a.seven = TRUE;
  END IF;
  RETURN TRUE;""",
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """An application with good and bad messages beside it."""
    write_application(tmp_path, {"good.xml": "<a><n>4</n></a>", "bad.xml": "<a><n>0</n></a>"})
    return write_application(tmp_path / "Shop", {"F.msgflow.yaml": FLOW, "F.esql": HALVES})


Captured = pytest.CaptureFixture[str]


def flint(*words: object) -> int:
    return main(["flow", *map(str, words)])


def test_run_prints_what_would_have_been_put(shop: Path, capsys: Captured) -> None:
    file = shop.parent / "good.xml"
    assert flint("run", shop, "--input", file) == 0
    assert capsys.readouterr().out == f"{file} -> F\n  put      OUT  16 bytes  F.Out\n"


def test_a_trace_is_a_tree_with_microseconds(shop: Path, capsys: Captured) -> None:
    assert flint("run", shop, "F", "--input", shop.parent / "good.xml", "--trace") == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(" us  " in line for line in lines[1:-1])
    assert [line.split(" us  ")[1] for line in lines[1:-1]] == [
        "F.In",
        "  -> out",
        "  F.Compute (in)",
        "    -> out",
        "    F.Out (in)",
        "      -> out, which is not wired",
    ]


def test_a_failure_is_printed_as_a_chain_and_gives_exit_code_1(shop: Path, capsys: Captured) -> None:
    assert flint("run", shop, "--input", shop.parent / "bad.xml", shop.parent / "good.xml", "--trace") == 1
    shown = capsys.readouterr().out
    chain = [line.strip().split(":")[0] for line in shown.splitlines() if line.strip().startswith("BIP")]
    assert chain == ["BIP2230 [F.In]", "BIP2230 [F.Compute]", "BIP2488", "BIP2439", "BIP2450"]
    assert "exception passes F.Compute: BIP2450: division by zero: 100 / 0" in shown
    assert "F.esql:3)" in shown
    # The other message goes through all the same.
    assert "put      OUT" in shown


def test_out_writes_bodies_by_queue(shop: Path, tmp_path: Path) -> None:
    flint("run", shop, "--input", shop.parent / "good.xml", "--out", tmp_path / "one")
    assert (tmp_path / "one/out/OUT.xml").read_bytes() == b"<a><n>25</n></a>"
    flint("run", shop, "--input", shop.parent / "good.xml", shop.parent / "bad.xml", "--out", tmp_path / "two")
    assert (tmp_path / "two/good/out/OUT.xml").exists() and (tmp_path / "two/bad/failure.txt").exists()


def test_headers_reach_the_flow(shop: Path, capsys: Captured) -> None:
    esql = compute(
        "M",
        "SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.h.id = InputRoot.MQMD.CorrelId; "
        "SET OutputRoot.XMLNSC.h.p = InputRoot.MQMD.Priority; SET OutputRoot.XMLNSC.h.c = InputRoot.MQRFH2.usr.c; "
        "DELETE FIELD OutputRoot.XMLNSC.a; RETURN TRUE;",
    )
    write_application(shop, {"F.esql": esql})
    words = ["--header", "MQMD.CorrelId=X'4142'", "--header", "MQMD.Priority=5", "--header", "MQRFH2.usr.c=red"]
    assert flint("run", shop, "--input", shop.parent / "good.xml", *words, "--out", shop.parent / "o") == 0
    body = (shop.parent / "o/out/OUT.xml").read_text()
    assert body == f"<h><id>{b'AB'.ljust(24, bytes(1)).hex()}</id><p>5</p><c>red</c></h>"


def test_a_database_is_given_by_its_url(shop: Path, capsys: Captured) -> None:
    database = shop.parent / "shop.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE T(A INTEGER)")
        connection.execute("INSERT INTO T VALUES(12)")
    esql = compute(
        "M",
        "SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.a.n = (SELECT MAX(T.A) FROM Database.T AS T); RETURN TRUE;",
    )
    write_application(shop, {"F.esql": esql})
    arguments = ["run", shop, "--input", shop.parent / "good.xml", "--out", shop.parent / "o"]
    assert flint(*arguments, "--database", f"SHOP=sqlite:///{database}") == 0
    assert (shop.parent / "o/out/OUT.xml").read_bytes() == b"<a><n>12</n></a>"
    assert flint(*arguments) == 1
    assert "there is no data source 'SHOP'" in capsys.readouterr().out


def test_a_profile_lists_lines_and_totals(shop: Path, capsys: Captured) -> None:
    file = shop.parent / "good.xml"
    assert flint("run", shop, "--input", file, file, "--profile") == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("        2 ") and line.endswith("SET OutputRoot = InputRoot;") for line in lines)
    assert any(line.split()[:2] == ["-", "5"] for line in lines)
    assert lines[-1].startswith(f"{shop}/F.esql: 4 of 5 lines with statements ran (80 %), 8 statements, ")


def test_a_profile_knows_esql_inside_a_node(shop: Path, capsys: Captured) -> None:
    inline = FLOW.replace("esql://routine/#M.Main", "SET OutputRoot = InputRoot;")
    write_application(shop, {"F.msgflow.yaml": inline})
    assert flint("run", shop, "--input", shop.parent / "good.xml", "--profile") == 0
    assert "SET OutputRoot = InputRoot;" in capsys.readouterr().out


def test_everything_is_there_as_json(shop: Path, capsys: Captured) -> None:
    arguments = ["run", shop, "--input", shop.parent / "good.xml", shop.parent / "bad.xml"]
    assert flint(*arguments, "--json", "--trace", "--profile") == 1
    found = json.loads(capsys.readouterr().out)
    good, bad = found["inputs"]
    assert found["flow"] == "F"
    assert good["outputs"] == [{"kind": "put", "name": "OUT", "node": "F.Out", "bytes": 16}]
    assert [each["number"] for each in bad["exceptions"]] == [2230, 2230, 2488, 2439, 2450]
    assert [each["node"] for each in good["events"] if each["event"] == "in"] == ["F.Compute", "F.Out"]
    assert found["profile"]["files"][0]["missed"] == [5]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--header", "MQMD"], "write it as MQMD.CorrelId=42"),
        (["--header", "MQMD=1"], "write it as MQMD.CorrelId=42"),
        (["--header", "MQMD.Priority=high"], "not a number"),
        (["--header", "A.b=1", "--header", "A.b.c=1"], "b has a value already"),
        (["--database", "SHOP"], "write it as SHOP=sqlite"),
        (["--database", "SHOP=nonsense"], "--database SHOP: "),
        (["--http", "Ask"], "write it as"),
        (["--http", "Ask=nope.json"], "nope.json"),
        (["--node", "Nope"], "no input node 'Nope'"),
        (["--override", "F"], "write it as Flow#Node.property=value"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(words: list[str], reason: str, shop: Path, capsys: Captured) -> None:
    assert flint("run", shop, "--input", shop.parent / "good.xml", *words) == 1
    error = capsys.readouterr().err
    assert reason in error and error.count("\n") == 1


def test_an_override_is_in_force(shop: Path, capsys: Captured) -> None:
    assert flint("run", shop, "--input", shop.parent / "good.xml", "--override", "F#Out.queueName=OTHER") == 0
    assert "put      OTHER" in capsys.readouterr().out


def test_a_flow_file_names_its_flow(shop: Path, capsys: Captured) -> None:
    write_application(shop, {"G.msgflow.yaml": FLOW.replace("F.msgflow", "G.msgflow")})
    assert flint("run", shop, "--input", shop.parent / "good.xml") == 1
    assert "there are 2 flows, name one: F, G" in capsys.readouterr().err
    assert flint("run", shop / "G.msgflow.yaml", "--input", shop.parent / "good.xml") == 0


def test_a_flow_that_cannot_run_is_told_by_its_nodes(shop: Path, capsys: Captured) -> None:
    write_application(shop, {"F.esql": "CREATE COMPUTE MODULE Other END MODULE;"})
    assert flint("run", shop, "--input", shop.parent / "good.xml") == 1
    error = capsys.readouterr().err
    assert "F.Compute: there is no module 'M'" in error and error.endswith("the flow F cannot run\n")


def test_an_input_that_is_not_there_is_named(shop: Path, capsys: Captured) -> None:
    assert flint("run", shop, "--input", shop / "nope.xml") == 1
    assert "nope.xml" in capsys.readouterr().err


# flint flow esql.


def test_esql_prints_errors_and_warnings_with_their_place(shop: Path, capsys: Captured) -> None:
    assert flint("esql", shop) == 0
    assert capsys.readouterr().out == "1 file, no errors\n"
    write_application(
        shop, {"bad.esql": compute("N", "SET x = 1;\nCALL Nowhere(); RETURN TRUE;"), "worse.esql": "CREATE\nX"}
    )
    assert flint("esql", shop) == 1
    shown = capsys.readouterr()
    assert [line.removeprefix(f"{shop}/").split(": ")[:2] for line in shown.err.splitlines()] == [
        ["bad.esql:2:5", "BIP2432"],
        ["worse.esql:1:1", "BIP2401"],
    ]
    assert shown.out == "3 files, with errors\n"


def test_a_warning_counts_if_it_is_asked_for(shop: Path, capsys: Captured) -> None:
    write_application(shop, {"F.esql": compute("M", "CALL Nowhere(); RETURN TRUE;")})
    assert flint("esql", shop / "F.esql") == 0
    assert flint("esql", shop / "F.esql", "--check") == 1
    assert f"{shop}/F.esql:2:1: BIP2492: warning: there is no routine Nowhere" in capsys.readouterr().err


def test_show_prints_the_python(shop: Path, capsys: Captured) -> None:
    assert flint("esql", shop / "F.esql", "--show") == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"# {shop}/F.esql\n") and "def m_main(c):" in shown
    compile(shown, "shown", "exec")


def test_a_file_is_compiled_with_the_files_beside_it(shop: Path, capsys: Captured) -> None:
    library = "BROKER SCHEMA a.b\nDECLARE rate CONSTANT DECIMAL 1.5;\n"
    user = "BROKER SCHEMA a.b\n" + compute("R", "SET Environment.x = rate; RETURN TRUE;")
    write_application(shop, {"a/b/lib.esql": library, "a/b/use.esql": user})
    assert flint("esql", shop / "a/b/use.esql") == 0
    assert capsys.readouterr().err == ""


def test_a_file_that_is_not_there_is_named(shop: Path, capsys: Captured) -> None:
    assert flint("esql", shop / "nope.esql") == 1
    assert "nope.esql: there is no such file" in capsys.readouterr().err


# flint flow lint.


def test_lint_prints_findings_and_a_sum(shop: Path, capsys: Captured) -> None:
    assert flint("lint", shop) == 0
    assert capsys.readouterr().out == "0 errors, 0 warnings, 0 notes\n"
    write_application(
        shop,
        {
            "F.esql": compute(
                "M", "DECLARE n INTEGER 1;\nIF Environment.x = NULL THEN RETURN FALSE; END IF; RETURN TRUE;"
            )
        },
    )
    assert flint("lint", shop) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{shop}/F.esql:2:9: FL011 note: nothing uses n"
    assert lines[1].startswith(f"{shop}/F.esql:3:4: FL019 error: ")
    assert lines[2] == "1 error, 0 warnings, 1 note"


def test_notes_alone_are_no_failure_and_checks_can_be_left_out(shop: Path, capsys: Captured) -> None:
    write_application(
        shop, {"F.esql": compute("M", "DECLARE n INTEGER 1; RETURN TRUE; -- lint: off FL001\n-- lint: off FL016")}
    )
    assert flint("lint", shop) == 0
    assert flint("lint", shop, "--off", "fl011,FL001") == 0
    assert capsys.readouterr().out.endswith("0 errors, 0 warnings, 0 notes\n")
    assert flint("lint", shop, "--off", "FL999") == 1
    assert "there is no check FL999" in capsys.readouterr().err


def test_findings_are_there_as_json(shop: Path, capsys: Captured) -> None:
    write_application(shop, {"F.msgflow.yaml": FLOW.replace("dataSource: SHOP", "computeMode: some")})
    assert flint("lint", shop, "--json") == 1
    [finding] = json.loads(capsys.readouterr().out)
    assert (finding["code"], finding["severity"], finding["node"], finding["line"]) == (
        "FL101",
        "error",
        "F.Compute",
        0,
    )


def test_checks_are_listed(capsys: Captured) -> None:
    assert flint("lint", "--list") == 0
    assert capsys.readouterr().out.startswith("FL001  warning  LostOutputTree")
    assert flint("lint") == 2


# flint flow test.


def test_cases_are_run_one_line_each(shop: Path, capsys: Captured) -> None:
    files: dict[str, str | bytes] = {
        "tests/good/input.xml": "<a><n>4</n></a>",
        "tests/good/out/OUT.xml": "<a><n>25</n></a>",
    }
    files |= {"tests/wrong/input.xml": "<a><n>4</n></a>", "tests/wrong/out/OUT.xml": "<a><n>26</n></a>"}
    write_application(shop, files)
    assert flint("test", shop) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ok   tests/good (")
    assert lines[1:] == [
        "FAIL tests/wrong",
        "     out/OUT.xml: XMLNSC/a/n: CHARACTER '25', expected CHARACTER '26'",
        "1 passed, 1 failed",
    ]
    assert flint("test", shop, "--only", "good") == 0


def test_recording_writes_expectations(shop: Path, capsys: Captured) -> None:
    write_application(shop, {"tests/good/input.xml": "<a><n>4</n></a>"})
    assert flint("test", shop, "--record") == 0
    assert capsys.readouterr().out == "rec  tests/good: out/OUT.xml\n1 recorded, 0 failed\n"
    assert flint("test", shop) == 0


def test_coverage_of_all_cases_is_printed(shop: Path, capsys: Captured) -> None:
    write_application(shop, {"tests/a/input.xml": "<a><n>4</n></a>", "tests/b/input.xml": "<a><n>7</n></a>"})
    assert flint("test", shop, "--record") == 0
    assert flint("test", shop, "--profile", "--only", "tests/a") == 0
    assert "4 of 5 lines with statements ran" in capsys.readouterr().out
    assert flint("test", shop, "--profile") == 0
    assert "5 of 5 lines with statements ran (100 %)" in capsys.readouterr().out


def test_a_directory_without_cases_is_told(shop: Path, capsys: Captured) -> None:
    assert flint("test", shop) == 2
    assert "there are no cases" in capsys.readouterr().err
    assert flint("test", shop / "nope") == 1
