"""structures: CPU time of packing and unpacking an MQMD; the floor is one bare call of `struct` with the same fields.

pack_md      MQMD.pack(), all fields set as by a put
unpack_md    MQMD.unpack(): the object a channel or an application works with
"""

from __future__ import annotations

from benchmarks.frame import Figure, Options, side_by_side
from benchmarks.mqi import floor_structures as floor
from flintmq.mqi.md import MQMD

NAME = "structures"


def run(options: Options) -> list[Figure]:
    count = options.scale(full=100_000, quick=20_000, tiny=100)
    rounds = options.scale(full=7, quick=5, tiny=1)
    descriptor = typical_descriptor()
    data = descriptor.pack()
    values = floor.unpack_bare(data, 1)

    def pack() -> None:
        for _ in range(count):
            descriptor.pack()

    def unpack() -> None:
        for _ in range(count):
            MQMD.unpack(data)

    packing, bare_packing = side_by_side(pack, lambda: floor.pack_bare(values, count), rounds)
    unpacking, bare_unpacking = side_by_side(unpack, lambda: floor.unpack_bare(data, count), rounds)
    micro = 1e6 / count
    return [
        Figure("pack_md", packing * micro, "us", bare_packing * micro),
        Figure("unpack_md", unpacking * micro, "us", bare_unpacking * micro),
    ]


def typical_descriptor() -> MQMD:
    descriptor = MQMD()
    descriptor.version = 2
    descriptor.format = "MQSTR"
    descriptor.msg_id = b"AMQ FLINT".ljust(24, b"\1")
    descriptor.correl_id = bytes(range(24))
    descriptor.reply_to_q = "ORDERS.REPLY"
    descriptor.reply_to_q_mgr = "QM1"
    descriptor.user_identifier = "orders"
    descriptor.put_appl_name = "order-entry"
    descriptor.put_date = "20260704"
    descriptor.put_time = "12000000"
    return descriptor
