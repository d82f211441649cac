"""Every route of the site with who may use it, and what is sent there.

What is only read is `read`; `form` is read and sent, with what `post` changes in the
form that stands on the page; `button` is only sent. Where somebody sends it who may,
something has to be written, or `idle` says why not. Routes of an extra stand in the
module `joins` of its tests.
"""

from tests.joined import joined
from tests.leaderboard.small import one_wrong, perfect
from tests.organize.matrix_access import (
    ADMINISTRATORS,
    EDIT,
    ENTERED,
    ENTERED_API,
    INVITED,
    LINKED,
    MEMBERS,
    MONITORED,
    ON_A_BOARD,
    OPERATORS,
    OWN,
    PEOPLE,
    PUBLIC,
    SEE,
    SPEAKS,
    TASK,
    TEAM,
    TOKEN,
)
from tests.organize.routes import Route, button, form, read

SIGNED_IN = PUBLIC.signed_in
TASK_SIGNED_IN = TASK.signed_in


LATEST = "2040-01-01T12:00:00"
NOW = "2031-01-01T12:00:00"
QUESTION, BOARD = {"name": "size"}, {"name": "heads"}
TEAM_PK, OVER, LATER = {"pk": "team"}, {"phase": "over"}, {"phase": "later"}
ENDED = {"pk": "ended"}
# Two different ones: whoever sends one for two test sets is asked.
FILES = {
    "file_north": perfect(),
    "file_south": one_wrong(),
    "file_west": perfect() + b"\n",
}
ROWS = {"start": "start"}
CSV = {"format": "csv"}
NEW_SET = {"title": "Hill", "name": "hill", "gold": perfect(), "position": "9"}
NEWS = {"kind": "news", "text": "Rain is coming."}
LETTER = {"audience": "all", "subject": "Rain", "text": "Is coming.", "send": "1"}
GRANTED = {"answer": "granted"}
MORE_TIME = {"team": "Bens", "until": f"{LATEST}Z"}
PHASE = {"title": "Next", "name": "next"}
ZIP = "a bundle is looked at first and applied by a token; tested with bundles"
ANOTHER = "a revision is being prepared already; tested with the API"
CHECKED = "the check runs the scorer and writes nothing"

