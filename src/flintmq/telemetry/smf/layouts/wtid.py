"""WTID, the identity of a task: 116-1 and 116-2, triplet 1."""

from __future__ import annotations

from flintmq.telemetry.smf.fields import structure

WTID = structure(
    "WTID",
    "who the task is",
    """
      0  i2             WTIDSHEX  -                        Identifier X'F700'
      2  i2             WTIDLEN   -                        Length 208
      4  c4             WTIDEYEC  -                        'WTID'
      8  i4:connection  WTIDATYP  Appl_Type                Connection type code (table below)
     12  c8             WTIDCCN   Connection_Name          Connection name
     20  c8             WTIDOPID  Operator_ID              User id the work ran under
     28  x16            WTIDNID   NID                      Network id: 8 characters plus 8 bytes
     44  x12            WTIDCORI  Correl(HEX)              Correlation bytes
     44  c12            WTIDCORC  Correl(CHAR)             The same bytes as text
     56  x24            WTIDUOWI  UOW_ID                   Unit-of-work id
     80  x22            WTIDACCT  Accounting_Token         Accounting token
    102  c20            WTIDCHL   Channel_Name             Channel name (channel initiator tasks; X'00' otherwise)
    122  c48            WTIDCHLC  Channel_Connection_Name  Channel connection name
    170  x16            WTIDCTXT  Context_Token            Context token
    186  c8             WTIDTRAN  MVS_UserId               MVS user id
    194  -2             reserved
    196  u4             WTIDCFWD  -                        Control block pointer
    200  u4             WTIDCBWD  -                        Control block pointer
    204  u4             WTIDWTAS  -                        Control block pointer to the WTAS
    """,
    eye="WTID",
    ident=0xF700,
    lengths="6.0:208",
)
