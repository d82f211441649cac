"""Forms at the most that their pages promise come through what reads requests.

Every form is taken from its page and sent as a browser does: all of its fields, with
files that nobody has chosen as empty parts.
"""

from html.parser import HTMLParser
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from leaderboard.extras.invitations import pages as invitations
from leaderboard.extras.invitations.models import EntryInvitation
from leaderboard.extras.judging import spans
from leaderboard.extras.judging.models import Campaign, Vote
from leaderboard.extras.oversight.acts import MOST
from leaderboard.submissions.uploads import MOST_FILES
from leaderboard.tasks.models import GoldFile, Participation, Phase, Task, TestSet
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import campaign_of, people_task, system
from tests.extras.judging.test_spans import ESA, MEASURES
from tests.leaderboard.small import perfect

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_queue", "sandbox_inline"),
]
LINE = "a-line-between-parts"
SUBMIT = "/tasks/otters/test/submit/"
GOLD = "/tasks/otters/organize/gold/new/"
INVITED = "/tasks/otters/organize/invitations/"
ACTS = "/tasks/otters/organize/submissions/acts/"


class Fields(HTMLParser):
    """The named fields of all forms of a page: name, value, and whether it is a file.
    Boxes are ticked."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, bool]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        name, kind = known.get("name"), known.get("type")
        if tag in ("input", "select", "textarea") and name:
            self.found.append((name, known.get("value") or "", kind == "file"))


def sent(client: Client, address: str, fields: Any, **values: Any) -> Any:
    """The answer to these fields; `values` fill some, and bytes are files."""
    parts = []
    for name, value, is_file in fields:
        value = values.get(name, value)
        more = '; filename="a.txt"' if isinstance(value, bytes) else ""
        more = '; filename=""' if is_file and not more else more
        text = value if isinstance(value, bytes) else str(value).encode()
        head = f'--{LINE}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n'
        kind = "Content-Type: application/octet-stream\r\n" if is_file else ""
        parts.append(f"{head}{kind}\r\n".encode() + text + b"\r\n")
    body = b"".join([*parts, f"--{LINE}--\r\n".encode()])
    return client.post(
        address, body, content_type=f"multipart/form-data; boundary={LINE}"
    )


def more_test_sets(task: Task, number: int) -> None:
    """Others beside those of the task, which its phase asks for too."""
    one = task.test_sets.first()
    assert one is not None
    gold = GoldFile.objects.get(test_set=one)
    for i in range(number):
        one.pk, one.name, one.title, one.position = None, f"more{i}", f"More {i}", 9 + i
        one.save()
        gold.pk, gold.test_set = None, one
        gold.save()
    task.phases.get().test_sets.set(TestSet.objects.filter(task=task))


def test_an_act_on_as_many_rows_as_may_be_chosen(
    task: Task, ada: User, as_user: Any
) -> None:
    rows = [("row", str(uuid4()), False) for _row in range(MOST)]
    fields = [("act", "disqualify", False), ("query", "q=x", False), *rows]
    answer = sent(as_user(ada), ACTS, [*fields, ("sure", "1", False)])
    assert answer.status_code == 422  # none of them is there
    assert "nothing left to do" in answer.text
    assert sent(as_user(ada), ACTS, fields).status_code == 302


def test_every_invitation_of_a_page_is_taken_back_at_once(
    task: Task, ada: User, as_user: Any
) -> None:
    EntryInvitation.objects.bulk_create(
        EntryInvitation(task=task, email=f"p{i}@example.org", by=ada)
        for i in range(invitations.PER_PAGE + 1)
    )
    client = as_user(ada)
    fields = Fields(client.get(INVITED).text).found
    assert sum(name == "row" for name, _value, _file in fields) == invitations.PER_PAGE
    answer = sent(client, f"{INVITED}change/", [*fields, ("act", "back", False)])
    assert answer.status_code == 302
    assert EntryInvitation.objects.count() == 1


def test_an_upload_of_as_many_files_as_the_page_asks_for(
    phase: Phase, entry: Participation, ben: User, as_user: Any
) -> None:
    Phase.objects.update(most_runs=50)
    client = as_user(ben)
    fields = Fields(client.get(SUBMIT).text).found
    files = [name for name, _value, is_file in fields if is_file]
    assert len(files) == MOST_FILES + 1  # and a zip
    given = {name: perfect(name[5:10]) for name in files if name.startswith("file_")}
    answer = sent(client, SUBMIT, fields, system="mole", **given)
    assert answer.status_code in (302, 422), answer.text
    assert "understood" not in answer.text


def test_files_of_more_test_sets_than_an_upload_has_runs(
    task: Task, entry: Participation, ada: User, ben: User, as_user: Any
) -> None:
    more_test_sets(task, MOST_FILES)
    for user, address in ((ada, GOLD), (ben, SUBMIT)):
        client = as_user(user)
        fields = Fields(client.get(address).text).found
        files = [name for name, _value, is_file in fields if is_file]
        assert len(files) > MOST_FILES
        answer = sent(client, address, fields, **dict.fromkeys(files, b"1\tno\n"))
        assert answer.status_code == 422 and "understood" not in answer.text


def test_an_answer_with_as_many_errors_as_may_be_marked(
    ada: User, ben: User, client: Client
) -> None:
    task = people_task(ada, MEASURES)
    for quality in (1, 2):
        system(task, ben, quality)
    campaign: Campaign = campaign_of(task, **ESA)
    address = campaign.get_absolute_url()
    client.post(address)
    fields = Fields(client.get(address).text).found
    one = {
        "span-start": "1",
        "span-end": "1",
        "span-category": "omission",
        "span-severity": "minor",
    }
    rest = [field for field in fields if not field[0].startswith("span-")]
    names = [(name, value, False) for name, value in one.items()]
    empty = [(name, "", False) for name in one] * spans.EMPTY_ROWS
    whole = [*rest, *names * spans.MOST, *empty]
    answer = sent(client, address, whole, **{"value-score": 0})
    assert answer.status_code == 302, answer.text
    assert len(Vote.objects.get().values["spans"]) == spans.MOST
