"""The structures of the MQI as ibmmq has them. Where pymqi has the same layout, it is taken from there.

    calls        OD MD GMO PMO SD SRO STS                 (also od md gmo pmo)
    connecting   CNO CSP BNO CD SCO                       (also cd sco)
    consuming    CBD CBC CTLO
    properties   CMHO DMHO SMPO IMPO DMPO PD
    headers      DLH MDE XQH IIH CIH TM TMC2; RFH2 has its own file

Versions are newer than pymqi's, and the identifier of a structure is hidden: `_StrucId`.
"""

from __future__ import annotations

from typing import Final

from flintmq.ibmmq.opts import Structure
from flintmq.mqi import constants as mq
from flintmq.pymqi import structures as pymqi
from flintmq.pymqi.opts import changed, charv

_HIDDEN: Final = {"StrucId": "_StrucId", "Reserved1": "_Reserved1", "Reserved2": "_Reserved2"}


class GMO(Structure):
    """MQGMO, get-message options."""

    FIELDS = changed(pymqi.GMO.FIELDS, _HIDDEN, Version=4)


class PMO(Structure):
    """MQPMO, put-message options."""

    FIELDS = changed(pymqi.PMO.FIELDS, _HIDDEN, Version=3, PubLevel=9)


class OD(Structure):
    """MQOD, object descriptor."""

    FIELDS = changed(pymqi.OD.FIELDS, _HIDDEN, Version=4)


class MD(Structure):
    """MQMD, message descriptor."""

    FIELDS = changed(pymqi.MD.FIELDS, _HIDDEN, Version=2)


class SD(Structure):
    """MQSD, subscription descriptor."""

    FIELDS = changed(pymqi.SD.FIELDS, _HIDDEN, SubLevel=1)


class SRO(Structure):
    """MQSRO, subscription request options."""

    FIELDS = changed(pymqi.SRO.FIELDS, _HIDDEN)


class CMHO(Structure):
    """MQCMHO, create-message-handle options."""

    FIELDS = changed(pymqi.CMHO.FIELDS, _HIDDEN)


class PD(Structure):
    """MQPD, property descriptor."""

    FIELDS = changed(pymqi.PD.FIELDS, _HIDDEN)


class SMPO(Structure):
    """MQSMPO, set-message-property options."""

    FIELDS = changed(pymqi.SMPO.FIELDS, _HIDDEN)


class IMPO(Structure):
    """MQIMPO, inquire-message-property options."""

    FIELDS = changed(pymqi.IMPO.FIELDS, _HIDDEN)


class DMHO(Structure):
    """MQDMHO, delete-message-handle options."""

    FIELDS = (("_StrucId", b"DMHO", "4s"), ("Version", 1, "i"), ("Options", mq.MQDMHO_NONE, "i"))


class DMPO(Structure):
    """MQDMPO, delete-message-property options."""

    FIELDS = (("_StrucId", b"DMPO", "4s"), ("Version", 1, "i"), ("Options", mq.MQDMPO_DEL_FIRST, "i"))


class TM(Structure):
    """MQTM, trigger message."""

    FIELDS = changed(pymqi.TM.FIELDS, _HIDDEN)


class TMC2(Structure):
    """MQTMC2, trigger message as a program that is started gets it."""

    FIELDS = changed(pymqi.TMC2.FIELDS, _HIDDEN)


class XQH(Structure):
    """MQXQH, transmission-queue header; the message descriptor behind it is read on its own."""

    FIELDS = changed(pymqi.XQH.FIELDS, _HIDDEN)

    def get_header(self, buf: bytes) -> XQH:
        """The header at the beginning of a message."""
        return self.unpack(buf[: self.get_length()])

    def get_embedded_md(self, buf: bytes) -> MD:
        """The descriptor behind the header: version 1, so the fields of version 2 are not there."""
        md = MD().unpack(buf[self.get_length() : mq.MQXQH_CURRENT_LENGTH])
        for name in ("GroupId", "MsgSeqNumber", "Offset", "MsgFlags", "OriginalLength"):
            md._remove(name)
        return md


