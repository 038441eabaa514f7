"""Rules: authority records (SET AUTHREC) and channel authentication records (SET CHLAUTH).

They are set and not defined, but stored among the definitions, so they are logged and recovered as these are. They are
stored under names made of the attributes that identify them (qmgr/authority_records.py, qmgr/chlauth.py); no command
shows those names.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, enum, fixed, names, text, texts
from flintmq.catalogue.authorities import AUTHORITY_TYPES
from flintmq.catalogue.kind import PCF, RULE_NAMES, Kind
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.values import services as sv

PROFILE_LENGTH: Final = 48
ENTITY_LENGTH: Final = 64

OBJECT_TYPES: Final = {name: authority.number for name, authority in AUTHORITY_TYPES.items()}
ENTITY_TYPES: Final = {"PRINCIPAL": sv.MQZAET_PRINCIPAL, "GROUP": sv.MQZAET_GROUP}

#: PROFILE, OBJTYPE, ENTITY and ENTTYPE identify a record. In PCF its authorities are numbers, here words.
_AUTHORITY_RECORD: Final = (
    fixed(text("PROFILE", pcf.MQCACF_AUTH_PROFILE_NAME, PROFILE_LENGTH)),
    fixed(enum("OBJTYPE", pcf.MQIACF_OBJECT_TYPE, OBJECT_TYPES, "QMGR")),
    fixed(text("ENTITY", pcf.MQCACF_ENTITY_NAME, ENTITY_LENGTH)),
    fixed(enum("ENTTYPE", pcf.MQIACF_ENTITY_TYPE, ENTITY_TYPES)),
    names("AUTHLIST", pcf.MQIACF_AUTHORIZATION_LIST, 32, 8),
)

CHLAUTH_TYPES: Final = {
    "BLOCKUSER": pcf.MQCAUT_BLOCKUSER,
    "BLOCKADDR": pcf.MQCAUT_BLOCKADDR,
    "SSLPEERMAP": pcf.MQCAUT_SSLPEERMAP,
    "ADDRESSMAP": pcf.MQCAUT_ADDRESSMAP,
    "USERMAP": pcf.MQCAUT_USERMAP,
    "QMGRMAP": pcf.MQCAUT_QMGRMAP,
}
_USER_SOURCE: Final = {"MAP": mq.MQUSRC_MAP, "NOACCESS": mq.MQUSRC_NOACCESS, "CHANNEL": mq.MQUSRC_CHANNEL}
_CHECK: Final = {
    "ASQMGR": pcf.MQCHK_AS_Q_MGR,
    "REQUIRED": pcf.MQCHK_REQUIRED,
    "REQDADM": pcf.MQCHK_REQUIRED_ADMIN,
}
#: TYPE, the channel profile and what is compared (ADDRESS, CLNTUSER, QMNAME, SSLPEER, SSLCERTI) identify a record.
_CHANNEL_AUTHENTICATION: Final = (
    fixed(text("CHLAUTH", pcf.MQCACH_CHANNEL_NAME, 20)),
    fixed(enum("TYPE", pcf.MQIACF_CHLAUTH_TYPE, CHLAUTH_TYPES)),
    fixed(text("SSLPEER", pcf.MQCACH_SSL_PEER_NAME, 1024)),
    fixed(text("SSLCERTI", mq.MQCA_SSL_CERT_ISSUER_NAME, 1024)),
    fixed(text("CLNTUSER", pcf.MQCACH_CLIENT_USER_ID, 64)),
    fixed(text("QMNAME", mq.MQCA_REMOTE_Q_MGR_NAME, 48)),
    fixed(text("ADDRESS", pcf.MQCACH_CONNECTION_NAME, 264)),
    texts("ADDRLIST", pcf.MQCACH_CONNECTION_NAME_LIST, 256, 264),
    texts("USERLIST", pcf.MQCACH_MCA_USER_ID_LIST, 100, 64),
    enum("USERSRC", pcf.MQIACH_USER_SOURCE, _USER_SOURCE),
    text("MCAUSER", pcf.MQCACH_MCA_USER_ID, 64),
    enum("CHCKCLNT", mq.MQIA_CHECK_CLIENT_BINDING, _CHECK),
    enum("WARN", pcf.MQIACH_WARNING, {"NO": mq.MQWARN_NO, "YES": mq.MQWARN_YES}),
    text("DESCR", mq.MQCA_CHLAUTH_DESC, 64),
    text("CUSTOM", mq.MQCA_CUSTOM, 128),
    *altered(),
)

RULES: Final = (
    Kind(
        keyword="AUTHREC",
        title="Authority record",
        order=1000,
        dump_order=1001,
        attributes=_AUTHORITY_RECORD,
        names=RULE_NAMES,
        pcf=PCF(attributes=pcf.MQIACF_AUTH_PROFILE_ATTRS),
    ),
    Kind(
        keyword="CHLAUTH",
        title="Channel authentication record",
        order=1001,
        dump_order=1000,
        attributes=_CHANNEL_AUTHENTICATION,
        names=RULE_NAMES,
        pcf=PCF(name=pcf.MQCACH_CHANNEL_NAME, attributes=pcf.MQIACF_CHLAUTH_ATTRS),
    ),
)
