"""Validation of trees of a model: facets of values, and how often elements occur.

`problems(plan, top)` returns one text per violation, with the path of the element; an empty list if there is none. It
is asked where a node or PARSE says so (VALIDATE_CONTENT, VALIDATE_VALUE); reading alone never validates.
"""

from __future__ import annotations

from flintmq.broker.formats.model.nodes import CHOICE, ElementNode, GroupNode, Term
from flintmq.broker.formats.model.plan import Plan
from flintmq.broker.formats.model.read_state import path_of
from flintmq.broker.tree.element import Element

#: Violations that are reported of one message.
PROBLEMS_MAX = 50


class Content:
    """The elements of a structure by name, groups opened: its possible children."""

    def __init__(self, group: GroupNode) -> None:
        self.nodes: dict[str, ElementNode] = {}
        #: By name: the least and largest number of occurrences; a name may belong to several members.
        self.bounds: dict[str, tuple[int, int]] = {}
        self._add(group, False)

    def _add(self, term: Term, alternative: bool) -> None:
        if isinstance(term, ElementNode):
            if term.hidden:
                return
            least = 0 if alternative else term.min_occurs
            known = self.bounds.get(term.name)
            most = term.max_occurs
            if known is not None:
                least = min(least, known[0]) if alternative else least + known[0]
                most = -1 if most < 0 or known[1] < 0 else most + known[1]
            self.nodes.setdefault(term.name, term)
            self.bounds[term.name] = (least, most)
        elif isinstance(term, GroupNode):
            for slot in term.slots:
                self._add(slot.term, alternative or term.kind == CHOICE)


def problems(plan: Plan, top: Element) -> list[str]:
    """Return the violations of a message element and all below it."""
    found: list[str] = []
    contents: dict[int, Content] = {}
    work: list[tuple[ElementNode, Element]] = [(plan.root, top)]
    while work and len(found) < PROBLEMS_MAX:
        node, element = work.pop()
        if node.content is None:
            if node.facets is not None and element.value is not None:
                problem = node.facets.problem(element.value)
                if problem is not None:
                    found.append(f"{path_of(element, '')}: {problem}")
            continue
        content = contents.get(id(node.content))
        if content is None:
            content = Content(node.content)
            contents[id(node.content)] = content
        work.extend(reversed(_below(content, element, found)))
    return found


def _below(content: Content, element: Element, found: list[str]) -> list[tuple[ElementNode, Element]]:
    """Check the number of children of a structure, and return those that are in its model."""
    counts: dict[str, int] = {}
    below: list[tuple[ElementNode, Element]] = []
    child = element.first_child()
    while child is not None:
        counts[child.name] = counts.get(child.name, 0) + 1
        node = content.nodes.get(child.name)
        if node is not None:
            below.append((node, child))
        child = child.next_sibling()
    for name, (least, most) in content.bounds.items():
        count = counts.get(name, 0)
        if count < least:
            found.append(f"{path_of(element, name)}: it occurs {count} times, and at least {least} are required")
        elif 0 <= most < count:
            found.append(f"{path_of(element, name)}: it occurs {count} times, and at most {most} are allowed")
    return below
