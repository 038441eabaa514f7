"""Statistics records of message flows for tests: the numbers follow from their place, so that sums can be checked."""

from __future__ import annotations

from typing import Any


def statistics(
    threads: int = 1, nodes: int = 2, terminals: int = 1, *, flow: str = "Orders", number: int = 0, messages: int = 100
) -> dict[str, Any]:
    """Return a snapshot of one flow: `number` is the interval of 20 seconds from nine o'clock on."""
    second = 20 * number
    start = f"09:{second // 60:02}:{second % 60:02}.000000"
    end = f"09:{(second + 20) // 60:02}:{(second + 20) % 60:02}.000000"
    return {
        "RecordType": "SnapShot",
        "RecordCode": "SnapShot",
        "MessageFlow": {
            "BrokerLabel": "Broker1",
            "BrokerUUID": "7d8a5f0e-0000-0000-0080-000000000001",
            "ExecutionGroupName": "default",
            "ExecutionGroupUUID": "7d8a5f0e-0000-0000-0080-000000000002",
            "MessageFlowName": flow,
            "ApplicationName": "Shop",
            "StartDate": "2026-11-18",
            "StartTime": start,
            "GMTStartTime": f"2026-11-18 {start}",
            "EndDate": "2026-11-18",
            "EndTime": end,
            "GMTEndTime": f"2026-11-18 {end}",
            "TotalElapsedTime": 5_000 * messages,
            "MaximumElapsedTime": 9_000,
            "MinimumElapsedTime": 1_000,
            "TotalCPUTime": 2_000 * messages,
            "MaximumCPUTime": 4_000,
            "MinimumCPUTime": 500,
            "CPUTimeWaitingForInputMessage": 30_000,
            "ElapsedTimeWaitingForInputMessage": 15_000_000,
            "TotalInputMessages": messages,
            "TotalSizeOfInputMessages": 1024 * messages,
            "MaximumSizeOfInputMessages": 4096,
            "MinimumSizeOfInputMessages": 512,
            "NumberOfThreadsInPool": max(threads, 1),
            "TimesMaximumNumberOfThreadsReached": 3,
            "TotalNumberOfMQErrors": 0,
            "TotalNumberOfMessagesWithErrors": 1,
            "TotalNumberOfErrorsProcessingMessages": 1,
            "TotalNumberOfTimeOutsWaitingForRepliesToAggregateMessages": 0,
            "TotalNumberOfCommits": messages - 1,
            "TotalNumberOfBackouts": 1,
            "AccountingOrigin": "Anonymous",
        },
        "Threads": [_thread(place, threads, messages) for place in range(1, threads + 1)],
        "Nodes": [_node(place, nodes, terminals, messages) for place in range(1, nodes + 1)],
    }


def _thread(place: int, threads: int, messages: int) -> dict[str, Any]:
    share = messages // threads
    return {
        "Number": place,
        "TotalNumberOfInputMessages": share,
        "TotalElapsedTime": 5_000 * share,
        "TotalCPUTime": 2_000 * share,
        "CPUTimeWaitingForInputMessage": 10_000,
        "ElapsedTimeWaitingForInputMessage": 5_000_000,
        "TotalSizeOfInputMessages": 1024 * share,
        "MaximumSizeOfInputMessages": 4096,
        "MinimumSizeOfInputMessages": 512,
    }


def _node(place: int, nodes: int, terminals: int, messages: int) -> dict[str, Any]:
    """Node n takes n parts of the time."""
    parts = nodes * (nodes + 1) // 2
    return {
        "Label": f"Node {place}",
        "Type": "ComputeNode" if place > 1 else "MQInputNode",
        "TotalElapsedTime": 5_000 * messages * place // parts,
        "MaximumElapsedTime": 4_000,
        "MinimumElapsedTime": 10,
        "TotalCPUTime": 2_000 * messages * place // parts,
        "MaximumCPUTime": 1_500,
        "MinimumCPUTime": 5,
        "CountOfInvocations": messages,
        "NumberOfInputTerminals": 1,
        "NumberOfOutputTerminals": terminals,
        "TerminalStatistics": [
            {"Label": f"out{terminal}", "Type": "Output", "CountOfInvocations": messages // terminal}
            for terminal in range(1, terminals + 1)
        ],
    }
