"""The Spark session of the pipeline's tests, for tests of performance runs."""

from __future__ import annotations

from tests.pipeline.conftest import pytest_collection_modifyitems as _of_pipeline
from tests.pipeline.conftest import spark

__all__ = ["spark"]

_ = _of_pipeline
