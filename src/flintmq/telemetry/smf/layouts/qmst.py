"""QMST, the message manager: 115-2, triplet 1."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QMST = structure(
    "QMST",
    "the message manager",
    """
      0  u2    QMSTID    -                           Identifier X'D40F'
      2  u2    QMSTLL    -                           Length (72, 104, 300 or 328)
      4  c4    QMSTEYEC  -                           'QMST'
      8  i4    QMSTOPEN  Open                        MQOPEN calls
     12  i4    QMSTCLOS  Close                       MQCLOSE calls
     16  i4    QMSTGET   Get                         MQGET calls
     20  i4    QMSTPUT   Put                         MQPUT calls
     24  i4    QMSTPUT1  Put1                        MQPUT1 calls
     28  i4    QMSTINQ   Inq                         MQINQ calls
     32  i4    QMSTINQL  Inql                        Inquire-list requests (internal) (?)
     36  i4    QMSTSET   Set                         MQSET calls
     40  i4    QMSTENDW  Endw                        End-wait requests (internal)
     44  i4    QMSTCALH  Close_Handles               Close-all-handles requests (internal, at task end)
    length > 48 (7.0)
     48  i4    QMSTSUB   Sub                         MQSUB calls (V7.0)
     52  i4    QMSTSUBR  SubReq                      MQSUBRQ calls
     56  i4    QMSTCB    CB                          MQCB calls
     60  i4    QMSTCTL   CTL                         MQCTL calls
     64  i4    QMSTSTUS  Status                      MQSTAT calls
     68  i4    QMSTPUBS  Pubs                        Publications
    length > 72 (9.0.3)
     72  i8    QMSTSPP   PersPuts                    Persistent puts (9.0.3)
     80  i8    QMSTSNP   NonPersPuts                 Nonpersistent puts
     88  i8    QMSTPBP   PersPutBytes                Bytes put, persistent
     96  i8    QMSTNBP   NonPersPutBytes             Bytes put, nonpersistent
    length > 104 (9.4.3)
    104  u8    QMSTOCPA  Otel_Prop_Put               OpenTelemetry trace context added on put (9.4.3)
    112  u8    QMSTOCGA  Otel_Prop_Get               Trace context propagated on get
    120  u8    QMSTOAHC  Otel_Disc_Put               Trace context discarded on put
    128  u8    QMSTOCPD  Otel_Inval_Put              Invalid trace context on put
    136  u8    QMSTOCMP  Otel_Max_Props_Put          Trace context not added on put, property limit reached
    144  u8    QMSTOCGD  Otel_Inval_Get              Invalid trace context on get
    152  u8    QMSTOCPS  Otel_State_Trunc_Put        Trace state truncated on put
    160  u8    QMSTOCGS  Otel_State_Trunc_Get        Trace state truncated on get
    168  u8    QMSTOSCS  Otel_Spans_Consumer         Consumer spans created
    176  u8    QMSTOSPS  Otel_Spans_Producer         Producer spans created
    184  u8    QMSTOSNS  Otel_Nosample_Put           Puts not sampled
    192  u8    QMSTOCDA  Otel_Disc_Get               Trace context discarded on get
    200  u8    QMSTOSPL  Otel_Span_Limit_Producer    Producer spans lost to a limit
    208  u8    QMSTOSCL  Otel_Span_Limit_Consumer    Consumer spans lost to a limit
    216  u8    QMSTOSFS  Otel_Span_Limit_Storage     Spans lost because storage was short
    224  u8    QMSTOSOK  Otel_Span_Success           Spans emitted
    232  u8    QMSTOSFR  Otel_Span_Failed            Spans that failed to be emitted
    240  u8    QMSTOSFC  Otel_Span_Failed_Capacity   Spans dropped for capacity
    248  u8    QMSTOTSO  Otel_SMF_Success            SMF records written for spans
    256  u8    QMSTOTSR  Otel_SMF_Failed             SMF writes that failed
    264  u8    QMSTOTSC  Otel_SMF_Failed_Capacity    SMF writes that failed for capacity
    272  dur8  QMSTOTPU  Otel_CPU_Time               CPU time of the emission tasks
    280  dur8  QMSTOTPW  Otel_Wait_Work_Time         Time the emission tasks waited for work
    288  dur8  QMSTOTPD  Otel_Wait_SMF_Time          Time the emission tasks waited for SMF
    296  i4    QMSTOTSK  Otel_EmissionTasks          Emission tasks
    300  -4    reserved
    length > 304 (9.4.5)
    304  u8    QMSTOBSE  Otel_IMS_Bridge_Spans       IMS bridge spans emitted (9.4.5)
    312  u8    QMSTOBCP  Otel_IMS_Bridge_Propagates  IMS bridge contexts propagated
    320  u8    QMSTOBCD  Otel_IMS_Bridge_Discard     IMS bridge contexts discarded
    """,
    eye="QMST",
    ident=0xD40F,
    lengths="6.0:48 7.0:72 9.0.3:104 9.4.3:300 9.4.5:328",
)
