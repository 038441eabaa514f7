"""QEST, a coupling facility structure: 115-2, triplet 6, with room for 64; one row per entry in use."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

QEST = structure(
    "QEST",
    "a coupling facility structure",
    """
     0  c12   QESTSTR   Structure_Name       Structure name; first byte X'00' means the slot is unused
    12  u4    QESTSTRN  Structure_Number     Structure number (0 = administration structure)
    16  u4    QESTCSEC  IXLLSTE_Calls        IXLLSTE (single entry) calls
    20  u4    QESTCMEC  IXLLSTM_Calls        IXLLSTM (multiple entry) calls
    24  dur8  QESTSSTC  IXLLSTE_Calls_Time   Time in IXLLSTE calls
    32  dur8  QESTMSTC  IXLLSTM_Calls_Time   Time in IXLLSTM calls
    40  u4    QESTRSEC  IXLLSTE_Redrives     IXLLSTE calls driven again
    44  u4    QESTRMEC  IXLLSTM_Redrives     IXLLSTM calls driven again
    48  u4    QESTSFUL  Structure_Full       Times the structure was full
    52  u4    QESTMNUS  Max_In_Use_Entries   Most entries in use
    56  u4    QESTMLUS  Max_In_Use_Elements  Most elements in use
    68  -4    reserved
    """,
    eye="QEST",
    ident=0xC513,
    lengths="7.0:4104",
    entries=(8, 64, 64),
)
