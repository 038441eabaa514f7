"""Node types that work inside a broker: routing, transformation, construction, databases, timers, calls. Data only."""

from __future__ import annotations

from typing import Final

from flintmq.broker.flow.model import INPUT_TERMINAL, OUTPUT_TERMINAL
from flintmq.broker.flow.node_properties import CALL, DATABASE, INPUT, INSTANCES, PARSER, RETRY, VALIDATION, Row

_ROUTING_SEQUENCE: Final = {"correlationPath": "", "startOfSequence": "1", "endOfSequence": ""}
_ROUTING_GROUP: Final = {"GroupName": ""}
ROUTING_NODES: Final = (
    Row("ComIbmFilter", "Filter", "in > failure unknown false true", {"filterExpression": "", **DATABASE}),
    Row("ComIbmLabel", "Label", "> out", {"labelName": ""}),
    Row("ComIbmRoute", "Route", "in > failure default *", {"distributionMode": "all"}, ("filterTable",)),
    Row("ComIbmRouteToLabel", "RouteToLabel", "in > failure", {"mode": "routeToLast"}),
    Row(
        "ComIbmAggregateControl",
        "AggregateControl",
        "in > failure out control",
        {"aggregateName": "", "timeoutInterval": "0", "timeoutLocation": ""},
    ),
    Row("ComIbmAggregateRequest", "AggregateRequest", "in > failure out", {"folderName": ""}),
    Row(
        "ComIbmAggregateReply",
        "AggregateReply",
        "in control > failure unknown out timeout catch",
        {"aggregateName": "", "unsolicitedTimeout": "0", "transactionMode": "true"},
    ),
    Row(
        "ComIbmCollector",
        "Collector",
        "control * > failure expire out catch",
        {
            "collectionName": "",
            "collectionExpiry": "0",
            "eventCoordination": "Disabled",
            "persistenceMode": "non-persistent",
            "configurableService": "",
        },
        ("eventHandlerPropertyTable",),
    ),
    Row(
        "ComIbmReSequence",
        "Resequence",
        "in > failure expire missing out catch",
        {**_ROUTING_SEQUENCE, "sequencePath": "", "missingMessageTimeout": "0", "persistenceMode": "non-persistent"},
    ),
    Row("ComIbmSequence", "Sequence", "in > failure out", {**_ROUTING_SEQUENCE, "pathToStoreSequenceNo": ""}),
    Row("ComIbmGroupScatter", "GroupScatter", "in > failure out", {**_ROUTING_GROUP, "GroupTimeout": "0"}),
    Row("ComIbmGroupGather", "GroupGather", "in > failure unknown", {**_ROUTING_GROUP, "UnknownMessageTimeout": "0"}),
    Row("ComIbmGroupComplete", "GroupComplete", "> failure timeout unknown out catch", {**_ROUTING_GROUP, **INSTANCES}),
)

_TRANSFORMATION_DOTNET: Final = {
    "assemblyName": "",
    "nodeClassName": "",
    "appDomainName": "",
    "assemblyVersion": "",
    "assemblyCulture": "",
    "assemblyPublicKeyToken": "",
    **VALIDATION,
}
_TRANSFORMATION_MAPPING: Final = {"mappingExpression": "", "mappingMode": "message", **DATABASE, **VALIDATION}
TRANSFORMATION_NODES: Final = (
    Row(
        "ComIbmCompute",
        "Compute",
        "in > failure out out1 out2 out3 out4",
        {"computeExpression": "", "computeMode": "message", **DATABASE, **VALIDATION},
    ),
    Row(
        "ComIbmJavaCompute",
        "JavaCompute",
        "in > failure out alternate",
        {"javaClass": "", "javaClassLoader": "", **VALIDATION},
    ),
    Row("FlintPythonCompute", "PythonCompute", "in > failure out alternate", {"pythonFunction": "", **VALIDATION}),
    Row("ComIbmDotNetCompute", ".NETCompute", "in > failure out alternate", _TRANSFORMATION_DOTNET),
    Row("ComIbmDotNetInput", ".NETInput", "> failure out catch", {**_TRANSFORMATION_DOTNET, **INPUT}),
    Row("ComIbmPHPCompute", "PHPCompute", "in > failure out", VALIDATION),
    Row("ComIbmMSLMapping", "Mapping", "in > failure out", _TRANSFORMATION_MAPPING),
    Row("ComIbmMapping", "Mapping(V5)", "in > failure out", _TRANSFORMATION_MAPPING),
    Row(
        "ComIbmXslMqsi",
        "XSLTransform",
        "in > failure out",
        {"stylesheetName": "", "stylesheetDirectory": "", "stylesheetPath": "", "outputFormat": "", **INPUT},
        ("parameters",),
    ),
)

