from django.contrib import admin

from leaderboard.submissions.models import Evaluation, Submission


@admin.register(Submission)
class SubmissionAdmin(admin.ModelAdmin):
    list_display = ("system", "participation", "phase", "received_at", "late")
    list_filter = ("phase",)
    readonly_fields = ("received_at", "accepted_at", "key")


@admin.register(Evaluation)
class EvaluationAdmin(admin.ModelAdmin):
    list_display = ("submission", "state", "attempt", "state_since", "engine")
    list_filter = ("state",)
    readonly_fields = ("results", "problems", "lease_token", "lease_until")
