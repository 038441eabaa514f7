"""Statements of ESQL, compiled and run."""

from __future__ import annotations

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.parser import parse
from flintmq.broker.esql.program import Program
from flintmq.broker.esql.run import Deployment
from flintmq.broker.esql.switches import Switches, make_switches
from tests.broker.esql.running import error_of, program_of, run_module, run_statements, run_unit

ORDER = (
    b"<Order id='7'><Item><Name>bolt</Name><Price>1.50</Price></Item>"
    b"<Item><Name>nut</Name><Price>2</Price></Item><Item><Name>cog</Name><Price>3.25</Price></Item></Order>"
)


def module(body: str, rest: str = "") -> str:
    return f"CREATE COMPUTE MODULE M\nCREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n{body}\nEND;\n{rest}\nEND MODULE;"


def test_a_whole_message_is_copied_and_one_field_changed() -> None:
    """B246: what is not touched is repeated as it came."""
    outcome = run_statements("SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.Order.Total = 6.75;", ORDER)

    assert outcome.write() == ORDER.replace(b"</Order>", b"<Total>6.75</Total></Order>")


def test_headers_are_copied_by_position_with_their_names() -> None:
    text = module(
        "CALL CopyMessageHeaders(); SET OutputRoot.XMLNSC.x = 1; RETURN TRUE;",
        """CREATE PROCEDURE CopyMessageHeaders() BEGIN
             DECLARE I INTEGER 1;
             DECLARE J INTEGER CARDINALITY(InputRoot.*[]);
             WHILE I < J DO
               SET OutputRoot.*[I] = InputRoot.*[I];
               SET I = I + 1;
             END WHILE;
           END;""",
    )

    outcome = run_module(text, ORDER)

    assert [child.name for child in outcome.root.children()] == ["Properties", "XMLNSC"]
    assert outcome.result is True


def test_null_deletes_a_field_and_value_null_keeps_it() -> None:
    outcome = run_statements(
        """SET OutputRoot.XMLNSC.r.a = 1; SET OutputRoot.XMLNSC.r.b = 2; SET OutputRoot.XMLNSC.r.c = 3;
           SET OutputRoot.XMLNSC.r.a = NULL; SET OutputRoot.XMLNSC.r.b VALUE = NULL;
           SET OutputRoot.XMLNSC.r.c = InputRoot.XMLNSC.nothing.there;"""
    )

    assert [(e.name, e.value) for e in outcome.root.child("XMLNSC").child("r").children()] == [("b", None)]  # type: ignore[union-attr]


def test_a_subtree_keeps_its_content_and_takes_the_name_of_the_target() -> None:
    outcome = run_statements("SET OutputRoot.XMLNSC.Bill.Line = InputRoot.XMLNSC.Order.Item[2];", ORDER)

    assert outcome.write() == b"<Bill><Line><Name>nut</Name><Price>2</Price></Line></Bill>"


def test_a_list_replaces_all_fields_of_its_name() -> None:
    outcome = run_statements(
        """SET OutputRoot.XMLNSC.r.x[] = LIST{1, 2, 3};
           SET OutputRoot.XMLNSC.r.x[] = LIST{'only'};
           SET OutputRoot.XMLNSC.r.Item[] = InputRoot.XMLNSC.Order.Item[];""",
        ORDER,
    )

    assert outcome.write().startswith(b"<r><x>only</x><Item><Name>bolt</Name>")


def test_names_namespaces_and_types_can_be_set() -> None:
    outcome = run_statements(
        """SET OutputRoot.XMLNSC.r.a = 'v'; SET OutputRoot.XMLNSC.r.a NAME = 'b';
           SET OutputRoot.XMLNSC.r.b TYPE = XMLNSC.Attribute;
           SET OutputRoot.XMLNSC.r.c = 1; SET OutputRoot.XMLNSC.r.c NAMESPACE = 'urn:n';"""
    )

    assert outcome.write() == b'<r b="v"><NS1:c xmlns:NS1="urn:n">1</NS1:c></r>'


def test_an_index_beyond_the_end_creates_the_siblings_between_or_is_refused() -> None:
    text = "SET OutputRoot.XMLNSC.r.b[3] = 'x';"

    assert run_statements(text).write() == b"<r><b/><b/><b>x</b></r>"
    refused = error_of(text, switches=make_switches({"index_gaps": "error"}))
    assert "cannot be created" in str(refused)


