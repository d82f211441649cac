"""Competition bundles as their sites describe them, with texts of our own."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import yaml

PROGRAM = b"""\
import json, sys
from pathlib import Path

given, output = Path(sys.argv[1]), Path(sys.argv[2])
gold = (given / "ref" / "gold.txt").read_text().split()
(sent,) = (given / "res").iterdir()
answers = sent.read_text().split()
right = sum(a == b for a, b in zip(gold, answers))
scores = {"accuracy": right / len(gold), "errors": len(gold) - right}
(output / "scores.json").write_text(json.dumps(scores))
"""
METADATA = b"command: python $program/score.py $input $output\n"
CALM_GOLD, STORM_GOLD = b"calm\nrough\ncalm\ncalm\n", b"rough\nrough\ncalm\nrough\n"


def zipped(files: Mapping[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return whole.getvalue()


class _Stream(io.BytesIO):
    """A file that cannot be sought in, as a pipe."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_args: int) -> int:
        raise io.UnsupportedOperation

    tell = seek  # type: ignore[assignment]


def of_macos(files: Mapping[str, bytes]) -> bytes:
    """A zip as macOS writes it: sizes behind the data, but for the whole size."""
    whole = _Stream()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
            archive.writestr(f"__MACOSX/._{name}", b"\0\5\x16\7")
    data = bytearray(whole.getvalue())
    for member in zipfile.ZipFile(io.BytesIO(data)).infolist():
        place = member.header_offset + 22  # of the size in the local header
        data[place : place + 4] = member.file_size.to_bytes(4, "little")
    return bytes(data)


def program() -> dict[str, bytes]:
    return {"score.py": PROGRAM, "metadata": METADATA}


def codabench_table(**changes: Any) -> dict[str, Any]:
    """competition.yaml of version 2: two phases, two tasks, two leaderboards."""
    table: dict[str, Any] = {
        "version": 2,
        "title": "Sea State from Harbour Notes",
        "description": "Is the sea calm or rough?",
        "image": "logo.png",
        "terms": "pages/terms.md",
        "registration_auto_approve": False,
        "docker_image": "example/scorer:1",
        "enable_detailed_results": True,
        "contact_email": "harbour@example.org",
        "reward": "A barometer",
        "pages": [
            {"title": "Overview", "file": "pages/overview.md"},
            {"title": "Evaluation", "file": "pages/evaluation.html"},
        ],
        "phases": [
            {
                "index": 1,
                "name": "Final Phase",
                "start": "2030-02-02 00:00:00",
                "auto_migrate_to_this_phase": True,
                "max_submissions": 3,
                "tasks": [1],
            },
            {
                "index": 0,
                "name": "Development Phase",
                "description": "Try things.",
                "start": "2029-12-12 13:30:00",
                "end": "2030-02-01 00:00:00",
                "max_submissions_per_day": 5,
                "max_submissions": 50,
                "execution_time_limit": 1200,
                "hide_output": True,
                "starting_kit": "kit.zip",
                "public_data": "public",
                "tasks": [0],
            },
        ],
        "tasks": [
            {
                "index": 0,
                "name": "Calm days",
                "reference_data": "reference_calm.zip",
                "scoring_program": "scoring_program.zip",
                "ingestion_program": "ingestion.zip",
                "input_data": "input",
            },
            {
                "index": 1,
                "name": "Stormy days",
                "reference_data": "reference_storm",
                "scoring_program": "scoring_program.zip",
            },
        ],
        "solutions": [{"index": 0, "path": "solution.zip", "tasks": [0]}],
        "fact_sheet": {
            "lexicon": {
                "key": "lexicon",
                "type": "checkbox",
                "title": "Uses a lexicon",
                "selection": [True, False],
                "is_required": "false",
                "is_on_leaderboard": "true",
            },
            "Track": {
                "key": "Track",
                "type": "select",
                "title": "Track",
                "selection": ["", "open", "closed"],
                "is_required": "true",
                "is_on_leaderboard": "false",
            },
        },
        "leaderboards": [
            {
                "title": "Results",
                "key": "main",
                "submission_rule": "Force_Last",
                "columns": [
                    {
                        "title": "Errors",
                        "key": "errors",
                        "index": 1,
                        "sorting": "asc",
                        "precision": 0,
                    },
                    {
                        "title": "Accuracy",
                        "key": "accuracy",
                        "index": 0,
                        "sorting": "desc",
                        "precision": 3,
                    },
                    {
                        "title": "Mean",
                        "key": "mean",
                        "index": 2,
                        "computation": "avg",
                        "computation_indexes": [0, 1],
                    },
                    {"title": "Seconds", "key": "seconds", "index": 3, "hidden": True},
                ],
            },
            {
                "title": "Errors only",
                "key": "second",
                "columns": [
                    {"title": "Errors", "key": "errors", "index": 0, "sorting": "asc"}
                ],
            },
        ],
    }
    return table | changes


