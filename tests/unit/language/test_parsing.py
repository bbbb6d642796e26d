"""Parsers: loading, errors with a cure, and a store that parses each sentence once."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from hinter_core.errors import ParserError
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.types import Parse
from tests.forked import Commands


def test_the_embedded_parser_answers_one_item_per_token(parses: ParseStore) -> None:
    sentence = "The old waiter doesn't like caf\u00e9s, does he?"
    parse = parses.parse([sentence], entities=True)[sentence]
    lengths = {len(getattr(parse, name)) for name in Parse.__slots__}
    assert lengths == {len(parse.words)}
    for word, (start, end) in zip(parse.words, parse.spans, strict=True):
        assert sentence[start:end] == word
    assert all(0 <= head < len(parse.words) for head in parse.heads)
    assert any(head == i for i, head in enumerate(parse.heads))  # a root


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("E-mail the Non-smoker.", "E-mail the Non-smoker ."),
        ("Lt. Reed sang in the 50's.", "Lt. Reed sang in the 50's ."),
        ("What?! It cost 10k...?", "What ?! It cost 10 k ... ?"),
    ],
)
def test_words_are_cut_as_the_treebanks_cut_them(
    sentence: str, words: str, parses: ParseStore
) -> None:
    assert " ".join(parses.parse([sentence])[sentence].words) == words


def test_addresses_and_files_are_known_by_their_looks(parses: ParseStore) -> None:
    sentence = "Write to ann@example.org, see www.example.org and read notes.pdf."
    parse = parses.parse([sentence])[sentence]
    tags = dict(zip(parse.words, parse.tags, strict=True))
    assert tags["ann@example.org"] == tags["www.example.org"] == "ADD"
    assert tags["notes.pdf"] == "NN"


def test_a_sentence_has_one_parse_whatever_it_is_parsed_with(fresh_parses: ParseStore) -> None:
    sentence = "The woman gave him her keys."
    alone = fresh_parses.parser.parse([sentence])[0]
    others = ["He left.", "It was a long and winding road that she took that night.", sentence]
    assert fresh_parses.parser.parse(others)[-1] == alone


@pytest.mark.parametrize(
    "sentence",
    [
        "It was good.<br /><br />She left  early,\nand <i>he</i> stayed. ",
        "<p>The old waiter\tleft.</p>",
        "a < b and c > d",
        "He left.",
    ],
)
def test_markup_and_blanks_are_no_words(sentence: str, fresh_parses: ParseStore) -> None:
    parse = fresh_parses.parser.parse([sentence])[0]
    assert parse.words == tuple(sentence[start:end] for start, end in parse.spans)
    assert not any(word.isspace() for word in parse.words)
    if len(sentence) > 4:
        assert not {"br", "/>She", "p", "i"} & set(parse.words)


def test_markup_does_not_change_a_parse(fresh_parses: ParseStore) -> None:
    marked, plain = fresh_parses.parser.parse(["<br /><b>She</b> left  early.", "She left early."])
    assert replace(marked, spans=()) == replace(plain, spans=())


def test_the_store_counts_and_keeps(fresh_parses: ParseStore) -> None:
    found = fresh_parses.parse(["He left.", "She left.", "He left."])
    assert set(found) == {"He left.", "She left."}
    assert (fresh_parses.parsed, fresh_parses.asked) == (2, 3)
    assert fresh_parses.parse(["She left."])["She left."] == found["She left."]
    assert (fresh_parses.parsed, fresh_parses.asked) == (2, 4)
    assert fresh_parses.parse([]) == {}


def test_entities_are_found_where_they_are_asked_for_and_change_nothing_else(
    fresh_parses: ParseStore,
) -> None:
    sentence = "Anna Smith met him in London."
    bare = fresh_parses.parse([sentence])[sentence]
    assert bare.entities == ()
    named = fresh_parses.parse([sentence], entities=True)[sentence]
    assert set(named.entities) > {""}
    assert replace(named, entities=()) == bare
    assert fresh_parses.parsed == 2
    assert fresh_parses.parse([sentence])[sentence] is named  # what is known is not forgotten
    assert fresh_parses.parse([sentence], entities=True)[sentence] is named
    assert fresh_parses.parsed == 2


def test_a_full_store_forgets_what_was_used_longest_ago() -> None:
    store = ParseStore(load_parser("embedded"), characters=16)
    store.parse(["A man.", "A woman."])
    store.parse(["A man."])
    store.parse(["A child."])
    assert store.parsed == 3
    store.parse(["A man."])
    assert store.parsed == 3
    store.parse(["A woman."])
    assert store.parsed == 4


@pytest.mark.parametrize("sentence", ["", " ", "?", "\U0001f600", "\u05e9\u05dc\u05d5\u05dd",
                                      "a\u200bb", "word " * 3000])  # fmt: skip
def test_odd_sentences_are_parsed(parses: ParseStore, sentence: str) -> None:
    parse = parses.parse([sentence])[sentence]
    assert len(parse.words) == len(parse.tags)


def test_a_missing_pipeline_names_its_install_line() -> None:
    with pytest.raises(ParserError, match="python -m spacy download en_core_web_missing"):
        load_parser("en_core_web_missing")


def test_a_wrong_path_and_a_folder_without_pipeline(tmp_path: Path) -> None:
    with pytest.raises(ParserError, match="check the path"):
        load_parser(str(tmp_path / "nowhere"))
    with pytest.raises(ParserError, match="no spaCy pipeline"):
        load_parser(str(tmp_path))
    with pytest.raises(ParserError, match="No parser named"):
        load_parser(" ")


def test_a_pipeline_without_tagger_and_parser_is_refused(tmp_path: Path) -> None:
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ParserError, match="has no parser and no tagger; choose one with both"):
        load_parser(str(tmp_path / "blank"))


def test_another_pipeline_is_loaded_by_path() -> None:
    from hinter_core.language.parsing import EMBEDDED

    by_path = load_parser(str(EMBEDDED))
    assert by_path.name == str(EMBEDDED)
    assert by_path.identity == load_parser("embedded").identity
    assert load_parser() is load_parser("embedded")  # loaded once, however it is called


SPARED = """
import json, sys
from dataclasses import asdict
from hinter_core.models.registry import load_model
from hinter_core.language.parsing import load_parser
from hinter_core.models.huggingface.embedded import EMBEDDED
parse = load_parser().parse(["She gave him her book."])[0]
answers = load_model("embedded").predict(["A lovely day."])
without = not {"torch", "transformers", "spacy.cli"} & set(sys.modules)
answers += load_model(f"hf:{EMBEDDED}").predict(["A lovely day."])
from spacy.cli import info
with_both = "torch" in sys.modules and info()["spacy_version"] > ""
print(json.dumps([without, with_both, asdict(parse), [a.labels for a in answers]]))
"""


@pytest.mark.slow
def test_torch_and_the_command_line_of_spacy_are_left_out_until_needed(commands: Commands) -> None:
    done = commands.run("-c", SPARED)
    assert done.code == 0, done.err
    said = done.out
    without, with_both, parse, answers = json.loads(said.splitlines()[-1])
    assert without
    assert with_both
    assert parse == json.loads(
        json.dumps(asdict(load_parser().parse(["She gave him her book."])[0]))
    )
    assert answers == [["positive"]] * 2


@pytest.mark.parametrize(
    "sentence", ["The old woman prays every day.", "My neighbour jokes a lot."]
)
def test_a_verb_that_may_be_a_noun_is_one_in_a_whole_sentence(sentence: str) -> None:
    (parse,) = load_parser("embedded").parse([sentence])
    verb = parse.labels.index("ROOT")
    assert parse.tags[verb] == "VBZ"
    assert (parse.labels[verb - 1], parse.heads[verb - 1]) == ("nsubj", verb)


def test_a_phrase_of_nouns_stays_one() -> None:
    (parse,) = load_parser("embedded").parse(["The police cars in the street."])
    assert parse.tags[parse.labels.index("ROOT")] == "NNS"
