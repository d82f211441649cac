"""LaTeX of the kit: tables whose captions say what ranges and lines are, and a document
that has all of them."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from leaderboard.extension.boards import Board, Row, lines_above
from leaderboard.extension.exports import ExportTable
from leaderboard.extension.models import TestSet
from leaderboard.extension.scores import Score, compared_in_words
from leaderboard.extras.paper.pairs import PairTests
from leaderboard.extras.publishing.formats.latex import breakable, escape

REST = r">{\raggedright\arraybackslash}X"
CAPTION_END = "}\n  \\label{"
SMALLEST = 0.001
MOST_ANSWERS = 4  # columns of the fact sheet that a page has room for


def with_caption(text: str, more: str) -> str:
    """A table of the exports with more in its caption."""
    return text.replace(CAPTION_END, f" {escape(more)}{CAPTION_END}", 1)


def test_sets(
    board: Board,
    table: ExportTable,
    rows: Sequence[tuple[Row, Mapping[TestSet, Mapping[str, Score]]]],
) -> str:
    """Systems by test sets, in the measure that ranks."""
    name = board.measure.name
    heads = [
        r"\#",
        "Team",
        "System",
        "Mean",
        *(escape(t.title) for t in board.test_sets),
    ]
    lines = []
    for row, by_test_set in rows:
        scores = [by_test_set.get(test_set) for test_set in board.test_sets]
        cells = [_score(of_set[name]) if of_set else "--" for of_set in scores]
        about = [_place(row), breakable(row.team), breakable(row.system)]
        lines.append([*about, _score(row.by_measure[name]), *cells])
    caption = _(
        "%(title)s: %(measure)s on each test set and their mean, with %(share)s "
        "confidence intervals. A dash: nothing was sent for that test set."
    ) % {
        "title": table.title,
        "measure": board.measure.title,
        "share": f"{board.level:.0%}",
    }
    columns = "r" + REST * 2 + "r" * (len(board.test_sets) + 1)
    above = list(lines_above(row.standing.cluster for row, _sets in rows))
    caption = f"{caption} {board.rule} {table.source_note}"
    return _table(caption, "test-sets", table, columns, heads, lines, above)


def significance(tests: PairTests, table: ExportTable) -> str:
    """Corrected p-values, system by system, significant ones in bold."""
    rows = tests.contest.rows
    heads = ["", "System", *(str(place + 1) for place in range(len(rows)))]
    lines = []
    for i, row in enumerate(rows):
        cells = [
            "" if i == j else _p_value(p, p < tests.alpha)
            for j, p in enumerate(tests.contest.adjusted[i].tolist())
        ]
        lines.append([str(i + 1), breakable(f"{row.system} ({row.team})"), *cells])
    caption = _(
        "%(title)s: p-values of the differences in %(measure)s between all pairs of "
        "ranked systems, two-sided, corrected for the %(pairs)d pairs (Holm). In bold: "
        "significant at %(alpha)s. Columns have the numbers of lines."
    ) % {
        "title": table.title,
        "measure": tests.board.measure.title,
        "pairs": len(rows) * (len(rows) - 1) // 2,
        "alpha": f"{tests.alpha:g}",
    }
    columns = "r" + REST + "r" * len(rows)
    compared = compared_in_words(tests.board.compared_by)
    caption = " ".join(filter(None, [caption, compared, table.source_note]))
    return _table(caption, "significance", table, columns, heads, lines, small=True)


def teams(
    board: Board,
    table: ExportTable,
    keys: Mapping[str, str],
    affiliations: Sequence[str],
) -> str:
    """Teams with their affiliations, where some are told, and systems with their public
    answers and citations."""
    questions = board.questions[:MOST_ANSWERS]
    affiliation_head = ["Affiliations"] if any(affiliations) else []
    heads = [
        "Team",
        *affiliation_head,
        "System",
        *(escape(question.title) for question in questions),
        "Citation",
    ]
    lines = [
        [
            breakable(row.team),
            *(breakable(of or "--") for _head in affiliation_head),
            breakable(row.system),
            *(breakable(row.facts.get(question.name, "--")) for question in questions),
            rf"\cite{{{keys[row.submission]}}}",
        ]
        for row, of in zip(board.rows, affiliations, strict=True)
    ]
    caption = _("%(title)s: teams, and what they told of their systems.") % {
        "title": table.title
    }
    columns = REST * (len(heads) - 1) + "l"
    return _table(caption, "teams", table, columns, heads, lines)


HEAD = r"""% A figure appears as soon as it lies there as PDF: see README.txt.
\documentclass[a4paper]{article}
\usepackage{iftex}
\ifPDFTeX
  % Cyrillic letters need T2A: TeX Live has it in the package lang-cyrillic.
  \IfFileExists{t2aenc.def}{\usepackage[T2A,T1]{fontenc}}{\usepackage[T1]{fontenc}}
  \usepackage[utf8]{inputenc}
  % Letters that pdfLaTeX lacks are boxes; LuaLaTeX shows those that its font has.
  \makeatletter
  \def\UTFviii@undefined@err#1{\fbox{?}}
  \def\TextSymbolUnavailable#1{\fbox{?}}
  \makeatother
