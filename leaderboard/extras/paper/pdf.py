"""Pictures of charts as PDF, one page each: a writer for the SVG that the site draws.

It knows what `parts/picture.jinja` uses and no more: rectangles, straight paths and
circles, marks, texts, and classes. The typeface is embedded, as publishers ask for;
letters that it has not, such as Chinese ones, are empty boxes, which
`letters_lacking` says beforehand. Why it was written:
docs/decisions/0026-figures-as-pdf.md.
"""

import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from django.utils.translation import gettext as _

FONT = Path(__file__).parent / "fonts" / "Inter-Regular.ttf"
SVG = "{http://www.w3.org/2000/svg}"
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
SIMPLE = re.compile(r"(\w+)?((?:\.[\w-]+)*)(?::not\(\.([\w-]+)\))?$")
STEP = re.compile(r"([MHVLaZ])([^MHVLaZ]*)")
NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
USUAL = {"fill": "#000000", "stroke": "none", "font-size": "12px"}
HANDED_DOWN = ("font-size", "fill")
BEND = 0.5523  # of a quarter of a circle, as a curve of Bézier
MIDDLE, END = "middle", "end"
MOST_LETTERS = 12  # that a sentence names
SLANT = 0.7071  # sine of 45 degrees

Style = Mapping[str, str]


class Rule(NamedTuple):
    """Declarations for an element of that name, if any, that has the classes."""

    tag: str
    classes: frozenset[str]
    without: str
    values: Style

    def fits(self, tag: str, classes: frozenset[str]) -> bool:
        return (
            self.tag in ("", tag)
            and self.classes <= classes
            and self.without not in classes
        )

    @property
    def weight(self) -> tuple[int, int]:
        return len(self.classes) + bool(self.without), bool(self.tag)


@dataclass(frozen=True)
class Typeface:
    """A TrueType font as far as PDF wants to know it."""

    data: bytes

    @cached_property
    def tables(self) -> dict[str, bytes]:
        number = struct.unpack(">H", self.data[4:6])[0]
        found = {}
        for at in range(12, 12 + 16 * number, 16):
            tag, _sum, start, size = struct.unpack(">4sIII", self.data[at : at + 16])
            found[tag.decode()] = self.data[start : start + size]
        return found

    @cached_property
    def glyphs(self) -> dict[int, int]:
        """Glyphs by code point, from the table of format 4."""
        cmap = self.tables["cmap"]
        for at in range(4, 4 + 8 * struct.unpack(">H", cmap[2:4])[0], 8):
            start = struct.unpack(">I", cmap[at + 4 : at + 8])[0]
            if struct.unpack(">H", cmap[start : start + 2])[0] == 4:
                return dict(_segments(cmap[start:]))
        raise ValueError(f"{FONT.name} has no table of characters of format 4")

    @cached_property
    def scale(self) -> float:
        """Thousandths of the size, of a unit of the font."""
        return 1000 / float(struct.unpack(">H", self.tables["head"][18:20])[0])

    @cached_property
    def widths(self) -> list[int]:
        number = struct.unpack(">H", self.tables["hhea"][34:36])[0]
        pairs = struct.unpack(f">{2 * number}H", self.tables["hmtx"][: 4 * number])
        return [round(width * self.scale) for width in pairs[::2]]

    def width(self, glyph: int) -> int:
        return self.widths[min(glyph, len(self.widths) - 1)]

    def encoded(self, text: str) -> list[int]:
        return [self.glyphs.get(ord(letter), 0) for letter in text]


def _segments(table: bytes) -> Iterator[tuple[int, int]]:
    number = struct.unpack(">H", table[6:8])[0] // 2
    columns = [14, *(16 + 2 * number * place for place in (1, 2, 3))]
    ends, starts, deltas, offsets = (
        struct.unpack(f">{number}H", table[at : at + 2 * number]) for at in columns
    )
    for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
        for code in range(start, min(end, 0xFFFE) + 1):
            glyph = code
            if offsets[i]:
                at = columns[3] + 2 * i + offsets[i] + 2 * (code - start)
                glyph = struct.unpack(">H", table[at : at + 2])[0]
            if glyph:
                yield code, (glyph + deltas[i]) & 0xFFFF


@cache
def typeface() -> Typeface:
    return Typeface(FONT.read_bytes())


def letters_lacking(texts: Iterable[str]) -> str:
    """A sentence that names letters of the texts that figures as PDF cannot show; empty
    where there are none."""
    known = typeface().glyphs
    lacking = [
        letter
        for letter in dict.fromkeys(chain.from_iterable(texts))
        if ord(letter) not in known and letter.isprintable()
    ]
    if not lacking:
        return ""
    named = "".join(lacking[:MOST_LETTERS]) + "…" * (len(lacking) > MOST_LETTERS)
    return _(
        "PDF figures lack these letters and have boxes in their place: “%(letters)s”. "
        "The SVG shows them, and a browser prints it as PDF."
    ) % {"letters": named}


