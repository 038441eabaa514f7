"""Statements, and how the parser resumes after an error in one."""

from __future__ import annotations

import pytest

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.parser import parse_expression, parse_path, parse_statements
from flintmq.broker.esql.parser_core import NESTING_MAX
from flintmq.broker.esql.printer import print_statement


def statements(text: str) -> list[s.Statement]:
    parsed = parse_statements(text)
    assert parsed.errors == [], str(parsed.errors[0])
    return parsed.statements


def one(text: str) -> s.Statement:
    (statement,) = statements(text)
    assert statements(print_statement(statement)) == [statement]
    return statement


def name(text: str) -> s.Name:
    return s.Name(0, 0, text)


A, B, C = (parse_path(letter) for letter in "abc")
SET_A = s.Set(0, 0, 0, 0, A, None, B)  # SET a = b;


# Basic statements.


def test_set_of_a_value_and_of_an_attribute() -> None:
    assert one("SET a = b;") == SET_A
    for attribute in ("TYPE", "NAMESPACE", "NAME", "VALUE"):
        assert one(f"SET a.x {attribute.lower()} = b;") == s.Set(0, 0, 0, 0, parse_path("a.x"), attribute, B)
    assert one("SET a.Type = b;") == s.Set(0, 0, 0, 0, parse_path("a.Type"), None, B)
    assert one("SET OutputRoot.*[I] = InputRoot.*[I];") == s.Set(
        0, 0, 0, 0, parse_path("OutputRoot.*[I]"), None, parse_path("InputRoot.*[I]")
    )


@pytest.mark.parametrize(
    ("text", "storage", "constant", "kind", "initial"),
    [
        ("INTEGER", None, False, s.DataType(0, 0, "INTEGER"), None),
        ("int -1", None, False, s.DataType(0, 0, "INTEGER"), "-1"),
        ("CHAR'x'", None, False, s.DataType(0, 0, "CHARACTER"), "'x'"),
        ("CONSTANT CHARACTER 'x' || y", None, True, s.DataType(0, 0, "CHARACTER"), "'x' || y"),
        ("SHARED ROW", "SHARED", False, s.DataType(0, 0, "ROW"), None),
        ("EXTERNAL CHARACTER''", "EXTERNAL", False, s.DataType(0, 0, "CHARACTER"), "''"),
        ("EXTERNAL CONSTANT INTEGER 5", "EXTERNAL", True, s.DataType(0, 0, "INTEGER"), "5"),
        ("DECIMAL(10, 2) 0.00", None, False, s.DataType(0, 0, "DECIMAL", 10, 2), "0.00"),
        ("DECIMAL(5)", None, False, s.DataType(0, 0, "DECIMAL", 5), None),
        ("DATE DATE '2024-01-31'", None, False, s.DataType(0, 0, "DATE"), "DATE '2024-01-31'"),
        ("INTERVAL DAY TO SECOND x", None, False, s.DataType(0, 0, "INTERVAL", None, None, "DAY TO SECOND"), "x"),
        ("REFERENCE TO a.{b}[<].c", None, False, s.DataType(0, 0, "REFERENCE"), "a.{b}[<].c"),
        ("NAMESPACE Environment.x.y", None, False, s.DataType(0, 0, "NAMESPACE"), "Environment.x.y"),
        ("EXTERNAL NAME 'DB1'", "EXTERNAL", False, s.DataType(0, 0, "NAME"), "'DB1'"),
    ],
)
def test_declarations(text: str, storage: str | None, constant: bool, kind: s.DataType, initial: str | None) -> None:
    value = None if initial is None else parse_expression(initial)
    assert one(f"DECLARE x {text};") == s.Declare(0, 0, 0, 0, [name("x")], storage, constant, kind, value)


def test_one_declaration_may_name_several_variables() -> None:
    node = one("DECLARE a,b, c EXTERNAL CHARACTER'';")
    assert isinstance(node, s.Declare) and node.names == [name("a"), name("b"), name("c")]


