"""Folder text: read, written, escaped, refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.mqi import StructureError
from flintmq.mqi.folders import DEPTH_MAX, Element, read_folder, write_element


def test_elements_attributes_and_text() -> None:
    folder = read_folder("""<usr a='1' b="it's"> <x dt='i4'>42</x><y/>\n<z><w>&lt;&amp;&#65;&#x42;</w></z></usr>  """)
    assert folder.name == "usr" and folder.attributes == {"a": "1", "b": "it's"}
    assert [child.name for child in folder.children] == ["x", "y", "z"]
    assert folder.children[0].text == "42" and folder.children[0].attributes == {"dt": "i4"}
    assert folder.children[2].children[0].text == "<&AB"


def test_comments_instructions_and_cdata() -> None:
    folder = read_folder("<?xml version='1.0'?><!-- a --><f>1<!-- - -->2<![CDATA[<3>]]><?x y?></f><!-- b -->")
    assert folder.text == "12<3>" and not folder.children


def test_values_keep_their_blanks() -> None:
    assert read_folder("<f>  a b  </f>").text == "  a b  "


@pytest.mark.parametrize(
    "text",
    ["<usr><color>red</color></usr>", "<f a='x&apos;y'>&lt;&amp;&gt;&quot;&apos;</f>", "<f><g><h></h></g></f>"],
)
def test_what_we_write_is_read_and_written_byte_for_byte(text: str) -> None:
    assert write_element(read_folder(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "text", "<", "<f", "<f>", "<f></g>", "<f></f", "<f></f>x", "<f><g></f></g>", "<f a></f>", "<f a=1></f>",
        "<f a='1></f>", "<f a='1' a='2'></f>", "<f>&</f>", "<f>&nope;</f>", "<f>&#0;</f>", "<f>&#xd800;</f>",
        "<f>&#99999999;</f>", "<f>&#x;</f>", "<!DOCTYPE f><f></f>", "<f><!-- </f>", "<1></1>", "< f></f>", "<f/><g/>",
        "<f>&#1_0;</f>", "<f>&#-5;</f>",
    ],
)  # fmt: skip
def test_what_is_not_a_folder_is_refused_with_the_place(text: str) -> None:
    with pytest.raises(StructureError, match="at character") as caught:
        read_folder(text)
    assert caught.value.reason == 2421


def test_nesting_has_a_limit() -> None:
    read_folder("<a>" * DEPTH_MAX + "</a>" * DEPTH_MAX)
    with pytest.raises(StructureError, match="deep"):
        read_folder("<a>" * 5000 + "</a>" * 5000)


@given(st.text(), st.text())
def test_any_text_survives(text: str, attribute: str) -> None:
    element = Element("f")
    element.text = text
    element.attributes["a"] = attribute
    back = read_folder(write_element(element))
    assert back.text == text and back.attributes == {"a": attribute}
