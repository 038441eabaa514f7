"""QQST, a queue: 115-216, triplet 1, one per queue. In a partial record depth and age are zero."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QQST = structure(
    "QQST",
    "a queue",
    """
      0  u2                   QQSTID    -                         Identifier X'D80F'
      2  u2                   QQSTLL    -                         Length of one entry (84, 120, 552 or 672)
      4  c4                   QQSTEYEC  -                         'QQST'
      8  c48                  QQSTQNAM  Queue                     Queue name
     56  bit0:PRIVATE/SHARED  QQSTSHR   Queue_Disp                X'80000000' of the flag word: a shared queue
     56  bit1:FULL/PARTIAL    QQSTPART  Record                    X'40000000': a partial record
     60  i2                   QQSTPSID  Pageset                   Page set; -1 if shared or not yet allocated
     62  i2                   QQSTBPID  BufferPool                Buffer pool; -1 in the same cases
     64  c4                   QQSTQSGN  QSG_Name                  Queue sharing group (shared queues only)
     68  c12                  QQSTCFST  Structure                 Coupling facility structure (shared queues only)
     80  i4                   QQSTDPTH  Current_Depth             Depth when the record was taken
    length > 84 (9.3.1)
     56  bit2                 QQSTUNCM  Uncommitted               X'20000000' of the flags: uncommitted changes pending
     84  u4                   QQSTOPCT  Output_Handles            Handles open for output (9.3.1)
     88  u4                   QQSTIPCT  Input_Handles             Handles open for input
     92  u4                   QQSTMAGE  Max_Age                   Age of the oldest message (seconds)
     96  u4                   QQSTQTST  QTime_Short               Short-term queue time indicator (microseconds)
    100  u4                   QQSTQTLT  QTime_Long                Long-term queue time indicator (microseconds)
    104  tod8                 QQSTLPUT  Last_Put                  Time of the last put
    112  tod8                 QQSTLGET  Last_Get                  Time of the last get
    length > 120 (9.3.3)
    120  u4                   QQSTDPHI  Queue_Depth_High_Water    Highest depth in the interval (9.3.3)
    124  u4                   QQSTDPLO  Queue_Depth_Low_Water     Lowest depth in the interval
    128  u8                   QQSTPUTS  Put                       MQPUT count
    136  u8                   QQSTPUT1  Put1                      MQPUT1 count
    144  u8                   QQSTNPPT  Put_NP                    Nonpersistent MQPUTs
    152  u8                   QQSTPPT   Put_P                     Persistent MQPUTs
    160  u8                   QQSTNPP1  Put1_NP                   Nonpersistent MQPUT1s
    168  u8                   QQSTPP1   Put1_P                    Persistent MQPUT1s
    176  u8                   QQSTPUTB  Put_Bytes                 MQPUT bytes
    184  u8                   QQSTPT1B  Put1_Bytes                MQPUT1 bytes
    192  u8                   QQSTNPPB  Put_Bytes_NP              MQPUT bytes, nonpersistent
    200  u8                   QQSTPPB   Put_Bytes_P               MQPUT bytes, persistent
    208  u8                   QQSTNP1B  Put1_Bytes_NP             MQPUT1 bytes, nonpersistent
    216  u8                   QQSTP1B   Put1_Bytes_P              MQPUT1 bytes, persistent
    224  u8                   QQSTFLPT  Put_Fail                  MQPUTs that failed
    232  u8                   QQSTFLP1  Put1_Fail                 MQPUT1s that failed
    240  u8                   QQSTFPTC  Fast_Put_Messages         Messages put straight to a waiting getter ("fast put")
    248  u8                   QQSTFPTB  Fast_Put_Bytes            Bytes of those messages
    256  u8                   QQSTSTRM  Streamed                  Messages streamed to the stream queue
    264  u8                   QQSTMSMI  Msg_Length_Min            Shortest message (bytes)
    272  u8                   QQSTMSMA  Msg_Length_Max            Longest message (bytes)
    280  u8                   QQSTMSAV  Msg_Length_Ave            Average message length (bytes)
    288  u8                   QQSTGETS  Get                       Destructive gets
    296  u8                   QQSTNPDG  Get_NP                    Nonpersistent destructive gets
    304  u8                   QQSTPDG   Get_P                     Persistent destructive gets
    312  u8                   QQSTGETB  Get_Bytes                 Destructive get bytes
    320  u8                   QQSTNPDB  Get_Bytes_NP              Nonpersistent destructive get bytes
    328  u8                   QQSTPDB   Get_Bytes_P               Persistent destructive get bytes
    336  u8                   QQSTBRWS  Browse                    Browses
    344  u8                   QQSTNPBR  Browse_NP                 Nonpersistent browses
    352  u8                   QQSTPBR   Browse_P                  Persistent browses
    360  u8                   QQSTBRWB  Browse_Bytes              Browse bytes
    368  u8                   QQSTNPBB  Browse_Bytes_NP           Nonpersistent browse bytes
    376  u8                   QQSTPBB   Browse_Bytes_P            Persistent browse bytes
    384  u8                   QQSTFLGT  Get_Fail                  Destructive gets that failed
    392  u8                   QQSTNMAG  Get_Fail_No_Msg           ... because there was no message
    400  u8                   QQSTTMFG  Get_Fail_Trunc            ... because the message was truncated
    408  u8                   QQSTFLBR  Browse_Fail               Browses that failed
    416  u8                   QQSTNMAB  Browse_Fail_No_Msg        ... because there was no message
    424  u8                   QQSTTMFB  Browse_Fail_Trunc         ... because the message was truncated
    432  u8                   QQSTFLGW  Get_Wait_Fail             Waiting gets that failed
    440  u8                   QQSTRDGW  Get_Wait_Retry            Waiting gets driven again
    448  u8                   QQSTFLBW  Browse_Wait_Fail          Waiting browses that failed
    456  u8                   QQSTRDBW  Browse_Wait_Retry         Waiting browses driven again
    464  u8                   QQSTSAGT  Get_Signal_Accepted       Get signals accepted
    472  u8                   QQSTSABR  Browse_Signal_Accepted    Browse signals accepted
    480  u4                   QQSTIPHI  Input_Count_Max           Highest input handle count
    484  u4                   QQSTIPLO  Input_Count_Min           Lowest input handle count
    488  u4                   QQSTOPHI  Output_Count_Max          Highest output handle count
    492  u4                   QQSTOPLO  Output_Count_Min          Lowest output handle count
    496  u8                   QQSTOPEN  Open                      MQOPENs
    504  u8                   QQSTCLOS  Close                     MQCLOSEs
    512  u8                   QQSTINQR  Inq                       MQINQs
    520  u8                   QQSTSET   Set                       MQSETs
    528  u8                   QQSTEXPR  Expired                   Messages expired
    536  u8                   QQSTRBPT  Rollback_Put              Puts rolled back
    544  u8                   QQSTRBGT  Rollback_Get              Gets rolled back
    length > 552 (9.4.3)
    552  u8                   QQSTOCPA  Otel_Prop_Put             OpenTelemetry trace context added on put (9.4.3)
    560  u8                   QQSTOCGA  Otel_Prop_Get             Trace context propagated on get
    568  u8                   QQSTOAHC  Otel_Disc_Put             Trace context discarded on put
    576  u8                   QQSTOCPD  Otel_Inval_Put            Invalid trace context on put
    584  u8                   QQSTOCMP  Otel_Max_Props_Put        Trace context not added on put, property limit reached
    592  u8                   QQSTOCGD  Otel_Inval_Get            Invalid trace context on get
    600  u8                   QQSTOCPS  Otel_State_Trunc_Put      Trace state truncated on put
    608  u8                   QQSTOCGS  Otel_State_Trunc_Get      Trace state truncated on get
    616  u8                   QQSTOSCS  Otel_Spans_Consumer       Consumer spans created
    624  u8                   QQSTOSPS  Otel_Spans_Producer       Producer spans created
    632  u8                   QQSTOSNS  Otel_Nosample_Put         Puts not sampled
    640  u8                   QQSTOCDA  Otel_Disc_Get             Trace context discarded on get
    648  u8                   QQSTOSPL  Otel_Span_Limit_Producer  Producer spans lost to a limit
    656  u8                   QQSTOSCL  Otel_Span_Limit_Consumer  Consumer spans lost to a limit
    664  u8                   QQSTOSFS  Otel_Span_Limit_Storage   Spans lost because storage was short
    """,
    eye="QQST",
    ident=0xD80F,
    lengths="9.3.0:84 9.3.1:120 9.3.3:552 9.4.3:672",
)