def test_words_of_the_language_can_be_declared() -> None:
    for word in ("check", "query", "result", "name", "continue", "handler", "end", "date"):
        node = one(f"DECLARE {word} INTEGER;")
        assert isinstance(node, s.Declare) and node.names == [name(word)]


def test_handlers() -> None:
    assert one("DECLARE CONTINUE HANDLER FOR SQLSTATE LIKE 'D%' ESCAPE '!', SQLSTATE VALUE 'U11222' SET a = b;") == (
        s.DeclareHandler(0, 0, 0, 0, "CONTINUE", [s.SqlState(0, 0, "D%", True, "!"), s.SqlState(0, 0, "U11222")], SET_A)
    )
    node = one("DECLARE EXIT HANDLER FOR SQLSTATE '22012' BEGIN SET a = b; RESIGNAL; END;")
    assert isinstance(node, s.DeclareHandler) and node.action == "EXIT"
    assert node.statement == s.Block(0, 0, 0, 0, None, None, [SET_A, s.Resignal(0, 0, 0, 0)])


def test_calls() -> None:
    assert one("CALL f();") == s.Call(0, 0, 0, 0, [], name("f"), [])
    assert one("CALL com.acme.f(a, b) INTO c;") == s.Call(
        0, 0, 0, 0, [name("com"), name("acme")], name("f"), [A, B], None, None, C
    )
    assert one("CALL f(a) IN Database.x EXTERNAL SCHEMA 's' INTO c;") == s.Call(
        0, 0, 0, 0, [], name("f"), [A], parse_path("Database.x"), parse_expression("'s'"), C
    )


# Control.


def test_if_with_all_its_branches() -> None:
    assert one("IF a THEN SET a = b; ELSEIF b THEN ELSEIF c THEN SET a = b; ELSE SET a = b; END IF;") == s.If(
        0,
        0,
        0,
        0,
        [s.Branch(0, 0, A, [SET_A]), s.Branch(0, 0, B, []), s.Branch(0, 0, C, [SET_A])],
        [SET_A],
    )
    nested = one("IF a THEN ELSE IF b THEN SET a = b; END IF; END IF;")
    assert isinstance(nested, s.If) and nested.otherwise == [s.If(0, 0, 0, 0, [s.Branch(0, 0, B, [SET_A])])]


def test_case_statements() -> None:
    assert one("CASE a WHEN b THEN SET a = b; WHEN c THEN ELSE SET a = b; END CASE;") == s.CaseStatement(
        0, 0, 0, 0, A, [s.Branch(0, 0, B, [SET_A]), s.Branch(0, 0, C, [])], [SET_A]
    )
    assert one("CASE WHEN a THEN SET a = b; END CASE;") == s.CaseStatement(
        0, 0, 0, 0, None, [s.Branch(0, 0, A, [SET_A])]
    )


def test_loops_with_and_without_labels() -> None:
    label = name("x")
    assert one("WHILE a DO SET a = b; END WHILE;") == s.While(0, 0, 0, 0, None, A, [SET_A])
    assert one("x : WHILE a DO ITERATE x; END WHILE X;") == s.While(
        0, 0, 0, 0, label, A, [s.Iterate(0, 0, 0, 0, label)]
    )
    assert one("x: REPEAT SET a = b; UNTIL a END REPEAT x;") == s.Repeat(0, 0, 0, 0, label, [SET_A], A)
    assert one("x: LOOP LEAVE x; END LOOP;") == s.Loop(0, 0, 0, 0, label, [s.Leave(0, 0, 0, 0, label)])
    assert one("FOR product AS product.root[] DO SET a = b; END FOR;") == s.For(
        0, 0, 0, 0, None, name("product"), parse_path("product.root[]"), [SET_A]
    )
    assert one("x: BEGIN ATOMIC SET a = b; END x;") == s.Block(0, 0, 0, 0, label, True, [SET_A])
    assert one("BEGIN NOT ATOMIC END;") == s.Block(0, 0, 0, 0, None, False, [])


def test_return_with_and_without_a_value() -> None:
    assert one("RETURN;") == s.Return(0, 0, 0, 0)
    assert one("RETURN (a);") == s.Return(0, 0, 0, 0, A)