def test_an_index_must_be_a_positive_integer() -> None:
    assert "must be 1 or more" in str(error_of("DECLARE i INTEGER 0; SET OutputRoot.XMLNSC.a[i] = 1;"))
    assert "NULL" in str(error_of("DECLARE i INTEGER; SET OutputRoot.XMLNSC.a[i] = 1;"))
    assert "INTEGER" in str(error_of("SET OutputRoot.XMLNSC.a['x'] = 1;"))


def test_an_index_of_hostile_size_is_refused() -> None:
    assert "cannot be created" in str(error_of("SET OutputRoot.XMLNSC.a[900000000] = 1;"))


def test_the_input_tree_is_read_only_unless_a_switch_allows_it() -> None:
    """MF 2.4; the switch is `input_tree_write`."""
    text = "DECLARE r REFERENCE TO InputRoot.XMLNSC.Order; SET r.x = 1; SET Environment.x = r.x;"

    assert "cannot be changed" in str(error_of(text, ORDER))
    allowed = run_statements(text, ORDER, switches=make_switches({"input_tree_write": "allow"}))
    assert allowed.value("x") == 1


def test_children_stay_when_a_folder_gets_a_scalar_unless_a_switch_drops_them() -> None:
    text = "SET Environment.f.a = 1; SET Environment.f = 2; SET Environment.n = CARDINALITY(Environment.f.*[]);"

    assert run_statements(text).value("n") == 1
    assert run_statements(text, switches=make_switches({"scalar_keeps_children": False})).value("n") == 0


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("WHILE i < 3 DO SET i = i + 1; END WHILE;", 3),
        ("REPEAT SET i = i + 1; UNTIL i >= 4 END REPEAT;", 4),
        ("L: LOOP SET i = i + 1; IF i = 5 THEN LEAVE L; END IF; END LOOP L;", 5),
        ("L: WHILE i < 9 DO SET i = i + 1; IF i < 5 THEN ITERATE L; END IF; LEAVE L; END WHILE L;", 5),
        (
            "A: WHILE TRUE DO B: WHILE TRUE DO SET i = i + 1; IF i > 2 THEN LEAVE A; END IF; END WHILE B; END WHILE A;",
            3,
        ),
        (
            "A: WHILE i < 5 DO SET i = i + 1; B: LOOP IF i < 4 THEN ITERATE A; END IF; LEAVE A; END LOOP; END WHILE;",
            4,
        ),
        ("A: BEGIN SET i = 1; IF i = 1 THEN LEAVE A; END IF; SET i = 99; END A;", 1),
        ("A: BEGIN L: WHILE TRUE DO SET i = i + 1; IF i = 3 THEN LEAVE A; END IF; END WHILE L; SET i = 99; END A;", 3),
        ("CASE i WHEN 1 THEN SET i = 10; WHEN 0 THEN SET i = 20; ELSE SET i = 30; END CASE;", 20),
        ("CASE WHEN i > 5 THEN SET i = 1; ELSE SET i = 30; END CASE;", 30),
        ("IF i = 1 THEN SET i = 2; ELSEIF i = 0 THEN SET i = 3; ELSE SET i = 4; END IF;", 3),
        ("IF NULL THEN SET i = 1; ELSE SET i = 2; END IF;", 2),
    ],
)
def test_control_statements(loop: str, expected: int) -> None:
    outcome = run_statements(f"DECLARE i INTEGER 0; {loop} SET Environment.i = i;")

    assert outcome.value("i") == expected


def test_for_walks_the_items_and_its_variable_hides_an_outer_one() -> None:
    """BA 2.3, 5: the variable may have the name of the row that it walks."""
    outcome = run_statements(
        """DECLARE product ROW; SET product.root[] = InputRoot.XMLNSC.Order.Item[];
           DECLARE names CHARACTER '';
           FOR product AS product.root[] DO SET names = names || product.Name || ' '; END FOR;
           SET Environment.names = names; SET Environment.n = CARDINALITY(product.root[]);""",
        ORDER,
    )

    assert outcome.value("names") == "bolt nut cog "
    assert outcome.value("n") == 3


