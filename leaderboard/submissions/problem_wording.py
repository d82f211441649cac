"""Problems of files in the language of the reader.

The engine speaks English and knows nothing of languages: its problems carry the
templates of their sentences with the values (`scoring.messages`). Translations of the
templates are in the catalogues; plain text, as in old rows and of plug-ins, stays as
it is.
"""

from django.utils.translation import gettext

from scoring.messages import Wording


def in_language(text: str) -> str:
    """A message or hint in the language in force; itself where it has none."""
    if not isinstance(text, Wording):
        return text
    template = gettext(text.template) if text.template else ""
    if not text.values:
        return template
    values = {
        name: in_language(value) if isinstance(value, Wording) else value
        for name, value in text.values.items()
    }
    return template % values
