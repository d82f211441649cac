"""LaTeX: booktabs tables with intervals, lines where clusters part, and a caption.

One holds everything; two fit the columns of a paper, with less in them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.exports import ExportTable, one_line
from leaderboard.extension.formats import (
    ExportFormat,
    FormatGroup,
    NumberCell,
    TableLine,
)
from leaderboard.extras.publishing.formats import rank
from scoring.report import latex_text

# A column as wide as what the others leave; its text may be broken anywhere.
REST = r">{\raggedright\arraybackslash}X"
# A longer word gets places where it may be broken.
LONGEST_WORD, PIECE = 12, 6
# Measures of one table beside the first, and letters that two narrow texts leave of the
# width of a page, an interval takes, and are as wide as the room between columns.
MOST_BESIDE, PAGE_ROOM, INTERVAL_ROOM, BETWEEN = 5, 61, 16, 2
LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


@dataclass(frozen=True)
class TableEnvironment:
    """A table environment: what it needs, and the one around its rows."""

    packages: str
    float_name: str
    tabular: str


def write(table: ExportTable) -> str:
    """Every measure with its interval, every answer, every note."""
    columns = "rll" + "r" * len(table.measures) + "l" * len(table.questions)
    titles = [
        *(measure["title"] for measure in table.measures),
        *(question.title for question in table.questions),
    ]
    caption = " ".join(map(escape, [f"{table.title}.", *table.notes]))
    return _document(
        table,
        TableEnvironment("booktabs", "table", rf"tabular}}{{{columns}"),
        rf"{caption} \texttt{{{escape(table.address)}}}",
        [r"\#", "Team", "System", *map(escape, titles)],
        [_row(line) for line in table.lines],
    )


def write_for_column(table: ExportTable) -> str:
    """The measure that ranks, in one column of a page of two."""
    return _document(
        table,
        TableEnvironment(
            "booktabs,tabularx,url", "table", _filling(r"\columnwidth", 1, 1)
        ),
        _short_caption(table),
        [r"\#", "System", *_titles(table)[:1]],
        [
            [_place(line), _name_cell(line), *map(_score, line.cells[:1])]
            for line in table.lines
        ],
        foot=_foot(table),
    )


def write_for_page(table: ExportTable) -> str:
    """Every measure, over both columns; an interval for the one that ranks."""
    return _over_page(table, range(len(table.measures)))


def write_by_pages(table: ExportTable) -> tuple[str, str]:
    """A table of the measure that ranks and few others, as wide as a page, and further
    tables of the rest; empty where there is none."""
    first, *rest = _fitting(table)
    more = (
        _over_page(table, chosen, f"-{number}") for number, chosen in enumerate(rest, 2)
    )
    return _over_page(table, first), "\n".join(more)


def _fitting(table: ExportTable) -> Iterator[list[int]]:
    """The measures of each table, by place: MOST_BESIDE beside the first at most, and
    no more than a page has room for, as wide as their widest word or number."""
    chosen, room = [0][: len(table.measures)], PAGE_ROOM - INTERVAL_ROOM
    for place in range(1, len(table.measures)):
        cells = (line.cells[place].value for line in table.lines)
        words = *one_line(table.measures[place]["title"]).split(" "), *cells
        room -= max(map(len, words)) + BETWEEN
        if chosen and (room < 0 or len(chosen) > MOST_BESIDE):
            yield chosen
            chosen, room = [], PAGE_ROOM - max(map(len, words)) - BETWEEN
        chosen.append(place)
    yield chosen


def _over_page(table: ExportTable, chosen: Sequence[int], label: str = "") -> str:
    """Measures at these places; words of their titles stand below each other where not
    all of the table's are chosen."""
    titles = _titles(table)
    if len(chosen) < len(titles):
        titles = [_stack_words(title) for title in titles]
    return _document(
        table,
        TableEnvironment(
            "booktabs,tabularx,url", "table*", _filling(r"\textwidth", 2, len(chosen))
        ),
        _short_caption(table),
        [r"\#", "Team", "System", *(titles[place] for place in chosen)],
        [
            [
                _place(line),
                breakable(line.row["team"]),
                breakable(line.row["system"]),
                *(
                    line.cells[place].value if place else _score(line.cells[0])
                    for place in chosen
                ),
            ]
            for line in table.lines
        ],
        foot=_foot(table),
        label=label,
    )