def test_a_declaration_in_a_loop_gives_its_value_anew_each_time() -> None:
    """BA 2.3, 4."""
    outcome = run_statements(
        """DECLARE i INTEGER 0; SET Environment.s = 0;
           WHILE i < 3 DO DECLARE k INTEGER 10; SET k = k + 1; SET Environment.s = Environment.s + k; SET i = i + 1;
           END WHILE;
           BEGIN DECLARE x CHARACTER 'a'; SET Environment.x1 = x; END;
           BEGIN DECLARE x INTEGER 5; SET Environment.x2 = x; END;"""
    )

    assert (outcome.value("s"), outcome.value("x1"), outcome.value("x2")) == (33, "a", 5)


def test_references_move_and_tell_whether_they_did() -> None:
    outcome = run_statements(
        """DECLARE r REFERENCE TO InputRoot.XMLNSC.Order.Item;
           SET Environment.names = '';
           WHILE LASTMOVE(r) DO
             SET Environment.names = Environment.names || r.Name || ' ';
             MOVE r NEXTSIBLING REPEAT TYPE NAME;
           END WHILE;
           SET Environment.still = r.Name;
           DECLARE nowhere REFERENCE TO InputRoot.XMLNSC.Absent.Field;
           SET Environment.moved = LASTMOVE(nowhere); SET Environment.at = FIELDNAME(nowhere);
           MOVE r PARENT; SET Environment.parent = FIELDNAME(r);
           MOVE r FIRSTCHILD NAME 'Item'; SET Environment.first = r.Name;
           MOVE r LASTCHILD; SET Environment.last = FIELDNAME(r);
           MOVE r TO InputRoot.XMLNSC.Order.Item[<]; SET Environment.to = r.Name;""",
        ORDER,
    )

    assert outcome.value("names") == "bolt nut cog "
    assert outcome.value("still") == "cog"
    assert outcome.value("moved") is False
    assert outcome.value("at") == "InputRoot"
    assert [outcome.value(n) for n in ("parent", "first", "last", "to")] == ["Order", "bolt", "Price", "cog"]


def test_create_puts_fields_where_it_says() -> None:
    outcome = run_statements(
        """CREATE FIELD OutputRoot.XMLNSC.r.a VALUE 1;
           CREATE FIELD OutputRoot.XMLNSC.r.a VALUE 2;
           DECLARE p REFERENCE TO OutputRoot.XMLNSC.r;
           DECLARE x REFERENCE TO p;
           CREATE LASTCHILD OF p AS x NAME 'b' VALUE 3;
           CREATE PREVIOUSSIBLING OF x NAME 'before' VALUE 4;
           CREATE NEXTSIBLING OF x NAME 'after' VALUE 5;
           CREATE NEXTSIBLING OF x REPEAT VALUE 6;
           CREATE FIRSTCHILD OF p TYPE XMLNSC.Attribute NAME 'id' VALUE 7;
           CREATE LASTCHILD OF p FROM InputRoot.XMLNSC.Order.Item[1];
           CREATE LASTCHILD OF p IDENTITY (XMLNSC.Attribute)kind VALUE 'k';
           CREATE LASTCHILD OF p NAME 'empty' VALUE NULL;""",
        ORDER,
    )

    assert outcome.write() == (
        b'<r id="7" kind="k"><a>2</a><before>4</before><b>3</b><b>6</b><after>5</after>'
        b"<Item><Name>bolt</Name><Price>1.50</Price></Item><empty/></r>"
    )


def test_delete_detach_and_attach_keep_references_valid() -> None:
    """BA 2.3, 2: a sort detaches the element under a reference and attaches it elsewhere."""
    outcome = run_statements(
        """SET OutputRoot.XMLNSC = InputRoot.XMLNSC;
           DECLARE last REFERENCE TO OutputRoot.XMLNSC.Order.Item[<];
           DECLARE first REFERENCE TO OutputRoot.XMLNSC.Order.Item[1];
           DETACH last; ATTACH last TO first AS PREVIOUSSIBLING; SET last.Name = 'moved';
           DELETE FIELD OutputRoot.XMLNSC.Order.Item[3];
           DELETE FIRSTCHILD OF first;
           DELETE FIELD OutputRoot.XMLNSC.Order.Absent;""",
        ORDER,
    )

    assert outcome.write() == (
        b"<Order id='7'><Item><Name>moved</Name><Price>3.25</Price></Item><Item><Price>1.50</Price></Item></Order>"
    )


