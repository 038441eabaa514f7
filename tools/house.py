"""`python tools/house.py`: the shape of the source tree in figures.

    python tools/house.py              every figure, with the worst offenders
    python tools/house.py --words DIR  the language of docstrings and pages below DIR, each offender with its place

The figures, and why they are counted:

    import cycle       the largest set of files that import each other, in functions and under TYPE_CHECKING too:
                       files of a cycle can only be understood together
    doors of qmgr      the modules of the engine that other packages import: each is a promise to them
    attributes         of the largest class
    long functions     above 60 lines; complex ones: above 20 branches (McCabe)
    relative pronouns  what, who, whom, whose and whoever in 1,000 words of docstrings and of pages: many of them say
                       that actors have no names
    verbs              the share of docstrings of functions that open with a verb in the imperative

Nothing is imported: the sources are parsed.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "flintmq"
LINES_MAX = 60
COMPLEXITY_MAX = 20

WORD = re.compile(r"[A-Za-z][A-Za-z'’]*")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
PRONOUNS = {"what", "who", "whom", "whose", "whoever"}

#: First words that are verbs in the imperative. A word that is a noun as well counts: English does not tell them apart.
VERBS = set(
    """
    abandon abort accept account acknowledge acquire act activate adapt add adjust admit advance aggregate alias
    allow alter analyse announce answer append apply archive arm arrange ask assemble assert assign attach attempt
    authenticate authorise await back backup batch begin bind block book bound branch bring browse buffer build
    bundle cache calculate call cancel carry cast catch chain change charge check choose claim classify clean clear
    clone close collapse collect combine commit compact compare compile complete compose compress compute
    concatenate configure confirm connect consume contain continue convert copy correct correlate count create cut
    dead-letter decide declare decode decompress decrypt deduce default defer define delay delegate delete deliver
    deploy derive describe deserialise destroy detach detect determine digest disable discard disconnect dispatch
    display divide do double drain draw drive drop dump echo emit empty enable enclose encode encrypt end enforce
    enlist enqueue ensure enter enumerate erase escape estimate evaluate evict examine exchange exclude execute exit
    expand expect expire explain expose extend extract fail feed fetch fill filter find finish fire fit fix flag
    flush follow forbid force forget fork format forward free freeze fsync gather generate get give go grant group
    grow guard guess halt hand handle hash have hide hold honour identify ignore implement import include increase
    increment indent index infer inform inherit initialise inquire insert inspect install instantiate intern
    interpret interrupt invoke issue iterate join judge jump keep kill label lead learn leave lend let lift limit
    link list listen load locate lock log look lookup lose lower maintain make map mark match materialise measure
    mend merge migrate mirror mount move multiply name narrow negate negotiate nest normalise note notify number
    observe obtain offer offset omit open order override pack pad page parse partition pass pause peek perform
    permit persist pick pin place plan play plot point poll pop populate post postpone predict prefer prepare
    prepend present preserve press print probe proceed process produce profile promise promote propagate protect
    prove provide prune publish pull purge push put qualify query queue quiesce quote raise re-arm reach read rearm
    rebuild receive recognise recompute reconcile reconnect record recover recycle redeliver redo reduce refer
    refill reflect refresh refuse register reindex reject relate relay release reload remember remove rename render
    reopen repair repeat replace replay reply report represent request require reschedule reserve reset resolve
    respond restart restore restrict resume retain retire retry return reuse reverse revert revise revoke rewind
    rewrite roll rotate round route run sample save say scale scan schedule score scrub seal search see seek segment
    select send separate serialise serve set settle shade shape share shift shorten show shrink shuffle shut sign
    signal simulate size skip sleep slice slow sort space spawn spell spill split spread stack stage stamp start
    state stay step stop store stream strip style submit subscribe substitute subtract sum summarise supply suppress
    suspend swap sweep switch sync synchronise tag take tally tell terminate test thin throttle throw tick tidy tie
    time toggle touch trace track train transfer transform translate traverse treat trigger trim truncate try tune
    turn type undefine undo unescape unlock unmap unmark unpack unquote unregister unseal unsubscribe unwrap update
    upgrade use utter validate verify visit vote wait wake walk warm warn watch weigh widen wire withdraw work wrap
    write yield zero zip
    """.split()
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Language:
    """Words of docstrings or pages, and the share of docstrings that open with a verb."""

    words: int = 0
    pronouns: int = 0
    functions: int = 0
    verbs: int = 0
    offenders: list[str] = field(default_factory=list)

    def per_thousand(self) -> float:
        return 1000 * self.pronouns / max(self.words, 1)

    def opening(self) -> float:
        return 100 * self.verbs / max(self.functions, 1)


def words_of(text: str) -> list[str]:
    """Return the words of `text`, code left out, in lower case."""
    return [word.lower() for word in WORD.findall(CODE.sub(" ", text))]


def opens_with_verb(text: str) -> bool:
    """Return whether the first word is a verb in the imperative."""
    match = re.match(r"[A-Za-z]+(-[a-z]+)?", text.strip())
    return match is not None and match.group().lower() in VERBS


def count_docstring(language: Language, place: str, node: ast.AST) -> None:
    """Add the docstring of `node`, if it has one."""
    if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return
    text = ast.get_docstring(node)
    if not text:
        return
    words = words_of(text)
    found = [word for word in words if word in PRONOUNS]
    language.words += len(words)
    language.pronouns += len(found)
    reasons = sorted(set(found))
    if isinstance(node, Function):
        language.functions += 1
        if opens_with_verb(text):
            language.verbs += 1
        else:
            reasons.append("no verb")
    if reasons:
        line = 1 if isinstance(node, ast.Module) else node.lineno
        language.offenders.append(f"{place}:{line}: {', '.join(reasons)}: {text.splitlines()[0]}")


def docstrings_below(directory: Path) -> Language:
    """Return the language of all docstrings of the sources below `directory`."""
    language = Language()
    for path in sorted(directory.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            count_docstring(language, str(path.relative_to(ROOT)), node)
    return language


def pages_below(directory: Path) -> Language:
    """Return the language of all Markdown pages below `directory`."""
    language = Language()
    for path in sorted(directory.rglob("*.md")):
        text = path.read_text()
        words = words_of(text)
        language.words += len(words)
        language.pronouns += sum(word in PRONOUNS for word in words)
        fenced = False
        for number, line in enumerate(text.splitlines(), 1):
            fenced ^= line.startswith("```")
            if not fenced and any(word in PRONOUNS for word in words_of(line)):
                language.offenders.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    return language


def module_name(path: Path) -> str:
    """Return the dotted name of a source file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path, known: set[str]) -> set[str]:
    """Return the modules of `known` that a file imports, wherever the statement stands."""
    own = module_name(path).split(".")
    package = own if path.name == "__init__.py" else own[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base for alias in node.names]
        found.update(name for name in names if name in known)
    return found - {".".join(own)}


