"""A report as data and as text and CSV; what the command refuses. Reports from records: test_reports_records.py."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")

from flintmq.cli import main  # noqa: E402
from flintmq.pipeline.errors import BadOption  # noqa: E402
from flintmq.pipeline.reports import csv, text  # noqa: E402
from flintmq.pipeline.reports.model import Chart, Column, Report, Series, Table  # noqa: E402
from flintmq.pipeline.reports.options import Options, moment, period, settings_of  # noqa: E402
from flintmq.pipeline.reports.registry import FORMATS, REPORTS  # noqa: E402


def example() -> Report:
    columns = [Column("Queue"), Column("Depth", 0), Column("Rate", 2, "MB/s")]
    rows = [("A,B", 1234567, 0.125), ("SHORT", None, 12.0)]
    chart = Chart("Depth over time", "line", ["10:00", "10:01", "10:02"], [Series("A", [5.0, None, 2.5])], "messages")
    return Report(
        "example", "An example", ["One sentence."], [Table("Queues", columns, list(rows), left_out=7)], [chart]
    )


def test_text_sets_numbers_right_and_says_how_many_rows_were_left_out() -> None:
    assert text.render([example()]) == (
        "An example\n==========\n\nOne sentence.\n\n"
        "Queues\n------\n"
        "Queue      Depth  Rate (MB/s)\n"
        "-----  ---------  -----------\n"
        "A,B    1,234,567         0.12\n"
        "SHORT                   12.00\n"
        "... and 7 more; --rows N shows more\n\n"
        "Depth over time\n---------------\n"
        f"10:00  {'#' * 50} 5\n10:01\n10:02  {'#' * 25} 2.50\n(messages)\n"
    )


def test_text_thins_a_chart_out_and_keeps_its_peaks() -> None:
    """Each of several series has places of its own; 100 of them are 34 groups of three."""
    x = [f"{number:03d}" for number in range(200)]
    values: list[float | None] = [1.0] * 200
    values[76] = 50.0
    even = Series("even", [value if not number % 2 else None for number, value in enumerate(values)])
    odd = Series("odd", [2.0 if number % 2 else None for number in range(200)])
    shown = text.render([Report("r", "R", charts=[Chart("C", "line", x, [even, odd])])]).splitlines()
    first, second = shown[shown.index("even") + 1 : shown.index("odd")], shown[shown.index("odd") + 1 :]
    assert f"076  {'#' * 50} 50" in first and first[-1] == "(the highest of every 3)" and len(first) == 35
    assert len(second) == 35 and all(line.endswith(" 2") for line in second[:-1])


def test_text_prints_a_listing_instead_of_its_table() -> None:
    report = example()
    report.tables[0].listing = ["= Queue Name A"]
    shown = text.render([report])
    assert "= Queue Name A\n" in shown and "SHORT" not in shown


def test_csv_quotes_what_needs_it_and_does_not_round_to_the_decimals_of_text() -> None:
    assert csv.render([example()]) == 'Queue,Depth,Rate (MB/s)\n"A,B",1234567,0.125\nSHORT,,12\n'


def test_csv_of_several_tables_names_each() -> None:
    report = example()
    report.tables.append(Table("Others", [Column("X", 0)], [(1,)]))
    assert csv.render([report]).split("\n\n")[1] == "# example: Others\nX\n1\n"
    assert csv.render([Report("r", "R", ["Nothing there."])]) == "# Nothing there.\n"


def test_a_time_is_utc_unless_it_says_otherwise() -> None:
    assert moment("--from", "2024-03-01") == datetime(2024, 3, 1, tzinfo=UTC)
    assert moment("--from", "2024-03-01T10:00+02:00") == datetime(2024, 3, 1, 8, tzinfo=UTC)
    for wrong in ("yesterday", "2024-02-30", "0001-01-01T00:00+14:00"):
        with pytest.raises(BadOption, match="a time is written 2024-03-01"):
            moment("--from", wrong)


def test_a_period_that_ends_before_it_begins_is_refused() -> None:
    assert period("", "") == (None, None)
    assert period("2024-03-01", "2024-03-02")[1] == datetime(2024, 3, 2, tzinfo=UTC)
    for until in ("2024-03-01", "2024-02-01"):
        with pytest.raises(BadOption, match="is not before --until"):
            period("2024-03-01", until)


def test_a_setting_is_one_that_the_report_has() -> None:
    assert settings_of(["job=A=B"], {"job": "which"}, "task") == {"job": "A=B"}
    with pytest.raises(BadOption, match="task has no such setting; it has job"):
        settings_of(["queue=X"], {"job": "which"}, "task")
    with pytest.raises(BadOption, match="write --set name=value"):
        settings_of(["job"], {"job": "which"}, "task")
    assert Options(settings={"n": "2.5"}).number("n", 1) == 2.5 and Options().number("n", 1) == 1
    for wrong in ("x", "-1", "nan", "inf"):
        with pytest.raises(BadOption, match="not a number of at least 0"):
            Options(settings={"n": wrong}).number("n", 1)


def test_every_report_says_what_it_is_and_has_a_form_that_exists() -> None:
    for name, entry in REPORTS.items():
        assert name == name.lower() and entry.summary and entry.format in FORMATS and entry.rows > 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["report", "nosuch", "--out", "."], "there is no report nosuch; there are qstat, "),
        (["report", "qstat", "--out", ".", "--format", "pdf"], "there is no format pdf; there are text, csv"),
        (["report", "qstat", "--out", ".", "--from", "soon"], "a time is written 2024-03-01"),
        (["report", "qstat", "--out", ".", "--rows", "0"], "at least one row"),
        (["report", "qstat", "--out", ".", "--set", "x=1"], "qstat has no such setting"),
        (["report", "qstat", "--out", "."], "has no tables of records: `flint pipeline run"),
        (["report", "qstat", "--out", "nowhere"], "nowhere: there is no such directory"),
        (["report", "qstat"], "--out DIR, or FLINT_TABLES"),
        (["report", "capacity", "qstat"], "--out DIR, or FLINT_TABLES"),
        (["report", "itr", "--set", "cost=3"], "a conversion needs two machines"),
        (["report", "itr", "--to", "nowhere/x.html"], "--to nowhere/x.html: there is no directory nowhere"),
        (["report", "itr", "--to", "."], "--to .: that is a directory"),
        (["report", "itr", "--from", "2024-03-01", "--until", "2024-03-01"], "is not before --until"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_before_spark_starts(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FLINT_TABLES", raising=False)
    monkeypatch.delenv("FLINT_DEBUG", raising=False)
    assert main.main(["pipeline", *words]) in (1, 2)
    shown = capsys.readouterr().err
    assert expected in shown and shown.count("\n") == 1


def test_what_needs_no_records_needs_no_tables_and_no_spark(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """B169, B215: arithmetic. Without Java it would not start."""
    monkeypatch.delenv("FLINT_TABLES", raising=False)
    monkeypatch.setenv("JAVA_HOME", "nowhere")
    given = ["memory=1466", "used=120", "from=2084-304", "to=2064-1C5", "cost=98"]
    words = ["pipeline", "report", "capacity", "itr", *(f"--set={setting}" for setting in given)]
    assert main.main(words) == 0
    shown = capsys.readouterr().out
    assert "4,643 channels fit" in shown and "98 us on 2084-304 are 180.0 us on 2064-1C5" in shown
    assert main.main(["pipeline", "report", "itr"]) == 0
    assert "9672-X27" in capsys.readouterr().out


def test_text_sends_no_control_characters_to_the_terminal() -> None:
    report = Report("r", "R", ["a\x1b[2Jb\x9f"], [Table("", [Column("Q")], [("\x07é",)])])
    assert "a.[2Jb." in text.render([report]) and ".é" in text.render([report])


def test_without_a_name_the_reports_are_listed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FLINT_TABLES", raising=False)
    assert main.main(["pipeline", "report"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in REPORTS if not any(line.startswith(f"{name} ") for line in shown.splitlines())] == []


def test_a_page_says_which_dumps_queue_managers_and_time_it_is_made_from(tmp_path: Path) -> None:
    """Issue 14, item 16. Without Spark: from the names and footers of files."""
    from flintmq.pipeline.reports.options import Options, period
    from flintmq.pipeline.reports.source import source_of
    from tests.pipeline.report_tables import silver
    from tests.pipeline.test_report_anomalies import HOUR, MIDNIGHT, QUARTER, statistics

    records = [statistics(MIDNIGHT + number * HOUR + QUARTER, QUARTER, {"Q": 1}) for number in range(3)]
    tables = silver(tmp_path, *records)
    whole = source_of(tables, Options())
    assert (whole.dumps, whole.qmgrs) == (("a.dat",), ("MQA1",))
    assert whole.sentence() == ("Queue manager MQA1; 2024-03-01 00:00 to 2024-03-01 02:00 UTC; from 1 dump: a.dat.")
    none = source_of(tables, Options(("OTHER",)))
    assert none.sentence() == "No records were chosen."
    later = source_of(tables, Options((), *period("2024-03-01T01:00", "")))
    assert later.first is not None and later.first.hour == 1
