"""The extra that makes boards of scores that were published elsewhere."""

from leaderboard.web import extras


class Published(extras.Extra):
    name = "leaderboard.extras.published"
    needs = ("moving", "judgements")  # which bring submissions, and their values
