"""Every constant under one roof: `const.MQOO_OUTPUT`, `const.MQCMD_INQUIRE_Q`.

Where two modules differ, in values that follow a level, the one that comes later here is right.
"""

from flintmq.pymqi.CMQCFC import *  # noqa: F403, I001
from flintmq.pymqi.CMQC import *  # noqa: F403
from flintmq.pymqi.CMQXC import *  # noqa: F403
from flintmq.pymqi.CMQZC import *  # noqa: F403
