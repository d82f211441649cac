"""A submission is shown as verified at another site where that site signed the same."""

import csv
import io
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from leaderboard.extras.signatures import foreign_receipts, keys
from leaderboard.extras.signatures.models import (
    ForeignReceipt,
    KnownKey,
    KnownSite,
    SiteKey,
)
from leaderboard.extras.signatures.seal import ORIGIN, SIGNATURE, SUMS, signed_zip
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import Team, User
from scoring.errors import Refused
from scoring.formats.bundle import zipped
from tests.exports.conftest import sent, two_sent
from tests.extras.signatures.test_records import unpacked
from tests.extras.signatures.test_verifying import with_sums
from tests.leaderboard.small import CANARY, both, inline, one_wrong, scored
from tests.organize.disclosing import salted, under, unrevealed

__all__ = ["sent"]
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage(then=two_sent),
    pytest.mark.usefixtures("pages_made_anew"),
]
Login = Callable[[User], Client]
Sent = list[Submission]
Files = dict[str, bytes]
THERE = "https://there.example"
API = "/api/v1/tasks/otters/test/board/"
CSV = "/tasks/otters/test/board.csv"
MARK = "Verified at There"
TOKEN = re.compile('value="[A-Za-z0-9]{64}"|csrftoken[^,]*')


@pytest.fixture(autouse=True)
def read_here() -> Iterator[None]:
    """The sandbox has tests of its own, and so has the zip of hostile files."""
    with inline:
        yield


def signed_there(submission: Submission, user: User, settings: Any) -> bytes:
    """The receipts of a submission as a site of another address and key gives them."""
    client, here = Client(), settings.SITE_URL
    client.force_login(user)
    settings.SITE_URL = THERE
    answer = client.get(f"/submissions/{submission.pk}/receipts.zip")
    settings.SITE_URL = here
    assert answer.status_code == 200
    return answer.content


@pytest.fixture
def there(sent: Sent, ben: User, settings: Any) -> bytes:
    """The signed receipts of ben's system on a site that this one knows; this one has
    a key of its own since."""
    signed = signed_there(sent[0], ben, settings)
    site = KnownSite.objects.create(name="There", address=THERE)
    KnownKey.objects.create(site=site, public=keys.sign(b"")["key"])
    SiteKey.objects.all().delete()
    keys.ensure()
    return signed


@pytest.fixture
def here(there: bytes, phase: Phase, entry: Participation) -> Submission:
    """The same files, sent to this site."""
    return scored(phase, entry, both(), system="small, here")


def bring(client: Client, submission: Submission, data: bytes) -> Any:
    file = SimpleUploadedFile("receipts.zip", data)
    return client.post(page_of(submission), {"receipts": file})


def page_of(submission: Submission) -> str:
    return f"/submissions/{submission.pk}/verified/"


def text_of(answer: Any) -> str:
    text: str = answer.content.decode()
    return text


def system_page(submission: Submission, client: Client | None = None) -> str:
    return text_of((client or Client()).get(f"/submissions/{submission.pk}/system/"))


def opened(submission: Submission) -> str:
    address = f"/submissions/{submission.pk}/system/"
    return text_of(Client().get(address, headers={"HX-Request": "true"}))


def in_api(submission: Submission) -> Any:
    rows = Client().get(API, {"entries": "all"}).json()["rows"]
    (row,) = (one for one in rows if one["submission"] == str(submission.pk))
    return row.get("verified")


def in_csv(submission: Submission) -> str | None:
    text = Client().get(CSV, {"entries": "all"}).content.decode("utf-8-sig")
    rows = csv.DictReader(io.StringIO(text))
    (row,) = (one for one in rows if one["submission"] == str(submission.pk))
    return row.get("verified")


def shown(submission: Submission) -> list[bool]:
    """Whether a reader without an account is told, on each channel."""
    return [
        MARK in system_page(submission),
        MARK in opened(submission),
        in_api(submission) == ["There"],
        in_csv(submission) == "There",
    ]


