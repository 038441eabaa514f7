"""What the names of a selector are worth for a message.

    name                       value
    Root.MQMD.Field            the field; ids and tokens are byte strings, the others numbers and strings
    JMSMessageID               'ID:' and 48 hexadecimal digits
    JMSCorrelationID           jms.Cid, which may be any text; else as JMSMessageID, null if it is zeros (B218, B229)
    JMSPriority                Priority                     JMSDeliveryMode      'PERSISTENT' or 'NON_PERSISTENT'
    JMSTimestamp               jms.Tms, else when put, ms   JMSExpiration        jms.Exp, else when it expires, 0 never
    JMSType                    mcd.Type                     JMSDestination       jms.Dst
    JMSReplyTo                 jms.Rto, else queue://ReplyToQMgr/ReplyToQ, null without ReplyToQ
    JMSRedelivered             whether BackoutCount > 0     JMSXDeliveryCount    BackoutCount + 1
    JMSXUserID, JMSXAppID      UserIdentifier, PutApplName
    JMSXGroupID, JMSXGroupSeq  jms.Gid, jms.Seq, else GroupId as an 'ID:' and MsgSeqNumber, null outside of a group
    JMS_IBM_Format ...         the field that the MQ classes for JMS call so
    any other                  the property of that name

Properties are looked for only when a name asks for one, and once for all selectors that look at the message together.
"""

from __future__ import annotations

from typing import Final

from flintmq.qmgr.message import NO_ID, Message
from flintmq.qmgr.message_properties import may_have_properties, properties_of
from flintmq.qmgr.property_work import PREPARED
from flintmq.selector.source import Source, Value

_MSG_ID: Final = 1
_CORREL_ID: Final = 2
_PRIORITY: Final = 3
_PERSISTENCE: Final = 4
_BACKOUT_COUNT: Final = 5
_JMS_MESSAGE_ID: Final = 6
_JMS_CORREL_ID: Final = 7
_JMS_DELIVERY_MODE: Final = 8
_JMS_TIMESTAMP: Final = 9
_JMS_EXPIRATION: Final = 10
_JMS_TYPE: Final = 11
_JMS_DESTINATION: Final = 12
_JMS_REPLY_TO: Final = 13
_JMS_REDELIVERED: Final = 14
_JMS_DELIVERY_COUNT: Final = 15
_JMS_GROUP_ID: Final = 16
_JMS_GROUP_SEQ: Final = 17
_REPORT: Final = 18
_MSG_TYPE: Final = 19
_EXPIRY: Final = 20
_FEEDBACK: Final = 21
_ENCODING: Final = 22
_CCSID: Final = 23
_FORMAT: Final = 24
_REPLY_TO_Q: Final = 25
_REPLY_TO_Q_MGR: Final = 26
_USER_IDENTIFIER: Final = 27
_ACCOUNTING_TOKEN: Final = 28
_APPL_IDENTITY_DATA: Final = 29
_PUT_APPL_TYPE: Final = 30
_PUT_APPL_NAME: Final = 31
_PUT_DATE: Final = 32
_PUT_TIME: Final = 33
_APPL_ORIGIN_DATA: Final = 34
_GROUP_ID: Final = 35
_MSG_SEQ_NUMBER: Final = 36
_OFFSET: Final = 37
_MSG_FLAGS: Final = 38
_ORIGINAL_LENGTH: Final = 39

