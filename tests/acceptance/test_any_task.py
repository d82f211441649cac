"""Tasks from draft to final ranking: their scores are those of other programs.

Each task is a bundle that its organizer sends to the API as a draft and publishes; two
teams join and submit by the API; the phase ends, and its ranking is declared. A task is
one function below that returns a `Story`: add one for a further kind of task.
"""

import csv
import io
import json
import math
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import jiwer
import pytest
import pytrec_eval
import sacrebleu
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from nltk.translate.gleu_score import corpus_gleu
from scipy.stats import pearsonr, spearmanr
from sklearn import metrics
from sklearn.metrics import accuracy_score, f1_score

from leaderboard.submissions import evaluation
from leaderboard.submissions.models import Evaluation
from leaderboard.tasks.models import Phase, Snapshot, Task
from leaderboard.teams.models import User
from scoring.formats.bundle import members, zip_files
from tests.leaderboard.channels import bearer
from tests.organize.disclosing import revealed
from tests.scoring import plugs
from tests.scoring.programs import RIGHT, UNITS, program

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "docs" / "examples" / "plug-in"
TEAMS = ("Gulls", "Terns")
Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Story:
    """A task with what two teams send, and the scores that others compute of it.

    `scorer` and `more` are parts of task.yaml, `files` further files of the bundle.
    `judged` are tables that organizers upload, by team.
    """

    scorer: Mapping[str, Any]
    gold: str
    sent: Mapping[str, str]
    expected: Mapping[str, Numbers]
    more: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    judged: Mapping[str, str] = field(default_factory=dict)
    has_intervals: bool = True
    name: str = "gold.csv"


def table(column: str, values: list[Any], ids: str = "i{}") -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", column])
    writer.writerows([ids.format(number), one] for number, one in enumerate(values))
    return text.getvalue()


def spoiled(values: list[Any], share: float, known: list[Any], seed: int) -> list[Any]:
    random = Random(seed)
    return [random.choice(known) if random.random() < share else v for v in values]


SHARES = dict(zip(TEAMS, (0.2, 0.6), strict=True))


def sentiment() -> Story:
    known = ["good", "bad", "neither"]
    gold = [Random(1).choice(known) for _ in range(60)]
    gold = spoiled(gold, 0.5, known, 1)
    sent = {t: spoiled(gold, share, known, 7) for t, share in SHARES.items()}
    return Story(
        {"name": "classes", "headline": "macro_f1"},
        table("label", gold),
        {team: table("label", labels) for team, labels in sent.items()},
        {
            team: {
                "macro_f1": f1_score(gold, labels, average="macro"),
                "accuracy": accuracy_score(gold, labels),
            }
            for team, labels in sent.items()
        },
    )


def similarity() -> Story:
    random = Random(2)
    gold = [round(random.uniform(0, 5), 1) for _ in range(80)]
    sent = {
        team: [round(v + random.gauss(0, 4 * share), 2) for v in gold]
        for team, share in SHARES.items()
    }
    return Story(
        {"name": "numbers", "headline": "spearman"},
        table("value", gold),
        {team: table("value", values) for team, values in sent.items()},
        {
            team: {
                "pearson": float(pearsonr(gold, values).statistic),
                "spearman": float(spearmanr(gold, values).statistic),
            }
            for team, values in sent.items()
        },
    )


SENTENCES = [
    f"The {who} {does} the {what} before {when}."
    for who in ("pilot", "cook", "mate", "master")
    for does in ("finds", "paints", "sells")
    for what, when in (("old boat", "noon"), ("red lamp", "dusk"))
]
WORDS = sorted({word for one in SENTENCES for word in one.split()})


def reworded(share: float, seed: int) -> list[str]:
    return [
        " ".join(spoiled(one.split(), share, WORDS, seed + number))
        for number, one in enumerate(SENTENCES)
    ]


