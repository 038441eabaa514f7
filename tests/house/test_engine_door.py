"""The shape of the engine: one door, small import cycles, classes that do not grow.

Numbers are ratchets: lower one when the code is better, never raise it.
"""

from __future__ import annotations

from tools import house

#: The modules of the engine that other packages import.
DOOR = {"calls", "connection"}
#: The objects of a running queue manager, and the rules of two kinds of records.
CATALOGUE = {"authority_records", "catalogue", "chlauth"}
CYCLE_MAX = 5
#: Attributes of classes of the engine that have more than the bar of 45.
ATTRIBUTES_MAX = 45
LARGE_CLASSES = {"QueueManager": 102, "Handle": 62, "QueueUse": 61}

GRAPH = house.import_graph()


def test_other_packages_import_the_door_and_the_catalogue_only() -> None:
    doors = house.doors_of_the_engine(GRAPH)
    allowed = {f"flintmq.qmgr.{name}" for name in DOOR | CATALOGUE}
    assert {name: modules for name, modules in doors.items() if name not in allowed} == {}


def test_no_import_cycle_of_the_engine_is_larger_than_five_files() -> None:
    of_engine = [found for found in house.cycles(GRAPH) if found[0].startswith("flintmq.qmgr.")]
    assert [found for found in of_engine if len(found) > CYCLE_MAX] == []


def test_the_engine_and_its_state_are_constructed_by_the_door_alone() -> None:
    makers = [name for name, imported in GRAPH.items() if "flintmq.qmgr.engine" in imported]
    assert makers == ["flintmq.qmgr.calls"]


def test_classes_of_the_engine_do_not_grow() -> None:
    classes, _, _ = house.shape()
    found = {place.rpartition(" ")[2]: count for count, place in classes if place.startswith("src/flintmq/qmgr/")}
    large = {name: count for name, count in found.items() if count > ATTRIBUTES_MAX}
    assert {name: count for name, count in large.items() if count > LARGE_CLASSES.get(name, 0)} == {}
    assert set(large) == set(LARGE_CLASSES), "a class is small now: take it out of the table"
