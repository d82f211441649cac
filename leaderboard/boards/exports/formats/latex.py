"""LaTeX: a booktabs table with intervals, lines where clusters part, and a caption."""

from leaderboard.boards.exports import words
from leaderboard.boards.exports.registry import Format
from leaderboard.boards.exports.table import Table
from leaderboard.boards.frozen import Cell, Line
from scoring.report import latex_text

INTERVAL = r"{\scriptsize %s}"
MARKED = r" {\scriptsize(%s)}"


def written(table: Table) -> str:
    body: list[str] = []
    for line in table.lines:
        if line.line_above:
            body.append(r"    \midrule")
        body.append(f"    {_row(table, line)}")
    return "\n".join([*_begin(table), *body, *_end(table), ""])


def _begin(table: Table) -> list[str]:
    columns = "rll" + "r" * len(table.measures) + "l" * len(table.questions)
    titles = [one["title"] for one in table.measures]
    titles += [one.title for one in table.questions]
    heads = [r"\#", "Team", "System", *(said(title) for title in titles)]
    return [
        r"% Needs \usepackage{booktabs}.",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_caption(table)}}}",
        rf"  \label{{tab:{table.about.name}}}",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        f"    {' & '.join(heads)} \\\\",
        r"    \midrule",
    ]


def _end(table: Table) -> list[str]:
    return [r"    \bottomrule", r"  \end{tabular}", r"\end{table}"]


def _caption(table: Table) -> str:
    told = [f"{table.title}.", words.synthetic(table), *words.notes(table)]
    address = rf"\texttt{{{said(table.about.address)}}}"
    return " ".join([*(said(one) for one in told if one), address])


def _row(table: Table, line: Line) -> str:
    rank = "--" if line.data["rank"] is None else words.rank(line)
    doubt = words.doubt(line).replace("-", "--")
    marks = ", ".join(said(mark) for mark in words.marks(line.data))
    cells = [
        rank + (f" {INTERVAL % doubt}" if doubt else ""),
        said(line.data["team"]),
        said(line.data["system"]) + (MARKED % marks if marks else ""),
        *(_score(cell) for cell in table.cells(line)),
        *("--" if one is None else said(one.text) for one in line.facts),
    ]
    return " & ".join(cells) + r" \\"


def _score(cell: Cell) -> str:
    return cell.value + (f" {INTERVAL % cell.interval}" if cell.interval else "")


def said(text: object) -> str:
    """Any text as LaTeX prints it, on one line."""
    return latex_text(words.one_line(text))


FORMATS = (
    Format("tex", "LaTeX", "application/x-tex; charset=utf-8", written, position=30),
)