def translation() -> Story:
    """With judgements of people on a board of their own."""
    sent = {team: reworded(share, 11) for team, share in SHARES.items()}
    judged = {team: [5 - 4 * share] * len(SENTENCES) for team, share in SHARES.items()}
    board = {"name": "human", "title": "Human judgements", "headline": "adequacy"}
    return Story(
        {
            "name": "translation",
            "headline": "bleu",
            "judgements": ["adequacy = mean(adequacy); title Adequacy"],
        },
        table("text", SENTENCES),
        {team: table("text", texts) for team, texts in sent.items()},
        {
            team: {
                "bleu": sacrebleu.corpus_bleu(texts, [SENTENCES]).score / 100,
                "chrf": sacrebleu.corpus_chrf(texts, [SENTENCES]).score / 100,
                "adequacy": judged[team][0],
            }
            for team, texts in sent.items()
        },
        more={"boards": [board | {"measures": ["adequacy"]}]},
        judged={team: table("adequacy", values) for team, values in judged.items()},
    )


def retrieval() -> Story:
    random, topics = Random(3), [f"q{n}" for n in range(1, 21)]
    gold = {
        t: {f"d{d}": random.choice((0, 0, 1, 2)) for d in range(30)} for t in topics
    }
    runs: dict[str, dict[str, dict[str, float]]] = {
        team: {
            t: {d: grade + random.gauss(0, 3 * share) for d, grade in docs.items()}
            for t, docs in gold.items()
        }
        for team, share in SHARES.items()
    }
    wanted = {"ndcg_cut.10": "ndcg@10", "map": "map"}
    judge = pytrec_eval.RelevanceEvaluator(gold, set(wanted))
    found = {team: judge.evaluate(run) for team, run in runs.items()}
    qrels = [f"{t} 0 {d} {g}\n" for t, docs in gold.items() for d, g in docs.items()]
    return Story(
        {"name": "retrieval", "headline": "ndcg@10"},
        "".join(qrels),
        {team: _run_file(run) for team, run in runs.items()},
        {
            team: {
                ours: math.fsum(row[theirs.replace(".", "_")] for row in rows.values())
                / len(topics)
                for theirs, ours in wanted.items()
            }
            for team, rows in found.items()
        },
        name="qrels.txt",
    )


def _run_file(run: Mapping[str, Mapping[str, float]]) -> str:
    lines = []
    for topic, scores in run.items():
        best = sorted(scores, key=lambda d: -scores[d])
        lines += [
            f"{topic} Q0 {d} {rank} {scores[d]!r} run\n"
            for rank, d in enumerate(best, 1)
        ]
    return "".join(lines)


def questions() -> Story:
    """By SQuAD's rules: case, punctuation and articles do not count. Of ten answers the
    second team has seven right in full, and one of two words in two."""
    gold = ["the red lamp", "noon", "a cook", "Elmhaven", "two boats"] * 2
    right = ["Red lamp!", "Noon", "cook", "elmhaven", "two boats"]
    second = [*right, "red lamp", "dusk", "mate", "Elmhaven", "two lamps"]
    # F1 of "two lamps": one word in common of two and two.
    return Story(
        {"name": "texts", "headline": "f1", "options": {"gleu": True}},
        table("text", gold),
        {TEAMS[0]: table("text", gold), TEAMS[1]: table("text", second)},
        {
            TEAMS[0]: {"exact_match": 1.0, "f1": 1.0},
            TEAMS[1]: {
                "exact_match": 0.7,
                "f1": 0.75,
                "gleu": corpus_gleu(
                    [[one.split()] for one in gold],
                    [one.replace("!", " !").split() for one in second],
                ),
            },
        },
    )


def speech() -> Story:
    sent = {team: reworded(share, 23) for team, share in SHARES.items()}
    return Story(
        {"name": "transcripts", "headline": "wer"},
        table("text", SENTENCES),
        {team: table("text", texts) for team, texts in sent.items()},
        {
            team: {
                "wer": jiwer.wer(SENTENCES, texts),
                "cer": jiwer.cer(SENTENCES, texts),
            }
            for team, texts in sent.items()
        },
    )


