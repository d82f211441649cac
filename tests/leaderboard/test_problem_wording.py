"""Problems of files, and what scorers say of themselves, in the reader's language."""

import re

import pytest
from django.template import Context, Template
from django.test import Client
from django.utils import translation

from leaderboard.organize.scorer import field_of
from leaderboard.web.engine_texts import engine_text, in_language
from scoring.errors import Problem, Refused
from scoring.report import scorer_description
from scoring.scorers import all_scorers, get
from scoring.source import Source, text_of

PAGE = Template("{% load submissions %}{{ problem|message }}|{{ problem|hint }}")


def refusal(data: bytes) -> Problem:
    with pytest.raises(Refused) as caught:
        text_of(Source.of_bytes("sent.tsv", data), Refused)
    return caught.value.problems[0]


@pytest.mark.parametrize(
    ("language", "message"),
    [
        (
            "de",
            "dies ist ein gzip-Archiv; erwartet wird eine Textdatei",
        ),
        ("ru", "это архив gzip; ожидался текстовый файл"),
    ],
)
def test_a_part_of_a_message_is_in_its_language_too(
    language: str, message: str
) -> None:
    problem = refusal(b"\x1f\x8b\x08\x00")
    with translation.override(language):
        assert in_language(problem.message) == message
        assert PAGE.render(Context({"problem": problem.as_row()})).startswith(message)
    assert problem.message == "this is a gzip archive; expected a text file"


@pytest.mark.parametrize("language", ["de", "ru"])
@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfea\x00", b"%PDF\xff", b"\x89PNG", b"a\rb\rc"]
)
def test_wrong_files_are_refused_without_english(language: str, data: bytes) -> None:
    problem = refusal(data)
    with translation.override(language):
        assert in_language(problem.message) != problem.message
        assert in_language(problem.hint) != problem.hint or not problem.hint


def test_an_old_row_shows_its_message_and_marks_it_as_english() -> None:
    row = {"code": "a", "message": "neither <this> nor that", "hint": ""}
    with translation.override("de"):
        page = PAGE.render(Context({"problem": row}))
    assert page.startswith('<span lang="en">neither &lt;this&gt; nor that</span>')


# Formulas of names of columns alone are the same in every language.
OF_COLUMNS = re.compile(r"mean\(|match / |1 - [A-Z_a-z]+\Z")
# Titles that are names of campaigns.
CAMPAIGNS = {"CoNLL 2018", "SEMarkup", "SENSEVAL"}


@pytest.mark.parametrize("language", ["de", "ru"])
def test_every_formula_is_said_in_the_readers_language(language: str) -> None:
    formulas = {
        measure["formula"]
        for scorer in all_scorers().values()
        for measure in scorer_description(scorer)["measures"]
        if not scorer.package
    }
    said = [text for text in formulas if not OF_COLUMNS.match(text)]
    with translation.override(language):
        english = [text for text in said if engine_text(text) == text]
    assert said and not english


@pytest.mark.parametrize("language", ["de", "ru"])
def test_every_scorer_is_described_in_the_readers_language(language: str) -> None:
    said = {
        text
        for one in all_scorers().values()
        for text in (one.title, one.summary, *(option.help for option in one.options))
        if not one.package
    }
    with translation.override(language):
        english = {text for text in said if engine_text(text) == text}
    assert english == CAMPAIGNS


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "title", "summary", "option"),
    [
        (
            "de",
            "Sequenzlabels",
            "wie beim Wortarten-Tagging: Accuracy der Tokens",
            "alle Tags der Aufgabe",
        ),
        (
            "ru",
            "Разметка последовательностей",
            "как при разметке частей речи: доля верных токенов",
            "все теги соревнования",
        ),
    ],
)
def test_a_scorer_is_described_in_the_readers_language_on_pages_alone(
    client: Client, language: str, title: str, summary: str, option: str
) -> None:
    def page(address: str) -> str:
        answer = client.get(address, headers={"accept-language": language})
        return str(answer.content.decode())

    assert f">{title}</a></h3>" in page("/scorers/")
    one = page("/scorers/labels/")
    assert f"<h1>{title}</h1>" in one
    assert summary in one
    assert f"<td>{option}: " in one
    scorer = get("labels")
    with translation.override(language):
        field = field_of(scorer.options[0], {})
    assert str(field.help_text).startswith(option[0].upper() + option[1:])
    for text in (scorer.title, scorer.summary, scorer.options[0].help):
        assert text not in one and text in page("/api/v1/scorers/")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", '<span lang="en">made &lt;here&gt;</span>'),
        ("en-gb", "made &lt;here&gt;"),
    ],
)
def test_what_a_plug_in_says_is_marked_as_english(language: str, said: str) -> None:
    page = Template("{% load formats %}{{ text|described_here }}")
    with translation.override(language):
        assert page.render(Context({"text": "made <here>"})) == said


def test_formats_are_named_in_the_readers_language() -> None:
    with translation.override("ru"):
        page = Template("{% load formats %}{{ formats|described|join:', ' }}")
        names = page.render(Context({"formats": ("lines of text", "CSV")}))
    assert names == "строки текста, CSV"
