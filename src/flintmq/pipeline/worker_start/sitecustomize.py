"""Import PySpark in workers from its installed package, not from the archive beside it.

Spark puts PYSPARK/python/lib/pyspark.zip before all else on the path of its workers. Python keeps no compiled form of
modules in an archive: each worker would compile PySpark anew, 0.6 s of a processor, and a read of a data source starts
three. An archive that lies inside an installed package is a copy of that package, so it goes to the end of the path.
Any other archive keeps its place: it may be another release. A `sitecustomize` that this one hides is imported after
it.
"""

from __future__ import annotations

import importlib
import os
import sys

ARCHIVE = os.path.join("pyspark", "python", "lib", "pyspark.zip")


def reordered(path: list[str]) -> list[str]:
    """Move the archive of each PySpark that is also installed on the path to the end."""
    installed = {os.path.realpath(os.path.join(place, ARCHIVE)) for place in path}
    copies = [place for place in path if os.path.realpath(place) in installed]
    return [place for place in path if place not in copies] + copies


def import_hidden() -> None:
    """Import the `sitecustomize` of the machine, if there is one."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [place for place in sys.path if os.path.abspath(place) != here]
    this = sys.modules.pop("sitecustomize", None)
    try:
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        if this is not None:
            sys.modules["sitecustomize"] = this


if __name__ == "sitecustomize":
    sys.path[:] = reordered(sys.path)
    import_hidden()
