"""Descriptions of node types: terminals, properties with their defaults, tables. Data only; it runs nothing.

One function for each drawer of the palette. A row is a name, a title, `inputs > outputs`, the properties, the tables.

Defaults come from three sources, in this order: values that compiled flows in public BAR files carry, values that
public flow files never write out, product documentation. A property without a default has "".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from flintmq.broker.flow.model import INPUT_TERMINAL, NODE_SUFFIX, OUTPUT_TERMINAL


@dataclass(frozen=True, slots=True)
class NodeType:
    """One node type. `outputs` and `inputs` are the static terminals in the order in which the Toolkit shows them."""

    #: The type without its suffix: `ComIbmMQInput`. Compiled flows and exceptions call it `ComIbmMQInputNode`.
    name: str
    #: What developers call it: `MQInput`.
    title: str
    #: The drawer of the palette: MQ, HTTP, Routing, ...
    group: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    #: Every known property with its default.
    properties: Mapping[str, str]
    tables: tuple[str, ...] = ()
    #: Whether a developer may add terminals to a node of this type.
    dynamic_inputs: bool = False
    dynamic_outputs: bool = False
    #: Whether the terminals are known for certain; wires of other types are not checked.
    terminals_known: bool = True

    @property
    def type(self) -> str:
        """The type as flow files name it."""
        return self.name if self.name in (INPUT_TERMINAL, OUTPUT_TERMINAL) else self.name + NODE_SUFFIX

    @property
    def class_name(self) -> str:
        """The type as ExceptionList entries and recorded assemblies name it."""
        return class_name(self.name)

    @property
    def starts_flow(self) -> bool:
        """Whether the node is an input node: it has no input terminal and is not reached through a label."""
        return not self.inputs and not self.dynamic_inputs and self.name not in ("ComIbmLabel", INPUT_TERMINAL)


def class_name(type_name: str) -> str:
    """Return the name that ExceptionList entries have for a type: `ComIbmMQInput.msgnode` is `ComIbmMQInputNode`."""
    return type_name.removesuffix(NODE_SUFFIX).rpartition("/")[2] + "Node"


_DOMAIN: Final = {
    "messageDomainProperty": "",
    "messageSetProperty": "",
    "messageTypeProperty": "",
    "messageFormatProperty": "",
}
_VALIDATION: Final = {
    "validateMaster": "none",
    "validateFailureAction": "exception",
    "validateAllValueConstraints": "true",
    "validateFixup": "none",
}
#: Of output and request nodes: they validate as the input node says.
_VALIDATION_INHERITED: Final = {**_VALIDATION, "validateMaster": "inherit"}
_PARSER: Final = {
    "validateTiming": "deferred",
    "parserXmlnscBuildTreeUsingXMLSchema": "false",
    "parserXmlnscUseForXmlnsDomain": "false",
    "parserXmlnscMixedContentRetainMode": "none",
    "parserXmlnscCommentsRetainMode": "none",
    "parserXmlnscProcessingInstructionsRetainMode": "none",
}
_INPUT: Final = {**_DOMAIN, **_VALIDATION, **_PARSER}
_BYTES: Final = {"messageCodedCharSetIdProperty": "0", "messageEncodingProperty": "0"}
_INSTANCES: Final = {"componentLevel": "flow", "additionalInstances": "0"}
_MQ_CONNECTION: Final = {
    "connection": "SERVER",
    "destinationQueueManagerName": "",
    "queueManagerHostname": "",
    "listenerPortNumber": "",
    "channelName": "",
    "securityIdentity": "",
    "useSSL": "false",
    "SSLPeerName": "",
    "SSLCipherSpec": "",
    "SSLCertificateLabel": "",
    "policyUrl": "",
}
_DATABASE: Final = {
    "dataSource": "",
    "connectDatasourceBeforeFlowStarts": "false",
    "transaction": "automatic",
    "treatWarningsAsErrors": "false",
    "throwExceptionOnDatabaseError": "true",
}
_HTTP_CLIENT: Final = {
    "httpProxyLocation": "",
    "enableKeepAlive": "true",
    "requestCompressionType": "none",
    "acceptCompressedResponses": "false",
    "protocol": "TLS",
    "allowedCiphers": "",
    "hostnameChecking": "true",
    "keyAlias": "",
    "enableCRLCheck": "false",
    "securityProfileName": "",
    "policyUrl": "",
}
_RETRY: Final = {
    "retryMechanism": "failure",
    "retryThreshold": "0",
    "shortRetryInterval": "0",
    "longRetryInterval": "300",
}
_FTP: Final = {
    "fileFtp": "false",
    "remoteTransferType": "FTP",
    "fileFtpServer": "",
    "fileFtpUser": "",
    "fileFtpDirectory": ".",
    "fileFtpTransferMode": "binary",
    "fileFtpScanDelay": "60",
}
_RECORDS: Final = {
    "recordDetection": "wholeFile",
    "recordLength": "80",
    "recordDelimiter": "newline",
    "customDelimiter": "",
    "delimiterType": "postfix",
    "skipFirstRecord": "false",
}
_JMS: Final = {
    "initialContextFactory": "com.sun.jndi.fscontext.RefFSContextFactory",
    "locationJndiBindings": "",
    "connectionFactoryName": "",
    "backoutDestination": "",
    "backoutThreshold": "0",
}
_WSDL: Final = {
    "wsdlOperationMode": "wsdl",
    "wsdlFileName": "",
    "selectedPortType": "",
    "selectedBinding": "",
    "selectedOperation": "",
    "selectedPort": "",
    "targetNamespace": "",
    "useHTTPTransport": "true",
    "usingWsAddressing": "false",
    "populateLocalEnvWithWSAInfo": "false",
    "policySet": "",
    "policySetBindings": "",
    "securityProfileName": "",
}
#: SOAP over JMS.
_SOAP_JMS: Final = {
    **_JMS,
    "targetService": "",
    "propertySelector": "",
    "timeStampSelector": "",
    "messageDeliveryModeSelector": "all",
    "messagePrioritySelector": "",
    "messageIDSelector": "",
    "messageRedeliveredSelector": "",
    "messageCorrelationIDSelector": "",
}
_SOAP_CLIENT: Final = {
    **_WSDL,
    **_JMS,
    "jmsDestination": "",
    "jmsReplyToDestination": "",
    "requestTimeoutJMS": "120000",
    "targetService": "",
    "deliveryMode": "persistent",
    "messagePriority": "4",
    "messageExpiration": "0",
    "messageType": "bytes",
    "webServiceURL": "",
    "requestTimeout": "120",
    "httpProxyLocation": "",
    "sslProtocol": "TLS",
    "allowedSSLCiphers": "",
    "requestCompressionType": "none",
    "acceptCompressedResponses": "false",
    "hostnameChecking": "true",
    "keyAlias": "",
    "enableCRLCheck": "false",
    "allowMTOM": "no",
}
_TCPIP: Final = {
    "connectionDetails": "",
    "timeoutWaitingForData": "60",
    "timeoutSendingData": "60",
    "modifyInputStream": "leaveUnchanged",
    "modifyOutputStream": "leaveUnchanged",
    "idLocation": "",
}
_CALL: Final = {"targetApplication": "", "targetEndpointName": "", "requestTimeout": "120"}
_REST_CALL: Final = {
    "definitionType": "swagger_20",
    "definitionFile": "",
    "operationName": "",
    "baseURL": "",
    "followRedirection": "false",
    "timeoutForServer": "120",
    "securityIdentity": "",
    **_HTTP_CLIENT,
}
_ADAPTER: Final = {
    "adapterComponent": "",
    "secondaryAdapterMode": "none",
    "messageSetProperty": "",
    "sapReplyTimeout": "",
}
_GROUP_REQUEST: Final = {"AddRequestToGroup": "false", "GroupRequestFolderName": "", "GroupRequestTimeout": "0"}
_MQ_OUTPUT: Final = {
    "queueManagerName": "",
    "queueName": "",
    **_MQ_CONNECTION,
    "destinationMode": "fixed",
    "transactionMode": "automatic",
    "persistenceMode": "automatic",
    "newMsgId": "false",
    "newCorrelId": "false",
    "segmentationAllowed": "false",
    "messageContext": "passAll",
    "alternateUserAuthority": "false",
    "request": "false",
    "replyToQMgr": "",
    "replyToQ": "",
    **_VALIDATION_INHERITED,
    "securityProfileName": "",
    **_GROUP_REQUEST,
}
_MQ_HEADER: Final = {
    "mqmdAAAOptions": "Carry forward header",
    "mqmdCodedCharSetId": "MQCCSI_Q_MGR",
    "mqmdFormat": "MQFMT_NONE",
    "mqmdVersion": "MQMD_VERSION_1",
    "mqmdMsgType": "MQMT_DATAGRAM",
    "mqmdExpiry": "MQEI_UNLIMITED",
    "mqmdFeedback": "MQFB_NONE",
    "mqmdPriority": "MQPRI_PRIORITY_AS_Q_DEF",
    "mqmdPersistence": "MQPER_PERSISTENCE_AS_Q_DEF",
    "mqmdMsgId": "MQMI_NONE",
    "mqmdCorrelId": "MQCI_NONE",
    "mqmdReplyToQ": "",
    "mqmdReplyToQMgr": "",
    "mqdlhAAAOptions": "Carry forward header",
    "mqdlhCodedCharSetId": "",
    "mqdlhFormat": "MQFMT_NONE",
    "mqdlhReason": "MQRC_NONE",
    "mqdlhDestQName": "",
    "mqdlhDestQMgrName": "",
    "mqdlhPutApplType": "",
    "mqdlhPutApplName": "",
    "mqdlhPutDate": "",
    "mqdlhPutTime": "",
}


@dataclass(slots=True)
class _Group:
    """Collects the types of one drawer of the palette."""

    group: str
    types: list[NodeType] = field(default_factory=list)

    def add(
        self,
        name: str,
        title: str,
        terminals: str,
        properties: Mapping[str, str] = MappingProxyType({}),
        tables: tuple[str, ...] = (),
    ) -> None:
        """Add a type. `terminals` is `inputs > outputs`; `*` allows dynamic ones, `?` says they are uncertain."""
        left, _, right = terminals.partition(">")
        inputs, outputs = left.split(), right.split()
        self.types.append(
            NodeType(
                name=name,
                title=title,
                group=self.group,
                inputs=tuple(each for each in inputs if each not in "*?"),
                outputs=tuple(each for each in outputs if each not in "*?"),
                properties=MappingProxyType(dict(properties)),
                tables=(*tables, "nsMappingTable", "monitorEvents"),
                dynamic_inputs="*" in inputs,
                dynamic_outputs="*" in outputs,
                terminals_known="?" not in terminals,
            )
        )


def _mq() -> list[NodeType]:
    mq = _Group("MQ")
    opaque = ("parserXmlnscOpaqueElements",)
    browse = {"browse": "false", "resetBrowseTimeout": "-1"}
    convert = {"convert": "false", "convertEncoding": "546", "convertCodedCharSetId": ""}
    mq.add(
        "ComIbmMQInput",
        "MQInput",
        "> failure out catch",
        {
            "queueName": "",
            **_MQ_CONNECTION,
            **_INPUT,
            "topicProperty": "",
            "transactionMode": "yes",
            "orderMode": "default",
            "orderFieldLocation": "",
            "logicalOrder": "true",
            "allMsgsAvailable": "false",
            "matchMsgId": "",
            "matchCorrelId": "",
            **convert,
            "commitByMessageGroup": "false",
            "serializationToken": "",
            **browse,
            "securityProfileName": "",
            "identityType": "none",
            **_INSTANCES,
        },
        opaque,
    )
    mq.add("ComIbmMQOutput", "MQOutput", "in > failure out", _MQ_OUTPUT)
    reply = {
        "segmentationAllowed": "false",
        "persistenceMode": "automatic",
        "transactionMode": "automatic",
        **_MQ_CONNECTION,
        **_VALIDATION_INHERITED,
    }
    mq.add("ComIbmMQReply", "MQReply", "in > failure out", reply)
    mq.add(
        "ComIbmMQGet",
        "MQGet",
        "in > failure warning noMessage out",
        {
            "queueName": "",
            **_MQ_CONNECTION,
            **_INPUT,
            "transactionMode": "automatic",
            "generateMode": "message",
            "copyMessage": "none",
            "waitInterval": "1000",
            "minimumBufferSize": "4",
            "getWithMessageID": "false",
            "getWithCorrelID": "false",
            "useCompleteInputMQMD": "false",
            "inputMQMDLocation": "",
            "mqgmoLocation": "",
            "resultDataLocation": "",
            "outputDataLocation": "",
            "outputMQParmsLocation": "",
            "warningDataLocation": "",
            "includeMessageContentsInOutputMessage": "true",
            "browse": "false",
            "browseFirst": "false",
            "resetBrowseCursor": "false",
            "securityProfileName": "",
            **convert,
        },
        opaque,
    )
    mq.add("ComIbmMQHeader", "MQHeader", "in > failure out", _MQ_HEADER)
    publication = {
        "subscriptionPoint": "",
        "implicitStreamNaming": "true",
        "temporaryDynamicQueue": "true",
        **_MQ_CONNECTION,
        **_VALIDATION_INHERITED,
    }
    mq.add("ComIbmPublication", "Publication", "in > failure out noMatch", publication)
    for name, title, terminals in (
        ("ComIbmMQeInput", "MQeInput", "> failure out catch"),
        ("ComIbmMQeOutput", "MQeOutput", "in > failure out"),
        ("ComIbmSCADAInput", "SCADAInput", "> failure out catch"),
        ("ComIbmSCADAOutput", "SCADAOutput", "in > failure out"),
        ("ComIbmRealTimeInput", "Real-timeInput", "> failure out"),
        ("ComIbmRealTimeOptimizedFlow", "Real-timeOptimizedFlow", "? >"),
    ):
        mq.add(name, title, terminals, _INPUT)
    return mq.types


def _jms() -> list[NodeType]:
    jms = _Group("JMS")
    source = {"sourceQueueName": "", **_JMS, **_INPUT, "transactionMode": "none"}
    subscription = {"topic": "", "durableSubscriptionID": "", "jmsProviderName": "", "messageSelector": ""}
    jms.add("ComIbmJMSClientInput", "JMSInput", "> failure out catch", {**source, **subscription, **_INSTANCES})
    target = {
        "destinationQueueName": "",
        "topic": "",
        "replyToDestination": "",
        "useDistList": "false",
        **_JMS,
        "deliveryMode": "automatic",
        "messageExpiration": "0",
        "messagePriority": "4",
        "messageType": "bytes",
        "newCorrelId": "false",
        "transactionMode": "none",
        **_VALIDATION_INHERITED,
    }
    jms.add("ComIbmJMSClientOutput", "JMSOutput", "in > failure out", target)
    jms.add("ComIbmJMSClientReply", "JMSReply", "in > failure out", target)
    receive = {**source, "receiveTimeOut": "1000"}
    jms.add("ComIbmJMSClientReceive", "JMSReceive", "in > failure noMessage out", receive)
    header = {
        "jmsHeaderOptions": "Carry forward header",
        "jmsDeliveryMode": "Non_Persistent",
        "jmsExpiration": "0",
        "jmsPriority": "4",
        "jmsCorrelationID": "",
        "jmsReplyTo": "",
    }
    jms.add("ComIbmJMSHeader", "JMSHeader", "in > failure out", header)
    jms.add("ComIbmJMSMQTransform", "JMSMQTransform", "in > failure out")
    jms.add("ComIbmMQJMSTransform", "MQJMSTransform", "in > failure out")
    return jms.types


def _http() -> list[NodeType]:
    http = _Group("HTTP")
    listen = {
        "URLSpecifier": "",
        "useHTTPS": "false",
        "timeoutForClient": "180",
        "parseQueryString": "false",
        "setDestinationList": "false",
        "faultFormat": "SOAP 1.1",
        "decompressInputMessage": "false",
        "securityProfileName": "",
        "identityType": "none",
        **_INPUT,
        **_INSTANCES,
    }
    http.add("ComIbmWSInput", "HTTPInput", "> failure timeout out catch", listen, ("parserXmlnscOpaqueElements",))
    reply = {
        "ignoreTransportFailures": "true",
        "replyOnTransportFailure": "true",
        "generateDefaultHttpHeaders": "true",
        "compressionType": "noCompression",
        **_VALIDATION_INHERITED,
    }
    http.add("ComIbmWSReply", "HTTPReply", "in > failure out", reply)
    call = {"URLSpecifier": "", "timeoutForServer": "120", "httpMethod": "POST", "httpVersion": "1.0", **_HTTP_CLIENT}
    locations = {
        "followRedirection": "false",
        "useWholeInputMsgAsRequest": "true",
        "requestMsgLocationInTree": "InputRoot",
        "replaceInputMsgWithWSResponse": "true",
        "responseMsgLocationInTree": "OutputRoot",
        "generateDefaultHttpHeaders": "true",
        "errorMsgLocationInTree": "OutputRoot",
        "replaceInputMsgWithWSError": "true",
    }
    request = {**call, **locations, **_INPUT}
    http.add("ComIbmWSRequest", "HTTPRequest", "in > failure error out", request, ("parserXmlnscOpaqueElements",))
    asynchronous = {**call, "httpVersion": "1.1", "asyncResponseCorrelator": "", **_VALIDATION_INHERITED}
    http.add("ComIbmHTTPAsyncRequest", "HTTPAsyncRequest", "in > failure out", {**asynchronous, **_GROUP_REQUEST})
    response = {"asyncRequestCorrelator": "", **_INPUT, **_INSTANCES}
    http.add("ComIbmHTTPAsyncResponse", "HTTPAsyncResponse", "> failure error out catch", response)
    headers = ("httpInputHeader", "httpResponseHeader", "httpRequestHeader", "httpReplyHeader")
    http.add(
        "ComIbmHTTPHeader",
        "HTTPHeader",
        "in > failure out",
        dict.fromkeys(headers, "CarryForward"),
        ("nameValue4RequestHeader", "nameValue4ReplyHeader", "nameValue4InputHeader", "nameValue4ResponseHeader"),
    )
    rest = _Group("REST")
    rest.add("ComIbmRESTRequest", "RESTRequest", "in > failure error out", {**_REST_CALL, **_INPUT}, ("parameters",))
    rest.add(
        "ComIbmRESTAsyncRequest",
        "RESTAsyncRequest",
        "in > failure out",
        {**_REST_CALL, "asyncResponseCorrelator": ""},
        ("parameters",),
    )
    rest.add(
        "ComIbmRESTAsyncResponse",
        "RESTAsyncResponse",
        "> failure error out catch",
        {"asyncRequestCorrelator": "", **_INPUT, **_INSTANCES},
    )
    rest.add("ComIbmAppConnectRESTRequest", "AppConnectRESTRequest", "in ? > failure error out", _INPUT)
    return [*http.types, *rest.types]


def _soap() -> list[NodeType]:
    soap = _Group("SOAP")
    headers = ("mustUnderstandHeaders", "mustUnderstandHeadersWSDLDefined")
    listen = {
        **_WSDL,
        **_SOAP_JMS,
        "urlSelector": "",
        "useHTTPS": "false",
        "maxClientWaitTime": "180",
        "allowQueryWSDL": "true",
        "extractSOAPBody": "false",
        "setDestinationList": "true",
        "sendProcessingFaultsToFailure": "false",
        **_INPUT,
        **_INSTANCES,
    }
    soap.add("ComIbmSOAPInput", "SOAPInput", "> failure timeout out catch", listen, headers)
    reply = {"allowMTOM": "inherit", "securityProfileName": "", **_VALIDATION_INHERITED}
    soap.add("ComIbmSOAPReply", "SOAPReply", "in > failure out", reply)
    headers = ("mustUnderstandResponseHeaders", "mustUnderstandResponseHeadersWSDLDefined")
    soap.add("ComIbmSOAPRequest", "SOAPRequest", "in > failure out fault", {**_SOAP_CLIENT, **_INPUT}, headers)
    asynchronous = {**_SOAP_CLIENT, "asyncResponseCorrelator": "", "useAsyncSocket": "false", **_DOMAIN}
    soap.add("ComIbmSOAPAsyncRequest", "SOAPAsyncRequest", "in > failure out", asynchronous, headers)
    response = {"asyncRequestCorrelator": "", **_INPUT, **_INSTANCES}
    soap.add("ComIbmSOAPAsyncResponse", "SOAPAsyncResponse", "> failure out fault catch", response)
    envelope = {"createEnvelope": "false", "useExistingSoapEnvelope": "false", "envelopeLocation": ""}
    soap.add("ComIbmSOAPEnvelope", "SOAPEnvelope", "in > failure out", envelope)
    extract = {
        "removeEnvelope": "true",
        "envelopeDestination": "$LocalEnvironment/SOAP/Envelope",
        "routeToOperation": "true",
        "destinationPathMode": "",
        "labelPrefix": "",
    }
    soap.add("ComIbmSOAPExtract", "SOAPExtract", "in > failure out", extract)
    soap.add("ComIbmSRRetrieveEntity", "RegistryLookup", "in > failure noMatch out")
    soap.add("ComIbmSRRetrieveITService", "EndpointLookup", "in > failure noMatch out")
    return soap.types


def _routing() -> list[NodeType]:
    routing = _Group("Routing")
    expression = {"filterExpression": "", **_DATABASE}
    routing.add("ComIbmFilter", "Filter", "in > failure unknown false true", expression)
    routing.add("ComIbmLabel", "Label", "> out", {"labelName": ""})
    routing.add("ComIbmRoute", "Route", "in > failure default *", {"distributionMode": "all"}, ("filterTable",))
    routing.add("ComIbmRouteToLabel", "RouteToLabel", "in > failure", {"mode": "routeToLast"})
    control = {"aggregateName": "", "timeoutInterval": "0", "timeoutLocation": ""}
    routing.add("ComIbmAggregateControl", "AggregateControl", "in > failure out control", control)
    routing.add("ComIbmAggregateRequest", "AggregateRequest", "in > failure out", {"folderName": ""})
    reply = {"aggregateName": "", "unsolicitedTimeout": "0", "transactionMode": "true"}
    routing.add("ComIbmAggregateReply", "AggregateReply", "in control > failure unknown out timeout catch", reply)
    collector = {
        "collectionName": "",
        "collectionExpiry": "0",
        "eventCoordination": "Disabled",
        "persistenceMode": "non-persistent",
        "configurableService": "",
    }
    routing.add(
        "ComIbmCollector",
        "Collector",
        "control * > failure expire out catch",
        collector,
        ("eventHandlerPropertyTable",),
    )
    sequence = {"correlationPath": "", "startOfSequence": "1", "endOfSequence": ""}
    resequence = {**sequence, "sequencePath": "", "missingMessageTimeout": "0", "persistenceMode": "non-persistent"}
    routing.add("ComIbmReSequence", "Resequence", "in > failure expire missing out catch", resequence)
    routing.add("ComIbmSequence", "Sequence", "in > failure out", {**sequence, "pathToStoreSequenceNo": ""})
    group = {"GroupName": ""}
    routing.add("ComIbmGroupScatter", "GroupScatter", "in > failure out", {**group, "GroupTimeout": "0"})
    routing.add("ComIbmGroupGather", "GroupGather", "in > failure unknown", {**group, "UnknownMessageTimeout": "0"})
    routing.add("ComIbmGroupComplete", "GroupComplete", "> failure timeout unknown out catch", {**group, **_INSTANCES})
    return routing.types


def _transformation() -> list[NodeType]:
    change = _Group("Transformation")
    compute = {"computeExpression": "", "computeMode": "message", **_DATABASE, **_VALIDATION}
    change.add("ComIbmCompute", "Compute", "in > failure out out1 out2 out3 out4", compute)
    java = {"javaClass": "", "javaClassLoader": "", **_VALIDATION}
    change.add("ComIbmJavaCompute", "JavaCompute", "in > failure out alternate", java)
    python = {"pythonFunction": "", **_VALIDATION}
    change.add("FlintPythonCompute", "PythonCompute", "in > failure out alternate", python)
    dotnet = {
        "assemblyName": "",
        "nodeClassName": "",
        "appDomainName": "",
        "assemblyVersion": "",
        "assemblyCulture": "",
        "assemblyPublicKeyToken": "",
        **_VALIDATION,
    }
    change.add("ComIbmDotNetCompute", ".NETCompute", "in > failure out alternate", dotnet)
    change.add("ComIbmDotNetInput", ".NETInput", "> failure out catch", {**dotnet, **_INPUT})
    change.add("ComIbmPHPCompute", "PHPCompute", "in > failure out", _VALIDATION)
    mapping = {"mappingExpression": "", "mappingMode": "message", **_DATABASE, **_VALIDATION}
    change.add("ComIbmMSLMapping", "Mapping", "in > failure out", mapping)
    change.add("ComIbmMapping", "Mapping(V5)", "in > failure out", mapping)
    style = {"stylesheetName": "", "stylesheetDirectory": "", "stylesheetPath": "", "outputFormat": "", **_INPUT}
    change.add("ComIbmXslMqsi", "XSLTransform", "in > failure out", style, ("parameters",))
    construction = _Group("Construction")
    construction.add(INPUT_TERMINAL, "Input", "> out")
    construction.add(OUTPUT_TERMINAL, "Output", "in >")
    trace = {
        "destination": "userTrace",
        "filePath": "",
        "pattern": "",
        "messageCatalog": "",
        "messageNumber": "3051",
    }
    construction.add("ComIbmTrace", "Trace", "in > out", trace)
    throw = {"messageCatalog": "", "messageNumber": "3001", "messageText": ""}
    construction.add("ComIbmThrow", "Throw", "in >", throw)
    construction.add("ComIbmTryCatch", "TryCatch", "in > catch try")
    construction.add("ComIbmFlowOrder", "FlowOrder", "in > failure first second")
    construction.add("ComIbmPassthru", "Passthrough", "in > out")
    reset = {
        "messageDomain": "",
        "resetMessageDomain": "false",
        "messageSet": "",
        "resetMessageSet": "false",
        "messageType": "",
        "resetMessageType": "false",
        "messageFormat": "",
        "resetMessageFormat": "false",
        **_VALIDATION,
        **_PARSER,
    }
    construction.add("ComIbmResetContentDescriptor", "ResetContentDescriptor", "in > failure out", reset)
    log = {"logLevel": "Info", "logMessage": ""}
    construction.add("ComIbmLog", "Log", "in > failure out", log, ("requestMap", "mappingInput"))
    check = {"domain": "", "checkDomain": "false", "set": "", "checkSet": "false", "type": "", "checkType": "false"}
    validation = _Group("Validation")
    validation.add("ComIbmValidate", "Validate", "in > failure match", {**check, **_VALIDATION})
    validation.add("ComIbmSecurityPEP", "SecurityPEP", "in > failure out", {"securityProfileName": ""})
    return [*change.types, *construction.types, *validation.types]


def _database() -> list[NodeType]:
    database = _Group("Database")
    database.add("ComIbmDatabase", "Database", "in > failure out", {"statement": "", **_DATABASE})
    poll = {"databaseInputExpression": "", "dataSource": "", "waitInterval": "5", **_RETRY, **_INSTANCES}
    database.add("ComIbmDatabaseInput", "DatabaseInput", "> failure out catch", poll)
    query = {
        "dataSourceName": "",
        "sqlQuery": "",
        "copyMessage": "false",
        "allRows": "false",
        "tableNameComboValues": "",
        "columnNameComboValues": "",
        "operatorComboValues": "",
        "valueTypeComboValues": "",
        "columnValueComboValues": "",
        **_VALIDATION,
    }
    tables = ("queryElements", "dataElements")
    database.add("ComIbmDatabaseRetrieve", "DatabaseRetrieve", "in > failure out keyNotFound", query, tables)
    route = {**query, "distributionMode": "all"}
    tables = ("queryElements", "filterTable")
    database.add("ComIbmDatabaseRoute", "DatabaseRoute", "in > failure default keyNotFound *", route, tables)
    for name, title in (
        ("ComIbmDataInsert", "DataInsert"),
        ("ComIbmDataUpdate", "DataUpdate"),
        ("ComIbmDataDelete", "DataDelete"),
        ("ComIbmWarehouse", "Warehouse"),
        ("ComIbmExtract", "Extract"),
    ):
        database.add(name, title, "in > failure out", {"mappingExpression": "", **_DATABASE})
    return database.types


def _files() -> list[NodeType]:
    files = _Group("File")
    scan = {
        "inputDirectory": "",
        "recursiveDirectories": "false",
        "filenamePattern": "*",
        "excludePattern": "",
        "processedFileAction": "delete",
        "failedFileAction": "moveToBackout",
        "replaceDuplicateArchives": "false",
        "waitInterval": "5",
        **_BYTES,
        **_RECORDS,
        **_RETRY,
        **_FTP,
        **_INPUT,
        **_INSTANCES,
    }
    files.add("ComIbmFileInput", "FileInput", "> failure EOD out catch", scan)
    write = {
        "outputDirectory": "",
        "outputFilename": "",
        "requestDirectoryLocation": "$LocalEnvironment/Destination/File/Directory",
        "requestNameLocation": "$LocalEnvironment/Destination/File/Name",
        "dataLocation": "$Body",
        "outputMode": "replace",
        "writeMode": "stage",
        "replaceDuplicateArchives": "false",
        "recordDefinition": "wholeFile",
        "recordLength": "80",
        "paddingBytes": "20",
        "recordDelimiter": "eitherLineend",
        "customDelimiter": "",
        "delimiterType": "postfix",
        "failedFileAction": "",
        **_FTP,
        **_VALIDATION_INHERITED,
    }
    files.add("ComIbmFileOutput", "FileOutput", "in EOD > failure EOD out", write)
    read = {
        "inputDirectory": "",
        "filenamePattern": "",
        "requestDirectoryLocation": "$LocalEnvironment/Destination/File/Directory",
        "requestNameLocation": "$LocalEnvironment/Destination/File/Name",
        "fileDispositionAction": "noAction",
        "replaceDuplicateArchives": "false",
        "deleteRemoteFileOnTransfer": "false",
        "outputDataLocation": "$OutputRoot",
        "resultDataLocation": "$ResultRoot",
        "copyLocalEnvironment": "true",
        **_BYTES,
        **_RECORDS,
        "recordDelimiter": "eitherLineend",
        **_FTP,
        **_INPUT,
    }
    files.add("ComIbmFileRead", "FileRead", "in > failure noMatch out finishFile", read)
    files.add("ComIbmFileExists", "FileExists", "in ? > failure out", {"inputDirectory": "", "filenamePattern": ""})
    files.add("ComIbmFileIterator", "FileIterator", "in ? > failure out", {"inputDirectory": "", "filenamePattern": ""})
    for name, title, terminals in (
        ("ComIbmFTEInput", "FTEInput", "> failure EOD out catch"),
        ("ComIbmFTEOutput", "FTEOutput", "in EOD > failure EOD out"),
        ("ComIbmCDInput", "CDInput", "> failure EOD out catch"),
        ("ComIbmCDOutput", "CDOutput", "in EOD > failure EOD out"),
    ):
        files.add(name, title, terminals, {**_INPUT, **_RECORDS})
    mail = _Group("Email")
    inbox = {"emailServer": "", "securityIdentity": "", "waitInterval": "5", **_RETRY, **_INPUT, **_INSTANCES}
    mail.add("ComIbmEmailInput", "EmailInput", "> failure out catch", inbox)
    send = (
        "smtpServer securityIdentity toAddresses ccAddresses bccAddresses fromAddress replyTo subject messageText "
        "attachment attachmentName"
    )
    kinds = {"bodyContentType": "text/plain", "attachmentContentType": "text/plain"}
    mail.add(
        "ComIbmEmailOutput",
        "EmailOutput",
        "in > failure out",
        {**dict.fromkeys(send.split(), ""), **kinds, **_VALIDATION_INHERITED},
    )
    return [*files.types, *mail.types]


def _timers_and_calls() -> list[NodeType]:
    timer = _Group("Timer")
    control = {"uniqueIdentifier": "", "requestLocation": "InputLocalEnvironment.TimeoutRequest"}
    timer.add(
        "ComIbmTimeoutControl", "TimeoutControl", "in > failure out", {**control, "requestPersistence": "automatic"}
    )
    notify = {"uniqueIdentifier": "", "transactionMode": "yes", "operationMode": "automatic", "timeoutInterval": "1"}
    timer.add("ComIbmTimeoutNotification", "TimeoutNotification", "> failure out catch", {**notify, **_INPUT})
    timer.add("ComIbmScheduler", "Scheduler", "? > out")
    call = _Group("Callable flow")
    domains = ("supportedDomains",)
    listen = {"callableInputEndpoint": "", **_INSTANCES}
    call.add("ComIbmCallableFlowInput", "CallableFlowInput", "> failure out catch", listen, domains)
    call.add("ComIbmCallableFlowReply", "CallableFlowReply", "in > failure out", {}, domains)
    call.add("ComIbmCallableFlowInvoke", "CallableFlowInvoke", "in > failure error out", _CALL, domains)
    asynchronous = {**_CALL, "asyncResponseCorrelator": ""}
    call.add("ComIbmCallableFlowAsyncInvoke", "CallableFlowAsyncInvoke", "in > failure out", asynchronous, domains)
    response = {"asyncResponseCorrelator": "", **_INSTANCES}
    call.add(
        "ComIbmCallableFlowAsyncResponse", "CallableFlowAsyncResponse", "> failure error out catch", response, domains
    )
    return [*timer.types, *call.types]


def _connectors() -> list[NodeType]:
    sockets = _Group("TCPIP")
    for side in ("Client", "Server"):
        receive = {**_TCPIP, **_BYTES, **_RECORDS, **_INPUT}
        listen = {**receive, **_RETRY, **_INSTANCES}
        name = f"ComIbmTCPIP{side}"
        sockets.add(f"{name}Input", f"TCPIP{side}Input", "> failure open close out catch", listen)
        sockets.add(
            f"{name}Output", f"TCPIP{side}Output", "in close > failure close out", {**_TCPIP, **_VALIDATION_INHERITED}
        )
        sockets.add(f"{name}Receive", f"TCPIP{side}Receive", "in > failure timeout close out", receive)
    streams = _Group("Kafka and MQTT")
    broker = {"connectorName": "", "topicName": "", "bootstrapServers": "", "clientId": "", "useClientIdSuffix": "true"}
    place = "com/ibm/connector"
    secure = {"securityProtocol": "PLAINTEXT", "sslProtocol": "TLSv1.2"}
    consume = {
        **broker,
        **secure,
        "groupId": "",
        "initialOffset": "latest",
        "enableAutoCommit": "true",
        "connectionTimeout": "15",
        "sessionTimeout": "10",
        "receiveBatchSize": "1",
        **_INPUT,
        **_INSTANCES,
    }
    produce = {**broker, **secure, "acks": "1", "timeout": "60", **_VALIDATION_INHERITED}
    streams.add(f"{place}/kafka/ComIbmEventInput", "KafkaConsumer", "> failure out catch", consume)
    streams.add(f"{place}/kafka/ComIbmOutput", "KafkaProducer", "in > failure out", produce)
    streams.add(f"{place}/kafka/ComIbmRequest", "KafkaRead", "in ? > failure noMessage out", {**broker, **_INPUT})
    client = {"connectorName": "MQTT", "hostName": "", "port": "1883", "qos": "0", "topicName": "", "clientId": ""}
    streams.add(f"{place}/mqtt/ComIbmEventInput", "MQTTSubscribe", "> failure out catch", {**client, **_INPUT})
    streams.add(f"{place}/mqtt/ComIbmOutput", "MQTTPublish", "in > failure out", {**client, **_VALIDATION_INHERITED})
    for kind, title in (("salesforce", "SalesforceRequest"), ("loopback", "LoopBackRequest")):
        names = "connectorName url dataSource object operation securityIdentity"
        request = {
            **dict.fromkeys(names.split(), ""),
            "timeoutMilliseconds": "5000",
            "dataLocation": "$Body",
            "outputDataLocation": "$OutputRoot",
            "copyToLocalEnv": "true",
            **_INPUT,
        }
        streams.add(f"{place}/{kind}/ComIbmRequest", title, "in > failure error out ?", request)
    systems = _Group("Enterprise systems")
    for system in ("SAP", "Siebel", "PeopleSoft", "JDEdwards", "Twineball"):
        systems.add(
            f"ComIbm{system}Input", f"{system}Input", "> failure out catch", {**_ADAPTER, **_RETRY, **_INSTANCES}
        )
        request = {
            **_ADAPTER,
            "defaultMethod": "",
            "securityProfileName": "NULL",
            "dataLocation": "$Body",
            "copyLocalEnvironment": "true",
        }
        systems.add(f"ComIbm{system}Request", f"{system}Request", "in > failure out", request)
    systems.add("ComIbmSAPReply", "SAPReply", "in > failure out", {"replyIdLocation": ""})
    cics = {"cicsServer": "", "cicsProgramName": "", "cicsCommareaLen": "", "securityIdentity": "", **_INPUT}
    cics |= {"dataLocation": "$Body", "copyLocalEnvironment": "true", "requestTimeoutSecs": "30", "mirrorTran": ""}
    cics |= {"securityProfileName": "", "eibtrnidOnly": "false"}
    systems.add("ComIbmCICSIPICRequest", "CICSRequest", "in > failure error timeout out", cics)
    ims = {"useNodeProperties": "true", "hostname": "", "portNumber": "", "dataStoreName": "", **_INPUT}
    ims |= {"configurableService": "", "commitMode": "sendThenCommit"}
    systems.add("ComIbmIMSRequest", "IMSRequest", "in > failure timeout out", ims)
    systems.add("ComIbmCORBARequest", "CORBARequest", "in > failure error out", _INPUT)
    return [*sockets.types, *streams.types, *systems.types]


def catalogue() -> list[NodeType]:
    """Return every description."""
    drawers = (
        _mq,
        _jms,
        _http,
        _soap,
        _routing,
        _transformation,
        _database,
        _files,
        _timers_and_calls,
        _connectors,
    )
    return [description for drawer in drawers for description in drawer()]
