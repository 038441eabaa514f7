"""How messages travel: propagation, failure, catch, order of wires (F1 to F7), and the function API."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker import FlowFailed, FlowProblem, load
from tests.broker.flow.flows import compute, flow_of, write_application

PASS = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Out.in}
"""


def test_a_message_passes_untouched_to_the_last_byte(tmp_path: Path) -> None:
    """B253: an untouched body is passed on as it came, even if it is malformed."""
    flow = flow_of(tmp_path, PASS)

    result = flow(b"<a  b = '1' >not closed", headers={"MQMD": {"CorrelId": b"42", "Priority": 3}})

    message = result.out["OUT"][0]
    assert message.body == b"<a  b = '1' >not closed"
    assert message.md.correl_id == b"42".ljust(24, b"\0")
    assert message.md.priority == 3
    with pytest.raises(KeyError, match="queues with messages: OUT"):
        result.out["OTHER"]


COMPUTED = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Failed: {type: MQOutput, properties: {queueName: FAILED}}
  Caught: {type: MQOutput, properties: {queueName: CAUGHT}}
wires:
  - {from: In.out, to: Compute.in}
  - {from: Compute.out, to: Out.in}
"""


def test_a_compute_node_makes_a_new_message(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        COMPUTED,
        compute("M", "SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.Order.Total = 5; RETURN TRUE;"),
    )

    result = flow(b"<Order><Id>1</Id></Order>")

    assert result.out["OUT"][0].body == b"<Order><Id>1</Id><Total>5</Total></Order>"
    assert result.out["OUT"][0].tree.XMLNSC.Order.Total == 5


def test_main_that_returns_false_sends_nothing(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, COMPUTED, compute("M", "RETURN FALSE;"))

    assert flow(b"<a/>").out == {}


BROKEN = compute("M", "SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.x = 1 / 0; RETURN TRUE;")


def test_an_error_in_a_node_goes_to_its_failure_terminal_with_the_input(tmp_path: Path) -> None:
    """F1."""
    flow = flow_of(tmp_path, COMPUTED + "  - {from: Compute.failure, to: Failed.in}\n", BROKEN)

    result = flow(b"<a/>", trace=True)

    assert list(result.out) == ["FAILED"]
    assert result.out["FAILED"][0].body == b"<a/>"
    assert [event.event for event in result.events if event.node == "F.Compute"] == ["in", "failure", "out"]


def test_an_error_below_a_node_is_not_offered_to_its_failure_terminal(tmp_path: Path) -> None:
    """F2."""
    yaml = COMPUTED.replace("  - {from: Compute.out, to: Out.in}\n", "") + (
        "  - {from: Compute.out, to: Throw.in}\n  - {from: Compute.failure, to: Failed.in}\n"
        "  - {from: In.catch, to: Caught.in}\n"
    )
    yaml = yaml.replace("wires:", "  Throw: {type: Throw, properties: {messageText: mine}}\nwires:")
    flow = flow_of(tmp_path, yaml, compute("M", "SET OutputRoot = InputRoot; RETURN TRUE;"))

    assert list(flow(b"<a/>").out) == ["CAUGHT"]


def test_an_unhandled_error_is_raised_with_the_exception_list(tmp_path: Path) -> None:
    """F3: every node that the error leaves adds an entry 2230."""
    flow = flow_of(tmp_path, COMPUTED, BROKEN)

    with pytest.raises(FlowFailed) as raised:
        flow(b"<a/>")

    entries = list(raised.value.chain())
    assert [entry.number for entry in entries] == [2230, 2230, 2488, 2439, 2450]
    assert [entry.node_label for entry in entries[:2]] == ["F.In", "F.Compute"]
    assert entries[1].node_type == "ComIbmComputeNode"
    assert raised.value.result.out == {}
    folder = raised.value.exception_list.RecoverableException.RecoverableException.RecoverableException
    assert folder.Number == 2488
    assert folder.Insert[0].Text == "M.Main"


def test_the_input_node_catches_with_the_message_as_it_came(tmp_path: Path) -> None:
    """F4, F6: message and local environment as they came in, the environment with its changes."""
    body = """SET OutputRoot.XMLNSC.changed = 1; SET Environment.kept = 'yes';
              SET OutputLocalEnvironment.x = 1; PROPAGATE; RETURN FALSE;"""
    yaml = COMPUTED.replace("{from: Compute.out, to: Out.in}", "{from: Compute.out, to: Throw.in}").replace(
        "wires:", "  Throw: {type: Throw}\nwires:"
    )
    flow = flow_of(tmp_path, yaml + "  - {from: In.catch, to: Caught.in}\n", compute("M", body))

    result = flow(b"<a/>")

    assert result.out["CAUGHT"][0].body == b"<a/>"
    assert result.environment is not None
    assert result.environment.kept == "yes"


TRY = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Try: {type: TryCatch}
  Throw: {type: Throw, properties: {messageNumber: "3005", messageText: why}}
  Note: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Try.in}
  - {from: Try.try, to: Throw.in}
  - {from: Try.catch, to: Note.in}
  - {from: Note.out, to: Out.in}
"""


