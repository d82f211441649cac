"""Ways to mend what is wrong, by the code of a problem that brings none itself."""

from scoring.messages import Messages, _

COPY = _("Copy ids, words and texts from the input file and fill in the answers only.")
FRAME = _("Close every [S:...] with [/S] and every {name} with {/name}, in this order.")
EXTENT = _("Offsets count characters from 0; the end is that of the first one outside.")

HINTS = Messages(
    branching=_("Write a sense, then a number and a parent for each step up."),
    circle=_("Let no one be above itself."),
    duplicate=_("Give each of them once."),
    edit=_(
        "Write an edit as ERRANT does: A start end|||type|||correction|||REQUIRED"
        "|||-NONE-|||0."
    ),
    grade=_("Write whole numbers as grades, such as 0, 1 and 2."),
    long_name=_("Use shorter names."),
    mentions=_("Close every mention that is opened, in its document."),
    name=_("Give each row its names, without characters that cannot be seen."),
    records=_("Write a list of objects in each line, an empty one for none."),
    repeated=_("Give each of them once."),
    score=_("Write a number, such as 12.5 or -3."),
    alignment=_("Write fewer words into one multiword token."),
    annotation=_("Write the line as brat does: id, tab, label and offsets, tab, text."),
    answer=_("Answer every id of the input file, none with nothing."),
    columns=_("Separate the columns by single tabs; write _ for an empty one."),
    cycle=_("Let one of these words depend on a word outside the circle."),
    depth=_("Put fewer spans inside each other."),
    document=COPY,
    empty=_("Pack the documents themselves, not an empty folder."),
    empty_file=_("See whether your program wrote its output to another place."),
    empty_form=COPY,
    extent=EXTENT,
    extra=_("Name the documents as in the input file, and each of them once."),
    form=COPY,
    frame=FRAME,
    head=_("Write the number of the word above it, 0 for a root."),
    id=_("Copy the ids of the input file."),
    json=_("Write the file with a JSON library, as UTF-8."),
    label=_("Use a plain name as the label."),
    labels=_("Use fewer different labels: they are the kinds of spans, not the spans."),
    long_line=_("End the line after every instance."),
    member=_("Put the .ann and the .txt file of each document side by side."),
    missing=_("Send every document of the input file, also those without spans."),
    no_sentences=_("See whether this is the file you meant."),
    no_words=COPY,
    one_file=_("Send one file, not a folder of them."),
    quote=EXTENT,
    repeated_sentence=_("Answer every sentence once."),
    roots=_("Give exactly one word of the sentence the HEAD 0."),
    sent_id=_("Copy the comment lines of the input file."),
    sentence_id=_("Write [S:id] with the id that the input file gives the sentence."),
    sentences=COPY,
    size=_("See whether the file holds each answer once; it is too large."),
    stray_text=FRAME,
    tag=_(
        "Use O, or a prefix of the task's scheme with the label: B-NAME, I-NAME. "
        "If another column holds the tags, the task's option column says which."
    ),
    text=_("Take the text of the input file as it is, every character of it."),
    tokens=COPY,
    unknown_sentence=_("See whether this file belongs to another test set."),
    weight_above_one=_("Divide the weights of the line by their sum."),
    word_id=_("Number the words of each sentence 1, 2, 3, ..."),
    words=COPY,
    xml=_("Write & as &amp; and < as &lt; in texts, and close every element."),
    zip_member=_("Pack plain files under plain names."),
    zip=_("Make a plain zip of the files."),
)

# The same codes in an answer key: it has no input file whose ids could be copied.
HINTS_OF_GOLD = Messages(
    answer=_("Give every item its answer, or take its line out."),
    id=_("Give every item an id of its own, without characters that cannot be seen."),
    no_words=_("See whether this is the file you meant."),
    repeated_sentence=_("Give every sentence once."),
    sent_id=_("Name every sentence in a comment line: # sent_id = name."),
    text=_("Give every document its text."),
)
