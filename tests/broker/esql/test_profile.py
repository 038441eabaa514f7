"""The profile of ESQL: calls, time by statement with a clock of our own, coverage, output."""

from __future__ import annotations

import json
import threading

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.parser import parse
from flintmq.broker.esql.profile import Profile, as_json, listing, summary, totals
from flintmq.broker.esql.program import Program
from tests.broker.esql.running import program_of, run_unit

TEXT = """CREATE COMPUTE MODULE M
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    DECLARE n INTEGER 0;
    WHILE n < 3 DO
      SET n = n + 1;
    END WHILE;
    IF n > 5 THEN
      SET Environment.never = 1;
    ELSE
      CALL Helper(n);
    END IF;
    RETURN TRUE;
  END;
  CREATE PROCEDURE Helper(IN n INTEGER)
  BEGIN
    SET Environment.x = n;
    IF n > 100 THEN CALL Helper(n - 1); END IF;
  END;
END MODULE;
"""


class Clock:
    """Moves on by one microsecond whenever it is read."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        self.now += 1000
        return self.now


def profiled(text: str = TEXT, clock: Clock | None = None) -> tuple[Program, Profile]:
    program = Program(profile=True)
    program.add(parse(text, "m.esql"))
    program.compile()
    assert program.errors == []
    return program, Profile(program, clock or Clock())


def run(program: Program) -> None:
    run_unit(program, "M", b"<a/>", "XMLNSC")


def test_every_statement_is_counted_by_line() -> None:
    program, profile = profiled()
    run(program)
    run(program)

    [file] = profile.files()

    assert {line.line: line.calls for line in file.lines.values()} == {
        4: 2,
        5: 2,
        6: 6,
        8: 2,
        9: 0,
        11: 2,
        13: 2,
        17: 2,
        18: 2,
    }
    assert (file.statement_lines, file.covered_lines, file.missed) == (9, 8, [9])


def test_time_goes_to_the_statement_that_runs_and_returns_to_the_caller() -> None:
    """The clock is read at each statement, call and return, and moves on by 1 us each time."""
    program, profile = profiled()
    run(program)

    [file] = profile.files()

    times = {line.line: line.microseconds for line in file.lines.values()}
    # Line 11 runs before the call and after the return; the others until the next statement or the return.
    assert times == {4: 1, 5: 1, 6: 3, 8: 1, 9: 0, 11: 2, 13: 1, 17: 1, 18: 1}
    assert file.microseconds == 11


def test_a_routine_has_its_own_time_and_that_of_what_it_calls() -> None:
    program, profile = profiled()
    run(program)

    found = {each.name: each for each in profile.routines()}

    assert (found["M.Main"].calls, found["M.Helper"].calls) == (1, 1)
    assert (found["M.Main"].own_nanoseconds, found["M.Helper"].own_nanoseconds) == (9000, 2000)
    # From entry to return: 9 of its own, 3 of the call, and 1 before its first statement.
    assert (found["M.Main"].total_nanoseconds, found["M.Helper"].total_nanoseconds) == (13000, 3000)


def test_a_routine_that_calls_itself_counts_its_time_once() -> None:
    text = """CREATE COMPUTE MODULE M
      CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN RETURN Down(3) = 0; END;
      CREATE FUNCTION Down(IN n INTEGER) RETURNS INTEGER BEGIN
        IF n = 0 THEN RETURN 0; END IF;
        RETURN Down(n - 1);
      END;
    END MODULE;"""
    program, profile = profiled(text)
    run(program)

    found = {each.name: each for each in profile.routines()}

    assert found["M.Down"].calls == 4
    assert found["M.Down"].total_nanoseconds < found["M.Main"].total_nanoseconds


def test_an_error_leaves_the_stack_as_it_was() -> None:
    text = """CREATE COMPUTE MODULE M
      CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
        CALL Broken();
        RETURN TRUE;
      END;
      CREATE PROCEDURE Broken() BEGIN
        SET Environment.x = 1 / 0;
      END;
    END MODULE;"""
    program, profile = profiled(text)
    with pytest.raises(BrokerError) as raised:
        run(program)
    assert [entry.number for entry in raised.value.chain()] == [2488, 2488, 2439, 2450]
    with pytest.raises(BrokerError):
        run(program)

    [file] = profile.files()
    assert {line.line: line.calls for line in file.lines.values()} == {3: 2, 4: 0, 7: 2}


def test_threads_are_added_up() -> None:
    program, profile = profiled()
    threads = [threading.Thread(target=run, args=(program,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    [file] = profile.files()

    assert file.lines[6].calls == 9


def test_a_program_without_a_profile_is_refused() -> None:
    with pytest.raises(ValueError, match="without a profile"):
        Profile(program_of(TEXT))


def test_the_listing_shows_calls_time_and_text_of_each_line() -> None:
    program, profile = profiled()
    run(program)

    lines = listing(profile.files())

    assert lines[0] == "m.esql: 8 of 9 lines with statements ran (89 %), 10 statements, 11.0 us"
    assert lines[1] == "    calls          us  line"
    assert lines[2] == "                          1  CREATE COMPUTE MODULE M"
    assert lines[7] == "        3         3.0     6        SET n = n + 1;"
    assert lines[10] == "        -                 9        SET Environment.never = 1;"


def test_the_totals_name_routines_and_files() -> None:
    program, profile = profiled()
    run(program)

    lines = totals(profile.files(), profile.routines())

    assert lines[1:] == [
        "        1         9.0        13.0  M.Main",
        "        1         2.0         3.0  M.Helper",
        "m.esql: 8 of 9 lines with statements ran (89 %), 10 statements, 11.0 us",
    ]


def test_several_files_have_a_sum() -> None:
    program = Program(profile=True)
    program.add(parse(TEXT, "m.esql"))
    program.add(parse("CREATE PROCEDURE Unused() BEGIN SET Environment.x = 1; END;", "library.esql"))
    program.compile()
    profile = Profile(program, Clock())
    run(program)

    assert totals(profile.files(), profile.routines())[-1].startswith("all: 8 of 10 lines with statements ran (80 %)")


def test_the_json_form_holds_the_same_figures() -> None:
    program, profile = profiled()
    run(program)

    found = json.loads(json.dumps(as_json(profile.files(), profile.routines())))

    assert found["files"][0]["missed"] == [9]
    assert {"line": 6, "calls": 3, "microseconds": 3.0} in found["files"][0]["lines"]
    assert found["routines"][0] == {
        "routine": "M.Main",
        "file": "m.esql",
        "calls": 1,
        "own_microseconds": 9.0,
        "total_microseconds": 13.0,
    }


def test_a_file_without_statements_is_covered() -> None:
    program, profile = profiled()
    [file] = profile.files()
    file.lines.clear()
    assert summary(file) == "0 of 0 lines with statements ran (100 %), 0 statements, 0.0 us"


def test_statements_inside_handlers_and_case_are_counted() -> None:
    text = """CREATE COMPUTE MODULE M
      CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
        DECLARE CONTINUE HANDLER FOR SQLSTATE LIKE '%'
        BEGIN
          SET Environment.handled = TRUE;
        END;
        SET Environment.x = 1 / 0;
        CASE 'b' WHEN 'a' THEN
          SET Environment.y = 1;
        ELSE
          SET Environment.y = 2;
        END CASE;
        RETURN TRUE;
      END;
    END MODULE;"""
    program, profile = profiled(text)
    run(program)

    [file] = profile.files()
    assert {line.line: line.calls for line in file.lines.values()} == {5: 1, 7: 1, 8: 1, 9: 0, 11: 1, 13: 1}
