"""Message properties: typed values with names, kept with a message handle and carried in the folders of an MQRFH2.

    properties = MessageProperties()
    properties.set("color", "red")
    properties.set("shop.count", 3, MQTYPE_INT16)
    properties.to_folders()     ["<usr><color>red</color></usr>",
                                 "<shop content='properties'><count dt='i2'>3</count></shop>"]

Rules of names are in `property_names`, of values in `property_values`. Rules here:

    P1  Properties keep the order in which they were set. Folders are written mcd, jms, usr, then as first met.
    P2  A property has a value or properties below it, never both (MQRC_MIXED_CONTENT_NOT_ALLOWED).
    P3  An element that no program can name (a group in usr, a name of JMS ...) stays, unseen, and is written again.
    P4  A folder that is not one of properties (psc, pscr ...) is none of our business: `from_folders` hands it back.
    P5  Elements of jms have their types without saying so (Pri int32, Tms int64 ...).
    P6  To set one of many properties costs no more than to set one of few: the names are indexed (`_Names`).

The property descriptor (MQPD) stands in attributes: context='user', copy='forward,reply', and in folder mq only,
sr='required' or sx='local' for the support a queue manager must have. Default values are not written.
"""

from typing import Final

from flintmq.mqi.errors import PropertyError, StructureError
from flintmq.mqi.folders import Element, read_folder, read_root, write_element
from flintmq.mqi.pd import MQPD
from flintmq.mqi.property_names import DESCRIPTOR_PREFIX, PROPERTY_FOLDERS, canonical, check_name, is_accessible
from flintmq.mqi.property_values import (
    DT_OF_TYPE,
    TYPE_OF_DT,
    Value,
    check_value,
    read_value,
    type_of,
    write_value,
)
from flintmq.mqi.reason import (
    MQRC_DMPO_ERROR,
    MQRC_IMPO_ERROR,
    MQRC_MIXED_CONTENT_NOT_ALLOWED,
    MQRC_PD_ERROR,
    MQRC_PROPERTY_NOT_AVAILABLE,
    MQRC_RFH_FORMAT_ERROR,
    MQRC_SMPO_ERROR,
)
from flintmq.mqi.values.calls import (
    MQCOPY_ALL,
    MQCOPY_DEFAULT,
    MQCOPY_FORWARD,
    MQCOPY_NONE,
    MQCOPY_PUBLISH,
    MQCOPY_REPLY,
    MQCOPY_REPORT,
    MQDMPO_DEL_PROP_UNDER_CURSOR,
    MQIMPO_INQ_NEXT,
    MQIMPO_INQ_PROP_UNDER_CURSOR,
    MQPD_NO_CONTEXT,
    MQPD_SUPPORT_OPTIONAL,
    MQPD_SUPPORT_REQUIRED,
    MQPD_SUPPORT_REQUIRED_IF_LOCAL,
    MQPD_USER_CONTEXT,
    MQSMPO_APPEND_PROPERTY,
    MQSMPO_SET_FIRST,
    MQSMPO_SET_PROP_AFTER_CURSOR,
    MQSMPO_SET_PROP_BEFORE_CURSOR,
    MQSMPO_SET_PROP_UNDER_CURSOR,
    MQTYPE_AS_SET,
    MQTYPE_INT32,
    MQTYPE_INT64,
    MQTYPE_NULL,
    MQTYPE_STRING,
)

#: A folder of so many characters is not read where its name is enough: it takes too long for one turn of a server.
LONG_FOLDER: Final[int] = 32 * 1024

_NO_CURSOR: Final = -1
_NOWHERE: Final = -1
_FIRST_FOLDERS: Final[tuple[str, ...]] = ("mcd", "jms", "usr")
_JMS_TYPES: Final = {
    "Tms": MQTYPE_INT64,
    "Exp": MQTYPE_INT64,
    "Dlv": MQTYPE_INT32,
    "Pri": MQTYPE_INT32,
    "Seq": MQTYPE_INT32,
}
_COPY_WORDS: Final = (
    (MQCOPY_FORWARD, "forward"),
    (MQCOPY_PUBLISH, "publish"),
    (MQCOPY_REPLY, "reply"),
    (MQCOPY_REPORT, "report"),
)
_COPY_BITS: Final = MQCOPY_ALL | MQCOPY_FORWARD | MQCOPY_PUBLISH | MQCOPY_REPLY | MQCOPY_REPORT
_NIL: Final = "xsi:nil"


