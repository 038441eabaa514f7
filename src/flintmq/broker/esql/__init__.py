"""ESQL: from source text to something that runs.

    lexer.py      text to tokens: literals of every kind, comments, XML escapes of V2.1 exports
    parser.py     tokens to the syntax tree: parse(), parse_statements(), parse_expression(), parse_path()
    syntax.py     the syntax tree, one class per construct
    printer.py    the syntax tree back to canonical ESQL
    errors.py     EsqlSyntaxError: place, found, expected
    program.py    all ESQL of an application, compiled to Python (compile_*.py, names.py, source.py)
    run.py        state of compiled ESQL while a node handles a message (support.py, variables.py, trees.py)
    switches.py   one named choice for each point that public evidence leaves open
    profile.py    calls, time and coverage by line
    lint.py       code that compiles and is most probably wrong (lint_checks_*.py)

`parse()` never raises: it collects syntax errors with line and column and resumes at the next statement.
"""