# Message trees.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FIELD a", s.Create(0, 0, 0, 0, "FIELD", A)),
        (
            "LASTCHILD OF a AS b DOMAIN('XMLNSC') PARSE(c ENCODING 546 CCSID 1208)",
            s.Create(
                0, 0, 0, 0, "LASTCHILD", A, B, parse_expression("'XMLNSC'"),
                parse=s.Parse(0, 0, C, s.ParseOptions(0, 0, parse_expression("546"), parse_expression("1208"))),
            ),
        ),
        (
            "NEXTSIBLING OF a DOMAIN 'MQADMIN' NAME 'MQPCF'",
            s.Create(
                0, 0, 0, 0, "NEXTSIBLING", A, None, parse_expression("'MQADMIN'"), name=parse_expression("'MQPCF'")
            ),
        ),
        (
            "FIRSTCHILD OF a TYPE XMLNSC.Attribute NAMESPACE b NAME c VALUE 1",
            s.Create(
                0, 0, 0, 0, "FIRSTCHILD", A, type=parse_path("XMLNSC.Attribute"), namespace=B, name=C,
                value=parse_expression("1"),
            ),
        ),
        (
            "FIELD a IDENTITY (JSON.Array)list",
            s.Create(0, 0, 0, 0, "FIELD", A, identity=parse_path("(JSON.Array)list").elements[0]),
        ),
        ("PREVIOUSSIBLING OF a REPEAT VALUE b", s.Create(0, 0, 0, 0, "PREVIOUSSIBLING", A, repeat=True, value=B)),
        ("LASTCHILD OF a TYPE Name NAME 'x'", s.Create(
            0, 0, 0, 0, "LASTCHILD", A, type=parse_path("Name"), name=parse_expression("'x'"))),
        ("LASTCHILD OF a FROM b.c", s.Create(0, 0, 0, 0, "LASTCHILD", A, source=parse_path("b.c"))),
    ],
)  # fmt: skip
def test_create_in_every_form(text: str, expected: s.Create) -> None:
    assert one(f"CREATE {text};") == expected


def test_no_blank_is_needed_before_parse() -> None:
    node = one("CREATE LASTCHILD OF OutputRoot DOMAIN('DFDL')PARSE(x, e, c SET '{Lib}' TYPE '{}:msg');")
    assert isinstance(node, s.Create) and node.parse is not None
    assert node.parse.options == s.ParseOptions(
        0, 0, parse_path("e"), parse_path("c"), parse_expression("'{Lib}'"), parse_expression("'{}:msg'")
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TO b.c", s.Move(0, 0, 0, 0, A, "TO", parse_path("b.c"))),
        ("PARENT", s.Move(0, 0, 0, 0, A, "PARENT")),
        ("NEXTSIBLING REPEAT TYPE NAME", s.Move(
            0, 0, 0, 0, A, "NEXTSIBLING", repeat=True, repeat_type=True, repeat_name=True)),
        ("NEXTSIBLING REPEAT NAME", s.Move(0, 0, 0, 0, A, "NEXTSIBLING", repeat=True, repeat_name=True)),
        ("NEXTSIBLING REPEAT", s.Move(0, 0, 0, 0, A, "NEXTSIBLING", repeat=True)),
        ("FIRSTCHILD NAME b", s.Move(0, 0, 0, 0, A, "FIRSTCHILD", name=B)),
        ("LASTCHILD TYPE b NAMESPACE * NAME *", s.Move(
            0, 0, 0, 0, A, "LASTCHILD", type=B, namespace=s.AnyName(0, 0), name=s.AnyName(0, 0))),
        ("PREVIOUSSIBLING IDENTITY ns:x", s.Move(
            0, 0, 0, 0, A, "PREVIOUSSIBLING", identity=parse_path("ns:x").elements[0])),
    ],
)  # fmt: skip
def test_move_in_every_form(text: str, expected: s.Move) -> None:
    assert one(f"MOVE a {text};") == expected


