"""Code tables: the meaning of numbers in structures. The words are those of the reference CSV."""

from __future__ import annotations

CODES: dict[str, dict[int, str]] = {
    "connection": {
        1: "CICS",
        2: "TSO",
        3: "IMS Ctl",
        4: "IMS MPP/BMP",
        5: "Cmd Svr",
        6: "CHIN",
        7: "RRS",
        8: "IGQ",
    },
    "queue": {1: "Local", 2: "Model", 3: "Alias", 6: "Remote", 7: "Cluster", 8: "Topic", 1001: "All"},
    "index": {0: "None", 1: "MsgId", 2: "CorrelId", 4: "MsgToken", 5: "GroupId"},
    "disposition": {-1: "All", 0: "QMgr", 1: "Copy", 2: "Shared", 3: "Group", 4: "Private", 6: "Live"},
    "channel_disposition": {-1: "All", 1: "Default", 2: "Shared", 4: "Private", 5: "Fixshared"},
    "channel_type": {
        1: "Sender",
        2: "Server",
        3: "Receiver",
        4: "Requester",
        5: "All",
        6: "ClntConn",
        7: "SvrConn",
        8: "ClusRcvr",
        9: "ClusSdr",
        10: "MQTT",
        11: "AMQP",
    },
    "channel_status": {
        0: "Inactive",
        1: "Binding",
        2: "Starting",
        3: "Running",
        4: "Stopping",
        5: "Retrying",
        6: "Stopped",
        7: "Requesting",
        8: "Paused",
        9: "Disconnected",
        13: "Initializing",
        14: "Switching",
    },
    "monitoring": {-3: "QMgr", -1: "None", 0: "Off", 1: "On", 17: "Low", 33: "Medium", 65: "High"},
}
