"""QESD, a shared message data set: 115-2, triplet 8, one per coupling facility structure."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QESD = structure(
    "QESD",
    "a shared message data set",
    """
      0  u2    QESDID    -                            Identifier X'C523'
      2  u2    QESDLL    -                            Length (328 up to 9.1.3, 336 from 9.1.4)
      4  c4    QESDEYEC  -                            'QESD'
      8  c12   QESDSTR   Structure                    Structure name
     20  u4    QESDSTRN  Structure_Number             Structure number
     24  u4    QESDSMBT  Blocks_SMDS                  Logical blocks in the shared message data set
     28  u4    QESDSMBS  Blocks_Space_Map             Blocks used for the space map
     32  u4    QESDSMBD  Blocks_Msg_Data              Blocks available for message data
     36  u4    QESDSMBU  Blocks_In_Use                Blocks in use
     40  u4    QESDSMBF  Blocks_Free                  Blocks free
     44  u4    QESDSMMC  Messages_In_Dataset          Messages stored in the data set
     48  u4    QESDSMAR  Allocation_Requests          Space allocation requests
     52  u4    QESDSMFR  Release_Requests             Space release requests
     56  u4    QESDSMRR  Reallocation_Requests        Space reallocation requests
     60  u4    QESDSMCR  Cleanup_Requests             Space clean-up requests
     64  u4    QESDSMAP  Pages_Allocated              Pages allocated
     68  u4    QESDSMFP  Pages_Freed                  Pages freed
     72  u4    QESDSMRP  Pages_Reallocated            Pages reallocated
     76  u4    QESDSMCP  Pages_Cleaned_Up             Pages cleaned up
     80  u4    QESDSMFL  Failed_Allocates             Allocations that failed, data set full
     84  u4    QESDSMMM  Max_Msg_Count                Most messages in the interval
     88  u4    QESDSMMU  Max_Used_Blocks              Most blocks used
     92  u4    QESDSMMF  Min_Free_Blocks              Fewest blocks free
     96  u4    QESDBFSZ  Buffer_Size                  Buffer size (bytes)
    100  u4    QESDBFTO  Buffer_Total                 Buffers in the pool
    104  u4    QESDBFUS  Buffer_Shared_Used           Shared buffers in use
    108  u4    QESDBFUP  Buffer_Private_Used          Private buffers in use
    112  u4    QESDBFFS  Free_Saved_Buffers           Free buffers that still hold saved data
    116  u4    QESDBFFE  Free_Empty_Buffers           Free buffers that are empty
    120  u4    QESDBFPW  Pool_Waiters                 Requesters waiting for the pool
    124  u4    QESDBFBW  Buffer_Waiters               Requesters waiting for a buffer
    128  u4    QESDBFGB  Buffer_Get_Count             Buffer get requests
    132  u4    QESDBFGV  Buffer_Get_Valid             Gets that found a buffer with valid data
    136  u4    QESDBFGM  Buffer_Get_Empty             Gets that found a matching but empty buffer
    140  u4    QESDBFGF  Buffer_Get_Free              Gets that took a free buffer
    144  u4    QESDBFGL  Buffer_Stole                 Gets that stole the least recently used buffer
    148  u4    QESDBFGN  Buffer_No_Get                Gets that found no buffer
    152  u4    QESDBFRR  Total_Read_Requests          Read requests
    156  u4    QESDBFRS  Read_Saved                   Reads satisfied from a saved buffer
    160  u4    QESDBFRP  Read_Partial                 Reads partly satisfied from a saved buffer
    164  u4    QESDBFWR  Total_Write_Requests         Write requests
    168  u4    QESDBFFB  Buffer_Free_Valid_Data       Buffers freed with valid data
    172  u4    QESDBFDB  Buffer_Empty_Discarded       Buffers freed empty (discarded)
    176  u4    QESDBFWP  Waited_For_Pool              Waits for the pool
    180  u4    QESDBFWB  Waited_For_Buffer            Waits for a buffer
    184  dur8  QESDBFPT  Pool_Wait_Time               Time waiting for the pool
    192  dur8  QESDBFBT  Buffer_Wait_Time             Time waiting for a buffer
    200  u4    QESDBFMU  Buffer_Max_Used              Most buffers used
    204  u4    QESDBFMF  Buffer_Min_Free              Fewest buffers free
    208  u4    QESDBFMP  Pool_Max_Waiters             Most waiters for the pool
    212  u4    QESDBFMB  Buffer_Max_Waiters           Most waiters for a buffer
    216  u4    QESDIOHA  High_Allocated_Ctl_Interval  Highest allocated control interval
    220  u4    QESDIOHU  High_Used_Ctl_Interval       Highest used control interval
    224  u4    QESDIOCI  Ctl_Interval_Size            Control interval size (bytes)
    228  u4    QESDIOCA  Ctl_Area_Size                Control area size (?)
    232  u4    QESDIOFR  Format_Write_Requests        Format write requests
    236  u4    QESDIOFP  Format_Total_Pages           Pages in format writes
    240  dur8  QESDIOFT  Format_IO_Time               I/O time of format writes
    248  dur8  QESDIOFW  Format_IO_Wait               Wait time of format writes
    256  u4    QESDIOWR  Write_Requests               Write requests
    260  u4    QESDIOWP  Write_Total_Pages            Pages written
    264  dur8  QESDIOWT  Write_IO_Time                I/O time of writes
    272  dur8  QESDIOWW  Write_IO_Wait                Wait time of writes
    280  u4    QESDIORR  Read_Requests                Read requests against the owned data set
    284  u4    QESDIORP  Read_Total_Pages             Pages read from the owned data set
    288  dur8  QESDIORT  Read_IO_Time                 I/O time of those reads
    296  dur8  QESDIORW  Read_IO_Wait                 Wait time of those reads
    304  u4    QESDIOOR  Other_Read_Requests          Read requests against data sets of other queue managers
    308  u4    QESDIOOP  Other_Read_Total_Pages       Pages read from those data sets
    312  dur8  QESDIOOT  Other_Read_IO_Time           I/O time of those reads
    320  dur8  QESDIOOW  Other_Read_IO_Wait           Wait time of those reads
    length > 328 (9.1.4)
    328  bit0  QESDENCF  Encrypted                    The data set is encrypted (9.1.4)
    332  -4    reserved
    """,
    eye="QESD",
    ident=0xC523,
    lengths="7.1:328 9.1.4:336",
)
