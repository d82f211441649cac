"""The example of what each reader sees is the policy's, in handbook and form."""

from datetime import UTC, datetime
from pathlib import Path

from leaderboard.organize.policy_example import views
from leaderboard.tasks.models import Phase, Task

MAY = {
    "task": Task(title="Otters"),
    "opens": datetime(2026, 5, 1, tzinfo=UTC),
    "closes": datetime(2026, 5, 15, tzinfo=UTC),
}
LATER = datetime(2026, 5, 22, tzinfo=UTC)
FREEZE = datetime(2026, 5, 12, tzinfo=UTC)
EXAMPLES = {
    "`open`, `freeze_from`": Phase(**MAY, freeze_from=FREEZE),
    "`best`, `private_share`": Phase(
        **MAY, policy="best", private_share=0.5, reveal_at=LATER
    ),
    "`blind`, `reveal_at`": Phase(**MAY, policy="blind", reveal_at=LATER),
}


def lines() -> list[str]:
    rows = []
    for title, phase in EXAMPLES.items():
        for view in views(phase):
            cells = [title, view.since, view.public, view.team]
            rows.append(f"| {' | '.join(cells)} |")
            title = ""
    return rows


def test_the_handbook_says_what_the_policy_gives_each_reader() -> None:
    page = Path(__file__).parents[2] / "docs" / "organizers" / "disclosure.md"
    assert "\n".join(lines()) in page.read_text()


def test_nobody_but_organizers_reads_a_score_of_a_blind_phase_before_the_reveal() -> (
    None
):
    before, after = views(EXAMPLES["`blind`, `reveal_at`"])
    assert (before.public, before.team) == ("no board", "received and valid, no score")
    assert before.organizers == "every entry"
    assert after.since == "from the reveal" and after.team == "each score"
