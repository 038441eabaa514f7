"""The messages of commands: one table of numbers and texts, and the message for each reason.

Numbers are MQ's, because scripts and monitors look for them at the start of a line; the words are ours. A number that
proves wrong is corrected here and nowhere else. AMQ numbers are those of distributed MQ; the CSQ numbers belong to the
objects that only z/OS has. The last letter is the severity: I information, W warning, E error, S severe.
"""

from __future__ import annotations

from flintmq.mqi.pcf_constants import (
    MQRCCF_AUTH_VALUE_ERROR,
    MQRCCF_AUTH_VALUE_MISSING,
    MQRCCF_CHANNEL_NOT_ACTIVE,
    MQRCCF_CHL_STATUS_NOT_FOUND,
    MQRCCF_CHL_SYSTEM_NOT_ACTIVE,
    MQRCCF_CONNECTION_ID_ERROR,
    MQRCCF_CUSTOM_ERROR,
    MQRCCF_ENTITY_NAME_MISSING,
    MQRCCF_LISTENER_NOT_STARTED,
    MQRCCF_LISTENER_RUNNING,
    MQRCCF_LISTENER_STOPPED,
    MQRCCF_LOG_TYPE_ERROR,
    MQRCCF_NONE_FOUND,
    MQRCCF_OBJECT_ALREADY_EXISTS,
    MQRCCF_OBJECT_IN_USE,
    MQRCCF_OBJECT_OPEN,
    MQRCCF_OBJECT_OPEN_FORCE,
    MQRCCF_OBJECT_WRONG_TYPE,
    MQRCCF_PARM_CONFLICT,
    MQRCCF_PROFILE_NAME_ERROR,
    MQRCCF_PROFILE_NAME_MISSING,
    MQRCCF_Q_STATUS_NOT_FOUND,
    MQRCCF_STREAMQ_CONFLICT,
    MQRCCF_STREAMQ_DEST_CONFLICT,
    MQRCCF_STREAMQ_DEST_NOT_SUPP,
    MQRCCF_STREAMQ_NOT_SUPPORTED,
    MQRCCF_SUB_ALREADY_EXISTS,
    MQRCCF_SUBSCRIPTION_IN_USE,
    MQRCCF_TOPIC_STRING_NOT_FOUND,
    MQRCCF_TOPICSTR_ALREADY_EXISTS,
    MQRCCF_UNKNOWN_OBJECT_NAME,
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

MESSAGES = {
    # Done.
    "AMQ8005I": "Queue manager changed.",
    "AMQ8006I": "Queue created.",
    "AMQ8007I": "Queue deleted.",
    "AMQ8008I": "Queue changed.",
    "AMQ8010I": "Process created.",
    "AMQ8011I": "Process deleted.",
    "AMQ8012I": "Process changed.",
    "AMQ8014I": "Channel created.",
    "AMQ8015I": "Channel deleted.",
    "AMQ8016I": "Channel changed.",
    "AMQ8018I": "Start of the channel accepted.",
    "AMQ8019I": "Stop of the channel accepted.",
    "AMQ8021I": "Request to start the listener accepted.",
    "AMQ8022I": "Queue cleared.",
    "AMQ8094I": "Subscription created.",
    "AMQ8095I": "Subscription changed.",
    "AMQ8097I": "Subscription deleted.",
    "AMQ8415I": "Ping queue manager command complete.",
    "AMQ8457I": "Connection stopped.",
    "AMQ8551I": "Namelist changed.",
    "AMQ8552I": "Namelist created.",
    "AMQ8553I": "Namelist deleted.",
    "AMQ8690I": "Topic created.",
    "AMQ8691I": "Topic changed.",
    "AMQ8692I": "Topic deleted.",
    "AMQ8563I": "Authentication information object created.",
    "AMQ8564I": "Authentication information object deleted.",
    "AMQ8567I": "Authentication information object changed.",
    "AMQ8626I": "Listener created.",
    "AMQ8627I": "Listener changed.",
    "AMQ8628I": "Listener deleted.",
    "AMQ8560I": "Security cache refreshed.",
    "AMQ8862I": "Authority record set.",
    "AMQ8863I": "Authority record deleted.",
    "CSQ9022I": "'{command}' normal completion.",
    "AMQ8706I": "Request to stop the listener accepted.",
    # Shown.
    "AMQ8096I": "Subscription inquired.",
    "AMQ8099I": "Subscription status inquired.",
    "AMQ8276I": "Display Connection details.",
    "AMQ8407I": "Display Process details.",
    "AMQ8414I": "Display Channel details.",
    "AMQ8566I": "Display authentication information details.",
    "AMQ8417I": "Display Channel Status details.",
    "AMQ8630I": "Display Listener details.",
    "AMQ8631I": "Display listener status details.",
    "AMQ8408I": "Display Queue Manager details.",
    "AMQ8409I": "Display Queue details.",
    "AMQ8450I": "Display queue status details.",
    "AMQ8550I": "Display namelist details.",
    "AMQ8633I": "Display topic details.",
    "AMQ8705I": "Display Queue Manager Status Details.",
    "AMQ8723I": "Display pub/sub status details.",
    "AMQ8754I": "Display topic status details.",
    "AMQ8864I": "Display authority record details.",
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

#: What to say where reason.py has no sentence, or one that speaks of another situation.
_EXPLANATIONS = {
    MQRCCF_CHL_SYSTEM_NOT_ACTIVE: "Nobody serves clients: the queue manager does not run as a process of its own. "
    "strmqm starts it.",
    MQRCCF_LISTENER_NOT_STARTED: "The error log of the queue manager says why.",
    MQRCCF_PARM_CONFLICT: "STATUS(STOPPED) is for the whole channel; with CONNAME only INACTIVE can be asked for.",
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
    """The whole message line: number, colon, text."""
    return f"{number}: {MESSAGES[number].format(**inserts)}"


def reason_message(reason: int, name: str, q_mgr: str) -> tuple[str, dict[str, str]]:
    """The number and the inserts of the message for a command on `name` that ended with `reason`."""
    number = REASON_MESSAGES.get(reason)
    if number is not None:
        return number, {"name": name, "q_mgr": q_mgr}
    explanation = _EXPLANATIONS.get(reason) or reason_text(reason)
    return "AMQ8101S", {"reason": str(reason), "reason_name": reason_name(reason), "explanation": explanation}
