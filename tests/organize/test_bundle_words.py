"""What is said of a mistake in a bundle: in our words, true, and what to do."""

import copy
from typing import Any

import pytest
import yaml

from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.load import declared_plan
from scoring.errors import SetupError
from scoring.source import Source
from tests.loops import loop_over
from tests.organize.bundles import full_bundle, full_manifest

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandbox_inline")]
# Words of the libraries that read and check a manifest.
FOREIGN = ("Input should", "Value should", "Value error", "mapping values", "token")
FOREIGN = (*FOREIGN, "block", "{'", "<class", "None")


def refusal(source: Source) -> str:
    with pytest.raises(SetupError) as caught:
        create_task(source, None)
    said = str(caught.value)
    assert not [word for word in FOREIGN if word in said], said
    return said


def changed(place: tuple[str | int, ...], value: object) -> Source:
    table = copy.deepcopy(full_manifest())
    part: Any = table
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    return full_bundle(**table)


ODD: list[Any] = [
    *("", "  ", "x" * 10_000, "yes", "2", b"\0", True, None, -1, 0, 1e300, 10**30),
    *(float("nan"), float("inf"), 2.5, [], [[]], {}, {"a": "b"}, [{"a": 1}], [None]),
]
PLACES = [
    *(("plumbline",), ("slug",), ("title",), ("summary",), ("authors",), ("contact",)),
    *(("website",), ("doi",), ("draft",), ("entry",), ("mail_domains",), ("prizes",)),
    *(("margin",), ("scorer",), ("scorer", "name"), ("scorer", "options")),
    *(("scorer", "options", "labels"), ("scorer", "options", "weights")),
    *(("scorer", "measures"), ("scorer", "headline"), ("scorer", "unit")),
    *(("bootstrap",), ("bootstrap", "level"), ("bootstrap", "seed")),
    *(("test_sets",), ("test_sets", 0), ("test_sets", 0, "gold")),
    *(("test_sets", 0, "weight"), ("test_sets", 0, "position")),
    *(("phases",), ("phases", 0), ("phases", 0, "opens"), ("phases", 0, "closes")),
    *(("phases", 0, "time_zone"), ("phases", 0, "daily_limit")),
    *(("phases", 1, "private_share"), ("phases", 0, "counts")),
    *(("phases", 0, "test_sets"), ("boards", 0, "measures"), ("fact_sheet", 0, "kind")),
    *(("fact_sheet", 1, "choices"), ("baselines", 0, "files"), ("judging",)),
]


@pytest.mark.sampled(4, by="place")
@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_odd_values_are_refused_in_our_words(place: tuple[str | int, ...]) -> None:
    for value in ODD:
        try:
            declared_plan(changed(place, value))
        except SetupError as error:
            said = str(error)
            assert not [word for word in FOREIGN if word in said], (value, said)


@loop_over(
    ("place", "value", "said"),
    [
        (("title",), "", "'title': expected some text."),
        (
            ("test_sets", 0, "weight"),
            5000,
            "expected a number of 1000 or less; not '5000'.",
        ),
        (("test_sets", 0, "weight"), float("nan"), "expected a number"),
        (("scorer", "name"), "attachement", "expected 'attachment', or another of"),
        (("scorer", "measures"), ["lass"], "expected 'las', or another of"),
        (("phases", 0, "counts"), "lst", "expected 'last', or another of"),
        (("phases", 0, "time_zone"), "Prague", "time zone database, as Europe/Prague."),
        (("scorer", "options", "labels"), {"a": "b"}, "'labels': expected words."),
        (("description",), "# Otters\n\nParse.", "Put the text into a file"),
        (("terms",), "Cite our paper wherever you use the data.", "Put the text into"),
        (("headline",), "las", "unknown key in it; it belongs into scorer"),
        (("daily_limit",), 3, "unknown key in it; it belongs into phases."),
        (("scorer", "prizes"), 3, "unknown key in scorer; it belongs at the top."),
    ],
)
def test_a_mistake_is_told_with_what_was_meant(
    place: tuple[str | int, ...], value: object, said: str
) -> None:
    assert said in refusal(changed(place, value))


@loop_over(
    ("old", "new", "said"),
    [
        ("summary: ", "summary: Wind: ", "put texts with a colon between quotes"),
        ("\n  name", "\n\tname", "a tab: indent with spaces"),
        ("title: ", 'title: "', "a quote is opened and not closed"),
        ("entry: ", "entry: [", "a bracket is opened and not closed"),
        ("title: ", "title: @", "between quotes"),
    ],
)
def test_text_that_is_no_yaml_is_told_with_what_to_do(
    old: str, new: str, said: str
) -> None:
    source = full_bundle()
    text = yaml.safe_dump(full_manifest(), sort_keys=False)
    assert old in text
    files = {**source.files, "task.yaml": text.replace(old, new, 1).encode()}
    assert said in refusal(Source("otters", files))
