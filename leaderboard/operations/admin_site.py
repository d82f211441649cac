"""The administration of the site takes no keys that no row can have."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponseBase

AdminView = Callable[..., HttpResponseBase]


def with_keys_checked(admin_view: Callable[..., AdminView]) -> Callable[..., AdminView]:
    """An `admin_view` of Django's site whose actions answer 404 for rows with keys that
    none can have; Django asks the database for them, which fails."""

    @wraps(admin_view)
    def checking(view: AdminView, cacheable: bool = False) -> AdminView:
        inner, owner = admin_view(view, cacheable), getattr(view, "__self__", None)

        @wraps(inner)
        def view_of_rows(
            request: HttpRequest, *args: object, **names: object
        ) -> HttpResponseBase:
            if isinstance(owner, ModelAdmin):
                _check_keys(owner, request.POST.getlist(ACTION_CHECKBOX_NAME))
            return inner(request, *args, **names)

        return view_of_rows

    return checking


def _check_keys(owner: "ModelAdmin[Any]", keys: list[str]) -> None:
    """Raises Http404."""
    try:
        for key in keys:
            owner.model._meta.pk.clean(key, None)
    except ValidationError:
        raise Http404 from None
