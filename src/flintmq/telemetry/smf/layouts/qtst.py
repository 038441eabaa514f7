"""QTST, the topic manager: 115-2, triplet 7."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QTST = structure(
    "QTST",
    "the topic manager",
    """
     0  i2    QTSTID     -                           Identifier X'A302'
     2  i2    QTSTLL     -                           Length: 100 in all samples, 96 bytes are described
     4  c4    QTSTDESC   -                           'QTST'
     8  u4    QTSTSTOT   Total_Subs_Count            Subscription requests
    12  u4    QTSTSDUR   Durable_Subs_Count          Durable subscription requests
    16  u4    QTSTSHIG1  Subs_High_Water_API         Subscription high-water mark: API
    20  u4    QTSTSHIG2  Subs_High_Water_Admin       Administrative
    24  u4    QTSTSHIG3  Subs_High_Water_Proxy       Proxy
    28  u4    QTSTSLOW1  Subs_Low_Water_API          Subscription low-water mark: API
    32  u4    QTSTSLOW2  Subs_Low_Water_Admin        Administrative
    36  u4    QTSTSLOW3  Subs_Low_Water_Proxy        Proxy
    40  u4    QTSTSEXP   Subs_Expired                Subscriptions that expired
    44  u4    QTSTTMSG   Total_Published_Msg         Messages put to subscriber queues
    48  u4    QTSTSPHW   Single_Sub_High_Water       Most messages put for one publication
    52  u4    QTSTPTOT1  Pubs_Total_API              Publication requests: API
    56  u4    QTSTPTOT2  Pubs_Total_Admin            Administrative
    60  u4    QTSTPTOT3  Pubs_Total_Proxy            Proxy
    64  u4    QTSTPHIG   Pubs_High_Water             Publish high-water mark for the interval
    68  u4    QTSTPLOW   Pubs_Low_Water              Publish low-water mark for the interval
    72  u4    QTSTPNOS   Pubs_No_Subscriber          Publications that had no subscriber
    76  -4    reserved
    80  dur8  QTSTETHW   Publish_Elapsed_High_Water  Longest elapsed time of a publish
    88  dur8  QTSTETTO   Publish_Elapsed_Total       Total elapsed time of publishes
    """,
    eye="QTST",
    ident=0xA302,
    lengths="7.0:96 8.0:100",
)
