"""UTF-8 told by comparing blocks, against Python's decoder."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import source

NEAR = (
    0x41,
    0x7F,
    0x80,
    0x8F,
    0x90,
    0x9F,
    0xA0,
    0xBF,
    0xC0,
    0xC1,
    0xC2,
    0xDF,
    0xE0,
    0xE1,
    0xED,
    0xEF,
    0xF0,
    0xF4,
    0xF5,
    0xFF,
)
BYTES = st.sampled_from(NEAR).map(lambda value: bytes([value]))
CHARACTERS = st.characters(codec="utf-8").map(str.encode)
PLAIN = "a\u044f\u2014\u4e2d\u00e9\n"


def decodes(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_no_four_bytes_are_taken_that_a_decoder_refuses() -> None:
    for values in product(NEAR, repeat=4):
        data = bytes(values)
        assert decodes(data) or not source.surely_utf8(data)


@pytest.fixture(params=[4, 5, 7, 1 << 16])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(source, "UTF8_BLOCK", request.param)
    return int(request.param)


@pytest.mark.usefixtures("block")
def test_a_character_across_two_blocks_is_whole() -> None:
    for size in range(1, 20):
        assert source.surely_utf8((PLAIN * 4)[:size].encode())


@pytest.mark.usefixtures("block")
def test_a_character_cut_off_at_the_end_is_seen() -> None:
    for size in range(1, 12):
        assert not source.surely_utf8(b"a" * size + "\u2014".encode()[:2])


@given(st.lists(st.one_of(BYTES, CHARACTERS)).map(b"".join))
def test_nothing_is_taken_that_a_decoder_refuses(data: bytes) -> None:
    assert decodes(data) or not source.surely_utf8(data)
