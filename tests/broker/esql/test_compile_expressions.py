"""Expressions, paths, SELECT and databases of ESQL, compiled and run."""

from __future__ import annotations

from decimal import Decimal

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.run import Rows
from flintmq.broker.esql.switches import make_switches
from tests.broker.esql.running import Tables, error_of, run_statements, value_of

ORDER = (
    b"<Order id='7' xmlns:n='urn:n'><Item><Name>bolt</Name><Price>1.50</Price></Item>"
    b"<Item><Name>nut</Name><Price>2</Price></Item><n:Item>far</n:Item><Item><Name>cog</Name></Item></Order>"
)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("InputRoot.XMLNSC.Order.Item.Name", "bolt"),
        ("InputRoot.XMLNSC.Order.Item[2].Name", "nut"),
        ("InputRoot.XMLNSC.Order.Item[<].Name", "cog"),
        ("InputRoot.XMLNSC.Order.Item[<2].Name", "nut"),
        ("InputRoot.XMLNSC.Order.Item[>2].Name", "nut"),
        ("InputRoot.XMLNSC.Order.Item[1 + 1].Name", "nut"),
        ("InputRoot.XMLNSC.Order.Item[9].Name", None),
        ("InputRoot.XMLNSC.Order.(XMLNSC.Attribute)id", "7"),
        ("InputRoot.XMLNSC.Order.(XMLNSC.Attribute)*[1]", "7"),
        ("InputRoot.XMLNSC.Order.(XMLNSC.Field)id", None),
        ("InputRoot.XMLNSC.Order.*:Item[3]", "far"),
        ("InputRoot.XMLNSC.Order.{'Item'}[2].{'Na' || 'me'}", "nut"),
        ("InputRoot.XMLNSC.*.*:Item.Name", "bolt"),
        ("InputRoot.*[<].Order.Item.Price", "1.50"),
        ("InputBody.Order.Item.Name", "bolt"),
        ("InputRoot.XMLNSC.order.Item.Name", None),
        ("FIELDNAME(InputRoot.XMLNSC.*[1])", "Order"),
        ("FIELDNAME(InputRoot.[<])", "XMLNSC"),
        ("FIELDNAMESPACE(InputRoot.XMLNSC.Order.*:Item[3])", "urn:n"),
        ("FIELDTYPE(InputRoot.XMLNSC.Order.id)", 0x03000101),
        ("FIELDTYPE(InputRoot.XMLNSC.Order.Nothing)", None),
        ("FIELDTYPE(InputRoot.XMLNSC.Order) = XMLNSC.Folder", True),
        ("CARDINALITY(InputRoot.XMLNSC.Order.Item[])", 3),
        ("CARDINALITY(InputRoot.XMLNSC.Order.*:Item[])", 4),
        ("EXISTS(InputRoot.XMLNSC.Order.Item[])", True),
        ("EXISTS(InputRoot.XMLNSC.Order.Nothing[])", False),
        ("SINGULAR(InputRoot.XMLNSC.Order[])", True),
        ("SAMEFIELD(InputRoot.XMLNSC.Order.Item, InputRoot.XMLNSC.Order.Item[1])", True),
        ("SAMEFIELD(InputRoot.XMLNSC.Order.Item, InputRoot.XMLNSC.Order.Item[2])", False),
        ("MessageFlowLabel || '.' || SQL.NodeLabel", "TestFlow.TestNode"),
    ],
)
def test_paths(path: str, value: object) -> None:
    assert value_of(path, ORDER) == value


