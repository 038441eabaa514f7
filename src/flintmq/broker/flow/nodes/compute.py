"""Nodes that run code: Compute, Filter and Database run ESQL, PythonCompute runs a Python function.

`computeMode` of a Compute node says which of its output trees travel on; the others are those that came in. So a change
of OutputLocalEnvironment in mode `message` is lost, as in the product (MF 1.9).

ESQL changes a copy of its input: the local environment in all three nodes, the message in a
Database node. The copy travels on. The failure terminal, other wires and the nodes before see the input (MF 1.1).

Several threads may run one node. The state of one message is in the `Run` and in its `Handling`, never in the node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.program import Unit
from flintmq.broker.esql.run import DataSource, Run, Trees
from flintmq.broker.esql.trees import copy_as_tree
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.nodes.inputs import parser_options
from flintmq.broker.formats.registry import Context
from flintmq.broker.tree.assembly import Assembly, new_root
from flintmq.broker.tree.element import ROOT_DOMAIN, Element, copy_content, copy_element, release_tree
from flintmq.broker.tree.headers import context_of_root

#: Which trees each mode sends: message, local environment, exception list.
MODES: Final = {
    "message": (True, False, False),
    "destination": (False, True, False),
    "destinationAndMessage": (True, True, False),
    "exception": (False, False, True),
    "exceptionAndMessage": (True, False, True),
    "exceptionAndDestination": (False, True, True),
    "all": (True, True, True),
}


class EsqlNode(RuntimeNode):
    """A node that runs a module of ESQL."""

    expression_property: ClassVar[str] = ""
    module_kind: ClassVar[str] = ""

    def prepare(self) -> None:
        """Find the module."""
        self.unit = self._unit()
        self.program = self.flow.program_of(self.unit)
        mode = self.text("computeMode", "message")
        # A mode that does not exist is ignored without a message, as in the product.
        self.mode = MODES.get(mode, MODES["message"])
        self.throw_on_database_error = self.flag("throwExceptionOnDatabaseError", True)
        self.data_source_name = self.text("dataSource")
        #: Whether what Main does to databases is committed when it ends, whatever becomes of the flow (MF 3.5).
        self.commits = self.text("transaction", "automatic") == "commit"
        self.parser_options = parser_options(self)

    def _unit(self) -> Unit:
        expression = self.text(self.expression_property)
        unit = self.flow.esql_unit(self, expression, self.module_kind)
        if unit.kind != self.module_kind and not (unit.kind == "DATABASE" and self.module_kind == "COMPUTE"):
            raise NodeProblem(
                f"{self.label}: {unit.label} is a {unit.kind} module, and this node needs a {self.module_kind} module"
            )
        return unit

    def new_run(self, invocation: Invocation, assembly: Assembly, handling: Handling) -> Run:
        """Return a Run over an assembly."""
        run = Run(
            self.program,
            self.flow.deployment,
            handling,
            assembly.message,
            assembly.local_environment,
            assembly.exception_list,
            assembly.environment,
            self.flow.switches,
        )
        run.throw_on_database_error = self.throw_on_database_error
        run.context = invocation.context
        run.has_output = self.module_kind == "COMPUTE"
        return run

    def propagate(
        self,
        invocation: Invocation,
        assembly: Assembly,
        run: Run,
        terminal: str,
        label: str | None,
        trees: Trees,
    ) -> None:
        """Send the trees of a PROPAGATE."""
        outgoing = self.outgoing(run, assembly, trees)
        # Downstream nodes see the input tree of this one as any other tree; it is locked again afterwards.
        locked = assembly.message.read_only
        assembly.message.read_only = False
        invocation.propagating += 1
        try:
            if label is not None:
                self.flow.label_node(self, label).receive(invocation, outgoing, "in")
            elif terminal != "nowhere":
                self.send(terminal, invocation, outgoing)
        except BrokerError as error:
            error.below = self
            raise
        finally:
            invocation.propagating -= 1
            assembly.message.read_only = locked

    def outgoing(self, run: Run, assembly: Assembly, trees: Trees) -> Assembly:
        """Return the assembly that the node sends."""
        return assembly.replace(as_message(trees.root), as_tree(trees.local_environment), as_tree(trees.exception_list))

    def data_sources(self) -> list[str]:
        own = [self.data_source_name] if self.data_source_name else []
        return own + sorted(self.unit.data_sources - {"", self.data_source_name})

    def data_source(self, invocation: Invocation, name: str | None) -> DataSource:
        """Return a data source; None is the one that the node names."""
        wanted = name or self.data_source_name
        if not wanted:
            raise BrokerError(2321, f"{self.label} names no data source", kind="DatabaseException", sqlstate="D08001")
        services = invocation.services
        return services.data_source(wanted, separate=True) if self.commits else services.data_source(wanted)

    def broker_property(self, name: str) -> object:
        """Return a property of broker, flow or node."""
        own: dict[str, object] = {
            "NODELABEL": self.short_label,
            "NODENAME": self.name,
            "NODETYPE": self.type,
            "DATASOURCE": self.data_source_name,
            "TRANSACTION": self.text("transaction", "automatic"),
        }
        return own[name] if name in own else self.flow.broker_property(name)

    def context_of(self, root: Element | None) -> Context:
        """Return how bodies below a root are parsed and written."""
        context = context_of_root(root, self.flow.models, self.flow.switches)
        context.parser_options = self.parser_options
        return context

    def run_unit(self, invocation: Invocation, assembly: Assembly, locked: bool) -> tuple[Run, object]:
        """Run Main; return the Run and the result of Main. With `locked`, ESQL cannot change the message."""
        handling = Handling(self, invocation, assembly)
        run = self.new_run(invocation, assembly, handling)
        message = assembly.message
        before = message.read_only
        if locked and self.flow.switches.input_tree_write == "error":
            message.read_only = True
        try:
            result = run.main(self.unit)
        except BaseException:
            if self.commits:
                handling.end_transactions("rollback")
            raise
        finally:
            message.read_only = before
        if self.commits:
            handling.end_transactions("commit")
        return run, result


class Handling:
    """One message in a node that runs ESQL: the services for its Run."""

    __slots__ = ("assembly", "invocation", "node", "sources")

    def __init__(self, node: EsqlNode, invocation: Invocation, assembly: Assembly) -> None:
        self.node = node
        self.invocation = invocation
        self.assembly = assembly
        #: Data sources that Main used, if the node ends their transactions.
        self.sources: list[DataSource] = []

    def propagate_from(self, run: Run, terminal: str, label: str | None, trees: Trees, finalize: bool) -> None:
        """Send the trees of a PROPAGATE."""
        self.node.propagate(self.invocation, self.assembly, run, terminal, label, trees)

    def data_source(self, name: str | None) -> DataSource:
        """Return a data source; None is the one that the node names."""
        found = self.node.data_source(self.invocation, name)
        if self.node.commits and not any(found is each for each in self.sources):
            self.sources.append(found)
        return found

    def end_transactions(self, how: str) -> None:
        """Commit or roll back the work of Main in a node with `transaction=commit`."""
        for source in self.sources:
            if how == "commit":
                source.commit()
            else:
                source.rollback()

    def broker_property(self, name: str) -> object:
        """Return a property of broker, flow or node."""
        return self.node.broker_property(name)

    def context_of(self, root: Element | None) -> Context:
        """Return how bodies below a root are parsed and written."""
        return self.node.context_of(root)

    def trace(self, text: str) -> None:
        """Write to the user trace."""
        self.invocation.services.trace(self.node.label, "userTrace", "", text)


def as_message(tree: Element | None) -> Element | None:
    """Return the tree of `PROPAGATE ... MESSAGE` as a message: a part of another tree becomes one of its own."""
    if tree is None or tree.domain == ROOT_DOMAIN:
        return tree
    root = new_root()
    copy_content(root, tree)
    return root


def as_tree(tree: Element | None) -> Element | None:
    """Return the tree of another clause of PROPAGATE; a part of another tree becomes one of its own."""
    return tree if tree is None or tree.parent is None else copy_as_tree(tree)


def with_own_environment(assembly: Assembly) -> Assembly:
    """Return an assembly with a local environment that a node may change."""
    return assembly.replace(local_environment=copy_element(assembly.local_environment))


@runs
class Compute(EsqlNode):
    """Compute: Main makes an output assembly, and TRUE sends it to `out`."""

    types = ("ComIbmCompute.msgnode",)
    expression_property = "computeExpression"
    module_kind = "COMPUTE"

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        own = with_own_environment(assembly)
        run, result = self.run_unit(invocation, own, locked=True)
        if result is True:
            self.send("out", invocation, self.outgoing(run, own, Trees(None, None, None)))
        if not invocation.services.keeps_trees:
            release_tree(run.output_root)
            release_tree(run.output_local_environment)
            release_tree(own.local_environment)

    def outgoing(self, run: Run, assembly: Assembly, trees: Trees) -> Assembly:
        message, local, exceptions = self.mode
        root = as_message(trees.root) or (run.output_root if message else assembly.message)
        if message and trees.root is None:
            root.name = "Root"
        environment = as_tree(trees.local_environment)
        exception_list = as_tree(trees.exception_list)
        if environment is None:
            environment = run.output_local_environment if local else assembly.local_environment
        if exception_list is None:
            exception_list = run.output_exception_list if exceptions else assembly.exception_list
        return assembly.replace(root, environment, exception_list)


@runs
class Filter(EsqlNode):
    """Filter: Main chooses the terminal `true`, `false` or `unknown`."""

    types = ("ComIbmFilter.msgnode",)
    expression_property = "filterExpression"
    module_kind = "FILTER"

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        own = with_own_environment(assembly)
        _, result = self.run_unit(invocation, own, locked=True)
        if result is not None and not isinstance(result, bool):
            raise BrokerError(2439, f"Main of a Filter must return BOOLEAN, not {result!r}", inserts=(str(result),))
        self.send("unknown" if result is None else str(result).lower(), invocation, own)

    def propagate(
        self,
        invocation: Invocation,
        assembly: Assembly,
        run: Run,
        terminal: str,
        label: str | None,
        trees: Trees,
    ) -> None:
        """Refuse PROPAGATE: it stands in Compute and Database modules only (MF 2.8)."""
        raise BrokerError(2439, "PROPAGATE cannot stand in a Filter; use a Compute node", inserts=(self.label,))


@runs
class Database(EsqlNode):
    """Database: Main works on tables, and TRUE sends the message on."""

    types = ("ComIbmDatabase.msgnode",)
    expression_property = "statement"
    module_kind = "DATABASE"

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        own = with_own_environment(assembly).replace(copy_element(assembly.message))
        _, result = self.run_unit(invocation, own, locked=False)
        if result is True:
            self.send("out", invocation, own)


class PythonMessage:
    """The argument for a function of a PythonCompute node: the trees, and a way to send."""

    def __init__(self, node: PythonCompute, invocation: Invocation, assembly: Assembly) -> None:
        self._node = node
        self._invocation = invocation
        self._assembly = assembly
        #: The input message; it is not to be changed.
        self.input: Element = assembly.message
        #: A copy of the input message, to change and to send.
        self.output: Element = copy_element(assembly.message)
        self.local_environment: Element = copy_element(assembly.local_environment)
        self.environment: Element = assembly.environment
        self.exception_list: Element = assembly.exception_list
        self.properties = node.flow.deployment.properties

    def send(self, terminal: str = "out", output: Element | None = None) -> None:
        """Send a message now; the function goes on when everything downstream is done."""
        root = self.output if output is None else output
        self._node.send(terminal, self._invocation, self._assembly.replace(root, self.local_environment))


@runs
class PythonCompute(RuntimeNode):
    """PythonCompute (and JavaCompute with a registered function): a Python function in place of ESQL.

    The function gets a PythonMessage. It may return None or True (send `output` to `out`), False (send nothing), the
    name of a terminal, or an Element to send in place of `output`.
    """

    types = ("FlintPythonCompute.msgnode", "ComIbmJavaCompute.msgnode")

    def prepare(self) -> None:
        name = self.text("pythonFunction") or self.text("function") or self.text("javaClass")
        if not name:
            raise NodeProblem(f"{self.label}: the property pythonFunction is empty; name a function as module:function")
        try:
            found = self.flow.python_function(name)
        except ValueError as error:
            raise NodeProblem(f"{self.label}: {error}") from None
        if found is None:
            raise NodeProblem(
                f"{self.label}: no Python function is known for {name!r}; "
                f"give one with load(..., functions={{{name!r}: function}})"
            )
        self.function: Callable[[PythonMessage], object] = found

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        message = PythonMessage(self, invocation, assembly)
        try:
            result = self.function(message)
        except BrokerError:
            raise
        except Exception as error:
            failed = BrokerError(
                2951,
                f"{type(error).__name__}: {error}",
                inserts=(type(error).__name__, str(error)),
                kind="UserException",
            )
            raise failed from error
        if result is False:
            return
        if isinstance(result, Element):
            message.send(output=result)
        elif isinstance(result, str):
            message.send(result)
        else:
            message.send()
