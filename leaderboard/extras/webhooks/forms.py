"""The form of a new webhook, on the page and in the API."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboard.extras.webhooks import signatures, ssrf
from leaderboard.extras.webhooks.models import EventKind, Webhook
from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import listed_tasks
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal

MOST_PER_PERSON = 10


class TooManyWebhooks(Refusal):
    """The person has as many webhooks as one may have."""

    code = "too_many_webhooks"


class TaskField(forms.ModelChoiceField):
    """A task by its slug; programs may send anything in its place."""

    def to_python(self, value: Any) -> Any:
        slug = isinstance(value, str) and "\0" not in value
        if value not in self.empty_values and not (slug or isinstance(value, Task)):
            raise forms.ValidationError(
                self.error_messages["invalid_choice"],
                code="invalid_choice",
                params={"value": value},
            )
        return super().to_python(value)


class WebhookForm(forms.Form):
    """`task`, where it is given, is the only one that the webhook may be for."""

    url = forms.CharField(
        max_length=ssrf.LONGEST,
        label=_("Address"),
        help_text=_("Begins with https:// and answers POST with 200 or 204."),
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
    events = forms.MultipleChoiceField(
        choices=EventKind.choices,
        label=_("What it is told of"),
        widget=forms.CheckboxSelectMultiple,
    )
    task = TaskField(
        Task.objects.none(),
        to_field_name="slug",
        required=False,
        label=_("Task"),
        empty_label=_("all tasks that I take part in or organize"),
        help_text=_(
            "Of a task that you organize it is told of the submissions of every team."
        ),
    )

    def __init__(
        self, user: User, *args: Any, only: Task | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        tasks = listed_tasks(user).order_by("title")
        if only is not None:
            tasks = tasks.filter(pk=only.pk)
            self.fields["task"].required = True
        self.fields["task"].queryset = tasks  # type: ignore[attr-defined]

    def clean_url(self) -> str:
        text = str(self.cleaned_data["url"])
        try:
            ssrf.require_outside(ssrf.parsed(text))
        except ssrf.NotAllowed as reason:
            raise forms.ValidationError(str(reason)) from None
        return text

    def save(self) -> Webhook:
        """Raises TooManyWebhooks."""
        if Webhook.objects.filter(user=self.user).count() >= MOST_PER_PERSON:
            message = _("You may have %(most)s webhooks: delete one first.")
            raise TooManyWebhooks(message % {"most": MOST_PER_PERSON})
        data = self.cleaned_data
        events = [name for name in EventKind.values if name in data["events"]]
        hook = Webhook(
            user=self.user, url=data["url"], task=data["task"], events=events
        )
        signatures.seal(hook)
        hook.save()
        return hook
