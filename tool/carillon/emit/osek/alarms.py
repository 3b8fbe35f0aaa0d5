# SPDX-License-Identifier: Apache-2.0
"""Tables of counters and alarms."""

from __future__ import annotations

from collections.abc import Mapping

from carillon import c_names
from carillon.actions.every import of
from carillon.allocate.osek import OsekAllocation
from carillon.emit import text
from carillon.image import OsekImage
from carillon.model.osek import Alarm, AlarmAction, CounterKind, Osek, SetEvent
from carillon.model.several import Several, SeveralThenIncrement


def alarms(osek: OsekImage) -> list[str]:
    """Counters, the cells of alarms, and alarms."""
    allocation = osek.allocation
    model = allocation.osek
    lines: list[str] = []
    if model.counters:
        rows = []
        lone = allocation.lone
        leveled = {part.part for part in allocation.counters if part.task_level}
        for part_number, c in enumerate(allocation.parts):
            software = int(c.kind is CounterKind.SOFTWARE)
            set_anew = int(allocation.is_advanced(c))
            numbers = [c.max_allowed, c.ticks_per_base, c.min_cycle, allocation.base_units(c.name)]
            flags = [software, set_anew, int(part_number in leveled)]
            flags += [lone[part_number] + 1 if part_number in lone else 0] if lone else []
            rows.append(f"{{{', '.join([*(f'{n}u' for n in numbers), *map(str, flags)])}}}, /* {c.name} */")
        lines += text.table("const struct carillon_osek_counter carillon_osek_counters[]", rows)
    for alarm, carrier in allocation.alarms:
        cell, name = osek.cell(carrier), alarm.name
        stop = f"carillon_alarm_{name}_stop"
        tick = cell.use.units(model.counter(alarm.counter).tick)
        row = [f"{text.macro(cell, 'COUNTER', cell.number)},", f"{tick}u,", f"{stop},", f"CARILLON_COUNT({stop}),"]
        row += [f"{carrier.source}u,", f"{model.counter(alarm.counter).tick}u,"] if allocation.told else []
        lines.append(f"/* Alarm {name} on {cell.use.cell.name}. */")
        lines += text.array("struct carillon_store", stop, [f"{text.macro(cell, 'STOP', cell.number)},"])[:-1]
        lines += text.table(f"static const struct carillon_osek_cell carillon_alarm_{name}_cell", row)
    lists, firsts = _lists(model)
    lines += lists
    if model.alarms:
        carried = [alarm for alarm, _ in allocation.alarms]
        rows = [line for alarm in model.alarms for line in _alarm(allocation, alarm, alarm in carried, firsts)]
        lines += text.table("const struct carillon_osek_alarm carillon_osek_alarms[]", rows)
    return lines


def _lists(model: Osek) -> tuple[list[str], dict[str, int]]:
    """The actions of alarms that have several, and by the alarm's name where its own begin."""
    rows: list[str] = []
    firsts: dict[str, int] = {}
    for alarm in model.alarms:
        listed = _listed(alarm.action)
        firsts |= {alarm.name: len(rows)} if listed else {}
        for number, action in enumerate(listed, 1):
            said = _what(model, action)
            operand = [f".operand = {{.{key.removeprefix('operand.')} = {said.pop(key)}}}" for key in list(said) if "." in key]
            fields = [*operand, *(f".{key} = {value}" for key, value in said.items()), f".more = {int(number < len(listed))}"]
            rows.append(f"{{{', '.join(fields)}}}, /* {alarm.name}: {of(action).phrase} */")
    return (text.table("const struct carillon_osek_alarm_action carillon_osek_alarm_actions[]", rows) if rows else []), firsts


def _listed(action: AlarmAction) -> tuple[AlarmAction, ...]:
    return action.actions if isinstance(action, Several | SeveralThenIncrement) else ()


def _what(model: Osek, action: AlarmAction) -> dict[str, object]:
    """An action as the kernel's tables give it, but for where a list begins."""
    numbers = {"counter": [c.name for c in model.counters], "task": [t.name for t in model.tasks]}
    fields: dict[str, object] = {"action": text.action(of(action))}
    if action.subject in numbers:
        fields["object"] = numbers[action.subject].index(action.object)
    elif action.subject == "function":
        fields["operand.function"] = c_names.callback(action.object)
    if isinstance(action, SetEvent):
        fields["operand.carillon_event"] = f"{model.event(action.event).mask:#x}u"
    return fields


def _alarm(allocation: OsekAllocation, alarm: Alarm, on_cell: bool, firsts: Mapping[str, int]) -> list[str]:
    model, action = allocation.osek, alarm.action
    fields: dict[str, object] = {"counter": allocation.part_of(alarm.counter, action), **_what(model, action)}
    if alarm.name in firsts:
        fields["operand.carillon_first"] = f"{firsts[alarm.name]}u"
    if on_cell:
        fields["cell"] = f"&carillon_alarm_{alarm.name}_cell"
    if alarm.autostart is not None:
        start = alarm.autostart
        fields |= {
            "autostart": text.mode_mask(model, start.modes),
            "start": f"{start.time}u",
            "cycle": f"{start.cycle}u",
            "absolute": int(start.absolute),
        }
    return text.fields(f"{alarm.name}, {text.place(alarm.span)}", fields)
