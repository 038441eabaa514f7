"""Commands: MQSC now, PCF and REST over the same model later.

parser.py         lines of text to commands
model.py          every command: parameters, handler, help, authority; one table
execute.py        parse, bind to the model, run
objects.py queues.py topics.py subscriptions.py qmgr.py storage.py   the handlers, by what they are about
where.py          the filter of DISPLAY
reply.py display.py messages.py           the answer as data, as text, and its message numbers
status.py         attributes that only status displays have
administration.py what commands ask of the queue manager
defaults.py       the objects of a new queue manager
session.py        runmqsc: many commands, echo and summary
dump.py           dmpmqcfg: definitions as commands
dead_letter_rules.py   the rules table of runmqdlq
"""
