"""The message broker."""
