# SPDX-License-Identifier: Apache-2.0
"""The module of Zephyr is read, configured, compiled and linked, and the image runs.

Zephyr is not in a package registry.  ``zephyr`` beside this file has what the module meets of it: the functions of its CMake, the
headers, a table of vectors, a thread on the process stack, and handlers that count.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from packaged import PACKAGES, ROOT, User, needs

PENDS = """
    const uint32_t before = switches;
    *(volatile uint32_t *)0xE000ED04 = 1u << 28; /* the switch of threads */
    __asm__ volatile("dsb\\n isb");
    while (switches != before) {
    }
"""
"""What holds a task for ever if threads are switched meanwhile."""


def _module() -> tuple[Path, Path]:
    """What zephyr/module.yml names: the folder with CMakeLists.txt, and the Kconfig file."""
    yaml = pytest.importorskip("yaml")
    said = yaml.safe_load((ROOT / "zephyr" / "module.yml").read_text(encoding="utf-8"))
    assert set(said) == {"name", "build"}
    assert set(said["build"]) == {"cmake", "kconfig"}
    return ROOT / said["build"]["cmake"], ROOT / said["build"]["kconfig"]


def _configuration(folder: Path, kconfig: Path) -> dict[str, str]:
    """The settings that Kconfig makes of an application's prj.conf."""
    kconfiglib = pytest.importorskip("kconfiglib")
    top = folder / "Kconfig"
    top.write_text(f'config CPU_CORTEX_M\n\tbool\n\tdefault y\n\nsource "{kconfig}"\n', encoding="utf-8")
    kconf = kconfiglib.Kconfig(str(top), warn_to_stderr=False)
    kconf.load_config(str(folder / "prj.conf"))
    assert kconf.warnings == []
    return {f"CONFIG_{symbol.name}": symbol.str_value for symbol in kconf.unique_defined_syms}


@pytest.fixture
def application(tmp_path: Path) -> Path:
    return shutil.copytree(PACKAGES / "zephyr" / "example", tmp_path / "app")


def _configured(user: User, folder: Path, path: str = "") -> subprocess.CompletedProcess[str]:
    needs("cmake", "ninja", "arm-none-eabi-gcc")
    cmake, kconfig = _module()
    command = ["cmake", "-B", "out", "-G", "Ninja", f"-DZephyr_DIR={Path(__file__).parent / 'zephyr'}", f"-DMODULE={cmake}"]
    command += [f"-D{name}={value}" for name, value in _configuration(folder, kconfig).items()]
    return user.tries(*command, cwd=folder, path=path)


def _refused(user: User, folder: Path, path: str = "") -> str:
    done = _configured(user, folder, path)
    assert done.returncode != 0, done.stdout
    return " ".join(done.stderr.split())


def test_tasks_run_beside_a_thread_and_are_not_switched(user: User, application: Path) -> None:
    needs("qemu-system-arm")
    main = application / "src" / "main.c"
    code = main.read_text(encoding="utf-8").replace("    controls++;\n", "    controls++;\n" + PENDS)
    main.write_text(code.replace("static volatile", "extern volatile uint32_t switches;\nstatic volatile", 1), encoding="utf-8")
    done = _configured(user, application)
    assert done.returncode == 0, done.stderr
    user.runs("cmake", "--build", "out", cwd=application)
    qemu = ["timeout", "20", "qemu-system-arm", "-M", "mps2-an385", "-nographic", "-monitor", "none", "-serial", "none"]
    qemu += ["-icount", "shift=5", "-semihosting-config", "enable=on,target=native", "-kernel", "out/zephyr.elf"]
    done = user.tries(*qemu, cwd=application)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    lines = said.splitlines()
    controls = [int(line.split()[1].rstrip(",")) for line in lines[:5]]
    assert controls == sorted(controls), said
    assert controls[-1] > 30, said
    # Each Control asks for a switch.  The thread's call came to Zephyr, and no end of a task did.
    switches, calls = (int(word.rstrip(",")) for word in re.findall(r"\d+", lines[5]))
    assert switches >= controls[-1], said
    assert calls == 1, said


def test_tasks_at_the_priority_of_threads_need_what_holds_the_switch_back(user: User, application: Path) -> None:
    schedule = application / "schedule.toml"
    text = schedule.read_text(encoding="utf-8")
    schedule.write_text(text.replace('priority = "below-tasks"\n', ""), encoding="utf-8")
    assert 'give an interrupt priority = "below-tasks"' in _refused(user, application)


def test_an_exception_of_zephyrs_is_not_taken(user: User, application: Path) -> None:
    schedule = application / "schedule.toml"
    text = re.sub(r"reserve = .*", "", schedule.read_text(encoding="utf-8"))
    schedule.write_text(text.replace('board = "mps2-an385"', 'board = "raspberry-pi-pico"'), encoding="utf-8")
    schedule.write_text(schedule.read_text(encoding="utf-8").replace("PORT0_0", "IO_IRQ_BANK0"), encoding="utf-8")
    assert "takes SysTick_Handler, which is Zephyr's: `reserve` in [system]" in _refused(user, application)


def test_an_application_without_the_command_is_told_to_install_it(user: User, application: Path) -> None:
    said = _refused(user, application, path="/usr/bin:/bin")
    assert "there is no command carillon: `pip install carillon-rtos`" in said


def test_an_application_that_does_not_ask_for_it_has_nothing_of_it(user: User, application: Path) -> None:
    (application / "prj.conf").write_text("", encoding="utf-8")
    done = _configured(user, application)
    assert done.returncode == 0, done.stderr
    assert not (application / "out" / "module" / "library").exists()