CONSTRUCTION_NODES: Final = (
    Row(INPUT_TERMINAL, "Input", "> out"),
    Row(OUTPUT_TERMINAL, "Output", "in >"),
    Row(
        "ComIbmTrace",
        "Trace",
        "in > out",
        {"destination": "userTrace", "filePath": "", "pattern": "", "messageCatalog": "", "messageNumber": "3051"},
    ),
    Row("ComIbmThrow", "Throw", "in >", {"messageCatalog": "", "messageNumber": "3001", "messageText": ""}),
    Row("ComIbmTryCatch", "TryCatch", "in > catch try"),
    Row("ComIbmFlowOrder", "FlowOrder", "in > failure first second"),
    Row("ComIbmPassthru", "Passthrough", "in > out"),
    Row(
        "ComIbmResetContentDescriptor",
        "ResetContentDescriptor",
        "in > failure out",
        {
            "messageDomain": "",
            "resetMessageDomain": "false",
            "messageSet": "",
            "resetMessageSet": "false",
            "messageType": "",
            "resetMessageType": "false",
            "messageFormat": "",
            "resetMessageFormat": "false",
            **VALIDATION,
            **PARSER,
        },
    ),
    Row("ComIbmLog", "Log", "in > failure out", {"logLevel": "Info", "logMessage": ""}, ("requestMap", "mappingInput")),
)

VALIDATION_NODES: Final = (
    Row(
        "ComIbmValidate",
        "Validate",
        "in > failure match",
        {
            "domain": "",
            "checkDomain": "false",
            "set": "",
            "checkSet": "false",
            "type": "",
            "checkType": "false",
            **VALIDATION,
        },
    ),
    Row("ComIbmSecurityPEP", "SecurityPEP", "in > failure out", {"securityProfileName": ""}),
)

_DATABASE_QUERY: Final = {
    "dataSourceName": "",
    "sqlQuery": "",
    "copyMessage": "false",
    "allRows": "false",
    "tableNameComboValues": "",
    "columnNameComboValues": "",
    "operatorComboValues": "",
    "valueTypeComboValues": "",
    "columnValueComboValues": "",
    **VALIDATION,
}
DATABASE_NODES: Final = (
    Row("ComIbmDatabase", "Database", "in > failure out", {"statement": "", **DATABASE}),
    Row(
        "ComIbmDatabaseInput",
        "DatabaseInput",
        "> failure out catch",
        {"databaseInputExpression": "", "dataSource": "", "waitInterval": "5", **RETRY, **INSTANCES},
    ),
    Row(
        "ComIbmDatabaseRetrieve",
        "DatabaseRetrieve",
        "in > failure out keyNotFound",
        _DATABASE_QUERY,
        ("queryElements", "dataElements"),
    ),
    Row(
        "ComIbmDatabaseRoute",
        "DatabaseRoute",
        "in > failure default keyNotFound *",
        {**_DATABASE_QUERY, "distributionMode": "all"},
        ("queryElements", "filterTable"),
    ),
    Row("ComIbmDataInsert", "DataInsert", "in > failure out", {"mappingExpression": "", **DATABASE}),
    Row("ComIbmDataUpdate", "DataUpdate", "in > failure out", {"mappingExpression": "", **DATABASE}),
    Row("ComIbmDataDelete", "DataDelete", "in > failure out", {"mappingExpression": "", **DATABASE}),
    Row("ComIbmWarehouse", "Warehouse", "in > failure out", {"mappingExpression": "", **DATABASE}),
    Row("ComIbmExtract", "Extract", "in > failure out", {"mappingExpression": "", **DATABASE}),
)

TIMER_NODES: Final = (
    Row(
        "ComIbmTimeoutControl",
        "TimeoutControl",
        "in > failure out",
        {
            "uniqueIdentifier": "",
            "requestLocation": "InputLocalEnvironment.TimeoutRequest",
            "requestPersistence": "automatic",
        },
    ),
    Row(
        "ComIbmTimeoutNotification",
        "TimeoutNotification",
        "> failure out catch",
        {
            "uniqueIdentifier": "",
            "transactionMode": "yes",
            "operationMode": "automatic",
            "timeoutInterval": "1",
            **INPUT,
        },
    ),
    Row("ComIbmScheduler", "Scheduler", "? > out"),
)

_CALLABLE_FLOW_DOMAINS: Final = ("supportedDomains",)
CALLABLE_FLOW_NODES: Final = (
    Row(
        "ComIbmCallableFlowInput",
        "CallableFlowInput",
        "> failure out catch",
        {"callableInputEndpoint": "", **INSTANCES},
        _CALLABLE_FLOW_DOMAINS,
    ),
    Row("ComIbmCallableFlowReply", "CallableFlowReply", "in > failure out", {}, _CALLABLE_FLOW_DOMAINS),
    Row("ComIbmCallableFlowInvoke", "CallableFlowInvoke", "in > failure error out", CALL, _CALLABLE_FLOW_DOMAINS),
    Row(
        "ComIbmCallableFlowAsyncInvoke",
        "CallableFlowAsyncInvoke",
        "in > failure out",
        {**CALL, "asyncResponseCorrelator": ""},
        _CALLABLE_FLOW_DOMAINS,
    ),
    Row(
        "ComIbmCallableFlowAsyncResponse",
        "CallableFlowAsyncResponse",
        "> failure error out catch",
        {"asyncResponseCorrelator": "", **INSTANCES},
        _CALLABLE_FLOW_DOMAINS,
    ),
)
