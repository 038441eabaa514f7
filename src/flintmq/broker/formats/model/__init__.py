"""The run-time model of MRM and DFDL: one description of bytes, one reader, one writer.

schema.py                   the form of messages: elements, groups, lengths, markup, numbers, nil values. Readers
                            of `.mset`, copybooks, C headers, YAML and DFDL schemas make these objects
plan.py, layout.py          a schema bound to a character set and a numeric encoding, ready to run
nodes.py                    the parts of a plan
source.py                   bodies: nothing is read before it is touched, unchanged parts are written as they came
read.py, read_groups.py,    bytes to message trees: structures; members of groups; fields; the state of a reader
read_fields.py,
read_state.py
write.py, write_groups.py,  message trees to bytes, in the same layers
write_fields.py
text.py, charsets.py,       delimiters: the scanner, the markup in scope, escapes; character sets; DFDL entities
literals.py
fields.py, codecs.py        values of fields from text and bytes, and which codec a field has
numbers.py, number_text.py, binary, packed, zoned and floating-point numbers; numbers by pattern; dates and times
calendars.py
expression*.py              DFDL expressions
patterns.py                 regular expressions of schemas
facets.py, validate.py      restrictions of values, and validation of trees
"""
