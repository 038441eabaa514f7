"""Monitoring events: messages about the progress of a message in a flow, for audit and business monitoring.

    profile.py    which events a flow emits: monitoring profiles (XML), and events in flow files
    event.py      one event as XML (`wmb:event`)
    monitor.py    watches one flow in one thread and publishes its events

    address                       the event is emitted
    <node>.transaction.Start      when an input node has got a message
    <node>.transaction.End        before its unit of work is committed
    <node>.transaction.Rollback   when its unit of work was backed out
    <node>.terminal.<terminal>    when a message passes a terminal of a node; output terminals only where they are wired

Events are published on $SYS/Broker/<broker>/Monitoring/<group>/<flow>, not retained.

    unit of work   the event is published
    messageFlow    in the unit of work of the flow: if that is backed out, the event is gone, too
    independent    outside of it, when it has ended, committed or not
    none           outside of it, at once

Invariants:

E1  A message whose event with `messageFlow` cannot be published is not committed.
E2  Other events never fail a message: one that cannot be made or published is logged and lost.
E3  Within a transaction the counters of events begin with 1 and grow by 1, in the order in which things happened.
"""
