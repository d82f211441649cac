"""python -m release: build the files of this tree, or cut a release and build that."""

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from release.cutting import NotReady, begin_next, cut
from release.distributions import ROOT, NotBuilt, build


def main(words: list[str]) -> int:
    """Without a version the files of the tree as it is, with one a release."""
    try:
        return _release(words[0]) if words else _build()
    except (NotReady, NotBuilt) as problem:
        print(problem, file=sys.stderr)
        return 1


def _build() -> int:
    for file in build(ROOT / "dist"):
        print(file.relative_to(ROOT))
    return 0


def _release(version: str) -> int:
    with tempfile.TemporaryDirectory(prefix="plumbline-release-") as place:
        build(Path(place))  # what cannot be built gets no tag
    tag = cut(ROOT, version, datetime.now(UTC).date())
    _build()
    following = begin_next(ROOT)
    print(f"{tag} is committed and tagged here; the checkout goes on as {following}.")
    print("To publish it: git push --follow-tags, and the files of dist/ beside it.")
    print(f"To take it back: git reset --hard {tag}~ && git tag -d {tag}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
