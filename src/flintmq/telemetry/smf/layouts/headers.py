"""The headers of an SMF record of MQ: the SMF header, and the MQ headers behind triplet 0.

    from the record descriptor word (RDW)
    0       SMF header, 28 bytes with the RDW; types 2 and 3 (dump header, dump trailer) end after SM11XSID, at 18
    28      triplets of 8 bytes: offset from the RDW, length of an entry, number of entries

    records                           behind triplet 0                     before 10.0    from 10.0
    115 but 5, 6, 7; 116-10           QWHS (52), QWHX                               52           68
    116-0, 116-1, 116-2               QWHS short (36), QWHC (92), QWHX             128          144
    115-5, 115-6, 115-7               4 bytes, QWHX                                  4           20
    older                             QWHS 36 everywhere (7.0.1); QWHC 76 in 116-0 of V6

All offsets inside a record count from the RDW, in a dump without RDWs too.
"""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

SMF_HEADER = structure(
    "SMF",
    "the header of every SMF record",
    """
     0  u2  SM11XLEN  -           Length of this piece, with these four bytes
     2  u1  SM11XSEG  -           Segment code: 0 whole, 1 first, 3 middle, 2 last
     3  u1  SM11XZER  -           0
     4  u1  SM11XFLG  -           X'40': the subtype is valid; X'5E' in MQ's records, X'1E' in types 2 and 3
     5  u1  SM11XRTY  -           Record type: 115 statistics, 116 accounting, 2 dump header, 3 dump trailer
     6  u4  SM11XTME  Time        Hundredths of a second since local midnight
    10  u4  SM11XDTE  Date        Packed 0cyydddF: centuries since 1900, year, day of the year; local
    14  c4  SM11XSID  LPAR        z/OS system
    18  c4  SM11XSSI  QMgr        Queue manager
    22  u2  SM11XSTF  -           Subtype
    24  c3  SM11XREL  MQ_Version  Version, release, modification; 946: 10.0 or later, see QWHX
    27  -1  reserved
    """,
    lengths="6.0:28",
)

TRIPLET = structure(
    "TRIPLET",
    "where a section of the record is",
    """
    0  u4  OFFSET  -  From the RDW
    4  u2  LENGTH  -  Of one entry
    6  u2  COUNT   -  Entries; 0: the section is not there
    """,
    lengths="6.0:8",
)

QWHS = structure(
    "QWHS",
    "the instrumentation standard header",
    """
     0  i2    QWHSLEN    -                  36 or 52; 1 marks the short header of 115-5, 6 and 7
     2  u1    QWHSTYP    -                  X'01'
     3  u1    QWHSRMID   -                  Who wrote it: X'1A', X'F7' class 3, X'E7' channel initiator
     4  i2    QWHSIID    -                  1 115-1, 2 115-2, 8 115-215, 9 115-201, 3 116-0, 25 116-1
     6  u1    QWHSNSDA   -                  Number of triplets
     7  u1    QWHSRN     -                  Release marker
     8  u4    QWHSACE    -                  Address of the agent control element
    12  c4    QWHSSSID   -                  Queue manager
    16  tod8  QWHSSTCK   -                  When the header was built, UTC
    24  x4    QWHSISEQ   -                  Sequence number for this identifier
    28  x4    QWHSWSEQ   -                  Sequence number for the destination
    32  bit0  QWHSSMFC   -                  The interval is spread over several records (?)
    32  bit1  QWHSQWHX   -                  QWHX follows, from 10.0; rubbish in 116-1
    33  u1    QWHSFLAG2  -                  Reserved
    34  u1    QWHSFLAG3  -                  Reserved
    35  u1    QWHSFLAG4  -                  Reserved
    length > 36
    36  tod8  QWHSTIME   Interval_Start     Start of the interval, LOCAL time
    44  u8    QWHSDURN   Interval_Duration  Its length: microseconds; store-clock units in 115-231 and 116-10
    """,
    lengths="6.0:36 7.1:52",
)

QWHC = structure(
    "QWHC",
    "the correlation header of accounting records",
    """
     0  i2             QWHCLEN   -                 Length: 92; 76 in V6, which ends after the accounting token
     2  u1             QWHCTYP   -                 X'02'
     3  -1             reserved
     4  c8             QWHCAID   Authorisation_ID  User id
    12  x12            QWHCCV    Correl_ID         Correlation value; depends on the connection type
    24  c8             QWHCCN    Connection_Name   Connection: job, CICS applid, IMS system, channel initiator
    32  -8             reserved
    40  c8             QWHCOPID  Operator_ID       Operator or terminal user
    48  u4:connection  QWHCATYP  Application_Type  Connection type
    52  x22            QWHCTOKN  Accounting_Token  Accounting token
    74  x16            QWHCNID   Network_ID        Network id and unit of work
    90  -2             reserved
    """,
    lengths="6.0:76 7.0:92",
)

QWHX = structure(
    "QWHX",
    "the header extension of 10.0",
    """
     0  i2  QWHXLEN  -           16
     2  u1  QWHXTYP  -           X'10'
     3  -1  reserved
     4  c4  QWHXQSG  QSG         Queue sharing group, blank when there is none
     8  c6  QWHXREL  MQ_Version  Six digits VVRRMM: 100000 is 10.0.0
    14  -2  reserved
    """,
    lengths="10.0:16",
)