def _stack_words(title: str) -> str:
    """The words of a title below each other, as wide as the longest."""
    lines = r" \\ ".join(words := title.split(" "))
    return rf"\shortstack[r]{{{lines}}}" if len(words) > 1 else title


def _filling(width: str, texts: int, numbers: int) -> str:
    return rf"tabularx}}{{{width}}}{{@{{}}r{REST * texts}{'r' * numbers}@{{}}"


def _document(
    table: ExportTable,
    layout: TableEnvironment,
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    foot: Sequence[str] = (),
    label: str = "",
) -> str:
    body: list[str] = []
    for line, row in zip(table.lines, rows, strict=True):
        if line.line_above:
            body.append(r"    \midrule")
        body.append(f"    {' & '.join(row)} \\\\")
    # What begins an environment has its arguments behind the name.
    environment = layout.tabular.partition("}")[0]
    return "\n".join(
        [
            rf"% Needs \usepackage{{{layout.packages}}}.",
            rf"\begin{{{layout.float_name}}}",
            r"  \centering",
            rf"  \caption{{{caption}}}",
            rf"  \label{{tab:{table.file_stem}{label}}}",
            rf"  \begin{{{layout.tabular}}}",
            r"    \toprule",
            f"    {' & '.join(heads)} \\\\",
            r"    \midrule",
            *body,
            r"    \bottomrule",
            rf"  \end{{{environment}}}",
            *foot,
            rf"\end{{{layout.float_name}}}",
            "",
        ]
    )


def _titles(table: ExportTable) -> list[str]:
    return [escape(measure["title"]) for measure in table.measures]


def _short_caption(table: ExportTable) -> str:
    """A caption that says what a reader has to know to read the numbers right."""
    notes = [
        table.synthetic_note,
        table.choices_note,
        *map(one_line, table.data["withheld"]),
        table.level_note,
        *table.few_decide_note,
    ]
    return " ".join(map(escape, [f"{table.title}.", *filter(None, notes)]))


def _foot(table: ExportTable) -> list[str]:
    """The address and where the rows come from, below the table.

    In the caption an address would break where it has a percent sign.
    """
    return [
        rf"  \par\smallskip{{\scriptsize {escape(table.source_note)}}}",
        rf"  \par{{\scriptsize\url{{{table.address}}}}}",
    ]


def _row(line: TableLine) -> list[str]:
    badges = ", ".join(map(escape, line.marks))
    return [
        _place(line),
        escape(line.row["team"]),
        escape(line.row["system"]) + (rf" {{\scriptsize({badges})}}" if badges else ""),
        *(_score(cell) for cell in line.cells),
        *("--" if fact is None else escape(fact.text) for fact in line.answers),
    ]


def _place(line: TableLine) -> str:
    place = "--" if line.row["rank"] is None else rank(line)
    return place + line.few_decide + _small(line.rank_range.replace("–", "--"))


def _name_cell(line: TableLine) -> str:
    """System and team in one cell."""
    return breakable(line.row["system"]) + _small(breakable(line.row["team"]))


def _score(cell: NumberCell) -> str:
    return escape(cell.value) + _small(escape(cell.interval))


def _small(text: str) -> str:
    return rf" {{\scriptsize {text}}}" if text else ""


def escape(text: object) -> str:
    """Any text as LaTeX prints it, on one line."""
    return latex_text(one_line(text))


def breakable(text: object) -> str:
    """The same, with places in long words where a line may end."""
    words = []
    for word in one_line(text).split(" "):
        step = PIECE if LONG_WORD.fullmatch(word) else max(1, len(word))
        pieces = (word[at : at + step] for at in range(0, len(word), step))
        words.append(r"\allowbreak{}".join(map(latex_text, pieces)))
    return " ".join(words)


TYPE = "application/x-tex; charset=utf-8"
FORMATS = (
    ExportFormat(
        "column.tex",
        _("LaTeX, one column"),
        TYPE,
        write_for_column,
        30,
        group=FormatGroup.PAPER,
    ),
    ExportFormat(
        "page.tex",
        _("LaTeX, two columns"),
        TYPE,
        write_for_page,
        31,
        group=FormatGroup.PAPER,
    ),
    ExportFormat(
        "tex", _("LaTeX, everything"), TYPE, write, position=32, group=FormatGroup.PAPER
    ),
)
