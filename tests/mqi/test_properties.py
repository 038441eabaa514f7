"""Message properties: setting, finding, folders both ways, rules P1 to P6."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq import compiled
from flintmq.mqi import MQMD, MQPD, MessageProperties, Property, PropertyError, StructureError
from flintmq.mqi import constants as c
from flintmq.mqi import reason as r
from flintmq.mqi.md_properties import is_descriptor_name, read_descriptor, write_descriptor
from flintmq.mqi.properties import matches
from flintmq.mqi.property_values import Value

ALL_TYPES: list[tuple[str, Value, int]] = [
    ("flag", True, c.MQTYPE_BOOLEAN),
    ("tiny", -1, c.MQTYPE_INT8),
    ("short", 2, c.MQTYPE_INT16),
    ("int", 3, c.MQTYPE_INT32),
    ("long", 1 << 40, c.MQTYPE_INT64),
    ("single", 1.5, c.MQTYPE_FLOAT32),
    ("double", 0.1, c.MQTYPE_FLOAT64),
    ("text", "a <b> & 'c' \"d\"", c.MQTYPE_STRING),
    ("bytes", b"\x00\xff", c.MQTYPE_BYTE_STRING),
    ("nothing", None, c.MQTYPE_NULL),
]
USR = (
    "<usr><flag dt='boolean'>1</flag><tiny dt='i1'>-1</tiny><short dt='i2'>2</short><int dt='i4'>3</int>"
    "<long dt='i8'>1099511627776</long><single dt='r4'>1.5</single><double dt='r8'>0.1</double>"
    "<text>a &lt;b&gt; &amp; &apos;c&apos; &quot;d&quot;</text><bytes dt='bin.hex'>00FF</bytes>"
    "<nothing xsi:nil='true'></nothing></usr>"
)


def test_every_type_goes_into_a_folder_and_comes_back() -> None:
    properties = MessageProperties()
    for name, value, kind in ALL_TYPES:
        properties.set(name, value, kind)
    assert properties.to_folders() == [USR]
    back, others = MessageProperties.from_folders([USR])
    assert [(item.name, item.value, item.type) for item in back.items] == ALL_TYPES
    assert back.to_folders() == [USR] and others == [] and len(back) == 10


def test_folders_are_written_in_their_order_and_marked() -> None:
    """P1."""
    properties = MessageProperties()
    properties.set("shop.item.color", "red")
    properties.set("size", 4)
    properties.set("shop.item.price", 2.5)
    properties.set("mq_usr.x", "y")
    properties.set("JMSXGroupSeq", 7)
    properties.set("JMSType", "order")
    assert properties.to_folders() == [
        "<mcd><Type>order</Type></mcd>",
        "<jms><Seq>7</Seq></jms>",
        "<usr><size dt='i4'>4</size></usr>",
        "<shop content='properties'><item><color>red</color><price dt='r8'>2.5</price></item></shop>",
        "<mq_usr><x>y</x></mq_usr>",
    ]


def test_a_jms_message_is_understood() -> None:
    """P4, P5."""
    properties, others = MessageProperties.from_folders(
        [
            "<mcd><Msd>jms_text</Msd></mcd>",
            "<jms><Dst>queue:///Q1</Dst><Tms>1543156572456</Tms><Dlv>2</Dlv><Pri>4</Pri><Cid>ID:42</Cid></jms>",
            "<usr><TheKey>TheValue</TheKey><n dt='i4'>5</n></usr>",
            "<psc><Command>Publish</Command></psc>",
            "<mine><a>1</a></mine>",
            "   ",
        ]
    )
    assert properties.value("JMSDestination") == properties.value("jms.Dst") == "queue:///Q1"
    assert properties.value("JMSTimestamp") == 1543156572456 and properties.value("JMSPriority") == 4
    assert properties.value("TheKey") == properties.value("usr.TheKey") == "TheValue" and properties.value("n") == 5
    assert properties.value("nowhere") is None
    assert others == ["<psc><Command>Publish</Command></psc>", "<mine><a>1</a></mine>"]
    assert properties.to_folders()[1].endswith("<Tms>1543156572456</Tms><Dlv>2</Dlv><Pri>4</Pri><Cid>ID:42</Cid></jms>")


def test_elements_that_cannot_be_named_stay_unseen() -> None:
    """P3."""
    folder = "<usr><JMSFoo>1</JMSFoo><ok>2</ok><group><x>3</x></group><a.b>4</a.b></usr>"
    properties, _ = MessageProperties.from_folders([folder])
    assert properties.names() == ["ok"] and len(properties) == 1
    assert properties.value("JMSFoo") is None
    assert properties.to_folders() == [folder]
    assert properties.inquire("usr.%").name == "ok"
    with pytest.raises(PropertyError):
        properties.inquire("usr.%", c.MQIMPO_INQ_NEXT)


def test_an_unknown_dt_is_a_string_and_kept() -> None:
    folder = "<usr><when dt='dateTime'>2024-01-01</when></usr>"
    properties, _ = MessageProperties.from_folders([folder])
    found = properties.find("when")
    assert found is not None and found.type == c.MQTYPE_STRING and found.type_string == "dateTime"
    assert properties.to_folders() == [folder]


@pytest.mark.parametrize("folder", ["<usr><a dt='i4'>x</a></usr>", "<jms><Pri>high</Pri></jms>", "<usr><a></usr>"])
def test_a_folder_that_is_wrong_is_refused(folder: str) -> None:
    with pytest.raises(StructureError) as caught:
        MessageProperties.from_folders([folder])
    assert caught.value.reason == 2421


def test_a_property_has_a_value_or_properties_below_it() -> None:
    """P2."""
    properties = MessageProperties()
    properties.set("a.b", 1)
    with pytest.raises(PropertyError, match="not both") as caught:
        properties.set("a.b.c", 2)
    assert caught.value.reason == 2498
    properties.delete("a.b")
    properties.set("a.b.c", 1)
    with pytest.raises(PropertyError, match="not both"):
        properties.set("a.b", 2)


def test_setting_again_replaces_and_appending_repeats() -> None:
    properties = MessageProperties()
    properties.set("a", 1)
    properties.set("b", 2)
    properties.set("usr.a", 3)
    assert properties.names() == ["a", "b"] and properties.value("a") == 3
    properties.set("a", 4, options=c.MQSMPO_APPEND_PROPERTY)
    assert properties.names() == ["a", "b", "a"] and properties.value("a") == 3


def test_the_cursor_walks_with_wildcards() -> None:
    properties = MessageProperties()
    for name in ("color", "shop.color", "count", "shop.size.x"):
        properties.set(name, name)

    def walk(pattern: str) -> list[str]:
        found = [properties.inquire(pattern).name]
        while True:
            try:
                found.append(properties.inquire(pattern, c.MQIMPO_INQ_NEXT).name)
            except PropertyError as error:
                assert error.reason == 2471
                return found

    assert walk("%") == ["color", "shop.color", "count", "shop.size.x"]
    assert walk("usr.%") == ["color", "count"]
    assert walk("co%") == ["color", "count"]
    assert walk("shop.%") == ["shop.color", "shop.size.x"]
    assert walk("color") == ["color"] and walk("usr.color") == ["color"]
    assert properties.inquire("anything", c.MQIMPO_INQ_PROP_UNDER_CURSOR).name == "color"
    assert matches("JMSReplyTo", "jms.Rto")


def test_setting_and_deleting_at_the_cursor() -> None:
    properties = MessageProperties()
    for name in ("a", "b", "c"):
        properties.set(name, name)
    properties.inquire("b")
    properties.set("x", 1, options=c.MQSMPO_SET_PROP_BEFORE_CURSOR)
    properties.set("y", 2, options=c.MQSMPO_SET_PROP_AFTER_CURSOR)
    assert properties.names() == ["a", "x", "b", "y", "c"]
    properties.set("z", 3, options=c.MQSMPO_SET_PROP_UNDER_CURSOR)
    assert properties.names() == ["a", "x", "z", "y", "c"]
    properties.delete("a")
    properties.delete("", c.MQDMPO_DEL_PROP_UNDER_CURSOR)
    assert properties.names() == ["x", "y", "c"]
    for call in (
        lambda: properties.delete("", c.MQDMPO_DEL_PROP_UNDER_CURSOR),
        lambda: properties.inquire("", c.MQIMPO_INQ_PROP_UNDER_CURSOR),
        lambda: properties.set("q", 1, options=c.MQSMPO_SET_PROP_AFTER_CURSOR),
        lambda: properties.delete("nowhere"),
    ):
        with pytest.raises(PropertyError) as caught:
            call()
        assert caught.value.reason == 2471


@pytest.mark.parametrize(("options", "reason"), [(99, 2463), (3, 2463)])
def test_unknown_options_are_refused(options: int, reason: int) -> None:
    with pytest.raises(PropertyError) as caught:
        MessageProperties().set("a", 1, options=options)
    assert caught.value.reason == reason
    with pytest.raises(PropertyError):
        MessageProperties().inquire("a", c.MQIMPO_INQ_NEXT | c.MQIMPO_INQ_PROP_UNDER_CURSOR)
    with pytest.raises(PropertyError):
        MessageProperties().delete("a", 77)


def descriptor(support: int, context: int, copy_options: int) -> MQPD:
    pd = MQPD()
    pd.support, pd.context, pd.copy_options = support, context, copy_options
    return pd


@pytest.mark.parametrize(
    ("name", "pd", "text"),
    [
        ("a", descriptor(1, 0, c.MQCOPY_DEFAULT), "<usr><a>x</a></usr>"),
        ("a", descriptor(1, 1, c.MQCOPY_DEFAULT), "<usr><a context='user'>x</a></usr>"),
        ("a", descriptor(1, 0, c.MQCOPY_NONE), "<usr><a copy='none'>x</a></usr>"),
        ("a", descriptor(1, 0, c.MQCOPY_ALL), "<usr><a copy='all'>x</a></usr>"),
        ("a", descriptor(1, 0, c.MQCOPY_REPLY | c.MQCOPY_FORWARD), "<usr><a copy='forward,reply'>x</a></usr>"),
        ("a", descriptor(c.MQPD_SUPPORT_REQUIRED, 0, c.MQCOPY_DEFAULT), "<usr><a>x</a></usr>"),
        ("mq.a", descriptor(c.MQPD_SUPPORT_REQUIRED, 0, c.MQCOPY_DEFAULT), "<mq><a sr='required'>x</a></mq>"),
        ("mq.a", descriptor(c.MQPD_SUPPORT_REQUIRED_IF_LOCAL, 0, c.MQCOPY_DEFAULT), "<mq><a sx='local'>x</a></mq>"),
    ],
)
def test_property_descriptors_travel_as_attributes(name: str, pd: MQPD, text: str) -> None:
    properties = MessageProperties()
    properties.set(name, "x", descriptor=pd)
    assert properties.to_folders() == [text]
    back = MessageProperties.from_folders([text])[0].inquire(name)
    assert back.descriptor().copy_options == pd.copy_options and back.descriptor().context == pd.context
    assert back.support == (pd.support if name.startswith("mq.") else c.MQPD_SUPPORT_OPTIONAL)


@pytest.mark.parametrize("pd", [descriptor(1, 5, 22), descriptor(1, 0, 64)])
def test_a_wrong_property_descriptor_is_refused(pd: MQPD) -> None:
    properties = MessageProperties()
    with pytest.raises(PropertyError) as caught:
        properties.set("a", 1, descriptor=pd)
    assert caught.value.reason == 2482 and len(properties) == 0


def test_fields_of_the_descriptor_are_properties_too() -> None:
    md = MQMD()
    md.priority, md.msg_id, md.user_identifier = 7, b"m" * 24, "mike"
    assert read_descriptor(md, "Root.MQMD.Priority").value == 7
    assert read_descriptor(md, "JMSMessageID").value == b"m" * 24 and read_descriptor(md, "JMSXUserID").value == "mike"
    assert is_descriptor_name("JMSXAppID") and not is_descriptor_name("color")
    write_descriptor(md, "Root.MQMD.Expiry", 100)
    assert md.expiry == 100
    for name in ("Root.MQMD.Nope", "color"):
        with pytest.raises(PropertyError):
            read_descriptor(md, name)
    with pytest.raises(PropertyError):
        MessageProperties().set("Root.MQMD.Priority", 1)


NAMES = st.sampled_from(["a", "b", "größe", "shop.x", "shop.g.y", "shop.g.z", "other.v", "mq_usr.w"])
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(max_size=9),
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(NAMES, VALUES))
def test_any_properties_survive_their_folders(values: dict[str, Value]) -> None:
    properties = MessageProperties()
    for name, value in values.items():
        properties.set(name, value)
    folders = properties.to_folders()
    back, others = MessageProperties.from_folders(folders)
    assert {item.name: item.value for item in back.items} == values and not others
    assert back.to_folders() == folders


class Watched(list[Property]):
    """Counts the properties that somebody looks at."""

    looked = 0

    def __iter__(self) -> Iterator[Property]:
        for item in super().__iter__():
            self.looked += 1
            yield item

    def __getitem__(self, place: Any) -> Any:
        self.looked += 1
        return super().__getitem__(place)

    def index(self, *args: Any) -> int:
        self.looked += len(self)
        return super().index(*args)


@pytest.mark.parametrize("name", ["p{}", "shop.p{}", "shop.g{}.p"])
def test_a_property_is_set_without_a_look_at_the_others(name: str) -> None:
    """P6: a message with 100,000 properties took minutes to put. (issue 14, item 3)"""
    if compiled():
        pytest.skip("compiled code does not ask a list how it is gone through")
    properties = MessageProperties()
    properties.items = watched = Watched()
    for number in range(2000):
        properties.set(name.format(number), number)
    for number in range(0, 2000, 2):
        properties.set(name.format(number), "again")
    assert watched.looked <= 2 * 2000 and len(watched) == 2000
    (folder,) = properties.to_folders()
    back, _ = MessageProperties.from_folders([folder])
    assert back.value(name.format(10)) == "again" and back.value(name.format(11)) == 11 and len(back) == 2000


NAMES = st.sampled_from(["a", "b", "s.a", "s.b", "s.a.x", "s.a.y", "s.t.x", "usr.a", "s"])
PLACES = [
    c.MQSMPO_SET_FIRST,
    c.MQSMPO_APPEND_PROPERTY,
    c.MQSMPO_SET_PROP_UNDER_CURSOR,
    c.MQSMPO_SET_PROP_BEFORE_CURSOR,
    c.MQSMPO_SET_PROP_AFTER_CURSOR,
]
CALLS = st.one_of(
    st.tuples(st.just("set"), NAMES, st.sampled_from(PLACES)),
    st.tuples(st.just("delete"), NAMES, st.sampled_from([0, c.MQDMPO_DEL_PROP_UNDER_CURSOR])),
    st.tuples(st.just("inquire"), st.sampled_from(["%", "s.%", "a"]), st.sampled_from([0, c.MQIMPO_INQ_NEXT])),
    st.tuples(st.just("extend"), NAMES, st.just(0)),
    st.tuples(st.just("replace"), NAMES, st.just(0)),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(CALLS, max_size=25))
def test_the_index_of_names_says_what_a_look_at_all_of_them_says(calls: list[tuple[str, str, int]]) -> None:
    """Whatever was done to the properties before, P2 is checked, and the first of a name is replaced."""
    properties = MessageProperties()
    for number, (what, name, options) in enumerate(calls):
        names, canonical = properties.names(), name.removeprefix("usr.")
        mixed = any(f"{each}.".startswith(f"{canonical}.") != (each == canonical) for each in names) or any(
            canonical.startswith(f"{each}.") for each in names
        )
        first = names.index(canonical) if canonical in names else -1
        try:
            if what == "set":
                properties.set(name, number, options=options)
            elif what == "delete":
                properties.delete(name, options)
            elif what == "inquire":
                properties.inquire(name, options)
            else:
                item = Property(canonical, c.MQTYPE_INT32, number)
                if not mixed and what == "extend":
                    properties.items.append(item)
                elif not mixed:
                    properties.items = [item, *properties.items]
            refused = 0
        except PropertyError as error:
            refused = error.reason
        if what == "set":
            assert (refused == r.MQRC_MIXED_CONTENT_NOT_ALLOWED) == mixed
            if not refused and options == c.MQSMPO_SET_FIRST:
                assert properties.items[first].value == number
                assert len(properties.items) == len(names) + (first < 0)
