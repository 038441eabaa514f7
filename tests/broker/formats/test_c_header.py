"""C headers: types, alignment judged by ctypes, directives of the preprocessor, what has no place in the model."""

from __future__ import annotations

import ctypes

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.c_header import CHeaderOptions, import_c_header
from flintmq.broker.formats.c_source import evaluate
from flintmq.broker.formats.message_set import MessageSet
from flintmq.broker.formats.model_yaml import from_yaml, to_yaml
from tests.broker.formats.mrm_support import LITTLE, read, rewritten, write


def header(body: str, **options: object) -> MessageSet:
    return import_c_header(body, "S", CHeaderOptions(**options))  # type: ignore[arg-type]


def struct(body: str, **options: object) -> MessageSet:
    return header(f"struct M {{ {body} }};", **options)


class Point(ctypes.Structure):
    _fields_ = [("tag", ctypes.c_char), ("x", ctypes.c_double)]  # noqa: RUF012


class Either(ctypes.Union):
    _fields_ = [("i", ctypes.c_int), ("d", ctypes.c_double)]  # noqa: RUF012


class Order(ctypes.Structure):
    _fields_ = [  # noqa: RUF012
        ("id", ctypes.c_char * 10),
        ("a", ctypes.c_short),
        ("b", ctypes.c_int * 3),
        ("raw", ctypes.c_ubyte * 3),
        ("p", Point * 2),
        ("u", Either),
        ("color", ctypes.c_int),
        ("big", ctypes.c_longlong),
        ("f", ctypes.c_float),
        ("last", ctypes.c_char),
    ]


ORDER = """
#ifndef ORDER_H
#define ORDER_H
#include <stdint.h>
#define LENGTH 10      /* of the identifier */
#define COUNT (LENGTH / 5 + 1)
#ifdef __cplusplus
extern "C" {
#endif
typedef enum { RED, GREEN = 4, BLUE } Color;   // constants
struct point { char tag; double x; };
typedef struct order_tag {
    char id[LENGTH];
    short a;
    int b[COUNT];
    unsigned char raw[3];
    struct point p[2];
    union { int i; double d; } u;
    Color color;
    long long big;
    float f;
    const char last;
} Order, *OrderPointer;
int function(int a, struct order_tag *b);
extern int variable;
static inline int inside(void) { return 1; }
#ifdef __cplusplus
}
#endif
#endif
"""


def filled() -> Order:
    order = Order()
    order.id = b"AB"
    order.a = -5
    order.b[:] = [1, 2, 3]
    order.raw[:] = [7, 8, 9]
    order.p[0].tag, order.p[0].x = b"x", 1.5
    order.p[1].tag, order.p[1].x = b"y", 2.5
    order.u.d = 3.5
    order.color = 4
    order.big = 1 << 40
    order.f = 0.5
    order.last = b"!"
    return order


def test_a_struct_has_the_layout_of_a_compiler() -> None:
    message_set = header(ORDER, strings="nul")
    data = bytes(filled())
    tree = read(message_set, data, "CWF1", type="msg_Order", encoding=LITTLE)
    assert tree[:5] == [("id", "AB"), ("a", -5), ("b", 1), ("b", 2), ("b", 3)]
    assert ("p", [("tag", "y"), ("x", 2.5)]) in tree
    assert dict(tree)["u"] == [("i", 0), ("d", 3.5)]
    assert tree[-4:] == [("color", 4), ("big", 1 << 40), ("f", 0.5), ("last", "!")]
    assert rewritten(message_set, data, "CWF1", type="msg_Order", encoding=LITTLE) == data


def test_messages_are_named_by_typedefs_and_tags() -> None:
    message_set = header(ORDER)
    assert set(message_set.messages) == {"msg_Order", "msg_point"}
    assert any("#include" in note for note in message_set.notes)


@pytest.mark.parametrize(
    ("member", "data", "value"),
    [
        ("char a[3]", b"ab ", "ab"),
        ("char a", b"x", "x"),
        ("signed char a", b"\xff", -1),
        ("unsigned char a", b"\xff", 255),
        ("short a", b"\xff\xfe", -2),
        ("unsigned short int a", b"\xff\xfe", 65534),
        ("int a", b"\xff\xff\xff\xfe", -2),
        ("unsigned a", b"\xff\xff\xff\xfe", 2**32 - 2),
        ("long a", b"\0\0\0\7", 7),
        ("long long a", b"\0\0\0\0\0\0\0\7", 7),
        ("float a", b"\x3f\xc0\0\0", 1.5),
        ("double a", b"\x3f\xf8\0\0\0\0\0\0", 1.5),
        ("uint16_t a", b"\0\7", 7),
        ("int64_t a", b"\xff" * 8, -1),
        ("MQLONG a", b"\0\0\0\7", 7),
        ("MQCHAR8 a", b"MQSTR   ", "MQSTR"),
        ("MQBYTE24 a", bytes(24), bytes(24)),
        ("enum { A, B } a", b"\0\0\0\1", 1),
        ("void *a", b"\1\2\3\4", b"\1\2\3\4"),
        ("int *a", b"\1\2\3\4", b"\1\2\3\4"),
        ("unsigned char a[2]", b"\1\2", b"\1\2"),
    ],
)
def test_a_member_of_each_type(member: str, data: bytes, value: object) -> None:
    message_set = struct(f"{member};")
    assert read(message_set, data, "CWF1") == [("a", value)]
    assert write(message_set, {"a": value}, "CWF1") == data


