# SPDX-License-Identifier: Apache-2.0
"""``carillon explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from carillon import console
from carillon.cli.common import Report, usage
from carillon.diagnostics import suggestion

EPILOG = "Example: carillon explain C022"


def command(
    report: Report,
    code: Annotated[str | None, typer.Argument(help="A diagnostic's code.", show_default="all codes")] = None,
) -> None:
    """Explain a diagnostic: what it means, an example of wrong and of right."""
    from rich.markdown import Markdown

    from carillon.explain import codes
    from carillon.explain import explain as explanation

    if code is None:
        listed = [e for e in (explanation(c) for c in codes()) if e is not None]
        report.result({"codes": {e.code: e.title for e in listed}})
        if not report.as_json:
            for e in listed:
                console.console().print(f"{e.code}  {e.title}")
        return
    page = explanation(code.upper())
    if page is None:
        usage(f"no code '{code}': {suggestion(code.upper(), codes())}")
    report.result({"code": page.code, "title": page.title, "text": page.text})
    if not report.as_json:
        console.console().print(Markdown(f"# {page.code}: {page.title}\n\n{page.text}"))