def council() -> Story:
    """Ten sessions of two speakers, who have other names in the second team's file: it
    has one word wrong in four, and a tenth of the time under the other speaker."""

    def lines(names: tuple[str, str], last: str, end: float) -> str:
        rows = ["session,speaker,start,end,text"]
        for number in range(10):
            rows += [
                f"m{number},{names[0]},0,{end},we sail",
                f"m{number},{names[1]},{end},10,at {last}",
            ]
        return "\n".join(rows) + "\n"

    gold = lines(("Ada", "Bo"), "noon", 5)
    return Story(
        {"name": "meetings", "headline": "cpwer"},
        gold,
        {TEAMS[0]: gold, TEAMS[1]: lines(("2", "1"), "dusk", 6)},
        {
            TEAMS[0]: {"cpwer": 0.0, "der": 0.0},
            TEAMS[1]: {"cpwer": 0.25, "der": 0.1, "confusion": 0.1, "missed": 0.0},
        },
    )


def talks() -> Story:
    """Ten talks, which one team translates a second behind; the other is a second later
    and leaves out the last word."""
    rows = ["recording,start,end,text"]
    rows += [f"t{number},1,5,we sail at noon" for number in range(10)]

    def log(words: str, first: int) -> str:
        lines = []
        for number in range(10):
            begin = first + 10 * number
            delays = [begin + 1000 * place for place in range(len(words.split()))]
            line = {"recording": f"t{number}", "prediction": words, "delays": delays}
            lines.append(json.dumps(line))
        return "\n".join(lines)

    return Story(
        {"name": "simultaneous", "headline": "yaal"},
        "\n".join(rows),
        {TEAMS[0]: log("we sail at noon", 2000), TEAMS[1]: log("we sail at", 3000)},
        {
            TEAMS[0]: {"yaal": 1045.0, "laal": 1045.0, "bleu": 1.0, "chrf": 1.0},
            # Its third word comes when the talk is over.
            TEAMS[1]: {"yaal": 2045.0, "laal": 2045.0},
        },
    )


def topics() -> Story:
    """Forty texts of four topics; the second team puts two of them into one."""
    topic = [number % 4 for number in range(40)]
    sent = {
        TEAMS[0]: [f"c{own}" for own in topic],
        TEAMS[1]: [f"c{own % 3}" for own in topic],
    }
    return Story(
        {"name": "clusterings", "headline": "ari"},
        table("cluster", [*map(str, topic)]),
        {team: table("cluster", own) for team, own in sent.items()},
        {
            team: {
                "ari": metrics.adjusted_rand_score(topic, own),
                "v_measure": metrics.v_measure_score(topic, own),
            }
            for team, own in sent.items()
        },
    )


def alarms() -> Story:
    """Half of forty people are at risk; the second team is later, and misses five."""
    at_risk = [number % 2 for number in range(40)]
    late = [7 * own * (number > 9) for number, own in enumerate(at_risk)]
    return Story(
        {"name": "early", "headline": "latency_f1"},
        table("label", [*map(str, at_risk)]),
        {
            TEAMS[0]: table("delay", [*map(str, at_risk)]),
            TEAMS[1]: table("delay", [*map(str, late)]),
        },
        {
            TEAMS[0]: {"latency_f1": 1.0, "speed": 1.0, "f1": 1.0},
            TEAMS[1]: {
                "f1": 6 / 7,
                "speed": (speed := 1 - (2 / (1 + math.exp(-0.0078 * 6)) - 1)),
                "latency_f1": 6 / 7 * speed,
                "erde_5": 5 / 40 + 15 / 40 * (1 - 1 / (1 + math.exp(2))),
            },
        },
    )


def simplified() -> Story:
    """One team says what the reference says, the other copies its source."""
    plain = [text.replace("before", "by") for text in SENTENCES]
    rows = [
        json.dumps({"id": f"{n}", "source": source, "text": text})
        for n, (source, text) in enumerate(zip(SENTENCES, plain, strict=True))
    ]
    return Story(
        {
            "name": "texts",
            "headline": "sari",
            "options": {"sari": True, "gleu": True},
        },
        "\n".join(rows),
        {
            TEAMS[0]: table("text", plain, "{}"),
            TEAMS[1]: table("text", SENTENCES, "{}"),
        },
        {
            TEAMS[0]: {"sari": 1.0, "gleu": 1.0},
            TEAMS[1]: {
                "gleu": corpus_gleu(
                    [[text.replace(".", " .").split()] for text in plain],
                    [text.replace(".", " .").split() for text in SENTENCES],
                ),
            },
        },
        name="gold.jsonl",
    )


