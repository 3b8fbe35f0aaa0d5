# SPDX-License-Identifier: Apache-2.0
"""Wake-ups, and what a plan is estimated to draw: in each mode, and with each clock that the advice compares."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from carillon.advise import Advice, Prediction
from carillon.energy import Estimate, Supply
from carillon.image import ModeImage
from carillon.model import System
from carillon.show.table import Table
from carillon.timing.handlers import round_interrupts
from carillon.timing.rounds import idle_share, mode_of, unknown_work
from carillon.units import format_frequency, format_number

if TYPE_CHECKING:
    from rich.console import Console

    from carillon.pipeline import Planned

OURS = "carillon"


def energy_json(planned: Planned, advice: Advice | None) -> dict[str, Any]:
    """The currents as they are scaled, each mode with its wake-ups a second, and each clock of the advice."""
    system = planned.system
    supply, currents = Supply.of(system), system.board.currents
    ours = planned.allocation.kernel == OURS
    return {
        "idle": system.idle.value,
        "currents": {
            "active_ma": float(supply.active * 1000),
            "idle_ma": float(supply.idle * 1000),
            "voltage": float(supply.voltage),
            "hz": supply.hz,
            "given_hz": float(currents.frequency),
            "source": currents.source,
        }
        if supply is not None and currents is not None
        else None,
        "modes": [_mode_json(planned, image, supply) for image in planned.image.modes] if ours else [],
        "clocks": [_clock_json(p, clock_estimate(supply, p)) for p in advice.predictions] if advice is not None else [],
    }


def clock_estimate(supply: Supply | None, prediction: Prediction) -> Estimate | None:
    """What is drawn with a clock if nothing runs but its handler; None if that is not known."""
    if supply is None or prediction.share is None:
        return None
    return supply.estimate(max(Fraction(0), 1 - prediction.share))


def _figures(estimate: Estimate | None) -> dict[str, float | None]:
    return {**estimate.as_json()} if estimate is not None else dict.fromkeys(("current_ma", "power_mw", "mah_a_day"))


def _clock_json(prediction: Prediction, estimate: Estimate | None) -> dict[str, Any]:
    tick = float(prediction.tick) if prediction.tick is not None else None
    return {"clock": prediction.name, "tick": tick, "wakeups": float(prediction.interrupts)} | _figures(estimate)


def _mode_json(planned: Planned, image: ModeImage, supply: Supply | None) -> dict[str, Any]:
    system, length = planned.system, image.allocation.mode.round_length
    unknown = unknown_work(system, mode_of(system, image))
    idle = idle_share(planned.image, image) if not unknown else None
    estimate = supply.estimate(idle) if supply is not None and idle is not None else None
    interrupts = round_interrupts(planned.image, image)
    return {
        "mode": image.allocation.mode.name,
        "wakeups": float(Fraction(interrupts * system.clock_hz, length)),
        "idle_share": float(idle) if idle is not None else None,
        "unknown": unknown,
    } | _figures(estimate)


def render_clocks(console: Console, system: System, named: dict[Prediction, str]) -> None:
    """Print what is drawn with each clock; nothing if the board does not say."""
    supply = Supply.of(system)
    if supply is None:
        return
    rows = Table("with nothing but this clock's handler", "mA", "mW", "mAh a day")
    for prediction, name in named.items():
        figures = _figures(clock_estimate(supply, prediction)).values()
        rows.add_row(name, *("-" if figure is None else f"{figure:.4g}" for figure in figures))
    rows.print(console)


def mode_text(mode: dict[str, Any]) -> str:
    """One line of a mode, of what :func:`energy_json` has of it."""
    text = f"wake-ups{' of the round' if mode['unknown'] else ''}: {mode['wakeups']:,.10g} a second, if each deadline is met"
    if mode["unknown"]:
        shown = mode["unknown"][:3] + (["…"] if len(mode["unknown"]) > 3 else [])
        return f"{text}; how long the processor idles is not known: no WCET of {', '.join(shown)}"
    text += f"; at least {mode['idle_share']:.2%} of the time is idle"
    if mode["current_ma"] is None:
        return text
    return f"{text}; at most {mode['current_ma']:.4g} mA, {mode['power_mw']:.4g} mW, {mode['mah_a_day']:.4g} mAh a day"


def notes(planned: Planned, energy: dict[str, Any]) -> list[str]:
    """What the estimates of :func:`energy_json` are made of, or why there are none."""
    system = planned.system
    if not energy["modes"] and not energy["clocks"]:
        why = (
            "no periods are declared" if planned.allocation.kernel == OURS else "it is worked out of Carillon's own kernel alone"
        )
        return [f"how often the processor wakes up is not known, and no current is estimated: {why}"]
    supply, currents = Supply.of(system), system.board.currents
    if supply is None or currents is None:
        return [f"no current is estimated: the file of board '{system.board.name}' has no [currents]"]
    text = f"estimated with {format_number(supply.active * 1000, 3)} mA"
    if supply.idle == supply.active and currents.idle != currents.active:
        text += ' all the time, as idle = "spin" never sleeps,'
    else:
        text += f", and {format_number(supply.idle * 1000, 3)} mA while the processor sleeps,"
    text += f" at {format_number(supply.voltage, 3)} V"
    if supply.hz is not None and supply.hz != currents.frequency:
        text += f" and {format_frequency(supply.hz)}, in proportion from {_hz(currents.frequency)}"
    else:
        text += f" and {_hz(currents.frequency)}"
    return [text, f"source: {currents.source}"]


def _hz(frequency: Fraction) -> str:
    return format_frequency(int(frequency)) if frequency.denominator == 1 else f"{format_number(frequency, 3)}Hz"
