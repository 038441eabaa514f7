"""Administration of brokers: the repository, the broker process, deployment, and requests of the `mqsi` commands.

    cli/mqsi*.py       one file per command; _broker.py has the table of them
    process.py         create, start, serve and stop a broker; send a request
    control.py         the control socket: requests and answers as lines of JSON
    administration.py  one broker: the table of requests, and how a change reaches running groups
    requests.py        groups, deployment, states, reports (properties.py: properties)
    package.py         a BAR or directory: read, checked, packed, unpacked for workers
    plan.py            the assignment of a group, made from the repository
    repository.py      the configuration and deployments of a broker, in a database
    place.py           the directory of a broker
    read_log.py        the log as `mqsireadlog` prints it
    messages.py        all BIP messages (refusal.py: the error that carries one)

Steps of a deployment:

    command -> control socket -> read_package (refuses: nothing has changed) -> plan_group with the new rows
            -> Repository.deploy, one transaction -> Administration.apply -> ExecutionGroup.assign
            -> workers: release (flows that change finish their messages), assign (new flows start)

Decisions:

D1  The repository is the truth, and workers are made to agree with it: the plan of a group is made anew from the
    repository for every change, and a worker compares it with its flows. So deployment, a property, a policy, and
    starting or stopping a flow are one mechanism, and a worker that was killed starts with the same assignment.
D2  A change is refused before it is written, or it is written and then applied. There is nothing in between: if the
    broker dies after the transaction, it runs the new state when it starts again.
D3  A flow that changes stops in all workers before it starts in any: no message meets two versions. Its messages wait
    on their queue meanwhile, and units of work in flight are finished or backed out. Flows that do not change go on.
D4  Content is kept with its digest, and unpacked under it. A path never changes its content, so a flow's signature is
    enough to tell whether it changed.
D5  Commands work on a stopped broker as well: the same requests run in the command's process, under the broker's lock.
D6  Passwords of queue managers are never stored; the file or variable that holds one is. Passwords in the URL of a data
    source are stored in the repository, which only its owner can read, and are never printed.

The invariants of requests are in administration.py (A1 to A3).
"""
