"""Values for downloaded translations: WAITING.zip REFERENCES.csv OUT.csv

The metric is a stand-in, the share of character trigrams that a reference has too: put
the call of your own model in its place, on a machine that has what it needs.
"""

import csv
import io
import sys
import zipfile
from collections.abc import Mapping, Sequence


def trigrams(text: str) -> set[str]:
    padded = f"  {text.lower()} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def metric(answers: Sequence[str], references: Sequence[str]) -> list[float]:
    """One value for each answer. A neural metric takes them all in one batch."""
    pairs = [
        (trigrams(one), trigrams(other))
        for one, other in zip(answers, references, strict=True)
    ]
    return [
        2 * len(one & other) / max(1, len(one) + len(other)) for one, other in pairs
    ]


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))


def judged(archive: zipfile.ZipFile, references: Mapping[str, str]) -> list[list[str]]:
    found = []
    for line in rows_of(archive.read("manifest.csv")):
        sent = rows_of(archive.read(line["file"]))
        answers = {row["id"]: row["text"] for row in sent}
        units = list(references)
        values = metric([answers[u] for u in units], [references[u] for u in units])
        place = [line["submission"], line["test_set"], line["run"]]
        found += [
            [*place, unit, f"{value:.6f}"]
            for unit, value in zip(units, values, strict=True)
        ]
    return found


def main(waiting: str, reference_file: str, out: str) -> None:
    with open(reference_file, "rb") as file:
        references = {row["id"]: row["text"] for row in rows_of(file.read())}
    with zipfile.ZipFile(waiting) as archive, open(out, "w", newline="") as table:
        writer = csv.writer(table)
        writer.writerow(["submission", "test_set", "run", "id", "overlap"])
        writer.writerows(judged(archive, references))


if __name__ == "__main__":
    main(*sys.argv[1:])
