"""The extra that carries boards elsewhere: into papers, slides and other pages."""

from leaderboard.web import extras


class Publishing(extras.Extra):
    name = "leaderboard.extras.publishing"
    urls = "leaderboard.extras.publishing.urls"
    english = ("task-cite", "board-badge", "board-embed")
    points = (
        extras.BoardFormats(f"{name}.model_index"),
        extras.BoardFormats(f"{name}.evaluation_table"),
        extras.BoardFormats(f"{name}.latex"),
        extras.BoardFormats(f"{name}.bibtex"),
        extras.BoardFormats(f"{name}.markdown"),
        extras.BoardFormats(f"{name}.pictures"),
        extras.ExportMenuPart("paper", "publishing/_cite.html"),
        extras.ExportMenuPart("page", "publishing/_page.html"),
    )
