"""Forms as the site prints them."""

from django.forms.renderers import DjangoTemplates
from django.http import HttpRequest


class UncutTexts(DjangoTemplates):
    """The renderer of fields that take a text of any length and leave it to the server
    to refuse one that is too long.

    With `maxlength` browsers cut what is pasted, and say nothing.
    """

    def render(
        self,
        template_name: str,
        context: dict[str, dict[str, dict[str, object]]],
        request: HttpRequest | None = None,
    ) -> str:
        if "widget" in context:
            context["widget"]["attrs"].pop("maxlength", None)
        return super().render(template_name, context, request)
