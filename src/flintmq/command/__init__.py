"""Commands: MQSC and PCF over one model, REST later.

parser.py         lines of text to commands
model.py          every command: parameters, handler, help, authority; one table
options.py        the parameters of commands that are no attributes
absent.py         what MQSC of MQ has and FlintMQ does not have yet
execute.py        parse, bind to the model, run
pcf_execute.py    the same for a PCF message: pcf_request.py binds, pcf_reply.py answers, pcf_names.py has what differs
command_server.py from SYSTEM.ADMIN.COMMAND.QUEUE to the ReplyToQ
objects.py queues.py topics.py subscriptions.py qmgr.py storage.py   the handlers, by what they are about
where.py          the filter of DISPLAY
rows.py           a reply as rows, for programs that use the values
reply.py display.py messages.py           the answer as data, as text, and its message numbers
status.py         attributes that only status displays have; status_parameters.py their numbers in PCF
administration.py what commands ask of the queue manager
defaults.py       the objects of a new queue manager
interpreter.py    runmqsc: many commands, echo and summary
completion.py     runmqsc: what can come next in a command that is being typed
secrets.py        which commands hold a password
dump.py           dmpmqcfg: definitions as commands
dead_letter_rules.py   the rules table of runmqdlq
"""
