"""Proofs and signatures agree with published ones, and hold for nothing else."""

import random
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from plumbline import ed25519
from scoring import merkle
from tests.scoring import proofs

# Entries and roots of the tests of Certificate Transparency, for 1 to 8 entries.
ENTRIES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
# RFC 8032, section 7.1: key, message, signature.
VECTORS = (
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
)
TAMPERINGS = 1000


def leaves(number: int) -> list[bytes]:
    return [merkle.leaf_hash(str(n).encode()) for n in range(number)]


def test_roots_are_those_of_certificate_transparency() -> None:
    hashes = [merkle.leaf_hash(entry) for entry in ENTRIES]
    roots = [merkle.root_hash(hashes[:size]).hex() for size in range(1, 9)]
    assert tuple(roots) == ROOTS
    assert merkle.root_hash([]) == sha256().digest()


def test_every_entry_of_a_tree_of_any_size_is_proved() -> None:
    for size in range(1, 40):
        tree = leaves(size)
        root = merkle.root_hash(tree)
        for index in range(size):
            proof = merkle.inclusion(tree, index)
            assert proofs.includes(tree[index], index, size, proof, root)


def test_every_tree_is_proved_to_begin_with_every_earlier_one() -> None:
    for size in range(40):
        tree = leaves(size)
        for first in range(size + 1):
            proof = merkle.consistency(tree, first)
            roots = merkle.root_hash(tree[:first]), merkle.root_hash(tree)
            assert proofs.extends(first, roots[0], size, proof, roots[1])


def flipped(data: bytes, chance: random.Random) -> bytes:
    bit = chance.randrange(8 * len(data))
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_no_proof_of_an_entry_holds_once_something_is_changed() -> None:
    chance = random.Random(7)
    for _time in range(TAMPERINGS):
        size = chance.randint(2, 60)
        tree = leaves(size)
        index = chance.randrange(size)
        leaf, root = tree[index], merkle.root_hash(tree)
        proof = merkle.inclusion(tree, index)
        kind = chance.choice(("leaf", "root", "index", "step", "lost", "more", "swap"))
        step = chance.randrange(len(proof))
        if kind == "leaf":
            leaf = flipped(leaf, chance)
        elif kind == "root":
            root = flipped(root, chance)
        elif kind == "index":
            index = chance.choice([n for n in range(size) if n != index])
        elif kind == "step":
            proof[step] = flipped(proof[step], chance)
        elif kind == "lost":
            del proof[step]
        elif kind == "more":
            proof.insert(step, chance.randbytes(32))
        else:
            leaf, proof[step] = proof[step], leaf
        assert not proofs.includes(leaf, index, size, proof, root), kind


def test_no_proof_of_a_longer_record_holds_once_something_is_changed() -> None:
    chance = random.Random(8)
    for _time in range(TAMPERINGS):
        size = chance.randint(3, 60)
        first = chance.randint(1, size - 1)
        tree = leaves(size)
        old, new = merkle.root_hash(tree[:first]), merkle.root_hash(tree)
        proof = merkle.consistency(tree, first)
        kind = chance.choice(("old", "new", "step", "lost", "more", "history"))
        step = chance.randrange(len(proof))
        if kind == "old":
            old = flipped(old, chance)
        elif kind == "new":
            new = flipped(new, chance)
        elif kind == "step":
            proof[step] = flipped(proof[step], chance)
        elif kind == "lost":
            del proof[step]
        elif kind == "more":
            proof.insert(step, chance.randbytes(32))
        else:  # an entry of the first tree is another one now, with a proof of its own
            tree[chance.randrange(first)] = chance.randbytes(32)
            new, proof = merkle.root_hash(tree), merkle.consistency(tree, first)
        assert not proofs.extends(first, old, size, proof, new), kind


@pytest.mark.parametrize(("key", "message", "signature"), VECTORS)
def test_published_signatures_hold(key: str, message: str, signature: str) -> None:
    parts = [bytes.fromhex(text) for text in (key, message, signature)]
    assert ed25519.holds(*parts)


def test_signatures_of_another_program_hold_and_none_that_was_changed_does() -> None:
    chance = random.Random(9)
    for _time in range(20):
        secret = Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
        public = secret.public_key().public_bytes_raw()
        data = chance.randbytes(chance.randrange(1, 300))
        signature = secret.sign(data)
        assert ed25519.holds(public, data, signature)
        assert not ed25519.holds(flipped(public, chance), data, signature)
        assert not ed25519.holds(public, flipped(data, chance), signature)
        assert not ed25519.holds(public, data, flipped(signature, chance))
    # The same scalar plus the order of the group: a second form is no signature.
    high = int.from_bytes(signature[32:], "little") + ed25519.ORDER
    second = signature[:32] + high.to_bytes(32, "little")
    assert not ed25519.holds(public, data, second)
    assert not ed25519.holds(public, data, signature[:-1])
    assert not ed25519.holds(public[:-1], data, signature)
