"""Read the names of a checkpoint's labels from its configuration, or from the user.

``id2label`` and ``label2id`` should say the same. ``transformers`` uses the former and, if it is
missing, invents ``LABEL_0``; a checkpoint that has only ``label2id`` keeps its names here, and one
that contradicts itself is refused.
"""

import re
from collections.abc import Mapping
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.language.clean import whole

_UNNAMED = re.compile(r"LABEL_\d+")
_SHOWN = 20


def named_by_label2id(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return both mappings if only ``label2id`` has names in a ``config.json``; else nothing."""
    by_name, by_place = settings.get("label2id"), settings.get("id2label") or {}
    if not isinstance(by_name, Mapping) or not isinstance(by_place, Mapping):
        return {}
    if not all(_UNNAMED.fullmatch(str(name)) for name in by_place.values()):
        return {}
    names = {place: str(name) for name, place in by_name.items() if isinstance(place, int)}
    if not names or len(names) < len(by_name) or sorted(names) != list(range(len(names))):
        return {}
    return {"id2label": names, "label2id": dict(by_name)}


def labels_of(name: str, config: Any, given: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Return the labels in the model's order, and a note about them.

    Raises:
        ModelError: ``given`` does not name each label, or the configuration gives two labels one
            name, or contradicts itself.
    """
    labels = tuple(whole(str(config.id2label[i])) for i in sorted(config.id2label))
    n = len(labels)
    if given:
        if len(given) != n:
            raise ModelError(
                f"Model '{name}' has {n} labels and labels= names {len(given)}; give a name of its "
                f"own to each of: {', '.join(labels[:_SHOWN])}{' ...' if n > _SHOWN else ''} (a "
                "comma in a name is written %2C)"
            )
        return given, ""
    if len(set(labels)) < n:
        raise ModelError(
            f"Model '{name}' has labels of the same name; name its {n} labels in their "
            "order: labels=NAME,NAME"
        )
    if clash := _contradiction(labels, getattr(config, "label2id", None)):
        raise ModelError(
            f"Model '{name}' contradicts itself in config.json: {clash}. Name its {n} labels in "
            "the order that is right: labels=NAME,NAME"
        )
    if labels and all(_UNNAMED.fullmatch(label) for label in labels):
        return labels, (
            f"the checkpoint does not name its labels; name {labels[0]} to {labels[-1]} in this "
            "order: labels=NAME,NAME"
        )
    return labels, ""


def _contradiction(labels: tuple[str, ...], by_name: Any) -> str:
    """Say which label has two places; "" if none has. Names of ``label2id`` only are ignored."""
    if not isinstance(by_name, Mapping):
        return ""
    for place, label in enumerate(labels):
        other = by_name.get(label)
        if isinstance(other, int) and other != place:
            return f"label {place} is '{label}' by id2label, and '{label}' is {other} by label2id"
    return ""
