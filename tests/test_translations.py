"""Every text can be translated, and every translation is whole."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from string import Formatter

import polib
import pytest
from auditlog.registry import auditlog
from django.conf import settings
from django.forms import BaseForm
from django.template.base import Lexer, TokenType
from django.utils.functional import Promise

from leaderboard.extras.history.views import WORDS
from leaderboard.web.templatetags import formats
from scoring.scorers import all_scorers
from tests.extracting import ROOT, messages, templates
from tests.loops import loop_over

CATALOGUES = sorted((ROOT / "locale").glob("*/LC_MESSAGES/django.po"))
PYTHON_FIELD = re.compile(r"%(?:\((\w+)\))?[-+ 0#]*\d*(?:\.\d+)?[sdgf%]")
# Names that are the same in every language.
NAMES = {"Plumbline", "SHA-256", "JSON", "API", "CoNLL-U", "PDF", "UTC", "BibTeX"}
# Pages for those who run or change a site, which stay English.
ENGLISH = {"operations/_rows.html", "operations/queue.html"}
OPENING = ("blocktrans", "blocktranslate", "comment")
CODE = re.compile(r"<(pre|code|kbd|samp|svg)\b.*?</\1>", re.S)
WORD = re.compile(r"[^\W\d_]{2,}")
PATH = re.compile(r"[\w.-]+(?:/|\.(?:json|html|csv|zip|py|md))\Z")
SPOKEN = re.compile(r"""\s(?:title|alt|placeholder|aria-label|label)="([^"]*)\"""")
SCRIPTED = re.compile(
    r"""(?:textContent|title|label|innerHTML)\s*[=:]\s*["'`]([^"'`]+)"""
)
LITERAL = re.compile(r"""(?<![_(])=["']([^"']*[^\W\d_]{2} [^"']*)["']""")


@cache
def catalogue(path: Path) -> polib.POFile:
    return polib.pofile(str(path))


def fields(text: str) -> list[str]:
    """The places that a message leaves open, by name or by form."""
    named = [f"{{{name}}}" for _text, name, _spec, _conversion in _brace(text) if name]
    return sorted(
        named + [found[0] for found in PYTHON_FIELD.finditer(text) if found[0] != "%%"]
    )


def _brace(text: str) -> list[tuple[str, str | None, str | None, str | None]]:
    try:
        return list(Formatter().parse(text))
    except ValueError:
        return []


def test_every_offered_language_but_the_own_has_a_catalogue() -> None:
    offered = {code for code, _name in settings.LANGUAGES} - {settings.LANGUAGE_CODE}
    assert {path.parts[-3] for path in CATALOGUES} == offered


each_catalogue = pytest.mark.parametrize(
    "path", CATALOGUES, ids=lambda path: path.parts[-3]
)


@each_catalogue
def test_a_catalogue_translates_every_message_and_no_other(path: Path) -> None:
    """Or else: `make messages`, then translate what is new."""
    entries = catalogue(path)
    has = {(one.msgctxt or "", one.msgid, one.msgid_plural) for one in entries}
    assert sorted(messages() - has) == []
    assert sorted(has - messages()) == []


@each_catalogue
def test_a_catalogue_leaves_nothing_open_or_unsure(path: Path) -> None:
    entries = catalogue(path)
    assert [one.msgid for one in entries.untranslated_entries()] == []
    assert [one.msgid for one in entries.fuzzy_entries()] == []
    assert entries.obsolete_entries() == []


@each_catalogue
def test_a_translation_keeps_every_placeholder(path: Path) -> None:
    """As often as its language needs it: "document by document" names one twice."""
    for one in catalogue(path):
        wanted = set(fields(one.msgid_plural or one.msgid))
        for said in translations(one):
            assert set(fields(said)) == wanted, one.msgid


@each_catalogue
def test_a_translation_keeps_tags_and_line_ends(path: Path) -> None:
    tags = re.compile(r"</?\w+[^>]*>")
    for one in catalogue(path):
        for said in translations(one):
            assert tags.findall(said) == tags.findall(one.msgid), one.msgid
            assert said.endswith("\n") == one.msgid.endswith("\n"), one.msgid


@each_catalogue
def test_a_catalogue_has_every_plural_form(path: Path) -> None:
    entries = catalogue(path)
    count = int(re.findall(r"nplurals=(\d)", entries.metadata["Plural-Forms"])[0])
    for one in entries:
        assert not one.msgid_plural or len(one.msgstr_plural) == count, one.msgid