def test_options_choose_sizes() -> None:
    assert read(struct("char a;", char="integer"), b"\xff", "CWF1") == [("a", -1)]
    assert read(struct("long a;", long_size=8), b"\0" * 7 + b"\7", "CWF1") == [("a", 7)]
    assert read(struct("enum { A } a;", enum_size=1), b"\7", "CWF1") == [("a", 7)]
    assert read(struct("char a; int b;", packing=1), b"x\0\0\0\7", "CWF1") == [("a", "x"), ("b", 7)]
    assert read(struct("char a; int b;"), b"x\0\0\0\0\0\0\7", "CWF1") == [("a", "x"), ("b", 7)]


def test_packing_by_pragma_and_attribute() -> None:
    message_set = header(
        "#pragma pack(push, 1)\nstruct A { char a; int b; };\n#pragma pack(pop)\nstruct B { char a; int b; };\n"
        "struct C { char a; int b; } __attribute__((packed));"
    )
    sizes = {"msg_A": 5, "msg_B": 8, "msg_C": 5}
    for name, size in sizes.items():
        assert len(write(message_set, {"a": "x", "b": 1}, "CWF1", type=name)) == size


def test_arrays_repeat_and_end_padding_is_there() -> None:
    message_set = struct("int a; char b[2][3]; short m[2][2]; char z;")
    data = b"\0\0\0\1abcdef\0\1\0\2\0\3\0\4!\0"
    data += b"\0" * (-len(data) % 4)
    tree = [("a", 1), ("b", "abc"), ("b", "def"), ("m", 1), ("m", 2), ("m", 3), ("m", 4), ("z", "!")]
    assert read(message_set, data, "CWF1") == tree
    assert write(message_set, tree, "CWF1") == data
    with pytest.raises(BrokerError):
        read(message_set, data[:-1], "CWF1")


def test_members_without_a_name_belong_to_the_struct_around_them() -> None:
    message_set = struct("char a; struct { int b; char c; }; char d;")
    data = b"x\0\0\0\0\0\0\1y\0\0\0z\0\0\0"
    assert read(message_set, data, "CWF1") == [("a", "x"), ("b", 1), ("c", "y"), ("d", "z")]


@pytest.mark.parametrize(
    "body",
    [
        "struct M { int a : 3; };",
        "struct M { long double a; };",
        "struct M { unknown a; };",
        "struct M { int a[]; };",
        "struct M { int a[-1]; };",
        "struct M { int a[1/0]; };",
        "struct M { struct other a; };",
        "struct M { int a[99999999][99999999]; };",
        "struct M { int a",
        "struct M {};",
        "struct M { void a; };",
        "int main(void) { return 0; }",
        "",
    ],
)
def test_what_has_no_place_in_the_model_is_noted_and_left_out(body: str) -> None:
    with pytest.raises(BrokerError, match="no struct"):
        header(body)
    message_set = header(f"{body}\n;struct Good {{ int a; }};") if body.count("{") == body.count("}") else None
    if message_set is not None:
        assert set(message_set.messages) == {"msg_Good"}


def test_expressions_and_macros() -> None:
    macros = {"A": "2 + 3", "B": "(A * 2)", "LOOP": "LOOP", "X": "Y", "Y": "X"}
    for text, value in (("A", 5), ("B", 10), ("1 << 4 | 1", 17), ("-7 / 2", -3), ("-7 % 2", -1), ("!0 + ~0", 0)):
        assert evaluate(text, macros, {}) == value
    assert evaluate("0x10 + 010 + E", {}, {"E": 1}) == 25
    for text in ("", "1 +", "(1", "1 2", "1 / 0", "LOOP", "X", "sizeof(int)", "1 << 99", "9" * 30, "+" * 400 + "1"):
        with pytest.raises(ValueError, match=r"\w"):
            evaluate(text, macros, {})


def test_a_struct_that_contains_itself_has_no_size() -> None:
    with pytest.raises(BrokerError):
        header("struct M { int a; struct M next; };")
    message_set = header("struct M { int a; struct M *next; };")
    assert len(write(message_set, {"a": 1}, "CWF1")) == 8


def test_a_header_survives_as_yaml() -> None:
    message_set = header(ORDER)
    text = to_yaml(message_set)
    assert to_yaml(from_yaml(text)) == text
    data = bytes(filled())
    assert read(from_yaml(text), data, "CWF1", type="msg_Order") == read(message_set, data, "CWF1", type="msg_Order")


def test_wrong_options_are_refused() -> None:
    for options in ({"long_size": 5}, {"packing": 3}, {"enum_size": 8}):
        with pytest.raises(BrokerError):
            struct("int a;", **options)


_WORDS = st.sampled_from(
    "struct union enum typedef { } ; , * [ ] ( ) 3 0 int char long unsigned double a b M #define #if #endif \n \" '"
    " /* */ #pragma pack(1) = : __attribute__ extern static".split(" ")
)


@settings(max_examples=150, deadline=None)
@given(words=st.lists(_WORDS, max_size=60))
def test_any_words_are_a_header_or_a_broker_error(words: list[str]) -> None:
    try:
        message_set = import_c_header(" ".join(words))
    except BrokerError:
        return
    assert message_set.messages


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_changed_header_is_read_or_a_broker_error(data: st.DataObject) -> None:
    text = ORDER
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 20, len(text))))
        text = (
            text[:start]
            + data.draw(st.sampled_from(["", "{", "}", ";", "struct", "[", "9" * 12, "/*", '"']))
            + text[end:]
        )
    try:
        import_c_header(text)
    except BrokerError:
        pass
