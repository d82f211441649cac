"""The extra that makes boards of scores that were published elsewhere."""

from leaderboard.extension.points import Extra


class Published(Extra):
    name = "leaderboard.extras.published"
    needs = ("moving", "judgements")  # which bring submissions, and their values