def rules_of(sheet: str) -> list[Rule]:
    """The rules for light pages, the weaker first."""
    light = sheet.partition("@media")[0]
    found = []
    for selectors, body in RULE.findall(light):
        pairs = (one.split(":", 1) for one in body.split(";") if ":" in one)
        values = {name.strip(): value.strip() for name, value in pairs}
        for selector in selectors.split(","):
            last = SIMPLE.match(selector.split()[-1])
            if last and selector.split()[-1] != ".picture":
                classes = frozenset(filter(None, last[2].split(".")))
                found.append(Rule(last[1] or "", classes, last[3] or "", values))
    return sorted(found, key=lambda rule: rule.weight)


def _colour(text: str) -> str:
    """A colour as the operands of PDF."""
    digits = text.lstrip("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    return " ".join(f"{int(digits[i : i + 2], 16) / 255:.3g}" for i in (0, 2, 4))


def _pixels(text: str) -> float:
    return float(text.removesuffix("px"))


@dataclass
class PdfPage:
    """The operators of a page; y goes down, as in SVG."""

    width: float
    height: float
    rules: Sequence[Rule]
    font: Typeface
    operators: list[str] = field(default_factory=list)
    states: dict[tuple[float, float], str] = field(default_factory=dict)
    used: dict[int, str] = field(default_factory=dict)

    def add(self, element: ElementTree.Element, above: Style = USUAL) -> None:
        tag = element.tag.removeprefix(SVG)
        style = self._style(tag, element, above)
        if tag in ("svg", "g"):
            shifted = element.get("transform")
            if shifted:
                x, y = NUMBER.findall(shifted)
                self.operators.append(f"q 1 0 0 1 {x} {y} cm")
            handed = {name: style[name] for name in HANDED_DOWN if name in style}
            for child in element:
                self.add(child, {**USUAL, **handed})
            if shifted:
                self.operators.append("Q")
        elif tag in ("rect", "path", "text"):
            self.operators.append(f"q {self._state(style)}")
            getattr(self, f"_{tag}")(element, style)
            self.operators.append("Q")

    def _style(self, tag: str, element: ElementTree.Element, above: Style) -> Style:
        classes = frozenset(element.get("class", "").split())
        found = dict(above)
        for rule in self.rules:
            if rule.fits(tag, classes):
                found.update(rule.values)
        strength = element.get("fill-opacity")
        if strength is not None:
            found["fill-opacity"] = strength
        return found

    def _state(self, style: Style) -> str:
        whole = float(style.get("opacity", 1))
        key = (
            whole * float(style.get("fill-opacity", 1)),
            whole * float(style.get("stroke-opacity", 1)),
        )
        name = self.states.setdefault(key, f"S{len(self.states)}")
        words = [f"/{name} gs"]
        if style["fill"] != "none":
            words.append(f"{_colour(style['fill'])} rg")
        if style["stroke"] != "none":
            words.append(f"{_colour(style['stroke'])} RG")
            words.append(f"{_pixels(style.get('stroke-width', '1px')):g} w")
            dashes = style.get("stroke-dasharray", "")
            words.append(f"[{dashes}] 0 d" if dashes else "")
            words.append("1 j" if style.get("stroke-linejoin") == "round" else "")
        return " ".join(filter(None, words))

    def _paint(self, style: Style) -> str:
        filled, stroked = style["fill"] != "none", style["stroke"] != "none"
        return {(1, 1): "B", (1, 0): "f", (0, 1): "S"}.get((filled, stroked), "n")

    def _rect(self, element: ElementTree.Element, style: Style) -> None:
        sizes = {"width": self.width, "height": self.height}
        for name in sizes:
            if not element.get(name, "").endswith("%"):
                sizes[name] = float(element.get(name, 0))
        x, y = float(element.get("x", 0)), float(element.get("y", 0))
        box = f"{x:g} {y:g} {sizes['width']:g} {sizes['height']:g} re"
        self.operators.append(f"{box} {self._paint(style)}")

    def _path(self, element: ElementTree.Element, style: Style) -> None:
        shifted = element.get("transform")
        if shifted:
            x, y = NUMBER.findall(shifted)
            self.operators.append(f"1 0 0 1 {x} {y} cm")
        drawn = " ".join(_steps(element.get("d", "")))
        self.operators.append(f"{drawn} {self._paint(style)}")

    def _text(self, element: ElementTree.Element, style: Style) -> None:
        text, size = element.text or "", _pixels(style["font-size"])
        glyphs = self.font.encoded(text)
        self.used |= dict(zip(glyphs, text, strict=True))
        width = sum(map(self.font.width, glyphs)) * size / 1000
        back = {MIDDLE: width / 2, END: width}.get(element.get("text-anchor", ""), 0.0)
        turned = element.get("transform")
        if turned:
            x, y = map(float, NUMBER.findall(turned)[:2])
            turn = f"{SLANT} {-SLANT} {-SLANT} {-SLANT}"
            x, y = x - back * SLANT, y + back * SLANT
        else:
            x, y = float(element.get("x", 0)) - back, float(element.get("y", 0))
            turn = "1 0 0 -1"
        shown = f"<{''.join(f'{glyph:04x}' for glyph in glyphs)}> Tj"
        words = f"/F {size:g} Tf {turn} {x:.5g} {y:.5g} Tm {shown}"
        # A halo is painted first, and the letters over it.
        halo = f"BT 1 Tr {words} ET " if style["stroke"] != "none" else ""
        self.operators.append(f"{halo}BT 0 Tr {words} ET")


def _steps(path: str) -> Iterator[str]:
    x = y = 0.0
    for letter, words in STEP.findall(path):
        numbers = [float(word) for word in NUMBER.findall(words)]
        if letter == "Z":
            yield "h"
        elif letter == "a":
            across = numbers[5]
            yield from _half_circle(x, y, across)
            x += across
        else:
            if letter in "ML":
                x, y = numbers
            elif letter == "H":
                (x,) = numbers
            else:
                (y,) = numbers
            yield f"{x:g} {y:g} {'m' if letter == 'M' else 'l'}"


def _half_circle(x: float, y: float, across: float) -> Iterator[str]:
    """From an end of the diameter to the other, in two quarters."""
    radius = across / 2
    bend, middle = BEND * radius, x + radius
    low = y + radius
    corners = [
        (x, y + bend, middle - bend, low, middle, low),
        (middle + bend, low, x + across, y + bend, x + across, y),
    ]
    for one in corners:
        yield f"{' '.join(f'{number:.5g}' for number in one)} c"


def pdf_of(svg: str) -> bytes:
    """A page as large as the picture; of the same picture the same bytes."""
    root = ElementTree.fromstring(svg)
    sheet = root.findtext(f"{SVG}style", "")
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    page = PdfPage(width, height, rules_of(sheet), typeface())
    page.add(root)
    return _file(page, root.findtext(f"{SVG}title", ""))


def _file(page: PdfPage, title: str) -> bytes:
    font = page.font
    states = " ".join(
        f"/{name} << /ca {fill:.3g} /CA {stroke:.3g} >>"
        for (fill, stroke), name in page.states.items()
    )
    drawn = f"1 0 0 -1 0 {page.height:g} cm\n" + "\n".join(page.operators)
    box = f"[0 0 {page.width:g} {page.height:g}]"
    widths = " ".join(f"{g} [{font.width(g)}]" for g in sorted(page.used))
    bounds = struct.unpack(">4h", font.tables["head"][36:44])
    rise, fall = struct.unpack(">2h", font.tables["hhea"][4:8])
    measures = (
        f"/FontBBox [{' '.join(f'{end * font.scale:.0f}' for end in bounds)}] "
        f"/Ascent {rise * font.scale:.0f} /Descent {fall * font.scale:.0f} "
        f"/CapHeight 727 /ItalicAngle 0 /StemV 80 /Flags 4"
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents 4 0 R /Resources "
        f"<< /Font << /F 5 0 R >> /ExtGState << {states} >> >> "
        "/Group << /S /Transparency /CS /DeviceRGB >> >>",
        _stream(drawn.encode()),
        "<< /Type /Font /Subtype /Type0 /BaseFont /Inter-Regular "
        "/Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 9 0 R >>",
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Inter-Regular "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
        f"/FontDescriptor 7 0 R /CIDToGIDMap /Identity /W [{widths}] >>",
        "<< /Type /FontDescriptor /FontName /Inter-Regular /FontFile2 8 0 R "
        f"{measures} >>",
        _stream(font.data, f"/Length1 {len(font.data)}"),
        _stream(_characters(page.used).encode()),
        f"<< /Title <feff{title.encode('utf-16-be').hex()}> /Creator (Plumbline) >>",
    ]
    return _numbered([o.encode() if isinstance(o, str) else o for o in objects])


def _stream(data: bytes, more: str = "") -> bytes:
    # Not deflated: what deflating gives depends on the machine's library.
    head = f"<< /Length {len(data)} {more} >>\nstream\n"
    return head.encode() + data + b"\nendstream"


def _characters(used: Mapping[int, str]) -> str:
    """What letters the glyphs stand for, so that texts can be searched and copied."""
    known = [(glyph, letter) for glyph, letter in sorted(used.items()) if glyph]
    parts = []
    for at in range(0, len(known), 100):
        part = known[at : at + 100]
        lines = (f"<{g:04x}> <{a.encode('utf-16-be').hex()}>" for g, a in part)
        parts.append(f"{len(part)} beginbfchar\n" + "\n".join(lines) + "\nendbfchar")
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
        "/CMapName /Letters def\n/CMapType 2 def\n"
        "1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n"
        + "\n".join(parts)
        + "\nendcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    )


def _numbered(objects: Sequence[bytes]) -> bytes:
    """The file: objects by number from 1, the last about the file, and their places."""
    whole = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(whole))
        whole += b"%d 0 obj\n%b\nendobj\n" % (number, one)
    lines = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    foot = (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer\n"
        b"<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    )
    return whole + foot % (size, lines, size, len(objects), len(whole))
