"""Template tags that draw what extras bring along."""

import re
from collections.abc import Sequence
from typing import Any

from django import template

from leaderboard.web.extras import (
    ChartFile,
    FeedLink,
    Link,
    SubmissionLink,
    SystemsPage,
    joined,
    links_at,
)

register = template.Library()
WORDS = re.compile(r"<text[^>]*>([^<]*)</text>")


@register.simple_tag
def links_of_extras(status: Any, user: Any) -> list[SubmissionLink]:
    """Links that extras add to the page of a submission, for those who may follow."""
    return [link for link in joined(SubmissionLink) if link.is_for(user, status)]


@register.simple_tag
def account_lines_of_extras() -> list[Link]:
    """Lines that extras add to the page of one's account."""
    return links_at("account")


@register.filter
def downloads_of_extras(task: Any) -> list[Link]:
    """Files about a whole task that extras offer and that are there."""
    return links_at("task", task)


@register.simple_tag
def systems_pages() -> list[SystemsPage]:
    """Pages about systems that a reader chose."""
    return list(joined(SystemsPage))


@register.simple_tag
def feeds_of_extras(*, of_task: bool) -> list[FeedLink]:
    """Feeds that extras write: those of a task, or those of the site."""
    return [feed for feed in joined(FeedLink) if feed.of_task == of_task]


@register.simple_tag
def chart_files_of_extras() -> list[ChartFile]:
    """Kinds of files that extras make of a chart."""
    return list(joined(ChartFile))


@register.simple_tag
def chart_remarks_of_extras(picture: str, heading: Sequence[str]) -> list[str]:
    """Remarks on what files that extras make of this picture cannot show."""
    texts = [*heading, *WORDS.findall(picture)]
    return list(filter(None, (file.remark(texts) for file in joined(ChartFile))))
