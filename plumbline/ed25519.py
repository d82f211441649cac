"""Ed25519: whether a signature holds, by the standard library alone.

Source: RFC 8032, section 5.1. It signs nothing and knows no secrets, so that it need
not take the same time for each; a signature takes some milliseconds.
"""

from hashlib import sha512

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # of -1
Point = tuple[int, int, int, int]  # X, Y, Z and T with x = X/Z, y = Y/Z, x * y = T/Z
NEUTRAL: Point = (0, 1, 1, 0)


def holds(public: bytes, data: bytes, signature: bytes) -> bool:
    """Whether the signature of the bytes is by the owner of that public key."""
    if len(public) != 32 or len(signature) != 64:
        return False
    key, chance = _point(public), _point(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or chance is None or scalar >= ORDER:
        return False
    hashed = sha512(signature[:32] + public + data).digest()
    challenge = int.from_bytes(hashed, "little") % ORDER
    return _equal(_times(scalar, BASE), _plus(chance, _times(challenge, key)))


def _plus(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(factor: int, point: Point) -> Point:
    result = NEUTRAL
    while factor:
        if factor & 1:
            result = _plus(result, point)
        point = _plus(point, point)
        factor >>= 1
    return result


def _equal(one: Point, other: Point) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (
        one[1] * other[2] - other[1] * one[2]
    ) % P == 0


def _point(data: bytes) -> Point | None:
    """The point that 32 bytes stand for, if there is one."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    x = _x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def _x(y: int, sign: int) -> int | None:
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P:
        return None
    return P - x if x & 1 != sign else x


def _base() -> Point:
    y = 4 * pow(5, -1, P) % P
    x = _x(y, 0)
    assert x is not None
    return x, y, 1, x * y % P


BASE = _base()