class Property:
    """One property. `name` is canonical; `type_string` is the dt we do not know, else empty."""

    __slots__ = ("name", "type", "value", "support", "context", "copy_options", "type_string", "hidden")

    def __init__(self, name: str, kind: int, value: Value) -> None:
        self.name: str = name
        self.type: int = kind
        self.value: Value = value
        self.support: int = MQPD_SUPPORT_OPTIONAL
        self.context: int = MQPD_NO_CONTEXT
        self.copy_options: int = MQCOPY_DEFAULT
        self.type_string: str = ""
        self.hidden: Element | None = None  # P3: the element as it was found. The name is its folder and a dot.

    def folder(self) -> str:
        """The folder the property is in."""
        head, dot, _ = self.name.partition(".")
        return head if dot else "usr"

    def path(self) -> list[str]:
        """The elements that lead to the property inside its folder, its own last."""
        parts = self.name.split(".")
        return parts[1:] if len(parts) > 1 else parts

    def descriptor(self) -> MQPD:
        """The property descriptor as MQINQMP returns it."""
        pd = MQPD()
        pd.support = self.support
        pd.context = self.context
        pd.copy_options = self.copy_options
        return pd

    def __repr__(self) -> str:
        return f"Property({self.name!r}, {self.type}, {self.value!r})"


class _Names:
    """An index of the names in a list of properties: a tree of their parts, in which each node has a number.

    It is of the first `count` properties of `items`. Others may append to that list, or use another list; what they
    insert or remove makes the index useless.
    """

    def __init__(self, items: list[Property]) -> None:
        self.items: list[Property] = items
        self.count: int = 0
        self._nodes: dict[tuple[int, str], int] = {}
        #: By number of the node: the place of the first property with that name, and whether there are names below it.
        self._first: list[int] = [_NOWHERE]
        self._has_below: list[bool] = [False]

    def catch_up(self) -> None:
        """Enter the properties that were appended to the list."""
        while self.count < len(self.items):
            item = self.items[self.count]
            if item.hidden is None:
                self._enter(item.name)
            self.count += 1

    def _enter(self, name: str) -> None:
        node = 0
        for part in name.split("."):
            below = self._nodes.get((node, part), 0)
            if not below:
                below = self._nodes[(node, part)] = len(self._first)
                self._first.append(_NOWHERE)
                self._has_below.append(False)
                self._has_below[node] = True
            node = below
        if self._first[node] == _NOWHERE:
            self._first[node] = self.count

    def place(self, name: str) -> int:
        """The place of the first property of this canonical name, or _NOWHERE."""
        node = 0
        for part in name.split("."):
            node = self._nodes.get((node, part), 0)
            if not node:
                return _NOWHERE
        return self._first[node]

    def is_mixed(self, name: str) -> bool:
        """Whether a property of this name would have properties below it, or be below one (P2)."""
        node = 0
        for part in name.split("."):
            if self._first[node] != _NOWHERE:
                return True
            node = self._nodes.get((node, part), 0)
            if not node:
                return False
        return self._has_below[node]


