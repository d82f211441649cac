"""Ten changes that developers often make, as edits of a copy of this tree.

Each is made in the files that its row of CONTRIBUTING.md names, and `proofs.py` sees in
the changed copy that it works. `python -m tests.changes.common_changes` prints how many
files each of them touches.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "CONTRIBUTING.md"
CODE = (".py", ".html", ".jinja")


@dataclass(frozen=True)
class Edit:
    """Text that is put before or after a line of a file, or makes a new file.

    `beside` is the whole of that line without its indentation, and must stand in the
    file once; without it the file is new.
    """

    path: str
    text: str
    beside: str = ""
    before: bool = False

    def make(self, tree: Path) -> None:
        place = tree / self.path
        if not self.beside:
            assert not place.exists(), f"{self.path} is there already"
            place.write_text(self.text, "utf-8")
            return
        lines = place.read_text("utf-8").splitlines(keepends=True)
        found = [i for i, line in enumerate(lines) if line.strip() == self.beside]
        assert len(found) == 1, (
            f"{self.beside!r} stands {len(found)} times: {self.path}"
        )
        at = found[0] + (not self.before)
        lines[at:at] = [self.text]
        place.write_text("".join(lines), "utf-8")


@dataclass(frozen=True)
class Change:
    """A change, by its row in the guide; `migrated` is the app with a new migration."""

    row: str
    edits: tuple[Edit, ...]
    migrated: str = ""

    @property
    def files(self) -> list[str]:
        return sorted({edit.path for edit in self.edits})

    @property
    def code(self) -> list[str]:
        return [path for path in self.files if path.endswith(CODE)]

    def make(self, tree: Path) -> None:
        for edit in self.edits:
            edit.make(tree)


def rows_of_guide() -> dict[str, str]:
    """The table of CONTRIBUTING.md: what its second column says of each change."""
    rows = re.findall(r"^\| ([^|]+?) \| (.+) \|$", GUIDE.read_text("utf-8"), re.M)
    return dict(rows)


COLUMN = Change(
    "a column of the board",
    (
        Edit(
            "leaderboard/boards/rows.py",
            '    RowMember("team_initial", CharField(), csv=True),\n',
            'RowMember("team", CharField(), csv=True),',
        ),
        Edit(
            "leaderboard/boards/rows.py",
            '        "team_initial": row.team[:1],\n',
            '"team": row.team,',
        ),
        Edit(
            "templates/boards/_head.html",
            '    <th scope="col">Initial</th>\n',
            '<th scope="col" class="system">{% trans "Team and system" %}</th>',
            before=True,
        ),
        Edit(
            "templates/boards/_rows.jinja",
            '    <td class="initial">{{ row["team_initial"] }}</td>\n',
            '<th scope="row" class="system">',
            before=True,
        ),
    ),
)
FIELD = Change(
    "a field of a phase",
    (
        Edit(
            "leaderboard/tasks/models/task.py",
            """\
    venue = models.CharField(
        _("Venue"), max_length=60, default="", db_default="", blank=True
    )
""",
            "most_runs = models.PositiveSmallIntegerField(",
            before=True,
        ),
        Edit(
            "leaderboard/tasks/bundle/schema.py",
            '    venue: Annotated[Word, InApi()] = ""\n',
            "paused: Flag = False",
            before=True,
        ),
        Edit(
            "docs/organizers/bundle.md",
            "    venue: Otterville              # where its results are presented\n",
            "most_runs: 1                   # of one system, as one entry",
        ),
    ),
    migrated="tasks",
)
FORMAT = Change(
    "an export format",
    (
        Edit(
            "leaderboard/extras/publishing/formats/plain_list.py",
            '''\
"""Plain text: one line for each system."""

from leaderboard.extension.exports import ExportTable
from leaderboard.extension.formats import ExportFormat


def write(table: ExportTable) -> str:
    return "".join(f"{line.row['system']}\\n" for line in table.lines)


FORMATS = (ExportFormat("list.txt", "Plain list", "text/plain", write),)
''',
        ),
        Edit(
            "docs/participants/exports.md",
            "- **list.txt**: the names of systems, one a line.\n",
            "would execute with an apostrophe.",
        ),
    ),
)
JOB = Change(
    "a job of the sandbox",
    (
        Edit(
            "leaderboard/sandbox/jobs/line_count.py",
            '''\
"""Lines of a file, counted where nothing else is at hand."""

from collections.abc import Sequence

from scoring.sandbox.codec import Request, Values


def line_count(request: Request) -> tuple[Values, Sequence[bytes]]:
    return {"lines": request.files[0].count(b"\\n")}, []
''',
        ),
        Edit(
            "leaderboard/submissions/kit.py",
            """\


def line_count(data: bytes) -> int:
    values, _files = client.run("line_count", Request(files=[data]))
    return int(values["lines"])
