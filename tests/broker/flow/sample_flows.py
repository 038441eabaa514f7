"""Flow files for the tests of this directory, written by us in the shape that the Toolkit gives them."""

from __future__ import annotations

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<ecore:EPackage xmi:version="2.0"
    xmlns:xmi="http://www.omg.org/XMI" {types} xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore" \
xmlns:eflow="http://www.ibm.com/wbi/2005/eflow" xmlns:utility="http://www.ibm.com/wbi/2005/eflow_utility" \
nsURI="{path}" nsPrefix="{prefix}">
  <eClassifiers xmi:type="eflow:FCMComposite" name="FCMComposite_1" useDefaults="true" udpSupport="true">
    <eSuperTypes href="http://www.ibm.com/wbi/2005/eflow#//FCMBlock"/>
"""
TAIL = """  </eClassifiers>
</ecore:EPackage>
"""


def flow_file(path: str, types: list[str], body: str) -> bytes:
    """Return a flow file with declarations for some node types."""
    declared = " ".join(f'xmlns:{each.replace("/", "_")}="{each}"' for each in types)
    return (HEAD.format(types=declared, path=path, prefix=path.replace("/", "_")) + body + TAIL).encode()


#: Routes orders: MQInput, Route with dynamic terminals, a subflow, MQOutput; promoted and user-defined properties.
ORDERS = flow_file(
    "shop/Orders.msgflow",
    ["ComIbmMQInput.msgnode", "ComIbmMQOutput.msgnode", "ComIbmRoute.msgnode", "shop/Audit.subflow"],
    """    <eStructuralFeatures xmi:type="ecore:EAttribute" xmi:id="Property.inQueue" name="inQueue" lowerBound="1" \
defaultValueLiteral="ORDERS.IN">
      <eType xmi:type="ecore:EDataType" href="http://www.eclipse.org/emf/2002/Ecore#//EString"/>
    </eStructuralFeatures>
    <eStructuralFeatures xmi:type="ecore:EAttribute" xmi:id="Property.limit" name="limit" defaultValueLiteral="100">
      <eType xmi:type="ecore:EDataType" href="http://www.eclipse.org/emf/2002/Ecore#//EInt"/>
    </eStructuralFeatures>
    <eStructuralFeatures xmi:type="ecore:EAttribute" xmi:id="Property.auditQueue" name="auditQueue">
      <eType xmi:type="ecore:EDataType" href="http://www.eclipse.org/emf/2002/Ecore#//EString"/>
    </eStructuralFeatures>
    <translation xmi:type="utility:TranslatableString" key="Orders" bundleName="shop/Orders" pluginId="Shop"/>
    <colorGraphic16 xmi:type="utility:GIFFileGraphic" resourceName="platform:/plugin/Shop/icons/Orders.gif"/>
    <longDescription xmi:type="utility:ConstantString" string="Two lines&#xA;of text"/>
    <composition>
      <nodes xmi:type="ComIbmMQInput.msgnode:FCMComposite_1" xmi:id="FCMComposite_1_1" location="10,20" \
queueName="LOCAL" messageDomainProperty="XMLNSC">
        <translation xmi:type="utility:ConstantString" string="Get order"/>
      </nodes>
      <nodes xmi:type="ComIbmRoute.msgnode:FCMComposite_1" xmi:id="FCMComposite_1_2" location="110,20" \
distributionMode="first">
        <outTerminals terminalNodeID="gold" dynamic="true" label="gold"/>
        <outTerminals terminalNodeID="silver" dynamic="true" label="silver"/>
        <translation xmi:type="utility:ConstantString" string="By v.2 class?"/>
        <filterTable filterPattern="$Root/XMLNSC/Order/@class='gold'" routingOutputTerminal="gold"/>
        <filterTable filterPattern="true()" routingOutputTerminal="silver"/>
      </nodes>
      <!-- Both classes are written down. -->
      <nodes xmi:type="shop_Audit.subflow:FCMComposite_1" xmi:id="FCMComposite_1_3" location="210,20">
        <translation xmi:type="utility:ConstantString" string="Audit"/>
      </nodes>
      <nodes xmi:type="ComIbmMQOutput.msgnode:FCMComposite_1" xmi:id="FCMComposite_1_4" location="310,20" \
queueName="ORDERS.OUT">
        <translation xmi:type="utility:ConstantString" string="Put order"/>
      </nodes>
      <connections xmi:type="eflow:FCMConnection" xmi:id="FCMConnection_1" targetNode="FCMComposite_1_2" \
sourceNode="FCMComposite_1_1" sourceTerminalName="OutTerminal.out" targetTerminalName="InTerminal.in"/>
      <connections xmi:type="eflow:FCMConnection" xmi:id="FCMConnection_2" targetNode="FCMComposite_1_3" \
