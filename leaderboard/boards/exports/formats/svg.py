"""A picture for slides, light and dark."""

from django.utils.translation import gettext_lazy as _

from leaderboard.boards.exports.drawing import DARK, LIGHT
from leaderboard.boards.exports.figure import Figure, drawn
from leaderboard.boards.exports.registry import Format
from leaderboard.boards.exports.table import Table

# More would not be read from the back of a room.
MOST = 16
KIND = "image/svg+xml"


def light(table: Table) -> str:
    return drawn(Figure(table, 0, LIGHT, MOST))


def dark(table: Table) -> str:
    return drawn(Figure(table, 0, DARK, MOST))


FORMATS = (
    Format("svg", _("Picture"), KIND, light, position=70, attached=False),
    Format("dark.svg", _("Picture, dark"), KIND, dark, position=71, attached=False),
)
