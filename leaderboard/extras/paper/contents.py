"""Files of the kit for an overview paper, from one board as its reader sees it."""

import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, partial
from io import BytesIO

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.extension.boards import Board, Row, slices_in_summary
from leaderboard.extension.caches import PageKey, cached_page
from leaderboard.extension.charts import (
    ChartKind,
    ChartRequest,
    heading_of,
    kinds_of,
)
from leaderboard.extension.exports import ExportTable, absolute, add_to_zip
from leaderboard.extension.formats import safe_csv, write_csv
from leaderboard.extension.models import Participation, Submission, TestSet
from leaderboard.extension.sandbox import series
from leaderboard.extension.scores import Score
from leaderboard.extras.paper import latex
from leaderboard.extras.paper.pairs import PairTests
from leaderboard.extras.paper.pdf import JOB, letters_lacking, page_of
from leaderboard.extras.publishing.formats import bibtex
from leaderboard.extras.publishing.formats.latex import write_by_pages

ALL = "all"  # the mean over test sets, as a column
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "bib": "application/x-bibtex; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class KitFile:
    """A file of the kit, made when it is asked for."""

    name: str
    about: str
    make: Callable[[], str | bytes]


@dataclass(frozen=True)
class PaperKit:
    """The kit of one board; `charts` draws it, `table` is the board as exports have it.

    It has what the board shows its reader and no more: what the policy withholds is
    not in `charts.board`.
    """

    charts: ChartRequest
    table: ExportTable

    @property
    def board(self) -> Board:
        return self.charts.board

    @property
    def stem(self) -> str:
        return f"{self.table.file_stem}-paper-kit"

    def depends(self, kind: str) -> PageKey:
        """The key of a file of the kit: the board as its reader sees it, in words, and
        the rows that the kit reads beside it. Anything else is as old as `cached`
        lets it be."""
        board, table = self.board, self.table
        task = board.phase.task
        parts = (
            *board.query.cache_parts(board.disclosure),
            get_language(),
            (table.sha256, table.address, table.title, repr(table.extra)),
            bibtex.task_entry(task, absolute(task.get_absolute_url())),
            [(row.facts, _link(row)) for row in board.rows],
            sorted(self.affiliations.items()),
        )
        return PageKey(kind, parts, board.version)

    @cached_property
    def tests(self) -> PairTests | None:
        return PairTests.of(self.charts.whole())

    @property
    def letters_lacking(self) -> str:
        """Letters of names on the board that figures as PDF cannot show."""
        names = [text for row in self.board.rows for text in (row.team, row.system)]
        return letters_lacking([self.table.title, *names])

    @cached_property
    def files(self) -> Mapping[str, KitFile]:
        return {file.name: file for file in self._files()}

    def _files(self) -> Iterator[KitFile]:
        yield KitFile("README.txt", _("what each file is"), self._readme)
        yield KitFile("paper.tex", _("a document with all tables"), self._document)
        yield KitFile(
            "tables/board.tex",
            _("the board: the measure that ranks, and few others"),
            lambda: latex.with_caption(self._boards[0], self.board.rule),
        )
        if self._boards[1]:
            yield KitFile(
                "tables/board-more.tex",
                _("the other measures of the board"),
                lambda: self._boards[1],
            )
        yield KitFile(
            "tables/board.csv",
            _("the board in full precision"),
            lambda: write_csv(self.table),
        )
        if self.board.several_test_sets and self.board.averages:
            about = _("systems x test sets, in the measure that ranks")
            yield KitFile("tables/test-sets.tex", about, self._test_sets_latex)
            yield KitFile(
                "tables/test-sets.csv",
                _("systems x test sets, every measure"),
                self._test_sets_csv,
            )
        if self.tests is not None:
            tests = self.tests
            yield KitFile(
                "tables/pairs.csv",
                _("tests of all pairs, one pair a line"),
                lambda: _pairs_csv(tests),
            )
            yield KitFile(
                "tables/significance.csv",
                _("corrected p-values, system x system"),
                lambda: _matrix_csv(tests),
            )
            yield KitFile(
                "tables/significance.tex",
                _("the same for a paper"),
                lambda: latex.significance(tests, self.table),
            )
        about = _("teams, systems and what their teams told")
        yield KitFile("tables/teams.csv", about, self._teams_csv)
        about = _("teams, systems and what their teams told, with citations")
        yield KitFile("tables/teams.tex", about, self._teams_latex)
        yield KitFile(
            "systems.bib", _("the task, the board, systems"), self._bibliography
        )
        for kind in kinds_of(self.board):
            yield from self._figures(kind)

    # Tables.

    @cached_property
    def _boards(self) -> tuple[str, str]:
        return write_by_pages(self.table)

    @cached_property
    def by_test_set(self) -> list[tuple[Row, Mapping[TestSet, Mapping[str, Score]]]]:
        """Rows with their scores on each test set that they sent."""
        return [(row, self.board.scores_by_test_set(row)) for row in self.board.rows]

    def _test_sets_csv(self) -> str:
        ends = ("value", "low", "high")
        rows: list[list[object]] = [
            ["rank", "team", "system", "submission", "measure", "test_set", *ends]
        ]
        for row, scores in self.by_test_set:
            about = [row.rank, row.team, row.system, row.submission]
            columns = [(ALL, row.by_measure), *((t.name, s) for t, s in scores.items())]
            for measure in self.board.measures:
                for name, of_set in columns:
                    exact = of_set[measure.name].exact
                    numbers = [exact[end] for end in ends]
                    rows.append([*about, measure.name, name, *numbers])
        return safe_csv(rows)

    def _test_sets_latex(self) -> str:
        return latex.test_sets(self.board, self.table, self.by_test_set)

    def _teams_csv(self) -> str:
        questions = self.board.questions
        head = ["rank", "team", "affiliations", "system", "submission"]
        head += ["citation", "link"]
        rows: list[list[object]] = [[*head, *(f"fact.{q.name}" for q in questions)]]
        for row in self.board.rows:
            about = [row.rank, row.team, self._affiliations(row)]
            about += [row.system, row.submission]
            facts = [row.facts.get(question.name) for question in questions]
            rows.append([*about, self._key(row), _link(row), *facts])
        return safe_csv(rows)

    def _teams_latex(self) -> str:
        keys = {row.submission: self._key(row) for row in self.board.rows}
        affiliations = [self._affiliations(row) for row in self.board.rows]
        return latex.teams(self.board, self.table, keys, affiliations)

    def _affiliations(self, row: Row) -> str:
        """Affiliations of the team of a row; empty where the name of the team is
        hidden, or one for a baseline."""
        hidden = row.baseline or row.team != row.entry.team.name
        return "" if hidden else self.affiliations[row.entry.pk]

    @cached_property
    def affiliations(self) -> dict[int, str]:
        """Affiliations by participation, of those that the board has rows of."""
        keys = [row.entry.pk for row in self.board.rows]
        rows = Participation.objects.filter(pk__in=keys)
        return dict(rows.values_list("pk", "team__affiliations"))

    # Citations.

    @cached_property
    def submissions(self) -> dict[str, Submission]:
        keys = [row.submission for row in self.board.rows]
        rows = Submission.objects.filter(pk__in=keys).select_related("phase__task")
        return {str(submission.pk): submission for submission in rows}

    def _key(self, row: Row) -> str:
        return bibtex.key_of(self.submissions[row.submission])

    def _bibliography(self) -> str:
        task = self.board.phase.task
        entries = [
            bibtex.task_entry(task, absolute(task.get_absolute_url())),
            bibtex.write(self.table),
        ]
        for row in self.board.rows:
            score = row.sorted_by
            result = f"{score.measure.title} {score.printed} {score.interval}".strip()
            submission = self.submissions[row.submission]
            entries.append(bibtex.system_entry(submission, row.team, row.facts, result))
        return "\n".join(entries)

    # Figures.

    def _figures(self, kind: ChartKind) -> Iterator[KitFile]:
        """One of each kind, of slices one of each grouping."""
        slices = {part.group: None for part in slices_in_summary(self.board)}
        groups = slices if kind.asks_for("group") else ("",)
        for group in groups:
            request = replace(self.charts, group=group)
            chart = kind.chart(request)
            if not chart.lines:
                continue
            words = [kind.name, self.board.measure.name, slugify(group)]
            name = f"figures/{'-'.join(filter(None, words))}"
            query = f"chart={kind.name}" + (f"&group={group}" if group else "")
            heading = heading_of(self.board, kind, chart, query)
            draw = cache(partial(chart.as_file, heading))  # for two files
            yield KitFile(f"{name}.svg", chart.title, draw)
            about = _("the same for LaTeX")
            yield KitFile(f"{name}.pdf", about, partial(_as_pdf, draw))

    # What holds it together.

    def _readme(self) -> str:
        files = [(name, file.about) for name, file in self.files.items()]
        page = absolute(f"{self.board.phase.task.get_absolute_url()}")
        return render_to_string(
            "paper/README.txt",
            {
                "table": self.table,
                "files": files,
                "task_address": page,
                "letters_lacking": self.letters_lacking,
            },
        )

    def _document(self) -> str:
        tables = [
            name.removesuffix(".tex")
            for name in self.files
            if name.startswith("tables/") and name.endswith(".tex")
        ]
        figures = [
            (name.removesuffix(".svg"), file.about)
            for name, file in self.files.items()
            if name.endswith(".svg")
        ]
        return latex.document(self.table, tables, figures)


