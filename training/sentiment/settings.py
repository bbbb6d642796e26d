"""All numbers of the recipe in one place."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

WINDOW = 512
LABELS = ("negative", "positive")


@dataclass(frozen=True)
class Shape:
    """Size of the network; together it has to stay below 10 MiB in fp32."""

    vocabulary: int = 10_000
    hidden: int = 128
    layers: int = 4
    heads: int = 4
    inner: int = 384


@dataclass(frozen=True)
class PretrainSettings:
    """Masked-language pretraining on packed crops of the training texts."""

    tokens: int = 22_000_000
    crop: int = 128
    batch: int = 32
    mask_rate: float = 0.15
    peak_rate: float = 2e-3
    final_fraction: float = 0.05
    warmup: float = 0.04
    weight_decay: float = 0.05


@dataclass(frozen=True)
class FinetuneSettings:
    """Joint training on reviews and sentences; `crops` has the longest review of each pass.

    The rate follows a cosine that would end after `horizon` passes; during the last
    pass it also falls linearly to its end.
    """

    crops: tuple[int, ...] = (128, 128, 192)
    horizon: float = 4.0
    review_batch: int = 32
    sentence_batch: int = 64
    sentence_passes: float = 1.0
    peak_rate: float = 8e-4
    final_fraction: float = 0.02
    warmup: float = 0.06
    weight_decay: float = 0.05
    dropout: float = 0.1
    head_dropout: float = 0.3
    word_dropout: float = 0.12
    label_smoothing: float = 0.05
    teacher_weight: float = 0.5
    average_decay: float = 0.998


@dataclass(frozen=True)
class Settings:
    """The complete recipe."""

    seed: int = 20_26
    threads: int = 1
    bf16: bool = True
    compiled: bool = False
    held_out_reviews: int = 1_500
    held_out_sentences: int = 400
    shape: Shape = field(default_factory=Shape)
    pretrain: PretrainSettings = field(default_factory=PretrainSettings)
    finetune: FinetuneSettings = field(default_factory=FinetuneSettings)

    def as_dict(self) -> dict[str, Any]:
        """Plain nested dictionary, to be written beside the measurements."""
        return asdict(self)


def quick(settings: Settings) -> Settings:
    """A few minutes instead of hours: hardly any pretraining, one pass, short crops."""
    return replace(
        settings,
        pretrain=replace(settings.pretrain, tokens=600_000),
        finetune=replace(
            settings.finetune, crops=(64,), horizon=1.0, teacher_weight=0.0, average_decay=0.99
        ),
    )
