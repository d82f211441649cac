"""The list of everything that was sent to a task, for its organizers."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.extras.oversight.acts import ACTS
from leaderboard.extras.oversight.submission_filter import chosen_in, submissions_of
from leaderboard.results.my_submissions import STATES
from leaderboard.results.status import TEXTS
from leaderboard.tasks.access import SEE
from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import Power, can
from leaderboard.web.access import access

PER_PAGE = 50


@require_safe
@access(SEE)
def listing(request: HttpRequest, task: Task) -> HttpResponse:
    """One page of them; a constant number of queries."""

    chosen = chosen_in(request.GET)
    found = submissions_of(task, chosen)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    for submission in page:
        submission.state_title = TEXTS[submission.state][0] if submission.state else ""
    context = {
        "task": task,
        "page": page,
        "chosen": chosen,
        "narrowed": any(chosen.values()),
        "query": request.GET.urlencode(),
        "phases": task.phases.all(),
        "states": STATES,
        "acts": ACTS.values() if can(request.user, task, Power.PEOPLE) else (),
    }
    return render(request, "oversight/submissions.html", context)
