"""Messages of errors in message flows: number, text, cause and action. They stand in ExceptionLists and in the log.

FAMILIES has the numbers of parsers that give a number to each finding: first, last, and the same three texts.
"""

from __future__ import annotations

from typing import Final

_ESQL: Final = "Correct the ESQL or the message."
_MESSAGE: Final = "Correct the message, or the model and domain with which it is read."
_LOCAL: Final = "Set the local environment before the node, and computeMode of Compute nodes so that it travels."

ROWS: Final[tuple[tuple[int, str, str, str], ...]] = (
    (2322, "An error of a database.", "Number and state of the database stand behind.", "Correct the statement."),
    (2401, "A syntax error in ESQL.", "The text is not valid at the line and column that are named.", _ESQL),
    (2420, "Operands do not fit a binary operator.", "Their types cannot be combined.", _ESQL),
    (2421, "An operand does not fit a unary operator.", "Its type is not valid there.", _ESQL),
    (2432, "A name in ESQL is not valid.", "It is not known where it is used, or has no value there.", _ESQL),
    (2439, "An expression cannot be evaluated.", "A function or its argument is not valid.", _ESQL),
    (2450, "A division by zero.", "The second operand of a division was 0.", _ESQL),
    (2488, "An error while a statement was executed.", "The entry below it has the reason.", _ESQL),
    (2492, "A routine of ESQL is missing or cannot be called.", "A module, routine or list is not there.", _ESQL),
    (2497, "A path cannot be followed.", "The field reference is not valid for this message tree.", _ESQL),
    (2521, "A value cannot be converted.", "CAST or an implicit conversion met a value that the type lacks.", _ESQL),
    (2648, "A message was backed out too often.", "It failed BOTHRESH times and goes to another queue.", _MESSAGE),
    (2643, "A commit failed.", "The queue manager gave the reason that is named.", "Look at its error log."),
    (2665, "A destination is missing.", "Queue, ReplyToQ or destination list of an output node is empty.", _LOCAL),
    (2666, "A message cannot be put.", "The queue manager refused MQOPEN or MQPUT.", "Correct the queue."),
    (2917, "A function of Python for ESQL is missing or failed.", "No function is registered.", "Register one."),
    (2951, "An exception of THROW or LOG.", "ESQL raised it without a number of its own.", "See its inserts."),
    (3001, "An exception of a Throw node.", "A message reached a Throw node.", "The text is that of the node."),
    (3003, "An XPath expression failed.", "Its syntax, or the message, is not as it should be.", _ESQL),
    (3113, "A message flow failed for a client of HTTP.", "It raised an exception and handled it nowhere.", _ESQL),
    (3143, "There is no HTTP request to answer.", "The request identifier is missing.", _LOCAL),
    (3154, "An address of HTTP is not valid.", "URL or base URL of the request is wrong.", "Correct it."),
    (3155, "A property of a request is not valid.", "The local environment overrides it with a wrong value.", _LOCAL),
    (3156, "There is nothing to send or to write.", "The message has nothing at the location of the node.", _ESQL),
    (3157, "There is no SOAP envelope.", "The message has none at the location of the node.", _ESQL),
    (3162, "An HTTP request took too long.", "The server did not answer in time.", "Raise the timeout of the node."),
    (3165, "An HTTP request failed.", "The server cannot be reached, or broke off.", "Look at address and server."),
    (3201, "A REST operation is not known.", "The definition of the API lacks it.", "Correct the operation."),
    (3202, "A parameter of a REST request is missing.", "It is required and has no value.", _LOCAL),
    (3308, "A file name is missing or not valid.", "The node names none, or one with a directory.", _LOCAL),
    (3314, "A record has the wrong length.", "It does not fit recordLength.", _MESSAGE),
    (3317, "A record cannot be parsed.", "The file does not fit the properties of the node.", _MESSAGE),
    (3383, "An e-mail has no receiver.", "Neither node nor local environment names one.", _LOCAL),
    (3701, "An e-mail cannot be sent.", "The server refused it.", "Look at the answer of the server."),
    (3713, "An answer is no SOAP.", "The server answered without an envelope.", "Look at address and server."),
    (3732, "A SOAP operation is not known.", "The WSDL lacks it.", "Correct the request or the WSDL."),
    (3740, "An HTTP reply has no client.", "The request identifier is unknown or was used.", "Reply once, in time."),
    (3743, "There is no SOAP request to answer.", "The reply identifier is missing.", _LOCAL),
    (3885, "A callable flow is not there.", "Its endpoint is not deployed to the group.", "Deploy it."),
    (3886, "A callable flow cannot answer.", "No call is open for this answer.", "Reply once to each call."),
    (3887, "A callable flow gave no answer.", "It ended without a CallableReply node.", "Wire one."),
    (4184, "A message flow goes in circles.", "A message passed too many nodes.", "Look for a loop of wires."),
    (4249, "A label does not exist.", "The flow has no Label node of this name.", "Correct the name."),
    (4256, "RouteToLabel found no label.", "The list names no Label node.", "Correct the list."),
    (4412, "An aggregation cannot start.", "Its timeout or its control information is not valid.", _LOCAL),
    (4413, "A request of an aggregation is not valid.", "It comes from no AggregateControl node.", _LOCAL),
    (4414, "A reply of an aggregation is not known.", "No request waits for it.", "Look at CorrelId of the reply."),
    (4606, "A timeout request is not valid.", "A field of it is missing or wrong.", _LOCAL),
    (4607, "A timeout request is not there.", "It cannot be cancelled.", "Correct its identifier."),
    (4608, "A timeout request is there already.", "AllowOverwrite is FALSE.", "Use another identifier."),
    (4609, "A timeout request is over.", "Its start lies in the past.", "Correct its time."),
    (4701, "A collector has no such terminal.", "No event handler has its name.", "Correct the wire."),
    (4804, "A message failed a check.", "The checks of the node refuse it.", "Handle it at the failure terminal."),
    (5004, "A message cannot be parsed.", "The text of the parser stands behind.", _MESSAGE),
    (5005, "A message cannot be written.", "The tree does not fit its domain.", _ESQL),
    (5009, "XML cannot be parsed.", "The message is not well-formed, or a stylesheet failed.", _MESSAGE),
    (5010, "XML cannot be written.", "The tree has no element, or a value that XML lacks.", _ESQL),
    (5025, "A schema is missing.", "The application has no schema of this name.", "Deploy it with the application."),
    (5026, "A message violates its schema.", "The finding is named.", _MESSAGE),
    (5651, "MIME cannot be parsed.", "Header or boundary is not valid.", _MESSAGE),
    (5652, "MIME cannot be written.", "The tree does not fit.", _ESQL),
    (5701, "JSON cannot be parsed.", "The text is not valid JSON.", _MESSAGE),
    (5705, "JSON cannot be parsed.", "The text is not valid JSON, or violates its schema.", _MESSAGE),
    (5706, "JSON cannot be written.", "The tree has a value that JSON lacks.", _ESQL),
    (5712, "A body cannot be written.", "The child of Root is no domain, or its value does not fit.", _ESQL),
    (5751, "A finding of JSON validation.", "The value does not fit its schema.", _MESSAGE),
    (5902, "A message failed its validation.", "The entries below it name each finding.", _MESSAGE),
    (6118, "A header cannot be read.", "Its bytes do not fit its structure.", _MESSAGE),
    (6119, "A header cannot be written.", "A field has a value that does not fit.", _ESQL),
    (7084, "Content filters wait.", "Another broker has their queue, or it cannot be read.", "See the reason."),
    (7085, "A content filter cannot be used.", "Its text is not valid, or its subscription fails.", "Correct it."),
    (7086, "An answer or publication was set aside.", "Its queue does not take it.", "Look at the queue named."),
    (7017, "A publication has no topic.", "Neither properties nor MQRFH2 name one.", "Set Properties.Topic."),
)

FAMILIES: Final[tuple[tuple[int, int, str, str, str], ...]] = (
    (5280, 5599, "An error of the MRM parser.", "Message and model do not fit. The text names the field.", _MESSAGE),
    (5800, 5899, "An error of the DFDL parser.", "Message and schema do not fit. The text names the field.", _MESSAGE),
    (2880, 2899, "Flow statistics.", "A report of statistics, or why one was not written.", "See the text."),
)
