"""The extra that carries boards elsewhere: into papers, slides and other pages."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import (
    BoardFormats,
    ExportMenuPart,
    Extra,
    Link,
    PagePart,
)


class Publishing(Extra):
    name = "leaderboard.extras.publishing"
    urls = "leaderboard.extras.publishing.urls"
    english = (
        *("task-cite", "system-cite", "task-croissant"),
        *("board-badge", "board-embed"),
    )
    points = (
        BoardFormats(f"{name}.formats"),
        Link(
            "task",
            _("Croissant (JSON-LD)"),
            _("The public data of the task, for tools that load data sets."),
            "task-croissant",
            f"{name}.croissant.has_files",
        ),
        PagePart(
            "publishing/_system_cite.html",
            f"{name}.formats.bibtex.overview_entry",
            "end",
        ),
        ExportMenuPart("paper", "publishing/_cite.html"),
        ExportMenuPart("page", "publishing/_page.html"),
    )