def refused(files: Mapping[str, bytes]) -> str:
    with pytest.raises(Refused) as caught:
        foreign_receipts.signed(files)
    return " ".join(f"{one.message} {one.hint}" for one in caught.value.problems)


def signed_again(files: Files, **changed: bytes) -> bytes:
    """Other receipts, signed by the key that signs now: as if this site gave them."""
    kept = {n: d for n, d in files.items() if n.startswith("receipts/") or n == ORIGIN}
    return signed_zip("receipts.zip", {**kept, **changed})


def test_the_same_scores_signed_elsewhere_put_a_mark_on_every_channel(
    here: Submission, there: bytes, ben: User, as_user: Login
) -> None:
    assert shown(here) == [False] * 4
    page = as_user(ben).get(here.get_absolute_url())
    assert page_of(here) in text_of(page)
    answer = bring(as_user(ben), here, there)
    assert answer.status_code == 302, text_of(answer)
    assert shown(here) == [True] * 4
    assert f"{THERE}/submissions/" in system_page(here)
    listed = text_of(as_user(ben).get(page_of(here)))
    assert "There" in listed
    assert bring(as_user(ben), here, there).status_code == 302
    assert ForeignReceipt.objects.count() == 1


def test_a_mark_stands_at_its_own_row_alone(
    here: Submission, there: bytes, sent: Sent, ben: User, as_user: Login
) -> None:
    bring(as_user(ben), here, there)
    assert shown(sent[1]) == [False] * 4
    assert in_csv(sent[1]) == ""


def test_a_thousand_flips_are_refused(there: bytes) -> None:
    files, chance = unpacked(there), random.Random(8)
    foreign_receipts.signed(files)
    of_files = [name for name in files if name != "keys.json"]
    for number in range(900):
        name = of_files[number % len(of_files)]
        data = bytearray(files[name])
        place = chance.randrange(len(data))
        data[place] ^= 1 << chance.randrange(8)
        assert refused({**files, name: bytes(data)})
    hashed = [name for name in of_files if name not in (SUMS, SIGNATURE)]
    for number in range(100):
        name = hashed[number % len(hashed)]
        data = bytearray(files[name])
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        assert refused(with_sums({**files, name: bytes(data)}))


