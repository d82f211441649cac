"""A test set: its name, its gold, and its blind file if there is one already."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboard.organize.gold_trial import Given
from leaderboard.organize.seen import ShowsValues
from leaderboard.submissions.checking import source_of
from leaderboard.tasks.models import TestSet
from leaderboard.tasks.plans import TestSetPlan


class TestSetForm(forms.Form):
    """Adds a test set; `known` are the names that are taken."""

    title = forms.CharField(max_length=120, label=_("Title"))
    name = forms.SlugField(
        max_length=60,
        label=_("Name"),
        help_text=_("For addresses and files: small letters, digits and hyphens."),
    )
    gold = forms.FileField(
        label=_("Gold"),
        help_text=_("The answers: one file, or a zip of several. Never published."),
    )
    blind = forms.FileField(
        required=False,
        label=_("Blind file"),
        help_text=_("What participants get. Made from the gold if you give none."),
    )
    position = forms.IntegerField(
        min_value=0,
        max_value=1000,
        label=_("Place"),
        help_text=_("The order; it also fixes the draws of the intervals."),
    )

    def __init__(self, known: dict[str, int], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.known = known
        self.initial.setdefault("position", max(known.values(), default=-1) + 1)

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if name in self.known:
            raise forms.ValidationError(_("There is a test set of this name."))
        return name

    def clean_position(self) -> int:
        place = int(self.cleaned_data["position"])
        if place in self.known.values():
            raise forms.ValidationError(_("Another test set has this place."))
        return place

    def given(self) -> Given:
        found = self.cleaned_data
        blind = found["blind"]
        return Given(
            found["name"],
            found["title"],
            found["position"],
            source_of(found["gold"], found["name"]),
            source_of(blind, found["name"]) if blind else None,
        )


class ChangeTestSetForm(ShowsValues, TestSetForm):
    """Changes a test set; its name stays, and files that are not given.

    Once files were sent for it (`kept`), its blind file and its place stay too.
    """

    field_order = ("title", "gold", "blind", "position")

    def __init__(
        self, plan: TestSetPlan, known: dict[str, int], *args: Any, **kwargs: Any
    ) -> None:
        kept = kwargs.pop("kept", False)
        others = {name: place for name, place in known.items() if name != plan.name}
        super().__init__(others, *args, **kwargs)
        self.plan = plan
        del self.fields["name"]
        self.fields["gold"].required = False
        now = {"gold": plan.gold.name, "blind": plan.blind.name}
        for name, file in now.items():
            self.fields[name].help_text = _("Now: %s. A new file replaces it.") % file
        if kept:
            del self.fields["blind"]
            self.fields["position"].disabled = True
        self.initial.update(title=plan.title, position=plan.position)
        self.shows([plan.title, plan.position, plan.gold.sha256, plan.blind.sha256])

    def given(self) -> Given | None:
        """What to try; None where only title or place change."""
        found = self.cleaned_data
        gold, blind = found["gold"], found.get("blind")
        if not gold and not blind:
            return None
        name = self.plan.name
        return Given(
            name,
            found["title"],
            found["position"],
            source_of(gold, name) if gold else self.plan.gold,
            source_of(blind, name) if blind else None,
        )


def places(test_sets: Any) -> dict[str, int]:
    found: list[TestSet] = list(test_sets)
    return {test_set.name: test_set.position for test_set in found}
