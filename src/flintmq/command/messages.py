"""The messages of commands: one table of numbers and texts, and the message for each reason.

Numbers are MQ's, because scripts and monitors look for them at the start of a line; the words are ours. A number that
proves wrong is corrected here and nowhere else. AMQ numbers are those of distributed MQ; the CSQ numbers belong to the
objects that only z/OS has. The last letter is the severity: I information, W warning, E error, S severe.
"""

from __future__ import annotations

from flintmq.catalogue.kinds import KINDS
from flintmq.mqi.pcf_constants import (
    MQRCCF_AUTH_VALUE_ERROR,
    MQRCCF_AUTH_VALUE_MISSING,
    MQRCCF_CHANNEL_NOT_ACTIVE,
    MQRCCF_CHL_STATUS_NOT_FOUND,
    MQRCCF_CHL_SYSTEM_NOT_ACTIVE,
    MQRCCF_CHLAUTH_ALREADY_EXISTS,
    MQRCCF_CHLAUTH_CLNTUSER_ERROR,
    MQRCCF_CHLAUTH_NAME_ERROR,
    MQRCCF_CHLAUTH_RUNCHECK_ERROR,
    MQRCCF_CONNECTION_ID_ERROR,
    MQRCCF_CUSTOM_ERROR,
    MQRCCF_ENTITY_NAME_MISSING,
    MQRCCF_IPADDR_ERROR,
    MQRCCF_LISTENER_NOT_STARTED,
    MQRCCF_LISTENER_RUNNING,
    MQRCCF_LISTENER_STOPPED,
    MQRCCF_LOG_TYPE_ERROR,
    MQRCCF_NO_START_CMD,
    MQRCCF_NO_STOP_CMD,
    MQRCCF_NONE_FOUND,
    MQRCCF_OBJECT_ALREADY_EXISTS,
    MQRCCF_OBJECT_IN_USE,
    MQRCCF_OBJECT_OPEN,
    MQRCCF_OBJECT_OPEN_FORCE,
    MQRCCF_OBJECT_WRONG_TYPE,
    MQRCCF_PARM_CONFLICT,
    MQRCCF_PARM_MISSING,
    MQRCCF_PROFILE_NAME_ERROR,
    MQRCCF_PROFILE_NAME_MISSING,
    MQRCCF_Q_STATUS_NOT_FOUND,
    MQRCCF_SERV_STATUS_NOT_FOUND,
    MQRCCF_SERVICE_REQUEST_PENDING,
    MQRCCF_SERVICE_RUNNING,
    MQRCCF_SERVICE_STOPPED,
    MQRCCF_STREAMQ_CONFLICT,
    MQRCCF_STREAMQ_DEST_CONFLICT,
    MQRCCF_STREAMQ_DEST_NOT_SUPP,
    MQRCCF_STREAMQ_NOT_SUPPORTED,
    MQRCCF_SUB_ALREADY_EXISTS,
    MQRCCF_SUBSCRIPTION_IN_USE,
    MQRCCF_TOPIC_STRING_NOT_FOUND,
    MQRCCF_TOPICSTR_ALREADY_EXISTS,
    MQRCCF_UNKNOWN_OBJECT_NAME,
    MQRCCF_WRONG_CHLAUTH_TYPE,
    MQRCCF_WRONG_CHLAUTH_USERSRC,
)
from flintmq.mqi.reason import (
    MQRC_CONNECTION_BROKEN,
    MQRC_NO_SUBSCRIPTION,
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_DAMAGED,
    MQRC_OBJECT_IN_USE,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_Q_MGR_QUIESCING,
    MQRC_Q_MGR_STOPPING,
    MQRC_Q_NOT_EMPTY,
    MQRC_UNKNOWN_OBJECT_NAME,
    reason_name,
    reason_text,
)


