"""Messages and hints of the format check in the language of the reader.

The engine speaks English and knows nothing of languages: it puts values into its texts.
Here its texts stand with places for values, so that they can be translated; what a
reader gets is found by matching. A text that is not among them stays English.
"""

import re
from functools import lru_cache

from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_noop as _

TEXTS = (
    _("the file is empty"),
    _("the file holds no answer, only comments"),
    _("lines end with CR alone; expected LF (or CRLF)"),
    _("Save the file with Unix line ends."),
    _("the text at %(a)s-%(b)s is '%(c)s', the line says '%(d)s'"),
    _("the sentence has %(a)s words; expected %(b)s."),
    _("word ID '%(a)s' where %(b)s was expected."),
    _("Answer every id of the blind file."),
    _("the file has no record below its first line."),
    _("more than %(a)s lines"),
    _("no column %(a)s found; there are: %(b)s."),
    _("expected %(a)s lines, found %(b)s."),
    _("Write one answer for each line of the blind file."),
    _("Answer the ids of the blind file, and no others."),
    _("'%(a)s' is empty."),
    _("id '%(a)s' stands in line %(b)s already."),
    _("Give each id once."),
    _("the line is empty."),
    _("the record has no id."),
    _("the id is longer than %(a)s characters."),
    _("there is no item '%(a)s'."),
    _("no answers found"),
    _("the id '%(a)s' holds a character that cannot be seen."),
    _("'%(a)s' is missing."),
    _("'%(a)s' is a list or an object; expected a text."),
    _("the zip lists %(a)s members; at most %(b)s are read"),
    _("its header contradicts the listing"),
    _("a second member has this name"),
    _("the zip holds more than %(a)s bytes"),
    _("a zip inside a zip is not read"),
    _("expected a token and its tag, separated by a tab or a space"),
    _("more than %(a)s different tags"),
    _("expected O, %(a)s as the tag"),
    _("no token line found; expected CoNLL-U with ten tab-separated columns"),
    _("expected ten columns separated by tabs, found %(a)s."),
    _('Write one object a line: {"id": "...", ...}.'),
    _("two columns are called '%(a)s'"),
    _("more than %(a)s different names in the objects"),
    _("Name every column once."),
    _("expected a JSON object."),
    _("more than %(a)s columns"),
    _("expected %(a)s as in the first line, found %(b)s."),
    _("not readable as CSV (%(a)s)."),
    _(
        "Put a text with quotes between double quotes and double those in it, or use "
        "tabs or JSON Lines."
    ),
    _("the line has more than %(a)s characters."),
    _("instance '%(a)s' has line %(b)s already."),
    _("expected 'lexelt instance' or the instance alone."),
    _("more than %(a)s spans cover one character"),
    _("the text differs: found '%(a)s', expected '%(b)s'."),
    _("the range '%(a)s' does not cover words that follow it."),
    _("the text ends before '%(a)s'."),
    _("'%(a)s' comes after the end of the text."),
    _("the FORM is empty."),
    _("expected %(a)s fields, '%(b)s'; found %(c)s."),
    _("Separate them by spaces or tabs, and write no space into a field."),
    _("'%(a)s' is no score; expected a number, as in 12.5."),
    _("%(a)s lines; expected at most %(b)s."),
    _("unknown topic '%(a)s'."),
    _(
        "%(a)s documents for topic '%(b)s'; expected at most %(c)s. This is the first "
        "one too many."
    ),
    _("Keep the best documents of each topic."),
    _("topic '%(a)s' stands twice."),
    _("document '%(a)s' stands twice for topic '%(b)s', first in line %(c)s."),
    _("Keep one of the two lines."),
    _("word %(a)s is '%(b)s'; expected '%(c)s'."),
    _("%(a)s sentences found, %(b)s expected; the first %(c)s agree."),
    _("the sentence has no words."),
    _("HEAD is '%(a)s'; expected a number from 0 to %(b)s."),
    _("the sentence has %(a)s roots; this task expects one."),
    _("the heads go round in a circle."),
    _("no sentence found; expected [S:id] {unl} ... {/unl} [/S]"),
    _("sentence '%(a)s' is not in this test set."),
    _("the sentence's id is '%(a)s'; expected [S:id]."),
    _("[/S] without [S:id] before it."),
    _("%(a)s is not closed."),
    _("%(a)s without %(b)s before it."),
    _("a second {unl} in one sentence; expected one."),
    _("sentence '%(a)s' again, after line %(b)s."),
    _("The labels of this task are: %(a)s."),
    _("the label '%(a)s' %(b)s."),
    _("more than %(a)s different labels."),
    _("there is no token in the file."),
    _("'%(a)s' is no number."),
    _("'%(a)s' is larger than %(b)s."),
    _(
        "the text differs from the reference at character %(a)s: expected %(b)s, found "
        "%(c)s"
    ),
    _("there is no document"),
    _("not UTF-8 text: byte 0x%(a)s at column %(b)s%(c)s"),
    _("Save the file as UTF-8 and upload it again."),
    _("Unpack it and send the file that is in it."),
    _("and %(a)s more problems like these"),
    _("and more problems like these"),
    _("Write fewer words into one multiword token."),
    _("Write the line as brat does: id, tab, label and offsets, tab, text."),
    _("Answer every id of the blind file, none with nothing."),
    _("Separate the columns by single tabs; write _ for an empty one."),
    _("Let one of these words depend on a word outside the circle."),
    _("Put fewer spans inside each other."),
    _("Copy ids, words and texts from the blind file and fill in the answers only."),
    _("Pack the documents themselves, not an empty folder."),
    _("See whether your program wrote its output to another place."),
    _("Offsets count characters from 0; the end is that of the first one outside."),
    _("Name the documents as in the blind file, and each of them once."),
    _("Write lexelt, instance and one sense or more, separated by spaces."),
    _("Close every [S:...] with [/S] and every {name} with {/name}, in this order."),
    _("Write the number of the word above it, 0 for a root."),
    _("Copy the ids of the blind file."),
    _("Write the file with a JSON library, as UTF-8."),
    _("Use a plain name as the label."),
    _("Use fewer different labels: they are the kinds of spans, not the spans."),
    _("End the line after every instance."),
    _("Put the .ann and the .txt file of each document side by side."),
    _("Send every document of the blind file, also those without spans."),
    _("See whether this is the file you meant."),
    _("Send one file, not a folder of them."),
    _("Answer every sentence once."),
    _("Give exactly one word of the sentence the HEAD 0."),
    _("Copy the comment lines of the blind file."),
    _("Write [S:id] with the id that the blind file gives the sentence."),
    _("Split nothing further than the blind file does; the file is too large."),
    _("Use O, or a prefix of the task's scheme with the label: B-NAME, I-NAME."),
    _("Take the text of the blind file as it is, every character of it."),
    _("See whether this file belongs to another test set."),
    _("Divide the weights of the line by their sum."),
    _("Number the words of each sentence 1, 2, 3, ..."),
    _("Write & as &amp; and < as &lt; in texts, and close every element."),
    _("Pack plain files under plain names."),
    _("Make a plain zip of the files."),
)
PLACE = re.compile(r"%\((\w)\)s")
Pattern = tuple[str, re.Pattern[str]]


def _pattern(text: str) -> re.Pattern[str]:
    """What a text matches with any values; `%%` stands for a percent sign."""
    parts = PLACE.split(text)
    for place, part in enumerate(parts):
        # Every second one is the name of a place.
        odd = place % 2
        parts[place] = f"(?P<{part}>.*)" if odd else re.escape(part.replace("%%", "%"))
    return re.compile("".join(parts), re.DOTALL)


# The more a text says itself the surer it is meant.
PATTERNS: list[Pattern] = sorted(
    ((text, _pattern(text)) for text in TEXTS),
    key=lambda pair: -len(PLACE.sub("", pair[0])),
)


def in_language(text: str) -> str:
    """The text of a problem in the language in force; itself where it has none."""
    return _translated(text, get_language() or "")


@lru_cache(maxsize=1000)
def _translated(text: str, _language: str) -> str:
    for known, pattern in PATTERNS:
        if found := pattern.fullmatch(text):
            return gettext(known) % found.groupdict()
    return text
