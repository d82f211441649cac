"""Pictures of parts of a page, small and alike on every machine.

Fonts differ between machines, and with them the places where lines break. So all text
is set in a font made here: each of its letters is the same block. Where a part stands,
how large it is and which colours it has is then the same wherever a browser draws it,
and what is compared is the mean of each square of pixels, in which an edge that is
drawn half a pixel off hardly counts.
"""

import base64
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page

Pixels = np.ndarray[Any, np.dtype[np.uint8]]
SIDE = 4  # pixels of the screen, of each square
# Of a square, on a scale to 255; and how many squares may differ by more.
TOLERANCE, FEW = 20, 6
# Glyphs of the font; glyph 0 is for what a font has not, and browsers try another.
BLOCK, BLANK = 1, 2
SIGNATURE = b"\x89PNG\r\n\x1a\n"
STILL = """
*, *::before, *::after, ::file-selector-button {
  font-family: Blocks !important; font-weight: 400 !important;
  font-style: normal !important; letter-spacing: 0 !important;
  animation: none !important; transition: none !important;
  caret-color: transparent !important;
}
select, input[type=checkbox], input[type=radio] { appearance: none !important; }
input[type=checkbox], input[type=radio] {
  width: 14px; height: 14px; border: 2px solid;
}
::-webkit-scrollbar { display: none !important; }
"""
# Of ten narrow and ten wide letters: half of 16 pixels each.
WIDTHS = """() => ["iiiiiiiiii", "WWWWWWWWWW"].map(text => {
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.font = "16px Blocks";
    return Math.round(context.measureText(text).width);
})"""
DRAW = """async data => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const drawn = context.getImageData(0, 0, image.width, image.height).data;
    let text = "";
    for (let at = 0; at < drawn.length; at += 32768)
        text += String.fromCharCode(...drawn.subarray(at, at + 32768));
    return [image.width, image.height, btoa(text)];
}"""


def set_in_blocks(page: Page) -> None:
    """All text of the page in the font of blocks. The context has to bypass the CSP."""
    font = base64.b64encode(block_font()).decode()
    face = (
        f"@font-face {{ font-family: Blocks; src: url(data:font/ttf;base64,{font}); }}"
    )
    page.add_style_tag(content=face + STILL)
    page.evaluate("document.fonts.load('16px Blocks')")
    assert page.evaluate(WIDTHS) == [80, 80], "this browser refuses the font of blocks"


