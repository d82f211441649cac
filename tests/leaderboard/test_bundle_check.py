"""A bundle from a stranger is first read by a child that may fail.

Each starts a sandbox server with the whole site, which takes seconds.
"""

import io
import zipfile
from dataclasses import replace

import pytest

from leaderboard.sandbox.jobs import ELSEWHERE
from leaderboard.tasks.bundle import create
from leaderboard.tasks.bundle.create import uploaded_plan
from leaderboard.tasks.bundle.load import load
from scoring.errors import SetupError
from scoring.source import Source
from tests.leaderboard.small import bundle


def zipped(source: Source) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as archive:
        for name, data in source.files.items():
            archive.writestr(name, data)
    return whole.getvalue()


def test_a_good_bundle_comes_through_unchanged_and_this_process_reads_no_gold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The answer of the child alone says what the gold comes to."""

    def refuse(*_args: object) -> None:
        raise AssertionError("gold was read in this process")

    given = bundle()
    expected = load(given)
    assert all(test_set.units for test_set in expected.test_sets)
    monkeypatch.setattr("leaderboard.tasks.bundle.load.units_of", refuse)
    monkeypatch.setattr("leaderboard.tasks.bundle.load.blind_of", refuse)
    assert uploaded_plan("otters.zip", io.BytesIO(zipped(given)), None) == expected


@pytest.mark.thorough
def test_what_is_wrong_is_said_as_before() -> None:
    wrong = zipped(bundle(scorer={"name": "nothing"}))
    with pytest.raises(SetupError, match="expected one of attachment"):
        uploaded_plan("otters.zip", io.BytesIO(wrong), None)


@pytest.mark.thorough
def test_a_bundle_that_takes_too_much_is_refused_with_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its gold has 40,000 sentences, and the child may use 8 MiB."""
    limits = replace(create.BUNDLE_LIMITS, memory_bytes=8 << 20)
    monkeypatch.setattr(create, "BUNDLE_LIMITS", limits)
    files = dict(bundle().files)
    files["gold/north.conllu"] *= 20_000
    with pytest.raises(SetupError, match="more than 8 MiB of memory") as caught:
        uploaded_plan("otters.zip", io.BytesIO(zipped(Source("otters", files))), None)
    assert caught.value.problems[0].code == "bundle_limit"


@pytest.mark.thorough
def test_a_bundle_that_breaks_the_reader_ends_the_child_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(
        ELSEWHERE, "bundle", "tests.leaderboard.bad_work:divides_by_zero"
    )
    with pytest.raises(SetupError, match="ZeroDivisionError"):
        uploaded_plan("otters.zip", io.BytesIO(zipped(bundle())), None)