def test_try_catch_ends_the_unwinding_and_shows_the_exception_list(tmp_path: Path) -> None:
    walk = """
      DECLARE e REFERENCE TO InputExceptionList.*[1];
      WHILE LASTMOVE(e) DO
        IF e.Number IS NOT NULL THEN
          CREATE LASTCHILD OF OutputRoot.XMLNSC.errors NAME 'number' VALUE e.Number;
          CREATE LASTCHILD OF OutputRoot.XMLNSC.errors NAME 'text' VALUE e.Insert[<].Text;
        END IF;
        MOVE e LASTCHILD;
      END WHILE;
      RETURN TRUE;"""
    flow = flow_of(tmp_path, TRY, compute("M", walk))

    errors = flow(b"<a/>").out["OUT"][0].tree.XMLNSC.errors

    assert [each.value for each in errors if each.name == "number"] == [2230, 2230, 3005]
    assert errors.text[2] == "why"


def test_an_error_on_the_failure_path_is_wrapped_and_unwinds(tmp_path: Path) -> None:
    yaml = COMPUTED.replace("wires:", "  Throw: {type: Throw}\nwires:") + "  - {from: Compute.failure, to: Throw.in}\n"
    flow = flow_of(tmp_path, yaml, BROKEN)

    with pytest.raises(FlowFailed) as raised:
        flow(b"<a/>")

    assert [entry.number for entry in raised.value.chain()] == [2230, 2232, 2230, 3001]


def test_all_wires_of_a_terminal_get_the_same_message_in_the_order_of_the_file(tmp_path: Path) -> None:
    yaml = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  One: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}
  A: {type: MQOutput, properties: {queueName: A}}
  B: {type: MQOutput, properties: {queueName: B}}
wires:
  - {from: In.out, to: One.in}
  - {from: In.out, to: B.in}
  - {from: One.out, to: A.in}
"""
    flow = flow_of(
        tmp_path, yaml, compute("M", "SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.x = 1; RETURN TRUE;")
    )

    result = flow(b"<a/>")

    assert list(result.out) == ["A", "B"]
    assert result.out["B"][0].body == b"<a/>"


def test_flow_order_finishes_first_before_second_and_an_exception_leaves_second_out(tmp_path: Path) -> None:
    yaml = """
nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Order: {type: FlowOrder}
  A: {type: MQOutput, properties: {queueName: A, transactionMode: "no"}}
  B: {type: MQOutput, properties: {queueName: B}}
  Throw: {type: Throw}
wires:
  - {from: In.out, to: Order.in}
  - {from: Order.second, to: B.in}
  - {from: Order.first, to: A.in}
"""
    assert list(flow_of(tmp_path / "1", yaml)(b"x").out) == ["A", "B"]

    flow = flow_of(tmp_path / "2", yaml + "  - {from: A.out, to: Throw.in}\n")
    with pytest.raises(FlowFailed) as raised:
        flow(b"x")
    # B234: the put outside the unit of work stays; that of a transactional node would have been backed out.
    assert list(raised.value.result.out) == ["A"]


ROUTED = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Choose: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", computeMode: %s}}
  Jump: {type: RouteToLabel, properties: {mode: %s}}
  Gold label: {type: Label, properties: {labelName: gold}}
  Silver label: {type: Label, properties: {labelName: silver}}
  Gold: {type: MQOutput, properties: {queueName: GOLD}}
  Silver: {type: MQOutput, properties: {queueName: SILVER}}
wires:
  - {from: In.out, to: Choose.in}
  - {from: Choose.out, to: Jump.in}
  - {from: Gold label.out, to: Gold.in}
  - {from: Silver label.out, to: Silver.in}
"""
LABELS = compute(
    "M",
    """SET OutputRoot = InputRoot;
       SET OutputLocalEnvironment.Destination.RouterList.DestinationData[1].labelName = 'gold';
       SET OutputLocalEnvironment.Destination.RouterList.DestinationData[2].labelName = 'silver';
       RETURN TRUE;""",
)


