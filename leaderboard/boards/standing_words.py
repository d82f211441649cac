"""How sure a rank is, in the reader's language."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.ranks import runs
from scoring.standings import Standing


def in_words(standing: Standing) -> str:
    """What `scoring.standings.in_words` says in English; empty for n/a."""
    if standing.rank is None:
        return ""
    if not standing.others:
        return _("the only ranked system")
    if not standing.level_with:
        return _("statistically apart from every other system")
    if len(standing.level_with) == standing.others:
        return _("statistically level with every other system")
    said = ngettext(
        "statistically level with rank %(ranks)s",
        "statistically level with ranks %(ranks)s",
        len(set(standing.level_with)),
    )
    return said % {"ranks": runs(standing.level_with)}
