"""Places for names beside points, where none lies on another name or on a mark."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from scoring.counts import Flags, Floats

RINGS = (7.0, 10.0, 16.0, 26.0, 40.0, 58.0, 80.0, 110.0, 150.0)
DIRECTIONS = 16
STEP = 7.0  # between places anywhere
APART = 2.0  # between names

# Of the places around a point: how far away they are, and in which direction.
_TURNS = sorted(range(DIRECTIONS), key=lambda turn: min(turn, DIRECTIONS - turn))
_ANGLES = [2 * math.pi * turn / DIRECTIONS for turn in _TURNS]
AWAY = np.repeat(RINGS, DIRECTIONS)
COSINES = np.tile([math.cos(angle) for angle in _ANGLES], len(RINGS))
SINES = np.tile([math.sin(angle) for angle in _ANGLES], len(RINGS))

Point = tuple[float, float]


class Box(NamedTuple):
    """A rectangle in pixels, downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def nearest(self, x: float, y: float) -> Point:
        """The point of the box that lies nearest to another one."""
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)


def free_places(
    points: Sequence[Point],
    sizes: Sequence[Point],
    marks: Iterable[Box],
    lines: Iterable[Box],
    room: Box,
) -> list[Box | None]:
    """A box of its size for each point inside the room: the nearest that is free.

    Points come in their order, so that the first have the best places; None for one
    that finds no free place. Lines are kept clear while there is a place beside them.
    """
    taken = np.array([*marks], dtype=float).reshape(-1, 4)
    crossed = np.array([*lines], dtype=float).reshape(-1, 4)
    places: list[Box | None] = []
    for point, size in zip(points, sizes, strict=True):
        for places_of in (_around, _anywhere):
            boxes = places_of(point, size, room)
            inside = _inside(boxes, room)
            free = np.flatnonzero(inside & ~_overlaps(boxes, taken))
            if len(free):
                break
        else:
            places.append(None)
            continue
        clear = free[~_overlaps(boxes[free], crossed)]
        box = Box(*boxes[clear[0] if len(clear) else free[0]].tolist())
        places.append(box)
        wider = (box.left - APART, box.top, box.right + APART, box.bottom)
        taken = np.vstack([taken, wider])
    return places


def _around(point: Point, size: Point, _room: Box) -> Floats:
    """Boxes (n, 4) around a point, nearer ones first and right of it first."""
    width, height = size
    left = point[0] + COSINES * (AWAY + width / 2) - width / 2
    top = point[1] - SINES * (AWAY + height / 2) - height / 2
    boxes: Floats = np.stack([left, top, left + width, top + height], axis=1)
    return boxes


def _anywhere(point: Point, size: Point, room: Box) -> Floats:
    """Boxes (n, 4) all over the room, nearer ones first."""
    width, height = size
    lefts = np.arange(room.left, room.right - width, STEP)
    tops = np.arange(room.top, room.bottom - height, STEP)
    left, top = (grid.ravel() for grid in np.meshgrid(lefts, tops))
    boxes = np.stack([left, top, left + width, top + height], axis=1)
    far = np.hypot(left + width / 2 - point[0], top + height / 2 - point[1])
    nearer: Floats = boxes[np.argsort(far, kind="stable")]
    return nearer


def _inside(boxes: Floats, room: Box) -> Flags:
    """Whether each box (n, 4) lies in the room."""
    inside: Flags = (
        (boxes[:, 0] >= room.left)
        & (boxes[:, 1] >= room.top)
        & (boxes[:, 2] <= room.right)
        & (boxes[:, 3] <= room.bottom)
    )
    return inside


def _overlaps(boxes: Floats, taken: Floats) -> Flags:
    """Whether each box (n, 4) lies on one that is taken (m, 4)."""
    one, other = boxes[:, None], taken[None]
    apart = (
        (one[..., 0] >= other[..., 2])
        | (one[..., 2] <= other[..., 0])
        | (one[..., 1] >= other[..., 3])
        | (one[..., 3] <= other[..., 1])
    )
    return np.asarray((~apart).any(axis=1))
