"""The queue manager."""
