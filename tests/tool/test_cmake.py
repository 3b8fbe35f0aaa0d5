# SPDX-License-Identifier: Apache-2.0
"""A CMake project takes what the tool generated and builds the firmware without the tool."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from carillon.build import build, write_generated
from carillon.build.symbols import defined_functions, symbols
from carillon.diagnostics import Diagnostics
from carillon.emit.text import stem
from carillon.image import Image
from carillon.pipeline import plan

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "three-tasks"

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None or shutil.which("ninja") is None, reason="needs cmake and ninja")

PROJECT = """\
cmake_minimum_required(VERSION 3.21)
project(app LANGUAGES C)
set(CARILLON_GENERATED_DIR ${{CMAKE_CURRENT_SOURCE_DIR}}/generated)
add_subdirectory("{root}" carillon)
add_executable(app main.c)
target_link_libraries(app carillon)
"""


def _cmake(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["cmake", *arguments], capture_output=True, text=True, timeout=120, check=False)


def _project(folder: Path, board: str) -> Image:
    """A project in ``folder`` that knows the example's C file, the generated files and Carillon's folder."""
    image = plan(EXAMPLE / "schedule.toml", Diagnostics(), board).image
    write_generated(image, folder)
    shutil.copy(EXAMPLE / "main.c", folder)
    (folder / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT.as_posix()), encoding="utf-8")
    return image


def _configure(folder: Path, toolchain: str, generator: str = "Ninja") -> subprocess.CompletedProcess[str]:
    file = ROOT / "cmake" / "toolchains" / f"{toolchain}.cmake"
    return _cmake("-S", str(folder), "-B", str(folder / "out"), "-G", generator, "--toolchain", str(file))


def _build(folder: Path, toolchain: str, generator: str = "Ninja") -> Path:
    for step in (_configure(folder, toolchain, generator), _cmake("--build", str(folder / "out"), "--parallel", "2")):
        assert step.returncode == 0, step.stdout + step.stderr
        assert "command-line option" not in step.stdout + step.stderr  # for C, but not for C++
    return folder / "out" / "app"


def test_a_cmake_project_builds_a_native_application_that_runs_its_rounds(tmp_path: Path) -> None:
    _project(tmp_path, "virtual-ast1030-evb")
    run = subprocess.run(
        [_build(tmp_path, "host"), "--ticks", "3000", "--count"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.returncode, run.stdout) == (0, "expiries 18\n"), run.stderr


def test_a_cmake_project_builds_arm_firmware_with_kernel_tables_and_tasks(tmp_path: Path) -> None:
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("needs arm-none-eabi-gcc")
    image = _project(tmp_path, "ast1030-evb")
    wanted = {vector.symbol for vector in image.vectors[0]}
    wanted |= {"Task1", "Task2", "Task3", "carillon_port_reset", "carillon_board_init", "ttStartOS"}
    elf = _build(tmp_path, "arm-none-eabi")
    assert wanted <= defined_functions(elf)
    assert symbols(elf)[f"{stem(image, image.modes[0])}_vectors"][0] == 0  # where the processor looks


# The task's symbol, as a file sees it that does not include the kernel's header: where vectors are code, that symbol comes
# from a linker input.
C_CODE = """#include "carillon/osektime.h"

int table[3] = {1, 2, 3};
extern void task(void) __asm__("Blink");
void (*volatile called)(void);

ttTASK(Blink)
{
    table[0]++;
    called = task;
}
"""
CPP_CODE = """#include "carillon/osektime.h"

struct Counter {
    Counter() : value(CARILLON_CLOCK_HZ) {}
    virtual void count() { value = value + 1; }
    volatile uint32_t value;
};
static Counter counter;
Counter *const counters[] = {&counter};