def hallucinations() -> Story:
    """With soft labels, as Mu-SHROOM; the second team is right in every third text."""
    random, texts = Random(5), 15
    gold = [sorted(random.sample(range(10), 3)) for _ in range(texts)]

    def lines(places: list[list[int]], weights: list[list[float]]) -> str:
        rows = []
        for number, (own, soft) in enumerate(zip(places, weights, strict=True)):
            spans = [[at, at + 1, "wrong"] for at in own]
            cells = [[at, at + 1, value] for at, value in enumerate(soft)]
            row = {"id": f"t{number}", "text": "abcdefghij"}
            rows.append(json.dumps(row | {"spans": spans, "soft": cells}))
        return "\n".join(rows) + "\n"

    weights = [[random.choice((0, 0.3, 0.6, 1)) + at / 99 for at in range(10)]] * texts
    other = [[random.random() for _ in range(10)] for _ in range(texts)]
    second = [own if at % 3 == 0 else [] for at, own in enumerate(gold)]
    rho = [spearmanr(*pair).statistic for pair in zip(weights, other, strict=True)]
    return Story(
        {
            "name": "spans",
            "headline": "correlation",
            "options": {"weights": "soft", "severities": True, "plagdet": True},
        },
        lines(gold, weights),
        {TEAMS[0]: lines(gold, weights), TEAMS[1]: lines(second, other)},
        {
            TEAMS[0]: {"correlation": 1.0, "severity_f1": 1.0, "plagdet": 1.0},
            TEAMS[1]: {
                "correlation": math.fsum(rho) / texts,
                "character_iou": 1 / 3,
                "severity_f1": 0.5,
                "plagdet": 0.5,
            },
        },
        name="gold.jsonl",
    )


def plugged() -> Story:
    """Worked by hand: angles go round."""
    gold = [0, 10, 90, 180, 270, 350, 45, 135, 225, 315]
    # Off by 20, 20, 15, 0, 0, 15, 90, 0, 180, 1: 341 in all, 6 within 15.
    second = [340, 350, 105, 180, 270, 5, 135, 135, 45, 314]
    return Story(
        {"name": "headings", "headline": "close"},
        table("degrees", gold),
        dict(
            zip(TEAMS, (table("degrees", gold), table("degrees", second)), strict=True)
        ),
        {
            TEAMS[0]: {"close": 1.0, "error": 0.0},
            TEAMS[1]: {"close": 0.6, "error": 34.1},
        },
    )


def _with_program(script: str, measure: str, **more: Any) -> Story:
    options = {
        "program": "program",
        "submission_name": "answers.txt",
        "measure": [measure],
    }
    letters = "a b c d e f g h i j k l"
    return Story(
        {"name": "program", "options": options, "headline": "accuracy"},
        f"{letters}\n",
        {TEAMS[0]: f"{letters}\n", TEAMS[1]: "a b c d e f g h i x x x\n"},
        {TEAMS[0]: {"accuracy": 1.0}, TEAMS[1]: {"accuracy": 0.75}},
        files={
            f"program/{name}": data for name, data in members(program(script)).items()
        },
        name="gold.txt",
        **more,
    )


def program_with_units() -> Story:
    return _with_program(UNITS, "accuracy = mean(right); percent")


def program_without_units() -> Story:
    return _with_program(RIGHT, "accuracy; percent", has_intervals=False)


STORIES: list[Callable[[], Story]] = [
    sentiment,
    similarity,
    translation,
    retrieval,
    questions,
    speech,
    council,
    talks,
    topics,
    alarms,
    simplified,
    hallucinations,
    plugged,
    program_with_units,
    program_without_units,
]


@pytest.fixture
def packages(tmp_path: Path) -> Iterator[None]:
    """The package of the handbook, installed; programs are allowed."""
    place = tmp_path / "packages"
    plugs.write(place, "harbour-headings", "", "1.0.0")
    shutil.copy(PACKAGE / "harbour_headings.py", place)
    with plugs.on_path(place):
        yield


