"""QCST, a channel instance: 116-10, triplet 1, one per channel."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QCST = structure(
    "QCST",
    "a channel instance",
    """
      0  u2                      QCSTID    -                        Identifier X'E74A'
      2  u2                      QCSTLL    -                        Length (324, or 340 from 10.0)
      4  c4                      QCSTEYEC  -                        'QCST'
      8  tod8                    QCSTCLTM  Collection_Time          When the data was collected, UTC
     16  c20                     QCSTCHNM  Chl_Name                 Channel name
     36  i1:channel_disposition  QCSTCHDP  Disposition              Disposition code
     37  i1:channel_type         QCSTCHTY  Type                     Channel type code
     38  i1:channel_status       QCSTCHST  Status                   Channel status code
     39  i1:monitoring           QCSTSTCL  Stat_Setting             STATCHL setting code
     40  c48                     QCSTCNNM  Connection_Name          Connection name
     88  tod8                    QCSTSTRT  Start                    Channel start time, UTC
     96  tod8                    QCSTLUDT  Stop                     Channel stop (last use) time, UTC
    104  tod8                    QCSTLMST  Last_Msg                 Last message time, UTC
    112  u4                      QCSTCBSZ  BatchSize                Negotiated batch size
    116  u4                      QCSTNMSG  Msg_All_Count            Messages
    120  u4                      QCSTNPMG  Msg_Persistent_Count     Persistent messages
    124  u4                      QCSTBATC  Batches                  Batches
    128  u4                      QCSTFUBA  Full_Batches             Full batches
    132  u4                      QCSTBFST  Buffers_Sent             Buffers sent
    136  u4                      QCSTBFRC  Buffers_Rcvd             Buffers received
    140  u4                      QCSTCSCV  Current_Shared_Convs     Current shared conversations
    144  u8                      QCSTNBYT  Number_Bytes             Message bytes
    152  u8                      QCSTNPBY  Number_Persistent_Bytes  Persistent message bytes
    160  u8                      QCSTBYST  Bytes_Sent               Bytes sent
    168  u8                      QCSTBYRC  Bytes_Received           Bytes received
    176  u4                      QCSTCPRA  Compression_Rate         Compression rate (per cent)
    180  u4                      QCSTETAV  Exit_Time_Avg            Exit time, average (microseconds)
    184  u4!8FFFFFFF=0           QCSTETMN  Exit_Time_Min            Exit time, shortest; X'8FFFFFFF' = none
    188  u4                      QCSTETMX  Exit_Time_Max            Exit time, longest
    192  tod8                    QCSTETDT  Exit_Time_Max_Date       When the longest exit ran, UTC
    200  u4                      QCSTDNRT  DNS_Resolution_Time      DNS resolution time (microseconds ?)
    204  u4                      QCSTNTAV  Net_Time_Avg             Network time, average (microseconds)
    208  u4!8FFFFFFF=0           QCSTNTMN  Net_Time_Min             Network time, shortest; X'8FFFFFFF' = none
    212  u4                      QCSTNTMX  Net_Time_Max             Network time, longest
    216  tod8                    QCSTNTDT  Net_Time_Max_Date        When the longest network time was seen, UTC
    224  c48                     QCSTRQMN  Remote_QMgr_Or_App       Remote queue manager, or the application of a client
    272  x8                      QCSTSLSN  SSL_Peer_Serial          TLS certificate serial number
    280  c16                     QCSTSLCN  SSL_CERTI                TLS certificate name, text (?)
    296  u4                      QCSTSLCS  SSL_CipherSuite          TLS cipher spec number (printed in decimal)
    300  u4                      QCSTPTRC  Put_Retry_Count          Put retries
    304  u4                      QCSTQETC  XmitQ_Empty_Count        Times the transmission queue was empty
    308  u4                      QCSTCBIT  Batch_Interval           Batch interval (milliseconds)
    312  u4                      QCSTCBDL  Batch_Data_Limit         Batch data limit (kilobytes)
    316  u2                      QCSTDSPN  Dispatcher_Number        Dispatcher number
    318  -6                      reserved
    length > 324 (10.0)
    324  c4                      QCSTRPID  Remote_Product_ID        Remote product id (10.0)
    328  c8                      QCSTRVER  Remote_Product_Version   Remote product version
    336  -4                      reserved
    """,
    eye="QCST",
    ident=0xE74A,
    lengths="8.0:324 10.0:340",
)
