"""Votes in the archive that organizers keep."""

import csv
import io
import json

import pytest

from leaderboard.extras.judging.assignment import begin
from leaderboard.extras.judging.export import members
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import campaign_of, people_task, store_votes, system

pytestmark = pytest.mark.django_db


def test_an_archive_has_every_vote_and_no_key_of_a_judge(ada: User, ben: User) -> None:
    task = people_task(ada)
    for quality in (1, 2):
        system(task, ben, quality)
    assert list(members(task)) == []
    judge = begin(campaign_of(task))
    campaign_of(task, title="Without votes")
    number = store_votes(judge, 1, 5)
    files = dict(members(task))
    assert list(files) == ["votes/signs.csv", "votes/signs.jsonl", "votes/list.csv"]
    rows = list(csv.DictReader(io.StringIO(files["votes/signs.csv"].decode())))
    lines = files["votes/signs.jsonl"].decode().splitlines()
    assert len(rows) == len(lines) == number
    assert json.loads(lines[0])["choice"] == rows[0]["choice"]
    assert ["signs", "Signs", "pairs", "5"] in list(
        csv.reader(io.StringIO(files["votes/list.csv"].decode()))
    )
    assert not any(str(judge.key).encode() in data for data in files.values())