def test_attach_of_an_element_that_is_still_in_a_tree_is_refused() -> None:
    error = error_of(
        "SET Environment.a.b = 1; DECLARE r REFERENCE TO Environment.a.b; ATTACH r TO Environment.a AS LASTCHILD;"
    )

    assert "DETACH it first" in str(error)


def test_procedures_return_out_parameters_to_variables_and_fields() -> None:
    text = module(
        """DECLARE a INTEGER 1; DECLARE c CHARACTER;
           CALL p(a, 5, c, Environment.out); SET Environment.a = a; SET Environment.c = c;
           CALL f(2) INTO Environment.f; SET Environment.g = f(3) + 1;
           DECLARE r REFERENCE TO InputRoot.XMLNSC.Order.Item; CALL step(r); SET Environment.r = r.Name;
           RETURN TRUE;""",
        """CREATE PROCEDURE p(INOUT a INTEGER, IN b INTEGER, OUT c CHARACTER, OUT d CHARACTER) BEGIN
             SET a = a + b; SET c = 'out'; SET d = 'field'; END;
           CREATE FUNCTION f(IN x INTEGER) RETURNS INTEGER BEGIN RETURN x * x; END;
           CREATE PROCEDURE step(INOUT x REFERENCE) BEGIN MOVE x NEXTSIBLING; END;""",
    )

    outcome = run_module(text, ORDER)

    assert [outcome.value(n) for n in ("a", "c", "out", "f", "g", "r")] == [6, "out", "field", 4, 10, "nut"]


def test_a_recursive_function_works_and_endless_recursion_is_an_error() -> None:
    text = module(
        "SET Environment.f = fact(10); RETURN fact(5) = 120;",
        "CREATE FUNCTION fact(n INTEGER) RETURNS INTEGER BEGIN IF n < 2 THEN RETURN 1; END IF;"
        " RETURN n * fact(n - 1); END;",
    )
    assert run_module(text).value("f") == 3628800

    endless = module("CALL p(); RETURN TRUE;", "CREATE PROCEDURE p() BEGIN CALL p(); END;")
    with pytest.raises(BrokerError, match="too deep"):
        run_module(endless)


def test_schema_level_routines_and_path_are_found() -> None:
    """BA 2.3, 1; MF 2.12."""
    program = Program()
    program.add(
        parse(
            "BROKER SCHEMA lib.util\nDECLARE factor CONSTANT INTEGER 3;\n"
            "CREATE FUNCTION triple(n INTEGER) RETURNS INTEGER BEGIN RETURN n * factor; END;",
            "lib.esql",
        )
    )
    program.add(
        parse(
            "BROKER SCHEMA app PATH lib.util;\n"
            "CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN"
            " SET Environment.a = triple(2); SET Environment.b = lib.util.triple(5); SET Environment.c = factor;"
            " RETURN TRUE; END; END MODULE;",
            "app.esql",
        )
    )
    program.compile()
    assert not program.errors, program.errors
    unit = program.unit("app", "M")
    assert unit is not None
    program.units[("", "M")] = unit

    outcome = run_unit(program, "M", b"<a/>", "XMLNSC")

    assert [outcome.value(n) for n in ("a", "b", "c")] == [6, 15, 3]


def test_shared_variables_live_as_long_as_the_deployment() -> None:
    text = module(
        "SET counter = counter + 1; SET cache.x[counter] = counter; SET Environment.n = counter; RETURN TRUE;"
    )
    text = text.replace(
        "CREATE FUNCTION", "DECLARE counter SHARED INTEGER 0; DECLARE cache SHARED ROW;\nCREATE FUNCTION", 1
    )
    program = program_of(text)
    deployment = Deployment()

    counts = [run_unit(program, "M", b"<a/>", "XMLNSC", deployment=deployment).value("n") for _ in range(3)]

    assert counts == [1, 2, 3]
    assert run_unit(program, "M", b"<a/>", "XMLNSC", deployment=Deployment()).value("n") == 1


def test_module_variables_start_anew_with_every_message() -> None:
    text = module("SET n = n + 1; SET Environment.n = n; RETURN TRUE;").replace(
        "CREATE FUNCTION", "DECLARE n INTEGER 0;\nCREATE FUNCTION", 1
    )
    program = program_of(text)
    deployment = Deployment()

    assert [run_unit(program, "M", b"<a/>", "XMLNSC", deployment=deployment).value("n") for _ in range(2)] == [1, 1]


