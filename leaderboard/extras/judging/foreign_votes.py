"""Votes that people gave elsewhere: tables of Appraise, Pearmut, and arenas.

Appraise writes lines without a head: judge, system, unit, type, two languages, score,
document, whether it is the whole document. Of types TGT counts; what checks judges is
left out. Pearmut writes JSON: items, and for each item annotations by system. Arenas
have `model_a`, `model_b` and `winner`. Names of judges become numbers and are not kept.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from leaderboard.extension.access import lock_rows
from leaderboard.extension.forms import Refusal
from leaderboard.extras.judging import spans, tallies
from leaderboard.extras.judging.assignment import next_number
from leaderboard.extras.judging.models import (
    Assignment,
    Campaign,
    Choice,
    Judge,
    JudgedAnswer,
    Vote,
)
from scoring.errors import Refused
from scoring.formats.bundle import LOCAL_MARK, only_member
from scoring.formats.json_errors import json_error
from scoring.formats.recognition import check_text
from scoring.formats.text_forms import form_of
from scoring.source import check_line_ends

MOST_BYTES = 16 << 20
TOLD = 5  # mistakes
WINNERS = {
    "model_a": Choice.LEFT,
    "a": Choice.LEFT,
    "model_b": Choice.RIGHT,
    "b": Choice.RIGHT,
    "tie": Choice.EQUAL,
    "tie (bothbad)": Choice.BAD,
    "bothbad": Choice.BAD,
    "both_bad": Choice.BAD,
}
MODEL = "model_a"
ARENA = {MODEL, "model_b", "winner"}
OF_UNIT = ("unit", "item_id", "question_id", "id")
OF_JUDGE = ("judge", "judge_hash", "user_id", "user", "evaluation_session_id")
TYPES = ("TGT", "BAD", "CHK", "REF")
NOT_JUDGED = ("welcome_", "random_", "goodbye_")  # items of Pearmut that teach or check


@dataclass(frozen=True)
class ForeignVote:
    """A vote as it stands in a file; spans in it are by characters."""

    line: int
    judge: str
    unit: str
    systems: tuple[str, ...]
    values: Mapping[str, Any]


@dataclass(frozen=True)
class BroughtIn:
    """How many votes of a file are new, were there before, and are left out."""

    new: int
    repeated: int
    left_out: int


def votes_in(data: bytes) -> tuple[list[ForeignVote], int]:
    """The votes of a file, and how many lines are none. Raises Refusal."""
    text = _text_of(data)
    try:
        if text.lstrip()[:1] in ("[", "{"):
            return _votes_in_records(list(_records(text)))
        rows = _rows(text)
    except JSONDecodeError as error:
        why = json_error(error)
        sentence = _("The file cannot be read: %(why)s.") % {"why": why}
        sentence += " " + _("Line %(n)s.") % {"n": error.lineno}
        raise Refusal(sentence, code="unfit") from None
    except (ValueError, RecursionError, csv.Error) as error:
        sentence = _("The file cannot be read: %(why)s.") % {"why": str(error)[:200]}
        raise Refusal(sentence, code="unfit") from None
    head = _names(rows[0]) if rows else []
    if {*head} >= ARENA:
        named = [
            (line, dict(zip(head, row, strict=False)))
            for line, row in enumerate(rows[1:], 2)
            if any(map(str.strip, row))
        ]
        return _votes_in_records(named)
    return _votes_in_appraise(rows)


def _names(row: Sequence[str]) -> list[str]:
    return [name.strip().lower() for name in row]


def _text_of(data: bytes) -> str:
    """The text of a file, or of the one file in a zip. Raises Refusal."""
    try:
        if data.startswith(LOCAL_MARK):
            data = only_member("votes.zip", data)
        check_text("votes", data, Refused)
        check_line_ends("votes", data, Refused)
        text = data.decode("utf-8-sig")
        text = form_of("votes", text, Refused, identity=MODEL).text
    except UnicodeDecodeError:
        raise Refusal(_("The file is not in UTF-8."), code="unfit") from None
    except Refused as refused:
        problem = refused.problems[0]
        sentence = f"{str(problem.message).rstrip('.')}. {problem.hint}".strip()
        if problem.line:
            sentence += " " + _("Line %(n)s.") % {"n": problem.line}
        raise Refusal(sentence[:1].upper() + sentence[1:], code="unfit") from None
    if "\0" in text:
        raise Refusal(_("The file holds a character NUL."), code="unfit")
    if not text.strip():
        raise Refusal(_("The file is empty."), code="unfit")
    return text


def _rows(text: str) -> list[list[str]]:
    """The rows of a table, whatever separates the names in its head."""
    head = text.partition("\n")[0]
    for mark in ";\t":
        if {*_names(next(csv.reader([head.rstrip()], delimiter=mark), []))} >= ARENA:
            return list(csv.reader(io.StringIO(text), delimiter=mark))
    return list(csv.reader(io.StringIO(text)))


def _records(text: str) -> Iterator[tuple[int, Any]]:
    """JSON records, one a line."""
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except JSONDecodeError as error:
                raise JSONDecodeError(error.msg, text, start + error.pos) from None
        start += len(line) + 1


def _votes_in_records(
    records: Sequence[tuple[int, Any]],
) -> tuple[list[ForeignVote], int]:
    all_votes: list[ForeignVote] = []
    left_out = 0
    for line, record in records:
        if isinstance(record, Mapping) and record.keys() >= ARENA:
            all_votes.append(_battle(line, record))
        elif (
            isinstance(record, Mapping) and "annotation" in record and "item" in record
        ):
            votes = list(_votes_in_annotation(line, record))
            all_votes += votes
            left_out += not votes
        else:
            sentence = _(
                "Line %(n)s is of no known form: expected model_a, model_b and winner, "
                "or item and annotation."
            )
            raise Refusal(sentence % {"n": line}, code="unfit")
    return all_votes, left_out


def _battle(line: int, record: Mapping[str, Any]) -> ForeignVote:
    winner = str(record["winner"]).strip().lower()
    systems = (str(record["model_a"]), str(record["model_b"]))
    own = {systems[0].lower(): Choice.LEFT, systems[1].lower(): Choice.RIGHT}
    choice = WINNERS.get(winner) or own.get(winner)
    values = {"choice": str(choice.value) if choice else winner}
    return ForeignVote(
        line, _first(record, OF_JUDGE), _first(record, OF_UNIT), systems, values
    )


def _first(record: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(record[x]) for x in names if record.get(x) not in (None, "")), "")


def _votes_in_annotation(line: int, record: Mapping[str, Any]) -> Iterator[ForeignVote]:
    if str(record.get("item_i", "")).startswith(NOT_JUDGED):
        return
    items, given = record["item"], record["annotation"]
    if not isinstance(items, list) or not isinstance(given, list):
        return
    for item, by_system in zip(items, given, strict=False):
        if not isinstance(item, Mapping) or not isinstance(by_system, Mapping):
            continue
        for system, judgement in by_system.items():
            if isinstance(judgement, Mapping):
                values = {
                    "score": judgement.get("score"),
                    "spans": judgement.get("error_spans"),
                }
                unit = str(item.get("item_id", ""))
                judge = _first(record, OF_JUDGE)
                yield ForeignVote(line, judge, unit, (str(system),), values)


def _votes_in_appraise(rows: Sequence[Sequence[str]]) -> tuple[list[ForeignVote], int]:
    votes, left_out = [], 0
    for line, row in enumerate(rows, 1):
        if not row:
            continue
        if len(row) < 7 or row[3] not in TYPES:
            sentence = _(
                "Line %(n)s is of no known form: expected judge, system, unit, type, "
                "two languages and a score, or a table with the columns model_a, "
                "model_b and winner."
            )
            raise Refusal(sentence % {"n": line}, code="unfit")
        if row[3] != "TGT" or (len(row) > 8 and row[8] == "True"):
            left_out += 1
            continue
        values = {"score": row[6], "spans": None}
        votes.append(ForeignVote(line, row[0], row[2], (row[1],), values))
    return votes, left_out


def bring_in(campaign: Campaign, data: bytes) -> BroughtIn:
    """Take votes of a file into a campaign: all, or none. What is there already, by
    judge, unit and systems, is not taken again. Raises Refusal."""
    if len(data) > MOST_BYTES:
        sentence = _("The file is larger than %(n)s MiB.") % {"n": MOST_BYTES >> 20}
        raise Refusal(sentence, code="too_large")
    votes, left_out = votes_in(data)
    if not (votes or left_out):
        raise Refusal(_("The file is empty."), code="unfit")
    answers = JudgedAnswer.objects.filter(unit__campaign=campaign)
    answers = answers.exclude(submission=None)  # known answers
    places: dict[tuple[str, str], JudgedAnswer] = {}
    for answer in answers.select_related("unit", "submission"):
        assert answer.submission is not None
        for name in (answer.submission.system, str(answer.submission_id)):
            places[answer.unit.name, name] = answer
    units, systems = ({pair[n] for pair in places} for n in (0, 1))
    ready, wrong = [], []
    for vote in votes:
        judged = [places.get((vote.unit, system)) for system in vote.systems]
        values = _values(campaign, vote, judged)
        if why := _unknown(vote, units, systems) or _why_not(
            campaign, vote, judged, values
        ):
            wrong.append(_("Line %(n)s: %(why)s") % {"n": vote.line, "why": why})
        else:
            ready.append((vote, judged, values))
    if wrong:
        more = len(wrong) - TOLD
        sentences = [*wrong[:TOLD], *([_("And %s more.") % more] if more > 0 else [])]
        raise Refusal(" ".join(sentences), code="unfit")
    return _store(campaign, ready, left_out)


def _values(
    campaign: Campaign, vote: ForeignVote, judged: Sequence[JudgedAnswer | None]
) -> dict[str, Any] | None:
    """The values of a foreign vote as a vote here has them; None where they fit no
    question of the campaign."""
    first = judged[0]
    if campaign.in_pairs != (len(vote.systems) == 2) or first is None:
        return None
    if campaign.in_pairs:
        return campaign.values_in(vote.values)
    raw: dict[str, Any] = {
        column: _whole(vote.values["score"]) for column, _text in campaign.questions
    }
    words = spans.words_of(first.text) if campaign.marks_errors else []
    if campaign.marks_errors:
        raw["spans"] = _by_words(campaign, vote.values["spans"], first.text)
    one_question = len(campaign.questions) <= 1
    return campaign.values_in(raw, len(words)) if one_question else None


def _whole(score: Any) -> Any:
    """A score that other programs may write with a point."""
    try:
        return round(float(score))
    except (TypeError, ValueError, OverflowError):
        return None


def _by_words(campaign: Campaign, given: Any, text: str) -> Any:
    """Spans by words, from spans by characters, both ends in them."""
    if not isinstance(given, list):
        return [] if given is None else None
    starts = [match.start() for match in spans.WORD.finditer(text)]
    severities = {name.lower(): name for name, _weight in campaign.severities}
    categories = {name.lower(): name for name in campaign.categories}
    marks = []
    for span in given:
        if not isinstance(span, Mapping):
            return None
        places = [span.get("start_i"), span.get("end_i")]
        inside = all(isinstance(x, int) and 0 <= x < len(text) for x in places)
        words = [
            max(sum(start <= place for start in starts), 1)
            if inside and place is not None
            else None
            for place in places
        ]
        category = str(span.get("category") or "")
        marks.append(
            {
                "start": words[0],
                "end": words[1],
                "category": categories.get(category.lower(), category)
                if campaign.categories
                else "",
                "severity": severities.get(str(span.get("severity")).lower()),
            }
        )
    return marks


def _unknown(vote: ForeignVote, units: set[str], systems: set[str]) -> str:
    """The name in a vote that the campaign has not."""
    if foreign := [system for system in vote.systems if system not in systems]:
        text = _("the campaign has no system “%(system)s”.")
        return text % {"system": foreign[0][:80]}
    if vote.unit not in units:
        return _("the campaign has no unit “%(unit)s”.") % {"unit": vote.unit[:80]}
    return ""


def _why_not(
    campaign: Campaign, vote: ForeignVote, judged: Sequence[Any], values: Any
) -> str:
    if campaign.in_pairs != (len(vote.systems) == 2):
        return _("the campaign asks another question than this file answers.")
    if not vote.judge:
        return _("no judge is named.")
    for system, answer in zip(vote.systems, judged, strict=True):
        if answer is None:
            names = {"unit": vote.unit[:80], "system": system[:80]}
            return _("“%(system)s” has no answer to unit “%(unit)s” here.") % names
    if len(set(vote.systems)) < len(vote.systems):
        return _("a system is compared with itself.")
    if values is None:
        return _("its values answer no question of the campaign.")
    return ""


def _store(campaign: Campaign, ready: Sequence[Any], left_out: int) -> BroughtIn:
    now = timezone.now()
    with transaction.atomic():
        lock_rows(Campaign.objects.filter(pk=campaign.pk)).get()
        judges: dict[str, Judge] = {}
        number = next_number(campaign)
        stored = {judge.key: judge for judge in campaign.judges.all()}
        rows = Assignment.objects.filter(judge__campaign=campaign)
        taken = set(rows.values_list("key", flat=True))
        assignments, values = [], []
        for vote, judged, vote_values in ready:
            key = _secret(campaign, "judge", vote.judge)
            if key not in stored:
                stored[key] = Judge.objects.create(
                    campaign=campaign, number=number, key=key
                )
                number += 1
            judges[vote.judge] = stored[key]
            pair = sorted(str(answer.pk) for answer in judged)
            key = _secret(campaign, "vote", vote.judge, *pair)
            if key in taken:
                continue
            taken.add(key)
            assignments.append(
                Assignment(
                    judge=judges[vote.judge],
                    unit_id=judged[0].unit_id,
                    first=judged[0],
                    second=judged[1] if len(judged) > 1 else None,
                    key=key,
                    voted_at=now,
                )
            )
            values.append(vote_values)
        stored_assignments = Assignment.objects.bulk_create(assignments)
        Vote.objects.bulk_create(
            Vote(assignment=assignment, key=assignment.key, values=vote_values, at=now)
            for assignment, vote_values in zip(stored_assignments, values, strict=True)
        )
        tallies.recount(campaign)
    return BroughtIn(
        len(stored_assignments), len(ready) - len(stored_assignments), left_out
    )


def _secret(campaign: Campaign, *parts: str) -> UUID:
    """A key that is the same each time and that nobody can guess."""
    text = json.dumps([campaign.pk, *parts])
    digest = salted_hmac("judging.foreign_votes", text, algorithm="sha256").digest()
    return UUID(bytes=digest[:16], version=4)
