"""Node types of transports and other systems: MQ, JMS, HTTP, SOAP, files, e-mail, sockets, connectors. Data only."""

from __future__ import annotations

from typing import Final

from flintmq.broker.flow.node_properties import (
    ADAPTER,
    BYTES,
    DOMAIN,
    FTP,
    GROUP_REQUEST,
    HTTP_CLIENT,
    INPUT,
    INSTANCES,
    JMS,
    MQ_CONNECTION,
    MQ_HEADER,
    MQ_OUTPUT,
    RECORDS,
    REST_CALL,
    RETRY,
    SOAP_CLIENT,
    SOAP_JMS,
    TCPIP,
    VALIDATION_INHERITED,
    WSDL,
    Row,
)

_MQ_OPAQUE: Final = ("parserXmlnscOpaqueElements",)
_MQ_CONVERT: Final = {"convert": "false", "convertEncoding": "546", "convertCodedCharSetId": ""}
MQ_NODES: Final = (
    Row(
        "ComIbmMQInput",
        "MQInput",
        "> failure out catch",
        {
            "queueName": "",
            **MQ_CONNECTION,
            **INPUT,
            "topicProperty": "",
            "transactionMode": "yes",
            "orderMode": "default",
            "orderFieldLocation": "",
            "logicalOrder": "true",
            "allMsgsAvailable": "false",
            "matchMsgId": "",
            "matchCorrelId": "",
            **_MQ_CONVERT,
            "commitByMessageGroup": "false",
            "serializationToken": "",
            "browse": "false",
            "resetBrowseTimeout": "-1",
            "securityProfileName": "",
            "identityType": "none",
            **INSTANCES,
        },
        _MQ_OPAQUE,
    ),
    Row("ComIbmMQOutput", "MQOutput", "in > failure out", MQ_OUTPUT),
    Row(
        "ComIbmMQReply",
        "MQReply",
        "in > failure out",
        {
            "segmentationAllowed": "false",
            "persistenceMode": "automatic",
            "transactionMode": "automatic",
            **MQ_CONNECTION,
            **VALIDATION_INHERITED,
        },
    ),
    Row(
        "ComIbmMQGet",
        "MQGet",
        "in > failure warning noMessage out",
        {
            "queueName": "",
            **MQ_CONNECTION,
            **INPUT,
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
            **_MQ_CONVERT,
        },
        _MQ_OPAQUE,
    ),
    Row("ComIbmMQHeader", "MQHeader", "in > failure out", MQ_HEADER),
    Row(
        "ComIbmPublication",
        "Publication",
        "in > failure out noMatch",
        {
            "subscriptionPoint": "",
            "implicitStreamNaming": "true",
            "temporaryDynamicQueue": "true",
            **MQ_CONNECTION,
            **VALIDATION_INHERITED,
        },
    ),
    Row("ComIbmMQeInput", "MQeInput", "> failure out catch", INPUT),
    Row("ComIbmMQeOutput", "MQeOutput", "in > failure out", INPUT),
    Row("ComIbmSCADAInput", "SCADAInput", "> failure out catch", INPUT),
    Row("ComIbmSCADAOutput", "SCADAOutput", "in > failure out", INPUT),
    Row("ComIbmRealTimeInput", "Real-timeInput", "> failure out", INPUT),
    Row("ComIbmRealTimeOptimizedFlow", "Real-timeOptimizedFlow", "? >", INPUT),
)

