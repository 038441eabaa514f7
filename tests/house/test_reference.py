"""The reference pages are what the tables of the programs say, and every keyword has its sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flintmq.command.model import FORMS
from flintmq.qmgr.attributes import ATTRIBUTES
from tools import reference
from tools import reference_texts as texts

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", sorted(reference.PAGES))
def test_a_reference_page_is_as_it_would_be_made_now(name: str) -> None:
    directory, make = reference.PAGES[name]
    page = (ROOT / "docs" / directory / f"{name}.md").read_text()
    assert page == make(), f"run: python tools/reference.py {name} > docs/{directory}/{name}.md"


def test_every_keyword_has_a_sentence_and_every_sentence_a_keyword() -> None:
    options = {option.keyword for form in FORMS.values() for option in form.options}
    shown = {attribute.keyword for form in FORMS.values() for attribute in (*form.settable, *form.shown)}
    shown |= {attribute.keyword for attributes in ATTRIBUTES.values() for attribute in attributes}
    shown |= {attribute.keyword for _, attributes, _ in reference.STATUS_TABLES for attribute in attributes}
    assert set(texts.OPTIONS) == options
    assert set(texts.TEXTS) == shown
    assert set(texts.REMARKS) <= {reference.title(form) for form in FORMS.values()}


@pytest.mark.parametrize("kind", sorted(texts.KEPT))
def test_what_is_said_to_be_only_kept_can_be_set_and_is_read_nowhere(kind: str) -> None:
    """When the engine begins to act on an attribute, it leaves the list of those that are only kept."""
    settable = {attribute.keyword for attribute in ATTRIBUTES[kind] if not attribute.read_only}
    kept = set(texts.KEPT[kind])
    if kind not in ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL"):
        assert kept <= settable
    files = [path for room in ("qmgr", "host", "client") for path in (ROOT / "src/flintmq" / room).glob("*.py")]
    others = (
        "attributes.py",
        "attributes_security.py",
        "attributes_services.py",
        "authorities.py",
        "admin_pubsub.py",
        "admin_rows.py",
        "open_topic.py",
        "topic_tree.py",
    )  # These show and pass on what others act on.
    source = "\n".join(path.read_text() for path in files if path.name not in others)
    if kind == "COMMINFO":  # Its keywords are those of other kinds as well: nobody looks for such an object at all.
        assert not re.search(r'(find|match)\("COMMINFO"', source)
        return
    read = {keyword for keyword in kept & settable if f'"{keyword}"' in source}
    assert sorted(read - {"SERVICE", "COMMINFO"}) == []  # Two that are also the names of kinds of objects.
