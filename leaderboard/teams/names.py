"""Names that people see: what they may hold, and when two of them look alike.

After the idea of UTS 39 (skeletons, one script a word), with a table of our own that
holds what Latin, Cyrillic and Greek letters and digits are taken for.
"""

# ruff: noqa: RUF001 - letters that look alike are what this is about

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

NAME_LENGTH = 60
MOST_AFFILIATIONS = 300  # letters of all affiliations of a team
INVISIBLE = {"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"}
# Letters without a picture, of which some count as letters or marks.
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# Signs that join letters where scripts need them, and the parts of an emoji.
JOINERS = frozenset("\u200c\u200d")
# Scripts with letters that are taken for those of another.
ALIKE = ("LATIN", "CYRILLIC", "GREEK", "COPTIC", "ARMENIAN", "CHEROKEE", "LISU")
# Small letters with the Latin ones that they, or their capitals, are taken for.
CYRILLIC = dict(
    zip("авеԁһіјкӏмноргѕтухԛԝзбьъ", "abedhijklmhoprstyxqw36bb", strict=True)
)
CYRILLIC |= {"г": "r", "п": "n", "и": "u", "ү": "y", "ґ": "r", "ө": "o", "с": "c"}
GREEK = dict(zip("αβεζηικμνορτυχϳ", "abezhikmnoptyxj", strict=True))
LATIN = dict(zip("ɑɡıøđłħŧɩʟɴʀꞵʏ", "agiodlhtilnrby", strict=True))
LATIN |= {"æ": "ae", "œ": "oe"}
STROKES = dict.fromkeys("1i|ǀ∣", "l") | {"0": "o"}
PAIRS = (("rn", "m"), ("vv", "w"))
# Small Greek letters that look like another Latin one than their capitals do.
TWO_FACED = frozenset("ηνυμγω")
# Those that are pasted from tables and documents; Unicode has no names for them.
CONTROLS = {"\t": "TAB", "\n": "LINE FEED", "\r": "CARRIAGE RETURN"}
LOOKS = str.maketrans({**LATIN, **CYRILLIC, **GREEK})


def check_seen(text: str) -> None:
    """Refuse texts that cannot be seen whole, or not at all."""
    for place, letter in enumerate(text):
        unseen = unicodedata.category(letter) in INVISIBLE or letter in BLANK
        if unseen and not _joins(text, place):
            name = unicodedata.name(letter, CONTROLS.get(letter, ""))
            character = f"U+{ord(letter):04X} {name}".rstrip()
            words = _("There is a character that cannot be seen: %(character)s.")
            raise ValidationError(words % {"character": character})
    if not text.strip():
        raise ValidationError(_("There is nothing that can be seen."))


def _joins(text: str, place: int) -> bool:
    """Whether a character joins two of a script, or of emoji, in which that is seen."""
    beside = text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
    return (
        text[place] in JOINERS
        and len(beside) > 1
        and all(unicodedata.category(letter)[0] in "LMS" for letter in beside)
        and not any(unicodedata.name(x, "").startswith(ALIKE) for x in beside)
    )


def check_display_name(name: str) -> None:
    """Refuse names that cannot be seen whole or that mix scripts inside a word."""
    check_seen(name)
    for word in re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", name)):
        _check_scripts(word)


def _check_scripts(word: str) -> None:
    scripts: dict[str, list[str]] = {}
    for letter in word:
        script = unicodedata.name(letter, "").partition(" ")[0]
        if script in ALIKE:
            scripts.setdefault(script, []).append(letter)
    if len(scripts) > 1:
        strange = min(scripts, key=lambda script: len(scripts[script]))
        words = _(
            "“%(word)s” mixes alphabets: %(letters)s is %(script)s. "
            "Write each word in one alphabet."
        )
        letters = ", ".join(f"“{letter}”" for letter in dict.fromkeys(scripts[strange]))
        values = {"word": word, "letters": letters, "script": strange.title()}
        raise ValidationError(words % values)
    if set(scripts) == {"GREEK"} and _reads_as_latin(word):
        words = _(
            "“%(word)s” is Greek but reads like a Latin word; write its accents, or "
            "capitals."
        )
        raise ValidationError(words % {"word": word})


def _reads_as_latin(word: str) -> bool:
    """Whether a word reads as Latin: without accents, in small letters that are taken
    for more than one."""
    letters = {letter for letter in _plain(word) if letter.isalpha()}
    accents = len(unicodedata.normalize("NFKD", word)) > len(word)
    faces = letters <= TWO_FACED | GREEK.keys() and not TWO_FACED.isdisjoint(word)
    return faces and not accents


def _plain(text: str) -> str:
    """A text without case, width, accents and other forms of the same letter."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    parts = unicodedata.normalize("NFKD", folded)
    return "".join(c for c in parts if unicodedata.category(c) != "Mn")


def name_key(name: str) -> str:
    """The skeleton of letters that two names share when they look alike.

    Case, width, accents, separators and everything invisible fall away; letters and
    digits become the Latin letter that they are taken for. The key of a key is itself.
    """
    seen = _plain(name).translate(LOOKS)
    strokes = "".join(STROKES.get(letter, letter) for letter in map(_digit, seen))
    key = "".join(c for c in strokes if c.isalnum() and c not in BLANK)
    for pair, letter in PAIRS:
        key = key.replace(pair, letter)
    return key


def _digit(letter: str) -> str:
    """Digits of all scripts are those of one."""
    value = unicodedata.digit(letter, None)
    return letter if value is None else str(value)
