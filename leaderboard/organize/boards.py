"""Named boards: which measures, which one ranks, over which test sets."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.organize.fields import MeasureSelect, MeasuresField, MeasuresWidget
from leaderboard.organize.forms import task_to_change
from leaderboard.organize.parts import PartForm, change
from leaderboard.organize.scorer import MeasuresForm
from leaderboard.tasks.access import EDIT, task_locked
from leaderboard.tasks.models import NamedBoard, Task
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access
from leaderboard.web.forms import form_page, form_response, posted


class BoardForm(MeasuresForm, PartForm):
    name_is_taken = gettext_lazy("There is a board of that name.")
    list_is_full = gettext_lazy("A task has at most 12 boards beside the main one.")

    class Meta:
        model = NamedBoard
        fields = ("title", "name", "measures", "headline", "test_sets")
        field_classes = {"measures": MeasuresField}
        widgets = {
            "measures": MeasuresWidget,
            "headline": MeasureSelect,
        }

    def __init__(self, task: Task, *data: Any, name: str = "") -> None:
        super().__init__(task, *data, name=name)
        self.scorer = task.scorer
        test_sets = NamedBoard._meta.get_field("test_sets")
        self.fields["test_sets"] = forms.MultipleChoiceField(
            required=False,
            label=test_sets.verbose_name,
            help_text=test_sets.help_text,
            widget=forms.CheckboxSelectMultiple,
            choices=list(task.test_sets.values_list("name", "title")),
        )
        if self.adds:
            self.initial["headline"] = task.headline
        self.offer_measures()


@form_page
@access(EDIT)
def boards(request: HttpRequest, task: Task) -> HttpResponse:
    """The named boards, and the form for one more."""
    with task_to_change(request, task) as task:
        form = BoardForm(task, *posted(request))
        if form.is_valid():
            form.save()
            messages.success(request, _("The board was added."))
            return redirect("organize-boards", task.slug)
    return _listing(request, form)


def _listing(request: HttpRequest, form: BoardForm, refused: str = "") -> HttpResponse:
    titles = dict(form.task.test_sets.values_list("name", "title"))
    boards = list(NamedBoard.objects.filter(task=form.task))
    for board in boards:
        board.titles = [titles[name] for name in board.test_sets if name in titles]
    context = {"task": form.task, "form": form, "boards": boards, "refused": refused}
    return form_response(request, "organize/boards.html", context)


@form_page
@access(EDIT)
def board(request: HttpRequest, task: Task, name: str) -> HttpResponse:
    with task_to_change(request, task) as task:
        form = BoardForm(task, *posted(request), name=name)
        if form.is_valid():
            form.save()
            messages.success(request, _("Saved."))
            return redirect("organize-boards", task.slug)
    context = {"task": task, "form": form, "title": form.initial["title"]}
    return form_response(request, "organize/named_board.html", context)


@require_POST
@access(EDIT)
def change_board(request: HttpRequest, task: Task, name: str) -> HttpResponse:
    """Move it up or down, or remove it."""
    try:
        with task_locked(task):
            part = get_object_or_404(NamedBoard, task=task, name=name)
            change(part, request.POST.get("to", ""))
    except Refusal as refusal:
        return _listing(request, BoardForm(task), str(refusal))
    return redirect("organize-boards", task.slug)
