"""The extra that carries boards elsewhere: into papers, slides and other pages."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Publishing(extras.Extra):
    name = "leaderboard.extras.publishing"
    urls = "leaderboard.extras.publishing.urls"
    english = (
        *("task-cite", "system-cite", "task-croissant"),
        *("board-badge", "board-embed"),
    )
    points = (
        extras.BoardFormats(f"{name}.eval_results"),
        extras.BoardFormats(f"{name}.every_eval_ever"),
        extras.BoardFormats(f"{name}.evaluation_table"),
        extras.BoardFormats(f"{name}.latex"),
        extras.BoardFormats(f"{name}.bibtex"),
        extras.BoardFormats(f"{name}.markdown"),
        extras.BoardFormats(f"{name}.pictures"),
        extras.TaskDownload(
            _("Croissant (JSON-LD)"),
            _("The public data of the task, for tools that load data sets."),
            "task-croissant",
            f"{name}.croissant.has_files",
        ),
        extras.SystemPart(
            "publishing/_system_cite.html", f"{name}.bibtex.of_overview", "end"
        ),
        extras.ExportMenuPart("paper", "publishing/_cite.html"),
        extras.ExportMenuPart("page", "publishing/_page.html"),
    )
