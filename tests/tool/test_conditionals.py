# SPDX-License-Identifier: Apache-2.0
"""Conditionals inside bodies are counted, and do not become more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
MOST = 29
"""So many there are, all about members of structures, which cost memory; whoever takes some out lowers it."""

sys.path.insert(0, str(TREE / "scripts"))
from conditionals import Count, count  # noqa: E402

CODE = """
#ifndef GUARD_H
#define GUARD_H
#ifdef __cplusplus
extern "C" {
#endif
#if OPTION /* outside */
/* { #if in a comment */
struct one {
    int a;
#if OPTION
    int b; // }
#elif defined OTHER
    char c[4]; /* { */
#endif
};
#endif
static const char *const text = "{ #if";
void f(void)
{
#if OPTION
    if (g()) {
#else
    if (h()) {
#endif
    }
}
#if LAST
#endif
#ifdef __cplusplus
}
#endif
#endif
"""


def test_what_is_inside_a_body_is_counted() -> None:
    found = count(CODE)
    assert (found.all, found.inside, found.long) == (7, 3, ())


def test_long_functions_are_named() -> None:
    body = "".join(f"    g({k});\n" for k in range(80))
    text = f"static inline __attribute__((always_inline)) void f(int a)\n{{\n{body}}}\n"
    assert count(text).long == ("f: 82 lines",)
    assert count("").all == Count(0, 0, 0, ()).all


def test_there_are_no_more_than_there_were() -> None:
    script = TREE / "scripts" / "conditionals.py"
    done = subprocess.run([sys.executable, str(script), "--most", str(MOST)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