def test_external_variables_take_user_defined_properties_converted_to_their_type() -> None:
    text = module("SET Environment.a = a; SET Environment.b = b; SET Environment.c = c; RETURN TRUE;").replace(
        "CREATE FUNCTION",
        "DECLARE a EXTERNAL INTEGER 1; DECLARE b,c EXTERNAL CHARACTER'';\nCREATE FUNCTION",
        1,
    )

    outcome = run_module(text, properties={"a": "42", "C": "given"})

    assert [outcome.value(n) for n in "abc"] == [42, "", "given"]
    missing = text.replace("INTEGER 1", "INTEGER")
    with pytest.raises(BrokerError, match="EXTERNAL a has no value"):
        run_module(missing)


def test_namespaces_may_be_known_only_at_run_time() -> None:
    """BA 2.3, 6 and 7."""
    outcome = run_statements(
        """SET Environment.ns = 'urn:x';
           DECLARE ns NAMESPACE Environment.ns;
           SET OutputRoot.XMLNSC.ns:a.{ns}:b = 1;
           SET Environment.v = OutputRoot.XMLNSC.*:a.*:b; SET Environment.w = OutputRoot.XMLNSC.a;
           DECLARE name CHARACTER 'a';
           SET Environment.u = OutputRoot.XMLNSC.ns:{name}.*[1];"""
    )

    assert (outcome.value("v"), outcome.value("u"), outcome.value("w")) == (1, 1, None)


def test_propagate_sends_now_and_empties_the_output_unless_told_not_to() -> None:
    outcome = run_statements(
        """SET OutputRoot.XMLNSC.a = 1; PROPAGATE;
           SET Environment.left = CARDINALITY(OutputRoot.*[]);
           SET OutputRoot.XMLNSC.b = 2; PROPAGATE TO TERMINAL 'out1' DELETE NONE;
           PROPAGATE TO TERMINAL 2; PROPAGATE TO LABEL 'there'; RETURN FALSE;"""
    )

    assert [(terminal, label) for terminal, label, _ in outcome.node.sent] == [
        ("out", None),
        ("out1", None),
        ("out2", None),
        ("out", "there"),
    ]
    assert outcome.value("left") == 0
    assert [len(root.children()) for _, _, root in outcome.node.sent] == [1, 1, 1, 0]
    assert outcome.result is False


def test_propagate_to_something_that_is_no_terminal_is_an_error() -> None:
    assert "takes a name or -2 to 4" in str(error_of("PROPAGATE TO TERMINAL 9;"))


def test_eval_runs_text_in_the_scope_of_its_statement() -> None:
    """BA 2.3, 9."""
    outcome = run_statements(
        """DECLARE a INTEGER 1; DECLARE r REFERENCE TO InputRoot.XMLNSC.Order.Item[2];
           EVAL('SET a = a + 41; SET Environment.n = r.Name; MOVE r NEXTSIBLING;');
           SET Environment.a = a; SET Environment.moved = r.Name;
           SET Environment.e = EVAL('a * 2 + CARDINALITY(InputRoot.XMLNSC.Order.Item[])');""",
        ORDER,
    )

    assert [outcome.value(n) for n in ("a", "n", "moved", "e")] == [42, "nut", "cog", 87]
    assert error_of("EVAL('SET = 1');").root_cause().number == 2401


def test_throw_raises_a_user_exception_with_inserts() -> None:
    error = error_of("THROW USER EXCEPTION SEVERITY 3 CATALOG 'mine' MESSAGE 4711 VALUES ('a', 5);")
    cause = error.root_cause()

    assert (cause.kind, cause.number, cause.catalog, cause.severity) == ("UserException", 4711, "mine", 3)
    assert cause.inserts == ("a", 5)
    assert error_of("THROW USER EXCEPTION;").root_cause().number == 2951


