"""Expected figures of simultaneous translation, from another program; no part of the
suite.

    python -m venv /tmp/lags && /tmp/lags/bin/pip install omnisteval==0.1.10
    /tmp/lags/bin/python tests/scoring/make_simultaneous_cases.py

writes `simultaneous_cases.json` beside this file. `case` makes the data of each case,
so that only results are stored.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

CASES = 300
STORED = Path(__file__).with_name("simultaneous_cases.json")
WORDS = "the ferry Ferry leaves . - noon, at \ufb01n don't \u00dcn\u00ef a b \u2026 x"
LETTERS = "\u6d77\u6e2f\u8239\u3002\uff0ca\u98a8"
DELAYS = (0, 250, 500, 1000, 2500, 6000, 15000)


@dataclass(frozen=True)
class Talks:
    """Segments with recording, start and length in seconds, and text; and lines of a
    system's log."""

    segments: list[tuple[str, float, float, str]]
    lines: list[dict[str, object]]
    characters: bool


def case(seed: int) -> Talks:
    """Talks of which a system says much, something else, twice as much, or nothing."""
    dice = Random(seed)
    characters = dice.random() < 0.3
    known = [*LETTERS] if characters else WORDS.split()
    space = "" if characters else " "
    segments, lines = [], []
    for recording in range(dice.randint(1, 3)):
        at, reference = dice.choice([0, 0, 0.25, 3]), []
        for number in range(dice.randint(1, 5)):
            at += dice.choice([0, 0.25, 1])
            length = dice.choice([0.25, 1, 2.5, 6])
            size = dice.choice([0, 1, 3, 8] if number else [1, 3, 8])
            text = [dice.choice(known) for _ in range(size)]
            segments.append((f"r{recording}", at, length, space.join(text)))
            reference += text
            at += length
        words = _output(dice, reference, known)
        delays = sorted(dice.choice(DELAYS) + 250 * dice.randint(0, 20) for _ in words)
        if dice.random() < 0.1:
            dice.shuffle(delays)
        lines.append(
            {
                "source": [f"audio/r{recording}.wav", "samplerate: 16000"],
                "prediction": space.join(words),
                "delays": delays,
                "elapsed": [delay + dice.choice([0, 125, 500]) for delay in delays],
            }
        )
    return Talks(segments, lines, characters)


def _output(dice: Random, reference: list[str], known: list[str]) -> list[str]:
    mode = dice.random()
    if mode < 0.1:
        return []
    if mode > 0.7:
        return [dice.choice(known) for _ in range(dice.randint(0, 15))]
    heard = [word for word in reference if dice.random() < 0.85]
    heard = [w if dice.random() < 0.7 else dice.choice([*known, "z"]) for w in heard]
    return heard * 2 if dice.random() < 0.3 else heard


def figures(talks: Talks) -> dict[str, float | None]:
    """BLEU and chrF as shares, and lags, as that program has them."""
    from omnisteval import alignment, data, resegment, scoring

    alignment.Pool = _InTurn
    with TemporaryDirectory() as name:
        folder = Path(name)
        segments = [
            {"wav": wav, "offset": start, "duration": length}
            for wav, start, length, _text in talks.segments
        ]
        texts = "".join(f"{text}\n" for *_rest, text in talks.segments)
        (folder / "segments.json").write_text(json.dumps(segments), "utf-8")
        (folder / "texts.txt").write_text(texts, "utf-8")
        log = "".join(f"{json.dumps(line)}\n" for line in talks.lines)
        (folder / "log.jsonl").write_text(log, "utf-8")
        words, read, references = data.load_reference(
            str(folder / "segments.json"),
            str(folder / "texts.txt"),
            talks.characters,
            False,
        )
        order = data.get_segmentation_order(read)
        heard = data.load_hypothesis_jsonl(
            str(folder / "log.jsonl"), talks.characters, order, False
        )
    scored, _rows = resegment(
        words, heard, read, references, char_level=talks.characters
    )
    tokenizer = "char" if talks.characters else "13a"
    values = {
        "bleu": scoring.SacreBLEUScorer(tokenizer)(scored) / 100,
        "chrf": scoring.ChrFScorer()(scored) / 100,
    }
    for ending, aware in (("", False), ("_elapsed", True)):
        yaal = scoring.YAALScorer(computation_aware=aware, is_longform=True)
        values[f"yaal{ending}"] = yaal(scored)
        values[f"laal{ending}"] = scoring.LAALScorer(computation_aware=aware)(scored)
    return {n: None if value != value else value for n, value in values.items()}


class _InTurn:
    """In place of a pool of processes."""

    def __enter__(self) -> "_InTurn":
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def map(self, work: Callable[[object], object], parts: list[object]) -> object:
        return [work(part) for part in parts]


if __name__ == "__main__":
    lines = [json.dumps(figures(case(seed))) for seed in range(CASES)]
    STORED.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
