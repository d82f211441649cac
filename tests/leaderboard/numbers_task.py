"""A task whose measures are no shares: numbers on three test sets, by correlation."""

from collections.abc import Mapping

import yaml

from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.leaderboard.small import manifest, scored

HERE = "/tasks/otters/test"
GOLD = "id,value,genre\n" + "".join(
    f"i{n},{n * n},{'tale' if n % 2 else 'letter'}\n" for n in range(20)
)
# No correlation with an answer that never changes.
CONSTANT = ("id,value\n" + "".join(f"i{n},1\n" for n in range(20))).encode()
GROWING = ("id,value\n" + "".join(f"i{n},{n}\n" for n in range(20))).encode()
NAMES = ("north", "south", "west")


def sent_to_numbers(answers: Mapping[str, bytes], headline: str = "pearson") -> Phase:
    """A phase of three test sets, and each answer sent to it as a system."""
    ada = User.objects.create_user("ada@example.org", "x", name="Ada")
    sets = [{"name": n, "title": n, "gold": f"gold/{n}.csv"} for n in NAMES]
    scorer = {"name": "numbers", "measures": ["pearson", "rmse"]}
    table = manifest(scorer=scorer | {"headline": headline}, test_sets=sets)
    files = {f"gold/{name}.csv": GOLD.encode() for name in NAMES}
    about = {"task.yaml": yaml.safe_dump(table).encode(), "description.md": b"Numbers."}
    task = create_task(Source("otters", {**about, **files}), ada)
    entry = join(task, Team.found("Adas", ada))
    for system, answer in answers.items():
        whole = dict.fromkeys(NAMES, answer)
        scored(task.phases.get(), entry, whole, system=system)
    return task.phases.get()
