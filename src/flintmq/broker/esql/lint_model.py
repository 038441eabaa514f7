"""Model of ESQL for the checks: files, modules and routines of an application, callers, and nodes that run them.

    LintProgram     all ESQL that one application sees
    LintFile        a file with its modules and routines
    LintModule      a module, and the nodes that run it (`uses`)
    LintRoutine     a routine: its nodes in the order of the text, the routines it calls, the roots of its references

A reference is followed to the trees it may point at: `DECLARE r REFERENCE TO InputRoot.a`, `CREATE ... AS r` and
`MOVE r TO ...` add roots; the order of statements is not looked at. A parameter has no root, so a check says nothing of
it. Names compare without case.

The flow side (flow/lint.py) fills `uses`; this module knows nothing of flow files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Final

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.printer import print_expression

#: Routines that the Toolkit writes into every new module.
GENERATED: Final = frozenset(("COPYMESSAGEHEADERS", "COPYENTIREMESSAGE"))

_FIELDS: dict[type[s.Node], tuple[str, ...]] = {}


def walk(node: object) -> Iterator[s.Node]:
    """Yield a node and all nodes below it, in the order of the text. Lists are walked, too."""
    work = [node]
    while work:
        each = work.pop()
        if isinstance(each, list):
            work.extend(reversed(each))
        elif isinstance(each, s.Node):
            yield each
            names = _FIELDS.get(type(each))
            if names is None:
                names = _FIELDS[type(each)] = tuple(slot.name for slot in reversed(fields(each)))
            for name in names:
                below = getattr(each, name)
                if isinstance(below, list | s.Node):
                    work.append(below)


def path_text(path: s.Path) -> str:
    """Return a path as a message shows it."""
    text = print_expression(path).strip("()")
    return text if len(text) <= 80 else text[:77] + "..."


def first_key(path: s.Path) -> str:
    """Return the name that a path starts with, in upper case; '' if it starts with something else."""
    name = path.elements[0].name
    return name.key if isinstance(name, s.Name) else ""


@dataclass(slots=True)
class NodeUse:
    """A node that runs a module: its place, and the properties that decide about the fate of its trees."""

    flow_file: str
    flow: str
    label: str
    #: The value of computeMode, '' for other nodes than Compute.
    compute_mode: str = ""
    #: Whether message, local environment and exception list of the module travel on.
    sends: tuple[bool, bool, bool] = (True, False, False)
    #: Terminals that lead somewhere.
    wired: frozenset[str] = frozenset()
    #: Labels that PROPAGATE TO LABEL can reach.
    labels: frozenset[str] = frozenset()


@dataclass(eq=False)
class LintRoutine:
    """A routine with the facts that checks need."""

    routine: s.Routine
    file: LintFile
    module: LintModule | None
    calls: list[tuple[LintRoutine, s.Node]] = field(default_factory=list)
    callers: list[LintRoutine] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Return `Module.routine`, or the name of a routine at schema level."""
        words = [] if self.module is None else [self.module.module.name.text]
        return ".".join([*words, self.routine.name.text])

    @property
    def is_main(self) -> bool:
        """Whether a node runs this routine."""
        return self.module is not None and self.routine.name.key == "MAIN"

    @cached_property
    def nodes(self) -> list[s.Node]:
        """All nodes of the body, in the order of the text."""
        return list(walk(self.routine.body))

    @cached_property
    def has_eval(self) -> bool:
        """Whether text is run that may use any name."""
        return any(isinstance(n, s.Eval) or isinstance(n, s.FunctionCall) and n.name.key == "EVAL" for n in self.nodes)

    @cached_property
    def paths(self) -> list[s.Path]:
        """All paths of the body."""
        return [node for node in self.nodes if isinstance(node, s.Path)]

    @cached_property
    def declares(self) -> list[s.Declare]:
        """All declarations of the body."""
        return [node for node in self.nodes if isinstance(node, s.Declare)]

    @cached_property
    def scalars(self) -> frozenset[str]:
        """Names of local variables and parameters that are no trees."""
        found = {
            name.key
            for declare in self.declares
            if declare.type.name not in ("ROW", "REFERENCE")
            for name in declare.names
        }
        for parameter in self.routine.parameters:
            if parameter.type is not None and parameter.type.name not in ("ROW", "REFERENCE"):
                found.add(parameter.name.key)
        return frozenset(found)

    @cached_property
    def local_trees(self) -> frozenset[str]:
        """Names of ROW variables, parameters that are trees, and variables of FOR."""
        found = {name.key for each in self.declares if each.type.name == "ROW" for name in each.names}
        found |= {
            each.name.key for each in self.routine.parameters if each.type and each.type.name in ("ROW", "REFERENCE")
        }
        found |= {node.name.key for node in self.nodes if isinstance(node, s.For)}
        return frozenset(found)

    @cached_property
    def references(self) -> dict[str, set[str]]:
        """The trees that each reference may point at, by name in upper case."""
        targets: dict[str, list[s.Path]] = {}
        for node in self.nodes:
            if isinstance(node, s.Declare) and node.type.name == "REFERENCE" and isinstance(node.initial, s.Path):
                for declared in node.names:
                    targets.setdefault(declared.key, []).append(node.initial)
            elif isinstance(node, s.Create) and node.reference is not None:
                targets.setdefault(first_key(node.reference), []).append(node.target)
            elif isinstance(node, s.Move) and isinstance(node.target, s.Path):
                targets.setdefault(first_key(node.reference), []).append(node.target)
        found: dict[str, set[str]] = {name: set() for name in targets}
        # A reference may start at another one: follow until nothing is added.
        changed = True
        while changed:
            changed = False
            for name, paths in targets.items():
                before = len(found[name])
                for path in paths:
                    key = first_key(path)
                    found[name] |= found[key] if key in found and key != name else {key} - {name}
                changed = changed or len(found[name]) != before
        return found

    def roots(self, path: s.Path) -> set[str]:
        """Return the names in upper case of the trees that a path may start at."""
        key = first_key(path)
        if key in self.references:
            return self.references[key]
        return {key} if key else set()

    @cached_property
    def writes(self) -> list[tuple[s.Path, s.Statement]]:
        """Return paths that the statements of the body change, each with its statement."""
        found: list[tuple[s.Path, s.Statement]] = []
        for node in self.nodes:
            if isinstance(node, s.Set | s.Create | s.DeleteField | s.Attach):
                found.append((node.target, node))
            elif isinstance(node, s.Detach):
                found.append((node.reference, node))
            elif isinstance(node, s.Call):
                if node.into is not None:
                    found.append((node.into, node))
                found += [(argument, node) for argument in self.file.program.out_arguments(self, node)]
        return found

    def reachable(self) -> list[LintRoutine]:
        """Return this routine and all that it calls, directly or not."""
        found: list[LintRoutine] = []
        work = [self]
        while work:
            each = work.pop()
            if each not in found:
                found.append(each)
                work += [called for called, _ in each.calls]
        return found


