"""Counts of the product's code that may fall and must not grow."""

from pathlib import Path

import pytest

from tests import house

# As counted when each limit was set. What falls below lowers its limit.
LIMITS = {
    "names of the site for extras": 317,
    "names of extras for other extras": 22,
    "wide lines of templates": 29,
    "type: ignore": 75,
    "Any": 1700,
    "variables named found": 4,
    "variables named one": 33,
    "variables named told": 11,
    "variables named said": 7,
    "variables named shown": 25,
    "variables named known": 85,
    "variables named kept": 24,
    house.PARAMETERS: 41,
    "functions named by a participle alone": 77,
    house.SUBJECT: 0,
}


def test_no_count_of_the_code_grows() -> None:
    counts = house.counts()
    assert counts.keys() == LIMITS.keys()
    grown = {name: n for name, n in counts.items() if n > LIMITS[name]}
    assert grown == {}, "give the new code other names, types or imports"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("found = 1", "variables named found"),
        ("[one for one in ()]", "variables named one"),
        ("for told in (): ...", "variables named told"),
        ("said: str = ''", "variables named said"),
        ("if shown := 1: ...", "variables named shown"),
        ("known, x = 1, 2", "variables named known"),
        ("with open(x) as kept: ...", "variables named kept"),
        ("lambda known: 1", house.PARAMETERS),
        ("x: Any = 1", "Any"),
        ("y = x  # type: ignore[misc]", "type: ignore"),
        ("def _counted(): ...", "functions named by a participle alone"),
        ('class Sum:\n    """What is summed."""', house.SUBJECT),
        ("from leaderboard.web import locks", "names of the site for extras"),
        (
            "from leaderboard.extras.paper import pdf",
            "names of extras for other extras",
        ),
    ],
)
def test_each_count_notices_one_more(
    code: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    extra = Path("leaderboard/extras/feeds/apps.py")
    monkeypatch.setattr(house, "modules", lambda *_folders: [extra])
    monkeypatch.setattr(house, "templates", lambda: [])
    before, text = house.counts(), house.read(extra)
    monkeypatch.setattr(house, "read", lambda _path: f"{text}\n{code}\n")
    grown = {name: n - before.get(name, 0) for name, n in house.counts().items()}
    assert {name: n for name, n in grown.items() if n} == {name: 1}


def test_a_wide_line_of_a_template_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house, "templates", lambda: [Path("a.html")])
    monkeypatch.setattr(house, "modules", lambda *_folders: [])
    monkeypatch.setattr(house, "read", lambda _path: f"{'a' * 161}\n{'b' * 160}\n")
    assert house.counts()["wide lines of templates"] == 1


def test_a_feature_is_met_on_the_surfaces_that_its_code_declares() -> None:
    """Counted by hand in the folders of three extras."""
    surfaces = house.surfaces()
    erasure = dict(surfaces["extras/erasure"])
    assert erasure.pop("text") > 0
    counted = {name: number for name, number in erasure.items() if number}
    assert counted == {"page": 2, "form": 1, "document": 1, "command": 1}
    assert surfaces["extras/code"]["bundle key"] == 2
    assert surfaces["extras/invitations"]["mail"] == 1
