"""The list of everything that was sent to a task, for its organizers."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.extension.access import SEE, access
from leaderboard.extension.models import Submission, SubmittedFile, Task
from leaderboard.extension.policy import Power, can
from leaderboard.extension.submissions import TEXTS
from leaderboard.extras.oversight.acts import ACTS
from leaderboard.extras.oversight.submission_filter import SentFilters, submissions_of

PER_PAGE = 50


def senders_of_same_files(
    task: Task, submissions: Iterable[Submission]
) -> Mapping[UUID, list[str]]:
    """Names of other teams that sent a file of the same bytes for the same test set of
    the task, by submission. One query; merged teams are one, baselines count too."""
    keys = [submission.pk for submission in submissions]
    # By their bytes, of which there is an index: not every file of the task is read.
    own = SubmittedFile.objects.filter(submission__in=keys).values("sha256")
    entry = "submission__participation"
    files = SubmittedFile.objects.filter(sha256__in=own, submission__phase__task=task)
    rows = files.values_list(
        "test_set",
        "sha256",
        "submission",
        Coalesce(f"{entry}__merged_into", entry),
        f"{entry}__team__name",
    )
    teams: defaultdict[tuple[int, str], dict[int, str]] = defaultdict(dict)
    senders: dict[UUID, list[tuple[tuple[int, str], int]]] = defaultdict(list)
    for test_set, digest, submission, team, name in rows:
        teams[test_set, digest].setdefault(team, name)
        senders[submission].append(((test_set, digest), team))
    return {
        key: sorted(
            {
                name
                for file, team in senders[key]
                for other, name in teams[file].items()
                if other != team
            }
        )
        for key in keys
    }


@require_safe
@access(SEE)
def listing(request: HttpRequest, task: Task) -> HttpResponse:
    """One page of a task's submissions; a constant number of queries."""
    filters = SentFilters(request.GET)
    submissions = submissions_of(task, filters)
    filters.offer_phases(task.phases.all())
    page = Paginator(submissions, PER_PAGE).get_page(request.GET.get("page"))
    same = senders_of_same_files(task, page)
    submission: Any
    for submission in page:
        submission.same_as = same[submission.pk]
        submission.state_title = TEXTS[submission.state][0] if submission.state else ""
    context = {
        "task": task,
        "page": page,
        "filters": filters,
        "query": request.GET.urlencode(),
        "acts": ACTS.values() if can(request.user, task, Power.PEOPLE) else (),
    }
    return render(request, "oversight/submissions.html", context)