def import_graph() -> dict[str, set[str]]:
    """Return what each module of the package imports of it."""
    paths = sorted(PACKAGE.rglob("*.py"))
    known = {module_name(path) for path in paths}
    return {module_name(path): imports_of(path, known) for path in paths}


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected sets of more than one module, the largest first (Tarjan, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    result = []
    for root in graph:
        work: list[tuple[str, Iterator[str]]] = [] if root in order else [(root, iter(sorted(graph[root])))]
        if work:
            order[root] = low[root] = len(order)
            stack.append(root)
        while work:
            name, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == order[name]:
                    cut = stack.index(name)
                    result.append(sorted(stack[cut:]))
                    del stack[cut:]
            elif following not in order:
                order[following] = low[following] = len(order)
                stack.append(following)
                work.append((following, iter(sorted(graph[following]))))
            elif following in stack:
                low[name] = min(low[name], order[following])
    return sorted((found for found in result if len(found) > 1), key=len, reverse=True)


def doors_of_the_engine(graph: dict[str, set[str]]) -> dict[str, list[str]]:
    """Return the modules of qmgr/ that modules of other packages import, each with those that do."""
    doors: dict[str, list[str]] = {}
    for module, imported in graph.items():
        if not module.startswith("flintmq.qmgr"):
            for name in imported:
                if name.startswith("flintmq.qmgr"):
                    doors.setdefault(name, []).append(module)
    return doors


def attributes_of(node: ast.ClassDef) -> int:
    """Return the number of attributes that the body of a class and its methods set on an instance."""
    names = {
        part.target.id for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            if isinstance(part.value, ast.Name) and part.value.id == "self":
                names.add(part.attr)
    return len(names)


def complexity_of(function: Function) -> int:
    """Return McCabe's number: one and one for each branch, nested functions left to themselves."""
    count = 1
    rest = list(ast.iter_child_nodes(function))
    while rest:
        node = rest.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(
            node, (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.comprehension)
        ):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.match_case):
            count += 1
        rest.extend(ast.iter_child_nodes(node))
    return count


def shape() -> tuple[list[tuple[int, str]], list[tuple[int, str]], list[tuple[int, str]]]:
    """Return classes by attributes, functions by lines and functions by complexity, each with its place."""
    classes, lengths, complexities = [], [], []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)} {getattr(node, 'name', '')}"
            if isinstance(node, ast.ClassDef):
                classes.append((attributes_of(node), place))
            elif isinstance(node, Function):
                lengths.append(((node.end_lineno or 0) - node.lineno + 1, place))
                complexities.append((complexity_of(node), place))
    return sorted(classes, reverse=True), sorted(lengths, reverse=True), sorted(complexities, reverse=True)


def print_list(title: str, rows: list[tuple[int, str]]) -> None:
    print(title)
    for number, place in rows:
        print(f"    {number:>4}  {place}")


def print_figures() -> None:
    """Print every figure with its worst offenders."""
    graph = import_graph()
    found = cycles(graph)
    print_list("import cycles (files)", [(len(cycle), " ".join(cycle[:4]) + " ...") for cycle in found[:5]])
    doors = doors_of_the_engine(graph)
    outside = {module for modules in doors.values() for module in modules}
    print(f"doors of qmgr: {len(doors)} modules, imported by {len(outside)} modules of other packages")
    classes, lengths, complexities = shape()
    print_list("largest classes (attributes)", classes[:5])
    print_list(f"functions above {LINES_MAX} lines", [row for row in lengths if row[0] > LINES_MAX])
    print_list(f"functions above complexity {COMPLEXITY_MAX}", [row for row in complexities if row[0] > COMPLEXITY_MAX])
    docstrings, pages = docstrings_below(PACKAGE), pages_below(ROOT / "docs")
    rates = f"docstrings {docstrings.per_thousand():.1f}, pages {pages.per_thousand():.1f}"
    print(f"relative pronouns in 1,000 words: {rates}")
    print(f"docstrings of functions that open with a verb: {docstrings.opening():.0f} %")
    lines = sum(len(path.read_text().splitlines()) for path in PACKAGE.rglob("*.py"))
    print(f"lines of src: {lines:,}")


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--words"] and len(arguments) == 2:
        directory = Path(arguments[1]).resolve()
        for language in (docstrings_below(directory), pages_below(directory)):
            if language.words:
                print("\n".join(language.offenders))
                print(f"{language.per_thousand():.1f} in 1,000 words; {language.opening():.0f} % open with a verb")
    elif arguments:
        print(__doc__)
        return 2
    else:
        print_figures()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