class STS(Structure):
    """MQSTS, the results of asynchronous puts."""

    FIELDS = (
        ("_StrucId", b"STAT", "4s"),
        ("Version", 2, "i"),
        ("CompCode", 0, "i"),
        ("Reason", 0, "i"),
        ("PutSuccessCount", 0, "i"),
        ("PutWarningCount", 0, "i"),
        ("PutFailureCount", 0, "i"),
        ("ObjectType", mq.MQOT_Q, "i"),
        ("ObjectName", b"", "48s"),
        ("ObjectQMgrName", b"", "48s"),
        ("ResolvedObjectName", b"", "48s"),
        ("ResolvedQMgrName", b"", "48s"),
        *charv("ObjectString"),
        *charv("SubName"),
        ("OpenOptions", 0, "i"),
        ("SubOptions", 0, "i"),
    )


class CNO(Structure):
    """MQCNO, connect options."""

    FIELDS = (
        ("_StrucId", b"CNO ", "4s"),
        ("Version", 5, "i"),
        ("Options", mq.MQCNO_NONE, "i"),
        ("_ClientConnOffset", 0, "i"),
        ("_ClientConnPtr", 0, "P"),
        ("ConnTag", b"", "128s"),
        ("_SSLConfigPtr", 0, "P"),
        ("_SSLConfigOffset", 0, "i"),
        ("ConnectionId", b"", "24s"),
        ("_SecurityParmsOffset", 0, "i"),
        ("_SecurityParmsPtr", 0, "P"),
        ("CCDTUrl", 0, "P"),
        ("_CCDTUrlOffset", 0, "i"),
        ("_CCDTUrlLength", 0, "i"),
        ("_Reserved", 0, "q"),
        ("ApplName", b" " * 28, "28s"),
        ("_Reserved2", 0, "i"),
        ("_BalanceParmsPtr", 0, "P"),
        ("_BalanceParmsOffset", 0, "i"),
        ("_Reserved3", 0, "i"),
    )
    _strings = ("CCDTUrl",)


class CSP(Structure):
    """MQCSP, the credentials of a connection: a user and a password, or a token."""

    FIELDS = (
        ("_StrucId", b"CSP ", "4s"),
        ("Version", 1, "i"),
        ("AuthenticationType", mq.MQCSP_AUTH_NONE, "i"),
        ("_Reserved1", 0, "i"),
        ("CSPUserId", 0, "P"),
        ("_CSPUserIdOffset", 0, "i"),
        ("_CSPUserIdLength", 0, "i"),
        ("_Reserved2", 0, "q"),
        ("CSPPassword", 0, "P"),
        ("_CSPPasswordOffset", 0, "i"),
        ("_CSPPasswordLength", 0, "i"),
        ("_Reserved3", 0, "q"),
        ("InitialKey", 0, "P"),
        ("_InitialKeyOffset", 0, "i"),
        ("_InitialKeyLength", 0, "i"),
        ("_Reserved4", 0, "q"),
        ("Token", 0, "P"),
        ("_TokenOffset", 0, "i"),
        ("_TokenLength", 0, "i"),
    )
    _strings = ("CSPUserId", "CSPPassword", "InitialKey", "Token")


class BNO(Structure):
    """MQBNO, balancing options."""

    FIELDS = (
        ("_StrucId", b"BNO ", "4s"),
        ("Version", 1, "i"),
        ("ApplType", mq.MQBNO_BALTYPE_SIMPLE, "i"),
        ("Timeout", mq.MQBNO_TIMEOUT_AS_DEFAULT, "i"),
        ("Options", mq.MQBNO_OPTIONS_NONE, "i"),
    )