def codabench_files() -> dict[str, bytes]:
    return {
        "logo.png": b"\x89PNG\r\n\x1a\n",
        "pages/overview.md": b"# Overview\n\nNotes of *harbour masters*.",
        "pages/evaluation.html": b"<h1>How</h1><p>By <b>accuracy</b>.</p>"
        b'<script>alert(1)</script><img src="chart.png">',
        "pages/terms.md": b"Be fair.",
        "kit.zip": zipped({"README.md": b"Begin here."}),
        "public/notes.txt": b"wind from the west\n",
        "input/notes.txt": b"swell all day\n",
        "ingestion.zip": zipped({"run.py": b"pass\n", "metadata": b"command: x\n"}),
        "solution.zip": zipped({"answer.txt": CALM_GOLD}),
        "scoring_program.zip": zipped(program()),
        "reference_calm.zip": zipped({"gold.txt": CALM_GOLD}),
        "reference_storm/gold.txt": STORM_GOLD,
    }


def bundle(table: Mapping[str, Any], files: Mapping[str, bytes], name: str) -> bytes:
    text = yaml.safe_dump(dict(table), sort_keys=False).encode()
    return zipped({name: text, **files})


def codabench(files: Mapping[str, bytes] | None = None, **changes: Any) -> bytes:
    """A bundle of Codabench; files that are None are left out."""
    all_files = {**codabench_files(), **(files or {})}
    return bundle(codabench_table(**changes), all_files, "competition.yaml")


CODALAB = """\
title: Wind Force from Diaries
description: How strong is the wind?
image: logo.jpg
has_registration: False
force_submission_to_leaderboard: True
enable_detailed_results: False
end_date: 2030-09-30
admin_names: first, second
html:
    overview: overview.html
    evaluation: evaluation.html
    terms: terms_and_conditions.html
    data: data.html
phases:
    1:
        phasenumber: 1
        label: "Practice"
        start_date: 2030-07-30
        max_submissions: 100
        is_scoring_only: True
        scoring_program: program_1.zip
        reference_data: reference_1.zip
        public_data: dataset.zip
        starting_kit: kit.zip
    2:
        phasenumber: 2
        label: "Evaluation"
        start_date: 2030-08-30 12:00:00
        max_submissions: 10
        max_submissions_per_day: 2
        auto_migration: True
        scoring_program: program_2.zip
        reference_data: reference_2.zip
leaderboard:
    leaderboards:
        RESULTS: &RESULTS
            label: Results
            rank: 1
    columns:
        accuracy:
            leaderboard: *RESULTS
            label: Right answers
            rank: 1
            numeric_format: 4
        errors:
            leaderboard: *RESULTS
            label: Errors
            rank: 2
            sort: asc
        average:
            leaderboard: *RESULTS
            label: Mean rank
            rank: 3
            computed:
                operation: Avg
                fields: accuracy, errors
"""


def codalab_files() -> dict[str, bytes]:
    page = "<h2>{0}</h2><p>About the {0}. <a href='/forums/1'>Ask</a></p>"
    pages = ("overview", "evaluation", "terms_and_conditions", "data")
    return {
        **{f"{name}.html": page.format(name).encode() for name in pages},
        "logo.jpg": b"\xff\xd8\xff",
        "program_1.zip": zipped(program()),
        "program_2.zip": zipped({f"program/{k}": v for k, v in program().items()}),
        "reference_1.zip": zipped({"gold.txt": CALM_GOLD}),
        "reference_2.zip": zipped({"gold.txt": STORM_GOLD}),
        "dataset.zip": zipped({"diary.txt": b"A stiff breeze.\n"}),
        "kit.zip": zipped({"answer.txt": b"calm\ncalm\ncalm\ncalm\n"}),
    }


