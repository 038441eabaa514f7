"""Directories that Python looks into last: each package here leads to one of ours. See shim.py."""