@dataclass(eq=False)
class LintModule:
    """A module and the nodes that run it."""

    module: s.Module
    file: LintFile
    routines: dict[str, LintRoutine] = field(default_factory=dict)
    uses: list[NodeUse] = field(default_factory=list)

    @property
    def main(self) -> LintRoutine | None:
        return self.routines.get("MAIN")


@dataclass(eq=False)
class LintFile:
    """A file: its declarations, and the program that it is part of."""

    name: str
    parsed: s.ParsedFile
    program: LintProgram
    #: Whether other applications may use what the file declares.
    is_library: bool = False
    modules: list[LintModule] = field(default_factory=list)
    routines: list[LintRoutine] = field(default_factory=list)

    def all_routines(self) -> list[LintRoutine]:
        """Return the routines of the file: those at schema level, then those of its modules."""
        return [*self.routines, *(each for module in self.modules for each in module.routines.values())]


class LintProgram:
    """All ESQL that an application sees, in the order in which names are looked up."""

    def __init__(self) -> None:
        self.files: list[LintFile] = []
        self._schema_routines: dict[tuple[str, str], LintRoutine] = {}
        self._modules: dict[tuple[str, str], LintModule] = {}
        #: Words of resources that may name routines (maps): such routines are not unused.
        self.mentioned: set[str] = set()

    def add(self, parsed: s.ParsedFile, name: str, is_library: bool = False) -> LintFile:
        """Take a parsed file into the program. Of a file with errors, the part that was understood is checked."""
        file = LintFile(name, parsed, self, is_library)
        schema = parsed.schema.upper()
        for routine in parsed.routines:
            made = LintRoutine(routine, file, None)
            file.routines.append(made)
            self._schema_routines.setdefault((schema, routine.name.key), made)
        for module in parsed.modules:
            lint_module = LintModule(module, file)
            file.modules.append(lint_module)
            for routine in module.routines:
                lint_module.routines[routine.name.key] = LintRoutine(routine, file, lint_module)
            self._modules.setdefault((schema, module.name.key), lint_module)
        self.files.append(file)
        return file

    def module(self, schema: str, name: str) -> LintModule | None:
        """Return a module by broker schema and name."""
        return self._modules.get((schema.upper(), name.upper()))

    def connect(self) -> None:
        """Find the callers of each routine, once all files are there."""
        for file in self.files:
            for routine in file.all_routines():
                for node in routine.nodes:
                    if isinstance(node, s.Call | s.FunctionCall):
                        called = self.resolve(routine, node.schema, node.name)
                        if called is not None:
                            routine.calls.append((called, node))
                            called.callers.append(routine)
            # Initial values of declarations outside routines call functions, too.
            for declare in [*file.parsed.declarations, *(d for m in file.parsed.modules for d in m.declarations)]:
                for node in walk(declare.initial):
                    if isinstance(node, s.FunctionCall):
                        self._called_by_declaration(file, node)

    def _called_by_declaration(self, file: LintFile, node: s.FunctionCall) -> None:
        candidates = [self._schema_routines.get((file.parsed.schema.upper(), node.name.key))]
        candidates += [module.routines.get(node.name.key) for module in file.modules]
        for called in candidates:
            if called is not None:
                called.callers.append(called)

    def resolve(self, caller: LintRoutine, schema: list[s.Name], name: s.Name) -> LintRoutine | None:
        """Return the routine that a call means; None for built-in functions and for routines of other programs."""
        if schema:
            return self._schema_routines.get((".".join(word.key for word in schema), name.key))
        if caller.module is not None and name.key in caller.module.routines:
            return caller.module.routines[name.key]
        for each in [caller.file.parsed.schema, *caller.file.parsed.path]:
            found = self._schema_routines.get((each.upper(), name.key))
            if found is not None:
                return found
        return None

    def out_arguments(self, caller: LintRoutine, call: s.Call) -> list[s.Path]:
        """Return the arguments of a call that the routine may set; of an unknown routine, all paths."""
        called = self.resolve(caller, call.schema, call.name)
        paths = [argument for argument in call.arguments if isinstance(argument, s.Path)]
        if called is None or len(called.routine.parameters) != len(call.arguments):
            return paths
        pairs = zip(called.routine.parameters, call.arguments, strict=True)
        return [
            argument
            for parameter, argument in pairs
            if isinstance(argument, s.Path) and (parameter.direction in ("OUT", "INOUT") or parameter.type is None)
        ]
