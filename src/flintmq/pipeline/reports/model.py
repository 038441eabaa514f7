"""A report as data: sentences, tables and charts. Its maker asks Spark; its printer knows neither Spark nor the tables.

A report is small: its rows were aggregated or cut where the data is, never on the driver.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Cell = str | int | float | None
#: The longest linked name that is always shown whole.
NAME_MAX = 12


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table. `decimals` is None for text; a number is printed with that many and set to the right."""

    name: str
    decimals: int | None = None
    unit: str = ""
    #: Prefix of a link from each cell to a section; the text of the cell completes the section's name.
    link: str = ""
    #: Letters that a page shows of the end of a linked name that is longer than NAME_MAX; its title has the whole.
    tail: int = 4


@dataclass(slots=True)
class Table:
    """Rows under named columns; None is a value that was not recorded, and is printed as nothing."""

    title: str
    columns: list[Column]
    rows: list[tuple[Cell, ...]] = field(default_factory=list)
    #: How many rows were left out, for the line that says so.
    left_out: int = 0
    #: The same as lines, as the supplied formatters lay it out. Where there are any, text prints them and not the rows.
    listing: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Series:
    """One line or set of bars: as many values as the chart has places on its x axis; None is a gap.

    `spread` has the lowest and the highest repeat of each value, where a value is the median of repeats.
    """

    name: str
    values: list[float | None]
    spread: list[tuple[float, float] | None] = field(default_factory=list)


@dataclass(slots=True)
class Chart:
    """Values over labels: `line` where the labels follow each other (times), `bar` where they are names.

    Labels that are numbers can be placed to `scale`: `linear`, or `log` where they span orders of magnitude.
    """

    title: str
    kind: str
    x: list[str]
    series: list[Series]
    y_title: str = ""
    x_title: str = ""
    scale: str = ""
    #: Labels as readers see them, where those of `x` are numbers on a scale: 2 KB for 2048.
    shown: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Figure:
    """A key figure of a report: `Figure("busiest interval", "1,024", "puts/s")`.

    `link` names the section that it comes from.
    """

    name: str
    value: str
    unit: str = ""
    link: str = ""


@dataclass(slots=True)
class Section:
    """A part of a report that has a heading of its own: words, then charts, then the tables beneath them."""

    title: str
    words: list[str] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    #: Its name in the address of a page, where others lead to it.
    ident: str = ""


@dataclass(slots=True)
class Report:
    """The content of one report: text, then tables, then charts, then sections."""

    name: str
    title: str
    words: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    #: At most three, for the head of a page.
    figures: list[Figure] = field(default_factory=list)
    #: It has nothing to say: there are no records for it, or nothing of it happened.
    silent: bool = False
    sections: list[Section] = field(default_factory=list)
