"""Transports and brokers for other frameworks, over the public client API."""
