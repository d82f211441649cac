"""What organizers fill in about people."""

import re
from typing import Any

from django import forms
from django.core.validators import DomainNameValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.organize.seen import ShowsValues
from leaderboard.tasks.models import Organizer, Participation, Task

REASON_LENGTH = 500
MOST_DOMAINS = 200


class ReasonForm(forms.Form):
    """Why a decision was taken; needed for some."""

    reason = forms.CharField(
        max_length=REASON_LENGTH,
        required=False,
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy(
            "The team is shown it, by mail too, and its answer comes to your address. "
            "The public is not shown it."
        ),
    )


class RulesForm(ShowsValues, forms.ModelForm):
    """Who may enter: admission, and mail domains one per line."""

    domains = forms.CharField(
        required=False,
        label=gettext_lazy("Allowed mail domains"),
        help_text=gettext_lazy(
            "One per line, as in example.org; what lies below it is allowed too. Empty "
            "allows every address. Teams that are in already stay."
        ),
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
    )

    class Meta:
        model = Task
        fields = ("entry",)
        labels = {"entry": gettext_lazy("Who may take part")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["domains"] = "\n".join(self.instance.mail_domains)
        self.shows(self.initial)

    def clean_domains(self) -> list[str]:
        written = re.split(r"[\s,;]+", self.cleaned_data["domains"])
        found = dict.fromkeys(one.lstrip("@").lower() for one in written if one)
        if len(found) > MOST_DOMAINS:
            raise forms.ValidationError(
                _("At most %(n)s domains.") % {"n": MOST_DOMAINS}
            )
        check = DomainNameValidator()
        for domain in found:
            try:
                check(domain)
            except forms.ValidationError:
                words = _("“%(domain)s” is no mail domain; write it as in example.org.")
                raise forms.ValidationError(words % {"domain": domain}) from None
        return list(found)

    def save(self, commit: bool = True) -> Task:
        self.instance.mail_domains = self.cleaned_data["domains"]
        self.instance.save(update_fields=["entry", "mail_domains"])
        return self.instance


class InvitationForm(forms.Form):
    email = forms.EmailField(
        label=gettext_lazy("Mail address"),
        help_text=gettext_lazy(
            "Of an account here, or of one that is still to be made with it."
        ),
    )
    role = forms.ChoiceField(
        choices=Organizer.Role.choices,
        initial=Organizer.Role.EDITOR,
        label=gettext_lazy("Role"),
    )


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Organizer.Role.choices, label=gettext_lazy("Role"))


class MergeForm(forms.Form):
    """Two active teams of the task, and why when they have not agreed."""

    stays = forms.ModelChoiceField(
        Participation.objects.none(), label=gettext_lazy("Team that stays")
    )
    leaves = forms.ModelChoiceField(
        Participation.objects.none(), label=gettext_lazy("Team that goes into it")
    )
    why = forms.CharField(
        max_length=REASON_LENGTH,
        required=False,
        label=gettext_lazy("Why, if not both teams have agreed"),
    )

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        active = (
            Participation.objects.filter(task=task, status=Participation.Status.ACTIVE)
            .select_related("team")
            .order_by("team__name")
        )
        for name in ("stays", "leaves"):
            field: Any = self.fields[name]
            field.queryset = active
            field.label_from_instance = lambda entry: str(entry.team)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("stays") and cleaned.get("stays") == cleaned.get("leaves"):
            self.add_error("leaves", _("Choose two different teams."))
        return cleaned
