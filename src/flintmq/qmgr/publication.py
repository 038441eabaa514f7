"""What a copy of a publication says about it: the publish/subscribe properties, in the form that PSPROP asks for.

    PSPROP    where they are
    MSGPROP   message properties, in folder mqps (`Message.properties`): nothing of it is in the data
    RFH2      an MQRFH2 in front of the data with a psc folder, as the queued interface has it
    COMPAT    an MQRFH of version 1 in front of the data
    NONE      nowhere

    property         in mqps     in psc       in MQRFH       value
    MQTopicString    Top         Topic        MQPSTopic      the topic string that was published to
    MQSubUserData    Sud         SubUserData  MQPSSubUserData  what the subscriber gave
    MQIsRetained     Ret         PubOpt       MQPSPubOpts    only if it is delivered because it was retained
    MQPubOptions     Pub                                     MQPUBO_*, if any
    MQPubLevel       Pbl                                     PubLevel of the put

Folders of the publisher's own header stay, but for psc. The data of all copies in one form is one object.
"""

from __future__ import annotations

from typing import Final

from flintmq.mqi.constants import MQENC_NATIVE, MQFMT_RF_HEADER, MQFMT_RF_HEADER_2
from flintmq.mqi.errors import StructureError
from flintmq.mqi.folders import escape, read_root
from flintmq.mqi.md import MQMD
from flintmq.mqi.pcf_constants import MQPUBO_IS_RETAINED_PUBLICATION, MQPUBO_RETAIN_PUBLICATION
from flintmq.mqi.rfh import MQRFH
from flintmq.mqi.rfh2 import MQRFH2

_BEFORE: Final = b"<mqps><Top>"
_AFTER: Final = b"</Top><Pbl dt='i4'>9</Pbl></mqps>"
#: PubLevel of a put that says nothing else.
PUB_LEVEL: Final = 9


def property_block(topic_string: str, user_data: str, options: int, retained: bool, pub_level: int) -> bytes:
    """The folder mqps as a block of `Message.properties`."""
    if not user_data and not options and pub_level == PUB_LEVEL and not retained and is_plain(topic_string):
        return padded(_BEFORE + topic_string.encode("utf-8", "replace") + _AFTER)
    text = "<mqps><Top>" + escape(topic_string) + "</Top>"
    if user_data:
        text += "<Sud>" + escape(user_data) + "</Sud>"
    if retained:
        text += "<Ret dt='boolean'>1</Ret>"
    if options:
        text += f"<Pub dt='i4'>{options}</Pub>"
    text += f"<Pbl dt='i4'>{pub_level}</Pbl></mqps>"
    return padded(text.encode("utf-8", "replace"))


def is_plain(text: str) -> bool:
    """Whether `text` stands in a folder as it is."""
    return not ("&" in text or "<" in text or ">" in text or "'" in text or '"' in text)


def padded(folder: bytes) -> bytes:
    """A folder with its length, filled up to a multiple of four."""
    rest = len(folder) & 3
    if rest:
        folder += b"    "[rest:]
    return len(folder).to_bytes(4, "little") + folder


def publication_options(retain: bool, retained: bool) -> int:
    """MQPUBO_* of a copy."""
    options = MQPUBO_RETAIN_PUBLICATION if retain else 0
    return options | MQPUBO_IS_RETAINED_PUBLICATION if retained else options


class Form:
    """The data of a copy with a header in front, and what the descriptor must say of it."""

    def __init__(self, format: str, data: bytes) -> None:
        self.format = format
        self.encoding: int = MQENC_NATIVE
        self.ccsid: int = 1208
        self.data = data


def rfh2_form(md: MQMD, data: bytes, topic_string: str, user_data: str, retain: bool, retained: bool) -> Form:
    """The data with a psc folder in an MQRFH2; one that is there already is kept, with its other folders."""
    psc = "<psc><Command>Publish</Command><Topic>" + escape(topic_string) + "</Topic>"
    if retain:
        psc += "<PubOpt>RetainPub</PubOpt>"
    if retained:
        psc += "<PubOpt>IsRetainedPub</PubOpt>"
    if user_data:
        psc += "<SubUserData>" + escape(user_data) + "</SubUserData>"
    psc += "</psc>"
    header = rules_header(md, data)
    if header is None:
        header = MQRFH2()
        header.encoding = md.encoding
        header.coded_char_set_id = md.coded_char_set_id
        header.format = md.format
    else:
        data = data[header.struc_length :]
    header.folders = [psc] + other_folders(header)
    header.name_value_ccsid = 1208
    return Form(MQFMT_RF_HEADER_2, header.pack(False, 1208) + data)


def rfh_form(md: MQMD, data: bytes, topic_string: str, user_data: str, retain: bool, retained: bool) -> Form:
    """The data behind an MQRFH of version 1."""
    pairs = [("MQPSCommand", "Publish"), ("MQPSTopic", topic_string)]
    if retain:
        pairs.append(("MQPSPubOpts", "RetainPub"))
    if retained:
        pairs.append(("MQPSPubOpts", "IsRetainedPub"))
    if user_data:
        pairs.append(("MQPSSubUserData", user_data))
    header = MQRFH()
    header.encoding = md.encoding
    header.coded_char_set_id = md.coded_char_set_id
    header.format = md.format
    header.set_pairs(pairs)
    return Form(MQFMT_RF_HEADER, header.pack(False, 1208) + data)


def rules_header(md: MQMD, data: bytes) -> MQRFH2 | None:
    """The MQRFH2 that the data begins with; None if there is none that can be read."""
    if md.format != MQFMT_RF_HEADER_2:
        return None
    ccsid = md.coded_char_set_id if md.coded_char_set_id > 0 else 1208
    try:
        return MQRFH2.unpack(data, 0, md.encoding & 0xF == 1, ccsid)
    except (StructureError, LookupError):
        return None


def other_folders(header: MQRFH2) -> list[str]:
    """The folders of a header but for psc."""
    result: list[str] = []
    for folder in header.folders:
        try:
            if read_root(folder).name == "psc":
                continue
        except StructureError:
            pass  # What cannot be read is passed on as it is.
        result.append(folder)
    return result
