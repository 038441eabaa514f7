"""QSGM, getmain detail: 115-6, triplet 1, one per caller."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QSGM = structure(
    "QSGM",
    "getmain detail",
    """
     0  u2  QSGMID      -              Identifier X'E20D'
     2  u2  QSGMLL      -              Length 48
     4  c4  QSGMEYEC    -              'QSGM'
     8  i4  QSGMLVTOT   Length_Total   Total length obtained (bytes)
    12  i4  QSGMLVNEW   New_Records    Part of it obtained since the previous record
    16  i4  QSGMLVMAX   Length_Max     Longest request (bytes)
    20  i4  QSGMLVMIN   Length_Min     Shortest request (bytes)
    24  i4  QSGMCOUNT   Requests       Requests
    28  u1  QSGMSCLS    Storage_Class  Storage class code
    29  -3  reserved
    32  c8  QSGMCSECT   CSECT          Requesting CSECT name (8 characters)
    40  i4  QSGMOFFSET  CSECT_Offset   Offset of the request in the CSECT
    44  -4  reserved
    """,
    eye="QSGM",
    ident=0xE20D,
    lengths="8.0:48",
)
