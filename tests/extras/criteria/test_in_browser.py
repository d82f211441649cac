"""Pages of several measures and of cost in a browser: accessible, and narrow enough."""

import numpy as np
import pytest
import yaml
from playwright.sync_api import BrowserContext

from leaderboard.tasks.bundle.create import create_task
from leaderboard.teams.models import User
from scoring.source import Source
from tests.e2e.conftest import static_files
from tests.e2e.test_accessibility import complaints, too_wide
from tests.extras.judging.test_in_browser import pictured
from tests.leaderboard.judged import sent
from tests.organize.crowd import entered, person
from tests.organize.marked_items import UNITS, answers, bundle

__all__ = ["static_files"]


@pytest.mark.django_db(transaction=True)
def test_pages_of_measures_and_cost_are_accessible_and_fit_a_phone(
    browser_context: BrowserContext, sandbox_inline: None, ada: User
) -> None:
    made = bundle()
    table = yaml.safe_load(made.files["task.yaml"])
    both = {"measures": ["accuracy", "macro_f1"], "weights": [2, 1]}
    table["combinations"] = [
        {"name": "ranks", "title": "By ranks", "way": "ranks", **both},
        {"name": "scores", "title": "By z-scores", "way": "z", **both},
    ]
    table["fact_sheet"] = [
        {"name": "size", "title": "Parameters (B)", "kind": "number"},
        {"name": "price", "title": "Price (€)", "kind": "number"},
    ]
    files = {**made.files, "task.yaml": yaml.safe_dump(table).encode()}
    task = create_task(Source("marks", files), ada)
    rng = np.random.default_rng(1)
    for i in range(8):
        right = rng.random(UNITS) < 0.5 + 0.05 * i
        entry = entered(task, f"Team {i}", person(f"p{i}@example.org"))
        facts = {"size": [7, 1.5, 70, 13, 3, 8, 32, 120][i], "price": 9 - i}
        sent(task, entry, answers(i, right), system=f"system-{i}", facts=facts)
    page = browser_context.new_page()
    for name, address in (
        ("combined-ranks", "/tasks/marks/test/combined/"),
        ("combined-z", "/tasks/marks/test/combined/?combination=scores"),
        ("front", "/tasks/marks/test/front/"),
    ):
        page.goto(address)
        assert complaints(page, address) == []
        pictured(page, name)
        page.set_viewport_size({"width": 390, "height": 900})
        assert too_wide(page, address) == []
