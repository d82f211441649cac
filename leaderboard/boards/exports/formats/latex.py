"""LaTeX: a booktabs table with intervals, lines where clusters part, and a caption."""

from leaderboard.boards.exports.formats import ExportFormat
from leaderboard.boards.exports.table import ExportTable, one_line, rank
from leaderboard.boards.render import NumberCell, TableLine
from scoring.report import latex_text


def write(table: ExportTable) -> str:
    columns = "rll" + "r" * len(table.measures) + "l" * len(table.questions)
    titles = [
        *(measure["title"] for measure in table.measures),
        *(question.title for question in table.questions),
    ]
    heads = [r"\#", "Team", "System", *map(escaped, titles)]
    caption = " ".join(map(escaped, [f"{table.title}.", *table.notes]))
    body: list[str] = []
    for line in table.lines:
        if line.line_above:
            body.append(r"    \midrule")
        body.append(f"    {_row(line)}")
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs}.",
            r"\begin{table}",
            r"  \centering",
            rf"  \caption{{{caption} \texttt{{{escaped(table.address)}}}}}",
            rf"  \label{{tab:{table.file_stem}}}",
            rf"  \begin{{tabular}}{{{columns}}}",
            r"    \toprule",
            f"    {' & '.join(heads)} \\\\",
            r"    \midrule",
            *body,
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _row(line: TableLine) -> str:
    place = "--" if line.row["rank"] is None else rank(line)
    badges = ", ".join(map(escaped, line.marks))
    cells = [
        place + _small(line.rank_range.replace("-", "--")),
        escaped(line.row["team"]),
        escaped(line.row["system"])
        + (rf" {{\scriptsize({badges})}}" if badges else ""),
        *(_score(cell) for cell in line.cells),
        *("--" if fact is None else escaped(fact.text) for fact in line.answers),
    ]
    return " & ".join(cells) + r" \\"


def _score(cell: NumberCell) -> str:
    return cell["value"] + _small(cell["interval"])


def _small(text: str) -> str:
    return rf" {{\scriptsize {text}}}" if text else ""


def escaped(text: object) -> str:
    """Any text as LaTeX prints it, on one line."""
    return latex_text(one_line(text))


FORMATS = (
    ExportFormat(
        "tex", "LaTeX", "application/x-tex; charset=utf-8", write, position=30
    ),
)
