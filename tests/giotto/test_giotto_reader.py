# SPDX-License-Identifier: Apache-2.0
"""Giotto programs are read, and what is wrong with them is said at its place.

``bad`` holds programs beside the exact messages, ``golden`` the listings of ``programs``.  Every expected file begins with
the line of its licence.  ``CARILLON_ACCEPT=1 pytest tests/giotto`` writes what comes out; read it before you commit it.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from carillon.cli import app
from carillon.diagnostics import Diagnostics, Severity
from carillon.explain import codes, explain
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.lexer import MOST_ERRORS
from carillon.frontends.giotto.load import check_loads, loads
from carillon.frontends.giotto.parser import KEYWORDS
from carillon.frontends.giotto.reading import parse_giotto, read_giotto
from carillon.frontends.giotto.rules import check_giotto
from carillon.microcode.binary import decode
from carillon.microcode.text import assembled
from carillon.units import Time, shorten
from sample import few

HERE = Path(__file__).parent
BAD, GOLDEN = HERE / "bad", HERE / "golden"
FLIGHT = HERE.parents[1] / "examples" / "flight" / "flight.giotto"
PROGRAMS = {path.stem: path for path in (FLIGHT, *sorted((HERE / "programs").glob("*.giotto")))}
BAD_NAMES = sorted(path.stem for path in BAD.glob("*.giotto"))
EXAMPLE = re.compile(r"^(Wrong|Right):\n\n```(giotto|microcode)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    (code, *found)
    for code in codes()
    if 250 <= int(code[1:]) < 270
    for found in EXAMPLE.findall((explain(code) or pytest.fail()).text)
]
VALID = FLIGHT.read_text(encoding="utf-8")
FUZZ = settings(max_examples=few(60), deadline=None, database=None)


def expect(path: Path, found: str, comment: str = "") -> None:
    text = f"{comment} SPDX-License-Identifier: Apache-2.0\n{found}"
    if os.environ.get("CARILLON_ACCEPT"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def checked(text: str, file: str = "fuzz.giotto") -> Diagnostics:
    """What is wrong with a text, and with what it becomes."""
    diagnostics = Diagnostics()
    program = parse_giotto(text, file, diagnostics)
    assert (program is None) == bool(diagnostics.errors)
    if program is not None:
        check_giotto(program, diagnostics)
        if not diagnostics.errors:
            check_loads(program, loads(program), diagnostics)
            compiled = compile_giotto(program, diagnostics)
            assert (compiled is None) == any(d.code != "C268" for d in diagnostics.errors)
            if compiled is not None and len(compiled.program.code) < 1000:
                assert assembled(compiled.listing(), "listing", Diagnostics()) == compiled.program
    lines = text.split("\n")
    for diagnostic in diagnostics.reported:
        assert diagnostic.cause
        assert diagnostic.remedy
        assert "\n" not in diagnostic.cause + diagnostic.remedy
        assert diagnostic.span is not None
        assert 1 <= diagnostic.span.line <= len(lines)
        assert 1 <= diagnostic.span.column <= len(lines[diagnostic.span.line - 1]) + 1
    assert len(diagnostics.errors) <= 2 * MOST_ERRORS + 2
    return diagnostics


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_program_produces_exactly_the_messages_beside_it(name: str) -> None:
    diagnostics = checked((BAD / f"{name}.giotto").read_text(encoding="utf-8"), f"{name}.giotto")
    assert diagnostics.reported
    expect(BAD / f"{name}.txt", "".join(f"{d}\n" for d in diagnostics.in_order()), "#")


def test_every_expected_file_belongs_to_a_program() -> None:
    assert sorted(path.stem for path in BAD.glob("*.txt")) == BAD_NAMES
    assert sorted(path.stem for path in GOLDEN.glob("*.txt")) == sorted(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_listing_names_the_mode_the_unit_the_instant_and_the_line_of_each_instruction(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PROGRAMS[name].parent)
    result = CliRunner().invoke(app, ["giotto", f"{name}.giotto", "--listing"])
    assert result.exit_code == 0
    expect(GOLDEN / f"{name}.txt", result.stdout, ";")


@pytest.mark.parametrize(
    ("code", "kind", "language", "text"), EXAMPLES, ids=[f"{code}-{kind.lower()}" for code, kind, _, _ in EXAMPLES]
)
def test_the_examples_of_an_explanation_are_what_it_says(code: str, kind: str, language: str, text: str) -> None:
    if language == "giotto":
        diagnostics = checked(text)
    else:
        diagnostics = Diagnostics()
        assert (assembled(text, "code", diagnostics) is None) == (kind == "Wrong")
    assert {d.code for d in diagnostics.reported} == ({code} if kind == "Wrong" else set()), "\n".join(
        map(str, diagnostics.reported)
    )


def test_every_code_of_giotto_has_examples() -> None:
    assert {code for code, *_ in EXAMPLES} == {code for code in codes() if 250 <= int(code[1:]) < 270}


def test_annotations_belong_to_the_declaration_that_they_stand_in_or_follow() -> None:
    diagnostics = Diagnostics()
    program = parse_giotto(VALID.replace("[wcet 4]", "[wcet 2500us]"), "flight.giotto", diagnostics)
    assert program is not None
    assert [task.wcet for task in program.tasks] == [Time(2500, "us"), Time(8, "ms")]
    text = VALID.replace("uses get_gps;", "uses get_gps [host a.b 1];").replace("taskfreq 1", "taskfreq 1 [wcet 3]")
    program = parse_giotto(text, "flight.giotto", diagnostics)
    assert program is not None
    assert [(a.word, a.rest) for a in program.ports[0].annotations] == [("host", "a.b 1")]
    assert [i.wcet for i in program.modes[0].invocations] == [Time(3, "ms"), None]
    assert not diagnostics.reported


def test_annotations_of_distributed_programs_are_read_and_not_used() -> None:
    """As the published compiler's programs have them: before the program, in declarations, before a switch."""
    text = """[ host One address 10.0.0.1:4000;
  host Two address 10.0.0.2:4001 ]
sensor _Bool key uses get_key [ host Two ];
actuator int shown uses put_shown [ host One ];
output int o := zero;
task t (int i) output (o) state () [ wcet 4 ] { schedule f(i, o) }
driver show (o) output (int x) { if yes() then copy(o, x) }
driver read (key) output (int i) { if yes() then widen(key, i) }
driver pressed (key) output () { if is_down(key) then nothing() }
start a {
  mode a (o) period 20 {
    actfreq 1 do shown(show);
    [ host Two; push (key) ]
    exitfreq 2 do b(pressed);
    taskfreq 2 do t(read) [ host One; push (o) ];
  }
  mode b () period 20 { [push (key)] exitfreq 1 do a(pressed); }
}
"""
    diagnostics = Diagnostics()
    program = parse_giotto(text, "theirs.giotto", diagnostics)
    assert program is not None
    check_giotto(program, diagnostics)
    assert compile_giotto(program, diagnostics) is not None
    assert not diagnostics.reported


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    for path, cause in (
        (tmp_path, f"{shorten(str(tmp_path))} is a folder, and no Giotto program file"),
        (gone, f"there is no file {shorten(str(gone))}"),
    ):
        diagnostics = Diagnostics()
        assert read_giotto(path, diagnostics) is None
        assert [(d.code, d.cause) for d in diagnostics.reported] == [("C010", cause)]


