"""Static files: our own, and from installed packages only what pages load."""

from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    """Leaves out what lies beside Plotly's script in its package."""

    ignore_patterns = (
        *StaticFilesConfig.ignore_patterns,
        "datasets",
        "templates",
        "widgetbundle.js",
        "plotly/__init__.py",
        "*.csv.gz",
    )
