from allauth.socialaccount.models import SocialApp, SocialToken
from django.contrib import admin
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from leaderboard.teams.creators import grant
from leaderboard.teams.models import Membership, Team, User
from leaderboard.teams.requests import SignedInRequest

# Identity providers are set by the environment alone, and no token of theirs is kept.
admin.site.unregister([SocialApp, SocialToken])


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):
    list_display = ("name", "created_at")
    search_fields = ("name",)
    inlines = (MembershipInline,)


@admin.register(User)
class UserAdmin(admin.ModelAdmin):
    list_display = ("email", "name", "is_active", "is_staff", "date_joined")
    search_fields = ("email", "name")
    exclude = ("password",)
    actions = ("let_create_tasks",)

    @admin.action(description=_("Allow to create tasks"), permissions=["change"])
    def let_create_tasks(
        self, request: SignedInRequest, people: QuerySet[User]
    ) -> None:
        for person in people:
            if grant(person, request.user):
                words = _("%(user)s may create tasks, and is told by mail.")
            else:
                words = _("%(user)s may create tasks already.")
            self.message_user(request, words % {"user": person})