def drafted(story: Story, name: str, ada: User) -> None:
    """The task as its organizer sends it to the API."""
    opens = datetime.now(UTC) - timedelta(days=2)
    manifest = {
        "plumbline": 1,
        "slug": "any",
        "title": name.replace("_", " ").title(),
        "draft": True,
        "scorer": dict(story.scorer),
        "bootstrap": {"resamples": 200, "seed": 7, "level": 0.95},
        "test_sets": [{"name": "only", "title": "Only", "gold": story.name}],
        "phases": [
            {
                "name": "test",
                "title": "Test",
                "opens": opens.isoformat(),
                "closes": (opens + timedelta(days=4)).isoformat(),
            }
        ],
        **story.more,
    }
    files = {"task.yaml": yaml.safe_dump(manifest).encode(), **story.files}
    data = zip_files("any.zip", files | {story.name: story.gold.encode()}).single()
    bundle = SimpleUploadedFile("any.zip", data)
    answer = bearer(ada, "organize").post("/api/v1/tasks/", {"bundle": bundle})
    assert answer.status_code == 201, answer.content
    assert Task.objects.get().draft


def submitted(story: Story, team: str) -> None:
    user = User.objects.create_user(f"{team}@example.org", name=team)
    client = bearer(user, "submit")
    joined = client.post("/api/v1/tasks/any/team/", {"name": team})
    assert joined.status_code == 201, joined.content
    data = story.sent[team].encode()
    fields = {"system": team, "file_only": SimpleUploadedFile("answers.txt", data)}
    answer = client.post("/api/v1/tasks/any/test/submissions/", fields)
    assert answer.status_code == 201, answer.content
    _score_all()


def _score_all() -> None:
    for pk in list(Evaluation.objects.ready().values_list("pk", flat=True)):
        assert evaluation.run(pk)


def judge(story: Story, ada: User) -> None:
    client = bearer(ada, "organize")
    address = "/api/v1/tasks/any/test/judgements/"
    listed = client.get(address).json()["submissions"]
    for row in listed:
        text = story.judged[row["system"]]
        file = SimpleUploadedFile("judged.csv", text.encode())
        answer = client.post(address, {"table": file, "submission": row["id"]})
        assert answer.status_code == 200, answer.content
    _score_all()


def rows(board: str = "") -> dict[str, Any]:
    address = f"/api/v1/tasks/any/test/board/{board and f'?board={board}'}"
    return {row["system"]: row for row in Client().get(address).json()["rows"]}


@pytest.mark.parametrize("tell", STORIES, ids=lambda one: one.__name__)
def test_from_draft_to_final_ranking(
    tell: Callable[[], Story],
    packages: None,
    ada: User,
    settings: Any,
    client: Client,
) -> None:
    settings.PROGRAMS, story = "everyone", tell()
    settings.SANDBOX_INLINE = story.scorer["name"] != "program"
    drafted(story, tell.__name__, ada)
    client.force_login(ada)
    published = client.post("/tasks/any/organize/publish/", {"few_units": "on"})
    assert published.status_code == 302, published.content
    for team in TEAMS:
        submitted(story, team)
    if story.judged:
        judge(story, ada)
    found = {team: row["scores"] for team, row in rows().items()}
    if story.judged:
        for team, row in rows("human").items():
            found[team] = found[team] | row["scores"]
    for team, expected in story.expected.items():
        for measure, value in expected.items():
            score = found[team][measure]
            assert score["value"] == pytest.approx(value, abs=1e-9), (team, measure)
            assert (score["low"] is not None) == story.has_intervals
    assert [rows()[team]["rank"] for team in TEAMS] == [1, 2]
    ranking = declared(client)
    assert [row["system"] for row in ranking] == list(TEAMS)


def declared(client: Client) -> list[Any]:
    """The rows of the main board as they are frozen."""
    revealed(Phase.objects.get())
    page = "/tasks/any/organize/ranking/test/"
    seen = client.get(page).context["form"].initial["seen"]
    answer = client.post(page, {"seen": seen, "matters_known": "on"})
    assert answer.status_code == 302, answer.content
    snapshot = Snapshot.objects.get()
    assert snapshot.final
    return list(snapshot.data["boards"][0]["rows"])
