"""Formats: bytes to message trees and back, one module per domain.

A format is registered under the name of its domain (`XMLNSC`, `JSON`, `MRM` ...). `parse` returns the folder of the
body with lazy children (`tree/element.py`); `write` returns bytes. Both get a `Context`: character set, encoding,
template and options. A format knows nothing of flows, nodes or ESQL.
"""

from __future__ import annotations

from flintmq.broker.formats.registry import Context, Format, format_of, register

__all__ = ["Context", "Format", "format_of", "register"]
