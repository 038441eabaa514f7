"""The values of the properties in folders, read in slices.

A program that puts a message with 100,000 properties must not hold up the others while a selector looks at them. So
what `MessageProperties.from_folders` does at once is done here an element at a time, and nothing is kept but names and
values. The values are those of the first property of each name, as `MessageProperties.value` finds it.
"""

from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.folders import DEPTH_MAX, Element, Reader
from flintmq.mqi.properties import Property, read_property
from flintmq.mqi.property_names import PROPERTY_FOLDERS, is_accessible
from flintmq.mqi.property_values import Value
from flintmq.mqi.values.calls import MQPD_USER_CONTEXT

#: Characters that cost as much to read as an element.
_PER_UNIT: Final = 512


class PropertyScan:
    """Reads the folders of one header, or of one block of properties."""

    def __init__(self, folders: list[str]) -> None:
        self.values: dict[str, Value] = {}
        #: All properties of user context.
        self.of_user: list[Property] = []
        self.done: bool = False
        #: A folder is not well formed, or a value not of its type: then there are no properties.
        self.failed: bool = False
        self._folders: list[str] = folders
        self._next: int = 0
        self._reader: Reader | None = None
        #: The folder that is read, "" if it is not of properties.
        self._folder: str = ""
        #: The elements that are open, the folder itself first: the text of each so far, whether it has children, and
        #: whether a program can name it.
        self._open: list[Element] = []
        self._parts: list[list[str]] = []
        self._groups: list[bool] = []
        self._named: list[bool] = []

    def step(self, budget: int) -> int:
        """Read elements until the budget is used up. Return the rest of it."""
        try:
            while budget > 0 and not self.done:
                reader = self._reader
                if reader is None:
                    self._begin()
                    budget -= 1
                    continue
                before = reader.place
                self._token(reader)
                budget -= 1 + (reader.place - before) // _PER_UNIT
        except StructureError:
            self.failed = self.done = True
            self.values = {}
            self.of_user = []
        return budget

    def _begin(self) -> None:
        """Begin to read the next folder."""
        if self._next >= len(self._folders):
            self.done = True
            return
        text = self._folders[self._next]
        self._next += 1
        if not text.strip():
            return
        reader = Reader(text)
        reader.skip_between()
        root = reader.opening()
        of_properties = root.name in PROPERTY_FOLDERS or root.attributes.get("content") == "properties"
        self._folder = root.name if of_properties else ""
        self._reader = reader
        self._enter(root, True)
        if reader.closed:
            self._leave(reader)

    def _enter(self, element: Element, named: bool) -> None:
        self._open.append(element)
        self._parts.append([])
        self._groups.append(False)
        self._named.append(named)

    def _token(self, reader: Reader) -> None:
        """Read text up to the next tag, and that tag."""
        element = self._open[-1]
        text = reader.text_before_tag(element.name)
        if text:
            self._parts[-1].append(text)
        what = reader.kind_of_tag()
        if what == Reader.CLOSING:
            reader.closing(element.name)
            self._leave(reader)
        elif what == Reader.CDATA:
            self._parts[-1].append(reader.up_to("]]>", 9))
        elif what == Reader.COMMENT:
            reader.up_to("-->", 4)
        elif what == Reader.INSTRUCTION:
            reader.up_to("?>", 2)
        else:
            if len(self._open) >= DEPTH_MAX:
                raise reader.error(f"elements are nested more than {DEPTH_MAX} deep")
            self._groups[-1] = True
            child = reader.tag()
            path = [each.name for each in self._open[1:]] + [child.name]
            self._enter(child, self._named[-1] and is_accessible(self._folder, path))
            if reader.closed:
                self._leave(reader)

    def _leave(self, reader: Reader) -> None:
        """An element ends: keep its value, if it is a property."""
        element, parts = self._open.pop(), self._parts.pop()
        is_group, named = self._groups.pop(), self._named.pop()
        if not self._open:
            reader.at_end()
            self._reader = None
        elif self._folder and named and not is_group:
            element.text = "".join(parts)
            path = [each.name for each in self._open[1:]] + [element.name]
            item = read_property(self._folder, path, element)
            if item.name not in self.values:
                self.values[item.name] = item.value
            if item.context == MQPD_USER_CONTEXT:
                self.of_user.append(item)