def _link(row: Row) -> str:
    return row.description.link if row.description else ""


def _as_pdf(draw: Callable[[], str]) -> bytes:
    return page_of(draw())


def data_of(kit: PaperKit, name: str) -> bytes | None:
    """One file as the zip has it; None where there is none of that name."""
    with zipfile.ZipFile(BytesIO(zip_kit(kit))) as packed:
        try:
            return packed.read(f"{kit.stem}/{name}")
        except KeyError:
            return None


def zip_kit(kit: PaperKit) -> bytes:
    """All files in one zip, in the language of the site, as exports are. Made once for
    all who ask for the same; of the same board the same bytes."""
    with translation.override(settings.LANGUAGE_CODE):
        depends = kit.depends("paper-kit")
        data: bytes = cached_page(depends, lambda: _zip(kit), in_files=True)
    return data


def list_files(kit: PaperKit) -> list[dict[str, str]]:
    """`name` and `about` of each file. To know which there are every figure is drawn,
    so this too is made once for all who ask."""
    return cached_page(
        kit.depends("paper-list"),
        lambda: [{"name": f.name, "about": str(f.about)} for f in kit.files.values()],
        in_files=True,
    )


def _zip(kit: PaperKit) -> bytes:
    buffer = BytesIO()
    # Stored, not deflated: what deflating gives depends on the machine's library.
    with zipfile.ZipFile(buffer, "w") as packed, series(JOB):
        for name, file in kit.files.items():
            add_to_zip(packed, f"{kit.stem}/{name}", file.make())
    return buffer.getvalue()


def _pairs_csv(tests: PairTests) -> str:
    lines = list(map(asdict, tests.pairs))
    head = list(lines[0]) if lines else []
    return safe_csv([head, *([line[name] for name in head] for line in lines)])


def _matrix_csv(tests: PairTests) -> str:
    rows: Sequence[Row] = tests.contest.rows
    head: list[object] = ["team", "system", "submission"]
    lines = [[*head, *(row.submission for row in rows)]]
    for i, row in enumerate(rows):
        numbers = tests.contest.adjusted[i].tolist()
        p_values = [None if j == i else p for j, p in enumerate(numbers)]
        lines.append([row.team, row.system, row.submission, *p_values])
    return safe_csv(lines)
