"""A backlog of heavy work, and light work of other teams that comes in waves beside it.

Run as a program it does the same on the site of its environment: `manage.py serve`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from leaderboard.submissions.models import FINAL, Evaluation, EvaluationState
from tests.waiting import wait_until

PATIENCE = 600.0
LOOK_SECONDS = 0.1
# Half of the programs take a processor, half only time.
WORK = """
import select, time
if {burns}:
    while time.process_time() < {seconds}: pass
else:
    select.select([], [], [], {seconds})
"""
SECONDS = 2


@dataclass(frozen=True)
class Backlog:
    """`heavy` programs of teams with three each; `light` uploads of one team each."""

    heavy: int
    light: int
    waves: int
    seconds: float = SECONDS  # of a program


# What waits is counted, not timed: a program has to last while light work is sent.
SHORT, FULL = Backlog(8, 4, 2, seconds=0.7), Backlog(36, 6, 5)


def run(backlog: Backlog, look: Callable[[], object]) -> list[str]:
    """Send everything and wait until it is scored; what was broken, in words.

    `look` is called all the time.
    """
    from tests.campaigns.invariants import violations

    acknowledged = heavy_work(backlog.heavy, backlog.seconds)
    wait_until(lambda: _running(heavy=True), PATIENCE, "heavy work is under way")
    numbers = count()
    for _ in range(backlog.waves):
        sent = light_work(backlog.light, numbers)
        acknowledged += sent
        _wait_for(sent, look)
    left = Evaluation.objects.filter(heavy=True).exclude(state__in=FINAL).count()
    _wait_for(acknowledged, look)
    states = set(Evaluation.objects.values_list("state", flat=True))
    broken = violations(acknowledged)
    if states != {EvaluationState.SCORED}:
        broken.append(f"states are {states}")
    if not left:
        broken.append("the heavy work had ended before the last light work")
    return broken


def heavy_work(number: int, seconds: float = SECONDS) -> list[str]:
    from leaderboard.tasks.bundle.create import create_task
    from leaderboard.teams.models import User
    from tests.extras.programs.test_programs import bundle, submitted
    from tests.scoring.programs import RIGHT

    owner, _ = User.objects.get_or_create(email="owner@example.org")
    tasks = []
    for burns in (False, True):
        script = WORK.format(burns=burns, seconds=seconds) + RIGHT
        source = bundle(script, slug=f"answers-{burns}".lower())
        tasks.append(create_task(source, owner))
    return [
        str(submitted(tasks[i % 2], b"a b x y\n", f"heavy{'ab'[i % 2]}{i // 6}").pk)
        for i in range(number)
    ]


def light_work(number: int, numbers: "count[int]") -> list[str]:
    from leaderboard.submissions import accept
    from leaderboard.tasks.bundle.create import create_task
    from leaderboard.tasks.models import Task
    from leaderboard.tasks.participation import join
    from leaderboard.teams.models import Team, User
    from tests.leaderboard.small import both, bundle, upload

    owner = User.objects.get(email="owner@example.org")
    task = Task.objects.filter(slug="otters").first() or create_task(bundle(), owner)
    sent = []
    for _, i in zip(range(number), numbers, strict=False):
        user = User.objects.create_user(f"light{i}@example.org", "x")
        entry = join(task, Team.found(f"Light {i}", user))
        sent.append(str(accept.submit(upload(task.phases.get(), entry, both())).pk))
    return sent


def _running(heavy: bool) -> bool:
    running = Evaluation.objects.filter(state=EvaluationState.RUNNING, heavy=heavy)
    return running.exists()


def _wait_for(submissions: list[str], look: Callable[[], object]) -> None:
    sent = Evaluation.objects.filter(submission__in=submissions)

    def ended() -> bool:
        look()
        return not sent.exclude(state__in=FINAL).exists()

    wait_until(ended, PATIENCE, "everything is scored", every=LOOK_SECONDS)
