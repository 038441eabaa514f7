"""flint amqsbcg: print the messages of a queue with their descriptors, in hexadecimal, and leave them there.

    amqsbcg DEV.QUEUE.1 QM1
    amqsbcg DEV.QUEUE.1 QM1 1           properties by themselves
    amqsbcg DEV.QUEUE.1 QM1 3           properties in an MQRFH2

MQ's sample program, with its arguments and its output.

Exit codes: 0; 1 the queue cannot be read; 99 an argument is missing; else the low byte of the reason why there is no
connection.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _samples
from flintmq.mqi import constants as mq
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.impo import MQIMPO
from flintmq.mqi.md import MQMD
from flintmq.mqi.printable import printable
from flintmq.mqi.reason import MQCC_FAILED, MQRC_NO_MSG_AVAILABLE, MQRC_PROPERTY_NOT_AVAILABLE

NAME = "amqsbcg"
SUMMARY = "sample program: browse messages, descriptors and hexadecimal data"

IN_HANDLE = 1
#: What the third argument adds to the get: properties as the queue says, by handle, none, in an MQRFH2, compatible.
PROPERTIES = {
    0: mq.MQGMO_PROPERTIES_AS_Q_DEF,
    IN_HANDLE: mq.MQGMO_PROPERTIES_IN_HANDLE,
    2: mq.MQGMO_NO_PROPERTIES,
    3: mq.MQGMO_PROPERTIES_FORCE_MQRFH2,
    4: mq.MQGMO_PROPERTIES_COMPATIBILITY,
}
#: The hexadecimal part of a line is so wide, the characters follow.
_HEX_WIDTH = 50
_BYTES_IN_LINE = 16


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("queue", nargs="?", help="the queue")
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")
    parser.add_argument(
        "properties", nargs="?", type=int, choices=list(PROPERTIES), default=0, help="how to show properties (0)"
    )


def run(options: argparse.Namespace) -> int:
    print("\nAMQSBCG0 - starts here")
    print("**********************\n ")
    if not options.queue:
        print("Required parameter missing - queue name")
        return _samples.MISSING
    with _samples.connect(options.name, NAME) as connected:
        code = _browse(connected.mqi, options.queue, options.properties)
    print(" MQDISC")
    return code


def _browse(mqi: _samples.MQI, name: str, properties: int) -> int:
    print(f" MQOPEN - '{name}'\n ")
    try:
        handle = mqi.open(_samples.queue(name), mq.MQOO_BROWSE | mq.MQOO_FAIL_IF_QUIESCING)
    except flintmq.MQError as error:
        print(f" MQOPEN failed with CompCode:{error.completion}, Reason:{error.reason}")
        return 1
    hmsg = mqi.crtmh() if properties == IN_HANDLE else 0
    number, code = 0, 0
    while True:
        md, gmo = MQMD(), MQGMO()
        md.version = 2
        gmo.version = 4 if hmsg else 2
        gmo.options = mq.MQGMO_NO_WAIT | mq.MQGMO_BROWSE_NEXT | PROPERTIES[properties]
        if hmsg:
            gmo.msg_handle = hmsg
        try:
            data = mqi.get(handle, md, gmo)
        except flintmq.MQError as error:
            if error.reason == MQRC_NO_MSG_AVAILABLE:
                print(" \n \n No more messages ")
            else:
                print(f" \n MQGET {number + 1}, failed with CompCode:{MQCC_FAILED} Reason:{error.reason}")
                code = 1
            break
        number += 1
        print(f" \n MQGET of message number {number}, CompCode:{mqi.completion} Reason:{mqi.reason}")
        print("\n".join(map(printable, descriptor_lines(md))))
        if hmsg:
            print("\n".join(map(printable, _property_lines(mqi, hmsg))))
        print("\n".join(message_lines(data, mqi.data_length)))
    print(" MQCLOSE")
    _samples.close(mqi, handle)
    return code


def descriptor_lines(md: MQMD) -> list[str]:
    """The message descriptor."""
    return [
        "****Message descriptor****",
        "",
        f"  StrucId  : 'MD  '  Version : {md.version}",
        f"  Report   : {md.report}  MsgType : {md.msg_type}",
        f"  Expiry   : {md.expiry}  Feedback : {md.feedback}",
        f"  Encoding : {md.encoding}  CodedCharSetId : {md.coded_char_set_id}",
        f"  Format : '{md.format:<8}'",
        f"  Priority : {md.priority}  Persistence : {md.persistence}",
        f"  MsgId : X'{md.msg_id.hex().upper()}'",
        f"  CorrelId : X'{md.correl_id.hex().upper()}'",
        f"  BackoutCount : {md.backout_count}",
        f"  ReplyToQ       : '{md.reply_to_q:<48}'",
        f"  ReplyToQMgr    : '{md.reply_to_q_mgr:<48}'",
        "  ** Identity Context",
        f"  UserIdentifier : '{md.user_identifier:<12}'",
        "  AccountingToken : ",
        f"   X'{md.accounting_token.hex().upper()}'",
        f"  ApplIdentityData : '{md.appl_identity_data:<32}'",
        "  ** Origin Context",
        f"  PutApplType    : '{md.put_appl_type}'",
        f"  PutApplName    : '{md.put_appl_name:<28}'",
        f"  PutDate  : '{md.put_date:<8}'    PutTime  : '{md.put_time:<8}'",
        f"  ApplOriginData : '{md.appl_origin_data:<4}'",
        "",
        f"  GroupId : X'{md.group_id.hex().upper()}'",
        f"  MsgSeqNumber   : '{md.msg_seq_number}'",
        f"  Offset         : '{md.offset}'",
        f"  MsgFlags       : '{md.msg_flags}'",
        f"  OriginalLength : '{md.original_length}'",
    ]


def _property_lines(mqi: _samples.MQI, hmsg: int) -> list[str]:
    """The properties of a message handle."""
    found: list[str] = []
    impo = MQIMPO()
    impo.options = mq.MQIMPO_INQ_FIRST | mq.MQIMPO_CONVERT_VALUE
    while True:
        try:
            answer = mqi.inqmp(hmsg, "%", impo)
        except flintmq.MQError as error:
            if error.reason != MQRC_PROPERTY_NOT_AVAILABLE:
                raise
            return [" ", "****Message properties****", " ", *(found or ["  None"])]
        value = answer.value
        if isinstance(value, bytes):
            shown = f"X'{value.hex().upper()}'"
        else:
            shown = f"'{value}'" if isinstance(value, str) else str(value)
        found.append(f"  {impo.returned_name} : {shown}")
        impo.options = mq.MQIMPO_INQ_NEXT | mq.MQIMPO_CONVERT_VALUE


def message_lines(data: bytes, length: int) -> list[str]:
    """The data, in hexadecimal and as characters."""
    lines = [" ", "****   Message      ****", " ", f" length - {len(data)} of {length} bytes", " "]
    for place in range(0, max(len(data), 1), _BYTES_IN_LINE):
        part = data[place : place + _BYTES_IN_LINE]
        digits = part.hex().upper()
        pairs = " ".join(digits[i : i + 4] for i in range(0, len(digits), 4))
        characters = "".join(chr(each) if 0x20 <= each < 0x7F else "." for each in part)
        lines.append(f"{place:08X}:  {pairs:<{_HEX_WIDTH}}'{characters:<{_BYTES_IN_LINE}}'")
    return [*lines, " "]