class CD(Structure):
    """MQCD, channel definition, of a client connection."""

    FIELDS = (
        *changed(pymqi.CD.FIELDS, Version=11, StrucLength=2000),
        ("_pad", b"", "4s"),
        ("QuantumSafeAlgorithm", 0, "i"),
        ("QuantumSafeRequired", 0, "i"),
    )
    _strings = ("SSLPeerNamePtr",)


class SCO(Structure):
    """MQSCO, TLS configuration options."""

    FIELDS = (
        *changed(pymqi.SCO.FIELDS, _HIDDEN),
        ("KeyRepoPassword", 0, "P"),
        ("_KeyRepoPasswordOffset", 0, "i"),
        ("_KeyRepoPasswordLength", 0, "i"),
        ("HTTPSCertValidation", 0, "i"),
        ("HTTPSCertRevocation", 0, "i"),
        ("HTTPSKeyStore", 0, "P"),
        ("_HTTPSKeyStoreOffset", 0, "i"),
        ("_HTTPSKeyStoreLength", 0, "i"),
    )
    _strings = ("KeyRepoPassword", "HTTPSKeyStore")


class CBD(Structure):
    """MQCBD, callback descriptor. CallbackFunction is a callable, CallbackArea any object."""

    FIELDS = (
        ("_StrucId", b"CBD ", "4s"),
        ("Version", 1, "i"),
        ("CallbackType", mq.MQCBT_MESSAGE_CONSUMER, "i"),
        ("Options", mq.MQCBDO_NONE, "i"),
        ("CallbackArea", 0, "P"),
        ("CallbackFunction", 0, "P"),
        ("CallbackName", b"", "128s"),
        ("MaxMsgLength", mq.MQCBD_FULL_MSG_LENGTH, "i"),
        ("_Reserved1", 0, "i"),
    )
    _objects = ("CallbackArea", "CallbackFunction")


class CBC(Structure):
    """MQCBC, callback context: why a callback is called."""

    FIELDS = (
        ("_StrucId", b"CBC ", "4s"),
        ("Version", 2, "i"),
        ("CallType", 0, "i"),
        ("Hobj", 0, "i"),
        ("CallbackArea", 0, "P"),
        ("ConnectionArea", 0, "P"),
        ("CompCode", 0, "i"),
        ("Reason", 0, "i"),
        ("State", 0, "i"),
        ("DataLength", 0, "i"),
        ("BufferLength", 0, "i"),
        ("Flags", 0, "i"),
        ("ReconnectDelay", 0, "i"),
        ("_Reserved1", 0, "i"),
    )
    _objects = ("CallbackArea", "ConnectionArea")


class CTLO(Structure):
    """MQCTLO, control options. ConnectionArea is any object."""

    FIELDS = (
        ("_StrucId", b"CTLO", "4s"),
        ("Version", 1, "i"),
        ("Options", mq.MQCTLO_NONE, "i"),
        ("_Reserved", 0, "i"),
        ("ConnectionArea", 0, "P"),
    )
    _objects = ("ConnectionArea",)


class DLH(Structure):
    """MQDLH, dead-letter header."""

    FIELDS = (
        ("_StrucId", b"DLH ", "4s"),
        ("Version", 1, "i"),
        ("Reason", 0, "i"),
        ("DestQName", b"", "48s"),
        ("DestQMgrName", b"", "48s"),
        ("Encoding", 0, "i"),
        ("CodedCharSetId", mq.MQCCSI_UNDEFINED, "i"),
        ("Format", b" " * 8, "8s"),
        ("PutApplType", 0, "i"),
        ("PutApplName", b"", "28s"),
        ("PutDate", b"", "8s"),
        ("PutTime", b"", "8s"),
    )

    def get_header(self, buf: bytes) -> DLH:
        """The header at the beginning of a message."""
        return self.unpack(buf[: self.get_length()])