class MessageProperties:
    """The properties of one message, with the cursor that MQINQMP moves."""

    def __init__(self) -> None:
        self.items: list[Property] = []
        self.cursor: int = _NO_CURSOR
        #: Made when a property is set, None after one was inserted or removed.
        self._names: _Names | None = None

    def _indexed(self) -> _Names:
        """The index of all names (P6)."""
        names = self._names
        if names is None or names.items is not self.items or names.count > len(self.items):
            names = self._names = _Names(self.items)
        names.catch_up()
        return names

    def __len__(self) -> int:
        return sum(1 for item in self.items if item.hidden is None)

    def names(self) -> list[str]:
        """The names of all properties, in order. A name that was appended twice is there twice."""
        return [item.name for item in self.items if item.hidden is None]

    def find(self, name: str) -> Property | None:
        """The first property of this name, without moving the cursor."""
        name = canonical(name)
        for item in self.items:
            if item.name == name and item.hidden is None:
                return item
        return None

    def value(self, name: str) -> Value:
        """The value of a property; None when it is null or there is none. Selectors read it."""
        found = self.find(name)
        return None if found is None else found.value

    def set(
        self,
        name: str,
        value: Value,
        kind: int = MQTYPE_AS_SET,
        descriptor: MQPD | None = None,
        options: int = MQSMPO_SET_FIRST,
        valid: bool = True,
    ) -> Property:
        """MQSETMP. Without `kind` the type follows from the value. Raises PropertyError; then nothing has changed.

        With `valid` False the name is not checked: the writer of the folders has to do that before.
        """
        if valid:
            check_name(name)
        name = canonical(name)
        if name.startswith(DESCRIPTOR_PREFIX):
            raise PropertyError(f"{name!r} is a field of the message descriptor: see md_properties")
        kind = type_of(value) if kind == MQTYPE_AS_SET else kind
        new = Property(name, kind, check_value(value, kind))
        if descriptor is not None:
            _apply_descriptor(new, descriptor)
        self._check_mixed(name)
        self._place(new, options)
        return new

    def inquire(self, name: str, options: int = 0) -> Property:
        """MQINQMP: the first property that `name` matches, the next one, or the one under the cursor.

        A name may end in %, which matches anything: "%" all properties, "usr.%" those of usr, "shop.c%".
        Raises PropertyError (2471) when there is none; the cursor then stays where it is.
        """
        where = options & (MQIMPO_INQ_NEXT | MQIMPO_INQ_PROP_UNDER_CURSOR)
        if where == MQIMPO_INQ_PROP_UNDER_CURSOR:
            if self.cursor == _NO_CURSOR:
                raise PropertyError("the property cursor is not on a property", MQRC_PROPERTY_NOT_AVAILABLE)
            return self.items[self.cursor]
        if where not in (0, MQIMPO_INQ_NEXT):
            raise PropertyError("the options ask for the next and the current property", MQRC_IMPO_ERROR)
        for i in range(self.cursor + 1 if where else 0, len(self.items)):
            if self.items[i].hidden is None and matches(name, self.items[i].name):
                self.cursor = i
                return self.items[i]
        raise PropertyError(f"the message has no (further) property {name!r}", MQRC_PROPERTY_NOT_AVAILABLE)

    def delete(self, name: str, options: int = 0) -> None:
        """MQDLTMP: remove the first property of this name, or the one under the cursor. Raises PropertyError (2471)."""
        if options == MQDMPO_DEL_PROP_UNDER_CURSOR:
            if self.cursor == _NO_CURSOR:
                raise PropertyError("the property cursor is not on a property", MQRC_PROPERTY_NOT_AVAILABLE)
            del self.items[self.cursor]
            self.cursor = _NO_CURSOR
            self._names = None
            return
        if options != 0:
            raise PropertyError(f"{options} is not an option of MQDLTMP", MQRC_DMPO_ERROR)
        found = self.find(name)
        if found is None:
            raise PropertyError(f"the message has no property {name!r}", MQRC_PROPERTY_NOT_AVAILABLE)
        place = self.items.index(found)
        del self.items[place]
        self._names = None
        if place == self.cursor:
            self.cursor = _NO_CURSOR
        elif place < self.cursor:
            self.cursor -= 1

    def to_folders(self) -> list[str]:
        """The folders of an MQRFH2 that carry these properties (P1)."""
        by_folder: dict[str, list[Property]] = {}
        for item in self.items:
            by_folder.setdefault(item.folder(), []).append(item)
        ordered: list[str] = [folder for folder in _FIRST_FOLDERS if folder in by_folder]
        ordered += [folder for folder in by_folder if folder not in _FIRST_FOLDERS]
        return [write_element(_folder_element(folder, by_folder[folder])) for folder in ordered]

    @staticmethod
    def from_folders(folders: list[str]) -> "tuple[MessageProperties, list[str]]":
        """The properties in these folders, and the folders that are not of properties, as they are (P4).

        Raises StructureError (MQRC_RFH_FORMAT_ERROR) when a folder is not well formed or a value not of its type.
        """
        properties = MessageProperties()
        others: list[str] = []
        for folder in folders:
            if not folder.strip():
                continue
            element = read_folder(folder)
            if element.name in PROPERTY_FOLDERS or element.attributes.get("content") == "properties":
                for child in element.children:
                    _collect(properties.items, element.name, [], child)
            else:
                others.append(folder)
        return properties, others

    def _check_mixed(self, name: str) -> None:
        """P2."""
        if not self._indexed().is_mixed(name):
            return
        for item in self.items:
            if item.hidden is None and (item.name.startswith(name + ".") or name.startswith(item.name + ".")):
                raise PropertyError(
                    f"{name!r} and {item.name!r}: a property has a value or properties below it, not both",
                    MQRC_MIXED_CONTENT_NOT_ALLOWED,
                )

    def _place(self, new: Property, options: int) -> None:
        """Put a new property where the options of MQSETMP say."""
        if options == MQSMPO_APPEND_PROPERTY:
            self.items.append(new)
            return
        if options == MQSMPO_SET_FIRST:
            place = self._indexed().place(new.name)
            if place == _NOWHERE:
                self.items.append(new)
            else:
                self.items[place] = new
            return
        under = (MQSMPO_SET_PROP_UNDER_CURSOR, MQSMPO_SET_PROP_BEFORE_CURSOR, MQSMPO_SET_PROP_AFTER_CURSOR)
        if options not in under:
            raise PropertyError(f"{options} is not an option of MQSETMP", MQRC_SMPO_ERROR)
        if self.cursor == _NO_CURSOR:
            raise PropertyError("the property cursor is not on a property", MQRC_PROPERTY_NOT_AVAILABLE)
        self._names = None
        if options == MQSMPO_SET_PROP_UNDER_CURSOR:
            self.items[self.cursor] = new
        elif options == MQSMPO_SET_PROP_AFTER_CURSOR:
            self.items.insert(self.cursor + 1, new)
        else:
            self.items.insert(self.cursor, new)
            self.cursor += 1


