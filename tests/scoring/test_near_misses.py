"""Files that are right but for what a program or an editor put into them."""

import json
from dataclasses import replace

import pytest

from tests.scoring.test_diagnosis import TASKS, data

EVERYWHERE = sorted(set(TASKS) - {"senseval"})  # which takes answers to no instance
PRINTED = (
    b"INFO loading model bert-base\n",
    b"2026-11-02 10:14:03,118 - root - WARNING - no GPU found\n",
    b"```csv\n",
    b"Here are the predictions:\n",
    b"100%|##########| 40/40 [00:03<00:00, 12.9it/s]\n",
)


def first_sentence(task: str, raw: bytes) -> str:
    verdict = TASKS[task].verdict(raw, "mine")
    assert verdict.problems, f"{task}: the file was taken"
    return verdict.findings[0].message


@pytest.mark.parametrize("task", EVERYWHERE)
def test_a_line_that_a_program_printed_is_named_with_its_number(task: str) -> None:
    right = data(TASKS[task].right)
    for line in PRINTED:
        quoted = line.decode().strip()[:20]
        said = first_sentence(task, line + right)
        assert said.startswith(f"Line 1 is program output, not an answer: '{quoted}"), (
            task,
            said,
        )
    last = right.count(b"\n") + 1
    said = first_sentence(task, right + b"Done in 3.2 s\n")
    assert said == f"Line {last} is program output, not an answer: 'Done in 3.2 s'."


def test_an_answer_in_a_fence_is_told_with_the_number_of_its_lines() -> None:
    right = data(TASKS["tuples"].right)
    said = first_sentence("tuples", b"```json\n" + right + b"```\n")
    assert said == (
        "2 lines are program output, not answers; the first is line 1: '```json'."
    )


def test_lines_of_text_may_begin_as_programs_speak() -> None:
    lines = [*TASKS["lines"].right]
    lines[4] = "Loading docks are closed"
    assert not TASKS["lines"].verdict(data(lines), "mine").problems


def test_a_file_that_misses_more_is_not_blamed_on_what_was_printed() -> None:
    right = TASKS["classes"].right
    said = first_sentence("classes", b"INFO start\n" + data([right[0], *right[4:]]))
    assert "program output" not in said


@pytest.mark.parametrize("task", ["attachment", "spans", "labels", "edits", "tuples"])
def test_no_break_spaces_are_named_where_they_part_words_or_columns(task: str) -> None:
    text = data(TASKS[task].right).decode()
    mark = "\t" if "\t" in text else " "
    odd = text.replace(mark, f"\u00a0{mark}") if mark == "\t" else text
    odd = odd if mark == "\t" else text.replace(" ", "\u00a0")
    assert first_sentence(task, odd.encode()).startswith(
        "There are no-break spaces (<U+00A0>) in the file, "
    )


def test_curly_quotes_of_json_are_named_with_their_line() -> None:
    lines = [*TASKS["tuples"].right]
    json.loads(lines[2])
    lines[2] = lines[2].replace('"', "“", 1).replace('"', "”", 1)
    said = first_sentence("tuples", data(lines))
    assert said == "There are curly quotes in the file, such as “ in line 3."


@pytest.mark.parametrize("mark", [",", ";", "|"])
def test_columns_with_another_separator_are_named_by_it(mark: str) -> None:
    for task in ("attachment", "spans", "labels"):
        raw = data(TASKS[task].right).replace(b"\t", mark.encode())
        assert first_sentence(task, raw) == (
            f"The columns are separated by '{mark}'; this format separates them "
            "with tabs."
        ), task


def test_letters_that_were_read_in_another_encoding_are_named() -> None:
    """UTF-8 that a program took for the letters of Western Europe."""
    for task, word, mark in (
        ("attachment", "höher", "Ã¶"),
        ("spans", "naïve", "Ã¯"),
        ("labels", "Łódź", "Å<U+0081>"),
        ("edits", "don’t", "â€™"),
    ):
        own = TASKS[task]
        blind, right = (
            [line.replace("reed", word) for line in side]
            for side in (own.blind, own.right)
        )
        meant = replace(own, blind=blind, right=right)
        wrong = word.encode().decode("latin-1" if "<U+" in mark else "cp1252")
        sent = data([line.replace(word, wrong) for line in right])
        (problem, *_more) = meant.verdict(sent).findings
        assert problem.code == "diagnosis_reencoded", task
        assert problem.message.startswith(
            "Letters were read in another encoding before they were saved: "
            f"'{mark}' for"
        )
        assert not meant.verdict(data(right)).findings


def test_letters_of_another_encoding_are_told_of_texts_that_are_accepted() -> None:
    for task in ("texts", "translation", "free"):
        lines = [line.replace("boat", "bÃ¶at") for line in TASKS[task].right]
        lines = [line.replace("positive", "positÃ¯ve") for line in lines]
        remarks = TASKS[task].verdict(data(lines)).remarks
        assert "characters" in [remark.code for remark in remarks], task
    good = [
        line.replace("boat", "À la carte – São Ângelo") for line in TASKS["texts"].right
    ]
    verdict = TASKS["texts"].verdict(data(good))
    assert not verdict.problems and not verdict.remarks