def test_the_microcode_is_written_and_the_result_is_said(tmp_path: Path) -> None:
    out = tmp_path / "flight.microcode"
    source = str(FLIGHT)
    result = CliRunner().invoke(app, ["giotto", source, "-o", str(out)])
    assert result.exit_code == 0
    assert "mode m: 20 ms, 2 units, 3 invocations of tasks" in result.stdout
    said = json.loads(CliRunner().invoke(app, ["giotto", source, "--json", "--listing"]).stdout)
    assert decode(out.read_bytes()) == assembled(said["listing"], "listing", Diagnostics())
    assert said["instructions"] == len(decode(out.read_bytes()).code)
    assert said["bytes"] == len(out.read_bytes())


def test_nothing_is_written_after_an_error(tmp_path: Path) -> None:
    out = tmp_path / "bad.microcode"
    result = CliRunner().invoke(app, ["giotto", str(BAD / f"{BAD_NAMES[0]}.giotto"), "-o", str(out)])
    assert result.exit_code == 1
    assert not out.exists()
    assert CliRunner().invoke(app, ["giotto", str(FLIGHT), "-o", str(tmp_path / "no" / "x")]).exit_code == 1


GRAMMAR = json.loads((HERE.parents[1] / "editors" / "giotto.tmLanguage.json").read_text(encoding="utf-8"))


def tokens(text: str) -> list[tuple[str, str]]:
    """What an editor makes of a text with the grammar: pieces and their innermost scopes, an empty scope if there is none."""
    found: list[tuple[str, str]] = []
    open_rules = [GRAMMAR]
    for line in text.splitlines(keepends=True):
        at = 0
        while at < len(line):
            ends = re.compile(open_rules[-1]["end"]).search(line, at) if "end" in open_rules[-1] else None
            first, rule = ends, None
            for tried in flat(open_rules[-1].get("patterns", [])):
                match = re.compile(tried.get("match", tried.get("begin")), re.MULTILINE).search(line, at)
                if match and match.end() > at and (first is None or match.start() < first.start()):
                    first, rule = match, tried
            if first is None:
                found.append((line[at:], open_rules[-1].get("name", "")))
                break
            found.append((line[at : first.start()], open_rules[-1].get("name", "")))
            captures = (rule or {}).get("captures", {})
            for number, capture in captures.items():
                found.append((first[int(number)], capture["name"]))
            if not captures:
                found.append((first[0], (rule or open_rules[-1]).get("name", "")))
            at = first.end()
            if rule is None:
                open_rules.pop()
            elif "begin" in rule:
                open_rules.append(rule)
    assert len(open_rules) == 1
    return [(piece.strip(), scope) for piece, scope in found if piece.strip()]


