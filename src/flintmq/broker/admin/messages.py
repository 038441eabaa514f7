"""The messages of the broker: number, severity, text, cause and action. `mqsiexplain` and the commands print them.

Numbers are those of the product where it has the message, with our own sentence behind. A number is never reused for
something else. Texts have inserts: `{0}`, `{1}`. Rows without inserts are those of the log and, in error_messages.py,
of ExceptionLists: the place that reports them has the exact text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flintmq.broker.admin.error_messages import FAMILIES, ROWS

SEVERITIES: Final = {"I": "information", "W": "warning", "E": "error"}


@dataclass(frozen=True, slots=True)
class Message:
    """One message."""

    number: int
    #: I, W or E, as it is most often reported.
    severity: str
    text: str
    cause: str
    action: str

    def line(self, *inserts: object) -> str:
        """Return the message as it is printed: number, severity and text in one line."""
        return f"BIP{self.number:04d}{self.severity}: {' '.join(self.text.format(*inserts).split())}"


_NOTHING = "No action is needed."
_ROWS: Final[tuple[tuple[int, str, str, str, str], ...]] = (
    # Deployment.
    (1039, "I", "Deploying {0} to execution group '{1}' of broker '{2}'.", "mqsideploy was called.", _NOTHING),
    (
        1092,
        "I",
        "The deployment to execution group '{0}' was successful.",
        "What was deployed is in the repository, and its flows have started or were refused one by one.",
        _NOTHING,
    ),
    (
        1093,
        "E",
        "The deployment to execution group '{0}' was refused; nothing has changed.",
        "The BAR file, the directory or an override is not valid. The messages before this one name file and place.",
        "Correct it and deploy again. What was deployed before is still running.",
    ),
    (1117, "I", "Execution group '{0}' of broker '{1}' was created.", "mqsicreateexecutiongroup was called.", _NOTHING),
    (
        1129,
        "I",
        "Execution group '{0}' of broker '{1}' was deleted.",
        "mqsideleteexecutiongroup was called. What was deployed there is gone from the repository.",
        _NOTHING,
    ),
    (1151, "I", "Message flow '{0}' was started.", "mqsistartmsgflow was called.", _NOTHING),
    (1152, "I", "Message flow '{0}' was stopped.", "mqsistopmsgflow was called.", _NOTHING),
    (1153, "I", "Application '{0}' was started.", "mqsistartmsgflow -k was called.", _NOTHING),
    (1154, "I", "Application '{0}' was stopped.", "mqsistopmsgflow -k was called.", _NOTHING),
    (1155, "I", "Execution group '{0}' was started.", "mqsistartmsgflow was called without a flow.", _NOTHING),
    (1156, "I", "Execution group '{0}' was stopped.", "mqsistopmsgflow was called without a flow.", _NOTHING),
    # mqsilist.
    (1275, "I", "Application '{0}' on execution group '{1}' is running.", "Shown by mqsilist.", _NOTHING),
    (1276, "I", "Application '{0}' on execution group '{1}' is stopped.", "Shown by mqsilist.", _NOTHING),
    (
        1277,
        "I",
        "Message flow '{0}' on execution group '{1}' is running. (Application '{2}')",
        "Shown by mqsilist.",
        _NOTHING,
    ),
    (
        1278,
        "I",
        "Message flow '{0}' on execution group '{1}' is stopped. (Application '{2}')",
        "Shown by mqsilist. It was stopped by mqsistopmsgflow, or it cannot run: then the reason stands behind.",
        "mqsistartmsgflow starts it. If it cannot run, correct the object that the message names and deploy again.",
    ),
    (1284, "I", "Broker '{0}' on queue manager '{1}' is running.", "Shown by mqsilist.", _NOTHING),
    (1285, "I", "Broker '{0}' on queue manager '{1}' is stopped.", "Shown by mqsilist.", "mqsistart starts it."),
    (1286, "I", "Execution group '{0}' on broker '{1}' is running.", "Shown by mqsilist.", _NOTHING),
    (
        1287,
        "I",
        "Execution group '{0}' on broker '{1}' is stopped.",
        "Shown by mqsilist. The broker is stopped, or the group was stopped by mqsistopmsgflow.",
        "mqsistart starts the broker, mqsistartmsgflow the group.",
    ),
    (1288, "I", "Message flow '{0}' on execution group '{1}' is running.", "Shown by mqsilist.", _NOTHING),
    (
        1289,
        "I",
        "Message flow '{0}' on execution group '{1}' is stopped.",
        "Shown by mqsilist for a flow without an application.",
        "mqsistartmsgflow starts it.",
    ),
    (
        1299,
        "I",
        "{2} '{0}' is deployed to execution group '{1}'.",
        "Shown by mqsilist for an object without flows.",
        _NOTHING,
    ),
    # Messages of the log.
    (2001, "I", "The broker has started.", "mqsistart was called.", _NOTHING),
    (2002, "I", "The broker has stopped.", "mqsistop was called, or the process was asked to end.", _NOTHING),
    (
        2048,
        "E",
        "The queue manager cannot be reached.",
        "The queue manager is stopped, or its address, user or password is wrong.",
        "Start it, or correct the connection with mqsichangebroker. The broker tries again by itself.",
    ),
    (
        2060,
        "W",
        "A worker of an execution group has ended and is started again.",
        "The process was killed or has failed. The queue manager has backed out its units of work.",
        "Look for the reason in the lines before. Messages come again with a BackoutCount that is higher by one.",
    ),
    (
        2087,
        "E",
        "{0}",
        "A BAR file, a directory or an override cannot be deployed. The text names file and place.",
        "Correct it and deploy again.",
    ),
    (
        2090,
        "W",
        "A message of the state queue cannot be read.",
        "Another program put a message to the queue that holds aggregations, collections and timers.",
        "Look at the message and remove it. The flows run without it.",
    ),
    (
        2092,
        "W",
        "The log file cannot be written, or lines of it are missing.",
        "The disk is full, or the directory is gone. Meanwhile lines go to the error stream of the process only.",
        "Make room. The file is written again by itself, with a line that counts the missing ones.",
    ),
    (
        2111,
        "E",
        "An internal error.",
        "The broker met a state that it should not meet. The text has the type of the error.",
        "Report it with the log. FLINT_DEBUG=1 shows more.",
    ),
    (2154, "I", "A message flow has started.", "Its input node reads from the queue that is named.", _NOTHING),
    (
        2201,
        "W",
        "A message flow did not end in time.",
        "A node works longer than the broker waits at a stop.",
        "Nothing is lost: its message is backed out and comes again.",
    ),
    (
        2230,
        "E",
        "An error was caught in a node and is passed on.",
        "A node below failed and no catch or failure terminal handled it. The innermost entry has the reason.",
        "Correct the reason. The message is backed out; BOTHRESH and BOQNAME of its queue apply.",
    ),
    (
        2232,
        "E",
        "An error in a failure or catch path.",
        "What handles failures has failed itself.",
        "Look at the entry below it for the reason.",
    ),
    (
        2321,
        "E",
        "A database error.",
        "A statement, a connection or a setting of a data source failed. The text of the database stands behind.",
        "Correct the statement or the settings of the data source.",
    ),
    (
        2355,
        "E",
        "A message flow does not start.",
        "It has a node that is not known, a subflow that is missing, or a node that cannot be prepared.",
        "Correct the object that the message names and deploy again. Other flows of the application run.",
    ),
    (
        2539,
        "I",
        "Output of a Trace node or of LOG USER TRACE.",
        "The flow wrote it.",
        _NOTHING,
    ),
    (
        2620,
        "W",
        "A get from an input queue failed.",
        "The queue manager gave the reason that is named.",
        "Correct the queue. The flow tries again.",
    ),
    (
        2624,
        "E",
        "An input queue cannot be opened.",
        "The queue does not exist, its gets are inhibited, or the broker has no authority.",
        "Define or correct the queue. The flow tries again by itself.",
    ),
    (2625, "I", "A message flow reads from its queue again.", "The reason of BIP2624 is gone.", _NOTHING),
    (
        2627,
        "W",
        "A unit of work was not committed.",
        "The queue manager or a database refused the commit. The message is backed out.",
        "Look at the reason that is named. The message comes again.",
    ),
    (
        2628,
        "W",
        "A message was not handled and is gone.",
        "The flow failed, and the message was got outside of a unit of work (transactionMode no).",
        "Use transactionMode yes for messages that must not be lost.",
    ),
    (
        2649,
        "E",
        "A message was backed out too often and stays.",
        "Neither the backout queue nor the dead-letter queue takes it.",
        "Define BOQNAME or DEADQ, or make room there.",
    ),
    (
        3132,
        "I",
        "The HTTP listener of an execution group.",
        "It has started; with severity E, its port is in use.",
        "Choose another: mqsichangeproperties BROKER -e GROUP -o HTTPConnector -n port -v PORT.",
    ),
    (
        3302,
        "W",
        "A file or directory cannot be read or written.",
        "The operating system gave the reason that is named.",
        "Correct path and permissions. A FileInput node tries again.",
    ),
    # User trace.
    (2632, "I", "A message reached an input node.", "Shown by user trace.", _NOTHING),
    (3904, "I", "A node got a message.", "Shown by user trace.", _NOTHING),
    (3905, "I", "The trees of a message at a node.", "Shown by user trace.", _NOTHING),
    (4124, "I", "A node sent a message on.", "Shown by user trace.", _NOTHING),
    (4125, "I", "A terminal is not wired.", "Shown by user trace.", _NOTHING),
    (11506, "I", "A unit of work was committed.", "Shown by user trace.", _NOTHING),
    (11507, "W", "A unit of work was backed out.", "Shown by user trace.", "Look at the entries before."),
    # Commands.
    (
        8001,
        "E",
        "{0}",
        "An argument of a command is not valid.",
        "Correct it; --help shows the arguments.",
    ),
    (
        8011,
        "E",
        "The repository of broker '{0}' cannot be used: {1}",
        "The database is damaged, is of a later version, or cannot be reached.",
        "Restore it, or upgrade FlintMQ. Nothing was changed.",
    ),
    (
        8013,
        "E",
        "Broker '{0}' does not exist.",
        "No broker of this name was created by this user on this machine.",
        "mqsilist shows those there are; mqsicreatebroker creates one.",
    ),
    (8014, "E", "Broker '{0}' exists already.", "The name is taken.", "Choose another name."),
    (
        8018,
        "E",
        "Broker '{0}' is running.",
        "The command needs a broker that is stopped.",
        "mqsistop stops it.",
    ),
    (8019, "W", "Broker '{0}' is not running.", "It was not started, or it has ended.", "mqsistart starts it."),
    (8020, "E", "Execution group '{0}' exists already.", "The name is taken.", "Choose another name."),
    (
        8021,
        "E",
        "Broker '{0}' has no execution group '{1}'.",
        "The name is wrong, or the group was deleted.",
        "mqsilist shows the groups; mqsicreateexecutiongroup creates one.",
    ),
    (
        8022,
        "E",
        "Execution group '{0}' has no {1} '{2}'.",
        "The name is wrong, or it is not deployed there.",
        "mqsilist -r shows the deployments.",
    ),
    (
        8023,
        "E",
        "{0} has no property {1}.",
        "The object or the name of the property is wrong.",
        "mqsireportproperties shows the properties of an object.",
    ),
    (
        8024,
        "W",
        "Broker '{0}' did not end within {1} seconds and was killed.",
        "A message flow worked longer than the broker waits.",
        "Nothing is lost: uncommitted work is backed out.",
    ),
    (
        8025,
        "E",
        "Broker '{0}' has not started: {1}",
        "The text has the reason.",
        "Correct it and start the broker again. Its log has more.",
    ),
    (
        8026,
        "W",
        "{0}",
        "The change is in the repository, but a running part of the broker has not taken it.",
        "It takes it when it starts again. Its log has more.",
    ),
    (
        2880,
        "W",
        "A record of flow statistics was not written.",
        "The queue manager refuses the publication, or the file cannot be written. The record is lost; flows go on.",
        "The text names the output and the reason.",
    ),
    (
        2881,
        "W",
        "A worker has given no statistics.",
        "It has ended, or does not answer. What it counted since the last record is lost.",
        "See the log for the end of a worker.",
    ),
    (
        2882,
        "W",
        "The user trace cannot be written.",
        "The directory of the broker's log is full or cannot be written. Messages go on without trace.",
        "Make room, or switch the trace off with mqsichangetrace.",
    ),
    (2883, "I", "Metrics of an execution group are served.", "A port for metrics is configured.", _NOTHING),
    (
        2884,
        "E",
        "Metrics of an execution group cannot be served.",
        "The address is not of this machine, or another program uses the port.",
        "Choose another port: mqsichangeproperties BROKER -e GROUP -o Metrics -n port -v PORT.",
    ),
    (2893, "I", "Flow statistics.", "The output format of flow statistics is usertrace.", _NOTHING),
    (
        3912,
        "W",
        "A monitoring event was not published.",
        "It cannot be made from the message, or the queue manager refuses it. The message goes on.",
        "The text names the event and the reason.",
    ),
    (
        3913,
        "W",
        "A flow emits no monitoring events.",
        "Its monitoring profile is wrong or is not deployed. The flow runs.",
        "The text names the error; correct the profile and give it again with mqsichangeflowmonitoring -m.",
    ),
    (
        8071,
        "I",
        "Successful command completion.",
        "The command ended without errors.",
        _NOTHING,
    ),
    (
        8096,
        "I",
        "Successful command initiation; the log of broker '{0}' shows whether everything has started.",
        "The broker process runs. Its execution groups start meanwhile.",
        "mqsilist shows the running objects.",
    ),
    (
        8060,
        "E",
        "The transaction was not resolved: {0}",
        "mqsitransactions was called for a branch that is in use or not there, or a server does not answer.",
        "mqsitransactions without an action shows the branches there are.",
    ),
    (8061, "I", "There are no transactions with databases to settle.", "Shown by mqsitransactions.", _NOTHING),
    (
        8062,
        "I",
        "{0}",
        "mqsitransactions has settled a branch.",
        "If mqsitransactions shows it as heuristic afterwards, compare queue and table, then forget it.",
    ),
    (8098, "I", "{0}", "A line of a report.", _NOTHING),
    (8099, "I", "{0}", "A property and its value.", _NOTHING),
    (
        8187,
        "I",
        "{0} statistics settings of message flow '{1}' in execution group '{2}' - {3}",
        "Shown by mqsireportflowstats.",
        "mqsichangeflowstats changes them.",
    ),
    (
        8188,
        "I",
        "Execution group '{0}' writes snapshots every {1} seconds and archive records every {2} minutes.",
        "Shown by mqsireportflowstats.",
        "mqsichangebroker -v changes the archive interval.",
    ),
    (
        8911,
        "I",
        "Monitoring settings of message flow '{0}' in execution group '{1}' - State?: {2}, ProfileName: '{3}'",
        "Shown by mqsireportflowmonitoring.",
        "mqsichangeflowmonitoring changes them.",
    ),
    (
        8912,
        "I",
        "Event: '{0}', Event name: '{1}', Enabled: {2}",
        "Shown by mqsireportflowmonitoring.",
        "mqsichangeflowmonitoring -i switches events.",
    ),
    (
        8914,
        "E",
        "There is no event source '{0}' in message flow '{1}'.",
        "The name of a node, of a terminal or of an event of a transaction is wrong.",
        "mqsireportflowmonitoring -a shows the event sources of a flow.",
    ),
)

_ALL: Final = [Message(*row) for row in _ROWS] + [Message(row[0], "E", *row[1:]) for row in ROWS]
MESSAGES: Final[dict[int, Message]] = {each.number: each for each in _ALL}
assert len(MESSAGES) == len(_ALL), "a number is given twice"


def line(number: int, *inserts: object) -> str:
    """Return a message as it is printed."""
    return MESSAGES[number].line(*inserts)


def find(word: str) -> Message | None:
    """Return the message that a user names: `2488`, `BIP2488`, `BIP2488E`, `bip2488`."""
    digits = word.strip().upper().removeprefix("BIP").rstrip("".join(SEVERITIES))
    if not (digits.isascii() and digits.isdigit() and len(digits) < 9):
        return None
    number = int(digits)
    for first, last, *texts in FAMILIES:
        if first <= number <= last and number not in MESSAGES:
            return Message(number, "E", *texts)
    return MESSAGES.get(number)


def explained(message: Message) -> str:
    """Return number, text, cause and action, as mqsiexplain prints them."""
    parts = [f"BIP{message.number:04d}{message.severity}: {message.text}", "", "Severity: "]
    parts[2] += SEVERITIES[message.severity]
    return "\n".join([*parts, f"Cause:    {message.cause}", f"Action:   {message.action}", ""])
