"""The extra that tells readers of feeds what is new: Atom."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Feeds(extras.Extra):
    name = "leaderboard.extras.feeds"
    urls = "leaderboard.extras.feeds.urls"
    english = ("site-feed", "task-feed")
    points = (
        extras.FeedLink("site-feed"),
        extras.FeedLink("task-feed", _("Atom feed of this task")),
    )
