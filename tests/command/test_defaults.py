"""The objects of a new queue manager can be defined, and are those that programs look for."""

from __future__ import annotations

import pytest

from flintmq.catalogue.attribute import check_value
from flintmq.catalogue.attributes import QUEUE_KINDS, RULE_KINDS, find_attribute, is_object_name, settable_defaults
from flintmq.catalogue.kinds import KINDS
from flintmq.command.defaults import (
    DefaultObject,
    default_objects,
    developer_objects,
    developer_q_mgr_changes,
    q_mgr_attributes,
)
from flintmq.qmgr.catalogue import Catalogue, check_catalogue

TEMPLATES = {kind.keyword: kind.default_object for kind in KINDS if kind.default_object}
EVERY = [pytest.param(row, id=f"{row.kind}-{row.name}") for row in (*default_objects(), *developer_objects())]


@pytest.mark.parametrize("row", EVERY)
def test_a_row_is_a_valid_definition(row: DefaultObject) -> None:
    assert is_object_name(row.kind, row.name)
    assert row.attributes.keys() == settable_defaults(row.kind).keys()
    for keyword, value in row.attributes.items():
        attribute = find_attribute(row.kind, keyword)
        assert attribute is not None and check_value(attribute, value) == value


def test_all_rows_fit_into_one_catalogue_in_order() -> None:
    catalogue = Catalogue()
    catalogue.add("QMGR", "QM1", q_mgr_attributes("QM1"))
    for row in (*default_objects(), *developer_objects()):
        if row.kind == "PSID":
            assert catalogue.find("BUFFPOOL", str(row.attributes["BUFFPOOL"]))
        if row.kind == "STGCLASS":
            assert catalogue.find("PSID", str(row.attributes["PSID"]))
        if "STGCLASS" in row.attributes:
            assert catalogue.find("STGCLASS", str(row.attributes["STGCLASS"]))
        catalogue.add(row.kind, row.name, dict(row.attributes))
    check_catalogue(catalogue)
    assert len(catalogue.match("PSID")) == 5 and len(catalogue.match("BUFFPOOL")) == 4
    for kind, name in TEMPLATES.items():
        assert catalogue.find(kind, name)
    catalogue.q_mgr().change(developer_q_mgr_changes())
    assert catalogue.find("QLOCAL", catalogue.q_mgr().text("DEADQ"))
    assert catalogue.find("QLOCAL", catalogue.q_mgr().text("COMMANDQ") or "SYSTEM.ADMIN.COMMAND.QUEUE")


def test_system_objects_are_described_by_the_name_of_the_product() -> None:
    """A client's test-suite filters on the text that descriptions begin with."""
    for row in default_objects("IBM MQ"):
        if row.kind in QUEUE_KINDS and row.name not in TEMPLATES.values():
            assert str(row.attributes["DESCR"]).startswith("IBM MQ ")


def test_model_queues_have_the_values_that_clients_rely_on() -> None:
    models = {row.name: row.attributes for row in default_objects() if row.kind == "QMODEL"}
    plain, durable = models["SYSTEM.DEFAULT.MODEL.QUEUE"], models["SYSTEM.DURABLE.MODEL.QUEUE"]
    assert (plain["DEFTYPE"], plain["SHARE"], plain["DEFSOPT"]) == ("TEMPDYN", "NOSHARE", "EXCL")
    assert (durable["DEFTYPE"], durable["SHARE"]) == ("PERMDYN", "SHARE")
    assert models["SYSTEM.NDURABLE.MODEL.QUEUE"]["SHARE"] == "SHARE"
    assert models["SYSTEM.JMS.TEMPQ.MODEL"]["DEFTYPE"] == "TEMPDYN"


def test_the_application_needs_its_password_if_it_has_one() -> None:
    def checks(app_password: bool) -> list[object]:
        rows = developer_objects(app_password)
        return [row.attributes["CHCKCLNT"] for row in rows if row.attributes.get("CHLAUTH") == "DEV.APP.SVRCONN"]

    assert checks(False) == ["ASQMGR"] and checks(True) == ["REQUIRED"]


def test_the_developer_set_is_the_one_of_the_container() -> None:
    assert [row.name for row in developer_objects() if row.kind not in RULE_KINDS] == [
        "DEV.QUEUE.1",
        "DEV.QUEUE.2",
        "DEV.QUEUE.3",
        "DEV.DEAD.LETTER.QUEUE",
        "DEV.APP.MODEL.QUEUE",
        "DEV.BASE.TOPIC",
        "DEV.ADMIN.SVRCONN",
        "DEV.APP.SVRCONN",
        "DEV.AUTHINFO",
    ]
    assert q_mgr_attributes("QM1")["CERTLABL"] == "ibmwebspheremqqm1"
