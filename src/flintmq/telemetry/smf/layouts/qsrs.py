"""QSRS, the storage region summary: 115-7, triplet 1. Sizes and addresses in bytes; -1 where not set."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QSRS = structure(
    "QSRS",
    "the storage region summary",
    """
      0  u2  QSRSID       -                          Identifier X'E20C'
      2  u2  QSRSLL       -                          Length 232
      4  c4  QSRSEYEC     -                          'QSRS'
      8  i4  QSRSPHBGF    PHB_Global_Fixed           Global fixed-record pool storage (bytes)
     12  i4  QSRSPHBGV    PHB_Global_Variable        Global variable-record pool storage (bytes)
     16  i4  QSRSPHBLF    PHB_Local_Fixed            Local fixed-record pool storage (bytes)
     20  i4  QSRSPHBLV    PHB_Local_Variable         Local variable-record pool storage (bytes)
     24  i4  QSRSGMBT     GMB_Total                  Storage obtained by getmain blocks (bytes)
     28  i4  QSRSSTKT     Stack_Total                Stack storage (bytes)
     32  i4  QSRSSTRTA    Region_24_Start            24-bit region start address
     36  i4  QSRSSIZA     Region_24_Size             24-bit region size
     40  i4  QSRSCRGTP    Region_24_Top              24-bit region top address
     44  i4  QSRSLIMIT    Region_24_Limit            24-bit region limit
     48  i4  QSRSLOAL     User_24_Alloc              24-bit user storage allocated
     52  i4  QSRSOLOAL    User_24_Alloc_Previous     The same at the previous record
     56  i4  QSRSHIAL     System_24_Alloc            24-bit system (LSQA/SWA) storage allocated
     60  i4  QSRSOHIAL    System_24_Alloc_Previous   The same at the previous record
     64  i4  QSRSSMFL     SMF_24_Limit               24-bit limit as SMF sees it
     68  i4  QSRSSMFR     SMF_24_Average             24-bit SMF region figure (column says average) (?)
     72  i4  QSRSESTRA    Region_31_Start            31-bit region start address
     76  i4  QSRSESIZA    Region_31_Size             31-bit region size
     80  i4  QSRSERGTP    Region_31_Top              31-bit region top address
     84  i4  QSRSELIM     Region_31_Limit            31-bit region limit
     88  i4  QSRSELOAL    User_31_Alloc              31-bit user storage allocated
     92  i4  QSRSOELOAL   User_31_Alloc_Previous     The same at the previous record
     96  i4  QSRSEHIAL    System_31_Alloc            31-bit system storage allocated
    100  i4  QSRSOEHIAL   System_31_Alloc_Previous   The same at the previous record
    104  i4  QSRSSMFEL    SMF_31_Limit               31-bit limit as SMF sees it
    108  i4  QSRSSMFER    SMF_31_Average             31-bit SMF region figure (?)
    112  u8  QSRSMEMLIM   MemLimit                   MEMLIMIT (megabytes)
    120  u8  QSRSABYTES   Total_Object_Size          Bytes in 64-bit private memory objects
    128  u8  QSRSGBYTES   High_Water_Usable          High-water mark of usable bytes in those objects
    136  u4  QSRSNMOMB    Object_Allocated           Memory objects allocated
    140  u1  QSRSMEMLIMS  MemLimit_Source            Source of the MEMLIMIT (code)
    141  -3  reserved
    144  i4  QSRSFMCT     RAX_Frames                 Real storage frames (RAX count)
    148  -4  reserved
    152  i4  QSRSAVAL     Avail_31                   31-bit storage available (bytes)
    156  i4  QSRSMVS      MVS_31_Reserved            31-bit storage reserved for MVS
    160  i4  QSRSCRIT     CRIT_31_Reserved           31-bit storage reserved for critical requests
    164  i4  QSRSSOS      SOS_31_Reserved            31-bit storage reserved for the short-on-storage cushion
    168  u8  QSRSAVAL64   Avail_64                   64-bit storage available (bytes)
    176  u8  QSRSCUSH64   Cushion_64                 64-bit cushion
    184  u8  QSRSSMDS64   SMDS_64                    64-bit storage used for SMDS buffers
    192  u8  QSRSPHBLGF   PHB_Latch_Global_Fixed     Latch figure, global fixed pools
    200  u8  QSRSPHBLGV   PHB_Latch_Global_Variable  Latch figure, global variable pools
    208  u8  QSRSPHBLLF   PHB_Latch_Local_Fixed      Latch figure, local fixed pools
    216  u8  QSRSPHBLLV   PHB_Latch_Local_Variable   Latch figure, local variable pools
    224  u8  QSRSGMBL     GMB_Latch                  Latch figure, getmain blocks
    """,
    eye="QSRS",
    ident=0xE20C,
    lengths="8.0:232",
)