def test_an_error_names_routine_line_and_statement() -> None:
    """MF 2.13: 2488 carries routine, line.column and text; below it 2439 and the cause."""
    text = module("\n  SET Environment.x = 100 / 0;\n  RETURN TRUE;")

    with pytest.raises(BrokerError) as raised:
        run_module(text)

    entries = list(raised.value.chain())
    assert [entry.number for entry in entries] == [2488, 2439, 2450]
    assert entries[0].line == 4
    assert entries[0].inserts == ("M.Main", "3.3", "SET Environment.x = 100 / 0;")
    assert entries[2].inserts == ("100 / 0",)
    assert "test.esql:4" in str(raised.value)


def test_errors_of_called_routines_name_both_statements() -> None:
    text = module("CALL p(); RETURN TRUE;", "CREATE PROCEDURE p() BEGIN SET Environment.x = CAST('x' AS INTEGER); END;")

    with pytest.raises(BrokerError) as raised:
        run_module(text)

    assert [entry.inserts[0] for entry in raised.value.chain()][:2] == ["M.Main", "M.p"]
    assert raised.value.root_cause().number == 2521


HANDLED = """
    DECLARE EXIT HANDLER FOR SQLSTATE 'S22012' BEGIN SET Environment.h = 'divide'; END;
    DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'U%' BEGIN SET Environment.h = SQLSTATE; END;
    DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' BEGIN SET Environment.h = 'other'; RESIGNAL; END;
"""


@pytest.mark.parametrize(
    ("statement", "handler"),
    [
        ("SET Environment.x = 1 / 0;", "divide"),
        ("THROW USER EXCEPTION MESSAGE 11222 VALUES ('text');", "U11222"),
    ],
)
def test_exit_handlers_take_the_error_that_fits_and_leave_their_scope(statement: str, handler: str) -> None:
    outcome = run_statements(f"BEGIN {HANDLED} {statement} SET Environment.after = 1; END; SET Environment.end = 1;")

    assert outcome.value("h") == handler
    assert outcome.value("after") is None
    assert outcome.value("end") == 1


def test_resignal_passes_the_error_on_and_the_scope_is_not_asked_again() -> None:
    error = error_of(f"BEGIN {HANDLED} SET Environment.x = CAST('q' AS DATE); END;")

    assert error.root_cause().number == 2521


def test_a_continue_handler_goes_on_behind_the_failing_statement() -> None:
    """It goes on with the next statement that its scope contains directly, not inside the IF that failed."""
    outcome = run_statements(
        """BEGIN
             DECLARE n INTEGER 0;
             DECLARE CONTINUE HANDLER FOR SQLSTATE LIKE 'S22%' BEGIN SET n = n + 1; END;
             SET Environment.a = 1 / 0;
             IF TRUE THEN SET Environment.b = 1 / 0; SET Environment.c = 'reached'; END IF;
             WHILE 1 / 0 > 1 DO SET Environment.d = 1; END WHILE;
             SET Environment.n = n;
           END;"""
    )

    assert outcome.value("c") is None
    assert outcome.value("n") == 3


def test_an_inner_exit_handler_is_asked_before_an_outer_continue_handler() -> None:
    outcome = run_statements(
        """BEGIN
             DECLARE CONTINUE HANDLER FOR SQLSTATE LIKE '%' BEGIN SET Environment.outer = 1; END;
             BEGIN
               DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' BEGIN SET Environment.inner = 1; END;
               SET Environment.x = 1 / 0;
               SET Environment.y = 1;
             END;
           END;"""
    )

    assert (outcome.value("inner"), outcome.value("outer"), outcome.value("y")) == (1, None, None)


def test_atomic_blocks_run() -> None:
    assert run_statements("BEGIN ATOMIC SET Environment.x = 1; END;").value("x") == 1


def test_hooks_stand_for_java_methods() -> None:
    text = module(
        "SET Environment.x = reverse('abc'); RETURN TRUE;",
        'CREATE FUNCTION reverse(IN s CHARACTER) RETURNS CHARACTER LANGUAGE JAVA EXTERNAL NAME "a.b.C.reverse";',
    )

    assert run_module(text, hooks={"a.b.C.reverse": lambda s: s[::-1]}).value("x") == "cba"
    with pytest.raises(BrokerError, match="no Python function is registered for a.b.C.reverse"):
        run_module(text)


def test_a_missing_routine_is_a_warning_until_it_is_called() -> None:
    program = program_of(module("IF FALSE THEN CALL nowhere(1); END IF; SET Environment.x = gone(2); RETURN TRUE;"))

    assert [warning.text.split(";")[0] for warning in program.warnings] == [
        "there is no routine nowhere",
        "there is no routine gone",
    ]
    with pytest.raises(BrokerError, match="the routine gone does not exist"):
        run_unit(program, "M", b"<a/>", "XMLNSC")


