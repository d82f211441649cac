"""Receipts that another site signed: what in them holds, and is the same as here.

Whoever makes receipts up must learn nothing from the answer. So nothing is compared,
nor even read as a receipt, before its signature holds for a key of a site that the
operators know; and `verified.py` asks the policy before anything is read at all.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, NoReturn

from leaderboard.extras.signatures import keys
from leaderboard.extras.signatures.models import KnownKey
from leaderboard.extras.signatures.receipt_zip import MESSAGES as OF_ZIP
from leaderboard.extras.signatures.seal import KEYS, ORIGIN, SIGNATURE, SUMS
from leaderboard.results.status import receipt_of
from leaderboard.sandbox import client
from leaderboard.sandbox.codec import Request
from leaderboard.sandbox.fork import JobFailed
from leaderboard.submissions.accept import OUR_FAULT
from leaderboard.submissions.models import Evaluation
from scoring.errors import Problem, Refused, UsageError
from scoring.messages import Messages, _
from scoring.receipt import load
from scoring.source import Source

MESSAGES = Messages(
    {
        "missing": _("%(name)s is missing, so that nothing here is signed"),
        "odd_signature": _("this is no signature as a site writes it"),
        "unknown_key": _("signed with a key that this site does not know: %(key)s"),
        "withdrawn_key": _("signed with a key of %(site)s that was withdrawn: %(key)s"),
        "ask_operators": _("The operators of this site name the keys of other sites."),
        "broken": _("the signature does not hold: what it signs was changed"),
        "odd_sums": _("what was signed is not the receipts of one submission"),
        "other_names": _("the zip has not the files that were signed"),
        "changed": _("this file was changed after it was signed"),
        "no_receipt": _("this is no receipt that this version of the site can read"),
        "foreign_file": _("no receipt in the zip is about this file (SHA-256 %(sha)s)"),
        "other_gold": _(
            "it was scored there with other gold: SHA-256 %(there)s, here %(here)s"
        ),
        "other_engine": _("scored with engine %(there)s there, %(here)s here"),
        "other_setting": _("%(name)s in the receipt is not as here"),
        "other_number": _("%(name)s is %(there)s there, %(here)s here"),
        "counted_outside": _(
            "its values were counted outside, which no other site can verify"
        ),
    }
)
SIGNED = re.compile(rf"([0-9a-f]{{64}})  (receipts/[^/\n]+\.json|{ORIGIN})")
HEX = {"key": 64, "sha256": 64, "signature": 128}
SETTINGS = (*("scorer", "package", "options", "unit", "plan"), "signature")
MOST_NUMBERS = 5
LONGEST = 80
Values = Mapping[str, Any]


@dataclass(frozen=True)
class SignedReceipts:
    """The receipts of a zip whose signature holds, by name; `page` is where the site
    shows the system, "" where it does not say so under its own address."""

    key: KnownKey
    sha256: str
    receipts: Mapping[str, Values]
    page: str


def read(source: Source) -> SignedReceipts:
    """The receipts of a zip that a known site signed. Raises Refused and QueueFull."""
    request = Request()
    request.name("zip", {source.name: source})
    try:
        answer, contents = client.run("signed-receipts", request)
        names = answer.get("names")
        if not isinstance(names, list) or len(names) != len(contents):
            raise JobFailed("an answer with other files than names")
    except JobFailed:
        raise Refused([OUR_FAULT]) from None
    return signed(dict(zip(map(str, names), contents, strict=True)))


def signed(files: Mapping[str, bytes]) -> SignedReceipts:
    """The receipts among files whose signature holds. Raises Refused."""
    for name in (SUMS, SIGNATURE):
        if name not in files:
            hint = OF_ZIP("whole_zip")
            _refuse("missing", name, hint=hint, values={"name": name})
    contents = _signed_files(files)
    key = _key_that_signed(files[SUMS], files[SIGNATURE])
    origin = contents.pop(ORIGIN, b"{}")
    receipts = {name: _receipt(name, data) for name, data in contents.items()}
    if not receipts:
        _refuse("odd_sums", SUMS)
    page = _page(origin, key.site.address)
    return SignedReceipts(key, sha256(files[SUMS]).hexdigest(), receipts, page)


def differences(evaluation: Evaluation, found: SignedReceipts) -> list[Problem]:
    """Everything in which a submission is another here than in the receipts.

    One receipt each must be about each of its scored files. The reader is told what
    stands in the submission's own receipts, and so must be one who may have these.
    """
    problems: list[Problem] = []
    scored = evaluation.results["test_sets"]
    for file in evaluation.submission.files.select_related("test_set"):
        if file.test_set.name not in scored:
            continue
        ours = _plain(asdict(receipt_of(evaluation, file.test_set, file.run)))
        if ours["counted_elsewhere"]:
            problems.append(_problem("counted_outside", file.name))
            continue
        sha = ours["system"]["sha256"]
        about = [one for one in found.receipts.values() if _sha(one, "system") == sha]
        each = [list(_differences(file.name, ours, one)) for one in about]
        if not each:
            values = {"sha": sha}
            problems.append(_problem("foreign_file", file.name, values=values))
        problems += min(each, key=len, default=[])
    return problems


def _key_that_signed(sums: bytes, written: bytes) -> KnownKey:
    signature = _strict_signature(written)
    key = KnownKey.objects.select_related("site").filter(public=signature["key"])
    known, hint = key.first(), MESSAGES("ask_operators")
    values = {"key": signature["key"]}
    if known is None:
        _refuse("unknown_key", SIGNATURE, hint=hint, values=values)
    if known.withdrawn_at is not None:
        values["site"] = known.site.name
        _refuse("withdrawn_key", SIGNATURE, hint=hint, values=values)
    public, proof = (bytes.fromhex(signature[name]) for name in ("key", "signature"))
    same = signature["sha256"] == sha256(sums).hexdigest()
    if not same or not keys.holds(public, sums, proof):
        _refuse("broken", SIGNATURE)
    return known


def _strict_signature(written: bytes) -> dict[str, str]:
    """The signature's members, none more or less, in the one way to write them."""
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        found = None
    if (
        not isinstance(found, dict)
        or set(found) != {"algorithm", *HEX}
        or found["algorithm"] != "Ed25519"
        or not all(_is_hex(found[name], size) for name, size in HEX.items())
    ):
        _refuse("odd_signature", SIGNATURE)
    return found


