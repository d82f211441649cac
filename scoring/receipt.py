"""Receipts: everything a published number depends on, and the check that it holds."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from scoring.engine import Job, Result, evaluate
from scoring.errors import Problem, UsageError
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from scoring.version import VERSION

FileHash = dict[str, str]
OptionValue = str | FileHash


@dataclass(frozen=True)
class Receipt:
    """Receipt of a published result.

    `options` holds lists of words, or of {"file", "sha256"} for options with files.
    `gold` and `system` are {"file", "sha256"}; `measures` is name to estimate, as
    printed by `score --format json`. `gold_revision` is the site's, 0 at home.
    `signatures` are those of libraries, `remarks` the scorer's on the files.
    `brought_along` says of a file that was sent to another site when it came here.
    `package` is that of a plug-in; receipts of the engine's scorers do not have it.
    `counted_elsewhere` says what a site's organizers uploaded: the table's hash and
    when, the file that was judged, and measures of judgements beside a scorer's own,
    which no command here prints again. `code` says of a team's code, whose output was
    scored, its hash, that of the output, the Python and packages, limits and seconds.
    """

    scorer: str
    options: Mapping[str, Sequence[OptionValue]]
    unit: str
    plan: Plan
    gold: FileHash
    system: FileHash
    signature: str
    measures: Mapping[str, Mapping[str, float | int | None]]
    engine: str = VERSION
    gold_revision: int = 0
    brought_along: str = ""
    package: str = ""
    counted_elsewhere: Mapping[str, Any] | None = None
    signatures: Sequence[str] = ()
    remarks: Sequence[str] = ()
    code: Mapping[str, object] | None = None

    @property
    def command(self) -> str:
        """The command that prints these measures again."""
        words = ["python", "-m", "scoring", "score", self.scorer]
        gold, system = self.gold["file"], self.system["file"]
        if gold == system:  # as submissions are often named: one would hide the other
            gold, system = f"gold/{gold}", f"system/{system}"
        words += ["--gold", gold, "--system", system]
        for name, values in self.options.items():
            words += [word for v in values for word in ("-o", f"{name}={_name(v)}")]
        words += ["--unit", self.unit, "--resamples", str(self.plan.resamples)]
        words += ["--seed", str(self.plan.seed), "--level", str(self.plan.level)]
        return shlex.join([*words, "--format", "json"])

    def as_json(self) -> str:
        table = asdict(self) | {"command": self.command}
        # Of few receipts.
        for name in (
            "brought_along",
            "package",
            "counted_elsewhere",
            "signatures",
            "remarks",
            "code",
        ):
            if not table[name]:
                del table[name]
        return json.dumps(table, ensure_ascii=False, indent=1, allow_nan=False)


def _name(value: OptionValue) -> str:
    return value if isinstance(value, str) else value["file"]


def hash_of_file(source: Source) -> FileHash:
    return {"file": source.name, "sha256": source.sha256}


def receipt_of(
    job: Job,
    raw: Mapping[str, Sequence[str | Source]],
    files: tuple[Source, Source],
    result: Result,
) -> Receipt:
    """The receipt of a result that was just scored; `files` are gold and system."""
    return Receipt(
        scorer=job.scorer.name,
        options={
            name: [v if isinstance(v, str) else hash_of_file(v) for v in values]
            for name, values in raw.items()
        },
        unit=result.unit,
        plan=job.plan,
        gold=hash_of_file(files[0]),
        system=hash_of_file(files[1]),
        signature=result.signature,
        measures={
            name: estimate.as_dict() for name, estimate in result.measures.items()
        },
        package=job.scorer.package,
        signatures=result.signatures,
        remarks=result.remarks,
    )


def load(name: str, data: bytes) -> Receipt:
    """Read a receipt. Raises UsageError when the file is none."""
    try:
        table: dict[str, Any] = json.loads(data)
        del table["command"]
        table["plan"] = Plan(**table["plan"])
        return Receipt(**table)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _wrong("receipt", f"{name} is no receipt of this program") from None


def _wrong(code: str, message: str) -> UsageError:
    return UsageError(Problem(code, message))


def verify(
    receipt: Receipt, gold: Source, system: Source, files: Mapping[str, Source]
) -> list[Problem]:
    """Problems of a receipt, none if it holds: hashes first, then every number.

    `files` are the options that take a file, by name. Raises UsageError when one of
    those is missing, and what scoring raises.
    """
    problems = [*_other_bytes("gold", receipt.gold, gold)]
    problems += _other_bytes("system", receipt.system, system)
    raw = _with_files(receipt, files, problems)
    if problems:
        return problems
    scorer = get(receipt.scorer, receipt.package).of_task(raw)
    options = parse(scorer.options, raw)
    result = evaluate(Job(scorer, options, receipt.unit, receipt.plan), gold, system)
    measures = {name: estimate.as_dict() for name, estimate in result.measures.items()}
    return _other_numbers(receipt, measures, scorer.package)


def _other_bytes(what: str, expected: FileHash, given: Source) -> list[Problem]:
    if given.sha256 == expected["sha256"]:
        return []
    message = f"this {what} file is not the one that was scored"
    return [Problem("other_file", message, given.name)]


def _with_files(
    receipt: Receipt, files: Mapping[str, Source], problems: list[Problem]
) -> dict[str, list[str | Source]]:
    raw: dict[str, list[str | Source]] = {}
    for name, values in receipt.options.items():
        if all(isinstance(value, str) for value in values):
            raw[name] = [value for value in values if isinstance(value, str)]
            continue
        if name not in files:
            raise _wrong("option", f"give the file of this option: -o {name}=FILE")
        for value in values:
            if not isinstance(value, str):
                problems += _other_bytes(f"-o {name}", value, files[name])
        raw[name] = [files[name]]
    return raw


# Until engine 0.1.1 these were the ends of the percentile interval.
ENDS = {"low": "percentile_low", "high": "percentile_high"}
# Of engine 0.2.0 they were ends of an interval that covers it, by a rule of its own.
OTHER_ENDS = ("0.2.0",)
# Of engine 0.3.0 they did not know that judges vary, of 0.4.0 not that they do in
# correlations and corrected means, and 0.4.1 counted judges of other columns, too: they
# lie within those of now. So do those of 0.4.2, which knew of no bias, and not how few
# items of a class there are in an AUC.
NARROWER_ENDS = ("0.3.0", "0.4.0", "0.4.1", "0.4.2")
# Those of 0.4.1 may also be wider: of corrected means, where a name stood beside what a
# model alone said. Where judges gave unequally much of a score, the ends of 0.4.2 may
# be wider, too; nothing in a receipt tells these from forged ones, so they do not hold.
WIDER_ENDS = ("0.4.1",)


def _covers(numbers: Mapping[str, float | int | None]) -> bool:
    """Whether the interval of an estimate covers that of its resamples, or there is
    none."""
    low, high, inner_low, inner_high = (
        numbers.get(key) for key in (*ENDS, *ENDS.values())
    )
    if low is None or high is None or inner_low is None or inner_high is None:
        return low is None and high is None
    return low <= inner_low and inner_high <= high


def _within(
    numbers: Mapping[str, float | int | None], wider: Mapping[str, float | int | None]
) -> bool:
    """Whether the interval of an estimate lies within another, or both have none."""
    ends = [some.get(key) for some in (wider, numbers) for key in ENDS]
    bounds = [end for end in ends if end is not None]
    if len(bounds) < len(ends):
        return not bounds
    low, high, inner_low, inner_high = bounds
    return low <= inner_low and inner_high <= high


def _other_numbers(
    receipt: Receipt,
    measures: Mapping[str, Mapping[str, float | int | None]],
    package: str,
) -> list[Problem]:
    """Measures that come out otherwise; those the receipt does not name are left."""
    problems = []
    for name, expected in receipt.measures.items():
        again = measures.get(name, {})
        names = {} if "percentile_low" in expected else ENDS
        if receipt.engine in OTHER_ENDS and _covers(expected):
            expected = {k: v for k, v in expected.items() if k not in ENDS}
        narrower = receipt.engine in NARROWER_ENDS and _within(expected, again)
        wider = receipt.engine in WIDER_ENDS and _within(again, expected)
        if narrower or wider:
            expected = {k: v for k, v in expected.items() if k not in ENDS}
        for key, number in expected.items():
            if (other := again.get(names.get(key, key))) != number:
                message = f"{name} {key} is {other}, the receipt says {number}"
                problems.append(Problem("other_number", message))
    if problems and receipt.engine != VERSION:
        message = f"scored with engine {receipt.engine}, this is {VERSION}"
        problems.append(Problem("other_engine", message))
    if problems and receipt.package != package:
        ours = package or "a scorer of the engine"
        message = f"scored with {receipt.package or 'no plug-in'}, this is {ours}"
        problems.append(Problem("other_package", message))
    return problems
