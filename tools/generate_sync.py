"""Makes the modules of the sync API from those of the asyncio API.

    python tools/generate_sync.py            write them
    python tools/generate_sync.py --check    say which are out of date; exit code 1 if there are any

A module is written once, for asyncio. This tool works on its tokens, so that comments and layout stay:

    await, async                removed
    AsyncQueue, __aiter__ ...   renamed (NAMES; every other name that begins with Async loses it)
    aio_queue ...               the modules' names, in imports (MODULES)
    await x._work(f)            x is called directly: f()
    # async only ... # end      left out
    # sync: line                the line, without the comment sign
    docstrings                  the same replacements; examples run without `async def main()` around them

The differences between the two APIs (how a call waits) are below the seam: seam.py and aio_seam.py.
tests/client/test_generated.py fails when a module is out of date.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLIENT = ROOT / "src" / "flintmq" / "client"

#: Module of the asyncio API -> module of the sync API.
MODULES = {
    "aio_calls": "calls",
    "aio_queue": "queue",
    "aio_topic": "topic",
    "aio_typed": "typed",
}

#: Modules that are written by hand twice.
_TWINS = {"aio_seam": "seam", "aio_consumer": "consumer", "aio_put_get": "put_get"}

#: Names that are not just without "Async".
NAMES = {
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "StopAsyncIteration": "StopIteration",
    "aclose": "close",
    "aopen": "open",
    "aconnect": "connect",
    "_inquire_depth": "_depth",
    "Subscribing": "Subscription",
    **MODULES,
    **_TWINS,
}

#: Where the sync API has a name in another module than its twin.
_IMPORTS = {"Browser": "flintmq.client.browser", "Subscription": "flintmq.client.topic"}

HEADER = "# Generated from {source} by tools/generate_sync.py. Do not edit.\n"

_WORDS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bAn (`?)async (with|for)\b", r"A \1\2"),
    (r"\ban (`?)async (with|for)\b", r"a \1\2"),
    (r"\ban? `async (with|for)\b", r"a `\1"),
    (r"\bawait ", ""),
    (r"\b(an|An) Async(\w)", lambda m: ("a " if m[1] == "an" else "A ") + m[2]),
    (r", for tasks\b", ", for threads"),
    (r"\bof the task\b", "of the thread"),
    (r"\bthe calling task\b", "the calling thread"),
    (r"\bthis task\b", "this thread"),
    (r"\bof tasks\b", "of threads"),
    (r"\bnumber of tasks\b", "number of threads"),
]


def sync_name(name: str) -> str:
    """Return the name that the sync API has for a name of the asyncio API."""
    if name in NAMES:
        return NAMES[name]
    return re.sub(r"^(_?)Async(?=[A-Z])", r"\1", name)


def sync_text(text: str) -> str:
    """Translate prose and examples: comments and docstrings."""
    text = _examples(text)
    for pattern, new in _WORDS:
        text = re.sub(pattern, new, text)
    return re.sub(r"\b[A-Za-z_]\w*", lambda match: sync_name(match[0]), text)


def _examples(text: str) -> str:
    """Take examples out of their `async def main()`."""
    lines: list[str] = []
    inside = first = False
    for line in text.split("\n"):
        code = line.strip()
        if code.startswith(">>> async def main()"):
            inside = first = True
        elif code == ">>> asyncio.run(main())":
            inside = False
        elif inside and code.startswith("...     "):
            margin = line[: len(line) - len(line.lstrip())]
            lines.append(margin + (">>> " if first else "... ") + code[8:])
            first = False
        else:
            lines.append(line.replace(">>> import asyncio, ", ">>> import "))
    return "\n".join(lines)


def _regions(source: str) -> str:
    """Leave out `# async only` regions, and uncomment `# sync:` lines."""
    lines: list[str] = []
    skipping = False
    for line in source.split("\n"):
        code = line.strip()
        if code == "# async only":
            skipping = True
        elif code == "# end" and skipping:
            skipping = False
        elif not skipping:
            lines.append(re.sub(r"^(\s*)# sync: ?", r"\1", line))
    return "\n".join(lines)


def _tokens(source: str) -> str:
    """Translate token by token; whitespace between tokens stays."""
    out: list[str] = []
    lines = source.split("\n")
    row, column = 1, 0
    glue = False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.ENDMARKER:
            break
        (start_row, start_column), (end_row, end_column) = token.start, token.end
        gap = ""
        if start_row > row:
            gap = lines[row - 1][column:] + "\n" if token.type not in (tokenize.NEWLINE, tokenize.NL) else ""
            gap += "\n".join(lines[row : start_row - 1]) + ("\n" if start_row - 1 > row else "")
            gap = gap + lines[start_row - 1][:start_column]
        else:
            gap = lines[row - 1][column:start_column]
        if glue:
            gap, glue = gap.lstrip(" "), False
        row, column = end_row, end_column
        if token.type == tokenize.NAME and token.string in ("await", "async"):
            out.append(gap)
            glue = True
            continue
        if token.type in (tokenize.INDENT, tokenize.DEDENT):
            if token.type == tokenize.INDENT:
                out.append(gap + token.string)
            else:
                row, column = start_row, 0
                column = start_column
                out.append(gap)
            continue
        if token.type in (tokenize.NEWLINE, tokenize.NL):
            out.append(gap + "\n")
            row, column = end_row + 1, 0
            continue
        text = token.string
        if token.type == tokenize.NAME:
            text = sync_name(text)
        elif token.type in (tokenize.COMMENT, tokenize.STRING):
            text = sync_text(text)
        elif token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
            text = sync_text(lines[start_row - 1][start_column:end_column] if start_row == end_row else text)
        out.append(gap + text)
    return "".join(out)


def _adjust(code: str) -> str:
    """Apply what is not token by token: workers, imports that moved, the owner of a subscription."""
    code = re.sub(r"self\._queue\._owner\._work\(([\w.]+)\)", r"\1()", code)
    for name, module in _IMPORTS.items():
        pattern = rf"(?m)^(\s*from flintmq\.client\.(?!{module.rsplit('.', 1)[1]}\b)\w+ import .*)\b{name}\b(, )?(.*)$"
        found = re.search(pattern, code)
        if found is not None and "class " + name not in code:
            kept = (found[1] + found[3]).rstrip(", ")
            indent = found[1][: len(found[1]) - len(found[1].lstrip())]
            moved = f"{indent}from {module} import {name}"
            new = moved if kept.endswith("import") else f"{kept}\n{moved}"
            code = code.replace(found[0], new)
    return code


def generate(module: str) -> str:
    """Return the source of the sync module that belongs to `module`, formatted."""
    source = (CLIENT / f"{module}.py").read_text()
    code = _adjust(_tokens(_regions(source)))
    path = f"src/flintmq/client/{module}.py"
    return _formatted(HEADER.format(source=path) + code, CLIENT / f"{MODULES[module]}.py")


def _formatted(code: str, path: Path) -> str:
    """Sort imports and format, by the rules of the project."""
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--select", "I", "--fix", "--quiet"], ["format", "--quiet"]):
        ran = subprocess.run(
            [*ruff, *command, "--stdin-filename", str(path), "-"], input=code, capture_output=True, text=True, cwd=ROOT
        )
        if ran.returncode:
            raise SystemExit(f"{path.name}: ruff refused the generated code:\n{ran.stderr}")
        code = ran.stdout
    return code


def main(arguments: list[str]) -> int:
    """Write or check all modules."""
    stale = []
    for module, target in MODULES.items():
        path, made = CLIENT / f"{target}.py", generate(module)
        if path.exists() and path.read_text() == made:
            continue
        stale.append(path.name)
        if "--check" not in arguments:
            path.write_text(made)
    for name in stale:
        print(f"{name} {'is out of date' if '--check' in arguments else 'written'}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
