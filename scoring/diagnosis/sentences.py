"""Sentences of diagnoses: what is wrong with a file, and how to mend it."""

from scoring.messages import Messages, _

MESSAGES = Messages(
    # Units, as sentences name one of them and all.
    one_sentence=_("sentence %(name)s"),
    one_passage=_("the passage '%(name)s'"),
    one_item=_("item %(name)s"),
    one_line=_("line %(name)s"),
    one_document=_("document %(name)s"),
    one_topic=_("topic %(name)s"),
    one_instance=_("instance %(name)s"),
    sentences=_("sentences"),
    passages=_("passages"),
    items=_("items"),
    lines=_("lines"),
    documents=_("documents"),
    topics=_("topics"),
    instances=_("instances"),
    # Whole files.
    blind=_("This is the input file itself: nothing is filled in."),
    fill_in=_("Fill in your system's answers and send that file."),
    other_test_set=_(
        "This is the file of %(other)s: %(found)s of its %(all)s %(units)s are in "
        "it, and %(own)s of the %(wanted)s of this test set."
    ),
    send_there=_("Choose the file of this test set, or send it where it goes."),
    other_format=_(
        "The file is in another format: it looks like %(kind)s, and this task "
        "takes %(formats)s."
    ),
    spaces=_(
        "The columns are separated by spaces; this format separates them with tabs."
    ),
    by_tabs=_("Separate the columns by single tabs."),
    json=_("JSON"),
    json_of=_("JSON with %(names)s"),
    json_lines=_("JSON Lines"),
    xml=_("XML or HTML"),
    conllu=_("CoNLL-U"),
    csv=_("a table with commas"),
    semicolons=_("a table with semicolons"),
    python=_("a list as Python prints it"),
    trec=_("a TREC run"),
    m2=_("M2"),
    columns=_("columns of tokens and tags"),
    text=_("plain text"),
    unl=_("UNL"),
    yaml=_("YAML"),
    bullets=_("a list of points"),
    toml=_("TOML or INI"),
    sql=_("statements of SQL"),
    figures=_("figures of a run"),
    opennmt=_("what OpenNMT shows on a screen"),
    arff=_("ARFF (Weka)"),
    brat=_("brat"),
    mat_json=_("mat-json"),
    xml_inline=_("XML with tags in the text"),
    sclite=_("alignments as sclite prints them"),
    nbest=_("lists of the best answers (Moses)"),
    quads=_("texts with their tuples behind ####"),
    brackets=_("trees in brackets"),
    features=_("lines of features (SVMlight)"),
    fairseq=_("the output of fairseq-generate"),
    markdown=_("a table of Markdown"),
    mst=_("a row of words, one of tags and one of heads (MST)"),
    code=_("a program"),
    stm=_("STM, lines of speech with times"),
    link=_("the address of a page"),
    latex=_("a table of LaTeX"),
    judgements=_("These are judgements of relevance (qrels), and not a run."),
    run_for_gold=_("This is a run of a system, not judgements of relevance."),
    see_scorer=_("See what this scorer reads, in its part of the documents."),
    see_format=_("See what the task says about its format, and the starting kit."),
    printed=_("Line %(line)s is program output, not an answer: '%(found)s'."),
    printed_lines=_(
        "%(count)s lines are program output, not answers; the first is line "
        "%(line)s: '%(found)s'."
    ),
    take_printed_out=_("Send the answers alone."),
    no_break=_(
        "There are no-break spaces (%(found)s) in the file, %(count)s in all, "
        "first in line %(line)s."
    ),
    odd_spaces=_(
        "There are spaces of another width (%(found)s) in the file, %(count)s in "
        "all, first in line %(line)s."
    ),
    plain_spaces=_("Put plain spaces in their place, or nothing."),
    unseen=_(
        "There are characters in the file that nobody sees (%(found)s), %(count)s "
        "in all, first in line %(line)s."
    ),
    marks=_(
        "There are signs of a model or of markup in the file, such as '%(found)s' "
        "(%(count)s), first in line %(line)s."
    ),
    lost=_(
        "Letters were lost when the file was saved (%(count)s), first in line "
        "%(line)s: there is the sign <U+FFFD> in their places."
    ),
    save_again=_("Write the file again, as UTF-8 from the beginning."),
    reencoded=_(
        "Letters were read in another encoding before they were saved: '%(found)s' "
        "for '%(expected)s', %(count)s in all, first in line %(line)s."
    ),
    alike=_(
        "There are letters of another alphabet that look like those expected: "
        "%(found)s for '%(expected)s', first in line %(line)s."
    ),
    one_alphabet=_("Write each word in the letters of one alphabet."),
    transposed=_(
        "The table lies on its side: its first line has the ids, such as '%(found)s'."
    ),
    line_an_id=_("Write a line for each id, below the line %(header)s"),
    above=_("Line %(line)s is no part of the format: '%(found)s'."),
    broken_off=_(
        "The program that wrote the file broke off: line %(line)s is '%(found)s'."
    ),
    left_out=_(
        "Line %(line)s is '%(found)s': what belongs there was left out when the "
        "answers were printed."
    ),
    conflict=_(
        "Git left two versions side by side, from line %(line)s on: '%(found)s'."
    ),
    compared=_(
        "Marks show how two versions differ, first in line %(line)s: '%(found)s'."
    ),
    choose=_("Keep one of the versions, take out the marks, and send that."),
    write_all=_("Write all answers to a file, and do not copy them from a screen."),
    see_program=_("See what went wrong there, and run it again."),
    take_unseen_out=_("Take them out."),
    around_lines=_(
        "Something stands around every line that is no part of it: '%(found)s'."
    ),
    goes_on=_(
        "Line %(line)s goes on with the text above it, or is no part of the table: "
        "'%(found)s'."
    ),
    text_in_line=_("Write each text into one line, and take out what is no answer."),
    take_stray_out=_("Take it out: all answers are there without it."),
    take_off=_("Take it off: a number, a mark, blanks or quotes."),
    written_out=_("Signs are written out, such as '%(found)s' in line %(line)s."),
    as_signs=_("Write the signs themselves: tabs, commas, quotes."),
    cut_off=_("The file ends in the middle of line %(line)s: '%(found)s'."),
    curly=_("There are curly quotes in the file, such as %(found)s in line %(line)s."),
    straight_quotes=_('Write straight ones: ".'),
    by_mark=_(
        "The columns are separated by '%(found)s'; this format separates them "
        "with tabs."
    ),
    by_mark_spaces=_(
        "The columns are separated by '%(found)s'; this format separates them with "
        "spaces."
    ),
    by_spaces=_("Separate the columns by single spaces."),
    doubled_tabs=_("Several tabs stand between two columns, as in line %(line)s."),
    full_width=_(
        "There are signs of full width: %(found)s for '%(expected)s', first in "
        "line %(line)s."
    ),
    plain_signs=_("Write the signs of a plain keyboard."),
    foreign=_(
        "This file belongs to something else: none of the %(all)s %(units)s of "
        "this test set is in it."
    ),
    see_which=_("See whether this is the file you meant."),
    ids_differ=_(
        "The ids are written differently: '%(found)s' where the input file has "
        "'%(expected)s', and so for %(count)s of %(all)s."
    ),
    ids_from_0=_(
        "The ids count from 0, such as '%(found)s', where the input file counts "
        "from 1: '%(expected)s'."
    ),
    ids_moved=_(
        "The ids begin with '%(found)s', where those of the input file begin with "
        "'%(expected)s': they were counted from another number."
    ),
    copy_ids=_("Copy the ids of the input file character by character."),
    ids_empty=_("The ids are empty, in all %(all)s lines."),
    some_ids_empty=_(
        "The id is empty in %(count)s of %(all)s lines, first in line %(line)s."
    ),
    id_each=_("Write the id into each line, also where cells were merged."),
    ids_unlike=_(
        "The ids are of another kind than those of the input file: '%(found)s', "
        "where that has '%(expected)s'."
    ),
    row_numbers=_(
        "The ids are the numbers of the rows, such as '%(found)s', where the input "
        "file has '%(expected)s'."
    ),
    some_repeated_some_missing=_(
        "%(other)s and others are there more than once (%(others)s too many), and "
        "%(count)s of %(all)s %(units)s are missing, first %(unit)s."
    ),
    no_line_ends=_(
        "Lines end with %(found)s, which ends no line, first in line %(line)s."
    ),
    unix_ends=_("Save the file with Unix line ends."),
    around_cells=_(
        "Something stands around words or between sentences that is no part of "
        "them: '%(found)s', first in line %(line)s."
    ),
    decimal_words=_(
        "The numbers of words are decimals, such as '%(found)s', first in line "
        "%(line)s."
    ),
    rounded=_(
        "A spreadsheet has rounded the ids: '%(found)s' where the input file has "
        "'%(expected)s', and so for %(count)s."
    ),
    as_text=_(
        "Copy the ids of the input file, and give their column the format Text "
        "before you save."
    ),
    no_ids=_(
        "No line has an id; expected the %(all)s items of the input file with "
        "theirs, such as '%(expected)s'."
    ),
    give_ids=_("Begin with the line %(header)s and give the id in each line."),
    ids_inside=_("The ids are in the lines, but the lines are no table: '%(found)s'."),
    part_ids=_(
        "Begin with the line %(header)s and separate the columns by commas, "
        "semicolons or tabs."
    ),
    order=_("All %(all)s of %(all)s %(units)s are there, in another order."),
    as_in_blind=_("Write them in the order of the input file."),
    one_missing=_("%(unit)s is missing; %(found)s of %(all)s found."),
    some_missing=_(
        "%(count)s %(units)s are missing, first %(unit)s; %(found)s of %(all)s found."
    ),
    end_missing=_(
        "The file ends after %(unit)s: the last %(count)s of %(all)s %(units)s "
        "are missing."
    ),
    begin_missing=_(
        "The file begins with %(unit)s: the first %(count)s of %(all)s %(units)s "
        "are missing."
    ),
    look_for_end=_("Check whether it was cut off while it was written or copied."),
    add_missing=_("Add what is missing, in its place."),
    one_repeated=_("%(unit)s is there twice; the input file has it once."),
    some_repeated=_(
        "%(count)s %(units)s are there twice, first %(unit)s; the input file has "
        "each once."
    ),
    one_several=_("%(unit)s is there %(times)s times; the input file has it once."),
    several=_(
        "%(count)s %(units)s are there up to %(times)s times, first %(unit)s; the "
        "input file has each once."
    ),
    one_extra=_("%(unit)s is not in the input file; all %(all)s of %(all)s are there."),
    some_extra=_(
        "%(count)s %(units)s are not in the input file, first %(unit)s; all "
        "%(all)s of %(all)s are there."
    ),
    take_out=_("Take it out."),
    repeated_for_others=_(
        "%(unit)s is there %(times)s times, and %(count)s of %(all)s %(units)s are "
        "missing, first %(other)s."
    ),
    each_once=_("Copy the ids of the input file, each once."),
    not_there=_(
        "%(count)s cells are '%(found)s', as programs write what is missing, first "
        "in line %(line)s."
    ),
    write_cells=_("Write what your system says, or _ where it says nothing."),
    pieces=_(
        "Words are in pieces, as a model's tokenizer leaves them: '%(found)s', first "
        "in line %(line)s."
    ),
    whole_words=_("Join the pieces: write the words of the input file."),
    unmarked=_(
        "Comment lines have no # in front, such as '%(found)s' in line %(line)s."
    ),
    mark_comments=_("Begin each of them with '# '."),
    cat_marks=_(
        "The lines are as a terminal shows signs that cannot be seen: '%(found)s'."
    ),
    index_column=_(
        "The first column has no name, and none is '%(id)s': it has the numbers of "
        "rows."
    ),
    nameless=_("A column has no name, and none is '%(column)s'."),
    nameless_column=_("The first column has no name, and none is '%(id)s'."),
    no_index=_(
        "Write the ids under the line %(header)s, and leave the index out "
        "(index=False)."
    ),
    other_signs=_(
        "%(count)s of %(all)s numbers have another sign than '%(expected)s': %(found)s."
    ),
    no_sign=_(
        "Tags have no '-' after their prefix, such as '%(found)s' (%(count)s of "
        "%(all)s); expected '%(expected)s'."
    ),
    subtitles=_("subtitles (SRT, WebVTT)"),
    names_column=_("The first line, '%(found)s', is the name of a column."),
    names_columns=_(
        "The first line, '%(found)s', names the columns of a table; expected one "
        "answer in each line."
    ),
    ids_alone=_("Each line has an id alone: nothing is filled in."),
    ids_in_column=_("The ids stand in the column '%(column)s'."),
    swapped_parts=_(
        "The first two columns are swapped: '%(found)s' where the input file has "
        "'%(expected)s'."
    ),
    sorted=_("The lines are in the order of the alphabet: they were sorted."),
    ids_in_answers=_(
        "The ids stand in the answers, such as '%(found)s'; expected a line for "
        "each id."
    ),
    see_ids=_(
        "It has '%(found)s', where the input file has '%(expected)s'. See whether "
        "this is the file you meant."
    ),
    ids_from_1=_(
        "The ids count from 1, such as '%(found)s', where the input file counts "
        "from 0: '%(expected)s'."
    ),
    other_column=_(
        "The %(units)s stand in column %(column)s; this format has them in the first."
    ),
    names_first=_("Put the columns in the order of the format."),
    swapped=_("The ids stand in the column of the answers."),
    name_both=_("Put the names of both columns where they belong."),
    both=_(
        "Missing: %(count)s of %(all)s %(units)s, first %(unit)s; not in the input "
        "file: %(others)s, first %(other)s."
    ),
    passages_differ=_(
        "The text differs in %(count)s of %(all)s passages: '%(found)s' where the "
        "input file has '%(expected)s'."
    ),
    text_of_file=_(
        "The text of %(name)s differs from the input file: '%(found)s', where that has "
        "'%(expected)s'."
    ),
    copy_text=_("Take the text of the input file as it is."),
    text_case=_(
        "The text differs from the input file in capitals only, first at "
        "'%(found)s', where that has '%(expected)s'."
    ),
    text_forms=_(
        "The text differs from the input file in Unicode normal form only, first "
        "at '%(found)s'."
    ),
    text_order=_(
        "The text has the words of the input file in another order, first "
        "'%(found)s', where that has '%(expected)s'."
    ),
    text_differs=_(
        "The text differs from the input file: '%(found)s', where that has "
        "'%(expected)s'."
    ),
    text_ends=_(
        "The text ends after '%(found)s': the last %(count)s of %(all)s words of "
        "the input file are missing."
    ),
    text_begins=_(
        "The text begins with '%(found)s': the first %(count)s of %(all)s words "
        "of the input file are missing."
    ),
    text_gap=_(
        "Words of the input file are missing (%(count)s of %(all)s), first "
        "'%(expected)s'."
    ),
    text_added=_(
        "There are words that the input file has not (%(count)s), first '%(found)s'."
    ),
    text_goes_on=_(
        "The text goes on where that of the input file has ended: '%(found)s'."
    ),
    number_of_lines=_("Lines found: %(found)s; expected: %(all)s."),
    without_ids=_("Write one line for each line of the input file, without ids."),
    table_for_lines=_(
        "This is a table with ids, such as '%(found)s'; expected one answer in each "
        "line, in the order of the input file."
    ),
    one_line_each=_("Write one answer for each line of the input file."),
    word_a_line=_(
        "There is a word in each line, such as '%(found)s'. Lines found: %(all)s; "
        "expected: %(wanted)s."
    ),
    wrapped=_(
        "Texts are broken into several lines: line %(line)s goes on with the text "
        "above it. Lines found: %(found)s; expected: %(all)s."
    ),
    empty_lines=_(
        "%(count)s of the %(found)s lines are empty; the others are as many as "
        "expected (%(all)s)."
    ),
    take_empty_out=_("Take the empty lines out."),
    borders=_(
        "The sentences are divided differently: %(found)s where the input file "
        "has %(all)s, first at %(unit)s."
    ),
    keep_blank_lines=_("Copy the blank lines of the input file."),
    docstart=_("The lines -DOCSTART- are missing: %(all)s expected, %(found)s found."),
    many_docstarts=_(
        "There are %(found)s lines -DOCSTART-, where the input file has %(all)s."
    ),
    other_docstarts=_(
        "The lines -DOCSTART- stand in other places than in the input file."
    ),
    copy_docstart=_("Copy them from the input file, each with a blank line."),
    # Words.
    word=_(
        "One word of %(all)s differs from the input file, in %(unit)s: '%(found)s' "
        "where it has '%(expected)s'."
    ),
    words=_(
        "Words of %(count)s of %(all)s sentences differ from the input file, first "
        "in %(unit)s: '%(found)s' where it has '%(expected)s'."
    ),
    case=_(
        "The words differ from the input file in capitals only, in %(count)s of "
        "%(all)s sentences: '%(found)s' where it has '%(expected)s'."
    ),
    forms=_(
        "The words differ from the input file in Unicode normal form only, in "
        "%(count)s of %(all)s sentences, first %(unit)s."
    ),
    tokens=_(
        "%(count)s of %(all)s sentences are divided into words differently, "
        "first %(unit)s: '%(found)s' where the input file has '%(expected)s'."
    ),
    word_order=_(
        "The words of %(count)s of %(all)s sentences stand in another order, first "
        "in %(unit)s."
    ),
    sentences_cut=_(
        "%(count)s of %(all)s sentences break off before their end, first "
        "%(unit)s, where '%(expected)s' is missing."
    ),
    added_words=_(
        "There are words that the input file has not, in %(count)s of %(all)s "
        "sentences, first '%(found)s' in %(unit)s."
    ),
    lost_words=_(
        "Words of the input file are missing in %(count)s of %(all)s sentences, "
        "first '%(expected)s' in %(unit)s."
    ),
    lost_word=_(
        "A word is missing in %(unit)s: '%(expected)s'; the other sentences have "
        "theirs."
    ),
    added_word=_(
        "%(unit)s has a word too many: '%(found)s'; the other sentences have theirs."
    ),
    copy_words=_("Copy the words of the input file and fill in answers only."),
    # Tables.
    repeated_columns=_("Two columns are called '%(column)s'."),
    name_each=_("Write each answer into a line of its own, under one header."),
    numbered_header=_(
        "The names of the columns are numbers, such as '%(found)s', and none is "
        "'%(column)s'."
    ),
    no_header=_(
        "The first line is an answer already: the names of the columns are missing."
    ),
    add_header=_("Begin the file with this line: %(header)s"),
    late_header=_(
        "The names of the columns stand in line %(line)s; what is above them is no "
        "part of the table."
    ),
    take_out_above=_("Take out the lines above them."),
    one_column=_("The first line is one column, '%(found)s'."),
    by_marks=_("Separate the columns by commas, semicolons or tabs."),
    ann_alone=_("These are brat's annotations (.ann), without their text."),
    no_ann=_("There are texts, and no annotations of brat (.ann) beside them."),
    single_document=_(
        "The file is one document, '%(found)s'; expected the %(all)s of the input "
        "file, such as '%(expected)s'."
    ),
    file_each=_("Write a file for each document, and pack them into a zip."),
    folders=_("The documents are there once in each of several folders: %(found)s."),
    one_folder=_("Send the files of one of them."),
    ann_with_text=_(
        "Pack the .ann files into a zip, each with the .txt file of the task."
    ),
    header_again=_(
        "The names of the columns are there a second time, in line %(line)s."
    ),
    headers_again=_(
        "The names of the columns are there %(count)s times more, first in line "
        "%(line)s."
    ),
    take_lines_out=_("Take these lines out: files were joined with theirs."),
    take_headings_out=_("Take such lines out: send a line for each item."),
    heading=_("Line %(line)s is no item: '%(found)s'."),
    headings=_("%(count)s lines are no items, first line %(line)s: '%(found)s'."),
    near_column=_(
        "There is no column '%(column)s', but there is '%(found)s': did you mean it?"
    ),
    glued_header=_(
        "The names of the columns and the first answer are one line: '%(found)s'."
    ),
    rename=_("Call it '%(column)s' in the first line."),
    other_header=_(
        "The header is of another table: it has no column '%(column)s', but %(found)s."
    ),
    other_columns=_(
        "The columns are others than those asked for: %(found)s; expected '%(header)s'."
    ),
    fill_columns=_("Give a column of each of these names, filled for every item."),
    ids_as_names=_(
        "The ids stand as names in the JSON, such as '%(found)s', and not as values of "
        "'%(id)s'."
    ),
    object_each=_("Write an object with the names of the columns for each id."),
    near_name=_(
        "No object has '%(column)s', but there is '%(found)s': did you mean it?"
    ),
    rename_in_all=_("Call it '%(column)s' in each object."),
    no_names_above=_(
        "The first line, '%(found)s', names no columns; expected '%(header)s'."
    ),
    all_in_one_line=_("The whole file is one line: its line ends are lost."),
    line_each=_("Write each answer into a line of its own."),
    parted_id=_(
        "The id stands in two columns, '%(found)s' and '%(other)s'; expected one, "
        "'%(column)s', such as '%(mark)s'."
    ),
    join_id=_("Copy the ids of the input file into one column."),
    of_runs=_(
        "There are several columns of answers (%(found)s); expected one, '%(column)s'."
    ),
    one_run=_("Put the answers you choose into it, and send a file for each run."),
    quoted_cells=_("Single quotes stand around the cells, such as %(found)s."),
    other_filled=_(
        "Answers are empty: %(count)s of %(all)s. The column '%(column)s' is "
        "filled and not read."
    ),
    rules=_(
        "There are lines of signs where blank lines are expected, such as "
        "'%(found)s' in line %(line)s."
    ),
    keep_blank=_("Write blank lines in their places."),
    ctm=_("CTM, words with their times"),
    of_labels=_(
        "There is a column for each label (%(found)s); expected one, '%(column)s'."
    ),
    name_best=_("Put the label you choose into it."),
    # Answers.
    label_case=_(
        "Labels differ in capitals only: '%(found)s' where the task has "
        "'%(expected)s', and so for %(count)s of %(all)s."
    ),
    label_numbers=_(
        "%(count)s of %(all)s answers are numbers, such as '%(found)s', where "
        "the task has labels: %(labels)s."
    ),
    label_unknown=_(
        "Labels are not those of the task, %(count)s of %(all)s, such as '%(found)s'."
    ),
    label_near=_(
        "Labels are not those of the task, %(count)s of %(all)s, such as '%(found)s'; "
        "did you mean '%(expected)s'?"
    ),
    separator=_(
        "Several labels are separated by '%(found)s'; this task separates them "
        "with '%(expected)s'."
    ),
    write_labels=_("Write the labels as the task does: %(labels)s."),
    heads_elsewhere=_(
        "HEAD is '%(found)s' in all %(all)s words, and %(column)s has heads with "
        "their relations, such as '%(other)s'."
    ),
    part_heads=_("Write the head alone into HEAD, and its relation into DEPREL."),
    unfilled=_("Nothing is filled in: %(column)s is '%(found)s' in all %(all)s words."),
    decimal_heads=_(
        "HEADs are decimals: '%(found)s' for %(expected)s, and so for %(count)s of "
        "%(all)s words."
    ),
    plus_heads=_(
        "HEADs have a sign, such as '%(found)s' in line %(line)s: it was read as "
        "word %(expected)s, and not as words further on."
    ),
    whole_heads=_("Write whole numbers, such as 3 and not 3.0."),
    heads_from_0=_(
        "Are heads counted from 0? With 1 added to each, %(count)s of %(all)s "
        "sentences are trees."
    ),
    heads_from_2=_(
        "Are heads counted from 2? With 1 taken off each, %(count)s of %(all)s "
        "sentences are trees."
    ),
    heads_from_here=_(
        "Are heads counted from each word itself? Read so, %(count)s of %(all)s "
        "sentences are trees."
    ),
    heads_moved=_(
        "Have the heads moved by one line? Moved back, %(count)s of %(all)s sentences "
        "are trees."
    ),
    count_heads=_("The first word of a sentence is 1, and the HEAD of its root is 0."),
    swapped_heads=_("HEAD and DEPREL are swapped: HEAD is '%(found)s'."),
    own_heads=_("Every word is its own head, in all %(all)s words."),
    chained=_("The head of every word is the word before it, in all %(all)s words."),
    chained_on=_("The head of every word is the word behind it, in all %(all)s words."),
    flat=_("All words of each sentence have one head, in all %(all)s words."),
    unparsed=_(
        "HEAD is 0 for every word of %(count)s of %(all)s sentences: were they parsed?"
    ),
    feats=_("FEATS are written otherwise than read: '%(found)s' (%(count)s)."),
    write_feats=_("Write pairs with | between them, as in Case=Nom|Number=Sing."),
    empty_answers=_("Answers are empty: %(count)s of %(all)s."),
    answer_each=_("Give every item an answer."),
    number_each=_("Write a number for each, such as 3, -0.25 or 1.5e-3."),
    comma_split=_(
        "Numbers have a decimal comma, such as '%(found)s' in line %(line)s, and "
        "commas separate the columns."
    ),
    comma=_("%(count)s of %(all)s numbers have a decimal comma, such as '%(found)s'."),
    point=_("Write a decimal point: %(expected)s"),
    thousands=_(
        "%(count)s of %(all)s numbers have a sign that seems to part thousands, such "
        "as '%(found)s'."
    ),
    no_thousands=_("Write %(expected)s, or a decimal point if that is meant."),
    no_numbers=_("%(count)s of %(all)s answers are not numbers, such as '%(found)s'."),
    # Tags.
    no_names=_(
        "The lines '# sent_id = ...' are missing, in %(count)s of %(all)s sentences."
    ),
    copy_comments=_("Copy the comment lines of the input file."),
    no_tags=_("There are no tags: each line has only a token, such as '%(found)s'."),
    some_untagged=_(
        "%(count)s of %(all)s lines have a token and no tag, such as '%(found)s'."
    ),
    tag_each=_("Write a tag in each line; O is the tag of no span."),
    no_tokens=_("There are no tokens: each line has only a tag, such as '%(found)s'."),
    tags_first=_("The columns are swapped: the tag stands first, as in '%(found)s'."),
    tags_before=_(
        "The tags stand in column %(column)s of %(count)s; the last one is read, "
        "with '%(found)s'."
    ),
    text_alone=_(
        "The text stands there, and not in columns of tokens and tags: '%(found)s'."
    ),
    tokens_elsewhere=_(
        "The tokens stand in column %(column)s of %(count)s; this format has them "
        "in the first."
    ),
    words_elsewhere=_(
        "The words stand in column %(column)s of %(count)s; this format has them in "
        "the second."
    ),
    sentence_a_line=_("There is a sentence in each line: '%(found)s'."),
    token_a_line=_(
        "Write token, tab and tag in each line, and an empty line between sentences."
    ),
    small_o=_(
        "Tags outside of spans are '%(found)s' (%(count)s of %(all)s); expected 'O'."
    ),
    add_tags=_("Write token, tab and tag in each line."),
    bioes=_(
        "The tags look like BIOES, such as '%(found)s' (%(count)s of %(all)s); "
        "this task takes %(scheme)s."
    ),
    convert=_("Write B- for S- and U-, and I- for E- and L-."),
    model_labels=_(
        "Tags are a model's numbers of labels, such as '%(found)s' (%(count)s of "
        "%(all)s): it was saved without their names."
    ),
    map_labels=_("Map them to the tags of the task (id2label in its settings)."),
    bmes=_(
        "The tags look like BMES, such as '%(found)s' (%(count)s of %(all)s); this "
        "task takes %(scheme)s."
    ),
    convert_bmes=_("Write B- for S- and W-, and I- for M- and E-."),
    bare_bioes=_(
        "Tags have a prefix alone, such as '%(found)s' (%(count)s of %(all)s), and "
        "no label."
    ),
    suffix=_(
        "Tags have their prefix behind the label, such as '%(found)s' (%(count)s "
        "of %(all)s); expected '%(expected)s'."
    ),
    underscore=_(
        "Tags have '_' after their prefix, such as '%(found)s' (%(count)s of "
        "%(all)s); expected '%(expected)s'."
    ),
    other_mark=_(
        "Tags have another sign than '-' after their prefix, such as '%(found)s' "
        "(%(count)s of %(all)s); expected '%(expected)s'."
    ),
    small_prefix=_(
        "Tags have lower-case prefixes, such as '%(found)s' (%(count)s of "
        "%(all)s); expected '%(expected)s'."
    ),
    no_prefix=_(
        "Tags have no prefix, such as '%(found)s' (%(count)s of %(all)s); "
        "expected '%(expected)s'."
    ),
    number_tags=_(
        "There are numbers where tags are expected, such as '%(found)s' "
        "(%(count)s of %(all)s)."
    ),
    other_tags=_("%(count)s of %(all)s tags are not in the scheme, first '%(found)s'."),
    write_tags=_("Write O, or a prefix with the label: B-NAME, I-NAME."),
    few_answered=_(
        "Only %(found)s of the %(all)s %(units)s of this test set are answered."
    ),
    unused=_("These columns are not read: %(columns)s."),
    only_these=_("Check that the answers are in the column that is read."),
    # Problems of single places.
    is_word=_("the word is '%(found)s'; expected '%(expected)s'."),
    is_lost=_("a word is missing before this line: '%(expected)s'."),
    is_lost_after=_("a word is missing after this line: '%(expected)s'."),
    is_added=_("'%(found)s' is a word too many."),
    is_missing=_("%(unit)s is missing before this line."),
    is_missing_after=_("%(unit)s is missing after this line."),
    is_repeated=_("%(unit)s is here a second time."),
    is_extra=_("%(unit)s is not in the input file."),
)
