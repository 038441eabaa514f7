"""QIS1, a page set: 115-201, triplet 1, one per page set."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QIS1 = structure(
    "QIS1",
    "a page set",
    """
      0  u2    QIS1ID    -                         Identifier X'C927'
      2  u2    QIS1LL    -                         Length 104
      4  c4    QIS1EYEC  -                         'QIS1'
      8  u4    QIS1PSNO  Pageset                   Page set number
     12  u4    QIS1BPNO  BufferPool                Buffer pool number
     16  u4    QIS1TOPG  Total_Pages               Total 4 KB pages
     20  u4    QIS1UNPG  Unused_Pages              Unused pages
     24  u4    QIS1PPG   Persistent_Pages          Pages holding persistent data
     28  u4    QIS1NPPG  Nonpersistent_Pages       Pages holding nonpersistent data
     32  u4    QIS1FULL  Full_Count                Times the page set was full
     36  u4    QIS1PCHI  Put_Cursor_High           Highest put cursor (where new space is being taken)
     40  u4    QIS1DWPN  Page_Write_IO             Deferred write I/Os
     44  u4    QIS1DWPP  Pages_Written             Pages in deferred writes
     48  dur8  QIS1DWPT  Page_Write_IO_Time        Time of deferred writes
     56  u4    QIS1IMWN  IMW_Pages_IO              Immediate write I/Os
     60  u4    QIS1IMWP  IMW_Pages                 Pages in immediate writes
     64  dur8  QIS1IMWT  IMW_Pages_IO_Time         Time of immediate writes
     72  u4    QIS1GETN  Pages_Read_IO             Read I/Os
     76  u4    QIS1GETP  Pages_Read                Pages read
     80  dur8  QIS1GETT  Pages_Read_IO_Time        Time of reads
     88  u4    QIS1CKPP  Checkpoint_Pages_Written  Pages written by checkpoints
     92  u2    QIS1EXPN  Expansions                Number of expansions (extents)
     94  u1    QIS1STRN  Stripes                   Number of stripes
     95  u1    QIS1EXPM  Expansion_Method          Expansion method code (1 seen)
     96  u1    QIS1STAT  Pageset_Status            Page set status code (0 in an available page set)
     97  -3    reserved
    100  bit0  QIS1EXPF  Expand                    the page set expanded in this interval
    100  bit1  QIS1ENCF  Encrypted                 the data set is encrypted (9.1.4)
    """,
    eye="QIS1",
    ident=0xC927,
    lengths="9.0:104",
)