@pytest.mark.filterwarnings("error::SyntaxWarning")
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'a' || NULL", None),
        ("NULL = NULL", None),
        ("NULL IS NULL", True),
        ("InputRoot.XMLNSC.Order.None IS NULL", True),
        ("NULL AND FALSE", False),
        ("NULL OR TRUE", True),
        ("NOT NULL", None),
        ("TRUE AND NULL", None),
        ("1 = 2 OR NULL", None),
        ("FALSE AND 1 / 0 = 1", False),
        ("TRUE OR 1 / 0 = 1", True),
        ("NOT 'a' = 'b'", True),
        ("COALESCE(NULL, InputRoot.XMLNSC.Nothing, 'x', 1 / 0)", "x"),
        ("1 + 2 * 3", 7),
        ("7 / 2", 3),
        ("1.5 * 2", Decimal("3.0")),
        ("'a' || 'b' || 'c'", "abc"),
        ("5 BETWEEN 1 AND 10", True),
        ("5 BETWEEN SYMMETRIC 10 AND 1", True),
        ("5 NOT BETWEEN 1 AND 3", True),
        ("3 IN (1, 2, 3)", True),
        ("'bolt' IN (SELECT ITEM I.Name FROM InputRoot.XMLNSC.Order.Item[] AS I)", True),
        ("'nail' NOT IN (SELECT ITEM I.Name FROM InputRoot.XMLNSC.Order.Item[] AS I)", True),
        ("'abc' LIKE 'a%'", True),
        ("'a%c' LIKE 'a\\%c' ESCAPE '\\'", True),
        ("CASE WHEN 1 = 2 THEN 'a' WHEN 2 = 2 THEN 'b' ELSE 1 / 0 END", "b"),
        ("CASE 'x' WHEN 'y' THEN 1 WHEN 'x' THEN 2 END", 2),
        ("CASE 'z' WHEN 'y' THEN 1 WHEN 'x' THEN 2 WHEN 'q' THEN 3 ELSE 4 END", 4),
        ("CASE 'x' WHEN 'y' THEN 1 WHEN 'x' THEN 2 WHEN 'q' THEN 3 ELSE 1 / 0 END", 2),
        ("CASE 'z' WHEN 'y' THEN 1 WHEN 'x' THEN 2 WHEN 'q' THEN 3 ELSE 2 + 2 END", 4),
        ("5 IS NULL", False),
        ("'a' IS NOT NULL AND MQMT_REQUEST IS NOT NULL AND X'00' IS NOT UNKNOWN", True),
        ("'a' IS TRUE OR -1 IS FALSE", False),
        ("CAST('12' AS INTEGER) + 1", 13),
        ("CAST(InputRoot.XMLNSC.Order.Item.Price AS DECIMAL(5,1))", Decimal("1.5")),
        ("CAST('x' AS INTEGER DEFAULT 9)", 9),
        ("CAST(DATE '2024-01-31' AS CHARACTER FORMAT 'dd/MM/yyyy')", "31/01/2024"),
        (
            "CAST(CAST('31012024' AS DATE FORMAT 'ddMMyyyy') + INTERVAL '1' DAY AS CHARACTER FORMAT 'yyyyMMdd')",
            "20240201",
        ),
        ("CAST((TIMESTAMP '2024-01-02 00:00:10' - TIMESTAMP '2024-01-01 00:00:00') SECOND AS INTEGER)", 86410),
        ("EXTRACT(MONTH FROM DATE '2024-01-31')", 1),
        ("SUBSTRING('hello' FROM 2 FOR 3)", "ell"),
        ("SUBSTRING('a.b' BEFORE '.')", "a"),
        ("TRIM(LEADING '0' FROM '0070')", "70"),
        ("TRIM('  x ')", "x"),
        ("UPPER(LEFT('abc', 2))", "AB"),
        ("POSITION('b' IN 'abcb' FROM 3)", 4),
        ("OVERLAY('ABCDE' PLACING '12' FROM 2 FOR 3)", "A12E"),
        ("REPLACE(X'0A0B', X'0B', CAST('' AS BLOB CCSID 1208))", b"\x0a"),
        ("ROUND(2.345, 2 MODE ROUND_UP)", Decimal("2.35")),
        ("LENGTH(UUIDASCHAR)", 36),
        ("1 = ANY (LIST{3, 2, 1})", True),
        ("1 < ALL (LIST{3, 2, 1})", False),
        ("THE(SELECT ITEM I.Price FROM InputRoot.XMLNSC.Order.Item[] AS I WHERE I.Name = 'nut')", "2"),
        ("SELECT COUNT(*) FROM InputRoot.XMLNSC.Order.Item[] AS I", 3),
        ("SELECT COUNT(I.Price) FROM InputRoot.XMLNSC.Order.Item[] AS I", 2),
        ("SELECT SUM(CAST(I.Price AS DECIMAL)) FROM InputRoot.XMLNSC.Order.Item[] AS I", Decimal("3.50")),
        ("THE(SELECT ITEM SUM(CAST(I.Price AS DECIMAL)) FROM InputRoot.XMLNSC.Order.Item[] AS I)", Decimal("3.50")),
        ("SELECT MAX(I.Name) FROM InputRoot.XMLNSC.Order.Item[] AS I", "nut"),
        ("SELECT MIN(I.Name) FROM InputRoot.XMLNSC.Order.Item[] AS I WHERE I.Name > 'z'", None),
        ("FOR ALL InputRoot.XMLNSC.Order.Item[] AS I (I.Name IS NOT NULL)", True),
        ("ROW(1 AS a, 2 AS b) = ROW(1 AS a, 2 AS b)", True),
        ("LIST{1, 2} = LIST{1, 3}", False),
    ],
)
def test_expressions(expression: str, value: object) -> None:
    result = value_of(expression, ORDER)

    assert result == value
    assert type(result) is type(value)


