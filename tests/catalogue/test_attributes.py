"""The declaration of attributes is sound, and values go in and out of it unchanged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.catalogue.attribute import (
    ENUM,
    FLAG,
    HEX,
    INT,
    INTERVAL,
    LIST,
    NAME,
    PAIR,
    STRING,
    Attribute,
    ValueRejected,
    check_value,
    interval_seconds,
    number_of,
    parse_value,
    value_of_number,
)
from flintmq.catalogue.attributes import (
    ATTRIBUTES,
    BY_KEYWORD,
    BY_SELECTOR,
    QUEUE_KINDS,
    default_attributes,
    find_attribute,
    settable_defaults,
)
from flintmq.catalogue.kinds.queue import QUEUE_ATTRIBUTES
from flintmq.mqi import constants as mq
from flintmq.mqi.object_name import is_name

EVERY = [pytest.param(kind, each, id=f"{kind}-{each.keyword}") for kind, all_ in ATTRIBUTES.items() for each in all_]


def attribute(kind: str, keyword: str) -> Attribute:
    found = find_attribute(kind, keyword)
    assert found is not None
    return found


@pytest.mark.parametrize(("kind", "each"), EVERY)
def test_a_declaration_is_complete_and_its_default_is_a_value_of_its_own(kind: str, each: Attribute) -> None:
    assert each.keyword == each.keyword.upper() and each.keyword.isalnum()
    assert each.kind in (INT, ENUM, FLAG, STRING, NAME, HEX, LIST, INTERVAL)
    assert BY_KEYWORD[kind][each.keyword] is each
    if each.kind in (STRING, NAME, HEX) or (each.kind == LIST and not each.words):
        assert each.length > 0
    if each.kind in (ENUM, FLAG):
        assert each.words and each.default in each.words
    if each.kind == INT:
        assert each.low <= each.high
        assert isinstance(each.default, int) or each.default in each.words
    assert check_value(each, each.copy_default()) == each.default
    assert each.allowed()


@pytest.mark.parametrize(("kind", "each"), EVERY)
def test_a_selector_belongs_to_one_attribute_and_is_of_its_type(kind: str, each: Attribute) -> None:
    if not each.selector:
        return
    assert BY_SELECTOR[kind][each.selector] is each
    character = mq.MQCA_FIRST <= each.selector <= mq.MQCA_LAST or each.selector > 3000
    numbered = bool(each.words) or each.keyword == "AUTHLIST"  # Its words are numbered where PCF is: pcf_authority.py.
    texts = each.kind in (STRING, NAME, HEX) or (each.kind == LIST and not numbered)
    assert character == texts, each.keyword


@pytest.mark.parametrize(("kind", "each"), EVERY)
def test_every_word_has_a_number_that_leads_back_to_it(kind: str, each: Attribute) -> None:
    for word, number in each.words.items():
        assert number_of(each, word) == number
        assert value_of_number(each, number) == word
        assert parse_value(each, [word.lower()]) == ([word] if each.kind == LIST else word)


def test_the_queue_kinds_have_the_attributes_of_the_manual() -> None:
    keywords = {kind: {each.keyword for each in ATTRIBUTES[kind]} for kind in QUEUE_KINDS}
    assert keywords["QALIAS"] >= {"TARGET", "TARGTYPE", "GET", "PUT", "PROPCTL", "DEFREADA"}
    assert keywords["QREMOTE"] >= {"RNAME", "RQMNAME", "XMITQ", "PUT"} and "GET" not in keywords["QREMOTE"]
    assert keywords["QLOCAL"] >= {"CURDEPTH", "IPPROCS", "OPPROCS", "STGCLASS", "INDXTYPE", "STREAMQ", "STRMQOS"}
    assert keywords["QMODEL"] == keywords["QLOCAL"] - {
        "CLUSNL",
        "CLUSTER",
        "CLCHNAME",
        "CLWLPRTY",
        "CLWLRANK",
        "CLWLUSEQ",
        "CURDEPTH",
        "DEFBIND",
        "IPPROCS",
        "OPPROCS",
        "SCOPE",
    }
    assert {each.keyword for each in QUEUE_ATTRIBUTES} == set().union(*keywords.values())


def test_local_and_model_queues_differ_in_their_defaults() -> None:
    local, model = default_attributes("QLOCAL"), default_attributes("QMODEL")
    assert (local["SHARE"], local["DEFSOPT"], local["DEFTYPE"]) == ("SHARE", "SHARED", "PREDEFINED")
    assert (model["SHARE"], model["DEFSOPT"], model["DEFTYPE"]) == ("NOSHARE", "EXCL", "TEMPDYN")
    assert local["MAXDEPTH"] == 5000 and local["MAXMSGL"] == 4194304 and local["STATQ"] == "QMGR"  # B27
    assert local["STRMQOS"] == "BESTEF"  # B41


def test_live_and_read_only_attributes_are_not_set_by_define() -> None:
    assert "CURDEPTH" not in default_attributes("QLOCAL") and "CRDATE" in default_attributes("QLOCAL")
    assert "CRDATE" not in settable_defaults("QLOCAL") and "DEFTYPE" not in settable_defaults("QLOCAL")


def test_a_list_default_is_not_shared_between_objects() -> None:
    first, second = default_attributes("NAMELIST"), default_attributes("NAMELIST")
    assert first["NAMES"] is not second["NAMES"]


@pytest.mark.parametrize(
    ("kind", "keyword", "texts", "value"),
    [
        ("QLOCAL", "MAXDEPTH", ["0"], 0),
        ("QLOCAL", "MAXDEPTH", ["0005000"], 5000),
        ("QLOCAL", "CAPEXPRY", ["nolimit"], "NOLIMIT"),
        ("QLOCAL", "CAPEXPRY", ["-1"], "NOLIMIT"),
        ("QLOCAL", "DESCR", ["It's 5 o'clock   "], "It's 5 o'clock"),
        ("QLOCAL", "DESCR", [" "], ""),
        ("QLOCAL", "DESCR", [], ""),
        ("QLOCAL", "BOQNAME", ["Mixed.Case/1_%"], "Mixed.Case/1_%"),
        ("QLOCAL", "SHARE", ["NOSHARE"], "NOSHARE"),
        ("QALIAS", "TARGQ", ["BASE"], "BASE"),
        ("PROCESS", "APPLTYPE", ["DEF"], "UNIX"),
        ("PROCESS", "APPLTYPE", ["11"], "WINDOWSNT"),
        ("PROCESS", "APPLTYPE", ["65536"], 65536),
        ("NAMELIST", "NAMES", ["A", "b", " "], ["A", "b"]),
        ("QMGR", "MAXMSGL", ["104857600"], 104857600),
        ("QMGR", "SUITEB", ["128_BIT"], "128_BIT"),
        ("LOG", "COMPLOG", ["rle"], "RLE"),
        ("SYSTEM", "QINDXBLD", ["NOWAIT"], "NOWAIT"),
    ],
)
def test_a_value_is_taken(kind: str, keyword: str, texts: list[str], value: object) -> None:
    """B114: COMPLOG(RLE) is one word for the whole queue manager. B153: QINDXBLD(NOWAIT)."""
    assert parse_value(attribute(kind, keyword), texts) == value


@pytest.mark.parametrize(
    ("kind", "keyword", "texts"),
    [
        ("QLOCAL", "MAXDEPTH", ["1000000000"]),
        ("QLOCAL", "MAXDEPTH", ["-1"]),
        ("QLOCAL", "MAXDEPTH", ["MANY"]),
        ("QLOCAL", "MAXDEPTH", ["9" * 5000]),
        ("QLOCAL", "MAXDEPTH", ["٣"]),
        ("QLOCAL", "MAXDEPTH", [""]),
        ("QLOCAL", "MAXDEPTH", ["1", "2"]),
        ("QLOCAL", "DEFPRTY", ["10"]),
        ("QLOCAL", "GET", ["MAYBE"]),
        ("QLOCAL", "DESCR", ["x" * 65]),
        ("QLOCAL", "DESCR", ["ä" * 33]),
        ("QLOCAL", "DESCR", ["a\x00b"]),
        ("QLOCAL", "BOQNAME", ["has blank"]),
        ("QLOCAL", "BOQNAME", ["X" * 49]),
        ("QLOCAL", "STGCLASS", ["TOOLONGNAME"]),
        ("QMGR", "MAXMSGL", ["32767"]),
        ("QMGR", "CHLEV", ["NODISPLAY"]),
        ("NAMELIST", "NAMES", [f"N{number}" for number in range(257)]),
        ("NAMELIST", "NAMES", ["no-dash"]),
        ("LOG", "COMPLOG", ["ZIP"]),
        ("LOG", "MAXARCH", ["9"]),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_by_a_sentence_that_names_the_keyword(
    kind: str, keyword: str, texts: list[str]
) -> None:
    with pytest.raises(ValueRejected) as caught:
        parse_value(attribute(kind, keyword), texts)
    assert caught.value.keyword == keyword and keyword in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value", "seconds"),
    [
        ("0.05", "0.05", 5),  # B6
        ("0.15", "0.15", 15),  # B6
        ("1.00", "1.00", 60),  # B6
        ("0.01", "0.01", 1),  # B8
        ("30", "30.00", 1800),  # B5: plain minutes
        ("1440", "1440.00", 86400),  # B3
        ("0001.30", "1.30", 90),
        ("0", "0", 0),  # B4
        ("-1", "-1", -1),  # B2
    ],
)
def test_an_interval_is_minutes_and_seconds(text: str, value: str, seconds: int) -> None:
    """B2, B3, B4, B5, B6, B8."""
    parsed = parse_value(attribute("SYSTEM", "ACCTIME"), [text])
    assert parsed == value and interval_seconds(value) == seconds


@pytest.mark.parametrize("text", [".05", "0.00", "0.5", "0.60", "1441", "1440.01", "1.000", "-2", "1.-1", "", "x", "²"])
def test_an_interval_that_is_not_minutes_and_seconds_is_refused(text: str) -> None:
    """B7: a leading 0 is needed. B8: nothing shorter than one second."""
    with pytest.raises(ValueRejected):
        parse_value(attribute("SYSTEM", "ACCTIME"), [text])


def test_only_accounting_may_follow_the_statistics_interval() -> None:
    """B1, B2: ACCTIME is of its own and defaults to -1; STATIME has no -1."""
    assert default_attributes("SYSTEM")["ACCTIME"] == "-1"
    with pytest.raises(ValueRejected):
        parse_value(attribute("SYSTEM", "STATIME"), ["-1"])


@given(st.text(max_size=80))
def test_any_text_is_a_value_or_refused(text: str) -> None:
    for kind, keyword in (
        ("QLOCAL", "MAXDEPTH"),
        ("QLOCAL", "DESCR"),
        ("QLOCAL", "BOQNAME"),
        ("QLOCAL", "GET"),
        ("NAMELIST", "NAMES"),
        ("SYSTEM", "STATIME"),
        ("PROCESS", "APPLTYPE"),
    ):
        each = attribute(kind, keyword)
        try:
            value = parse_value(each, [text])
        except ValueRejected:
            continue
        assert check_value(each, value) == value


def test_names() -> None:
    assert is_name("A") and is_name("a.B/c_%9") and is_name("X" * 48)
    for wrong in ("", "X" * 49, "A B", "A*", "ä", "A-B"):
        assert not is_name(wrong)


def test_a_number_outside_the_words_and_bounds_is_refused() -> None:
    with pytest.raises(ValueRejected):
        value_of_number(attribute("QLOCAL", "GET"), 7)
    with pytest.raises(ValueRejected):
        value_of_number(attribute("QLOCAL", "DEFPRTY"), 10)
    assert value_of_number(attribute("QLOCAL", "DEFPRTY"), 9) == 9
    with pytest.raises(ValueRejected):
        number_of(attribute("QLOCAL", "DESCR"), "text")
    assert PAIR not in {each.kind for all_ in ATTRIBUTES.values() for each in all_}