_JMS_SOURCE: Final = {"sourceQueueName": "", **JMS, **INPUT, "transactionMode": "none"}
_JMS_TARGET: Final = {
    "destinationQueueName": "",
    "topic": "",
    "replyToDestination": "",
    "useDistList": "false",
    **JMS,
    "deliveryMode": "automatic",
    "messageExpiration": "0",
    "messagePriority": "4",
    "messageType": "bytes",
    "newCorrelId": "false",
    "transactionMode": "none",
    **VALIDATION_INHERITED,
}
JMS_NODES: Final = (
    Row(
        "ComIbmJMSClientInput",
        "JMSInput",
        "> failure out catch",
        {
            **_JMS_SOURCE,
            "topic": "",
            "durableSubscriptionID": "",
            "jmsProviderName": "",
            "messageSelector": "",
            **INSTANCES,
        },
    ),
    Row("ComIbmJMSClientOutput", "JMSOutput", "in > failure out", _JMS_TARGET),
    Row("ComIbmJMSClientReply", "JMSReply", "in > failure out", _JMS_TARGET),
    Row(
        "ComIbmJMSClientReceive", "JMSReceive", "in > failure noMessage out", {**_JMS_SOURCE, "receiveTimeOut": "1000"}
    ),
    Row(
        "ComIbmJMSHeader",
        "JMSHeader",
        "in > failure out",
        {
            "jmsHeaderOptions": "Carry forward header",
            "jmsDeliveryMode": "Non_Persistent",
            "jmsExpiration": "0",
            "jmsPriority": "4",
            "jmsCorrelationID": "",
            "jmsReplyTo": "",
        },
    ),
    Row("ComIbmJMSMQTransform", "JMSMQTransform", "in > failure out"),
    Row("ComIbmMQJMSTransform", "MQJMSTransform", "in > failure out"),
)

_HTTP_CALL: Final = {
    "URLSpecifier": "",
    "timeoutForServer": "120",
    "httpMethod": "POST",
    "httpVersion": "1.0",
    **HTTP_CLIENT,
}
HTTP_NODES: Final = (
    Row(
        "ComIbmWSInput",
        "HTTPInput",
        "> failure timeout out catch",
        {
            "URLSpecifier": "",
            "useHTTPS": "false",
            "timeoutForClient": "180",
            "parseQueryString": "false",
            "setDestinationList": "false",
            "faultFormat": "SOAP 1.1",
            "decompressInputMessage": "false",
            "securityProfileName": "",
            "identityType": "none",
            **INPUT,
            **INSTANCES,
        },
        ("parserXmlnscOpaqueElements",),
    ),
    Row(
        "ComIbmWSReply",
        "HTTPReply",
        "in > failure out",
        {
            "ignoreTransportFailures": "true",
            "replyOnTransportFailure": "true",
            "generateDefaultHttpHeaders": "true",
            "compressionType": "noCompression",
            **VALIDATION_INHERITED,
        },
    ),
    Row(
        "ComIbmWSRequest",
        "HTTPRequest",
        "in > failure error out",
        {
            **_HTTP_CALL,
            "followRedirection": "false",
            "useWholeInputMsgAsRequest": "true",
            "requestMsgLocationInTree": "InputRoot",
            "replaceInputMsgWithWSResponse": "true",
            "responseMsgLocationInTree": "OutputRoot",
            "generateDefaultHttpHeaders": "true",
            "errorMsgLocationInTree": "OutputRoot",
            "replaceInputMsgWithWSError": "true",
            **INPUT,
        },
        ("parserXmlnscOpaqueElements",),
    ),
    Row(
        "ComIbmHTTPAsyncRequest",
        "HTTPAsyncRequest",
        "in > failure out",
        {**_HTTP_CALL, "httpVersion": "1.1", "asyncResponseCorrelator": "", **VALIDATION_INHERITED, **GROUP_REQUEST},
    ),
    Row(
        "ComIbmHTTPAsyncResponse",
        "HTTPAsyncResponse",
        "> failure error out catch",
        {"asyncRequestCorrelator": "", **INPUT, **INSTANCES},
    ),
    Row(
        "ComIbmHTTPHeader",
        "HTTPHeader",
        "in > failure out",
        dict.fromkeys(
            ("httpInputHeader", "httpResponseHeader", "httpRequestHeader", "httpReplyHeader"), "CarryForward"
        ),
        ("nameValue4RequestHeader", "nameValue4ReplyHeader", "nameValue4InputHeader", "nameValue4ResponseHeader"),
    ),
)

