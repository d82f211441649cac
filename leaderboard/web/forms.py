"""Pages with a form: what was posted, and the answer that shows it again."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Model
from django.forms import BaseForm, FileField, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

CUT = "too_large"
form_page = require_http_methods(["GET", "HEAD", "POST"])


class CutFile(UploadedFile):
    """A file that was larger than the site takes: its bytes were not kept."""


class UploadField(FileField):
    """A file, refused where it was larger than the site takes: without its bytes it
    would be passed over as one that was not sent."""

    def to_python(self, data: Any) -> Any:
        if isinstance(data, CutFile):
            text = _("This file is larger than the limit of %(most)s.")
            most = filesizeformat(settings.UPLOAD_BYTES)
            raise ValidationError(text % {"most": most}, CUT)
        return super().to_python(data)


def refused_status(form: BaseForm) -> int:
    """The HTTP status of a form with errors: 413 where a file was too large."""
    errors = (error for field in form.errors.as_data().values() for error in field)
    return 413 if any(error.code == CUT for error in errors) else 422


def posted_data(request: HttpRequest) -> tuple[Any, Any]:
    """The data and files of a form that was sent, for its constructor."""
    return (request.POST, request.FILES) if request.method == "POST" else (None, None)


def posted_key(request: HttpRequest, name: str) -> int:
    """The key of a row that a button sends; 0, which no row has, for anything else."""
    text = request.POST.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 19 else 0


def longest(model: type[Model], name: str) -> int | None:
    """The most characters that a field of a model takes; None for any number."""
    return getattr(model._meta.get_field(name), "max_length", None)


def form_response(
    request: HttpRequest, template: str, context: Mapping[str, Any]
) -> HttpResponse:
    """The page of a form: 422 where a form of the context, or what it asks, is refused.

    The context says the latter with `problems` or `refused`; `problems` of the forms
    are put into it.
    """
    forms = [value for value in context.values() if isinstance(value, BaseForm)]
    problems = [problem for form in forms for problem in getattr(form, "problems", ())]
    context = {"problems": problems, **context}
    refused = context["problems"] or context.get("refused")
    status = 422 if refused or any(form.errors for form in forms) else 200
    return render(request, template, context, status=status)