@pytest.mark.parametrize(
    ("text", "number", "reason"),
    [
        ("SET Root.x = 1;", 2432, "Root is neither"),
        ("SET undeclared = 1;", 2432, "undeclared is neither"),
        ("SET OutputRoot.XMLNSC.q:x = 1;", 2432, "prefix q is not declared"),
        ("LEAVE nowhere;", 2401, "no loop or block nowhere"),
        ("RESIGNAL;", 2401, "RESIGNAL stands in handlers only"),
        ("SET Environment.x = SUBSTRING('a' FROM 1) + LEFT('a');", 2401, "LEFT takes 2 arguments"),
        ("DECLARE x CONSTANT INTEGER 1; SET x = 2;", 2432, "x is a constant"),
        ("MOVE Environment PARENT;", 2432, "takes a reference variable"),
        ("SET OutputRoot.(XMLNSC.Nonsense)x = 1;", 2432, "not a field type"),
    ],
)
def test_what_cannot_be_compiled_is_named_with_its_place(text: str, number: int, reason: str) -> None:
    program = Program()
    program.add(parse(module(text + " RETURN TRUE;"), "bad.esql"))
    program.compile()

    assert [problem.number for problem in program.errors] == [number]
    assert reason in str(program.errors[0])
    assert str(program.errors[0]).startswith("bad.esql:3:")


def test_a_literal_that_means_nothing_fails_when_it_is_evaluated() -> None:
    program = program_of(module("IF FALSE THEN SET Environment.d = DATE '0000-01-01'; END IF; RETURN TRUE;"))

    assert "not a valid literal" in str(program.warnings[0])
    assert run_unit(program, "M", b"<a/>", "XMLNSC").result is True
    assert error_of("SET Environment.d = DATE '2024-02-30';").root_cause().number == 2521


def test_modules_and_routines_that_are_defined_twice_are_named() -> None:
    program = Program()
    twice = "CREATE PROCEDURE p() BEGIN SET Environment.x = 1; END;"
    program.add(parse(module("RETURN TRUE;", twice + twice) + module("RETURN FALSE;"), "twice.esql"))
    program.compile()

    assert [problem.text for problem in program.errors] == [
        "the routine p is defined twice in M",
        "the module M is defined twice",
    ]
    assert run_unit(program, "M", b"<a/>", "XMLNSC").result is True


def test_one_bad_routine_does_not_take_the_others_along() -> None:
    program = Program()
    program.add(parse(module("RETURN TRUE;", "CREATE PROCEDURE bad() BEGIN SET nope = 1; END;"), "bad.esql"))
    program.compile()

    assert len(program.errors) == 1
    unit = program.unit("", "M")
    assert unit is not None and unit.main is not None


def test_a_case_with_hundreds_of_branches_is_one_look_up() -> None:
    """BA 2.3, 21."""
    literals = " ".join(f"WHEN {n} THEN 'v{n}'" for n in range(700))
    computed = " ".join(f"WHEN {n} THEN 'v' || CAST({n} AS CHARACTER)" for n in range(700))
    for branches in (literals, computed):
        outcome = run_statements(f"DECLARE i INTEGER 699; SET Environment.v = CASE i {branches} ELSE 'none' END;")
        assert outcome.value("v") == "v699"


def test_very_long_chains_of_operators_compile() -> None:
    concatenated = " || ".join(["'a'"] * 400)
    ored = " OR ".join(["FALSE"] * 300)
    anded = " AND ".join(["TRUE"] * 300)
    outcome = run_statements(
        f"SET Environment.l = LENGTH({concatenated}); SET Environment.o = {ored}; SET Environment.a = {anded};"
    )

    assert [outcome.value(n) for n in "loa"] == [400, False, True]


def test_switches_of_one_program_do_not_touch_another() -> None:
    strict = make_switches({"division_by_zero": "infinity"})
    assert isinstance(strict, Switches)
    assert run_statements("SET Environment.x = 1.0 / 0.0;", switches=strict).value("x") is not None
    assert error_of("SET Environment.x = 1.0 / 0.0;").root_cause().number == 2450
