"""Reports as one HTML page: whole without a network, safe whatever a queue is called, readable without eyes."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.pipeline.reports.html import ROWS_OPEN, page
from flintmq.pipeline.reports.markup import escaped, slug
from flintmq.pipeline.reports.model import Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.reports.svg import (
    BARS_MAX,
    LINES_MAX,
    axis_of,
    describe,
    draw,
    drawn,
    labels_of,
    short,
    text_width,
    time_marks,
    wrapped,
)

HOSTILE = "</title></svg><script>alert('x')</script><img src=x onerror=alert(1)>\" onload=\"&amp;\x00\u202e\ud800"
#: What has no end tag.
VOID = {"meta", "br", "hr", "img", "input", "link"}


class Reader(HTMLParser):
    """Every tag with its attributes, in order; fails where tags do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def attributes(self, name: str) -> list[str]:
        return [value for _, attributes in self.tags if (value := attributes.get(name)) is not None]


def report_of(word: str, name: str = "test") -> Report:
    """A report with the word in every place that takes text."""
    table = Table(word, [Column(word), Column(word, 1, word)], [(word, 1234.56), (None, None), (word, math.nan)], 7)
    charts = [
        Chart(word, kind, [word, f"{word}2", "3"], [Series(word, [1.0, None, 3.0]), Series("b", [2.0])], word)
        for kind in ("line", "bar")
    ]
    return Report(name, word, [word, word], [table], charts)


