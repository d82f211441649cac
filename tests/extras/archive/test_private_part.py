"""The public archive tells nothing of a private part before its reveal."""

import zipfile
from datetime import timedelta
from io import BytesIO

import pytest
from django.utils import timezone

from leaderboard.extras.archive import contents
from leaderboard.tasks.models import Task
from tests.organize.disclosing import under
from tests.organize.private_part import build, crawl

DAY = timedelta(days=1)


@pytest.mark.django_db
def test_the_public_archive_of_a_task_that_is_over_waits_for_the_reveal() -> None:
    """Both phases are closed, one is still to be revealed; then it has the scores."""
    site = build()
    now, task = timezone.now(), site.tasks["otters"]
    task.phases.update(closes=now - DAY)
    half = under(task.phases.get(name="half"), reveal_at=now + DAY)
    visit = crawl(site, "anonymous")
    visit.look("before", archived(task))
    assert visit.found == {}
    under(half, reveal_at=now - DAY / 2)
    visit.look("after", archived(task))
    assert visit.found["private share"] == visit.found["whole share"] == ["after"]


def archived(task: Task) -> str:
    """Every member of the archive that everybody gets but the blind file."""
    file = BytesIO()
    contents.write(task, contents.ArchiveOptions(), file)
    with zipfile.ZipFile(file) as packed:
        names = [name for name in packed.namelist() if not name.endswith(".conllu")]
        return "\n".join(
            f"{n}\n{packed.read(n).decode(errors='replace')}" for n in names
        )