def _is_hex(value: Any, size: int) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(f"[0-9a-f]{{{size}}}", value))


def _signed_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The receipts, each as it was signed. A site signs other files too, such as
    archives with what organizers name; they are not what is read here."""
    lines = files[SUMS].decode(errors="replace").split("\n")
    found = [SIGNED.fullmatch(line) for line in lines[:-1]]
    sums = {one[2]: one[1] for one in found if one}
    if lines[-1] or len(sums) < len(found):
        _refuse("odd_sums", SUMS)
    if set(files) - {SUMS, SIGNATURE, KEYS} != set(sums):
        _refuse("other_names", SUMS)
    for name, digest in sums.items():
        if sha256(files[name]).hexdigest() != digest:
            _refuse("changed", name)
    return {name: files[name] for name in sums}


def _receipt(name: str, data: bytes) -> Values:
    try:
        values: Values = _plain(asdict(load(name, data)))
    except (UsageError, RecursionError):
        _refuse("no_receipt", name)
    return values


def _page(origin: bytes, address: str) -> str:
    try:
        page = json.loads(origin).get("page", "")
    except (ValueError, RecursionError, AttributeError):
        return ""
    own = isinstance(page, str) and page.startswith(f"{address.rstrip('/')}/")
    return page if own and len(page) <= 400 and page.isprintable() else ""


def _plain(value: Any) -> Any:
    """Values that are compared: without names of files, whole numbers as fractions."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items() if key != "file"}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value) + 0.0  # no minus zero, which a database may lose
        except OverflowError:
            return str(value)
    return value


def _text(value: Any) -> str:
    """Text that is the same for the same values, and of no others."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _sha(receipt: Values, of: str) -> Any:
    found = receipt[of]
    return found.get("sha256") if isinstance(found, dict) else None


def _differences(name: str, ours: Values, theirs: Values) -> Iterator[Problem]:
    golds = {"there": _short(_sha(theirs, "gold")), "here": _sha(ours, "gold")}
    if _sha(theirs, "gold") != _sha(ours, "gold"):
        yield _problem("other_gold", name, values=golds)
    if theirs["engine"] != ours["engine"]:
        engines = {"there": _short(theirs["engine"]), "here": ours["engine"]}
        yield _problem("other_engine", name, values=engines)
        return  # whose signature and numbers are bound to be others
    for setting in SETTINGS:
        if _text(theirs[setting]) != _text(ours[setting]):
            yield _problem("other_setting", name, values={"name": setting})
    if theirs["counted_elsewhere"]:
        yield _problem("counted_outside", name)
    if _text(theirs["signatures"]) != _text(ours["signatures"]):
        yield _problem("other_setting", name, values={"name": "signatures"})
    others = list(_other_numbers(ours["measures"], theirs["measures"]))
    for values in others[:MOST_NUMBERS]:
        yield _problem("other_number", name, values=values)


def _other_numbers(ours: Values, theirs: Any) -> Iterable[dict[str, str]]:
    here, there = _leaves(ours), _leaves(theirs)
    for name in sorted(set(here) | set(there)):
        pair = here.get(name), there.get(name)
        if pair[0] != pair[1]:
            one, other = ("–" if text is None else _short(text) for text in pair)
            yield {"name": _short(name), "here": one, "there": other}


def _leaves(value: Any, name: str = "") -> dict[str, str]:
    """Texts of single values by the names that lead to them."""
    if not isinstance(value, dict) or not value:
        return {name: _text(value)}
    found: dict[str, str] = {}
    for key, one in value.items():
        found |= _leaves(one, f"{name} {key}".strip())
    return found


def _short(value: Any) -> str:
    return str(value)[:LONGEST]


def _problem(code: str, file: str, hint: Any = "", values: Values | None = None) -> Any:
    return Problem(code, MESSAGES(code, **(values or {})), file, hint=hint)


def _refuse(code: str, file: str, **about: Any) -> NoReturn:
    raise Refused([_problem(code, file, **about)])
