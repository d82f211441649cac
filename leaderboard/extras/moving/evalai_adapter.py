"""Calls evaluate() of an EvalAI evaluation script and writes scores.json.

Part of a scoring program that was made of a challenge: it runs in the sandbox, with the
reference data in `ref` and the submission in `res`, and imports nothing of the site.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

CHOICE = "plumbline.json"


def main(given: str, output: str) -> None:
    reference, submission = Path(given, "ref"), Path(given, "res")
    choice = json.loads((reference / CHOICE).read_text(encoding="utf-8"))
    # Before a task is published, its reference data are sent as a submission.
    files = [
        path for path in submission.rglob("*") if path.is_file() and path.name != CHOICE
    ]
    if len(files) != 1:
        sys.exit(f"expected one file to evaluate, found {len(files)}")
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    result = _evaluate()(
        str(reference / choice["annotation"]),
        str(files[0]),
        choice["phase"],
        submission_metadata={},
    )
    scores = _chosen(result["result"], choice["split"])
    names = choice["columns"]
    text = json.dumps({names.get(k, k): float(value) for k, value in scores.items()})
    Path(output, "scores.json").write_text(text, encoding="utf-8")


def _evaluate() -> Any:
    """The function of the package, or of its module main."""
    package = import_module("evaluation_script")
    if hasattr(package, "evaluate"):
        return package.evaluate
    return import_module("evaluation_script.main").evaluate


def _chosen(results: list[dict[str, Any]], split: str) -> dict[str, Any]:
    """The scores of the split; of the only one where there is one."""
    values: dict[str, Any] = {}
    for result in results:
        values.update(result)
    if split in values:
        scores = values[split]
    elif len(values) == 1:
        (scores,) = values.values()
    else:
        sys.exit(f"no scores of the split {split!r}; there are {', '.join(values)}")
    return dict(scores)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