def fields_of(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from fields_of(one, *path, key)
    else:
        yield path


def with_other(receipt: Any, path: tuple[Any, ...]) -> Any:
    changed = json.loads(json.dumps(receipt))
    place = changed
    for key in path[:-1]:
        place = place[key]
    old = place[path[-1]]
    number = isinstance(old, int | float) and not isinstance(old, bool)
    place[path[-1]] = old + 1e-12 + (old == int(old)) if number else f"{old}x"
    return changed


def test_each_field_that_is_changed_and_hidden_by_new_hashes_is_refused(
    there: bytes,
) -> None:
    files, name = unpacked(there), "receipts/north.json"
    receipt = json.loads(files[name])
    paths = list(fields_of(receipt))
    assert len(paths) > 30
    for path in paths:
        data = json.dumps(with_other(receipt, path)).encode()
        assert "changed after" in refused({**files, name: data})
        assert "does not hold" in refused(with_sums({**files, name: data}))


# Words of a site about itself, which numbers do not depend on.
OWN_WORDS = ("command", "gold_revision", "remarks", "brought_along")


def test_each_field_that_a_known_site_signs_with_another_value_is_refused(
    here: Submission, there: bytes
) -> None:
    evaluation = here.evaluations.get()
    files, name = unpacked(there), "receipts/north.json"
    receipt = json.loads(files[name])
    SiteKey.objects.all().delete()
    site = KnownSite.objects.get()
    KnownKey.objects.create(site=site, public=keys.sign(b"")["key"])
    assert not foreign_receipts.differences(
        evaluation, foreign_receipts.signed(unpacked(signed_again(files)))
    )
    for path in fields_of(receipt):
        if path[0] in OWN_WORDS or path[-1] == "file":
            continue
        data = json.dumps(with_other(receipt, path)).encode()
        again = unpacked(signed_again(files, **{name: data}))
        try:
            found = foreign_receipts.signed(again)
        except Refused:
            continue
        assert foreign_receipts.differences(evaluation, found), path


@pytest.mark.parametrize(
    "written",
    [
        b"[" * 200_000,
        b"[]",
        b"1" * 9000,
        b"\xff\x00",
        b'{"command": "", "plan": {"seed": 1}}',
        b'{"command": "", "plan": []}',
    ],
)
def test_odd_receipts_that_a_known_site_signed_are_refused_in_words(
    there: bytes, written: bytes
) -> None:
    site = KnownSite.objects.get()
    KnownKey.objects.create(site=site, public="ab" * 32)
    KnownKey.objects.filter(public="ab" * 32).update(public=keys.sign(b"")["key"])
    odd = signed_again(unpacked(there), **{"receipts/north.json": written})
    assert "no receipt" in refused(unpacked(odd))


def test_odd_values_that_a_known_site_signed_are_other_values(
    here: Submission, there: bytes
) -> None:
    site, files = KnownSite.objects.get(), unpacked(there)
    KnownKey.objects.create(site=site, public=keys.sign(b"")["key"])
    name = "receipts/north.json"
    for member in ("gold", "system", "measures", "options", "plan", "signature"):
        for odd in (None, [], 7, "x", {"sha256": []}, 10**400):
            receipt = json.loads(files[name])
            receipt[member] = odd
            data = json.dumps(receipt).encode()
            again = unpacked(signed_again(files, **{name: data}))
            try:
                found = foreign_receipts.signed(again)
            except Refused:
                continue
            assert foreign_receipts.differences(here.evaluations.get(), found)


def test_other_files_that_the_site_signed_are_no_receipts(there: bytes) -> None:
    """As an archive, in which there may be what others named and wrote."""
    KnownKey.objects.create(site=KnownSite.objects.get(), public=keys.sign(b"")["key"])
    files = unpacked(there)
    for more in ("receipts/a/b.json", "bundle/receipts/north.json", "notes.txt"):
        zip_of = unpacked(signed_again(files, **{more: b"{}"}))
        assert "not the receipts" in refused(zip_of)
    assert "has not the files" in refused({**files, "receipts/more.json": b"{}"})


def a_bomb() -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("receipts/north.json", bytes(60 << 20))
    return file.getvalue()


def large() -> bytes:
    many = {f"receipts/{n}.json": bytes(1 << 20) for n in range(5)}
    return zipped("receipts.zip", many).single()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"no zip", "not a zip"),
        (b'{"scorer": "attachment"}', "not a zip"),
        (a_bomb(), "100 times its size"),
        (large(), "receipts have at most"),
        (zipped("x.zip", {"a": b""}).single(), "nothing here is signed"),
        (zipped("x.zip", {SUMS: b"", SIGNATURE: b"[" * 99_999}).single(), "signature"),
        (zipped("x.zip", {SUMS: b"\n", SIGNATURE: b"{}"}).single(), "not the receipts"),
        (zipped("x.zip", {SUMS: b"", SIGNATURE: b"{}"}).single(), "no signature"),
    ],
)
def test_hostile_files_are_refused_in_words(
    here: Submission, ben: User, as_user: Login, data: bytes, said: str
) -> None:
    answer = bring(as_user(ben), here, data)
    assert answer.status_code == 422
    assert said in text_of(answer)
    assert not ForeignReceipt.objects.exists()


def test_a_key_that_nobody_named_is_refused_whatever_it_signed(
    here: Submission, there: bytes, ben: User, as_user: Login
) -> None:
    KnownKey.objects.update(public="ab" * 32)
    answer = bring(as_user(ben), here, there)
    assert answer.status_code == 422
    assert "does not know" in text_of(answer)


