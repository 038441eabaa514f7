"""Switches: one named choice for each point of ESQL that public evidence does not settle (MF 8, and [K] in MF).

The defaults follow most of the evidence. A switch is set for an application, never for a whole process: the compiled
code of the application passes its `Switches` object to the functions that depend on one. A function that gets
none takes `DEFAULTS`, which nothing changes.

    name                      values, default first         decides
    index_gaps                create error                  SET of b[5] where two b exist: make the siblings between,
                                                            or raise an error
    scalar_keeps_children     True False                    SET of a scalar to a folder keeps its children
    input_tree_write          error allow                   a change of an input tree
    empty_xml_element         empty null                    value of <a/> in XMLNSC: '' or NULL
    json_fraction             float decimal                 type of a JSON number with fraction or exponent
    generated_prefix          NS ns                         start of the names of generated namespace prefixes
    variable_names            insensitive sensitive         case of names of variables, routines and labels
    schema_resolution         first error                   a routine that two schemas of PATH have: take the first,
                                                            or refuse to compile
    compare_character_numeric cast error                    CHARACTER compared with another type: cast it, or 2420
    integer_to_character      lenient error                 a value of another type assigned to a CHARACTER variable
    cast_rounding             half_up half_even truncate    casts to INTEGER, to DECIMAL(p,s) and to an INTERVAL
    character_to_integer      strict round                  CAST('1.5' AS INTEGER): an error, or rounded
    numeric_blanks            tolerate error                blanks around a number in CAST from CHARACTER
    float_text                scientific shortest           CAST(1.5E0 AS CHARACTER): 1.5E+0, or 1.5
    date_text                 literal plain                 CAST of a DATE to CHARACTER: DATE '2024-01-31', or
                                                            2024-01-31; likewise times, timestamps and intervals
    date_checking             strict lenient                FORMAT reads day 32: an error, or the first of next month
    century_window            53 (0 to 100)                 two-digit years below it are 20yy, the others 19yy
    week_rule                 sunday monday iso             weeks of FORMAT: first day, and whether week 1 is the one
                                                            with 1 January (sunday, monday) or with four days (iso)
    zone_pattern              rfc822 short                  FORMAT Z and ZZ write +0300 and +0300, or +3 and +03
    string_length             utf16 character               LENGTH and positions count UTF-16 units, or characters
    division_by_zero          error infinity                FLOAT and DECIMAL divided by zero: 2450, or INF and NAN
    month_end                 clip error                    31 January plus one month: last of February, or an error
    date_to_timestamp         current midnight              CAST of a DATE to TIMESTAMP: the time of day it gets
    bit_stream_of_plain_tree  empty error                   ASBITSTREAM of a field that belongs to no parser, as those
                                                            of the environment do: an empty BLOB, or an error
    missing_date              epoch current                 fields of a timestamp that a pattern lacks: 1970-01-01, or
                                                            today
"""

from __future__ import annotations

from typing import Final, final


