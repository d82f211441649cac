"""Archives of tasks with separate test sets, and of those that people judge."""

import io
import zipfile
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.extras.archive.contents import ArchiveOptions, write
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from tests.extras.judgements.judged import judge, table
from tests.leaderboard.judged import entry_of, judged_task, sent
from tests.leaderboard.test_separate_test_sets import three_sent
from tests.organize.disclosing import revealed

pytestmark = pytest.mark.django_db


def packed(task: Task, options: ArchiveOptions) -> zipfile.ZipFile:
    file = io.BytesIO()
    write(task, options, file)
    return zipfile.ZipFile(file)


def test_an_archive_has_the_boards_and_receipts_of_separate_test_sets(
    phase: Phase, entry: Participation
) -> None:
    three_sent(phase, entry)
    revealed(phase)
    names = set(packed(phase.task, ArchiveOptions()).namelist())
    assert "boards/test/index.html" in names
    assert "boards/test/set-south/index.html" in names
    assert "boards/test/set-north/index.html" not in names  # it is the first
    key = Submission.objects.get(system="ben-south").pk
    assert f"receipts/{key}/south.json" in names


def test_the_archive_of_organizers_holds_the_tables(ada: User, ben: User) -> None:
    alone = judged_task(ada, daily_limit=3)
    submission = sent(alone, entry_of(alone, ben))
    judge(alone.phases.get(), ada, table({"u1": 1, "u2": 0.25}), submission)
    alone.phases.update(closes=timezone.now() - timedelta(minutes=1))

    def names(*, submissions: bool) -> list[str]:
        archive = packed(alone, ArchiveOptions(submissions=submissions))
        held = [n for n in archive.namelist() if n.startswith("judgements/")]
        texts = [archive.read(name) for name in held]
        assert not texts or any(b"0.25" in text for text in texts)
        return held

    assert names(submissions=False) == []
    first, listed = names(submissions=True)
    assert first.startswith(f"judgements/{submission.pk}/")
    assert listed == "judgements/list.csv"
