"""Elements of a message tree, and navigation.

An element has a name, a namespace, a type, a value, and links to its parent, its first and last child and its
siblings. The links are the tree: there is no list of children, so a reference that steps to the next sibling, and an
insertion anywhere, take the same time however many siblings there are. A reference of ESQL *is* an element; it stays
valid whatever happens around it.

**Lazy children.** A parser does not build a tree. It makes one folder with a `Source` and leaves `pending` set; the
children are built when navigation asks. `Source.more` appends the next child (or all of them) and clears `pending`
after the last. Everything here that looks at children goes through `first_child`, `last_child` and `next_sibling`,
which ask the source; nothing outside the formats reads the links directly.

**Unchanged content.** `changed` is False while an element still agrees with its source, in all that is below it.
A copy of an unchanged element shares the source and costs one object. A writer of the same format writes an unchanged
element from the original bytes. The first change below sets `changed` on the way up.

Invariants, checked by `check_tree`:

T1  `first` is None exactly if `last` is; `first.previous` and `last.next` are None.
T2  Every child has this element as parent, and the siblings are linked both ways.
T3  If an element is changed, so is its parent.
T4  `pending` needs a source.
T5  A changed element never loses children that are still pending: `pending` and `cursor` survive changes and copies.
T6  An index of an element lists the children that its step matches, from the first to the last one that it has looked
    at, in order. A removal takes the child out; an insertion before another child, a new name or type drops the index.

Finding a child by name and number walks the first and last NEAR children. Beyond them an index is made, so that `a[i]`
in a loop takes the same time for every i, in whatever order, and while the loop appends and removes children.

The module is compiled by mypyc. It never raises for an element that is missing: that is None, as NULL is in ESQL.
"""

from __future__ import annotations

from bisect import bisect_left
from threading import RLock
from typing import Final, final

from mypy_extensions import mypyc_attr

from flintmq.broker.errors import BrokerError
from flintmq.broker.tree.types import CONTENT, KIND, NAME, NAME_VALUE, VALUE

#: Elements nested deeper than this are refused by parsers and writers (BIP 5004).
DEPTH_MAX: Final = 2000

#: Children that are looked at one by one before an index is made.
NEAR: Final = 24

#: Indexes of one element. A path with computed names may ask for any number of them.
INDEXES_MAX: Final = 8

#: Held while an index grows: several threads may read one SHARED row.
_INDEX_LOCK: Final = RLock()

#: What tells the type JSON.Array from that of any folder.
JSON_ARRAY_DETAIL: Final = 0x1000

#: A path may create at most this many siblings at once: `a[1000000000]` must not fill the memory.
CREATED_MAX: Final = 100_000


@mypyc_attr(allow_interpreted_subclasses=True)
class Source:
    """The part of a parser that stays with a folder: it builds children when navigation asks for them.

    A source never changes its content; several trees may share one.
    """

    #: The domain whose types the children get.
    domain: str

    def __init__(self, domain: str) -> None:
        self.domain = domain

    def more(self, element: Element) -> None:
        """Append the next child or children of `element` with `append_built`, or clear `element.pending`.

        Called only while `element.pending` is set. Raise a BrokerError if the content is malformed.
        """
        raise NotImplementedError

    def view(self, domain: str) -> Source | None:
        """Return a source that builds the same content with the types of another domain; None if there is none."""
        return None