ttTASK(Blink)
{
    static Counter local;
    local.count(), counters[0]->count();
}
"""


@pytest.mark.parametrize(
    ("board", "toolchain", "language", "generator"),
    [
        ("ast1030-evb", "arm-none-eabi", "c", "Unix Makefiles"),
        ("atmega2560", "avr", "c", "Unix Makefiles"),
        ("qemu-rv32-virt", "riscv64-unknown-elf", "c", "Ninja"),
        ("ast1030-evb", "arm-none-eabi", "cpp", "Ninja"),
        ("qemu-rv32-virt", "riscv64-unknown-elf", "cpp", "Ninja"),
    ],
)
def test_a_cmake_project_builds_the_same_bytes_as_the_tool(
    tmp_path: Path, board: str, toolchain: str, language: str, generator: str
) -> None:
    compiler, objcopy = f"{toolchain}-gcc", f"{toolchain}-objcopy"
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    schedule = tmp_path / "schedule.toml"
    schedule.write_text('[task.Blink]\nperiod = "2ms"\nwcet = "10us"\n', encoding="utf-8")
    (tmp_path / f"main.{language}").write_text(C_CODE if language == "c" else CPP_CODE, encoding="utf-8")
    diagnostics = Diagnostics()
    image = plan(schedule, diagnostics, board).image
    built = build(image, tmp_path, diagnostics)
    assert built is not None, diagnostics.reported
    project = PROJECT.format(root=ROOT.as_posix())
    if language == "cpp":
        project = project.replace("LANGUAGES C)", "LANGUAGES C CXX)").replace("main.c)", "main.cpp)")
    (tmp_path / "CMakeLists.txt").write_text(project, encoding="utf-8")
    elf = _build(tmp_path, toolchain, generator)
    loaded = tmp_path / "app.bin"
    subprocess.run([objcopy, "-O", "binary", str(elf), str(loaded)], check=True, timeout=60)
    assert loaded.read_bytes() == built.elf.with_suffix(".bin").read_bytes()


FAR = """#include <avr/pgmspace.h>
#include "carillon/osek.h"
#include "carillon/time.h"

volatile uint8_t byte;

TASK(Blink)
{
    byte = pgm_read_byte_far(0x10000);
    (void)TerminateTask();
}
"""
LIBRARY = FAR.replace("byte = pgm_read_byte_far(0x10000)", "(void)memcpy_PF((void *)&byte, 0x10000, 1)")


@pytest.mark.skipif(shutil.which("avr-gcc") is None, reason="needs avr-gcc")
@pytest.mark.parametrize(("code", "generator"), [(FAR, "Ninja"), (LIBRARY, "Unix Makefiles")])
def test_an_application_that_sets_rampz_is_refused_until_handlers_save_it(tmp_path: Path, code: str, generator: str) -> None:
    schedule = tmp_path / "schedule.toml"
    schedule.write_text('[time]\nclock = "compare"\n[osek.task.Blink]\npriority = 1\n', encoding="utf-8")
    (tmp_path / "main.c").write_text(code, encoding="utf-8")
    diagnostics = Diagnostics()
    image = plan(schedule, diagnostics, "atmega2560").image
    built = build(image, tmp_path, diagnostics)
    assert built is not None, diagnostics.reported
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT.as_posix()), encoding="utf-8")
    assert _configure(tmp_path, "avr", generator).returncode == 0
    refused = _cmake("--build", str(tmp_path / "out"))
    assert refused.returncode != 0
    said = " ".join((refused.stdout + refused.stderr).split())
    assert "sets RAMPZ, which handlers do not save: configure with -D CARILLON_RAMPZ=ON" in said
    assert _cmake("-S", str(tmp_path), "-B", str(tmp_path / "out"), "-D", "CARILLON_RAMPZ=ON").returncode == 0
    elf = _build(tmp_path, "avr", generator)
    assert _addresses(elf) == _addresses(built.elf)
    loaded = tmp_path / "app.bin"
    subprocess.run(["avr-objcopy", "-O", "binary", str(elf), str(loaded)], check=True, timeout=60)
    jumps = range(_addresses(elf)["__trampolines_start"], _addresses(elf)["__trampolines_end"])
    assert len(jumps) > 0
    assert _resolved(loaded.read_bytes(), jumps) == _resolved(built.elf.with_suffix(".bin").read_bytes(), jumps)


def _addresses(elf: Path) -> dict[str, int]:
    """Every symbol's address."""
    done = subprocess.run(["avr-nm", str(elf)], capture_output=True, text=True, check=True, timeout=60)
    return {line.split()[-1]: int(line.split()[0], 16) for line in done.stdout.splitlines() if len(line.split()) == 3}


def _resolved(image: bytes, jumps: range) -> list[bytes]:
    """An image by words, in which a pointer to one of the jumps stands for where that leads; and where they lead, sorted.

    The linker puts the jumps by which pointers lead to functions beyond 128 KiB (``.trampolines``) in an order of its own, which
    may be another one where CMake links the same objects.
    """
    leads = {at: image[at : at + 4] for at in jumps[::4]}
    words = [image[at : at + 2] for at in range(0, len(image), 2) if at not in jumps]
    return [leads.get(2 * int.from_bytes(word, "little"), word) for word in words] + sorted(leads.values())


def _generating(folder: Path, schedule: str, more: str = "") -> Path:
    """Build a project whose build runs the tool on ``schedule``; the folder of what that generates."""
    code = '#include "carillon/osektime.h"\n\nttTASK(Blink)\n{\n}\n'
    (folder / "main.c").write_text(code, encoding="utf-8")
    named = f'set(CARILLON_COMMAND "{Path(sys.executable).parent / "carillon"}")\n'
    named += f"set(CARILLON_SCHEDULE ${{CMAKE_CURRENT_SOURCE_DIR}}/{schedule})\n{more}"
    project = PROJECT.format(root=ROOT.as_posix())
    project = project.replace("set(CARILLON_GENERATED_DIR ${CMAKE_CURRENT_SOURCE_DIR}/generated)", named)
    (folder / "CMakeLists.txt").write_text(project, encoding="utf-8")
    return folder / "out" / "carillon" / "schedule" / "generated"


