"""Every constant of channels, exits and installable services: `channel_constants.MQCHT_SVRCONN`.

values/channels.py            MQCD_ MQCHT_ MQXPT_ MQCOMPRESS_ ...
values/channel_attributes.py  MQIACH_ MQCACH_ MQCHS_ ... (also in pcf_constants)
values/exits.py               MQXT_ MQXR_ MQXCC_ MQCXP_ MQAXP_ MQWXP_ ...
values/services.py            MQZAO_ MQZID_ MQZAET_ ..., MQDCC_, bags (MQCBO_ MQSEL_)
"""

from flintmq.mqi.values.channel_attributes import *  # noqa: F403
from flintmq.mqi.values.channels import *  # noqa: F403
from flintmq.mqi.values.exits import *  # noqa: F403
from flintmq.mqi.values.services import *  # noqa: F403