def _of_kinds() -> dict[str, str]:
    """Return the messages that answer DEFINE, ALTER, DELETE and DISPLAY of the kinds of objects."""
    texts: dict[str, str] = {}
    for kind in KINDS:
        messages = kind.messages
        if messages is not None and messages.heading:
            texts[messages.created] = f"{kind.title} created."
            texts[messages.changed] = f"{kind.title} changed."
            texts[messages.deleted] = f"{kind.title} deleted."
            texts[messages.shown] = messages.heading
    texts.pop("", None)
    return texts


MESSAGES = {
    **_of_kinds(),
    # Done.
    "AMQ8018I": "Start of the channel accepted.",
    "AMQ8019I": "Stop of the channel accepted.",
    "AMQ8021I": "Request to start the listener accepted.",
    "AMQ8022I": "Queue cleared.",
    "AMQ8094I": "Subscription created.",
    "AMQ8095I": "Subscription changed.",
    "AMQ8097I": "Subscription deleted.",
    "AMQ8415I": "Ping queue manager command complete.",
    "AMQ8457I": "Connection stopped.",
    "AMQ8732I": "Request to stop the service accepted.",
    "AMQ8733I": "Request to start the service accepted.",
    "AMQ8560I": "Security cache refreshed.",
    "AMQ8862I": "Authority record set.",
    "AMQ8863I": "Authority record deleted.",
    "AMQ8877I": "Channel authentication record set.",
    "AMQ8879I": "Channel authentication record removed.",
    "CSQ9022I": "'{command}' normal completion.",
    "AMQ8706I": "Request to stop the listener accepted.",
    # Shown.
    "AMQ8096I": "Subscription inquired.",
    "AMQ8099I": "Subscription status inquired.",
    "AMQ8276I": "Display Connection details.",
    "AMQ8417I": "Display Channel Status details.",
    "AMQ8632I": "Display service status details.",
    "AMQ8631I": "Display listener status details.",
    "AMQ8450I": "Display queue status details.",
    "AMQ8705I": "Display Queue Manager Status Details.",
    "AMQ8723I": "Display pub/sub status details.",
    "AMQ8754I": "Display topic status details.",
    "AMQ8864I": "Display authority record details.",
    "AMQ8878I": "Display channel authentication record details.",
    "AMQ9783I": "Channel {name} will run without a channel authentication record.",
    "AMQ8865I": "Display authority service details.",
    "AMQ8866I": "Display entity authority details.",
    "CSQH015I": "Security timeout = {minutes} minutes",
    "CSQH016I": "Security interval = {minutes} minutes",
    "CSQI010I": "Page set usage.",
    "CSQJ322I": "{command} report.",
    "CSQM201I": "{command} details.",
    "CSQP001I": "Buffer pool usage.",
    "CSQW127I": "Current trace activity.",
    "CSQW130I": "{kind} trace started, assigned trace number {trace}.",
    "CSQW131I": "Stop trace successful for trace number(s) {numbers}.",
    # Refused.
    "AMQ8101S": "The command failed with reason {reason} ({reason_name}). {explanation}",
    "AMQ8135E": "Not authorized.",
    "AMQ8143E": "Queue {name} is not empty.",
    "AMQ8145E": "The connection to the queue manager is broken.",
    "AMQ8146E": "Queue manager {q_mgr} is not available.",
    "AMQ8147E": "Object {name} not found.",
    "AMQ8148E": "Object {name} is in use.",
    "AMQ8149S": "Object {name} is damaged.",
    "AMQ8150E": "Object {name} already exists.",
    "AMQ8156E": "Queue manager {q_mgr} is quiescing.",
    "AMQ8420I": "Channel Status not found.",
    "AMQ8461I": "Connection identifier {name} not found.",
    "AMQ8565E": "Queue status of {name} not found.",
    "AMQ8730I": "Listener already active.",
    "AMQ8729I": "The listener is not active.",
    "AMQ8569E": "Error in filter specification: {explanation}.",
    "CSQW120E": "{what} is not a destination of {kind} trace.",
    "CSQW122E": "{what} is not a class of {kind} trace.",
    "CSQW137I": "Specified trace not active.",
    # The command server, in the error log.
    "AMQ5022I": "The command server has started.",
    "AMQ5023I": "The command server has ended{why}.",
    "AMQ8506E": "The command server cannot read {queue}: {reason}.",
    "AMQ8507W": "A message on {queue} from {application}, user {user}, is no PCF command: {why} ({reason}). {told}",
    "AMQ8509W": "The responses to command {command} could not all be put to {queue} of {q_mgr}: {reason}. They are on "
    "the dead-letter queue, if there is one.",
    "AMQ8871E": "Entity, principal or group not known: {which}.",
    "AMQ8883E": "Channel authentication record not found.",
    "AMQ8884E": "Authority record {name} not found.",
    # Not understood.
    "AMQ8405I": "Syntax error detected at or near end of command segment below:-",
    "AMQ8426I": "Valid MQSC commands are:",
    "AMQ8427I": "Valid syntax for the MQSC command:",
}

