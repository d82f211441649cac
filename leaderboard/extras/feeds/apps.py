"""The extra that tells readers of feeds what is new: Atom."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import Extra, FeedLink


class Feeds(Extra):
    name = "leaderboard.extras.feeds"
    urls = "leaderboard.extras.feeds.urls"
    english = ("site-feed", "task-feed")
    points = (
        FeedLink("site-feed"),
        FeedLink("task-feed", _("Atom feed of this task")),
    )
