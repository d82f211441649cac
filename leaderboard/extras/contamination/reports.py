"""Making a report: the comparison is a job of the sandbox, and its answer is kept."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extras.contamination.canary import canary_of
from leaderboard.extras.contamination.models import OverlapReport
from leaderboard.sandbox import client
from leaderboard.sandbox.codec import Request
from leaderboard.sandbox.fork import JobFailed
from leaderboard.submissions.accept import OUR_FAULT
from leaderboard.submissions.uploads import source_of
from leaderboard.tasks.models import GoldFile, Task, TestSet
from leaderboard.tasks.models.task import raw_options
from leaderboard.teams.models import User
from scoring.errors import Refused
from scoring.source import Source

LONGEST_NAME = 200
COLUMNS = (
    "unit",
    "found",
    "near",
    "near_share",
    "share",
    "twin",
    "twin_share",
)


class OverlapForm(forms.Form):
    """A test set, and texts to compare it with."""

    test_set = forms.ModelChoiceField(
        TestSet.objects.none(), label=gettext_lazy("Test set"), empty_label=None
    )
    texts = forms.FileField(
        required=False,
        label=gettext_lazy("Texts"),
        help_text=gettext_lazy(
            "A text file, JSON Lines, JSON, CSV or TSV, or a zip of such. They are "
            "not kept. Without a file only the test set is compared with itself."
        ),
    )
    order = forms.IntegerField(
        label=gettext_lazy("Words of an n-gram"),
        help_text=gettext_lazy("13 is what most papers count."),
        initial=13,
        min_value=5,
        max_value=50,
    )

    def __init__(
        self, task: Task, *args: Any, too_large: Sequence[str] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.task, self.too_large = task, too_large
        field: Any = self.fields["test_set"]
        field.queryset = task.test_sets.all()
        field.label_from_instance = lambda one: one.title or one.name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "texts" in self.too_large:
            self.errors.pop("texts", None)
            self.add_error("texts", _("This file is larger than the limit."))
        return cleaned

    def report(self, by: User) -> OverlapReport:
        """Raises Refused and QueueFull."""
        given = self.cleaned_data
        file = given["texts"]
        texts = source_of(file, "texts.txt") if file else None
        return made(self.task, given["test_set"], texts, given["order"], by)


def made(
    task: Task, test_set: TestSet, texts: Source | None, order: int, by: User | None
) -> OverlapReport:
    """Compare the live gold of a test set with texts, and keep what was found.

    The oldest reports of the task go. Raises Refused and QueueFull.
    """
    live = task.gold_revisions.live()
    gold = GoldFile.objects.get(revision=live, test_set=test_set)
    request = Request.scoring(task.scorer_name, raw_options(task.options), order=order)
    request.values["canary"] = canary_of(task)
    request.add(test_set.blind(), gold.source())
    request.name("texts", {texts.name: texts} if texts else {})
    try:
        answer, _files = client.run("overlap", request)
    except JobFailed:
        raise Refused([OUR_FAULT]) from None
    report = OverlapReport.objects.create(
        task=task,
        test_set=test_set,
        gold_sha256=gold.sha256,
        texts=texts.name[:LONGEST_NAME] if texts else "",
        texts_sha256=sha256(texts.single()).hexdigest() if texts else "",
        order=order,
        by=by,
        **{name: answer[name] for name in ("counted", "lines", "canaries")},
    )
    kept = OverlapReport.objects.filter(task=task).values_list("pk", flat=True)
    old = list(kept[OverlapReport.KEPT :])
    OverlapReport.objects.filter(pk__in=old).delete()
    return report


def table(report: OverlapReport) -> list[list[Any]]:
    """The units of a report as rows, its columns first."""
    rows = ([line.get(name) for name in COLUMNS] for line in report.lines)
    return [list(COLUMNS), *rows]
