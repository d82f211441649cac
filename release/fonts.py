"""The parts of the typeface that pages load first, cut out of the kept package.

`python -m release.fonts FOLDER` writes `static/fonts` from the package's folder, the
site's setting INTER; it needs fontTools and brotli and nothing of the site. Letters
outside of these parts come from the package's own files. Figures as PDF embed a part
that is not packed.
"""

import subprocess
import sys
from pathlib import Path

FONTS = Path(__file__).parent.parent / "static" / "fonts"
WEIGHTS = ("Regular", "SemiBold")
# As in the faces of `static/base.css`.
RANGES = {
    "latin": "U+20-7E, U+A0-FF, U+2010-2026, U+202F-203A, U+2070, U+207B, U+20AC, "
    "U+2116, U+2122, U+2190-2193, U+21AA, U+2212, U+221A, U+2248, U+2260, U+2264-2265, "
    "U+25B2, U+25BC",
    "cyrillic": "U+400-45F, U+490-491",
    "greek": "U+370-3FF",
}
IN_PDF = (
    FONTS.parent.parent / "leaderboard/extras/paper/fonts/Inter-Regular.ttf",
    "U+20-7E, U+A0-17F, U+218-21B, U+370-3FF, U+400-45F, U+490-491, U+1E80-1EF9, "
    "U+2010-2026, U+202F-203A, U+20AC, U+2116, U+2122, U+2190-2193, U+2212, U+221A, "
    "U+2248, U+2260, U+2264-2265",
)
FEATURES = "kern,liga,calt,tnum,lnum,ccmp,locl,mark,mkmk"


def write_fonts(whole: Path) -> None:
    """From the files of whole fonts in that folder."""
    for weight in WEIGHTS:
        for part, ranges in RANGES.items():
            subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "fontTools.subset",
                    str(whole / f"Inter-{weight}.woff2"),
                    f"--unicodes={ranges.replace(' ', '')}",
                    f"--layout-features={FEATURES}",
                    "--no-hinting",
                    "--flavor=woff2",
                    f"--output-file={FONTS / f'Inter-{weight}-{part}.woff2'}",
                ],
                check=True,
            )


def write_font_of_pdf(whole: Path) -> None:
    """From the file of the whole font in that folder."""
    path, ranges = IN_PDF
    path.parent.mkdir(exist_ok=True)
    run = [sys.executable, "-m"]
    packed = str(whole / "Inter-Regular.woff2")
    unpack = ["fontTools.ttLib.woff2", "decompress", "-o", str(path), packed]
    subprocess.run([*run, *unpack], check=True)
    options = [f"--unicodes={ranges.replace(' ', '')}", "--layout-features="]
    options += ["--no-hinting", f"--output-file={path}"]
    subprocess.run([*run, "fontTools.subset", str(path), *options], check=True)


if __name__ == "__main__":
    write_fonts(Path(sys.argv[1]))
    write_font_of_pdf(Path(sys.argv[1]))
