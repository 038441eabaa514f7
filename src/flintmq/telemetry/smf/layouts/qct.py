"""QCT, the tasks of the channel initiator: 115-231, triplets 2 (dispatchers), 3 (adapters), 4 (TLS) and 5 (DNS).

One per task, without identifier, length or eye-catcher: the triplet says which kind it is. The row begins with
Task_Index, the position in the section from 0.
"""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

_TASK = """
     0  u4    QCTTSKN  Task_Number               Task number (address of the task control block)
     4  u4    QCTREQN  Request_Count             Requests handled
     8  dur8  QCTCPTM  Task_CPU_Time             CPU time used
    16  dur8  QCTELTM  Task_Elapsed_Time         Elapsed time spent on requests
    24  dur8  QCTWTTM  Task_Wait_Time            Time waiting for work
    """

QCTDSP = structure(
    "QCTDSP",
    "a dispatcher of the channel initiator",
    _TASK
    + """
    32  u4    QCTCHLN  Task_Channel_Count        Channels on this dispatcher
    """,
    lengths="8.0:36",
)

QCTADP = structure("QCTADP", "an adapter of the channel initiator", _TASK, lengths="8.0:32")

QCTSSL = structure(
    "QCTSSL",
    "a TLS task of the channel initiator",
    _TASK
    + """
    32  tod8  QCTLSTM  Max_SSL_Request_Time      When the longest TLS request ran, UTC
    40  dur8  QCTLSDU  Max_SSL_Request_Duration  Length of the longest TLS request
    """,
    lengths="8.0:48",
)

QCTDNS = structure(
    "QCTDNS",
    "the DNS task of the channel initiator",
    _TASK
    + """
    32  tod8  QCTLGTM  Max_DNS_Request_Time      When the longest DNS request ran, UTC
    40  dur8  QCTLGDU  Max_DNS_Request_Duration  Length of the longest DNS request
    """,
    lengths="8.0:48",
)
