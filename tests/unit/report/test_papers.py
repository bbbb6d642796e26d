"""Tables of the papers beside the main ones: computed by hand on tiny campaigns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.model import ModelReport, make_report
from hinter_core.report.papers.group_fairness import apart_section
from hinter_core.report.papers.masks import TOLERANCES
from hinter_core.report.papers.strict_groups import strict_section
from hinter_core.report.papers.variants import RightVariants, right_variants_section
from hinter_core.report.sections import sections

ORIGINS = "term,group,form\nDanish,europe,adj\nKenyan,africa,adj\nNepali,asia,adj\n"
WORKS = "term,group,form\nclerk,office,noun-sg\nnurse,health,noun-sg\npilot,travel,noun-sg\n"


def of_words(folder: Path, texts: str, model: str, **settings: object) -> ModelReport:
    """Run a campaign over exchanged origins and occupations, and return its report of a model."""
    for name, content in {"origin.csv": ORIGINS, "work.csv": WORKS, "texts.csv": texts}.items():
        (folder / name).write_text(content, encoding="utf-8")
    own = tuple(str(folder / name) for name in ("origin.csv", "work.csv"))
    campaign = Campaign(
        data=str(folder / "texts.csv"), dictionaries=own, attributes=(), models=(model,),
        placebo=False, **settings,  # type: ignore[arg-type]
    )  # fmt: skip
    return reported(campaign, folder / "out")


def reported(campaign: Campaign, folder: Path) -> ModelReport:
    run_campaign(campaign, CampaignStore(folder))
    (model,) = make_report(CampaignStore(folder)).models
    return model


def test_a_group_is_strict_if_no_part_lies_above_its_mean(tmp_path: Path) -> None:
    # Alone: Kenyan 0, Nepali 0 (mean 0); nurse 0, pilot 2 of 2 (mean 1/2: travel lies above).
    # Together: africa x health 1, africa x travel 1, asia x health 0, asia x travel 1; mean 3/4.
    rules = 'scripted:no if "Kenyan" and "nurse"; no if "pilot"; yes otherwise'
    texts = "id,text\nt1,The Danish clerk came.\nt2,A Danish clerk left.\n"
    model = of_words(tmp_path, texts, rules)
    (found,) = model.strict_groups
    assert (found.attributes, found.groups) == (("origin", "work"), ("africa", "health"))
    assert (found.errors.hits, found.errors.of, found.mean) == (2, 2, 0.75)
    assert found.parts == ((0.0, 0.0), (0.0, 0.5))
    assert (found.tested, found.above) == (4, 3)
    assert found.changes == [("Danish \u2192 Kenyan, clerk \u2192 nurse", 2)]
    assert found.texts == ["t1", "t2"]
    report = make_report(CampaignStore(tmp_path / "out"))
    (section,) = [one for one in sections(report) if one.key == "strict-groups"]
    assert section.sentences[0].startswith("As published (MutaInt, Table 4), above the mean is no")
    assert (
        "of 4 groups, 3 lie above their mean (GIB), 1 of them with no part" in section.sentences[1]
    )
    assert section.sentences[1].endswith("none of these significantly.")
    (row,) = section.rows
    assert section.columns[2:] == ["Above it", "Without a part above", "Significant"]
    assert row[0] == "origin \u00d7 work"
    assert row[2:] == ["3 of 4", "1 of 3", "0 of 1"]
    assert strict_section([replace(found, p_value=0.01)]).rows[0][1] == "africa \u00d7 health"


@pytest.mark.parametrize(
    ("rules", "strict"),
    [
        ('no if "Kenyan"; yes otherwise', set()),  # blue alone lies above
        ("yes otherwise", set()),
        ("no otherwise", set()),
        ('no if "Kenyan" and "nurse"; no if "Nepali" and "pilot"; yes otherwise',
         {("africa", "health"), ("asia", "travel")}),
        ('no if "Kenyan" and "nurse"; no if "nurse"; yes otherwise', set()),
        # Asia lies below the mean of origins, and health below that of works.
        ('no if "Kenyan" and "clerk"; no if "Danish" and "pilot"; no if "Nepali" and "nurse"; '
         'yes otherwise', {("asia", "health")}),
    ],
)  # fmt: skip
def test_strict_groups_of_planted_bias(
    rules: str, strict: set[tuple[str, str]], tmp_path: Path
) -> None:
    model = of_words(tmp_path, "text\nThe Danish clerk came.\n", f"scripted:{rules}")
    assert {one.groups for one in model.strict_groups} == strict


def test_a_part_that_was_not_tested_alone_makes_no_group_strict(tmp_path: Path) -> None:
    rules = 'scripted:no if "Kenyan" and "nurse"; yes otherwise'
    model = of_words(tmp_path, "text\nThe Danish clerk came.\n", rules, order=2, atomic=False)
    assert {one.groups for one in model.strict_groups} == {("africa", "health")}
    alone = pairs_only(tmp_path)
    assert alone.strict_groups == []
    assert any(group.above for group in alone.groups)


def pairs_only(folder: Path) -> ModelReport:
    """Test mutants by hand that change both attributes at once."""
    path = folder / "pairs.csv"
    source, rows = "The Danish clerk came.", []
    for origin, place, work, kind in (
        ("Kenyan", "africa", "nurse", "health"), ("Nepali", "asia", "pilot", "travel"),
    ):  # fmt: skip
        edits = f"origin: Danish -> {origin}; work: clerk -> {work}"
        groups = f"origin: europe -> {place}; work: office -> {kind}"
        rows.append(f"{source},The {origin} {work} came.,{edits},{groups}")
    path.write_text("\n".join(["source,mutant,edits,groups", *rows]) + "\n", encoding="utf-8")
    rules = 'scripted:no if "Kenyan" and "nurse"; yes otherwise'
    campaign = Campaign(mutants=str(path), models=(rules,), placebo=False)
    return reported(campaign, folder / "by-hand")


LINKS = """
about: One pronoun.
task: coreference
start: s
pronouns: [he]
antecedents: [work, guest]
rules:
  s: ['The <work> woke the <guest> because <he> was tired.']
  guest: [patient, client]
