"""WTAS, the calls and the time of a task: 116-1, triplet 2."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure
from flintmq.telemetry.smf.layouts.cf import cf_labels

WTAS = structure(
    "WTAS",
    "what the task did",
    """
       0  i2        WTASSHEX   -                           Identifier X'F701'
       2  i2        WTASLEN    -                           Length 2344
       4  c4        WTASEYEC   -                           'WTAS'
       8  x16       WTASCORR   Correl                      Correlator: stands in each WQ too
       8  tod8      WTASSTRT   Start_Time                  Start of the task
      16  i4        WTASMTHR   -                           Thread address (second part of the correlator)
      20  i4        WTASWTAS   -                           Block address (third part of the correlator)
      24  u8        WTASLATC   -                           Latch control
      32  i4        WTASHSHI   -                           Hash index
      36  u4        WTASNEXT   -                           Pointer
      40  u4        WTASFLAG   -                           Flags; X'20000000' = record written at end of task
      44  u4        WTASWQCT   Block_Count                 WQ blocks of this task; 0: there is no WQ section
      48  dur8[32]  WTASLWET   Latch_Wait_Time             Time waiting for each of the 32 latch classes
     304  i4[32]    WTASLWN    Latch_Wait_Count            Waits for each of the 32 latch classes
     432  dur8      WTASOTET   Other_MQI_ET                Elapsed time of "other" MQI calls
     440  dur8      WTASOTCT   Other_MQI_CT                CPU time of "other" MQI calls
     448  i4        WTASOTN    Other_MQI_Count             Number of "other" MQI calls
     452  dur8      WTASMLW    Max_Latch_Wait_Time         Longest latch wait
     460  i4        WTASMLWN   Max_Latch_Wait_ID           Latch number of the longest wait
     464  x8        WTASLOWN   Longest_Latch               8 bytes about the longest latch wait, shown in hex
     472  dur8      WTASCMET   Commit_ET                   Commit elapsed time
     480  dur8      WTASCMCT   Commit_CT                   Commit CPU time
     488  i4        WTASCMN    Commit_Count                Commits
     492  dur8      WTASBAET   Backout_ET                  Backout elapsed time
     500  dur8      WTASBACT   Backout_CT                  Backout CPU time
     508  i4        WTASBAN    Backout_Count               Backouts
     512  -4        reserved
     516  dur8      WTASJWET   Journal_Write_ET            Elapsed time of log writes
     524  u4        WTASJWN    Journal_Write_Count         Log writes
     528  u4        WTASJWB    Journal_Write_Bytes         Bytes logged
     532  dur8      WTASJCET   Journal_Forced_Write_ET     Elapsed time of forced log writes
     540  u4        WTASJCN    Journal_Forced_Write_Count  Forced log writes
     544  u4        WTASSUSN   Task_Suspend_Count          Times the task was suspended
     548  dur8      WTASSUSE   Task_Suspend_Time           Time the task was suspended
     556  dur8      WTASPSE0   Pageset0_Log_ET             Elapsed time logging page set 0 changes
     564  u4        WTASPSN0   Pageset0_Log_Count          Page set 0 log requests
     568  dur8      WTASDBET   DB2_Elapse_Thread           Db2 elapsed time, thread
     576  dur8      WTASDBES   DB2_Elapse_Server           Db2 elapsed time, server
     584  dur8      WTASDBMT   DB2_Max_Elapse_Thread       Longest Db2 request, thread
     592  dur8      WTASDBMS   DB2_Max_Elapse_Server       Longest Db2 request, server
     600  u4        WTASDBCT   DB2_Request_Count           Db2 requests
     604  u4        WTASCSEC   CF_STE_Call_Count           CF single-entry (IXLLSTE) calls
     608  u4        WTASCMEC   CF_STM_Call_Count           CF multiple-entry (IXLLSTM) calls
     612  u4        WTASRSEC   CF_STE_Redrive_Count        IXLLSTE calls driven again
     616  u4        WTASRMEC   CF_STM_Redrive_Count        IXLLSTM calls driven again
     620  dur8      WTASSSTC   CF_STE_Elapsed              Time in IXLLSTE calls
     628  dur8      WTASMSTC   CF_STM_Elapsed              Time in IXLLSTM calls
    version >= 5 (7.1)
     636  u4        WTASSMRS   SMDS_Saved_Reads            SMDS reads satisfied from saved buffers
     640  u4        WTASSMRB   SMDS_Read_Bytes             SMDS read amount, bytes by the column name (?)
     644  u4        WTASSMWB   SMDS_Write_Bytes            SMDS write amount, bytes by the column name (?)
     648  u4        WTASSMRP   SMDS_Read_Pages             SMDS pages read
     652  u4        WTASSMWP   SMDS_Write_Pages            SMDS pages written
     656  dur8      WTASSMWT   SMDS_IO_Wait_Time           SMDS I/O wait time
    version >= 0
     664  tod8      WTASINTS   WTAS_Interval_Start         Start of the accounting interval, UTC
     672  tod8      WTASINTE   WTAS_Interval_End           End of the accounting interval, UTC
     680  i4        WTASGPO    Get_Pages_Old               Page gets of old pages
     684  i4        WTASGPN    Get_Pages_New               Page gets of new pages
     688  u4        WTASCQF    -                           Pointer
     692  u4        WTASCQB    -                           Pointer
     696  u4        WTASVER    Record_Version              Structure version (8 in all samples, 8.0 and 10.0)
     700  -4        reserved
     704  u8        WTASDBPT   DB2_Bytes_Written           Bytes written to Db2
     712  u8        WTASDBGT   DB2_Bytes_Read              Bytes read from Db2
    version >= 4 (7.0)
     720  dur8      WTASPBHW   BufferPool_Latch_Wait       Now holds the buffer pool latch wait time (version 4 on)
     728  dur8      WTASPBTT   Held_BufferPool_Latch_ET    Now holds the time the buffer pool latch was held
     736  dur8      WTASTPET   Topic_ET                    Topic request elapsed time
     744  dur8      WTASTPCT   Topic_CT                    Topic request CPU time
     752  u4        WTASTPN    -                           Not used
     756  dur8      WTASSUET   Subscribe_ET                MQSUB elapsed time
     764  dur8      WTASSUCT   Subscribe_CT                MQSUB CPU time
     772  u4        WTASSUN    Subscribe_Count             MQSUB calls
     776  u4        WTASSUSC   Subscribe_Selector_Count    MQSUB calls with a selector
     780  u4        WTASSUSL   Subscribe_Max_Select_Len    Longest selector
     784  dur8      WTASSQET   SubReq_ET                   MQSUBRQ elapsed time
     792  dur8      WTASSQCT   SubReq_CT                   MQSUBRQ CPU time
     800  u4        WTASSQN    SubReq_Count                MQSUBRQ calls
     804  dur8      WTASCTET   MQCTL_ET                    MQCTL elapsed time
     812  dur8      WTASCTCT   MQCTL_CT                    MQCTL CPU time
     820  u4        WTASCTN    MQCTL_Count                 MQCTL calls
     824  dur8      WTASSTET   MQSTAT_ET                   MQSTAT elapsed time
     832  dur8      WTASSTCT   MQSTAT_CT                   MQSTAT CPU time
     840  u4        WTASSTN    MQSTAT_Count                MQSTAT calls
     844  -4        reserved
     848  dur8      WTASCTSR   MQCTL_CPU                   MQCTL SRB CPU time
     856  -8        reserved
     864  40x20     WTASCF     @                           coupling facility requests: commit, prepare
      +0  u4        CFCOUNT    CFCount{*}                  Requests
      +4  u4        CFSYNCN    CFSync{*}                   Synchronous requests
      +8  u4        CFSYNCET   CFSync{*_ET}                Elapsed time of these (microseconds assumed)
     +12  u4        CFASYNCN   CFAsync{*}                  Asynchronous requests
     +16  u4        CFASYNCET  CFAsync{*_ET}               Elapsed time of these (microseconds assumed)
    1664  -400      reserved
    version >= 8 (8.0)
    2064  dur8      WTASPRET   Prepare_ET                  Prepare elapsed time (version 8)
    2072  dur8      WTASPRCT   Prepare_CT                  Prepare CPU time
    2080  u4        WTASPRN    Prepare_Count               Prepares
    2084  -4        reserved
    2088  dur8[32]  WTASLMAX   Longest_Latch               Longest wait for each of the 32 latch classes
    """,
    eye="WTAS",
    ident=0xF701,
    lengths="7.0:2344",
    version_field="WTASVER",
    labels={"WTASCF": cf_labels("Cmit", "Prep", without=("ReadList",))},
)