@each_catalogue
def test_a_catalogue_is_compiled_as_it_is(path: Path) -> None:
    """Or else: `make messages`."""
    compiled = polib.mofile(str(path.with_suffix(".mo")))
    assert _texts(compiled) == _texts(catalogue(path))


def translations(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) or [entry.msgstr]


def _texts(entries: polib.POFile | polib.MOFile) -> dict[tuple[str, str], object]:
    return {
        (one.msgctxt or "", one.msgid): one.msgstr_plural or one.msgstr
        for one in entries
    }


@loop_over("path", templates(), ids=lambda path: "/".join(path.parts[-2:]))
def test_a_template_holds_no_bare_words(path: Path) -> None:
    if "/".join(path.parts[-2:]) in ENGLISH:
        return
    assert bare_words(path.read_text(encoding="utf-8")) == []


def bare_words(source: str) -> list[str]:
    """Words that a reader gets and that no translation can change."""
    text, tags = _outside_blocks(source)
    found = [said for tag in tags for said in LITERAL.findall(tag)]
    text = CODE.sub(" ", text)
    found += [said for said in SPOKEN.findall(text) if WORD.search(said)]
    text = re.sub(r"<!--.*?-->|<[^>]*>", "\n", text, flags=re.S)
    # What stands in a block of attributes, and is none of the page's words.
    text = re.sub(r"""\s[\w-]+="[^"]*\"""", " ", text)
    text = re.sub(r"&#?\w+;|https?://\S+", " ", text)
    pieces = (piece.strip() for piece in text.split("\n"))
    return found + [p for p in pieces if WORD.search(p) and not _named(p)]


def _named(piece: str) -> bool:
    words = [word.strip(":,()·") for word in piece.split()]
    return all(len(w) < 2 or w in NAMES or PATH.match(w) for w in words)


def _outside_blocks(source: str) -> tuple[str, list[str]]:
    """Text outside translated blocks, tags as line ends; and the tags themselves."""
    depth, parts, tags = 0, [], []
    for token in Lexer(source).tokenize():
        name = token.contents.split()[0] if token.contents.split() else ""
        if token.token_type == TokenType.BLOCK:
            depth += (name in OPENING) - (
                name.removeprefix("end") in OPENING and name.startswith("end")
            )
            tags += [token.contents] if name in ("include", "with") else []
        inside = depth > 0 or token.token_type != TokenType.TEXT
        parts.append("\n" if inside else token.contents)
    return "".join(parts), tags


def test_bare_words_are_found_wherever_they_hide() -> None:
    assert bare_words("<p>Two words</p>") == ["Two words"]
    assert bare_words('<a title="Go on">{% trans "x" %}</a>') == ["Go on"]
    assert bare_words('{% include "a.html" with title="Two words" %}') == ["Two words"]
    assert bare_words("{% blocktrans %}Two words{% endblocktrans %}") == []
    assert bare_words('<code>two words</code><p class="two words">×</p>') == []


@loop_over("path", sorted((ROOT / "static").glob("*.js")), ids=lambda path: path.name)
def test_a_script_says_nothing_of_its_own(path: Path) -> None:
    source = re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.M)
    said = [re.sub(r"\$\{.*?\}", "", text) for text in SCRIPTED.findall(source)]
    assert [text for text in said if WORD.search(text)] == []


def test_the_history_has_a_word_for_everything_it_keeps() -> None:
    # Extras name the words of their own rows.
    words = (one.msgid for one in catalogue(CATALOGUES[0]) if one.msgctxt == "history")
    known = {*map(str, WORDS), *words}
    for model in auditlog.get_models():
        kept = auditlog.get_model_fields(model)["include_fields"]
        named = [model._meta.get_field(name) for name in kept]
        members = model._meta.local_many_to_many
        names = {field.verbose_name for field in (*named, *members)}
        names.add(model._meta.verbose_name)
        assert {name for name in names if not isinstance(name, Promise)} <= known, model


def test_every_unit_that_can_be_resampled_has_a_word() -> None:
    known = {unit for scorer in all_scorers().values() for unit in scorer.units}
    assert known <= formats.UNITS.keys()


def test_every_field_of_a_form_has_a_label_that_can_be_translated() -> None:
    import_module(settings.ROOT_URLCONF)
    own = [one for one in _forms(BaseForm) if one.__module__.startswith("leaderboard.")]
    assert own
    for form in own:
        for name, field in form.base_fields.items():
            hidden = field.widget.is_hidden
            assert hidden or isinstance(field.label, Promise), (form, name)
            assert not field.help_text or isinstance(field.help_text, Promise), form


def _forms(form: type) -> Iterator[type[BaseForm]]:
    for one in form.__subclasses__():
        yield one
        yield from _forms(one)
