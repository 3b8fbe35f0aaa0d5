# SPDX-License-Identifier: Apache-2.0
"""``carillon schema``."""

from __future__ import annotations

from typing import Annotated

import typer

from carillon.cli import options
from carillon.cli.common import Report, guard

EPILOG = "Example: carillon schema > schedule.schema.json"


def command(
    network: Annotated[bool, typer.Option("--network", help="That of network files.")] = False, as_json: options.Json = False
) -> None:
    """Print the JSON Schema of schedule files, by which an editor completes keys and marks errors."""

    def work(report: Report) -> None:
        from carillon.read.jsonschema import json_schema, json_schema_text

        report.result({"schema": json_schema(network)})
        if not as_json:
            print(json_schema_text(network), end="")

    guard(as_json, work)
