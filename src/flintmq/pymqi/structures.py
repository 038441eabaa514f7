"""The structures of the MQI as pymqi has them: layouts of a 64-bit program, initial values of pymqi 1.12.

    calls        OD MD GMO PMO SD SRO                     (also od md gmo pmo)
    connecting   CD SCO                                   (also cd sco)
    properties   CMHO SMPO IMPO PD
    messages     TM TMC2 XQH; RFH2 has its own file

Some initial values are not those of the manual (PMO.PubLevel 0, SD.SubLevel 0, SD.PubPriority -1): programs that rely
on pymqi's get pymqi's. Where a level decides how long a structure is, it is that of MQ 8.0: SCO has version 5, CD goes
up to SPLProtection.
"""

from flintmq.mqi import constants as mq
from flintmq.pymqi.opts import Structure, charv
from flintmq.pymqi.text import INTEGER64_TYPE, MQLONG_TYPE

_LONG = MQLONG_TYPE
_UNLIMITED = 999999999


class GMO(Structure):
    """MQGMO, get-message options."""

    FIELDS = (
        ("StrucId", b"GMO ", "4s"),
        ("Version", 1, _LONG),
        ("Options", mq.MQGMO_NO_WAIT, _LONG),
        ("WaitInterval", 0, _LONG),
        ("Signal1", 0, _LONG),
        ("Signal2", 0, _LONG),
        ("ResolvedQName", b"", "48s"),
        ("MatchOptions", mq.MQMO_MATCH_MSG_ID + mq.MQMO_MATCH_CORREL_ID, _LONG),
        ("GroupStatus", 0x20, "b"),
        ("SegmentStatus", 0x20, "b"),
        ("Segmentation", 0x20, "b"),
        ("Reserved1", b" ", "c"),
        ("MsgToken", b"", "16s"),
        ("ReturnedLength", mq.MQRL_UNDEFINED, _LONG),
        ("Reserved2", 0, _LONG),
        ("MsgHandle", 0, INTEGER64_TYPE),
    )


class PMO(Structure):
    """MQPMO, put-message options."""

    FIELDS = (
        ("StrucId", b"PMO ", "4s"),
        ("Version", 1, _LONG),
        ("Options", mq.MQPMO_NONE, _LONG),
        ("Timeout", -1, _LONG),
        ("Context", 0, _LONG),
        ("KnownDestCount", 0, _LONG),
        ("UnknownDestCount", 0, _LONG),
        ("InvalidDestCount", 0, _LONG),
        ("ResolvedQName", b"", "48s"),
        ("ResolvedQMgrName", b"", "48s"),
        ("RecsPresent", 0, _LONG),
        ("PutMsgRecFields", 0, _LONG),
        ("PutMsgRecOffset", 0, _LONG),
        ("ResponseRecOffset", 0, _LONG),
        ("PutMsgRecPtr", 0, "P"),
        ("ResponseRecPtr", 0, "P"),
        ("OriginalMsgHandle", 0, INTEGER64_TYPE),
        ("NewMsgHandle", 0, INTEGER64_TYPE),
        ("Action", 0, _LONG),
        ("PubLevel", 0, _LONG),
    )


class OD(Structure):
    """MQOD, object descriptor."""

    FIELDS = (
        ("StrucId", b"OD  ", "4s"),
        ("Version", 1, _LONG),
        ("ObjectType", mq.MQOT_Q, _LONG),
        ("ObjectName", b"", "48s"),
        ("ObjectQMgrName", b"", "48s"),
        ("DynamicQName", b"AMQ.*", "48s"),
        ("AlternateUserId", b"", "12s"),
        ("RecsPresent", 0, _LONG),
        ("KnownDestCount", 0, _LONG),
        ("UnknownDestCount", 0, _LONG),
        ("InvalidDestCount", 0, _LONG),
        ("ObjectRecOffset", 0, _LONG),
        ("ResponseRecOffset", 0, _LONG),
        ("ObjectRecPtr", 0, "P"),
        ("ResponseRecPtr", 0, "P"),
        ("AlternateSecurityId", b"", "40s"),
        ("ResolvedQName", b"", "48s"),
        ("ResolvedQMgrName", b"", "48s"),
        *charv("ObjectString"),
        *charv("SelectionString"),
        *charv("ResObjectString"),
        ("ResolvedType", -3, _LONG),
        ("pad", b"", "4s"),
    )


