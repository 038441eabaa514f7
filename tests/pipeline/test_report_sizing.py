"""The planning rules of the reports, against the figures that they print; cost conversion; how even and how unusual."""

from __future__ import annotations

import csv
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.pipeline.errors import BadOption
from flintmq.pipeline.reports.machines import MACHINES, Machine, converted, machine_of, rate_max, ratio
from flintmq.pipeline.reports.score import Finding, median, number, scale, score, sentence
from flintmq.pipeline.reports.sizing import (
    channels_that_fit,
    csa_kb,
    days_until,
    index_mb,
    mca_kb,
    messages_that_fit,
    pages_of,
    plan,
    private_kb,
    svrconn_kb,
    users_mb,
)
from flintmq.pipeline.reports.spread import bound, judged, spread
from tests.telemetry.samples import SAMPLES


class TestChannels:
    def test_the_worked_example_of_the_report_fits_4643_channels(self) -> None:
        """B169: 120 MB used and 1,346 MB free at the start, SHARECNV(1), messages of 32 KB."""
        made = plan(120 + 1346, 120, svrconn_kb(1, 32))
        assert (made.ceiling_mb, made.left_mb, made.kb_per_channel) == (1172, 1052, 232)
        assert (made.channels, made.clients, made.limited_by) == (4643, 4643, "storage")

    def test_a_channel_initiator_runs_no_more_than_9999_channels_or_maxchl(self) -> None:
        """B170."""
        assert plan(100_000, 0, 83).channels == 9999
        assert plan(100_000, 0, 83, channels_max=200).channels == 200
        assert plan(100_000, 0, 83, channels_max=200).limited_by == "the number of channels allowed"

    def test_ten_conversations_on_a_channel_are_ten_clients(self) -> None:
        made = plan(1466, 120, svrconn_kb(10, 1), conversations=10)
        assert (made.channels, made.clients) == (4396, 43_960)

    @pytest.mark.parametrize(
        ("sharecnv", "message_kb", "kb"),
        [(0, 1, 83), (0, 64, 188), (1, 10, 178), (10, 64, 373), (0, 0.2, 83), (0, 33, 188), (5, 1, 245)],
    )
    def test_a_channel_takes_what_was_measured_for_it_or_for_the_next_larger(
        self, sharecnv: int, message_kb: float, kb: float
    ) -> None:
        """B165: 83 KB at SHARECNV(0) and 1 KB to 373 KB at 10 and 64 KB."""
        assert svrconn_kb(sharecnv, message_kb) == kb

    def test_a_message_channel_takes_less_than_a_client_channel(self) -> None:
        """B166."""
        assert [mca_kb(size) for size in (1, 32, 64, 4096)] == [90, 100, 109, 1125]

    def test_what_was_never_measured_is_not_guessed(self) -> None:
        for sharecnv, size in ((0, 65), (11, 1)):
            with pytest.raises(BadOption, match="nothing was measured for .* above"):
                svrconn_kb(sharecnv, size)
        with pytest.raises(BadOption, match=r"above 4,096: give kb-per-channel"):
            mca_kb(5000)

    def test_storage_that_is_used_up_fits_nothing(self) -> None:
        assert plan(1466, 1400, 232).channels == 0
        for total, kb, ceiling in ((0, 83, 0.8), (100, 0, 0.8), (100, 83, 1.1)):
            with pytest.raises(BadOption):
                plan(total, 0, kb, ceiling=ceiling)

    def test_connections_take_common_and_private_storage(self) -> None:
        """B162, B163."""
        assert [csa_kb(sharecnv) for sharecnv in (0, 1, 5, 10)] == [2.47, 4.9, 3.0, 2.7]
        assert [private_kb(sharecnv) for sharecnv in (0, 1, 10)] == [16, 24, 17]
        assert private_kb(1, shared_queues=True) == 29.5
        assert (csa_kb(3), private_kb(5), csa_kb(50)) == (4.9, 24, 2.7)

    @given(st.floats(0, 1e6), st.floats(0.5, 1e4))
    def test_the_channels_that_fit_are_whole_and_one_more_does_not(self, left: float, kb: float) -> None:
        made = channels_that_fit(left, kb)
        assert made * kb <= left * 1024 * (1 + 1e-9) + 1e-6 * kb and (made + 1) * kb > left * 1024 * (1 - 1e-9)


