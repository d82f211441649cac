from allauth.account.admin import EmailAddressAdmin
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialApp, SocialToken
from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from leaderboard.teams.creators import grant, withdraw
from leaderboard.teams.models import Membership, Team, User
from leaderboard.teams.requests import SignedInRequest

# Identity providers are set by the environment alone, and no token of theirs is kept.
admin.site.unregister([SocialApp, SocialToken])
admin.site.unregister([EmailAddress, Authenticator])


@admin.register(EmailAddress)
class AddressAdmin(EmailAddressAdmin):
    """Addresses of accounts; the primary one is changed at the account."""

    readonly_fields = ("primary",)


@admin.register(Authenticator)
class AuthenticatorAdmin(admin.ModelAdmin):
    """Second factors, to be deleted: nobody reads or changes their secrets."""

    list_display = fields = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type", "created_at", "last_used_at")
    search_fields = ("user__email", "user__name")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: Authenticator | None = None
    ) -> bool:
        return False


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):
    list_display = ("name", "created_at")
    search_fields = ("name",)
    inlines = (MembershipInline,)


class UserForm(forms.ModelForm):
    def clean_email(self) -> str:
        """The address as accounts have it, so that none is given twice."""
        return str(self.cleaned_data["email"]).lower()


@admin.register(User)
class UserAdmin(admin.ModelAdmin):
    form = UserForm
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

    def save_model(
        self, request: HttpRequest, obj: User, form: forms.ModelForm, change: bool
    ) -> None:
        """Store the account; a new address becomes the primary one."""
        super().save_model(request, obj, form, change)
        if not change or "email" not in form.changed_data:
            return
        addresses = EmailAddress.objects.filter(user=obj)
        addresses.get_or_create(user=obj, email=obj.email)[0].set_as_primary()
        for address in addresses.exclude(email=obj.email):
            words = _(
                "The account can still sign in with %(address)s until that is deleted."
            )
            self.message_user(
                request, words % {"address": address.email}, messages.WARNING
            )

    @admin.display(description=_("Deletion"))
    def deletion(self, person: User) -> str:
        """The command that takes a person out of everything."""
        command = f"plumbline-site forget {person.email or 'ADDRESS'}"
        words = _(
            "On the machine of the site “%(command)s” deletes the account and what is "
            "known of the person; submissions stay, under a number."
        )
        return words % {"command": command}
