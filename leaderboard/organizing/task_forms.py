"""What a task says of itself."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks.bundle import RESERVED
from leaderboard.tasks.current import plain_text
from leaderboard.tasks.models import Task


class TaskForm(forms.ModelForm):  # type: ignore[type-arg]
    """Its texts and labels; who may enter it is a matter of the people page."""

    class Meta:
        model = Task
        fields: tuple[str, ...] = (
            "title", "summary", "description", "synthetic", "allows_anonymous",
            "prizes",
        )  # fmt: skip
        labels = {
            "title": _("Title"),
            "slug": _("Address"),
            "summary": _("Summary"),
            "description": _("Description"),
            "synthetic": _("The data are synthetic"),
            "allows_anonymous": _("Teams may stay anonymous"),
            "prizes": _("Prize places"),
        }
        help_texts = {
            "slug": _("Small letters, digits and hyphens: /tasks/your-address/"),
            "summary": _("One sentence for the front page."),
            "description": _(
                "What to predict, from which data, and the rules. Markdown; HTML is "
                "not kept."
            ),
            "synthetic": _("A label says so wherever scores are shown."),
            "prizes": _("How many first places win something; 0 for none."),
        }
        error_messages = {"slug": {"unique": _("Another task has this address.")}}
        widgets = {"description": forms.Textarea(attrs={"rows": 14})}

    def clean_description(self) -> str:
        return plain_text(self.cleaned_data["description"])

    @property
    def texts(self) -> dict[str, Any]:
        """Values of a plan."""
        return {name: self.cleaned_data[name] for name in self.Meta.fields}


class NewTaskForm(TaskForm):
    """The same for a task that is not there yet."""

    class Meta(TaskForm.Meta):
        fields = ("title", "slug", *TaskForm.Meta.fields[1:])

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if slug in RESERVED:
            raise ValidationError(_("This word is an address of the site itself."))
        return slug