class TestMessages:
    @pytest.mark.parametrize(
        ("size", "pages"), [(0, 1), (3635, 1), (3636, 2), (7683, 2), (7684, 3), (11731, 3), (27924, 8), (31971, 8)]
    )
    def test_a_message_takes_whole_pages(self, size: int, pages: int) -> None:
        """B135."""
        assert pages_of(size) == pages

    @pytest.mark.parametrize(("gigabytes", "size", "about"), [(4, 100, 1e6), (64, 100, 16e6), (4, 5000, 0.5e6)])
    def test_a_page_set_holds_about_what_the_report_says(self, gigabytes: int, size: int, about: float) -> None:
        """B131, B138: about 1 million on 4 GB and 16 million on 64 GB."""
        assert messages_that_fit(gigabytes * 2**18, size) == pytest.approx(about, rel=0.06)

    def test_indexes_and_users_take_64_bit_storage(self) -> None:
        """B147 (100 million messages: 25,940 MB, D8), B208, B209 (100,000 users: 859 MB)."""
        assert round(index_mb(100_000_000)) == 25_940
        assert round(users_mb(100_000)) == 859
        assert users_mb(1000, 11) - users_mb(1000) == pytest.approx(1000 * 10 * 405 / 2**20)

    def test_a_line_reaches_its_limit_once_or_never(self) -> None:
        assert days_until(0.5, 0.1, 1.0) == pytest.approx(5)
        assert (days_until(1.0, -1, 0.9), days_until(0.5, 0, 1), days_until(0.5, -0.1, 1)) == (0.0, None, None)


class TestMachines:
    def test_the_worked_example_divides_by_the_ratio_of_single_engines(self) -> None:
        """B215: 2.45 / 5 = 0.49, 3.6 / 4 = 0.90, 0.49 / 0.90 = 0.54."""
        here, there = MACHINES["2084-304"], MACHINES["2064-1C5"]
        assert (round(there.single, 2), round(here.single, 2), round(ratio(here, there), 2)) == (0.49, 0.9, 0.54)
        assert converted(100, here, there) == pytest.approx(183.67, abs=0.01)
        assert converted(converted(100, here, there), there, here) == pytest.approx(100)

    def test_a_machine_has_a_million_microseconds_per_engine_and_second(self) -> None:
        """B215."""
        assert rate_max(50, MACHINES["2084-304"]) == 80_000
        assert rate_max(0, MACHINES["2084-304"]) is None

    def test_a_machine_may_be_given_by_its_engines_and_itr(self) -> None:
        assert machine_of("3931-703:3:5.2") == Machine("3931-703", 3, 5.2, "")
        assert machine_of("2084-304") is machine_of("2084-304".lower())

    @pytest.mark.parametrize("text", ["z16", "z16:3", "z16:0:1", "z16:3:-1", "z16:3:inf", "z16:x:1", ""])
    def test_a_machine_that_nobody_knows_is_refused(self, text: str) -> None:
        with pytest.raises(BadOption):
            machine_of(text)

    def test_machines_of_different_tables_are_not_compared(self) -> None:
        with pytest.raises(BadOption, match="different bases"):
            ratio(MACHINES["2084-304"], MACHINES["9672-X27"])

    @given(st.floats(0.1, 100), st.floats(0.1, 100), st.integers(1, 64), st.integers(1, 64), st.floats(0, 1e9))
    def test_conversion_there_and_back_changes_nothing(self, a: float, b: float, m: int, n: int, cost: float) -> None:
        here, there = Machine("a", m, a, ""), Machine("b", n, b, "")
        assert converted(converted(cost, here, there), there, here) == pytest.approx(cost, rel=1e-9)


class TestSpread:
    def test_the_same_messages_may_come_evenly_or_at_once(self) -> None:
        """B24: 100,000 messages of a minute, in slots of 5 s."""
        even = spread([8334] * 4 + [8333] * 8)
        once = spread([0] * 7 + [100_000] + [0] * 4)
        assert (even.messages, once.messages) == (100_000, 100_000)
        assert (round(even.burst, 2), even.half_share, even.idle) == (1.0, 0.5, 0)
        assert (once.burst, once.half_share, once.idle, once.peak) == (12.0, 1 / 12, 11, 100_000)

    def test_a_word_follows_from_peak_and_silence(self) -> None:
        assert [judged(*pair) for pair in ((1.2, 0), (2, 0), (5, 0.1), (5, 0.6))] == [
            "even",
            "uneven",
            "in bursts",
            "in short bursts with silence between",
        ]

    def test_no_messages_and_no_slots_are_no_burst(self) -> None:
        assert (spread([]).burst, spread([]).half_share, spread([0, 0]).burst) == (0.0, 0.0, 0.0)

    @given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60))
    def test_a_spread_is_between_even_and_all_at_once(self, counts: list[int]) -> None:
        made = spread(counts)
        assert made.half <= math.ceil(made.slots / 2)
        if made.messages:
            assert 1 - 1e-9 <= made.burst <= made.slots and made.half >= 1
            assert sum(sorted(counts, reverse=True)[: made.half]) * 2 >= made.messages

    def test_the_time_of_the_last_put_bounds_the_rate_from_below(self) -> None:
        """B24: the minute hides the burst, but not when it was over."""
        made = bound(100_000, 60, 5, 0, 70_000)
        assert (round(made.mean), made.least_peak, made.within_s, made.backlog) == (1667, 20_000, 5, 70_000)

    @pytest.mark.parametrize("last", [None, -3.0, 61.0, 60.0])
    def test_a_last_put_that_says_nothing_leaves_the_mean(self, last: float | None) -> None:
        made = bound(600, 60, last, None, 10)
        assert (made.mean, made.least_peak, made.backlog) == (10, 10, 0)

    def test_messages_that_were_there_before_are_no_backlog(self) -> None:
        assert bound(50, 60, None, 1000, 1020).backlog == 20
        assert bound(5, 60, None, 0, 1020).backlog == 5
        assert bound(5, 60, None, 1000, 900).backlog == 0