def flat(patterns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Patterns, with those of the repository in place of their names."""
    found = []
    for pattern in patterns:
        if "include" in pattern:
            included = GRAMMAR["repository"][pattern["include"].removeprefix("#")]
            found += flat(included["patterns"] if "begin" not in included else [included])
        else:
            found.append(pattern)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_editors_grammar_tells_the_words_of_a_program_apart(name: str) -> None:
    text = PROGRAMS[name].read_text(encoding="utf-8")
    found = tokens(text)
    code = re.sub(r"/\*.*?\*/|//[^\n]*|\[[^\]]*\]", " ", text, flags=re.DOTALL)
    for word in re.findall(r"[A-Za-z_][\w.]*", code):
        scopes = {scope.partition(".")[0] for piece, scope in found if piece == word}
        assert ("keyword" in scopes) == (word in KEYWORDS), word
    names = set(re.findall(r"\b(?:task|driver|mode)\s+([\w.]+)\s*\(", code))
    assert {piece for piece, scope in found if scope == "entity.name.function.giotto"} == names
    assert sum(scope == "constant.numeric.giotto" for _, scope in found) >= len(re.findall(r"\b[0-9]+\b", code))
    assert sum(scope.startswith("comment") for _, scope in found) >= text.count("//")


def test_the_editors_grammar_has_each_keyword_once_and_no_other() -> None:
    rules = [rule for rule in GRAMMAR["patterns"] if rule.get("name", "").startswith("keyword.")]
    words = [word for rule in rules for word in re.findall(r"[a-z]{2,}", rule["match"])]
    assert sorted(words) == sorted(KEYWORDS)


SINGLE = """
module type is sensor actuator output task driver state schedule if then start mode period actfreq exitfreq taskfreq do uses
( ) { } , ; := : = [ ] [wcet [host] [x] // /* */ . - é 0 1 2 3 10 20 007 1e5 99999999999 int real s a o t d m f g o.p s.1
"""
WORDS = [
    *SINGLE.split(),
    "\n",
    "\0",
    "[wcet 3]",
    "start m { mode m () period 10 {",
    "task t (int i) output (o) state () { schedule f(i) }",
    "driver d (s) output (int i) { if g(s) then f(s, i) }",
    "mode m () period 12 {",
    "taskfreq 2 do t(d);",
    "exitfreq 3 do m(d);",
    "actfreq 2 do a(d);",
    "9" * 5000,
]


@FUZZ
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    checked(text)


@settings(FUZZ, max_examples=few(200))
@given(st.lists(st.sampled_from(WORDS), max_size=60), st.sampled_from([" ", "\n", ""]), st.booleans())
def test_any_sequence_of_words(words: list[str], between: str, framed: bool) -> None:
    text = between.join(words)
    checked(f"start m {{ mode m () period 10 {{\n{text}\n}} }}" if framed else text)


@settings(FUZZ, max_examples=few(300))
@given(st.data())
def test_a_program_with_some_words_changed(data: st.DataObject) -> None:
    words = re.split(r"(\s+|[(){},;])", VALID)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(words) - 1))
        words[place] = data.draw(st.sampled_from(["", *WORDS, *set(words)]))
    checked("".join(words))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "/*" * 100_000,
        "[" * 100_000,
        "start m { " * 20_000,
        "start m { mode m () period 1 { " + "mode m () period 1 { " * 20_000,
        "sensor " + "int s; " * 20_000,
        "é" * 100_000,
        "type " + "".join(f"a{k} is a{k + 1}; " for k in range(5000)) + "a1 is a2; start m { mode m () period 1 { } }",
        "task t () output () state () { schedule f() } start m { mode m () period 10000019 { "
        + "".join(f"taskfreq {k} do t(); " for k in range(1, 5000))
        + "} }",
        "task t () output () state () { schedule f() } start m { mode m () period 16777215 { taskfreq 16777215 do t(); } }",
    ],
    ids=lambda text: repr(text[:12] + ".." + text[-9:]),
)
def test_a_hostile_text_is_refused_in_bounded_time(text: str) -> None:
    assert any(d.severity is Severity.ERROR for d in checked(text).reported)