class MD(Structure):
    """MQMD, message descriptor: both versions are always there."""

    FIELDS = (
        ("StrucId", b"MD  ", "4s"),
        ("Version", 1, _LONG),
        ("Report", mq.MQRO_NONE, _LONG),
        ("MsgType", mq.MQMT_DATAGRAM, _LONG),
        ("Expiry", mq.MQEI_UNLIMITED, _LONG),
        ("Feedback", mq.MQFB_NONE, _LONG),
        ("Encoding", mq.MQENC_NATIVE, _LONG),
        ("CodedCharSetId", mq.MQCCSI_Q_MGR, _LONG),
        ("Format", b"", "8s"),
        ("Priority", mq.MQPRI_PRIORITY_AS_Q_DEF, _LONG),
        ("Persistence", mq.MQPER_PERSISTENCE_AS_Q_DEF, _LONG),
        ("MsgId", b"", "24s"),
        ("CorrelId", b"", "24s"),
        ("BackoutCount", 0, _LONG),
        ("ReplyToQ", b"", "48s"),
        ("ReplyToQMgr", b"", "48s"),
        ("UserIdentifier", b"", "12s"),
        ("AccountingToken", b"", "32s"),
        ("ApplIdentityData", b"", "32s"),
        ("PutApplType", mq.MQAT_NO_CONTEXT, _LONG),
        ("PutApplName", b"", "28s"),
        ("PutDate", b"", "8s"),
        ("PutTime", b"", "8s"),
        ("ApplOriginData", b"", "4s"),
        ("GroupId", b"", "24s"),
        ("MsgSeqNumber", 1, _LONG),
        ("Offset", 0, _LONG),
        ("MsgFlags", mq.MQMF_NONE, _LONG),
        ("OriginalLength", mq.MQOL_UNDEFINED, _LONG),
    )


class SD(Structure):
    """MQSD, subscription descriptor."""

    FIELDS = (
        ("StrucId", b"SD  ", "4s"),
        ("Version", 1, _LONG),
        ("Options", mq.MQSO_NON_DURABLE, _LONG),
        ("ObjectName", b"", "48s"),
        ("AlternateUserId", b"", "12s"),
        ("AlternateSecurityId", mq.MQSID_NONE, "40s"),
        ("SubExpiry", mq.MQEI_UNLIMITED, _LONG),
        *charv("ObjectString"),
        *charv("SubName"),
        *charv("SubUserData"),
        ("SubCorrelId", mq.MQCI_NONE, "24s"),
        ("PubPriority", mq.MQPRI_PRIORITY_AS_Q_DEF, _LONG),
        ("PubAccountingToken", mq.MQACT_NONE, "32s"),
        ("PubApplIdentityData", b"", "32s"),
        *charv("SelectionString"),
        ("SubLevel", 0, _LONG),
        *charv("ResObjectString"),
    )


class SRO(Structure):
    """MQSRO, subscription request options."""

    FIELDS = (
        ("StrucId", b"SRO ", "4s"),
        ("Version", 1, _LONG),
        ("Options", mq.MQSRO_FAIL_IF_QUIESCING, _LONG),
        ("NumPubs", 0, _LONG),
    )