@final
class Element:
    """One element. Make one with `Element(name)`; `append` and its siblings put it into a tree."""

    __slots__ = (
        "changed",
        "cursor",
        "domain",
        "entry",
        "first",
        "indexes",
        "last",
        "name",
        "namespace",
        "next",
        "parent",
        "pending",
        "previous",
        "read_only",
        "shared",
        "source",
        "type",
        "value",
    )

    def __init__(self, name: str = "", value: object = None, type: int = NAME_VALUE, namespace: str = "") -> None:
        self.name: str = name
        self.namespace: str = namespace
        self.type: int = type
        self.value: object = value
        self.parent: Element | None = None
        self.first: Element | None = None
        self.last: Element | None = None
        self.previous: Element | None = None
        self.next: Element | None = None
        #: The parser that owns the subtree, where one is attached: the folder of a header or body. '' = as the parent.
        self.domain: str = ""
        self.source: Source | None = None
        #: Where the source finds this element, and the next child to build. Only the source reads them.
        self.entry: int = 0
        self.cursor: int = 0
        self.pending: bool = False
        self.changed: bool = True
        #: Set on the root of an input tree while a Compute node runs.
        self.read_only: bool = False
        #: Set on the tree of a SHARED row, which several threads read: nothing below it is left to build.
        self.shared: bool = False
        #: Where the children are that steps of paths match (T6).
        self.indexes: list[ChildIndex] | None = None

    # Navigation.

    def first_child(self) -> Element | None:
        """Return the first child, building it if need be."""
        if self.first is None and self.pending:
            self._build_one()
        return self.first

    def last_child(self) -> Element | None:
        """Return the last child; all children are built."""
        if self.pending:
            self.build_all()
        return self.last

    def next_sibling(self) -> Element | None:
        """Return the next sibling, building it if need be."""
        if self.next is None:
            parent = self.parent
            if parent is not None and parent.pending:
                parent._build_one()
        return self.next

    def _build_one(self) -> None:
        """Let the source append at least one child, or find that there is none left."""
        last = self.last
        source = self.source
        assert source is not None
        while self.pending and self.last is last:
            source.more(self)

    def build_all(self) -> None:
        """Build all children of this element (not theirs)."""
        source = self.source
        while self.pending:
            assert source is not None
            source.more(self)

    def child(self, name: str, namespace: str = "") -> Element | None:
        """Return the first child with this name."""
        found = self.first_child()
        while found is not None:
            if found.name == name and found.namespace == namespace:
                return found
            found = found.next_sibling()
        return None

    def children(self) -> list[Element]:
        """Return all children."""
        found: list[Element] = []
        child = self.first_child()
        while child is not None:
            found.append(child)
            child = child.next_sibling()
        return found

    def root(self) -> Element:
        """Return the root of the tree that holds this element."""
        element = self
        while element.parent is not None:
            element = element.parent
        return element

    def owner(self) -> str:
        """Return the domain of the closest folder with a parser; '' if there is none."""
        element: Element | None = self
        while element is not None:
            if element.domain:
                return element.domain
            element = element.parent
        return ""

    def depth(self) -> int:
        """Return how many elements are above this one."""
        count = 0
        element = self.parent
        while element is not None:
            count += 1
            element = element.parent
        return count

    # Change.

    def mark_changed(self) -> None:
        """Note that this element differs from its source."""
        element: Element | None = self
        while element is not None and not element.changed:
            element.changed = True
            element = element.parent

    def append_built(self, child: Element) -> None:
        """Append a child that agrees with the source. Only sources call this."""
        child.parent = self
        last = self.last
        child.previous = last
        if last is None:
            self.first = child
        else:
            last.next = child
        self.last = child

    def append(self, child: Element) -> Element:
        """Put `child` (which is in no tree) behind the last child, and return it."""
        if self.pending:
            self.build_all()
        self.append_built(child)
        self.mark_changed()
        return child

    def prepend(self, child: Element) -> Element:
        """Put `child` before the first child, and return it."""
        first = self.first_child()
        if first is None:
            return self.append(child)
        return first.insert_before(child)

    def insert_before(self, new: Element) -> Element:
        """Put `new` before this element, and return it."""
        parent = self.parent
        assert parent is not None, "the root has no siblings"
        parent.indexes = None
        new.parent = parent
        new.next = self
        new.previous = self.previous
        if self.previous is None:
            parent.first = new
        else:
            self.previous.next = new
        self.previous = new
        parent.mark_changed()
        return new

    def insert_after(self, new: Element) -> Element:
        """Put `new` behind this element, and return it."""
        following = self.next
        if following is not None:
            return following.insert_before(new)
        parent = self.parent
        assert parent is not None, "the root has no siblings"
        # Children that are still pending follow what is appended here.
        parent.append_built(new)
        parent.mark_changed()
        return new

    def detach(self) -> Element:
        """Take this element, with all below it, out of its tree, and return it."""
        parent = self.parent
        if parent is None:
            return self
        if parent.indexes is not None:
            for index in parent.indexes:
                index.without(self)
        if self.previous is None:
            parent.first = self.next
        else:
            self.previous.next = self.next
        if self.next is None:
            parent.last = self.previous
        else:
            self.next.previous = self.previous
        self.parent = None
        self.previous = None
        self.next = None
        parent.mark_changed()
        return self

    def clear(self) -> None:
        """Remove all children and the value."""
        child = self.first
        while child is not None:
            following = child.next
            child.parent = None
            child.previous = None
            child.next = None
            child = following
        self.first = None
        self.last = None
        self.indexes = None
        self.pending = False
        self.value = None
        self.mark_changed()

    def forget_indexes(self) -> None:
        """Drop the indexes of the parent: the name or type of this element changes (T6)."""
        if self.parent is not None:
            self.parent.indexes = None

    def set_value(self, value: object) -> None:
        """Set the value. In XML and XMLNS the first text child is the value, so it is set, too."""
        self.value = value
        first = self.first
        if first is not None or self.pending:
            if self.owner() in ("XML", "XMLNS"):
                text = self.first_child()
                while text is not None and text.type & KIND != CONTENT:
                    text = text.next_sibling()
                if text is not None:
                    text.value = value
                    text.changed = True
        if not self.changed:
            self.mark_changed()

    def add(self, name: str, value: object = None, type: int = NAME_VALUE) -> Element:
        """Append a new child and return it. For code that makes trees; ESQL creates by paths."""
        return self.append(Element(name, value, type))

    def folder(self, name: str) -> Element:
        """Return the first child with this name; append a folder if there is none."""
        found = self.child(name)
        if found is None:
            found = self.append(Element(name, None, NAME))
        return found

    def get(self, path: str) -> object:
        """Return the value at a dotted path of names without namespaces; None if it is missing."""
        found: Element | None = self
        for name in path.split("."):
            if found is None:
                return None
            found = found.child(name)
        return None if found is None else found.value

    def put(self, path: str, value: object) -> Element:
        """Set the value at a dotted path of names, creating missing elements; return the last element."""
        names = path.split(".")
        element = self
        for name in names[:-1]:
            element = element.folder(name)
        found = element.child(names[-1])
        if found is None:
            return element.append(Element(names[-1], value))
        found.set_value(value)
        return found

    def __repr__(self) -> str:
        name = f"{{{self.namespace}}}{self.name}" if self.namespace else self.name
        return f"<Element {name} type={self.type:#010x} value={self.value!r}{' pending' if self.pending else ''}>"


