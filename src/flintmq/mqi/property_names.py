"""Names of message properties: which are allowed, their meanings, and their folders.

    name              folder    element
    color             usr       color              a name without a folder; "usr.color" is the same property
    shop.color        shop      color
    shop.size.width   shop      size, in it width  groups; not in usr
    JMSReplyTo        jms       Rto                synonym for jms.Rto

Rules, in the order of checking. A name that breaks one gives MQRC_PROPERTY_NAME_ERROR, except N1.

    N1  at most 4095 characters                    MQRC_PROPERTY_NAME_LENGTH_ERR
    N2  not empty; no two dots in a row, none at either end
    N3  between dots, the rules of Java identifiers; no character above U+FFFF
    N4  not Body or Root at the beginning, except Root.MQMD.
    N5  not a keyword of selectors (NULL, TRUE ... in any case), with or without "usr."
    N6  not JMS at the beginning, except the synonyms; of these only five can be set
    N7  "mq" at the beginning (in any case, except mq_usr) allows one dot
    N8  no groups in usr
"""

from typing import Final

from flintmq.mqi.errors import PropertyError
from flintmq.mqi.reason import MQRC_PROPERTY_NAME_ERROR, MQRC_PROPERTY_NAME_LENGTH_ERR

NAME_LENGTH_MAX: Final = 4095  # MQ_MAX_PROPERTY_NAME_LENGTH
DESCRIPTOR_PREFIX: Final = "Root.MQMD."
KEYWORDS: Final = frozenset({"NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"})

# What a name of JMS or of publish/subscribe stands for: the property in an MQRFH2, or a field of the descriptor.
SYNONYMS: Final = {
    "JMSCorrelationID": "jms.Cid",
    "JMSDeliveryMode": "jms.Dlv",
    "JMSDestination": "jms.Dst",
    "JMSExpiration": "jms.Exp",
    "JMSMessageID": "Root.MQMD.MsgId",
    "JMSPriority": "jms.Pri",
    "JMSRedelivered": "Root.MQMD.BackoutCount",
    "JMSReplyTo": "jms.Rto",
    "JMSTimestamp": "jms.Tms",
    "JMSType": "mcd.Type",
    "JMSXAppID": "Root.MQMD.PutApplName",
    "JMSXDeliveryCount": "Root.MQMD.BackoutCount",
    "JMSXGroupID": "jms.Gid",
    "JMSXGroupSeq": "jms.Seq",
    "JMSXUserID": "Root.MQMD.UserIdentifier",
    "MQTopicString": "mqps.Top",
    "MQSubUserData": "mqps.Sud",
    "MQIsRetained": "mqps.Ret",
    "MQPubOptions": "mqps.Pub",
    "MQPubLevel": "mqps.Pbl",
    "MQPubTime": "mqpse.Pts",
    "MQPubSeqNum": "mqpse.Seq",
    "MQPubStrIntData": "mqpse.Sid",
    "MQPubFormat": "mqpse.Pfmt",
}
SETTABLE_SYNONYMS: Final = frozenset({"JMSCorrelationID", "JMSReplyTo", "JMSType", "JMSXGroupID", "JMSXGroupSeq"})

# Folders whose elements are properties without being marked content='properties'.
PROPERTY_FOLDERS: Final = frozenset(
    {"usr", "mq_usr", "jms", "mcd", "mqext", "mqps", "mq", "sib", "sib_usr", "sib_context"}
)


def check_name(name: str) -> None:
    """Raise PropertyError unless `name` may be used to set a property."""
    _check_shape(name)
    plain = name[4:] if name.startswith("usr.") else name
    if name.startswith(("Body", "Root")) and not name.startswith(DESCRIPTOR_PREFIX):
        raise _error(name, "begins with Body or Root (N4)")
    if plain.upper() in KEYWORDS:
        raise _error(name, "is a keyword of selectors (N5)")
    if plain.startswith("JMS") and name not in SETTABLE_SYNONYMS:
        what = "cannot be set by a program" if name in SYNONYMS else "begins with JMS and is not a JMS property"
        raise _error(name, f"{what} (N6)")
    if name[:2].lower() == "mq" and not name.startswith("mq_usr") and name.count(".") > 1:
        raise _error(name, "begins with mq and has more than one dot (N7)")
    if name.startswith("usr.") and "." in plain:
        raise _error(name, "is a group in usr (N8)")


def canonical(name: str) -> str:
    """The one name of a property: a synonym replaced, "usr." left away."""
    name = SYNONYMS.get(name, name)
    return name[4:] if name.startswith("usr.") else name


def is_accessible(folder: str, path: list[str]) -> bool:
    """Whether an element found in a message can be named by a program. Others stay in the message, unseen."""
    for part in path:
        if len(part) > NAME_LENGTH_MAX or "." in part or not is_identifier(part):
            return False
    if folder == "usr":
        return len(path) == 1 and not path[0].startswith("JMS") and path[0].upper() not in KEYWORDS
    return True


def is_identifier(part: str) -> bool:
    """Whether this is a Java identifier of the Basic Multilingual Plane."""
    if not part or max(part) > "\uffff":
        return False
    if not (part[0].isidentifier() or part[0] in "$€£¢¥¤"):
        return False
    for character in part:
        if not (("a" + character).isidentifier() or character in "$€£¢¥¤"):
            return False
    return True


def _check_shape(name: str) -> None:
    if len(name) > NAME_LENGTH_MAX:
        raise PropertyError(
            f"a property name has {len(name)} characters, at most {NAME_LENGTH_MAX} are allowed (N1)",
            MQRC_PROPERTY_NAME_LENGTH_ERR,
        )
    for part in name.split("."):
        if not part:
            raise _error(name, "is empty, or has an empty part (N2)")
        if not is_identifier(part):
            raise _error(name, "has a character that a name cannot have there (N3)")


def _error(name: str, what: str) -> PropertyError:
    return PropertyError(f"the property name {name!r} {what}", MQRC_PROPERTY_NAME_ERROR)
