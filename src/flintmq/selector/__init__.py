"""SQL-92 message selectors, with the grammar of JMS and the literals and names of MQ. No queues here, and no messages.

The way of a selection string, file by file:

    lexer.py      text to tokens                    errors.py   SelectorError: the place, and the expected text there
    parser.py     tokens to a tree of nodes         like.py     the patterns of LIKE
    node.py       the nodes: each can be evaluated  source.py   where names get their values
    selector.py   compile_selector, Selector: matches, names, equality, alternatives, id_key

Grammar. Keywords in any case; lower lines bind more tightly; operators of one line go from left to right.

    condition   condition OR condition
                condition AND condition
                NOT condition
                value =|<>|<|<=|>|>= value
                value [NOT] BETWEEN value AND value
                value [NOT] IN ( value {, value} )
                value [NOT] LIKE 'pattern' [ESCAPE 'character']        % any characters, _ one
                value IS [NOT] NULL
    value       value + value, value - value
                value * value, value / value
                + value, - value
                literal, name, ( condition ), ( value )

    literal     'text', 'it''s'             string
                57, 57L, 0x1F, 0177         exact: -2**63 .. 2**63-1; a leading 0 is octal, so 09 is an error
                7E3, -57.9E2, 57., .5, 6F   approximate: double precision; F and D change nothing
                TRUE, FALSE                 boolean
                "0x0AFC23"                  byte string: pairs of hexadecimal digits, the only use of double quotes
    name        color, usr.color            a property of folder usr
                shop.size                   a property of another folder; Root.MQRFH2.shop.size is the same
                JMSPriority ...             a header of JMS
                Root.MQMD.Priority          a field of the message descriptor, spelled as in MQMD
                Names are case-sensitive. Body. and other parts of Root. need a parser of the message: 2551.

Meaning. A value that is not there is null. A condition is true, false or unknown; a message matches when its selector
is true.

    S1  Null makes arithmetic null and comparison unknown; only IS [NOT] NULL is never unknown.
    S2  AND is the lesser, OR the greater of its parts in the order false < unknown < true; NOT unknown is unknown.
    S3  Values of unlike types compare false, with every operator. Exact and approximate numbers are alike. Strings,
        booleans and byte strings know = and <> only; the others compare false.
    S4  x NOT BETWEEN, NOT IN, NOT LIKE is NOT (x BETWEEN ...). BETWEEN is two comparisons, IN is equalities with OR.
    S5  Exact arithmetic is that of 64-bit integers, division drops the remainder. A result that does not fit, division
    by zero,
        and arithmetic on anything but numbers is null.
    S6  An expression that never makes sense is a syntax error: 3 + 'a', NOT 5, 20 < b < 30, a number as the selector.

Limits: 10,240 characters (2519), 100 levels of parentheses. No text raises anything but SelectorError.
"""

from flintmq.selector.errors import SelectorError
from flintmq.selector.selector import CORREL_ID, MSG_ID, Selector, compile_selector
from flintmq.selector.source import Source, Value, Values

__all__ = ["CORREL_ID", "MSG_ID", "Selector", "SelectorError", "Source", "Value", "Values", "compile_selector"]
