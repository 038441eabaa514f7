"""A small interpreter of statements over trees, for comparison with the compiler: A1 to A6 of trees.py, written anew.

It knows lists of children, and nothing of links, indexes, sources or compilation. A statement is a tuple of its kind
and its parts; `Interpreter.run` raises Refused where ESQL would be an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Value = int | str | bool | None


class Refused(Exception):
    """The statement is an error."""


@dataclass(eq=False)
class Node:
    """A field of the interpreter."""

    name: str
    value: Value = None
    children: list[Node] = field(default_factory=list)
    parent: Node | None = None

    def add(self, child: Node, place: int | None = None) -> Node:
        self.children.insert(len(self.children) if place is None else place, child)
        child.parent = self
        return child

    def remove(self) -> None:
        if self.parent is not None:
            self.parent.children = [child for child in self.parent.children if child is not self]
            self.parent = None

    def copy(self) -> Node:
        made = Node(self.name, self.value)
        for child in self.children:
            made.add(child.copy())
        return made

    def replace(self, source: Node) -> None:
        for child in list(self.children):
            child.remove()
        self.value = source.value
        for child in source.children:
            self.add(child.copy())

    def holds(self, other: Node | None) -> bool:
        while other is not None and other is not self:
            other = other.parent
        return other is self

    def beside(self, distance: int) -> Node | None:
        if self.parent is None:
            return None
        siblings = self.parent.children
        place = next(number for number, each in enumerate(siblings) if each is self) + distance
        return siblings[place] if 0 <= place < len(siblings) else None

    def shown(self) -> object:
        return (self.name, self.value, [child.shown() for child in self.children])


#: A step is a name ("*" for any) and an index: None, a number, `<n` as -n, or "i" for the variable.
Step = tuple[str, int | str | None]
Path = tuple[str, list[Step]]


class Interpreter:
    """Runs statements as the rules say."""

    def __init__(self) -> None:
        top = Node("Environment")
        self.starts = {"Environment": top, "r": top.add(Node("a")), "s": top.add(Node("b", 3))}
        self.starts["r"].add(Node("a", "1"))
        self.starts["r"].add(Node("b", "2"))
        self.moved = {"r": True, "s": True}
        self.i = 1

    def matching(self, parent: Node, step: Step) -> list[Node]:
        return [child for child in parent.children if step[0] in ("*", child.name)]

    def number(self, step: Step) -> int:
        index = self.i if step[1] == "i" else step[1]
        number = 1 if index is None else int(index)
        if number == 0:
            raise Refused
        return number

    def find(self, path: Path) -> Node | None:
        node: Node | None = self.starts[path[0]]
        for step in path[1]:
            if node is None:
                return None
            found = self.matching(node, step)
            number = self.number(step)
            place = number - 1 if number > 0 else len(found) + number
            node = found[place] if 0 <= place < len(found) else None
        return node

    def ensure(self, path: Path) -> Node:
        for length in range(1, len(path[1]) + 1):
            part = (path[0], path[1][:length])
            if self.find(part) is not None:
                continue
            parent = self.find((path[0], path[1][: length - 1]))
            step = path[1][length - 1]
            number = self.number(step)
            assert parent is not None
            if number < -1 or step[0] == "*" and length < len(path[1]):
                raise Refused
            for _ in range(max(number, 1) - len(self.matching(parent, step))):
                parent.add(Node("" if step[0] == "*" else step[0]))
        found = self.find(path)
        assert found is not None
        return found

    def set_value(self, path: Path, value: Value, keep: bool) -> None:
        if value is None and not keep:
            self.delete(path)
        else:
            self.ensure(path).value = value

    def delete(self, path: Path) -> None:
        found = self.find(path)
        if found is not None and found.parent is not None:
            found.remove()
        elif found is not None:
            found.replace(Node(""))

    def set_tree(self, path: Path, source: Path) -> None:
        given = self.find(source)
        if given is None:
            self.delete(path)
            return
        copy, target = given.copy(), self.find(path)
        if target is not None:
            if target is not given:
                target.replace(copy)
        elif path[1][-1][0] == "*":
            parent = self.ensure((path[0], path[1][:-1]))
            if max(self.number(path[1][-1]), 1) > len(parent.children) + 1:
                raise Refused
            parent.add(copy)
        else:
            self.ensure(path).replace(copy)

    def set_list(self, path: Path, items: list[Node]) -> None:
        copies = [item.copy() for item in items]
        before = (path[0], path[1][:-1])
        if not copies and self.find(before) is None:
            return
        parent, name = self.ensure(before), path[1][-1][0]
        for old in self.matching(parent, path[1][-1]):
            old.remove()
        for copy in copies:
            copy.name = copy.name if name == "*" else name
            parent.add(copy)

    def move(self, name: str, target: Node | None) -> None:
        self.moved[name] = target is not None
        self.starts[name] = target or self.starts[name]

    def run(self, statement: tuple[Any, ...]) -> None:
        """Run one statement, which is its kind and its parts."""
        match statement:
            case ("scalar" | "value" as kind, path, value):
                self.set_value(path, value, kind == "value")
            case ("tree", path, source):
                self.set_tree(path, source)
            case ("list", path, values):
                self.set_list(path, [Node("", value) for value in values])
            case ("items", path, source):
                self.set_list(path, self.items(source))
            case ("delete", path):
                self.delete(path)
            case ("create", position, path, name, value):
                self.place(self.ensure(path), position, Node(name, value))
            case ("move", name, way):
                here = self.starts[name]
                ends, sides = {"FIRSTCHILD": 0, "LASTCHILD": -1}, {"PREVIOUSSIBLING": -1, "NEXTSIBLING": 1}
                if way in ends:
                    self.move(name, here.children[ends[way]] if here.children else None)
                else:
                    self.move(name, here.beside(sides[way]) if way in sides else here.parent)
            case ("to", name, path):
                self.move(name, self.find(path))
            case ("attach", name, position, path):
                node = self.starts[name]
                if node.parent is None:
                    raise Refused
                node.remove()
                target = self.find(path)
                if target is None or node.holds(target):
                    raise Refused
                self.place(target, position, node)
            case ("count", path):
                self.i = len(self.items(path))
            case ("fill", path, number):
                for self.i in range(1, number + 1):
                    self.set_value(path, self.i, False)
                self.i = number + 1
            case ("moved", name):
                self.starts["Environment"].add(Node("m", self.moved[name]))

    def items(self, path: Path) -> list[Node]:
        parent = self.find((path[0], path[1][:-1]))
        return [] if parent is None else self.matching(parent, path[1][-1])

    def place(self, target: Node, position: str, made: Node) -> None:
        if position in ("FIRSTCHILD", "LASTCHILD"):
            target.add(made, 0 if position == "FIRSTCHILD" else None)
            return
        if target.parent is None:
            raise Refused
        place = next(number for number, each in enumerate(target.parent.children) if each is target)
        target.parent.add(made, place + (position == "NEXTSIBLING"))
