"""The app that has the site's own template tags."""

from django.apps import AppConfig
from django.contrib.staticfiles.apps import StaticFilesConfig


class Web(AppConfig):
    name = "leaderboard.web"


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
