"""The app of mail, and where the kinds of mail are found."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class MailConfig(AppConfig):
    """An app that loads each app's module `mail`, as Celery does with `jobs`."""

    name = "leaderboard.mail"

    def ready(self) -> None:
        autodiscover_modules("mail")