class TestPage:
    def test_a_hostile_name_is_text_wherever_it_stands(self) -> None:
        plain, hostile = Reader(page([report_of("Q1")] * 2)), Reader(page([report_of(HOSTILE)] * 2, HOSTILE, HOSTILE))
        # Of long labels fewer stand under the line of a narrow chart, and a long name has several lines.
        varying = {"p", "text", "title", "tspan"}
        assert [t for t, _ in hostile.tags if t not in varying] == [t for t, _ in plain.tags if t not in varying]
        assert [tag for tag, _ in hostile.tags].count("script") == 1
        assert not [name for _, attributes in hostile.tags for name in attributes if name.startswith("on")]
        made = page([report_of(HOSTILE)])
        assert not set(made) & {"\x00", "\u202e", "\ud800"}
        assert "\ufffd" in made and made.encode("utf-8")

    def test_the_glance_has_figures_and_pictures_and_names_what_has_nothing_to_say_in_a_line(self) -> None:
        """Issue 14, item 16."""
        loud = report_of("Q1", "msg")
        loud.figures = [Figure("puts", "1,234", "a second")]
        silent = Report("qstat", "QSTAT", ["There are no records."], silent=True)
        made = page([loud, silent], about="Queue manager QM1; from 1 dump: a.dat.")
        glance = made[made.index("At a glance") : made.index("</section>")]
        assert "1,234" in glance and "a second" in glance and 'class="spark"' in glance
        assert "There are no records." not in glance and '<a href="#qstat">qstat</a>' in glance
        assert made.index("from 1 dump: a.dat.") < made.index("At a glance")

    def test_the_key_columns_of_a_wide_table_stay_in_view(self) -> None:
        columns = [Column("QMgr"), Column("Queue"), *(Column(f"N{number}", 0) for number in range(10))]
        row = ("QM1", "ORDERS", *range(10))
        made = page([Report("a", "A", [], [Table("Wide", columns, [row])])])
        assert '<th scope="col" class="k">QMgr</th><th scope="col" class="k">Queue</th>' in made
        assert '<td class="w k">QM1</td><td class="w k">ORDERS</td><td class="n" data-v="0">' in made

    def test_the_page_loads_nothing_and_runs_only_its_own_script(self) -> None:
        made = page([report_of("Q1"), report_of("Q2")])
        reader = Reader(made)
        assert "://" not in made and "@import" not in made and "url(" not in made
        assert reader.attributes("src") == []
        assert all(address.startswith("#") for address in reader.attributes("href"))
        script = re.findall(r"<script>(.*?)</script>", made, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
        policy = next(value for value in reader.attributes("content") if "default-src" in value)
        assert len(script) == 1 and f"script-src 'sha256-{digest}'" in policy and "default-src 'none'" in policy

    def test_every_entry_of_the_contents_leads_somewhere_and_no_name_is_there_twice(self) -> None:
        reader = Reader(page([report_of("A", "log"), report_of("B", "log"), report_of("C", "***")]))
        idents = reader.attributes("id")
        assert len(idents) == len(set(idents))
        assert {address[1:] for address in reader.attributes("href")} <= set(idents)
        assert {"log", "log-2", "part"} <= set(idents)

    def test_numbers_stand_to_the_right_with_units_and_what_was_not_recorded_is_empty(self) -> None:
        columns = [Column("Queue"), Column("Rate", 2, "MB/s")]
        made = page([Report("r", "R", [], [Table("T", columns, [("Q1", 1234567.891), ("Q2", None)])])])
        assert '<th scope="col" class="n">Rate <small>MB/s</small></th>' in made
        assert '<td class="n" data-v="1234567.891">1,234,567.89</td>' in made
        assert '<td class="w">Q2</td><td class="n"></td>' in made

    def test_a_long_table_scrolls_and_says_what_it_leaves_out(self) -> None:
        rows: list[tuple[str | int | float | None, ...]] = [(number,) for number in range(ROWS_OPEN + 1)]
        made = page([Report("r", "R", [], [Table("T", [Column("N", 0)], rows, 12345)])])
        assert 'class="scroll long"' in made and "12,345 more rows are not shown." in made

    def test_a_page_without_anything_is_still_a_page(self) -> None:
        made = page([Report("r", "Nothing", [], [Table("T", [])], [Chart("C", "line", [], [])])])
        assert Reader(page([])).tags and "no rows" in made and "no values" in made

    def test_the_first_sentences_come_first_where_there_are_several_reports(self) -> None:
        two = page([report_of("one", "a"), Report("b", "Two", ["The log is half full."])])
        assert two.index("At a glance") < two.index("The log is half full.") < two.index('<section id="a">')
        assert "At a glance" not in page([report_of("one")])

    @given(st.text(), st.floats())
    def test_whatever_a_record_holds_the_page_is_well_formed(self, word: str, value: float) -> None:
        table = Table(word, [Column(word), Column(word, 3)], [(word, value)])
        charts = [Chart(word, kind, [word], [Series(word, [value])], word) for kind in ("line", "bar")]
        made = page([Report(word, word, [word], [table], charts)], word)
        assert [tag for tag, _ in Reader(made).tags].count("script") == 1
        assert made.encode("utf-8")


class TestChart:
    def test_a_chart_has_a_title_and_a_sentence_that_it_is_labelled_by(self) -> None:
        chart = Chart("Depth", "line", ["10:00", "10:01", "10:02"], [Series("Q1", [5.0, 1.0, 12000.0])])
        root = ElementTree.fromstring(draw(chart, "d1"))
        assert root.get("role") == "img"
        labels = [
            found.text
            for ident in str(root.get("aria-labelledby")).split()
            for found in root
            if found.get("id") == ident
        ]
        assert labels == ["Depth", "Q1: lowest 1 at 10:01, highest 12 k at 10:02."]

    def test_a_gap_in_the_values_is_a_gap_in_the_line_and_a_lone_value_a_dot(self) -> None:
        values = [1.0, 2.0, None, 3.0, math.inf, 4.0, 5.0]
        root = ElementTree.fromstring(draw(Chart("C", "line", list("abcdefg"), [Series("s", values)]), "c"))
        lines = [str(part.get("points")).split() for part in root.iter("polyline")]
        assert [len(line) for line in lines] == [2, 2]
        assert len([part for part in root.iter("circle") if "dot" in str(part.get("class"))]) == 1

    def test_lines_of_several_queue_managers_are_whole_whatever_the_others_times_are(self) -> None:
        """Issue 14, item 16: intervals of two queue managers do not begin together."""
        first = [f"2024-03-01 10:{minute:02}:00" for minute in range(0, 60, 10)]
        second = [f"2024-03-01 10:{minute:02}:30" for minute in range(3, 60, 10)]
        x = sorted([*first, *second])
        series = [Series(name, [1.0 if at in own else None for at in x]) for name, own in (("A", first), ("B", second))]
        root = ElementTree.fromstring(draw(Chart("C", "line", x, series), "c"))
        assert [len(str(line.get("points")).split()) for line in root.iter("polyline")] == [6, 6]
        assert not [part for part in root.iter("circle") if "dot" in str(part.get("class"))]

    def test_an_interval_that_is_missing_is_a_gap_and_times_are_to_scale(self) -> None:
        x = [f"2024-03-01 {at}:00" for at in ("10:00", "10:10", "10:20", "11:20", "11:30")]
        root = ElementTree.fromstring(draw(Chart("C", "line", x, [Series("s", [1.0, 2.0, 3.0, 4.0, 5.0])]), "c"))
        lines = [
            [float(pair.split(",")[0]) for pair in str(line.get("points")).split()] for line in root.iter("polyline")
        ]
        assert [len(line) for line in lines] == [3, 2]
        step = lines[0][1] - lines[0][0]
        assert lines[1][0] - lines[0][2] == pytest.approx(6 * step, rel=0.01)
        assert [label for _, label in time_marks(0, 3600)][:3] == ["01-01", "00:10", "00:20"]

    def test_no_two_lines_look_the_same_and_more_than_can_be_told_apart_are_counted(self) -> None:
        x = ["2024-03-01 10:00:00", "2024-03-01 10:10:00"]
        series = [Series(f"QM{number}", [float(number), float(number)]) for number in range(LINES_MAX + 5)]
        chart = Chart("C", "line", x, series)
        root = ElementTree.fromstring(draw(chart, "c"))
        looks = [(line.get("class"), line.get("stroke-dasharray")) for line in root.iter("polyline")]
        assert len(looks) == len(set(looks)) == LINES_MAX
        assert "5 more are not drawn" in draw(chart, "c")
        assert drawn(chart)[0][-1].name == f"QM{LINES_MAX + 4}"  # Those that reach highest.

    def test_bars_are_as_long_as_their_values(self) -> None:
        chart = Chart("C", "bar", ["A", "B", "C"], [Series("s", [100.0, 50.0, None])])
        widths = [float(str(part.get("width"))) for part in ElementTree.fromstring(draw(chart, "c")).iter("rect")]
        assert len(widths) == 2 and widths[0] == pytest.approx(2 * widths[1], abs=0.2)

    def test_negative_values_lie_on_the_other_side_of_zero(self) -> None:
        chart = Chart("C", "bar", ["A", "B"], [Series("s", [-10.0, 10.0])])
        first, second = list(ElementTree.fromstring(draw(chart, "c")).iter("rect"))
        end = float(str(first.get("x"))) + float(str(first.get("width")))
        assert end == pytest.approx(float(str(second.get("x"))), abs=0.2)

    def test_more_bars_than_can_be_read_are_counted_instead(self) -> None:
        names = [f"Q{number}" for number in range(BARS_MAX + 3)]
        made = draw(Chart("C", "bar", names, [Series("s", [1.0] * len(names))]), "c")
        assert made.count("<rect") == BARS_MAX and "3 more are not drawn" in made

    def test_a_kind_that_does_not_exist_is_refused(self) -> None:
        with pytest.raises(ValueError, match="a chart is line or bar, not 'pie'"):
            draw(Chart("C", "pie", [], []), "c")

    def test_times_of_one_day_are_shown_without_their_date(self) -> None:
        assert labels_of(["2024-03-01 10:00", "2024-03-01 10:15"]) == (["10:00", "10:15"], "2024-03-01")
        assert labels_of(["2024-03-01 10:00", "2024-03-02 10:00"]) == (["03-01 10:00", "03-02 10:00"], "")
        years = (["2023-12-31 10:00", "2024-01-01 10:00"], "")
        assert labels_of(["2023-12-31 10:00:30", "2024-01-01 10:00:30"]) == years
        assert labels_of(["Monday", "Tuesday"]) == (["Monday", "Tuesday"], "")

    def test_labels_of_a_line_do_not_run_into_each_other(self) -> None:
        labels = [f"2024-03-{day:02} {hour:02}:00" for day in range(1, 8) for hour in range(24)]
        root = ElementTree.fromstring(draw(Chart("C", "line", labels, [Series("s", [1.0] * len(labels))]), "c"))
        places = [float(str(part.get("x"))) for part in root.iter("text") if part.find("title") is not None]
        assert len(places) >= 4
        letters = max(len(str(part.text)) for part in root.iter("text") if part.find("title") is not None)
        assert min(after - before for before, after in zip(places, places[1:], strict=False)) > letters * 7 * 1.4

    def test_a_series_without_values_is_described_as_such(self) -> None:
        assert describe(Chart("C", "line", ["a"], [Series("s", [None])])) == "s: no values."

    @given(st.lists(st.floats(-1e15, 1e15), min_size=1, max_size=20))
    def test_an_axis_holds_zero_and_every_value_and_has_few_round_marks(self, values: list[float]) -> None:
        axis = axis_of(values)
        assert 2 <= len(axis.marks) <= 12
        assert any(abs(mark) <= 1e-9 * (axis.high - axis.low) for mark in axis.marks)
        for value in values:
            assert -1e-6 <= axis.share(value) <= 1 + 1e-6

    def test_numbers_on_an_axis_are_short(self) -> None:
        shown = [short(value) for value in (0, -0.0, 0.25, 4.5, 950, 9500, 12_500, 3_450_000, 2e9, 5e12, 0.0001)]
        assert shown == ["0", "0", "0.25", "4.5", "950", "9,500", "12.5 k", "3.45 M", "2 G", "5 T", "1.00e-04"]

    @pytest.mark.parametrize(
        "name",
        [
            "DEV.QUEUE.1",
            "A" * 20 + "B" * 20,
            "Z93-Q03, 2 KB, persistent, TLS_RSA_WITH_AES_256_GCM_SHA384",
            "QM1 A.QUEUE.OF.A.VERY.LONG.NAME.THAT.HAS.NO.SPACE",
            "",
        ],
    )
    def test_a_long_name_goes_on_in_further_lines_and_none_of_it_is_left_out(self, name: str) -> None:
        for room in (40.0, 120.0, 250.0):
            lines = wrapped(name, room)
            assert "".join(lines).replace(" ", "") == name.replace(" ", "")
            assert all(text_width(line) <= room for line in lines)

    def test_a_name_ends_a_line_at_a_space_before_it_does_at_a_sign(self) -> None:
        assert wrapped("put and commit, TLS_RSA_WITH_AES", 150.0) == ["put and commit,", "TLS_RSA_WITH_AES"]


def test_text_of_a_record_cannot_end_an_attribute_or_an_element() -> None:
    assert escaped("<a b=\"c\" d='e'>&\x1b[0m") == "&lt;a b=&quot;c&quot; d=&#x27;e&#x27;&gt;&amp;\ufffd[0m"
    assert [slug("Log & buffers"), slug("Größe"), slug("***")] == ["log-buffers", "groe", "part"]
