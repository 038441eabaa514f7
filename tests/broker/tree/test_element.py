"""Elements: links, lazy children, copies, paths, and indexes of children (T1 to T6)."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.tree.element import (
    INDEXES_MAX,
    NEAR,
    ROOT_DOMAIN,
    Element,
    Source,
    Step,
    check_tree,
    copy_content,
    copy_element,
    count,
    ensure,
    find_all,
    find_child,
    walk,
)
from flintmq.broker.tree.types import NAME, NAME_VALUE, family


class Letters(Source):
    """A source whose folder has one child per letter, made one by one."""

    def __init__(self, letters: str, domain: str = "D") -> None:
        super().__init__(domain)
        self.letters = letters
        self.made = 0

    def more(self, element: Element) -> None:
        if element.cursor >= len(self.letters):
            element.pending = False
            return
        child = Element(self.letters[element.cursor], element.cursor)
        child.changed = False
        element.cursor += 1
        self.made += 1
        element.append_built(child)


def lazy(letters: str) -> tuple[Element, Letters]:
    source = Letters(letters)
    folder = Element("folder", None, NAME)
    folder.domain = "D"
    folder.source = source
    folder.pending = True
    folder.changed = False
    return folder, source


def test_children_are_built_where_navigation_asks() -> None:
    folder, source = lazy("abcdef")

    assert find_child(folder, Step("b"), 0) is not None
    assert source.made == 2
    assert folder.last_child() is not None
    assert source.made == 6
    check_tree(folder)


def test_an_insertion_behind_the_last_built_child_stands_before_the_pending_ones() -> None:
    folder, _ = lazy("abc")
    first = folder.first_child()
    assert first is not None
    first.insert_after(Element("new"))

    assert "".join(child.name[0] for child in folder.children()) == "anbc"
    assert folder.changed
    check_tree(folder)


def test_a_copy_of_an_unchanged_folder_shares_its_source() -> None:
    folder, source = lazy("abc")
    folder.children()
    copy = copy_element(folder)

    assert copy.source is source and not copy.changed and copy.first is None
    assert [child.name for child in copy.children()] == ["a", "b", "c"]


def test_a_copy_of_a_changed_folder_keeps_changes_and_what_is_pending() -> None:
    """T5."""
    folder, _ = lazy("abcd")
    second = find_child(folder, Step("b"), 0)
    assert second is not None
    second.set_value("changed")
    copy = copy_element(folder)

    assert [(child.name, child.value) for child in copy.children()] == [("a", 0), ("b", "changed"), ("c", 2), ("d", 3)]
    check_tree(copy)
    check_tree(folder)


def test_a_tree_can_be_copied_into_itself() -> None:
    root = Element("r", None, NAME)
    root.put("a.b.c", 1)
    inner = walk(root, [Step("a"), Step("b")])
    assert inner is not None
    copy_content(inner, root)

    assert root.get("a.b.a.b.c") == 1
    assert root.get("a.b.a.b.a") is None
    check_tree(root)


def test_a_detached_element_keeps_what_is_below_it() -> None:
    root = Element("r", None, NAME)
    root.put("a.b", 1)
    element = root.child("a")
    assert element is not None
    element.detach()

    assert root.first is None and element.get("b") == 1
    check_tree(root)


def test_children_of_a_root_get_the_parser_that_their_name_says() -> None:
    root = Element("Root", None, NAME)
    root.domain = ROOT_DOMAIN
    leaf = ensure(root, [Step("XMLNSC"), Step("a")], True)

    assert leaf.owner() == "XMLNSC"
    assert leaf.type == NAME_VALUE


def test_a_step_without_a_name_cannot_be_created() -> None:
    with pytest.raises(BrokerError, match="name the element"):
        ensure(Element("r", None, NAME), [Step(None, None), Step("a")], True)


def test_types_in_paths_match_their_family() -> None:
    root = Element("r", None, NAME)
    for kind in (0x03000100, 0x03000101, 0x03000000, 0x03000001):
        root.append(Element("x", kind, kind))
    mask, value = family(0x03000100)

    assert [each.value for each in find_all(root, Step("x", "", 0, mask, value))] == [0x03000100, 0x03000101]


NAMES = st.sampled_from("ab")
CHANGES = st.one_of(
    st.tuples(st.just("append"), NAMES),
    st.tuples(st.just("prepend"), NAMES),
    st.tuples(st.just("before"), st.integers(0, 9)),
    st.tuples(st.just("after"), st.integers(0, 9)),
    st.tuples(st.just("detach"), st.integers(0, 9)),
    st.tuples(st.just("rename"), st.integers(0, 9)),
    st.tuples(st.just("find"), st.integers(1, 40)),
    st.tuples(st.just("last"), st.integers(1, 40)),
    st.tuples(st.just("count"), st.just(0)),
    st.tuples(st.just("remove"), st.integers(1, 40)),
    st.tuples(st.just("copy"), st.just(0)),
)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2 * NEAR), st.text("ab", max_size=2 * NEAR), st.lists(CHANGES, max_size=25))
def test_an_index_finds_what_counting_finds_whatever_was_changed(
    others: int, letters: str, changes: list[tuple[str, object]]
) -> None:
    """T6: an index gives what a walk over all children would. Others of another name stand before."""
    folder, _ = lazy("b" * others + letters)
    for change, argument in changes:
        step = Step("a")
        children = folder.children() if change in ("before", "after", "detach", "rename") else []
        chosen = children[argument % len(children)] if children and isinstance(argument, int) else None
        if change == "append":
            folder.append(Element(str(argument)))
        elif change == "prepend":
            folder.prepend(Element(str(argument)))
        elif change == "before" and chosen is not None:
            chosen.insert_before(Element("a"))
        elif change == "after" and chosen is not None:
            chosen.insert_after(Element("a"))
        elif change == "detach" and chosen is not None:
            chosen.detach()
        elif change == "rename" and chosen is not None:
            chosen.forget_indexes()
            chosen.name = "b" if chosen.name == "a" else "a"
            chosen.mark_changed()
        elif change == "find" and isinstance(argument, int):
            found = find_child(folder, step, argument)
            named = [child for child in folder.children() if child.name == "a"]
            assert found is (named[argument - 1] if argument <= len(named) else None)
        elif change == "last" and isinstance(argument, int):
            found = find_child(folder, step, -argument)
            named = [child for child in folder.children() if child.name == "a"]
            assert found is (named[-argument] if argument <= len(named) else None)
        elif change == "count":
            assert count(folder, step) == len([child for child in folder.children() if child.name == "a"])
        elif change == "remove" and isinstance(argument, int):
            found = find_child(folder, step, argument)
            if found is not None:
                found.detach()
        elif change == "copy":
            folder = copy_element(folder)
        check_tree(folder)
    assert count(folder, Step("a")) == len([child for child in folder.children() if child.name == "a"])


def test_paths_with_computed_names_do_not_make_indexes_without_end() -> None:
    folder = Element("r", None, NAME)
    for number in range(4 * NEAR):
        folder.add(f"n{number}")
    for number in range(4 * NEAR):
        assert find_child(folder, Step(f"n{number}"), 1) is not None

    assert folder.indexes is not None and len(folder.indexes) <= INDEXES_MAX
    check_tree(folder)


class Counted(str):
    """A name that counts how often it is compared. Compiled code compares without it; plain Python is enough here."""

    comparisons = 0

    def __ne__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str.__ne__(self, other)

    __hash__ = str.__hash__


def counted(number: int) -> tuple[Element, Step, Step]:
    folder = Element("r", None, NAME)
    for _ in range(number):
        folder.add("a")
        folder.add("b")
    Counted.comparisons = 0
    return folder, Step(Counted("a")), Step(Counted("b"))


@pytest.mark.parametrize("order", ["up", "down", "from the end", "two names", "new steps", "remove", "create"])
def test_a_loop_over_indexes_looks_at_each_child_a_few_times_whatever_its_order(order: str) -> None:
    size = 1000
    folder, a, b = counted(0 if order == "create" else size)
    for number in range(1, size + 1):
        if order == "up":
            assert find_child(folder, a, number) is not None
        elif order == "down":
            assert find_child(folder, a, size + 1 - number) is not None
        elif order == "from the end":
            assert find_child(folder, a, -number) is not None
        elif order == "two names":
            assert find_child(folder, a, number) is not find_child(folder, b, number)
        elif order == "new steps":
            assert find_child(folder, Step(Counted("a")), number) is not None
        elif order == "remove":
            found = find_child(folder, a, 1 + (size - number) // 2)
            assert found is not None
            found.detach()
        else:
            assert ensure(folder, [Step(Counted("a"), "", number), Step("k")], True) is not None

    assert Counted.comparisons < 40 * size
    check_tree(folder)


@pytest.mark.parametrize("seed", range(5))
def test_an_index_survives_children_that_leave_from_the_middle(seed: int) -> None:
    """T6: a DELETE through a reference must not make the next path look at all children again."""
    random = Random(seed)
    folder = Element("f", None, NAME)
    step = Step("a")
    children = [folder.append(Element("a", number)) for number in range(200)]
    assert find_child(folder, step, 150) is children[149]
    assert folder.indexes is not None
    (index,) = folder.indexes

    for number in range(150):
        child = children.pop(random.randrange(1, len(children)))
        child.detach()
        if number % 3 == 0:
            children.append(folder.append(Element("a", 1000 + number)))
        wanted = random.randrange(1, len(children) + 1)
        assert find_child(folder, step, wanted) is children[wanted - 1]
        assert count(folder, step) == len(children)
        check_tree(folder)

    assert folder.indexes is not None
    assert folder.indexes[0] is index
