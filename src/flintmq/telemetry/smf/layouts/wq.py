"""WQ, the task's use of one queue: 116-1, triplet 3, and 116-2, triplet 2."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure
from flintmq.telemetry.smf.layouts.cf import cf_labels

_CALLS = ("OPEN", "CLOSE", "GET", "PUT", "PUT1", "INQ", "SET", "CB")
_TOPICS = ("TOPICOPENSRB", "TOPICPUTSRB", "TOPICPUT1SRB", "TOPICCLOSESRB")

WQ = structure(
    "WQ",
    "the task's use of one queue",
    """
       0  i2              WQID           -                           Identifier X'F702'
       2  i2              WQLL           -                           Length
       4  c4              WQEYE          -                           'WQST'
       8  i4              WQVER          -                           Structure version
      12  u4              WQNEXT         -                           Pointer
      16  x16             CORREL         Correlation                 Correlator, equal to the 16 bytes at WTAS offset 8
      32  c48             OBJNAME        Open_Name                   Name as opened
      80  c48             BASENAME       Base_Name                   Name after resolution
     128  tod8            OPENTIME       Open                        First open, UTC
     136  tod8            CLOSTIME       Close                       Last close, UTC; zero while open
     144  i4:queue        QTYPE          Queue                       Queue type code
     148  i4:index        INDXTYPE       Index                       Index type code
     152  i4:disposition  QSGDISP        Scope                       Disposition code
     156  c4              OPENEYE        -                           'OPEN'
     160  dur8            OPENET         Open_ET                     MQOPEN elapsed time
     168  dur8            OPENCT         Open_CT                     MQOPEN CPU time
     176  u4              OPENN          Open_Count                  MQOPEN calls
     180  c4              CLOSEEYE       -                           'CLOS'
     184  dur8            CLOSEET        Close_ET                    MQCLOSE elapsed time
     192  dur8            CLOSECT        Close_CT                    MQCLOSE CPU time
     200  u4              CLOSEN         Close_Count                 MQCLOSE calls
     204  c4              GETEYE         -                           'GET '
     208  dur8            GETET          Get_ET                      MQGET elapsed time
     216  dur8            GETCT          Get_CT                      MQGET CPU time
     224  u4              GETN           Get_Count                   MQGET calls
     228  u4              GETBRWA        Get_Browse_Any_Count        Browses of any message
     232  u4              GETBRWS        Get_Browse_Specific_Count   Browses of a specific message
     236  u4              GETA           Get_Dest_Any_Count          Destructive gets of any message
     240  u4              GETS           Get_Dest_Specific_Count     Destructive gets of a specific message
     244  u4              GETERR         Get_Invalid                 Invalid calls; not gets that found nothing
     248  dur8            GETJWET        Get_Log_UNF_ET              Time in log writes during get (not forced)
     256  u4              GETJWN         Get_Log_UNF_Count           Log writes during get (not forced)
     260  dur8            GETPSET        Get_Pageset_ET              Time reading page sets during get
     268  u4              GETPSN         Get_Pageset_Count           Page set reads during get
     272  dur8            GETSUSET       Get_Suspend_ET              Time suspended during get
     280  u4              GETSUSN        Get_Suspend_Count           Suspensions during get
     284  u4              GETEPAGE       Get_Pages_Skipped_Count     Empty pages skipped
     288  u4              GETSMSG        Get_Messages_Skipped_Count  Messages skipped while searching
     292  u4              GETEXMSG       Get_Messages_Expired_Count  Expired messages found
     296  c4              PUTEYE         -                           'PUT '
     300  dur8            PUTET          Put_ET                      MQPUT elapsed time
     308  dur8            PUTCT          Put_CT                      MQPUT CPU time
     316  u4              PUTN           Put_Count                   MQPUT calls (without the put to a stream queue)
     320  dur8            PUTJWET        Put_Log_UNF_ET              Time in log writes during put
     328  u4              PUTJWN         Put_Log_UNF_Count           Log writes during put
     332  dur8            PUTSUSET       Put_Suspend_ET              Time suspended during put
     340  u4              PUTSUSN        Put_Suspend_Count           Suspensions during put
     344  dur8            PUTPSET        Put_Pageset_Access_ET       Time in page set access during put
     352  i4              PUTPSN         Put_Pageset_Access_Count    Page set accesses during put
     356  c4              PUT1EYE        -                           'PUT1'
     360  dur8            PUT1ET         Put1_ET                     MQPUT1 elapsed time
     368  dur8            PUT1CT         Put1_CT                     MQPUT1 CPU time
     376  u4              PUT1N          Put1_Count                  MQPUT1 calls
     380  dur8            PUT1JWET       Put1_Log_UNF_ET             Time in log writes during put1
     388  u4              PUT1JWN        Put1_Log_UNF_Count          Log writes during put1
     392  dur8            PUT1SUSET      Put1_Suspend_ET             Time suspended during put1
     400  u4              PUT1SUSN       Put1_Suspend_Count          Suspensions during put1
     404  dur8            PUT1PSET       Put1_Pageset_Access_ET      Time in page set access during put1
     412  i4              PUT1PSN        Put1_Pageset_Access_Count   Page set accesses during put1
     416  c4              INQEYE         -                           'INQ '
     420  dur8            INQET          Inq_ET                      MQINQ elapsed time
     428  dur8            INQCT          Inq_CT                      MQINQ CPU time
     436  u4              INQN           Inq_Count                   MQINQ calls
     440  c4              SETEYE         -                           'SET '
     444  dur8            SETET          Set_ET                      MQSET elapsed time
     452  dur8            SETCT          Set_CT                      MQSET CPU time
     460  u4              SETN           Set_Count                   MQSET calls
     464  dur8            SETJWET        Set_UNF_Log_ET              Time in log writes during set
     472  u4              SETJWN         Set_UNF_Log_Count           Log writes during set
     476  u4              NPS            Pageset_ID                  Page set number (0 when not needed)
     480  c12             CFSTRUCNAME    CF_Structure                CF structure name
     492  u4              NBUFFPOOL      BufferPool_ID               Buffer pool number (0 when not needed)
     496  u8              PUTBYTES       Total_Bytes_Put             Bytes put
     504  u8              GETBYTES       Total_Bytes_Get             Bytes got
     512  u4              VALIDPUT       Total_Valid_Puts            Puts and put1s that worked
     516  u4              VALIDGET       Total_Valid_Gets            Gets that returned a message
     520  u4              NGEN           Generated_Msgs              Messages generated (for example by report options)
     524  i4              GETMAXMS       Get_Max_Msg_Size            Longest message got (bytes)
     528  i4!0FFFFFFF     GETMINMS       Get_Min_Msg_Size            Shortest message got; X'0FFFFFFF' = none
     532  i4              PUTMAXMS       Put_Max_Msg_Size            Longest message put (bytes)
     536  i4!0FFFFFFF     PUTMINMS       Put_Min_Msg_Size            Shortest message put; X'0FFFFFFF' = none
     540  dur8            MAXLATNT       Max_Time_On_Queue           Longest time a message was on the queue
     548  dur8            MINLATNT       Min_Time_On_Queue           Shortest time a message was on the queue
     556  dur8            TOTLATNT       Total_Time_On_Queue         Total time messages were on the queue
     564  u4              WQBACK         -                           Pointer
     568  i4              USE_COUNT      Use_Count                   Opens outstanding now
     572  i4              TOTAL_USE      Total_Use                   Open + close + get + put + put1 + inq + set
    version >= 2
     576  i4              GETPMSG        Get_Persistent_Count        Persistent messages got (version 2)
     580  i4              PUTPMSG        Put_Persistent_Count        Persistent messages put
     584  i4              PUT1PMSG       Put1_Persistent_Count       Persistent messages put with put1
     588  i4              MAXQDPTH       Max_Depth                   Highest depth seen by this task
    version >= 3
     592  bit0            FNOACCTG       -                           X'8000' of the 2-byte flags: no accounting
     592  bit1            FTOPIC         -                           X'4000': the object is a topic
     592  bit2            FACCTQC        -                           X'2000' (?)
     594  -2              reserved
    version >= 4
     596  u4              GETDVAL        Get_Valid                   Destructive gets that returned a message
     600  dur8            GETJCET        Get_LogForce_ET             Time in forced log writes during get
     608  u4              GETJCN         Get_LogForce_Count          Forced log writes during get
     612  u4              PUTPWG         Put_Waiting_Getter_Count    Puts given straight to a waiting getter
     616  dur8            PUTJCET        Put_LogForce_ET             Time in forced log writes during put
     624  u4              PUTJCN         Put_LogForce_Count          Forced log writes during put
     628  u4              PUT1PWG        Put1_Waiting_Getter_Count   Put1s given straight to a waiting getter
     632  dur8            PUT1JCET       Put1_LogForce_ET            Time in forced log writes during put1
     640  u4              PUT1JCN        Put1_LogForce_Count         Forced log writes during put1
     644  dur8            SETJCET        Set_LogForce_ET             Time in forced log writes during set
     652  u4              SETJCN         Set_LogForce_Count          Forced log writes during set
     656  u4              PUTDSQ         Put_Shared_Queue            Puts to a shared queue
     660  u4              PUTIGQ         Put_IGQ_Count               Puts moved by intra-group queuing
     664  u4              PUT1IGQ        Put1_IGQ_Count              Put1s moved by intra-group queuing
     668  -4              reserved
    version >= 5
     672  u4              SELCOUNT       Select_Count                Calls with a selector (version 5)
     676  u4              SELMAXLN       Select_Max_Length           Longest selector
     680  c4              CBEYE          -                           'CB  '
     684  dur8            CBET           CallBack_ET                 MQCB elapsed time
     692  dur8            CBCT           CallBack_CT                 MQCB CPU time
     700  u4              CBN            CallBack_Count              MQCB calls
    version >= 6
     704  dur8            OPENSUET       Open_Suspend_Time           Time suspended during open (version 6)
     712  u4              OPENSUN        Open_Suspend_Count          Suspensions during open
     716  dur8            CLOSESUET      Close_Suspend_Time          Time suspended during close
     724  u4              CLOSESUN       Close_Suspend_Count         Suspensions during close
     728  u4              OPENCF0        Open_NoCF                   Opens that did not need the CF
     732  u4              CLOSECF0       Close_NoCF                  Closes that did not need the CF
     736  100x20          MQCFREQ        @                           coupling facility requests by call
      +0  u4              CFCOUNT        CFCount{*}                  Requests
      +4  u4              CFSYNCN        CFSync{*}                   Synchronous requests
      +8  u4              CFSYNCET       CFSync{*_ET}                Elapsed time of these (microseconds assumed)
     +12  u4              CFASYNCN       CFAsync{*}                  Asynchronous requests
     +16  u4              CFASYNCET      CFAsync{*_ET}               Elapsed time of these (microseconds assumed)
    2736  u4              PUBLISHEDN     Published_Count             Messages published
    2740  -12             reserved
    version >= 0
    2752  dur8            TOPICOPENSRB   TopicOnSRB_Open             SRB CPU time of a topic open
    2760  dur8            TOPICPUTSRB    TopicOnSRB_Put              SRB CPU time of a topic put
    2768  dur8            TOPICPUT1SRB   TopicOnSRB_Put1             SRB CPU time of a topic put1
    2776  dur8            TOPICCLOSESRB  TopicOnSRB_Close            SRB CPU time of a topic close
    version >= 8 (8.0)
    2784  u4              PUTDDLY        Put_Delay_Count             Messages put with a delivery delay
    2788  -4              reserved
    version >= 9 (9.3.2)
    2792  u4              STREAMEDN      Streamed_Msgs               Messages streamed (version 9)
    2796  -4              reserved
    """,
    eye="WQST",
    ident=0xF702,
    lengths="7.0:704 7.1:2752 8.0:2792 9.3.2:2800",
    version_field="WQVER",
    labels={"MQCFREQ": cf_labels("Open", "Close", "Get", "Put", "Put1")},
    sums={
        "Queue_ET_US": ("Elapsed time of all calls", tuple(f"{call}ET" for call in _CALLS)),
        "Queue_CT_US": ("CPU time of all calls, topics too", (*(f"{call}CT" for call in _CALLS), *_TOPICS)),
    },
)
