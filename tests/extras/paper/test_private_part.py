"""The kit for an overview paper tells nothing of a private part before its reveal."""

import io
import zipfile
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from tests.extras.paper.test_pdf import said
from tests.organize.disclosing import under
from tests.organize.private_part import build, crawl


@pytest.mark.django_db
def test_no_file_of_the_kit_tells_of_a_private_part(sandbox_inline: None) -> None:
    site = build()
    now, task = timezone.now(), site.tasks["otters"]
    half = under(task.phases.get(name="half"), reveal_at=now + timedelta(days=1))
    visit = crawl(site, "anonymous")
    visit.look("before", everything(f"/tasks/{task.slug}/{half.name}"))
    assert visit.found == {}
    under(half, closes=now - timedelta(hours=2), reveal_at=now - timedelta(hours=1))
    for cache in caches.all():
        cache.clear()
    visit.look("after", everything(f"/tasks/{task.slug}/{half.name}"))
    assert visit.found["private share"] == ["after"]


def everything(phase: str) -> str:
    """Every file of the kit, every chart, and the tests of pairs."""
    client = Client()
    answer = client.get(f"{phase}/paper-kit.zip")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    texts = [
        said(data) if name.endswith(".pdf") else data.decode()
        for name, data in files.items()
    ]
    told = client.get(f"/api/v1{phase}/pairs/").content.decode()
    return "\n".join([*texts, told])
