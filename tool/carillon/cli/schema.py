# SPDX-License-Identifier: Apache-2.0
"""``carillon schema``."""

from __future__ import annotations

from typing import Annotated

import typer

from carillon.cli.common import Report

EPILOG = "Example: carillon schema > schedule.schema.json"


def command(report: Report, network: Annotated[bool, typer.Option("--network", help="That of network files.")] = False) -> None:
    """Print the JSON Schema of schedule files, by which an editor completes keys and marks errors."""
    from carillon.frontends.toml.jsonschema import json_schema, json_schema_text

    report.result({"schema": json_schema(network)})
    if not report.as_json:
        print(json_schema_text(network), end="")
