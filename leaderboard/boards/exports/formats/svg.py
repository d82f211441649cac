"""A picture for slides, light and dark."""

from functools import partial

from django.utils.translation import gettext_lazy as _

from leaderboard.boards.exports.formats import ExportFormat
from leaderboard.boards.exports.pictures import DARK, LIGHT, board_picture

KIND = "image/svg+xml"
FORMATS = (
    ExportFormat(
        "svg",
        _("Picture"),
        KIND,
        partial(board_picture, colours=LIGHT),
        position=70,
        attached=False,
    ),
    ExportFormat(
        "dark.svg",
        _("Picture, dark"),
        KIND,
        partial(board_picture, colours=DARK),
        position=71,
        attached=False,
    ),
)