REST_NODES: Final = (
    Row("ComIbmRESTRequest", "RESTRequest", "in > failure error out", {**REST_CALL, **INPUT}, ("parameters",)),
    Row(
        "ComIbmRESTAsyncRequest",
        "RESTAsyncRequest",
        "in > failure out",
        {**REST_CALL, "asyncResponseCorrelator": ""},
        ("parameters",),
    ),
    Row(
        "ComIbmRESTAsyncResponse",
        "RESTAsyncResponse",
        "> failure error out catch",
        {"asyncRequestCorrelator": "", **INPUT, **INSTANCES},
    ),
    Row("ComIbmAppConnectRESTRequest", "AppConnectRESTRequest", "in ? > failure error out", INPUT),
)

_SOAP_HEADERS: Final = ("mustUnderstandResponseHeaders", "mustUnderstandResponseHeadersWSDLDefined")
SOAP_NODES: Final = (
    Row(
        "ComIbmSOAPInput",
        "SOAPInput",
        "> failure timeout out catch",
        {
            **WSDL,
            **SOAP_JMS,
            "urlSelector": "",
            "useHTTPS": "false",
            "maxClientWaitTime": "180",
            "allowQueryWSDL": "true",
            "extractSOAPBody": "false",
            "setDestinationList": "true",
            "sendProcessingFaultsToFailure": "false",
            **INPUT,
            **INSTANCES,
        },
        ("mustUnderstandHeaders", "mustUnderstandHeadersWSDLDefined"),
    ),
    Row(
        "ComIbmSOAPReply",
        "SOAPReply",
        "in > failure out",
        {"allowMTOM": "inherit", "securityProfileName": "", **VALIDATION_INHERITED},
    ),
    Row("ComIbmSOAPRequest", "SOAPRequest", "in > failure out fault", {**SOAP_CLIENT, **INPUT}, _SOAP_HEADERS),
    Row(
        "ComIbmSOAPAsyncRequest",
        "SOAPAsyncRequest",
        "in > failure out",
        {**SOAP_CLIENT, "asyncResponseCorrelator": "", "useAsyncSocket": "false", **DOMAIN},
        _SOAP_HEADERS,
    ),
    Row(
        "ComIbmSOAPAsyncResponse",
        "SOAPAsyncResponse",
        "> failure out fault catch",
        {"asyncRequestCorrelator": "", **INPUT, **INSTANCES},
    ),
    Row(
        "ComIbmSOAPEnvelope",
        "SOAPEnvelope",
        "in > failure out",
        {"createEnvelope": "false", "useExistingSoapEnvelope": "false", "envelopeLocation": ""},
    ),
    Row(
        "ComIbmSOAPExtract",
        "SOAPExtract",
        "in > failure out",
        {
            "removeEnvelope": "true",
            "envelopeDestination": "$LocalEnvironment/SOAP/Envelope",
            "routeToOperation": "true",
            "destinationPathMode": "",
            "labelPrefix": "",
        },
    ),
    Row("ComIbmSRRetrieveEntity", "RegistryLookup", "in > failure noMatch out"),
    Row("ComIbmSRRetrieveITService", "EndpointLookup", "in > failure noMatch out"),
)

FILE_NODES: Final = (
    Row(
        "ComIbmFileInput",
        "FileInput",
        "> failure EOD out catch",
        {
            "inputDirectory": "",
            "recursiveDirectories": "false",
            "filenamePattern": "*",
            "excludePattern": "",
            "processedFileAction": "delete",
            "failedFileAction": "moveToBackout",
            "replaceDuplicateArchives": "false",
            "waitInterval": "5",
            **BYTES,
            **RECORDS,
            **RETRY,
            **FTP,
            **INPUT,
            **INSTANCES,
        },
    ),
    Row(
        "ComIbmFileOutput",
        "FileOutput",
        "in EOD > failure EOD out",
        {
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
            **FTP,
            **VALIDATION_INHERITED,
        },
    ),
    Row(
        "ComIbmFileRead",
        "FileRead",
        "in > failure noMatch out finishFile",
        {
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
            **BYTES,
            **RECORDS,
            "recordDelimiter": "eitherLineend",
            **FTP,
            **INPUT,
        },
    ),
    Row("ComIbmFileExists", "FileExists", "in ? > failure out", {"inputDirectory": "", "filenamePattern": ""}),
    Row("ComIbmFileIterator", "FileIterator", "in ? > failure out", {"inputDirectory": "", "filenamePattern": ""}),
    Row("ComIbmFTEInput", "FTEInput", "> failure EOD out catch", {**INPUT, **RECORDS}),
    Row("ComIbmFTEOutput", "FTEOutput", "in EOD > failure EOD out", {**INPUT, **RECORDS}),
    Row("ComIbmCDInput", "CDInput", "> failure EOD out catch", {**INPUT, **RECORDS}),
    Row("ComIbmCDOutput", "CDOutput", "in EOD > failure EOD out", {**INPUT, **RECORDS}),
)