@pytest.mark.parametrize(("mode", "queue"), [("routeToFirst", "GOLD"), ("routeToLast", "SILVER")])
def test_route_to_label_takes_one_entry_of_the_list(tmp_path: Path, mode: str, queue: str) -> None:
    """B249: an earlier compute node makes the list; a label is found by its property labelName, not its name."""
    assert list(flow_of(tmp_path, ROUTED % ("all", mode), LABELS)(b"<a/>").out) == [queue]


def test_a_local_environment_that_does_not_travel_is_4256(tmp_path: Path) -> None:
    """MF 1.9: OutputLocalEnvironment is lost with computeMode message."""
    flow = flow_of(tmp_path, ROUTED % ("message", "routeToLast"), LABELS)

    with pytest.raises(FlowFailed) as raised:
        flow(b"<a/>")

    assert raised.value.root_cause().number == 4256
    assert "computeMode" in str(raised.value)


def test_a_filter_chooses_by_three_values(tmp_path: Path) -> None:
    """B248: true, false, and unknown where a field is missing."""
    yaml = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Filter: {type: Filter, properties: {filterExpression: "esql://routine/#T.Main"}}
  Y: {type: MQOutput, properties: {queueName: "Y"}}
  N: {type: MQOutput, properties: {queueName: "N"}}
  U: {type: MQOutput, properties: {queueName: U}}
wires:
  - {from: In.out, to: Filter.in}
  - {from: Filter.true, to: Y.in}
  - {from: Filter.false, to: N.in}
  - {from: Filter.unknown, to: U.in}
"""
    flow = flow_of(tmp_path, yaml, compute("T", "RETURN Root.XMLNSC.a.n > 5;", "FILTER"))

    outs = [list(flow(body).out) for body in (b"<a><n>7</n></a>", b"<a><n>3</n></a>", b"<a/>")]

    assert outs == [["Y"], ["N"], ["U"]]


def test_a_route_node_evaluates_xpath(tmp_path: Path) -> None:
    yaml = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Route:
    type: Route
    tables:
      filterTable:
        - {filterPattern: "$Root/XMLNSC/Order[@class='gold']", routingOutputTerminal: gold}
        - {filterPattern: "$Body/Order/Total > 100", routingOutputTerminal: large}
    out-terminals: [gold, large]
  G: {type: MQOutput, properties: {queueName: G}}
  L: {type: MQOutput, properties: {queueName: L}}
  D: {type: MQOutput, properties: {queueName: D}}
wires:
  - {from: In.out, to: Route.in}
  - {from: Route.gold, to: G.in}
  - {from: Route.large, to: L.in}
  - {from: Route.default, to: D.in}
"""
    flow = flow_of(tmp_path, yaml)

    assert list(flow(b"<Order class='gold'><Total>500</Total></Order>").out) == ["G", "L"]
    assert list(flow(b"<Order><Total>5</Total></Order>").out) == ["D"]


def test_a_destination_list_puts_one_message_to_each_queue(tmp_path: Path) -> None:
    yaml = COMPUTED.replace("{queueName: OUT}", "{destinationMode: list}").replace(
        '"esql://routine/#M.Main"}', '"esql://routine/#M.Main", computeMode: all}'
    )
    body = """SET OutputRoot = InputRoot; DECLARE i INTEGER 1;
      WHILE i <= 100 DO
        SET OutputLocalEnvironment.Destination.MQ.DestinationData[i].queueName = 'Q' || CAST(i AS CHARACTER);
        SET i = i + 1;
      END WHILE; RETURN TRUE;"""
    flow = flow_of(tmp_path, yaml, compute("M", body))

    result = flow(b"<a/>")

    assert len(result.out) == 100
    assert len({message.md.msg_id for message in result.messages}) == 1 or len(result.messages) == 100


