"""Archives in templates."""

from django import template
from django.utils.safestring import SafeString

from leaderboard.boards.archive import download
from leaderboard.tasks.models import Task
from leaderboard.web.markdown import rendered

register = template.Library()


@register.filter
def as_html(text: str) -> SafeString:
    """Organizers' Markdown; it holds no pictures, so nothing is fetched."""
    return rendered(text)


@register.filter
def has_archive(task: Task) -> bool:
    """Whether one is published."""
    return download.is_published(task)
