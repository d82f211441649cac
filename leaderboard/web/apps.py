"""The app of what every page needs: access, cache, languages, log, template tags."""

from django.apps import AppConfig
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.core.checks import Tags, register
from django.core.signals import request_finished


class Web(AppConfig):
    name = "leaderboard.web"

    def import_models(self) -> None:
        from leaderboard.web.extras import import_models

        super().import_models()
        import_models()

    def ready(self) -> None:
        from leaderboard.web.access import check_routes
        from leaderboard.web.connections import close_surplus
        from leaderboard.web.extras import check_extras

        request_finished.connect(close_surplus)
        register(check_routes, Tags.urls)
        register(check_extras)


class StaticFiles(StaticFilesConfig):
    """Static files: our own, and from installed packages only what pages load.

    Leaves out what lies beside Plotly's script in its package.
    """

    ignore_patterns = (
        *StaticFilesConfig.ignore_patterns,
        "datasets",
        "templates",
        "widgetbundle.js",
        "plotly/__init__.py",
        "*.csv.gz",
    )