sourceNode="FCMComposite_1_2" sourceTerminalName="gold" targetTerminalName="InTerminal.Input">
        <bendPoints>114,16,-121,16</bendPoints>
      </connections>
      <connections xmi:type="eflow:FCMConnection" xmi:id="FCMConnection_3" targetNode="FCMComposite_1_4" \
sourceNode="FCMComposite_1_2" sourceTerminalName="silver" targetTerminalName="InTerminal.in"/>
      <connections xmi:type="eflow:FCMConnection" xmi:id="FCMConnection_4" targetNode="FCMComposite_1_4" \
sourceNode="FCMComposite_1_3" sourceTerminalName="OutTerminal.Output" targetTerminalName="InTerminal.in"/>
    </composition>
    <propertyOrganizer>
      <propertyDescriptor groupName="Group.Basic" configurable="true" describedAttribute="Property.inQueue">
        <propertyName xmi:type="utility:TranslatableString" key="Property.inQueue" bundleName="Orders" pluginId="Shop"/>
        <propertyDescriptor groupName="Group.Basic" configurable="true" userDefined="true" \
describedAttribute="Property.limit">
          <propertyName xmi:type="utility:TranslatableString" key="Property.limit" bundleName="Orders" pluginId="Shop"/>
          <propertyDescriptor groupName="Group.Basic" configurable="true" describedAttribute="Property.auditQueue">
            <propertyName xmi:type="utility:ConstantString" string="Audit queue"/>
          </propertyDescriptor>
        </propertyDescriptor>
      </propertyDescriptor>
    </propertyOrganizer>
    <attributeLinks promotedAttribute="Property.inQueue" overriddenNodes="FCMComposite_1_1">
      <overriddenAttribute href="ComIbmMQInput.msgnode#Property.queueName"/>
    </attributeLinks>
    <attributeLinks promotedAttribute="Property.auditQueue" overriddenNodes="FCMComposite_1_3">
      <overriddenAttribute href="shop/Audit.subflow#Property.queue"/>
    </attributeLinks>
    <stickyBoard>
      <stickyNote location="5,5" association="FCMComposite_1_2 FCMComposite_1_3">
        <body xmi:type="utility:ConstantString" string="Gold first"/>
      </stickyNote>
    </stickyBoard>
""",
)

#: Puts what it gets to a queue, which it promotes.
AUDIT = flow_file(
    "shop/Audit.subflow",
    ["ComIbmMQOutput.msgnode"],
    """    <eStructuralFeatures xmi:type="ecore:EAttribute" xmi:id="Property.queue" name="queue" \
defaultValueLiteral="AUDIT">
      <eType xmi:type="ecore:EDataType" href="http://www.eclipse.org/emf/2002/Ecore#//EString"/>
    </eStructuralFeatures>
    <translation xmi:type="utility:TranslatableString" key="Audit" bundleName="shop/Audit" pluginId="Shop"/>
    <composition>
      <nodes xmi:type="eflow:FCMSource" xmi:id="InTerminal.Input" location="10,20">
        <translation xmi:type="utility:TranslatableString" key="InTerminal.Input" bundleName="Audit" pluginId="Shop"/>
      </nodes>
      <nodes xmi:type="eflow:FCMSink" xmi:id="OutTerminal.Output" location="210,20">
        <translation xmi:type="utility:TranslatableString" key="OutTerminal.Done" bundleName="Audit" pluginId="Shop"/>
      </nodes>
      <nodes xmi:type="ComIbmMQOutput.msgnode:FCMComposite_1" xmi:id="FCMComposite_1_1" location="110,20" \
queueName="X" transactionMode="no">
        <translation xmi:type="utility:ConstantString" string="Keep copy"/>
      </nodes>
      <connections xmi:type="eflow:FCMConnection" xmi:id="FCMConnection_1" targetNode="FCMComposite_1_1" \
sourceNode="InTerminal.Input" sourceTerminalName="OutTerminal.out" targetTerminalName="InTerminal.in"/>
      <connections xmi:type="eflow:FCMConnection" xmi:id="FCMConnection_2" targetNode="OutTerminal.Output" \
sourceNode="FCMComposite_1_1" sourceTerminalName="OutTerminal.out" targetTerminalName="InTerminal.in"/>
    </composition>
    <propertyOrganizer>
      <propertyDescriptor groupName="Group.Basic" configurable="true" describedAttribute="Property.queue"/>
    </propertyOrganizer>
    <attributeLinks promotedAttribute="Property.queue" overriddenNodes="FCMComposite_1_1">
      <overriddenAttribute href="ComIbmMQOutput.msgnode#Property.queueName"/>
    </attributeLinks>
    <stickyBoard/>
""",
)
