"""Every constant of the MQI under its MQ name: `constants.MQOO_OUTPUT`, `constants.MQIA_CURRENT_Q_DEPTH`.

    values/calls.py             options and field values of the calls: MQOO_ MQGMO_ MQPMO_ MQRO_ MQFMT_ MQENC_ ...
    values/structures.py        MQMD_STRUC_ID, MQMD_VERSION_2, MQMD_CURRENT_LENGTH ...
    values/attributes.py        selectors MQIA_ MQCA_, field lengths MQ_Q_NAME_LENGTH ...
    values/attribute_values.py  MQQT_ MQUS_ MQTT_ MQQA_ MQPL_ MQCMDL_ ...

Completion and reason codes (MQCC_, MQRC_) are in `flintmq.mqi.reason`.
"""

from flintmq.mqi.values.attribute_values import *  # noqa: F403
from flintmq.mqi.values.attributes import *  # noqa: F403
from flintmq.mqi.values.calls import *  # noqa: F403
from flintmq.mqi.values.structures import *  # noqa: F403
