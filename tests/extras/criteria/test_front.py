"""The front of score and cost: cases worked by hand, its probability, and its page."""

import numpy as np
import pytest
import yaml
from django.test import Client
from scipy import stats

from leaderboard.extras.criteria.front import _RawDraws, chances, on_front, truths
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.counts import Floats
from scoring.source import Source
from tests.leaderboard.judged import sent
from tests.organize.crowd import entered, person
from tests.organize.marked_items import UNITS, answers, bundle

PAGE = "/tasks/marks/test/front/"


def test_a_front_is_as_worked_out_by_hand() -> None:
    costs = np.array([1.0, 2.0, 2.0, 3.0, 4.0])
    # The second is beaten at its own price, the fourth is no better than a cheaper one.
    scores = np.array([0.5, 0.6, 0.7, 0.7, 0.9])
    assert on_front(scores, costs).tolist() == [True, False, True, False, True]
    # Twins are both on it.
    assert on_front(np.array([0.5, 0.5]), np.array([1.0, 1.0])).tolist() == [True, True]


def test_the_cheapest_system_is_always_on_the_front() -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(50, 7))
    assert on_front(scores, np.arange(1.0, 8.0))[:, 0].all()


def _told(
    rng: np.random.Generator, systems: int, spread: float, slope: float
) -> tuple[Floats, Floats]:
    """Probabilities of one board, and which systems are truly on the front."""
    units, costs = 300, np.exp(rng.normal(0, 1.5, systems))
    true = slope * np.log(costs) + rng.normal(0, spread, systems)
    # Hard units are hard for all.
    each = (
        true
        + 0.5 * rng.normal(size=(units, 1))
        + 0.5 * rng.normal(size=(units, systems))
    )
    weights = rng.multinomial(units, np.full(units, 1 / units), 300)
    found = truths(each.mean(axis=0), (weights @ each / units).T, costs, 5, 800)
    assert found is not None
    return chances(found, costs), on_front(true, costs)


# Systems, spread of their true scores, and what a cost of e times as much adds.
BOARDS = [
    (12, 0.03, 0.02),
    (12, 0.06, 0.0),
    (20, 0.04, 0.02),
    (20, 0.1, 0.03),
    (30, 0.06, 0.01),
]


def _off(boards: int, seed: int) -> tuple[Floats, Floats]:
    """What was told less what was true in ten bins, and its standard error; boards of
    each kind, with systems close together, at a standard error of .03, or wide apart.
    """
    rng = np.random.default_rng(seed)
    pairs = [_told(rng, *kind) for kind in BOARDS * boards]
    told = np.concatenate([one for one, _true in pairs])
    true = np.concatenate([one for _told, one in pairs])
    bins = [np.minimum((10 * told).astype(int), 9) == i for i in range(10)]
    off = np.array([told[own].mean() - true[own].mean() for own in bins])
    return off, np.array([0.5 / np.sqrt(own.sum()) for own in bins])


def test_the_probability_of_the_front_is_calibrated_as_far_as_few_boards_tell() -> None:
    off, error = _off(20, 21)
    assert (np.abs(off) <= 0.03 + 2 * error).all(), np.round(off, 3)


@pytest.mark.slow
def test_ten_bins_of_the_probability_are_within_three_points() -> None:
    off, _error = _off(500, 21)
    assert np.abs(off).max() <= 0.03, np.round(off, 3)


def test_very_few_systems_have_no_probability() -> None:
    assert truths(np.zeros(3), np.zeros((3, 5)), np.ones(3), 1) is None


def test_the_same_seed_gives_the_same_probabilities() -> None:
    rng = np.random.default_rng(1)
    values, costs = rng.normal(size=6), np.arange(6.0)
    drawn = values[:, None] + rng.normal(size=(6, 100))
    first, second = (truths(values, drawn, costs, 4) for _ in range(2))
    assert first is not None and second is not None
    assert (first == second).all()


