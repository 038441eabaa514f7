"""Which modules are compiled. The one list: `setup.py`, the launcher's build and the test-suite read it here.

A hot module is plain typed Python that mypyc can turn into C: small classes with annotated attributes, no generators,
no `**kwargs`, no coroutines. Tables of constants stay Python: mypyc puts their values into the code that uses them.

All hot modules are checked as one large import cycle. If one uses a name of another at module level, outside functions,
mypyc may say "Cannot determine type of": then that name needs a written type (`SIZE: Final[int] = 36`).
"""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: Patterns below `src/`. A pattern that matches nothing is a room that is still empty.
HOT = (
    "flintmq/mqi/md.py",
    "flintmq/mqi/od.py",
    "flintmq/mqi/pmo.py",
    "flintmq/mqi/gmo.py",
    "flintmq/mqi/fields.py",
    "flintmq/mqi/headers.py",
    "flintmq/mqi/charv.py",
    "flintmq/mqi/rfh2.py",
    "flintmq/mqi/folders.py",
    "flintmq/mqi/properties.py",
    "flintmq/mqi/message_properties.py",
    "flintmq/mqi/property_headers.py",
    "flintmq/mqi/property_names.py",
    "flintmq/mqi/property_scan.py",
    "flintmq/mqi/property_values.py",
    "flintmq/mqi/pcf.py",
    "flintmq/selector/*.py",
    "flintmq/log/record.py",
    "flintmq/log/log.py",
    "flintmq/log/segments.py",
    "flintmq/log/compress.py",
    "flintmq/log/counters.py",
    "flintmq/log/reader.py",
    "flintmq/store/*.py",
    "flintmq/qmgr/*.py",
    "flintmq/channel/*.py",
    "flintmq/host/group_commit.py",
    "flintmq/host/host_core.py",
    "flintmq/client/engine_session.py",
    "flintmq/client/message.py",
    "flintmq/client/options.py",
    "flintmq/client/put_get.py",
    "flintmq/client/request.py",
    "flintmq/client/thread_session.py",
    "flintmq/client/remote/session.py",
    "flintmq/client/remote/ahead.py",
    "flintmq/client/remote/direct.py",
    "flintmq/server/link.py",
    "flintmq/server/tls_layer.py",
    "flintmq/server/turn.py",
    "flintmq/broker/values.py",
    "flintmq/broker/tree/element.py",
    "flintmq/broker/tree/types.py",
    "flintmq/broker/esql/casts.py",
    "flintmq/broker/esql/clock.py",
    "flintmq/broker/esql/conversions.py",
    "flintmq/broker/esql/date_formats.py",
    "flintmq/broker/esql/date_reader.py",
    "flintmq/broker/esql/decimals.py",
    "flintmq/broker/esql/failures.py",
    "flintmq/broker/esql/functions*.py",
    "flintmq/broker/esql/intervals.py",
    "flintmq/broker/esql/like.py",
    "flintmq/broker/esql/number_formats.py",
    "flintmq/broker/esql/operators.py",
    "flintmq/broker/esql/switches.py",
    "flintmq/broker/esql/trees.py",
    "flintmq/broker/esql/variables.py",
    "flintmq/broker/esql/weeks.py",
    "flintmq/broker/formats/json_scan.py",
    "flintmq/broker/formats/json_write.py",
    "flintmq/broker/formats/xml_index.py",
    "flintmq/broker/formats/xml_source.py",
    "flintmq/broker/formats/xml_text.py",
    "flintmq/broker/formats/xml_values.py",
    "flintmq/broker/formats/xml_writer.py",
    "flintmq/broker/formats/model/calendars.py",
    "flintmq/broker/formats/model/fields.py",
    "flintmq/broker/formats/model/nodes.py",
    "flintmq/broker/formats/model/number_text.py",
    "flintmq/broker/formats/model/numbers.py",
    "flintmq/broker/formats/model/read*.py",
    "flintmq/broker/formats/model/text.py",
    "flintmq/broker/formats/model/write*.py",
    "flintmq/broker/formats/blob.py",
    "flintmq/broker/tree/descriptor.py",
    "flintmq/broker/tree/header_chain.py",
    "flintmq/broker/tree/header_fields.py",
    "flintmq/broker/tree/headers.py",
    "flintmq/broker/tree/message_writer.py",
    "flintmq/broker/tree/properties.py",
    "flintmq/broker/tree/rfh2.py",
)

#: What the patterns catch and should not: names, tables and texts, read once.
COLD = (
    "flintmq/*/__init__.py",
    "flintmq/mqi/*constants.py",
    "flintmq/mqi/convert_layouts.py",
    "flintmq/mqi/reason*.py",
    "flintmq/qmgr/attribute*.py",
    "flintmq/qmgr/admin*.py",
    "flintmq/store/inspect.py",
    "flintmq/store/check.py",
)

#: What a benchmark compares with must be compiled as the hot modules are, and so what loads a queue manager: else that
#: is the slower of the two. Below the root; never installed.
FLOORS = (
    "benchmarks/*/floor_*.py",
    "benchmarks/server/actor.py",
    "benchmarks/server/load.py",
    "benchmarks/server/peer_actors.py",
)

#: The shared library that holds all compiled modules is called this with `__mypyc` behind it.
GROUP = "flintmq"


def hot_modules(root: Path = ROOT) -> list[str]:
    """The files to compile, relative to `root`, in a fixed order."""
    source = root / "src"
    cold = {path for pattern in COLD for path in source.glob(pattern)}
    hot = {path for pattern in HOT for path in source.glob(pattern)}
    return sorted(path.relative_to(root).as_posix() for path in hot - cold)


def floors(root: Path = ROOT) -> list[str]:
    """The floors and loads of the benchmarks, relative to `root`."""
    return sorted(path.relative_to(root).as_posix() for pattern in FLOORS for path in root.glob(pattern))


def hot_rooms() -> list[str]:
    """The rooms that hold hot modules, in the order of `HOT`. Only these are read when hot modules are compiled."""
    return list(dict.fromkeys(pattern.split("/")[1] for pattern in HOT))


def reason_not_to_compile() -> str:
    """Return why the hot modules stay plain Python, or "" if they can be compiled."""
    if os.environ.get("FLINT_COMPILE") == "0":
        return "FLINT_COMPILE=0"
    return missing_to_compile()


def missing_to_compile() -> str:
    """Return what this machine needs to compile anything and does not have, or ""."""
    configured = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if not any(shutil.which(name) for name in (configured, "cc", "gcc", "clang")):
        return "there is no C compiler"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "Python's C headers are not installed"
    return ""