def copy_element(element: Element) -> Element:
    """Return a deep copy that is in no tree. Unchanged content is shared with its source, not copied."""
    new = _copy_one(element)
    if element.changed or element.source is None:
        _copy_below(element, new)
    return new


def _copy_one(element: Element) -> Element:
    """Copy an element without its built children; an unchanged one builds them again from its source."""
    new = Element(element.name, element.value, element.type, element.namespace)
    new.domain = element.domain
    source = element.source
    if source is not None:
        new.source = source
        new.entry = element.entry
        if element.changed:
            new.cursor = element.cursor
            new.pending = element.pending
        else:
            new.changed = False
            new.pending = element.pending or element.first is not None
            # A source starts at the first child when the cursor is 0.
            new.cursor = 0
    elif not element.changed:
        # The source of an element above built this one, with all that is below it.
        new.changed = False
    return new


def _copy_below(element: Element, new: Element) -> None:
    """Copy the built children of an element that no source builds again, level by level, without recursion."""
    work: list[tuple[Element, Element]] = [(element, new)]
    while work:
        original, made = work.pop()
        child = original.first
        while child is not None:
            copied = _copy_one(child)
            made.append_built(copied)
            if child.first is not None and (child.changed or child.source is None):
                work.append((child, copied))
            child = child.next


def copy_content(target: Element, source: Element) -> None:
    """Replace value and children of `target` by copies of those of `source`; the target keeps its name and type.

    Between parsers only names, values, kinds and order survive, apart from types that both know (MF 2.5).
    """
    into = target.owner()
    same = into == source.owner()
    # An element without built children has nothing below it that the other could be.
    if source.first is not None and is_inside(target, source) or target.first is not None and is_inside(source, target):
        # A copy of a tree into itself: copy the source before the target is emptied.
        source = copy_element(source) if same else converted(source, into)
        same = True
    target.clear()
    target.value = source.value
    shared: Source | None = None
    if not source.changed and source.source is not None:
        shared = source.source if same else source.source.view(into)
    if shared is not None:
        target.source = shared
        target.entry = source.entry
        target.cursor = 0
        target.pending = source.pending or source.first is not None
        # A whole body says what its source says, to the last byte; a part of one stands in another folder.
        target.changed = source.domain == "" or source.domain != target.domain
        return
    source.build_all()
    child = source.first
    while child is not None:
        if target.domain == ROOT_DOMAIN and not same:
            # The name of a child of Root is that of its parser, unless it has one already.
            made = copy_element(child) if child.domain else converted(child, child.name)
            made.domain = child.domain or child.name
        else:
            made = copy_element(child) if same else converted(child, into)
        target.append_built(made)
        child = child.next


