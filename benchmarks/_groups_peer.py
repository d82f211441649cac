"""Names and groups of sentences in plain Python, as every scorer keeps with counts."""

Metadata = dict[str, str | None]


def names_of(sentences: list[Metadata]) -> list[str]:
    """sent_id where every sentence has another one, else numbers."""
    names = [
        metadata.get("sent_id") or f"{i:07d}" for i, metadata in enumerate(sentences, 1)
    ]
    if len(set(names)) == len(names):
        return names
    return [f"{i:07d}" for i in range(1, len(names) + 1)]


def groups_of(sentences: list[Metadata], sizes: list[int]) -> dict[str, list[str]]:
    """The document, the genre and the band of length that each sentence belongs to."""
    documents, genres = [], []
    document = genre = ""
    for number, metadata in enumerate(sentences):
        for key in ("newdoc id", "newdoc"):
            if key in metadata:
                document, genre = metadata[key] or f"document {number}", ""
        genre = metadata.get("genre") or metadata.get("meta::genre") or genre
        documents.append(document)
        genres.append(genre)
    return {"document": documents, "genre": genres, "length": [*map(band, sizes)]}


def band(size: int) -> str:
    ten = (size - 1) // 10 * 10
    return "41+" if ten >= 40 else f"{ten + 1}-{ten + 10}"