class TestScore:
    USUAL = (800.0, 820.0, 840.0, 850.0, 860.0, 880.0, 900.0)

    def test_a_score_is_what_the_formula_gives_by_hand(self) -> None:
        """Median 850, distances 0 10 10 30 30 50 50: MAD 30, 1.4826 x 30 = 44.478; 6 % of 850 is 51."""
        assert median(self.USUAL) == 850
        assert scale(850, 30, 25.7, True) == 51
        assert scale(850, 40, 25.7, True) == pytest.approx(59.304)
        assert score(12_000, self.USUAL) == pytest.approx((12_000 - 850) / 51)
        assert score(850, self.USUAL) == 0

    def test_lopsided_values_are_judged_by_the_quartile_of_their_side(self) -> None:
        """Mostly 10, but often up to 200: MAD is 2, and the upper half is 90 away at its middle."""
        values = [8.0, 9.0, 10.0, 10.0, 10.0, 11.0, 12.0, 100.0, 150.0, 200.0]
        assert scale(10.5, 2, 40, False, 89.5) == pytest.approx(132.6927)
        assert abs(score(203, values)) < 6 < score(203, [value for value in values if value < 100])

    def test_equal_values_have_a_scale_all_the_same(self) -> None:
        """MAD 0: chance, 6 % (B200) and one message remain; the mean distance counts where some values differ."""
        assert scale(100, 0, 0, True) == 10
        assert scale(10_000, 0, 0, True) == 600
        assert scale(0, 0, 0, True) == 1
        assert scale(0, 0, 40, True) == pytest.approx(50.132)
        assert scale(0, 0, 0, False) == 1
        assert score(5, [0] * 20) == 5

    def test_one_wild_value_among_the_usual_ones_does_not_hide_itself(self) -> None:
        """Mean and standard deviation would: among eight values none can be further than 2.5 deviations away."""
        values = [*self.USUAL, 12_000.0]
        assert abs(12_000 - statistics.fmean(values)) / statistics.stdev(values) < 2.5
        assert score(12_000, values) > 100

    @given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50), st.floats(0, 1e9), st.booleans())
    def test_a_score_is_finite_and_has_the_sign_of_the_difference(
        self, values: list[float], value: float, is_count: bool
    ) -> None:
        made = score(value, values, is_count)
        assert math.isfinite(made)
        assert made * (value - median(values)) >= 0

    def found(self, value: float, low: float, middle: float, high: float, intervals: int = 1) -> str:
        return sentence(Finding("DEV.QUEUE.1", "puts", "10:15", value, low, middle, high, "at this hour", intervals))

    def test_what_was_found_is_told_in_words(self) -> None:
        assert self.found(12_000, 800, 850, 900) == (
            "DEV.QUEUE.1 had 14 times its usual puts at 10:15: 12,000 where 800 to 900 are usual at this hour."
        )
        assert self.found(1100, 800, 850, 900) == (
            "DEV.QUEUE.1 had 29 % more than its usual puts at 10:15: 1,100 where 800 to 900 are usual at this hour."
        )
        assert self.found(0, 800, 850, 900, 3) == (
            "DEV.QUEUE.1 had no puts at 10:15: 0 where 800 to 900 are usual at this hour, the worst of 3 intervals in "
            "a row."
        )
        assert self.found(85, 850, 850, 850) == (
            "DEV.QUEUE.1 had only 10 % of its usual puts at 10:15: 85 where 850 are usual at this hour."
        )
        assert self.found(50, 0, 0, 0) == (
            "DEV.QUEUE.1 had puts at 10:15 that it usually lacks: 50 where none are usual at this hour."
        )

    def test_numbers_in_sentences_are_short(self) -> None:
        assert [number(value) for value in (0, -0.0, 3, 2.5, 9.999, 12.6, 12_000.4)] == [
            "0",
            "0",
            "3",
            "2.5",
            "10",
            "13",
            "12,000",
        ]


SHARED = SAMPLES.parent / "anchors" / "results.csv"


@pytest.mark.skipif(not SHARED.exists(), reason="the figures of the reports (shared/anchors) are not beside the tree")
def test_the_tables_of_storage_are_those_of_the_reports() -> None:
    """B165, B166: every cell of release 9.3."""
    seen = 0
    for row in csv.DictReader(SHARED.open(newline="")):
        if row["metric"] != "chinit_kb_per_channel":
            continue
        parts = dict(part.split("=") for part in row["variant"].split("; "))
        size = float(parts["msg_size"].removesuffix("KB")) if "KB" in parts["msg_size"] else 4096.0
        if row["workload"] == "MCA channel footprint":
            assert mca_kb(size) == float(row["value"])
        elif parts["release"] == "9.3":
            assert svrconn_kb(int(parts["sharecnv"]), size) == float(row["value"])
        else:
            continue
        seen += 1
    assert seen == 16
