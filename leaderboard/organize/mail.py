"""What a mail of organizers looks like: plain text, one person each."""

from dataclasses import dataclass

from django.core.mail import EmailMessage
from django.utils.translation import gettext as _

from leaderboard.languages import of_reader
from leaderboard.tasks.models import Letter
from leaderboard.tasks.outbox import headers, site, subject_of
from leaderboard.teams.models import User
from leaderboard.teams.views import off_address


def text_of(letter: Letter, reader: User) -> str:
    """The letter with what every one ends in: who sent it, why, how to stop them."""
    lines = [
        letter.text.strip(),
        "",
        "-- ",
        _("Written by the organizers of %(task)s: %(address)s")
        % {"task": letter.task.title, "address": site(letter.task.get_absolute_url())},
        _("You get this because your team entered that task."),
        _("No more letters of organizers: %(address)s")
        % {"address": site(off_address(reader))},
    ]
    return "\n".join(lines)


@dataclass(frozen=True)
class Envelope:
    """A letter to one person; `number` tells it from every other delivery."""

    letter: Letter
    reader: User
    number: int

    def message(self) -> EmailMessage:
        """What stands below the letter is in its reader's language."""
        letter, task = self.letter, self.letter.task
        name = f"letter-{letter.pk}-{self.number}"
        off = site(off_address(self.reader))
        with of_reader(self.reader):
            body = text_of(letter, self.reader)
        return EmailMessage(
            subject=subject_of(task, letter.subject),
            body=body,
            to=[self.reader.email],
            reply_to=[letter.by.email] if letter.by else None,
            headers=headers(task, name, off),
        )
