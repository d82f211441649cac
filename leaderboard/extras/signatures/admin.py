"""Other sites in the admin site: their names, addresses and keys."""

from django.contrib import admin

from leaderboard.extras.signatures.models import KnownKey, KnownSite


class KnownKeyInline(admin.TabularInline):
    model = KnownKey
    extra = 1


@admin.register(KnownSite)
class KnownSiteAdmin(admin.ModelAdmin):
    list_display = ("name", "address")
    inlines = (KnownKeyInline,)