class CD(Structure):
    """MQCD, channel definition, of a client connection."""

    FIELDS = (
        ("ChannelName", b"", "20s"),
        ("Version", 6, _LONG),
        ("ChannelType", 6, _LONG),  # MQCHT_CLNTCONN
        ("TransportType", 2, _LONG),  # MQXPT_TCP
        ("Desc", b"", "64s"),
        ("QMgrName", b"", "48s"),
        ("XmitQName", b"", "48s"),
        ("ShortConnectionName", b"", "20s"),
        ("MCAName", b"", "20s"),
        ("ModeName", b"", "8s"),
        ("TpName", b"", "64s"),
        ("BatchSize", 50, _LONG),
        ("DiscInterval", 6000, _LONG),
        ("ShortRetryCount", 10, _LONG),
        ("ShortRetryInterval", 60, _LONG),
        ("LongRetryCount", _UNLIMITED, _LONG),
        ("LongRetryInterval", 1200, _LONG),
        ("SecurityExit", b"", "128s"),
        ("MsgExit", b"", "128s"),
        ("SendExit", b"", "128s"),
        ("ReceiveExit", b"", "128s"),
        ("SeqNumberWrap", _UNLIMITED, _LONG),
        ("MaxMsgLength", 4194304, _LONG),
        ("PutAuthority", 1, _LONG),  # MQPA_DEFAULT
        ("DataConversion", 0, _LONG),
        ("SecurityUserData", b"", "32s"),
        ("MsgUserData", b"", "32s"),
        ("SendUserData", b"", "32s"),
        ("ReceiveUserData", b"", "32s"),
        ("UserIdentifier", b"", "12s"),
        ("Password", b"", "12s"),
        ("MCAUserIdentifier", b"", "12s"),
        ("MCAType", 1, _LONG),  # MQMCAT_PROCESS
        ("ConnectionName", b"", "264s"),
        ("RemoteUserIdentifier", b"", "12s"),
        ("RemotePassword", b"", "12s"),
        ("MsgRetryExit", b"", "128s"),
        ("MsgRetryUserData", b"", "32s"),
        ("MsgRetryCount", 10, _LONG),
        ("MsgRetryInterval", 1000, _LONG),
        ("HeartbeatInterval", 300, _LONG),
        ("BatchInterval", 0, _LONG),
        ("NonPersistentMsgSpeed", 2, _LONG),  # MQNPMS_FAST
        ("StrucLength", 1992, _LONG),
        ("ExitNameLength", 128, _LONG),
        ("ExitDataLength", 32, _LONG),
        ("MsgExitsDefined", 0, _LONG),
        ("SendExitsDefined", 0, _LONG),
        ("ReceiveExitsDefined", 0, _LONG),
        ("MsgExitPtr", 0, "P"),
        ("MsgUserDataPtr", 0, "P"),
        ("SendExitPtr", 0, "P"),
        ("SendUserDataPtr", 0, "P"),
        ("ReceiveExitPtr", 0, "P"),
        ("ReceiveUserDataPtr", 0, "P"),
        ("ClusterPtr", 0, "P"),
        ("ClustersDefined", 0, _LONG),
        ("NetworkPriority", 0, _LONG),
        ("LongMCAUserIdLength", 0, _LONG),
        ("LongRemoteUserIdLength", 0, _LONG),
        ("LongMCAUserIdPtr", 0, "P"),
        ("LongRemoteUserIdPtr", 0, "P"),
        ("MCASecurityId", b"", "40s"),
        ("RemoteSecurityId", b"", "40s"),
        ("SSLCipherSpec", b"", "32s"),
        ("SSLPeerNamePtr", 0, "P"),
        ("SSLPeerNameLength", 0, _LONG),
        ("SSLClientAuth", 0, _LONG),
        ("KeepAliveInterval", -1, _LONG),
        ("LocalAddress", b"", "48s"),
        ("BatchHeartbeat", 0, _LONG),
        ("HdrCompList", [0, -1], "2" + _LONG),
        ("MsgCompList", [0] + 15 * [-1], "16" + _LONG),
        ("CLWLChannelRank", 0, _LONG),
        ("CLWLChannelPriority", 0, _LONG),
        ("CLWLChannelWeight", 50, _LONG),
        ("ChannelMonitoring", 0, _LONG),
        ("ChannelStatistics", 0, _LONG),
        ("SharingConversations", 10, _LONG),
        ("PropertyControl", 0, _LONG),
        ("MaxInstances", _UNLIMITED, _LONG),
        ("MaxInstancesPerClient", _UNLIMITED, _LONG),
        ("ClientChannelWeight", 0, _LONG),
        ("ConnectionAffinity", 1, _LONG),
        ("BatchDataLimit", 5000, _LONG),
        ("UseDLQ", 2, _LONG),
        ("DefReconnect", 0, _LONG),
        ("CertificateLabel", b"", "64s"),
        ("SPLProtection", 0, _LONG),
    )


