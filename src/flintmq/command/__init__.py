"""Commands: MQSC and PCF over one model, REST later.

parser.py         lines of text to commands
model.py          every command: parameters, handler, help, authority; one table, with those of model_*.py
options.py        the parameters of commands that are no attributes
absent.py         MQSC of MQ that FlintMQ does not have yet
execute.py        parse, bind to the model, run
pcf_execute.py    PCF messages: pcf_request.py binds, pcf_reply.py makes responses, pcf_names.py has the differences
command_server.py from SYSTEM.ADMIN.COMMAND.QUEUE to the ReplyToQ
objects.py queues.py topics.py subscriptions.py qmgr.py storage.py   the handlers, by subject
where.py          the filter of DISPLAY
rows.py           a reply as rows, for programs that use the values
reply.py display.py messages.py           the reply as data, as text, and its message numbers
status.py         attributes that only status displays have; status_parameters.py their numbers in PCF
administration.py the calls that commands make to the queue manager
defaults.py       the objects of a new queue manager
interpreter.py    runmqsc: many commands, echo and summary
completion.py     runmqsc: completion of a command that is being typed
secrets.py        which commands hold a password
dump.py           dmpmqcfg: definitions as commands
dead_letter_rules.py   the rules table of runmqdlq
"""
