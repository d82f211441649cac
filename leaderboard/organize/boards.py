"""Named boards: which measures, which one ranks, over which test sets."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.organize import tables
from leaderboard.organize.forms import (
    ShowsValues,
    done_locked,
    form_page,
    form_response,
)
from leaderboard.organize.scoring import MeasuresForm
from leaderboard.tasks.access import EDIT
from leaderboard.tasks.models import Task
from leaderboard.teams.models import check_display_name
from leaderboard.web.access import access

MOST_BOARDS = 12


class BoardForm(ShowsValues, MeasuresForm):
    """`known` is the table of the board that is changed."""

    title = forms.CharField(
        max_length=120, label=gettext_lazy("Title"), validators=[check_display_name]
    )
    name = forms.CharField(
        max_length=40,
        label=gettext_lazy("Name"),
        validators=[tables.check_name],
        help_text=gettext_lazy("As in the address: ?board=name."),
    )
    measures = forms.CharField(
        required=False,
        label=gettext_lazy("Measures shown"),
        help_text=gettext_lazy(
            "One a line, in order; empty for those of the main board."
        ),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    headline = forms.CharField(
        label=gettext_lazy("Measure that ranks"),
        widget=forms.TextInput(attrs={"list": "measure-names"}),
    )
    test_sets = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Test sets"),
        help_text=gettext_lazy("The mean over those chosen ranks; none for all."),
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, task: Task, known: dict[str, Any] | None, *args: Any) -> None:
        super().__init__(*args)
        self.task, self.known, self.scorer = task, known, task.scorer
        field: Any = self.fields["test_sets"]
        field.choices = [(one.name, one.title) for one in task.test_sets.all()]
        self.initial = {"headline": task.headline}
        if known is not None:
            self.shows(known)
            measures = "\n".join(known.get("measures", ()))
            self.initial = {**known, "measures": measures}
            self.fields["name"].disabled = True

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if self.known is None and name in {one["name"] for one in self.task.boards}:
            raise ValidationError(_("There is a board of that name."))
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.known is None and len(self.task.boards) >= MOST_BOARDS:
            self.add_error(None, _("A task has at most 12 boards beside the main one."))
        return cleaned

    def table(self) -> dict[str, Any]:
        names = ("name", "title", "measures", "headline", "test_sets")
        table = {name: self.cleaned_data[name] for name in names}
        return table | {"measures": list(table["measures"])}


@form_page
@access(EDIT)
def boards(request: HttpRequest, task: Task) -> HttpResponse:
    """The named boards, and the form for one more."""

    def make(now: Task, *data: Any) -> BoardForm:
        return BoardForm(now, None, *data)

    def add(form: BoardForm) -> None:
        tables.add(form.task, "boards", form.table())

    form, added = done_locked(request, task, make, add, _("The board was added."))
    if added:
        return redirect("organize-boards", task.slug)
    return _listing(request, form)


def _listing(request: HttpRequest, form: BoardForm, refused: str = "") -> HttpResponse:
    task = form.task
    titles = {one.name: one.title for one in task.test_sets.all()}
    lines = [
        {
            "board": board,
            "test_sets": [titles[n] for n in board["test_sets"] if n in titles],
            "first": place == 0,
            "last": place == len(task.boards) - 1,
        }
        for place, board in enumerate(task.boards)
    ]
    context = {"task": task, "form": form, "lines": lines, "refused": refused}
    return form_response(request, "organize/boards.html", context)


def _board_or_404(task: Task, name: str) -> dict[str, Any]:
    for table in task.boards:
        if table["name"] == name:
            return dict(table)
    raise Http404


@form_page
@access(EDIT)
def board(request: HttpRequest, task: Task, name: str) -> HttpResponse:

    def make(now: Task, *data: Any) -> BoardForm:
        return BoardForm(now, _board_or_404(now, name), *data)

    def put(form: BoardForm) -> None:
        tables.put(form.task, "boards", name, form.table())

    form, saved = done_locked(request, task, make, put, _("Saved."))
    if saved:
        return redirect("organize-boards", task.slug)
    context = {"task": task, "form": form, "board": form.known}
    return form_response(request, "organize/named_board.html", context)


@require_POST
@access(EDIT)
def change_board(request: HttpRequest, task: Task, name: str) -> HttpResponse:
    """Move it up or down, or remove it."""
    _board_or_404(task, name)
    action = request.POST.get("to", "")
    if action in tables.STEPS:
        tables.move(task, "boards", name, tables.STEPS[action])
    elif action == "remove":
        tables.remove(task, "boards", name)
    else:
        return _listing(request, BoardForm(task, None), _("Nothing to do."))
    return redirect("organize-boards", task.slug)
