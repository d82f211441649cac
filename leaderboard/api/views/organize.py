"""The part for organizers: a task as a bundle, revisions of its gold, extensions."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from io import BytesIO
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.http import parse_etags, quote_etag
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiParameter
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from leaderboard.api import problems
from leaderboard.api.idempotency import Deferred
from leaderboard.api.models import Scope
from leaderboard.api.problems import ApiError
from leaderboard.api.serializers import (
    BundleResultSerializer,
    ChecklistSerializer,
    DeadlineSerializer,
    ExtensionSerializer,
    GoldRevisionSerializer,
    WholeGoldRevisionSerializer,
)
from leaderboard.api.views.base import FILE, Endpoint, answers, form, members, value
from leaderboard.organize import gold
from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import (
    CHANGED,
    SentParts,
    apply,
    blockers,
    changed_gold,
    export_bundle,
    sudden_ends,
)
from leaderboard.organize.checklist import remarks
from leaderboard.organize.extensions import extend, take_back
from leaderboard.organize.phase_form import questions_on_end
from leaderboard.organize.phases import move_end_and_admit
from leaderboard.organize.setup_check import (
    NotPublished,
    check_setup,
    publish_checked,
)
from leaderboard.submissions import dispatch
from leaderboard.submissions.gold import check
from leaderboard.submissions.uploads import arrived_at
from leaderboard.tasks.access import EDIT, OWN
from leaderboard.tasks.bundle.create import uploaded_plan
from leaderboard.tasks.bundle.diff import changes, settle_plan
from leaderboard.tasks.forms import BundleForm
from leaderboard.tasks.models import (
    Extension,
    Participation,
    Phase,
    Task,
)
from leaderboard.tasks.phase_rules import edge_of_day
from leaderboard.teams.requests import SignedInCall
from leaderboard.web.attachment import attachment
from scoring.errors import Problem, SetupError
from scoring.options import TRUE
from scoring.sandbox.fork import JobFailed

MAIL = value(
    "boolean", "tell the teams by mail of new ends that may surprise them", default=True
)
BUNDLE = form(
    {"bundle": FILE, "mail": MAIL}, "multipart/form-data", required=["bundle"]
)
DEADLINE = form(
    {
        "closes": value("string", "the new end, with its offset", format="date-time"),
        "note": value("string", "why; public for good"),
        "confirm": value(
            "boolean", "for an end that is earlier, or less than 24 hours away"
        ),
        "mail": {**MAIL, "description": "tell the teams by mail"},
    },
    "application/json",
    required=["closes", "note"],
)
ETAG = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="ETag of the bundle that was edited. Without it nothing is applied, "
    "and the answer lists what would change.",
)
PUBLICATION = form(
    {"few_units": value("boolean", "publish although few units affect the headline")},
    "application/json",
)
PUBLIC_NOTE = value("string", "public once the revision is live")
EXTENSION = form(
    {
        "team": value("string", "its name"),
        "until": value(
            "string",
            "its own end of the phase; null takes the extension back",
            format="date-time",
            nullable=True,
        ),
    },
    "application/json",
    required=["team", "until"],
)
GOLD = form(
    {
        "note": value("string", "for organizers only"),
        "public_note": PUBLIC_NOTE,
    },
    "multipart/form-data",
    description="One part `file_<test set>` for each corrected file.",
)


def bundle_of(request: Request) -> UploadedFile:
    """The part `bundle`. Raises ApiError where it is missing or too large."""
    fields = BundleForm(cast(dict[str, Any], request.data), request.FILES)
    if not fields.is_valid():
        raise problems.invalid(fields)
    bundle: UploadedFile = fields.cleaned_data["bundle"]
    return bundle


class BundleView(Endpoint):
    access = EDIT.signed_in
    scopes = {"GET": Scope.ORGANIZE, "POST": Scope.ORGANIZE}
    parser_classes = [MultiPartParser]

    @answers(None, media_type="application/zip")
    def get(self, request: Request, task: Task) -> HttpResponse:
        """The task as a zip with gold and baselines.

        An unchanged task gives the same bytes every time.
        """
        bundle = export_bundle(task)
        data = bundle.single()
        answer = attachment(bundle.name, data, "application/zip", secret=True)
        answer["ETag"] = quote_etag(bundle.sha256)
        return answer

    @answers(
        BundleResultSerializer,
        200,
        *(400, 412, 413, 422),
        parameters=[ETAG],
        request=BUNDLE,
    )
    def post(self, request: SignedInCall, task: Task) -> dict[str, Any]:
        """List what an edited bundle would change; with If-Match, apply it."""
        bundle = bundle_of(request)
        etags = parse_etags(request.headers.get("If-Match", ""))
        # Weak where the answer was compressed on its way.
        matches = {etag.removeprefix("W/") for etag in etags}
        present = quote_etag(export_bundle(task).sha256)
        changed = ApiError(
            412, CHANGED, "the task was changed meanwhile: fetch its bundle again"
        )
        if matches and matches.isdisjoint({present, "*"}):
            raise changed
        try:
            return _bundle_result(request, task, bundle.read(), bool(matches))
        except SetupError as error:
            if any(problem.code == CHANGED for problem in error.problems):
                raise changed from None
            raise problems.unfit("unfit_bundle", error.problems) from None


def _bundle_result(
    request: SignedInCall, task: Task, data: bytes, applies: bool
) -> dict[str, Any]:
    """The answer on a bundle: what it changes, and whether that was applied.

    Raises SetupError with what stands against it.
    """
    before = whole_plan(task)
    after = settle_plan(
        before, uploaded_plan("bundle.zip", BytesIO(data), request.user)
    )
    sent_parts = SentParts.of(task)
    if against := blockers(sent_parts, before, after):
        raise SetupError(against)
    corrected = changed_gold(before, after)
    result = {
        "applied": applies,
        "changes": [
            {name: str(text) for name, text in asdict(change).items()}
            for change in changes(before, after)
        ],
        "corrected_gold": [name for name in corrected if name in sent_parts.test_sets],
        "sudden_ends": sudden_ends(task, after),
        "unnamed_files": after.strays,
    }
    if applies:
        moment = arrived_at(request._request)
        apply(task, after, request.user, before, moment, _wants_mail(request))
        task.refresh_from_db()
    return {**result, "etag": quote_etag(export_bundle(task).sha256)}


def _wants_mail(request: Request) -> bool:
    """Whether teams are told by mail; they are unless somebody says otherwise."""
    return _is_true(members(request).get("mail", True))


def _is_true(value: object) -> bool:
    return str(value).lower() in TRUE


class PublicationView(Endpoint):
    access = EDIT.signed_in
    scopes = {"GET": Scope.ORGANIZE, "POST": Scope.ORGANIZE}

    @answers(ChecklistSerializer)
    def get(self, request: Request, task: Task) -> dict[str, Any]:
        """Warnings about the task, as far as they can be given without scoring."""
        return {"draft": task.draft, "remarks": remarks(task, None)}

    @answers(ChecklistSerializer, 200, *(409, 422), request=PUBLICATION)
    def post(self, request: Request, task: Task) -> dict[str, Any]:
        """Check the draft and publish it; of a public task only the check is done."""
        if not task.draft:
            return {"draft": False, "remarks": check_setup(task).remarks}
        few_units = _is_true(members(request).get("few_units", ""))
        try:
            check = publish_checked(task, few_units=few_units)
        except NotPublished as refusal:
            if refusal.check is None:
                raise ApiError(409, "changed_meanwhile", str(refusal)) from None
            against = [*refusal.check.blocking, *refusal.check.few]
            unfit = [Problem("unfit_task", text) for text in against]
            raise problems.unfit("unfit_task", unfit) from None
        return {"draft": False, "remarks": check.remarks}


class GoldRevisionsView(Endpoint):
    access = EDIT.signed_in
    scopes = {"GET": Scope.ORGANIZE, "POST": Scope.ORGANIZE}
    refused_as = "cannot_revise"
    parser_classes = [MultiPartParser]

    @answers(GoldRevisionSerializer, many=True)
    def get(self, request: Request, task: Task) -> Sequence[gold.ListedRevision]:
        """Revisions of a task's gold, newest first, without their contents."""
        return gold.list_revisions(task)

    @answers(
        WholeGoldRevisionSerializer,
        201,
        *(400, 409, 413, 422),
        idempotent=True,
        request=GOLD,
    )
    def post(self, request: SignedInCall, task: Task) -> Deferred:
        """Upload corrected gold as a draft under which all submissions are rescored."""
        fields = gold.GoldForm(task, request.data, request.FILES)
        if not fields.is_valid():
            raise problems.invalid(fields)
        corrected = _check_gold(request, task, fields)
        return Deferred(lambda: _propose(corrected))


