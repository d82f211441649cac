"""The kind of a file, told by its first bytes, before anybody reads it as text.

Archives, spreadsheets and files of other programs are no text, whatever they are
called: each has a name and a way to mend it. Text in a form of its own is turned into
what is read by `scoring.formats.text_forms`.
"""

import re
from collections.abc import Mapping

from scoring.errors import Problem, ScoringError
from scoring.messages import Messages, _

MESSAGES = Messages(
    {
        "other_kind": _("this is %(kind)s; expected a text file"),
        "other_text": _("this is %(kind)s"),
        # Kinds of files.
        "7z": _("a 7z archive"),
        "arrow": _("an Arrow or Feather file"),
        "base64": _("text in base64"),
        "bibtex": _("a file of references (BibTeX, RIS)"),
        "bz2": _("a bzip2 archive"),
        "checksum": _("a checksum of a file, and not the file"),
        "cab": _("a cabinet archive (.cab)"),
        "calendar": _("a calendar or an address book (.ics, .vcf)"),
        "compress": _("a file packed by compress (.Z)"),
        "conflict": _("a file in which Git left two versions side by side"),
        "dvc": _("a pointer of DVC, not the file it stands for"),
        "encrypted": _("an encrypted file or a key"),
        "data": _("a file of Avro, ORC, safetensors or zlib"),
        "empty_zip": _("an empty zip"),
        "error": _("the error message of a program, and not its output"),
        "figures": _("the settings or figures of a run, and not its answers"),
        "gif": _("a GIF picture"),
        "gzip": _("a gzip archive"),
        "hdf5": _("an HDF5 file"),
        "hex": _("bytes as a program shows them, in hexadecimal numbers"),
        "html": _("an HTML page"),
        "jpeg": _("a JPEG picture"),
        "literal": _(
            "a text as programs print it, in quotes and with \\n for line ends"
        ),
        "label_studio": _("an export of Label Studio"),
        "lfs": _("a pointer of Git LFS, not the file it stands for"),
        "log": _("the log of a program, and not its output"),
        "lz4": _("an LZ4 archive"),
        "lzma": _("an LZMA archive"),
        "lzip": _("an lzip archive"),
        "model": _("a model, and not its answers"),
        "media": _("a picture, a recording or a film"),
        "notebook": _("a Jupyter notebook"),
        "npy": _("a NumPy array"),
        "numbers": _("a document of Apple Numbers or Pages"),
        "office": _("an Office document"),
        "old_office": _("an old Excel or Word file (.xls, .doc)"),
        "open_document": _("an OpenDocument file (.ods, .odt)"),
        "own": _("a file that an operating system wrote for itself"),
        "parquet": _("a Parquet file"),
        "patch": _("a patch: changes to a file, and not the file"),
        "pdf": _("a PDF"),
        "pickle": _("a pickle of Python"),
        "png": _("a PNG picture"),
        "postscript": _("a PostScript file"),
        "program": _("a program"),
        "printed": _("a value as R, NumPy or PyTorch prints it"),
        "printed_table": _("a table as a program shows it on a screen"),
        "quoted_json": _("JSON written as texts, each in quotes"),
        "rar": _("a RAR archive"),
        "rtf": _("an RTF document"),
        "praat": _("a TextGrid of Praat or a file of ELAN"),
        "statistics": _("a file of R, Stata, SPSS or MATLAB"),
        "sqlite": _("an SQLite database"),
        "tar": _("a tar archive"),
        "uuencode": _("text in uuencode"),
        "torch": _("a model file of PyTorch"),
        "utf16": _("UTF-16 text"),
        "utf32": _("UTF-32 text"),
        "web_anno": _("a file of WebAnno or INCEpTION"),
        "xml_sheet": _("an Excel file in XML"),
        "xz": _("an xz archive"),
        "zstd": _("a Zstandard archive"),
        # What to do with them.
        "save_utf8": _("Save the file as UTF-8 and upload it again."),
        "save_as_csv": _("Save it as CSV (UTF-8) and send that file."),
        "save_as_text": _("Save it as plain text (UTF-8) and send that file."),
        "unquote": _("Write the objects themselves, without quotes around them."),
        "unpack": _("Unpack it and send the file that is in it."),
        "decode": _("Decode it and send the file that comes out."),
        "choose": _("Keep one of the versions, take out the marks, and send that."),
        "pull_dvc": _("Fetch the file itself with 'dvc pull' and send that."),
        "pull": _("Fetch the file itself with 'git lfs pull' and send that."),
        "pack_file": _("See whether the file was packed, and send it."),
        "write_itself": _("Write the text itself to the file, line by line."),
        "see_written": _("See whether your program wrote its output to another place."),
        "see_which": _("See whether this is the file you meant."),
        "write_text": _(
            "Write what it holds to a text file in the format of the task and send "
            "that."
        ),
    }
)

