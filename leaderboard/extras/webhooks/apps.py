"""The extra that tells other programs of events: webhooks."""

from importlib import import_module

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Webhooks(extras.Extra):
    name = "leaderboard.extras.webhooks"
    urls = "leaderboard.extras.webhooks.urls"
    points = (
        extras.MenuEntry("account", _("Webhooks"), ("webhooks", "webhook")),
        extras.PeriodicJob("webhooks", "api.webhooks", 10),
        extras.PersonalRows("webhooks", "api.Webhook", ("url", "events", "created_at")),
    )

    def ready(self) -> None:
        super().ready()
        import_module(f"{self.name}.receivers")
