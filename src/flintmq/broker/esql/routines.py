"""Signature of a routine, for its callers."""

from __future__ import annotations

from dataclasses import dataclass, field

from flintmq.broker.esql import syntax as s


@dataclass(slots=True)
class Signature:
    """A routine as its callers see it."""

    #: `schema.Module.name`, as messages call it.
    name: str
    #: The Python function, which takes the Run and then the arguments.
    code: str
    #: Types of the parameters; '' where none is declared.
    parameters: list[str] = field(default_factory=list)
    #: Positions of OUT and INOUT parameters: the function returns a tuple of its value and theirs.
    outs: list[int] = field(default_factory=list)
    returns: str = ""
    #: Positions of parameters that are OUT only: what the caller has there is not passed.
    empty: list[int] = field(default_factory=list)
    #: DYNAMIC RESULT SETS: the caller gives so many lists behind the parameters.
    result_sets: int = 0


def signature_of(routine: s.Routine, name: str, code: str) -> Signature:
    """Return the signature of a routine."""
    parameters = ["" if each.type is None else each.type.name for each in routine.parameters]
    outs = [number for number, each in enumerate(routine.parameters) if each.direction in ("OUT", "INOUT")]
    returns = "NONE" if routine.returns is None else routine.returns.name
    if routine.language in ("DATABASE", "JAVA", "CLR", ".NET") and routine.returns is None:
        returns = ""
    empty = [number for number, each in enumerate(routine.parameters) if each.direction == "OUT"]
    result_sets = (routine.result_sets or 0) if routine.language == "DATABASE" else 0
    return Signature(name, code, parameters, outs, returns, empty, result_sets)
