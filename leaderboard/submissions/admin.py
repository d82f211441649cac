"""Submissions and evaluations for operators; every button leaves an event."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from leaderboard.submissions import admin_actions
from leaderboard.submissions.models import Evaluation, Event, Submission
from leaderboard.tasks.admin import ReadOnly
from leaderboard.teams.refusal import Refusal


class EventInline(ReadOnly, admin.TabularInline):
    model = Event
    extra = 0
    fields = ("at", "old", "new", "attempt", "actor", "why")


def each(
    request: HttpRequest, rows: QuerySet[Any], act: Callable[..., Any], done: str
) -> None:
    """Do it to every chosen row and say which ones could not be."""
    for row in rows:
        try:
            act(row, request.user)
        except Refusal as reason:
            messages.error(request, f"{row}: {reason}.")
        else:
            messages.success(request, f"{row}: {done}.")


@admin.register(Submission)
class SubmissionAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("system", "participation", "phase", "received_at", "late")
    # A filter by phase would list all phases of the site; the search finds tasks.
    list_filter = ("late",)
    list_select_related = ("participation__team", "participation__task", "phase__task")
    search_fields = ("system", "participation__team__name", "phase__task__slug")
    show_full_result_count = False
    actions = ("admit",)

    @admin.action(description="Admit late submissions", permissions=("change",))
    def admit(self, request: HttpRequest, rows: QuerySet[Submission]) -> None:
        def let_in(row: Submission, actor: Any) -> None:
            admin_actions.admit(row, actor)
            admin_actions.announce_admitted(row.phase, 1, actor)

        each(request, rows, let_in, "admitted and queued")


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnly, admin.ModelAdmin):
    list_display = (
        "submission",
        "state",
        "state_since",
        "attempt",
        "last_error",
        "engine",
    )
    list_filter = ("state",)
    list_select_related = ("submission__participation__team",)
    search_fields = ("submission__phase__task__slug",)
    show_full_result_count = False
    ordering = ("-state_since",)
    inlines = (EventInline,)
    actions = ("retry", "cancel")

    @admin.action(description="Try again what failed", permissions=("change",))
    def retry(self, request: HttpRequest, rows: QuerySet[Evaluation]) -> None:
        each(request, rows, admin_actions.retry, "queued again")

    @admin.action(description="Cancel what waits", permissions=("change",))
    def cancel(self, request: HttpRequest, rows: QuerySet[Evaluation]) -> None:
        each(request, rows, admin_actions.cancel, "cancelled")
