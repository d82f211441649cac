from django.contrib import admin

from leaderboard.tasks.models import Organizer, Participation, Phase, Task, TestSet


class PhaseInline(admin.TabularInline):
    model = Phase
    extra = 0
    fields = ("name", "title", "opens", "closes", "daily_limit")


class OrganizerInline(admin.TabularInline):
    model = Organizer
    extra = 0


@admin.register(Task)
class TaskAdmin(admin.ModelAdmin):
    list_display = ("title", "slug", "scorer_name", "created_at")
    inlines = (PhaseInline, OrganizerInline)


admin.site.register(TestSet)
admin.site.register(Participation)
