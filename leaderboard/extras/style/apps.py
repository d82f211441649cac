"""The extra that shows every part of the pages in every state: the style page."""

from leaderboard.web import extras


class Style(extras.Extra):
    name = "leaderboard.extras.style"
    urls = "leaderboard.extras.style.urls"
    needs = ("comparison", "diagnostics")  # the parts of its page
