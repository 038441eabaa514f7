"""Every constant of programmable commands, events, statistics and accounting: `pcf_constants.MQCMD_INQUIRE_Q`.

values/commands.py            MQCMD_ MQCFT_ MQCFH_ MQCFOP_ MQEVR_ MQRQ_ ...
values/parameters.py          MQIACF_ MQCACF_ MQBACF_ MQGACF_
values/channel_attributes.py  MQIACH_ MQCACH_ MQCHS_ ...
values/counters.py            MQIAMO_ MQIAMO64_ MQCAMO_
values/command_values.py      MQAUTH_ MQQSO_ MQUOWST_ MQUSAGE_ ...
values/command_reasons.py     MQRCCF_
"""

from flintmq.mqi.values.channel_attributes import *  # noqa: F403
from flintmq.mqi.values.command_reasons import *  # noqa: F403
from flintmq.mqi.values.command_values import *  # noqa: F403
from flintmq.mqi.values.commands import *  # noqa: F403
from flintmq.mqi.values.counters import *  # noqa: F403
from flintmq.mqi.values.parameters import *  # noqa: F403
