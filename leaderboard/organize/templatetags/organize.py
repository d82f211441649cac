"""The side menu of organizers' pages; how long something takes."""

from django import template
from django.template import Context

from leaderboard.organize.menu import MenuGroup, menu_of
from leaderboard.results.queue_progress import in_words
from leaderboard.tasks.models import Task
from leaderboard.tasks.templatetags.tasks import reader_powers

register = template.Library()


@register.simple_tag(takes_context=True)
def organizer_menu(context: Context, task: Task) -> list[MenuGroup]:
    """The pages that the reader may follow; the one that is shown is current."""
    path = getattr(context.get("request"), "path", "")
    return menu_of(task, reader_powers(context, task), path)


register.filter("about", in_words)