def matches(pattern: str, name: str) -> bool:
    """Whether a name of MQINQMP, which may end in %, means the property of this canonical name."""
    if not pattern.endswith("%"):
        return canonical(pattern) == name
    prefix = pattern[:-1]
    return name.startswith(prefix) or ("." not in name and f"usr.{name}".startswith(prefix))


def _apply_descriptor(new: Property, pd: MQPD) -> None:
    if pd.context not in (MQPD_NO_CONTEXT, MQPD_USER_CONTEXT):
        raise PropertyError(f"{pd.context} is not a context of MQPD", MQRC_PD_ERROR)
    if pd.copy_options & ~_COPY_BITS:
        raise PropertyError(f"{pd.copy_options} is not a copy option of MQPD", MQRC_PD_ERROR)
    if pd.options != 0:
        raise PropertyError(f"{pd.options} is not an option of MQPD", MQRC_PD_ERROR)
    new.context = pd.context
    new.copy_options = pd.copy_options
    if new.folder() == "mq":
        new.support = pd.support


def _folder_element(folder: str, items: list[Property]) -> Element:
    root = Element(folder)
    if folder not in PROPERTY_FOLDERS:
        root.attributes["content"] = "properties"
    groups: dict[tuple[int, str], Element] = {}
    for item in items:
        if item.hidden is not None:
            root.children.append(item.hidden)
            continue
        path = item.path()
        parent = root
        for name in path[:-1]:
            parent = _group(groups, parent, name)
        parent.children.append(_property_element(folder, path[-1], item))
    return root


def _group(groups: dict[tuple[int, str], Element], parent: Element, name: str) -> Element:
    """The group of this name in `parent`, made if it is not there. `groups` has those that were made."""
    key = (id(parent), name)
    group = groups.get(key)
    if group is None:
        group = groups[key] = Element(name)
        parent.children.append(group)
    return group