HEAD = 1 << 12
BOM = b"\xef\xbb\xbf"
Hint = str
# First bytes, the kind of file, and what to do with it. The longer beginning first.
BEGINNINGS: tuple[tuple[bytes, str, Hint], ...] = (
    (b"\x1f\x8b", "gzip", "unpack"),
    (b"\x1f\x9d", "compress", "unpack"),
    (b"Rar!\x1a\x07", "rar", "unpack"),
    (b"7z\xbc\xaf\x27\x1c", "7z", "unpack"),
    (b"\xfd7zXZ\x00", "xz", "unpack"),
    (b"\x28\xb5\x2f\xfd", "zstd", "unpack"),
    (b"\x04\x22\x4d\x18", "lz4", "unpack"),
    (b"]\x00\x00", "lzma", "unpack"),
    (b"LZIP\x01", "lzip", "unpack"),
    (b"MSCF\x00\x00\x00\x00", "cab", "unpack"),
    (b"PK\x05\x06", "empty_zip", "pack_file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old_office", "save_as_csv"),
    (b"{\\rtf", "rtf", "save_as_text"),
    (b"begin 644 ", "uuencode", "decode"),
    (b"begin 664 ", "uuencode", "decode"),
    (b"begin 600 ", "uuencode", "decode"),
    (b"PAR1", "parquet", "write_text"),
    (b"PARE", "parquet", "write_text"),
    (b"\xff\xff\xff\xff", "arrow", "write_text"),
    (b"ARROW1\x00\x00", "arrow", "write_text"),
    (b"FEA1", "arrow", "write_text"),
    (b"\x89HDF\r\n\x1a\n", "hdf5", "write_text"),
    (b"\x93NUMPY", "npy", "write_text"),
    (b"SQLite format 3\x00", "sqlite", "write_text"),
    (b"Obj\x01\x04", "data", "write_text"),
    (b"ORC\n", "data", "write_text"),
    (b"x\x9c", "data", "write_text"),
    (b"x\xda", "data", "write_text"),
    (b"x\x01", "data", "write_text"),
    (b"RDX2\n", "statistics", "write_text"),
    (b"RDX3\n", "statistics", "write_text"),
    (b"<stata_dta>", "statistics", "write_text"),
    (b"$FL2@(#)", "statistics", "write_text"),
    (b"MATLAB 5.0 MAT-file", "statistics", "write_text"),
    (b"\x89PNG", "png", "see_which"),
    (b"\xff\xd8\xff", "jpeg", "see_which"),
    (b"GIF87a", "gif", "see_which"),
    (b"GIF89a", "gif", "see_which"),
    (b"ID3\x03\x00", "media", "see_which"),
    (b"ID3\x04\x00", "media", "see_which"),
    (b"OggS\x00", "media", "see_which"),
    (b"fLaC\x00", "media", "see_which"),
    (b"\xff\xfb", "media", "see_which"),
    (b"\x1aE\xdf\xa3", "media", "see_which"),
    (b"II*\x00", "media", "see_which"),
    (b"MM\x00*", "media", "see_which"),
    (b"\x7fELF", "program", "see_which"),
    (b"MZ\x90\x00", "program", "see_which"),
    (b"\xca\xfe\xba\xbe", "program", "see_which"),
    (b"\xcf\xfa\xed\xfe", "program", "see_which"),
    (b"\x00asm", "program", "see_which"),
    (b"#!/", "program", "see_which"),
    (b"%!PS", "postscript", "see_which"),
    (b"L\x00\x00\x00\x01\x14\x02\x00", "own", "see_which"),
    (b"\x00\x00\x00\x01Bud1", "own", "see_which"),
    (b"bplist00", "own", "see_which"),
    (b"\x00\x05\x16\x07\x00", "own", "see_which"),
    (b"\x00\x05\x16\x00\x00", "own", "see_which"),
    (b"[InternetShortcut]", "own", "see_which"),
    (b"<<<<<<< ", "conflict", "choose"),
    (b"diff --git ", "patch", "see_which"),
    (b"\xff\xfe\x00\x00", "utf32", "save_utf8"),
    (b"\x00\x00\xfe\xff", "utf32", "save_utf8"),
    (b"\xff\xfe", "utf16", "save_utf8"),
    (b"\xfe\xff", "utf16", "save_utf8"),
    (b"version https://git-lfs.github.com/", "lfs", "pull"),
    (b"outs:\n- md5: ", "dvc", "pull_dvc"),
    (b'File type = "ooTextFile"', "praat", "write_text"),
    (b"#FORMAT=WebAnno", "web_anno", "write_text"),
    (b'<?xml version="1.0" encoding="UTF-8"?><xmi:XMI ', "web_anno", "write_text"),
    (b"-----BEGIN ", "encrypted", "see_which"),
    (b"age-encryption.org/", "encrypted", "see_which"),
)
# What a server or a program says in place of a file, alone in it.
ERROR = re.compile(
    rb"""\s*(?:
        Traceback[ ]\(most[ ]recent[ ]call[ ]last\):.*
      | [45]\d\d:?[ ][A-Z][A-Za-z ]{3,40}
      | (?:bash|cat|cp|curl|ls|python3?|scp|sh|ssh|wget|zsh):[ ][^\n]{1,400}
      | \{\s*"(?:detail|error|errors|message)"\s*:(?![^\n]*"id")[^\n]{,999}\}
      | (?:<\?xml[^>]*>\s*)?<Error>\s*<Code>.*
    )\s*\Z""",
    re.VERBOSE | re.DOTALL,
)
# Names that programs give to their settings and to what they measured.
FIGURES = re.compile(
    rb"""\s*\[?\s*\{\s*"(?:
        (?:_name_or_path|architectures|best_metric|model_type|[$]schema|@context
          |dataset_info|features|added_tokens|tokenizer_class|splits)"
      | (?:\w*(?:accuracy|bleu|epochs?|f1|learning_rate|loss|precision|recall|rouge\w*)
          |(?:\w*auc|brier|kappa|kendall|mcc|pearson|rmse|spearman)\w*
          |batch_size|hyperparameters|lr|model(?:_name(?:_or_path)?)?|seed|wer)"
        (?!.*"(?:\w*(?:id|label|text)|answer|delays|document|output|prediction|recording
          |score|segment|session|speaker|spans|system|tuples|value)"\s*:)
    )\s*:""",
    re.VERBOSE | re.DOTALL,
)
REFERENCES = re.compile(
    rb"\s*@[A-Za-z]+\s*\{\s*[^\s,{}]*,\s*\w+\s*=|(?:TY  - [A-Z]+|%0 [A-Z]\w+)\r?\n"
)
# Variables of a shell alone.
SETTINGS = re.compile(rb"(?:(?:export )?[A-Z][A-Z\d_]*=[^\n=]*\n){2,}\Z")
LOG = re.compile(
    rb"""(?:(?:
        [^\n]{,80}\b(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL)\b[^\n]*
      | [^\n]{,40}\b(?:[Ee]poch|[Ss]tep)\b[^\n]*\b(?:acc\w*|f1|loss)\b[^\n]*
    )\n){2,}[^\n]*\Z""",
    re.VERBOSE,
)
# Whole lines of one length, of all kinds of characters.
BASE64 = re.compile(
    rb"(?=[^\n]*[a-z])(?=[^\n]*[A-Z])(?=[^\n]*\d)"
    rb"(?:(?:[A-Za-z0-9+/]{76}\r?\n){2}|(?:[A-Za-z0-9+/]{64}\r?\n){2})"
)
PICKLE = re.compile(
    rb"""\x80[\x02-\x05] | \([dl]p\d*\n | \(?V[^\n]*\np\d+\n.*\.\Z
    | c(?:__builtin__|__main__|collections|copy_reg|numpy|pandas|sklearn|torch)[\w.]*\n
    | [\]}]q[\x00-\x08] | \(?X.\x00\x00\x00""",
    re.VERBOSE | re.DOTALL,
)
HTML = re.compile(
    rb"\s*(?:<!--.{,200}?-->\s*)?(?:<!doctype html|<(?:html|head|body)[\s>])",
    re.IGNORECASE | re.DOTALL,
)
# Beginnings that take more than bytes to tell.
PATTERNS: tuple[tuple[re.Pattern[bytes], str, Hint], ...] = (
    (re.compile(rb"BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)"), "bz2", "unpack"),
    (re.compile(rb"(?s).{257}ustar[\x00 ]"), "tar", "unpack"),
    (re.compile(rb"[\x50-\x5f]\x2a\x4d\x18"), "zstd", "unpack"),
    (PICKLE, "pickle", "write_text"),
    (re.compile(rb"\s*%PDF-\d"), "pdf", "see_which"),
    (HTML, "html", "see_which"),
    (re.compile(rb"(?s)BM.{4}\x00{4}"), "media", "see_which"),
    (re.compile(rb"--- .+\n\+\+\+ .+\n@@ |From [0-9a-f]{40} "), "patch", "see_which"),
    (re.compile(rb"(?:[0-9a-f]{32}){1,2} [ *].+\s*\Z"), "checksum", "see_which"),
    (
        re.compile(rb"(?s)\s*<\?xml.{0,200}<\?mso-application progid=.Excel"),
        "xml_sheet",
        "save_as_csv",
    ),
    (re.compile(rb"(?s)RIFF.{4}(?:WAVE|WEBP|AVI )|.{4}ftyp"), "media", "see_which"),
    (re.compile(rb"(?s).{2,5}\x00{3,6}\{\s*\""), "data", "write_text"),
    (REFERENCES, "bibtex", "see_which"),
    (re.compile(rb"BEGIN:V(?:CALENDAR|CARD)\b"), "calendar", "see_which"),
    (SETTINGS, "figures", "see_which"),
    (ERROR, "error", "see_written"),
    (FIGURES, "figures", "see_which"),
    (
        re.compile(
            rb"\s*(?:precision\s+recall\s+f1-score\s+support"
            rb"|processed \d+ tokens with)\b"
        ),
        "figures",
        "see_which",
    ),
    (re.compile(rb"(?s)<\?xml[^>]*>\s*<ANNOTATION_DOCUMENT\b"), "praat", "write_text"),
    (
        re.compile(
            rb"""\s*\[\s*\{.{,3000}?"(?:annotations|completions|predictions)"\s*:\s*
            \[\s*\{[^\]]{,2000}?"result"\s*:\s*\[""",
            re.VERBOSE | re.DOTALL,
        ),
        "label_studio",
        "write_text",
    ),
    (LOG, "log", "see_which"),
    (re.compile(rb"\s*\{\s*\"cells\"\s*:\s*\["), "notebook", "write_text"),
    (
        re.compile(
            rb"""structure\((?:list|c)\(
            | <[\w. ]{1,80}\ (?:object\ [\w. ]{,80})?at\ 0x[\da-f]+>\s*\Z
            | \[1\]\ ["\d-][^\n]*\n\s*\[(?!2\])\d+\]\ ["\d-]
            | \[\[?\ *-?\d[\d.e+-]*(?:\ +-?\d[\d.e+-]*)+\ *\]?\s*(?:\n|\Z)
            | (?:array|tensor)\(\[[^\n]*\n\ +[\[\d'"-]""",
            re.VERBOSE,
        ),
        "printed",
        "write_text",
    ),
    (
        re.compile(
            rb"shape: \(\d+, \d+\)\n|\+-{3,}[-+]*\+\n\|"
            rb"|[^\n,;\t]*\n(?s:.*)\n(?:\[\d+ rows x \d+ columns\]"
            rb"|(?:Name: [^\n]{1,60}, )?(?:Length: \d+, )?dtype: \w+)\s*\Z"
            rb"|\xe2\x94[\x8c\x8f](?:\xe2\x94.){3}|[^\n|]+(?:\|[^\n|]+)+\n-{3,}(?:\+-{3,})+\n"
        ),
        "printed_table",
        "write_text",
    ),
    (re.compile(rb'\s*"\{\s*\\"[^\n]*\n\s*"\{'), "quoted_json", "unquote"),
    (BASE64, "base64", "decode"),
    (re.compile(rb"[0-9a-f]{7,8}:? (?: ?[0-9a-f]{2,4}){8} "), "hex", "see_which"),
    (
        re.compile(
            rb"\s*(?:b['\"]|['\"](?!\s*(?:\{|\[(?![DS]:))))[^\n]*?(?:\\n[^\n]*?){3}[^\n]*\s*\Z"
        ),
        "literal",
        "write_itself",
    ),
    # Text of letters of Europe and its neighbours without its mark.
    (re.compile(rb"(?:[^\x00][\x00-\x06]\x00\x00){4,}"), "utf32", "save_utf8"),
    (re.compile(rb"(?:\x00\x00[\x00-\x06][^\x00]){4,}"), "utf32", "save_utf8"),
    (re.compile(rb"(?:[^\x00][\x00-\x06]){4,}"), "utf16", "save_utf8"),
    (re.compile(rb"(?:[\x00-\x06][^\x00]){4,}"), "utf16", "save_utf8"),
)
# Kinds that are texts.
TEXTS = frozenset(
    (
        *("bibtex", "calendar", "figures", "label_studio", "log", "model", "praat"),
        "printed_table",
    )
) | {"web_anno"}
# What is saved with a model, and nothing else beside it.
MODEL = re.compile(
    r"""(?:.*/)?(?:
        (?:pytorch_|tf_|flax_)?model[\w.-]*\.(?:bin|safetensors|h5|msgpack|index\.json)
      | (?:adapter_|generation_)?config\.json | adapter_model\.\w+ | merges\.txt
      | (?:tokenizer\w*|special_tokens_map|added_tokens|vocab|trainer_state)\.json
      | (?:optimizer|scheduler)\.(?:bin|pt) | rng_state\w*\.pth | training_args\.bin
      | vocab\.txt | [\w.-]+\.(?:ckpt|gguf|spm) | \w*piece\w*\.model
    )""",
    re.VERBOSE,
)
# Members of zips that are the documents of programs.
OFFICE = "[Content_Types].xml"
MIMETYPE, OPEN_DOCUMENT = "mimetype", b"application/vnd.oasis.opendocument"


