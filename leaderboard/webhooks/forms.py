"""The form of a new webhook, on the page and in the API."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboard.api.models import HookEvent, Webhook
from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import visible_tasks
from leaderboard.teams.models import User
from leaderboard.webhooks import addresses, signing

MOST_PER_PERSON = 10


class TooManyWebhooks(Exception):
    """The person has as many webhooks as one may have."""


class TaskField(forms.ModelChoiceField):
    """A task by its slug; programs may send anything in its place."""

    def to_python(self, value: Any) -> Any:
        if value not in self.empty_values and not _is_slug(value):
            raise self._invalid(value)
        return super().to_python(value)

    def _invalid(self, value: Any) -> forms.ValidationError:
        said = self.error_messages["invalid_choice"]
        return forms.ValidationError(
            said, code="invalid_choice", params={"value": value}
        )


def _is_slug(value: Any) -> bool:
    return isinstance(value, Task) or (isinstance(value, str) and "\0" not in value)


class WebhookForm(forms.Form):
    """`task`, where it is given, is the only one that the webhook may be for."""

    url = forms.CharField(
        max_length=addresses.LONGEST,
        label=_("Address"),
        help_text=_("Begins with https:// and answers POST with 200 or 204."),
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
    events = forms.MultipleChoiceField(
        choices=HookEvent.choices,
        label=_("What it is told of"),
        widget=forms.CheckboxSelectMultiple,
    )
    task = TaskField(
        Task.objects.none(),
        to_field_name="slug",
        required=False,
        label=_("Task"),
        empty_label=_("all that I take part in or organize"),
        help_text=_(
            "Of a task that you organize it is told of the submissions of every team."
        ),
    )

    def __init__(
        self, user: User, *args: Any, only: Task | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        tasks = visible_tasks(user).order_by("title")
        if only is not None:
            tasks = tasks.filter(pk=only.pk)
            self.fields["task"].required = True
        self.fields["task"].queryset = tasks  # type: ignore[attr-defined]

    def clean_url(self) -> str:
        text = str(self.cleaned_data["url"])
        try:
            addresses.require_outside(addresses.parsed(text))
        except addresses.NotAllowed as reason:
            raise forms.ValidationError(str(reason)) from None
        return text

    def made(self, user: User) -> Webhook:
        """Raises TooManyWebhooks."""
        if Webhook.objects.filter(user=user).count() >= MOST_PER_PERSON:
            raise TooManyWebhooks
        data = self.cleaned_data
        hook = Webhook(
            user=user,
            url=data["url"],
            task=data["task"],
            events=[one.value for one in HookEvent if one in data["events"]],
        )
        signing.seal(hook)
        hook.save()
        return hook
