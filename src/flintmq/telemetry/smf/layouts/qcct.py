"""QCCT, the channel initiator: 115-231, triplet 1."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QCCT = structure(
    "QCCT",
    "the channel initiator",
    """
     0  u2  QCCTID    -                       Identifier X'E741'
     2  u2  QCCTLL    -                       Length (48, or 64 from 9.3.5)
     4  c4  QCCTEYEC  -                       'QCCT'
     8  c8  QCCTJOBN  Job_Name                Channel initiator job name
    16  c4  QCCTQSGN  QSG_Name                Queue sharing group
    20  u4  QCCTNOCC  Current_Chl_High_Water  Peak number of current channels
    24  u4  QCCTMXCC  Current_Chl_Max         MAXCHL limit
    28  u4  QCCTNOAC  Active_Chl_High_Water   Peak number of active channels
    32  u4  QCCTMXAC  Active_Chl_Max          ACTCHL limit
    36  u4  QCCTMXTP  Max_TCP_Chl             TCPCHL limit
    40  u4  QCCTMXLU  Max_LU62_Chl            LU62CHL limit
    44  u4  QCCTSTUS  Storage_Usage_31        31-bit storage in use (megabytes)
    length > 48 (9.3.5)
    48  u8  QCCTSTAB  Storage_Usage_64        64-bit storage in use (megabytes) (9.3.5)
    56  u8  QCCTSLIM  Storage_Limit_64        64-bit storage limit (megabytes)
    """,
    eye="QCCT",
    ident=0xE741,
    lengths="8.0:48 9.3.5:64",
)
