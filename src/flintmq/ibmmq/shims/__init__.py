"""A directory that Python looks into last: the package here leads to ours. See flintmq/pymqi/shim.py."""
