"""``hinter grammar``: check a grammar, show its rules, count and draw its sentences."""

from itertools import islice
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from hinter_core.cli.options import Json, command_group, print_json, say
from hinter_core.generators.grammars.cases import GrammarTable, load_weights, plan_of
from hinter_core.generators.grammars.checking import require_sound
from hinter_core.generators.grammars.grammar import Grammar, as_written
from hinter_core.generators.grammars.reading import load_grammar, shipped_grammars
from hinter_core.generators.grammars.sampling import Sentences, coverage_of
from hinter_core.mutation.settings import Settings

grammar = command_group("Grammars that make sentences (Astraea).")
Name = Annotated[str, Argument(help="A grammar that comes with HInter, or a YAML file.")]


@grammar.command("show")
def show(
    name: Annotated[
        str, Argument(help="A grammar, or a YAML file; without it, all are listed.")
    ] = "",
) -> None:
    """Show the rules and the sensitive values of a grammar, or list those that come with HInter."""
    if not name:
        for known in shipped_grammars():
            say(f"{known}: {load_grammar(known).about}")
        return
    loaded = load_grammar(name)
    say(_summary(loaded))
    for rule, alternatives in loaded.rules.items():
        say(f"\n{rule}\n" + "\n".join(f"  | {as_written(one)}" for one in alternatives))
    for attribute, values in loaded.sensitive.items():
        say(f"\n{attribute} (sensitive)")
        for value in values:
            words = ", ".join(f"<{name}> {word}" for name, word in value.words.items())
            say(f"  | {value.group}: {words}")


@grammar.command("check")
def check(name: Name) -> None:
    """Check a grammar; a fault is told with its line and what to do."""
    loaded = load_grammar(name)
    looked_at = require_sound(loaded, name)
    say(_summary(loaded))
    say(f"no fault in {looked_at:,} of {Sentences(loaded).count:,} sentences")


@grammar.command("count")
def count(name: Name, as_json: Json = False) -> None:
    """Count the sentences of a grammar exactly."""
    loaded = load_grammar(name)
    require_sound(loaded, name)
    sentences = Sentences(loaded)
    rules, terminals = loaded.size
    if as_json:
        print_json(
            {"grammar": loaded.name, "rules": rules, "terminals": terminals,
             "structures": len(sentences.structures), "sentences": sentences.count}
        )  # fmt: skip
        return
    say(
        f"{sentences.count:,} sentences of {len(sentences.structures):,} structures; {rules} "
        f"rules, {terminals} terminals"
    )


@grammar.command("sample")
def sample(
    name: Name,
    sentences: Annotated[int, Option(min=1, help="Maximum number of sentences.")] = 10,
    seed: Annotated[int, Option(min=0, help="Seed of the draw.")] = 0,
    variants: Annotated[
        bool, Option("--variants", help="Show what each sentence is changed to, too.")
    ] = False,
    weights: Annotated[
        Path | None,
        Option(help="Weights of words, as hinter diagnose writes them (JSON).")
    ] = None,
    covered: Annotated[
        bool,
        Option("--coverage", help="Print the share of terminals, and of pairs of words, that "
                     "the sentences cover, instead of the sentences.")
    ] = False,
) -> None:  # fmt: skip
    """Draw sentences of a grammar, each once."""
    loaded = load_grammar(name)
    require_sound(loaded, name)
    table = GrammarTable(loaded, sentences, seed, load_weights(weights) if weights else {})
    if covered:
        _print_coverage(table)
        return
    for row in table.rows():
        say(row.text + (f"  [{row.label}]" if row.label else ""))
        if not variants:
            continue
        plan = plan_of(loaded, row.derivation, Settings(), tuple(loaded.sensitive))
        for edits in plan.edits.values():
            for edit in islice(edits, 3):
                say(f"  {edit.attribute}: {plan.mutant((edit,)).text}")
    if sentences > table.source.count:
        say(f"{loaded.name} has only {table.source.count:,} different sentences.", err=True)


def _print_coverage(table: GrammarTable) -> None:
    drawn = list(islice(table.source.draw(table.seed), table.sentences))
    coverage = coverage_of(table.source, drawn)
    say(
        f"{len(drawn):,} sentences cover {_share(coverage.terminals, coverage.all_terminals)} "
        f"terminals and {_share(coverage.pairs, coverage.all_pairs)} pairs of words that can stand "
        "in one sentence"
    )


def _share(covered: int, of: int) -> str:
    return f"{covered:,} of {of:,}" + (f" ({100 * covered / of:.1f} %)" if of else "")


def _summary(read: Grammar) -> str:
    rules, terminals = read.size
    about = f"{read.about.removesuffix('.')}. " if read.about else ""
    return f"{read.name}: {about}Task: {read.task}; {rules} rules, {terminals} terminals."