def test_select_builds_rows_by_name_path_and_insert() -> None:
    outcome = run_statements(
        """SET OutputRoot.XMLNSC.r.l[] = SELECT I.Name, I.Price AS Cost.(XMLNSC.Attribute)Amount, 1 + 1
             FROM InputRoot.XMLNSC.Order.Item[] AS I WHERE I.Price IS NOT NULL;
           SET OutputRoot.XMLNSC.r.star = THE(SELECT * FROM InputRoot.XMLNSC.Order.Item[] AS I);
           SET OutputRoot.XMLNSC.r.ins = THE(SELECT I INSERT, 'x' AS y FROM InputRoot.XMLNSC.Order.Item[] AS I);""",
        ORDER,
    )

    assert outcome.write() == (
        b'<r><l><Name>bolt</Name><Cost Amount="1.50"/><Column3>2</Column3></l>'
        b'<l><Name>nut</Name><Cost Amount="2"/><Column3>2</Column3></l>'
        b"<star><Name>bolt</Name><Price>1.50</Price></star>"
        b"<ins><Name>bolt</Name><Price>1.50</Price><y>x</y></ins></r>"
    )


def test_columns_that_differ_only_in_type_or_namespace_are_told_apart() -> None:
    outcome = run_statements(
        """DECLARE n NAMESPACE 'urn:n';
           SET OutputRoot.XMLNSC.r.a = THE(SELECT I.Name AS (XMLNSC.Attribute)x FROM InputBody.Order.Item[] AS I);
           SET OutputRoot.XMLNSC.r.b = THE(SELECT I.Name AS x FROM InputBody.Order.Item[] AS I);
           SET OutputRoot.XMLNSC.r.c = THE(SELECT I.Name AS n:x FROM InputBody.Order.Item[] AS I);""",
        ORDER,
    )

    assert outcome.write() == (b'<r><a x="bolt"/><b><x>bolt</x></b><c><NS1:x xmlns:NS1="urn:n">bolt</NS1:x></c></r>')


def test_select_multiplies_its_sources_and_nests() -> None:
    outcome = run_statements(
        """SET Environment.t.k[] = LIST{1, 2};
           SET OutputRoot.XMLNSC.r.p[] = SELECT K AS k, I.Name AS n
             FROM Environment.t.k[] AS K, InputRoot.XMLNSC.Order.Item[] AS I WHERE I.Name = 'nut' OR K = 1;
           SET OutputRoot.XMLNSC.r.o = THE(SELECT O.(XMLNSC.Attribute)id AS id,
               (SELECT ITEM I.Name FROM O.Item[] AS I) AS names.n[]
             FROM InputRoot.XMLNSC.Order AS O);""",
        ORDER,
    )

    text = outcome.write()
    assert text.count(b"<p>") == 4
    assert text.endswith(b"<o><id>7</id><names><n>bolt</n><n>nut</n><n>cog</n></names></o></r>")


def test_a_list_where_one_value_is_needed_is_an_error() -> None:
    error = error_of("SET Environment.x = 1 + (SELECT ITEM I.Name FROM InputRoot.XMLNSC.Order.Item[] AS I);", ORDER)

    assert "use THE" in str(error)


def test_select_over_a_table_binds_values_and_reads_only_its_columns() -> None:
    tables = Tables(Rows(["NAME", "PRICE"], [("nut", 2)]))
    outcome = run_statements(
        """SET Environment.r[] = SELECT T.NAME, T.PRICE AS p FROM Database.SHOP.PARTS AS T
             WHERE T.NAME = InputBody.Order.Item[2].Name AND T.PRICE > 1 AND LENGTH(T.NAME || 'x') > 2;""",
        ORDER,
        databases={"DB": tables},
    )

    where = "(T.NAME = ?) AND (T.PRICE > ?) AND (LENGTH(T.NAME || ?) > ?)"
    assert tables.statements == [
        (f"SELECT T.NAME, T.PRICE FROM SHOP.PARTS T WHERE {where}", ["nut", 1, "x", 2]),
    ]
    assert outcome.value("r.p") == 2


