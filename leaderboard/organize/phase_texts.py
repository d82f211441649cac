"""What each field of a phase means for participants, beside the form's fields."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


@dataclass(frozen=True)
class Section:
    """A part of the form with the names of its fields."""

    key: str
    title: Text
    intro: Text
    names: tuple[str, ...]


SECTIONS = (
    Section("name", _("Name"), "", ("title", "name")),
    Section(
        "times",
        _("Times"),
        _(
            "Times are those on the clocks of the zone you choose, and are shown to "
            "participants in it. What arrives counts by when the request began."
        ),
        ("time_zone", "opens", "opens_which", "closes", "closes_which"),
    ),
    Section(
        "who",
        _("Who may submit"),
        _("Whoever may not is told why on the page and in the API."),
        ("who", "chosen"),
    ),
    Section(
        "quotas",
        _("How often"),
        _(
            "Counted per team and per person, so that changing teams gains nothing. A "
            "file that cannot be scored costs no attempt; what fails on our side is "
            "given back."
        ),
        ("daily_limit", "total_limit", "most_runs"),
    ),
    Section("data", _("What is scored"), "", ("test_sets", "counts")),
    Section(
        "shown",
        _("What is shown"),
        _(
            "The same rule holds for pages, exports, API and mails. Organizers see "
            "everything at any time."
        ),
        ("policy", "reveal_at", "reveal_at_which", "freeze_from", "freeze_from_which"),
    ),
    Section(
        "guard",
        _("Guarding the test data"),
        _(
            "Every published score tells something about the gold. On small test sets "
            "many attempts add up; these three keep that small."
        ),
        ("publication", "step", "private_share", "new_salt"),
    ),
)

LABELS: dict[str, Text] = {
    "title": _("Title"),
    "name": _("Name in addresses"),
    "time_zone": _("Time zone"),
    "who": _("Open to"),
    "chosen": _("Chosen teams"),
    "daily_limit": _("Attempts a day"),
    "total_limit": _("Attempts in all"),
    "most_runs": _("Runs of one entry"),
    "test_sets": _("Test sets"),
    "counts": _("Which submission counts"),
    "policy": _("Scores"),
    "publication": _("How exactly scores are shown"),
    "step": _("Step"),
    "private_share": _("Private share"),
}

HELP: dict[str, Text] = {
    "title": _("As participants read it, for example “Test phase”."),
    "name": _(
        "Short, lower case, as in the address of its board. It stays once "
        "something was sent."
    ),
    "time_zone": _(
        "A day of the quota begins at midnight here; days on which the "
        "clocks change have 23 or 25 hours."
    ),
    "who": _(
        "Organizers may always send pilots. Others see the phase and its board "
        "but cannot submit."
    ),
    "chosen": _(
        "Only asked where teams are chosen. Nobody can submit until you choose one."
    ),
    "daily_limit": _(
        "How many a team and a person may send each day; empty is no limit."
    ),
    "total_limit": _(
        "How many over the whole phase; empty is no limit. Thirty is "
        "usual for a test phase."
    ),
    "most_runs": _(
        "An entry may hold so many runs of one system, from several seeds "
        "say, and shows their mean. 1 is one run, 10 the most."
    ),
    "test_sets": _("Teams send one file for each. A file that is missing counts 0."),
    "counts": _(
        "Best: teams may try freely. Last: teams decide by what they send at "
        "the end. Chosen: teams mark one on its page."
    ),
    "policy": _(
        "Everything at once lets teams learn fastest. Only the best hides how "
        "often others tried. Blind tells a team that its file was received and "
        "is valid, nothing else."
    ),
    "publication": _(
        "Exact scores help honest teams and those who probe alike. A grid "
        "rounds scores and intervals. A ladder publishes a new score only "
        "when it is clearly better than the team’s last."
    ),
    "step": _(
        "Of a grid in score points (0.5 shows 71.3 as 71.5). Of a ladder in "
        "standard errors of the score; empty is 1."
    ),
    "private_share": _(
        "The share of units, from 0.1 to 0.9, that decides the final "
        "ranking and that nobody knows. Until the reveal all scores "
        "come from the rest. 0.5 to 0.7 is usual; empty is no split."
    ),
}
