"""Statistics are read back as they were stored, by this version and by earlier ones."""

import zlib

import numpy as np
import pytest

from leaderboard.results.stored_statistics import packed, unpacked

TABLE = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("length", range(1, 18))
def test_arrays_are_read_back_aligned_however_long_the_names_are(length: int) -> None:
    content = {"n" * length: [1, None], "right": np.array([True]), "table": TABLE}
    again = unpacked(packed(content))
    assert again["n" * length] == [1, None]
    assert again["right"].tolist() == [True]
    assert np.array_equal(again["table"], TABLE)
    assert again["table"].flags.aligned


def test_empty_arrays_keep_their_shape() -> None:
    again = unpacked(packed({"none": np.empty((0, 4)), "one": np.array([7])}))
    assert (again["none"].shape, again["one"].tolist()) == ((0, 4), [7])


def test_what_an_earlier_version_packed_is_read() -> None:
    head = b'{"table":{"array":"<f8","shape":[2,3]},"of":{"value":"las"}}'
    again = unpacked(zlib.compress(head + b"\n" + TABLE.tobytes()))
    assert again["of"] == "las"
    assert np.array_equal(again["table"], TABLE)
    assert again["table"].flags.aligned


def test_more_than_is_unpacked_at_once_is_read() -> None:
    large = np.random.default_rng(1).normal(size=(3000, 20))
    assert np.array_equal(unpacked(packed({"table": large}))["table"], large)