def picture(part: Locator, canvas: Page) -> Pixels:
    """The part as it looks, (height, width, 3), each value the mean of a square."""
    png = part.screenshot(animations="disabled", caret="hide")
    width, height, data = canvas.evaluate(DRAW, base64.b64encode(png).decode())
    drawn = np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 4)
    whole = drawn[: height // SIDE * SIDE, : width // SIDE * SIDE, :3]
    squares = whole.reshape(height // SIDE, SIDE, width // SIDE, SIDE, 3)
    means: Pixels = squares.mean(axis=(1, 3)).round().astype(np.uint8)
    return means


def difference(now: Pixels, then: Pixels) -> str:
    """How two pictures differ, in words; empty where they are alike."""
    # A line of text may be a fraction of a pixel higher in another browser.
    if abs(now.shape[0] - then.shape[0]) > 1 or now.shape[1] != then.shape[1]:
        return f"{now.shape[1::-1]} squares, not {then.shape[1::-1]}"
    rows = min(len(now), len(then))
    apart = np.abs(now[:rows].astype(int) - then[:rows].astype(int)).max(axis=2)
    wrong = apart > TOLERANCE
    if wrong.sum() <= FEW:
        return ""
    top, left = np.argwhere(wrong)[0] * SIDE
    return f"{wrong.sum()} squares, the first {left} px from left, {top} px from top"


def write(path: Path, pixels: Pixels) -> None:
    """A PNG of 8-bit RGB whose lines are kept as differences from the line above."""
    height, width, _channels = pixels.shape
    above = np.vstack([np.zeros_like(pixels[:1]), pixels[:-1]])
    lines = b"".join(b"\x02" + line.tobytes() for line in pixels - above)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    path.write_bytes(SIGNATURE + b"".join(_png_chunk(*chunk) for chunk in chunks))


def read(path: Path) -> Pixels:
    """A picture that `write` wrote; PNGs of other programs may be kept otherwise."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    (size,) = struct.unpack(">I", data[33:37])
    lines = np.frombuffer(zlib.decompress(data[41 : 41 + size]), np.uint8)
    kept = lines.reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)
    return np.add.accumulate(kept, axis=0, dtype=np.uint8)


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check


def block_font() -> bytes:
    """A TrueType font in which every character is one block, half as wide as high.

    `cmap` leads every character there but the blanks.
    """
    em, wide, rise, fall = 1000, 500, 800, 200
    box = (0, 0, 400, 500)
    corners = ((0, 0), (0, 500), (400, 0), (0, -500))  # each from the one before
    glyph = struct.pack(">hhhhhHH", 1, *box, 3, 0) + b"\x01" * 4
    glyph += b"".join(struct.pack(">h", x) for x, _y in corners)
    glyph += b"".join(struct.pack(">h", y) for _x, y in corners)
    glyph += b"\0" * (-len(glyph) % 4)
    groups = ((0x20, 0x20, 0), (0x21, 0x9F, 1), (0xA0, 0xA0, 0), (0xA1, 0x10FFFF, 1))
    mapping = b"".join(
        struct.pack(">III", first, last, BLOCK if drawn else BLANK)
        for first, last, drawn in groups
    )
    subtable = struct.pack(">HHIII", 13, 0, 16 + len(mapping), 0, len(groups)) + mapping
    tables = {
        b"OS/2": struct.pack(
            ">HhHHH10hh10B4I4sHHHhhhHHII",
            *(3, wide, 400, 5, 0),
            *(0,) * 10,
            0,
            *(0,) * 10,
            *(0,) * 4,
            b"none",
            *(0x40, 0x20, 0xFFFF, rise, -fall, 0, rise, fall, 0, 0),
        )
        + struct.pack(">hhHHH", 500, 500, 0, 0x20, 0),
        b"cmap": struct.pack(">HHHHI", 0, 1, 3, 10, 12) + subtable,
        b"glyf": glyph,
        b"head": struct.pack(
            ">IIIIHHQQhhhhHHhhh",
            *(0x10000, 0x10000, 0, 0x5F0F3CF5, 3, em, 0, 0),
            *box,
            *(0, 8, 2, 1, 0),
        ),
        b"hhea": struct.pack(
            ">IhhhHhhhhhh4hhH", 0x10000, rise, -fall, 0, wide, *(0,) * 11, 3
        ),
        b"hmtx": struct.pack(">HhHhHh", *(wide, 0) * 3),
        b"loca": struct.pack(">IIII", 0, 0, len(glyph), len(glyph)),
        b"maxp": struct.pack(">IHHHHHHHHHHHHHH", 0x10000, 3, 4, 1, *(0,) * 11),
        b"name": _names("Blocks"),
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 1, 0, 0, 0, 0),
    }
    return _font_file(tables)


def _names(family: str) -> bytes:
    text = family.encode("utf-16-be")
    kinds = (1, 2, 4, 6)
    records = b"".join(
        struct.pack(">HHHHHH", 3, 1, 0x409, kind, len(text), 0) for kind in kinds
    )
    return struct.pack(">HHH", 0, len(kinds), 6 + len(records)) + records + text


def _font_file(tables: dict[bytes, bytes]) -> bytes:
    number = len(tables)
    power = 1 << (number.bit_length() - 1)
    start = struct.pack(
        ">IHHHH",
        0x10000,
        number,
        16 * power,
        power.bit_length() - 1,
        16 * (number - power),
    )
    records, bodies, at = b"", b"", 12 + 16 * number
    for tag, data in sorted(tables.items()):
        padded = data + b"\0" * (-len(data) % 4)
        total = sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
        records += tag + struct.pack(">III", total, at + len(bodies), len(data))
        bodies += padded
    return start + records + bodies