_EMAIL_TEXTS: Final = (
    *("smtpServer", "securityIdentity", "toAddresses", "ccAddresses", "bccAddresses", "fromAddress", "replyTo"),
    *("subject", "messageText", "attachment", "attachmentName"),
)
EMAIL_NODES: Final = (
    Row(
        "ComIbmEmailInput",
        "EmailInput",
        "> failure out catch",
        {"emailServer": "", "securityIdentity": "", "waitInterval": "5", **RETRY, **INPUT, **INSTANCES},
    ),
    Row(
        "ComIbmEmailOutput",
        "EmailOutput",
        "in > failure out",
        {
            **dict.fromkeys(
                _EMAIL_TEXTS,
                "",
            ),
            "bodyContentType": "text/plain",
            "attachmentContentType": "text/plain",
            **VALIDATION_INHERITED,
        },
    ),
)

_TCPIP_RECEIVE: Final = {**TCPIP, **BYTES, **RECORDS, **INPUT}
_TCPIP_LISTEN: Final = {**_TCPIP_RECEIVE, **RETRY, **INSTANCES}
TCPIP_NODES: Final = (
    Row("ComIbmTCPIPClientInput", "TCPIPClientInput", "> failure open close out catch", _TCPIP_LISTEN),
    Row(
        "ComIbmTCPIPClientOutput",
        "TCPIPClientOutput",
        "in close > failure close out",
        {**TCPIP, **VALIDATION_INHERITED},
    ),
    Row("ComIbmTCPIPClientReceive", "TCPIPClientReceive", "in > failure timeout close out", _TCPIP_RECEIVE),
    Row("ComIbmTCPIPServerInput", "TCPIPServerInput", "> failure open close out catch", _TCPIP_LISTEN),
    Row(
        "ComIbmTCPIPServerOutput",
        "TCPIPServerOutput",
        "in close > failure close out",
        {**TCPIP, **VALIDATION_INHERITED},
    ),
    Row("ComIbmTCPIPServerReceive", "TCPIPServerReceive", "in > failure timeout close out", _TCPIP_RECEIVE),
)