#: The message for a reason that a command ended with. Any other reason is told with AMQ8101S.
REASON_MESSAGES = {
    MQRC_NOT_AUTHORIZED: "AMQ8135E",
    MQRC_Q_NOT_EMPTY: "AMQ8143E",
    MQRC_CONNECTION_BROKEN: "AMQ8145E",
    MQRC_Q_MGR_NOT_AVAILABLE: "AMQ8146E",
    MQRC_UNKNOWN_OBJECT_NAME: "AMQ8147E",
    MQRCCF_UNKNOWN_OBJECT_NAME: "AMQ8147E",
    MQRCCF_NONE_FOUND: "AMQ8147E",
    MQRCCF_SERV_STATUS_NOT_FOUND: "AMQ8147E",
    MQRC_NO_SUBSCRIPTION: "AMQ8147E",
    MQRCCF_TOPIC_STRING_NOT_FOUND: "AMQ8147E",
    MQRC_OBJECT_IN_USE: "AMQ8148E",
    MQRCCF_OBJECT_IN_USE: "AMQ8148E",
    MQRCCF_OBJECT_OPEN: "AMQ8148E",
    MQRCCF_SUBSCRIPTION_IN_USE: "AMQ8148E",
    MQRCCF_OBJECT_OPEN_FORCE: "AMQ8148E",
    MQRC_OBJECT_DAMAGED: "AMQ8149S",
    MQRCCF_OBJECT_ALREADY_EXISTS: "AMQ8150E",
    MQRCCF_OBJECT_WRONG_TYPE: "AMQ8150E",
    MQRCCF_SUB_ALREADY_EXISTS: "AMQ8150E",
    MQRC_Q_MGR_QUIESCING: "AMQ8156E",
    MQRC_Q_MGR_STOPPING: "AMQ8156E",
    MQRCCF_CONNECTION_ID_ERROR: "AMQ8461I",
    MQRCCF_Q_STATUS_NOT_FOUND: "AMQ8565E",
    MQRCCF_CHL_STATUS_NOT_FOUND: "AMQ8420I",
    MQRCCF_CHANNEL_NOT_ACTIVE: "AMQ8420I",
    MQRCCF_LISTENER_RUNNING: "AMQ8730I",
    MQRCCF_LISTENER_STOPPED: "AMQ8729I",
}