def _property_element(folder: str, name: str, item: Property) -> Element:
    element = Element(name)
    if item.type == MQTYPE_NULL:
        element.attributes[_NIL] = "true"
    else:
        dt = item.type_string or DT_OF_TYPE[item.type]
        if dt and not (folder == "jms" and _JMS_TYPES.get(name) == item.type):
            element.attributes["dt"] = dt
        element.text = write_value(item.value, item.type)
    if item.context == MQPD_USER_CONTEXT:
        element.attributes["context"] = "user"
    if item.copy_options != MQCOPY_DEFAULT:
        element.attributes["copy"] = _copy_text(item.copy_options)
    if folder == "mq" and item.support == MQPD_SUPPORT_REQUIRED:
        element.attributes["sr"] = "required"
    elif folder == "mq" and item.support == MQPD_SUPPORT_REQUIRED_IF_LOCAL:
        element.attributes["sx"] = "local"
    return element


def _copy_text(options: int) -> str:
    if options == MQCOPY_NONE:
        return "none"
    if options & MQCOPY_ALL:
        return "all"
    return ",".join([word for bit, word in _COPY_WORDS if options & bit])


def _copy_options(text: str) -> int:
    """The options a copy attribute names. Words we do not know are ignored."""
    options = MQCOPY_NONE
    for word in text.split(","):
        word = word.strip()
        if word == "all":
            options |= MQCOPY_ALL
        elif word == "default":
            options |= MQCOPY_DEFAULT
        for bit, known in _COPY_WORDS:
            if word == known:
                options |= bit
    return options


def outline(folders: list[str]) -> tuple[MessageProperties, list[str]]:
    """As `MessageProperties.from_folders`, but a long folder is one hidden property, for callers of folders.

    Of a long folder only the first and the last tag are read. Raises StructureError.
    """
    properties = MessageProperties()
    others: list[str] = []
    for folder in folders:
        if len(folder) < LONG_FOLDER:
            found, not_properties = MessageProperties.from_folders([folder])
            properties.items.extend(found.items)
            others.extend(not_properties)
            continue
        root = read_root(folder)
        if root.name in PROPERTY_FOLDERS or root.attributes.get("content") == "properties":
            whole = Property(root.name + ".", MQTYPE_STRING, "")
            whole.hidden = root
            properties.items.append(whole)
        else:
            others.append(folder)
    return properties, others


def _collect(items: list[Property], folder: str, groups: list[str], element: Element) -> None:
    """Add the content of `element`: a property, the properties of a group, or something hidden (P3)."""
    path = [*groups, element.name]
    if not is_accessible(folder, path):
        if not groups:
            hidden = Property(folder + ".", MQTYPE_STRING, "")
            hidden.hidden = element
            items.append(hidden)
        return
    if element.children and folder == "usr":
        hidden = Property("usr.", MQTYPE_STRING, "")
        hidden.hidden = element
        items.append(hidden)
        return
    if element.children:
        for child in element.children:
            _collect(items, folder, path, child)
        return
    items.append(read_property(folder, path, element))


def read_property(folder: str, path: list[str], element: Element) -> Property:
    """The property that an element without children is. Raises StructureError."""
    name = path[0] if folder == "usr" else ".".join([folder, *path])
    dt = element.attributes.get("dt", "")
    if element.attributes.get(_NIL) in ("true", "1"):
        item = Property(name, MQTYPE_NULL, None)
    elif not dt and folder == "jms" and element.name in _JMS_TYPES:
        kind = _JMS_TYPES[element.name]
        item = Property(name, kind, _read(name, element.text, kind))
    elif dt in TYPE_OF_DT:
        kind = TYPE_OF_DT[dt]
        item = Property(name, kind, _read(name, element.text, kind))
    else:
        item = Property(name, MQTYPE_STRING, element.text)
        item.type_string = dt
    if element.attributes.get("context") == "user":
        item.context = MQPD_USER_CONTEXT
    if "copy" in element.attributes:
        item.copy_options = _copy_options(element.attributes["copy"])
    if folder == "mq":
        if "sr" in element.attributes:
            item.support = MQPD_SUPPORT_REQUIRED
        elif "sx" in element.attributes:
            item.support = MQPD_SUPPORT_REQUIRED_IF_LOCAL
    return item


def _read(name: str, text: str, kind: int) -> Value:
    try:
        return read_value(text, kind)
    except StructureError as error:
        raise StructureError(f"property {name!r}: {error.text}", MQRC_RFH_FORMAT_ERROR) from None
