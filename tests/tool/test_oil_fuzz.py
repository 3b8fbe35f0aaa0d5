# SPDX-License-Identifier: Apache-2.0
"""Whatever an OIL file holds, only diagnostics come out of reading it, soon, and every place is one of the text."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from carillon.check import check_system
from carillon.diagnostics import Diagnostics
from carillon.frontends import read_schedule
from carillon.frontends.foreign.write import schedule_text
from carillon.frontends.oil import read_foreign as read_oil
from carillon.frontends.oil.lexer import MOST_ERRORS
from sample import few

CORPUS = Path(__file__).parent / "oil"
FILES = sorted(path for path in CORPUS.rglob("*") if path.suffix in (".oil", ".inc"))
VALID = (CORPUS / "good" / "specification.oil").read_bytes()
TOKENS = [
    *(b'{ } }; [ ] = ; : , .. . # " \' \\ // /* */ \n \r \xff \x00 \xef\xbb\xbf - + "" "a" "1ms"'.split(b" ")),
    *b"0x 1e9 1e99 -1 0 1.5 .5 5ms 3 2 4294967296 true TRUE FALSE AUTO a b Task TAKS".split(),
    *b'OIL_VERSION "2.5" "9" IMPLEMENTATION CPU OSEK OS TASK COUNTER ALARM RESOURCE EVENT ISR APPMODE MESSAGE'.split(),
    *b"UINT32 INT64 FLOAT ENUM STRING BOOLEAN TASK_TYPE STRUCT WITH_AUTO NO_DEFAULT".split(),
    *b"PRIORITY SCHEDULE ACTIVATION AUTOSTART STACKSIZE STACK PRIVATE SHARED MASK CATEGORY SOURCE ACTION TYPE".split(),
    *b"ACTIVATETASK SETEVENT ALARMCALLBACK INCREMENTCOUNTER ALARMTIME CYCLETIME".split(),
    *b"SECONDSPERTICK CARILLON_TICK CARILLON_BOARD".split(),
    b"TASK a {",
    b"ALARM a {",
    b"CPU e {",
    b'#include "fuzz.oil"',
    b'#include "other.inc"\n',
    b'\n#include "other.inc"\n',
    b"#include <gone>",
    b"#include",
    b"TASK a { PRIORITY = 3; };",
    b"COUNTER c { };",
    b"ALARM a { COUNTER = c; ACTION = ACTIVATETASK { TASK = a; }; };",
]
SETTINGS = settings(max_examples=few(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def only_diagnostics(tmp_path: Path) -> Callable[[bytes], Diagnostics]:
    for path in FILES:
        if path.suffix == ".inc":
            target = tmp_path.joinpath(*path.relative_to(CORPUS).parts[1:])  # without good or bad
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    (tmp_path / "other.inc").write_text("TASK Other {\n PRIORITY = 1; };")

    def run(content: bytes) -> Diagnostics:
        path = tmp_path / "fuzz.oil"
        path.write_bytes(content)
        diagnostics = Diagnostics()
        system = read_schedule(path, diagnostics)
        if system is not None:
            check_system(system, diagnostics)
        assert system is not None or diagnostics.errors, "refused without a reason"
        for diagnostic in diagnostics.reported:
            assert diagnostic.cause
            assert diagnostic.remedy
            assert "\n" not in diagnostic.cause
            assert "\n" not in diagnostic.remedy
            if diagnostic.span is not None and diagnostic.code != "C010":
                file = Path(diagnostic.span.file)
                assert file.is_relative_to(tmp_path), diagnostic
                lines = lines_of(file.read_bytes())
                assert 1 <= diagnostic.span.line <= len(lines), diagnostic
                assert 1 <= diagnostic.span.column <= len(lines[diagnostic.span.line - 1]) + 1, diagnostic
        if system is not None and not diagnostics.errors:
            oil = read_oil(path, Diagnostics())
            assert oil is not None
            target = tmp_path / "fuzz.toml"
            target.write_text(schedule_text(oil.converted, path, tmp_path), encoding="utf-8")
            again = Diagnostics()
            assert read_schedule(target, again) is not None
            assert not again.errors, again.errors
        return diagnostics

    return run


def lines_of(content: bytes) -> list[str]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def test_the_file_that_is_mutated_below_is_valid(only_diagnostics: Callable[[bytes], Diagnostics]) -> None:
    assert not only_diagnostics(VALID).errors


@SETTINGS
@given(st.binary(max_size=300))
def test_any_bytes(only_diagnostics: Callable[[bytes], Diagnostics], content: bytes) -> None:
    only_diagnostics(content)


@SETTINGS
@given(st.text(max_size=300))
def test_any_text(only_diagnostics: Callable[[bytes], Diagnostics], content: str) -> None:
    only_diagnostics(content.encode("utf-8", "surrogatepass"))


@SETTINGS
@given(st.lists(st.sampled_from(TOKENS), max_size=80), st.sampled_from([b" ", b" ", b"\n", b""]), st.booleans())
def test_any_sequence_of_tokens(
    only_diagnostics: Callable[[bytes], Diagnostics], tokens: list[bytes], between: bytes, framed: bool
) -> None:
    content = between.join(tokens)
    only_diagnostics(b'OIL_VERSION = "2.5";\nCPU engine {\n' + content + b"\n};\n" if framed else content)


@SETTINGS
@given(st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_valid_file_with_some_bytes_changed(
    only_diagnostics: Callable[[bytes], Diagnostics], changes: list[tuple[int, int]]
) -> None:
    content = bytearray(VALID)
    for place, byte in changes:
        content[place] = byte
    only_diagnostics(bytes(content))


@SETTINGS
@given(st.integers(0, len(VALID)), st.integers(0, len(VALID)))
def test_a_valid_file_with_a_part_cut_out(only_diagnostics: Callable[[bytes], Diagnostics], one: int, other: int) -> None:
    first, last = sorted((one, other))
    only_diagnostics(VALID[:first] + VALID[last:])


def mutated(seed: int) -> bytes:
    """A file of the corpus, some of its words and lines replaced by tokens, or by one another."""
    chance = random.Random(seed)
    lines = chance.choice(FILES).read_bytes().split(b"\n")
    for _ in range(chance.randint(1, 5)):
        place = chance.randrange(len(lines))
        words = lines[place].split(b" ")
        match chance.randrange(7):
            case 0:
                words[chance.randrange(len(words))] = chance.choice(TOKENS)
            case 1:
                words.insert(chance.randrange(len(words) + 1), chance.choice(TOKENS))
            case 2:
                del words[chance.randrange(len(words))]
            case 3:
                words = lines[chance.randrange(len(lines))].split(b" ")
            case 4:
                words[-1] = words[-1].rstrip(b";}")
            case 5:
                words.append(lines[chance.randrange(len(lines))])
            case _:
                words = []
        lines[place] = b" ".join(words)
    return b"\n".join(lines)


@settings(SETTINGS, max_examples=few(300))
@given(st.integers(0, 2**32))
def test_a_file_with_some_words_changed(only_diagnostics: Callable[[bytes], Diagnostics], seed: int) -> None:
    only_diagnostics(mutated(seed))


@pytest.mark.parametrize(
    "content",
    [
        b"CPU e { TASK t " + b"{ A = B " * 50_000,
        b"CPU e { TASK t " + b"{ A = B " * 20_000 + b"; }" * 20_000,
        b"{" * 100_000,
        b"}" * 100_000,
        b";" * 100_000,
        b'"' * 100_001,
        b'"\\' * 100_000,
        b': "\n' * 50_000,
        b"/*" * 100_000,
        b"/" * 100_000,
        b"#" * 100_000,
        b"#\n" * 50_000,
        b"TASK " * 100_000,
        b"TASK a { " * 50_000,
        b"CPU a { " * 50_000,
        b"CPU a { }; " * 20_000,
        b"TASK a { }; " * 20_000,
        b"A = " * 50_000,
        b"9" * 100_000,
        b"0x" * 50_000,
        b"1." * 50_000,
        b"1e" * 50_000,
        b'OIL_VERSION = "2.5";\nCPU e { TASK t { PRIORITY = ' + b"9" * 100_000 + b"; }; };",
        b'OIL_VERSION = "2.5";\nCPU e { COUNTER c { SECONDSPERTICK = 1e-999999999; }; };',
        b'OIL_VERSION = "2.5";\nCPU e { ' + b"TASK t { AUTOSTART = TRUE { APPMODE = m; }; }; " * 20_000 + b"};",
        b'OIL_VERSION = "2.5";\nCPU e { ' + b"TASK t { X = Y { Z = 1; }; }; " * 20_000 + b"};",
        b"IMPLEMENTATION i { TASK { ENUM [" + b"A { ENUM [" * 20_000,
        b"IMPLEMENTATION i { TASK { " + b"UINT32 A = x; " * 20_000 + b"}; };",
        b"\xc3" * 100_000,
        b"\xc3\xa9 " * 50_000,
    ],
    ids=lambda content: repr(content[:16] + b".." + content[-9:]),
)
def test_a_hostile_file_is_refused_in_bounded_time_and_memory(
    only_diagnostics: Callable[[bytes], Diagnostics], content: bytes
) -> None:
    assert len(only_diagnostics(content).reported) < 2 * MOST_ERRORS
