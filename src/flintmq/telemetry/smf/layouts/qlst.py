"""QLST, the lock manager: 115-2, triplet 4."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QLST = structure(
    "QLST",
    "the lock manager",
    """
     0  i2   QLSTID    -                  Identifier X'D30F'
     2  i2   QLSTLL    -                  Length 32
     4  c4   QLSTEYEC  -                  'QLST'
     8  u4   QLSTGETL  Get_Lock_Requests  Lock get requests
    12  u4   QLSTHLDL  Get_Lock_Held      Lock gets already held by the requester
    16  u4   QLSTRELL  Release_Lock       Lock release requests
    20  -12  reserved
    """,
    eye="QLST",
    ident=0xD30F,
    lengths="7.0:32",
)
