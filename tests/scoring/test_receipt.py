"""Receipts of an older engine: their numbers are still those of these files."""

import json
from dataclasses import replace

import pytest

from scoring import Plan, evaluate
from scoring.engine import Job
from scoring.options import parse
from scoring.receipt import load, receipt_of, verify
from scoring.scorers import get
from scoring.source import Source

# Written by engine 0.1.1 for the files below, measures cut to a few.
SENSES = """{
 "scorer": "senseval",
 "options": {},
 "unit": "instance",
 "plan": {
  "resamples": 20,
  "seed": 2026,
  "level": 0.95
 },
 "gold": {
  "file": "gold.txt",
  "sha256": "bde8a81eeb45951b9915e34f3b17e5a5b6c0accdc55f07de320a587db400f9ff"
 },
 "system": {
  "file": "sys.txt",
  "sha256": "ba05d24629b8bb4d8e3872ea46966ab3eb6807849a572f9a30c2f2ceed767d5d"
 },
 "signature": "senseval|unit:instance|bs:20|seed:2026|level:0.95|v:0.1.1",
 "measures": {
  "recall": {
   "value": 0.6666666666666666,
   "low": 0.15833333333333346,
   "high": 1.0,
   "bca_low": 0.3333333333333333,
   "bca_high": 1.0,
   "mean": 0.5,
   "variance": 0.08333333333333334,
   "stddev": 0.2886751345948129,
   "left_out": 0
  },
  "attempted": {
   "value": 1.0,
   "low": 1.0,
   "high": 1.0,
   "bca_low": 1.0,
   "bca_high": 1.0,
   "mean": 1.0,
   "variance": 0.0,
   "stddev": 0.0,
   "left_out": 0
  }
 },
 "engine": "0.1.1",
 "gold_revision": 0,
 "command": ""
}"""
SPANS = """{
 "scorer": "spans",
 "options": {},
 "unit": "document",
 "plan": {
  "resamples": 20,
  "seed": 2026,
  "level": 0.95
 },
 "gold": {
  "file": "g.tsv",
  "sha256": "ee757b632325fc20604cfd943dddf76ddac64e0f4a6025f362a7eb4c5072127d"
 },
 "system": {
  "file": "s.tsv",
  "sha256": "0bb30ab534fa72fd8426705db3d543fbc9f594c3be40bf31312d368cf4f87ce8"
 },
 "signature": "spans|unit:document|bs:20|seed:2026|level:0.95|v:0.1.1",
 "measures": {
  "recall": {
   "value": 0.3333333333333333,
   "low": 0.3333333333333333,
   "high": 0.3333333333333333,
   "bca_low": 0.3333333333333333,
   "bca_high": 0.3333333333333333,
   "mean": 0.3333333333333333,
   "variance": 0.0,
   "stddev": 0.0,
   "left_out": 0
  },
  "f1": {
   "value": 0.4,
   "low": 0.4,
   "high": 0.4,
   "bca_low": 0.4,
   "bca_high": 0.4,
   "mean": 0.4,
   "variance": 0.0,
   "stddev": 0.0,
   "left_out": 0
  }
 },
 "engine": "0.1.1",
 "gold_revision": 0,
 "command": ""
}"""
GOLD = Source.of_bytes("gold.txt", b"lex.n 1 a\nlex.n 2 b\nlex.n 3 a\n")
SYSTEM = Source.of_bytes("sys.txt", b"lex.n 1 a\nlex.n 2 a\nlex.n 3 a\n")
REFERENCE = (
    b"Ada\tB-PERSON\nBrook\tI-PERSON\nsails\tO\n\n"
    b"Elmhaven\tB-PLACE\nsleeps\tO\n\nIda\tB-PERSON\n"
)
TAGGED = REFERENCE.replace(b"PLACE", b"PERSON").replace(b"Ida\tB-PERSON", b"Ida\tO")
WRITTEN = {
    "senses": (SENSES, GOLD, SYSTEM),
    # One document is one unit, which has no interval any more.
    "spans": (
        SPANS,
        Source.of_bytes("g.tsv", REFERENCE),
        Source.of_bytes("s.tsv", TAGGED),
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_receipt_of_engine_0_1_still_holds(name: str) -> None:
    text, gold, system = WRITTEN[name]
    assert verify(load("receipt.json", text.encode()), gold, system, {}) == []


# Written by engine 0.2.0, whose interval of a mean of fractions was one of coin flips.
TEXTS = """{
 "scorer": "texts",
 "options": {},
 "unit": "text",
 "plan": {
  "resamples": 20,
  "seed": 2026,
  "level": 0.95
 },
 "gold": {
  "file": "tg.csv",
  "sha256": "cb037296c76fe20c9b0e7360e42ecf6935094ccc691f1687b4a53f30bd92167b"
 },
 "system": {
  "file": "ts.csv",
  "sha256": "93763f86ad7e9f02e5093a758033da8e72b7285177a7011907d81afd85901005"
 },
 "signature": "texts|unit:text|bs:20|seed:2026|level:0.95|v:0.2.0|scorer:1",
 "measures": {
  "similarity": {
   "value": 0.8636981225296443,
   "low": 0.21262549841869638,
   "high": 0.9933195960159887,
   "percentile_low": 0.8016597702569169,
   "percentile_high": 0.9276926877470355,
   "bca_low": 0.820686165733833,
   "bca_high": 0.9427983344665573,
   "mean": 0.8565742341897232,
   "variance": 0.0013079830551630193,
   "stddev": 0.03616604837638499,
   "left_out": 0,
   "informative_units": 4
  }
 },
 "engine": "0.2.0",
 "gold_revision": 0,
 "remarks": [],
 "command": ""
}"""
ANSWERS = Source.of_bytes(
    "tg.csv",
    b"id,text\na,the keeper lit the lamp\nb,at noon the ferry left\n"
    b"c,nobody waved\nd,gulls kept quiet\n",
)
TOLD = Source.of_bytes(
    "ts.csv",
    b"id,text\na,the keeper lit a lamp\nb,at noon the boat left\n"
    b"c,nobody waved\nd,gulls were quiet\n",
)


def test_a_receipt_of_engine_0_2_still_holds() -> None:
    assert verify(load("receipt.json", TEXTS.encode()), ANSWERS, TOLD, {}) == []


@pytest.mark.parametrize(
    ("key", "number"), [("low", 0.81), ("high", 0.9), ("percentile_low", 0.8)]
)
def test_an_interval_that_engine_0_2_cannot_have_given_is_found(
    key: str, number: float
) -> None:
    table = json.loads(TEXTS)
    table["measures"]["similarity"][key] = number
    receipt = load("receipt.json", json.dumps(table).encode())
    assert "0.2.0" in verify(receipt, ANSWERS, TOLD, {})[-1].message


# Written by engine 0.3.0, which did not know that judges vary.
JUDGED = """{
 "scorer": "table",
 "options": {},
 "unit": "unit",
 "plan": {
  "resamples": 20,
  "seed": 2026,
  "level": 0.95
 },
 "gold": {
  "file": "units.csv",
  "sha256": "4454dda7756ab98bf035fa786f34e4036631a72224f4526673b49e716c92336f"
 },
 "system": {
  "file": "judged.csv",
  "sha256": "e16f0c7adde13b312b819829c7ed57ad88d42c7058b2972354679a5d87d3b13a"
 },
 "signature": "table|unit:unit|bs:20|seed:2026|level:0.95|v:0.3.0|scorer:1",
 "measures": {
  "score": {
   "value": 3.3333333333333335,
   "low": -1.41023578747,
   "high": 7.75034333848,
   "percentile_low": 2.6666666666666665,
   "percentile_high": 4.0,
   "bca_low": 2.6666666666666665,
   "bca_high": 4.0,
   "mean": 3.5,
   "variance": 0.21666666666666665,
   "stddev": 0.4654746681256314,
   "left_out": 0,
   "informative_units": 3
  }
 },
 "engine": "0.3.0",
 "gold_revision": 0,
 "command": ""
}"""
UNITS = Source.of_bytes("units.csv", b"id\ns1\ns2\ns3\n")
SAID = Source.of_bytes(
    "judged.csv",
    b"id,judge,score\ns1,ann,1\ns1,ben,3\ns2,ann,2\ns2,ben,6\ns3,ann,4\ns3,ben,4\n",
)


def test_a_receipt_of_engine_0_3_still_holds() -> None:
    assert verify(load("receipt.json", JUDGED.encode()), UNITS, SAID, {}) == []


@pytest.mark.parametrize(("key", "number"), [("low", -60.0), ("high", 60.0)])
def test_an_interval_wider_than_engine_0_3_can_have_given_is_found(
    key: str, number: float
) -> None:
    table = json.loads(JUDGED)
    table["measures"]["score"][key] = number
    receipt = load("receipt.json", json.dumps(table).encode())
    assert "0.3.0" in verify(receipt, UNITS, SAID, {})[-1].message


# Written by engine 0.4.0, which did not know that judges vary in correlations.
RATED = """{
 "scorer": "table",
 "options": {
  "measure": [
   "rho = spearman(a, b)",
   "m = mean(a)"
  ]
 },
 "unit": "unit",
 "plan": {
  "resamples": 20,
  "seed": 2026,
  "level": 0.95
 },
 "gold": {
  "file": "units.csv",
  "sha256": "3f8ab1b8e598667034e7e36ef0b22408ea6eae199ed0b1ddfc7e8563c2f53e68"
 },
 "system": {
  "file": "judged.csv",
  "sha256": "f3ccf6e9926828fbe30e8956bf86d282dd2caa8d4c712f855670e657ceb100b1"
 },
 "signature": "table|measure:rho = spearman(a, b),m = mean(a)|unit:unit\
|bs:20|seed:2026|level:0.95|v:0.4.0|scorer:1",
 "measures": {
  "rho": {
   "value": 0.9486832980505138,
   "low": 0.7453559924999299,
   "high": 1.0,
   "percentile_low": 0.7453559924999299,
   "percentile_high": 1.0,
   "bca_low": 0.7905694150420948,
   "bca_high": 1.0,
   "mean": 0.9015094113862097,
   "variance": 0.007675518024195148,
   "stddev": 0.08761003381003313,
   "left_out": 0,
   "informative_units": 5
  },
  "m": {
   "value": 4.4,
   "low": -13.1649729073,
   "high": 21.9138057219,
   "percentile_low": 3.6,
   "percentile_high": 5.409999999999999,
   "bca_low": 3.6,
   "bca_high": 5.2052597960328,
   "mean": 4.5200000000000005,
   "variance": 0.3216,
   "stddev": 0.567097875150313,
   "left_out": 0,
   "informative_units": 5
  }
 },
 "engine": "0.4.0",
 "gold_revision": 0,
 "remarks": [
  "only 5 units bear on rho, m: the interval means little"
 ],
 "command": ""
}"""
ITEMS = Source.of_bytes("units.csv", b"id\ns1\ns2\ns3\ns4\ns5\n")
RATINGS = Source.of_bytes(
    "judged.csv",
    b"id,judge,a,b\ns1,ann,1,2\ns1,ben,3,1\ns2,ann,2,2\ns2,ben,6,3\ns3,ann,4,5\n"
    b"s3,ben,4,3\ns4,ann,5,3\ns4,ben,7,6\ns5,ann,4,7\ns5,ben,8,4\n",
)


def test_a_receipt_of_engine_0_4_0_still_holds() -> None:
    assert verify(load("receipt.json", RATED.encode()), ITEMS, RATINGS, {}) == []


@pytest.mark.parametrize(("key", "number"), [("low", 0.4), ("percentile_low", 0.7)])
def test_an_interval_that_engine_0_4_0_cannot_have_given_is_found(
    key: str, number: float
) -> None:
    table = json.loads(RATED)
    table["measures"]["rho"][key] = number
    receipt = load("receipt.json", json.dumps(table).encode())
    assert "0.4.0" in verify(receipt, ITEMS, RATINGS, {})[-1].message


@pytest.mark.parametrize("key", ["low", "high", "bca_low", "mean", "value"])
def test_a_changed_number_of_an_old_receipt_is_found(key: str) -> None:
    table = json.loads(SENSES)
    table["measures"]["recall"][key] += 1e-15
    receipt = load("receipt.json", json.dumps(table).encode())
    first, last = verify(receipt, GOLD, SYSTEM, {})
    assert f"recall {key}" in first.message
    assert "0.1.1" in last.message


@pytest.mark.parametrize(
    ("low", "high", "holds"), [(-1.0, 1.0, True), (-1.0, 0.5, False)]
)
def test_intervals_of_engine_0_4_1_may_be_wider_and_not_others(
    low: float, high: float, holds: bool
) -> None:
    """Where a name stood beside what a model alone said."""
    table = json.loads(RATED.replace("0.4.0", "0.4.1"))
    table["measures"]["rho"] |= {"low": low, "high": high}
    receipt = load("receipt.json", json.dumps(table).encode())
    assert (verify(receipt, ITEMS, RATINGS, {}) == []) == holds


@pytest.mark.parametrize(
    ("high", "holds"), [(0.9015176655053687, True), (0.95, False), (None, False)]
)
def test_intervals_of_engine_0_4_2_lie_within_those_that_know_of_a_bias(
    high: float | None, holds: bool
) -> None:
    """Sixty items of twelve classes, one in five wrong; the first is what it gave."""
    rows = [(k, k % 12, k % 12 if k % 5 else (k + 1) % 12) for k in range(60)]
    files = [
        Source.of_bytes(
            f"{side}.csv",
            "\n".join(["id,label", *(f"i{r[0]},c{r[side]}" for r in rows)]).encode(),
        )
        for side in (1, 2)
    ]
    scorer = get("classes")
    job = Job(scorer, parse(scorer.options, {}), "item", Plan(200, 7))
    result = evaluate(job, files[0], files[1])
    receipt = receipt_of(job, {}, (files[0], files[1]), result)
    estimate = receipt.measures["macro_f1"]
    assert estimate["high"] == pytest.approx(0.943254600085)
    old = replace(
        receipt,
        engine="0.4.2",
        measures={"macro_f1": {**estimate, "high": high}},
    )
    assert (verify(old, files[0], files[1], {}) == []) == holds
