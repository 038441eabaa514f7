"""ESQL: from source text to something that runs.

    lexer.py      text to tokens: literals of every kind, comments, XML escapes of V2.1 exports
    parser.py     tokens to the syntax tree: parse(), parse_statements(), parse_expression(), parse_path()
    syntax.py     the syntax tree, one class per construct
    printer.py    the syntax tree back to canonical ESQL
    errors.py     EsqlSyntaxError: place, found, expected

`parse()` never raises: it collects syntax errors with line and column and resumes at the next statement.
"""
