"""QSST, the storage manager: 115-1, triplet 9."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QSST = structure(
    "QSST",
    "the storage manager",
    """
     0  i2  QSSTID    -                         Identifier X'003C'
     2  i2  QSSTLEN   -                         Length: 80 in all samples, 72 bytes are described
     4  c4  QSSTDESC  -                         'QSST'
     8  u4  QSSTGPLF  Fixed_Pools_Alloc         Fixed-record pools created
    12  u4  QSSTFPLF  Fixed_Pools_Freed         Fixed-record pools deleted
    16  u4  QSSTFREF  Fixed_Pools_Seg_Freed     Fixed-record pool segments freed
    20  u4  QSSTEXPF  Fixed_Pools_Seg_Expand    Fixed-record pool segments added by expansion
    24  u4  QSSTCONF  Fixed_Pools_Seg_Contract  Fixed-record pool segments removed by contraction
    28  u4  QSSTGPLV  Var_Pools_Alloc           Variable-record pools created
    32  u4  QSSTFPLV  Var_Pools_Freed           Variable-record pools deleted
    36  u4  QSSTFREV  Var_Pools_Seg_Freed       Variable-record pool segments freed
    40  u4  QSSTEXPV  Var_Pools_Seg_Expand      Variable-record pool segments added by expansion
    44  u4  QSSTCONV  Var_Pools_Seg_Contract    Variable-record pool segments removed by contraction
    48  u4  QSSTGETM  Getmain_Count             GETMAIN / STORAGE OBTAIN requests
    52  u4  QSSTFREM  Freemain_Count            FREEMAIN / STORAGE RELEASE requests
    56  u4  QSSTRCNZ  Nonzero_Return_Code       Storage requests that got a non-zero return code
    60  u4  QSSTCONT  SOS_Contractions          Contractions forced by short-on-storage
    64  u4  QSSTCRIT  SOS_Set                   Times the short-on-storage condition was set
    68  u4  QSSTABND  SOS_Abend                 Abends caused by short-on-storage
    """,
    eye="QSST",
    ident=0x003C,
    lengths="6.0:72 8.0:80",
)
