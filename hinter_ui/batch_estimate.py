"""An estimate as a process of its own: a model loaded for it is not kept, nor one's key at hand.

``python -m hinter_ui.batch_estimate CAMPAIGN.yaml`` prints one JSON object: a forecast, or
``error``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from hinter_core.campaign import Campaign, load_campaign, write_campaign
from hinter_core.engine import plan_run
from hinter_core.errors import HinterError, InputError
from hinter_core.forecast import Forecast, forecast
from hinter_core.models.budget import Cost
from hinter_ui.jobs import environment

_PATIENCE = 900  # seconds


def estimate(campaign: Campaign, keys: Mapping[str, str], *, own_cache: bool) -> Forecast:
    """What the campaign would do.

    Raises:
        InputError: it cannot be done; the message says why.
    """
    with TemporaryDirectory(prefix="hinter-estimate-") as folder:
        path = Path(folder) / "campaign.yaml"
        path.write_text(write_campaign(campaign), encoding="utf-8")
        cache = Path(folder) / "answers.sqlite" if own_cache else None
        try:
            done = subprocess.run(  # noqa: S603 -- ourselves, with no words of a visitor
                [sys.executable, "-m", "hinter_ui.batch_estimate", str(path)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=environment(keys, cache),
                timeout=_PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise InputError(
                "This takes too long to estimate; start it with a small sample instead."
            ) from error
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    try:
        values = json.loads(lines[-1])
    except (IndexError, ValueError) as error:
        raise InputError(
            f"The estimate broke off (exit code {done.returncode}); this machine may lack memory."
        ) from error
    if "error" in values:
        raise InputError(values["error"])
    return _read(values)


def _read(values: dict[str, object]) -> Forecast:
    given: dict[str, object] = dict(values)
    mutants, costs = given.pop("mutants"), given.pop("costs")
    assert isinstance(mutants, dict)
    assert isinstance(costs, dict)
    return Forecast(
        mutants={int(order): number for order, number in mutants.items()},
        costs={name: Cost(**cost) for name, cost in costs.items()},
        **given,  # type: ignore[arg-type]  # written by ourselves a moment ago
    )


def main(path: Path) -> None:
    """Print the forecast of a campaign file."""
    try:
        campaign = load_campaign(path)
        told = asdict(forecast(campaign, plan_run(campaign)))
    except HinterError as error:
        told = {"error": str(error)}
    sys.stdout.write(f"{json.dumps(told)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
