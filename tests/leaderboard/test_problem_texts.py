"""Texts of the format check, as the site translates them, are those of the engine."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.template import Context, Template
from django.utils import translation

from leaderboard.submissions.problem_texts import PATTERNS, PLACE, TEXTS, in_language
from scoring.excerpts import HINTS

ROOT = Path(__file__).resolve().parents[2] / "scoring"
CHANGED = "word %(a)s is '%(b)s'; expected '%(c)s'."


def of_engine() -> Iterator[str]:
    """Every text of the engine's sources, its values left out."""
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            if isinstance(node, ast.JoinedStr):
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "{}"
                    for part in node.values
                )


def test_no_text_is_translated_that_the_engine_does_not_say() -> None:
    said = {re.sub(r"%\(\w+\)s", "{}", text) for text in of_engine()}
    plain = {PLACE.sub("{}", text).replace("%%", "%") for text in TEXTS}
    assert sorted(plain - said) == []


def test_every_hint_can_be_translated() -> None:
    assert sorted(set(HINTS.values()) - set(TEXTS)) == []


@pytest.fixture
def spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language that has this one text."""
    own = {CHANGED: "expected %(c)s, word %(a)s: %(b)s"}
    module = "leaderboard.submissions.problem_texts.gettext"
    monkeypatch.setattr(module, lambda text: own.get(text, text))


def test_values_of_a_text_stand_in_its_translation(spoken: None) -> None:
    with translation.override("x-test"):
        text = in_language("word 3 is 'it's'; expected 'a; b'.")
    assert text == "expected a; b, word 3: it's"


def test_what_has_no_translation_is_marked_as_english(spoken: None) -> None:
    page = Template("{% load submissions %}{{ problem|message }}")
    with translation.override("x-test"):
        told = page.render(Context({"problem": {"message": "neither <this> nor that"}}))
    assert told == '<span lang="en">neither &lt;this&gt; nor that</span>'


def test_texts_of_the_engine_are_matched_whole() -> None:
    for text in TEXTS:
        said = PLACE.sub("7", text).replace("%%", "%")
        assert in_language(said) == said
    assert len(PATTERNS) == len(set(TEXTS))
