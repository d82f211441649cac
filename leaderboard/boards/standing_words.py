"""How sure a rank is, in the reader's language."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.standings import Standing


def in_words(standing: Standing) -> str:
    """What `scoring.standings.in_words` says in English; empty for n/a."""
    if standing.rank is None:
        return ""
    if not standing.complete:
        return _("incomplete: not compared with other systems")
    if not standing.others:
        return _("the only ranked system")
    if not standing.level:
        return _("significantly different from every other system")
    if standing.level == standing.others:
        return _("not significantly different from any other system")
    said = ngettext(
        "not significantly different from rank %(ranks)s",
        "not significantly different from ranks %(ranks)s",
        1 if standing.level_with.isdigit() else 2,
    )
    return said % {"ranks": standing.level_with}