class SCO(Structure):
    """MQSCO, TLS configuration options."""

    FIELDS = (
        ("StrucId", b"SCO ", "4s"),
        ("Version", 5, _LONG),
        ("KeyRepository", b"", "256s"),
        ("CryptoHardware", b"", "256s"),
        ("AuthInfoRecCount", 0, _LONG),
        ("AuthInfoRecOffset", 0, _LONG),
        ("AuthInfoRecPtr", 0, "P"),
        ("KeyResetCount", 0, _LONG),
        ("FipsRequired", 0, _LONG),
        ("EncryptionPolicySuiteB", [1, 0, 0, 0], "4" + _LONG),
        ("CertificateValPolicy", 0, _LONG),
        ("CertificateLabel", b"", "64s"),
    )


class CMHO(Structure):
    """MQCMHO, create-message-handle options."""

    FIELDS = (
        ("StrucId", b"CMHO", "4s"),
        ("Version", 1, _LONG),
        ("Options", mq.MQCMHO_DEFAULT_VALIDATION, _LONG),
    )


class PD(Structure):
    """MQPD, property descriptor."""

    FIELDS = (
        ("StrucId", b"PD  ", "4s"),
        ("Version", 1, _LONG),
        ("Options", mq.MQPD_NONE, _LONG),
        ("Support", mq.MQPD_SUPPORT_OPTIONAL, _LONG),
        ("Context", mq.MQPD_NO_CONTEXT, _LONG),
        ("CopyOptions", mq.MQCOPY_DEFAULT, _LONG),
    )


class SMPO(Structure):
    """MQSMPO, set-message-property options."""

    FIELDS = (
        ("StrucId", b"SMPO", "4s"),
        ("Version", 1, _LONG),
        ("Options", mq.MQSMPO_SET_FIRST, _LONG),
        ("ValueEncoding", mq.MQENC_NATIVE, _LONG),
        ("ValueCCSID", mq.MQCCSI_APPL, _LONG),
    )


class IMPO(Structure):
    """MQIMPO, inquire-message-property options."""

    FIELDS = (
        ("StrucId", b"IMPO", "4s"),
        ("Version", 1, _LONG),
        ("Options", mq.MQIMPO_INQ_FIRST, _LONG),
        ("RequestedEncoding", mq.MQENC_NATIVE, _LONG),
        ("RequestedCCSID", mq.MQCCSI_APPL, _LONG),
        ("ReturnedEncoding", mq.MQENC_NATIVE, _LONG),
        ("ReturnedCCSID", 0, _LONG),
        ("Reserved1", 0, _LONG),
        *charv("ReturnedName"),
        ("TypeString", b"", "8s"),
    )


class TM(Structure):
    """MQTM, trigger message."""

    FIELDS = (
        ("StrucId", b"TM  ", "4s"),
        ("Version", 1, _LONG),
        ("QName", b"", "48s"),
        ("ProcessName", b"", "48s"),
        ("TriggerData", b"", "64s"),
        ("ApplType", 0, _LONG),
        ("ApplId", b"", "256s"),
        ("EnvData", b"", "128s"),
        ("UserData", b"", "128s"),
    )


class TMC2(Structure):
    """MQTMC2, trigger message as a program that is started gets it: characters only."""

    FIELDS = (
        ("StrucId", b"TMC ", "4s"),
        ("Version", b"   2", "4s"),
        ("QName", b"", "48s"),
        ("ProcessName", b"", "48s"),
        ("TriggerData", b"", "64s"),
        ("ApplType", b"", "4s"),
        ("ApplId", b"", "256s"),
        ("EnvData", b"", "128s"),
        ("UserData", b"", "128s"),
        ("QMgrName", b"", "48s"),
    )


class XQH(Structure):
    """MQXQH, transmission-queue header, without the message descriptor behind it."""

    FIELDS = (
        ("StrucId", b"XQH ", "4s"),
        ("Version", 1, _LONG),
        ("RemoteQName", b"", "48s"),
        ("RemoteQMgrName", b"", "48s"),
    )


gmo, pmo, od, md, cd, sco = GMO, PMO, OD, MD, CD, SCO
