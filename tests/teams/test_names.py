"""Names that look alike share a key, and what cannot be read is refused."""

# ruff: noqa: RUF001 - letters that look alike are what this is about

import string
import unicodedata
from importlib import import_module

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.teams.models import Team, User
from leaderboard.teams.names import check_display_name, name_key

# Pairs of which each is taken for the other at first sight, from common knowledge.
TWINS = {
    "a": "аα",
    "b": "вβ",
    "c": "с",
    "e": "еε",
    "h": "нη",
    "i": "іι1lI|",
    "j": "ј",
    "k": "кκ",
    "l": "1I|",
    "m": "мμ",
    "o": "оο0ø",
    "p": "рρ",
    "s": "ѕ",
    "t": "тτ",
    "x": "хχ",
    "y": "уυ",
    "z": "ζ",
}
LETTERS = (
    string.ascii_letters + string.digits + "абвгдежзиклмнопрстухцчшщыэюя" + "αβγδεζ"
)
names = st.text(LETTERS + " -_.", min_size=1, max_size=20)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bens", "BENS"),
        ("Bens", "Веnѕ"),
        ("Otter Lab", "0tter-Lab"),
        ("Will", "W1II"),
        ("Modern", "Modem"),
        ("Ｏｔｔｅｒ", "Otter"),
        ("Öttér", "Otter"),
        ("Сор", "Cop"),
        ("НОС", "HOC"),
        ("ΝΙΚΗ", "NIKH"),
        ("Team ٣", "Team 3"),
        ("Vvolf", "Wolf"),
        ("fi\u034fsh", "ﬁsh"),
    ],
)
def test_names_taken_for_each_other_share_a_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Otter", "Otters"), ("Лес", "Бес"), ("Team 2", "Team 3"), ("東京", "京東")],
)
def test_names_that_differ_to_the_eye_have_keys_of_their_own(
    one: str, other: str
) -> None:
    assert name_key(one) != name_key(other)


@given(st.text(max_size=40))
def test_the_key_of_a_key_is_the_key(name: str) -> None:
    assert name_key(name_key(name)) == name_key(name)


@given(names)
def test_case_width_accents_and_separators_change_no_key(name: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in name)
    accented = "".join(c + "\u0301" if c.isalpha() else c for c in name)
    for like in (name.upper(), name.lower(), wide, accented, "\u200b-".join(name)):
        assert name_key(like) == name_key(name)


@given(names, st.data())
def test_a_letter_for_its_twin_changes_no_key(name: str, data: st.DataObject) -> None:
    drawn = [
        data.draw(st.sampled_from(c + TWINS.get(c, "")), label=c) for c in name.lower()
    ]
    assert name_key("".join(drawn)) == name_key(name)


@pytest.mark.parametrize(
    "name", ["Отряд", "МФТИ NLP", "東京NLP", "Νίκη", "ΝΙΚΗ", "Łódź 2", "λ-calculus"]
)
def test_an_honest_name_passes(name: str) -> None:
    check_display_name(name)


@pytest.mark.parametrize("name", ["Вens", "pаypal", "Ωtter", "a\u3164b", "a\u2066b"])
def test_a_dishonest_name_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        check_display_name(name)


def test_a_mixed_word_is_named_with_the_letters_that_do_not_belong() -> None:
    with pytest.raises(ValidationError, match=r"“Вens” mixes .*“В” is Cyrillic"):
        check_display_name("Team Вens")


@given(st.text(max_size=30))
def test_what_passes_has_nothing_that_cannot_be_seen(name: str) -> None:
    try:
        check_display_name(name)
    except ValidationError:
        return
    assert not [c for c in name if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Cn")]


@pytest.mark.django_db
def test_nobody_is_called_like_a_team_that_hides_its_name(cy: User) -> None:
    with pytest.raises(ValidationError, match="hide their names"):
        Team.found("An0nymous 417", cy)


@pytest.mark.django_db
def test_older_teams_keep_their_names_and_the_first_has_the_key() -> None:
    for name in ("Modern", "Modem", "***"):
        Team.objects.create(name=name, key=name.lower())
    module = import_module("leaderboard.teams.migrations.0005_lookalike_names")
    module.renew(apps, None)
    first, second, bare = Team.objects.order_by("pk")
    assert first.key == name_key("Modern")
    assert {second.key, bare.key} == {f"#{second.pk}", f"#{bare.pk}"}
    module.renew(apps, None)
    assert Team.objects.get(pk=first.pk).key == first.key