def test_a_reply_goes_to_the_reply_queue_with_the_message_id_as_correlation(tmp_path: Path) -> None:
    yaml = PASS.replace("{type: MQOutput, properties: {queueName: OUT}}", "{type: MQReply}")
    flow = flow_of(tmp_path, yaml)

    message = flow(
        b"x", headers={"MQMD": {"MsgId": b"request", "ReplyToQ": "ANSWERS", "ReplyToQMgr": "QM2", "MsgType": 1}}
    ).out["ANSWERS"][0]

    assert message.md.correl_id == b"request".ljust(24, b"\0")
    assert message.md.msg_id != b"request".ljust(24, b"\0")
    assert (message.md.msg_type, message.queue_manager) == (2, "QM2")
    with pytest.raises(FlowFailed, match="ReplyToQ"):
        flow(b"x")


SUB = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Mark 1: {type: Mark.subflow}
  Mark 2: {type: Mark.subflow}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Mark 1.Input}
  - {from: Mark 1.Output, to: Mark 2.Input}
  - {from: Mark 2.Output, to: Out.in}
"""
MARK = """flow: Mark.subflow
nodes:
  Input: {type: Input}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}
  Output: {type: Output}
wires:
  - {from: Input.out, to: Compute.in}
  - {from: Compute.out, to: Output.in}
