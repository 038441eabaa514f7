"""Projects and BAR files for the tests of this directory, written by us."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from tests.broker.flow.sample_flows import AUDIT, ORDERS

APPLICATION = b"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<ns2:appDescriptor xmlns="http://com.ibm.etools.mft.descriptor.base" \
xmlns:ns2="http://com.ibm.etools.mft.descriptor.app"><references>%s</references></ns2:appDescriptor>"""
REFERENCE = b"<sharedLibraryReference><libraryName>%s</libraryName></sharedLibraryReference>"
LIBRARY = b"""<ns2:libDescriptor xmlns="http://com.ibm.etools.mft.descriptor.base" \
xmlns:ns2="http://com.ibm.etools.mft.descriptor.lib" type="com.ibm.etools.msgbroker.tooling.%s"><references/>\
</ns2:libDescriptor>"""
ESQL = b"/* audit */ -- one\nBROKER SCHEMA shop\nCREATE COMPUTE MODULE M END MODULE;"
POLICIES = b"""<policies><policy policyType="MQEndpoint" policyName="Prod" policyTemplate="MQEndpoint">
  <queueManager>QM1</queueManager><port></port></policy></policies>"""
BROKER_XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<Broker>
  <CompiledApplication><ConfigurableProperty uri="startMode"/></CompiledApplication>
  <CompiledMessageFlow name="shop.Orders">
    <ConfigurableProperty uri="shop.Orders#additionalInstances" override="2"/>
    <ConfigurableProperty uri="shop.Orders#inQueue" override="TEST.IN"/>
    <ConfigurableProperty uri="shop.Orders#limit"/>
    <ConfigurableProperty uri="shop.Orders#By v.2 class?.distributionMode"/>
    <ConfigurableProperty uri="shop.Orders#Put order.queueName"/>
    <ConfigurableProperty uri="shop.Orders#Audit.Keep copy.replyToQ"/>
  </CompiledMessageFlow>
</Broker>"""
LIBRARY_XML = b"""<Broker><CompiledMessageFlow name="shop.Audit" type="subflow">
    <ConfigurableProperty uri="shop.Audit#Keep copy.queueName" override="TEST.AUDIT"/>
</CompiledMessageFlow></Broker>"""


def project_file(name: str, nature: str, *references: str) -> bytes:
    projects = "".join(f"<project>{each}</project>" for each in references)
    return (
        f"<projectDescription><name>{name}</name><projects>{projects}</projects>"
        f"<natures><nature>com.ibm.etools.msgbroker.tooling.{nature}</nature></natures></projectDescription>"
    ).encode()


def write_workspace(root: Path) -> Path:
    """Write an application, the static library with its subflow, a shared library and policies."""
    files = {
        "ShopFolder/.project": project_file("Shop", "applicationNature", "Common"),
        "ShopFolder/application.descriptor": APPLICATION % (REFERENCE % b"Tools"),
        "ShopFolder/shop/Orders.msgflow": ORDERS,
        "ShopFolder/shop/Orders.esql": ESQL,
        "ShopFolder/shop/Broken.msgflow": b"",
        "ShopFolder/style/page.xsl": b"<xsl/>",
        "Common/.project": project_file("Common", "libraryNature"),
        "Common/library.descriptor": LIBRARY % b"libraryNature",
        "Common/shop/Audit.subflow": AUDIT,
        "Common/MySet/messageSet.mset": b"<mset/>",
        "Common/MySet/a/Order.mxsd": b"<xsd/>",
        "Tools/library.descriptor": LIBRARY % b"sharedLibraryNature",
        "Tools/tools.esql": b"CREATE PROCEDURE p() BEGIN END;",
        "Policies/policy.descriptor": b"<policyProjectDescriptor/>",
        "Policies/Prod.policyxml": POLICIES,
        "Policies/Bad.policyxml": b"<policies>",
        ".git/x.msgflow": ORDERS,
    }
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def zip_of(files: dict[str, bytes]) -> bytes:
    """Return an archive. Its bytes do not depend on the time, so that a failure can be repeated."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as output:
        for name, data in files.items():
            output.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def bar_bytes(**more: bytes) -> bytes:
    """Return a BAR with an application, its library, and policies, named as on Windows."""
    library = zip_of(
        {
            "shop\\Audit.subflow": AUDIT,
            "META-INF\\broker.xml": LIBRARY_XML,
            "library.descriptor": LIBRARY % b"libraryNature",
        }
    )
    application = {
        "shop\\Orders.msgflow": ORDERS,
        "shop\\Orders.esql": ESQL,
        "application.descriptor": APPLICATION % b"",
        "META-INF\\broker.xml": BROKER_XML,
        "META-INF\\manifest.mf": b"srcSelected=false;",
        "Common.libzip": library,
    }
    return zip_of(
        {
            "Shop.appzip": zip_of(application),
            "Policies\\Prod.policyxml": POLICIES,
            "Policies\\policy.descriptor": b"<policyProjectDescriptor/>",
            "META-INF\\manifest.mf": b"x",
            **more,
        }
    )
