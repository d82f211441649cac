"""A task ranked by a measure that is no function of sums, on every page that counts."""

from datetime import timedelta

import numpy as np
import pytest
import yaml
from django.test import Client
from django.utils import timezone
from scipy.stats import spearmanr

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.comparison.pairs import SideBySide, slice_lines
from leaderboard.organize.setup_check import check_setup
from leaderboard.results import score_progress
from leaderboard.results.board_sample import BoardSample, Slice, measured_numbers
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.tasks.policy import Disclosure, Part
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.leaderboard.small import scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]

ITEMS = 90
RNG = np.random.default_rng(3)
GOLD = np.round(RNG.normal(3, 1, ITEMS), 1)
SYSTEMS = {
    name: np.round(GOLD + RNG.normal(0, noise, ITEMS), 1)
    for name, noise in (("near", 0.5), ("far", 1.5), ("farther", 2.0))
}
DOCUMENT = np.arange(ITEMS) // 2
GENRE = np.where(DOCUMENT % 3 > 0, "letter", "log")


def file(values: np.ndarray, gold: bool = False) -> bytes:
    more = ",document,genre" if gold else ""
    lines = [f"id,value{more}"]
    for i, value in enumerate(values.tolist()):
        group = f",d{DOCUMENT[i]:02},{GENRE[i]}" if gold else ""
        lines.append(f"i{i:02},{value}{group}")
    return "\n".join([*lines, ""]).encode()


def task(ada: User, unit: str, **phase: object) -> Task:
    opens = timezone.now() - timedelta(days=1)
    table = {
        "plumbline": 1,
        "draft": False,
        "slug": "alike",
        "title": "Alike",
        "scorer": {"name": "numbers", "headline": "spearman", "unit": unit},
        "bootstrap": {"resamples": 200, "seed": 7, "level": 0.95},
        "test_sets": [{"name": "only", "gold": "gold.csv"}],
        "phases": [{"name": "test", "opens": opens.isoformat(), **phase}],
    }
    files = {"gold.csv": file(GOLD, gold=True)}
    files["task.yaml"] = yaml.safe_dump(table).encode()
    return create_task(Source("alike", files), ada)


def entered(task: Task) -> dict[str, Submission]:
    sent = {}
    for name, values in SYSTEMS.items():
        user = User.objects.create_user(f"{name}@example.org")
        entry = join(task, Team.found(name, user))
        files = {"only": file(values)}
        sent[name] = scored(task.phases.get(), entry, files, system=name)
    return sent


def sample(phase: Phase, part: Part = Part.ALL) -> BoardSample:
    entries = Evaluation.objects.order_by("submission__received_at")
    return BoardSample.of(phase, entries.select_related("submission"), part)


def spearman(chosen: np.ndarray) -> list[float]:
    return [
        float(spearmanr(GOLD[chosen], values[chosen]).statistic)
        for values in SYSTEMS.values()
    ]


@pytest.mark.parametrize("unit", ["item", "document"])
def test_board_slices_tests_and_pages(unit: str, ada: User, client: Client) -> None:
    made = task(ada, unit)
    sent = entered(made)
    phase, measure = made.phases.get(), made.headline_measure
    rows = board(BoardQuery(phase)).rows
    assert [row.system for row in rows] == ["near", "far", "farther"]
    found = [row.scores[0].exact["value"] for row in rows]
    assert found == pytest.approx(spearman(np.ones(ITEMS, dtype=bool)), abs=1e-12)
    assert all(row.scores[0].exact["low"] is not None for row in rows)
    assert rows[0].standing.range == "1"

    # Only items have a genre; documents are slices of themselves.
    group, label, chosen = (
        ("genre", "log", GENRE == "log")
        if unit == "item"
        else ("document", "d03", DOCUMENT == 3)
    )
    everyone = sample(phase)
    of_slice = BoardSample(
        phase, everyone.test_sets, everyone.evaluations, Slice(group, label)
    )
    values = measured_numbers(of_slice, [measure])[:, 0]
    assert values == pytest.approx(spearman(chosen), nan_ok=True)

    side = SideBySide(board(BoardQuery(phase)), [row.submission for row in rows], [])
    shown = [one.differences for one in slice_lines(side) if one.label == label]
    assert len(shown) == (unit == "item")
    for differences in shown:
        # The first minus the others, as in the differences of the whole.
        for difference, other in zip(differences, values[1:], strict=True):
            assert float(difference.text) == pytest.approx(values[0] - other, abs=0.006)

    pair = everyone.comparisons(measure)[0]
    assert pair.p_value is not None
    assert pair.p_value < 0.01
    assert pair.randomization is not None
    assert pair.randomization < 0.01

    client.force_login(ada)
    chosen_pair = {"system": [str(sent["near"].pk), str(sent["far"].pk)]}
    for path, query in (
        ("/tasks/alike/test/board/", {}),
        ("/tasks/alike/test/charts/", {}),
        ("/tasks/alike/test/compare/", chosen_pair),
        ("/tasks/alike/test/separation/", {"systems": 3}),
        (f"/submissions/{sent['near'].pk}/", {}),
        ("/api/v1/tasks/alike/test/board/", {}),
    ):
        assert client.get(path, query, follow=True).status_code == 200, path


def test_the_setup_check_tells_what_such_a_board_resolves(ada: User) -> None:
    checked = check_setup(task(ada, "document"))
    (only,) = checked.test_sets
    assert not only.problems
    assert checked.has_passed
    assert only.units == only.informative == 45
    assert [row.title for row in only.rows][:1] == ["The gold itself"]
    assert only.separation is not None
    assert only.separation > 0


def test_gains_between_two_of_a_team_name_no_units(ada: User) -> None:
    made = task(ada, "item")
    entered(made)
    everyone = sample(made.phases.get())
    first_two = BoardSample(
        everyone.phase, everyone.test_sets, everyone.evaluations[:2]
    )
    (gains,) = score_progress._per_test_set(first_two, Disclosure())
    assert gains.units is None
    groups = dict(gains.slices)
    assert {part.name for part in groups["genre"]} == {"letter", "log"}


def test_a_private_part_of_documents_keeps_their_items_together(ada: User) -> None:
    made = task(ada, "document", private_share=0.5)
    entered(made)
    phase, measure = made.phases.get(), made.headline_measure
    parts = [sample(phase, part) for part in (Part.PUBLIC, Part.PRIVATE)]
    documents = [set(part.counts[0][0].units) for part in parts]
    assert len(documents[0] | documents[1]) == 45
    assert not documents[0] & documents[1]
    for part, names in zip(parts, documents, strict=True):
        chosen = np.array([f"d{number:02}" in names for number in DOCUMENT])
        values = measured_numbers(part, [measure])[:, 0]
        assert values == pytest.approx(spearman(chosen), abs=1e-12)