def kind_of(data: bytes) -> tuple[str, Hint]:
    """The kind of a file that is no text, and what to do with it; both are empty for
    what may be text."""
    head = data[:HEAD]
    for beginning, kind, hint in BEGINNINGS:
        if head.startswith(beginning):
            return kind, hint
    head = head.removeprefix(BOM)
    return next((pair for p, *pair in PATTERNS if p.match(head)), ("", ""))  # type: ignore[return-value]


def kind_of_zip(files: Mapping[str, bytes]) -> tuple[str, Hint]:
    """The `kind_of` of the members of a zip that is the document of a program."""
    if OFFICE in files:
        return "office", "save_as_csv"
    if files.get(MIMETYPE, b"").startswith(OPEN_DOCUMENT):
        return "open_document", "save_as_csv"
    if any(name.endswith(".iwa") for name in files):
        return "numbers", "save_as_csv"
    if any(name.rpartition("/")[2] == "data.pkl" for name in files):
        return "torch", "write_text"
    own = [name for name in files if not name.endswith("README.md")]
    if len(files) > 1 and own and all(map(MODEL.fullmatch, own)):
        return "model", "see_which"
    if files and all(name.endswith(".npy") for name in files):
        return "npy", "write_text"
    return "", ""


def no_text(kind: str, hint: Hint, name: str) -> Problem:
    """The problem of a file of that kind."""
    name_of = "other_text" if kind in TEXTS else "other_kind"
    message = MESSAGES(name_of, kind=MESSAGES(kind))
    return Problem("encoding", message, name, hint=MESSAGES(hint))


def check_text(name: str, data: bytes, kind: type[ScoringError]) -> None:
    """Raise `kind` for a file that is known not to be text."""
    form, hint = kind_of(data)
    if form:
        raise kind(no_text(form, hint, name))
