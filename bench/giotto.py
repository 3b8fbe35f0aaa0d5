# SPDX-License-Identifier: Apache-2.0
"""What ``carillon giotto --s-code`` takes for programs of many invocations of tasks, start of the interpreter included.

    python bench/giotto.py [--invocations N ...] [--repeat N]

A mode of a second has 1 to 100 tasks, each invoked 10 or 20 times in it, an actuator each, and a switch that interrupts none.
The seconds below each method of making S code, checking it included, are those of the processor, of this machine and this
run, and the least of so many runs.  The calls are exact, of ``edf``, so that their ratio to the invocations shows whether
the work grows with them.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.load import execution_times, loads
from carillon.frontends.giotto.reading import parse_giotto
from carillon.frontends.giotto.rules import check_giotto
from carillon.frontends.giotto.scheduling import METHODS, planned
from carillon.frontends.giotto.simulation import play
from carillon.microcode.binary import encode


def program(invocations: int) -> str:
    """A program of so many invocations a second, a multiple of 30."""
    tasks = range(invocations // 15)
    lines = ["sensor int s uses get;", "actuator", *(f"  int a{k} uses put{k};" for k in tasks)]
    lines += ["output", *(f"  int o{k} := zero;" for k in tasks)]
    lines += [f"task t{k} (int i) output (o{k}) state (int n := zero) {{ schedule f{k}(i, n, o{k}) }} [wcet 1us]" for k in tasks]
    lines.append("driver in (s) output (int i) { if yes() then copy(s, i) }")
    lines += [f"driver set{k} (o{k}) output (int a{k}) {{ if yes() then copy(o{k}, a{k}) }}" for k in tasks]
    lines.append("driver over (s) output () { if late(s) then nothing() }")
    lines += ["start m {", "  mode m () period 1000 {", *(f"    actfreq 1 do a{k}(set{k});" for k in tasks)]
    lines.append("    exitfreq 10 do m(over);")
    lines += [f"    taskfreq {10 * (k % 2 + 1)} do t{k}(in);" for k in tasks]
    return "\n".join([*lines, "  }", "}", ""])


def calls(text: str) -> tuple[int, int]:
    """The calls of functions that checking and compiling take, and the instructions that come out."""
    profile = cProfile.Profile()
    diagnostics = Diagnostics()
    profile.enable()
    source = parse_giotto(text, "many.giotto", diagnostics)
    assert source is not None
    check_giotto(source, diagnostics)
    loads(source)
    compiled = compile_giotto(source, diagnostics, planned("edf", source, diagnostics))
    assert compiled is not None
    play(compiled, execution_times(source), "m@0", 1000)
    encode(compiled.program)
    profile.disable()
    assert not diagnostics.reported
    return int(pstats.Stats(profile).total_calls), len(compiled.program.code)  # type: ignore[attr-defined]


def seconds(file: Path, method: str) -> float:
    """The processor's time for one run of the command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "carillon", "giotto", str(file), "--s-code", method], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--invocations", type=int, nargs="+", default=[300, 1020, 3000])
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    print("invocations instructions  " + "".join(f"{method:>15}" for method in METHODS) + "    calls  calls/invocation")
    with tempfile.TemporaryDirectory() as folder:
        for invocations in arguments.invocations:
            file = Path(folder) / "many.giotto"
            file.write_text(program(invocations), encoding="utf-8")
            least = [min(seconds(file, method) for _ in range(arguments.repeat)) for method in METHODS]
            number, size = calls(file.read_text(encoding="utf-8"))
            times = "".join(f"{time:15.2f}" for time in least)
            print(f"{invocations:11} {size:12}  {times} {number:8} {number / invocations:17.0f}")


if __name__ == "__main__":
    main()