def test_probabilities_are_drawn_from_raw_bits_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The methods of numpy's generators may give other numbers in other versions."""
    values, costs = np.arange(6.0), np.arange(1.0, 7.0)
    drawn = values[:, None] + np.random.default_rng(1).normal(size=(6, 100))
    for name in ("Generator", "default_rng"):
        monkeypatch.delattr(np.random, name)
    found = truths(values, drawn, costs, 4)
    assert found is not None and found.shape == (4000, 6)


def test_normal_numbers_from_raw_bits_are_standard_normal() -> None:
    found = _RawDraws(7).normal(3001, 7)
    assert found.shape == (3001, 7)
    assert stats.kstest(found.ravel(), "norm").pvalue > 0.01
    assert abs(np.corrcoef(found[:, 0], found[:, 1])[0, 1]) < 0.06


LINE = "assumes that scores follow a straight line along the"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("costs", "assumed"),
    [
        ((7.0, 3.0, 9.0, 12.5, 1.0, 2.0), f"{LINE} logarithm of the cost"),
        ((7.0, 3.0, 9.0, 12.5, 0.0, 2.0), f"{LINE} cost itself"),
        ((7.0, 3.0, 9.0, 12.5), "lie above and below one level"),
        ((7.0,) * 6, "lie above and below one level"),
        ((7.0, 3.0, 9.0), ""),
    ],
)
def test_the_page_says_what_its_probability_assumes(
    ada: User, client: Client, costs: tuple[float, ...], assumed: str
) -> None:
    task = create_task(with_cost(), ada)
    send(task, costs)
    text = " ".join(client.get(PAGE, {"cost": "size"}).content.decode().split())
    assert ("It assumes" in text) == bool(assumed)
    assert assumed in text


def with_cost(**phase: object) -> Source:
    made = bundle(**phase)
    table = yaml.safe_load(made.files["task.yaml"])
    table["fact_sheet"] = [
        {"name": "size", "title": "Parameters (B)", "kind": "number"}
    ]
    return Source("marks", {**made.files, "task.yaml": yaml.safe_dump(table).encode()})


def send(task: Task, costs: tuple[float | None, ...]) -> None:
    for i, cost in enumerate(costs):
        right = np.arange(UNITS) % 10 < 3 + i
        entry = entered(task, f"Team {i}", person(f"p{i}@example.org"))
        facts = {} if cost is None else {"size": cost}
        sent(task, entry, answers(i, right), system=f"system-{i}", facts=facts)


@pytest.mark.django_db
def test_the_page_lists_systems_by_cost_with_their_probability(
    ada: User, client: Client
) -> None:
    task = create_task(with_cost(), ada)
    # system-1 is better than system-0 and costs less.
    send(task, (7.0, 3.0, 9.0, 12.5, None))
    text = client.get(PAGE, {"cost": "size"}).content.decode()
    places = [text.index(f">system-{i}<") for i in (1, 0, 2, 3)]
    assert places == sorted(places)
    assert "Parameters (B)" in text
    assert "Left out, for they told no such number or lack a test set: 1." in text
    assert text.count("%</td>") == 4
    assert PAGE in client.get("/tasks/marks/test/board/").content.decode()
    left = client.get(PAGE, {"fact.size.max": "8"}).content.decode()
    assert ">system-3<" not in left
    assert client.get(PAGE, {"cost": "weight"}).status_code == 404


@pytest.mark.all_extras
@pytest.mark.django_db
def test_stored_numbers_that_are_no_amounts_are_left_out(
    ada: User, client: Client
) -> None:
    task = create_task(with_cost(), ada)
    send(task, (-1.0, 3.0, 1e308))
    text = client.get(PAGE, {"cost": "size"}).content.decode()
    assert ">system-1<" in text
    assert ">system-0<" not in text
    assert "Left out, for they told no such number or lack a test set: 2." in text
    chart = client.get("/tasks/marks/test/charts/?chart=facts&across=size")
    assert chart.status_code == 200


@pytest.mark.django_db
def test_without_a_number_in_the_sheet_there_is_no_page(
    ada: User, client: Client
) -> None:
    create_task(bundle(), ada)
    assert client.get(PAGE).status_code == 404