def converted(element: Element, into: str) -> Element:
    """Return a deep copy with the types that the domain `into` knows."""
    view: Source | None = None
    if element.source is not None and not element.changed:
        view = element.source.view(into)
    if view is not None:
        new = Element(element.name, element.value, convert_type(element.type, into), element.namespace)
        new.source = view
        new.entry = element.entry
        new.pending = element.pending or element.first is not None
        return new
    top = Element(element.name, element.value, convert_type(element.type, into), element.namespace)
    # The first text of an element of XML or XMLNS is its value elsewhere.
    texts = element.owner() in ("XML", "XMLNS") and into in ("XMLNSC", "", "JSON")
    work: list[tuple[Element, Element]] = [(element, top)]
    while work:
        original, made = work.pop()
        child = original.first_child()
        first_text = texts
        while child is not None:
            if first_text and child.type & KIND == CONTENT and child.value == original.value:
                first_text = False
                child = child.next_sibling()
                continue
            copied = Element(child.name, child.value, convert_type(child.type, into), child.namespace)
            made.append_built(copied)
            if child.pending or child.first is not None:
                work.append((child, copied))
            child = child.next_sibling()
    return top


def convert_type(type_value: int, into: str) -> int:
    """Return the type that an element of another parser gets in the domain `into`; '' is a row or an environment.

    An array of JSON stays one in a tree without a parser, so that SELECT and ROW can pass it on.
    """
    if type_value & 0x00FFFFFF == JSON_ARRAY_DETAIL:
        return type_value if into in ("", "JSON") else type_value & KIND
    if into in ("XMLNSC", "XMLNS", "XML"):
        return type_value
    return type_value & KIND


def is_inside(element: Element, ancestor: Element) -> bool:
    """Return whether `element` is `ancestor` or below it."""
    found: Element | None = element
    while found is not None:
        if found is ancestor:
            return True
        found = found.parent
    return False


@final
class Step:
    """One step of a path that is known when ESQL is compiled.

    `name` and `namespace` None match any. `index` is 0 for none (the first), n for the n-th match, -n for the n-th from
    the end. An element matches if `type & mask == kind`; a mask of 0 matches all types. `create_type` is the type that
    a created element gets: -1 = by its place in the path.
    """

    __slots__ = ("create_type", "index", "kind", "mask", "name", "namespace")

    def __init__(
        self,
        name: str | None,
        namespace: str | None = "",
        index: int = 0,
        mask: int = 0,
        kind: int = 0,
        create_type: int = -1,
    ) -> None:
        self.name: str | None = name
        self.namespace: str | None = namespace
        self.index: int = index
        self.mask: int = mask
        self.kind: int = kind
        self.create_type: int = create_type


def matches(element: Element, step: Step) -> bool:
    """Return whether an element fits name, namespace and type of a step."""
    name = step.name
    if name is not None and element.name != name:
        return False
    namespace = step.namespace
    if namespace is not None and element.namespace != namespace:
        return False
    mask = step.mask
    return mask == 0 or element.type & mask == step.kind


@final
class ChildIndex:
    """The children of one element that a step matches, as far as they have been looked at (T6)."""

    __slots__ = ("found", "last", "recent", "serials", "step", "tickets")

    def __init__(self, step: Step) -> None:
        self.step: Step = step
        self.found: list[Element] = []
        #: The last child that was looked at, whether it matches or not; None before the first.
        self.last: Element | None = None
        #: Position of the child that was asked for last: a DELETE often follows.
        self.recent: int = 0
        #: Made when a child leaves whose position is not known: a number per child that never changes, by the id of the
        #: child, and the numbers in the order of `found`. They rise, so a search by halves finds the position.
        self.tickets: dict[int, int] | None = None
        self.serials: list[int] = []

    def add(self, child: Element) -> None:
        """Append a child that the step matches."""
        self.found.append(child)
        tickets = self.tickets
        if tickets is not None:
            serials = self.serials
            ticket = serials[len(serials) - 1] + 1 if serials else 0
            serials.append(ticket)
            tickets[id(child)] = ticket

    def _position(self, child: Element) -> int:
        """Return where a child is in `found`; -1 if it is not there."""
        found = self.found
        size = len(found)
        if size == 0:
            return -1
        if found[size - 1] is child:
            return size - 1
        if found[0] is child:
            return 0
        if self.recent < size and found[self.recent] is child:
            return self.recent
        tickets = self.tickets
        if tickets is None:
            tickets = {}
            for number in range(size):
                tickets[id(found[number])] = number
            self.tickets = tickets
            self.serials = list(range(size))
        ticket = tickets.get(id(child), -1)
        return -1 if ticket < 0 else bisect_left(self.serials, ticket)

    def without(self, child: Element) -> None:
        """Take a child out that is about to leave its parent."""
        if self.last is child:
            self.last = child.previous
        if not matches(child, self.step):
            return
        position = self._position(child)
        if position < 0:
            return  # The index has not looked at it yet.
        del self.found[position]
        tickets = self.tickets
        if tickets is not None:
            del self.serials[position]
            del tickets[id(child)]