def test_conditions_that_a_database_cannot_decide_are_tested_on_the_rows() -> None:
    tables = Tables(Rows(["NAME"], [("nut",), ("bolt",)]))
    outcome = run_statements(
        "SET Environment.r[] = SELECT T.NAME FROM Database.PARTS AS T WHERE POSITION('o' IN T.NAME) > 0;",
        databases={"DB": tables},
    )

    assert tables.statements == [("SELECT T.NAME FROM PARTS T", [])]
    assert outcome.value("r.NAME") == "bolt"


def test_aggregates_over_tables_are_left_to_the_database() -> None:
    tables = Tables(Rows(["n"], [(17,)]))
    outcome = run_statements(
        "SET Environment.n = SELECT COUNT(*) FROM Database.PARTS AS T WHERE T.K = 1;", databases={"DB": tables}
    )

    assert tables.statements == [("SELECT COUNT(*) FROM PARTS T WHERE (T.K = ?)", [1])]
    assert outcome.value("n") == 17


def test_insert_update_and_delete_are_statements_with_parameters() -> None:
    tables = Tables(Rows(changed=1))
    run_statements(
        """DECLARE dsn CHARACTER 'DB'; DECLARE s CHARACTER 'odd name"; DROP';
           INSERT INTO Database.{dsn}.SHOP.PARTS (NAME, PRICE) VALUES ('nut', 1 + 1);
           UPDATE Database.PARTS AS P SET PRICE = P.PRICE + 1, NAME = 'x' WHERE P.NAME = 'nut';
           DELETE FROM Database.{dsn}.{s}.PARTS AS P WHERE P.PRICE > 5;
           PASSTHRU 'TRUNCATE t WHERE a = ?' TO Database.DB VALUES (5);
           PASSTHRU('DELETE FROM u WHERE a = ? AND b = ?', 1, 2);
           COMMIT; ROLLBACK;""",
        databases={"DB": tables},
    )

    assert tables.statements == [
        ("INSERT INTO SHOP.PARTS (NAME, PRICE) VALUES (?, ?)", ["nut", 2]),
        ("UPDATE PARTS AS P SET PRICE = P.PRICE + ?, NAME = ? WHERE P.NAME = ?", [1, "x", "nut"]),
        ('DELETE FROM "odd name""; DROP".PARTS AS P WHERE P.PRICE > ?', [5]),
        ("TRUNCATE t WHERE a = ?", [5]),
        ("DELETE FROM u WHERE a = ? AND b = ?", [1, 2]),
    ]
    assert tables.ended == ["commit", "rollback"]


def test_passthru_gives_rows() -> None:
    tables = Tables(Rows(["ID", "NAME"], [(1, "a"), (2, "b")]))
    outcome = run_statements(
        """DECLARE rs ROW; SET rs.root[] = PASSTHRU('SELECT * FROM t WHERE x = ?', 7);
           SET Environment.n = CARDINALITY(rs.root[]); SET Environment.v = rs.root[2].NAME;""",
        databases={"DB": tables},
    )

    assert (outcome.value("n"), outcome.value("v")) == (2, "b")
    assert tables.statements == [("SELECT * FROM t WHERE x = ?", [7])]


def test_database_errors_raise_or_set_sqlcode_as_the_node_says() -> None:
    error = BrokerError(2322, "duplicate key", kind="DatabaseException", sqlstate="D23505", sqlcode=-803)
    text = """INSERT INTO Database.T (A) VALUES (1); SET Environment.s = SQLSTATE; SET Environment.c = SQLCODE;
              SET Environment.t = SQLERRORTEXT;"""

    with pytest.raises(BrokerError) as raised:
        run_statements(text, databases={"DB": Tables(error=error)})
    assert raised.value.root_cause().sqlstate == "D23505"

    outcome = run_statements(text, databases={"DB": Tables(error=error)}, throw_on_database_error=False)
    assert [outcome.value(n) for n in "sct"] == ["D23505", -803, "duplicate key"]


def test_an_update_that_changes_nothing_says_sqlcode_100() -> None:
    outcome = run_statements(
        "UPDATE Database.T SET A = 1 WHERE T.B = 2; SET Environment.c = SQLCODE;", databases={"DB": Tables()}
    )

    assert outcome.value("c") == 100


