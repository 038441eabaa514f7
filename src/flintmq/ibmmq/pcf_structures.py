"""The structures of programmable commands: pymqi's, with text accepted."""

from __future__ import annotations

from flintmq.ibmmq.opts import MQOpts
from flintmq.pymqi import pcf_structures as pymqi
from flintmq.pymqi.opts import changed


class CFH(pymqi.CFH, MQOpts):
    """MQCFH, header of a command, response or event."""

    FIELDS = changed(pymqi.CFH.FIELDS, Version=3)


class CFIN(pymqi.CFIN, MQOpts):
    """MQCFIN, an integer."""


class CFIN64(pymqi.CFIN64, MQOpts):
    """MQCFIN64, a 64-bit integer."""


class CFIL(pymqi.CFIL, MQOpts):
    """MQCFIL, a list of integers."""


class CFIL64(pymqi.CFIL64, MQOpts):
    """MQCFIL64, a list of 64-bit integers."""


class CFST(pymqi.CFST, MQOpts):
    """MQCFST, a string."""


class CFSL(pymqi.CFSL, MQOpts):
    """MQCFSL, a list of strings."""


class CFBS(pymqi.CFBS, MQOpts):
    """MQCFBS, a byte string."""


class CFIF(pymqi.CFIF, MQOpts):
    """MQCFIF, a filter on an integer."""


class CFSF(pymqi.CFSF, MQOpts):
    """MQCFSF, a filter on a string."""


class CFBF(pymqi.CFBF, MQOpts):
    """MQCFBF, a filter on a byte string."""


class CFGR(pymqi.CFGR, MQOpts):
    """MQCFGR, a group."""
