"""HInter: find, apply and judge intersectional mutations of a text.

``import hinter_core as hinter`` is the public Python API: the names in :data:`__all__`, which
``docs/reference/api.md`` lists. All else is private. Importing it loads no model and no heavy
library; a name is imported by its first use.
"""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hinter_core import testing
    from hinter_core.api.campaigns import compare, load, run
    from hinter_core.api.checking import CheckResult, check, mutants
    from hinter_core.api.exports import export, log_campaign
    from hinter_core.api.results import CampaignResult, ComparisonResult
    from hinter_core.api.seams import metric, model, relation, source
    from hinter_core.errors import HinterError

# Packages report their use to Microsoft and to the Hub unless told otherwise, before their import.
for _reports in ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY"):
    os.environ.setdefault(_reports, "1")

__version__ = "0.2.0"
__all__ = [
    "CampaignResult", "CheckResult", "ComparisonResult", "HinterError", "check", "compare",
    "export", "load", "log_campaign", "metric", "model", "mutants", "relation", "run",
    "source", "testing",
]  # fmt: skip
_HOMES = {
    "campaigns": ("compare", "load", "run"),
    "checking": ("CheckResult", "check", "mutants"),
    "exports": ("export", "log_campaign"),
    "results": ("CampaignResult", "ComparisonResult"),
    "seams": ("metric", "model", "relation", "source"),
}


def __getattr__(name: str) -> object:
    """Import what is public by its first use."""
    from importlib import import_module

    if name == "testing":
        return import_module("hinter_core.testing")
    if name == "HinterError":
        return import_module("hinter_core.errors").HinterError
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"hinter_core.api.{home}"), name)
    raise AttributeError(f"module 'hinter_core' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