def codalab(text: str = CODALAB, files: Mapping[str, bytes] | None = None) -> bytes:
    all_files = {**codalab_files(), **(files or {})}
    return zipped({"competition.yaml": text.encode(), **all_files})


EVALUATE = b"""\
import json


def evaluate(test_annotation_file, user_submission_file, phase_codename, **kwargs):
    with open(test_annotation_file) as file:
        gold = json.load(file)
    with open(user_submission_file) as file:
        sent = json.load(file)
    right = sum(sent.get(key) == value for key, value in gold.items())
    scores = {"Accuracy (all)": right / len(gold), "Errors": len(gold) - right}
    return {"result": [{"hidden_split": {"Errors": -1}}, {"test_split": scores}]}
"""
EVALAI = """\
title: Tide Tables
short_description: High or low water?
description: templates/description.html
evaluation_details: templates/evaluation_details.html
terms_and_conditions: templates/terms_and_conditions.html
submission_guidelines: templates/submission_guidelines.html
image: logo.jpg
evaluation_script: evaluation_script.zip
remote_evaluation: False
is_docker_based: False
start_date: 2030-01-01 00:00:00
end_date: 2031-01-01 00:00:00
published: True
allowed_email_domains: [example.org]
leaderboard:
  - id: 1
    schema:
      labels: ["Accuracy (all)", "Errors"]
      default_order_by: "Accuracy (all)"
      metadata:
        Errors: {sort_ascending: True, description: wrong answers}
challenge_phases:
  - id: 1
    name: Dev Phase
    description: templates/phase_1.html
    leaderboard_public: True
    is_public: True
    start_date: 2030-01-19 00:00:00
    end_date: 2030-04-25 23:59:59
    test_annotation_file: annotations/dev.json
    codename: dev
    max_submissions_per_day: 5
    max_submissions_per_month: 50
    max_submissions: 60
    submission_meta_attributes:
      - {name: Data used, description: which, type: text, required: True}
      - {name: Track, description: which, type: radio, options: [open, closed]}
      - {name: Parts, description: which, type: checkbox, options: [a, b]}
  - id: 2
    name: Test Phase
    leaderboard_public: False
    is_public: False
    start_date: 2030-05-01 00:00:00
    end_date: 2030-05-24 23:59:59
    test_annotation_file: annotations/test.json
    codename: test
    max_submissions: 5
dataset_splits:
  - {id: 1, name: Hidden split, codename: hidden_split}
  - {id: 2, name: Test split, codename: test_split}
challenge_phase_splits:
  - {challenge_phase_id: 1, leaderboard_id: 1, dataset_split_id: 2, visibility: 3}
  - {challenge_phase_id: 2, leaderboard_id: 1, dataset_split_id: 1, visibility: 1}
  - {challenge_phase_id: 2, leaderboard_id: 1, dataset_split_id: 2, visibility: 3}
"""


def evalai_files() -> dict[str, bytes]:
    pages = ("description", "evaluation_details", "terms_and_conditions")
    script = {"__init__.py": b"from .main import evaluate\n", "main.py": EVALUATE}
    return {
        **{f"templates/{name}.html": f"<p>{name}</p>".encode() for name in pages},
        "templates/phase_1.html": b"<p>Practise.</p>",
        "templates/submission_guidelines.html": b"<p>Send JSON.</p>",
        "logo.jpg": b"\xff\xd8\xff",
        "evaluation_script.zip": zipped(script),
        "annotations/dev.json": b'{"mon": "high", "tue": "low"}',
        "annotations/test.json": b'{"wed": "high", "thu": "high", "fri": "low"}',
    }


def evalai(text: str = EVALAI, files: Mapping[str, bytes] | None = None) -> bytes:
    all_files = {**evalai_files(), **(files or {})}
    return zipped({"challenge_config.yaml": text.encode(), **all_files})
