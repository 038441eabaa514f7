"""The run time of the broker: processes, instances, units of work, deployed content.

    broker             a process that supervises; it has a name, a queue manager, a directory and a control socket
      execution group  some applications and the worker processes that run their flows
        worker         a process; it runs instances of flows, each in a thread of its own
          instance     takes messages from the input node of a flow, one after the other, a unit of work each

A message's way:

    queue_session.py   the queue manager, seen by one instance: get, put, publish, commit, back out; cache of handles
    late.py            outputs that leave with the commit and the next get
    services.py        effects of nodes on the outside, done for real (`flow/services.py` is the contract)
    instance.py        the loop of an instance: get, run the flow, commit; backout, backout queue, dead-letter queue
    ordering.py        orderMode: which message is next, among the instances of a node; batch.py, how many messages a
                       unit of work takes
    unit.py            the unit of work of an instance: queue manager, state of flows, databases
    state_queue.py     state of flows and timers, on a queue
    data_sources.py    connections to databases; coordination.py ends them with the queue manager, decisions.py keeps
                       the decisions on a queue, recovery.py finishes units of work after a crash
    http_listener.py   requests for HTTP nodes
    content_filters.py content filters of publish/subscribe, for the queue manager
    worker.py          the process that runs instances; it loads applications, obeys its group
    commands.py        commands of a group to a worker: a table, requests with numbers
    placement.py       which worker runs which instance
    group.py           the processes of an execution group, watched and restarted
    foreground.py      `flint broker run`; log.py, the log

Decisions:

R1  An instance is a thread, a connection to the queue manager and a copy of the flow: nothing is shared but what ESQL
    declares SHARED. Instances of one flow, and copies of a flow, are spread over the workers of the group, so that they
    use more than one core; flows with SHARED variables or with nodes that collect messages stay in one worker.
R2  The unit of work is the queue manager's. A process that dies leaves nothing behind: the queue manager backs out, and
    the message is there again with BackoutCount + 1.
R3  A message that a flow does not handle is backed out, and after BOTHRESH deliveries goes to BOQNAME or to the
    dead-letter queue (MF 3.6). It is removed only if it was got outside of a unit of work.
R4  Databases are committed before the queue manager, unless `coordinatedTransaction` is yes: then both end together
    (coordination.py).
R5  Subscriptions are the queue manager's durable ones, and it carries out the psc commands: a broker keeps no list of
    its own that could differ after a crash. It adds what needs a parser (content_filters.py).
"""
