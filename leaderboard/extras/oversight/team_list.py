"""Teams with what they answered, and decisions about many of them at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from leaderboard.extension.access import PEOPLE, access
from leaderboard.extension.models import Answer, Participation, Task, User
from leaderboard.extension.participation import DECISIONS, decide_and_tell, teams_found
from leaderboard.extras.oversight.acts import REASON, Act, ActsPage

PER_PAGE = 50
Status = Participation.Status


def _why_not(name: str) -> Callable[[Participation], str]:
    def why_not(entry: Participation) -> str:
        fits = entry.status in DECISIONS[name].old
        return "" if fits else entry.get_status_display()

    return why_not


def _decide(
    name: str,
) -> Callable[[Sequence[Participation], User, Mapping[str, str]], None]:
    def decide(
        entries: Sequence[Participation], actor: User, words: Mapping[str, str]
    ) -> None:
        for entry in entries:
            decide_and_tell(entry, name, actor, words.get(REASON, ""))

    return decide


TOLD = gettext_lazy("Each team is told by mail.")
ACTS = {
    name: Act(
        name,
        decision.title,
        TOLD,
        _why_not(name),
        _decide(name),
        (REASON,) if decision.needs_reason else (),
    )
    for name, decision in DECISIONS.items()
}


def entries_of(task: Task, query: Mapping[str, str]) -> QuerySet[Participation]:
    """Teams of a status, by default those that wait, and whose name holds words."""
    status = query.get("status", str(Status.PENDING))
    words = query.get("q", "").replace("\0", "").strip()
    return teams_found(task, status, words)


class DecisionsPage(ActsPage):
    """The question before a decision about several teams, and the decision."""

    acts = ACTS
    above = ("organize-decisions", gettext_lazy("Many teams at once"))

    def rows(self, query: QueryDict) -> QuerySet[Any]:
        every = {"status": ""} if "every" not in self.request.POST else query
        return entries_of(self.task, every).select_related("team", "task")

    def key_of(self, text: str) -> Any:
        key = int(text)
        if not 0 < key < 2**63:
            raise ValueError(text)
        return key


@require_safe
@access(PEOPLE)
def teams(request: HttpRequest, task: Task) -> HttpResponse:
    """One page of teams with their answers; a constant number of queries."""
    entries = entries_of(task, request.GET)
    page = Paginator(entries, PER_PAGE).get_page(request.GET.get("page"))
    questions = task.registration()
    entry: Any
    for entry in page:
        entry.members = [participant.user for participant in entry.current_participants]
        entry.answer_list = [
            Answer(question, entry.answers[question.name])
            for question in questions
            if question.name in entry.answers
        ]
    context = {
        "task": task,
        "page": page,
        "status": request.GET.get("status", str(Status.PENDING)),
        "statuses": Status.choices,
        "words": request.GET.get("q", ""),
        "query": request.GET.urlencode(),
        "acts": ACTS.values(),
    }
    return render(request, "oversight/teams.html", context)