def _same_match(one: Step, other: Step) -> bool:
    """Return whether two steps match the same children."""
    return (
        one.name == other.name
        and one.namespace == other.namespace
        and one.mask == other.mask
        and (one.mask == 0 or one.kind == other.kind)
    )


def _index(parent: Element, step: Step) -> ChildIndex | None:
    """Return the index of a step; None if there is none yet."""
    indexes = parent.indexes
    if indexes is not None:
        for index in indexes:
            if index.step is step or _same_match(index.step, step):
                return index
    return None


def _new_index(parent: Element, step: Step) -> ChildIndex:
    """Make the index of a step; the oldest one of the element goes if there are too many."""
    made = ChildIndex(step)
    kept = parent.indexes
    if kept is None:
        parent.indexes = [made]
    else:
        parent.indexes = [*kept[1 - INDEXES_MAX :], made]
    return made


def _grow(parent: Element, index: ChildIndex, wanted: int) -> int:
    """Look at more children until an index has so many, all of them if `wanted` is negative; return how many it has."""
    found = index.found
    if wanted >= 0 and len(found) >= wanted:
        return len(found)
    with _INDEX_LOCK:
        last = index.last
        child = parent.first_child() if last is None else last.next_sibling()
        while child is not None:
            index.last = child
            if matches(child, index.step):
                index.add(child)
                if len(found) == wanted:
                    break
            child = child.next_sibling()
    return len(found)


def find_child(parent: Element, step: Step, number: int) -> Element | None:
    """Return the child that a step with this index means; None if there is none."""
    index = None if parent.indexes is None else _index(parent, step)
    left = NEAR
    if number < 0:
        if index is None or number == -1:
            missing = -number
            child = parent.last_child()
            while child is not None and left > 0:
                if matches(child, step):
                    missing -= 1
                    if missing == 0:
                        return child
                child = child.previous
                left -= 1
            if child is None:
                return None
        if index is None:
            index = _new_index(parent, step)
        size = _grow(parent, index, -1)
        if size < -number:
            return None
        index.recent = size + number
        return index.found[size + number]
    wanted = 1 if number < 1 else number
    if index is None:
        missing = wanted
        child = parent.first_child()
        while child is not None and left > 0:
            if matches(child, step):
                missing -= 1
                if missing == 0:
                    return child
            child = child.next_sibling()
            left -= 1
        if child is None:
            return None
        index = _new_index(parent, step)
    if _grow(parent, index, wanted) < wanted:
        return None
    index.recent = wanted - 1
    return index.found[wanted - 1]


def walk(start: Element | None, steps: list[Step]) -> Element | None:
    """Return the element at the end of a path; None if a step finds nothing."""
    element = start
    for step in steps:
        if element is None:
            return None
        element = find_child(element, step, step.index)
    return element


def find_next(element: Element, step: Step) -> Element | None:
    """Return the next sibling that matches a step; None if there is none."""
    found = element.next_sibling()
    while found is not None and not matches(found, step):
        found = found.next_sibling()
    return found


def find_all(parent: Element | None, step: Step) -> list[Element]:
    """Return all children that match a step."""
    found: list[Element] = []
    if parent is None:
        return found
    child = parent.first_child()
    while child is not None:
        if matches(child, step):
            found.append(child)
        child = child.next_sibling()
    return found


def count(parent: Element | None, step: Step) -> int:
    """Return how many children match a step."""
    number = 0
    if parent is None:
        return number
    index = None if parent.indexes is None else _index(parent, step)
    if index is None:
        left = NEAR
        child = parent.first_child()
        while child is not None and left > 0:
            if matches(child, step):
                number += 1
            child = child.next_sibling()
            left -= 1
        if child is None:
            return number
        index = _new_index(parent, step)
    return _grow(parent, index, -1)


