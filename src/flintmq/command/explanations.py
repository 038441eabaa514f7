"""The meaning of FlintMQ's messages, and the action to take: for `flint mqrc AMQ9519`.

Messages of MQSC have their texts in messages.py; of those the text is shown with its inserts in angle brackets, and
the explanation here is added. All others are written where they happen, with the details of the event, so this table
describes them in general. tests/house/test_explanations.py looks for numbers that are in neither.
"""

from __future__ import annotations

import re

from flintmq.command.messages import MESSAGES

#: Number without the letter of its severity -> its subject, and the action to take; "" where there is none.
EXPLANATIONS: dict[str, tuple[str, str]] = {
    # The queue manager and its files.
    "AMQ5026": ("A listener waits for connections at the address that is told.", ""),
    "AMQ5027": ("A listener has ended.", "START LISTENER or runmqlsr starts it again, if that was not meant."),
    "AMQ5028": (
        "A server service has started; as an error, a service could not be started.",
        "For an error: STARTCMD is the full path of a program that the queue manager's user may run; see the text.",
    ),
    "AMQ5029": (
        "A server service has ended; as an error, its STOPCMD could not be run.",
        "START SERVICE starts it again. For an error: STOPCMD is the full path of a program; see the text.",
    ),
    "AMQ5030": ("A command service has been started. Nobody watches its end.", ""),
    "AMQ5051": (
        "Automatic configuration: commands of MQSCConfig were run, or a path in the stanza AutoConfig cannot be read.",
        "errors/autocfgmqsc.LOG has what each command answered. Put the file right; it is read at the next start.",
    ),
    "AMQ5100": (
        "A callback of asynchronous consume has raised an exception; its consumer is suspended.",
        "Put the callback right. The entry has its traceback; messages it did not commit are on the queue again.",
    ),
    "AMQ5101": (
        "The callback of queue.consume has raised an exception, and the message was backed out.",
        "Put the callback right. BOTHRESH and BOQNAME of the queue set messages aside that fail again and again.",
    ),
    "AMQ5625": ("The queue manager runs, and this needs that it does not.", "End it with endmqm, and try again."),
    "AMQ5850": (
        "A message on the queue where queued publish/subscribe keeps its subscriptions cannot be understood.",
        "The subscription that it stands for is not there. Its application registers it again.",
    ),
    "AMQ5882": (
        "Queued publish/subscribe could not send the response to a command, or keep what it has changed.",
        "The reason says why: a reply queue that is full or not there, most often. flint mqrc explains it.",
    ),
    "AMQ5883": (
        "A message whose delivery was delayed could not be put to its queue when its time had come.",
        "It is on the dead-letter queue, unless it asked to be discarded. The reason says why.",
    ),
    "AMQ5884": (
        "A message whose delivery was delayed could be put neither to its queue nor to the dead-letter queue.",
        "It is kept and tried again. Make room in its queue, or name a dead-letter queue with ALTER QMGR DEADQ.",
    ),
    "AMQ6183": (
        "Something has failed outside of a call of a client, and the queue manager goes on.",
        "The text says what. If there is an FDC beside the error log it is a bug of FlintMQ: report it.",
    ),
    "AMQ6119": (
        "The queue manager has stopped, or could not do what it was asked, because of an error it did not expect.",
        "The text names it: a full or damaged disk, a file that is gone. Put it right and start the queue manager.",
    ),
    "AMQ6125": (
        "An error in FlintMQ itself. The queue manager has stopped; what was committed is in its log.",
        "Start it again, and report the dump, errors/FLINT*.FDC in its directory.",
    ),
    "AMQ6708": (
        "The disk of the recovery log, or of its archive, is full: no further log file can be made or archived.",
        "Make room. Until then calls get 2102 when the log files there are have been used and a checkpoint frees none.",
    ),
    "AMQ7017": ("The log cannot be read, so the queue manager does not start.", "Restore log and page sets together."),
    "AMQ7048": ("The name of the queue manager, or of a file of it, is not right.", "dspmq lists queue managers."),
    "AMQ7056": ("A unit of work that is prepared and waits for its coordinator.", "rsvmqtrn resolves it by hand."),
    "AMQ7064": ("The place for the log cannot be used.", "Name another directory with -ld, or remove what is in it."),
    "AMQ7077": ("A file or directory of the queue manager may not be used by you.", "Be its owner, or ask them."),
    "AMQ7107": ("There are no units of work of the kind that was asked for.", ""),
    "AMQ7225": ("There is no unit of work with this number.", "dspmqtrn lists those there are."),
    "AMQ7226": ("The unit of work was not resolved; it is as it was.", "The line before says why."),
    "AMQ7227": ("A unit of work in doubt was committed or backed out by hand.", ""),
    "AMQ7311": (
        "A message was backed out BOTHRESH times, and could not be moved to the queue that BOQNAME names.",
        "Define that queue, or make room in it; the message stays where it is meanwhile.",
    ),
    "AMQ8003": ("The queue manager has started.", ""),
    "AMQ8004": ("The queue manager is ending, or has ended.", ""),
    "AMQ8110": ("There is a queue manager of this name already.", "Choose another name, or dltmqm the other one."),
    "AMQ8118": ("There is no queue manager of this name here.", "dspmq lists them; crtmqm makes one."),
    "AMQ8416": (
        "The command was sent to a queue manager elsewhere, and no response came in time.",
        "runmqsc -w waits longer.",
    ),
    # Authority.
    "AMQ5534": (
        "User and password of a client are not right.",
        "Give the right ones; `flint user` sets a password. `flint explain` shows who was refused.",
    ),
    "AMQ5540": ("A client has given no password where one is needed.", "Give one in the application (MQCSP)."),
    "AMQ5542": ("A client was refused by connection authentication.", "`flint explain` shows why."),
    "AMQ7026": (
        "A principal or group is known neither to the operating system nor to the queue manager.",
        "Check the name; `flint user QM1 NAME --group GROUP` makes the queue manager know both.",
    ),
    "AMQ7092": ("The name of an object is needed.", "Give it with -n."),
    "AMQ7094": ("This is not a type of object.", "The line lists those there are."),
    "AMQ7095": ("The name of a user or group is needed.", "Give it with -p or -g."),
    "AMQ7096": ("No authority was named.", "Give one with + or take one with -, as in +put -get; or -remove."),
    "AMQ7097": ("This is not an authority, or not one for this type of object.", "setmqaut --help lists them."),
    "AMQ8077": (
        "A user has not the authority on an object that its call needs.",
        "`flint explain` shows the command that would give it; setmqaut or SET AUTHREC does.",
    ),
    "AMQ9557": (
        "A client cannot be the user that it would be: the name is too long, or refused.",
        "`flint explain` shows why. A user ID has at most 12 characters; SET CHLAUTH TYPE(USERMAP) maps a longer one.",
    ),
    "AMQ9776": (
        "A channel authentication record blocks the user of a client.",
        "DISPLAY CHLAUTH with MATCH(RUNCHECK).",
    ),
    "AMQ9777": ("A channel authentication record gives a client no access.", "DISPLAY CHLAUTH with MATCH(RUNCHECK)."),
    # The dead-letter handler.
    "AMQ8708": ("The dead-letter handler has started.", ""),
    "AMQ8709": ("The dead-letter handler has ended; the line counts what became of messages.", ""),
    "AMQ8721": ("A message on a dead-letter queue has no dead-letter header. It is left there.", "Look who put it."),
    "AMQ8722": (
        "The dead-letter handler could not put a message where its rule says. It is tried again as RETRY says.",
        "The reason says why; flint mqrc explains it.",
    ),
    "AMQ8745": ("The dead-letter handler could not use its queue or queue manager.", "The line says why."),
    "AMQ8750": ("The rules table could not be read.", "runmqdlq reads it from standard input."),
    "AMQ8758": ("The rules table has errors.", "The lines before name them, each with its line."),
    # Channels.
    "AMQ9002": ("A channel was started: clients may use it.", ""),
    "AMQ9202": (
        "Nobody answers at the address of a queue manager.",
        "Check host, port and firewall, and that the queue manager and its listener run (DISPLAY LSSTATUS).",
    ),
    "AMQ9209": ("A connection was closed.", "If DISCINT is named: the client made no call for so long."),
    "AMQ9218": (
        "A listener could not listen (E), or says where it does (I).",
        "Another program may have the port: choose another one, or end that program.",
    ),
    "AMQ9259": ("A client did not answer, or nothing came from it for too long; its connection was closed.", ""),
    "AMQ9271": (
        "Nobody has connected on a connection for so long that it was closed, or a client sent nothing.",
        "Who connects there? The entry has the address. For a client, look at the network and HBINT.",
    ),
    "AMQ9489": ("A channel has MAXINST instances already.", "ALTER CHANNEL MAXINST, or find who does not disconnect."),
    "AMQ9490": ("One address has MAXINSTC instances of a channel.", "ALTER CHANNEL MAXINSTC, or close some there."),
    "AMQ9503": ("Client and channel could not agree.", "The channel must have CHLTYPE(SVRCONN)."),
    "AMQ9504": ("What came over a socket is not the MQ protocol.", "Who connects there? The entry has the address."),
    "AMQ9513": (
        "There are as many connections as there may be, and a client was refused (2537).",
        "The text says which limit: MaxChannels in qm.ini, open files (ulimit -Hn), or too many that never connect.",
    ),
    "AMQ9519": ("There is no such channel.", "Names count in upper and lower case. DISPLAY CHANNEL(*) lists them."),
    "AMQ9528": ("A channel was stopped by command.", "START CHANNEL lets clients in again."),
    "AMQ9544": (
        "A report was discarded: its user may not put it, or neither its queue nor the dead-letter queue took it.",
        "The line says which. Give the user PUT on the queue if that is meant, or make room in the dead-letter queue.",
    ),
    "AMQ9558": ("A channel is stopped.", "START CHANNEL lets clients in again."),
    "AMQ9631": ("Client and channel have different CipherSpecs.", "SSLCIPH of the channel and the client must agree."),
    "AMQ9636": ("The name in a certificate is not the one that SSLPEER wants.", "Compare them; the entry has both."),
    "AMQ9637": (
        "A channel wants a certificate, and the client has none.",
        "Give it one that is trusted here.",
    ),
    "AMQ9639": ("A channel wants TLS, and the client does not use it.", "Give the client the CipherSpec of SSLCIPH."),
    "AMQ9657": ("The key repository cannot be used.", "Check SSLKEYR, the file, and its password (KEYRPWD)."),
    "AMQ9665": ("TLS could not be agreed on.", "Certificates that the other side trusts, and a CipherSpec it has."),
    "AMQ9673": (
        "A client was shown another certificate than CERTLABL names.",
        "Set OutboundSNI=CHANNEL in the client.",
    ),
    "AMQ9999": ("A channel has ended.", "The line before says why."),
    # z/OS only.
    "CSQM587": (
        "A message could not be copied to the streaming queue.",
        "With STRMQOS(MUSTDUP) it was refused, too. The reason says why; flint mqrc explains it.",
    ),
    "CSQP013": ("The disk of a page set has room again, and puts to its queues go on.", ""),
    "CSQP014": (
        "The disk of a page set is full. Puts to its queues get 2192, gets go on. Nothing is lost: the log has it.",
        "Make room on the disk, or get messages. It is tried again every few seconds; nothing needs to be restarted.",
    ),
    "CSQW123": ("Trace or SMF records are written again.", ""),
    "CSQW133": ("Trace or SMF records are lost, because they cannot be written.", "Look at the disk and the file."),
    "CSQX004": ("How much storage channels use, and how much is free. The capacity report reads it.", ""),
    # To messages of MQSC.
    "AMQ8101": ("", "flint mqrc explains the reason."),
    "AMQ8135": ("", "`flint explain` shows what was missing, and the command that would give it."),
    "AMQ8143": ("", "CLEAR QLOCAL, or DELETE QLOCAL with PURGE, removes the messages."),
    "AMQ8146": ("", "strmqm starts it."),
    "AMQ8147": ("", "DISPLAY with a pattern, as in DISPLAY QLOCAL(ORD*), lists those there are."),
    "AMQ8148": ("", "DISPLAY QSTATUS TYPE(HANDLE) and DISPLAY CONN show who has it open."),
    "AMQ8150": ("", "REPLACE changes it; an object of another type has the name, if that does not help."),
    "AMQ8871": ("", "`flint user QM1 NAME --group GROUP` makes the queue manager know both."),
}

NUMBER = re.compile(r"(AMQ\d{4}|CSQ[A-Z]\d{3})[A-Z]?")


def explained(word: str) -> list[str]:
    """Return text and explanation of a message, given with or without its severity; [] if FlintMQ does not have it."""
    matched = NUMBER.fullmatch(word.upper())
    if matched is None:
        return []
    number = matched[1]
    texts = [text for full, text in MESSAGES.items() if full.startswith(number)]
    found = [re.sub(r"\{(\w+)\}", r"<\1>", text) for text in texts]
    return found + [text for text in EXPLANATIONS.get(number, ()) if text]
