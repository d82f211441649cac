"""The report on a bundle that was moved here: what was taken, and what was not.

What a look at the program adds has its words there (`programs/remarks.py`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from django.utils.translation import gettext_lazy as _

from leaderboard.extras.programs.remarks import LOOK, MOST_REMARKS, ProgramRemark, Words

# What was not taken, or not as it was: why, and what to do about it.
LEFT: Mapping[str, tuple[Words, Words]] = {
    "picture": (
        _("The picture {file} was not taken: tasks have none here."),
        _("Nothing needs to be done."),
    ),
    "page_pictures": (
        _("Pictures and frames of the page “{page}” were not taken."),
        _("Put them on a site of your own and link to them from the description."),
    ),
    "page_links": (
        _("Links of the page “{page}” that lead into the old site are plain text now."),
        _("Write whole addresses, beginning with https."),
    ),
    "page_cut": (
        _("Of the page “{page}” only the first 200,000 letters were taken."),
        _("Put the rest on a site of your own and link to it from the description."),
    ),
    "page_absent": (
        _("The page “{page}” was not taken: there is no file {file} in the bundle."),
        _("Write it as a part of the description."),
    ),
    "repeated_key": (
        _("'{key}' is there twice: line {last} was taken, line {first} was not."),
        _("Look which of the two is meant."),
    ),
    "docker": (
        _("The container image {image} was not taken: no containers run here."),
        _(
            "Scoring programs run with the packages that the operator lists. Ask for "
            "those that yours imports, or add wheel files to the program."
        ),
    ),
    "queue": (
        _("The queue {queue} and its workers were not taken."),
        _("The workers of this site score; nothing needs to be done."),
    ),
    "ingestion": (
        _("The ingestion program {file} was not taken: teams send predictions here."),
        _(
            "Let participants run their systems at home and send the predictions that "
            "the ingestion program would have written."
        ),
    ),
    "code": (
        _("This phase allowed submissions of code, which the draft does not."),
        _(
            "Say in the description that participants send predictions, or choose the "
            "option run_code and put the input of their code beside the gold."
        ),
    ),
    "input_data": (
        _("The input data {file} were not published: only programs saw them there."),
        _(
            "If participants need them for their predictions, put them into the input "
            "file of the test set."
        ),
    ),
    "solution": (
        _("The solution {file} was not taken: nothing that it answers is scored here."),
        _("Send it as a baseline where there is something for it."),
    ),
    "solution_absent": (
        _("The solution {file} was not taken: its files are not in the bundle."),
        _("Send it as a baseline, under Baselines."),
    ),
    "solution_code": (
        _("The solution {system} was not taken: it is code, and this task runs none."),
        _("Run it at home and send what it predicts as a baseline."),
    ),
    "solution_unfit": (
        _("The solution {system} could not be sent as a baseline: {problem}"),
        _("Send a file that can be scored, under Baselines."),
    ),
    "solution_unsent": (
        _("The solution {system} was not sent as a baseline: no organizer is named."),
        _("Send it under Baselines, or import with an organizer."),
    ),
    "detailed_results": (
        _("Detailed results, HTML written by the program, are not shown."),
        _("A file units.csv written by the program gives a table unit by unit."),
    ),
    "migration": (
        _("Submissions do not move into this phase by themselves."),
        _(
            "Ask teams to send again, or bring the submissions along with "
            "manage.py import_submissions."
        ),
    ),
    "time_limit": (
        _("The time limit of {seconds} s was not taken."),
        _("The operator sets the limit of scoring for the whole site."),
    ),
    "outputs": (
        _("What the program prints was shown to teams there; here organizers see it."),
        _("Choose 'show_output' under Scoring if teams may see it, too."),
    ),
    "reward": (
        _("The reward “{reward}” stands in the description only."),
        _("Set the number of prize places under Description."),
    ),
    "forum": (
        _("There is no forum here."),
        _("Name a mailing list or an issue tracker in the description."),
    ),
    "by_hand": (
        _("Submissions are scored as they come; there they were run by hand."),
        _("Pause the phase while nothing shall be accepted."),
    ),
    "monthly": (
        _("The limit of {number} submissions a month was not taken."),
        _("There are limits for a day and for the whole phase; set those."),
    ),
    "column_name": (
        _(
            "The column {column} was left out: its key cannot stand in the declaration "
            "of a measure."
        ),
        _("Let the program write it under another name, and declare that."),
    ),
    "computed": (
        _("The column {column} is computed of others by the old site."),
        _("Let the program write it, then declare it as a measure, under Scoring."),
    ),
    "hidden_headline": (
        _("The column {column} ranks and was hidden there; here it is shown."),
        _("Choose another headline measure if it shall not be."),
    ),
    "hidden_column": (
        _("The hidden column {column} was left out."),
        _("Declare it as a measure, under Scoring, if it may be seen."),
    ),
    "hidden_board": (
        _("The leaderboard was hidden: phases that close are blind until then."),
        _("Choose when scores are revealed in each phase; it happens by itself here."),
    ),
    "several_rows": (
        _("The rule {rule} showed several submissions of a team; a board shows one."),
        _("All of them stay on the team's own page."),
    ),
    "other_program": (
        _("{where} is scored by another program than the rest and was left out."),
        _("Import the bundle once more without the other phases, as a second task."),
    ),
    "no_reference": (
        _("{where} has no reference data and was left out."),
        _("Add a test set with its gold, then choose it in the phase."),
    ),
    "empty_phase": (
        _("The phase {phase} ({dates}) was left out: nothing is there to be scored."),
        _("Add a test set with its gold, then a phase with these dates."),
    ),
    "phase_over": (
        _("The phase {phase} is over: it ended {closes}. Nobody can send to it."),
        _("Give it an end to come, under Phases, if teams shall send to it."),
    ),
    "elsewhere": (
        _("{where} is only named: its files are on the old site, not in the bundle."),
        _("Download a copy of the competition with its files there, and import that."),
    ),
    "nested": (
        _("{file} was not taken: it is a zip inside a zip."),
        _("Put its files into the zip around it."),
    ),
    "hidden_phase": (
        _("The phase was hidden there: it is open to organizers only."),
        _("Open it to teams, in the phase, when it is time."),
    ),
    "program_unfit": (
        _("The scoring program was not taken: {problem}"),
        _("Fix the program and import again, or choose one of our scorers."),
    ),
    "could_be": (
        _("The columns of the program look like those of the scorer “{scorer}”."),
        _(
            "With it every score has an interval and systems are compared; with a "
            "program only if it writes values of units."
        ),
    ),
    "program_off": (
        _(
            "The scoring program stands in the draft, but this site does not run "
            "programs for your account."
        ),
        _("Ask the operator to allow it, or make the task with a scorer of ours."),
    ),
    "program_absent": (
        _("{where} has no scoring program in the bundle."),
        _("Choose a scorer of ours, or upload counts that you made elsewhere."),
    ),
    "suggested": (
        _("Its columns look like those of the scorer “{scorer}”, which the draft has."),
        _("Compare its page with your rules; then upload the gold in its format."),
    ),
    "not_suggested": (
        _("No scorer of ours has columns like {columns}; the draft has “{scorer}”."),
        _("Choose another one under Scoring before you upload the gold."),
    ),
    "no_columns": (
        _("No column of the leaderboards was taken; the draft has “{scorer}”."),
        _("Choose another one under Scoring before you upload the gold."),
    ),
    "no_gold": (
        _("The reference data of {where} were not taken: {scorer} cannot read them."),
        _("Add a test set with its gold, then choose it in the phases."),
    ),
    "remote": (
        _("Submissions were scored on a machine of the organizers."),
        _("The scorer for counts made elsewhere does the same here."),
    ),
    "splits": (
        _(
            "Of the data splits of {where} only {split} is shown: {others} were left "
            "out."
        ),
        _("Add a test set for each of them; or let the program write more columns."),
    ),
    "question": (
        _("The question “{question}” of the kind {kind} became a text."),
        _("Look at it under Fact sheet."),
    ),
    "too_long": (
        _("{what} was cut: it had more than {most} characters."),
        _("Write a shorter one."),
    ),
    "too_many": (
        _("Of {what} only the first {most} were taken."),
        _("Leave some out."),
    ),
    "blocked_domains": (
        _("Blocked mail domains ({domains}) were not taken."),
        _("Only domains that may enter can be named here; else admit each team."),
    ),
    "people": (
        _("Organizers named there ({people}) were not taken."),
        _("Invite them under Organizers."),
    ),
    "group": (
        _("Groups of columns stand before the titles of their columns."),
        _("Make a named board for each group, if that is easier to read."),
    ),
    "several_tasks": (
        _("One file was scored on every task there; here each test set has its own."),
        _("Say so in the description; the mean over test sets ranks."),
    ),
    "parallel": (
        _("Some phases run at the same time."),
        _("Look at the dates of the phases, and which of them somebody sends to."),
    ),
    "unknown": (
        _("'{key}' was not taken: it is not known here."),
        _("Look whether the task needs it."),
    ),
    "setting": (
        _("The setting '{key}' has no counterpart here."),
        _("Nothing needs to be done."),
    ),
    "wheels": (
        _("{file} of the program asks for packages; none are installed."),
        _("Ask the operator for them, or add wheel files to the program."),
    ),
}

# What was taken in another form than its own, worth a look.
TAKEN: Mapping[str, Words] = {
    "title": _("Title: {title}"),
    "pages": _("Pages, as parts of the description: {names}"),
    "terms": _("Terms, which each team accepts when it joins"),
    "contact": _("Contact: {address}"),
    "phases": _("Phases: {names}"),
    "tests": _("Test sets with reference data: {names}"),
    "program": _("Scoring program: {files} files"),
    "ingestion_taken": _(
        "Ingestion program: {files} files. Teams send code, which it runs on the "
        "input; the starting kit shows it to everybody"
    ),
    "in_place": _("{path} is not there: {found} was taken in its place"),
    "programs": _("{number} programs, joined: each scores its own test sets"),
    "measures": _("Measures: {names}; {headline} ranks"),
    "baselines": _("Solutions, sent as baselines: {names}"),
    "column_renamed": _(
        "The column “{key}” is the measure {name} here; the program writes it as before"
    ),
    "optional": _(
        "Measures are optional, for one program scores {number} test sets: a score "
        "that it leaves out is n/a. Take 'optional' away where a score must be there"
    ),
    "boards": _("Boards beside the main one: {names}"),
    "questions": _("Questions of the fact sheet: {names}"),
    "approval": _("Organizers admit each team"),
    "program_public": _("The program is handed out, as it was there"),
    "domains": _("Mail domains that may enter: {names}"),
    "date_month_first": _("“{given}” was read with the month first: {read}"),
    "date_day_first": _(
        "“{given}” was read with the day first, for its first number is no month: "
        "{read}"
    ),
    "date_read": _("“{given}” was read as {read}"),
    "handed_out": _("Starting kit and public data, as input files: {names}"),
}


class ImportRemark(ProgramRemark):
    """One line of the report; `where` is the part of the bundle it is about."""

    words: ClassVar[Mapping[str, tuple[Words, Words]]] = {
        **LEFT,
        **LOOK,
        **{code: (text, "") for code, text in TAKEN.items()},
    }

    @property
    def taken(self) -> bool:
        return self.code in TAKEN


remark, remarks_of = ImportRemark.with_values, ImportRemark.of_rows


def unique(remarks: Iterable[ImportRemark]) -> list[ImportRemark]:
    """Each remark once, in the order of the first; at most `MOST_REMARKS`."""
    seen = {(r.code, r.where, tuple(r.values.items())): r for r in remarks}
    return list(seen.values())[:MOST_REMARKS]


def list_remarks(remarks: Sequence[ImportRemark], *, taken: bool) -> list[ImportRemark]:
    return [remark for remark in remarks if remark.taken == taken]
