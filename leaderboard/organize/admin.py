"""The history in the admin site: to be read, by nobody to be changed."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from leaderboard.tasks.models import Change

admin.site.unregister(Change)  # the package's own page searches fields we lack


@admin.register(Change)
class ChangeAdmin(admin.ModelAdmin):
    list_display = ("timestamp", "actor_email", "way", "action", "object_repr")
    list_filter = ("action", "way", "content_type")
    search_fields = ("object_repr", "actor_email")
    list_select_related = ("content_type",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
