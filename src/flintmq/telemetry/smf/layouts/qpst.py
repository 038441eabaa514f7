"""QPST, a buffer pool: 115-215, triplet 1, one per pool; before 8.0 in 115-2, triplet 3."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QPST = structure(
    "QPST",
    "a buffer pool",
    """
     0  u2                QPSTID    -                           Identifier X'D70F'
     2  u2                QPSTLL    -                           Length 104
     4  c4                QPSTEYEC  -                           'QPST'
     8  i4                QPSTPOOL  BufferPool                  Buffer pool number
    12  i4                QPSTNBUF  Buffer_Count                Buffers in the pool
    16  i4                QPSTCBSL  Lowest_Stealable            Lowest number of stealable buffers in the interval
    20  i4                QPSTCBS   Current_Stealable           Stealable buffers now
    24  i4                QPSTGETP  Getp_Old_Requests           Page gets where the old content is needed
    28  i4                QPSTGETN  Getp_New_Requests           Page gets for a new (empty) page, no read needed
    32  i4                QPSTRIO   DASD_Read                   Page reads from DASD
    36  i4                QPSTSTW   Set_Write_Pages             Pages marked changed (set-write)
    40  i4                QPSTTPW   Pages_Written               Pages written
    44  i4                QPSTWIO   DASD_Write                  Write I/Os
    48  i4                QPSTIMW   Sync_Writes                 Pages written synchronously
    52  i4                QPSTDWT   Defer_Write_THold_Reached   Times the deferred write threshold (85 %) was reached
    56  i4                QPSTDMC   Sync_Write_THold_Reached    Times the synchronous write threshold (95 %) was reached
    60  i4                QPSTSTL   Buffer_Steals               Buffers stolen (page get missed the hash chain)
    64  i4                QPSTSTLA  Buffer_Steals_Hash_Changes  Times the hash chain had changed during a steal
    68  i4                QPSTSOS   Suspend_No_Buffers          Times no buffer was available (short on storage)
    72  bit0:Below/Above  QPSTLOC   LOC                         1 = above the bar, 0 = below
    72  bit1:Paged/Fixed  QPSTF4KB  FIX                         1 = page-fixed buffers, 0 = pageable
    76  -28               reserved
    """,
    eye="QPST",
    ident=0xD70F,
    lengths="7.0:104",
)
