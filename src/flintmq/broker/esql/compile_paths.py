"""Compiles paths (field references): which element they start at, and the steps from there.

    InputRoot.XMLNSC.Order.Item[i].Price

becomes a start (`c.input_root`), a list of steps made once (`P1`), and the computed indexes (`[i]`):

    value_of(c.input_root, P1, [i])

A step with a computed name is made when the statement runs, by `computed(...)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.names import KINDS, SPELLING, XML_PREFIXES, Scope, Symbol, field_type
from flintmq.broker.esql.source import Constants
from flintmq.broker.esql.trees import DYNAMIC, DYNAMIC_LAST
from flintmq.broker.tree.element import Step
from flintmq.broker.tree.types import NAMED_FAMILIES, family


class CompileError(Exception):
    """ESQL that cannot be compiled: a name that is not known, a path where none may stand."""

    def __init__(self, number: int, text: str, node: s.Node) -> None:
        super().__init__(text)
        self.number = number
        self.text = text
        self.node = node


@dataclass(slots=True)
class StepCode:
    """One step: a Step made by the compiler, or the code that makes one."""

    step: Step | None
    shown: str
    code: str = ""
    index: str = ""


@dataclass(slots=True)
class PathCode:
    """A compiled path."""

    #: Code of the element the path starts at.
    start: str
    #: What the start is: a Symbol, or the correlation name.
    symbol: Symbol | None
    correlation: str
    steps: list[StepCode] = field(default_factory=list)
    is_list: bool = False

    @property
    def indexes(self) -> list[str]:
        """Code of the computed indexes, in order."""
        return [step.index for step in self.steps if step.index]


class PathCompiler:
    """Compiles paths. The compiler of expressions derives from this class and supplies `scalar`."""

    scope: Scope
    constants: Constants
    trees: dict[str, str]
    #: Schemas of PATH that the program does not have: a name that is nowhere may be declared there.
    missing_schemas: list[str]
    #: Called with number, text and node for what is doubtful but no reason to refuse the file.
    warn: Callable[[int, str, s.Node], None]

    def scalar(self, node: s.Expression) -> str:
        """Return code that gives the scalar value of an expression."""
        raise NotImplementedError

    def path(self, node: s.Path) -> PathCode:
        """Compile a path that starts at a tree: a correlation name, a ROW or a reference."""
        first = node.elements[0]
        name = first.name
        if not isinstance(name, s.Name) or first.namespace is not None or first.type is not None:
            raise CompileError(2432, "a path must start with a correlation name or a variable", node)
        symbol = self.scope.find(name.text)
        if symbol is not None and symbol.kind in ("ROW", "REFERENCE"):
            made = PathCode(symbol.code, symbol, "")
        elif symbol is not None:
            raise CompileError(2432, f"{name.text} is not a tree: it is declared {symbol.type.name}", node)
        elif name.key in self.trees:
            made = PathCode(self.trees[name.key], None, name.key)
        elif self.missing_schemas:
            schemas = ", ".join(self.missing_schemas)
            self.warn(
                2432, f"{name.text} is not declared here; it may be in the schema {schemas}, which is absent", node
            )
            made = PathCode(f"missing_name({name.text!r})", None, name.key)
        else:
            valid = ", ".join(SPELLING.get(each, each) for each in self.trees)
            raise CompileError(
                2432, f"{name.text} is neither a variable nor a correlation name that is valid here ({valid})", node
            )
        if first.index is not None:
            raise CompileError(2432, f"{name.text} is one tree and takes no index", node)
        for element in node.elements[1:]:
            made.steps.append(self._step(element))
        made.is_list = node.is_list
        return made

    def _step(self, element: s.PathElement) -> StepCode:
        """Compile one step."""
        name, name_code = self._step_name(element.name)
        namespace, namespace_code = self._step_namespace(element.namespace, name is None and not name_code)
        mask = kind = 0
        create = -1
        type_code = ""
        if element.type is not None:
            known = self.constant_type(element.type)
            if known is None:
                type_code = self.scalar(element.type)
            else:
                create, mask, kind = known
        index_code = ""
        index = 0
        if element.index is not None and element.index.kind != "ALL":
            index, index_code = self._index(element.index)
        if name_code or namespace_code or type_code:
            shown_name = name_code or repr(name)
            shown_namespace = namespace_code or repr(namespace)
            if not type_code:
                type_code = "None" if element.type is None else str(create)
            code = (
                f"computed({shown_name}, {shown_namespace}, {not name_code and name is None}, "
                f"{not namespace_code and namespace is None}, {type_code}, {index})"
            )
            return StepCode(None, code, code, index_code)
        step = Step(name, namespace, index, mask, kind, create)
        return StepCode(step, _step_code(step), "", index_code)

    def _step_name(self, given: s.Node | None) -> tuple[str | None, str]:
        """Return the name of a step, None if any name matches, and the code of a computed name."""
        if isinstance(given, s.Name):
            return given.text, ""
        return None, self.scalar(given.expression) if isinstance(given, s.ComputedName) else ""

    def _step_namespace(self, given: s.Node | None, any_name: bool) -> tuple[str | None, str]:
        """Return the namespace of a step, None if any namespace matches, and the code of a computed one."""
        if isinstance(given, s.ComputedName):
            return "", self.scalar(given.expression)
        if isinstance(given, s.Name):
            return self.prefix(given)
        # Without a prefix, a step that matches any name matches any namespace, too.
        return (None if isinstance(given, s.AnyName) or given is None and any_name else ""), ""

    def prefix(self, name: s.Name) -> tuple[str | None, str]:
        """Return the namespace that a prefix stands for, or the code that gives it."""
        symbol = self.scope.find(name.text)
        if symbol is not None:
            return (symbol.text, "") if symbol.text is not None else ("", symbol.code)
        if name.text in XML_PREFIXES:
            return XML_PREFIXES[name.text], ""
        raise CompileError(2432, f"the namespace prefix {name.text} is not declared", name)

    def _index(self, index: s.Index) -> tuple[int, str]:
        """Return the index of a step, and its code where it is computed."""
        sign = -1 if index.kind == "LAST" else 1
        if index.expression is None:
            return sign, ""
        literal = index.expression
        if isinstance(literal, s.Literal) and literal.kind == "INTEGER" and isinstance(literal.value, int):
            if literal.value < 1:
                raise CompileError(2497, f"the index {literal.value} of a path must be 1 or more", index)
            return sign * literal.value, ""
        return (DYNAMIC if sign > 0 else DYNAMIC_LAST), self.scalar(literal)

    def constant_type(self, node: s.Expression) -> tuple[int, int, int] | None:
        """Return number, mask and value of a field type that is a constant; None if it must be computed."""
        if isinstance(node, s.Path):
            words = [element.plain for element in node.elements]
            names = [word.text for word in words if word is not None]
            if len(names) == len(words) == 2 and self.scope.find(names[0]) is None:
                number = field_type(names[0], names[1])
                if number is None:
                    raise CompileError(2432, f"{names[0]}.{names[1]} is not a field type", node)
                mask, kind = NAMED_FAMILIES.get(f"{names[0]}.{names[1]}", family(number))
                return number, mask, kind
            if len(names) == 1 and names[0].upper() in KINDS and self.scope.find(names[0]) is None:
                number = KINDS[names[0].upper()]
                return number, 0xFF000000, number
        elif isinstance(node, s.Literal) and isinstance(node.value, int) and not isinstance(node.value, bool):
            return node.value, *family(node.value)
        return None

    # Code of compiled paths.

    def steps_code(self, steps: list[StepCode]) -> str:
        """Return code that gives a list of steps: a constant where all are known."""
        parts: list[str] = []
        run: list[StepCode] = []
        for step in steps:
            if step.step is None:
                if run:
                    parts.append(f"*{self._constant_steps(run)}")
                    run = []
                parts.append(step.code)
            else:
                run.append(step)
        if not parts:
            return self._constant_steps(run)
        if run:
            parts.append(f"*{self._constant_steps(run)}")
        return f"[{', '.join(parts)}]"

    def _constant_steps(self, steps: list[StepCode]) -> str:
        shown = "[" + ", ".join(step.shown for step in steps) + "]"
        return self.constants.add("P", shown, [self.constants.step(step.shown, step.step) for step in steps])

    def step_code(self, step: StepCode) -> str:
        """Return code that gives one step."""
        if step.step is None:
            return step.code
        return self.constants.add("T", step.shown, self.constants.step(step.shown, step.step))

    def indexes_code(self, steps: list[StepCode]) -> str:
        """Return code that gives the computed indexes of steps."""
        return f"[{', '.join(step.index for step in steps if step.index)}]"

    def element_code(self, path: PathCode) -> str:
        """Return code that gives the element at the end of a path, or None."""
        if not path.steps:
            return path.start
        if path.indexes:
            return f"at({path.start}, {self.steps_code(path.steps)}, {self.indexes_code(path.steps)})"
        return f"walk({path.start}, {self.steps_code(path.steps)})"

    def value_code(self, path: PathCode) -> str:
        """Return code that gives the value at the end of a path."""
        if not path.steps:
            return f"value({path.start})"
        if path.indexes:
            return f"value_of({path.start}, {self.steps_code(path.steps)}, {self.indexes_code(path.steps)})"
        return f"value_at({path.start}, {self.steps_code(path.steps)})"

    def parent_code(self, path: PathCode) -> str:
        """Return code that gives the element before the last step."""
        before = path.steps[:-1]
        return self.element_code(PathCode(path.start, path.symbol, path.correlation, before))

    def items_code(self, path: PathCode) -> str:
        """Return code that gives the list `path[]`."""
        if not path.steps:
            return f"rows_of({path.start})"
        return f"items({self.parent_code(path)}, {self.step_code(path.steps[-1])})"

    def target_code(self, path: PathCode) -> str:
        """Return start, steps and indexes, as the functions of trees.py take them."""
        return f"{path.start}, {self.steps_code(path.steps)}, {self.indexes_code(path.steps)}"


def _step_code(step: Step) -> str:
    """Return code that makes a step: as many arguments of `Step` as differ from the defaults."""
    shown = repr(step.name)
    if step.namespace != "" or step.mask or step.index:
        shown += f", {step.namespace!r}"
    if step.mask or step.index:
        shown += f", {step.index}"
    if step.mask:
        shown += f", {step.mask:#x}, {step.kind:#x}, {step.create_type:#x}"
    return f"Step({shown})"
