"""Differences of PCF for authority records: numbers for authorities, one parameter for users and groups.

MQSC                          PCF
AUTHADD(PUT, INQ)             MQIACF_AUTH_ADD_AUTHS [MQAUTH_OUTPUT, MQAUTH_INQUIRE]
PRINCIPAL(alice)              MQCACF_PRINCIPAL_ENTITY_NAMES; in an inquiry MQCACF_ENTITY_NAME and MQIACF_ENTITY_TYPE
MATCH(EXACT), MATCH(MATCHING) MQIACF_AUTH_OPTIONS: MQAUTHOPT_NAME_EXPLICIT, MQAUTHOPT_NAME_ALL_MATCHING
"""

from __future__ import annotations

from flintmq.catalogue.rules import ENTITY_TYPES
from flintmq.command.request import Request
from flintmq.mqi.pcf import MQCFIN, MQCFST, Parameter
from flintmq.mqi.pcf_constants import (
    MQAUTHOPT_NAME_ALL_MATCHING,
    MQAUTHOPT_NAME_EXPLICIT,
    MQCACF_ENTITY_NAME,
    MQIACF_AUTH_OPTIONS,
    MQIACF_ENTITY_TYPE,
)

NOUNS = ("AUTHREC", "ENTAUTH")
_ENTITY = "ENTITY"
_ENTITY_TYPE = "ENTTYPE"


def take(request: Request, parameter: Parameter) -> bool:
    """Put a parameter that MQSC does not have into the request until `finish`. Return False if it is none of these."""
    number = parameter.parameter
    if number == MQCACF_ENTITY_NAME and isinstance(parameter, MQCFST):
        request.options[_ENTITY] = parameter.text()
        return True
    if number == MQIACF_ENTITY_TYPE and isinstance(parameter, MQCFIN):
        words = {value: word for word, value in ENTITY_TYPES.items()}
        request.options[_ENTITY_TYPE] = words.get(parameter.value, "PRINCIPAL")
        return True
    if number == MQIACF_AUTH_OPTIONS and isinstance(parameter, MQCFIN):
        if parameter.value & MQAUTHOPT_NAME_EXPLICIT:
            request.options["MATCH"] = "EXACT"
        elif parameter.value & MQAUTHOPT_NAME_ALL_MATCHING:
            request.options["MATCH"] = "MATCHING"
        return True
    return False


def finish(request: Request) -> None:
    """Replace the entity of the request by PRINCIPAL or GROUP, as in MQSC."""
    entity = request.options.pop(_ENTITY, "")
    entity_type = str(request.options.pop(_ENTITY_TYPE, "PRINCIPAL"))
    if entity:
        request.options[entity_type] = entity
