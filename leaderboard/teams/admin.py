from allauth.socialaccount.models import SocialApp, SocialToken
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from leaderboard.teams.creators import grant, withdraw
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
    readonly_fields = ("deletion",)
    actions = ("let_create_tasks", "let_create_no_tasks")

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

    @admin.action(
        description=_("Do not allow to create tasks any more"), permissions=["change"]
    )
    def let_create_no_tasks(
        self, request: SignedInRequest, people: QuerySet[User]
    ) -> None:
        for person in people:
            if withdraw(person, request.user):
                words = _("%(user)s may not create tasks any more.")
            else:
                words = _(
                    "%(user)s may still create tasks, as an administrator, by a group, "
                    "or since the site lets everybody or the address's domain."
                )
            self.message_user(request, words % {"user": person})

    def has_delete_permission(
        self, request: HttpRequest, obj: User | None = None
    ) -> bool:
        """Nobody: a row cannot go while submissions, tasks and teams hang on it."""
        return False

    @admin.display(description=_("Deletion"))
    def deletion(self, person: User) -> str:
        """The command that takes a person out of everything."""
        command = f"plumbline-site forget {person.email or 'ADDRESS'}"
        words = _(
            "On the machine of the site “%(command)s” deletes the account and what is "
            "known of the person; submissions stay, under a number."
        )
        return words % {"command": command}
