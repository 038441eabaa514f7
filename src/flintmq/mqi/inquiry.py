"""MQINQ as both sides of a channel know it: its results, and the lengths of character attributes."""

from __future__ import annotations

from typing import Final

from flintmq.mqi import constants as mq

#: The length of every other character attribute: that of a name.
NAME_LENGTH: Final = 48
#: Character attributes of another length. A test holds them against the attributes that the queue manager has.
LENGTHS: Final[dict[int, int]] = {
    mq.MQCA_APPL_ID: 256,
    mq.MQCA_CREATION_DATE: 12,
    mq.MQCA_CREATION_TIME: 8,
    mq.MQCA_ENV_DATA: 128,
    mq.MQCA_NAMELIST_DESC: 64,
    mq.MQCA_PROCESS_DESC: 64,
    mq.MQCA_Q_DESC: 64,
    mq.MQCA_Q_MGR_DESC: 64,
    mq.MQCA_USER_DATA: 128,
    mq.MQCA_STORAGE_CLASS: 8,
    mq.MQCA_TRIGGER_DATA: 64,
    mq.MQCA_CHANNEL_AUTO_DEF_EXIT: 128,
    mq.MQCA_ALTERATION_DATE: 12,
    mq.MQCA_ALTERATION_TIME: 8,
    mq.MQCA_CLUSTER_WORKLOAD_EXIT: 128,
    mq.MQCA_CLUSTER_WORKLOAD_DATA: 32,
    mq.MQCA_SSL_KEY_REPOSITORY: 256,
    mq.MQCA_SSL_CRYPTO_HARDWARE: 256,
    mq.MQCA_INITIAL_KEY: 256,
    mq.MQCA_SSL_KEY_REPO_PASSWORD: 1024,
    mq.MQCA_CUSTOM: 128,
    mq.MQCA_VERSION: 8,
    mq.MQCA_CERT_LABEL: 64,
    mq.MQCA_CLUS_CHL_NAME: 20,
}


class Inquiry:
    """The result of MQINQ: the integers in the order of their selectors, and the character attributes in theirs."""

    def __init__(self) -> None:
        self.integers: list[int] = []
        #: Each filled up with blanks to the length that the attribute has.
        self.characters: list[str] = []

    def char_attrs(self) -> str:
        """The character attributes as MQINQ returns them: one after the other."""
        return "".join(self.characters)


def is_character(selector: int) -> bool:
    """Whether a selector is for a character attribute."""
    return mq.MQCA_FIRST <= selector <= mq.MQCA_LAST
