"""Letters of an extra, stored with what they tell of and sent by a worker."""

# All mail is a row of the outbox.
from leaderboard.mail.outbox import MailKind, NotWanted, order
from leaderboard.organize.mail import MESSAGE  # The kind of organizers' messages.
from leaderboard.tasks.mail import subject_of
from leaderboard.web.languages import of_reader