def test_parse_and_asbitstream_are_inverse() -> None:
    """BA 2.3, 15 and 16: options by keyword in any order, or by position."""
    outcome = run_statements(
        """DECLARE b BLOB ASBITSTREAM(InputRoot.XMLNSC OPTIONS FolderBitStream CCSID 1208);
           CREATE LASTCHILD OF Environment DOMAIN('XMLNSC') NAME 'Copy';
           CREATE LASTCHILD OF Environment.Copy PARSE(b OPTIONS FolderBitStream CCSID 1208 FORMAT 'XMLNSC');
           DECLARE whole BLOB ASBITSTREAM(InputRoot.XMLNSC, InputRoot.Properties.Encoding, 1208);
           CREATE LASTCHILD OF OutputRoot DOMAIN('JSON')PARSE(CAST('{"a":[1,2]}' AS BLOB CCSID 1208), 546, 1208);
           SET Environment.a = OutputRoot.JSON.Data.a.Item[2];
           SET Environment.text = CAST(whole AS CHARACTER CCSID 1208);""",
        ORDER,
    )

    assert outcome.value("a") == 2
    assert outcome.value("text") == ORDER.decode()
    assert outcome.root.child("JSON") is not None
    assert outcome.write("JSON") == b'{"a":[1,2]}'


def test_json_arrays_are_made_by_type_and_null_by_value() -> None:
    outcome = run_statements(
        """CREATE FIELD OutputRoot.JSON.Data.list IDENTITY (JSON.Array)list;
           SET OutputRoot.JSON.Data.list.Item[1] = 'a'; SET OutputRoot.JSON.Data.list.Item[2] = 2;
           SET OutputRoot.JSON.Data.none VALUE = NULL; SET OutputRoot.JSON.Data.gone = NULL;
           SET OutputRoot.JSON.Data.(JSON.Array)rows.Item.x = TRUE;
           SET OutputRoot.JSON.Data.copy = OutputRoot.JSON.Data.list;"""
    )

    assert outcome.write("JSON") == b'{"list":["a",2],"none":null,"rows":[{"x":true}],"copy":["a",2]}'


def test_attributes_are_lost_in_the_environment_and_kept_with_a_domain() -> None:
    """MF 1.7: a tree without a parser keeps names and values only."""
    outcome = run_statements(
        """SET Environment.plain = InputRoot.XMLNSC;
           CREATE LASTCHILD OF Environment DOMAIN('XMLNSC') NAME 'kept';
           SET Environment.kept = InputRoot.XMLNSC;
           SET Environment.p = FIELDTYPE(Environment.plain.Order.id);
           SET Environment.k = FIELDTYPE(Environment.kept.Order.id);""",
        ORDER,
    )

    assert outcome.value("p") == 0x03000000
    assert outcome.value("k") == 0x03000101


def test_deep_nesting_of_parentheses_is_a_syntax_error_not_a_crash() -> None:
    from flintmq.broker.esql.parser import parse_statements

    parsed = parse_statements("SET Environment.x = " + "(" * 5000 + "1" + ")" * 5000 + ";")

    assert parsed.errors


def test_a_row_of_a_list_has_one_field_per_item() -> None:
    """Recorded from a running product: fields of a ROW without a name are Column0."""
    outcome = run_statements(
        """CREATE FIELD OutputRoot.JSON.Data.rows IDENTITY (JSON.Array)rows;
           SET OutputRoot.JSON.Data.rows = ROW (SELECT I.Name FROM InputRoot.XMLNSC.Order.Item[] AS I
                                                WHERE I.Price > '0');
           SET OutputRoot.JSON.Data.one = ROW (1 + 1, 'a' AS b);""",
        ORDER,
    )

    assert outcome.write("JSON") == b'{"rows":[{"Name":"bolt"},{"Name":"nut"}],"one":{"Column0":2,"b":"a"}}'


def test_a_bit_stream_of_a_tree_without_a_parser_is_empty_or_an_error() -> None:
    text = "SET Environment.a = 'x'; SET OutputRoot.JSON.Data.b = ASBITSTREAM(Environment.a CCSID 1208);"

    assert run_statements(text).write("JSON") == b'{"b":""}'
    with pytest.raises(BrokerError, match="belongs to no parser"):
        run_statements(text, switches=make_switches({"bit_stream_of_plain_tree": "error"}))
