"""The parts of the typeface that pages load, cut out of its whole files.

`python -m release.fonts FOLDER` writes `static/fonts` from a folder with the whole
Inter-Regular.woff2 and Inter-SemiBold.woff2 (they lie in django-unfold 0.91 under
static/unfold/fonts/inter); it needs fontTools and brotli and nothing of the site.
Letters outside of these parts come from the fonts of the reader's system. Figures as
PDF embed a part that is not packed.
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
    # Every other letter of languages that are written in Latin letters in Europe, and
    # those of Vietnamese and Pinyin.
    "latin-extended": "U+100-17F, U+18F, U+192, U+1A0-1A1, U+1AF-1B0, U+1B7, "
    "U+1CD-1DC, U+1E4-1EF, U+1F4-1F5, U+1F8-1FF, U+218-21B, U+21E-21F, U+232-233, "
    "U+237, U+259, U+292, U+2BB-2BC, U+2C6-2C7, U+2D8-2DD, U+1E02-1E03, U+1E0A-1E0B, "
    "U+1E1E-1E1F, U+1E40-1E41, U+1E56-1E57, U+1E60-1E61, U+1E6A-1E6B, U+1E80-1E85, "
    "U+1E9E, U+1EA0-1EF9",
    "cyrillic": "U+400-45F, U+490-491",
    "cyrillic-extended": "U+492-4FF",
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
