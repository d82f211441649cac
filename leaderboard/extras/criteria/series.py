"""Series of phases: declared in a bundle or by a form, and their linked scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.db.models import Model
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import field_validator

from leaderboard.boards.board import Board
from leaderboard.boards.query import chosen, query_or_404
from leaderboard.boards.rows import Row
from leaderboard.boards.views import board_or_404
from leaderboard.extras.criteria.bundle import written
from leaderboard.extras.criteria.links import LEAST_COMMON, ScoreLink, links_to
from leaderboard.extras.criteria.models import Series
from leaderboard.organize.parts import PartForm, PartsPage
from leaderboard.results.scores import PERCENT, PLAIN, printed
from leaderboard.tasks.bundle.schema import (
    BundlePart,
    PhaseNames,
    PlainName,
    ShortTitle,
    Words,
    expected,
)
from leaderboard.tasks.models import Phase, Task
from scoring.measures import Measure

LEAST = 2  # phases


class SeriesPlan(BundlePart):
    """Phases with test sets of their own, the oldest first."""

    row = Series
    name: PlainName
    title: ShortTitle = None
    phases: PhaseNames = None

    @field_validator("phases")
    @classmethod
    def _once(cls, names: Words) -> Words:
        if len(set(names)) < len(names) or len(names) < LEAST:
            raise expected("two phases or more, each once, the oldest first")
        return names


def declared(task: Task) -> list[SeriesPlan]:
    """The series of a task, in the order of the bundle."""
    return [SeriesPlan.of_row(row) for row in Series.objects.filter(task=task)]


def write(task: Task, plans: Sequence[SeriesPlan]) -> None:
    """Make the series of a task those of a bundle."""
    written(Series, task, plans)


def is_in_one(phase: Phase) -> bool:
    """Whether a phase is in a series, which has two at least."""
    return len(phase.task.phases.all()) > 1 and bool(_of_phase(phase))


def _of_phase(phase: Phase) -> dict[str, Series]:
    rows = Series.objects.filter(task=phase.task_id)
    return {row.name: row for row in rows if phase.name in row.phases}


class SeriesForm(PartForm):
    name_is_taken = gettext_lazy("There is a series of that name.")
    list_is_full = gettext_lazy("A task has at most 12 series.")

    class Meta:
        model: type[Model] = Series
        fields = ("title", "name")

    def __init__(self, task: Task, *data: Any, name: str = "") -> None:
        super().__init__(task, *data, name=name)
        self.fields["phases"] = forms.MultipleChoiceField(
            label=gettext_lazy("Phases"),
            help_text=gettext_lazy("In the order in which they open."),
            widget=forms.CheckboxSelectMultiple,
            choices=[(phase.name, phase.title) for phase in self._phases()],
            initial=self.instance.phases,
        )

    def _phases(self) -> list[Phase]:
        return list(self.task.phases.order_by("opens", "pk"))

    def clean_phases(self) -> list[str]:
        names: list[str] = self.cleaned_data["phases"]
        if len(names) < LEAST:
            raise forms.ValidationError(_("Choose two phases or more."))
        return [phase.name for phase in self._phases() if phase.name in names]

    def save(self, commit: bool = True) -> Any:
        self.instance.phases = self.cleaned_data["phases"]
        return super().save(commit)


class SeriesPage(PartsPage):
    form_class = SeriesForm
    address = "tasks/<slug:slug>/organize/series"
    names = ("organize-series", "organize-one-series", "organize-series-change")
    title = gettext_lazy("Series of phases")
    lead = gettext_lazy(
        "Phases with test sets of their own, one after the other, as in a benchmark "
        "that rolls on. Systems that stand on two boards link their scores; a page "
        "below the boards shows all systems on one scale."
    )
    all_parts = gettext_lazy("All series")
    add = gettext_lazy("Add a series")
    saved = gettext_lazy("The series was added.")
    table_title = gettext_lazy("Series")
    columns = (
        ("", gettext_lazy("Title")),
        ("", gettext_lazy("Name")),
        ("", gettext_lazy("Phases")),
    )
    line = "criteria/_series_line.html"
    style = "phases.css"

    def parts(self) -> list[Series]:
        titles = dict(self.task.phases.values_list("name", "title"))
        rows = super().parts()
        for row in rows:
            row.titles = [titles[name] for name in row.phases if name in titles]
        return rows


@dataclass(frozen=True)
class LinkedPhase:
    """A phase of a series, with its way to the scale; without one `why` says why."""

    phase: Phase
    link: ScoreLink | None = None
    over: Sequence[Phase] = ()
    common: int = 0
    shift: str = ""
    why: str = ""


@dataclass(frozen=True)
class LinkedRow:
    """One system, with its score on the board of `phase` and on the scale; `low` and
    `high` are None for a score of the scale itself."""

    row: Row
    phase: Phase
    measure: Measure
    score: float
    linked: float
    low: float | None
    high: float | None

    @property
    def printed(self) -> str:
        return _printed(self.measure, self.linked)

    @property
    def printed_score(self) -> str:
        return _printed(self.measure, self.score)

    @property
    def interval(self) -> str:
        if self.low is None or self.high is None:
            return ""
        low, high = (_printed(self.measure, end) for end in (self.low, self.high))
        return f"[{low}, {high}]"


def _printed(measure: Measure, value: float) -> str:
    factor, decimals = (100, PERCENT[0]) if measure.percent else (1, PLAIN[0])
    return printed(value * factor, measure.decimals or decimals)


@dataclass(frozen=True)
class LinkedSeries:
    """A series, `?series=`, as its reader may see it: all systems on the scale of the
    newest phase whose board is shown, each once, the best first."""

    declared: Sequence[Series]
    series: Series
    measure: Measure
    level: float
    scale: Phase | None
    phases: Sequence[LinkedPhase]
    rows: Sequence[LinkedRow]

    @classmethod
    def of(cls, request: HttpRequest, phase: Phase) -> "LinkedSeries":
        """Raises Http404."""
        found = _of_phase(phase)
        if not found:
            raise Http404
        series = chosen(
            found, request.GET.get("series", ""), next(iter(found.values()))
        )
        known = {one.name: one for one in phase.task.phases.all()}
        phases = [known[name] for name in series.phases if name in known]
        asked = query_or_404(request, phase)
        boards = [_board(request, asked.measure, one) for one in phases]
        own = boards[phases.index(phase)]
        shown = [i for i, one in enumerate(boards) if not _hidden(one)]
        rows = [_rows(boards[i]) if i in shown else {} for i in range(len(boards))]
        scale = max((i for i in shown if rows[i]), default=None)
        scores = [
            {key: row.sorted_by.numbers.value for key, row in one.items()}
            for one in rows
        ]
        links: Sequence[ScoreLink | None] = [None] * len(phases)
        if scale is not None:
            links = links_to(scores, scale)  # type: ignore[arg-type]
        told = [
            _told(phases, i, links[i], _hidden(boards[i]), own.measure)
            for i in range(len(phases))
        ]
        lines: dict[Any, LinkedRow] = {}
        for i, link in enumerate(links):
            if link is None:
                continue
            half = link.half_width(own.level)
            for key, row in rows[i].items():
                score = float(row.sorted_by.numbers.value or 0)
                linked = score + link.shift
                ends = (linked - half, linked + half) if link.over else (None, None)
                line = LinkedRow(row, phases[i], own.measure, score, linked, *ends)
                if key not in lines or _width(line) < _width(lines[key]):
                    lines[key] = line
        sign = -1 if own.measure.higher_is_better else 1
        ordered = sorted(lines.values(), key=lambda one: sign * one.linked)
        return cls(
            list(found.values()),
            series,
            own.measure,
            own.level,
            None if scale is None else phases[scale],
            told,
            ordered,
        )


def _width(line: LinkedRow) -> float:
    return 0.0 if line.low is None or line.high is None else line.high - line.low


def _board(request: HttpRequest, measure: str, phase: Phase) -> Board:
    query = query_or_404(request, phase)
    query = replace(
        query, facts=(), search="", everything=False, board="", test_set="", at=""
    )
    return board_or_404(request, replace(query, measure=measure, revision=None))


def _hidden(ranking: Board) -> str:
    """Why a board links nothing; empty for one that does."""
    if not ranking.disclosure.board:
        return _("Scores are not shown yet.")
    return ""


def _rows(ranking: Board) -> dict[Any, Row]:
    """Ranked, complete systems by team and name."""
    return {
        (row.evaluation.participation_id, row.system): row
        for row in reversed(ranking.rows)
        if row.ranked and row.complete and row.sorted_by.numbers.value is not None
    }


def _told(
    phases: Sequence[Phase],
    place: int,
    link: ScoreLink | None,
    why: str,
    measure: Measure,
) -> LinkedPhase:
    if why or link is None:
        few = _("Fewer than %(n)s systems stand on this board and on another one.")
        return LinkedPhase(phases[place], why=why or few % {"n": LEAST_COMMON})
    over = [phases[i] for i in link.over]
    common = link.steps[0].common if link.steps else 0
    shift = _printed(measure, link.shift) if link.steps else ""
    if link.shift > 0 and shift:
        shift = f"+{shift}"
    return LinkedPhase(phases[place], link, over, common, shift)
