"""QMAC, the task's use of the message manager: 116-0, triplet 2. The row begins with columns of QWHC."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QMAC = structure(
    "QMAC",
    "the task's use of the message manager",
    """
     0  i2    QMACID    -                    Identifier X'D414'
     2  i2    QMACLL    -                    Length 48
     4  c4    QMACEYEC  -                    'QMAC'
     8  dur8  QMACCPUT  CPU_Time             CPU time in MQPUT, MQPUT1 and MQGET for the task
    16  u4    QMACPUTA  Puts_Len_0to99       Puts of 0-99 bytes
    20  u4    QMACPUTB  Puts_Len_100to999    Puts of 100-999 bytes
    24  u4    QMACPUTC  Puts_Len_1000to9999  Puts of 1000-9999 bytes
    28  u4    QMACPUTD  Puts_Len_10000       Puts of 10000 bytes and more
    32  u4    QMACGETA  Gets_Len_0to99       Gets of 0-99 bytes
    36  u4    QMACGETB  Gets_Len_100to999    Gets of 100-999 bytes
    40  u4    QMACGETC  Gets_Len_1000to9999  Gets of 1000-9999 bytes
    44  u4    QMACGETD  Gets_Len_10000       Gets of 10000 bytes and more
    """,
    eye="QMAC",
    ident=0xD414,
    lengths="6.0:48",
)