def _propose(corrected: check.Corrected) -> gold.ListedRevision:
    revision = corrected.propose()
    dispatch.hint_after_commit()
    return _revision_or_404(corrected.task, revision.number)


def _check_gold(
    request: SignedInCall, task: Task, fields: gold.GoldForm
) -> check.Corrected:
    notes = {name: fields.cleaned_data[name] for name in ("note", "public_note")}
    try:
        return check.check_correction(
            task, fields.files_by_test_set(), request.user, **notes
        )
    except check.UnfitGold as unfit:
        raise problems.unfit("unfit_gold", unfit.problems) from None
    except JobFailed:
        message = "the check failed on our side; the operators can see why"
        raise ApiError(503, "check_failed", message) from None


def _revision_or_404(task: Task, number: int) -> gold.ListedRevision:
    for listed in gold.list_revisions(task):
        if listed.revision.number == number:
            return listed
    raise Http404


class OneGoldRevisionView(Endpoint):
    access = EDIT.signed_in
    scopes = {"GET": Scope.ORGANIZE}

    @answers(WholeGoldRevisionSerializer)
    def get(self, request: Request, task: Task, number: int) -> gold.ListedRevision:
        """One revision, and how far rescoring under it has come."""
        return _revision_or_404(task, number)


class ExtensionFields(forms.Form):
    """A team of the task by its name, and its end; no end where it is taken back."""

    team = forms.CharField(label=gettext_lazy("Team"))
    until = forms.CharField(label=gettext_lazy("It may submit until"), required=False)

    def __init__(self, phase: Phase, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        self.phase = phase

    def clean_team(self) -> Participation:
        name = self.cleaned_data["team"]
        entry = self.phase.task.participations.filter(team__name=name).first()
        if entry is None:
            raise ValidationError(_("No team of this name takes part."))
        return entry

    def clean_until(self) -> datetime | None:
        if "until" in self.data and self.data["until"] is None:
            return None
        return _moment(self.cleaned_data["until"], self.phase)


def _moment(text: str, phase: Phase) -> datetime:
    """The end that a program wrote: a time, or a day on the phase's calendar, which
    ends it. Raises ValidationError."""
    try:
        if day := parse_date(text):
            return edge_of_day(day, phase.zone, closing=True)
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        example = "2031-01-01T12:00:00+01:00"
        words = _("Write a time with its offset, as %(example)s, or a day.")
        raise ValidationError(words % {"example": example})
    return moment


class DeadlineFields(forms.Form):
    """The new end of a phase, why, and that it is meant where it may surprise teams."""

    closes = forms.CharField(label=gettext_lazy("New end"))
    note = forms.CharField(label=gettext_lazy("Public note"), max_length=1000)

    def __init__(self, phase: Phase, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        self.phase = phase

    def clean_closes(self) -> datetime:
        return _moment(self.cleaned_data["closes"], self.phase)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        confirmed = _is_true(self.data.get("confirm", ""))
        if self.errors or confirmed or self.phase.task.draft:
            return cleaned
        if end := questions_on_end(self.phase, cleaned["closes"]):
            words = _("%(end)s Send it again with “confirm”: true if that is meant.")
            self.add_error("closes", words % {"end": end})
        return cleaned


class DeadlineView(Endpoint):
    access = EDIT.of_phase.signed_in
    scopes = {"POST": Scope.ORGANIZE}
    refused_as = "cannot_move_end"

    @answers(DeadlineSerializer, 200, *(409, 422), request=DEADLINE)
    def post(self, request: SignedInCall, phase: Phase) -> dict[str, Any]:
        """Move the end of a phase, with a public note.

        An end that is earlier, or less than 24 hours away, has to be confirmed. Late
        submissions are let in as on the page: those that came after the old end, where
        the request came before it.
        """
        fields = DeadlineFields(phase, members(request))
        if not fields.is_valid():
            raise problems.invalid(fields)
        closes, note = (fields.cleaned_data[name] for name in ("closes", "note"))
        try:
            admitted = move_end_and_admit(
                phase,
                closes,
                note,
                request.user,
                expected=phase.closes,
                asked_at=arrived_at(request._request),
                mail=_wants_mail(request),
            )
        except ValidationError as error:
            fields.add_error("closes", error.messages)
            raise problems.invalid(fields) from None
        return {
            "closes": closes,
            "admitted": admitted.number,
            "mailed": admitted.mailed,
        }


class ExtensionsView(Endpoint):
    access = OWN.of_phase.signed_in
    scopes = {"GET": Scope.ORGANIZE, "POST": Scope.ORGANIZE}
    refused_as = "cannot_extend"

    @answers(ExtensionSerializer, many=True)
    def get(self, request: Request, phase: Phase) -> QuerySet[Extension]:
        """Teams with an end of their own in the phase, the earliest first."""
        return phase.extensions.select_related("participation__team")

    @answers(ExtensionSerializer, 200, *(409, 422), many=True, request=EXTENSION)
    def post(self, request: SignedInCall, phase: Phase) -> QuerySet[Extension]:
        """Give a team an end of its own, change it or take it back; all are answered.

        The team gets a mail, and the public log a line that does not name it. Sent
        again, the same does nothing.
        """
        fields = ExtensionFields(phase, members(request))
        if not fields.is_valid():
            raise problems.invalid(fields)
        entry, until = fields.cleaned_data["team"], fields.cleaned_data.get("until")
        if until is not None:
            extend(phase, entry, until, request.user)
        elif given := phase.extensions.filter(participation=entry).first():
            take_back(given, request.user)
        return phase.extensions.select_related("participation__team")