def test_delete_attach_and_detach() -> None:
    assert one("DELETE FIELD a.b;") == s.DeleteField(0, 0, 0, 0, "FIELD", parse_path("a.b"))
    assert one("DELETE NEXTSIBLING OF a;") == s.DeleteField(0, 0, 0, 0, "NEXTSIBLING", A)
    assert one("DETACH a;") == s.Detach(0, 0, 0, 0, A)
    assert one("ATTACH a TO b.c AS FIRSTCHILD;") == s.Attach(0, 0, 0, 0, A, parse_path("b.c"), "FIRSTCHILD")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", s.Propagate(0, 0, 0, 0)),
        (" TO TERMINAL 'out1'", s.Propagate(0, 0, 0, 0, parse_expression("'out1'"))),
        (" TO TERMINAL 2 DELETE NONE", s.Propagate(0, 0, 0, 0, parse_expression("2"), delete="NONE")),
        (" TO LABEL a FINALIZE NONE DELETE DEFAULT", s.Propagate(
            0, 0, 0, 0, label=A, finalize="NONE", delete="DEFAULT")),
        (" ENVIRONMENT a MESSAGE b EXCEPTION c", s.Propagate(0, 0, 0, 0, None, None, A, B, C)),
    ],
)  # fmt: skip
def test_propagate_in_every_form(text: str, expected: s.Propagate) -> None:
    assert one(f"PROPAGATE{text};") == expected


# Databases.


def test_insert_update_and_delete() -> None:
    table = parse_path("Database.{dsn}.{schema}.T")
    assert one("INSERT INTO Database.{dsn}.{schema}.T (a, b) VALUES (b, c);") == s.Insert(
        0, 0, 0, 0, table, [name("a"), name("b")], [B, C]
    )
    assert one("INSERT INTO Database.T VALUES (a);") == s.Insert(0, 0, 0, 0, parse_path("Database.T"), None, [A])
    assert one("UPDATE Database.T AS X SET a = b, X.b = c WHERE X.a = 1;") == s.Update(
        0, 0, 0, 0, parse_path("Database.T"), name("X"),
        [s.Assignment(0, 0, A, B), s.Assignment(0, 0, parse_path("X.b"), C)], parse_expression("X.a = 1"),
    )  # fmt: skip
    assert one("DELETE FROM Database.T AS X WHERE X.a = b;") == s.DeleteFrom(
        0, 0, 0, 0, parse_path("Database.T"), name("X"), parse_expression("X.a = b")
    )
    assert one("DELETE FROM Database.T;") == s.DeleteFrom(0, 0, 0, 0, parse_path("Database.T"))


def test_passthru_in_every_form() -> None:
    sql = parse_expression("'x'")
    assert one("PASSTHRU 'x';") == s.PassthruStatement(0, 0, 0, 0, sql)
    assert one("PASSTHRU a VALUES(b, c);") == s.PassthruStatement(0, 0, 0, 0, A, None, [B, C])
    assert one("PASSTHRU 'x' TO Database.D VALUES (a);") == s.PassthruStatement(
        0, 0, 0, 0, sql, parse_path("Database.D"), [A]
    )
    assert one("PASSTHRU('x', a, b);") == s.PassthruStatement(0, 0, 0, 0, sql, None, [A, B])
    assert one("PASSTHRU('x' TO Database.D VALUES(a));") == s.PassthruStatement(
        0, 0, 0, 0, sql, parse_path("Database.D"), [A]
    )
    assert one("PASSTHRU ('x' || a) || b VALUES (c);") == s.PassthruStatement(
        0, 0, 0, 0, parse_expression("('x' || a) || b"), None, [C]
    )


def test_commit_rollback_and_eval() -> None:
    assert one("COMMIT;") == s.Commit(0, 0, 0, 0)
    assert one("COMMIT Database.D;") == s.Commit(0, 0, 0, 0, parse_path("Database.D"))
    assert one("ROLLBACK Database.{a};") == s.Rollback(0, 0, 0, 0, parse_path("Database.{a}"))
    assert one("EVAL('SET ' || a);") == s.Eval(0, 0, 0, 0, parse_expression("'SET ' || a"))


# Exceptions and logs.


