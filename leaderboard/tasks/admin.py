"""Tasks in the admin site: to be looked at. Their organizers' pages change them."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from leaderboard.tasks.models import (
    Change,
    NamedBoard,
    Organizer,
    Participation,
    Phase,
    Question,
    Task,
    TestSet,
)


class ReadOnly:
    """Rows that are changed elsewhere, under locks and with a history, never here."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [field.name for field in self.model._meta.fields]  # type: ignore[attr-defined]


class PhaseInline(ReadOnly, admin.TabularInline):
    model = Phase
    extra = 0
    fields = ("name", "title", "opens", "closes", "daily_limit")


class OrganizerInline(ReadOnly, admin.TabularInline):
    model = Organizer
    extra = 0


class NamedBoardInline(ReadOnly, admin.TabularInline):
    model = NamedBoard
    extra = 0


class QuestionInline(ReadOnly, admin.TabularInline):
    model = Question
    extra = 0


class ReadOnlyAdmin(ReadOnly, admin.ModelAdmin):
    pass


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    list_display = ("title", "slug", "scorer_name", "created_at")
    inlines = (PhaseInline, NamedBoardInline, QuestionInline, OrganizerInline)


admin.site.register(TestSet, ReadOnlyAdmin)
admin.site.register(Participation, ReadOnlyAdmin)


admin.site.unregister(Change)  # the package's own page searches fields we lack


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin):
    """The history: to be read, by nobody to be changed."""

    list_display = ("timestamp", "actor_email", "way", "action", "object_repr")
    list_filter = ("action", "way", "content_type")
    search_fields = ("object_repr", "actor_email")
    list_select_related = ("content_type",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