""",
            "return {name: (file, data) for (name, file), data in named}, "
            'answer["worked"]',
        ),
    ),
)
STATE = Change(
    "a state of a submission",
    (
        Edit(
            "leaderboard/submissions/models.py",
            "    held_at = models.DateTimeField(null=True, blank=True)\n",
            "withdrawn_at = models.DateTimeField(null=True, blank=True)",
        ),
        Edit(
            "leaderboard/results/status.py",
            'HELD = Badge(_("Held"), "badge-late")\n',
            'WITHDRAWN = Badge(_("Withdrawn"), "badge-late")',
        ),
        Edit(
            "leaderboard/results/status.py",
            "        if sent.held_at:\n            badges.append(HELD)\n",
            "if sent.disqualified_at:",
            before=True,
        ),
    ),
    migrated="submissions",
)
OPTION = Change(
    "an option of a scorer",
    (
        Edit(
            "scoring/scorers/attachment.py",
            """\
    Option(
        "heads", "which heads count", "choice", "all", ("all", "none")
    ),
""",
            'Option("relations", "shipped relation lists", "choice", "ud1", '
            '("ud1", "ud2")),',
        ),
        Edit(
            "scoring/scorers/attachment.py",
            '    if options["heads"] == "none":\n        head[:] = True\n',
            "return Agreement(head, label)",
            before=True,
        ),
    ),
)
FILTER = Change(
    "a filter of My submissions",
    (
        Edit(
            "leaderboard/results/my_submissions.py",
            '    begins = CharField(label="Begins")\n',
            'tag = CharField(label=gettext_lazy("Tag"), widget=Select)',
            before=True,
        ),
        Edit(
            "leaderboard/results/my_submissions.py",
            '        "begins": "how names of systems begin",\n',
            '"phase": "name of a phase",',
        ),
        Edit(
            "leaderboard/results/my_submissions.py",
            """\
    begin = {"system__startswith": chosen["begins"]}
    submissions = submissions.filter(**begin)
""",
            'if chosen["tag"]:',
            before=True,
        ),
    ),
)
MAIL = Change(
    "a kind of mail",
    (
        Edit(
            "leaderboard/teams/mail.py",
            """\
def _mail_of_thanks(row: Mail, creation_request: CreationRequest) -> EmailMessage:
    subject = prefix_subject("Your request arrived")
    return EmailMessage(subject, creation_request.about, to=[row.address])


MailKind("thanks", _mail_of_thanks, REQUESTS)
""",
            "MailKind(ACCOUNT, _account)",
            before=True,
        ),
        Edit(
            "leaderboard/teams/creators.py",
            """\
            key = creation_request.pk
            outbox.order(Mail(kind="thanks", about=key, address=user.email))
""",
            "outbox.order(Mail(kind=ASKED_FOR, about=creation_request.pk))",
        ),
    ),
)
SETTING = Change(
    "a setting",
    (
        Edit(
            "leaderboard/settings.py",
            'MOTTO = os.environ.get("PLUMBLINE_MOTTO", "")\n',
            'RABBIT_URL = env_address("RABBIT_URL", "amqp", "amqps")',
            before=True,
        ),
        Edit(
            "deploy/env.example",
            "#PLUMBLINE_MOTTO=\n",
            "PLUMBLINE_BIND=127.0.0.1:8000",
        ),
    ),
)
CHART = Change(
    "a kind of chart",
    (
        Edit(
            "leaderboard/boards/charts/attempts.py",
            '''\
"""The number of attempts of each system, as a chart."""

from leaderboard.boards.board import Board
from leaderboard.boards.charts.figures import (
    Chart,
    axis,
    figure,
    points,
    system_columns,
    systems_axis,
)
from leaderboard.boards.charts.kinds import ChartKind


def attempts(board: Board) -> Chart:
    rows = board.rows
    numbers = [row.entries for row in rows]
    trace = points(
        rows, [row.system for row in rows], x=numbers, y=list(range(len(rows)))
    )
    drawn = figure([trace], 300, axis("Attempts"), systems_axis(rows))
    lines = [(row.team, row.system, str(row.entries)) for row in rows]
    return Chart("Attempts of teams", "", drawn, system_columns("Attempts"), lines)


KINDS = (
    ChartKind("attempts", "Attempts", lambda request: attempts(request.board)),
)
''',
        ),
    ),
)
CHANGES = (
    COLUMN,
    FIELD,
    FORMAT,
    JOB,
    STATE,
    OPTION,
    FILTER,
    SETTING,
    CHART,
    MAIL,
)


def table() -> Iterator[str]:
    """A line for each change: files, and those of them that are code or templates."""
    for change in CHANGES:
        files, code = len(change.files), len(change.code)
        written = " and a migration" if change.migrated else ""
        yield f"{change.row:30}{files:3} files, {code} of code{written}"
    files = sum(len(change.files) for change in CHANGES)
    code = sum(len(change.code) for change in CHANGES)
    yield f"{'all ten':30}{files:3} files, {code} of code"


if __name__ == "__main__":
    print(*table(), sep="\n")