class MDE(Structure):
    """MQMDE, the fields that version 2 of the descriptor adds."""

    FIELDS = (
        ("_StrucId", b"MDE ", "4s"),
        ("Version", 2, "i"),
        ("StrucLength", mq.MQMDE_LENGTH_2, "i"),
        ("Encoding", mq.MQENC_NATIVE, "i"),
        ("CodedCharSetId", mq.MQCCSI_Q_MGR, "i"),
        ("Format", b"", "8s"),
        ("Flags", mq.MQMDEF_NONE, "i"),
        ("GroupId", b"", "24s"),
        ("MsgSeqNumber", 1, "i"),
        ("Offset", 0, "i"),
        ("MsgFlags", mq.MQMF_NONE, "i"),
        ("OriginalLength", mq.MQOL_UNDEFINED, "i"),
    )


class IIH(Structure):
    """MQIIH, IMS information header."""

    FIELDS = (
        ("_StrucId", b"IIH ", "4s"),
        ("Version", 1, "i"),
        ("StrucLength", mq.MQIIH_LENGTH_1, "i"),
        ("Encoding", 0, "i"),
        ("CodedCharSetId", 0, "i"),
        ("Format", b" " * 8, "8s"),
        ("Flags", mq.MQIIH_NONE, "i"),
        ("LTermOverride", b" ", "8s"),
        ("MFSMapName", b" ", "8s"),
        ("ReplyToFormat", b" " * 8, "8s"),
        ("Authenticator", b" " * 8, "8s"),
        ("TranInstanceId", bytes(16), "16s"),
        ("TranState", 0x20, "b"),
        ("CommitMode", 0x30, "b"),
        ("SecurityScope", 0x43, "b"),
        ("_Reserved", 0, "b"),
    )


class CIH(Structure):
    """MQCIH, CICS information header."""

    FIELDS = (
        ("_StrucId", b"CIH ", "4s"),
        ("Version", 2, "i"),
        ("StrucLength", mq.MQCIH_LENGTH_2, "i"),
        ("Encoding", 0, "i"),
        ("CodedCharSetId", 0, "i"),
        ("Format", b" " * 8, "8s"),
        ("Flags", mq.MQCIH_NONE, "i"),
        ("ReturnCode", mq.MQCRC_OK, "i"),
        ("CompCode", 0, "i"),
        ("Reason", 0, "i"),
        ("UOWControl", mq.MQCUOWC_ONLY, "i"),
        ("GetWaitInterval", mq.MQCGWI_DEFAULT, "i"),
        ("LinkType", mq.MQCLT_PROGRAM, "i"),
        ("OutputDataLength", mq.MQCODL_AS_INPUT, "i"),
        ("FacilityKeepTime", 0, "i"),
        ("ADSDescriptor", mq.MQCADSD_NONE, "i"),
        ("ConversationalTask", mq.MQCCT_NO, "i"),
        ("TaskEndStatus", mq.MQCTES_NOSYNC, "i"),
        ("Facility", bytes(8), "8s"),
        ("Function", b"    ", "4s"),
        ("AbendCode", b" ", "4s"),
        ("Authenticator", b" ", "8s"),
        ("_Reserved1", b" ", "8s"),
        ("ReplyToFormat", b" " * 8, "8s"),
        ("RemoteSysId", b" ", "4s"),
        ("RemoteTransId", b" ", "4s"),
        ("TransactionId", b" ", "4s"),
        ("FacilityLike", b" ", "4s"),
        ("AttentionId", b" ", "4s"),
        ("StartCode", b"    ", "4s"),
        ("CancelCode", b" ", "4s"),
        ("NextTransactionId", b" ", "4s"),
        ("_Reserved2", b" ", "8s"),
        ("_Reserved3", b" ", "8s"),
        ("CursorPosition", 0, "i"),
        ("ErrorOffset", 0, "i"),
        ("InputItem", 0, "i"),
        ("_Reserved4", 0, "i"),
    )


md, gmo, pmo, od, cd, sco = MD, GMO, PMO, OD, CD, SCO
