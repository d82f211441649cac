"""Hidden inputs of test sets: what code reads, kept with the task and in its bundle."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from hashlib import sha256
from typing import ClassVar

from django.utils.translation import gettext as _
from pydantic import FieldSerializationInfo, field_serializer

from leaderboard.extension import blobs
from leaderboard.extension.bundles import BundlePart, File, PlainName
from leaderboard.extension.models import GoldFile, Task, TestSet
from leaderboard.extras.code.models import HiddenInput
from scoring.errors import Problem, SetupError
from scoring.formats.bundle import is_zip, unpack, zip_files
from scoring.source import Source


class HiddenInputPlan(BundlePart):
    """The input of one test set, which `name` is."""

    row: ClassVar[type[HiddenInput]] = HiddenInput
    name: PlainName
    file: File

    @field_serializer("file")
    def _path(self, source: Source, info: FieldSerializationInfo) -> str:
        path = info.context.put(f"hidden_input/{self.name}", source)  # type: ignore[union-attr]
        return str(path)

    def fields(self) -> dict[str, object]:
        return {"name": self.name, "file": self.file.name, "sha256": self.file.sha256}

    def is_of(self, test_set: str) -> bool:
        return self.name == test_set

    def for_everybody(self, phases: AbstractSet[str]) -> None:
        """Nothing, as nobody else may ever read a hidden input."""


def give(test_set: TestSet, source: Source) -> None:
    """Make a file the hidden input of a test set. A zip is stored as bundles give it
    back. Raises SetupError for the gold, and Refused for a zip that is not plain."""
    files = unpack(source) if is_zip(source) else source.files
    if is_zip(source):
        stem = source.name.removesuffix(".zip")
        source = zip_files(f"{stem}.zip", files)
    data = source.single()
    digests = {sha256(content).hexdigest() for content in (data, *files.values())}
    if GoldFile.objects.filter(test_set=test_set, sha256__in=digests).exists():
        message = _("this is the gold of the test set: code would read the answers")
        raise SetupError(Problem("gold_as_input", message, source.name))
    values = {"name": source.name, "sha256": blobs.keep(data), "size": len(data)}
    HiddenInput.objects.update_or_create(test_set=test_set, defaults=values)


def plans_of(task: Task) -> list[HiddenInputPlan]:
    rows = HiddenInput.objects.filter(test_set__task=task).select_related("test_set")
    return [
        HiddenInputPlan.model_construct(
            name=row.test_set.name,
            file=Source.of_bytes(row.name, blobs.read(row.sha256)),
        )
        for row in rows.order_by("test_set__position", "test_set__pk")
    ]


def write(task: Task, plans: Sequence[HiddenInputPlan]) -> None:
    """Make the hidden inputs of a task those of a bundle. Raises SetupError for one of
    a test set that is not there."""
    test_sets = {test_set.name: test_set for test_set in task.test_sets.all()}
    rows = HiddenInput.objects.filter(test_set__task=task).select_related("test_set")
    there = {row.test_set.name: row for row in rows}
    for name in there.keys() - {plan.name for plan in plans}:
        there[name].delete()
    for plan in plans:
        if plan.name not in test_sets:
            message = _("hidden_inputs: there is no test set '%(name)s' in this task")
            raise SetupError(Problem("manifest", message % {"name": plan.name}))
        row = there.get(plan.name)
        if row is None or (row.name, row.sha256) != (plan.file.name, plan.file.sha256):
            give(test_sets[plan.name], plan.file)
