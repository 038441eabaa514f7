      * A claim as the insurance system on the mainframe writes it.
       01  CLAIM.
           05  CLAIM-NUMBER            PIC 9(8).
           05  POLICY-HOLDER.
               10  LAST-NAME           PIC X(20).
               10  FIRST-NAME          PIC X(15).
           05  LOSS-DATE               PIC 9(8).
           05  CLAIM-STATE             PIC X.
               88  CLAIM-OPEN          VALUE 'O'.
               88  CLAIM-SETTLED       VALUE 'S'.
           05  AMOUNT-CLAIMED          PIC S9(7)V99 COMP-3.
           05  AMOUNT-PAID             PIC S9(7)V99 COMP-3.
           05  ITEM-COUNT              PIC S9(4) COMP.
           05  ITEM OCCURS 0 TO 20 TIMES
                    DEPENDING ON ITEM-COUNT.
               10  ITEM-NAME           PIC X(12).
               10  ITEM-VALUE          PIC S9(5)V99.
               10  ITEM-YEAR           PIC 9(4) COMP.
