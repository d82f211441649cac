"""Common ground of the API's views: scopes, headers, and one declaration of answers."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar

from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import is_valid_path
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from leaderboard.api.idempotency import Deferred, once
from leaderboard.api.models import Scope, Token
from leaderboard.api.problems import MEDIA_TYPE
from leaderboard.api.serializers import ProblemSerializer
from leaderboard.web.access import ANYBODY, Access, Names

Method = Callable[..., Any]
FILE = {"type": "string", "format": "binary"}
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Repeating the request with the same key gets the first answer.",
)


class Endpoint(APIView):
    """Base of all views of the API. `scopes` by method, READ for the others.

    `access` says who may, as the decorator of that name does for pages; whoever sends
    something has to be signed in anyway. `any_task`: not for tokens of one task.
    `refused_as`: the code of a Refusal; without it, the refusal's own.
    """

    access: ClassVar[Access]
    scopes: ClassVar[Mapping[str, Scope]] = {}
    any_task: ClassVar[bool] = False
    refused_as: ClassVar[str] = ""

    def scope_of(self, method: str) -> Scope:
        return self.scopes.get("GET" if method == "HEAD" else method, Scope.READ)

    def arguments(self, request: Request, names: Names) -> Names:
        """Rows that the address names, if this reader with this token may have them."""
        rows = self.access.find(request.user, **names)
        row = rows.get("submission") or rows.get("hook")
        if row is not None:
            task_id = row.phase.task_id if "submission" in rows else row.task_id
            self.require_task(request, task_id)
        return rows

    @staticmethod
    def require_task(request: Request, task_id: int) -> None:
        """Raises Http404 where the token of the request is for another task."""
        if isinstance(request.auth, Token) and not request.auth.is_for(task_id):
            raise Http404

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        answer = super().finalize_response(request, response, *args, **kwargs)
        for name, value in getattr(request, "rate_headers", {}).items():
            answer[name] = value
        # What one reader is shown is no matter of another's.
        answer.headers.setdefault("Cache-Control", "private, no-cache")
        answer.headers["Vary"] = "Accept, Authorization, Cookie, Accept-Language"
        return answer

    def serialize(
        self,
        serializer: type[BaseSerializer],
        result: Any,
        status: int = 200,
        *,
        many: bool = False,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        context = {"request": self.request, "view": self}
        data = serializer(result, many=many, context=context).data
        return Response(data, status, headers=headers)


def answers(
    serializer: type[BaseSerializer] | None,
    status: int = 200,
    *refusals: int,
    many: bool = False,
    media_type: str = "",
    idempotent: bool = False,
    **schema: Any,
) -> Callable[[Method], Method]:
    """Declares how a method of an Endpoint answers, in the schema and in fact.

    What the method returns goes out through the serializer that describes it, unless
    it is a response already; files have a `media_type` in its place. `refusals` are
    statuses of problem documents beside those that every address may answer. What it
    does later (`Deferred`) is answered likewise; only an `idempotent` method does all
    that it creates so, and is not done twice under one Idempotency-Key.
    """
    if idempotent:
        schema["parameters"] = [IDEMPOTENCY_KEY, *schema.get("parameters", ())]

    def decorate(method: Method) -> Method:
        @wraps(method)
        def answer(view: Endpoint, request: Request, **names: Any) -> Any:
            result = method(view, request, **view.arguments(request, names))
            if isinstance(result, Deferred):
                return Deferred(lambda: response(view, result.act()))
            return response(view, result)

        def response(view: Endpoint, result: Any) -> HttpResponseBase:
            if serializer is None or isinstance(result, HttpResponseBase):
                return result
            return view.serialize(serializer, result, status, many=many)

        described: dict[Any, Any] = {(status, media_type): FILE}
        if not media_type:
            described = {status: serializer and serializer(many=many)}
        responses = {**described, **_problems(*refusals)}
        declared = extend_schema(responses=responses, **schema)(answer)
        return once(declared) if idempotent else declared

    return decorate


def _problems(*statuses: int) -> dict[Any, Any]:
    everywhere = {401, 403, 404, 405, 406, 415, 429, 500, 503, 507}
    return {
        (status, MEDIA_TYPE): OpenApiResponse(ProblemSerializer)
        for status in sorted({*everywhere, *statuses})
    }


def members(request: Request) -> dict[str, Any]:
    """The values that were sent, by name; none where the JSON is no object."""
    return request.data if isinstance(request.data, dict) else {}


def value(kind: str, about: str, **more: Any) -> dict[str, Any]:
    """A member of a body, for the schema."""
    return {"type": kind, **more, "description": about}


def form(
    properties: Mapping[str, Any], *media_types: str, **more: Any
) -> dict[str, Any]:
    """The body that a method takes in any of these forms, for the schema."""
    body = {"type": "object", "properties": properties, **more}
    return dict.fromkeys(media_types, body)


class NotFoundView(Endpoint):
    """Every address below /api/ that is none, so that errors have one form."""

    access = ANYBODY
    schema = None
    http_method_names = ["get", "head", "post", "put", "patch", "delete", "options"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise Http404

    def get(self, request: Request, rest: str) -> Response:
        raise Http404

    post = put = patch = delete = get

    def dispatch(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """A reader who forgot the last slash is led on, as on the pages."""
        if request.method in ("GET", "HEAD") and not request.path_info.endswith("/"):
            match = is_valid_path(f"{request.path_info}/")
            if match and match.url_name != "api-nothing":
                address = request.get_full_path(force_append_slash=True)
                return HttpResponseRedirect(address)
        return super().dispatch(request, *args, **kwargs)
