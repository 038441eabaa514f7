"""The commands `flint flow convert` and `flint flow bar`. cli/flow.py parses the arguments.

Each function prints its result to `to`, problems to `errors`, and returns an exit code. FlowFileError and OSError pass
through: the command line prints them in one line.
"""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from flintmq.broker.flow import cmf, xmi, yaml_form
from flintmq.broker.flow.bar import Bar, read_bar
from flintmq.broker.flow.deployment import Override, read_deployment, read_overrides, render
from flintmq.broker.flow.files import FILE_BYTES_MAX
from flintmq.broker.flow.model import FLOW_SUFFIXES, FlowDefinition, FlowFileError, LoadNote
from flintmq.broker.flow.project import override_bar

YAML_SUFFIXES = (".yaml", ".yml")


def convert(file: Path, out: Path | None, to: TextIO) -> int:
    """Convert a flow file to YAML or YAML to a flow file; the suffix of `out` decides, or else that of `file`."""
    flow = read_flow(file)
    if out is not None and out.exists() and out.samefile(file):
        raise FlowFileError(str(out), "is the file to convert; name another one")
    wanted = is_yaml(out) if out is not None else not is_yaml(file)
    data = yaml_form.write(flow) if wanted else xmi.write(flow)
    if out is None:
        to.write(data.decode())
    else:
        out.write_bytes(data)
    return 0


def read_flow(file: Path) -> FlowDefinition:
    """Return the flow of a `.msgflow`, `.subflow`, `.cmf` or YAML file."""
    suffix = file.suffix.lower()
    if suffix in FLOW_SUFFIXES:
        return xmi.read_file(file)
    if suffix in YAML_SUFFIXES:
        return yaml_form.read(_bytes(file), str(file))
    if suffix == ".cmf":
        return cmf.read(_bytes(file), str(file), file.stem)
    raise FlowFileError(str(file), "is no flow: .msgflow, .subflow, .cmf and .yaml are")


def is_yaml(path: Path) -> bool:
    return path.suffix.lower() in YAML_SUFFIXES


def print_bar(file: Path, application: str, library: str, only_set: bool, to: TextIO, errors: TextIO) -> int:
    """Print the configurable properties of a BAR as an override file. Return 1 if a part of it cannot be read."""
    bar = read_bar(file)
    scope = _scope(bar, application, library)
    for container in bar.containers():
        if container.deployment is None or not container.in_scope(scope):
            continue
        lines = render(container.deployment)
        if only_set:
            properties = container.deployment.properties()
            lines = [line for line, each in zip(lines, properties, strict=True) if each.override is not None]
        if lines:
            to.write("".join(f"{line}\n" for line in [f"[{'/'.join(container.path) or '.'}]", *lines]))
    return _report(bar.notes, errors)


def override(
    file: Path,
    overrides: Path | None,
    lines: list[str],
    out: Path,
    application: str,
    library: str,
    lenient: bool,
    errors: TextIO,
) -> int:
    """Apply overrides to a BAR and write another. Nothing is written if a line addresses nothing, unless lenient."""
    bar = read_bar(file)
    scope = _scope(bar, application, library)
    wanted = _overrides(overrides) if overrides is not None else []
    wanted += [Override(line, 0) for line in lines]
    notes = override_bar(bar, wanted, scope, str(overrides) if overrides is not None else "the command line")
    _report(notes, errors)
    if notes and not lenient:
        raise FlowFileError(str(out), f"is not written: {len(notes)} of {len(wanted)} lines address nothing")
    out.write_bytes(bar.write())
    return 0


def _overrides(file: Path) -> list[Override]:
    """Return the overrides of an override file, or those in another BAR or deployment descriptor."""
    if file.suffix.lower() == ".bar":
        found = []
        for container in read_bar(file).containers():
            if container.deployment is not None:
                for uri, value in container.deployment.overrides().items():
                    found.append(Override(f"{uri}={value}", 0, container.path))
        return found
    data = _bytes(file)
    if file.suffix.lower() == ".xml":
        deployment = read_deployment(data, str(file))
        return [Override(f"{uri}={value}", 0) for uri, value in deployment.overrides().items()]
    return read_overrides(data, str(file))


def _scope(bar: Bar, application: str, library: str) -> tuple[str, ...]:
    """Return the container that `-k` and `-y` name. Raise FlowFileError if the BAR does not have it."""
    scope = tuple(name for name in (application, library) if name)
    if scope and bar.container(*scope) is None:
        there = ", ".join("/".join(each.path) for each in bar.containers() if each.path)
        raise FlowFileError(bar.file, f"has no container {'/'.join(scope)}; it has: {there or 'none'}")
    return scope


def _bytes(file: Path) -> bytes:
    if file.stat().st_size > FILE_BYTES_MAX:
        raise FlowFileError(str(file), f"the file is larger than {FILE_BYTES_MAX} bytes")
    return file.read_bytes()


def _report(notes: list[LoadNote], errors: TextIO) -> int:
    for note in notes:
        errors.write(f"{note}\n")
    return 1 if notes else 0
