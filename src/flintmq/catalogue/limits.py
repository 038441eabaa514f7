"""Limits of attributes, and the level of MQ that attributes, commands and messages follow."""

from __future__ import annotations

from typing import Final

COMMAND_LEVEL: Final = 942
VERSION: Final = "09040200"

NUMBER_MAX: Final = 999_999_999
MESSAGE_LENGTH_MAX: Final = 104_857_600
NAMELIST_NAMES_MAX: Final = 256
PAGE_SET_ID_MAX: Final = 99
TOPIC_STRING_LENGTH_MAX: Final = 10_240
SECURITY_MINUTES_MAX: Final = 10_080
CHANNEL_NAME_LENGTH: Final = 20
#: Rules (SET AUTHREC, SET CHLAUTH) are stored under names made of the attributes that identify them.
RULE_NAME_LENGTH: Final = 4096