"""


def test_a_subflow_is_used_twice_and_labels_name_the_way(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        SUB,
        compute(
            "M", "SET OutputRoot = InputRoot; CREATE LASTCHILD OF OutputRoot.XMLNSC.a NAME 'm' VALUE 1; RETURN TRUE;"
        ),
        Mark__subflow__yaml=MARK,
    )
    assert not flow.problems

    result = flow(b"<a/>", trace=True)

    assert result.out["OUT"][0].body == b"<a><m>1</m><m>1</m></a>"
    assert "F.Mark 1.Compute" in result.path
    assert "F.Mark 2.Compute" in result.path


def test_a_node_type_that_is_not_here_is_named_and_the_rest_loads(tmp_path: Path) -> None:
    """BA 1.1: the flow does not start, everything else in the application runs."""
    place = write_application(
        tmp_path,
        {
            "Bad.msgflow.yaml": "flow: Bad.msgflow\nnodes:\n  Odd: {type: ComAcmeOdd.msgnode}\n",
            "Good.msgflow.yaml": "flow: Good.msgflow\n" + PASS,
        },
    )
    applications = load(place)

    bad = applications.flow("Bad")
    with pytest.raises(FlowProblem, match=r"Bad\.msgflow.*Bad\.Odd: the engine has no node of type ComAcmeOdd"):
        bad(b"x")
    assert applications.flow("Good")(b"x").out["OUT"]


def test_a_module_that_is_missing_or_broken_is_a_problem_of_the_flow(tmp_path: Path) -> None:
    missing = flow_of(tmp_path / "1", COMPUTED, compute("Other", "RETURN TRUE;"))
    assert "there is no module 'M' in the default schema" in missing.problems[0]

    broken = flow_of(tmp_path / "2", COMPUTED, compute("M", "SET nowhere = 1; RETURN TRUE;"))
    assert "F.esql:2:5: BIP2432" in broken.problems[0]

    wrong = flow_of(tmp_path / "3", COMPUTED, compute("M", "RETURN TRUE;", "FILTER"))
    assert "is a FILTER module" in wrong.problems[0]


def test_esql_may_stand_in_the_node_as_in_version_2(tmp_path: Path) -> None:
    """MF 2.12: bare statements become Main, followed by RETURN TRUE; a filter is an expression."""
    yaml = COMPUTED.replace('"esql://routine/#M.Main"', '"SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.a.x = 1;"')

    assert flow_of(tmp_path, yaml)(b"<a/>").out["OUT"][0].body == b"<a><x>1</x></a>"


def test_a_message_that_was_backed_out_too_often_goes_to_failure(tmp_path: Path) -> None:
    """MF 3.6: BackoutCount at the threshold enters `failure`; without a wire it is 2648."""
    flow = flow_of(tmp_path / "1", COMPUTED + "  - {from: In.failure, to: Failed.in}\n", BROKEN)
    assert list(flow(b"<a/>", headers={"MQMD": {"BackoutCount": 3}}, backout_threshold=3).out) == ["FAILED"]

    bare = flow_of(tmp_path / "2", COMPUTED, BROKEN)
    with pytest.raises(FlowFailed) as raised:
        bare(b"<a/>", headers={"MQMD": {"BackoutCount": 1}})
    assert raised.value.number == 2648


def test_transactions_follow_the_input_node(tmp_path: Path) -> None:
    """MF 3.5, B232: automatic on the input = by persistence; automatic on the output = as the input."""
    automatic = flow_of(tmp_path, PASS.replace("queueName: IN,", "queueName: IN, transactionMode: automatic,"))

    assert not automatic(b"x", headers={"MQMD": {"Persistence": 0}}).messages[0].transactional
    assert automatic(b"x", headers={"MQMD": {"Persistence": 1}}).messages[0].transactional


def test_a_python_function_stands_in_a_flow(tmp_path: Path) -> None:
    def double(message: object) -> str:
        total = message.output.child("JSON").child("Data").child("n")  # type: ignore[attr-defined]
        total.set_value(total.value * 2)
        return "out"

    yaml = COMPUTED.replace("messageDomainProperty: XMLNSC", "messageDomainProperty: JSON").replace(
        '{type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}',
        "{type: PythonCompute, properties: {function: double}}",
    )
    place = write_application(tmp_path, {"F.msgflow.yaml": "flow: F.msgflow\n" + yaml})

    result = load(place, functions={"double": double}).flow("F")({"n": 21})

    assert result.out["OUT"][0].body == b'{"n":42}'
    assert "no Python function is known for 'double'" in load(place).flow("F").problems[0]


def test_an_error_of_a_python_function_is_a_user_exception(tmp_path: Path) -> None:
    def broken(message: object) -> None:
        raise ValueError("no such thing")

    yaml = COMPUTED.replace(
        '{type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}',
        "{type: PythonCompute, properties: {function: broken}}",
    )
    place = write_application(tmp_path, {"F.msgflow.yaml": "flow: F.msgflow\n" + yaml})

    with pytest.raises(FlowFailed, match="ValueError: no such thing"):
        load(place, functions={"broken": broken}).flow("F")(b"<a/>")


def test_a_trace_node_prints_paths_and_trees(tmp_path: Path) -> None:
    yaml = PASS.replace(
        "wires:\n  - {from: In.out, to: Out.in}",
        '  Trace: {type: Trace, properties: {pattern: "order ${Root.XMLNSC.Order.Id} is\\n${Root.XMLNSC}"}}\n'
        "wires:\n  - {from: In.out, to: Trace.in}\n  - {from: Trace.out, to: Out.in}",
    )

    text = flow_of(tmp_path, yaml)(b"<Order><Id>7</Id></Order>").traces[0][1]

    assert text.startswith(
        "order 7 is\n(\n  (0x01000000:Name):Order (\n    (0x03000000:NameValue):Id = '7' (CHARACTER)"
    )


def test_a_bad_trace_pattern_is_a_problem_of_the_flow(tmp_path: Path) -> None:
    yaml = PASS.replace("wires:", '  Trace: {type: Trace, properties: {pattern: "${Root/XMLNSC/x}"}}\nwires:')

    assert "the pattern cannot be read" in flow_of(tmp_path, yaml).problems[0]


def test_reset_content_descriptor_attaches_another_parser(tmp_path: Path) -> None:
    yaml = """
nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Reset: {type: ResetContentDescriptor, properties: {resetMessageDomain: "true", messageDomain: JSON}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Reset.in}
  - {from: Reset.out, to: Out.in}