\else
  \usepackage{fontspec}
\fi
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs,tabularx,graphicx,url}
"""
FOOT = r"""
\nocite{*}
\bibliographystyle{plain}
\bibliography{systems}
\end{document}
"""


def document(
    table: ExportTable, tables: Sequence[str], figures: Sequence[tuple[str, str]]
) -> str:
    """A document that takes in all tables, and figures once they are PDF."""
    body = [
        rf"\title{{{escape(table.title)}}}",
        r"\author{}",
        r"\begin{document}",
        r"\maketitle",
        "",
        *(rf"\input{{{name}}}" for name in tables),
        "",
        *(_figure(name, about) for name, about in figures),
    ]
    return HEAD + "\n".join(body) + FOOT


def _figure(name: str, about: str) -> str:
    inside = [
        r"\begin{figure}",
        r"\centering",
        rf"\includegraphics[width=\textwidth]{{{name}.pdf}}",
        rf"\caption{{{escape(about)}}}",
        r"\end{figure}",
    ]
    return rf"\IfFileExists{{{name}.pdf}}{{{''.join(inside)}}}{{}}"


def _table(
    caption: str,
    label: str,
    table: ExportTable,
    columns: str,
    heads: Sequence[str],
    lines: Sequence[Sequence[str]],
    above: Sequence[bool] = (),
    small: bool = False,
) -> str:
    body: list[str] = []
    for place, line in enumerate(lines):
        if place and place < len(above) and above[place]:
            body.append(r"    \midrule")
        body.append(f"    {' & '.join(line)} \\\\")
    notes = [caption, table.synthetic_note, table.choices_note]
    caption = " ".join(filter(None, notes))
    size = [r"  \scriptsize\setlength{\tabcolsep}{2pt}"] if small else []
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs,tabularx}.",
            r"\begin{table*}",
            r"  \centering",
            rf"  \caption{{{escape(caption)}}}",
            rf"  \label{{tab:{table.file_stem}-{label}}}",
            *size,
            rf"  \begin{{tabularx}}{{\textwidth}}{{@{{}}{columns}@{{}}}}",
            r"    \toprule",
            f"    {' & '.join(heads)} \\\\",
            r"    \midrule",
            *body,
            r"    \bottomrule",
            r"  \end{tabularx}",
            r"\end{table*}",
            "",
        ]
    )


def _place(row: Row) -> str:
    if row.rank is None:
        return "--"
    doubt = "" if row.rank_range.isdigit() else row.rank_range.replace("–", "--")
    return f"{row.rank}{_small(doubt)}"


def _score(score: Score) -> str:
    return f"{escape(score.printed)}{_small(escape(score.interval))}"


def _small(text: str) -> str:
    return rf" {{\scriptsize {text}}}" if text else ""


def _p_value(number: float, significant: bool) -> str:
    if number != number:
        return "--"
    text = r"$<$.001" if number < SMALLEST else f"{number:.3f}".lstrip("0")
    return rf"\textbf{{{text}}}" if significant else text