_KNOWN: Final = {
    "Root.MQMD.MsgId": _MSG_ID,
    "Root.MQMD.CorrelId": _CORREL_ID,
    "Root.MQMD.Priority": _PRIORITY,
    "Root.MQMD.Persistence": _PERSISTENCE,
    "Root.MQMD.BackoutCount": _BACKOUT_COUNT,
    "Root.MQMD.Report": _REPORT,
    "Root.MQMD.MsgType": _MSG_TYPE,
    "Root.MQMD.Expiry": _EXPIRY,
    "Root.MQMD.Feedback": _FEEDBACK,
    "Root.MQMD.Encoding": _ENCODING,
    "Root.MQMD.CodedCharSetId": _CCSID,
    "Root.MQMD.Format": _FORMAT,
    "Root.MQMD.ReplyToQ": _REPLY_TO_Q,
    "Root.MQMD.ReplyToQMgr": _REPLY_TO_Q_MGR,
    "Root.MQMD.UserIdentifier": _USER_IDENTIFIER,
    "Root.MQMD.AccountingToken": _ACCOUNTING_TOKEN,
    "Root.MQMD.ApplIdentityData": _APPL_IDENTITY_DATA,
    "Root.MQMD.PutApplType": _PUT_APPL_TYPE,
    "Root.MQMD.PutApplName": _PUT_APPL_NAME,
    "Root.MQMD.PutDate": _PUT_DATE,
    "Root.MQMD.PutTime": _PUT_TIME,
    "Root.MQMD.ApplOriginData": _APPL_ORIGIN_DATA,
    "Root.MQMD.GroupId": _GROUP_ID,
    "Root.MQMD.MsgSeqNumber": _MSG_SEQ_NUMBER,
    "Root.MQMD.Offset": _OFFSET,
    "Root.MQMD.MsgFlags": _MSG_FLAGS,
    "Root.MQMD.OriginalLength": _ORIGINAL_LENGTH,
    "JMSMessageID": _JMS_MESSAGE_ID,
    "JMSCorrelationID": _JMS_CORREL_ID,
    "JMSPriority": _PRIORITY,
    "JMSDeliveryMode": _JMS_DELIVERY_MODE,
    "JMSTimestamp": _JMS_TIMESTAMP,
    "JMSExpiration": _JMS_EXPIRATION,
    "JMSType": _JMS_TYPE,
    "JMSDestination": _JMS_DESTINATION,
    "JMSReplyTo": _JMS_REPLY_TO,
    "JMSRedelivered": _JMS_REDELIVERED,
    "JMSXDeliveryCount": _JMS_DELIVERY_COUNT,
    "JMSXUserID": _USER_IDENTIFIER,
    "JMSXAppID": _PUT_APPL_NAME,
    "JMSXGroupID": _JMS_GROUP_ID,
    "JMSXGroupSeq": _JMS_GROUP_SEQ,
    "JMS_IBM_Format": _FORMAT,
    "JMS_IBM_MsgType": _MSG_TYPE,
    "JMS_IBM_Feedback": _FEEDBACK,
    "JMS_IBM_Encoding": _ENCODING,
    "JMS_IBM_PutApplType": _PUT_APPL_TYPE,
    "JMS_IBM_PutDate": _PUT_DATE,
    "JMS_IBM_PutTime": _PUT_TIME,
}

#: The names whose values change while a message is on its queue.
CHANGING: Final = frozenset({"Root.MQMD.BackoutCount", "JMSRedelivered", "JMSXDeliveryCount"})