#: Explanations for reasons without a sentence in reason.py, or with one about another situation.
_EXPLANATIONS = {
    MQRCCF_CHL_SYSTEM_NOT_ACTIVE: "Nobody serves clients: the queue manager does not run as a process of its own. "
    "strmqm starts it.",
    MQRCCF_SERVICE_RUNNING: "The service runs already.",
    MQRCCF_SERVICE_STOPPED: "The service does not run.",
    MQRCCF_SERVICE_REQUEST_PENDING: "The service is starting or stopping.",
    MQRCCF_NO_START_CMD: "STARTCMD says what the service runs, and is blank.",
    MQRCCF_NO_STOP_CMD: "STOPCMD says how the service is stopped, and is blank. It ends with the queue manager.",
    MQRCCF_LISTENER_NOT_STARTED: "The error log of the queue manager says why.",
    MQRCCF_PARM_CONFLICT: "STATUS(STOPPED) is for the whole channel; with CONNAME only INACTIVE can be asked for.",
    MQRCCF_CHLAUTH_ALREADY_EXISTS: "There is a record for these; ACTION(REPLACE) changes it.",
    MQRCCF_CHLAUTH_CLNTUSER_ERROR: "TYPE(USERMAP) compares CLNTUSER.",
    MQRCCF_CHLAUTH_NAME_ERROR: "TYPE(BLOCKADDR) is for all channels, CHLAUTH('*').",
    MQRCCF_CHLAUTH_RUNCHECK_ERROR: "MATCH(RUNCHECK) needs the name of a channel, ADDRESS, and CLNTUSER or QMNAME.",
    MQRCCF_IPADDR_ERROR: "An address has 4 parts with dots or 8 with colons; a part may be * or a range such as 1-5.",
    MQRCCF_PARM_MISSING: "What the type of the record compares or blocks is missing.",
    MQRCCF_WRONG_CHLAUTH_TYPE: "One of the parameters is not for this type of record.",
    MQRCCF_WRONG_CHLAUTH_USERSRC: "MCAUSER goes with USERSRC(MAP), and no other.",
    MQRCCF_AUTH_VALUE_ERROR: "One of the authorities is not known, or this type of object does not take it.",
    MQRCCF_AUTH_VALUE_MISSING: "AUTHADD or AUTHRMV says which authorities.",
    MQRCCF_ENTITY_NAME_MISSING: "PRINCIPAL or GROUP says whose authority is meant.",
    MQRCCF_PROFILE_NAME_MISSING: "PROFILE, or OBJNAME, says which objects; only the queue manager needs none.",
    MQRCCF_PROFILE_NAME_ERROR: "A profile is a name in which ? stands for a character, * for a qualifier or a part of "
    "one, and ** once for any number of qualifiers.",
    MQRCCF_TOPICSTR_ALREADY_EXISTS: "Another TOPIC object has this topic string.",
    MQRCCF_CUSTOM_ERROR: "CUSTOM holds CAPEXPRY(time), the time in tenths of a second from 1 to 999999999, or NOLIMIT.",
    MQRCCF_LOG_TYPE_ERROR: "The log is not of the type that this command is for.",
    MQRCCF_STREAMQ_DEST_NOT_SUPP: "STREAMQ names a model queue, or a queue of the queue manager's own.",
    MQRCCF_STREAMQ_DEST_CONFLICT: "STREAMQ names this queue itself, or one that has a STREAMQ of its own.",
    MQRCCF_STREAMQ_NOT_SUPPORTED: "This queue cannot have a STREAMQ, or not another: it is dynamic, or the queue "
    "manager's own.",
    MQRCCF_STREAMQ_CONFLICT: "A transmission queue cannot have a STREAMQ, nor can one that another queue streams to.",
}


def message(number: str, inserts: dict[str, str]) -> str:
    """Return the whole message line: number, colon, text."""
    return f"{number}: {MESSAGES[number].format(**inserts)}"


def reason_message(reason: int, name: str, q_mgr: str) -> tuple[str, dict[str, str]]:
    """Return the number and the inserts of the message for a command on `name` that ended with `reason`."""
    number = REASON_MESSAGES.get(reason)
    if number is not None:
        return number, {"name": name, "q_mgr": q_mgr}
    explanation = _EXPLANATIONS.get(reason) or reason_text(reason)
    return "AMQ8101S", {"reason": str(reason), "reason_name": reason_name(reason), "explanation": explanation}
