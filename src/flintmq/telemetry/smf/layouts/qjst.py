"""QJST, the log manager: 115-1, triplet 11."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QJST = structure(
    "QJST",
    "the log manager",
    """
      0  x2    QJSTID          -                             Identifier X'0093'
      2  i2    QJSTLL          -                             Length
      4  c4    QJSTEID         -                             'QJST'
      8  i4    QJSTWRW         WRT_Request_Wait              Write requests that waited
     12  i4    QJSTWRNW        WRT_Request_NoWait            Write requests that did not wait
     16  i4    QJSTWRF         WRT_Request_Force             Write requests that forced the buffer out
     20  i4    QJSTWTB         Unavailable_Buffer_Count      Waits because no output buffer was available
     24  i4    QJSTRBUF        Log_Read_Output_Buffer        Reads satisfied from the output buffer
     28  i4    QJSTRACT        Log_Read_Active_Log           Reads satisfied from an active log
     32  i4    QJSTRARH        Log_Read_Archive_Log          Reads satisfied from an archive log
     36  i4    QJSTTVC         Tape_Contention_Delays        Reads delayed by archive volume (tape) contention
     40  i4    QJSTBSDS        BSDS_Access                   Accesses to the bootstrap data set
     44  i4    QJSTBFFL        Active_Log_CI                 Active-log control intervals (4 KB pages) created
     48  i4    QJSTBFWR        Buffer_Writes                 Calls that wrote log buffers
     52  i4    QJSTALR         Archive_Read                  Archive log allocations for read
     56  i4    QJSTALW         Archive_Write                 Archive log allocations for write
     60  i4    QJSTCIOF        CI_Offloads                   Control intervals offloaded to archive
     64  i4    QJSTLLCP        Checkpoints                   Checkpoints taken because LOGLOAD was reached
     68  i4    QJSTWUR         Read_Delayed                  Reads delayed because no unit was available
     72  i4    QJSTLAMA        Lookahead_Mount_Attempts      Look-ahead tape mounts attempted
     76  i4    QJSTLAMS        Lookahead_Mount_Succeed       Look-ahead tape mounts that worked
     80  i4    QJSTLSUS        Log_Request_Suspends          Times a task was suspended for a log write
     84  i4    QJSTLOGW        Log_Writes                    Log write I/O requests, both copies together
     88  i4    QJSTCIWR        Log_CI                        Control intervals written, both copies together
     92  i4    QJSTSERW        Log_CI_Serial                 Control intervals written serially, copy 2 after copy 1 (?)
     96  i4    QJSTTHRW        Log_Write_Threshold           Times the write threshold (WRTHRSH) was reached
    100  i4    QJSTBPAG        Log_Write_Buffer_Paged        Times a log buffer had to be paged in
    104  -16   reserved
    length > 120 (7.0.1)
    120  i4    QJSTCMPREQ      Comp_Requests                 Compression requests
    124  i4    QJSTCMPFAIL     Comp_Fail                     Compressions that failed (result was not smaller)
    128  i8    QJSTCMPUNCMP    Comp_Uncompressed_Bytes       Bytes before compression
    136  i8    QJSTCMPCOMP     Comp_Compressed_Bytes         Bytes after compression
    144  i4    QJSTDECREQ      Decomp_Requests               Decompression requests
    148  i4    QJSTDECFAIL     Decomp_Fail                   Decompressions that failed
    152  i8    QJSTDECUNCMP    Decomp_Uncompressed_Bytes     Bytes after decompression (uncompressed size)
    160  i8    QJSTDECCOMP     Decomp_Compressed_Bytes       Bytes before decompression (compressed size)
    168  -96   reserved
    length > 264
    264  4x72  QJSTIO          1.1,1.2,2.1,2.2               by copy of the log; 1 single-page, 2 multi-page writes
     +0  u4    QJSTIOCOUNT     IO_Count                      I/O requests
     +4  u4    QJSTIOCI        IO_CI                         Control intervals (4 KB pages) written
     +8  dur8  QJSTIOTOTIO     IO_Total_Time                 Total I/O time
    +16  dur8  QJSTIOTOTSUS    IO_Total_Suspend_Time         Total time the logger task was suspended for the I/O
    +24  dur8  QJSTIOMAXIO     IO_Max_Duration               Longest single I/O
    +32  tod8  QJSTIOMAXIOT    IO_Max_Time                   When the longest I/O happened, UTC
    +40  c8    QJSTIOMAXIOL    IO_Max_Log_ID                 Log data set suffix of the longest I/O
    +48  dur8  QJSTIOMAXSUS    IO_Max_Suspend_Dur            Longest single suspension
    +56  tod8  QJSTIOMAXSUST   IO_Max_Suspend_Time           When the longest suspension happened, UTC
    +64  c8    QJSTIOMAXSUSL   IO_Max_Suspend_Log_ID         Log data set suffix of the longest suspension
    552  u8    QJSTSLPTU       Writer_Idle_Time              Time the logger task was idle (plain microseconds)
    560  u8    QJSTIOSQU1      IO_Time_Sum_Squares_1         Sum of squared I/O times (us squared), high doubleword
    568  u8    QJSTIOSQU2      IO_Time_Sum_Squares_2         Low doubleword of the same number
    length > 576 (9.1.2)
    576  i4    QJSTCP1N        Copy1_New_Logs                New active logs, copy 1 (9.1.2)
    580  i4    QJSTCP2N        Copy2_New_Logs                New active logs, copy 2
    584  i4    QJSTHWC         New_Logs_ZHW_Capable          New logs that are zHyperWrite capable
    588  i4    QJSTHWE         New_Logs_ZHW_Enabled          New logs with zHyperWrite enabled
    length > 592 (9.1.4)
    592  i4    QJSTENCR        New_Logs_Encrypted            New logs that are encrypted (9.1.4)
    596  -4    reserved
    length > 600 (9.4.0)
    600  u4    QJSTHLSCIW      ZHL_Single_CI_Write_Requests  zHyperLink single-CI write requests (9.4.0)
    604  u4    QJSTHLMCIW      ZHL_Multi_CI_Write_Requests   zHyperLink multi-CI write requests
    608  u4    QJSTHLCICNTW    ZHL_CIs_Attempted             CIs attempted through zHyperLink
    612  u4    QJSTHLSCIS      ZHL_Single_CI_Writes_Success  zHyperLink single-CI writes that worked
    616  u4    QJSTHLMCIS      ZHL_Multi_CI_Writes_Success   zHyperLink multi-CI writes that worked
    620  u4    QJSTHLCICNTS    ZHL_CIs_Successful            CIs written through zHyperLink
    624  u4    QJSTHLSCIF      ZHL_Async_Single_CI_Writes    Single-CI writes done asynchronously instead (?)
    628  u4    QJSTHLMCIF      ZHL_Async_Multi_CI_Writes     Multi-CI writes done asynchronously instead (?)
    632  u4    QJSTHLCICNTF    ZHL_CIs_Async                 CIs in those asynchronous writes
    636  u4    QJSTHLSCICON    Single_CI_Writes_ZHL_Conn     Single-CI writes during zHyperLink connection time (?)
    640  u4    QJSTHLMCICON    Multi_CI_Writes_ZHL_Conn      Multi-CI writes during connection time (?)
    644  u4    QJSTHLCONCICNT  CIs_Written_In_Conn_Time      CIs written in connection time (?)
    648  u8    QJSTHLSCIWTMAX  ZHL_IO_Time_Single_CI_Max     Longest zHyperLink single-CI write (unit not proven)
    656  u8    QJSTHLSCIWTMIN  ZHL_IO_Time_Single_CI_Min     Shortest zHyperLink single-CI write
    664  u8    QJSTHLSCIWTTOT  ZHL_IO_Time_Single_CI_Total   Total zHyperLink single-CI write time
    672  u8    QJSTHLMCIWTMAX  ZHL_IO_Time_Multi_CI_Max      Longest zHyperLink multi-CI write
    680  u8    QJSTHLMCIWTMIN  ZHL_IO_Time_Multi_CI_Min      Shortest zHyperLink multi-CI write
    688  u8    QJSTHLMCIWTTOT  ZHL_IO_Time_Multi_CI_Total    Total zHyperLink multi-CI write time
    696  u8    QJSTHLIOSQU1    ZHL_IO_Time_Sum_Squares_1     Sum of squared zHyperLink times, high doubleword
    704  u8    QJSTHLIOSQU2    ZHL_IO_Time_Sum_Squares_2     Low doubleword of the same number
    712  u4    QJSTHLC         New_Logs_ZHL_Capable          New logs that are zHyperLink capable
    716  u4    QJSTHLE         New_Logs_ZHL_Enabled          New logs with zHyperLink enabled
    """,
    eye="QJST",
    ident=0x0093,
    lengths="6.0:120 7.0.1:264 8.0:576 9.1.2:592 9.1.4:596 9.4.0:720",
)