def ensure_child(parent: Element, step: Step, index: int, leaf: bool, gaps: bool) -> Element:
    """Return the child that a step means, appending it if it is missing.

    `leaf` says whether the step is the last of its path. With `gaps`, `a[5]` where two exist creates three; without, it
    is an error.
    """
    child = find_child(parent, step, index)
    if child is not None:
        return child
    if step.name is None and (not leaf or parent.domain == ROOT_DOMAIN):
        raise BrokerError(
            2497,
            "a step without a name matches no element, so none can be created; name the element",
            sqlstate="S22000",
        )
    if index < 0:
        if index != -1:
            raise BrokerError(2497, f"there is no {-index}. {step.name} from the end to assign to", sqlstate="S22000")
        index = 1
    missing = 1
    if index > 1:
        missing = index - count(parent, step)
        if missing > 1 and not gaps or missing > CREATED_MAX:
            raise BrokerError(
                2497,
                f"{step.name}[{index}] cannot be created: there are {index - missing} so far",
                inserts=(step.name, index),
                sqlstate="S22000",
            )
    made = parent
    while missing > 0:
        made = _new_child(parent, step, leaf)
        missing -= 1
    return made


def _new_child(parent: Element, step: Step, leaf: bool) -> Element:
    """Append an element as a step names it. A child of a root gets the parser that its name says."""
    name = step.name
    namespace = step.namespace
    kind = step.create_type
    if kind < 0:
        kind = NAME_VALUE if leaf else NAME
    if name is None:
        # `SET p.* = 'x'` gives p a value without a name (BA 2.3, 17 and 18).
        name = ""
        if step.create_type < 0:
            kind = VALUE
    made = Element(name, None, kind, "" if namespace is None else namespace)
    if parent.domain == ROOT_DOMAIN:
        made.domain = name
        if step.create_type < 0:
            made.type = NAME
    elif parent.type == NAME_VALUE and parent.value is None:
        # A field without a value that gets children is a folder from then on.
        parent.forget_indexes()
        parent.type = NAME
    return parent.append(made)


#: The domain of `Root`: the names of its children are names of parsers.
ROOT_DOMAIN: Final = "Root"


def ensure(start: Element, steps: list[Step], gaps: bool) -> Element:
    """Return the element at the end of a path, creating the missing steps."""
    element = start
    left = len(steps)
    for step in steps:
        left -= 1
        element = ensure_child(element, step, step.index, left == 0, gaps)
    return element


def release_tree(top: Element) -> None:
    """Take apart the tree below an element, so that its memory is free at once.

    Elements refer to each other in both directions: without this, only the collector frees them, which costs about as
    much as building them. No element below `top` may be used afterwards.
    """
    chains: list[Element] = []
    element: Element | None = top.first
    top.first = None
    top.last = None
    top.indexes = None
    while True:
        while element is not None:
            first = element.first
            if first is not None:
                element.first = None
                element.last = None
                element.indexes = None
                chains.append(first)
            following = element.next
            element.next = None
            element.previous = None
            element.parent = None
            element = following
        if not chains:
            return
        element = chains.pop()


def check_tree(element: Element) -> None:
    """Assert T1 to T6 for a tree. Tests call this after every change."""
    work = [element]
    while work:
        parent = work.pop()
        assert (parent.first is None) == (parent.last is None), "T1"
        assert parent.first is None or parent.first.previous is None, "T1"
        assert parent.last is None or parent.last.next is None, "T1"
        assert not parent.pending or parent.source is not None, "T4"
        child = parent.first
        previous: Element | None = None
        while child is not None:
            assert child.parent is parent and child.previous is previous, "T2"
            assert parent.changed or not child.changed, "T3"
            work.append(child)
            previous = child
            child = child.next
        assert parent.last is previous, "T2"
        for index in parent.indexes or []:
            expected: list[Element] = []
            child = parent.first if index.last is not None else None
            while child is not None:
                if matches(child, index.step):
                    expected.append(child)
                child = None if child is index.last else child.next
            assert index.last is None or index.last.parent is parent, "T6"
            assert len(index.found) == len(expected), "T6"
            assert all(one is other for one, other in zip(index.found, expected, strict=True)), "T6"
            if index.tickets is not None:
                assert [index.tickets[id(each)] for each in index.found] == index.serials, "T6"
                assert index.serials == sorted(set(index.serials)) and len(index.tickets) == len(expected), "T6"