def test_throw_and_log() -> None:
    one_, two = parse_expression("1"), parse_expression("2")
    assert one("THROW EXCEPTION;") == s.Throw(0, 0, 0, 0, False)
    assert one("THROW USER EXCEPTION SEVERITY 1 CATALOG a MESSAGE 2 VALUES (b, c);") == s.Throw(
        0, 0, 0, 0, True, one_, A, two, [B, C]
    )
    assert one("THROW USER EXCEPTION MESSAGE 2 CATALOG a VALUES ();") == s.Throw(0, 0, 0, 0, True, None, A, two, [])
    assert one("LOG EVENT MESSAGE 2;") == s.Log(0, 0, 0, 0, "EVENT", None, None, None, two)
    assert one("LOG USER TRACE FULL EXCEPTION VALUES (a);") == s.Log(
        0, 0, 0, 0, "USER TRACE", "FULL EXCEPTION", None, None, None, [A]
    )
    assert one("LOG EVENT EXCEPTION SEVERITY 1;") == s.Log(0, 0, 0, 0, "EVENT", "EXCEPTION", one_)


# Text spans.


def test_a_statement_knows_its_text() -> None:
    text = "  SET a = 1 ; IF a THEN\n\tSET b = 'x' -- why\n;END IF ;"
    parsed = parse_statements(text)
    first, second = parsed.statements
    assert isinstance(second, s.If)
    spans = [parsed.text[node.start : node.end] for node in (first, second, second.branches[0].statements[0])]
    assert spans == ["SET a = 1 ;", "IF a THEN\n\tSET b = 'x' -- why\n;END IF ;", "SET b = 'x' -- why\n;"]
    assert (second.branches[0].statements[0].line, second.branches[0].statements[0].column) == (2, 2)


def test_the_last_semicolon_may_be_missing() -> None:
    assert len(statements("SET a = 1; SET b = 2")) == 2


def test_empty_statements_are_skipped() -> None:
    assert statements(";; SET a = b;;") == [SET_A]


# Errors.


def broken(text: str) -> tuple[list[str], list[str]]:
    """Return the errors as text and the statements that were understood, printed on one line each."""
    parsed = parse_statements(text)
    errors = [f"{error.line}:{error.column} {error.message}" for error in parsed.errors]
    return errors, [" ".join(print_statement(statement).split()) for statement in parsed.statements]


def test_parsing_resumes_after_the_semicolon() -> None:
    assert broken("SET a = ; SET b = 2; SET c 3; SET d = 4;") == (
        ["1:9 found ;; expected an expression", "1:28 found 3; expected = of SET"],
        ["SET b = 2;", "SET d = 4;"],
    )


def test_a_missing_semicolon_costs_no_statement() -> None:
    assert broken("SET a = 1\nSET b = 2\nIF a THEN SET c = 3 END IF\nSET d = 4;") == (
        [
            "2:1 found SET; expected ; after SET",
            "3:1 found IF; expected ; after SET",
            "3:21 found END; expected ; after SET",
            "4:1 found SET; expected ; after END IF",
        ],
        ["SET a = 1;", "SET b = 2;", "IF a THEN SET c = 3; END IF;", "SET d = 4;"],
    )


def test_an_unfinished_statement_ends_at_the_next_line_that_begins_one() -> None:
    assert broken("SET a = b c d\nSET e = 1;") == (["1:11 found c; expected ; after SET"], ["SET e = 1;"])


def test_a_bad_condition_keeps_the_body_and_its_end() -> None:
    assert broken("IF a = THEN SET b = 1; END IF; SET c = 2;") == (
        ["1:8 found THEN; expected an expression"],
        ["IF NULL THEN SET b = 1; END IF;", "SET c = 2;"],
    )
    assert broken("WHILE a + DO SET b = ; SET c = 1; END WHILE;") == (
        ["1:11 found DO; expected an expression", "1:22 found ;; expected an expression"],
        ["WHILE NULL DO SET c = 1; END WHILE;"],
    )


