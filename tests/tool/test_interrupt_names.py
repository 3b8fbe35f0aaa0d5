# SPDX-License-Identifier: Apache-2.0
"""The interrupts of chips have the vendor's names and numbers, and schedules may name them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from carillon.build.library import check_library
from carillon.diagnostics import Diagnostics
from carillon.frontends import read_schedule
from carillon.pipeline import plan
from carillon.read.board import load_board
from carillon.read.interrupt_sources import InterruptSources, meant
from carillon.resources import board_names, data_root

ELSEWHERE = Path(__file__).parent / "interrupts"
STM32 = {"stm32f4-discovery": "stm32f407", "nucleo-f429zi": "stm32f429", "blackpill-f411": "stm32f411"}
OTHERS = {"ast1030-evb": 21, "mps2-an385": 21, "qemu-rv32-virt": 5, "tc1796": 28}
"""At least so many interrupts that no cell raises have a board that no such description is of."""
CHIPS = STM32 | {"microbit": "nrf51", "raspberry-pi-pico": "rp2040"}
AVR = {"arduino-uno": "atmega328p", "arduino-leonardo": "atmega32u4", "atmega128": "atmega128", "atmega2560": "atmega2560"}
# What that description, which is made for several chips at once, has and the chip lacks, or the other way round.
DIFFERENT: dict[str, dict[str, str | None]] = {
    "nrf51": {},
    "rp2040": {f"SW{k}_IRQ": None for k in range(6)},  # of no device: the names are that crate's
    "stm32f407": {"CRYP": None, "LCD_TFT": None, "LCD_TFT_1": None},
    "stm32f429": {"CRYP": None, "LCD_TFT": "LTDC", "LCD_TFT_1": "LTDC_ER"},
    "stm32f411": {},
}
LACKS = {"stm32f407": {"FLASH": 4}}


def described(chip: str) -> dict[str, int]:
    """The interrupts of a description that is not of Carillon, in capitals."""
    lines = (ELSEWHERE / f"{chip}.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    renamed = {name: int(number) for number, name in rows}
    result = {DIFFERENT[chip].get(name, name): number for name, number in renamed.items()}
    return {name: number for name, number in result.items() if name is not None} | LACKS.get(chip, {})


@pytest.mark.parametrize(("board", "chip"), CHIPS.items())
def test_the_names_and_numbers_are_those_of_a_description_made_elsewhere(board: str, chip: str) -> None:
    interrupts = load_board(data_root() / "boards" / board / "board.toml").interrupts
    assert interrupts is not None
    assert {name.upper(): number for name, number in interrupts.numbers.items()} == described(chip)


@pytest.mark.skipif(shutil.which("avr-gcc") is None, reason="needs avr-gcc and avr-libc")
@pytest.mark.parametrize(("board", "device"), AVR.items())
def test_the_names_and_numbers_of_an_avr_are_those_of_its_header(board: str, device: str) -> None:
    command = ["avr-gcc", f"-mmcu={device}", "-E", "-dM", "-"]
    header = subprocess.run(command, input="#include <avr/io.h>\n", capture_output=True, text=True, check=True).stdout
    numbers = {
        f"{name}_vect": int(number) for name, number in re.findall(r"^#define (\w+)_vect_num (\d+)$", header, re.MULTILINE)
    }
    interrupts = load_board(data_root() / "boards" / board / "board.toml").interrupts
    assert interrupts is not None
    assert interrupts.numbers == numbers
    assert interrupts.sources == numbers


def test_an_avr_names_the_interrupts_of_which_the_board_says_where_they_are_enabled(tmp_path: Path) -> None:
    uno = load_board(data_root() / "boards" / "arduino-uno" / "board.toml")
    assert uno.named_sources == {"soft0": 1, "soft1": 2, "INT0_vect": 1, "INT1_vect": 2}
    assert uno.nameable["TIMER1_COMPA_vect"] == uno.nameable["OC1A"] == 11
    assert "USART_RX_vect" not in uno.nameable
    path = tmp_path / "schedule.toml"
    text = '[system]\nboard = "arduino-uno"\n[task.A]\nperiod = "1ms"\n[interrupt.I]\nsource = "USART_RX_vect"\n'
    path.write_text(text, encoding="utf-8")
    diagnostics = Diagnostics()
    read_schedule(path, diagnostics)
    assert [error.code for error in diagnostics.errors] == ["C025"]


def test_the_interrupt_of_the_software_dispatcher_cannot_be_named() -> None:
    microbit = load_board(data_root() / "boards" / "microbit" / "board.toml")
    assert microbit.interrupts is not None
    assert microbit.interrupts.sources["SWI5"] == microbit.dispatcher_source
    assert "SWI5" not in microbit.named_sources
    assert "SWI5" not in microbit.nameable


@pytest.mark.parametrize(("board", "chip"), [item for item in CHIPS.items() if item[0] != "raspberry-pi-pico"])
def test_cells_have_the_interrupts_of_timers_of_their_names(board: str, chip: str) -> None:
    model = load_board(data_root() / "boards" / board / "board.toml")
    assert model.interrupts is not None
    called = {source: name for name, source in model.interrupts.sources.items()}
    for array in model.cells:
        for name, source in zip(array.names, array.sources, strict=True):
            assert called[source].split("_")[0] == name.split("_")[0], (board, chip)


def test_the_names_of_the_ast1030_are_those_of_qemus_devices_and_some_more() -> None:
    renamed = {"UDC": "USBDEV", "PWM": "TACH"} | {f"TIMER{k + 1}": f"TIMER{k}" for k in range(8)}
    lines = (ELSEWHERE / "ast1030.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    interrupts = load_board(data_root() / "boards" / "ast1030-evb" / "board.toml").interrupts
    assert interrupts is not None
    others = {"MMC": 0, "MAC": 2, "SCU": 12, "MBOX": 54, "UARTDMA": 56}  # which QEMU does not connect
    assert interrupts.numbers == {renamed.get(name, name): int(number) for number, name in rows} | others


@pytest.mark.parametrize("board", ["ast1030-evb", "qemu-rv32-virt", "tc1796"])
def test_names_without_names_of_handlers_make_no_library(tmp_path: Path, board: str) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(f'[system]\nboard = "{board}"\n[task.A]\nperiod = "1ms"\n', encoding="utf-8")
    (tmp_path / "main.c").write_text("void A(void);\nvoid A(void)\n{\n}\n", encoding="utf-8")
    diagnostics = Diagnostics()
    planned = plan(path, diagnostics)
    assert planned.system.board.interrupts is not None
    assert planned.system.board.interrupts.handlers == {}
    assert not check_library(planned.image, diagnostics)
    assert [error.code for error in diagnostics.errors] == ["C294"]


@pytest.mark.parametrize("board", [*CHIPS, *OTHERS])
def test_every_interrupt_that_no_cell_raises_can_be_named(tmp_path: Path, board: str) -> None:
    model = load_board(data_root() / "boards" / board / "board.toml")
    assert model.interrupts is not None
    cells = {source for array in model.cells for source in array.sources}
    free = {name: source for name, source in model.interrupts.sources.items() if source not in {*cells, model.dispatcher_source}}
    assert len(free) >= OTHERS.get(board, 21)
    tables = "".join(f'[interrupt.I{k}]\nsource = "{name}"\n' for k, name in enumerate(free))
    path = tmp_path / "schedule.toml"
    path.write_text(f'[system]\nboard = "{board}"\n[task.A]\nperiod = "1ms"\n{tables}', encoding="utf-8")
    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics)
    assert system is not None, diagnostics.reported
    assert [i.source for i in system.interrupts] == list(free.values())


def test_an_isr_and_what_is_reserved_may_be_named_by_the_vendors_names(tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    text = """
    [system]
    board = "stm32f4-discovery"
    reserve = ["TIM1_UP_TIM10", "DMA1_Stream2"]
    [osek.isr.Button]
    category = 2
    source = "EXTI15_10"
    [osek.isr.Timer]
    category = 2
    source = "TIM1_UP_TIM10"
    [osek.task.T]
    priority = 1
    [osek.counter.C]
    tick = "1ms"
    [osek.alarm.A]
    counter = "C"
    activate = "T"
    autostart = { at = 1, cycle = 1 }
    """
    path.write_text(text, encoding="utf-8")
    planned = plan(path, Diagnostics())
    assert planned.system.osek is not None
    assert [isr.source for isr in planned.system.osek.isrs] == [56, 41]
    assert planned.system.board.reserved == ("soft2", "TIM1")  # as the board calls them
    assert 29 not in {vector.source for vector in planned.image.vectors[0]}
    assert "TIM1" not in {cell.use.cell.name for cell in (planned.image.osek.cells if planned.image.osek else ())}


def test_an_oil_file_may_name_them_and_what_is_chosen_for_others_is_free(tmp_path: Path) -> None:
    text = """
    CPU c {
      OS o { STATUS = STANDARD; };
      TASK T { PRIORITY = 1; SCHEDULE = FULL; ACTIVATION = 1; AUTOSTART = TRUE; };
      ISR Named { CATEGORY = 2; PRIORITY = 2; SOURCE = "DMA1_Stream0"; };
      ISR Other { CATEGORY = 2; PRIORITY = 3; };
    };
    """
    path = tmp_path / "system.oil"
    path.write_text(text, encoding="utf-8")
    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics, "stm32f4-discovery")
    assert system is not None, diagnostics.reported
    assert system.osek is not None
    assert {isr.name: isr.source for isr in system.osek.isrs} == {"Named": 27, "Other": 28}


EVERY = board_names()
AROUND = ("{}", "{}_IRQ", "{}_IRQn", "{}_IRQHandler", "{}_Handler", "{}_ISR", "{}_isr", "{}_vect", "ISR_{}", "IRQ_{}")
"""What vendors and other tools write around the name of an interrupt."""
PLAIN = re.compile(r"_(IRQ|vect)$")


@pytest.mark.parametrize("board", EVERY)
def test_the_name_of_a_source_is_understood_whatever_a_tool_writes_around_it(board: str) -> None:
    known = InterruptSources(load_board(data_root() / "boards" / board / "board.toml"))
    for name in known.numbers:
        for form in AROUND:
            said = {form.format(name), form.format(PLAIN.sub("", name)), form.format(PLAIN.sub("", name)).upper()}
            found = {known.numbers.get(str(meant(word, known))) for word in said}
            assert found == {known.numbers[name]}, (name, form)
    assert meant("NOTHING_IRQn", known) is meant("_IRQ", known) is meant("IRQ", known) is None


@pytest.mark.parametrize(
    ("board", "written", "source"),
    [
        ("stm32f4-discovery", "EXTI0_IRQ", "EXTI0"),
        ("stm32f4-discovery", '"EXTI9_5_IRQHandler"', "EXTI9_5"),
        ("atmega2560", "INT0", "INT0_vect"),
        ("raspberry-pi-pico", "IO_IRQ_BANK0_IRQn", "IO_IRQ_BANK0"),
        ("raspberry-pi-pico", "SPI0", "SPI0_IRQ"),
    ],
)
def test_another_tools_name_of_a_source_in_oil_is_the_boards(board: str, written: str, source: str, tmp_path: Path) -> None:
    path = tmp_path / "app.oil"
    isr, task = f"ISR I {{ CATEGORY = 2; SOURCE = {written}; }};", "TASK T { PRIORITY = 1; AUTOSTART = TRUE; };"
    path.write_text(f'OIL_VERSION = "2.5"; CPU c {{ OS o {{ STATUS = STANDARD; }}; {isr} {task} }};', encoding="utf-8")
    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics, board)
    assert system is not None
    assert system.osek is not None
    assert [isr.source for isr in system.osek.isrs] == [system.board.named_sources[source]]
    assert "C153" not in {d.code for d in diagnostics.reported}


@pytest.mark.parametrize("table", ["interrupt.I", "osek.isr.I"])
def test_a_schedule_is_told_the_boards_name(table: str, tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(f'[{table}]\nsource = "EXTI0_IRQHandler"\n[task.A]\nperiod = "1ms"\n', encoding="utf-8")
    diagnostics = Diagnostics()
    read_schedule(path, diagnostics, "stm32f4-discovery")
    assert [d.remedy for d in diagnostics.errors if d.code == "C025"] == ["did you mean 'EXTI0'?"]