def _again(folder: Path) -> str:
    again = _cmake("--build", str(folder / "out"))
    assert again.returncode == 0, again.stdout + again.stderr
    return again.stdout


def test_a_project_that_names_its_schedule_is_generated_again_when_that_changes(tmp_path: Path) -> None:
    schedule = tmp_path / "schedule.toml"
    text = '[system]\nboard = "virtual-tiny"\n[task.Blink]\nperiod = "2ms"\nwcet = "10us"\n'
    schedule.write_text(text, encoding="utf-8")
    tables = _generating(tmp_path, "schedule.toml") / "tables.c"
    app = _build(tmp_path, "host")
    assert "2000" in tables.read_text(encoding="utf-8")
    before = app.read_bytes()
    assert "no work to do" in _again(tmp_path)
    schedule.write_text(text.replace("2ms", "3ms"), encoding="utf-8")
    _again(tmp_path)
    assert "3000" in tables.read_text(encoding="utf-8")
    assert app.read_bytes() != before


@pytest.fixture
def own_board(tmp_path: Path) -> Path:
    """A board in ``my $board #1`` that is based on another, ``under`` it: a copy of ast1030-evb with files of its own."""
    under = shutil.copytree(ROOT / "boards" / "ast1030-evb", tmp_path / "under")
    board = tmp_path / "my $board #1"
    board.mkdir()
    (board / "board.toml").write_text('name = "mine"\nbase = "under"\n', encoding="utf-8")
    return under


def test_a_project_is_generated_again_when_an_included_file_or_its_boards_change(tmp_path: Path, own_board: Path) -> None:
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("needs arm-none-eabi-gcc")
    tick = tmp_path / "tick.oil"
    tick.write_text("COUNTER Tick { MAXALLOWEDVALUE = 99; TICKSPERBASE = 1; MINCYCLE = 1; };\n", encoding="utf-8")
    (tmp_path / "app.oil").write_text(
        'OIL_VERSION = "2.5";\nCPU app {\n#include "tick.oil"\n'
        "TASK Blink { PRIORITY = 1; ACTIVATION = 1; SCHEDULE = FULL; AUTOSTART = TRUE { APPMODE = Std; }; };\n"
        "APPMODE Std {};\n};\n",
        encoding="utf-8",
    )
    board = f"set(CARILLON_BOARD [[{tmp_path}/my $board #1/board.toml]])\n"
    generated = _generating(tmp_path, "app.oil", board)
    (tmp_path / "main.c").write_text('#include "carillon/osek.h"\n\nTASK(Blink)\n{\n    TerminateTask();\n}\n', encoding="utf-8")
    app = _build(tmp_path, "arm-none-eabi")
    assert "no work to do" in _again(tmp_path)

    tick.write_text(tick.read_text(encoding="utf-8").replace("99", "98"), encoding="utf-8")
    before = (generated / "vectors.c").read_bytes()
    _again(tmp_path)
    assert (generated / "vectors.c").read_bytes() != before  # it carries the digest of both files

    under = own_board / "board.toml"
    under.write_text(under.read_text(encoding="utf-8").replace("cflags = [", 'cflags = ["-DUNDER", '), encoding="utf-8")
    _again(tmp_path)
    assert "-DUNDER" in (generated / "manifest.json").read_text(encoding="utf-8")

    assert "no work to do" in _again(tmp_path)
    script = own_board / "link.ld"
    linked = app.stat().st_mtime_ns
    script.write_text(script.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    _again(tmp_path)
    assert app.stat().st_mtime_ns > linked


def test_a_board_for_another_compiler_is_refused_with_the_toolchain_to_use(tmp_path: Path) -> None:
    _project(tmp_path, "ast1030-evb")
    result = _configure(tmp_path, "host")
    assert result.returncode != 0
    assert "board ast1030-evb needs arm-none-eabi-gcc" in " ".join(result.stderr.split())
    assert "cmake/toolchains/arm-none-eabi.cmake" in result.stderr


def test_a_folder_without_a_manifest_is_refused_with_the_command_that_writes_it(tmp_path: Path) -> None:
    (tmp_path / "main.c").touch()
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT.as_posix()), encoding="utf-8")
    result = _configure(tmp_path, "host")
    assert result.returncode != 0
    assert "`carillon build --generate-only` writes it" in " ".join(result.stderr.split())
