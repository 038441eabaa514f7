"""Workloads and their drivers.

demo.py   request/reply on an embedded queue manager, for `./flint demo`
"""