"""
    message = flow_of(tmp_path, yaml)(b'{"a": 1}').out["OUT"][0]

    assert message.tree.JSON.Data.a == 1
    assert message.body == b'{"a": 1}'


def test_an_mqget_node_reads_a_queue_in_the_middle_of_a_flow(tmp_path: Path) -> None:
    from flintmq.mqi.md import MQMD

    yaml = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Get: {type: MQGet, properties: {queueName: STORE, messageDomainProperty: XMLNSC, getWithCorrelID: "true"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  None: {type: MQOutput, properties: {queueName: NONE}}
wires:
  - {from: In.out, to: Get.in}
  - {from: Get.out, to: Out.in}
  - {from: Get.noMessage, to: None.in}
"""
    stored = MQMD()
    stored.correl_id = b"7".ljust(24, b"\0")
    flow = flow_of(tmp_path, yaml)

    found = flow(b"<a/>", headers={"MQMD": {"CorrelId": b"7"}}, queues={"STORE": [(stored, b"<stored/>")]})
    missed = flow(b"<a/>", headers={"MQMD": {"CorrelId": b"8"}}, queues={"STORE": [(stored, b"<stored/>")]})

    assert found.out["OUT"][0].body == b"<stored/>"
    assert list(missed.out) == ["NONE"]


def test_a_publication_names_its_topics(tmp_path: Path) -> None:
    yaml = COMPUTED.replace("{type: MQOutput, properties: {queueName: OUT}}", "{type: Publication}")
    body = "SET OutputRoot = InputRoot; SET OutputRoot.Properties.Topic = 'orders/gold'; RETURN TRUE;"
    flow = flow_of(tmp_path, yaml, compute("M", body))

    assert flow(b"<a/>").published[0].topics == ["orders/gold"]


def test_a_loop_of_wires_ends_with_an_error(tmp_path: Path) -> None:
    yaml = """
nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  A: {type: Passthrough}
  B: {type: Passthrough}
wires:
  - {from: In.out, to: A.in}
  - {from: A.out, to: B.in}
  - {from: B.out, to: A.in}
"""
    with pytest.raises(FlowFailed, match="loop of wires"):
        flow_of(tmp_path, yaml)(b"x")


def test_a_message_whose_headers_cannot_be_read_goes_to_failure_as_a_blob(tmp_path: Path) -> None:
    """F7."""
    flow = flow_of(tmp_path, COMPUTED + "  - {from: In.failure, to: Failed.in}\n", BROKEN)

    result = flow(b"RFH \0\0\0\2 short", headers={"MQMD": {"Format": "MQHRF2  "}})

    assert list(result.out) == ["FAILED"]
    assert result.out["FAILED"][0].data == b"RFH \0\0\0\2 short"


def test_a_malformed_body_fails_at_the_node_that_touches_it(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path, COMPUTED, compute("M", "SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.a.b = 1; RETURN TRUE;")
    )

    with pytest.raises(FlowFailed) as raised:
        flow(b"<a><b></a>")

    labels = [entry.node_label for entry in raised.value.chain() if entry.node_label]
    assert labels == ["F.In", "F.Compute"]
    assert raised.value.root_cause().number == 5004


def test_headers_of_a_chain_are_given_and_read_by_esql(tmp_path: Path) -> None:
    body = "SET OutputRoot = InputRoot; SET OutputRoot.MQRFH2.usr.colour = 'red'; RETURN TRUE;"
    flow = flow_of(tmp_path, COMPUTED, compute("M", body))

    message = flow(b"<a/>", headers={"MQRFH2": {"usr": {"size": "5"}}}).out["OUT"][0]

    assert message.tree.MQRFH2.usr.size == "5"
    assert message.tree.MQRFH2.usr.colour == "red"
    assert message.body == b"<a/>"
    assert message.md.format.strip() == "MQHRF2"


def test_a_user_variable_is_the_value_of_an_external_variable(tmp_path: Path) -> None:
    """A property of the flow wins over it."""
    place = write_application(
        tmp_path,
        {
            "F.msgflow.yaml": "flow: F.msgflow\nproperties:\n  own: {default: mine, user-defined: true}\n" + COMPUTED,
            "F.esql": 'DECLARE "host-name" EXTERNAL CHARACTER; DECLARE own EXTERNAL CHARACTER;'
            + compute("M", 'SET OutputRoot.XMLNSC.a = "host-name" || own; RETURN TRUE;'),
        },
    )

    result = load(place, variables={"user-host-name": "h1-", "user-own": "yours"}).flow("F")(b"<a/>")

    assert result.out["OUT"][0].body == b"<a>h1-mine</a>"
