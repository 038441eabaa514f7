"""Where the names of a selector get their values. A queue manager derives its own from `Source`."""

from __future__ import annotations

from flintmq.mqi.property_values import Value as Value


class Source:
    """The values of one message."""

    def value(self, name: str) -> Value:
        """The value of a name as the parser leaves it (`known_name` in parser.py), None if there is none.

        Called once for each time the name is met in an evaluation, so a source that has to work for a value keeps it.
        """
        raise NotImplementedError


class Values(Source):
    """Values that are at hand in a dictionary."""

    def __init__(self, values: dict[str, Value]) -> None:
        self.values = values

    def value(self, name: str) -> Value:
        """The value under this name."""
        return self.values.get(name)
