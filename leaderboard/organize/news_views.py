"""The page on which organizers write into the public log of changes."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.log import WRITTEN, announce, notices_of
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.policy import Power

SHOWN = 10


class NewsForm(forms.Form):
    kind = forms.ChoiceField(
        choices=[(kind.value, kind.label) for kind in WRITTEN],
        label=gettext_lazy("Kind"),
    )
    phase = forms.ModelChoiceField(
        Phase.objects.none(),
        required=False,
        label=gettext_lazy("Phase"),
        empty_label=gettext_lazy("The whole task"),
    )
    text = forms.CharField(
        max_length=2000,
        label=gettext_lazy("Text"),
        help_text=gettext_lazy(
            "Plain text, public at once and for good: it is not edited afterwards."
        ),
        widget=forms.Textarea(attrs={"rows": 6}),
    )

    def __init__(self, task: Task, *args: Any) -> None:
        super().__init__(*args)
        field: Any = self.fields["phase"]
        field.queryset = task.phases.all()
        field.label_from_instance = lambda phase: phase.title


@require_http_methods(["GET", "HEAD", "POST"])
def news(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    form = NewsForm(task, request.POST or None)
    if request.method == "POST" and form.is_valid():
        announce(task, by=request.user, **form.cleaned_data)
        messages.success(request, _("It stands in the log of changes."))
        return redirect("task-log", slug)
    notices = notices_of(task)[:SHOWN]
    context = {"task": task, "form": form, "notices": notices}
    status = 422 if form.errors else 200
    return render(request, "organize/news.html", context, status=status)
