"""AUTHINFO: how the passwords of clients are checked (server/gatekeeper.py)."""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, choice, enum, integer, text
from flintmq.catalogue.kind import ADMIN, MQSC, PCF, Authority, Kind, Messages
from flintmq.catalogue.words import YES_NO
from flintmq.mqi import channel_constants as ch
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.values.services import MQZAO_INQUIRE

_CLIENTS: Final = {
    "REQDADM": ch.MQCHK_REQUIRED_ADMIN,
    "NONE": ch.MQCHK_NONE,
    "OPTIONAL": ch.MQCHK_OPTIONAL,
    "REQUIRED": ch.MQCHK_REQUIRED,
}
_ATTRIBUTES: Final = (
    enum("AUTHTYPE", mq.MQIA_AUTH_INFO_TYPE, {"IDPWOS": mq.MQAIT_IDPW_OS}),
    enum("ADOPTCTX", mq.MQIA_ADOPT_CONTEXT, YES_NO),
    *altered(),
    enum("AUTHENMD", mq.MQIA_AUTHENTICATION_METHOD, {"OS": pcf.MQAUTHENTICATE_OS, "PAM": pcf.MQAUTHENTICATE_PAM}),
    enum("CHCKCLNT", mq.MQIA_CHECK_CLIENT_BINDING, _CLIENTS),
    enum("CHCKLOCL", mq.MQIA_CHECK_LOCAL_BINDING, _CLIENTS, "OPTIONAL"),
    text("DESCR", mq.MQCA_AUTH_INFO_DESC, 64),
    integer("FAILDLAY", mq.MQIA_AUTHENTICATION_FAIL_DELAY, 1, 0, 60),
)

KINDS: Final = (
    Kind(
        keyword="AUTHINFO",
        title="Authentication information object",
        order=130,
        dump_order=10,
        attributes=_ATTRIBUTES,
        number=mq.MQOT_AUTH_INFO,
        type_attribute="AUTHTYPE",
        default_object="SYSTEM.DEFAULT.AUTHINFO.IDPWOS",
        since="SYSTEM.DEFAULT.AUTHINFO.IDPWOS",
        mqsc=MQSC(
            description="an authentication information object: how passwords are checked",
            example="CHECKED",
            parameters="AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED)",
            required=("AUTHTYPE",),
            selection=choice("AUTHTYPE", "ALL CRLLDAP OCSP IDPWOS IDPWLDAP"),
        ),
        pcf=PCF(
            create=pcf.MQCMD_CREATE_AUTH_INFO,
            change=pcf.MQCMD_CHANGE_AUTH_INFO,
            delete=pcf.MQCMD_DELETE_AUTH_INFO,
            inquire=pcf.MQCMD_INQUIRE_AUTH_INFO,
            copy=pcf.MQCMD_COPY_AUTH_INFO,
            inquire_names=pcf.MQCMD_INQUIRE_AUTH_INFO_NAMES,
            name=mq.MQCA_AUTH_INFO_NAME,
            copy_from=pcf.MQCACF_FROM_AUTH_INFO_NAME,
            copy_to=pcf.MQCACF_TO_AUTH_INFO_NAME,
            attributes=pcf.MQIACF_AUTH_INFO_ATTRS,
            names=pcf.MQCACF_AUTH_INFO_NAMES,
            types=pcf.MQIACH_AUTH_INFO_TYPES,
        ),
        messages=Messages(
            created="AMQ8563I",
            changed="AMQ8567I",
            deleted="AMQ8564I",
            shown="AMQ8566I",
            heading="Display authentication information details.",
        ),
        authority=Authority(
            object_type="AUTHINFO",
            title="Authentication information object",
            number=mq.MQOT_AUTH_INFO,
            takes=ADMIN | MQZAO_INQUIRE,
            words=("authinfo", "ai"),
        ),
    ),
)
