"""Properties that several node types have, with their defaults, and the form of a row of the node catalogue. Data only.

Defaults come from three sources, in this order: values that compiled flows in public BAR files carry, values that
public flow files never write out, product documentation. A property without a default has "".
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

DOMAIN: Final = {
    "messageDomainProperty": "",
    "messageSetProperty": "",
    "messageTypeProperty": "",
    "messageFormatProperty": "",
}
VALIDATION: Final = {
    "validateMaster": "none",
    "validateFailureAction": "exception",
    "validateAllValueConstraints": "true",
    "validateFixup": "none",
}
#: Of output and request nodes: they validate as the input node says.
VALIDATION_INHERITED: Final = {**VALIDATION, "validateMaster": "inherit"}
PARSER: Final = {
    "validateTiming": "deferred",
    "parserXmlnscBuildTreeUsingXMLSchema": "false",
    "parserXmlnscUseForXmlnsDomain": "false",
    "parserXmlnscMixedContentRetainMode": "none",
    "parserXmlnscCommentsRetainMode": "none",
    "parserXmlnscProcessingInstructionsRetainMode": "none",
}
INPUT: Final = {**DOMAIN, **VALIDATION, **PARSER}
BYTES: Final = {"messageCodedCharSetIdProperty": "0", "messageEncodingProperty": "0"}
INSTANCES: Final = {"componentLevel": "flow", "additionalInstances": "0"}
MQ_CONNECTION: Final = {
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
DATABASE: Final = {
    "dataSource": "",
    "connectDatasourceBeforeFlowStarts": "false",
    "transaction": "automatic",
    "treatWarningsAsErrors": "false",
    "throwExceptionOnDatabaseError": "true",
}
HTTP_CLIENT: Final = {
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
RETRY: Final = {
    "retryMechanism": "failure",
    "retryThreshold": "0",
    "shortRetryInterval": "0",
    "longRetryInterval": "300",
}
FTP: Final = {
    "fileFtp": "false",
    "remoteTransferType": "FTP",
    "fileFtpServer": "",
    "fileFtpUser": "",
    "fileFtpDirectory": ".",
    "fileFtpTransferMode": "binary",
    "fileFtpScanDelay": "60",
}
RECORDS: Final = {
    "recordDetection": "wholeFile",
    "recordLength": "80",
    "recordDelimiter": "newline",
    "customDelimiter": "",
    "delimiterType": "postfix",
    "skipFirstRecord": "false",
}
JMS: Final = {
    "initialContextFactory": "com.sun.jndi.fscontext.RefFSContextFactory",
    "locationJndiBindings": "",
    "connectionFactoryName": "",
    "backoutDestination": "",
    "backoutThreshold": "0",
}
WSDL: Final = {
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
SOAP_JMS: Final = {
    **JMS,
    "targetService": "",
    "propertySelector": "",
    "timeStampSelector": "",
    "messageDeliveryModeSelector": "all",
    "messagePrioritySelector": "",
    "messageIDSelector": "",
    "messageRedeliveredSelector": "",
    "messageCorrelationIDSelector": "",
}
SOAP_CLIENT: Final = {
    **WSDL,
    **JMS,
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
TCPIP: Final = {
    "connectionDetails": "",
    "timeoutWaitingForData": "60",
    "timeoutSendingData": "60",
    "modifyInputStream": "leaveUnchanged",
    "modifyOutputStream": "leaveUnchanged",
    "idLocation": "",
}
CALL: Final = {"targetApplication": "", "targetEndpointName": "", "requestTimeout": "120"}
REST_CALL: Final = {
    "definitionType": "swagger_20",
    "definitionFile": "",
    "operationName": "",
    "baseURL": "",
    "followRedirection": "false",
    "timeoutForServer": "120",
    "securityIdentity": "",
    **HTTP_CLIENT,
}
ADAPTER: Final = {
    "adapterComponent": "",
    "secondaryAdapterMode": "none",
    "messageSetProperty": "",
    "sapReplyTimeout": "",
}
GROUP_REQUEST: Final = {"AddRequestToGroup": "false", "GroupRequestFolderName": "", "GroupRequestTimeout": "0"}
MQ_OUTPUT: Final = {
    "queueManagerName": "",
    "queueName": "",
    **MQ_CONNECTION,
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
    **VALIDATION_INHERITED,
    "securityProfileName": "",
    **GROUP_REQUEST,
}
MQ_HEADER: Final = {
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


class Row(NamedTuple):
    """One node type. `terminals` is `inputs > outputs`; `*` allows dynamic ones, `?` says they are uncertain."""

    name: str
    title: str
    terminals: str
    properties: Mapping[str, str] = MappingProxyType({})
    tables: tuple[str, ...] = ()
