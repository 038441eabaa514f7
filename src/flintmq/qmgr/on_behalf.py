"""Authority for messages that the queue manager puts on behalf of the user of another message.

    put by the queue manager               to                           checked for
    report (report.py)                     ReplyToQ of the message      the user of the message
    report about a publication             ReplyToQ of the publication  the publisher, when it is published; the user of
                                                                        the subscription, when the report is made
    answer of queued publish/subscribe     ReplyToQ of the command      the user of the command
    response of the command server         ReplyToQ of the command      the user of the command (C2 there)
    publications of DEFINE SUB             DEST                         the user who gives the command
    publications of MQSUB                  the queue of Hobj            the user who subscribes or alters (subscribe.py)

The user of a message is its UserIdentifier, whoever put it there: an application with authority to set context may name
another user, as in MQ. A message without context is NOBODY's.

    O1  Such a message is put only where its user could have put it with MQPUT1: PUT on the name as an open would check
        it, whether or not a queue of that name exists.
    O2  What is refused for lack of authority (2035) is told in the error log and discarded. It is not put on the
        dead-letter queue: a dead-letter handler puts with its own authority, and would deliver it after all.

With the authority of an embedded queue manager everything is allowed, but for OWN_QUEUES.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import MQAT_QMGR, MQOO_OUTPUT
from flintmq.mqi.pcf_constants import MQRQ_OPEN_NOT_AUTHORIZED
from flintmq.qmgr import event
from flintmq.qmgr.authority import POLICY_QUEUE
from flintmq.qmgr.kept import RETAINED_QUEUE, SUBSCRIBER_QUEUE
from flintmq.qmgr.queue_parts import STAGING
from flintmq.qmgr.security import Authority, context_user

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

#: The queue manager trusts what stands on these queues, so it puts nothing there on behalf of a user.
OWN_QUEUES: Final = (STAGING, SUBSCRIBER_QUEUE, RETAINED_QUEUE, POLICY_QUEUE)


def may_put(qm: QueueManager, user_identifier: str, q_name: str, q_mgr_name: str) -> bool:
    """Return whether the user of a message may put to `q_name` of `q_mgr_name`; if not, tell of the refusal."""
    resolution = qm.catalogue.resolve(q_name, q_mgr_name)
    target = resolution.queue
    if target is not None and target.name in OWN_QUEUES:
        return False
    authority = qm.authority
    if type(authority) is Authority:
        return True
    user = context_user(user_identifier)
    name = q_name
    if q_mgr_name not in ("", qm.name) and (target is None or resolution.remote_q_mgr_name):
        # As in open.py: the transmission queue is checked. Without one, the queue manager's name stands for it.
        name = target.name if target is not None else q_mgr_name
        allowed = authority.may_open_remote(user, name, MQOO_OUTPUT)
    else:
        allowed = authority.may_open(user, "QUEUE", q_name, MQOO_OUTPUT)
    if not allowed:
        # The queue manager is the application: whose call made it put, the getter's for a COD, says nothing.
        application = qm.name[:28]
        event.not_authorised(qm, user, application, "QUEUE", name, MQRQ_OPEN_NOT_AUTHORIZED, MQAT_QMGR, MQOO_OUTPUT)
    return allowed
