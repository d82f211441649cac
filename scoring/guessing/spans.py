"""No spans at all: the documents of the blind file, in the format of submissions."""

from collections.abc import Mapping

from scoring.formats.spans import Document, ReaderOptions
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.scorers.spans.documents import AUTO, FORMATS, as_json, as_xml, gold_format


def guessed_spans(
    files: Mapping[str, bytes], _scorer: Scorer, options: Options
) -> dict[str, bytes]:
    """The blind documents; written anew where submissions have another format."""
    blind_format, wanted = gold_format(files, options), options["format"]
    if wanted in (AUTO, blind_format):
        return {_answer_name(name, options): data for name, data in files.items()}
    asked = ReaderOptions(scheme=options["scheme"])
    found: dict[str, bytes] = {}
    for document in FORMATS[blind_format].read(files, asked):
        found |= _written(document, wanted, options)
    return found


def _written(document: Document, wanted: str, options: Options) -> dict[str, bytes]:
    name = _answer_name(document.file, options)
    if wanted == "brat":
        return {f"{name}.ann": b"", f"{name}.txt": document.text.encode()}
    if wanted == "conll":
        lines = (f"{token}\tO\n" for token in document.text.split())
        return {name: "".join(lines).encode()}
    return {name: (as_json if wanted == "mat-json" else as_xml)(document)}


def _answer_name(name: str, options: Options) -> str:
    """What a submission calls the document: the task's change of endings undone."""
    off, on = options["ref_suffix_off"], options["ref_suffix_on"]
    return name.removesuffix(on) + off if name.endswith(on) else name
