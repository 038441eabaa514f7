"""Checks of ESQL that need to resolve a path to tree, node and namespace.

A check is silent where it cannot know: a path that is computed, a tree that came as a parameter.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.lint_model import LintFile, LintModule, LintRoutine, first_key, path_text, walk
from flintmq.broker.esql.lint_report import Check, Report, Severity
from flintmq.broker.esql.printer import print_element, print_expression

LOST_TREE: Final = Check(
    "FL001", "LostOutputTree", Severity.WARNING, "an output tree is written that computeMode does not send"
)
CONCATENATES_NULL: Final = Check(
    "FL002",
    "ConcatenatesNull",
    Severity.NOTE,
    "a missing field of the message makes a whole text NULL",
)
MISSING_NAMESPACE: Final = Check(
    "FL005", "MissingNamespace", Severity.WARNING, "a step has no namespace prefix where its siblings have one"
)
COULD_BE_REFERENCE: Final = Check(
    "FL006", "NavigatingTreeCouldBeReference", Severity.NOTE, "a long path is walked again and again"
)
FILTER_MODIFIES: Final = Check(
    "FL007", "FilterNodeModifyMessage", Severity.ERROR, "a Filter module changes the message"
)
UNKNOWN_DOMAIN: Final = Check("FL009", "UnknownMessageDomain", Severity.WARNING, "a message domain does not exist")
WRITES_INPUT: Final = Check("FL020", "WriteToInputTree", Severity.ERROR, "a Compute module changes the input message")

CHECKS: Final = (
    LOST_TREE,
    CONCATENATES_NULL,
    MISSING_NAMESPACE,
    COULD_BE_REFERENCE,
    FILTER_MODIFIES,
    UNKNOWN_DOMAIN,
    WRITES_INPUT,
)

#: Folders that may stand below Root: parsers of bodies, headers, and what nodes make.
FOLDERS: Final = frozenset(
    (
        "Properties XMLNSC XMLNS XML SOAP JSON BLOB MIME MRM DFDL IDOC DataObject JMSMap JMSStream MQPCF MQADMIN MQMD "
        "MQRFH2 MQRFH2C MQRFH MQDLH MQCIH MQIIH MQMDE MQRMH MQSAPH MQWIH MQS0 SMQ_BMH JMSTransport EmailOutputHeader "
        "EmailInputHeader HTTPInputHeader HTTPReplyHeader HTTPResponseHeader HTTPRequestHeader FtpHeader Collection "
        "ComIbmAggregateReplyBody ComIbmGroupCompleteBody GroupScatter Compound SAPAdapter Any"
    ).split()
)
#: Names of domains that CREATE ... DOMAIN takes besides the folders.
DOMAINS: Final = FOLDERS | {
    "XML",
    "MQROOT",
    "NONE",
    "GENERICROOT",
    "PROPERTIES",
    "MQPROPERTYPARSER",
    "WSPROPERTYPARSER",
}
_ROOTS: Final = ("INPUTROOT", "OUTPUTROOT", "ROOT")
_INPUT_MESSAGE: Final = frozenset(("INPUTROOT", "INPUTBODY", "INPUTPROPERTIES"))
_MESSAGE: Final = frozenset(("ROOT", "BODY", "PROPERTIES"))
#: Output trees: which of `NodeUse.sends` they need, how they are spelt, and the tree of which a copy is no change.
_OUTPUTS: Final = {
    "OUTPUTLOCALENVIRONMENT": (1, "OutputLocalEnvironment", "INPUTLOCALENVIRONMENT"),
    "OUTPUTDESTINATIONLIST": (1, "OutputDestinationList", "INPUTDESTINATIONLIST"),
    "OUTPUTEXCEPTIONLIST": (2, "OutputExceptionList", "INPUTEXCEPTIONLIST"),
}
_XML_FOLDERS: Final = ("XMLNSC", "XMLNS", "SOAP", "MRM")
#: A prefix of this many steps below the root, used this often in one routine, is worth a reference.
PREFIX_STEPS_MIN: Final = 4
PREFIX_USES_MIN: Final = 8
#: Inside a loop each use of an index walks over all siblings before it.
INDEXED_USES_MIN: Final = 3


def run(file: LintFile, report: Report) -> None:
    """Run the checks of this module on a file."""
    for module in file.modules:
        _lost_trees(module, report)
    for routine in file.all_routines():
        _concatenates_null(routine, report)
        _missing_namespaces(routine, report)
        _could_be_reference(routine, report)
        _modified_messages(routine, report)
        _unknown_domains(routine, report)


def _add(check: Check, routine: LintRoutine, text: str, node: s.Node, report: Report) -> None:
    report.add(check, routine.file.name, text, node, routine.file.parsed.text)


# FL001.


def _lost_trees(module: LintModule, report: Report) -> None:
    """Report writes to output trees that no node with this module sends on."""
    if module.module.kind != "COMPUTE" or module.main is None or not module.uses:
        return
    routines = module.main.reachable()
    sent: set[str] = set()
    for routine in routines:
        for node in routine.nodes:
            if isinstance(node, s.Propagate):
                # A PROPAGATE may name the tree that it sends.
                for clause in (node.environment, node.exception):
                    if isinstance(clause, s.Path):
                        sent |= routine.roots(clause)
    for tree, (number, spelling, source) in _OUTPUTS.items():
        lost = [use for use in module.uses if not use.sends[number]]
        if not lost or tree in sent:
            continue
        for routine in routines:
            written = _first_write(routine, tree, source)
            if written is not None:
                more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
                text = (
                    f"{spelling} is changed, but computeMode of {lost[0].label}{more} is "
                    f"{lost[0].compute_mode or 'message'}: the change is lost"
                )
                _add(LOST_TREE, routine, text, written, report)


def _first_write(routine: LintRoutine, tree: str, source: str) -> s.Statement | None:
    """Return the first statement that changes a tree; a plain copy of the input tree is no change."""
    for path, statement in routine.writes:
        if routine.roots(path) != {tree}:
            continue
        if isinstance(statement, s.Set) and len(statement.target.elements) == 1:
            if isinstance(statement.value, s.Path) and first_key(statement.value) == source:
                continue
        return statement
    return None


# FL002.


def _concatenates_null(routine: LintRoutine, report: Report) -> None:
    """Report fields of the message in `||` for which the routine has no provision if they are absent."""
    chains = [node for node in routine.nodes if isinstance(node, s.Concatenation)]
    if not chains:
        return
    provided = _provided_for(routine)
    harmless = _in_messages(routine)
    reported: set[str] = set()
    for chain in chains:
        if id(chain) in harmless:
            continue
        # Fields alone may be meant to vanish together; a literal shows that a text is wanted.
        if not any(isinstance(operand, s.Literal) for operand in chain.operands):
            continue
        for operand in chain.operands:
            if not isinstance(operand, s.Path) or not _may_be_missing(routine, operand):
                continue
            text = print_expression(operand)
            if text in provided or text in reported:
                continue
            reported.add(text)
            shown = path_text(operand)
            _add(
                CONCATENATES_NULL,
                routine,
                f"if {shown} is missing, the whole text is NULL; use COALESCE({shown}, '')",
                operand,
                report,
            )
            break


def _may_be_missing(routine: LintRoutine, path: s.Path) -> bool:
    """Return whether a path is a field of the body of the input message."""
    if len(path.elements) < 2 or not routine.roots(path) or not routine.roots(path) <= _INPUT_MESSAGE:
        return False
    if first_key(path) == "INPUTPROPERTIES":
        return False
    folder = path.elements[1].name
    return not (
        first_key(path) == "INPUTROOT"
        and isinstance(folder, s.Name)
        and (folder.text in ("Properties", "MQMD", "BLOB") or folder.text.startswith("HTTP"))
    )


def _provided_for(routine: LintRoutine) -> set[str]:
    """Return the texts of all paths that a condition looks at, or that COALESCE and its like take."""
    looked_at: list[object] = []
    for node in routine.nodes:
        if isinstance(node, s.If):
            looked_at += [branch.condition for branch in node.branches]
        elif isinstance(node, s.CaseStatement):
            looked_at += [node.operand, *(when.condition for when in node.whens)]
        elif isinstance(node, s.CaseExpression):
            looked_at += [node.operand, *(when.condition for when in node.whens)]
        elif isinstance(node, s.While | s.Repeat):
            looked_at.append(node.condition)
        elif isinstance(node, s.FunctionCall) and node.name.key in ("COALESCE", "EXISTS", "CARDINALITY", "NULLIF"):
            looked_at += node.arguments
        elif isinstance(node, s.Is):
            looked_at.append(node.operand)
    found = set()
    for each in walk(looked_at):
        if isinstance(each, s.Path):
            found.add(print_expression(each).removesuffix("[]"))
    return found


def _in_messages(routine: LintRoutine) -> set[int]:
    """Return the ids of concatenations inside LOG and THROW, where a NULL does no harm."""
    return {
        id(each)
        for node in routine.nodes
        if isinstance(node, s.Log | s.Throw)
        for each in walk(node)
        if isinstance(each, s.Concatenation)
    }


# FL005.


def _missing_namespaces(routine: LintRoutine, report: Report) -> None:
    """Report steps without a prefix where the same parent has children with one."""
    for parent, found in _children_by_parent(routine).items():
        prefixes = sorted({child.prefix for child in found if child.prefix})
        if not prefixes:
            continue
        qualified = {child.name.text: child.prefix for child in found if child.prefix}
        siblings = _has_qualified_siblings(parent[1], found, qualified)
        reported: set[str] = set()
        for child in found:
            name = child.name.text
            if child.prefix or name in reported:
                continue
            if name in qualified and not any(each.startswith("OUTPUT") for each in child.roots):
                text = f"{name} has no prefix here, but {qualified[name]}:{name} elsewhere in this routine"
            elif siblings and child.roots <= _INPUT_MESSAGE:
                text = f"{name} has no prefix, but its siblings have {prefixes[0]}: it means no namespace"
            else:
                continue
            reported.add(name)
            _add(MISSING_NAMESPACE, routine, text, child.name, report)


@dataclass(frozen=True, slots=True)
class _Child:
    """A step of a path. `prefix` is '' if it has none; `roots` are the trees that the path may start in."""

    prefix: str
    name: s.Name
    roots: set[str]


#: A root in upper case, and the names from there to the parent.
_Parent = tuple[str, tuple[str, ...]]


def _children_by_parent(routine: LintRoutine) -> dict[_Parent, list[_Child]]:
    """Return the children that the paths of a routine name, by root and parent."""
    children: dict[_Parent, list[_Child]] = {}
    for path in routine.paths:
        root = first_key(path)
        if not root or root in routine.scalars or root == "DATABASE":
            continue
        parent: tuple[str, ...] = ()
        for number, element in enumerate(path.elements[1:], 1):
            if not isinstance(element.name, s.Name) or element.type is not None:
                break
            if element.namespace is not None and not isinstance(element.namespace, s.Name):
                break
            prefix = element.namespace.key if element.namespace is not None else ""
            if root in _ROOTS and number == 2 and parent[0] not in _XML_FOLDERS:
                break
            if number > 1 or root not in _ROOTS:
                children.setdefault((root, parent), []).append(_Child(prefix, element.name, routine.roots(path)))
            parent = (*parent, f"{prefix}:{element.name.text}" if prefix else element.name.text)
    return children


def _has_qualified_siblings(parent: tuple[str, ...], found: list[_Child], qualified: dict[str, str]) -> bool:
    """Return whether the children of a parent are siblings, and most of them have a prefix."""
    # Below the folder of the parser stand different messages, not siblings.
    if not parent or parent[-1] in _XML_FOLDERS or ":" not in parent[-1]:
        return False
    # Schemas with unqualified local elements mix both; one that is alone is more likely a mistake.
    return len(qualified) > len({child.name.text for child in found if not child.prefix})


# FL006.


def _could_be_reference(routine: LintRoutine, report: Report) -> None:
    """Report the prefix that costs most by repeated navigation, and indexed paths in loops."""
    counts: Counter[str] = Counter()
    first: dict[str, tuple[s.Path, int]] = {}
    for path in routine.paths:
        if first_key(path) in routine.scalars:
            continue
        texts = [print_element(element) for element in path.elements]
        for number in range(PREFIX_STEPS_MIN + 1, len(texts)):
            prefix = ".".join(texts[:number])
            counts[prefix] += 1
            first.setdefault(prefix, (path, number))
    often = [prefix for prefix, count in counts.items() if count >= PREFIX_USES_MIN]
    if often:
        worst = max(often, key=lambda prefix: (counts[prefix] * first[prefix][1], prefix))
        text = f"{worst} is walked {counts[worst]} times in this routine; declare a REFERENCE to it"
        _add(COULD_BE_REFERENCE, routine, text, first[worst][0], report)
    for node in routine.nodes:
        if isinstance(node, s.While | s.Repeat | s.Loop):
            _indexed_in_loop(routine, node, report)


def _indexed_in_loop(routine: LintRoutine, loop: s.While | s.Repeat | s.Loop, report: Report) -> None:
    counts: Counter[str] = Counter()
    first: dict[str, s.Path] = {}
    for node in walk(loop.statements):
        if not isinstance(node, s.Path) or first_key(node) in routine.scalars:
            continue
        for number, element in enumerate(node.elements[:-1]):
            index = element.index
            if index is not None and index.kind == "AT" and isinstance(index.expression, s.Path):
                prefix = ".".join(print_element(each) for each in node.elements[: number + 1])
                counts[prefix] += 1
                first.setdefault(prefix, node)
    for prefix, count in counts.items():
        if count >= INDEXED_USES_MIN:
            text = f"{prefix} is searched from the first sibling {count} times in each round; MOVE a REFERENCE instead"
            _add(COULD_BE_REFERENCE, routine, text, first[prefix], report)


# FL007, FL020.


def _modified_messages(routine: LintRoutine, report: Report) -> None:
    """Report changes of trees that a module must not change."""
    kind = "" if routine.module is None else routine.module.module.kind
    if kind not in ("FILTER", "COMPUTE"):
        return
    forbidden = _MESSAGE if kind == "FILTER" else _INPUT_MESSAGE
    for path, statement in routine.writes:
        roots = routine.roots(path)
        if not roots or not roots <= forbidden:
            continue
        if isinstance(statement, s.Set) and path.identifier is not None and first_key(path) in routine.references:
            continue
        if isinstance(statement, s.Call):
            continue
        shown = path_text(path)
        if kind == "FILTER":
            _add(FILTER_MODIFIES, routine, f"a Filter node cannot change {shown}", statement, report)
        else:
            text = f"{shown} belongs to the input message, which cannot be changed; change a copy in OutputRoot"
            _add(WRITES_INPUT, routine, text, statement, report)


# FL009.


def _unknown_domains(routine: LintRoutine, report: Report) -> None:
    """Report folders below Root that no parser has, and domains that do not exist."""
    for path in routine.paths:
        if first_key(path) in _ROOTS and len(path.elements) > 1:
            element = path.elements[1]
            if element.namespace is None and element.type is None and isinstance(element.name, s.Name):
                _check_domain(routine, element.name.text, FOLDERS, element, report)
    for node in routine.nodes:
        if isinstance(node, s.Create) and isinstance(node.domain, s.Literal) and isinstance(node.domain.value, str):
            if node.domain.value:
                _check_domain(routine, node.domain.value, DOMAINS, node.domain, report)


def _check_domain(routine: LintRoutine, name: str, known: frozenset[str], node: s.Node, report: Report) -> None:
    if name in known or known is DOMAINS and name.upper() in {each.upper() for each in known}:
        return
    near = next((each for each in sorted(known) if each.upper() == name.upper()), "")
    hint = f"; write {near}" if near else ""
    _add(UNKNOWN_DOMAIN, routine, f"there is no message domain {name}{hint}", node, report)
