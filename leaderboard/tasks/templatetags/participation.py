"""Where the reader stands in a task, for the pages that say so."""

from django import template
from django.template import Context

from leaderboard.tasks import participation
from leaderboard.tasks.models import Task
from leaderboard.tasks.participation import ParticipationStatus, standing_of

register = template.Library()


@register.simple_tag(takes_context=True)
def standing(context: Context, task: Task) -> ParticipationStatus:
    """The reader's team in the task, in words, and whether joining is possible."""
    return standing_of(context["user"], task)


@register.simple_tag
def entry_rules(task: Task) -> list[str]:
    """What a team needs to enter, a sentence each; empty where everybody may."""
    found = [participation.domain_rule(task)]
    if task.entry == Task.Entry.APPROVAL:
        found.append(str(Task.Entry.APPROVAL.label) + ".")
    return [sentence for sentence in found if sentence]