def test_a_rotated_key_counts_beside_the_old_one_once_it_is_named(
    here: Submission, there: bytes, sent: Sent, ben: User, settings: Any, as_user: Login
) -> None:
    new = keys.rotate().public
    later = signed_there(sent[0], ben, settings)
    assert "does not know" in text_of(bring(as_user(ben), here, later))
    KnownKey.objects.create(site=KnownSite.objects.get(), public=new)
    for data in (later, there):
        assert bring(as_user(ben), here, data).status_code == 302
    assert ForeignReceipt.objects.count() == 1
    assert shown(here) == [True] * 4


def test_with_a_key_that_is_withdrawn_the_mark_goes_and_none_is_taken(
    here: Submission, there: bytes, ben: User, as_user: Login
) -> None:
    bring(as_user(ben), here, there)
    KnownKey.objects.update(withdrawn_at=timezone.now())
    assert shown(here) == [False] * 4
    assert "key was withdrawn" in text_of(as_user(ben).get(page_of(here)))
    KnownKey.objects.create(site=KnownSite.objects.get(), public="ab" * 32)
    assert "was withdrawn" in text_of(bring(as_user(ben), here, there))


def test_a_receipt_of_another_file_is_refused(
    there: bytes, phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    other = scored(phase, entry, both({"north": one_wrong()}), system="other")
    answer = bring(as_user(ben), other, there)
    assert answer.status_code == 422
    hashed = sha256(one_wrong()).hexdigest()
    assert f"about this file (SHA-256 {hashed})" in text_of(answer)
    assert not ForeignReceipt.objects.exists()


def test_other_gold_is_refused_and_said(
    here: Submission, there: bytes, ben: User, as_user: Login
) -> None:
    files = here.evaluations.get().gold_revision.files
    files.filter(test_set__name="south").update(sha256="cd" * 32)
    answer = bring(as_user(ben), here, there)
    assert answer.status_code == 422
    assert f"here {'cd' * 32}" in text_of(answer)


def test_one_digit_that_differs_is_refused_and_said(
    here: Submission, there: bytes, ben: User, as_user: Login
) -> None:
    evaluation = here.evaluations.get()
    evaluation.results["test_sets"]["north"]["measures"]["las"]["value"] -= 1e-15
    evaluation.save()
    answer = bring(as_user(ben), here, there)
    assert answer.status_code == 422
    assert "las value is 1.0 there, 0.999999999999999 here" in text_of(answer)


def test_before_scores_are_shown_no_receipt_is_read(
    here: Submission,
    there: bytes,
    phase: Phase,
    ben: User,
    as_user: Login,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def read(_source: Any) -> None:
        raise AssertionError("a file was read")

    monkeypatch.setattr(foreign_receipts, "read", read)
    ways: list[Callable[[], object]] = [
        lambda: unrevealed(phase, "blind"),
        lambda: unrevealed(phase, "best"),
        lambda: unrevealed(salted(phase)),
    ]
    for way in ways:
        under(phase, policy="open")
        way()
        answers = {
            TOKEN.sub("", text_of(bring(as_user(ben), here, data)))
            for data in (there, b"forged")
        }
        assert len(answers) == 1
        assert bring(as_user(ben), here, there).status_code == 404
        assert as_user(ben).get(page_of(here)).status_code == 404
        assert page_of(here) not in text_of(as_user(ben).get(here.get_absolute_url()))


def test_what_organizers_bring_before_the_reveal_tells_others_nothing(
    here: Submission,
    there: bytes,
    phase: Phase,
    ada: User,
    ben: User,
    as_user: Login,
) -> None:
    for policy in ({"policy": "best"}, {"policy": "blind"}):
        unrevealed(phase, **policy)
        ForeignReceipt.objects.all().delete()
        channels = (
            f"/submissions/{here.pk}/system/",
            here.get_absolute_url(),
            API,
            f"{API}?entries=all",
            CSV,
            "/tasks/otters/test/board.json",
            "/tasks/otters/test/board/",
        )
        readers = Client(), as_user(ben)
        before = [one.get(path) for one in readers for path in channels]
        assert bring(as_user(ada), here, there).status_code == 302
        after = [one.get(path) for one in readers for path in channels]
        for first, second in zip(before, after, strict=True):
            assert first.status_code == second.status_code
            assert b"erified" not in second.content
            assert b"There" not in second.content
    under(phase, policy="open", reveal_at=timezone.now())
    assert shown(here)[2]


def test_nothing_of_the_gold_is_on_the_page(
    here: Submission, there: bytes, ben: User, as_user: Login
) -> None:
    for data in (there, b"forged"):
        assert CANARY not in text_of(bring(as_user(ben), here, data))
    assert CANARY not in text_of(as_user(ben).get(page_of(here)))


def test_a_hidden_team_is_not_named_by_what_the_other_site_says(
    here: Submission, there: bytes, ben: User, as_user: Login, phase: Phase
) -> None:
    bring(as_user(ben), here, there)
    type(phase.task).objects.update(allows_anonymous=True)
    Participation.objects.filter(pk=here.participation_id).update(
        anonymous=True, alias=1
    )
    page = system_page(here)
    assert MARK in page
    assert f"{THERE}/submissions/" not in page


def test_scores_that_were_made_anew_are_verified_no_longer(
    here: Submission, there: bytes, ben: User, as_user: Login
) -> None:
    bring(as_user(ben), here, there)
    old = here.evaluations.get()
    Evaluation.objects.create(
        submission=here,
        gold_revision=old.gold_revision,
        engine="later",
        state=EvaluationState.SCORED,
        results=old.results,
        complete=True,
    )
    assert MARK not in system_page(here)
    assert "scored again since" in text_of(as_user(ben).get(page_of(here)))


def test_who_brought_it_and_organizers_take_it_back(
    here: Submission,
    there: bytes,
    ada: User,
    ben: User,
    cy: User,
    sent: Sent,
    as_user: Login,
) -> None:
    Team.objects.get(name="Bens").memberships.create(user=cy)
    for by, taker, code in ((ben, cy, 404), (ben, ben, 302), (ben, ada, 302)):
        bring(as_user(by), here, there)
        row = ForeignReceipt.objects.get()
        answer = as_user(taker).post(page_of(here), {"remove": str(row.pk)})
        assert answer.status_code == code
        assert ForeignReceipt.objects.exists() == (code == 404)
    for odd in ("", "-1", "x", "9" * 30, "0"):
        assert as_user(ben).post(page_of(here), {"remove": odd}).status_code == 404


def test_rivals_and_strangers_bring_nothing(
    here: Submission, there: bytes, cy: User, as_user: Login
) -> None:
    dan = User.objects.get(name="dan")
    for user in (cy, dan):
        assert bring(as_user(user), here, there).status_code == 404
    assert bring(Client(), here, there).status_code == 302
    assert not ForeignReceipt.objects.exists()


def test_a_site_that_knows_no_other_offers_nothing(
    sent: Sent, ben: User, as_user: Login
) -> None:
    assert page_of(sent[0]) not in text_of(as_user(ben).get(sent[0].get_absolute_url()))


def test_the_operator_names_sites_and_keys_in_the_admin_site(
    ada: User, as_user: Login
) -> None:
    ada.is_staff = ada.is_superuser = True
    ada.save()
    form = {
        "name": "There",
        "address": THERE,
        "keys-TOTAL_FORMS": "1",
        "keys-INITIAL_FORMS": "0",
    }
    add = "/admin/signatures/knownsite/add/"
    for wrong in ("ab", "AB" * 32, keys.sign(b"")["key"]):
        answer = as_user(ada).post(add, {**form, "keys-0-public": wrong})
        assert answer.status_code == 200
    assert (
        as_user(ada).post(add, {**form, "keys-0-public": "ab" * 32}).status_code == 302
    )
    assert KnownKey.objects.get().site.name == "There"
