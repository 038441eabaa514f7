"""Q5ST, the Db2 manager: 115-2, triplet 5."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

Q5ST = structure(
    "Q5ST",
    "the Db2 manager",
    """
      0  i2    Q5STID    -                           Identifier X'F50F'
      2  i2    Q5STLL    -                           Length 672
      4  c4    Q5STEYEC  -                           'Q5ST'
      8  u4    NUMTASK   Server_Tasks                Db2 server tasks
     12  u4    ACTTASK   Active_Server_Tasks         Active server tasks
     16  u4    CONNCNT   Connect_Requests            Connect requests
     20  u4    DISCCNT   Disconnect_Requests         Disconnect requests
     24  u4    DHIGMAX   Max_Request_Queue_Depth     Highest depth of the request queue
     28  u4    ABNDCNT   DB2_Task_Abends             Server task abends
     32  u4    REQUCNT   Request_Requeues            Requests queued again
     36  u4    DEADCNT   Deadlock_Timeouts           Deadlock timeouts
     40  u4    DELECNT   Delete_Requests             Delete requests
     44  u4    LISTCNT   List_Requests               List requests
     48  u4    READCNT   Read_Requests               Read requests
     52  u4    UPDTCNT   Update_Requests             Update requests
     56  u4    WRITCNT   Write_Requests              Write requests
     60  u4    SCSSEL    SCST_Selects                SCST (shared channel status) selects
     64  u4    SCSINS    SCST_Inserts                SCST inserts
     68  u4    SCSUPD    SCST_Updates                SCST updates
     72  u4    SCSDEL    SCST_Deletes                SCST deletes
     76  u4    SSKSEL    SSKT_Selects                SSKT (shared sync key) selects
     80  u4    SSKINS    SSKT_Inserts                SSKT inserts
     84  u4    SSKDEL    SSKT_Deletes                SSKT deletes
     88  u4    SCSBFTS   SCST_Buff_Too_Small         Times the SCST buffer was too small
     92  u4    SCSMAXR   SCST_Max_Rows               Most rows returned by an SCST query
     96  -8    reserved
    104  dur8  DELETCUW  Thread_Delete_Elapsed       Total elapsed time of delete requests, thread time
    112  dur8  DELETMXW  Thread_Delete_Max           Longest delete request, thread time
    120  dur8  DELESCUW  SQL_Delete_Elapsed          Total elapsed time of delete requests, SQL time
    128  dur8  DELESMXW  SQL_Delete_Max              Longest delete request, SQL time
    136  dur8  LISTTCUW  Thread_List_Elapsed         Total elapsed time of list requests, thread time
    144  dur8  LISTTMXW  Thread_List_Max             Longest list request, thread time
    152  dur8  LISTSCUW  SQL_List_Elapsed            Total elapsed time of list requests, SQL time
    160  dur8  LISTSMXW  SQL_List_Max                Longest list request, SQL time
    168  dur8  READTCUW  Thread_Read_Elapsed         Total elapsed time of read requests, thread time
    176  dur8  READTMXW  Thread_Read_Max             Longest read request, thread time
    184  dur8  READSCUW  SQL_Read_Elapsed            Total elapsed time of read requests, SQL time
    192  dur8  READSMXW  SQL_Read_Max                Longest read request, SQL time
    200  dur8  UPDTTCUW  Thread_Update_Elapsed       Total elapsed time of update requests, thread time
    208  dur8  UPDTTMXW  Thread_Update_Max           Longest update request, thread time
    216  dur8  UPDTSCUW  SQL_Update_Elapsed          Total elapsed time of update requests, SQL time
    224  dur8  UPDTSMXW  SQL_Update_Max              Longest update request, SQL time
    232  dur8  WRITTCUW  Thread_Write_Elapsed        Total elapsed time of write requests, thread time
    240  dur8  WRITTMXW  Thread_Write_Max            Longest write request, thread time
    248  dur8  WRITSCUW  SQL_Write_Elapsed           Total elapsed time of write requests, SQL time
    256  dur8  WRITSMXW  SQL_Write_Max               Longest write request, SQL time
    264  dur8  SCSSTCUW  SCST_Thread_Select_Elapsed  Total elapsed time of SCST select requests, thread time
    272  dur8  SCSSTMXW  SCST_Thread_Select_Max      Longest SCST select request, thread time
    280  dur8  SCSSSCUW  SCST_SQL_Select_Elapsed     Total elapsed time of SCST select requests, SQL time
    288  dur8  SCSSSMXW  SCST_SQL_Select_Max         Longest SCST select request, SQL time
    296  dur8  SCSITCUW  SCST_Thread_Insert_Elapsed  Total elapsed time of SCST insert requests, thread time
    304  dur8  SCSITMXW  SCST_Thread_Insert_Max      Longest SCST insert request, thread time
    312  dur8  SCSISCUW  SCST_SQL_Insert_Elapsed     Total elapsed time of SCST insert requests, SQL time
    320  dur8  SCSISMXW  SCST_SQL_Insert_Max         Longest SCST insert request, SQL time
    328  dur8  SCSUTCUW  SCST_Thread_Update_Elapsed  Total elapsed time of SCST update requests, thread time
    336  dur8  SCSUTMXW  SCST_Thread_Update_Max      Longest SCST update request, thread time
    344  dur8  SCSUSCUW  SCST_SQL_Update_Elapsed     Total elapsed time of SCST update requests, SQL time
    352  dur8  SCSUSMXW  SCST_SQL_Update_Max         Longest SCST update request, SQL time
    360  dur8  SCSDTCUW  SCST_Thread_Delete_Elapsed  Total elapsed time of SCST delete requests, thread time
    368  dur8  SCSDTMXW  SCST_Thread_Delete_Max      Longest SCST delete request, thread time
    376  dur8  SCSDSCUW  SCST_SQL_Delete_Elapsed     Total elapsed time of SCST delete requests, SQL time
    384  dur8  SCSDSMXW  SCST_SQL_Delete_Max         Longest SCST delete request, SQL time
    392  dur8  SSKSTCUW  SSKT_Thread_Select_Elapsed  Total elapsed time of SSKT select requests, thread time
    400  dur8  SSKSTMXW  SSKT_Thread_Select_Max      Longest SSKT select request, thread time
    408  dur8  SSKSSCUW  SSKT_SQL_Select_Elapsed     Total elapsed time of SSKT select requests, SQL time
    416  dur8  SSKSSMXW  SSKT_SQL_Select_Max         Longest SSKT select request, SQL time
    424  dur8  SSKITCUW  SSKT_Thread_Insert_Elapsed  Total elapsed time of SSKT insert requests, thread time
    432  dur8  SSKITMXW  SSKT_Thread_Insert_Max      Longest SSKT insert request, thread time
    440  dur8  SSKISCUW  SSKT_SQL_Insert_Elapsed     Total elapsed time of SSKT insert requests, SQL time
    448  dur8  SSKISMXW  SSKT_SQL_Insert_Max         Longest SSKT insert request, SQL time
    456  dur8  SSKDTCUW  SSKT_Thread_Delete_Elapsed  Total elapsed time of SSKT delete requests, thread time
    464  dur8  SSKDTMXW  SSKT_Thread_Delete_Max      Longest SSKT delete request, thread time
    472  dur8  SSKDSCUW  SSKT_SQL_Delete_Elapsed     Total elapsed time of SSKT delete requests, SQL time
    480  dur8  SSKDSMXW  SSKT_SQL_Delete_Max         Longest SSKT delete request, SQL time
    488  u4    LMSSEL    DB2_Blob_Selects            Message BLOB selects
    492  u4    LMSINS    DB2_Blob_Inserts            Message BLOB inserts
    496  u4    LMSUPD    DB2_Blob_Updates            Message BLOB updates
    500  u4    LMSDEL    DB2_Blob_Deletes            Message BLOB deletes
    504  u4    LMSLIS    DB2_Blob_Lists              Message BLOB lists
    508  -4    reserved
    512  dur8  LMSSTCUW  BLOB_Thread_Select_Elapsed  Total elapsed time of BLOB select requests, thread time
    520  dur8  LMSSTMXW  BLOB_Thread_Select_Max      Longest BLOB select request, thread time
    528  dur8  LMSSSCUW  BLOB_SQL_Select_Elapsed     Total elapsed time of BLOB select requests, SQL time
    536  dur8  LMSSSMXW  BLOB_SQL_Select_Max         Longest BLOB select request, SQL time
    544  dur8  LMSITCUW  BLOB_Thread_Insert_Elapsed  Total elapsed time of BLOB insert requests, thread time
    552  dur8  LMSITMXW  BLOB_Thread_Insert_Max      Longest BLOB insert request, thread time
    560  dur8  LMSISCUW  BLOB_SQL_Insert_Elapsed     Total elapsed time of BLOB insert requests, SQL time
    568  dur8  LMSISMXW  BLOB_SQL_Insert_Max         Longest BLOB insert request, SQL time
    576  dur8  LMSUTCUW  BLOB_Thread_Update_Elapsed  Total elapsed time of BLOB update requests, thread time
    584  dur8  LMSUTMXW  BLOB_Thread_Update_Max      Longest BLOB update request, thread time
    592  dur8  LMSUSCUW  BLOB_SQL_Update_Elapsed     Total elapsed time of BLOB update requests, SQL time
    600  dur8  LMSUSMXW  BLOB_SQL_Update_Max         Longest BLOB update request, SQL time
    608  dur8  LMSDTCUW  BLOB_Thread_Delete_Elapsed  Total elapsed time of BLOB delete requests, thread time
    616  dur8  LMSDTMXW  BLOB_Thread_Delete_Max      Longest BLOB delete request, thread time
    624  dur8  LMSDSCUW  BLOB_SQL_Delete_Elapsed     Total elapsed time of BLOB delete requests, SQL time
    632  dur8  LMSDSMXW  BLOB_SQL_Delete_Max         Longest BLOB delete request, SQL time
    640  dur8  LMSLTCUW  BLOB_Thread_List_Elapsed    Total elapsed time of BLOB list requests, thread time
    648  dur8  LMSLTMXW  BLOB_Thread_List_Max        Longest BLOB list request, thread time
    656  dur8  LMSLSCUW  BLOB_SQL_List_Elapsed       Total elapsed time of BLOB list requests, SQL time
    664  dur8  LMSLSMXW  BLOB_SQL_List_Max           Longest BLOB list request, SQL time
    """,
    eye="Q5ST",
    ident=0xF50F,
    lengths="7.0:672",
)
