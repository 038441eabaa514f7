"""The attributes of authority records (SET AUTHREC) and channel authentication records (SET CHLAUTH).

Both are kept in the catalogue, so they are logged and survive as other definitions do. Their names there are made
up of what identifies them (authority_records.py, chlauth.py); no command shows those names.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute import Attribute
from flintmq.catalogue.attribute_makers import altered, enum, fixed, names, text, texts
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.values import services as sv

PROFILE_LENGTH: Final = 48
ENTITY_LENGTH: Final = 64

OBJECT_TYPES: Final = {
    "AUTHINFO": mq.MQOT_AUTH_INFO,
    "CHANNEL": mq.MQOT_CHANNEL,
    "CLNTCONN": mq.MQOT_CLNTCONN_CHANNEL,
    "COMMINFO": mq.MQOT_COMM_INFO,
    "LISTENER": mq.MQOT_LISTENER,
    "NAMELIST": mq.MQOT_NAMELIST,
    "PROCESS": mq.MQOT_PROCESS,
    "QUEUE": mq.MQOT_Q,
    "QMGR": mq.MQOT_Q_MGR,
    "RQMNAME": mq.MQOT_REMOTE_Q_MGR_NAME,
    "SERVICE": mq.MQOT_SERVICE,
    "TOPIC": mq.MQOT_TOPIC,
}
ENTITY_TYPES: Final = {"PRINCIPAL": sv.MQZAET_PRINCIPAL, "GROUP": sv.MQZAET_GROUP}


def authority_record() -> list[Attribute]:
    """PROFILE, OBJTYPE, ENTITY and ENTTYPE identify it. In PCF its authorities are numbers, here words."""
    return [
        fixed(text("PROFILE", pcf.MQCACF_AUTH_PROFILE_NAME, PROFILE_LENGTH)),
        fixed(enum("OBJTYPE", pcf.MQIACF_OBJECT_TYPE, OBJECT_TYPES, "QMGR")),
        fixed(text("ENTITY", pcf.MQCACF_ENTITY_NAME, ENTITY_LENGTH)),
        fixed(enum("ENTTYPE", pcf.MQIACF_ENTITY_TYPE, ENTITY_TYPES)),
        names("AUTHLIST", pcf.MQIACF_AUTHORIZATION_LIST, 32, 8),
    ]


CHLAUTH_TYPES: Final = {
    "BLOCKUSER": pcf.MQCAUT_BLOCKUSER,
    "BLOCKADDR": pcf.MQCAUT_BLOCKADDR,
    "SSLPEERMAP": pcf.MQCAUT_SSLPEERMAP,
    "ADDRESSMAP": pcf.MQCAUT_ADDRESSMAP,
    "USERMAP": pcf.MQCAUT_USERMAP,
    "QMGRMAP": pcf.MQCAUT_QMGRMAP,
}


def channel_authentication() -> list[Attribute]:
    """TYPE, the channel profile and what is compared (ADDRESS, CLNTUSER, QMNAME, SSLPEER, SSLCERTI) identify it."""
    user_source = {"MAP": mq.MQUSRC_MAP, "NOACCESS": mq.MQUSRC_NOACCESS, "CHANNEL": mq.MQUSRC_CHANNEL}
    check = {
        "ASQMGR": pcf.MQCHK_AS_Q_MGR,
        "REQUIRED": pcf.MQCHK_REQUIRED,
        "REQDADM": pcf.MQCHK_REQUIRED_ADMIN,
    }
    return [
        fixed(text("CHLAUTH", pcf.MQCACH_CHANNEL_NAME, 20)),
        fixed(enum("TYPE", pcf.MQIACF_CHLAUTH_TYPE, CHLAUTH_TYPES)),
        fixed(text("SSLPEER", pcf.MQCACH_SSL_PEER_NAME, 1024)),
        fixed(text("SSLCERTI", mq.MQCA_SSL_CERT_ISSUER_NAME, 1024)),
        fixed(text("CLNTUSER", pcf.MQCACH_CLIENT_USER_ID, 64)),
        fixed(text("QMNAME", mq.MQCA_REMOTE_Q_MGR_NAME, 48)),
        fixed(text("ADDRESS", pcf.MQCACH_CONNECTION_NAME, 264)),
        texts("ADDRLIST", pcf.MQCACH_CONNECTION_NAME_LIST, 256, 264),
        texts("USERLIST", pcf.MQCACH_MCA_USER_ID_LIST, 100, 64),
        enum("USERSRC", pcf.MQIACH_USER_SOURCE, user_source),
        text("MCAUSER", pcf.MQCACH_MCA_USER_ID, 64),
        enum("CHCKCLNT", mq.MQIA_CHECK_CLIENT_BINDING, check),
        enum("WARN", pcf.MQIACH_WARNING, {"NO": mq.MQWARN_NO, "YES": mq.MQWARN_YES}),
        text("DESCR", mq.MQCA_CHLAUTH_DESC, 64),
        text("CUSTOM", mq.MQCA_CUSTOM, 128),
        *altered(),
    ]
