"""The queue manager itself: a deterministic state machine. No sockets, no threads, no clock of its own.

Other packages import three modules: calls.py, whose class `Calls` has every call as a method, connection.py and the
catalogue. Inside:

    calls.py        the door: each call as a method         engine.py       hooks: what follows from a put or a get
    queue_manager.py   the state, and hooks it declares     admin.py        the commands of an administrator

The way of a message, file by file:

    connect.py      MQCONN, MQDISC                          connection.py   connection, handle, waiter, unit of work
    open.py         MQOPEN, MQPUT1: a name becomes a handle catalogue.py    what is defined (the kinds: catalogue/)
    put.py          MQPUT: options, descriptor, context     group.py, remote.py, report.py, headers.py: rarer ways
    place.py        the one door to a local queue           unit_of_work.py commit, backout, prepare; records.py: log
    stream.py       STREAMQ: a copy to a second queue       distribution.py: one put to several queues
    publish.py      a put to a topic: a copy for each       topic_tree.py: who is meant; publication.py: what it says
    subscribe.py    MQSUB, MQSUBRQ                          registration.py: subscriptions come and go; open_topic.py
    queued.py       commands in psc folders on a queue      (the queued publish/subscribe interface)
    retained.py     the last publication of a topic         kept.py: what is kept on queues of the queue manager's own
    retained_delivery.py  for a new subscription            work.py: long work of a call, in slices; walk.py
    queue.py        messages, indexes, waiters, counters    lane.py, message.py, waits.py, queue_*.py
    message_handle.py  MQCRTMH, MQSETMP, MQINQMP ...        message_properties.py, put_properties.py, property_*.py;
                                                            mqi/: property_blocks.py, property_headers.py, payload.py
    get.py          MQGET: find, deliver, wait, serve       get_options.py, wanted.py, wait_again.py, browse_*.py
    own_puts.py     what a unit of work has put itself      browse_lock.py: MQGMO_LOCK
    put_to_waiter.py   a message for who waits already      logical_get.py: groups and logical messages
    selection.py    selection strings: what matches         message_source.py: what their names are worth
    expiry.py       scans for expired messages              expiring.py: CAPEXPRY; expiry_task.py: when scans are due
    delay.py        messages that are delivered later       (delivery delay of JMS); delays.py: their order
    consume.py      MQCB, MQCTL                             trigger.py, event.py: what follows from puts and gets
    inquire.py      MQINQ, MQSET; stat.py MQSTAT            xa.py: branches of global transactions
    close.py        MQCLOSE
    paging.py       memory to page set and back             checkpoint.py, restart.py: how it survives
    admin.py        commands: define, alter, delete, status objects.py: definitions become queues and page sets
    admin_hooks.py  what a kind of object does beside it    (the kinds: catalogue/kinds/)
    event_admin.py  events of commands                      event_channel.py: events of channels
    accounting.py   calls with a stop-watch, if asked       task.py: what is kept of a task; tracer.py: who else hears
    statistics.py   counters, taken together                traces.py, intervals.py: what is recorded, and how often

Rules of the house:

    Every call is a plain function that runs to completion and returns a reason code. It never blocks, awaits, sleeps,
    reads a clock or touches a file by itself: clock, log and page sets are handed in (queue_manager.py).
    A get that must wait registers a waiter and returns WAITING; who is served stands in qm.woken. In a turn of the
    host, what clients wait for goes straight to them instead (put_to_waiter.py).
    A call that has long work to do before it can be answered leaves it in connection.work, if the host takes turns
    (work.py); the host has it done in slices.
    A call that must be durable says so in connection.force: the log position that its caller waits for.
    So a seed repeats any history, and a test can crash the machine between any two writes (tests/simulation).

Invariants. `QueueManager.check` tests N, Q, U, W and S; the simulation calls it at every start and at random. The
others have tests of their own (docs/internals/invariants.md):

    N1-N4 lane.py    order, hint, links                     Q1-Q7 queue.py    depth, availability, indexes, buffers
    U1-U4 connection.py   units of work                     P1-P6 paging.py   chunks, write-ahead
    R1-R2 restart.py      replay gives the same from anywhere
    C1-C4 catalogue.py    definitions                       T1-T4 selection.py  what matches, evaluated once
    S1-S3 subscription.py subscriptions                     W1-W3 own_puts.py   what a unit of work has put itself

Recovery in five sentences. A unit of work reaches the log when it is decided, in one run of records (U2), so there is
nothing to undo. Messages live in memory and go to the page set in chunks, when a buffer pool overflows or at a
checkpoint. Nothing reaches a page set before the log has it (P3). Replay is idempotent by (queue, sequence): it
may meet a page set of the checkpoint or of any later moment (R1). So restart reads the log since the last checkpoint,
and no messages but the records of durable subscriptions and those that wait for their delivery.
"""
