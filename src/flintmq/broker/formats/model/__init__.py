"""The run-time model of MRM and DFDL: one description of bytes, one reader, one writer.

schema.py      what a message looks like: elements, groups, lengths, markup, numbers, nil values. Readers of `.mset`,
               copybooks, C headers, YAML and DFDL schemas make these objects; nothing else knows where they came from
plan.py        a schema bound to a character set and a numeric encoding, ready to run
read.py        bytes to message trees
write.py       message trees to bytes
text.py        delimiters: the scanner, the markup in scope, escapes
numbers.py     binary, packed, BCD, IBM 4690, zoned and floating-point numbers
"""
