# SPDX-License-Identifier: Apache-2.0
"""A plan's tables are laid out as rich does it."""

from io import StringIO

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table as RichTable

from carillon.show.table import Table

CELL = st.text("abC1,_ …µ", max_size=60).map(lambda text: " ".join(text.split()))


@settings(deadline=None)
@given(st.integers(1, 8).flatmap(lambda n: st.lists(st.tuples(*[CELL] * n), min_size=1, max_size=6)), st.integers(40, 200))
def test_a_table_has_the_bytes_that_rich_gives_it(rows: list[tuple[str, ...]], width: int) -> None:
    titles = [f"title {k}" for k in range(len(rows[0]))]
    expected = Console(file=StringIO(), width=width, highlight=False, markup=False, emoji=False)
    theirs = RichTable(box=None, header_style="bold", pad_edge=False)
    for title in titles:
        theirs.add_column(title, overflow="fold")
    for row in rows:
        theirs.add_row(*row)
    expected.print(theirs)

    printed = Console(file=StringIO(), width=width, highlight=False, markup=False, emoji=False)
    ours = Table(*titles)
    for row in rows:
        ours.add_row(*row)
    ours.print(printed)
    assert printed.file.getvalue() == expected.file.getvalue()  # type: ignore[attr-defined]
