from allauth.socialaccount.models import SocialApp, SocialToken
from django.contrib import admin

from leaderboard.teams.models import Membership, Team, User

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
