"""Errors as problem documents (RFC 9457): one form for everything that went wrong."""

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import BaseForm
from django.urls import reverse
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from leaderboard.teams.refusal import Refusal
from leaderboard.web.forms import CUT, refused_status
from scoring import Problem
from scoring.diagnosis.refused_file import PREFIX
from scoring.source import brief

# What Django and REST framework say where nobody gave a reason.
WITHOUT_REASON = re.compile(r"^Not found\.$|matches the given query\.$")
# What names in addresses are names of.
NOUNS = {"slug": "task", "pk": "number", "start": "snapshot"}
MEDIA_TYPE = "application/problem+json"
NOTHING = "There is nothing here, or not for you."
# What programs may rely on; the page of the API explains each.
CODES: Mapping[str, str] = {
    "not_authenticated": "Nobody is signed in and no token was sent.",
    "bad_token": "The token is unknown, expired or revoked.",
    "scope_missing": "The token is good for less than this.",
    "permission_denied": "A cookie was sent without its CSRF token.",
    "not_found": NOTHING,
    "method_not_allowed": "The address does not take this method; see Allow.",
    "not_acceptable": "The address has no such form; JSON is spoken here.",
    "unsupported_media_type": "The body has another form than the address takes.",
    "parse_error": "The body is not what its media type says.",
    "body_incomplete": "The request ended before its body was whole; send it again.",
    "throttled": "Too many requests; see Retry-After.",
    "invalid": "Fields of the form are wrong; `errors` names them.",
    "too_large": "A file is larger than the limit; `errors` names it.",
    "unfit": "A file cannot be scored; `problems` has file, line and column.",
    "unfit_gold": "Corrected gold cannot be used; `problems` says why.",
    "unfit_bundle": "A bundle cannot be used; `problems` says why.",
    "check_failed": "The check failed on our side; nothing was stored.",
    "busy": "Too many files wait to be checked; see Retry-After.",
    "not_open": "The phase does not take submissions now.",
    "paused": "The organizers have paused the phase.",
    "not_taking_part": "The team does not take part (any more).",
    "not_chosen": "In this phase only some teams or people submit.",
    "quota_used": "The attempts of the day are used; `next_at` is when to return.",
    "total_used": "The attempts of the phase are used.",
    "refused_too_often": "Too many files failed the check today.",
    "too_many_late": "Too many files came late today.",
    "not_decided": "What was asked for is not possible in this state.",
    "cannot_join": "The team cannot enter the task.",
    "cannot_extend": "The team cannot be given more time, or it cannot be taken back.",
    "cannot_revise": "The gold cannot be revised now.",
    "changed_meanwhile": "The task is not as If-Match says; fetch it again.",
    "doubtful": "What was answered says nothing; only the upload page asks.",
    "same_files": "The team sent the same files before; only the upload page asks.",
    "may_not_create_tasks": "The site lets this person create no tasks yet.",
    "too_many_today": "It was done as often today as one may.",
    "too_many_bundles": "The person sent as many bundles today as one may.",
    "organizer_quota": "The task's owner has as much as the site allows.",
    "key_reused": "The Idempotency-Key was sent with another request.",
    "too_many_tokens": "The person has as many tokens as one may have.",
    "our_fault": "Something broke on our side; operators can see it in the log.",
    "unavailable": "The site cannot reach its data; see Retry-After.",
    "not_computed": "The board is being computed; see Retry-After.",
    "file_missing": "A stored file is gone or damaged; the log says which.",
    "no_room": "The disk of the server is full; see Retry-After.",
}


class ApiError(exceptions.APIException):
    """A refusal with one of CODES; `more` are further members of its document."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        wait: int | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail, code)
        self.status_code, self.code, self.more = status, code, more
        if wait is not None:
            self.wait = wait  # becomes Retry-After


def document(status: int, code: str, detail: str, **more: Any) -> dict[str, Any]:
    return {
        "type": f"{reverse('api-docs')}#{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        **more,
    }


def unfit(code: str, problems: Iterable[Problem]) -> ApiError:
    """422 with format problems, each with its place, and what is wrong with whole
    files."""
    both = [problem.as_dict() for problem in problems]
    whole = [problem for problem in both if problem["code"].startswith(PREFIX)]
    listed = [problem for problem in both if problem not in whole]
    count = f"{len(listed)} problem{'s' * (len(listed) != 1)}, first: "
    detail = whole[0]["message"] if whole else count + listed[0]["message"]
    return ApiError(422, code, detail, diagnoses=whole, problems=listed)


def invalid(form: BaseForm) -> ApiError:
    """The errors of a form's fields, in Django's words."""
    errors, status = form.errors.get_json_data(), refused_status(form)
    code = CUT if status == 413 else "invalid"
    field, details = next(iter(errors.items()))
    message = details[0]["message"]
    detail = message if field == NON_FIELD_ERRORS else f"{field}: {message}"
    return ApiError(status, code, detail, errors=errors)


def _nothing_at(names: Mapping[str, object]) -> str:
    """A sentence on the names in an address; whether nothing has them, or the reader
    may not see what has, is not told."""
    if "rest" in names:
        return f"The API has no address “{brief(str(names['rest']))}”; see /api/docs/."
    of_all = (f"{NOUNS.get(n, n)} “{brief(str(x))}”" for n, x in names.items())
    listed = ", ".join(of_all)
    return f"Nothing is at {listed}, or it is not for you." if listed else NOTHING


def handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turns refusals, and all that REST framework answers, into problem documents."""
    if isinstance(error, Refusal):
        code = context["view"].refused_as
        error = (
            ApiError(409, code, str(error))
            if code
            else ApiError(
                error.status, error.code, error.sentence, wait=error.retry_seconds
            )
        )
    answer = exception_handler(error, context)
    if answer is None:
        return None
    more = {}
    if isinstance(error, ApiError):
        code, more = error.code, error.more
    elif isinstance(error, exceptions.APIException):
        codes = error.get_codes()
        code = codes if isinstance(codes, str) else "invalid"
    else:
        code = "not_found"  # Django's own Http404
    data = answer.data
    detail = data.get("detail") if isinstance(data, dict) else None
    if code == "not_found" and WITHOUT_REASON.search(str(detail)):
        detail = _nothing_at(context.get("kwargs") or {})
    if isinstance(error, exceptions.UnsupportedMediaType):
        taken = " or ".join(p.media_type for p in context["view"].parser_classes)
        detail = f"{detail} Send the body as {taken}."
    answer.data = document(answer.status_code, code, str(detail or data), **more)
    answer.content_type = MEDIA_TYPE
    return answer
