"""The constants: well-known values, no name with two values, values of the right kind."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from flintmq.mqi import channel_constants, constants, pcf_constants, reason, values

MODULES: list[ModuleType] = [constants, pcf_constants, channel_constants, reason]
FILES = sorted(Path(values.__path__[0]).glob("[a-z]*.py"))

KNOWN: dict[str, object] = {
    # Calls.
    "MQOO_INPUT_SHARED": 2, "MQOO_INPUT_EXCLUSIVE": 4, "MQOO_BROWSE": 8, "MQOO_OUTPUT": 16, "MQOO_INQUIRE": 32,
    "MQOO_SET": 64, "MQOO_SAVE_ALL_CONTEXT": 128, "MQOO_FAIL_IF_QUIESCING": 8192, "MQCO_DELETE": 1,
    "MQCO_DELETE_PURGE": 2, "MQPMO_SYNCPOINT": 2, "MQPMO_NO_SYNCPOINT": 4, "MQPMO_NEW_MSG_ID": 64,
    "MQPMO_LOGICAL_ORDER": 32768, "MQPMO_ASYNC_RESPONSE": 65536, "MQGMO_WAIT": 1, "MQGMO_SYNCPOINT": 2,
    "MQGMO_NO_SYNCPOINT": 4, "MQGMO_SET_SIGNAL": 8, "MQGMO_BROWSE_FIRST": 16, "MQGMO_BROWSE_NEXT": 32,
    "MQGMO_ACCEPT_TRUNCATED_MSG": 64, "MQGMO_MARK_SKIP_BACKOUT": 128, "MQGMO_MSG_UNDER_CURSOR": 256, "MQGMO_LOCK": 512,
    "MQGMO_UNLOCK": 1024, "MQGMO_BROWSE_MSG_UNDER_CURSOR": 2048, "MQGMO_SYNCPOINT_IF_PERSISTENT": 4096,
    "MQGMO_CONVERT": 16384, "MQGMO_LOGICAL_ORDER": 32768, "MQGMO_COMPLETE_MSG": 65536, "MQMO_MATCH_MSG_ID": 1,
    "MQMO_MATCH_CORREL_ID": 2, "MQMO_MATCH_GROUP_ID": 4, "MQMO_MATCH_MSG_TOKEN": 32, "MQWI_UNLIMITED": -1,
    "MQEI_UNLIMITED": -1, "MQRO_EXCEPTION": 0x01000000, "MQRO_EXCEPTION_WITH_FULL_DATA": 0x07000000,
    "MQRO_EXPIRATION": 0x00200000, "MQRO_COA": 0x100, "MQRO_COD": 0x800, "MQRO_PASS_CORREL_ID": 0x40,
    "MQRO_DISCARD_MSG": 0x08000000, "MQMT_REQUEST": 1, "MQMT_REPLY": 2, "MQMT_REPORT": 4, "MQMT_DATAGRAM": 8,
    "MQFB_QUIT": 256, "MQFB_EXPIRATION": 258, "MQFB_COA": 259, "MQFB_COD": 260, "MQMF_SEGMENT": 2,
    "MQMF_LAST_MSG_IN_GROUP": 16, "MQPER_PERSISTENT": 1, "MQPER_PERSISTENCE_AS_Q_DEF": 2, "MQPRI_PRIORITY_AS_Q_DEF": -1,
    "MQFMT_NONE": "", "MQFMT_STRING": "MQSTR", "MQFMT_RF_HEADER_2": "MQHRF2", "MQFMT_DEAD_LETTER_HEADER": "MQDEAD",
    "MQMI_NONE": bytes(24), "MQACT_NONE": bytes(32), "MQMTOK_NONE": bytes(16), "MQENC_NORMAL": 273,
    "MQENC_REVERSED": 546,
    "MQENC_S390": 785, "MQCCSI_INHERIT": -2, "MQOT_Q": 1, "MQOT_TOPIC": 8, "MQGS_NOT_IN_GROUP": " ",
    "MQSS_SEGMENT": "S",
    "MQTYPE_STRING": 1024, "MQCOPY_DEFAULT": 22, "MQSO_CREATE": 2, "MQAT_JAVA": 28,
    "MQRO_ACCEPT_UNSUP_MASK": -270532353,
    # Attributes.
    "MQIA_CURRENT_Q_DEPTH": 3, "MQIA_MAX_Q_DEPTH": 15, "MQIA_Q_TYPE": 20, "MQCA_Q_NAME": 2016, "MQCA_Q_MGR_NAME": 2015,
    "MQ_Q_NAME_LENGTH": 48, "MQ_CHANNEL_NAME_LENGTH": 20, "MQQT_LOCAL": 1, "MQQT_MODEL": 2, "MQQT_ALIAS": 3,
    "MQQT_REMOTE": 6, "MQTT_DEPTH": 3, "MQPL_ZOS": 1, "MQPL_UNIX": 3, "MQMD_STRUC_ID": "MD", "MQMD_VERSION_2": 2,
    # Commands.
    "MQCMD_INQUIRE_Q_MGR": 2, "MQCMD_CHANGE_Q": 8, "MQCMD_CLEAR_Q": 9, "MQCMD_CREATE_Q": 11, "MQCMD_INQUIRE_Q": 13,
    "MQCMD_ESCAPE": 38, "MQCMD_PING_Q_MGR": 40, "MQCMD_INQUIRE_Q_STATUS": 41, "MQCMD_INQUIRE_CHANNEL_STATUS": 42,
    "MQCMD_INQUIRE_CONNECTION": 85, "MQCFT_COMMAND": 1, "MQCFT_RESPONSE": 2, "MQCFT_EVENT": 7, "MQCFT_GROUP": 20,
    "MQCFOP_LIKE": 18, "MQCFC_LAST": 1, "MQRCCF_CFH_TYPE_ERROR": 3001, "MQRCCF_COMMAND_FAILED": 3008,
    # Channels.
    "MQCHT_SENDER": 1, "MQCHT_SVRCONN": 7, "MQCHT_CLUSSDR": 9, "MQXPT_TCP": 2, "MQCOMPRESS_ZLIBFAST": 2,
    "MQCHS_RUNNING": 3, "MQIACH_CHANNEL_TYPE": 1511, "MQCACH_CHANNEL_NAME": 3501, "MQZAO_CONNECT": 1,
    # Reasons.
    "MQCC_WARNING": 1, "MQCC_FAILED": 2, "MQRC_NO_MSG_AVAILABLE": 2033, "MQRC_NOT_AUTHORIZED": 2035,
    "MQRC_OBJECT_IN_USE": 2042, "MQRC_Q_FULL": 2053, "MQRC_TRUNCATED_MSG_FAILED": 2080,
    "MQRC_UNKNOWN_OBJECT_NAME": 2085,
    "MQRC_STORAGE_MEDIUM_FULL": 2192, "MQRC_UNEXPECTED_ERROR": 2195, "MQRC_PROPERTY_NAME_ERROR": 2442,
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_well_known_constants_have_their_value(name: str) -> None:
    found = [getattr(module, name) for module in MODULES if hasattr(module, name)]
    assert found and all(value == KNOWN[name] for value in found)


def test_no_name_has_two_values() -> None:
    seen: dict[str, object] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if name.startswith("MQ"):
                assert seen.setdefault(name, value) == value, name
    assert len(seen) > 5000


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_table_declares_each_name_once_in_one_form(path: Path) -> None:
    names = []
    for line in path.read_text().splitlines():
        if line.startswith("MQ"):
            match = re.fullmatch(r'(MQ\w+): Final = (-?\d+|"[^"]*"|b"[^"]*"|bytes\(\d+\))', line)
            assert match, line
            names.append(match[1])
    assert names and len(names) == len(set(names))


def test_integers_fit_in_32_bits_and_text_has_no_trailing_blanks() -> None:
    one_character = ("MQGS_", "MQSS_", "MQSEG_", "MQITS_", "MQICM_", "MQISS_")
    for module in MODULES:
        for name, value in vars(module).items():
            if name.startswith("MQ") and isinstance(value, int):
                assert -(2**31) <= value < 2**31, name
            elif name.startswith("MQ") and isinstance(value, str):
                assert len(value) == 1 if name.startswith(one_character) else value == value.rstrip(" "), name


def test_formats_fit_their_field() -> None:
    for name, value in vars(constants).items():
        if name.startswith("MQFMT_"):
            assert isinstance(value, str) and len(value) <= 8