class MessageSource(Source):
    """The values of one message."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self._properties: dict[str, Value] | None = None
        #: The properties, if they were read before.
        self.known: dict[str, Value] | None = None
        #: How often the properties of the message were looked for: 0 or 1.
        self.looks = 0

    def value(self, name: str) -> Value:
        """As in the table above."""
        what = _KNOWN.get(name, 0)
        if what == 0:
            return self.property(name)
        if what <= _JMS_GROUP_SEQ:
            return self._common(what)
        return self._field(what)

    def property(self, name: str) -> Value:
        """A property by its canonical name."""
        properties = self._properties
        if properties is None:
            properties = self._properties = {}
            if may_have_properties(self.message):
                self.looks += 1
                known = self.known
                if known is None:
                    known = PREPARED.values_of(self.message)
                if known is not None:
                    properties = self._properties = known
                    return properties.get(name)
                for item in properties_of(self.message).items:
                    if item.hidden is None and item.name not in properties:
                        properties[item.name] = item.value
        return properties.get(name)

    def _common(self, what: int) -> Value:
        """The fields that are asked for most, and those of JMS that have to be worked out."""
        message = self.message
        if what == _JMS_CORREL_ID:
            given = self.property("jms.Cid")
            return given if given is not None else _jms_id(message.correl_id)
        if what == _JMS_MESSAGE_ID:
            return _jms_id(message.msg_id)
        if what == _MSG_ID:
            return message.msg_id
        if what == _CORREL_ID:
            return message.correl_id
        if what == _PRIORITY:
            return message.priority
        if what == _PERSISTENCE:
            return message.persistence
        if what == _BACKOUT_COUNT:
            return message.backout_count
        if what == _JMS_DELIVERY_MODE:
            return "PERSISTENT" if message.persistence == 1 else "NON_PERSISTENT"
        if what == _JMS_TYPE:
            return self.property("mcd.Type")
        if what == _JMS_DESTINATION:
            return self.property("jms.Dst")
        if what == _JMS_REDELIVERED:
            return message.backout_count > 0
        if what == _JMS_DELIVERY_COUNT:
            return message.backout_count + 1
        return self._computed(what)

    def _computed(self, what: int) -> Value:
        """What the folder jms has, or else follows from the descriptor."""
        message = self.message
        if what == _JMS_TIMESTAMP:
            given = self.property("jms.Tms")
            return given if given is not None else message.put_ms
        if what == _JMS_EXPIRATION:
            given = self.property("jms.Exp")
            return given if given is not None else message.expires_ms
        if what == _JMS_REPLY_TO:
            given = self.property("jms.Rto")
            if given is not None or not message.reply_to_q:
                return given
            return f"queue://{message.reply_to_q_mgr}/{message.reply_to_q}"
        if what == _JMS_GROUP_ID:
            given = self.property("jms.Gid")
            return given if given is not None else _jms_id(message.group_id)
        given = self.property("jms.Seq")
        if given is not None or message.group_id == NO_ID:
            return given
        return message.msg_seq_number

    def _field(self, what: int) -> Value:
        """The other fields of the descriptor."""
        message = self.message
        if what <= _CCSID:
            return self._number(what)
        if what == _FORMAT:
            return message.format
        if what == _REPLY_TO_Q:
            return message.reply_to_q
        if what == _REPLY_TO_Q_MGR:
            return message.reply_to_q_mgr or message.queue.q_mgr_name
        if what == _USER_IDENTIFIER:
            return message.user_identifier
        if what == _ACCOUNTING_TOKEN:
            return message.accounting_token
        if what == _APPL_IDENTITY_DATA:
            return message.appl_identity_data
        if what == _PUT_APPL_TYPE:
            return message.put_appl_type
        if what == _PUT_APPL_NAME:
            return message.put_appl_name
        if what == _PUT_DATE:
            return message.put_date
        if what == _PUT_TIME:
            return message.put_time
        if what == _APPL_ORIGIN_DATA:
            return message.appl_origin_data
        if what == _GROUP_ID:
            return message.group_id
        if what == _MSG_SEQ_NUMBER:
            return message.msg_seq_number
        if what == _OFFSET:
            return message.offset
        if what == _MSG_FLAGS:
            return message.msg_flags
        return message.original_length

    def _number(self, what: int) -> Value:
        message = self.message
        if what == _REPORT:
            return message.report
        if what == _MSG_TYPE:
            return message.msg_type
        if what == _EXPIRY:
            return message.expiry
        if what == _FEEDBACK:
            return message.feedback
        if what == _ENCODING:
            return message.encoding
        return message.coded_char_set_id


def _jms_id(identifier: bytes) -> Value:
    """An id as JMS writes it; null for one of zeros."""
    return None if identifier == NO_ID else "ID:" + identifier.hex()
