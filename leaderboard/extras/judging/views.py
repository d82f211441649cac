"""The page on which people judge: one screen, whole without a script.

It names no system: answers stand under the key of the assignment, and nothing of a page
depends on whose they are.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.extension.access import LINK, access
from leaderboard.extension.forms import Refusal, form_page
from leaderboard.extras.judging import assignment, checks, spans
from leaderboard.extras.judging.assignment import Sent
from leaderboard.extras.judging.contents import contents
from leaderboard.extras.judging.models import (
    Assignment,
    Campaign,
    Choice,
    Judge,
    Vote,
)

SESSION = "judge"  # with the key of the campaign, in a reader's session
KEYS = {"left": "1", "equal": "2", "right": "3", "bad": "4"}


def _campaign(token: str) -> Campaign:
    rows = Campaign.objects.select_related("phase__task", "test_set")
    return get_object_or_404(rows, token=token)


def _judge_of(request: HttpRequest, campaign: Campaign) -> Judge | None:
    if campaign.by_account:
        judge = assignment.own(campaign, request.user)
    else:
        rows = Judge.objects.filter(campaign=campaign)
        number = request.session.get(f"{SESSION}:{campaign.pk}")
        judge = rows.filter(pk=number).first() if number else None
    if judge is not None:
        judge.campaign = campaign
    return judge


@never_cache
@form_page
@access(LINK)
def judge(request: HttpRequest, token: str) -> HttpResponse:
    """The page of what the reader judges now, or an invitation to begin."""
    campaign = _campaign(token)
    if campaign.by_account and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    who = _judge_of(request, campaign)
    if request.method == "POST":
        if who is None:
            return _begin(request, campaign)
        return _take(request, who)
    if who is None:
        return render(request, "judging/welcome.html", {"campaign": campaign})
    return _judging_page(request, who)


def _begin(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    try:
        who = assignment.begin(campaign, request.user if campaign.by_account else None)
    except Refusal as refusal:
        messages.error(request, str(refusal))
    else:
        request.session[f"{SESSION}:{campaign.pk}"] = who.pk
    return redirect(campaign)


def _take(request: HttpRequest, who: Judge) -> HttpResponse:
    """A vote of a form, and on to the next."""
    campaign, posted = who.campaign, request.POST
    given = _by_column(posted)
    words = _words(who, posted) if campaign.marks_errors else []
    if campaign.marks_errors:
        given["spans"] = spans.spans_of(spans.rows_in(posted), words)
    if "more" in posted:
        return _judging_page(request, who, given)
    values = {} if "skip" in posted else campaign.values_in(given, len(words))
    if values is None:
        sentence = _("Answer every question, or skip this one.")
        if campaign.marks_errors:
            sentence = _(
                "Each error needs a severity, a category where there are some, and "
                "words of the answer, the first before the last. Answer every question."
            )
        messages.error(request, sentence)
        return _judging_page(request, who, given, status=422)
    try:
        reply = Sent(
            UUID(posted.get("assignment", "")),
            UUID(posted.get("key", "")),
            values,
            _seconds(posted.get("shown", "")),
            UUID(posted["instead"]) if posted.get("instead") else None,
        )
    except ValueError:
        messages.error(request, _("This page was not whole. Judge it again."))
        return redirect(campaign)
    try:
        vote = assignment.vote(who, reply, request.user)
    except Refusal as refusal:
        messages.error(request, str(refusal))
    else:
        if sentence := checks.feedback(vote.assignment, vote.values):
            messages.info(request, sentence)
    return redirect(campaign)


def _words(who: Judge, posted: Any) -> list[spans.Word]:
    """Words of the answer that a form is about."""
    try:
        rows = Assignment.objects.filter(
            judge=who, key=UUID(posted.get("assignment", ""))
        )
    except ValueError:
        return []
    row = rows.select_related("first").first()
    return spans.words_of(checks.texts(row)[0]) if row else []


def _by_column(posted: Any) -> dict[str, Any]:
    """Values of a form, by `choice` or column."""
    return {name.removeprefix("value-"): value for name, value in posted.items()}


def _seconds(made_at: str) -> int | None:
    """Seconds since the page was made, by the moment that it carries."""
    if not (made_at.isascii() and made_at.isdecimal() and len(made_at) < 12):
        return None
    return int(timezone.now().timestamp()) - int(made_at)


def _judging_page(
    request: HttpRequest, who: Judge, given: Any = None, status: int = 200
) -> HttpResponse:
    """The page; `given` is what was filled in and is not whole yet."""
    campaign = who.campaign
    last = assignment.last_of(who)
    changes = "change" in request.GET and last is not None and campaign.open
    before: Vote | None = last if changes else None
    now: Assignment | None
    now = before.assignment if before is not None else None
    now = now or assignment.next_for(who, reader=request.user)
    done = assignment.today(who)
    context: dict[str, Any] = {
        "campaign": campaign,
        "judge": who,
        "back": request.build_absolute_uri(who.get_absolute_url()),
        "by_link": not campaign.by_account,
        "pauses": "pause" in request.GET,
        "done": done,
        "judged": last is not None,
        "last": last,
        "instead": before,
        "assignment": now,
        "key": assignment.new_key(),
        "shown": int(timezone.now().timestamp()),
    }
    if now is not None:
        context["source"] = [(name, contents(text)) for name, text in now.unit.shown]
        texts = checks.texts(now)
        context["answers"] = [contents(text) for text in texts]
        context["same"] = len(texts) == 2 and texts[0].split() == texts[1].split()
        context["choices"] = [
            (choice.value, choice.label, KEYS[choice.value]) for choice in Choice
        ]
        values = before.values if before is not None else {}
        values = values if given is None else given
        context["chosen"] = values.get("choice")
        context["asked"] = [
            (column, text, values.get(column)) for column, text in campaign.questions
        ]
        if campaign.marks_errors:
            context["words"] = spans.words_of(checks.texts(now)[0])
            # Of what was sent the rows as they were written, mistakes and all.
            rows = spans.rows_of(values.get("spans", ()))
            rows = rows if given is None else spans.rows_in(request.POST)
            context["spans"] = [*rows, *[spans.SpanRow()] * spans.EMPTY_ROWS]
            context["severities"] = [name for name, _weight in campaign.severities]
    return render(request, "judging/judge.html", context, status=status)


@never_cache
@require_safe
@access(LINK)
def come_back(request: HttpRequest, token: str, key: UUID) -> HttpResponse:
    """Go on where one stopped, on any machine; only for those without an account."""
    campaign = _campaign(token)
    who = get_object_or_404(Judge, campaign=campaign, key=key)
    if not campaign.by_account:
        request.session[f"{SESSION}:{campaign.pk}"] = who.pk
    return redirect(campaign)
