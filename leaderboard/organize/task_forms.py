"""What a task says of itself."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from leaderboard.organize.seen import ShowsValues
from leaderboard.tasks.bundle import RESERVED
from leaderboard.tasks.current import plain_text
from leaderboard.tasks.models import Task


class TaskForm(ShowsValues, forms.ModelForm):  # type: ignore[type-arg]
    """Its texts and labels; who may enter it is a matter of the people page."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.shows(self.initial)

    class Meta:
        model = Task
        fields: tuple[str, ...] = (
            "title",
            "summary",
            "description",
            "synthetic",
            "allows_anonymous",
            "prizes",
            "margin",
        )
        labels = {
            "title": _("Title"),
            "slug": _("Address"),
            "summary": _("Summary"),
            "description": _("Description"),
            "synthetic": _("The data are synthetic"),
            "allows_anonymous": _("Teams may stay anonymous"),
            "prizes": _("Prize places"),
            "margin": _("Margin of equivalence"),
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
            "margin": _(
                "In points of the headline measure, as 0.5: differences that do not "
                "matter, decided before you see scores. Comparisons then say which "
                "systems are equivalent within it. "
                "Empty for none."
            ),
        }
        error_messages = {"slug": {"unique": _("Another task has this address.")}}
        widgets = {
            "description": forms.Textarea(attrs={"rows": 14}),
            "margin": forms.NumberInput(attrs={"step": "any"}),
        }

    def clean_description(self) -> str:
        return plain_text(self.cleaned_data["description"])

    def save(self, commit: bool = True) -> Task:
        """Save what the form asks and nothing else."""
        task: Task = self.instance
        task.save(update_fields=self.Meta.fields)
        return task

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
