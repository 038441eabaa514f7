"""QWAC, the task as the system saw it: 116-0, triplet 1. No sample fills more than the fields up to
QWACBACK, and the reference CSV has no such table; the names of the columns are ours.
"""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QWAC = structure(
    "QWAC",
    "the task as the system saw it",
    """
      0  tod8  QWACBSC   Start_Time          Store clock at the start, UTC
      8  tod8  QWACESC   End_Time            Store clock at the end, UTC
     16  dur8  QWACBJST  Job_Step_CPU_Start  Job-step CPU time at the start
     24  dur8  QWACEJST  Job_Step_CPU_End    Job-step CPU time at the end
     32  dur8  QWACBSRB  SRB_CPU_Start       SRB CPU time at the start
     40  dur8  QWACESRB  SRB_CPU_End         SRB CPU time at the end
     48  u4    QWACRINV  Reason              Reason the record was cut (12 in all samples)
     52  x16   QWACNID   Network_ID          Network id and unit of work
     68  u4    QWACCOMM  Commits             Commits
     72  u4    QWACBACK  Backouts            Backouts
     76  u8    QWACASC   -                   Not used by MQ
     84  u8    QWACAJST  -                   Not used by MQ
     92  u8    QWACASRB  -                   Not used by MQ
    100  u8    QWACAWTI  -                   Not used by MQ
    108  u8    QWACAWTL  -                   Not used by MQ
    116  u4    QWACARNA  -                   Not used by MQ
    120  u4    QWACARNE  -                   Not used by MQ
    124  u8    QWACAWTR  -                   Not used by MQ
    132  u8    QWACAWTW  -                   Not used by MQ
    140  u8    QWACAWTE  -                   Not used by MQ
    148  u8    QWACALOG  -                   Not used by MQ
    156  u4    QWACARNL  -                   Not used by MQ
    160  u4    QWACARNR  -                   Not used by MQ
    164  u4    QWACARNW  -                   Not used by MQ
    168  u4    QWACARNS  -                   Not used by MQ
    172  u4    QWACALCT  -                   Not used by MQ
    """,
    lengths="8.0:176 10.0:96",
)
