"""Each kind of object is declared once, and the declarations fit together."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import flintmq
from flintmq.catalogue import kinds
from flintmq.catalogue.attribute import LIST
from flintmq.catalogue.attributes import ATTRIBUTES, KIND_OF, QUEUE_KINDS, STORED, is_object_name
from flintmq.catalogue.authorities import AUTHORITY_TYPES, BY_TYPE
from flintmq.catalogue.kind import MQSC, PCF, Kind
from flintmq.catalogue.kinds import KINDS, check_kinds
from flintmq.command import dump
from flintmq.command.model import FORMS
from flintmq.command.parser import NOUN_SYNONYMS
from flintmq.qmgr.admin_hooks import HOOKS

SOURCE = Path(flintmq.__path__[0])
PROCESS, NAMELIST = KIND_OF["PROCESS"], KIND_OF["NAMELIST"]


def test_the_declarations_fit_together() -> None:
    check_kinds(KINDS)


def _with_pcf(kind: Kind, **numbers: int) -> Kind:
    return replace(kind, pcf=replace(kind.pcf, **numbers))


@pytest.mark.parametrize(
    ("wrong", "invariant"),
    [
        (replace(NAMELIST, keyword="PROCESS"), "KD1: keyword PROCESS"),
        (replace(NAMELIST, order=PROCESS.order), "KD1: order"),
        (replace(NAMELIST, dump_order=PROCESS.dump_order), "KD1: dump_order"),
        (_with_pcf(NAMELIST, name=PROCESS.pcf.name), "KD2: parameter"),
        (replace(NAMELIST, number=PROCESS.number), "KD2: object type"),
        (replace(NAMELIST, messages=PROCESS.messages), "KD2: message"),
        (replace(NAMELIST, mqsc=PROCESS.mqsc), "KD3: short form PRO"),
        (replace(NAMELIST, counted=("NAMES", "COUNT")), "KD4: NAMELIST has no attribute COUNT"),
        (replace(NAMELIST, type_attribute="NLTYPE"), "KD4: NAMELIST has no attribute NLTYPE"),
        (_with_pcf(NAMELIST, delete=0), "KD5: NAMELIST"),
        (replace(NAMELIST, messages=None), "KD5: NAMELIST"),
    ],
)
def test_a_declaration_that_does_not_fit_is_named(wrong: Kind, invariant: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(invariant)):
        check_kinds([PROCESS, wrong])


def test_a_short_form_is_no_keyword() -> None:
    mqsc = MQSC(description="a list", example="A", parameters="NAMES(A)", synonyms=("PROCESS",))
    with pytest.raises(AssertionError, match="KD3: PROCESS is a keyword"):
        check_kinds([PROCESS, replace(NAMELIST, mqsc=mqsc)])


def test_every_file_of_kinds_is_found() -> None:
    files = {path.stem for path in Path(kinds.__path__[0]).glob("*.py")} - {"__init__"}
    assert len(files) >= 13 and len(KINDS) == len(files) + len(QUEUE_KINDS) - 1


def test_the_tables_contain_every_kind() -> None:
    for kind in KINDS:
        assert ATTRIBUTES[kind.keyword] is kind.attributes
        assert kind.keyword in dump.KINDS
        assert (kind.keyword in STORED) == kind.stored
        if kind.mqsc is not None:
            assert [verb for verb, noun in FORMS if noun == kind.keyword and verb in ("DEFINE", "DISPLAY")]
            assert all(NOUN_SYNONYMS[synonym] == kind.keyword for synonym in kind.mqsc.synonyms)
        if kind.authority is not None:
            assert AUTHORITY_TYPES[kind.authority.object_type] is kind.authority
            assert BY_TYPE[kind.authority.object_type] == kind.authority.takes
        elements, count = kind.counted
        assert not count or {each.keyword: each.kind for each in kind.attributes}[elements] == LIST
    assert set(HOOKS) <= set(KIND_OF)


def test_a_dump_stands_in_the_order_in_which_definitions_refer_to_each_other() -> None:
    place = {keyword: number for number, keyword in enumerate(dump.KINDS)}
    refers = [("PSID", "BUFFPOOL"), ("STGCLASS", "PSID"), ("QLOCAL", "STGCLASS"), ("QLOCAL", "PROCESS")]
    refers += [("QALIAS", "QLOCAL"), ("TOPIC", "QMODEL"), ("SUB", "TOPIC"), ("CHLAUTH", "CHANNEL"), ("AUTHREC", "SUB")]
    for kind, referred in refers:
        assert place[referred] < place[kind]


@pytest.mark.parametrize("keyword", sorted(KIND_OF))
def test_the_default_object_has_a_name_that_its_kind_allows(keyword: str) -> None:
    kind = KIND_OF[keyword]
    for name in (kind.default_object, kind.since):
        assert not name or is_object_name(keyword, name)


def test_a_kind_without_commands_needs_no_numbers() -> None:
    check_kinds([replace(NAMELIST, mqsc=None, pcf=PCF(), messages=None)])


@pytest.mark.parametrize(("keyword", "most"), [("NAMELIST", 3), ("COMMINFO", 4), ("PROCESS", 3)])
def test_a_kind_is_named_in_few_files(keyword: str, most: int) -> None:
    """NAMELIST stood in 23 files before there were declarations; here files that use such objects remain.

    COMMINFO is an attribute of topics too, and stands in the list of their base values.
    """
    workloads = SOURCE / "perf"
    files = [path for path in SOURCE.rglob("*.py") if f'"{keyword}"' in path.read_text()]
    named = {path.relative_to(SOURCE).as_posix() for path in files if workloads not in path.parents}
    elsewhere = {"command/absent.py", "qmgr/topic_tree.py", "mqi/topic_words.py"}
    assert len(named - elsewhere) <= most, sorted(named)