@final
class Switches:
    """One value for each switch. Attributes are set before the object is used, not while ESQL runs."""

    def __init__(self) -> None:
        #: Siblings that a target index skips: 'create' or 'error'.
        self.index_gaps: str = "create"
        #: Whether SET of a scalar to a folder keeps its children.
        self.scalar_keeps_children: bool = True
        #: A change of an input tree: 'error' or 'allow'.
        self.input_tree_write: str = "error"
        #: The value of an empty element in XMLNSC: 'empty' or 'null'.
        self.empty_xml_element: str = "empty"
        #: JSON numbers with a fraction or an exponent: 'float' or 'decimal'.
        self.json_fraction: str = "float"
        #: Start of the names of generated namespace prefixes: 'NS' or 'ns'.
        self.generated_prefix: str = "NS"
        #: Case of the names of variables, routines and labels: 'insensitive' or 'sensitive'.
        self.variable_names: str = "insensitive"
        #: A routine that two schemas of PATH have: 'first' or 'error'.
        self.schema_resolution: str = "first"
        #: CHARACTER compared with a value of another type: 'cast' or 'error'.
        self.compare_character_numeric: str = "cast"
        #: A value of another type assigned to a CHARACTER variable: 'lenient' or 'error'.
        self.integer_to_character: str = "lenient"
        #: Rounding of casts to INTEGER, DECIMAL(p,s) and INTERVAL: 'half_up', 'half_even' or 'truncate'.
        self.cast_rounding: str = "half_up"
        #: CAST of a CHARACTER with a fraction to INTEGER: 'strict' or 'round'.
        self.character_to_integer: str = "strict"
        #: Blanks around a number in CAST from CHARACTER: 'tolerate' or 'error'.
        self.numeric_blanks: str = "tolerate"
        #: CAST of a FLOAT to CHARACTER: 'scientific' or 'shortest'.
        self.float_text: str = "scientific"
        #: CAST of dates, times and intervals to CHARACTER without FORMAT: 'literal' or 'plain'.
        self.date_text: str = "literal"
        #: Fields of a date out of range in CAST with FORMAT: 'strict' or 'lenient'.
        self.date_checking: str = "strict"
        #: Two-digit years below this are in 2000 to 2099, the others in 1900 to 1999.
        self.century_window: int = 53
        #: Weeks of FORMAT: 'sunday', 'monday' or 'iso'.
        self.week_rule: str = "sunday"
        #: FORMAT Z and ZZ: 'rfc822' or 'short'.
        self.zone_pattern: str = "rfc822"
        #: What LENGTH and positions in a CHARACTER count: 'utf16' or 'character'.
        self.string_length: str = "utf16"
        #: FLOAT and DECIMAL divided by zero: 'error' or 'infinity'.
        self.division_by_zero: str = "error"
        #: A day that the target month of interval arithmetic does not have: 'clip' or 'error'.
        self.month_end: str = "clip"
        #: The time of day that CAST gives a DATE as TIMESTAMP: 'current' or 'midnight'.
        self.date_to_timestamp: str = "current"
        #: ASBITSTREAM of a field that belongs to no parser: 'empty' or 'error'.
        self.bit_stream_of_plain_tree: str = "empty"
        #: Date fields that the pattern of a timestamp lacks: 'epoch' or 'current'.
        self.missing_date: str = "epoch"

    def copy(self) -> Switches:
        """Return an independent object with the same settings."""
        result = Switches()
        for name in SETTINGS:
            setattr(result, name, getattr(self, name))
        return result

    def settings(self) -> dict[str, object]:
        """Return all switches by name."""
        return {name: getattr(self, name) for name in SETTINGS}


#: The values of each switch, default first. `century_window` takes any number from 0 to 100.
SETTINGS: Final[dict[str, tuple[object, ...]]] = {
    "index_gaps": ("create", "error"),
    "scalar_keeps_children": (True, False),
    "input_tree_write": ("error", "allow"),
    "empty_xml_element": ("empty", "null"),
    "json_fraction": ("float", "decimal"),
    "generated_prefix": ("NS", "ns"),
    "variable_names": ("insensitive", "sensitive"),
    "schema_resolution": ("first", "error"),
    "compare_character_numeric": ("cast", "error"),
    "integer_to_character": ("lenient", "error"),
    "cast_rounding": ("half_up", "half_even", "truncate"),
    "character_to_integer": ("strict", "round"),
    "numeric_blanks": ("tolerate", "error"),
    "float_text": ("scientific", "shortest"),
    "date_text": ("literal", "plain"),
    "date_checking": ("strict", "lenient"),
    "century_window": (53,),
    "week_rule": ("sunday", "monday", "iso"),
    "zone_pattern": ("rfc822", "short"),
    "string_length": ("utf16", "character"),
    "division_by_zero": ("error", "infinity"),
    "month_end": ("clip", "error"),
    "date_to_timestamp": ("current", "midnight"),
    "bit_stream_of_plain_tree": ("empty", "error"),
    "missing_date": ("epoch", "current"),
}

#: The settings of functions that are given none.
DEFAULTS: Final = Switches()


def make_switches(settings: dict[str, object]) -> Switches:
    """Return the defaults changed by `settings`, which come from a file or an option.

    Raises ValueError with the allowed values for an unknown name or value.
    """
    result = Switches()
    for name, value in settings.items():
        allowed = SETTINGS.get(name)
        if allowed is None:
            raise ValueError(f"there is no switch '{name}'; switches are {', '.join(SETTINGS)}")
        if name == "century_window":
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 100:
                raise ValueError(f"century_window is a number from 0 to 100, not {value!r}")
        elif value not in allowed or isinstance(value, bool) != isinstance(allowed[0], bool):
            raise ValueError(f"{name} is one of {', '.join([str(one) for one in allowed])}, not {value!r}")
        setattr(result, name, value)
    return result
