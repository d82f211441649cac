"""The extra that makes boards of scores that were published elsewhere."""

from typing import ClassVar

from leaderboard.extension.points import Extra


class Published(Extra):
    name = "leaderboard.extras.published"
    needs: ClassVar = {
        "judgements": "Published scores are judgements of its tables.",
        "moving": "It imports submissions of the past.",
    }
