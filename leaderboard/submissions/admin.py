"""Submissions and evaluations for operators; every button leaves an event."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from leaderboard.submissions import operating
from leaderboard.submissions.models import Evaluation, Event, Submission
from leaderboard.submissions.quota import QuotaUsed

NOT_DONE = (operating.NotPossible, QuotaUsed)


class ReadOnly:
    """Rows whose history must be true are changed by actions, never by typing."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [field.name for field in self.model._meta.fields]  # type: ignore[attr-defined]


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
        except NOT_DONE as reason:
            messages.error(request, f"{row}: {reason}.")
        else:
            messages.success(request, f"{row}: {done}.")


@admin.register(Submission)
class SubmissionAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("system", "participation", "phase", "received_at", "late")
    list_filter = ("late", "phase")
    search_fields = ("system", "participation__team__name")
    actions = ("admit",)

    @admin.action(description="Admit late submissions", permissions=("change",))
    def admit(self, request: HttpRequest, rows: QuerySet[Submission]) -> None:
        each(request, rows, operating.admit, "admitted and queued")


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnly, admin.ModelAdmin):
    list_display = (
        "submission", "state", "state_since", "attempt", "last_error", "engine",
    )  # fmt: skip
    list_filter = ("state", "submission__phase")
    list_select_related = ("submission__participation__team",)
    ordering = ("-state_since",)
    inlines = (EventInline,)
    actions = ("retry", "cancel")

    @admin.action(description="Try again what failed", permissions=("change",))
    def retry(self, request: HttpRequest, rows: QuerySet[Evaluation]) -> None:
        each(request, rows, operating.retry, "queued again")

    @admin.action(description="Cancel what waits", permissions=("change",))
    def cancel(self, request: HttpRequest, rows: QuerySet[Evaluation]) -> None:
        each(request, rows, operating.cancel, "cancelled")
