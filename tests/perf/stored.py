"""Real runs that tests read: trimmed to what cost models need, kept in data/.

    python -m tests.perf.stored RUNS...        trim runs, or directories of runs, into data/

Runs that were there before are removed. A trimmed run has the records run, machine, step, result and end of the
original, as they are: no seconds, latencies, CPU by process or SMF. Only workloads of WORKLOADS are kept, which take
their costs from messages.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from flintmq.perf import runs

DATA = Path(__file__).with_name("data")
KEPT = ("run", "machine", "step", "result", "end")
WORKLOADS = (
    *("Z93-R01", "Z93-R03", "Z93-R05", "Z93-R06", "Z93-R21", "Z93-R25", "Z93-Q03", "Z93-Q08", "Z93-Q14"),
    *("Z701-W02", "Z701-W04", "Z701-W19", "L92-W08", "L92-W10", "L92-W12", "L92-W13", "L92-W14"),
    *("SQ-W01", "SQ-W02", "SQ-W03", "SQ-W05", "SQ-W06", "SQ-W07", "SQ-W08"),
)
#: All files together are smaller.
BYTES_MAX = 300_000


def trim(run: Path, out: Path) -> None:
    """Write the kept records of a run to a directory of its name below `out`."""
    lines = (run / runs.FILE).read_bytes().splitlines(keepends=True)
    place = out / run.name
    place.mkdir(parents=True)
    kept = [line for line in lines if json.loads(line)["record"] in KEPT]
    (place / runs.FILE).write_bytes(b"".join(kept))


def main(roots: list[str]) -> int:
    """Replace the stored runs."""
    found = [place for root in roots for place in runs.find(Path(root))]
    chosen = [
        place for place in found if (run := runs.read(place)).workload in WORKLOADS and run.ended == runs.COMPLETE
    ]
    if not chosen:
        print("no complete run of these workloads is there")
        return 1
    for each in runs.find(DATA):
        shutil.rmtree(each)
    for place in chosen:
        trim(place, DATA)
    size = sum((place / runs.FILE).stat().st_size for place in runs.find(DATA))
    print(f"{len(chosen)} runs, {size:,} bytes")
    return 0 if size < BYTES_MAX else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
