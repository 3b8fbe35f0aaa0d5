# SPDX-License-Identifier: Apache-2.0
"""What a search found is not searched again, and a file that does not hold is as good as none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from allocations import act, array, board, mode, small_cases, system_of
from hypothesis import HealthCheck, given, settings

from carillon.allocate import memory as module
from carillon.allocate.allocation import Allocation
from carillon.allocate.memory import Memory, content, default_folder
from carillon.allocate.rounds import RoundAllocator
from carillon.allocate.solve import ModeSolver
from carillon.diagnostics import Diagnostics, Span
from carillon.lower import LoweredMode
from carillon.model import System
from carillon.read.board import load_board
from carillon.resources import board_names, find_board

# Windows that overlap in turns.
TURNS = mode(100, *(act(f"t{k}", (10 * k, 10 * k + 35), (10 * k + 40, 10 * k + 65)) for k in range(3)))
TARGET = board(array(8), levels=4)


def allocated(folder: Path, system: System, lowered: LoweredMode, limit: float = 20.0) -> Allocation | None:
    return RoundAllocator(system, (lowered,), limit, Memory(folder)).allocate(frozenset(), Diagnostics())


def turns(folder: Path) -> Allocation:
    found = allocated(folder, system_of(TARGET, 1_000_000, (TURNS,)), TURNS)
    assert found is not None
    return found


def file_of(folder: Path) -> Path:
    (path,) = folder.glob("*.json")
    return path


def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: ModeSolver) -> None:
        raise AssertionError("searched")

    monkeypatch.setattr(ModeSolver, "_search", fail)


def test_what_was_found_is_not_searched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = turns(tmp_path)
    no_search(monkeypatch)
    assert turns(tmp_path) == first
    with pytest.raises(AssertionError, match="searched"):
        turns(tmp_path / "elsewhere")


def edited(text: str, **changes: object) -> str:
    """The file with other values, and the sum that fits them."""
    told = json.loads(text)[0] | changes
    return json.dumps([told, module._digest(json.dumps(told))])


def choices(text: str) -> list[list[object]]:
    found: list[list[object]] = json.loads(text)[0]["choices"]
    return found


@pytest.mark.parametrize(
    "damage",
    [
        "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("overhead", "overheat"),
        "[]",
        "{}",
        "null",
        "[null, 1, 2]",
        "\0\0",
        lambda text: edited(text, overhead=-1),
        lambda text: edited(text, overhead=json.loads(text)[0]["overhead"] + 1),
        lambda text: edited(text, bound=-1),
        lambda text: edited(text, bound=10**6),
        lambda text: edited(text, choices=[]),
        lambda text: edited(text, choices=[None for _ in choices(text)]),
        lambda text: edited(text, choices=[[10**6, c, low] for _, c, low in choices(text)]),
        lambda text: edited(text, choices=[[s, [], low] for s, _, low in choices(text)]),
        lambda text: edited(text, choices=[[s, [7 for _ in c], low] for s, c, low in choices(text)]),  # type: ignore[attr-defined]
        lambda text: edited(text, choices=[[s, c, False] for s, c, _ in choices(text)], overhead=0, bound=0),
        lambda text: edited(text, choices=[["x", c, low] for _, c, low in choices(text)]),
    ],
)
def test_a_damaged_file_is_made_anew(damage: str | Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = turns(tmp_path)
    path = file_of(tmp_path)
    whole = path.read_text(encoding="utf-8")
    path.write_text(damage if isinstance(damage, str) else damage(whole), encoding="utf-8")
    with monkeypatch.context() as patch:
        no_search(patch)
        with pytest.raises(AssertionError, match="searched"):
            turns(tmp_path)
    assert turns(tmp_path) == first
    assert path.read_text(encoding="utf-8") == whole


def test_another_problem_limit_or_code_is_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns(tmp_path)
    longer = mode(101, *TURNS.demands)
    for number, (target, lowered, limit) in enumerate(
        ((TARGET, longer, 20.0), (board(array(9), levels=4), TURNS, 20.0), (TARGET, TURNS, 21.0)), 2
    ):
        assert allocated(tmp_path, system_of(target, 1_000_000, (lowered,)), lowered, limit) is not None
        assert len(list(tmp_path.iterdir())) == number
    monkeypatch.setattr(module, "_code", lambda: "other code")
    turns(tmp_path)
    assert len(list(tmp_path.iterdir())) == 5


def test_where_a_demand_stands_in_its_file_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns(tmp_path)
    moved = tuple(replace(d, points=tuple(replace(p, span=Span("other.toml", 99)) for p in d.points)) for d in TURNS.demands)
    no_search(monkeypatch)
    lowered = mode(100, *moved)
    assert allocated(tmp_path, system_of(TARGET, 1_000_000, (lowered,)), lowered) is not None


def test_another_process_finds_the_file(tmp_path: Path) -> None:
    script = (
        "import sys; sys.path[:0] = [sys.argv[1], sys.argv[1] + '/..']; import test_memory as t; t.turns(t.Path(sys.argv[2]))"
    )
    for seed in ("1", "2"):
        command = [sys.executable, "-c", script, str(Path(__file__).parent), str(tmp_path)]
        subprocess.run(command, check=True, env=os.environ | {"PYTHONHASHSEED": seed})
    assert file_of(tmp_path)


@given(small_cases())
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_allocation_from_memory_is_the_one_that_was_found(tmp_path: Path, case: tuple[System, LoweredMode]) -> None:
    system, lowered = case
    assert (
        allocated(tmp_path, system, lowered)
        == allocated(tmp_path, system, lowered)
        == RoundAllocator(system, (lowered,)).allocate(frozenset(), Diagnostics())
    )


def test_the_oldest_files_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    for k in range(5):
        (tmp_path / f"{k}.json").write_text("", encoding="utf-8")
        os.utime(tmp_path / f"{k}.json", (k, k))
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    turns(tmp_path)
    left = sorted((p.name for p in tmp_path.iterdir()), key=len)
    assert left[:-1] == ["3.json", "4.json", "notes.txt"]


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert turns(tmp_path / "file") == turns(tmp_path / "elsewhere")


def test_where_files_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARILLON_CACHE", str(tmp_path))
    assert default_folder() == tmp_path
    monkeypatch.setenv("CARILLON_CACHE", "")
    assert default_folder() is None
    monkeypatch.delenv("CARILLON_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "carillon"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".cache" / "carillon"


@pytest.mark.parametrize("name", board_names())
def test_the_search_on_each_board_can_be_kept(name: str) -> None:
    """Whatever its file says: members of these models may have any name."""
    assert content(load_board(find_board(name)))
