"""QIST, the data manager: 115-2, triplet 2."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QIST = structure(
    "QIST",
    "the data manager",
    """
     0  i2  QISTID    -                     Identifier X'C90F'
     2  i2  QISTLL    -                     Length 80
     4  c4  QISTEYEC  -                     'QIST'
     8  u4  QISTMGET  Msg_Get               Message get requests to the data manager
    12  u4  QISTMPUT  Msg_Put               Message put requests (counts messages put to streaming queues too)
    16  u4  QISTMBLR  Msg_Browse_Lock       Browse/lock requests (?)
    20  u4  QISTDCRE  Object_Create         Object create requests
    24  u4  QISTDPUT  Object_Put            Object put requests
    28  u4  QISTDDEL  Object_Delete         Object delete requests
    32  u4  QISTDGET  Object_Get            Object get requests
    36  u4  QISTDLOC  Object_Locate         Object locate requests
    40  u4  QISTMCNT  Msg_Count             Count-messages requests
    44  u4  QISTALST  Stgclass_Change       Storage class change requests
    48  u4  QISTLOMM  Lock_Marked_Msg       Lock-marked-message requests
    52  u4  QISTDLMM  Delete_Marked_Msg     Delete-marked-message requests
    56  u4  QISTENUM  Enumerates            Enumerate requests
    60  u4  QISTRAIO  -                     Read-ahead I/Os (never filled in)
    64  u4  QISTRABP  -                     Read-ahead satisfied from the buffer pool (never filled in)
    68  u4  QISTGETD  Gets_From_Disk        Gets that read the message from disk
    72  u4  QISTGETB  Gets_From_BufferPool  Gets that found the message in the buffer pool
    76  -4  reserved
    """,
    eye="QIST",
    ident=0xC90F,
    lengths="7.0:80",
)
