"""Bundles that mean harm, or are odd: each ends in words, none in an error."""

import copy
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from leaderboard.extras.moving.conversion import convert_bundle
from leaderboard.tasks.bundle import create
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.errors import SetupError
from tests.extras.moving.bundles import (
    CODALAB,
    EVALAI,
    codabench,
    codabench_files,
    codabench_table,
    codalab,
    codalab_files,
    evalai_files,
    zipped,
)
from tests.leaderboard.small import inline

LAUGHS = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 12)]
)


def linked() -> bytes:
    """A zip with a symbolic link to a file of the machine."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        link = zipfile.ZipInfo("gold.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return whole.getvalue()


# Made by the test that sends them: the large ones take a second.
HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "a zip that inflates to more than its size allows": (
        lambda: codabench(
            {"reference_calm.zip": zipped({"gold.txt": bytes(60 << 20)})}
        ),
        "inflates to more than",
    ),
    "zips inside that hold too much together": (
        lambda: codabench(
            {
                "reference_calm.zip": zipped(
                    {f"{n}.txt": bytes([n]) * (1 << 20) for n in range(101)}
                )
            }
        ),
        "more than 100 MB",
    ),
    "a path out of the bundle": (
        lambda: codabench(**{"image": "x", "terms": "../../etc/passwd"}),
        "there is no file &#x27;../../etc/passwd&#x27;",
    ),
    "a member with a path out of the zip inside": (
        lambda: codabench({"scoring_program.zip": zipped({"../../score.py": b"x"})}),
        "expected a relative path",
    ),
    "a member with a path out of the bundle": (
        lambda: codabench({"../../evil.txt": b"x"}),
        "expected a relative path",
    ),
    "a link in a zip inside": (
        lambda: codabench({"reference_calm.zip": linked()}),
        "links and special files are not read",
    ),
    "a zip inside that is none": (
        lambda: codabench({"reference_calm.zip": b"PK\3\4 not really"}),
        "the zip was cut off",
    ),
    "YAML that stands for endless values": (
        lambda: codalab(f"{LAUGHS}\n{CODALAB}"),
        "more than 20000 values",
    ),
    "YAML that makes objects": (
        lambda: codalab(f"{CODALAB}x: !!python/name:os.system ''\n"),
        "not readable as YAML",
    ),
    "a manifest that is no text": (
        lambda: zipped({"competition.yaml": b"\xff\xfe\0\1", **codalab_files()}),
        "this is UTF-16 text",
    ),
    "a manifest too long to be one": (
        lambda: codalab(CODALAB + "#" * 300_000),
        "the file is too long",
    ),
}


@pytest.fixture
def ada_s(ada: User, client: Client) -> Client:
    client.force_login(ada)
    return client


@pytest.mark.django_db
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_bundle_is_refused_with_its_reason(ada_s: Client, what: str) -> None:
    made, words = HOSTILE[what]
    with inline:
        file = SimpleUploadedFile("bundle.zip", made())
        answer = ada_s.post(reverse("new-task"), {"bundle": file})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not Task.objects.exists()


@pytest.mark.django_db
@pytest.mark.thorough
def test_a_bundle_is_read_in_the_sandbox_under_its_limits(
    ada_s: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A conversion that needs more memory than a child has ends that child only."""
    # In one piece: where the last of many small ones goes, other errors come of it.
    files = {"reference_storm/gold.txt": Random(1).randbytes(24 << 20)}
    limits = replace(create.BUNDLE_LIMITS, memory_bytes=8 << 20)
    monkeypatch.setattr(create, "BUNDLE_LIMITS", limits)
    file = SimpleUploadedFile("bundle.zip", codabench(files))
    answer = ada_s.post(reverse("new-task"), {"bundle": file})
    assert answer.status_code == 422
    assert "more than 8 MiB of memory" in answer.content.decode()


Place = tuple[str | int, ...]


def places(value: Any, path: Place = ()) -> Iterator[Place]:
    """The place of every value of a table, however deep."""
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield (*path, key)
            yield from places(value[key], (*path, key))


def spoiled(table: Mapping[str, Any], path: Place, odd: Any) -> bytes:
    copied: Any = copy.deepcopy(table)
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = odd
    return yaml.safe_dump(copied, sort_keys=False).encode()


ODD = (None, [], {"a": {"b": [None]}}, "\0", -1, "." * 5000, True)
MANIFESTS = {
    "codabench": ("competition.yaml", codabench_table(), codabench_files()),
    "codalab": ("competition.yaml", yaml.safe_load(CODALAB), codalab_files()),
    "evalai": ("challenge_config.yaml", yaml.safe_load(EVALAI), evalai_files()),
}


@pytest.mark.thorough
@pytest.mark.parametrize("origin", MANIFESTS)
def test_any_value_in_any_place_is_taken_or_named(origin: str) -> None:
    """What is taken loads as a bundle of ours; the rest is refused with its place."""
    name, table, files = MANIFESTS[origin]
    taken = refused = 0
    for number, path in enumerate(places(table)):
        odd = ODD[number % len(ODD)]
        text = spoiled(table, path, odd)
        try:
            made = convert_bundle({name: text, **files})
        except SetupError as error:
            refused += 1
            assert all(problem.file == name for problem in error.problems)
        else:
            taken += 1
            load(made.source)
            assert all(map(str, made.remarks))
    assert taken > 20 and refused > 20


@pytest.mark.parametrize(
    ("title", "taken"),
    [
        ("Sea\u00adlions", "Sealions"),
        ("\u202eSea\u200b lions\ufeff", "Sea lions"),
        ("\u0645\u06cc\u200c\u0634\u0648\u062f", None),  # in Persian it is seen
    ],
)
def test_titles_lose_what_cannot_be_seen_and_nothing_else(
    title: str, taken: str | None
) -> None:
    text = spoiled(codabench_table(), ("title",), title)
    made = convert_bundle({"competition.yaml": text, **codabench_files()})
    assert load(made.source).title == (taken or title)
