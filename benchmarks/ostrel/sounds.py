"""Sounds of the invented language: syllables, roots and the hill accent."""

from random import Random

CONSONANTS = "t k l m n s r v d p b h z g sh th tr kr st br fl"
ONSETS = CONSONANTS.split()
ONSET_WEIGHTS = (9, 8, 8, 8, 8, 7, 7, 6, 6, 5, 4, 3, 2, 3, 3, 2, 2, 2, 2, 1, 1)
VOWELS = ("a", "e", "i", "o", "u", "ai", "ei")
VOWEL_WEIGHTS = (28, 22, 17, 18, 11, 2, 2)
CODAS = ("", "n", "l", "r", "s", "m", "k")
CODA_WEIGHTS = (58, 12, 10, 9, 5, 4, 2)

# Pieces and words that mean something, or something rude, in a real language.
RUDE_PIECES = """
pu ku fu nig nik shi hit naz rap ped kak kek tit sek sik slu kik pis mer bit zob
hui hom pip zeb hiv kun
"""
ENGLISH_WORDS = """
the she he her his him them they me my no not some to do so go be am is in on it
at an a hate live theme boston rome roma lose time tire ten hen men sun run ran
son let set met get bet mom dad god van man mad bad sad love hope stone ton tin
kin sin win ham rat hat bat mat sat ram tram trail rail sail save saver tree free
bread tea sea bra toe hell smell sell tell steam stem stole bone home more store
bore base vase patron shaman shape shapes dive
"""
AVOIDED_PIECES = tuple(RUDE_PIECES.split())
AVOIDED_WORDS = frozenset(ENGLISH_WORDS.split())

FRONT = "eiäöü"
BACK_TO_FRONT = str.maketrans("aou", "äöü")
DEVOICED = str.maketrans("bdgz", "ptks")


def root(rng: Random, syllables: int) -> str:
    """A stem of so many syllables, no onset twice, seldom closed before the end."""
    parts: list[str] = []
    for left in range(syllables, 0, -1):
        onset = rng.choices(ONSETS, ONSET_WEIGHTS)
        parts += onset if onset[0] not in parts else ["y"]
        parts += rng.choices(VOWELS, VOWEL_WEIGHTS)
        if left == 1 or rng.random() < 0.22:
            parts += rng.choices(CODAS, CODA_WEIGHTS)
    return "".join(parts)


def pleasant(stem: str) -> bool:
    """Whether the stem reads as a word of this language only, in both accents."""
    forms = (stem, hill_accent(stem))
    return not any(
        form in AVOIDED_WORDS or any(piece in form for piece in AVOIDED_PIECES)
        for form in forms
    )


def roots(rng: Random, count: int, lengths: tuple[int, ...]) -> list[str]:
    """Different stems; short ones first, so that frequent words are short."""
    roots: dict[str, None] = {}
    while len(roots) < count:
        stem = root(rng, rng.choice(lengths))
        if pleasant(stem):
            roots.setdefault(stem)
    noise = {stem: len(stem) + rng.random() * 9 for stem in roots}
    return sorted(roots, key=noise.__getitem__)


def harmony(stem: str, ending: str) -> str:
    """The ending, with front vowels where the stem begins with one."""
    first = next((sound for sound in stem if sound in "aouäöüei"), "a")
    return ending.translate(BACK_TO_FRONT) if first in FRONT else ending


def hill_accent(stem: str) -> str:
    """The same stem in the hills: voiceless stops, š for sh, vowel harmony."""
    hard = stem.replace("sh", "š").replace("th", "t").translate(DEVOICED)
    return harmony(hard, hard)


def ends_in_vowel(stem: str) -> bool:
    return stem[-1] in "aeiouäöü"