PUBLIC_ROUTES = {
    "home": read(PUBLIC),
    "about": read(PUBLIC),
    "privacy": read(PUBLIC),
    "accessibility": read(PUBLIC),
    "scorers": read(PUBLIC),
    # Without a name it is the page of nobody.
    "team-results": read(PUBLIC, get=404),
    "handbook": read(PUBLIC),
    "handbook-search": read(PUBLIC, query="?q=interval"),
    "handbook-page": read(PUBLIC, named={"name": "organizers/bundle"}),
    "handbook-file": read(PUBLIC, named={"name": "deploy/env.example"}),
    "scorer": read(PUBLIC, named={"name": "attachment"}),
    "api": read(PUBLIC),
    "api-docs": read(PUBLIC),
    "api-schema": read(PUBLIC),
    "api-nothing": read(PUBLIC, get=404, named={"rest": "v1/nowhere/"}),
    "api-scorers": read(PUBLIC),
    "api-tasks": Route(SIGNED_IN, {"bundle": b"no zip"}, reading=PUBLIC, idle=ZIP),
    "api-me": read(SIGNED_IN),
    "api-teams": read(SIGNED_IN),
    "api-team-results": read(PUBLIC, get=404),
    "tokens": form(SIGNED_IN, post={"name": "x", "scopes": "read", "days": "30"}),
    "token-revoke": button(TOKEN, named={"key": "key"}),
    "healthz": read(PUBLIC),
    "set-language": button(PUBLIC, {"language": "ru"}),
    "readyz": read(PUBLIC),
    "metrics": read(MONITORED),
    "queue": read(OPERATORS),
    "creation-requests": form(ADMINISTRATORS, {"request": "{asked}", **GRANTED}),
    "messages-off": form(LINKED, post={}, named={"token": "letters"}),
    "results-off": form(LINKED, post={}, named={"token": "results"}),
    "mail-choice": form(SIGNED_IN, post={"wants_messages": ""}),
    "profile": read(SIGNED_IN),
    "profile-name": form(SIGNED_IN, post={"name": "Somebody Else"}),
    "teams": form(SIGNED_IN, post={"name": "Newcomers"}),
    "team": form(MEMBERS, post={"action": "invite"}, named={"number": "own_team"}),
    "team-invitation": form(
        SIGNED_IN,
        post={},
        named={"token": "team_token"},
        reading=LINKED,
    ),
    "invitation": form(
        INVITED, post={}, reading=LINKED.signed_in, named={"token": "token"}
    ),
    "new-task": form(SIGNED_IN, post={}, idle=ZIP),
    "new-task-form": form(
        SIGNED_IN,
        query="?scorer=attachment",
        post={"title": "Voles", "slug": "voles", "headline": "las"},
    ),
}
TASK_ROUTES = {
    "task": read(TASK),
    "join": form(TASK_SIGNED_IN, post={"name": "Newcomers"}),
    "my-team": form(ENTERED, post={"action": "withdraw", "sure": "on"}),
    "option-file": read(TASK, named={"name": "weights.csv"}),
    "task-log": read(TASK),
    "follow": button(TASK_SIGNED_IN),
    "task-data": read(TASK),
    "task-rules": read(TASK),
    "task-results": read(TASK),
    "task-board": read(TASK, get=302),
    "my-submissions": read(TASK_SIGNED_IN),
    "compare-own": read(TASK_SIGNED_IN),
    "board": read(TASK),
    "charts": read(TASK),
    "chart-file": read(TASK),
    "snapshots": read(TASK),
    "snapshot": read(TASK, named=ROWS),
    "snapshot-rows": read(TASK, named=ROWS),
    "board-export": read(TASK, named=CSV),
    "board-exports": read(TASK),
    "snapshot-export": read(TASK, named={**ROWS, **CSV}),
    "submit": form(ENTERED, post={"system": "new", **FILES}),
    "blind-file": read(TASK),
    "kit": read(TASK),
    "api-task": read(TASK),
    "api-log": read(TASK),
    "api-snapshots": read(TASK),
    "api-snapshot": read(TASK, named=ROWS),
    "api-board": read(TASK),
    "api-uncertainty": read(TASK),
    "api-exports": read(TASK),
    "api-export": read(TASK, named={"form": "csv"}),
    "api-phases": read(TASK),
    "api-phase": read(TASK),
    "api-deadline": Route(
        EDIT.signed_in, {"closes": f"{LATEST}Z", "note": "Floods."}, get=405
    ),
    "api-extensions": Route(OWN.signed_in, MORE_TIME),
    "api-test-sets": read(TASK),
    "api-blind-file": read(TASK),
    "api-option-file": read(TASK, named={"name": "weights.csv"}),
    "api-my-submissions": read(TASK_SIGNED_IN),
    "api-team": Route(TASK_SIGNED_IN, {"name": "Newcomers"}),
    "api-bundle": Route(EDIT.signed_in, {"bundle": b"no zip"}, idle=ZIP),
    "api-publication": Route(EDIT.signed_in, {}, idle="only a draft is published"),
    "api-gold-revisions": Route(
        EDIT.signed_in, {"file_north": one_wrong()}, idle=ANOTHER
    ),
    "api-gold-revision": read(EDIT.signed_in),
    "api-check": Route(ENTERED_API, FILES, get=405, idle="a check stores nothing"),
    "api-submissions": Route(ENTERED_API, {"system": "new", "key": "k", **FILES}),
}
SUBMISSION_ROUTES = {
    "submission": read(TEAM),
    "receipt": read(TEAM),
    "api-submission": read(TEAM),
    "api-evaluations": read(TEAM),
    "api-withdraw": button(SPEAKS),
    "api-pick": button(SPEAKS, idle="nothing is chosen where the best one counts"),
    "system": read(ON_A_BOARD),
    "system-paper": read(ON_A_BOARD),
    "describe": form(SPEAKS, post={"title": "More", "text": "Told."}),
    "facts": form(SPEAKS, post={"fact_size": "8"}),
    "sent-file": read(SPEAKS),
    "note": form(SPEAKS, post={"text": "Try more rain.", "tags": "rain"}),
    "pick": button(SPEAKS, idle="nothing is chosen where the best one counts"),
    "withdraw": form(SPEAKS, post={"sure": "on"}),
}
SETUP_ROUTES = {
    "organize": read(SEE),
    "organize-edit": form(EDIT, post={"summary": "Changed."}),
    "organize-about": form(EDIT, post={"licence": "CC0-1.0"}),
    "organize-scoring": form(EDIT, post={"measures": "las"}),
    "organize-test-sets": form(EDIT, post=NEW_SET),
    "organize-test-set": form(EDIT, post={"title": "Changed"}),
    "organize-test-set-remove": button(EDIT, named={"name": "east"}),
    "organize-baselines": form(
        EDIT, post={"system": "guess", "phases": ["{test}"], **FILES}
    ),
    "organize-baseline-remove": button(EDIT, named={"pk": "baseline"}),
    "organize-check": form(EDIT, post={}, idle=CHECKED),
    "organize-publish": button(EDIT, idle="only a draft is published"),
    "organize-delete": form(OWN, post={}, idle="only a draft is deleted"),
    "organize-bundle": form(EDIT, post={}, idle=ZIP),
    "organize-bundle-download": read(EDIT),
    "organize-next-edition": form(EDIT, post={"title": "Next", "slug": "next-one"}),
    "organize-news": form(EDIT, post=NEWS),
    "organize-fact-sheet": form(
        EDIT, post={"title": "Cost", "name": "cost", "kind": "number"}
    ),
    "organize-question": form(EDIT, post={"title": "Changed"}, named=QUESTION),
    "organize-question-change": button(EDIT, {"to": "down"}, named=QUESTION),
    "organize-registration": form(
        EDIT, post={"title": "City", "name": "city", "kind": "text"}
    ),
    "organize-registration-question": form(
        EDIT, post={"title": "Changed"}, named=QUESTION
    ),
    "organize-registration-change": button(EDIT, {"to": "down"}, named=QUESTION),
    "organize-boards": form(
        EDIT, post={"title": "Arcs", "name": "arcs", "headline": "las"}
    ),
    "organize-board": form(EDIT, post={"title": "Changed"}, named=BOARD),
    "organize-board-change": button(EDIT, {"to": "remove"}, named=BOARD),
}
GOLD_ROUTES = {
    "organize-gold": read(EDIT),
    "organize-gold-new": form(
        EDIT,
        post={"file_north": one_wrong(), "public_note": "A head."},
        idle="another revision is being prepared",
    ),
    "organize-gold-revision": read(EDIT),
    "organize-gold-preview": read(EDIT),
    "organize-gold-live": button(
        EDIT, {"public_note": "A head."}, idle="what failed must be accepted first"
    ),
    "organize-gold-discard": button(EDIT),
    "organize-gold-prepare": button(EDIT, idle="another revision is being prepared"),
    "organize-gold-retry": button(EDIT),
    "organize-gold-file": read(EDIT),
}
PHASE_ROUTES = {
    "organize-phases": read(SEE),
    "organize-phase-new": form(EDIT, post=PHASE),
    "organize-phase": form(EDIT, post={"title": "Changed"}, named=LATER),
    "organize-deadline": form(EDIT, post={"closes": NOW, "note": "Rain."}),
    "organize-extensions": form(OWN, post={"team": "{team}", "until": LATEST}),
    "organize-admit": button(EDIT),
    "organize-pause": button(EDIT, {"note": "Rain."}),
    "organize-phase-move": button(EDIT, {"to": "up"}),
    "organize-phase-delete": form(EDIT, post={}, named=LATER),
    "organize-ranking": read(EDIT),
    "organize-declare": form(EDIT, post={"matters_known": "on"}, named=OVER, draft=422),
    "organize-snapshot": button(EDIT, {"title": "Now"}),
}
PEOPLE_ROUTES = {
    "organize-people": read(PEOPLE),
    "organize-people-csv": read(PEOPLE),
    "organize-admit-all": button(PEOPLE),
    "organize-people-rules": form(PEOPLE, post={"domains": "example.org"}),
    "organize-team": read(PEOPLE, named=TEAM_PK),
    "organize-decide": button(
        PEOPLE, {"decision": "disqualify", "reason": "Gold."}, named=TEAM_PK
    ),
    "organize-let-rank": button(
        OWN, {"ranks": "1", "reason": "Its system is older."}, named=TEAM_PK
    ),
    "organize-decide-submission": button(
        PEOPLE, {"reason": "Gold."}, named={**TEAM_PK, "submission": "member"}
    ),
    "organize-messages": read(PEOPLE),
    "organize-message": form(PEOPLE, post=LETTER),
    "organize-organizers": form(
        OWN, post={"email": "new@example.org", "role": "editor"}
    ),
    "organize-role": button(OWN, {"role": "editor"}, named={"pk": "organizer"}),
    "organize-uninvite": button(OWN, named={"pk": "invitation"}),
}
MATRIX = {
    **PUBLIC_ROUTES,
    **TASK_ROUTES,
    **SUBMISSION_ROUTES,
    **SETUP_ROUTES,
    **GOLD_ROUTES,
    **PHASE_ROUTES,
    **PEOPLE_ROUTES,
}
for _routes in joined("ROUTES"):
    MATRIX |= _routes
