"""What a team's submissions gained: against its one before, and against the best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.submissions.publishing import history, published, released, team_of
from leaderboard.submissions.ranking import Field
from leaderboard.submissions.scores import Score, printed
from leaderboard.submissions.splitting import Split
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.policy import Disclosure


@dataclass(frozen=True)
class Change:
    """Between two scores as they are shown; `better` is None where they are equal."""

    text: str
    better: bool | None

    @classmethod
    def between(cls, old: Score | None, new: Score | None) -> "Change | None":
        """None unless both are defined."""
        if old is None or new is None or old.value is None or new.value is None:
            return None
        decimals = new.decimals[0]
        gain = round(new.value - old.value, decimals) + 0.0
        text = printed(gain, decimals)
        if not gain:
            return cls(text, None)
        better = (gain > 0) == new.measure.higher_is_better
        return cls(f"+{text}" if gain > 0 else text.replace("-", "−"), better)


@dataclass(frozen=True)
class Standing:
    """The headline of one submission beside the team's one before and the best."""

    score: Score
    previous: Change | None
    best: Change | None

    @property
    def leads(self) -> bool:
        """Nothing on the board is better."""
        return self.best is not None and self.best.better is not False


def standings(
    phase: Phase, entry: Participation, shown: Disclosure
) -> Mapping[UUID, Standing]:
    """By submission of the team, of those whose scores the disclosure lets it see.

    The best is that of the board as the same reader sees it: baselines and what was
    withdrawn do not count. The same few queries however many there are.
    """
    if not shown.own:
        return {}
    own = _headlines(phase, history(phase, {team_of(entry)}), shown)
    best = _best(phase, shown)
    found: dict[UUID, Standing] = {}
    before: Score | None = None
    for sent, score in own:
        change = Change.between(before, score)
        found[sent.pk] = Standing(score, change, Change.between(best, score))
        if _stands(sent):
            before = score
    return found


def _stands(sent: Submission) -> bool:
    decided = sent.withdrawn_at or sent.disqualified_at
    return not (decided or sent.baseline)


def _headlines(
    phase: Phase, past: Sequence[Evaluation], shown: Disclosure
) -> list[tuple[Submission, Score]]:
    """In order of receipt, of what is published."""
    if not past:
        return []
    test_sets = tuple(phase.test_sets.all())
    split = Split.of(phase, shown.parts[0])
    allowed = released(Field(phase, test_sets, tuple(past), split=split), shown)
    taken = tuple(e for e in past if e.pk in allowed)
    if not taken:
        return []
    headline = phase.task.headline_measure
    field = Field(phase, test_sets, taken, split=split)
    scores = published(field, [headline], shown)
    return [
        (evaluation.submission, row[headline.name])
        for evaluation, row in zip(taken, scores, strict=True)
    ]


def _best(phase: Phase, shown: Disclosure) -> Score | None:
    if not shown.board:
        return None
    ranked = Submission.objects.filter(phase=phase).ranked()
    ranks = set(ranked.values_list("pk", flat=True))
    known = [
        score
        for sent, score in _headlines(phase, history(phase), shown)
        if sent.pk in ranks
        and score.value is not None
        and (shown.as_of is None or sent.received_at <= shown.as_of)
    ]
    higher = phase.task.headline_measure.higher_is_better
    choose = max if higher else min
    return choose(known, key=lambda score: score.value or 0.0, default=None)
