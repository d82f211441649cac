"""Statistics are read back as they were stored, by this version and by earlier ones."""

import zlib

import numpy as np

from leaderboard.results.stored_statistics import pack, unpack

TABLE = np.arange(6.0).reshape(2, 3)


def test_what_was_packed_is_read_back() -> None:
    content = {"of": ["las", None], "right": np.array([True]), "table": TABLE.T}
    again = unpack(pack(content))
    assert again["of"] == ["las", None]
    assert again["right"].tolist() == [True]
    assert np.array_equal(again["table"], TABLE.T)


def test_empty_arrays_keep_their_shape() -> None:
    again = unpack(pack({"none": np.empty((0, 4)), "one": np.array([7])}))
    assert (again["none"].shape, again["one"].tolist()) == ((0, 4), [7])


def test_what_an_earlier_version_packed_is_read() -> None:
    head = b'{"table":{"array":"<f8","shape":[2,3]},"of":{"value":"las"}}'
    again = unpack(zlib.compress(head + b"\n" + TABLE.tobytes()))
    assert again["of"] == "las"
    assert np.array_equal(again["table"], TABLE)