sensitive:
  work: [nurse, clerk]
  gender: [{group: male, he: he}, {group: female, he: she}]
labels: {s: work}
"""
MASKED = """
task: masked
start: s
answers: {male: [his], female: [her]}
rules:
  s: ['The <work> lost <mask> hat <when>.']
  when: [today, yesterday]
sensitive:
  work: [pilot, nurse, clerk]
"""


def test_violations_are_counted_by_threshold_and_word(tmp_path: Path) -> None:
    # Pilot and clerk: his 0.6, her 0.4. Nurse: 0.72 and 0.28. So each change from or to nurse moves
    # both words by 0.12: 4 of 6 ordered pairs, in two sentences of each source.
    path = tmp_path / "g.yaml"
    path.write_text(MASKED, encoding="utf-8")
    model = 'scripted-masked:his 0.72 if "nurse"; her 0.9 if "nobody"; his 0.6 otherwise'
    campaign = Campaign(grammar=str(path), sentences=6, order=1, models=(model,), placebo=False)
    found = reported(campaign, tmp_path / "out").tolerances
    assert [one.tolerance for one in found] == list(TOLERANCES)
    for one in found:
        hits = 8 if one.tolerance < 0.12 else 0
        assert (one.attributes, one.errors.hits, one.errors.of) == (("work",), hits, 12)
        assert one.by_word["her"].hits == one.by_word["his"].hits == hits
    report = make_report(CampaignStore(tmp_path / "out"))
    (section,) = [one for one in sections(report) if one.key == "tolerances"]
    assert [row[:3] for row in section.rows] == [
        ["work", "any", "12"], ["work", "her", "12"], ["work", "his", "12"],
    ]  # fmt: skip


def test_one_threshold_is_that_of_the_verdicts(tmp_path: Path) -> None:
    path = tmp_path / "g.yaml"
    path.write_text(MASKED, encoding="utf-8")
    rules = 'her 0.9 if "nurse"; her 0.78 if "clerk"; his 0.9 if "nobody"; her 0.68 otherwise'
    model = f"scripted-masked:{rules}"
    for tolerance in TOLERANCES:
        campaign = Campaign(
            grammar=str(path), sentences=6, order=1, models=(model,), tolerance=tolerance,
            placebo=False,
        )  # fmt: skip
        found = reported(campaign, tmp_path / f"out-{tolerance}")
        (one,) = (t for t in found.tolerances if t.tolerance == tolerance)
        assert (one.errors.hits, one.errors.of) == (
            found.atomic.errors.hits,
            found.atomic.errors.of,
        )


def test_words_apart_are_counted_by_pronoun(tmp_path: Path) -> None:
    works = ", ".join(f"worker{chr(97 + n)}" for n in range(8))
    path = tmp_path / "g.yaml"
    path.write_text(MASKED.replace("pilot, nurse, clerk", f"nurse, {works}"), encoding="utf-8")
    model = 'scripted-masked:her 0.7 if "nurse"; his 0.9 otherwise'
    campaign = Campaign(grammar=str(path), sentences=18, order=1, models=(model,), placebo=False)
    rows = {
        row[1]: row[2:5]
        for row in apart_section(reported(campaign, tmp_path / "out").word_scores).rows
    }
    assert rows["his"] == ["1 of 9, 11.1\u00a0%", "0", "1"]
    assert rows.get("her", rows["his"])[0] == "1 of 9, 11.1\u00a0%"


def test_a_task_without_masks_has_no_thresholds(tmp_path: Path) -> None:
    model = of_words(tmp_path, "text\nThe Danish clerk came.\n", "scripted:yes otherwise")
    assert model.tolerances == []
    assert model.variants == []  # no labels


def test_right_answers_of_mutants_are_counted_by_hand(tmp_path: Path) -> None:
    # t1 (yes) is right; Kenyan makes it wrong. t2 (no) is wrong; both make it right. t3: no label.
    rules = 'scripted:no if "Kenyan"; no if "left" and "Nepali"; yes otherwise'
    texts = "id,label,text\nt1,yes,The Danish man came.\nt2,no,The Danish man left.\n"
    texts += "t3,,The Danish man sang.\n"
    model = of_words(tmp_path, texts, rules, order=1)
    (one,) = model.variants
    # t1: Kenyan lost, Nepali right. t2: both gained.
    assert one.right.hits, one.right.of == (3, 4)
    assert (one.attributes, one.lost, one.gained, one.wrong) == (("origin",), 1, 2, 0)


def test_right_answers_of_combinations_and_unknown_labels(tmp_path: Path) -> None:
    rules = 'scripted:no if "Kenyan" and "nurse"; yes otherwise'
    texts = "id,label,text\nt1,YES,The Danish clerk came.\nt2,maybe,A Danish clerk left.\n"
    texts += "t3,no,The Danish clerk sang.\n"
    found = {v.attributes: v for v in of_words(tmp_path, texts, rules).variants}
    assert (found["origin",].right.hits, found["origin",].right.of) == (2, 4)
    assert found["origin",].wrong == 2  # of the text that is no
    pair = found["origin", "work"]
    assert isinstance(pair, RightVariants)
    # t1: 3 of 4 stay right; t3: Kenyan and nurse is the only right one.
    assert (pair.right.hits, pair.right.of, pair.lost, pair.gained, pair.wrong) == (4, 8, 1, 1, 3)


def test_right_answers_of_links_are_those_that_were_kept(tmp_path: Path) -> None:
    path = tmp_path / "g.yaml"
    path.write_text(LINKS, encoding="utf-8")
    campaign = Campaign(grammar=str(path), order=1, placebo=False, models=("resolver:rules",))
    variants = reported(campaign, tmp_path / "out").variants
    section = right_variants_section(variants)
    assert section.title == "Right answers that mutants kept"
    assert section.columns[-1] == "Right before, wrong after"
    assert "texts whose own answer was right" in section.sentences[0]


def test_coreference_is_tested_by_religion(tmp_path: Path) -> None:
    planted, even = (
        f"scripted-resolver:{rules}"
        for rules in ('apart if "Hindu"; together otherwise', "together otherwise")
    )
    campaign = Campaign(
        grammar="coreference-religion", sentences=11, order=1, placebo=False,
        models=(planted, even),
    )  # fmt: skip
    store = CampaignStore(tmp_path / "out")
    run_campaign(campaign, store)
    models = {one.model: one for one in make_report(store).models}
    errors = {
        name: {line.attributes: line.errors.hits for line in model.lines}
        for name, model in models.items()
    }
    assert errors[planted]["religion",] > 0
    assert errors[even]["religion",] == 0
    assert errors[planted]["gender",] == errors[even]["gender",] == 0
    worst = {(w.source, w.target) for w in models[planted].words}
    assert all("Hindu person" in pair for pair in worst)
