"""The commands: one thin file per command, named like the command.

    flint crtmqm QM1   ->   main.py finds crtmqm.py   ->   arguments(parser)   ->   run(options) -> exit code

A command file has a docstring (its help, with an example), `NAME`, `SUMMARY`, `arguments(parser)` and `run(options)`.
To add a command, add the file and run `./flint help --markdown > docs/reference/cli.md`. Files that begin with an
underscore, and `main.py`, are not commands. Nothing is decided here: a command parses, calls another room, prints.
"""
