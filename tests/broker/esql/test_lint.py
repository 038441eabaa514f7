"""Checks of ESQL: what they leave alone, how references and calls are followed, comments that switch them off.

What each check finds is shown and tested in docs/broker/lint.md (tests/broker/flow/test_lint_page.py).
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.esql.lint import ESQL_CHECKS, lint
from flintmq.broker.esql.lint_checks_trees import FOLDERS
from flintmq.broker.esql.lint_model import LintProgram, NodeUse
from flintmq.broker.esql.lint_report import Finding, Report, Suppressions
from flintmq.broker.esql.parser import parse
from flintmq.broker.formats.registry import MODULES

SENDS_ALL = NodeUse("F.msgflow", "F", "F.Compute", "all", (True, True, True), frozenset(("out",)))
SENDS_MESSAGE = NodeUse("F.msgflow", "F", "F.Compute", "message", (True, False, False), frozenset(("out",)))


def findings(text: str, use: NodeUse | None = None, is_library: bool = False, **others: str) -> list[Finding]:
    """Lint a file, and others beside it, by their names."""
    program = LintProgram()
    for name, content in {"test": text, **others}.items():
        program.add(parse(content, f"{name}.esql"), f"{name}.esql", is_library)
    program.connect()
    for file in program.files:
        for module in file.modules:
            if use is not None:
                module.uses.append(use)
    report = Report()
    lint(program, report)
    return report.sorted()


def module(body: str, kind: str = "COMPUTE", more: str = "") -> str:
    return (
        f"CREATE {kind} MODULE M\nCREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n{body}\n"
        f"{'' if 'RETURN' in body else 'RETURN TRUE;'}\nEND;\n{more}END MODULE;\n"
    )


def codes(body: str, use: NodeUse | None = None, kind: str = "COMPUTE", more: str = "") -> list[str]:
    return [finding.code for finding in findings(module(body, kind, more), use)]


def test_codes_are_in_order_and_fit_their_range() -> None:
    assert list(ESQL_CHECKS) == sorted(ESQL_CHECKS)
    assert all("FL001" <= code <= "FL099" and not check.text.endswith(".") for code, check in ESQL_CHECKS.items())


# FL001.


def test_a_lost_tree_is_found_through_references_and_called_routines() -> None:
    more = """CREATE PROCEDURE Route() BEGIN
        CREATE FIELD OutputLocalEnvironment.Destination AS place;
        SET place.MQ.DestinationData.queueName = 'X'; END;\n"""
    [finding] = [
        each
        for each in findings(module("DECLARE place REFERENCE TO Environment; CALL Route();", more=more), SENDS_MESSAGE)
        if each.code == "FL001"
    ]
    assert finding.line == 7
    assert finding.text == (
        "OutputLocalEnvironment is changed, but computeMode of F.Compute is message: the change is lost"
    )


@pytest.mark.parametrize(
    "body",
    [
        "SET OutputLocalEnvironment = InputLocalEnvironment;",
        "SET OutputLocalEnvironment.x = 1; PROPAGATE ENVIRONMENT OutputLocalEnvironment; RETURN FALSE;",
        "SET Environment.x = 1;",
    ],
)
def test_a_copy_and_a_tree_that_propagate_names_are_not_lost(body: str) -> None:
    assert "FL001" not in codes(body, SENDS_MESSAGE)


def test_a_tree_that_the_mode_sends_is_not_lost() -> None:
    body = "SET OutputLocalEnvironment.x = 1; SET OutputExceptionList.x = 1;"
    assert "FL001" not in codes(body, SENDS_ALL)
    assert codes(body, SENDS_MESSAGE) == ["FL001", "FL001"]


def test_a_module_that_no_node_runs_is_not_judged_by_its_mode() -> None:
    assert codes("SET OutputLocalEnvironment.x = 1;") == []


# FL002.


@pytest.mark.parametrize(
    "body",
    [
        "IF InputRoot.XMLNSC.a.b IS NOT NULL THEN SET Environment.x = 'n' || InputRoot.XMLNSC.a.b; END IF;",
        "IF EXISTS(InputRoot.XMLNSC.a.b[]) THEN SET Environment.x = 'n' || InputRoot.XMLNSC.a.b; END IF;",
        "SET Environment.x = 'n' || COALESCE(InputRoot.XMLNSC.a.b, '');",
        "LOG USER TRACE VALUES('n' || InputRoot.XMLNSC.a.b);",
        "SET Environment.x = 'n' || InputRoot.MQMD.Format;",
        "SET Environment.x = InputRoot.XMLNSC.a.b || InputRoot.XMLNSC.a.c;",
        "DECLARE c CHARACTER 'x'; SET Environment.x = 'n' || c;",
    ],
)
def test_a_text_that_is_provided_for_is_not_reported(body: str) -> None:
    assert "FL002" not in codes(body)


def test_a_reference_into_the_message_is_a_field_of_the_message() -> None:
    body = "DECLARE r REFERENCE TO InputRoot.XMLNSC.a; SET Environment.x = 'n' || r.b; SET Environment.y = 'm' || r.b;"
    [finding] = findings(module(body))
    assert (finding.code, finding.text) == ("FL002", "if r.b is missing, the whole text is NULL; use COALESCE(r.b, '')")


# FL003.


def test_a_loop_that_changes_what_it_counts_must_count_again() -> None:
    body = "WHILE CARDINALITY(OutputRoot.XMLNSC.a[]) > 3 DO DELETE FIELD OutputRoot.XMLNSC.a[1]; END WHILE;"
    assert codes(body) == []
    assert codes("WHILE CARDINALITY(InputRoot.XMLNSC.a[]) > Environment.n DO SET Environment.n = 9; END WHILE;") == [
        "FL003"
    ]


# FL004.

SEND = "SET OutputRoot = InputRoot; PROPAGATE;"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"{SEND} RETURN TRUE;", True),
        (f"IF Environment.a THEN {SEND} END IF; RETURN TRUE;", True),
        (f"WHILE Environment.a DO {SEND} END WHILE; RETURN TRUE;", True),
        (f"IF Environment.a THEN {SEND} RETURN FALSE; END IF; SET OutputRoot = InputRoot; RETURN TRUE;", False),
        (f"IF Environment.a THEN {SEND} ELSE RETURN TRUE; END IF; RETURN FALSE;", False),
        (f"{SEND} SET OutputRoot = InputRoot; RETURN TRUE;", False),
        ("SET OutputRoot = InputRoot; PROPAGATE DELETE NONE; RETURN TRUE;", False),
        (f"{SEND} CALL CopyEntireMessage(); RETURN TRUE;", False),
        (f"{SEND} RETURN FALSE;", False),
        (f"{SEND} DECLARE r REFERENCE TO OutputRoot; SET r.XMLNSC.a = 1; RETURN TRUE;", False),
    ],
)
def test_an_empty_message_is_followed_through_branches_and_loops(body: str, found: bool) -> None:
    more = "CREATE PROCEDURE CopyEntireMessage() BEGIN SET OutputRoot = InputRoot; END;\n"
    assert ("FL004" in codes(body, more=more)) == found


def test_an_empty_message_to_a_terminal_without_a_wire_does_no_harm() -> None:
    unwired = NodeUse("F", "F", "F.C", "all", (True, True, True), frozenset(("out1",)))
    assert "FL004" not in codes(f"{SEND} RETURN TRUE;", unwired)


# FL005.


def test_steps_with_any_namespace_and_attributes_have_no_prefix_to_miss() -> None:
    body = """DECLARE n NAMESPACE 'urn:n';
        SET Environment.a = InputRoot.XMLNSC.n:a.n:b; SET Environment.b = InputRoot.XMLNSC.n:a.*:c;
        SET Environment.c = InputRoot.XMLNSC.n:a.(XMLNSC.Attribute)d; SET Environment.d = InputRoot.JSON.Data.e;"""
    assert codes(body) == []


def test_a_schema_that_mixes_both_is_left_alone() -> None:
    body = """DECLARE n NAMESPACE 'urn:n'; SET Environment.a = InputRoot.XMLNSC.n:a.n:b;
        SET Environment.b = InputRoot.XMLNSC.n:a.c; SET Environment.c = InputRoot.XMLNSC.n:a.d;"""
    assert codes(body) == []


def test_an_output_message_may_have_any_names() -> None:
    body = """DECLARE n NAMESPACE 'urn:n'; SET OutputRoot.XMLNSC.n:a.n:b = 1; SET OutputRoot.XMLNSC.n:a.b = 1;"""
    assert codes(body) == []


# FL006.


def test_an_index_in_a_loop_is_searched_again_and_again() -> None:
    fields = " ".join(f"SET OutputRoot.XMLNSC.o.{name} = InputRoot.XMLNSC.i[n].{name};" for name in "abc")
    body = f"DECLARE n INTEGER 1; WHILE n < 9 DO {fields} SET n = n + 1; END WHILE;"
    [finding] = findings(module(body))
    assert finding.code == "FL006"
    assert finding.text.startswith("InputRoot.XMLNSC.i[n] is searched from the first sibling 3 times in each round")


# FL007, FL020.


def test_a_database_module_may_change_the_message_and_a_filter_the_environment() -> None:
    assert codes("SET Root.XMLNSC.a = 1;", kind="DATABASE") == []
    assert codes("SET LocalEnvironment.a = 1; SET Environment.b = 1;", kind="FILTER") == []
    assert codes("DELETE FIELD Root.XMLNSC.a;", kind="FILTER") == ["FL007"]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("DECLARE r REFERENCE TO InputRoot.XMLNSC; SET r.a = 1;", True),
        ("DECLARE r REFERENCE TO InputRoot.XMLNSC; DECLARE s REFERENCE TO r; DELETE FIELD s.a;", True),
        ("DECLARE r REFERENCE TO InputRoot.XMLNSC; MOVE r TO OutputRoot; SET r.a = 1;", False),
        ("SET Environment.InputRoot.a = 1;", False),
    ],
)
def test_references_into_the_input_message_are_followed(body: str, found: bool) -> None:
    assert ("FL020" in codes(body)) == found


# FL009.


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("SET OutputRoot.xmlnsc.a = 1;", "there is no message domain xmlnsc; write XMLNSC"),
        ("CREATE LASTCHILD OF OutputRoot DOMAIN('XMNLSC');", "there is no message domain XMNLSC"),
        ("SET OutputRoot.Jason.Data = 1;", "there is no message domain Jason"),
    ],
)
def test_a_domain_that_does_not_exist_is_named(body: str, hint: str) -> None:
    [finding] = findings(module(body))
    assert (finding.code, finding.text) == ("FL009", hint)


def test_domains_in_any_case_and_headers_exist() -> None:
    assert codes("CREATE LASTCHILD OF OutputRoot DOMAIN 'xmlnsc' NAME 'XMLNSC'; SET OutputRoot.MQRFH2.usr.a = 1;") == []


# FL010, FL011, FL012.


def test_a_routine_that_another_file_calls_is_used() -> None:
    library = "CREATE PROCEDURE Shared() BEGIN SET Environment.x = 1; END;"
    assert findings(library, other=module("CALL Shared();")) == []
    [finding] = findings(library, other=module("SET Environment.y = 1;"))
    assert (finding.code, finding.text) == ("FL010", "nothing calls Shared")
    assert findings(library, is_library=True) == []


def test_a_function_in_an_initial_value_and_one_in_eval_are_used() -> None:
    text = "DECLARE k SHARED CHARACTER F(); CREATE FUNCTION F() RETURNS CHARACTER BEGIN RETURN 'x'; END;"
    assert findings(text + module("SET Environment.k = k;")) == []
    body = "SET Environment.x = EVAL('G()');"
    assert codes(body, more="CREATE FUNCTION G() RETURNS INTEGER BEGIN RETURN 1; END;\n") == []


def test_routines_that_a_database_input_node_calls_are_used() -> None:
    text = (
        "CREATE DATABASEEVENT MODULE D CREATE PROCEDURE ReadEvents(IN e REFERENCE) BEGIN SET e.a = 1; END; END MODULE;"
    )
    assert findings(text) == []


def test_prefixes_names_of_tables_and_computed_names_use_a_variable() -> None:
    body = """DECLARE n NAMESPACE 'urn:n'; DECLARE t NAME 'T'; DECLARE f CHARACTER 'f';
        SET OutputRoot.XMLNSC.n:a = 1; INSERT INTO Database.t(A) VALUES(1); SET Environment.{f} = 1;"""
    assert codes(body) == []


def test_a_circle_of_routines_is_reported_with_its_way() -> None:
    more = "CREATE PROCEDURE A() BEGIN CALL B(); END;\nCREATE PROCEDURE B() BEGIN CALL A(); END;\n"
    texts = [each.text for each in findings(module("CALL A();", more=more)) if each.code == "FL012"]
    assert texts == ["M.A calls itself (M.A -> M.B -> M.A)", "M.B calls itself (M.B -> M.A -> M.B)"]


# FL013.


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("DECLARE dbPassword CHARACTER 'tiger7';", True),
        ("SET Environment.api_key = '77f0';", True),
        ("SET OutputRoot.HTTPRequestHeader.Authorization = 'Basic dXNlcjpwYXNz';", True),
        ("DECLARE url CHARACTER 'https://scott:tiger@host/x';", True),
        ("DECLARE password CHARACTER '';", False),
        ("DECLARE password CHARACTER '********';", False),
        ("DECLARE password CHARACTER '${PASSWORD}';", False),
        ("SET Environment.passwordField = 'x';", False),
        ("SET Environment.compass = 'north';", False),
        ("DECLARE password CHARACTER InputRoot.XMLNSC.a;", False),
        ("DECLARE url CHARACTER 'https://host:443/x@y';", False),
    ],
)
def test_secrets_are_literals_with_telling_names(body: str, found: bool) -> None:
    assert ("FL013" in codes(body)) == found


# FL014, FL008, FL022.


def test_the_text_of_passthru_is_looked_at_if_it_is_a_literal() -> None:
    assert codes("PASSTHRU('DELETE FROM T');") == ["FL008"]
    assert codes("PASSTHRU('DELETE FROM T WHERE A = 1');") == []
    assert codes("SET Environment.r[] = PASSTHRU('SELECT * FROM T');") == ["FL014"]
    assert codes("SET Environment.r[] = SELECT * FROM Environment.s[] AS S;") == []
    assert codes("UPDATE Database.T AS T SET A = 1;") == ["FL008"]


@pytest.mark.parametrize(
    ("body", "culprit"),
    [
        ("DECLARE q CHARACTER; SET q = 'SELECT A FROM T WHERE B = ' || InputRoot.XMLNSC.b; PASSTHRU(q);", "q"),
        ("DECLARE b CHARACTER InputRoot.XMLNSC.b; PASSTHRU('DELETE FROM T WHERE B = ' || TRIM(b));", "b"),
        ("PASSTHRU('X ' || UPPER(InputRoot.XMLNSC.b));", "InputRoot.XMLNSC.b"),
        ("PASSTHRU('X ' || CAST(InputRoot.XMLNSC.b AS INTEGER));", ""),
        ("PASSTHRU('X ?', InputRoot.XMLNSC.b);", ""),
        ("DECLARE t CHARACTER 'T'; PASSTHRU('DROP TABLE ' || t);", ""),
    ],
)
def test_sql_from_the_message_is_followed_through_variables(body: str, culprit: str) -> None:
    found = [finding.text for finding in findings(module(body)) if finding.code == "FL022"]
    assert [text.split(" becomes")[0] for text in found] == ([culprit] if culprit else [])


# FL015, FL018, FL021.


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("WHILE TRUE DO SET Environment.x = 1; END WHILE;", ["FL015"]),
        ("LOOP THROW USER EXCEPTION; END LOOP;", []),
        ("LOOP RETURN TRUE; END LOOP;", []),
        ("outer: WHILE Environment.a DO LOOP LEAVE outer; END LOOP; END WHILE outer; RETURN TRUE;", []),
        ("a: LOOP LEAVE a; END LOOP a; RETURN TRUE;", []),
        ("THROW USER EXCEPTION; RETURN TRUE;", []),
        ("THROW USER EXCEPTION; SET Environment.x = 1; RETURN TRUE;", ["FL018"]),
        ("a: BEGIN LEAVE a; END; SET Environment.x = 1; RETURN TRUE;", []),
        ("IF Environment.a THEN RETURN TRUE; ELSE RETURN FALSE; END IF;", []),
        ("IF Environment.a THEN RETURN TRUE; END IF;", ["FL021"]),
        ("REPEAT SET Environment.x = 1; UNTIL Environment.x > 1 END REPEAT; RETURN TRUE;", []),
        ("DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' BEGIN RESIGNAL; END; RETURN TRUE;", []),
        ("DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' BEGIN SET Environment.x = 1; END; RETURN TRUE;", ["FL021"]),
        (
            (
                "DECLARE CONTINUE HANDLER FOR SQLSTATE LIKE '%' BEGIN END; "
                "THROW USER EXCEPTION; SET Environment.x = 1; RETURN TRUE;"
            ),
            [],
        ),
        ("CASE Environment.a WHEN 1 THEN RETURN TRUE; ELSE RETURN FALSE; END CASE;", []),
    ],
)
def test_control_is_followed_through_handlers_labels_and_branches(body: str, found: list[str]) -> None:
    assert codes(body) == found


# FL016.


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("DECLARE n INTEGER; SET n = n + 1;", True),
        ("DECLARE n INTEGER; IF n > 1 THEN SET n = 1; END IF;", True),
        ("DECLARE n INTEGER; SET Environment.a[n] = 1;", True),
        ("DECLARE n INTEGER; SET n = 1; SET Environment.x = n;", False),
        ("DECLARE n INTEGER; CALL P(n); SET Environment.x = n;", False),
        ("DECLARE n CHARACTER; CALL F() INTO n; SET Environment.x = n;", False),
        ("DECLARE n CHARACTER; SET n = COALESCE(n, '') || 'x'; SET Environment.x = n;", False),
        ("DECLARE n CHARACTER; IF n IS NULL THEN SET n = 'x'; END IF; SET Environment.x = n;", False),
        ("DECLARE r ROW; SET r.a = 1; SET Environment.x = r.a;", False),
        (
            (
                "DECLARE n INTEGER; DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' BEGIN SET Environment.y = n; END; "
                "SET n = 1; SET Environment.x = n;"
            ),
            False,
        ),
    ],
)
def test_a_variable_is_read_before_it_is_set(body: str, found: bool) -> None:
    more = """CREATE PROCEDURE P(OUT a INTEGER) BEGIN SET a = 1; END;
        CREATE FUNCTION F() RETURNS CHARACTER BEGIN RETURN 'x'; END;\n"""
    assert ("FL016" in codes(body, more=more)) == found


# FL023.


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("MMDD", True),
        ("YYYYMMdd", True),
        ("yyyy-MM-dd''T''HH:mm:ss", False),
        ("YYYY-'W'ww", False),
        ("yyyy DDD", False),
        ("#,##0.00", False),
        ("I", False),
    ],
)
def test_letters_of_date_patterns(pattern: str, found: bool) -> None:
    body = f"SET Environment.x = CAST(CURRENT_TIMESTAMP AS CHARACTER FORMAT '{pattern.replace(chr(39) + 'W', 'W')}');"
    if pattern == "YYYY-'W'ww":
        body = "SET Environment.x = CAST(CURRENT_TIMESTAMP AS CHARACTER FORMAT 'YYYY-''W''ww');"
    assert ("FL023" in codes(body)) == found


# Comments.

TWICE = "SET Environment.a = Environment.a;{}\n{}SET Environment.b = Environment.b;"


@pytest.mark.parametrize(
    ("first", "between", "left"),
    [
        ("", "", ["FL027", "FL027"]),
        (" -- lint: off FL027", "", ["FL027"]),
        (" -- lint: off", "", ["FL027"]),
        (" -- LINT: OFF fl027, FL001", "", ["FL027"]),
        (" -- lint: off FL001", "", ["FL027", "FL027"]),
        ("", "-- lint: off FL027\n", ["FL027"]),
        ("", "-- lint: off FL027\n-- lint: on FL027\n", ["FL027", "FL027"]),
        ("", "-- lint: off\n-- lint: on\n", ["FL027", "FL027"]),
    ],
)
def test_a_comment_switches_a_check_off(first: str, between: str, left: list[str]) -> None:
    assert codes(TWICE.format(first, between)) == left


def test_what_is_switched_off_is_kept_apart() -> None:
    program = LintProgram()
    program.add(parse(module("SET Environment.a = Environment.a; -- lint: off"), "a.esql"), "a.esql")
    program.connect()
    report = Report()
    lint(program, report)
    assert not report.findings and [each.code for each in report.hidden] == ["FL027"]


def test_a_code_can_be_left_out_for_all_files() -> None:
    program = LintProgram()
    program.add(parse(module("SET Environment.a = Environment.a;"), "a.esql"), "a.esql")
    report = Report(off=frozenset(("FL027",)))
    lint(program, report)
    assert not report.findings and not report.hidden


def test_a_finding_is_one_line() -> None:
    [finding] = findings(module("SET Environment.a = Environment.a;"))
    assert str(finding) == "test.esql:3:1: FL027 warning: Environment.a is set to itself"


# Bad input.


def test_files_with_syntax_errors_are_looked_at_as_far_as_they_were_understood() -> None:
    assert [each.code for each in findings(module("SET Environment.a = Environment.a; SET = ; IF THEN"))] == ["FL027"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "DECLARE x REFERENCE TO x . [ ] { } ( ) ; SET = || NULL 'a' 1 OutputRoot InputRoot XMLNSC ns : a BEGIN END "
            "WHILE DO LOOP LEAVE RETURN TRUE PROPAGATE CALL f PASSTHRU SELECT * FROM Database T CREATE PROCEDURE CASE "
            "WHEN THEN ELSE MOVE CAST AS CHARACTER FORMAT HANDLER EXIT FOR SQLSTATE".split()
        ),
        max_size=60,
    )
)
def test_no_text_makes_a_check_fail(words: list[str]) -> None:
    text = " ".join(words)
    findings(module(text), SENDS_MESSAGE)
    Suppressions(text)


def test_every_parser_and_header_that_is_here_is_a_known_folder() -> None:
    assert set(MODULES) - FOLDERS == set()