_KAFKA_BROKER: Final = {
    "connectorName": "",
    "topicName": "",
    "bootstrapServers": "",
    "clientId": "",
    "useClientIdSuffix": "true",
}
_KAFKA_SECURITY: Final = {"securityProtocol": "PLAINTEXT", "sslProtocol": "TLSv1.2"}
_MQTT_CLIENT: Final = {
    "connectorName": "MQTT",
    "hostName": "",
    "port": "1883",
    "qos": "0",
    "topicName": "",
    "clientId": "",
}
_CONNECTOR_REQUEST: Final = {
    **dict.fromkeys("connectorName url dataSource object operation securityIdentity".split(), ""),
    "timeoutMilliseconds": "5000",
    "dataLocation": "$Body",
    "outputDataLocation": "$OutputRoot",
    "copyToLocalEnv": "true",
    **INPUT,
}
KAFKA_AND_MQTT_NODES: Final = (
    Row(
        "com/ibm/connector/kafka/ComIbmEventInput",
        "KafkaConsumer",
        "> failure out catch",
        {
            **_KAFKA_BROKER,
            **_KAFKA_SECURITY,
            "groupId": "",
            "initialOffset": "latest",
            "enableAutoCommit": "true",
            "connectionTimeout": "15",
            "sessionTimeout": "10",
            "receiveBatchSize": "1",
            **INPUT,
            **INSTANCES,
        },
    ),
    Row(
        "com/ibm/connector/kafka/ComIbmOutput",
        "KafkaProducer",
        "in > failure out",
        {**_KAFKA_BROKER, **_KAFKA_SECURITY, "acks": "1", "timeout": "60", **VALIDATION_INHERITED},
    ),
    Row(
        "com/ibm/connector/kafka/ComIbmRequest",
        "KafkaRead",
        "in ? > failure noMessage out",
        {**_KAFKA_BROKER, **INPUT},
    ),
    Row("com/ibm/connector/mqtt/ComIbmEventInput", "MQTTSubscribe", "> failure out catch", {**_MQTT_CLIENT, **INPUT}),
    Row(
        "com/ibm/connector/mqtt/ComIbmOutput",
        "MQTTPublish",
        "in > failure out",
        {**_MQTT_CLIENT, **VALIDATION_INHERITED},
    ),
    Row(
        "com/ibm/connector/salesforce/ComIbmRequest",
        "SalesforceRequest",
        "in > failure error out ?",
        _CONNECTOR_REQUEST,
    ),
    Row("com/ibm/connector/loopback/ComIbmRequest", "LoopBackRequest", "in > failure error out ?", _CONNECTOR_REQUEST),
)

_ADAPTER_REQUEST: Final = {
    **ADAPTER,
    "defaultMethod": "",
    "securityProfileName": "NULL",
    "dataLocation": "$Body",
    "copyLocalEnvironment": "true",
}
ENTERPRISE_SYSTEMS_NODES: Final = (
    Row("ComIbmSAPInput", "SAPInput", "> failure out catch", {**ADAPTER, **RETRY, **INSTANCES}),
    Row("ComIbmSAPRequest", "SAPRequest", "in > failure out", _ADAPTER_REQUEST),
    Row("ComIbmSiebelInput", "SiebelInput", "> failure out catch", {**ADAPTER, **RETRY, **INSTANCES}),
    Row("ComIbmSiebelRequest", "SiebelRequest", "in > failure out", _ADAPTER_REQUEST),
    Row("ComIbmPeopleSoftInput", "PeopleSoftInput", "> failure out catch", {**ADAPTER, **RETRY, **INSTANCES}),
    Row("ComIbmPeopleSoftRequest", "PeopleSoftRequest", "in > failure out", _ADAPTER_REQUEST),
    Row("ComIbmJDEdwardsInput", "JDEdwardsInput", "> failure out catch", {**ADAPTER, **RETRY, **INSTANCES}),
    Row("ComIbmJDEdwardsRequest", "JDEdwardsRequest", "in > failure out", _ADAPTER_REQUEST),
    Row("ComIbmTwineballInput", "TwineballInput", "> failure out catch", {**ADAPTER, **RETRY, **INSTANCES}),
    Row("ComIbmTwineballRequest", "TwineballRequest", "in > failure out", _ADAPTER_REQUEST),
    Row("ComIbmSAPReply", "SAPReply", "in > failure out", {"replyIdLocation": ""}),
    Row(
        "ComIbmCICSIPICRequest",
        "CICSRequest",
        "in > failure error timeout out",
        {
            "cicsServer": "",
            "cicsProgramName": "",
            "cicsCommareaLen": "",
            "securityIdentity": "",
            **INPUT,
            "dataLocation": "$Body",
            "copyLocalEnvironment": "true",
            "requestTimeoutSecs": "30",
            "mirrorTran": "",
            "securityProfileName": "",
            "eibtrnidOnly": "false",
        },
    ),
    Row(
        "ComIbmIMSRequest",
        "IMSRequest",
        "in > failure timeout out",
        {
            "useNodeProperties": "true",
            "hostname": "",
            "portNumber": "",
            "dataStoreName": "",
            **INPUT,
            "configurableService": "",
            "commitMode": "sendThenCommit",
        },
    ),
    Row("ComIbmCORBARequest", "CORBARequest", "in > failure error out", INPUT),
)
