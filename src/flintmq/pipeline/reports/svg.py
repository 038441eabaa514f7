"""A chart as SVG that stands in an HTML page: drawn here, with no library and nothing to load.

A line chart shows values over labels that follow each other. Labels that are times are placed to scale, and the axis
has round times. A line joins the values of its own series: a place at which only other series have a value is no gap in
it; a distance of more than GAP times its usual one is. A bar chart lies on its side, because its labels are names of
queues and channels, which are long: a name that does not fit beside its bar goes on in further lines, and none is ever
cut. Zero is always on the value axis, so that lengths can be compared. Colours are CSS
variables of the page, one set for light and one for dark; when they begin again, the dashes are others, and no more
lines are drawn than can be told apart. A screen reader gets the title and a sentence with the extremes (`describe`). A
`sparkline` is a line chart without axes, for the head of the page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median

from flintmq.pipeline.reports.markup import escaped
from flintmq.pipeline.reports.model import Chart, Series

LINE = "line"
BAR = "bar"
KINDS = (LINE, BAR)

WIDTH = 760
HEIGHT = 280
#: The same for a telephone: letters keep their size, so that there are fewer of them.
NARROW = 360
#: Room around the drawing area of a line chart.
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 26, 34
#: The most room for the names of a bar chart, the least, and one of its bars.
NAMES, NAMES_MIN, BAR_HEIGHT, BAR_GAP = 264, 60, 16, 10
#: Height of a line of a name.
NAME_LINE = 14
#: Room to the right of a bar for its value.
VALUES = 70
#: How many series have a colour of their own; later ones begin again, with other dashes.
COLOURS = 8
#: Lines that are drawn of a chart: those that reach highest.
LINES_MAX = 16
#: How many times the usual distance of its points a line is interrupted at.
GAP = 1.75
#: More bars than this are not drawn, and the chart says how many are left out.
BARS_MAX = 40
#: Points that can be pointed at, and labels on the axis of a line chart.
POINTS_MAX, LABELS_MAX = 400, 8
#: How wide a letter is, about.
LETTER = 7
#: Widths of letters of 12 px in a wide font; others are digits and signs of the width of one.
_WIDTHS = {
    **dict.fromkeys("ijlI.,:;'|!()[] /-", 4.4),
    **dict.fromkeys("abcdeghknopqrsuvxyzftL_", 7.5),
    **dict.fromkeys("ABCDEFGHJKNOPQRSTUVXYZ", 8.9),
    **dict.fromkeys("mwMW%@", 11.8),
}
_DIGIT = 7.7
#: The pieces of a name between which a line may end: after a space, else after a sign.
_WORDS, _SIGNS = re.compile(r"\S+\s*"), re.compile(r"[^,/._:-]*[,/._:-]|[^,/._:-]+")

#: Smaller values are drawn as 0, larger ones are gaps.
SMALLEST, LARGEST = 1e-12, 1e30

_DASHES = ("", "7 3", "2 3", "9 3 2 3")
#: Distances between marks of a time axis, in seconds.
_MARKS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800)
#: The small picture of a chart.
SPARK_WIDTH, SPARK_HEIGHT = 160, 36
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)")


@dataclass(frozen=True, slots=True)
class Axis:
    """The value axis: from `low` to `high`, both marked, zero among the marks."""

    low: float
    high: float
    marks: tuple[float, ...]

    def share(self, value: float) -> float:
        """Return the position of a value, 0 at the low end and 1 at the high end."""
        return (value - self.low) / (self.high - self.low)


def axis_of(values: list[float], marks_wanted: int = 5) -> Axis:
    """Return an axis with round marks (1, 2 or 5 times a power of ten) that holds zero and every value."""
    low, high = min([0.0, *values]), max([0.0, *values])
    if low == high:
        high = 1.0
    raw = (high - low) / marks_wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    marks = tuple(number * step for number in range(first, last + 1))
    return Axis(marks[0], marks[-1], marks)


def short(value: float) -> str:
    """Format a number for an axis or a tip, three digits long or whole: 0.25, 4.5, 950, 9,500, 12.5 k, 3.45 M."""
    for limit, scale, unit in ((1e12, 1e12, " T"), (1e9, 1e9, " G"), (1e6, 1e6, " M"), (1e4, 1e3, " k")):
        if abs(value) >= limit:
            return _digits(value / scale) + unit
    return f"{value:.2e}" if 0 < abs(value) < 0.0005 else _digits(value)


def _digits(value: float) -> str:
    size = abs(value)
    text = f"{value:,.{0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def text_width(text: str) -> float:
    """Return about how wide a text of 12 px is. It errs to the wide side: fonts differ."""
    return sum(_WIDTHS.get(letter, _DIGIT) for letter in text)


def wrapped(name: str, room: float) -> list[str]:
    """Break a name into lines that fit into `room`: at spaces, else after signs, else anywhere. Nothing is left out."""
    lines, line = list[str](), ""
    for word in _WORDS.findall(name):
        if line and text_width((line + word).rstrip()) > room:
            lines.append(line.rstrip())
            line = ""
        if text_width(word.rstrip()) <= room:
            line += word
            continue
        for piece in _SIGNS.findall(word):
            for letter in [piece] if text_width(piece) <= room else piece:
                if line and text_width((line + letter).rstrip()) > room:
                    lines.append(line.rstrip())
                    line = ""
                line += letter
    return [*lines, line.rstrip()] if line.strip() else lines or [""]


def real(value: float | None) -> float | None:
    """Return a value that can be drawn; None, a gap, for one that is not a number or too large for a drawing."""
    if value is None or not abs(value) <= LARGEST:
        return None
    return float(value) if abs(value) >= SMALLEST else 0.0


def values_of(series: Series, places: int) -> list[float | None]:
    """Return as many values as there are places, however many the series has."""
    found = [real(value) for value in series.values[:places]]
    return found + [None] * (places - len(found))


def labels(chart: Chart) -> list[str]:
    """Return the labels of a chart as readers see them."""
    return chart.shown if len(chart.shown) == len(chart.x) else chart.x


def describe(chart: Chart) -> str:
    """Describe a chart to readers that do not see it: each series with its extremes and their places."""
    parts = []
    for series in chart.series:
        found = [(value, label) for value, label in zip(values_of(series, len(chart.x)), labels(chart), strict=True)]
        seen = [(value, label) for value, label in found if value is not None]
        if not seen:
            parts.append(f"{series.name}: no values.")
            continue
        low, high = min(seen, key=lambda pair: pair[0]), max(seen, key=lambda pair: pair[0])
        parts.append(f"{series.name}: lowest {short(low[0])} at {low[1]}, highest {short(high[0])} at {high[1]}.")
    return " ".join(parts) or "There is nothing to draw."


def drawn(chart: Chart) -> tuple[list[Series], int]:
    """Return the series that a chart draws, and the number of the others: of many lines the highest are drawn."""
    if chart.kind != LINE or len(chart.series) <= LINES_MAX:
        return chart.series, 0

    def height(series: Series) -> float:
        return max((value for value in values_of(series, len(chart.x)) if value is not None), default=-LARGEST)

    highest = sorted(chart.series, key=height, reverse=True)[:LINES_MAX]
    return [series for series in chart.series if any(series is one for one in highest)], len(chart.series) - LINES_MAX


def dash_of(number: int) -> str:
    """Return the dashes of a line: when colours repeat, dashes differ."""
    return _DASHES[number // COLOURS % len(_DASHES)]


def times_of(x: list[str]) -> list[float] | None:
    """Return labels as seconds since 1970; None if one is not a time, or if they do not follow each other."""
    made: list[float] = []
    for label in x:
        try:
            moment = datetime.fromisoformat(label) if _STAMP.match(label) else None
        except ValueError:
            moment = None
        if moment is None:
            return None
        made.append((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    return made if len(made) > 1 and made == sorted(made) and made[0] < made[-1] else None


def pieces_of(values: list[float | None], at: list[float], own: bool) -> list[list[int]]:
    """Return the places of a line between its gaps.

    With `own` a place without a value is only a gap if the distance to the next value is more than GAP times the usual
    one of this line; else every such place is one.
    """
    there = [place for place, value in enumerate(values) if value is not None]
    if not there:
        return []
    steps = [at[two] - at[one] for one, two in zip(there, there[1:], strict=False)]
    most = GAP * median(steps) if own and steps else 0.0
    made = [[there[0]]]
    for one, two in zip(there, there[1:], strict=False):
        joined = at[two] - at[one] <= most if own else two == one + 1
        if joined:
            made[-1].append(two)
        else:
            made.append([two])
    return made


def draw(chart: Chart, ident: str, width: int = WIDTH) -> str:
    """Return the SVG of a chart. `ident` is unique in the page; title and description refer to it.

    Without an `ident` the drawing is a second one of the same chart, which a screen reader skips.
    """
    if chart.kind not in KINDS:
        raise ValueError(f"a chart is {' or '.join(KINDS)}, not {chart.kind!r}")
    seen = [value for series in chart.series for value in values_of(series, len(chart.x)) if value is not None]
    seen += [end for series in chart.series for pair in series.spread if pair for end in pair if real(end) is not None]
    if not seen:
        height, body = 60, [f'<text class="axis" x="{width / 2:.0f}" y="34" text-anchor="middle">no values</text>']
    elif chart.kind == LINE:
        height, body = HEIGHT + (16 if chart.x_title else 0), _lines(chart, axis_of(seen), width)
    else:
        height, body = _bars(chart, axis_of(seen, 5 if width > NARROW else 3), width)
    if not ident:
        return "".join([f'<svg aria-hidden="true" viewBox="0 0 {width} {height}">', *body, "</svg>"])
    head = (
        f'<svg role="img" viewBox="0 0 {width} {height}" aria-labelledby="{ident}-t {ident}-d">'
        f'<title id="{ident}-t">{escaped(chart.title)}</title><desc id="{ident}-d">{escaped(describe(chart))}</desc>'
    )
    return "".join([head, *body, "</svg>"])


def labels_of(x: list[str]) -> tuple[list[str], str]:
    """Return the labels below a line, and their common part: times of one day lose their date."""
    stamps = [_STAMP.match(label) for label in x]
    if len(x) > 1 and all(stamps):
        dates = {stamp[1] for stamp in stamps if stamp}
        times = [stamp[2] for stamp in stamps if stamp]
        if len(dates) == 1:
            return times, dates.pop()
        from_ = 5 if len({date[:4] for date in dates}) == 1 else 0  # The year, where there are two.
        return [f"{stamp[1][from_:]} {stamp[2][:5] if not from_ else stamp[2]}" for stamp in stamps if stamp], ""
    return x, ""


def scaled(chart: Chart) -> list[float] | None:
    """Return positions of numeric labels on a linear axis; None for other labels, or without a scale."""
    if not chart.scale or len(chart.x) < 2:
        return None
    try:
        numbers = [float(label.replace(",", "")) for label in chart.x]
    except ValueError:
        return None
    if any(one >= two for one, two in zip(numbers, numbers[1:], strict=False)):
        return None
    if chart.scale == "log":
        return [math.log(number) for number in numbers] if numbers[0] > 0 else None
    return numbers


class _Plot:
    """The coordinates of a line chart: from places and values to pixels."""

    def __init__(self, chart: Chart, axis: Axis, width: int) -> None:
        self.axis = axis
        self.width = width
        self.right = width - RIGHT
        self.bottom = HEIGHT - BOTTOM
        #: Seconds since 1970 if the labels are times.
        self.times = times_of(chart.x)
        #: Positions of the labels, in the unit of the x axis.
        self.at = self.times or scaled(chart) or [float(place) for place in range(len(chart.x))]

    def across(self, place: float) -> float:
        """Return x of a position."""
        length = self.at[-1] - self.at[0]
        if not length:
            return (LEFT + self.right) / 2
        return LEFT + (place - self.at[0]) / length * (self.right - LEFT)

    def up(self, value: float) -> float:
        """Return y of a value."""
        return self.bottom - self.axis.share(value) * (self.bottom - TOP)


def _lines(chart: Chart, axis: Axis, width: int) -> list[str]:
    plot = _Plot(chart, axis, width)
    made = [*_grid(chart, plot), *_x_axis(chart, plot)]
    shown, left_out = drawn(chart)
    hover = len(chart.x) * len(shown) <= POINTS_MAX
    for number, series in enumerate(shown):
        made += _series(chart, plot, series, number, filled=len(shown) == 1, hover=hover)
    if left_out:
        made.append(
            f'<text class="axis" x="{plot.right}" y="14" text-anchor="end">{left_out:,} more are not drawn</text>'
        )
    return made


def _grid(chart: Chart, plot: _Plot) -> list[str]:
    """Return the title of the y axis, and a line with its number for each mark."""
    made = [f'<text class="axis" x="{LEFT - 8}" y="14" text-anchor="end">{escaped(chart.y_title)}</text>']
    if len(chart.y_title) > 8:
        made = [f'<text class="axis" x="4" y="14">{escaped(chart.y_title)}</text>']
    for mark in plot.axis.marks:
        kind, y = "zero" if mark == 0 else "grid", plot.up(mark)
        made.append(f'<line class="{kind}" x1="{LEFT}" x2="{plot.right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        made.append(f'<text class="axis" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{short(mark)}</text>')
    return made


def _x_axis(chart: Chart, plot: _Plot) -> list[str]:
    """Return the labels and the title of the x axis."""
    at, across, bottom, right = plot.at, plot.across, plot.bottom, plot.right
    if plot.times:
        made = _time_labels(at[0], at[-1], across, bottom, right)
    elif chart.scale:
        made = _scale_labels(labels(chart), [across(each) for each in at], bottom, plot.width)
    else:
        made = _labels(chart.x, lambda number: across(at[number]), bottom, right)
    if chart.x_title:
        spot = f'x="{(LEFT + right) / 2:.0f}" y="{bottom + 38}"'
        made.append(f'<text class="axis" {spot} text-anchor="middle">{escaped(chart.x_title)}</text>')
    return made


def _series(chart: Chart, plot: _Plot, series: Series, number: int, *, filled: bool, hover: bool) -> list[str]:
    """Return one series: its spread, its line, the dots of a scaled axis, and the tips if `hover`."""
    values = values_of(series, len(chart.x))
    across = [plot.across(each) for each in plot.at]
    points = [None if value is None else (across[place], plot.up(value)) for place, value in enumerate(values)]
    one_path = chart.scale and not plot.times
    pieces = _joined(values) if one_path else pieces_of(values, plot.at, own=plot.times is not None)
    made = [*_spread(series, across, plot.up, number), *_line(points, pieces, number, plot.up(0) if filled else None)]
    if chart.scale:
        made += [_dot(point, number) for point in points if point is not None]
    if hover:
        made += _tips(series.name, labels(chart), values, points)
    return made


def time_marks(start: float, end: float, marks_max: int = LABELS_MAX) -> list[tuple[float, str]]:
    """Return round times between two, with their labels: a date where a day begins or where all marks are days."""
    step = next((each for each in _MARKS if (end - start) / each <= marks_max), _MARKS[-1])
    while (end - start) / step > marks_max:
        step *= 2
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    made = []
    first = math.ceil(start / step)
    for number in range(first, math.floor(end / step) + 1):
        moment = epoch + timedelta(seconds=number * step)
        whole_day = not (moment.hour or moment.minute or moment.second)
        form = "%m-%d" if step >= 86400 or whole_day else "%H:%M" if step >= 60 else "%H:%M:%S"
        made.append((float(number * step), f"{moment:{form}}"))
    return made


def _joined(values: list[float | None]) -> list[list[int]]:
    """Return all points of a line with a value as one path: a missing point leaves no gap."""
    there = [place for place, value in enumerate(values) if value is not None]
    return [there] if there else []


def _dot(point: tuple[float, float], number: int) -> str:
    return f'<circle class="dot s{number % COLOURS}" cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="3"/>'


def _spread(series: Series, at: list[float], up: Callable[[float], float], number: int) -> list[str]:
    """Return a whisker from the lowest to the highest repeat of each value."""
    made = []
    for place, pair in zip(at, series.spread, strict=False):
        if pair is not None and real(pair[0]) is not None and real(pair[1]) is not None:
            made.append(
                f'<line class="whisker s{number % COLOURS}" x1="{place:.1f}" x2="{place:.1f}" '
                f'y1="{up(pair[0]):.1f}" y2="{up(pair[1]):.1f}"/>'
            )
    return made


def _scale_labels(x: list[str], at: list[float], bottom: int, edge: int) -> list[str]:
    """Return the labels of a linear axis that do not overlap, from the right `edge` on."""
    made, free = [], math.inf
    for label, place in sorted(zip(x, at, strict=True), key=lambda pair: -pair[1]):
        half = (LETTER + 1) * len(label) / 2
        place = min(place, edge - half)
        if place + half > free:
            continue
        free = place - half - LETTER
        made.append(
            f'<text class="axis" x="{place:.1f}" y="{bottom + 17}" text-anchor="middle">{escaped(label)}</text>'
        )
    return made


def _time_labels(start: float, end: float, across: Callable[[float], float], bottom: int, right: int) -> list[str]:
    made = []
    for at, label in time_marks(start, end, max(2, min(LABELS_MAX, (right - LEFT) // 80))):
        place = across(at)
        made.append(f'<line class="grid" x1="{place:.1f}" x2="{place:.1f}" y1="{TOP}" y2="{bottom}"/>')
        anchor = "start" if place < LEFT + 20 else "end" if place > right - 20 else "middle"
        made.append(
            f'<text class="axis" x="{place:.1f}" y="{bottom + 17}" text-anchor="{anchor}">{escaped(label)}'
            f"<title>{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}</title></text>"
        )
    days = [f"{datetime.fromtimestamp(each, UTC):%Y-%m-%d}" for each in (start, end)]
    span = days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}"
    made.append(f'<text class="axis" x="{right}" y="{bottom + 31}" text-anchor="end">{span}</text>')
    return made


def _labels(x: list[str], across: Callable[[int], float], bottom: int, right: int) -> list[str]:
    labels, common = labels_of(x)
    room = (right - LEFT) / (1.5 * LETTER * max(1, *map(len, labels)))
    every = max(1, math.ceil(len(labels) / max(1, min(LABELS_MAX, math.floor(room)))))
    made = []
    for number in range(0, len(labels), every):
        place = across(number)
        anchor = "start" if number == 0 and len(labels) > 1 else "end" if number == len(labels) - 1 > 0 else "middle"
        made.append(
            f'<text class="axis" x="{place:.1f}" y="{bottom + 17}" text-anchor="{anchor}">{escaped(labels[number])}'
            f"<title>{escaped(x[number])}</title></text>"
        )
    if common:
        made.append(f'<text class="axis" x="{right}" y="{bottom + 31}" text-anchor="end">{common}</text>')
    return made


def _line(
    points: list[tuple[float, float] | None], pieces: list[list[int]], number: int, floor: float | None
) -> list[str]:
    """Return the pieces of a line between its gaps; one point alone is a dot. `floor` fills the area below."""
    made = []
    dash = dash_of(number)
    style = f"s{number % COLOURS}"
    for places in pieces:
        piece = [point for place in places if (point := points[place]) is not None]
        if len(piece) == 1:
            made.append(f'<circle class="dot {style}" cx="{piece[0][0]:.1f}" cy="{piece[0][1]:.1f}" r="3"/>')
            continue
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in piece)
        if floor is not None:
            made.append(
                f'<polygon class="area {style}" points="{piece[0][0]:.1f},{floor:.1f} {path} '
                f'{piece[-1][0]:.1f},{floor:.1f}"/>'
            )
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        made.append(f'<polyline class="line {style}" points="{path}"{dashes}/>')
    return made


def key(number: int, kind: str = LINE) -> str:
    """Return the mark of a series in the legend: its colour and, where colours of lines repeat, their dashes."""
    if kind == BAR:
        return (
            f'<svg class="key s{number % COLOURS}" viewBox="0 0 28 12" aria-hidden="true">'
            '<rect class="bar" x="12" y="1" width="14" height="10" rx="2"/></svg>'
        )
    dash = dash_of(number)
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<svg class="key s{number % COLOURS}" viewBox="0 0 28 12" aria-hidden="true">'
        f'<line class="line" x1="1" x2="27" y1="6" y2="6"{dashes}/></svg>'
    )


def sparkline(chart: Chart) -> str:
    """Draw the first lines or bars of a chart, small, without axes; "" if there is nothing to draw."""
    shown = chart.series[:3]
    seen = [value for series in shown for value in values_of(series, len(chart.x)) if value is not None]
    if not seen or chart.kind not in KINDS:
        return ""
    axis, made = axis_of(seen), list[str]()

    def up(value: float) -> float:
        return SPARK_HEIGHT - 2 - axis.share(value) * (SPARK_HEIGHT - 4)

    if chart.kind == BAR:
        values = values_of(shown[0], len(chart.x))[:12]
        wide = SPARK_WIDTH / max(len(values), 4)
        for place, value in enumerate(values):
            top, low = sorted((up(value or 0.0), up(0.0)))
            made.append(
                f'<rect class="bar s0" x="{place * wide + 1:.1f}" y="{top:.1f}" width="{wide - 2:.1f}" '
                f'height="{max(low - top, 0.5):.1f}"/>'
            )
    else:
        times = times_of(chart.x)
        at = times or [float(place) for place in range(len(chart.x))]
        length = (at[-1] - at[0]) or 1.0
        for number, series in enumerate(shown):
            values = values_of(series, len(chart.x))
            points = [
                None if value is None else (2 + (at[place] - at[0]) / length * (SPARK_WIDTH - 4), up(value))
                for place, value in enumerate(values)
            ]
            made += _line(points, pieces_of(values, at, times is not None), number, None)
    head = f'<svg class="spark" viewBox="0 0 {SPARK_WIDTH} {SPARK_HEIGHT}" role="img" '
    return f'{head}aria-label="{escaped(chart.title)}">{"".join(made)}</svg>'


def _tips(name: str, x: list[str], values: list[float | None], points: list[tuple[float, float] | None]) -> list[str]:
    return [
        f'<circle class="tip" cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="6">'
        f"<title>{escaped(f'{label}, {name}: {short(value)}')}</title></circle>"
        for label, value, point in zip(x, values, points, strict=True)
        if value is not None and point is not None
    ]


def _bars(chart: Chart, axis: Axis, width: int) -> tuple[int, list[str]]:
    names = chart.x[:BARS_MAX]
    # A name stands beside its bars; where there is no room for that, above them.
    above = width <= NARROW
    texts = [wrapped(name, width - 8 if above else NAMES - 14) for name in names]
    widest = max((text_width(line) for lines in texts for line in lines), default=0.0)
    side = 4 if above else round(min(NAMES, max(NAMES_MIN, widest + 14)))
    thick = BAR_HEIGHT * max(len(chart.series), 1)
    groups = [
        (thick + NAME_LINE * len(lines) + 2 if above else max(thick, NAME_LINE * len(lines))) + BAR_GAP
        for lines in texts
    ]
    bottom = TOP + sum(groups)
    right = width - VALUES

    def across(value: float) -> float:
        return side + axis.share(value) * (right - side)

    made = [f'<text class="axis" x="{side}" y="14">{escaped(chart.y_title)}</text>']
    for mark in axis.marks:
        kind = "zero" if mark == 0 else "grid"
        made.append(f'<line class="{kind}" x1="{across(mark):.1f}" x2="{across(mark):.1f}" y1="{TOP}" y2="{bottom}"/>')
        anchor = "start" if above and mark == axis.marks[0] else "middle"
        made.append(
            f'<text class="axis" x="{across(mark):.1f}" y="{bottom + 16}" text-anchor="{anchor}">{short(mark)}</text>'
        )
    top = TOP + BAR_GAP / 2
    for place, (name, lines, group) in enumerate(zip(names, texts, groups, strict=True)):
        middle = top + (group - BAR_GAP) / 2
        made += _name(name, lines, side + 3 if above else side - 8, top if above else middle, above)
        bars_top = top + NAME_LINE * len(lines) + 2 if above else middle - thick / 2
        for number, series in enumerate(chart.series):
            value = values_of(series, len(chart.x))[place]
            if value is not None:
                spread = series.spread[place] if place < len(series.spread) else None
                made += _bar(f"{name}, {series.name}", value, spread, across, bars_top + number * BAR_HEIGHT, number)
        top += group
    height = bottom + 24
    if len(chart.x) > BARS_MAX:
        more = f"{len(chart.x) - BARS_MAX:,} more are not drawn"
        made.append(f'<text class="axis" x="{side}" y="{bottom + 34}">{more}</text>')
        height += 18
    return round(height), made


def _name(name: str, lines: list[str], x: float, y: float, above: bool) -> list[str]:
    """Return the lines of a name: below `y` at the left where it stands above its bars, else about `y` at the right."""
    first = y + NAME_LINE - 3 if above else y - NAME_LINE * (len(lines) - 1) / 2 + 4
    anchor = "" if above else ' text-anchor="end"'
    spans = "".join(
        f'<tspan x="{x:.0f}" y="{first + NAME_LINE * number:.1f}">{escaped(line)}</tspan>'
        for number, line in enumerate(lines)
    )
    title = f"<title>{escaped(name)}</title>" if len(lines) > 1 else ""
    return [f'<text class="name"{anchor}>{spans}{title}</text>']


def _bar(
    what: str,
    value: float,
    spread: tuple[float, float] | None,
    across: Callable[[float], float],
    top: float,
    number: int,
) -> list[str]:
    start, end = sorted((across(0.0), across(value)))
    tip = escaped(f"{what}: {short(value)}")
    made = [
        f'<rect class="bar s{number % COLOURS}" x="{start:.1f}" y="{top:.1f}" width="{max(end - start, 0.5):.1f}" ',
        f'height="{BAR_HEIGHT - 2}" rx="2"><title>{tip}</title></rect>',
    ]
    right = end
    if spread is not None and real(spread[0]) is not None and real(spread[1]) is not None and spread[0] < spread[1]:
        low, high = across(spread[0]), across(spread[1])
        middle = top + BAR_HEIGHT / 2 - 1
        made.append(f'<path class="repeats" d="M{low:.1f} {middle:.1f}H{high:.1f}M{low:.1f} {middle - 3:.1f}v6')
        made.append(f'M{high:.1f} {middle - 3:.1f}v6"/>')
        right = max(end, high)
    made.append(f'<text class="value" x="{right + 5:.1f}" y="{top + BAR_HEIGHT - 5:.1f}">{short(value)}</text>')
    return made
