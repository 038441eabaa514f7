"""flow: CPU time of the broker's engine alone, no queue manager; the floor is hand-written Python doing the same.

xml_all_SIZE          the full tree of a message; floor: lxml parses, Python walks it into the same tree
xml_front_SIZE        one field near the front; floor: our full tree of the same message
xml_untouched_SIZE    a body that nobody touches, parsed and written; floor: the same with 1 KiB
cwf_4k, tds_4k        the full tree of 4 KiB in a message set; floor: struct or split into the same tree
json_4k               the full tree of 4 KiB of JSON; floor: json.loads, walked into the same tree
compute_simple        MQInput, Compute, MQOutput: copy, change one field; floor: lxml parses, changes, writes
compute_complex       the report's complex Compute: 20 components from 20 elements; floor likewise
compute_five          five complex Computes in a row; floor: the loop five times
compute_very_complex  the loop five times in one node; floor: the same
filter                a Filter on a field of an MQRFH2; floor: struct and lxml on the header
route_1, route_100    a list of 1 and of 100 labels, RouteToLabel, Label; floor: lxml makes the list, a dict jumps
convert_FROM_TO       the 16 conversions of the matrix (XML, CWF, MRM XML, TAG), 31 fields, 4 KiB (B252); also from a
                      format to itself (B251); floor: by hand
"""

from __future__ import annotations

import gc
from collections.abc import Callable

from benchmarks.broker import convert_cases, flow_cases, model_cases, xml_cases
from benchmarks.frame import Figure, Options, side_by_side

NAME = "flow"


def measured(
    name: str, work: Callable[[], object], floor: Callable[[], object], options: Options, count: int
) -> Figure:
    """Return a figure in microseconds per message, floor beside it."""
    repeat = options.scale(full=count, quick=max(1, count // 5), tiny=2)
    rounds = options.scale(full=9, quick=5, tiny=1)
    work()
    floor()

    def many() -> None:
        for _ in range(repeat):
            work()

    def many_floors() -> None:
        for _ in range(repeat):
            floor()

    gc.collect()
    cost, bare = side_by_side(many, many_floors, rounds)
    return Figure(name, cost * 1e6 / repeat, "us", bare * 1e6 / repeat)


def run(options: Options) -> list[Figure]:
    figures: list[Figure] = []
    for xml in xml_cases.cases():
        figures.append(measured(xml.name, xml.work, xml.floor, options, 40 if "64k" in xml.name else 200))
    for model in model_cases.cases():
        figures.append(measured(model.name, model.work, model.floor, options, 100))
    for case in flow_cases.cases():
        figures.append(measured(case.name, case.flow, case.floor, options, 400))
    for conversion in convert_cases.cases():
        figures.append(measured(conversion.name, conversion.work, conversion.floor, options, 100))
    return figures