def test_an_end_without_its_beginning_is_skipped() -> None:
    assert broken("SET a = 1; END IF; SET b = 2; END; SET c = 3;") == (
        [
            "1:12 found END IF without its beginning; expected a statement",
            "1:31 found END without its beginning; expected a statement",
        ],
        ["SET a = 1;", "SET b = 2;", "SET c = 3;"],
    )


def test_a_missing_end_is_reported_with_the_line_of_its_beginning() -> None:
    errors, found = broken("BEGIN\n  WHILE a DO\n    SET b = 1;\nEND;\nSET c = 2;")
    assert errors == ["4:1 found END; expected END WHILE of the WHILE on line 2"]
    assert found == ["BEGIN WHILE a DO SET b = 1; END WHILE; END;", "SET c = 2;"]
    assert broken("BEGIN\nSET a = 1;")[0] == ["2:11 found the end of the text; expected END of the BEGIN on line 1"]


def test_a_label_at_the_end_must_match() -> None:
    assert broken("x: LOOP LEAVE x; END LOOP y;")[0] == ["1:27 found y; expected the label x"]
    assert broken("LOOP END LOOP y;")[0] == ["1:15 found y; expected ;"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("foo;", "found foo; expected a statement"),
        ("x: SET a = 1;", "found SET; expected BEGIN, WHILE, REPEAT, LOOP or FOR after a label"),
        ("DECLARE a STRING;", "found STRING; expected a data type of the variable"),
        ("DECLARE EXIT HANDLER FOR SQLSTATE 5;", "found 5; expected VALUE, LIKE or a string after SQLSTATE"),
        ("CREATE CHILD OF a;", "found CHILD; expected FIELD, PREVIOUSSIBLING, NEXTSIBLING, FIRSTCHILD or LASTCHILD"),
        ("MOVE a UP;", "found UP; expected TO, PARENT, PREVIOUSSIBLING, NEXTSIBLING, FIRSTCHILD or LASTCHILD"),
        ("PROPAGATE TO 'x';", "found 'x'; expected TERMINAL or LABEL"),
        ("THROW a;", "found a; expected EXCEPTION after THROW"),
        ("LOG a;", "found a; expected EVENT or USER TRACE after LOG"),
        ("CALL f;", "found ;; expected ( after the name of the routine"),
        ("REPEAT SET a = 1; END REPEAT;", "found END; expected UNTIL of the REPEAT on line 1"),
        ("CASE a SET b = 1; END CASE;", "found SET; expected WHEN of CASE"),
        ("UPDATE Database.T WHERE a = 1;", "found WHERE; expected SET of UPDATE"),
        ("INSERT INTO Database.T (a) SELECT;", "found SELECT; expected VALUES of INSERT"),
        ("PASSTHRU ();", "found ); expected an expression"),
    ],
)
def test_the_first_error_of_a_statement(text: str, message: str) -> None:
    parsed = parse_statements(text)
    assert parsed.errors[0].message == message


def test_deep_nesting_of_statements_is_an_error_and_not_a_crash() -> None:
    for begin, end in (("IF a THEN ", "END IF; "), ("BEGIN ", "END; "), ("WHILE a DO ", "END WHILE; ")):
        parsed = parse_statements(begin * 1000 + "SET a = 1; " + end * 1000)
        assert f"nested more than {NESTING_MAX} levels deep" in parsed.errors[0].message
        assert statements(begin * 90 + "SET a = 1; " + end * 90)


def test_hostile_text_gives_a_limited_number_of_errors() -> None:
    assert len(parse_statements("SET = ; " * 5_000).errors) == 100


def test_the_text_of_an_error_shows_the_line_and_a_caret() -> None:
    error = parse_statements("SET a = 1;\n\tIF Total >  THEN SET b = 2; END IF;", "orders.esql").errors[0]
    assert str(error) == (
        "orders.esql:2:14: BIP2401: found THEN; expected an expression\n"
        "    \tIF Total >  THEN SET b = 2; END IF;\n"
        "    \t            ^"
    )
    long = parse_statements("SET a = " + "x" * 500 + " + ;").errors[0]
    assert max(len(line) for line in str(long).splitlines()) < 180
