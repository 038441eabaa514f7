"""Names that ESQL code may use without declaring them, and the scopes of those that it declares.

Correlation names are the trees of the node that runs: a Compute module has `InputRoot` and `OutputRoot`, a Filter or
Database module has `Root` (MF 1.9). A routine at schema level may be called from any kind of module, so it may use all
of them. The names of input trees then mean the input of the node, whatever it is; if the node has no output trees, the
call fails with BIP 2432 where it reaches one.

Broker properties, options of PARSE and the constants of the MQI are values. Names compare without case, except field
types (`XMLNSC.Attribute`), which keep the case of the manual and accept others where that is not ambiguous. The switch
`variable_names` makes those that a program declares compare with case.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Final

from flintmq.broker.esql.syntax import DataType
from flintmq.broker.tree.types import CONSTANTS, NAME, NAME_VALUE, VALUE

#: Correlation name in upper case to the Python expression that gives the tree; `c` is the Run.
COMPUTE_TREES: Final = {
    "INPUTROOT": "c.input_root",
    "OUTPUTROOT": "c.output_root",
    "INPUTBODY": "body_of(c.input_root)",
    "INPUTPROPERTIES": "c.input_root.child('Properties')",
    "INPUTLOCALENVIRONMENT": "c.input_local_environment",
    "OUTPUTLOCALENVIRONMENT": "c.output_local_environment",
    "INPUTDESTINATIONLIST": "c.input_local_environment",
    "OUTPUTDESTINATIONLIST": "c.output_local_environment",
    "INPUTEXCEPTIONLIST": "c.input_exception_list",
    "OUTPUTEXCEPTIONLIST": "c.output_exception_list",
    "ENVIRONMENT": "c.environment",
    "CONTEXT": "c.context",
}
FILTER_TREES: Final = {
    "ROOT": "c.input_root",
    "BODY": "body_of(c.input_root)",
    "PROPERTIES": "c.input_root.child('Properties')",
    "LOCALENVIRONMENT": "c.input_local_environment",
    "DESTINATIONLIST": "c.input_local_environment",
    "EXCEPTIONLIST": "c.input_exception_list",
    "ENVIRONMENT": "c.environment",
    "CONTEXT": "c.context",
}
#: For routines at schema level, and for the text of EVAL.
ALL_TREES: Final = {
    **FILTER_TREES,
    **COMPUTE_TREES,
    "OUTPUTROOT": "c.output_tree('OutputRoot')",
    "OUTPUTLOCALENVIRONMENT": "c.output_tree('OutputLocalEnvironment')",
    "OUTPUTDESTINATIONLIST": "c.output_tree('OutputLocalEnvironment')",
    "OUTPUTEXCEPTIONLIST": "c.output_tree('OutputExceptionList')",
}
TREES_BY_KIND: Final = {
    "COMPUTE": COMPUTE_TREES,
    "FILTER": FILTER_TREES,
    "DATABASE": FILTER_TREES,
    "DATABASEEVENT": {"NEWEVENT": "c.input_root", **FILTER_TREES},
    "": ALL_TREES,
}
#: The names as the manual spells them, for messages.
SPELLING: Final = {
    name.upper(): name
    for name in (
        "InputRoot OutputRoot InputBody InputProperties InputLocalEnvironment OutputLocalEnvironment "
        "InputDestinationList OutputDestinationList InputExceptionList OutputExceptionList Environment Root Body "
        "Properties LocalEnvironment DestinationList ExceptionList NewEvent Context"
    ).split()
}

BROKER_PROPERTIES: Final = frozenset(
    name.upper()
    for name in (
        "BrokerName BrokerVersion BrokerVRMF BrokerUserId BrokerDataSource BrokerDataSourceUserId QueueManagerName "
        "ExecutionGroupName ExecutionGroupLabel ApplicationLabel LibraryName MessageFlowLabel NodeLabel NodeName "
        "NodeType WorkPath Family ProcessId JobName TraceLevel DataSource DataSourceUserId Transaction "
        "CoordinatedTransaction CommitCount CommitInterval AdditionalInstances DeployedFileContents Platform"
    ).split()
)

#: Options of PARSE, ASBITSTREAM and validation, which ESQL adds up.
BIT_STREAM_OPTIONS: Final = {
    "ROOTBITSTREAM": 0,
    "FOLDERBITSTREAM": 1,
    "EMBEDDEDBITSTREAM": 2,
    "VALIDATENONE": 0,
    "VALIDATEDEFERRED": 0,
    "VALIDATEIMMEDIATE": 256,
    "VALIDATECOMPLETE": 512,
    "VALIDATELOCALERROR": 1024,
    "VALIDATEEXCEPTION": 2048,
    "VALIDATEEXCEPTIONLIST": 3072,
    "VALIDATECONTENT": 4096,
    "VALIDATEVALUE": 8192,
    "VALIDATECONTENTANDVALUE": 12288,
    "VALIDATEINHERIT": 0,
    "VALIDATEFULLCONSTRAINTS": 0,
    "VALIDATEBASICCONSTRAINTS": 0,
    "VALIDATEFULLFIXUP": 0,
    "VALIDATENOFIXUP": 0,
}
#: Namespace prefixes that XML itself declares.
XML_PREFIXES: Final = {"xmlns": "http://www.w3.org/2000/xmlns/", "xml": "http://www.w3.org/XML/1998/namespace"}
KINDS: Final = {"NAME": NAME, "VALUE": VALUE, "NAMEVALUE": NAME_VALUE}


@cache
def mq_constants() -> dict[str, object]:
    """Return the constants of the MQI by name in upper case (`MQMT_REQUEST`)."""
    from flintmq.broker.formats.pcf import mq_constants as of_mqi

    return {name.upper(): value for name, value in of_mqi().items()}


def field_type(domain: str, name: str) -> int | None:
    """Return the number of a field type such as `XMLNSC.Attribute`; None if there is none."""
    types = CONSTANTS.get(domain) or CONSTANTS.get(domain.upper())
    if types is None:
        return None
    number = types.get(name)
    if number is None:
        number = next((each for key, each in types.items() if key.upper() == name.upper()), None)
    return number


@dataclass(slots=True)
class Symbol:
    """A declared name and where its value is kept.

    kind        SCALAR, ROW, REFERENCE, NAME, NAMESPACE
    code        Python expression that reads it, and target that writes it
    moved       the same for LASTMOVE of a reference
    text        for NAME and NAMESPACE, the value where it is a literal
    """

    name: str
    kind: str
    type: DataType
    code: str
    moved: str = ""
    text: str | None = None
    constant: bool = False
    #: Whether `code` is a local variable of a Python function.
    local: bool = True


@dataclass(slots=True)
class Scope:
    """Names of one block, and the scope around it. `also` are looked at after its own names: the schemas of PATH.

    The outermost scope says whether names compare with case (the switch `variable_names`); all inside follow it.
    """

    parent: Scope | None = None
    symbols: dict[str, Symbol] = field(default_factory=dict)
    also: list[Scope] = field(default_factory=list)
    with_case: bool = False

    def __post_init__(self) -> None:
        if self.parent is not None:
            self.with_case = self.parent.with_case

    def key(self, name: str) -> str:
        """Return the form in which a name of a variable, routine or label is compared."""
        return name if self.with_case else name.upper()

    def declare(self, symbol: Symbol) -> None:
        """Add a symbol under its name; one of an outer scope is hidden from now on."""
        self.symbols[self.key(symbol.name)] = symbol

    def find(self, name: str) -> Symbol | None:
        """Return the innermost symbol with a name, given as it is written."""
        key = self.key(name)
        scope: Scope | None = self
        while scope is not None:
            symbol = scope.symbols.get(key)
            if symbol is not None:
                return symbol
            for other in scope.also:
                symbol = other.symbols.get(key)
                if symbol is not None:
                    return symbol
            scope = scope.parent
        return None

    def visible(self) -> dict[str, Symbol]:
        """Return all symbols that can be seen from here."""
        found: dict[str, Symbol] = {}
        scope: Scope | None = self
        while scope is not None:
            for name, symbol in scope.symbols.items():
                found.setdefault(name, symbol)
            for other in scope.also:
                for name, symbol in other.symbols.items():
                    found.setdefault(name, symbol)
            scope = scope.parent
        return found
