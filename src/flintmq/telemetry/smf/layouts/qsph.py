"""QSPH, a storage pool: 115-5, triplet 1, one per pool."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QSPH = structure(
    "QSPH",
    "a storage pool",
    """
     0  u2    QSPHID     -                    Identifier X'E20E'
     2  u2    QSPHLL     -                    Length 88
     4  c4    QSPHEYEC   -                    'QSPH'
     8  i4    QSPHSTOR   Current_Size         Current size
    12  i4    QSPHOSTOR  Previous_Size        Size at the previous record
    16  i4    QSPHXSTOR  Expansion_Size       Expansion size
    20  u2    QSPHBSIZE  Record_Size          Record size (bytes)
    22  u2    QSPHBCNT   Records_per_Segment  Records per segment
    24  u4    QSPHCOUNT  PHB_Count            Pools summed into this entry
    28  c8    QSPHDSPNM  Dataspace_Name       Data space name, if the pool is in one
    36  c48   QSPHNAME   Name                 Pool name
    84  bit0  QSPHFIX    Attr_Fixed           Fixed-length records
    84  bit1  QSPHGLOB   Attr_Glob            Global
    84  bit2  QSPHDSP    Attr_DSP             In a data space
    84  bit3  QSPHIVSA   Attr_IVSA            IVSA
    84  bit4  QSPH64     Attr_64BIT           64-bit storage
    85  -3    reserved
    """,
    eye="QSPH",
    ident=0xE20E,
    lengths="8.0:88",
    only_if={"QSPHDSPNM": "QSPHDSP"},
)
